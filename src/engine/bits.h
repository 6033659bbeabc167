/*
 * bits.h: bit counting and the grid's geometry, in one place. `PYR_FAST_BITS` selects instructions that only newer x86
 * processors have; only hot_avx2.c, which runs where they exist, sets it.
 */
#ifndef PYR_BITS_H
#define PYR_BITS_H

#include <pyramids/base.h>

#ifdef PYR_FAST_BITS
#include <immintrin.h>
#endif

static inline unsigned bits_count(uint64_t set)
{
    return (unsigned)__builtin_popcountll(set);
}

/* The number of the lowest bit; set is not empty. */
static inline unsigned bits_first(uint64_t set)
{
    return (unsigned)__builtin_ctzll(set);
}

/* The number of the index-th bit that is set, from the lowest; there are more than index of them. */
static inline unsigned bits_nth(uint64_t set, unsigned index)
{
#ifdef PYR_FAST_BITS
    return bits_first(_pdep_u64(UINT64_C(1) << index, set));
#else
    while (index--)
        set &= set - 1;
    return bits_first(set);
#endif
}

/* The spaces that touch the set by a side, and walls and whatever lies beyond the edge: cut it to what is wanted. */
static inline pyr_pair pair_neighbours(pyr_pair set)
{
    return set << 1 | set >> 1 | set << PYR_ROW | set >> PYR_ROW;
}

static inline pyr_spaces spaces_neighbours(pyr_spaces set)
{
    return set << 1 | set >> 1 | set << PYR_ROW | set >> PYR_ROW;
}

#endif
