/*
 * err.h (err.c): every cause of failure in the core, one code each. src/text turns them into sentences in the player's
 * language.
 *
 * The list below is the only one: the enum, the names that the server sends and the page's constants (web/codes.js) are made
 * from it. Numbers are part of the binary interface: a cause keeps its number forever, and a new cause takes the next free
 * number of its group.
 */
#ifndef PYR_ERR_H
#define PYR_ERR_H

#include <pyramids/api.h>

PYR_BEGIN_DECLS

/* X(NAME, name, number, rule): PYR_ERR_NAME, its name on the wire, and the rule that it refers to ("" for none). */
#define PYR_ERRORS(X) \
    /* A game and its chance. */ \
    X(SEATS, seats, -100, "")                                 /* not 2 to 4 players */ \
    X(CHANCE_DEAL, chance_deal, -99, "R4")                    /* dealt cards are not different cards */ \
    X(CHANCE_DECK, chance_deck, -98, "R5")                    /* the deck is not an order of the 48 cards */ \
    X(CHANCE_EXPEDITION, chance_expedition, -97, "R6")        /* a round is not an order of the eight cards */ \
    X(NOT_IN_DECK, not_in_deck, -96, "R5")                    /* the card is not in the deck any more */ \
    X(NOT_IN_ROUND, not_in_round, -95, "R6")                  /* all cards of that pattern were revealed in this round */ \
    X(STATE, state, -94, "")                                  /* an invariant is broken (pyr_state_check) */ \
    /* A step. */ \
    X(PHASE, phase, -200, "")                                 /* another action comes first */ \
    X(NOT_DUE, not_due, -199, "")                             /* this player has nothing to decide now */ \
    X(STEP, step, -198, "")                                   /* not a step at all */ \
    X(NOT_DEALT, not_dealt, -197, "R4")                       /* keeps a card that was not dealt, or one twice */ \
    X(NOT_ON_DESK, not_on_desk, -196, "R8")                   /* marks a card that this player does not have */ \
    X(WALL, wall, -195, "R9")                                 /* marks a wall */ \
    X(MARKED, marked, -194, "R9")                             /* marks a space a second time */ \
    X(NO_ENTRANCE, no_entrance, -193, "R10")                  /* the first mark on a card does not include the entrance */ \
    X(NO_TOUCH, no_touch, -192, "R10")                        /* no space touches a marked one */ \
    X(NOT_PATTERN, not_pattern, -191, "R8")                   /* neither the pattern nor one space */ \
    X(EXTRA_ONE, extra_one, -190, "R11")                      /* an extra mark is one space */ \
    X(MUST_MARK, must_mark, -189, "R8")                       /* passes though something can be marked */ \
    X(MUST_PASS, must_pass, -188, "Q7")                       /* has no card, can only pass */ \
    X(NOT_IN_DISPLAY, not_in_display, -187, "R12")            /* takes a card that is not in the display */ \
    X(DECK_EMPTY, deck_empty, -186, "R13")                    /* draws though the deck is empty */ \
    X(EXTRA_MISSING, extra_missing, -185, "R11")              /* an extra mark is left out */ \
    X(EXTRA_TOO_MANY, extra_too_many, -184, "R11")            /* more extra marks than crosses */ \
    /* What is printed on the components. */ \
    X(PENALTY_FALLS, penalty_falls, -300, "R3")               /* a skull costs less than the one before */ \
    X(PENALTY_RANGE, penalty_range, -299, "R3")               /* more than PYR_MAX_PENALTY */ \
    X(PATTERN_SIZE, pattern_size, -298, "R2")                 /* not 2 to 4 spaces */ \
    X(PATTERN_APART, pattern_apart, -297, "R2")               /* spaces are not connected */ \
    X(PATTERN_CORNER, pattern_corner, -296, "R2")             /* an outer row or column is empty */ \
    X(PATTERN_ALIKE, pattern_alike, -295, "R2")               /* the same as another one, turned or mirrored */ \
    X(COPIES, copies, -294, "R2")                             /* not eight expedition cards in all */ \
    X(CARD_SPACES, card_spaces, -293, "R1")                   /* symbols that overlap or are on walls */ \
    X(CARD_ENTRANCE, card_entrance, -292, "R1")               /* not exactly one entrance, in the top row */ \
    X(CARD_TOMB, card_tomb, -291, "R1")                       /* not exactly one tomb, in the bottom row */ \
    X(CARD_APART, card_apart, -290, "R1")                     /* spaces are not connected */ \
    X(CARD_COLOUR, card_colour, -289, "R1")                   /* not a colour */ \
    X(COLOUR_COUNT, colour_count, -288, "R1")                 /* not 16 cards of a colour */ \
    /* Text: lines and words. */ \
    X(TEXT_ENCODING, text_encoding, -400, "")                 /* not UTF-8, or a control character */ \
    X(TEXT_LINE, text_line, -399, "")                         /* a line is too long */ \
    X(TEXT_SPACE, text_space, -398, "")                       /* words are not separated by exactly one space */ \
    X(TEXT_HEADER, text_header, -397, "")                     /* the first line is not what the format begins with */ \
    X(TEXT_VERSION, text_version, -396, "")                   /* an unknown version of the format */ \
    X(TEXT_KEYWORD, text_keyword, -395, "")                   /* an unknown keyword */ \
    X(TEXT_MISSING, text_missing, -394, "")                   /* the line ends too early */ \
    X(TEXT_EXTRA, text_extra, -393, "")                       /* the line continues after its last word */ \
    X(TEXT_NUMBER, text_number, -392, "")                     /* not a plain decimal number */ \
    X(TEXT_RANGE, text_range, -391, "")                       /* a number outside its range */ \
    X(TEXT_LONG, text_long, -390, "")                         /* a name or title is too long */ \
    X(TEXT_COLOUR, text_colour, -389, "")                     /* not green, orange or purple */ \
    X(TEXT_TWICE, text_twice, -388, "")                       /* a line that may appear only once */ \
    X(TEXT_SPACES, text_spaces, -387, "")                     /* not a set of spaces such as a1b1a2 */ \
    X(TEXT_ORDER, text_order, -386, "")                       /* spaces not in reading order */ \
    X(TEXT_MOVE, text_move, -385, "")                         /* not a move such as 17:a1a2+22:c1 */ \
    X(TEXT_END, text_end, -384, "")                           /* the text ends too early */ \
    X(TEXT_FULL, text_full, -383, "")                         /* more lines of a kind than fit */ \
    /* Text: an edition. */ \
    X(EDITION_ROW, edition_row, -500, "")                     /* a row of a card: wrong length or character */ \
    X(EDITION_DRAWING, edition_drawing, -499, "")             /* a row of a pattern: wrong length or character */ \
    X(EDITION_PATTERNS, edition_patterns, -498, "R2")         /* not six patterns */ \
    X(EDITION_CARDS, edition_cards, -497, "")                 /* a card number is missing */ \
    X(EDITION_NEEDS, edition_needs, -496, "")                 /* name, title or skulls are missing */ \
    X(EDITION_SAME_NAME, edition_same_name, -495, "")         /* two patterns with one name */ \
    /* Text: a record. */ \
    X(RECORD_EDITION, record_edition, -600, "")               /* the record is of another edition */ \
    X(RECORD_EXPECTED, record_expected, -599, "")             /* a different line is expected */ \
    X(RECORD_SEAT, record_seat, -598, "")                     /* a different seat is expected */ \
    X(RECORD_PLAYERS, record_players, -597, "")               /* fewer than two players, or too many */ \
    X(RECORD_PATTERN, record_pattern, -596, "")               /* the edition has no such pattern */ \
    X(RECORD_DEALT, record_dealt, -595, "R4")                 /* the card was dealt before */ \
    X(RECORD_SHOW_COUNT, record_show_count, -594, "R12")      /* not as many cards as the display lacks */ \
    X(RECORD_POINTS, record_points, -593, "R14")              /* different points are expected */ \
    X(RECORD_SCORE, record_score, -592, "R16")                /* wrong score */ \
    X(RECORD_WINNER, record_winner, -591, "R17")              /* wrong winner */ \
    X(RECORD_OVER, record_over, -590, "")                     /* a line after the end of the game */ \
    /* A match. */ \
    X(NOT_READY, not_ready, -700, "")                         /* confirms a choice that is not complete */ \
    X(CONFIRMED, confirmed, -699, "")                         /* the choice was confirmed already */ \
    X(NO_UNDO, no_undo, -698, "")                             /* there is nothing to take back */ \
    X(NO_SUCH_LINE, no_such_line, -697, "")                   /* the log has no such line */ \
    /* An environment. */ \
    X(ENV_OPTIONS, env_options, -800, "")                     /* options that are unknown or do not fit together */ \
    X(ENV_ARRAY, env_array, -799, "")                         /* an array is too short, or a needed one is missing */ \
    X(ENV_DATA, env_data, -798, "")                           /* not a saved game of this environment */

#define PYR_ERR_ENUMERATOR(NAME, name, number, rule) PYR_ERR_##NAME = number,
enum pyr_err {
    PYR_OK = 0,
    PYR_ERRORS(PYR_ERR_ENUMERATOR)
};
#undef PYR_ERR_ENUMERATOR

/* The name of a code in lower case without its prefix: "no_touch" for PYR_ERR_NO_TOUCH. "ok" for PYR_OK, NULL for a number
 * that is not a code. A name never changes and is never translated. */
PYR_API const char *pyr_err_name(enum pyr_err code);

/* The code of that name; PYR_OK if there is none. */
PYR_API enum pyr_err pyr_err_find(const char *name);

/* The rule of docs/rules.md that a code refers to, such as "R9"; "" if none. */
PYR_API const char *pyr_err_rule(enum pyr_err code);

PYR_END_DECLS

#endif
