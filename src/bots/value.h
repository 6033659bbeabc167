/*
 * value.h (value.c): predicts the final score of each player between two turns, and its error: a sum of FEATURES numbers of
 * the desk, with weights that tools/bot_learn.c learned for that many turns left.
 *
 * Playouts that stop after a few turns and use this value contain less of the luck of later turns, which is most of the
 * result of a playout to the end.
 */
#ifndef PYR_VALUE_H
#define PYR_VALUE_H

#include "tables.h"

enum feature {
    F_ONE,
    F_CARDS,                     /* the table values of both cards */
    F_UNEQUAL,                   /* and the difference between them */
    F_GEMS, F_SKULLS,            /* their expected final worth */
    F_TORCH,                     /* turns to come in this round, if its torch is not marked yet */
    F_ODD,                       /* points of the colours in which one pyramid is missing */
    F_EVEN,                      /* points of the other colours */
    F_HELD,                      /* points of the colours of the cards held, if one is missing */
    F_RIVALS,                    /* points that others may take first */
    FEATURES
};

struct value_line {
    float weight[FEATURES];
    float spread;                /* mean absolute error, in points */
};

/* By number of players less two, and turns to come. */
extern const struct value_line value_lines[PYR_MAX_SEATS - 1][ALL_TURNS + 1];

/* Turns to come when none is under way (phase SHOW or REVEAL). */
unsigned value_turns(const struct pyr_table *open);

/* The features of a seat's desk. */
void value_features(const struct tables *tables, const struct pyr_box *box, const struct pyr_table *open, pyr_seat seat,
    float *to);

/* Points that a seat has for sure: pyramids, torches, pyramid points. */
int value_sure(const struct pyr_box *box, const struct pyr_table *open, pyr_seat seat);

/* The expected final score of a seat. */
float value_score(const struct tables *tables, const struct pyr_box *box, const struct pyr_table *open, pyr_seat seat);

#endif
