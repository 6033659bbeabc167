/* analyze.c: `pyramids analyze`: luck and skill of a whole game, as text or JSON; the page is report.c's. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "judge.h"

enum { EDITION, HTML, PLAYOUTS, SEED, THREADS, JSON, OPTIONS };

static void write_choice(const struct judge_report *r, const struct judge_decision *d, const struct pyr_option *option, char *to, size_t size)
{
    struct pyr_replay replay;
    const struct pyr_desk none = { .card = { PYR_NO_CARD, PYR_NO_CARD } };
    bool known = !pyr_match_replay(&r->match, d->line, &replay);
    judge_write_choice(known ? &replay.state.open.desk[d->seat] : &none, option, to, size);
}

static void print_text(const struct judge_report *r)
{
    for (unsigned i = 0; i < r->decisions; i++) {
        const struct judge_decision *d = &r->decision[i];
        char made[PYR_MAX_CHOICE * 8 + 16], best[PYR_MAX_CHOICE * 8 + 16];
        if (d->mark == JUDGE_FINE)
            continue;
        write_choice(r, d, &d->made, made, sizeof made);
        write_choice(r, d, &d->best[0], best, sizeof best);
        printf(_("line %u, round %u, turn %u, %.*s: %s%s loses %.1f points, %.1f%% to win; best: %s\n"), (unsigned)d->line + 1, d->round + 1u, d->turn + 1u,
            (int)r->name[d->seat].length, r->name[d->seat].at, made, judge_threshold[d->mark].sign, d->points_lost, 100 * d->win_lost,
            best);
    }
    printf("\n%-18s %7s %7s %7s %7s %7s %7s  %3s %3s %3s  %s\n", _("player"), _("points"), _("luck"), _("skill"), _("par"), _("gained"), _("rest"), "?!",
        "?", "??", _("points lost a decision"));
    for (unsigned s = 0; s < r->seats; s++) {
        const struct judge_sum *sum = &r->sum[s];
        printf("%u %-16.*s %7.0f %+7.1f %7.1f %7.1f %+7.1f %+7.1f  %3u %3u %3u  %.2f (%s)\n", s + 1, (int)r->name[s].length, r->name[s].at, sum->actual,
            sum->luck, sum->skill, sum->par, sum->gained, sum->rest, sum->marks[1], sum->marks[2], sum->marks[3], sum->rate,
            judge_class(sum->rate));
    }
    puts(_("points = luck + skill; skill = par + gained + rest"));
}

static void print_values(const char *name, const float *value, unsigned seats)
{
    printf(", \"%s\": [", name);
    for (unsigned s = 0; s < seats; s++)
        printf("%s%.4f", s ? ", " : "", (double)value[s]);
    putchar(']');
}

static void print_json(const struct judge_report *r)
{
    printf("{\"edition\": ");
    cli_json_string(stdout, r->edition->name, strlen(r->edition->name));
    printf(", \"finished\": %s, \"players\": [", r->finished ? "true" : "false");
    for (unsigned s = 0; s < r->seats; s++) {
        const struct judge_sum *sum = &r->sum[s];
        printf("%s{\"seat\": %u, \"name\": ", s ? ", " : "", s + 1);
        cli_json_string(stdout, r->name[s].at, r->name[s].length);
        printf(", \"points\": %.0f, \"luck\": %.2f, \"skill\": %.2f, \"par\": %.2f, \"gained\": %.2f, \"rest\": %.2f, \"lost\": %.2f, \"win_luck\": %.4f, "
               "\"win_lost\": %.4f, \"decisions\": %u, \"dubious\": %u, \"mistakes\": %u, \"blunders\": %u, \"error_rate\": %.4f, "
               "\"class\": \"%s\"}", sum->actual, sum->luck, sum->skill, sum->par, sum->gained, sum->rest, sum->lost, sum->win_luck, sum->win_lost,
            sum->decisions, sum->marks[1], sum->marks[2], sum->marks[3], sum->rate, judge_class(sum->rate));
    }
    printf("], \"thresholds\": {");
    for (int m = JUDGE_DUBIOUS; m <= JUDGE_BLUNDER; m++)
        printf("%s\"%s\": {\"points\": %g, \"win\": %g}", m > 1 ? ", " : "", judge_threshold[m].sign, judge_threshold[m].points, judge_threshold[m].win);
    printf("}, \"decisions\": [");
    for (unsigned i = 0; i < r->decisions; i++) {
        const struct judge_decision *d = &r->decision[i];
        char text[PYR_MAX_CHOICE * 8 + 16];
        printf("%s{\"line\": %u, \"seat\": %u, \"made\": ", i ? ", " : "", (unsigned)d->line + 1, d->seat + 1u);
        write_choice(r, d, &d->made, text, sizeof text);
        cli_json_string(stdout, text, strlen(text));
        printf(", \"points\": %.2f, \"win\": %.4f, \"points_lost\": %.2f, \"win_lost\": %.4f, \"points_gained\": %.2f, \"mark\": \"%s\", \"best\": [", d->made.points,
            d->made.win, d->points_lost, d->win_lost, d->points_gained, judge_threshold[d->mark].sign);
        for (unsigned k = 0; k < d->bests; k++) {
            write_choice(r, d, &d->best[k], text, sizeof text);
            printf("%s{\"choice\": ", k ? ", " : "");
            cli_json_string(stdout, text, strlen(text));
            printf(", \"points\": %.2f, \"win\": %.4f}", d->best[k].points, d->best[k].win);
        }
        printf("]}");
    }
    printf("], \"chance\": [");
    for (unsigned i = 0; i < r->chances; i++) {
        const struct judge_chance *c = &r->chance[i];
        struct pyr_word line = pyr_match_line(&r->match, c->line);
        printf("%s{\"line\": %u, \"event\": ", i ? ", " : "", (unsigned)c->line + 1);
        cli_json_string(stdout, line.at, line.length);
        print_values("points", c->after.points, r->seats);
        print_values("win", c->after.win, r->seats);
        print_values("points_luck", c->luck.points, r->seats);
        print_values("win_luck", c->luck.win, r->seats);
        putchar('}');
    }
    puts("]}");
}

int cli_analyze(int argc, char **argv)
{
    static struct pyr_edition edition;
    static struct judge_report report;
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "edition", 'e', "E", _("a built-in edition or a file (default: the one the record names)") },
        { "html", 0, "OUT", _("write a page with everything in it") },
        { "playouts", 'p', "N", _("games played on for each decision (default 3000)") },
        { "seed", 0, "S", _("seed of the random numbers (default 1)") },
        { "threads", 't', "T", _("threads (default: one a core); changes nothing but the time") },
        { "json", 0, NULL, _("print JSON") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "analyze FILE [--json] [--html OUT] [OPTIONS]",
        _("Was it luck or skill? Every decision is compared with the best choice that the player could have known, and marked:\n"
          "?! from 1.5 points or 2% of the chance to win lost, ? from 3 or 5%, ?? from 6 or 10%, if the loss is larger than its margin.\n"
          "For every reveal, draw and new display the luck of each player is what came minus the mean of what could have come.\n"
          "points = luck + skill; skill = par (what usual play brings before the deal) + gained (by choices, against usual ones)\n"
          "+ rest (what others' choices and the noise of the playouts leave over)."),
        option,
        "  pyramids analyze game.pyr\n"
        "  pyramids analyze game.pyr --html report.html\n"
        "  pyramids analyze game.pyr --json --playouts 20000 > analysis.json\n",
    };
    int code = cli_parse(&options, &argc, argv, value);
    if (code >= 0)
        return code;
    uint64_t playouts = 3000, seed = 1, threads = 0;
    if (argc != 1) {
        cli_error(_("expected one record"));
        return CLI_USAGE;
    }
    if ((value[PLAYOUTS] && !cli_number(value[PLAYOUTS], "--playouts", 100, 10000000, &playouts)) ||
        (value[SEED] && !cli_number(value[SEED], "--seed", 0, UINT64_MAX, &seed)) ||
        (value[THREADS] && !cli_number(value[THREADS], "--threads", 1, 64, &threads)))
        return CLI_USAGE;
    if (!threads) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        threads = cores > 0 && cores <= 64 ? (uint64_t)cores : 1;
    }
    struct cli_text text;
    struct pyr_replay replay;
    code = cli_record_load(argv[0], value[EDITION], PYR_NOBODY, &text, &edition, &replay);
    if (code)
        return code;
    if (replay.stage < PYR_STAGE_PLAY) {
        cli_error(_("%s: the cards are still being dealt"), text.name);
        code = CLI_WRONG;
    }
    if (!code) {
        cli_catch_interrupt();
        if (!judge_init(&report, &edition, text.at, text.size, (uint32_t)playouts, seed, (unsigned)threads)) {
            code = cli_is_interrupted() ? CLI_INTERRUPTED : CLI_WRONG;
        } else {
            if (value[HTML] && !judge_write_html(&report, value[HTML]))
                code = CLI_WRONG;
            if (value[JSON])
                print_json(&report);
            else
                print_text(&report);
        }
        judge_finish(&report);
    }
    free(text.at);
    return code;
}
