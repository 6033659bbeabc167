/*
 * glicko.h (glicko.c): Glicko-2 ratings (Mark Glickman, "Example of the Glicko-2 system", 2022), used for puzzles: you and
 * the puzzle are the two players of a game.
 *
 * Whole rating periods with any number of results, in plain double arithmetic with its own logarithm and exponential
 * function, so that every machine gets the same digits.
 */
#ifndef PYR_GLICKO_H
#define PYR_GLICKO_H

#include <pyramids/base.h>

PYR_BEGIN_DECLS

struct pyr_glicko {
    double rating;               /* on Glicko's scale: 1500 is the middle */
    double deviation;            /* of the rating: the true one is within two of them with 95% confidence */
    double volatility;           /* how erratic the results are, about 0.06 */
};

/* A new player: 1500, 350, 0.06. */
PYR_API struct pyr_glicko pyr_glicko_new(void);

/* One result against an opponent whose rating does not change here. */
struct pyr_glicko_result {
    double rating, deviation;    /* of the opponent */
    double score;                /* 1 for a win, 0 for a loss, 0.5 for a draw */
};

/* Glickman's system constant: how fast volatility changes. */
#define PYR_GLICKO_TAU 0.5

/* The player after a rating period with these results; with none only the deviation grows. The deviation never exceeds that
 * of a new player. Numbers that are not finite or out of range are replaced by those of a new player. */
PYR_API struct pyr_glicko pyr_glicko_update(const struct pyr_glicko *player, const struct pyr_glicko_result *results,
    unsigned count, double tau);

/* The expected score against an opponent, by both ratings and the opponent's deviation. */
PYR_API double pyr_glicko_expect(const struct pyr_glicko *player, double rating, double deviation);

PYR_END_DECLS

#endif
