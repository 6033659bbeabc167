/*
 * levels.c: novice, casual and club: the policy's choice with human mistakes.
 *
 * Every choice gets the policy's value plus a random error, roughly normal and at most three deviations: one point for
 * club, six for casual, fifteen for novice. So good moves are chosen most of the time, plausible ones sometimes, and
 * moves that even a beginner would avoid only if all are alike. The deviations were set by two-player matches on the
 * classic edition: casual wins 53, 11 and 2 of 100 against greedy with 2, 4 and 6 points; novice 100, 97, 87 and 77
 * against random with 4, 6, 10 and 15.
 */
#include "list.h"
#include "policy.h"

struct level {
    int slip;                    /* standard deviation of the error in 32nds of a point */
};

static const struct level novice = { 160 }, casual = { 64 }, club = { 12 };

/* The sum of three uniform numbers is nearly normal and has their deviation: -3 to 3 slips. */
static int slip(const struct level *level, struct pyr_rng *rng)
{
    uint32_t range = 2u * (uint32_t)level->slip + 1;
    int sum = 0;
    for (unsigned i = 0; i < 3; i++)
        sum += (int)pyr_rng_below(rng, range) - level->slip;
    return sum;
}

/* The error is drawn for each step, so the same position gives different choices. */
static pyr_step choose(const struct level *level, const struct tables *tables, const struct pyr_box *box,
    const struct pyr_view *view, struct pyr_rng *rng)
{
    struct pyr_steps steps;
    pyr_step best = PYR_STEP_NONE;
    int most = INT_MIN;
    pyr_view_steps(view, box, &steps);
    for (uint32_t i = 0; i < steps.count; i++) {
        pyr_step step = pyr_steps_at(&steps, box, i);
        int value = policy_value_step(tables, box, &view->open, &view->mine, step) + slip(level, rng);
        if (value > most || !best)
            most = value, best = step;
    }
    return best;
}

#define LEVEL(name, weights) \
    static pyr_step choose_##name(void *memory, const struct pyr_box *box, const struct pyr_view *view, \
        struct pyr_rng *rng, const struct pyr_budget *budget) \
    { \
        (void)budget; \
        return choose(&name, memory, box, view, rng); \
    } \
    const struct pyr_bot bot_##name = { #name, tables_memory, tables_prepare_##weights, choose_##name }

LEVEL(novice, plain);
LEVEL(casual, plain);
LEVEL(club, learned);
