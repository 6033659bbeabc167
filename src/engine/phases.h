/*
 * phases.h: the course of a game between the marks: turning up, keeping, replacing cards, pyramid points, and what ends a
 * phase. Inline, so that playouts are compiled as one piece (hot_api.inc); state.c is its public face.
 *
 * A turn runs through the phases like this (enum pyr_phase in state.h):
 *
 *   KEEP -> SHOW -> REVEAL -> MARK -> (REPLACE -> SHOW?)* -> REVEAL ... -> END
 *
 * MARK ends when all have chosen: phase_end_marking. If a tomb was marked, the players concerned replace cards one
 * after the other in replace_order, with a SHOW after each who left gaps that the deck can fill. Then come the pyramid
 * points (phase_take_points), and the next reveal.
 *
 * Everything here trusts its input: steps are legal, the state is sound. Names that begin with phase_ are internal.
 */
#ifndef PYR_PHASES_H
#define PYR_PHASES_H

#include <pyramids/state.h>

#include "bits.h"
#include "port.h"

#define ALL_CARDS (PYR_CARD_BIT(PYR_CARDS) - 1)

/* As bits of `waiting`. */
static inline unsigned phase_everyone(const struct pyr_table *open)
{
    return (1u << open->seats) - 1;
}

/* Desks. */

/* Lays a card into an empty slot. */
static inline void phase_lay(const struct pyr_box *box, struct pyr_desk *desk, unsigned slot, pyr_card card)
{
    const struct pyr_card_face *face = &box->card[card];
    unsigned shift = slot * PYR_PAIR_SHIFT;
    desk->free |= (pyr_pair)face->open << shift;
    desk->reach |= (pyr_pair)face->entrance << shift;
    desk->card[slot] = card;
}

/* Only the other slot's half of the pair stays. */
static inline void phase_clear_slot(struct pyr_desk *desk, unsigned slot)
{
    pyr_pair others = pyr_pair_of(!slot, PYR_ALL_SPACES);
    desk->card[slot] = PYR_NO_CARD;
    desk->free &= others;
    desk->reach &= others;
}

/* Display and deck. */

/* The empty places of the display: bit 8 * i + 7 for place i, the one bit in which PYR_NO_CARD differs from all cards. */
#define ALL_GAPS 0x80808080u

/* All places of the display in one word, the first one lowest. */
static inline uint32_t phase_display(const struct pyr_table *open)
{
    uint32_t places;
    copy(&places, open->display, sizeof places);
    return places;
}

static inline uint32_t phase_gaps(const struct pyr_table *open)
{
    return phase_display(open) & ALL_GAPS;
}

/* The first place of a set that has one bit per place, as the number of its lowest bit. */
static inline unsigned phase_first_place(uint32_t set)
{
    return bits_first(set) & 24;
}

/* To take: a card in the deck or in the display (Q7). */
static inline bool phase_is_anything_left(const struct pyr_table *open)
{
    return open->deck_left || phase_gaps(open) != ALL_GAPS;
}

/* The top of the deck. deck_left counts down, which moves the top (pyr_deck_top). */
static inline pyr_card phase_turn_up(struct pyr_state *state)
{
    pyr_card card = state->hidden.deck[pyr_deck_top(state)];
    state->open.deck_left--;
    state->open.deck &= ~PYR_CARD_BIT(card);
    return card;
}

/* The end of a turn. */

/* The highest one left; the tiles of a colour are in the order 10, 6, 3. Nothing if all are taken. */
static inline void phase_take_tile(pyr_seat *tile, pyr_seat seat)
{
    for (unsigned place = 0; place < PYR_TILES; place++) {
        if (tile[place] == PYR_NOBODY) {
            tile[place] = seat;
            return;
        }
    }
}

/* Points when someone has completed two. By going through this turn's pyramids from the lowest number on, claims come in
 * the order of R14; of two of one colour the lower number counts (Q6). */
OUT_OF_LINE void phase_take_points_by_card(const struct pyr_box *box, struct pyr_table *open)
{
    pyr_cardset fresh = 0;
    for (unsigned place = 0; place < PYR_MAX_SEATS && open->replace_order[place] != PYR_NOBODY; place++) {
        const pyr_card *cards = open->completed[open->replace_order[place]];
        fresh |= PYR_CARD_BIT(cards[0]);
        if (cards[1] != PYR_NO_CARD)
            fresh |= PYR_CARD_BIT(cards[1]);
    }
    for (pyr_cardset left = fresh; left; left &= left - 1) {
        unsigned card = bits_first(left), colour = box->card[card].colour;
        pyr_seat seat = 0;
        while (!(open->desk[seat].done >> card & 1))
            seat++;
        pyr_cardset own = open->desk[seat].done & box->colour[colour], now = own & fresh;
        unsigned after = bits_count(own), before = after - (now & (now - 1) ? 2 : 1);
        if (pyr_options_claims_between(pyr_table_options(open), before, after) && (now & -now) == PYR_CARD_BIT(card))
            phase_take_tile(open->tile[colour], seat);
    }
}

/* R14: who has just completed the 2nd, 4th or 6th pyramid of a colour takes its highest points that are left. While each
 * has completed one, the order of replacing is that of claims. */
static inline void phase_take_points(const struct pyr_box *box, struct pyr_table *open)
{
    /* completed[] is four pairs of cards: the second of a seat that completed one only is PYR_NO_CARD, all ones. */
    const uint64_t seconds = UINT64_C(0xff00ff00ff00ff00);
    uint64_t fresh;
    copy(&fresh, open->completed, sizeof fresh);
    if (~fresh & seconds) {
        phase_take_points_by_card(box, open);
        return;
    }
    unsigned place = 0;
    do {
        pyr_seat seat = open->replace_order[place];
        unsigned colour = box->card[open->completed[seat][0]].colour;
        unsigned count = bits_count(open->desk[seat].done & box->colour[colour]);
        if (pyr_options_is_claim(pyr_table_options(open), count))
            phase_take_tile(open->tile[colour], seat);
    } while (++place < PYR_MAX_SEATS && open->replace_order[place] != PYR_NOBODY);
}

/* Literals instead of the options: only then gcc compares both bytes at once, which saves 10 instructions per random game.
 * */
static inline void phase_next(struct pyr_table *open)
{
    open->phase = open->turn == PYR_TURNS - 1 && open->round == PYR_ROUNDS - 1 ? PYR_END : PYR_REVEAL;
}

/* One player replaces at a time; the others wait. */
static inline void phase_open_slot(struct pyr_table *open, unsigned place)
{
    pyr_seat seat = open->replace_order[place];
    open->phase = PYR_REPLACE;
    open->replacing = (uint8_t)place;
    open->cards_owed = (uint8_t)(1 + (open->completed[seat][1] != PYR_NO_CARD));
    open->waiting = (uint8_t)(1u << seat);
}

/* Opens the slot of the next player who replaces (R12); without one, or with nothing left to take (Q7), action 4 follows
 * and the turn ends. */
static inline void phase_next_to_replace(const struct pyr_box *box, struct pyr_state *state, unsigned place)
{
    struct pyr_table *open = &state->open;
    if (place < PYR_MAX_SEATS && open->replace_order[place] != PYR_NOBODY && phase_is_anything_left(open)) {
        phase_open_slot(open, place);
        return;
    }
    phase_take_points(box, open);
    fill(open->replace_order, PYR_NOBODY);
    open->replacing = open->cards_owed = 0;
    open->waiting = 0;
    phase_next(open);
}

/* Chance. */

/* In registers, for it is called several times in every game. An empty place is PYR_NO_CARD, so XOR with (PYR_NO_CARD ^
 * card) turns it into the card. */
static inline void phase_show(const struct pyr_box *box, struct pyr_state *state)
{
    struct pyr_table *open = &state->open;
    uint32_t places = phase_display(open), gaps = places & ALL_GAPS;
    const pyr_card *top = state->hidden.deck + pyr_deck_top(state);
    unsigned left = open->deck_left;
    pyr_cardset deck = open->deck;
    for (; gaps && left; gaps &= gaps - 1, left--) {
        pyr_card card = *top++;
        places ^= (uint32_t)(PYR_NO_CARD ^ card) << phase_first_place(gaps);
        deck &= ~PYR_CARD_BIT(card);
    }
    copy(open->display, &places, sizeof places);
    open->deck = deck;
    open->deck_left = (uint8_t)left;
    if (open->replace_order[0] == PYR_NOBODY)
        open->phase = PYR_REVEAL;            /* the first display of the game */
    else
        phase_next_to_replace(box, state, open->replacing + 1u);
}

/* Whether the next reveal belongs to the round of the last one: it is not the first of the game or of a round. */
static inline bool phase_stays_in_round(const struct pyr_table *open)
{
    return open->turn < pyr_table_options(open)->turns - 1 && open->revealed[0] != PYR_NO_PATTERN;
}

/* The number of cards revealed in the round that the next reveal belongs to. */
static inline unsigned phase_next_turn(const struct pyr_table *open, unsigned *round)
{
    *round = open->round + (open->turn == pyr_table_options(open)->turns - 1 ? 1u : 0u);
    return phase_stays_in_round(open) ? open->turn + 1u : 0;
}

/* Flags and due of a desk that is to make its first mark, as the two bytes lie in memory. */
#define DUE_FIRST ((uint16_t)(1u << 8 | PYR_DESK_FIRST))

static inline void phase_ask_first(struct pyr_state *state, unsigned seat)
{
    const uint16_t due = DUE_FIRST;
    copy(&state->desk[seat].flags, &due, sizeof due);
    copy(&state->open.desk[seat].flags, &due, sizeof due);
}

/* Reveals the next expedition card, without asking any player for marks. Returns its pattern. */
static inline pyr_pattern phase_turn_card(struct pyr_state *state)
{
    struct pyr_table *open = &state->open;
    unsigned round = open->round, turn = open->turn + 1u;
    if (__builtin_expect(!phase_stays_in_round(open), 0)) {
        turn = phase_next_turn(open, &round);
        fill(open->revealed, PYR_NO_PATTERN);
        open->round = (uint8_t)round;
    }
    pyr_pattern pattern = state->hidden.expedition[round][turn];
    open->turn = (uint8_t)turn;
    open->revealed[turn] = pattern;
    fill(open->completed, PYR_NO_CARD);
    open->phase = PYR_MARK;
    return pattern;
}

static inline void phase_reveal(struct pyr_state *state)
{
    unsigned seats = state->open.seats;
    phase_turn_card(state);
    state->open.waiting = (uint8_t)((1u << seats) - 1);
    /* Not a loop: most games have four seats. */
    phase_ask_first(state, 0);
    phase_ask_first(state, 1);
    if (seats > 2)
        phase_ask_first(state, 2);
    if (seats > 3)
        phase_ask_first(state, 3);
}

static inline void phase_advance(const struct pyr_box *box, struct pyr_state *state)
{
    while (state->open.phase == PYR_SHOW)
        phase_show(box, state);
    if (state->open.phase == PYR_REVEAL)
        phase_reveal(state);
}

/* Keeping. */

/* Moves the cards of a set to the front of the deck, in their order; what is left behind them does not matter. */
static inline void phase_pack_deck(pyr_card *deck, pyr_cardset set)
{
#ifdef PYR_FAST_BITS
    /* A card's bit is in byte card / 8 of the set: both are looked up for many cards at once, then eight are packed at a
     * time. Writing never gets ahead of reading. */
    const __m256i sets = _mm256_set1_epi64x((long long)set), bits = _mm256_set1_epi64x((long long)0x8040201008040201);
    union {
        __m256i each[2];
        uint64_t word[8];
    } cards, is_in;
    _Static_assert(PYR_CARDS == 48, "one vector and a half");
    cards.each[0] = _mm256_loadu_si256((const __m256i *)deck);
    cards.each[1] = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(deck + 32)));
    for (unsigned half = 0; half < 2; half++) {
        __m256i in_set = _mm256_and_si256(_mm256_srli_epi16(cards.each[half], 3), _mm256_set1_epi8(7));
        __m256i bit = _mm256_shuffle_epi8(bits, cards.each[half]);
        is_in.each[half] = _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(sets, in_set), bit), bit);
    }
    for (unsigned i = 0; i < PYR_CARDS / 8; i++) {
        uint64_t packed = _pext_u64(cards.word[i], is_in.word[i]);
        copy(deck, &packed, sizeof packed);
        deck += bits_count(is_in.word[i]) / 8;
    }
#else
    pyr_card *to = deck;
    for (unsigned i = 0; i < PYR_CARDS; i++) {
        pyr_card card = deck[i];
        *to = card;
        to += set >> card & 1;
    }
#endif
}

/* R4 is done: all see what was kept. R5: the rest is the deck, in the order that chance supplied. */
static inline void phase_end_keeping(struct pyr_state *state)
{
    struct pyr_table *open = &state->open;
    unsigned seats = open->seats;
    pyr_cardset rest = ALL_CARDS;
    for (unsigned s = 0; s < seats; s++) {
        const pyr_card *card = state->desk[s].card;
        rest &= ~(PYR_CARD_BIT(card[0]) | PYR_CARD_BIT(card[1]));
        copy(open->kept[s], card, PYR_KEPT);
        open->desk[s] = state->desk[s];
    }
    phase_pack_deck(state->hidden.deck, rest);
    /* The up to eight cards left beyond the deck's end must not make equal states differ. */
    _Static_assert(PYR_KEPT * PYR_MAX_SEATS == sizeof(uint64_t), "a word is all that can be left");
    uint64_t end;
    copy(&end, state->hidden.deck + PYR_CARDS - sizeof end, sizeof end);
    end |= ~UINT64_C(0) << (64 - 8 * PYR_KEPT * seats);
    copy(state->hidden.deck + PYR_CARDS - sizeof end, &end, sizeof end);
    open->deck = rest;
    open->deck_left = (uint8_t)(PYR_CARDS - PYR_KEPT * seats);
    open->phase = PYR_SHOW;
}

/* The cards lie on the hidden desk until all have kept. */
static inline void phase_make_keep(const struct pyr_box *box, struct pyr_state *state, pyr_seat seat, pyr_step step)
{
    phase_lay(box, &state->desk[seat], 0, pyr_step_card(step));
    phase_lay(box, &state->desk[seat], 1, pyr_step_second(step));
    state->open.waiting &= (uint8_t)~(1u << seat);
    if (!state->open.waiting)
        phase_end_keeping(state);
}

/* Replacing. */

/* The order of replacing is that of the lowest completed number (R12, Q4). */
OUT_OF_LINE void phase_order(struct pyr_table *open)
{
    unsigned completers = 0;
    for (unsigned s = 0; s < open->seats; s++) {
        if (open->completed[s][0] == PYR_NO_CARD)
            continue;
        unsigned place = completers++;
        for (; place && open->completed[open->replace_order[place - 1]][0] > open->completed[s][0]; place--)
            open->replace_order[place] = open->replace_order[place - 1];
        open->replace_order[place] = (pyr_seat)s;
    }
}

/* Sets a completed card aside (R12). */
static inline pyr_card phase_set_aside(struct pyr_state *state, unsigned seat, unsigned slot)
{
    struct pyr_desk *desk = &state->desk[seat];
    pyr_card card = desk->card[slot];
    desk->done |= PYR_CARD_BIT(card);
    phase_clear_slot(desk, slot);
    desk->flags = 0;
    state->open.desk[seat] = *desk;
    return card;
}

/* Sets more cards aside (bit 2 * seat + slot) than one. */
OUT_OF_LINE void phase_begin_with_more(const struct pyr_box *box, struct pyr_state *state, unsigned tombs)
{
    struct pyr_table *open = &state->open;
    for (; tombs; tombs &= tombs - 1) {
        unsigned tomb = bits_first(tombs);
        pyr_card *fresh = open->completed[tomb / 2], card = phase_set_aside(state, tomb / 2, tomb % 2);
        fresh[1] = card < fresh[0] ? fresh[0] : card;
        fresh[0] = card < fresh[0] ? card : fresh[0];
    }
    phase_order(open);
    phase_next_to_replace(box, state, 0);
}

/* Someone has marked a tomb, most often one alone, while there is a deck. */
OUT_OF_LINE void phase_begin_replacing(const struct pyr_box *box, struct pyr_state *state)
{
    struct pyr_table *open = &state->open;
    unsigned tombs = 0;                      /* bit 2 * seat + slot; by now, flags have nothing else */
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        tombs |= (unsigned)state->desk[s].flags << 2 * s;
    unsigned first = bits_first(tombs), more = tombs & (tombs - 1);
    open->completed[first / 2][0] = phase_set_aside(state, first / 2, first % 2);
    open->replace_order[0] = (pyr_seat)(first / 2);
    if (more || !open->deck_left)
        phase_begin_with_more(box, state, more);
    else
        phase_open_slot(open, 0);
}

/* Everyone sees the desks as they are. */
static inline void phase_open_desks(struct pyr_state *state)
{
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        state->open.desk[s] = state->desk[s];
}

/* Whether someone has marked a tomb. */
static inline bool phase_has_tombs(const struct pyr_state *state)
{
    unsigned flags = 0;
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        flags |= state->desk[s].flags;
    return flags & PYR_DESK_TOMBS;
}

/* All have marked: everyone sees it. */
static inline void phase_end_marking(const struct pyr_box *box, struct pyr_state *state)
{
    struct pyr_table *open = &state->open;
    phase_open_desks(state);
    if (phase_has_tombs(state))
        phase_begin_replacing(box, state);
    else
        phase_next(open);
}

/* A card goes into the first empty slot. When the player is done, the display is filled up (R12) before the next one
 * replaces. */
static inline void phase_make_replace(const struct pyr_box *box, struct pyr_state *state, pyr_seat seat, pyr_step step)
{
    struct pyr_table *open = &state->open;
    struct pyr_desk *desk = &state->desk[seat];
    pyr_card card;
    if (pyr_step_kind(step) == PYR_STEP_TAKE) {
        card = pyr_step_card(step);
        /* The haszero trick: the lowest zero byte of `differ` is the place of the card. */
        uint32_t places = phase_display(open), differ = places ^ card * UINT32_C(0x01010101);
        uint32_t same = (differ - UINT32_C(0x01010101)) & ~differ & ALL_GAPS;
        places |= (uint32_t)PYR_NO_CARD << phase_first_place(same);
        copy(open->display, &places, sizeof places);
    } else {
        card = phase_turn_up(state);
    }
    phase_lay(box, desk, desk->card[0] == PYR_NO_CARD ? 0 : 1, card);
    open->desk[seat] = *desk;
    open->cards_owed--;
    if (open->cards_owed && phase_is_anything_left(open))
        return;
    open->cards_owed = 0;
    if (open->deck_left && phase_gaps(open)) {
        open->phase = PYR_SHOW;
        open->waiting = 0;
    } else {
        phase_next_to_replace(box, state, open->replacing + 1u);
    }
}

/* Steps other than marks. */

/* All pairs of the cards dealt, in their order. */
static inline uint32_t phase_list_keeps(const pyr_card *dealt, uint64_t *set)
{
#ifdef PYR_FAST_BITS
    /* One pair per lane: a is its first card and b its second, then the lower of both comes first. */
    const __m256i keep = _mm256_set1_epi64x((long long)pyr_step_encode(PYR_STEP_KEEP, 0, 0));
    int word;
    copy(&word, dealt, PYR_DEALT);
    __m128i cards = _mm_cvtsi32_si128(word);
    __m128i a = _mm_shuffle_epi8(cards, _mm_setr_epi8(0, -1, 0, -1, 0, -1, 1, -1, 1, -1, 2, -1, -1, -1, -1, -1));
    __m128i b = _mm_shuffle_epi8(cards, _mm_setr_epi8(1, -1, 2, -1, 3, -1, 2, -1, 3, -1, 3, -1, -1, -1, -1, -1));
    __m128i pairs = _mm_or_si128(_mm_min_epu8(a, b), _mm_slli_epi16(_mm_max_epu8(a, b), 6));
    _mm256_storeu_si256((__m256i *)set, _mm256_or_si256(_mm256_cvtepu16_epi64(pairs), keep));
    pairs = _mm_srli_si128(pairs, 8);
    _mm256_storeu_si256((__m256i *)(set + 4), _mm256_or_si256(_mm256_cvtepu16_epi64(pairs), keep));
    return PYR_DEALT * (PYR_DEALT - 1) / 2;
#else
    uint32_t count = 0;
    for (unsigned i = 0; i < PYR_DEALT; i++)
        for (unsigned j = i + 1; j < PYR_DEALT; j++)
            set[count++] = pyr_step_keep(dealt[i], dealt[j]);
    return count;
#endif
}

/* The cards of the display, in their order. */
static inline uint32_t phase_list_takes(uint32_t places, uint64_t *set)
{
    uint32_t count = 0;
#ifdef PYR_FAST_BITS
    if (!(places & ALL_GAPS)) {
        const __m256i take = _mm256_set1_epi64x((long long)pyr_step_take(0));
        _mm256_storeu_si256((__m256i *)set, _mm256_or_si256(_mm256_cvtepu8_epi64(_mm_cvtsi32_si128((int)places)), take));
        return PYR_DISPLAY;
    }
#endif
    for (unsigned i = 0; i < PYR_DISPLAY; i++, places >>= 8) {
        set[count] = pyr_step_take((pyr_card)places);
        count += !(places & 0x80);
    }
    return count;
}

/* From what a seat sees, so that a state and a view answer alike. */
static inline void phase_steps(const struct pyr_table *open, const pyr_card *dealt, pyr_seat seat, struct pyr_steps *steps)
{
    uint32_t count = 0;
    if (seat >= open->seats || !(open->waiting >> seat & 1)) {
        /* nothing to decide */
    } else if (open->phase == PYR_KEEP) {
        count = phase_list_keeps(dealt, steps->set);
    } else if (open->phase == PYR_REPLACE) {
        count = phase_list_takes(phase_display(open), steps->set);
        steps->set[count] = pyr_step_draw();
        count += open->deck_left != 0;
    }
    steps->count = count;
    steps->pattern = PYR_NO_PATTERN;
}

static inline void phase_make(const struct pyr_box *box, struct pyr_state *state, pyr_seat seat, pyr_step step)
{
    switch (pyr_step_kind(step)) {
    case PYR_STEP_PASS:
        state->desk[seat].due = 0;
        state->desk[seat].flags = 0;
        state->open.waiting &= (uint8_t)~(1u << seat);
        if (!state->open.waiting)
            phase_end_marking(box, state);
        break;
    case PYR_STEP_KEEP:
        phase_make_keep(box, state, seat, step);
        break;
    case PYR_STEP_TAKE:
    case PYR_STEP_DRAW:
        phase_make_replace(box, state, seat, step);
        break;
    case PYR_STEP_MARK:
        break;                               /* marks.h makes these */
    }
}

#endif
