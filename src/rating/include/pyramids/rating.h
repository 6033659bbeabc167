/*
 * rating.h (rating.c): how strong players are, from the places of games with 2 to 4 players: the Plackett-Luce model of Weng
 * and Lin ("A Bayesian Approximation Method for Online Ranking", 2011) with the constants that OpenSkill made common.
 * docs/ratings.md has the formula and which games count.
 *
 * The same games give the same numbers on every machine: no libm, and no fused operations.
 */
#ifndef PYR_RATING_H
#define PYR_RATING_H

#include <stdbool.h>
#include <stdint.h>

#include <pyramids/base.h>

PYR_BEGIN_DECLS

#define PYR_RATING_GAMES 10      /* with fewer games no number is shown */
#define PYR_RATING_CERTAIN 5.0   /* with a larger sigma a rating is provisional */

struct pyr_rating {
    double mu, sigma;            /* the strength that is expected, and its standard deviation */
};

/* A player without games: 25 and 25/3. */
PYR_API void pyr_rating_init(struct pyr_rating *rating);

/* Updates the ratings of `count` players, at most PYR_MAX_SEATS, after one game. place[i] is 1 for the winner; equal
 * numbers are equal places, and numbers may be left out. Nothing changes if there are fewer than two players, more than
 * PYR_MAX_SEATS, or a rating that no game can lead to. */
PYR_API void pyr_rating_update(struct pyr_rating *rating, const uint8_t *place, unsigned count);

/* The rating as it is shown: 1500 + 20 (mu - 25), and 20 sigma, rounded. */
PYR_API int pyr_rating_value(const struct pyr_rating *rating);
PYR_API int pyr_rating_deviation(const struct pyr_rating *rating);

/* Whether it may still change by much. */
PYR_API bool pyr_rating_is_provisional(const struct pyr_rating *rating);

PYR_END_DECLS

#endif
