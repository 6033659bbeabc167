/*
 * generate.c: a whole random box that keeps the guidelines of generate.h.
 *
 * Sixteen specifications describe the cards of a colour; each colour gets all of them, so colours are equal. A card is
 * found by trying random walls until one meets its specification: with its columns given, the rarest kind comes up about
 * 300 times in a million, and a try costs a few dozen instructions. No seed makes this impossible, only improbable many
 * times in a row, so the loops need no exit.
 *
 * The same seed gives the same box on every machine: editions are named by it ("seed-17"), and records refer to that name.
 * So the order of random draws must not change.
 */
#include <pyramids/generate.h>
#include <pyramids/rng.h>

#define STREAM UINT64_C(0x626f78)        /* boxes use a separate stream of random numbers */
#define LAST_ROW ((PYR_SIDE - 1) * PYR_ROW)
#define TIERS 4
#define TIER (PYR_CARDS_A_COLOUR / TIERS)

/* The contents of a card. "on": how many of them are on a shortest way; the others are on none. */
struct spec {
    uint8_t way, walls;          /* spaces of the shortest way, tomb included; walls */
    uint8_t rubies, emeralds, gems_on;
    uint8_t skulls, skulls_on;
    uint8_t torch, torch_on;
    uint8_t potion, potion_on;
    uint8_t cross_on;            /* every card has one cross */
};

/*
 * The parameters of the game, measured in docs/editions.md. Four tiers of four, the quick cards first: cards with longer
 * ways have more symbols, since otherwise no player would take them. A long way leaves few spaces off it.
 */
static const struct spec specs[PYR_CARDS_A_COLOUR] = {
    /* way walls  r  e on   s on   f on   p on   x on */
    { 7, 9,       1, 1, 0,  2, 1,  0, 0,  0, 0,  0 },
    { 7, 8,       1, 1, 0,  3, 1,  0, 0,  1, 0,  0 },
    { 7, 8,       0, 1, 0,  3, 1,  0, 0,  0, 0,  1 },
    { 7, 8,       1, 1, 0,  2, 0,  0, 0,  0, 0,  0 },

    { 8, 9,       0, 1, 0,  1, 0,  0, 0,  0, 0,  1 },
    { 8, 8,       1, 1, 0,  2, 0,  0, 0,  1, 0,  0 },
    { 8, 7,       1, 0, 0,  2, 1,  1, 0,  0, 0,  1 },
    { 8, 8,       1, 1, 0,  2, 0,  1, 0,  0, 0,  0 },

    { 9, 9,       1, 1, 0,  1, 0,  1, 0,  0, 0,  1 },
    { 9, 8,       1, 2, 0,  2, 0,  0, 0,  1, 0,  0 },
    { 9, 8,       2, 1, 1,  2, 1,  1, 0,  0, 0,  0 },
    { 10, 8,      2, 1, 0,  1, 0,  1, 0,  0, 0,  1 },

    { 10, 7,      1, 2, 1,  2, 1,  1, 0,  0, 0,  0 },
    { 10, 8,      2, 1, 1,  1, 0,  0, 0,  1, 0,  1 },
    { 11, 7,      1, 2, 2,  1, 0,  1, 0,  1, 0,  0 },
    { 11, 8,      2, 1, 1,  2, 1,  1, 0,  0, 0,  1 }
};

/* The columns of entrance and tomb, by colour and specification. */
struct columns {
    uint8_t entrance[PYR_COLOURS][PYR_CARDS_A_COLOUR], tomb[PYR_COLOURS][PYR_CARDS_A_COLOUR];
};

static unsigned count(pyr_spaces set)
{
    return (unsigned)__builtin_popcount(set);
}

/* Rows are PYR_ROW bits apart, one more than their number of spaces, so nothing wraps; callers mask with open spaces. */
static pyr_spaces neighbours(pyr_spaces set)
{
    return set << 1 | set >> 1 | set << PYR_ROW | set >> PYR_ROW;
}

/* A random space of a set that is not empty. */
static pyr_spaces pick(struct pyr_rng *rng, pyr_spaces set)
{
    for (uint32_t skip = pyr_rng_below(rng, count(set)); skip; skip--)
        set &= set - 1;
    return set & -set;
}

static void swap(uint8_t *a, uint8_t *b)
{
    uint8_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Columns. */

/* Whether a way of that length can connect the columns `from` and `to`: each detour costs two spaces. */
static bool can_join(unsigned way, unsigned from, unsigned to)
{
    unsigned least = PYR_SIDE + (from > to ? from - to : to - from);
    return least <= way && (way - least) % 2 == 0;
}

/* All columns equally often; the one left over is `extra`. */
static void deal_columns(struct pyr_rng *rng, uint8_t *column, unsigned extra)
{
    for (unsigned i = 0; i < PYR_CARDS_A_COLOUR; i++)
        column[i] = (uint8_t)(i < PYR_CARDS_A_COLOUR - 1 ? i % PYR_SIDE : extra);
    pyr_rng_shuffle(rng, column, PYR_CARDS_A_COLOUR);
}

/* Exchanges tombs until every way fits between its columns; false if that takes too long (parity can make it impossible). */
static bool match_columns(struct pyr_rng *rng, const uint8_t *entrance, uint8_t *tomb)
{
    for (unsigned tries = 0; tries < 1000; tries++) {
        unsigned wrong = 0;
        while (wrong < PYR_CARDS_A_COLOUR && can_join(specs[wrong].way, entrance[wrong], tomb[wrong]))
            wrong++;
        if (wrong == PYR_CARDS_A_COLOUR)
            return true;
        unsigned other = pyr_rng_below(rng, PYR_CARDS_A_COLOUR);
        if (can_join(specs[wrong].way, entrance[wrong], tomb[other]))
            swap(&tomb[wrong], &tomb[other]);
    }
    return false;
}

/* The columns left over differ between the three colours, so that they are distributed evenly as well. */
static void choose_columns(struct pyr_rng *rng, struct columns *columns)
{
    bool good;
    do {
        uint8_t extra[2][PYR_SIDE] = { { 0, 1, 2, 3, 4 }, { 0, 1, 2, 3, 4 } };
        pyr_rng_shuffle(rng, extra[0], PYR_SIDE);
        pyr_rng_shuffle(rng, extra[1], PYR_SIDE);
        good = true;
        for (unsigned k = 0; k < PYR_COLOURS && good; k++) {
            deal_columns(rng, columns->entrance[k], extra[0][k]);
            deal_columns(rng, columns->tomb[k], extra[1][k]);
            good = match_columns(rng, columns->entrance[k], columns->tomb[k]);
        }
    } while (!good);
}

/* Walls. */

/* The union of all shortest ways if they have the wanted length, else 0. Breadth-first search in layers from the
 * entrance, then back from the tomb: spaces in a layer and next to a used space of the following layer are on a shortest
 * way. */
static pyr_spaces shortest_ways(pyr_spaces open, pyr_spaces entrance, pyr_spaces tomb, unsigned way)
{
    pyr_spaces layer[PYR_SIDE * PYR_SIDE], seen = entrance;
    layer[0] = entrance;
    unsigned last = 0;
    while (!(layer[last] & tomb)) {
        layer[last + 1] = neighbours(layer[last]) & open & ~seen;
        seen |= layer[++last];
        if (last == way)
            return 0;
    }
    if (last + 1 != way)
        return 0;
    pyr_spaces ways = tomb;
    for (pyr_spaces front = tomb; last--;) {
        front = neighbours(front) & layer[last];
        ways |= front;
    }
    return ways;
}

/* Flood fill by whole sets. */
static bool is_connected(pyr_spaces set)
{
    pyr_spaces from = set & -set, before;
    do {
        before = from;
        from |= neighbours(from) & set;
    } while (from != before);
    return from == set;
}

/* Room for a square and for a line of four; then every other pattern fits too, as the spaces are connected. */
static bool has_room(pyr_spaces open)
{
    pyr_spaces across = open & open >> 1, down = open & open >> PYR_ROW;
    return across & across >> PYR_ROW && (across & across >> 2 || down & down >> 2 * PYR_ROW);
}

/* Spaces with at most one neighbour, apart from the entrance and the tomb. */
static pyr_spaces dead_ends(const struct pyr_card_face *face)
{
    pyr_spaces ends = 0;
    for (pyr_spaces left = face->open & ~face->entrance & ~face->tomb; left; left &= left - 1)
        if (count(neighbours(left & -left) & face->open) <= 1)
            ends |= left & -left;
    return ends;
}

/* Symbols. */

/* Puts a symbol on a random space of *spare, as long as possible on one of `first`. */
static void put(struct pyr_rng *rng, pyr_spaces *symbol, pyr_spaces *spare, pyr_spaces first)
{
    pyr_spaces space = pick(rng, *spare & first ? *spare & first : *spare);
    *symbol |= space;
    *spare &= ~space;
}

/* Fills the chamber by its specification; false if the ways leave too little room. Dead ends contain something worth
 * going there for, so never skulls. */
static bool place_symbols(struct pyr_rng *rng, struct pyr_card_face *face, const struct spec *spec, pyr_spaces ways)
{
    enum { RUBY, EMERALD, TORCH, POTION, CROSS };
    pyr_spaces *const set[] = { &face->ruby, &face->emerald, &face->torch, &face->potion, &face->cross };
    pyr_spaces on = ways & ~face->entrance & ~face->tomb, off = face->open & ~ways, ends = dead_ends(face);
    uint8_t treasure[8], gems = 0, treasures = 0;
    for (unsigned i = 0; i < spec->rubies; i++)
        treasure[gems++] = RUBY;
    for (unsigned i = 0; i < spec->emeralds; i++)
        treasure[gems++] = EMERALD;
    pyr_rng_shuffle(rng, treasure, gems);
    treasures = (uint8_t)(gems - spec->gems_on);    /* the last ones are on the ways */
    unsigned skulls_off = 0u + spec->skulls - spec->skulls_on;
    unsigned on_way = 0u + spec->gems_on + spec->skulls_on + spec->torch_on + spec->potion_on + spec->cross_on;
    unsigned off_way = 1u + gems + spec->torch + spec->potion + spec->skulls_on - on_way;
    if (count(on) < on_way || count(off) < off_way + skulls_off || count(ends) > off_way || count(off & ~ends) < skulls_off)
        return false;

    for (unsigned i = treasures; i < gems; i++)
        put(rng, set[treasure[i]], &on, on);
    if (spec->torch_on)
        put(rng, &face->torch, &on, on);
    else if (spec->torch)
        treasure[treasures++] = TORCH;
    if (spec->potion_on)
        put(rng, &face->potion, &on, on);
    else if (spec->potion)
        treasure[treasures++] = POTION;
    if (spec->cross_on)
        put(rng, &face->cross, &on, on);
    else
        treasure[treasures++] = CROSS;
    for (unsigned i = 0; i < spec->skulls_on; i++)
        put(rng, &face->skull, &on, on);
    pyr_rng_shuffle(rng, treasure, treasures);
    for (unsigned i = 0; i < treasures; i++)
        put(rng, set[treasure[i]], &off, ends);
    for (unsigned i = 0; i < skulls_off; i++)
        put(rng, &face->skull, &off, off);
    return true;
}

/* Cards. */

/* Swaps left and right. */
static pyr_spaces mirrored(pyr_spaces set)
{
    pyr_spaces image = 0;
    for (; set; set &= set - 1) {
        unsigned bit = (unsigned)__builtin_ctz(set);
        image |= PYR_SPACE(bit / PYR_ROW, PYR_SIDE - 1 - bit % PYR_ROW);
    }
    return image;
}

/* No two cards have the same walls, not even mirrored. */
static bool is_new(const struct pyr_components *components, pyr_spaces open)
{
    pyr_spaces image = mirrored(open);
    for (unsigned c = 0; c < PYR_CARDS; c++)
        if (components->card[c].open == open || components->card[c].open == image)
            return false;
    return true;
}

/* The outer loop repeats if the symbols do not fit; the inner one until the walls do. Cheap tests come first. */
static void make_card(struct pyr_rng *rng, struct pyr_components *components, pyr_card index, const struct spec *spec,
    unsigned entrance, unsigned tomb)
{
    struct pyr_card_face *card = &components->card[index], face = { 0 };
    pyr_spaces ways;
    do {
        do {
            face = (struct pyr_card_face){ .colour = card->colour };
            face.entrance = PYR_SPACE(0, entrance);
            face.tomb = (pyr_spaces)1 << (LAST_ROW + tomb);
            face.open = PYR_ALL_SPACES;
            for (unsigned wall = 0; wall < spec->walls; wall++)
                face.open &= ~pick(rng, face.open & ~face.entrance & ~face.tomb);
            ways = 0;
            if (is_connected(face.open) && has_room(face.open))
                ways = shortest_ways(face.open, face.entrance, face.tomb, spec->way);
        } while (!ways || !is_new(components, face.open));
    } while (!place_symbols(rng, &face, spec, ways));
    *card = face;
}

/*
 * Assigns numbers to cards. Low numbers win ties and go first (R12, R14, R17), so they are distributed fairly: every
 * three numbers have one card of each colour, in rotating order and of three different tiers; every twelve have one card
 * of each tier of each colour.
 */
static void make_cards(struct pyr_rng *rng, struct pyr_components *components, const struct columns *columns)
{
    uint8_t dozen_of[PYR_COLOURS][TIERS][TIER];      /* the dozen of numbers that each card of a tier gets into */
    uint32_t start = pyr_rng_below(rng, PYR_COLOURS), step = 1 + 2 * pyr_rng_below(rng, 2);
    for (unsigned k = 0; k < PYR_COLOURS; k++) {
        for (unsigned tier = 0; tier < TIERS; tier++) {
            for (unsigned i = 0; i < TIER; i++)
                dozen_of[k][tier][i] = (uint8_t)i;
            pyr_rng_shuffle(rng, dozen_of[k][tier], TIER);
        }
    }
    for (unsigned dozen = 0; dozen < TIER; dozen++) {
        uint8_t order[TIERS] = { 0, 1, 2, 3 };
        pyr_rng_shuffle(rng, order, TIERS);
        for (unsigned i = 0; i < TIERS; i++) {
            unsigned three = dozen * TIERS + i;
            for (unsigned k = 0; k < PYR_COLOURS; k++) {
                unsigned tier = (order[i] + step * k) % TIERS;
                unsigned s = tier * TIER + dozen_of[k][tier][dozen];
                pyr_card card = (pyr_card)(three * PYR_COLOURS + (k + three + start) % PYR_COLOURS);
                components->card[card].colour = (uint8_t)k;
                make_card(rng, components, card, &specs[s], columns->entrance[k][s], columns->tomb[k][s]);
            }
        }
    }
}

/* 64 bits have at most 20 digits. pyr_out_number takes only 32 bits. */
static void write_label(char *to, size_t size, const char *word, uint64_t number)
{
    char digits[21];
    unsigned at = sizeof digits - 1;
    struct pyr_out out;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + number % 10);
    } while (number /= 10);
    pyr_out_init(&out, to, size);
    pyr_out_text(&out, word);
    pyr_out_text(&out, digits + at);
}

/* Patterns and penalties are the same in every generated edition; only the cards differ. */
enum pyr_err pyr_edition_generate(struct pyr_edition *edition, uint64_t seed)
{
    static const uint16_t penalty[PYR_SKULLS] = { 1, 2, 3, 4, 6, 8, 10, 12, 15, 18 };
    static const char *const pattern_name[PYR_PATTERNS] = { "I2", "I3", "V3", "I4", "L4", "O4" };
    static const struct { uint8_t copies, column[3]; } pattern[PYR_PATTERNS] = {
        /* the columns of each row, as bits */
        { 1, { 3, 0, 0 } }, { 1, { 7, 0, 0 } }, { 1, { 1, 3, 0 } },
        { 2, { 15, 0, 0 } }, { 1, { 1, 1, 3 } }, { 2, { 3, 3, 0 } }
    };
    struct pyr_rng rng;
    struct columns columns;
    struct pyr_components components = { .penalty = { 0 } };
    pyr_rng_seed(&rng, seed, STREAM);
    for (unsigned i = 0; i < PYR_SKULLS; i++)
        components.penalty[i] = penalty[i];
    for (unsigned p = 0; p < PYR_PATTERNS; p++) {
        components.copies[p] = pattern[p].copies;
        for (unsigned row = 0; row < 3; row++)
            components.pattern[p] |= (pyr_spaces)pattern[p].column[row] << row * PYR_ROW;
    }
    choose_columns(&rng, &columns);
    make_cards(&rng, &components, &columns);
    enum pyr_err err = pyr_box_init(&edition->box, &components, NULL);
    if (err)
        return err;
    write_label(edition->name, sizeof edition->name, "seed-", seed);
    write_label(edition->title, sizeof edition->title, "Box ", seed);
    for (unsigned p = 0; p < PYR_PATTERNS; p++)
        pyr_word_copy((struct pyr_word){ pattern_name[p], 2 }, edition->pattern_name[p], sizeof edition->pattern_name[p]);
    return PYR_OK;
}

/* The survey. */

static unsigned column_of(pyr_spaces space)
{
    return space ? (unsigned)__builtin_ctz(space) % PYR_ROW : 0;
}

static uint8_t count_byte(pyr_spaces set)
{
    return (uint8_t)count(set);
}

/* A turn that leaves the grid has a space in the sixth column, which is never open, or beyond the last row. */
static bool has_place(const struct pyr_pattern_turns *pattern, pyr_spaces open)
{
    for (unsigned t = 0; t < pattern->turns; t++)
        for (pyr_spaces left = open; left; left &= left - 1)
            if (!(pattern->shape[t] << __builtin_ctz(left) & ~(uint64_t)open))
                return true;
    return false;
}

/* `alike` is the lowest card with the same walls, mirrored or not; 0: none. */
void pyr_card_survey(const struct pyr_box *box, pyr_card card, struct pyr_card_survey *survey)
{
    const struct pyr_card_face *face = &box->card[card];
    unsigned way = pyr_card_distance(face, face->open, face->entrance);
    pyr_spaces ways = shortest_ways(face->open, face->entrance, face->tomb, way), gems = face->ruby | face->emerald;
    *survey = (struct pyr_card_survey){
        .ways = ways,
        .pockets = dead_ends(face) & ~(gems | face->cross | face->torch | face->skull | face->potion),
        .colour = face->colour,
        .way = (uint8_t)way,
        .walls = count_byte(PYR_ALL_SPACES & ~face->open),
        .entrance_column = (uint8_t)column_of(face->entrance),
        .tomb_column = (uint8_t)column_of(face->tomb),
        .crosses = count_byte(face->cross),
        .rubies = count_byte(face->ruby),
        .emeralds = count_byte(face->emerald),
        .torches = count_byte(face->torch),
        .skulls = count_byte(face->skull),
        .potions = count_byte(face->potion),
        .crosses_on = count_byte(face->cross & ways),
        .gems_on = count_byte(gems & ways),
        .torches_on = count_byte(face->torch & ways),
        .skulls_on = count_byte(face->skull & ways),
        .potions_on = count_byte(face->potion & ways)
    };
    for (unsigned p = 0; p < PYR_PATTERNS; p++)
        if (has_place(&box->pattern[p], face->open))
            survey->patterns |= (uint8_t)(1u << p);
    for (unsigned lower = card; lower--;)
        if (box->card[lower].open == face->open || box->card[lower].open == mirrored(face->open))
            survey->alike = (uint8_t)(lower + 1);
}

/* number: the card, 0 for the whole box; the first one is stored for the message. */
static void blame(struct pyr_survey *survey, uint32_t guide, unsigned number)
{
    unsigned i = (unsigned)__builtin_ctz(guide);
    if (!(survey->broken & guide))
        survey->first[i] = (uint8_t)number;
    survey->broken |= guide;
}

/* The limits are the guidelines of generate.h and docs/editions.md. */
static void judge_card(struct pyr_survey *survey, unsigned number)
{
    const struct pyr_card_survey *card = &survey->card[number - 1];
    unsigned gems = 0u + card->rubies + card->emeralds;
    if (card->walls < 7 || card->walls > 9)
        blame(survey, PYR_GUIDE_WALLS, number);
    if (card->way < 7 || card->way > 11)
        blame(survey, PYR_GUIDE_WAY, number);
    if (card->pockets)
        blame(survey, PYR_GUIDE_POCKETS, number);
    if (card->alike)
        blame(survey, PYR_GUIDE_ALIKE, number);
    if (card->patterns != (1u << PYR_PATTERNS) - 1)
        blame(survey, PYR_GUIDE_FIT, number);
    if (gems < 1 || gems > 3 || card->skulls < 1 || card->skulls > 3 || card->crosses != 1 || card->torches > 1 ||
        card->potions > 1)
        blame(survey, PYR_GUIDE_SYMBOLS, number);
}

/* Sums over the cards of a colour, or over all. */
struct sums {
    unsigned cards, ways, gems, rubies, emeralds, torches, skulls, potions;
    unsigned gems_on, torches_on, skulls_on, potions_on;
    unsigned entrances[PYR_SIDE], tombs[PYR_SIDE];
};

static void add_card(struct sums *sums, const struct pyr_card_survey *card)
{
    sums->cards++;
    sums->ways += card->way;
    sums->gems += 0u + card->rubies + card->emeralds;
    sums->rubies += card->rubies;
    sums->emeralds += card->emeralds;
    sums->torches += card->torches;
    sums->skulls += card->skulls;
    sums->potions += card->potions;
    sums->gems_on += card->gems_on;
    sums->torches_on += card->torches_on;
    sums->skulls_on += card->skulls_on;
    sums->potions_on += card->potions_on;
    sums->entrances[card->entrance_column]++;
    sums->tombs[card->tomb_column]++;
}

/* Of one colour: 8 torches, 5 potions, rubies and emeralds in equal shares, each column at least twice. */
static void judge_colour(struct pyr_survey *survey, const struct sums *sums)
{
    unsigned most = sums->rubies > sums->emeralds ? sums->rubies : sums->emeralds;
    if (sums->torches != 8 || sums->potions != 5 || 2 * most > sums->gems + 1)
        blame(survey, PYR_GUIDE_SHARES, 0);
    for (unsigned column = 0; column < PYR_SIDE; column++)
        if (sums->entrances[column] < 2 || sums->tombs[column] < 2)
            blame(survey, PYR_GUIDE_COLUMNS, 0);
}

/* There are as many rubies as emeralds, columns are used evenly, treasures are off the ways and skulls partly on them. */
static void judge_whole(struct pyr_survey *survey, const struct sums *sums)
{
    if (sums->rubies != sums->emeralds)
        blame(survey, PYR_GUIDE_SHARES, 0);
    for (unsigned column = 0; column < PYR_SIDE; column++)
        if (sums->entrances[column] < 8 || sums->entrances[column] > 12 || sums->tombs[column] < 8 ||
            sums->tombs[column] > 12)
            blame(survey, PYR_GUIDE_COLUMNS, 0);
    if (4 * sums->gems_on > sums->gems || 4 * sums->torches_on > sums->torches || 4 * sums->potions_on > sums->potions ||
        10 * sums->skulls_on < 2 * sums->skulls || 10 * sums->skulls_on > 3 * sums->skulls)
        blame(survey, PYR_GUIDE_OFF, 0);
}

/* The composition of a card as one number: equal for cards of one specification. */
static uint64_t composition(const struct pyr_card_survey *card)
{
    const uint8_t part[] = { card->way, card->walls, card->crosses, card->rubies, card->emeralds, card->torches,
        card->skulls, card->potions, card->crosses_on, card->gems_on, card->torches_on, card->skulls_on,
        card->potions_on };
    uint64_t sum = 0;
    /* 26 is larger than any part, since there are 25 spaces: thirteen digits of base 26 fit into 64 bits. */
    for (unsigned i = 0; i < sizeof part; i++)
        sum = sum * 26 + part[i];
    return sum;
}

/* Whether each composition occurs equally often in the card's colour and in the others. */
static bool is_in_each_colour(const struct pyr_survey *survey, unsigned number)
{
    unsigned times[PYR_COLOURS] = { 0 };
    for (unsigned c = 0; c < PYR_CARDS; c++)
        if (composition(&survey->card[c]) == composition(&survey->card[number - 1]))
            times[survey->card[c].colour]++;
    return times[0] == times[1] && times[1] == times[2];
}

/* Every three numbers have each colour; in every dozen a colour's ways differ from a quarter of all by at most two
 * spaces. */
static void judge_numbers(struct pyr_survey *survey, const struct sums *colour)
{
    enum { DOZEN = PYR_CARDS / TIERS };
    for (unsigned c = 0; c < PYR_CARDS; c += PYR_COLOURS) {
        unsigned seen = 0;
        for (unsigned i = 0; i < PYR_COLOURS; i++)
            seen |= 1u << survey->card[c + i].colour;
        if (seen != (1u << PYR_COLOURS) - 1)
            blame(survey, PYR_GUIDE_NUMBERS, c + 1);
    }
    for (unsigned c = 0; c < PYR_CARDS; c += DOZEN) {
        unsigned ways[PYR_COLOURS] = { 0 };
        for (unsigned i = 0; i < DOZEN; i++)
            ways[survey->card[c + i].colour] += survey->card[c + i].way;
        for (unsigned k = 0; k < PYR_COLOURS; k++)
            if (TIERS * ways[k] > colour[k].ways + 8 || TIERS * ways[k] + 8 < colour[k].ways)
                blame(survey, PYR_GUIDE_NUMBERS, c + 1);
    }
}

/* Any box can be surveyed, not only generated ones; `broken` has the guidelines that it breaks. */
void pyr_box_survey(const struct pyr_box *box, struct pyr_survey *survey)
{
    struct sums colour[PYR_COLOURS] = { { 0 } }, whole = { 0 };
    survey->broken = 0;
    survey->reserved = 0;
    for (unsigned i = 0; i < sizeof survey->first; i++)
        survey->first[i] = 0;
    for (unsigned c = 0; c < PYR_CARDS; c++) {
        pyr_card_survey(box, (pyr_card)c, &survey->card[c]);
        add_card(&colour[survey->card[c].colour], &survey->card[c]);
        add_card(&whole, &survey->card[c]);
        judge_card(survey, c + 1);
    }
    for (unsigned k = 0; k < PYR_COLOURS; k++)
        judge_colour(survey, &colour[k]);
    judge_whole(survey, &whole);
    for (unsigned number = 1; number <= PYR_CARDS; number++)
        if (!is_in_each_colour(survey, number))
            blame(survey, PYR_GUIDE_COLOURS, number);
    judge_numbers(survey, colour);
}
