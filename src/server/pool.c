/*
 * pool.c: threads that think: bots first, other long work (analyses) when no bot waits. The loop's thread hands things in and gets them
 * back; it never waits for them.
 *
 * A thread keeps the tables of each bot and edition it has played, since making them takes up to half a second.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server.h"

#define THINK_SECONDS 1.0        /* the most a step takes, with nobody waiting */
#define HURRY_SECONDS 0.05       /* the most while others wait */
#define MEMORIES 12              /* bots and editions that a thread remembers */

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct thought *thoughts, **last_thought, *thought_done, **last_thought_done;
    struct work *works, **last_work, *work_done, **last_work_done;
    unsigned threads, working;
    atomic_uint waiting;         /* thoughts not begun */
    atomic_bool stopping;
    unsigned pending;            /* handed in and not yet done; loop's thread */
    uv_async_t wake;
    void (*done)(struct thought *thought);
    pthread_t thread[];
};

struct memory {
    const struct pyr_bot *bot;
    const struct pyr_edition *edition;
    void *block;
    unsigned used;
};

struct thinker {
    struct pool *pool;
    struct memory memory[MEMORIES];
    unsigned clock;
    struct pyr_match match;
    double deadline;
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The memory of a bot for an edition, prepared; false without memory. */
static bool recall(struct thinker *thinker, const struct pyr_bot *bot, const struct pyr_edition *edition, void **block)
{
    struct memory *oldest = &thinker->memory[0];
    size_t size = bot->memory(&edition->box);
    *block = NULL;
    if (!size)
        return true;
    for (struct memory *memory = thinker->memory; memory < thinker->memory + MEMORIES; memory++) {
        if (memory->bot == bot && memory->edition == edition) {
            memory->used = ++thinker->clock;
            *block = memory->block;
            return true;
        }
        if (memory->used < oldest->used)
            oldest = memory;
    }
    void *fresh = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!fresh)
        return false;
    free(oldest->block);
    *oldest = (struct memory){ bot, edition, fresh, ++thinker->clock };
    bot->prepare(fresh, &edition->box);
    *block = fresh;
    return true;
}

static bool is_time_up(void *context)
{
    struct thinker *thinker = context;
    double left = thinker->deadline - seconds();
    bool hurry = atomic_load_explicit(&thinker->pool->waiting, memory_order_relaxed) > 2 * thinker->pool->threads;
    return left <= (hurry ? THINK_SECONDS - HURRY_SECONDS : 0) || atomic_load_explicit(&thinker->pool->stopping, memory_order_relaxed);
}

static void think(struct thinker *thinker, struct thought *thought)
{
    struct pyr_match *match = &thinker->match;
    struct pyr_rng rng;
    struct pyr_budget budget = { .is_over = is_time_up, .context = thinker };
    void *block;
    const struct pyr_bot *bot = thought->bot;
    pyr_match_dress(match, &thought->game);
    pyr_rng_seed(&rng, thought->seed, 0);
    if (!recall(thinker, bot, thought->edition, &block)) {
        bot = pyr_bot_find("random");        /* a poor choice is better than a table that is stuck */
        block = NULL;
    }
    while (thought->steps < PYR_MAX_PARTS && !pyr_match_is_ready(match, thought->seat)) {
        struct pyr_view view;
        uint32_t lines = match->log.lines;
        pyr_match_view(match, thought->seat, &view);
        thinker->deadline = seconds() + THINK_SECONDS;
        pyr_step step = bot->choose(block, &thought->edition->box, &view, &rng, &budget);
        thought->step[thought->steps++] = step;
        if (pyr_match_step(match, thought->seat, step) || match->log.lines != lines)
            break;                           /* a take or draw is made at once */
    }
}

static void *run(void *context)
{
    struct pool *pool = context;
    struct thinker *thinker = calloc(1, sizeof *thinker);
    if (thinker)
        thinker->pool = pool;
    pthread_mutex_lock(&pool->lock);
    while (!atomic_load(&pool->stopping)) {
        struct thought *thought = thinker ? pool->thoughts : NULL;
        struct work *work = NULL;
        if (thought) {
            pool->thoughts = thought->next;
            if (!pool->thoughts)
                pool->last_thought = &pool->thoughts;
            atomic_fetch_sub(&pool->waiting, 1);
        } else if (pool->works && !pool->working) {
            work = pool->works;              /* one at a time, so that bots find a thread */
            pool->works = work->next;
            if (!pool->works)
                pool->last_work = &pool->works;
            pool->working++;
        } else {
            pthread_cond_wait(&pool->more, &pool->lock);
            continue;
        }
        pthread_mutex_unlock(&pool->lock);
        if (thought)
            think(thinker, thought);
        else
            work->run(work);
        pthread_mutex_lock(&pool->lock);
        if (thought) {
            thought->next = NULL;
            *pool->last_thought_done = thought;
            pool->last_thought_done = &thought->next;
        } else {
            pool->working--;
            work->next = NULL;
            *pool->last_work_done = work;
            pool->last_work_done = &work->next;
            pthread_cond_signal(&pool->more);
        }
        uv_async_send(&pool->wake);
    }
    pthread_mutex_unlock(&pool->lock);
    if (thinker)
        for (unsigned i = 0; i < MEMORIES; i++)
            free(thinker->memory[i].block);
    free(thinker);
    return NULL;
}

static void deliver(uv_async_t *wake)
{
    struct pool *pool = wake->data;
    pthread_mutex_lock(&pool->lock);
    struct thought *thought = pool->thought_done;
    struct work *work = pool->work_done;
    pool->thought_done = NULL;
    pool->last_thought_done = &pool->thought_done;
    pool->work_done = NULL;
    pool->last_work_done = &pool->work_done;
    pthread_mutex_unlock(&pool->lock);
    for (struct thought *next; thought; thought = next) {
        next = thought->next;
        pool->pending--;
        pool->done(thought);
    }
    for (struct work *next; work; work = next) {
        next = work->next;
        pool->pending--;
        work->done(work);
    }
}

bool pool_start(struct pool **out, uv_loop_t *loop, unsigned threads, void (*done)(struct thought *thought))
{
    struct pool *pool = calloc(1, sizeof *pool + threads * sizeof pool->thread[0]);
    if (!pool)
        return false;
    pool->last_thought = &pool->thoughts;
    pool->last_thought_done = &pool->thought_done;
    pool->last_work = &pool->works;
    pool->last_work_done = &pool->work_done;
    pool->done = done;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->more, NULL);
    if (uv_async_init(loop, &pool->wake, deliver)) {
        free(pool);
        return false;
    }
    pool->wake.data = pool;
    while (pool->threads < threads && !pthread_create(&pool->thread[pool->threads], NULL, run, pool))
        pool->threads++;
    *out = pool;
    return pool->threads > 0;
}

bool pool_think(struct pool *pool, struct thought *thought)
{
    if (atomic_load(&pool->stopping))
        return false;
    pool->pending++;
    thought->next = NULL;
    pthread_mutex_lock(&pool->lock);
    *pool->last_thought = thought;
    pool->last_thought = &thought->next;
    atomic_fetch_add(&pool->waiting, 1);
    pthread_cond_signal(&pool->more);
    pthread_mutex_unlock(&pool->lock);
    return true;
}

void pool_work(struct pool *pool, struct work *work)
{
    pool->pending++;
    work->next = NULL;
    pthread_mutex_lock(&pool->lock);
    *pool->last_work = work;
    pool->last_work = &work->next;
    pthread_cond_signal(&pool->more);
    pthread_mutex_unlock(&pool->lock);
}

bool pool_is_stopping(const struct pool *pool)
{
    return atomic_load_explicit(&((struct pool *)(uintptr_t)pool)->stopping, memory_order_relaxed);
}

unsigned pool_pending(const struct pool *pool)
{
    return pool->pending;
}

static void closed(uv_handle_t *handle)
{
    free(handle->data);
}

void pool_stop(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->stopping, true);
    pthread_cond_broadcast(&pool->more);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->threads; i++)
        pthread_join(pool->thread[i], NULL);
    /* What was not begun is thought again after the next start. */
    for (struct thought *lists[] = { pool->thoughts, pool->thought_done }, **list = lists; list < lists + 2; list++)
        for (struct thought *next; *list; *list = next) {
            next = (*list)->next;
            free(*list);
        }
    for (struct work *lists[] = { pool->works, pool->work_done }, **list = lists; list < lists + 2; list++)
        for (struct work *next; *list; *list = next) {
            next = (*list)->next;
            (*list)->done(*list);            /* its owner frees it; what it has not done it has not done */
        }
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->more);
    uv_close((uv_handle_t *)&pool->wake, closed);
}
