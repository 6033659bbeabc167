/*
 * results.c: sums, places and streaks of the daily expedition (results.h). Results arrive sorted, by points or by
 * visitor, so each function goes through them once and stores no more than it returns.
 */
#include "results.h"

#include <stdlib.h>
#include <string.h>

/* One day. */

void results_add(struct results_tally *tally, int32_t points, int64_t count)
{
    if (tally->kinds == RESULTS_KINDS || count <= 0)
        return;
    tally->at[tally->kinds].points = points;
    tally->at[tally->kinds++].count = count;
    tally->count += count;
}

int64_t results_place(const struct results_tally *tally, int32_t points)
{
    int64_t place = 1;
    for (unsigned i = 0; i < tally->kinds; i++)
        if (tally->at[i].points > points)
            place += tally->at[i].count;
    return place;
}

/* The result that has `index` others before it. */
static int32_t result_at(const struct results_tally *tally, int64_t index)
{
    unsigned i = 0;
    for (; i + 1 < tally->kinds && index >= tally->at[i].count; i++)
        index -= tally->at[i].count;
    return tally->kinds ? tally->at[i].points : 0;
}

double results_median(const struct results_tally *tally)
{
    int64_t middle = tally->count / 2;
    if (tally->count % 2)
        return result_at(tally, middle);
    return ((double)result_at(tally, middle - 1) + result_at(tally, middle)) / 2;
}

double results_ahead(const struct results_tally *tally, int32_t points)
{
    int64_t lower = 0;
    for (unsigned i = 0; i < tally->kinds; i++)
        if (tally->at[i].points < points)
            lower += tally->at[i].count;
    return tally->count > 1 ? 100.0 * (double)lower / (double)(tally->count - 1) : -1;
}

/* Rounds down, also below zero. */
static int32_t bin_of(int32_t points)
{
    int32_t bin = points / RESULTS_BIN;
    return bin - (points % RESULTS_BIN < 0);
}

unsigned results_bins(const struct results_tally *tally, int32_t from[RESULTS_BINS], int64_t count[RESULTS_BINS])
{
    if (!tally->kinds)
        return 0;
    int32_t first = bin_of(tally->at[0].points);
    unsigned bins = (unsigned)(bin_of(tally->at[tally->kinds - 1].points) - first) + 1;
    if (bins > RESULTS_BINS)
        bins = RESULTS_BINS;
    for (unsigned i = 0; i < bins; i++) {
        from[i] = RESULTS_BIN * (first + (int32_t)i);
        count[i] = 0;
    }
    for (unsigned i = 0; i < tally->kinds; i++) {
        unsigned bin = (unsigned)(bin_of(tally->at[i].points) - first);
        if (bin < bins)
            count[bin] += tally->at[i].count;
    }
    return bins;
}

/* Days in a row. */

struct results_streak results_streak(const uint8_t *days, size_t count)
{
    struct results_streak streak = { .from = count };
    unsigned run = 0;
    for (size_t i = 0; i < count; i++) {
        run = days[i] == RESULTS_PLAYED ? run + 1 : days[i] == RESULTS_KEPT || i + 1 == count ? run : 0;
        if (run > streak.best)
            streak.best = run;
    }
    streak.now = run;
    for (size_t i = count; i-- > 0 && run;)
        if (days[i] == RESULTS_PLAYED) {
            streak.from = i;
            run--;
        }
    return streak;
}

/* Without luck. */

int64_t results_without_luck(int32_t points, double luck)
{
    double tenths = 10 * ((double)points - luck);
    return (int64_t)(tenths + (tenths < 0 ? -0.5 : 0.5));
}
