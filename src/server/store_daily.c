/*
 * store_daily.c: days and attempts (store_daily.h). Running statements and reading rows is in store_rows.h.
 *
 *  1. A day has one row and one secret, whichever server makes it first: a second insert changes nothing.
 *  2. A visitor has at most one attempt per day: its key is the pair of both, so a second one cannot be stored.
 *  3. A result is stored either before its day is revealed or not at all (lock_results in end_attempt and
 *     store_reveal_days). The closed boards of revealed days are therefore complete.
 *  4. Storing or judging a result ranks its visitor again in the same transaction (store_rank); once a day is revealed,
 *     store_settle does so for all its players on the closed boards. So boards are read without computing anything.
 */
#include <sodium.h>

#include <pyramids/daily.h>

#include "results.h"
#include "store_daily.h"
#include "store_rows.h"

/* Days. */

static void read_day(struct store_db *db, struct store_day *day)
{
    size_t size;
    *day = (struct store_day){ .day = number(db, 0), .number = number(db, 1), .revealed = number(db, 3),
        .outage = number(db, 4), .master = (int32_t)number(db, 5) };
    const void *secret = db->engine->bytes(db, 2, &size);
    if (secret && size == sizeof day->secret)
        memcpy(day->secret, secret, size);
}

enum store_result store_get_day(struct store_db *db, int64_t day, struct store_day *found)
{
    enum store_result result = ask(db, GET_DAYS, day, day);
    if (result || (result = next(db)))
        return result;
    read_day(db, found);
    finish(db);
    return STORE_OK;
}

enum store_result store_each_day(struct store_db *db, int64_t from, int64_t to, bool (*each)(void *context,
    const struct store_day *day), void *context)
{
    enum store_result result = ask(db, GET_DAYS, from, to);
    while (result == STORE_OK && (result = next(db)) == STORE_OK) {
        struct store_day day;
        read_day(db, &day);
        if (!each(context, &day)) {
            finish(db);
            return STORE_OK;
        }
    }
    return at_end(result);
}

enum store_result store_first_day(struct store_db *db, int64_t *day)
{
    enum store_result result = get_number(db, ask(db, FIRST_DAY), -1, day);
    return result ? result : *day <= 0 ? STORE_MISSING : STORE_OK;
}

enum store_result store_last_revealed(struct store_db *db, int64_t *day)
{
    return get_number(db, ask(db, LAST_REVEALED), 0, day);
}

/* Looks first: most calls find both days, and then nothing is written. If another server makes the row in between, that
 * one stays. */
enum store_result store_make_days(struct store_db *db, int64_t today, int64_t now)
{
    enum store_result result = STORE_OK;
    for (int64_t day = today; day <= today + 1 && !result; day++) {
        struct store_day found;
        result = store_get_day(db, day, &found);
        if (result != STORE_MISSING)
            continue;
        uint8_t secret[32];
        randombytes_buf(secret, sizeof secret);
        result = change(db, NOW, STORE_OK, ADD_DAY, day, (const void *)secret, sizeof secret, now);
        sodium_memzero(secret, sizeof secret);
    }
    return result;
}

/* Most calls find nothing to reveal. The lock is the one of end_attempt: a result is stored either before a day is
 * revealed or not at all, so the boards of revealed days are complete. */
enum store_result store_reveal_days(struct store_db *db, int64_t until, int64_t now)
{
    int64_t sealed;
    enum store_result result = get_number(db, ask(db, HAS_SEALED, until), 0, &sealed);
    if (result || !sealed || (result = lock_results(db)))
        return result;
    return change(db, NOW, STORE_OK, REVEAL_DAYS, until, now);
}

/* Adds to each day from `from` to `to` its share of the seconds; of a longer time the last year is enough. */
enum store_result store_add_outage(struct store_db *db, int64_t from, int64_t to)
{
    enum store_result result = STORE_OK;
    int64_t first = from / 86400 > to / 86400 - 366 ? from / 86400 : to / 86400 - 366;
    for (int64_t day = first; day <= to / 86400 && !result; day++) {
        int64_t begin = from > day * 86400 ? from : day * 86400, end = to < (day + 1) * 86400 ? to : (day + 1) * 86400;
        if (end > begin)
            result = change(db, NOW, STORE_OK, ADD_OUTAGE, day, end - begin);
    }
    return result;
}

/* Attempts. */

static void read_attempt(struct store_db *db, struct store_attempt *attempt)
{
    *attempt = (struct store_attempt){ .day = number(db, 0), .visitor = number(db, 1), .state = (uint8_t)number(db, 2),
        .points = (int32_t)number(db, 3), .place = (uint8_t)number(db, 4), .judged = (uint8_t)number(db, 5),
        .luck = real(db, 6), .rate = real(db, 7) };
    copy_text(db, 8, attempt->code, sizeof attempt->code);
}

static enum store_result each_attempt(struct store_db *db, enum store_result asked, bool (*each)(void *context,
    const struct store_attempt *attempt), void *context)
{
    enum store_result result = asked;
    while (result == STORE_OK && (result = next(db)) == STORE_OK) {
        struct store_attempt attempt;
        read_attempt(db, &attempt);
        if (!each(context, &attempt)) {
            finish(db);
            return STORE_OK;
        }
    }
    return at_end(result);
}

enum store_result store_get_attempt(struct store_db *db, int64_t day, int64_t visitor, struct store_attempt *attempt)
{
    enum store_result result = ask(db, GET_ATTEMPT, day, visitor);
    if (result || (result = next(db)))
        return result;
    read_attempt(db, attempt);
    finish(db);
    return STORE_OK;
}

enum store_result store_each_attempt_of(struct store_db *db, int64_t visitor, bool (*each)(void *context,
    const struct store_attempt *attempt), void *context)
{
    return each_attempt(db, ask(db, ATTEMPTS_OF, visitor), each, context);
}

enum store_result store_each_result(struct store_db *db, int64_t day, bool (*each)(void *context, int32_t points,
    int64_t count), void *context)
{
    enum store_result result = ask(db, DAY_RESULTS, day);
    while (result == STORE_OK && (result = next(db)) == STORE_OK)
        if (!each(context, (int32_t)number(db, 0), number(db, 1))) {
            finish(db);
            return STORE_OK;
        }
    return at_end(result);
}

enum store_result store_count_better(struct store_db *db, int64_t day, double without_luck, int64_t *count)
{
    return get_number(db, ask(db, COUNT_BETTER, day, without_luck), 0, count);
}

enum store_result store_get_unjudged(struct store_db *db, int64_t *table, char code[16], uint8_t *judged)
{
    enum store_result result = ask(db, UNJUDGED);
    if (result || (result = next(db)))
        return result;
    *table = number(db, 0);
    *judged = (uint8_t)number(db, 1);
    copy_text(db, 2, code, 16);
    finish(db);
    return STORE_OK;
}

/* No row: the attempt does not count. A first result does not replace the final one. */
enum store_result store_judge_attempt(struct store_db *db, int64_t table, double luck, double rate, uint8_t judged)
{
    enum store_result result = lock_results(db);
    if (!result)
        result = ask(db, JUDGE_ATTEMPT, table, luck, rate, (int64_t)judged);
    if (result || (result = next(db)))
        return at_end(result);
    int64_t day = number(db, 0), visitor = number(db, 1);
    finish(db);
    return store_rank(db, day, visitor);
}

/* Several servers share a database: the claim of one that has stopped is free again after STORE_NODE_SECONDS. */
enum store_result store_claim_master(struct store_db *db, int64_t node, int64_t now, struct store_day *day)
{
    int64_t found;
    enum store_result result = get_number(db, ask(db, WANTS_MASTER), 0, &found);
    if (result || !found)
        return result ? result : STORE_MISSING;
    if (db->engine->is_shared)
        result = change(db, NOW, STORE_MISSING, CLAIM_MASTER, found, node, now - STORE_NODE_SECONDS);
    return result ? result : store_get_day(db, found, day);
}

enum store_result store_put_master(struct store_db *db, int64_t day, int32_t points)
{
    return change(db, NOW, STORE_OK, PUT_MASTER, day, (int64_t)points);
}

/* Boards. */

#define SETTLED_AT_ONCE 100      /* visitors */

/* One visitor on one board: the best `best` results from `start` to `last`. */
static enum store_result rank_on(struct store_db *db, unsigned board, int64_t start, int64_t last, int64_t best,
    int64_t visitor)
{
    bool by_skill = board & STORE_BOARD_SKILL, closed = board & STORE_BOARD_CLOSED;
    return change(db, LATER, STORE_OK, RANK, (int64_t)board, start, visitor, last, best, (int64_t)by_skill, (int64_t)closed);
}

/* The boards of a week and of a month that a day is in. */
static enum store_result rank_periods(struct store_db *db, int64_t day, int64_t visitor, unsigned kind)
{
    unsigned days;
    int64_t week = pyr_daily_week((int32_t)day), month = pyr_daily_month((int32_t)day, &days);
    enum store_result result = rank_on(db, STORE_BOARD_WEEK | kind, week, week + 6, RESULTS_WEEK, visitor);
    return result ? result : rank_on(db, STORE_BOARD_MONTH | kind, month, month + days - 1, RESULTS_MONTH, visitor);
}

/* On all boards that the day is part of: by points and without luck, with the running day and without it. */
enum store_result store_rank(struct store_db *db, int64_t day, int64_t visitor)
{
    enum store_result result = STORE_OK;
    for (unsigned by = 0; by <= STORE_BOARD_SKILL && !result; by += STORE_BOARD_SKILL) {
        result = rank_on(db, STORE_BOARD_DAY | by, day, day, 1, visitor);
        if (!result)
            result = rank_periods(db, day, visitor, by);
        if (!result)
            result = rank_periods(db, day, visitor, by | STORE_BOARD_CLOSED);
    }
    return result;
}

static void read_standing(struct store_db *db, struct store_standing *row)
{
    *row = (struct store_standing){ .visitor = number(db, 0), .value = number(db, 1), .points = number(db, 2),
        .luck = real(db, 3), .rate = real(db, 4), .judged = (unsigned)number(db, 5), .days = (unsigned)number(db, 6) };
    copy_text(db, 7, row->name, sizeof row->name);
    copy_text(db, 8, row->code, sizeof row->code);
}

enum store_result store_get_board(struct store_db *db, unsigned board, int64_t start, int64_t from, unsigned most,
    struct store_standing *rows, unsigned *count)
{
    enum store_result result = ask(db, GET_BOARD, (int64_t)board, start, (int64_t)most, from);
    *count = 0;
    while (result == STORE_OK && (result = next(db)) == STORE_OK)
        read_standing(db, &rows[(*count)++]);
    return at_end(result);
}

enum store_result store_get_standing(struct store_db *db, unsigned board, int64_t start, int64_t visitor,
    struct store_standing *row)
{
    enum store_result result = ask(db, GET_STANDING, (int64_t)board, start, visitor);
    if (result || (result = next(db)))
        return result;
    read_standing(db, row);
    finish(db);
    return STORE_OK;
}

enum store_result store_count_standings(struct store_db *db, unsigned board, int64_t start, int64_t *count)
{
    return get_number(db, ask(db, COUNT_STANDINGS, (int64_t)board, start, (int64_t)STORE_RANKED), 0, count);
}

enum store_result store_better_standings(struct store_db *db, unsigned board, int64_t start, int64_t value, int64_t *count)
{
    return get_number(db, ask(db, BETTER_STANDINGS, (int64_t)board, start, value, (int64_t)STORE_RANKED), 0, count);
}

enum store_result store_each_of_people(struct store_db *db, unsigned board, int64_t start, int64_t visitor,
    bool (*each)(void *context, const struct store_standing *row), void *context)
{
    enum store_result result = ask(db, GET_BOARD_OF_PEOPLE, (int64_t)board, start, visitor, (int64_t)STORE_RANKED);
    while (result == STORE_OK && (result = next(db)) == STORE_OK) {
        struct store_standing row;
        read_standing(db, &row);
        if (!each(context, &row)) {
            finish(db);
            return STORE_OK;
        }
    }
    return at_end(result);
}

/* The row of the day is locked first, so that only one of several servers does it, and the lock on results after it:
 * every other transaction that needs both takes them in that order. Ranking a visitor again gives the same result. */
enum store_result store_settle(struct store_db *db, int64_t revealed)
{
    int64_t visitors[SETTLED_AT_ONCE];
    unsigned count = 0;
    int64_t waiting;
    enum store_result result = get_number(db, ask(db, HAS_UNSETTLED, revealed), 0, &waiting);
    if (result || !waiting || (result = lock_results(db)))
        return result;
    result = ask(db, UNSETTLED, revealed);
    if (result || (result = next(db)))
        return at_end(result);
    int64_t day = number(db, 0), after = number(db, 1);
    finish(db);
    result = ask(db, PLAYERS_OF, day, after, (int64_t)SETTLED_AT_ONCE);
    while (result == STORE_OK && (result = next(db)) == STORE_OK)
        visitors[count++] = number(db, 0);
    result = at_end(result);
    for (unsigned i = 0; i < count && !result; i++) {
        result = rank_periods(db, day, visitors[i], STORE_BOARD_CLOSED);
        if (!result)
            result = rank_periods(db, day, visitors[i], STORE_BOARD_CLOSED | STORE_BOARD_SKILL);
    }
    return result ? result : change(db, LATER, STORE_OK, SETTLE, day, count < SETTLED_AT_ONCE ? -1 : visitors[count - 1]);
}

/* From the same moment on a result counts on the boards, and a message that reminded of the day is closed. */
static enum store_result end_attempt(struct store_db *db, const struct store_commit *commit)
{
    int64_t day = commit->attempt.day, visitor = commit->table.host;
    enum store_result result = commit->attempt.state == STORE_ATTEMPT_OVER ? lock_results(db) : STORE_OK;
    if (!result)
        result = change(db, LATER, STORE_OK, END_ATTEMPT, day, visitor, (int64_t)commit->attempt.state, commit->made,
            (int64_t)commit->attempt.points, (int64_t)commit->attempt.place);
    if (!result && commit->attempt.state == STORE_ATTEMPT_OVER)
        result = store_rank(db, day, visitor);
    return result ? result : change(db, LATER, STORE_OK, CLOSE_NOTICE, visitor, day, commit->made);
}

enum store_result store_commit_attempt(struct store_db *db, const struct store_commit *commit, int64_t table)
{
    const struct store_table *of = &commit->table;
    switch (commit->attempt.what) {
    case STORE_ATTEMPT_BEGINS:
        return change(db, NOW, STORE_TAKEN, ADD_ATTEMPT, commit->attempt.day, of->host, table, commit->made);
    case STORE_ATTEMPT_GIVEN_UP:
        return change(db, NOW, STORE_TAKEN, GIVE_UP_ATTEMPT, commit->attempt.day, of->host, commit->made);
    case STORE_ATTEMPT_ENDS:
        return end_attempt(db, commit);
    default:
        return STORE_OK;
    }
}
