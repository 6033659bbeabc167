/*
 * policy.c: choices by the lookup tables (policy.h).
 *
 * A value is in 32nds of a point (TABLE_UNIT) and relative: how much a step adds to the tables' value of the desk. The
 * policy considers only one player, except in the race for pyramid points.
 *
 * Everything here is integer arithmetic, so choices are the same on every machine.
 */
#include <pyramids/score.h>

#include "policy.h"

/* A completed pyramid, in TABLE_UNITs. */
enum { PYRAMID_WORTH = PYR_RULEBOOK_PYRAMID * TABLE_UNIT };

static unsigned count(uint64_t set)
{
    return (unsigned)__builtin_popcountll(set);
}

static unsigned lesser(unsigned a, unsigned b) { return a < b ? a : b; }

/* The points for the next claim of this colour. */
static int next_points(const struct pyr_table *open, unsigned colour)
{
    for (unsigned place = 0; place < PYR_TILES; place++)
        if (open->tile[colour][place] == PYR_NOBODY)
            return pyr_tile_value(place);
    return 0;
}

/* How many other players lack one pyramid for the points of a colour. */
static int rivals(const struct pyr_box *box, const struct pyr_table *open, const struct pyr_desk *mine, unsigned colour)
{
    int found = 0;
    for (unsigned s = 0; s < open->seats; s++) {
        unsigned have = count(open->desk[s].done & box->colour[colour]);
        /* With an odd number of pyramids, no two players have the same: this excludes the player's own desk. */
        found += pyr_options_is_claim(pyr_table_options(open), have + 1) && open->desk[s].done != mine->done;
    }
    return found;
}

/* The gain, beyond ten points, of completing a card of that colour; `have` is the number of the player's pyramids of the
 * colour before it. The weights (weights.h) are in 32nds. Rivals make completing a pair more urgent, and the first half
 * of a pair less likely to pay off. With fewer than 12 turns left, the chance to complete the second half in time is
 * assumed to fall in proportion. */
static int race(const struct tables *tables, const struct pyr_box *box, const struct pyr_table *open,
    const struct pyr_desk *desk, unsigned colour, unsigned have, unsigned left)
{
    const int16_t *w = tables->weights.of;
    int points = next_points(open, colour), rival = 0;
    if (!pyr_options_can_claim(pyr_table_options(open), have) || !points)
        return 0;
    if (w[W_RIVAL])
        rival = w[W_RIVAL] * rivals(box, open, desk, colour);
    if (pyr_options_is_claim(pyr_table_options(open), have + 1))
        return points * (w[W_PAIR] + rival) * (TABLE_UNIT / 32);
    /* The first of two: the second has to be completed in time and before the rivals' ones. */
    return points * (w[W_HALF] - rival) * (TABLE_UNIT / 32) * (int)lesser(left, 12) / 12;
}

/* The number of pyramids of a colour, including those whose tomb is marked in this turn. */
static unsigned pyramids(const struct pyr_box *box, const struct pyr_desk *desk, unsigned colour)
{
    unsigned have = count(desk->done & box->colour[colour]);
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++)
        have += desk->flags & PYR_DESK_TOMB(slot) && box->card[desk->card[slot]].colour == colour;
    return have;
}

void policy_begin(struct policy_desk *to, const struct tables *tables, const struct pyr_box *box,
    const struct pyr_table *open, const struct pyr_desk *desk)
{
    policy_begin_at(to, tables, box, open, desk, turns_left(open));
}

/* Looks up everything that marks of this desk share, so that a mark needs only a few additions and one table entry. Slots
 * without a card are not filled in; no legal mark is on them. */
void policy_begin_at(struct policy_desk *to, const struct tables *tables, const struct pyr_box *box,
    const struct pyr_table *open, const struct pyr_desk *desk, unsigned left)
{
    unsigned played = ALL_TURNS - 1 - left;
    to->tables = tables;
    to->box = box;
    to->open = open;
    to->desk = desk;
    to->left = left;
    to->t = table_turns(left);
    /* One torch per round counts; the more turns the round still has, the less urgent it is. */
    to->torch = desk->torches >> played / PYR_TURNS & 1 ? 0 :
        tables->weights.of[W_TORCH_NOW] - tables->weights.of[W_TORCH_WAIT] * (int)(left % PYR_TURNS);
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++) {
        pyr_card c = desk->card[slot];
        if (c == PYR_NO_CARD)
            continue;
        const struct pyr_card_face *card = &box->card[c];
        pyr_spaces marks = card->open & ~pyr_pair_half(slot, desk->free);
        to->index[slot] = table_index(&tables->map[c], marks);
        to->fresh[slot] = !marks;
        to->base[slot] = marks ? tables->value[c][to->index[slot]][to->t] : tables->fresh[c][to->t];
    }
}

/* The value of a completed card: ten points, perhaps pyramid points, and a new card. */
static int complete(const struct policy_desk *at, unsigned slot)
{
    unsigned colour = at->box->card[at->desk->card[slot]].colour;
    return PYRAMID_WORTH + at->tables->renew[at->t] +
        race(at->tables, at->box, at->open, at->desk, colour, pyramids(at->box, at->desk, colour), at->left);
}

/* `gain` adds one word per space: the low half counts symbols, four bits each (SPACE_* in tables.h); the high half has
 * the space's bit of the tables' index. Adding counts and combining bits is the same addition, since no space is added
 * twice. */
int policy_value_mark(const struct policy_desk *at, pyr_step mark)
{
    if (mark & PYR_STEP_OTHER)
        return 0;
    const struct tables *tables = at->tables;
    const struct pyr_desk *desk = at->desk;
    unsigned slot = pyr_step_slot(mark), left = at->left;
    pyr_card c = desk->card[slot];
    const struct card_map *map = &tables->map[c];
    pyr_spaces spaces = (pyr_spaces)(mark >> (slot ? PYR_PAIR_SHIFT : 0));
    uint64_t gain = 0;
    for (pyr_spaces s = spaces; s; s &= s - 1)
        gain += map->space[__builtin_ctz(s)];
    int value = 0;
    if ((uint32_t)gain) {
        unsigned r = lesser(desk->rubies + (gain & 15), PYR_GEMS);
        unsigned e = lesser(desk->emeralds + (gain >> 4 & 15), PYR_GEMS);
        unsigned k = lesser(desk->skulls + (gain >> 8 & 15), PYR_SKULLS), potions = gain >> 12 & 15;
        /* A potion erases two skulls (R11). */
        k = k > 2 * potions ? k - 2 * potions : 0;
        value += tables->gems[left][r][e] - tables->gems[left][desk->rubies][desk->emeralds];
        value += tables->skulls[left][desk->skulls] - tables->skulls[left][k];
        value += gain >> 16 & 15 ? at->torch : 0;
        value += tables->weights.of[W_CROSS_NOW] * (int)(gain >> 20 & 15);
    }
    if (desk->flags & PYR_DESK_TOMB(slot))
        return value;
    if (spaces & at->box->card[c].tomb)
        return value + complete(at, slot) - at->base[slot];
    return value + tables->value[c][at->index[slot] | (unsigned)(gain >> 32)][at->t] - at->base[slot];
}

/* The chance of the pyramid points is scaled by how likely the card is to be completed at all. While keeping, the whole
 * game is still to come. */
int policy_value_card(const struct tables *tables, const struct pyr_box *box, const struct pyr_table *open,
    const struct pyr_desk *desk, pyr_card card, pyr_cardset also)
{
    /* The chance, in 32nds, that a new card is completed in this many turns if there is another card as well. */
    static const uint8_t chance[TABLE_TURNS] = { 0, 1, 3, 8, 13, 18, 22, 26 };
    unsigned colour = box->card[card].colour, left = turns_left(open), t = table_turns(left);
    if (open->phase == PYR_KEEP)
        left = ALL_TURNS, t = TABLE_TURNS - 1;
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++)
        if (desk->card[slot] != PYR_NO_CARD)
            also |= PYR_CARD_BIT(desk->card[slot]);
    unsigned have = count((desk->done | also) & box->colour[colour]);
    return tables->fresh[card][t] +
        race(tables, box, open, desk, colour, have, left) * chance[t] / 32 * tables->weights.of[W_CARD_PAIR] / 32;
}

int policy_value_step(const struct tables *tables, const struct pyr_box *box, const struct pyr_table *open,
    const struct pyr_desk *desk, pyr_step step)
{
    pyr_card a = pyr_step_card(step), b = pyr_step_second(step);
    int sum = 0, cards = 0;
    switch (pyr_step_kind(step)) {
    case PYR_STEP_KEEP:
        return policy_value_card(tables, box, open, desk, a, 0) +
            policy_value_card(tables, box, open, desk, b, PYR_CARD_BIT(a));
    case PYR_STEP_TAKE:
        return policy_value_card(tables, box, open, desk, a, 0);
    case PYR_STEP_DRAW:
        for (pyr_cardset s = open->deck; s; s &= s - 1, cards++)
            sum += policy_value_card(tables, box, open, desk, (pyr_card)__builtin_ctzll(s), 0);
        return (cards ? sum / cards : 0) + tables->weights.of[W_DRAW];
    case PYR_STEP_PASS:
    case PYR_STEP_MARK:
        break;
    }
    struct policy_desk at;
    policy_begin(&at, tables, box, open, desk);
    return policy_value_mark(&at, step);
}

/* The mark for a code of the tables, on the card of a slot. Codes below 200 are cell * 8 + turn; from 200 on they are
 * single spaces; there are 25 cells. */
static pyr_step decode(const struct pyr_box *box, unsigned pattern, unsigned slot, unsigned code)
{
    unsigned cell = code >= 200 ? code - 200 : code >> 3;
    unsigned anchor = cell / PYR_SIDE * PYR_ROW + cell % PYR_SIDE;
    uint64_t shape = code >= 200 ? 1 : box->pattern[pattern].shape[code & 7];
    return shape << (anchor + (slot ? PYR_PAIR_SHIFT : 0));
}

/* The better of both cards' best placements; PYR_STEP_NONE if the tables know of none on a card. */
static pyr_step quick_mark(const struct policy_desk *at, unsigned pattern)
{
    const struct pyr_desk *desk = at->desk;
    pyr_step best = PYR_STEP_NONE;
    int most = INT_MIN;
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++) {
        pyr_card c = desk->card[slot];
        if (c == PYR_NO_CARD)
            continue;
        unsigned code = at->fresh[slot] ? at->tables->fresh_best[c][pattern] :
            at->tables->best[c][at->index[slot]][pattern];
        if (code == NO_MOVE)
            return PYR_STEP_NONE;
        pyr_step mark = decode(at->box, pattern, slot, code);
        if (mark & ~desk->free || !(mark & desk->reach))
            return PYR_STEP_NONE;            /* it overlaps marks outside the region */
        int value = policy_value_mark(at, mark);
        if (value > most)
            most = value, best = mark;
    }
    return best;
}

/* 0 if the tables have no answer: the turn would be used on the other card. */
int policy_quick_value(const struct policy_desk *at, unsigned slot, unsigned pattern)
{
    pyr_card c = at->desk->card[slot];
    unsigned code = at->fresh[slot] ? at->tables->fresh_best[c][pattern] : at->tables->best[c][at->index[slot]][pattern];
    if (code == NO_MOVE)
        return 0;
    pyr_step mark = decode(at->box, pattern, slot, code);
    return mark & ~at->desk->free || !(mark & at->desk->reach) ? 0 : policy_value_mark(at, mark);
}

/* The anchors at which a turn of a pattern can be marked: all its spaces are free (R9), and one touches a mark (R10). */
static pyr_pair anchors(const struct pyr_desk *desk, uint64_t shape)
{
    pyr_pair fit = desk->free, touch = desk->reach;
    for (uint64_t s = shape & (shape - 1); s; s &= s - 1) {
        unsigned offset = (unsigned)__builtin_ctzll(s);
        fit &= desk->free >> offset;
        touch |= desk->reach >> offset;
    }
    return fit & touch;
}

/* The best of all marks: each turn of the pattern if it is the first mark, then single spaces. Listing them here is
 * faster than asking the engine for each. */
static pyr_step full_mark(const struct policy_desk *at, unsigned pattern)
{
    const struct pyr_pattern_turns *turns = &at->box->pattern[pattern];
    unsigned count_turns = at->desk->flags & PYR_DESK_FIRST ? turns->turns : 0;
    pyr_step best = PYR_STEP_NONE;
    int most = INT_MIN;
    for (unsigned turn = 0; turn <= count_turns; turn++) {
        uint64_t shape = turn < count_turns ? turns->shape[turn] : 1;
        for (pyr_pair set = anchors(at->desk, shape); set; set &= set - 1) {
            pyr_step step = shape << __builtin_ctzll(set);
            int value = policy_value_mark(at, step);
            if (value > most)
                most = value, best = step;
        }
    }
    return best ? best : pyr_step_pass();
}

/* For extra marks in other searches: always looks at every legal mark. */
pyr_step policy_mark(const struct tables *tables, const struct pyr_box *box, const struct pyr_table *open,
    const struct pyr_desk *desk)
{
    struct policy_desk at;
    policy_begin(&at, tables, box, open, desk);
    return full_mark(&at, open->revealed[open->turn]);
}

/* Best first, at most 64. A pass if nothing can be marked. Inserted into a sorted list: `most` is small, and most marks
 * are dropped by the first comparison. */
unsigned policy_best_marks(const struct policy_desk *at, unsigned pattern, pyr_step *to, unsigned most)
{
    const struct pyr_desk *desk = at->desk;
    const struct pyr_pattern_turns *turns = &at->box->pattern[pattern];
    unsigned count_turns = desk->flags & PYR_DESK_FIRST ? turns->turns : 0, found = 0;
    int values[64];
    for (unsigned turn = 0; turn <= count_turns; turn++) {
        uint64_t shape = turn < count_turns ? turns->shape[turn] : 1;
        for (pyr_pair set = anchors(desk, shape); set; set &= set - 1) {
            pyr_step step = shape << __builtin_ctzll(set);
            int value = policy_value_mark(at, step);
            if (found == most && value <= values[most - 1])
                continue;
            unsigned place = found < most ? found++ : most - 1;
            for (; place && values[place - 1] < value; place--)
                values[place] = values[place - 1], to[place] = to[place - 1];
            values[place] = value, to[place] = step;
        }
    }
    if (!found)
        to[found++] = pyr_step_pass();
    return found;
}

/* renew is the value of a new card of the player's choice; reduced to an average card it is the value of a draw. */
static pyr_step best_replacement(const struct tables *tables, const struct pyr_box *box, const struct pyr_table *open,
    const struct pyr_desk *desk)
{
    unsigned t = table_turns(turns_left(open));
    pyr_step best = pyr_step_draw();
    int most = open->deck_left ? tables->renew[t] * 32 / tables->weights.of[W_RENEW] + tables->weights.of[W_DRAW] : INT_MIN;
    for (unsigned i = 0; i < PYR_DISPLAY; i++) {
        if (open->display[i] == PYR_NO_CARD)
            continue;
        int value = policy_value_card(tables, box, open, desk, open->display[i], 0);
        if (value > most)
            most = value, best = pyr_step_take(open->display[i]);
    }
    return best;
}

/* With `exact` false it takes the tables' best placement without considering others, which is several times as fast; but
 * not in the last turns, where the tables' horizon matters most. */
pyr_step policy_step(const struct tables *tables, const struct pyr_box *box, const struct pyr_state *state, pyr_seat seat,
    bool exact)
{
    const struct pyr_table *open = &state->open;
    const struct pyr_desk *desk = &state->desk[seat];
    if (open->phase == PYR_REPLACE)
        return best_replacement(tables, box, open, desk);
    struct pyr_steps steps;
    if (open->phase == PYR_MARK) {
        struct policy_desk at;
        policy_begin(&at, tables, box, open, desk);
        if (!exact && desk->flags & PYR_DESK_FIRST && at.left > 2) {
            pyr_step quick = quick_mark(&at, open->revealed[open->turn]);
            if (quick)
                return quick;
        }
        return full_mark(&at, open->revealed[open->turn]);
    }
    pyr_step best = PYR_STEP_NONE;
    int most = INT_MIN;
    pyr_state_steps(state, box, seat, &steps);
    for (uint32_t i = 0; i < steps.count; i++) {
        pyr_step step = pyr_steps_at(&steps, box, i);
        int value = policy_value_step(tables, box, open, desk, step);
        if (value > most || !best)
            most = value, best = step;
    }
    return best;
}

/* Seats that are waiting at the same time choose in seat order. No choice can see another one of the same phase, so the
 * order does not matter. */
unsigned policy_playout(const struct tables *tables, const struct pyr_box *box, struct pyr_state *state, bool exact)
{
    unsigned made = 0;
    for (;;) {
        pyr_state_advance(state, box);
        if (!state->open.waiting)
            return made;
        pyr_seat seat = (pyr_seat)__builtin_ctz(state->open.waiting);
        pyr_state_apply_unchecked(state, box, seat, policy_step(tables, box, state, seat, exact));
        made++;
    }
}
