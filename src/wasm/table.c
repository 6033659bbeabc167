/*
 * table.c: one match for a script: what a page shows and does at a table. A script that wants several matches makes several
 * instances of the module.
 *
 * Choices, names and records go through the buffer (exports.c). Views, desks and scores are read where a function points, in the
 * layouts of view.h, state.h and score.h, which static assertions there keep the same everywhere.
 */
#include <pyramids/match.h>

#include "exports.h"
#include "inside.h"

struct pyr_match wasm_match;
static struct pyr_view view;
static struct pyr_score score;
static pyr_step list[512];       /* more than two cards have marks: 8 turns and single spaces, 25 places each */
static struct pyr_desk preview;

static bool is_loaded(void)
{
    return wasm_match.edition != NULL;
}

/* Begins a match. The names stand in the buffer, a line each; chance is drawn from the seed. PYR_OK, or a code of err.h; then there is
 * no match. */
EXPORT(match_start) int32_t wasm_match_start(uint32_t seats, uint64_t seed)
{
    const char *names[PYR_MAX_SEATS] = { "", "", "", "" };
    struct pyr_chance chance;
    struct pyr_rng rng;
    char *at = wasm_buffer();
    wasm_match.edition = NULL;
    if (!wasm_edition.box.pattern[0].turns || !pyr_options_has_seats(&pyr_rulebook, seats))
        return PYR_ERR_SEATS;
    for (uint32_t s = 0; s < seats; s++) {
        names[s] = at;
        while (*at && *at != '\n')
            at++;
        if (*at)
            *at++ = '\0';
    }
    pyr_rng_seed(&rng, seed, 0);
    pyr_chance_draw(&chance, &wasm_edition.box, seats, &rng);
    enum pyr_err err = pyr_match_init(&wasm_match, &wasm_edition, seats, names, &chance);
    if (err)
        wasm_match.edition = NULL;
    return err;
}

/* Loads the record in the first `size` bytes of the buffer; viewer 255: a whole one, 254: what an onlooker sees, else a seat's view.
 * PYR_OK, or a code with the fault; then there is no match. */
EXPORT(match_load) int32_t wasm_match_load(uint32_t size, uint32_t viewer)
{
    wasm_match.edition = NULL;
    enum pyr_err err = pyr_match_load(&wasm_match, &wasm_edition, wasm_buffer(), size < wasm_buffer_size() ? size : wasm_buffer_size(),
        (pyr_seat)viewer, &wasm_fault);
    if (err)
        wasm_match.edition = NULL;
    return err;
}

/* Draws what is hidden anew and moves a loaded game on to its next decision. */
EXPORT(match_shuffle) void wasm_match_shuffle(uint64_t seed)
{
    struct pyr_rng rng;
    pyr_rng_seed(&rng, seed, 0);
    if (is_loaded())
        pyr_match_shuffle(&wasm_match, &rng);
}

EXPORT(match_seats) uint32_t wasm_match_seats(void) { return is_loaded() ? wasm_match.replay.seats : 0; }
EXPORT(match_is_over) uint32_t wasm_match_is_over(void) { return is_loaded() && pyr_match_is_over(&wasm_match); }
EXPORT(match_waiting) uint32_t wasm_match_waiting(void) { return is_loaded() ? pyr_match_waiting(&wasm_match) : 0; }

/* The log as text, terminated, and how many lines it has. */
EXPORT(match_log) const char *wasm_match_log(void) { return is_loaded() ? wasm_match.log.text : ""; }
EXPORT(match_lines) uint32_t wasm_match_lines(void) { return is_loaded() ? wasm_match.log.lines : 0; }

EXPORT(match_line_is_visible) uint32_t wasm_match_line_is_visible(uint32_t line, uint32_t seat)
{
    return is_loaded() && pyr_match_line_is_visible(&wasm_match, line, (pyr_seat)seat);
}

/* Adds a tag: name, newline, value stand in the buffer. */
EXPORT(match_tag) int32_t wasm_match_tag(void)
{
    char *value = wasm_buffer();
    while (*value && *value != '\n')
        value++;
    if (*value)
        *value++ = '\0';
    return is_loaded() ? pyr_match_tag(&wasm_match, wasm_buffer(), value) : PYR_ERR_NOT_DUE;
}

/* What a seat sees, its own steps included (255: an onlooker): struct pyr_view, until the next call. */
EXPORT(match_view) const struct pyr_view *wasm_match_view(uint32_t seat)
{
    if (!is_loaded() || wasm_match.replay.stage < PYR_STAGE_PLAY)
        return NULL;
    pyr_match_view(&wasm_match, (pyr_seat)seat, &view);
    return &view;
}

/* The same as it was after so many lines; NULL before all cards are dealt, or beyond the last line. */
EXPORT(match_view_at) const struct pyr_view *wasm_match_view_at(uint32_t lines, uint32_t seat)
{
    struct pyr_replay replay;
    if (!is_loaded() || pyr_match_replay(&wasm_match, lines, &replay) || replay.stage < PYR_STAGE_PLAY)
        return NULL;
    pyr_view_init(&view, &replay.state, (pyr_seat)seat);
    return &view;
}

/* Of the view that was given last: a seat's score (struct pyr_score), on the open table or with the steps of the view's own seat; and the
 * winners as bits. */
EXPORT(view_score) const struct pyr_score *wasm_view_score(uint32_t seat, uint32_t mine)
{
    score = mine && view.seat == seat
        ? pyr_desk_score(&wasm_edition.box, &view.mine, pyr_table_points(&view.open, (pyr_seat)seat))
        : pyr_table_score(&wasm_edition.box, &view.open, (pyr_seat)(seat & 3));
    return &score;
}

EXPORT(view_winners) uint32_t wasm_view_winners(void) { return pyr_table_winners(&wasm_edition.box, &view.open); }

/* The legal steps of a seat: how many, and the list of them as 64-bit words (step.h). */
EXPORT(match_steps) uint32_t wasm_match_steps(uint32_t seat)
{
    struct pyr_steps steps;
    if (!is_loaded())
        return 0;
    pyr_match_steps(&wasm_match, (pyr_seat)seat, &steps);
    uint32_t count = steps.count < sizeof list / sizeof *list ? steps.count : (uint32_t)(sizeof list / sizeof *list);
    for (uint32_t i = 0; i < count; i++)
        list[i] = pyr_steps_at(&wasm_edition.box, &steps, i);
    return count;
}

EXPORT(step_list) const uint64_t *wasm_step_list(void) { return list; }

/* Steps that a seat has made in its present choice: how many, and each. */
EXPORT(match_made) uint32_t wasm_match_made(uint32_t seat)
{
    return is_loaded() && seat < PYR_MAX_SEATS ? wasm_match.choice[seat].count : 0;
}

EXPORT(match_made_at) uint64_t wasm_match_made_at(uint32_t seat, uint32_t index)
{
    return index < wasm_match_made(seat) ? pyr_pending_step(&wasm_match.choice[seat], index) : 0;
}

EXPORT(match_is_confirmed) uint32_t wasm_match_is_confirmed(uint32_t seat)
{
    return is_loaded() && seat < PYR_MAX_SEATS && wasm_match.choice[seat].confirmed;
}

EXPORT(match_is_ready) uint32_t wasm_match_is_ready(uint32_t seat)
{
    return is_loaded() && pyr_match_is_ready(&wasm_match, (pyr_seat)seat);
}

/* Why a step is illegal now, or PYR_OK. */
EXPORT(match_judge) int32_t wasm_match_judge(uint32_t seat, uint64_t step)
{
    struct pyr_match *match = &wasm_match;
    if (!is_loaded())
        return PYR_ERR_NOT_DUE;
    struct pyr_view now;
    pyr_match_view(match, (pyr_seat)seat, &now);
    if (now.open.phase == PYR_MARK && seat < now.open.seats && pyr_step_kind(step) == PYR_STEP_MARK)
        return pyr_desk_judge(&wasm_edition.box, &now.mine, now.open.revealed[now.open.turn], step);
    return pyr_step_judge(&wasm_edition.box, &match->replay.state, (pyr_seat)seat, step);
}

/* What a mark would make of the seat's desk: PYR_OK or why not. Then preview_desk (struct pyr_desk) and its score (a completed
 * card not counted before it is set aside), and how many extra marks there would be to choose from. */
EXPORT(match_preview) int32_t wasm_match_preview(uint32_t seat, uint64_t step)
{
    if (!is_loaded() || seat >= wasm_match.replay.seats)
        return PYR_ERR_NOT_DUE;
    pyr_match_view(&wasm_match, (pyr_seat)seat, &view);
    struct pyr_desk desk = view.mine;
    enum pyr_err err = pyr_desk_mark(&wasm_edition.box, &desk, view.open.revealed[view.open.turn], view.open.round, step);
    if (err)
        return err;
    preview = desk;
    score = pyr_desk_score(&wasm_edition.box, &preview, pyr_table_points(&view.open, (pyr_seat)seat));
    return PYR_OK;
}

EXPORT(preview_desk) const struct pyr_desk *wasm_preview_desk(void) { return &preview; }
EXPORT(preview_score) const struct pyr_score *wasm_preview_score(void) { return &score; }

EXPORT(match_step) int32_t wasm_match_step(uint32_t seat, uint64_t step)
{
    return is_loaded() ? pyr_match_step(&wasm_match, (pyr_seat)seat, step) : PYR_ERR_NOT_DUE;
}

EXPORT(match_undo) int32_t wasm_match_undo(uint32_t seat)
{
    return is_loaded() ? pyr_match_undo(&wasm_match, (pyr_seat)seat) : PYR_ERR_NO_UNDO;
}

EXPORT(match_confirm) int32_t wasm_match_confirm(uint32_t seat)
{
    return is_loaded() ? pyr_match_confirm(&wasm_match, (pyr_seat)seat) : PYR_ERR_NOT_DUE;
}

EXPORT(match_retract) int32_t wasm_match_retract(uint32_t seat)
{
    return is_loaded() ? pyr_match_retract(&wasm_match, (pyr_seat)seat) : PYR_ERR_NO_UNDO;
}

/* Makes the whole choice whose text stands in the buffer (pyr_match_choose): PYR_OK, or a code with the fault. */
EXPORT(match_choose) int32_t wasm_match_choose(uint32_t seat)
{
    return is_loaded() ? pyr_match_choose(&wasm_match, (pyr_seat)seat, wasm_buffer(), &wasm_fault) : PYR_ERR_NOT_DUE;
}

/* Writes the seat's choice so far into the buffer, as pyr_match_choose reads it; its length, 0 without steps. */
EXPORT(match_choice) uint32_t wasm_match_choice(uint32_t seat)
{
    struct pyr_out out;
    pyr_out_init(&out, wasm_buffer(), wasm_buffer_size());
    if (wasm_match_made(seat))
        pyr_game_write_choice(&wasm_match.game, (pyr_seat)seat, &out);
    return (uint32_t)out.length;
}
