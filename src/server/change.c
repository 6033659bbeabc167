/*
 * change.c: the queue of changes of a table, and how a change is made; see change.h.
 *
 * A change goes through three steps. Its request is applied to a copy of the table's state (seats.c, turns.c), which gives
 * its effects. The store's thread writes these. Then the copy takes its place, the requester gets its answer,
 * and the observers of the table are notified.
 *
 * Invariants:
 *  1. Changes of a table take effect in the order of its queue, one at a time. `busy` is set while the first is being
 *     stored.
 *  2. Nothing about a change is sent before it is on the disk: answers and notices are sent after change_stored.
 *  3. A change is applied to the revision that it is stored against. If another server was faster (STORE_CONFLICT), the
 *     table is read again and the change applied again, so `apply` must keep nothing between two calls except in its
 *     effects.
 *  4. A change whose requester has gone still takes effect; only its answer is dropped (changes_abandon).
 *
 * Ownership: a change belongs to the queue from change_submit on, and is freed by change_finish. Everything runs in
 * the loop's thread except store_run_commit, which uses only `effects->commit`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "change.h"
#include "daily.h"
#include "reminder.h"
#include "server.h"

#define MOST_TRIES 100           /* how often a change may find a newer table before it is refused */

/* The log of a table. */

/* Allocates the memory for table_log_add, so that the latter cannot fail: lines that are on the disk must also be in
 * memory. */
bool table_log_reserve(struct table_log *lines, const char *text, size_t size)
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

/* The log ends with a newline and a terminator; the last offset is where the next line will begin. */
void table_log_add(struct table_log *lines, const char *text, size_t size)
{
    size_t before = lines->count ? lines->start[lines->count] : 0;
    lines->start[0] = 0;
    memcpy(lines->text + before, text, size);
    lines->text[before + size] = '\0';
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\n')
            lines->start[++lines->count] = (uint16_t)(before + i + 1);
}

/* Making and dropping changes. */

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

/* Before a change is applied again, and when it is freed. */
static void drop_effects(struct change *change)
{
    if (change->effects) {
        free(change->effects->lines);
        free(change->effects->config);
        pyr_fair_wipe(&change->effects->after.fair);
        free(change->effects);
    }
    change->effects = NULL;
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
    drop_effects(change);
    free(change);
}

/* The requester (a connection) has gone. Its changes stay in their queues, without anyone to answer and without a link to
 * it. */
void changes_abandon(struct change **asker)
{
    for (struct change *change = *asker, *next; change; change = next) {
        next = change->next_of_asker;
        change->answer = NULL;
        change->link_of_asker = NULL;
    }
    *asker = NULL;
}

/* What an apply function writes into the effects. */

/* The sink of a change: its game's lines, one after the other. PYR_ERR_TEXT_FULL: no memory. */
static enum pyr_err take_line(void *context, const struct pyr_edition *edition, const struct pyr_event *event)
{
    struct change_effects *effects = context;
    char line[PYR_MAX_LINE + 1];
    struct pyr_out out;
    pyr_out_init(&out, line, sizeof line);
    pyr_event_write(event, edition, &out);
    if (out.length >= sizeof line)
        return PYR_ERR_TEXT_LINE;
    if (effects->lines_size + out.length + 1 > effects->lines_room) {
        size_t room = 2 * effects->lines_room + out.length + 256;    /* a turn of four is about 300 bytes */
        char *grown = realloc(effects->lines, room);
        if (!grown)
            return PYR_ERR_TEXT_FULL;
        effects->lines = grown;
        effects->lines_room = room;
    }
    memcpy(effects->lines + effects->lines_size, line, out.length);
    effects->lines_size += out.length;
    effects->lines[effects->lines_size++] = '\n';
    return PYR_OK;
}

struct pyr_sink change_sink(struct change *change)
{
    return (struct pyr_sink){ take_line, change->effects };
}

/* Called by all code that may have added lines. If the game is over, the secret of the fair shuffle is added to the log
 * in the same change, and points and winners are noted for the rows of the seats. */
enum error change_note_game(struct change *change)
{
    struct change_effects *effects = change->effects;
    struct table_state *state = &effects->after;
    const struct pyr_game *game = &state->game;
    if (effects->lines_size && pyr_game_is_over(game)) {
        const struct pyr_sink sink = change_sink(change);
        const struct pyr_table *open = &game->replay.state.open;
        if (!daily_is_sealed(change->table) && pyr_fair_game_reveal(&state->fair, game, &sink))
            return ERROR_STORAGE;
        state->stage = STORE_OVER;
        state->winners = (uint8_t)pyr_table_winners(open, &game->edition->box);
        for (unsigned s = 0; s < state->seats; s++)
            state->points[s] = pyr_table_score(open, &game->edition->box, (pyr_seat)s).total;
        change_note_table(change);
        effects->stores_seats = true;
    }
    effects->readies = true;
    return ERROR_NONE;
}

void change_note_table(struct change *change)
{
    change->effects->stores_config = change->effects->announces = true;
}

/* People's choices are stored as they are made, so that a restart loses none; the phase is the number of lines before it.
 * The ids of the last messages are stored along with it (oldest first), so that every server recognises a message that is
 * sent again. */
void change_note_choice(struct change *change, pyr_seat seat, const char *text)
{
    struct store_commit *commit = &change->effects->commit;
    commit->has_choice = true;
    commit->choice.seat = seat;
    commit->choice.phase = change->table->log.count;
    memcpy(commit->choice.id, change->id, sizeof change->id);
    const struct seat *of = &change->effects->after.seat[seat];
    for (unsigned i = 0; i < STORE_IDS; i++) /* oldest first */
        commit->choice.ids[i] = of->ids[(of->next_id + i) % STORE_IDS];
    snprintf(commit->choice.text, sizeof commit->choice.text, "%s", text);
    struct table_state *after = &change->effects->after;
    after->stored = (uint8_t)((after->stored & ~(1u << seat)) | (text[0] ? 1u << seat : 0));
}

/* What is stored. */

/* The place of a seat: winners are first, by the rules that break ties; other seats come after all seats with more
 * points. */
static uint8_t place_of(const struct table_state *state, unsigned seat)
{
    unsigned ahead = 0, won = state->winners >> seat & 1;
    for (unsigned s = 0; s < state->seats && !won; s++)
        ahead += state->winners >> s & 1 || state->points[s] > state->points[seat];
    return (uint8_t)(1 + ahead);
}

/* Completed pyramids by colour, 8 bits each. */
static uint32_t pyramids_of(const struct table_state *state, unsigned seat)
{
    const struct pyr_box *box = &state->terms.edition->box;
    uint32_t pyramids = 0;
    for (unsigned c = 0; c < PYR_COLOURS; c++)
        pyramids |= (uint32_t)__builtin_popcountll(state->game.replay.state.open.desk[seat].done & box->colour[c]) << 8 * c;
    return pyramids;
}

/* The rows of the seats: the player, the number of other people and of bots, and the result. */
static void fill_seats(struct store_commit *commit, const struct table_state *state, bool ends)
{
    struct store_seat row = { .table = commit->table.id };
    unsigned best = 0, people = 0, bots = 0;
    for (unsigned s = 0; s < state->seats; s++) {
        const struct seat *seat = &state->seat[s];
        people += seat->kind == SEAT_PERSON;
        bots += seat->kind == SEAT_BOT;
        for (unsigned b = 0; seat->bot && b < pyr_bot_count(); b++)
            if (pyr_bot_at(b) == seat->bot && b >= best) {
                best = b;
                snprintf(row.level, sizeof row.level, "%s", seat->bot->name);
            }
    }
    /* Other people, from the point of view of a person at this table; statistics are kept by opponents. */
    row.people = (uint8_t)(people ? people - 1 : 0);
    row.bots = (uint8_t)bots;
    for (unsigned s = 0; s < state->seats; s++) {
        row.seat = (uint8_t)s;
        /* A visitor for whom a seat is kept finds the table by that row, too. */
        row.visitor = state->seat[s].kind == SEAT_PERSON || state->seat[s].kind == SEAT_FRIEND ? state->seat[s].visitor : 0;
        /* -1000 is below any score: a game without a result. A shared win counts as a share of one. */
        row.points = state->stage == STORE_OVER ? state->points[s] : -1000;
        row.share = state->winners >> s & 1 ? 1.0f / (float)__builtin_popcount(state->winners) : 0;
        if (ends) {
            row.made = state->changed;
            row.place = place_of(state, s);
            row.pyramids = pyramids_of(state, s);
        }
        commit->seat[s] = row;
    }
    commit->seats = state->seats;
    commit->is_rated = ends && state->terms.is_public && people > 1;
    commit->job.locks_results |= commit->is_rated;
}

/* Which message a person who asked for messages should get in this state. */
static uint8_t tell_what(const struct table *table, const struct table_state *state, unsigned seat)
{
    if (state->stage == STORE_OVER)
        return STORE_TELL_OVER;
    if (state->stage == STORE_CLOSED)
        return STORE_TELL_NO_MORE;
    return table_is_slow(table, state) && state_waits_for(state, seat) ? STORE_TELL_TURN : STORE_TELL_NOTHING;
}

/* The seat of someone who asked for messages; PYR_MAX_SEATS: none. */
static unsigned find_notified(const struct table_state *state, int64_t visitor)
{
    for (unsigned s = 0; s < state->seats; s++)
        if (state->seat[s].notify && state->seat[s].kind == SEAT_PERSON && state->seat[s].visitor == visitor)
            return s;
    return PYR_MAX_SEATS;
}

/* Only for players who want messages; at most tables there are none, and nothing is written. A new turn leads to a
 * message after REMIND_SECONDS; a choice closes it at once. */
static void fill_reminders(struct change *change)
{
    const struct table *table = change->table;
    const struct table_state *before = &table->now, *after = &change->effects->after;
    struct store_commit *commit = &change->effects->commit;
    for (unsigned s = 0; s < before->seats; s++)
        if (before->seat[s].notify && find_notified(after, before->seat[s].visitor) == PYR_MAX_SEATS)
            commit->reminder[commit->reminders++] = (struct store_told){ before->seat[s].visitor, STORE_TELL_NO_MORE, 0 };
    for (unsigned s = 0; s < after->seats; s++) {
        int64_t visitor = after->seat[s].visitor;
        if (find_notified(after, visitor) != s)
            continue;
        unsigned was = find_notified(before, visitor);
        uint8_t want = tell_what(table, after, s);
        bool is_same = was < PYR_MAX_SEATS && tell_what(table, before, was) == want;
        if (is_same && !(want == STORE_TELL_TURN && change->effects->lines_size))
            continue;
        commit->reminder[commit->reminders++] = (struct store_told){ visitor, want,
            server_time() + (want == STORE_TELL_NOTHING ? 0 : REMIND_SECONDS) };
    }
}

/* Which server is to run the table's bots and clock; 0: any that claims it. The present keeper stays, but between two
 * phases it gives the table away if other servers run the bots, and at once when it is stopping. */
static int64_t find_keeper(const struct change *change, int64_t due)
{
    const struct table *table = change->table;
    struct server *server = table->server;
    bool gives_away = server->shared && due == STORE_DUE_BOTS && server_leaves_bots(server);
    if (server->shared && server->stopping && (!table->keeper || table->keeper == server->node))
        return 0;
    if (table->keeper && !(gives_away && change->effects->lines_size && table->keeper == server->node))
        return table->keeper;
    return gives_away ? 0 : server->node;
}

/* The seats whose owners choose at the same time, perhaps at other servers: their choices may be stored before this one,
 * unless this one completes the phase. 0: the table must still have the revision known here. */
static uint8_t find_others(const struct change *change)
{
    const struct table *table = change->table;
    const struct change_effects *effects = change->effects;
    const struct table_state *state = &effects->after;
    unsigned others = pyr_game_waiting(&state->game);
    if (change->apply != apply_choose || effects->lines_size || effects->commit.is_alone || table->server->is_deaf)
        return 0;                            /* without announcements it has to fail with a conflict, and read */
    for (unsigned s = 0; s < state->seats; s++)
        if (seat_is_bots(&state->seat[s]))
            others &= ~(1u << s);
    return (uint8_t)(!others ? 0 : table->ahead > table->revision ? others | table->ahead_seats : others);
}

/* What the store's thread writes: it uses this and nothing else of the table. Another server may have claimed the table
 * since, which does not change its revision. So the keeper is written only by the keeper itself, or when the change gives
 * the table to another keeper. */
static void fill_commit(struct change *change)
{
    const struct table *table = change->table;
    struct change_effects *effects = change->effects;
    struct store_commit *commit = &effects->commit;
    const struct table_state *state = &effects->after;
    commit->table = (struct store_table){ .id = table->id, .state = state->stage, .created = table->created,
        .changed = state->changed, .config = effects->config, .host = table->host, .is_public = state->terms.is_public,
        .revision = table->revision, .due = table_due(table, state, effects->lines_size > 0) };
    int64_t keeper = find_keeper(change, commit->table.due);
    bool is_same = keeper == table->keeper;
    commit->keeps_due = commit->table.due == table->due && is_same;
    commit->table.keeper = is_same && keeper != table->server->node && !change->is_new ? STORE_SAME_KEEPER : keeper;
    commit->is_alone = change->is_new || presence_is_alone(table);
    commit->calls = table->server->shared && !keeper && commit->table.due == STORE_DUE_BOTS;
    commit->others = find_others(change);
    memcpy(commit->table.code, table->code, sizeof table->code);
    commit->made = state->changed;
    if (change->is_new) {
        commit->most = table->daily.is_counted ? 0 : table->server->options.max_tables_per_visitor;
        commit->most_open = table->server->shared ? table->server->options.max_tables : 0;
        commit->asker = table->asker;
        memcpy(commit->request, change->id, sizeof change->id);
        commit->node = table->server->node;
    }
    daily_fill_commit(change);
    commit->job.locks_results = commit->attempt.what == STORE_ATTEMPT_ENDS;
    commit->stores_public = !change->is_new && state->terms.is_public != table->now.terms.is_public;
    commit->lines = effects->lines;
    commit->lines_size = effects->lines_size;
    commit->first_line = table->log.count;
    if (effects->stores_seats || change->is_new)
        fill_seats(commit, state, table->now.stage == STORE_RUNNING && state->stage == STORE_OVER);
    fill_reminders(change);
}

/* The queue. */

static void advance(struct table *table);
static bool take_news(struct table *table);

/* Counts the time until a choice was stored. */
static void count_time(struct server *server, const struct change *change)
{
    static const int bounds[] = { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000 };
    double ms = (double)(uv_hrtime() - change->begun) / 1e6;
    unsigned i = 0;
    while (i < sizeof bounds / sizeof *bounds && ms > bounds[i])
        i++;
    server->count.answer_ms[i]++;
    server->count.answer_sum += ms / 1000;
}

/* The revision of a change that was stored. If choices of others were stored before it and their announcements are still
 * on the way, the table keeps its revision until they arrive; the choice itself counts at once. */
static void note_revision(struct table *table, const struct store_commit *commit)
{
    if (table->revision && commit->after.revision > table->revision + 1) {
        uint8_t before = table->ahead > table->revision ? table->ahead_seats : 0;
        table->ahead_seats = (uint8_t)(before | 1u << commit->choice.seat);
        table->ahead = commit->after.revision;
        return;
    }
    table->revision = commit->after.revision;
    table->due = commit->table.due;
    if (commit->table.keeper != STORE_SAME_KEEPER)
        table->keeper = commit->table.keeper;
}

/* Replaces the table's state by what was stored. */
static void put_in_place(struct change *change)
{
    struct table *table = change->table;
    const struct change_effects *effects = change->effects;
    bool was_open = table->now.stage <= STORE_RUNNING, is_open = effects->after.stage <= STORE_RUNNING;
    if (effects->lines_size)
        table_log_add(&table->log, effects->lines, effects->lines_size);
    if (was_open && !is_open)
        table_count_out(table);
    if (table->now.stage == STORE_RUNNING && effects->after.stage == STORE_OVER)
        table->server->count.games++;
    table->now = effects->after;
    if (effects->is_stored) {
        table->id = effects->commit.after.id;
        note_revision(table, &effects->commit);
        table->untold = effects->commit.is_alone;
        if (change->is_new)
            table->presence.known = table->server->listens;    /* no other server can have the table yet */
        presence_tell(table);
    }
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

/* The end of every change, successful or not: it leaves the queue and its effects are put in place, then the requester is
 * answered, then the observers are notified. The answer is sent first so that a client gets `done` before the lines that
 * follow from its choice. */
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
        table_notify(table);
    change_free(change);
}

/* The table was read again for its first change, which is now applied again. */
static void table_read_again(struct table *table, enum error error)
{
    static const struct problem none = { 0 };
    if (error)
        change_finish(table->changes, error, &none);
    else
        table->changes->verified = true;
    advance(table);
}

/* A query without a result: while it runs, the announcement of another server's change has time to arrive. */
struct pause {
    struct store_job job;
    struct table *table;
    char code[CODE_SIZE + 1];
    int64_t revision;
};

static enum store_result run_pause(struct store_db *db, struct store_job *job)
{
    struct pause *pause = (struct pause *)job;
    return store_get_revision(db, pause->code, &pause->revision);
}

static void pause_done(struct store_job *job, enum store_result result)
{
    struct pause *pause = (struct pause *)job;
    struct table *table = pause->table;
    (void)result;                            /* reading the table will show it */
    table->busy = false;
    if (!table->gone && (take_news(table) || !table_refresh(table, table_read_again)))
        advance(table);
    table_release(table);
    free(pause);
}

/* Another server has changed the table, and its announcement may be on its way. Waiting for it costs much less than
 * reading the table. */
static bool table_pause(struct table *table)
{
    struct pause *pause = calloc(1, sizeof *pause);
    if (!pause)
        return false;
    *pause = (struct pause){ .job = { .run = run_pause, .done = pause_done }, .table = table };
    memcpy(pause->code, table->code, sizeof pause->code);
    table->busy = true;
    table->jobs++;
    store_submit(table->server->store, &pause->job);
    return true;
}

/* Another server has changed the table. True: the change will be applied again, at once if that change was already
 * announced, or after the table was read again. */
static bool meet_newer(struct change *change)
{
    struct table *table = change->table;
    drop_effects(change);
    if (++change->tries > MOST_TRIES)
        return false;
    if (!take_news(table))
        return (!table->server->is_deaf && table_pause(table)) || table_refresh(table, table_read_again);
    advance(table);
    return true;
}

/* The store's result, in the loop's thread. A table that was never stored (is_void) does not exist and is freed. */
static void change_stored(struct store_job *job, enum store_result result)
{
    struct change *change = ((struct change_effects *)job)->change;
    struct table *table = change->table;
    static const struct problem none = { 0 };
    table->busy = false;
    bool is_limit = change->is_new && result == STORE_LIMIT, is_taken = change->is_new && result == STORE_TAKEN;
    if (result == STORE_CONFLICT && !change->is_new && !table->gone && meet_newer(change))
        return;
    if (is_limit && !change->verified) {
        change->verified = true;
        drop_effects(change);
        if (table_wait_for_room(table))
            return;
    }
    if (result && !is_limit && !is_taken)
        server_log(table->server, LOG_ERROR, "storage", "table=%lld result=%d", (long long)table->id, (int)result);
    bool is_void = change->is_new && result;
    if (change->effects)
        change->effects->is_stored = !result;
    enum error error = is_limit ? ERROR_TOO_MANY : is_taken ? ERROR_ATTEMPTED : result ? ERROR_STORAGE : ERROR_NONE;
    change_finish(change, error, &none);
    if (is_void || table->gone)
        table_forget(table);
    else
        advance(table);
}

/* Applies the request and fills in the effects; with *stores they have to be stored. */
static enum error find_effects(struct change *change, struct problem *problem, bool *stores)
{
    struct table *table = change->table;
    struct change_effects *effects = change->effects = calloc(1, sizeof *effects);
    if (!effects)
        return ERROR_STORAGE;
    effects->change = change;
    effects->after = table->now;
    enum error error = change->apply(change, problem);
    if (error)
        return error;
    if (effects->lines_size)
        effects->after.stored = 0;           /* a phase begins */
    bool has_config = effects->stores_config || change->is_new;
    if (has_config || effects->lines_size || effects->commit.has_choice)
        effects->after.changed = effects->commit.choice.made = server_time();
    if (has_config && !(effects->config = config_write(table, &effects->after)))
        return ERROR_STORAGE;
    /* Once stored, the lines have to be added, so the memory for them is allocated before. */
    if (effects->lines_size && !table_log_reserve(&table->log, effects->lines, effects->lines_size))
        return ERROR_STORAGE;
    *stores = effects->config || effects->lines_size || effects->commit.has_choice || effects->stores_seats;
    return ERROR_NONE;
}

/* Works through the queue until it is empty or a change has to be stored. On a shared database a refusal may be caused by
 * an outdated state in memory, so the table is first read again once (`verified`). When the queue is empty, announced
 * changes of other servers are read, and bots and clock are started. */
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
        if (table->server->shared && change->answer && !change->is_new && !change->verified) {
            change->verified = true;
            drop_effects(change);
            if (table_refresh(table, table_read_again))
                continue;
        }
        change_finish(change, problem.error, &problem);
        if (is_void && problem.error) {
            table_forget(table);
            return;
        }
    }
    if (!table->busy && table->newest > table->revision && table->revision && !table->gone) {
        table_note_news(table, table->newest, NULL);       /* this may free the table: nothing may follow */
        return;
    }
    if (!table->busy)
        table_wake(table);
}

void changes_continue(struct table *table)
{
    advance(table);
}

static void caught_up(struct table *table, enum error error)
{
    if (error)                               /* the next announcement or comparison tries again */
        table->newest = 0;
    advance(table);
}

/* Announcements of other servers. */

#define MOST_NEWS 8              /* changes that are kept while the table is busy; with more than that the table is read
                                    again */

struct table_news {
    struct table_news *next;
    int64_t revision;
    char more[];
};

/* Those up to `revision` are no longer needed. */
void table_drop_news(struct table *table)
{
    for (struct table_news *news; (news = table->news) && (news->revision <= table->revision || table->gone);) {
        table->news = news->next;
        free(news);
    }
}

/* Without memory, or if there are too many, the table is read again later. */
static void keep_news(struct table *table, int64_t revision, const char *more)
{
    struct table_news **end = &table->news;
    unsigned count = 0;
    table_drop_news(table);
    for (; *end && (*end)->revision < revision; end = &(*end)->next)
        count++;
    if (count >= MOST_NEWS || (*end && (*end)->revision == revision))
        return;
    size_t size = strlen(more) + 1;
    struct table_news *news = malloc(sizeof *news + size);
    if (!news)
        return;
    news->revision = revision;
    news->next = *end;
    memcpy(news->more, more, size);
    *end = news;
}

/* A stored choice of a person that does not end the phase (otherwise there would be lines). Bots' choices are not stored;
 * they are submitted again. A choice that a player made before leaving is stored, and stays. */
static bool take_choice(struct table_state *state, const struct store_news *news)
{
    struct pyr_game *game = &state->game;
    pyr_seat seat = news->seat;
    for (unsigned s = 0; s < state->seats; s++)
        if (s == seat || (seat_is_bots(&state->seat[s]) && !(state->stored >> s & 1)))
            game->choice[s] = (struct pyr_pending){ 0 };
    state->stored &= (uint8_t)~(1u << seat);
    if (!news->text[0])
        return true;
    state->stored |= (uint8_t)(1u << seat);
    return !pyr_game_choose(game, seat, news->text, NULL, NULL) && !pyr_game_confirm(game, seat, NULL) &&
        game->choice[seat].confirmed;
}

/* Applies one announced change; false: it cannot be parsed, and nothing has changed. The end of a game is not applied but
 * read. */
static bool take_one(struct table *table, const struct table_news *one)
{
    struct store_news news;
    if (one->revision != table->revision + 1 || table->now.stage != STORE_RUNNING || !store_read_news(one->more, &news) ||
        news.first_line != table->log.count || news.seat >= table->now.seats)
        return false;
    static struct table_state copy;          /* safe: only the loop's thread gets here */
    struct table_state *after = &copy;
    *after = table->now;
    unsigned waiting = pyr_game_waiting(&table->now.game);
    bool good = news.lines_size ? table_advance_game(after, news.lines, news.lines_size) &&
        !pyr_game_is_over(&after->game) && table->log.start[table->log.count] + news.lines_size <= PYR_LOG_SIZE &&
        table_log_reserve(&table->log, news.lines, news.lines_size) : take_choice(after, &news);
    if (good) {
        if (news.has_choice && !seat_knows(table, &after->seat[news.seat], news.id))
            seat_remember(table, &after->seat[news.seat], news.id);
        if (after->changed < news.made)
            after->changed = news.made;
        table->now = *after;
        if (news.lines_size) {
            table_log_add(&table->log, news.lines, news.lines_size);
            table->deadline = 0;
            table->spent = table_spent(table, news.made);
        }
        table->revision = one->revision;
        table->due = news.due;
        if (news.keeper != STORE_SAME_KEEPER)
            table->keeper = news.keeper;
        table->ready += news.lines_size || waiting != pyr_game_waiting(&table->now.game);
    }
    pyr_fair_wipe(&after->fair);
    return good;
}

/* Applies announced changes to the table, as far as they follow its revision; false: nothing has changed. Only the
 * table's first change may be under way. */
static bool take_news(struct table *table)
{
    static struct pyr_game game;
    int64_t before = table->revision;
    uint32_t lines = table->log.count;
    table_drop_news(table);
    if (table->news)
        game = table->now.game;
    while (table->news && take_one(table, table->news))
        table_drop_news(table);
    bool is_newer = table->revision != before;
    if (is_newer) {
        table->server->count.news++;
        table_notify(table);
        if (lines == table->log.count)
            table_keep_bots_choices(table, &game);
    }
    return is_newer;
}

/* If no client here needs the table, forgetting it is cheaper than reading it again. */
void table_note_news(struct table *table, int64_t revision, const char *more)
{
    if (revision <= table->revision || table->gone || !table->revision)
        return;
    if (revision > table->newest)
        table->newest = revision;
    if (more)
        keep_news(table, revision, more);
    if (table->busy || table->changes)
        return;                              /* advance() will return to it */
    bool is_needed = table->observers || table->jobs || table->address || (table->keeper && table_is_kept_here(table));
    if (!is_needed)
        table_forget(table);
    else if (take_news(table))
        advance(table);                      /* returns here if that was not all */
    else
        table_refresh(table, caught_up);
}

/* Takes over the change. It may be applied, answered and freed before this returns. */
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
