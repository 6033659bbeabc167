/*
 * course.h: the course of a game between the marks: turning up, keeping, replacing cards, pyramid points, and what ends a
 * phase. Inline, so that playouts are compiled as one piece (hot_api.inc); state.c is its public face.
 */
#ifndef PYR_COURSE_H
#define PYR_COURSE_H

#include <pyramids/state.h>

#include "bits.h"
#include "port.h"

#define ALL_CARDS (((pyr_cardset)1 << PYR_CARDS) - 1)
#define CARD_BIT(card) ((pyr_cardset)1 << (card))

static inline unsigned course_everyone(const struct pyr_table *open)
{
    return (1u << open->seats) - 1;
}

/* Desks. */

static inline void course_lay(const struct pyr_box *box, struct pyr_desk *desk, unsigned slot, pyr_card card)
{
    const struct pyr_card_face *face = &box->card[card];
    unsigned shift = slot * PYR_PAIR_SHIFT;
    pyr_pair others = ~((pyr_pair)PYR_ALL_SPACES << shift);
    desk->card[slot] = card;
    desk->free = (desk->free & others) | (pyr_pair)face->open << shift;
    desk->reach = (desk->reach & others) | (pyr_pair)face->entrance << shift;
}

static inline void course_clear_slot(struct pyr_desk *desk, unsigned slot)
{
    pyr_pair others = pyr_pair_of(!slot, PYR_ALL_SPACES);
    desk->card[slot] = PYR_NO_CARD;
    desk->free &= others;
    desk->reach &= others;
}

/* Display and deck. */

/* The empty places of the display: bit 8 * i + 7 for place i, the one bit in which PYR_NO_CARD differs from all cards. */
#define ALL_GAPS 0x80808080u

static inline uint32_t course_gaps(const struct pyr_table *open)
{
    uint32_t places;
    copy(&places, open->display, sizeof places);
    return places & ALL_GAPS;
}

static inline bool course_is_anything_left(const struct pyr_table *open)
{
    return open->deck_left || course_gaps(open) != ALL_GAPS;
}

static inline pyr_card course_turn_up(struct pyr_state *state)
{
    pyr_card card = state->hidden.deck[pyr_deck_top(state)];
    state->open.deck_left--;
    state->open.deck &= ~CARD_BIT(card);
    return card;
}

/* The end of a turn. */

/*
 * R14: who has just completed the 2nd, 4th or 6th pyramid of a colour takes its highest points that nobody has. By going
 * through this turn's pyramids from the lowest number on, claims come in the order of R14; of two of one colour the lower
 * number counts (Q6).
 */
static inline void course_take_points(const struct pyr_box *box, struct pyr_table *open)
{
    pyr_cardset fresh = 0;
    for (unsigned place = 0; place < PYR_MAX_SEATS && open->order[place] != PYR_NOBODY; place++) {
        const pyr_card *cards = open->fresh[open->order[place]];
        fresh |= CARD_BIT(cards[0]);
        if (cards[1] != PYR_NO_CARD)
            fresh |= CARD_BIT(cards[1]);
    }
    for (pyr_cardset left = fresh; left; left &= left - 1) {
        unsigned card = bits_first(left), colour = box->card[card].colour;
        pyr_seat seat = 0;
        while (!(open->desk[seat].done >> card & 1))
            seat++;
        pyr_cardset own = open->desk[seat].done & box->colour[colour], now = own & fresh;
        unsigned after = bits_count(own), before = after - (now & (now - 1) ? 2 : 1);
        if (after / 2 == before / 2 || before >= 6 || (now & -now) != CARD_BIT(card))
            continue;
        pyr_seat *tile = open->tile[colour];
        for (unsigned place = 0; place < PYR_TILES; place++) {
            if (tile[place] == PYR_NOBODY) {
                tile[place] = seat;
                break;
            }
        }
    }
}

static inline void course_next(struct pyr_table *open)
{
    open->phase = open->turn == PYR_TURNS - 1 && open->round == PYR_ROUNDS - 1 ? PYR_END : PYR_REVEAL;
}

/* Opens the slot of the next player who replaces (R12); without one, or with nothing left to take (Q7), action 4 follows
 * and the turn ends. */
static inline void course_next_to_replace(const struct pyr_box *box, struct pyr_state *state, unsigned place)
{
    struct pyr_table *open = &state->open;
    if (place < PYR_MAX_SEATS && open->order[place] != PYR_NOBODY && course_is_anything_left(open)) {
        pyr_seat seat = open->order[place];
        open->phase = PYR_REPLACE;
        open->place = (uint8_t)place;
        open->owed = (uint8_t)(1 + (open->fresh[seat][1] != PYR_NO_CARD));
        open->waiting = (uint8_t)(1u << seat);
        return;
    }
    course_take_points(box, open);
    fill(open->order, PYR_NOBODY);
    open->place = open->owed = 0;
    open->waiting = 0;
    course_next(open);
}

/* Chance. */

static inline void course_show(const struct pyr_box *box, struct pyr_state *state)
{
    struct pyr_table *open = &state->open;
    for (uint32_t gaps = course_gaps(open); gaps && open->deck_left; gaps &= gaps - 1)
        open->display[bits_first(gaps) / 8] = course_turn_up(state);
    if (open->order[0] == PYR_NOBODY)
        open->phase = PYR_REVEAL;            /* the first display of the game */
    else
        course_next_to_replace(box, state, open->place + 1u);
}

/* The number of cards revealed in the round that the next reveal belongs to. */
static inline unsigned course_next_turn(const struct pyr_table *open, unsigned *round)
{
    *round = open->round;
    if (open->revealed[0] == PYR_NO_PATTERN)
        return 0;
    if (open->turn < PYR_TURNS - 1)
        return open->turn + 1u;
    *round += 1;
    return 0;
}

static inline void course_reveal(struct pyr_state *state)
{
    struct pyr_table *open = &state->open;
    unsigned round, turn = course_next_turn(open, &round);
    if (!turn)
        fill(open->revealed, PYR_NO_PATTERN);
    open->round = (uint8_t)round;
    open->turn = (uint8_t)turn;
    open->revealed[turn] = state->hidden.expedition[round][turn];
    fill(open->fresh, PYR_NO_CARD);
    open->phase = PYR_MARK;
    open->waiting = (uint8_t)course_everyone(open);
    for (unsigned s = 0; s < open->seats; s++) {
        open->desk[s].flags = state->desk[s].flags = PYR_DESK_FIRST;
        open->desk[s].due = state->desk[s].due = 1;
    }
}

static inline void course_advance(const struct pyr_box *box, struct pyr_state *state)
{
    while (state->open.phase == PYR_SHOW)
        course_show(box, state);
    if (state->open.phase == PYR_REVEAL)
        course_reveal(state);
}

/* Keeping. */

/* R4 is done: all see what was kept. R5: the rest is the deck, in the order that chance supplied. */
static inline void course_end_keeping(struct pyr_state *state)
{
    struct pyr_table *open = &state->open;
    pyr_cardset kept = 0;
    for (unsigned s = 0; s < open->seats; s++) {
        open->desk[s] = state->desk[s];
        copy(open->kept[s], state->desk[s].card, PYR_KEPT);
        kept |= CARD_BIT(state->desk[s].card[0]) | CARD_BIT(state->desk[s].card[1]);
    }
    unsigned left = PYR_CARDS - PYR_KEPT * (unsigned)open->seats;
    pyr_cardset rest = ALL_CARDS & ~kept;
    pyr_card *to = state->hidden.deck;
    for (unsigned i = 0; i < PYR_CARDS; i++) {
        pyr_card card = state->hidden.deck[i];
        *to = card;
        to += rest >> card & 1;
    }
    /* What is left beyond the deck's end must not tell one state from another. */
    for (unsigned i = left; i < PYR_CARDS; i++)
        state->hidden.deck[i] = PYR_NO_CARD;
    open->deck = rest;
    open->deck_left = (uint8_t)left;
    open->phase = PYR_SHOW;
}

static inline void course_make_keep(const struct pyr_box *box, struct pyr_state *state, pyr_seat seat, pyr_step step)
{
    course_lay(box, &state->desk[seat], 0, pyr_step_card(step));
    course_lay(box, &state->desk[seat], 1, pyr_step_second(step));
    state->open.waiting &= (uint8_t)~(1u << seat);
    if (!state->open.waiting)
        course_end_keeping(state);
}

/* Replacing. */

/* Sets a player's completed cards aside (R12). */
static inline void course_set_aside(struct pyr_table *open, struct pyr_desk *desk, pyr_seat seat)
{
    unsigned count = 0;
    for (unsigned slot = 0; slot < PYR_KEPT; slot++) {
        if (!(desk->flags & PYR_DESK_TOMB(slot)))
            continue;
        open->fresh[seat][count++] = desk->card[slot];
        desk->done |= CARD_BIT(desk->card[slot]);
        course_clear_slot(desk, slot);
    }
    if (count == 2 && open->fresh[seat][1] < open->fresh[seat][0]) {
        pyr_card higher = open->fresh[seat][0];
        open->fresh[seat][0] = open->fresh[seat][1];
        open->fresh[seat][1] = higher;
    }
    desk->flags = 0;
}

/* The order of replacing is that of the lowest completed number (R12, Q4). */
static inline void course_begin_replacing(const struct pyr_box *box, struct pyr_state *state)
{
    struct pyr_table *open = &state->open;
    unsigned completers = 0;
    for (unsigned s = 0; s < open->seats; s++) {
        if (!(state->desk[s].flags & PYR_DESK_TOMBS))
            continue;
        course_set_aside(open, &state->desk[s], (pyr_seat)s);
        open->desk[s] = state->desk[s];
        unsigned place = completers++;
        for (; place && open->fresh[open->order[place - 1]][0] > open->fresh[s][0]; place--)
            open->order[place] = open->order[place - 1];
        open->order[place] = (pyr_seat)s;
    }
    course_next_to_replace(box, state, 0);
}

/* All have marked: everyone sees it. */
static inline void course_end_marking(const struct pyr_box *box, struct pyr_state *state)
{
    struct pyr_table *open = &state->open;
    unsigned flags = 0;
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++) {
        flags |= state->desk[s].flags;
        open->desk[s] = state->desk[s];
    }
    if (flags & PYR_DESK_TOMBS)
        course_begin_replacing(box, state);
    else
        course_next(open);
}

static inline void course_make_replace(const struct pyr_box *box, struct pyr_state *state, pyr_seat seat, pyr_step step)
{
    struct pyr_table *open = &state->open;
    struct pyr_desk *desk = &state->desk[seat];
    pyr_card card;
    if (pyr_step_kind(step) == PYR_STEP_TAKE) {
        card = pyr_step_card(step);
        for (unsigned i = 0; i < PYR_DISPLAY; i++)
            open->display[i] |= open->display[i] == card ? PYR_NO_CARD : 0;
    } else {
        card = course_turn_up(state);
    }
    course_lay(box, desk, desk->card[0] == PYR_NO_CARD ? 0 : 1, card);
    open->desk[seat] = *desk;
    open->owed--;
    if (open->owed && course_is_anything_left(open))
        return;
    open->owed = 0;
    if (open->deck_left && course_gaps(open)) {
        open->phase = PYR_SHOW;
        open->waiting = 0;
    } else {
        course_next_to_replace(box, state, open->place + 1u);
    }
}

/* Steps other than marks. */

/* From what a seat sees, so that a state and a view answer alike. */
static inline void course_steps(const struct pyr_table *open, const pyr_card *dealt, pyr_seat seat, struct pyr_steps *steps)
{
    uint32_t count = 0;
    if (seat >= open->seats || !(open->waiting >> seat & 1)) {
        /* nothing to decide */
    } else if (open->phase == PYR_KEEP) {
        for (unsigned i = 0; i < PYR_DEALT; i++)
            for (unsigned j = i + 1; j < PYR_DEALT; j++)
                steps->set[count++] = pyr_step_keep(dealt[i], dealt[j]);
    } else if (open->phase == PYR_REPLACE) {
        for (unsigned i = 0; i < PYR_DISPLAY; i++) {
            steps->set[count] = pyr_step_take(open->display[i]);
            count += open->display[i] != PYR_NO_CARD;
        }
        steps->set[count] = pyr_step_draw();
        count += open->deck_left != 0;
    }
    steps->count = count;
    steps->pattern = PYR_NO_PATTERN;
}

static inline void course_make(const struct pyr_box *box, struct pyr_state *state, pyr_seat seat, pyr_step step)
{
    switch (pyr_step_kind(step)) {
    case PYR_STEP_PASS:
        state->desk[seat].due = 0;
        state->desk[seat].flags = 0;
        state->open.waiting &= (uint8_t)~(1u << seat);
        if (!state->open.waiting)
            course_end_marking(box, state);
        break;
    case PYR_STEP_KEEP:
        course_make_keep(box, state, seat, step);
        break;
    case PYR_STEP_TAKE:
    case PYR_STEP_DRAW:
        course_make_replace(box, state, seat, step);
        break;
    case PYR_STEP_MARK:
        break;                               /* hot.h makes these */
    }
}

#endif
