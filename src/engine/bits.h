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
#if defined(__x86_64__) && !defined(__POPCNT__)
    /* Where there is no instruction gcc calls a function, which costs more than its few operations. */
    set -= set >> 1 & UINT64_C(0x5555555555555555);
    set = (set & UINT64_C(0x3333333333333333)) + (set >> 2 & UINT64_C(0x3333333333333333));
    set = (set + (set >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(set * UINT64_C(0x0101010101010101) >> 56);
#else
    return (unsigned)__builtin_popcountll(set);
#endif
}

/* The number of the lowest bit; set is not empty. */
static inline unsigned bits_first(uint64_t set)
{
    return (unsigned)__builtin_ctzll(set);
}

/* The same, and 64 for the empty set: a single instruction on processors that define this case. */
static inline uint64_t bits_first_or_64(uint64_t set)
{
#ifdef PYR_FAST_BITS
    return _tzcnt_u64(set);
#else
    return set ? bits_first(set) : 64;
#endif
}

/* The index-th bit that is set, from the lowest, alone; there are more than index of them. */
static inline uint64_t bits_nth_bit(uint64_t set, unsigned index)
{
#ifdef PYR_FAST_BITS
    return _pdep_u64(UINT64_C(1) << index, set);
#else
    while (index--)
        set &= set - 1;
    return set & -set;
#endif
}

/* The spaces that touch the set by a side, and walls and bits beyond the edge: cut it to what is wanted. For
 * pyr_spaces, pyr_pair and vectors of pairs. */
#define NEIGHBOURS(set) ((set) << 1 | (set) >> 1 | (set) << PYR_ROW | (set) >> PYR_ROW)

#endif
