/*
 * puzzles.c: makes the puzzles (docs/puzzles.md).
 *
 *     puzzles make EDITION --seed S --games N > editions/classic.puzzles
 *     puzzles make EDITION --seed S --games N --shard I/N --output FILE
 *     puzzles check EDITION editions/classic.puzzles [--every N] [--playouts N]
 *
 * make plays games of bots (puzzle.h) and keeps positions with one clearly best choice: solved exactly in the last
 * two turns, measured by playouts before. Then it selects among them, rates puzzles and bots against each other,
 * shuffles and numbers the puzzles. With --shard it writes the results of its part of the games, can be stopped at
 * any time and continued with the same command, and `pyramids merge` does the rest. check measures puzzles again,
 * with fresh random numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pyramids/bots.h>
#include <pyramids/puzzler.h>
#include <pyramids/score.h>

#include "edition_file.h"
#include "job.h"
#include "job_puzzles.h"

/* When a best choice is clear, in hundredths of a point. */
enum {
    GAP_SETTLED = 200,           /* last turn: whole points */
    GAP = 150,                   /* else */
    GAP_SURE = 110,              /* the gap according to playouts, minus three standard errors */
};
#define WIN_SLACK 0.01           /* the best choice may be this much worse in the chance to win */
#define FEWEST_CHOICES 8         /* of a mark */

/* Worlds per stage; in each, choices that are certainly worse are dropped. Values are computed from the last stage. */
static const unsigned stages[] = { 24, 96, 512, 4096 };
#define STAGES 4
#define STORED 5                 /* values in a line, at most */
#define FINAL 8                  /* choices in the last stage, at most */

static struct pyr_edition edition;
static const struct pyr_box *box;
static void *analysis;

struct thinker {
    const struct pyr_bot *bot;
    void *memory;
};
static struct thinker rater[JOB_RATERS], master;

static struct pyr_puzzle_choice choice[PYR_PUZZLE_CHOICES];
static struct pyr_option option[PYR_PUZZLE_CHOICES];

static void *room(size_t size)
{
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64 + 64);
    if (!memory) {
        fprintf(stderr, "puzzles: out of memory\n");
        exit(1);
    }
    return memory;
}

static void wake(struct thinker *thinker, const char *name)
{
    thinker->bot = pyr_bot_find(name);
    thinker->memory = room(thinker->bot->memory(box));
    thinker->bot->prepare(thinker->memory, box);
}

/* The choice of a bot in a position. */
static void choose(const struct thinker *thinker, const struct pyr_game *game, pyr_seat seat, uint64_t nodes, uint64_t seed,
    struct pyr_puzzle_choice *to)
{
    struct pyr_game copy = *game;
    struct pyr_budget budget = { .nodes = nodes };
    struct pyr_rng rng;
    struct pyr_view view;
    pyr_rng_seed(&rng, seed, seat);
    memset(to, 0, sizeof *to);
    pyr_game_view(&copy, seat, &view);
    to->end = view.open.desk[seat];
    for (unsigned i = 0; i <= PYR_PUZZLE_EXTRAS; i++) {
        pyr_step step = thinker->bot->choose(thinker->memory, box, &view, &rng, &budget);
        if (i)
            to->more[i - 1] = (uint8_t)__builtin_ctzll(step);
        else
            to->first = step;
        to->count = (uint8_t)(i + 1);
        if (view.open.phase != PYR_MARK)
            return;
        pyr_desk_mark(&to->end, box, view.open.revealed[view.open.turn], view.open.round, step);
        if (pyr_game_step(&copy, seat, step, NULL) || pyr_game_is_ready(&copy, seat))
            return;
        pyr_game_view(&copy, seat, &view);
    }
}

static bool is_alike(const struct pyr_puzzle_choice *a, const struct pyr_puzzle_choice *b)
{
    bool mark = pyr_step_kind(a->first) == PYR_STEP_MARK;
    return mark ? a->end.free == b->end.free && a->end.tally == b->end.tally : a->first == b->first;
}

static void to_option(const struct pyr_puzzle_choice *from, struct pyr_option *to)
{
    memset(to, 0, sizeof *to);
    to->count = from->count;
    to->step[0] = from->first;
    for (unsigned i = 1; i < from->count; i++)
        to->step[i] = (pyr_step)1 << from->more[i - 1];
}

/* Measuring by playouts. */

/* A choice that is still compared. */
struct trial {
    unsigned index;              /* in `choice` */
    double mean, win;            /* points, share of the win */
    double behind, error;        /* the leader, in points, with its standard error */
    double win_behind;
};

/* Plays `count` trials in the same worlds, and sorts them, best first. */
static void play(const struct pyr_view *view, struct trial *trial, unsigned count, unsigned worlds, struct pyr_rng *rng)
{
    static struct pyr_result *result;
    static size_t size;
    static struct pyr_option list[PYR_PUZZLE_CHOICES];
    if ((size_t)worlds * count > size) {
        size = (size_t)worlds * count;
        free(result);
        result = room(size * sizeof *result);
    }
    for (unsigned i = 0; i < count; i++)
        list[i] = option[trial[i].index];
    pyr_analysis_play(analysis, box, view, list, count, worlds, rng, result);
    unsigned best = 0;
    for (unsigned i = 0; i < count; i++) {
        double points = 0, win = 0;
        for (unsigned w = 0; w < worlds; w++)
            points += result[w * count + i].points, win += result[w * count + i].win;
        trial[i].mean = points / worlds;
        trial[i].win = win / worlds / PYR_WIN_UNIT;
        if (trial[i].mean > trial[best].mean)
            best = i;
    }
    for (unsigned i = 0; i < count; i++) {
        double sum = 0, squares = 0;
        for (unsigned w = 0; w < worlds; w++) {
            double apart = result[w * count + best].points - result[w * count + i].points;
            sum += apart;
            squares += apart * apart;
        }
        trial[i].behind = sum / worlds;
        trial[i].error = i == best ? 0 : pyr_analysis_error(sum, squares, worlds, PYR_POINTS_UNIT);
        trial[i].win_behind = trial[best].win - trial[i].win;
    }
    for (unsigned i = 1; i < count; i++)
        for (unsigned k = i; k && trial[k].mean > trial[k - 1].mean; k--) {
            struct trial swap = trial[k];
            trial[k] = trial[k - 1];
            trial[k - 1] = swap;
        }
}

/* All choices by playouts. Returns whether one is clearly the best; then the first `*kept` of `trial` were measured
 * in the last stage, and no other choice is worth more than *bound. */
static bool measure(const struct pyr_view *view, unsigned count, struct pyr_rng *rng, struct trial *trial, unsigned *kept,
    double *bound)
{
    double least = 1e9;          /* how far all dropped choices are certainly behind */
    for (unsigned i = 0; i < count; i++)
        trial[i].index = i, to_option(&choice[i], &option[i]);
    for (unsigned s = 0; s < STAGES && count > 1; s++) {
        play(view, trial, count, stages[s], rng);
        if (trial[1].behind + 2.5 * trial[1].error < GAP / 100.0)
            return false;                    /* too close to become a puzzle */
        if (s + 1 == STAGES)
            break;
        unsigned stay = 1;
        for (unsigned i = 1; i < count; i++) {
            double sure = trial[i].behind - 3.5 * trial[i].error;
            if (i < STORED || sure < GAP_SURE / 100.0)
                trial[stay++] = trial[i];
            else
                least = sure < least ? sure : least;
        }
        count = stay;
        if (s + 2 == STAGES && count > FINAL)
            return false;
    }
    for (unsigned i = 1; i < count; i++)
        if (trial[i].behind < GAP / 100.0 || trial[i].behind - 3 * trial[i].error < GAP_SURE / 100.0 ||
            trial[i].win_behind < -WIN_SLACK)
            return false;
    *kept = count < STORED ? count : STORED;
    for (unsigned i = *kept; i < count; i++)
        least = trial[i].behind - 3 * trial[i].error < least ? trial[i].behind - 3 * trial[i].error : least;
    *bound = trial[0].mean - least;
    return true;
}

/* The themes of a puzzle. */
static uint8_t themes_of(const struct pyr_view *view, const struct pyr_puzzle_choice *best,
    const struct pyr_puzzle_choice *next, bool last)
{
    struct pyr_puzzle_gain a = pyr_puzzle_gain(box, view, best), b = pyr_puzzle_gain(box, view, next);
    unsigned themes = 0;
    int a_gems = a.rubies + a.emeralds + 2 * a.torches, b_gems = b.rubies + b.emeralds + 2 * b.torches;
    if (pyr_step_kind(best->first) != PYR_STEP_MARK)
        return 1u << PYR_PUZZLE_CARD;
    if (a.points > b.points)
        themes |= 1u << PYR_PUZZLE_RACE;
    if (a.extras)
        themes |= 1u << PYR_PUZZLE_CROSS;
    if (a.skulls < b.skulls)
        themes |= 1u << PYR_PUZZLE_SKULL;
    if ((a.pyramids > b.pyramids && b_gems > a_gems) || (a.pyramids < b.pyramids && a_gems > b_gems))
        themes |= 1u << PYR_PUZZLE_TOMB;
    if (last)
        themes |= 1u << PYR_PUZZLE_LAST;
    return (uint8_t)themes;
}

/* In the last turn others may claim the same pyramid points. The most that this can cost the best choice: nothing else
 * that they do makes another choice better. */
static int at_stake(const struct pyr_view *view, const struct pyr_puzzle_choice *best)
{
    const struct pyr_table *open = &view->open;
    int cost = 0;
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++) {
        if (!(best->end.flags & PYR_DESK_TOMB(slot)))
            continue;
        unsigned colour = box->card[best->end.card[slot]].colour, place = 0, rivals = 0;
        while (place < PYR_TILES && open->tile[colour][place] != PYR_NOBODY)
            place++;
        for (unsigned s = 0; s < open->seats; s++) {
            const struct pyr_desk *desk = &open->desk[s];
            unsigned has = (unsigned)__builtin_popcountll(desk->done & box->colour[colour]), more = has;
            for (unsigned k = 0; k < PYR_SLOTS; k++)
                more += desk->card[k] != PYR_NO_CARD && box->card[desk->card[k]].colour == colour;
            rivals += s != view->seat && pyr_options_claims_between(&pyr_rulebook, has, more);
        }
        unsigned later = place + rivals;
        cost += (place < PYR_TILES ? pyr_tile_value(place) : 0) - (later < PYR_TILES ? pyr_tile_value(later) : 0);
    }
    return cost * 100;
}

/* Whether playouts, in which the others do play, confirm the exact solution. */
static bool is_confirmed(const struct pyr_view *view, unsigned count, struct pyr_rng *rng, unsigned worlds)
{
    struct trial trial[6];
    unsigned tried = count < 6 ? count : 6;
    for (unsigned i = 0; i < tried; i++)
        trial[i].index = i, to_option(&choice[i], &option[i]);
    play(view, trial, tried, worlds, rng);
    if (trial[0].index)
        return false;
    for (unsigned i = 1; i < tried; i++)
        if (trial[i].behind - 2 * trial[i].error < GAP_SURE / 200.0 || trial[i].win_behind < -WIN_SLACK)
            return false;
    return true;
}

/* Making. */

struct maker {
    struct pyr_game game;
    uint32_t seed;
    unsigned seats;
    struct pyr_rng rng;          /* of this game's searches; not of the game */
    FILE *to;
    char *text;                  /* the puzzles of the game so far */
    size_t size;
};

/* Lets the bots try, and writes the line. Of positions that nearly every bot solves, one in six is kept. */
static void rate(struct maker *m, const struct pyr_view *view, uint8_t themes, unsigned playouts, const char *values)
{
    unsigned solved[JOB_RATERS] = { 0 }, tries = 0, right = 0;
    struct pyr_puzzle_choice made;
    for (unsigned r = 0; r < JOB_RATERS; r++)
        for (unsigned t = 0; t < job_raters[r].tries; t++) {
            choose(&rater[r], &m->game, view->seat, 0, m->seed * UINT64_C(64) + t, &made);
            solved[r] += is_alike(&made, &choice[0]);
        }
    for (unsigned r = 1; r < JOB_RATERS; r++)
        tries += job_raters[r].tries, right += solved[r];
    if (right * 10 > tries * 9 && pyr_rng_below(&m->rng, 6))
        return;
    for (unsigned r = 0; r < JOB_RATERS; r++)
        fprintf(m->to, "%s%u", r ? "," : "", solved[r]);
    fprintf(m->to, " %u %u %u %u %u ", m->seed, m->seats, view->open.round + 1u, view->open.turn + 1u, view->seat + 1u);
    for (unsigned t = 0; t < PYR_PUZZLE_THEME_COUNT; t++)
        if (themes >> t & 1) {
#define LETTER(NAME, number, name, letter) [number] = letter,
            static const char letters[] = { PYR_PUZZLE_THEMES(LETTER) };
#undef LETTER
            putc(letters[t], m->to);
        }
    fprintf(m->to, " %u %u%s\n", pyr_puzzle_check(&m->game, view->seat), playouts, values);
}

static void try_exact(struct maker *m, const struct pyr_view *view, bool last)
{
    unsigned count = pyr_puzzle_solve(box, view, choice, PYR_PUZZLE_CHOICES, PYR_PUZZLE_NODES);
    if (count < FEWEST_CHOICES || choice[0].value - choice[1].value < (last ? GAP_SETTLED : GAP))
        return;
    uint8_t themes = themes_of(view, &choice[0], &choice[1], last);
    if (!themes || (last && choice[0].value - choice[1].value - at_stake(view, &choice[0]) < 100) ||
        !is_confirmed(view, count, &m->rng, last ? 128 : 512))
        return;
    rate(m, view, themes, 0, "");
}

static void write_values(const struct pyr_view *view, const struct trial *trial, unsigned kept, double bound, bool all,
    char *to, size_t size)
{
    static struct pyr_puzzle_open open;
    struct pyr_out out;
    open.view = *view;
    pyr_out_init(&out, to, size);
    for (unsigned i = 0; i < kept; i++) {
        const struct pyr_puzzle_choice *c = &choice[trial[i].index];
        pyr_out_char(&out, ' ');
        if (pyr_step_kind(c->first) == PYR_STEP_TAKE)
            pyr_out_number(&out, pyr_step_card(c->first) + 1);
        else
            pyr_puzzle_write_choice(&open, c, &out);
        pyr_out_char(&out, '=');
        pyr_out_number(&out, (int32_t)(trial[i].mean * 100 + 0.5));
    }
    if (!all) {
        pyr_out_text(&out, " *=");
        pyr_out_number(&out, (int32_t)(bound * 100 + 0.5));
    }
}

static void try_sampled(struct maker *m, const struct pyr_view *view)
{
    static struct trial trial[PYR_PUZZLE_CHOICES];
    bool mark = view->open.phase == PYR_MARK;
    unsigned count = 0, kept;
    double bound;
    char values[512];
    if (mark) {
        count = pyr_puzzle_choices(box, view, choice, PYR_PUZZLE_CHOICES);
    } else {
        struct pyr_steps steps;
        pyr_view_steps(view, box, &steps);
        for (; count < steps.count; count++)
            choice[count] = (struct pyr_puzzle_choice){ .first = pyr_steps_at(&steps, box, count), .count = 1 };
    }
    if (count < (mark ? FEWEST_CHOICES : 4) || !measure(view, count, &m->rng, trial, &kept, &bound))
        return;
    struct pyr_puzzle_choice best = choice[trial[0].index], next = choice[trial[1].index], made;
    uint8_t themes = themes_of(view, &best, &next, false);
    uint64_t usual = view->open.seats == 2 ? 60000 : view->open.seats == 3 ? 32000 : 20000;
    if (!themes)
        return;
    choose(&master, &m->game, view->seat, 10 * usual, m->seed, &made);
    if (!is_alike(&made, &best))
        return;
    write_values(view, trial, kept, bound, kept == count, values, sizeof values);
    choice[0] = best;
    rate(m, view, themes, stages[STAGES - 1], values);
}

/* The positions of a game that are examined: all of the last two turns; in every fifth game also some earlier ones,
 * which take much longer. */
static void look(struct maker *m)
{
    bool sample = m->seed % 5 == 0;
    const struct pyr_table *open = &m->game.replay.state.open;
    unsigned left = (unsigned)((PYR_ROUNDS - 1 - open->round) * PYR_TURNS + PYR_TURNS - 1 - open->turn);
    unsigned waiting = pyr_game_waiting(&m->game);
    for (unsigned s = 0; s < m->seats; s++) {
        struct pyr_view view;
        if (!(waiting >> s & 1))
            continue;
        pyr_game_view(&m->game, (pyr_seat)s, &view);
        if (open->phase == PYR_MARK && left <= 1)
            try_exact(m, &view, !left);
        else if (sample && open->phase == PYR_MARK && left <= 15 && !pyr_rng_below(&m->rng, 7))
            try_sampled(m, &view);
        else if (sample && open->phase == PYR_REPLACE && left && left <= 22 && open->cards_owed == 1 &&
            !pyr_rng_below(&m->rng, 8))
            try_sampled(m, &view);
    }
}

static const char *const names[] = { "1", "2", "3", "4" };

static void make_game(struct maker *m, uint32_t seed)
{
    struct pyr_puzzle_game at;
    m->seed = seed;
    m->seats = 2 + seed % 3;
    pyr_rng_seed(&m->rng, seed, 2);
    if (pyr_puzzle_deal(&at, &m->game, &edition, m->seats, seed, names, NULL))
        return;
    while (!pyr_game_is_over(&m->game)) {
        look(m);
        if (pyr_puzzle_play(&at))
            return;
    }
}

static bool make_item(void *context, uint64_t item, FILE *to)
{
    static struct maker m;
    const uint32_t *first = context;
    m.to = open_memstream(&m.text, &m.size);
    if (!m.to)
        return false;
    make_game(&m, *first + (uint32_t)item);
    if (fclose(m.to))
        return false;
    /* The puzzles of a game are on one line. */
    for (size_t i = 0; i < m.size; i++)
        if (m.text[i] != '\n' || i + 1 < m.size)
            putc(m.text[i] == '\n' ? '|' : m.text[i], to);
    if (!m.size)
        putc('-', to);
    free(m.text);
    return true;
}

static int make(uint32_t seed, uint32_t games, const struct job_options *options)
{
    analysis = room(pyr_analysis_memory(box));
    pyr_analysis_prepare(analysis, box);
    for (unsigned r = 0; r < JOB_RATERS; r++)
        wake(&rater[r], job_raters[r].name);
    wake(&master, "master");
    return job_run(&job_puzzles, options, job_text(&edition, "seed %u\n", seed), games, make_item, &seed);
}

/* Checking. */

static int check(const char *path, unsigned every, unsigned playouts)
{
    static struct pyr_puzzle_open open;
    static struct pyr_match match;
    FILE *file = fopen(path, "rb");
    char *text = room(1 << 22);
    unsigned checked = 0, wrong = 0, seen = 0;
    double least = 1e9;
    if (!file) {
        perror(path);
        return 1;
    }
    size_t size = fread(text, 1, 1 << 22, file);
    fclose(file);
    analysis = room(pyr_analysis_memory(box));
    pyr_analysis_prepare(analysis, box);
    struct pyr_lines lines;
    struct pyr_puzzle puzzle;
    if (!pyr_puzzle_begin(&lines, text, size, edition.name))
        return fprintf(stderr, "%s: not a file of puzzles\n", path), 1;
    while (pyr_lines_next(&lines, false) && pyr_puzzle_read(&puzzle, &lines)) {
        struct trial trial[STORED];
        struct pyr_rng rng;
        if (seen++ % every)
            continue;
        enum pyr_err code = pyr_puzzle_open(&puzzle, &open, &match, &edition, names);
        if (code) {
            printf("%u cannot be opened: %s\n", puzzle.number, pyr_err_name(code));
            return 1;
        }
        unsigned count = open.count < STORED ? open.count : STORED;
        for (unsigned i = 0; i < count; i++)
            trial[i].index = i, to_option(&open.choice[i], &option[i]);
        pyr_rng_seed(&rng, puzzle.game, 99);
        play(&open.view, trial, count, playouts, &rng);
        bool right = !trial[0].index;
        checked++;
        wrong += !right;
        least = trial[1].behind < least ? trial[1].behind : least;
        printf("%u %s %.2f %.2f %s\n", puzzle.number, right ? "right" : "WRONG", trial[1].behind, trial[1].error,
            puzzle.playouts ? "playouts" : "exact");
        fflush(stdout);
    }
    printf("%u checked, %u wrong, least gap %.2f\n", checked, wrong, least);
    return wrong != 0 || lines.fault.code;
}

static int usage(void)
{
    fprintf(stderr, "usage: puzzles make EDITION --seed S --games N [--shard I/N --output FILE] > PUZZLES\n"
        "       puzzles check EDITION PUZZLES [--every N] [--playouts N]\n"
        "`pyramids merge FILE... > PUZZLES` puts the parts of make together; one that was stopped is continued.\n");
    return 2;
}

/* Takes `--name VALUE` out of the arguments. */
static const char *take(int *argc, char **argv, const char *name)
{
    for (int i = 3; i + 1 < *argc; i++)
        if (!strcmp(argv[i], name)) {
            const char *value = argv[i + 1];
            memmove(&argv[i], &argv[i + 2], (size_t)(*argc - i - 2) * sizeof *argv);
            *argc -= 2;
            return value;
        }
    return NULL;
}

static unsigned number(const char *text, unsigned otherwise)
{
    return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    struct job_options options;
    if (!job_take(&argc, argv, &options))
        return 2;
    if (argc < 3)
        return usage();
    if (!edition_file_read(argv[2], &edition))
        return 1;
    box = &edition.box;
    unsigned seed = number(take(&argc, argv, "--seed"), 1), games = number(take(&argc, argv, "--games"), 100);
    unsigned every = number(take(&argc, argv, "--every"), 1), playouts = number(take(&argc, argv, "--playouts"), 100000);
    if (!strcmp(argv[1], "make") && argc == 3)
        return make(seed, games, &options);
    if (!strcmp(argv[1], "check") && argc == 4 && every && playouts)
        return check(argv[3], every, playouts);
    return usage();
}
