/*
 * analysis.c: all choices of a position and their values; see analysis.h. Used by hints, by the analysis of whole games
 * (session/luck.c) and by bindings.
 *
 * A world is one full state that agrees with what the seat may know (pyr_view_sample). All choices are played out in the
 * same worlds, so that most of the luck cancels when two of them are compared.
 *
 * Memory is the caller's, filled by pyr_analysis_prepare and only read afterwards: several threads may share it, except
 * that pyr_analysis_poll writes to it. Nothing is allocated.
 */
#include <pyramids/analysis.h>
#include <pyramids/score.h>

#include "policy.h"

/* The content of the caller's `memory`. The tables come first, so that a pointer to it is also a pointer to them
 * (policy_playout). */
struct analysis {
    struct tables tables;        /* first */
    bool (*is_over)(void *context);
    void *context;
};

size_t pyr_analysis_memory(const struct pyr_box *box)
{
    (void)box;
    return sizeof(struct analysis);
}

void pyr_analysis_prepare(void *memory, const struct pyr_box *box)
{
    struct analysis *analysis = memory;
    tables_prepare(&analysis->tables, box, &weights_learned);
    analysis->is_over = NULL;
    analysis->context = NULL;
}

void pyr_analysis_poll(void *memory, bool (*is_over)(void *context), void *context)
{
    struct analysis *analysis = memory;
    analysis->is_over = is_over;
    analysis->context = context;
}

/* Checked between worlds, so that an analysis can be cancelled. */
static bool is_over(const struct analysis *analysis)
{
    return analysis->is_over && analysis->is_over(analysis->context);
}

/* The view to start from; a seat that has chosen already chooses again. */
static struct pyr_view reopen(const struct pyr_view *view)
{
    struct pyr_view at = policy_reopen(view);
    if (at.seat < at.open.seats && at.open.phase == PYR_MARK && !at.mine.due)
        at.mine = at.open.desk[at.seat];
    return at;
}

/* A seat's share of the win: players who tie share it. */
static float share(unsigned winners, unsigned seat)
{
    return winners >> seat & 1 ? 1.0f / (float)__builtin_popcount(winners) : 0;
}

/* `dealt` replaces the sampled deals if the caller knows all of them. Without playouts everything is 0. If it is stopped
 * early, the sums are still divided by all playouts; such an outlook must not be used. */
void pyr_analysis_outlook(const void *memory, const struct pyr_box *box, const struct pyr_view *view,
    const struct pyr_chance *dealt, uint32_t playouts, struct pyr_rng *rng, struct pyr_outlook *outlook)
{
    struct pyr_view at = reopen(view);
    struct pyr_outlook sum = { { 0 }, { 0 } };
    if (at.open.phase == PYR_END)
        playouts = 1;
    for (uint32_t i = 0; i < playouts && !is_over(memory); i++) {
        struct pyr_state state;
        pyr_view_sample(&at, box, rng, &state);
        for (unsigned k = 0; dealt && k < PYR_MAX_SEATS * PYR_DEALT; k++)
            state.hidden.dealt[k / PYR_DEALT][k % PYR_DEALT] = dealt->dealt[k / PYR_DEALT][k % PYR_DEALT];
        policy_playout(memory, box, &state, false);
        unsigned winners = pyr_table_winners(&state.open, box);
        for (unsigned s = 0; s < at.open.seats; s++) {
            sum.points[s] += (float)pyr_table_score(&state.open, box, (pyr_seat)s).total;
            sum.win[s] += share(winners, s);
        }
    }
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++) {
        outlook->points[s] = playouts ? sum.points[s] / (float)playouts : 0;
        outlook->win[s] = playouts ? sum.win[s] / (float)playouts : 0;
    }
}

/* Collecting options. */

/* A list of options being filled, in the order of their priors, at most `room` long. */
struct collector {
    const struct analysis *analysis;
    const struct tables *tables; /* in `memory` */
    const struct pyr_box *box;
    const struct pyr_view *view;
    struct pyr_option *list;
    unsigned count, room;
    unsigned left;               /* extra marks that may still be tried beside the best ones, for this first mark */
};

static bool same_choice(const struct pyr_option *a, const struct pyr_option *b)
{
    return pyr_choice_is_same(a->step, a->count, b->step, b->count);
}

/* Keeps the options with the highest priors, in that order. */
static void add(struct collector *c, const struct pyr_option *option)
{
    unsigned at = c->count < c->room ? c->count++ : c->room;
    for (; at && c->list[at - 1].prior < option->prior; at--)
        if (at < c->room)
            c->list[at] = c->list[at - 1];
    if (at < c->room)
        c->list[at] = *option;
}

/* All first marks are tried; of the extra marks that one earns, only the policy's best few. After so many extra marks for
 * one first mark, only the best one is tried each time: otherwise a card full of crosses would take for ever. */
#define EXTRAS_TRIED 4
#define EXTRAS_MOST 8192

/* Recursive: each extra mark may earn further ones. If all of them were tried, a card full of crosses would have millions
 * of choices. `option` is a scratch choice that grows and shrinks with the recursion. */
static void add_marks(struct collector *c, const struct pyr_desk *desk, struct pyr_option *option)
{
    const struct pyr_table *open = &c->view->open;
    pyr_pattern pattern = open->revealed[open->turn];
    struct {
        pyr_step step;
        int value;
    } best[EXTRAS_TRIED];
    unsigned tried = 0;
    struct pyr_steps steps;
    struct policy_desk at;
    bool first = desk->flags & PYR_DESK_FIRST;
    pyr_desk_steps(desk, c->box, pattern, &steps);
    policy_begin(&at, c->tables, c->box, open, desk);
    int prior = option->prior;
    for (uint32_t i = 0; i < steps.count; i++) {
        pyr_step step = pyr_steps_at(&steps, c->box, i);
        int value = policy_value_mark(&at, step);
        if (!first) {
            unsigned place = tried < EXTRAS_TRIED ? tried++ : EXTRAS_TRIED;
            for (; place && best[place - 1].value < value; place--)
                if (place < EXTRAS_TRIED)
                    best[place] = best[place - 1];
            if (place < EXTRAS_TRIED)
                best[place].step = step, best[place].value = value;
            continue;
        }
        struct pyr_desk next = *desk;
        pyr_desk_mark(&next, c->box, pattern, open->round, step);
        option->step[0] = step;
        option->count = 1;
        option->prior = value;
        c->left = EXTRAS_MOST;
        if (next.due)
            add_marks(c, &next, option);
        else
            add(c, option);
    }
    unsigned made = option->count;
    for (unsigned i = 0; i < tried && made < PYR_MAX_CHOICE && (!i || c->left); i++) {
        c->left -= c->left != 0;
        struct pyr_desk next = *desk;
        pyr_desk_mark(&next, c->box, pattern, open->round, best[i].step);
        option->step[made] = best[i].step;
        option->count = (uint8_t)(made + 1);
        option->prior = prior + best[i].value;
        if (next.due)
            add_marks(c, &next, option);
        else
            add(c, option);
    }
    if (!first)
        option->count = (uint8_t)made, option->prior = prior;
}

/* `made` is always in the list, if necessary instead of the last one, since its cost is what the analysis is for. INT_MIN
 * keeps it last. */
static void collect(struct collector *c, const struct pyr_option *made)
{
    const struct pyr_view *view = c->view;
    struct pyr_option option = { .count = 0 };
    struct pyr_steps steps;
    if (view->open.phase == PYR_MARK) {
        add_marks(c, &view->mine, &option);
    } else {
        pyr_view_steps(view, c->box, &steps);
        for (uint32_t i = 0; i < steps.count; i++) {
            option.step[0] = pyr_steps_at(&steps, c->box, i);
            option.count = 1;
            option.prior = policy_value_step(c->tables, c->box, &view->open, &view->mine, option.step[0]);
            add(c, &option);
        }
    }
    if (!made || !made->count)
        return;
    for (unsigned i = 0; i < c->count; i++)
        if (same_choice(&c->list[i], made))
            return;
    unsigned last = c->count < c->room ? c->count++ : c->room - 1;
    c->list[last] = *made;
    c->list[last].prior = INT_MIN;
}

/* Trying them. */

/* The results of one option over all worlds. */
struct trial {
    double points, win;          /* sums */
    double points_gap, points_gap_squares, win_gap, win_gap_squares;   /* differences from the first option, world by
                                                                          world */
};

/* Plays an option to the end in a copy of a world. */
static void play_out(const struct collector *c, const struct pyr_option *option, const struct pyr_state *world,
    struct pyr_state *state)
{
    *state = *world;
    for (unsigned k = 0; k < option->count; k++)
        pyr_state_apply(state, c->box, c->view->seat, option->step[k]);
    policy_playout(c->tables, c->box, state, false);
}

/* Differences to the first option are summed world by world: their variance is far smaller than that of the results. */
static void try_options(const struct collector *c, uint32_t worlds, struct pyr_rng *rng, struct trial *trial)
{
    for (unsigned i = 0; i < c->count; i++)
        trial[i] = (struct trial){ 0 };
    for (uint32_t w = 0; w < worlds && !is_over(c->analysis); w++) {
        struct pyr_state world;
        double first_points = 0, first_win = 0;
        pyr_view_sample(c->view, c->box, rng, &world);
        for (unsigned i = 0; i < c->count; i++) {
            struct pyr_state state;
            play_out(c, &c->list[i], &world, &state);
            double points = pyr_table_score(&state.open, c->box, c->view->seat).total;
            double win = share(pyr_table_winners(&state.open, c->box), c->view->seat);
            if (!i)
                first_points = points, first_win = win;
            struct trial *t = &trial[i];
            t->points += points;
            t->win += win;
            t->points_gap += first_points - points;
            t->points_gap_squares += (first_points - points) * (first_points - points);
            t->win_gap += first_win - win;
            t->win_gap_squares += (first_win - win) * (first_win - win);
        }
    }
}

/* Replaces the C library's sqrt, which freestanding wasm lacks, with the same result on every machine. 60 steps are more
 * than enough for the sums here. */
double pyr_analysis_root(double x)
{
    double r = x > 1 ? x : 1;                /* Newton's method */
    if (x <= 0)
        return 0;
    for (unsigned i = 0; i < 60; i++)
        r = (r + x / r) / 2;
    return r;
}

/* The standard error of a mean of n values. Two squared units are added to the sum of squares, as if two more values
 * differed by one unit: so with few or equal values the error is never estimated as 0. */
double pyr_analysis_error(double sum, double squares, double n, double unit)
{
    return n < 1 ? unit : pyr_analysis_root((squares - sum * sum / n + 2 * unit * unit) / n / n);
}

/* Half of the 95% interval; the quantile of Student's distribution is slightly larger than 1.96. */
static float margin(double sum, double squares, double n, double unit)
{
    return (float)((1.96 + 2.4 / n) * pyr_analysis_error(sum, squares, n, unit));
}

static bool is_better(const struct pyr_option *a, const struct pyr_option *b)
{
    /* A point counts as half a percent, so that choices still matter in decided games. */
    return a->win + 0.005f * a->points > b->win + 0.005f * b->points;
}

/* An insertion sort: it is stable, so options of equal value keep the policy's order, and lists are short. */
static void rank(struct pyr_option *list, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        struct pyr_option option = list[i];
        unsigned at = i;
        for (; at && is_better(&option, &list[at - 1]); at--)
            list[at] = list[at - 1];
        list[at] = option;
    }
}

/* Turns sums into means and margins. A settled position needs no margins: nothing is left to chance. */
static void note(struct collector *c, const struct trial *trial, uint32_t worlds)
{
    for (unsigned i = 0; i < c->count; i++) {
        struct pyr_option *option = &c->list[i];
        option->points = (float)(trial[i].points / worlds);
        option->win = (float)(trial[i].win / worlds);
        option->points_margin = option->win_margin = 0;
        if (i && !pyr_analysis_is_settled(c->view)) {
            option->points_margin = margin(trial[i].points_gap, trial[i].points_gap_squares, worlds, PYR_POINTS_UNIT);
            option->win_margin = margin(trial[i].win_gap, trial[i].win_gap_squares, worlds, 1);
        }
        option->playouts = worlds;
    }
}

/* All choices, in the policy's order: the usual one comes first. */
static unsigned find_choices(struct collector *c, const struct pyr_option *made)
{
    const struct pyr_view *at = c->view;
    if (c->room > PYR_MAX_OPTIONS)
        c->room = PYR_MAX_OPTIONS;
    if (!c->room || at->seat >= at->open.seats || !(at->open.waiting >> at->seat & 1))
        return 0;
    collect(c, made);
    for (unsigned i = 0; i < c->count; i++)
        c->list[i].usual = !i;
    return c->count;
}

unsigned pyr_analysis_choices(const void *memory, const struct pyr_box *box, const struct pyr_view *view,
    const struct pyr_option *made, struct pyr_option *options, unsigned room)
{
    struct pyr_view at = reopen(view);
    const struct analysis *analysis = memory;
    struct collector c = { analysis, &analysis->tables, box, &at, options, 0, room, EXTRAS_MOST };
    return find_choices(&c, made);
}

/* In the last turn, once the pattern is revealed, nothing is left to chance. */
bool pyr_analysis_is_settled(const struct pyr_view *view)
{
    return !turns_left(&view->open) && view->open.phase >= PYR_MARK;
}

/* Writes `worlds` times `count` results, world by world. A win is counted in twelfths, so that a win shared by two,
 * three or four is still a whole number. */
bool pyr_analysis_play(const void *memory, const struct pyr_box *box, const struct pyr_view *view,
    const struct pyr_option *options, unsigned count, uint32_t worlds, struct pyr_rng *rng, struct pyr_result *result)
{
    struct pyr_view at = reopen(view);
    const struct analysis *analysis = memory;
    const struct collector c = { analysis, &analysis->tables, box, &at, NULL, 0, 0, 0 };
    for (uint32_t w = 0; w < worlds; w++) {
        struct pyr_state world, state;
        if (is_over(analysis))
            return false;
        pyr_view_sample(&at, box, rng, &world);
        for (unsigned i = 0; i < count; i++) {
            play_out(&c, &options[i], &world, &state);
            unsigned winners = pyr_table_winners(&state.open, box);
            bool won = winners >> at.seat & 1;
            *result++ = (struct pyr_result){ pyr_table_score(&state.open, box, at.seat).total,
                (int16_t)(won ? 12 / __builtin_popcount(winners) : 0) };
        }
    }
    return true;
}

/* Returns the number of choices; only those that were compared to the end have final values, and they come first. */
unsigned pyr_analysis_options(const void *memory, const struct pyr_box *box, const struct pyr_view *view, uint32_t playouts,
    struct pyr_rng *rng, const struct pyr_option *made, struct pyr_option *options, unsigned room)
{
    struct pyr_view at = reopen(view);
    struct trial trial[PYR_MAX_OPTIONS];
    const struct analysis *analysis = memory;
    struct collector c = { analysis, &analysis->tables, box, &at, options, 0, room, EXTRAS_MOST };
    unsigned all = find_choices(&c, made);
    if (!all)
        return 0;
    /* Half of the playouts select the best in two rounds; the other half compares the best five, the usual one and
     * `made`. */
    static const unsigned stay[] = { 12, 5 };
    for (unsigned round = 0; round < 2 && c.count > 1; round++) {
        uint32_t worlds = playouts / 4 / c.count + 1;
        try_options(&c, worlds, rng, trial);
        note(&c, trial, worlds);
        rank(options, c.count);
        unsigned kept = stay[round];
        for (unsigned i = kept; i < c.count; i++) {
            if (!options[i].usual && !(made && same_choice(&options[i], made)))
                continue;
            struct pyr_option option = options[i];
            for (unsigned k = i; k > kept; k--)
                options[k] = options[k - 1];
            options[kept++] = option;
        }
        if (kept < c.count)
            c.count = kept;
    }
    uint32_t worlds = playouts / 2 / c.count + 1;
    try_options(&c, worlds, rng, trial);
    note(&c, trial, worlds);
    rank(options, c.count);
    return all;
}
