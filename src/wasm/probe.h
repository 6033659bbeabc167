/*
 * probe.h (probe.c): whole games condensed into numbers, by which native and WebAssembly are held against each other and
 * timed.
 */
#ifndef PYR_WASM_PROBE_H
#define PYR_WASM_PROBE_H

#include <pyramids/box.h>

struct probe_result {
    uint64_t hash;               /* over the open table at the end of each game; 0: nothing was played */
    uint64_t steps;
};

/* Uniformly random games, the way a bot plays them (steps, pick, make) or with pyr_state_playout; both give the same. */
struct probe_result probe_games(const struct pyr_box *box, uint64_t seed, uint32_t players, uint32_t games, bool playouts);

/* One game between bots, their names with a space between; the hash also covers every step. `room` gives memory to those
 * that want it, one block a bot. */
struct probe_result probe_bots(const struct pyr_box *box, uint64_t seed, const char *names, uint64_t nodes,
    void *(*room)(size_t size));

/* Sequences of `depth` steps from the position after `played` random steps; a game that ends earlier counts once. The lowest
 * seat that has to decide goes first; chance is as dealt. */
uint64_t probe_perft(const struct pyr_box *box, uint64_t seed, uint32_t players, uint32_t played, uint32_t depth);

#endif
