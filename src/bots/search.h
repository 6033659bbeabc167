/*
 * search.h (search.c): the stronger bots: playouts in shared random states, as in flatmc, with learned weights and with the
 * extensions in struct search_plan: stopping after a few turns, an exact search of the last turns, a look ahead.
 */
#ifndef PYR_SEARCH_H
#define PYR_SEARCH_H

#include <pyramids/bots.h>

#include "ahead.h"
#include "value.h"

struct search_plan {
    unsigned playouts[PYR_MAX_SEATS - 1];    /* by number of players, from two on; unless the budget says otherwise */
    unsigned candidates;         /* choices that are tried, the policy's best or the network's; at most SEARCH_MOST */
    unsigned rounds;             /* of halving */
    unsigned turns;              /* after which a playout stops, beside the present one */
    unsigned breadth;            /* of the count of the last turns (endgame.h) */
    float slack;                 /* expected points that the chance to win may cost there */
    bool exact;                  /* playouts look at every mark (policy_step) */
    const struct net *net;       /* judges choices before playouts and desks at their end; NULL: the policy and value.h do */
    struct ahead_plan ahead;     /* with a network: how far choices are looked into before the playouts, */
    float near;                  /* and how many points behind the best one they may be to stay in the search */
    float spread;                /* points by which a result is smoothed, in addition to the value's own uncertainty */
};

#define SEARCH_MOST 48

pyr_step search_choose(const struct tables *tables, const struct search_plan *plan, const struct pyr_box *box,
    const struct pyr_view *view, struct pyr_rng *rng, const struct pyr_budget *budget);

#endif
