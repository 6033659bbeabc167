/*
 * veteran.c: master as it was in version 0.2, a fixed yardstick: its choices never change, so that results against it can be
 * compared for years. (random, greedy and flatmc are the others.)
 *
 * It shares code and learned numbers with master as long as those do not change. tests/data/frozen.txt has choices of
 * all yardsticks; if a change to master would alter one of them, the old code or numbers must be kept for this bot.
 */
#include "list.h"
#include "search.h"

static const struct search_plan plan = {
    .playouts = { 60000, 32000, 20000 }, .candidates = 12, .rounds = 4, .turns = 5, .breadth = 32, .slack = 0.05f,
    .exact = true, .spread = 10, .net = &net_learned, .ahead = { .depth = 2, .tried = 6, .followed = 3 }, .near = 1
};

static pyr_step choose(void *memory, const struct pyr_box *box, const struct pyr_view *view, struct pyr_rng *rng,
    const struct pyr_budget *budget)
{
    return search_choose(memory, &plan, box, view, rng, budget);
}

const struct pyr_bot bot_veteran = { "veteran", tables_memory, tables_prepare_learned, choose };
