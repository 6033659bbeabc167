/*
 * stats.h (stats.c): what results of games tell: means with their uncertainty, Elo, a sequential test.
 */
#ifndef PYR_CLI_STATS_H
#define PYR_CLI_STATS_H

/* Sums of a value over samples that do not depend on each other: here a sample is the mean over all seatings of one shuffle. */
struct stats {
    double count, sum, squares;
};

void stats_add(struct stats *stats, double value);
double stats_mean(const struct stats *stats);

/* Half the width of the interval that holds the true mean with 95 of 100. */
double stats_margin(const struct stats *stats);

/* The Elo difference at which one of `players` (the others equal to each other) wins this share; limited to +-2000. */
double stats_elo(double share, unsigned players);

/* The share that a player of this Elo difference wins. */
double stats_share(double elo, unsigned players);

/*
 * The log of how much likelier the results are if the Elo difference is elo1 than if it is elo0 (generalised sequential probability
 * ratio test, normal approximation; Van den Bergh's formula for engine tests). At +-STATS_DECIDED the test is over, wrong in 5 of 100 either
 * way.
 */
double stats_llr(const struct stats *shares, double elo0, double elo1, unsigned players);
#define STATS_DECIDED 2.944438979166440

#endif
