/*
 * arena.c: many games between bots on several threads; see arena.h. Used by `pyramids sim`.
 *
 * A game is determined by the seed and its number alone: stream 2 * shuffle of the generator deals, stream 2 * game + 1
 * is for the bots. So results do not depend on the number of threads, and a single game can be played again.
 *
 * Threads take the next number under `lock` and write their result to its own place; everything a thread works with is
 * in its struct worker. Records are written only on request, by playing the noted steps again on a match.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "cli.h"
#include "outside.h"

#define MOST_STEPS 2048          /* each space is marked once, and there are few other steps */
#define MOST_STARTS 3            /* of an outside bot in one game; after that its choices are random */

/* A game as it was played: enough to write its record. */
struct played {
    struct pyr_chance chance;
    unsigned steps;
    pyr_seat seat[MOST_STEPS];
    pyr_step step[MOST_STEPS];
};

/* What one thread works with. */
struct worker {
    struct arena_pool *pool;
    void *memory[PYR_MAX_SEATS]; /* by entry */
    struct outside outside[PYR_MAX_SEATS];
    /* Lines of the log that an outside bot has been sent; UINT32_MAX: none, not even the first. */
    uint32_t told[PYR_MAX_SEATS];
    unsigned starts[PYR_MAX_SEATS];
    struct pyr_match *match;     /* for records and outside bots; may be NULL */
    struct played *played;
};

struct arena_pool {
    const struct arena *arena;
    unsigned threads;
    struct worker *worker;

    pthread_mutex_t lock;        /* for the following members */
    uint64_t first, next, end, finished; /* games of this call: numbers, and how many are over */
    struct arena_result *result; /* one result per player for each game, from `first` on */
    bool failed;
};

/* Checks a program that is given by its path alone, and prints what is wrong with it. A command with arguments is for the
 * shell, which reports it when it is run. */
static bool is_program(const char *command)
{
    struct stat at;
    if (strcspn(command, " \t\n\"'`\\$&|;<>()*?[]{}~#!=%") != strlen(command))
        return true;
    int error = stat(command, &at) ? errno : S_ISDIR(at.st_mode) ? EISDIR : access(command, X_OK) ? errno : 0;
    if (error)
        cli_error("%s: %s", command, pyr_text_system(error));
    return !error;
}

/* The names are taken from `list`, comma-separated; if there are fewer than players, they are repeated in order. A
 * name that is not a bot's and contains a slash is the path of a program. Returns an exit code, after a message if it
 * is not CLI_GOOD. */
int arena_find_bots(struct arena *arena, const char *list)
{
    unsigned named = 0;
    for (const char *at = list; at; named++) {
        const char *comma = strchr(at, ',');
        size_t length = comma ? (size_t)(comma - at) : strlen(at);
        if (named == arena->players) {
            cli_error(_("more bots than players (%u)"), arena->players);
            return CLI_USAGE;
        }
        struct arena_entry *entry = &arena->entry[named];
        if (length >= sizeof entry->name) {
            cli_error(_("a bot's name is longer than %d bytes"), (int)sizeof entry->name - 1);
            return CLI_USAGE;
        }
        memcpy(entry->name, at, length);
        entry->name[length] = '\0';
        entry->bot = pyr_bot_find(entry->name);
        if (!entry->bot && !strchr(entry->name, '/')) {
            char names[512] = "";
            for (unsigned i = 0; i < pyr_bot_count(); i++)
                snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? " " : "", pyr_bot_at(i)->name);
            cli_error(_("unknown bot '%s'; give the path of a program, such as ./mybot, or choose from: %s"),
                entry->name, names);
            return CLI_USAGE;
        }
        if (!entry->bot && !is_program(entry->name))
            return CLI_WRONG;
        at = comma ? comma + 1 : NULL;
    }
    for (unsigned s = named; s < arena->players; s++)
        arena->entry[s] = arena->entry[s % named];
    return CLI_GOOD;
}

/* The entry that plays in a seat, and the shuffle of a game. Seats rotate from game to game, so with duplicate games
 * every entry plays every seat of the same shuffle. */
static unsigned entry_of(const struct arena *arena, uint64_t game, unsigned seat)
{
    return (unsigned)((seat + game) % arena->players);
}

static uint64_t shuffle_of(const struct arena *arena, uint64_t game)
{
    return arena->duplicate ? game / arena->players : game;
}

/* An entry without a bot is a program. */
static bool has_outside(const struct arena *arena)
{
    for (unsigned e = 0; e < arena->players; e++)
        if (!arena->entry[e].bot)
            return true;
    return false;
}

/* Records. */

/* Starts the worker's match with these cards. Players are named after their entry and its number, so that two of the same
 * bot can be distinguished in a record. */
static enum pyr_err begin_match(struct worker *worker, uint64_t game, const struct pyr_chance *chance)
{
    const struct arena *arena = worker->pool->arena;
    char name[PYR_MAX_SEATS][PYR_MAX_PLAYER_NAME + 1];
    const char *names[PYR_MAX_SEATS];
    for (unsigned s = 0; s < arena->players; s++) {
        unsigned entry = entry_of(arena, game, s);
        snprintf(name[s], sizeof name[s], "%.100s %u", arena->entry[entry].name, entry + 1);
        names[s] = name[s];
    }
    return pyr_match_init(worker->match, arena->edition, arena->players, names, chance);
}

/* A complete choice is confirmed at once: bots never take it back. */
static enum pyr_err match_step(struct pyr_match *match, pyr_seat seat, pyr_step step)
{
    enum pyr_err err = pyr_match_step(match, seat, step);
    if (!err && pyr_match_is_ready(match, seat))
        err = pyr_match_confirm(match, seat);
    return err;
}

/* Always false, so that a caller can return it. */
static bool fail_game(uint64_t game, enum pyr_err err)
{
    char sentence[256];
    pyr_text_error(err, sentence, sizeof sentence);
    cli_error(_("game %llu: %s"), (unsigned long long)game + 1, sentence);
    return false;
}

/* Files are numbered like the games, from 1, with six digits, so that they sort. */
static bool write_record(const struct worker *worker, uint64_t game)
{
    const struct arena *arena = worker->pool->arena;
    const struct pyr_log *log = &worker->match->log;
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/%06llu.pyr", arena->records, (unsigned long long)game + 1) >= sizeof path) {
        cli_error(_("%s: the path is too long"), arena->records);
        return false;
    }
    return cli_write(path, log->text, log->start[log->lines]);
}

/* Plays the noted steps again on a match, which writes the text. Games without records need no match. */
static bool note_record(struct worker *worker, uint64_t game)
{
    const struct played *played = worker->played;
    enum pyr_err err = begin_match(worker, game, &played->chance);
    for (unsigned i = 0; i < played->steps && !err; i++)
        err = match_step(worker->match, played->seat[i], played->step[i]);
    return err ? fail_game(game, err) : write_record(worker, game);
}

/* Choices. */

/* A view contains only what the seat may know, so a bot cannot cheat. Only the choice itself counts as the bot's
 * time. */
static pyr_step choose_step(struct worker *worker, unsigned entry, const struct pyr_state *state, pyr_seat seat,
    struct pyr_rng *rng, struct arena_result *result)
{
    const struct arena *arena = worker->pool->arena;
    const struct arena_entry *e = &arena->entry[entry];
    struct pyr_view view;
    pyr_view_init(&view, state, seat);
    double start = cli_seconds();
    pyr_step step = e->bot->choose(worker->memory[entry], &arena->edition->box, &view, rng, &arena->budget);
    result[entry].seconds += cli_seconds() - start;
    result[entry].moves++;
    return step;
}

/* Sends an outside bot the new lines that its seat may see. If the program is not running, starts it and sends all lines
 * from the first. All of that must be done within `seconds`. False: it could not be started or does not read. */
static bool send_outside(struct worker *worker, unsigned entry, pyr_seat seat, double seconds)
{
    const struct pyr_match *match = worker->match;
    struct outside *outside = &worker->outside[entry];
    if (!outside->process) {
        if (worker->starts[entry] == MOST_STARTS || !outside_start(outside))
            return false;
        worker->starts[entry]++;
        worker->told[entry] = 0;
    }
    double deadline = cli_seconds() + seconds;
    for (; worker->told[entry] < match->log.lines; worker->told[entry]++) {
        struct pyr_word line = pyr_match_line(match, worker->told[entry]);
        if (pyr_match_line_is_visible(match, worker->told[entry], seat) &&
            !outside_send(outside, line.at, line.length + 1, deadline - cli_seconds()))
            return false;
    }
    return true;
}

/* Whether the shell reported that the program does not exist or cannot be run. */
static bool cannot_start(const struct outside *outside)
{
    return !outside->has_answered && WIFEXITED(outside->status) &&
        (WEXITSTATUS(outside->status) == 126 || WEXITSTATUS(outside->status) == 127);
}

/* Gives up, since results without this program would be worthless. Printed once for all threads. `failed` also ends the
 * other threads' games. */
static void fail_start(struct arena_pool *pool, const struct outside *outside)
{
    pthread_mutex_lock(&pool->lock);
    if (!pool->failed)
        cli_error(_("%s: the program cannot be started (exit code %d)"), outside->command, WEXITSTATUS(outside->status));
    pool->failed = true;
    pthread_mutex_unlock(&pool->lock);
}

static bool has_failed(struct arena_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    bool failed = pool->failed;
    pthread_mutex_unlock(&pool->lock);
    return failed;
}

/* One whole choice of an outside bot, or a random one instead. An answer that is late, illegal or missing counts as a
 * fault. The random choice keeps the game going and is drawn from the game's own generator. */
static enum pyr_err choose_outside(struct worker *worker, unsigned entry, pyr_seat seat, struct pyr_rng *rng,
    struct arena_result *result)
{
    const struct arena *arena = worker->pool->arena;
    struct outside *outside = &worker->outside[entry];
    struct pyr_match *match = worker->match;
    char line[4096], ask[32];
    bool good = false;
    double start = cli_seconds();
    int length = snprintf(ask, sizeof ask, "choose %u\n", seat + 1u);
    enum outside_result reply = OUTSIDE_DEAD;
    if (send_outside(worker, entry, seat, arena->seconds) && outside_send(outside, ask, (size_t)length, arena->seconds))
        reply = outside_read(outside, line, sizeof line, arena->seconds - (cli_seconds() - start));
    if (reply == OUTSIDE_ANSWERED) {
        good = pyr_match_choose(match, seat, line, NULL) == PYR_OK;
    } else {                                 /* late or dead: it is restarted for its next choice */
        if (reply == OUTSIDE_DEAD && outside_has_ended(outside)) {
            result[entry].ends++;
            result[entry].status = outside->status;
            if (cannot_start(outside))
                fail_start(worker->pool, outside);
        }
        outside_stop(outside);
    }
    result[entry].seconds += cli_seconds() - start;
    result[entry].moves++;
    if (good)
        return pyr_match_is_ready(match, seat) ? pyr_match_confirm(match, seat) : PYR_OK;
    result[entry].faults++;
    for (;;) {
        struct pyr_steps steps;
        uint32_t lines = match->log.lines;
        pyr_match_steps(match, seat, &steps);
        enum pyr_err err = pyr_match_step(match, seat, pyr_steps_pick(&steps, &arena->edition->box, rng));
        if (err || match->log.lines != lines)
            return err;                      /* a take is confirmed at once */
        if (pyr_match_is_ready(match, seat))
            return pyr_match_confirm(match, seat);
    }
}

/* Games. */

/* If a program is among the players, the game is a match from the start, since the program is sent its lines. */
static bool play_outside(struct worker *worker, uint64_t game, const struct pyr_chance *chance, struct pyr_rng *rng,
    struct arena_result *result)
{
    const struct arena *arena = worker->pool->arena;
    struct pyr_match *match = worker->match;
    enum pyr_err err = begin_match(worker, game, chance);
    for (unsigned e = 0; e < arena->players; e++) {
        worker->told[e] = 0;
        worker->starts[e] = 0;
    }
    while (!err && !pyr_match_is_over(match) && !cli_is_interrupted()) {
        if (has_failed(worker->pool))
            return false;
        pyr_seat seat = (pyr_seat)__builtin_ctz(pyr_match_waiting(match));
        unsigned entry = entry_of(arena, game, seat);
        if (arena->entry[entry].bot) {
            struct pyr_view view;
            pyr_match_view(match, seat, &view);
            double start = cli_seconds();
            pyr_step step =
                arena->entry[entry].bot->choose(worker->memory[entry], &arena->edition->box, &view, rng, &arena->budget);
            result[entry].seconds += cli_seconds() - start;
            result[entry].moves++;
            err = match_step(match, seat, step);
        } else {
            err = choose_outside(worker, entry, seat, rng, result);
        }
    }
    /* The end is sent as well, so that a bot can learn from it. */
    for (unsigned s = 0; s < arena->players && !err; s++) {
        unsigned entry = entry_of(arena, game, s);
        if (!arena->entry[entry].bot && worker->outside[entry].process)
            send_outside(worker, entry, (pyr_seat)s, arena->seconds);
    }
    return err ? fail_game(game, err) : true;
}

/* The fast way: only states, no text. Every step is still checked, since a bot may have a bug. */
static bool play_inside(struct worker *worker, uint64_t game, struct pyr_state *state, struct pyr_rng *rng,
    struct arena_result *result)
{
    const struct arena *arena = worker->pool->arena;
    const struct pyr_box *box = &arena->edition->box;
    struct played *played = worker->played;
    while (state->open.phase != PYR_END && !cli_is_interrupted()) {
        pyr_state_advance(state, box);
        while (state->open.waiting) {
            pyr_seat seat = (pyr_seat)__builtin_ctz(state->open.waiting);
            unsigned entry = entry_of(arena, game, seat);
            pyr_step step = choose_step(worker, entry, state, seat, rng, result);
            if (played && played->steps < MOST_STEPS) {
                played->seat[played->steps] = seat;
                played->step[played->steps++] = step;
            }
            enum pyr_err err = pyr_state_apply(state, box, seat, step);
            if (err)
                return fail_game(game, err);
        }
    }
    return true;
}

/* Results are by entry, not by seat. In an interrupted game `finished` stays false, and the game is not counted. */
static bool play_game(struct worker *worker, uint64_t game, struct arena_result *result)
{
    const struct arena *arena = worker->pool->arena;
    const struct pyr_box *box = &arena->edition->box;
    struct pyr_rng chance_rng, bot_rng;
    struct pyr_state state;
    pyr_rng_seed(&chance_rng, arena->seed, 2 * shuffle_of(arena, game));
    pyr_rng_seed(&bot_rng, arena->seed, 2 * game + 1);
    pyr_state_deal(&state, box, arena->players, &chance_rng);
    memset(result, 0, arena->players * sizeof *result);
    const struct pyr_table *open = &state.open;
    bool good;
    if (has_outside(arena)) {
        good = play_outside(worker, game, &state.hidden, &bot_rng, result);
        open = &worker->match->replay.state.open;
        good = good && (!arena->records || cli_is_interrupted() || write_record(worker, game));
    } else {
        if (worker->played) {
            worker->played->chance = state.hidden;
            worker->played->steps = 0;
        }
        good = play_inside(worker, game, &state, &bot_rng, result);
        good = good && (!arena->records || cli_is_interrupted() || note_record(worker, game));
    }
    if (open->phase != PYR_END)              /* interrupted */
        return good;
    unsigned winners = pyr_table_winners(open, box);
    for (unsigned s = 0; s < arena->players; s++) {
        struct arena_result *r = &result[entry_of(arena, game, s)];
        struct pyr_score score = pyr_table_score(open, box, (pyr_seat)s);
        r->points = score.total;
        r->pyramids = (uint8_t)(score.pyramids / 10);
        r->share = winners >> s & 1 ? 1.0f / (float)__builtin_popcount(winners) : 0;
        r->finished = true;
    }
    return good;
}

/* Takes the next game until none is left. After a failure the others finish their game and stop. */
static void *work(void *argument)
{
    struct worker *worker = argument;
    struct arena_pool *pool = worker->pool;
    for (;;) {
        pthread_mutex_lock(&pool->lock);
        uint64_t game = pool->next;
        bool stop = game >= pool->end || pool->failed || cli_is_interrupted();
        if (!stop)
            pool->next++;
        pthread_mutex_unlock(&pool->lock);
        if (stop)
            return NULL;
        struct arena_result *result = pool->result + (game - pool->first) * pool->arena->players;
        bool good = play_game(worker, game, result);
        pthread_mutex_lock(&pool->lock);
        pool->failed |= !good;
        pool->finished += result->finished;
        if (result->finished && pool->arena->progress)
            pool->arena->progress(pool->arena->context, pool->finished);
        pthread_mutex_unlock(&pool->lock);
    }
}

/* The calling thread works too, as worker 0; if threads cannot be created, fewer do all the work. `result` has room
 * for `count` times players results. */
bool arena_play(struct arena_pool *pool, uint64_t first, uint64_t count, struct arena_result *result)
{
    pthread_t thread[256];
    unsigned started = 0, wanted = pool->threads < count ? pool->threads : (unsigned)count;
    pool->first = pool->next = first;
    pool->end = first + count;
    pool->finished = 0;
    pool->result = result;
    memset(result, 0, count * pool->arena->players * sizeof *result);
    for (; started + 1 < wanted; started++)
        if (pthread_create(&thread[started], NULL, work, &pool->worker[started + 1]))
            break;
    work(&pool->worker[0]);
    for (unsigned i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    return !pool->failed;
}

/* Entries with the same bot share its tables within a thread. Cache lines are 64 bytes, and aligned_alloc requires a
 * multiple of the alignment. */
static bool equip(struct worker *worker, struct arena_pool *pool)
{
    const struct arena *arena = pool->arena;
    worker->pool = pool;
    for (unsigned e = 0; e < arena->players; e++) {
        const struct arena_entry *entry = &arena->entry[e];
        worker->outside[e].command = entry->name;
        unsigned same = 0;
        while (same < e && arena->entry[same].bot != entry->bot)
            same++;
        size_t size = entry->bot ? entry->bot->memory(&arena->edition->box) : 0;
        if (same < e) {
            worker->memory[e] = worker->memory[same];
        } else if (size) {
            worker->memory[e] = aligned_alloc(64, (size + 63) / 64 * 64);
            if (!worker->memory[e])
                return false;
            entry->bot->prepare(worker->memory[e], &arena->edition->box);
        }
    }
    if (arena->records || has_outside(arena)) {
        worker->match = malloc(sizeof *worker->match);
        worker->played = malloc(sizeof *worker->played);
        return worker->match && worker->played;
    }
    return true;
}

/* Prepares the tables of all threads once, instead of before each block of games. NULL after a message if memory runs
 * out; `arena` must stay valid as long as the pool. */
struct arena_pool *arena_pool_create(const struct arena *arena, unsigned threads)
{
    struct arena_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        goto no_memory;
    pool->arena = arena;
    pool->worker = calloc(threads, sizeof *pool->worker);
    if (!pool->worker)
        goto no_memory;
    pthread_mutex_init(&pool->lock, NULL);
    for (; pool->threads < threads; pool->threads++)
        if (!equip(&pool->worker[pool->threads], pool)) {
            pool->threads++;
            goto no_memory;
        }
    return pool;

no_memory:
    cli_error(_("out of memory"));
    arena_pool_destroy(pool);
    return NULL;
}

/* Also for a pool that is incomplete. Shared tables are freed once; programs that are still running are stopped. */
void arena_pool_destroy(struct arena_pool *pool)
{
    if (!pool)
        return;
    for (unsigned i = 0; i < pool->threads; i++) {
        struct worker *worker = &pool->worker[i];
        for (unsigned e = 0; e < pool->arena->players; e++) {
            unsigned same = 0;
            while (same < e && worker->memory[same] != worker->memory[e])
                same++;
            if (same == e)
                free(worker->memory[e]);
            outside_stop(&worker->outside[e]);
        }
        free(worker->match);
        free(worker->played);
    }
    if (pool->worker)
        pthread_mutex_destroy(&pool->lock);
    free(pool->worker);
    free(pool);
}
