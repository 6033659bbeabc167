/*
 * judge.c: see judge.h. The game is replayed once to collect tasks, each a position with the event in it; then threads
 * work on the tasks, each with its own random numbers; then the results are added up.
 *
 * Threads: `next` and `cancelled` of struct bench are shared under `lock`; results go to places of their own, so that
 * writing them needs no lock. The same record, cap and seed give the same report, however many threads there are.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/choice.h>
#include <pyramids/judge.h>
#include <pyramids/text.h>

void pyr_judge_write_choice(const struct pyr_desk *desk, const struct pyr_option *option, char *to, size_t size)
{
    struct pyr_out out;
    pyr_out_init(&out, to, size);
    pyr_choice_write(option->step, option->count, desk, &out);
}

/* A choice names slots; the cards in them are those of the desk at that line, so the game is replayed up to there. */
void pyr_judge_choice(const struct pyr_judge_report *r, const struct pyr_luck_decision *d, const struct pyr_option *option,
    char *to, size_t size)
{
    struct pyr_replay replay;
    const struct pyr_desk none = { .card = { PYR_NO_CARD, PYR_NO_CARD } };
    bool known = !pyr_match_replay(&r->match, d->line, &replay);
    pyr_judge_write_choice(known ? &replay.state.open.desk[d->seat] : &none, option, to, size);
}

/* "?" alone is certain; "? or ??" and "? (?! to ??)" show other possible marks. */
void pyr_judge_sign(const struct pyr_luck_decision *d, char sign[PYR_JUDGE_SIGN])
{
    const char *mark = pyr_luck_threshold(d->mark)->sign;
    if (d->state != PYR_LUCK_UNSURE || d->mark == PYR_LUCK_FINE)
        snprintf(sign, PYR_JUDGE_SIGN, "%s", mark);
    else if (d->worst - d->mildest == 1)
        snprintf(sign, PYR_JUDGE_SIGN, _("%s or %s"), mark,
            pyr_luck_threshold(d->mark == d->worst ? d->mildest : d->worst)->sign);
    else
        snprintf(sign, PYR_JUDGE_SIGN, _("%s (%s to %s)"), mark, pyr_luck_threshold(d->mildest)->sign,
            pyr_luck_threshold(d->worst)->sign);
}

#define POINTS(mark) PYR_NUMBER((double)mark->points, mark->points == (float)(int)mark->points ? 0 : 1)
#define CHANCE(mark) PYR_NUMBER(100 * (double)mark->win, 0)

void pyr_judge_legend(char *to, size_t size)
{
    const struct pyr_luck_threshold *slip = pyr_luck_threshold(PYR_LUCK_DUBIOUS),
        *mistake = pyr_luck_threshold(PYR_LUCK_MISTAKE), *blunder = pyr_luck_threshold(PYR_LUCK_BLUNDER);
    snprintf(to, size, _("?! costs at least %s points or %s%% of the winning chances, ? %s or %s%%, ?? %s or %s%%"),
        POINTS(slip), CHANCE(slip), POINTS(mistake), CHANCE(mistake), POINTS(blunder), CHANCE(blunder));
}

/* The margin is shown only if the mark is uncertain; otherwise it does not matter. */
void pyr_judge_cost(const struct pyr_luck_decision *d, char *to)
{
    int length = snprintf(to, PYR_NUMBER_SIZE, "%s", PYR_NUMBER((double)d->points_lost, 1));
    if (d->state == PYR_LUCK_UNSURE)
        snprintf(to + length, PYR_NUMBER_SIZE, " ± %s", PYR_NUMBER((double)d->points_margin, 1));
}

/* Both numbers are percentages; the sign is after the last one. */
void pyr_judge_win_cost(const struct pyr_luck_decision *d, char *to)
{
    if (d->state == PYR_LUCK_UNSURE)
        snprintf(to, 2 * PYR_NUMBER_SIZE, "%s ± %s", PYR_NUMBER(100 * (double)d->win_lost, 1),
            PYR_PERCENT(100 * (double)d->win_margin, 1));
    else
        snprintf(to, 2 * PYR_NUMBER_SIZE, "%s", PYR_PERCENT(100 * (double)d->win_lost, 1));
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

/* The points for completing one more pyramid of a colour now; 0 if none. */
static int race_points(const struct pyr_box *box, const struct pyr_table *open, pyr_cardset done, unsigned colour)
{
    unsigned count = (unsigned)__builtin_popcountll(done & box->colour[colour]) + 1;
    if (!pyr_options_is_claim(pyr_table_options(open), count))
        return 0;
    for (unsigned place = 0; place < PYR_TILES; place++)
        if (open->tile[colour][place] == PYR_NOBODY)
            return pyr_tile_value(place);
    return 0;
}

/* A list of effects being filled, at most PYR_JUDGE_EFFECTS long. */
struct effects {
    struct pyr_judge_effect *list;
    unsigned count;
};

/* Adds an effect unless it is 0. */
static void add_effect(struct effects *effects, enum pyr_judge_effect_code code, int number, unsigned colour)
{
    if (number > 0 && effects->count < PYR_JUDGE_EFFECTS)
        effects->list[effects->count++] = (struct pyr_judge_effect){ code, number, colour };
}

/* The gains of a choice in a player's terms, found by playing it on a copy of the desk. Pyramids come before points,
 * since the second pyramid of a turn counts the first. */
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
        pyr_desk_mark(&after, box, open->revealed[open->turn], open->round, option->step[i]);
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++) {
        if (!(after.flags & PYR_DESK_TOMB(slot)))
            continue;
        unsigned colour = box->card[after.card[slot]].colour;
        add_effect(&effects, PYR_EFFECT_PYRAMID, after.card[slot] + 1, colour);
        add_effect(&effects, PYR_EFFECT_POINTS, race_points(box, open, after.done, colour), colour);
        after.done |= PYR_CARD_BIT(after.card[slot]);
    }
    add_effect(&effects, PYR_EFFECT_RUBIES, after.rubies - view->mine.rubies, 0);
    add_effect(&effects, PYR_EFFECT_EMERALDS, after.emeralds - view->mine.emeralds, 0);
    add_effect(&effects, PYR_EFFECT_TORCH, after.torches != view->mine.torches ? open->round + 1 : 0, 0);
    add_effect(&effects, PYR_EFFECT_SKULLS, after.skulls - view->mine.skulls, 0);
    add_effect(&effects, PYR_EFFECT_ERASED, view->mine.skulls - after.skulls, 0);
    return effects.count;
}

/* The effects in words, in the order of the list. Sentences are whole, so that each can be translated. */
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
        case PYR_EFFECT_WAY: say(to, size, _("progress on card %d"), n); break;
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

/* A task of luck.h with the place for its result: one of the two is set; neither is for the end of an unfinished game. */
struct task {
    struct pyr_luck_task what;
    struct pyr_luck_decision *decision;
    struct pyr_luck_chance *chance;
};

/* Data shared by the threads. `how` and `task` are only read once the threads have started. */
struct bench {
    struct pyr_judge_report *report;
    struct pyr_luck_how how;
    struct task *task;
    unsigned tasks, next;        /* how many; the next to take */
    const struct pyr_judge_options *options;
    bool cancelled;
    pthread_mutex_t lock;        /* for next, cancelled and reporting progress */
};

/* Called between playouts: once cancelled, an analysis stays cancelled. */
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

/* Where the result of a task is stored. */
static void *result_of(struct bench *bench, const struct task *task, size_t *size)
{
    *size = task->decision ? sizeof *task->decision : task->chance ? sizeof *task->chance : sizeof bench->report->end;
    return task->decision ? (void *)task->decision : task->chance ? (void *)task->chance : (void *)&bench->report->end;
}

static void keep(struct bench *bench, unsigned index)
{
    size_t size;
    const void *result = result_of(bench, &bench->task[index], &size);
    if (!bench->options->keep)
        return;
    pthread_mutex_lock(&bench->lock);
    if (!bench->cancelled)
        bench->options->keep(bench->options->context, index, result, size);
    pthread_mutex_unlock(&bench->lock);
}

/* Whether a task need not be done; called with the lock held. */
static bool recall(struct bench *bench, unsigned index)
{
    size_t size;
    void *result = result_of(bench, &bench->task[index], &size);
    return bench->options->recall && bench->options->recall(bench->options->context, index, result, size);
}

/* Tasks are handed out one by one, since they differ in length by a factor of hundreds. */
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
        bool is_known = index < bench->tasks && !cancelled && recall(bench, index);
        if (options->progress && index < bench->tasks && !cancelled)
            options->progress(options->context, index, bench->tasks);
        pthread_mutex_unlock(&bench->lock);
        if (index >= bench->tasks || cancelled)
            return NULL;
        if (is_known)
            continue;
        struct task *task = &bench->task[index];
        if (task->decision)
            pyr_luck_decide(&bench->how, &task->what, task->decision);
        else if (task->chance)
            pyr_luck_measure(&bench->how, &task->what, task->chance);
        else
            pyr_luck_expect(&bench->how, &task->what.state, &bench->report->end);
        keep(bench, index);
    }
}

/* Replays the log and collects what is to be rated, with the places for results. */
static void collect(struct pyr_judge_report *r, struct bench *bench)
{
    struct pyr_luck_log log;
    struct pyr_luck_task found[PYR_LUCK_TASKS];
    pyr_luck_begin(&log, r->edition);
    for (uint32_t i = 0; i < r->match.log.lines; i++) {
        unsigned count = pyr_luck_follow(&log, pyr_match_line(&r->match, i), found);
        for (unsigned k = 0; k < count; k++) {
            struct task *task = &bench->task[bench->tasks++];
            task->what = found[k];
            if (found[k].is_chance)
                task->chance = &r->chance[r->chances++];
            else
                task->decision = &r->decision[r->decisions++];
        }
    }
    r->open_line = pyr_luck_end(&log, &bench->task[bench->tasks].what.state);
    if (!r->finished)
        bench->tasks++;
}

/* In the order of the log, whichever thread finished first: sums of floats depend on the order. */
static void add_up(struct pyr_judge_report *r)
{
    for (unsigned i = 0; i < r->chances; i++)
        pyr_luck_add_chance(r->sum, &r->chance[i], !i);
    for (unsigned i = 0; i < r->decisions; i++)
        pyr_luck_add_decision(r->sum, &r->decision[i], r->decision[i].line < r->open_line);
    pyr_luck_finish(r->sum, &r->edition->box, &r->match.replay.state.open, r->finished ? NULL : &r->end);
}

/* Does the work with as many threads as can be started, including the calling one: so it is done even if no other thread
 * can be. */
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

/* The report has its own copy of the game (match), so `text` may be freed; `edition` must stay. After PYR_JUDGE_MEMORY
 * and PYR_JUDGE_CANCELLED, pyr_judge_finish is still needed. Each log line makes at most one decision and one chance,
 * hence the sizes. */
enum pyr_judge_code pyr_judge_init(struct pyr_judge_report *r, const struct pyr_edition *edition, const char *text,
    size_t size, const struct pyr_judge_options *options, struct pyr_fault *fault)
{
    struct bench bench = {
        .report = r, .how = { &edition->box, NULL, options->playouts, options->seed }, .options = options
    };
    enum pyr_judge_code code = PYR_JUDGE_MEMORY;
    *r = (struct pyr_judge_report){ .edition = edition, .playouts = options->playouts, .seed = options->seed };
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
        bench.how.memory = memory;
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
