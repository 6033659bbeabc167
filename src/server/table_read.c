/*
 * table_read.c: loads tables from the database: when a client asks for one, and again when another server has changed
 * it. A row is read in the store's thread; the table is made in the loop's.
 */
#include <stdlib.h>
#include <string.h>

#include "change.h"
#include "server.h"

/* The time that a clock has run since it began, in milliseconds, without the times in which no server was running. */
uint64_t table_spent(const struct table *table, int64_t since)
{
    const struct server *server = table->server;
    int64_t spent = server_time() - since;
    for (unsigned i = 0; i < server->downs; i++) {
        const struct store_downtime *down = &server->down[i];
        if (down->ended > since)
            spent -= down->ended - (down->began > since ? down->began : since);
    }
    return spent > 0 ? 1000 * (uint64_t)spent : 0;
}

/* A replay moves hidden cards to where they are turned up. If the true order is known, they are there already; but while
 * cards are kept, the order is made again. */
bool table_advance_game(struct table_state *state, const char *text, size_t size)
{
    struct pyr_game *game = &state->game;
    struct pyr_chance chance;
    bool is_kept = game->replay.stage == PYR_STAGE_PLAY && game->replay.state.open.phase != PYR_KEEP;
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)         /* choices that still count are read afterwards */
        game->choice[s] = (struct pyr_pending){ 0 };
    state->stored = 0;
    if (size && pyr_record_read(&game->replay, game->edition, text, size, NULL))
        return false;
    if (is_kept || !size)
        return true;
    if (pyr_fair_chance(&state->fair, state->terms.edition, state->seats, &chance))
        return false;
    pyr_game_set_chance(game, &chance);
    return true;
}

/* Continues a game that is in memory with its new lines. */
static bool take_known_game(struct table_state *state, const struct table *known, const char *text, size_t size)
{
    size_t have = known && known->log.count ? known->log.start[known->log.count] : 0;
    if (!have || known->now.stage != STORE_RUNNING || have > size || memcmp(known->log.text, text, have) ||
        known->now.terms.edition != state->terms.edition)
        return false;
    state->game = known->now.game;
    return table_advance_game(state, text + have, size - have);
}

/* The game of a running table: its lines, the shuffle that follows from its secret, and the choices that are not in the log
 * yet. `known` (may be NULL): the table as it was before. */
static bool restore_game(struct table *table, const struct table *known, const char *text, size_t size,
    const struct store_choice *choices, unsigned count)
{
    struct table_state *state = &table->now;
    struct pyr_game *game = &state->game;
    struct pyr_chance chance;
    if (size > PYR_LOG_SIZE)
        return false;
    if (!take_known_game(state, known, text, size)) {
        if (pyr_fair_chance(&state->fair, state->terms.edition, state->seats, &chance) ||
            pyr_game_load(game, state->terms.edition, text, size, PYR_NOBODY, NULL) || game->replay.seats != state->seats)
            return false;
        pyr_game_set_chance(game, &chance);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct store_choice *choice = &choices[i];
        if (choice->seat >= state->seats || choice->phase != table->log.count || !choice->text[0])
            continue;
        if (pyr_game_choose(game, choice->seat, choice->text, NULL, NULL) || pyr_game_confirm(game, choice->seat, NULL))
            return false;
        state->stored |= (uint8_t)(1u << choice->seat);
    }
    return true;
}

/* Fills in a table that has only a server and a code; `known` (may be NULL) is the same table as it was before. False if
 * the stored data is invalid, or without memory. */
static bool read_stored(struct table *table, const struct table *known, const struct store_table *stored, const char *text,
    size_t size, const struct store_choice *choices, unsigned count)
{
    struct table_state *state = &table->now;
    table->id = stored->id;
    table->created = stored->created;
    table->revision = stored->revision;
    table->due = stored->due;
    table->keeper = stored->keeper;
    state->changed = stored->changed;
    state->stage = stored->state;
    if (!config_read(table, stored->config) || (size && !table_log_reserve(&table->log, text, size)))
        return false;
    if (size)
        table_log_add(&table->log, text, size);
    if (state->changed < stored->phase)
        state->changed = stored->phase;
    for (unsigned i = 0; i < count; i++) {
        struct seat *seat = &state->seat[choices[i].seat % PYR_MAX_SEATS];
        memcpy(seat->ids, choices[i].ids, sizeof seat->ids);
        seat_remember(table, seat, choices[i].id);
        if (state->changed < choices[i].made)
            state->changed = choices[i].made;
    }
    if (stored->phase)
        table->spent = table_spent(table, stored->phase);
    if (state->stage == STORE_OVER)
        state->game.replay.stage = PYR_STAGE_OVER;
    return state->stage != STORE_RUNNING || restore_game(table, known, text, size, choices, count);
}

/* `revision` is set even if the table cannot be read, so that table_forget does not count it as never stored. */
struct table *table_restore(struct server *server, const struct store_table *stored, const char *text, size_t size,
    const struct store_choice *choices, unsigned count)
{
    if (!table_is_code(stored->code) || table_find(server, stored->code))
        return NULL;
    struct table *table = table_new(server, stored->code);
    if (!table)
        return NULL;
    table_take_stake(table);
    if (stored->state > STORE_RUNNING)
        table_leave_address(table);
    if (read_stored(table, NULL, stored, text, size, choices, count))
        return table;
    server_log(server, LOG_ERROR, "table_unreadable", "table=%lld", (long long)stored->id);
    table->revision = stored->revision;
    table_forget(table);
    return NULL;
}

/* Tables are read from the database when a client asks for them. */

/* A row's texts belong to the store's connection and are lost with its next statement, so a job copies what it hands
 * over. */
static bool copy_text(char **to, const char *from)
{
    *to = malloc(strlen(from) + 1);
    return *to && memcpy(*to, from, strlen(from) + 1);
}

/* In the store's thread: uses only the job. */
static enum store_result fetch_run(struct store_db *db, struct store_job *job)
{
    struct fetch *fetch = (struct fetch *)job;
    free(fetch->config);                     /* a job may be run twice */
    free(fetch->text);
    fetch->config = fetch->text = NULL;
    enum store_result result = store_get_whole_table(db, fetch->code, &fetch->row, &fetch->text, &fetch->size,
        fetch->choices, &fetch->count);
    if (!result && !copy_text(&fetch->config, fetch->row.config))
        return STORE_NO_ROOM;
    fetch->row.config = fetch->config;
    if (result || !fetch->done || !fetch->server->shared)
        return result;
    result = store_get_present(db, fetch->row.id, fetch->present, &fetch->presents);
    bool is_noted = false;
    for (unsigned i = 0; i < fetch->presents; i++)
        is_noted |= !fetch->present[i].visitor && fetch->present[i].node == fetch->server->node;
    return result || is_noted ? result : store_add_present(db, fetch->row.id, fetch->code, fetch->server->node);
}

static void fetch_free(struct fetch *fetch)
{
    free(fetch->config);
    free(fetch->text);
    free(fetch);
}

static bool adopt(struct table *table, const struct fetch *fetch);

void table_fetch_note_news(struct server *server, const char *code, int64_t revision, bool is_presence)
{
    for (struct fetch *fetch = server->fetches; fetch; fetch = fetch->next) {
        if (strcmp(fetch->code, code) != 0)
            continue;
        fetch->has_presence |= is_presence;
        if (!is_presence && revision > fetch->newest)
            fetch->newest = revision;
    }
}

/* The table was not in memory when these announcements came, so they were kept with the fetch. Looked up by code: `done`
 * may have dropped the table. */
static void note_late_news(const struct fetch *fetch)
{
    struct table *table = table_find(fetch->server, fetch->code);
    if (table && fetch->has_presence)
        presence_read(table);
    if (table)
        table_note_news(table, fetch->newest, NULL);
}

/* Back in the loop. In the meantime another request may have loaded the table, or another server may have changed it: a
 * row that is newer than the table in memory replaces it, an older one is ignored. */
static void fetch_done(struct store_job *job, enum store_result result)
{
    struct fetch *fetch = (struct fetch *)job;
    struct table *table = table_find(fetch->server, fetch->code);    /* another request may have been faster */
    if (table)
        table->jobs++;                       /* the code below may find that the table is not needed */
    if (table && !result && fetch->row.revision > table->revision && fetch->row.revision >= table->ahead &&
        table->revision && !table->busy && !table->changes)
        adopt(table, fetch);
    if (!table && !result) {
        table = table_restore(fetch->server, &fetch->row, fetch->text, fetch->size, fetch->choices, fetch->count);
        if (table) {
            table->jobs++;
            presence_take(table, fetch->present, fetch->presents, fetch->known);
            table_wake(table);
        }
    }
    fetch->is_current = !result && table && table->revision >= fetch->row.revision;
    fetch->done(fetch, table, table ? ERROR_NONE : result && result != STORE_MISSING ? ERROR_STORAGE : ERROR_NO_TABLE);
    if (table)
        table_release(table);
    if (fetch->link) {
        *fetch->link = fetch->next;
        if (fetch->next)
            fetch->next->link = fetch->link;
        note_late_news(fetch);
    }
    fetch_free(fetch);
}

static struct fetch *fetch_new(struct server *server, const char *code, void *context,
    void (*stored)(struct store_job *job, enum store_result result))
{
    struct fetch *fetch = calloc(1, sizeof *fetch);
    if (!fetch)
        return NULL;
    fetch->server = server;
    fetch->known = server->listens;
    fetch->context = context;
    memcpy(fetch->code, code, CODE_SIZE + 1);
    fetch->job.run = fetch_run;
    fetch->job.done = stored;
    return fetch;
}

struct fetch *table_fetch(struct server *server, const char *code,
    void (*done)(struct fetch *fetch, struct table *table, enum error error), void *context)
{
    struct fetch *fetch = fetch_new(server, code, context, fetch_done);
    if (!fetch)
        return NULL;
    fetch->done = done;
    if (server->shared) {
        fetch->next = server->fetches;
        fetch->link = &server->fetches;
        if (fetch->next)
            fetch->next->link = &fetch->next;
        server->fetches = fetch;
    }
    store_submit(server->store, &fetch->job);
    return fetch;
}

/* Several fetches with one answer. `pending` starts at 1 for the caller itself, so that `done` is not called before all
 * fetches have been started. */
struct gather {
    unsigned pending;            /* unfinished fetches, and the caller */
    enum error error;            /* the first error other than a missing table */
    void (*done)(void *context, enum error error);
    void *context;
};

static void gathered(struct gather *gather)
{
    if (--gather->pending)
        return;
    gather->done(gather->context, gather->error);
    free(gather);
}

/* In a list, a table that no longer exists is not an error. */
static void gather_one(struct fetch *fetch, struct table *table, enum error error)
{
    struct gather *gather = fetch->context;
    (void)table;
    if (error != ERROR_NO_TABLE && !gather->error)
        gather->error = error;
    gathered(gather);
}

/* Tables that are in memory already need no fetch. */
void tables_fetch(struct server *server, char (*codes)[16], unsigned count, void (*done)(void *context, enum error error),
    void *context)
{
    struct gather *gather = calloc(1, sizeof *gather);
    if (!gather) {
        done(context, ERROR_STORAGE);
        return;
    }
    *gather = (struct gather){ .pending = 1, .done = done, .context = context };
    for (unsigned i = 0; i < count; i++) {
        if (!table_is_code(codes[i]) || table_find(server, codes[i]))
            continue;
        gather->pending++;
        if (!table_fetch(server, codes[i], gather_one, gather)) {
            gather->pending--;
            gather->error = ERROR_STORAGE;
        }
    }
    gathered(gather);
}

/* Reading a table again, which another server has changed. */

/* Bots' choices in a phase that continues are not stored: they are submitted again. */
void table_keep_bots_choices(struct table *table, const struct pyr_game *before)
{
    unsigned waiting = table_waiting(table);
    for (unsigned s = 0; s < table->now.seats && table->now.stage == STORE_RUNNING; s++) {
        const struct pyr_pending *choice = &before->choice[s];
        pyr_step step[PYR_MAX_PARTS];
        if (!(waiting >> s & 1) || !choice->confirmed)
            continue;
        for (unsigned i = 0; i < choice->count; i++)
            step[i] = pyr_pending_step(choice, i);
        change_submit_bot(table, (pyr_seat)s, table->log.count, step, choice->count);
    }
}

/* Where the lines after those of the players begin: a player whose data was removed has another name there. */
static size_t after_players(const struct table_log *log)
{
    uint32_t i = 0;
    for (uint32_t line = 0; line < log->count && line < 8; line++)
        if (!strncmp(log->text + log->start[line], "player ", 7))
            i = line + 1;
    return log->count ? log->start[i] : 0;
}

/* Replaces what is in memory by what was read. False: it does not continue what clients were sent. Log and state are
 * swapped, so that `read` has the old ones and frees them. */
static bool put_in_place(struct table *table, struct table *read)
{
    uint32_t before = table->log.count;
    size_t from = after_players(&table->log), read_from = after_players(&read->log);
    size_t sent = before ? table->log.start[before] - from : 0;
    bool was_open = table->now.stage <= STORE_RUNNING, is_open = read->now.stage <= STORE_RUNNING;
    if (read->log.count < before || (sent && (read->log.start[before] - read_from != sent ||
        memcmp(read->log.text + read_from, table->log.text + from, sent))))
        return false;
    if (was_open && !is_open)
        table_count_out(table);
    struct table_log log = table->log;
    table->log = read->log;
    read->log = log;
    struct table_state now = table->now;
    table->now = read->now;
    read->now = now;
    table->revision = read->revision;
    table->due = read->due;
    table->keeper = read->keeper;
    table->version++;
    table->ready++;
    if (table->log.count != before) {
        table->deadline = 0;
        table->spent = read->spent;
    }
    return true;
}

/* Not table_forget: a table that was read for comparison is in no map or list. */
static void read_free(struct table *read)
{
    if (!read)
        return;
    pyr_fair_wipe(&read->now.fair);
    free(read->log.text);
    free(read->log.start);
    free(read);
}
/* Replaces what is in memory by what was fetched, and notifies observers. Only the table's first change may be under way. */
static bool adopt(struct table *table, const struct fetch *fetch)
{
    struct table *read = calloc(1, sizeof *read);
    if (!read)
        return false;
    read->server = fetch->server;
    memcpy(read->code, table->code, sizeof read->code);
    bool good = read_stored(read, table, &fetch->row, fetch->text, fetch->size, fetch->choices, fetch->count) &&
        put_in_place(table, read);
    if (!good)
        server_log(table->server, LOG_ERROR, "table_unreadable", "table=%lld", (long long)table->id);
    if (good)
        table_notify(table);
    if (good && table->log.count == read->log.count)
        table_keep_bots_choices(table, &read->now.game);
    read_free(read);
    return good;
}

/* The table was `busy` meanwhile, so its queue of changes waited. If it was forgotten, this was the last job that
 * referred to it. */
static void refresh_done(struct store_job *job, enum store_result result)
{
    struct fetch *fetch = (struct fetch *)job;
    struct table *table = fetch->context;
    void (*done)(struct table *table, enum error error) = fetch->then;
    table->busy = false;
    if (!table->gone) {
        bool good = !result && adopt(table, fetch);
        if (good && table->newest <= fetch->newest)
            table->newest = table->revision;              /* it was read after that revision was announced */
        if (done)
            done(table, good ? ERROR_NONE : result == STORE_MISSING ? ERROR_NO_TABLE : ERROR_STORAGE);
    }
    table_release(table);                    /* must be last: submitting may find that the table is not needed */
    fetch_free(fetch);
}

bool table_refresh(struct table *table, void (*done)(struct table *table, enum error error))
{
    struct fetch *fetch = fetch_new(table->server, table->code, table, refresh_done);
    if (!fetch)
        return false;
    fetch->then = done;
    fetch->newest = table->newest;
    table->server->count.refreshes++;
    table->busy = true;
    table->jobs++;
    store_submit(table->server->store, &fetch->job);
    return true;
}
