/*
 * table.h: what a table is (table.c, table_make.c, table_read.c, rematch.c, turns.c, config.c). How it changes is in
 * change.h. A table does not depend on connections: those that follow it are observers.
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
#include <pyramids/remote.h>

#include "error.h"
#include "limit.h"
#include "map.h"
#include "schedule.h"
#include "store.h"
#include "visitor.h"

#define CODE_SIZE 8              /* letters of a table's code */
#define KEY_SIZE 22              /* letters of a seat's key */
#define ID_SIZE 37               /* a message's id with its end */
#define GONE_NAME "A player"     /* shown in games instead of the name of a player whose data was removed */
#define STANDIN "club"           /* the bot that plays for a player who is away */
#define REACTIONS_KEPT 8         /* kept for clients that are slow to receive them */
#define PRESENT (PYR_MAX_SEATS + 1)      /* whose presence is tracked: players and the host */

struct change;
struct server;
struct table;
struct bot_job;

/* Free for anyone; kept for a friend, by key or by number; a bot's; taken by a person. */
enum seat_kind { SEAT_OPEN, SEAT_FRIEND, SEAT_BOT, SEAT_PERSON };
/* How long a choice may take: no limit, --relaxed, --quick. */
enum clock_kind { CLOCK_NONE, CLOCK_RELAXED, CLOCK_QUICK };

/* One seat, and what is stored about it. */
struct seat {
    uint8_t kind;                /* enum seat_kind */
    uint8_t kind_if_free;        /* what a SEAT_PERSON's seat was before: open, or kept for a friend */
    bool away;                   /* a bot plays for this person */
    bool notify;                 /* this person wants messages while not connected (reminder.h) */
    uint8_t next_id;             /* index of the next id */
    const struct pyr_bot *bot;   /* of SEAT_BOT */
    int64_t visitor;             /* of SEAT_PERSON, and of a SEAT_FRIEND kept for a known visitor; 0 none */
    char name[NAME_SIZE];
    char sit[ID_SIZE];           /* id of the message by which a SEAT_PERSON sat down */
    uint8_t key[TOKEN_SIZE];     /* SHA-256 of a friend's key; zero: kept for `visitor` */
    uint64_t ids[STORE_IDS];     /* hashes of the last messages that took effect (seat_remember) */
    uint16_t hints;              /* how many this person has used in the game */
    struct {                     /* earlier games of the series, of the player who has this seat now */
        uint16_t wins;           /* in twelfths: a win may be shared by 2, 3 or 4 */
        int16_t points;
    } series;
};

/* What is played at a table, and how. The host may change it until another player takes a seat. */
struct table_terms {
    const struct pyr_edition *edition;
    bool is_public;
    bool hints;                  /* players may use hints; everyone sees who did */
    uint8_t clock;               /* enum clock_kind */
};

/* The daily expedition whose attempt this table is. It never changes. */
struct table_daily {
    int32_t day;                 /* since 1970 (pyramids/daily.h); 0: it is none */
    uint32_t number;
    bool is_counted;
};

/* Everything that a change of a table replaces, all at once. */
struct table_state {
    struct table_terms terms;
    uint8_t stage;               /* enum store_state */
    uint8_t seats;
    int64_t changed;             /* seconds since 1970: the last choice, seat taken, or other change */
    struct seat seat[PYR_MAX_SEATS];
    struct pyr_fair fair;
    struct pyr_game game;        /* set while the game runs; for a finished one from the database, only that it is over */
    uint8_t stored;              /* bits: seats whose choice in this phase is in the database. Bots' choices are not, but
                                  * those of a person who has left since are. */
    char rematch[CODE_SIZE + 1];
    uint8_t winners;             /* bits, set when the game is over */
    uint8_t series;              /* games that were played before this one; each was a rematch of the one before */
    int16_t points[PYR_MAX_SEATS];
};

/* The log of a table in memory, owned by the table: all lines in one text, and where each begins. */
struct table_log {
    char *text;
    uint16_t *start;             /* in bytes; count + 1 of them, once there is a line */
    uint32_t count;
};

/* A choice that a bot has to make: at most one per seat, so even a long queue takes little memory. */
struct ask {
    struct schedule_job job;     /* first */
    struct table *table;
    const struct pyr_bot *bot;
    const struct pyr_edition *edition;
    bool thinking;               /* a thread is working on it */
};

/*
 * A follower of a table. The owner (a connection) embeds it and fills in everything but the links and the table; the
 * table calls `changed` whenever there may be something to send, and sets `table` to NULL when it goes away.
 */
struct table_observer {
    struct table_observer *next, **link;
    struct table *table;         /* NULL: follows none */
    int64_t visitor;             /* 0: unknown */
    uint64_t address;            /* key of its address; 0: not known */
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
    struct address *address;     /* the address that made it, while it is open; NULL: it was made before the server
                                    started */
    struct table_daily daily;
    struct table_state now;
    struct table_log log;
    int64_t revision;            /* the revision in the database that `now` and `log` correspond to; 0: not stored yet */
    int64_t due;                 /* as stored: when a server has to look at it (table_due) */
    int64_t keeper;              /* as stored: the server that runs its bots and clock; 0: any */
    int64_t newest;              /* the newest revision that another server has announced */
    struct table_news *news;     /* what it announced about those after `revision`, the oldest first */
    int64_t ahead;               /* the last revision in which a choice made here was stored after choices of others that
                                    are not known here yet */
    uint8_t ahead_seats;         /* the seats of those choices: `now` has them, although it is older than `ahead` */
    bool untold;                 /* the last change was not announced, since no other server had the table in memory */
    struct table_observer *observers;
    struct change *changes;      /* waiting; the first is being stored while `busy` */
    struct change **last_change;
    bool busy;                   /* the first change is being stored or waits for room, or the table is being read again */
    bool gone;                   /* to be freed once no job refers to it */
    unsigned jobs;               /* bots' choices and reads under way that refer to this table */
    struct ask ask[PYR_MAX_SEATS];
    uint64_t owner;              /* key of the address that is charged for its bots; 0: not known yet */
    uint32_t version;            /* grows with every change of what `table` messages contain */
    uint32_t ready;              /* the same for `ready` messages */
    uint64_t deadline;           /* of the phase, in milliseconds; 0: no clock */
    uint64_t spent;              /* milliseconds of the phase that had passed when the server went down */
    uint64_t idle;               /* since when there has been no observer, in milliseconds */
    /* When a person's last connection ended, in milliseconds. By visitor, not by seat: seats move (apply_arrange). */
    struct { int64_t visitor; uint64_t at; } left[PYR_MAX_SEATS];
    uint64_t host_left;          /* the same for the host; if there was none, when the table was read into memory */
    struct {                     /* on a database that several servers share (presence.c) */
        int64_t shown[PRESENT];  /* who is stored as connected here */
        unsigned shown_count;
        struct store_present other[STORE_PRESENT];     /* who is connected to other servers, as last read */
        bool is_alive[STORE_PRESENT];        /* that server is running */
        unsigned count;
        bool writes, reads, reads_again;     /* jobs that are running */
        bool is_stale;           /* this server's stored list may have been dropped */
        uint32_t known;          /* server->listens when `other` was requested; 0: never */
        struct store_present player[PYR_MAX_SEATS];      /* who plays over a connection to another server; visitor 0: no
                                                            one */
    } presence;
    bool analysing;
    int64_t asker;               /* while the table is being made: as in struct table_request */
    struct { uint64_t messages,
        bytes; uint32_t lines; } unreported;     /* sent since the log had `lines` lines (table_report) */
    struct {                     /* quick reactions (react.c) */
        struct { uint64_t at; uint32_t turn; uint8_t count; } seat[PYR_MAX_SEATS];     /* the turn of the last one; how
                                                                                          many in that turn */
        struct { uint8_t seat, symbol; } last[REACTIONS_KEPT];     /* number n is at index n % REACTIONS_KEPT */
        uint32_t count;
    } react;
    char rematch_pending[CODE_SIZE + 1];     /* a rematch that was begun and may not be stored yet; "": none */
};

struct table_request {           /* How to make a table. */
    unsigned seats;
    struct seat seat[PYR_MAX_SEATS];
    struct table_terms terms;
    struct address *address;     /* the address it counts for; NULL: not counted */
    const char *id;              /* if the same visitor repeats it, they get this table again instead of another one; ""
                                    none */
    int64_t asker;               /* the visitor of that id; 0: the host */
    struct table_daily daily;    /* if set, all seats are taken, the game begins at once, and this is its secret: */
    const uint8_t *secret;
    bool gives_up;               /* the host's attempt that counts, which has not begun */
    uint8_t series;              /* games before this one */
};
/* table_make.c: a new table; friends' seats without a visitor get keys. `answer` is called once it is stored, or has
 * failed (then the table is freed). ERROR_TOO_MANY, ERROR_TOO_FAST, ERROR_STORAGE at once. */
enum error table_create(struct server *server, struct visitor *host, const struct table_request *request,
    void (*answer)(struct change *change, enum error error), void *context, struct table **table);
/* The change that makes the table continues once an abandoned table has been closed to make room; false: there is none. */
bool table_wait_for_room(struct table *waiting);
/* The key of a friend's seat. It is computed from the table's secret, so it need not be stored. */
void table_key(const struct table *table, unsigned seat, char key[KEY_SIZE + 1]);
/* Makes an empty table that can be found by its code; NULL without memory. */
struct table *table_new(struct server *server, const char *code);
void table_draw_code(const struct server *server, char code[CODE_SIZE + 1]);       /* draws one that no table in memory
                                                                                      has */
struct table *table_find(const struct server *server, const char *code);
bool table_is_code(const char *code);
/* A code as people type it: small letters, blanks and dashes in between. `size` letters into `to`, with an end; false if
 * it is not one. */
bool code_read(const char *text, char *to, size_t size);

/* Draws a code of so many letters of the same alphabet, for which `to` has room. */
void code_draw(char *to, size_t length);
/* table_read.c: makes a table from the database. NULL if the data is invalid or without memory. */
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
    bool is_current;             /* set when it is done: the table is as in the database */
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
    uint32_t known;              /* server->listens when the fetch was started */
};
struct fetch *table_fetch(struct server *server, const char *code,
    void (*done)(struct fetch *fetch, struct table *table, enum error error), void *context);
/* Notes news about a table that is not in memory: a fetch under way may have read it before the news. */
void table_fetch_note_news(struct server *server, const char *code, int64_t revision, bool is_presence);
/* The same for several: `done` once all that exist are in memory, perhaps at once. */
void tables_fetch(struct server *server, char (*codes)[16], unsigned count, void (*done)(void *context, enum error error),
    void *context);
/*
 * Reads the table again after another server has changed it in the database: new data replaces what is in memory, and
 * the observers are notified. Choices of bots that are not stored are kept if their phase continues. Changes wait
 * until `done`, which is not called if the table is forgotten meanwhile. False without memory.
 */
bool table_refresh(struct table *table, void (*done)(struct table *table, enum error error));
/* Another server has announced this revision: if it is newer, the table is changed by what was announced (`more`, may be
 * NULL) or read again, or forgotten if it is not needed. */
void table_note_news(struct table *table, int64_t revision, const char *more);
void table_drop_news(struct table *table);   /* of revisions that the table has; all when it is freed */
bool table_is_kept_here(const struct table *table);        /* this server runs its bots and clock */
/* When a server next has to look at a table in this state, in seconds since 1970: bots that have to choose, a clock that
 * runs out, a game that is given up. 0: never. new_phase: lines are being added. */
int64_t table_due(const struct table *table, const struct table_state *state, bool new_phase);
/* The same for a table without observers whose bots have nothing to do until a player connects. */
int64_t table_due_at_rest(const struct table *table, const struct table_state *state);
void table_wake(struct table *table);        /* starts clock and bots as needed */
/* For change.c and table_read.c, which apply what other servers have done. Reads new lines into a running game whose true
 * order is known; false: they do not continue it, and the state must not be used. Choices are dropped. */
bool table_advance_game(struct table_state *state, const char *text, size_t size);
uint64_t table_spent(const struct table *table, int64_t since);        /* milliseconds of a clock that began then */
void table_keep_bots_choices(struct table *table, const struct pyr_game *before);
bool seat_is_bots(const struct seat *seat);  /* a bot's seat, or that of a person who is away */
bool table_release(struct table *table);     /* one of `jobs` has ended; false: the table was only waiting for that and
                                                has been freed */
void table_tick(struct table *table);        /* clocks, idle tables */
void table_forget(struct table *table);      /* frees it, now or once nothing refers to it */
void table_count_out(struct table *table);   /* it no longer counts as one of the open tables */
void table_leave_address(struct table *table);             /* it no longer counts for the address that made it */
/* What stays in memory of an open table that was made from here: the address that it counts for. */
struct stake {
    struct map_node node;        /* by code */
    char code[CODE_SIZE + 1];
    bool waits;                  /* it is waiting for players */
    struct address *address;     /* held */
    uint64_t idle;               /* since when there has been no observer, in milliseconds */
};
void table_take_stake(struct table *table);  /* the table is in memory again and counts itself; frees its stake */
bool table_drop(struct table *table);        /* removes an idle table from memory; false: not possible now */
void tables_finish(struct server *server);   /* all of them */
void table_report(struct table *table);      /* adds what was sent to the metrics */
void table_observe(struct table *table, struct table_observer *observer);
void table_unobserve(struct table_observer *observer);     /* afterwards it follows no table */
void table_notify(struct table *table);      /* calls every observer */
void table_presence_changed(struct table *table);          /* who is connected, or plays over which connection */

/* react.c: a person at the table shows a symbol to everyone there, at every server; ERROR_TOO_FAST: too often. And one that
 * another server has announced (`number`). */
extern const char *const reaction_names[PYR_REACTIONS];
enum error table_react(struct table *table, int64_t visitor, unsigned symbol);
void table_note_reaction(struct table *table, int64_t number);

/* presence.c: who is connected to other servers. */
bool presence_has(const struct table *table, int64_t visitor);         /* connected to another server */
void presence_update(struct table *table);   /* stores who is connected here, if that has changed */
void presence_read(struct table *table);     /* reads who is connected to the others */
/* Takes the result; known: server->listens when it was requested. */
void presence_take(struct table *table, const struct store_present *present, unsigned count, uint32_t known);
/* Whether no other server has the table in memory, so that none has to be notified. A server that loads it is notified by
 * presence_tell. */
bool presence_is_alone(const struct table *table);
void presence_tell(struct table *table);
/* A player's seat is played over a later connection to another server: whether that is so; it is played here again; it is
 * played there. */
bool presence_plays_elsewhere(const struct table *table, int64_t visitor);
bool presence_was_taken(const struct table *table, int64_t visitor); /* over another server, whether they are connected
                                                                        there or not */
void presence_play_here(struct table *table, int64_t visitor);
void presence_play_elsewhere(struct table *table, int64_t visitor, int64_t node);
void presence_judge_all(struct server *server);            /* another server has started or stopped */
void presence_leave(struct table *table);    /* the table leaves the memory */

pyr_seat table_seat_of(const struct table *table, int64_t visitor);      /* PYR_SPECTATOR: none */
/* Whether the table is public, or this visitor's, so that its code need not be guessed. */
bool table_is_known_to(const struct table *table, const struct visitor *visitor);
unsigned table_waiting(const struct table *table);         /* seats that have to choose, as bits */
/* turns.c: whether this seat's person has to choose in this state and other people play too. Bots never wait for people. */
bool state_waits_for(const struct table_state *state, unsigned seat);
/* Whether a choice may take long enough for messages to absent players: there is no clock, or a long one. */
bool table_is_slow(const struct table *table, const struct table_state *state);
bool table_is_here(const struct table *table, unsigned seat);
void table_note_left(struct table *table, int64_t visitor);
uint64_t table_left(const struct table *table, unsigned seat);     /* when the person there left, in ms; 0: not known */
bool table_is_awaited(const struct table *table);          /* a person who plays here is connected and is waiting for its
                                                              bots */
bool table_has_host(const struct table *table);            /* its host is connected */
struct pyr_word table_line(const struct table *table, uint32_t line);    /* without its end */
/* The choice of a seat as text, "" if it has not confirmed one. */
void table_choice(const struct table *table, pyr_seat seat, char *to, size_t size);
json_t *table_json(const struct table *table, const struct visitor *visitor);
/* rematch.c: a new table for the same people; it is the same one however many of them ask, and at whichever server. `id`
 * is the request by which the database recognises it; it belongs to *asker, not to the visitor who asks. */
enum error table_may_rematch(const struct table *table, const struct visitor *visitor, int64_t *asker);
enum error table_rematch(struct table *table, struct visitor *visitor, struct address *address, const char *id,
    void (*answer)(struct change *change, enum error error), void *context);


/* config.c: the JSON text of a table's configuration, and back. The text is the caller's to free. */
char *config_write(const struct table *table, const struct table_state *state);
bool config_read(struct table *table, const char *text);

/* When it is a bot's turn: makes its job; NULL if there is nothing to choose. When it has chosen: takes the choice.
 * (turns.c, for pool.c) */
struct bot_job *table_begin_bot_job(struct ask *ask);
void table_bot_job_done(struct bot_job *bot_job);

#endif
