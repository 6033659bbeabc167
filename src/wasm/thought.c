/*
 * thought.c: bots, hints and the analysis of a game, on the match of table.c. All of it takes time: a page calls it in a
 * worker, which it can end at any moment.
 */
#include <pyramids/analysis.h>
#include <pyramids/bots.h>
#include <pyramids/luck.h>

#include "exports.h"
#include "inside.h"

static const void *ready_for;    /* the bot, or the analysis, whose tables the room holds now */
static void *room;
static const char analysis;      /* stands for the analysis in ready_for */

/* The room with the tables of `who`, for the present edition; NULL without memory. */
static void *prepared(const void *who, size_t size, void (*prepare)(void *, const struct pyr_box *))
{
    if (ready_for != who) {
        room = host_room(size ? size : 16);
        ready_for = room ? who : NULL;
        if (room && prepare)
            prepare(room, &wasm_edition.box);
    }
    return room;
}

void wasm_forget_tables(void)
{
    ready_for = NULL;
}

/* The choice of a bot for a seat, into the buffer as pyr_match_choose reads it; its length, 0 if there is nothing to
 * choose. The match is left as it was. nodes 0: as many as the bot likes. */
EXPORT(bot_choice) uint32_t wasm_bot_choice(uint32_t index, uint32_t seat, uint64_t nodes, uint64_t seed)
{
    const struct pyr_bot *bot = pyr_bot_at(index);
    const struct pyr_budget budget = { nodes, NULL, NULL };
    const struct pyr_box *box = &wasm_edition.box;
    static pyr_step made[PYR_MAX_PARTS];
    unsigned count = 0;
    struct pyr_out out;
    struct pyr_rng rng;
    struct pyr_view view;
    if (!bot || !wasm_match_seats() || seat >= wasm_match_seats() || !(wasm_match_waiting() >> seat & 1))
        return 0;
    void *memory = prepared(bot, bot->memory(box), bot->prepare);
    pyr_rng_seed(&rng, seed, seat);
    while (wasm_match_made(seat))
        pyr_match_undo(&wasm_match, (pyr_seat)seat);
    if (!memory)
        return 0;
    do {
        pyr_match_view(&wasm_match, (pyr_seat)seat, &view);
        made[count++] = bot->choose(memory, box, &view, &rng, &budget);
        if (view.open.phase == PYR_REPLACE)
            break;                           /* making it would already be seen */
    } while (count < PYR_MAX_PARTS && !pyr_match_step(&wasm_match, (pyr_seat)seat, made[count - 1]) &&
        !pyr_match_is_ready(&wasm_match, (pyr_seat)seat));
    while (wasm_match_made(seat))
        pyr_match_undo(&wasm_match, (pyr_seat)seat);
    pyr_out_init(&out, wasm_buffer(), wasm_buffer_size());
    pyr_choice_write(&wasm_match.replay.state.open.desk[seat], made, count, &out);
    return (uint32_t)out.length;
}

/* A number in hundredths, or ten thousandths, as a whole one. */
static void out_scaled(struct pyr_out *out, float value, float scale)
{
    pyr_out_char(out, '\t');
    pyr_out_number(out, (int32_t)(value * scale + (value < 0 ? -0.5f : 0.5f)));
}

/* The steps of a choice from its text, if it is a whole and legal one. */
static bool read_made(const struct pyr_state *state, pyr_seat seat, const char *text, struct pyr_option *made)
{
    const struct pyr_table *open = &state->open;
    struct pyr_desk desk = state->desk[seat];
    struct pyr_lines lines;
    struct pyr_event event;
    size_t length = 0;
    while (text[length])
        length++;
    *made = (struct pyr_option){ .count = 0 };
    if (pyr_choice_read(open->phase, text, length, &lines, &event))
        made->count = (uint8_t)pyr_choice_steps(&desk, &event, made->step);
    if (!made->count || open->phase != PYR_MARK)
        return made->count && !pyr_step_judge(&wasm_edition.box, state, seat, made->step[0]);
    for (unsigned i = 0; i < made->count; i++)
        if (pyr_desk_mark(&wasm_edition.box, &desk, open->revealed[open->turn], open->round, made->step[i]))
            return false;
    return !desk.due;
}

/*
 * The choices of a seat as the game stood after so many lines, best first, into the buffer, a line each with tabs between:
 * choice, points in hundredths, chance to win in ten thousandths, the margins of both, 1 if it is the usual one, 1 if it is
 * the one that stood in the buffer (a choice that was made; "" for none). Returns how many lines.
 */
EXPORT(options) uint32_t wasm_options(uint32_t lines, uint32_t seat, uint32_t playouts, uint64_t seed)
{
    static struct pyr_option list[PYR_MAX_OPTIONS], made;
    struct pyr_replay replay;
    struct pyr_view view;
    struct pyr_rng rng;
    struct pyr_out out;
    if (seat >= wasm_match_seats() || pyr_match_replay(&wasm_match, lines, &replay) || replay.stage != PYR_STAGE_PLAY || replay.due_points ||
        !(replay.state.open.waiting >> seat & 1))
        return 0;
    void *memory = prepared(&analysis, pyr_analysis_memory(&wasm_edition.box), pyr_analysis_prepare);
    bool known = wasm_buffer()[0] && read_made(&replay.state, (pyr_seat)seat, wasm_buffer(), &made);
    if (!memory)
        return 0;
    pyr_view_init(&view, &replay.state, (pyr_seat)seat);
    pyr_rng_seed(&rng, seed, 0);
    unsigned count = pyr_analysis_options(memory, &wasm_edition.box, &view, playouts, &rng, known ? &made : NULL, list, PYR_MAX_OPTIONS);
    pyr_out_init(&out, wasm_buffer(), wasm_buffer_size());
    for (unsigned i = 0; i < count; i++) {
        pyr_choice_write(&view.mine, list[i].step, list[i].count, &out);
        out_scaled(&out, list[i].points, 100);
        out_scaled(&out, list[i].win, 10000);
        out_scaled(&out, list[i].points_margin, 100);
        out_scaled(&out, list[i].win_margin, 10000);
        pyr_out_text(&out, list[i].usual ? "\t1" : "\t0");
        pyr_out_text(&out, known && pyr_choice_is_same(list[i].step, list[i].count, made.step,
            made.count) ? "\t1\n" : "\t0\n");
    }
    return count;
}

/*
 * Luck and skill of the whole match (luck.h), a task at a time, so that a script can show how far it is. The numbers are
 * those of `pyramids analyze` for the same record, playouts and seed.
 */
static struct {
    struct pyr_luck_how how;
    struct pyr_luck_log log;
    struct pyr_luck_task task[PYR_LUCK_TASKS];
    unsigned found, next;        /* tasks of the present line, and which comes next */
    unsigned judged, chances;    /* so far */
    struct pyr_luck_decision decision;
    struct pyr_luck_chance chance;
    struct pyr_luck_sum sum[PYR_MAX_SEATS];
} luck;

/* Begins with the first line of the match, which must be a whole record. 1, or 0 without a match or memory. */
EXPORT(luck_begin) uint32_t wasm_luck_begin(uint32_t playouts, uint64_t seed)
{
    void *memory = prepared(&analysis, pyr_analysis_memory(&wasm_edition.box), pyr_analysis_prepare);
    luck.how = (struct pyr_luck_how){ &wasm_edition.box, memory, playouts, seed };
    luck.found = luck.next = luck.judged = luck.chances = 0;
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        luck.sum[s] = (struct pyr_luck_sum){ 0 };
    pyr_luck_begin(&luck.log, &wasm_edition);
    return memory && wasm_match_seats();
}

/* Judges the next task: LUCK_DECISION or LUCK_CHANCE, to be read below until the next call; 0: there is none left, and the
 * sums are made. */
EXPORT(luck_next) uint32_t wasm_luck_next(void)
{
    while (luck.next == luck.found && luck.log.line < wasm_match_lines()) {
        luck.found = pyr_luck_follow(&luck.log, pyr_match_line(&wasm_match, luck.log.line), luck.task);
        luck.next = 0;
    }
    if (luck.next == luck.found) {
        pyr_luck_finish(luck.sum, &wasm_edition.box, &wasm_match.replay.state.open, NULL);
        return 0;
    }
    const struct pyr_luck_task *task = &luck.task[luck.next++];
    if (task->is_chance) {
        pyr_luck_measure(&luck.how, task, luck.judged++, &luck.chance);
        pyr_luck_add_chance(luck.sum, &luck.chance, !luck.chances++);
        return LUCK_CHANCE;
    }
    pyr_luck_decide(&luck.how, task, luck.judged++, &luck.decision);
    pyr_luck_add_decision(luck.sum, &luck.decision, true);
    return LUCK_DECISION;
}

EXPORT(luck_decision) const struct pyr_luck_decision *wasm_luck_decision(void) { return &luck.decision; }
EXPORT(luck_chance) const struct pyr_luck_chance *wasm_luck_chance(void) { return &luck.chance; }
EXPORT(luck_sum) const struct pyr_luck_sum *wasm_luck_sum(uint32_t seat) { return &luck.sum[seat & 3]; }

/* An option of the decision as text, into the buffer: the index-th best, or the one that was made. Its length. */
EXPORT(luck_choice) uint32_t wasm_luck_choice(uint32_t index)
{
    const struct pyr_luck_decision *d = &luck.decision;
    const struct pyr_option *option = index < d->bests ? &d->best[index] : &d->made;
    struct pyr_out out;
    pyr_out_init(&out, wasm_buffer(), wasm_buffer_size());
    if (luck.next)
        pyr_choice_write(&luck.task[luck.next - 1].state.open.desk[d->seat], option->step, option->count, &out);
    return (uint32_t)out.length;
}

/* The level that a seat played like. */
EXPORT(luck_level) const char *wasm_luck_level(uint32_t seat) { return pyr_luck_level(luck.sum[seat & 3].rate); }
