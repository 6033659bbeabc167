/*
 * search.c: the stronger players' search (search.h).
 *
 * Successive halving: all candidates are played in the same worlds; after each round the better half is kept, so that
 * most playouts are used on choices that are hard to tell apart. The rounds share `plan->playouts` equally.
 *
 * The same seed and the same number of playouts give the same choice; a budget that ends by time does not.
 */
#include <pyramids/score.h>

#include "ahead.h"
#include "endgame.h"
#include "search.h"

/* Nine words of anchors, for 25 spaces on each of two cards. */
enum { MOST_STEPS = 9 * 50 };

/*
 * How good the position is, from 0 to 1: the margin over the best other player by final scores, expected or true,
 * relative to its uncertainty. A true margin is uncertain, too, since players in a playout could have played better, so a
 * narrow defeat counts for more than a clear one. This varies less than a win, so fewer playouts are needed to
 * distinguish two choices.
 * Called at the leaf of a playout. The function x / (spread + |x|) is a sigmoid without exp(): the result is the same on
 * every machine, and freestanding wasm has no exp(). A true tie on points is decided by the tie rule (R17), hence the
 * margin of 1 or -1.
 */
static float result(const struct tables *tables, const struct search_plan *plan, const struct pyr_box *box,
    const struct pyr_state *state, pyr_seat seat)
{
    const struct pyr_table *open = &state->open;
    float mine = 0, best = -1e6f, spread = plan->spread;
    for (pyr_seat s = 0; s < open->seats; s++) {
        float score;
        if (open->phase == PYR_END) {
            score = (float)pyr_table_score(open, box, s).total;
        } else if (plan->net) {
            struct net_table at;
            struct net_node node;
            net_begin(&at, plan->net, tables, box, open, s);
            net_node_init(&node, open, s, &open->desk[s]);
            score = net_score(&at, &node);
        } else {
            score = value_score(tables, box, open, s);
        }
        if (s == seat)
            mine = score;
        else if (score > best)
            best = score;
    }
    float margin = mine - best, size = margin < 0 ? -margin : margin;
    if (open->phase != PYR_END)
        spread += value_lines[open->seats - 2][value_turns(open)].spread;
    else if (size < 0.5f)
        margin = pyr_table_winners(open, box) >> seat & 1 ? 1 : -1, size = 1;
    /* Between 0 and 1, steep around a margin of 0 and flat far from it; the last term makes a larger margin better
     * everywhere. */
    return 0.5f + 0.5f * margin / (spread + size) + 1e-4f * margin;
}

/* All seats play by the policy, for the plan's number of turns after the present one, or to the end. `state` is changed
 * in place. It is a sampled world, so even hidden cards are known in it; the policy uses only what its seat may see. */
static void play_on(const struct tables *tables, const struct search_plan *plan, const struct pyr_box *box,
    struct pyr_state *state)
{
    unsigned turns = plan->turns;
    for (;;) {
        if (state->open.phase == PYR_SHOW) {
            pyr_state_show(state, box);
        } else if (state->open.phase == PYR_REVEAL) {
            if (!turns--)
                return;
            pyr_state_reveal(state, box);
        } else if (state->open.phase == PYR_END) {
            return;
        } else {
            pyr_seat seat = (pyr_seat)__builtin_ctz(state->open.waiting);
            pyr_state_apply_unchecked(state, box, seat, policy_step(tables, box, state, seat, plan->exact));
        }
    }
}

/* In the last turns: only choices whose expected points are among the best stay. Fills `list` and returns how many there
 * are, at least one. In the last turn there is no slack: only choices of equal value stay, and the playouts decide
 * between them by the share of wins. */
static unsigned count_out(const struct tables *tables, const struct search_plan *plan, const struct pyr_box *box,
    const struct pyr_view *view, struct candidate *list)
{
    struct pyr_steps legal;
    pyr_step steps[MOST_STEPS];
    float values[MOST_STEPS], best = -1e9f;
    unsigned count = 0, kept = 0;
    pyr_view_steps(view, box, &legal);
    for (; count < legal.count && count < MOST_STEPS; count++)
        steps[count] = pyr_steps_at(&legal, box, count);
    endgame_values(tables, box, view, plan->breadth, steps, values, count);
    for (unsigned i = 0; i < count; i++)
        best = values[i] > best ? values[i] : best;
    float least = best - (turns_left(&view->open) ? plan->slack : 0);
    /* The best one first, so that it is never left out. */
    for (unsigned i = 0; i < count; i++)
        if (values[i] >= best && kept < plan->candidates)
            list[kept++] = (struct candidate){ steps[i], 0, 0 };
    for (unsigned i = 0; i < count; i++)
        if (values[i] < best && values[i] >= least && kept < plan->candidates)
            list[kept++] = (struct candidate){ steps[i], 0, 0 };
    return kept;
}

/* Candidates of the network: the best by their immediate value, and of these the best after a look ahead. Not for
 * keeping, when there is no display yet: the network was not trained for that. There are two passes because the look
 * ahead is expensive: the first rates every candidate without it (depth 0), the second looks ahead with the few that are
 * left. Values are reset to 0 at the end, since the playouts sum their results into them. */
static unsigned candidates_ahead(const struct tables *tables, const struct search_plan *plan, const struct pyr_box *box,
    const struct pyr_view *view, struct candidate *list)
{
    static const struct ahead_plan stand = { 0, 1, 1 };
    unsigned count = candidates_find(tables, box, view, list, SEARCH_MOST);
    ahead_values(plan->net, tables, &stand, box, view, list, count);
    candidates_sort(list, count);
    if (count > plan->candidates)
        count = plan->candidates;
    ahead_values(plan->net, tables, &plan->ahead, box, view, list, count);
    candidates_sort(list, count);
    unsigned kept = 1;
    while (kept < count && list[kept].value >= list[0].value - plan->near)
        kept++;
    for (unsigned i = 0; i < kept; i++)
        list[i].value = 0;
    return kept;
}

/* Candidates are found in one of three ways: by the endgame search in the last turns, by the network with a look
 * ahead, or by the policy. If more than one is left, playouts decide. Common random numbers: every candidate is played
 * in the same sampled world, so that the luck of the cards cancels in the comparison. Sums are not reset between
 * rounds: all candidates still in the list have been played equally often, so their sums can be compared. */
pyr_step search_choose(const struct tables *tables, const struct search_plan *plan, const struct pyr_box *box,
    const struct pyr_view *view, struct pyr_rng *rng, const struct pyr_budget *budget)
{
    const struct pyr_view now = policy_reopen(view);
    struct candidate list[SEARCH_MOST];
    bool late = view->open.phase != PYR_KEEP && turns_left(&view->open) <= ENDGAME_TURNS;
    unsigned count = late ? count_out(tables, plan, box, view, list) :
        plan->net && view->open.phase != PYR_KEEP ? candidates_ahead(tables, plan, box, view, list) :
        candidates_find(tables, box, view, list, plan->candidates);
    uint64_t playouts = budget && budget->nodes ? budget->nodes : plan->playouts[view->open.seats - PYR_MIN_SEATS];
    while (count > 1) {
        uint64_t worlds = playouts / plan->rounds / count;
        /* At least one world, even if there are fewer playouts than candidates. */
        for (uint64_t w = 0; w <= worlds; w++) {
            struct pyr_state world, state;
            pyr_view_sample(&now, box, rng, &world);
            for (unsigned i = 0; i < count; i++) {
                state = world;
                pyr_state_apply_unchecked(&state, box, view->seat, list[i].step);
                play_on(tables, plan, box, &state);
                list[i].value += result(tables, plan, box, &state, view->seat);
            }
            /* The time is up: the sums so far decide. All candidates have been played in this world, so they can be
             * compared. */
            if (budget && budget->is_over && budget->is_over(budget->context)) {
                playouts = 0;
                break;
            }
        }
        candidates_sort(list, count);
        count = playouts ? (count + 1) / 2 : 1;
    }
    return list[0].step;
}
