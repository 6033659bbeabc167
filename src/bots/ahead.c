/*
 * ahead.c: looking ahead (ahead.h).
 *
 * Expectimax for one player: chance nodes (before_turn) average over the patterns left in the round, decision nodes (turn)
 * take the best of the policy's marks, by the network. Every level builds its own struct net_table, since the accumulator in
 * there is valid only for desks at one moment.
 */
#include "ahead.h"

/* One call of ahead_values: data that stays the same over the whole tree. */
struct ahead {
    const struct ahead_plan *plan;
    struct net_table root;       /* the table after the present turn */
};

/* One way to play a turn, and the desk after it. */
struct leaf {
    struct net_node node;
    float value;                 /* without looking ahead */
};

static float before_turn(const struct ahead *a, const struct net_node *node, const uint8_t *pool, unsigned left,
    unsigned depth);

/* The best result of a turn whose pattern is known. `at` is the table after it. Two widths keep the tree small: `tried`
 * marks of the policy are rated by the network, and of these the best `followed` are searched further. The insertion sort
 * keeps the list in descending order, so best[0] is the answer where the search ends. */
static float turn(const struct ahead *a, struct net_table *at, const struct net_node *node, unsigned pattern, unsigned depth)
{
    struct policy_desk marks;
    pyr_step steps[AHEAD_TRIED];
    struct leaf best[AHEAD_TRIED];
    unsigned kept = 0, most = depth ? a->plan->followed : 1;
    policy_begin_at(&marks, at->tables, at->box, at->open, &node->desk, at->left);
    unsigned found = policy_best_marks(&marks, pattern, steps, a->plan->tried);
    for (unsigned i = 0; i < found; i++) {
        struct net_node then = *node;
        net_play(at, &then, pattern, steps[i]);
        float value = net_score(at, &then);
        if (kept == most && value <= best[most - 1].value)
            continue;
        unsigned place = kept < most ? kept++ : most - 1;
        for (; place && best[place - 1].value < value; place--)
            best[place] = best[place - 1];
        best[place].value = value;
        best[place].node = then;
    }
    if (!depth || !at->left)
        return best[0].value;
    float value = -1e9f;
    for (unsigned i = 0; i < kept; i++) {
        float v = before_turn(a, &best[i].node, at->pool, at->left, depth);
        value = v > value ? v : value;
    }
    return value;
}

/* The mean over the patterns that can be revealed, with `left` turns to come, of which `depth` are searched. */
static float before_turn(const struct ahead *a, const struct net_node *node, const uint8_t *pool, unsigned left,
    unsigned depth)
{
    struct net_table at;
    float sum = 0, cards = 0;
    if (!left || !depth) {
        net_begin_at(&at, &a->root, left, pool);
        return net_score(&at, node);
    }
    struct net_node next = *node;
    next.desk.due = 1;
    next.desk.flags = PYR_DESK_FIRST;
    for (unsigned p = 0; p < PYR_PATTERNS; p++) {
        uint8_t rest[PYR_PATTERNS];
        if (!pool[p])
            continue;
        /* A new round begins with all expedition cards (R6). */
        bool last = (left - 1) % PYR_TURNS == 0;
        for (unsigned i = 0; i < PYR_PATTERNS; i++)
            rest[i] = (uint8_t)(last ? a->root.box->pattern[i].copies : pool[i] - (i == p));
        net_begin_at(&at, &a->root, left - 1, rest);
        sum += (float)pool[p] * turn(a, &at, &next, p, depth - 1);
        cards += (float)pool[p];
    }
    return sum / cards;
}

/* Fills in the value of each candidate: expected final points of this seat alone, without the other players. A draw
 * from the deck is a separate chance node: the mean over all cards that may be on top. `slot` is the empty place on
 * the desk. */
void ahead_values(const struct net *net, const struct tables *tables, const struct ahead_plan *plan,
    const struct pyr_box *box, const struct pyr_view *view, struct candidate *list, unsigned count)
{
    struct ahead a = { .plan = plan };
    struct net_node node;
    const struct pyr_table *open = &view->open;
    net_begin(&a.root, net, tables, box, open, view->seat);
    net_node_init(&node, open, view->seat, &view->mine);
    unsigned left = a.root.left, slot = node.desk.card[0] == PYR_NO_CARD ? 0 : 1;
    for (unsigned i = 0; i < count; i++) {
        struct net_node then = node;
        float sum = 0, cards = 0;
        pyr_step step = list[i].step;
        switch (pyr_step_kind(step)) {
        case PYR_STEP_KEEP:
            pyr_desk_lay(&then.desk, box, 0, pyr_step_card(step));
            pyr_desk_lay(&then.desk, box, 1, pyr_step_second(step));
            break;
        case PYR_STEP_TAKE:
            pyr_desk_lay(&then.desk, box, slot, pyr_step_card(step));
            net_renew(&a.root, &then.desk);
            break;
        case PYR_STEP_DRAW:
            for (pyr_cardset s = open->deck; s; s &= s - 1, cards++) {
                then = node;
                pyr_desk_lay(&then.desk, box, slot, (pyr_card)__builtin_ctzll(s));
                net_renew(&a.root, &then.desk);
                sum += before_turn(&a, &then, a.root.pool, left, plan->depth);
            }
            list[i].value = cards > 0 ? sum / cards : -1e6f;
            continue;
        case PYR_STEP_PASS:
        case PYR_STEP_MARK:
            net_play(&a.root, &then, open->revealed[open->turn], step);
            break;
        }
        list[i].value = before_turn(&a, &then, a.root.pool, left, plan->depth);
    }
}
