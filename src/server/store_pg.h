/*
 * store_pg.h (store_pg.c, store_pg_open.c): the engine that keeps everything at a PostgreSQL server. store_pg_open.c reads
 * connection strings, connects, checks and migrates; store_pg.c runs transactions and statements.
 */
#ifndef PYR_STORE_PG_H
#define PYR_STORE_PG_H

#include <libpq-fe.h>

#include "store_engine.h"

/* What was sent and has no result yet. */
enum pg_kind { PG_CONTROL, PG_SEND, PG_EXECUTE, PG_QUERY, PG_XID, PG_COMMIT, PG_IGNORE, PG_SYNC };

struct pg_sent {
    enum pg_kind kind;
    unsigned job;                /* PG_SEND: whose */
    enum store_result none;      /* PG_SEND: the result if no row is changed */
    bool is_whole;               /* PG_SEND: it does all that its job does, or nothing */
    int64_t *given;              /* PG_SEND: gets the number that it returns; NULL: it returns none */
};

struct pg_refusal {
    unsigned job;
    enum store_result result;
    bool is_void;                /* it has changed nothing */
};

/* Something that is announced, within `news`. */
struct pg_word {
    unsigned job;
    size_t at, size;
    size_t split;                /* where its number goes, which is `later`; 0: it has its number */
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
    bool (*wait)(void *context, unsigned ms, bool is_ill);   /* lets time pass; false: do not wait any longer */
    void *context;

    /* The pipeline: a ring would be no shorter, since it is emptied all the time. */
    struct pg_sent *sent;
    size_t first, count, room;
    bool is_synced;              /* a sync was the last thing sent */

    /* The transaction. */
    bool in_transaction, has_written, is_settled;
    bool has_clashed;            /* it met one of another server, and the database gave this one up */
    enum store_result failure;   /* STORE_OK: none; otherwise it is lost */
    bool execute_failed;         /* the last PG_EXECUTE had an error, `execute_result` */
    enum store_result execute_result;
    int64_t changed;             /* by the last PG_EXECUTE */
    char xid[32];                /* "": none */
    char started[48], xid_started[48];       /* when the server was started, as of this connection and of the transaction */
    bool is_committed;           /* the answer to PG_COMMIT */
    unsigned job;                /* jobs begun, the present one included */
    size_t job_sent;             /* statements sent in it */
    size_t job_first;            /* the first entry of the pipeline that can be of it */
    bool is_in_job, has_job_savepoint;
    struct pg_refusal *refused;
    size_t refusals, refusal_room;

    /* The question whose rows are read. */
    PGresult *rows;
    int row;
    bool is_streaming;           /* rows come one by one */

    /* What the transaction announces to other servers, one word after the other. */
    char *news;
    size_t news_size, news_room;
    struct pg_word *words;
    size_t word_count, word_room;

    int64_t logged_at;           /* second in which the log last got words */
};

/* The channel of announcements: one for each schema. */
#define PG_CHANNEL "'pyramids_' || current_schema()"
#define PG_MOST_NEWS 7900        /* bytes: what PostgreSQL takes in one piece */

/* What a word is made of: WORD:NUMBER, and after the first separator what else there is, with the second one for its blanks.
 * Words have blanks in between. */
#define PG_MORE '\x1f'
#define PG_BLANK '\x1d'

struct store_listener *pg_listen(struct store_db *db, uv_loop_t *loop, store_on_news *on_news, void *context);
void pg_listen_end(struct store_listener *listener);

#define PG_OLDEST 140000         /* of the server */

#define PG_ANSWER_MS 30000       /* a server that takes longer is given up; not for a commit */

/* Settings of a connection that a server holds: one that is paused in the middle of a transaction must not keep rows
 * locked. */
#define PG_SERVING "SELECT set_config('lock_timeout', '10s', false)," \
    " set_config('idle_in_transaction_session_timeout', '5s', false)"

/* Puts the sequences behind the ids in use: commands copy rows that have their ids already. */
#define PG_SEQUENCES "SELECT " \
    "(SELECT setval('visitor_id_seq', m) FROM (SELECT max(id) AS m FROM visitor) AS v, visitor_id_seq" \
    " WHERE m >= last_value)," \
    "(SELECT setval('game_id_seq', m) FROM (SELECT max(id) AS m FROM game) AS g, game_id_seq WHERE m >= last_value)," \
    "(SELECT setval('ban_id_seq', m) FROM (SELECT max(id) AS m FROM ban) AS b, ban_id_seq WHERE m >= last_value)"

/* Connects, checks, and migrates if it may (the first time); then it is in pipeline mode, with all statements prepared.
 * False with a sentence in `error`. */
bool pg_connect(struct pg *db, bool first, char *error, size_t size);

/* A further connection to the same server, with the same settings; to be closed with PQfinish. */
PGconn *pg_connect_beside(const struct pg *db);
enum store_probe pg_probe(const char *where, char *error, size_t size);      /* as store_engine.probe */

/* What became of the transaction `xid` whose commit got no answer, over a new connection. */
enum pg_outcome { PG_KEPT, PG_UNDONE, PG_RUNNING, PG_UNKNOWN };
enum pg_outcome pg_find_outcome(struct pg *db);

/* Runs a command over a connection that is not in a pipeline, and waits for its last result `ms` long, as far as `waits`
 * (called several times per second) is true. NULL: there is none, and the connection is of no use any more. */
PGresult *pg_run(PGconn *connection, const char *sql, unsigned ms, bool (*waits)(void *context), void *context);
bool pg_waits(void *db);         /* whether a server that is about to stop still waits for its database */

void pg_disconnect(struct pg *db);
void pg_name(const char *where, char *to, size_t size);      /* the string without what is secret */
uint64_t pg_now(void);           /* ms */

/* Sends what is waiting and reads all results; false if the connection was lost or takes too long. */
bool pg_drain(struct pg *db);
bool pg_push(struct pg *db, struct pg_sent sent);
bool pg_sync(struct pg *db);

#endif
