/*
 * stats.h (stats.c): statistics of game results: means with their uncertainty, Elo, a sequential test.
 */
#ifndef PYR_CLI_STATS_H
#define PYR_CLI_STATS_H

/*
 * Sums of a value over samples that do not depend on each other: here a sample is the mean over the games of one
 * shuffle, and its weight the part of the shuffle's seatings that were played, so that the mean is the mean over games.
 */
struct stats {
    double count;                /* samples */
    double weight, sum;          /* of the weights; of weight times value */
    double weights2, sums2, squares2;        /* of the squared weights times 1, the value, its square */
};

void stats_add(struct stats *stats, double value, double weight);
double stats_mean(const struct stats *stats);

/* Half the width of the interval that holds the true mean in 95 of 100 cases, for values of any range. */
double stats_margin(const struct stats *stats);

/*
 * The same interval for shares, which lie between 0 and 1 (Wilson's score interval with the observed spread): it stays
 * between 0 and 1 and has a width even where all results were alike. Without two samples it is 0 to 1.
 */
void stats_interval(const struct stats *shares, double *low, double *high);

/* The Elo difference at which one of `players` (the others equal to each other) wins this share; infinite at 0 and 1. */
double stats_elo(double share, unsigned players);

/* The share that a player of this Elo difference wins. */
double stats_share(double elo, unsigned players);

/*
 * The log of how much likelier the results are if the Elo difference is elo1 than if it is elo0 (generalised
 * sequential probability ratio test, normal approximation; Van den Bergh's formula for engine tests). At
 * +-STATS_DECIDED the test ends; either decision is wrong in 5 of 100 cases.
 */
double stats_llr(const struct stats *shares, double elo0, double elo1, unsigned players);
#define STATS_DECIDED 2.944438979166440

#endif
