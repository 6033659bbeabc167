/*
 * clairvoyant.c: compares bots with a player who knows the order of the deck and of the expedition cards.
 *
 *     clairvoyant EDITION PLAYERS GAMES SEED BOT... [--shard I/N --output FILE]
 *
 * One seat plays, the others are greedy, a fixed yardstick (ties broken the same way each time, so that their choices
 * follow from the table). The clairvoyant plans in the true world: a beam search over its own choices, each tried by
 * playing on to the end with the tables' policy. Its results can really be reached by a player with that knowledge;
 * even better ones may exist. For it and for every bot named, in the same games: points, margin over the best other
 * player, and the share of the clairvoyant's margin that the bot reaches.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/bots.h>
#include <pyramids/edition.h>
#include <pyramids/score.h>

#include "edition_file.h"
#include "job.h"
#include "policy.h"

#define BEAM 24                  /* plans kept */
#define TRIED 24                 /* steps tried of each, the policy's best */
#define MOST_PLAYERS 64
#define MOST (BEAM * TRIED + BEAM)

static const struct pyr_box *box;
static struct tables *tables;
static const struct pyr_bot *greedy;

/* A state that can be reached, with the result of playing on from there. */
struct plan {
    struct pyr_state state;
    int margin, points;          /* of continuing by the policy */
};

/* Bots see only their view; only the planner has the state. */
static pyr_step ask(const struct pyr_bot *bot, void *memory, const struct pyr_state *state, pyr_seat seat,
struct pyr_rng *rng)
{
    struct pyr_view view;
    pyr_view_init(&view, state, seat);
    return bot->choose(memory, box, &view, rng, NULL);
}

/* Lets chance and the others play until the seat has to decide or the game is over.
 * The generator is seeded again each time, so that the others' choices depend on the table alone and a plan can be
 * repeated. */
static void go_on(struct pyr_state *state, pyr_seat seat)
{
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 1, 0);
    for (;;) {
        pyr_state_advance(state, box);
        if (state->open.phase == PYR_END || state->open.waiting >> seat & 1)
            return;
        pyr_seat other = (pyr_seat)__builtin_ctz(state->open.waiting);
        pyr_state_apply_unchecked(state, box, other, ask(greedy, NULL, state, other, &rng));
    }
}

/* The margin is over the best of the others. */
static void count_up(const struct pyr_state *state, pyr_seat seat, int *points, int *margin)
{
    int best = INT_MIN;
    *points = pyr_table_score(&state->open, box, seat).total;
    for (unsigned s = 0; s < state->open.seats; s++) {
        int total = pyr_table_score(&state->open, box, (pyr_seat)s).total;
        if (s != seat && total > best)
            best = total;
    }
    *margin = *points - best;
}

/* Plays to the end: the seat by the policy, the others as usual. */
static void try_plan(struct plan *plan, pyr_seat seat)
{
    struct pyr_state state = plan->state;
    while (state.open.phase != PYR_END) {
        pyr_state_apply_unchecked(&state, box, seat, policy_step(tables, box, &state, seat, true));
        go_on(&state, seat);
    }
    count_up(&state, seat, &plan->points, &plan->margin);
}

static int by_margin(const void *a, const void *b)
{
    const struct plan *x = a, *y = b;
    return x->margin != y->margin ? y->margin - x->margin : y->points - x->points;
}

/* How far a state has advanced in the game; plans that are behind are continued first. */
static unsigned progress(const struct pyr_state *state)
{
    const struct pyr_table *open = &state->open;
    return open->phase == PYR_END ? UINT_MAX : open->phase == PYR_KEEP ? 0 : 1 + 2 * (open->round * 7u + open->turn) +
        (open->phase == PYR_REPLACE);
}

/* The policy's best steps, best first. */
static unsigned find_steps(const struct pyr_state *state, pyr_seat seat, pyr_step *best)
{
    struct pyr_steps steps;
    int value[TRIED];
    unsigned count = 0;
    pyr_state_steps(state, box, seat, &steps);
    for (uint32_t i = 0; i < steps.count; i++) {
        pyr_step step = pyr_steps_at(&steps, box, i);
        int v = policy_value_step(tables, box, &state->open, &state->desk[seat], step);
        unsigned at = count < TRIED ? count++ : TRIED;
        for (; at && value[at - 1] < v; at--)
            if (at < TRIED)
                value[at] = value[at - 1], best[at] = best[at - 1];
        if (at < TRIED)
            value[at] = v, best[at] = step;
    }
    return count;
}

/* A beam search: all plans that have advanced least are continued by one step, then the BEAM best of all are kept. Each
 * is valued by continuing with the policy. */
static void plan_game(struct pyr_state *start, pyr_seat seat, int *points, int *margin)
{
    static struct plan list[MOST], next[MOST];
    unsigned count = 1;
    list[0].state = *start;
    go_on(&list[0].state, seat);
    try_plan(&list[0], seat);
    for (;;) {
        unsigned first = UINT_MAX, made = 0;
        for (unsigned i = 0; i < count; i++)
            if (progress(&list[i].state) < first)
                first = progress(&list[i].state);
        if (first == UINT_MAX)
            break;
        for (unsigned i = 0; i < count; i++) {
            pyr_step best[TRIED];
            if (progress(&list[i].state) > first) {
                next[made++] = list[i];
                continue;
            }
            unsigned steps = find_steps(&list[i].state, seat, best);
            for (unsigned k = 0; k < steps; k++) {
                struct plan *p = &next[made++];
                p->state = list[i].state;
                pyr_state_apply_unchecked(&p->state, box, seat, best[k]);
                go_on(&p->state, seat);
                try_plan(p, seat);
            }
        }
        qsort(next, made, sizeof *next, by_margin);
        /* Plans that lead to the same desk are merged. */
        count = 0;
        for (unsigned i = 0; i < made && count < BEAM; i++) {
            unsigned same = 0;
            while (same < count && memcmp(&list[same].state.desk[seat], &next[i].state.desk[seat],
                sizeof next[i].state.desk[seat]))
                same++;
            if (same == count)
                list[count++] = next[i];
        }
    }
    *points = list[0].points;
    *margin = list[0].margin;
}

/* A player that is compared; bot NULL: the clairvoyant. */
struct player {
    const struct pyr_bot *bot;
    void *memory;
};

struct comparison {
    struct player player[MOST_PLAYERS];
    unsigned count, seats;
    uint64_t seed;
};

/* Seats rotate; games of one shuffle follow each other, as in duplicate games. */
static void play(const struct comparison *c, const struct player *player, uint64_t game, int *points, int *margin)
{
    struct pyr_rng chance, rng;
    struct pyr_state state;
    pyr_seat seat = (pyr_seat)(game % c->seats);
    pyr_rng_seed(&chance, c->seed, 2 * (game / c->seats));
    pyr_rng_seed(&rng, c->seed, 2 * game + 1);
    pyr_state_deal(&state, box, c->seats, &chance);
    if (!player->bot) {
        plan_game(&state, seat, points, margin);
        return;
    }
    go_on(&state, seat);
    while (state.open.phase != PYR_END) {
        pyr_state_apply_unchecked(&state, box, seat, ask(player->bot, player->memory, &state, seat, &rng));
        go_on(&state, seat);
    }
    count_up(&state, seat, points, margin);
}

/* A game of each player. */
static bool make(void *context, uint64_t game, FILE *to)
{
    const struct comparison *c = context;
    for (unsigned i = 0; i < c->count; i++) {
        int points, margin;
        play(c, &c->player[i], game, &points, &margin);
        fprintf(to, "%s%d %d", i ? " " : "", points, margin);
    }
    return true;
}

/* The clairvoyant comes first, since the others are compared with it. */
static bool find_players(struct comparison *c, char **names, unsigned count, char *list, size_t size)
{
    size_t length = (size_t)snprintf(list, size, "bot clairvoyant\n");
    c->count = 1;
    for (unsigned i = 0; i < count; i++) {
        const struct pyr_bot *bot = pyr_bot_find(names[i]);
        if (!bot || c->count == MOST_PLAYERS)
            return fprintf(stderr, bot ? "too many bots: '%s'\n" : "unknown bot '%s'\n", names[i]), false;
        size_t wanted = (bot->memory(box) + 63) / 64 * 64;
        void *memory = wanted ? aligned_alloc(64, wanted) : NULL;
        if (memory)
            bot->prepare(memory, box);
        c->player[c->count++] = (struct player){ bot, memory };
        length += (size_t)snprintf(list + length, size - length, "bot %s\n", bot->name);
    }
    return true;
}

int main(int argc, char **argv)
{
    static struct pyr_edition edition;
    static struct comparison c;
    struct job_options options;
    char list[MOST_PLAYERS * 40];
    if (!job_take(&argc, argv, &options))
        return 2;
    if (argc < 5) {
        fprintf(stderr, "usage: clairvoyant EDITION PLAYERS GAMES SEED BOT... [--shard I/N --output FILE]\n"
            "`pyramids merge FILE...` puts parts together; one that was stopped is continued.\n");
        return 2;
    }
    if (!edition_file_read(argv[1], &edition))
        return 1;
    uint64_t games = strtoull(argv[3], NULL, 10);
    c.seats = (unsigned)strtoul(argv[2], NULL, 10);
    c.seed = strtoull(argv[4], NULL, 10);
    if (c.seats < PYR_MIN_SEATS || c.seats > PYR_MAX_SEATS || !games)
        return fprintf(stderr, "2 to 4 players, at least a game\n"), 2;
    box = &edition.box;
    greedy = pyr_bot_find("greedy");
    tables = aligned_alloc(64, (sizeof *tables + 63) / 64 * 64);
    if (!tables || !find_players(&c, argv + 5, (unsigned)argc - 5, list, sizeof list))
        return 1;
    tables_prepare(tables, box, &weights_learned);
    int code = job_run(&job_clairvoyant, &options, job_text(&edition, "players %u\nseed %" PRIu64 "\n%s", c.seats, c.seed,
        list), games, make, &c);
    for (unsigned i = 0; i < c.count; i++)
        free(c.player[i].memory);
    free(tables);
    return code;
}
