/*
 * judge.c: see judge.h. The game is followed once to collect tasks, each a position with what happened in it; then threads work on the
 * tasks, each with random numbers of its own; then all is added up.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/judge.h>
#include <pyramids/text.h>

const struct pyr_judge_threshold pyr_judge_threshold[4] = { { "", 0, 0 }, { "?!", 1.5f, 0.02f }, { "?", 3, 0.05f }, { "??", 6, 0.10f } };

const char *pyr_judge_class(float rate)
{
    /* Points lost a decision; bounds lie between what the bots of these names lose (docs/bots.md). */
    return rate < 0.07f ? "master" : rate < 0.25f ? "expert" : rate < 0.75f ? "club" : rate < 1.4f ? "casual" : "novice";
}

void pyr_judge_write_choice(const struct pyr_desk *desk, const struct pyr_option *option, char *to, size_t size)
{
    struct pyr_out out;
    pyr_step first = option->step[0];
    pyr_out_init(&out, to, size);
    switch (pyr_step_kind(first)) {
    case PYR_STEP_KEEP:
        pyr_out_number(&out, pyr_step_card(first) + 1);
        pyr_out_char(&out, ' ');
        pyr_out_number(&out, pyr_step_second(first) + 1);
        break;
    case PYR_STEP_TAKE:
        pyr_out_text(&out, "take ");
        pyr_out_number(&out, pyr_step_card(first) + 1);
        break;
    case PYR_STEP_DRAW:
        pyr_out_text(&out, "draw");
        break;
    case PYR_STEP_PASS:
    case PYR_STEP_MARK:
        pyr_move_write(desk, option->step, option->count, &out);
        break;
    }
}

void pyr_judge_choice(const struct pyr_judge_report *r, const struct pyr_judge_decision *d, const struct pyr_option *option, char *to,
    size_t size)
{
    struct pyr_replay replay;
    const struct pyr_desk none = { .card = { PYR_NO_CARD, PYR_NO_CARD } };
    bool known = !pyr_match_replay(&r->match, d->line, &replay);
    pyr_judge_write_choice(known ? &replay.state.open.desk[d->seat] : &none, option, to, size);
}

/* Adds words, after a comma. */
__attribute__((format(printf, 3, 4))) static void say(char *to, size_t size, const char *format, ...)
{
    va_list arguments;
    size_t length = strlen(to);
    if (length)
        length += (size_t)snprintf(to + length, size - length, ", ");
    if (length >= size)
        return;
    va_start(arguments, format);
    vsnprintf(to + length, size - length, format, arguments);
    va_end(arguments);
}

/* The points that completing one more pyramid of a colour would bring now; 0 if none. */
static int race_points(const struct pyr_box *box, const struct pyr_table *open, pyr_cardset done, unsigned colour)
{
    unsigned count = (unsigned)__builtin_popcountll(done & box->colour[colour]) + 1;
    if (count & 1 || count > 6)
        return 0;
    for (unsigned place = 0; place < PYR_TILES; place++)
        if (open->tile[colour][place] == PYR_NOBODY)
            return pyr_tile_value(place);
    return 0;
}

struct effects {
    struct pyr_judge_effect *list;
    unsigned count;
};

/* Notes what is not nothing. */
static void add_effect(struct effects *effects, enum pyr_judge_effect_code code, int number, unsigned colour)
{
    if (number > 0 && effects->count < PYR_JUDGE_EFFECTS)
        effects->list[effects->count++] = (struct pyr_judge_effect){ code, number, colour };
}

unsigned pyr_judge_effects(const struct pyr_edition *edition, const struct pyr_view *view, const struct pyr_option *option,
    struct pyr_judge_effect list[PYR_JUDGE_EFFECTS])
{
    const struct pyr_box *box = &edition->box;
    const struct pyr_table *open = &view->open;
    struct pyr_desk after = view->mine;
    struct effects effects = { list, 0 };
    if (pyr_step_kind(option->step[0]) == PYR_STEP_TAKE) {
        const struct pyr_card_face *card = &box->card[pyr_step_card(option->step[0])];
        add_effect(&effects, PYR_EFFECT_WAY, (int)pyr_card_distance(card, card->open, card->entrance), card->colour);
        add_effect(&effects, PYR_EFFECT_RACE, race_points(box, open, view->mine.done, card->colour), card->colour);
        return effects.count;
    }
    if (pyr_step_kind(option->step[0]) != PYR_STEP_MARK)
        return 0;
    for (unsigned i = 0; i < option->count; i++)
        pyr_desk_mark(box, &after, open->revealed[open->turn], open->round, option->step[i]);
    for (unsigned slot = 0; slot < PYR_KEPT; slot++) {
        if (!(after.flags & PYR_DESK_TOMB(slot)))
            continue;
        unsigned colour = box->card[after.card[slot]].colour;
        add_effect(&effects, PYR_EFFECT_PYRAMID, after.card[slot] + 1, colour);
        add_effect(&effects, PYR_EFFECT_POINTS, race_points(box, open, after.done, colour), colour);
        after.done |= (pyr_cardset)1 << after.card[slot];
    }
    add_effect(&effects, PYR_EFFECT_RUBIES, after.rubies - view->mine.rubies, 0);
    add_effect(&effects, PYR_EFFECT_EMERALDS, after.emeralds - view->mine.emeralds, 0);
    add_effect(&effects, PYR_EFFECT_TORCH, after.torches != view->mine.torches ? open->round + 1 : 0, 0);
    add_effect(&effects, PYR_EFFECT_SKULLS, after.skulls - view->mine.skulls, 0);
    add_effect(&effects, PYR_EFFECT_ERASED, view->mine.skulls - after.skulls, 0);
    return effects.count;
}

void pyr_judge_gains(const struct pyr_edition *edition, const struct pyr_view *view, const struct pyr_option *option,
    char *to, size_t size)
{
    struct pyr_judge_effect list[PYR_JUDGE_EFFECTS];
    unsigned count = pyr_judge_effects(edition, view, option, list);
    to[0] = '\0';
    for (unsigned i = 0; i < count; i++) {
        int n = list[i].number;
        unsigned long many = (unsigned long)n;
        switch (list[i].code) {
        case PYR_EFFECT_WAY: say(to, size, _("way of %d"), n); break;
        case PYR_EFFECT_RACE:
            say(to, size, pyr_ngettext("in the race for %d point", "in the race for %d points", many), n);
            break;
        case PYR_EFFECT_PYRAMID: say(to, size, _("pyramid %d"), n); break;
        case PYR_EFFECT_POINTS:
            say(to, size, pyr_ngettext("%d point for %s", "%d points for %s", many), n, pyr_text_colour(list[i].colour));
            break;
        case PYR_EFFECT_RUBIES: say(to, size, pyr_ngettext("%d ruby", "%d rubies", many), n); break;
        case PYR_EFFECT_EMERALDS: say(to, size, pyr_ngettext("%d emerald", "%d emeralds", many), n); break;
        case PYR_EFFECT_TORCH: say(to, size, "%s", _("torch")); break;
        case PYR_EFFECT_SKULLS: say(to, size, pyr_ngettext("%d skull", "%d skulls", many), n); break;
        case PYR_EFFECT_ERASED: say(to, size, pyr_ngettext("%d skull erased", "%d skulls erased", many), n); break;
        }
    }
}

/* Tasks. */

struct task {
    struct pyr_state state;      /* before what happened */
    struct pyr_event event;      /* what happened */
    struct pyr_judge_decision *decision;         /* one of the two is set, or neither: the end of a game under way */
    struct pyr_judge_chance *chance;
};

struct bench {
    struct pyr_judge_report *report;
    const void *memory;
    struct task *task;
    unsigned tasks, next;
    uint32_t playouts;
    uint64_t seed;
    const struct pyr_judge_options *options;
    bool cancelled;
    pthread_mutex_t lock;        /* for next, cancelled and telling of progress */
};

/* An event as the choice it was. */
static void event_option(const struct pyr_state *state, const struct pyr_event *event, struct pyr_option *option)
{
    *option = (struct pyr_option){ .count = 1 };
    switch (event->kind) {
    case PYR_EVENT_KEEP: option->step[0] = pyr_step_keep(event->card[0], event->card[1]); break;
    case PYR_EVENT_TAKE: option->step[0] = pyr_step_take(event->card[0]); break;
    case PYR_EVENT_DRAW: option->step[0] = pyr_step_draw(); break;
    default:
        option->step[0] = pyr_step_pass();
        for (unsigned i = 0; i < event->count; i++) {
            unsigned slot = state->open.desk[event->seat].card[0] == event->part[i].card ? 0 : 1;
            option->step[i] = pyr_pair_of(slot, event->part[i].spaces);
            option->count = (uint8_t)(i + 1);
        }
        break;
    }
}

static bool is_same(const struct pyr_option *a, const struct pyr_option *b)
{
    return a->count == b->count && !memcmp(a->step, b->step, a->count * sizeof *a->step);
}

static void look_at_decision(const struct bench *bench, const struct task *task, struct pyr_rng *rng)
{
    const struct pyr_box *box = &bench->report->edition->box;
    struct pyr_judge_decision *d = task->decision;
    struct pyr_option list[PYR_MAX_OPTIONS];
    struct pyr_view view;
    pyr_view_init(&view, &task->state, d->seat);
    event_option(&task->state, &task->event, &d->made);
    unsigned count = pyr_analysis_options(bench->memory, box, &view, bench->playouts, rng, &d->made, list, PYR_MAX_OPTIONS);
    d->bests = count < PYR_JUDGE_OPTIONS ? count : PYR_JUDGE_OPTIONS;
    for (unsigned i = 0; i < d->bests; i++)
        d->best[i] = list[i];
    float usual = 0;
    for (unsigned i = 0; i < count; i++) {
        if (is_same(&list[i], &d->made))
            d->made = list[i];
        if (list[i].usual)
            usual = list[i].points;
    }
    if (!count)
        return;
    d->points_gained = d->made.points - usual;
    d->points_lost = list[0].points - d->made.points;
    d->win_lost = list[0].win - d->made.win;
    if (is_same(&list[0], &d->made) || d->points_lost < 0)
        d->points_lost = 0;
    if (is_same(&list[0], &d->made) || d->win_lost < 0)
        d->win_lost = 0;
    for (int m = PYR_JUDGE_DUBIOUS; m <= PYR_JUDGE_BLUNDER; m++)
        if ((d->points_lost >= pyr_judge_threshold[m].points && d->points_lost > d->made.points_margin) ||
            (d->win_lost >= pyr_judge_threshold[m].win && d->win_lost > d->made.win_margin))
            d->mark = (enum pyr_judge_mark)m;
}

static void add_outlook(struct pyr_outlook *sum, const struct pyr_outlook *one, float weight)
{
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++) {
        sum->points[s] += weight * one->points[s];
        sum->win[s] += weight * one->win[s];
    }
}

/* The outlook once an event of chance has come about. Every alternative meets the same random numbers. */
static void outlook_after(const struct bench *bench, const struct task *task, const struct pyr_event *event, uint64_t stream,
    uint32_t playouts, struct pyr_outlook *outlook)
{
    const struct pyr_box *box = &bench->report->edition->box;
    struct pyr_state state = task->state;
    struct pyr_view view;
    struct pyr_rng rng;
    if (event->kind == PYR_EVENT_REVEAL) {
        pyr_state_supply_pattern(&state, event->pattern);
        pyr_state_reveal(box, &state);
    } else if (event->kind == PYR_EVENT_DRAW) {
        pyr_state_supply_card(&state, 0, event->card[0]);
        pyr_state_apply(box, &state, event->seat, pyr_step_draw());
    } else if (event->kind == PYR_EVENT_SHOW) {
        for (unsigned i = 0; i < event->count; i++)
            pyr_state_supply_card(&state, i, event->card[i]);
        pyr_state_show(box, &state);
    }
    pyr_view_init(&view, &state, PYR_NOBODY);
    pyr_rng_seed(&rng, bench->seed, stream);
    pyr_analysis_outlook(bench->memory, box, &view, event->kind == PYR_EVENT_DEAL && event->count ? &state.hidden : NULL, playouts, &rng,
        outlook);
}

#define ALTERNATIVES 24          /* of a card from the deck or a new display; of patterns all are tried */

static void look_at_chance(const struct bench *bench, const struct task *task, uint64_t stream, struct pyr_rng *rng)
{
    struct pyr_judge_chance *c = task->chance;
    const struct pyr_table *open = &task->state.open;
    struct pyr_outlook mean = { { 0 }, { 0 } }, one;
    struct pyr_event event = task->event;
    uint32_t playouts = bench->playouts / 4 + 1;
    outlook_after(bench, task, &event, stream, playouts, &c->after);
    if (event.kind == PYR_EVENT_REVEAL) {
        const struct pyr_box *box = &bench->report->edition->box;
        bool fresh = open->revealed[0] == PYR_NO_PATTERN || open->turn == PYR_TURNS - 1;
        unsigned left[PYR_PATTERNS], all = 0;
        for (unsigned p = 0; p < PYR_PATTERNS; p++) {
            left[p] = box->pattern[p].copies;
            for (unsigned i = 0; i <= open->turn && !fresh; i++)
                left[p] -= open->revealed[i] == p;
            all += left[p];
        }
        for (unsigned p = 0; p < PYR_PATTERNS; p++) {
            event.pattern = (pyr_pattern)p;
            if (left[p] && p == task->event.pattern)
                one = c->after;
            else if (left[p])
                outlook_after(bench, task, &event, stream, playouts, &one);
            if (left[p])
                add_outlook(&mean, &one, (float)left[p] / (float)all);
        }
    } else if (event.kind == PYR_EVENT_DEAL) {
        event.count = 0;                     /* without knowing the cards */
        outlook_after(bench, task, &event, stream, playouts, &mean);
    } else {
        uint8_t deck[PYR_CARDS];
        unsigned count = 0, tried = 0;
        for (pyr_cardset left = open->deck; left; left &= left - 1)
            deck[count++] = (uint8_t)__builtin_ctzll(left);
        bool all = event.count == 1 && count <= ALTERNATIVES;
        for (; tried < (all ? count : ALTERNATIVES); tried++) {
            if (!all)
                pyr_rng_choose(rng, deck, count, event.count);
            for (unsigned i = 0; i < event.count; i++)
                event.card[i] = deck[all ? tried : i];
            outlook_after(bench, task, &event, stream, playouts / 4 + 1, &one);
            add_outlook(&mean, &one, 1);
        }
        for (unsigned s = 0; s < PYR_MAX_SEATS && tried; s++)
            mean.points[s] /= (float)tried, mean.win[s] /= (float)tried;
    }
    c->luck = c->after;
    add_outlook(&c->luck, &mean, -1);
}

/* What may be expected where a record ends. Those who have chosen in an open phase are asked again: all stand alike. */
static void look_at_end(const struct bench *bench, const struct task *task, struct pyr_rng *rng)
{
    struct pyr_view view;
    pyr_view_init(&view, &task->state, PYR_NOBODY);
    pyr_analysis_outlook(bench->memory, &bench->report->edition->box, &view, NULL, bench->playouts, rng, &bench->report->end);
}

/* Asked between playouts: an analysis that was given up stays so. */
static bool is_cancelled(void *context)
{
    struct bench *bench = context;
    bool cancelled = bench->options->is_cancelled(bench->options->context);
    if (!cancelled)
        return false;
    pthread_mutex_lock(&bench->lock);
    bench->cancelled = true;
    pthread_mutex_unlock(&bench->lock);
    return true;
}

static void *work(void *argument)
{
    struct bench *bench = argument;
    for (;;) {
        const struct pyr_judge_options *options = bench->options;
        if (options->is_cancelled)
            is_cancelled(bench);
        pthread_mutex_lock(&bench->lock);
        bool cancelled = bench->cancelled;
        unsigned index = bench->next++;
        if (options->progress && index < bench->tasks && !cancelled)
            options->progress(options->context, index, bench->tasks);
        pthread_mutex_unlock(&bench->lock);
        if (index >= bench->tasks || cancelled)
            return NULL;
        struct task *task = &bench->task[index];
        struct pyr_rng rng;
        pyr_rng_seed(&rng, bench->seed, 2 * index);
        if (task->decision)
            look_at_decision(bench, task, &rng);
        else if (task->chance)
            look_at_chance(bench, task, 2 * index + 1, &rng);
        else
            look_at_end(bench, task, &rng);
    }
}

static void add_luck(struct bench *bench, const struct pyr_event *event, const struct pyr_state *state, uint32_t line)
{
    struct pyr_judge_report *r = bench->report;
    struct task *luck = &bench->task[bench->tasks++];
    luck->event = *event;
    luck->state = *state;
    luck->chance = &r->chance[r->chances++];
    luck->chance->line = line;
}

/* Some have chosen, others have not. */
static bool is_half_chosen(const struct pyr_table *open)
{
    return (open->phase == PYR_KEEP || open->phase == PYR_MARK) && open->waiting && open->waiting != (1u << open->seats) - 1;
}

/* Follows the log and notes what is to be judged. */
static void collect(struct pyr_judge_report *r, struct bench *bench)
{
    struct pyr_replay replay;
    struct pyr_state phase = { .open = { .seats = 0 } };     /* when the present phase began */
    pyr_replay_init(&replay, PYR_NOBODY);
    for (uint32_t i = 0; i < r->match.log.lines; i++) {
        struct pyr_word line = pyr_match_line(&r->match, i);
        struct pyr_lines lines;
        struct task *task = &bench->task[bench->tasks];
        pyr_lines_init(&lines, line.at, line.length);
        if (!pyr_lines_next(&lines, false) || !pyr_event_read(r->edition, &lines, &task->event))
            return;
        const struct pyr_event *event = &task->event;
        bool begins = replay.stage == PYR_STAGE_PLAY &&
            (replay.state.open.phase == PYR_REPLACE || replay.state.open.waiting == (1u << replay.seats) - 1);
        if (begins) {
            phase = replay.state;
            r->open_line = i;
        }
        bool decides = event->kind == PYR_EVENT_KEEP || event->kind == PYR_EVENT_MARK || event->kind == PYR_EVENT_TAKE ||
            event->kind == PYR_EVENT_DRAW;
        bool chance = event->kind == PYR_EVENT_SHOW || event->kind == PYR_EVENT_REVEAL || event->kind == PYR_EVENT_DRAW;
        const struct pyr_table *open = &replay.state.open;
        if (decides && open->seats) {
            struct pyr_judge_decision *d = &r->decision[r->decisions++];
            d->line = i;
            d->seat = event->seat;
            d->round = open->round;
            d->turn = open->turn;
            task->decision = d;
            task->state = phase;
            bench->tasks++;
        }
        if (chance && open->seats)
            add_luck(bench, event, &replay.state, i);
        if (pyr_replay_event(r->edition, &replay, event, NULL))
            return;
        if (chance && r->chances) {
            r->chance[r->chances - 1].round = replay.state.open.round;
            r->chance[r->chances - 1].turn = replay.state.open.turn;
        }
        if (event->kind == PYR_EVENT_DEAL && replay.stage == PYR_STAGE_PLAY)
            add_luck(bench, event, &replay.state, i);
    }
    bool open_phase = is_half_chosen(&replay.state.open);
    if (!open_phase)
        r->open_line = r->match.log.lines;
    if (!r->finished)
        bench->task[bench->tasks++].state = open_phase ? phase : replay.state;
}

static void add_up(struct pyr_judge_report *r)
{
    const struct pyr_table *open = &r->match.replay.state.open;
    struct pyr_outlook par = { { 0 }, { 0 } };
    if (r->chances)
        par = r->chance[0].after, add_outlook(&par, &r->chance[0].luck, -1);
    for (unsigned s = 0; s < r->seats; s++) {
        struct pyr_judge_sum *sum = &r->sum[s];
        sum->actual = (float)pyr_table_score(&r->edition->box, open, (pyr_seat)s).total;
        sum->expected = r->finished ? sum->actual : r->end.points[s];
        sum->waiting = !r->finished && open->waiting >> s & 1;
        sum->par = par.points[s];
        for (unsigned i = 0; i < r->chances; i++) {
            sum->luck += r->chance[i].luck.points[s];
            sum->win_luck += r->chance[i].luck.win[s];
        }
        for (unsigned i = 0; i < r->decisions; i++) {
            const struct pyr_judge_decision *d = &r->decision[i];
            if (d->seat != s)
                continue;
            sum->decisions++;
            sum->marks[d->mark]++;
            sum->lost += d->points_lost;
            if (d->line < r->open_line)      /* else what is expected does not know of it yet */
                sum->gained += d->points_gained;
            sum->win_lost += d->win_lost;
        }
        sum->skill = sum->expected - sum->luck;
        sum->rest = sum->skill - sum->par - sum->gained;
        sum->rate = sum->decisions ? sum->lost / (float)sum->decisions : 0;
    }
}

/* The work, by as many threads as can be had. */
static void work_together(struct bench *bench, unsigned threads)
{
    pthread_t thread[PYR_JUDGE_THREADS];
    unsigned started = 0;
    pthread_mutex_init(&bench->lock, NULL);
    for (; started + 1 < threads && started < PYR_JUDGE_THREADS; started++)
        if (pthread_create(&thread[started], NULL, work, bench))
            break;
    work(bench);
    for (unsigned i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    pthread_mutex_destroy(&bench->lock);
}

enum pyr_judge_code pyr_judge_init(struct pyr_judge_report *r, const struct pyr_edition *edition, const char *text, size_t size,
    const struct pyr_judge_options *options, struct pyr_fault *fault)
{
    struct bench bench = { .report = r, .playouts = options->playouts, .seed = options->seed, .options = options };
    enum pyr_judge_code code = PYR_JUDGE_MEMORY;
    *r = (struct pyr_judge_report){ .edition = edition };
    if (pyr_match_load(&r->match, edition, text, size, PYR_NOBODY, fault))
        return PYR_JUDGE_RECORD;
    if (r->match.replay.stage < PYR_STAGE_PLAY)
        return PYR_JUDGE_DEALING;
    r->seats = r->match.replay.seats;
    r->finished = r->match.replay.state.open.phase == PYR_END;
    pyr_record_player_names(r->match.log.text, r->match.log.start[r->match.log.lines], r->name);
    size_t bytes = (pyr_analysis_memory(&edition->box) + 63) / 64 * 64;
    void *memory = aligned_alloc(64, bytes);
    r->decision = calloc(PYR_LOG_LINES, sizeof *r->decision);
    r->chance = calloc(PYR_LOG_LINES, sizeof *r->chance);
    bench.task = calloc(2 * PYR_LOG_LINES, sizeof *bench.task);
    if (memory && r->decision && r->chance && bench.task) {
        pyr_analysis_prepare(memory, &edition->box);
        if (options->is_cancelled)
            pyr_analysis_poll(memory, is_cancelled, &bench);
        bench.memory = memory;
        collect(r, &bench);
        work_together(&bench, options->threads);
        add_up(r);
        code = bench.cancelled ? PYR_JUDGE_CANCELLED : PYR_JUDGE_GOOD;
    }
    free(bench.task);
    free(memory);
    return code;
}

void pyr_judge_finish(struct pyr_judge_report *r)
{
    free(r->decision);
    free(r->chance);
    r->decision = NULL;
    r->chance = NULL;
}
