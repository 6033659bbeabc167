/*
 * flatmc.c: flat Monte Carlo, a fixed yardstick: its numbers are part of its definition and must not be tuned.
 *
 * 4,000 playouts with the policy of the lookup tables. It starts with the policy's 16 best choices; after each quarter
 * of the playouts the better half is kept (successive halving). All choices are tried in the same sampled states.
 * Results are shares of the win; points decide only between equal ones.
 */
#include <pyramids/score.h>

#include "candidates.h"
#include "list.h"

enum { PLAYOUTS = 4000, CANDIDATES = 16, HALVINGS = 4 };

/* The player's share of the win, plus a hundredth for a margin of a hundred points. */
static float result(const struct pyr_box *box, const struct pyr_state *state, pyr_seat seat)
{
    unsigned winners = pyr_table_winners(&state->open, box);
    int mine = pyr_table_score(&state->open, box, seat).total, best = INT_MIN;
    for (pyr_seat s = 0; s < state->open.seats; s++) {
        int total = pyr_table_score(&state->open, box, s).total;
        if (s != seat && total > best)
            best = total;
    }
    return (winners >> seat & 1 ? 1.0f / (float)__builtin_popcount(winners) : 0) + 1e-4f * (float)(mine - best);
}

static pyr_step choose(void *memory, const struct pyr_box *box, const struct pyr_view *view, struct pyr_rng *rng,
    const struct pyr_budget *budget)
{
    const struct tables *tables = memory;
    const struct pyr_view now = policy_reopen(view);
    struct candidate list[CANDIDATES];
    unsigned count = candidates_find(tables, box, view, list, CANDIDATES);
    uint64_t playouts = budget && budget->nodes ? budget->nodes : PLAYOUTS;
    while (count > 1) {
        /* Every halving gets the same number of playouts, so fewer candidates are played in more worlds. */
        uint64_t worlds = playouts / HALVINGS / count;
        for (uint64_t w = 0; w <= worlds; w++) {
            struct pyr_state world, state;
            pyr_view_sample(&now, box, rng, &world);
            for (unsigned i = 0; i < count; i++) {
                state = world;
                pyr_state_apply_unchecked(&state, box, view->seat, list[i].step);
                policy_playout(tables, box, &state, false);
                list[i].value += result(box, &state, view->seat);
            }
            if (budget && budget->is_over && budget->is_over(budget->context)) {
                playouts = 0;
                break;
            }
        }
        /* Keeps the better half; equal ones stay in the order of the policy. */
        candidates_sort(list, count);
        count = playouts ? (count + 1) / 2 : 1;
    }
    return list[0].step;
}

const struct pyr_bot bot_flatmc = { "flatmc", tables_memory, tables_prepare_plain, choose };
