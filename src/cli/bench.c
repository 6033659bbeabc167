/* bench.c: `pyramids bench`: uniformly random complete games on one thread, one at a time or in an environment. */
#include <string.h>

#include <pyramids/playouts.h>

#include "bench.h"
#include "cli.h"

enum { PLAYERS, GAMES, SEED, EDITION, BATCH, ENV, WIDTH, JSON, OPTIONS };

/* One game at a time, with the calls that bots use.
 * A game's points are summed to check that two machines, or two builds, play the same games. */
static void bench_games(const struct pyr_box *box, unsigned players, uint64_t games, uint64_t seed,
    struct bench_result *result)
{
    struct pyr_state state;
    struct pyr_rng rng;
    struct bench_counter counter;
    *result = (struct bench_result){ 0 };
    pyr_rng_seed(&rng, seed, 0);
    bench_counter_open(&counter);
    double start = bench_seconds();
    for (; result->games < games && !cli_is_interrupted(); result->games++) {
        pyr_state_deal(&state, box, players, &rng);
        result->steps += pyr_state_playout(&state, box, &rng);
        result->points += pyr_table_score(&state.open, box, 0).total;
    }
    result->seconds = bench_seconds() - start;
    result->instructions = counter.fd < 0 ? -1 : (double)bench_counter_read(&counter);
    bench_counter_close(&counter);
}

/* Many games at once. They differ from those of bench_games: each piece has its own seed. */
static void bench_batch(const struct pyr_box *box, unsigned players, uint64_t games, uint64_t seed,
    struct bench_result *result)
{
    enum { PIECE = 1 << 16 };                /* games between two looks at Ctrl-C */
    static struct pyr_playout_tables tables;
    pyr_playouts_init(&tables, box);
    struct bench_counter counter;
    *result = (struct bench_result){ 0 };
    bench_counter_open(&counter);
    double start = bench_seconds();
    while (result->games < games && !cli_is_interrupted()) {
        struct pyr_playouts sum;
        uint64_t left = games - result->games;
        pyr_playouts_run(&sum, &tables, box, players, left < PIECE ? left : PIECE, seed + result->games, NULL);
        result->games += sum.games;
        result->steps += sum.steps;
        result->points += sum.points[0];
    }
    result->seconds = bench_seconds() - start;
    result->instructions = counter.fd < 0 ? -1 : (double)bench_counter_read(&counter);
    bench_counter_close(&counter);
}

/* On a machine where a process cannot count its instructions, the number is null. */
static void print_json(const struct bench_result *r, const struct pyr_edition *edition, unsigned players, uint64_t seed)
{
    double games = (double)r->games, steps = (double)r->steps;
    struct pyr_json *json = cli_json_begin();
    pyr_json_object(json, NULL);
    pyr_json_count(json, "players", players);
    pyr_json_count(json, "games", r->games);
    pyr_json_count(json, "seed", seed);
    pyr_json_text(json, "edition", edition->name);
    pyr_json_count(json, "steps", r->steps);
    pyr_text_json_real(json, "mean_score", (double)r->points / games, 4);
    pyr_text_json_real(json, "seconds", r->seconds, 6);
    pyr_text_json_real(json, "games_per_second", games / r->seconds, 0);
    pyr_text_json_real(json, "steps_per_second", steps / r->seconds, 0);
    pyr_text_json_real(json, "ns_per_step", r->seconds * 1e9 / steps, 2);
    if (r->instructions < 0)
        pyr_json_null(json, "instructions_per_step");
    else
        pyr_text_json_real(json, "instructions_per_step", r->instructions / steps, 1);
    pyr_json_close(json);
    cli_json_end(json);
}

static void print_text(const struct bench_result *r, const struct pyr_edition *edition, unsigned players, uint64_t seed)
{
    double games = (double)r->games, steps = (double)r->steps;
    printf(_("random games: %llu, players: %u, edition %s, seed %llu\n"), (unsigned long long)r->games, players,
        edition->name, (unsigned long long)seed);
    printf(_("%s games/s, %s steps/s, %s ns per step\n"), PYR_NUMBER(games / r->seconds, 0),
        PYR_NUMBER(steps / r->seconds, 0), PYR_NUMBER(r->seconds * 1e9 / steps, 1));
    printf(_("%s steps per game, mean score of seat 1: %s\n"), PYR_NUMBER(steps / games, 1),
        PYR_NUMBER((double)r->points / games, 2));
    if (r->instructions >= 0)
        printf(_("%s instructions per step, %s per game\n"), PYR_NUMBER(r->instructions / steps, 1),
            PYR_NUMBER(r->instructions / games, 0));
}

/* When interrupted, it reports the games that were played so far, if any. */
int cli_bench(int argc, char **argv)
{
    static struct pyr_edition edition;
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "players", 'p', "N", _("2 to 4 players (default 4)") },
        { "games", 'g', "G", _("number of games (default 300000)") },
        { "seed", 's', "S", _("random seed (default 1)") },
        { "edition", 'e', "E", _("a built-in edition or a file (default classic)") },
        { "batch", 0, NULL, _("play many games at once") },
        { "env", 0, NULL, _("step an environment, with observations and masks") },
        { "width", 0, "W", _("games per call with --env (default 256)") },
        { "json", 0, NULL, _("print JSON") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "bench [--players N] [--games G] [--seed S] [--edition E] [--batch | --env [--width W]]\n"
        "    [--json]",
        _("Plays uniformly random games on one thread with the functions that bots use: generate the\n"
          "legal steps of a seat, pick one, make it. Prints games per second, steps per second, ns per step\n"
          "and, where the system counts them, instructions per step. With --env only the time in the\n"
          "environment counts, not the choice of an action."),
        option,
        "  pyramids bench\n"
        "  pyramids bench --players 2 --games 1000000 --json\n"
        "  pyramids bench --env --width 1024\n",
    };
    int code = cli_parse_words(&options, 0, &argc, argv, value);
    if (code >= 0)
        return code;
    uint64_t players = 4, games = 300000, seed = 1, width = 256;
    if ((value[PLAYERS] && !cli_number(value[PLAYERS], "--players", PYR_MIN_SEATS, PYR_MAX_SEATS, &players)) ||
        (value[GAMES] && !cli_number(value[GAMES], "--games", 1, 1000000000, &games)) ||
        (value[WIDTH] && !cli_number(value[WIDTH], "--width", 1, 65536, &width)) ||
        (value[SEED] && !cli_number(value[SEED], "--seed", 0, UINT64_MAX, &seed)))
        return CLI_USAGE;
    if (value[BATCH] && value[ENV]) {
        cli_error(_("--batch cannot be combined with --env"));
        return CLI_USAGE;
    }
    if (value[WIDTH] && !value[ENV]) {
        cli_error(_("--width needs --env"));
        return CLI_USAGE;
    }
    if (argc) {
        cli_error(_("unexpected word '%s'"), argv[0]);
        return CLI_USAGE;
    }
    code = cli_edition_load(value[EDITION], &edition);
    if (code)
        return cli_json_failed(value[JSON], "edition", code);

    struct bench_result result;
    cli_catch_interrupt();
    if (value[BATCH]) {
        bench_batch(&edition.box, (unsigned)players, games, seed, &result);
    } else if (!value[ENV]) {
        bench_games(&edition.box, (unsigned)players, games, seed, &result);
    } else if (!bench_env(&edition.box, (unsigned)players, games, seed, (unsigned)width, &result)) {
        cli_error(_("out of memory"));
        return cli_json_failed(value[JSON], "memory", CLI_WRONG);
    }
    if (!result.games)
        return CLI_INTERRUPTED;
    if (result.seconds <= 0)
        result.seconds = 1e-9;
    (value[JSON] ? print_json : print_text)(&result, &edition, (unsigned)players, seed);
    return cli_is_interrupted() ? CLI_INTERRUPTED : CLI_GOOD;
}
