/*
 * endgame.h (endgame.c): searches the last three turns: the expected final points of the player's best play over all orders
 * of the expedition cards left in the round.
 *
 * It is exact in the last turn, extra marks included. Before that, only the `breadth` best plays of a turn by the lookup
 * tables are followed. The other players are assumed to do nothing, taking neither cards nor pyramid points, and new cards
 * come from the current display.
 */
#ifndef PYR_ENDGAME_H
#define PYR_ENDGAME_H

#include "policy.h"

#define ENDGAME_TURNS 2          /* turns to come at which counting out begins */
#define ENDGAME_BREADTH 32       /* at most */

/* The expected final points after each of `count` steps of the view's seat; the phase is MARK or REPLACE, with at most
 * ENDGAME_TURNS turns to come. Steps that the breadth leaves out get a value far below all others. */
void endgame_values(const struct tables *tables, const struct pyr_box *box, const struct pyr_view *view, unsigned breadth,
    const pyr_step *steps, float *values, unsigned count);

#endif
