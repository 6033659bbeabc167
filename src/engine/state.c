/*
 * state.c: the course of a game: dealing, turning up, whose turn it is, replacing cards, pyramid points. Marks are in
 * hot.h, what desks are worth in score.c.
 *
 * Invariants that hold between calls (pyr_state_check audits them):
 *  1. waiting is empty exactly in the phases SHOW, REVEAL and END.
 *  2. state->desk[s] equals open.desk[s] except for what seat s chose in the present phase KEEP or MARK.
 *  3. Every card is in one place: deck, display, a desk's slot, or a done set (from the first show on).
 *  4. hidden.deck from pyr_deck_top on is an order of open.deck.
 */
#include <pyramids/score.h>
#include <pyramids/state.h>

#include "bits.h"
#include "hot_api.h"
#include "port.h"

#define ALL_CARDS (((pyr_cardset)1 << PYR_CARDS) - 1)
#define CARD_BIT(card) ((pyr_cardset)1 << (card))

static unsigned everyone(const struct pyr_table *open)
{
    return (1u << open->seats) - 1;
}

/* Dealing and chance. */

void pyr_chance_draw(struct pyr_chance *chance, const struct pyr_box *box, unsigned seats, struct pyr_rng *rng)
{
    uint8_t cards[PYR_CARDS];
    for (unsigned i = 0; i < PYR_CARDS; i++)
        chance->deck[i] = cards[i] = (uint8_t)i;
    pyr_rng_choose(rng, cards, PYR_CARDS, seats * PYR_DEALT);
    for (unsigned i = 0; i < PYR_MAX_SEATS * PYR_DEALT; i++)
        (&chance->dealt[0][0])[i] = i < seats * PYR_DEALT ? cards[i] : PYR_NO_CARD;
    pyr_rng_shuffle(rng, chance->deck, PYR_CARDS);
    for (unsigned round = 0; round < PYR_ROUNDS; round++) {
        copy(chance->expedition[round], box->expedition, PYR_EXPEDITIONS);
        pyr_rng_shuffle(rng, chance->expedition[round], PYR_EXPEDITIONS);
    }
}

enum pyr_err pyr_chance_check(const struct pyr_chance *chance, const struct pyr_box *box, unsigned seats)
{
    if (seats < PYR_MIN_SEATS || seats > PYR_MAX_SEATS)
        return PYR_ERR_SEATS;
    pyr_cardset dealt = 0, deck = 0;
    for (unsigned i = 0; i < PYR_MAX_SEATS * PYR_DEALT; i++) {
        pyr_card card = chance->dealt[i / PYR_DEALT][i % PYR_DEALT];
        if (i >= seats * PYR_DEALT) {
            if (card != PYR_NO_CARD)
                return PYR_ERR_CHANCE_DEAL;
        } else if (card >= PYR_CARDS || dealt & CARD_BIT(card)) {
            return PYR_ERR_CHANCE_DEAL;
        } else {
            dealt |= CARD_BIT(card);
        }
    }
    for (unsigned i = 0; i < PYR_CARDS; i++) {
        if (chance->deck[i] >= PYR_CARDS || deck & CARD_BIT(chance->deck[i]))
            return PYR_ERR_CHANCE_DECK;
        deck |= CARD_BIT(chance->deck[i]);
    }
    for (unsigned round = 0; round < PYR_ROUNDS; round++) {
        unsigned copies[PYR_PATTERNS] = { 0 };
        for (unsigned i = 0; i < PYR_EXPEDITIONS; i++) {
            pyr_pattern pattern = chance->expedition[round][i];
            if (pattern >= PYR_PATTERNS || ++copies[pattern] > box->pattern[pattern].copies)
                return PYR_ERR_CHANCE_EXPEDITION;
        }
    }
    return PYR_OK;
}

/* Everything but the chance. */
static void lay_table(struct pyr_state *state, unsigned seats)
{
    struct pyr_table *open = &state->open;
    struct pyr_desk empty = { .card = { PYR_NO_CARD, PYR_NO_CARD } };
    __builtin_memset(open, 0, sizeof *open);
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        state->desk[s] = open->desk[s] = empty;
    open->deck = ALL_CARDS;
    open->seats = (uint8_t)seats;
    open->phase = PYR_KEEP;
    open->waiting = (uint8_t)everyone(open);
    fill(open->display, PYR_NO_CARD);
    fill(open->revealed, PYR_NO_PATTERN);
    fill(open->tile, PYR_NOBODY);
    fill(open->kept, PYR_NO_CARD);
    fill(open->fresh, PYR_NO_CARD);
    fill(open->order, PYR_NOBODY);
}

enum pyr_err pyr_state_init(struct pyr_state *state, const struct pyr_box *box, unsigned seats,
    const struct pyr_chance *chance)
{
    enum pyr_err err = pyr_chance_check(chance, box, seats);
    if (err)
        return err;
    state->hidden = *chance;
    lay_table(state, seats);
    return PYR_OK;
}

enum pyr_err pyr_state_deal(struct pyr_state *state, const struct pyr_box *box, unsigned seats, struct pyr_rng *rng)
{
    if (seats < PYR_MIN_SEATS || seats > PYR_MAX_SEATS)
        return PYR_ERR_SEATS;
    pyr_chance_draw(&state->hidden, box, seats, rng);
    lay_table(state, seats);
    return PYR_OK;
}

enum pyr_err pyr_state_supply_card(struct pyr_state *state, unsigned depth, pyr_card card)
{
    pyr_card *deck = state->hidden.deck;
    unsigned end, at;
    if (state->open.phase == PYR_KEEP) {
        at = depth;
        end = PYR_CARDS;
    } else {
        at = pyr_deck_top(state) + depth;
        end = pyr_deck_top(state) + state->open.deck_left;
    }
    for (unsigned i = at; i < end; i++) {
        if (deck[i] == card) {
            deck[i] = deck[at];
            deck[at] = card;
            return PYR_OK;
        }
    }
    return PYR_ERR_NOT_IN_DECK;
}

/* The number of cards revealed in the round that the next reveal belongs to. */
static unsigned next_turn(const struct pyr_table *open, unsigned *round)
{
    bool begun = open->revealed[0] != PYR_NO_PATTERN;
    *round = open->round + (unsigned)(begun && open->turn == PYR_TURNS - 1);
    return begun ? (open->turn + 1u) % PYR_TURNS : 0;
}

enum pyr_err pyr_state_supply_pattern(struct pyr_state *state, pyr_pattern pattern)
{
    if (state->open.phase != PYR_REVEAL)
        return PYR_ERR_PHASE;
    unsigned round, turn = next_turn(&state->open, &round);
    pyr_pattern *cards = state->hidden.expedition[round];
    for (unsigned i = turn; i < PYR_EXPEDITIONS; i++) {
        if (cards[i] == pattern) {
            cards[i] = cards[turn];
            cards[turn] = pattern;
            return PYR_OK;
        }
    }
    return PYR_ERR_NOT_IN_ROUND;
}

/* Desks. */

void pyr_desk_lay(const struct pyr_box *box, struct pyr_desk *desk, unsigned slot, pyr_card card)
{
    pyr_pair other = pyr_pair_of(!slot, PYR_ALL_SPACES);
    desk->card[slot] = card;
    desk->free = (desk->free & other) | pyr_pair_of(slot, box->card[card].open);
    desk->reach = (desk->reach & other) | pyr_pair_of(slot, box->card[card].entrance);
}

static void clear_slot(struct pyr_desk *desk, unsigned slot)
{
    pyr_pair other = pyr_pair_of(!slot, PYR_ALL_SPACES);
    desk->card[slot] = PYR_NO_CARD;
    desk->free &= other;
    desk->reach &= other;
}

pyr_spaces pyr_desk_marks(const struct pyr_box *box, const struct pyr_desk *desk, unsigned slot)
{
    if (desk->card[slot] == PYR_NO_CARD)
        return 0;
    return box->card[desk->card[slot]].open & ~pyr_pair_half(slot, desk->free);
}

/* Chance steps. */

unsigned pyr_state_show_count(const struct pyr_state *state)
{
    unsigned lacking = 0;
    if (state->open.phase != PYR_SHOW)
        return 0;
    for (unsigned i = 0; i < PYR_DISPLAY; i++)
        lacking += state->open.display[i] == PYR_NO_CARD;
    return lacking < state->open.deck_left ? lacking : state->open.deck_left;
}

static pyr_card turn_up(struct pyr_state *state)
{
    pyr_card card = state->hidden.deck[pyr_deck_top(state)];
    state->open.deck_left--;
    state->open.deck &= ~CARD_BIT(card);
    return card;
}

static void take_points(const struct pyr_box *box, struct pyr_table *open);

/* Action 4 and the end of the turn. */
static void end_turn(const struct pyr_box *box, struct pyr_state *state)
{
    struct pyr_table *open = &state->open;
    take_points(box, open);
    fill(open->order, PYR_NOBODY);
    open->place = open->owed = 0;
    open->waiting = 0;
    open->phase = open->turn == PYR_TURNS - 1 && open->round == PYR_ROUNDS - 1 ? PYR_END : PYR_REVEAL;
}

static bool is_anything_left(const struct pyr_table *open)
{
    if (open->deck_left)
        return true;
    for (unsigned i = 0; i < PYR_DISPLAY; i++)
        if (open->display[i] != PYR_NO_CARD)
            return true;
    return false;
}

/* Opens the slot of the next player who replaces (R12); without one, or with nothing left to take (Q7), the turn ends. */
static void next_to_replace(const struct pyr_box *box, struct pyr_state *state, unsigned place)
{
    struct pyr_table *open = &state->open;
    if (place == PYR_MAX_SEATS || open->order[place] == PYR_NOBODY || !is_anything_left(open)) {
        end_turn(box, state);
        return;
    }
    pyr_seat seat = open->order[place];
    open->phase = PYR_REPLACE;
    open->place = (uint8_t)place;
    open->owed = (uint8_t)(1 + (open->fresh[seat][1] != PYR_NO_CARD));
    open->waiting = (uint8_t)(1u << seat);
}

enum pyr_err pyr_state_show(const struct pyr_box *box, struct pyr_state *state)
{
    struct pyr_table *open = &state->open;
    if (open->phase != PYR_SHOW)
        return PYR_ERR_PHASE;
    for (unsigned i = 0; i < PYR_DISPLAY && open->deck_left; i++)
        if (open->display[i] == PYR_NO_CARD)
            open->display[i] = turn_up(state);
    if (open->order[0] == PYR_NOBODY)
        open->phase = PYR_REVEAL;            /* the first display of the game */
    else
        next_to_replace(box, state, open->place + 1u);
    return PYR_OK;
}

enum pyr_err pyr_state_reveal(const struct pyr_box *box, struct pyr_state *state)
{
    (void)box;
    struct pyr_table *open = &state->open;
    if (open->phase != PYR_REVEAL)
        return PYR_ERR_PHASE;
    unsigned round, turn = next_turn(open, &round);
    if (!turn)
        fill(open->revealed, PYR_NO_PATTERN);
    open->round = (uint8_t)round;
    open->turn = (uint8_t)turn;
    open->revealed[turn] = state->hidden.expedition[round][turn];
    fill(open->fresh, PYR_NO_CARD);
    open->phase = PYR_MARK;
    open->waiting = (uint8_t)everyone(open);
    for (unsigned s = 0; s < open->seats; s++) {
        open->desk[s].due = state->desk[s].due = 1;
        open->desk[s].flags = state->desk[s].flags = PYR_DESK_FIRST;
    }
    return PYR_OK;
}

void pyr_state_advance(const struct pyr_box *box, struct pyr_state *state)
{
    for (;;) {
        if (state->open.phase == PYR_REVEAL)
            pyr_state_reveal(box, state);
        else if (state->open.phase == PYR_SHOW)
            pyr_state_show(box, state);
        else
            return;
    }
}

/* Ends of phases. */

/* R4 is done: all see what was kept. R5: the rest is the deck, in the order that chance supplied. */
static void end_keeping(struct pyr_state *state)
{
    struct pyr_table *open = &state->open;
    pyr_cardset kept = 0;
    for (unsigned s = 0; s < open->seats; s++) {
        open->desk[s] = state->desk[s];
        copy(open->kept[s], state->desk[s].card, PYR_KEPT);
        kept |= CARD_BIT(state->desk[s].card[0]) | CARD_BIT(state->desk[s].card[1]);
    }
    unsigned left = 0;
    for (unsigned i = 0; i < PYR_CARDS; i++) {
        pyr_card card = state->hidden.deck[i];
        state->hidden.deck[left] = card;
        left += !(kept >> card & 1);
    }
    /* What is left beyond the deck's end must not tell one state from another. */
    memset(state->hidden.deck + left, PYR_NO_CARD, PYR_CARDS - left);
    open->deck = ALL_CARDS & ~kept;
    open->deck_left = (uint8_t)left;
    open->phase = PYR_SHOW;
}

/* Sets a player's completed cards aside (R12). */
static void set_aside(struct pyr_table *open, struct pyr_desk *desk, pyr_seat seat)
{
    unsigned count = 0;
    for (unsigned slot = 0; slot < PYR_KEPT; slot++) {
        if (!(desk->flags & PYR_DESK_TOMB(slot)))
            continue;
        open->fresh[seat][count++] = desk->card[slot];
        desk->done |= CARD_BIT(desk->card[slot]);
        clear_slot(desk, slot);
    }
    if (count == 2 && open->fresh[seat][1] < open->fresh[seat][0]) {
        pyr_card higher = open->fresh[seat][0];
        open->fresh[seat][0] = open->fresh[seat][1];
        open->fresh[seat][1] = higher;
    }
    desk->flags = 0;
}

/* All have marked: everyone sees it, and the order of replacing is that of the lowest completed number (R12, Q4). */
void state_end_marking(const struct pyr_box *box, struct pyr_state *state)
{
    struct pyr_table *open = &state->open;
    unsigned completers = 0, tombs = 0;
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++) {
        tombs |= state->desk[s].flags;
        open->desk[s] = state->desk[s];
    }
    if (!(tombs & PYR_DESK_TOMBS)) {
        open->phase = open->turn == PYR_TURNS - 1 && open->round == PYR_ROUNDS - 1 ? PYR_END : PYR_REVEAL;
        return;
    }
    for (unsigned s = 0; s < open->seats; s++) {
        if (!(state->desk[s].flags & PYR_DESK_TOMBS))
            continue;
        set_aside(open, &state->desk[s], (pyr_seat)s);
        open->desk[s] = state->desk[s];
        unsigned place = completers++;
        for (; place && open->fresh[open->order[place - 1]][0] > open->fresh[s][0]; place--)
            open->order[place] = open->order[place - 1];
        open->order[place] = (pyr_seat)s;
    }
    next_to_replace(box, state, 0);
}

/* R14 for one colour: the claims of this turn, lowest number first, take the highest free tiles. */
static void take_tiles(struct pyr_table *open, unsigned colour, const pyr_card *number, unsigned claims)
{
    for (unsigned place = 0; place < PYR_TILES && claims; place++) {
        if (open->tile[colour][place] != PYR_NOBODY)
            continue;
        unsigned first = bits_first(claims);
        for (unsigned s = first + 1; s < open->seats; s++)
            if (claims >> s & 1 && number[s] < number[first])
                first = s;
        open->tile[colour][place] = (pyr_seat)first;
        claims &= ~(1u << first);
    }
}

/* R14: who has just completed the 2nd, 4th or 6th pyramid of a colour has a claim to its points; with two of the colour
 * the lower number counts (Q6), which stands first in fresh. */
static void take_points(const struct pyr_box *box, struct pyr_table *open)
{
    unsigned claims[PYR_COLOURS] = { 0 };
    pyr_card number[PYR_COLOURS][PYR_MAX_SEATS];
    for (unsigned place = 0; place < PYR_MAX_SEATS && open->order[place] != PYR_NOBODY; place++) {
        pyr_seat seat = open->order[place];
        pyr_card low = open->fresh[seat][0], high = open->fresh[seat][1];
        unsigned colour = box->card[low].colour, fresh = 1;
        if (high != PYR_NO_CARD && box->card[high].colour == colour)
            fresh = 2, high = PYR_NO_CARD;
        for (;;) {
            unsigned after = bits_count(open->desk[seat].done & box->colour[colour]), before = after - fresh;
            if (before < 6 && after / 2 > before / 2) {
                claims[colour] |= 1u << seat;
                number[colour][seat] = low;
            }
            if (high == PYR_NO_CARD)
                break;
            low = high, high = PYR_NO_CARD;
            colour = box->card[low].colour, fresh = 1;
        }
    }
    for (unsigned colour = 0; colour < PYR_COLOURS; colour++)
        if (claims[colour])
            take_tiles(open, colour, number[colour], claims[colour]);
}

/* Steps other than marks. */

static void add_step(struct pyr_steps *steps, pyr_step step)
{
    steps->set[steps->count++] = step;
}

/* From what a seat sees, so that a state and a view answer alike. */
void state_other_steps(const struct pyr_box *box, const struct pyr_table *open, const struct pyr_desk *mine,
    const pyr_card *dealt, pyr_seat seat, struct pyr_steps *steps)
{
    steps->count = 0;
    steps->pattern = PYR_NO_PATTERN;
    if (seat >= open->seats || !(open->waiting >> seat & 1))
        return;
    if (open->phase == PYR_KEEP) {
        for (unsigned i = 0; i < PYR_DEALT; i++)
            for (unsigned j = i + 1; j < PYR_DEALT; j++)
                add_step(steps, pyr_step_keep(dealt[i], dealt[j]));
    } else if (open->phase == PYR_REPLACE) {
        for (unsigned i = 0; i < PYR_DISPLAY; i++)
            if (open->display[i] != PYR_NO_CARD)
                add_step(steps, pyr_step_take(open->display[i]));
        if (open->deck_left)
            add_step(steps, pyr_step_draw());
    } else if (open->phase == PYR_MARK) {
        HOT(api_desk_steps, box, mine, open->revealed[open->turn], steps);
    }
}

static bool was_dealt(const pyr_card *dealt, pyr_card card)
{
    return dealt[0] == card || dealt[1] == card || dealt[2] == card || dealt[3] == card;
}

enum pyr_err pyr_desk_judge(const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern, pyr_step mark)
{
    const pyr_pair grid = pyr_pair_of(0, PYR_ALL_SPACES) | pyr_pair_of(1, PYR_ALL_SPACES);
    bool first = desk->flags & PYR_DESK_FIRST;
    if (!desk->due)
        return PYR_ERR_NOT_DUE;
    if (mark == pyr_step_pass())
        return first && !desk->reach ? PYR_OK : PYR_ERR_MUST_MARK;
    if (first && !desk->reach)
        return PYR_ERR_MUST_PASS;
    if (hot_mark_is_legal(box, desk, pattern, mark))
        return PYR_OK;
    /* Illegal: the rest only finds the reason that helps most. */
    unsigned slot = pyr_step_slot(mark);
    if (!mark || mark & ~grid || mark & ~pyr_pair_of(slot, PYR_ALL_SPACES))
        return PYR_ERR_STEP;
    if (desk->card[slot] == PYR_NO_CARD)
        return PYR_ERR_NOT_ON_DESK;
    pyr_spaces spaces = pyr_step_spaces(mark), open_spaces = box->card[desk->card[slot]].open;
    if (spaces & ~open_spaces)
        return PYR_ERR_WALL;
    if (mark & ~desk->free)
        return PYR_ERR_MARKED;
    bool single = !(mark & (mark - 1));
    if (!first && !single)
        return PYR_ERR_EXTRA_ONE;
    if (!single && !hot_is_turn(&box->pattern[pattern], mark >> bits_first(mark)))
        return PYR_ERR_NOT_PATTERN;
    return pyr_pair_half(slot, desk->free) == open_spaces ? PYR_ERR_NO_ENTRANCE : PYR_ERR_NO_TOUCH;
}

enum pyr_err pyr_step_judge(const struct pyr_box *box, const struct pyr_state *state, pyr_seat seat, pyr_step step)
{
    const struct pyr_table *open = &state->open;
    enum pyr_step_kind kind = pyr_step_kind(step);
    static const uint8_t phase_of[] = { PYR_MARK, PYR_KEEP, PYR_REPLACE, PYR_REPLACE, PYR_MARK };
    if (seat >= open->seats)
        return PYR_ERR_NOT_DUE;
    if (open->phase != phase_of[kind])
        return PYR_ERR_PHASE;
    if (!(open->waiting >> seat & 1))
        return PYR_ERR_NOT_DUE;
    pyr_card card = pyr_step_card(step), second = pyr_step_second(step);
    switch (kind) {
    case PYR_STEP_PASS:
        if (step != pyr_step_pass())
            return PYR_ERR_STEP;
        break;
    case PYR_STEP_KEEP:
        if (step != pyr_step_other(kind, card, second) || card >= PYR_CARDS || second >= PYR_CARDS)
            return PYR_ERR_STEP;
        if (card == second || !was_dealt(state->hidden.dealt[seat], card) ||
            !was_dealt(state->hidden.dealt[seat], second))
            return PYR_ERR_NOT_DEALT;
        return PYR_OK;
    case PYR_STEP_TAKE:
        if (step != pyr_step_take(card) || card >= PYR_CARDS)
            return PYR_ERR_STEP;
        for (unsigned i = 0; i < PYR_DISPLAY; i++)
            if (open->display[i] == card)
                return PYR_OK;
        return PYR_ERR_NOT_IN_DISPLAY;
    case PYR_STEP_DRAW:
        return step != pyr_step_draw() ? PYR_ERR_STEP : open->deck_left ? PYR_OK : PYR_ERR_DECK_EMPTY;
    case PYR_STEP_MARK:
        break;
    }
    return pyr_desk_judge(box, &state->desk[seat], open->revealed[open->turn], step);
}

static void make_keep(const struct pyr_box *box, struct pyr_state *state, pyr_seat seat, pyr_step step)
{
    pyr_desk_lay(box, &state->desk[seat], 0, pyr_step_card(step));
    pyr_desk_lay(box, &state->desk[seat], 1, pyr_step_second(step));
    state->open.waiting &= (uint8_t)~(1u << seat);
    if (!state->open.waiting)
        end_keeping(state);
}

static void make_replace(const struct pyr_box *box, struct pyr_state *state, pyr_seat seat, pyr_step step)
{
    struct pyr_table *open = &state->open;
    struct pyr_desk *desk = &state->desk[seat];
    pyr_card card;
    bool gap = false;
    if (pyr_step_kind(step) == PYR_STEP_TAKE) {
        card = pyr_step_card(step);
        for (unsigned i = 0; i < PYR_DISPLAY; i++)
            if (open->display[i] == card)
                open->display[i] = PYR_NO_CARD;
    } else {
        card = turn_up(state);
    }
    pyr_desk_lay(box, desk, desk->card[0] == PYR_NO_CARD ? 0 : 1, card);
    open->desk[seat] = *desk;
    open->owed--;
    if (open->owed && is_anything_left(open))
        return;
    open->owed = 0;
    for (unsigned i = 0; i < PYR_DISPLAY; i++)
        gap |= open->display[i] == PYR_NO_CARD;
    if (gap && open->deck_left) {
        open->phase = PYR_SHOW;
        open->waiting = 0;
    } else {
        next_to_replace(box, state, open->place + 1u);
    }
}

void state_other_make(const struct pyr_box *box, struct pyr_state *state, pyr_seat seat, pyr_step step)
{
    switch (pyr_step_kind(step)) {
    case PYR_STEP_PASS:
        state->desk[seat].due = 0;
        state->desk[seat].flags = 0;
        state->open.waiting &= (uint8_t)~(1u << seat);
        if (!state->open.waiting)
            state_end_marking(box, state);
        break;
    case PYR_STEP_KEEP:
        make_keep(box, state, seat, step);
        break;
    case PYR_STEP_TAKE:
    case PYR_STEP_DRAW:
        make_replace(box, state, seat, step);
        break;
    case PYR_STEP_MARK:
        break;                               /* hot.h makes these */
    }
}
