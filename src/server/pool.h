/* pool.h (pool.c): threads for bots' choices, and for analyses when no bot has to choose. All functions except pool_rest
 * are called from the loop's thread. */
#ifndef PYR_SERVER_POOL_H
#define PYR_SERVER_POOL_H

#include <uv.h>

#include "table.h"

#define POOL_JOBS 64             /* analyses that may be waiting */
#define POOL_JOBS_PER_ADDRESS 4  /* of these, those of one address */

struct pool;

/* One choice of a bot that was handed to a thread. Made by pool_start's `begin`, which fills in the game; freed by its
 * `done`. */
struct bot_job {
    struct ask *ask;
    const struct pyr_edition *edition;
    const struct pyr_bot *bot;
    void *memory;                /* the bot's tables for the edition; shared, only read */
    uint64_t address;            /* the address whose load it is, and whether a person was waiting for it when it began */
    bool watched;
    struct pyr_game game;        /* the thread makes the bot's steps in this copy */
    uint32_t phase;
    pyr_seat seat;
    uint64_t seed;
    bool is_fixed;               /* the same position always gets the same choice: no time limit, and a fixed seed for
                                    each step */
    unsigned steps;
    pyr_step step[PYR_MAX_PARTS];
};

/* Any other long computation: run in a thread, finished in the loop's thread; also finished (perhaps not run) when the
 * pool stops. */
struct pool_job {
    struct schedule_job schedule;/* first */
    void (*run)(struct pool_job *job);
    void (*done)(struct pool_job *job);
};

struct pool_state {              /* for /metrics */
    unsigned waiting, thinking;  /* choices that are waiting for a thread, and that have one */
    double oldest;               /* seconds that the oldest waiting one has waited */
    unsigned jobs;               /* analyses waiting and running */
    uint64_t bot_choices[SCHEDULE_LANES];    /* choices made, by lane */
    uint64_t shortened;          /* heavy choices that were cut short because others were waiting */
};

/*
 * Starts `threads` threads for heavy choices (0: other servers make them), one for light ones and two helpers. When it is
 * the turn of an ask, `begin` makes its bot_job, or returns NULL if there is nothing to choose any more. `done` gets the
 * job back, with its steps.
 */
bool pool_start(struct pool **pool, uv_loop_t *loop, unsigned threads, struct bot_job *(*begin)(struct ask *ask),
    void (*done)(struct bot_job *bot_job));
void pool_stop(struct pool *pool);           /* waits for choices that are being made. NULL is fine */

/* Before the call its bot and edition are set, and address, visitor and watched of its job. False: it is waiting already,
 * there is no memory, or the pool is stopping. */
bool pool_submit_bot(struct pool *pool, struct ask *ask);
void pool_withdraw(struct pool *pool, struct ask *ask);              /* takes it out of the queue; a choice that is being
                                                                        made is not stopped */
void pool_watch(struct pool *pool, struct ask *ask, bool watched);

/* ERROR_TOO_MANY: too many are waiting already, of this address or in all. ERROR_STORAGE: no memory. */
enum error pool_submit(struct pool *pool, struct pool_job *job, uint64_t address);

/* To be called often by a job: pauses it while bots have something to do, once its time slice is over. True: give up. */
bool pool_rest(struct pool *pool);

/* Whether more choices are waiting than the threads can make soon. */
bool pool_is_busy(const struct pool *pool);

struct pool_state pool_state(const struct pool *pool);

#endif
