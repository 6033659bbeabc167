/*
 * box.h (box.c): what is printed on the components, in the form that the rules work with.
 *
 * The engine does not depend on which box it plays: an edition (edition.h) fills struct pyr_components from a text
 * file, pyr_box_init checks it against R1-R3 and derives the tables. A box is constant while games are played with it.
 */
#ifndef PYR_BOX_H
#define PYR_BOX_H

#include <pyramids/base.h>

PYR_BEGIN_DECLS

/* The symbols (R11): the name of their set on a card, and their character in an edition. Everything that treats all symbols
 * alike is made from this list. */
#define PYR_SYMBOLS(X) X(cross, 'x') X(ruby, 'r') X(emerald, 'e') X(torch, 'f') X(skull, 's') X(potion, 'p')

/* One pyramid card: its spaces by their contents. A space is in `open` or a wall; entrance, tomb and the symbols are
 * disjoint subsets of `open`. */
struct pyr_card_face {
    pyr_spaces open, entrance, tomb;
#define PYR_SYMBOL_SET(name, character) pyr_spaces name;
    PYR_SYMBOLS(PYR_SYMBOL_SET)
#undef PYR_SYMBOL_SET
    uint8_t colour;              /* enum pyr_colour */
    uint8_t reserved[27];        /* zero; makes a face one cache line */
};

/* The printed components as read from a text: indexes are card number - 1 and pattern index. */
struct pyr_components {
    uint16_t penalty[PYR_SKULLS];            /* R3: never falling, at most PYR_MAX_PENALTY */
    pyr_spaces pattern[PYR_PATTERNS];        /* drawn against the top left corner */
    uint8_t copies[PYR_PATTERNS];            /* expedition cards with that pattern */
    struct pyr_card_face card[PYR_CARDS];
};

#define PYR_MAX_PENALTY 999

/*
 * A pattern in all its turns (quarter turns and mirrorings that differ). A turn is stored with its first space, in reading
 * order, at bit 0; the anchor of a placement is the place of that first space. shape[turns] is the single space.
 *
 * A turn fits at those anchors whose space and the spaces `offset` further on are free; since its spaces are connected, it
 * cannot stretch over the end of a row or of a card, where bits are never free. Patterns of fewer than four spaces have
 * offsets that are 0 or repeated.
 *
 * A set of marks takes `words` words of anchors and one more for single spaces. A pattern of one turn has a second word,
 * with offsets that fit nowhere, so that code for 2, 4 and 8 words serves all patterns. Those of 2 words are lines and the
 * square: their third offset is the sum of the others, which saves a step in finding where they fit.
 */
struct pyr_pattern_turns {
    uint64_t shape[PYR_MAX_TURNS + 1];       /* from shape[turns] on the single space */
    uint64_t offset[3][PYR_MAX_TURNS];
    uint8_t turns;                           /* 1, 2, 4 or 8; 0 for PYR_SINGLE */
    uint8_t words;                           /* 2, 4 or 8, at least turns; 0 for PYR_SINGLE */
    uint8_t size;                            /* spaces, 1 to 4 */
    uint8_t copies;
    uint8_t reserved[4 + 240];               /* zero; the next pattern is a shift away */
};

PYR_STATIC_ASSERT(sizeof(struct pyr_pattern_turns) == 512, "indexing a pattern is one shift");

/*
 * The gain of marking a space, in the lanes of struct pyr_desk's tally, so that up to four gains are added at once.
 * Skulls, gems, the tomb's flag and crosses (marks due) are counted where the desk counts them. Torches and potions are
 * counted in the upper half of the torches' lane, where one test shows that there is more to do, and removed again; the
 * skulls that potions erase are also counted in the upper half of the marks due.
 */
#define PYR_GAIN_SKULL ((uint64_t)1)
#define PYR_GAIN_RUBY ((uint64_t)1 << 8)
#define PYR_GAIN_EMERALD ((uint64_t)1 << 16)
#define PYR_GAIN_TORCH ((uint64_t)1 << 28)
#define PYR_GAIN_TOMB(slot) ((uint64_t)1 << (48 + (slot)))
#define PYR_GAIN_CROSS ((uint64_t)1 << 56)
#define PYR_GAIN_POTION ((uint64_t)2 << 60 | (uint64_t)1 << 28)

/* A row has one gain per bit of a pyr_pair and a zero at 64, for "no bit"; the rest fills cache lines. */
#define PYR_GAIN_ROW 72

struct pyr_box {
    pyr_pair touch[PYR_GAIN_ROW];            /* by bit of a pyr_pair: what touches it by a side, walls and gaps included */
    uint64_t gain[PYR_CARDS][PYR_GAIN_ROW];  /* by card and bit of a pyr_pair */
    uint8_t slot[64];                        /* by bit of a pyr_pair: the slot of its card */
    struct pyr_card_face card[PYR_CARDS];
    struct pyr_pattern_turns pattern[PYR_PATTERNS + 1];
    pyr_cardset colour[PYR_COLOURS];         /* the cards of each colour */
    uint8_t expedition[PYR_EXPEDITIONS];     /* pattern of each expedition card, in pattern order */
    uint16_t penalty[PYR_SKULLS];
    uint8_t reserved[4];
};

/* What pyr_box_init found wrong, and with which card or pattern (an index, or -1). */
struct pyr_box_fault {
    enum pyr_err code;
    int card, pattern;
    int other;                   /* the second of two patterns that are alike, else -1 */
};

/*
 * Checks the components and derives the box.
 * Returns PYR_OK, or the code of the first fault with *fault filled in (fault may be NULL); then *box is untouched.
 */
PYR_API enum pyr_err pyr_box_init(struct pyr_box *box, const struct pyr_components *components, struct pyr_box_fault *fault);

/* Returns the components that a box was made from: pyr_box_init of the result makes the same box. */
PYR_API void pyr_box_components(const struct pyr_box *box, struct pyr_components *components);

/* Spaces still to be marked on the shortest path to the tomb, given the free spaces of a card and those that can be marked
 * next; 0 when the tomb is not among the free ones. */
PYR_API unsigned pyr_card_distance(const struct pyr_card_face *card, pyr_spaces free, pyr_spaces reach);

PYR_END_DECLS

#endif
