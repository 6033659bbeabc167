/*
 * table_make.c: new tables: the limits on them, and the choice of an abandoned table that is closed to make room.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "change.h"
#include "server.h"

#define ABANDONED_MS 600000      /* a table that has waited for players unwatched for so long may be closed to make room */

/* A new table has no change to apply: find_effects (change.c) writes its configuration because of `is_new`. */
enum error apply_new(struct change *change, struct problem *problem)
{
    (void)change;
    (void)problem;
    return ERROR_NONE;
}

/*
 * An abandoned table is closed to make room for a new one: a table of one address, or (NULL) of the address with the most
 * tables. It must have been unwatched for a while; the one that was so longest is closed.
 */

struct abandoned {
    const struct server *server;
    const struct address *of;
    char code[CODE_SIZE + 1];    /* the table to close; "": none yet */
    unsigned most;
    uint64_t idle;
};

/* The order in which tables are closed: first tables of the address that has most of them, and among these the one that
 * was unwatched longest. So a flood from one address displaces only its own tables. */
static void consider(struct abandoned *worst, const char *code, const struct address *address, uint64_t idle)
{
    unsigned tables = address ? address->tables : 0;
    if ((worst->of && address != worst->of) || server_now(worst->server) - idle < ABANDONED_MS)
        return;
    if (worst->code[0] && (tables < worst->most || (tables == worst->most && idle >= worst->idle)))
        return;
    memcpy(worst->code, code, sizeof worst->code);
    worst->most = tables;
    worst->idle = idle;
}

/* Tables that left the memory are candidates, too, if they are still waiting for players. */
static void consider_stake(struct map_node *node, void *context)
{
    const struct stake *stake = (struct stake *)node;
    if (stake->waits)
        consider(context, stake->code, stake->address, stake->idle);
}

/* A table was closed, or cannot be: the new table that waits for it is stored now, if there is room. NULL: no table
 * waits. */
static void stop_waiting(struct table *waiting)
{
    if (!waiting)
        return;
    waiting->busy = false;
    if (table_release(waiting))
        changes_continue(waiting);
}

static void abandoned_closed(struct change *change, enum error error)
{
    (void)error;
    stop_waiting(change->context);
}

/* The chosen table may have become active while it was read from the database, so everything is checked again here. */
static void close_abandoned(struct table *table, struct table *waiting)
{
    bool is_left = table && table->now.stage == STORE_WAITING && !table->observers && !table->changes;
    struct change *change = is_left ? change_new(table, apply_close) : NULL;
    if (!change) {
        stop_waiting(waiting);
        return;
    }
    server_log(table->server, LOG_INFO, "table_abandoned", "table=%lld", (long long)table->id);
    change->answer = waiting ? abandoned_closed : NULL;
    change->context = waiting;
    change_submit(change, NULL, NULL);
}

static void close_fetched(struct fetch *fetch, struct table *table, enum error error)
{
    close_abandoned(error ? NULL : table, fetch->context);
}

/* The same among tables that are not in memory: the database finds one; the room is available later. */
struct search {
    struct store_job job;
    struct server *server;
    int64_t before;              /* seconds since 1970: not changed since then */
    char code[16];
};

static enum store_result run_search(struct store_db *db, struct store_job *job)
{
    struct search *search = (struct search *)job;
    return store_get_abandoned(db, search->before, search->code);
}

static void search_done(struct store_job *job, enum store_result result)
{
    struct search *search = (struct search *)job;
    if (!result && table_is_code(search->code) && !table_find(search->server, search->code))
        table_fetch(search->server, search->code, close_fetched, NULL);
    free(search);
}

/* Without memory nothing is searched: the next request for a table tries again. */
static void search_abandoned(struct server *server)
{
    struct search *search = calloc(1, sizeof *search);
    if (!search)
        return;
    search->server = server;
    search->before = server_time() - ABANDONED_MS / 1000;
    search->job.run = run_search;
    search->job.done = search_done;
    store_submit(server->store, &search->job);
}

/* Finds a table to close for a new one; false: there is no room now. */
static bool find_room(struct server *server, const struct address *address, char code[CODE_SIZE + 1])
{
    struct abandoned worst = { .server = server, .of = address };
    for (struct table *table = server->table_list; table; table = table->next)
        if (table->now.stage == STORE_WAITING && !table->observers && !table->changes)
            consider(&worst, table->code, table->address, table->idle);
    map_each(&server->stakes, consider_stake, &worst);
    memcpy(code, worst.code, sizeof worst.code);
    if (!worst.code[0] && !address)
        search_abandoned(server);
    return worst.code[0];
}

/* Closes that table. The new one waits until it is closed, so that the limit is never exceeded. */
static void make_room(struct table *waiting, const char *code)
{
    struct server *server = waiting->server;
    struct table *table = table_find(server, code);
    waiting->busy = true;
    waiting->jobs++;
    if (table)
        close_abandoned(table, waiting);
    else if (!table_fetch(server, code, close_fetched, waiting))
        stop_waiting(waiting);
}

/* The database had no room for a new table, since others were made after this server had counted them. */
bool table_wait_for_room(struct table *waiting)
{
    char code[CODE_SIZE + 1];
    if (!find_room(waiting->server, NULL, code))
        return false;
    make_room(waiting, code);
    return true;
}

/* Whether the limits allow one more table of this host, from this address. `code`: the table that has to be closed for
 * it; "": none. A day's attempt that counts does not use up the host's tables (daily.c has its own limit). The bucket is
 * checked last, so that a refused request does not use up the address's rate. */
static enum error check_limits(struct server *server, int64_t host, struct address *address, bool is_counted,
    char code[CODE_SIZE + 1])
{
    const struct server_options *options = &server->options;
    unsigned open = 0;
    code[0] = '\0';
    for (const struct table *table = server->table_list; table; table = table->next)
        open += table->now.stage <= STORE_RUNNING && table->host == host;
    if (open >= options->max_tables_per_visitor && !is_counted)
        return ERROR_TOO_MANY;
    if (address && !is_counted && address->tables >= options->max_tables_per_address && !find_room(server, address, code))
        return ERROR_TOO_MANY;
    /* Closing one of this address makes room among all tables, too. */
    if (!code[0] && server->open_tables >= options->max_tables && !find_room(server, NULL, code))
        return ERROR_TOO_MANY;
    if (address && !bucket_take(&address->creations, server_now(server), options->table_rate / 60.0, options->table_rate))
        return ERROR_TOO_FAST;
    return ERROR_NONE;
}

/* The table is in memory and counted before it is stored; if storing fails, change_stored calls table_forget, which
 * reverts the count (revision 0: never stored). That is why the error path below adds to open_tables before it forgets
 * the table. */
enum error table_create(struct server *server, struct visitor *host, const struct table_request *request,
    void (*answer)(struct change *change, enum error error), void *context, struct table **out)
{
    char code[CODE_SIZE + 1], room[CODE_SIZE + 1];
    int64_t id = (int64_t)host->node.key;
    enum error error = check_limits(server, id, request->address, request->daily.is_counted, room);
    if (error)
        return error;
    table_draw_code(server, code);
    struct table *table = table_new(server, code);
    struct change *change = table ? change_new(table, request->daily.day ? apply_daily : apply_new) : NULL;
    if (!table || !change || !pyr_fair_draw(&table->now.fair)) {
        change_free(change);
        if (table) {
            server->open_tables++;
            table_forget(table);
        }
        return ERROR_STORAGE;
    }
    server->open_tables++;
    table->address = address_hold(request->address);
    if (table->address)
        table->address->tables++;
    table->now.terms = request->terms;
    table->daily = request->daily;
    if (request->secret)
        memcpy(table->now.fair.secret, request->secret, PYR_FAIR_BYTES);
    table->host = id;
    table->owner = request->address ? request->address->node.key : 0;
    table->asker = request->asker;
    table->created = table->now.changed = server_time();
    table->now.seats = (uint8_t)request->seats;
    table->now.series = request->series;
    memcpy(table->now.seat, request->seat, sizeof table->now.seat);
    for (unsigned s = 0; s < request->seats; s++) {
        char key[KEY_SIZE + 1];
        struct seat *seat = &table->now.seat[s];
        if (seat->kind != SEAT_FRIEND || seat->visitor)
            continue;
        table_key(table, s, key);
        crypto_hash_sha256(seat->key, (const unsigned char *)key, KEY_SIZE);
    }
    change->is_new = true;
    change->request.gives_up = request->gives_up;
    change->answer = answer;
    change->context = context;
    *out = table;
    if (room[0])
        table->busy = true;                  /* until make_room has closed the other one */
    change_submit(change, NULL, request->id);
    if (room[0])
        make_room(table, room);
    return ERROR_NONE;
}

/* A key reveals nothing about the secret or about other keys. */
void table_key(const struct table *table, unsigned seat, char key[KEY_SIZE + 1])
{
    uint8_t bytes[crypto_auth_hmacsha256_BYTES];
    char text[32];
    int size = snprintf(text, sizeof text, "pyramids key %u", seat + 1);
    _Static_assert(PYR_FAIR_BYTES == crypto_auth_hmacsha256_KEYBYTES, "the secret is a key");
    crypto_auth_hmacsha256(bytes, (const unsigned char *)text, (unsigned long long)size, table->now.fair.secret);
    sodium_bin2base64(key, KEY_SIZE + 1, bytes, 16, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}
