/*
 * store_rows.h: how an operation of the store runs a statement and reads its rows, for store_ops.c and the files beside it.
 *
 * Statements refer to values by position: `kinds` in store_statements.c lists the C type of each position, and
 * take_values reads exactly those from the arguments. So 'i' must be passed as int64_t and 'b' or 'x' as pointer and
 * size_t.
 */
#ifndef PYR_STORE_ROWS_H
#define PYR_STORE_ROWS_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "store_engine.h"

/* The values of a statement, by the kinds that it lists.
 * 'i' int64_t, 'r' double, 't' text with its end, everything else a pointer and a size. */
static inline void take_values(struct store_value values[STORE_VALUES], enum store_statement which, va_list list)
{
    for (const char *kind = store_texts[which].kinds; *kind; kind++, values++) {
        *values = (struct store_value){ 0 };
        if (*kind == 'i') {
            values->number = va_arg(list, int64_t);
        } else if (*kind == 'r') {
            values->real = va_arg(list, double);
        } else {
            values->at = va_arg(list, const void *);
            values->size = *kind == 't' ? strlen(values->at) : va_arg(list, size_t);
        }
    }
}

/* When a change runs: NOW, and its result is known on return; or LATER, at any time before the transaction ends. */
enum when { NOW, LATER };

/* Runs a statement that changes rows; `none`: the result if it changes no row. */
static inline enum store_result change(struct store_db *db, enum when when, enum store_result none,
    enum store_statement which, ...)
{
    struct store_value values[STORE_VALUES];
    int64_t changed = 0;
    va_list list;
    va_start(list, which);
    take_values(values, which, list);
    va_end(list);
    if (when == LATER)
        return db->engine->send(db, which, values, none, NULL);
    enum store_result result = db->engine->execute(db, which, values, &changed);
    return result == STORE_OK && !changed ? none : result;
}

/* Runs a query, whose rows are read with next(). */
static inline enum store_result ask(struct store_db *db, enum store_statement which, ...)
{
    struct store_value values[STORE_VALUES];
    va_list list;
    va_start(list, which);
    take_values(values, which, list);
    va_end(list);
    return db->engine->query(db, which, values);
}

static inline enum store_result next(struct store_db *db) { return db->engine->next(db); }
static inline void finish(struct store_db *db) { db->engine->finish(db); }
static inline int64_t number(struct store_db *db, int column) { return db->engine->number(db, column); }
static inline double real(struct store_db *db, int column) { return db->engine->real(db, column); }

/* Values that an engine returns are valid only until the next step. Text that is too long is cut. */
static inline void copy_text(struct store_db *db, int column, char *to, size_t room)
{
    size_t size;
    const char *text = db->engine->bytes(db, column, &size);
    snprintf(to, room, "%s", text ? text : "");
}

/* After the last row: STORE_OK if there was no error. */
static inline enum store_result at_end(enum store_result result)
{
    return result == STORE_MISSING ? STORE_OK : result;
}

/* A number of the one row, or `none` if there is no row. */
static inline enum store_result get_number(struct store_db *db, enum store_result asked, int64_t none, int64_t *to)
{
    enum store_result result = asked == STORE_OK ? next(db) : asked;
    *to = none;
    if (result == STORE_OK) {
        *to = number(db, 0);
        finish(db);
    }
    return at_end(result);
}

/* Runs statements that take one number each, in their order. */
static inline enum store_result change_all(struct store_db *db, const enum store_statement *which, unsigned count,
    int64_t with)
{
    enum store_result result = STORE_OK;
    for (unsigned i = 0; i < count && result == STORE_OK; i++)
        result = change(db, NOW, STORE_OK, which[i], with);
    return result;
}

/* Ratings and leaderboards are read, changed and written back: only one server may do so at a time. The lock is taken
 * before the rows are, so that two servers cannot wait for each other. */
static inline enum store_result lock_results(struct store_db *db)
{
    int64_t one;
    return db->engine->is_shared ? get_number(db, ask(db, LOCK_RESULTS), 0, &one) : STORE_OK;
}

/* Notifies the other servers, once the transaction is committed. */
static inline void announce(struct store_db *db, const char *word, int64_t with)
{
    if (db->engine->announce)
        db->engine->announce(db, word, with, NULL, NULL);
}

#endif
