/*
 * store_engine.c: selects the engine of a database, and opens databases for commands. See store_engine.h.
 *
 * The engines are asked in the order of `engines` whether a string is theirs; SQLite accepts anything else, as the name
 * of a file. The store_db_* functions only forward a call to the engine of the database.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/text.h>

#include "store_engine.h"

static const struct store_engine *const engines[] = { &store_pg, &store_sqlite };   /* the last one accepts what no other
                                                                                       does */

/* The log for commands; a server sets its own (store_set_log) before it opens the database. */
static void log_to_stderr(const char *words)
{
    fprintf(stderr, "pyramids: database: %s\n", words);
}

static void (*log_words)(const char *words) = log_to_stderr;

void store_set_log(void (*log)(const char *words))
{
    log_words = log ? log : log_to_stderr;
}

void store_say(const char *words)
{
    log_words(words);
}

/* A connection string is a URL or begins with "keyword =". (A file with such a name has to be given with its folder.) */
bool store_is_connection(const char *where)
{
    if (!strncmp(where, "postgresql://", 13) || !strncmp(where, "postgres://", 11))
        return true;
    where += strspn(where, " \t\n");
    size_t word = strspn(where, "abcdefghijklmnopqrstuvwxyz_");
    where += word;
    where += strspn(where, " \t\n");
    return word && *where == '=';
}

static const struct store_engine *engine_of(const char *where)
{
    unsigned i = 0;
    while (i + 1 < sizeof engines / sizeof *engines && !engines[i]->is_mine(where))
        i++;
    return engines[i];
}

bool store_can_share(const char *path)
{
    return engine_of(path)->is_shared;
}

/* Without secrets: for messages and the log. */
void store_name(const char *where, char *to, size_t size)
{
    engine_of(where)->name_of(where, to, size);
}

enum store_probe store_probe(const char *where, char *error, size_t size)
{
    return engine_of(where)->probe(where, error, size);
}

struct store_db *store_db_open(const char *where, bool write, char *error, size_t size)
{
    return engine_of(where)->open(where, write, error, size);
}

void store_db_close(struct store_db *db)
{
    if (!db)
        return;
    free(db->text);
    db->engine->close(db);
}

enum store_result store_db_begin(struct store_db *db, bool write)
{
    return db->engine->begin(db, write);
}

enum store_result store_db_settle(struct store_db *db, store_refuse *refuse, void *context)
{
    return db->engine->settle(db, refuse, context);
}

enum store_result store_db_commit(struct store_db *db)
{
    return db->engine->commit(db);
}

void store_db_rollback(struct store_db *db)
{
    db->engine->rollback(db);
}

enum store_result store_db_job_begin(struct store_db *db)
{
    return db->engine->job_begin(db);
}

enum store_result store_db_job_end(struct store_db *db, enum store_result result)
{
    return db->engine->job_end(db, result);
}

enum store_result store_savepoint(struct store_db *db)
{
    return db->engine->savepoint(db);
}

enum store_result store_release(struct store_db *db, bool good)
{
    return db->engine->release(db, good);
}

/* For commands. */

/* A command is one transaction from beginning to end. */
bool store_open_alone(struct store_db **db, const char *where, bool write, char *error, size_t error_size)
{
    struct store_db *opened = store_db_open(where, write, error, error_size);
    if (!opened)
        return false;
    if (opened->engine->check && !opened->engine->check(opened, where, error, error_size)) {
        store_db_close(opened);
        return false;
    }
    if (store_db_begin(opened, write) != STORE_OK) {
        opened->engine->explain(opened, where, error, error_size);
        store_db_close(opened);
        return false;
    }
    *db = opened;
    return true;
}

static void refuse_all(void *context, unsigned job, enum store_result result, bool is_void)
{
    (void)is_void;
    (void)job;
    *(enum store_result *)context = result;
}

/* Closes the database in any case. A command is one job, so any refusal concerns that job. */
bool store_close_alone(struct store_db *db, bool good, char *error, size_t error_size)
{
    enum store_result result = STORE_OK, refused = STORE_OK;
    if (good) {
        result = store_db_settle(db, refuse_all, &refused);
        if (result == STORE_OK)
            result = refused;
    }
    if (good && result == STORE_OK)
        result = store_db_commit(db);
    else
        store_db_rollback(db);
    if (result != STORE_OK)
        snprintf(error, error_size, "%s",
            result == STORE_NO_ROOM ? _("the disk is full") : _("the database could not be written"));
    store_db_close(db);
    return result == STORE_OK;
}
