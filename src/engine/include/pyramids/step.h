/*
 * step.h (steps.c): one decision of a player, and the set of all that are legal.
 *
 * A whole choice is one or more steps: a first mark and its extra marks, a keep, one or two takes or draws.
 */
#ifndef PYR_STEP_H
#define PYR_STEP_H

#include <pyramids/box.h>
#include <pyramids/rng.h>

PYR_BEGIN_DECLS

/*
 * A step. A mark is the set of its spaces (a pyr_pair with bits on one card only). The rest has PYR_STEP_OTHER set, a bit
 * that is never a space, with the kind in bits 30 and 31 and cards in the low twelve bits. 0 is no step.
 */
typedef uint64_t pyr_step;

#define PYR_MAX_CHOICE 50        /* steps in a choice: two cards have no more spaces */

#define PYR_STEP_NONE ((pyr_step)0)
#define PYR_STEP_OTHER ((pyr_step)1 << 29)
#define PYR_STEP_KIND_SHIFT 30
#define PYR_STEP_SECOND_SHIFT 6

enum pyr_step_kind { PYR_STEP_PASS = 0, PYR_STEP_KEEP = 1, PYR_STEP_TAKE = 2, PYR_STEP_DRAW = 3, PYR_STEP_MARK = 4 };

static inline enum pyr_step_kind pyr_step_kind(pyr_step step)
{
    return step & PYR_STEP_OTHER ? (enum pyr_step_kind)(step >> PYR_STEP_KIND_SHIFT & 3) : PYR_STEP_MARK;
}

static inline pyr_step pyr_step_encode(enum pyr_step_kind kind, unsigned first, unsigned second)
{
    return PYR_STEP_OTHER | (pyr_step)kind << PYR_STEP_KIND_SHIFT | first | (pyr_step)second << PYR_STEP_SECOND_SHIFT;
}

static inline pyr_step pyr_step_pass(void) { return pyr_step_encode(PYR_STEP_PASS, 0, 0); }
static inline pyr_step pyr_step_draw(void) { return pyr_step_encode(PYR_STEP_DRAW, 0, 0); }
static inline pyr_step pyr_step_take(pyr_card card) { return pyr_step_encode(PYR_STEP_TAKE, card, 0); }

/* The same step whichever card is named first. */
static inline pyr_step pyr_step_keep(pyr_card a, pyr_card b)
{
    return a < b ? pyr_step_encode(PYR_STEP_KEEP, a, b) : pyr_step_encode(PYR_STEP_KEEP, b, a);
}

/* The card of a take, the cards of a keep. */
static inline pyr_card pyr_step_card(pyr_step step) { return (pyr_card)(step & 63); }
static inline pyr_card pyr_step_second(pyr_step step) { return (pyr_card)(step >> PYR_STEP_SECOND_SHIFT & 63); }

/* Of a mark: which of the two cards, and its spaces there. */
static inline unsigned pyr_step_slot(pyr_step step) { return step >> PYR_PAIR_SHIFT != 0; }

static inline pyr_spaces pyr_step_spaces(pyr_step step)
{
    return pyr_pair_half(pyr_step_slot(step), step);
}

/*
 * All legal steps of a seat. Marks are stored as sets of anchors, one word per turn of the pattern and, after the
 * pattern's `words` (box.h), one for single spaces: counting and picking need no list. Other steps (at most six) are
 * listed.
 */
struct pyr_steps {
    uint64_t set[PYR_MAX_TURNS + 1];
    uint32_t before[PYR_MAX_TURNS + 1];      /* marks before each word, for patterns of more than two turns */
    uint32_t count;              /* how many steps there are */
    pyr_pattern pattern;         /* which pattern the sets are anchors of; PYR_NO_PATTERN: set is a list of steps */
    uint8_t reserved[3];
};

/*
 * The index-th legal step, index below steps->count. The order is the same on every machine: turn by turn, the single
 * spaces last, each from a1 of the first card to e5 of the second.
 */
PYR_API pyr_step pyr_steps_at(const struct pyr_steps *steps, const struct pyr_box *box, uint32_t index);

/* Whether two whole choices are the same: the same steps in the same order. */
PYR_API bool pyr_choice_is_same(const pyr_step *a, unsigned a_count, const pyr_step *b, unsigned b_count);

/* A uniform choice; steps->count is at least 1. */
PYR_API pyr_step pyr_steps_pick(const struct pyr_steps *steps, const struct pyr_box *box, struct pyr_rng *rng);

PYR_END_DECLS

#endif
