/* stats.c: see stats.h. */
#include <math.h>

#include "stats.h"

void stats_add(struct stats *s, double value)
{
    s->count++;
    s->sum += value;
    s->squares += value * value;
}

double stats_mean(const struct stats *s)
{
    return s->count > 0 ? s->sum / s->count : 0;
}

static double variance(const struct stats *s)
{
    double mean = stats_mean(s);
    if (s->count < 2)
        return 0;
    double v = (s->squares - s->count * mean * mean) / (s->count - 1);
    return v > 0 ? v : 0;
}

double stats_margin(const struct stats *s)
{
    return s->count < 2 ? 0 : 1.96 * sqrt(variance(s) / s->count);
}

double stats_elo(double share, unsigned players)
{
    double odds = share * (players - 1) / (1 - share);
    if (share <= 0 || odds < 1e-5)
        return -2000;
    if (share >= 1 || odds > 1e5)
        return 2000;
    return 400 * log10(odds);
}

double stats_share(double elo, unsigned players)
{
    double odds = pow(10, elo / 400);
    return odds / (odds + (players - 1));
}

double stats_llr(const struct stats *s, double elo0, double elo1, unsigned players)
{
    double low = stats_share(elo0, players), high = stats_share(elo1, players), v = variance(s);
    if (s->count < 10)
        return 0;
    if (v < 0.25 / s->count)
        v = 0.25 / s->count;                 /* all alike so far; the next one may differ */
    return s->count * (high - low) * (2 * stats_mean(s) - low - high) / (2 * v);
}
