/*
 * upkeep.c: the server's regular tasks: it drops data that is older than the --keep options allow, stores a heartbeat
 * while clocks run, so that after a crash they continue where they were, and checks whether a store that has failed works
 * again.
 *
 * Each task is a job of the store with a flag for "under way", so jobs do not pile up if the database is slow. Everything
 * runs in the loop's thread except the run_* functions, which run in the store's.
 *
 * On a database that several servers share, it also reports once per second that this server is alive, and claims work:
 * tables that are due (bots, clocks) and analyses. A server that only runs bots claims at once what others leave to it.
 * Servers with players wait while there is such a server, and all servers wait while they have enough to do. But work
 * never waits long: what is unclaimed after a few seconds is claimed by the server that looks next.
 */
#include <stdlib.h>
#include <string.h>

#include "daily.h"
#include "judging.h"
#include "pool.h"
#include "server.h"
#include "store_admin.h"
#include "store_daily.h"

#define BEAT_MS 5000             /* between heartbeats: the most time that players may gain by a crash */
#define PULSE_MS 1800000         /* between heartbeats if no clock runs: the precision of the time without a server on a
                                    day */
#define PROBE_MS 1000            /* between heartbeats while the store cannot write */
#define LOOK_MS 1000             /* between queries for due tables */
#define LATER_LOOKS 3            /* a server that leaves work to others claims only in every third look */
#define CHECK_MS 30000           /* between comparisons of revisions, on a shared database */
#define KEEP_MS 3600000          /* between looks for old data */
#define REQUEST_SECONDS (2 * 86400)  /* how long ids of requests for tables are kept */

/* The heartbeat, which is also the check of the store. Both use the real time: a test that stops the clock does not stop
 * the disk. */

struct beat {
    struct store_job job;
    struct server *server;
    int64_t alive, start;
};

/* The time since the last heartbeat, unless another server was running, is noted as an outage of those days of the daily
 * expedition. */
static enum store_result note_outage(struct store_db *db, int64_t now)
{
    struct store_nodes nodes = { .count = 0 };
    int64_t alive = 0, time = now;
    enum store_result result = store_get_alive(db, &alive);
    if (!result)
        result = store_get_time(db, &time);
    if (!result)
        result = store_get_nodes(db, time, &nodes);
    if (!result)
        result = store_make_days(db, now / 86400, now);
    return result || !alive || alive >= now || nodes.count > 1 ? result : store_add_outage(db, alive, now);
}

static enum store_result run_beat(struct store_db *db, struct store_job *job)
{
    const struct beat *beat = (struct beat *)job;
    enum store_result result = beat->start ? note_outage(db, beat->start) : STORE_OK;
    if (!result && beat->start)
        result = store_put_start(db, beat->start);
    return result ? result : store_put_alive(db, beat->alive);
}

static void beat_done(struct store_job *job, enum store_result result)
{
    struct beat *beat = (struct beat *)job;
    beat->server->upkeep.beating = false;
    if (!result)                             /* on failure the store itself knows its state */
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

/* Only running clocks need a heartbeat: so an idle server does not write to the disk. */
static bool has_clocks(const struct server *server)
{
    for (const struct table *table = server->table_list; table; table = table->next)
        if (table->deadline)
            return true;
    return false;
}

/* Due tables: bots have to choose, a clock has run out, no player has come for days. Tables in memory handle this
 * themselves. */

struct look {
    struct store_job job;
    struct server *server;
    struct store_place at;
    int64_t until;
    int64_t node, now;           /* on a shared database */
    enum store_thinking thinks;
    bool claims_bots, claims_rest, claims_analyses;
    struct store_nodes nodes;
    char analysis[16];           /* the table whose analysis was claimed; "": none */
    unsigned open, analyses;
    char codes[STORE_DUE][16];
    unsigned count;
};

/* Claims work for this server. */
static enum store_result claim(struct store_db *db, struct look *look)
{
    int64_t from = look->claims_bots ? STORE_DUE_BOTS : STORE_DUE_BOTS + 1, to = look->claims_rest ? look->now :
        STORE_DUE_BOTS;
    enum store_result result = STORE_OK;
    look->count = 0;
    look->analysis[0] = '\0';
    if (from <= to)
        result = store_claim(db, look->node, look->now, from, to, look->codes, &look->count);
    if (!result && !look->count)
        result = store_get_kept(db, look->node, look->now, &look->at.table, look->codes, &look->count);
    if (!result && look->claims_analyses) {
        result = store_claim_analysis(db, look->node, look->now, look->analysis);
        result = result == STORE_MISSING ? STORE_OK : result;
    }
    return result ? result : store_count_analyses(db, &look->analyses);
}

/* A server that is alone on its database goes through the due tables in order of time. With other servers it first
 * reports that it is alive, claims tables without a keeper, and if there are none looks at those that it keeps itself. */
static enum store_result run_look(struct store_db *db, struct store_job *job)
{
    struct look *look = (struct look *)job;
    look->at = look->server->upkeep.looked;  /* unchanged while a job is looking */
    if (!look->node)
        return store_get_due(db, &look->at, look->until, look->codes, &look->count);
    enum store_result result = store_get_time(db, &look->now);
    if (!result && !(result = store_put_node(db, look->node, look->thinks, look->now)) &&
        !(result = store_get_nodes(db, look->now, &look->nodes)) && !(result = store_count_open(db, &look->open)))
        result = claim(db, look);
    return result;
}

/* Notes for tables in memory that this server is now their keeper. */
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

static void submit_look(struct server *server);

/* The look has ended. */
static void look_end(struct server *server)
{
    bool again = server->upkeep.look_again && !server->stopping && !server->stopped;
    server->upkeep.looking = server->upkeep.look_again = false;
    if (again)
        submit_look(server);
}

static void tables_read(void *context, enum error error)
{
    struct server *server = context;
    if (error)
        server->upkeep.looked = (struct store_place){ 0 };     /* begins again from the start, later */
    look_end(server);
}

/* Notes which servers are running. */
static void see_nodes(struct server *server, const struct store_nodes *nodes)
{
    bool is_same = nodes->count == server->nodes.count;
    for (unsigned i = 0; i < nodes->count && is_same; i++)
        is_same = nodes->at[i].id == server->nodes.at[i].id;
    server->thinkers = 0;
    for (unsigned i = 0; i < nodes->count; i++)
        server->thinkers += nodes->at[i].thinks == STORE_THINKS_ONLY && nodes->at[i].id != server->node;
    if (is_same)
        return;
    server->nodes = *nodes;
    server_log(server, LOG_INFO, "servers", "count=%u thinking=%u", nodes->count, server->thinkers);
    presence_judge_all(server);
}

/* `looked` is the present position. After a full batch the next look follows at once; after the last batch it begins from
 * `until` on. */
static void look_done(struct store_job *job, enum store_result result)
{
    struct look *look = (struct look *)job;
    struct server *server = look->server;
    bool is_all = look->count < STORE_DUE;
    if (result) {
        look_end(server);
    } else {
        server->upkeep.looked = is_all && !look->node ? (struct store_place){ look->until, INT64_MAX } : look->at;
        if (!is_all && !look->node)
            server->upkeep.look_at = 0;
        if (look->node) {
            clock_follow(look->now);
            server->open_tables = look->open;
            server->analyses = look->analyses;
            see_nodes(server, &look->nodes);
            if (look->analysis[0])
                judging_claimed(server, look->analysis);
            take_over(server, look->codes, look->count);
        }
        tables_fetch(server, look->codes, look->count, tables_read, server);
    }
    free(look);
}

/* Whether this look leaves the work to others. */
static bool leaves_claims(const struct server *server)
{
    bool is_busy = server->pool && pool_is_busy(server->pool);
    return (is_busy || server_leaves_bots(server)) && server->upkeep.looks % LATER_LOOKS;
}

static void submit_look(struct server *server)
{
    struct look *look = calloc(1, sizeof *look);
    if (!look)
        return;
    const struct server_options *options = &server->options;
    bool thinks = options->thinks_only || options->bot_threads;
    server->upkeep.looks++;
    look->thinks = options->thinks_only ? STORE_THINKS_ONLY : options->bot_threads ? STORE_THINKS_TOO : STORE_THINKS_NOT;
    look->claims_bots = thinks && !leaves_claims(server);
    look->claims_rest = !options->thinks_only;
    look->claims_analyses = look->claims_bots && !server->judging;
    look->server = server;
    look->until = server_time();
    look->node = server->node;
    look->job.run = run_look;
    look->job.done = look_done;
    server->upkeep.looking = true;
    store_submit(server->store, &look->job);
}

/* Changes by other servers. */

struct check {
    struct store_job job;
    struct server *server;
    unsigned count;
    char codes[STORE_REVISIONS][16];
    int64_t ids[STORE_REVISIONS], revision[STORE_REVISIONS];
};

static enum store_result run_check(struct store_db *db, struct store_job *job)
{
    struct check *check = (struct check *)job;
    return store_get_revisions(db, check->ids, check->count, check->revision);
}

static void check_done(struct store_job *job, enum store_result result)
{
    struct check *check = (struct check *)job;
    struct server *server = check->server;
    server->upkeep.checks--;
    for (unsigned i = 0; i < check->count && !result; i++) {
        struct table *table = table_find(server, check->codes[i]);
        if (table)
            table_note_news(table, check->revision[i], NULL);
    }
    if (result) {                            /* the database is away: try again when it is back */
        server->upkeep.check_at = 0;
        server->upkeep.missed = true;
    }
    free(check);
}

/* Compares the revisions of all tables in memory with those in the database, since announcements may have been missed. */
static void submit_checks(struct server *server)
{
    struct check *check = NULL;
    if (server->upkeep.missed)
        visitors_check_names(server);
    for (struct table *table = server->table_list; table; table = table->next) {
        if (server->upkeep.missed)
            presence_read(table);
        if (!check && !(check = calloc(1, sizeof *check)))
            return;
        check->ids[check->count] = table->id;
        memcpy(check->codes[check->count++], table->code, sizeof table->code);
        if (check->count < STORE_REVISIONS && table->next)
            continue;
        check->server = server;
        check->job.run = run_check;
        check->job.done = check_done;
        server->upkeep.checks++;
        store_submit(server->store, &check->job);
        check = NULL;
    }
    server->upkeep.missed = false;
}

bool upkeep_is_behind(const struct server *server)
{
    return server->shared && (server->is_deaf || server->upkeep.missed || server->upkeep.checks);
}

/* There is work to claim. */
static void look_soon(struct server *server)
{
    bool is_well = store_health(server->store) == STORE_WELL;
    if (!is_well || server->stopping || server->stopped || (!server->options.thinks_only && server_leaves_bots(server)))
        return;
    if (server->upkeep.looking)
        server->upkeep.look_again = true;
    else
        submit_look(server);
}

/* word NULL: announcements may have been lost, so all revisions will be compared soon. */
void upkeep_note_news(void *context, const char *word, int64_t number, const char *more)
{
    struct server *server = context;
    if (!word) {
        server->is_deaf = number;
        server->listens += !server->is_deaf;
        server->upkeep.check_at = server->is_deaf ? server->upkeep.check_at : 0;
        server->upkeep.missed = true;
        return;
    }
    if (word[0] == STORE_NEWS_REACTION[0]) {
        struct table *at = table_find(server, word + 1);
        if (at)
            table_note_reaction(at, number);
        return;
    }
    bool is_presence = word[0] == STORE_NEWS_PRESENCE[0];
    struct table *table = table_find(server, word + is_presence);
    if (table && is_presence && number)
        presence_play_elsewhere(table, number, more ? strtoll(more, NULL, 10) : 0);
    else if (table && is_presence)
        presence_read(table);
    else if (table)
        table_note_news(table, number, more);
    else if (!strcmp(word, STORE_NEWS_NAME))
        visitor_renamed_elsewhere(server, number);
    else if (!strcmp(word, STORE_NEWS_WORK))
        look_soon(server);
    else
        table_fetch_note_news(server, word + is_presence, number, is_presence);
}

/* Stopping. */

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
    (void)result;                            /* others notice it themselves, a few seconds later */
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

/* Old data. */

struct sweep {
    struct store_job job;
    struct server *server;
    struct store_keep keep;
    int64_t seen;                /* visitors who never played and were not seen since; 0: keep all */
    struct store_place at;       /* the place up to which those were checked */
    int64_t reports;             /* reports older than this */
    int64_t tables[STORE_SWEEP], visitors[STORE_SWEEP];
    unsigned table_count, visitor_count;
    struct upkeep_swept swept;   /* the totals; and the receiver, NULL: none */
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
    sweep->at = sweep->server->upkeep.swept;         /* unchanged while a job is running */
    return result || !sweep->seen ? result :
        store_sweep_visitors(db, sweep->seen, &sweep->at, sweep->visitors, &sweep->visitor_count);
}

/* The database has dropped these tables: those in memory would be stored against rows that no longer exist. */
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
    bool more = !result && (sweep->table_count == STORE_SWEEP || sweep->at.table);
    if (!sweep->then)
        server->upkeep.keeping = false;
    if (result == STORE_OK) {
        forget_tables(server, sweep->tables, sweep->table_count);
        visitors_forget(server, sweep->visitors, sweep->visitor_count, sweep->seen);
        if (sweep->table_count || sweep->visitor_count)
            server_log(server, LOG_INFO, "dropped", "tables=%u visitors=%u", sweep->table_count, sweep->visitor_count);
        server->upkeep.swept = sweep->at;
        sweep->swept.tables += sweep->table_count;
        sweep->swept.visitors += sweep->visitor_count;
        sweep->swept.reports += sweep->reports;
        if (more && !sweep->then)
            server->upkeep.keep_at = 0;      /* there may be more; other jobs run in between */
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

/* 0 days: kept for ever, for the store a time of 0. */
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

/* `real` is the loop's clock, `now` the one that tests change. While the store does not work, only the heartbeat is
 * tried. */
void upkeep_tick(struct server *server)
{
    uint64_t real = uv_now(&server->loop), now = server_now(server);
    bool is_well = store_health(server->store) == STORE_WELL;
    bool wants_beat = !is_well || server->upkeep.start || has_clocks(server) || real >= server->upkeep.pulse_at;
    if (wants_beat && !server->upkeep.beating && real >= server->upkeep.beat_at) {
        server->upkeep.beat_at = real + (is_well ? BEAT_MS : PROBE_MS);
        server->upkeep.pulse_at = real + PULSE_MS;
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
    if (is_well && !server->stopping)
        daily_tick(server);
    if (is_well && !server->upkeep.keeping && now >= server->upkeep.keep_at) {
        server->upkeep.keep_at = now + KEEP_MS;
        submit_sweep(server);
    }
}

void upkeep_stop(struct server *server)
{
    submit_beat(server);                     /* from here on clocks stand still */
}
