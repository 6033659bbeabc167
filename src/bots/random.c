/*
 * random.c: chooses uniformly among the legal steps. A fixed yardstick: the low end of the scale of strength.
 */
#include "list.h"

static size_t no_memory(const struct pyr_box *box)
{
    (void)box;
    return 0;
}

static void nothing_to_prepare(void *memory, const struct pyr_box *box)
{
    (void)memory, (void)box;
}

static pyr_step choose(void *memory, const struct pyr_box *box, const struct pyr_view *view, struct pyr_rng *rng,
    const struct pyr_budget *budget)
{
    struct pyr_steps steps;
    (void)memory, (void)budget;
    pyr_view_steps(view, box, &steps);
    return pyr_steps_pick(&steps, box, rng);
}

const struct pyr_bot bot_random = { "random", no_memory, nothing_to_prepare, choose };
