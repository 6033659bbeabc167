/*
 * store_daily.c: days and attempts (store_daily.h). How a statement is run and its rows are read is in store_rows.h.
 */
#include <sodium.h>

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

/* Looks first: most calls find both, and then nothing is written. A row that another server makes in between stays. */
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

enum store_result store_reveal_days(struct store_db *db, int64_t until, int64_t now)
{
    return change(db, NOW, STORE_OK, REVEAL_DAYS, until, now);
}

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

enum store_result store_each_attempt(struct store_db *db, int64_t from, int64_t to, bool (*each)(void *context,
    const struct store_attempt *attempt), void *context)
{
    return each_attempt(db, ask(db, ALL_ATTEMPTS, from, to), each, context);
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

enum store_result store_get_people(struct store_db *db, int64_t visitor, int64_t *people, unsigned most, unsigned *count)
{
    enum store_result result = ask(db, PEOPLE_OF, visitor, (int64_t)most);
    *count = 0;
    while (result == STORE_OK && (result = next(db)) == STORE_OK)
        people[(*count)++] = number(db, 0);
    return at_end(result);
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

/* No row: it was not an attempt that counts. A first result does not replace the final one. */
enum store_result store_judge_attempt(struct store_db *db, int64_t table, double luck, double rate, uint8_t judged)
{
    return change(db, NOW, STORE_OK, JUDGE_ATTEMPT, table, luck, rate, (int64_t)judged);
}

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

enum store_result store_commit_attempt(struct store_db *db, const struct store_commit *commit, int64_t table)
{
    const struct store_table *of = &commit->table;
    switch (commit->attempt.what) {
    case STORE_ATTEMPT_BEGINS:
        return change(db, NOW, STORE_TAKEN, ADD_ATTEMPT, commit->attempt.day, of->host, table, commit->made);
    case STORE_ATTEMPT_ENDS:
        return change(db, LATER, STORE_OK, END_ATTEMPT, commit->attempt.day, of->host, (int64_t)commit->attempt.state,
            commit->made, (int64_t)commit->attempt.points, (int64_t)commit->attempt.place);
    default:
        return STORE_OK;
    }
}
