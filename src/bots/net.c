/*
 * net.c: a learned rating of desks (net.h).
 *
 * A small network: NET_INPUTS numbers about a desk and the table, one hidden layer of rectified units, one output. It
 * does not predict the score itself but how far it will be from an estimate by the tables (net_base), which is easier to
 * learn.
 *
 * Two caches make it fast. Positions that are rated one after the other differ little, so net_output keeps the sums of
 * the hidden layer and adds only what changed (`input`, `unit`, `direct` of struct net_table: an accumulator). And the
 * values of the patterns on a card are kept per slot while the card does not change (`last`).
 *
 * Floats are summed in a fixed order, in lanes of four.
 */
#include <pyramids/score.h>

#include "net.h"
#include "value.h"

const struct net net_learned = {
#include "learned_net.h"
};

static unsigned count(uint64_t set)
{
    return (unsigned)__builtin_popcountll(set);
}

/* A slot of the desk. */
struct half {
    const int16_t *curve;        /* its value by turns to come */
    unsigned index;              /* of its marks in the tables */
    bool there, fresh;           /* the slot has a card; the card has no marks */
};

/* For an empty slot: worth nothing with any number of turns. */
static const int16_t no_curve[TABLE_TURNS];

/* Looks up the card of a slot in the tables. */
static void look(const struct tables *tables, const struct pyr_box *box, const struct pyr_desk *desk, unsigned slot,
    struct half *to)
{
    pyr_card c = desk->card[slot];
    to->there = c != PYR_NO_CARD;
    to->curve = no_curve;
    to->fresh = false;
    to->index = 0;
    if (!to->there)
        return;
    pyr_spaces marks = box->card[c].open & ~pyr_pair_half(slot, desk->free);
    to->index = table_index(&tables->map[c], marks);
    to->fresh = !marks;
    to->curve = marks ? tables->value[c][to->index] : tables->fresh[c];
}

/* The part of the inputs that is the same for all desks at this moment: the number of seats and of turns left are added
 * directly to the sums of the hidden layer instead of being one-hot inputs. `pool` counts the expedition cards that can
 * still be revealed. */
static void set_table(struct net_table *to, unsigned left, const uint8_t *pool)
{
    const struct net *net = to->net;
    unsigned cards = 0, seats = to->open->seats - 2u;
    to->left = left;
    to->into = left ? (left - 1) % PYR_TURNS + 1 : 0;
    to->round = left ? PYR_ROUNDS - 1 - (left - 1) / PYR_TURNS : PYR_ROUNDS - 1;
    for (unsigned p = 0; p < PYR_PATTERNS; p++) {
        to->pool[p] = pool[p];
        cards += pool[p];
    }
    to->pool_share = cards ? 1 / (float)cards : 0;
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++)
        to->last[slot] = (struct net_half){ .card = PYR_NO_CARD };
    for (unsigned i = 0; i < NET_INPUTS; i++)
        to->input[i] = 0;
    to->direct = net->out_seats[seats] + net->out_left[left];
    for (unsigned j = 0; j < NET_HIDDEN / 4; j++) {
        net_lanes a, b;
        __builtin_memcpy(&a, &net->seats[seats][4 * j], sizeof a);
        __builtin_memcpy(&b, &net->left[left][4 * j], sizeof b);
        to->unit[j] = a + b;
    }
}

/* left % PYR_TURNS is 0 between rounds, when all cards of the next round are still to come (R6). */
void net_begin(struct net_table *to, const struct net *net, const struct tables *tables, const struct pyr_box *box,
    const struct pyr_table *open, pyr_seat seat)
{
    unsigned left = value_turns(open);
    uint8_t pool[PYR_PATTERNS];
    to->net = net;
    to->tables = tables;
    to->box = box;
    to->open = open;
    for (unsigned p = 0; p < PYR_PATTERNS; p++)
        pool[p] = box->pattern[p].copies;
    for (unsigned i = 0; i <= open->turn && left % PYR_TURNS; i++)
        if (open->revealed[i] != PYR_NO_PATTERN)
            pool[open->revealed[i]]--;
    for (unsigned c = 0; c < PYR_COLOURS; c++) {
        to->rivals[c] = 0;
        for (pyr_seat s = 0; s < open->seats; s++) {
            unsigned have = count(open->desk[s].done & box->colour[c]);
            to->rivals[c] = (uint8_t)(to->rivals[c] + (s != seat && pyr_options_is_claim(pyr_table_options(open),
                have + 1)));
        }
    }
    set_table(to, left, pool);
}

/* The rivals stay those of the root: pyramids that other players complete meanwhile are not simulated. */
void net_begin_at(struct net_table *to, const struct net_table *from, unsigned left, const uint8_t *pool)
{
    to->net = from->net;
    to->tables = from->tables;
    to->box = from->box;
    to->open = from->open;
    __builtin_memcpy(to->rivals, from->rivals, sizeof to->rivals);
    set_table(to, left, pool);
}

/* `place` is the number of tiles of each colour that are taken: the next claim takes the one after them. */
void net_node_init(struct net_node *to, const struct pyr_table *open, pyr_seat seat, const struct pyr_desk *desk)
{
    to->desk = *desk;
    to->points = pyr_table_points(open, seat);
    for (unsigned c = 0; c < PYR_COLOURS; c++) {
        to->place[c] = 0;
        while (to->place[c] < PYR_TILES && open->tile[c][to->place[c]] != PYR_NOBODY)
            to->place[c]++;
    }
}

/* habit: long, because the inputs of the network are listed one after the other, in the order in which it was trained;
 * splitting the function would hide that order. Inputs are scaled to about 0 to 1 by the constants in each line
 * (TABLE_UNIT turns table values into points; the rest is a typical size), since training with gradient descent needs
 * inputs of similar size. They are part of the trained network: changing one needs new weights (tools/bot_learn.c). */
void net_inputs(struct net_table *at, const struct net_node *node, float *to)
{
    const struct pyr_desk *desk = &node->desk;
    const struct tables *tables = at->tables;
    const struct pyr_box *box = at->box;
    struct half half[PYR_SLOTS];
    unsigned have[PYR_COLOURS], left = at->left, t = table_turns(left);
    float next[PYR_SLOTS] = { 0 }, both = 0;
    for (unsigned i = 0; i < NET_INPUTS; i++)
        to[i] = 0;
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++)
        look(tables, box, desk, slot, &half[slot]);
    /* The value of each pattern that can be revealed next. */
    if (left) {
        unsigned then_t = table_turns(left - 1);
        struct policy_desk then = { tables, box, at->open, desk, left - 1, then_t, { half[0].index, half[1].index },
            { half[0].fresh, half[1].fresh }, { half[0].curve[then_t], half[1].curve[then_t] },
            desk->torches >> at->round & 1 ? 0 : tables->weights.of[W_TORCH_NOW] };
        for (unsigned slot = 0; slot < PYR_SLOTS; slot++) {
            struct net_half key = { desk->done, (uint32_t)desk->tally, pyr_pair_half(slot, desk->free), desk->card[slot],
                { 0 } };
            struct net_half *last = &at->last[slot];
            if (last->card == key.card && last->free == key.free && last->tally == key.tally && last->done == key.done)
                continue;
            *last = key;
            for (unsigned p = 0; p < PYR_PATTERNS && half[slot].there; p++)
                if (at->pool[p])
                    last->worth[p] = policy_quick_value(&then, slot, p);
        }
        for (unsigned p = 0; p < PYR_PATTERNS; p++) {
            int one = at->last[0].worth[p] * at->pool[p], other = at->last[1].worth[p] * at->pool[p];
            next[0] += (float)one;
            next[1] += (float)other;
            both += (float)(one > other ? one : other);
        }
    }
    float share = at->pool_share * (1.0f / TABLE_UNIT / 8);
    to[N_BOTH] = both * share;
    float next_points[PYR_COLOURS];
    const struct pyr_options *options = pyr_table_options(at->open);
    for (unsigned c = 0; c < PYR_COLOURS; c++) {
        have[c] = count(desk->done & box->colour[c]);
        next_points[c] = node->place[c] < PYR_TILES ? (float)pyr_tile_value(node->place[c]) * 0.1f : 0;
        float points = pyr_options_can_claim(options, have[c]) ? next_points[c] * 0.5f : 0;
        to[have[c] & 1 ? N_ODD : N_EVEN] += points;
        if (have[c] & 1)
            to[N_RACES] += points * at->rivals[c];
    }
    unsigned first = half[1].curve[2] > half[0].curve[2];    /* the value with two turns shows best which card is nearer
                                                                to completion */
    for (unsigned k = 0; k < PYR_SLOTS; k++) {
        unsigned slot = k ^ first;
        float *of = to + k * N_CARD;
        pyr_card c = desk->card[slot];
        if (c == PYR_NO_CARD) {
            to[N_ONE_CARD] += 1;
            continue;
        }
        unsigned colour = box->card[c].colour;
        for (unsigned i = 1; i < TABLE_TURNS; i++)
            of[N_CURVE + i - 1] = (float)half[slot].curve[i < t ? i : t] * (1.0f / TABLE_UNIT / 16);
        uint32_t symbols = table_symbols(&tables->map[c], pyr_pair_half(slot, desk->free));
        for (unsigned i = 0; i < 6; i++)
            of[N_SYMBOLS + i] = (float)(symbols >> 4 * i & 15) * 0.3f;
        float points = pyr_options_can_claim(options, have[colour]) ? next_points[colour] : 0;
        of[have[colour] & 1 ? N_PAIR : N_HALF] = points;
        of[N_RIVALS] = points * at->rivals[colour];
        of[N_FRESH] = half[slot].fresh;
        of[N_NEXT] = next[slot] * share;
        have[colour]++;
    }
    if (half[0].there && half[1].there)
        to[N_SAME] = box->card[desk->card[0]].colour == box->card[desk->card[1]].colour;
    unsigned lesser = desk->rubies < desk->emeralds ? desk->rubies : desk->emeralds;
    to[N_RUBIES] = (float)desk->rubies * 0.1f;
    to[N_EMERALDS] = (float)desk->emeralds * 0.1f;
    to[N_LESSER] = (float)lesser * 0.1f;
    to[N_GEMS] = (float)tables->gems[left][desk->rubies][desk->emeralds] * (1.0f / TABLE_UNIT / 40);
    to[N_SKULLS] = (float)desk->skulls * 0.1f;
    to[N_PENALTY] = (float)tables->skulls[left][desk->skulls] * (1.0f / TABLE_UNIT / 10);
    to[N_STEP] = (float)(tables->skulls[left][desk->skulls < PYR_SKULLS ? desk->skulls + 1 : PYR_SKULLS] -
        tables->skulls[left][desk->skulls]) * (1.0f / TABLE_UNIT / 2);
    if (left && !(desk->torches >> at->round & 1)) {
        to[N_TORCH] = 1;
        to[N_TORCH_TURNS] = (float)at->into * (1.0f / PYR_TURNS);
    }
    to[N_DONE] = (float)count(desk->done) * 0.1f;
    int best = 0, second = 0;
    for (unsigned i = 0; i < PYR_DISPLAY; i++) {
        pyr_card c = at->open->display[i];
        if (c == PYR_NO_CARD || c == desk->card[0] || c == desk->card[1] || desk->done >> c & 1)
            continue;
        int value = tables->fresh[c][t];
        if (value > best)
            second = best, best = value;
        else if (value > second)
            second = value;
    }
    to[N_DISPLAY] = (float)best * (1.0f / TABLE_UNIT / 16);
    to[N_SECOND] = (float)second * (1.0f / TABLE_UNIT / 16);
}

/* Points that are certain, plus three quarters of the tables' values of the two cards, plus three points for each turn
 * beyond the tables' horizon. This is intentionally rough: the network learns the difference. */
float net_base(const struct net_table *at, const struct net_node *node)
{
    const struct pyr_desk *desk = &node->desk;
    const struct tables *tables = at->tables;
    unsigned left = at->left, t = table_turns(left);
    struct half half;
    const struct pyr_options *options = pyr_table_options(at->open);
    int sure = (options->pyramid * (int)count(desk->done) + options->torch * (int)count(desk->torches) +
        node->points) * TABLE_UNIT;
    int more = 0;
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++) {
        look(tables, at->box, desk, slot, &half);
        more += half.curve[t];
    }
    sure += tables->gems[left][desk->rubies][desk->emeralds] - tables->skulls[left][desk->skulls];
    return ((float)sure + 0.75f * (float)more) * (1.0f / TABLE_UNIT) + 3.0f * (float)(left - t);
}

/* A comparison of four floats gives four masks, all ones or zeros: x & (x > 0) is the rectifier without a branch. */
typedef int32_t mask __attribute__((vector_size(16)));

/* The network's output for these inputs. An input that has not changed costs one comparison; one that has costs a row of
 * weights. The order in which desks are rated affects the sums only by rounding. */
static float net_output(struct net_table *at, const float *input)
{
    const struct net *net = at->net;
    net_lanes total = { 0, 0, 0, 0 }, row[NET_HIDDEN / 4];
    for (unsigned i = 0; i < NET_INPUTS; i++) {
        float x = input[i] - at->input[i];
        if (x == 0)
            continue;
        at->input[i] = input[i];
        net_lanes all = { x, x, x, x };
        __builtin_memcpy(row, net->in[i], sizeof row);
        for (unsigned j = 0; j < NET_HIDDEN / 4; j++)
            at->unit[j] += row[j] * all;
        at->direct += net->direct[i] * x;
    }
    __builtin_memcpy(row, net->out, sizeof row);
    for (unsigned j = 0; j < NET_HIDDEN / 4; j++) {
        mask positive = at->unit[j] > (net_lanes){ 0, 0, 0, 0 };
        total += (net_lanes)((mask)at->unit[j] & positive) * row[j];
    }
    return at->direct + (total[0] + total[1]) + (total[2] + total[3]);
}

/* Writes to `at`: the accumulator and the values per slot. So a struct net_table belongs to one thread. */
float net_score(struct net_table *at, const struct net_node *node)
{
    float input[NET_INPUTS];
    if (!at->left)
        return (float)pyr_desk_score(&node->desk, at->box, node->points).total;
    net_inputs(at, node, input);
    return net_base(at, node) + net_output(at, input);
}

/* Sets completed cards aside, takes the pyramid points (R12, R14) and new cards. Other players are ignored: a claim
 * always takes the next free tile. New cards are taken only if there is a turn left to use them. */
static void end_turn(const struct net_table *at, struct net_node *node)
{
    struct pyr_desk *desk = &node->desk;
    pyr_cardset before = desk->done;
    unsigned tombs = desk->flags & PYR_DESK_TOMBS;
    desk->flags = 0;
    desk->due = 0;
    if (!tombs)
        return;
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++) {
        if (!(tombs & PYR_DESK_TOMB(slot)))
            continue;
        desk->done |= PYR_CARD_BIT(desk->card[slot]);
        desk->free &= ~pyr_pair_of(slot, PYR_ALL_SPACES);
        desk->reach &= ~pyr_pair_of(slot, PYR_ALL_SPACES);
        desk->card[slot] = PYR_NO_CARD;
    }
    for (unsigned c = 0; c < PYR_COLOURS; c++) {
        unsigned had = count(before & at->box->colour[c]), has = count(desk->done & at->box->colour[c]);
        if (pyr_options_claims_between(pyr_table_options(at->open), had, has) && node->place[c] < PYR_TILES)
            node->points += pyr_tile_value(node->place[c]++);
    }
    if (at->left)
        net_renew(at, desk);
}

/* The best card of the display by the tables, as if no other player wanted it. */
void net_renew(const struct net_table *at, struct pyr_desk *desk)
{
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++) {
        if (desk->card[slot] != PYR_NO_CARD)
            continue;
        pyr_card best = PYR_NO_CARD;
        int most = INT_MIN;
        for (unsigned i = 0; i < PYR_DISPLAY; i++) {
            pyr_card card = at->open->display[i];
            if (card == PYR_NO_CARD || card == desk->card[0] || card == desk->card[1] || desk->done >> card & 1)
                continue;
            int value = policy_value_card(at->tables, at->box, at->open, desk, card, 0);
            if (value > most)
                most = value, best = card;
        }
        if (best != PYR_NO_CARD)
            pyr_desk_lay(desk, at->box, slot, best);
    }
}

/* The first mark is given; extra marks are the policy's best. The round is that of the turn being played: after it,
 * at->left turns are to come. */
void net_play(const struct net_table *at, struct net_node *node, unsigned pattern, pyr_step mark)
{
    struct pyr_desk *desk = &node->desk;
    unsigned round = (ALL_TURNS - 1 - at->left) / PYR_TURNS;
    for (;;) {
        if (mark == pyr_step_pass())
            break;
        pyr_desk_mark(desk, at->box, (pyr_pattern)pattern, round, mark);
        if (!desk->due)
            break;
        struct policy_desk extra;
        policy_begin_at(&extra, at->tables, at->box, at->open, desk, at->left);
        policy_best_marks(&extra, pattern, &mark, 1);
    }
    end_turn(at, node);
}
