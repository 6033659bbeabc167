/* store_reminders.c: see store_reminders.h. All of this runs within a transaction of the store. */
#include <string.h>

#include <sodium.h>

#include "store_reminders.h"
#include "store_rows.h"

static void hash_of(const char *text, uint8_t hash[32])
{
    crypto_hash_sha256(hash, (const unsigned char *)text, strlen(text));
}

/* Bytes of a column, which must have just this size. */
static bool copy_bytes(struct store_db *db, int column, uint8_t *to, size_t wanted)
{
    size_t size;
    const void *bytes = db->engine->bytes(db, column, &size);
    if (!bytes || size != wanted)
        return false;
    memcpy(to, bytes, wanted);
    return true;
}

/* If two servers start at the same time, the second stores nothing and reads what the first has stored. */
enum store_result store_share_secret(struct store_db *db, const char *name, uint8_t *value, size_t size)
{
    enum store_result result = change(db, NOW, STORE_OK, PUT_SECRET, name, (const void *)value, size);
    if (!result)
        result = ask(db, GET_SECRET, name);
    if (result || (result = next(db)))
        return result;
    bool good = copy_bytes(db, 0, value, size);
    finish(db);
    return good ? STORE_OK : STORE_FAILED;
}

/* Browsers. */

enum store_result store_put_push(struct store_db *db, int64_t visitor, const struct store_push *push, int64_t made)
{
    uint8_t hash[32];
    hash_of(push->endpoint, hash);
    enum store_result result = change(db, NOW, STORE_FAILED, PUT_PUSH, visitor, (const void *)hash, sizeof hash,
        push->endpoint, (const void *)push->key, sizeof push->key, (const void *)push->auth, sizeof push->auth,
        push->language, made);
    return result ? result : change(db, NOW, STORE_OK, OLD_PUSHES, visitor, (int64_t)STORE_PUSHES);
}

enum store_result store_get_pushes(struct store_db *db, int64_t visitor, struct store_push pushes[STORE_PUSHES],
    unsigned *count)
{
    enum store_result result = ask(db, GET_PUSHES, visitor, (int64_t)STORE_PUSHES);
    *count = 0;
    while (result == STORE_OK && (result = next(db)) == STORE_OK) {
        struct store_push *push = &pushes[*count];
        push->id = number(db, 0);
        copy_text(db, 1, push->endpoint, sizeof push->endpoint);
        copy_text(db, 4, push->language, sizeof push->language);
        *count += copy_bytes(db, 2, push->key, sizeof push->key) && copy_bytes(db, 3, push->auth, sizeof push->auth);
    }
    return at_end(result);
}

enum store_result store_drop_push(struct store_db *db, int64_t visitor, const char *endpoint)
{
    uint8_t hash[32];
    if (!endpoint)
        return change(db, NOW, STORE_MISSING, DROP_PUSHES, visitor);
    hash_of(endpoint, hash);
    return change(db, NOW, STORE_MISSING, DROP_PUSH, visitor, (const void *)hash, sizeof hash);
}

enum store_result store_drop_push_by_id(struct store_db *db, int64_t id)
{
    return change(db, NOW, STORE_OK, DROP_PUSH_BY_ID, id);
}

/* A visitor's settings. */

enum store_result store_get_notice(struct store_db *db, int64_t visitor, struct store_notice *notice)
{
    enum store_result result = ask(db, GET_NOTICE, visitor);
    *notice = (struct store_notice){ .daily = -1 };
    if (result || (result = next(db)))
        return result;
    *notice = (struct store_notice){ .quiet_from = (int)number(db, 0), .quiet_to = (int)number(db, 1),
        .zone = (int)number(db, 2), .daily = (int)number(db, 3), .due = number(db, 4), .told = number(db, 5),
        .closes = number(db, 6) };
    finish(db);
    return STORE_OK;
}

enum store_result store_put_notice(struct store_db *db, int64_t visitor, const struct store_notice *notice)
{
    return change(db, NOW, STORE_FAILED, PUT_NOTICE, visitor, (int64_t)notice->quiet_from, (int64_t)notice->quiet_to,
        (int64_t)notice->zone, (int64_t)notice->daily, notice->due);
}

enum store_result store_mark_notice(struct store_db *db, int64_t visitor, const struct store_notice *notice)
{
    return change(db, NOW, STORE_FAILED, MARK_NOTICE, visitor, notice->due, notice->told, (int64_t)notice->closes);
}

/* A row that another server has locked is left to it (SKIP LOCKED). */
enum store_result store_claim_notice(struct store_db *db, int64_t now, int64_t *visitor, int64_t *due,
    struct store_notice *notice)
{
    enum store_result result = ask(db, CLAIM_NOTICE, now);
    if (result || (result = next(db)))
        return result;
    *visitor = number(db, 0);
    finish(db);
    result = store_get_notice(db, *visitor, notice);
    *due = notice->due;
    return result;
}

/* Reminders. */

/* What is wanted, and where it is to be sent. */
static enum store_result get_visitor_part(struct store_db *db, struct store_due *due)
{
    enum store_result result = store_get_notice(db, due->visitor, &due->notice);
    return result && result != STORE_MISSING ? result : store_get_pushes(db, due->visitor, due->push, &due->pushes);
}

/* First one row, which determines the visitor; rows that another server has locked are skipped (SKIP LOCKED), so no
 * server waits. */
enum store_result store_claim_reminders(struct store_db *db, int64_t now, struct store_due *due)
{
    int64_t claimed[STORE_REMINDERS + 1];
    unsigned claims = 0;
    *due = (struct store_due){ 0 };
    enum store_result result = ask(db, CLAIM_REMINDER, now);
    if (result || (result = next(db)))
        return result;
    claimed[claims++] = number(db, 0);
    due->visitor = number(db, 1);
    finish(db);
    result = ask(db, CLAIM_REMINDERS_OF, due->visitor, now, (int64_t)STORE_REMINDERS);
    while (result == STORE_OK && (result = next(db)) == STORE_OK)
        claimed[claims++] = number(db, 0);
    if ((result = at_end(result)))
        return result;
    result = ask(db, GET_REMINDERS, due->visitor, now - STORE_NODE_SECONDS, (int64_t)STORE_REMINDERS);
    while (result == STORE_OK && (result = next(db)) == STORE_OK) {
        struct store_due_table *table = &due->at[due->count++];
        table->table = number(db, 1);
        table->want = (uint8_t)number(db, 2);
        table->told = (uint8_t)number(db, 3);
        table->is_night = number(db, 4);
        table->is_here = number(db, 5);
        copy_text(db, 0, table->code, sizeof table->code);
        for (unsigned i = 0; i < claims; i++)
            table->is_claimed |= claimed[i] == table->table;
    }
    result = at_end(result);
    return result ? result : get_visitor_part(db, due);
}

enum store_result store_mark_reminder(struct store_db *db, int64_t visitor, const struct store_due_table *table, int64_t due)
{
    return change(db, NOW, STORE_CONFLICT, MARK_REMINDER, table->table, visitor, (int64_t)table->told,
        (int64_t)table->is_night, due, (int64_t)table->want);
}

enum store_result store_drop_reminder(struct store_db *db, int64_t table, int64_t visitor)
{
    return change(db, NOW, STORE_OK, DROP_REMINDER, table, visitor);
}

/* Feeds. */

enum store_result store_put_feed(struct store_db *db, int64_t visitor, const uint8_t hash[32])
{
    return change(db, NOW, STORE_FAILED, PUT_FEED, (const void *)hash, (size_t)32, visitor);
}

enum store_result store_get_feed(struct store_db *db, const uint8_t hash[32], int64_t *visitor)
{
    enum store_result result = get_number(db, ask(db, GET_FEED, (const void *)hash, (size_t)32), 0, visitor);
    return result ? result : *visitor ? STORE_OK : STORE_MISSING;
}

enum store_result store_drop_feed(struct store_db *db, int64_t visitor)
{
    return change(db, NOW, STORE_MISSING, DROP_FEED, visitor);
}

enum store_result store_has_feed(struct store_db *db, int64_t visitor, bool *has)
{
    int64_t count;
    enum store_result result = get_number(db, ask(db, HAS_FEED, visitor), 0, &count);
    *has = count;
    return result;
}

enum store_result store_drop_reminders_of(struct store_db *db, int64_t visitor)
{
    static const enum store_statement drops[] = { DROP_REMINDERS_OF, DROP_PUSHES, DROP_NOTICE, DROP_FEED };
    return change_all(db, drops, sizeof drops / sizeof *drops, visitor);
}
