/*
 * view.h (view.c): what one seat may know of a game.
 *
 * A view is built up from what is allowed, never by blanking out: the open table, the seat's own desk with the steps made
 * so far, and its own four dealt cards. Two states that differ only in what is hidden from a seat give it the same bytes.
 */
#ifndef PYR_VIEW_H
#define PYR_VIEW_H

#include <pyramids/state.h>

PYR_BEGIN_DECLS

struct pyr_view {
    struct pyr_table open;
    struct pyr_desk mine;        /* own desk with the steps of this phase; zero for a spectator */
    pyr_card dealt[PYR_DEALT];   /* own dealt cards; PYR_NO_CARD for a spectator */
    pyr_seat seat;               /* PYR_NOBODY: a spectator */
    uint8_t reserved[3];
};

PYR_STATIC_ASSERT(sizeof(struct pyr_view) == 232, "native and wasm agree");

/* The view of a seat, or of a spectator (any seat that does not play). */
PYR_API void pyr_view_init(struct pyr_view *view, const struct pyr_state *state, pyr_seat seat);

/* The legal steps of the view's seat. */
PYR_API void pyr_view_steps(const struct pyr_view *view, const struct pyr_box *box, struct pyr_steps *steps);

/*
 * A full state that fits the view, drawn uniformly from all that do: the order of the deck, the expedition cards to
 * come in this round and the later ones, the other players' dealt cards. Other players who are still choosing
 * have made no step; those who have chosen get a random legal choice, drawn step by step, since the true one is hidden.
 * The view must be one that pyr_view_init made.
 */
PYR_API void pyr_view_sample(const struct pyr_view *view, const struct pyr_box *box, struct pyr_rng *rng,
    struct pyr_state *state);

PYR_END_DECLS

#endif
