/* job_cards.h (job_cards.c): what tools/card_table.c counts. */
#ifndef PYR_CLI_JOB_CARDS_H
#define PYR_CLI_JOB_CARDS_H

#include <stdio.h>

#include <pyramids/edition.h>

/* What happened to one card over all games. */
struct job_tally {
    uint64_t dealt, kept;        /* R4 */
    uint64_t offered, taken;     /* choices made while the card lay in the display, and those that took it */
    uint64_t laid, done;         /* came onto a desk, and was completed there */
    uint64_t turns;              /* first marks on it, of those that were completed */
    int64_t points;              /* of those that were completed */
};

/* Everything that is counted, of one game or of all: numbers of 64 bits only, in the order in which results have them. */
struct job_count {
    struct job_tally card[PYR_CARDS];
    uint64_t games, seats, out, choices, draws;
    uint64_t pyramids, winner_pyramids[PYR_COLOURS], colour_pyramids[PYR_COLOURS], winners;
    uint64_t tile_points[PYR_COLOURS];
    int64_t score, winner_score, part[5];    /* parts: pyramids, torches, pyramid points, gems, skulls */
};

/* The counts of a game as a result. */
void job_cards_write(const struct job_count *count, FILE *to);

#endif
