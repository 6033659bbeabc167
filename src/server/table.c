/*
 * table.c: tables: who sits where, what they choose, when a bot plays for them.
 *
 * Invariants:
 *  1. A table's core is what the database has: a change is made on a copy, stored, and only then put in its place and told to anyone. If it
 *     cannot be stored, the copy is dropped and whoever asked is told so.
 *  2. Changes of one table happen one after the other, in the order in which they came.
 *  3. Bots' choices are not stored before their phase is complete: after a restart they choose again. The choice of a
 *     stand-in is stored when the person comes back, since from then on it is theirs.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pool.h"
#include "server.h"

#define FORGET_MS 60000          /* a finished table that nobody watches leaves the memory */
#define ABANDONED_MS 600000      /* one that waits for players, unwatched for so long, makes room where there is none */
#define WAITING_SECONDS (3 * 86400)
#define CORRESPONDENCE_SECONDS (60 * 86400)
#define GRACE_MS 10000           /* what a clock has left at least after a restart: the players have to come back first */

static const char code_letters[] = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/* Codes. */

bool table_is_code(const char *code)
{
    return strlen(code) == CODE_SIZE && strspn(code, code_letters) == CODE_SIZE;
}

bool code_read(const char *text, char *to, size_t size)
{
    static const char *const dashes[] = { " ", "-", "\t", "\u00a0", "\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2212" };
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

static uint64_t code_key(const char *code)
{
    uint64_t key;
    memcpy(&key, code, sizeof key);
    return key;
}

struct table *table_find(const struct server *server, const char *code)
{
    return table_is_code(code) ? (struct table *)map_find(&server->tables, code_key(code)) : NULL;
}

/* What a table is. */

pyr_seat table_seat_of(const struct table *table, int64_t visitor)
{
    for (unsigned s = 0; s < table->core.seats && visitor; s++)
        if (table->core.seat[s].kind == SEAT_PERSON && table->core.seat[s].visitor == visitor)
            return (pyr_seat)s;
    return PYR_SPECTATOR;
}

bool table_is_known_to(const struct table *table, const struct visitor *visitor)
{
    int64_t id = visitor ? (int64_t)visitor->node.key : 0;
    return table->is_public || (id && table->host == id) || table_seat_of(table, id) < PYR_MAX_SEATS;
}

unsigned table_waiting(const struct table *table)
{
    return pyr_game_waiting(&table->core.game);
}

static bool is_observed_by(const struct table *table, int64_t visitor)
{
    for (const struct table_observer *observer = table->observers; observer && visitor; observer = observer->next)
        if (observer->visitor == visitor)
            return true;
    return false;
}

bool table_is_here(const struct table *table, unsigned seat)
{
    return is_observed_by(table, table->core.seat[seat].visitor);
}

bool table_has_host(const struct table *table)
{
    return is_observed_by(table, table->host);
}

struct pyr_word table_line(const struct table *table, uint32_t line)
{
    const struct lines *log = &table->log;
    return (struct pyr_word){ log->text + log->start[line], (size_t)(log->start[line + 1] - log->start[line] - 1) };
}

void table_choice(const struct table *table, pyr_seat seat, char *to, size_t size)
{
    const struct pyr_game *game = &table->core.game;
    struct pyr_out out;
    *to = '\0';
    if (seat >= table->core.seats || table->core.state != STORE_RUNNING || !game->choice[seat].confirmed)
        return;
    pyr_out_init(&out, to, size);
    pyr_game_write_choice(game, seat, &out);
}

static void notify(struct table *table)
{
    for (struct table_observer *observer = table->observers; observer; observer = observer->next)
        observer->changed(observer);
}

/* Whether a person who plays here is connected, so that somebody waits for its bots. */
static bool is_awaited(const struct table *table)
{
    for (unsigned s = 0; s < table->core.seats; s++)
        if (table->core.seat[s].kind == SEAT_PERSON && !table->core.seat[s].away && table_is_here(table, s))
            return true;
    return false;
}

void table_presence_changed(struct table *table)
{
    for (unsigned s = 0; s < table->core.seats && table->server->pool; s++)
        pool_watch(table->server->pool, &table->ask[s], is_awaited(table));
    table->version++;
    table->idle = table->observers ? 0 : server_now(table->server);
    notify(table);
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
        table->left[seat] = server_now(table->server);
    if (observer->visitor && observer->visitor == table->host && !table_has_host(table))
        table->host_left = server_now(table->server);
    if (!table->gone)
        table_presence_changed(table);
}

/* The log. */

/* Room for further lines; false without memory, and nothing has changed. */
static bool lines_reserve(struct lines *lines, const char *text, size_t size)
{
    uint32_t more = 0;
    size_t before = lines->count ? lines->start[lines->count] : 0;
    for (size_t i = 0; i < size; i++)
        more += text[i] == '\n';
    char *grown = realloc(lines->text, before + size + 1);
    if (!grown)
        return false;
    lines->text = grown;
    uint16_t *start = realloc(lines->start, (lines->count + more + 1) * sizeof *start);
    if (!start)
        return false;
    lines->start = start;
    return true;
}

/* Adds lines that lines_reserve has made room for. */
static void lines_add(struct lines *lines, const char *text, size_t size)
{
    size_t before = lines->count ? lines->start[lines->count] : 0;
    lines->start[0] = 0;
    memcpy(lines->text + before, text, size);
    lines->text[before + size] = '\0';
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\n')
            lines->start[++lines->count] = (uint16_t)(before + i + 1);
}

/* Changes. */

struct change *change_new(struct table *table, enum error (*apply)(struct change *change, struct problem *problem))
{
    struct change *change = calloc(1, sizeof *change);
    if (!change)
        return NULL;
    change->table = table;
    change->apply = apply;
    change->request.seat = PYR_SPECTATOR;
    return change;
}

void change_free(struct change *change)
{
    if (!change)
        return;
    if (change->link_of_asker) {
        *change->link_of_asker = change->next_of_asker;
        if (change->next_of_asker)
            change->next_of_asker->link_of_asker = change->link_of_asker;
    }
    free(change->request.text);
    free(change->request.step);
    if (change->effects) {
        free(change->effects->lines);
        free(change->effects->config);
        free(change->effects);
    }
    free(change);
}

void changes_abandon(struct change **asker)
{
    for (struct change *change = *asker, *next; change; change = next) {
        next = change->next_of_asker;
        change->answer = NULL;
        change->link_of_asker = NULL;
    }
    *asker = NULL;
}

/* The rows of the seats: who sits there, against how many people and bots, and how it ended. */
static void fill_seats(struct store_commit *commit, const struct core *core)
{
    struct store_seat row = { .table = commit->table.id };
    unsigned best = 0, people = 0, bots = 0;
    for (unsigned s = 0; s < core->seats; s++) {
        const struct seat *seat = &core->seat[s];
        people += seat->kind == SEAT_PERSON;
        bots += seat->kind == SEAT_BOT;
        for (unsigned b = 0; seat->bot && b < pyr_bot_count(); b++)
            if (pyr_bot_at(b) == seat->bot && b >= best) {
                best = b;
                snprintf(row.level, sizeof row.level, "%s", seat->bot->name);
            }
    }
    row.people = (uint8_t)(people ? people - 1 : 0);
    row.bots = (uint8_t)bots;
    for (unsigned s = 0; s < core->seats; s++) {
        row.seat = (uint8_t)s;
        row.visitor = core->seat[s].kind == SEAT_PERSON ? core->seat[s].visitor : 0;
        row.points = core->state == STORE_OVER ? core->points[s] : -1000;
        row.share = core->winners >> s & 1 ? 1.0f / (float)__builtin_popcount(core->winners) : 0;
        commit->seat[s] = row;
    }
    commit->seats = core->seats;
}

/* What the store's thread is to write: it sees this and nothing else of the table. */
static void fill_commit(struct change *change)
{
    const struct table *table = change->table;
    struct change_effects *effects = change->effects;
    struct store_commit *commit = &effects->commit;
    const struct core *core = &effects->after;
    commit->table = (struct store_table){ .id = table->id, .state = core->state, .created = table->created,
        .changed = core->changed, .config = effects->config };
    memcpy(commit->table.code, table->code, sizeof table->code);
    commit->made = core->changed;
    commit->host = table->host;
    if (change->is_new)
        memcpy(commit->request, change->id, sizeof change->id);
    commit->lines = effects->lines;
    commit->lines_size = effects->lines_size;
    commit->first_line = table->log.count;
    if (effects->stores_seats)
        fill_seats(commit, core);
}

static void advance(struct table *table);

/* It is no longer one of the open tables. */
static void count_out(struct table *table)
{
    table->server->open_tables--;
    if (table->address)
        table->address->tables--;
    address_release(table->address);
    table->address = NULL;
}

/* How long a choice took to be safe. */
static void count_time(struct server *server, const struct change *change)
{
    static const int bounds[] = { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000 };
    double ms = (double)(uv_hrtime() - change->begun) / 1e6;
    unsigned i = 0;
    while (i < sizeof bounds / sizeof *bounds && ms > bounds[i])
        i++;
    server->count.told_ms[i]++;
    server->count.told_sum += ms / 1000;
}

/* What was stored becomes true. */
static void put_in_place(struct change *change)
{
    struct table *table = change->table;
    const struct change_effects *effects = change->effects;
    bool was_open = table->core.state <= STORE_RUNNING, is_open = effects->after.state <= STORE_RUNNING;
    if (effects->lines_size)
        lines_add(&table->log, effects->lines, effects->lines_size);
    if (was_open && !is_open)
        count_out(table);
    if (table->core.state == STORE_RUNNING && effects->after.state == STORE_OVER)
        table->server->count.games++;
    table->core = effects->after;
    if (effects->commit.has_choice)
        count_time(table->server, change);
    table->version += effects->announces;
    if (effects->lines_size) {
        table->ready++;
        table->deadline = table->spent = 0;
    } else if (effects->readies) {
        table->ready++;
    }
}

static void change_finish(struct change *change, enum error error, const struct problem *problem)
{
    struct table *table = change->table;
    table->changes = change->next;
    if (!table->changes)
        table->last_change = &table->changes;
    if (!error)
        put_in_place(change);
    change->problem = problem;
    if (change->answer)
        change->answer(change, error);
    if (!error)
        notify(table);
    change_free(change);
}

static void change_stored(struct store_job *job, enum store_result result)
{
    struct change *change = ((struct change_effects *)job)->change;
    struct table *table = change->table;
    static const struct problem none = { 0 };
    table->busy = false;
    if (result)
        server_log(table->server, LOG_ERROR, "storage", "table=%lld result=%d", (long long)table->id, (int)result);
    bool is_void = change->is_new && result;
    change_finish(change, result ? ERROR_STORAGE : ERROR_NONE, &none);
    if (is_void || table->gone)
        table_forget(table);
    else
        advance(table);
}

/* From what is asked to what comes of it; with *stores it has to be stored before it is true. */
static enum error find_effects(struct change *change, struct problem *problem, bool *stores)
{
    struct table *table = change->table;
    struct change_effects *effects = change->effects = calloc(1, sizeof *effects);
    if (!effects)
        return ERROR_STORAGE;
    effects->change = change;
    effects->after = table->core;
    enum error error = change->apply(change, problem);
    if (error)
        return error;
    bool has_config = effects->stores_config || change->is_new;
    if (has_config || effects->lines_size || effects->commit.has_choice)
        effects->after.changed = effects->commit.choice.made = server_time();
    if (has_config && !(effects->config = config_write(table, &effects->after)))
        return ERROR_STORAGE;
    /* Once it is on the disk it counts, so the memory for it is taken before. */
    if (effects->lines_size && !lines_reserve(&table->log, effects->lines, effects->lines_size))
        return ERROR_STORAGE;
    *stores = effects->config || effects->lines_size || effects->commit.has_choice || effects->stores_seats;
    return ERROR_NONE;
}

static void advance(struct table *table)
{
    while (table->changes && !table->busy) {
        struct change *change = table->changes;
        struct problem problem = { 0 };
        bool stores = false, is_void = change->is_new;
        problem.error = find_effects(change, &problem, &stores);
        if (stores) {
            struct store_job *job = &change->effects->commit.job;
            table->busy = true;
            fill_commit(change);
            job->run = store_run_commit;
            job->done = change_stored;
            store_submit(table->server->store, job);
            continue;
        }
        change_finish(change, problem.error, &problem);
        if (is_void && problem.error) {
            table_forget(table);
            return;
        }
    }
    if (!table->busy)
        table_wake(table);
}

void change_submit(struct change *change, struct change **asker, const char *id)
{
    struct table *table = change->table;
    change->begun = uv_hrtime();
    if (asker) {
        change->next_of_asker = *asker;
        change->link_of_asker = asker;
        if (*asker)
            (*asker)->link_of_asker = &change->next_of_asker;
        *asker = change;
    }
    if (id)
        snprintf(change->id, sizeof change->id, "%s", id);
    *table->last_change = change;
    table->last_change = &change->next;
    if (table->changes == change)
        advance(table);
}

/* Messages that took effect are remembered, so that sending them again is harmless. */

static bool is_known(const struct server *server, const struct seat *seat, const char *id)
{
    uint64_t hash = server_hash(server, id, strlen(id));
    for (unsigned i = 0; i < 8; i++)
        if (id[0] && seat->ids[i] == hash)
            return true;
    return false;
}

static void remember(const struct server *server, struct seat *seat, const char *id)
{
    if (!id[0])
        return;
    seat->ids[seat->recent] = server_hash(server, id, strlen(id));
    seat->recent = (uint8_t)((seat->recent + 1) % 8);
}

/* The sink of a change: its game's lines, one after the other. PYR_ERR_TEXT_FULL: no memory. */
static enum pyr_err take_line(void *context, const struct pyr_edition *edition, const struct pyr_event *event)
{
    struct change *change = context;
    char line[PYR_MAX_LINE + 1];
    struct pyr_out out;
    pyr_out_init(&out, line, sizeof line);
    pyr_event_write(edition, event, &out);
    if (out.length >= sizeof line)
        return PYR_ERR_TEXT_LINE;
    if (change->effects->lines_size + out.length + 1 > change->effects->lines_room) {
        size_t room = 2 * change->effects->lines_room + PYR_MAX_LINE;
        char *grown = realloc(change->effects->lines, room);
        if (!grown)
            return PYR_ERR_TEXT_FULL;
        change->effects->lines = grown;
        change->effects->lines_room = room;
    }
    memcpy(change->effects->lines + change->effects->lines_size, line, out.length);
    change->effects->lines_size += out.length;
    change->effects->lines[change->effects->lines_size++] = '\n';
    return PYR_OK;
}

static struct pyr_sink sink_of(struct change *change)
{
    return (struct pyr_sink){ take_line, change };
}

/* The game has taken a choice, and perhaps gone on. */
static enum error settle(struct change *change)
{
    struct core *core = &change->effects->after;
    const struct pyr_game *game = &core->game;
    if (change->effects->lines_size && pyr_game_is_over(game)) {
        const struct pyr_sink sink = sink_of(change);
        const struct pyr_table *open = &game->replay.state.open;
        if (pyr_fair_game_reveal(game, &core->fair, &sink))
            return ERROR_STORAGE;
        core->state = STORE_OVER;
        core->winners = (uint8_t)pyr_table_winners(&game->edition->box, open);
        for (unsigned s = 0; s < core->seats; s++)
            core->points[s] = pyr_table_score(&game->edition->box, open, (pyr_seat)s).total;
        change->effects->stores_config = change->effects->stores_seats = change->effects->announces = true;
    }
    change->effects->readies = true;
    return ERROR_NONE;
}

/* All seats are taken: names, commitment, numbers, deals. */
static enum error begin(struct change *change)
{
    const struct pyr_edition *edition = change->table->edition;
    const struct pyr_sink sink = sink_of(change);
    struct core *core = &change->effects->after;
    struct pyr_chance chance;
    const char *names[PYR_MAX_SEATS];
    char date[16];
    time_t now = (time_t)server_time();
    struct tm utc;
    for (unsigned s = 0; s < core->seats; s++)
        names[s] = core->seat[s].name;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &utc));
    if (pyr_fair_chance(&core->fair, edition, core->seats, &chance) ||
        pyr_game_begin(&core->game, edition, core->seats, names, &sink) ||
        pyr_game_tag(&core->game, "date", date, &sink) || pyr_fair_game_tags(&core->game, &core->fair, &sink) ||
        pyr_game_deal(&core->game, &chance, &sink))
        return ERROR_STORAGE;
    core->state = STORE_RUNNING;
    change->effects->announces = true;
    return settle(change);
}

static enum error begin_if_full(struct change *change)
{
    change->effects->stores_config = change->effects->announces = true;
    for (unsigned s = 0; s < change->effects->after.seats; s++)
        if (change->effects->after.seat[s].kind < SEAT_BOT)
            return ERROR_NONE;
    return begin(change);
}

static bool is_hosts(const struct change *change)
{
    return change->table->host == change->request.visitor;
}

enum error apply_sit(struct change *change, struct problem *problem)
{
    struct table *table = change->table;
    struct core *core = &change->effects->after;
    pyr_seat mine = table_seat_of(table, change->request.visitor);
    struct visitor *visitor = visitor_by_id(table->server, change->request.visitor);
    (void)problem;
    if (mine < PYR_MAX_SEATS)
        return change->id[0] && !strcmp(core->seat[mine].sit, change->id) ? ERROR_NONE :
            core->state != STORE_WAITING ? ERROR_BEGUN : ERROR_SEATED;
    if (core->state != STORE_WAITING)
        return core->state == STORE_CLOSED ? ERROR_NO_TABLE : ERROR_BEGUN;
    int found = -1;
    enum error why = ERROR_TAKEN;
    for (unsigned s = 0; s < core->seats; s++) {
        const struct seat *seat = &core->seat[s];
        bool wanted = change->request.has_seat ? s == change->request.seat : true;
        if (!wanted || seat->kind > SEAT_FRIEND)
            continue;
        bool is_mine = seat->kind == SEAT_FRIEND && (sodium_is_zero(seat->key, TOKEN_SIZE) ? seat->visitor == change->request.visitor :
            change->request.has_key && !sodium_memcmp(seat->key, change->request.key, TOKEN_SIZE));
        if (is_mine || (seat->kind == SEAT_OPEN && found < 0)) {
            found = (int)s;
            if (is_mine)
                break;
        } else if (seat->kind == SEAT_FRIEND && (change->request.has_seat || change->request.has_key)) {
            why = ERROR_BAD_KEY;
        }
    }
    if (found < 0)
        return why;
    struct seat *seat = &core->seat[found];
    if (visitor && visitor->name[0])
        memcpy(seat->name, visitor->name, NAME_SIZE);
    if (!seat->name[0])
        return ERROR_BAD_NAME;
    seat->before = seat->kind;
    seat->kind = SEAT_PERSON;
    seat->visitor = change->request.visitor;
    seat->away = false;
    memcpy(seat->sit, change->id, ID_SIZE);
    pyr_fair_add(&core->fair, (pyr_seat)found, change->request.number);
    change->effects->stores_seats = true;
    return begin_if_full(change);
}

enum error apply_leave(struct change *change, struct problem *problem)
{
    struct core *core = &change->effects->after;
    pyr_seat mine = table_seat_of(change->table, change->request.visitor);
    (void)problem;
    if (mine >= PYR_MAX_SEATS)
        return ERROR_NOT_SEATED;
    struct seat *seat = &core->seat[mine];
    if (core->state == STORE_WAITING) {
        bool known = sodium_is_zero(seat->key, TOKEN_SIZE) && seat->before == SEAT_FRIEND;
        seat->kind = seat->before;
        seat->sit[0] = '\0';
        if (!known)
            seat->visitor = 0;
        if (seat->kind == SEAT_OPEN)
            seat->name[0] = '\0';
        core->fair.numbers &= (uint8_t)~(1u << mine);
        change->effects->stores_seats = true;
    } else if (core->state == STORE_RUNNING) {
        if (seat->away)
            return ERROR_NONE;
        seat->away = true;
    } else {
        return ERROR_NOT_RUNNING;
    }
    change->effects->stores_config = change->effects->announces = true;
    return ERROR_NONE;
}

/* Someone plays for themselves again. */
static void come_back(struct change *change, struct seat *seat)
{
    if (!seat->away)
        return;
    seat->away = false;
    change->effects->stores_config = change->effects->announces = true;
}

static void put_choice(struct change *change, const char *text)
{
    change->effects->commit.has_choice = true;
    change->effects->commit.choice.seat = change->request.seat;
    change->effects->commit.choice.phase = change->request.phase;
    memcpy(change->effects->commit.choice.id, change->id, sizeof change->id);
    snprintf(change->effects->commit.choice.text, sizeof change->effects->commit.choice.text, "%s", text);
}

enum error apply_return(struct change *change, struct problem *problem)
{
    pyr_seat mine = change->request.seat = table_seat_of(change->table, change->request.visitor);
    char text[sizeof change->effects->commit.choice.text];
    (void)problem;
    if (mine >= PYR_MAX_SEATS)
        return ERROR_NOT_SEATED;
    if (change->effects->after.state != STORE_RUNNING)
        return ERROR_NOT_RUNNING;
    if (!change->effects->after.seat[mine].away)
        return ERROR_NONE;
    come_back(change, &change->effects->after.seat[mine]);
    table_choice(change->table, mine, text, sizeof text);
    if (text[0]) {
        change->request.phase = change->table->log.count;
        put_choice(change, text);
    }
    return ERROR_NONE;
}

/* What choose and retract have in common. ERROR_NONE with *again: it has taken effect before. */
static enum error check_phase(struct change *change, bool *again)
{
    struct table *table = change->table;
    pyr_seat mine = change->request.seat = table_seat_of(table, change->request.visitor);
    if (mine >= PYR_MAX_SEATS)
        return ERROR_NOT_SEATED;
    *again = is_known(table->server, &change->effects->after.seat[mine], change->id);
    if (*again)
        return ERROR_NONE;
    if (change->effects->after.state == STORE_WAITING)
        return ERROR_NOT_RUNNING;
    if (change->request.phase != table->log.count)
        return change->request.phase < table->log.count ? ERROR_LATE : ERROR_NOT_DUE;
    return change->effects->after.state == STORE_RUNNING ? ERROR_NONE : ERROR_NOT_RUNNING;
}

static void note_choice(struct change *change, const char *text)
{
    struct seat *seat = &change->effects->after.seat[change->request.seat];
    remember(change->table->server, seat, change->id);
    come_back(change, seat);
    put_choice(change, text);
}

enum error apply_choose(struct change *change, struct problem *problem)
{
    const struct pyr_sink sink = sink_of(change);
    struct pyr_game *game = &change->effects->after.game;
    bool again = false;
    enum error error = check_phase(change, &again);
    if (error || again)
        return error;
    enum pyr_err err = pyr_game_choose(game, change->request.seat, change->request.text, &problem->fault, &sink);
    if (!err && !change->effects->lines_size)
        err = pyr_game_confirm(game, change->request.seat, &sink);
    if (err == PYR_ERR_TEXT_FULL)
        return ERROR_STORAGE;
    if (err == PYR_ERR_NOT_DUE)
        return ERROR_NOT_DUE;
    if (err == PYR_ERR_CONFIRMED)
        return ERROR_CONFIRMED;
    if (err) {
        problem->fault.code = err;
        return ERROR_ILLEGAL;
    }
    note_choice(change, change->request.text);
    change->table->server->count.choices++;
    return settle(change);
}

enum error apply_retract(struct change *change, struct problem *problem)
{
    bool again = false;
    enum error error = check_phase(change, &again);
    (void)problem;
    if (error || again)
        return error;
    if (pyr_game_retract(&change->effects->after.game, change->request.seat))
        return ERROR_NO_CHOICE;
    note_choice(change, "");
    return settle(change);
}

enum error apply_fill(struct change *change, struct problem *problem)
{
    struct core *core = &change->effects->after;
    (void)problem;
    if (!is_hosts(change))
        return ERROR_NOT_HOST;
    if (core->state != STORE_WAITING)
        return ERROR_BEGUN;
    if (change->request.seat >= core->seats || core->seat[change->request.seat].kind > SEAT_FRIEND)
        return ERROR_TAKEN;
    core->seat[change->request.seat] = (struct seat){ .kind = SEAT_BOT, .before = SEAT_OPEN, .bot = change->request.bot };
    snprintf(core->seat[change->request.seat].name, NAME_SIZE, "%s", change->request.bot->name);
    return begin_if_full(change);
}

enum error apply_standin(struct change *change, struct problem *problem)
{
    const struct table *table = change->table;
    struct core *core = &change->effects->after;
    bool orphaned = !table_has_host(table) && server_now(table->server) - table->host_left >= HOST_GONE_MS;
    (void)problem;
    if (!is_hosts(change) && !(orphaned && table_seat_of(table, change->request.visitor) < PYR_MAX_SEATS))
        return ERROR_NOT_HOST;
    if (core->state != STORE_RUNNING)
        return ERROR_NOT_RUNNING;
    if (change->request.seat >= core->seats || core->seat[change->request.seat].kind != SEAT_PERSON)
        return ERROR_NOT_SEATED;
    if (table_is_here(table, change->request.seat))
        return ERROR_HERE;
    if (!core->seat[change->request.seat].away) {
        core->seat[change->request.seat].away = true;
        change->effects->stores_config = change->effects->announces = true;
    }
    return ERROR_NONE;
}

enum error apply_close(struct change *change, struct problem *problem)
{
    (void)problem;
    if (change->request.visitor && !is_hosts(change))        /* 0: the server itself */
        return ERROR_NOT_HOST;
    if (change->effects->after.state == STORE_CLOSED)
        return ERROR_NONE;                   /* sent again */
    if (change->effects->after.state != STORE_WAITING)
        return ERROR_BEGUN;
    change->effects->after.state = STORE_CLOSED;
    change->effects->stores_config = change->effects->announces = true;
    return ERROR_NONE;
}

/* The clock has run out, or weeks have passed: bots play for those who are missing. */
static enum error apply_late(struct change *change, struct problem *problem)
{
    unsigned waiting = pyr_game_waiting(&change->effects->after.game);
    (void)problem;
    if (change->request.phase != change->table->log.count)
        return ERROR_LATE;
    for (unsigned s = 0; s < change->effects->after.seats; s++) {
        struct seat *seat = &change->effects->after.seat[s];
        if (!(waiting >> s & 1) || seat->kind != SEAT_PERSON || seat->away)
            continue;
        seat->away = true;
        change->effects->stores_config = change->effects->announces = true;
    }
    return ERROR_NONE;
}

static bool is_played_by_bot(const struct seat *seat)
{
    return seat->kind == SEAT_BOT || seat->away;
}

static enum error apply_bot_choice(struct change *change, struct problem *problem)
{
    const struct pyr_sink sink = sink_of(change);
    struct pyr_game *game = &change->effects->after.game;
    enum pyr_err err = PYR_OK;
    (void)problem;
    if (change->request.phase != change->table->log.count || change->effects->after.state != STORE_RUNNING ||
        !(pyr_game_waiting(&change->effects->after.game) >> change->request.seat & 1) || !is_played_by_bot(&change->effects->after.seat[change->request.seat]))
        return ERROR_LATE;
    pyr_game_clear(game, change->request.seat);
    for (unsigned i = 0; i < change->request.steps && !err; i++)
        err = pyr_game_step(game, change->request.seat, change->request.step[i], &sink);
    if (!err && !change->effects->lines_size)
        err = pyr_game_confirm(game, change->request.seat, &sink);
    if (err)
        return err == PYR_ERR_TEXT_FULL ? ERROR_STORAGE : ERROR_ILLEGAL;
    return settle(change);
}

/* Bots and clocks. */

/*
 * Whose load the bots of a table are: that of the address which made it; of a table from the database, that of the first player who is seen at it.
 * Until then its host's.
 */
static uint64_t owner_of(struct table *table)
{
    for (const struct table_observer *observer = table->observers; observer && !table->owner; observer = observer->next)
        if (observer->address && table_seat_of(table, observer->visitor) < PYR_MAX_SEATS)
            table->owner = observer->address;
    return table->owner ? table->owner : server_hash(table->server, &table->host, sizeof table->host);
}

/* Without memory the next tick tries again. */
static void think(struct table *table, unsigned seat)
{
    struct ask *ask = &table->ask[seat];
    const struct seat *at = &table->core.seat[seat];
    if (ask->job.link || ask->thinking)
        return;
    ask->table = table;
    ask->edition = table->edition;
    ask->bot = at->bot ? at->bot : pyr_bot_find(STANDIN);
    ask->job.address = owner_of(table);
    ask->job.visitor = table->host;
    ask->job.watched = is_awaited(table);
    pool_ask(table->server->pool, ask);
}

struct thought *table_begin_thought(struct ask *ask)
{
    struct table *table = ask->table;
    unsigned seat = (unsigned)(ask - table->ask);
    if (!(table_waiting(table) >> seat & 1) || !is_played_by_bot(&table->core.seat[seat]))
        return NULL;                         /* a person has come back */
    struct thought *thought = malloc(sizeof *thought);
    if (!thought)
        return NULL;
    thought->game = table->core.game;
    pyr_game_clear(&thought->game, (pyr_seat)seat);      /* what a person took back is a draft there */
    thought->phase = table->log.count;
    thought->seat = (pyr_seat)seat;
    thought->steps = 0;
    randombytes_buf(&thought->seed, sizeof thought->seed);
    table->jobs++;
    return thought;
}

void table_thought(struct thought *thought)
{
    struct table *table = thought->ask->table;
    table->jobs--;
    if (table->gone) {
        free(thought);
        table_forget(table);
        return;
    }
    struct change *change = change_new(table, apply_bot_choice);
    if (change && (change->request.step = malloc(sizeof thought->step))) {
        memcpy(change->request.step, thought->step, sizeof thought->step);
        change->request.steps = (uint8_t)thought->steps;
        change->request.seat = thought->seat;
        change->request.phase = thought->phase;
        change_submit(change, NULL, NULL);
    } else {
        change_free(change);
    }
    free(thought);
}

/* Milliseconds for the phase that begins, or goes on after a restart. */
static uint64_t time_for(struct table *table)
{
    const struct server_options *options = &table->server->options;
    uint64_t whole = 1000 * (uint64_t)(table->clock == CLOCK_QUICK ? options->quick_seconds : options->relaxed_seconds);
    uint64_t left = table->spent < whole ? whole - table->spent : 0, least = whole < GRACE_MS ? whole : GRACE_MS;
    table->spent = 0;
    return left > least ? left : least;
}

void table_wake(struct table *table)
{
    struct server *server = table->server;
    const struct core *core = &table->core;
    unsigned waiting = table_waiting(table), people = 0;
    if (core->state != STORE_RUNNING || server->stopping || !server->pool)
        return;
    for (unsigned s = 0; s < core->seats; s++) {
        if (!(waiting >> s & 1))
            continue;
        if (!is_played_by_bot(&core->seat[s]))
            people |= 1u << s;
        else
            think(table, s);
    }
    if (!people)
        table->deadline = table->spent = 0;
    else if (table->clock && !table->deadline)
        table->deadline = server_now(server) + time_for(table);
}

void table_tick(struct table *table)
{
    struct server *server = table->server;
    uint64_t now = server_now(server);
    bool is_late = table->deadline && now >= table->deadline;
    if (table->busy || table->changes)
        return;
    if (table->core.state == STORE_RUNNING) {
        if (!table->deadline && !table->clock && !table->observers &&
            server_time() - table->core.changed >= CORRESPONDENCE_SECONDS)
            is_late = true;
        if (!is_late) {
            table_wake(table);               /* a bot that could not be asked is asked again */
            return;
        }
        table->deadline = 0;
        struct change *change = change_new(table, apply_late);
        if (change) {
            change->request.phase = table->log.count;
            change_submit(change, NULL, NULL);
        }
    } else if (table->core.state == STORE_WAITING) {
        if (table->observers || server_time() - table->core.changed < WAITING_SECONDS)
            return;
        struct change *change = change_new(table, apply_close);
        if (change)
            change_submit(change, NULL, NULL);
    } else if (!table->observers && table->idle && now - table->idle > FORGET_MS) {
        table_forget(table);
    }
}

/* Coming and going. */

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

void table_report(struct table *table)
{
    struct server *server = table->server;
    server->count.sent += table->unreported.messages;
    server->count.bytes_sent += table->unreported.bytes;
    table->unreported.messages = table->unreported.bytes = 0;
    table->unreported.lines = table->log.count;
}

void table_forget(struct table *table)
{
    if (!table->gone) {
        table->gone = true;
        table_report(table);
        map_remove(&table->server->tables, &table->node);
        *table->link = table->next;
        if (table->next)
            table->next->link = table->link;
        if (table->core.state <= STORE_RUNNING)
            count_out(table);
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
    pyr_fair_wipe(&table->core.fair);
    free(table->log.text);
    free(table->log.start);
    free(table);
}

static enum error apply_new(struct change *change, struct problem *problem)
{
    (void)change;
    (void)problem;
    return ERROR_NONE;
}

/*
 * Closes a table that waits in vain, so that another one has room: of one address, or (NULL) of the one that has most
 * of them. It must be unwatched for a while, the longest comes first. False: there is none.
 */
static bool make_room(struct server *server, const struct address *address)
{
    struct table *worst = NULL;
    unsigned most = 0;
    for (struct table *table = server->table_list; table; table = table->next) {
        unsigned tables = table->address ? table->address->tables : 0;
        if (table->core.state != STORE_WAITING || table->observers || table->changes || (address && table->address != address) ||
            server_now(server) - table->idle < ABANDONED_MS)
            continue;
        if (!worst || tables > most || (tables == most && table->idle < worst->idle)) {
            worst = table;
            most = tables;
        }
    }
    struct change *change = worst ? change_new(worst, apply_close) : NULL;
    if (!change)
        return false;
    server_log(server, LOG_INFO, "table_abandoned", "table=%lld", (long long)worst->id);
    change_submit(change, NULL, NULL);
    return true;
}

/* Whether there may be one more table of this host, from this address. */
static enum error check_limits(struct server *server, int64_t host, struct address *address)
{
    const struct server_options *options = &server->options;
    unsigned open = 0;
    for (const struct table *table = server->table_list; table; table = table->next)
        open += table->core.state <= STORE_RUNNING && table->host == host;
    if (open >= options->max_tables_per_visitor)
        return ERROR_TOO_MANY;
    if (address && address->tables >= options->max_tables_per_address && !make_room(server, address))
        return ERROR_TOO_MANY;
    if (server->open_tables >= options->max_tables && !make_room(server, NULL))
        return ERROR_TOO_MANY;
    if (address && !bucket_take(&address->creations, server_now(server), options->table_rate / 60.0, options->table_rate))
        return ERROR_TOO_FAST;
    return ERROR_NONE;
}

enum error table_create(struct server *server, struct visitor *host, const struct table_request *request,
    void (*answer)(struct change *change, enum error error), void *context, struct table **out)
{
    char code[CODE_SIZE + 1];
    int64_t id = (int64_t)host->node.key;
    enum error error = check_limits(server, id, request->address);
    if (error)
        return error;
    do {
        for (unsigned i = 0; i < CODE_SIZE; i++)
            code[i] = code_letters[randombytes_uniform(sizeof code_letters - 1)];
        code[CODE_SIZE] = '\0';
    } while (table_find(server, code));
    struct table *table = table_new(server, code);
    struct change *change = table ? change_new(table, apply_new) : NULL;
    if (!table || !change || !pyr_fair_draw(&table->core.fair)) {
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
    table->id = ++server->last_table;
    table->edition = request->edition;
    table->is_public = request->is_public;
    table->clock = request->clock;
    table->host = id;
    table->owner = request->address ? request->address->node.key : 0;
    table->created = table->core.changed = server_time();
    table->core.seats = (uint8_t)request->seats;
    memcpy(table->core.seat, request->seat, sizeof table->core.seat);
    for (unsigned s = 0; s < request->seats; s++) {
        char key[KEY_SIZE + 1];
        struct seat *seat = &table->core.seat[s];
        if (seat->kind != SEAT_FRIEND || seat->visitor)
            continue;
        table_key(table, s, key);
        crypto_hash_sha256(seat->key, (const unsigned char *)key, KEY_SIZE);
    }
    change->is_new = true;
    change->answer = answer;
    change->context = context;
    *out = table;
    change_submit(change, NULL, request->id);
    return ERROR_NONE;
}

/* Who knows a key learns nothing about the secret, nor about other keys. */
void table_key(const struct table *table, unsigned seat, char key[KEY_SIZE + 1])
{
    uint8_t bytes[crypto_auth_hmacsha256_BYTES];
    char text[32];
    int size = snprintf(text, sizeof text, "pyramids key %u", seat + 1);
    _Static_assert(PYR_FAIR_BYTES == crypto_auth_hmacsha256_KEYBYTES, "the secret is a key");
    crypto_auth_hmacsha256(bytes, (const unsigned char *)text, (unsigned long long)size, table->core.fair.secret);
    sodium_bin2base64(key, KEY_SIZE + 1, bytes, 16, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

/* Milliseconds for which a clock has run that began at a time: those without a server do not count. */
static uint64_t clock_spent(const struct server *server, int64_t since)
{
    int64_t spent = server_time() - since;
    for (unsigned i = 0; i < server->downs; i++) {
        const struct store_downtime *down = &server->down[i];
        if (down->ended > since)
            spent -= down->ended - (down->began > since ? down->began : since);
    }
    return spent > 0 ? 1000 * (uint64_t)spent : 0;
}

/* The game of a running table: its lines, the shuffle that follows from its secret, and the choices that are not in the log yet. */
static bool restore_game(struct table *table, const char *text, size_t size, const struct store_choice *choices, unsigned count)
{
    struct core *core = &table->core;
    struct pyr_game *game = &core->game;
    struct pyr_chance chance;
    if (size > PYR_LOG_SIZE || pyr_fair_chance(&core->fair, table->edition, core->seats, &chance) ||
        pyr_game_load(game, table->edition, text, size, PYR_NOBODY, NULL) || game->replay.seats != core->seats)
        return false;
    pyr_game_set_chance(game, &chance);
    for (unsigned i = 0; i < count; i++) {
        const struct store_choice *choice = &choices[i];
        if (choice->seat < core->seats && choice->phase == table->log.count && choice->text[0] &&
            (pyr_game_choose(game, choice->seat, choice->text, NULL, NULL) || pyr_game_confirm(game, choice->seat, NULL)))
            return false;
    }
    return true;
}

struct table *table_restore(struct server *server, const struct store_table *stored, const char *text, size_t size,
    const struct store_choice *choices, unsigned count)
{
    if (!table_is_code(stored->code) || table_find(server, stored->code))
        return NULL;
    struct table *table = table_new(server, stored->code);
    if (!table)
        return NULL;
    struct core *core = &table->core;
    table->id = stored->id;
    table->created = stored->created;
    core->changed = stored->changed;
    core->state = stored->state;
    if (core->state <= STORE_RUNNING)
        server->open_tables++;
    bool good = config_read(table, stored->config) && (!size || lines_reserve(&table->log, text, size));
    if (good && size)
        lines_add(&table->log, text, size);
    if (core->changed < stored->phase)
        core->changed = stored->phase;
    for (unsigned i = 0; good && i < count; i++) {
        if (choices[i].seat < core->seats)
            remember(server, &core->seat[choices[i].seat], choices[i].id);
        if (core->changed < choices[i].made)
            core->changed = choices[i].made;
    }
    if (stored->phase)
        table->spent = clock_spent(server, stored->phase);
    if (good && core->state == STORE_RUNNING)
        good = restore_game(table, text, size, choices, count);
    else if (core->state == STORE_OVER)
        core->game.replay.stage = PYR_STAGE_OVER;
    if (good)
        return table;
    server_log(server, LOG_ERROR, "table_unreadable", "table=%lld", (long long)stored->id);
    table_forget(table);
    return NULL;
}

/* Finished tables come back from the database when somebody wants to see them. */

static bool copy_text(char **to, const char *from)
{
    *to = malloc(strlen(from) + 1);
    return *to && memcpy(*to, from, strlen(from) + 1);
}

static enum store_result fetch_run(struct store_db *db, struct store_job *job)
{
    struct fetch *fetch = (struct fetch *)job;
    enum store_result result = store_get_table(db, fetch->code, &fetch->row);
    if (result)
        return result;
    free(fetch->config);                     /* a job may be run twice */
    free(fetch->text);
    fetch->text = NULL;
    if (!copy_text(&fetch->config, fetch->row.config))
        return STORE_FULL;
    fetch->row.config = fetch->config;
    result = store_get_choices(db, fetch->row.id, fetch->choices, &fetch->count);
    return result ? result : store_get_lines(db, fetch->row.id, &fetch->text, &fetch->size);
}

static void fetch_done(struct store_job *job, enum store_result result)
{
    struct fetch *fetch = (struct fetch *)job;
    struct table *table = table_find(fetch->server, fetch->code);    /* somebody else may have been faster */
    if (!table && !result && fetch->row.state >= STORE_OVER)
        table = table_restore(fetch->server, &fetch->row, fetch->text, fetch->size, fetch->choices, fetch->count);
    fetch->done(fetch, table, table ? ERROR_NONE : result && result != STORE_NONE ? ERROR_STORAGE : ERROR_NO_TABLE);
    free(fetch->config);
    free(fetch->text);
    free(fetch);
}

struct fetch *table_fetch(struct server *server, const char *code, void (*done)(struct fetch *fetch, struct table *table, enum error error),
    void *context)
{
    struct fetch *fetch = calloc(1, sizeof *fetch);
    if (!fetch)
        return NULL;
    fetch->server = server;
    fetch->done = done;
    fetch->context = context;
    memcpy(fetch->code, code, CODE_SIZE + 1);
    fetch->job.run = fetch_run;
    fetch->job.done = fetch_done;
    store_submit(server->store, &fetch->job);
    return fetch;
}

/* The same people once more. */

static enum error apply_point_to_rematch(struct change *change, struct problem *problem)
{
    (void)problem;
    memcpy(change->effects->after.rematch, change->request.text, CODE_SIZE + 1);
    change->effects->stores_config = change->effects->announces = true;
    return ERROR_NONE;
}

struct rematch {
    char code[CODE_SIZE + 1];    /* of the old table */
    void (*answer)(struct change *change, enum error error);
    void *context;
};

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

enum error table_rematch(struct table *table, struct visitor *visitor, struct address *address,
    void (*answer)(struct change *change, enum error error), void *context)
{
    struct table_request request = { .seats = table->core.seats, .edition = table->edition, .is_public = false, .clock = table->clock,
        .address = address };
    if (table->core.state != STORE_OVER)
        return ERROR_NOT_OVER;
    if (table_seat_of(table, (int64_t)visitor->node.key) >= PYR_MAX_SEATS)
        return ERROR_NOT_SEATED;
    struct table *other = table_find(table->server, table->core.rematch[0] ? table->core.rematch : table->again);
    if (other && other->core.state != STORE_CLOSED) {        /* somebody was faster: the answer comes when that one is stored */
        struct change *change = change_new(other, apply_new);
        if (!change)
            return ERROR_STORAGE;
        change->answer = answer;
        change->context = context;
        change_submit(change, NULL, NULL);
        return ERROR_NONE;
    }
    for (unsigned s = 0; s < request.seats; s++) {
        const struct seat *seat = &table->core.seat[s];
        request.seat[s] = (struct seat){ .kind = seat->kind == SEAT_PERSON ? SEAT_FRIEND : seat->kind, .bot = seat->bot,
            .visitor = seat->visitor };
        request.seat[s].before = request.seat[s].kind;
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
        memcpy(table->again, other->code, sizeof table->again);
    return error;
}
