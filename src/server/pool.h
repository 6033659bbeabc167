/* pool.h (pool.c): threads that think: bots' choices, and analyses when there is nothing else to do. All calls are from
 * the loop's thread but pool_rest. */
#ifndef PYR_SERVER_POOL_H
#define PYR_SERVER_POOL_H

#include <uv.h>

#include "table.h"

#define POOL_JOBS 64             /* analyses that may wait */
#define POOL_JOBS_PER_ADDRESS 4  /* of these, asked for by one address */

struct pool;

/* One choice of a bot that was handed to a thread. Made by pool_start's `begin`, which fills in the game; freed by its
 * `done`. */
struct bot_job {
    struct ask *ask;
    const struct pyr_edition *edition;
    const struct pyr_bot *bot;
    void *memory;                /* what the bot knows about the edition; shared, only read */
    uint64_t address;            /* whose load it is, and whether a person waits for it: as it was when it began */
    bool watched;
    struct pyr_game game;        /* the thread makes its steps here */
    uint32_t phase;
    pyr_seat seat;
    uint64_t seed;
    bool is_fixed;               /* the same position always gets the same choice: no clock, and random numbers by step */
    unsigned steps;
    pyr_step step[PYR_MAX_PARTS];
};

/* Anything else that takes long: run in a thread, done in the loop's, also (perhaps not run) when the pool stops. */
struct pool_job {
    struct schedule_job schedule;/* first */
    void (*run)(struct pool_job *job);
    void (*done)(struct pool_job *job);
};

struct pool_state {              /* for /metrics */
    unsigned waiting, thinking;  /* choices that wait for a thread, and that have one */
    double oldest;               /* seconds that the oldest of the waiting ones has waited */
    unsigned jobs;               /* analyses waiting and running */
    uint64_t bot_choices[SCHEDULE_LANES];    /* choices made, by lane */
    uint64_t shortened;          /* of the heavy ones: cut short because others waited */
};

/*
 * Starts `threads` threads for long thoughts (0: other servers think), one for light ones and two helpers. When the turn of
 * an ask has come `begin` makes its bot_job, or returns NULL if there is nothing to think about any more. `done` gets it
 * back, with its steps.
 */
bool pool_start(struct pool **pool, uv_loop_t *loop, unsigned threads, struct bot_job *(*begin)(struct ask *ask),
    void (*done)(struct bot_job *bot_job));
void pool_stop(struct pool *pool);           /* waits for what is being thought. NULL is fine */

/* Its bot, edition, and of the job address, visitor and watched are set. False: it already waits, there is no memory, or
 * the pool stops. */
bool pool_submit_bot(struct pool *pool, struct ask *ask);
void pool_withdraw(struct pool *pool, struct ask *ask);              /* if it waits; what is being thought is not stopped */
void pool_watch(struct pool *pool, struct ask *ask, bool watched);

/* ERROR_TOO_MANY: too many wait already, of this address or in all. ERROR_STORAGE: no memory. */
enum error pool_submit(struct pool *pool, struct pool_job *job, uint64_t address);

/* Called by a job often: rests while bots have something to do, if a slice is over. True: give up. */
bool pool_rest(struct pool *pool);

/* Whether more choices wait than the threads can make soon. */
bool pool_is_busy(const struct pool *pool);

struct pool_state pool_state(const struct pool *pool);

#endif
