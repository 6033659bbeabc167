/*
 * daily_upkeep.c: the regular tasks of the daily expedition: days are made and revealed, results are analysed, and
 * `master` plays the same cards; see daily.h.
 *
 * Everything runs in the loop's thread except the run_* functions, which run in the store's, and master_play, which runs
 * in a thread of the pool.
 */
#include <stdlib.h>

#include "daily.h"
#include "judging.h"
#include "pool.h"
#include "server.h"
#include "store_daily.h"

#define LOOK_MS 1000             /* between looks for something to do */

/* A game of `master` with a day's cards. It takes about a minute; the effort is fixed, so the result is the same on every
 * machine. */

struct mastering {
    struct pool_job pool_job;    /* first */
    struct store_job job;
    struct server *server;
    struct pool *pool;
    const struct pyr_edition *edition;
    struct store_day day;
    uint64_t nodes;
    bool is_done;
    int32_t points;
};

static bool must_stop(void *context)
{
    return pool_rest(((struct mastering *)context)->pool);
}

/* Plays one choice after the other, each step with the random numbers of a bot in that seat. False: cancelled. */
static bool play_on(struct mastering *mastering, struct pyr_match *match, void *memory)
{
    const struct pyr_bot *bots[] = { pyr_bot_find("master"), pyr_bot_find(PYR_DAILY_BOT) };
    const struct pyr_budget budget = { .is_over = must_stop, .context = mastering, .nodes = mastering->nodes };
    unsigned waiting;
    while ((waiting = pyr_match_waiting(match))) {
        pyr_seat seat = (pyr_seat)__builtin_ctz(waiting);
        uint64_t seed = pyr_daily_seed(mastering->day.secret, &match->replay.state.open, seat);
        uint32_t lines = match->log.lines;
        struct pyr_view view;
        struct pyr_rng rng;
        pyr_daily_rng(seed, seat, match->choice[seat].count, &rng);
        pyr_match_view(match, seat, &view);
        pyr_step step = bots[seat != 0]->choose(memory, &mastering->edition->box, &view, &rng, seat ? NULL : &budget);
        if (must_stop(mastering) || pyr_match_step(match, seat, step))
            return false;
        if (match->log.lines == lines && pyr_match_is_ready(match, seat))
            pyr_match_confirm(match, seat);
    }
    return pyr_match_is_over(match);
}

/* Master and club have the same tables. In a thread of the pool. */
static void master_play(struct pool_job *job)
{
    struct mastering *mastering = (struct mastering *)job;
    const struct pyr_bot *bot = pyr_bot_find("master");
    const struct pyr_box *box = &mastering->edition->box;
    void *memory = aligned_alloc(64, (bot->memory(box) + 63) / 64 * 64);
    struct pyr_match *match = malloc(sizeof *match);
    static const char *const names[PYR_DAILY_SEATS] = { "master", PYR_DAILY_BOT, PYR_DAILY_BOT };
    struct pyr_chance chance;
    if (memory && match) {
        bot->prepare(memory, box);
        pyr_daily_chance(mastering->day.secret, mastering->edition, &chance);
        if (!pyr_match_init(match, mastering->edition, PYR_DAILY_SEATS, names, &chance) &&
            play_on(mastering, match, memory)) {
            mastering->is_done = true;
            mastering->points = pyr_table_score(&match->replay.state.open, box, 0).total;
        }
    }
    free(match);
    free(memory);
}

static enum store_result run_mastering(struct store_db *db, struct store_job *job)
{
    const struct mastering *mastering = (struct mastering *)((char *)job - offsetof(struct mastering, job));
    return store_put_master(db, mastering->day.day, mastering->points);
}

static void mastering_stored(struct store_job *job, enum store_result result)
{
    struct mastering *mastering = (struct mastering *)((char *)job - offsetof(struct mastering, job));
    (void)result;                            /* after a failure it is claimed and played once more */
    mastering->server->daily.mastering = false;
    free(mastering);
}

static void mastered(struct pool_job *job)
{
    struct mastering *mastering = (struct mastering *)job;
    if (mastering->is_done && !mastering->server->stopped) {
        mastering->job.run = run_mastering;
        mastering->job.done = mastering_stored;
        store_submit(mastering->server->store, &mastering->job);
        return;
    }
    mastering->server->daily.mastering = false;
    free(mastering);
}

static void begin_mastering(struct server *server, const struct store_day *day)
{
    const struct pyr_edition *edition = server_edition(server, PYR_DAILY_EDITION);
    struct mastering *mastering = server->pool && edition ? calloc(1, sizeof *mastering) : NULL;
    if (!mastering)
        return;
    *mastering = (struct mastering){ .pool_job = { .run = master_play, .done = mastered }, .server = server,
        .pool = server->pool, .edition = edition, .day = *day, .nodes = server->options.analysis_playouts };
    if (pool_submit(server->pool, &mastering->pool_job, 0))
        free(mastering);
    else
        server->daily.mastering = true;
}

/* Regular tasks. */

struct looking {
    struct store_job job;
    struct server *server;
    int64_t now, node, revealed;
    bool thinks, wants_master;
    char unjudged[16];           /* the table of a result that should be analysed; "": none */
    uint8_t judged;
    bool has_master;             /* whether its cards should be played: */
    struct store_day master;
};

enum store_result daily_now(struct store_db *db, int64_t *now)
{
    int64_t time;
    enum store_result result = store_get_time(db, &time);
    if (!result)
        clock_follow(time);
    *now = server_time();
    return result;
}

/* On a shared database analyses are claimed by any idle server, like those that players request. */
static enum store_result find_unjudged(struct store_db *db, struct looking *looking)
{
    int64_t table;
    unsigned waiting;
    enum store_result result = store_get_unjudged(db, &table, looking->unjudged, &looking->judged);
    if (result)
        looking->unjudged[0] = '\0';
    if (!result && looking->node) {
        looking->unjudged[0] = '\0';
        result = store_ask_analysis(db, table, 0, looking->now, 0, 1 + POOL_JOBS, &waiting);
    }
    return result == STORE_MISSING || result == STORE_LIMIT ? STORE_OK : result;
}

static enum store_result run_looking(struct store_db *db, struct store_job *job)
{
    struct looking *looking = (struct looking *)job;
    enum store_result result = daily_now(db, &looking->now);
    if (!result)
        result = store_make_days(db, looking->now / PYR_DAILY_SECONDS, looking->now);
    if (!result)
        result = store_reveal_days(db, (looking->now - PYR_DAILY_GRACE) / PYR_DAILY_SECONDS - 1, looking->now);
    if (!result)
        result = store_last_revealed(db, &looking->revealed);
    if (!result)
        result = store_settle(db, looking->now);
    if (!result)
        result = find_unjudged(db, looking);
    looking->has_master = false;
    if (!result && looking->thinks && looking->wants_master) {
        int64_t now;                         /* the database's time, by which servers report that they are alive */
        result = store_get_time(db, &now);
        if (!result)
            result = store_claim_master(db, looking->node, now, &looking->master);
        looking->has_master = !result;
    }
    return result == STORE_MISSING ? STORE_OK : result;
}

static void looking_done(struct store_job *job, enum store_result result)
{
    struct looking *looking = (struct looking *)job;
    struct server *server = looking->server;
    server->daily.looking = false;
    if (!result && looking->revealed > server->daily.revealed)
        server->daily.revealed = looking->revealed;
    if (!result && !server->stopping) {
        if (looking->unjudged[0] && looking->thinks)
            judging_wanted(server, looking->unjudged, !looking->judged);
        if (looking->has_master)
            begin_mastering(server, &looking->master);
    }
    free(looking);
}

void daily_tick(struct server *server)
{
    uint64_t real = uv_now(&server->loop);
    struct looking *looking = server->daily.looking || real < server->daily.look_at ? NULL : calloc(1, sizeof *looking);
    if (!looking)
        return;
    server->daily.look_at = real + LOOK_MS;
    server->daily.looking = true;
    looking->server = server;
    looking->node = server->node;
    looking->thinks = server->options.thinks_only || server->options.bot_threads;
    looking->wants_master = !server->daily.mastering;
    looking->job.run = run_looking;
    looking->job.done = looking_done;
    store_submit(server->store, &looking->job);
}
