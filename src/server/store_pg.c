/*
 * store_pg.c: transactions and statements of the engine for PostgreSQL. See store_pg.h.
 *
 *  1. The connection is in pipeline mode: a change of a table (`send`) only goes into the pipeline. A group of jobs thus
 *     takes two round trips, one to settle and one to commit, unless a job asks for rows.
 *  2. The commit is sent only after every result of the transaction was received and its number (xid) is known. If the
 *     connection is lost before the answer, the outcome of that number is queried over a new connection. So a job is
 *     never reported as failed while it may have been stored, nor as stored before a synchronous standby has it.
 *  3. When the connection is lost, nothing that was acknowledged is lost: the database undoes the transaction, and its
 *     jobs are run again over a new connection or, if there is none, answered STORE_FAILED.
 *  4. `execute` is within a savepoint, so that a statement which fails leaves the transaction as it was, as in SQLite.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pyramids/text.h>

#include "store_pg.h"

#define WAIT_MS 250              /* between checks whether to wait any longer */
#define MOST_SENT 2000           /* in the pipeline: unread results take memory on both sides */
#define SHORTEST_DELAY 100       /* ms between attempts to connect: doubled up to the longest delay */
#define LONGEST_DELAY 1000       /* ms */
#define NUMBER_SIZE 21           /* of the longest number as text, with its end */
#define OUTCOME_MS 60000         /* how long a command waits for the outcome of its commit; a server waits longer */

static const char lost[] = "the connection to the PostgreSQL server was lost";

/* Monotonic, in milliseconds; not the server's clock, which tests can change. */
uint64_t pg_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* 53100 is "disk full", 53200 "out of memory": what SQLite reports as no room, too. */
static enum store_result result_of_state(const char *state)
{
    if (!state)
        return STORE_FAILED;
    if (!strcmp(state, "23503"))             /* foreign key: a missing row is not a failure */
        return STORE_MISSING;
    return !strcmp(state, "53100") || !strcmp(state, "53200") ? STORE_NO_ROOM : STORE_FAILED;
}

/* 40P01 is "deadlock detected", 40001 "serialization failure": two transactions waited for each other, and the database
 * has undone this one. It can be run again. */
static bool is_clash(const char *state)
{
    return state && (!strcmp(state, "40P01") || !strcmp(state, "40001"));
}

/* At most once per second. Only the first line of the database server's message: details may contain values of rows. */
static void set_error(struct pg *db, const char *words)
{
    int64_t now = (int64_t)time(NULL);
    if (now != db->logged_at && words)
        store_say(words);
    db->logged_at = now;
}

/* No statement in the pipeline will get a result. A transaction that was under way has failed; store.c runs its jobs
 * again. */
void pg_disconnect(struct pg *db)
{
    PQclear(db->rows);
    db->rows = NULL;
    PQfinish(db->connection);
    db->connection = NULL;
    db->first = db->count = 0;
    db->is_streaming = false;
    db->is_synced = true;
    if (db->in_transaction && !db->failure)
        db->failure = STORE_FAILED;
}

static void lose(struct pg *db, const char *words)
{
    if (db->connection)
        set_error(db, words);
    pg_disconnect(db);
    db->delay = 0;                           /* the first attempt is made at once */
}

bool pg_waits(void *context)
{
    const struct pg *db = context;
    return !db->wait || db->wait(db->context, 0, false);
}

/* PostgreSQL may accept the connection and not answer, as when its disk hangs: PQexec would wait for ever. */
PGresult *pg_run(PGconn *connection, const char *sql, unsigned ms, bool (*waits)(void *context), void *context)
{
    uint64_t until = pg_now() + ms;
    PGresult *last = NULL;
    bool good = PQsendQuery(connection, sql);
    while (good) {
        int flushed = PQflush(connection);
        if (!flushed && !PQisBusy(connection)) {
            PGresult *result = PQgetResult(connection);
            if (!result)
                return last;
            PQclear(last);
            last = result;
            continue;
        }
        struct pollfd wanted = { .fd = PQsocket(connection), .events = (short)(POLLIN | (flushed ? POLLOUT : 0)) };
        int ready = flushed < 0 ? -1 : poll(&wanted, 1, WAIT_MS);
        good = ready > 0 ? PQconsumeInput(connection) == 1 : flushed >= 0 && (!ready || errno == EINTR) &&
            pg_now() < until && waits(context);
    }
    PQclear(last);
    return NULL;
}

/* Waits until there is something to read, and writes meanwhile. For a commit this waits without limit, unless our own
 * server is asked to stop: giving up would leave open whether it was stored. `until` then only decides when the store
 * begins to report that it cannot write. */
static bool wait_for_input(struct pg *db, uint64_t until, bool is_commit)
{
    for (;;) {
        int flushed = PQflush(db->connection);
        if (flushed < 0)
            return false;
        struct pollfd wanted = { .fd = PQsocket(db->connection), .events = (short)(POLLIN | (flushed ? POLLOUT : 0)) };
        int ready = poll(&wanted, 1, WAIT_MS);
        if (ready < 0 && errno != EINTR)
            return false;
        if (ready > 0 && wanted.revents & ~POLLOUT)
            return PQconsumeInput(db->connection) == 1;
        if (ready > 0)
            continue;
        bool is_ill = pg_now() >= until;
        if ((is_ill && !is_commit) || (db->wait && !db->wait(db->context, 0, is_ill)))
            return false;
    }
}

/* The next result of the connection; NULL is also the end of a statement. */
static bool get_result(struct pg *db, PGresult **result, uint64_t until, bool is_commit)
{
    while (PQisBusy(db->connection))
        if (!wait_for_input(db, until, is_commit))
            return false;
    *result = PQgetResult(db->connection);
    return true;
}

/* Notes a statement that was sent: results arrive in the same order and carry no name. */
bool pg_push(struct pg *db, struct pg_sent sent)
{
    if (db->first + db->count == db->room) {
        if (db->first > db->room / 2) {
            memmove(db->sent, db->sent + db->first, db->count * sizeof *db->sent);
            db->job_first -= db->job_first < db->first ? db->job_first : db->first;
            db->first = 0;
        } else {
            size_t room = db->room ? 2 * db->room : 64;
            struct pg_sent *larger = realloc(db->sent, room * sizeof *larger);
            if (!larger) {
                lose(db, pyr_text_system(ENOMEM));       /* the results of sent statements can no longer be assigned */
                return false;
            }
            db->sent = larger;
            db->room = room;
        }
    }
    db->sent[db->first + db->count++] = sent;
    db->is_synced = sent.kind == PG_SYNC;
    return true;
}

/* A sync ends a pipeline's segment: after an error the server skips everything up to it. */
bool pg_sync(struct pg *db)
{
    return db->connection && PQpipelineSync(db->connection) && pg_push(db, (struct pg_sent){ .kind = PG_SYNC });
}

/* A statement of this job changed no row although it had to. That alone does not lose the transaction; store.c leaves the
 * job out and runs the others again. */
static void refuse(struct pg *db, unsigned job, enum store_result result, bool is_void)
{
    if (db->refusals && db->refused[db->refusals - 1].job == job)
        return;                              /* only the first reason counts */
    if (db->refusals == db->refusal_room) {
        size_t room = db->refusal_room ? 2 * db->refusal_room : 16;
        struct pg_refusal *larger = realloc(db->refused, room * sizeof *larger);
        if (!larger) {
            db->failure = STORE_NO_ROOM;
            return;
        }
        db->refused = larger;
        db->refusal_room = room;
    }
    db->refused[db->refusals++] = (struct pg_refusal){ job, result, is_void };
}

/* The result of a change of a table: the rows that it changed, or the number that it returned. */
static void note_change(struct pg *db, const struct pg_sent *sent, const PGresult *result, int64_t changed)
{
    bool has_row = PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1;
    uint64_t bits = 0;
    if (sent->given && has_row && PQgetlength(result, 0, 0) == 8) {
        for (unsigned i = 0; i < 8; i++)
            bits = bits << 8 | (unsigned char)PQgetvalue(result, 0, 0)[i];
        *sent->given = (int64_t)bits;
    } else if (sent->given || !changed) {
        refuse(db, sent->job, sent->none, sent->is_whole);
    }
}

/* Handles the result of a statement. The result is freed, unless it has the rows of a query. */
static void note(struct pg *db, struct pg_sent sent, PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    int64_t changed = status == PGRES_COMMAND_OK ? strtoll(PQcmdTuples(result), NULL, 10) : 0;
    if (status == PGRES_FATAL_ERROR) {
        const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
        enum store_result found = result_of_state(state);
        bool clashes = is_clash(state);
        db->has_clashed |= clashes;
        if (sent.kind == PG_EXECUTE && !clashes) {
            db->execute_failed = true;
            db->execute_result = found;
        } else if (!db->failure) {
            db->failure = found == STORE_MISSING ? STORE_FAILED : found;     /* which job caused it shows when each runs
                                                                                alone */
        }
        if (found != STORE_MISSING)
            set_error(db, PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
    } else if (sent.kind == PG_EXECUTE && status != PGRES_TUPLES_OK) {
        db->changed = changed;
    } else if (sent.kind == PG_SEND && sent.none && (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)) {
        note_change(db, &sent, result, changed);
    } else if (sent.kind == PG_XID && status == PGRES_TUPLES_OK && PQntuples(result) == 1) {
        snprintf(db->xid, sizeof db->xid, "%s", PQgetvalue(result, 0, 0));
    } else if (sent.kind == PG_COMMIT && status == PGRES_COMMAND_OK) {
        db->is_committed = !strcmp(PQcmdStatus(result), "COMMIT");
    } else if ((sent.kind == PG_QUERY || sent.kind == PG_EXECUTE) && status == PGRES_TUPLES_OK) {
        PQclear(db->rows);
        db->rows = result;
        return;
    }
    PQclear(result);
}

/* Reads all results of the first statement in the pipeline. */
static bool read_one(struct pg *db, uint64_t until)
{
    struct pg_sent sent = db->sent[db->first];
    for (;;) {
        PGresult *result;
        if (!get_result(db, &result, until, sent.kind == PG_COMMIT))
            return false;
        if (!result) {
            if (PQstatus(db->connection) == CONNECTION_BAD)
                return false;
            break;
        }
        bool is_sync = PQresultStatus(result) == PGRES_PIPELINE_SYNC;
        note(db, sent, result);
        if (PQstatus(db->connection) == CONNECTION_BAD)
            return false;
        if (is_sync)
            break;
    }
    db->first++;
    db->count--;
    if (!db->count)
        db->first = db->job_first = 0;
    return true;
}

/* Reads until the pipeline is empty. False if the connection was lost: then pg_disconnect has been called. */
bool pg_drain(struct pg *db)
{
    uint64_t until = pg_now() + PG_ANSWER_MS;
    while (db->connection && db->count)
        if (!read_one(db, until)) {
            const char *words = PQerrorMessage(db->connection);
            lose(db, words[0] ? lost : "the PostgreSQL server does not answer");
        }
    return db->connection;
}

/* Sends a command without values. */
static bool control(struct pg *db, const char *sql, enum pg_kind kind)
{
    return db->connection && PQsendQueryParams(db->connection, sql, 0, NULL, NULL, NULL, NULL, 0) &&
        pg_push(db, (struct pg_sent){ .kind = kind });
}

/* Sends a prepared statement. Its name is its number. */
static bool send_statement(struct pg *db, enum store_statement which, const struct store_value *values, struct pg_sent sent)
{
    const char *kinds = store_texts[which].kinds, *at[STORE_VALUES];
    int size[STORE_VALUES], format[STORE_VALUES], count = 0;
    unsigned char bytes[STORE_VALUES][8];
    char name[12];
    for (; kinds[count]; count++) {
        const struct store_value *value = &values[count];
        uint64_t bits = (uint64_t)value->number;
        if (kinds[count] == 'r')
            memcpy(&bits, &value->real, sizeof bits);
        for (unsigned i = 0; i < 8; i++)
            bytes[count][i] = (unsigned char)(bits >> (56 - 8 * i));
        bool is_number = kinds[count] == 'i' || kinds[count] == 'r';
        if (value->size > INT32_MAX)
            return false;
        at[count] = is_number ? (const char *)bytes[count] : value->at ? value->at : "";
        size[count] = is_number ? 8 : (int)value->size;
        format[count] = 1;                   /* for text that is the same, but with a size */
    }
    snprintf(name, sizeof name, "s%d", (int)which);
    return db->connection && PQsendQueryPrepared(db->connection, name, count, at, size, format, 1) && pg_push(db, sent);
}

/* Transactions. */

/* Reads without waiting: this shows whether the other end has closed the connection. */
static bool is_cut(const struct pg *db)
{
    return PQconsumeInput(db->connection) != 1 || PQstatus(db->connection) == CONNECTION_BAD;
}

/* Only within a transaction: before the next begin() a lost connection does no harm. */
static bool is_lost(const struct store_db *base)
{
    const struct pg *db = (const struct pg *)base;
    return db->in_transaction && (db->failure || !db->connection);
}

/* Stores something whose commit waits for the synchronous standby, if there is one: then it has all that was committed
 * before. PostgreSQL also shows commits that only the primary may have: their wait was cancelled, ended with its
 * connection, or was cut short by a crash. PG_RUNNING: once more; PG_UNKNOWN: it cannot be stored. */
static enum pg_outcome wait_for_standby(struct pg *db)
{
    db->is_committed = db->is_warned = false;
    bool good = control(db, "BEGIN", PG_CONTROL) &&
        control(db, "SELECT pg_logical_emit_message(true, 'pyramids', '')", PG_IGNORE) &&
        control(db, "COMMIT", PG_COMMIT) && pg_sync(db) && pg_drain(db);
    db->failure = STORE_OK;
    return !good || db->is_warned ? PG_RUNNING : db->is_committed ? PG_KEPT : PG_UNKNOWN;
}

/* Connects again, if it is time for another attempt. Everything read from then on is at the standby, too. */
static bool reconnect(struct pg *db)
{
    char error[512];
    if (db->connection)
        return true;
    if ((db->delay && pg_now() < db->tried + db->delay) || !pg_waits(db))
        return false;
    bool good = pg_connect(db, false, error, sizeof error);
    while (good && db->is_serving && wait_for_standby(db) == PG_RUNNING)
        if (!(good = db->connection))
            snprintf(error, sizeof error, "%s", lost);
    db->tried = pg_now();
    if (good) {
        db->delay = 0;
        store_say("connected to the PostgreSQL server again");
        return true;
    }
    if (!db->delay)
        store_say(error);
    db->delay = db->delay ? 2 * db->delay : SHORTEST_DELAY;
    db->delay = db->delay > LONGEST_DELAY ? LONGEST_DELAY : db->delay;
    return false;
}

static void rollback(struct store_db *base)
{
    struct pg *db = (struct pg *)base;
    if (db->in_transaction && db->connection) {
        /* A sync ends the segment that is skipped after an error. */
        if ((!db->is_synced && !pg_sync(db)) || !control(db, "ROLLBACK", PG_IGNORE) || !pg_sync(db))
            lose(db, lost);
        pg_drain(db);
    }
    db->in_transaction = false;
    db->failure = STORE_OK;
}

/* Whether a job is refused: its announcements must not be sent. */
static bool is_refused(const struct pg *db, unsigned job)
{
    for (size_t i = 0; i < db->refusals; i++)
        if (db->refused[i].job == job)
            return true;
    return false;
}

static bool send_piece(struct pg *db, char *piece, size_t size)
{
    const char *words = piece;
    if (!size)
        return true;
    piece[size] = '\0';
    return db->connection && PQsendQueryPrepared(db->connection, "news", 1, &words, NULL, NULL, 0) &&
        pg_push(db, (struct pg_sent){ .kind = PG_IGNORE });
}

/* Sends the announcements, right before the commit: usually in one piece. PostgreSQL takes a lock for them, once for all
 * pieces of a transaction. */
static bool send_news(struct pg *db)
{
    char piece[PG_MOST_NEWS + 1];
    size_t size = 0;
    bool good = true;
    for (size_t i = 0; i < db->word_count && good; i++) {
        const struct pg_word *word = &db->words[i];
        if (db->refusals && is_refused(db, word->job))
            continue;
        if (size && size + 1 + NUMBER_SIZE + word->size > PG_MOST_NEWS) {
            good = send_piece(db, piece, size);
            size = 0;
        }
        if (size)
            piece[size++] = ' ';
        memcpy(piece + size, db->news + word->at, word->split);
        size += word->split;
        if (word->later)
            size += (size_t)snprintf(piece + size, NUMBER_SIZE, "%lld", (long long)*word->later);
        memcpy(piece + size, db->news + word->at + word->split, word->size - word->split);
        size += word->size - word->split;
    }
    db->news_size = db->word_count = 0;
    return good && send_piece(db, piece, size);
}

static bool has_word(const struct pg *db, const char *word)
{
    for (size_t i = 0; i < db->word_count; i++)
        if (!strncmp(db->news + db->words[i].at, word, strlen(word)))
            return true;
    return false;
}

/* Makes room for one more announcement of that size. */
static bool reserve_word(struct pg *db, size_t size)
{
    if (db->word_count == db->word_room) {
        size_t room = db->word_room ? 2 * db->word_room : 64;
        struct pg_word *larger = realloc(db->words, room * sizeof *larger);
        if (!larger)
            return false;
        db->words = larger;
        db->word_room = room;
    }
    if (db->news_room - db->news_size < size) {
        size_t room = 2 * db->news_room + size;
        char *larger = realloc(db->news, room);
        if (!larger)
            return false;
        db->news = larger;
        db->news_room = room;
    }
    return true;
}

/* Announcements are part of the transaction: PostgreSQL delivers them when it commits, and never if it does not. */
static void announce(struct store_db *base, const char *code, int64_t revision, const int64_t *later, const char *more)
{
    struct pg *db = (struct pg *)base;
    size_t size = more ? strlen(more) : 0;
    if (!strcmp(code, STORE_NEWS_WORK) && has_word(db, STORE_NEWS_WORK ":"))
        return;                              /* once is enough */
    if (size > PG_MOST_NEWS / 2)
        size = 0;                            /* the other servers read the change instead */
    if (!reserve_word(db, size + 48)) {
        db->failure = STORE_NO_ROOM;         /* without the announcement others would not notice the change for half a
                                                minute */
        return;
    }
    char *at = db->news + db->news_size, *to = at;
    to += snprintf(to, 24, "%.16s:", code);
    size_t split = (size_t)(to - at);
    if (!later)
        to += snprintf(to, NUMBER_SIZE, "%lld", (long long)revision);
    if (size)
        *to++ = PG_MORE;
    for (size_t i = 0; i < size; i++)
        *to++ = more[i] == ' ' ? PG_BLANK : more[i];
    db->words[db->word_count++] = (struct pg_word){ db->job ? db->job - 1 : 0, db->news_size, (size_t)(to - at), split,
        later };
    db->news_size += (size_t)(to - at);
}

static bool send_begin(struct pg *db, bool write)
{
    /* A transaction that only reads sees the database as it was at one moment. */
    return control(db, write ? "BEGIN" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", PG_CONTROL);
}

/* A connection that turns out to be dead is replaced once, immediately: no statement of the transaction has run yet. */
static enum store_result begin(struct store_db *base, bool write)
{
    struct pg *db = (struct pg *)base;
    rollback(base);
    db->news_size = db->word_count = 0;
    db->has_clashed = false;
    if (!reconnect(db))
        return STORE_FAILED;
    db->in_transaction = true;
    db->has_written = db->is_settled = db->is_in_job = db->is_committed = false;
    db->failure = STORE_OK;
    db->xid[0] = '\0';
    db->refusals = 0;
    db->job = 0;
    /* Without this check, a connection that was cut while idle would be noticed only after all jobs have run. */
    if (send_begin(db, write) && !is_cut(db))
        return STORE_OK;
    lose(db, lost);
    db->failure = STORE_OK;
    if (reconnect(db) && send_begin(db, write))
        return STORE_OK;
    db->in_transaction = false;
    return STORE_FAILED;
}

static bool has_clashed(const struct store_db *base)
{
    return ((const struct pg *)base)->has_clashed;
}

static bool has_written(const struct store_db *base)
{
    return ((const struct pg *)base)->has_written;
}

/* Asks for the number of the transaction. */
static bool send_xid(struct pg *db)
{
    memcpy(db->xid_started, db->started, sizeof db->xid_started);
    return PQsendQueryPrepared(db->connection, "xid", 0, NULL, NULL, NULL, 0) &&
        pg_push(db, (struct pg_sent){ .kind = PG_XID });
}

/* The first of the two round trips: all results of the transaction, and its number, without which resolve() could not
 * work. */
static enum store_result settle(struct store_db *base, store_refuse *refuse_job, void *context)
{
    struct pg *db = (struct pg *)base;
    if (is_lost(base))
        return db->failure ? db->failure : STORE_FAILED;
    if (db->has_written) {
        if (!send_xid(db) || !pg_sync(db) || !pg_drain(db))
            return STORE_FAILED;
        if (db->failure)
            return db->failure;
    }
    db->is_settled = true;
    for (size_t i = 0; i < db->refusals; i++)
        refuse_job(context, db->refused[i].job, db->refused[i].result, db->refused[i].is_void);
    return STORE_OK;
}

/* Lets time pass between two queries of a commit's outcome; false: give up. */
static bool pass_time(struct pg *db, unsigned ms, uint64_t since)
{
    if (db->wait)
        return db->wait(db->context, ms, true);
    struct timespec pause = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };
    nanosleep(&pause, NULL);
    return pg_now() < since + OUTCOME_MS;
}

/* Finds out whether the transaction whose commit was not answered, or answered with a warning, was kept. */
static enum store_result resolve(struct pg *db, const char *words)
{
    uint64_t since = pg_now();
    enum pg_outcome outcome = PG_RUNNING;
    store_say(words);
    while (outcome == PG_RUNNING) {
        if (!reconnect(db)) {
            if (!pass_time(db, SHORTEST_DELAY, since))
                break;
            continue;
        }
        if (!control(db, "SELECT 1", PG_IGNORE) || !pg_sync(db) || !pg_drain(db) ||
            !PQexitPipelineMode(db->connection)) {
            lose(db, lost);
            continue;
        }
        /* A database server that has crashed may assign a number again if it had not written it to disk: then the answer
         * is of no use. The jobs are run once more, and their conditions show the outcome. */
        outcome = strcmp(db->started, db->xid_started) ? PG_UNKNOWN : pg_find_outcome(db);
        if (!PQenterPipelineMode(db->connection) || PQstatus(db->connection) == CONNECTION_BAD) {
            lose(db, lost);
            if (outcome == PG_UNKNOWN)
                outcome = PG_RUNNING;
        }
        if (outcome == PG_KEPT)
            outcome = wait_for_standby(db);
        if (outcome == PG_RUNNING && !pass_time(db, SHORTEST_DELAY, since))
            break;
    }
    if (outcome == PG_KEPT || outcome == PG_UNDONE) {
        store_say(outcome == PG_KEPT ? "the transaction was stored" : "the transaction was not stored");
        return outcome == PG_KEPT ? STORE_OK : STORE_FAILED;
    }
    store_say("it is not known whether the transaction was stored");
    return STORE_FAILED;
}

static void count_refusal(void *context, unsigned job, enum store_result result, bool is_void)
{
    (void)job;
    (void)is_void;
    *(enum store_result *)context = result;
}

static const char no_answer[] = "a transaction got no answer: asking the PostgreSQL server what became of it";
static const char no_wait[] = "a transaction did not wait for the standby: waiting for one that comes after it";

/* The second round trip. For a transaction that only read, the answer is not waited for. If the answer to COMMIT is
 * missing, resolve() finds out what happened. */
static enum store_result commit(struct store_db *base)
{
    struct pg *db = (struct pg *)base;
    enum store_result refused = STORE_OK, result = STORE_OK;
    if (!db->is_settled && !(result = settle(base, count_refusal, &refused)))
        result = refused;
    if (result || is_lost(base)) {
        rollback(base);
        return result ? result : STORE_FAILED;
    }
    /* Unread results may include the commit of an earlier transaction that only read. If that were taken for the answer
     * to this commit, a choice would be acknowledged although a lost connection has kept it from being stored. */
    if (db->has_written && !pg_drain(db)) {
        rollback(base);
        return STORE_FAILED;
    }
    db->is_committed = db->is_warned = false;
    bool is_sent = send_news(db) && (db->is_serving || !db->has_written || control(db, PG_SEQUENCES, PG_IGNORE)) &&
        control(db, "COMMIT", PG_COMMIT) && pg_sync(db);
    if (is_sent && !db->has_written) {       /* a lost read has no effect */
        PQflush(db->connection);
        db->in_transaction = false;
        return STORE_OK;
    }
    if (is_sent && pg_drain(db)) {
        db->in_transaction = false;
        result = db->is_committed ? STORE_OK : db->failure ? db->failure : STORE_FAILED;
        db->failure = STORE_OK;
        return !result && db->is_warned && db->xid[0] ? resolve(db, no_wait) : result;
    }
    pg_disconnect(db);
    db->in_transaction = false;
    db->failure = STORE_OK;
    if (db->is_committed && !db->is_warned)  /* the answer arrived before the connection was lost */
        return STORE_OK;
    return db->xid[0] ? resolve(db, no_answer) : STORE_FAILED;
}

/* For commands; jobs of a server use job_begin. */
static enum store_result savepoint(struct store_db *base)
{
    struct pg *db = (struct pg *)base;
    return !is_lost(base) && control(db, "SAVEPOINT part", PG_CONTROL) ? STORE_OK : STORE_FAILED;
}

static enum store_result release(struct store_db *base, bool good)
{
    struct pg *db = (struct pg *)base;
    if (is_lost(base) || (!good && !control(db, "ROLLBACK TO part", PG_CONTROL)) || !control(db, "RELEASE part", PG_CONTROL))
        return STORE_FAILED;
    return STORE_OK;
}

/* The savepoint is set only when the job runs its first statement with `execute` (write_now): most jobs only send, and a
 * refused one makes the whole group run again anyway. */
static enum store_result job_begin(struct store_db *base)
{
    struct pg *db = (struct pg *)base;
    db->is_in_job = true;
    db->has_job_savepoint = false;
    db->job_sent = 0;
    db->job_first = db->first + db->count;
    db->job++;
    return is_lost(base) ? STORE_FAILED : STORE_OK;
}

/* A refused job whose statements are in the pipeline cannot be undone alone: the whole transaction is run again without
 * it. */
static enum store_result job_end(struct store_db *base, enum store_result result)
{
    struct pg *db = (struct pg *)base;
    db->is_in_job = false;
    if (is_lost(base))
        return STORE_FAILED;
    if (!db->has_job_savepoint) {
        if (result && db->job_sent)          /* it cannot be undone alone, so the transaction must not be committed */
            refuse(db, db->job - 1, result, false);
        return db->failure;
    }
    if (!result)
        return control(db, "RELEASE job", PG_CONTROL) ? STORE_OK : STORE_FAILED;
    for (size_t i = db->job_first; i < db->first + db->count; i++)
        if (db->sent[i].kind == PG_SEND)
            db->sent[i].none = STORE_OK;     /* its effect is undone, so it no longer matters */
    return control(db, "ROLLBACK TO job", PG_CONTROL) && control(db, "RELEASE job", PG_CONTROL) ? STORE_OK : STORE_FAILED;
}

/* Statements. */

/* Statements that are a whole change of a table: if the table has another revision, they change nothing. */
static bool is_whole(enum store_statement which)
{
    return which == CHANGE_CHOICE || which == CHANGE_LINES || which == CHANGE_BOTH || which == JOIN_CHOICE;
}

/* The result arrives when the transaction is settled: a statement that changes no row is then reported with its job
 * (refuse). */
static enum store_result send_later(struct store_db *base, enum store_statement which, const struct store_value *values,
    enum store_result none, int64_t *given)
{
    struct pg *db = (struct pg *)base;
    if (is_lost(base))
        return STORE_FAILED;
    db->has_written = true;
    db->is_settled = false;
    db->job_sent++;
    if (db->count >= MOST_SENT && (!pg_sync(db) || !pg_drain(db) || db->failure))
        return STORE_FAILED;
    if (send_statement(db, which, values, (struct pg_sent){ PG_SEND, db->job ? db->job - 1 : 0, none, is_whole(which),
        given }))
        return STORE_OK;
    lose(db, lost);
    return STORE_FAILED;
}

/* Runs a statement that writes, within a savepoint: one that fails leaves the transaction as it was. */
static enum store_result write_now(struct pg *db, enum store_statement which, const struct store_value *values)
{
    struct pg_sent sent = { .kind = PG_EXECUTE };
    db->has_written = true;
    db->is_settled = false;
    db->execute_failed = false;
    db->changed = 0;
    /* If the job fails later, it is undone alone. */
    bool wants_savepoint = db->is_in_job && !db->has_job_savepoint && !db->job_sent;
    db->has_job_savepoint |= wants_savepoint;
    if ((wants_savepoint && !control(db, "SAVEPOINT job", PG_CONTROL)) || !control(db, "SAVEPOINT one", PG_CONTROL) ||
        !send_statement(db, which, values, sent) || !control(db, "RELEASE one", PG_CONTROL) || !pg_sync(db) ||
        !pg_drain(db)) {
        lose(db, lost);
        return STORE_FAILED;
    }
    if (db->failure || !db->execute_failed)
        return db->failure;
    enum store_result result = db->execute_result;
    if (!control(db, "ROLLBACK TO one", PG_CONTROL) || !control(db, "RELEASE one", PG_CONTROL) || !pg_sync(db) ||
        !pg_drain(db))
        return STORE_FAILED;
    return db->failure ? db->failure : result;
}

static enum store_result execute(struct store_db *base, enum store_statement which, const struct store_value *values,
    int64_t *changed)
{
    struct pg *db = (struct pg *)base;
    enum store_result result = is_lost(base) ? STORE_FAILED : write_now(db, which, values);
    *changed = db->changed;
    return result;
}

/* Queries with possibly more rows than should be in memory. They are streamed row by row; all others are read at once,
 * which leaves the pipeline free. */
static bool is_long(enum store_statement which)
{
    return which == ALL_TOKENS || (which >= COPY_VISITORS && which <= COPY_DOWNTIMES) ||
        which == COPY_RATINGS || which == COPY_LINKS;
}

/* Rows stay valid until finish(), the last next() or the next query. */
static enum store_result query(struct store_db *base, enum store_statement which, const struct store_value *values)
{
    struct pg *db = (struct pg *)base;
    if (is_lost(base))
        return STORE_FAILED;
    PQclear(db->rows);
    db->rows = NULL;
    db->row = -1;
    db->is_streaming = is_long(which);
    if (strncmp(store_texts[which].sql, "SELECT", 6)) {  /* it writes and returns rows: INSERT ... RETURNING */
        enum store_result result = write_now(db, which, values);
        return result || db->rows ? result : STORE_FAILED;
    }
    if (db->is_streaming && (!pg_sync(db) || !pg_drain(db)))
        return STORE_FAILED;
    if (!send_statement(db, which, values, (struct pg_sent){ .kind = PG_QUERY }) || !pg_sync(db)) {
        lose(db, lost);
        return STORE_FAILED;
    }
    if (db->is_streaming)
        return PQsetSingleRowMode(db->connection) ? STORE_OK : STORE_FAILED;
    if (!pg_drain(db))
        return STORE_FAILED;
    if (!db->failure && !db->rows)
        db->failure = STORE_FAILED;
    return db->failure;
}

/* A streamed query has to be read to its end: the rows are already on their way. */
static void finish(struct store_db *base)
{
    struct pg *db = (struct pg *)base;
    if (db->is_streaming) {
        db->is_streaming = false;
        pg_drain(db);
    }
    PQclear(db->rows);
    db->rows = NULL;
}

/* The next row of a streamed query. */
static enum store_result next_streamed(struct pg *db)
{
    PGresult *result;
    PQclear(db->rows);
    db->rows = NULL;
    if (!db->connection || !get_result(db, &result, pg_now() + PG_ANSWER_MS, false)) {
        lose(db, lost);
        return STORE_FAILED;
    }
    if (result && PQresultStatus(result) == PGRES_SINGLE_TUPLE) {
        db->rows = result;
        db->row = 0;
        return STORE_OK;
    }
    db->is_streaming = false;
    if (result)
        note(db, (struct pg_sent){ .kind = PG_CONTROL }, result);
    if (!pg_drain(db))
        return STORE_FAILED;
    PQclear(db->rows);
    db->rows = NULL;
    return db->failure ? db->failure : STORE_MISSING;
}

static enum store_result next(struct store_db *base)
{
    struct pg *db = (struct pg *)base;
    if (db->is_streaming)
        return next_streamed(db);
    if (!db->rows)
        return STORE_FAILED;
    if (++db->row < PQntuples(db->rows))
        return STORE_OK;
    finish(base);
    return STORE_MISSING;
}

/* Binary results are big-endian, with a length that depends on the type. */
static uint64_t read_bits(const struct pg *db, int column)
{
    const unsigned char *at = (const unsigned char *)PQgetvalue(db->rows, db->row, column);
    uint64_t bits = 0;
    for (int i = 0; i < PQgetlength(db->rows, db->row, column); i++)
        bits = bits << 8 | at[i];
    return bits;
}

/* The column may be an integer, as of count(*). */
static double real(struct store_db *base, int column)
{
    const struct pg *db = (const struct pg *)base;
    uint64_t bits = read_bits(db, column);
    double value;
    if (PQftype(db->rows, column) != 701)    /* float8 */
        return (double)(int64_t)bits;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Of 2, 4 or 8 bytes; NULL is 0. */
static int64_t number(struct store_db *base, int column)
{
    const struct pg *db = (const struct pg *)base;
    uint64_t bits = read_bits(db, column);
    switch (PQgetlength(db->rows, db->row, column)) {
    case 2:
        return (int16_t)bits;
    case 4:
        return (int32_t)bits;
    default:
        return (int64_t)bits;
    }
}

static const void *bytes(struct store_db *base, int column, size_t *size)
{
    const struct pg *db = (const struct pg *)base;
    *size = (size_t)PQgetlength(db->rows, db->row, column);
    return PQgetisnull(db->rows, db->row, column) ? NULL : PQgetvalue(db->rows, db->row, column);
}

/* The engine. */

static void explain(struct store_db *base, const char *where, char *error, size_t size)
{
    char name[256];
    (void)base;
    pg_name(where, name, sizeof name);
    snprintf(error, size, _("%s cannot be opened: %s"), name, _("the connection was lost"));
}

/* Called twice per second while idle (store.c): a lost connection is noticed and replaced before a request needs it. */
static enum store_health look(struct store_db *base)
{
    struct pg *db = (struct pg *)base;
    if (!db->in_transaction) {
        if (db->connection && !db->count && is_cut(db))
            lose(db, lost);
        reconnect(db);
    }
    return db->connection ? STORE_WELL : STORE_NO_WRITES;
}

/* From now on the connection belongs to a server: `wait` is called while it waits, so that the store can report and be
 * stopped. */
static void serve(struct store_db *base, bool (*wait)(void *context, unsigned ms, bool is_ill), void *context)
{
    struct pg *db = (struct pg *)base;
    db->is_serving = true;
    db->wait = wait;
    db->context = context;
    if (!control(db, PG_SERVING, PG_IGNORE) || !pg_sync(db) || !pg_drain(db))
        lose(db, lost);
}

/* A transaction that only read may still be in the pipeline. */
static void close_pg(struct store_db *base)
{
    struct pg *db = (struct pg *)base;
    pg_drain(db);
    pg_disconnect(db);
    free(db->where);
    free(db->sent);
    free(db->refused);
    free(db->news);
    free(db->words);
    free(db);
}

static struct store_db *open_pg(const char *where, bool write, char *error, size_t size)
{
    struct pg *db = calloc(1, sizeof *db);
    if (!db || !(db->where = strdup(where))) {
        free(db);
        snprintf(error, size, "%s", pyr_text_system(ENOMEM));
        return NULL;
    }
    db->base.engine = &store_pg;
    db->write = write;
    db->is_synced = true;
    if (pg_connect(db, true, error, size))
        return &db->base;
    close_pg(&db->base);
    return NULL;
}

const struct store_engine store_pg = {
    .name = "PostgreSQL",
    .upserts_well = true,
    .locks_rows = true,
    .is_shared = true,
    .announce = announce,
    .listen = pg_listen,
    .listen_end = pg_listen_end,
    .is_mine = store_is_connection,
    .open = open_pg,
    .probe = pg_probe,
    .serve = serve,
    .close = close_pg,
    .name_of = pg_name,
    .explain = explain,
    .look = look,
    .begin = begin,
    .settle = settle,
    .commit = commit,
    .rollback = rollback,
    .is_lost = is_lost,
    .has_clashed = has_clashed,
    .has_written = has_written,
    .savepoint = savepoint,
    .release = release,
    .job_begin = job_begin,
    .job_end = job_end,
    .execute = execute,
    .send = send_later,
    .query = query,
    .next = next,
    .finish = finish,
    .number = number,
    .real = real,
    .bytes = bytes,
};
