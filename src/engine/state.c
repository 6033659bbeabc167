/*
 * state.c: dealing, chance from outside, why a step is illegal, and the public functions for the phases of a game
 * (phases.h). Marks are in marks.h, what desks are worth in score.c.
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
#include "phases.h"
#include "hot_api.h"
#include "port.h"
#include "shuffle.h"

/* Dealing and chance. */

_Static_assert(PYR_DEALT == SHUFFLE_BATCH && PYR_EXPEDITIONS == SHUFFLE_REST, "a batch is a deal, a rest is a round");

void pyr_chance_draw(struct pyr_chance *chance, const struct pyr_box *box, unsigned seats, struct pyr_rng *rng)
{
    struct pyr_rng draw = *rng;              /* a copy, so that the compiler knows that writing bytes does not change it */
    uint8_t cards[PYR_CARDS];
    for (unsigned i = 0; i < PYR_CARDS; i++)
        cards[i] = (uint8_t)i;
    copy(chance->deck, cards, PYR_CARDS);
    fill(chance->dealt, PYR_NO_CARD);
    for (unsigned s = 0; s < seats; s++) {
        shuffle_batch(&draw, cards + s * PYR_DEALT, PYR_CARDS - s * PYR_DEALT);
        copy(chance->dealt[s], cards + s * PYR_DEALT, PYR_DEALT);
    }
    /* Not a loop: known bounds need fewer instructions. */
#define BATCH(from) shuffle_batch(&draw, chance->deck + (from), PYR_CARDS - (from))
    BATCH(0), BATCH(4), BATCH(8), BATCH(12), BATCH(16), BATCH(20), BATCH(24), BATCH(28), BATCH(32), BATCH(36);
#undef BATCH
    _Static_assert(PYR_CARDS == 10 * SHUFFLE_BATCH + SHUFFLE_REST, "the batches leave the rest");
    shuffle_rest(&draw, chance->deck + PYR_CARDS - SHUFFLE_REST, SHUFFLE_REST);
    for (unsigned round = 0; round < PYR_ROUNDS; round++) {
        copy(chance->expedition[round], box->expedition, PYR_EXPEDITIONS);
        shuffle_rest(&draw, chance->expedition[round], PYR_EXPEDITIONS);
    }
    *rng = draw;
}

enum pyr_err pyr_chance_check(const struct pyr_chance *chance, const struct pyr_box *box, unsigned seats)
{
    if (!pyr_options_has_seats(&pyr_rulebook, seats))
        return PYR_ERR_SEATS;
    pyr_cardset dealt = 0, deck = 0;
    for (unsigned i = 0; i < PYR_MAX_SEATS * PYR_DEALT; i++) {
        pyr_card card = chance->dealt[i / PYR_DEALT][i % PYR_DEALT];
        if (i >= seats * PYR_DEALT) {
            if (card != PYR_NO_CARD)
                return PYR_ERR_CHANCE_DEAL;
        } else if (card >= PYR_CARDS || dealt & PYR_CARD_BIT(card)) {
            return PYR_ERR_CHANCE_DEAL;
        } else {
            dealt |= PYR_CARD_BIT(card);
        }
    }
    for (unsigned i = 0; i < PYR_CARDS; i++) {
        if (chance->deck[i] >= PYR_CARDS || deck & PYR_CARD_BIT(chance->deck[i]))
            return PYR_ERR_CHANCE_DECK;
        deck |= PYR_CARD_BIT(chance->deck[i]);
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
    open->waiting = (uint8_t)phase_everyone(open);
    fill(open->display, PYR_NO_CARD);
    fill(open->revealed, PYR_NO_PATTERN);
    fill(open->tile, PYR_NOBODY);
    fill(open->kept, PYR_NO_CARD);
    fill(open->completed, PYR_NO_CARD);
    fill(open->replace_order, PYR_NOBODY);
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
    if (!pyr_options_has_seats(&pyr_rulebook, seats))
        return PYR_ERR_SEATS;
    pyr_chance_draw(&state->hidden, box, seats, rng);
    lay_table(state, seats);
    return PYR_OK;
}

/* Swaps two cards, so that the deck stays an order of the same cards. While cards are being kept, the deck has all 48. */
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

enum pyr_err pyr_state_supply_pattern(struct pyr_state *state, pyr_pattern pattern)
{
    if (state->open.phase != PYR_REVEAL)
        return PYR_ERR_PHASE;
    unsigned round, turn = phase_next_turn(&state->open, &round);
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

void pyr_desk_lay(struct pyr_desk *desk, const struct pyr_box *box, unsigned slot, pyr_card card)
{
    phase_clear_slot(desk, slot);
    phase_lay(box, desk, slot, card);
}

pyr_spaces pyr_desk_marks(const struct pyr_desk *desk, const struct pyr_box *box, unsigned slot)
{
    if (desk->card[slot] == PYR_NO_CARD)
        return 0;
    return box->card[desk->card[slot]].open & ~pyr_pair_half(slot, desk->free);
}

/* Chance steps. */

unsigned pyr_state_show_count(const struct pyr_state *state)
{
    if (state->open.phase != PYR_SHOW)
        return 0;
    unsigned lacking = bits_count(phase_gaps(&state->open));
    return lacking < state->open.deck_left ? lacking : state->open.deck_left;
}

enum pyr_err pyr_state_show(struct pyr_state *state, const struct pyr_box *box)
{
    if (state->open.phase != PYR_SHOW)
        return PYR_ERR_PHASE;
    phase_show(box, state);
    return PYR_OK;
}

enum pyr_err pyr_state_reveal(struct pyr_state *state, const struct pyr_box *box)
{
    (void)box;
    if (state->open.phase != PYR_REVEAL)
        return PYR_ERR_PHASE;
    phase_reveal(state);
    return PYR_OK;
}

void pyr_state_advance(struct pyr_state *state, const struct pyr_box *box)
{
    phase_advance(box, state);
}

/* Legality. */

static bool was_dealt(const pyr_card *dealt, pyr_card card)
{
    return dealt[0] == card || dealt[1] == card || dealt[2] == card || dealt[3] == card;
}

/* The fast check first: most steps are legal. */
enum pyr_err pyr_desk_check_mark(const struct pyr_desk *desk, const struct pyr_box *box, pyr_pattern pattern, pyr_step mark)
{
    const pyr_pair grid = pyr_pair_of(0, PYR_ALL_SPACES) | pyr_pair_of(1, PYR_ALL_SPACES);
    bool first = desk->flags & PYR_DESK_FIRST;
    if (!desk->due)
        return PYR_ERR_NOT_DUE;
    if (mark == pyr_step_pass())
        return first && !desk->reach ? PYR_OK : PYR_ERR_MUST_MARK;
    if (first && !desk->reach)
        return PYR_ERR_MUST_PASS;
    if (marks_is_legal(box, desk, pattern, mark))
        return PYR_OK;
    /* It is illegal: the rest only finds the most helpful reason. */
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
    if (!single && !marks_is_turn(&box->pattern[pattern], mark >> bits_first(mark)))
        return PYR_ERR_NOT_PATTERN;
    return pyr_pair_half(slot, desk->free) == open_spaces ? PYR_ERR_NO_ENTRANCE : PYR_ERR_NO_TOUCH;
}

/* A step has only one encoding (pyr_step_encode), so comparing it with the encoding of its parts finds stray bits from
 * outside. */
enum pyr_err pyr_state_check_step(const struct pyr_state *state, const struct pyr_box *box, pyr_seat seat, pyr_step step)
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
        if (step != pyr_step_encode(kind, card, second) || card > second || second >= PYR_CARDS)
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
    return pyr_desk_check_mark(&state->desk[seat], box, open->revealed[open->turn], step);
}
