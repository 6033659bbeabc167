/*
 * tables.c: retrograde analysis of the cards (tables.h).
 *
 * For each card and each set of marked spaces of its region (the 13 spaces that matter most, PYR_REGION), the tables
 * contain the gain of the card in 0 to 7 more turns, and the best placement of each pattern. They are filled backwards:
 * marks are only ever added, so going from full sets to empty ones every successor is known already.
 *
 * The eight horizons are computed at once, as lanes of one vector: lane t is the value with t turns to come.
 *
 * All numbers are integers in TABLE_UNITs; the floats for gems and skulls are rounded at the end. Preparing takes the
 * memory of struct tables, the caller's, and a scratch struct placements on the stack.
 */
#include "tables.h"

/* Eight turns at once; compilers use a single instruction if the machine has it. */
typedef int16_t lanes __attribute__((vector_size(16)));

/* Eight times this is the largest value of a lane. No classic card comes near it; a card full of crosses would. */
enum { MOST_VALUE = 32000 / PYR_EXPEDITIONS };

/* One way to mark a pattern on a card, prepared once per card. */
struct placement {
    pyr_spaces spaces;
    uint16_t bits;               /* of the index */
    int16_t gain;
    uint8_t code;                /* as in struct tables */
    bool tomb;
};

/* Each turn of the pattern at each of 25 anchors, and each single space. */
#define MOST_PLACEMENTS (PYR_MAX_TURNS * 25 + 25)

/* All placements on one card, by pattern. */
struct placements {
    struct placement list[PYR_PATTERNS][MOST_PLACEMENTS];
    unsigned count[PYR_PATTERNS];
};

/* Unaligned: rows of the tables have 16 bytes each, but the first one may not be aligned. */
static inline lanes load(const int16_t *from)
{
    lanes v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}

static inline void store(int16_t *to, lanes v)
{
    __builtin_memcpy(to, &v, sizeof v);
}

/* Lane by lane: a comparison gives all ones or all zeros. */
static inline lanes greater(lanes a, lanes b)
{
    lanes mask = a > b;
    return (a & mask) | (b & ~mask);
}

static inline lanes lesser_of(lanes a, lanes b)
{
    lanes mask = a < b;
    return (a & mask) | (b & ~mask);
}

static inline lanes all(int value)
{
    int16_t v = (int16_t)value;
    return (lanes){ v, v, v, v, v, v, v, v };
}

/* The values one turn later: lane t becomes lane t - 1. */
static inline lanes later(lanes v)
{
    return (lanes){ 0, v[0], v[1], v[2], v[3], v[4], v[5], v[6] };
}

/* The four neighbours of each space. Rows are PYR_ROW bits apart, one more than their number of spaces, so nothing wraps
 * into the next row; callers mask the result with open spaces. */
static pyr_spaces around(pyr_spaces set)
{
    return set << 1 | set >> 1 | set << PYR_ROW | set >> PYR_ROW;
}

/* The number of steps from `from` to each space over open spaces. Breadth-first search by whole sets: each pass goes one
 * step further. 99 means unreachable. */
static void find_distances(pyr_spaces open, pyr_spaces from, uint8_t *distance)
{
    for (unsigned i = 0; i < 32; i++)
        distance[i] = 99;
    for (uint8_t d = 0; from; d++) {
        for (pyr_spaces s = from; s; s &= s - 1)
            distance[__builtin_ctz(s)] = d;
        open &= ~from;
        from = around(from) & open;
    }
}

/* Selects the region: the spaces with the least detour from entrance to tomb; a symbol makes up for two steps. */
static void map_card(struct card_map *map, const struct pyr_card_face *card)
{
    uint8_t there[32], back[32];
#define OR(name, character) | card->name
    pyr_spaces symbols = 0 PYR_SYMBOLS(OR);
#undef OR
    pyr_spaces left = card->open & ~(card->entrance | card->tomb), cells[PYR_REGION] = { 0 };
    find_distances(card->open, card->entrance, there);
    find_distances(card->open, card->tomb, back);
    unsigned shortest = there[__builtin_ctz(card->tomb)];
    for (unsigned i = 0; i < 32; i++) {
        /* Every space has a word: its gain in the low half, its bit of the index in the high half (set below, 0 outside
         * the region). */
        map->space[i] = (card->ruby >> i & 1) * SPACE_RUBY + (card->emerald >> i & 1) * SPACE_EMERALD +
            (card->skull >> i & 1) * SPACE_SKULL + (card->potion >> i & 1) * SPACE_POTION +
            (card->torch >> i & 1) * SPACE_TORCH + (card->cross >> i & 1) * SPACE_CROSS;
    }
    for (unsigned i = 0; i < PYR_REGION && left; i++) {
        unsigned best = 0, least = UINT_MAX;
        for (pyr_spaces s = left; s; s &= s - 1) {
            unsigned c = (unsigned)__builtin_ctz(s), detour = there[c] + back[c];
            if (detour > shortest)
                detour -= symbols >> c & 1 ? 2 : 0;
            if (detour < least || (detour == least && symbols >> c & 1))
                least = detour, best = c;
        }
        left &= ~((pyr_spaces)1 << best);
        cells[i] = (pyr_spaces)1 << best;
        map->space[best] |= (uint64_t)1 << (32 + i);
    }
    for (unsigned row = 0; row < PYR_SIDE; row++) {
        for (unsigned marks = 0; marks < 32; marks++) {
            map->row[row][marks] = 0;
            map->symbols[row][marks] = 0;
            for (unsigned i = 0; i < PYR_SIDE; i++) {
                if (!(marks >> i & 1))
                    continue;
                map->row[row][marks] |= (uint16_t)(map->space[row * PYR_ROW + i] >> 32);
                map->symbols[row][marks] += (uint32_t)map->space[row * PYR_ROW + i];
            }
        }
    }
    for (unsigned index = 0; index < 128; index++) {
        map->low[index] = map->high[index & 63] = 0;
        for (unsigned i = 0; i < 7; i++) {
            map->low[index] |= index >> i & 1 ? cells[i] : 0;
            map->high[index & 63] |= i < 6 && (index & 63) >> i & 1 ? cells[7 + i] : 0;
        }
    }
}

/* In TABLE_UNITs, by the weights. A space has at most one symbol. */
static int price(const struct weights *w, const struct pyr_card_face *card, pyr_spaces space)
{
    return space & (card->ruby | card->emerald) ? w->of[W_GEM] : space & card->torch ? w->of[W_TORCH] :
        space & card->skull ? w->of[W_SKULL] : space & card->potion ? w->of[W_POTION] :
        space & card->cross ? w->of[W_CROSS] : space & card->tomb ? w->of[W_TOMB] : 0;
}

/* Placements without any effect on the tables (outside the region, no tomb, not the entrance) are left out. */
static void add_placement(struct placements *to, const struct weights *w, unsigned pattern,
    const struct pyr_card_face *card, const struct card_map *map, pyr_spaces spaces, unsigned code)
{
    struct placement p = { spaces, (uint16_t)table_index(map, spaces), 0, (uint8_t)code, (spaces & card->tomb) != 0 };
    int gain = -w->of[W_TURN];
    for (pyr_spaces s = spaces; s; s &= s - 1)
        gain += price(w, card, s & -s);
    p.gain = (int16_t)gain;
    if (p.bits || p.tomb || spaces & card->entrance)
        to->list[pattern][to->count[pattern]++] = p;
}

/* Only walls are checked here; whether a placement is legal depends on the marks and is checked in value_set. */
static void find_placements(struct placements *to, const struct weights *w, const struct pyr_box *box,
    const struct pyr_card_face *card, const struct card_map *map)
{
    for (unsigned pattern = 0; pattern < PYR_PATTERNS; pattern++) {
        const struct pyr_pattern_turns *turns = &box->pattern[pattern];
        to->count[pattern] = 0;
        for (unsigned row = 0; row < PYR_SIDE; row++) {
            for (unsigned column = 0; column < PYR_SIDE; column++) {
                unsigned anchor = row * PYR_ROW + column, cell = row * PYR_SIDE + column;
                for (unsigned turn = 0; turn < turns->turns; turn++) {
                    uint64_t spaces = turns->shape[turn] << anchor;
                    if (!(spaces & ~(uint64_t)card->open))
                        add_placement(to, w, pattern, card, map, (pyr_spaces)spaces, cell * 8 + turn);
                }
                if (card->open >> anchor & 1)
                    add_placement(to, w, pattern, card, map, (pyr_spaces)1 << anchor, 200 + cell);
            }
        }
    }
}

/* One set of marks: for each pattern the best placement or none, then the mean over the eight expedition cards. The
 * stored placement is the best for the longest horizon; values are the best for each horizon. Lane 0 is masked out at the
 * end: with no turns to come nothing has a value. */
static lanes value_set(const struct placements *moves, const struct pyr_box *box, int16_t (*value)[TABLE_TURNS],
    unsigned index, pyr_spaces marks, pyr_spaces reach, lanes done, uint8_t *best)
{
    lanes choice[PYR_PATTERNS], sum = all(0);
    bool stuck = false;
    for (unsigned p = 0; p < PYR_PATTERNS; p++) {
        choice[p] = all(-1000);
        best[p] = NO_MOVE;
        const struct placement *move = moves->list[p];
        int most = -32000;
        for (unsigned i = 0; i < moves->count[p]; i++, move++) {
            if (move->spaces & marks || !(move->spaces & reach))
                continue;
            lanes after = move->tomb ? done : load(value[index | move->bits]);
            after = later(after) + all(move->gain);
            choice[p] = greater(choice[p], after);
            if (after[TABLE_TURNS - 1] > most) {
                most = after[TABLE_TURNS - 1];
                best[p] = move->code;
            }
        }
        choice[p] = lesser_of(choice[p], all(MOST_VALUE));
        sum += choice[p] * all(box->pattern[p].copies);
        stuck |= best[p] == NO_MOVE;
    }
    if (!stuck)
        return sum / all(PYR_EXPEDITIONS) & (lanes){ 0, -1, -1, -1, -1, -1, -1, -1 };
    /* Only spaces outside the region can be marked: the turn is lost. */
    int16_t value_then[TABLE_TURNS] = { 0 };
    for (unsigned t = 1; t < TABLE_TURNS; t++) {
        int mean = 0;
        for (unsigned p = 0; p < PYR_PATTERNS; p++)
            mean += box->pattern[p].copies * (best[p] == NO_MOVE ? value_then[t - 1] : choice[p][t]);
        value_then[t] = (int16_t)(mean / PYR_EXPEDITIONS);
    }
    return load(value_then);
}

/* Whether these marks can occur: they must be connected, if necessary over spaces outside the region. */
static bool is_possible(pyr_spaces marks, pyr_spaces outside, pyr_spaces entrance)
{
    pyr_spaces seen = entrance, before;
    do {
        before = seen;
        seen |= around(seen) & (marks | outside);
    } while (seen != before);
    return !(marks & ~seen);
}

/* From the fullest set down (see the head). `fresh` is the card without any mark, when only the entrance can be reached;
 * its index would be the same as that of a card with only the entrance marked, so it has a row of its own. */
static void value_card(struct tables *tables, const struct pyr_box *box, unsigned c, struct placements *moves)
{
    const struct pyr_card_face *card = &box->card[c];
    const struct card_map *map = &tables->map[c];
    int16_t (*value)[TABLE_TURNS] = tables->value[c];
    unsigned known = table_index(map, card->open);
    pyr_spaces outside = card->open & ~(map->low[known & 127] | map->high[known >> 7] | card->entrance | card->tomb);
    find_placements(moves, &tables->weights, box, card, map);
    lanes done = load(tables->renew);
    for (unsigned index = TABLE_SETS; index-- > 0;) {
        if (index & ~known)
            continue;
        pyr_spaces marks = map->low[index & 127] | map->high[index >> 7] | card->entrance;
        if (!is_possible(marks, outside, card->entrance))
            continue;
        store(value[index], value_set(moves, box, value, index, marks, around(marks) & card->open & ~marks,
            done, tables->best[c][index]));
    }
    store(tables->fresh[c], value_set(moves, box, value, 0, 0, card->entrance, done, tables->fresh_best[c]));
}

/* The number of spaces of a kind on all cards. `member` is an offset into struct pyr_card_face, so that one function
 * counts every kind of symbol. */
static int total(const struct pyr_box *box, size_t member)
{
    int sum = 0;
    for (unsigned c = 0; c < PYR_CARDS; c++) {
        pyr_spaces set;
        __builtin_memcpy(&set, (const char *)&box->card[c] + member, sizeof set);
        for (; set; set &= set - 1)
            sum++;
    }
    return sum;
}

/* The chance of a symbol per turn: a player completes a quarter of a card per turn and marks six of ten of its symbols. */
static float rate(const struct pyr_box *box, size_t member, int weight)
{
    float r = (float)total(box, member) * (0.25f * 0.6f / PYR_CARDS / 32) * (float)weight;
    return r < 0.5f ? r : 0.5f;
}

#define MEMBER(name) offsetof(struct pyr_card_face, name)

static unsigned lesser(unsigned a, unsigned b) { return a < b ? a : b; }

/* Gems: each turn gains a ruby or an emerald with the chances that follow from the edition. Dynamic programming backwards
 * from the last turn, where the score is known: four points per pair, one per gem of the larger kind. */
static void value_gems(struct tables *tables, const struct pyr_box *box)
{
    float ruby = rate(box, MEMBER(ruby), tables->weights.of[W_GEM_RATE]);
    float emerald = rate(box, MEMBER(emerald), tables->weights.of[W_GEM_RATE]);
    float now[PYR_GEMS + 1][PYR_GEMS + 1], next[PYR_GEMS + 1][PYR_GEMS + 1];
    for (unsigned left = 0; left <= ALL_TURNS; left++) {
        for (unsigned r = 0; r <= PYR_GEMS; r++) {
            for (unsigned e = 0; e <= PYR_GEMS; e++) {
                unsigned more_r = lesser(r + 1, PYR_GEMS), more_e = lesser(e + 1, PYR_GEMS);
                if (!left)
                    now[r][e] = (float)(4 * lesser(r, e) + (r > e ? r : e));
                else
                    now[r][e] = (1 - ruby) * ((1 - emerald) * next[r][e] + emerald * next[r][more_e]) +
                        ruby * ((1 - emerald) * next[more_r][e] + emerald * next[more_r][more_e]);
                tables->gems[left][r][e] = (int16_t)(now[r][e] * TABLE_UNIT + 0.5f);
            }
        }
        __builtin_memcpy(next, now, sizeof next);
    }
}

/* The same recursion for skulls, which are marked more rarely than other symbols, since players avoid them. A potion
 * erases two skulls (R11). */
static void value_skulls(struct tables *tables, const struct pyr_box *box)
{
    float skull = rate(box, MEMBER(skull), tables->weights.of[W_SKULL_RATE]);
    float potion = rate(box, MEMBER(potion), tables->weights.of[W_POTION_RATE]);
    float now[PYR_SKULLS + 1], next[PYR_SKULLS + 1];
    for (unsigned left = 0; left <= ALL_TURNS; left++) {
        for (unsigned k = 0; k <= PYR_SKULLS; k++) {
            if (!left)
                now[k] = k ? (float)box->penalty[k - 1] : 0;
            else
                now[k] = (1 - skull - potion) * next[k] + skull * next[lesser(k + 1, PYR_SKULLS)] +
                    potion * next[k > 2 ? k - 2 : 0];
            tables->skulls[left][k] = (int16_t)(now[k] * TABLE_UNIT + 0.5f);
        }
        __builtin_memcpy(next, now, sizeof next);
    }
}

/* The value of a new card depends on the values of cards: a few of them are solved repeatedly until it is stable. A
 * player chooses among four or five, hence slightly more than the mean. */
enum { SAMPLE_EVERY = 12, SAMPLE_PASSES = 3 };

/* Fixed-point iteration: values of cards need the value of a new card, which is the mean value of cards. */
static void find_renewal(struct tables *tables, const struct pyr_box *box, struct placements *moves)
{
    for (unsigned t = 0; t < TABLE_TURNS; t++)
        tables->renew[t] = 0;
    for (unsigned pass = 0; pass < SAMPLE_PASSES; pass++) {
        int sum[TABLE_TURNS] = { 0 };
        for (unsigned c = 0; c < PYR_CARDS; c += SAMPLE_EVERY) {
            value_card(tables, box, c, moves);
            for (unsigned t = 0; t < TABLE_TURNS; t++)
                sum[t] += tables->fresh[c][t];
        }
        for (unsigned t = 0; t < TABLE_TURNS; t++)
            tables->renew[t] = (int16_t)(sum[t] * tables->weights.of[W_RENEW] / 32 / (PYR_CARDS / SAMPLE_EVERY));
    }
}

/* The order matters: all cards need gems, skulls and maps, and the value of a new card has to be known before any card is
 * final. */
void tables_prepare(struct tables *tables, const struct pyr_box *box, const struct weights *weights)
{
    struct placements moves;
    __builtin_memset(tables, 0, sizeof *tables);
    tables->weights = *weights;
    value_gems(tables, box);
    value_skulls(tables, box);
    for (unsigned c = 0; c < PYR_CARDS; c++)
        map_card(&tables->map[c], &box->card[c]);
    find_renewal(tables, box, &moves);
    for (unsigned c = 0; c < PYR_CARDS; c++)
        value_card(tables, box, c, &moves);
}

size_t tables_memory(const struct pyr_box *box)
{
    (void)box;
    return sizeof(struct tables);
}

void tables_prepare_plain(void *memory, const struct pyr_box *box)
{
    tables_prepare(memory, box, &weights_plain);
}

void tables_prepare_learned(void *memory, const struct pyr_box *box)
{
    tables_prepare(memory, box, &weights_learned);
}
