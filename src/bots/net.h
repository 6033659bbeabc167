/*
 * net.h (net.c): a finer rating of a desk than value.h: its expected final score from a network with one hidden layer,
 * learned by tools/bot_learn.c from games in which each player takes the choice that the network rates best.
 *
 * These choices alone beat those of the policy, which uses the lookup tables, in 67 of 100 two-player games, by 6 points
 * (+-0.3). The network needs 30,000 games for that, and ten times as many do not improve it. Tried without gain: a second
 * set of tables in which a card may skip a turn, at a price of 2 or 3.5 points per turn (6.3, 6.2 points, +-0.2); how
 * close the other players are to the points of a colour, and cards of wanted colours in the display (5.8).
 *
 * Sums are added in a fixed order, in lanes that compilers can vectorize, so that all machines get the same number.
 */
#ifndef PYR_NET_H
#define PYR_NET_H

#include "policy.h"

enum net_input {
    /* For each card, the one nearer to its completion first: */
    N_CURVE,                     /* its table value with 1 to 7 turns left */
    N_SYMBOLS = N_CURVE + 7,     /* unmarked rubies, emeralds, skulls, potions, torches, crosses */
    N_PAIR = N_SYMBOLS + 6,      /* points of its colour if it makes a pair, */
    N_HALF,                      /* if it makes the first half of one, */
    N_RIVALS,                    /* and how many others wait for them */
    N_FRESH,
    N_NEXT,                      /* the expected gain of the next turn on it, by the expedition cards left in the round */
    N_CARD,                      /* inputs per card */
    /* The desk. */
    N_BOTH = 2 * N_CARD,         /* the expected gain of the next turn on the better of both cards */
    N_SAME,                      /* both cards of one colour */
    N_RUBIES, N_EMERALDS, N_LESSER, N_GEMS,
    N_SKULLS, N_PENALTY, N_STEP, /* skulls, what they cost in the end, what one more costs now */
    N_TORCH, N_TORCH_TURNS,      /* this round's torch is still available; for how many turns */
    /* Points of the colours that lack one pyramid, of the other colours, and of those that opponents also wait for. */
    N_ODD, N_EVEN, N_RACES,
    N_DONE,
    N_DISPLAY, N_SECOND,         /* the best cards of the display */
    N_ONE_CARD,
    NET_INPUTS
};

#define NET_HIDDEN 32            /* a multiple of four */

struct net {
    float seats[PYR_MAX_SEATS - 1][NET_HIDDEN];  /* initial values of the hidden units: by number of players, */
    float left[ALL_TURNS + 1][NET_HIDDEN];       /* and by turns to come */
    float in[NET_INPUTS][NET_HIDDEN];
    float out[NET_HIDDEN];
    float direct[NET_INPUTS];                    /* from inputs past the hidden units */
    float out_seats[PYR_MAX_SEATS - 1], out_left[ALL_TURNS + 1];
};

extern const struct net net_learned;

typedef float net_lanes __attribute__((vector_size(16)));

/* One player between or within turns. */
struct net_node {
    struct pyr_desk desk;
    int points;                  /* pyramid points */
    uint8_t place[PYR_COLOURS];  /* pyramid points of each colour that are already taken */
};

/* A table between two turns as one seat sees it: everything that does not depend on which desk the seat will have there. */
struct net_table {
    const struct net *net;
    const struct tables *tables;
    const struct pyr_box *box;
    const struct pyr_table *open;
    unsigned left, round, into;  /* turns to come, the round of the next one and its turns to come */
    uint8_t pool[PYR_PATTERNS];  /* expedition cards that can come next */
    float pool_share;            /* 1 divided by their number */
    uint8_t rivals[PYR_COLOURS]; /* others who lack one pyramid for the points of a colour */
    /* The last desk that was judged: most of the next one is the same, and only what differs is counted. */
    struct net_half {
        pyr_cardset done;
        uint32_t tally;
        pyr_spaces free;
        pyr_card card;
        int worth[PYR_PATTERNS];
    } last[PYR_SLOTS];
    float input[NET_INPUTS], direct;
    net_lanes unit[NET_HIDDEN / 4];
};

/* The table as it will be after the present turn, or as it is if none is under way. */
void net_begin(struct net_table *to, const struct net *net, const struct tables *tables, const struct pyr_box *box,
    const struct pyr_table *open, pyr_seat seat);

/* The same table with `left` turns to come and these expedition cards left in the round. */
void net_begin_at(struct net_table *to, const struct net_table *from, unsigned left, const uint8_t *pool);

/* The seat's desk as it is. */
void net_node_init(struct net_node *to, const struct pyr_table *open, pyr_seat seat, const struct pyr_desk *desk);

/* The inputs of a desk between two turns. */
void net_inputs(struct net_table *at, const struct net_node *node, float *to);

/* What is added to the network's output: points that are sure, and a first guess of the rest. */
float net_base(const struct net_table *at, const struct net_node *node);

/* The expected final score of a desk; the score itself if no turn is to come. */
float net_score(struct net_table *at, const struct net_node *node);

/* Plays the turn that leads to that table: a mark (or pass), extra marks by the policy, pyramid points as if no other player
 * took any, new cards by net_renew. */
void net_play(const struct net_table *at, struct net_node *node, unsigned pattern, pyr_step mark);

/* Puts the display's best cards, by the policy, into empty places. */
void net_renew(const struct net_table *at, struct pyr_desk *desk);

#endif
