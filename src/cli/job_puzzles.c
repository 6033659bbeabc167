/* job_puzzles.c: selects puzzles found by tools/puzzles.c, rates puzzles and bots against each other, and shuffles and
 * numbers the puzzles. */
#include <stdlib.h>
#include <string.h>

#include <pyramids/puzzle.h>

#include "cli.h"
#include "job.h"
#include "job_puzzles.h"

const struct job_rater job_raters[JOB_RATERS] = { { "random", 8 }, { "novice", 8 }, { "casual", 8 }, { "greedy", 2 },
    { "club", 8 }, { "expert", 1 } };

struct found {
    unsigned solved[JOB_RATERS];
    uint32_t game;
    unsigned place;              /* within its game, for the order */
    char *line;                  /* its line, from the game on */
    unsigned theme;              /* the first theme, and bits of all */
    uint8_t themes;
    bool exact;
    double rating;
    uint32_t order;
};

static struct pyr_edition edition;
static struct found *found;
static size_t founds;

static int by_place(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    return x->game != y->game ? (x->game > y->game) - (x->game < y->game) : (x->place > y->place) - (x->place < y->place);
}

static int by_order(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    return x->order != y->order ? (x->order > y->order) - (x->order < y->order) : by_place(a, b);
}

static bool begin(const char *job)
{
    return !strncmp(job, "seed ", 5) && job_edition(job, &edition);
}

static bool read_one(const char *text, size_t length, unsigned place)
{
    static size_t room;
    struct found f = { .place = place };
    unsigned *s = f.solved, seats, round, turn, seat, check, playouts;
    char letters[16];
    int at = 0;
    char *line = strndup(text, length);
    if (founds == room) {
        room = room ? 2 * room : 4096;
        struct found *more = realloc(found, room * sizeof *more);
        found = more ? more : found;
        if (!more || !line) {
            free(line);
            cli_error(_("out of memory"));
            exit(CLI_WRONG);
        }
    }
    bool good = sscanf(line, "%u,%u,%u,%u,%u,%u %n", &s[0], &s[1], &s[2], &s[3], &s[4], &s[5], &at) == JOB_RATERS &&
        sscanf(line + at, "%u %u %u %u %u %15s %u %u", &f.game, &seats, &round, &turn, &seat, letters, &check,
            &playouts) == 8;
#define THEME(NAME, number, name, letter) if (good && strchr(letters, letter)) f.themes |= 1u << number;
    PYR_PUZZLE_THEMES(THEME)
#undef THEME
    if (good && f.themes) {
        f.line = strdup(line + at);
        f.exact = !playouts;
        f.theme = (unsigned)__builtin_ctz(f.themes);
        found[founds++] = f;
    }
    free(line);
    return good && f.themes && f.line;
}

/* All puzzles of a game. */
static bool add(const char *data, FILE *to)
{
    (void)to;
    if (!strcmp(data, "-"))
        return true;
    for (unsigned place = 0;; place++) {
        size_t length = strcspn(data, "|");
        if (!read_one(data, length, place))
            return false;
        if (!data[length])
            return true;
        data += length + 1;
    }
}

/* The chance that a bot of one rating solves a puzzle of another, as in Glicko and Elo: 10^(d/400) to 1. */
static double chance(double bot, double puzzle)
{
    double x = (bot - puzzle) / 173.7178, sum = 1, term = 1;
    double half = (x < 0 ? -x : x) / 64;
    for (unsigned i = 1; i < 20; i++)
        sum += term *= half / i;
    for (unsigned i = 0; i < 6; i++)
        sum *= sum;
    return x < 0 ? 1 / (1 + sum) : sum / (1 + sum);
}

/* Finds the ratings that best explain which bot has solved which puzzle (Bradley-Terry, by bisection in turns). Puzzles
 * are assumed to be around 1500 with a deviation of 300, as if that had been observed: otherwise a puzzle that all bots
 * solve would have no rating. */
static void fit(void)
{
    double bot[JOB_RATERS];
    for (unsigned r = 0; r < JOB_RATERS; r++)
        bot[r] = 1500;
    for (size_t i = 0; i < founds; i++)
        found[i].rating = 1500;
    for (unsigned pass = 0; pass < 40; pass++) {
        for (unsigned r = 0; r < JOB_RATERS; r++) {
            double low = 0, high = 3500;
            while (high - low > 0.01) {
                double middle = (low + high) / 2, sum = 0;
                for (size_t i = 0; i < founds; i++)
                    sum += found[i].solved[r] - job_raters[r].tries * chance(middle, found[i].rating);
                *(sum > 0 ? &low : &high) = middle;
            }
            bot[r] = low;
        }
        for (size_t i = 0; i < founds; i++) {
            double low = 400, high = 2800;
            while (high - low > 0.01) {
                double middle = (low + high) / 2, sum = -(middle - 1500) / (300.0 * 300) * 173.7178;
                for (unsigned r = 0; r < JOB_RATERS; r++)
                    sum += job_raters[r].tries * chance(bot[r], middle) - found[i].solved[r];
                *(sum > 0 ? &low : &high) = middle;
            }
            found[i].rating = low;
        }
    }
    for (unsigned r = 0; r < JOB_RATERS; r++)
        fprintf(stderr, "%-8s %4.0f\n", job_raters[r].name, bot[r]);
}

/* Reduces the exact puzzles of themes that are too frequent, by their first theme. */
static void choose_among(unsigned most_exact)
{
    unsigned have[PYR_PUZZLE_THEME_COUNT] = { 0 };
    size_t kept = 0;
    qsort(found, founds, sizeof *found, by_order);
    for (size_t i = 0; i < founds; i++) {
        if (found[i].exact && have[found[i].theme]++ >= most_exact)
            continue;
        found[kept++] = found[i];
    }
    founds = kept;
}

static bool end(FILE *to)
{
    unsigned per_theme[PYR_PUZZLE_THEME_COUNT] = { 0 }, exact = 0;
    if (!founds) {
        fputs("no puzzles found\n", stderr);
        return false;
    }
    qsort(found, founds, sizeof *found, by_place);
    for (size_t i = 0; i < founds; i++)          /* the same order however the job was split into files */
        found[i].order = ((uint32_t)i + 1) * UINT32_C(2654435761);
    fit();
    choose_among(600);
    if (founds > PYR_PUZZLES)
        founds = PYR_PUZZLES;
    fprintf(to, "pyramids-puzzles 1 %s\n", edition.name);
    for (size_t i = 0; i < founds; i++) {
        const struct found *f = &found[i];
        char *rest = f->line;
        for (unsigned word = 0; word < 6; word++)
            rest = strchr(rest + 1, ' ');
        fprintf(to, "%zu %.*s %.0f%s\n", i + 1, (int)(rest - f->line), f->line, f->rating, rest);
        exact += f->exact;
        for (unsigned t = 0; t < PYR_PUZZLE_THEME_COUNT; t++)
            per_theme[t] += f->themes >> t & 1;
    }
    fprintf(stderr, "%zu puzzles, %u exact;", founds, exact);
    for (unsigned t = 0; t < PYR_PUZZLE_THEME_COUNT; t++)
        fprintf(stderr, " %s %u", pyr_puzzle_theme_name(t), per_theme[t]);
    fputc('\n', stderr);
    for (size_t i = 0; i < founds; i++)
        free(found[i].line);
    free(found);
    return true;
}

const struct job_kind job_puzzles = { "puzzles", begin, add, end };
