/* world.c: see world.h. */
#include <signal.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "fuzz.h"
#include "pool.h"
#include "world.h"

#define START_MS 1000000
#define START_SECONDS 1794700800

struct store {
    struct store_job *first, **end;
    unsigned pending;
    struct store_counters counters;
};

struct pool {
    struct schedule_queue asks, jobs;
    struct bot_job *(*begin)(struct ask *ask);
    void (*done)(struct bot_job *bot_job);
};

static struct {
    uint64_t ms;
    struct pyr_rng dice;
    struct store_db *db;
    struct store store;
    struct pool pool;
    bool crash;
} world;

/* Random numbers. */

static uint32_t draw(void)
{
    return (uint32_t)pyr_rng_next(&world.dice);
}

static void draw_bytes(void *to, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)to)[i] = (uint8_t)draw();
}

static const char *dice_name(void) { return "fuzz"; }
static struct randombytes_implementation dice = { .implementation_name = dice_name, .random = draw, .buf = draw_bytes };

/* The clock (clock.c). */

uint64_t server_now(const struct server *server) { (void)server; return world.ms; }
int64_t server_time(void) { return START_SECONDS + (int64_t)((world.ms - START_MS) / 1000); }
void clock_start(const struct server *server) { (void)server; }
void clock_follow(int64_t seconds) { (void)seconds; }
void clock_tick(const struct server *server) { (void)server; }
void world_wait(uint64_t ms) { world.ms += ms; }

/* The store (store.c). */

bool store_open(struct store **store, uv_loop_t *loop, const char *path, bool (*load)(struct store_db *db, void *context),
    void *context, char *error, size_t error_size)
{
    (void)loop;
    (void)path;
    (void)error;
    (void)error_size;
    world.store = (struct store){ .end = &world.store.first };
    *store = &world.store;
    MUST(store_db_begin(world.db, true) == STORE_OK && load(world.db, context) && store_db_commit(world.db) == STORE_OK);
    return true;
}

void store_submit(struct store *store, struct store_job *job)
{
    job->next = NULL;
    *store->end = job;
    store->end = &job->next;
    store->pending++;
}

bool store_is_shared(const struct store *store) { (void)store; return false; }

bool store_listen(struct store *store, store_on_news *on_news, void *context)
{
    (void)store;
    (void)on_news;
    (void)context;
    return true;
}

uint64_t store_pulse(struct store *store) { (void)store; return uv_hrtime() / 1000000; }
unsigned store_pending(const struct store *store) { return store->pending; }
struct store_counters store_counters(const struct store *store) { return store->counters; }
enum store_health store_health(struct store *store) { (void)store; return STORE_WELL; }

static void run(struct store_job *job, bool fail)
{
    enum store_result result = fail ? STORE_NO_ROOM : STORE_FAILED;
    if (!fail && store_db_begin(world.db, true) == STORE_OK) {
        result = job->run(world.db, job);
        if (result == STORE_OK)
            result = store_db_commit(world.db);
        else
            store_db_rollback(world.db);
    }
    job->done(job, result);
}

unsigned world_store(unsigned most, bool fail)
{
    unsigned count = 0;
    while (count < most && world.store.first) {
        struct store_job *job = world.store.first;
        if (!(world.store.first = job->next))
            world.store.end = &world.store.first;
        world.store.pending--;
        run(job, fail);
        count++;
    }
    return count;
}

void world_crash(bool crash) { world.crash = crash; }

void store_close(struct store *store)
{
    if (store)
        while (world_store(1, world.crash))
            ;
}

struct store_db *world_db(void) { return world.db; }

/* Bots (pool.c). */

bool pool_start(struct pool **pool, uv_loop_t *loop, unsigned threads, struct bot_job *(*begin)(struct ask *ask),
    void (*done)(struct bot_job *bot_job))
{
    (void)loop;
    (void)threads;
    world.pool = (struct pool){ .begin = begin, .done = done };
    schedule_queue_init(&world.pool.asks);
    schedule_queue_init(&world.pool.jobs);
    *pool = &world.pool;
    return true;
}

bool pool_submit_bot(struct pool *pool, struct ask *ask)
{
    if (ask->job.link || ask->thinking)
        return false;
    schedule_queue_add(&pool->asks, &ask->job);
    return true;
}

void pool_withdraw(struct pool *pool, struct ask *ask)
{
    if (ask->job.link)
        schedule_queue_remove(&pool->asks, &ask->job);
}

enum error pool_submit(struct pool *pool, struct pool_job *job, uint64_t address)
{
    (void)address;
    job->schedule = (struct schedule_job){ 0 };
    schedule_queue_add(&pool->jobs, &job->schedule);
    return ERROR_NONE;
}

void pool_watch(struct pool *pool, struct ask *ask, bool watched) { (void)pool; (void)ask; (void)watched; }
bool pool_rest(struct pool *pool) { (void)pool; return false; }
bool pool_is_busy(const struct pool *pool) { (void)pool; return false; }
struct pool_state pool_state(const struct pool *pool) { (void)pool; return (struct pool_state){ 0 }; }

static void think(struct bot_job *bot_job)
{
    struct pyr_game *game = &bot_job->game;
    while (bot_job->steps < PYR_MAX_PARTS && !pyr_game_is_ready(game, bot_job->seat)) {
        struct pyr_steps steps;
        pyr_game_steps(game, bot_job->seat, &steps);
        MUST(steps.count);
        pyr_step step = pyr_steps_pick(&steps, &bot_job->edition->box, &world.dice);
        bot_job->step[bot_job->steps++] = step;
        if (pyr_game_step(game, bot_job->seat, step, NULL) || !game->choice[bot_job->seat].count)
            break;
    }
}

static void give_back_works(struct pool *pool)
{
    while (pool->jobs.first) {
        struct pool_job *job = (struct pool_job *)pool->jobs.first;
        schedule_queue_remove(&pool->jobs, &job->schedule);
        job->done(job);
    }
}

void world_think(void)
{
    for (unsigned i = 0; i < 16 && world.pool.asks.first; i++) {
        struct ask *ask = (struct ask *)world.pool.asks.first;
        schedule_queue_remove(&world.pool.asks, &ask->job);
        struct bot_job *bot_job = world.pool.begin(ask);
        if (!bot_job)
            continue;
        bot_job->ask = ask;
        bot_job->edition = ask->edition;
        bot_job->bot = ask->bot;
        think(bot_job);
        world.pool.done(bot_job);
    }
    give_back_works(&world.pool);
}

void pool_stop(struct pool *pool)
{
    if (!pool)
        return;
    while (pool->asks.first)
        schedule_queue_remove(&pool->asks, pool->asks.first);
    give_back_works(pool);
}

/* The names of this machine (names.c): none but localhost. */

void access_find_names(struct server *server, const char *certificate) { (void)server; (void)certificate; }

unsigned access_links(const struct server *server, char links[ACCESS_LINKS][ACCESS_LINK_SIZE])
{
    (void)server;
    (void)links;
    return 0;
}

/* Begin and end. */

static void quiet(const char *words) { (void)words; }

void world_begin(void)
{
    char error[256];
    static bool has_dice;
    world.ms = START_MS;
    world.crash = false;
    pyr_rng_seed(&world.dice, 1, 2);
    if (!has_dice) {
        signal(SIGPIPE, SIG_IGN);
        MUST(!randombytes_set_implementation(&dice) && sodium_init() >= 0);
    }
    has_dice = true;
    store_set_log(quiet);
    world.db = store_db_open(":memory:", true, error, sizeof error);
    MUST(world.db);
}

void world_end(void)
{
    store_db_close(world.db);
    world.db = NULL;
}
