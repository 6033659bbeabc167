/*
 * streak.c: reads which days of the daily expedition a visitor has played (streak.h). The streaks are computed in
 * results.c.
 */
#include <string.h>

#include "store_daily.h"
#include "streak.h"

static bool add_day(void *context, const struct store_day *day)
{
    struct streak_days *history = context;
    if (day->day >= history->first && day->day <= history->today)
        history->days[day->day - history->first] = day->outage > RESULTS_OUTAGE ? RESULTS_KEPT : RESULTS_MISSED;
    return true;
}

static bool add_attempt(void *context, const struct store_attempt *attempt)
{
    struct streak_days *history = context;
    if (attempt->day >= history->first && attempt->day <= history->today && attempt->state == STORE_ATTEMPT_OVER)
        history->days[attempt->day - history->first] = RESULTS_PLAYED;
    return true;
}

/* A day without a row was never offered, so no one could play it. */
enum store_result streak_read(struct store_db *db, int64_t visitor, int64_t today, struct streak_days *history)
{
    int64_t first;
    enum store_result result = store_first_day(db, &first);
    if (result == STORE_MISSING)
        first = today;
    else if (result)
        return result;
    if (first > today)
        first = today;
    history->first = first > today - STREAK_DAYS + 1 ? first : today - STREAK_DAYS + 1;
    history->today = today;
    history->count = (size_t)(today - history->first + 1);
    memset(history->days, RESULTS_KEPT, history->count);
    if ((result = store_each_day(db, history->first, today, add_day, history)))
        return result;
    return store_each_attempt_of(db, visitor, add_attempt, history);
}
