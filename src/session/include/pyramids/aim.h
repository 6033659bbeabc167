/*
 * aim.h (aim.c): a pattern in a player's hand: turned, mirrored, held over a card, before it is marked. All clients with a
 * cursor share it. It does not implement rules; the engine decides what is legal.
 */
#ifndef PYR_AIM_H
#define PYR_AIM_H

#include <pyramids/state.h>

PYR_BEGIN_DECLS

/* Where the pattern is held. Plain data; clients keep it in their view. */
struct pyr_aim {
    uint8_t slot;                /* which of the two cards */
    uint8_t turn;                /* mirrored if 4 is set, then turned clockwise by quarters (the low two bits) */
    uint8_t row, column;         /* the top left corner of the pattern's outline; it is always inside the grid */
    uint8_t single;              /* 1: one space instead of the pattern (R8), or an extra mark */
};

/* A pattern (or PYR_SINGLE) in a turn, drawn against the top left corner. */
PYR_API pyr_spaces pyr_aim_shape(const struct pyr_box *box, pyr_pattern pattern, unsigned turn);

/* The spaces it covers, and the step that marks them. */
PYR_API pyr_spaces pyr_aim_spaces(const struct pyr_aim *aim, const struct pyr_box *box, pyr_pattern pattern);
PYR_API pyr_step pyr_aim_step(const struct pyr_aim *aim, const struct pyr_box *box, pyr_pattern pattern);

/* Whether marking there is legal, or why not. */
PYR_API enum pyr_err pyr_aim_check(const struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk,
    pyr_pattern pattern);

/* How many legal placements there are on a card, of the pattern (in all its turns) or of one space. */
PYR_API unsigned pyr_aim_count(const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern, unsigned slot,
    bool single);

/* Moves it by rows and columns as far as the grid allows. Returns whether it moved. */
PYR_API bool pyr_aim_move(struct pyr_aim *aim, const struct pyr_box *box, pyr_pattern pattern, int rows, int columns);

/*
 * Turns it by quarters (1 or -1) or, with 0, mirrors it left to right. Turns that look the same are skipped; so are those
 * that fit nowhere on the card, if another one fits. Its middle stays as near as the grid allows. Returns whether it looks
 * different now.
 */
PYR_API bool pyr_aim_turn(struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern,
    int quarters);

/* The same for a pattern that is placed: it moves to the nearest legal placement in the new turn on its card. If a
 * mirrored one fits nowhere, it is turned as well. With desk NULL only the turn changes, whether it fits or not.
 * Returns false, with nothing changed, if it fits (or looks) no other way. */
PYR_API bool pyr_aim_turn_placed(struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk,
    pyr_pattern pattern, int quarters);

/* Holds it as a step marks it: its card and place, and the nearest turn that looks like it. Returns false, with nothing
 * changed, if the step is neither a single space nor the pattern in some turn. */
PYR_API bool pyr_aim_hold(struct pyr_aim *aim, const struct pyr_box *box, pyr_pattern pattern, pyr_step step);

/* Carried over a card: the legal placement in the present turn whose middle is nearest to a point, in hundredths of a space
 * from the middle of a1. Returns false, with nothing changed, if there is none within 1.6 spaces. */
PYR_API bool pyr_aim_snap(struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern,
    unsigned slot, int row, int column);

/*
 * Holds it over a space of a card: of the legal placements in the present turn that cover the space, the one whose middle
 * is nearest; with `any_turn`, if there is none, the same in the nearest turn that has one (fewest quarters, a mirroring
 * counts two). Else as near to the space as the grid allows, over it in most cases. Returns whether it is legal.
 */
PYR_API bool pyr_aim_cover(struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk,
    pyr_pattern pattern, unsigned slot, unsigned row, unsigned column, bool any_turn);

/* The next (1) or previous (-1) legal placement, over both cards in all turns, card by card in reading order; begins again
 * at the end. Returns false, with nothing changed, if there is none. */
PYR_API bool pyr_aim_next(struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern,
    int direction);

/* Holds it over the legal placement that is nearest to where it is: in its turn, in another, on the other card. Where a
 * pattern fits nowhere it becomes a single space; for an extra mark it is one. Returns false if nothing at all can be
 * marked. */
PYR_API bool pyr_aim_settle(struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk,
    pyr_pattern pattern);

/* How far spaces are from a turn: the fewest quarters to the nearest turn that looks like them, which *turn becomes; a
 * mirroring counts two. PYR_AIM_NOT_ALIKE, with *turn untouched, if no turn of the pattern looks so. */
#define PYR_AIM_NOT_ALIKE 99u
PYR_API unsigned pyr_aim_apart(const struct pyr_box *box, pyr_pattern pattern, unsigned from, pyr_spaces spaces,
    unsigned *turn);

/*
 * Cycling: the legal placements that cover a space, the likeliest first, so that pointing again takes the next. They
 * are ordered by how far they are from the turn that is held, then by how near their middle is; the single space is
 * last (and alone if aim->single is set). Returns how many. Of aim only turn and single count. Callers keep the list
 * while they go through it, since the order depends on the turn, which placing changes.
 */
#define PYR_AIM_COVERING 40u     /* a pattern of four spaces in eight turns covers a space in at most 32 ways */
PYR_API unsigned pyr_aim_covering(const struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk,
    pyr_pattern pattern, unsigned slot, unsigned row, unsigned column, pyr_step to[PYR_AIM_COVERING]);

/* Painting: spaces of one card that were painted so far, all within some legal placement. Begin with zeroes. */
struct pyr_paint {
    pyr_spaces spaces;
    uint8_t slot;
};

/* How many legal placements of the pattern (or, with aim->single, of one space) hold all these spaces; *first is one of
 * them, in the turn that is held if there is such a one. */
PYR_API unsigned pyr_aim_holding(const struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk,
    pyr_pattern pattern, unsigned slot, pyr_spaces spaces, pyr_step *first);

/* Paints a space: it narrows the placements; one that fits none, or on the other card, starts afresh. *step is what would
 * be marked: a placement that holds all that is painted, or the space alone. Returns whether that is legal. */
PYR_API bool pyr_aim_paint(const struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk,
    pyr_pattern pattern, struct pyr_paint *paint, unsigned slot, unsigned row, unsigned column, pyr_step *step);

PYR_END_DECLS

#endif
