/*
 * err.h: every cause of failure in the core, a code each. Sentences are made of them in src/text, in the player's language,
 * with the rule that the comment names.
 */
#ifndef PYR_ERR_H
#define PYR_ERR_H

enum pyr_err {
    PYR_OK = 0,

    /* A game and its chance. */
    PYR_ERR_SEATS = -100,        /* not 2 to 4 players */
    PYR_ERR_CHANCE_DEAL,         /* R4: dealt cards are not different cards */
    PYR_ERR_CHANCE_DECK,         /* R5: the deck is not an order of the 48 cards */
    PYR_ERR_CHANCE_EXPEDITION,   /* R6: a round is not an order of the eight cards */
    PYR_ERR_NOT_IN_DECK,         /* R5: the card is not in the deck any more */
    PYR_ERR_NOT_IN_ROUND,        /* R6: all cards of that pattern were revealed in this round */
    PYR_ERR_STATE,               /* an invariant is broken (pyr_state_check) */

    /* A step. */
    PYR_ERR_PHASE = -200,        /* another action comes first */
    PYR_ERR_NOT_DUE,             /* this player has nothing to decide now */
    PYR_ERR_STEP,                /* not a step at all */
    PYR_ERR_NOT_DEALT,           /* R4: keeps a card that was not dealt, or one twice */
    PYR_ERR_NOT_ON_DESK,         /* R8: marks a card that this player does not have */
    PYR_ERR_WALL,                /* R9 */
    PYR_ERR_MARKED,              /* R9 */
    PYR_ERR_NO_ENTRANCE,         /* R10: the first mark on a card does not include the entrance */
    PYR_ERR_NO_TOUCH,            /* R10: no space touches a marked one */
    PYR_ERR_NOT_PATTERN,         /* R8: neither the pattern nor one space */
    PYR_ERR_EXTRA_ONE,           /* R11: an extra mark is one space */
    PYR_ERR_MUST_MARK,           /* R8: passes though something can be marked */
    PYR_ERR_MUST_PASS,           /* Q7: has no card, can only pass */
    PYR_ERR_NOT_IN_DISPLAY,      /* R12 */
    PYR_ERR_DECK_EMPTY,          /* R13 */
    PYR_ERR_EXTRA_MISSING,       /* R11, Q3: an extra mark is left out */
    PYR_ERR_EXTRA_TOO_MANY,      /* R11: a mark more than the crosses pay for */

    /* What is printed on the components. */
    PYR_ERR_PENALTY_FALLS = -300,/* R3: a skull costs less than the one before */
    PYR_ERR_PENALTY_RANGE,       /* more than PYR_MAX_PENALTY */
    PYR_ERR_PATTERN_SIZE,        /* R2: not 2 to 4 spaces */
    PYR_ERR_PATTERN_APART,       /* spaces do not hang together */
    PYR_ERR_PATTERN_CORNER,      /* an outer row or column is empty */
    PYR_ERR_PATTERN_ALIKE,       /* R2: the same as another one, turned or mirrored */
    PYR_ERR_COPIES,              /* R2: not eight expedition cards in all */
    PYR_ERR_CARD_SPACES,         /* symbols that overlap or lie on walls */
    PYR_ERR_CARD_ENTRANCE,       /* R1: not exactly one entrance, in the top row */
    PYR_ERR_CARD_TOMB,           /* R1: not exactly one tomb, in the bottom row */
    PYR_ERR_CARD_APART,          /* spaces do not hang together */
    PYR_ERR_CARD_COLOUR,         /* R1: not a colour */
    PYR_ERR_COLOUR_COUNT,        /* R1: not 16 cards of a colour */

    /* Text: lines and words. */
    PYR_ERR_TEXT_ENCODING = -400,/* not UTF-8, or a control character */
    PYR_ERR_TEXT_LINE,           /* a line is too long */
    PYR_ERR_TEXT_SPACE,          /* words are not separated by exactly one space */
    PYR_ERR_TEXT_HEADER,         /* the first line is not what the format begins with */
    PYR_ERR_TEXT_VERSION,        /* a version of the format that is not known */
    PYR_ERR_TEXT_KEYWORD,        /* an unknown keyword */
    PYR_ERR_TEXT_MISSING,        /* the line ends too early */
    PYR_ERR_TEXT_EXTRA,          /* the line goes on after its last word */
    PYR_ERR_TEXT_NUMBER,         /* not a plain decimal number */
    PYR_ERR_TEXT_RANGE,          /* a number outside its range */
    PYR_ERR_TEXT_LONG,           /* a name or title is too long */
    PYR_ERR_TEXT_COLOUR,         /* not green, orange or purple */
    PYR_ERR_TEXT_TWICE,          /* a line that may stand only once */
    PYR_ERR_TEXT_SPACES,         /* not a set of spaces such as a1b1a2 */
    PYR_ERR_TEXT_ORDER,          /* spaces not in reading order */
    PYR_ERR_TEXT_MOVE,           /* not a move such as 17:a1a2+22:c1 */
    PYR_ERR_TEXT_END,            /* the text ends too early */
    PYR_ERR_TEXT_FULL,           /* more lines of a kind than fit */

    /* Text: an edition. */
    PYR_ERR_EDITION_ROW = -500,  /* a row of a card: wrong length or character */
    PYR_ERR_EDITION_DRAWING,     /* a row of a pattern: wrong length or character */
    PYR_ERR_EDITION_PATTERNS,    /* not six patterns */
    PYR_ERR_EDITION_CARDS,       /* a card number is missing */
    PYR_ERR_EDITION_NEEDS,       /* name, title or skulls are missing */
    PYR_ERR_EDITION_SAME_NAME,   /* two patterns of one name */

    /* Text: a record. */
    PYR_ERR_RECORD_EDITION = -600,/* the record is of another edition */
    PYR_ERR_RECORD_EXPECTED,     /* another line comes here */
    PYR_ERR_RECORD_SEAT,         /* another seat comes here */
    PYR_ERR_RECORD_PLAYERS,      /* fewer than two players, or too many */
    PYR_ERR_RECORD_PATTERN,      /* the edition has no such pattern */
    PYR_ERR_RECORD_DEALT,        /* R4: the card was dealt before */
    PYR_ERR_RECORD_SHOW_COUNT,   /* R12: not as many cards as the display lacks */
    PYR_ERR_RECORD_POINTS,       /* R14: other points come here */
    PYR_ERR_RECORD_SCORE,        /* R16: the score is another */
    PYR_ERR_RECORD_WINNER,       /* R17: another wins */
    PYR_ERR_RECORD_OVER,         /* a line after the end of the game */

    /* A match. */
    PYR_ERR_NOT_READY = -700,    /* confirms a choice that is not complete */
    PYR_ERR_CONFIRMED,           /* the choice was confirmed already */
    PYR_ERR_NO_UNDO,             /* there is nothing to take back */
    PYR_ERR_NO_SUCH_LINE         /* the log has no such line */
};

#endif
