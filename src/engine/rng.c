/* rng.c: seeding and shuffles. */
#include <pyramids/rng.h>

/* SplitMix64: spreads seeds that differ in a bit over all of the state. */
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
    /* Carries stay below the multiplier less one; from there all numbers but 0 lie on cycles of the full length. */
    uint32_t low = (uint32_t)start, carry = (uint32_t)(start >> 32) % UINT32_C(4294883354);
    rng->state = (uint64_t)carry << 32 | (low ? low : 1);
}

/*
 * Several numbers from one draw (Brackett-Rozinsky and Lemire 2024): the fraction left over by one multiplication is the
 * input of the next. Exact, because a draw whose last fraction falls in the unfair remainder of the product of all
 * bounds is thrown away. Four numbers below 48 make a product below 2^23, so that is rare.
 */
#define BATCH 4

static inline uint32_t pick_one(uint8_t *items, uint32_t fraction, uint32_t bound)
{
    uint64_t scaled = (uint64_t)fraction * bound;
    uint32_t pick = (uint32_t)(scaled >> 32);
    uint8_t moved = items[0];
    items[0] = items[pick];
    items[pick] = moved;
    return (uint32_t)scaled;
}

/* A batch that was thrown away has moved items all the same; that does no harm, since whatever order they are in, the
 * next draw chooses uniformly from it. */
static inline void pick_batch(struct pyr_rng *rng, uint8_t *items, uint32_t bound)
{
    uint32_t product = bound * (bound - 1) * (bound - 2) * (bound - 3);
    for (;;) {
        uint32_t fraction = pyr_rng_next(rng);
        fraction = pick_one(items, fraction, bound);
        fraction = pick_one(items + 1, fraction, bound - 1);
        fraction = pick_one(items + 2, fraction, bound - 2);
        fraction = pick_one(items + 3, fraction, bound - 3);
        if (__builtin_expect(fraction >= product, 1) || fraction >= -product % product)
            return;
    }
}

/* The last eight or fewer in one draw: at most 8! = 40,320 orders. */
static inline void pick_rest(struct pyr_rng *rng, uint8_t *items, uint32_t count)
{
    static const uint16_t orders[] = { 1, 1, 2, 6, 24, 120, 720, 5040, 40320 };
    uint32_t product = orders[count], fraction;
    do {
        fraction = pyr_rng_next(rng);
        for (uint32_t bound = count; bound > 1; bound--)
            fraction = pick_one(items + (count - bound), fraction, bound);
    } while (__builtin_expect(fraction < product, 0) && fraction < -product % product);
}

void pyr_rng_choose(struct pyr_rng *rng, uint8_t *items, unsigned count, unsigned wanted)
{
    if (wanted > count)
        wanted = count;
    for (; count > 8 && wanted >= BATCH; wanted -= BATCH, count -= BATCH, items += BATCH)
        pick_batch(rng, items, count);
    if (count <= 8 && wanted) {
        pick_rest(rng, items, count);
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
