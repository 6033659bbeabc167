/*
 * playouts.h (batch.inc): whole random games, many at once.
 */
#ifndef PYR_PLAYOUTS_H
#define PYR_PLAYOUTS_H

#include <pyramids/box.h>

PYR_BEGIN_DECLS

/* Six different patterns have at most 24 turns between them; each pattern also has the single space. */
#define PYR_PLAYOUT_WORDS 30
#define PYR_PLAYOUT_ROW 32       /* gains per card: one per bit of a pyr_spaces */
#define PYR_PLAYOUT_WORD ((PYR_CARDS + 1) * PYR_PLAYOUT_ROW)     /* gains per turn of a pattern */

/*
 * What pyr_playouts_run looks up, derived from a box by pyr_playouts_init and constant afterwards: 389 KB, so it belongs
 * on the heap or in static memory rather than on a small stack. Any number of threads may use the same tables.
 */
struct pyr_playout_tables {
    /* The gain of a whole mark, by turn of a pattern, card and anchor. The first word is not used, as turns count from 1;
     * the last card is the empty slot, which gains nothing. */
    uint64_t gain[(1 + PYR_PLAYOUT_WORDS) * PYR_PLAYOUT_WORD];
    struct {
        uint64_t shape[PYR_MAX_TURNS + 2];   /* by turn, counted from 1; the single space follows the last */
        uint32_t narrow[8];                  /* the same as far as it goes */
        uint8_t kind, turns, size, word;     /* enum batch_kind; the word of `gain` before its first turn's */
        uint8_t reserved[4];
    } pattern[PYR_PATTERNS];
    struct {
        pyr_spaces open, entrance, tomb;
        uint32_t colour;
        uint32_t reserved[4];                /* a card is as large as a row has gains: one index serves both */
    } card[PYR_CARDS + 1];
};

/* Sums over games. */
struct pyr_playouts {
    uint64_t games, steps;       /* steps of all seats: keeps, marks, takes, draws, passes */
    int64_t points[PYR_MAX_SEATS];
};

/* Derives the tables of a box, which costs about as much as 30 games. */
PYR_API void pyr_playouts_init(struct pyr_playout_tables *tables, const struct pyr_box *box);

/*
 * Deals and plays `games` whole games with uniformly random legal steps, as pyr_state_deal and pyr_state_playout do, but
 * 2.7 times as fast: many games advance turn by turn together, and the seats of a game mark at once. One game per call
 * still costs fewer instructions than pyr_state_playout. The games are other ones than those of pyr_state_playout with the
 * same seed; the same call gives the same games on every machine. `tables` were made from `box`. `scores` (may be NULL)
 * gets the final scores, `seats` per game; `sum` the sums of this call.
 * Returns PYR_OK or PYR_ERR_SEATS; then nothing is written.
 */
PYR_API enum pyr_err pyr_playouts_run(struct pyr_playouts *sum, const struct pyr_playout_tables *tables,
    const struct pyr_box *box, unsigned seats, uint64_t games, uint64_t seed, int16_t *scores);

PYR_END_DECLS

#endif
