/*
 * verdict.c: judges answers, explains the gains of choices, and gives hints (puzzle.h).
 */
#include <pyramids/puzzle.h>
#include <pyramids/score.h>

#include "inside.h"

static bool is_mark(const struct pyr_puzzle_choice *choice)
{
    return pyr_step_kind(choice->first) == PYR_STEP_MARK;
}

/* Whether two choices certainly have the same value: marks that lead to the same desk, or the same step. */
static bool is_alike(const struct pyr_puzzle_choice *a, const struct pyr_puzzle_choice *b)
{
    if (is_mark(a) != is_mark(b))
        return false;
    return is_mark(a) ? a->end.free == b->end.free && a->end.tally == b->end.tally : a->first == b->first;
}

enum pyr_err pyr_puzzle_answer(struct pyr_puzzle_open *open, const struct pyr_match *match, const char *text,
    struct pyr_puzzle_verdict *verdict, struct pyr_fault *fault)
{
    struct pyr_puzzle_verdict v = { .place = -1 };
    enum pyr_err code = puzzle_read_choice(open, &match->edition->box, pyr_word_of(text), &v.made, fault);
    if (!code && open->view.open.phase != PYR_MARK)
        code = pyr_state_check_step(&match->replay.state, &match->edition->box, open->view.seat, v.made.first);
    if (code)
        return code;
    for (unsigned i = 0; i < open->count && v.place < 0; i++)
        if (is_alike(&open->choice[i], &v.made))
            v.place = (int)i;
    v.made.value = v.place >= 0 ? open->choice[v.place].value : open->bound;
    v.cost = open->choice[0].value - v.made.value;
    v.at_least = v.place < 0;
    v.is_best = v.place >= 0 && !v.cost;
    v.right = v.place >= 0 && v.cost <= PYR_PUZZLE_ENOUGH;
    open->tries = (uint8_t)(open->tries < UINT8_MAX ? open->tries + 1 : open->tries);
    *verdict = v;
    return PYR_OK;
}

struct pyr_puzzle_gain pyr_puzzle_gain(const struct pyr_box *box, const struct pyr_view *view,
    const struct pyr_puzzle_choice *choice)
{
    struct pyr_puzzle_gain gain = { 0 };
    const struct pyr_table *open = &view->open;
    const struct pyr_desk *before = &open->desk[view->seat], *after = &choice->end;
    pyr_cardset done = before->done;
    unsigned gone[PYR_COLOURS] = { 0 };
    if (!is_mark(choice))
        return gain;
    for (unsigned c = 0; c < PYR_COLOURS; c++)
        for (unsigned i = 0; i < PYR_TILES; i++)
            gone[c] += open->tile[c][i] != PYR_NOBODY;
    gain.rubies = (int8_t)(after->rubies - before->rubies);
    gain.emeralds = (int8_t)(after->emeralds - before->emeralds);
    gain.torches = after->torches != before->torches;
    gain.skulls = (int8_t)(after->skulls - before->skulls);
    gain.extras = (int8_t)(choice->count - 1);
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++) {
        if (!(after->flags & PYR_DESK_TOMB(slot)))
            continue;
        unsigned colour = box->card[after->card[slot]].colour;
        done |= PYR_CARD_BIT(after->card[slot]);
        gain.pyramids++;
        if (pyr_options_is_claim(pyr_table_options(open), (unsigned)__builtin_popcountll(done & box->colour[colour])) &&
            gone[colour] < PYR_TILES)
            gain.points = (int8_t)(gain.points + pyr_tile_value(gone[colour]++));
    }
    return gain;
}

/* The spaces of a set and all of their neighbours. */
static pyr_spaces around(pyr_spaces spaces)
{
    pyr_spaces wide = spaces | spaces << 1 | spaces >> 1;
    return (wide | wide << PYR_ROW | wide >> PYR_ROW) & PYR_ALL_SPACES;
}

struct pyr_puzzle_hint pyr_puzzle_hint(struct pyr_puzzle_open *open, const struct pyr_box *box)
{
    const struct pyr_puzzle_choice *best = &open->choice[0];
    struct pyr_puzzle_hint hint = { .colour = -1, .card = { PYR_NO_CARD, PYR_NO_CARD } };
    hint.step = open->hints = (uint8_t)(open->hints < 2 ? open->hints + 1 : 2);
    if (is_mark(best)) {
        hint.slot = (uint8_t)pyr_step_slot(best->first);
        /* Including walls: the region must not reveal which of its spaces can be marked. */
        hint.spaces = hint.step > 1 ? around(pyr_step_spaces(best->first)) : 0;
        return hint;
    }
    if (pyr_step_kind(best->first) == PYR_STEP_TAKE)
        hint.colour = (int8_t)box->card[pyr_step_card(best->first)].colour;
    if (hint.step > 1) {
        /* The best and the second-best card, in the order of their numbers, so that the order reveals nothing. */
        pyr_card a = PYR_NO_CARD, b = PYR_NO_CARD;
        if (pyr_step_kind(best->first) == PYR_STEP_TAKE)
            a = pyr_step_card(best->first);
        if (open->count > 1 && pyr_step_kind(open->choice[1].first) == PYR_STEP_TAKE)
            b = pyr_step_card(open->choice[1].first);
        hint.card[0] = a < b ? a : b;
        hint.card[1] = a < b ? b : a;
    }
    return hint;
}

void pyr_puzzle_write_choice(const struct pyr_puzzle_open *open, const struct pyr_puzzle_choice *choice, struct pyr_out *out)
{
    pyr_step steps[PYR_PUZZLE_EXTRAS + 1];
    steps[0] = choice->first;
    for (unsigned i = 1; i < choice->count; i++)
        steps[i] = (pyr_step)1 << choice->more[i - 1];
    pyr_choice_write(steps, choice->count, &open->view.open.desk[open->view.seat], out);
}
