/*
 * marks.c: compares the marks of an analysis with those of many more playouts.
 *
 *     marks judge EDITION RECORD... > reference.txt
 *     marks compare EDITION reference.txt CAP RECORD...
 *
 * `judge` is a second opinion on every decision, slow and simple: all choices in 50 random worlds, the best 16 in 200,
 * the best 6 and the one made in 1,500; then the best of these and the one made in 20,000 others, in which nothing was
 * chosen. (It stops after 4,000 if both losses are more than six standard errors away from every threshold.) It shares
 * the playouts (analysis.h) with the analysis, but no statistics and no random numbers. One line per decision: RECORD
 * LINE POINTS WIN, the losses of the choice in points and chances, followed by the standard errors: g1.pyr 31 3.25 0.021
 * 0.04 0.002.
 *
 * `compare` analyses the records as all clients do (luck.h), in at most CAP worlds per decision, and counts how many
 * marks agree; it fails if certain marks, or the ranges of the others, do not agree in 95 of 100 cases. With VERBOSE
 * in the environment it prints every difference. docs/analysis.md has the results.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pyramids/choice.h>
#include <pyramids/luck.h>
#include <pyramids/match.h>

#define EARLY_WORLDS 4000        /* when clear cases stop */
#define REFERENCE_WORLDS 20000
/* Options that stay after the second round. */
#define MOST 6

/* A decision, and both opinions. */
struct item {
    struct pyr_luck_task task;
    unsigned game;
    double points, win, points_error, win_error;     /* of the reference */
    struct pyr_luck_decision decision;
    char level[32];              /* the first word of the player's name: the bot's, in games of `pyramids sim` */
};

static struct pyr_edition edition;
static void *memory;
static struct item *item;
static unsigned items, next_item, games;
static char **game_name;
static struct pyr_match **kept;              /* by game, to the end */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Since the tool is run by hand, it can simply exit. */
static void fail(const char *what, const char *name)
{
    fprintf(stderr, "marks: %s: %s\n", name, what);
    exit(1);
}

/* Never NULL. Not freed by all callers: the tool ends soon. */
static char *read_file(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    char *text = malloc(1 << 20);
    if (!file || !text)
        fail("cannot be read", name);
    *size = fread(text, 1, 1 << 20, file);
    fclose(file);
    return text;
}

/* The decisions of a record. */
static void add_record(const char *name)
{
    struct pyr_match *match = calloc(1, sizeof *match);
    struct pyr_luck_log log;
    size_t size;
    char *text = read_file(name, &size);
    if (!match || pyr_match_load(match, &edition, text, size, PYR_NOBODY, NULL))
        fail("not a record of this edition", name);
    struct pyr_word player[PYR_MAX_SEATS];
    pyr_record_player_names(match->log.text, match->log.start[match->log.lines], player);
    pyr_luck_begin(&log, &edition);
    item = realloc(item, (items + match->log.lines) * sizeof *item);
    if (!item)
        fail("out of memory", name);
    for (uint32_t i = 0; i < match->log.lines; i++) {
        struct pyr_luck_task task[PYR_LUCK_TASKS];
        unsigned count = pyr_luck_follow(&log, pyr_match_line(match, i), task);
        for (unsigned k = 0; k < count; k++) {
            if (task[k].is_chance)
                continue;
            struct pyr_word word = player[task[k].event.seat];
            struct item *it = &item[items++];
            *it = (struct item){ .task = task[k], .game = games };
            for (size_t c = 0; c < word.length && c < sizeof it->level - 1 && word.at[c] != ' '; c++)
                it->level[c] = word.at[c];
        }
    }
    game_name[games++] = strrchr(name, '/') ? strrchr(name, '/') + 1 : (char *)name;
    kept[games - 1] = match;                 /* tasks may point into it */
    free(text);
}

/* The second opinion. */

/* As is_better in src/bots/analysis.c: the chance to win, plus half a percent per point. */
static double worth(struct pyr_result result) { return result.win / 12.0 + 0.005 * result.points; }

static bool is_same(const struct pyr_option *a, const struct pyr_option *b)
{
    return pyr_choice_is_same(a->step, a->count, b->step, b->count);
}

/* Plays all options in some worlds and moves the best to the front; `made` always stays. Returns how many stay.
 * Sorted by insertion; `made` is appended to the others if necessary. */
static unsigned select_best(const struct pyr_view *view, struct pyr_option *option, unsigned count, unsigned worlds,
    unsigned stay, const struct pyr_option *made, struct pyr_rng *rng)
{
    struct pyr_result result[PYR_MAX_OPTIONS];
    double sum[PYR_MAX_OPTIONS] = { 0 };
    for (unsigned w = 0; w < worlds; w++) {
        pyr_analysis_play(memory, &edition.box, view, option, count, 1, rng, result);
        for (unsigned i = 0; i < count; i++)
            sum[i] += worth(result[i]);
    }
    for (unsigned i = 1; i < count; i++)
        for (unsigned k = i; k && sum[k] > sum[k - 1]; k--) {
            double s = sum[k];
            struct pyr_option o = option[k];
            sum[k] = sum[k - 1], option[k] = option[k - 1];
            sum[k - 1] = s, option[k - 1] = o;
        }
    for (unsigned i = stay; i < count; i++)
        if (is_same(&option[i], made))
            option[stay++] = option[i];
    return stay < count ? stay : count;
}

/* Of the mean of n values. */
static double standard_error(double sum, double squares, double n)
{
    return sqrt((squares - sum * sum / n) / (n - 1) / n);
}

/* Whether more playouts would not change the mark. */
static bool is_clear(const struct item *it)
{
    for (int m = PYR_LUCK_DUBIOUS; m <= PYR_LUCK_BLUNDER; m++) {
        const struct pyr_luck_threshold *t = pyr_luck_threshold((enum pyr_luck_mark)m);
        if (fabs(it->points - (double)t->points) <= 6 * it->points_error ||
            fabs(it->win - (double)t->win) <= 6 * it->win_error)
            return false;
    }
    return true;
}

/* The final comparison uses worlds in which nothing was selected, so it has no selection bias (the winner's curse). */
static void judge(struct item *it)
{
    struct pyr_option option[PYR_MAX_OPTIONS], made = { .count = 0 };
    pyr_seat seat = it->task.event.seat;
    struct pyr_view view;
    struct pyr_rng rng;
    double points = 0, points_squares = 0, win = 0, win_squares = 0;
    made.count = (uint8_t)pyr_choice_steps(&it->task.state.open.desk[seat], &it->task.event, made.step);
    pyr_view_init(&view, &it->task.state, seat);
    pyr_rng_seed(&rng, it->task.seed, 20000);
    unsigned count = pyr_analysis_choices(memory, &edition.box, &view, &made, option, PYR_MAX_OPTIONS);
    count = select_best(&view, option, count, 50, 16, &made, &rng);
    count = select_best(&view, option, count, 200, MOST, &made, &rng);
    select_best(&view, option, count, 1500, 1, &made, &rng);
    if (!count || is_same(&option[0], &made))
        return;
    struct pyr_option pair[2] = { option[0], made };
    double n = 0;
    while (n < REFERENCE_WORLDS && (n != EARLY_WORLDS || !is_clear(it))) {
        struct pyr_result result[2];
        pyr_analysis_play(memory, &edition.box, &view, pair, 2, 1, &rng, result);
        double p = result[0].points - result[1].points, c = (result[0].win - result[1].win) / 12.0;
        points += p, points_squares += p * p;
        win += c, win_squares += c * c;
        n++;
        if (n != EARLY_WORLDS && n != REFERENCE_WORLDS)
            continue;
        it->points = points / n;
        it->win = win / n;
        it->points_error = standard_error(points, points_squares, n);
        it->win_error = standard_error(win, win_squares, n);
    }
}

/* The work. */

static struct pyr_luck_how how;

/* Items differ in length, so threads take one at a time. Each writes only to its own item. */
static void *work(void *is_judge)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        unsigned mine = next_item++;
        pthread_mutex_unlock(&lock);
        if (mine >= items)
            return NULL;
        if (is_judge)
            judge(&item[mine]);
        else
            pyr_luck_decide(&how, &item[mine].task, &item[mine].decision);
    }
}

static void work_all(bool is_judge)
{
    pthread_t thread[64];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned count = cores > 64 ? 64 : cores < 1 ? 1 : (unsigned)cores;
    for (unsigned i = 0; i < count; i++)
        if (pthread_create(&thread[i], NULL, work, is_judge ? &lock : NULL))
            fail("no threads", "work");
    for (unsigned i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
}

/* Written again on purpose: a second opinion must share no statistics with session/weigh.c. */
static int mark_of(double points, double win)
{
    int mark = PYR_LUCK_FINE;
    for (int m = PYR_LUCK_DUBIOUS; m <= PYR_LUCK_BLUNDER; m++)
        if (points >= (double)pyr_luck_threshold((enum pyr_luck_mark)m)->points ||
            win >= (double)pyr_luck_threshold((enum pyr_luck_mark)m)->win)
            mark = m;
    return mark;
}

/* Decisions without a line keep a loss of 0. */
static void read_reference(const char *name)
{
    FILE *file = fopen(name, "r");
    char record[256];
    unsigned line;
    double value[4];
    if (!file)
        fail("cannot be read", name);
    while (fscanf(file, "%255s %u %lf %lf %lf %lf", record, &line, &value[0], &value[1], &value[2], &value[3]) == 6)
        for (unsigned i = 0; i < items; i++)
            if (item[i].task.line + 1 == line && !strcmp(game_name[item[i].game], record)) {
                item[i].points = value[0], item[i].win = value[1];
                item[i].points_error = value[2], item[i].win_error = value[3];
            }
    fclose(file);
}

/* False if it is less than 95 of 100. */
static bool print_share(const char *what, unsigned part, unsigned all)
{
    printf("%-64s %5u of %5u  %5.1f%%\n", what, part, all, all ? 100.0 * part / all : 100.0);
    return 100 * part >= 95 * all;
}

/* The loss per decision of players of each name, by the analysis and by the reference. */
static void report_levels(void)
{
    for (unsigned i = 0; i < items; i++) {
        double lost = 0, reference = 0, count = 0;
        bool first = true;
        for (unsigned k = 0; k < i && first; k++)
            first = strcmp(item[k].level, item[i].level) != 0;
        for (unsigned k = i; k < items && first; k++)
            if (!strcmp(item[k].level, item[i].level))
                lost += (double)item[k].decision.points_cost, reference += item[k].points, count++;
        if (first)
            printf("%-16s %5.0f decisions, %.3f points lost each, %.3f by the reference\n", item[i].level, count,
                lost / count,
                reference / count);
    }
}

/* How many marks agree. False if certain marks do not, or if ranges do not contain the mark, in 95 of 100 cases. A
 * mark of the reference is "possible" if it is within the range that the analysis shows. */
static bool report(bool verbose)
{
    unsigned same = 0, shown = 0, shown_same = 0, sure = 0, sure_same = 0, sure_shown = 0, sure_shown_same = 0, unsure = 0,
        inside = 0, named = 0, worst = 0;
    double playouts = 0;
    for (unsigned i = 0; i < items; i++) {
        const struct pyr_luck_decision *d = &item[i].decision;
        int mark = mark_of(item[i].points, item[i].win);
        bool agree = mark == (int)d->mark, is_sure = d->state != PYR_LUCK_UNSURE;
        playouts += d->playouts;
        same += agree;
        shown += d->mark != PYR_LUCK_FINE, shown_same += agree && d->mark != PYR_LUCK_FINE;
        sure += is_sure, sure_same += is_sure && agree;
        sure_shown += is_sure && d->mark != PYR_LUCK_FINE, sure_shown_same += is_sure && agree && d->mark != PYR_LUCK_FINE;
        bool possible = mark >= (int)d->mildest && mark <= (int)d->worst;
        unsure += !is_sure, inside += !is_sure && possible;
        named += d->mark != PYR_LUCK_FINE && possible;
        if (verbose && !agree)
            printf("# %s %u: %s%s (at most %s) %.2f ± %.2f, %.2f%% ± %.2f in %u; reference %.2f ± %.2f, %.2f%% ± %.2f\n",
                game_name[item[i].game], item[i].task.line + 1, pyr_luck_threshold(d->mark)->sign, is_sure ? "" : " unsure",
                pyr_luck_threshold(d->worst)->sign, (double)d->points_cost, (double)d->points_margin,
                100 * (double)d->win_cost, 100 * (double)d->win_margin, d->playouts, item[i].points,
                1.96 * item[i].points_error, 100 * item[i].win, 196 * item[i].win_error);
    }
    for (unsigned g = 0; g < games; g++) {
        const struct item *mine = NULL, *theirs = NULL;
        for (unsigned i = 0; i < items; i++) {
            if (item[i].game != g)
                continue;
            if (!mine || item[i].decision.win_lost > mine->decision.win_lost)
                mine = &item[i];
            if (!theirs || item[i].win > theirs->win)
                theirs = &item[i];
        }
        worst += mine == theirs || !theirs || theirs->win - mine->win < 2 * theirs->win_error;
    }
    print_share("decisions: the mark agrees", same, items);
    print_share("marks ?!, ?, ?" "? that are shown, of two the likelier one: agree", shown_same, shown);
    bool good = print_share("marks ?!, ?, ?" "? that are shown, one or two: agree", named, shown);
    good &= print_share("marks called certain, or none: agree", sure_same, sure);
    good &= print_share("marks ?!, ?, ?" "? called certain: agree", sure_shown_same, sure_shown);
    good &= print_share("uncertain: the reference is within the range", inside, unsure);
    print_share("worst move of a game: the same, or as bad", worst, games);
    printf("worlds per decision: %.0f\n", items ? playouts / items : 0);
    report_levels();
    return good;
}

int main(int argc, char **argv)
{
    bool is_judge = argc > 3 && !strcmp(argv[1], "judge"), compare = argc > 5 && !strcmp(argv[1], "compare");
    size_t size;
    if (!is_judge && !compare) {
        fprintf(stderr, "usage: marks judge EDITION RECORD... | marks compare EDITION REFERENCE CAP RECORD...\n");
        return 2;
    }
    char *text = read_file(argv[2], &size);
    if (pyr_edition_read(&edition, text, size, NULL))
        fail("not an edition", argv[2]);
    memory = aligned_alloc(64, (pyr_analysis_memory(&edition.box) + 63) / 64 * 64);
    game_name = calloc((size_t)argc, sizeof *game_name);
    kept = calloc((size_t)argc, sizeof *kept);
    if (!memory || !game_name || !kept)
        fail("out of memory", "marks");
    pyr_analysis_prepare(memory, &edition.box);
    for (int i = is_judge ? 3 : 5; i < argc; i++)
        add_record(argv[i]);
    how = (struct pyr_luck_how){ &edition.box, memory, compare ? (uint32_t)strtoul(argv[4], NULL, 10) : 1, 1 };
    work_all(is_judge);
    bool good = true;
    if (compare) {
        read_reference(argv[3]);
        good = report(getenv("VERBOSE") != NULL);
    }
    for (unsigned i = 0; is_judge && i < items; i++)
        printf("%s %u %.4f %.5f %.4f %.5f\n", game_name[item[i].game], item[i].task.line + 1, item[i].points, item[i].win,
            item[i].points_error, item[i].win_error);
    for (unsigned i = 0; i < games; i++)
        free(kept[i]);
    free(kept);
    free(text);
    return !good;
}
