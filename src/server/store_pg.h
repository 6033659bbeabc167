/*
 * store_pg.h (store_pg.c, store_pg_open.c): the engine for a PostgreSQL server. store_pg_open.c reads connection strings,
 * connects, checks and migrates; store_pg.c runs transactions and statements.
 */
#ifndef PYR_STORE_PG_H
#define PYR_STORE_PG_H

#include <libpq-fe.h>

#include "store_engine.h"

/* A statement that was sent and has no result yet. */
enum pg_kind { PG_CONTROL, PG_SEND, PG_EXECUTE, PG_QUERY, PG_XID, PG_COMMIT, PG_IGNORE, PG_SYNC };

struct pg_sent {
    enum pg_kind kind;
    unsigned job;                /* PG_SEND: whose */
    enum store_result none;      /* PG_SEND: the result if no row is changed */
    bool is_whole;               /* PG_SEND: a whole change of a table: it changes everything or nothing */
    int64_t *given;              /* PG_SEND: receives the number that it returns; NULL: it returns none */
};

struct pg_refusal {
    unsigned job;
    enum store_result result;
    bool is_void;                /* it has changed nothing */
};

/* An announcement, within `news`. */
struct pg_word {
    unsigned job;
    size_t at, size;
    size_t split;                /* where its number is inserted, which is `later`; 0: it contains its number */
    const int64_t *later;
};

struct pg {
    struct store_db base;        /* first */
    char *where;                 /* the connection string, perhaps with a password: never shown */
    bool write;
    PGconn *connection;          /* NULL: lost */
    uint64_t tried;              /* ms: when the last attempt to connect ended */
    unsigned delay;              /* ms: before the next one */
    bool is_serving;
    bool (*wait)(void *context, unsigned ms, bool is_ill);   /* lets time pass; false: stop waiting */
    void *context;

    /* The pipeline. It is emptied all the time, so a ring buffer would save nothing. */
    struct pg_sent *sent;
    size_t first, count, room;
    bool is_synced;              /* the last thing sent was a sync */

    /* The transaction. */
    bool in_transaction, has_written, is_settled;
    bool has_clashed;            /* it conflicted with another server's transaction, and the database ended this one */
    enum store_result failure;   /* STORE_OK: none; otherwise the transaction is lost */
    bool execute_failed;         /* the last PG_EXECUTE had an error, `execute_result` */
    enum store_result execute_result;
    int64_t changed;             /* by the last PG_EXECUTE */
    char xid[32];                /* "": none */
    char started[96], xid_started[96];       /* when the database server was started, as of this connection and of the
                                                transaction */
    bool is_committed;           /* the answer to PG_COMMIT */
    bool is_warned;              /* the database server has sent a warning since this was cleared */
    unsigned job;                /* jobs begun, including the present one */
    size_t job_sent;             /* statements sent in the present job */
    size_t job_first;            /* the first entry of the pipeline that may belong to the present job */
    bool is_in_job, has_job_savepoint;
    struct pg_refusal *refused;
    size_t refusals, refusal_room;

    /* The query whose rows are being read. */
    PGresult *rows;
    int row;
    bool is_streaming;           /* rows come one by one */

    /* What the transaction announces to other servers, one announcement after the other. */
    char *news;
    size_t news_size, news_room;
    struct pg_word *words;
    size_t word_count, word_room;

    int64_t logged_at;           /* second of the last message to the log */
};

/* The channel of announcements: one for each schema. */
#define PG_CHANNEL "'pyramids_' || current_schema()"
#define PG_MOST_NEWS 7900        /* bytes: what PostgreSQL takes in one piece */

/* The format of an announcement: WORD:NUMBER, then after the first separator the rest, in which the second one stands
 * for blanks. Announcements are separated by blanks. */
#define PG_MORE '\x1f'
#define PG_BLANK '\x1d'

struct store_listener *pg_listen(struct store_db *db, uv_loop_t *loop, store_on_news *on_news, void *context);
void pg_listen_end(struct store_listener *listener);

#define PG_OLDEST 140000         /* of the server */

#define PG_ANSWER_MS 30000       /* a database server that takes longer is given up; not for a commit */

/* Settings of a game server's connection: if it is paused in the middle of a transaction, it must not keep rows locked. */
#define PG_SERVING "SELECT set_config('lock_timeout', '10s', false)," \
    " set_config('idle_in_transaction_session_timeout', '5s', false)"

/* Sets the sequences to the ids in use: commands copy rows with their ids. */
#define PG_SEQUENCES "SELECT " \
    "(SELECT setval('visitor_id_seq', m) FROM (SELECT max(id) AS m FROM visitor) AS v, visitor_id_seq" \
    " WHERE m >= last_value)," \
    "(SELECT setval('game_id_seq', m) FROM (SELECT max(id) AS m FROM game) AS g, game_id_seq WHERE m >= last_value)," \
    "(SELECT setval('ban_id_seq', m) FROM (SELECT max(id) AS m FROM ban) AS b, ban_id_seq WHERE m >= last_value)"

/* Connects, checks, and the first time migrates if allowed; then the connection is in pipeline mode, with all statements
 * prepared. False with a sentence in `error`. */
bool pg_connect(struct pg *db, bool first, char *error, size_t size);

/* A second connection to the same server, with the same settings; to be closed with PQfinish. */
PGconn *pg_connect_beside(struct pg *db);
enum store_probe pg_probe(const char *where, char *error, size_t size);      /* as store_engine.probe */

/* What became of transaction `xid`, whose commit was not answered; asked over a new connection. */
enum pg_outcome { PG_KEPT, PG_UNDONE, PG_RUNNING, PG_UNKNOWN };
enum pg_outcome pg_find_outcome(struct pg *db);

/* Runs a command over a connection without a pipeline and waits for its last result, at most `ms` and while `waits`
 * (called several times per second) is true. NULL: there is none, and the connection is no longer usable. */
PGresult *pg_run(PGconn *connection, const char *sql, unsigned ms, bool (*waits)(void *context), void *context);
bool pg_waits(void *db);         /* whether a server that is stopping should still wait for its database */

void pg_disconnect(struct pg *db);
void pg_name(const char *where, char *to, size_t size);      /* the string without its secrets */
uint64_t pg_now(void);           /* ms */

/* Sends everything queued and reads all results; false if the connection was lost or takes too long. */
bool pg_drain(struct pg *db);
bool pg_push(struct pg *db, struct pg_sent sent);
bool pg_sync(struct pg *db);

#endif
