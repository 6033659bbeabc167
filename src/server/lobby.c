/*
 * lobby.c: see server.h.
 *
 * With many tables the list is made at most once per second. It is kept as codes, since a table may leave the memory
 * in between. Loop's thread only.
 */
#include <stdlib.h>
#include <string.h>

#include "change.h"
#include "server.h"

#define PER_HOST 3               /* places in the list before the further tables of others */
#define PER_ADDRESS 5            /* the same for an address */
#define MANY 1000                /* with more tables the list is kept for a while, since anyone may request it, often */
#define KEPT_MS 1000             /* how long the list, and what was read from the database, are used */

static bool is_listed(const struct table *table)
{
    return table->now.terms.is_public && table->now.stage <= STORE_RUNNING && !(table->changes && table->changes->is_new);
}

/* One more place for a share in this list; false if it has had as many as come first. */
static bool take(struct share *share, uint64_t list, unsigned most)
{
    if (share->list != list)
        *share = (struct share){ .list = list };
    return share->count++ < most;
}

/* The data that the order depends on, in one array: the tables themselves are large, and 20,000 of them fit into no
 * cache. */
struct entry {
    const struct table *table;
    int64_t changed, id;         /* seconds since 1970; the table's */
    uint8_t state;
};

/* Waiting tables before running ones; then the latest event. No two are equal, so the order does not depend on the
 * sorting algorithm. */
static int by_use(const void *a, const void *b)
{
    const struct entry *one = a, *other = b;
    if (one->state != other->state)
        return one->state < other->state ? -1 : 1;
    if (one->changed != other->changed)
        return one->changed > other->changed ? -1 : 1;
    return one->id > other->id ? -1 : 1;
}

/* Places of the hosts so far: open addressing, with room for twice as many as there are tables. */
struct hosts {
    struct { int64_t host; unsigned count; } *at;
    size_t mask;
};

/* Linear probing; it ends, since at least half of the places are free. */
static bool take_host(struct hosts *hosts, int64_t host)
{
    size_t i = (size_t)((uint64_t)host * UINT64_C(0x9e3779b97f4a7c15) >> 32) & hosts->mask;
    while (hosts->at[i].count && hosts->at[i].host != host)
        i = (i + 1) & hosts->mask;
    hosts->at[i].host = host;
    return hosts->at[i].count++ < PER_HOST;
}

/* Whether a table is among the few of its host and its address that come first. */
static bool is_first(struct server *server, struct hosts *hosts, const struct table *table)
{
    if (!take_host(hosts, table->host))
        return false;
    return !table->address || take(&table->address->lobby, server->lobby.list, PER_ADDRESS);
}

/* Chooses up to LOBBY_TABLES of them, in order: those that come first, then those left over. Returns their number. */
static unsigned choose(struct server *server, const struct entry *all, unsigned count, const struct table **chosen)
{
    const struct table *rest[LOBBY_TABLES];
    unsigned first = 0, others = 0;
    struct hosts hosts = { .mask = 1 };
    while (hosts.mask < 2 * (size_t)count)
        hosts.mask = 2 * hosts.mask + 1;
    hosts.at = calloc(hosts.mask + 1, sizeof *hosts.at);
    if (!hosts.at)
        return 0;
    server->lobby.list++;
    for (unsigned i = 0; i < count && first < LOBBY_TABLES; i++) {
        if (is_first(server, &hosts, all[i].table))
            chosen[first++] = all[i].table;
        else if (others < LOBBY_TABLES)
            rest[others++] = all[i].table;
    }
    for (unsigned i = 0; i < others && first < LOBBY_TABLES; i++)
        chosen[first++] = rest[i];
    free(hosts.at);
    return first;
}

static void make_list(struct server *server)
{
    const struct table *chosen[LOBBY_TABLES];
    unsigned count = 0;
    server->lobby.count = 0;
    struct entry *all = malloc((server->tables.count + 1) * sizeof *all);
    if (!all)
        return;
    for (const struct table *table = server->table_list; table; table = table->next)
        if (is_listed(table))
            all[count++] = (struct entry){ table, table->now.changed, table->id, table->now.stage };
    qsort(all, count, sizeof *all, by_use);
    count = choose(server, all, count, chosen);
    free(all);
    /* Waiting tables stay before running ones: first those of everyone's share, then those left over. */
    for (unsigned state = STORE_WAITING; state <= STORE_RUNNING; state++)
        for (unsigned i = 0; i < count; i++)
            if (chosen[i]->now.stage == state)
                memcpy(server->lobby.code[server->lobby.count++], chosen[i]->code, CODE_SIZE + 1);
}

unsigned lobby_list(struct server *server, const struct table *list[LOBBY_TABLES])
{
    uint64_t now = server_now(server);
    unsigned count = 0;
    if (server->tables.count <= MANY || now - server->lobby.made >= KEPT_MS || !server->lobby.made) {
        make_list(server);
        server->lobby.made = now ? now : 1;
    }
    for (unsigned i = 0; i < server->lobby.count; i++) {
        const struct table *table = table_find(server, server->lobby.code[i]);
        if (table && is_listed(table))
            list[count++] = table;
    }
    return count;
}

/* Public tables in the database: the first ones are read, so that they can be listed. */

struct load {
    struct store_job job;
    struct server *server;
    char codes[STORE_CODES][16];
    unsigned count;
    void (*done)(void *context, enum error error);
    void *context;
};

static enum store_result run_load(struct store_db *db, struct store_job *job)
{
    struct load *load = (struct load *)job;
    return store_get_public(db, LOBBY_TABLES, load->codes, &load->count);
}

/* `loaded` is one more than the time, so that 0 can mean "never". */
static void load_done(struct store_job *job, enum store_result result)
{
    struct load *load = (struct load *)job;
    if (result)
        load->done(load->context, ERROR_STORAGE);
    else
        tables_fetch(load->server, load->codes, load->count, load->done, load->context);
    if (!result)
        load->server->lobby.loaded = server_now(load->server) + 1;
    free(load);
}

void lobby_load(struct server *server, void (*done)(void *context, enum error error), void *context)
{
    bool is_fresh = server->lobby.loaded && server_now(server) < server->lobby.loaded + KEPT_MS;
    struct load *load = is_fresh ? NULL : calloc(1, sizeof *load);
    if (!load) {
        done(context, is_fresh ? ERROR_NONE : ERROR_STORAGE);
        return;
    }
    load->server = server;
    load->done = done;
    load->context = context;
    load->job.run = run_load;
    load->job.done = load_done;
    store_submit(server->store, &load->job);
}
