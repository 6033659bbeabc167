/*
 * upkeep.c: what the server does now and then: it drops what is older than the --keep options allow, stores a heartbeat
 * while clocks run, so that after a crash they go on where they were, and tries whether a store that has failed works again.
 */
#include <stdlib.h>
#include <string.h>

#include "server.h"
#include "store_admin.h"

#define BEAT_MS 5000             /* between heartbeats: so much time a crash may give back to the players of a phase */
#define PROBE_MS 1000            /* the same while nothing can be stored */
#define LOOK_MS 1000             /* between questions which tables are due */
#define CHECK_MS 30000           /* between comparisons of revisions, on a shared database */
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
    int64_t node, now;           /* on a shared database */
    unsigned open;
    char codes[STORE_DUE][16];
    unsigned count;
};

static enum store_result run_look(struct store_db *db, struct store_job *job)
{
    struct look *look = (struct look *)job;
    look->at = look->server->upkeep.looked;  /* nobody changes that while a job looks */
    if (!look->node)
        return store_get_due(db, &look->at, look->until, look->codes, &look->count);
    enum store_result result = store_get_time(db, &look->now);
    if (!result && !(result = store_put_node(db, look->node, look->now)) && !(result = store_count_open(db, &look->open)))
        result = store_claim(db, look->node, look->now, look->codes, &look->count);
    if (!result && !look->count)
        result = store_get_kept(db, look->node, look->now, &look->at.table, look->codes, &look->count);
    return result;
}

/* Tables that this server keeps from now on, as far as they are in memory. */
static void take_over(struct server *server, char codes[][16], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct table *table = table_find(server, codes[i]);
        if (!table)
            continue;
        table->keeper = server->node;
        table_wake(table);
    }
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
        server->upkeep.looked = is_all && !look->node ? (struct store_place){ look->until, INT64_MAX } : look->at;
        if (!is_all && !look->node)
            server->upkeep.look_at = 0;
        if (look->node) {
            clock_follow(look->now);
            server->open_tables = look->open;
            take_over(server, look->codes, look->count);
        }
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
    look->node = server->node;
    look->job.run = run_look;
    look->job.done = look_done;
    server->upkeep.looking = true;
    store_submit(server->store, &look->job);
}

/* What other servers have done. */

#define CHECKED 200              /* tables at once */

struct check {
    struct store_job job;
    struct server *server;
    unsigned count;
    char codes[CHECKED][16];
    int64_t revision[CHECKED];
};

static enum store_result run_check(struct store_db *db, struct store_job *job)
{
    struct check *check = (struct check *)job;
    enum store_result result = STORE_OK;
    for (unsigned i = 0; i < check->count && !result; i++)
        result = store_get_revision(db, check->codes[i], &check->revision[i]);
    return result;
}

static void check_done(struct store_job *job, enum store_result result)
{
    struct check *check = (struct check *)job;
    struct server *server = check->server;
    for (unsigned i = 0; i < check->count && !result; i++) {
        struct table *table = table_find(server, check->codes[i]);
        if (table)
            table_hear(table, check->revision[i]);
    }
    if (result)
        server->upkeep.check_at = 0;         /* the database is away: once more when it is back */
    free(check);
}

/* Compares the revisions of all tables in memory with those of the database: what was announced may have been missed. */
static void submit_checks(struct server *server)
{
    struct check *check = NULL;
    for (const struct table *table = server->table_list; table; table = table->next) {
        if (!check && !(check = calloc(1, sizeof *check)))
            return;
        memcpy(check->codes[check->count++], table->code, sizeof table->code);
        if (check->count < CHECKED && table->next)
            continue;
        check->server = server;
        check->job.run = run_check;
        check->job.done = check_done;
        store_submit(server->store, &check->job);
        check = NULL;
    }
}

void upkeep_hear(void *context, const char *code, int64_t revision)
{
    struct server *server = context;
    struct table *table = code ? table_find(server, code) : NULL;
    if (table)
        table_hear(table, revision);
    else if (!code)
        server->upkeep.check_at = 0;
}

/* The server is about to stop. */

struct leave {
    struct store_job job;
    int64_t node;
};

static enum store_result run_leave(struct store_db *db, struct store_job *job)
{
    return store_drop_node(db, ((struct leave *)job)->node);
}

static void leave_done(struct store_job *job, enum store_result result)
{
    (void)result;                            /* others notice by themselves, a few seconds later */
    free(job);
}

void upkeep_leave(struct server *server)
{
    struct leave *leave = server->node ? calloc(1, sizeof *leave) : NULL;
    if (!leave)
        return;
    leave->node = server->node;
    leave->job.run = run_leave;
    leave->job.done = leave_done;
    store_submit(server->store, &leave->job);
}

/* What is old. */

struct sweep {
    struct store_job job;
    struct server *server;
    struct store_keep keep;
    int64_t seen;                /* visitors who never played and were not seen since; 0: all stay */
    int64_t reports;             /* dropped */
    int64_t tables[STORE_SWEEP], visitors[STORE_SWEEP];
    unsigned table_count, visitor_count;
    struct upkeep_swept swept;   /* in all; and who wants to know, NULL: nobody */
    void (*then)(void *context, const struct upkeep_swept *swept);
    void *context;
};

static enum store_result run_sweep(struct store_db *db, struct store_job *job)
{
    struct sweep *sweep = (struct sweep *)job;
    int64_t reports = 0;
    enum store_result result = sweep->keep.reports ? store_sweep_reports(db, sweep->keep.reports, &reports) : STORE_OK;
    sweep->reports = reports;
    if (!result)
        result = store_sweep_bans(db, server_time());
    if (!result)
        result = store_sweep(db, &sweep->keep, sweep->tables, &sweep->table_count);
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
    bool more = !result && (sweep->table_count == STORE_SWEEP || sweep->visitor_count == STORE_SWEEP);
    if (!sweep->then)
        server->upkeep.keeping = false;
    if (result == STORE_OK) {
        forget_tables(server, sweep->tables, sweep->table_count);
        visitors_forget(server, sweep->visitors, sweep->visitor_count, sweep->seen);
        if (sweep->table_count || sweep->visitor_count)
            server_log(server, LOG_INFO, "dropped", "tables=%u visitors=%u", sweep->table_count, sweep->visitor_count);
        sweep->swept.tables += sweep->table_count;
        sweep->swept.visitors += sweep->visitor_count;
        sweep->swept.reports += sweep->reports;
        if (more && !sweep->then)
            server->upkeep.keep_at = 0;      /* there may be more; others are served in between */
    }
    if (sweep->then && more) {
        store_submit(server->store, &sweep->job);
        return;
    }
    if (sweep->then) {
        sweep->swept.result = result;
        sweep->then(sweep->context, &sweep->swept);
    }
    free(sweep);
}

static int64_t days_ago(unsigned days)
{
    return days ? server_time() - 86400 * (int64_t)days : 0;
}

static struct sweep *new_sweep(struct server *server)
{
    const struct server_options *options = &server->options;
    struct sweep *sweep = calloc(1, sizeof *sweep);
    if (!sweep)
        return NULL;
    sweep->server = server;
    sweep->keep = (struct store_keep){ .reports = days_ago(options->keep_analyses), .closed = days_ago(options->keep_closed),
        .finished = days_ago(options->keep_games), .requests = server_time() - REQUEST_SECONDS, .codes = server_time() };
    sweep->seen = days_ago(options->keep_visitors);
    sweep->job.run = run_sweep;
    sweep->job.done = sweep_done;
    return sweep;
}

static void submit_sweep(struct server *server)
{
    struct sweep *sweep = new_sweep(server);
    if (!sweep)
        return;
    server->upkeep.keeping = true;
    store_submit(server->store, &sweep->job);
}

bool upkeep_sweep(struct server *server, void (*then)(void *context, const struct upkeep_swept *swept), void *context)
{
    struct sweep *sweep = new_sweep(server);
    if (!sweep)
        return false;
    sweep->then = then;
    sweep->context = context;
    store_submit(server->store, &sweep->job);
    return true;
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
    if (is_well && server->shared && !server->stopping && real >= server->upkeep.check_at) {
        server->upkeep.check_at = real + CHECK_MS;
        submit_checks(server);
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
