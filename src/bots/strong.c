/*
 * strong.c: expert and master: search by playouts that stop early (search.h).
 *
 * Measured in two-player duplicate games against flatmc, on an earlier version of the classic edition, 1,000 playouts per
 * step on both sides: stopping after 0, 1, 3, 6 turns won 47, 60, 70, 66 of 100 (+-7) in a fifth of its time; playing to the
 * end won 55 and 63 with results smoothed by 10 and 20 points, 49 without. So most of the gain comes from the value at the
 * end of a short playout, then from the smoothed goal. With all 4,000 of flatmc's playouts: 8,000 of ours win 53 (+-6),
 * 30,000 win 54 (+-8), 20,000 in which every player considers every mark win 57 (+-8): better playouts help, more of them do
 * not.
 *
 * Against an expert with 4,000 playouts, 24,000 that stop after 5, 10 turns and not at all won 50 (+-5), 49 (+-7) and 51
 * (+-7): neither more nor longer playouts help. So master starts with a search without randomness: two turns ahead
 * (ahead.h), to desks that a network rates (net.h). Choices less than a point behind the best continue to playouts, which
 * include the other players and who wins; the network rates the desks at their end. With 2,000 playouts on both sides, and
 * an earlier network, that won 55 (+-4) against expert's search in three quarters of its time. Tried without gain: adding
 * the result of the search to that of the playouts (51 +-5), three turns ahead with half a point (45 +-6), choices by the
 * network in playouts for two turns (57 +-7, six times the time), or for one turn against none (52 +-5, twice the time).
 */
#include "list.h"
#include "search.h"

/* By number of players (2, 3, 4): with more players a playout takes longer. */
static const struct search_plan expert_plan = {
    .playouts = { 16000, 9000, 5000 }, .candidates = 16, .rounds = 4, .turns = 5, .breadth = 16, .slack = 0.2f,
    .exact = true, .spread = 10
};
static const struct search_plan master_plan = {
    .playouts = { 60000, 32000, 20000 }, .candidates = 12, .rounds = 4, .turns = 5, .breadth = 32, .slack = 0.05f,
    .exact = true, .spread = 10, .net = &net_learned, .ahead = { .depth = 2, .tried = 6, .followed = 3 }, .near = 1
};

/* The functions of struct pyr_bot: the two differ only in their plan. `memory` has the tables. */
static pyr_step choose_expert(void *memory, const struct pyr_box *box, const struct pyr_view *view, struct pyr_rng *rng,
    const struct pyr_budget *budget)
{
    return search_choose(memory, &expert_plan, box, view, rng, budget);
}

static pyr_step choose_master(void *memory, const struct pyr_box *box, const struct pyr_view *view, struct pyr_rng *rng,
    const struct pyr_budget *budget)
{
    return search_choose(memory, &master_plan, box, view, rng, budget);
}

const struct pyr_bot bot_expert = { "expert", tables_memory, tables_prepare_learned, choose_expert };
const struct pyr_bot bot_master = { "master", tables_memory, tables_prepare_learned, choose_master };
