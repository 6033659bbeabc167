/*
 * paper.c: sheets to print: where everything is on the paper. See paper.h.
 *
 * All measures are in tenths of a millimetre. Sheets are numbered in the order cards, expedition cards, score cards;
 * parts that are not selected are left out and not counted.
 */
#include <pyramids/lines.h>
#include <pyramids/options.h>
#include <pyramids/paper.h>

#define CARD_WIDTH 630
#define CARD_HEIGHT 880
#define ACROSS 3                 /* cards per row, and rows of cards */
#define PER_SHEET (ACROSS * ACROSS)
#define CARD_SHEETS ((PYR_CARDS + PER_SHEET - 1) / PER_SHEET)
#define CHAMBER_X 40             /* where the spaces of a card begin */
#define CHAMBER_Y 265
#define SPACE 110                /* the side of a space */
#define SCORE_HEIGHT 1290
#define ROW_HEIGHT 118           /* of a score card */
#define BOX 88

/* Measures that depend on the paper. */
static const struct measure {
    const char *name, *width, *height;       /* as SVG writes them */
    int32_t across, down;
    int32_t top;                             /* margin above the cards */
    int32_t ruler, footer;                   /* below the cards */
} measures[] = {
    [PYR_PAPER_A4] = { "A4", "210mm", "297mm", 2100, 2970, 90, 62, 130 },
    [PYR_PAPER_LETTER] = { "Letter", "215.9mm", "279.4mm", 2159, 2794, 50, 34, 72 },
};

/* The colours of the rock, as in the page's light theme. */
static const char *const rock[PYR_COLOURS] = { "#1C5D49", "#9A4310", "#54337D" };

struct sheet {
    struct pyr_out out;
    const struct pyr_paper *paper;
    const struct pyr_edition *edition;
    const struct measure *at;
    unsigned number, of;         /* the number of this sheet, from 1, and the total */
};

/* A text with the next number in place of each @. */
static void fill(struct pyr_out *out, const char *format, const int32_t *number)
{
    for (; *format; format++) {
        if (*format == '@')
            pyr_out_number(out, *number++);
        else
            pyr_out_char(out, *format);
    }
}

#define FILL(out, format, ...) fill(out, format, (const int32_t[]){ __VA_ARGS__ })

/* Writes a text from outside so that nothing in it is read as SVG. */
static void put_escaped(struct pyr_out *out, struct pyr_word word)
{
    for (size_t i = 0; i < word.length; i++) {
        char c = word.at[i];
        if (c == '<')
            pyr_out_text(out, "&lt;");
        else if (c == '&')
            pyr_out_text(out, "&amp;");
        else if (c == '"')
            pyr_out_text(out, "&quot;");
        else if ((unsigned char)c >= ' ')
            pyr_out_char(out, c);
    }
}

static void put_word(struct sheet *sheet, enum pyr_paper_word wanted)
{
    const char *line = sheet->paper->words;
    for (int i = 0; i < (int)wanted && *line; line++)
        i += *line == '\n';
    struct pyr_word word = { line, 0 };
    while (line[word.length] && line[word.length] != '\n')
        word.length++;
    put_escaped(&sheet->out, word);
}

static void put_colour(struct sheet *sheet, unsigned colour)
{
    pyr_out_text(&sheet->out, sheet->paper->is_coloured ? rock[colour] : "#222");
}

/* A picture of the sprite in a box of that size. */
static void put_picture(struct sheet *sheet, const char *kind, const char *name, int32_t x, int32_t y, int32_t width,
    int32_t height)
{
    struct pyr_out *out = &sheet->out;
    pyr_out_text(out, "<use href=\"#q-");
    pyr_out_text(out, kind);
    pyr_out_text(out, name);
    FILL(out, "\" x=\"@\" y=\"@\" width=\"@\" height=\"@\"/>", x, y, width, height);
}

static void put_pyramid(struct sheet *sheet, unsigned colour, int32_t x, int32_t y, int32_t width)
{
    pyr_out_text(&sheet->out, "<g color=\"");
    put_colour(sheet, colour);
    pyr_out_text(&sheet->out, "\">");
    put_picture(sheet, "p-", pyr_colour_word(colour), x, y, width, width * 5 / 6);
    pyr_out_text(&sheet->out, "</g>");
}

/* The name of a symbol's picture by its character in an edition; NULL for an empty space. */
static const char *symbol_name(char c)
{
    static const struct { char character; const char *name; } symbols[] = {
        { 'x', "cross" }, { 'r', "ruby" }, { 'e', "emerald" }, { 'f', "torch" }, { 's', "skull" }, { 'p', "potion" },
        { 'T', "tomb" },
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        if (symbols[i].character == c)
            return symbols[i].name;
    }
    return NULL;
}

/* The rock with its texture, and the entrance. */
static void put_rock(struct sheet *sheet, unsigned colour)
{
    struct pyr_out *out = &sheet->out;
    const int32_t x = CHAMBER_X - 15, y = CHAMBER_Y - 15, side = 5 * SPACE + 30;
    if (sheet->paper->is_coloured) {
        FILL(out, "<rect x=\"@\" y=\"@\" width=\"@\" height=\"@\" rx=\"10\" fill=\"", x, y, side, side);
        put_colour(sheet, colour);
        FILL(out, "\"/><rect x=\"@\" y=\"@\" width=\"@\" height=\"@\" rx=\"10\" fill=\"url(#q-tx-", x, y, side, side);
        pyr_out_text(out, pyr_colour_word(colour));
        pyr_out_text(out, ")\"/>");
    } else {
        FILL(out, "<rect x=\"@\" y=\"@\" width=\"@\" height=\"@\" rx=\"10\" fill=\"url(#q-hatch)\" stroke=\"#222\""
                  " stroke-width=\"4\"/>", x, y, side, side);
    }
}

static void put_card(struct sheet *sheet, unsigned card, int32_t x, int32_t y)
{
    struct pyr_out *out = &sheet->out;
    const struct pyr_card_face *face = &sheet->edition->box.card[card];
    FILL(out, "<g transform=\"translate(@ @)\">", x, y);
    put_pyramid(sheet, face->colour, 40, 45, 190);
    FILL(out, "<text x=\"585\" y=\"130\" font-size=\"80\" text-anchor=\"end\" font-weight=\"bold\">@</text>",
        (int32_t)card + 1);
    put_rock(sheet, face->colour);
    for (unsigned i = 0; i < 25; i++) {
        const char c = pyr_card_char(face, i / 5, i % 5), *name = symbol_name(c);
        const int32_t left = CHAMBER_X + (int32_t)(i % 5) * SPACE, above = CHAMBER_Y + (int32_t)(i / 5) * SPACE;
        if (c == '#')
            continue;
        FILL(out, "<rect x=\"@\" y=\"@\" width=\"@\" height=\"@\" rx=\"12\" fill=\"#fff\" stroke=\"#222\""
                  " stroke-width=\"3\"/>", left + 2, above + 2, SPACE - 4, SPACE - 4);
        if (c == 'v')
            FILL(out, "<path d=\"M@ @h70l-35 48Z\" fill=\"#222\"/>", left + 20, above - 42);
        if (name)
            put_picture(sheet, "s-", name, left + 16, above + 16, SPACE - 32, SPACE - 32);
    }
    pyr_out_text(out, "</g>");
}

static void put_expedition(struct sheet *sheet, unsigned card, int32_t x, int32_t y)
{
    struct pyr_out *out = &sheet->out;
    struct pyr_components components;
    pyr_box_components(&sheet->edition->box, &components);
    const unsigned pattern = sheet->edition->box.expedition[card];
    const pyr_spaces spaces = components.pattern[pattern];
    int32_t rows = 0, columns = 0;
    for (int32_t i = 0; i < 25; i++) {
        if (spaces & PYR_SPACE(i / 5, i % 5)) {
            rows = i / 5 + 1;
            columns = i % 5 + 1 > columns ? i % 5 + 1 : columns;
        }
    }
    for (int32_t i = 0; i < 25; i++) {
        if (!(spaces & PYR_SPACE(i / 5, i % 5)))
            continue;
        const int32_t left = x + (CARD_WIDTH - columns * 130) / 2 + i % 5 * 130;
        const int32_t above = y + (CARD_HEIGHT - 60 - rows * 130) / 2 + i / 5 * 130;
        FILL(out, "<rect x=\"@\" y=\"@\" width=\"126\" height=\"126\" rx=\"12\" fill=\"#fff\" stroke=\"#222\""
                  " stroke-width=\"6\"/><path d=\"M@ @l62 62m0 -62l-62 62\" stroke=\"#222\" stroke-width=\"14\""
                  " stroke-linecap=\"round\"/>", left + 2, above + 2, left + 34, above + 34);
    }
    FILL(out, "<text x=\"@\" y=\"@\" font-size=\"46\" text-anchor=\"middle\">", x + CARD_WIDTH / 2, y + CARD_HEIGHT - 45);
    put_escaped(out, pyr_word_of(sheet->edition->pattern_name[pattern]));
    pyr_out_text(out, "</text>");
}

/* The cut lines of one card. */
static void put_cut(struct sheet *sheet, int32_t x, int32_t y, int32_t width, int32_t height)
{
    FILL(&sheet->out, "<rect x=\"@\" y=\"@\" width=\"@\" height=\"@\" fill=\"none\" stroke=\"#888\" stroke-width=\"2\""
                      " stroke-dasharray=\"12 10\"/>", x, y, width, height);
}

/* Nine places for cards, of which `count` are used. */
static void put_cards(struct sheet *sheet, unsigned first, unsigned count,
    void (*put)(struct sheet *sheet, unsigned card, int32_t x, int32_t y))
{
    const int32_t left = (sheet->at->across - ACROSS * CARD_WIDTH) / 2;
    for (unsigned i = 0; i < count; i++) {
        const int32_t x = left + (int32_t)(i % ACROSS) * CARD_WIDTH;
        const int32_t y = sheet->at->top + (int32_t)(i / ACROSS) * CARD_HEIGHT;
        put_cut(sheet, x, y, CARD_WIDTH, CARD_HEIGHT);
        put(sheet, first + i, x, y);
    }
}

static void put_box(struct sheet *sheet, int32_t x, int32_t y, int32_t width)
{
    FILL(&sheet->out, "<rect x=\"@\" y=\"@\" width=\"@\" height=\"@\" rx=\"12\" fill=\"#fff\" stroke=\"#222\""
                      " stroke-width=\"4\"/>", x, y, width, BOX);
}

static void put_box_text(struct sheet *sheet, int32_t x, int32_t y, int32_t width, const char *text)
{
    put_box(sheet, x, y, width);
    FILL(&sheet->out, "<text x=\"@\" y=\"@\" font-size=\"40\" text-anchor=\"middle\" fill=\"#555\">", x + width / 2, y + 58);
    pyr_out_text(&sheet->out, text);
    pyr_out_text(&sheet->out, "</text>");
}

static void put_box_number(struct sheet *sheet, int32_t x, int32_t y, int32_t width, int32_t number)
{
    char text[12];
    struct pyr_out out;
    pyr_out_init(&out, text, sizeof text);
    pyr_out_number(&out, number);
    put_box_text(sheet, x, y, width, text);
}

/* The picture and the word at the beginning of a row of a score card. */
static void put_row(struct sheet *sheet, const char *symbol, enum pyr_paper_word word, int32_t x, int32_t y)
{
    put_picture(sheet, "s-", symbol, x, y + 4, 80, 80);
    FILL(&sheet->out, "<text x=\"@\" y=\"@\" font-size=\"44\">", x + 100, y + 60);
    put_word(sheet, word);
    pyr_out_text(&sheet->out, "</text>");
}

/* R3: rows for gems, torches and skulls. */
static void put_tracks(struct sheet *sheet, int32_t x, int32_t y)
{
    static const char *const torch[] = { "I", "II", "III", "IV" };
    const int32_t first = x + 480, step = BOX + 14;
    put_row(sheet, "ruby", PYR_WORD_RUBY, x + 40, y);
    put_row(sheet, "emerald", PYR_WORD_EMERALD, x + 40, y + ROW_HEIGHT);
    put_row(sheet, "torch", PYR_WORD_TORCH, x + 40, y + 2 * ROW_HEIGHT);
    put_row(sheet, "skull", PYR_WORD_SKULL, x + 40, y + 3 * ROW_HEIGHT);
    for (int32_t i = 0; i < 10; i++) {
        put_box_number(sheet, first + i * step, y, BOX, i + 1);
        put_box_number(sheet, first + i * step, y + ROW_HEIGHT, BOX, i + 1);
    }
    for (int32_t i = 0; i < 4; i++)
        put_box_text(sheet, first + i * step, y + 2 * ROW_HEIGHT, BOX, torch[i]);
    for (int32_t i = 0; i < PYR_SKULLS; i++)
        put_box_number(sheet, first + i % 5 * (BOX + 54), y + (3 + i / 5) * ROW_HEIGHT, BOX + 40,
            -(int32_t)sheet->edition->box.penalty[i]);
}

/* For each colour, boxes for counting pyramids, and its points (R14). */
static void put_race(struct sheet *sheet, int32_t x, int32_t y)
{
    const struct pyr_options *options = &pyr_rulebook;
    for (unsigned colour = 0; colour < PYR_COLOURS; colour++) {
        const int32_t row = y + (int32_t)colour * ROW_HEIGHT;
        put_pyramid(sheet, colour, x + 40, row, 106);
        for (int32_t i = 0; i < 8; i++)
            put_box(sheet, x + 190 + i * (BOX + 14), row, BOX);
        for (int32_t i = 0; i < PYR_TILES; i++)
            put_box_number(sheet, x + 1080 + i * (BOX + 44), row, BOX + 30, options->tile[i]);
    }
}

/* R16: boxes for the final sum. */
static void put_sum(struct sheet *sheet, int32_t x, int32_t y)
{
    static const enum pyr_paper_word word[] = { PYR_WORD_PYRAMIDS, PYR_WORD_TORCH, PYR_WORD_POINTS, PYR_WORD_GEMS,
        PYR_WORD_SKULL, PYR_WORD_TOTAL };
    for (int32_t i = 0; i < 6; i++) {
        const int32_t left = x + 40 + i * 305;
        FILL(&sheet->out, "<text x=\"@\" y=\"@\" font-size=\"32\">", left, y + 30);
        put_word(sheet, word[i]);
        pyr_out_text(&sheet->out, "</text>");
        put_box(sheet, left, y + 48, 280);
    }
}

static void put_score(struct sheet *sheet, int32_t x, int32_t y)
{
    struct pyr_out *out = &sheet->out;
    put_cut(sheet, x, y, ACROSS * CARD_WIDTH, SCORE_HEIGHT);
    FILL(out, "<text x=\"@\" y=\"@\" font-size=\"60\" font-weight=\"bold\">", x + 40, y + 95);
    put_word(sheet, PYR_WORD_SCORE);
    FILL(out, "</text><text x=\"@\" y=\"@\" font-size=\"44\">", x + 900, y + 95);
    put_word(sheet, PYR_WORD_PLAYER);
    FILL(out, "</text><path d=\"M@ @h640\" stroke=\"#222\" stroke-width=\"3\"/>", x + 1200, y + 100);
    put_tracks(sheet, x, y + 140);
    put_race(sheet, x, y + 760);
    put_sum(sheet, x, y + 1130);
}

static void put_hatching(struct sheet *sheet)
{
    if (!sheet->paper->is_coloured)
        pyr_out_text(&sheet->out, "<defs><pattern id=\"q-hatch\" width=\"18\" height=\"18\" patternUnits=\"userSpaceOnUse\""
            " patternTransform=\"rotate(45)\"><path d=\"M0 0V18\" stroke=\"#222\" stroke-width=\"5\"/></pattern></defs>");
}

/* The title of the sheet, and on the first one a line of 50 mm: if it is shorter on paper, the printer has shrunk the
 * sheet. */
static void put_footer(struct sheet *sheet, enum pyr_paper_word part)
{
    struct pyr_out *out = &sheet->out;
    const int32_t left = (sheet->at->across - ACROSS * CARD_WIDTH) / 2, end = left + ACROSS * CARD_WIDTH;
    const int32_t below = sheet->at->top + ACROSS * CARD_HEIGHT;
    if (sheet->number == 1) {
        FILL(out, "<path d=\"M@ @h500m-500 -14v28m500 -28v28\" fill=\"none\" stroke=\"#222\" stroke-width=\"4\"/>"
                  "<text x=\"@\" y=\"@\" font-size=\"30\">", left + 2, below + sheet->at->ruler - 12, left + 525,
            below + sheet->at->ruler);
        put_word(sheet, PYR_WORD_RULER);
        pyr_out_text(out, "</text>");
    }
    FILL(out, "<text x=\"@\" y=\"@\" font-size=\"30\">", left, below + sheet->at->footer);
    put_escaped(out, pyr_word_of(sheet->edition->title));
    pyr_out_text(out, " · ");
    put_word(sheet, part);
    pyr_out_text(out, " · ");
    pyr_out_text(out, sheet->at->name);
    pyr_out_text(out, " · ");
    put_word(sheet, PYR_WORD_MADE);
    FILL(out, "</text><text x=\"@\" y=\"@\" font-size=\"30\" text-anchor=\"end\">@ / @</text>", end,
        below + sheet->at->footer, (int32_t)sheet->number, (int32_t)sheet->of);
}

unsigned pyr_paper_sheets(const struct pyr_paper *paper)
{
    return (paper->parts & PYR_PAPER_CARDS ? CARD_SHEETS : 0u) + (paper->parts & PYR_PAPER_EXPEDITION ? 1u : 0u) +
        (paper->parts & PYR_PAPER_SCORE ? 1u : 0u);
}

size_t pyr_paper_write(const struct pyr_paper *paper, const struct pyr_edition *edition, unsigned sheet, char *to,
    size_t size)
{
    const unsigned of = pyr_paper_sheets(paper), cards = paper->parts & PYR_PAPER_CARDS ? CARD_SHEETS : 0;
    struct sheet at = { .paper = paper, .edition = edition, .number = sheet + 1, .of = of };
    pyr_out_init(&at.out, to, size);
    if (sheet >= of)
        return 0;
    at.at = &measures[paper->size == PYR_PAPER_LETTER];
    pyr_out_text(&at.out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sheet\" width=\"");
    pyr_out_text(&at.out, at.at->width);
    pyr_out_text(&at.out, "\" height=\"");
    pyr_out_text(&at.out, at.at->height);
    FILL(&at.out, "\" viewBox=\"0 0 @ @\" font-family=\"serif\" fill=\"#222\" role=\"img\" aria-label=\"@ / @\">",
        at.at->across, at.at->down, (int32_t)at.number, (int32_t)of);
    const bool is_expedition = sheet == cards && paper->parts & PYR_PAPER_EXPEDITION;
    if (!sheet)
        put_hatching(&at);
    if (sheet < cards) {
        const unsigned first = sheet * PER_SHEET, left = PYR_CARDS - first;
        put_cards(&at, first, left < PER_SHEET ? left : PER_SHEET, put_card);
        put_footer(&at, PYR_WORD_CARDS);
    } else if (is_expedition) {
        put_cards(&at, 0, PYR_EXPEDITIONS, put_expedition);
        put_footer(&at, PYR_WORD_EXPEDITION);
    } else {
        const int32_t x = (at.at->across - ACROSS * CARD_WIDTH) / 2;
        put_score(&at, x, at.at->top);
        put_score(&at, x, at.at->top + SCORE_HEIGHT + 40);
        put_footer(&at, PYR_WORD_SCORE);
    }
    pyr_out_text(&at.out, "</svg>\n");
    return at.out.length;
}

/* If a colour of six digits begins here, writes its grey: brightness as perceived (Rec. 601). */
static bool put_grey(struct pyr_out *out, const char *at, size_t left)
{
    int digit[6];
    if (left < 8 || at[0] != '#' || at[7] != '"')
        return false;
    for (int i = 0; i < 6; i++) {
        digit[i] = pyr_hex_any(at[i + 1]);
        if (digit[i] < 0)
            return false;
    }
    const int grey = (299 * (16 * digit[0] + digit[1]) + 587 * (16 * digit[2] + digit[3]) +
        114 * (16 * digit[4] + digit[5])) / 1000;
    pyr_out_char(out, '#');
    for (int i = 0; i < 3; i++) {
        pyr_out_char(out, "0123456789ABCDEF"[grey / 16]);
        pyr_out_char(out, "0123456789ABCDEF"[grey % 16]);
    }
    return true;
}

/* The length of `word` if the text continues with it, else 0. */
static size_t begins(const char *at, size_t left, const char *word)
{
    size_t i = 0;
    while (word[i] && i < left && at[i] == word[i])
        i++;
    return word[i] ? 0 : i;
}

size_t pyr_paper_sprite(const char *svg, size_t length, bool is_coloured, char *to, size_t size)
{
    static const char *const before[] = { " id=\"", "url(#", "href=\"#" };
    struct pyr_out out;
    pyr_out_init(&out, to, size);
    for (size_t i = 0; i < length;) {
        size_t found = 0;
        for (size_t k = 0; k < sizeof before / sizeof *before && !found; k++)
            found = begins(svg + i, length - i, before[k]);
        if (found) {
            pyr_out_word(&out, (struct pyr_word){ svg + i, found });
            pyr_out_text(&out, "q-");
            i += found;
        } else if (!is_coloured && put_grey(&out, svg + i, length - i)) {
            i += 7;
        } else {
            pyr_out_char(&out, svg[i++]);
        }
    }
    return out.length;
}
