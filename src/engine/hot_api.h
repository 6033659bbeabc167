/*
 * hot_api.h: picks between the two compilations of hot_api.inc.
 */
#ifndef PYR_HOT_API_H
#define PYR_HOT_API_H

#include <pyramids/playouts.h>

#include "marks.h"

#define HOT_DECLARE(suffix) \
    void api_desk_steps_##suffix(const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern, \
        struct pyr_steps *steps); \
    bool api_desk_mark_##suffix(const struct pyr_box *box, struct pyr_desk *desk, pyr_pattern pattern, unsigned round, \
        pyr_step step); \
    void api_state_steps_##suffix(const struct pyr_box *box, const struct pyr_state *state, pyr_seat seat, \
        struct pyr_steps *steps); \
    pyr_step api_steps_at_##suffix(const struct pyr_box *box, const struct pyr_steps *steps, uint32_t index); \
    pyr_step api_steps_pick_##suffix(const struct pyr_box *box, const struct pyr_steps *steps, struct pyr_rng *rng); \
    void api_state_make_##suffix(const struct pyr_box *box, struct pyr_state *state, pyr_seat seat, pyr_step step); \
    void api_playouts_##suffix(const struct pyr_playout_tables *tables, const struct pyr_box *box, unsigned seats, \
        uint64_t games, uint64_t seed, int16_t *scores, struct pyr_playouts *sum); \
    uint32_t api_playout_##suffix(const struct pyr_box *box, struct pyr_state *state, struct pyr_rng *rng)

HOT_DECLARE(plain);
HOT_DECLARE(avx2);

/* The same tables serve both. */
void batch_init(struct pyr_playout_tables *tables, const struct pyr_box *box);

#if PYR_HAS_FAST
#define DISPATCH(name, ...) (cpu_is_fast() ? name##_avx2(__VA_ARGS__) : name##_plain(__VA_ARGS__))
#else
#define DISPATCH(name, ...) name##_plain(__VA_ARGS__)
#endif

#endif
