/*
 * store_admin.h (store_admin.c): an operator's queries and commands. The first part is for jobs, as the operations of
 * store.h; the second takes long and runs in its own thread, over its own connection.
 */
#ifndef PYR_STORE_ADMIN_H
#define PYR_STORE_ADMIN_H

#include "store.h"

#define STORE_REASON 201         /* bytes of a reason with its end */

/* A ban: an address with its prefix ("192.0.2.0/24"), or a visitor. */
struct store_ban {
    int64_t id;
    char address[64];            /* "": none */
    int64_t visitor;             /* 0: none */
    int64_t made, until;         /* seconds since 1970; until 0: for ever */
    char reason[STORE_REASON];   /* the operator's note; not shown to anyone else */
};

enum store_result store_add_ban(struct store_db *db, struct store_ban *ban);         /* fills in its id */
enum store_result store_drop_ban(struct store_db *db, int64_t id);
/* Those that are in force; `each` makes no other call with db. */
enum store_result store_each_ban(struct store_db *db, int64_t now, bool (*each)(void *context, const struct store_ban *ban),
    void *context);
enum store_result store_sweep_bans(struct store_db *db, int64_t before);   /* those that ended before that time */
enum store_result store_sweep_reports(struct store_db *db, int64_t before, int64_t *dropped);

/* Tables that are waiting or running, and visitors; the latest first, at most `most`. `each` makes no other call with db. */
enum store_result store_list_tables(struct store_db *db, unsigned most, bool (*each)(void *context,
    const struct store_table *table), void *context);
enum store_result store_list_visitors(struct store_db *db, unsigned most, bool (*each)(void *context,
    const struct store_visitor *visitor), void *context);
enum store_result store_admin_rename(struct store_db *db, int64_t visitor, const char *name);
enum store_result store_get_code(struct store_db *db, int64_t table, char code[16]);

/* Checks a database and counts. All counts but `tables` should be 0. False with a sentence: it is damaged, or could not
 * be read. */
struct store_check {
    int64_t tables;
    int64_t gaps;                /* logs with missing lines */
    int64_t revisions;           /* tables without a revision */
    int64_t orphans;             /* rows that refer to rows which do not exist */
};
bool store_check_whole(const char *path, struct store_check *check, char *error, size_t size);

/* A consistent copy of a database file while it is being written to: in a file without a name, whose descriptor the
 * caller closes. False with a sentence. */
bool store_backup(const char *path, int *fd, char *error, size_t size);

#endif
