/* test_judge.c: the analysis as a server uses it: several at once, abandoned ones, broken records; cli.py tests its
 * results. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "check_edition.h"

#include <pthread.h>

#include <pyramids/judge.h>

static struct pyr_edition plain;
static char *record;
static size_t record_size;

__attribute__((constructor)) static void load(void)
{
    check_edition(&plain, "tests/data/plain.edition");
    record = check_file("tests/data/plain-2.pyr", &record_size);
}

/* The JSON and the page of an analysis, one after the other; the caller frees it. NULL if it failed. */
static char *analyse(const struct pyr_judge_options *options)
{
    struct pyr_judge_report *report = malloc(sizeof *report);
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    bool good = report && to && pyr_judge_init(report, &plain, record, record_size, options, NULL) == PYR_JUDGE_GOOD &&
        pyr_judge_write_json(report, to) && pyr_judge_write_html(report, to);
    if (report)
        pyr_judge_finish(report);
    free(report);
    if (to && fclose(to))
        good = false;
    if (!good)
        free(text);
    return good ? text : NULL;
}

static void *analyse_beside(void *argument)
{
    return analyse(argument);
}

TEST("judge: analyses beside each other give what each gives alone") {
    enum { BESIDE = 4 };
    struct pyr_judge_options options[BESIDE];
    pthread_t thread[BESIDE];
    char *alone[2];
    for (unsigned i = 0; i < BESIDE; i++)
        options[i] = (struct pyr_judge_options){ .playouts = 100, .threads = 1 + i % 3, .seed = i % 2 };
    for (unsigned i = 0; i < 2; i++)
        alone[i] = analyse(&options[i]);
    CHECK(alone[0] && alone[1] && strcmp(alone[0], alone[1]));
    for (unsigned i = 0; i < BESIDE; i++)
        if (pthread_create(&thread[i], NULL, analyse_beside, &options[i]))
            SKIP("no threads");
    for (unsigned i = 0; i < BESIDE; i++) {
        void *got;
        pthread_join(thread[i], &got);
        CHECK(got && alone[i % 2] && !strcmp(got, alone[i % 2]));
        free(got);
    }
    free(alone[0]);
    free(alone[1]);
}

/* Gives up after so many tasks. */
struct patience {
    unsigned left, begun, all;
    bool rising;
};

static bool is_over(void *context)
{
    const struct patience *patience = context;
    return patience->begun >= patience->left;
}

static void note_progress(void *context, unsigned begun, unsigned all)
{
    struct patience *patience = context;
    patience->rising = patience->rising && (begun == 0 || begun == patience->begun + 1);
    patience->begun = begun;
    patience->all = all;
}

TEST("judge: progress is told in order, and giving up is prompt") {
    static struct pyr_judge_report report;
    struct patience patience = { .left = 5, .rising = true };
    struct pyr_judge_options options = { .playouts = 100, .threads = 1, .is_cancelled = is_over, .progress = note_progress,
        .context = &patience };
    CHECK_INT(pyr_judge_init(&report, &plain, record, record_size, &options, NULL), PYR_JUDGE_CANCELLED);
    pyr_judge_finish(&report);
    CHECK_INT(patience.begun, 5);
    CHECK(patience.rising && patience.all > 50);
    patience = (struct patience){ .left = 10000, .rising = true };
    CHECK_INT(pyr_judge_init(&report, &plain, record, record_size, &options, NULL), PYR_JUDGE_GOOD);
    pyr_judge_finish(&report);
    CHECK(patience.rising);
    CHECK_INT(patience.begun + 1, patience.all);
}

static bool is_over_soon(void *context)
{
    return ++*(unsigned *)context > 50;
}

TEST("judge: giving up does not wait for the end of a decision") {
    static struct pyr_judge_report report;
    unsigned asked = 0;
    struct pyr_judge_options options = { .playouts = 100000000, .threads = 1, .is_cancelled = is_over_soon,
        .context = &asked };
    CHECK_INT(pyr_judge_init(&report, &plain, record, record_size, &options, NULL), PYR_JUDGE_CANCELLED);
    CHECK(asked > 50);
    pyr_judge_finish(&report);
}

TEST("judge: what cannot be analysed has its code") {
    static struct pyr_judge_report report;
    const struct pyr_judge_options options = { .playouts = 100, .threads = 1 };
    struct pyr_fault fault;
    CHECK_INT(pyr_judge_init(&report, &plain, "nonsense\n", 9, &options, &fault), PYR_JUDGE_RECORD);
    CHECK_INT(fault.code, PYR_ERR_TEXT_HEADER);
    pyr_judge_finish(&report);
    CHECK_INT(pyr_judge_init(&report, &plain, "nonsense\n", 9, &options, NULL), PYR_JUDGE_RECORD);
    pyr_judge_finish(&report);
    const char *deal = strstr(record, "deal 2");
    CHECK_INT(pyr_judge_init(&report, &plain, record, (size_t)(deal - record), &options, &fault), PYR_JUDGE_DEALING);
    pyr_judge_finish(&report);
    pyr_judge_finish(&report);               /* a second call is harmless */
}

TEST("judge: a stream that fails is told") {
    static struct pyr_judge_report report;
    const struct pyr_judge_options options = { .playouts = 100, .threads = 1 };
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        SKIP("no /dev/full");
    setvbuf(full, NULL, _IOFBF, 64);
    CHECK_INT(pyr_judge_init(&report, &plain, record, record_size, &options, NULL), PYR_JUDGE_GOOD);
    CHECK(!pyr_judge_write_json(&report, full));
    clearerr(full);
    CHECK(!pyr_judge_write_html(&report, full));
    pyr_judge_finish(&report);
    fclose(full);
}

/* The margins. A 95 % interval holds the true difference in 95 of 100 cases: positions are analysed many times, each
 * time with other random numbers, and the mean over all of them is taken as the truth. */

enum { MAX_RUNS = 80, FEW_RUNS = 4 };

static unsigned runs(void)
{
    return check_times(MAX_RUNS, FEW_RUNS);
}

struct sum {
    struct pyr_option option;
    double points, win;
    unsigned runs;
};

static struct pyr_option lists[MAX_RUNS][PYR_MAX_OPTIONS];
static unsigned counts[MAX_RUNS];

/* Options that were compared in the last round. Only its numbers were not used to select the options. */
static bool is_final(unsigned run, unsigned i)
{
    return lists[run][i].playouts == lists[run][0].playouts;
}

static struct sum *sum_of(struct sum *sums, unsigned *count, const struct pyr_option *option)
{
    for (unsigned i = 0; i < *count; i++)
        if (sums[i].option.count == option->count && !memcmp(sums[i].option.step, option->step,
            option->count * sizeof *option->step))
            return &sums[i];
    sums[*count] = (struct sum){ .option = *option };
    return &sums[(*count)++];
}

struct hits {
    unsigned held, all;
};

/* Counts the intervals of a position, and how many contain the true difference. */
static void count_hits(const void *memory, const struct pyr_view *view, uint32_t playouts, struct hits *points,
    struct hits *win)
{
    static struct sum sums[PYR_MAX_OPTIONS];
    unsigned options = 0;
    for (unsigned run = 0; run < runs(); run++) {
        struct pyr_rng rng;
        pyr_rng_seed(&rng, 95, run);
        counts[run] = pyr_analysis_options(memory, &plain.box, view, playouts, &rng, NULL, lists[run], PYR_MAX_OPTIONS);
        for (unsigned i = 0; i < counts[run]; i++) {
            struct sum *sum = sum_of(sums, &options, &lists[run][i]);
            if (!is_final(run, i))
                continue;
            sum->points += lists[run][i].points;
            sum->win += lists[run][i].win;
            sum->runs++;
        }
    }
    for (unsigned run = 0; run < runs(); run++) {
        unsigned first = 0;                  /* the option that the others are compared with has no margin */
        while (first < counts[run] && (lists[run][first].points_margin != 0 || !is_final(run, first)))
            first++;
        for (unsigned i = 0; first < counts[run] && i < counts[run]; i++) {
            const struct pyr_option *a = &lists[run][first], *b = &lists[run][i];
            const struct sum *true_a = sum_of(sums, &options, a), *true_b = sum_of(sums, &options, b);
            if (i == first || !is_final(run, i) || true_a->runs < runs() / 4 || true_b->runs < runs() / 4)
                continue;
            double points_off = a->points - b->points - (true_a->points / true_a->runs - true_b->points / true_b->runs);
            double win_off = a->win - b->win - (true_a->win / true_a->runs - true_b->win / true_b->runs);
            points->all++;
            points->held += points_off <= b->points_margin && points_off >= -b->points_margin;
            if (b->win_margin <= 0)
                continue;                    /* the game is decided */
            win->all++;
            win->held += win_off <= b->win_margin && win_off >= -b->win_margin;
        }
    }
}

/* Positions from a line of the game on. */
static void count_from(const struct pyr_match *match, const void *memory, uint32_t line, unsigned positions,
    uint32_t playouts, struct hits *points, struct hits *win)
{
    for (; line < match->log.lines && positions; line++) {
        struct pyr_replay replay;
        struct pyr_view view;
        if (pyr_match_replay(match, line, &replay) || replay.state.open.phase != PYR_MARK ||
            !(replay.state.open.waiting & 1))
            continue;
        pyr_view_init(&view, &replay.state, 0);
        count_hits(memory, &view, playouts, points, win);
        positions--;
    }
}

TEST("judge: margins hold in 95 of 100 cases") {
    static struct pyr_match match;
    struct hits points = { 0 }, win = { 0 }, early = { 0 }, other = { 0 };
    void *memory = aligned_alloc(64, (pyr_analysis_memory(&plain.box) + 63) / 64 * 64);
    if (!CHECK(memory && !pyr_match_load(&match, &plain, record, record_size, PYR_NOBODY, NULL)))
        return;
    pyr_analysis_prepare(memory, &plain.box);
    /* Points late, where playouts are short; chances early, while the game is open. */
    count_from(&match, memory, match.log.lines * 13 / 20, 2, 3000, &points, &other);
    count_from(&match, memory, match.log.lines / 4, 1, 600, &early, &win);
    count_from(&match, memory, match.log.lines / 8, 1, 600, &early, &other);
    free(memory);
    printf("# early, with few playouts: %u of %u intervals of points hold\n", early.held, early.all);
    printf("# %u of %u intervals of points hold, %u of %u of chances\n", points.held, points.all, win.held, win.all);
    CHECK(early.all > 5 * runs() && points.all > 5 * runs() && win.all * 2 > 5 * runs());
    if (runs() < MAX_RUNS)
        return;                              /* too few for a verdict */
    CHECK(early.all > 400 && early.held > 0.93 * early.all && early.held < 0.98 * early.all);
    CHECK(points.all > 400 && win.all > 200);
    CHECK(points.held > 0.93 * points.all && points.held < 0.97 * points.all);
    CHECK(win.held > 0.92 * win.all && win.held < 0.98 * win.all);       /* fewer of them */
}

/* One analysis shared by all tests: the statements about each decision. */

static struct pyr_judge_report judged[2];

static bool judge_record(struct pyr_judge_report *report, const char *text, size_t size, uint32_t cap, uint64_t seed)
{
    const struct pyr_judge_options options = { .playouts = cap, .threads = 2, .seed = seed };
    return CHECK_INT(pyr_judge_init(report, &plain, text, size, &options, NULL), PYR_JUDGE_GOOD);
}

/* The caps of two reports that several tests use, in worlds. */
static uint32_t usual_cap(unsigned which)
{
    return which ? check_times(2048, 1024) : 512;
}

/* Made on first use. */
static struct pyr_judge_report *usual(unsigned which)
{
    static struct pyr_judge_report made[2];
    if (!made[which].decisions)
        judge_record(&made[which], record, record_size, usual_cap(which), 1);
    return &made[which];
}

/* As it is printed: with one decimal. */
static double shown(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.1f", value);
    return atof(text);
}

static int legend(double points, double percent)
{
    return points >= 6 || percent >= 10 ? 3 : points >= 3 || percent >= 5 ? 2 : points >= 1.5 || percent >= 2 ? 1 : 0;
}

TEST("judge: no mark contradicts its legend, and what is not certain says so") {
    const uint32_t caps[] = { usual_cap(0), usual_cap(1), 100 };
    unsigned unsure = 0, marked = 0, exact = 0, spared = 0;
    for (unsigned c = 0; c < 3; c++) {
        struct pyr_judge_report *r = c < 2 ? usual(c) : &judged[0];
        if (c == 2)
            judge_record(r, record, record_size, caps[c], 1);
        for (unsigned i = 0; i < r->decisions; i++) {
            const struct pyr_luck_decision *d = &r->decision[i];
            CHECK_INT(legend(shown((double)d->points_lost), shown(100 * (double)d->win_lost)), d->mark);
            CHECK(d->mildest <= d->mark && d->mark <= d->worst && d->playouts <= caps[c]);
            CHECK((d->state == PYR_LUCK_UNSURE) == (d->mildest != d->worst));
            CHECK(d->state != PYR_LUCK_UNSURE || d->playouts == caps[c]);        /* it was not stopped early */
            CHECK(d->state != PYR_LUCK_UNSURE || d->mildest || !d->mark);        /* it may have been good: no mark */
            bool last = d->round == 3 && d->turn == 6;
            CHECK(!last || d->state == PYR_LUCK_EXACT);
            if (d->state == PYR_LUCK_EXACT)
                CHECK(d->points_margin <= 0 && d->win_margin <= 0);
            unsure += d->state == PYR_LUCK_UNSURE, marked += d->mark > 0, exact += last && d->bests > 1;
            spared += d->state == PYR_LUCK_UNSURE && !d->mark && (d->points_cost >= 1.5f || d->win_cost >= 0.02f);
        }
    }
    pyr_judge_finish(&judged[0]);
    CHECK(unsure && marked && exact && spared);
}

/* Everything shown of two decisions is the same. */
static bool is_same_decision(const struct pyr_luck_decision *a, const struct pyr_luck_decision *b)
{
    return !memcmp(&a->points_lost, &b->points_lost, sizeof(float)) && !memcmp(&a->win_lost, &b->win_lost, sizeof(float)) &&
        !memcmp(&a->points_margin, &b->points_margin, sizeof(float)) && a->mark == b->mark && a->state == b->state &&
        a->playouts == b->playouts && !memcmp(a->best[0].step, b->best[0].step, a->best[0].count * sizeof(pyr_step));
}

TEST("judge: what is certain stays as it is, however many playouts follow") {
    unsigned same = 0, refined = 0;
    CHECK_INT(usual(0)->decisions, usual(1)->decisions);
    for (unsigned i = 0; i < usual(0)->decisions; i++) {
        const struct pyr_luck_decision *a = &usual(0)->decision[i], *b = &usual(1)->decision[i];
        if (a->state != PYR_LUCK_UNSURE)
            CHECK(is_same_decision(a, b)), same++;
        else
            refined += b->state != PYR_LUCK_UNSURE;
    }
    CHECK(same > 10 && refined > 5);
}

TEST("judge: names, tags and what comes later do not change a decision") {
    /* The same game with other names, one more tag, and without its last third. */
    char *other = malloc(record_size + 200), *to = other;
    unsigned line = 0, lines = 0, compared = 0;
    for (const char *at = record; *at; at++)
        lines += *at == '\n';
    for (const char *at = record, *end; *at && line < lines * 2 / 3; at = end, line++) {
        end = strchr(at, '\n') + 1;
        if (!strncmp(at, "player ", 7))
            to += sprintf(to, "player %c Somebody %c\n", at[7], at[7]);
        else
            to += sprintf(to, "%.*s", (int)(end - at), at);
    }
    to += sprintf(to, "tag note later\n");
    if (judge_record(&judged[0], record, record_size, 100, 1) &&
        judge_record(&judged[1], other, (size_t)(to - other), 100, 1)) {
        CHECK(!judged[1].finished && judged[1].decisions > 20 && judged[1].decisions < judged[0].decisions);
        for (unsigned i = 0; i < judged[1].decisions; i++, compared++)
            CHECK(is_same_decision(&judged[0].decision[i], &judged[1].decision[i]));
        CHECK(!memcmp(&judged[0].chance[1].luck, &judged[1].chance[1].luck, sizeof judged[0].chance[1].luck));
    }
    CHECK(compared > 20);
    pyr_judge_finish(&judged[0]);
    pyr_judge_finish(&judged[1]);
    free(other);
}

TEST("judge: margins hold wherever the playouts stop") {
    /* The same game with other seeds: how reliable a certain mark is, and the interval around a loss. */
    const unsigned seeds = check_times(3, 1);
    unsigned certain = 0, wrong = 0, intervals = 0, held = 0, luck = 0, luck_held = 0;
    for (uint64_t seed = 2; seed < 2 + seeds; seed++) {
        if (!judge_record(&judged[1], record, record_size, 512, seed))
            return;
        for (unsigned i = 0; i < judged[1].decisions; i++) {
            const struct pyr_luck_decision *few = &judged[1].decision[i], *many = &usual(1)->decision[i];
            if (many->state == PYR_LUCK_SURE && few->state == PYR_LUCK_SURE)
                certain++, wrong += few->mark != many->mark;
            if (few->state == PYR_LUCK_EXACT || many->playouts < usual_cap(1))
                continue;
            double off = (double)few->points_cost - (double)many->points_cost;
            double win_off = (double)few->win_cost - (double)many->win_cost;
            double room = (double)few->points_margin + (double)many->points_margin / 3.2;
            double win_room = (double)few->win_margin + (double)many->win_margin / 3.2;
            intervals += 2;
            held += off < room && off > -room;
            held += win_off < win_room && win_off > -win_room;
        }
        for (unsigned s = 0; s < 2; s++) {
            double off = (double)judged[1].sum[s].luck - (double)usual(1)->sum[s].luck;
            double room = 1.414 * (double)usual(1)->sum[s].luck_margin;
            luck++, luck_held += off < room && off > -room;
        }
        pyr_judge_finish(&judged[1]);
    }
    printf("# %u of %u marks called certain are not those of more playouts\n", wrong, certain);
    printf("# %u of %u intervals of losses hold, %u of %u of luck\n", held, intervals, luck_held, luck);
    CHECK(certain * 3 > 40 * seeds && wrong * 20 <= certain);
    CHECK(intervals > 20 * seeds && held > 0.95 * intervals);
    CHECK(luck_held >= luck - 2);            /* of 6: two or fewer miss in 99 of 100 cases */
}
