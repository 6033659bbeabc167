/*
 * thought.c: bots, hints and the analysis of a game, on the match of table.c. All of it takes time: a page calls it in a worker,
 * which it can end at any moment.
 */
#include <pyramids/analysis.h>
#include <pyramids/bots.h>

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

/* The choice of a bot for a seat, into the buffer as pyr_match_choose reads it; its length, 0 if there is nothing to choose. The match is
 * left as it was. nodes 0: as many as the bot likes. */
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
 * choice, points in hundredths, chance to win in ten thousandths, the margins of both, 1 if it is the usual one, 1 if it is the
 * one that stood in the buffer (a choice that was made; "" for none). Returns how many lines.
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
 * Luck. What an event of chance brought each seat is the outlook with it, minus the mean over what could have come, each tried with
 * the same random numbers. (The same as in the command's analysis, with fewer playouts and without threads.)
 */

#define ALTERNATIVES 16          /* of cards; of patterns all are tried */

static struct pyr_outlook after, luck;

static void outlook(const void *memory, const struct pyr_state *from, const struct pyr_event *event, bool dealt, uint64_t seed,
    uint32_t playouts, struct pyr_outlook *to)
{
    struct pyr_state state = *from;
    struct pyr_view view;
    struct pyr_rng rng;
    if (event->kind == PYR_EVENT_REVEAL) {
        pyr_state_supply_pattern(&state, event->pattern);
        pyr_state_reveal(&wasm_edition.box, &state);
    } else if (event->kind == PYR_EVENT_DRAW) {
        pyr_state_supply_card(&state, 0, event->card[0]);
        pyr_state_apply(&wasm_edition.box, &state, event->seat, pyr_step_draw());
    } else if (event->kind == PYR_EVENT_SHOW) {
        for (unsigned i = 0; i < event->count; i++)
            pyr_state_supply_card(&state, i, event->card[i]);
        pyr_state_show(&wasm_edition.box, &state);
    }
    pyr_view_init(&view, &state, PYR_NOBODY);
    pyr_rng_seed(&rng, seed, 0);
    pyr_analysis_outlook(memory, &wasm_edition.box, &view, dealt ? &state.hidden : NULL, playouts, &rng, to);
}

static void add(struct pyr_outlook *sum, const struct pyr_outlook *one, float weight)
{
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++) {
        sum->points[s] += weight * one->points[s];
        sum->win[s] += weight * one->win[s];
    }
}

static void mean_reveal(const void *memory, const struct pyr_state *state, struct pyr_event event, uint64_t seed, uint32_t playouts,
    struct pyr_outlook *mean)
{
    const struct pyr_table *open = &state->open;
    bool fresh = open->revealed[0] == PYR_NO_PATTERN || open->turn == PYR_TURNS - 1;
    unsigned left[PYR_PATTERNS], all = 0;
    struct pyr_outlook one;
    for (unsigned p = 0; p < PYR_PATTERNS; p++) {
        left[p] = wasm_edition.box.pattern[p].copies;
        for (unsigned i = 0; i <= open->turn && !fresh; i++)
            left[p] -= open->revealed[i] == p;
        all += left[p];
    }
    for (unsigned p = 0; p < PYR_PATTERNS; p++) {
        if (!left[p])
            continue;
        event.pattern = (pyr_pattern)p;
        outlook(memory, state, &event, false, seed, playouts, &one);
        add(mean, &one, (float)left[p] / (float)all);
    }
}

static void mean_cards(const void *memory, const struct pyr_state *state, struct pyr_event event, uint64_t seed, uint32_t playouts,
    struct pyr_outlook *mean)
{
    uint8_t deck[PYR_CARDS];
    unsigned count = 0;
    struct pyr_outlook one;
    struct pyr_rng rng;
    for (pyr_cardset left = state->open.deck; left; left &= left - 1)
        deck[count++] = (uint8_t)__builtin_ctzll(left);
    pyr_rng_seed(&rng, seed, 1);
    for (unsigned i = 0; i < ALTERNATIVES; i++) {
        pyr_rng_choose(&rng, deck, count, event.count);
        for (unsigned k = 0; k < event.count; k++)
            event.card[k] = deck[k];
        outlook(memory, state, &event, false, seed, playouts / 4 + 1, &one);
        add(mean, &one, 1.0f / ALTERNATIVES);
    }
}

/* The outlook after a line of the log, and the luck in it, as struct pyr_outlook (analysis.h). 0: the line is not one of chance,
 * and only the outlook is there (nothing before the last deal); 1: both. */
EXPORT(judge_line) uint32_t wasm_judge_line(uint32_t line, uint32_t playouts, uint64_t seed)
{
    struct pyr_outlook none = { { 0 }, { 0 } };
    struct pyr_replay before, now;
    struct pyr_lines lines;
    struct pyr_event event;
    struct pyr_word text = pyr_match_line(&wasm_match, line);
    void *memory = prepared(&analysis, pyr_analysis_memory(&wasm_edition.box), pyr_analysis_prepare);
    after = luck = none;
    pyr_lines_init(&lines, text.at, text.length);
    if (!memory || !pyr_lines_next(&lines, false) || !pyr_event_read(&wasm_edition, &lines, &event) ||
        pyr_match_replay(&wasm_match, line, &before) || pyr_match_replay(&wasm_match, line + 1, &now) || now.stage < PYR_STAGE_PLAY)
        return 0;
    if (event.kind == PYR_EVENT_DEAL) {
        outlook(memory, &now.state, &event, true, seed, playouts, &after);
        outlook(memory, &now.state, &event, false, seed, playouts, &luck);
    } else if (event.kind == PYR_EVENT_REVEAL) {
        outlook(memory, &before.state, &event, false, seed, playouts, &after);
        mean_reveal(memory, &before.state, event, seed, playouts, &luck);
    } else if (event.kind == PYR_EVENT_SHOW || event.kind == PYR_EVENT_DRAW) {
        outlook(memory, &before.state, &event, false, seed, playouts, &after);
        mean_cards(memory, &before.state, event, seed, playouts, &luck);
    } else {
        event.kind = PYR_EVENT_TAG;
        outlook(memory, &now.state, &event, false, seed, playouts, &after);
        return 0;
    }
    struct pyr_outlook mean = luck;
    luck = after;
    add(&luck, &mean, -1);
    return 1;
}

EXPORT(judge_after) const struct pyr_outlook *wasm_judge_after(void) { return &after; }
EXPORT(judge_luck) const struct pyr_outlook *wasm_judge_luck(void) { return &luck; }
