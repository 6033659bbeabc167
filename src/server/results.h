/*
 * results.h (results.c): the arithmetic of the daily expedition's results: places, the distribution of points, and streaks.
 * Plain data in, plain data out; no database, no clock.
 */
#ifndef PYR_SERVER_RESULTS_H
#define PYR_SERVER_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RESULTS_KINDS 512        /* different scores that a day may have; there are fewer than 400 */
#define RESULTS_BIN 5            /* points */
#define RESULTS_BINS (RESULTS_KINDS / RESULTS_BIN + 2)
#define RESULTS_OUTAGE 7200      /* seconds without any server after which a day breaks no streak */
#define RESULTS_WEEK 5           /* days of a week that count: the best ones */
#define RESULTS_MONTH 20

/* How often each score was reached, lowest first. */
struct results_tally {
    int64_t count;
    unsigned kinds;
    struct {
        int32_t points;
        int64_t count;
    } at[RESULTS_KINDS];
};

void results_add(struct results_tally *tally, int32_t points, int64_t count);    /* points in ascending order */
int64_t results_place(const struct results_tally *tally, int32_t points);        /* equal points share it */
double results_median(const struct results_tally *tally);                        /* of a tally that is not empty */
/* The percentage of the other results that are lower; -1 if there is no other. */
double results_ahead(const struct results_tally *tally, int32_t points);
/* Bins of RESULTS_BIN points from the lowest result to the highest, empty ones included: the points at which each begins,
 * and how many results are in it. Returns how many bins. */
unsigned results_bins(const struct results_tally *tally, int32_t from[RESULTS_BINS], int64_t count[RESULTS_BINS]);

/* Consecutive days; the last one is today, which may still be played. A kept day (no server was running for too long, or
 * the day did not exist) neither breaks nor lengthens a streak. */
enum results_day { RESULTS_MISSED, RESULTS_PLAYED, RESULTS_KEPT };
struct results_streak {
    unsigned now, best;
    size_t from;                 /* where the present one begins; `count` if there is none */
};
struct results_streak results_streak(const uint8_t *days, size_t count);

/* Points without luck, in tenths. */
int64_t results_without_luck(int32_t points, double luck);

#endif
