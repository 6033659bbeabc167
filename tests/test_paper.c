/* test_paper.c: sheets to print: their number, that every card of the edition is on one with all its symbols, that
 * nothing is outside the paper, and that foreign texts are escaped. */
#include <pyramids/builtin.h>
#include <pyramids/paper.h>

#include "check.h"

static struct pyr_edition edition;
static char sheet[PYR_PAPER_ROOM], twice[PYR_PAPER_ROOM];
static const char words[] = "made\nPyramid cards\nExpedition cards\nScore card\nruler\nName\nRubies\nEmeralds\nTorches\n"
    "Skulls\nPyramids\nPoints\nGems\nTotal\n";
static const unsigned all = PYR_PAPER_CARDS | PYR_PAPER_EXPEDITION | PYR_PAPER_SCORE;

static void read_classic(void)
{
    const char *classic = pyr_builtin_edition("classic");
    CHECK_INT(pyr_edition_read(&edition, classic, strlen(classic), NULL), PYR_OK);
}

static int count(const char *text, const char *word)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        found++;
    return found;
}

static const char *write_sheet(unsigned number, unsigned parts, bool coloured)
{
    const struct pyr_paper paper = { PYR_PAPER_A4, parts, coloured, words };
    const size_t length = pyr_paper_write(&paper, &edition, number, sheet, sizeof sheet);
    CHECK(length && length < sizeof sheet && strlen(sheet) == length);
    return sheet;
}

TEST("48 cards on six sheets, one sheet of expedition cards, one of score cards")
{
    static const struct { unsigned parts, sheets; } wanted[] = { { 0, 0 }, { PYR_PAPER_CARDS, 6 },
        { PYR_PAPER_EXPEDITION, 1 }, { PYR_PAPER_SCORE, 1 }, { all, 8 }, { all | 64, 8 } };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const struct pyr_paper paper = { PYR_PAPER_A4, wanted[i].parts, false, words };
        CHECK_INT(pyr_paper_sheets(&paper), wanted[i].sheets);
        CHECK_INT(pyr_paper_write(&paper, &edition, wanted[i].sheets, sheet, sizeof sheet), 0);
    }
}

TEST("every card is there, with its number and its symbols")
{
    static const struct { char character; const char *picture; } symbols[] = { { 'x', "#q-s-cross\"" },
        { 'r', "#q-s-ruby\"" }, { 'e', "#q-s-emerald\"" }, { 'f', "#q-s-torch\"" }, { 's', "#q-s-skull\"" },
        { 'p', "#q-s-potion\"" }, { 'T', "#q-s-tomb\"" } };
    read_classic();
    for (unsigned number = 0; number < 6; number++) {
        const char *text = write_sheet(number, all, false);
        int expected[7] = { 0 };
        for (unsigned card = number * 9; card < number * 9 + 9 && card < PYR_CARDS; card++) {
            char tag[16];
            snprintf(tag, sizeof tag, ">%u</text>", card + 1);
            CHECK_INT(count(text, tag), 1);
            for (unsigned i = 0; i < 25; i++) {
                for (int s = 0; s < 7; s++)
                    expected[s] += pyr_card_char(&edition.box.card[card], i / 5, i % 5) == symbols[s].character;
            }
        }
        for (int s = 0; s < 7; s++)
            CHECK_INT(count(text, symbols[s].picture), expected[s]);
        CHECK_INT(count(text, "M0 0V18"), number == 0);          /* the hatching, once */
    }
}

TEST("expedition cards show the eight patterns, space by space")
{
    read_classic();
    const char *text = write_sheet(6, all, false);
    /* I2, I3, V3, twice I4, L4, twice O4: 2 + 3 + 3 + 8 + 4 + 8 spaces. */
    CHECK_INT(count(text, "width=\"126\""), 28);
    CHECK_INT(count(text, ">I4</text>"), 2);
    CHECK_INT(count(text, ">L4</text>"), 1);
}

TEST("a score card has what R3 lists")
{
    read_classic();
    const char *text = write_sheet(0, PYR_PAPER_SCORE, false);
    /* Two cards: on each twice 10 gems, 4 torches, 10 skulls, for each colour 8 places and 3 points, 6 sums. */
    CHECK_INT(count(text, "height=\"88\" rx"), 2 * (20 + 4 + 10 + 3 * 11 + 6));
    CHECK_INT(count(text, ">-18</text>"), 2);
    CHECK_INT(count(text, ">III</text>"), 2);
    CHECK_INT(count(text, ">ruler</text>"), 1);                  /* it is the first sheet, so it has the ruler */
    CHECK_INT(count(text, ">1 / 1</text>"), 1);
}

TEST("texts are escaped, missing words are empty, small buffers are cut")
{
    read_classic();
    strcpy(edition.title, "<b>\"R&D\"");
    const struct pyr_paper paper = { PYR_PAPER_LETTER, all, true, "made & <sold>" };
    const size_t length = pyr_paper_write(&paper, &edition, 0, sheet, sizeof sheet);
    CHECK(strstr(sheet, "&lt;b>&quot;R&amp;D&quot; ·  · Letter · made &amp; &lt;sold></text>") != NULL);
    CHECK(strstr(sheet, "viewBox=\"0 0 2159 2794\"") != NULL);
    CHECK_INT(pyr_paper_write(&paper, &edition, 0, twice, 100), length);
    CHECK_INT(strlen(twice), 99);
    CHECK(!strncmp(sheet, twice, 99));
    CHECK_INT(pyr_paper_write(&paper, &edition, 0, NULL, 0), length);
}

TEST("pictures get names of their own, and grey where there is no colour")
{
    static const char svg[] =
        "<g id=\"s-x\" fill=\"#FF8000\" stroke=\"url(#g-y)\"/><use href=\"#s-x\" fill=\"#123\"/>#00ff00";
    pyr_paper_sprite(svg, strlen(svg), true, sheet, sizeof sheet);
    CHECK_STR(sheet, "<g id=\"q-s-x\" fill=\"#FF8000\" stroke=\"url(#q-g-y)\"/><use href=\"#q-s-x\" fill=\"#123\"/>#00ff00");
    /* (299 * 255 + 587 * 128) / 1000 = 151 = 0x97; an incomplete attribute is left alone. */
    pyr_paper_sprite(svg, strlen(svg), false, sheet, sizeof sheet);
    CHECK_STR(sheet, "<g id=\"q-s-x\" fill=\"#979797\" stroke=\"url(#q-g-y)\"/><use href=\"#q-s-x\" fill=\"#123\"/>#00ff00");
    CHECK_INT(pyr_paper_sprite(svg, 5, false, twice, sizeof twice), 5);
}
