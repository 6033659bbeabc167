/*
 * hot.h: generating and making marks (R8-R11, Q1-Q3), where a simulation spends its time. Inline, so that a loop over games
 * is compiled as one piece: for any processor, or with PYR_FAST_BITS for x86-64 with AVX2 and BMI2. Files that include
 * it for their inner loops are compiled once each way and pick at run time with cpu_is_fast; both ways give the same answers in the
 * same order (tests/test_engine.c holds them against each other).
 */
#ifndef PYR_HOT_H
#define PYR_HOT_H

#include <pyramids/state.h>

#include "bits.h"
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

#ifdef PYR_FAST_BITS
typedef uint64_t four_words __attribute__((vector_size(32)));

static inline four_words load_four(const uint64_t *from)
{
    return (four_words)_mm256_loadu_si256((const __m256i *)from);
}
#endif

/*
 * R9: a turn of the pattern fits where all its spaces are free; R10: one of them touches a mark. Both for both
 * cards at once, a word a turn. The shifts let the second card's spaces fall into the first one's word, but only at
 * anchors that are not `inside`. Returns how many anchors there are.
 */
#ifdef PYR_FAST_BITS
static inline unsigned find_four(const struct pyr_pattern_turns *p, unsigned turn, four_words f, four_words r, uint64_t *set)
{
    four_words a = load_four(&p->offset[0][turn]), b = load_four(&p->offset[1][turn]);
    four_words c = load_four(&p->offset[2][turn]);
    four_words fit = f & (f >> a) & (f >> b) & (f >> c) & load_four(&p->inside[turn]);
    _mm256_storeu_si256((__m256i *)&set[turn], (__m256i)(fit & (r | r >> a | r >> b | r >> c)));
    /* Words beyond the pattern's turns are zero: they need not be told apart. */
    return bits_count(set[turn]) + bits_count(set[turn + 1]) + bits_count(set[turn + 2]) + bits_count(set[turn + 3]);
}
#endif

static inline unsigned find_anchors(const struct pyr_pattern_turns *p, pyr_pair free, pyr_pair reach, uint64_t *set)
{
#ifdef PYR_FAST_BITS
    four_words f = { free, free, free, free }, r = { reach, reach, reach, reach };
    unsigned count = find_four(p, 0, f, r, set);
    if (__builtin_expect(p->turns > 4, 0))
        count += find_four(p, 4, f, r, set);
    return count;
#else
    unsigned count = 0;
    for (unsigned turn = 0; turn < p->turns; turn++) {
        uint64_t a = p->offset[0][turn], b = p->offset[1][turn], c = p->offset[2][turn];
        uint64_t fit = free & free >> a & free >> b & free >> c & p->inside[turn];
        set[turn] = fit & (reach | reach >> a | reach >> b | reach >> c);
        count += bits_count(set[turn]);
    }
    return count;
#endif
}

/* The legal marks of a desk; a pass when a first mark has nowhere to go; nothing when none is due. */
static inline void hot_mark_steps(const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern,
    struct pyr_steps *steps)
{
    pyr_pair reach = desk->reach;
    unsigned singles = bits_count(reach);
    if (!(desk->flags & PYR_DESK_FIRST)) {
        /* An extra mark; Q3 made sure that one that is due has somewhere to go. */
        steps->set[0] = reach;
        steps->pattern = PYR_SINGLE;
        steps->count = desk->due ? singles : 0;
    } else if (__builtin_expect(!reach, 0)) {
        steps->set[0] = pyr_step_pass();     /* Q7 */
        steps->pattern = PYR_NO_PATTERN;
        steps->count = 1;
    } else {
        const struct pyr_pattern_turns *p = &box->pattern[pattern];
        unsigned count = find_anchors(p, desk->free, reach, steps->set);
        steps->set[p->turns] = reach;
        steps->pattern = pattern;
        steps->count = count + singles;
    }
}

static inline pyr_step hot_steps_at(const struct pyr_box *box, const struct pyr_steps *steps, uint32_t index)
{
    if (__builtin_expect(steps->pattern == PYR_NO_PATTERN, 0))
        return steps->set[index];
    unsigned word = 0;
    for (;; word++) {
        unsigned count = bits_count(steps->set[word]);
        if (index < count)
            break;
        index -= count;
    }
    return box->pattern[steps->pattern].shape[word] << bits_nth(steps->set[word], index);
}

/* Is the mark, moved to bit 0, one of the pattern's turns? */
static inline bool hot_is_turn(const struct pyr_pattern_turns *p, uint64_t shape)
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
static inline bool hot_mark_is_legal(const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern, pyr_step mark)
{
    if (mark & ~desk->free || !(mark & desk->reach) || !desk->due)
        return false;
    uint64_t shape = mark >> bits_first(mark);
    return shape == 1 || (desk->flags & PYR_DESK_FIRST && hot_is_turn(&box->pattern[pattern], shape));
}

static inline unsigned at_most(unsigned n, unsigned most) { return n < most ? n : most; }

/* Torches and potions, rare enough to be worth a path of their own: takes them out of the lanes they were added to. */
static inline uint64_t settle_rare(uint64_t tally, unsigned round, uint64_t gain)
{
    uint64_t potions = gain & 0xff, torches = gain >> 8 & 0xff, skulls = tally >> 40 & 0xff;
    tally -= gain & 0xffff;
    tally |= (uint64_t)(torches != 0) << (32 + round);
    skulls = skulls < PYR_SKULLS ? skulls : PYR_SKULLS;
    uint64_t left = skulls > 2 * potions ? skulls - 2 * potions : 0;
    return (tally & ~((uint64_t)0xff << 40)) | left << 40;
}

/* Adding this to a tally carries into the top bit of a lane that counts past ten. */
#define TALLY_FULL ((uint64_t)(0x7f - 10) << 16 | (uint64_t)(0x7f - 10) << 24 | (uint64_t)(0x7f - 10) << 40)
#define TALLY_TOPS ((uint64_t)0x80 << 16 | (uint64_t)0x80 << 24 | (uint64_t)0x80 << 40)

/* Makes a mark that is known to be legal: R11 in the order of Q1. Returns the marks still due. */
static inline unsigned hot_mark_make(const struct pyr_box *box, struct pyr_desk *desk, unsigned round, pyr_step mark)
{
    const uint64_t *gains = box->gain[desk->card[pyr_step_slot(mark)]];
    pyr_pair free = desk->free & ~mark;
    pyr_pair reach = (desk->reach | pair_neighbours(mark)) & free;
    desk->free = free;
    desk->reach = reach;
    uint64_t gain = 0;
    do {
        gain += gains[bits_first(mark)];
        mark &= mark - 1;
    } while (mark);
    uint64_t tally = (desk->tally & ~((uint64_t)PYR_DESK_FIRST << 56)) - PYR_GAIN_CROSS + gain;
    if (gain & 0xffff)
        tally = settle_rare(tally, round, gain);
    desk->tally = tally;
    if (__builtin_expect(((tally + TALLY_FULL) & TALLY_TOPS) != 0, 0)) {
        desk->rubies = (uint8_t)at_most(desk->rubies, PYR_GEMS);
        desk->emeralds = (uint8_t)at_most(desk->emeralds, PYR_GEMS);
        desk->skulls = (uint8_t)at_most(desk->skulls, PYR_SKULLS);
    }
    unsigned due = tally >> 48 & 0xff;
    if (__builtin_expect(due != 0, 0) && !reach)
        desk->due = 0, due = 0;              /* Q3 */
    return due;
}

/* The rest of the rules, in state.c, reached when something rarer than a mark happens. */
void state_other_steps(const struct pyr_box *box, const struct pyr_table *open, const struct pyr_desk *mine,
    const pyr_card *dealt, pyr_seat seat, struct pyr_steps *steps);
void state_other_make(const struct pyr_box *box, struct pyr_state *state, pyr_seat seat, pyr_step step);
void state_end_marking(const struct pyr_box *box, struct pyr_state *state);

static inline void hot_state_steps(const struct pyr_box *box, const struct pyr_state *state, pyr_seat seat, struct pyr_steps *steps)
{
    const struct pyr_table *open = &state->open;
    if (__builtin_expect(open->phase == PYR_MARK && seat < open->seats, 1))
        hot_mark_steps(box, &state->desk[seat], open->revealed[open->turn], steps);
    else
        state_other_steps(box, open, &state->desk[seat & 3], state->hidden.dealt[seat & 3], seat, steps);
}

/* Makes a step that is known to be legal. */
static inline void hot_state_make(const struct pyr_box *box, struct pyr_state *state, pyr_seat seat, pyr_step step)
{
    struct pyr_table *open = &state->open;
    if (__builtin_expect((step & PYR_STEP_OTHER) != 0, 0)) {
        state_other_make(box, state, seat, step);
        return;
    }
    if (hot_mark_make(box, &state->desk[seat], open->round, step))
        return;
    open->waiting &= (uint8_t)~(1u << seat);
    if (!open->waiting)
        state_end_marking(box, state);
}

#endif
