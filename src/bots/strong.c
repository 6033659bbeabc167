/*
 * strong.c: expert and master: search by playouts that stop early (search.h).
 *
 * Measured in duplicate games of two against flatmc, on an earlier state of the classic edition, 1,000 playouts a step on both sides: stopping after 0, 1,
 * 3, 6 turns won 47, 60, 70, 66 of 100 (+-7) in a fifth of its time; playing on to the end 55 and 63 with results smoothed by 10 and 20 points,
 * 49 without. So most of the gain is the value at the end of a short playout, then the goal. With all 4,000 of flatmc's playouts: 8,000 of ours win
 * 53 (+-6), 30,000 win 54 (+-8), 20,000 in which everyone looks at every mark 57 (+-8): better players, not more games.
 *
 * Master plays on to the end, with more playouts, more choices, and a wider count of the last turns. Against an expert of 4,000 playouts, 24,000 that
 * stop after 5, 10 turns and not at all won 50 (+-5), 49 (+-7) and 51 (+-7): neither more nor longer playouts are known to help; what is left is a better value.
 */
#include "list.h"
#include "search.h"

enum { PLAY_OUT = PYR_ROUNDS * PYR_TURNS };  /* more turns than are ever to come */

static const struct search_plan expert_plan = {
    .playouts = { 16000, 9000, 5000 }, .candidates = 16, .rounds = 4, .turns = 5, .breadth = 16, .slack = 0.2f, .exact = true, .spread = 10
};
static const struct search_plan master_plan = {
    .playouts = { 50000, 24000, 14000 }, .candidates = 24, .rounds = 5, .turns = PLAY_OUT, .breadth = 32, .slack = 0.05f, .exact = true, .spread = 10
};

static size_t memory_size(const struct pyr_box *box)
{
    (void)box;
    return sizeof(struct tables);
}

static void prepare(void *memory, const struct pyr_box *box)
{
    tables_prepare(memory, box, &weights_learned);
}

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

const struct pyr_bot bot_expert = { "expert", memory_size, prepare, choose_expert };
const struct pyr_bot bot_master = { "master", memory_size, prepare, choose_master };
