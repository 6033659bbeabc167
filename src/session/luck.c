/*
 * luck.c: what decisions cost and how lucky events were; see luck.h for the terms.
 *
 * The luck of an event is the outlook after it minus the mean outlook over everything that could have happened instead,
 * measured with the same random numbers, so that most of the noise cancels. The cost of a decision is weighed by weigh.c.
 *
 * Freestanding and without state of its own: tasks can be rated by several threads at the same time.
 */
#include <pyramids/choice.h>
#include <pyramids/luck.h>

#include "weigh.h"

#define MARK(name, sign, points, win) { sign, points / 100.0f, win / 10000.0f },
static const struct pyr_luck_threshold thresholds[4] = { { "", 0, 0 }, PYR_LUCK_MARKS(MARK) };
#undef MARK

const struct pyr_luck_threshold *pyr_luck_threshold(enum pyr_luck_mark mark)
{
    return &thresholds[mark];
}

/* The first level whose limit is above the rate; the levels are listed from the strongest on. */
const char *pyr_luck_level(float rate)
{
#define LEVEL(name, hundredths) if (rate < hundredths / 100.0f) return #name;
    PYR_LUCK_LEVELS(LEVEL)
#undef LEVEL
    return "novice";
}

/* Tasks. */

void pyr_luck_begin(struct pyr_luck_log *log, const struct pyr_edition *edition)
{
    /* FNV's offset basis. */
    *log = (struct pyr_luck_log){ .edition = edition, .past = UINT64_C(14695981039346656037) };
    pyr_replay_init(&log->replay, PYR_NOBODY);
}

/* A draw is both: the decision to draw, and the luck of the card. */
static bool is_decision(const struct pyr_event *event)
{
    return event->kind == PYR_EVENT_KEEP || event->kind == PYR_EVENT_MARK || event->kind == PYR_EVENT_TAKE ||
        event->kind == PYR_EVENT_DRAW;
}

static bool is_chance(const struct pyr_event *event)
{
    return event->kind == PYR_EVENT_SHOW || event->kind == PYR_EVENT_REVEAL || event->kind == PYR_EVENT_DRAW;
}

/* Adds a line to the past (FNV-1a). */
static uint64_t add_past(uint64_t past, struct pyr_word line)
{
    for (size_t i = 0; i < line.length; i++)
        past = (past ^ (unsigned char)line.at[i]) * UINT64_C(1099511628211);
    return (past ^ '\n') * UINT64_C(1099511628211);
}

/* The seed of a task, from the events before it, the seat, and whether it is chance. The factor is 2^64 divided by the
 * golden ratio: it spreads neighbouring values over all bits. */
static uint64_t seed_of(uint64_t past, unsigned seat, bool is_chance)
{
    return (past ^ (2 * seat + is_chance + 1)) * UINT64_C(0x9e3779b97f4a7c15);
}

/* In phases where all choose at once, every decision is rated from the state before the first of them: the players did
 * not know each other's choices, although the log has them one after the other. Replacing is in turn, so there it is the
 * state itself. */
unsigned pyr_luck_follow(struct pyr_luck_log *log, struct pyr_word line, struct pyr_luck_task task[PYR_LUCK_TASKS])
{
    struct pyr_replay *replay = &log->replay;
    const struct pyr_table *open = &replay->state.open;
    struct pyr_lines lines;
    struct pyr_event event;
    unsigned count = 0;
    uint32_t number = log->line++;
    pyr_lines_init(&lines, line.at, line.length);
    if (!pyr_lines_next(&lines, false) || !pyr_event_read(&event, log->edition, &lines))
        return 0;
    if (replay->stage == PYR_STAGE_PLAY && (open->phase == PYR_REPLACE || open->waiting == (1u << replay->seats) - 1)) {
        log->phase = replay->state;
        log->phase_line = number;
        log->phase_past = log->past;
    }
    if (is_decision(&event) && open->seats)
        task[count++] = (struct pyr_luck_task){ log->phase, event, number, open->round, open->turn, false,
            seed_of(log->phase_past, event.seat, false) };
    if (is_chance(&event) && open->seats)
        task[count++] = (struct pyr_luck_task){ replay->state, event, number, 0, 0, true, seed_of(log->past, 0, true) };
    if (pyr_replay_event(replay, log->edition, &event, NULL))
        return 0;
    if (is_decision(&event) || is_chance(&event) || event.kind == PYR_EVENT_DEAL)
        log->past = add_past(log->past, line);
    if (count && task[count - 1].is_chance) {    /* a reveal counts as part of the turn that it begins */
        task[count - 1].round = open->round;
        task[count - 1].turn = open->turn;
    }
    if (event.kind == PYR_EVENT_DEAL && replay->stage == PYR_STAGE_PLAY)     /* when all cards are dealt: the deals are
                                                                                rated as one event */
        task[count++] = (struct pyr_luck_task){ replay->state, event, number, 0, 0, true, seed_of(log->past, 0, true) };
    return count;
}

/* The state from which the rest of an unfinished game is estimated. If only some players have chosen in a phase, it is
 * the state before that phase, since the choices are secret. Returns the line from which on nothing counts. */
uint32_t pyr_luck_end(const struct pyr_luck_log *log, struct pyr_state *state)
{
    const struct pyr_table *open = &log->replay.state.open;
    bool at_once = open->phase == PYR_KEEP || open->phase == PYR_MARK;
    bool is_open = at_once && open->waiting && open->waiting != (1u << log->replay.seats) - 1;
    *state = is_open ? log->phase : log->replay.state;
    return is_open ? log->phase_line : log->line;
}

/* Decisions. */

#define SHOWN_POINTS 0.1         /* the precision of a printed loss */
#define SHOWN_WIN 0.001

/* Adjusts a loss so that it is below a limit even after rounding. Without that, a loss of 2.96 under a limit of 3
 * would be printed as 3.0 beside the milder mark. */
static double below(double loss, double limit, double unit)
{
    return loss > limit - unit / 2 ? limit - unit : loss;
}

/* The mark of a loss, within the marks that are possible. A choice that may have been fine gets none. */
static enum pyr_luck_mark mark_between(enum pyr_luck_mark low, enum pyr_luck_mark high, const struct weigh_loss *loss)
{
    enum pyr_luck_mark likely = weigh_mark(loss->points, loss->win);
    return low == PYR_LUCK_FINE || likely < low ? low : likely > high ? high : likely;
}

/* Moves the shown losses into the limits of the mark. A mark requires only one of its two numbers. If neither reaches the
 * threshold, the one that is nearer to it in standard errors is raised; a number that would belong to the next mark is
 * lowered. */
static void keep_within(struct pyr_luck_decision *d, double points, double win)
{
    const struct pyr_luck_threshold *own = &thresholds[d->mark];
    double far = d->points_error > 0 ? ((double)own->points - points) / (double)d->points_error : 0;
    double win_far = d->win_error > 0 ? ((double)own->win - win) / (double)d->win_error : 0;
    if (d->mark != PYR_LUCK_FINE && points < (double)own->points && win < (double)own->win) {
        if (far < win_far)
            points = (double)own->points;
        else
            win = (double)own->win;
    }
    if (d->mark != PYR_LUCK_BLUNDER) {
        points = below(points, (double)thresholds[d->mark + 1].points, SHOWN_POINTS);
        win = below(win, (double)thresholds[d->mark + 1].win, SHOWN_WIN);
    }
    d->points_lost = points > 0 ? (float)points : 0;
    d->win_lost = win > 0 ? (float)win : 0;
}

/* An arm as an option, with its values. */
static struct pyr_option weighed(const struct weigh *w, unsigned arm)
{
    struct pyr_option option = w->arm[arm].option;
    struct weigh_loss d;
    weigh_difference(w, arm, &d);
    double n = w->worlds ? w->worlds : 1;
    option.points = (float)((double)w->points / n + d.points);
    /* 12 is PYR_WIN_UNIT, a whole win: it can be shared by 1, 2, 3 or 4 players. */
    option.win = (float)((double)w->win / n / 12 + d.win);
    if (option.win < 0 || option.win > 1)    /* possible, since it was played in fewer worlds than the choice made */
        option.win = option.win < 0 ? 0 : 1;
    option.points_margin = (float)(WEIGH_Z * d.points_error);
    option.win_margin = (float)(WEIGH_Z * d.win_error);
    option.playouts = w->arm[arm].worlds[0] + w->arm[arm].worlds[1];
    return option;
}

/* If the analysis was stopped, *d has no result (bests is 0). The gain of a choice is its difference to the usual
 * one, the policy's. */
void pyr_luck_decide(const struct pyr_luck_how *how, const struct pyr_luck_task *task, struct pyr_luck_decision *d)
{
    struct weigh w;
    struct weigh_loss loss, gap;
    struct pyr_view view;
    unsigned order[WEIGH_ARMS];
    pyr_seat seat = task->event.seat;
    *d = (struct pyr_luck_decision){ .line = task->line, .seat = seat, .round = task->round, .turn = task->turn };
    pyr_view_init(&view, &task->state, seat);
    d->made.count = (uint8_t)pyr_choice_steps(&task->state.open.desk[seat], &task->event, d->made.step);
    weigh_begin(&w, how, &view, &d->made, task->seed ^ how->seed);
    if (w.stopped || !w.arms)
        return;
    weigh_order(&w, order);
    weigh_losses(&w, &loss);
    d->bests = w.arms < PYR_LUCK_BEST ? w.arms : PYR_LUCK_BEST;
    for (unsigned i = 0; i < d->bests; i++)
        d->best[i] = weighed(&w, order[i]);
    d->made = weighed(&w, 0);
    for (unsigned i = 1; i < w.arms; i++) {
        weigh_difference(&w, i, &gap);
        if (w.arm[i].option.usual)
            d->points_gained = (float)-gap.points, d->gained_error = (float)gap.points_error;
    }
    d->mildest = w.low;
    d->worst = w.high;
    d->mark = mark_between(w.low, w.high, &loss);
    d->state = w.exact ? PYR_LUCK_EXACT : w.low == w.high ? PYR_LUCK_SURE : PYR_LUCK_UNSURE;
    d->playouts = w.worlds;
    d->points_cost = (float)loss.points, d->points_error = (float)loss.points_error;
    d->win_cost = (float)loss.win, d->win_error = (float)loss.win_error;
    d->points_margin = (float)(WEIGH_Z * loss.points_error);
    d->win_margin = (float)(WEIGH_Z * loss.win_error);
    keep_within(d, loss.points, loss.win);
}

/* Chance. */

static void add(struct pyr_outlook *sum, const struct pyr_outlook *one, float weight)
{
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++) {
        sum->points[s] += weight * one->points[s];
        sum->win[s] += weight * one->win[s];
    }
}

/* An event of chance being measured. */
struct measure {
    const struct pyr_luck_how *how;
    const struct pyr_luck_task *task;
    uint64_t stream;             /* the same random numbers for every alternative */
    uint32_t playouts;           /* of an outlook */
    unsigned alternatives;       /* cards or displays that are tried, if they are too many to try all */
};

/* The outlook after an event. A deal without cards gives the position of a player who has not seen them. */
static void outlook_after(const struct measure *m, const struct pyr_event *event, uint32_t playouts,
    struct pyr_outlook *outlook)
{
    const struct pyr_box *box = m->how->box;
    struct pyr_state state = m->task->state;
    struct pyr_view view;
    struct pyr_rng rng;
    if (event->kind == PYR_EVENT_REVEAL) {
        pyr_state_supply_pattern(&state, event->pattern);
        pyr_state_reveal(&state, box);
    } else if (event->kind == PYR_EVENT_DRAW) {
        pyr_state_supply_card(&state, 0, event->card[0]);
        pyr_state_apply(&state, box, event->seat, pyr_step_draw());
    } else if (event->kind == PYR_EVENT_SHOW) {
        for (unsigned i = 0; i < event->count; i++)
            pyr_state_supply_card(&state, i, event->card[i]);
        pyr_state_show(&state, box);
    }
    bool dealt = event->kind == PYR_EVENT_DEAL && event->count;
    pyr_view_init(&view, &state, PYR_NOBODY);
    pyr_rng_seed(&rng, m->task->seed ^ m->how->seed, m->stream);
    pyr_analysis_outlook(m->how->memory, box, &view, dealt ? &state.hidden : NULL, playouts, &rng, outlook);
}

/* The mean over all patterns that can be revealed, weighted by the copies left. This is exact: there are so few patterns
 * that none is sampled. Before a round's first reveal all expedition cards are left. */
static void mean_reveal(const struct measure *m, const struct pyr_outlook *after, struct pyr_outlook *mean)
{
    const struct pyr_table *open = &m->task->state.open;
    struct pyr_event event = m->task->event;
    bool fresh = open->revealed[0] == PYR_NO_PATTERN || open->turn == pyr_table_options(open)->turns - 1;
    unsigned left[PYR_PATTERNS], all = 0;
    for (unsigned p = 0; p < PYR_PATTERNS; p++) {
        left[p] = m->how->box->pattern[p].copies;
        for (unsigned i = 0; i <= open->turn && !fresh; i++)
            left[p] -= open->revealed[i] == p;
        all += left[p];
    }
    for (unsigned p = 0; p < PYR_PATTERNS; p++) {
        struct pyr_outlook one = *after;
        if (!left[p])
            continue;
        event.pattern = (pyr_pattern)p;
        if (p != m->task->event.pattern)
            outlook_after(m, &event, m->playouts, &one);
        add(mean, &one, (float)left[p] / (float)all);
    }
}

#define ALTERNATIVES 24          /* of a card from the deck or a new display */

/* The mean over cards that could have been drawn: all of them if one card is drawn and few are left, otherwise a sample. */
static void mean_cards(const struct measure *m, struct pyr_rng *rng, struct pyr_outlook *mean)
{
    struct pyr_event event = m->task->event;
    struct pyr_outlook one;
    uint8_t deck[PYR_CARDS];
    unsigned count = 0, tried = 0;
    for (pyr_cardset left = m->task->state.open.deck; left; left &= left - 1)
        deck[count++] = (uint8_t)__builtin_ctzll(left);
    bool all = event.count == 1 && count <= ALTERNATIVES;
    for (; tried < (all ? count : m->alternatives); tried++) {
        if (!all)
            pyr_rng_choose(rng, deck, count, event.count);
        for (unsigned i = 0; i < event.count; i++)
            event.card[i] = deck[all ? tried : i];
        /* A quarter of the playouts each: there are many alternatives, and only their mean counts. */
        outlook_after(m, &event, m->playouts / 4 + 1, &one);
        add(mean, &one, 1);
    }
    for (unsigned s = 0; s < PYR_MAX_SEATS && tried; s++)
        mean->points[s] /= (float)tried, mean->win[s] /= (float)tried;
}

/* One part of the measurement, independent of the others: the outlook after the event, and its luck. */
static void measure_part(const struct measure *m, struct pyr_outlook *after, struct pyr_outlook *luck)
{
    struct pyr_outlook mean = { { 0 }, { 0 } };
    struct pyr_event event = m->task->event;
    struct pyr_rng rng;
    pyr_rng_seed(&rng, m->task->seed ^ m->how->seed, m->stream + 1);
    outlook_after(m, &event, m->playouts, after);
    if (event.kind == PYR_EVENT_REVEAL) {
        mean_reveal(m, after, &mean);
    } else if (event.kind == PYR_EVENT_DEAL) {
        event.count = 0;
        outlook_after(m, &event, m->playouts, &mean);
    } else {
        mean_cards(m, &rng, &mean);
    }
    *luck = *after;
    add(luck, &mean, -1);
}

#define PARTS 8                  /* their differences give the standard error */
#define CHANCE_PLAYOUTS 96       /* per outlook and part, if the cap allows */

/* The standard error of the mean of the parts. */
static float part_error(const float *value, float mean)
{
    double squares = 0;
    for (unsigned i = 0; i < PARTS; i++)
        squares += ((double)value[i] - (double)mean) * ((double)value[i] - (double)mean);
    return (float)pyr_analysis_root(squares / (PARTS - 1) / PARTS);
}

/* PARTS independent measurements instead of one large one: the spread between them is the standard error, for any
 * distribution within a part. */
void pyr_luck_measure(const struct pyr_luck_how *how, const struct pyr_luck_task *task, struct pyr_luck_chance *chance)
{
    struct measure m = { how, task, 0, how->playouts / 8 + 1, ALTERNATIVES / PARTS };
    float points[PYR_MAX_SEATS][PARTS], win[PYR_MAX_SEATS][PARTS];
    *chance = (struct pyr_luck_chance){ .line = task->line, .round = task->round, .turn = task->turn };
    m.playouts = m.playouts < CHANCE_PLAYOUTS ? m.playouts : CHANCE_PLAYOUTS;
    for (unsigned part = 0; part < PARTS; part++) {
        struct pyr_outlook after, luck;
        m.stream = 2 * part;
        measure_part(&m, &after, &luck);
        add(&chance->after, &after, 1.0f / PARTS);
        add(&chance->luck, &luck, 1.0f / PARTS);
        for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
            points[s][part] = luck.points[s], win[s][part] = luck.win[s];
    }
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++) {
        chance->error.points[s] = part_error(points[s], chance->luck.points[s]);
        chance->error.win[s] = part_error(win[s], chance->luck.win[s]);
    }
}

#define EXPECT_PLAYOUTS 3000     /* for the rest of an unfinished game, if the cap allows */

/* The expected result of all seats, if the policy plays for all of them. */
void pyr_luck_expect(const struct pyr_luck_how *how, const struct pyr_state *state, struct pyr_outlook *outlook)
{
    struct pyr_view view;
    struct pyr_rng rng;
    pyr_rng_seed(&rng, how->seed, 0);
    pyr_view_init(&view, state, PYR_NOBODY);
    uint32_t playouts = how->playouts < EXPECT_PLAYOUTS ? how->playouts : EXPECT_PLAYOUTS;
    pyr_analysis_outlook(how->memory, how->box, &view, NULL, playouts, &rng, outlook);
}

/* Sums. */

/* `counts` is false for choices of an unfinished phase: their gain is not in the outlook yet. */
void pyr_luck_add_decision(struct pyr_luck_sum sum[PYR_MAX_SEATS], const struct pyr_luck_decision *d, bool counts)
{
    struct pyr_luck_sum *mine = &sum[d->seat];
    mine->decisions++;
    mine->marks[d->mark]++;
    mine->unsure += d->state == PYR_LUCK_UNSURE;
    mine->lost += d->points_cost;
    mine->lost_margin += d->points_error * d->points_error;      /* margins contain variances until they are finished */
    mine->win_lost += d->win_cost;
    mine->win_lost_margin += d->win_error * d->win_error;
    if (!counts)
        return;
    mine->gained += d->points_gained;
    mine->gained_margin += d->gained_error * d->gained_error;
}

/* The first event is the deal. The outlook before it is the par: what any player could expect at that seat. */
void pyr_luck_add_chance(struct pyr_luck_sum sum[PYR_MAX_SEATS], const struct pyr_luck_chance *chance, bool is_first)
{
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++) {
        if (is_first)
            sum[s].par = chance->after.points[s] - chance->luck.points[s];
        sum[s].luck += chance->luck.points[s];
        sum[s].win_luck += chance->luck.win[s];
        sum[s].luck_margin += chance->error.points[s] * chance->error.points[s];
        sum[s].win_luck_margin += chance->error.win[s] * chance->error.win[s];
    }
}

/*
 * 1.96 standard deviations on either side contain 95% of a normal distribution.
 */
static float half_interval(float variance)
{
    return (float)(1.96 * pyr_analysis_root((double)variance));
}

/* Sums of losses may be slightly negative by noise and are shown as 0. */
void pyr_luck_finish(struct pyr_luck_sum sum[PYR_MAX_SEATS], const struct pyr_box *box, const struct pyr_table *open,
    const struct pyr_outlook *end)
{
    for (unsigned s = 0; s < open->seats; s++) {
        struct pyr_luck_sum *one = &sum[s];
        one->actual = (float)pyr_table_score(open, box, (pyr_seat)s).total;
        one->expected = end ? end->points[s] : one->actual;
        one->waiting = end && open->waiting >> s & 1;
        one->skill = one->expected - one->luck;
        one->rest = one->skill - one->par - one->gained;
        one->lost = one->lost > 0 ? one->lost : 0;
        one->win_lost = one->win_lost > 0 ? one->win_lost : 0;
        one->luck_margin = half_interval(one->luck_margin);
        one->win_luck_margin = half_interval(one->win_luck_margin);
        one->gained_margin = half_interval(one->gained_margin);
        one->lost_margin = half_interval(one->lost_margin);
        one->win_lost_margin = half_interval(one->win_lost_margin);
        one->rate = one->decisions ? one->lost / (float)one->decisions : 0;
        one->rate_margin = one->decisions ? one->lost_margin / (float)one->decisions : 0;
    }
}
