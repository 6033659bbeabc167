/*
 * box.c: checks what is printed on the components (R1-R3) and derives the tables that the rules work with.
 *
 * The checks come first and stop at the first fault, which names the card or pattern; nothing is derived from an
 * invalid box. Each derived table is explained in box.h. Runs once per edition, so it is written for clarity.
 */
#include <pyramids/box.h>

#include "bits.h"
#include "port.h"

#define TOP_ROW ((pyr_spaces)0x1f)
#define BOTTOM_ROW (TOP_ROW << 4 * PYR_ROW)
#define LEFT_COLUMN (PYR_SPACE(0, 0) | PYR_SPACE(1, 0) | PYR_SPACE(2, 0) | PYR_SPACE(3, 0) | PYR_SPACE(4, 0))

/* Everything inside `open` that is connected with `from`. */
static pyr_spaces flood(pyr_spaces from, pyr_spaces open)
{
    pyr_spaces before;
    do {
        before = from;
        from |= NEIGHBOURS(from) & open;
    } while (from != before);
    return from;
}

static bool is_connected(pyr_spaces set)
{
    return set && flood(set & -set, set) == set;
}

/* One of the eight turns of a drawing, moved to the top left corner. Turn t: mirrored if t & 4, then t & 3 quarter turns. */
static pyr_spaces turn_drawing(pyr_spaces drawing, unsigned t)
{
    pyr_spaces turned = 0;
    for (unsigned row = 0; row < PYR_SIDE; row++) {
        for (unsigned column = 0; column < PYR_SIDE; column++) {
            if (!(drawing & PYR_SPACE(row, column)))
                continue;
            unsigned r = row, c = t & 4 ? PYR_SIDE - 1 - column : column;
            for (unsigned quarter = 0; quarter < (t & 3); quarter++) {
                unsigned old = r;
                r = c;
                c = PYR_SIDE - 1 - old;
            }
            turned |= PYR_SPACE(r, c);
        }
    }
    while (turned && !(turned & TOP_ROW))
        turned >>= PYR_ROW;
    while (turned && !(turned & LEFT_COLUMN))
        turned >>= 1;
    return turned;
}

/* A number that is the same for all turns of a drawing, and different for all other drawings. */
static pyr_spaces canonical(pyr_spaces drawing)
{
    pyr_spaces least = turn_drawing(drawing, 0);
    for (unsigned t = 1; t < PYR_MAX_TURNS; t++) {
        pyr_spaces turned = turn_drawing(drawing, t);
        if (turned < least)
            least = turned;
    }
    return least;
}

/* A space has at most one symbol and symbols lie on open spaces: `seen` collects them. */
static enum pyr_err check_card(const struct pyr_card_face *card)
{
#define HELD(name, character) , card->name
    const pyr_spaces held[] = { card->entrance, card->tomb PYR_SYMBOLS(HELD) };
#undef HELD
    pyr_spaces seen = 0;
    if (card->open & ~PYR_ALL_SPACES)
        return PYR_ERR_CARD_SPACES;
    for (unsigned i = 0; i < sizeof held / sizeof *held; i++) {
        if (held[i] & (seen | ~card->open))
            return PYR_ERR_CARD_SPACES;
        seen |= held[i];
    }
    if (bits_count(card->entrance) != 1 || !(card->entrance & TOP_ROW))
        return PYR_ERR_CARD_ENTRANCE;
    if (bits_count(card->tomb) != 1 || !(card->tomb & BOTTOM_ROW))
        return PYR_ERR_CARD_TOMB;
    if (!is_connected(card->open))
        return PYR_ERR_CARD_APART;
    return card->colour < PYR_COLOURS ? PYR_OK : PYR_ERR_CARD_COLOUR;
}

static enum pyr_err check_pattern(pyr_spaces drawing)
{
    unsigned size = bits_count(drawing);
    if (drawing & ~PYR_ALL_SPACES || size < 2 || size > 4)
        return PYR_ERR_PATTERN_SIZE;
    if (!is_connected(drawing))
        return PYR_ERR_PATTERN_APART;
    if (!(drawing & TOP_ROW) || !(drawing & LEFT_COLUMN))
        return PYR_ERR_PATTERN_CORNER;
    return PYR_OK;
}

static enum pyr_err check_components(const struct pyr_components *components, struct pyr_box_fault *fault)
{
    unsigned copies = 0, cards[PYR_COLOURS] = { 0 };
    for (unsigned i = 0; i < PYR_SKULLS; i++) {
        if (components->penalty[i] > PYR_MAX_PENALTY)
            return PYR_ERR_PENALTY_RANGE;
        if (i && components->penalty[i] < components->penalty[i - 1])
            return PYR_ERR_PENALTY_FALLS;
    }
    for (int p = 0; p < PYR_PATTERNS; p++) {
        fault->pattern = p;
        enum pyr_err err = check_pattern(components->pattern[p]);
        if (err)
            return err;
        for (int q = 0; q < p; q++) {
            if (canonical(components->pattern[p]) == canonical(components->pattern[q])) {
                fault->other = q;
                return PYR_ERR_PATTERN_ALIKE;
            }
        }
        if (!components->copies[p])
            return PYR_ERR_COPIES;
        copies += components->copies[p];
    }
    fault->pattern = -1;
    if (copies != PYR_EXPEDITIONS)
        return PYR_ERR_COPIES;
    for (int c = 0; c < PYR_CARDS; c++) {
        fault->card = c;
        enum pyr_err err = check_card(&components->card[c]);
        if (err)
            return err;
        cards[components->card[c].colour]++;
    }
    fault->card = -1;
    for (unsigned k = 0; k < PYR_COLOURS; k++)
        if (cards[k] != PYR_CARDS_A_COLOUR)
            return PYR_ERR_COLOUR_COUNT;
    return PYR_OK;
}

/* The offsets of a turn's spaces from its first, which is at bit 0. If there are fewer than three, the third is still the
 * sum of the others for evenly spaced shapes. */
static void derive_offsets(struct pyr_pattern_turns *out, unsigned turn, uint64_t shape)
{
    unsigned found[3] = { 0 }, count = 0;
    for (uint64_t rest = shape & (shape - 1); rest; rest &= rest - 1)
        found[count++] = bits_first(rest);
    out->offset[0][turn] = found[0];
    out->offset[1][turn] = count == 1 ? 0 : count == 2 && found[1] == 2 * found[0] ? found[0] : found[1];
    out->offset[2][turn] = found[count - 1];
}

/* Turns that look the same count once. The words after the last turn contain the single space (shape 1), which find_marks
 * in marks.h relies on. */
static void derive_pattern(struct pyr_pattern_turns *out, pyr_spaces drawing, uint8_t copies)
{
    pyr_spaces seen[PYR_MAX_TURNS];
    memset(out, 0, sizeof *out);
    out->size = (uint8_t)bits_count(drawing);
    out->copies = copies;
    for (unsigned t = 0; t < PYR_MAX_TURNS; t++) {
        pyr_spaces turned = turn_drawing(drawing, t);
        unsigned n = out->turns, i = 0;
        while (i < n && seen[i] != turned)
            i++;
        if (i < n)
            continue;
        seen[n] = turned;
        out->turns++;
        uint64_t shape = turned >> bits_first(turned);
        out->shape[n] = shape;
        derive_offsets(out, n, shape);
    }
    for (unsigned n = out->turns; n < PYR_MAX_TURNS + 1; n++)
        out->shape[n] = 1;
    out->words = out->turns;
    if (out->turns == 1) {
        /* Fits nowhere: from bit 0 it leads to bit 58, which is never free, and from any other bit off the end. */
        out->words = 2;
        out->offset[0][1] = 58;
        out->offset[1][1] = out->offset[2][1] = 63;
    }
}

/* A pattern of one space and no turns, for extra marks. */
static void derive_single(struct pyr_pattern_turns *out)
{
    memset(out, 0, sizeof *out);
    out->size = 1;
    out->shape[0] = 1;
}

/* What marking a space adds to a desk's tally, by the bit of the space in a pair: the same card may be in either slot. */
static void derive_gains(uint64_t *gain, const struct pyr_card_face *card)
{
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++) {
        for (pyr_spaces left = card->open; left; left &= left - 1) {
            pyr_spaces space = left & -left;
            gain[bits_first(pyr_pair_of(slot, space))] = card->potion & space ? PYR_GAIN_POTION
                : card->torch & space   ? PYR_GAIN_TORCH
                : card->ruby & space    ? PYR_GAIN_RUBY
                : card->emerald & space ? PYR_GAIN_EMERALD
                : card->skull & space   ? PYR_GAIN_SKULL
                : card->cross & space   ? PYR_GAIN_CROSS
                : card->tomb & space    ? PYR_GAIN_TOMB(slot)
                                        : 0;
        }
    }
}

enum pyr_err pyr_box_init(struct pyr_box *box, const struct pyr_components *components, struct pyr_box_fault *fault)
{
    struct pyr_box_fault found = { PYR_OK, -1, -1, -1 };
    found.code = check_components(components, &found);
    if (fault)
        *fault = found;
    if (found.code)
        return found.code;

    memset(box, 0, sizeof *box);
    for (unsigned bit = 0; bit < 64; bit++) {
        box->touch[bit] = NEIGHBOURS((pyr_pair)1 << bit);
        box->slot[bit] = bit >= PYR_PAIR_SHIFT;
    }
    unsigned copy = 0;
    for (unsigned p = 0; p < PYR_PATTERNS; p++) {
        derive_pattern(&box->pattern[p], components->pattern[p], components->copies[p]);
        for (unsigned i = 0; i < components->copies[p]; i++)
            box->expedition[copy++] = (uint8_t)p;
    }
    derive_single(&box->pattern[PYR_SINGLE]);
    for (unsigned i = 0; i < PYR_SKULLS; i++)
        box->penalty[i] = components->penalty[i];
    for (unsigned c = 0; c < PYR_CARDS; c++) {
        box->card[c] = components->card[c];
        memset(box->card[c].reserved, 0, sizeof box->card[c].reserved);
        derive_gains(box->gain[c], &box->card[c]);
        box->colour[components->card[c].colour] |= PYR_CARD_BIT(c);
    }
    return PYR_OK;
}

void pyr_box_components(const struct pyr_box *box, struct pyr_components *components)
{
    memset(components, 0, sizeof *components);
    for (unsigned i = 0; i < PYR_SKULLS; i++)
        components->penalty[i] = box->penalty[i];
    for (unsigned p = 0; p < PYR_PATTERNS; p++) {
        /* The first turn is the drawing itself; only its column was lost when its first space moved to bit 0. */
        uint64_t drawing = box->pattern[p].shape[0];
        while (drawing & ~(uint64_t)PYR_ALL_SPACES)
            drawing <<= 1;
        components->pattern[p] = turn_drawing((pyr_spaces)drawing, 0);
        components->copies[p] = box->pattern[p].copies;
    }
    for (unsigned c = 0; c < PYR_CARDS; c++)
        components->card[c] = box->card[c];
}

/* Breadth first, from the spaces in reach. Counts the spaces to mark, including the tomb; 0: it is marked already or
 * cannot be reached. */
unsigned pyr_card_distance(const struct pyr_card_face *card, pyr_spaces free, pyr_spaces reach)
{
    unsigned distance = 0;
    if (!(card->tomb & free))
        return 0;
    for (pyr_spaces near = reach, before = 0; near != before; distance++) {
        if (near & card->tomb)
            return distance + 1;
        before = near;
        near |= NEIGHBOURS(near) & free;
    }
    return 0;
}
