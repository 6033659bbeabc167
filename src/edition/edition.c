/*
 * edition.c: reads and writes editions. Reading collects the components with the line of each; the engine checks them as
 * a whole (pyr_box_init), and reports a fault at the line of the component.
 *
 * Freestanding: no memory is allocated; words point into the text until the edition is complete. A fault contains the
 * line of the component, its name, and what was expected.
 */
#include <pyramids/edition.h>

#define HEADER "pyramids-edition 1"

static const char *const colour_word[PYR_COLOURS] = { "green", "orange", "purple" };

const char *pyr_colour_word(unsigned colour)
{
    return colour < PYR_COLOURS ? colour_word[colour] : "";
}

/* PYR_COLOURS if it is not a colour. */
unsigned pyr_colour_of(struct pyr_word word)
{
    unsigned colour = 0;
    while (colour < PYR_COLOURS && !pyr_word_is(word, colour_word[colour]))
        colour++;
    return colour;
}

/* What has been read so far. Words point into the text that is being read. */
struct draft {
    struct pyr_lines lines;
    struct pyr_components components;
    struct pyr_word name, title, pattern_name[PYR_PATTERNS];
    unsigned patterns;
    /* Where each was read, from 1; 0: not yet. */
    uint32_t skulls_line, title_line, name_line, pattern_line[PYR_PATTERNS], card_line[PYR_CARDS];
};

/* The set of a symbol on a card; walls and empty spaces have no set of their own. */
static pyr_spaces *symbol_set(struct pyr_card_face *card, char c)
{
    switch (c) {
    case 'v': return &card->entrance;
    case 'T': return &card->tomb;
#define SET(name, character) case character: return &card->name;
    PYR_SYMBOLS(SET)
#undef SET
    default: return NULL;
    }
}

/* The copy is needed only because symbol_set returns a pointer for writing. */
char pyr_card_char(const struct pyr_card_face *card, unsigned row, unsigned column)
{
    pyr_spaces space = PYR_SPACE(row, column);
    struct pyr_card_face face = *card;
    if (!(face.open & space))
        return '#';
#define CHARACTER(name, character) character,
    static const char characters[] = { 'v', 'T', PYR_SYMBOLS(CHARACTER) '\0' };
#undef CHARACTER
    for (const char *c = characters; *c; c++)
        if (*symbol_set(&face, *c) & space)
            return *c;
    return '.';
}

/* For a line that may occur only once: stores its number. */
static bool only_once(struct draft *d, uint32_t *line, struct pyr_word keyword)
{
    if (*line) {
        d->lines.fault.number[0] = (int32_t)*line;
        return pyr_lines_fail(&d->lines, PYR_ERR_TEXT_TWICE, 0, keyword);
    }
    *line = d->lines.number;
    return true;
}

static bool read_name(struct draft *d)
{
    d->lines.form = "name NAME";
    if (!pyr_lines_word(&d->lines, &d->name) || !pyr_lines_end(&d->lines))
        return false;
    if (d->name.length > PYR_MAX_NAME) {
        d->lines.fault.number[0] = PYR_MAX_NAME;
        return pyr_lines_fail(&d->lines, PYR_ERR_TEXT_LONG, sizeof "name ", d->name);
    }
    return true;
}

static bool read_title(struct draft *d)
{
    d->lines.form = "title TEXT";
    return pyr_lines_rest(&d->lines, PYR_MAX_TITLE, &d->title);
}

/* Ten penalties, for the first to the tenth skull; the engine checks that they never fall. */
static bool read_skulls(struct draft *d)
{
    d->lines.form = "skulls N N N N N N N N N N";
    for (unsigned i = 0; i < PYR_SKULLS; i++) {
        int32_t penalty;
        if (!pyr_lines_number(&d->lines, 0, PYR_MAX_PENALTY, &penalty))
            return false;
        d->components.penalty[i] = (uint16_t)penalty;
    }
    return pyr_lines_end(&d->lines);
}

/* The rows of a pattern, up to a blank line or the end. */
static bool read_drawing(struct draft *d, pyr_spaces *drawing)
{
    unsigned row = 0;
    size_t width = 0;
    while (pyr_lines_next(&d->lines, true) && d->lines.line.length) {
        struct pyr_word line = d->lines.line;
        d->lines.form = "rows of X and ., equally long, then a blank line";
        if (!row)
            width = line.length;
        if (line.length != width || width > PYR_SIDE - 1 || row >= PYR_SIDE - 1)
            return pyr_lines_fail(&d->lines, PYR_ERR_EDITION_DRAWING, 0, line);
        for (unsigned column = 0; column < width; column++) {
            if (line.at[column] == 'X')
                *drawing |= PYR_SPACE(row, column);
            else if (line.at[column] != '.')
                return pyr_lines_fail(&d->lines, PYR_ERR_EDITION_DRAWING, column + 1, line);
        }
        row++;
    }
    if (d->lines.fault.code)
        return false;
    /* An empty last row or column; the engine finds empty first ones. */
    pyr_spaces last_row = 0, last_column = 0;
    for (unsigned i = 0; i < PYR_SIDE; i++) {
        last_row |= row ? PYR_SPACE(row - 1, i) : 0;
        last_column |= width ? PYR_SPACE(i, width - 1) : 0;
    }
    if (*drawing && (!(*drawing & last_row) || !(*drawing & last_column)))
        *drawing = 0, d->lines.fault.code = PYR_ERR_PATTERN_CORNER;
    return !d->lines.fault.code;
}

/* A drawing with an empty edge is reported at the line of the pattern, not of a row: the whole drawing is wrong. */
static bool read_pattern(struct draft *d)
{
    int32_t copies;
    struct pyr_word name;
    d->lines.form = "pattern NAME COPIES";
    uint32_t line = d->lines.number;
    if (!pyr_lines_word(&d->lines, &name))
        return false;
    if (name.length > PYR_MAX_PATTERN_NAME) {
        d->lines.fault.number[0] = PYR_MAX_PATTERN_NAME;
        return pyr_lines_fail(&d->lines, PYR_ERR_TEXT_LONG, sizeof "pattern ", name);
    }
    if (!pyr_lines_number(&d->lines, 1, PYR_EXPEDITIONS, &copies) || !pyr_lines_end(&d->lines))
        return false;
    if (d->patterns == PYR_PATTERNS) {
        d->lines.fault.number[0] = PYR_PATTERNS + 1;
        return pyr_lines_fail(&d->lines, PYR_ERR_EDITION_PATTERNS, 0, name);
    }
    for (unsigned p = 0; p < d->patterns; p++) {
        struct pyr_word other = d->pattern_name[p];
        size_t same = 0;
        while (same < name.length && same < other.length && other.at[same] == name.at[same])
            same++;
        if (same == name.length && same == other.length)
            return pyr_lines_fail(&d->lines, PYR_ERR_EDITION_SAME_NAME, 0, name);
    }
    unsigned p = d->patterns++;
    d->pattern_name[p] = name;
    d->pattern_line[p] = line;
    d->components.copies[p] = (uint8_t)copies;
    if (read_drawing(d, &d->components.pattern[p]))
        return true;
    if (d->lines.fault.code == PYR_ERR_PATTERN_CORNER) {
        d->lines.fault.line = line;
        pyr_word_copy(name, d->lines.fault.word, sizeof d->lines.fault.word);
    }
    return false;
}

/* "card NUMBER COLOUR" and five rows of five symbols. A missing row is reported with the card's number. */
static bool read_card(struct draft *d)
{
    int32_t number;
    struct pyr_word colour;
    d->lines.form = "card NUMBER COLOUR";
    if (!pyr_lines_number(&d->lines, 1, PYR_CARDS, &number) || !pyr_lines_word(&d->lines, &colour))
        return false;
    struct pyr_card_face *card = &d->components.card[number - 1];
    unsigned k = pyr_colour_of(colour);
    if (k == PYR_COLOURS)
        return pyr_lines_fail(&d->lines, PYR_ERR_TEXT_COLOUR, d->lines.at - colour.length + 1, colour);
    if (!pyr_lines_end(&d->lines))
        return false;
    struct pyr_word name = { d->lines.line.at, d->lines.at - colour.length - 1 };        /* "card 18" */
    if (!only_once(d, &d->card_line[number - 1], name))
        return false;
    card->colour = (uint8_t)k;
    for (unsigned row = 0; row < PYR_SIDE; row++) {
        d->lines.fault.number[0] = number;
        if (!pyr_lines_next(&d->lines, false))
            return pyr_lines_fail(&d->lines, PYR_ERR_TEXT_END, 0, PYR_NO_WORD);
        d->lines.form = "five of # . v T x r e f s p";
        struct pyr_word line = d->lines.line;
        if (line.length != PYR_SIDE)
            return pyr_lines_fail(&d->lines, PYR_ERR_EDITION_ROW, 0, line);
        for (unsigned column = 0; column < PYR_SIDE; column++) {
            char c = line.at[column];
            pyr_spaces *set = symbol_set(card, c);
            if (set)
                *set |= PYR_SPACE(row, column);
            else if (c != '#' && c != '.')
                return pyr_lines_fail(&d->lines, PYR_ERR_EDITION_ROW, column + 1, line);
            if (c != '#')
                card->open |= PYR_SPACE(row, column);
        }
    }
    d->lines.fault.number[0] = 0;
    return true;
}

static bool read_section(struct draft *d)
{
    struct pyr_word keyword;
    d->lines.form = "name | title | skulls | pattern | card";
    if (!pyr_lines_word(&d->lines, &keyword))
        return false;
    if (pyr_word_is(keyword, "name"))
        return only_once(d, &d->name_line, keyword) && read_name(d);
    if (pyr_word_is(keyword, "title"))
        return only_once(d, &d->title_line, keyword) && read_title(d);
    if (pyr_word_is(keyword, "skulls"))
        return only_once(d, &d->skulls_line, keyword) && read_skulls(d);
    if (pyr_word_is(keyword, "pattern"))
        return read_pattern(d);
    if (pyr_word_is(keyword, "card"))
        return read_card(d);
    return pyr_lines_fail(&d->lines, PYR_ERR_TEXT_KEYWORD, 1, keyword);
}

/* Something is missing: reported at the last line. */
static bool fail_whole(struct draft *d, enum pyr_err code, int32_t number, const char *expected)
{
    d->lines.form = expected;
    d->lines.fault.number[0] = number;
    return pyr_lines_fail(&d->lines, code, 0, PYR_NO_WORD);
}

/* Sections may come in any order, so missing ones are known only at the end. */
static bool check_complete(struct draft *d)
{
    if (!d->name_line)
        return fail_whole(d, PYR_ERR_EDITION_NEEDS, 0, "name NAME");
    if (!d->title_line)
        return fail_whole(d, PYR_ERR_EDITION_NEEDS, 0, "title TEXT");
    if (!d->skulls_line)
        return fail_whole(d, PYR_ERR_EDITION_NEEDS, 0, "skulls N N N N N N N N N N");
    if (d->patterns != PYR_PATTERNS)
        return fail_whole(d, PYR_ERR_EDITION_PATTERNS, (int32_t)d->patterns, "pattern NAME COPIES");
    for (int32_t c = 0; c < PYR_CARDS; c++)
        if (!d->card_line[c])
            return fail_whole(d, PYR_ERR_EDITION_CARDS, c + 1, "card NUMBER COLOUR");
    return true;
}

/* Reports the engine's check of the whole at the line of the component at fault. */
static bool check_components(struct draft *d, struct pyr_box *box)
{
    struct pyr_box_fault found;
    if (pyr_box_init(box, &d->components, &found) == PYR_OK)
        return true;
    struct pyr_word word = PYR_NO_WORD;
    if (found.card >= 0)
        d->lines.number = d->card_line[found.card];
    else if (found.pattern >= 0)
        d->lines.number = d->pattern_line[found.pattern];
    else if (found.code == PYR_ERR_PENALTY_FALLS || found.code == PYR_ERR_PENALTY_RANGE)
        d->lines.number = d->skulls_line;
    if (found.pattern >= 0)
        word = d->pattern_name[found.pattern];
    d->lines.form = NULL;
    pyr_lines_fail(&d->lines, found.code, 0, word);
    d->lines.fault.number[0] = found.card + 1;
    if (found.other >= 0)
        pyr_word_copy(d->pattern_name[found.other], d->lines.fault.expected, sizeof d->lines.fault.expected);
    if (found.code == PYR_ERR_COLOUR_COUNT) {
        unsigned count[PYR_COLOURS] = { 0 }, colour = 0;
        for (unsigned c = 0; c < PYR_CARDS; c++)
            count[d->components.card[c].colour]++;
        while (count[colour] == PYR_CARDS_A_COLOUR)
            colour++;
        pyr_word_copy((struct pyr_word){ colour_word[colour], 6 }, d->lines.fault.word, 7);
        d->lines.fault.number[0] = (int32_t)count[colour];
    }
    return false;
}

/* On failure *edition's box may have been written to, but not its names. */
enum pyr_err pyr_edition_read(struct pyr_edition *edition, const char *text, size_t size, struct pyr_fault *fault)
{
    struct draft d = { .name = PYR_NO_WORD, .title = PYR_NO_WORD };
    pyr_lines_init(&d.lines, text, size);
    bool good = pyr_lines_header(&d.lines, "pyramids-edition", HEADER);
    while (good && pyr_lines_next(&d.lines, false))
        good = read_section(&d);
    good = good && !d.lines.fault.code && check_complete(&d) && check_components(&d, &edition->box);
    if (fault)
        *fault = d.lines.fault;
    if (!good)
        return d.lines.fault.code;
    pyr_word_copy(d.name, edition->name, sizeof edition->name);
    pyr_word_copy(d.title, edition->title, sizeof edition->title);
    for (unsigned p = 0; p < PYR_PATTERNS; p++)
        pyr_word_copy(d.pattern_name[p], edition->pattern_name[p], sizeof edition->pattern_name[p]);
    return PYR_OK;
}

pyr_pattern pyr_edition_pattern(const struct pyr_edition *edition, struct pyr_word name)
{
    for (unsigned p = 0; p < PYR_PATTERNS; p++)
        if (pyr_word_is(name, edition->pattern_name[p]))
            return (pyr_pattern)p;
    return PYR_NO_PATTERN;
}

/* Without empty rows and columns at the end, as read_drawing requires. */
static void write_pattern(struct pyr_out *out, const struct pyr_edition *edition, unsigned p, pyr_spaces drawing)
{
    unsigned rows = 0, columns = 0;
    for (unsigned row = 0; row < PYR_SIDE; row++) {
        for (unsigned column = 0; column < PYR_SIDE; column++) {
            if (drawing & PYR_SPACE(row, column)) {
                rows = row + 1;
                columns = columns > column ? columns : column + 1;
            }
        }
    }
    pyr_out_text(out, "\npattern ");
    pyr_out_text(out, edition->pattern_name[p]);
    pyr_out_char(out, ' ');
    pyr_out_number(out, edition->box.pattern[p].copies);
    for (unsigned row = 0; row < rows; row++) {
        pyr_out_char(out, '\n');
        for (unsigned column = 0; column < columns; column++)
            pyr_out_char(out, drawing & PYR_SPACE(row, column) ? 'X' : '.');
    }
    pyr_out_char(out, '\n');
}

/* The canonical form: the output is read as the same edition. Returns the required length, as struct pyr_out counts it. */
size_t pyr_edition_write(const struct pyr_edition *edition, char *to, size_t size)
{
    struct pyr_out out;
    struct pyr_components components;
    pyr_box_components(&edition->box, &components);
    pyr_out_init(&out, to, size);
    pyr_out_text(&out, HEADER "\nname ");
    pyr_out_text(&out, edition->name);
    pyr_out_text(&out, "\ntitle ");
    pyr_out_text(&out, edition->title);
    pyr_out_text(&out, "\nskulls");
    for (unsigned i = 0; i < PYR_SKULLS; i++) {
        pyr_out_char(&out, ' ');
        pyr_out_number(&out, components.penalty[i]);
    }
    pyr_out_char(&out, '\n');
    for (unsigned p = 0; p < PYR_PATTERNS; p++)
        write_pattern(&out, edition, p, components.pattern[p]);
    for (unsigned c = 0; c < PYR_CARDS; c++) {
        pyr_out_text(&out, "\ncard ");
        pyr_out_number(&out, (int32_t)c + 1);
        pyr_out_char(&out, ' ');
        pyr_out_text(&out, colour_word[components.card[c].colour]);
        for (unsigned row = 0; row < PYR_SIDE; row++) {
            pyr_out_char(&out, '\n');
            for (unsigned column = 0; column < PYR_SIDE; column++)
                pyr_out_char(&out, pyr_card_char(&components.card[c], row, column));
        }
        pyr_out_char(&out, '\n');
    }
    return out.length;
}
