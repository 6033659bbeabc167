/*
 * daily_routes.c: the routes of the daily expedition (docs/protocol.md, docs/daily.md); see daily.h.
 *
 * Each uses the database once, in a job whose run_* function reads everything that the answer needs; the present round
 * and turn of a table are then added from memory. Before a visitor has finished their own attempt they are shown nothing
 * that could help them: no results, and of the cards only the commitment.
 *
 * A job may run twice, so it uses only its input and overwrites its results.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/luck.h>

#include "change.h"
#include "daily.h"
#include "object.h"
#include "request.h"
#include "results.h"
#include "store_daily.h"
#include "streak.h"

#define PAGE_ROWS 50

/* Who may see a day's cards. */

/* In the store's thread. A day whose time has come may be requested before the upkeep has revealed it. It is shown only
 * once that is stored, so that no server, even one whose clock is wrong, accepts a result from a player who knows the
 * cards. */
static enum store_result read_day_of(struct store_db *db, int64_t day, int64_t now, struct store_day *found)
{
    enum store_result result = store_get_day(db, day, found);
    if (result || found->revealed || now < daily_reveals(day))
        return result;
    if ((result = daily_now(db, &now)) || now < daily_reveals(day))
        return result;
    result = store_reveal_days(db, day, now);
    return result ? result : store_get_day(db, day, found);
}

struct showing {
    struct store_job job;
    struct request *request;
    struct table *table;         /* counted among its jobs */
    int64_t visitor, day;
    bool is_over;                /* their own attempt */
    struct store_day found;
    void (*then)(struct request *request, struct table *table);
};

static enum store_result run_showing(struct store_db *db, struct store_job *job)
{
    struct showing *showing = (struct showing *)job;
    struct store_attempt attempt;
    enum store_result result = read_day_of(db, showing->day, server_time(), &showing->found);
    if (!result)
        result = store_get_attempt(db, showing->day, showing->visitor, &attempt);
    showing->is_over = !result && attempt.state == STORE_ATTEMPT_OVER;
    return result == STORE_MISSING ? STORE_OK : result;
}

static void showing_done(struct store_job *job, enum store_result result)
{
    struct showing *showing = (struct showing *)job;
    struct request *request = showing->request;
    struct table *table = showing->table;
    if (!result)
        daily_note_day(table->server, &showing->found);
    if (request_back(request)) {
        if (result || table->gone)
            request_error(request, ERROR_STORAGE, "");
        else if (showing->is_over || !daily_is_sealed_for(table, request->visitor))
            showing->then(request, table);
        else
            request_error(request, ERROR_SEALED, "");
    }
    memset(&showing->found, 0, sizeof showing->found);       /* it has a secret */
    free(showing);
    table->jobs--;
    if (table->gone)
        table_forget(table);
}

void daily_show(struct request *request, struct table *table, void (*then)(struct request *request, struct table *table))
{
    bool is_due = daily_is_sealed(table) && server_time() >= daily_reveals(table->daily.day);
    if (!is_due && !daily_is_sealed_for(table, request->visitor)) {
        then(request, table);
        return;
    }
    bool may_ask = is_due || (table->now.stage == STORE_OVER && request->visitor);
    struct showing *showing = may_ask ? calloc(1, sizeof *showing) : NULL;
    if (!showing) {
        request_error(request, may_ask ? ERROR_STORAGE : ERROR_SEALED, "");
        return;
    }
    *showing = (struct showing){ .request = request, .table = table,
        .visitor = request->visitor ? (int64_t)request->visitor->node.key : 0, .day = table->daily.day, .then = then };
    table->jobs++;
    request_submit(request, &showing->job, run_showing, showing_done);
}

/* A day as a visitor sees it. */

struct day_view {
    bool exists, has_mine;
    struct store_day day;
    struct store_attempt mine;
    int64_t better;              /* analysed results with more points without luck than this visitor's */
    struct results_tally tally;
};

static bool add_result(void *context, int32_t points, int64_t count)
{
    results_add(context, points, count);
    return true;
}

static enum store_result read_view(struct store_db *db, int64_t day, int64_t visitor, int64_t now,
    struct day_view *view)
{
    *view = (struct day_view){ .exists = false };
    enum store_result result = read_day_of(db, day, now, &view->day);
    if (result)
        return result == STORE_MISSING ? STORE_OK : result;
    view->exists = true;
    result = store_get_attempt(db, day, visitor, &view->mine);
    view->has_mine = !result;
    if (result && result != STORE_MISSING)
        return result;
    if ((result = store_each_result(db, day, add_result, &view->tally)))
        return result;
    if (view->has_mine && view->mine.judged)
        result = store_count_better(db, day,
            (double)results_without_luck(view->mine.points, view->mine.luck) / 10 + 0.05, &view->better);
    return result;
}

static bool is_over(const struct day_view *view)
{
    return view->has_mine && view->mine.state == STORE_ATTEMPT_OVER;
}

static json_t *date_json(int64_t day)
{
    char date[PYR_DAILY_DATE];
    pyr_daily_write_date((int32_t)day, date);
    return json_string(date);
}

static json_t *commitment_json(const struct store_day *day)
{
    char hex[PYR_FAIR_DIGITS + 1];
    pyr_fair_commitment(day->secret, hex);
    return json_string(hex);
}

/* With one decimal, which is more than the margins of an analysis allow. */
static json_t *tenths_json(double value)
{
    return json_real((double)(int64_t)(10 * value + (value < 0 ? -0.5 : 0.5)) / 10);
}

static json_t *rate_json(double rate)
{
    return json_real((double)(int64_t)(1000 * rate + 0.5) / 1000);
}

static void put(json_t *object, const char *name, json_t *value)
{
    json_object_set_new(object, name, value);
}

static json_t *mine_json(const struct server *server, const struct day_view *view)
{
    static const char *const states[] = { "running", "over", "expired" };
    const struct store_attempt *mine = &view->mine;
    json_t *json = json_pack("{ss so}", "state", states[mine->state % 3], "table",
        mine->code[0] ? json_string(mine->code) : json_null());
    const struct table *table = table_find(server, mine->code);
    if (mine->state == STORE_ATTEMPT_RUNNING && table && table->now.stage == STORE_RUNNING) {
        const struct pyr_table *open = &table->now.game.replay.state.open;
        bool begun = open->revealed[0] != PYR_NO_PATTERN && open->phase != PYR_KEEP;
        put(json, "round", json_integer(begun ? open->round + 1 : 0));
        put(json, "turn", json_integer(begun ? open->turn + 1 : 0));
    }
    if (mine->state != STORE_ATTEMPT_OVER)
        return json;
    put(json, "points", json_integer(mine->points));
    put(json, "place", json_integer(results_place(&view->tally, mine->points)));
    put(json, "of", json_integer(view->tally.count));
    put(json, "won", json_integer(mine->place));
    put(json, "luck", mine->judged ? tenths_json(mine->luck) : json_null());
    put(json, "error_rate", mine->judged ? rate_json(mine->rate) : json_null());
    put(json, "level", mine->judged ? json_string(pyr_luck_level((float)mine->rate)) : json_null());
    put(json, "without_luck",
        mine->judged ? json_real((double)results_without_luck(mine->points, mine->luck) / 10) : json_null());
    put(json, "place_without_luck", mine->judged ? json_integer(view->better + 1) : json_null());
    return json;
}

static json_t *day_json(const struct server *server, const struct day_view *view)
{
    int64_t day = view->day.day;
    char hex[PYR_FAIR_DIGITS + 1];
    json_t *json = json_pack("{so sI ss so sI sI sI sI so}", "date", date_json(day), "number",
        (json_int_t)view->day.number, "edition", PYR_DAILY_EDITION, "commitment", commitment_json(&view->day), "closes",
        (json_int_t)((day + 1) * PYR_DAILY_SECONDS), "reveals", (json_int_t)daily_reveals(day), "now",
        (json_int_t)server_time(), "players", (json_int_t)view->tally.count, "you",
        view->has_mine ? mine_json(server, view) : json_null());
    if (view->day.revealed) {
        pyr_fair_write_hex(view->day.secret, hex);
        put(json, "secret", json_string(hex));
    }
    return json;
}

static json_t *master_json(const struct store_day *day)
{
    return day->master == STORE_NO_POINTS ? json_null() : json_integer(day->master);
}

/* A query about days: the part that all of them share. */

enum question_kind { ASK_TODAY, ASK_DAY, ASK_CALENDAR, ASK_BOARD };
enum board_by { BY_POINTS, BY_SKILL, BY_PEOPLE };
enum board_period { PERIOD_DAY, PERIOD_WEEK, PERIOD_MONTH };

struct question {
    struct store_job job;
    struct request *request;
    enum question_kind kind;
    int64_t visitor, today, now;
    int64_t day;                 /* the day asked for, or the first of the month */
    unsigned month_days;
    struct day_view view[3];     /* yesterday, today, tomorrow; or only the day asked for */
    struct streak_days history;
    int64_t first;
    struct {                     /* the month of a calendar */
        bool exists, has_mine;
        struct store_day day;
        struct store_attempt mine;
    } month[31];
    struct {
        enum board_by by;
        enum board_period period;
        int64_t page;
        bool is_early;           /* the visitor may not see its results yet */
        unsigned which;          /* enum store_board */
        int64_t start, total;
        unsigned count;          /* rows of the page */
        struct store_standing row[PAGE_ROWS], own;
        int64_t place[PAGE_ROWS], own_place;     /* 0: the visitor has no row */
        struct {                 /* used while the board of people the visitor has met is read */
            int64_t value, place;
        } last;
    } board;
};

static enum store_result run_today(struct store_db *db, struct question *question)
{
    enum store_result result = STORE_OK;
    for (unsigned i = 0; i < 3 && !result; i++)
        result = read_view(db, question->today - 1 + i, question->visitor, question->now, &question->view[i]);
    return result ? result : streak_read(db, question->visitor, question->today, &question->history);
}

static bool add_month_day(void *context, const struct store_day *day)
{
    struct question *question = context;
    question->month[day->day - question->day].exists = true;
    question->month[day->day - question->day].day = *day;
    return true;
}

static bool add_month_attempt(void *context, const struct store_attempt *attempt)
{
    struct question *question = context;
    int64_t i = attempt->day - question->day;
    if (i >= 0 && i < question->month_days) {
        question->month[i].has_mine = true;
        question->month[i].mine = *attempt;
    }
    return true;
}

static enum store_result run_calendar(struct store_db *db, struct question *question)
{
    memset(question->month, 0, sizeof question->month);
    enum store_result result = store_first_day(db, &question->first);
    if (!result)
        result = store_each_day(db, question->day, question->day + question->month_days - 1, add_month_day, question);
    if (!result)
        result = store_each_attempt_of(db, question->visitor, add_month_attempt, question);
    return result ? result : streak_read(db, question->visitor, question->today, &question->history);
}

/* Boards. */

/* Whether today (or yesterday, in the first hours of a day) is on a board although the visitor has yet to play it: then
 * its results must be hidden. */
static enum store_result find_hidden(struct store_db *db, const struct question *question, int64_t from, int64_t to,
    bool *is_hidden)
{
    enum store_result result = STORE_OK;
    *is_hidden = false;
    for (unsigned i = 0; i < 2 && !result; i++) {
        struct store_attempt mine;
        int64_t day = question->today - i;
        struct store_day found;
        if (day < from || day > to)
            continue;
        result = read_day_of(db, day, question->now, &found);
        if (result == STORE_MISSING || (!result && found.revealed)) {
            result = STORE_OK;
            continue;
        }
        if (!result)
            result = store_get_attempt(db, day, question->visitor, &mine);
        *is_hidden |= result == STORE_MISSING || (!result && mine.state != STORE_ATTEMPT_OVER);
        result = result == STORE_MISSING ? STORE_OK : result;
    }
    return result;
}

/* A page of a board, in the order of an index: other rows are only read to count places, up to a limit. */
static enum store_result run_places(struct store_db *db, struct question *question)
{
    unsigned which = question->board.which;
    int64_t start = question->board.start, first = (question->board.page - 1) * PAGE_ROWS, better = 0;
    enum store_result result = store_count_standings(db, which, start, &question->board.total);
    if (!result && first < question->board.total)
        result = store_get_board(db, which, start, first, PAGE_ROWS, question->board.row, &question->board.count);
    if (!result && question->board.count)
        result = store_better_standings(db, which, start, question->board.row[0].value, &better);
    for (unsigned i = 0; i < question->board.count; i++)
        question->board.place[i] = !i ? better + 1 : question->board.row[i].value == question->board.row[i - 1].value ?
            question->board.place[i - 1] : first + i + 1;
    if (!result)
        result = store_get_standing(db, which, start, question->visitor, &question->board.own);
    if (result)
        return result == STORE_MISSING ? STORE_OK : result;
    result = store_better_standings(db, which, start, question->board.own.value, &better);
    question->board.own_place = better + 1;
    return result;
}

static bool add_person(void *context, const struct store_standing *row)
{
    struct question *question = context;
    int64_t first = (question->board.page - 1) * PAGE_ROWS, at = question->board.total++;
    if (!at || row->value != question->board.last.value)
        question->board.last.place = at + 1;
    question->board.last.value = row->value;
    if (row->visitor == question->visitor) {
        question->board.own = *row;
        question->board.own_place = question->board.last.place;
    }
    if (at >= first && at < first + PAGE_ROWS) {
        question->board.row[question->board.count] = *row;
        question->board.place[question->board.count++] = question->board.last.place;
    }
    return true;
}

static enum store_result run_board(struct store_db *db, struct question *question)
{
    int64_t from = question->day, to = question->day;
    unsigned days, which = question->board.by == BY_SKILL ? STORE_BOARD_SKILL : 0;
    struct store_day found;
    bool is_hidden;
    question->board.total = question->board.own_place = question->board.count = 0;
    enum store_result result = store_get_day(db, question->day, &found);
    if (result)
        return result;
    if (question->board.period == PERIOD_WEEK) {
        from = pyr_daily_week((int32_t)question->day);
        to = from + 6;
        which |= STORE_BOARD_WEEK;
    } else if (question->board.period == PERIOD_MONTH) {
        from = pyr_daily_month((int32_t)question->day, &days);
        to = from + days - 1;
        which |= STORE_BOARD_MONTH;
    }
    result = find_hidden(db, question, from, to, &is_hidden);
    question->board.is_early = is_hidden && question->board.period == PERIOD_DAY;
    if (result || question->board.is_early)
        return result;
    question->board.which = which | (is_hidden ? STORE_BOARD_CLOSED : 0);
    question->board.start = from;
    return question->board.by == BY_PEOPLE ?
        store_each_of_people(db, question->board.which, from, question->visitor, add_person, question) :
        run_places(db, question);
}

static enum store_result run_question(struct store_db *db, struct store_job *job)
{
    struct question *question = (struct question *)job;
    /* A new day may be requested before the upkeep has made it. */
    enum store_result result = store_make_days(db, question->today, question->now);
    if (result)
        return result;
    switch (question->kind) {
    case ASK_TODAY: return run_today(db, question);
    case ASK_DAY: return read_view(db, question->day, question->visitor, question->now, &question->view[0]);
    case ASK_CALENDAR: return run_calendar(db, question);
    case ASK_BOARD: return run_board(db, question);
    }
    return STORE_FAILED;
}

/* Answers. */

static void answer_today(struct request *request, const struct question *question)
{
    const struct day_view *yesterday = &question->view[0], *today = &question->view[1], *tomorrow = &question->view[2];
    const struct streak_days *history = &question->history;
    struct results_streak streak = results_streak(history->days, history->count);
    json_t *days = json_array(), *before = json_null();
    for (size_t i = 7; i-- > 0;)
        json_array_append_new(days,
            json_boolean(history->count > i && history->days[history->count - 1 - i] == RESULTS_PLAYED));
    if (yesterday->exists) {
        bool may_know = is_over(yesterday) || yesterday->day.revealed;
        before = day_json(request->server, yesterday);
        put(before, "median",
            may_know && yesterday->tally.count ? json_real(results_median(&yesterday->tally)) : json_null());
        put(before, "master", may_know ? master_json(&yesterday->day) : json_null());
    }
    answer_json(request, 200, json_pack("{so s{so sI so} so sI so sI}", "today", day_json(request->server, today),
        "tomorrow", "date", date_json(tomorrow->day.day), "number", (json_int_t)tomorrow->day.number, "commitment",
        commitment_json(&tomorrow->day), "yesterday", before, "streak", (json_int_t)streak.now, "streak_days", days,
        "best_streak", (json_int_t)streak.best));
}

static json_t *results_json(const struct day_view *view)
{
    int32_t from[RESULTS_BINS];
    int64_t count[RESULTS_BINS];
    const struct results_tally *tally = &view->tally;
    unsigned bins = results_bins(tally, from, count);
    json_t *list = json_array();
    for (unsigned i = 0; i < bins; i++)
        json_array_append_new(list, json_pack("[iI]", (int)from[i], (json_int_t)count[i]));
    double ahead = is_over(view) ? results_ahead(tally, view->mine.points) : -1;
    bool some = tally->count > 0;
    return json_pack("{sI so so so so so so}", "count", (json_int_t)tally->count, "bins", list, "min",
        some ? json_integer(tally->at[0].points) : json_null(), "median",
        some ? json_real(results_median(tally)) : json_null(), "max",
        some ? json_integer(tally->at[tally->kinds - 1].points) : json_null(), "ahead",
        ahead < 0 ? json_null() : json_integer((json_int_t)(ahead + 0.5)), "master", master_json(&view->day));
}

static void answer_day(struct request *request, const struct question *question)
{
    const struct day_view *view = &question->view[0];
    if (!view->exists || question->day > question->today) {
        request_error(request, ERROR_NO_DAY, "");
        return;
    }
    bool may_know = is_over(view) || view->day.revealed;
    answer_json(request, 200, json_pack("{so so}", "day", day_json(request->server, view), "results",
        may_know ? results_json(view) : json_null()));
}

static void answer_calendar(struct request *request, const struct question *question)
{
    const struct streak_days *history = &question->history;
    struct results_streak streak = results_streak(history->days, history->count);
    json_t *list = json_array();
    char month[PYR_DAILY_DATE];
    for (unsigned i = 0; i < question->month_days; i++) {
        int64_t day = question->day + i, at = day - history->first;
        if (!question->month[i].exists)
            continue;
        bool is_played = question->month[i].has_mine && question->month[i].mine.state == STORE_ATTEMPT_OVER;
        const char *state = day > question->today ? "sealed" : is_played && question->month[i].mine.place == 1 ? "won" :
            is_played ? "played" : day == question->today ? "open" : "missed";
        json_array_append_new(list, json_pack("{so sI ss so sb so}", "date", date_json(day), "number",
            (json_int_t)question->month[i].day.number, "state", state, "points",
            is_played ? json_integer(question->month[i].mine.points) : json_null(), "streak",
            is_played && at >= 0 && streak.from < history->count && (size_t)at >= streak.from, "commitment",
            commitment_json(&question->month[i].day)));
    }
    pyr_daily_write_date((int32_t)question->day, month);
    month[7] = '\0';
    answer_json(request, 200, json_pack("{ss so so so}", "month", month, "days", list, "first", date_json(question->first),
        "today", date_json(question->today)));
}

static json_t *row_json(const struct question *question, const struct store_standing *row, int64_t place)
{
    json_t *json = json_pack("{sI ss sb sI so so sI}", "place", (json_int_t)place, "name", row->name, "you",
        row->visitor == question->visitor, "points", (json_int_t)row->points, "luck",
        row->judged ? tenths_json(row->luck) : json_null(), "error_rate", row->judged ? rate_json(row->rate) : json_null(),
        "days", (json_int_t)row->days);
    if (question->board.by == BY_SKILL)
        put(json, "without_luck", json_real((double)row->value / 10));
    if (row->code[0])
        put(json, "table", json_string(row->code));
    return json;
}

static void answer_board(struct request *request, const struct question *question)
{
    if (question->board.is_early) {
        request_error(request, ERROR_NOT_OVER, "");
        return;
    }
    json_t *rows = json_array();
    for (unsigned i = 0; i < question->board.count; i++)
        json_array_append_new(rows, row_json(question, &question->board.row[i], question->board.place[i]));
    answer_json(request, 200, json_pack("{so sI sI sI so}", "rows", rows, "page", (json_int_t)question->board.page, "pages",
        (json_int_t)((question->board.total + PAGE_ROWS - 1) / PAGE_ROWS), "total", (json_int_t)question->board.total,
        "you", question->board.own_place ? row_json(question, &question->board.own, question->board.own_place) :
        json_null()));
}

/* Called once the tables that the answer needs are in memory, or with an error. */
static void answer_question(void *context, enum error error)
{
    struct question *question = context;
    struct request *request = question->request;
    if (request_back(request)) {
        if (error)
            request_error(request, error, "");
        else if (question->kind == ASK_TODAY)
            answer_today(request, question);
        else if (question->kind == ASK_DAY)
            answer_day(request, question);
        else if (question->kind == ASK_CALENDAR)
            answer_calendar(request, question);
        else
            answer_board(request, question);
    }
    free(question);
}

/* Round and turn of running attempts are in their tables. */
static void question_done(struct store_job *job, enum store_result result)
{
    struct question *question = (struct question *)job;
    char codes[3][16];
    unsigned count = 0;
    for (unsigned i = 0; i < 3 && !result; i++)
        daily_note_day(question->request->server, &question->view[i].day);
    for (unsigned i = 0; i < 3; i++)
        if (question->view[i].has_mine && question->view[i].mine.state == STORE_ATTEMPT_RUNNING)
            memcpy(codes[count++], question->view[i].mine.code, sizeof codes[0]);
    if (result)
        answer_question(question, result == STORE_MISSING ? ERROR_NO_DAY : ERROR_STORAGE);
    else
        tables_fetch(question->request->server, codes, count, answer_question, question);
}

static struct question *new_question(struct request *request, enum question_kind kind)
{
    struct question *question = calloc(1, sizeof *question);
    if (!question) {
        request_error(request, ERROR_STORAGE, "");
        return NULL;
    }
    question->request = request;
    question->kind = kind;
    question->visitor = (int64_t)request->visitor->node.key;
    question->now = server_time();
    question->today = question->now / PYR_DAILY_SECONDS;
    return question;
}

static void submit(struct question *question)
{
    request_submit(question->request, &question->job, run_question, question_done);
}

void get_daily(struct request *request)
{
    struct question *question = new_question(request, ASK_TODAY);
    if (question)
        submit(question);
}

/* The date in the path. False after an error was sent. */
static bool read_day(struct request *request, int64_t *day)
{
    int32_t found;
    if (!pyr_daily_read_date(request->word, strlen(request->word), &found)) {
        request_error(request, ERROR_NO_DAY, "");
        return false;
    }
    *day = found;
    return true;
}

void get_one_day(struct request *request)
{
    int64_t day;
    struct question *question = read_day(request, &day) ? new_question(request, ASK_DAY) : NULL;
    if (!question)
        return;
    question->day = day;
    submit(question);
}

void get_calendar(struct request *request)
{
    char month[16] = "", date[24];
    int32_t day = 0;
    bool is_given = request_query(request, "month", month, sizeof month);       /* "" if it does not fit: no date */
    snprintf(date, sizeof date, "%s-01", month);
    if (is_given && !pyr_daily_read_date(date, strlen(date), &day)) {
        request_error(request, ERROR_BAD_MESSAGE, "month");
        return;
    }
    struct question *question = new_question(request, ASK_CALENDAR);
    if (!question)
        return;
    question->day = pyr_daily_month(is_given ? day : (int32_t)question->today, &question->month_days);
    submit(question);
}

/* The word given for a member of the query, out of the allowed ones; the first if it is missing. False after an error was
 * sent. */
static bool read_word(struct request *request, const char *name, const char *const *words, unsigned count, unsigned *which)
{
    char word[16];
    *which = 0;
    if (!request_query(request, name, word, sizeof word))
        return true;
    while (*which < count && strcmp(word, words[*which]))
        ++*which;
    if (*which < count)
        return true;
    request_error(request, ERROR_BAD_MESSAGE, name);
    return false;
}

void get_board(struct request *request)
{
    static const char *const periods[] = { "day", "week", "month" }, *const ways[] = { "points", "skill", "people" };
    unsigned period, by;
    int64_t day;
    char page[16];
    if (!read_day(request, &day) || !read_word(request, "period", periods, 3, &period) ||
        !read_word(request, "by", ways, 3, &by))
        return;
    if (!request_query(request, "page", page, sizeof page))
        snprintf(page, sizeof page, "1");
    if (strspn(page, "0123456789") != strlen(page) || strlen(page) > 6 || atoi(page) < 1) {
        request_error(request, ERROR_BAD_MESSAGE, "page");
        return;
    }
    struct question *question = new_question(request, ASK_BOARD);
    if (!question)
        return;
    question->day = day;
    question->board.period = (enum board_period)period;
    question->board.by = (enum board_by)by;
    question->board.page = atoi(page);
    if (day > question->today) {
        free(question);
        request_error(request, ERROR_NO_DAY, "");
    } else {
        submit(question);
    }
}

/* An attempt begins or continues. */

struct setting_out {
    struct store_job job;
    struct request *request;
    int64_t visitor, day, today, now;
    bool again, is_counted;
    bool is_retried;             /* another request was faster, so the attempt is looked up once more */
    bool exists, has_mine;
    struct store_day found;
    struct store_attempt mine;
    char open[STORE_CODES][16];  /* the visitor's tables: one may be an unfinished uncounted attempt */
    unsigned open_count;
};

static enum store_result run_setting_out(struct store_db *db, struct store_job *job)
{
    struct setting_out *out = (struct setting_out *)job;
    enum store_result result = store_make_days(db, out->today, out->now);
    out->open_count = 0;
    if (!result)
        result = read_day_of(db, out->day, out->now, &out->found);
    out->exists = !result;
    if (!result)
        result = store_get_attempt(db, out->day, out->visitor, &out->mine);
    out->has_mine = out->exists && !result;
    if (result == STORE_MISSING)
        result = STORE_OK;
    return result || !out->again ? result : store_get_open_of(db, out->visitor, out->open, &out->open_count);
}

static void out_free(struct setting_out *out)
{
    memset(&out->found, 0, sizeof out->found);       /* it has a secret */
    free(out);
}

static void out_error(struct setting_out *out, enum error error, const char *detail)
{
    struct request *request = out->request;
    out_free(out);
    if (request_back(request))
        request_error(request, error, detail);
}

static void out_table(struct setting_out *out, const struct table *table, int status)
{
    struct request *request = out->request;
    out_free(out);
    if (request_back(request))
        answer_json(request, status, json_pack("{so sb}", "table", table_json(table, request->visitor), "counted",
            table->daily.is_counted));
}

static void out_made(struct change *change, enum error error)
{
    struct setting_out *out = change->context;
    if (!error) {
        struct address *address = out->request->address;
        if (out->is_counted) {
            if (address->day != (int32_t)out->day)
                address->attempts = 0;
            address->day = (int32_t)out->day;
            address->attempts++;
        }
        out_table(out, change->table, 201);
        return;
    }
    if (error == ERROR_ATTEMPTED && !out->is_retried && out->request->conn && !out->request->server->stopped) {
        out->is_retried = true;
        store_submit(out->request->server->store, &out->job);
        return;
    }
    out_error(out, error, "");
}

static void out_begin(struct setting_out *out)
{
    struct request *request = out->request;
    struct server *server = request->server;
    struct visitor *visitor = visitor_by_id(server, out->visitor);
    struct table_request wanted = { .seats = PYR_DAILY_SEATS, .id = "", .address = request->address,
        .terms = { .edition = server_edition(server, PYR_DAILY_EDITION) }, .secret = out->found.secret,
        .daily = { (int32_t)out->day, (uint32_t)out->found.number, out->is_counted },
        .gives_up = out->again && !out->has_mine && !out->found.revealed };
    struct table *table;
    if (!visitor || !visitor->name[0] || !wanted.terms.edition) {
        out_error(out, visitor && wanted.terms.edition ? ERROR_BAD_NAME : ERROR_STORAGE, "");
        return;
    }
    wanted.seat[0] = (struct seat){ .kind = SEAT_PERSON, .kind_if_free = SEAT_OPEN, .visitor = out->visitor };
    memcpy(wanted.seat[0].name, visitor->name, NAME_SIZE);
    for (unsigned s = 1; s < PYR_DAILY_SEATS; s++) {
        wanted.seat[s] = (struct seat){ .kind = SEAT_BOT, .kind_if_free = SEAT_BOT, .bot = pyr_bot_find(PYR_DAILY_BOT) };
        snprintf(wanted.seat[s].name, NAME_SIZE, "%s", PYR_DAILY_BOT);
    }
    enum error error = table_create(server, visitor, &wanted, out_made, out, &table);
    if (error)
        out_error(out, error, "");
}

/* The visitor's open tables are now in memory: one of them may be an unfinished uncounted attempt. */
static void out_open_there(void *context, enum error error)
{
    struct setting_out *out = context;
    const struct table *found = NULL;
    if (error || !out->request->conn) {
        out_error(out, ERROR_STORAGE, "");
        return;
    }
    for (const struct table *table = out->request->server->table_list; table && !found; table = table->next)
        if (table->host == out->visitor && table->daily.day == out->day && !table->daily.is_counted &&
            table->now.stage == STORE_RUNNING && table->revision)
            found = table;
    if (found)
        out_table(out, found, 200);
    else
        out_begin(out);
}

static void out_goes_on(struct fetch *fetch, struct table *table, enum error error)
{
    struct setting_out *out = fetch->context;
    if (error)
        out_error(out, error, "");
    else
        out_table(out, table, 200);
}

/* Resumes the attempt that counts. */
static void out_resume(struct setting_out *out)
{
    struct server *server = out->request->server;
    const struct table *table = table_find(server, out->mine.code);
    if (table)
        out_table(out, table, 200);
    else if (!table_is_code(out->mine.code) || !table_fetch(server, out->mine.code, out_goes_on, out))
        out_error(out, ERROR_STORAGE, "");
}

/* Whether an address has already had its number of attempts that count today. */
static bool is_used_up(const struct setting_out *out)
{
    const struct address *address = out->request->address;
    return address->day == (int32_t)out->today && address->attempts >= out->request->server->options.max_attempts;
}

/* Why an attempt that does not count is not possible; ERROR_NONE: it is. If too many came from the visitor's address, it
 * gives up the one that counts, since the visitor then knows the cards: that one has expired while its day is sealed. */
static enum error may_again(const struct setting_out *out)
{
    if (out->found.revealed || (out->has_mine && out->mine.state == STORE_ATTEMPT_OVER))
        return ERROR_NONE;
    if (out->day < out->today)
        return ERROR_SEALED;
    bool has_none = out->has_mine ? out->mine.state == STORE_ATTEMPT_EXPIRED : is_used_up(out);
    return has_none ? ERROR_NONE : ERROR_NOT_OVER;
}

static void setting_out_done(struct store_job *job, enum store_result result)
{
    struct setting_out *out = (struct setting_out *)job;
    struct server *server = out->request->server;
    enum error error = ERROR_NONE;
    const char *detail = "";
    bool is_running = out->has_mine && out->mine.state == STORE_ATTEMPT_RUNNING && !out->found.revealed;
    if (result || !out->request->conn)
        error = ERROR_STORAGE;
    else if (!out->exists || out->day > out->today)
        error = ERROR_NO_DAY;
    else if (out->again)
        error = may_again(out);
    else if (out->has_mine && !is_running)
        error = ERROR_ATTEMPTED;
    else if (!is_running && (out->day < out->today || out->found.revealed))
        error = ERROR_CLOSED_DAY;
    else if (!is_running && is_used_up(out)) {
        error = ERROR_TOO_MANY;
        detail = "address";
    }
    out->is_counted = !out->again;
    if (error)
        out_error(out, error, detail);
    else if (out->again)
        tables_fetch(server, out->open, out->open_count, out_open_there, out);
    else if (is_running)
        out_resume(out);
    else
        out_begin(out);
}

void post_daily(struct request *request)
{
    static const struct field fields[] = { { "date", FIELD_TEXT, false, PYR_DAILY_DATE - 1 },
        { "again", FIELD_BOOL, false, 0 },
        { "id", FIELD_TEXT, false, ID_SIZE - 1 } };        /* sent by older pages; a repeated request gets the same table */
    json_t *object, *values[3];
    int32_t day = (int32_t)(server_time() / PYR_DAILY_SECONDS);
    if (!read_body(request, fields, 3, &object, values))
        return;
    bool is_date = !values[0] || pyr_daily_read_date(json_string_value(values[0]), json_string_length(values[0]), &day);
    struct setting_out *out = is_date ? calloc(1, sizeof *out) : NULL;
    if (out)
        *out = (struct setting_out){ .request = request, .visitor = (int64_t)request->visitor->node.key, .day = day,
            .again = json_is_true(values[1]), .now = server_time(), .today = server_time() / PYR_DAILY_SECONDS };
    json_decref(object);
    if (!out) {
        request_error(request, is_date ? ERROR_STORAGE : ERROR_BAD_MESSAGE, is_date ? "" : "date");
        return;
    }
    request_submit(request, &out->job, run_setting_out, setting_out_done);
}
