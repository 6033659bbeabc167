/*
 * generate.h (generate.c): new boxes from a seed, and measurements of the cards of any box without playing.
 *
 * The guidelines are a matter of taste, not rules: an edition can break all of them and be valid.
 */
#ifndef PYR_GENERATE_H
#define PYR_GENERATE_H

#include <pyramids/edition.h>

PYR_BEGIN_DECLS

/*
 * Makes a box of 48 new cards that keeps every guideline below: name "seed-N", title "Box N". The same seed makes the
 * same edition on every machine. Takes a few milliseconds.
 * Returns PYR_OK. (Or a code of pyr_box_init, if generate.c contradicts R1-R3; then *edition is untouched.)
 */
PYR_API enum pyr_err pyr_edition_generate(struct pyr_edition *edition, uint64_t seed);

/* One card. A space is "on" if some shortest way from the entrance to the tomb crosses it, else "off". */
struct pyr_card_survey {
    pyr_spaces ways;             /* all shortest ways together, entrance and tomb included */
    pyr_spaces pockets;          /* empty spaces with at most one open neighbour */
    uint8_t colour;
    uint8_t way;                 /* spaces of a shortest way, entrance and tomb included */
    uint8_t walls;
    uint8_t entrance_column, tomb_column;    /* from 0 */
    uint8_t crosses, rubies, emeralds, torches, skulls, potions;
    uint8_t crosses_on, gems_on, torches_on, skulls_on, potions_on;
    uint8_t patterns;            /* bit p: pattern p has a place somewhere on the unmarked card, entrance or not */
    uint8_t alike;               /* number of a lower card with the same walls, as they are or mirrored left to right;
                                    0: none */
};

struct pyr_survey {
    struct pyr_card_survey card[PYR_CARDS];
    uint32_t broken;             /* PYR_GUIDE_* bits of the guidelines that this box breaks; 0: it keeps all */
    uint8_t first[11];           /* by guideline: the number of the first card that breaks it; 0: none, or the box as a
                                    whole does */
    uint8_t reserved;
};

/* The guidelines, as bits of `broken`; bit i belongs to first[i]. */
#define PYR_GUIDE_WALLS (1u << 0)        /* 7 to 9 walls per card */
#define PYR_GUIDE_WAY (1u << 1)          /* shortest ways of 7 to 11 spaces */
#define PYR_GUIDE_POCKETS (1u << 2)      /* a dead end holds a symbol, the entrance or the tomb */
#define PYR_GUIDE_ALIKE (1u << 3)        /* no two cards have the same walls, mirrored ones included */
#define PYR_GUIDE_FIT (1u << 4)          /* every pattern has a place on every card */
#define PYR_GUIDE_SYMBOLS (1u << 5)      /* a card has 1 to 3 gems, 1 to 3 skulls, one cross, at most a torch and a potion */
#define PYR_GUIDE_SHARES (1u << 6)       /* a colour has 8 torches, 5 potions, and as many rubies as emeralds (or one
                                            more); the box has as many rubies as emeralds */
#define PYR_GUIDE_COLUMNS (1u << 7)      /* each column has 8 to 12 entrances and as many tombs, 2 or more per colour */
#define PYR_GUIDE_OFF (1u << 8)          /* at least three in four gems, torches and potions are off; 20 to 30 of 100
                                            skulls are on */
#define PYR_GUIDE_COLOURS (1u << 9)      /* the same 16 specifications (everything of struct pyr_card_survey from way to
                                            potions_on, but for the columns) in each colour */
#define PYR_GUIDE_NUMBERS (1u << 10)     /* three numbers 3i+1 to 3i+3 are of three colours; in each dozen of numbers the
                                            four ways of a colour add up to its average, give or take 2 */

PYR_API void pyr_card_survey(const struct pyr_box *box, pyr_card card, struct pyr_card_survey *survey);
PYR_API void pyr_box_survey(const struct pyr_box *box, struct pyr_survey *survey);

PYR_END_DECLS

#endif
