/* lobby.c: see server.h. */
#include <stdlib.h>

#include "server.h"

#define PER_HOST 3               /* places in the list, before others' second and third */
#define PER_ADDRESS 5

static bool is_listed(const struct table *table)
{
    return table->is_public && table->core.state <= STORE_RUNNING && !(table->changes && table->changes->is_new);
}

/* One more place of a share in this list; false if it has had as many as come first. */
static bool take(struct share *share, uint64_t list, unsigned most)
{
    if (share->list != list)
        *share = (struct share){ .list = list };
    return share->count++ < most;
}

/* Waiting before running; then whatever happened last. Never equal, so that the order does not depend on the sorting. */
static int by_use(const void *a, const void *b)
{
    const struct table *one = *(const struct table *const *)a, *other = *(const struct table *const *)b;
    if (one->core.state != other->core.state)
        return one->core.state < other->core.state ? -1 : 1;
    if (one->core.changed != other->core.changed)
        return one->core.changed > other->core.changed ? -1 : 1;
    return one->id > other->id ? -1 : 1;
}

/* Moves the tables that come first to the front, in order, and those that are one too many of their host or address behind them. Their number. */
static unsigned share_out(struct server *server, const struct table **all, const struct table **rest, unsigned count)
{
    unsigned first = 0, others = 0;
    server->last_list++;
    for (unsigned i = 0; i < count; i++) {
        struct visitor *host = visitor_by_id(server, all[i]->host);
        bool fits = !host || take(&host->lobby, server->last_list, PER_HOST);
        if (fits && all[i]->address)
            fits = take(&all[i]->address->lobby, server->last_list, PER_ADDRESS);
        if (fits)
            all[first++] = all[i];
        else
            rest[others++] = all[i];
    }
    for (unsigned i = 0; i < others; i++)
        all[first + i] = rest[i];
    return first;
}

unsigned lobby_list(struct server *server, const struct table *list[LOBBY_TABLES])
{
    unsigned count = 0, kept = 0;
    for (const struct table *table = server->table_list; table; table = table->next)
        count += is_listed(table);
    const struct table **all = count ? malloc(2 * count * sizeof *all) : NULL;
    if (!all)
        return 0;
    count = 0;
    for (const struct table *table = server->table_list; table; table = table->next)
        if (is_listed(table))
            all[count++] = table;
    qsort(all, count, sizeof *all, by_use);
    unsigned first = share_out(server, all, all + count, count);
    if (count > LOBBY_TABLES)
        count = LOBBY_TABLES;
    if (first > count)
        first = count;
    /* Those that wait stay before those that run: the shares, and within them what was left over. */
    for (int state = STORE_WAITING; state <= STORE_RUNNING; state++)
        for (unsigned i = 0; i < count; i++)
            if (all[i]->core.state == state)
                list[kept++] = all[i];
    free(all);
    return kept;
}
