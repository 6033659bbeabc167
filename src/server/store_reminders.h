/*
 * store_reminders.h (store_reminders.c): what the database keeps for messages that a table waits for a person: the
 * server's keys, the browsers that want messages (RFC 8030), when people want quiet, the message for each about a table,
 * and the keys of feeds.
 *
 * `reminder` has a row for every person who asked for messages at a table. Changes of the table write it in their own
 * transaction (store_commit). A server claims a row by emptying its `due`: only one gets it. It is claimed before the
 * message is sent, so a message is sent once or, if the server dies just then, not at all.
 */
#ifndef PYR_STORE_REMINDERS_H
#define PYR_STORE_REMINDERS_H

#include "store.h"

#define STORE_PUSHES 5           /* browsers of a visitor; one more takes the place of the oldest */
#define STORE_REMINDERS 16       /* tables of a visitor that are looked at */

/* A browser that wants messages. */
struct store_push {
    int64_t id;
    char endpoint[1025];
    uint8_t key[65], auth[16];
    char language[16];
};

/* What a visitor wants. Minutes are of their day. */
struct store_notice {
    int quiet_from, quiet_to;    /* equal: no quiet time */
    int zone;                    /* minutes that their clock is ahead of UTC */
    int daily;                   /* when they want to be reminded of the daily expedition; -1: not at all */
    int64_t due;                 /* when to look whether to remind them, in seconds; 0: never */
    int64_t told;                /* the day that they were last reminded of; 0: never */
    bool closes;                 /* they have played it since: that message is to be closed */
};

/* A value that all servers on a database share, made by the first that needs it: `value` is what to keep if there is none,
 * and becomes what is kept. */
enum store_result store_share_secret(struct store_db *db, const char *name, uint8_t *value, size_t size);

/* Adds or renews a browser. A visitor who had this endpoint before loses it. */
enum store_result store_put_push(struct store_db *db, int64_t visitor, const struct store_push *push, int64_t made);
enum store_result store_get_pushes(struct store_db *db, int64_t visitor, struct store_push pushes[STORE_PUSHES],
    unsigned *count);
/* A visitor's browser; endpoint NULL: all of them. STORE_MISSING: there was none. And one by its id. */
enum store_result store_drop_push(struct store_db *db, int64_t visitor, const char *endpoint);
enum store_result store_drop_push_by_id(struct store_db *db, int64_t id);

/* STORE_MISSING: they have no settings. */
enum store_result store_get_notice(struct store_db *db, int64_t visitor, struct store_notice *notice);
/* What they want, and when to look again. What they were sent stays as it is: another server may be about to change it. */
enum store_result store_put_notice(struct store_db *db, int64_t visitor, const struct store_notice *notice);
/* Claims for this server the visitor who has been due for longest, and since when. STORE_MISSING: no one is due. The result
 * (due, told, closes) is then marked in the same transaction. */
enum store_result store_claim_notice(struct store_db *db, int64_t now, int64_t *visitor, int64_t *due,
    struct store_notice *notice);
enum store_result store_mark_notice(struct store_db *db, int64_t visitor, const struct store_notice *notice);

/* A visitor's tables with a reminder, after those that are due were claimed. */
struct store_due {
    int64_t visitor;
    unsigned count;
    struct store_due_table {
        int64_t table;
        char code[16];
        uint8_t want, told;      /* enum store_reminder */
        bool is_claimed;         /* it was due, and is this server's to tell */
        bool is_night;           /* quiet time has put it off */
        bool is_here;            /* the visitor is connected to the table at another server */
    } at[STORE_REMINDERS];
    struct store_notice notice;
    unsigned pushes;
    struct store_push push[STORE_PUSHES];
};
/* All that is due for the visitor whose reminder is due for longest. STORE_MISSING: nothing is due. */
enum store_result store_claim_reminders(struct store_db *db, int64_t now, struct store_due *due);
/* The result: told, whether it is put off, and until when (0: it is not). STORE_CONFLICT: the table has changed
 * since it was claimed, and nothing was. */
enum store_result store_mark_reminder(struct store_db *db, int64_t visitor, const struct store_due_table *table,
    int64_t due);
enum store_result store_drop_reminder(struct store_db *db, int64_t table, int64_t visitor);

/* The secret address of a feed, by its SHA-256: one per visitor. */
enum store_result store_put_feed(struct store_db *db, int64_t visitor, const uint8_t hash[32]);
enum store_result store_get_feed(struct store_db *db, const uint8_t hash[32], int64_t *visitor);
enum store_result store_drop_feed(struct store_db *db, int64_t visitor);
enum store_result store_has_feed(struct store_db *db, int64_t visitor, bool *has);

/* All of the above that is about a visitor, who is being removed. */
enum store_result store_drop_reminders_of(struct store_db *db, int64_t visitor);

#endif
