/*
 * schedule.h (schedule.c): the order of jobs. Jobs wait here until a thread is free; the schedule decides which one is
 * next. It is plain data of one thread, without clock, bots or tables, so tests can check every decision.
 *
 * Turns are shared by the source of the load, whatever the number of its requests:
 *  1. Lanes are independent: a light job never waits for a heavy one.
 *  2. Within a lane, jobs that a person waits for come first. Of every SCHEDULE_WATCHED + 1 turns one still belongs to
 *     the others, so nothing waits forever.
 *  3. Among those, addresses take turns; among the jobs of an address, visitors; among those of a visitor, jobs come in
 *     the order of arrival. So an address that keeps 480 jobs waiting gets as many turns as one with a single job.
 *  4. An address (or visitor) with nothing waiting so far comes before those that have had their turn, at most
 *     SCHEDULE_FRESH times in a row.
 */
#ifndef PYR_SERVER_SCHEDULE_H
#define PYR_SERVER_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "map.h"

#define SCHEDULE_WATCHED 15
#define SCHEDULE_FRESH 4

enum schedule_lane { SCHEDULE_LIGHT, SCHEDULE_HEAVY, SCHEDULE_LANES };

struct schedule_share;

/* Part of its owner's structure. Zeroed: not in any queue. */
struct schedule_job {
    struct schedule_job *next, **link;       /* the queue it is in; link NULL: not queued */
    struct schedule_share *share;            /* of the visitor; NULL: not in a schedule */
    uint64_t address;                        /* a key of the address that causes the load */
    int64_t visitor;
    uint64_t since;                          /* when it was added, in milliseconds; the caller's */
    uint8_t lane;                            /* enum schedule_lane */
    bool watched;                            /* a person waits for it */
};

struct schedule_queue {
    struct schedule_job *first, **last;
};
void schedule_queue_init(struct schedule_queue *queue);
void schedule_queue_add(struct schedule_queue *queue, struct schedule_job *job);
void schedule_queue_remove(struct schedule_queue *queue, struct schedule_job *job);

/* The waiting jobs of a lane, an address or a visitor. */
struct schedule_list {
    struct schedule_share *first, **last;
};
struct schedule_share {
    struct map_node node;
    struct schedule_share *parent, *next;
    uint64_t address;
    int64_t visitor;
    unsigned waiting;                        /* jobs, here and in the lists below */
    unsigned streak;                         /* turns in a row that went to fresh ones */
    /* parts: those not served since they were added, and those that were, in the order of their turns */
    struct schedule_list fresh, served;
    struct schedule_queue jobs;              /* of a visitor */
};

struct schedule {
    struct map shares;
    struct schedule_share root[SCHEDULE_LANES][2];     /* by lane; watched, and not */
    unsigned streak[SCHEDULE_LANES];         /* turns in a row that went to watched ones */
};

void schedule_init(struct schedule *schedule);
/* jobs that are still waiting are the caller's, and no longer queued */
void schedule_finish(struct schedule *schedule);

/* The fields from `address` on must be set. False without memory. */
bool schedule_add(struct schedule *schedule, struct schedule_job *job);
void schedule_remove(struct schedule *schedule, struct schedule_job *job);     /* does nothing if it is not waiting */

/* A person has begun, or has stopped, waiting for the job. Without memory the job may be dropped from the schedule. */
void schedule_watch(struct schedule *schedule, struct schedule_job *job, bool watched);

/* Takes the next job of this lane; NULL: it is empty. */
struct schedule_job *schedule_take(struct schedule *schedule, enum schedule_lane lane);

/* Counts waiting jobs: of a lane; of an address in a lane; of other addresses in a lane, those that a person waits for or
 * (watched false) all. */
unsigned schedule_waiting(const struct schedule *schedule, enum schedule_lane lane);
unsigned schedule_waiting_of(const struct schedule *schedule, enum schedule_lane lane, uint64_t address);
unsigned schedule_waiting_others(const struct schedule *schedule, enum schedule_lane lane, uint64_t address, bool watched);

/* The job that has waited longest by its `since`, NULL: none. Goes through all of them. */
const struct schedule_job *schedule_oldest(const struct schedule *schedule);

#endif
