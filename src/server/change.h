/*
 * change.h (change.c, seats.c, turns.c): how a table changes.
 *
 * Invariants:
 *  1. A table's state is what the database has: a change is applied to a copy, stored, and only then put in its place and
 *     sent to anyone. If it cannot be stored, the copy is dropped and the requester gets an error.
 *  2. Changes of one table happen one after the other, in the order in which they came. Each is stored only if the table
 *     still has the revision that the change was made from; if not, the table is read again and the change applied again.
 *  3. Answers are based on the database: before a change is refused, or succeeds with nothing to store, the table is read
 *     again if other servers share the database, since the copy in memory may be old.
 *  4. Bots' choices are not stored before their phase is complete: after a restart they choose again. The choice of a
 *     stand-in is stored when the person comes back, since from then on it is theirs.
 */
#ifndef PYR_SERVER_CHANGE_H
#define PYR_SERVER_CHANGE_H

#include "table.h"

/* The arguments of a change. Each apply_ function (seats.c, turns.c) documents which of them it uses. */
struct change_request {
    int64_t visitor;             /* who asks; 0: the server itself */
    uint32_t phase;              /* lines of the log that the choice answers */
    uint8_t seat, steps;
    bool has_seat, has_key;
    bool is_on;                  /* of apply_notify */
    bool gives_up;               /* of apply_daily: the attempt that counts, which has not begun */
    bool is_operator;            /* may close a table whose game has begun */
    const struct pyr_bot *bot;
    uint8_t number[PYR_FAIR_BYTES];
    uint8_t key[TOKEN_SIZE];     /* SHA-256 of a friend's key */
    char *text;                  /* a choice, a code, or how seats are arranged */
    bool sets_terms;             /* then the table has these: */
    struct table_terms terms;
    pyr_step *step;              /* of a bot's choice */
};

/* The effects: what is stored, and then put in place and sent. */
struct change_effects {
    struct store_commit commit;  /* first */
    struct change *change;
    struct table_state after;           /* takes the place of the table's own */
    bool stores_config, stores_seats;
    bool is_stored;              /* the commit is on the disk */
    bool announces;              /* observers are sent the new table */
    bool readies;                /* and the message about who has chosen */
    char *lines;                 /* new ones */
    size_t lines_size, lines_room;
    char *config;
};

/*
 * A change of a table: applied to a copy of its state, stored, then put in its place. Changes of one table happen one after
 * the other; while one waits it is no more than its request.
 */
struct change {
    struct change *next;
    struct table *table;
    struct change *next_of_asker, **link_of_asker;     /* those that may have to be abandoned together */
    enum error (*apply)(struct change *change, struct problem *problem);
    void (*answer)(struct change *change, enum error error);     /* NULL: no requester, or it is gone */
    void *context;
    const struct problem *problem;           /* during `answer`: more about the error; may be NULL */
    char id[ID_SIZE];
    uint64_t begun;              /* in nanoseconds, for the metrics */
    bool is_new;                 /* it makes the table */
    unsigned tries;              /* how often the table had a newer revision than expected */
    bool verified;               /* it was applied to a table that was read after the request arrived; for a new table:
                                    room was made for it */
    struct change_request request;
    struct change_effects *effects;          /* set once it is the change's turn */
};

/* A change that a client or the clock asks for; the caller fills in the request. NULL without memory. */
struct change *change_new(struct table *table, enum error (*apply)(struct change *change, struct problem *problem));
void change_free(struct change *change);     /* one that was not submitted; NULL is fine */
/* `asker` (may be NULL) is the requester's list of changes, for changes_abandon. */
void change_submit(struct change *change, struct change **asker, const char *id);
void changes_continue(struct table *table);  /* after the table was held (`busy`) for another reason than its changes */
/* The requester has gone: its changes continue without an answer. */
void changes_abandon(struct change **asker);

/*
 * The changes of a table. Each looks at the request and fills in the effects, whose `after` is a copy of the table's
 * state. An error means that nothing changes; problem may contain details.
 */
/* seats.c */
enum error apply_sit(struct change *, struct problem *), apply_leave(struct change *, struct problem *),
    apply_return(struct change *, struct problem *), apply_fill(struct change *, struct problem *),
    apply_standin(struct change *, struct problem *), apply_close(struct change *, struct problem *),
    apply_arrange(struct change *, struct problem *), apply_hint(struct change *, struct problem *),
    apply_name(struct change *, struct problem *), apply_daily(struct change *, struct problem *),
    apply_forget(struct change *, struct problem *), apply_notify(struct change *, struct problem *);
/* table_make.c: changes nothing; its answer follows when the changes before it are stored. */
enum error apply_new(struct change *, struct problem *);
/* react.c: changes nothing either; who sits at the table is decided after the changes before it. */
enum error apply_react(struct change *, struct problem *);
/* turns.c */
enum error apply_choose(struct change *, struct problem *), apply_retract(struct change *, struct problem *);

/* For these changes: the sink of the game, which appends its lines to the effects (PYR_ERR_TEXT_FULL: no memory); and
 * functions that note what has changed, so that it is stored and sent. */
struct pyr_sink change_sink(struct change *change);
enum error change_note_game(struct change *change);        /* the game took a choice, and perhaps continued */
void change_note_table(struct change *change);             /* seats, or anything else in the configuration */
void change_note_choice(struct change *change, pyr_seat seat, const char *text);   /* of a person; "": taken back */

/* Ids of messages that took effect are remembered, so that sending them again is harmless. Their hashes are keyed with
 * the table's secret: every server computes the same hashes, and no client can construct a collision. */
bool seat_knows(const struct table *table, const struct seat *seat, const char *id);
void seat_remember(const struct table *table, struct seat *seat, const char *id);
/* Submits the choice of a seat's bot; its steps are in the request. */
void change_submit_bot(struct table *table, pyr_seat seat, uint32_t phase, const pyr_step *step, unsigned steps);
/* A person plays for themselves again; the stand-in stops. */
void seat_come_back(struct change *change, pyr_seat seat);

/* The log of a table. Reserves room for further lines: false without memory, and nothing has changed. After that they can
 * be added. */
bool table_log_reserve(struct table_log *lines, const char *text, size_t size);
void table_log_add(struct table_log *lines, const char *text, size_t size);

#endif
