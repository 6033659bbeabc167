/* bench.c: `pyramids bench`: uniformly random complete games on one thread. */
#include "cli.h"

enum { PLAYERS, GAMES, SEED, EDITION, JSON, OPTIONS };

int cli_bench(int argc, char **argv)
{
    static struct pyr_edition edition;
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "players", 'p', "N", _("2 to 4 players (default 4)") },
        { "games", 'g', "G", _("number of games (default 300000)") },
        { "seed", 's', "S", _("random seed (default 1)") },
        { "edition", 'e', "E", _("a built-in edition or a file (default classic)") },
        { "json", 0, NULL, _("print JSON") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "bench [--players N] [--games G] [--seed S] [--edition E] [--json]",
        _("Plays uniformly random games on one thread with the functions that bots use: generate the\n"
          "legal steps of a seat, pick one, make it. Prints games per second, steps per second, ns per step."),
        option,
        "  pyramids bench\n"
        "  pyramids bench --players 2 --games 1000000 --json\n",
    };
    int code = cli_parse(&options, &argc, argv, value);
    if (code >= 0)
        return code;
    uint64_t players = 4, games = 300000, seed = 1;
    if ((value[PLAYERS] && !cli_number(value[PLAYERS], "--players", PYR_MIN_SEATS, PYR_MAX_SEATS, &players)) ||
        (value[GAMES] && !cli_number(value[GAMES], "--games", 1, 1000000000, &games)) ||
        (value[SEED] && !cli_number(value[SEED], "--seed", 0, UINT64_MAX, &seed)))
        return CLI_USAGE;
    if (argc) {
        cli_error(_("unexpected word '%s'"), argv[0]);
        return CLI_USAGE;
    }
    code = cli_edition_load(value[EDITION], &edition);
    if (code)
        return code;

    struct pyr_state state;
    struct pyr_rng rng;
    uint64_t steps = 0, played = 0, points = 0;
    cli_catch_interrupt();
    pyr_rng_seed(&rng, seed, 0);
    double start = cli_seconds();
    for (; played < games && !cli_is_interrupted(); played++) {
        pyr_state_deal(&state, &edition.box, (unsigned)players, &rng);
        steps += pyr_state_playout(&edition.box, &state, &rng);
        points += (uint64_t)(pyr_table_score(&edition.box, &state.open, 0).total + 10000);
    }
    if (!played)
        return CLI_INTERRUPTED;
    double seconds = cli_seconds() - start;
    if (seconds <= 0)
        seconds = 1e-9;
    double mean = (double)points / (double)played - 10000;
    if (value[JSON]) {
        struct pyr_json *json = cli_json_begin();
        pyr_json_object(json, NULL);
        pyr_json_count(json, "players", players);
        pyr_json_count(json, "games", played);
        pyr_json_count(json, "seed", seed);
        pyr_json_text(json, "edition", edition.name);
        pyr_json_count(json, "steps", steps);
        pyr_text_json_real(json, "mean_score", mean, 4);
        pyr_text_json_real(json, "seconds", seconds, 6);
        pyr_text_json_real(json, "games_per_second", (double)played / seconds, 0);
        pyr_text_json_real(json, "steps_per_second", (double)steps / seconds, 0);
        pyr_text_json_real(json, "ns_per_step", seconds * 1e9 / (double)steps, 2);
        pyr_json_close(json);
        cli_json_end(json);
    } else {
        printf(_("random games: %llu, players: %u, edition %s, seed %llu\n"), (unsigned long long)played, (unsigned)players,
            edition.name, (unsigned long long)seed);
        printf(_("%s games/s, %s steps/s, %s ns per step\n"), PYR_NUMBER((double)played / seconds, 0),
            PYR_NUMBER((double)steps / seconds, 0), PYR_NUMBER(seconds * 1e9 / (double)steps, 1));
        printf(_("%s steps per game, mean score of seat 1: %s\n"), PYR_NUMBER((double)steps / (double)played, 1),
            PYR_NUMBER(mean, 2));
    }
    return cli_is_interrupted() ? CLI_INTERRUPTED : CLI_GOOD;
}
