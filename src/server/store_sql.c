/*
 * store_sql.c: what is asked of the database, a statement each, kept prepared. The tables are made in store_db.c.
 *
 * Lists are read in two goes, first the ids and then each row, so that whoever looks at them may change what is listed.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "store_db.h"

enum statement {
    PUT_VISITOR, GET_VISITOR, PUT_TOKEN, GET_TOKEN, ALL_TOKENS, IDLE_VISITORS, DROP_TOKENS, DROP_REQUESTS_OF, DROP_VISITOR,
    LAST_IDS,
    TOUCH_TABLE, PUT_TABLE, ADD_TABLE, COUNT_HOSTED, GET_TABLE, TABLE_OF_CODE,
    PUT_REVISION, NEXT_REVISION, NEXT_REVISION_DUE, DROP_REVISION, OPEN_TABLES, TABLES_OF, FINISHED_TABLES,
    COUNT_LINES, ADD_LINES, GET_LINES, PUT_CHOICE, GET_CHOICES,
    PUT_SEAT, GET_SEAT, DROP_SEAT, STATISTICS, PUT_REPORT, GET_REPORT,
    PUT_REQUEST, GET_REQUEST, PUT_CODE, DROP_CODE, ALL_CODES, PUT_ALIVE, GET_ALIVE, PUT_DOWN, GET_DOWN, OLD_DOWN,
    OLD_TABLES, DROP_LINES, DROP_CHOICES, DROP_SEATS, DROP_REPORTS, DROP_REQUESTS, DROP_TABLE, OLD_REPORTS, OLD_REQUESTS,
    OLD_CODES,
    STATEMENTS
};
_Static_assert(STATEMENTS <= STORE_STATEMENTS, "room for all statements");

#define SEAT_COLUMNS "game, visitor, seat, people, bots, level, points, share"

static const char *const texts[STATEMENTS] = {
    [PUT_VISITOR] = "INSERT INTO visitor (id, name, created, seen) VALUES (nullif(?, 0), ?, ?, ?)"
                    " ON CONFLICT (id) DO UPDATE SET name = excluded.name, created = excluded.created, seen = excluded.seen",
    [GET_VISITOR] = "SELECT id, name, created, seen FROM token JOIN visitor ON visitor.id = token.visitor WHERE hash = ?",
    [PUT_TOKEN] = "INSERT INTO token (hash, visitor) VALUES (?, ?)",
    [GET_TOKEN] = "SELECT visitor FROM token WHERE hash = ?",
    [ALL_TOKENS] = "SELECT id, name, created, seen, hash FROM token JOIN visitor ON visitor.id = token.visitor ORDER BY id",
    /* Not the last one: its id must not be given again. */
    [IDLE_VISITORS] =
        "SELECT id, 0 FROM visitor WHERE seen < ?"
        " AND NOT EXISTS (SELECT 1 FROM seat WHERE seat.visitor = visitor.id) AND id < (SELECT max(id) FROM visitor) "
        "ORDER BY seen LIMIT ?",
    [DROP_TOKENS] = "DELETE FROM token WHERE visitor = ?",
    [DROP_REQUESTS_OF] = "DELETE FROM request WHERE visitor = ?",
    [DROP_VISITOR] = "DELETE FROM visitor WHERE id = ?",
    [LAST_IDS] = "SELECT (SELECT max(id) FROM visitor), (SELECT max(id) FROM game)",

    /* Most changes of a table leave its state alone: then no index is touched. */
    [TOUCH_TABLE] = "UPDATE game SET changed = ?3, config = ?4 WHERE id = ?1 AND state = ?2 AND code = ?5",
    [PUT_TABLE] =
        "INSERT INTO game (id, state, changed, config, code, created, host, public) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
        " ON CONFLICT (id) DO UPDATE SET code = excluded.code, state = excluded.state, changed = excluded.changed, "
        "config = excluded.config",
    [ADD_TABLE] =
        "INSERT INTO game (state, changed, config, code, created, host, public) VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (code) DO NOTHING",
    [COUNT_HOSTED] = "SELECT count(*) FROM game WHERE host = ? AND state < 2",
    [GET_TABLE] = "SELECT id, code, state, created, changed, config, host, public, number, ifnull(due, 0)"
                  " FROM game JOIN revision ON game = id WHERE id = ?",
    [PUT_REVISION] = "INSERT INTO revision (game, number, due) VALUES (?, 1, nullif(?, 0)) ON CONFLICT (game) DO NOTHING",
    [NEXT_REVISION] = "UPDATE revision SET number = number + 1 WHERE game = ? AND number = ?",
    [NEXT_REVISION_DUE] = "UPDATE revision SET number = number + 1, due = nullif(?3, 0) WHERE game = ?1 AND number = ?2",
    [DROP_REVISION] = "DELETE FROM revision WHERE game = ?",
    [TABLE_OF_CODE] = "SELECT id FROM game WHERE code = ?",
    [OPEN_TABLES] = "SELECT id FROM game WHERE state < 2 ORDER BY created, id",
    [TABLES_OF] = "SELECT game.id, seat.seat FROM seat JOIN game ON game.id = seat.game WHERE visitor = ?"
                  " ORDER BY changed DESC, game.id DESC LIMIT ?",
    [FINISHED_TABLES] = "SELECT id FROM game WHERE state = 2 ORDER BY created, id",

    [COUNT_LINES] = "SELECT seq + count FROM line WHERE game = ? ORDER BY seq DESC LIMIT 1",
    [ADD_LINES] = "INSERT INTO line (game, seq, count, text, made) VALUES (?, ?, ?, ?, ?)",
    [GET_LINES] = "SELECT text, made FROM line WHERE game = ? ORDER BY seq",
    [PUT_CHOICE] = "INSERT INTO choice (game, seat, phase, request, text, made, ids) VALUES (?, ?, ?, ?, ?, ?, ?)"
                   " ON CONFLICT (game, seat) DO UPDATE SET phase = excluded.phase, request = excluded.request,"
                   " text = excluded.text, made = excluded.made, ids = excluded.ids",
    [GET_CHOICES] = "SELECT seat, phase, request, text, made, ids FROM choice WHERE game = ? ORDER BY seat",

    /* Points of a game that is under way are NULL here, -1000 outside. */
    [PUT_SEAT] =
        "INSERT INTO seat (" SEAT_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, nullif(?, -1000), ?)"
        " ON CONFLICT (game, seat) DO UPDATE SET visitor = excluded.visitor, people = excluded.people, bots = excluded.bots,"
        " level = excluded.level, points = excluded.points, share = excluded.share",
    [GET_SEAT] =
        "SELECT game, visitor, seat, people, bots, level, ifnull(points, -1000), share FROM seat WHERE game = ? AND "
        "seat = ?",
    [DROP_SEAT] = "DELETE FROM seat WHERE game = ? AND seat = ?",
    [STATISTICS] =
        "SELECT CASE WHEN people > 0 THEN '' ELSE level END AS against, count(*), sum(share), sum(points), "
        "max(points) FROM seat"
        " WHERE visitor = ? AND points IS NOT NULL GROUP BY against ORDER BY against LIMIT 8",

    [PUT_REPORT] =
        "INSERT INTO report (game, name, made, size, text) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (game, name) DO UPDATE SET made = excluded.made, size = excluded.size, text = excluded.text",
    [GET_REPORT] = "SELECT size, text FROM report WHERE game = ? AND name = ?",

    [PUT_REQUEST] = "INSERT INTO request (visitor, id, game, made) VALUES (?, ?, ?, ?)",
    [GET_REQUEST] = "SELECT code FROM request JOIN game ON game.id = request.game WHERE visitor = ? AND request.id = ?",
    [PUT_CODE] = "INSERT INTO code (hash, visitor, until) VALUES (?, ?, ?)",
    [DROP_CODE] = "DELETE FROM code WHERE visitor = ?",
    [ALL_CODES] = "SELECT hash, visitor, until FROM code",
    /* The count makes each one differ from the last: SQLite does not write what is there already, and then nothing would
     * be tried. */
    [PUT_ALIVE] = "INSERT INTO heartbeat (id, alive, count) VALUES (1, ?, 1)"
                  " ON CONFLICT (id) DO UPDATE SET alive = excluded.alive, count = count + 1",
    [GET_ALIVE] = "SELECT alive FROM heartbeat",
    [PUT_DOWN] = "INSERT INTO downtime (began, ended) VALUES (?1, ?2)"
                 " ON CONFLICT (began) DO UPDATE SET ended = excluded.ended",
    [GET_DOWN] = "SELECT began, ended FROM downtime ORDER BY began DESC LIMIT ?",
    [OLD_DOWN] = "DELETE FROM downtime WHERE ended < ?",

    /* What was created later was changed later: so the index of finished tables helps. */
    [OLD_TABLES] = "SELECT id, 0 FROM game WHERE state = 3 AND changed < ?1 AND id < (SELECT max(id) FROM game)"
                   " UNION ALL SELECT id, 0 FROM game WHERE state = 2 AND created < ?2 AND changed < ?2"
                   " AND id < (SELECT max(id) FROM game) LIMIT ?3",
    [DROP_LINES] = "DELETE FROM line WHERE game = ?",
    [DROP_CHOICES] = "DELETE FROM choice WHERE game = ?",
    [DROP_SEATS] = "DELETE FROM seat WHERE game = ?",
    [DROP_REPORTS] = "DELETE FROM report WHERE game = ?",
    [DROP_REQUESTS] = "DELETE FROM request WHERE game = ?",
    [DROP_TABLE] = "DELETE FROM game WHERE id = ?",
    [OLD_REPORTS] = "DELETE FROM report WHERE made < ?",
    [OLD_REQUESTS] = "DELETE FROM request WHERE made < ?",
    [OLD_CODES] = "DELETE FROM code WHERE until < ?",
};

/*
 * A statement, ready to be stepped, with its values: i int64_t, t terminated text, x text with its size, b bytes with
 * their size, r double. What is bound must stay until the statement is reset. NULL with the result of what went wrong.
 */
static sqlite3_stmt *ready(struct store_db *db, enum store_result *result, enum statement which, const char *kinds, ...)
{
    sqlite3_stmt **s = &db->statement[which];
    int code = SQLITE_OK;
    if (store_db_is_lost(db)) {              /* alone, a statement would be committed at once */
        *result = STORE_FAILED;
        return NULL;
    }
    if (!*s)
        code = sqlite3_prepare_v3(db->sql, texts[which], -1, SQLITE_PREPARE_PERSISTENT, s, NULL);
    va_list values;
    va_start(values, kinds);
    for (int i = 1; *kinds && !code; kinds++, i++) {
        const void *at;
        switch (*kinds) {
        case 'i':
            code = sqlite3_bind_int64(*s, i, va_arg(values, int64_t));
            break;
        case 'r':
            code = sqlite3_bind_double(*s, i, va_arg(values, double));
            break;
        case 't':
            code = sqlite3_bind_text(*s, i, va_arg(values, const char *), -1, SQLITE_STATIC);
            break;
        case 'x':
            at = va_arg(values, const char *);
            code = sqlite3_bind_text64(*s, i, at, va_arg(values, size_t), SQLITE_STATIC, SQLITE_UTF8);
            break;
        default:
            at = va_arg(values, const void *);
            code = sqlite3_bind_blob64(*s, i, at, va_arg(values, size_t), SQLITE_STATIC);
        }
    }
    va_end(values);
    *result = store_db_result(db, code);
    return code ? NULL : *s;
}

/* Ends a statement after its last step, whose code it was. */
static enum store_result finish(struct store_db *db, sqlite3_stmt *s, int code)
{
    /* Before the reset, which may change what SQLite has to say. A row that is missing is no failure. */
    enum store_result result = code == SQLITE_CONSTRAINT_FOREIGNKEY ? STORE_NONE : store_db_result(db, code);
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return result;
}

static enum store_result change(struct store_db *db, sqlite3_stmt *s)
{
    return finish(db, s, sqlite3_step(s));
}

/* Steps to the one row that is wanted: STORE_OK, and finish() is due; or STORE_NONE or a failure, and it is done. */
static enum store_result find_row(struct store_db *db, sqlite3_stmt *s)
{
    int code = sqlite3_step(s);
    if (code == SQLITE_ROW)
        return STORE_OK;
    enum store_result result = finish(db, s, code);
    return result == STORE_OK ? STORE_NONE : result;
}

/* A number of the one row, or `none` if there is no row. */
static enum store_result get_number(struct store_db *db, sqlite3_stmt *s, int64_t none, int64_t *number)
{
    enum store_result result = find_row(db, s);
    *number = none;
    if (result == STORE_NONE)
        return STORE_OK;
    if (result == STORE_OK) {
        *number = sqlite3_column_int64(s, 0);
        finish(db, s, SQLITE_OK);
    }
    return result;
}

static void copy_text(sqlite3_stmt *s, int column, char *to, size_t size)
{
    const unsigned char *text = sqlite3_column_text(s, column);
    snprintf(to, size, "%s", text ? (const char *)text : "");
}

/* A text that grows. */
struct buffer {
    char *at;
    size_t size, room;
};

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

static enum store_result collect(struct store_db *db, sqlite3_stmt *s, struct pairs *pairs)
{
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        if (pairs->count == pairs->room) {
            size_t room = pairs->room ? 2 * pairs->room : 64;
            void *larger = realloc(pairs->at, room * sizeof *pairs->at);
            if (!larger) {
                finish(db, s, SQLITE_OK);
                return STORE_FULL;
            }
            pairs->at = larger;
            pairs->room = room;
        }
        pairs->at[pairs->count][0] = sqlite3_column_int64(s, 0);
        pairs->at[pairs->count++][1] = sqlite3_column_int64(s, 1);
    }
    return finish(db, s, code);
}

/* Visitors. */

enum store_result store_add_token(struct store_db *db, int64_t visitor, const uint8_t token[32])
{
    enum store_result result;
    int64_t owner;
    sqlite3_stmt *s = ready(db, &result, GET_TOKEN, "b", (const void *)token, (size_t)32);
    if (!s || (result = get_number(db, s, -1, &owner)) != STORE_OK)
        return result;
    if (owner >= 0)
        return owner == visitor ? STORE_OK : STORE_FAILED;
    s = ready(db, &result, PUT_TOKEN, "bi", (const void *)token, (size_t)32, visitor);
    return s ? change(db, s) : result;
}

enum store_result store_put_visitor(struct store_db *db, struct store_visitor *visitor)
{
    enum store_result result;
    sqlite3_stmt *s = ready(db, &result, PUT_VISITOR, "itii", visitor->id, visitor->name, visitor->created, visitor->seen);
    if (!s || (result = change(db, s)) != STORE_OK)
        return result;
    if (!visitor->id)
        visitor->id = sqlite3_last_insert_rowid(db->sql);
    static const uint8_t none[32];
    return memcmp(visitor->token, none, sizeof none) ? store_add_token(db, visitor->id, visitor->token) : STORE_OK;
}

enum store_result store_get_visitor(struct store_db *db, const uint8_t token[32], struct store_visitor *visitor)
{
    enum store_result result;
    sqlite3_stmt *s = ready(db, &result, GET_VISITOR, "b", (const void *)token, (size_t)32);
    if (!s || (result = find_row(db, s)) != STORE_OK)
        return result;
    *visitor = (struct store_visitor){ .id = sqlite3_column_int64(s, 0), .created = sqlite3_column_int64(s, 2),
        .seen = sqlite3_column_int64(s, 3) };
    memcpy(visitor->token, token, sizeof visitor->token);
    copy_text(s, 1, visitor->name, sizeof visitor->name);
    return finish(db, s, SQLITE_OK);
}

enum store_result store_each_visitor(struct store_db *db, bool (*each)(void *context,
    const struct store_visitor *visitor), void *context)
{
    enum store_result result;
    sqlite3_stmt *s = ready(db, &result, ALL_TOKENS, "");
    int code = SQLITE_DONE;
    bool more = true;
    while (s && more && (code = sqlite3_step(s)) == SQLITE_ROW) {
        struct store_visitor visitor = { .id = sqlite3_column_int64(s, 0), .created = sqlite3_column_int64(s, 2),
            .seen = sqlite3_column_int64(s, 3) };
        copy_text(s, 1, visitor.name, sizeof visitor.name);
        if (sqlite3_column_bytes(s, 4) == sizeof visitor.token)
            memcpy(visitor.token, sqlite3_column_blob(s, 4), sizeof visitor.token);
        more = each(context, &visitor);
    }
    return s ? finish(db, s, code == SQLITE_ROW ? SQLITE_OK : code) : result;
}

/* Runs statements that take one number each, in their order. */
static enum store_result change_all(struct store_db *db, const enum statement *which, unsigned count, int64_t number)
{
    enum store_result result = STORE_OK;
    for (unsigned i = 0; i < count && result == STORE_OK; i++) {
        sqlite3_stmt *s = ready(db, &result, which[i], "i", number);
        if (s)
            result = change(db, s);
    }
    return result;
}

enum store_result store_sweep_visitors(struct store_db *db, int64_t before, int64_t dropped[STORE_SWEEP], unsigned *count)
{
    static const enum statement drops[] = { DROP_TOKENS, DROP_CODE, DROP_REQUESTS_OF, DROP_VISITOR };
    enum store_result result;
    struct pairs found = { 0 };
    *count = 0;
    sqlite3_stmt *s = ready(db, &result, IDLE_VISITORS, "ii", before, (int64_t)STORE_SWEEP);
    if (s)
        result = collect(db, s, &found);
    for (size_t i = 0; i < found.count && result == STORE_OK; i++) {
        result = change_all(db, drops, sizeof drops / sizeof *drops, found.at[i][0]);
        dropped[(*count)++] = found.at[i][0];
    }
    free(found.at);
    return result;
}

enum store_result store_drop_visitors(struct store_db *db, int64_t before)
{
    int64_t dropped[STORE_SWEEP];
    enum store_result result;
    unsigned count;
    do
        result = store_sweep_visitors(db, before, dropped, &count);
    while (result == STORE_OK && count);
    return result;
}

enum store_result store_count_visitor(struct store_db *db, int64_t *last_visitor, int64_t *last_table)
{
    enum store_result result;
    sqlite3_stmt *s = ready(db, &result, LAST_IDS, "");
    if (!s || (result = find_row(db, s)) != STORE_OK)
        return result;
    *last_visitor = sqlite3_column_int64(s, 0);
    *last_table = sqlite3_column_int64(s, 1);
    return finish(db, s, SQLITE_OK);
}

/* Tables. */

enum store_result store_put_table(struct store_db *db, const struct store_table *table)
{
    enum store_result result;
    int64_t state = table->state;
    sqlite3_stmt *s = ready(db, &result, TOUCH_TABLE, "iiitt", table->id, state, table->changed, table->config, table->code);
    if (!s || (result = change(db, s)) != STORE_OK || sqlite3_changes(db->sql))
        return result;
    s = ready(db, &result, PUT_TABLE, "iiittiii", table->id, state, table->changed, table->config, table->code,
        table->created, table->host, (int64_t)table->is_public);
    if (!s || (result = change(db, s)) != STORE_OK)
        return result;
    s = ready(db, &result, PUT_REVISION, "ii", table->id, table->due);
    return s ? change(db, s) : result;
}

/* A table that does not exist yet. STORE_CONFLICT: its code has a table. */
static enum store_result add_table(struct store_db *db, const struct store_table *table, unsigned most, int64_t *id)
{
    enum store_result result;
    int64_t hosted = 0;
    sqlite3_stmt *s = ready(db, &result, COUNT_HOSTED, "i", table->host);
    if (!s || (result = get_number(db, s, 0, &hosted)) != STORE_OK)
        return result;
    if (most && hosted >= most)
        return STORE_LIMIT;
    s = ready(db, &result, ADD_TABLE, "iittiii", (int64_t)table->state, table->changed, table->config, table->code,
        table->created, table->host, (int64_t)table->is_public);
    if (!s || (result = change(db, s)) != STORE_OK)
        return result;
    if (!sqlite3_changes(db->sql))
        return STORE_CONFLICT;
    *id = sqlite3_last_insert_rowid(db->sql);
    s = ready(db, &result, PUT_REVISION, "ii", *id, table->due);
    return s ? change(db, s) : result;
}

/* The next revision of a table, if it still has the one that the commit was made from. */
static enum store_result next_revision(struct store_db *db, const struct store_commit *commit)
{
    const struct store_table *table = &commit->table;
    enum store_result result;
    sqlite3_stmt *s = commit->keeps_due ? ready(db, &result, NEXT_REVISION, "ii", table->id, table->revision) :
        ready(db, &result, NEXT_REVISION_DUE, "iii", table->id, table->revision, table->due);
    if (!s || (result = change(db, s)) != STORE_OK)
        return result;
    return sqlite3_changes(db->sql) ? STORE_OK : STORE_CONFLICT;
}

/* Reads a table by its id; its config goes into the buffer. */
static enum store_result get_table(struct store_db *db, int64_t id, struct store_table *table, struct buffer *config)
{
    enum store_result result;
    sqlite3_stmt *s = ready(db, &result, GET_TABLE, "i", id);
    if (!s || (result = find_row(db, s)) != STORE_OK)
        return result;
    struct store_table found = { .id = id, .state = (uint8_t)sqlite3_column_int(s, 2), .created = sqlite3_column_int64(s, 3),
        .changed = sqlite3_column_int64(s, 4), .host = sqlite3_column_int64(s, 6), .is_public = sqlite3_column_int(s, 7),
        .revision = sqlite3_column_int64(s, 8), .due = sqlite3_column_int64(s, 9) };
    copy_text(s, 1, found.code, sizeof found.code);
    config->size = 0;
    const unsigned char *text = sqlite3_column_text(s, 5);
    bool good = text && add_bytes(config, text, (size_t)sqlite3_column_bytes(s, 5));
    result = finish(db, s, SQLITE_OK);
    if (!good)
        return STORE_FULL;
    found.config = config->at;
    *table = found;
    return result;
}

enum store_result store_get_table(struct store_db *db, const char *code, struct store_table *table)
{
    enum store_result result;
    int64_t id;
    sqlite3_stmt *s = ready(db, &result, TABLE_OF_CODE, "t", code);
    if (!s || (result = get_number(db, s, -1, &id)) != STORE_OK)
        return result;
    if (id < 0)
        return STORE_NONE;
    struct buffer config = { .at = db->text, .room = db->room };
    result = get_table(db, id, table, &config);
    db->text = config.at;
    db->room = config.room;
    return result;
}

/* Lines. */

static enum store_result get_lines(struct store_db *db, int64_t table, struct buffer *log, int64_t *made)
{
    enum store_result result;
    int code;
    sqlite3_stmt *s = ready(db, &result, GET_LINES, "i", table);
    if (!s)
        return result;
    log->size = 0;
    *made = 0;
    bool good = add_bytes(log, "", 0);
    while (good && (code = sqlite3_step(s)) == SQLITE_ROW) {
        const unsigned char *text = sqlite3_column_text(s, 0);
        *made = sqlite3_column_int64(s, 1);
        good = text && add_bytes(log, text, (size_t)sqlite3_column_bytes(s, 0));
    }
    result = finish(db, s, good ? code : SQLITE_OK);
    return good ? result : STORE_FULL;
}

enum store_result store_add_lines(struct store_db *db, int64_t table, uint32_t first, const char *text, size_t size,
    int64_t made)
{
    enum store_result result;
    int64_t there, count = 0;
    if (size && text[size - 1] != '\n')
        return STORE_FAILED;
    for (const char *at = text, *end = text + size; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++)
        count++;
    sqlite3_stmt *s = ready(db, &result, COUNT_LINES, "i", table);
    if (!s || (result = get_number(db, s, 0, &there)) != STORE_OK)
        return result;
    if (there != first)
        return STORE_FAILED;
    if (!count)
        return STORE_OK;
    s = ready(db, &result, ADD_LINES, "iiixi", table, (int64_t)first, count, text, size, made);
    return s ? change(db, s) : result;
}

enum store_result store_get_lines(struct store_db *db, int64_t table, char **text, size_t *size)
{
    struct buffer log = { 0 };
    int64_t made;
    enum store_result result = get_lines(db, table, &log, &made);
    if (result == STORE_OK && !log.size) {   /* a table without lines, or none? */
        sqlite3_stmt *s = ready(db, &result, GET_TABLE, "i", table);
        if (s && (result = find_row(db, s)) == STORE_OK)
            finish(db, s, SQLITE_OK);
    }
    if (result != STORE_OK) {
        free(log.at);
        return result;
    }
    *text = log.at;
    *size = log.size;
    return STORE_OK;
}

enum store_result store_put_choice(struct store_db *db, int64_t table, const struct store_choice *choice)
{
    enum store_result result;
    sqlite3_stmt *s = ready(db, &result, PUT_CHOICE, "iiittib", table, (int64_t)choice->seat, (int64_t)choice->phase,
        choice->id, choice->text, choice->made, (const void *)choice->ids, sizeof choice->ids);
    return s ? change(db, s) : result;
}

enum store_result store_get_choices(struct store_db *db, int64_t table, struct store_choice choices[STORE_SEATS],
    unsigned *count)
{
    enum store_result result;
    int code;
    *count = 0;
    sqlite3_stmt *s = ready(db, &result, GET_CHOICES, "i", table);
    if (!s)
        return result;
    while ((code = sqlite3_step(s)) == SQLITE_ROW && *count < STORE_SEATS) {
        struct store_choice *c = &choices[(*count)++];
        c->seat = (uint8_t)sqlite3_column_int(s, 0);
        c->phase = (uint32_t)sqlite3_column_int64(s, 1);
        copy_text(s, 2, c->id, sizeof c->id);
        copy_text(s, 3, c->text, sizeof c->text);
        c->made = sqlite3_column_int64(s, 4);
        memset(c->ids, 0, sizeof c->ids);
        if (sqlite3_column_bytes(s, 5) == sizeof c->ids)
            memcpy(c->ids, sqlite3_column_blob(s, 5), sizeof c->ids);
    }
    return finish(db, s, code);
}

enum store_result store_get_whole_table(struct store_db *db, const char *code, struct store_table *table, char **text,
    size_t *size, struct store_choice choices[STORE_SEATS], unsigned *count)
{
    struct buffer log = { 0 };
    enum store_result result = store_get_table(db, code, table);
    if (!result && !(result = get_lines(db, table->id, &log, &table->phase)))
        result = store_get_choices(db, table->id, choices, count);
    if (result) {
        free(log.at);
        return result;
    }
    *text = log.at;
    *size = log.size;
    return STORE_OK;
}

enum store_result store_each_open_table(struct store_db *db,
    bool (*each)(void *context, const struct store_table *table, const char *text, size_t size,
        const struct store_choice *choices, unsigned count),
    void *context)
{
    struct store_choice choices[STORE_SEATS];
    struct buffer config = { 0 }, log = { 0 };
    struct store_table table;
    struct pairs ids = { 0 };
    enum store_result result;
    unsigned count;
    sqlite3_stmt *s = ready(db, &result, OPEN_TABLES, "");
    if (s)
        result = collect(db, s, &ids);
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

enum store_result store_each_record(struct store_db *db,
    bool (*each)(void *context, const struct store_table *table, const char *text, size_t size), void *context)
{
    struct buffer config = { 0 }, log = { 0 };
    struct store_table table;
    struct pairs ids = { 0 };
    enum store_result result;
    sqlite3_stmt *s = ready(db, &result, FINISHED_TABLES, "");
    if (s)
        result = collect(db, s, &ids);
    for (size_t i = 0; i < ids.count && result == STORE_OK; i++) {
        if ((result = get_table(db, ids.at[i][0], &table, &config)) != STORE_OK ||
            (result = get_lines(db, table.id, &log, &table.phase)) != STORE_OK)
            break;
        if (!each(context, &table, log.at, log.size))
            break;
    }
    free(ids.at);
    free(config.at);
    free(log.at);
    return result;
}

/* Seats. */

enum store_result store_put_seat(struct store_db *db, const struct store_seat *seat)
{
    enum store_result result;
    sqlite3_stmt *s = ready(db, &result, PUT_SEAT, "iiiiitir", seat->table, seat->visitor, (int64_t)seat->seat,
        (int64_t)seat->people, (int64_t)seat->bots, seat->level, (int64_t)seat->points, (double)seat->share);
    return s ? change(db, s) : result;
}

enum store_result store_drop_seat(struct store_db *db, int64_t table, unsigned seat)
{
    enum store_result result;
    sqlite3_stmt *s = ready(db, &result, DROP_SEAT, "ii", table, (int64_t)seat);
    if (!s || (result = change(db, s)) != STORE_OK)
        return result;
    return sqlite3_changes(db->sql) ? STORE_OK : STORE_NONE;
}

static enum store_result get_seat(struct store_db *db, int64_t table, int64_t number, struct store_seat *seat)
{
    enum store_result result;
    sqlite3_stmt *s = ready(db, &result, GET_SEAT, "ii", table, number);
    if (!s || (result = find_row(db, s)) != STORE_OK)
        return result;
    *seat = (struct store_seat){ .table = table,
        .visitor = sqlite3_column_int64(s, 1),
        .seat = (uint8_t)number,
        .people = (uint8_t)sqlite3_column_int(s, 3),
        .bots = (uint8_t)sqlite3_column_int(s, 4),
        .points = sqlite3_column_int(s, 6),
        .share = (float)sqlite3_column_double(s, 7) };
    copy_text(s, 5, seat->level, sizeof seat->level);
    return finish(db, s, SQLITE_OK);
}

enum store_result store_each_table_of(struct store_db *db, int64_t visitor, unsigned limit, bool (*each)(void *context,
    const struct store_table *table, const struct store_seat *seat), void *context)
{
    struct buffer config = { 0 };
    struct store_table table;
    struct store_seat seat;
    struct pairs found = { 0 };
    enum store_result result;
    sqlite3_stmt *s = ready(db, &result, TABLES_OF, "ii", visitor, (int64_t)limit);
    if (s)
        result = collect(db, s, &found);
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

enum store_result store_get_statistics(struct store_db *db, int64_t visitor, struct store_statistics *statistics)
{
    enum store_result result;
    struct store_statistics sums = { 0 };
    int code;
    sqlite3_stmt *s = ready(db, &result, STATISTICS, "i", visitor);
    if (!s)
        return result;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        struct store_tally *tally = &sums.tally[sums.count++];
        copy_text(s, 0, tally->level, sizeof tally->level);
        tally->games = (uint32_t)sqlite3_column_int64(s, 1);
        tally->wins = sqlite3_column_double(s, 2);
        tally->points = sqlite3_column_double(s, 3);
        tally->best = sqlite3_column_int(s, 4);
    }
    result = finish(db, s, code);
    if (result == STORE_OK)
        *statistics = sums;
    return result;
}

/* Reports. */

enum store_result store_put_report(struct store_db *db, int64_t table, const char *name, const char *text, size_t size,
    int64_t made)
{
    enum store_result result;
    uLongf packed = compressBound(size);
    Bytef *bytes = malloc(packed);
    if (!bytes || compress2(bytes, &packed, (const Bytef *)text, size, Z_DEFAULT_COMPRESSION) != Z_OK) {
        free(bytes);
        return STORE_FULL;
    }
    sqlite3_stmt *s = ready(db, &result, PUT_REPORT, "itiib", table, name, made, (int64_t)size, (const void *)bytes,
        (size_t)packed);
    if (s)
        result = change(db, s);
    free(bytes);
    return result;
}

enum store_result store_get_report(struct store_db *db, int64_t table, const char *name, char **text, size_t *size)
{
    enum store_result result;
    sqlite3_stmt *s = ready(db, &result, GET_REPORT, "it", table, name);
    if (!s || (result = find_row(db, s)) != STORE_OK)
        return result;
    int64_t length = sqlite3_column_int64(s, 0);
    bool sane = length >= 0 && length <= 64 << 20;
    char *plain = sane ? malloc((size_t)length + 1) : NULL;
    uLongf got = (uLongf)length;
    uLong packed = (uLong)sqlite3_column_bytes(s, 1);
    bool good = plain && uncompress((Bytef *)plain, &got, sqlite3_column_blob(s, 1), packed) == Z_OK &&
        got == (uLongf)length;
    result = finish(db, s, SQLITE_OK);
    if (!good) {
        free(plain);
        return sane && !plain ? STORE_FULL : STORE_FAILED;
    }
    plain[length] = '\0';
    *text = plain;
    *size = (size_t)length;
    return result;
}

/* What was asked for with an id, one-time codes, the heartbeat. */

enum store_result store_put_request(struct store_db *db, int64_t visitor, const char *id, int64_t table, int64_t made)
{
    enum store_result result;
    sqlite3_stmt *s = ready(db, &result, PUT_REQUEST, "itii", visitor, id, table, made);
    return s ? change(db, s) : result;
}

enum store_result store_get_request(struct store_db *db, int64_t visitor, const char *id, char code[16])
{
    enum store_result result;
    sqlite3_stmt *s = ready(db, &result, GET_REQUEST, "it", visitor, id);
    if (!s || (result = find_row(db, s)) != STORE_OK)
        return result;
    copy_text(s, 0, code, 16);
    return finish(db, s, SQLITE_OK);
}

enum store_result store_drop_code(struct store_db *db, int64_t visitor)
{
    static const enum statement drops[] = { DROP_CODE };
    return change_all(db, drops, 1, visitor);
}

enum store_result store_put_code(struct store_db *db, const uint8_t hash[32], int64_t visitor, int64_t until)
{
    enum store_result result = store_drop_code(db, visitor);
    if (result)
        return result;
    sqlite3_stmt *s = ready(db, &result, PUT_CODE, "bii", (const void *)hash, (size_t)32, visitor, until);
    return s ? change(db, s) : result;
}

enum store_result store_each_code(struct store_db *db,
    bool (*each)(void *context, const uint8_t hash[32], int64_t visitor, int64_t until), void *context)
{
    enum store_result result;
    sqlite3_stmt *s = ready(db, &result, ALL_CODES, "");
    int code = SQLITE_DONE;
    bool more = true;
    while (s && more && (code = sqlite3_step(s)) == SQLITE_ROW)
        if (sqlite3_column_bytes(s, 0) == 32)
            more = each(context, sqlite3_column_blob(s, 0), sqlite3_column_int64(s, 1), sqlite3_column_int64(s, 2));
    return s ? finish(db, s, code == SQLITE_ROW ? SQLITE_OK : code) : result;
}

enum store_result store_put_alive(struct store_db *db, int64_t alive)
{
    static const enum statement puts[] = { PUT_ALIVE };
    return change_all(db, puts, 1, alive);
}

enum store_result store_get_alive(struct store_db *db, int64_t *alive)
{
    enum store_result result;
    sqlite3_stmt *s = ready(db, &result, GET_ALIVE, "");
    return s ? get_number(db, s, 0, alive) : result;
}

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
    sqlite3_stmt *s = ready(db, &result, GET_DOWN, "i", (int64_t)STORE_DOWNTIMES - 1);
    if (s)
        result = collect(db, s, &found);
    for (size_t i = 0; i < found.count && result == STORE_OK; i++)
        down[(*count)++] = (struct store_downtime){ found.at[i][0], found.at[i][1] };
    free(found.at);
    return result;
}

enum store_result store_put_start(struct store_db *db, int64_t now)
{
    static const enum statement old[] = { OLD_DOWN };
    enum store_result result;
    sqlite3_stmt *s;
    int64_t alive = 0;
    if ((result = store_get_alive(db, &alive)) || (result = change_all(db, old, 1, now - 2 * 86400)))
        return result;
    if (alive && alive < now && (!(s = ready(db, &result, PUT_DOWN, "ii", alive, now)) || (result = change(db, s))))
        return result;
    return store_put_alive(db, now);
}

/* What is dropped after a while. */

enum store_result store_sweep(struct store_db *db, const struct store_keep *keep, int64_t dropped[STORE_SWEEP],
    unsigned *count)
{
    static const enum statement drops[] = { DROP_LINES, DROP_CHOICES, DROP_SEATS, DROP_REPORTS, DROP_REQUESTS,
        DROP_REVISION, DROP_TABLE };
    const struct { enum statement which; int64_t before; } old[] = { { OLD_REPORTS, keep->reports },
        { OLD_REQUESTS, keep->requests }, { OLD_CODES, keep->codes } };
    enum store_result result = STORE_OK;
    struct pairs found = { 0 };
    *count = 0;
    for (unsigned i = 0; i < sizeof old / sizeof *old && result == STORE_OK; i++)
        if (old[i].before)
            result = change_all(db, &old[i].which, 1, old[i].before);
    sqlite3_stmt *s = result ? NULL : ready(db, &result, OLD_TABLES, "iii", keep->closed, keep->finished,
        (int64_t)STORE_SWEEP);
    if (s)
        result = collect(db, s, &found);
    for (size_t i = 0; i < found.count && result == STORE_OK; i++) {
        result = change_all(db, drops, sizeof drops / sizeof *drops, found.at[i][0]);
        dropped[(*count)++] = found.at[i][0];
    }
    free(found.at);
    return result;
}

/* A change of a table. */

enum store_result store_commit(struct store_db *db, struct store_commit *commit)
{
    int64_t table = commit->table.id;
    bool is_new = !commit->table.revision;
    enum store_result result = is_new ? add_table(db, &commit->table, commit->most, &table) : next_revision(db, commit);
    if (!result && !is_new && commit->table.config)
        result = store_put_table(db, &commit->table);
    if (!result && commit->request[0]) {
        char code[16];
        int64_t host = commit->table.host;
        bool is_known = store_get_request(db, host, commit->request, code) == STORE_OK;      /* two came at once */
        result = is_known ? STORE_NONE : store_put_request(db, host, commit->request, table, commit->made);
    }
    if (!result && commit->lines_size)
        result = store_add_lines(db, table, commit->first_line, commit->lines, commit->lines_size, commit->made);
    if (!result && commit->has_choice)
        result = store_put_choice(db, table, &commit->choice);
    for (unsigned s = 0; s < commit->seats && !result; s++) {
        struct store_seat seat = commit->seat[s];
        seat.table = table;
        if (seat.visitor)
            result = store_put_seat(db, &seat);
        else if ((result = store_drop_seat(db, table, s)) == STORE_NONE)
            result = STORE_OK;               /* there was nobody */
    }
    commit->after.id = table;
    commit->after.revision = commit->table.revision + 1;
    return result;
}

enum store_result store_run_commit(struct store_db *db, struct store_job *job)
{
    return store_commit(db, (struct store_commit *)job);
}
