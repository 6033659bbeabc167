/*
 * sim.c: `pyramids sim`: bots play many games. Every game has random numbers of its own, made from the seed and the game's number, so
 * that threads and their order change nothing.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pyramids/bots.h>
#include <pyramids/match.h>

#include "cli.h"

enum { PLAYERS, BOTS, GAMES, SEED, EDITION, RECORDS, THREADS, JSON, OPTIONS };

#define MOST_STEPS 2048          /* each space is marked once, and there are few other steps */

struct tally {
    double wins;
    int64_t points, pyramids;
    uint64_t games, moves;
    double seconds;
};

struct job {
    const struct pyr_edition *edition;
    const struct pyr_bot *bot[PYR_MAX_SEATS];
    unsigned players;
    uint64_t games, seed;
    const char *records;
    bool quiet;

    pthread_mutex_t lock;        /* over what follows */
    uint64_t next, done;
    bool failed;
    struct tally tally[PYR_MAX_SEATS];       /* by entry in --bots */
};

struct worker {
    struct job *job;
    void *memory[PYR_MAX_SEATS]; /* by entry */
    struct pyr_match *match;     /* for records; may be NULL */
};

/* A game as it was played: enough to write it down. */
struct played {
    struct pyr_chance chance;
    unsigned steps;
    pyr_seat seat[MOST_STEPS];
    pyr_step step[MOST_STEPS];
};

static bool write_record(const struct worker *worker, uint64_t game, const struct played *played)
{
    const struct job *job = worker->job;
    char name[PYR_MAX_SEATS][64], path[4096];
    const char *names[PYR_MAX_SEATS];
    for (unsigned s = 0; s < job->players; s++) {
        unsigned entry = (unsigned)((s + game) % job->players);
        snprintf(name[s], sizeof name[s], "%s %u", job->bot[entry]->name, entry + 1);
        names[s] = name[s];
    }
    struct pyr_match *match = worker->match;
    enum pyr_err err = pyr_match_init(match, job->edition, job->players, names, &played->chance);
    for (unsigned i = 0; i < played->steps && !err; i++) {
        err = pyr_match_step(match, played->seat[i], played->step[i]);
        if (!err && pyr_match_is_ready(match, played->seat[i]))
            err = pyr_match_confirm(match, played->seat[i]);
    }
    if (err) {
        char sentence[256];
        pyr_text_error(err, sentence, sizeof sentence);
        cli_error(_("game %llu: %s"), (unsigned long long)game + 1, sentence);
        return false;
    }
    if ((size_t)snprintf(path, sizeof path, "%s/%06llu.pyr", job->records, (unsigned long long)game + 1) >= sizeof path) {
        cli_error(_("%s: the path is too long"), job->records);
        return false;
    }
    return cli_write(path, match->log.text, match->log.start[match->log.lines]);
}

static bool play_game(struct worker *worker, uint64_t game, struct tally *tally)
{
    const struct job *job = worker->job;
    const struct pyr_box *box = &job->edition->box;
    struct played *played = worker->match ? malloc(sizeof *played) : NULL;
    struct pyr_rng chance_rng, bot_rng;
    struct pyr_state state;
    if (worker->match && !played) {
        cli_error(_("out of memory"));
        return false;
    }
    pyr_rng_seed(&chance_rng, job->seed, 2 * game);
    pyr_rng_seed(&bot_rng, job->seed, 2 * game + 1);
    pyr_state_deal(&state, box, job->players, &chance_rng);
    if (played) {
        played->chance = state.hidden;
        played->steps = 0;
    }
    while (state.open.phase != PYR_END) {
        pyr_state_advance(box, &state);
        while (state.open.waiting) {
            pyr_seat seat = (pyr_seat)__builtin_ctz(state.open.waiting);
            unsigned entry = (unsigned)((seat + game) % job->players);
            struct pyr_view view;
            pyr_view_init(&view, &state, seat);
            double start = cli_seconds();
            pyr_step step = job->bot[entry]->choose(worker->memory[entry], box, &view, &bot_rng, NULL);
            tally[entry].seconds += cli_seconds() - start;
            tally[entry].moves++;
            if (played && played->steps < MOST_STEPS) {
                played->seat[played->steps] = seat;
                played->step[played->steps++] = step;
            }
            if (pyr_state_apply(box, &state, seat, step)) {
                cli_error(_("bot %s made an illegal step"), job->bot[entry]->name);
                free(played);
                return false;
            }
        }
    }
    unsigned winners = pyr_table_winners(box, &state.open);
    for (unsigned s = 0; s < job->players; s++) {
        struct tally *t = &tally[(s + game) % job->players];
        struct pyr_score score = pyr_table_score(box, &state.open, (pyr_seat)s);
        t->games++;
        t->points += score.total;
        t->pyramids += score.pyramids / 10;
        if (winners >> s & 1)
            t->wins += 1.0 / __builtin_popcount(winners);
    }
    bool good = !played || write_record(worker, game, played);
    free(played);
    return good;
}

static void show_progress(const struct job *job)
{
    if (!job->quiet)
        fprintf(stderr, "\r%llu / %llu", (unsigned long long)job->done, (unsigned long long)job->games);
}

/* Games are handed out in blocks: few visits to the lock, and no worker idles at the end for long. */
static void *work(void *argument)
{
    struct worker *worker = argument;
    struct job *job = worker->job;
    for (;;) {
        struct tally tally[PYR_MAX_SEATS] = { { 0 } };
        pthread_mutex_lock(&job->lock);
        uint64_t first = job->next, block = job->games / 200 + 1;
        if (block > 100)
            block = 100;
        uint64_t end = first + block < job->games ? first + block : job->games;
        bool stop = first >= job->games || job->failed || cli_is_interrupted();
        job->next = stop ? first : end;
        pthread_mutex_unlock(&job->lock);
        if (stop)
            return NULL;
        bool good = true;
        uint64_t game = first;
        for (; game < end && good && !cli_is_interrupted(); game++)
            good = play_game(worker, game, tally);
        pthread_mutex_lock(&job->lock);
        job->failed |= !good;
        job->done += game - first;
        for (unsigned e = 0; e < job->players; e++) {
            struct tally *t = &job->tally[e];
            t->wins += tally[e].wins;
            t->points += tally[e].points;
            t->pyramids += tally[e].pyramids;
            t->games += tally[e].games;
            t->moves += tally[e].moves;
            t->seconds += tally[e].seconds;
        }
        show_progress(job);
        pthread_mutex_unlock(&job->lock);
    }
}

static void report(const struct job *job, bool json)
{
    if (json) {
        printf("{\"players\": %u, \"games\": %llu, \"seed\": %llu, \"edition\": ", job->players, (unsigned long long)job->done,
            (unsigned long long)job->seed);
        cli_json_string(stdout, job->edition->name, strlen(job->edition->name));
        printf(", \"bots\": [");
    } else {
        printf(_("%llu games of %u players, edition %s, seed %llu\n"), (unsigned long long)job->done, job->players,
            job->edition->name, (unsigned long long)job->seed);
        printf("%-12s %8s %8s %9s %10s\n", _("bot"), _("wins"), _("points"), _("pyramids"), _("ms a move"));
    }
    for (unsigned e = 0; e < job->players; e++) {
        const struct tally *t = &job->tally[e];
        double games = t->games ? (double)t->games : 1, moves = t->moves ? (double)t->moves : 1;
        if (json) {
            printf("%s{\"name\": \"%s\", \"games\": %llu, \"win_rate\": %.6f, \"mean_score\": %.4f, \"mean_pyramids\": %.4f, "
                   "\"ms_per_move\": %.6f}", e ? ", " : "", job->bot[e]->name, (unsigned long long)t->games, t->wins / games,
                (double)t->points / games, (double)t->pyramids / games, t->seconds * 1e3 / moves);
        } else {
            printf("%-12s %7.1f%% %8.2f %9.2f %10.4f\n", job->bot[e]->name, 100 * t->wins / games, (double)t->points / games,
                (double)t->pyramids / games, t->seconds * 1e3 / moves);
        }
    }
    if (json)
        puts("]}");
}

/* The bots named in a list with commas, repeated until every seat has one. */
static bool find_bots(struct job *job, const char *list)
{
    unsigned named = 0;
    for (const char *at = list; at; named++) {
        char name[64];
        const char *comma = strchr(at, ',');
        size_t length = comma ? (size_t)(comma - at) : strlen(at);
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), at);
        const struct pyr_bot *bot = pyr_bot_find(name);
        if (!bot) {
            fprintf(stderr, _("pyramids: there is no bot '%s'; there are:"), name);
            for (unsigned i = 0; i < pyr_bot_count(); i++)
                fprintf(stderr, " %s", pyr_bot_at(i)->name);
            fputc('\n', stderr);
            return false;
        }
        if (named == job->players) {
            cli_error(_("more bots than players (%u)"), job->players);
            return false;
        }
        job->bot[named] = bot;
        at = comma ? comma + 1 : NULL;
    }
    for (unsigned s = named; s < job->players; s++)
        job->bot[s] = job->bot[s % named];
    return true;
}

static bool equip(struct worker *worker, struct job *job)
{
    worker->job = job;
    for (unsigned e = 0; e < job->players; e++) {
        size_t size = job->bot[e]->memory(&job->edition->box);
        unsigned same = 0;
        while (same < e && job->bot[same] != job->bot[e])
            same++;
        if (same < e) {
            worker->memory[e] = worker->memory[same];
            continue;
        }
        if (!size)
            continue;
        worker->memory[e] = aligned_alloc(64, (size + 63) / 64 * 64);
        if (!worker->memory[e])
            return false;
        job->bot[e]->prepare(worker->memory[e], &job->edition->box);
    }
    if (job->records)
        worker->match = malloc(sizeof *worker->match);
    return !job->records || worker->match;
}

static void strip(struct worker *worker, const struct job *job)
{
    for (unsigned e = 0; e < job->players; e++) {
        unsigned same = 0;
        while (same < e && worker->memory[same] != worker->memory[e])
            same++;
        if (same == e)
            free(worker->memory[e]);
    }
    free(worker->match);
}

static int run(struct job *job, unsigned threads, bool json)
{
    struct worker *worker = calloc(threads, sizeof *worker);
    pthread_t *thread = calloc(threads, sizeof *thread);
    unsigned started = 0;
    bool good = worker && thread;
    for (unsigned i = 0; i < threads && good; i++)
        good = equip(&worker[i], job);
    if (!good)
        cli_error(_("out of memory"));
    for (; started < threads && good; started++)
        if (pthread_create(&thread[started], NULL, work, &worker[started]))
            break;
    if (good && !started)
        work(&worker[0]);
    for (unsigned i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    if (!job->quiet)
        fputs("\r\033[K", stderr);
    if (good && !job->failed)
        report(job, json);
    for (unsigned i = 0; i < threads && worker; i++)
        strip(&worker[i], job);
    free(worker);
    free(thread);
    return !good || job->failed ? CLI_WRONG : cli_is_interrupted() ? CLI_INTERRUPTED : CLI_GOOD;
}

int cli_sim(int argc, char **argv)
{
    static struct pyr_edition edition;
    static struct job job;
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "players", 'p', "N", _("2 to 4 players (default: as many as bots, at least 2)") },
        { "bots", 'b', "A,B,..", _("the bots; fewer than players: the list is repeated (default greedy)") },
        { "games", 'g', "G", _("how many games (default 1000)") },
        { "seed", 's', "S", _("seed of the random numbers (default 1)") },
        { "edition", 'e', "E", _("a built-in edition or a file (default classic)") },
        { "records", 'r', "DIR", _("write a record a game: DIR/000001.pyr and so on") },
        { "threads", 't', "T", _("threads (default: one a core); changes nothing but the time") },
        { "json", 0, NULL, _("print JSON") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "sim --players N --bots A,B,.. --games G [OPTIONS]",
        _("Bots play games and the results are printed: wins (a shared win counts its share), points, pyramids, time a move.\n"
          "From game to game the bots change seats. The same seed gives the same games."),
        option,
        "  pyramids sim --players 2 --bots greedy,random --games 1000\n"
        "  pyramids sim --players 4 --bots greedy --games 100 --records games --seed 7\n"
        "  pyramids sim --bots greedy,greedy,random --games 500 --json\n",
    };
    int code = cli_parse(&options, &argc, argv, value);
    if (code >= 0)
        return code;
    const char *bots = value[BOTS] ? value[BOTS] : "greedy";
    uint64_t players = 1, games = 1000, seed = 1, threads = 0;
    for (const char *c = bots; *c; c++)
        players += *c == ',';
    if (players < PYR_MIN_SEATS)
        players = PYR_MIN_SEATS;
    if ((value[PLAYERS] && !cli_number(value[PLAYERS], "--players", PYR_MIN_SEATS, PYR_MAX_SEATS, &players)) ||
        (value[GAMES] && !cli_number(value[GAMES], "--games", 1, 1000000000, &games)) ||
        (value[SEED] && !cli_number(value[SEED], "--seed", 0, UINT64_MAX, &seed)) ||
        (value[THREADS] && !cli_number(value[THREADS], "--threads", 1, 256, &threads)))
        return CLI_USAGE;
    if (argc || players > PYR_MAX_SEATS) {
        if (argc)
            cli_error(_("unexpected word '%s'"), argv[0]);
        else
            cli_error(_("more bots than a game has players (%u)"), PYR_MAX_SEATS);
        return CLI_USAGE;
    }
    job = (struct job){ .edition = &edition, .players = (unsigned)players, .games = games, .seed = seed,
        .records = value[RECORDS], .quiet = value[JSON] || !isatty(STDERR_FILENO) };
    if (!find_bots(&job, bots))
        return CLI_USAGE;
    code = cli_edition_load(value[EDITION], &edition);
    if (code)
        return code;
    if (job.records && mkdir(job.records, 0777) && errno != EEXIST) {
        cli_error("%s: %s", job.records, strerror(errno));
        return CLI_WRONG;
    }
    if (!threads) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        threads = cores > 0 && cores <= 256 ? (uint64_t)cores : 1;
    }
    if (threads > games)
        threads = games;
    cli_catch_interrupt();
    pthread_mutex_init(&job.lock, NULL);
    code = run(&job, (unsigned)threads, value[JSON] != NULL);
    pthread_mutex_destroy(&job.lock);
    return code;
}
