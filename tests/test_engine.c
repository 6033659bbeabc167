/*
 * test_engine.c: internals of the engine: counts of legal steps against a second implementation of the rules, random
 * games audited step by step, the two compilations of the hot part against each other, views and samples, chance,
 * random numbers, boxes. test_rules.c tests the rules themselves.
 */
#include "check.h"
#include "check_edition.h"

#include <pyramids/generate.h>
#include <pyramids/playouts.h>
#include <pyramids/record.h>

#include "hot_api.h"

static struct pyr_edition plain, crowded;

__attribute__((constructor)) static void load_editions(void)
{
    check_edition(&plain, "tests/data/plain.edition");
    check_edition(&crowded, "tests/data/crowded.edition");
}

static bool audit(const struct pyr_box *box, const struct pyr_state *state)
{
    int clause;
    pyr_state_check(state, box, &clause);
    return CHECK_INT(clause, 0);
}

static pyr_seat some_seat(const struct pyr_state *state, struct pyr_rng *rng)
{
    pyr_seat seat;
    do
        seat = (pyr_seat)pyr_rng_below(rng, state->open.seats);
    while (!(state->open.waiting >> seat & 1));
    return seat;
}

/* A game after `played` random steps, made by seats in random order; false if it is over. */
static bool play_some(const struct pyr_box *box, struct pyr_state *state, unsigned seats, struct pyr_rng *rng, int played)
{
    pyr_state_deal(state, box, seats, rng);
    for (; played > 0; played--) {
        struct pyr_steps steps;
        pyr_state_advance(state, box);
        if (state->open.phase == PYR_END)
            return false;
        pyr_seat seat = some_seat(state, rng);
        pyr_state_steps(state, box, seat, &steps);
        pyr_state_apply_unchecked(state, box, seat, pyr_steps_pick(&steps, box, rng));
    }
    pyr_state_advance(state, box);
    return state->open.phase != PYR_END;
}

/* Counts. */

/* Sequences of one, two and three steps of a seat, and whole choices. A choice that ends the phase is whole. */
static void count_choices(const struct pyr_box *box, const struct pyr_state *state, pyr_seat seat, unsigned depth,
    uint64_t *count, uint64_t *whole)
{
    struct pyr_steps steps;
    pyr_state_steps(state, box, seat, &steps);
    for (uint32_t i = 0; i < steps.count; i++) {
        struct pyr_state after = *state;
        after.open.waiting |= 0x80;          /* holds the phase open */
        CHECK_INT(pyr_state_apply(&after, box, seat, pyr_steps_at(&steps, box, i)), PYR_OK);
        if (depth < 3)
            count[depth]++;
        if (state->open.phase == PYR_MARK && after.open.waiting >> seat & 1)
            count_choices(box, &after, seat, depth + 1, count, whole);
        else
            ++*whole;
    }
}

TEST("perft: as many step sequences and whole choices as the second reading finds")
{
    /* tests/data/perft.py writes the table with tests/oracle.py. */
    size_t size;
    char *table = check_file("tests/data/perft.txt", &size), *record = NULL, loaded[32] = "";
    int rows = 0;
    for (char *line = strtok(table, "\n"); line; line = strtok(NULL, "\n")) {
        char edition_name[32], record_name[32], number[3][16], path[64];
        unsigned cut, seat;
        unsigned long long wanted;
        if (!CHECK_INT(sscanf(line, "%31s %31s %u %u %15s %15s %15s %llu", edition_name, record_name, &cut, &seat, number[0],
                number[1], number[2], &wanted), 8))
            continue;
        const struct pyr_edition *edition = strcmp(edition_name, "plain") ? &crowded : &plain;
        if (strcmp(loaded, record_name)) {
            free(record);
            snprintf(path, sizeof path, "tests/data/%s.pyr", record_name);
            record = check_file(path, &size);
            strcpy(loaded, record_name);
        }
        const char *end = record;
        for (unsigned i = 0; i < cut && end; i++)
            end = strchr(end, '\n') + 1;
        struct pyr_replay replay;
        pyr_replay_init(&replay, PYR_NOBODY);
        if (!CHECK_INT(pyr_record_read(&replay, edition, record, (size_t)(end - record), NULL), PYR_OK))
            continue;
        uint64_t count[3] = { 0 }, whole = 0;
        count_choices(&edition->box, &replay.state, (pyr_seat)(seat - 1), 0, count, &whole);
        bool same = CHECK_INT(whole, wanted);
        for (int i = 0; i < 3; i++)
            if (strcmp(number[i], "-"))
                same &= CHECK_INT(count[i], strtoll(number[i], NULL, 10));
        if (!same)
            fprintf(stderr, "%s\n", line);
        rows++;
    }
    CHECK(rows >= 80);
    free(record);
    free(table);
}

/* Random games. */

struct seen {
    int games, steps, passes, empty_decks, two_completed, gaps, extras, lost_extras, tiles, capped, full_skulls;
};

static void watch(const struct pyr_box *box, unsigned seats, struct pyr_rng *rng, struct seen *seen)
{
    struct pyr_state state, before;
    int decisions[PYR_MAX_SEATS] = { 0 };
    CHECK_INT(pyr_state_deal(&state, box, seats, rng), PYR_OK);
    if (!audit(box, &state))
        return;
    while (state.open.phase != PYR_END) {
        struct pyr_steps steps;
        before = state;
        if (state.open.phase == PYR_SHOW || state.open.phase == PYR_REVEAL) {
            CHECK_INT(state.open.phase == PYR_SHOW ? pyr_state_show(&state, box) : pyr_state_reveal(&state, box), PYR_OK);
        } else {
            pyr_seat seat = some_seat(&state, rng);
            pyr_state_steps(&state, box, seat, &steps);
            if (!CHECK(steps.count > 0))
                return;
            pyr_step step = pyr_steps_pick(&steps, box, rng);
            if (!CHECK_INT(pyr_state_apply(&state, box, seat, step), PYR_OK))
                return;
            unsigned due = before.desk[seat].due;
            bool is_extra = before.open.phase == PYR_MARK && !(before.desk[seat].flags & PYR_DESK_FIRST);
            decisions[seat] += before.open.phase == PYR_MARK && !is_extra;
            seen->steps++;
            seen->extras += is_extra;
            seen->passes += step == pyr_step_pass();
            if (before.open.phase == PYR_MARK && step != pyr_step_pass() && state.open.phase == PYR_MARK) {
                const struct pyr_card_face *face = &box->card[before.desk[seat].card[pyr_step_slot(step)]];
                unsigned crosses = (unsigned)__builtin_popcount(pyr_step_spaces(step) & face->cross);
                seen->lost_extras += due - 1 + crosses > state.desk[seat].due;
                CHECK(due - 1 + crosses == state.desk[seat].due || !state.desk[seat].reach);
            }
        }
        if (!audit(box, &state))
            return;
        seen->empty_decks += before.open.deck_left && !state.open.deck_left;
        for (unsigned s = 0; s < seats; s++) {
            seen->two_completed += before.open.phase == PYR_MARK && state.open.phase == PYR_REPLACE &&
                state.open.completed[s][1] != PYR_NO_CARD;
            seen->gaps += state.open.phase == PYR_MARK && (state.open.desk[s].card[0] == PYR_NO_CARD) !=
                (state.open.desk[s].card[1] == PYR_NO_CARD);
        }
    }
    for (unsigned s = 0; s < seats; s++) {
        CHECK_INT(decisions[s], PYR_ROUNDS * PYR_TURNS);
        seen->capped += state.desk[s].rubies == PYR_GEMS || state.desk[s].emeralds == PYR_GEMS;
        seen->full_skulls += state.desk[s].skulls == PYR_SKULLS;
        seen->tiles += pyr_table_points(&state.open, (pyr_seat)s) > 0;
    }
    CHECK(pyr_table_winners(&state.open, box) != 0);
    seen->games++;
}

TEST("random games are sound after every step")
{
    struct seen seen = { 0 };
    struct pyr_rng rng;
    for (unsigned seats = 2; seats <= 4; seats++) {
        pyr_rng_seed(&rng, 1, seats);
        for (int game = 0; game < 150; game++)
            watch(&plain.box, seats, &rng, &seen);
    }
    CHECK_INT(seen.games, 450);
    CHECK(seen.extras > 100);
    CHECK(seen.tiles > 10);
}

TEST("crowded games: the deck runs out, two cards at once, one card, none, lost extras, full score cards")
{
    struct seen seen = { 0 };
    struct pyr_rng rng;
    for (unsigned seats = 2; seats <= 4; seats++) {
        pyr_rng_seed(&rng, 2, seats);
        for (int game = 0; game < 120; game++)
            watch(&crowded.box, seats, &rng, &seen);
    }
    /* Random players seldom finish all cards; with a box of only crosses on the way they always do. */
    struct pyr_components print;
    static struct pyr_box box;
    pyr_box_components(&crowded.box, &print);
    for (int c = 0; c < PYR_CARDS; c++) {
        pyr_spaces column = 0;
        for (int row = 0; row < 5; row++)
            column |= PYR_SPACE(row, c % 5);
        print.card[c] = (struct pyr_card_face){ .open = column, .entrance = PYR_SPACE(0, c % 5), .tomb = PYR_SPACE(4, c % 5),
            .cross = column & ~PYR_SPACE(0, c % 5) & ~PYR_SPACE(4, c % 5), .colour = print.card[c].colour };
    }
    CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_OK);
    for (int game = 0; game < 60; game++)
        watch(&box, 2 + (unsigned)game % 3, &rng, &seen);
    CHECK_INT(seen.games, 420);
    CHECK(seen.empty_decks > 20);
    CHECK(seen.passes > 20);
    CHECK(seen.two_completed > 20);
    CHECK(seen.gaps > 20);
    CHECK(seen.lost_extras > 20);
    CHECK(seen.capped > 20);
    CHECK(seen.full_skulls > 5);
}

/* A box that the reader accepts but that would never be printed: crosses on every space, or chambers of one column that
 * a line of four and a single space complete, with the given symbols. */
static void extreme_box(struct pyr_box *box, bool is_narrow, bool has_potions)
{
    struct pyr_components print;
    pyr_box_components(&plain.box, &print);
    for (unsigned c = 0; c < PYR_CARDS; c++) {
        struct pyr_card_face *card = &print.card[c];
        uint8_t colour = card->colour;
        *card = (struct pyr_card_face){ .colour = colour, .entrance = PYR_SPACE(0, 2), .tomb = PYR_SPACE(4, 2) };
        card->open = PYR_ALL_SPACES;
        for (unsigned row = 0; is_narrow && row < PYR_SIDE; row++)
            card->open &= ~(PYR_SPACE(row, 0) | PYR_SPACE(row, 1) | PYR_SPACE(row, 3) | PYR_SPACE(row, 4));
        *(has_potions ? &card->potion : &card->cross) = card->open & ~(card->entrance | card->tomb);
    }
    CHECK_INT(pyr_box_init(box, &print, NULL), PYR_OK);
}

TEST("a playout makes the steps that steps, pick and make would")
{
    static struct pyr_box extreme[3];
    const struct pyr_box *boxes[] = { &plain.box, &crowded.box, &extreme[0], &extreme[1], &extreme[2] };
    struct pyr_rng rng, twin;
    extreme_box(&extreme[0], false, false);
    extreme_box(&extreme[1], true, false);
    extreme_box(&extreme[2], true, true);
    for (int game = 0; game < 750; game++) {
        const struct pyr_box *box = boxes[game % 5];
        struct pyr_state state, other;
        struct pyr_steps steps;
        pyr_rng_seed(&rng, 3, (uint64_t)game);
        play_some(box, &state, 2 + (unsigned)game % 3, &rng, game % 100);
        other = state;
        twin = rng;
        uint32_t made = pyr_state_playout(&state, box, &rng), stepped = 0;
        bool has_begun = other.open.phase == PYR_MARK;
        unsigned begun = other.open.turn;
        for (pyr_state_advance(&other, box); other.open.phase != PYR_END; pyr_state_advance(&other, box)) {
            pyr_seat seat = (pyr_seat)__builtin_ctz(other.open.waiting);
            pyr_state_steps(&other, box, seat, &steps);
            has_begun = has_begun && other.open.phase == PYR_MARK && other.open.turn == begun;
            bool is_free_pass = !has_begun && steps.count == 1 && pyr_steps_at(&steps, box, 0) == pyr_step_pass();
            pyr_step step = is_free_pass ? pyr_step_pass() : pyr_steps_pick(&steps, box, &twin);
            pyr_state_apply_unchecked(&other, box, seat, step);
            stepped++;
        }
        if (!CHECK_INT(made, stepped) || !CHECK(!memcmp(&state, &other, sizeof state)) || !CHECK(rng.state == twin.state))
            return;
    }
}

/* Batches (batch.inc), compared with the rules: every card that is turned up is supplied to a state, and every step is
 * made there. */

struct batch;
static void follow_batch(char kind, const struct batch *batch, size_t game, size_t seat, uintptr_t what);
#define BATCH_TRACE(kind, batch, game, seat, what) follow_batch(kind, batch, game, seat, (uintptr_t)(what))
#define HOT_NAME(name) name##_traced
#define batch_init batch_init_traced
void api_playouts_traced(const struct pyr_playout_tables *tables, const struct pyr_box *box, unsigned seats,
    uint64_t games, uint64_t seed, int16_t *scores, struct pyr_playouts *sum);
void batch_init_traced(struct pyr_playout_tables *tables, const struct pyr_box *box);
#include "batch.inc"

/* One game of a batch beside a state of the engine. */
static struct beside {
    struct pyr_state state;
    struct pyr_desk before[LANES];           /* desks before the marks of this turn */
    pyr_card drawn[PYR_CARDS];               /* cards turned up since the last step */
    bool began;
} beside[BATCH];
static const struct pyr_box *batch_box;
static unsigned batch_seats, batch_wrong, batch_followed;
static struct pyr_playout_tables playout_tables;

/* Makes the step that leads from one desk to another, if the rules allow it. */
static void make_beside(struct pyr_state *state, size_t seat, pyr_step step)
{
    enum pyr_err err = pyr_state_apply(state, batch_box, (pyr_seat)seat, step);
    batch_wrong += err != PYR_OK;
}

/* The kept cards are known: the game begins. Each seat was dealt those two and any two that nobody keeps. */
static void begin_beside(struct beside *b, const struct batch *batch, size_t game)
{
    pyr_cardset spare = ALL_CARDS;
    struct pyr_chance chance;
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 1, 1);
    pyr_chance_draw(&chance, batch_box, batch_seats, &rng);
    memset(chance.dealt, PYR_NO_CARD, sizeof chance.dealt);
    for (unsigned i = 0; i < PYR_KEPT * batch_seats; i++) {
        pyr_card card = (pyr_card)batch_card(batch->desk + LANES * game + i / PYR_KEPT, i % PYR_KEPT);
        chance.dealt[i / PYR_KEPT][i % PYR_KEPT] = card;
        spare &= ~PYR_CARD_BIT(card);
    }
    for (unsigned i = 0; i < (PYR_DEALT - PYR_KEPT) * batch_seats; i++, spare &= spare - 1)
        chance.dealt[i / 2][PYR_KEPT + i % 2] = (pyr_card)bits_first(spare);
    batch_wrong += pyr_state_init(&b->state, batch_box, batch_seats, &chance) != PYR_OK;
    for (unsigned seat = 0; seat < batch_seats; seat++)
        make_beside(&b->state, seat, pyr_step_keep(chance.dealt[seat][0], chance.dealt[seat][1]));
    b->began = true;
}

/* What follows when the display has been filled up. */
static void show_beside(struct pyr_state *state)
{
    if (state->open.phase == PYR_SHOW && !pyr_state_show_count(state))
        batch_wrong++;
}

/* The first marks of all seats, from the changes of their free spaces. Extra marks follow one by one. */
static void mark_beside(struct beside *b, const struct batch *batch, size_t game)
{
    for (unsigned seat = 0; seat < batch_seats; seat++) {
        pyr_step mark = b->state.desk[seat].free & ~batch->desk[FREE + LANES * game + seat];
        make_beside(&b->state, seat, mark ? mark : pyr_step_pass());
    }
}

static void show_card_beside(struct pyr_state *state, pyr_card card)
{
    /* The display is filled from its first gap on, card by card; the state does it all at once when the last one is
     * known.
     */
    static unsigned known;
    batch_wrong += state->open.phase != PYR_SHOW || pyr_state_supply_card(state, known++, card) != PYR_OK;
    if (known == pyr_state_show_count(state)) {
        known = 0;
        batch_wrong += pyr_state_show(state, batch_box) != PYR_OK;
    }
}

static void follow_batch(char kind, const struct batch *batch, size_t game, size_t seat, uintptr_t what)
{
    struct beside *b = &beside[game];
    struct pyr_state *state = &b->state;
    switch (kind) {
    case 'k':
        begin_beside(b, batch, game);
        break;
    case 's':
        show_card_beside(state, (pyr_card)what);
        break;
    case 'r':
        show_beside(state);
        batch_wrong += pyr_state_supply_pattern(state, (pyr_pattern)what) || pyr_state_reveal(state, batch_box);
        break;
    case 'M':
        mark_beside(b, batch, game);
        break;
    case 'm':
        make_beside(state, seat, (pyr_step)what);
        break;
    case 't':
        make_beside(state, seat, pyr_step_take((pyr_card)what));
        break;
    default:
        batch_wrong += pyr_state_supply_card(state, 0, (pyr_card)what) != PYR_OK;
        make_beside(state, seat, pyr_step_draw());
        break;
    }
    batch_followed++;
}

TEST("games of a batch keep the rules, step by step, and end with the same scores")
{
    static const unsigned games = BATCH;     /* the comparison is made when they have all ended */
    for (unsigned e = 0; e < 4; e++) {
        static struct pyr_edition generated;
        if (e > 1)
            CHECK_INT(pyr_edition_generate(&generated, e), PYR_OK);
        const struct pyr_box *box = e == 0 ? &plain.box : e == 1 ? &crowded.box : &generated.box;
        for (unsigned seed = 0; seed < 12; seed++) {
            int16_t scores[BATCH * LANES];
            struct pyr_playouts sum;
            uint64_t steps = 0;
            batch_box = box;
            batch_seats = 2 + seed % 3;
            batch_wrong = batch_followed = 0;
            batch_init_traced(&playout_tables, box);
            api_playouts_traced(&playout_tables, box, batch_seats, games, seed, scores, &sum);
            CHECK_INT(batch_wrong, 0);
            CHECK(batch_followed > games * 28 * 2);
            for (unsigned g = 0; g < games; g++) {
                CHECK_INT(beside[g].state.open.phase, PYR_END);
                audit(box, &beside[g].state);
                for (unsigned s = 0; s < batch_seats; s++)
                    steps += pyr_table_score(&beside[g].state.open, box, (pyr_seat)s).total == scores[g * batch_seats + s];
            }
            CHECK_INT(steps, games * batch_seats);
        }
    }
}

TEST("batches: the public call gives the games that were followed, with sums, on any processor")
{
    for (unsigned e = 0; e < 2; e++) {
        const struct pyr_box *box = e ? &crowded.box : &plain.box;
        for (unsigned seats = 2; seats <= 4; seats++) {
            static int16_t one[300 * LANES], two[300 * LANES];
            struct pyr_playouts sum, again;
            int64_t points = 0;
            pyr_playouts_init(&playout_tables, box);
            CHECK_INT(pyr_playouts_run(&sum, &playout_tables, box, seats, 300, 9, one), PYR_OK);
            api_playouts_plain(&playout_tables, box, seats, 300, 9, two, &again);
            CHECK(!memcmp(one, two, 300 * seats * sizeof *one));
            CHECK(!memcmp(&sum, &again, sizeof sum));
            for (unsigned g = 0; g < 300; g++)
                points += one[g * seats + seats - 1];
            CHECK_INT(points, sum.points[seats - 1]);
            CHECK_INT(sum.games, 300);
            CHECK(sum.steps >= 300 * (28 + 1) * seats);
        }
    }
    struct pyr_playouts sum = { .games = 7 };
    CHECK_INT(pyr_playouts_run(&sum, &playout_tables, &plain.box, 5, 1, 1, NULL), PYR_ERR_SEATS);
    CHECK_INT(sum.games, 7);
}

TEST("batches play as well as single random games: the same mean score and number of steps")
{
    enum { MANY = 20000 };
    const struct pyr_box *boxes[] = { &plain.box, &crowded.box };
    for (unsigned e = 0; e < 2; e++) {
        struct pyr_playouts sum;
        struct pyr_rng rng;
        double mean[5] = { 0 }, square[5] = { 0 };       /* scores, then steps */
        pyr_playouts_init(&playout_tables, boxes[e]);
        pyr_playouts_run(&sum, &playout_tables, boxes[e], 4, MANY, 3, NULL);
        pyr_rng_seed(&rng, 3, 0);
        for (unsigned g = 0; g < MANY; g++) {
            struct pyr_state state;
            pyr_state_deal(&state, boxes[e], 4, &rng);
            double steps = pyr_state_playout(&state, boxes[e], &rng);
            for (unsigned s = 0; s < 5; s++) {
                double number = s < 4 ? pyr_table_score(&state.open, boxes[e], (pyr_seat)s).total : steps;
                mean[s] += number / MANY;
                square[s] += number * number / MANY;
            }
        }
        for (unsigned s = 0; s < 5; s++) {
            double error = (square[s] - mean[s] * mean[s]) / MANY;
            double off = (s < 4 ? (double)sum.points[s] : (double)sum.steps) / MANY - mean[s];
            CHECK(off * off < 2 * error * 25);           /* five deviations */
        }
    }
}

/* Legal and illegal steps. */

static bool is_listed(const struct pyr_box *box, const struct pyr_steps *steps, pyr_step step)
{
    for (uint32_t i = 0; i < steps->count; i++)
        if (pyr_steps_at(steps, box, i) == step)
            return true;
    return false;
}

/* A step that is often illegal: a legal one with a bit changed, shapes anywhere, any word, steps of other phases. */
static pyr_step odd_step(const struct pyr_box *box, const struct pyr_steps *steps, struct pyr_rng *rng)
{
    uint64_t any = (uint64_t)pyr_rng_next(rng) << 32 | pyr_rng_next(rng);
    pyr_step legal = steps->count ? pyr_steps_pick(steps, box, rng) : 0;
    const struct pyr_pattern_turns *p = &box->pattern[pyr_rng_below(rng, PYR_PATTERNS)];
    switch (pyr_rng_below(rng, 9)) {
    case 0:
        return legal ^ (uint64_t)1 << pyr_rng_below(rng, 64);
    case 1:
        return p->shape[pyr_rng_below(rng, p->turns)] << pyr_rng_below(rng, 64);
    case 2:
        return (uint64_t)1 << pyr_rng_below(rng, 64);
    case 3:
        return any;
    case 4:
        return pyr_step_take((pyr_card)pyr_rng_below(rng, 64));
    case 5:
        return pyr_step_keep((pyr_card)pyr_rng_below(rng, 64), (pyr_card)pyr_rng_below(rng, 64));
    case 6:
        return pyr_rng_below(rng, 2) ? pyr_step_pass() : pyr_step_draw();
    case 7:
        return legal << pyr_rng_below(rng, 3);
    default:
        return PYR_STEP_OTHER | (any & any >> 7);
    }
}

TEST("every listed step is listed once and accepted, everything else is refused and changes nothing")
{
    struct pyr_rng rng;
    int refused = 0, legal = 0;
    pyr_rng_seed(&rng, 4, 0);
    for (int game = 0; game < 400; game++) {
        const struct pyr_box *box = game % 2 ? &crowded.box : &plain.box;
        struct pyr_state state, after;
        struct pyr_steps steps;
        if (!play_some(box, &state, 2 + (unsigned)game % 3, &rng, game % 133))
            continue;
        for (pyr_seat seat = 0; seat < 5; seat++) {
            pyr_state_steps(&state, box, seat, &steps);
            CHECK_INT(steps.count > 0, seat < state.open.seats && state.open.waiting >> seat & 1);
            for (uint32_t i = 0; i < steps.count; i++) {
                pyr_step step = pyr_steps_at(&steps, box, i);
                for (uint32_t j = 0; j < i; j++)
                    CHECK(pyr_steps_at(&steps, box, j) != step);
                after = state;
                CHECK_INT(pyr_state_check_step(&state, box, seat, step), PYR_OK);
                CHECK_INT(pyr_state_apply(&after, box, seat, step), PYR_OK);
                CHECK(memcmp(&after, &state, sizeof state) != 0);
                legal++;
            }
            for (int i = 0; i < 40; i++) {
                pyr_step step = odd_step(box, &steps, &rng);
                if (pyr_step_kind(step) == PYR_STEP_KEEP && pyr_step_card(step) > pyr_step_second(step))
                    continue;                /* the next case */
                bool listed = is_listed(box, &steps, step);
                after = state;
                enum pyr_err err = pyr_state_apply(&after, box, seat, step);
                CHECK_INT(pyr_state_check_step(&state, box, seat, step), err);
                if (!CHECK_INT(err == PYR_OK, listed)) {
                    fprintf(stderr, "step %#llx of seat %d in phase %d\n", (unsigned long long)step, seat, state.open.phase);
                    return;
                }
                CHECK(!err || !memcmp(&after, &state, sizeof state));
                refused += err != PYR_OK;
            }
        }
    }
    CHECK(legal > 3000);
    CHECK(refused > 10000);
}

TEST("a keep has one form: the lower card first")
{
    struct pyr_rng rng;
    struct pyr_state state;
    pyr_rng_seed(&rng, 4, 1);
    pyr_state_deal(&state, &plain.box, 2, &rng);
    pyr_card a = state.hidden.dealt[0][0], b = state.hidden.dealt[0][1];
    CHECK_INT(pyr_state_check_step(&state, &plain.box, 0, pyr_step_keep(a, b)), PYR_OK);
    CHECK_INT(pyr_state_check_step(&state, &plain.box, 0, pyr_step_keep(b, a)), PYR_OK);
    /* A word that pyr_state_steps never returns would make a state that differs from that of its twin. */
    pyr_step turned = pyr_step_encode(PYR_STEP_KEEP, a > b ? a : b, a > b ? b : a);
    CHECK_INT(pyr_state_check_step(&state, &plain.box, 0, turned), PYR_ERR_STEP);
}

TEST("steps of a view, of a desk and of a state are the same")
{
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 5, 0);
    for (int game = 0; game < 300; game++) {
        const struct pyr_box *box = game % 2 ? &crowded.box : &plain.box;
        struct pyr_state state;
        struct pyr_steps steps, other;
        struct pyr_view view;
        if (!play_some(box, &state, 2 + (unsigned)game % 3, &rng, game % 120))
            continue;
        for (pyr_seat seat = 0; seat < state.open.seats; seat++) {
            pyr_state_steps(&state, box, seat, &steps);
            pyr_view_init(&view, &state, seat);
            pyr_view_steps(&view, box, &other);
            if (!CHECK_INT(other.count, steps.count))
                return;
            for (uint32_t i = 0; i < steps.count; i++)
                CHECK(pyr_steps_at(&steps, box, i) == pyr_steps_at(&other, box, i));
            if (state.open.phase != PYR_MARK)
                continue;
            pyr_pattern pattern = state.open.revealed[state.open.turn];
            pyr_desk_steps(&state.desk[seat], box, pattern, &other);
            CHECK_INT(other.count, steps.count);
            for (uint32_t i = 0; i < steps.count; i++) {
                pyr_step step = pyr_steps_at(&steps, box, i);
                struct pyr_desk desk = state.desk[seat];
                struct pyr_state after = state;
                CHECK(step == pyr_steps_at(&other, box, i));
                after.open.waiting |= 0x80;
                CHECK_INT(pyr_state_apply(&after, box, seat, step), PYR_OK);
                CHECK_INT(pyr_desk_mark(&desk, box, pattern, state.open.round, step), PYR_OK);
                CHECK(!memcmp(&desk, &after.desk[seat], sizeof desk));
            }
        }
        pyr_view_init(&view, &state, PYR_NOBODY);
        pyr_view_steps(&view, box, &other);
        CHECK_INT(other.count, 0);
    }
}

TEST("a mark that is refused leaves the desk as it was, and chance waits for its phase")
{
    struct pyr_rng rng;
    struct pyr_state state, before;
    pyr_rng_seed(&rng, 6, 0);
    pyr_state_deal(&state, &plain.box, 3, &rng);
    before = state;
    CHECK_INT(pyr_state_show(&state, &plain.box), PYR_ERR_PHASE);
    CHECK_INT(pyr_state_reveal(&state, &plain.box), PYR_ERR_PHASE);
    CHECK_INT(pyr_state_supply_pattern(&state, 0), PYR_ERR_PHASE);
    CHECK_INT(pyr_state_show_count(&state), 0);
    pyr_state_advance(&state, &plain.box);
    CHECK(!memcmp(&before, &state, sizeof state));
    CHECK_INT(pyr_state_deal(&state, &plain.box, 1, &rng), PYR_ERR_SEATS);
    CHECK_INT(pyr_state_deal(&state, &plain.box, 5, &rng), PYR_ERR_SEATS);
    CHECK(!memcmp(&before, &state, sizeof state));
    play_some(&plain.box, &state, 2, &rng, 20);
    while (state.open.phase != PYR_MARK)
        play_some(&plain.box, &state, 2, &rng, 20);
    struct pyr_desk desk = state.open.desk[0], same = desk;
    CHECK_INT(pyr_desk_mark(&desk, &plain.box, 0, 0, pyr_step_pass()), PYR_ERR_MUST_MARK);
    CHECK(!memcmp(&desk, &same, sizeof desk));
    desk.due = desk.flags = 0;
    CHECK_INT(pyr_desk_mark(&desk, &plain.box, 0, 0, pyr_step_pass()), PYR_ERR_NOT_DUE);
    struct pyr_steps steps;
    pyr_desk_steps(&desk, &plain.box, 0, &steps);
    CHECK_INT(steps.count, 0);
}

TEST("supplied cards and patterns come next, what is gone is refused")
{
    struct pyr_rng rng;
    struct pyr_state state, before;
    const struct pyr_box *box = &plain.box;
    pyr_rng_seed(&rng, 7, 0);
    pyr_state_deal(&state, box, 4, &rng);
    struct pyr_steps steps;
    while (state.open.phase == PYR_KEEP) {
        pyr_seat seat = some_seat(&state, &rng);
        pyr_state_steps(&state, box, seat, &steps);
        pyr_state_apply_unchecked(&state, box, seat, pyr_steps_pick(&steps, box, &rng));
    }
    CHECK_INT(state.open.phase, PYR_SHOW);
    CHECK_INT(pyr_state_show_count(&state), 4);
    before = state;
    for (unsigned s = 0; s < 4; s++)
        for (unsigned i = 0; i < 2; i++)
            CHECK_INT(pyr_state_supply_card(&state, 0, state.open.kept[s][i]), PYR_ERR_NOT_IN_DECK);
    CHECK_INT(pyr_state_supply_card(&state, 0, PYR_NO_CARD), PYR_ERR_NOT_IN_DECK);
    pyr_card first = state.hidden.deck[0];
    CHECK_INT(pyr_state_supply_card(&state, 1, first), PYR_ERR_NOT_IN_DECK);     /* it lies above */
    CHECK_INT(pyr_state_supply_card(&state, 40, first), PYR_ERR_NOT_IN_DECK);
    CHECK(!memcmp(&before, &state, sizeof state));
    pyr_card wanted[4];
    for (unsigned i = 0; i < 4; i++) {
        wanted[i] = state.hidden.deck[39 - i];
        CHECK_INT(pyr_state_supply_card(&state, i, wanted[i]), PYR_OK);
        audit(box, &state);
    }
    CHECK_INT(pyr_state_show(&state, box), PYR_OK);
    CHECK(!memcmp(state.open.display, wanted, sizeof wanted));
    for (pyr_pattern p = 0; p < PYR_PATTERNS; p++) {
        before = state;
        CHECK_INT(pyr_state_supply_pattern(&before, p), PYR_OK);
        CHECK_INT(pyr_state_reveal(&before, box), PYR_OK);
        CHECK_INT(before.open.revealed[0], p);
        audit(box, &before);
    }
    CHECK_INT(pyr_state_supply_pattern(&state, PYR_PATTERNS), PYR_ERR_NOT_IN_ROUND);
}

/* The audit must find each fault. */

TEST("the audit finds a broken state")
{
    struct pyr_rng rng;
    struct pyr_state state, broken;
    const struct pyr_box *box = &plain.box;
    int clause;
    pyr_rng_seed(&rng, 8, 0);
    do
        play_some(box, &state, 3, &rng, 60);
    while (state.open.phase != PYR_MARK || state.open.waiting != 7);
    audit(box, &state);
#define BREAKS(number, change) \
    do { \
        broken = state; \
        change; \
        CHECK_INT(pyr_state_check(&broken, box, &clause), PYR_ERR_STATE); \
        CHECK_INT(clause, number); \
        CHECK_INT(pyr_state_check(&broken, box, NULL), PYR_ERR_STATE); \
    } while (0)
    BREAKS(1, broken.open.seats = 5);
    BREAKS(2, broken.open.round = 4);
    BREAKS(3, broken.open.waiting = 0);
    BREAKS(10, broken.desk[1].reach = broken.desk[1].reach ^ ~broken.desk[1].free);
    BREAKS(16, broken.desk[0].reach = 0);
    BREAKS(17, broken.desk[0].flags |= PYR_DESK_TOMB(0));
    BREAKS(18, broken.desk[0].rubies = 11);
    BREAKS(19, broken.desk[0].torches |= 1 << 4);
    BREAKS(22, broken.desk[2].due = 0);
    BREAKS(34, broken.open.display[0] = broken.open.display[1]);
    BREAKS(36, broken.hidden.deck[pyr_deck_top(&state)] = broken.hidden.deck[pyr_deck_top(&state) + 1]);
    BREAKS(41, broken.open.revealed[0] = broken.open.revealed[0] ? 0 : 1);
    BREAKS(42, broken.hidden.dealt[0][0] = broken.hidden.dealt[1][0]);
    BREAKS(44, broken.open.tile[0][0] = 3);
    BREAKS(53, broken.open.cards_owed = 1);
}

/* Plays random games until one is in a phase with so many players still to choose. */
static void play_until(struct pyr_state *state, const struct pyr_box *box, struct pyr_rng *rng, unsigned phase, int waiting)
{
    pyr_state_deal(state, box, 3, rng);
    while (state->open.phase != phase || __builtin_popcount(state->open.waiting) != waiting) {
        if (state->open.phase == PYR_END) {
            pyr_state_deal(state, box, 3, rng);
        } else if (state->open.waiting) {
            pyr_seat seat = some_seat(state, rng);
            struct pyr_steps steps;
            pyr_state_steps(state, box, seat, &steps);
            pyr_state_apply(state, box, seat, pyr_steps_pick(&steps, box, rng));
        } else if (pyr_state_show(state, box)) {
            pyr_state_reveal(state, box);
        }
    }
    audit(box, state);
}

TEST("the audit finds what could be played on for a while, and then not")
{
    struct pyr_rng rng;
    struct pyr_state state, broken;
    const struct pyr_box *box = &plain.box;
    int clause;
    pyr_rng_seed(&rng, 9, 0);
    play_until(&state, box, &rng, PYR_KEEP, 2);
    unsigned kept = (unsigned)__builtin_ctz(~(unsigned)state.open.waiting);
    BREAKS(6, broken.open.reserved[1] = 1);
    BREAKS(25, broken.desk[kept].rubies = 1);
    BREAKS(43, broken.open.kept[kept][0] = state.desk[kept].card[0]);
    play_until(&state, box, &rng, PYR_REVEAL, 0);            /* the first one of the game */
    BREAKS(24, broken.desk[0].rubies = broken.open.desk[0].rubies = 1);
    play_until(&state, box, &rng, PYR_MARK, 3);
    BREAKS(43, broken.open.kept[0][0] = broken.open.kept[1][0]);
    BREAKS(47, broken.open.kept[0][1] = broken.open.kept[0][0]);
    /* A completed card leaves a gap in the display only when there is no deck. */
    BREAKS(38, broken.desk[0].done = broken.open.desk[0].done |= PYR_CARD_BIT(state.open.display[2]);
           broken.open.display[2] = PYR_NO_CARD);
    /* Q3: everything is marked, but a mark is still due. */
    BREAKS(29, broken.desk[0].free = broken.desk[0].reach = 0; broken.desk[0].flags = PYR_DESK_TOMBS);
    /* Q7: an empty slot with cards left. */
    BREAKS(59, broken.desk[1].done = broken.open.desk[1].done |= PYR_CARD_BIT(state.desk[1].card[1]);
           broken.desk[1].card[1] = broken.open.desk[1].card[1] = PYR_NO_CARD;
           broken.desk[1].free = broken.open.desk[1].free = state.desk[1].free & pyr_pair_of(0, PYR_ALL_SPACES);
           broken.desk[1].reach = broken.open.desk[1].reach = state.desk[1].reach & pyr_pair_of(0, PYR_ALL_SPACES));
    /* R14: points of a player who has not completed two of that colour. */
    pyr_seat other;
    do {
        play_until(&state, box, &rng, PYR_END, 0);
        for (other = 0; other < 3; other++)
            if (__builtin_popcountll(state.open.desk[other].done & box->colour[0]) < 2)
                break;
    } while (other == 3 || state.open.tile[0][0] == PYR_NOBODY);
    BREAKS(48, broken.open.tile[0][0] = other);
    BREAKS(46, broken.open.tile[0][0] = broken.open.tile[0][1] = broken.open.tile[0][2] = PYR_NOBODY);
}

/* The two compilations. */

TEST("the plain and the AVX2 compilation give the same answers")
{
#if PYR_HAS_FAST
    if (!cpu_is_fast())
        SKIP("this processor has no AVX2 and BMI2");
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 9, 0);
    for (int game = 0; game < 40; game++) {
        const struct pyr_box *box = game % 2 ? &crowded.box : &plain.box;
        struct pyr_state state, a, b;
        struct pyr_steps one, two;
        pyr_state_deal(&state, box, 2 + (unsigned)game % 3, &rng);
        for (pyr_state_advance(&state, box); state.open.phase != PYR_END; pyr_state_advance(&state, box)) {
            pyr_seat seat = some_seat(&state, &rng);
            api_state_steps_plain(box, &state, seat, &one);
            api_state_steps_avx2(box, &state, seat, &two);
            if (!CHECK_INT(one.count, two.count))
                return;
            CHECK_INT(one.pattern, two.pattern);
            for (uint32_t i = 0; i < one.count; i++) {
                pyr_step step = api_steps_at_plain(box, &one, i);
                CHECK(step == api_steps_at_avx2(box, &two, i));
                a = b = state;
                api_state_make_plain(box, &a, seat, step);
                api_state_make_avx2(box, &b, seat, step);
                CHECK(!memcmp(&a, &b, sizeof a));
            }
            if (state.open.phase == PYR_MARK) {
                api_desk_steps_plain(box, &state.desk[seat], state.open.revealed[state.open.turn], &one);
                api_desk_steps_avx2(box, &state.desk[seat], state.open.revealed[state.open.turn], &two);
                CHECK_INT(one.count, two.count);
            }
            struct pyr_rng left = rng, right = rng;
            pyr_step pick = api_steps_pick_plain(box, &one, &left);
            CHECK(pick == api_steps_pick_avx2(box, &two, &right) && left.state == right.state);
            a = b = state;
            CHECK_INT(api_playout_plain(box, &a, &left), api_playout_avx2(box, &b, &right));
            CHECK(left.state == right.state);
            if (!CHECK(!memcmp(&a, &b, sizeof a)))
                return;
            pyr_state_apply_unchecked(&state, box, seat, pick);
            pyr_rng_next(&rng);
        }
    }
#else
    SKIP("built without AVX2 code");
#endif
}

/* Views. */

static void swap_bytes(uint8_t *a, uint8_t *b)
{
    uint8_t moved = *a;
    *a = *b;
    *b = moved;
}

/* Changes everything hidden from a seat, and nothing else. */
static void change_hidden(const struct pyr_box *box, struct pyr_state *state, pyr_seat viewer, struct pyr_rng *rng)
{
    struct pyr_table *open = &state->open;
    struct pyr_chance *hidden = &state->hidden;
    unsigned top = open->phase == PYR_KEEP ? 0 : pyr_deck_top(state);
    pyr_rng_shuffle(rng, hidden->deck + top, open->phase == PYR_KEEP ? PYR_CARDS : open->deck_left);
    for (unsigned round = open->round; round < PYR_ROUNDS; round++) {
        unsigned known = 0;
        while (round == open->round && known < PYR_TURNS && open->revealed[known] != PYR_NO_PATTERN)
            known++;
        pyr_rng_shuffle(rng, hidden->expedition[round] + known, PYR_EXPEDITIONS - known);
    }
    /* Others were dealt other cards than those they kept. */
    pyr_cardset used = 0;
    for (unsigned s = 0; s < open->seats; s++)
        for (unsigned i = 0; i < PYR_DEALT; i++)
            used |= (pyr_cardset)1 << hidden->dealt[s][i];
    for (unsigned s = 0; s < open->seats; s++) {
        for (unsigned i = 0; s != viewer && i < PYR_DEALT; i++) {
            pyr_card card = hidden->dealt[s][i], other;
            bool is_kept = open->kept[s][0] == card || open->kept[s][1] == card ||
                (open->phase == PYR_KEEP && (state->desk[s].card[0] == card || state->desk[s].card[1] == card));
            if (is_kept)
                continue;
            do
                other = (pyr_card)pyr_rng_below(rng, PYR_CARDS);
            while (used >> other & 1);
            used |= (pyr_cardset)1 << other;
            hidden->dealt[s][i] = other;
        }
        if (s != viewer)
            swap_bytes(&hidden->dealt[s][0], &hidden->dealt[s][3]);
    }
    /* Seats that are done have chosen differently; seats that are not may be in the middle of a choice. */
    for (unsigned s = 0; s < open->seats && open->phase == PYR_MARK; s++) {
        struct pyr_steps steps;
        if (s == viewer)
            continue;
        bool is_done = !(open->waiting >> s & 1);
        for (int attempt = 0; attempt < 20; attempt++) {
            struct pyr_desk desk = open->desk[s];
            do {
                pyr_desk_steps(&desk, box, open->revealed[open->turn], &steps);
                pyr_desk_mark(&desk, box, open->revealed[open->turn], open->round, pyr_steps_pick(&steps, box, rng));
            } while (is_done && desk.due);
            if ((desk.due == 0) == is_done) {
                state->desk[s] = desk;
                break;
            }
        }
    }
    if (open->phase == PYR_KEEP) {
        for (unsigned s = 0; s < open->seats; s++) {
            if (s == viewer || open->waiting >> s & 1)
                continue;
            pyr_step keep = pyr_step_keep(hidden->dealt[s][1], hidden->dealt[s][2]);
            pyr_desk_lay(&state->desk[s], box, 0, pyr_step_card(keep));
            pyr_desk_lay(&state->desk[s], box, 1, pyr_step_second(keep));
        }
    }
}

TEST("a view does not change when only hidden things change")
{
    struct pyr_rng rng;
    int phases[PYR_END] = { 0 };
    pyr_rng_seed(&rng, 10, 0);
    for (int game = 0; game < 600; game++) {
        const struct pyr_box *box = game % 3 ? &plain.box : &crowded.box;
        struct pyr_state state, twin;
        struct pyr_view a, b;
        if (!play_some(box, &state, 2 + (unsigned)game % 3, &rng, game % 4 ? game % 130 : game % 3))
            continue;
        for (unsigned seat = 0; seat <= state.open.seats; seat++) {
            pyr_seat viewer = seat < state.open.seats ? (pyr_seat)seat : PYR_NOBODY;
            twin = state;
            change_hidden(box, &twin, viewer, &rng);
            if (!audit(box, &twin))          /* still a possible state */
                return;
            CHECK(memcmp(&state, &twin, sizeof state) != 0);
            memset(&a, 0x55, sizeof a);
            memset(&b, 0xaa, sizeof b);
            pyr_view_init(&a, &state, viewer);
            pyr_view_init(&b, &twin, viewer);
            CHECK(!memcmp(&a, &b, sizeof a));
            CHECK_INT(a.seat, viewer);
            /* A viewer sees everything of their own. */
            if (viewer != PYR_NOBODY)
                CHECK(!memcmp(&a.mine, &state.desk[viewer], sizeof a.mine) &&
                    !memcmp(a.dealt, state.hidden.dealt[viewer], 4));
        }
        phases[state.open.phase]++;
    }
    CHECK(phases[PYR_KEEP] > 20 && phases[PYR_MARK] > 100 && phases[PYR_REPLACE] > 10);
}

TEST("a sample fits its view, in every phase")
{
    struct pyr_rng rng;
    int phases[PYR_END] = { 0 };
    pyr_rng_seed(&rng, 11, 0);
    for (int game = 0; game < 900; game++) {
        const struct pyr_box *box = game % 3 ? &plain.box : &crowded.box;
        struct pyr_state state, sample;
        struct pyr_view view, again;
        pyr_state_deal(&state, box, 2 + (unsigned)game % 3, &rng);
        int left = game % 5 ? game % 140 : game % 4;
        /* Stops in the phases of chance, too. */
        for (; left > 0 && state.open.phase != PYR_END; left--) {
            struct pyr_steps steps;
            if (!state.open.waiting) {
                pyr_state_advance(&state, box);
                continue;
            }
            pyr_seat seat = some_seat(&state, &rng);
            pyr_state_steps(&state, box, seat, &steps);
            pyr_state_apply_unchecked(&state, box, seat, pyr_steps_pick(&steps, box, &rng));
        }
        if (state.open.phase == PYR_END)
            continue;
        for (unsigned seat = 0; seat <= state.open.seats; seat++) {
            pyr_seat viewer = seat < state.open.seats ? (pyr_seat)seat : PYR_NOBODY;
            pyr_view_init(&view, &state, viewer);
            pyr_view_sample(&view, box, &rng, &sample);
            if (!audit(box, &sample))
                return;
            pyr_view_init(&again, &sample, viewer);
            CHECK(!memcmp(&view, &again, sizeof view));
        }
        phases[state.open.phase]++;
        /* The sample can be played on. */
        pyr_state_playout(&sample, box, &rng);
        CHECK_INT(sample.open.phase, PYR_END);
        audit(box, &sample);
    }
    for (int phase = 0; phase < PYR_END; phase++)
        CHECK(phases[phase] > 5);
}

/* The sum of squared deviations over the expected count: about `kinds` - 1 for a fair distribution, with a standard
 * deviation of sqrt(2 kinds). Seeds are fixed, so the result never varies, and a bound of six deviations is generous. */
static bool is_fair(const uint32_t *counts, unsigned kinds, uint32_t draws, const double *share)
{
    double sum = 0;
    for (unsigned i = 0; i < kinds; i++) {
        double wanted = share ? draws * share[i] : (double)draws / kinds;
        sum += (counts[i] - wanted) * (counts[i] - wanted) / wanted;
    }
    double beyond = sum - kinds;
    return beyond < 0 || beyond * beyond < 36.0 * 2 * kinds;
}

TEST("samples are uniform: the deck's order, the patterns to come, the deals of others")
{
    struct pyr_rng rng;
    struct pyr_state state, sample;
    struct pyr_view view;
    const struct pyr_box *box = &plain.box;
    enum { DRAWS = 60000 };
    static uint32_t top[PYR_CARDS], last[PYR_CARDS], next[PYR_PATTERNS], later[PYR_PATTERNS], returned[PYR_CARDS];
    pyr_rng_seed(&rng, 12, 0);
    do
        play_some(box, &state, 3, &rng, 12);
    while (state.open.phase != PYR_MARK || state.open.turn != 2 || state.open.waiting != 7);
    pyr_view_init(&view, &state, 1);
    for (int i = 0; i < DRAWS; i++) {
        pyr_view_sample(&view, box, &rng, &sample);
        unsigned at = pyr_deck_top(&sample);
        top[sample.hidden.deck[at]]++;
        last[sample.hidden.deck[at + sample.open.deck_left - 1]]++;
        next[sample.hidden.expedition[0][3]]++;
        later[sample.hidden.expedition[3][7]]++;
        for (unsigned k = 0; k < PYR_DEALT; k++) {
            pyr_card card = sample.hidden.dealt[2][k];
            if (card != state.open.kept[2][0] && card != state.open.kept[2][1])
                returned[card]++;
        }
    }
    /* Only possible cards, and all of them equally often. */
    uint32_t decks[2][PYR_CARDS], pool[PYR_CARDS];
    unsigned kinds = 0, others = 0;
    pyr_cardset known = 0;
    for (unsigned s = 0; s < 3; s++)
        for (unsigned i = 0; i < 2; i++)
            known |= (pyr_cardset)1 << state.open.kept[s][i];
    for (unsigned i = 0; i < PYR_DEALT; i++)
        known |= (pyr_cardset)1 << view.dealt[i];
    for (unsigned c = 0; c < PYR_CARDS; c++) {
        if (state.open.deck >> c & 1) {
            decks[0][kinds] = top[c];
            decks[1][kinds++] = last[c];
        } else {
            CHECK_INT(top[c] + last[c], 0);
        }
        if (known >> c & 1)
            CHECK_INT(returned[c], 0);
        else
            pool[others++] = returned[c];
    }
    CHECK_INT(kinds, state.open.deck_left);
    CHECK_INT(others, 48 - 8);
    CHECK(is_fair(decks[0], kinds, DRAWS, NULL));
    CHECK(is_fair(decks[1], kinds, DRAWS, NULL));
    CHECK(is_fair(pool, others, 2 * DRAWS, NULL));
    /* Patterns in proportion to the cards that are left. */
    double share[PYR_PATTERNS], fresh[PYR_PATTERNS];
    uint32_t nexts[PYR_PATTERNS];
    unsigned left = 0;
    for (unsigned p = 0; p < PYR_PATTERNS; p++) {
        int copies = box->pattern[p].copies;
        fresh[p] = copies / 8.0;
        for (unsigned i = 0; i < 3; i++)
            copies -= state.open.revealed[i] == p;
        if (copies) {
            share[left] = copies / 5.0;
            nexts[left++] = next[p];
        } else {
            CHECK_INT(next[p], 0);
        }
    }
    CHECK(is_fair(nexts, left, DRAWS, share));
    CHECK(is_fair(later, PYR_PATTERNS, DRAWS, fresh));
}

/* Random numbers. */

TEST("numbers below a bound are uniform")
{
    struct pyr_rng rng;
    static uint32_t counts[64];
    static const uint32_t bounds[] = { 1, 2, 3, 5, 6, 7, 8, 24, 47, 48, 63 };
    pyr_rng_seed(&rng, 13, 0);
    for (unsigned b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        memset(counts, 0, sizeof counts);
        for (int i = 0; i < 100000; i++) {
            uint32_t n = pyr_rng_below(&rng, bounds[b]);
            if (!CHECK(n < bounds[b]))
                return;
            counts[n]++;
        }
        CHECK(is_fair(counts, bounds[b], 100000, NULL));
    }
    /* A bound so large that without the exact part thirds would be unequal. */
    memset(counts, 0, sizeof counts);
    for (int i = 0; i < 300000; i++)
        counts[pyr_rng_below(&rng, UINT32_C(3) << 30) >> 30]++;
    CHECK(is_fair(counts, 3, 300000, NULL));
    /* Seeds and streams. */
    struct pyr_rng a, b, c;
    pyr_rng_seed(&a, 1, 0);
    pyr_rng_seed(&b, 1, 0);
    pyr_rng_seed(&c, 1, 1);
    CHECK(a.state == b.state && a.state != c.state);
    pyr_rng_seed(&c, 2, 0);
    CHECK(a.state != c.state);
    CHECK(a.state != 0);
}

TEST("shuffles are uniform, whatever the count")
{
    struct pyr_rng rng;
    static uint32_t order[120], place[PYR_CARDS][PYR_CARDS];
    pyr_rng_seed(&rng, 14, 0);
    /* All orders of five. */
    for (int i = 0; i < 120000; i++) {
        uint8_t items[5] = { 0, 1, 2, 3, 4 };
        pyr_rng_shuffle(&rng, items, 5);
        unsigned rank = 0;
        for (unsigned k = 0; k < 5; k++) {
            unsigned less = 0;
            for (unsigned m = k + 1; m < 5; m++)
                less += items[m] < items[k];
            rank = rank * (5 - k) + less;
        }
        order[rank]++;
    }
    CHECK(is_fair(order, 120, 120000, NULL));
    static const unsigned counts[] = { 1, 2, 3, 7, 8, 9, 11, 12, 13, 40, 48 };
    for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++) {
        unsigned count = counts[c];
        memset(place, 0, sizeof place);
        for (int i = 0; i < 20000; i++) {
            uint8_t items[PYR_CARDS];
            uint64_t seen = 0;
            for (unsigned k = 0; k < count; k++)
                items[k] = (uint8_t)k;
            pyr_rng_shuffle(&rng, items, count);
            for (unsigned k = 0; k < count; k++) {
                seen |= UINT64_C(1) << items[k];
                place[k][items[k]]++;
            }
            if (!CHECK(seen == (UINT64_C(1) << count) - 1))
                return;
        }
        for (unsigned k = 0; k < count; k++)
            CHECK(is_fair(place[k], count, 20000, NULL));
    }
    /* Neighbours: each other item is equally likely to follow item 0. */
    static uint32_t after[PYR_CARDS];
    for (int i = 0; i < 60000; i++) {
        uint8_t items[PYR_CARDS];
        for (unsigned k = 0; k < PYR_CARDS; k++)
            items[k] = (uint8_t)k;
        pyr_rng_shuffle(&rng, items, PYR_CARDS);
        unsigned at = 0;
        while (items[at])
            at++;
        after[items[(at + 1) % PYR_CARDS]]++;
    }
    CHECK_INT(after[0], 0);
    CHECK(is_fair(after + 1, PYR_CARDS - 1, 60000, NULL));
}

TEST("a choice of some is uniform, too")
{
    struct pyr_rng rng;
    static uint32_t pairs[PYR_CARDS * PYR_CARDS], place[PYR_CARDS];
    pyr_rng_seed(&rng, 15, 0);
    static const unsigned wanted[] = { 1, 2, 3, 4, 5, 8, 12, 16 };
    for (unsigned w = 0; w < sizeof wanted / sizeof *wanted; w++) {
        memset(place, 0, sizeof place);
        for (int i = 0; i < 30000; i++) {
            uint8_t items[PYR_CARDS];
            for (unsigned k = 0; k < PYR_CARDS; k++)
                items[k] = (uint8_t)k;
            pyr_rng_choose(&rng, items, PYR_CARDS, wanted[w]);
            place[items[wanted[w] - 1]]++;
        }
        CHECK(is_fair(place, PYR_CARDS, 30000, NULL));
    }
    for (int i = 0; i < 90000; i++) {
        uint8_t items[10];
        for (unsigned k = 0; k < 10; k++)
            items[k] = (uint8_t)k;
        pyr_rng_choose(&rng, items, 10, 6);
        pairs[items[0] * 9 + items[5] - (items[5] > items[0])]++;
    }
    CHECK(is_fair(pairs, 90, 90000, NULL));
}

TEST("a chance that is drawn is uniform")
{
    struct pyr_rng rng;
    struct pyr_chance chance;
    static uint32_t dealt[PYR_CARDS], deck[PYR_CARDS], first[PYR_PATTERNS];
    pyr_rng_seed(&rng, 16, 0);
    for (int i = 0; i < 40000; i++) {
        pyr_chance_draw(&chance, &plain.box, 4, &rng);
        if (!CHECK_INT(pyr_chance_check(&chance, &plain.box, 4), PYR_OK))
            return;
        dealt[chance.dealt[3][3]]++;
        deck[chance.deck[0]]++;
        first[chance.expedition[2][7]]++;
    }
    double share[PYR_PATTERNS];
    for (unsigned p = 0; p < PYR_PATTERNS; p++)
        share[p] = plain.box.pattern[p].copies / 8.0;
    CHECK(is_fair(dealt, PYR_CARDS, 40000, NULL));
    CHECK(is_fair(deck, PYR_CARDS, 40000, NULL));
    CHECK(is_fair(first, PYR_PATTERNS, 40000, share));
}

/* Refusals. */

TEST("bad chance is refused, whatever is wrong with it")
{
    struct pyr_rng rng;
    struct pyr_chance good, bad;
    struct pyr_state state, before;
    const struct pyr_box *box = &plain.box;
    pyr_rng_seed(&rng, 17, 0);
    pyr_chance_draw(&good, box, 3, &rng);
    memset(&state, 0x5a, sizeof state);
    before = state;
#define REFUSED(code, seats, change) \
    do { \
        bad = good; \
        change; \
        CHECK_INT(pyr_chance_check(&bad, box, seats), code); \
        CHECK_INT(pyr_state_init(&state, box, seats, &bad), code); \
        CHECK(!memcmp(&state, &before, sizeof state)); \
    } while (0)
    REFUSED(PYR_ERR_SEATS, 0, (void)0);
    REFUSED(PYR_ERR_SEATS, 1, (void)0);
    REFUSED(PYR_ERR_SEATS, 5, (void)0);
    REFUSED(PYR_ERR_CHANCE_DEAL, 2, (void)0);                    /* a third seat was dealt */
    REFUSED(PYR_ERR_CHANCE_DEAL, 4, (void)0);                    /* a fourth was not */
    REFUSED(PYR_ERR_CHANCE_DEAL, 3, bad.dealt[2][3] = bad.dealt[0][0]);
    REFUSED(PYR_ERR_CHANCE_DEAL, 3, bad.dealt[1][1] = PYR_CARDS);
    REFUSED(PYR_ERR_CHANCE_DEAL, 3, bad.dealt[1][1] = PYR_NO_CARD);
    REFUSED(PYR_ERR_CHANCE_DEAL, 3, bad.dealt[3][0] = 0);
    REFUSED(PYR_ERR_CHANCE_DECK, 3, bad.deck[47] = bad.deck[0]);
    REFUSED(PYR_ERR_CHANCE_DECK, 3, bad.deck[20] = PYR_CARDS);
    REFUSED(PYR_ERR_CHANCE_DECK, 3, bad.deck[20] = PYR_NO_CARD);
    REFUSED(PYR_ERR_CHANCE_EXPEDITION, 3, bad.expedition[3][7] = PYR_PATTERNS);
    REFUSED(PYR_ERR_CHANCE_EXPEDITION, 3, bad.expedition[0][0] = PYR_NO_PATTERN);
    REFUSED(PYR_ERR_CHANCE_EXPEDITION, 3, memset(bad.expedition[2], 0, 2));      /* two of a pattern with one copy */
    CHECK_INT(pyr_state_init(&state, box, 3, &good), PYR_OK);
    audit(box, &state);
}

TEST("a bad box is refused, with the card or pattern at fault")
{
    static struct pyr_box box, before;
    struct pyr_components good, bad;
    struct pyr_box_fault fault;
    pyr_box_components(&plain.box, &good);
    memset(&box, 0x5a, sizeof box);
    before = box;
#define FAULT(wrong, at_card, at_pattern, at_other, change) \
    do { \
        bad = good; \
        change; \
        CHECK_INT(pyr_box_init(&box, &bad, &fault), wrong); \
        CHECK_INT(pyr_box_init(&box, &bad, NULL), wrong); \
        CHECK_INT(fault.code, wrong); \
        CHECK_INT(fault.card, at_card); \
        CHECK_INT(fault.pattern, at_pattern); \
        CHECK_INT(fault.other, at_other); \
        CHECK(!memcmp(&box, &before, sizeof box)); \
    } while (0)
    FAULT(PYR_ERR_PENALTY_FALLS, -1, -1, -1, bad.penalty[9] = 14);
    FAULT(PYR_ERR_PENALTY_RANGE, -1, -1, -1, bad.penalty[9] = 1000);
    FAULT(PYR_ERR_PATTERN_SIZE, -1, 2, -1, bad.pattern[2] = 0);
    FAULT(PYR_ERR_PATTERN_SIZE, -1, 2, -1, bad.pattern[2] = 1);
    FAULT(PYR_ERR_PATTERN_SIZE, -1, 2, -1, bad.pattern[2] = PYR_SPACE(0, 0) | PYR_SPACE(0, 5));  /* outside */
    FAULT(PYR_ERR_PATTERN_SIZE, -1, 2, -1, bad.pattern[2] = 0x1f);
    FAULT(PYR_ERR_PATTERN_APART, -1, 2, -1, bad.pattern[2] = PYR_SPACE(0, 0) | PYR_SPACE(1, 1));
    FAULT(PYR_ERR_PATTERN_APART, -1, 2, -1, bad.pattern[2] = PYR_SPACE(0, 4) | PYR_SPACE(1, 0));
    FAULT(PYR_ERR_PATTERN_CORNER, -1, 2, -1, bad.pattern[2] <<= 1);
    FAULT(PYR_ERR_PATTERN_CORNER, -1, 2, -1, bad.pattern[2] <<= PYR_ROW);
    FAULT(PYR_ERR_PATTERN_ALIKE, -1, 2, 0, bad.pattern[2] = PYR_SPACE(0, 0) | PYR_SPACE(1, 0));
    FAULT(PYR_ERR_COPIES, -1, 3, -1, bad.copies[3] = 0);
    FAULT(PYR_ERR_COPIES, -1, -1, -1, bad.copies[3] = 3);
    FAULT(PYR_ERR_COPIES, -1, -1, -1, bad.copies[3] = 1);
    FAULT(PYR_ERR_CARD_SPACES, 9, -1, -1, bad.card[9].open |= PYR_SPACE(2, 5));
    FAULT(PYR_ERR_CARD_SPACES, 9, -1, -1, bad.card[9].open &= ~bad.card[9].tomb);
    FAULT(PYR_ERR_CARD_SPACES, 9, -1, -1, bad.card[9].potion = bad.card[9].entrance);
    FAULT(PYR_ERR_CARD_SPACES, 9, -1, -1, bad.card[9].skull |= bad.card[9].tomb);
    FAULT(PYR_ERR_CARD_ENTRANCE, 9, -1, -1, bad.card[9].entrance = 0);
    FAULT(PYR_ERR_CARD_TOMB, 9, -1, -1, bad.card[9].tomb = 0);
    FAULT(PYR_ERR_CARD_COLOUR, 9, -1, -1, bad.card[9].colour = 3);
    FAULT(PYR_ERR_COLOUR_COUNT, -1, -1, -1, bad.card[9].colour = (uint8_t)((bad.card[9].colour + 1) % 3));
    struct pyr_card_face *last = &bad.card[47];
    FAULT(PYR_ERR_CARD_ENTRANCE, 47, -1, -1, *last = ((struct pyr_card_face){ .open = PYR_ALL_SPACES,
        .tomb = PYR_SPACE(4, 0),
        .entrance = PYR_SPACE(1, 0) }));
    FAULT(PYR_ERR_CARD_ENTRANCE, 47, -1, -1, *last = ((struct pyr_card_face){ .open = PYR_ALL_SPACES,
        .tomb = PYR_SPACE(4, 0),
        .entrance = PYR_SPACE(0, 0) | PYR_SPACE(0, 2) }));
    FAULT(PYR_ERR_CARD_TOMB, 47, -1, -1, *last = ((struct pyr_card_face){ .open = PYR_ALL_SPACES, .tomb = PYR_SPACE(3, 0),
        .entrance = PYR_SPACE(0, 0) }));
    FAULT(PYR_ERR_CARD_APART, 47, -1, -1, *last = ((struct pyr_card_face){ .open = PYR_SPACE(0, 0) | PYR_SPACE(4, 0),
        .tomb = PYR_SPACE(4, 0), .entrance = PYR_SPACE(0, 0) }));
    /* e1 and a2 are neighbours only in the numbering. */
    FAULT(PYR_ERR_CARD_APART, 47, -1, -1, *last = ((struct pyr_card_face){ .open = PYR_SPACE(0, 4) | PYR_SPACE(1, 0) |
        PYR_SPACE(2, 0) | PYR_SPACE(3, 0) | PYR_SPACE(4, 0), .tomb = PYR_SPACE(4, 0), .entrance = PYR_SPACE(0, 4) }));
    CHECK_INT(pyr_box_init(&box, &good, &fault), PYR_OK);
    CHECK_INT(fault.code, PYR_OK);
}

TEST("a box gives back its print")
{
    static struct pyr_box box, again;
    struct pyr_components print, same;
    for (int twin = 0; twin < 2; twin++) {
        const struct pyr_box *from = twin ? &crowded.box : &plain.box;
        pyr_box_components(from, &print);
        CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_OK);
        CHECK(!memcmp(&box, from, sizeof box));
    }
    /* Patterns in every turn, mirrored or not, as they were drawn. */
    static const char *const drawn[][PYR_PATTERNS] = {
        { "XX", "XXX", ".X/XX", "X/X/X/X", "XX/.X/.X", ".XX/XX." },
        { "X/X", "X/X/X", "XX/.X", "XXXX", "..X/XXX", "X./XX/.X" },
        { "XX", "X/X/X", "XX/X.", "XX/XX", ".X/.X/XX", ".X/XX/.X" },
        { "XX", "XXX", "X./XX", "XX/XX", "XXX/..X", ".X./XXX" },
    };
    for (unsigned k = 0; k < sizeof drawn / sizeof *drawn; k++) {
        pyr_box_components(&plain.box, &print);
        for (unsigned p = 0; p < PYR_PATTERNS; p++) {
            print.pattern[p] = 0;
            int row = 0, column = 0;
            for (const char *at = drawn[k][p]; *at; at++) {
                if (*at == 'X')
                    print.pattern[p] |= PYR_SPACE(row, column);
                column++;
                if (*at == '/')
                    row++, column = 0;
            }
        }
        if (!CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_OK))
            continue;
        pyr_box_components(&box, &same);
        CHECK(!memcmp(&print, &same, sizeof print));
        CHECK_INT(pyr_box_init(&again, &same, NULL), PYR_OK);
        CHECK(!memcmp(&box, &again, sizeof box));
    }
}

TEST("the number of turns of each pattern, and the way to a tomb")
{
    /* plain has I2 I3 V3 I4 L4 O4, crowded I2 V3 I4 T4 S4 O4. */
    static const int turns[2][PYR_PATTERNS] = { { 2, 2, 4, 2, 8, 1 }, { 2, 4, 2, 4, 4, 1 } };
    for (int p = 0; p < PYR_PATTERNS; p++) {
        CHECK_INT(plain.box.pattern[p].turns, turns[0][p]);
        CHECK_INT(crowded.box.pattern[p].turns, turns[1][p]);
    }
    /* Card 1 of plain:  v#### / ..r.. / s##.. / xf#.. / #erT.   a1 a2 b2 c2 d2 d3 d4 d5. */
    const struct pyr_card_face *card = &plain.box.card[0];
    CHECK_INT(pyr_card_distance(card, card->open, card->entrance), 8);
    pyr_spaces marked = PYR_SPACE(0, 0) | PYR_SPACE(1, 0);
    CHECK_INT(pyr_card_distance(card, card->open & ~marked, PYR_SPACE(1, 1) | PYR_SPACE(2, 0)), 6);
    CHECK_INT(pyr_card_distance(card, card->open & ~card->tomb, card->entrance), 0);
    CHECK_INT(pyr_card_distance(card, card->open, card->tomb), 1);
    CHECK_INT(pyr_card_distance(card, card->tomb, 0), 0);
}

TEST("codes keep their numbers and the names that clients know them by")
{
    /* The words that a server has sent since protocol 1, and the numbers that programs have been compiled with. */
    static const struct {
        const char *name;
        int code;
        const char *rule;
    } known[] = {
        { "phase", -200, "" }, { "step", -198, "" }, { "not_dealt", -197, "R4" }, { "not_on_desk", -196, "R8" },
        { "wall", -195, "R9" }, { "marked", -194, "R9" }, { "no_entrance", -193, "R10" }, { "no_touch", -192, "R10" },
        { "not_pattern", -191, "R8" }, { "extra_one", -190, "R11" }, { "must_mark", -189, "R8" },
        { "must_pass", -188, "Q7" }, { "not_in_display", -187, "R12" }, { "deck_empty", -186, "R13" },
        { "extra_missing", -185, "R11" }, { "extra_too_many", -184, "R11" }, { "text_encoding", -400, "" },
        { "text_line", -399, "" }, { "text_space", -398, "" }, { "text_missing", -394, "" }, { "text_extra", -393, "" },
        { "text_number", -392, "" }, { "text_range", -391, "" }, { "text_spaces", -387, "" },
        { "text_order", -386, "" }, { "text_move", -385, "" }, { "not_ready", -700, "" }, { "seats", -100, "" },
        { "copies", -294, "R2" }, { "card_tomb", -291, "R1" }, { "penalty_falls", -300, "R3" },
        { "not_in_deck", -96, "R5" }, { "record_points", -593, "R14" }, { "record_winner", -591, "R17" },
        { "no_such_line", -697, "" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        CHECK_STR(pyr_err_name((enum pyr_err)known[i].code), known[i].name);
        CHECK_INT(pyr_err_find(known[i].name), known[i].code);
        CHECK_STR(pyr_err_rule((enum pyr_err)known[i].code), known[i].rule);
    }
    CHECK_STR(pyr_err_name(PYR_OK), "ok");
    CHECK(!pyr_err_name((enum pyr_err)-1));
    CHECK_STR(pyr_err_rule((enum pyr_err)-1), "");
    CHECK_INT(pyr_err_find("walls"), PYR_OK);
    CHECK_INT(pyr_err_find(""), PYR_OK);
}
