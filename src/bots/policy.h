/*
 * policy.h (policy.c): a quick choice by the lookup tables, for playouts and for the order in which searches try choices.
 *
 * The value of a mark is what it adds to gems, torches and skulls (their expected final value, tables.h), plus the change of
 * the one table entry of its card. A completed card adds ten points, its chance of pyramid points, and a new card. All
 * values are in TABLE_UNITs.
 */
#ifndef PYR_POLICY_H
#define PYR_POLICY_H

#include "tables.h"

/* Turns that are still to come after the present one. */
static inline unsigned turns_left(const struct pyr_table *open)
{
    return ALL_TURNS - 1u - open->round * (unsigned)PYR_TURNS - open->turn;
}

/*
 * The position that a search starts from: the view as it was when its phase began. Other players who have already chosen
 * made some sensible choice that we do not know, so playouts choose for them as for those who are still thinking.
 * (pyr_view_sample by itself would give them any legal choice.)
 */
static inline struct pyr_view policy_reopen(const struct pyr_view *view)
{
    struct pyr_view reopened = *view;
    if (view->open.phase == PYR_MARK || view->open.phase == PYR_KEEP)
        reopened.open.waiting |= (uint8_t)((1u << view->open.seats) - 1);
    return reopened;
}

/* A desk that waits for a mark, with everything that its possible marks have in common. */
struct policy_desk {
    const struct tables *tables;
    const struct pyr_box *box;
    const struct pyr_table *open;
    const struct pyr_desk *desk;
    unsigned left, t;            /* turns to come, as they are and as the tables count them */
    unsigned index[PYR_SLOTS];    /* of the marks of each card */
    bool fresh[PYR_SLOTS];        /* an unmarked card */
    int base[PYR_SLOTS];          /* what each card is worth as it is */
    int torch;                   /* what a torch is worth now */
};

void policy_begin(struct policy_desk *to, const struct tables *tables, const struct pyr_box *box,
    const struct pyr_table *open, const struct pyr_desk *desk);

/* The same for a turn after which `left` turns are to come. */
void policy_begin_at(struct policy_desk *to, const struct tables *tables, const struct pyr_box *box,
    const struct pyr_table *open, const struct pyr_desk *desk, unsigned left);

/* What a mark is worth. A pass is worth nothing. */
int policy_value_mark(const struct policy_desk *at, pyr_step mark);

/* What it is worth to take a card; `also`: cards that will be on the desk in addition to those that are there now. */
int policy_value_card(const struct tables *tables, const struct pyr_box *box, const struct pyr_table *open,
    const struct pyr_desk *desk, pyr_card card, pyr_cardset also);

/* What a step of this seat is worth; a draw is worth the mean of the deck. */
int policy_value_step(const struct tables *tables, const struct pyr_box *box, const struct pyr_table *open,
    const struct pyr_desk *desk, pyr_step step);

/* The best mark of a desk. */
pyr_step policy_mark(const struct tables *tables, const struct pyr_box *box, const struct pyr_table *open,
    const struct pyr_desk *desk);

/* The best marks of a desk, best first; a pass if there are none. Returns how many, at most `most` (64 or less). */
unsigned policy_best_marks(const struct policy_desk *at, unsigned pattern, pyr_step *to, unsigned most);

/* What the tables' placement of a pattern on a card is worth; 0 if they know none that is legal. */
int policy_quick_value(const struct policy_desk *at, unsigned slot, unsigned pattern);

/* The best step of a seat. `exact`: every mark is looked at; otherwise, while many turns are left, only the best
 * placement that the tables know of on each of the two cards, which takes a tenth of the time. */
pyr_step policy_step(const struct tables *tables, const struct pyr_box *box, const struct pyr_state *state, pyr_seat seat,
    bool exact);

/* Plays a game to its end, every seat by policy_step. Returns how many steps were made. */
unsigned policy_playout(const struct tables *tables, const struct pyr_box *box, struct pyr_state *state, bool exact);

#endif
