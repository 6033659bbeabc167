/*
 * state.h (state.c, check.c): a game as plain data, and the functions that advance it.
 *
 * A state is two parts. `open` is what everyone at the table may see (Q10). `hidden` is the rest: the order of everything
 * that is still face down, the cards dealt, and the desks of players who have started or made a choice that others must not
 * see before all have chosen. Everything is fixed-width and free of pointers; a state is copied by assignment.
 *
 * A game alternates between decisions (KEEP, MARK, REPLACE: players make steps) and chance (SHOW, REVEAL: cards are turned
 * up from the hidden order). Chance is an input: the hidden order comes from the caller, whole (pyr_state_init) or card by
 * card as it becomes known (pyr_state_supply_card, pyr_state_supply_pattern).
 */
#ifndef PYR_STATE_H
#define PYR_STATE_H

#include <pyramids/options.h>
#include <pyramids/step.h>

PYR_BEGIN_DECLS

enum pyr_phase {
    PYR_KEEP = 0,                /* all choose two of four (R4) */
    PYR_SHOW = 1,                /* chance: the display is filled up (R5, R12) */
    PYR_REVEAL = 2,              /* chance: the next expedition card (R7) */
    PYR_MARK = 3,                /* all mark (R8-R11) */
    PYR_REPLACE = 4,             /* players take new cards one after the other (R12) */
    PYR_END = 5
};

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the lanes of a desk's tally are laid out for little-endian machines"
#endif

/* A player's two cards and score card. */
struct pyr_desk {
    pyr_pair free;               /* open spaces not yet marked; nothing where a slot has no card */
    pyr_pair reach;              /* free spaces that touch a marked one, or the entrance of an unmarked card (R10) */
    pyr_cardset done;            /* completed pyramids, set aside */
    PYR_UNNAMED union {
        struct {
            uint8_t skulls;      /* 0 to 10 */
            uint8_t rubies, emeralds;/* 0 to 10 */
            uint8_t torches;     /* bit r: the torch of round r */
            pyr_card card[PYR_SLOTS]; /* PYR_NO_CARD: the slot is empty */
            uint8_t flags;       /* PYR_DESK_* */
            uint8_t due;         /* marks this player still has to make in this turn, at most 4 */
        };
        uint64_t tally;          /* the same eight bytes, for adding gains to all at once (box.h) */
    };
};

#define PYR_DESK_TOMB(slot) (1u << (slot))   /* the tomb of that card is marked, the card not yet set aside (Q2) */
#define PYR_DESK_TOMBS 3u
#define PYR_DESK_FIRST 4u                    /* the mark due is the first of the turn: pattern or one space */

/* What everyone may see. */
struct pyr_table {
    struct pyr_desk desk[PYR_MAX_SEATS];     /* as they were when the current phase began */
    pyr_cardset deck;                        /* cards not yet turned up; all 48 before the first show */
    uint8_t seats;                           /* 2 to 4 */
    uint8_t phase;                           /* enum pyr_phase */
    uint8_t round, turn;                     /* from 0; turn counts the reveals of the round less one */
    uint8_t waiting;                         /* bit s: seat s has a decision to make */
    uint8_t deck_left;                       /* cards in the deck, 0 before the first show */
    pyr_card display[PYR_DISPLAY];           /* PYR_NO_CARD: an empty place */
    pyr_pattern revealed[PYR_EXPEDITIONS];   /* this round's patterns, revealed[turn] is the current one; PYR_NO_PATTERN */
    pyr_seat tile[PYR_COLOURS][PYR_TILES];   /* who has the 10, 6, 3 of a colour; PYR_NOBODY */
    pyr_card kept[PYR_MAX_SEATS][PYR_KEPT];  /* the cards each began with; PYR_NO_CARD until all have kept */
    pyr_card completed[PYR_MAX_SEATS][PYR_SLOTS];    /* in this turn (lower number first), until the next reveal */
    pyr_seat replace_order[PYR_MAX_SEATS];   /* who replaces, in the order of R12; PYR_NOBODY */
    uint8_t replacing;                       /* index into replace_order: whose turn it is */
    uint8_t cards_owed;                      /* cards that seat may still take */
    uint8_t reserved[3];
};

/* The order of everything face down, supplied from outside. */
struct pyr_chance {
    pyr_card dealt[PYR_MAX_SEATS][PYR_DEALT];            /* PYR_NO_CARD for seats that do not play */
    pyr_card deck[PYR_CARDS];                            /* an order of all cards; those that are kept are skipped (R5) */
    pyr_pattern expedition[PYR_ROUNDS][PYR_EXPEDITIONS]; /* each round's eight, top first (R6) */
};

struct pyr_state {
    struct pyr_table open;
    struct pyr_desk desk[PYR_MAX_SEATS];     /* hidden: with the steps of the current phase already made */
    struct pyr_chance hidden;                /* deck: from the first show on only what was not kept, top at
                                                pyr_deck_top */
};

PYR_STATIC_ASSERT(sizeof(struct pyr_desk) == 32, "a desk is copied as one vector");
PYR_STATIC_ASSERT(sizeof(struct pyr_table) == 192, "native and wasm agree");
PYR_STATIC_ASSERT(sizeof(struct pyr_chance) == 96, "native and wasm agree");
PYR_STATIC_ASSERT(sizeof(struct pyr_state) == 416, "native and wasm agree");

/* The index of the deck's top in hidden.deck, once the first display was shown. */
static inline unsigned pyr_deck_top(const struct pyr_state *state)
{
    return (unsigned)(PYR_CARDS - PYR_KEPT * state->open.seats - state->open.deck_left);
}

/* Draws every deal and shuffle of a game. */
PYR_API void pyr_chance_draw(struct pyr_chance *chance, const struct pyr_box *box, unsigned seats, struct pyr_rng *rng);

/* PYR_OK if shuffling this box can produce this chance: dealt cards all differ, the deck is an order of the 48
 * cards, each round an order of the eight. Else PYR_ERR_SEATS, PYR_ERR_CHANCE_DEAL, _DECK or _EXPEDITION. */
PYR_API enum pyr_err pyr_chance_check(const struct pyr_chance *chance, const struct pyr_box *box, unsigned seats);

/*
 * Begins a game: the cards are dealt, all choose two (phase KEEP).
 * Returns PYR_OK, or a code of pyr_chance_check; then *state is untouched.
 */
PYR_API enum pyr_err pyr_state_init(struct pyr_state *state, const struct pyr_box *box, unsigned seats,
    const struct pyr_chance *chance);

/* The same with a chance drawn by the engine. Returns PYR_OK, or PYR_ERR_SEATS; then *state is untouched. */
PYR_API enum pyr_err pyr_state_deal(struct pyr_state *state, const struct pyr_box *box, unsigned seats, struct pyr_rng *rng);

/* All legal steps of a seat now; none (count 0) if the seat has nothing to decide or does not exist. */
PYR_API void pyr_state_steps(const struct pyr_state *state, const struct pyr_box *box, pyr_seat seat,
    struct pyr_steps *steps);

/*
 * Makes a step. Seats that choose at the same time may step in any order. When the last one is done, the phase ends: cards
 * are set aside, pyramid points are taken, and the next turn or round begins.
 * Returns PYR_OK, or why the step is illegal (err.h, with the rule); then *state is untouched.
 *
 * It works in place, because copying 416 bytes per step costs more than the step; keep a copy if you still need the old
 * state.
 */
PYR_API enum pyr_err pyr_state_apply(struct pyr_state *state, const struct pyr_box *box, pyr_seat seat, pyr_step step);

/* Makes a step that is known to be legal, one from pyr_state_steps, so that bots and simulations save the check.
 * Asserted in every build but release. */
PYR_API void pyr_state_apply_unchecked(struct pyr_state *state, const struct pyr_box *box, pyr_seat seat, pyr_step step);

/* Plays uniformly random steps to the end of the game: pyr_state_steps, pyr_steps_pick and pyr_state_apply_unchecked for the
 * seats that have to decide, lowest seat first, with pyr_state_advance in between. Returns the number of steps.
 * A pass in a turn that begins during the playout draws no random number. */
PYR_API uint32_t pyr_state_playout(struct pyr_state *state, const struct pyr_box *box, struct pyr_rng *rng);

/* Why the step is illegal, or PYR_OK. */
PYR_API enum pyr_err pyr_state_check_step(const struct pyr_state *state, const struct pyr_box *box, pyr_seat seat,
    pyr_step step);

/* How many cards the next show turns up: those that the display lacks and the deck has. 0 unless the phase is SHOW. */
PYR_API unsigned pyr_state_show_count(const struct pyr_state *state);

/* Chance: refills the display; PYR_ERR_PHASE unless the phase is SHOW. */
PYR_API enum pyr_err pyr_state_show(struct pyr_state *state, const struct pyr_box *box);

/* Chance: reveals the next expedition card; PYR_ERR_PHASE unless the phase is REVEAL. */
PYR_API enum pyr_err pyr_state_reveal(struct pyr_state *state, const struct pyr_box *box);

/* Shows and reveals until a player has to decide or the game is over. */
PYR_API void pyr_state_advance(struct pyr_state *state, const struct pyr_box *box);

/* Makes `card` the depth-th card from the deck's top (0 is the top), by swapping the two.
 * PYR_ERR_NOT_IN_DECK if it is not in the deck at that depth or below; then nothing changes. */
PYR_API enum pyr_err pyr_state_supply_card(struct pyr_state *state, unsigned depth, pyr_card card);

/* Makes `pattern` the next to be revealed, in phase REVEAL. PYR_ERR_PHASE, or PYR_ERR_NOT_IN_ROUND if all its cards have
 * been revealed in this round; then nothing changes. */
PYR_API enum pyr_err pyr_state_supply_pattern(struct pyr_state *state, pyr_pattern pattern);

/* Audits every invariant of a state: PYR_OK or PYR_ERR_STATE. With `clause` (may be NULL) the number of the first broken
 * one in check.c. For tests and for states that come from outside. */
PYR_API enum pyr_err pyr_state_check(const struct pyr_state *state, const struct pyr_box *box, int *clause);

/*
 * One mark on a desk: the rules R8-R11 and Q1-Q3 for a single player, for searches that need no table. `pattern` is the
 * revealed one; the desk knows whether a first or an extra mark is due.
 * Returns PYR_OK or why not (err.h); then *desk is untouched.
 */
PYR_API enum pyr_err pyr_desk_mark(struct pyr_desk *desk, const struct pyr_box *box, pyr_pattern pattern, unsigned round,
    pyr_step step);

/* Why the mark (or pass) is illegal, or PYR_OK. */
PYR_API enum pyr_err pyr_desk_check_mark(const struct pyr_desk *desk, const struct pyr_box *box, pyr_pattern pattern,
    pyr_step mark);

/* The legal marks of a desk (count 0 when none is due, a pass when nothing can be marked). */
PYR_API void pyr_desk_steps(const struct pyr_desk *desk, const struct pyr_box *box, pyr_pattern pattern,
    struct pyr_steps *steps);

/* Lays a card into a slot of a desk, unmarked. */
PYR_API void pyr_desk_lay(struct pyr_desk *desk, const struct pyr_box *box, unsigned slot, pyr_card card);

/* The spaces marked on the card in a slot; 0 without a card. */
PYR_API pyr_spaces pyr_desk_marks(const struct pyr_desk *desk, const struct pyr_box *box, unsigned slot);

PYR_END_DECLS

#endif
