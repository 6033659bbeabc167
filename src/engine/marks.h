/*
 * marks.h: generating and making marks (R8-R11, Q1-Q3), where a simulation spends its time. Inline, so that a loop over
 * games is compiled as one piece: for any processor, or with PYR_FAST_BITS for x86-64 with AVX2 and BMI2. Files that
 * include it for their inner loops are compiled once each way and pick at run time with cpu_is_fast; both ways give the
 * same answers in the same order (tests/test_engine.c compares them).
 */
#ifndef PYR_MARKS_H
#define PYR_MARKS_H

#include <pyramids/state.h>

#include "bits.h"
#include "phases.h"
#include "port.h"

#if defined(__x86_64__) && defined(PYR_WITH_AVX2)
#define PYR_HAS_FAST 1
#else
#define PYR_HAS_FAST 0
#endif

/* Whether this processor has what PYR_FAST_BITS asks for: two tests of what libgcc found at start-up, so no writable global
 * of ours and no indirect call. */
static inline bool cpu_is_fast(void)
{
#if PYR_HAS_FAST
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

/* For functions with a parameter that is a constant wherever they are called: the loops over it vanish. */
#define HOT_INLINE static inline __attribute__((always_inline))
#define RARE(claim) __builtin_expect((claim), 0)
#define EVEN_ODDS(claim) __builtin_expect_with_probability((claim), 1, 0.5)

/* Makes the compiler load a member again: spreading it over a vector straight from memory is cheaper than through a
 * register. */
#define RELOAD(member) __asm__("" : : "m"(member) : "memory")

/*
 * The place of a turn of a pattern in a set: all anchors, of both cards, whose space and those at the offsets a, b, c from
 * it are in the set. EVENLY for patterns of 2 words, where c is the sum of a and b (box.h). For words and vectors alike.
 */
#define LIES_IN(set, a, b, c) ((set) & (set) >> (a) & (set) >> (b) & (set) >> (c))
#define LIES_EVENLY_IN(set, a, b) (((set) & (set) >> (a)) & ((set) & (set) >> (a)) >> (b))

/*
 * R8-R10 for a desk: fills a set of marks (step.h) and returns how many there are. A turn fits where all its spaces are
 * free (R9), and touches nothing where all of them are free and out of reach (R10). `words` is the pattern's own.
 */
HOT_INLINE uint64_t find_marks(const struct pyr_pattern_turns *p, const struct pyr_desk *desk, uint64_t *set,
    uint32_t *before, const unsigned words)
{
#ifdef PYR_FAST_BITS
    if (words == 2) {
        /* Two turns at once. */
        __m128i a = _mm_loadu_si128((const __m128i *)p->offset[0]), b = _mm_loadu_si128((const __m128i *)p->offset[1]);
        __m128i fit = _mm_set1_epi64x((long long)desk->free);
        __m128i off = _mm_andnot_si128(_mm_set1_epi64x((long long)desk->reach), fit);
        fit = _mm_and_si128(fit, _mm_srlv_epi64(fit, a));
        off = _mm_and_si128(off, _mm_srlv_epi64(off, a));
        fit = _mm_and_si128(fit, _mm_srlv_epi64(fit, b));
        off = _mm_and_si128(off, _mm_srlv_epi64(off, b));
        fit = _mm_andnot_si128(off, fit);
        set[0] = (uint64_t)_mm_cvtsi128_si64(fit);
        set[1] = (uint64_t)_mm_extract_epi64(fit, 1);
    }
    for (unsigned t = 0; words > 2 && t < words; t += 4) {
        /* Four turns at once. */
        __m256i a = _mm256_loadu_si256((const __m256i *)&p->offset[0][t]),
                b = _mm256_loadu_si256((const __m256i *)&p->offset[1][t]);
        __m256i c = _mm256_loadu_si256((const __m256i *)&p->offset[2][t]);
        __m256i free = _mm256_set1_epi64x((long long)desk->free);
        __m256i apart = _mm256_andnot_si256(_mm256_set1_epi64x((long long)desk->reach), free);
        __m256i fit = _mm256_and_si256(_mm256_and_si256(free, _mm256_srlv_epi64(free, a)),
            _mm256_and_si256(_mm256_srlv_epi64(free, b), _mm256_srlv_epi64(free, c)));
        __m256i off = _mm256_and_si256(_mm256_and_si256(apart, _mm256_srlv_epi64(apart, a)),
            _mm256_and_si256(_mm256_srlv_epi64(apart, b), _mm256_srlv_epi64(apart, c)));
        _mm256_storeu_si256((__m256i *)&set[t], _mm256_andnot_si256(off, fit));
    }
    RELOAD(desk->free);
    RELOAD(desk->reach);
#else
    pyr_pair free = desk->free, apart = free & ~desk->reach;
    for (unsigned t = 0; t < words; t++) {
        uint64_t a = p->offset[0][t], b = p->offset[1][t], c = p->offset[2][t];
        set[t] = words == 2 ? LIES_EVENLY_IN(free, a, b) & ~LIES_EVENLY_IN(apart, a, b)
                            : LIES_IN(free, a, b, c) & ~LIES_IN(apart, a, b, c);
    }
#endif
    set[words] = desk->reach;
    uint64_t count = 0;
    for (unsigned t = 0; t <= words; t++) {
        if (words > 2)
            before[t] = (uint32_t)count;
        count += bits_count(set[t]);
    }
    return count;
}

/* The index-th mark of a set; `before` says how many lie before each word, where there are more than two turns. Without
 * branches, since they would be unpredictable. */
HOT_INLINE pyr_step nth_mark(const struct pyr_pattern_turns *p, const uint64_t *set, const uint32_t *before, uint32_t index,
    const unsigned words)
{
    if (words > 2) {
        unsigned word = 0;                   /* the last one with no more than index before it */
#ifdef PYR_FAST_BITS
        unsigned past;
        if (words == 4) {
            __m128i later = _mm_cmpgt_epi32(_mm_loadu_si128((const __m128i *)(before + 1)), _mm_set1_epi32((int)index));
            past = (unsigned)_mm_movemask_ps(_mm_castsi128_ps(later));
        } else {
            __m256i later =
                _mm256_cmpgt_epi32(_mm256_loadu_si256((const __m256i *)(before + 1)), _mm256_set1_epi32((int)index));
            past = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(later));
        }
        word = bits_first(past | 1u << words);
#else
        for (unsigned t = 1; t <= words; t++)
            word += index >= before[t];
#endif
        return p->shape[word] * bits_nth_bit(set[word], index - before[word]);
    }
    uint64_t in = set[0], shape = p->shape[0];
    uint32_t rank = index, sum = 0;
    for (unsigned t = 0; t < words; t++) {
        sum += bits_count(set[t]);
        bool is_before = EVEN_ODDS(index < sum);
        rank = is_before ? rank : index - sum;
        in = is_before ? in : set[t + 1];
        shape = is_before ? shape : p->shape[t + 1];
    }
    return shape * bits_nth_bit(in, rank);   /* moves it there */
}

/* The legal marks of a desk; a pass when a first mark has nowhere to go; nothing when none is due. */
static inline void marks_steps(const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern,
    struct pyr_steps *steps)
{
    const struct pyr_pattern_turns *p = &box->pattern[pattern];
    pyr_pair reach = desk->reach;
    steps->pattern = pattern;
    if (RARE(!(desk->flags & PYR_DESK_FIRST))) {
        /* An extra mark; Q3 made sure that one that is due has somewhere to go. */
        steps->set[0] = reach;
        steps->pattern = PYR_SINGLE;
        steps->count = desk->due ? bits_count(reach) : 0;
    } else if (RARE(!reach)) {
        steps->set[0] = pyr_step_pass();     /* Q7 */
        steps->pattern = PYR_NO_PATTERN;
        steps->count = 1;
    } else if (p->words == 2) {
        steps->count = (uint32_t)find_marks(p, desk, steps->set, steps->before, 2);
    } else if (p->words == 4) {
        steps->count = (uint32_t)find_marks(p, desk, steps->set, steps->before, 4);
    } else {
        steps->count = (uint32_t)find_marks(p, desk, steps->set, steps->before, 8);
    }
}

/* One call per number of words, so that nth_mark is compiled with that number as a constant. */
static inline pyr_step marks_steps_at(const struct pyr_box *box, const struct pyr_steps *steps, uint32_t index)
{
    if (RARE(steps->pattern == PYR_NO_PATTERN))
        return steps->set[index];
    const struct pyr_pattern_turns *p = &box->pattern[steps->pattern];
    switch (p->words) {
    case 0:
        return nth_mark(p, steps->set, steps->before, index, 0);
    case 2:
        return nth_mark(p, steps->set, steps->before, index, 2);
    case 4:
        return nth_mark(p, steps->set, steps->before, index, 4);
    default:
        return nth_mark(p, steps->set, steps->before, index, 8);
    }
}

/* Is the mark, moved to bit 0, one of the pattern's turns? */
static inline bool marks_is_turn(const struct pyr_pattern_turns *p, uint64_t shape)
{
    for (unsigned turn = 0; turn < p->turns; turn++)
        if (p->shape[turn] == shape)
            return true;
    return false;
}

/*
 * R8-R10 for one mark. A connected shape of free spaces cannot stretch over the ends of two rows or over two cards, since
 * the bits between those are never free: comparing shapes is all that R8 needs.
 */
static inline bool marks_is_legal(const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern,
    pyr_step mark)
{
    if (mark & ~desk->free || !(mark & desk->reach) || !desk->due)
        return false;
    uint64_t shape = mark >> bits_first(mark);
    return shape == 1 || (desk->flags & PYR_DESK_FIRST && marks_is_turn(&box->pattern[pattern], shape));
}

/* The lanes of a tally (state.h) that count to ten; adding ROOM carries into the top bit of one that counts past it. */
#define TALLY_TENS ((uint32_t)0x0a0a0a)
#define TALLY_ROOM ((uint32_t)0x757575)
#define TALLY_TOPS ((uint32_t)0x808080)
/* Torches and potions as gains count them, and the skulls that are erased. */
#define TALLY_MORE ((uint32_t)0xf0000000)
#define GAIN_MORE ((uint64_t)0xf0 << 56 | TALLY_MORE)

/* What an extra mark costs: itself. */
#define PAY_EXTRA PYR_GAIN_CROSS


/* From the 11th gem of a colour or skull on nothing happens (R11).
 * past - (past >> 7) turns the top bit of a lane that counted past ten into its seven lower bits: with the top bit, a
 * mask of the whole lane. */
static inline uint64_t tally_cut(uint64_t tally)
{
#ifdef PYR_FAST_BITS
    const __m128i most = _mm_cvtsi64_si128((long long)(~UINT64_C(0xffffff) | TALLY_TENS));
    return (uint64_t)_mm_cvtsi128_si64(_mm_min_epu8(_mm_cvtsi64_si128((long long)tally), most));
#else
    uint32_t past = ((uint32_t)tally + TALLY_ROOM) & TALLY_TOPS;
    uint32_t lanes = past | (past - (past >> 7));
    return (tally & ~(uint64_t)lanes) | (lanes & TALLY_TENS);
#endif
}

/* Full rows, torches and potions, in the order of Q1. A box may have the same symbol on every space, so none of them may
 * pay for the others. */
HOT_INLINE uint64_t tally_settle(uint64_t tally, uint64_t gain, unsigned round)
{
    tally = tally_cut(tally);
    if (!(gain & TALLY_MORE))
        return tally;
    uint64_t erased = gain >> 60;
    tally -= gain & GAIN_MORE;
#ifdef PYR_FAST_BITS
    tally = (uint64_t)_mm_cvtsi128_si64(_mm_subs_epu8(_mm_cvtsi64_si128((long long)tally),
        _mm_cvtsi64_si128((long long)erased)));
#else
    uint64_t skulls = tally & 0xff;
    tally -= erased < skulls ? erased : skulls;
#endif
    if ((gain >> 28 & 15) > erased / 2)
        tally |= UINT64_C(1) << (24 + round);
    return tally;
}

/* R11: crosses are added to the marks due, what was paid is taken off; the rest is rare enough to be looked for all at
 * once. */
HOT_INLINE uint64_t tally_add(uint64_t tally, uint64_t gain, unsigned round, uint64_t pay)
{
    tally = tally + gain - pay;
    if (RARE((((uint32_t)tally + TALLY_ROOM) & (TALLY_TOPS | TALLY_MORE)) != 0))
        tally = tally_settle(tally, gain, round);
    return tally;
}

/* Makes a mark that is known to be legal. Returns the marks still due. */
HOT_INLINE unsigned marks_make(const struct pyr_box *box, struct pyr_desk *desk, unsigned round, uint64_t pay,
    pyr_step mark)
{
    uint64_t at = bits_first_or_64(mark);
    const uint64_t *gains = box->gain[desk->card[box->slot[at]]];
    pyr_pair free = desk->free & ~mark, reach = desk->reach;
    uint64_t gain = gains[at];
    reach |= box->touch[at];
    /* Always four spaces: additions of nothing cost less than a loop of unforeseeable length. */
    for (unsigned space = 1; space < 4; space++) {
        mark &= mark - 1;
        at = bits_first_or_64(mark);
        gain += gains[at];
        reach |= box->touch[at];
    }
    reach &= free;
    desk->free = free;
    desk->reach = reach;
    uint64_t tally = tally_add(desk->tally, gain, round, pay);
    desk->tally = tally;
    unsigned due = (unsigned)(tally >> 56);
    if (RARE(due != 0) && RARE(!reach))
        due = desk->due = 0;                 /* Q3 */
    return due;
}

/* What the mark that is due will cost. */
static inline uint64_t marks_pay(const struct pyr_desk *desk)
{
    return PAY_EXTRA + ((uint64_t)(desk->flags & PYR_DESK_FIRST) << 48);
}

OUT_OF_LINE void other_steps(const struct pyr_state *state, pyr_seat seat, struct pyr_steps *steps)
{
    phase_steps(&state->open, state->hidden.dealt[seat & 3], seat, steps);
}

OUT_OF_LINE void other_make(const struct pyr_box *box, struct pyr_state *state, pyr_seat seat, pyr_step step)
{
    phase_make(box, state, seat, step);
}

OUT_OF_LINE void end_marking(const struct pyr_box *box, struct pyr_state *state)
{
    phase_end_marking(box, state);
}

static inline void marks_state_steps(const struct pyr_box *box, const struct pyr_state *state, pyr_seat seat,
    struct pyr_steps *steps)
{
    const struct pyr_table *open = &state->open;
    if (__builtin_expect(open->phase == PYR_MARK && seat < open->seats, 1))
        marks_steps(box, &state->desk[seat], open->revealed[open->turn], steps);
    else
        other_steps(state, seat, steps);
}

/* Makes a step that is known to be legal. */
static inline void marks_state_make(const struct pyr_box *box, struct pyr_state *state, pyr_seat seat, pyr_step step)
{
    struct pyr_table *open = &state->open;
    if (__builtin_expect((step & PYR_STEP_OTHER) != 0, 0)) {
        other_make(box, state, seat, step);
        return;
    }
    struct pyr_desk *desk = &state->desk[seat];
    if (marks_make(box, desk, open->round, marks_pay(desk), step))
        return;
    open->waiting &= (uint8_t)~(1u << seat);
    if (!open->waiting)
        end_marking(box, state);
}

#endif
