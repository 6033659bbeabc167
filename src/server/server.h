/*
 * server.h: the server as a whole, its clock and its log. One thread, the event loop's, owns everything here; bots think in
 * the threads of pool.c, the database is written by the thread of store.c, and both answer in the loop's thread.
 *
 *   serve.c     starts, ticks, stops; clock.c  the time; log.c  the log; upkeep.c  what is done now and then
 *   edge.c      sockets, with HTTP, WebSocket and TLS of src/wire on top
 *   web.c       connections as requests and messages; http.c  the routes under /api; *_routes.c  their handlers
 *   message.c   the table of WebSocket messages; outbox.c  what a connection is sent next
 *   table.c     what a table is; table_make.c  new ones; table_read.c  from the database; rematch.c  the same people again
 *   change.c    the queue of a table's changes; seats.c  who sits there; turns.c  choices, bots, clocks
 *   config.c    what is stored of a table apart from its log; presence.c  who is connected to other servers
 *   daily.c     the daily expedition; results.c  its places, streaks and boards
 *   pool.c      threads for bots and analyses; schedule.c  whose turn it is; judging.c  analyses
 *   visitor.c   who people are; limit.c  how much an address may do; lobby.c  which tables strangers are shown
 *   profile.c   profiles and ratings; history.c  finished games; farewell.c  a visitor's data is removed
 *   react.c     quick reactions at a table
 *   admin.c     the operator's socket, admin_commands.c  what can be asked there; bans.c  who is banned
 *   access.c    from where a request comes, and whether it asks for one of our names (names.c)
 *   pages.c     the embedded page
 *   reminder.c  messages to people who are not here; deliver.c  brings them to push services
 *   notify.c    the service manager; reload.c  options, certificate, editions read again; preflight.c  options checked
 *
 * Headers include only what is below them: map, schedule, store, error, options; limit; visitor; table; then server and
 * change; then pool, conn and request. None below includes one above.
 */
#ifndef PYR_SERVER_H
#define PYR_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "map.h"
#include "options.h"
#include "store.h"
#include "table.h"

#define MAX_MESSAGE 4096         /* bytes of a message or a request's body */
#define LOBBY_TABLES 100         /* public tables that are shown */
#define HOST_SIZE 256            /* a host's name with its end */
#define NOTICE_SIZE 241          /* bytes of an announcement with its end */
#define SIGNALS 3                /* that are handled: SIGTERM, SIGINT, SIGHUP */

struct access_log;
struct added_edition;
struct admin;
struct bans;
struct conn;
struct edge;
struct pool;
struct reminders;

/* Runs until SIGTERM or SIGINT. Returns the exit code; errors go to standard error. */
int server_run(const struct server_options *options);

/* The same in parts, for tests that run the loop (server->loop) themselves. Each start, failed or not, is followed by one
 * finish. server_tick does what is due a few times per second; server_halt cuts all connections and closes everything at
 * once. */
struct server;
bool server_start(struct server *server, const struct server_options *options, char *error, size_t size);
void server_tick(struct server *server);
void server_halt(struct server *server);
void server_finish(struct server *server);

/* The whole server. */
struct server {
    struct server_options options;
    uv_loop_t loop;
    uv_timer_t tick;
    uv_signal_t signals[SIGNALS];
    struct edge *edge;           /* NULL: not listening */
    struct bans *bans;           /* banned addresses and visitors (bans.c) */
    struct access_log *access_log;           /* NULL: none */
    struct admin *admin;         /* the operator's socket; NULL: none */
    unsigned admin_works;        /* backups and checks that are running for it */
    struct {                     /* the announcement that all clients are sent (outbox.c) */
        char text[NOTICE_SIZE];  /* "": no text; then only the restart is announced, if there is one */
        uint64_t restart_at;     /* in milliseconds; 0: no restart is announced */
        uint32_t version;        /* grows with each change; 0: nothing was announced yet */
    } notice;
    int64_t started;             /* seconds since 1970 */
    struct added_edition *added; /* editions that reloads have added (reload.c) */
    uint32_t withdrawn;          /* editions of the options that are no longer offered, as bits */
    bool is_handed;              /* the listening sockets were opened by a service manager, which keeps them open */
    char handed_address[64];     /* where the first of those for the page listens */
    uint64_t watchdog_at;        /* when the service manager is next told that the server is alive; by the loop's own
                                    clock */
    struct store *store;
    struct pool *pool;
    struct reminders *reminders; /* NULL: no messages to browsers (reminder.h) */
    char origins[8][96];         /* the allowed ones, exactly these */
    unsigned origin_count;
    char names[24][HOST_SIZE];   /* of this machine (access_add_name) */
    unsigned name_count;
    char url[128];
    bool secure, stopping, stopped;
    bool shared;                 /* other servers use the same database, so memory may be out of date */
    int64_t node;                /* the number of this server there (store_add_node); 0: not shared */
    bool is_deaf;                /* announcements of other servers do not arrive at present */
    uint32_t listens;            /* how often receiving them has begun */
    struct store_nodes nodes;    /* running servers, including this one, as of the last look */
    unsigned thinkers;           /* of these, other servers that only run bots */
    unsigned judging;            /* analyses that were claimed from the database */
    unsigned analyses;           /* analyses that are waiting there to be made by any server */
    uint64_t stop_at, leave_at;  /* when stopping ends at the latest; when this server leaves if it has nothing to do; by
                                    the loop's own clock */
    uint64_t sweep_at;           /* when addresses and codes are next cleaned up */
    struct store_downtime down[STORE_DOWNTIMES];     /* times without any server on this database */
    unsigned downs;
    struct {
        uint64_t beat_at, keep_at;           /* when the heartbeat is next stored, and old data dropped */
        uint64_t pulse_at;                   /* when the heartbeat is stored even if no clock is running */
        int64_t start;                       /* when the server started; 0 once that is stored */
        bool beating, keeping, looking;      /* jobs that are running */
        bool look_again;                     /* once the present look has ended */
        bool missed;                         /* announcements may have been missed: presence is read again, too */
        unsigned looks;                      /* how many there were */
        uint64_t look_at;                    /* when the database is next asked for tables that are due */
        uint64_t check_at;                   /* when the revisions of tables in memory are next compared */
        unsigned checks;                     /* of these, those that are running */
        struct store_place looked;           /* the place up to which that was asked */
        struct store_place swept;            /* the place up to which visitors were checked; zero: begin again */
    } upkeep;
    struct {                     /* the work for the daily expedition (daily.c) */
        uint64_t look_at;        /* when it is next looked for; by the loop's own clock */
        bool looking, mastering; /* jobs that are running */
        int64_t revealed;        /* the last day that is stored as revealed: no later day is, even if the clock differs */
    } daily;
    struct { bool busy; uint64_t at; } farewell;           /* whether there is data left to remove (farewell.c) */
    uint8_t hash_key[16];
    struct map visitors, tokens, tables, addresses;
    struct map stakes;           /* open tables that left the memory and still count for an address (table.c) */
    struct table *table_list;    /* the tables in memory */
    struct fetch *fetches;       /* tables that are being read (table_fetch), on a shared database */
    uint64_t last_watch;
    struct {                     /* the last list of public tables (lobby.c) */
        uint64_t list, made;     /* its number; when, in milliseconds */
        uint64_t loaded;         /* when those of the database were last read */
        unsigned count;
        char code[LOBBY_TABLES][CODE_SIZE + 1];
    } lobby;
    unsigned connections, sockets;
    unsigned open_tables;        /* waiting or running, in memory or not */
    uv_prepare_t writer;
    struct { struct conn *first, **end; } write_queue;     /* sockets that may have something to send */
    struct { struct conn *first, *last; } by_activity;     /* sockets, those that were silent longest first */
    /* Counters, for /metrics. */
    struct {
        uint64_t requests[6];    /* by hundreds of the status */
        uint64_t messages, sent, bytes_sent, choices, errors, refused, games, cut;
        uint64_t answer_ms[12];    /* choices by milliseconds until the answer: 1 2 5 10 20 50 100 200 500 1000 5000 more */
        double answer_sum;
        uint64_t refreshes, news;  /* tables that other servers had changed: read again, or updated from the announcement */
    } count;
};

/* clock.c: every time in src/server comes from here, so that a test can move it. */
uint64_t server_now(const struct server *server);          /* milliseconds; never goes back; in the loop's thread only */
int64_t server_time(void);                                 /* seconds since 1970 */
void clock_start(const struct server *server);
void clock_follow(int64_t seconds);                        /* the time of a database that several servers share */
void clock_tick(const struct server *server);              /* follows a test's clock */
uint64_t server_hash(const struct server *server, const void *data, size_t size);  /* keyed: outsiders cannot steer it */
const struct pyr_edition *server_edition(const struct server *server, const char *name);

/* One line on standard error: time, level, event and further words `name=value` (log.c). Never codes, keys, tokens or
 * names. */
enum log_level { LOG_INFO, LOG_WARN, LOG_ERROR };
bool log_start(void);                        /* from now on a thread writes the lines */
void log_stop(void);
void log_line(enum log_level level, const char *event, const char *rest);  /* from any thread */
uint64_t log_dropped(void);                  /* lines that did not fit into the buffer */
void server_log(const struct server *server, enum log_level level, const char *event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* upkeep.c: drops what is older than the options allow, stores the heartbeat, checks whether the store works again. */
void upkeep_tick(struct server *server);
/* Drops all old data now, and reports what was dropped. False without memory. */
struct upkeep_swept {
    enum store_result result;
    int64_t tables, visitors, reports;
};
bool upkeep_sweep(struct server *server, void (*then)(void *context, const struct upkeep_swept *swept), void *context);
void upkeep_stop(struct server *server);     /* before the store is closed */
void upkeep_leave(struct server *server);    /* other servers may take over the tables that this one keeps */
void upkeep_note_news(void *context, const char *word, int64_t number, const char *more);     /* for store_listen */
/* Whether other servers may have changed tables that this one has in memory, without it having noticed. */
bool upkeep_is_behind(const struct server *server);
/* farewell.c: continues removing the data of visitors who left, also after a restart. */
void farewell_tick(struct server *server);
/* turns.c: whether this server leaves the bots of tables without a keeper to other servers: it has no threads for them,
 * there are servers that only run bots, or more choices are waiting here than its threads can make soon and there are
 * other servers. */
bool server_leaves_bots(const struct server *server);

/*
 * lobby.c: the public tables shown to strangers: tables that wait for players before running ones, the latest activity
 * first. Each host and each address first gets a few places; only those left over go to hosts and addresses with more
 * tables, so that no one can push the others out.
 */
unsigned lobby_list(struct server *server, const struct table *list[LOBBY_TABLES]);
/* Reads those that are not in memory, unless that was done lately; then calls `done`, perhaps at once. */
void lobby_load(struct server *server, void (*done)(void *context, enum error error), void *context);

#endif
