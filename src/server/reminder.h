/*
 * reminder.h (reminder.c, reminder_daily.c, reminder_text.c; reminder_routes.c has the requests): tells people who are not
 * connected that a table or today's expedition is waiting for them, by Web Push and by a feed.
 *
 * Whether a player wants messages is part of the table (seat.notify). Changes of the table store pending messages
 * (store_commit); one of the servers claims and sends each of them (store_reminders.h).
 */
#ifndef PYR_SERVER_REMINDER_H
#define PYR_SERVER_REMINDER_H

#include "deliver.h"
#include "server.h"
#include "store_reminders.h"

#define REMIND_SECONDS 20        /* a person who is not at the table by then gets a message; also how
                                  * often to check that a person who was there still is */
#define REMINDER_TABLES 4        /* tables that a message names */

struct reminders {
    struct deliver_options options;
    struct deliver *deliver;     /* NULL: no messages are sent */
    char key[push_letters(PUSH_PUBLIC) + 1]; /* public; "" without messages */
    unsigned looking;            /* visitors for whom messages are being made */
    bool is_asking;              /* the database is being asked for the next one */
    uint64_t look_at;            /* when to look next, by the loop's own clock */
    bool is_asking_daily;        /* the same for the daily expedition */
    uint64_t look_daily_at;
    uint64_t looks, looks_daily; /* looks that found nothing to do; this and the rest for /metrics */
    uint64_t sent, gone, refused, failed;
};

/* The loader's part: the keys that all servers share, made by the first server. */
bool reminders_load(struct server *server, struct store_db *db);
/* With options->push; false with a sentence in `error`. */
bool reminders_start(struct server *server, char *error, size_t size);
void reminders_tick(struct server *server);
void reminders_stop(struct server *server);

/* reminder_text.c: what a message says, in the language of the calling thread. */
enum reminder_kind {
    REMINDER_NONE,               /* nothing is waiting any more: a message that was shown is closed */
    REMINDER_TURN, REMINDER_SEVERAL, REMINDER_MORNING, REMINDER_OVER, REMINDER_DAILY
};
struct reminder {
    enum reminder_kind kind;
    bool is_silent;              /* it replaces one that was shown before, without a sound */
    unsigned count;              /* tables that are waiting; for an evening's summary, its tables; torches */
    unsigned hours;              /* that the daily expedition is open */
    unsigned seconds;            /* the same */
    bool is_closed;              /* the day was played: the message about it is closed where it is shown */
    int64_t visitor;
    char code[CODE_SIZE + 1];    /* of the table to open; "" the home page */
    unsigned tables;             /* the first ones that are waiting */
    struct reminder_table {
        unsigned round, turn;    /* from 1; 0: before the first */
        unsigned names, waiting; /* of the other people; of these, those who have chosen */
        char name[PYR_MAX_SEATS][NAME_SIZE];
    } table[REMINDER_TABLES];
};
/* Adds a table as this visitor sees it: players who have chosen come first. */
void reminder_note_table(struct reminder *reminder, const struct table *table);
/* Writes the message as JSON. Returns the size, 0 if it does not fit. */
size_t reminder_write(const struct reminder *reminder, char *to, size_t room);
void reminder_title(const struct reminder *reminder, char *to, size_t room);
void reminder_body(const struct reminder *reminder, char *to, size_t room);

/* Sends a message to one browser of a visitor. */
void reminder_send(struct server *server, const struct reminder *reminder, const struct store_push *push);
/* Whether messages can be sent at present. */
bool reminders_may_send(const struct server *server);
/* Checks whether a visitor has to be reminded of the daily expedition. */
void reminder_daily_tick(struct server *server);

/* When the present quiet time ends, in seconds since 1970; 0: it is not quiet time. */
int64_t reminder_quiet_until(const struct store_notice *notice, int64_t now);
/* When a person's clock next shows this minute of the day. */
int64_t reminder_next(int minute, int zone, int64_t now);

#endif
