/*
 * pool.c: threads for bots and analyses. The loop's thread decides what each of them does next and gets the results; it
 * never waits for them.
 *
 *  1. Bots' choices wait in a schedule (schedule.h) and are handed out one at a time as threads become free. The game is
 *     copied only then, so a long queue needs memory only for its entries.
 *  2. Light levels (those without playouts) have a thread of their own besides --bot-threads, so they never wait for a
 *     heavy choice.
 *  3. A heavy choice is cut short while choices of other addresses are waiting.
 *  4. A bot's tables for an edition are made once, by a thread for that, and shared by all threads: afterwards they are
 *     only read.
 *  5. Analyses have a thread of the lowest priority. They run in slices and pause while any bot has something to do. They
 *     still get a slice now and then, so that a server whose bots are always busy finishes them, too.
 *
 * Locks: `lock` guards those members of struct worker that are its present task, `finished` and the conditions.
 * Everything else in struct pool belongs to the loop; the atomics are read by threads without the lock, as hints that may
 * be slightly out of date. A worker owns what it was given (bot_job, memory or job) until it sets `finished`; deliver()
 * takes it back.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "pool.h"
#include "server.h"

#define THINK_SECONDS 1.0        /* the most that a step takes while no one is waiting, */
#define HURRY_SECONDS 0.05       /* while many wait; for all steps of a choice together, while another address waits */
#define SLICE_SECONDS 0.02       /* of an analysis */
#define BUSY 4                   /* choices that may be waiting per thread before other servers are asked */
#define REST_SECONDS 0.25        /* the longest pause between two slices */

/* from WORKER_HEAVY on: `threads` of them */
enum worker_kind { WORKER_LIGHT, WORKER_MAKER, WORKER_ANALYST, WORKER_HEAVY };
enum hurry { HURRY_NONE, HURRY_OWN, HURRY_OTHERS };

/* The tables of all bots with this `prepare`, for an edition. */
struct memory {
    struct memory *next;
    void (*prepare)(void *memory, const struct pyr_box *box);
    const struct pyr_edition *edition;
    void *block;                 /* NULL: there was no memory for it */
    size_t size;
    bool ready;
    struct schedule_queue asks;  /* choices that are waiting for it */
};

struct worker {
    struct pool *pool;
    enum worker_kind kind;
    uv_thread_t thread;
    uv_cond_t more;
    /* Its present task is one of these; set by the loop under the lock, and taken back by it once `finished`. */
    struct bot_job *bot_job;
    struct memory *memory;
    struct pool_job *job;
    bool finished;               /* under the lock */
    atomic_uint hurry;           /* enum hurry */
    /* Used by the thread only. */
    double began, step_began;
};

struct pool {
    uv_mutex_t lock;
    uv_async_t wake;
    uv_cond_t calm;              /* no bot has anything to do, or the pool is stopping */
    atomic_bool stopping;
    atomic_uint pressing;        /* choices that bots still have to make */
    double slice;                /* when the analyst began its slice; used by its thread only */
    /* Used by the loop only. */
    struct schedule asks, jobs; /* choices of bots; analyses */
    struct memory *memories;     /* owned; never freed before pool_stop, since bot_jobs point into them */
    struct bot_job *(*begin)(struct ask *ask); /* copies the game; NULL: no longer due */
    void (*done)(struct bot_job *bot_job); /* takes over the bot_job */
    struct pool_state state;
    unsigned workers;
    struct worker worker[];
};

/* Real time, not the server's clock: a test that stops the clock must not stop bots from finishing. */
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* In the threads. */

/* Called by bots between playouts. Normally each step of a choice has THINK_SECONDS; while another address is waiting,
 * the whole choice has HURRY_SECONDS from its beginning, so several steps cannot stretch it. */
static bool is_time_up(void *context)
{
    struct worker *worker = context;
    double now = seconds();
    unsigned hurry = atomic_load_explicit(&worker->hurry, memory_order_relaxed);
    if (atomic_load_explicit(&worker->pool->stopping, memory_order_relaxed))
        return true;
    if (hurry == HURRY_OTHERS)
        return now - worker->began >= HURRY_SECONDS;
    return now - worker->step_began >= (hurry == HURRY_OWN ? HURRY_SECONDS : THINK_SECONDS);
}

static bool is_stopping(void *context)
{
    return atomic_load_explicit(&((struct worker *)context)->pool->stopping, memory_order_relaxed);
}

/* Makes a whole choice, step by step, on the bot_job's own copy of the game. The steps are submitted as a change later
 * and checked like a person's; if the table has changed meanwhile, they are refused as late. */
static void think(struct worker *worker, struct bot_job *bot_job)
{
    struct pyr_game *game = &bot_job->game;
    struct pyr_rng rng;
    struct pyr_budget budget = { .is_over = bot_job->is_fixed ? is_stopping : is_time_up, .context = worker };
    const struct pyr_bot *bot = bot_job->bot;
    pyr_rng_seed(&rng, bot_job->seed, 0);
    worker->began = seconds();
    while (bot_job->steps < PYR_MAX_PARTS && !pyr_game_is_ready(game, bot_job->seat)) {
        struct pyr_view view;
        pyr_game_view(game, bot_job->seat, &view);
        worker->step_began = seconds();
        if (bot_job->is_fixed)
            pyr_daily_rng(bot_job->seed, bot_job->seat, bot_job->steps, &rng);
        pyr_step step = bot->choose(bot_job->memory, &bot_job->edition->box, &view, &rng, &budget);
        bot_job->step[bot_job->steps++] = step;
        if (pyr_game_step(game, bot_job->seat, step, NULL) || !game->choice[bot_job->seat].count)
            break;                           /* a take or draw is confirmed at once */
    }
}

/* The block begins at a cache line and is a whole number of them, as aligned_alloc requires. */
static void make(struct memory *memory)
{
    memory->block = aligned_alloc(64, (memory->size + 63) / 64 * 64);
    if (memory->block)
        memory->prepare(memory->block, &memory->edition->box);
}

/* Where threads can have priorities of their own, the loop and the light levels have precedence over heavy choices, and
 * these over analyses. */
static void lower_priority(enum worker_kind kind)
{
#ifdef __linux__
    int nice = kind == WORKER_HEAVY ? 5 : kind == WORKER_ANALYST ? 19 : 0;
    if (nice)
        setpriority(PRIO_PROCESS, 0, nice);  /* of this thread; where a sandbox forbids it, priorities stay equal */
#else
    (void)kind;
#endif
}

static void run(void *context)
{
    struct worker *worker = context;
    struct pool *pool = worker->pool;
    lower_priority(worker->kind);
    uv_mutex_lock(&pool->lock);
    while (!atomic_load(&pool->stopping)) {
        if (worker->finished || !(worker->bot_job || worker->memory || worker->job)) {
            uv_cond_wait(&worker->more, &pool->lock);
            continue;
        }
        uv_mutex_unlock(&pool->lock);
        if (worker->bot_job)
            think(worker, worker->bot_job);
        else if (worker->memory)
            make(worker->memory);
        else
            worker->job->run(worker->job);
        uv_mutex_lock(&pool->lock);
        worker->finished = true;
        uv_async_send(&pool->wake);
    }
    uv_mutex_unlock(&pool->lock);
}

/* Called by an analysis between its tasks, in its thread. After SLICE_SECONDS of work it waits until no bot has anything
 * to do, but not longer than REST_SECONDS. True: the server is stopping, and the analysis is cancelled. */
bool pool_rest(struct pool *pool)
{
    if (!atomic_load_explicit(&pool->stopping, memory_order_relaxed) && seconds() - pool->slice < SLICE_SECONDS)
        return false;
    uint64_t rest = (uint64_t)(REST_SECONDS * 1e9), end = uv_hrtime() + rest;
    uv_mutex_lock(&pool->lock);
    while (atomic_load(&pool->pressing) && !atomic_load(&pool->stopping) && uv_hrtime() < end)
        uv_cond_timedwait(&pool->calm, &pool->lock, end - uv_hrtime() < rest ? end - uv_hrtime() : rest);
    uv_mutex_unlock(&pool->lock);
    pool->slice = seconds();
    return atomic_load(&pool->stopping);
}

/* In the loop: handing out work. */

/* Bots with playouts take long; the others look at each choice once. */
static bool is_heavy(const struct pyr_bot *bot)
{
    static const char *const heavy[] = { "flatmc", "expert", "master", "veteran" };
    for (unsigned i = 0; i < sizeof heavy / sizeof *heavy; i++)
        if (!strcmp(bot->name, heavy[i]))
            return true;
    return false;
}

static struct memory *memory_of(const struct pool *pool, const struct pyr_bot *bot, const struct pyr_edition *edition)
{
    struct memory *memory = pool->memories;
    while (memory && (memory->prepare != bot->prepare || memory->edition != edition))
        memory = memory->next;
    return memory;
}

/* Exactly one of the three is not NULL, except that a maker may be given nothing, which leaves it idle. */
static void hand(struct worker *worker, struct bot_job *bot_job, struct memory *memory, struct pool_job *job)
{
    uv_mutex_lock(&worker->pool->lock);
    worker->bot_job = bot_job;
    worker->memory = memory;
    worker->job = job;
    atomic_store(&worker->hurry, HURRY_NONE);
    uv_cond_signal(&worker->more);
    uv_mutex_unlock(&worker->pool->lock);
}

static bool is_idle(const struct worker *worker)
{
    return !worker->bot_job && !worker->memory && !worker->job;
}

/* Gives a thread the next choice of a lane; false: there is none. */
static bool hand_bot_job(struct worker *worker, enum schedule_lane lane)
{
    struct pool *pool = worker->pool;
    struct schedule_job *job;
    while ((job = schedule_take(&pool->asks, lane)) != NULL) {
        struct ask *ask = (struct ask *)job;
        struct bot_job *bot_job = pool->begin(ask);
        if (!bot_job)
            continue;                        /* no longer due, or no memory: then it is asked again */
        const struct memory *memory = ask->bot->memory(&ask->edition->box) ? memory_of(pool, ask->bot, ask->edition) : NULL;
        ask->thinking = true;
        bot_job->ask = ask;
        bot_job->edition = ask->edition;
        bot_job->memory = memory ? memory->block : NULL;
        /* A poor choice is better than a table that cannot continue. */
        bot_job->bot = memory && !memory->block ? pyr_bot_find("random") : ask->bot;
        bot_job->address = job->address;
        bot_job->watched = job->watched;
        pool->state.thinking++;
        hand(worker, bot_job, NULL, NULL);
        return true;
    }
    return false;
}

/* First come, first served: the newest is at the front of the list, so the last one found is the oldest. */
static struct memory *oldest_unmade(const struct pool *pool)
{
    struct memory *oldest = NULL;
    for (struct memory *memory = pool->memories; memory; memory = memory->next)      /* newest first */
        if (!memory->ready)
            oldest = memory;
    return oldest;
}

/* Heavy threads help with light choices when there is nothing heavy; the light thread never takes a heavy one, so light
 * levels stay quick (rule 2 above). */
static void hand_something(struct worker *worker)
{
    struct pool *pool = worker->pool;
    struct schedule_job *job;
    switch (worker->kind) {
    case WORKER_LIGHT:
        hand_bot_job(worker, SCHEDULE_LIGHT);
        break;
    case WORKER_HEAVY:
        if (!hand_bot_job(worker, SCHEDULE_HEAVY))
            hand_bot_job(worker, SCHEDULE_LIGHT);
        break;
    case WORKER_MAKER:
        hand(worker, NULL, oldest_unmade(pool), NULL);
        break;
    case WORKER_ANALYST:
        job = schedule_take(&pool->jobs, SCHEDULE_LIGHT);
        if (job) {
            pool->slice = 0;                 /* it pauses first, if a bot has something to do */
            hand(worker, NULL, NULL, (struct pool_job *)job);
        }
        break;
    }
}

/* Cuts heavy choices short while others are waiting: those of tables that no person is watching for any other choice,
 * those that a person waits for only for choices that other people wait for. */
static void hurry(struct pool *pool)
{
    /* An address that fills the queue affects only itself: its own choices are shortened once two rounds of them are
     * waiting. */
    unsigned own = 2 * (pool->workers - WORKER_HEAVY);
    for (struct worker *worker = &pool->worker[WORKER_HEAVY]; worker < pool->worker + pool->workers; worker++) {
        const struct bot_job *bot_job = worker->bot_job;
        if (!bot_job)
            continue;
        atomic_store_explicit(&worker->hurry,
            schedule_waiting_others(&pool->asks, SCHEDULE_HEAVY, bot_job->address, bot_job->watched) ? HURRY_OTHERS :
            schedule_waiting(&pool->asks, SCHEDULE_HEAVY) > own ? HURRY_OWN : HURRY_NONE, memory_order_relaxed);
    }
}

/* Gives idle threads something to do; called after every event that may have changed that. When `pressing` falls to 0,
 * analyses run. */
static void pump(struct pool *pool)
{
    if (atomic_load(&pool->stopping))
        return;
    for (struct worker *worker = pool->worker; worker < pool->worker + pool->workers; worker++)
        if (is_idle(worker))
            hand_something(worker);
    hurry(pool);
    unsigned pressing = pool->state.thinking + schedule_waiting(&pool->asks, SCHEDULE_LIGHT) +
        schedule_waiting(&pool->asks, SCHEDULE_HEAVY);
    if (atomic_exchange(&pool->pressing, pressing) && !pressing) {
        uv_mutex_lock(&pool->lock);
        uv_cond_signal(&pool->calm);
        uv_mutex_unlock(&pool->lock);
    }
}

static void deliver_bot_job(struct pool *pool, const struct worker *worker, struct bot_job *bot_job)
{
    struct ask *ask = bot_job->ask;
    pool->state.thinking--;
    pool->state.bot_choices[ask->job.lane]++;
    pool->state.shortened += ask->job.lane == SCHEDULE_HEAVY && atomic_load(&worker->hurry) != HURRY_NONE;
    ask->thinking = false;
    pool->done(bot_job);
}

static void deliver_memory(struct pool *pool, struct memory *memory)
{
    memory->ready = true;
    while (memory->asks.first) {
        struct schedule_job *job = memory->asks.first;
        schedule_queue_remove(&memory->asks, job);
        schedule_add(&pool->asks, job);      /* without memory the next tick tries again */
    }
}

/* libuv may merge several wake-ups into one, so all workers are checked. Callbacks run without the lock: they may submit
 * more. */
static void deliver(uv_async_t *wake)
{
    struct pool *pool = wake->data;
    for (struct worker *worker = pool->worker; worker < pool->worker + pool->workers; worker++) {
        uv_mutex_lock(&pool->lock);
        bool finished = worker->finished;
        struct bot_job *bot_job = worker->bot_job;
        struct memory *memory = worker->memory;
        struct pool_job *job = worker->job;
        if (finished) {
            worker->finished = false;
            worker->bot_job = NULL;
            worker->memory = NULL;
            worker->job = NULL;
        }
        uv_mutex_unlock(&pool->lock);
        if (!finished)
            continue;
        if (bot_job)
            deliver_bot_job(pool, worker, bot_job);
        else if (memory)
            deliver_memory(pool, memory);
        else
            job->done(job);
    }
    pump(pool);
}

/* The public functions. */

bool pool_start(struct pool **out, uv_loop_t *loop, unsigned threads, struct bot_job *(*begin)(struct ask *ask),
    void (*done)(struct bot_job *bot_job))
{
    struct pool *pool = calloc(1, sizeof *pool + (WORKER_HEAVY + threads) * sizeof pool->worker[0]);
    if (!pool)
        return false;
    schedule_init(&pool->asks);
    schedule_init(&pool->jobs);
    pool->begin = begin;
    pool->done = done;
    uv_mutex_init(&pool->lock);
    uv_cond_init(&pool->calm);
    if (uv_async_init(loop, &pool->wake, deliver)) {
        free(pool);
        return false;
    }
    pool->wake.data = pool;
    while (pool->workers < WORKER_HEAVY + threads) {
        struct worker *worker = &pool->worker[pool->workers];
        worker->pool = pool;
        worker->kind = pool->workers < WORKER_HEAVY ? (enum worker_kind)pool->workers : WORKER_HEAVY;
        uv_cond_init(&worker->more);
        if (uv_thread_create(&worker->thread, run, worker))
            break;
        pool->workers++;
    }
    *out = pool;
    return pool->workers > WORKER_HEAVY || pool->workers == WORKER_HEAVY + threads;
}

bool pool_is_busy(const struct pool *pool)
{
    return schedule_waiting(&pool->asks, SCHEDULE_LIGHT) + schedule_waiting(&pool->asks, SCHEDULE_HEAVY) >
        BUSY * (1 + pool->workers - WORKER_HEAVY);
}

/* A choice of a bot that needs tables of an edition waits in their queue until they are made, once per edition; otherwise
 * it is put into the schedule at once. False: it is waiting already, or there is no memory. */
bool pool_submit_bot(struct pool *pool, struct ask *ask)
{
    if (atomic_load(&pool->stopping) || ask->job.link || ask->thinking)
        return false;
    ask->job.lane = is_heavy(ask->bot) ? SCHEDULE_HEAVY : SCHEDULE_LIGHT;
    ask->job.since = (uint64_t)(seconds() * 1000);
    size_t size = ask->bot->memory(&ask->edition->box);
    struct memory *memory = memory_of(pool, ask->bot, ask->edition);
    if (size && !memory) {
        memory = calloc(1, sizeof *memory);
        if (!memory)
            return false;
        *memory = (struct memory){ .next = pool->memories, .prepare = ask->bot->prepare, .edition = ask->edition,
            .size = size };
        schedule_queue_init(&memory->asks);
        pool->memories = memory;
    }
    if (size && !memory->ready)
        schedule_queue_add(&memory->asks, &ask->job);
    else if (!schedule_add(&pool->asks, &ask->job))
        return false;
    pump(pool);
    return true;
}

/* A waiting choice is either in a share of the schedule or in the queue of a memory. One that is being made is not
 * stopped: table_bot_job_done drops its result if the table has gone. */
void pool_withdraw(struct pool *pool, struct ask *ask)
{
    if (ask->job.share)
        schedule_remove(&pool->asks, &ask->job);
    else if (ask->job.link)
        schedule_queue_remove(&memory_of(pool, ask->bot, ask->edition)->asks, &ask->job);
}

void pool_watch(struct pool *pool, struct ask *ask, bool watched)
{
    schedule_watch(&pool->asks, &ask->job, watched);
    hurry(pool);
}

enum error pool_submit(struct pool *pool, struct pool_job *job, uint64_t address)
{
    if (schedule_waiting_of(&pool->jobs, SCHEDULE_LIGHT, address) >= POOL_JOBS_PER_ADDRESS ||
        schedule_waiting(&pool->jobs, SCHEDULE_LIGHT) >= POOL_JOBS)
        return ERROR_TOO_MANY;
    job->schedule = (struct schedule_job){ .address = address, .watched = true };
    if (!schedule_add(&pool->jobs, &job->schedule))
        return ERROR_STORAGE;
    pump(pool);
    return ERROR_NONE;
}

struct pool_state pool_state(const struct pool *pool)
{
    struct pool_state state = pool->state;
    const struct schedule_job *oldest = schedule_oldest(&pool->asks);
    state.waiting = schedule_waiting(&pool->asks, SCHEDULE_LIGHT) + schedule_waiting(&pool->asks, SCHEDULE_HEAVY);
    for (const struct memory *memory = pool->memories; memory; memory = memory->next)
        for (const struct schedule_job *job = memory->asks.first; job; job = job->next) {
            state.waiting++;
            if (!oldest || job->since < oldest->since)
                oldest = job;
        }
    state.oldest = oldest ? seconds() - (double)oldest->since / 1000 : 0;
    state.jobs = schedule_waiting(&pool->jobs, SCHEDULE_LIGHT) + (pool->worker[WORKER_ANALYST].job != NULL);
    return state;
}

static void closed(uv_handle_t *handle)
{
    free(handle->data);
}

/* Threads stop when they next check the time, so this waits for milliseconds. Results of unfinished work are not
 * delivered. */
void pool_stop(struct pool *pool)
{
    if (!pool)
        return;
    uv_mutex_lock(&pool->lock);
    atomic_store(&pool->stopping, true);
    for (unsigned i = 0; i < pool->workers; i++)
        uv_cond_signal(&pool->worker[i].more);
    uv_cond_signal(&pool->calm);
    uv_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->workers; i++) {
        struct worker *worker = &pool->worker[i];
        uv_thread_join(&worker->thread);
        uv_cond_destroy(&worker->more);
        free(worker->bot_job);               /* choices that were not made are made again after the next start */
        if (worker->job)
            worker->job->done(worker->job);    /* its owner frees it; an incomplete result is reported as failed */
    }
    for (struct schedule_job *job; (job = schedule_take(&pool->jobs, SCHEDULE_LIGHT)) != NULL;)
        ((struct pool_job *)job)->done((struct pool_job *)job);
    for (struct memory *memory = pool->memories, *next; memory; memory = next) {
        next = memory->next;
        while (memory->asks.first)
            schedule_queue_remove(&memory->asks, memory->asks.first);
        free(memory->block);
        free(memory);
    }
    schedule_finish(&pool->asks);
    schedule_finish(&pool->jobs);
    uv_cond_destroy(&pool->calm);
    uv_mutex_destroy(&pool->lock);
    uv_close((uv_handle_t *)&pool->wake, closed);
}
