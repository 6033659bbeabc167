/* analyze.c: `pyramids analyze`: luck and skill of a whole game (src/judge), as text, JSON or a page. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pyramids/judge.h>

#include "cli.h"

/* How reports began before they were marked.
 * may_replace still accepts such pages as reports. */
#define OLDER_PAGE "<style>:root{--bg:#F3EADA;--paper:#FFFCF5"

/* Indexes into the list of options and into `value`, in the same order as `option` in cli_analyze. */
enum { EDITION, HTML, PLAYOUTS, SEED, THREADS, JSON, OPTIONS };

/* The columns grow with the words of a language (pyr_text_heading).
 * In an unfinished game there are no final points: the column shows the expected ones instead. */
static void print_sums(const struct pyr_judge_report *r)
{
    struct pyr_column column[] = { { _("player"), 0, -18 }, { r->finished ? _("points") : _("expected"), 1, 7 },
        { _("luck"), 1, 7 }, { _("skill"), 1, 7 }, { _("par"), 1, 7 }, { _("gained"), 1, 7 }, { _("rest"), 1, 7 },
        { "?!", 2, 3 }, { "?", 1, 3 },
        { "?" "?", 1, 3 },
        { _("points lost per decision"), 2, 0 } };
    putchar('\n');
    pyr_text_heading(stdout, column, sizeof column / sizeof *column);
    for (unsigned s = 0; s < r->seats; s++) {
        const struct pyr_luck_sum *sum = &r->sum[s];
        char name[PYR_MAX_PLAYER_NAME + 1];
        pyr_text_player(r->name[s], name, sizeof name);
        pyr_text_cell(stdout, &column[0], "%u %s", s + 1, name);
        pyr_text_cell(stdout, &column[1], "%s", PYR_NUMBER(sum->expected, r->finished ? 0 : 1));
        pyr_text_cell(stdout, &column[2], "%s", PYR_SIGNED(sum->luck, 1));
        pyr_text_cell(stdout, &column[3], "%s", PYR_NUMBER(sum->skill, 1));
        pyr_text_cell(stdout, &column[4], "%s", PYR_NUMBER(sum->par, 1));
        pyr_text_cell(stdout, &column[5], "%s", PYR_SIGNED(sum->gained, 1));
        pyr_text_cell(stdout, &column[6], "%s", PYR_SIGNED(sum->rest, 1));
        for (unsigned mark = 1; mark <= 3; mark++)
            pyr_text_cell(stdout, &column[6 + mark], "%u", sum->marks[mark]);
        if (sum->decisions)
            pyr_text_cell(stdout, &column[10], "%s ± %s (%s)\n", PYR_NUMBER(sum->rate, 2),
                PYR_NUMBER(sum->rate_margin, 2), pyr_text_level(pyr_luck_level(sum->rate)));
        else
            pyr_text_cell(stdout, &column[10], "-\n");
    }
    puts(r->finished ? _("points = luck + skill; skill = par + gained + rest") :
        _("The game is not finished: expected final points = luck + skill; skill = par + gained + rest"));
}

/* What is not certain.
 * The largest margin of all players is shown: one sentence for all of them. */
static void print_margins(const struct pyr_judge_report *r)
{
    unsigned unsure = 0;
    float margin = 0;
    for (unsigned s = 0; s < r->seats; s++) {
        unsure += r->sum[s].unsure;
        margin = r->sum[s].luck_margin > margin ? r->sum[s].luck_margin : margin;
    }
    printf(_("Luck and skill are accurate to about %s points (95%%).\n"), PYR_NUMBER(margin, 1));
    if (unsure)
        printf(pyr_ngettext("The mark of %u decision is not certain after %u simulated worlds.\n",
            "The marks of %u decisions are not certain after %u simulated worlds.\n", unsure), unsure,
            (unsigned)r->playouts);
}

/* Who has a choice to make where the record ends, and who has not made any. */
static void print_waiting(const struct pyr_judge_report *r)
{
    for (unsigned s = 0; s < r->seats; s++) {
        char name[PYR_MAX_PLAYER_NAME + 1];
        pyr_text_player(r->name[s], name, sizeof name);
        if (!r->sum[s].decisions)
            printf(_("%s has not made any choice yet.\n"), name);
        else if (r->sum[s].waiting)
            printf(_("%s has not chosen this turn yet.\n"), name);
    }
}

/* Decisions that cost something, one per line in the order of the record, then the sums. Line numbers count from 1. */
static void print_text(const struct pyr_judge_report *r)
{
    for (unsigned i = 0; i < r->decisions; i++) {
        const struct pyr_luck_decision *d = &r->decision[i];
        char made[PYR_JUDGE_CHOICE + PYR_JUDGE_SIGN], best[PYR_JUDGE_CHOICE], sign[PYR_JUDGE_SIGN];
        char lost[2 * PYR_NUMBER_SIZE], win_lost[2 * PYR_NUMBER_SIZE];
        if (d->mark == PYR_LUCK_FINE)
            continue;
        pyr_judge_choice(r, d, &d->made, made, sizeof made);
        pyr_judge_sign(d, sign);
        pyr_judge_cost(d, lost);
        pyr_judge_win_cost(d, win_lost);
        snprintf(made + strlen(made), sizeof made - strlen(made), d->state == PYR_LUCK_UNSURE ? " %s" : "%s", sign);
        pyr_judge_choice(r, d, &d->best[0], best, sizeof best);
        char name[PYR_MAX_PLAYER_NAME + 1];
        pyr_text_player(r->name[d->seat], name, sizeof name);
        printf(_("line %u, round %u, turn %u, %s: %s costs %s points, %s of the winning chances; best: %s\n"),
            (unsigned)d->line + 1, d->round + 1u, d->turn + 1u, name, made, lost, win_lost, best);
    }
    print_sums(r);
    print_margins(r);
    print_waiting(r);
}

/* Called by any thread, under the lock of judge.c.
 * On a terminal only; analyze() erases the line at the end. */
static void show_progress(void *context, unsigned begun, unsigned all)
{
    (void)context;
    fprintf(stderr, "\r%u / %u", begun, all);
}

/* A page may take the place of a report only: never of the record, or of anything else that somebody typed by mistake.
 * A missing or empty file, or one that is not a regular file (a pipe, a device), may be written. */
static bool may_replace(const char *path)
{
    struct stat at;
    char begin[201] = "";
    if (!strcmp(path, "-") || stat(path, &at) || !S_ISREG(at.st_mode) || !at.st_size)
        return true;
    FILE *file = fopen(path, "rb");
    if (file) {
        begin[fread(begin, 1, sizeof begin - 1, file)] = '\0';
        fclose(file);
    }
    bool report = !strncmp(begin, "<!doctype html>", 15) && (strstr(begin, PYR_JUDGE_PAGE) || strstr(begin, OLDER_PAGE));
    if (!report)
        cli_error(_("--html: '%s' exists and is not a report of 'pyramids analyze'; remove it or choose another name"),
            path);
    return report;
}

/* The page, written whole or not at all. */
static bool write_page(const struct pyr_judge_report *report, const char *path)
{
    if (!strcmp(path, "-"))
        return pyr_judge_write_html(report, stdout);         /* main looks whether that worked */
    char *page = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&page, &size);
    bool good = to && pyr_judge_write_html(report, to);
    if (to && fclose(to))
        good = false;
    if (!good)
        cli_error(_("out of memory"));
    good = good && cli_write(path, page, size);
    free(page);
    return good;
}

/* Makes the analysis and prints what is asked for.
 * Returns the exit code. With --json a refusal is an
 * object too, so that a program always reads JSON. */
static int analyze(const struct pyr_edition *edition, const struct cli_text *text, const struct pyr_judge_options *options,
    const char *html, bool json)
{
    static struct pyr_judge_report report;
    struct pyr_fault fault;
    const char *wrong = NULL;
    int code = CLI_GOOD;
    enum pyr_judge_code judged = pyr_judge_init(&report, edition, text->at, text->size, options, &fault);
    cli_catch_interrupt();                   /* what follows takes a moment only, and files are written whole */
    if (options->progress)
        fputs("\r\033[K", stderr);
    switch (judged) {
    case PYR_JUDGE_GOOD:
        if (html && !write_page(&report, html))
            code = CLI_WRONG;
        if (json)
            pyr_judge_write_json(&report, stdout);
        else if (!html || strcmp(html, "-"))
            print_text(&report);
        break;
    case PYR_JUDGE_RECORD:
        cli_fault(text->name, &fault);
        wrong = "record";
        break;
    case PYR_JUDGE_DEALING:
        cli_error(_("%s: the cards are still being dealt"), text->name);
        wrong = "dealing";
        break;
    case PYR_JUDGE_MEMORY:
        cli_error(_("out of memory"));
        wrong = "memory";
        break;
    case PYR_JUDGE_CANCELLED:
        code = CLI_INTERRUPTED;
        break;
    }
    pyr_judge_finish(&report);
    if (wrong && json)
        cli_json_refuse(text->name, wrong, judged == PYR_JUDGE_RECORD ? &fault : NULL);
    return wrong ? CLI_WRONG : code;
}

/* Arguments are checked first and the output file before the analysis, which may take minutes: nothing should fail at
 * the end. */
int cli_analyze(int argc, char **argv)
{
    static struct pyr_edition edition;
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "edition", 'e', "E", _("a built-in edition or a file (default: the one the record names)") },
        { "html", 0, "OUT", _("write a self-contained page, or - for standard output") },
        { "playouts", 'p', "N", _("at most N simulated worlds per decision (default 32768)") },
        { "seed", 0, "S", _("random seed (default 1)") },
        { "threads", 't', "T", _("number of threads (default: one per core); affects only the time") },
        { "json", 0, NULL, _("print JSON") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "analyze FILE [--json] [--html OUT] [OPTIONS]",
        /* xgettext:no-c-format */
        _("Was it luck or skill? Compares every decision with the best choice given what the player knew, and marks\n"
          "those that cost ?! at least 1.5 points or 2% of the winning chances, ? 3 points or 5%, ?? 6 points or\n"
          "10%. Each decision is simulated until its mark is certain (95%) or --playouts is reached; then both\n"
          "possible marks and the margin are shown. Luck is measured at every reveal, draw and new display: the value\n"
          "of the card that came minus the average of all that could have come. points = luck + skill; skill = par\n"
          "(the average score expected before the deal) + gained (by better-than-average choices) + rest (other\n"
          "players' choices and sampling noise). For an unfinished game, the expected final points are used instead\n"
          "of the points so far."),
        option,
        "  pyramids analyze game.pyr\n"
        "  pyramids analyze game.pyr --html report.html\n"
        "  pyramids analyze game.pyr --html - > report.html\n"
        "  pyramids analyze game.pyr --json --playouts 100000 > analysis.json\n",
    };
    int code = cli_parse(&options, &argc, argv, value);
    if (code >= 0)
        return code;
    uint64_t playouts = PYR_JUDGE_PLAYOUTS, seed = PYR_LUCK_SEED, threads = 0;
    if (argc != 1) {
        cli_error(_("expected one record"));
        return CLI_USAGE;
    }
    if ((value[PLAYOUTS] && !cli_number(value[PLAYOUTS], "--playouts", 100, 10000000, &playouts)) ||
        (value[SEED] && !cli_number(value[SEED], "--seed", 0, UINT64_MAX, &seed)) ||
        (value[THREADS] && !cli_number(value[THREADS], "--threads", 1, PYR_JUDGE_THREADS, &threads)))
        return CLI_USAGE;
    if (value[HTML] && value[JSON] && !strcmp(value[HTML], "-")) {
        cli_error(_("--html - cannot be combined with --json: both write to standard output"));
        return CLI_USAGE;
    }
    if (value[HTML] && !may_replace(value[HTML]))
        return CLI_WRONG;
    if (!threads) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        threads = cores > 0 && cores <= PYR_JUDGE_THREADS ? (uint64_t)cores : 1;
    }
    struct cli_text text;
    const char *wrong = NULL;
    if (value[JSON])
        pyr_text_use("en");                  /* what programs read is the same in all languages */
    if (!cli_read(argv[0], &text))
        wrong = "file";
    else if (cli_edition_for(value[EDITION], &text, &edition))
        wrong = "edition";
    if (wrong && value[JSON])
        cli_json_refuse(text.name, wrong, NULL);
    code = CLI_WRONG;
    if (!wrong) {
        const struct pyr_judge_options how = { .playouts = (uint32_t)playouts, .threads = (unsigned)threads, .seed = seed,
            .progress = isatty(STDERR_FILENO) ? show_progress : NULL };
        cli_end_on_interrupt();
        code = analyze(&edition, &text, &how, value[HTML], value[JSON] != NULL);
    }
    free(text.at);
    return code;
}
