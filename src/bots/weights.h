/*
 * weights.h: the numbers behind tables and policy. Those of `flatmc` are fixed with it; those of the stronger players
 * are learned by tools/bot_learn.c, which wrote learned.h.
 */
#ifndef PYR_WEIGHTS_H
#define PYR_WEIGHTS_H

#include <pyramids/base.h>

enum weight {
    /* What marking is worth on average while the tables are made, in 32nds of a point. */
    W_GEM, W_TORCH, W_SKULL, W_POTION, W_CROSS, W_TOMB,
    W_TURN,                      /* what a turn costs */
    W_RENEW,                     /* a new card of the player's choice, in 32nds of an average one */
    /* What it is worth in a choice. */
    W_CROSS_NOW, W_TORCH_NOW,
    W_TORCH_WAIT,                /* off the torch, for each turn to come in the round */
    W_PAIR,                      /* second, fourth, sixth pyramid of a colour: 32nds of the points */
    W_HALF,                      /* first, third, fifth: 32nds of the points, with twelve turns to come or more */
    W_RIVAL,                     /* added to W_PAIR for each rival who lacks one pyramid for the points, taken from W_HALF */
    W_CARD_PAIR,                 /* all that for a card not yet begun, in 32nds */
    W_DRAW,                      /* added to a draw from the deck, in 32nds of a point */
    /* How often symbols appear, in 32nds of the edition's shares. */
    W_GEM_RATE, W_SKULL_RATE, W_POTION_RATE,
    WEIGHTS
};

struct weights {
    int16_t of[WEIGHTS];
};

extern const struct weights weights_plain, weights_learned;

#endif
