/*
 * table.h: what a table is (table.c, table_make.c, table_read.c, rematch.c, turns.c, config.c). How it changes is in
 * change.h. A table knows no connections: those who follow it are observers.
 */
#ifndef PYR_SERVER_TABLE_H
#define PYR_SERVER_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <pyramids/bots.h>
#include <pyramids/daily.h>
#include <pyramids/fair.h>
#include <pyramids/game.h>

#include "error.h"
#include "limit.h"
#include "map.h"
#include "schedule.h"
#include "store.h"
#include "visitor.h"

#define CODE_SIZE 8              /* letters of a table's code */
#define KEY_SIZE 22              /* letters of a seat's key */
#define ID_SIZE 37               /* a message's id with its end */
#define GONE_NAME "A player"     /* in games of someone who has removed their data */
#define STANDIN "club"           /* the bot that plays for someone who is away */
#define REACTIONS 6              /* symbols that there are */
#define REACTIONS_KEPT 8         /* that a slow client may still be sent */
#define PRESENT (PYR_MAX_SEATS + 1)      /* whose presence is tracked: players and the host */
#define HOST_GONE_MS 120000      /* after so long without the host any player may ask for a stand-in */

struct change;
struct server;
struct table;
struct bot_job;

/* Free for anyone; kept for a friend, by key or by number; a bot's; taken by a person. */
enum seat_kind { SEAT_OPEN, SEAT_FRIEND, SEAT_BOT, SEAT_PERSON };
/* How long a choice may take: no limit, --relaxed, --quick. */
enum clock_kind { CLOCK_NONE, CLOCK_RELAXED, CLOCK_QUICK };

/* One seat, with what is stored of it. */
struct seat {
    uint8_t kind;                /* enum seat_kind */
    uint8_t kind_if_free;        /* what a SEAT_PERSON's seat was: open, or kept for a friend */
    bool away;                   /* a bot plays for this person */
    bool notify;                 /* this person wants messages when they are not here (reminder.h) */
    uint8_t next_id;             /* where the next id goes */
    const struct pyr_bot *bot;   /* of SEAT_BOT */
    int64_t visitor;             /* of SEAT_PERSON, and of a SEAT_FRIEND kept for someone known; 0 none */
    char name[NAME_SIZE];
    char sit[ID_SIZE];           /* id of the message by which a SEAT_PERSON sat down */
    uint8_t key[TOKEN_SIZE];     /* SHA-256 of a friend's key; zero: kept for `visitor` */
    uint64_t ids[STORE_IDS];     /* hashes of the last messages that took effect (seat_remember) */
    uint16_t hints;              /* how many this person has used in the game */
    struct {                     /* earlier games of the series, of who sits here */
        uint16_t wins;           /* in twelfths: a win may be shared by 2, 3 or 4 */
        int16_t points;
    } series;
};

/* What is played at a table, and how. The host may change it until another player sits down. */
struct table_terms {
    const struct pyr_edition *edition;
    bool is_public;
    bool hints;                  /* players may use them, and everyone sees who did */
    uint8_t clock;               /* enum clock_kind */
};

/* The daily expedition that a table is an attempt at. It never changes. */
struct table_daily {
    int32_t day;                 /* since 1970 (pyramids/daily.h); 0: it is none */
    uint32_t number;
    bool is_counted;
};

/* What a change of a table replaces, all at once. */
struct table_state {
    struct table_terms terms;
    uint8_t stage;               /* enum store_state */
    uint8_t seats;
    int64_t changed;             /* seconds since 1970: the last choice, seat taken, or other change */
    struct seat seat[PYR_MAX_SEATS];
    struct pyr_fair fair;
    struct pyr_game game;        /* once it runs; of a finished one from the database only that it is over */
    uint8_t stored;              /* bits: seats whose choice in this phase is in the database. Those of bots are not,
                                  * but that of a person who has left since is. */
    char rematch[CODE_SIZE + 1];
    uint8_t winners;             /* bits, once it is over */
    uint8_t series;              /* games that were played before this one, each a rematch of the last */
    int16_t points[PYR_MAX_SEATS];
};

/* The log of a table in memory, owned by the table: all lines one after the other, and where each begins. */
struct table_log {
    char *text;
    uint16_t *start;             /* in bytes; count + 1 of them, once there is a line */
    uint32_t count;
};

/* A choice that a bot has to make: at most one a seat, so a long queue costs no more than the tables themselves. */
struct ask {
    struct schedule_job job;     /* first */
    struct table *table;
    const struct pyr_bot *bot;
    const struct pyr_edition *edition;
    bool thinking;               /* a thread has it */
};

/*
 * Someone who follows a table. The owner (a connection) embeds it and fills in all but the links and the table; the table
 * calls `changed` whenever there may be something to tell, and makes `table` NULL when it goes.
 */
struct table_observer {
    struct table_observer *next, **link;
    struct table *table;         /* NULL: follows none */
    int64_t visitor;             /* who it is; 0: unknown */
    uint64_t address;            /* key of the address that it is at; 0: not known */
    void (*changed)(struct table_observer *observer);
};

/* A table in memory. Used by the loop's thread only; threads get copies (struct bot_job, struct fetch). */
struct table {
    struct map_node node;        /* by code */
    struct table *next, **link;  /* all tables in memory */
    struct server *server;
    int64_t id;
    char code[CODE_SIZE + 1];
    int64_t host, created;
    struct address *address;     /* from where it was made, while it is open; NULL: before the last start */
    struct table_daily daily;
    struct table_state now;
    struct table_log log;
    int64_t revision;            /* of the database that `now` and `log` are; 0: not stored yet */
    int64_t due;                 /* as stored: from when a server has to look at it (table_due) */
    int64_t keeper;              /* as stored: the server that runs its bots and clock; 0: any */
    int64_t newest;              /* the newest revision that another server has announced */
    struct table_news *news;     /* what it announced of those after `revision`, the oldest first */
    int64_t ahead;               /* the last revision in which a choice from here joined others that are not known yet */
    uint8_t ahead_seats;         /* whose choices: `now` has them, although it is older than `ahead` */
    bool untold;                 /* the last change was not announced, since no other server had the table */
    struct table_observer *observers;
    struct change *changes;      /* waiting; the first is being stored while `busy` */
    struct change **last_change;
    bool busy;                   /* the first change is being stored or waits for room, or the table is being read again */
    bool gone;                   /* to be freed once nothing is under way */
    unsigned jobs;               /* thinking bots and reads that refer to this table */
    struct ask ask[PYR_MAX_SEATS];
    uint64_t owner;              /* key of the address that its bots' load is counted for; 0: not known yet */
    uint32_t version;            /* grows with every change of what `table` messages tell */
    uint32_t ready;              /* the same for `ready` messages */
    uint64_t deadline;           /* of the phase, in milliseconds; 0: no clock */
    uint64_t spent;              /* milliseconds of the phase that had passed when the server went down */
    uint64_t idle;               /* since when there is no observer, in milliseconds */
    /* When a person's last connection ended, in milliseconds. By visitor, not by seat: seats move (apply_arrange). */
    struct { int64_t visitor; uint64_t at; } left[PYR_MAX_SEATS];
    uint64_t host_left;          /* the same of the host; if there was none, when the table came into memory */
    struct {                     /* on a database that several servers share (presence.c) */
        int64_t shown[PRESENT];  /* who is stored as connected here */
        unsigned shown_count;
        struct store_present other[STORE_PRESENT];     /* who is connected to other servers, as last read */
        bool is_alive[STORE_PRESENT];        /* that server is there */
        unsigned count;
        bool writes, reads, reads_again;     /* a job is under way */
        bool is_stale;           /* what this server has stored may have been dropped */
        uint32_t known;          /* server->listens when `other` was asked for; 0: it was not */
        struct store_present player[PYR_MAX_SEATS];      /* who plays over a connection to another server; visitor 0: none */
    } presence;
    bool analysing;
    int64_t asker;               /* while it is made: as in struct table_request */
    struct { uint64_t messages,
        bytes; uint32_t lines; } unreported;     /* sent since the log had `lines` lines (table_report) */
    struct {                     /* quick reactions (react.c) */
        struct { uint64_t at; uint32_t turn; uint8_t count; } seat[PYR_MAX_SEATS];     /* the last; its turn, how many */
        struct { uint8_t seat, symbol; } last[REACTIONS_KEPT];     /* number n is in n % REACTIONS_KEPT */
        uint32_t count;
    } react;
    char rematch_pending[CODE_SIZE + 1];     /* a rematch that was begun and may not be stored yet; "" none */
};

struct table_request {           /* what a table is to be */
    unsigned seats;
    struct seat seat[PYR_MAX_SEATS];
    struct table_terms terms;
    struct address *address;     /* from where it is made; NULL: not counted */
    const char *id;              /* by which the same visitor gets this table again instead of another one; "" none */
    int64_t asker;               /* for whom that id counts; 0: the host */
    struct table_daily daily;    /* then all seats are taken, the game begins at once, and its secret is this: */
    const uint8_t *secret;
    uint8_t series;              /* games before this one */
};
/* table_make.c: a new table; friends' seats without a visitor get keys. `answer` is called once it is stored, or has failed
 * (then the table is gone). ERROR_TOO_MANY, ERROR_TOO_FAST, ERROR_STORAGE at once. */
enum error table_create(struct server *server, struct visitor *host, const struct table_request *request,
    void (*answer)(struct change *change, enum error error), void *context, struct table **table);
/* The change that makes the table continues once an abandoned table has been closed for it; false: there is none. */
bool table_wait_for_room(struct table *waiting);
/* The key of a friend's seat: it follows from the table's secret, so that it need not be stored. */
void table_key(const struct table *table, unsigned seat, char key[KEY_SIZE + 1]);
/* An empty one that is found by its code from now on; NULL without memory. */
struct table *table_new(struct server *server, const char *code);
void table_draw_code(const struct server *server, char code[CODE_SIZE + 1]);       /* one that no table in memory has */
struct table *table_find(const struct server *server, const char *code);
bool table_is_code(const char *code);
/* A code as people type it: small letters, blanks and dashes in between. `size` letters into `to`, with an end; false if
 * it is not one. */
bool code_read(const char *text, char *to, size_t size);
/* table_read.c: a table from the database. NULL if it makes no sense or without memory. */
struct table *table_restore(struct server *server, const struct store_table *stored, const char *text, size_t size,
    const struct store_choice *choices, unsigned count);
/* The same for a table that is not in memory: `done` is called later, from the loop. NULL without memory.
 * table_is_code(code). */
struct fetch {
    struct store_job job;
    struct server *server;
    void (*done)(struct fetch *fetch, struct table *table, enum error error);
    void (*then)(struct table *table, enum error error);   /* of table_refresh */
    void *context;               /* NULL: the requester is gone */
    bool is_current;             /* once it is done: the table is as the database has it */
    struct fetch *next, **link;  /* of table_fetch, on a shared database: the list of those under way */
    int64_t newest;              /* revision that was announced meanwhile */
    bool has_presence;           /* and a change of presence */
    char code[CODE_SIZE + 1];
    struct store_table row;
    char *config, *text;
    size_t size;
    struct store_choice choices[STORE_SEATS];
    unsigned count;
    struct store_present present[STORE_PRESENT];     /* not of table_refresh */
    unsigned presents;
    uint32_t known;              /* server->listens when it was asked for */
};
struct fetch *table_fetch(struct server *server, const char *code,
    void (*done)(struct fetch *fetch, struct table *table, enum error error), void *context);
/* News of a table that is not in memory: those that read it just now may have read it before. */
void table_fetch_note_news(struct server *server, const char *code, int64_t revision, bool is_presence);
/* The same for several: `done` once all that exist are in memory, perhaps at once. */
void tables_fetch(struct server *server, char (*codes)[16], unsigned count, void (*done)(void *context, enum error error),
    void *context);
/*
 * Reads the table again, since another server has changed it in the database: what is new there takes the place of what is
 * in memory, and the observers are notified. Choices of bots that are not stored are kept if their phase continues. Changes
 * wait until `done`, which is not called if the table is forgotten meanwhile. False without memory.
 */
bool table_refresh(struct table *table, void (*done)(struct table *table, enum error error));
/* Another server has announced this revision: if it is newer, the table is changed by what was announced (`more`, may be
 * NULL) or read again, or forgotten if it is not needed. */
void table_note_news(struct table *table, int64_t revision, const char *more);
void table_drop_news(struct table *table);   /* of revisions that it has; all when it goes */
bool table_is_kept_here(const struct table *table);        /* bots and clock are this server's to see to */
/* From when a server has to look at a table in this state, in seconds since 1970: bots that have to choose, a clock that
 * runs out, a game that is given up. 0: never. new_phase: lines are added. */
int64_t table_due(const struct table *table, const struct table_state *state, bool new_phase);
/* The same for a table without observers whose bots have nothing to do before a player connects. */
int64_t table_due_at_rest(const struct table *table, const struct table_state *state);
void table_wake(struct table *table);        /* sets clock and bots to work */
/* For change.c and table_read.c, which take over what other servers have done. Reads new lines into a running game whose
 * true order is known; false: they do not continue it, and the state must not be used. Choices are forgotten. */
bool table_advance_game(struct table_state *state, const char *text, size_t size);
uint64_t table_spent(const struct table *table, int64_t since);        /* milliseconds of a clock that began then */
void table_keep_bots_choices(struct table *table, const struct pyr_game *before);
bool seat_is_bots(const struct seat *seat);  /* a bot's, or that of a person who is away */
bool table_release(struct table *table);     /* one of `jobs` has ended; false: the table was waiting for that and is gone */
void table_tick(struct table *table);        /* clocks, idle tables */
void table_forget(struct table *table);      /* frees it, now or once nothing refers to it */
void table_count_out(struct table *table);   /* it is no longer one of the open tables */
void table_leave_address(struct table *table);             /* it no longer counts for the address that made it */
/* What is left in memory of an open table that was made from here: the address that it counts for. */
struct stake {
    struct map_node node;        /* by code */
    char code[CODE_SIZE + 1];
    bool waits;                  /* for players */
    struct address *address;     /* held */
    uint64_t idle;               /* since when there is no observer, in milliseconds */
};
void table_take_stake(struct table *table);  /* it is in memory again, and counts itself; its stake is freed */
bool table_drop(struct table *table);        /* an idle one leaves the memory; false: not now */
void tables_finish(struct server *server);   /* all of them */
void table_report(struct table *table);      /* adds what was sent to the counters */
void table_observe(struct table *table, struct table_observer *observer);
void table_unobserve(struct table_observer *observer);     /* follows no table afterwards */
void table_notify(struct table *table);      /* calls every observer */
void table_presence_changed(struct table *table);          /* who is here, or plays over which connection */

/* react.c: a person at the table shows a symbol to everyone there, at every server; ERROR_TOO_FAST: too often. And one that
 * another server has announced (`number`). */
extern const char *const reaction_names[REACTIONS];
enum error table_react(struct table *table, int64_t visitor, unsigned symbol);
void table_note_reaction(struct table *table, int64_t number);

/* presence.c: the other servers' part of who is here. */
bool presence_has(const struct table *table, int64_t visitor);         /* connected to another server */
void presence_update(struct table *table);   /* stores who is connected here, if that has changed */
void presence_read(struct table *table);     /* asks who is connected to the others */
/* The answer; known: server->listens when it was asked for. */
void presence_take(struct table *table, const struct store_present *present, unsigned count, uint32_t known);
/* No other server has the table in memory, so none has to be notified. If one does, presence_tell notifies it. */
bool presence_is_alone(const struct table *table);
void presence_tell(struct table *table);
/* A player's seat is played over a later connection to another server: whether; here again; there. */
bool presence_plays_elsewhere(const struct table *table, int64_t visitor);
bool presence_was_taken(const struct table *table, int64_t visitor); /* over another server, connected there or not */
void presence_play_here(struct table *table, int64_t visitor);
void presence_play_elsewhere(struct table *table, int64_t visitor, int64_t node);
void presence_judge_all(struct server *server);            /* another server is there, or no longer */
void presence_leave(struct table *table);    /* the table leaves the memory */

pyr_seat table_seat_of(const struct table *table, int64_t visitor);      /* PYR_SPECTATOR: none */
/* It is public, or theirs: its code need not be guessed. */
bool table_is_known_to(const struct table *table, const struct visitor *visitor);
unsigned table_waiting(const struct table *table);         /* seats that have to choose, as bits */
/* turns.c: whether a seat's person has to choose in this state, and other people play along. Bots never wait for people. */
bool state_waits_for(const struct table_state *state, unsigned seat);
/* Whether a choice may take long enough for messages to absent players: there is no clock, or a long one. */
bool table_is_slow(const struct table *table, const struct table_state *state);
bool table_is_here(const struct table *table, unsigned seat);
void table_note_left(struct table *table, int64_t visitor);
uint64_t table_left(const struct table *table, unsigned seat);     /* when the person there left, in ms; 0: not known */
bool table_is_awaited(const struct table *table);          /* a person who plays here is connected and waits for its bots */
bool table_has_host(const struct table *table);            /* its host is connected */
struct pyr_word table_line(const struct table *table, uint32_t line);    /* without its end */
/* The choice of a seat as text, "" if it has not confirmed one. */
void table_choice(const struct table *table, pyr_seat seat, char *to, size_t size);
json_t *table_json(const struct table *table, const struct visitor *visitor);
/* rematch.c: the same people at a new table, the same one however many ask and at whichever server. `id` is the request by
 * which the database recognises it; it counts for *asker, not the one who asks. */
enum error table_may_rematch(const struct table *table, const struct visitor *visitor, int64_t *asker);
enum error table_rematch(struct table *table, struct visitor *visitor, struct address *address, const char *id,
    void (*answer)(struct change *change, enum error error), void *context);


/* config.c: the JSON text of a table's configuration, and back. The text is the caller's to free. */
char *config_write(const struct table *table, const struct table_state *state);
bool config_read(struct table *table, const char *text);

/* The turn of a bot has come: what it is to think about; NULL if nothing. And it has chosen. (turns.c, for pool.c) */
struct bot_job *table_begin_bot_job(struct ask *ask);
void table_bot_job_done(struct bot_job *bot_job);

#endif
