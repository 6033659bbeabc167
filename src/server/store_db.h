/*
 * store_db.h (store_db.c): the database file under the store: opening with all its checks, migrating, locking,
 * transactions. What is in the tables is store_sql.c's; threads and queues are store.c's.
 */
#ifndef PYR_STORE_DB_H
#define PYR_STORE_DB_H

#include <sqlite3.h>

#include "store.h"

#define STORE_STATEMENTS 80      /* room for those of store_sql.c */
#define STORE_VERSION 4          /* of the schema: steps in store_db.c */

/* The steps of a transaction: prepared at once, since a rollback must not fail for want of memory. */
enum store_control {
    STORE_BEGIN,
    STORE_BEGIN_WRITE,
    STORE_COMMIT,
    STORE_ROLLBACK,
    STORE_PART,
    STORE_PART_UNDO,
    STORE_PART_END,
    STORE_CONTROLS
};

struct store_db {
    sqlite3 *sql;
    sqlite3_stmt *control[STORE_CONTROLS];
    sqlite3_stmt *statement[STORE_STATEMENTS];   /* prepared when first wanted, then kept */
    bool within;                 /* a transaction was begun and not ended by us */
    int lock;                    /* file descriptor that holds the lock, or -1 */
    char *real;                  /* path of the file; NULL in memory */
    struct store_file { uint64_t device, inode; } file, wal;     /* what is open: the file and its write-ahead log */
    char *text;                  /* what the last call returned */
    size_t room;
    int64_t said;                /* second in which the log last got words, so that a full disk does not flood it */
};

/* Opens a database (":memory:" too) after all checks; what is older is migrated if it may be written. NULL with a
 * sentence in `error`. */
struct store_db *store_db_open(const char *path, bool write, char *error, size_t size);
void store_db_close(struct store_db *db);

/* Turns SQLite's code into a result; the words go to the log. */
enum store_result store_db_result(struct store_db *db, int code);
void store_db_say(struct store_db *db, const char *words);     /* further words for it */

/* Transactions. One that SQLite gave up by itself (no room, no memory, an I/O error) is lost: nothing may be done in it
 * any more. */
enum store_result store_db_begin(struct store_db *db, bool write);
enum store_result store_db_commit(struct store_db *db);
void store_db_rollback(struct store_db *db);
bool store_db_is_lost(const struct store_db *db);

/* False if the database or its write-ahead log was removed, or something else took its name: what is written would be
 * lost. */
bool store_db_is_in_place(struct store_db *db);

#endif
