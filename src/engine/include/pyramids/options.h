/*
 * options.h: the numbers of the rules that a variant of the game could change: limits of seats, length, thresholds and
 * values.
 *
 * Lifetime (docs/architecture.md): options come between the edition and the state. They are constant while a game is played,
 * and undo never changes them. Capacities, such as PYR_MAX_SEATS where it is the size of an array, are in base.h; an option
 * is at most its capacity.
 *
 * There is one set of options so far, the rulebook's. It is a constant that the compiler sees, since a random game takes
 * about 18,000 instructions and each load would show. The place for a variant is pyr_table_options: give struct pyr_table
 * the number of its options (it has reserved bytes) and look them up there. Everything that has a table calls it; functions
 * of a desk alone (pyr_desk_score) use pyr_rulebook and would need one more argument.
 */
#ifndef PYR_OPTIONS_H
#define PYR_OPTIONS_H

#include <pyramids/base.h>

PYR_BEGIN_DECLS

/* The rulebook's numbers. */
#define PYR_RULEBOOK_CLAIMS (1 << 2 | 1 << 4 | 1 << 6)   /* R14: the 2nd, 4th and 6th pyramid of a colour */
#define PYR_RULEBOOK_TILE_1 10                           /* R14: pyramid points of a colour, the highest first */
#define PYR_RULEBOOK_TILE_2 6
#define PYR_RULEBOOK_TILE_3 3
#define PYR_RULEBOOK_PYRAMID 10                          /* R16: a completed pyramid */
#define PYR_RULEBOOK_TORCH 5
#define PYR_RULEBOOK_GEM_PAIR 5                          /* a ruby and an emerald */
#define PYR_RULEBOOK_GEM 1                               /* one without its pair */

struct pyr_options {
    uint8_t min_seats, max_seats;    /* players */
    uint8_t rounds, turns;           /* R15: rounds in a game, turns in a round */
    uint16_t claims;                 /* R14: bit n: completing the n-th pyramid of a colour claims points */
    uint8_t tile[PYR_TILES];         /* what they are worth, in the order in which they are taken */
    uint8_t pyramid, torch, gem_pair, gem;   /* R16: points */
};

static const struct pyr_options pyr_rulebook = {
    PYR_MIN_SEATS, PYR_MAX_SEATS, PYR_ROUNDS, PYR_TURNS, PYR_RULEBOOK_CLAIMS,
    { PYR_RULEBOOK_TILE_1, PYR_RULEBOOK_TILE_2, PYR_RULEBOOK_TILE_3 },
    PYR_RULEBOOK_PYRAMID, PYR_RULEBOOK_TORCH, PYR_RULEBOOK_GEM_PAIR, PYR_RULEBOOK_GEM,
};

/* The options that a game is played with. */
struct pyr_table;
static inline const struct pyr_options *pyr_table_options(const struct pyr_table *table)
{
    (void)table;
    return &pyr_rulebook;
}

/* Whether this number of players can play. */
static inline bool pyr_options_has_seats(const struct pyr_options *options, unsigned seats)
{
    return seats - options->min_seats <= (unsigned)(options->max_seats - options->min_seats);    /* fewer wrap around */
}

/* Whether completing the n-th pyramid of a colour claims points; n is at most 31. */
static inline bool pyr_options_is_claim(const struct pyr_options *options, unsigned n)
{
    return (unsigned)options->claims >> n & 1;
}

/* Whether points are claimed on the way from `before` to `after` pyramids of a colour, both completed in one turn (Q6). */
static inline bool pyr_options_claims_between(const struct pyr_options *options, unsigned before, unsigned after)
{
    return (options->claims & ((2u << after) - (2u << before))) != 0;
}

/* Whether a player with n pyramids of a colour can still claim points with more of them. */
static inline bool pyr_options_can_claim(const struct pyr_options *options, unsigned n)
{
    return (unsigned)options->claims >> n > 1;
}

PYR_END_DECLS

#endif
