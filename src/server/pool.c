/*
 * pool.c: threads that think. The loop's thread decides what each of them does next and gets the results; it never waits
 * for them.
 *
 *  1. Bots' choices wait in a schedule (schedule.h) and are handed out one at a time as threads get free: what a bot is
 *     to think about is
 *     copied only then, so a long queue costs nothing but its entries.
 *  2. Light levels (all that do not play games out) have a thread of their own beside --bot-threads, so they never wait
 *     for a long thought.
 *  3. A long thought is cut short while choices of other addresses wait.
 *  4. What bots know about an edition is made once, by a thread for that, and shared by all threads: it is only read
 *     afterwards.
 *  5. Analyses have a thread of the lowest priority. They run in slices and rest while any bot has something to do; they
 *     still get a slice now and
 *     then, so that a server whose bots never rest finishes them, too.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "pool.h"
#include "server.h"

#define THINK_SECONDS 1.0        /* the most a step takes with nobody waiting, */
#define HURRY_SECONDS 0.05       /* with many waiting; and all steps of a choice together, while another address waits */
#define SLICE_SECONDS 0.02       /* of an analysis */
#define BUSY 4                   /* choices that may wait for each thread before others are asked */
#define REST_SECONDS 0.25        /* the most it rests between two slices */

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
    struct schedule_queue asks;  /* that wait for it */
};

struct worker {
    struct pool *pool;
    enum worker_kind kind;
    uv_thread_t thread;
    uv_cond_t more;
    /* One of these is what it does; set by the loop under the lock, and taken back by it once `finished`. */
    struct thought *thought;
    struct memory *memory;
    struct work *work;
    bool finished;               /* under the lock */
    atomic_uint hurry;           /* enum hurry */
    /* The thread's own. */
    double began, step_began;
};

struct pool {
    uv_mutex_t lock;
    uv_async_t wake;
    uv_cond_t calm;              /* no bot has anything to do, or the end has come */
    atomic_bool stopping;
    atomic_uint pressing;        /* choices that bots have yet to make */
    double slice;                /* when the analyst began its slice; its thread's */
    /* The loop's. */
    struct schedule asks, works;
    struct memory *memories;
    struct thought *(*begin)(struct ask *ask);
    void (*done)(struct thought *thought);
    struct pool_state state;
    unsigned workers;
    struct worker worker[];
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* In the threads. */

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

static void think(struct worker *worker, struct thought *thought)
{
    struct pyr_game *game = &thought->game;
    struct pyr_rng rng;
    struct pyr_budget budget = { .is_over = is_time_up, .context = worker };
    const struct pyr_bot *bot = thought->bot;
    pyr_rng_seed(&rng, thought->seed, 0);
    worker->began = seconds();
    while (thought->steps < PYR_MAX_PARTS && !pyr_game_is_ready(game, thought->seat)) {
        struct pyr_view view;
        pyr_game_view(game, thought->seat, &view);
        worker->step_began = seconds();
        pyr_step step = bot->choose(thought->memory, &thought->edition->box, &view, &rng, &budget);
        thought->step[thought->steps++] = step;
        if (pyr_game_step(game, thought->seat, step, NULL) || !game->choice[thought->seat].count)
            break;                           /* a take or draw is made at once */
    }
}

static void make(struct memory *memory)
{
    memory->block = aligned_alloc(64, (memory->size + 63) / 64 * 64);
    if (memory->block)
        memory->prepare(memory->block, &memory->edition->box);
}

/* Where a thread can have a priority of its own, the loop and the light levels go before long thoughts, and these before
 * analyses. */
static void lower_priority(enum worker_kind kind)
{
#ifdef __linux__
    int nice = kind == WORKER_HEAVY ? 5 : kind == WORKER_ANALYST ? 19 : 0;
    if (nice)
        setpriority(PRIO_PROCESS, 0, nice);  /* of this thread; a sandbox that forbids it loses nothing but this */
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
        if (worker->finished || !(worker->thought || worker->memory || worker->work)) {
            uv_cond_wait(&worker->more, &pool->lock);
            continue;
        }
        uv_mutex_unlock(&pool->lock);
        if (worker->thought)
            think(worker, worker->thought);
        else if (worker->memory)
            make(worker->memory);
        else
            worker->work->run(worker->work);
        uv_mutex_lock(&pool->lock);
        worker->finished = true;
        uv_async_send(&pool->wake);
    }
    uv_mutex_unlock(&pool->lock);
}

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

/* In the loop: who does what. */

/* Bots that play games out think long, the others look at each choice once. */
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

static void hand(struct worker *worker, struct thought *thought, struct memory *memory, struct work *work)
{
    uv_mutex_lock(&worker->pool->lock);
    worker->thought = thought;
    worker->memory = memory;
    worker->work = work;
    atomic_store(&worker->hurry, HURRY_NONE);
    uv_cond_signal(&worker->more);
    uv_mutex_unlock(&worker->pool->lock);
}

static bool is_idle(const struct worker *worker)
{
    return !worker->thought && !worker->memory && !worker->work;
}

/* Gives a thread the next choice of a lane; false: there is none. */
static bool hand_thought(struct worker *worker, enum schedule_lane lane)
{
    struct pool *pool = worker->pool;
    struct schedule_job *job;
    while ((job = schedule_take(&pool->asks, lane)) != NULL) {
        struct ask *ask = (struct ask *)job;
        struct thought *thought = pool->begin(ask);
        if (!thought)
            continue;                        /* no longer due, or no memory: then it is asked again */
        const struct memory *memory = ask->bot->memory(&ask->edition->box) ? memory_of(pool, ask->bot, ask->edition) : NULL;
        ask->thinking = true;
        thought->ask = ask;
        thought->edition = ask->edition;
        thought->memory = memory ? memory->block : NULL;
        /* A poor choice is better than a table that is stuck. */
        thought->bot = memory && !memory->block ? pyr_bot_find("random") : ask->bot;
        thought->address = job->address;
        thought->watched = job->watched;
        pool->state.thinking++;
        hand(worker, thought, NULL, NULL);
        return true;
    }
    return false;
}

static struct memory *oldest_unmade(const struct pool *pool)
{
    struct memory *oldest = NULL;
    for (struct memory *memory = pool->memories; memory; memory = memory->next)      /* the newest first */
        if (!memory->ready)
            oldest = memory;
    return oldest;
}

static void hand_something(struct worker *worker)
{
    struct pool *pool = worker->pool;
    struct schedule_job *job;
    switch (worker->kind) {
    case WORKER_LIGHT:
        hand_thought(worker, SCHEDULE_LIGHT);
        break;
    case WORKER_HEAVY:
        if (!hand_thought(worker, SCHEDULE_HEAVY))
            hand_thought(worker, SCHEDULE_LIGHT);
        break;
    case WORKER_MAKER:
        hand(worker, NULL, oldest_unmade(pool), NULL);
        break;
    case WORKER_ANALYST:
        job = schedule_take(&pool->works, SCHEDULE_LIGHT);
        if (job) {
            pool->slice = 0;                 /* it rests first, if there is anything to rest for */
            hand(worker, NULL, NULL, (struct work *)job);
        }
        break;
    }
}

/* Long thoughts are cut short while others wait: those of an unwatched table for anyone, those that a person waits for
 * only for people. */
static void hurry(struct pool *pool)
{
    unsigned own = 2 * (pool->workers - WORKER_HEAVY);
    for (struct worker *worker = &pool->worker[WORKER_HEAVY]; worker < pool->worker + pool->workers; worker++) {
        const struct thought *thought = worker->thought;
        if (!thought)
            continue;
        atomic_store_explicit(&worker->hurry,
            schedule_waiting_others(&pool->asks, SCHEDULE_HEAVY, thought->address, thought->watched) ? HURRY_OTHERS :
            schedule_waiting(&pool->asks, SCHEDULE_HEAVY) > own ? HURRY_OWN : HURRY_NONE, memory_order_relaxed);
    }
}

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

static void deliver_thought(struct pool *pool, const struct worker *worker, struct thought *thought)
{
    struct ask *ask = thought->ask;
    pool->state.thinking--;
    pool->state.thoughts[ask->job.lane]++;
    pool->state.shortened += ask->job.lane == SCHEDULE_HEAVY && atomic_load(&worker->hurry) != HURRY_NONE;
    ask->thinking = false;
    pool->done(thought);
}

static void deliver_memory(struct pool *pool, struct memory *memory)
{
    memory->ready = true;
    while (memory->asks.first) {
        struct schedule_job *job = memory->asks.first;
        schedule_queue_remove(&memory->asks, job);
        schedule_add(&pool->asks, job);      /* without memory the next tick asks again */
    }
}

static void deliver(uv_async_t *wake)
{
    struct pool *pool = wake->data;
    for (struct worker *worker = pool->worker; worker < pool->worker + pool->workers; worker++) {
        uv_mutex_lock(&pool->lock);
        bool finished = worker->finished;
        struct thought *thought = worker->thought;
        struct memory *memory = worker->memory;
        struct work *work = worker->work;
        if (finished) {
            worker->finished = false;
            worker->thought = NULL;
            worker->memory = NULL;
            worker->work = NULL;
        }
        uv_mutex_unlock(&pool->lock);
        if (!finished)
            continue;
        if (thought)
            deliver_thought(pool, worker, thought);
        else if (memory)
            deliver_memory(pool, memory);
        else
            work->done(work);
    }
    pump(pool);
}

/* What the rest of the server calls. */

bool pool_start(struct pool **out, uv_loop_t *loop, unsigned threads, struct thought *(*begin)(struct ask *ask),
    void (*done)(struct thought *thought))
{
    struct pool *pool = calloc(1, sizeof *pool + (WORKER_HEAVY + threads) * sizeof pool->worker[0]);
    if (!pool)
        return false;
    schedule_init(&pool->asks);
    schedule_init(&pool->works);
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

bool pool_ask(struct pool *pool, struct ask *ask)
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

enum error pool_work(struct pool *pool, struct work *work, uint64_t address)
{
    if (schedule_waiting_of(&pool->works, SCHEDULE_LIGHT, address) >= WORKS_PER_ADDRESS ||
        schedule_waiting(&pool->works, SCHEDULE_LIGHT) >= WORKS)
        return ERROR_TOO_MANY;
    work->job = (struct schedule_job){ .address = address, .watched = true };
    if (!schedule_add(&pool->works, &work->job))
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
    state.works = schedule_waiting(&pool->works, SCHEDULE_LIGHT) + (pool->worker[WORKER_ANALYST].work != NULL);
    return state;
}

static void closed(uv_handle_t *handle)
{
    free(handle->data);
}

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
        free(worker->thought);               /* what was not made is made again after the next start */
        if (worker->work)
            worker->work->done(worker->work);    /* its owner frees it; what it has not done it has not done */
    }
    for (struct schedule_job *job; (job = schedule_take(&pool->works, SCHEDULE_LIGHT)) != NULL;)
        ((struct work *)job)->done((struct work *)job);
    for (struct memory *memory = pool->memories, *next; memory; memory = next) {
        next = memory->next;
        while (memory->asks.first)
            schedule_queue_remove(&memory->asks, memory->asks.first);
        free(memory->block);
        free(memory);
    }
    schedule_finish(&pool->asks);
    schedule_finish(&pool->works);
    uv_cond_destroy(&pool->calm);
    uv_mutex_destroy(&pool->lock);
    uv_close((uv_handle_t *)&pool->wake, closed);
}
