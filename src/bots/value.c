/*
 * value.c: the expected final score (value.h).
 *
 * A linear estimate with one line of weights per number of players and of turns left (learned_value.h, written by
 * tools/bot_learn.c): points that are certain plus the sum of weight times feature. `spread` of a line is the mean
 * error of such estimates, in points.
 */
#include <pyramids/score.h>

#include "value.h"

const struct value_line value_lines[PYR_MAX_SEATS - 1][ALL_TURNS + 1] = {
#include "learned_value.h"
};

static unsigned count(uint64_t set)
{
    return (unsigned)__builtin_popcountll(set);
}

/* Turns to come: all of them before the first reveal, none in the last turn. */
unsigned value_turns(const struct pyr_table *open)
{
    bool begun = open->revealed[0] != PYR_NO_PATTERN;
    return begun ? ALL_TURNS - 1u - open->round * (unsigned)PYR_TURNS - open->turn : ALL_TURNS;
}

/* Uses only what everyone can see, so it works for opponents, too. The order of the features is that of enum feature
 * (value.h). */
void value_features(const struct tables *tables, const struct pyr_box *box, const struct pyr_table *open, pyr_seat seat,
    float *to)
{
    const struct pyr_desk *desk = &open->desk[seat];
    unsigned left = value_turns(open), t = table_turns(left);
    float card[PYR_SLOTS] = { 0 };
    unsigned have[PYR_COLOURS];
    int points[PYR_COLOURS];
    const struct pyr_options *options = pyr_table_options(open);
    for (unsigned i = 0; i < FEATURES; i++)
        to[i] = 0;
    for (unsigned c = 0; c < PYR_COLOURS; c++) {
        have[c] = count(desk->done & box->colour[c]);
        points[c] = 0;
        for (unsigned place = PYR_TILES; place-- > 0;)
            if (open->tile[c][place] == PYR_NOBODY && pyr_options_can_claim(options, have[c]))
                points[c] = pyr_tile_value(place);
        to[have[c] & 1 ? F_ODD : F_EVEN] += (float)points[c];
        for (pyr_seat s = 0; have[c] & 1 && s < open->seats; s++)
            if (s != seat && count(open->desk[s].done & box->colour[c]) & 1)
                to[F_RIVALS] += (float)points[c];
    }
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++) {
        pyr_card c = desk->card[slot];
        if (c == PYR_NO_CARD)
            continue;
        pyr_spaces marks = box->card[c].open & ~pyr_pair_half(slot, desk->free);
        int16_t value = marks ? tables->value[c][table_index(&tables->map[c], marks)][t] : tables->fresh[c][t];
        card[slot] = (float)value * (1.0f / TABLE_UNIT);
        unsigned colour = box->card[c].colour;
        to[F_HELD] += have[colour]++ & 1 ? (float)points[colour] : 0;
    }
    unsigned into = left ? (left - 1) % PYR_TURNS + 1 : 0, round = left ? PYR_ROUNDS - 1 - (left - 1) / PYR_TURNS : 0;
    to[F_ONE] = 1;
    to[F_CARDS] = card[0] + card[1];
    to[F_UNEQUAL] = card[0] > card[1] ? card[0] - card[1] : card[1] - card[0];
    to[F_GEMS] = (float)tables->gems[left][desk->rubies][desk->emeralds] * (1.0f / TABLE_UNIT);
    to[F_SKULLS] = (float)tables->skulls[left][desk->skulls] * (-1.0f / TABLE_UNIT);
    to[F_TORCH] = desk->torches >> round & 1 ? 0 : (float)into;
}

int value_sure(const struct pyr_box *box, const struct pyr_table *open, pyr_seat seat)
{
    const struct pyr_desk *desk = &open->desk[seat];
    (void)box;
    const struct pyr_options *options = pyr_table_options(open);
    return options->pyramid * (int)count(desk->done) + options->torch * (int)count(desk->torches) + pyr_table_points(open,
        seat);
}

float value_score(const struct tables *tables, const struct pyr_box *box, const struct pyr_table *open, pyr_seat seat)
{
    float feature[FEATURES], sum = (float)value_sure(box, open, seat);
    const struct value_line *line = &value_lines[open->seats - 2][value_turns(open)];
    value_features(tables, box, open, seat, feature);
    for (unsigned i = 0; i < FEATURES; i++)
        sum += feature[i] * line->weight[i];
    return sum;
}
