/*
 * store_engine.h (store_engine.c, store_statements.c): the interface to a database of any kind. An engine (SQLite:
 * store_sqlite.c, PostgreSQL: store_pg.c) opens a database and runs the statements of store_statements.c; store_ops.c
 * makes the operations of store.h out of them, and store.c has the thread.
 *
 * A new table or column must also be added to what is copied: store_copy.c, and the statements whose names begin with
 * COPY.
 *
 * To add an operation: declare it in store.h, write it in store_ops.c, add its statements to the list below and to
 * store_statements.c.
 *
 * Writes are of two kinds. `execute` runs at once, and its result is known when it returns; a statement that fails leaves
 * the transaction as it was. `send` is for changes of tables, which are many: an engine may keep it and report STORE_OK
 * before it has run. If it fails later, or changes no row although one had to change, `settle` refuses the whole job.
 */
#ifndef PYR_STORE_ENGINE_H
#define PYR_STORE_ENGINE_H

#include "store.h"

#define STORE_VERSION 9          /* of the schema, in every engine */
#define STORE_FIRST 3            /* the first version that PostgreSQL had */

enum store_statement {
    PUT_VISITOR, ADD_VISITOR, GET_VISITOR, PUT_TOKEN, RENEW_TOKEN, GET_TOKEN, ALL_TOKENS, OLD_VISITORS, DROP_TOKENS,
    DROP_REQUESTS_OF, DROP_VISITOR, LAST_IDS, TOUCH_TABLE, PUT_PUBLIC, PUT_TABLE, ADD_TABLE, COUNT_HOSTED, PUT_REVISION,
    NEXT_REVISION, NEXT_REVISION_DUE, CHANGE_CHOICE, CHANGE_LINES, CHANGE_BOTH,
    LOCK_REVISION, JOIN_CHOICE,
    DROP_REVISION, GET_TABLE, GET_REVISION, GET_REVISIONS, GET_TIME, ADD_NODE, PUT_NODE, DROP_NODE,
    OLD_NODES, GET_NODES, CLAIM, GET_KEPT, DISOWN, PUT_PRESENT, GET_PRESENT, DROP_PRESENT, DROP_PRESENT_OF, OLD_PRESENT,
    DROP_PRESENCE, PUT_ANALYSIS, COUNT_ANALYSES, CLAIM_ANALYSIS, DROP_ANALYSIS, DISOWN_ANALYSES, LOCK_VISITOR, LOCK_OPEN,
    TAKE_ROOM, COUNT_ROOM, GIVE_ROOM, FREE_ROOM,
    SEE_VISITOR, VISITOR_OF_ID, OPEN_OF, PUBLIC_TABLES, COUNT_OPEN, ABANDONED, GET_DUE, PUT_DUE, TABLE_OF_CODE,
    OPEN_TABLES, TABLES_OF, FINISHED_TABLES, ADD_LINES, GET_LINES, PUT_CHOICE, GET_CHOICES, PUT_SEAT, GET_SEAT, DROP_SEAT,
    STATISTICS, PUT_REPORT, GET_REPORT, PUT_REQUEST, GET_REQUEST, PUT_CODE, GET_CODE, DROP_CODE, ALL_CODES, PUT_ALIVE,
    GET_ALIVE, PUT_DOWN, GET_DOWN, OLD_DOWN, OLD_TABLES, DROP_LINES, DROP_CHOICES, DROP_SEATS, DROP_REPORTS,
    DROP_REQUESTS, DROP_TABLE, OLD_REPORTS, OLD_REQUESTS, OLD_CODES, GET_WHOLE,
    COPY_VISITORS, COPY_TOKENS, COPY_CODES, COPY_TABLES,
    COPY_REVISIONS, COPY_LINES, COPY_CHOICES, COPY_SEATS, COPY_REPORTS, COPY_REQUESTS, COPY_HEARTBEAT, COPY_DOWNTIMES,
    PUT_HEARTBEAT,
    ADD_BAN, ALL_BANS, DROP_BAN, OLD_BANS, LIST_TABLES, LIST_VISITORS, RENAME_VISITOR, CODE_OF_TABLE, CHECK_TABLES,
    CHECK_GAPS, CHECK_REVISIONS, COPY_BANS, PUT_BAN,
    ADD_DAY, GET_DAYS, FIRST_DAY, LAST_REVEALED, HAS_SEALED, REVEAL_DAYS, ADD_OUTAGE, ADD_ATTEMPT, END_ATTEMPT,
    GIVE_UP_ATTEMPT,
    GET_ATTEMPT, ATTEMPTS_OF,
    DAY_RESULTS, COUNT_BETTER, UNJUDGED, JUDGE_ATTEMPT, WANTS_MASTER, CLAIM_MASTER, PUT_MASTER, LEAVE_ATTEMPT,
    DROP_ATTEMPTS_OF, COPY_DAYS, PUT_DAY, COPY_ATTEMPTS, PUT_ATTEMPT,
    RANK, GET_BOARD, GET_BOARD_OF_PEOPLE, GET_STANDING, COUNT_STANDINGS, BETTER_STANDINGS, HAS_UNSETTLED, UNSETTLED,
    PLAYERS_OF, SETTLE,
    DROP_STANDINGS, COPY_STANDINGS, PUT_STANDING,
    LOCK_RESULTS, BEGIN_RATING, PUT_RATING, SET_RATING, GET_RATING, DROP_RATING, TOP_RATINGS, BETTER_RATINGS, COPY_RATINGS,
    PUT_LINK, GET_LINK, HAS_LINK, DROP_LINK, COPY_LINKS,
    PUT_LEAVING, DROP_LEAVING, NEXT_LEAVING, COPY_LEAVING,
    GAMES_OF, RESULTS_OF, RIVALS_OF, RIVALRY, PUT_JUDGED, FIRST_LINES, PUT_FIRST_LINES,
    RAISE_REVISION, PUT_CONFIG, BLANK_VISITOR,
    DROP_OLD_VISITOR, DROP_SEATS_OF,
    PUT_SECRET, GET_SECRET, COPY_SECRETS, PUT_PUSH, OLD_PUSHES, GET_PUSHES, DROP_PUSH, DROP_PUSH_BY_ID, DROP_PUSHES,
    COPY_PUSHES, PUT_NOTICE, GET_NOTICE, DROP_NOTICE, COPY_NOTICES, PUT_NOTICE_AGAIN, CLAIM_NOTICE, MARK_NOTICE,
    CLOSE_NOTICE, PUT_REMINDER, CLAIM_REMINDER,
    CLAIM_REMINDERS_OF, GET_REMINDERS, MARK_REMINDER, DROP_REMINDER, DROP_REMINDERS, DROP_REMINDERS_OF, COPY_REMINDERS,
    PUT_REMINDER_AGAIN, PUT_FEED, GET_FEED, HAS_FEED, DROP_FEED, COPY_FEEDS,
    STORE_STATEMENTS
};

/* Points of an attempt without luck, in tenths; both engines round halves alike. */
#define STORE_WITHOUT_LUCK "CAST(round(CAST(10 * (attempt.points - attempt.luck) AS numeric)) AS bigint)"
#define STORE_STANDING_SUMS "sum(value), sum(points), sum(CASE WHEN judged > 0 THEN luck ELSE 0 END)," \
    " coalesce(avg(CASE WHEN judged > 0 THEN rate END), 0), sum(CASE WHEN judged > 0 THEN 1 ELSE 0 END), count(*)"
/* A step of the migration to version 8: the leaderboards of existing results. `month`: the first day of a day's month. */
#define STORE_FILL_STANDINGS(month) \
    "INSERT INTO standing (board, start, visitor, value, points, luck, rate, judged, days)" \
    " SELECT board, start, visitor, " STORE_STANDING_SUMS " FROM (SELECT board, start, visitor, value, points, luck," \
    " rate, judged, best, row_number() OVER (PARTITION BY board, start, visitor ORDER BY value DESC, day) AS rank FROM (" \
    "SELECT kind.board, CASE kind.board / 4 WHEN 0 THEN attempt.day WHEN 1 THEN attempt.day - (attempt.day + 3) % 7 ELSE " \
    month " END AS start, attempt.visitor, CASE WHEN kind.board / 2 % 2 = 1 THEN " STORE_WITHOUT_LUCK \
    " ELSE 10 * attempt.points END AS value, attempt.points, attempt.day, luck, rate, judged," \
    " CASE kind.board / 4 WHEN 0 THEN 1 WHEN 1 THEN 5 ELSE 20 END AS best" \
    " FROM attempt JOIN day ON day.day = attempt.day JOIN (SELECT 0 AS board UNION SELECT 2 UNION SELECT 4 UNION SELECT 5" \
    " UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9 UNION SELECT 10 UNION SELECT 11) AS kind" \
    " ON (kind.board % 2 = 0 OR revealed <> 0) AND (kind.board / 2 % 2 = 0 OR judged > 0)" \
    " WHERE attempt.state = 1 AND attempt.points IS NOT NULL) AS listed) AS ranked WHERE rank <= best" \
    " GROUP BY board, start, visitor;"

/* A statement in the SQL that all engines share: values are ?1, ?2...; `kinds` has a letter for each: i int64_t, r
 * double, t text, x text that is given with its size, b bytes. */
struct store_text {
    const char *kinds, *sql;
};
extern const struct store_text store_texts[STORE_STATEMENTS];

#define STORE_VALUES 16          /* the most that a statement has */

/* The arguments of a statement. Texts and bytes must stay valid until the call returns. */
struct store_value {
    int64_t number;
    double real;
    const void *at;              /* text or bytes */
    size_t size;
};

/* Called for a job that must not be kept. is_void: it has changed nothing, so the rest of its transaction can be kept. */
typedef void store_refuse(void *context, unsigned job, enum store_result result, bool is_void);

/* An open database; each engine's own structure begins with it. */
struct store_db {
    const struct store_engine *engine;
    char *text;                  /* what the last call returned */
    size_t room;
};

struct store_engine {
    const char *name;
    bool upserts_well;           /* inserting a row that exists costs no more than updating it */
    bool locks_rows;             /* rows stay locked for other servers until the transaction ends */
    bool is_shared;              /* several servers may use one database at the same time */
    /* Of an engine that is shared: within a transaction, queues a notification of the other servers for when it is
     * committed, such as the new revision of a table; and receives theirs (store_listen). NULL without memory. `later`
     * (may be NULL): where the number is found once the transaction is settled. `more` (may be NULL) is sent along.
     * Announcements of a refused job are not sent. */
    void (*announce)(struct store_db *db, const char *word, int64_t number, const int64_t *later, const char *more);
    struct store_listener *(*listen)(struct store_db *db, uv_loop_t *loop, store_on_news *on_news, void *context);
    void (*listen_end)(struct store_listener *listener);
    bool (*is_mine)(const char *where);      /* whether this value of --database means this engine */

    /* Opens it after all checks; an older database is migrated if `write` is set. NULL with a sentence in `error`. */
    struct store_db *(*open)(const char *where, bool write, char *error, size_t size);
    void (*close)(struct store_db *db);
    /* Checks whether a server could open it, and changes nothing. */
    enum store_probe (*probe)(const char *where, char *error, size_t size);
    /* For commands (may be NULL): long tasks that a server does besides its normal work. False with a sentence. */
    bool (*check)(struct store_db *db, const char *where, char *error, size_t size);
    /* Called when a server starts using it (may be NULL). While the engine waits for an answer that it needs before it
     * can continue, it calls `wait`, which lets time pass; false: give up. is_ill: the database does not answer. */
    void (*serve)(struct store_db *db, bool (*wait)(void *context, unsigned ms, bool is_ill), void *context);
    /* One sentence on why the last call failed. */
    void (*explain)(struct store_db *db, const char *where, char *error, size_t size);
    /* A name of the database for messages, on one line, without secrets. */
    void (*name_of)(const char *where, char *to, size_t size);
    /* Whether it can be written to, as far as one can see without writing; also does regular maintenance. */
    enum store_health (*look)(struct store_db *db);

    /* Transactions. One that the database ended by itself is lost: no more statements may run in it. */
    enum store_result (*begin)(struct store_db *db, bool write);
    enum store_result (*settle)(struct store_db *db, store_refuse *refuse, void *context);
    enum store_result (*commit)(struct store_db *db);
    void (*rollback)(struct store_db *db);
    bool (*is_lost)(const struct store_db *db);
    /* May be NULL. Whether the last transaction failed only because of a concurrent one, so that it can be run again at
     * once. */
    bool (*has_clashed)(const struct store_db *db);
    bool (*has_written)(const struct store_db *db);      /* since begin */

    enum store_result (*savepoint)(struct store_db *db);
    enum store_result (*release)(struct store_db *db, bool good);
    enum store_result (*job_begin)(struct store_db *db);
    enum store_result (*job_end)(struct store_db *db, enum store_result result);

    /* Statements. *changed: rows. `none`: the result if no row was changed. `given` (may be NULL) gets the number that the
     * statement returns, once the transaction is settled. */
    enum store_result (*execute)(struct store_db *db, enum store_statement which, const struct store_value *values,
        int64_t *changed);
    enum store_result (*send)(struct store_db *db, enum store_statement which, const struct store_value *values,
        enum store_result none, int64_t *given);
    /* One query at a time: query, then next until it is not STORE_OK (STORE_MISSING: no further row) or finish. */
    enum store_result (*query)(struct store_db *db, enum store_statement which, const struct store_value *values);
    enum store_result (*next)(struct store_db *db);
    void (*finish)(struct store_db *db);
    int64_t (*number)(struct store_db *db, int column);
    double (*real)(struct store_db *db, int column);
    const void *(*bytes)(struct store_db *db, int column, size_t *size);     /* text too, which ends with a zero */
};

extern const struct store_engine store_sqlite, store_pg;

/* Whether a string denotes a PostgreSQL database (a URL, or keywords) rather than a file. */
bool store_is_connection(const char *where);

/* Opens it with the engine for `where`. */
struct store_db *store_db_open(const char *where, bool write, char *error, size_t size);
void store_db_close(struct store_db *db);

enum store_result store_db_begin(struct store_db *db, bool write);
/* Before a commit: collects the results of statements that were sent. `refuse` is called for each job (counted from 0 by
 * store_db_job_begin) that must not be kept; then the transaction has to be undone. */
enum store_result store_db_settle(struct store_db *db, store_refuse *refuse, void *context);
enum store_result store_db_commit(struct store_db *db);
void store_db_rollback(struct store_db *db);

/* A job within a transaction; it alone is undone if its result is not STORE_OK. */
enum store_result store_db_job_begin(struct store_db *db);
enum store_result store_db_job_end(struct store_db *db, enum store_result result);

/* Writes a message to the log. */
void store_say(const char *words);

#endif
