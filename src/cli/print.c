/*
 * print.c: `pyramids print`: an edition as sheets to print, cut and write on, as one page that any browser can print.
 * The sheets are made in src/paper; the page of the browser client shows the same ones.
 */
#include <stdlib.h>
#include <string.h>

#include <pyramids/paper.h>

#include "cli.h"
#include "sprite.inc"

enum { PAPER, COLOUR, ONLY, OUTPUT, OPTIONS };

/* The page size without margins: the sheets have their own. */
#define HEAD "<!doctype html>\n<html lang=\"%s\">\n<meta charset=\"utf-8\">\n<title>Pyramids</title>\n<style>\n" \
    "@page { size: %s; margin: 0 }\n" \
    "body { margin: 0 }\n" \
    ".sheet { display: block; break-after: page; -webkit-print-color-adjust: exact; print-color-adjust: exact }\n" \
    ".sheet:last-of-type { break-after: auto }\n" \
    "@media screen { body { background: #ddd } .sheet { background: #fff; margin: 16px auto } }\n" \
    "</style>\n<svg width=\"0\" height=\"0\" style=\"position: absolute\" aria-hidden=\"true\"><defs>\n"

static const char *words_of(const struct pyr_edition *edition)
{
    static char words[2048];
    const char *made = strcmp(edition->name, "classic") ? _("made for a table with pens") :
        _("our own design, made for a table with pens");
    snprintf(words, sizeof words, "%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n", made, _("Pyramid cards"),
        _("Expedition cards"), _("Score card"), _("Print at 100%: this line is 50 mm long."), _("Name"), _("Rubies"),
        _("Emeralds"), _("Torches"), _("Skulls"), _("Pyramids"), _("Pyramid points"), _("Gems"), _("Total"));
    return words;
}

/* "cards,score" as bits; 0 and a message if a word is unknown. */
static unsigned parts_of(const char *list)
{
    static const struct { const char *name; unsigned part; } parts[] = {
        { "cards", PYR_PAPER_CARDS }, { "expedition", PYR_PAPER_EXPEDITION }, { "score", PYR_PAPER_SCORE },
    };
    unsigned found = 0;
    while (list) {
        const char *end = strchr(list, ',');
        const size_t length = end ? (size_t)(end - list) : strlen(list);
        unsigned part = 0;
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            if (strlen(parts[i].name) == length && !strncmp(parts[i].name, list, length))
                part = parts[i].part;
        }
        if (!part) {
            cli_error(_("unknown part '%.*s'; choose from: %s"), (int)length, list, "cards, expedition, score");
            return 0;
        }
        found |= part;
        list = end ? end + 1 : NULL;
    }
    return found;
}

/* The whole page in one block, which the caller frees; NULL without memory. */
static char *make_page(const struct pyr_paper *paper, const struct pyr_edition *edition, size_t *size)
{
    const unsigned sheets = pyr_paper_sheets(paper);
    const size_t room = 4096 + 2 * sizeof sprite + (size_t)sheets * PYR_PAPER_ROOM;
    char *page = malloc(room);
    if (!page)
        return NULL;
    size_t at = (size_t)snprintf(page, room, HEAD, pyr_text_code(), paper->size == PYR_PAPER_LETTER ? "letter" : "A4");
    at += pyr_paper_sprite(sprite, sizeof sprite - 1, paper->is_coloured, page + at, room - at);
    at += (size_t)snprintf(page + at, room - at, "\n</defs></svg>\n");
    for (unsigned i = 0; i < sheets; i++)
        at += pyr_paper_write(paper, edition, i, page + at, room - at);
    at += (size_t)snprintf(page + at, room - at, "</html>\n");
    *size = at;
    return page;
}

int cli_print(int argc, char **argv)
{
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "paper", 'p', "SIZE", _("a4 (default) or letter") },
        { "colour", 'c', NULL, _("print in colour (default: black, with little ink)") },
        { "only", 0, "PARTS", _("print only these: cards, expedition, score (default: all three)") },
        { "output", 'o', "FILE", _("write to FILE (default: standard output)") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "print [EDITION] [--paper SIZE] [--colour] [--only PARTS] [--output FILE]",
        _("Makes sheets to print, cut and write on: 48 pyramid cards of 63 x 88 mm, the expedition cards and two\n"
          "score cards, for a table with pens. The result is a page: open it in a browser and print it at 100%.\n"
          "EDITION is a file or the name of a built-in edition (default: classic)."),
        option,
        "  pyramids print --output sheets.html\n"
        "  pyramids print mybox.edition --paper letter --colour -o mybox.html\n"
        "  pyramids print --only score > score.html\n",
    };
    int code = cli_parse_words(&options, 1, &argc, argv, value);
    if (code >= 0)
        return code;
    const bool letter = value[PAPER] && !strcmp(value[PAPER], "letter");
    if (value[PAPER] && !letter && strcmp(value[PAPER], "a4")) {
        cli_error(_("unknown paper '%s'; choose from: %s"), value[PAPER], "a4, letter");
        return CLI_USAGE;
    }
    const unsigned parts = value[ONLY] ? parts_of(value[ONLY]) :
        PYR_PAPER_CARDS | PYR_PAPER_EXPEDITION | PYR_PAPER_SCORE;
    if (!parts)
        return CLI_USAGE;
    static struct pyr_edition edition;
    code = cli_edition_load(argc ? argv[0] : NULL, &edition);
    if (code)
        return code;
    const struct pyr_paper paper = { letter ? PYR_PAPER_LETTER : PYR_PAPER_A4, parts, value[COLOUR] != NULL,
        words_of(&edition) };
    size_t size = 0;
    char *page = make_page(&paper, &edition, &size);
    if (!page) {
        cli_error(_("out of memory"));
        return CLI_WRONG;
    }
    bool good = value[OUTPUT] && strcmp(value[OUTPUT], "-") ? cli_write(value[OUTPUT], page, size) :
        fwrite(page, 1, size, stdout) == size;
    free(page);
    return good ? CLI_GOOD : CLI_WRONG;
}
