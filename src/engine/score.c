/* score.c: points and winners (R16, R17, Q8). */
#include <pyramids/score.h>

#include "bits.h"
#include "worth.h"

/* 0 beyond the last tile: a fourth claim gets nothing. */
int pyr_tile_value(unsigned place)
{
    return place < PYR_TILES ? pyr_rulebook.tile[place] : 0;
}

int pyr_table_points(const struct pyr_table *table, pyr_seat seat)
{
    int points = 0;
    for (unsigned colour = 0; colour < PYR_COLOURS; colour++)
        for (unsigned place = 0; place < PYR_TILES; place++)
            if (table->tile[colour][place] == seat)
                points += pyr_table_options(table)->tile[place];
    return points;
}

/* Skulls are negative in a score, so that its parts add up to the total. */
struct pyr_score pyr_desk_score(const struct pyr_desk *desk, const struct pyr_box *box, int points)
{
    struct pyr_score score;
    score.pyramids = (int16_t)worth_pyramids(desk);
    score.torches = (int16_t)worth_torches(desk);
    score.points = (int16_t)points;
    score.gems = (int16_t)worth_gems(desk);
    score.skulls = (int16_t)-worth_penalty(box, desk);
    score.total = (int16_t)worth_total(box, desk, points);
    return score;
}

struct pyr_score pyr_table_score(const struct pyr_table *table, const struct pyr_box *box, pyr_seat seat)
{
    return pyr_desk_score(&table->desk[seat], box, pyr_table_points(table, seat));
}

/* R17: points, then the lowest completed pyramid; a player without one counts as having a number above all others. */
unsigned pyr_table_winners(const struct pyr_table *table, const struct pyr_box *box)
{
    unsigned winners = 0, lowest = 0;
    int best = 0;
    for (unsigned s = 0; s < table->seats; s++) {
        int total = pyr_table_score(table, box, (pyr_seat)s).total;
        unsigned low = table->desk[s].done ? bits_first(table->desk[s].done) : PYR_CARDS;
        if (!winners || total > best || (total == best && low < lowest)) {
            winners = 1u << s;
            best = total;
            lowest = low;
        } else if (total == best && low == lowest) {
            winners |= 1u << s;
        }
    }
    return winners;
}
