/*
 * reminder_daily.c: the message about today's expedition (reminder.h): only while a streak is at stake, at the time that
 * the visitor has set, and once per day.
 *
 * `notice.due` is when to check a visitor again. A server claims the row, decides, and stores the day of the reminder,
 * all in one transaction; only then the message is sent. So exactly one server sends it, once or, if it dies just
 * then, not at all. When the attempt ends, its own transaction makes the row due again (CLOSE_NOTICE), and the message
 * is closed wherever it is still shown.
 */
#include <sodium.h>
#include <stdlib.h>

#include <pyramids/daily.h>

#include "reminder.h"
#include "streak.h"

#define LOOK_MS 1000             /* between looks for due reminders */
#define LATE_SECONDS 3600        /* a message that could not be sent at its time is dropped if it is later than this */

struct daily_reminding {
    struct store_job job;
    struct server *server;
    int64_t now;
    bool is_told, is_closed;     /* a message is to be sent; an earlier one is to be closed */
    struct reminder reminder;
    unsigned pushes;
    struct store_push push[STORE_PUSHES];
    struct streak_days history;
};

/* Whether the visitor has a streak that ends today unless they play; and what the message contains. */
static bool is_at_stake(const struct streak_days *history, struct reminder *reminder)
{
    reminder->count = results_streak(history->days, history->count).now;
    return reminder->count && history->days[history->count - 1] == RESULTS_MISSED;
}

/* When to check this visitor next. */
static enum store_result decide(struct store_db *db, struct daily_reminding *daily, struct store_notice *notice, int64_t due)
{
    int64_t today = daily->now / PYR_DAILY_SECONDS, ends = (today + 1) * PYR_DAILY_SECONDS;
    int64_t quiet = reminder_quiet_until(notice, daily->now), set = reminder_next(notice->daily, notice->zone, daily->now);
    int64_t last = due > set - PYR_DAILY_SECONDS ? due : set - PYR_DAILY_SECONDS;    /* later than the set time: the quiet
                                                                                        time has just ended */
    notice->due = notice->daily < 0 ? 0 : set;
    if (notice->closes) {
        notice->closes = false;
        daily->is_closed = true;
        return STORE_OK;
    }
    if (notice->daily < 0 || notice->told >= today || daily->now - last > LATE_SECONDS || !daily->pushes)
        return STORE_OK;
    if (quiet) {                             /* then, if it is still the same expedition */
        notice->due = quiet < ends ? quiet : notice->due;
        return STORE_OK;
    }
    enum store_result result = streak_read(db, daily->reminder.visitor, today, &daily->history);
    if (result || !is_at_stake(&daily->history, &daily->reminder))
        return result;
    notice->told = today;
    daily->is_told = true;
    daily->reminder.hours = (unsigned)((ends - daily->now) / 3600);
    daily->reminder.hours += !daily->reminder.hours;
    daily->reminder.seconds = (unsigned)(ends - daily->now);
    return STORE_OK;
}

static enum store_result run_daily(struct store_db *db, struct store_job *job)
{
    struct daily_reminding *daily = (struct daily_reminding *)job;
    struct store_notice notice;
    int64_t due;
    daily->is_told = daily->is_closed = false;
    daily->reminder = (struct reminder){ .kind = REMINDER_DAILY };
    enum store_result result = store_claim_notice(db, daily->now, &daily->reminder.visitor, &due, &notice);
    if (!result)
        result = store_get_pushes(db, daily->reminder.visitor, daily->push, &daily->pushes);
    if (!result)
        result = decide(db, daily, &notice, due);
    return result ? result : store_mark_notice(db, daily->reminder.visitor, &notice);
}

static void daily_done(struct store_job *job, enum store_result result)
{
    struct daily_reminding *daily = (struct daily_reminding *)job;
    struct reminders *reminders = daily->server->reminders;
    struct server *server = daily->server;
    reminders->is_asking_daily = false;
    reminders->looks_daily += result == STORE_MISSING;
    if (!result && reminders->deliver && (daily->is_told || daily->is_closed)) {
        daily->reminder.is_closed = daily->is_closed;
        for (unsigned i = 0; i < daily->pushes; i++)
            reminder_send(server, &daily->reminder, &daily->push[i]);
    }
    sodium_memzero(daily->push, sizeof daily->push);
    free(daily);
    if (!result) {                           /* there may be more: many people choose the same minute */
        reminders->look_daily_at = 0;
        reminder_daily_tick(server);
    }
}

void reminder_daily_tick(struct server *server)
{
    struct reminders *reminders = server->reminders;
    uint64_t now = uv_now(&server->loop);
    if (reminders->is_asking_daily || now < reminders->look_daily_at || !reminders_may_send(server))
        return;
    struct daily_reminding *daily = calloc(1, sizeof *daily);
    if (!daily)
        return;
    reminders->look_daily_at = now + LOOK_MS;
    reminders->is_asking_daily = true;
    daily->server = server;
    daily->now = server_time();
    daily->job.run = run_daily;
    daily->job.done = daily_done;
    store_submit(server->store, &daily->job);
}
