/*
 * store_ops.c: the operations of store.h, each made of statements (store_statements.c) that an engine runs.
 *
 * Lists are read in two steps, first the ids and then each row, so that the caller may change rows meanwhile.
 *
 * All of this runs in the store's thread (or in a command), within a transaction that store.c or store_engine.c has
 * begun. Running statements and reading rows is in store_rows.h.
 *
 * STORE_MISSING from next() means "no further row"; as the result of an operation it means that what was asked for
 * does not exist.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "store_daily.h"
#include "store_reminders.h"
#include "store_rows.h"

#define MOST_ROOM 200            /* tables that a server may make before all open ones are counted again */
#define ROOM_PART 8              /* and at most this fraction of the room left */

/* A text that grows. It is reused from one table of a list to the next, so that a long list allocates only a few times. */
struct buffer {
    char *at;
    size_t size, room;
};

/* There is always room for one more byte, the terminator. */
static bool add_bytes(struct buffer *buffer, const void *bytes, size_t size)
{
    if (buffer->room - buffer->size <= size) {
        size_t room = buffer->room ? buffer->room : 4096;
        while (room - buffer->size <= size)
            room *= 2;
        char *larger = realloc(buffer->at, room);
        if (!larger)
            return false;
        buffer->at = larger;
        buffer->room = room;
    }
    if (size)
        memcpy(buffer->at + buffer->size, bytes, size);
    buffer->size += size;
    buffer->at[buffer->size] = '\0';
    return true;
}

/* Rows of one or two numbers. */
struct pairs {
    int64_t (*at)[2];
    size_t count, room;
};

/* Reads all rows at once, so that the query is finished before other statements are run. The caller frees pairs->at, also
 * after an error. */
static enum store_result collect(struct store_db *db, enum store_result asked, struct pairs *pairs)
{
    enum store_result result = asked;
    while (result == STORE_OK && (result = next(db)) == STORE_OK) {
        if (pairs->count == pairs->room) {
            size_t room = pairs->room ? 2 * pairs->room : 64;
            void *larger = realloc(pairs->at, room * sizeof *pairs->at);
            if (!larger) {
                finish(db);
                return STORE_NO_ROOM;
            }
            pairs->at = larger;
            pairs->room = room;
        }
        pairs->at[pairs->count][0] = number(db, 0);
        pairs->at[pairs->count++][1] = number(db, 1);
    }
    return at_end(result);
}

/* Visitors. */

/* A job may run twice, so it is not an error if the visitor has this token already. */
enum store_result store_add_token(struct store_db *db, int64_t visitor, const uint8_t token[32], int64_t renewed)
{
    int64_t owner;
    enum store_result result = get_number(db, ask(db, GET_TOKEN, (const void *)token, (size_t)32), -1, &owner);
    if (result != STORE_OK)
        return result;
    if (owner >= 0)
        return owner == visitor ? STORE_OK : STORE_FAILED;
    return change(db, NOW, STORE_FAILED, PUT_TOKEN, (const void *)token, (size_t)32, visitor, renewed);
}

/* The cookie lasts a year from now; STORE_MISSING if the token was dropped meanwhile. */
enum store_result store_renew_token(struct store_db *db, const uint8_t token[32], int64_t renewed)
{
    return change(db, NOW, STORE_MISSING, RENEW_TOKEN, (const void *)token, (size_t)32, renewed);
}

/* id 0: a new visitor, whose id is filled in. If the token is all zeros, none is added. */
enum store_result store_put_visitor(struct store_db *db, struct store_visitor *visitor)
{
    enum store_result result = visitor->id ?
        change(db, NOW, STORE_FAILED, PUT_VISITOR, visitor->id, visitor->name, visitor->created, visitor->seen) :
        get_number(db, ask(db, ADD_VISITOR, visitor->name, visitor->created, visitor->seen), 0, &visitor->id);
    if (result != STORE_OK)
        return result;
    static const uint8_t none[32];
    return memcmp(visitor->token, none, sizeof none) ? store_add_token(db, visitor->id, visitor->token, visitor->renewed) :
        STORE_OK;
}

/* By the hash of a token: the database does not contain the token itself. */
enum store_result store_get_visitor(struct store_db *db, const uint8_t token[32], struct store_visitor *visitor)
{
    enum store_result result = ask(db, GET_VISITOR, (const void *)token, (size_t)32);
    if (result || (result = next(db)))
        return result;
    *visitor = (struct store_visitor){ .id = number(db, 0), .created = number(db, 2), .seen = number(db, 3),
        .renewed = number(db, 4) };
    memcpy(visitor->token, token, sizeof visitor->token);
    copy_text(db, 1, visitor->name, sizeof visitor->name);
    finish(db);
    return STORE_OK;
}

enum store_result store_get_visitor_by_id(struct store_db *db, int64_t id, struct store_visitor *visitor)
{
    enum store_result result = ask(db, VISITOR_OF_ID, id);
    if (result || (result = next(db)))
        return result;
    *visitor = (struct store_visitor){ .id = number(db, 0), .created = number(db, 2), .seen = number(db, 3) };
    copy_text(db, 1, visitor->name, sizeof visitor->name);
    finish(db);
    return STORE_OK;
}

/* The other servers are notified, since they may have the visitor in memory. */
enum store_result store_rename_visitor(struct store_db *db, struct store_visitor *visitor)
{
    enum store_result result = store_put_visitor(db, visitor);
    if (!result)
        announce(db, STORE_NEWS_NAME, visitor->id);
    return result;
}

/* `seen` decides when a visitor who never played is dropped (store_sweep_visitors). */
enum store_result store_see_visitor(struct store_db *db, int64_t id, int64_t seen)
{
    return change(db, NOW, STORE_MISSING, SEE_VISITOR, id, seen);
}

/* Once per token: a visitor with two devices is reported twice. `each` returns false to stop. */
enum store_result store_each_visitor(struct store_db *db, bool (*each)(void *context,
    const struct store_visitor *visitor), void *context)
{
    enum store_result result = ask(db, ALL_TOKENS);
    while (result == STORE_OK && (result = next(db)) == STORE_OK) {
        struct store_visitor visitor = { .id = number(db, 0), .created = number(db, 2), .seen = number(db, 3),
            .renewed = number(db, 5) };
        size_t size;
        copy_text(db, 1, visitor.name, sizeof visitor.name);
        const void *token = db->engine->bytes(db, 4, &size);
        if (size == sizeof visitor.token)
            memcpy(visitor.token, token, sizeof visitor.token);
        if (!each(context, &visitor)) {
            finish(db);
            return STORE_OK;
        }
    }
    return at_end(result);
}

/* Rows that refer to a visitor are deleted first (foreign keys). The ids are returned so that the visitors can be dropped
 * from memory, too. At most STORE_SWEEP rows per call; *at is where to continue, all 0 at the end. Column 2 is whether
 * the visitor has a seat at any table. */
enum store_result store_sweep_visitors(struct store_db *db, int64_t before, struct store_place *at,
    int64_t dropped[STORE_SWEEP], unsigned *count)
{
    static const enum store_statement drops[] = { DROP_TOKENS, DROP_CODE, DROP_REQUESTS_OF, DROP_VISITOR };
    unsigned found = 0, seen = 0;
    *count = 0;
    enum store_result result = ask(db, OLD_VISITORS, before, at->due, at->table, (int64_t)STORE_SWEEP);
    while (result == STORE_OK && (result = next(db)) == STORE_OK) {
        seen++;
        *at = (struct store_place){ number(db, 1), number(db, 0) };
        if (!number(db, 2))
            dropped[found++] = at->table;
    }
    if (seen < STORE_SWEEP)
        *at = (struct store_place){ 0 };
    result = at_end(result);
    for (; *count < found && result == STORE_OK; ++*count) {
        result = store_drop_reminders_of(db, dropped[*count]);
        if (result)
            break;
        result = change_all(db, drops, sizeof drops / sizeof *drops, dropped[*count]);
    }
    return result;
}

/* All of them at once, for commands and tests. */
enum store_result store_drop_visitors(struct store_db *db, int64_t before)
{
    struct store_place at = { 0 };
    int64_t dropped[STORE_SWEEP];
    enum store_result result;
    unsigned count;
    do
        result = store_sweep_visitors(db, before, &at, dropped, &count);
    while (result == STORE_OK && at.table);
    return result;
}

/* 0 in an empty database. */
enum store_result store_last_ids(struct store_db *db, int64_t *last_visitor, int64_t *last_table)
{
    enum store_result result = ask(db, LAST_IDS);
    if (result || (result = next(db)))
        return result;
    *last_visitor = number(db, 0);
    *last_table = number(db, 1);
    finish(db);
    return STORE_OK;
}

/* Tables. */

/* Most changes of a table leave its row unchanged. Where an upsert costs more than an update (SQLite), the update is
 * tried first. */
static enum store_result put_table(struct store_db *db, enum when when, const struct store_table *table)
{
    int64_t state = table->state;
    if (!db->engine->upserts_well) {
        enum store_result result = change(db, NOW, STORE_MISSING, TOUCH_TABLE, table->id, state, table->changed,
            table->config, table->code);
        if (result != STORE_MISSING)
            return result;
    }
    return change(db, when, STORE_FAILED, PUT_TABLE, table->id, state, table->changed, table->config, table->code,
        table->created, table->host, (int64_t)table->is_public);
}

/* For imports and tests; servers use store_commit, which checks the revision. */
enum store_result store_put_table(struct store_db *db, const struct store_table *table)
{
    enum store_result result = put_table(db, NOW, table);
    return result ? result : change(db, NOW, STORE_OK, PUT_REVISION, table->id, (int64_t)1, table->due, table->keeper);
}

/*
 * The limit on all open tables. Counting them takes time for each of them, so a server that has counted reserves room for
 * several: a number in its row, from which every new table takes one, in the transaction that stores it. The open tables
 * and the room of all servers together never exceed the limit, even if a server's knowledge is old, or it was away for
 * long, or ends at any time: a server whose row is gone has no room. Near the limit only room for one table at a time is
 * reserved, and when none is left, unused room of other servers is taken back, except from servers that are making a
 * table right now.
 */
static enum store_result check_open(struct store_db *db, const struct store_commit *commit)
{
    int64_t count = 0;
    enum store_result result = change(db, NOW, STORE_MISSING, TAKE_ROOM, commit->node);
    if (result != STORE_MISSING)
        return result;
    result = get_number(db, ask(db, LOCK_OPEN), 0, &count);
    if (!result)
        result = get_number(db, ask(db, COUNT_ROOM), 0, &count);
    if (!result && count >= commit->most_open && !(result = change(db, NOW, STORE_OK, FREE_ROOM)))
        result = get_number(db, ask(db, COUNT_ROOM), 0, &count);
    if (result || count >= commit->most_open)
        return result ? result : STORE_LIMIT;
    int64_t room = (commit->most_open - count - 1) / ROOM_PART;
    room = room > MOST_ROOM ? MOST_ROOM : room;
    return room ? change(db, LATER, STORE_OK, GIVE_ROOM, commit->node, room) : STORE_OK;
}

/* Whether there may be one more table. Locks are taken before counting, the one for all tables first, so that two servers
 * never count at the same time. */
static enum store_result check_room(struct store_db *db, const struct store_commit *commit)
{
    int64_t count = 0;
    enum store_result result = STORE_OK;
    if (commit->most_open && db->engine->is_shared) {
        if ((result = check_open(db, commit)))
            return result;
    } else if (commit->most_open) {
        result = get_number(db, ask(db, COUNT_OPEN), 0, &count);
        if (result || count >= commit->most_open)
            return result ? result : STORE_LIMIT;
    }
    if (db->engine->is_shared && commit->most)
        result = change(db, NOW, STORE_OK, LOCK_VISITOR, commit->table.host);
    if (!result)
        result = get_number(db, ask(db, COUNT_HOSTED, commit->table.host), 0, &count);
    return result ? result : commit->most && count >= commit->most ? STORE_LIMIT : STORE_OK;
}

/* Adds a table that does not exist yet. STORE_CONFLICT: its code is in use. */
static enum store_result add_table(struct store_db *db, const struct store_commit *commit, int64_t *id)
{
    const struct store_table *table = &commit->table;
    enum store_result result = check_room(db, commit);
    if (result)
        return result;
    result = get_number(db, ask(db, ADD_TABLE, (int64_t)table->state, table->changed, table->config, table->code,
        table->created, table->host, (int64_t)table->is_public), 0, id);
    if (result || !*id)
        return result ? result : STORE_CONFLICT;
    return change(db, LATER, STORE_FAILED, PUT_REVISION, *id, (int64_t)1, table->due, table->keeper);
}

/* The next revision of a table, if it still has the one that the commit was made from. */
static enum store_result next_revision(struct store_db *db, const struct store_commit *commit)
{
    const struct store_table *table = &commit->table;
    return commit->keeps_due ? change(db, LATER, STORE_CONFLICT, NEXT_REVISION, table->id, table->revision) :
        change(db, LATER, STORE_CONFLICT, NEXT_REVISION_DUE, table->id, table->revision, table->due, table->keeper);
}

/* Reads a table by its id; its config is copied to the buffer. */
static enum store_result get_table(struct store_db *db, int64_t id, struct store_table *table, struct buffer *config)
{
    enum store_result result = ask(db, GET_TABLE, id);
    if (result || (result = next(db)))
        return result;
    struct store_table found = { .id = id, .state = (uint8_t)number(db, 2), .created = number(db, 3),
        .changed = number(db, 4), .host = number(db, 6), .is_public = number(db, 7), .revision = number(db, 8),
        .due = number(db, 9), .keeper = number(db, 10) };
    size_t size;
    copy_text(db, 1, found.code, sizeof found.code);
    config->size = 0;
    const char *text = db->engine->bytes(db, 5, &size);
    bool good = text && add_bytes(config, text, size);
    finish(db);
    if (!good)
        return STORE_NO_ROOM;
    found.config = config->at;
    *table = found;
    return STORE_OK;
}

/* The config is in a buffer of the connection: valid until the next call. */
enum store_result store_get_table(struct store_db *db, const char *code, struct store_table *table)
{
    int64_t id;
    enum store_result result = get_number(db, ask(db, TABLE_OF_CODE, code), -1, &id);
    if (result != STORE_OK)
        return result;
    if (id < 0)
        return STORE_MISSING;
    struct buffer config = { .at = db->text, .room = db->room };
    result = get_table(db, id, table, &config);
    db->text = config.at;
    db->room = config.room;
    return result;
}

/* Lines. */

/* Joins all rows in order. *made is when the last of them was written: the beginning of the present phase. */
static enum store_result get_lines(struct store_db *db, int64_t table, struct buffer *log, int64_t *made)
{
    log->size = 0;
    *made = 0;
    if (!add_bytes(log, "", 0))
        return STORE_NO_ROOM;
    enum store_result result = ask(db, GET_LINES, table);
    while (result == STORE_OK && (result = next(db)) == STORE_OK) {
        size_t size;
        const char *text = db->engine->bytes(db, 0, &size);
        *made = number(db, 1);
        if (!text || !add_bytes(log, text, size)) {
            finish(db);
            return STORE_NO_ROOM;
        }
    }
    return at_end(result);
}

/* 0 if the last line has no end. */
static int64_t count_lines(const char *text, size_t size)
{
    int64_t count = 0;
    if (!size || text[size - 1] != '\n')
        return 0;
    for (const char *at = text, *end = text + size; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++)
        count++;
    return count;
}

/* The statement itself refuses a gap: it inserts only if `first` is where the log ends. So two writers cannot mix their
 * lines. */
static enum store_result add_lines(struct store_db *db, enum when when, int64_t table, uint32_t first, const char *text,
    size_t size, int64_t made)
{
    int64_t count = count_lines(text, size);
    if (size && !count)
        return STORE_FAILED;
    return count ? change(db, when, STORE_FAILED, ADD_LINES, table, (int64_t)first, count, text, size, made) : STORE_OK;
}

enum store_result store_add_lines(struct store_db *db, int64_t table, uint32_t first, const char *text, size_t size,
    int64_t made)
{
    return add_lines(db, NOW, table, first, text, size, made);
}

/* The caller frees *text. An existing table without lines gives an empty text. */
enum store_result store_get_lines(struct store_db *db, int64_t table, char **text, size_t *size)
{
    struct buffer log = { 0 };
    int64_t made;
    enum store_result result = get_lines(db, table, &log, &made);
    if (result == STORE_OK && !log.size && !(result = ask(db, GET_TABLE, table)) && !(result = next(db)))
        finish(db);                          /* the table has no lines, or does not exist */
    if (result != STORE_OK) {
        free(log.at);
        return result;
    }
    *text = log.at;
    *size = log.size;
    return STORE_OK;
}

/* One row per seat, replaced by each choice: by then, older ones are in the lines. */
static enum store_result put_choice(struct store_db *db, enum when when, int64_t table, const struct store_choice *choice)
{
    return change(db, when, STORE_FAILED, PUT_CHOICE, table, (int64_t)choice->seat, (int64_t)choice->phase, choice->id,
        choice->text, choice->made, (const void *)choice->ids, sizeof choice->ids);
}

enum store_result store_put_choice(struct store_db *db, int64_t table, const struct store_choice *choice)
{
    return put_choice(db, NOW, table, choice);
}

/* The columns of a choice. */
struct choice_columns {
    int seat, phase, id, text, made, ids;
};

/* If the ids have another size, as stored by an older version, they are left empty. */
static struct store_choice take_choice(struct store_db *db, struct choice_columns at)
{
    struct store_choice choice = { .seat = (uint8_t)number(db, at.seat), .phase = (uint32_t)number(db, at.phase),
        .made = number(db, at.made) };
    size_t size;
    copy_text(db, at.id, choice.id, sizeof choice.id);
    copy_text(db, at.text, choice.text, sizeof choice.text);
    const void *ids = db->engine->bytes(db, at.ids, &size);
    if (ids && size == sizeof choice.ids)
        memcpy(choice.ids, ids, sizeof choice.ids);
    return choice;
}

enum store_result store_get_choices(struct store_db *db, int64_t table, struct store_choice choices[STORE_SEATS],
    unsigned *count)
{
    enum store_result result = ask(db, GET_CHOICES, table);
    *count = 0;
    while (result == STORE_OK && (result = next(db)) == STORE_OK && *count < STORE_SEATS)
        choices[(*count)++] = take_choice(db, (struct choice_columns){ .seat = 0, .phase = 1, .id = 2, .text = 3, .made = 4,
            .ids = 5 });
    if (result == STORE_OK)
        finish(db);
    return at_end(result);
}

/* The kinds of rows of GET_WHOLE, in their order. */
enum whole_part { WHOLE_ROW, WHOLE_LINES, WHOLE_CHOICE };

/* One statement returns rows of three kinds, so that reading a table takes one round trip instead of three. The columns
 * have a different meaning in each kind. */
static enum store_result take_part(struct store_db *db, struct store_table *table, struct buffer *config, struct buffer *log,
    struct store_choice choices[STORE_SEATS], unsigned *count)
{
    size_t size;
    const char *text;
    if (number(db, 0) == WHOLE_ROW) {
        *table = (struct store_table){ .id = number(db, 1), .state = (uint8_t)number(db, 2), .created = number(db, 3),
            .changed = number(db, 4), .host = number(db, 5), .is_public = number(db, 6), .revision = number(db, 7),
            .due = number(db, 8), .keeper = number(db, 9) };
        copy_text(db, 10, table->code, sizeof table->code);
        text = db->engine->bytes(db, 11, &size);
        if (!text || !add_bytes(config, text, size))
            return STORE_NO_ROOM;
        table->config = config->at;
    } else if (number(db, 0) == WHOLE_LINES) {
        table->phase = number(db, 2);
        text = db->engine->bytes(db, 10, &size);
        if (!text || !add_bytes(log, text, size))
            return STORE_NO_ROOM;
    } else if (*count < STORE_SEATS) {
        choices[(*count)++] = take_choice(db, (struct choice_columns){ .seat = 1, .phase = 2, .made = 3, .id = 10,
            .text = 11, .ids = 12 });
    }
    return STORE_OK;
}

/* The caller frees *text; the config is valid until the next call. STORE_MISSING if the table does not exist. */
enum store_result store_get_whole_table(struct store_db *db, const char *code, struct store_table *table, char **text,
    size_t *size, struct store_choice choices[STORE_SEATS], unsigned *count)
{
    struct buffer log = { 0 }, config = { .at = db->text, .room = db->room };
    struct store_table found = { 0 };
    *count = 0;
    enum store_result result = add_bytes(&log, "", 0) ? ask(db, GET_WHOLE, code) : STORE_NO_ROOM;
    while (result == STORE_OK && (result = next(db)) == STORE_OK)
        if ((result = take_part(db, &found, &config, &log, choices, count)))
            finish(db);
    db->text = config.at;
    db->room = config.room;
    result = at_end(result);
    if (result == STORE_OK && !found.id)
        result = STORE_MISSING;
    if (result) {
        free(log.at);
        return result;
    }
    *table = found;
    *text = log.at;
    *size = log.size;
    return STORE_OK;
}

/* In the order of creation. `each` returns false to stop. */
enum store_result store_each_open_table(struct store_db *db,
    bool (*each)(void *context, const struct store_table *table, const char *text, size_t size,
        const struct store_choice *choices, unsigned count),
    void *context)
{
    struct store_choice choices[STORE_SEATS];
    struct buffer config = { 0 }, log = { 0 };
    struct store_table table;
    struct pairs ids = { 0 };
    unsigned count;
    enum store_result result = collect(db, ask(db, OPEN_TABLES), &ids);
    for (size_t i = 0; i < ids.count && result == STORE_OK; i++) {
        if ((result = get_table(db, ids.at[i][0], &table, &config)) != STORE_OK ||
            (result = get_lines(db, table.id, &log, &table.phase)) != STORE_OK ||
            (result = store_get_choices(db, table.id, choices, &count)) != STORE_OK)
            break;
        if (!each(context, &table, log.at, log.size, choices, count))
            break;
    }
    free(ids.at);
    free(config.at);
    free(log.at);
    return result;
}

/* The record of a daily expedition gets its secret once the day is revealed, if it was not when the game ended. The day
 * is in the configuration (config.c). */
static enum store_result add_secret(struct store_db *db, const struct store_table *table, struct buffer *log)
{
    static const char member[] = "\"day\":", tag[] = "\ntag secret ";
    const char *at = table->config ? strstr(table->config, member) : NULL;
    struct store_day day;
    char line[sizeof tag + 65] = "tag secret ";
    if (!at || !log->size || strstr(log->at, tag))
        return STORE_OK;
    enum store_result result = store_get_day(db, strtoll(at + sizeof member - 1, NULL, 10), &day);
    if (result || !day.revealed)
        return result == STORE_MISSING ? STORE_OK : result;
    for (unsigned i = 0; i < sizeof day.secret; i++)
        snprintf(line + 11 + (size_t)2 * i, 3, "%02x", day.secret[i]);
    memcpy(line + 75, "\n", 2);
    return add_bytes(log, line, 76) ? STORE_OK : STORE_NO_ROOM;
}

/* Finished games only. */
enum store_result store_each_record(struct store_db *db,
    bool (*each)(void *context, const struct store_table *table, const char *text, size_t size), void *context)
{
    struct buffer config = { 0 }, log = { 0 };
    struct store_table table;
    struct pairs ids = { 0 };
    enum store_result result = collect(db, ask(db, FINISHED_TABLES), &ids);
    for (size_t i = 0; i < ids.count && result == STORE_OK; i++) {
        if ((result = get_table(db, ids.at[i][0], &table, &config)) != STORE_OK ||
            (result = get_lines(db, table.id, &log, &table.phase)) != STORE_OK)
            break;
        result = add_secret(db, &table, &log);
        if (result || !each(context, &table, log.at, log.size))
            break;
    }
    free(ids.at);
    free(config.at);
    free(log.at);
    return result;
}

/* Seats. */

static enum store_result put_seat(struct store_db *db, enum when when, const struct store_seat *seat)
{
    return change(db, when, STORE_FAILED, PUT_SEAT, seat->table, seat->visitor, (int64_t)seat->seat, (int64_t)seat->people,
        (int64_t)seat->bots, seat->level, (int64_t)seat->points, (double)seat->share, seat->made, (int64_t)seat->place,
        (int64_t)seat->pyramids, (double)STORE_NOT_JUDGED, (double)STORE_NOT_JUDGED);
}

enum store_result store_put_seat(struct store_db *db, const struct store_seat *seat)
{
    return put_seat(db, NOW, seat);
}

enum store_result store_drop_seat(struct store_db *db, int64_t table, unsigned seat)
{
    return change(db, NOW, STORE_MISSING, DROP_SEAT, table, (int64_t)seat);
}

static enum store_result get_seat(struct store_db *db, int64_t table, int64_t seat_number, struct store_seat *seat)
{
    enum store_result result = ask(db, GET_SEAT, table, seat_number);
    if (result || (result = next(db)))
        return result;
    *seat = (struct store_seat){ .table = table,
        .visitor = number(db, 1),
        .seat = (uint8_t)seat_number,
        .people = (uint8_t)number(db, 3),
        .bots = (uint8_t)number(db, 4),
        .points = (int32_t)number(db, 6),
        .share = (float)real(db, 7) };
    copy_text(db, 5, seat->level, sizeof seat->level);
    finish(db);
    return STORE_OK;
}

/* The latest first, at most `limit`. */
enum store_result store_each_table_of(struct store_db *db, int64_t visitor, unsigned limit, bool (*each)(void *context,
    const struct store_table *table, const struct store_seat *seat), void *context)
{
    struct buffer config = { 0 };
    struct store_table table;
    struct store_seat seat;
    struct pairs found = { 0 };
    enum store_result result = collect(db, ask(db, TABLES_OF, visitor, (int64_t)limit), &found);
    for (size_t i = 0; i < found.count && result == STORE_OK; i++) {
        if ((result = get_table(db, found.at[i][0], &table, &config)) != STORE_OK ||
            (result = get_seat(db, table.id, found.at[i][1], &seat)) != STORE_OK)
            break;
        if (!each(context, &table, &seat))
            break;
    }
    free(found.at);
    free(config.at);
    return result;
}

/* One row per kind of opponent; level "" stands for games with people. */
enum store_result store_get_statistics(struct store_db *db, int64_t visitor, struct store_statistics *statistics)
{
    struct store_statistics sums = { 0 };
    enum store_result result = ask(db, STATISTICS, visitor);
    while (result == STORE_OK && (result = next(db)) == STORE_OK) {
        struct store_tally *tally = &sums.tally[sums.count++];
        copy_text(db, 0, tally->level, sizeof tally->level);
        tally->games = (uint32_t)number(db, 1);
        tally->wins = real(db, 2);
        tally->points = real(db, 3);
        tally->best = (int32_t)number(db, 4);
    }
    if ((result = at_end(result)) == STORE_OK)
        *statistics = sums;
    return result;
}

/* Reports. */

/* Reports are long and repetitive, so they are compressed. */
enum store_result store_put_report(struct store_db *db, int64_t table, const char *name, const char *text, size_t size,
    int64_t made)
{
    uLongf packed = compressBound(size);
    Bytef *bytes = malloc(packed);
    if (!bytes || compress2(bytes, &packed, (const Bytef *)text, size, Z_DEFAULT_COMPRESSION) != Z_OK) {
        free(bytes);
        return STORE_NO_ROOM;
    }
    enum store_result result = change(db, NOW, STORE_FAILED, PUT_REPORT, table, name, made, (int64_t)size,
        (const void *)bytes, (size_t)packed);
    free(bytes);
    return result;
}

/* The caller frees *text. */
enum store_result store_get_report(struct store_db *db, int64_t table, const char *name, char **text, size_t *size)
{
    enum store_result result = ask(db, GET_REPORT, table, name);
    if (result || (result = next(db)))
        return result;
    int64_t length = number(db, 0);
    /* A damaged row must not make us allocate the size that it claims; 64 MB is far above any report. */
    bool sane = length >= 0 && length <= 64 << 20;
    char *plain = sane ? malloc((size_t)length + 1) : NULL;
    uLongf got = (uLongf)length;
    size_t packed;
    const void *bytes = db->engine->bytes(db, 1, &packed);
    bool good = plain && bytes && uncompress((Bytef *)plain, &got, bytes, packed) == Z_OK && got == (uLongf)length;
    finish(db);
    if (!good) {
        free(plain);
        return sane && !plain ? STORE_NO_ROOM : STORE_FAILED;
    }
    plain[length] = '\0';
    *text = plain;
    *size = (size_t)length;
    return STORE_OK;
}

/* Several servers. */

/* 0 if the table does not exist. */
enum store_result store_get_revision(struct store_db *db, const char *code, int64_t *revision)
{
    return get_number(db, ask(db, GET_REVISION, code), 0, revision);
}

enum store_result store_get_revisions(struct store_db *db, const int64_t *ids, unsigned count, int64_t *revisions)
{
    char list[21 * STORE_REVISIONS + 1] = "";        /* at most 20 digits each */
    size_t size = 0;
    for (unsigned i = 0; i < count; i++)
        size += (size_t)snprintf(list + size, sizeof list - size, "%s%lld", i ? " " : "", (long long)ids[i]);
    enum store_result result = ask(db, GET_REVISIONS, (const char *)list);
    for (unsigned i = 0; i < count && result == STORE_OK && (result = next(db)) == STORE_OK; i++)
        revisions[i] = number(db, 0);
    if (result)
        return result;
    finish(db);
    return STORE_OK;
}

/* The database's time, where several servers share it: their own clocks may differ. */
enum store_result store_get_time(struct store_db *db, int64_t *seconds)
{
    if (db->engine->is_shared)
        return get_number(db, ask(db, GET_TIME), 0, seconds);
    *seconds = (int64_t)time(NULL);
    return STORE_OK;
}

/* Registers a server with the shared database and gives it a number. Servers not seen for a day are removed; others may
 * take over a server's tables after STORE_NODE_SECONDS. */
enum store_result store_add_node(struct store_db *db, int64_t now, enum store_thinking thinks, int64_t *node)
{
    *node = 0;
    if (!db->engine->is_shared)
        return STORE_OK;
    enum store_result result = change(db, NOW, STORE_OK, OLD_NODES, now - 86400);
    if (!result)
        result = change(db, NOW, STORE_OK, OLD_PRESENT);
    return result ? result : get_number(db, ask(db, ADD_NODE, now, (int64_t)thinks), 0, node);
}

/* The heartbeat of a server. */
enum store_result store_put_node(struct store_db *db, int64_t node, enum store_thinking thinks, int64_t now)
{
    return change(db, NOW, STORE_FAILED, PUT_NODE, node, (int64_t)thinks, now);
}

/* A server that stops properly releases its tables at once, and the other servers are asked to claim them. */
enum store_result store_drop_node(struct store_db *db, int64_t node)
{
    static const enum store_statement drops[] = { DISOWN, DISOWN_ANALYSES, DROP_PRESENT_OF, DROP_NODE };
    enum store_result result = change_all(db, drops, sizeof drops / sizeof *drops, node);
    if (!result)
        announce(db, STORE_NEWS_WORK, 0);
    return result;
}

/* Those seen within STORE_NODE_SECONDS. */
enum store_result store_get_nodes(struct store_db *db, int64_t now, struct store_nodes *nodes)
{
    enum store_result result = ask(db, GET_NODES, now - STORE_NODE_SECONDS, (int64_t)STORE_NODES);
    nodes->count = 0;
    while (result == STORE_OK && (result = next(db)) == STORE_OK)
        nodes->at[nodes->count++] = (struct store_node){ number(db, 0), (uint8_t)number(db, 1) };
    return at_end(result);
}

/* Notifies the others that it has changed which servers have the table, or who is connected to it. */
static void announce_presence(struct store_db *db, const char *code)
{
    char word[24];
    snprintf(word, sizeof word, STORE_NEWS_PRESENCE "%.16s", code);
    announce(db, word, 0);
}

/* Replaces what this server has stored for the table, and notifies the others. */
enum store_result store_put_present(struct store_db *db, int64_t table, const char *code, int64_t node, bool has_table,
    const int64_t *visitors, unsigned count)
{
    enum store_result result = change(db, LATER, STORE_OK, DROP_PRESENT, table, node);
    if (!result && has_table)
        result = change(db, LATER, STORE_OK, PUT_PRESENT, table, (int64_t)0, node);
    for (unsigned i = 0; i < count && !result; i++)
        result = change(db, LATER, STORE_OK, PUT_PRESENT, table, visitors[i], node);
    if (!result)
        announce_presence(db, code);
    return result;
}

enum store_result store_tell(struct store_db *db, const char *word, int64_t with)
{
    announce(db, word, with);
    return STORE_OK;
}

/* While the row exists, other servers announce their changes of the table (store_commit). */
enum store_result store_add_present(struct store_db *db, int64_t table, const char *code, int64_t node)
{
    enum store_result result = change(db, LATER, STORE_OK, PUT_PRESENT, table, (int64_t)0, node);
    if (!result)
        announce_presence(db, code);
    return result;
}

/* For servers that have begun to follow the table after it was changed. */
enum store_result store_announce(struct store_db *db, const char *word, int64_t number, const char *more)
{
    if (db->engine->announce)
        db->engine->announce(db, word, number, NULL, more);
    return STORE_OK;
}

enum store_result store_get_present(struct store_db *db, int64_t table, struct store_present present[STORE_PRESENT],
    unsigned *count)
{
    enum store_result result = ask(db, GET_PRESENT, table, (int64_t)STORE_PRESENT);
    *count = 0;
    while (result == STORE_OK && (result = next(db)) == STORE_OK)
        present[(*count)++] = (struct store_present){ number(db, 0), number(db, 1) };
    return at_end(result);
}

/* Lists of tables. */

/* The statement's limit keeps the rows within `codes`. */
static enum store_result get_codes(struct store_db *db, enum store_result asked, char codes[][16], unsigned *count)
{
    enum store_result result = asked;
    *count = 0;
    while (result == STORE_OK && (result = next(db)) == STORE_OK)
        copy_text(db, 0, codes[(*count)++], 16);
    return at_end(result);
}

enum store_result store_get_open_of(struct store_db *db, int64_t visitor, char codes[STORE_CODES][16], unsigned *count)
{
    return get_codes(db, ask(db, OPEN_OF, visitor, (int64_t)STORE_CODES), codes, count);
}

enum store_result store_get_public(struct store_db *db, unsigned most, char codes[STORE_CODES][16], unsigned *count)
{
    return get_codes(db, ask(db, PUBLIC_TABLES, (int64_t)(most < STORE_CODES ? most : STORE_CODES)), codes, count);
}

enum store_result store_count_open(struct store_db *db, unsigned *count)
{
    int64_t open = 0;
    enum store_result result = get_number(db, ask(db, COUNT_OPEN), 0, &open);
    *count = (unsigned)open;
    return result;
}

enum store_result store_get_abandoned(struct store_db *db, int64_t before, char code[16])
{
    unsigned count;
    enum store_result result = get_codes(db, ask(db, ABANDONED, before), (char (*)[16])code, &count);
    return result ? result : count ? STORE_OK : STORE_MISSING;
}

/* Continues after *at, so that a long list is read in several short transactions. */
enum store_result store_get_due(struct store_db *db, struct store_place *at, int64_t until, char codes[STORE_DUE][16],
    unsigned *count)
{
    enum store_result result = ask(db, GET_DUE, at->due, at->table, until, (int64_t)STORE_DUE);
    *count = 0;
    while (result == STORE_OK && (result = next(db)) == STORE_OK) {
        copy_text(db, 0, codes[(*count)++], 16);
        *at = (struct store_place){ number(db, 1), number(db, 2) };
    }
    return at_end(result);
}

/* Tables that are due and whose keeper has not been seen lately become this server's. With SKIP LOCKED in the statement,
 * several servers can claim at the same time without waiting for each other or getting the same tables. */
enum store_result store_claim(struct store_db *db, int64_t node, int64_t now, int64_t from, int64_t to,
    char codes[STORE_DUE][16], unsigned *count)
{
    return get_codes(db, ask(db, CLAIM, node, to, now - STORE_NODE_SECONDS, (int64_t)STORE_DUE, from), codes, count);
}

enum store_result store_count_analyses(struct store_db *db, unsigned *count)
{
    int64_t all;
    enum store_result result = get_number(db, ask(db, COUNT_ANALYSES, (int64_t)0, (int64_t)0), 0, &all);
    *count = (unsigned)all;
    return result;
}

/* If the analysis is queued already, asking for it succeeds. STORE_LIMIT: too many are waiting, of this asker or in all. */
enum store_result store_ask_analysis(struct store_db *db, int64_t table, int64_t asker, int64_t now, unsigned most_of_asker,
    unsigned most, unsigned *count)
{
    enum store_result result = ask(db, COUNT_ANALYSES, asker, table);
    if (result || (result = next(db)))
        return result;
    int64_t all = number(db, 0), own = number(db, 1);
    bool is_asked = number(db, 2);
    finish(db);
    *count = (unsigned)all;
    if (is_asked)
        return STORE_OK;
    if (all >= most || (asker && own >= most_of_asker))
        return STORE_LIMIT;
    result = change(db, NOW, STORE_OK, PUT_ANALYSIS, table, asker, now);
    if (!result)
        announce(db, STORE_NEWS_WORK, 0);
    *count += !result;
    return result;
}

/* Claims an analysis for this server; one whose server has not been seen lately is given to another. */
enum store_result store_claim_analysis(struct store_db *db, int64_t node, int64_t now, char code[16])
{
    unsigned count;
    enum store_result result = get_codes(db, ask(db, CLAIM_ANALYSIS, node, now - STORE_NODE_SECONDS), (char (*)[16])code,
        &count);
    return result ? result : count ? STORE_OK : STORE_MISSING;
}

enum store_result store_drop_analysis(struct store_db *db, int64_t table)
{
    return change(db, NOW, STORE_OK, DROP_ANALYSIS, table);
}

/* Tables that this server keeps and that are due, in case it no longer has them in memory. */
enum store_result store_get_kept(struct store_db *db, int64_t node, int64_t now, int64_t *after, char codes[STORE_DUE][16],
    unsigned *count)
{
    enum store_result result = ask(db, GET_KEPT, node, now, *after, (int64_t)STORE_DUE);
    *count = 0;
    while (result == STORE_OK && (result = next(db)) == STORE_OK) {
        copy_text(db, 0, codes[(*count)++], 16);
        *after = number(db, 2);
    }
    if (*count < STORE_DUE)
        *after = 0;                          /* from the beginning again */
    return at_end(result);
}

/* Only if the table still has this revision, so that a newer change is not undone. */
enum store_result store_put_due(struct store_db *db, int64_t table, int64_t revision, int64_t due)
{
    return change(db, NOW, STORE_CONFLICT, PUT_DUE, table, revision, due);
}

/* Requests with an id, one-time codes, the heartbeat. */

enum store_result store_put_request(struct store_db *db, int64_t visitor, const char *id, int64_t table, int64_t made)
{
    return change(db, NOW, STORE_FAILED, PUT_REQUEST, visitor, id, table, made);
}

enum store_result store_get_request(struct store_db *db, int64_t visitor, const char *id, char code[16])
{
    enum store_result result = ask(db, GET_REQUEST, visitor, id);
    if (result || (result = next(db)))
        return result;
    copy_text(db, 0, code, 16);
    finish(db);
    return STORE_OK;
}

/* A visitor has one code at a time: a new one replaces it. */
enum store_result store_put_code(struct store_db *db, const uint8_t hash[32], int64_t visitor, int64_t until)
{
    return change(db, NOW, STORE_FAILED, PUT_CODE, (const void *)hash, (size_t)32, visitor, until);
}

/* Read and removed in one transaction: a code works once, even if two devices send it at the same time. */
enum store_result store_take_code(struct store_db *db, const uint8_t hash[32], int64_t now, int64_t *visitor)
{
    enum store_result result = get_number(db, ask(db, GET_CODE, (const void *)hash, (size_t)32, now), 0, visitor);
    if (result || !*visitor)
        return result ? result : STORE_MISSING;
    return change(db, NOW, STORE_MISSING, DROP_CODE, *visitor);
}

enum store_result store_each_code(struct store_db *db,
    bool (*each)(void *context, const uint8_t hash[32], int64_t visitor, int64_t until), void *context)
{
    enum store_result result = ask(db, ALL_CODES);
    while (result == STORE_OK && (result = next(db)) == STORE_OK) {
        size_t size;
        const void *hash = db->engine->bytes(db, 0, &size);
        if (size == 32 && !each(context, hash, number(db, 1), number(db, 2))) {
            finish(db);
            return STORE_OK;
        }
    }
    return at_end(result);
}

enum store_result store_put_alive(struct store_db *db, int64_t alive)
{
    return change(db, NOW, STORE_FAILED, PUT_ALIVE, alive);
}

enum store_result store_get_alive(struct store_db *db, int64_t *alive)
{
    return get_number(db, ask(db, GET_ALIVE), 0, alive);
}

/* The time since the last heartbeat comes first: it is not yet stored as a downtime before store_put_start. */
enum store_result store_get_downtimes(struct store_db *db, int64_t now, struct store_downtime down[STORE_DOWNTIMES],
    unsigned *count)
{
    enum store_result result;
    struct pairs found = { 0 };
    int64_t alive = 0;
    *count = 0;
    if ((result = store_get_alive(db, &alive)))
        return result;
    if (alive && alive < now)
        down[(*count)++] = (struct store_downtime){ alive, now };
    result = collect(db, ask(db, GET_DOWN, (int64_t)STORE_DOWNTIMES - 1), &found);
    for (size_t i = 0; i < found.count && result == STORE_OK; i++)
        down[(*count)++] = (struct store_downtime){ found.at[i][0], found.at[i][1] };
    free(found.at);
    return result;
}

/* The time between the last heartbeat and now is stored as a downtime, so that clocks of games can leave it out
 * (table_spent). Downtimes are dropped after two days, when no clock can refer to them any more. */
enum store_result store_put_start(struct store_db *db, int64_t now)
{
    enum store_result result;
    int64_t alive = 0;
    if ((result = store_get_alive(db, &alive)) || (result = change(db, NOW, STORE_OK, OLD_DOWN, now - 2 * 86400)))
        return result;
    if (alive && alive < now && (result = change(db, NOW, STORE_FAILED, PUT_DOWN, alive, now)))
        return result;
    return store_put_alive(db, now);
}

/* Dropping old data. */

/* At most STORE_SWEEP tables per call, so that a transaction stays short; the caller repeats the call while there are
 * more. */
enum store_result store_sweep(struct store_db *db, const struct store_keep *keep, int64_t dropped[STORE_SWEEP],
    unsigned *count)
{
    static const enum store_statement drops[] = { DROP_LINES, DROP_CHOICES, DROP_SEATS, DROP_REPORTS, DROP_REQUESTS,
        DROP_REVISION, DROP_PRESENCE, DROP_ANALYSIS, LEAVE_ATTEMPT, DROP_REMINDERS, DROP_TABLE };
    const struct { enum store_statement which; int64_t before; } old[] = { { OLD_REPORTS, keep->reports },
        { OLD_REQUESTS, keep->requests }, { OLD_CODES, keep->codes } };
    enum store_result result = STORE_OK;
    struct pairs found = { 0 };
    *count = 0;
    for (unsigned i = 0; i < sizeof old / sizeof *old && result == STORE_OK; i++)
        if (old[i].before)
            result = change_all(db, &old[i].which, 1, old[i].before);
    if (result == STORE_OK)
        result = collect(db, ask(db, OLD_TABLES, keep->closed, keep->finished, (int64_t)STORE_SWEEP), &found);
    for (size_t i = 0; i < found.count && result == STORE_OK; i++) {
        result = change_all(db, drops, sizeof drops / sizeof *drops, found.at[i][0]);
        dropped[(*count)++] = found.at[i][0];
    }
    free(found.at);
    return result;
}

/* The announcement of a change. */

/* Separates its parts, which are those of struct store_news in their order. */
#define PART '\x1e'
#define NEWS_SIZE 3000           /* bytes: longer changes are read from the database */

/* A part that contains a separator, or anything else that is in no choice or line, makes the announcement too long. */
static void add_part(char *to, size_t *size, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' && text[i] != '\n')
            length = NEWS_SIZE;
    if (*size + length + 1 >= NEWS_SIZE) {
        *size = NEWS_SIZE;
        return;
    }
    if (length)                              /* lines may be NULL then */
        memcpy(to + *size, text, length);
    *size += length;
    to[(*size)++] = PART;
    to[*size] = '\0';
}

/* Only for a change that is a choice, lines or both. False: the change has to be read. */
static bool write_news(const struct store_commit *commit, char to[NEWS_SIZE])
{
    const struct store_choice *choice = &commit->choice;
    char numbers[120];
    size_t size = 0;
    int length = snprintf(numbers, sizeof numbers, "%lld %lld %lld %lu %d", (long long)commit->table.due,
        (long long)commit->table.keeper, (long long)commit->made, (unsigned long)commit->first_line,
        commit->has_choice ? choice->seat : -1);
    add_part(to, &size, numbers, (size_t)length);
    add_part(to, &size, choice->id, commit->has_choice ? strlen(choice->id) : 0);
    add_part(to, &size, choice->text, commit->has_choice ? strlen(choice->text) : 0);
    add_part(to, &size, commit->lines, commit->lines_size);
    return size < NEWS_SIZE;
}

/* The next part, which ends with its separator; NULL: there are no more. */
static const char *read_part(const char **at, size_t *size)
{
    const char *part = *at, *end = strchr(part, PART);
    *size = end ? (size_t)(end - part) : 0;
    *at = end ? end + 1 : part;
    return end ? part : NULL;
}

bool store_read_news(const char *more, struct store_news *news)
{
    long long due, keeper, made;
    unsigned long first;
    int seat;
    size_t size;
    *news = (struct store_news){ 0 };
    const char *part = read_part(&more, &size);
    if (!part || sscanf(part, "%lld %lld %lld %lu %d", &due, &keeper, &made, &first, &seat) != 5 || seat < -1 ||
        seat >= STORE_SEATS)
        return false;
    news->due = due;
    news->keeper = keeper;
    news->made = made;
    news->first_line = (uint32_t)first;
    news->has_choice = seat >= 0;
    news->seat = (uint8_t)(seat < 0 ? 0 : seat);
    part = read_part(&more, &size);
    if (!part || size >= sizeof news->id)
        return false;
    memcpy(news->id, part, size);
    part = read_part(&more, &size);
    if (!part || size >= sizeof news->text)
        return false;
    memcpy(news->text, part, size);
    news->lines = read_part(&more, &news->lines_size);
    return news->lines && (!news->lines_size || news->lines[news->lines_size - 1] == '\n');
}

/* A change of a table. */

/* Stores the id of the request for a new table. STORE_MISSING: there is one already, since two requests came at the same
 * time. */
static enum store_result note_request(struct store_db *db, const struct store_commit *commit, int64_t table)
{
    int64_t asker = commit->asker ? commit->asker : commit->table.host;
    char code[16];
    enum store_result result = store_get_request(db, asker, commit->request, code);
    if (result == STORE_MISSING)
        return change(db, LATER, STORE_FAILED, PUT_REQUEST, asker, commit->request, table, commit->made);
    return result ? result : STORE_MISSING;
}

/* The messages for people who are not connected to the table. */
static enum store_result put_reminders(struct store_db *db, const struct store_commit *commit, int64_t table)
{
    enum store_result result = STORE_OK;
    for (unsigned i = 0; i < commit->reminders && !result; i++) {
        const struct store_told *told = &commit->reminder[i];
        result = told->want == STORE_TELL_NO_MORE ? change(db, LATER, STORE_OK, DROP_REMINDER, table, told->visitor) :
            change(db, LATER, STORE_FAILED, PUT_REMINDER, table, told->visitor, (int64_t)told->want, told->due);
    }
    return result;
}

/* Whether a change is only a choice and lines, as most are. */
static bool is_plain(const struct store_commit *commit)
{
    return commit->table.revision && !commit->table.config && !commit->stores_public && !commit->seats &&
        !commit->attempt.what && (commit->has_choice || commit->lines_size);
}

/* Writes such a change in one statement, which does all of it or nothing. */
static enum store_result change_plainly(struct store_db *db, const struct store_commit *commit)
{
    const struct store_table *table = &commit->table;
    const struct store_choice *choice = &commit->choice;
    int64_t count = count_lines(commit->lines, commit->lines_size), first = commit->first_line, seat = choice->seat;
    if (commit->lines_size && !count)
        return STORE_FAILED;
    if (!commit->lines_size)
        return change(db, LATER, STORE_CONFLICT, CHANGE_CHOICE, table->id, table->revision, table->due, table->keeper, seat,
            (int64_t)choice->phase, choice->id, choice->text, choice->made, (const void *)choice->ids, sizeof choice->ids);
    if (!commit->has_choice)
        return change(db, LATER, STORE_CONFLICT, CHANGE_LINES, table->id, table->revision, table->due, table->keeper, first,
            count, commit->lines, commit->lines_size, commit->made);
    return change(db, LATER, STORE_CONFLICT, CHANGE_BOTH, table->id, table->revision, table->due, table->keeper, first,
        count, commit->lines, commit->lines_size, commit->made, seat, choice->id, choice->text, (const void *)choice->ids,
        sizeof choice->ids);
}

/* Stores a choice that does not complete its phase, whatever the order of the others' choices. The row of the revision is
 * locked first, so that the second statement sees what others have stored before. It checks all changes since the
 * revision that this one was made from. If each is the first choice of another seat in `others`, and one of these has not
 * chosen yet, the choice is stored; otherwise nothing happens. */
static enum store_result join_choice(struct store_db *db, struct store_commit *commit)
{
    const struct store_table *table = &commit->table;
    const struct store_choice *choice = &commit->choice;
    const struct store_value values[] = { { .number = table->id }, { .number = table->revision }, { .number = table->due },
        { .number = table->keeper }, { .number = choice->seat }, { .number = choice->phase },
        { .at = choice->id, .size = strlen(choice->id) }, { .at = choice->text, .size = strlen(choice->text) },
        { .number = choice->made }, { .at = choice->ids, .size = sizeof choice->ids }, { .number = commit->others },
        { .number = __builtin_popcount(commit->others) } };
    enum store_result result = change(db, LATER, STORE_OK, LOCK_REVISION, table->id);
    return result ? result : db->engine->send(db, JOIN_CHOICE, values, STORE_CONFLICT, &commit->after.revision);
}

/* The order matters. The revision comes first, since its row is the lock that all writers of a table need. With LATER the
 * engine may send all statements at once and report refusals when the transaction is settled; lines, choice, seats and
 * config are written only together with the new revision. */
static enum store_result change_in_parts(struct store_db *db, const struct store_commit *commit, int64_t *id)
{
    bool is_new = !commit->table.revision;
    enum store_result result = is_new ? add_table(db, commit, id) : next_revision(db, commit);
    int64_t table = *id;
    if (!result && !is_new && commit->table.config)
        result = put_table(db, LATER, &commit->table);
    if (!result && commit->stores_public)
        result = change(db, LATER, STORE_FAILED, PUT_PUBLIC, table, (int64_t)commit->table.is_public);
    if (!result && commit->request[0])
        result = note_request(db, commit, table);
    if (!result)
        result = store_commit_attempt(db, commit, table);
    if (!result && commit->lines_size)
        result = add_lines(db, LATER, table, commit->first_line, commit->lines, commit->lines_size, commit->made);
    if (!result && commit->has_choice)
        result = put_choice(db, LATER, table, &commit->choice);
    for (unsigned s = 0; s < commit->seats && !result; s++) {
        struct store_seat seat = commit->seat[s];
        seat.table = table;
        result = seat.visitor ? put_seat(db, LATER, &seat) :
            change(db, LATER, STORE_OK, DROP_SEAT, table, (int64_t)s);       /* the row may not exist */
    }
    if (!result && commit->is_rated)
        result = store_rate(db, commit->seat, commit->seats, commit->made);
    if (!result)
        result = put_reminders(db, commit, table);
    if (!result && is_new && commit->node)
        result = change(db, LATER, STORE_OK, PUT_PRESENT, table, (int64_t)0, commit->node);
    return result;
}

/* If other servers may have the table, they are notified; if the change is small, it is sent along. */
enum store_result store_commit(struct store_db *db, struct store_commit *commit)
{
    int64_t table = commit->table.id;
    bool plain = is_plain(commit), whole = plain && !commit->reminders && db->engine->is_shared;
    bool joins = whole && commit->others && commit->has_choice && !commit->lines_size;
    commit->after.revision = commit->table.revision + 1;
    enum store_result result = joins ? join_choice(db, commit) : whole ? change_plainly(db, commit) :
        change_in_parts(db, commit, &table);
    if (!result && db->engine->announce && !commit->is_alone) {
        char news[NEWS_SIZE];
        bool is_short = plain && write_news(commit, news);
        db->engine->announce(db, commit->table.code, commit->after.revision, joins ? &commit->after.revision : NULL,
            is_short ? news : NULL);
    }
    if (!result && commit->calls)
        announce(db, STORE_NEWS_WORK, 0);
    commit->after.id = table;
    return result;
}

enum store_result store_run_commit(struct store_db *db, struct store_job *job)
{
    return store_commit(db, (struct store_commit *)job);
}
