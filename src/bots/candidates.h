/*
 * candidates.h: the choices that a search compares: the policy's best at first, then ranked by the results of their
 * playouts. Shared by all searches.
 */
#ifndef PYR_CANDIDATES_H
#define PYR_CANDIDATES_H

#include "policy.h"

struct candidate {
    pyr_step step;
    float value;                 /* sum over playouts */
    int prior;
};

/* The best choices by the policy, best first; at most `most` of them. */
static inline unsigned candidates_find(const struct tables *tables, const struct pyr_box *box, const struct pyr_view *view,
    struct candidate *list, unsigned most)
{
    struct pyr_steps steps;
    unsigned count = 0;
    pyr_view_steps(view, box, &steps);
    for (uint32_t i = 0; i < steps.count; i++) {
        struct candidate c = { pyr_steps_at(&steps, box, i), 0, 0 };
        c.prior = policy_value_step(tables, box, &view->open, &view->mine, c.step);
        unsigned at = count < most ? count++ : most;
        for (; at && list[at - 1].prior < c.prior; at--)
            if (at < most)
                list[at] = list[at - 1];
        if (at < most)
            list[at] = c;
    }
    return count;
}

/* Best value first; equals keep their order. */
static inline void candidates_sort(struct candidate *list, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        struct candidate c = list[i];
        unsigned at = i;
        for (; at && list[at - 1].value < c.value; at--)
            list[at] = list[at - 1];
        list[at] = c;
    }
}

#endif
