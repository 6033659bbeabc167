/*
 * hand.h (hand.c): what a player at this terminal is doing: where the pattern is held, which cards are picked, and
 * what a placement would gain. It uses a match and draws nothing.
 */
#ifndef PYR_TUI_HAND_H
#define PYR_TUI_HAND_H

#include <pyramids/aim.h>
#include <pyramids/match.h>
#include <pyramids/story.h>

/* What the player has to do now (hand_state). */
enum hand_state {
    HAND_IDLE,                   /* nothing to decide: others replace, or no one plays here */
    HAND_KEEP,                   /* two of four */
    HAND_FIRST,                  /* the pattern, or one space */
    HAND_EXTRA,                  /* an extra mark */
    HAND_PASS,                   /* nothing can be marked (Q7) */
    HAND_READY,                  /* complete, to be confirmed or taken back */
    HAND_SEALED,                 /* confirmed, others are choosing */
    HAND_REPLACE,                /* a card from the display or the deck */
    HAND_OVER
};

#define HAND_DECK PYR_DISPLAY    /* the deck, as a place beside those of the display */

/* The aim and the cursors of one seat. Kept per seat, since people may share the screen. */
struct hand {
    struct pyr_aim aim;
    uint8_t at;                  /* the decision that the hand was prepared for: the line of the log */
    uint8_t picked, recent;      /* and the number of steps made; see hand_follow */
    uint32_t line;               /* the hand was made ready for the decision at this line of the log, */
    uint8_t steps;               /* after this many steps; see hand_follow */
    struct pyr_aim made[PYR_MAX_PARTS];      /* where the aim was at each step, for taking it back */
};

/* What a mark gains. */
struct gains {
    struct pyr_symbols symbols;  /* that it covers */
    bool torch_lost;             /* this round's torch was marked before */
    uint8_t healed;              /* skulls that potions erase */
    int before, after;           /* points, completed cards counted in */
    uint8_t due;                 /* extra marks to make afterwards */
    uint8_t lost;                /* extra marks that have nowhere to go (Q3) */
};

enum hand_state hand_state(const struct pyr_match *match, pyr_seat seat);

/* Puts the aim on a legal placement and the cursor on a card, when there is a new decision since the last call. */
void hand_follow(struct hand *hand, const struct pyr_match *match, pyr_seat seat);

/* The revealed pattern; PYR_NO_PATTERN when nothing is to be marked. */
pyr_pattern hand_pattern(const struct pyr_match *match);

/* Whether the mark under the cursor is legal, or why not, and what it gains if so. */
enum pyr_err hand_preview(const struct hand *hand, const struct pyr_match *match, pyr_seat seat, struct gains *gains);

/* What the steps made so far gain. */
void hand_made(const struct pyr_match *match, pyr_seat seat, struct gains *gains);

/* Moves over both cards: past the edge of one card is the other. */
void hand_move(struct hand *hand, const struct pyr_match *match, pyr_seat seat, int rows, int columns);
void hand_turn(struct hand *hand, const struct pyr_match *match, pyr_seat seat, int quarters);
bool hand_next(struct hand *hand, const struct pyr_match *match, pyr_seat seat, int direction);
void hand_card(struct hand *hand, const struct pyr_match *match, pyr_seat seat, unsigned slot);
void hand_single(struct hand *hand, const struct pyr_match *match, pyr_seat seat);
bool hand_cover(struct hand *hand, const struct pyr_match *match, pyr_seat seat, unsigned slot, unsigned row,
    unsigned column, bool any_turn);

/* KEEP: picks one of the four or lets it go; a third one replaces the one picked first. */
void hand_pick(struct hand *hand, unsigned card);

/* Makes the step under the cursor, a pass, or the keep that is picked. Returns the match's code if it refuses. */
enum pyr_err hand_place(struct hand *hand, struct pyr_match *match, pyr_seat seat);

/* Takes the last step back, with the aim where it was made. */
enum pyr_err hand_undo(struct hand *hand, struct pyr_match *match, pyr_seat seat);

/* A desk's points with the cards that are complete but not set aside yet. */
int hand_points(const struct pyr_box *box, const struct pyr_desk *desk, int tiles);

#endif
