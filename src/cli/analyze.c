/* analyze.c: `pyramids analyze`: luck and skill of a whole game (src/judge), as text, JSON or a page. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pyramids/judge.h>

#include "cli.h"
#include "merge.h"
#include "shard.h"

/* How reports began before they had the generator tag. may_replace still accepts such pages as reports. */
#define OLDER_PAGE "<style>:root{--bg:#F3EADA;--paper:#FFFCF5"

enum { EDITION, HTML, PLAYOUTS, SEED, THREADS, SHARD, OUTPUT, JSON, OPTIONS };

#define MOST_TASKS (2 * PYR_LOG_LINES)

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

/* The margins of the sums. The largest margin of all players is shown: one sentence for all of them. */
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

/* Players who have a choice to make where the record ends, and whether they have made any. */
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

/* Only an earlier report may be replaced by a page: never the record, or another file that was named by mistake. A
 * missing or empty file, or one that is not a regular file (a pipe, a device), may be written. */
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

/* Writes the page, whole or not at all. */
static bool write_page(const struct pyr_judge_report *report, const char *path)
{
    if (!strcmp(path, "-"))
        return pyr_judge_write_html(report, stdout);         /* main checks whether that worked */
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

/* Parts of an analysis: an item per task (judge.h), its result as bytes. */

struct part {
    struct shard shard;
    FILE *file;
    const char *text[MOST_TASKS];    /* when merging: the item of each task, NULL if it is missing */
    bool has[MOST_TASKS];            /* when making a part: the results that the file already has */
    bool is_missing;
};

/* The description that all parts of an analysis share, with both texts. */
static char *job_text(const struct pyr_edition *edition, const struct cli_text *record,
    const struct pyr_judge_options *options, size_t *size)
{
    char *text = NULL;
    FILE *to = open_memstream(&text, size);
    size_t room = pyr_edition_write(edition, NULL, 0) + 1;
    char *printed = malloc(room);
    bool good = to && printed;
    if (good) {
        pyr_edition_write(edition, printed, room);
        good = fprintf(to, "playouts %u\nseed %llu\nedition %zu\n%srecord %zu\n%s", (unsigned)options->playouts,
            (unsigned long long)options->seed, room - 1, printed, record->size, record->at) > 0;
    }
    free(printed);
    if (to && fclose(to))
        good = false;
    if (!good)
        cli_error(_("out of memory"));
    return text;
}

static void part_keep(void *context, unsigned task, const void *result, size_t size)
{
    struct part *part = context;
    const uint8_t *byte = result;
    fprintf(part->file, "item %u ", task);
    for (size_t i = 0; i < size; i++)
        fprintf(part->file, "%02x", byte[i]);
    fputc('\n', part->file);
    fflush(part->file);
}

/* Skips tasks of other parts, and those that are done. */
static bool part_recall(void *context, unsigned task, void *result, size_t size)
{
    const struct part *part = context;
    (void)result;
    (void)size;
    return task % part->shard.count != part->shard.index || (task < MOST_TASKS && part->has[task]);
}

static bool count_item(void *context, uint64_t number, const char *data)
{
    struct part *part = context;
    size_t length = strlen(data);
    bool is_good = number < MOST_TASKS && number % part->shard.count == part->shard.index && length && length % 2 == 0 &&
        strspn(data, "0123456789abcdef") == length;
    if (is_good)
        part->has[number] = true;
    return is_good;
}

/* Makes one part of an analysis. */
static int make_part(const struct pyr_edition *edition, const struct cli_text *text, struct pyr_judge_options *options,
    struct part *part, const char *path)
{
    static struct pyr_judge_report report;
    struct pyr_fault fault;
    size_t size;
    char *job = job_text(edition, text, options, &size);
    if (!job)
        return CLI_WRONG;
    part->file = shard_open(path, "analyze", &part->shard, job, size, count_item, part);
    free(job);
    if (!part->file)
        return CLI_WRONG;
    options->recall = part_recall;
    options->keep = part_keep;
    options->context = part;
    enum pyr_judge_code judged = pyr_judge_init(&report, edition, text->at, text->size, options, &fault);
    pyr_judge_finish(&report);
    if (options->progress)
        fputs("\r\033[K", stderr);
    bool good = judged == PYR_JUDGE_GOOD && !ferror(part->file);
    if (judged == PYR_JUDGE_RECORD)
        cli_fault(text->name, &fault);
    else if (judged == PYR_JUDGE_DEALING)
        cli_error(_("%s: the cards are still being dealt"), text->name);
    else if (!good)
        cli_error("%s: %s", path, pyr_text_system(errno));
    return fclose(part->file) || !good ? CLI_WRONG : CLI_GOOD;
}

/* Makes the analysis and prints it in the requested form. */
static int analyze(const struct pyr_edition *edition, const struct cli_text *text, const struct pyr_judge_options *options,
    const char *html, bool json)
{
    static struct pyr_judge_report report;
    struct pyr_fault fault;
    const char *wrong = NULL;
    int code = CLI_GOOD;
    enum pyr_judge_code judged = pyr_judge_init(&report, edition, text->at, text->size, options, &fault);
    cli_catch_interrupt();                   /* the rest takes only a moment, and files are written whole */
    if (options->progress)
        fputs("\r\033[K", stderr);
    if (options->recall && ((const struct part *)options->context)->is_missing) {
        cli_error(_("results are missing; run the parts again: only what is missing is made"));
        pyr_judge_finish(&report);
        return CLI_WRONG;
    }
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

/* Takes results from the files of all parts. */
static bool merge_recall(void *context, unsigned task, void *result, size_t size)
{
    struct part *part = context;
    const char *text = task < MOST_TASKS ? part->text[task] : NULL;
    uint8_t *byte = result;
    if (!text || strlen(text) != 2 * size) {
        part->is_missing = true;
        return true;
    }
    for (size_t i = 0; i < size; i++) {
        const char pair[3] = { text[2 * i], text[2 * i + 1], '\0' };
        byte[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return true;
}

static bool read_job(char *job, size_t size, struct pyr_edition *edition, struct cli_text *record,
    struct pyr_judge_options *options)
{
    unsigned long long seed;
    unsigned playouts;
    size_t printed, length;
    int at = -1;
    struct pyr_fault fault;
    if (sscanf(job, "playouts %u\nseed %llu\nedition %zu%n", &playouts, &seed, &printed, &at) != 3 || at < 0 ||
        job[at] != '\n' || printed > size - (size_t)at - 1 ||
        pyr_edition_read(edition, job + at + 1, printed, &fault))
        return false;
    job += (size_t)at + 1 + printed;
    size -= (size_t)at + 1 + printed;
    at = -1;
    if (sscanf(job, "record %zu%n", &length, &at) != 1 || at < 0 || job[at] != '\n' || length != size - (size_t)at - 1)
        return false;
    *record = (struct cli_text){ .at = job + at + 1, .size = length };
    options->playouts = playouts;
    options->seed = seed;
    return true;
}

int analyze_merge(struct shard_file *files, unsigned count, bool json)
{
    static struct pyr_edition edition;
    static struct part part;
    struct pyr_judge_options options = { .threads = 1, .recall = merge_recall, .context = &part };
    struct cli_text record;
    char *kept[MOST_TASKS] = { NULL };
    int code = CLI_WRONG;
    if (!read_job(files[0].job, files[0].size, &edition, &record, &options)) {
        cli_error(_("%s: not a file that --shard wrote"), files[0].path);
        return CLI_WRONG;
    }
    record.name = files[0].path;
    for (unsigned i = 0; i < count; i++) {
        uint64_t number;
        const char *data;
        while (shard_next(&files[i], &number, &data))
            if (number < MOST_TASKS && !kept[number])
                part.text[number] = kept[number] = strdup(data);
    }
    if (json)
        pyr_text_use("en");
    code = analyze(&edition, &record, &options, NULL, json);
    for (unsigned i = 0; i < MOST_TASKS; i++)
        free(kept[i]);
    return code;
}

/* As many threads as requested, or one per core. */
static unsigned threads_for(uint64_t wanted)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return wanted ? (unsigned)wanted : cores > 0 && cores <= PYR_JUDGE_THREADS ? (unsigned)cores : 1;
}

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
        { "shard", 0, "I/N", _("make only part I of N; `pyramids merge` puts the parts together") },
        { "output", 'o', "FILE", _("file for the results of a part; one that was interrupted is continued") },
        { "json", 0, NULL, _("print JSON") },
        { NULL, 0, NULL, NULL },
    };
    char legend[300], about[2000];
    pyr_judge_legend(legend, sizeof legend);
    snprintf(about, sizeof about,
        _("Was it luck or skill? Compares every decision with the best choice given what the player knew, and marks\n"
          "costly ones: %s.\n"
          "Each decision is simulated until its mark is certain (95%%) or --playouts is reached; then both\n"
          "possible marks and the margin are shown. Luck is measured at every reveal, draw and new display: the value\n"
          "of the card that came minus the average of all that could have come. points = luck + skill; skill = par\n"
          "(the average score expected before the deal) + gained (by better-than-average choices) + rest (other\n"
          "players' choices and sampling noise). For an unfinished game, the expected final points are used instead\n"
          "of the points so far."), legend);
    const struct cli_options options = {
        "analyze FILE [--json] [--html OUT] [OPTIONS]", about, option,
        "  pyramids analyze game.pyr\n"
        "  pyramids analyze game.pyr --html report.html\n"
        "  pyramids analyze game.pyr --html - > report.html\n"
        "  pyramids analyze game.pyr --json --playouts 100000 > analysis.json\n",
    };
    int code = cli_parse(&options, &argc, argv, value);
    if (code >= 0)
        return code;
    uint64_t playouts = PYR_JUDGE_PLAYOUTS, seed = PYR_LUCK_SEED, threads = 0;
    static struct part part;
    static const uint32_t excluded[OPTIONS] = { [SHARD] = 1u << HTML | 1u << JSON };
    if (!cli_go_together(option, value, excluded) || !shard_options(value[SHARD], value[OUTPUT], &part.shard))
        return CLI_USAGE;
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
    struct cli_text text;
    const char *wrong = NULL;
    bool json = cli_json_wanted(value[JSON]);
    if (!cli_read(argv[0], &text))
        wrong = "file";
    else if (cli_edition_for(value[EDITION], &text, &edition))
        wrong = "edition";
    if (wrong && json)
        cli_json_refuse(text.name, wrong, NULL);
    code = CLI_WRONG;
    if (!wrong) {
        struct pyr_judge_options how = { .playouts = (uint32_t)playouts, .threads = threads_for(threads), .seed = seed,
            .progress = isatty(STDERR_FILENO) ? show_progress : NULL };
        cli_end_on_interrupt();
        code = part.shard.count ? make_part(&edition, &text, &how, &part, value[OUTPUT])
            : analyze(&edition, &text, &how, value[HTML], json);
    }
    free(text.at);
    return code;
}
