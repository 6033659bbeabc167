/*
 * worth.h: what a desk is worth (R16), inline for loops over many desks; score.c is its public face.
 */
#ifndef PYR_WORTH_H
#define PYR_WORTH_H

#include <pyramids/score.h>

#include "bits.h"

/* The penalty of the worst skull. */
static inline int worth_penalty(const struct pyr_box *box, const struct pyr_desk *desk)
{
    return desk->skulls ? box->penalty[desk->skulls - 1] : 0;
}

static inline int worth_gems(const struct pyr_desk *desk)
{
    int rubies = desk->rubies, emeralds = desk->emeralds, pairs = rubies < emeralds ? rubies : emeralds;
    return pyr_rulebook.gem_pair * pairs + pyr_rulebook.gem * (rubies + emeralds - 2 * pairs);
}

static inline int worth_pyramids(const struct pyr_desk *desk)
{
    return pyr_rulebook.pyramid * (int)bits_count(desk->done);
}

static inline int worth_torches(const struct pyr_desk *desk)
{
    return pyr_rulebook.torch * (int)bits_count(desk->torches);
}

/* The sum, given the pyramid points. */
static inline int worth_total(const struct pyr_box *box, const struct pyr_desk *desk, int points)
{
    return worth_pyramids(desk) + worth_torches(desk) + points + worth_gems(desk) - worth_penalty(box, desk);
}

#endif
