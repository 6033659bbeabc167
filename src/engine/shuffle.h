/*
 * shuffle.h: the pieces of a shuffle, inline, for rng.c and for dealing (state.c), where counts are known beforehand.
 *
 * Several numbers from one draw (Brackett-Rozinsky and Lemire 2024): the fraction left over by one multiplication is the
 * input of the next. Exact, because a draw whose last fraction falls in the unfair remainder of the product of all
 * bounds is discarded. It has already moved items, which is harmless: in any order, the next draw chooses uniformly
 * from it.
 */
#ifndef PYR_SHUFFLE_H
#define PYR_SHUFFLE_H

#include <pyramids/rng.h>

/* Exchanges the first item with one of the first `bound`. */
static inline uint32_t shuffle_one(uint8_t *items, uint32_t fraction, uint32_t bound)
{
    uint64_t scaled = (uint64_t)fraction * bound;
    uint32_t pick = (uint32_t)(scaled >> 32);
    uint8_t moved = items[0];
    items[0] = items[pick];
    items[pick] = moved;
    return (uint32_t)scaled;
}

/* The first four of `bound` items become a uniform choice. Four numbers below 48 make a product below 2^23, so that few
 * draws are thrown away. */
#define SHUFFLE_BATCH 4

static inline void shuffle_batch(struct pyr_rng *rng, uint8_t *items, uint32_t bound)
{
    uint32_t product = bound * (bound - 1) * (bound - 2) * (bound - 3), fraction;
    do {
        fraction = pyr_rng_next(rng);
        fraction = shuffle_one(items, fraction, bound);
        fraction = shuffle_one(items + 1, fraction, bound - 1);
        fraction = shuffle_one(items + 2, fraction, bound - 2);
        fraction = shuffle_one(items + 3, fraction, bound - 3);
    } while (__builtin_expect(fraction < product, 0) && fraction < -product % product);
}

/* All of the last items, at most eight, in one draw: there are no more than 8! = 40,320 orders. */
#define SHUFFLE_REST 8

static inline void shuffle_rest(struct pyr_rng *rng, uint8_t *items, uint32_t count)
{
    static const uint16_t orders[] = { 1, 1, 2, 6, 24, 120, 720, 5040, 40320 };
    uint32_t product = orders[count], fraction;
    do {
        fraction = pyr_rng_next(rng);
        for (uint32_t bound = count; bound > 1; bound--)
            fraction = shuffle_one(items + (count - bound), fraction, bound);
    } while (__builtin_expect(fraction < product, 0) && fraction < -product % product);
}

#endif
