/*
 * streak.h (streak.c): the days of the daily expedition that a visitor has played, from the database: for pages that show
 * a streak, and for the message that reminds of one.
 */
#ifndef PYR_SERVER_STREAK_H
#define PYR_SERVER_STREAK_H

#include "results.h"
#include "store.h"

#define STREAK_DAYS 20000        /* days that are looked at */

struct streak_days {
    int64_t first, today;
    size_t count;                /* days, from the first to today */
    uint8_t days[STREAK_DAYS];   /* enum results_day */
};

/* For a job, in the store's thread. */
enum store_result streak_read(struct store_db *db, int64_t visitor, int64_t today, struct streak_days *history);

#endif
