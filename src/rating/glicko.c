/*
 * glicko.c: Glicko-2 (glicko.h). The steps are those of Glickman's paper.
 *
 * The core has no libm: the logarithm is a series after a reduction to a small range, with an error below 1e-14. Built with
 * -ffp-contract=off, so that no machine fuses a product with a sum.
 */
#include <pyramids/glicko.h>

#include "real.h"

#define SCALE 173.7178               /* Glicko points per unit of the internal scale */
#define NEW_RATING 1500.0
#define NEW_DEVIATION 350.0
#define NEW_VOLATILITY 0.06
#define LN2 0.693147180559945309417232121458
#define PI2 9.86960440108935861883449099988      /* pi squared */

struct pyr_glicko pyr_glicko_new(void)
{
    return (struct pyr_glicko){ NEW_RATING, NEW_DEVIATION, NEW_VOLATILITY };
}

static double exponential(double x)
{
    return real_exp(x > 700 ? 700 : x < -700 ? -700 : x);
}

/* x = m 2^n with m between 0.7 and 1.4, then the series of the inverse hyperbolic tangent; x is positive. */
static double logarithm(double x)
{
    int n = 0;
    if (!(x > 1e-300))
        return -690;
    for (; x > 1.4; x /= 2)
        n++;
    for (; x < 0.7; x *= 2)
        n--;
    double y = (x - 1) / (x + 1), square = y * y, power = y, sum = 0;
    for (unsigned i = 1; i < 48; i += 2, power *= square)
        sum += power / i;
    return 2 * sum + n * LN2;
}

/* Step 3: how much an opponent's result counts, given how well its rating is known. */
static double weight(double phi)
{
    return 1 / real_sqrt(1 + 3 * phi * phi / PI2);
}

static double expected(double mu, double other, double phi)
{
    return 1 / (1 + exponential(-weight(phi) * (mu - other)));
}

double pyr_glicko_expect(const struct pyr_glicko *player, double rating, double deviation)
{
    return expected((player->rating - NEW_RATING) / SCALE, (rating - NEW_RATING) / SCALE, deviation / SCALE);
}

/* The arguments of the search for the volatility (step 5). */
struct search {
    double delta2, phi2, v, a, tau2;
};

static double slope(const struct search *s, double x)
{
    double e = exponential(x), sum = s->phi2 + s->v + e;
    return e * (s->delta2 - sum) / (2 * sum * sum) - (x - s->a) / s->tau2;
}

/* Step 5: the zero of slope() by the Illinois algorithm. */
static double next_volatility(const struct search *s)
{
    double low = s->a, high;
    if (s->delta2 > s->phi2 + s->v) {
        high = logarithm(s->delta2 - s->phi2 - s->v);
    } else {
        double tau = real_sqrt(s->tau2);
        high = s->a - tau;
        for (unsigned k = 0; k < 100 && slope(s, high) < 0; k++)
            high -= tau;
    }
    double at_low = slope(s, low), at_high = slope(s, high);
    for (unsigned k = 0; k < 200 && (high - low > 1e-12 || low - high > 1e-12); k++) {
        double middle = low + (low - high) * at_low / (at_high - at_low), value = slope(s, middle);
        if (value * at_high <= 0)
            low = high, at_low = at_high;
        else
            at_low /= 2;
        high = middle;
        at_high = value;
    }
    return exponential(low / 2);
}

/* Written so that it is false for a NaN, too. */
static bool is_within(double x, double low, double high)
{
    return x >= low && x <= high;
}

static struct pyr_glicko sane(struct pyr_glicko player)
{
    if (!is_within(player.rating, -1e5, 1e5))
        player.rating = NEW_RATING;
    if (!is_within(player.deviation, 1, NEW_DEVIATION))
        player.deviation = NEW_DEVIATION;
    if (!is_within(player.volatility, 1e-4, 1))
        player.volatility = NEW_VOLATILITY;
    return player;
}

struct pyr_glicko pyr_glicko_update(const struct pyr_glicko *before, const struct pyr_glicko_result *results, unsigned count,
    double tau)
{
    struct pyr_glicko player = sane(*before);
    double mu = (player.rating - NEW_RATING) / SCALE, phi = player.deviation / SCALE;
    double information = 0, sum = 0;
    for (unsigned i = 0; i < count; i++) {               /* steps 3 and 4 */
        double other = (results[i].rating - NEW_RATING) / SCALE, other_phi = results[i].deviation / SCALE;
        double g = weight(other_phi), e = expected(mu, other, other_phi);
        information += g * g * e * (1 - e);
        sum += g * (results[i].score - e);
    }
    if (count && information > 1e-12) {
        double v = 1 / information, delta = v * sum;
        struct search search = { delta * delta, phi * phi, v, logarithm(player.volatility * player.volatility), tau * tau };
        player.volatility = next_volatility(&search);
        double apart = phi * phi + player.volatility * player.volatility;     /* step 6 */
        phi = 1 / real_sqrt(1 / apart + 1 / v);                                   /* step 7 */
        mu += phi * phi * sum;
    } else {
        phi = real_sqrt(phi * phi + player.volatility * player.volatility);
    }
    player.rating = mu * SCALE + NEW_RATING;             /* step 8 */
    player.deviation = phi * SCALE < NEW_DEVIATION ? phi * SCALE : NEW_DEVIATION;
    return player;
}
