/*
 * playouts.h (batch.inc): whole random games, many at once.
 */
#ifndef PYR_PLAYOUTS_H
#define PYR_PLAYOUTS_H

#include <pyramids/box.h>

PYR_BEGIN_DECLS

/* Sums over games. */
struct pyr_playouts {
    uint64_t games, steps;       /* steps of all seats: keeps, marks, takes, draws, passes */
    int64_t points[PYR_MAX_SEATS];
};

/*
 * Deals and plays `games` whole games with uniformly random legal steps, as pyr_state_deal and pyr_state_playout do, but
 * almost twice as fast: many games advance turn by turn together, and the seats of a game mark at once. The games are other
 * ones than those of pyr_state_playout with the same seed; the same call gives the same games on every machine. `scores`
 * (may be NULL) gets the final scores, `seats` per game; `sum` the sums of this call.
 * Returns PYR_OK or PYR_ERR_SEATS; then nothing is written.
 */
PYR_API enum pyr_err pyr_playouts_run(struct pyr_playouts *sum, const struct pyr_box *box, unsigned seats, uint64_t games,
    uint64_t seed, int16_t *scores);

PYR_END_DECLS

#endif
