/*
 * upkeep.c: what the server does now and then: it drops what is older than the --keep options allow, stores a heartbeat
 * while clocks run, so that after a crash they go on where they were, and tries whether a store that has failed works again.
 */
#include <stdlib.h>

#include "server.h"

#define BEAT_MS 5000             /* between heartbeats: so much time a crash may give back to the players of a phase */
#define PROBE_MS 1000            /* the same while nothing can be stored */
#define LOOK_MS 1000             /* between questions which tables are due */
#define KEEP_MS 3600000          /* between looks for what is old */
#define REQUEST_SECONDS (2 * 86400)  /* ids of requests for tables */

/* The heartbeat, which is the probe too. Both go by the real time: a test that stops the clock does not stop the disk. */

struct beat {
    struct store_job job;
    struct server *server;
    int64_t alive, start;
};

static enum store_result run_beat(struct store_db *db, struct store_job *job)
{
    const struct beat *beat = (struct beat *)job;
    enum store_result result = beat->start ? store_put_start(db, beat->start) : STORE_OK;
    return result ? result : store_put_alive(db, beat->alive);
}

static void beat_done(struct store_job *job, enum store_result result)
{
    struct beat *beat = (struct beat *)job;
    beat->server->upkeep.beating = false;
    if (!result)                             /* if not, the store knows how it is */
        beat->server->upkeep.start = 0;
    free(beat);
}

static void submit_beat(struct server *server)
{
    struct beat *beat = calloc(1, sizeof *beat);
    if (!beat)
        return;
    beat->server = server;
    beat->alive = server_time();
    beat->start = server->upkeep.start;
    beat->job.run = run_beat;
    beat->job.done = beat_done;
    server->upkeep.beating = true;
    store_submit(server->store, &beat->job);
}

static bool has_clocks(const struct server *server)
{
    for (const struct table *table = server->table_list; table; table = table->next)
        if (table->deadline)
            return true;
    return false;
}

/* Tables that are due: bots have to choose, a clock has run out, nobody has come for days. Those that are in memory look
 * after themselves. */

struct look {
    struct store_job job;
    struct server *server;
    struct store_place at;
    int64_t until;
    char codes[STORE_DUE][16];
    unsigned count;
};

static enum store_result run_look(struct store_db *db, struct store_job *job)
{
    struct look *look = (struct look *)job;
    look->at = look->server->upkeep.looked;  /* nobody changes that while a job looks */
    return store_get_due(db, &look->at, look->until, look->codes, &look->count);
}

static void tables_read(void *context, enum error error)
{
    struct server *server = context;
    server->upkeep.looking = false;
    if (error)
        server->upkeep.looked = (struct store_place){ 0 };     /* from the beginning, in a while */
}

static void look_done(struct store_job *job, enum store_result result)
{
    struct look *look = (struct look *)job;
    struct server *server = look->server;
    bool is_all = look->count < STORE_DUE;
    if (result) {
        server->upkeep.looking = false;
    } else {
        server->upkeep.looked = is_all ? (struct store_place){ look->until, INT64_MAX } : look->at;
        if (!is_all)
            server->upkeep.look_at = 0;
        tables_fetch(server, look->codes, look->count, tables_read, server);
    }
    free(look);
}

static void submit_look(struct server *server)
{
    struct look *look = calloc(1, sizeof *look);
    if (!look)
        return;
    look->server = server;
    look->until = server_time();
    look->job.run = run_look;
    look->job.done = look_done;
    server->upkeep.looking = true;
    store_submit(server->store, &look->job);
}

/* What is old. */

struct sweep {
    struct store_job job;
    struct server *server;
    struct store_keep keep;
    int64_t seen;                /* visitors who never played and were not seen since; 0: all stay */
    int64_t tables[STORE_SWEEP], visitors[STORE_SWEEP];
    unsigned table_count, visitor_count;
};

static enum store_result run_sweep(struct store_db *db, struct store_job *job)
{
    struct sweep *sweep = (struct sweep *)job;
    enum store_result result = store_sweep(db, &sweep->keep, sweep->tables, &sweep->table_count);
    sweep->visitor_count = 0;
    return result || !sweep->seen ? result : store_sweep_visitors(db, sweep->seen, sweep->visitors, &sweep->visitor_count);
}

static void forget_tables(struct server *server, const int64_t *ids, unsigned count)
{
    for (struct table *table = server->table_list, *next; table && count; table = next) {
        next = table->next;
        for (unsigned i = 0; i < count; i++)
            if (table->id == ids[i]) {
                table_forget(table);
                break;
            }
    }
}

static void sweep_done(struct store_job *job, enum store_result result)
{
    struct sweep *sweep = (struct sweep *)job;
    struct server *server = sweep->server;
    server->upkeep.keeping = false;
    if (result == STORE_OK) {
        forget_tables(server, sweep->tables, sweep->table_count);
        visitors_forget(server, sweep->visitors, sweep->visitor_count, sweep->seen);
        if (sweep->table_count || sweep->visitor_count)
            server_log(server, LOG_INFO, "dropped", "tables=%u visitors=%u", sweep->table_count, sweep->visitor_count);
        if (sweep->table_count == STORE_SWEEP || sweep->visitor_count == STORE_SWEEP)
            server->upkeep.keep_at = 0;      /* there may be more; others are served in between */
    }
    free(sweep);
}

static int64_t days_ago(unsigned days)
{
    return days ? server_time() - 86400 * (int64_t)days : 0;
}

static void submit_sweep(struct server *server)
{
    const struct server_options *options = &server->options;
    struct sweep *sweep = calloc(1, sizeof *sweep);
    if (!sweep)
        return;
    sweep->server = server;
    sweep->keep = (struct store_keep){ .reports = days_ago(options->keep_analyses), .closed = days_ago(options->keep_closed),
        .finished = days_ago(options->keep_games), .requests = server_time() - REQUEST_SECONDS, .codes = server_time() };
    sweep->seen = days_ago(options->keep_visitors);
    sweep->job.run = run_sweep;
    sweep->job.done = sweep_done;
    server->upkeep.keeping = true;
    store_submit(server->store, &sweep->job);
}

void upkeep_tick(struct server *server)
{
    uint64_t real = uv_now(&server->loop), now = server_now(server);
    bool is_well = store_health(server->store) == STORE_WELL;
    bool wants_beat = !is_well || server->upkeep.start || has_clocks(server);
    if (wants_beat && !server->upkeep.beating && real >= server->upkeep.beat_at) {
        server->upkeep.beat_at = real + (is_well ? BEAT_MS : PROBE_MS);
        submit_beat(server);
    }
    if (is_well && !server->upkeep.looking && !server->stopping && real >= server->upkeep.look_at) {
        server->upkeep.look_at = real + LOOK_MS;
        submit_look(server);
    }
    if (is_well && !server->upkeep.keeping && now >= server->upkeep.keep_at) {
        server->upkeep.keep_at = now + KEEP_MS;
        submit_sweep(server);
    }
}

void upkeep_stop(struct server *server)
{
    submit_beat(server);                     /* clocks stand still from here on */
}
