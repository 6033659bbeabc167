/*
 * endgame.h (endgame.c): the last three turns, counted out: expected final points of one's own best play over all that the expedition
 * cards left in the round can bring.
 *
 * Exact in the last turn, extra marks included. Before that, of all ways to play a turn only the `breadth` best by the tables are
 * followed. Others are taken to stand still, taking neither cards nor pyramid points, and new cards come from the
 * display as it is.
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
