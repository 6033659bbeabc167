/*
 * store_copy.c: copies a whole database into an empty one, of the same or another engine: row by row, in the order of
 * the keys, in one transaction. A copy of a copy has the same rows.
 */
#include <stdio.h>

#include <pyramids/text.h>

#include "store_engine.h"

/* For each table the statement that reads it, whose columns are the values of the statement that writes it. Tables that
 * others refer to come first. */
static const struct {
    enum store_statement read, write;
} tables[] = {
    { COPY_VISITORS, PUT_VISITOR },
    { COPY_TOKENS, PUT_TOKEN },
    { COPY_CODES, PUT_CODE },
    { COPY_TABLES, PUT_TABLE },
    { COPY_REVISIONS, PUT_REVISION },
    { COPY_LINES, ADD_LINES },
    { COPY_CHOICES, PUT_CHOICE },
    { COPY_SEATS, PUT_SEAT },
    { COPY_REPORTS, PUT_REPORT },
    { COPY_REQUESTS, PUT_REQUEST },
    { COPY_HEARTBEAT, PUT_HEARTBEAT },
    { COPY_DOWNTIMES, PUT_DOWN },
    { COPY_BANS, PUT_BAN },
    { COPY_DAYS, PUT_DAY },
    { COPY_ATTEMPTS, PUT_ATTEMPT },
    { COPY_STANDINGS, PUT_STANDING },
    { COPY_RATINGS, PUT_RATING },
    { COPY_LINKS, PUT_LINK },
    { COPY_LEAVING, PUT_LEAVING },
    { COPY_SECRETS, PUT_SECRET },
    { COPY_PUSHES, PUT_PUSH },
    { COPY_NOTICES, PUT_NOTICE_AGAIN },
    { COPY_REMINDERS, PUT_REMINDER_AGAIN },
    { COPY_FEEDS, PUT_FEED },
};

/* Both databases are open and in a transaction. */
struct copying {
    struct store_db *from, *to;
    bool (*more)(void *context, uint64_t rows);
    void *context;
    struct store_copied *copied;
    bool is_stopped;
};

/* Column i of the query is value i of the statement that writes: the statements are made to match. NULL becomes an empty
 * text. */
static enum store_result copy_row(struct copying *copying, enum store_statement write)
{
    const struct store_engine *engine = copying->from->engine;
    struct store_value values[STORE_VALUES];
    const char *kinds = store_texts[write].kinds;
    for (int i = 0; kinds[i]; i++) {
        values[i] = (struct store_value){ 0 };
        if (kinds[i] == 'i')
            values[i].number = engine->number(copying->from, i);
        else if (kinds[i] == 'r')
            values[i].real = engine->real(copying->from, i);
        else if (!(values[i].at = engine->bytes(copying->from, i, &values[i].size)))
            values[i].at = "";
    }
    return copying->to->engine->send(copying->to, write, values, STORE_FAILED, NULL);
}

/* *source is the error while reading, the result the error while writing. */
static enum store_result copy_table(struct copying *copying, enum store_statement read, enum store_statement write,
    enum store_result *source)
{
    const struct store_engine *engine = copying->from->engine;
    enum store_result result = STORE_OK;
    *source = engine->query(copying->from, read, NULL);
    while (*source == STORE_OK && (*source = engine->next(copying->from)) == STORE_OK) {
        result = copy_row(copying, write);
        copying->copied->rows++;
        copying->copied->visitors += write == PUT_VISITOR;
        copying->copied->tables += write == PUT_TABLE;
        copying->is_stopped = !copying->more(copying->context, copying->copied->rows);
        if (result || copying->is_stopped) {
            engine->finish(copying->from);
            return result;
        }
    }
    if (*source == STORE_MISSING)            /* no further row */
        *source = STORE_OK;
    return result;
}

/* Whether it has no visitors and no tables: ids are copied unchanged, so they must not collide with others. */
static bool is_empty(struct store_db *db)
{
    int64_t visitor = 1, table = 1;
    return store_last_ids(db, &visitor, &table) == STORE_OK && !visitor && !table;
}

/* `more` is called after each row; if it returns false, copying stops. On failure nothing is committed, and `error` has a
 * sentence. */
bool store_copy(const char *from, const char *to, bool (*more)(void *context, uint64_t rows), void *context,
    struct store_copied *copied, char *error, size_t error_size)
{
    struct copying copying = { .more = more, .context = context, .copied = copied };
    enum store_result result = STORE_OK, source = STORE_OK;
    char name[1024], unused[64];
    *copied = (struct store_copied){ 0 };
    if (!store_open_alone(&copying.from, from, false, error, error_size))
        return false;
    if (!store_open_alone(&copying.to, to, true, error, error_size)) {
        store_close_alone(copying.from, false, unused, sizeof unused);
        return false;
    }
    bool good = is_empty(copying.to);
    if (!good) {
        store_name(to, name, sizeof name);
        snprintf(error, error_size, _("%s is not empty: copy into a new database"), name);
    }
    for (unsigned i = 0; i < sizeof tables / sizeof *tables && good; i++) {
        result = copy_table(&copying, tables[i].read, tables[i].write, &source);
        good = !result && !source && !copying.is_stopped;
    }
    if (source) {
        store_name(from, name, sizeof name);
        snprintf(error, error_size, _("%s: not everything could be read"), name);
    } else if (result) {
        snprintf(error, error_size, "%s",
            result == STORE_NO_ROOM ? _("the disk is full") : _("the database could not be written"));
    } else if (copying.is_stopped) {
        snprintf(error, error_size, "%s", _("interrupted"));
    }
    store_close_alone(copying.from, false, unused, sizeof unused);
    if (good)
        return store_close_alone(copying.to, true, error, error_size);
    store_close_alone(copying.to, false, unused, sizeof unused);
    return false;
}
