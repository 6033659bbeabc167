/*
 * rating.c: the Plackett-Luce model of Weng and Lin; see rating.h and docs/ratings.md.
 *
 * The model treats a game as a sequence of races: the winner is the first of all players, the second is the first of
 * the remaining ones, and so on. Race q is between the players whose place is that of q or worse. Players with equal
 * places share their races equally.
 */
#include <pyramids/rating.h>

#include "real.h"

#define MU 25.0
#define SIGMA (25.0 / 3)
#define BETA (25.0 / 6)          /* the influence of luck on a game, in addition to strength */
#define KAPPA 0.0001             /* the smallest fraction of a variance that is left after a game */
#define SCALE 20                 /* points shown per unit of mu */
#define MOST 1000.0              /* far beyond what games can lead to; ratings from outside may be anything */

void pyr_rating_init(struct pyr_rating *rating)
{
    *rating = (struct pyr_rating){ MU, SIGMA };
}

/* False for NaN, too. */
static bool is_sane(const struct pyr_rating *rating)
{
    return rating->mu > -MOST && rating->mu < MOST && rating->sigma > 0 && rating->sigma < MOST;
}

void pyr_rating_update(struct pyr_rating *rating, const uint8_t *place, unsigned count)
{
    double strength[PYR_MAX_SEATS], race[PYR_MAX_SEATS], squares = 0;
    unsigned equal[PYR_MAX_SEATS];
    if (count < 2 || count > PYR_MAX_SEATS)
        return;
    for (unsigned i = 0; i < count; i++) {
        if (!is_sane(&rating[i]))
            return;
        squares += rating[i].sigma * rating[i].sigma + BETA * BETA;
    }
    double c = real_sqrt(squares);
    for (unsigned i = 0; i < count; i++)     /* only differences matter: relative to the first, none is too large */
        strength[i] = real_exp((rating[i].mu - rating[0].mu) / c);
    for (unsigned q = 0; q < count; q++) {
        race[q] = 0;
        equal[q] = 0;
        for (unsigned i = 0; i < count; i++) {
            race[q] += place[i] >= place[q] ? strength[i] : 0;
            equal[q] += place[i] == place[q];
        }
    }
    for (unsigned i = 0; i < count; i++) {
        double omega = 0, delta = 0, variance = rating[i].sigma * rating[i].sigma;
        for (unsigned q = 0; q < count; q++) {
            if (place[q] > place[i])
                continue;                    /* a race that i is not in */
            double chance = strength[i] / race[q];
            omega += ((i == q) - chance) / equal[q];
            delta += chance * (1 - chance) / equal[q];
        }
        double left = 1 - delta * variance / (c * c) * (rating[i].sigma / c);
        rating[i].mu += omega * variance / c;
        rating[i].sigma *= real_sqrt(left > KAPPA ? left : KAPPA);
    }
}

static int rounded(double x)
{
    return x >= -1e6 && x <= 1e6 ? (int)(x < 0 ? x - 0.5 : x + 0.5) : 0;      /* 0 for NaN, too */
}

int pyr_rating_value(const struct pyr_rating *rating)
{
    return rounded(1500 + SCALE * (rating->mu - MU));
}

int pyr_rating_deviation(const struct pyr_rating *rating)
{
    return rounded(SCALE * rating->sigma);
}

bool pyr_rating_is_provisional(const struct pyr_rating *rating)
{
    return !(rating->sigma <= PYR_RATING_CERTAIN);
}
