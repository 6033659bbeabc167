/*
 * search.h (search.c): the stronger players: playouts in common random worlds, as in flatmc, with learned weights and with what
 * struct search_plan adds.
 */
#ifndef PYR_SEARCH_H
#define PYR_SEARCH_H

#include <pyramids/bots.h>

#include "policy.h"
#include "value.h"

struct search_plan {
    unsigned playouts[PYR_MAX_SEATS - 1];    /* by number of players, from two on; unless the budget says otherwise */
    unsigned candidates;         /* choices that are tried, the policy's best; at most SEARCH_MOST */
    unsigned rounds;             /* of halving */
    unsigned turns;              /* after which a playout stops, beside the present one */
    unsigned breadth;            /* of the count of the last turns (endgame.h) */
    float slack;                 /* expected points that the chance to win may cost there */
    bool exact;                  /* playouts look at every mark (policy_step) */
    float spread;                /* points by which a result is smoothed, beside what the value is uncertain by */
};

#define SEARCH_MOST 48

pyr_step search_choose(const struct tables *tables, const struct search_plan *plan, const struct pyr_box *box,
    const struct pyr_view *view, struct pyr_rng *rng, const struct pyr_budget *budget);

#endif
