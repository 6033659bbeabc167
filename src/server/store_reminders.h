/*
 * store_reminders.h (store_reminders.c): what the database keeps for messages to people for whom a table is waiting: the
 * server's keys, the browsers that want messages (RFC 8030), quiet times, each person's message about a table, and the
 * keys of feeds.
 *
 * `reminder` has a row for every person who asked for messages at a table. Changes of the table write it in their own
 * transaction (store_commit). A server claims a row by emptying its `due`: only one gets it. It is claimed before the
 * message is sent, so a message is sent once or, if the server dies just then, not at all.
 */
#ifndef PYR_STORE_REMINDERS_H
#define PYR_STORE_REMINDERS_H

#include "store.h"

#define STORE_PUSHES 5           /* browsers of a visitor; one more replaces the oldest */
#define STORE_REMINDERS 16       /* tables of a visitor that are looked at */

/* A browser that wants messages. */
struct store_push {
    int64_t id;
    char endpoint[1025];
    uint8_t key[65], auth[16];
    char language[16];
};

/* A visitor's settings. Minutes are counted from midnight. */
struct store_notice {
    int quiet_from, quiet_to;    /* equal: no quiet time */
    int zone;                    /* minutes that their clock is ahead of UTC */
    int daily;                   /* when they want to be reminded of the daily expedition; -1: never */
    int64_t due;                 /* when to check whether to remind them, in seconds; 0: never */
    int64_t told;                /* the day of their last reminder; 0: none yet */
    bool closes;                 /* they have played since: the message is to be closed */
};

/* A secret that all servers on a database share, made by the first that needs it: `value` is what to store if there is
 * none, and receives what is stored. */
enum store_result store_share_secret(struct store_db *db, const char *name, uint8_t *value, size_t size);

/* Adds or renews a browser. If another visitor had this endpoint, they lose it. */
enum store_result store_put_push(struct store_db *db, int64_t visitor, const struct store_push *push, int64_t made);
enum store_result store_get_pushes(struct store_db *db, int64_t visitor, struct store_push pushes[STORE_PUSHES],
    unsigned *count);
/* A visitor's browser; endpoint NULL: all of them. STORE_MISSING: there was none. And one by its id. */
enum store_result store_drop_push(struct store_db *db, int64_t visitor, const char *endpoint);
enum store_result store_drop_push_by_id(struct store_db *db, int64_t id);

/* STORE_MISSING: the visitor has no settings. */
enum store_result store_get_notice(struct store_db *db, int64_t visitor, struct store_notice *notice);
/* Stores the settings, and when to check next. What was sent is not changed: another server may be about to change it. */
enum store_result store_put_notice(struct store_db *db, int64_t visitor, const struct store_notice *notice);
/* Claims for this server the visitor who has been due longest, and returns since when. STORE_MISSING: no one is due. The
 * result (due, told, closes) is then stored in the same transaction. */
enum store_result store_claim_notice(struct store_db *db, int64_t now, int64_t *visitor, int64_t *due,
    struct store_notice *notice);
enum store_result store_mark_notice(struct store_db *db, int64_t visitor, const struct store_notice *notice);

/* A visitor's tables with a reminder, read after those that are due were claimed. */
struct store_due {
    int64_t visitor;
    unsigned count;
    struct store_due_table {
        int64_t table;
        char code[16];
        uint8_t want, told;      /* enum store_reminder */
        bool is_claimed;         /* it was due, and this server sends it */
        bool is_night;           /* put off because of the quiet time */
        bool is_here;            /* the visitor is connected to the table at another server */
    } at[STORE_REMINDERS];
    struct store_notice notice;
    unsigned pushes;
    struct store_push push[STORE_PUSHES];
};
/* Claims everything that is due for the visitor whose reminder has been due longest. STORE_MISSING: nothing is due. */
enum store_result store_claim_reminders(struct store_db *db, int64_t now, struct store_due *due);
/* Stores the result: told, whether it is put off, and until when (0: it is not). STORE_CONFLICT: the table has changed
 * since the claim, and nothing was stored. */
enum store_result store_mark_reminder(struct store_db *db, int64_t visitor, const struct store_due_table *table,
    int64_t due);
enum store_result store_drop_reminder(struct store_db *db, int64_t table, int64_t visitor);

/* The secret address of a feed, by its SHA-256: one per visitor. */
enum store_result store_put_feed(struct store_db *db, int64_t visitor, const uint8_t hash[32]);
enum store_result store_get_feed(struct store_db *db, const uint8_t hash[32], int64_t *visitor);
enum store_result store_drop_feed(struct store_db *db, int64_t visitor);
enum store_result store_has_feed(struct store_db *db, int64_t visitor, bool *has);

/* Removes all of the above for a visitor whose data is being removed. */
enum store_result store_drop_reminders_of(struct store_db *db, int64_t visitor);

#endif
