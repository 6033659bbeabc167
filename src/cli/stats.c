/*
 * stats.c: means, margins and Elo of weighted samples; see stats.h. A sample is a whole shuffle (all seatings of it),
 * because games of one shuffle are not independent; its weight is its number of games.
 */
#include <math.h>

#include "stats.h"

#define Z 1.959963984540054      /* 95% of a normal distribution are within this many standard deviations */

/* Sums with the weight and with its square: the mean uses the first, its variance the second. */
void stats_add(struct stats *s, double value, double weight)
{
    s->count++;
    s->weight += weight;
    s->sum += weight * value;
    s->weights2 += weight * weight;
    s->sums2 += weight * weight * value;
    s->squares2 += weight * weight * value * value;
}

double stats_mean(const struct stats *s)
{
    return s->weight > 0 ? s->sum / s->weight : 0;
}

/* The variance of the mean: the estimate for a ratio of sums over clusters, which for equal weights is the usual s^2 / n. */
static double variance_of_mean(const struct stats *s)
{
    double mean = stats_mean(s);
    if (s->count < 2)
        return 0;
    double squares = s->squares2 - 2 * mean * s->sums2 + mean * mean * s->weights2;
    return squares > 0 ? squares / (s->weight * s->weight) * s->count / (s->count - 1) : 0;
}

/* Half of the 95% interval, for unbounded values such as points. */
double stats_margin(const struct stats *s)
{
    return Z * sqrt(variance_of_mean(s));
}

/* Even if all samples so far were alike, the next one may differ. */
static double careful_variance(const struct stats *s)
{
    double v = variance_of_mean(s), least = 0.25 / (s->count * s->count);
    return v > least ? v : least;
}

/* Wilson's interval, which stays between 0 and 1 and is sensible even if all games were won. */
void stats_interval(const struct stats *s, double *low, double *high)
{
    *low = 0;
    *high = 1;
    if (s->count < 2)
        return;
    /* The number of independent games, won or lost, that would have this spread; at least the number of samples. */
    double p = stats_mean(s), n = p * (1 - p) / careful_variance(s);
    if (n < s->count)
        n = s->count;
    double middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n);
    double half = Z / (1 + Z * Z / n) * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n));
    if (p > 0)
        *low = fmax(middle - half, 0);
    if (p < 1)
        *high = fmin(middle + half, 1);
}

/* Elo from odds: a share of 1 / players is 0. */
double stats_elo(double share, unsigned players)
{
    if (share <= 0)
        return -INFINITY;
    if (share >= 1)
        return INFINITY;
    return 400 * log10(share * (players - 1) / (1 - share));
}

/* The inverse of stats_elo. */
double stats_share(double elo, unsigned players)
{
    double odds = pow(10, elo / 400);
    return odds / (odds + (players - 1));
}

/* The log-likelihood ratio of a sequential test (SPRT) for the mean of a normal distribution; 0 for fewer than 10
 * samples, which are too few to estimate the spread. `elo0` < `elo1`; a positive result favours elo1. */
double stats_llr(const struct stats *s, double elo0, double elo1, unsigned players)
{
    double low = stats_share(elo0, players), high = stats_share(elo1, players);
    if (s->count < 10)
        return 0;
    return (high - low) * (2 * stats_mean(s) - low - high) / (2 * careful_variance(s));
}
