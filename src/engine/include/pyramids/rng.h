/*
 * rng.h (rng.c): random numbers for simulation and bots.
 *
 * A generator is a value that its owner keeps; the same seed gives the same numbers on every machine. Not for secrets: a
 * table between people supplies its chance from a cryptographic source (struct pyr_chance).
 */
#ifndef PYR_RNG_H
#define PYR_RNG_H

#include <pyramids/base.h>

PYR_BEGIN_DECLS

/* A multiply-with-carry generator (D. Thomas, MWC64X): period about 2^63, one multiplication per number. Never 0. */
struct pyr_rng {
    uint64_t state;
};

/* Seeds a generator; each pair of seed and stream starts at a different point of the sequence. */
PYR_API void pyr_rng_seed(struct pyr_rng *rng, uint64_t seed, uint64_t stream);

#define PYR_RNG_FACTOR UINT32_C(4294883355)
/* States are below it. Like 0 it would stay what it is. */
#define PYR_RNG_END (((uint64_t)PYR_RNG_FACTOR << 32) - 1)

/* The next 32 random bits. */
static inline uint32_t pyr_rng_next(struct pyr_rng *rng)
{
    uint32_t low = (uint32_t)rng->state, carry = (uint32_t)(rng->state >> 32);
    rng->state = (uint64_t)low * PYR_RNG_FACTOR + carry;
    return low ^ carry;
}

/* A number from 0 to bound - 1, each equally likely; bound is at least 1. Lemire's multiplication: the division that
 * keeps it exact is needed only once in 2^32 / bound draws. */
static inline uint32_t pyr_rng_below(struct pyr_rng *rng, uint32_t bound)
{
    uint64_t product = (uint64_t)pyr_rng_next(rng) * bound;
    if (__builtin_expect((uint32_t)product < bound, 0)) {
        uint32_t unfair = -bound % bound;
        while ((uint32_t)product < unfair)
            product = (uint64_t)pyr_rng_next(rng) * bound;
    }
    return (uint32_t)(product >> 32);
}

/* Puts the items in an order, each of the count! orders equally likely; count is at most 48. */
PYR_API void pyr_rng_shuffle(struct pyr_rng *rng, uint8_t *items, unsigned count);

/* Shuffles so that the first `wanted` items are a uniform ordered choice; the rest is left in some order. */
PYR_API void pyr_rng_choose(struct pyr_rng *rng, uint8_t *items, unsigned count, unsigned wanted);

PYR_END_DECLS

#endif
