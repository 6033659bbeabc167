/*
 * sim.c: `pyramids sim`: lets bots play many games and reports their strength.
 *
 * Statistics: a sample is a shuffle, of which every seating is played (stats.h), so that the luck of the cards cancels.
 * Games are played in blocks and added up in their order, which makes the report, and where a sequential test stops,
 * independent of the number of threads.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "cli.h"
#include "merge.h"
#include "shard.h"
#include "stats.h"

enum { PLAYERS, BOTS, GAMES, SEED, EDITION, RECORDS, THREADS, INDEPENDENT, SPRT, NODES, TIME, SHARD, OUTPUT, JSON, OPTIONS };

/* Totals of an entry of --bots. */
struct total {
    struct stats share, points, pyramids;    /* one sample per shuffle */
    struct stats duel[PYR_MAX_SEATS];        /* against each other entry: 1 more points, 0.5 as many, 0 fewer */
    uint64_t games, moves, faults, ends;
    int status;                  /* exit status of the last program that ended by itself */
    double seconds;
};

struct sim {
    struct arena arena;
    uint64_t games, done;        /* requested (of a part: in that part); counted so far, in whole blocks */
    uint64_t next, end;          /* the games to play: all of them, or those of a part that are not yet in its file */
    FILE *part;                  /* the file of a part; NULL: the job is not split */
    double started, shown;       /* when the first game began; when progress was last printed */
    bool has_sprt, quiet;
    double elo0, elo1;           /* of --sprt */
    struct total total[PYR_MAX_SEATS];
};

/* Adds up the games of one shuffle, whose seatings make up a `set`. If a run ends with fewer games than seatings, the
 * sample weighs less. */
static void add_shuffle(struct sim *sim, const struct arena_result *result, uint64_t games, unsigned set)
{
    unsigned players = sim->arena.players;
    double weight = (double)games / set;
    for (unsigned e = 0; e < players; e++) {
        struct total *t = &sim->total[e];
        double share = 0, points = 0, pyramids = 0, duel[PYR_MAX_SEATS] = { 0 };
        for (uint64_t g = 0; g < games; g++) {
            const struct arena_result *r = &result[g * players];
            share += r[e].share;
            points += r[e].points;
            pyramids += r[e].pyramids;
            for (unsigned o = 0; o < players; o++)
                duel[o] += r[e].points > r[o].points ? 1 : r[e].points == r[o].points ? 0.5 : 0;
            t->moves += r[e].moves;
            t->faults += r[e].faults;
            t->ends += r[e].ends;
            if (r[e].ends)
                t->status = r[e].status;
            t->seconds += r[e].seconds;
        }
        t->games += games;
        stats_add(&t->share, share / (double)games, weight);
        stats_add(&t->points, points / (double)games, weight);
        stats_add(&t->pyramids, pyramids / (double)games, weight);
        for (unsigned o = 0; o < players; o++)
            stats_add(&t->duel[o], duel[o] / (double)games, weight);
    }
    sim->done += games;
}

/* Of the first entry's share of wins. */
static double llr(const struct sim *sim)
{
    return stats_llr(&sim->total[0].share, sim->elo0, sim->elo1, sim->arena.players);
}

/* Checked only after each block, so that the number of games does not depend on the number of threads. */
static bool is_decided(const struct sim *sim)
{
    return sim->has_sprt && fabs(llr(sim)) >= STATS_DECIDED;
}

/* The margin of a mean share, in both directions. Wilson's interval is not symmetric; the larger side is used. */
static double share_margin(const struct stats *share)
{
    double low, high, mean = stats_mean(share);
    stats_interval(share, &low, &high);
    return fmax(mean - low, high - mean);
}

/* On a terminal, a few times per second: games, the time left at this pace, and the first bot's share so far. */
static void show_progress(void *context, uint64_t finished)
{
    struct sim *sim = context;
    const struct stats *share = &sim->total[0].share;
    double now = cli_seconds(), taken = now - sim->started;
    uint64_t games = sim->done + finished;
    if (sim->quiet || (now - sim->shown < 0.2 && games < sim->games))
        return;
    sim->shown = now;
    fprintf(stderr, "\r%llu / %llu", (unsigned long long)games, (unsigned long long)sim->games);
    if (games) {
        double left = taken / (double)games * (double)(sim->games - games);
        unsigned long seconds = left < 3.6e8 ? (unsigned long)left : 360000000ul;
        fprintf(stderr, "  %lu:%02lu:%02lu", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }
    if (share->count >= 2)
        fprintf(stderr, "  %s %s +-%s", sim->arena.entry[0].name, PYR_PERCENT(100 * stats_mean(share), 1),
            PYR_NUMBER(100 * share_margin(share), 1));
    if (sim->has_sprt)
        fprintf(stderr, "  LLR %s", PYR_NUMBER(llr(sim), 2));
    fputs("\033[K", stderr);
}

/* The Elo difference to another entry by points in the same games, with its 95% interval. Any of them may be infinite. */
struct elo {
    double mean, low, high;
    double margin;               /* to the bound that is further away */
};

/* From games in which only these two are compared, hence the Elo of two players for any number at the table. */
static struct elo duel_elo(const struct total *t, unsigned other)
{
    const struct stats *duel = &t->duel[other];
    struct elo elo = { .mean = stats_elo(stats_mean(duel), 2) };
    stats_interval(duel, &elo.low, &elo.high);
    elo.low = stats_elo(elo.low, 2);
    elo.high = stats_elo(elo.high, 2);
    elo.margin = isinf(elo.mean) ? INFINITY : fmax(elo.mean - elo.low, elo.high - elo.mean);
    return elo;
}

/* A number that may be unknown (a margin after one shuffle) or infinite (Elo of a bot that won everything). */
static void json_number(struct pyr_json *json, const char *name, double number, int digits, bool known)
{
    if (known)
        pyr_text_json_real(json, name, number, digits);
    else
        pyr_json_null(json, name);
}

static void json_bot(struct pyr_json *json, const struct sim *sim, unsigned entry)
{
    const struct total *t = &sim->total[entry];
    struct elo elo = duel_elo(t, 0);
    bool is_first = !entry, known = t->points.count >= 2;
    if (is_first)
        elo = (struct elo){ 0 };             /* compared with itself: exactly 0 */
    pyr_json_object(json, NULL);
    pyr_json_text(json, "name", sim->arena.entry[entry].name);
    pyr_json_count(json, "games", t->games);
    pyr_text_json_real(json, "win_rate", stats_mean(&t->share), 6);
    json_number(json, "win_margin", share_margin(&t->share), 6, known);
    pyr_text_json_real(json, "mean_score", stats_mean(&t->points), 4);
    json_number(json, "score_margin", stats_margin(&t->points), 4, known);
    pyr_text_json_real(json, "mean_pyramids", stats_mean(&t->pyramids), 4);
    pyr_text_json_real(json, "elo", elo.mean, 1);
    json_number(json, "elo_margin", elo.margin, 1, known || is_first);
    json_number(json, "elo_low", elo.low, 1, known || is_first);
    json_number(json, "elo_high", elo.high, 1, known || is_first);
    pyr_json_count(json, "faults", t->faults);
    pyr_json_count(json, "ends", t->ends);
    pyr_text_json_real(json, "ms_per_move", t->moves ? t->seconds * 1e3 / (double)t->moves : 0, 6);
    pyr_json_close(json);
}

static void report_json(const struct sim *sim)
{
    const struct arena *arena = &sim->arena;
    struct pyr_json *json = cli_json_begin();
    pyr_json_object(json, NULL);
    pyr_json_count(json, "players", arena->players);
    pyr_json_count(json, "games", sim->done);
    pyr_json_count(json, "seed", arena->seed);
    pyr_json_text(json, "edition", arena->edition->name);
    pyr_json_bool(json, "duplicate", arena->duplicate);
    pyr_json_array(json, "bots");
    for (unsigned e = 0; e < arena->players; e++)
        json_bot(json, sim, e);
    pyr_json_close(json);
    if (sim->has_sprt) {
        pyr_json_object(json, "sprt");
        pyr_text_json_real(json, "elo0", sim->elo0, PYR_SHORTEST);
        pyr_text_json_real(json, "elo1", sim->elo1, PYR_SHORTEST);
        pyr_text_json_real(json, "llr", llr(sim), 3);
        pyr_json_text(json, "decision", !is_decided(sim) ? NULL : llr(sim) > 0 ? "elo1" : "elo0");
        pyr_json_close(json);
    }
    pyr_json_close(json);
    cli_json_end(json);
}

/* Elo with its margin; if all games were won or lost, only a bound. */
static void print_elo(const struct pyr_column *column, const struct total *t, unsigned entry)
{
    struct elo elo = duel_elo(t, 0);
    bool once = t->points.count < 2;
    if (!entry)
        pyr_text_cell(stdout, column, "0");
    else if (once)
        pyr_text_cell(stdout, column, "%s +-?", isinf(elo.mean) ? "?" : PYR_SIGNED(elo.mean, 0));
    else if (isinf(elo.mean))
        pyr_text_cell(stdout, column, "%s %s", elo.mean > 0 ? ">" : "<", PYR_SIGNED(elo.mean > 0 ? elo.low : elo.high, 0));
    else
        pyr_text_cell(stdout, column, "%s +-%s", PYR_SIGNED(elo.mean, 0), PYR_NUMBER(elo.margin, 0));
}

/* Columns grow with the longest name, which may be the path of a program. */
static void report_text(const struct sim *sim)
{
    const struct arena *arena = &sim->arena;
    struct pyr_column column[] = { { _("bot"), 0, -12 }, { _("wins"), 1, 14 }, { _("points"), 1, 14 },
        { _("pyramids"), 1, 9 }, { _("Elo"), 1, 13 }, { _("ms/move"), 1, 10 } };
    for (unsigned e = 0; e < arena->players; e++) {
        int wide = pyr_text_width(arena->entry[e].name, strlen(arena->entry[e].name));
        if (wide > -column[0].width)
            column[0].width = -wide;
    }
    printf(_("games: %llu, players: %u, edition %s, seed %llu\n"), (unsigned long long)sim->done, arena->players,
        arena->edition->name, (unsigned long long)arena->seed);
    pyr_text_heading(stdout, column, sizeof column / sizeof *column);
    for (unsigned e = 0; e < arena->players; e++) {
        const struct total *t = &sim->total[e];
        bool once = t->points.count < 2;         /* one shuffle shows no spread */
        pyr_text_cell(stdout, &column[0], "%s", arena->entry[e].name);
        pyr_text_cell(stdout, &column[1], "%s +-%4s", PYR_PERCENT(100 * stats_mean(&t->share), 1),
            once ? "?" : PYR_NUMBER(100 * share_margin(&t->share), 1));
        pyr_text_cell(stdout, &column[2], "%s +-%4s", PYR_NUMBER(stats_mean(&t->points), 2),
            once ? "?" : PYR_NUMBER(stats_margin(&t->points), 2));
        pyr_text_cell(stdout, &column[3], "%s", PYR_NUMBER(stats_mean(&t->pyramids), 2));
        print_elo(&column[4], t, e);
        pyr_text_cell(stdout, &column[5], "%s\n", PYR_NUMBER(t->moves ? t->seconds * 1e3 / (double)t->moves : 0, 4));
    }
    for (unsigned e = 0; e < arena->players; e++)
        if (sim->total[e].faults)
            printf(pyr_ngettext("%s: %llu choice replaced by a random one (no legal answer in time)\n",
                       "%s: %llu choices replaced by random ones (no legal answer in time)\n",
                       (unsigned long)sim->total[e].faults),
                arena->entry[e].name, (unsigned long long)sim->total[e].faults);
    if (sim->has_sprt) {
        if (!is_decided(sim))
            printf(_("undecided between Elo %s and %s (LLR %s)\n"), PYR_NUMBER(sim->elo0, 1), PYR_NUMBER(sim->elo1, 1),
                PYR_NUMBER(llr(sim), 2));
        else
            printf(_("decided: %s is closer to Elo %s than to %s (LLR %s)\n"), arena->entry[0].name,
                PYR_NUMBER(llr(sim) > 0 ? sim->elo1 : sim->elo0, 1), PYR_NUMBER(llr(sim) > 0 ? sim->elo0 : sim->elo1, 1),
                PYR_NUMBER(llr(sim), 2));
    }
}

/* Reports how programs ended that should have kept running; false if one did. */
static bool report_ends(const struct sim *sim)
{
    bool good = true;
    for (unsigned e = 0; e < sim->arena.players; e++) {
        const struct total *t = &sim->total[e];
        const char *name = sim->arena.entry[e].name;
        int number = WIFSIGNALED(t->status) ? 128 + WTERMSIG(t->status) : WEXITSTATUS(t->status);
        bool killed = number > 128 && number < 128 + 65;     /* as reported by the shell in between */
        if (killed)
            number -= 128;
        if (!t->ends)
            continue;
        good = false;
        cli_error(killed
                ? pyr_ngettext("%s exited in the middle of a game %llu time (signal %d)",
                      "%s exited in the middle of a game %llu times (last with signal %d)", (unsigned long)t->ends)
                : pyr_ngettext("%s exited in the middle of a game %llu time (exit code %d)",
                      "%s exited in the middle of a game %llu times (last with exit code %d)", (unsigned long)t->ends),
            name, (unsigned long long)t->ends, number);
    }
    return good;
}

/* Whether all games of one shuffle are finished. */
static bool is_finished(const struct arena_result *result, unsigned players, uint64_t games)
{
    for (uint64_t g = 0; g < games; g++)
        if (!result[g * players].finished)
            return false;
    return true;
}

static unsigned set_size(const struct sim *sim)
{
    return sim->arena.duplicate ? sim->arena.players : 1;
}

/* Parts of a simulation: an item per game, with its result for each entry. */

/* Everything that determines the games. The edition is given by its text, an outside bot by its command. */
static char *job_text(const struct sim *sim, size_t *size)
{
    const struct arena *a = &sim->arena;
    char *text = NULL;
    FILE *to = open_memstream(&text, size);
    if (!to)
        return NULL;
    size_t room = pyr_edition_write(a->edition, NULL, 0) + 1;
    char *edition = malloc(room);
    if (edition)
        pyr_edition_write(a->edition, edition, room);
    fprintf(to, "players %u\ngames %llu\nseed %llu\nduplicate %d\nnodes %llu\n", a->players, (unsigned long long)sim->games,
        (unsigned long long)a->seed, a->duplicate, (unsigned long long)a->budget.nodes);
    for (unsigned e = 0; e < a->players; e++)
        fprintf(to, "bot %s\n", a->entry[e].name);
    fprintf(to, "edition %s\n%s", a->edition->name, edition ? edition : "");
    bool good = edition && !ferror(to);
    free(edition);
    if (fclose(to) || !good) {
        free(text);
        return NULL;
    }
    return text;
}

static bool write_item(FILE *to, uint64_t game, const struct arena_result *result, unsigned players)
{
    fprintf(to, "item %llu", (unsigned long long)game);
    for (unsigned e = 0; e < players; e++) {
        const struct arena_result *r = &result[e];
        fprintf(to, " %.9g %d %u %u %u %u %d %.17g", (double)r->share, r->points, r->pyramids, r->moves, r->faults, r->ends,
            r->status, r->seconds);
    }
    return fputc('\n', to) != EOF;
}

static bool read_item(const char *data, struct arena_result *result, unsigned players)
{
    for (unsigned e = 0; e < players; e++) {
        struct arena_result *r = &result[e];
        unsigned pyramids;
        int length = -1, points;
        if (sscanf(data, "%f %d %u %u %u %u %d %lf%n", &r->share, &points, &pyramids, &r->moves, &r->faults, &r->ends,
            &r->status, &r->seconds, &length) != 8 || length < 0)
            return false;
        r->points = (int16_t)points;
        r->pyramids = (uint8_t)pyramids;
        r->finished = true;
        data += length;
        data += *data == ' ';
    }
    return !*data;
}

/* Checks the items of an interrupted part: they must be consecutive. */
static bool count_item(void *context, uint64_t number, const char *data)
{
    struct sim *sim = context;
    struct arena_result result[PYR_MAX_SEATS];
    if (number != sim->next || number >= sim->end || !read_item(data, result, sim->arena.players))
        return false;
    sim->next++;
    return true;
}

/* Begins the games of a part: whole shuffles, divided as evenly as possible. */
static bool begin_part(struct sim *sim, const struct shard *shard, const char *path)
{
    uint64_t set = set_size(sim), shuffles = (sim->games + set - 1) / set;
    uint64_t each = shuffles / shard->count, rest = shuffles % shard->count, after = shard->index + 1;
    uint64_t first = each * shard->index + rest * shard->index / shard->count;
    uint64_t end = each * after + rest * after / shard->count;
    size_t size;
    char *job = job_text(sim, &size);
    if (!job) {
        cli_error(_("out of memory"));
        return false;
    }
    sim->next = first * set;
    sim->end = end * set < sim->games ? end * set : sim->games;
    sim->part = shard_open(path, "sim", shard, job, size, count_item, sim);
    free(job);
    sim->games = sim->end - first * set;
    sim->done = sim->next - first * set;
    return sim->part != NULL;
}

/* Counts a block of games, or writes it to the file of the part: only finished games, and those of a part in their order. */
static bool keep_block(struct sim *sim, const struct arena_result *result, uint64_t first, uint64_t count)
{
    unsigned players = sim->arena.players, set = set_size(sim);
    for (uint64_t g = 0; !sim->part && g < count; g += set) {
        uint64_t games = count - g < set ? count - g : set;
        if (is_finished(result + g * players, players, games))
            add_shuffle(sim, result + g * players, games, set);
    }
    for (uint64_t g = 0; sim->part && g < count && result[g * players].finished; g++) {
        write_item(sim->part, first + g, result + g * players, players);
        sim->done++;
    }
    if (!sim->part || (!fflush(sim->part) && !ferror(sim->part)))
        return true;
    cli_error("%s", pyr_text_system(errno));
    return false;
}

static void report(const struct sim *sim, bool json)
{
    if (json)
        report_json(sim);
    else
        report_text(sim);
    fflush(stdout);
}

/* The games of the next block. A part may be killed at any time, and then loses what is not in its file: it begins with a
 * game per thread, and continues with about one second of games. */
static uint64_t block_size(const struct sim *sim, uint64_t last, double seconds, unsigned threads, uint64_t most)
{
    uint64_t size = !last ? threads : seconds < 0.5 ? 2 * last : seconds > 2 && last > threads ? last / 2 : last;
    return !sim->part || size > most ? most : size;
}

/* Games are played in blocks of whole shuffles, which are the same for any number of threads, and added up in their
 * order. 48 shuffles per block: few enough that a test stops soon, enough to keep all threads busy. A shuffle that was
 * interrupted is left out as a whole, since it would favour some seats. */
static int run(struct sim *sim, unsigned threads, bool json)
{
    unsigned players = sim->arena.players;
    uint64_t most = 48 * set_size(sim), block = 0;
    double seconds = 0;
    struct arena_pool *pool = arena_pool_create(&sim->arena, threads);
    struct arena_result *result = malloc(most * players * sizeof *result);
    bool good = pool && result;
    if (pool && !result)
        cli_error(_("out of memory"));
    sim->started = cli_seconds();
    show_progress(sim, 0);
    for (uint64_t next = sim->next; good && next < sim->end && !cli_is_interrupted() && !is_decided(sim);) {
        block = block_size(sim, block, seconds, threads, most);
        uint64_t count = sim->end - next < block ? sim->end - next : block;
        double start = cli_seconds();
        good = arena_play(pool, next, count, result) && keep_block(sim, result, next, count);
        seconds = cli_seconds() - start;
        next += count;
    }
    if (!sim->quiet)
        fputs("\r\033[K", stderr);
    if (good && !sim->done && !sim->part)
        cli_error(_("interrupted before every seating had played the first shuffle: no results"));
    else if (good && !sim->part)
        report(sim, json);
    if (good && !cli_is_interrupted() && !sim->part)
        good = report_ends(sim);
    if (sim->part && fclose(sim->part))
        good = false;
    free(result);
    arena_pool_destroy(pool);
    return !good ? CLI_WRONG : cli_is_interrupted() ? CLI_INTERRUPTED : CLI_GOOD;
}

/* Merging parts. */

/* Reads the description of the job, which all parts share. */
static bool read_job(struct sim *sim, const char *job, struct pyr_edition *edition)
{
    unsigned long long games, seed;
    unsigned players;
    int duplicate, length = -1;
    if (sscanf(job, "players %u\ngames %llu\nseed %llu\nduplicate %d\nnodes %*u\n%n", &players, &games, &seed, &duplicate,
        &length) != 4 || length < 0 || players < PYR_MIN_SEATS || players > PYR_MAX_SEATS || !games)
        return false;
    job += length;
    for (unsigned e = 0; e < players; e++) {
        size_t size = strcspn(job, "\n");
        if (strncmp(job, "bot ", 4) || job[size] != '\n' || size - 4 >= ARENA_MOST_NAME)
            return false;
        memcpy(sim->arena.entry[e].name, job + 4, size - 4);
        sim->arena.entry[e].name[size - 4] = '\0';
        job += size + 1;
    }
    if (sscanf(job, "edition %31s", edition->name) != 1)
        return false;
    sim->arena.edition = edition;
    sim->arena.players = players;
    sim->arena.seed = seed;
    sim->arena.duplicate = duplicate != 0;
    sim->games = games;
    return true;
}

int sim_merge(struct shard_file *files, unsigned count, bool json)
{
    static struct pyr_edition edition;
    static struct sim sim;
    struct arena_result result[PYR_MAX_SEATS * PYR_MAX_SEATS];
    if (!read_job(&sim, files[0].job, &edition)) {
        cli_error(_("%s: not a file that --shard wrote"), files[0].path);
        return CLI_WRONG;
    }
    unsigned players = sim.arena.players, set = set_size(&sim), held = 0, at = 0;
    for (uint64_t game = 0; game < sim.games; game++) {
        uint64_t number = UINT64_MAX;
        const char *data = "";
        while (at < count && !shard_next(&files[at], &number, &data))
            at++;
        if (at == count || number != game || !read_item(data, result + held * players, players)) {
            cli_error(_("game %llu is missing; run the parts again: only what is missing is played"),
                (unsigned long long)game + 1);
            return CLI_WRONG;
        }
        if (++held == set || game + 1 == sim.games) {
            add_shuffle(&sim, result, held, set);
            held = 0;
        }
    }
    report(&sim, json);
    return report_ends(&sim) ? CLI_GOOD : CLI_WRONG;
}

static bool read_sprt(struct sim *sim, const char *text)
{
    char *end;
    sim->has_sprt = true;
    sim->elo0 = strtod(text, &end);
    bool good = end != text && *end == ',';
    if (good) {
        const char *second = end + 1;
        sim->elo1 = strtod(second, &end);
        good = end != second && !*end && sim->elo0 < sim->elo1 && fabs(sim->elo0) < 2000 && fabs(sim->elo1) < 2000;
    }
    if (!good)
        cli_error(_("--sprt: '%s' must be two Elo differences, the lower one first, such as 0,20"), text);
    return good;
}

/* Ctrl-C also ends a choice that a bot is still thinking about. */
static bool is_interrupted(void *context)
{
    (void)context;
    return cli_is_interrupted();
}

/* Reads numbers and flags; false after a message. Without --players there are as many players as named bots, at least
 * two. */
static bool read_values(struct sim *sim, const char *const *value, unsigned *threads)
{
    uint64_t players = 1, games = 1000, seed = 1, wanted = 0, nodes = 0, bot_time = 5000;
    for (const char *c = value[BOTS] ? value[BOTS] : ""; *c; c++)
        players += *c == ',';
    if (players < PYR_MIN_SEATS)
        players = PYR_MIN_SEATS;
    if ((value[PLAYERS] && !cli_number(value[PLAYERS], "--players", PYR_MIN_SEATS, PYR_MAX_SEATS, &players)) ||
        (value[GAMES] && !cli_number(value[GAMES], "--games", 1, 1000000000, &games)) ||
        (value[SEED] && !cli_number(value[SEED], "--seed", 0, UINT64_MAX, &seed)) ||
        (value[THREADS] && !cli_number(value[THREADS], "--threads", 1, 256, &wanted)) ||
        (value[NODES] && !cli_number(value[NODES], "--nodes", 1, 1000000000, &nodes)) ||
        (value[TIME] && !cli_number(value[TIME], "--bot-time", 1, 3600000, &bot_time)) ||
        (value[SPRT] && !read_sprt(sim, value[SPRT])))
        return false;
    if (players > PYR_MAX_SEATS) {
        cli_error(_("more bots than a game has players (%u)"), PYR_MAX_SEATS);
        return false;
    }
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *threads = wanted ? (unsigned)wanted : cores > 0 && cores <= 256 ? (unsigned)cores : 1;
    sim->games = sim->end = games;
    sim->quiet = !isatty(STDERR_FILENO);
    sim->arena.players = (unsigned)players;
    sim->arena.seed = seed;
    sim->arena.records = value[RECORDS];
    sim->arena.duplicate = !value[INDEPENDENT];
    sim->arena.seconds = (double)bot_time / 1e3;
    sim->arena.budget = (struct pyr_budget){ .nodes = nodes, .is_over = is_interrupted };
    sim->arena.progress = show_progress;
    sim->arena.context = sim;
    return true;
}

/* What has to be there before the first game; `lacks` names what is missing. */
static int prepare(struct sim *sim, struct pyr_edition *edition, const char *const *value, const struct shard *shard,
    const char **lacks)
{
    sim->arena.edition = edition;
    *lacks = "bot";
    int code = arena_find_bots(&sim->arena, value[BOTS] ? value[BOTS] : "greedy");
    if (code)
        return code;
    *lacks = "edition";
    code = cli_edition_load(value[EDITION], edition);
    if (code)
        return code;
    *lacks = "file";
    if (value[RECORDS] && mkdir(value[RECORDS], 0777) && errno != EEXIST) {
        cli_error("%s: %s", value[RECORDS], pyr_text_system(errno));
        return CLI_WRONG;
    }
    return shard->count && !begin_part(sim, shard, value[OUTPUT]) ? CLI_WRONG : CLI_GOOD;
}

int cli_sim(int argc, char **argv)
{
    static struct pyr_edition edition;
    static struct sim sim;
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "players", 'p', "N", _("2 to 4 players (default: as many as bots, at least 2)") },
        { "bots", 'b', "A,B,..",
            _("bots, or paths of programs (./mybot); the list is repeated to fill all seats (default greedy)") },
        { "games", 'g', "G", _("number of games (default 1000)") },
        { "seed", 's', "S", _("random seed (default 1)") },
        { "edition", 'e', "E", _("a built-in edition or a file (default classic)") },
        { "records", 'r', "DIR", _("write one record per game: DIR/000001.pyr and so on") },
        { "threads", 't', "T", _("number of threads (default: one per core); affects only the time") },
        { "independent", 0, NULL, _("use a new shuffle for every game, instead of the same cards for every seating") },
        { "sprt", 0, "ELO0,ELO1", _("stop once it is decided which of two Elo differences the first bot is closer to") },
        { "nodes", 0, "N", _("playouts per step for built-in bots (default: depends on the level)") },
        { "bot-time", 0, "MS", _("time limit per choice for a program (default 5000)") },
        { "shard", 0, "I/N", _("play only part I of N; `pyramids merge` puts the parts together") },
        { "output", 'o', "FILE", _("file for the results of a part; one that was interrupted is continued") },
        { "json", 0, NULL, _("print JSON") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "sim --players N --bots A,B,.. --games G [OPTIONS]",
        /* xgettext:no-c-format */
        _("Lets bots play games and prints the results with 95% margins: wins (a shared win counts as a fraction),\n"
          "points, pyramids, Elo against the first bot (by points in the same games), time per move. Every seating\n"
          "plays every shuffle. The same seed gives the same games."),
        option,
        "  pyramids sim --players 2 --bots greedy,random --games 1000\n"
        "  pyramids sim --players 4 --bots greedy --games 100 --records games --seed 7\n"
        "  pyramids sim --bots ./mybot,greedy --games 200 --json\n"
        "  pyramids sim --bots expert,flatmc --games 100000 --sprt 0,20\n"
        "  pyramids sim --bots expert,flatmc --games 100000 --shard 3/8 --output part3\n",
    };
    int code = cli_parse_words(&options, 0, &argc, argv, value);
    if (code >= 0)
        return code;
    unsigned threads;
    struct shard shard = { 0, 0 };
    static const uint32_t excluded[OPTIONS] = { [SHARD] = 1u << SPRT | 1u << JSON };
    if (!cli_go_together(option, value, excluded) || !read_values(&sim, value, &threads) ||
        !shard_options(value[SHARD], value[OUTPUT], &shard))
        return CLI_USAGE;
    const char *lacks;
    code = prepare(&sim, &edition, value, &shard, &lacks);
    if (code)
        return cli_json_failed(value[JSON], lacks, code);
    cli_catch_interrupt();
    signal(SIGPIPE, SIG_IGN);                /* an outside bot may close its end */
    return cli_json_failed(value[JSON], "failed", run(&sim, threads, value[JSON] != NULL));
}
