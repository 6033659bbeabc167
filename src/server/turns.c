/*
 * turns.c: a running game: choices of people and bots, the clock, and due tasks of a table; see change.h.
 *
 * A phase is identified by the number of lines in the log: every message about a choice names it, so a late message is
 * refused (ERROR_LATE) and cannot be taken for a choice of the next phase.
 *
 * On a shared database only the keeper of a table runs its bots and its clock (table_is_kept_here). Bots' choices are
 * in memory until the phase is complete; after a restart they are made again.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "change.h"
#include "daily.h"
#include "pool.h"
#include "server.h"

#define FORGET_MS 60000          /* a table without observers leaves the memory after this time */
#define WAITING_SECONDS (3 * 86400) /* a table that waits for players is closed after three days */
#define CORRESPONDENCE_SECONDS (60 * 86400) /* a game without a clock is given up after two months: bots then finish it */
#define SLOW_SECONDS 600         /* a clock of at least this leaves enough time to call a player back to the table */
#define GRACE_MS 10000           /* the least time left on a clock after a restart, since players have to reconnect first */

/* Choices. */

/* What `choose` and `retract` share: finds the seat that the visitor chooses for. ERROR_NONE with *again: the message has
 * taken effect before. */
static enum error check_phase(const struct change *change, pyr_seat *seat, bool *again)
{
    const struct table *table = change->table;
    const struct table_state *state = &change->effects->after;
    uint32_t phase = change->request.phase;
    *seat = table_seat_of(table, change->request.visitor);
    if (*seat >= PYR_MAX_SEATS)
        return ERROR_NOT_SEATED;
    *again = seat_knows(table, &state->seat[*seat], change->id);
    if (*again)
        return ERROR_NONE;
    if (state->stage == STORE_WAITING)
        return ERROR_NOT_RUNNING;
    if (phase != table->log.count)
        return phase < table->log.count ? ERROR_LATE : ERROR_NOT_DUE;
    if (daily_is_expired(table))
        return ERROR_NOT_RUNNING;
    return state->stage == STORE_RUNNING ? ERROR_NONE : ERROR_NOT_RUNNING;
}

/* Notes that a person has made a choice, or taken it back (""). */
static void note_persons_choice(struct change *change, pyr_seat seat, const char *text)
{
    seat_remember(change->table, &change->effects->after.seat[seat], change->id);
    seat_come_back(change, seat);
    change_note_choice(change, seat, text);
}

/* pyr_game_choose reads the whole choice and enters it; a take or a draw completes the phase at once, so there may be
 * lines before the confirmation. A message that took effect before (`again`) is answered `done` once more and changes
 * nothing. */
enum error apply_choose(struct change *change, struct problem *problem)
{
    const struct pyr_sink sink = change_sink(change);
    const char *text = change->request.text;
    struct pyr_game *game = &change->effects->after.game;
    bool again = false;
    pyr_seat seat;
    enum error error = check_phase(change, &seat, &again);
    if (error || again)
        return error;
    enum pyr_err err = pyr_game_choose(game, seat, text, &problem->fault, &sink);
    if (!err && !change->effects->lines_size)
        err = pyr_game_confirm(game, seat, &sink);
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
    note_persons_choice(change, seat, text);
    change->table->server->count.choices++;
    return change_note_game(change);
}

/* Only while the phase is open: once all have confirmed, the choice is in the log, and the phase number differs. */
enum error apply_retract(struct change *change, struct problem *problem)
{
    bool again = false;
    pyr_seat seat;
    enum error error = check_phase(change, &seat, &again);
    (void)problem;
    if (error || again)
        return error;
    if (pyr_game_retract(&change->effects->after.game, seat))
        return ERROR_NO_CHOICE;
    note_persons_choice(change, seat, "");
    return change_note_game(change);
}

/* The clock has run out, or weeks have passed: bots choose for players who have not. */
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
        change_note_table(change);
    }
    return ERROR_NONE;
}

bool seat_is_bots(const struct seat *seat)
{
    return seat->kind == SEAT_BOT || seat->away;
}

/* A stand-in's choice is refused if the person has come back or chosen meanwhile. */
static enum error apply_bot_choice(struct change *change, struct problem *problem)
{
    const struct pyr_sink sink = change_sink(change);
    const struct change_request *request = &change->request;
    struct table_state *state = &change->effects->after;
    struct pyr_game *game = &state->game;
    pyr_seat seat = request->seat;
    enum pyr_err err = PYR_OK;
    (void)problem;
    if (request->phase != change->table->log.count || state->stage != STORE_RUNNING ||
        !(pyr_game_waiting(game) >> seat & 1) || !seat_is_bots(&state->seat[seat]))
        return ERROR_LATE;
    pyr_game_clear(game, seat);
    for (unsigned i = 0; i < request->steps && !err; i++)
        err = pyr_game_step(game, seat, request->step[i], &sink);
    if (!err && !change->effects->lines_size)
        err = pyr_game_confirm(game, seat, &sink);
    if (err)
        return err == PYR_ERR_TEXT_FULL ? ERROR_STORAGE : ERROR_ILLEGAL;
    return change_note_game(change);
}

/* Bots submit steps instead of text: they were found on the same game, and are checked again when they are applied. */
void change_submit_bot(struct table *table, pyr_seat seat, uint32_t phase, const pyr_step *step, unsigned steps)
{
    struct change *change = change_new(table, apply_bot_choice);
    if (!change || !(change->request.step = malloc((steps + 1) * sizeof *step))) {
        change_free(change);                 /* without memory the choice is made again later */
        return;
    }
    memcpy(change->request.step, step, steps * sizeof *step);
    change->request.steps = (uint8_t)steps;
    change->request.seat = seat;
    change->request.phase = phase;
    change_submit(change, NULL, NULL);
}

/* Bots and clocks. */

/*
 * The address that is charged for the bots of a table: the one that made the table; for a table from the database, that
 * of the first player who connects. Until then the host's.
 */
static uint64_t owner_of(struct table *table)
{
    for (const struct table_observer *observer = table->observers; observer && !table->owner; observer = observer->next)
        if (observer->address && table_seat_of(table, observer->visitor) < PYR_MAX_SEATS)
            table->owner = observer->address;
    return table->owner ? table->owner : server_hash(table->server, &table->host, sizeof table->host);
}

/* Whether other servers on the same database should run the bots: if this one has no threads for bots, if there is a
 * server that only runs bots, or if this one is busy and not alone. */
bool server_leaves_bots(const struct server *server)
{
    if (server->options.thinks_only)
        return false;
    return !server->options.bot_threads || server->thinkers ||
        (server->nodes.count > 1 && server->pool && pool_is_busy(server->pool));
}

/* Without memory the next tick tries again. */
static void think(struct table *table, unsigned seat)
{
    struct ask *ask = &table->ask[seat];
    const struct seat *at = &table->now.seat[seat];
    if (ask->job.link || ask->thinking)
        return;
    ask->table = table;
    ask->edition = table->now.terms.edition;
    ask->bot = at->bot ? at->bot : pyr_bot_find(STANDIN);
    ask->job.address = owner_of(table);
    ask->job.visitor = table->host;
    ask->job.watched = table_is_awaited(table);
    pool_submit_bot(table->server->pool, ask);
}

/* In the loop. The bot_job has a copy of the game, with its own seed; the thread never uses the table. `jobs` keeps the
 * table in memory until table_bot_job_done. */
struct bot_job *table_begin_bot_job(struct ask *ask)
{
    struct table *table = ask->table;
    unsigned seat = (unsigned)(ask - table->ask);
    if (!(table_waiting(table) >> seat & 1) || !seat_is_bots(&table->now.seat[seat]))
        return NULL;                         /* the person has come back */
    struct bot_job *bot_job = malloc(sizeof *bot_job);
    if (!bot_job)
        return NULL;
    bot_job->game = table->now.game;
    pyr_game_clear(&bot_job->game, (pyr_seat)seat);      /* removes the draft of a choice that a person took back */
    bot_job->phase = table->log.count;
    bot_job->seat = (pyr_seat)seat;
    bot_job->steps = 0;
    bot_job->is_fixed = table->daily.day;
    if (bot_job->is_fixed)
        bot_job->seed = pyr_daily_seed(table->now.fair.secret, &bot_job->game.replay.state.open, (pyr_seat)seat);
    else
        randombytes_buf(&bot_job->seed, sizeof bot_job->seed);
    table->jobs++;
    return bot_job;
}

/* In the loop. The choice is submitted like a person's and may be refused as late. */
void table_bot_job_done(struct bot_job *bot_job)
{
    struct table *table = bot_job->ask->table;
    table->jobs--;
    if (table->gone) {
        free(bot_job);
        table_forget(table);
        return;
    }
    change_submit_bot(table, bot_job->seat, bot_job->phase, bot_job->step, bot_job->steps);
    free(bot_job);
}

/* Only for a table with a clock. */
static unsigned clock_seconds(const struct table *table)
{
    const struct server_options *options = &table->server->options;
    return table->now.terms.clock == CLOCK_QUICK ? options->quick_seconds : options->relaxed_seconds;
}

bool table_is_slow(const struct table *table, const struct table_state *state)
{
    const struct server_options *options = &table->server->options;
    return !state->terms.clock ||
        (state->terms.clock == CLOCK_QUICK ? options->quick_seconds : options->relaxed_seconds) >= SLOW_SECONDS;
}

bool state_waits_for(const struct table_state *state, unsigned seat)
{
    unsigned others = 0;
    for (unsigned s = 0; s < state->seats; s++)
        others += s != seat && state->seat[s].kind == SEAT_PERSON && !state->seat[s].away;
    return state->stage == STORE_RUNNING && others && state->seat[seat].kind == SEAT_PERSON && !state->seat[seat].away &&
        pyr_game_waiting(&state->game) >> seat & 1;
}

/*
 * Bots' choices are not stored before the phase is complete, so a running table with bots is due at once for any server
 * that reads it. The time is rounded to days, so that a choice mostly leaves the stored value unchanged.
 */
int64_t table_due_at_rest(const struct table *table, const struct table_state *state)
{
    if (state->stage == STORE_WAITING)
        return state->changed + WAITING_SECONDS;
    if (state->stage != STORE_RUNNING)
        return 0;
    if (daily_expires(table))
        return daily_expires(table);
    return state->terms.clock ? table->due : (state->changed / 86400 + 2) * 86400 + CORRESPONDENCE_SECONDS;
}

/* 1 means "at once": any time in the past would do, and a constant leaves the stored row unchanged from change to change. */
int64_t table_due(const struct table *table, const struct table_state *state, bool new_phase)
{
    for (unsigned s = 0; s < state->seats && state->stage == STORE_RUNNING; s++)
        if (seat_is_bots(&state->seat[s]))
            return STORE_DUE_BOTS;
    if (state->stage != STORE_RUNNING || !state->terms.clock)
        return table_due_at_rest(table, state);
    return new_phase || table->due <= STORE_DUE_BOTS ? state->changed + clock_seconds(table) : table->due;
}

/* The time for a phase that begins, or continues after a restart, in milliseconds. */
static uint64_t time_for(struct table *table)
{
    uint64_t whole = 1000 * (uint64_t)clock_seconds(table);
    uint64_t left = table->spent < whole ? whole - table->spent : 0, least = whole < GRACE_MS ? whole : GRACE_MS;
    table->spent = 0;
    return left > least ? left : least;
}

/* Safe to call at any time: bots that were asked already are not asked again, and a running clock keeps its deadline. */
void table_wake(struct table *table)
{
    struct server *server = table->server;
    const struct table_state *state = &table->now;
    unsigned waiting = table_waiting(table), people = 0;
    if (state->stage != STORE_RUNNING || server->stopping || !server->pool)
        return;
    for (unsigned s = 0; s < state->seats; s++) {
        if (!(waiting >> s & 1))
            continue;
        if (!seat_is_bots(&state->seat[s]))
            people |= 1u << s;
        else if (table_is_kept_here(table))
            think(table, s);
    }
    if (!people)
        table->deadline = table->spent = 0;
    else if (table->now.terms.clock && !table->deadline)
        table->deadline = server_now(server) + time_for(table);
}

/* Handles what has become due. */
static void check_clock(struct table *table)
{
    struct server *server = table->server;
    uint64_t now = server_now(server);
    bool is_late = table->deadline && now >= table->deadline && table_is_kept_here(table);
    if (table->busy || table->changes)
        return;
    if (table->now.stage == STORE_RUNNING && daily_is_expired(table)) {
        if (table_is_kept_here(table))
            daily_close(table);
    } else if (table->now.stage == STORE_RUNNING) {
        if (!table->deadline && !table->now.terms.clock && !table->observers &&
            server_time() - table->now.changed >= CORRESPONDENCE_SECONDS)
            is_late = true;
        if (!is_late) {
            table_wake(table);               /* asks again for bots that could not be asked */
            return;
        }
        table->deadline = 0;
        struct change *change = change_new(table, apply_late);
        if (change) {
            change->request.phase = table->log.count;
            change_submit(change, NULL, NULL);
        }
    } else if (table->now.stage == STORE_WAITING) {
        if (table->observers || server_time() - table->now.changed < WAITING_SECONDS)
            return;
        struct change *change = change_new(table, apply_close);
        if (change)
            change_submit(change, NULL, NULL);
    }
}

/* Nothing is under way, and there is nothing to do until a client connects or the table is due. */
static bool is_at_rest(const struct table *table)
{
    unsigned waiting = table_waiting(table);
    if (table->observers || table->jobs || table->busy || table->changes || !table->idle ||
        server_now(table->server) - table->idle <= FORGET_MS)
        return false;
    if (table->now.stage != STORE_RUNNING)
        return true;
    for (unsigned s = 0; s < table->now.seats; s++)
        if (waiting >> s & 1 && seat_is_bots(&table->now.seat[s]))
            return false;
    return !table->deadline;
}

/* Called for every table in memory at each tick of the server; each test is cheap. */
void table_tick(struct table *table)
{
    check_clock(table);
    presence_update(table);
    if (is_at_rest(table))
        table_drop(table);
}
