/*
 * schedule.c: see schedule.h. Two classes per lane, addresses in each, visitors in each of those: every level is a struct
 * schedule_share that gives turns to its parts. A part that has been served goes to the end of `served` and stays there
 * until its next turn, even if nothing of it is waiting. So it gains nothing by leaving and returning, or by being the
 * only one for a moment. If it is empty when its turn comes, it is dropped.
 */
#include <stdlib.h>

#include "schedule.h"

void schedule_queue_init(struct schedule_queue *queue)
{
    queue->first = NULL;
    queue->last = &queue->first;
}

/* `link` points to the pointer to the job, so a job can be removed from the middle without its predecessor. */
void schedule_queue_add(struct schedule_queue *queue, struct schedule_job *job)
{
    job->next = NULL;
    job->link = queue->last;
    *queue->last = job;
    queue->last = &job->next;
}

void schedule_queue_remove(struct schedule_queue *queue, struct schedule_job *job)
{
    *job->link = job->next;
    if (job->next)
        job->next->link = job->link;
    else
        queue->last = job->link;
    job->next = NULL;
    job->link = NULL;
}

static void list_init(struct schedule_list *list)
{
    list->first = NULL;
    list->last = &list->first;
}

static void list_add(struct schedule_list *list, struct schedule_share *share)
{
    share->next = NULL;
    *list->last = share;
    list->last = &share->next;
}

static struct schedule_share *list_take(struct schedule_list *list)
{
    struct schedule_share *share = list->first;
    list->first = share->next;
    if (!list->first)
        list->last = &list->first;
    return share;
}

static void share_init(struct schedule_share *share)
{
    list_init(&share->fresh);
    list_init(&share->served);
    schedule_queue_init(&share->jobs);
}

/* Drops the parts of a share that have no waiting jobs. */
static void share_clear(struct schedule *schedule, struct schedule_share *share)
{
    struct schedule_list *const lists[] = { &share->fresh, &share->served };
    for (unsigned i = 0; i < 2; i++)
        while (lists[i]->first) {
            struct schedule_share *part = list_take(lists[i]);
            share_clear(schedule, part);
            map_remove(&schedule->shares, &part->node);
            free(part);
        }
}

void schedule_init(struct schedule *schedule)
{
    *schedule = (struct schedule){ 0 };
    for (unsigned i = 0; i < 2 * SCHEDULE_LANES; i++)
        share_init(&schedule->root[i / 2][i % 2]);
}

static void forget_jobs(struct schedule_share *share)
{
    while (share->jobs.first) {
        struct schedule_job *job = share->jobs.first;
        schedule_queue_remove(&share->jobs, job);
        job->share = NULL;
    }
    for (struct schedule_share *part = share->fresh.first; part; part = part->next)
        forget_jobs(part);
    for (struct schedule_share *part = share->served.first; part; part = part->next)
        forget_jobs(part);
}

void schedule_finish(struct schedule *schedule)
{
    for (unsigned i = 0; i < 2 * SCHEDULE_LANES; i++) {
        forget_jobs(&schedule->root[i / 2][i % 2]);
        share_clear(schedule, &schedule->root[i / 2][i % 2]);
    }
    map_finish(&schedule->shares);
    schedule_init(schedule);
}

/* Any function will do, since share_find compares the real values; the odd constants spread neighbouring values over the
 * buckets. */
static uint64_t share_key(const struct schedule_share *parent, uint64_t address, int64_t visitor)
{
    return address ^ (uint64_t)visitor * 0x9e3779b97f4a7c15u ^ (uint64_t)(uintptr_t)parent * 0xff51afd7ed558ccdu;
}

static struct schedule_share *share_find(const struct schedule *schedule, const struct schedule_share *parent,
    uint64_t address, int64_t visitor)
{
    struct map_node *node = map_find(&schedule->shares, share_key(parent, address, visitor));
    for (; node; node = map_next(node)) {
        struct schedule_share *share = (struct schedule_share *)node;
        if (share->parent == parent && share->address == address && share->visitor == visitor)
            return share;
    }
    return NULL;
}

/* Finds or makes a part of a share. NULL without memory. */
static struct schedule_share *share_get(struct schedule *schedule, struct schedule_share *parent, uint64_t address,
    int64_t visitor)
{
    struct schedule_share *share = share_find(schedule, parent, address, visitor);
    if (share)
        return share;
    share = calloc(1, sizeof *share);
    if (!share || !map_add(&schedule->shares, &share->node, share_key(parent, address, visitor))) {
        free(share);
        return NULL;
    }
    share_init(share);
    share->parent = parent;
    share->address = address;
    share->visitor = visitor;
    list_add(&parent->fresh, share);
    return share;
}

static struct schedule_share *root_of(struct schedule *schedule, const struct schedule_job *job)
{
    return &schedule->root[job->lane][!job->watched];
}

/* Without memory for the visitor's share, an address without jobs may be left behind; it is dropped when its turn comes,
 * or here if nothing else is waiting. */
bool schedule_add(struct schedule *schedule, struct schedule_job *job)
{
    struct schedule_share *root = root_of(schedule, job);
    struct schedule_share *address = share_get(schedule, root, job->address, 0);
    struct schedule_share *visitor = address ? share_get(schedule, address, job->address, job->visitor) : NULL;
    if (!visitor) {
        if (!root->waiting)
            share_clear(schedule, root);
        return false;
    }
    job->share = visitor;
    schedule_queue_add(&visitor->jobs, job);
    for (struct schedule_share *share = visitor; share; share = share->parent)
        share->waiting++;
    return true;
}

static void unqueue(struct schedule_job *job)
{
    schedule_queue_remove(&job->share->jobs, job);
    for (struct schedule_share *share = job->share; share; share = share->parent)
        share->waiting--;
    job->share = NULL;
}

/* When no job of a class is waiting, all turns are forgotten: the order of turns matters only between those that wait at
 * the same time. */
void schedule_remove(struct schedule *schedule, struct schedule_job *job)
{
    if (!job->share)
        return;
    unqueue(job);
    if (!root_of(schedule, job)->waiting)
        share_clear(schedule, root_of(schedule, job));
}

void schedule_watch(struct schedule *schedule, struct schedule_job *job, bool watched)
{
    if (job->watched == watched)
        return;
    if (!job->share) {
        job->watched = watched;
        return;
    }
    schedule_remove(schedule, job);
    job->watched = watched;
    if (schedule_add(schedule, job))
        return;
    job->watched = !watched;                 /* without memory: as before, or not queued */
    schedule_add(schedule, job);
}

/* The part whose turn it is; `share` must have a waiting job. The loop ends, since `waiting` of the share is the sum of
 * its parts: one of them has a job. */
static struct schedule_share *share_turn(struct schedule *schedule, struct schedule_share *share)
{
    for (;;) {
        bool fresh = share->fresh.first && (share->streak < SCHEDULE_FRESH || !share->served.first);
        struct schedule_share *part = list_take(fresh ? &share->fresh : &share->served);
        if (part->waiting) {
            share->streak = fresh ? share->streak + 1 : 0;
            list_add(&share->served, part);
            return part;
        }
        share_clear(schedule, part);
        map_remove(&schedule->shares, &part->node);
        free(part);
    }
}

/* root[0] has the jobs that people wait for, root[1] the others (rule 2 of schedule.h); then the address, then the
 * visitor (rule 3). */
struct schedule_job *schedule_take(struct schedule *schedule, enum schedule_lane lane)
{
    struct schedule_share *root = schedule->root[lane];
    if (!root[0].waiting && !root[1].waiting)
        return NULL;
    bool watched = root[0].waiting && (schedule->streak[lane] < SCHEDULE_WATCHED || !root[1].waiting);
    schedule->streak[lane] = watched && root[1].waiting ? schedule->streak[lane] + 1 : 0;
    struct schedule_share *visitor = share_turn(schedule, share_turn(schedule, &root[!watched]));
    struct schedule_job *job = visitor->jobs.first;
    unqueue(job);
    return job;
}

unsigned schedule_waiting(const struct schedule *schedule, enum schedule_lane lane)
{
    return schedule->root[lane][0].waiting + schedule->root[lane][1].waiting;
}

static unsigned waiting_of(const struct schedule *schedule, const struct schedule_share *root, uint64_t address)
{
    const struct schedule_share *share = share_find(schedule, root, address, 0);
    return share ? share->waiting : 0;
}

unsigned schedule_waiting_of(const struct schedule *schedule, enum schedule_lane lane, uint64_t address)
{
    return waiting_of(schedule, &schedule->root[lane][0], address) + waiting_of(schedule, &schedule->root[lane][1], address);
}

unsigned schedule_waiting_others(const struct schedule *schedule, enum schedule_lane lane, uint64_t address, bool watched)
{
    unsigned waiting = schedule->root[lane][0].waiting - waiting_of(schedule, &schedule->root[lane][0], address);
    if (!watched)
        waiting += schedule->root[lane][1].waiting - waiting_of(schedule, &schedule->root[lane][1], address);
    return waiting;
}

static const struct schedule_job *oldest_in(const struct schedule_share *share, const struct schedule_job *oldest)
{
    for (const struct schedule_job *job = share->jobs.first; job; job = job->next)
        if (!oldest || job->since < oldest->since)
            oldest = job;
    for (const struct schedule_share *part = share->fresh.first; part; part = part->next)
        oldest = oldest_in(part, oldest);
    for (const struct schedule_share *part = share->served.first; part; part = part->next)
        oldest = oldest_in(part, oldest);
    return oldest;
}

const struct schedule_job *schedule_oldest(const struct schedule *schedule)
{
    const struct schedule_job *oldest = NULL;
    for (unsigned i = 0; i < 2 * SCHEDULE_LANES; i++)
        oldest = oldest_in(&schedule->root[i / 2][i % 2], oldest);
    return oldest;
}
