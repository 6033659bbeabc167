/*
 * paper.h (paper.c): an edition as sheets to print, cut and write on: pyramid cards, expedition cards and score cards, for a
 * table with pens. A sheet is one SVG in tenths of a millimetre, so printed at 100% every card is 63 x 88 mm.
 *
 * The pictures of symbols and pyramids are not in here. A sheet refers to them by name (#q-s-ruby, #q-p-green...), and
 * pyr_paper_sprite makes them from the page's own (web/index.html), so that they exist once.
 */
#ifndef PYR_PAPER_H
#define PYR_PAPER_H

#include <pyramids/edition.h>

PYR_BEGIN_DECLS

enum pyr_paper_size {
    PYR_PAPER_A4 = 0,            /* 210 x 297 mm */
    PYR_PAPER_LETTER = 1         /* 8.5 x 11 inches */
};

/* What is printed, as bits. */
enum pyr_paper_part {
    PYR_PAPER_CARDS = 1,         /* nine per sheet */
    PYR_PAPER_EXPEDITION = 2,    /* one sheet */
    PYR_PAPER_SCORE = 4          /* one sheet with two score cards */
};

/* The texts on the sheets, in the player's language, in this order. */
enum pyr_paper_word {
    PYR_WORD_MADE = 0,           /* whose design the edition is */
    PYR_WORD_CARDS = 1, PYR_WORD_EXPEDITION = 2, PYR_WORD_SCORE = 3,   /* what is on the sheet */
    PYR_WORD_RULER = 4,          /* "Print at 100%: this line is 50 mm long." */
    PYR_WORD_PLAYER = 5,
    PYR_WORD_RUBY = 6, PYR_WORD_EMERALD = 7, PYR_WORD_TORCH = 8, PYR_WORD_SKULL = 9,
    PYR_WORD_PYRAMIDS = 10, PYR_WORD_POINTS = 11, PYR_WORD_GEMS = 12, PYR_WORD_TOTAL = 13,
    PYR_PAPER_WORDS = 14
};

struct pyr_paper {
    enum pyr_paper_size size;
    unsigned parts;              /* enum pyr_paper_part; other bits are ignored */
    bool is_coloured;            /* else black, with little ink */
    const char *words;           /* PYR_PAPER_WORDS lines of UTF-8, each ended by a line feed; missing ones are empty */
};

/* How many sheets that makes: 8 with all parts, 0 with none. */
PYR_API unsigned pyr_paper_sheets(const struct pyr_paper *paper);

/* Writes sheet number `sheet`, counted from 0, as an SVG. Returns the length of the whole text, 0 if there is no such
 * sheet; what does not fit into `size` bytes (with the terminator) is cut off. PYR_PAPER_ROOM is always enough. */
PYR_API size_t pyr_paper_write(const struct pyr_paper *paper, const struct pyr_edition *edition, unsigned sheet, char *to,
    size_t size);

#define PYR_PAPER_ROOM (128 << 10)

/* Copies SVG definitions: every name that is defined or referred to gets the prefix "q-", so that the copy can stand in one
 * document with its original, and without is_coloured every colour #RRGGBB becomes its grey. Returns as above; twice the
 * length of `svg` is always enough. */
PYR_API size_t pyr_paper_sprite(const char *svg, size_t length, bool is_coloured, char *to, size_t size);

PYR_END_DECLS

#endif
