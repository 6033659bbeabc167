/*
 * tables.h (tables.c): what a card is worth from every set of marks and for every number of turns left, found backwards
 * from full cards before the first game; and what gems and skulls on the score card are worth in the long run.
 *
 * A table contains how many points a card with these marks will score if all coming turns are used on it, and on the cards
 * that follow it when it is completed. The value of two cards is assumed to be the sum of both, so the value of a mark is
 * the change of one entry. Tried without gain (first choice against greedy, 92.0 of 100 as it is, +-1.2): letting a card
 * skip a turn if using it costs 1, 2 or 3 points (91.0, 91.4, 91.3), and halving the turns, since two cards share them
 * (90.2).
 *
 * Size: an open card has millions of sets of marks. A table covers up to PYR_REGION spaces of a card in addition to entrance
 * and tomb (those nearest to the paths between them, symbols first) and treats the rest as free and worthless. Cards with up
 * to PYR_REGION + 2 open spaces are exact; when played out, the classic cards (16 to 18) score 0.1 points more than the 21.3
 * of their tables on average, and none is off by more than 1.2. Marks are an index with one bit per space, so there is no
 * hashing, and every superset has a larger index: one pass downwards finds all values. All tables take 8.3 MB, and 20 ms for
 * the classic edition, 280 ms for one without walls.
 */
#ifndef PYR_TABLES_H
#define PYR_TABLES_H

#include <pyramids/view.h>

#include "weights.h"

#define PYR_REGION 13
#define TABLE_SETS (1u << PYR_REGION)
#define TABLE_TURNS 8            /* 0 to 7 turns left; 7 means 7 or more */
#define TABLE_UNIT 32            /* a point, in the whole numbers of a table */
#define ALL_TURNS (PYR_ROUNDS * PYR_TURNS)
#define NO_MOVE 0xff

/* A card in the table's terms. */
struct card_map {
    uint64_t space[32]; /* what each space means: SPACE_* counts; from bit 32 on, its bit of the index (none for entrance,
                           tomb and spaces outside the region) */
    pyr_spaces low[128], high[64];   /* the spaces of the low seven and the high six bits of an index */
    uint16_t row[PYR_SIDE][32];  /* the index of each row's marks */
    uint32_t symbols[PYR_SIDE][32];  /* SPACE_* counts of each row's spaces */
};

#define SPACE_RUBY 1u
#define SPACE_EMERALD (1u << 4)
#define SPACE_SKULL (1u << 8)
#define SPACE_POTION (1u << 12)
#define SPACE_TORCH (1u << 16)
#define SPACE_CROSS (1u << 20)

struct tables {
    struct weights weights;
    struct card_map map[PYR_CARDS];
    int16_t fresh[PYR_CARDS][TABLE_TURNS];           /* an unmarked card */
    int16_t renew[TABLE_TURNS];                      /* a new card of the player's choice, on average */
    int16_t gems[ALL_TURNS + 1][PYR_GEMS + 1][PYR_GEMS + 1];   /* expected final worth: turns left, rubies, emeralds */
    int16_t skulls[ALL_TURNS + 1][PYR_SKULLS + 1];   /* expected final penalty, positive */
    uint8_t fresh_best[PYR_CARDS][PYR_PATTERNS + 2]; /* best placement on an unmarked card */
    uint8_t best[PYR_CARDS][TABLE_SETS][PYR_PATTERNS];   /* anchor * 8 + turn, 200 + space for single ones; NO_MOVE */
    int16_t value[PYR_CARDS][TABLE_SETS][TABLE_TURNS];
};

void tables_prepare(struct tables *tables, const struct pyr_box *box, const struct weights *weights);

/* `memory` and `prepare` of the bots (struct pyr_bot): those with the same weights have the same tables, and hosts can
 * share them. */
size_t tables_memory(const struct pyr_box *box);
void tables_prepare_plain(void *memory, const struct pyr_box *box);
void tables_prepare_learned(void *memory, const struct pyr_box *box);

/* The index of marks that include the entrance. */
static inline unsigned table_index(const struct card_map *map, pyr_spaces marks)
{
    return (unsigned)(map->row[0][marks & 31] | map->row[1][marks >> 6 & 31] | map->row[2][marks >> 12 & 31] |
        map->row[3][marks >> 18 & 31] | map->row[4][marks >> 24 & 31]);
}

/* How many of each symbol are on these spaces: SPACE_* counts. */
static inline uint32_t table_symbols(const struct card_map *map, pyr_spaces spaces)
{
    return map->symbols[0][spaces & 31] + map->symbols[1][spaces >> 6 & 31] + map->symbols[2][spaces >> 12 & 31] +
        map->symbols[3][spaces >> 18 & 31] + map->symbols[4][spaces >> 24 & 31];
}

static inline unsigned table_turns(unsigned left)
{
    return left < TABLE_TURNS ? left : TABLE_TURNS - 1;
}

#endif
