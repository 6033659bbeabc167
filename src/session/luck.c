/* luck.c: see luck.h. */
#include <pyramids/choice.h>
#include <pyramids/luck.h>

#define MARK(name, sign, points, win) { sign, points / 100.0f, win / 10000.0f },
static const struct pyr_luck_threshold thresholds[4] = { { "", 0, 0 }, PYR_LUCK_MARKS(MARK) };
#undef MARK

const struct pyr_luck_threshold *pyr_luck_threshold(enum pyr_luck_mark mark)
{
    return &thresholds[mark];
}

const char *pyr_luck_level(float rate)
{
#define LEVEL(name, hundredths) if (rate < hundredths / 100.0f) return #name;
    PYR_LUCK_LEVELS(LEVEL)
#undef LEVEL
    return "novice";
}

/* Finding the tasks. */

void pyr_luck_begin(struct pyr_luck_log *log, const struct pyr_edition *edition)
{
    *log = (struct pyr_luck_log){ .edition = edition };
    pyr_replay_init(&log->replay, PYR_NOBODY);
}

static bool is_decision(const struct pyr_event *event)
{
    return event->kind == PYR_EVENT_KEEP || event->kind == PYR_EVENT_MARK || event->kind == PYR_EVENT_TAKE ||
        event->kind == PYR_EVENT_DRAW;
}

static bool is_chance(const struct pyr_event *event)
{
    return event->kind == PYR_EVENT_SHOW || event->kind == PYR_EVENT_REVEAL || event->kind == PYR_EVENT_DRAW;
}

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
    }
    if (is_decision(&event) && open->seats)
        task[count++] = (struct pyr_luck_task){ log->phase, event, number, open->round, open->turn, false };
    if (is_chance(&event) && open->seats)
        task[count++] = (struct pyr_luck_task){ replay->state, event, number, 0, 0, true };
    if (pyr_replay_event(replay, log->edition, &event, NULL))
        return 0;
    if (count && task[count - 1].is_chance) {    /* a reveal belongs to the turn that it begins */
        task[count - 1].round = open->round;
        task[count - 1].turn = open->turn;
    }
    if (event.kind == PYR_EVENT_DEAL && replay->stage == PYR_STAGE_PLAY)     /* all are dealt: judged as one event */
        task[count++] = (struct pyr_luck_task){ replay->state, event, number, 0, 0, true };
    return count;
}

uint32_t pyr_luck_end(const struct pyr_luck_log *log, struct pyr_state *state)
{
    const struct pyr_table *open = &log->replay.state.open;
    bool at_once = open->phase == PYR_KEEP || open->phase == PYR_MARK;
    bool is_open = at_once && open->waiting && open->waiting != (1u << log->replay.seats) - 1;
    *state = is_open ? log->phase : log->replay.state;
    return is_open ? log->phase_line : log->line;
}

/* Decisions. */

static bool is_same(const struct pyr_option *a, const struct pyr_option *b)
{
    return pyr_choice_is_same(a->step, a->count, b->step, b->count);
}

static float loss(float best, float made)
{
    return best > made ? best - made : 0;
}

/* What the choice was worth beside the best and the usual one. */
static void compare(struct pyr_luck_decision *d, const struct pyr_option *list, unsigned count)
{
    float usual = 0;
    for (unsigned i = 0; i < count; i++) {
        if (is_same(&list[i], &d->made))
            d->made = list[i];
        if (list[i].usual)
            usual = list[i].points;
    }
    d->points_gained = d->made.points - usual;
    if (!is_same(&list[0], &d->made)) {
        d->points_lost = loss(list[0].points, d->made.points);
        d->win_lost = loss(list[0].win, d->made.win);
    }
    for (int mark = PYR_LUCK_DUBIOUS; mark <= PYR_LUCK_BLUNDER; mark++)
        if ((d->points_lost >= thresholds[mark].points && d->points_lost > d->made.points_margin) ||
            (d->win_lost >= thresholds[mark].win && d->win_lost > d->made.win_margin))
            d->mark = (enum pyr_luck_mark)mark;
}

void pyr_luck_decide(const struct pyr_luck_how *how, const struct pyr_luck_task *task, unsigned number,
    struct pyr_luck_decision *d)
{
    struct pyr_option list[PYR_MAX_OPTIONS];
    struct pyr_view view;
    struct pyr_rng rng;
    pyr_seat seat = task->event.seat;
    *d = (struct pyr_luck_decision){ .line = task->line, .seat = seat, .round = task->round, .turn = task->turn };
    pyr_rng_seed(&rng, how->seed, 2 * (uint64_t)number);
    pyr_view_init(&view, &task->state, seat);
    d->made.count = (uint8_t)pyr_choice_steps(&task->state.open.desk[seat], &task->event, d->made.step);
    unsigned count = pyr_analysis_options(how->memory, how->box, &view, how->playouts, &rng, &d->made, list,
        PYR_MAX_OPTIONS);
    d->bests = count < PYR_LUCK_BEST ? count : PYR_LUCK_BEST;
    for (unsigned i = 0; i < d->bests; i++)
        d->best[i] = list[i];
    if (count)
        compare(d, list, count);
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
    uint64_t stream;             /* every alternative meets the same random numbers */
    uint32_t playouts;
};

/* The outlook once an event has come about. A deal without cards is the position of someone who has not seen them. */
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
    pyr_rng_seed(&rng, m->how->seed, m->stream);
    pyr_analysis_outlook(m->how->memory, box, &view, dealt ? &state.hidden : NULL, playouts, &rng, outlook);
}

/* All patterns that can be revealed, each as often as its cards are left. */
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

/* Cards that could have come: each that is left where one card comes and few are left, else a sample. */
static void mean_cards(const struct measure *m, struct pyr_rng *rng, struct pyr_outlook *mean)
{
    struct pyr_event event = m->task->event;
    struct pyr_outlook one;
    uint8_t deck[PYR_CARDS];
    unsigned count = 0, tried = 0;
    for (pyr_cardset left = m->task->state.open.deck; left; left &= left - 1)
        deck[count++] = (uint8_t)__builtin_ctzll(left);
    bool all = event.count == 1 && count <= ALTERNATIVES;
    for (; tried < (all ? count : ALTERNATIVES); tried++) {
        if (!all)
            pyr_rng_choose(rng, deck, count, event.count);
        for (unsigned i = 0; i < event.count; i++)
            event.card[i] = deck[all ? tried : i];
        outlook_after(m, &event, m->playouts / 4 + 1, &one);
        add(mean, &one, 1);
    }
    for (unsigned s = 0; s < PYR_MAX_SEATS && tried; s++)
        mean->points[s] /= (float)tried, mean->win[s] /= (float)tried;
}

void pyr_luck_measure(const struct pyr_luck_how *how, const struct pyr_luck_task *task, unsigned number,
    struct pyr_luck_chance *chance)
{
    struct measure m = { how, task, 2 * (uint64_t)number + 1, how->playouts / 4 + 1 };
    struct pyr_outlook mean = { { 0 }, { 0 } };
    struct pyr_event event = task->event;
    struct pyr_rng rng;
    *chance = (struct pyr_luck_chance){ .line = task->line, .round = task->round, .turn = task->turn };
    pyr_rng_seed(&rng, how->seed, 2 * (uint64_t)number);
    outlook_after(&m, &event, m.playouts, &chance->after);
    if (event.kind == PYR_EVENT_REVEAL) {
        mean_reveal(&m, &chance->after, &mean);
    } else if (event.kind == PYR_EVENT_DEAL) {
        event.count = 0;
        outlook_after(&m, &event, m.playouts, &mean);
    } else {
        mean_cards(&m, &rng, &mean);
    }
    chance->luck = chance->after;
    add(&chance->luck, &mean, -1);
}

void pyr_luck_expect(const struct pyr_luck_how *how, const struct pyr_state *state, unsigned number,
    struct pyr_outlook *outlook)
{
    struct pyr_view view;
    struct pyr_rng rng;
    pyr_rng_seed(&rng, how->seed, 2 * (uint64_t)number);
    pyr_view_init(&view, state, PYR_NOBODY);
    pyr_analysis_outlook(how->memory, how->box, &view, NULL, how->playouts, &rng, outlook);
}

/* Sums. */

void pyr_luck_add_decision(struct pyr_luck_sum sum[PYR_MAX_SEATS], const struct pyr_luck_decision *d, bool counts)
{
    struct pyr_luck_sum *mine = &sum[d->seat];
    mine->decisions++;
    mine->marks[d->mark]++;
    mine->lost += d->points_lost;
    if (counts)
        mine->gained += d->points_gained;
    mine->win_lost += d->win_lost;
}

void pyr_luck_add_chance(struct pyr_luck_sum sum[PYR_MAX_SEATS], const struct pyr_luck_chance *chance, bool is_first)
{
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++) {
        if (is_first)
            sum[s].par = chance->after.points[s] - chance->luck.points[s];
        sum[s].luck += chance->luck.points[s];
        sum[s].win_luck += chance->luck.win[s];
    }
}

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
        one->rate = one->decisions ? one->lost / (float)one->decisions : 0;
    }
}
