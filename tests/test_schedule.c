/* test_schedule.c: the order in which waiting jobs are handed out (src/server/schedule.h). No threads, no clock. */
#include "check.h"

#include "schedule.h"

static struct schedule schedule;
static struct schedule_job jobs[2000];
static unsigned made;

static void begin(void)
{
    schedule_init(&schedule);
    memset(jobs, 0, sizeof jobs);
    made = 0;
}

static struct schedule_job *add(uint64_t address, int64_t visitor, enum schedule_lane lane, bool watched)
{
    struct schedule_job *job = &jobs[made];
    *job = (struct schedule_job){ .address = address, .visitor = visitor, .since = made++, .lane = (uint8_t)lane,
        .watched = watched };
    CHECK(schedule_add(&schedule, job));
    return job;
}

/* The addresses (visitors with `by_visitor`) of the next jobs, as text. */
static const char *turns(enum schedule_lane lane, unsigned count, bool by_visitor)
{
    static char text[400];
    size_t size = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < count; i++) {
        const struct schedule_job *job = schedule_take(&schedule, lane);
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%lld", i ? " " : "", !job ? -1LL :
            by_visitor ? (long long)job->visitor : (long long)job->address);
    }
    return text;
}

/* How many jobs are handed out before this one. */
static unsigned before(const struct schedule_job *wanted)
{
    unsigned count = 0;
    for (const struct schedule_job *job; (job = schedule_take(&schedule, wanted->lane)) != NULL && job != wanted;)
        count++;
    return count;
}

TEST("schedule: addresses take turns, whatever each has waiting") {
    begin();
    for (unsigned i = 0; i < 5; i++)
        add(7, 70, SCHEDULE_HEAVY, true);
    for (unsigned i = 0; i < 3; i++)
        add(8, 80, SCHEDULE_HEAVY, true);
    add(9, 90, SCHEDULE_HEAVY, true);
    CHECK_STR(turns(SCHEDULE_HEAVY, 10, false), "7 8 9 7 8 7 8 7 7 -1");
    schedule_finish(&schedule);
    CHECK_INT(schedule.shares.count, 0);
}

TEST("schedule: visitors of an address take turns, jobs of a visitor come in order") {
    begin();
    const struct schedule_job *first = add(7, 1, SCHEDULE_LIGHT, true);
    for (unsigned i = 0; i < 3; i++)
        add(7, 1, SCHEDULE_LIGHT, true);
    add(7, 2, SCHEDULE_LIGHT, true);
    add(7, 2, SCHEDULE_LIGHT, true);
    add(7, 3, SCHEDULE_LIGHT, true);
    CHECK(schedule_take(&schedule, SCHEDULE_LIGHT) == first);
    CHECK_STR(turns(SCHEDULE_LIGHT, 7, true), "2 3 1 2 1 1 -1");
    schedule_finish(&schedule);
}

TEST("schedule: a player comes next, beside 480 tables of one address") {
    for (unsigned watched = 0; watched < 2; watched++)
        for (unsigned visitors = 1; visitors <= 20; visitors += 19) {
            begin();
            for (unsigned i = 0; i < 1440; i++)      /* three masters at each */
                add(666, 1 + i % visitors, SCHEDULE_HEAVY, watched);
            for (unsigned i = 0; i < 100; i++)
                schedule_take(&schedule, SCHEDULE_HEAVY);
            const struct schedule_job *honest = add(7, 70, SCHEDULE_HEAVY, true);
            CHECK_INT(before(honest), 0);
            /* and when it is back, after one of them at most */
            CHECK_INT(before(add(7, 70, SCHEDULE_HEAVY, true)), watched);
            schedule_finish(&schedule);
        }
}

TEST("schedule: light jobs do not wait for heavy ones") {
    begin();
    for (unsigned i = 0; i < 1000; i++)
        add(i, 1, SCHEDULE_HEAVY, true);
    CHECK(!schedule_take(&schedule, SCHEDULE_LIGHT));
    const struct schedule_job *honest = add(2000, 1, SCHEDULE_LIGHT, false);
    CHECK(schedule_take(&schedule, SCHEDULE_LIGHT) == honest);
    CHECK_INT(schedule_waiting(&schedule, SCHEDULE_HEAVY), 1000);
    schedule_finish(&schedule);
    CHECK_INT(schedule_waiting(&schedule, SCHEDULE_HEAVY), 0);
    CHECK(!jobs[0].link && !jobs[0].share);
}

TEST("schedule: jobs that nobody waits for come last, but they come") {
    begin();
    const struct schedule_job *alone = add(1, 1, SCHEDULE_LIGHT, false);
    for (unsigned i = 0; i < 5; i++)
        add(2, 2, SCHEDULE_LIGHT, true);
    CHECK_INT(before(alone), 5);
    alone = add(1, 1, SCHEDULE_LIGHT, false);
    for (unsigned i = 0; i < 400; i++)
        add(2 + i % 3, 2, SCHEDULE_LIGHT, true);
    CHECK_INT(before(alone), SCHEDULE_WATCHED);
    schedule_finish(&schedule);
}

TEST("schedule: who comes and goes gains nothing, and newcomers do not shut others out") {
    begin();
    /* One returns as soon as it was served; another always has jobs waiting. */
    for (unsigned i = 0; i < 20; i++)
        add(5, 50, SCHEDULE_LIGHT, true);
    unsigned mine = 0;
    struct schedule_job *back = add(6, 60, SCHEDULE_LIGHT, true);
    for (unsigned i = 0; i < 20; i++) {
        struct schedule_job *job = schedule_take(&schedule, SCHEDULE_LIGHT);
        mine += job->address == 6;
        if (job == back)
            CHECK(schedule_add(&schedule, back));
    }
    CHECK_INT(mine, 10);
    schedule_finish(&schedule);
    /* New addresses keep coming: the old one keeps its turn. */
    begin();
    for (unsigned i = 0; i < 20; i++)
        add(5, 50, SCHEDULE_LIGHT, true);
    CHECK_STR(turns(SCHEDULE_LIGHT, 1, false), "5");
    for (unsigned i = 0; i < 100; i++)
        add(100 + i, 1, SCHEDULE_LIGHT, true);
    unsigned most = 0, run = 0;
    for (unsigned i = 0; i < 50; i++) {
        run = schedule_take(&schedule, SCHEDULE_LIGHT)->address == 5 ? 0 : run + 1;
        most = run > most ? run : most;
        add(1000 + i, 1, SCHEDULE_LIGHT, true);
    }
    CHECK_INT(most, SCHEDULE_FRESH);
    schedule_finish(&schedule);
}

TEST("schedule: what is withdrawn is not handed out") {
    begin();
    struct schedule_job *a = add(1, 1, SCHEDULE_LIGHT, true), *b = add(1, 1, SCHEDULE_LIGHT, true),
        *c = add(2, 1, SCHEDULE_LIGHT, true);
    schedule_remove(&schedule, a);
    schedule_remove(&schedule, a);           /* a second call is harmless */
    CHECK_INT(schedule_waiting(&schedule, SCHEDULE_LIGHT), 2);
    CHECK(schedule_take(&schedule, SCHEDULE_LIGHT) == b);
    schedule_remove(&schedule, c);
    CHECK(!schedule_take(&schedule, SCHEDULE_LIGHT));
    CHECK_INT(schedule.shares.count, 0);
    CHECK(schedule_add(&schedule, a));       /* and can come again */
    CHECK(schedule_take(&schedule, SCHEDULE_LIGHT) == a);
    schedule_finish(&schedule);
}

TEST("schedule: a person who comes moves a job forward, one who leaves backward") {
    begin();
    struct schedule_job *a = add(1, 1, SCHEDULE_HEAVY, false), *b = add(2, 2, SCHEDULE_HEAVY, true),
        *c = add(3, 3, SCHEDULE_HEAVY, true);
    schedule_watch(&schedule, a, true);
    schedule_watch(&schedule, b, false);
    schedule_watch(&schedule, b, false);
    CHECK(schedule_take(&schedule, SCHEDULE_HEAVY) == c);
    CHECK(schedule_take(&schedule, SCHEDULE_HEAVY) == a);
    CHECK(schedule_take(&schedule, SCHEDULE_HEAVY) == b);
    schedule_watch(&schedule, a, false);     /* waits nowhere: only stored */
    CHECK(!a->watched && !schedule_take(&schedule, SCHEDULE_HEAVY));
    schedule_finish(&schedule);
}

TEST("schedule: who else waits, and who waits longest") {
    begin();
    add(1, 1, SCHEDULE_HEAVY, true);
    add(1, 2, SCHEDULE_HEAVY, false);
    add(2, 3, SCHEDULE_HEAVY, false);
    add(2, 3, SCHEDULE_LIGHT, true);
    CHECK_INT(schedule_waiting(&schedule, SCHEDULE_HEAVY), 3);
    CHECK_INT(schedule_waiting_of(&schedule, SCHEDULE_HEAVY, 1), 2);
    CHECK_INT(schedule_waiting_of(&schedule, SCHEDULE_HEAVY, 3), 0);
    CHECK_INT(schedule_waiting_others(&schedule, SCHEDULE_HEAVY, 1, true), 0);
    CHECK_INT(schedule_waiting_others(&schedule, SCHEDULE_HEAVY, 1, false), 1);
    CHECK_INT(schedule_waiting_others(&schedule, SCHEDULE_HEAVY, 2, true), 1);
    CHECK_INT(schedule_waiting_others(&schedule, SCHEDULE_HEAVY, 3, false), 3);
    CHECK(schedule_oldest(&schedule) == &jobs[0]);
    CHECK(schedule_take(&schedule, SCHEDULE_HEAVY) == &jobs[0]);
    CHECK(schedule_oldest(&schedule) == &jobs[1]);
    schedule_finish(&schedule);
    CHECK(!schedule_oldest(&schedule));
}

TEST("schedule: a turn is remembered while nobody waits, and addresses that are gone are not") {
    begin();
    add(666, 1, SCHEDULE_HEAVY, true);
    CHECK_STR(turns(SCHEDULE_HEAVY, 1, false), "666");
    CHECK(!schedule_take(&schedule, SCHEDULE_HEAVY));
    for (unsigned i = 0; i < 20; i++)
        add(666, 1, SCHEDULE_HEAVY, true);
    CHECK_INT(before(add(7, 1, SCHEDULE_HEAVY, true)), 0);
    schedule_finish(&schedule);
    begin();
    for (unsigned i = 0; i < 1000; i++) {
        add(i, 1, SCHEDULE_HEAVY, true);
        schedule_take(&schedule, SCHEDULE_HEAVY);
        CHECK(schedule.shares.count <= 2 * (SCHEDULE_FRESH + 2));
    }
    schedule_finish(&schedule);
}
