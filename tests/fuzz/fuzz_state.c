/*
 * A corrupted state: either the audit refuses it, or playing on writes only to the state, all later states pass the
 * audit, and the game ends. An input chooses the edition, the number of seats, how far to play, and then what to
 * change: bytes, bytes of both copies of a desk, bits, and parts taken from another moment of the same game. An input
 * that changes nothing has random changes made until one passes.
 */
#include <pyramids/bots.h>
#include <pyramids/env.h>
#include <pyramids/generate.h>
#include <pyramids/score.h>

#include <stdlib.h>
#include <string.h>

#include "plain.h"

/* An upper bound for the steps of a game: each turn has at most fifty marks per seat, each pyramid one card. */
#define MOST_STEPS (PYR_MAX_SEATS * (PYR_ROUNDS * PYR_TURNS * PYR_MAX_CHOICE + PYR_CARDS))

enum { CROSSES = 3, BOXES = 6, MOST_BOTS = 16 };
enum { HEAD = 6, CHANGE = 5, MOST_CHANGES = 16 };   /* bytes of an input: its beginning, then each change */
static struct pyr_box boxes[BOXES];

/* Every card open, the same symbol on each of its spaces or only on a column between entrance and tomb. */
static void make_extreme(struct pyr_box *box, size_t symbol, pyr_spaces open)
{
    struct pyr_components components;
    pyr_box_components(&plain_edition()->box, &components);
    for (unsigned i = 0; i < PYR_CARDS; i++) {
        struct pyr_card_face *card = &components.card[i];
        const uint8_t colour = card->colour;
        *card = (struct pyr_card_face){ .open = open, .entrance = PYR_SPACE(0, 2), .tomb = PYR_SPACE(4, 2),
            .colour = colour };
        pyr_spaces between = open & ~(card->entrance | card->tomb);
        memcpy((char *)card + symbol, &between, sizeof between);
    }
    MUST(pyr_box_init(box, &components, NULL) == PYR_OK);
}

static void make_boxes(void)
{
    pyr_spaces column = 0;
    for (unsigned row = 0; row < PYR_SIDE; row++)
        column |= PYR_SPACE(row, 2);
    boxes[0] = plain_edition()->box;
    for (unsigned i = 1; i < 3; i++) {
        static struct pyr_edition edition;
        MUST(pyr_edition_generate(&edition, i) == PYR_OK);
        boxes[i] = edition.box;
    }
    make_extreme(&boxes[CROSSES], offsetof(struct pyr_card_face, cross), PYR_ALL_SPACES);
    make_extreme(&boxes[4], offsetof(struct pyr_card_face, cross), column);
    make_extreme(&boxes[5], offsetof(struct pyr_card_face, potion), column);
}

static void must_pass(const struct pyr_state *state, const struct pyr_box *box, const char *where)
{
    int clause;
    if (pyr_state_check(state, box, &clause) == PYR_OK)
        return;
    fprintf(stderr, "%s: clause %d, phase %d\n", where, clause, state->open.phase);
    __builtin_trap();
}

/* One random step of a seat that has to choose, or the next chance event. */
static void play_one(struct pyr_state *state, const struct pyr_box *box, struct pyr_rng *rng)
{
    if (state->open.phase == PYR_SHOW) {
        MUST(pyr_state_show(state, box) == PYR_OK);
    } else if (state->open.phase == PYR_REVEAL) {
        MUST(pyr_state_reveal(state, box) == PYR_OK);
    } else {
        struct pyr_steps steps;
        unsigned waiting = state->open.waiting;
        while (waiting & (waiting - 1) && pyr_rng_below(rng, 2))
            waiting &= waiting - 1;          /* any of them may be the next */
        pyr_seat seat = (pyr_seat)__builtin_ctz(waiting);
        pyr_state_steps(state, box, seat, &steps);
        MUST(steps.count);
        MUST(pyr_state_apply(state, box, seat, pyr_steps_pick(&steps, box, rng)) == PYR_OK);
    }
}

/* What callers may do with a state: change the order of hidden things, create views, draw samples. */
static void try_readers(const struct pyr_state *state, const struct pyr_box *box, struct pyr_rng *rng)
{
    struct pyr_state other = *state;
    pyr_state_supply_card(&other, pyr_rng_below(rng, 8), (pyr_card)pyr_rng_below(rng, PYR_CARDS));
    pyr_state_supply_pattern(&other, (pyr_pattern)pyr_rng_below(rng, PYR_PATTERNS));
    must_pass(&other, box, "after supplying");
    for (pyr_seat seat = 0; seat <= state->open.seats; seat++) {
        struct pyr_view view;
        struct pyr_steps steps;
        pyr_view_init(&view, state, seat);
        pyr_view_steps(&view, box, &steps);
        pyr_view_sample(&view, box, rng, &other);
        must_pass(&other, box, "a sample");
        if (seat < state->open.seats)
            pyr_table_score(&state->open, box, seat);
    }
}

static void try_steps(const struct pyr_state *start, const struct pyr_box *box, struct pyr_rng *rng)
{
    struct pyr_state state = *start;
    unsigned made = 0;
    for (; state.open.phase != PYR_END; made++) {
        if (made % 8 == 0)
            try_readers(&state, box, rng);
        play_one(&state, box, rng);
        must_pass(&state, box, "after a step");
        MUST(made < MOST_STEPS);
    }
    state = *start;
    MUST(pyr_state_playout(&state, box, rng) < MOST_STEPS);
    must_pass(&state, box, "after a playout");
    MUST(state.open.phase == PYR_END);
}

/* The tables of a bot for one of the boxes, made once; malloc aligns them as bots.h requires. */
static void *memory_of(const struct pyr_bot *bot, const struct pyr_box *box, unsigned which)
{
    static void *memories[BOXES][MOST_BOTS];
    MUST(which < MOST_BOTS);
    void **memory = &memories[box - boxes][which];
    if (!*memory && bot->memory(box)) {
        *memory = malloc(bot->memory(box));
        MUST(*memory);
        bot->prepare(*memory, box);
    }
    return *memory;
}

/* A bot for each seat chooses from what it sees. If every space is a cross, only the bystander plays, because it does
 * not think about fifty extra marks in a row. */
static void try_bots(const struct pyr_state *start, const struct pyr_box *box, struct pyr_rng *rng, unsigned which)
{
    which = box == &boxes[CROSSES] ? pyr_bot_count() - 1 : which % pyr_bot_count();
    const struct pyr_bot *bot = pyr_bot_at(which);
    void *memory = memory_of(bot, box, which);
    const struct pyr_budget budget = { .nodes = 20 };
    struct pyr_state state = *start;
    for (unsigned made = 0; state.open.phase != PYR_END && made < 20; made++) {
        pyr_state_advance(&state, box);
        if (!state.open.waiting)
            continue;
        struct pyr_view view;
        pyr_seat seat = (pyr_seat)__builtin_ctz(state.open.waiting);
        pyr_view_init(&view, &state, seat);
        MUST(pyr_state_apply(&state, box, seat, bot->choose(memory, box, &view, rng, &budget)) == PYR_OK);
        must_pass(&state, box, bot->name);
    }
}

/* The rows of an environment of one game, in blocks of exactly their size. */
struct rows {
    struct pyr_env_arrays arrays;
    int32_t action[PYR_MAX_SEATS];
};

static void open_rows(struct rows *rows, unsigned seats, unsigned count)
{
    rows->arrays = (struct pyr_env_arrays){
        .action = rows->action, .action_size = sizeof rows->action,
        .observation = malloc(count * PYR_ENV_OBSERVATION), .observation_size = count * PYR_ENV_OBSERVATION,
        .mask = malloc(count * PYR_ENV_ACTIONS), .mask_size = count * PYR_ENV_ACTIONS,
        .critic = malloc(count * PYR_ENV_CRITIC), .critic_size = count * PYR_ENV_CRITIC,
        .turn = malloc(1), .turn_size = 1, .done = malloc(1), .done_size = 1,
        .reward = malloc(seats * sizeof(float)), .reward_size = seats * sizeof(float),
        .score = malloc(seats * sizeof(int32_t)), .score_size = seats * sizeof(int32_t),
    };
}

static void close_rows(struct rows *rows)
{
    struct pyr_env_arrays *a = &rows->arrays;
    free(a->observation), free(a->mask), free(a->critic), free(a->turn), free(a->done), free(a->reward), free(a->score);
}

/* No byte is larger than its field says. */
static void must_fit(enum pyr_env_plane plane, const uint8_t *row)
{
    const struct pyr_env_field *field;
    for (unsigned i = 0; (field = pyr_env_field_at(plane, i)); i++)
        for (unsigned at = 0; at < field->size; at++)
            MUST(row[field->offset + at] <= field->most);
}

/* The same game as an environment loads it, with a bot in the last seat unless that seat has to choose. */
static void try_environment(const struct pyr_state *start, const struct pyr_box *box, struct pyr_rng *rng, unsigned flags)
{
    unsigned seats = start->open.seats, count = flags & PYR_ENV_PARALLEL ? seats : 1;
    struct pyr_env_options options = { .seats = (uint8_t)seats, .flags = (uint8_t)(flags | PYR_ENV_STAY),
        .reward = (uint8_t)pyr_rng_below(rng, 3) };
    if (!(start->open.waiting >> (seats - 1) & 1))
        options.bot[seats - 1] = pyr_bot_find("greedy");
    struct pyr_env env;
    struct pyr_env_game game, again;
    struct rows rows;
    uint8_t saved[PYR_ENV_SAVED], twice[PYR_ENV_SAVED];
    const uint64_t seed = 1;
    MUST(pyr_env_init(&env, box, &options) == PYR_OK);
    open_rows(&rows, seats, count);
    MUST(pyr_env_reset(&env, &game, 1, &seed, &rows.arrays) == PYR_OK);
    game.state = *start;
    game.is_over = start->open.phase == PYR_END;
    MUST(pyr_env_save(&env, &game, saved, sizeof saved) == PYR_OK);
    bool loads = start->open.waiting || game.is_over;    /* else cards are still to be turned up */
    MUST((pyr_env_load(&env, &game, saved, sizeof saved) == PYR_OK) == loads);
    MUST(pyr_env_observe(&env, &game, loads, &rows.arrays) == PYR_OK);
    for (unsigned made = 0; loads && !game.is_over; made++) {
        for (unsigned i = 0; i < count; i++) {
            rows.action[i] = pyr_env_pick(rows.arrays.mask + i * PYR_ENV_ACTIONS, rng);
            must_fit(PYR_ENV_PLANE_OBSERVATION, rows.arrays.observation + i * PYR_ENV_OBSERVATION);
            must_fit(PYR_ENV_PLANE_CRITIC, rows.arrays.critic + i * PYR_ENV_CRITIC);
        }
        MUST(pyr_env_step(&env, &game, 1, &rows.arrays, NULL) == PYR_OK);
        must_pass(&game.state, box, "in an environment");
        MUST(pyr_env_save(&env, &game, saved, sizeof saved) == PYR_OK);
        MUST(pyr_env_load(&env, &again, saved, sizeof saved) == PYR_OK);
        MUST(pyr_env_save(&env, &again, twice, sizeof twice) == PYR_OK);
        MUST(!memcmp(saved, twice, sizeof saved) && !memcmp(&game.known, &again.known, sizeof game.known));
        MUST(made < MOST_STEPS);
    }
    close_rows(&rows);
}

/* A change is five bytes: where, of what kind, and two more. */
static void change(struct pyr_state *state, const struct pyr_state *other, const uint8_t *with)
{
    uint8_t *bytes = (uint8_t *)state;
    const uint8_t *from = (const uint8_t *)other;
    size_t at = (with[0] | (size_t)with[1] << 8) % sizeof *state;
    size_t in_desk = at % sizeof state->desk, length = with[4] % 64u;
    uint8_t *shown = (uint8_t *)state->open.desk + in_desk, *hidden = (uint8_t *)state->desk + in_desk;
    switch (with[2] % 7) {
    case 0:
        bytes[at] = with[3];
        break;
    case 1:
        bytes[at] ^= (uint8_t)(1u << with[3] % 8);
        break;
    case 2:
        *shown = *hidden = with[3];
        break;
    case 3:
        *shown = *hidden = *hidden ^ (uint8_t)(1u << with[3] % 8);
        break;
    case 4: {
        uint8_t *to = &bytes[(at + with[3]) % sizeof *state], moved = *to;
        *to = bytes[at];
        bytes[at] = moved;
        break;
    }
    case 5:                                  /* a part of the other moment */
        memcpy(bytes + at, from + at, at + length <= sizeof *state ? length : sizeof *state - at);
        break;
    default: {                               /* a desk of the other moment, or of another seat */
        unsigned seat = with[0] % PYR_MAX_SEATS, source = with[3] % PYR_MAX_SEATS;
        state->open.desk[seat] = state->desk[seat] = with[4] & 1 ? other->open.desk[source] : state->open.desk[source];
        break;
    }
    }
}

static void play(struct pyr_state *state, const struct pyr_box *box, unsigned steps, struct pyr_rng *rng)
{
    while (steps-- && state->open.phase != PYR_END) {
        play_one(state, box, rng);
        must_pass(state, box, "in a game");
    }
}

static void play_on(const struct pyr_state *state, const struct pyr_box *box, struct pyr_rng *rng, unsigned bot)
{
    try_steps(state, box, rng);
    try_environment(state, box, rng, 0);
    try_environment(state, box, rng, PYR_ENV_PARALLEL);
    try_bots(state, box, rng, bot);
}

/* Random changes, most of which are refused, until one passes; without one the state is unchanged. */
static void change_randomly(struct pyr_state *state, const struct pyr_state *other, const struct pyr_box *box,
    struct pyr_rng *rng)
{
    const struct pyr_state before = *state;
    for (unsigned tries = 0; tries < 1000; tries++) {
        struct pyr_state changed = before;
        unsigned changes = 1 + pyr_rng_below(rng, 3);
        while (changes--) {
            uint64_t with = pyr_rng_next(rng) | (uint64_t)pyr_rng_next(rng) << 32;
            change(&changed, other, (const uint8_t *)&with);
        }
        if (memcmp(&changed, &before, sizeof before) && pyr_state_check(&changed, box, NULL) == PYR_OK) {
            *state = changed;
            return;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pyr_state state, other;
    struct pyr_rng rng;
    if (size < HEAD)
        return 0;
    if (!boxes[0].pattern[0].turns)
        make_boxes();
    const struct pyr_box *box = &boxes[data[0] / 3 % BOXES];
    pyr_rng_seed(&rng, data[1], 1);
    MUST(pyr_state_deal(&state, box, PYR_MIN_SEATS + data[0] % 3u, &rng) == PYR_OK);
    play(&state, box, data[2] + (data[3] & 1u) * 256, &rng);
    other = state;
    play(&other, box, data[4], &rng);
    if (size < HEAD + CHANGE)
        change_randomly(&state, &other, box, &rng);
    for (size_t at = HEAD; at + CHANGE <= size && at < HEAD + MOST_CHANGES * CHANGE; at += CHANGE)
        change(&state, &other, data + at);
    if (pyr_state_check(&state, box, NULL) == PYR_OK)
        play_on(&state, box, &rng, data[5]);
    return 0;
}
