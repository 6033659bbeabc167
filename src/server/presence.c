/*
 * presence.c: who is connected to a table, at any of the servers. Each server stores which players of a table, and
 * whether its host, are connected to it, and notifies the others, which then read all of it. The rows of a server that
 * has stopped do not count; they count again if that server was only paused.
 *
 * Each server also stores that it has a table in memory. Changes of a table that no other server has are not announced. A
 * server that reads a table notes that in the database, and is notified of changes that were not announced
 * (presence_tell); so both may happen in any order. A server without its listening connection announces everything, since
 * it cannot learn of servers that have read the table.
 *
 * Presence affects a game only in whether a bot may stand in for a player. It may lag by a moment, and after the death
 * of a server by STORE_NODE_SECONDS plus a second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

/* Bits of the seats whose players are connected, and one for the host. */
#define HOST_BIT (1u << PYR_MAX_SEATS)

static unsigned who_is_here(const struct table *table)
{
    unsigned here = table_has_host(table) ? HOST_BIT : 0;
    for (unsigned s = 0; s < table->now.seats; s++)
        here |= table_is_here(table, s) ? 1u << s : 0;
    return here;
}

/* Notes who has left, and notifies all observers. */
static void compare(struct table *table, unsigned before)
{
    unsigned here = who_is_here(table), gone = before & ~here;
    for (unsigned s = 0; s < table->now.seats; s++)
        if (gone >> s & 1)
            table_note_left(table, table->now.seat[s].visitor);
    if (gone & HOST_BIT)
        table->host_left = server_now(table->server);
    if (here != before)
        table_presence_changed(table);
}

static bool is_alive(const struct server *server, int64_t node)
{
    for (unsigned i = 0; i < server->nodes.count; i++)
        if (server->nodes.at[i].id == node)
            return true;
    return false;
}

bool presence_has(const struct table *table, int64_t visitor)
{
    for (unsigned i = 0; i < table->presence.count && visitor; i++)
        if (table->presence.other[i].visitor == visitor && table->presence.is_alive[i])
            return true;
    return false;
}

/* Determines which of the servers in the list are still running. */
static void judge(struct table *table)
{
    for (unsigned i = 0; i < table->presence.count; i++)
        table->presence.is_alive[i] = is_alive(table->server, table->presence.other[i].node);
}

/* Notifies players whose seat is now, or no longer, played over a connection to another server. */
static void notify_players(struct table *table)
{
    for (unsigned i = 0; i < PYR_MAX_SEATS; i++)
        if (table->presence.player[i].visitor) {
            table_notify(table);
            return;
        }
}

void presence_judge_all(struct server *server)
{
    for (struct table *table = server->table_list; table; table = table->next) {
        if (!table->presence.count)
            continue;
        unsigned before = who_is_here(table);
        judge(table);
        compare(table, before);
        notify_players(table);
    }
}

bool presence_is_alone(const struct table *table)
{
    const struct server *server = table->server;
    return server->shared && !server->is_deaf && table->presence.known == server->listens && !table->presence.count;
}

/* Another server has begun to follow the table after changes that were not announced: it may have read the table before
 * them. */

struct telling {
    struct store_job job;
    int64_t number;
    char word[CODE_SIZE + 2], more[24];
};

static enum store_result run_telling(struct store_db *db, struct store_job *job)
{
    const struct telling *telling = (struct telling *)job;
    return store_announce(db, telling->word, telling->number, telling->more[0] ? telling->more : NULL);
}

static void telling_done(struct store_job *job, enum store_result result)
{
    (void)result;                            /* if it was lost, the other server notices by itself */
    free(job);
}

static struct telling *telling_new(const struct table *table, const char *mark, int64_t number)
{
    struct telling *telling = calloc(1, sizeof *telling);
    if (!telling)
        return NULL;
    telling->job.run = run_telling;
    telling->job.done = telling_done;
    telling->number = number;
    snprintf(telling->word, sizeof telling->word, "%s%s", mark, table->code);
    return telling;
}

void presence_tell(struct table *table)
{
    if (!table->untold || !table->revision || table->gone || presence_is_alone(table))
        return;
    struct telling *telling = telling_new(table, "", table->revision);
    if (!telling)
        return;
    table->untold = false;
    store_submit(table->server->store, &telling->job);
}

void presence_take(struct table *table, const struct store_present *present, unsigned count, uint32_t known)
{
    unsigned before = who_is_here(table);
    table->presence.known = known;
    table->presence.count = 0;
    for (unsigned i = 0; i < count; i++)
        if (present[i].node != table->server->node)
            table->presence.other[table->presence.count++] = present[i];
    judge(table);
    compare(table, before);
    presence_tell(table);
    notify_players(table);
}

/* The connection that a player plays over: the last one that claimed the seat, while it is connected. */

/* The server over which the visitor last played, if it is another one; connected there or not. */
static int64_t player_node(const struct table *table, int64_t visitor)
{
    for (unsigned i = 0; i < PYR_MAX_SEATS && visitor; i++)
        if (table->presence.player[i].visitor == visitor)
            return table->presence.player[i].node;
    return 0;
}

bool presence_plays_elsewhere(const struct table *table, int64_t visitor)
{
    int64_t node = player_node(table, visitor);
    for (unsigned i = 0; i < table->presence.count && node; i++)
        if (table->presence.other[i].visitor == visitor && table->presence.other[i].node == node)
            return table->presence.is_alive[i];
    return false;
}

bool presence_was_taken(const struct table *table, int64_t visitor)
{
    return player_node(table, visitor) != 0;
}

/* Other servers need to be notified only if this player is connected there, too, or was when they last reported. */
void presence_play_here(struct table *table, int64_t visitor)
{
    bool is_shared = presence_has(table, visitor) || presence_was_taken(table, visitor);
    for (unsigned i = 0; i < PYR_MAX_SEATS; i++)
        if (table->presence.player[i].visitor == visitor)
            table->presence.player[i] = (struct store_present){ 0 };
    struct telling *telling = is_shared ? telling_new(table, STORE_NEWS_PRESENCE, visitor) : NULL;
    if (!telling)
        return;
    snprintf(telling->more, sizeof telling->more, "%lld", (long long)table->server->node);
    store_submit(table->server->store, &telling->job);
}

void presence_play_elsewhere(struct table *table, int64_t visitor, int64_t node)
{
    unsigned to = PYR_MAX_SEATS;
    if (node == table->server->node || table_seat_of(table, visitor) >= PYR_MAX_SEATS)
        return;
    for (unsigned i = PYR_MAX_SEATS; i--;)
        if (table_seat_of(table, table->presence.player[i].visitor) >= PYR_MAX_SEATS)
            to = i;
    for (unsigned i = 0; i < PYR_MAX_SEATS; i++)
        if (table->presence.player[i].visitor == visitor)
            to = i;
    if (to == PYR_MAX_SEATS)
        return;
    table->presence.player[to] = (struct store_present){ visitor, node };
    table_notify(table);
}

/* Reading. */

struct reading {
    struct store_job job;
    struct table *table;
    int64_t id;
    uint32_t known;              /* server->listens when it was requested */
    struct store_present present[STORE_PRESENT];
    unsigned count;
};

static enum store_result run_reading(struct store_db *db, struct store_job *job)
{
    struct reading *reading = (struct reading *)job;
    return store_get_present(db, reading->id, reading->present, &reading->count);
}

static void reading_done(struct store_job *job, enum store_result result)
{
    struct reading *reading = (struct reading *)job;
    struct table *table = reading->table;
    bool again = table->presence.reads_again;
    table->presence.reads = table->presence.reads_again = false;
    if (table_release(table)) {
        if (!result)
            presence_take(table, reading->present, reading->count, reading->known);
        if (again)
            presence_read(table);
    }
    free(reading);
}

void presence_read(struct table *table)
{
    if (table->presence.reads || table->gone || !table->id) {
        table->presence.reads_again = table->presence.reads;
        return;
    }
    struct reading *reading = calloc(1, sizeof *reading);
    if (!reading)
        return;                              /* the next announcement will start another read */
    *reading = (struct reading){ .job = { .run = run_reading, .done = reading_done }, .table = table, .id = table->id,
        .known = table->server->listens };
    table->presence.reads = true;
    table->jobs++;
    store_submit(table->server->store, &reading->job);
}

/* Storing. */

struct writing {
    struct store_job job;
    struct server *server;
    struct table *table;         /* NULL: it has left the memory */
    int64_t id, node;
    char code[CODE_SIZE + 1];
    int64_t visitor[PRESENT];
    unsigned count;
};

static enum store_result run_writing(struct store_db *db, struct store_job *job)
{
    const struct writing *writing = (struct writing *)job;
    return store_put_present(db, writing->id, writing->code, writing->node,
        writing->table != NULL, writing->visitor, writing->count);
}

static void writing_done(struct store_job *job, enum store_result result)
{
    struct writing *writing = (struct writing *)job;
    struct table *table = writing->table;
    if (table)
        table->presence.writes = false;
    if (table && !result) {
        memcpy(table->presence.shown, writing->visitor, sizeof writing->visitor);
        table->presence.shown_count = writing->count;
    }
    if (table && table_release(table) && !result)
        presence_update(table);              /* stores changes since; after a failure the next tick tries again */
    table = writing->table ? NULL : table_find(writing->server, writing->code);
    if (table) {                             /* it was loaded again meanwhile, and its row may just have been dropped */
        table->presence.is_stale = true;
        presence_update(table);
    }
    free(writing);
}

static struct writing *writing_new(const struct table *table)
{
    struct writing *writing = calloc(1, sizeof *writing);
    if (!writing)
        return NULL;
    writing->job.run = run_writing;
    writing->job.done = writing_done;
    writing->server = table->server;
    writing->id = table->id;
    writing->node = table->server->node;
    memcpy(writing->code, table->code, sizeof writing->code);
    return writing;
}

static void add(int64_t list[PRESENT], unsigned *count, int64_t visitor)
{
    for (unsigned i = 0; i < *count; i++)
        if (list[i] == visitor)
            return;
    list[(*count)++] = visitor;
}

/* Players and host who are connected to this server. */
static unsigned find_own(const struct table *table, int64_t list[PRESENT])
{
    unsigned count = 0;
    for (const struct table_observer *observer = table->observers; observer; observer = observer->next) {
        int64_t visitor = observer->visitor;
        if (visitor && count < PRESENT && (visitor == table->host || table_seat_of(table, visitor) < PYR_MAX_SEATS))
            add(list, &count, visitor);
    }
    return count;
}

static bool is_same(const struct table *table, const int64_t list[PRESENT], unsigned count)
{
    if (table->presence.shown_count != count)
        return false;
    for (unsigned i = 0; i < count; i++) {
        unsigned j = 0;
        while (j < count && table->presence.shown[j] != list[i])
            j++;
        if (j == count)
            return false;
    }
    return true;
}

void presence_update(struct table *table)
{
    struct server *server = table->server;
    int64_t list[PRESENT] = { 0 };
    if (!server->shared || server->stopping || server->stopped || table->gone || !table->revision || table->presence.writes)
        return;
    unsigned count = find_own(table, list);
    bool is_stored = is_same(table, list, count) && !table->presence.is_stale;
    struct writing *writing = is_stored ? NULL : writing_new(table);
    if (!writing)
        return;
    memcpy(writing->visitor, list, sizeof list);
    writing->count = count;
    writing->table = table;
    table->presence.writes = true;
    table->presence.is_stale = false;
    table->jobs++;
    store_submit(server->store, &writing->job);
}

void presence_leave(struct table *table)
{
    struct server *server = table->server;
    if (!server->shared || !table->revision || server->stopping || server->stopped)
        return;                              /* a server that is stopping removes all of its rows at once */
    struct writing *writing = writing_new(table);
    table->presence.shown_count = 0;
    if (writing)
        store_submit(server->store, &writing->job);
}
