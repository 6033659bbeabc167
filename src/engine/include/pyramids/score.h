/*
 * score.h (score.c): what a desk is worth, and who wins (R16, R17, Q8).
 */
#ifndef PYR_SCORE_H
#define PYR_SCORE_H

#include <pyramids/state.h>

PYR_BEGIN_DECLS

struct pyr_score {
    int16_t total;               /* the sum of the rest */
    int16_t pyramids, torches, points, gems;
    int16_t skulls;              /* 0 or less */
};

/* The current score of a seat on the open table; cards completed in the present turn count once they are set aside. */
PYR_API struct pyr_score pyr_table_score(const struct pyr_table *table, const struct pyr_box *box, pyr_seat seat);

/* The score of a desk, given its pyramid points. */
PYR_API struct pyr_score pyr_desk_score(const struct pyr_desk *desk, const struct pyr_box *box, int points);

/* The pyramid points a seat has taken. */
PYR_API int pyr_table_points(const struct pyr_table *table, pyr_seat seat);

/* The winners as a set of bits; more than one only if no tied player has a completed pyramid (Q8). */
PYR_API unsigned pyr_table_winners(const struct pyr_table *table, const struct pyr_box *box);

/* What the tile of a place (0, 1, 2) is worth: 10, 6, 3. */
PYR_API int pyr_tile_value(unsigned place);

PYR_END_DECLS

#endif
