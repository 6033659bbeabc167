/*
 * test_pool.c: the threads that think (src/server/pool.h), with bots of our own that wait for each other instead of
 * thinking. So each check of what waits for what is about the order of events: if it failed, the case would never
 * end.
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "check_edition.h"

#include <pthread.h>
#include <stdatomic.h>

#include "pool.h"

static struct pyr_edition classic;
static struct pyr_game dealt;
static uv_loop_t loop;
static struct pool *pool;
static struct ask asks[64];
static unsigned done, prepared;
static const struct ask *order[64];          /* in the order in which they finished */
static atomic_bool let_go;                   /* the heavy bot may choose */

__attribute__((constructor)) static void load(void)
{
    static struct pyr_match match;
    static const char *const names[] = { "Ana", "Ben" };
    struct pyr_chance chance;
    struct pyr_rng rng;
    check_edition(&classic, "editions/classic.edition");
    pyr_rng_seed(&rng, 1, 1);
    pyr_chance_draw(&chance, &classic.box, 2, &rng);
    if (pyr_match_begin(&match, &classic, 2, names) || pyr_match_deal(&match, &chance))
        abort();
    dealt = match.game;
}

/* Bots. */

static size_t some_memory(const struct pyr_box *box) { (void)box; return 64; }
static size_t no_memory(const struct pyr_box *box) { (void)box; return 0; }
static void nothing(void *memory, const struct pyr_box *box) { (void)memory; (void)box; }

static void prepare(void *memory, const struct pyr_box *box)
{
    (void)box;
    prepared++;                              /* one thread prepares all of them */
    memcpy(memory, "known", 6);
}

static pyr_step any(void *memory, const struct pyr_box *box, const struct pyr_view *view, struct pyr_rng *rng,
    const struct pyr_budget *budget)
{
    (void)memory;
    return pyr_bot_find("random")->choose(NULL, box, view, rng, budget);
}

static pyr_step knowing(void *memory, const struct pyr_box *box, const struct pyr_view *view, struct pyr_rng *rng,
    const struct pyr_budget *budget)
{
    if (!memory || strcmp(memory, "known"))
        abort();
    return any(NULL, box, view, rng, budget);
}

static pyr_step blocked(void *memory, const struct pyr_box *box, const struct pyr_view *view, struct pyr_rng *rng,
    const struct pyr_budget *budget)
{
    while (!atomic_load(&let_go))
        nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    return any(memory, box, view, rng, budget);
}

static pyr_step patient(void *memory, const struct pyr_box *box, const struct pyr_view *view, struct pyr_rng *rng,
    const struct pyr_budget *budget)
{
    while (!budget->is_over(budget->context))
        nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    return any(memory, box, view, rng, budget);
}

static const struct pyr_bot light = { "novice", no_memory, nothing, any },
    shared = { "casual", some_memory, prepare, knowing },
    also_shared = { "club", some_memory, prepare, knowing }, heavy = { "master", no_memory, nothing, blocked },
    thinker = { "expert", no_memory, nothing, patient };

/* A host. */

static struct bot_job *begin(struct ask *ask)
{
    struct bot_job *bot_job = calloc(1, sizeof *bot_job);
    if (!bot_job)
        abort();
    (void)ask;
    bot_job->game = dealt;
    return bot_job;
}

static void note(struct bot_job *bot_job)
{
    CHECK(bot_job->steps > 0);
    order[done++] = bot_job->ask;
    free(bot_job);
}

static void start(unsigned threads)
{
    uv_loop_init(&loop);
    memset(asks, 0, sizeof asks);
    done = prepared = 0;
    atomic_store(&let_go, false);
    CHECK(pool_start(&pool, &loop, threads, begin, note));
}

static void stop(void)
{
    pool_stop(pool);
    uv_run(&loop, UV_RUN_DEFAULT);
    CHECK_INT(uv_loop_close(&loop), 0);
}

static void ask(unsigned index, const struct pyr_bot *bot, uint64_t address, bool watched)
{
    asks[index].bot = bot;
    asks[index].edition = &classic;
    asks[index].job.address = address;
    asks[index].job.visitor = 1;
    asks[index].job.watched = watched;
    CHECK(pool_submit_bot(pool, &asks[index]));
}

static void until_done(unsigned count)
{
    while (done < count)
        uv_run(&loop, UV_RUN_ONCE);
}

TEST("pool: a light bot answers while the one thread for long thoughts is taken, and 40 more wait for it") {
    start(1);
    for (unsigned i = 0; i < 41; i++)
        ask(i, &heavy, 666, true);
    ask(41, &light, 7, true);
    until_done(1);
    CHECK(order[0] == &asks[41]);
    CHECK_INT(pool_state(pool).waiting, 40);
    CHECK_INT(pool_state(pool).thinking, 1);
    atomic_store(&let_go, true);
    until_done(42);
    CHECK_INT(pool_state(pool).bot_choices[SCHEDULE_HEAVY], 41);
    CHECK_INT(pool_state(pool).bot_choices[SCHEDULE_LIGHT], 1);
    stop();
}

TEST("pool: one long thought of another address is all that a player's waits for") {
    start(1);
    for (unsigned i = 0; i < 20; i++)
        ask(i, &heavy, 666, true);
    ask(20, &heavy, 7, true);
    atomic_store(&let_go, true);
    until_done(21);
    CHECK(order[0] == &asks[0] && order[1] == &asks[20]);
    stop();
}

TEST("pool: a long thought is cut short for another address, not for an unwatched one") {
    start(1);
    ask(0, &thinker, 666, true);
    ask(1, &thinker, 7, true);
    until_done(1);
    CHECK_INT(pool_state(pool).shortened, 1);
    until_done(2);
    CHECK_INT(pool_state(pool).shortened, 1);        /* no client waited for the second */
    ask(0, &thinker, 666, true);
    ask(1, &thinker, 7, false);
    until_done(3);
    CHECK_INT(pool_state(pool).shortened, 1);
    until_done(4);
    stop();
}

TEST("pool: what bots know is made once and shared, and an ask can wait but once") {
    start(2);
    for (unsigned i = 0; i < 20; i++)
        ask(i, i % 2 ? &shared : &also_shared, i, true);
    CHECK(!pool_submit_bot(pool, &asks[3]));
    CHECK_INT(pool_state(pool).waiting, 20);
    pool_withdraw(pool, &asks[4]);
    pool_withdraw(pool, &asks[4]);
    CHECK_INT(pool_state(pool).waiting, 19);
    CHECK(pool_state(pool).oldest >= 0);
    until_done(19);
    CHECK_INT(prepared, 1);
    ask(4, &also_shared, 4, true);
    until_done(20);
    CHECK_INT(prepared, 1);
    stop();
}

TEST("pool: what waits when it stops waits nowhere afterwards") {
    start(1);
    for (unsigned i = 0; i < 10; i++)
        ask(i, i < 5 ? &heavy : &shared, i, true);
    atomic_store(&let_go, true);
    stop();
    for (unsigned i = 0; i < 10; i++)
        CHECK(!asks[i].job.link && !asks[i].job.share);
}

/* Analyses. */

struct long_work {
    struct pool_job job;
    bool ran, was_done;
};

static atomic_uint rests, running;
static unsigned works_done;
static uint64_t works_order[80];

static void run_until_let_go(struct pool_job *job)
{
    ((struct long_work *)job)->ran = true;
    atomic_fetch_add(&running, 1);
    while (!atomic_load(&let_go) && !pool_rest(pool))
        atomic_fetch_add(&rests, 1);
    atomic_fetch_sub(&running, 1);
}

static void work_done(struct pool_job *job)
{
    ((struct long_work *)job)->was_done = true;
    works_order[works_done++] = job->schedule.address;
}

TEST("pool: no bot waits for an analysis, even with one thread") {
    struct long_work work = { .job = { .run = run_until_let_go, .done = work_done } };
    start(1);
    works_done = 0;
    CHECK_INT(pool_submit(pool, &work.job, 7), ERROR_NONE);
    while (!atomic_load(&running))
        nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    for (unsigned i = 0; i < 30; i++)
        ask(i, i % 2 ? &light : &thinker, 8, true);
    until_done(30);
    CHECK(!work.was_done && pool_state(pool).jobs == 1);
    unsigned before = atomic_load(&rests);   /* and it continues once they have chosen */
    while (atomic_load(&rests) == before)
        nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    atomic_store(&let_go, true);
    while (!work.was_done)
        uv_run(&loop, UV_RUN_ONCE);
    CHECK_INT(pool_state(pool).jobs, 0);
    stop();
}

TEST("pool: an analysis gets on even if bots never rest") {
    struct long_work work = { .job = { .run = run_until_let_go, .done = work_done } };
    start(1);
    works_done = 0;
    ask(0, &heavy, 8, true);                 /* until the analysis lets it go */
    atomic_store(&rests, 0);
    CHECK_INT(pool_submit(pool, &work.job, 7), ERROR_NONE);
    while (!atomic_load(&rests))
        nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    CHECK_INT(done, 0);
    atomic_store(&let_go, true);
    until_done(1);
    stop();
    CHECK(work.was_done);
}

TEST("pool: few analyses of one address wait, one runs at a time, addresses take turns") {
    static struct long_work works[80];
    start(2);
    works_done = 0;
    for (unsigned i = 0; i < 80; i++)
        works[i] = (struct long_work){ .job = { .run = run_until_let_go, .done = work_done } };
    CHECK_INT(pool_submit(pool, &works[0].job, 666), ERROR_NONE);
    while (!atomic_load(&running))
        nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    for (unsigned i = 1; i <= POOL_JOBS_PER_ADDRESS; i++)
        CHECK_INT(pool_submit(pool, &works[i].job, 666), ERROR_NONE);
    CHECK_INT(pool_submit(pool, &works[10].job, 666), ERROR_TOO_MANY);
    for (unsigned i = 0; i < POOL_JOBS - POOL_JOBS_PER_ADDRESS; i++)
        CHECK_INT(pool_submit(pool, &works[10 + i].job, i), ERROR_NONE);
    CHECK_INT(pool_submit(pool, &works[78].job, 7777), ERROR_TOO_MANY);
    CHECK_INT(pool_state(pool).jobs, POOL_JOBS + 1);
    CHECK_INT(atomic_load(&running), 1);
    CHECK_INT(works[1].ran, false);
    stop();                                  /* returns all of them; jobs that did not run stay undone */
    CHECK_INT(works_done, POOL_JOBS + 1);
    CHECK(works[0].was_done && works[0].ran && works[1].was_done && !works[1].ran);
    unsigned last = 0;
    for (unsigned i = 0; i < works_done; i++)
        if (works_order[i] == 666)
            last = i;
    CHECK(last > POOL_JOBS_PER_ADDRESS + 2);     /* the others had their turns in between */
}
