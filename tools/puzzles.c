/*
 * puzzles.c: makes the puzzles (docs/puzzles.md).
 *
 *     puzzles make EDITION --seed S --games N [--shard I/N] --output FILE
 *     puzzles merge EDITION FILE... > data/puzzles.txt
 *     puzzles check EDITION data/puzzles.txt [--every N] [--playouts N]
 *
 * make plays games of bots (puzzle.h) and keeps positions with one clearly best choice: solved exactly in the last two
 * turns, measured by playouts before. It writes what it finds game by game, so that it can be stopped at any time and
 * continued with the same command. Shards share out the games; the same seed and games give the same lines, however they
 * are shared out. merge chooses among all that was found, rates puzzles and bots against each other, mixes and numbers
 * them. check measures puzzles again, with fresh random numbers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pyramids/bots.h>
#include <pyramids/puzzler.h>
#include <pyramids/score.h>

/* What makes a best choice clear, in hundredths of a point. */
enum {
    GAP_SETTLED = 200,           /* last turn: whole points */
    GAP = 150,                   /* else */
    GAP_SURE = 110,              /* what playouts must leave of the gap, less three standard errors */
};
#define WIN_SLACK 0.01           /* the best choice may be so much worse in the chance to win */
#define FEWEST_CHOICES 8         /* of a mark */

/* Worlds per stage; in each, choices that are certainly worse are dropped. The last is what values are made of. */
static const unsigned stages[] = { 24, 96, 512, 4096 };
#define STAGES 4
#define STORED 5                 /* values in a line, at most */
#define FINAL 8                  /* choices in the last stage, at most */

/* Bots that rate puzzles, and how often each tries. */
static const struct {
    const char *name;
    unsigned tries;
} raters[] = { { "random", 8 }, { "novice", 8 }, { "casual", 8 }, { "greedy", 2 }, { "club", 8 }, { "expert", 1 } };
#define RATERS (sizeof raters / sizeof *raters)

static struct pyr_edition edition;
static const struct pyr_box *box;
static void *analysis;

struct thinker {
    const struct pyr_bot *bot;
    void *memory;
};
static struct thinker rater[RATERS], master;

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

/* What a bot chooses in a position. */
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

/* One choice among those that are still compared. */
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

/* All choices by playouts. Returns whether one is clearly the best; then the first `*kept` of `trial` are measured in the
 * last stage, and no other is worth more than *bound. */
static bool measure(const struct pyr_view *view, unsigned count, struct pyr_rng *rng, struct trial *trial, unsigned *kept,
    double *bound)
{
    double least = 1e9;          /* how far behind all dropped choices are for certain */
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

/* What it is about. */
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

/* In the last turn others may claim the same pyramid points. What that can cost the best choice at worst: nothing that they
 * do makes another choice better. */
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

/* Whether playouts, in which the others do play, agree with the exact solution. */
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
    char *text;                  /* what the game has given so far */
    size_t size;
};

/* Lets the bots try, and writes the line. Positions that nearly every bot solves are kept one in six. */
static void rate(struct maker *m, const struct pyr_view *view, uint8_t themes, unsigned playouts, const char *values)
{
    unsigned solved[RATERS] = { 0 }, tries = 0, right = 0;
    struct pyr_puzzle_choice made;
    for (unsigned r = 0; r < RATERS; r++)
        for (unsigned t = 0; t < raters[r].tries; t++) {
            choose(&rater[r], &m->game, view->seat, 0, m->seed * UINT64_C(64) + t, &made);
            solved[r] += is_alike(&made, &choice[0]);
        }
    for (unsigned r = 1; r < RATERS; r++)
        tries += raters[r].tries, right += solved[r];
    if (right * 10 > tries * 9 && pyr_rng_below(&m->rng, 6))
        return;
    for (unsigned r = 0; r < RATERS; r++)
        fprintf(m->to, "%s%u", r ? "," : "", solved[r]);
    fprintf(m->to, " %u %u %u %u %u ", m->seed, m->seats, view->open.round + 1u, view->open.turn + 1u, view->seat + 1u);
    for (unsigned t = 0; t < PYR_PUZZLE_THEME_COUNT; t++)
        if (themes >> t & 1) {
#define LETTER(NAME, name, letter) letter,
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

/* Which positions of a game are looked at: all of the last two turns; in every fifth game also some of the ones before,
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

/* The part of the file that is complete: up to the last line `done GAME`. Returns the game to go on with. */
static uint32_t resume(FILE *file, const char *job, uint32_t first)
{
    char *line = NULL;
    size_t size = 0;
    long end = 0;
    uint32_t next = first;
    unsigned done;
    rewind(file);
    if (getline(&line, &size, file) < 0) {
        fprintf(file, "%s", job);
        end = ftell(file);
    } else if (strcmp(line, job)) {
        fprintf(stderr, "puzzles: the output file belongs to another job: %s", line);
        exit(1);
    } else {
        end = ftell(file);
        while (getline(&line, &size, file) > 0)
            if (sscanf(line, "done %u", &done) == 1 && strchr(line, '\n'))
                end = ftell(file), next = done + 1;
    }
    free(line);
    fflush(file);
    if (ftruncate(fileno(file), end) || fseek(file, end, SEEK_SET)) {
        perror("puzzles");
        exit(1);
    }
    return next;
}

static int make(uint32_t seed, uint32_t games, unsigned shard, unsigned shards, const char *path)
{
    static struct maker m;
    char job[200];
    FILE *file = fopen(path, "r+");
    if (!file && errno == ENOENT)
        file = fopen(path, "w+");
    if (!file) {
        perror(path);
        return 1;
    }
    snprintf(job, sizeof job, "puzzles-part 1 %s %u %u %u/%u\n", edition.name, seed, games, shard, shards);
    analysis = room(pyr_analysis_memory(box));
    pyr_analysis_prepare(analysis, box);
    for (unsigned r = 0; r < RATERS; r++)
        wake(&rater[r], raters[r].name);
    wake(&master, "master");
    uint32_t next = resume(file, job, seed);
    for (uint32_t game = next; game - seed < games; game++) {
        if (game % shards != shard % shards)
            continue;
        m.to = open_memstream(&m.text, &m.size);
        if (!m.to)
            return 1;
        make_game(&m, game);
        fclose(m.to);
        /* One write per game: whatever ends the program leaves whole games. */
        fprintf(file, "%sdone %u\n", m.text, game);
        fflush(file);
        free(m.text);
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\rgame %u of %u", game - seed + 1, games);
    }
    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);
    return fclose(file) != 0;
}

/* Merging. */

struct found {
    unsigned solved[RATERS];
    uint32_t game;
    unsigned place;              /* in its game, for the order */
    char *line;                  /* from the game on */
    unsigned theme;              /* the first, and bits of all */
    uint8_t themes;
    bool exact;
    double rating;
    uint32_t order;
};

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

static void read_part(const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0, room_for = 0;
    unsigned place = 0;
    if (!file) {
        perror(path);
        exit(1);
    }
    while (getline(&line, &size, file) > 0) {
        struct found f = { .place = place++ };
        int at = 0;
        unsigned *s = f.solved, seats, round, turn, seat, check, playouts;
        char letters[16];
        if (sscanf(line, "%u,%u,%u,%u,%u,%u %n", &s[0], &s[1], &s[2], &s[3], &s[4], &s[5], &at) != RATERS ||
            sscanf(line + at, "%u %u %u %u %u %15s %u %u", &f.game, &seats, &round, &turn, &seat, letters, &check,
                &playouts) != 8)
            continue;
        line[strcspn(line, "\n")] = '\0';
        f.line = strdup(line + at);
        f.exact = !playouts;
#define THEME(NAME, name, letter) if (strchr(letters, letter)) f.themes |= 1u << PYR_PUZZLE_##NAME;
        PYR_PUZZLE_THEMES(THEME)
#undef THEME
        f.theme = (unsigned)__builtin_ctz(f.themes);
        if (founds == room_for) {
            room_for = room_for ? 2 * room_for : 4096;
            found = realloc(found, room_for * sizeof *found);
            if (!found)
                exit(1);
        }
        found[founds++] = f;
    }
    free(line);
    fclose(file);
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

/* Ratings that explain best which bot has solved what (Bradley-Terry by bisection, in turns). Puzzles are assumed to lie
 * around 1500 with a deviation of 300, as if that had been seen: else one that all bots solve would have none. */
static void fit(void)
{
    double bot[RATERS];
    for (unsigned r = 0; r < RATERS; r++)
        bot[r] = 1500;
    for (size_t i = 0; i < founds; i++)
        found[i].rating = 1500;
    for (unsigned pass = 0; pass < 40; pass++) {
        for (unsigned r = 0; r < RATERS; r++) {
            double low = 0, high = 3500;
            while (high - low > 0.01) {
                double middle = (low + high) / 2, sum = 0;
                for (size_t i = 0; i < founds; i++)
                    sum += found[i].solved[r] - raters[r].tries * chance(middle, found[i].rating);
                *(sum > 0 ? &low : &high) = middle;
            }
            bot[r] = low;
        }
        for (size_t i = 0; i < founds; i++) {
            double low = 400, high = 2800;
            while (high - low > 0.01) {
                double middle = (low + high) / 2, sum = -(middle - 1500) / (300.0 * 300) * 173.7178;
                for (unsigned r = 0; r < RATERS; r++)
                    sum += raters[r].tries * chance(bot[r], middle) - found[i].solved[r];
                *(sum > 0 ? &low : &high) = middle;
            }
            found[i].rating = low;
        }
    }
    for (unsigned r = 0; r < RATERS; r++)
        fprintf(stderr, "%-8s %4.0f\n", raters[r].name, bot[r]);
}

/* Thins out what there is too much of: exact ones by their first theme. */
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

static int merge(char **paths, int count)
{
    unsigned per_theme[PYR_PUZZLE_THEME_COUNT] = { 0 }, exact = 0;
    for (int i = 0; i < count; i++)
        read_part(paths[i]);
    if (!founds) {
        fprintf(stderr, "puzzles: nothing to merge\n");
        return 1;
    }
    qsort(found, founds, sizeof *found, by_place);
    for (size_t i = 0; i < founds; i++)          /* the same order, whatever files they came from */
        found[i].order = ((uint32_t)i + 1) * UINT32_C(2654435761);
    fit();
    choose_among(600);
    if (founds > PYR_PUZZLES)
        founds = PYR_PUZZLES;
    printf("pyramids-puzzles 1 %s\n", edition.name);
    for (size_t i = 0; i < founds; i++) {
        const struct found *f = &found[i];
        char *rest = f->line;
        for (unsigned word = 0; word < 6; word++)
            rest = strchr(rest + 1, ' ');
        printf("%zu %.*s %.0f%s\n", i + 1, (int)(rest - f->line), f->line, f->rating, rest);
        exact += f->exact;
        for (unsigned t = 0; t < PYR_PUZZLE_THEME_COUNT; t++)
            per_theme[t] += f->themes >> t & 1;
    }
    fprintf(stderr, "%zu puzzles, %u exact;", founds, exact);
    for (unsigned t = 0; t < PYR_PUZZLE_THEME_COUNT; t++)
        fprintf(stderr, " %s %u", pyr_puzzle_theme_name(t), per_theme[t]);
    fputc('\n', stderr);
    return 0;
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
    fprintf(stderr, "usage: puzzles make EDITION --seed S --games N [--shard I/N] --output FILE\n"
        "       puzzles merge EDITION FILE... > PUZZLES\n"
        "       puzzles check EDITION PUZZLES [--every N] [--playouts N]\n");
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
    static char text[1 << 20];
    if (argc < 4)
        return usage();
    FILE *file = fopen(argv[2], "rb");
    if (!file) {
        perror(argv[2]);
        return 1;
    }
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    if (pyr_edition_read(&edition, text, size, NULL)) {
        fprintf(stderr, "%s: not an edition\n", argv[2]);
        return 1;
    }
    box = &edition.box;
    unsigned seed = number(take(&argc, argv, "--seed"), 1), games = number(take(&argc, argv, "--games"), 100);
    unsigned every = number(take(&argc, argv, "--every"), 1), playouts = number(take(&argc, argv, "--playouts"), 100000);
    const char *part = take(&argc, argv, "--shard"), *output = take(&argc, argv, "--output");
    unsigned shard = 0, shards = 1;
    if (part && (sscanf(part, "%u/%u", &shard, &shards) != 2 || !shards || shard < 1 || shard > shards))
        return usage();
    if (!strcmp(argv[1], "make") && output && argc == 3)
        return make(seed, games, shard, shards, output);
    if (!strcmp(argv[1], "merge") && argc > 3)
        return merge(argv + 3, argc - 3);
    if (!strcmp(argv[1], "check") && argc == 4 && every && playouts)
        return check(argv[3], every, playouts);
    return usage();
}
