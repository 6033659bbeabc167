/*
 * table.c: what a table is, and how it comes and goes: codes, presence, creation, restoring, rematch. How it changes is in
 * change.c, seats.c and turns.c. It knows no connections, only observers.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/match.h>

#include "change.h"
#include "pool.h"
#include "server.h"

#define ABANDONED_MS 600000      /* one that waits for players, unwatched for so long, makes room where there is none */

static const char code_letters[] = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/* Codes. */

/* A code is CODE_SIZE letters of an alphabet without those that look alike, so it can be read aloud and typed from paper.
 * It is also the only key to a table that is not public, which is why guessing is limited by address (limit.c). */
bool table_is_code(const char *code)
{
    return strlen(code) == CODE_SIZE && strspn(code, code_letters) == CODE_SIZE;
}

/* Dashes of all kinds are skipped, since text programs replace a hyphen by others. */
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

/* A code has exactly as many bytes as the key of a map, so it is its own key and two codes never share one. */
static uint64_t code_key(const char *code)
{
    uint64_t key;
    memcpy(&key, code, sizeof key);
    return key;
}

/* In memory only; table_fetch looks into the database. */
struct table *table_find(const struct server *server, const char *code)
{
    return table_is_code(code) ? (struct table *)map_find(&server->tables, code_key(code)) : NULL;
}

/* What a table is. */

/* 0 is the number of no visitor: without that test a seat without a person would be found for strangers. */
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

/* By a connection of this server; presence_has knows those of others. */
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

/* Takes the place of what was known of this person before, or of someone who does not sit here any more. */
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

/* For the player themselves and for those who may see it; who that is, the caller decides. */
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

/* Observers only note that something has changed and write later (conn_wake), so many changes cost one message. */
void table_notify(struct table *table)
{
    for (struct table_observer *observer = table->observers; observer; observer = observer->next)
        observer->changed(observer);
    presence_update(table);
}

/* Bots of a table where a person waits go before those of a table that only bots and absent players are at (schedule.h). */
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

/* Coming and going. */

/* An empty table that is found by its code from now on. `idle` is never 0 without observers: 0 means "watched", and the
 * clock of a test may begin at 0. */
static struct table *table_new(struct server *server, const char *code)
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

/* Adds the traffic of past phases to the counters. It is held back while a phase is open (count_sent in web.c): the size
 * of a `ready` message depends on the choice in it, and /metrics would reveal it. */
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

void table_count_out(struct table *table)
{
    /* On a shared database the count is read once per second, and may have this game's end already. */
    if (table->server->open_tables)
        table->server->open_tables--;
    leave_address(table->address);
    table->address = NULL;
}

/* What is left in memory of an open table that was made from here: the address that it counts for. */
struct stake {
    struct map_node node;        /* by code */
    char code[CODE_SIZE + 1];
    bool waits;                  /* for players */
    struct address *address;     /* held */
    uint64_t idle;               /* since when there is no observer, in milliseconds */
};

/* The table is in memory again: its stake goes, and the reference to the address passes to the caller. */
static struct address *take_stake(struct server *server, const char *code)
{
    struct stake *stake = (struct stake *)map_find(&server->stakes, code_key(code));
    if (!stake)
        return NULL;
    struct address *address = stake->address;
    map_remove(&server->stakes, &stake->node);
    free(stake);
    return address;
}

/* The table leaves the memory but stays open: the reference to the address passes from the table to a stake. False
 * without memory; then the table must stay. A table without an address needs no stake. */
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

/* For the end of the server: nothing is under way any more, whatever the tables believe, since store and pool are closed. */
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

/* In two parts, since threads may still use the table. At once it is found no more, has no observers and gives its place
 * among the open tables back; its memory goes when the last job (`jobs`) and the change that is being stored (`busy`)
 * have come back: each of them calls this again. Waiting changes are answered then, as failed. */
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
        leave_address(table->address);
        table->address = NULL;
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

/* Nothing is under way here any more. False: the table was only waiting for that, and is gone. */
bool table_release(struct table *table)
{
    table->jobs--;
    if (!table->gone)
        return true;
    table_forget(table);
    return false;
}

/* A new table changes nothing but that it is stored: find_effects (change.c) writes its configuration because of
 * `is_new`. */
static enum error apply_new(struct change *change, struct problem *problem)
{
    (void)change;
    (void)problem;
    return ERROR_NONE;
}

/*
 * A table that waits in vain is closed, so that another one has room: of one address, or (NULL) of the one that has most
 * of them. It must be unwatched for a while, the longest comes first.
 */

struct abandoned {
    const struct server *server;
    const struct address *of;
    char code[CODE_SIZE + 1];    /* the one that is closed; "": none yet */
    unsigned most;
    uint64_t idle;
};

/* The order of sacrifice: tables of the address that has most of them, and among these the one that was left alone for
 * longest. A flood from one address then displaces only its own tables. */
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

/* Tables that left the memory are candidates, too; only those that still wait for players. */
static void consider_stake(struct map_node *node, void *context)
{
    const struct stake *stake = (struct stake *)node;
    if (stake->waits)
        consider(context, stake->code, stake->address, stake->idle);
}

/* One is closed, or cannot be: the new table that waits for that is stored now, if there is room. NULL: none waits. */
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

/* What was chosen may have come to life while it was read from the database, so everything is asked once more here. */
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

/* The same among tables that nobody here has seen: there is room once the database has told one. */
struct search {
    struct store_job job;
    struct server *server;
    int64_t before;              /* seconds since 1970: not changed since */
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

/* Closes that table. The new one waits for it, so that there are never more than there may be. */
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

/* Whether there may be one more table of this host, from this address. `code`: the table that has to be closed for it; "":
 * none. A day's attempt that counts takes no place that tables with others need (daily.c has its own limit).
 * The bucket is last, so that a refused request does not use up the address's rate. */
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
    /* One of this address makes room among all tables, too. */
    if (!code[0] && server->open_tables >= options->max_tables && !find_room(server, NULL, code))
        return ERROR_TOO_MANY;
    if (address && !bucket_take(&address->creations, server_now(server), options->table_rate / 60.0, options->table_rate))
        return ERROR_TOO_FAST;
    return ERROR_NONE;
}

/* The table is in memory and counted before it is stored; if storing fails, change_stored calls table_forget, which takes
 * the count back (revision 0: never stored). That is why the error path below adds to open_tables before it forgets the
 * table. */
enum error table_create(struct server *server, struct visitor *host, const struct table_request *request,
    void (*answer)(struct change *change, enum error error), void *context, struct table **out)
{
    char code[CODE_SIZE + 1], room[CODE_SIZE + 1];
    int64_t id = (int64_t)host->node.key;
    enum error error = check_limits(server, id, request->address, request->daily.is_counted, room);
    if (error)
        return error;
    do {
        for (unsigned i = 0; i < CODE_SIZE; i++)
            code[i] = code_letters[randombytes_uniform(sizeof code_letters - 1)];
        code[CODE_SIZE] = '\0';
    } while (table_find(server, code));
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

/* Who knows a key learns nothing about the secret, nor about other keys. */
void table_key(const struct table *table, unsigned seat, char key[KEY_SIZE + 1])
{
    uint8_t bytes[crypto_auth_hmacsha256_BYTES];
    char text[32];
    int size = snprintf(text, sizeof text, "pyramids key %u", seat + 1);
    _Static_assert(PYR_FAIR_BYTES == crypto_auth_hmacsha256_KEYBYTES, "the secret is a key");
    crypto_auth_hmacsha256(bytes, (const unsigned char *)text, (unsigned long long)size, table->now.fair.secret);
    sodium_bin2base64(key, KEY_SIZE + 1, bytes, 16, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

/* Milliseconds for which a clock has run that began at a time: those without a server do not count. */
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

/* A replay moves cards that nobody has seen to where they turn up. Where the true order is known they are there already,
 * but while cards are kept the order is made anew. */
bool table_advance_game(struct table_state *state, const char *text, size_t size)
{
    struct pyr_game *game = &state->game;
    struct pyr_chance chance;
    bool is_kept = game->replay.stage == PYR_STAGE_PLAY && game->replay.state.open.phase != PYR_KEEP;
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)         /* those that count are read, too */
        game->choice[s] = (struct pyr_pending){ 0 };
    if (size && pyr_record_read(&game->replay, game->edition, text, size, NULL))
        return false;
    if (is_kept || !size)
        return true;
    if (pyr_fair_chance(&state->fair, state->terms.edition, state->seats, &chance))
        return false;
    pyr_game_set_chance(game, &chance);
    return true;
}

/* Takes a game from how it is known, and what is new. */
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
        if (choice->seat < state->seats && choice->phase == table->log.count && choice->text[0] &&
            (pyr_game_choose(game, choice->seat, choice->text, NULL, NULL) || pyr_game_confirm(game, choice->seat, NULL)))
            return false;
    }
    return true;
}

/* Fills in a table that has a server, a code and nothing else; `known` (may be NULL) is the same table as it was before.
 * False if what is stored makes no sense, or without memory. */
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

/* `revision` is set even if it cannot be read, so that table_forget does not count it as never stored. */
struct table *table_restore(struct server *server, const struct store_table *stored, const char *text, size_t size,
    const struct store_choice *choices, unsigned count)
{
    if (!table_is_code(stored->code) || table_find(server, stored->code))
        return NULL;
    struct table *table = table_new(server, stored->code);
    if (!table)
        return NULL;
    table->address = take_stake(server, stored->code);
    if (stored->state > STORE_RUNNING) {
        leave_address(table->address);
        table->address = NULL;
    }
    if (read_stored(table, NULL, stored, text, size, choices, count))
        return table;
    server_log(server, LOG_ERROR, "table_unreadable", "table=%lld", (long long)stored->id);
    table->revision = stored->revision;
    table_forget(table);
    return NULL;
}

/* Tables come from the database when somebody wants to see them. */

/* A row's texts belong to the store's connection and are gone with its next statement, so a job copies what it hands
 * over. */
static bool copy_text(char **to, const char *from)
{
    *to = malloc(strlen(from) + 1);
    return *to && memcpy(*to, from, strlen(from) + 1);
}

/* In the store's thread: touches nothing but the job. */
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

void table_fetch_hear(struct server *server, const char *code, int64_t revision, bool is_presence)
{
    for (struct fetch *fetch = server->fetches; fetch; fetch = fetch->next) {
        if (strcmp(fetch->code, code) != 0)
            continue;
        fetch->heard_presence |= is_presence;
        if (!is_presence && revision > fetch->heard)
            fetch->heard = revision;
    }
}

/* It was in no map when the news came, so nobody else has seen to them. By code: `done` may have dropped the table. */
static void hear_late(const struct fetch *fetch)
{
    struct table *table = table_find(fetch->server, fetch->code);
    if (table && fetch->heard_presence)
        presence_read(table);
    if (table)
        table_hear(table, fetch->heard, NULL);
}

/* Back in the loop. Between asking and answering the table may have come into memory by another request, or have been
 * changed by another server: a row that is newer than the memory is taken over, one that is older is ignored. */
static void fetch_done(struct store_job *job, enum store_result result)
{
    struct fetch *fetch = (struct fetch *)job;
    struct table *table = table_find(fetch->server, fetch->code);    /* somebody else may have been faster */
    if (table)
        table->jobs++;                       /* what follows may find that nobody needs it */
    if (table && !result && fetch->row.revision > table->revision && table->revision && !table->busy && !table->changes)
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
        hear_late(fetch);
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
 * fetches are on their way. */
struct gather {
    unsigned pending;            /* fetches that have not answered, and the caller */
    enum error error;            /* the first that is more than a missing table */
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

/* A table that no longer exists is no failure of a list. */
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

/* When a table that leaves the memory is next due. */

struct due {
    struct store_job job;
    struct server *server;
    int64_t id, revision, due;   /* of the table as it left the memory */
    char code[CODE_SIZE + 1];
};

/* STORE_CONFLICT if the row has another revision by now. */
static enum store_result run_due(struct store_db *db, struct store_job *job)
{
    const struct due *due = (struct due *)job;
    return store_put_due(db, due->id, due->revision, due->due);
}

/* The fetch itself is the purpose: it brings the table back into memory, where its bots and its clock run. */
static void read_back(struct fetch *fetch, struct table *table, enum error error)
{
    (void)fetch;
    (void)table;
    (void)error;
}

static void due_done(struct store_job *job, enum store_result result)
{
    struct due *due = (struct due *)job;
    /* Another server has changed it meanwhile, and takes this one for its keeper. */
    if (result == STORE_CONFLICT && due->server->shared && !table_find(due->server, due->code))
        table_fetch(due->server, due->code, read_back, NULL);
    free(due);                               /* after another failure it is looked at once too often */
}

/* An idle table leaves the memory. What is due at a table in memory is seen to by its ticks; for one that leaves, the
 * database must know the time, so that upkeep.c reads it back then. Written only if that differs from what is stored. */
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

/* Reading a table again, which somebody else has changed. */

/* What bots have chosen in a phase that goes on is not stored: it is handed in anew. */
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

/* Where the lines after those of the players begin: a player who has removed their data has another name. */
static size_t after_players(const struct table_log *log)
{
    uint32_t i = 0;
    for (uint32_t line = 0; line < log->count && line < 8; line++)
        if (!strncmp(log->text + log->start[line], "player ", 7))
            i = line + 1;
    return log->count ? log->start[i] : 0;
}

/* Puts what was read in place of what is in memory. False: it does not continue what clients were sent.
 * Log and state are swapped, so that `read` has the old ones and frees them. */
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

/* Not table_forget: a table that was read for comparison is in no map and no list. */
static void read_free(struct table *read)
{
    if (!read)
        return;
    pyr_fair_wipe(&read->now.fair);
    free(read->log.text);
    free(read->log.start);
    free(read);
}

/* On a shared database each running table has one keeper, the server that moves its bots and its clock; the others only
 * serve its clients. Without that, each server would let the same bot think. */
bool table_is_kept_here(const struct table *table)
{
    const struct server *server = table->server;
    if (!server->shared || table->keeper)
        return !server->shared || table->keeper == server->node;
    return !(table->due == STORE_DUE_BOTS && (server->options.thinks_only || server_leaves_bots(server)));
}

/* Puts what was fetched in place of what is in memory, and tells. Nothing is under way at the table but its first change. */
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

/* The table was `busy` meanwhile, so its queue of changes stood still. If it was forgotten, this job was the last to hold
 * it. */
static void refresh_done(struct store_job *job, enum store_result result)
{
    struct fetch *fetch = (struct fetch *)job;
    struct table *table = fetch->context;
    void (*done)(struct table *table, enum error error) = fetch->then;
    table->busy = false;
    if (!table->gone) {
        bool good = !result && adopt(table, fetch);
        if (good && table->heard <= fetch->heard)
            table->heard = table->revision;              /* it was read after that was announced */
        if (done)
            done(table, good ? ERROR_NONE : result == STORE_MISSING ? ERROR_NO_TABLE : ERROR_STORAGE);
    }
    table_release(table);                    /* not before: what was handed in may find that nobody needs the table */
    fetch_free(fetch);
}

bool table_refresh(struct table *table, void (*done)(struct table *table, enum error error))
{
    struct fetch *fetch = fetch_new(table->server, table->code, table, refresh_done);
    if (!fetch)
        return false;
    fetch->then = done;
    fetch->heard = table->heard;
    table->server->count.refreshes++;
    table->busy = true;
    table->jobs++;
    store_submit(table->server->store, &fetch->job);
    return true;
}

/* The same people once more. */

static enum error apply_point_to_rematch(struct change *change, struct problem *problem)
{
    (void)problem;
    memcpy(change->effects->after.rematch, change->request.text, CODE_SIZE + 1);
    change_note_table(change);
    return ERROR_NONE;
}

/* Found by code and not by pointer: the old table may leave the memory before the new one is stored. */
struct rematch {
    char code[CODE_SIZE + 1];    /* of the old table */
    void (*answer)(struct change *change, enum error error);
    void *context;
};

/* First the new table is stored, then the old one points to it: a crash in between costs the link, never a link to
 * nothing. */
static void rematch_made(struct change *change, enum error error)
{
    struct rematch *rematch = change->context;
    struct table *old = table_find(change->table->server, rematch->code);
    if (!error && old) {
        struct change *note = change_new(old, apply_point_to_rematch);
        if (note && (note->request.text = malloc(CODE_SIZE + 1))) {
            memcpy(note->request.text, change->table->code, CODE_SIZE + 1);
            change_submit(note, NULL, NULL);
        } else {
            change_free(note);
        }
    }
    change->context = rematch->context;
    rematch->answer(change, error);
    free(rematch);
}

/* *asker is the first person by seat, whoever asks: all players of a game thereby use the same request id and get one
 * table. */
enum error table_may_rematch(const struct table *table, const struct visitor *visitor, int64_t *asker)
{
    if (table->daily.day)
        return ERROR_DAILY;
    if (table->now.stage != STORE_OVER)
        return ERROR_NOT_OVER;
    if (table_seat_of(table, (int64_t)visitor->node.key) >= PYR_MAX_SEATS)
        return ERROR_NOT_SEATED;
    for (unsigned s = table->now.seats; s--;)
        if (table->now.seat[s].kind == SEAT_PERSON)
            *asker = table->now.seat[s].visitor;
    return ERROR_NONE;
}

/* What a seat has won and scored in the series, with the game that is over. Numbers that are too large stay as they are. */
static void add_to_series(const struct table_state *state, unsigned from, struct seat *seat)
{
    const struct seat *old = &state->seat[from];
    int wins = state->winners >> from & 1 ? 12 / __builtin_popcount(state->winners) : 0;
    int points = old->series.points + state->points[from];
    seat->series.wins = (uint16_t)(old->series.wins + wins);
    seat->series.points = points > INT16_MAX || points < INT16_MIN ? old->series.points : (int16_t)points;
}

/* Persons become friends whose seats are kept for them by number, without keys; bots stay. Everyone moves up one seat, and
 * the first becomes the last, so that in a series each sits everywhere. The new table is not public, even if the old one
 * was. */
enum error table_rematch(struct table *table, struct visitor *visitor, struct address *address, const char *id,
    void (*answer)(struct change *change, enum error error), void *context)
{
    struct table_request request = { .seats = table->now.seats, .terms = table->now.terms, .address = address, .id = id };
    request.terms.is_public = false;
    request.series = table->now.series < 200 ? table->now.series + 1 : 200;
    enum error may = table_may_rematch(table, visitor, &request.asker);
    if (may)
        return may;
    struct table *other = table_find(table->server, table->now.rematch[0] ? table->now.rematch : table->rematch_pending);
    if (other && other->now.stage != STORE_CLOSED) {
        /* Somebody was faster: the answer comes when that table is stored. */
        struct change *change = change_new(other, apply_new);
        if (!change)
            return ERROR_STORAGE;
        change->answer = answer;
        change->context = context;
        change_submit(change, NULL, NULL);
        return ERROR_NONE;
    }
    for (unsigned s = 0; s < request.seats; s++) {
        unsigned from = (s + 1) % request.seats;
        const struct seat *seat = &table->now.seat[from];
        bool is_gone = seat->kind == SEAT_PERSON && !seat->visitor;  /* whoever removed their data: anybody may sit there */
        request.seat[s] = (struct seat){ .kind = is_gone ? SEAT_OPEN : seat->kind == SEAT_PERSON ? SEAT_FRIEND : seat->kind,
            .bot = seat->bot, .visitor = seat->visitor };
        request.seat[s].kind_if_free = request.seat[s].kind;
        if (is_gone)
            continue;
        add_to_series(&table->now, from, &request.seat[s]);
        memcpy(request.seat[s].name, seat->name, NAME_SIZE);
    }
    struct rematch *rematch = malloc(sizeof *rematch);
    if (!rematch)
        return ERROR_STORAGE;
    memcpy(rematch->code, table->code, sizeof rematch->code);
    rematch->answer = answer;
    rematch->context = context;
    enum error error = table_create(table->server, visitor, &request, rematch_made, rematch, &other);
    if (error)
        free(rematch);
    else
        memcpy(table->rematch_pending, other->code, sizeof table->rematch_pending);
    return error;
}
