/*
 * steps.c: the public functions of the hot part.
 *
 * Each function picks between the two compilations of hot_api.inc (DISPATCH); functions that do not trust their caller
 * check the step first.
 */
#include <pyramids/state.h>

#include "hot_api.h"

pyr_step pyr_steps_at(const struct pyr_steps *steps, const struct pyr_box *box, uint32_t index)
{
    return DISPATCH(api_steps_at, box, steps, index);
}

pyr_step pyr_steps_pick(const struct pyr_steps *steps, const struct pyr_box *box, struct pyr_rng *rng)
{
    return DISPATCH(api_steps_pick, box, steps, rng);
}

void pyr_state_steps(const struct pyr_state *state, const struct pyr_box *box, pyr_seat seat, struct pyr_steps *steps)
{
    DISPATCH(api_state_steps, box, state, seat, steps);
}

void pyr_state_apply_unchecked(struct pyr_state *state, const struct pyr_box *box, pyr_seat seat, pyr_step step)
{
    PYR_ASSERT(pyr_state_check_step(state, box, seat, step) == PYR_OK);
    DISPATCH(api_state_make, box, state, seat, step);
}

enum pyr_err pyr_state_apply(struct pyr_state *state, const struct pyr_box *box, pyr_seat seat, pyr_step step)
{
    enum pyr_err err = pyr_state_check_step(state, box, seat, step);
    if (!err)
        DISPATCH(api_state_make, box, state, seat, step);
    return err;
}

uint32_t pyr_state_playout(struct pyr_state *state, const struct pyr_box *box, struct pyr_rng *rng)
{
    return DISPATCH(api_playout, box, state, rng);
}

void pyr_playouts_init(struct pyr_playout_tables *tables, const struct pyr_box *box)
{
    batch_init(tables, box);
}

enum pyr_err pyr_playouts_run(struct pyr_playouts *sum, const struct pyr_playout_tables *tables, const struct pyr_box *box,
    unsigned seats, uint64_t games, uint64_t seed, int16_t *scores)
{
    if (!pyr_options_has_seats(&pyr_rulebook, seats))
        return PYR_ERR_SEATS;
    DISPATCH(api_playouts, tables, box, seats, games, seed, scores, sum);
    return PYR_OK;
}

void pyr_desk_steps(const struct pyr_desk *desk, const struct pyr_box *box, pyr_pattern pattern, struct pyr_steps *steps)
{
    DISPATCH(api_desk_steps, box, desk, pattern, steps);
}

enum pyr_err pyr_desk_mark(struct pyr_desk *desk, const struct pyr_box *box, pyr_pattern pattern, unsigned round,
    pyr_step step)
{
    enum pyr_err err = pyr_desk_check_mark(desk, box, pattern, step);
    if (err)
        return err;
    if (step == pyr_step_pass())
        desk->due = desk->flags = 0;
    else
        DISPATCH(api_desk_mark, box, desk, pattern, round, step);
    return PYR_OK;
}

bool pyr_choice_is_same(const pyr_step *a, unsigned a_count, const pyr_step *b, unsigned b_count)
{
    if (a_count != b_count)
        return false;
    for (unsigned i = 0; i < a_count; i++)
        if (a[i] != b[i])
            return false;
    return true;
}
