/*
 * base.h: the vocabulary that every part of the core shares: sizes of the game, small integer types, spaces of a chamber,
 * and error codes (err.h).
 *
 * The core (engine, lines, edition, record, match, bots, session) is freestanding C11: it allocates nothing, has no writable
 * globals, and compiles unchanged for a desktop and for bare wasm32.
 */
#ifndef PYR_BASE_H
#define PYR_BASE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pyramids/api.h>
#include <pyramids/err.h>

PYR_BEGIN_DECLS

#define PYR_CARDS 48             /* pyramid cards (R1), numbered 1 to 48 */
#define PYR_COLOURS 3            /* green, orange, purple */
#define PYR_CARDS_A_COLOUR 16
#define PYR_PATTERNS 6           /* different patterns (R2) */
#define PYR_EXPEDITIONS 8        /* expedition cards, two or more alike */
#define PYR_MAX_TURNS 8          /* ways to turn and mirror a pattern */
#define PYR_MIN_SEATS 2
#define PYR_MAX_SEATS 4
#define PYR_ROUNDS 4             /* R15 */
#define PYR_TURNS 7              /* turns per round; the 8th card stays hidden */
#define PYR_DEALT 4              /* cards dealt to a player (R4) */
#define PYR_KEPT 2               /* cards that each player keeps of those dealt (R4) */
#define PYR_SLOTS PYR_KEPT       /* places for cards on a desk; they begin with the cards kept */
#define PYR_DISPLAY 4            /* cards in the display (R5) */
#define PYR_GEMS 10              /* gems of a colour on the score card (R3) */
#define PYR_SKULLS 10            /* skulls on the score card */
#define PYR_TILES 3              /* pyramid points per colour: 10, 6, 3 */
#define PYR_SIDE 5               /* a chamber has 5x5 spaces */

enum pyr_colour { PYR_GREEN = 0, PYR_ORANGE = 1, PYR_PURPLE = 2 };

/* A seat, from 0; texts and records show seat + 1. */
typedef uint8_t pyr_seat;
#define PYR_NOBODY ((pyr_seat)0xff)

/* A pyramid card as an index: its number less one. */
typedef uint8_t pyr_card;
#define PYR_NO_CARD ((pyr_card)0xff)

/* A set of cards: bit i is card i. */
typedef uint64_t pyr_cardset;
#define PYR_CARD_BIT(card) ((pyr_cardset)1 << (card))

/* A pattern as an index into the box. PYR_SINGLE is the one space that may be marked instead (R8), and the extra mark
 * of a cross (R11). */
typedef uint8_t pyr_pattern;
#define PYR_SINGLE ((pyr_pattern)PYR_PATTERNS)
#define PYR_NO_PATTERN ((pyr_pattern)0xff)

/*
 * A set of spaces of one chamber: space (row, column), both from 0, is bit row * 6 + column. The sixth column is always
 * empty, so that shifting a set by a step to a neighbour never wraps into the next row.
 */
typedef uint32_t pyr_spaces;
#define PYR_ROW 6
#define PYR_SPACE(row, column) ((pyr_spaces)1 << ((row) * PYR_ROW + (column)))
#define PYR_ALL_SPACES ((pyr_spaces)0x1f7df7df)

/*
 * A set of spaces of both chambers of a desk: the first card's in bits 0 to 28, the second card's in bits 35 to 63. The
 * gap of six bits is the least at which a step up or down from one chamber cannot land in the other, so both cards are
 * worked on at once.
 */
typedef uint64_t pyr_pair;
#define PYR_PAIR_SHIFT 35

static inline pyr_pair pyr_pair_of(unsigned slot, pyr_spaces spaces)
{
    return (pyr_pair)spaces << (slot ? PYR_PAIR_SHIFT : 0);
}

static inline pyr_spaces pyr_pair_half(unsigned slot, pyr_pair pair)
{
    return (pyr_spaces)(slot ? pair >> PYR_PAIR_SHIFT : pair) & PYR_ALL_SPACES;
}

PYR_END_DECLS

#endif
