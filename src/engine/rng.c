/*
 * rng.c: seeding and shuffles.
 *
 * The generator is a multiply-with-carry one with 64 bits of state (rng.h). Streams of one seed are independent for our
 * purposes: a seed and a stream number give a starting point anywhere on its cycle.
 */
#include <pyramids/rng.h>

#include "shuffle.h"

/* SplitMix64: spreads seeds that differ in one bit over the whole state. */
static uint64_t spread(uint64_t *x)
{
    uint64_t z = *x += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void pyr_rng_seed(struct pyr_rng *rng, uint64_t seed, uint64_t stream)
{
    uint64_t x = stream;
    uint64_t mixed = spread(&x);
    x = seed ^ mixed;
    uint64_t start = spread(&x);
    /* Carries stay below the multiplier less one; from there all numbers except 0 are on cycles of the full length. */
    uint32_t low = (uint32_t)start, carry = (uint32_t)(start >> 32) % UINT32_C(4294883354);
    rng->state = (uint64_t)carry << 32 | (low ? low : 1);
}

/* The first `wanted` items become a uniform choice in uniform order. The order of draws must not change: records and
 * tests depend on it for their seeds. */
void pyr_rng_choose(struct pyr_rng *rng, uint8_t *items, unsigned count, unsigned wanted)
{
    if (wanted > count)
        wanted = count;
    for (; count > SHUFFLE_REST && wanted >= SHUFFLE_BATCH;
         wanted -= SHUFFLE_BATCH, count -= SHUFFLE_BATCH, items += SHUFFLE_BATCH)
        shuffle_batch(rng, items, count);
    if (count <= SHUFFLE_REST && wanted) {
        shuffle_rest(rng, items, count);
        return;
    }
    for (; wanted; wanted--, count--, items++) {
        uint32_t pick = pyr_rng_below(rng, count);
        uint8_t moved = items[0];
        items[0] = items[pick];
        items[pick] = moved;
    }
}

void pyr_rng_shuffle(struct pyr_rng *rng, uint8_t *items, unsigned count)
{
    pyr_rng_choose(rng, items, count, count);
}
