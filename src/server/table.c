/*
 * table.c: what a table is, its observers, and its time in memory. How it is made is in table_make.c, how it is read from
 * the database in table_read.c, how it changes in change.c, seats.c and turns.c.
 *
 *  1. A table in memory is in server->tables (by code) and in server->table_list until table_forget.
 *  2. An open table counts for the address that made it: in memory by table->address, otherwise by a stake.
 *  3. It does not depend on connections, only on observers.
 *  4. Its memory is freed when it is forgotten and neither a job nor the store refers to it any more.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/match.h>

#include "change.h"
#include "pool.h"
#include "server.h"

static const char code_letters[] = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/* Codes. */

/* A code is CODE_SIZE letters of an alphabet without letters that look alike, so it can be read aloud and typed from
 * paper. It is also the only key to a table that is not public, which is why guessing is limited by address (limit.c). */
void code_draw(char *to, size_t length)
{
    for (size_t i = 0; i < length; i++)
        to[i] = code_letters[randombytes_uniform(sizeof code_letters - 1)];
    to[length] = '\0';
}

bool table_is_code(const char *code)
{
    return strlen(code) == CODE_SIZE && strspn(code, code_letters) == CODE_SIZE;
}

void table_draw_code(const struct server *server, char code[CODE_SIZE + 1])
{
    do
        code_draw(code, CODE_SIZE);
    while (table_find(server, code));
}

/* Dashes of all kinds are skipped, since word processors replace hyphens. */
bool code_read(const char *text, char *to, size_t size)
{
    static const char *const dashes[] = { " ", "-", "\t", "\u00a0", "\u2010", "\u2011", "\u2012", "\u2013", "\u2014",
        "\u2212" };
    size_t length = 0, i;
    while (*text) {
        for (i = 0; i < sizeof dashes / sizeof *dashes && strncmp(text, dashes[i], strlen(dashes[i])); i++)
            ;
        if (i < sizeof dashes / sizeof *dashes) {
            text += strlen(dashes[i]);
            continue;
        }
        char letter = *text >= 'a' && *text <= 'z' ? (char)(*text - 'a' + 'A') : *text;
        if (length == size || !strchr(code_letters, letter))
            return false;
        to[length++] = letter;
        text++;
    }
    to[length] = '\0';
    return length == size;
}

/* A code has exactly as many bytes as the key of a map, so it is used as the key, and no two codes have the same key. */
static uint64_t code_key(const char *code)
{
    uint64_t key;
    memcpy(&key, code, sizeof key);
    return key;
}

/* In memory only; table_fetch looks in the database. */
struct table *table_find(const struct server *server, const char *code)
{
    return table_is_code(code) ? (struct table *)map_find(&server->tables, code_key(code)) : NULL;
}

/* What a table is. */

/* 0 is never a visitor's number: without that test, a seat without a person would be found for strangers. */
pyr_seat table_seat_of(const struct table *table, int64_t visitor)
{
    for (unsigned s = 0; s < table->now.seats && visitor; s++)
        if (table->now.seat[s].kind == SEAT_PERSON && table->now.seat[s].visitor == visitor)
            return (pyr_seat)s;
    return PYR_SPECTATOR;
}

bool table_is_known_to(const struct table *table, const struct visitor *visitor)
{
    int64_t id = visitor ? (int64_t)visitor->node.key : 0;
    return table->now.terms.is_public || (id && table->host == id) || table_seat_of(table, id) < PYR_MAX_SEATS;
}

unsigned table_waiting(const struct table *table)
{
    return pyr_game_waiting(&table->now.game);
}

/* By a connection of this server; presence_has checks other servers. */
static bool is_observed_by(const struct table *table, int64_t visitor)
{
    for (const struct table_observer *observer = table->observers; observer && visitor; observer = observer->next)
        if (observer->visitor == visitor)
            return true;
    return false;
}

static bool is_connected(const struct table *table, int64_t visitor)
{
    return is_observed_by(table, visitor) || presence_has(table, visitor);
}

bool table_is_here(const struct table *table, unsigned seat)
{
    return is_connected(table, table->now.seat[seat].visitor);
}

uint64_t table_left(const struct table *table, unsigned seat)
{
    for (unsigned i = 0; i < PYR_MAX_SEATS; i++)
        if (table->left[i].visitor && table->left[i].visitor == table->now.seat[seat].visitor)
            return table->left[i].at;
    return 0;
}

/* Replaces the earlier entry of this person, or that of someone who no longer sits here. */
void table_note_left(struct table *table, int64_t visitor)
{
    unsigned to = 0;
    for (unsigned i = 0; i < PYR_MAX_SEATS; i++) {
        if (table->left[i].visitor == visitor) {
            to = i;
            break;
        }
        if (table_seat_of(table, table->left[i].visitor) >= PYR_MAX_SEATS)
            to = i;
    }
    table->left[to].visitor = visitor;
    table->left[to].at = server_now(table->server);
}

bool table_has_host(const struct table *table)
{
    return is_connected(table, table->host);
}

/* start[line + 1] always exists (see struct table_log); the 1 that is subtracted is the newline. */
struct pyr_word table_line(const struct table *table, uint32_t line)
{
    const struct table_log *log = &table->log;
    return (struct pyr_word){ log->text + log->start[line], (size_t)(log->start[line + 1] - log->start[line] - 1) };
}

/* The caller decides who may see it. */
void table_choice(const struct table *table, pyr_seat seat, char *to, size_t size)
{
    const struct pyr_game *game = &table->now.game;
    struct pyr_out out;
    *to = '\0';
    if (seat >= table->now.seats || table->now.stage != STORE_RUNNING || !game->choice[seat].confirmed)
        return;
    pyr_out_init(&out, to, size);
    pyr_game_write_choice(game, seat, &out);
}

/* On a shared database each running table has one keeper, the server that runs its bots and its clock; the others only
 * serve its clients. Otherwise each server would run the same bot. */
bool table_is_kept_here(const struct table *table)
{
    const struct server *server = table->server;
    if (!server->shared || table->keeper)
        return !server->shared || table->keeper == server->node;
    return !(table->due == STORE_DUE_BOTS && (server->options.thinks_only || server_leaves_bots(server)));
}
/* Observers only note that something has changed and write later (conn_wake), so many changes cause one message. */
void table_notify(struct table *table)
{
    for (struct table_observer *observer = table->observers; observer; observer = observer->next)
        observer->changed(observer);
    presence_update(table);
}

/* Bots at a table where a person is waiting take precedence over those at a table with only bots and absent players
 * (schedule.h). */
bool table_is_awaited(const struct table *table)
{
    for (unsigned s = 0; s < table->now.seats; s++)
        if (table->now.seat[s].kind == SEAT_PERSON && !table->now.seat[s].away && table_is_here(table, s))
            return true;
    return false;
}

/* Presence is part of the `table` message, so its version grows. `idle` counts from the moment the last observer left. */
void table_presence_changed(struct table *table)
{
    for (unsigned s = 0; s < table->now.seats && table->server->pool; s++)
        pool_watch(table->server->pool, &table->ask[s], table_is_awaited(table));
    table->version++;
    table->idle = table->observers ? 0 : server_now(table->server);
    table_notify(table);
}

void table_observe(struct table *table, struct table_observer *observer)
{
    observer->table = table;
    observer->next = table->observers;
    observer->link = &table->observers;
    if (table->observers)
        table->observers->link = &observer->next;
    table->observers = observer;
    table_presence_changed(table);
}

void table_unobserve(struct table_observer *observer)
{
    struct table *table = observer->table;
    if (!table)
        return;
    *observer->link = observer->next;
    if (observer->next)
        observer->next->link = observer->link;
    observer->table = NULL;
    pyr_seat seat = table_seat_of(table, observer->visitor);
    if (seat < PYR_MAX_SEATS && !table_is_here(table, seat))
        table_note_left(table, observer->visitor);
    if (observer->visitor && observer->visitor == table->host && !table_has_host(table))
        table->host_left = server_now(table->server);
    if (!table->gone)
        table_presence_changed(table);
}

/* Adding and removing tables. */

/* Makes an empty table that can be found by its code. `idle` is never 0 without observers: 0 means "watched", and the
 * clock of a test may begin at 0. */
struct table *table_new(struct server *server, const char *code)
{
    struct table *table = calloc(1, sizeof *table);
    if (!table)
        return NULL;
    table->server = server;
    table->last_change = &table->changes;
    table->idle = server_now(server) ? server_now(server) : 1;
    table->host_left = server_now(server);
    memcpy(table->code, code, CODE_SIZE + 1);
    if (!map_add(&server->tables, &table->node, code_key(code))) {
        free(table);
        return NULL;
    }
    table->next = server->table_list;
    table->link = &server->table_list;
    if (table->next)
        table->next->link = &table->next;
    server->table_list = table;
    return table;
}

/* Adds the traffic of past phases to the counters. While a phase is open it is held back (count_sent in web.c): the size
 * of a `ready` message depends on the choice in it, which /metrics would reveal. */
void table_report(struct table *table)
{
    struct server *server = table->server;
    server->count.sent += table->unreported.messages;
    server->count.bytes_sent += table->unreported.bytes;
    table->unreported.messages = table->unreported.bytes = 0;
    table->unreported.lines = table->log.count;
}

/* Every open table counts against the limit of the address that made it, and holds a reference to that address. */
static void leave_address(struct address *address)
{
    if (address)
        address->tables--;
    address_release(address);
}

void table_leave_address(struct table *table)
{
    leave_address(table->address);
    table->address = NULL;
}

void table_count_out(struct table *table)
{
    /* On a shared database the count is read once per second, and may already include the end of this game. */
    if (table->server->open_tables)
        table->server->open_tables--;
    table_leave_address(table);
}

void table_take_stake(struct table *table)
{
    struct stake *stake = (struct stake *)map_find(&table->server->stakes, code_key(table->code));
    if (!stake)
        return;
    table->address = stake->address;
    map_remove(&table->server->stakes, &stake->node);
    free(stake);
}

/* The table leaves the memory but stays open: its reference to the address passes to a stake. False without memory; then
 * the table must stay. A table without an address needs no stake. */
static bool leave_stake(struct table *table)
{
    struct stake *stake = table->address ? calloc(1, sizeof *stake) : NULL;
    if (!stake)
        return !table->address;
    if (!map_add(&table->server->stakes, &stake->node, code_key(table->code))) {
        free(stake);
        return false;
    }
    stake->address = table->address;
    stake->waits = table->now.stage == STORE_WAITING;
    stake->idle = table->idle;
    memcpy(stake->code, table->code, sizeof stake->code);
    table->address = NULL;
    return true;
}

static void drop_stake(struct map_node *node, void *context)
{
    (void)context;
    leave_address(((struct stake *)node)->address);
    free(node);
}

/* For stopping the server: nothing is under way any more, even if a table is marked as busy: store and pool are closed. */
void tables_finish(struct server *server)
{
    while (server->table_list) {
        server->table_list->busy = false;
        server->table_list->jobs = 0;
        table_forget(server->table_list);
    }
    map_finish(&server->tables);
    map_each(&server->stakes, drop_stake, NULL);
    map_finish(&server->stakes);
}

/* In two steps, since threads may still use the table. At once it can no longer be found, loses its observers and no
 * longer counts as open. Its memory is freed when the last job (`jobs`) and the change that is being stored (`busy`) have
 * ended: each of them calls this again. Waiting changes are then answered as failed. */
void table_forget(struct table *table)
{
    if (!table->gone) {
        table->gone = true;
        table_report(table);
        map_remove(&table->server->tables, &table->node);
        *table->link = table->next;
        if (table->next)
            table->next->link = table->link;
        if (table->now.stage <= STORE_RUNNING && !table->revision)
            table_count_out(table);          /* it was never stored */
        table_leave_address(table);
        presence_leave(table);
        while (table->observers)
            table_unobserve(table->observers);
        for (unsigned s = 0; s < PYR_MAX_SEATS && table->server->pool; s++)
            pool_withdraw(table->server->pool, &table->ask[s]);
    }
    if (table->jobs || table->busy)
        return;
    while (table->changes) {
        struct change *change = table->changes;
        table->changes = change->next;
        if (change->answer)
            change->answer(change, ERROR_STORAGE);
        change_free(change);
    }
    table_drop_news(table);
    pyr_fair_wipe(&table->now.fair);
    free(table->log.text);
    free(table->log.start);
    free(table);
}

/* Nothing refers to the table any more. False: the table was only waiting for that, and has been freed. */
bool table_release(struct table *table)
{
    table->jobs--;
    if (!table->gone)
        return true;
    table_forget(table);
    return false;
}
/* When a table that leaves the memory is next due. */

struct due {
    struct store_job job;
    struct server *server;
    int64_t id, revision, due;   /* of the table when it left the memory */
    char code[CODE_SIZE + 1];
};

/* STORE_CONFLICT if the row has another revision by now. */
static enum store_result run_due(struct store_db *db, struct store_job *job)
{
    const struct due *due = (struct due *)job;
    return store_put_due(db, due->id, due->revision, due->due);
}

/* The fetch itself is the purpose: it loads the table again, and its bots and clock run. */
static void read_back(struct fetch *fetch, struct table *table, enum error error)
{
    (void)fetch;
    (void)table;
    (void)error;
}

static void due_done(struct store_job *job, enum store_result result)
{
    struct due *due = (struct due *)job;
    /* Another server has changed it meanwhile and believes this one to be its keeper. */
    if (result == STORE_CONFLICT && due->server->shared && !table_find(due->server, due->code))
        table_fetch(due->server, due->code, read_back, NULL);
    free(due);                               /* after other failures the table is read once too often, which does no harm */
}

/* Removes an idle table from memory. Ticks handle what is due at tables in memory; for this one the database must have
 * the due time, so that upkeep.c loads it then. It is written only if it differs from the stored one. */
bool table_drop(struct table *table)
{
    int64_t due = table_due_at_rest(table, &table->now);
    bool is_new = due != table->due || (table->keeper && table_is_kept_here(table));
    struct due *job = is_new ? calloc(1, sizeof *job) : NULL;
    if ((is_new && !job) || (table->now.stage <= STORE_RUNNING && !leave_stake(table))) {
        free(job);
        return false;
    }
    if (job) {
        *job = (struct due){ { .run = run_due, .done = due_done }, table->server, table->id, table->revision, due, "" };
        memcpy(job->code, table->code, sizeof job->code);
        store_submit(table->server->store, &job->job);
    }
    table_forget(table);
    return true;
}
