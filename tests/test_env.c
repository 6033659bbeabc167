/*
 * test_env.c: environments (env.h): masks against the engine's legal steps, observations against a second, simple
 * implementation, hidden information, both modes, rewards, records, saving, errors, threads, and the two compilations
 * of the rows.
 */
#include "check.h"
#include "check_edition.h"

#include <pthread.h>

#include <pyramids/env.h>
#include <pyramids/generate.h>
#include <pyramids/match.h>

#include "rows.h"

enum { EDITIONS = 5, GAMES = 24, STEPS = 300 };

static struct pyr_edition edition[EDITIONS];     /* plain, crowded, three generated ones */

__attribute__((constructor)) static void load_editions(void)
{
    check_edition(&edition[0], "editions/classic.edition");
    check_edition(&edition[1], "tests/data/crowded.edition");
    for (unsigned i = 2; i < EDITIONS; i++)
        if (pyr_edition_generate(&edition[i], 100 + i))
            exit(1);
}

/* An environment with all its arrays. */
struct lab {
    struct pyr_env env;
    struct pyr_env_game game[GAMES];
    uint64_t seed[GAMES];
    int32_t action[GAMES * 4];
    uint8_t observation[GAMES * 4][PYR_ENV_OBSERVATION], mask[GAMES * 4][PYR_ENV_ACTIONS], critic[GAMES * 4][PYR_ENV_CRITIC];
    uint8_t turn[GAMES], done[GAMES];
    float reward[GAMES * 4];
    int32_t score[GAMES * 4];
    struct pyr_env_arrays arrays;
};

static struct pyr_env_options options_of(unsigned seats, unsigned flags)
{
    struct pyr_env_options options = { .seats = (uint8_t)seats, .flags = (uint8_t)flags };
    return options;
}

static void lab_open(struct lab *lab, const struct pyr_edition *e, const struct pyr_env_options *options)
{
    memset(lab, 0, sizeof *lab);
    if (!CHECK_INT(pyr_env_init(&lab->env, &e->box, options), PYR_OK))
        exit(1);
    for (unsigned i = 0; i < GAMES; i++)
        lab->seed[i] = 1000 + i;
    lab->arrays = (struct pyr_env_arrays){
        .action = lab->action, .action_size = sizeof lab->action, .observation = lab->observation[0],
        .observation_size = sizeof lab->observation, .mask = lab->mask[0], .mask_size = sizeof lab->mask,
        .critic = lab->critic[0], .critic_size = sizeof lab->critic, .turn = lab->turn, .turn_size = sizeof lab->turn,
        .reward = lab->reward, .reward_size = sizeof lab->reward, .done = lab->done, .done_size = sizeof lab->done,
        .score = lab->score, .score_size = sizeof lab->score,
    };
    CHECK_INT(pyr_env_reset(&lab->env, lab->game, GAMES, lab->seed, &lab->arrays), PYR_OK);
}

static void lab_step(struct lab *lab)
{
    size_t row = 0;
    enum pyr_err err = pyr_env_step(&lab->env, lab->game, GAMES, &lab->arrays, &row);
    if (!CHECK_INT(err, PYR_OK)) {
        fprintf(stderr, "row %zu, action %d: %s\n", row, (int)lab->action[row], pyr_err_name(err));
        exit(1);
    }
}

/* A choice that depends only on what the seat sees, so that equal games get equal choices: the legal action whose number
 * hashed with the observation is greatest. */
static int32_t choose(const uint8_t *observation, const uint8_t *mask)
{
    uint64_t seen = 1469598103934665603u, most = 0;
    int32_t best = -1;
    for (unsigned i = 0; i < PYR_ENV_OBSERVATION; i++)
        seen = (seen ^ observation[i]) * 1099511628211u;
    for (int32_t a = 0; a < PYR_ENV_ACTIONS; a++) {
        uint64_t value = (seen ^ (uint64_t)a) * 0x9e3779b97f4a7c15u;
        value ^= value >> 29;
        value *= 0xbf58476d1ce4e5b9u;
        if (mask[a] && (best < 0 || value > most))
            most = value, best = a;
    }
    return best;
}

static void lab_choose(struct lab *lab)
{
    unsigned rows = GAMES * (lab->env.options.flags & PYR_ENV_PARALLEL ? lab->env.options.seats : 1u);
    for (unsigned i = 0; i < rows; i++)
        lab->action[i] = choose(lab->observation[i], lab->mask[i]);
}

static struct lab lab, other;

/* Masks. */

/* Each action is legal if its step exists and the engine accepts it; and the engine lists the same number. */
static bool mask_is_right(const struct pyr_box *box, const struct pyr_state *state, pyr_seat seat, const uint8_t *mask)
{
    struct pyr_view view;
    struct pyr_steps steps;
    uint32_t legal = 0;
    bool right = true;
    pyr_view_init(&view, state, seat);
    pyr_state_steps(state, box, seat, &steps);
    for (int32_t a = 0; a < PYR_ENV_ACTIONS; a++) {
        pyr_step step;
        bool is_legal = pyr_env_action_step(box, &view, a, &step) == PYR_OK &&
            pyr_state_check_step(state, box, seat, step) == PYR_OK;
        right &= mask[a] == is_legal;
        legal += is_legal;
        if (is_legal)
            right &= pyr_env_step_action(box, &view, step) == a;
    }
    for (uint32_t i = 0; i < steps.count; i++) {
        int32_t a = pyr_env_step_action(box, &view, pyr_steps_at(&steps, box, i));
        right &= a >= 0 && mask[a] == 1;
    }
    return right && legal == steps.count;
}

TEST("the mask of every step is what the engine lists and accepts, for all players and editions")
{
    for (unsigned e = 0; e < EDITIONS; e++) {
        for (unsigned seats = 2; seats <= 4; seats++) {
            struct pyr_env_options options = options_of(seats, 0);
            lab_open(&lab, &edition[e], &options);
            unsigned wrong = 0, ends = 0;
            for (unsigned i = 0; i < STEPS; i++) {
                for (unsigned g = i % 3; g < GAMES; g += 3)
                    wrong += !mask_is_right(&edition[e].box, &lab.game[g].state, lab.turn[g], lab.mask[g]);
                lab_choose(&lab);
                lab_step(&lab);
                for (unsigned g = 0; g < GAMES; g++)
                    ends += lab.done[g];
            }
            CHECK_INT(wrong, 0);
            CHECK(ends >= GAMES);
        }
    }
}

TEST("in parallel mode seats with nothing to decide may only pass")
{
    struct pyr_env_options options = options_of(4, PYR_ENV_PARALLEL);
    unsigned wrong = 0, waited = 0;
    lab_open(&lab, &edition[1], &options);
    for (unsigned i = 0; i < 100; i++) {
        for (unsigned row = 0; row < GAMES * 4; row++) {
            const struct pyr_state *state = &lab.game[row / 4].state;
            pyr_seat seat = (pyr_seat)(row % 4);
            if (lab.turn[row / 4] >> seat & 1) {
                wrong += !mask_is_right(&edition[1].box, state, seat, lab.mask[row]);
                continue;
            }
            unsigned legal = 0;
            for (int32_t a = 0; a < PYR_ENV_ACTIONS; a++)
                legal += lab.mask[row][a];
            wrong += legal != 1 || !lab.mask[row][PYR_ENV_PASS];
            waited++;
        }
        lab_choose(&lab);
        lab_step(&lab);
    }
    CHECK_INT(wrong, 0);
    CHECK(waited > 100);
}

TEST("actions are described, and their ranges are those of the header")
{
    struct pyr_env_action a;
    CHECK(pyr_env_describe(3 * 50 + 25 + 2 * 5 + 4, &a));
    CHECK_INT(a.kind, PYR_STEP_MARK);
    CHECK_INT(a.is_pattern, 1);
    CHECK_INT(a.turn, 3);
    CHECK_INT(a.slot, 1);
    CHECK_INT(a.row, 2);
    CHECK_INT(a.column, 4);
    CHECK(pyr_env_describe(PYR_ENV_SINGLE + 24, &a));
    CHECK(a.kind == PYR_STEP_MARK && !a.is_pattern && a.turn == 0 && a.slot == 0 && a.row == 4 && a.column == 4);
    CHECK(pyr_env_describe(453, &a));
    CHECK(a.kind == PYR_STEP_KEEP && a.first == 1 && a.second == 2);
    CHECK(pyr_env_describe(459, &a));
    CHECK(a.kind == PYR_STEP_TAKE && a.first == 3);
    CHECK(pyr_env_describe(460, &a));
    CHECK_INT(a.kind, PYR_STEP_DRAW);
    CHECK(pyr_env_describe(461, &a));
    CHECK_INT(a.kind, PYR_STEP_PASS);
    a.turn = 77;
    CHECK(!pyr_env_describe(462, &a));
    CHECK(!pyr_env_describe(-1, &a));
    CHECK(!pyr_env_describe(INT32_MIN, &a));
    CHECK_INT(a.turn, 77);
}

TEST("fields cover the planes without gaps, and no byte exceeds its bound")
{
    for (unsigned plane = 0; plane < 2; plane++) {
        const struct pyr_env_field *field;
        unsigned end = 0;
        for (unsigned i = 0; (field = pyr_env_field_at((enum pyr_env_plane)plane, i)) != NULL; i++) {
            CHECK_INT(field->offset, end);
            CHECK_INT(field->size, field->shape[0] * field->shape[1] * field->shape[2]);
            end += field->size;
        }
        CHECK_INT(end, plane ? PYR_ENV_CRITIC : PYR_ENV_OBSERVATION);
    }
    CHECK(!pyr_env_field_at((enum pyr_env_plane)2, 0));
    struct pyr_env_options options = options_of(4, 0);
    unsigned above = 0;
    lab_open(&lab, &edition[1], &options);
    for (unsigned i = 0; i < STEPS; i++, lab_choose(&lab), lab_step(&lab))
        for (unsigned plane = 0; plane < 2; plane++) {
            const struct pyr_env_field *field;
            for (unsigned f = 0; (field = pyr_env_field_at((enum pyr_env_plane)plane, f)) != NULL; f++)
                for (unsigned b = field->offset; b < field->offset + (unsigned)field->size; b++)
                    above += (plane ? lab.critic[3][b] : lab.observation[3][b]) > field->most;
            if (!i)
                lab_choose(&lab);
        }
    CHECK_INT(above, 0);
}

/* Observations: computed again from a view, following only the header's description. */

static int symbol(const struct pyr_card_face *card, int row, int column)
{
    pyr_spaces at = PYR_SPACE(row, column);
    const pyr_spaces kind[] = { card->entrance, card->tomb, card->cross, card->ruby, card->emerald, card->torch, card->skull,
        card->potion };
    if (!(card->open & at))
        return 0;
    for (int i = 0; i < 8; i++)
        if (kind[i] & at)
            return 2 + i;
    return 1;
}

static void expect_card(const struct pyr_box *box, pyr_card index, pyr_spaces free, pyr_spaces reach, uint8_t *to)
{
    if (index == PYR_NO_CARD)
        return;
    const struct pyr_card_face *card = &box->card[index];
    for (int row = 0; row < 5; row++)
        for (int column = 0; column < 5; column++) {
            to[row * 5 + column] = (uint8_t)(symbol(card, row, column) + (free & PYR_SPACE(row, column) ? 16 : 0) +
                (reach & PYR_SPACE(row, column) ? 32 : 0));
            to[29] = (uint8_t)(to[29] + ((card->open & PYR_SPACE(row, column)) != 0));
        }
    to[25] = (uint8_t)(index + 1);
    to[26 + card->colour] = 1;
    to[30] = (uint8_t)pyr_card_distance(card, card->open, card->entrance);
    to[31] = 1;
}

static uint8_t clipped(int value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static void expect_seat(const struct pyr_box *box, const struct pyr_view *view, unsigned seat, const struct pyr_desk *desk,
    uint8_t *to)
{
    int points = pyr_table_points(&view->open, (pyr_seat)seat), lowest = 0;
    struct pyr_score score = pyr_desk_score(desk, box, points);
    to[0] = 1;
    to[1] = desk->skulls;
    to[2] = desk->rubies;
    to[3] = desk->emeralds;
    for (int round = 0; round < 4; round++)
        to[4 + round] = desk->torches >> round & 1;
    for (int card = 47; card >= 0; card--)
        if (desk->done >> card & 1) {
            to[8 + box->card[card].colour]++;
            lowest = card + 1;
        }
    to[11] = (uint8_t)points;
    to[12] = (uint8_t)lowest;
    to[13] = clipped(-score.skulls);
    to[14] = clipped(score.total + 50);
    to[15] = seat == view->seat ? desk->due : 0;
}

static unsigned from_me(const struct pyr_view *view, unsigned seat)
{
    return (seat + view->open.seats - view->seat) % view->open.seats;
}

static void expect_places(const struct pyr_view *view, uint8_t *to)
{
    const struct pyr_table *open = &view->open;
    for (unsigned i = 0; i < 4; i++) {
        if (open->phase == PYR_KEEP)
            to[view->dealt[i]] = view->mine.card[0] == PYR_NO_CARD ? 2 : 1;
        else if (open->deck >> view->dealt[i] & 1)
            to[view->dealt[i]] = 1;
        if (open->display[i] != PYR_NO_CARD)
            to[open->display[i]] = 2;
    }
    for (unsigned s = 0; s < open->seats; s++) {
        const struct pyr_desk *desk = s == view->seat ? &view->mine : &open->desk[s];
        for (unsigned card = 0; card < 48; card++) {
            if (desk->card[0] == card || desk->card[1] == card)
                to[card] = (uint8_t)(4 + from_me(view, s));
            if (desk->done >> card & 1)
                to[card] = (uint8_t)((open->completed[s][0] == card || open->completed[s][1] == card ? 12 : 8) +
                    from_me(view, s));
        }
    }
}

static void expect_rest(const struct pyr_box *box, const struct pyr_view *view, uint8_t *to)
{
    const struct pyr_table *open = &view->open;
    pyr_pattern now = open->revealed[open->turn];
    if (now != PYR_NO_PATTERN) {
        struct pyr_components print;
        pyr_box_components(box, &print);
        for (int i = 0; i < 25; i++)
            to[496 + i] = (print.pattern[now] & PYR_SPACE(i / 5, i % 5)) != 0;
        to[496 + 25 + now] = 1;
        to[496 + 31] = box->pattern[now].turns;
    }
    for (unsigned i = 0; i < 9; i++)
        to[528 + i] = open->tile[i / 3][i % 3] == PYR_NOBODY ? 0 : (uint8_t)(from_me(view, open->tile[i / 3][i % 3]) + 1);
    for (unsigned p = 0; p < 6; p++) {
        to[537 + p] = box->pattern[p].copies;
        for (unsigned i = 0; i < 8; i++)
            to[537 + p] = (uint8_t)(to[537 + p] - (open->revealed[i] == p));
    }
    if (open->waiting >> view->seat & 1)
        to[543 + (open->phase == PYR_KEEP ? 0 : open->phase ==
            PYR_REPLACE ? 3 : view->mine.flags & PYR_DESK_FIRST ? 1 : 2)] = 1;
    if (open->phase == PYR_REPLACE)
        for (unsigned i = open->replacing; i < 4 && open->replace_order[i] != PYR_NOBODY; i++)
            to[547 + i - open->replacing] = (uint8_t)(from_me(view, open->replace_order[i]) + 1);
    to[551] = open->round;
    to[552] = open->turn;
    to[553] = (uint8_t)(28 - 7 * open->round - open->turn);
    to[554] = open->deck_left;
    to[555] = open->cards_owed;
    to[556] = open->seats;
}

static void expect_observation(const struct pyr_box *box, const struct pyr_view *view, uint8_t *to)
{
    const struct pyr_table *open = &view->open;
    memset(to, 0, PYR_ENV_OBSERVATION);
    for (unsigned s = 0; s < open->seats; s++) {
        const struct pyr_desk *desk = s == view->seat ? &view->mine : &open->desk[s];
        for (unsigned slot = 0; slot < 2; slot++)
            expect_card(box, desk->card[slot], pyr_pair_half(slot, desk->free), pyr_pair_half(slot, desk->reach),
                to + from_me(view, s) * 64 + slot * 32);
        expect_seat(box, view, s, desk, to + 432 + from_me(view, s) * 16);
    }
    for (unsigned i = 0; i < 4; i++) {
        pyr_card card = open->phase == PYR_KEEP ? view->dealt[i] : open->display[i];
        if (card != PYR_NO_CARD)
            expect_card(box, card, box->card[card].open, box->card[card].entrance, to + 256 + i * 32);
    }
    expect_places(view, to + 384);
    expect_rest(box, view, to);
}

TEST("an observation is what the header says, byte for byte, in every phase and for every seat")
{
    for (unsigned e = 0; e < 3; e++) {
        for (unsigned seats = 2; seats <= 4; seats++) {
            struct pyr_env_options options = options_of(seats, PYR_ENV_STAY);
            unsigned wrong = 0, over = 0;
            lab_open(&lab, &edition[e], &options);
            for (unsigned i = 0; i < STEPS; i++) {
                for (unsigned g = 0; g < GAMES; g++) {
                    uint8_t expected[PYR_ENV_OBSERVATION], mask[PYR_ENV_ACTIONS], got[PYR_ENV_OBSERVATION];
                    struct pyr_view view;
                    pyr_seat seat = lab.turn[g] == PYR_NOBODY ? 0 : lab.turn[g];
                    pyr_view_init(&view, &lab.game[g].state, seat);
                    expect_observation(&edition[e].box, &view, expected);
                    wrong += memcmp(expected, lab.observation[g], sizeof expected) != 0;
                    pyr_env_view(&lab.env, &view, got, mask);
                    wrong += memcmp(expected, got, sizeof got) || memcmp(mask, lab.mask[g], sizeof mask);
                    seat = (pyr_seat)((i + g) % seats);
                    pyr_view_init(&view, &lab.game[g].state, seat);
                    expect_observation(&edition[e].box, &view, expected);
                    CHECK_INT(pyr_env_look(&lab.env, &lab.game[g], seat, got, mask, NULL), PYR_OK);
                    wrong += memcmp(expected, got, sizeof got) != 0;
                    over += lab.game[g].is_over;
                }
                lab_choose(&lab);
                lab_step(&lab);
            }
            CHECK_INT(wrong, 0);
            CHECK(over > 0);
        }
    }
}

TEST("two worlds that differ only in hidden things look the same")
{
    for (unsigned e = 0; e < EDITIONS; e++) {
        struct pyr_env_options options = options_of(2 + e % 3, 0);
        struct pyr_rng rng;
        unsigned differ = 0, changed = 0;
        pyr_rng_seed(&rng, e, 7);
        lab_open(&lab, &edition[e], &options);
        for (unsigned i = 0; i < STEPS; i++) {
            for (unsigned g = 0; g < GAMES; g++) {
                pyr_seat seat = (pyr_seat)pyr_rng_below(&rng, options.seats);
                uint8_t seen[2][PYR_ENV_OBSERVATION], mask[2][PYR_ENV_ACTIONS], critic[2][PYR_ENV_CRITIC];
                struct pyr_env_game twin = lab.game[g];
                struct pyr_view view;
                pyr_view_init(&view, &lab.game[g].state, seat);
                pyr_view_sample(&view, &edition[e].box, &rng, &twin.state);
                if (view.open.phase == PYR_MARK || view.open.phase == PYR_KEEP)      /* who else has chosen is hidden,
                                                                                        too */
                    twin.state.open.waiting = (uint8_t)(view.open.waiting | pyr_rng_below(&rng, 1u << options.seats));
                if (!(view.open.waiting >> seat & 1))
                    twin.state.open.waiting &= (uint8_t)~(1u << seat);
                pyr_env_look(&lab.env, &lab.game[g], seat, seen[0], mask[0], critic[0]);
                pyr_env_look(&lab.env, &twin, seat, seen[1], mask[1], critic[1]);
                differ += memcmp(seen[0], seen[1], sizeof seen[0]) || memcmp(mask[0], mask[1], sizeof mask[0]);
                changed += memcmp(critic[0], critic[1], sizeof critic[0]) != 0;
            }
            lab_choose(&lab);
            lab_step(&lab);
        }
        CHECK_INT(differ, 0);
        CHECK(changed > GAMES * STEPS / 2);  /* the critic's data do show the difference */
    }
}

/* Modes. */

/* The final scores of the first few episodes of every game, in the order of episodes. */
static void play_scores(struct lab *l, const struct pyr_edition *e, const struct pyr_env_options *options, unsigned episodes,
    int32_t *scores)
{
    unsigned seats = options->seats, left = GAMES * episodes;
    lab_open(l, e, options);
    while (left) {
        lab_choose(l);
        lab_step(l);
        for (unsigned g = 0; g < GAMES; g++) {
            uint64_t episode = l->game[g].episode - 1;
            if (!l->done[g] || episode >= episodes)
                continue;
            memcpy(scores + (g * episodes + episode) * 4, l->score + g * seats, seats * sizeof *scores);
            left--;
        }
    }
}

TEST("seats in turn and seats in parallel play the same games")
{
    for (unsigned e = 0; e < 3; e++) {
        for (unsigned seats = 2; seats <= 4; seats++) {
            int32_t scores[2][GAMES * 2 * 4] = { { 0 } };
            struct pyr_env_options options = options_of(seats, 0);
            play_scores(&lab, &edition[e], &options, 2, scores[0]);
            options.flags = PYR_ENV_PARALLEL;
            play_scores(&lab, &edition[e], &options, 2, scores[1]);
            CHECK(!memcmp(scores[0], scores[1], sizeof scores[0]));
        }
    }
}

TEST("with bots, too, both modes play the same games, and only the caller's seats are asked")
{
    struct pyr_env_options options = options_of(3, 0);
    int32_t scores[2][GAMES * 4] = { { 0 } };
    options.bot[0] = pyr_bot_find("greedy");
    options.bot[2] = pyr_bot_find("random");
    play_scores(&lab, &edition[0], &options, 1, scores[0]);
    options.flags = PYR_ENV_PARALLEL;
    play_scores(&lab, &edition[0], &options, 1, scores[1]);
    CHECK(!memcmp(scores[0], scores[1], sizeof scores[0]));
    int better = 0;
    for (unsigned g = 0; g < GAMES; g++)
        better += scores[0][g * 4] > scores[0][g * 4 + 2];
    CHECK(better > GAMES / 2);               /* greedy plays better than random */
    options.flags = 0;
    lab_open(&lab, &edition[0], &options);
    unsigned others = 0;
    for (unsigned i = 0; i < STEPS; i++, lab_choose(&lab), lab_step(&lab)) {
        for (unsigned g = 0; g < GAMES; g++)
            others += lab.turn[g] != 1;
        if (!i)
            lab_choose(&lab);
    }
    CHECK_INT(others, 0);
}

/* Seeds, slices, threads. */

TEST("the same seeds deal the same games, episode by episode, and another seed others")
{
    struct pyr_env_options options = options_of(4, 0);
    struct pyr_chance chance, again;
    lab_open(&lab, &edition[0], &options);
    for (unsigned g = 0; g < GAMES; g++) {
        pyr_env_deal(&lab.env, lab.seed[g], 0, &chance);
        CHECK(!memcmp(&chance, &lab.game[g].state.hidden, sizeof chance));
    }
    pyr_env_deal(&lab.env, 5, 0, &chance);
    pyr_env_deal(&lab.env, 5, 1, &again);
    CHECK(memcmp(&chance, &again, sizeof chance) != 0);
    pyr_env_deal(&lab.env, 6, 0, &again);
    CHECK(memcmp(&chance, &again, sizeof chance) != 0);
    lab_open(&other, &edition[0], &options);
    for (unsigned i = 0; i < 2 * STEPS; i++) {
        CHECK(!memcmp(&lab, &other, offsetof(struct lab, arrays)));
        lab_choose(&lab);
        lab_choose(&other);
        lab_step(&lab);
        lab_step(&other);
        for (unsigned g = 0; g < GAMES; g++)
            if (lab.done[g]) {
                pyr_env_deal(&lab.env, lab.seed[g], lab.game[g].episode, &chance);
                CHECK(!memcmp(&chance, &lab.game[g].state.hidden, sizeof chance));
            }
    }
    CHECK(lab.game[0].episode > 0);
}

/* A slice of a lab, stepped by itself. */
struct slice {
    struct lab *lab;
    unsigned from, count;
};

static void *run_slice(void *context)
{
    const struct slice *s = context;
    struct lab *l = s->lab;
    unsigned seats = l->env.options.seats;
    struct pyr_env_arrays a = l->arrays;
    a.action += s->from;
    a.action_size = s->count * sizeof *a.action;
    a.observation += s->from * PYR_ENV_OBSERVATION;
    a.observation_size = s->count * PYR_ENV_OBSERVATION;
    a.mask += s->from * PYR_ENV_ACTIONS;
    a.mask_size = s->count * PYR_ENV_ACTIONS;
    a.critic += s->from * PYR_ENV_CRITIC;
    a.critic_size = s->count * PYR_ENV_CRITIC;
    a.turn += s->from;
    a.turn_size = s->count;
    a.done += s->from;
    a.done_size = s->count;
    a.reward += s->from * seats;
    a.reward_size = s->count * seats * sizeof *a.reward;
    a.score += s->from * seats;
    a.score_size = s->count * seats * sizeof *a.score;
    for (unsigned i = 0; i < STEPS; i++) {
        for (unsigned g = s->from; g < s->from + s->count; g++)
            l->action[g] = choose(l->observation[g], l->mask[g]);
        if (pyr_env_step(&l->env, l->game + s->from, s->count, &a, NULL))
            return context;
    }
    return NULL;
}

TEST("slices on threads give what one thread gives")
{
    struct pyr_env_options options = options_of(3, 0);
    struct slice slice[4] = { { &other, 0, 5 }, { &other, 5, 9 }, { &other, 14, 1 }, { &other, 15, GAMES - 15 } };
    pthread_t thread[4];
    lab_open(&lab, &edition[0], &options);
    lab_open(&other, &edition[0], &options);
    for (unsigned i = 0; i < 4; i++)
        CHECK_INT(pthread_create(&thread[i], NULL, run_slice, &slice[i]), 0);
    for (unsigned i = 0; i < STEPS; i++) {
        lab_choose(&lab);
        lab_step(&lab);
    }
    for (unsigned i = 0; i < 4; i++) {
        void *failed;
        CHECK_INT(pthread_join(thread[i], &failed), 0);
        CHECK(!failed);
    }
    CHECK(!memcmp(&lab, &other, offsetof(struct lab, arrays)));
}

/* Rewards. */

TEST("rewards: points add up to the score, the score comes at the end, the win is shared out")
{
    for (unsigned reward = 0; reward <= PYR_ENV_WIN; reward++) {
        struct pyr_env_options options = options_of(4, 0);
        double sum[GAMES * 4] = { 0 };
        unsigned ends = 0;
        options.reward = (uint8_t)reward;
        lab_open(&lab, &edition[1], &options);
        for (unsigned i = 0; i < 2 * STEPS; i++) {
            lab_choose(&lab);
            lab_step(&lab);
            for (unsigned g = 0; g < GAMES; g++) {
                double all = 0;
                int most = INT_MIN;
                for (unsigned s = 0; s < 4; s++) {
                    sum[g * 4 + s] += (double)lab.reward[g * 4 + s];
                    all += sum[g * 4 + s];
                    if (lab.score[g * 4 + s] > most)
                        most = lab.score[g * 4 + s];
                }
                if (!lab.done[g]) {
                    if (reward != PYR_ENV_POINTS)
                        CHECK(all == 0);
                    continue;
                }
                ends++;
                for (unsigned s = 0; s < 4; s++) {
                    if (reward != PYR_ENV_WIN)
                        CHECK_INT(sum[g * 4 + s], lab.score[g * 4 + s]);
                    else if (sum[g * 4 + s] > 0)
                        CHECK_INT(lab.score[g * 4 + s], most);
                    sum[g * 4 + s] = 0;
                }
                if (reward == PYR_ENV_WIN)
                    CHECK(all == 1);
            }
        }
        CHECK(ends > GAMES);
    }
}

TEST("points are rewarded when all can see them, not before")
{
    struct pyr_env_options options = options_of(4, 0);
    unsigned early = 0, some = 0;
    lab_open(&lab, &edition[0], &options);
    for (unsigned i = 0; i < STEPS; i++) {
        bool is_open[GAMES];                 /* all see this step, or no seat still has to mark */
        for (unsigned g = 0; g < GAMES; g++) {
            const struct pyr_table *open = &lab.game[g].state.open;
            is_open[g] = open->phase == PYR_REPLACE || (open->phase == PYR_MARK && open->waiting == 8);
        }
        lab_choose(&lab);
        lab_step(&lab);
        for (unsigned g = 0; g < GAMES; g++) {
            for (unsigned s = 0; s < 4; s++) {
                early += !is_open[g] && lab.reward[g * 4 + s] != 0;
                some += lab.reward[g * 4 + s] != 0;
            }
        }
    }
    CHECK_INT(early, 0);
    CHECK(some > GAMES);
}

TEST("a game that stays is over until it is dealt anew")
{
    struct pyr_env_options options = options_of(2, PYR_ENV_STAY);
    static const uint8_t nothing[PYR_ENV_ACTIONS];
    unsigned ends = 0;
    lab_open(&lab, &edition[0], &options);
    for (unsigned i = 0; i < STEPS; i++) {
        lab_choose(&lab);
        lab_step(&lab);
        for (unsigned g = 0; g < GAMES; g++) {
            ends += lab.done[g];
            if (!lab.game[g].is_over)
                continue;
            CHECK_INT(lab.turn[g], PYR_NOBODY);
            CHECK(!memcmp(lab.mask[g], nothing, sizeof nothing));
            CHECK_INT(lab.game[g].state.open.phase, PYR_END);
            CHECK_INT(lab.game[g].episode, 0);
        }
    }
    CHECK_INT(ends, GAMES);
    CHECK_INT(pyr_env_reset(&lab.env, lab.game, GAMES, lab.seed, &lab.arrays), PYR_OK);
    CHECK_INT(lab.turn[0], 0);
    CHECK(!lab.game[0].is_over);
}

/* Records. */

/* Follows one game by its trace. */
struct tracer {
    const struct pyr_env *env;
    const struct pyr_env_game *game;
    struct pyr_match match;
    bool began;
};

static void follow(void *context, const struct pyr_env_game *game, pyr_seat seat, pyr_step step)
{
    static const char *const names[] = { "a", "b", "c", "d" };
    struct tracer *t = context;
    if (game != t->game || game->episode)
        return;
    if (seat == PYR_NOBODY) {
        struct pyr_chance chance;
        pyr_env_deal(t->env, game->seed, game->episode, &chance);
        t->began = pyr_match_init(&t->match, t->match.edition, t->env->options.seats, names, &chance) == PYR_OK;
        return;
    }
    CHECK_INT(pyr_match_step(&t->match, seat, step), PYR_OK);
    if (pyr_match_waiting(&t->match) >> seat & 1 && pyr_match_is_ready(&t->match, seat))
        CHECK_INT(pyr_match_confirm(&t->match, seat), PYR_OK);
}

TEST("a record of each game replays and ends with the same scores")
{
    static struct tracer tracer;
    for (unsigned e = 0; e < EDITIONS; e++) {
        for (unsigned seats = 2; seats <= 4; seats++) {
            struct pyr_env_options options = options_of(seats, e & 1 ? PYR_ENV_PARALLEL : 0);
            if (e == 2)
                options.bot[1] = pyr_bot_find("greedy");
            lab_open(&lab, &edition[e], &options);
            memset(&tracer, 0, sizeof tracer);
            tracer.match.edition = &edition[e];
            tracer.env = &lab.env;
            tracer.game = &lab.game[e + seats];
            lab.arrays.trace = follow;
            lab.arrays.context = &tracer;
            CHECK_INT(pyr_env_reset(&lab.env, lab.game, GAMES, lab.seed, &lab.arrays), PYR_OK);
            do {
                lab_choose(&lab);
                lab_step(&lab);
            } while (!lab.done[e + seats]);
            CHECK(tracer.began);
            CHECK(pyr_match_is_over(&tracer.match));
            struct pyr_replay replay;
            struct pyr_fault fault;
            pyr_replay_init(&replay, PYR_NOBODY);
            CHECK_INT(pyr_record_read(&replay, &edition[e], tracer.match.log.text,
                tracer.match.log.start[tracer.match.log.lines], &fault), PYR_OK);
            CHECK_INT(replay.stage, PYR_STAGE_OVER);
            for (unsigned s = 0; s < seats; s++)
                CHECK_INT(pyr_table_score(&replay.state.open, &edition[e].box, (pyr_seat)s).total,
                    lab.score[(e + seats) * seats + s]);
        }
    }
}

/* Errors. */

/* The same bytes as before, in games and arrays. */
static bool is_untouched(const struct lab *a, const struct lab *b)
{
    return !memcmp(a->game, b->game, sizeof a->game) && !memcmp(a->observation, b->observation, sizeof a->observation) &&
        !memcmp(a->mask, b->mask, sizeof a->mask) && !memcmp(a->reward, b->reward, sizeof a->reward) &&
        !memcmp(a->turn, b->turn, sizeof a->turn) && !memcmp(a->done, b->done, sizeof a->done) &&
        !memcmp(a->score, b->score, sizeof a->score) && !memcmp(a->critic, b->critic, sizeof a->critic);
}

TEST("every illegal action is refused with its row, and nothing changes")
{
    for (unsigned mode = 0; mode < 2; mode++) {
        struct pyr_env_options options = options_of(3, mode ? PYR_ENV_PARALLEL : 0);
        lab_open(&lab, &edition[1], &options);
        for (unsigned i = 0; i < 90; i++) {
            static const int32_t odd[] = { -1, INT32_MIN, INT32_MAX, PYR_ENV_ACTIONS, 1000000 };
            unsigned row = mode ? 9 + i % 3 : 3, wrong = 0, refused = 0;
            lab_choose(&lab);
            other = lab;
            int32_t good = lab.action[row];
            for (int32_t a = 0; a < PYR_ENV_ACTIONS + 5; a++) {
                size_t found = 0;
                lab.action[row] = a < PYR_ENV_ACTIONS ? a : odd[a - PYR_ENV_ACTIONS];
                if (a < PYR_ENV_ACTIONS && lab.mask[row][a])
                    continue;
                wrong += pyr_env_step(&lab.env, lab.game, GAMES, &lab.arrays, &found) == PYR_OK || found != row;
                refused++;
            }
            CHECK_INT(wrong, 0);
            CHECK(refused > 300);
            CHECK(is_untouched(&lab, &other));
            lab.action[row] = good;
            lab_step(&lab);
        }
    }
}

TEST("short or missing arrays and unknown options are refused, and nothing changes")
{
    struct pyr_env_options options = options_of(2, 0);
    lab_open(&lab, &edition[0], &options);
    lab_choose(&lab);
    other = lab;
    size_t need[] = { GAMES * 4, GAMES * PYR_ENV_OBSERVATION, GAMES * PYR_ENV_ACTIONS, GAMES * PYR_ENV_CRITIC, GAMES,
        GAMES * 2 * 4,
        GAMES, GAMES * 2 * 4 };
    for (unsigned i = 0; i < 8; i++) {
        struct pyr_env_arrays a = lab.arrays;
        size_t *size[] = { &a.action_size, &a.observation_size, &a.mask_size, &a.critic_size, &a.turn_size, &a.reward_size,
            &a.done_size, &a.score_size };
        *size[i] = need[i] - 1;
        CHECK_INT(pyr_env_step(&lab.env, lab.game, GAMES, &a, NULL), PYR_ERR_ENV_ARRAY);
        CHECK_INT(pyr_env_reset(&lab.env, lab.game, GAMES, lab.seed, &a), PYR_ERR_ENV_ARRAY);
        CHECK_INT(pyr_env_observe(&lab.env, lab.game, GAMES, &a), PYR_ERR_ENV_ARRAY);
        CHECK(is_untouched(&lab, &other));
        CHECK_INT(pyr_env_step(&lab.env, lab.game, SIZE_MAX, &lab.arrays, NULL), PYR_ERR_ENV_ARRAY);
    }
    struct pyr_env_arrays none = { 0 };
    CHECK_INT(pyr_env_step(&lab.env, lab.game, GAMES, &none, NULL), PYR_ERR_ENV_ARRAY);
    CHECK(is_untouched(&lab, &other));
    none.action = lab.action;                /* actions alone are enough */
    none.action_size = sizeof lab.action;
    CHECK_INT(pyr_env_step(&lab.env, lab.game, GAMES, &none, NULL), PYR_OK);
    CHECK_INT(pyr_env_look(&lab.env, lab.game, 2, NULL, NULL, NULL), PYR_ERR_NOT_DUE);

    struct pyr_env before = lab.env;
    struct { struct pyr_env_options options; enum pyr_err code; } bad[] = {
        { options_of(1, 0), PYR_ERR_SEATS }, { options_of(5, 0), PYR_ERR_SEATS }, { options_of(2, 4), PYR_ERR_ENV_OPTIONS },
        { { .seats = 2, .reward = 3 }, PYR_ERR_ENV_OPTIONS }, { { .seats = 2, .reserved = { 0, 1 } }, PYR_ERR_ENV_OPTIONS },
        { { .seats = 2, .bot = { pyr_bot_at(0), pyr_bot_at(0) } }, PYR_ERR_ENV_OPTIONS },
        { { .seats = 2, .bot = { NULL, NULL, pyr_bot_at(0) } }, PYR_ERR_ENV_OPTIONS },
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_INT(pyr_env_init(&lab.env, &edition[0].box, &bad[i].options), bad[i].code);
    CHECK(!memcmp(&before, &lab.env, sizeof before));
}

/* Saving. */

TEST("a saved game goes on as if nothing had happened")
{
    struct pyr_env_options options = options_of(4, 0);
    uint8_t saved[GAMES][PYR_ENV_SAVED];
    options.bot[3] = pyr_bot_find("greedy");
    lab_open(&lab, &edition[1], &options);
    for (unsigned cut = 0; cut < 8; cut++) {
        for (unsigned i = 0; i < 23 + cut; i++, lab_step(&lab))
            lab_choose(&lab);
        lab_open(&other, &edition[1], &options);
        for (unsigned g = 0; g < GAMES; g++) {
            CHECK_INT(pyr_env_save(&lab.env, &lab.game[g], saved[g], sizeof saved[g]), PYR_OK);
            CHECK_INT(pyr_env_load(&other.env, &other.game[g], saved[g], sizeof saved[g]), PYR_OK);
        }
        CHECK_INT(pyr_env_observe(&other.env, other.game, GAMES, &other.arrays), PYR_OK);
        for (unsigned i = 0; i < 40; i++) {
            CHECK(!memcmp(lab.observation, other.observation, sizeof lab.observation));
            lab_choose(&lab);
            lab_choose(&other);
            lab_step(&lab);
            lab_step(&other);
        }
        CHECK(!memcmp(lab.game, other.game, sizeof lab.game));
        CHECK(!memcmp(lab.reward, other.reward, sizeof lab.reward));
    }
}

TEST("what is not a saved game is refused, and a broken one never harms")
{
    struct pyr_env_options options = options_of(3, 0);
    uint8_t saved[PYR_ENV_SAVED], broken[PYR_ENV_SAVED];
    unsigned refused = 0;
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 1, 1);
    lab_open(&lab, &edition[0], &options);
    for (unsigned i = 0; i < 50; i++, lab_step(&lab))
        lab_choose(&lab);
    CHECK_INT(pyr_env_save(&lab.env, &lab.game[0], saved, sizeof saved - 1), PYR_ERR_ENV_ARRAY);
    CHECK_INT(pyr_env_save(&lab.env, &lab.game[0], saved, sizeof saved), PYR_OK);
    struct pyr_env_game before = lab.game[1];
    CHECK_INT(pyr_env_load(&lab.env, &lab.game[1], saved, sizeof saved - 1), PYR_ERR_ENV_DATA);
    for (unsigned seats = 2; seats <= 4; seats++) {
        struct pyr_env env;
        options.seats = (uint8_t)seats;
        CHECK_INT(pyr_env_init(&env, &edition[seats == 3].box, &options), PYR_OK);
        CHECK_INT(pyr_env_load(&env, &lab.game[1], saved, sizeof saved), PYR_ERR_ENV_DATA);
    }
    CHECK(!memcmp(&before, &lab.game[1], sizeof before));
    for (unsigned i = 0; i < 20000; i++) {
        memcpy(broken, saved, sizeof saved);
        for (unsigned n = 1 + i % 3; n; n--)
            broken[pyr_rng_below(&rng, PYR_ENV_SAVED)] ^= (uint8_t)(1u << pyr_rng_below(&rng, 8));
        if (pyr_env_load(&lab.env, &lab.game[2], broken, sizeof broken)) {
            refused++;
            continue;
        }
        /* An accepted game can be played on. */
        CHECK_INT(pyr_env_observe(&lab.env, lab.game, GAMES, &lab.arrays), PYR_OK);
        lab_choose(&lab);
        lab_step(&lab);
    }
    CHECK(refused > 10000);
}

/* Compilations. */

TEST("the plain and the AVX2 rows are the same")
{
#if PYR_HAS_FAST
    if (!cpu_is_fast())
        SKIP("this processor has no AVX2");
    for (unsigned seats = 2; seats <= 4; seats++) {
        struct pyr_env_options options = options_of(seats, 0);
        unsigned differ = 0;
        lab_open(&lab, &edition[1], &options);
        lab_open(&other, &edition[1], &options);
        for (unsigned i = 0; i < STEPS; i++) {
            size_t row;
            lab_choose(&lab);
            memcpy(other.action, lab.action, sizeof lab.action);
            if (i % 5 == 0)
                other.action[i % GAMES] = (int32_t)(i * 37 % PYR_ENV_ACTIONS);
            differ += env_judge_plain(&other.env, other.game, GAMES, other.action, &row) !=
                env_judge_avx2(&other.env, other.game, GAMES, other.action, &row);
            memcpy(other.action, lab.action, sizeof lab.action);
            env_step_avx2(&lab.env, lab.game, GAMES, &lab.arrays);
            env_step_plain(&other.env, other.game, GAMES, &other.arrays);
            differ += memcmp(&lab, &other, offsetof(struct lab, arrays)) != 0;
        }
        CHECK_INT(differ, 0);
    }
#else
    struct pyr_env_options options = options_of(2, 0);
    lab_open(&lab, &edition[0], &options);
    CHECK_INT(lab.turn[0], 0);               /* there is one compilation */
#endif
}
