/*
 * store.c: the store's thread. Jobs submitted while a transaction is being written to the disk share the next one.
 *
 *  1. A job is answered STORE_OK only after the transaction it was in is on the disk.
 *  2. Jobs are answered in the order in which they were submitted. They are run in that order if they are about the same
 *     table, or if no other server uses the database.
 *  3. A job that fails is undone alone. If the transaction fails, each of its jobs is run again in one of its own, so
 *     that only jobs that cannot be stored are refused. (They are run again, not just committed again: after a failed
 *     sync, only pages that are written again are certain to reach the disk.)
 *  4. No failure ends the thread.
 *  5. Jobs that come together share a transaction. The thread gets them when the loop is about to wait, or has handled
 *     what it waited for, so those of one turn of the loop arrive together. After a transaction the thread lets the loop
 *     deliver the results before it begins the next one: answers lead to the next jobs. An idle thread waits for nothing.
 *
 * Two threads: the loop's, which submits jobs and gets their results, and the store's, the only one that uses `db`
 * between opening and closing. They share two lists under `mutex`; a job is owned by exactly one list (of these, or
 * `submitted`, which is the loop's), or by the thread that took it off.
 *
 * The loop is kept alive by the async handle while jobs are pending (uv_ref, uv_unref), so a server that is stopping
 * waits for them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pyramids/text.h>

#include "store_engine.h"

#define MOST_JOBS 256            /* per transaction: limits how long the first of them waits for the last */
#define MOST_ATTEMPTS 4          /* to run jobs together, before each is run alone */
#define CLOSE_MS 3000            /* how long closing waits for a database that does not answer */
#define LOOK_MS 500              /* between looks at the database while it is idle */
#define DELIVERY_MS 2            /* how long the thread waits for a busy loop to deliver results (5) */

struct list {
    struct store_job *first, **end;
};

struct store {
    uv_async_t async;            /* wakes the loop when jobs are finished */
    uv_prepare_t before;         /* called before the loop waits, and after */
    uv_check_t after;
    unsigned handles;            /* of these three, those that are not closed yet */
    uv_thread_t thread;
    uv_mutex_t mutex;
    uv_cond_t work, idle;
    struct store_listener *listener;         /* NULL: none */
    struct store_db *db;         /* used by the thread only, between opening and closing */

    struct list waiting, finished;           /* under the mutex, as are the next ones */
    struct store_counters sums;
    bool busy, stop;
    bool is_delivering;          /* results of the last transaction are on their way to the loop (5) */
    uint64_t pulse;              /* uv_hrtime when the thread last showed that it is alive */
    uint64_t closing;            /* uv_hrtime of store_close; 0: not called yet */

    struct store_counters counters;          /* used by the loop only: `sums` as of the last delivery */
    struct list submitted;       /* as are these: jobs that the thread has not got yet */
    bool has_delivered;
    unsigned pending;
};

/* `end` points to the link for the next job, so appending needs no search. */
static void append(struct list *list, struct store_job *job)
{
    job->next = NULL;
    *list->end = job;
    list->end = &job->next;
}

static struct store_job *take(struct list *list)
{
    struct store_job *job = list->first;
    if (job && !(list->first = job->next))
        list->end = &list->first;
    return job;
}

/* Ends a transaction; counts it if it changed anything. */
static enum store_result commit(struct store_db *db, struct store_counters *sums)
{
    uint64_t start = uv_hrtime();
    if (!db->engine->has_written(db))
        return store_db_commit(db);
    if (db->engine->look(db) == STORE_NO_FILE) {     /* it would be written to a file that no longer has a name */
        sums->health = STORE_NO_FILE;
        store_db_rollback(db);
        return STORE_FAILED;
    }
    enum store_result result = store_db_commit(db);
    sums->health = result ? STORE_NO_WRITES : STORE_WELL;
    if (result == STORE_OK) {
        sums->commits++;
        sums->seconds += (double)(uv_hrtime() - start) * 1e-9;
    }
    return result;
}

/* Jobs that run together. Jobs that an attempt has refused keep their result in the next attempt. */
struct group {
    struct store_job *job[MOST_JOBS];
    bool is_refused[MOST_JOBS];
    unsigned count;
    unsigned index[MOST_JOBS];               /* of the jobs that were run in this attempt */
    bool has_refused;            /* a refused one is not void: the others have to run again without it */
};

/* `which` counts the jobs that this attempt has run; `index` translates it, since refused ones are left out. */
static void refuse(void *context, unsigned which, enum store_result result, bool is_void)
{
    struct group *group = context;
    unsigned i = group->index[which];
    group->is_refused[i] = true;
    group->has_refused |= !is_void;
    group->job[i]->result = result;
}

enum outcome { KEPT, AGAIN, UNDONE };

/* A server that changes ratings or leaderboards waits until no other server does. That lock is taken before the locks of
 * all tables in the transaction; otherwise one server could hold a table and wait for the lock while another holds the
 * lock and waits for the table. */
static enum store_result lock_first(struct store_db *db, const struct group *group)
{
    for (unsigned i = 0; i < group->count; i++)
        if (!group->is_refused[i] && group->job[i]->locks_results)
            return store_lock_results(db);
    return STORE_OK;
}

/* Runs jobs in one transaction. AGAIN: some were refused, and the others are to be run without them. UNDONE: no job has a
 * result. */
static enum outcome attempt(struct store_db *db, struct group *group, struct store_counters *sums)
{
    unsigned run = 0;
    group->has_refused = false;
    if (store_db_begin(db, true) != STORE_OK)
        return UNDONE;
    if (lock_first(db, group) != STORE_OK)
        goto undo;
    for (unsigned i = 0; i < group->count; i++) {
        struct store_job *job = group->job[i];
        if (group->is_refused[i])
            continue;
        group->index[run++] = i;
        if (store_db_job_begin(db) != STORE_OK)
            goto undo;
        job->result = job->run(db, job);
        /* When there is no room for one job there may be room for each alone. */
        if (job->result == STORE_NO_ROOM || store_db_job_end(db, job->result) != STORE_OK)
            goto undo;
    }
    if (store_db_settle(db, refuse, group) != STORE_OK)
        goto undo;
    if (!group->has_refused)
        return commit(db, sums) == STORE_OK ? KEPT : UNDONE;
    store_db_rollback(db);
    return AGAIN;

undo:
    store_db_rollback(db);
    return UNDONE;
}

static void refuse_alone(void *context, unsigned which, enum store_result result, bool is_void)
{
    (void)which;
    (void)is_void;
    ((struct store_job *)context)->result = result;
}

/* Two servers that wait for each other get an error after a second, by PostgreSQL's deadlock_timeout: one of them is
 * undone. */
static bool has_clashed(const struct store_db *db)
{
    return db->engine->has_clashed && db->engine->has_clashed(db);
}

/* Called after a common transaction has failed. A job that fails here for lack of room or of a database marks the store
 * as not writing; one that only had a conflict does not. */
static void try_alone(struct store_db *db, struct store_job *job, struct store_counters *sums)
{
    enum store_result begun = job->result = store_db_begin(db, true);
    if (!begun && job->locks_results)
        job->result = store_lock_results(db);
    if (!job->result)
        job->result = job->run(db, job);
    if (job->result == STORE_OK) {
        enum store_result settled = store_db_settle(db, refuse_alone, job);
        if (settled)
            job->result = settled;
    }
    if (job->result == STORE_OK) {
        job->result = commit(db, sums);
        return;
    }
    bool is_ill = job->result == STORE_NO_ROOM || begun || db->engine->is_lost(db);
    if (sums->health == STORE_WELL && is_ill && !has_clashed(db))
        sums->health = STORE_NO_WRITES;
    store_db_rollback(db);
}

static void run_alone(struct store_db *db, struct store_job *job, struct store_counters *sums)
{
    unsigned tries = 0;
    do
        try_alone(db, job, sums);
    while (job->result && has_clashed(db) && ++tries < MOST_ATTEMPTS);
}

/* The table that a job changes; 0: none, or not known. New tables lock their host's row and come first. */
static int64_t table_of(const struct store_job *job)
{
    const struct store_table *table = &((const struct store_commit *)job)->table;
    return job->run != store_run_commit ? 0 : table->revision ? table->id : INT64_MIN + table->host;
}

/* Jobs of one table keep their order, but tables are changed in the order of their ids: so if two servers have the same
 * tables in their transactions, one waits for the other, but never each for the other. */
static void sort_by_table(struct group *group)
{
    for (unsigned i = 1; i < group->count; i++) {
        struct store_job *job = group->job[i];
        unsigned at = i;
        for (; at && table_of(group->job[at - 1]) > table_of(job); at--)
            group->job[at] = group->job[at - 1];
        group->job[at] = job;
    }
}

/* Runs jobs together if possible: throughput comes from one sync of the disk for up to MOST_JOBS jobs. */
static void run_jobs(struct store_db *db, struct store_job *first, struct store_counters *sums)
{
    struct group group = { .count = 0 };
    enum outcome outcome = AGAIN;
    for (struct store_job *job = first; job; job = job->next)
        group.job[group.count++] = job;
    if (db->engine->locks_rows)
        sort_by_table(&group);
    /* Jobs that were refused because of the data they found are left out; a second time only if their leaving made others
     * fail. */
    for (unsigned tries = 0; outcome == AGAIN && tries < MOST_ATTEMPTS; tries++)
        outcome = attempt(db, &group, sums);
    for (unsigned i = 0; i < group.count && outcome != KEPT; i++)
        if (!group.is_refused[i])
            run_alone(db, group.job[i], sums);
    for (unsigned i = 0; i < group.count; i++) {
        sums->jobs++;
        sums->failed += group.job[i]->result == STORE_NO_ROOM || group.job[i]->result == STORE_FAILED;
    }
}

/* For an engine that has to wait for its database: when the store is closing, it waits no longer than CLOSE_MS. */
static bool let_time_pass(void *context, unsigned ms, bool is_ill)
{
    struct store *store = context;
    struct timespec pause = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };
    if (ms)
        nanosleep(&pause, NULL);
    uv_mutex_lock(&store->mutex);
    if (is_ill) {
        store->sums.health = STORE_NO_WRITES;
        store->pulse = uv_hrtime();
    }
    bool more = !store->closing || uv_hrtime() < store->closing + CLOSE_MS * 1000000ull;
    uv_mutex_unlock(&store->mutex);
    return more;
}

/* With the lock. The database is looked at while nothing else happens. `seen`: its health between transactions. */
static void look(struct store *store, enum store_health *seen)
{
    uv_mutex_unlock(&store->mutex);          /* a file system may be slow, and the loop must not wait for it */
    enum store_health found = store->db->engine->look(store->db);
    /* A store that could not write has recovered once something was written. */
    *seen = found == STORE_WELL && *seen == STORE_NO_WRITES ? *seen : found;
    uv_mutex_lock(&store->mutex);
    store->sums.health = *seen;
    store->pulse = uv_hrtime();
}

/* With the lock. Waits for jobs, and then for the delivery of the last results, which may lead to more of them (5). */
static void wait_for_jobs(struct store *store, enum store_health *seen)
{
    uint64_t until = uv_hrtime() + DELIVERY_MS * 1000000ull;
    while (!store->waiting.first && !store->stop)
        if (uv_cond_timedwait(&store->work, &store->mutex, LOOK_MS * 1000000))
            look(store, seen);
    for (uint64_t now; store->is_delivering && !store->closing && (now = uv_hrtime()) < until;)
        uv_cond_timedwait(&store->work, &store->mutex, until - now);
    store->is_delivering = false;
}

/* The lock is held except while jobs run and while the file is checked. `sums` is copied out and in, so that every reader
 * that holds the lock sees consistent counters. */
static void work(void *argument)
{
    struct store *store = argument;
    enum store_health seen = STORE_WELL;     /* between transactions */
    uv_mutex_lock(&store->mutex);
    for (;;) {
        store->pulse = uv_hrtime();
        wait_for_jobs(store, &seen);
        if (!store->waiting.first)
            break;
        struct list batch = { NULL, &batch.first };
        struct store_counters sums = store->sums;
        for (unsigned i = 0; i < MOST_JOBS && store->waiting.first; i++)
            append(&batch, take(&store->waiting));
        store->busy = true;
        uv_mutex_unlock(&store->mutex);

        run_jobs(store->db, batch.first, &sums);

        uv_mutex_lock(&store->mutex);
        *store->finished.end = batch.first;
        store->finished.end = batch.end;
        store->sums = sums;
        seen = sums.health;
        store->busy = false;
        store->is_delivering = true;
        uv_cond_signal(&store->idle);
        uv_async_send(&store->async);
    }
    uv_mutex_unlock(&store->mutex);
}

/* Calls what is due. One job at a time: a `done` may submit more, or close the store. */
static void deliver(struct store *store)
{
    for (;;) {
        uv_mutex_lock(&store->mutex);
        struct store_job *job = take(&store->finished);
        store->counters = store->sums;
        uv_mutex_unlock(&store->mutex);
        if (!job)
            return;
        if (!--store->pending && !uv_is_closing((uv_handle_t *)&store->async))
            uv_unref((uv_handle_t *)&store->async);
        job->done(job, job->result);
    }
}

static void on_finished(uv_async_t *async)
{
    struct store *store = async->data;
    deliver(store);
    store->has_delivered = true;
}

/* Gives the thread what was submitted since the last time. */
static void hand_in(struct store *store)
{
    if (!store->submitted.first && !store->has_delivered)
        return;
    uv_mutex_lock(&store->mutex);
    if (store->submitted.first) {
        *store->waiting.end = store->submitted.first;
        store->waiting.end = store->submitted.end;
    }
    if (store->has_delivered)
        store->is_delivering = false;
    if (store->waiting.first)
        uv_cond_signal(&store->work);
    uv_mutex_unlock(&store->mutex);
    store->submitted = (struct list){ NULL, &store->submitted.first };
    store->has_delivered = false;
}

static void before_wait(uv_prepare_t *before)
{
    hand_in(before->data);
}

static void after_wait(uv_check_t *after)
{
    hand_in(after->data);
}

/* Started before the server's own handles, so that `before` is called after theirs: libuv calls the last one first. They
 * cannot fail, and do not keep the loop alive. */
static void watch_loop(struct store *store, uv_loop_t *loop)
{
    store->async.data = store->before.data = store->after.data = store;
    uv_prepare_init(loop, &store->before);
    uv_prepare_start(&store->before, before_wait);
    uv_check_init(loop, &store->after);
    uv_check_start(&store->after, after_wait);
    uv_unref((uv_handle_t *)&store->async);
    uv_unref((uv_handle_t *)&store->before);
    uv_unref((uv_handle_t *)&store->after);
    store->handles = 3;
}

static void on_closed(uv_handle_t *handle)
{
    struct store *store = handle->data;
    if (--store->handles)
        return;
    uv_cond_destroy(&store->idle);
    uv_cond_destroy(&store->work);
    uv_mutex_destroy(&store->mutex);
    free(store);
}

static void close_handles(struct store *store)
{
    uv_close((uv_handle_t *)&store->async, on_closed);
    uv_close((uv_handle_t *)&store->before, on_closed);
    uv_close((uv_handle_t *)&store->after, on_closed);
}

/* The loader may read and write, in one transaction. */
static bool load_first(struct store_db *db, bool (*load)(struct store_db *db, void *context), void *context)
{
    if (!load)
        return true;
    if (store_db_begin(db, true) != STORE_OK)
        return false;
    if (load(db, context))
        return store_db_commit(db) == STORE_OK;
    store_db_rollback(db);
    return false;
}

/* On failure everything is undone in reverse (the labels below). Until the thread starts, no other thread uses the
 * database. */
bool store_open(struct store **store, uv_loop_t *loop, const char *path, bool (*load)(struct store_db *db, void *context),
    void *context, char *error, size_t error_size)
{
    struct store *s = calloc(1, sizeof *s);
    int code = UV_ENOMEM;
    char name[1024];
    store_name(path, name, sizeof name);
    if (!s)
        goto no_memory;
    s->pulse = uv_hrtime();
    s->waiting.end = &s->waiting.first;
    s->finished.end = &s->finished.first;
    s->submitted.end = &s->submitted.first;
    s->db = store_db_open(path, true, error, error_size);
    if (!s->db)
        goto no_database;
    if (!load_first(s->db, load, context)) {
        snprintf(error, error_size, _("the tables in %s could not be loaded"), name);
        goto not_loaded;
    }
    if ((code = uv_mutex_init(&s->mutex)))
        goto no_mutex;
    if ((code = uv_cond_init(&s->work)))
        goto no_work;
    if ((code = uv_cond_init(&s->idle)))
        goto no_idle;
    if ((code = uv_async_init(loop, &s->async, on_finished)))
        goto no_async;
    watch_loop(s, loop);
    if (s->db->engine->serve)
        s->db->engine->serve(s->db, let_time_pass, s);
    if ((code = uv_thread_create(&s->thread, work, s))) {
        snprintf(error, error_size, "%s: %s", name, pyr_text_system(-code));
        store_db_close(s->db);
        close_handles(s);
        return false;
    }
    *store = s;
    return true;

no_async:
    uv_cond_destroy(&s->idle);
no_idle:
    uv_cond_destroy(&s->work);
no_work:
    uv_mutex_destroy(&s->mutex);
no_mutex:
    snprintf(error, error_size, "%s: %s", name, pyr_text_system(-code));
not_loaded:
    store_db_close(s->db);
no_database:
    free(s);
    return false;

no_memory:
    snprintf(error, error_size, "%s: %s", name, pyr_text_system(-code));
    return false;
}

bool store_is_shared(const struct store *store)
{
    return store->db->engine->is_shared;
}

bool store_listen(struct store *store, store_on_news *on_news, void *context)
{
    const struct store_engine *engine = store->db->engine;
    if (engine->is_shared)
        store->listener = engine->listen(store->db, store->async.loop, on_news, context);
    return !engine->is_shared || store->listener;
}

/* From the loop's thread only: `pending` is not under the lock. */
void store_submit(struct store *store, struct store_job *job)
{
    if (!store->pending++)
        uv_ref((uv_handle_t *)&store->async);
    append(&store->submitted, job);
}

uint64_t store_pulse(struct store *store)
{
    uv_mutex_lock(&store->mutex);
    uint64_t pulse = store->pulse;
    uv_mutex_unlock(&store->mutex);
    return pulse / 1000000;
}

unsigned store_pending(const struct store *store)
{
    return store->pending;
}

struct store_counters store_counters(const struct store *store)
{
    return store->counters;
}

enum store_health store_health(struct store *store)
{
    uv_mutex_lock(&store->mutex);
    enum store_health health = store->sums.health;
    uv_mutex_unlock(&store->mutex);
    return health;
}

/* Waits until every job is answered, including jobs that these answers submit. The thread ends only then; let_time_pass
 * makes an engine that waits for its database give up after CLOSE_MS. */
void store_close(struct store *store)
{
    if (!store)
        return;
    uv_mutex_lock(&store->mutex);
    store->closing = uv_hrtime();
    uv_mutex_unlock(&store->mutex);
    do {
        hand_in(store);
        uv_mutex_lock(&store->mutex);
        while (store->waiting.first || store->busy)
            uv_cond_wait(&store->idle, &store->mutex);
        uv_mutex_unlock(&store->mutex);
        deliver(store);
    } while (store->pending);
    uv_mutex_lock(&store->mutex);
    store->stop = true;
    uv_cond_signal(&store->work);
    uv_mutex_unlock(&store->mutex);
    uv_thread_join(&store->thread);
    if (store->listener)
        store->db->engine->listen_end(store->listener);
    store_db_close(store->db);
    close_handles(store);
}
