/*
 * server.h: the server's parts and what they share. One thread, the event loop's, owns everything here; bots think in the threads of
 * pool.c, the database is written by the thread of store.c, and both answer in the loop's thread.
 *
 *   serve.c     starts, ticks, stops; clock.c  the time; log.c  the log; upkeep.c  what is done now and then
 *   edge.c      sockets, with HTTP, WebSocket and TLS of src/wire on top
 *   web.c       connections as requests and messages; http.c  the routes under /api
 *   message.c   the table of WebSocket messages; feed.c  what a connection is told next
 *   table.c     what a table is; change.c  the queue of its changes; seats.c  who sits there; turns.c  choices, bots, clocks
 *   config.c    what is stored of a table apart from its log
 *   pool.c      threads for bots and analyses; schedule.c  whose turn it is; judging.c  analyses
 *   visitor.c   who people are; limit.c  how much an address may do; lobby.c  which tables strangers are shown
 *   access.c    from where a request comes, and whether it asks for one of our names (names.c)
 *   pages.c     the embedded page
 */
#ifndef PYR_SERVER_H
#define PYR_SERVER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include <pyramids/bots.h>
#include <pyramids/fair.h>
#include <pyramids/match.h>
#include <pyramids/text.h>

#include "map.h"
#include "schedule.h"
#include "store.h"

#define MAX_MESSAGE 4096         /* bytes of a message or a request's body */
#define CODE_SIZE 8              /* letters of a table's code */
#define NAME_SIZE 97             /* bytes of a name with its end: 24 characters of at most 4 */
#define NAME_LETTERS 24
#define TOKEN_SIZE 32            /* bytes of a visitor's token, and of its hash */
#define KEY_SIZE 22              /* letters of a seat's key */
#define ID_SIZE 37               /* a message's id with its end */
#define LOBBY_TABLES 100         /* public tables that are shown */
#define HOST_SIZE 256            /* a host's name with its end */
#define ADDRESS_SIZE 52          /* what limits count an address by, with its end */
#define ADDRESS_TEXT 96          /* an address as others write it, with its end */
#define STANDIN "club"           /* the bot that plays for someone who is away */
#define HOST_GONE_MS 120000      /* after so long without the host any player may ask for a stand-in */
#define SIGNALS 3                /* that are handled: SIGTERM, SIGINT, SIGHUP */

struct conn;
struct table;
struct change;
struct pool;

/* How it was started (src/cli/serve.c); strings are the caller's. */
struct server_options {
    const char *address;         /* NULL: none; connections are handed in (tests) */
    unsigned port;               /* 0: any free one */
    bool other_port;             /* if that one is taken, any free one will do */
    const char *database;        /* a path, or ":memory:" */
    const char *tls_cert, *tls_key;          /* both or none */
    const char *metrics_address; /* ADDRESS:PORT where /metrics is served; NULL: nowhere */
    const char *const *origins;  /* further origins of the page, behind a proxy; ended by NULL */
    const struct pyr_edition *editions;
    unsigned edition_count;
    const char *const *edition_texts;
    bool trust_proxy;            /* X-Forwarded-For tells the address, X-Forwarded-Proto whether cookies must be Secure */
    bool open_browser;
    bool quiet;                  /* log only what is wrong */
    unsigned bot_threads;
    unsigned message_rate, request_rate;     /* a second */
    unsigned max_connections, max_per_address, max_tables, max_tables_per_visitor, max_conns_per_visitor;
    unsigned max_tables_per_address, table_rate;      /* open ones; new ones a minute */
    unsigned quick_seconds, relaxed_seconds;
    unsigned ping_seconds;       /* between pings of a socket */
    unsigned keep_analyses, keep_closed, keep_visitors, keep_games;      /* days; 0: for ever */
    const char *ready_file;      /* gets the address once the server listens; for scripts. NULL: none */
};

/* Runs until SIGTERM or SIGINT. Returns the exit code; what is wrong goes to standard error. */
int server_run(const struct server_options *options);

/* The same in parts, for tests that turn the loop (server->loop) themselves. Each start, failed or not, is followed by one finish.
 * server_tick does what is due a few times a second; server_halt cuts all connections and closes everything at once. */
struct server;
bool server_start(struct server *server, const struct server_options *options, char *error, size_t size);
void server_tick(struct server *server);
void server_halt(struct server *server);
void server_finish(struct server *server);

/* Errors that clients are told (docs/protocol.md, section 4): the name on the wire and the HTTP status. */
#define SERVER_ERRORS(X) \
    X(BAD_JSON, "bad_json", 400) X(BAD_MESSAGE, "bad_message", 400) X(UNKNOWN_TYPE, "unknown_type", 400) \
    X(TOO_LONG, "too_long", 413) X(NO_VISITOR, "no_visitor", 401) X(UNKNOWN_VISITOR, "unknown_visitor", 409) \
    X(BAD_COOKIE, "bad_cookie", 400) X(BAD_NAME, "bad_name", 400) X(BAD_CODE, "bad_code", 404) \
    X(ORIGIN, "origin", 403) X(NO_TABLE, "no_table", 404) X(NO_EDITION, "no_edition", 400) X(NOT_OPEN, "not_open", 409) \
    X(NOT_HOST, "not_host", 403) X(NOT_SEATED, "not_seated", 403) X(SEATED, "seated", 409) X(TAKEN, "taken", 409) \
    X(BAD_KEY, "bad_key", 403) X(BEGUN, "begun", 409) X(NOT_RUNNING, "not_running", 409) X(NOT_OVER, "not_over", 409) \
    X(HERE, "here", 409) X(LATE, "late", 409) X(NOT_DUE, "not_due", 409) X(CONFIRMED, "confirmed", 409) \
    X(NO_CHOICE, "no_choice", 409) X(ILLEGAL, "illegal", 400) X(TOO_MANY, "too_many", 429) X(TOO_FAST, "too_fast", 429) \
    X(STORAGE, "storage", 503) X(STOPPING, "stopping", 503) X(NOT_FOUND, "not_found", 404) X(METHOD, "method", 405)

enum error {
    ERROR_NONE,
#define X(name, word, status) ERROR_##name,
    SERVER_ERRORS(X)
#undef X
    ERROR_COUNT
};

const char *error_name(enum error error);
int error_status(enum error error);

/* An error with what a client may want to show about it. */
struct problem {
    enum error error;
    struct pyr_fault fault;      /* of ERROR_ILLEGAL */
    char detail[48];             /* a field's name, a part of the choice; "" none */
};

/* Token buckets and addresses (limit.c). */
struct bucket {
    double level;                /* what may still be spent */
    uint64_t at;                 /* when that was so, in milliseconds */
};

/* Takes one from a bucket that fills by `rate` a second up to `burst`; false if it is empty. A zeroed bucket is full. */
bool bucket_take(struct bucket *bucket, uint64_t now, double rate, double burst);

/* How many tables of one host or address a list has so far (lobby.c): counts for the list with this number. */
struct share {
    uint64_t list;
    unsigned count;
};

/*
 * Someone out there, as limits see them (access_key). Whatever keeps a pointer to one beyond the callback in which it
 * got it (a connection, a socket, a request, an open table) holds a reference; address_sweep frees those that nobody
 * refers to.
 */
struct address {
    struct map_node node;
    char text[ADDRESS_SIZE];
    unsigned references;
    unsigned connections;        /* connections; behind a proxy, where those are shared: sockets and requests under way */
    unsigned tables;             /* open ones that were made from here */
    struct bucket requests, pages, visitors, misses, creations;
    uint64_t used;               /* last time, in milliseconds */
    struct share lobby;
};

/* People (visitor.c). */
struct visitor {
    struct map_node node;        /* by id */
    char name[NAME_SIZE];
    int64_t created, seen;
    unsigned connections, tables;/* tables: open ones with a seat or as host */
    bool forgotten;              /* about to be freed */
    struct conn *conns;          /* sockets */
    struct share lobby;
};

struct token {
    struct map_node node;        /* by the first bytes of the hash */
    uint8_t hash[TOKEN_SIZE];
    struct visitor *visitor;
    int64_t renewed;             /* when its cookie was last given out, in seconds; 0: not since the start */
};

/* What a request shows of who it is from. */
enum identity {
    IDENTITY_NONE,               /* nothing */
    IDENTITY_KNOWN,              /* a visitor of ours */
    IDENTITY_UNKNOWN,            /* a cookie of ours that fits no visitor: perhaps of another database, and worth a seat */
    IDENTITY_UNREADABLE          /* cookies that could not be read */
};

struct device_code {
    struct device_code *next;
    uint8_t hash[TOKEN_SIZE];    /* SHA-256 of its eight letters */
    int64_t visitor;
    int64_t until;               /* seconds since 1970 */
};

/* Tables (table.c). */
enum seat_kind { SEAT_OPEN, SEAT_FRIEND, SEAT_BOT, SEAT_PERSON };
enum clock_kind { CLOCK_NONE, CLOCK_RELAXED, CLOCK_QUICK };

struct seat {
    uint8_t kind;                /* enum seat_kind */
    uint8_t before;              /* what a SEAT_PERSON's seat was: open, or kept for a friend */
    bool away;                   /* a bot plays for this person */
    uint8_t recent;              /* where the next id goes */
    const struct pyr_bot *bot;   /* of SEAT_BOT */
    int64_t visitor;             /* of SEAT_PERSON, and of a SEAT_FRIEND kept for someone known; 0 none */
    char name[NAME_SIZE];
    char sit[ID_SIZE];           /* id of the message by which a SEAT_PERSON sat down */
    uint8_t key[TOKEN_SIZE];     /* SHA-256 of a friend's key; zero: kept for `visitor` */
    uint64_t ids[8];             /* hashes of the last messages that took effect */
};

/* What a change of a table replaces, all at once. */
struct core {
    uint8_t state;               /* enum store_state */
    uint8_t seats;
    int64_t changed;             /* seconds since 1970: the last choice, seat taken, or other change */
    struct seat seat[PYR_MAX_SEATS];
    struct pyr_fair fair;
    struct pyr_game game;        /* once it runs; of one that came back finished only that it is over, which its lines tell */
    char rematch[CODE_SIZE + 1];
    uint8_t winners;             /* bits, once it is over */
    int16_t points[PYR_MAX_SEATS];
};

struct lines {
    char *text;
    uint16_t *start;             /* count + 1 of them, once there is a line */
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
    int64_t visitor;             /* who it is; 0: nobody that we know */
    uint64_t address;            /* key of the address that it is at; 0: not known */
    void (*changed)(struct table_observer *observer);
};

struct table {
    struct map_node node;        /* by code */
    struct table *next, **link;  /* all tables in memory */
    struct server *server;
    int64_t id;
    char code[CODE_SIZE + 1];
    bool is_public;
    uint8_t clock;               /* enum clock_kind */
    const struct pyr_edition *edition;
    int64_t host, created;
    struct address *address;     /* from where it was made, while it is open; NULL: before the last start */
    struct core core;
    struct lines log;
    struct table_observer *observers;
    struct change *changes;      /* waiting; the first is being stored while `busy` */
    struct change **last_change;
    bool busy, gone;             /* gone: to be freed once nothing is under way */
    unsigned jobs;               /* thinking bots and reads that refer to this table */
    struct ask ask[PYR_MAX_SEATS];
    uint64_t owner;              /* key of the address that its bots' load is counted for; 0: not known yet */
    uint32_t version;            /* grows with every change of what `table` messages tell */
    uint32_t ready;              /* the same for `ready` messages */
    uint64_t deadline;           /* of the phase, in milliseconds; 0: no clock */
    uint64_t spent;              /* milliseconds of the phase that had passed when the server went down */
    uint64_t idle;               /* since when there is no observer, in milliseconds */
    uint64_t left[PYR_MAX_SEATS];/* when the last connection of the person at a seat ended, in milliseconds; 0: not known */
    uint64_t host_left;          /* the same of the host; if there was none, when the table came into memory */
    bool analysing;
    struct { uint64_t messages,
        bytes; uint32_t lines; } unreported;     /* sent since the log had so many lines (table_report) */
    char again[CODE_SIZE + 1];   /* a rematch that was begun and may not be in the core yet; "" none */
};

/* The whole server. */
struct server {
    struct server_options options;
    uv_loop_t loop;
    uv_timer_t tick;
    uv_signal_t signals[SIGNALS];
    struct edge *edge;           /* NULL: not listening */
    struct store *store;
    struct pool *pool;
    char origins[8][96];         /* allowed: exactly these */
    unsigned origin_count;
    char names[24][HOST_SIZE];   /* of this machine (access_add_name) */
    unsigned name_count;
    char url[128];
    bool secure, stopping, stopped;
    uint64_t stop_at, leave_at;  /* at the latest; with nothing in hand: of the loop's own clock */
    uint64_t sweep_at;           /* when addresses and codes are next looked through */
    struct store_downtime down[STORE_DOWNTIMES];     /* when there was no server on this database */
    unsigned downs;
    struct {
        uint64_t beat_at, keep_at;           /* when the heartbeat is next stored, and what is old dropped */
        int64_t start;                       /* when the server started; 0 once that is stored */
        bool beating, keeping;               /* it is under way */
    } upkeep;
    uint8_t hash_key[16];
    struct map visitors, tokens, tables, addresses;
    struct table *table_list;
    struct device_code *device_codes;
    int64_t last_visitor, last_table;
    uint64_t last_watch;
    struct {                     /* the last list of public tables (lobby.c) */
        uint64_t list, made;     /* its number; when, in milliseconds */
        unsigned count;
        char code[LOBBY_TABLES][CODE_SIZE + 1];
    } lobby;
    unsigned connections, sockets, open_tables;
    uv_prepare_t writer;
    struct { struct conn *first, **end; } awake;     /* sockets that may lack something */
    struct { struct conn *first, *last; } heard;     /* sockets, the one that was silent for longest first */
    /* Counters, for /metrics. */
    struct {
        uint64_t requests[6];    /* by hundreds of the status */
        uint64_t messages, sent, bytes_sent, choices, errors, refused, games, cut;
        uint64_t told_ms[12];    /* choices by milliseconds until the answer: 1 2 5 10 20 50 100 200 500 1000 5000 more */
        double told_sum;
    } count;
};

/* clock.c: every time in src/server comes from here, so that a test can move it. */
uint64_t server_now(const struct server *server);          /* milliseconds; never goes back; in the loop's thread only */
int64_t server_time(void);                                 /* seconds since 1970 */
void clock_start(const struct server *server);
void clock_tick(const struct server *server);              /* follows a test's clock */
uint64_t server_hash(const struct server *server, const void *data, size_t size);  /* keyed: outsiders cannot steer it */
const struct pyr_edition *server_edition(const struct server *server, const char *name);

/* One line on standard error: time, level, event and further words `name=value` (log.c). Never codes, keys, tokens or names. */
enum log_level { LOG_INFO, LOG_WARN, LOG_ERROR };
bool log_start(void);                        /* from now on a thread writes the lines, and nobody waits for it */
void log_stop(void);
void log_line(enum log_level level, const char *event, const char *rest);  /* from any thread */
uint64_t log_dropped(void);                  /* lines that did not fit into the buffer */
void server_log(const struct server *server, enum log_level level, const char *event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* limit.c */
/* By its text in any form, or by the text itself where that is not an address. NULL without memory. Good until the
 * loop goes on, unless held. */
struct address *address_of(struct server *server, const char *text);
/* NULL is held and released in silence. */
struct address *address_hold(struct address *address);
void address_release(struct address *address);
/* One more connection: held and counted, or false if the address has as many as it may. Ended by address_leave. */
bool address_enter(const struct server *server, struct address *address);
void address_leave(struct address *address);
/* Who tries codes is stopped after a while: false, and no code is looked up for this address. A wrong one is counted by the second. */
bool address_may_guess(const struct server *server, struct address *address);
void address_guessed(const struct server *server, struct address *address);
void address_sweep(struct server *server);
void address_finish(struct server *server);

/* visitor.c */
bool name_clean(const char *name, char to[NAME_SIZE]);     /* false: nothing left, or too long */
struct visitor *visitor_by_id(const struct server *server, int64_t id);
struct visitor *visitor_by_cookie(const struct server *server, const char *cookies);   /* NULL: none, or not known */
/* The same, and what was presented; the token as text for who is known. `cookies` NULL: they could not be read. */
struct visitor *visitor_identify(const struct server *server, const char *cookies, enum identity *identity, char token[2 * TOKEN_SIZE + 1]);
/* Whether the cookie with this token is due to be given out anew, once a day; it counts as done. */
bool visitor_renews(const struct server *server, const char *token);
bool visitor_load(struct server *server, const struct store_visitor *stored);          /* one token of a visitor */
struct visitor *visitor_new(struct server *server, const char *name, char token[2 * TOKEN_SIZE + 1], struct store_visitor *stored);
bool visitor_add_token(struct server *server, struct visitor *visitor, char token[2 * TOKEN_SIZE + 1], uint8_t hash[TOKEN_SIZE]);
void visitor_drop_token(struct server *server, const uint8_t hash[TOKEN_SIZE]);
void visitor_saw(struct server *server, struct visitor *visitor);                      /* is still about */
/* One-time codes for a second device, ABCD-EFGH. The database keeps what is in `made` but `next`; false without memory. */
bool device_code_new(struct server *server, struct visitor *visitor, char text[10], struct device_code *made);
bool device_code_load(struct server *server, const uint8_t hash[TOKEN_SIZE], int64_t visitor, int64_t until);
/* The visitor of a code that is good, in whichever letters it was typed; the code is gone then, and in `used`. NULL: no
 * such code. */
struct visitor *device_code_use(struct server *server, const char *text, struct device_code *used);
void device_code_drop(struct server *server, int64_t visitor);
void device_code_sweep(struct server *server);
/* The database has dropped these visitors, who were last seen before that time: they are forgotten, but those who came
 * back meanwhile are stored again. */
void visitors_forget(struct server *server, const int64_t *ids, unsigned count, int64_t before);
void visitors_finish(struct server *server);

/* message.c: JSON without memory. jansson does not always tell, so whether it ran short is noted: from object_init on (once in a program), since
 * object_begin. */
void object_init(void);
void object_begin(void);
bool object_is_short(void);
/* The object that a text is. NULL with ERROR_BAD_JSON, or ERROR_STORAGE without memory. */
json_t *object_read(const char *text, size_t size, enum error *error);

/* upkeep.c: drops what is older than the options allow, says that the server is alive, tries whether the store works
 * again. */
void upkeep_tick(struct server *server);
void upkeep_stop(struct server *server);     /* before the store is closed */

/* config.c: the JSON text of a table's configuration, and back. The text is the caller's to free. */
char *config_write(const struct table *table, const struct core *core);
bool config_read(struct table *table, const char *text);

/* table.c; what turns.c does is said there */
struct table_request {           /* what a table is to be */
    unsigned seats;
    struct seat seat[PYR_MAX_SEATS];
    const struct pyr_edition *edition;
    bool is_public;
    uint8_t clock;
    struct address *address;     /* from where it is made; NULL: not counted */
    const char *id;              /* by which the same visitor gets this table again instead of another one; "" none */
};
/* A new table; friends' seats without a visitor get keys. `answer` is called once it is stored, or has failed (then the
 * table is gone). ERROR_TOO_MANY, ERROR_TOO_FAST, ERROR_STORAGE at
 * once. */
enum error table_create(struct server *server, struct visitor *host, const struct table_request *request,
    void (*answer)(struct change *change, enum error error), void *context, struct table **table);
/* The key of a friend's seat: it follows from the table's secret, so that it can be told again to those who may know it. */
void table_key(const struct table *table, unsigned seat, char key[KEY_SIZE + 1]);
struct table *table_find(const struct server *server, const char *code);
bool table_is_code(const char *code);
/* A code as people type it: small letters, blanks and dashes in between. `size` letters into `to`, with an end; false if
 * it is not one. */
bool code_read(const char *text, char *to, size_t size);
/* A table from the database: open ones at the start, finished ones when somebody wants to see them. NULL if it makes no sense or without memory. */
struct table *table_restore(struct server *server, const struct store_table *stored, const char *text, size_t size,
    const struct store_choice *choices, unsigned count);
/* The same for a table that is not in memory: `done` is called later, from the loop. NULL without memory. table_is_code(code). */
struct fetch {
    struct store_job job;
    struct server *server;
    void (*done)(struct fetch *fetch, struct table *table, enum error error);
    void *context;               /* NULL: whoever asked is gone */
    char code[CODE_SIZE + 1];
    struct store_table row;
    char *config, *text;
    size_t size;
    struct store_choice choices[STORE_SEATS];
    unsigned count;
};
struct fetch *table_fetch(struct server *server, const char *code, void (*done)(struct fetch *fetch, struct table *table, enum error error),
    void *context);
void table_wake(struct table *table);        /* sets clock and bots to work */
void table_tick(struct table *table);        /* clocks, idle tables */
void table_forget(struct table *table);      /* frees it, now or once nothing refers to it */
void table_count_out(struct table *table);   /* it is no longer one of the open tables */
void table_report(struct table *table);      /* adds what was sent to the counters */
void table_observe(struct table *table, struct table_observer *observer);
void table_unobserve(struct table_observer *observer);     /* follows no table afterwards */
void table_notify(struct table *table);      /* calls every observer */
void table_presence_changed(struct table *table);          /* who is here, or plays over which connection */
pyr_seat table_seat_of(const struct table *table, int64_t visitor);      /* PYR_SPECTATOR: none */
bool table_is_known_to(const struct table *table, const struct visitor *visitor);      /* it is public, or theirs: its code need not be guessed */
unsigned table_waiting(const struct table *table);         /* seats that have to choose, as bits */
bool table_is_here(const struct table *table, unsigned seat);
bool table_is_awaited(const struct table *table);          /* a person who plays here is connected: somebody waits for its bots */
bool table_has_host(const struct table *table);            /* its host is connected */
struct pyr_word table_line(const struct table *table, uint32_t line);    /* without its end */
/* The choice of a seat as text, "" if it has not confirmed one. */
void table_choice(const struct table *table, pyr_seat seat, char *to, size_t size);
json_t *table_json(const struct table *table, const struct visitor *visitor);
/* The same people once more: one table, however many ask. */
enum error table_rematch(struct table *table, struct visitor *visitor, struct address *address,
    void (*answer)(struct change *change, enum error error), void *context);

/*
 * lobby.c: the public tables that strangers are shown: those that wait for players before those that run, the latest
 * activity first. Each host and each address first gets a few places, and only what is then left goes to those who have
 * more, so that nobody can push the others out.
 */
unsigned lobby_list(struct server *server, const struct table *list[LOBBY_TABLES]);

/* The turn of a bot has come: what it is to think about; NULL if nothing. And it has chosen. (turns.c, for pool.c) */
struct thought *table_begin_thought(struct ask *ask);
void table_thought(struct thought *thought);

#endif
