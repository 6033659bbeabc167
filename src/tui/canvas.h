/*
 * canvas.h (canvas.c): a page of characters with styles, redrawn each time and then shown by screen.c. It does not
 * depend on a terminal, so that tests can check what is drawn. Parts of it may be places to click.
 */
#ifndef PYR_TUI_CANVAS_H
#define PYR_TUI_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a character means; the palette (screen.c) decides how that looks. */
enum style {
    ST_TEXT, ST_DIM, ST_STRONG, ST_TITLE, ST_KEY, ST_GOOD, ST_BAD, ST_GOLD, ST_TOUCH, ST_FRAME, ST_ACTIVE,
    ST_GREEN, ST_ORANGE, ST_PURPLE,                          /* words in a card's colour */
    ST_WALL_GREEN, ST_WALL_ORANGE, ST_WALL_PURPLE,
    ST_TILE, ST_RUBY, ST_EMERALD, ST_TORCH, ST_SKULL, ST_POTION, ST_CROSS, ST_ENTRANCE, ST_TOMB,   /* on a card */
    ST_MARK, ST_CAN, ST_GHOST, ST_WRONG, ST_PLACED,
    ST_RUBY_TEXT, ST_EMERALD_TEXT, ST_TORCH_TEXT, ST_POTION_TEXT, ST_CROSS_TEXT,                    /* on the page */
    ST_BANNER, ST_COUNT
};

#define CANVAS_MARKS 2           /* marks on one character: Vietnamese uses two */

struct cell {
    uint32_t character;          /* 0: the second half of a wide one */
    uint32_t mark[CANVAS_MARKS]; /* marks that combine with it; 0: none */
    uint8_t style;
};

/* A place to click; its meaning is the caller's. */
struct place {
    int16_t x, y, width, height;
    int16_t action;
    int32_t detail;
};

#define CANVAS_PLACES 160

struct canvas {
    int width, height;
    struct cell *cell;
    struct place place[CANVAS_PLACES];
    unsigned places;
    bool ascii;                  /* the terminal shows only ASCII */
};

/* Sizes the canvas and empties it. False without memory; then it has no size. */
bool canvas_init(struct canvas *canvas, int width, int height);
void canvas_finish(struct canvas *canvas);
void canvas_clear(struct canvas *canvas);

/* All of these clip what is outside. */
void canvas_put(struct canvas *canvas, int x, int y, uint32_t character, enum style style);
void canvas_fill(struct canvas *canvas, int x, int y, int width, int height, uint32_t character, enum style style);

/* Writes UTF-8 in at most `most` columns, cut with an ellipsis. Returns the columns used. */
int canvas_text(struct canvas *canvas, int x, int y, int most, enum style style, const char *text);
int canvas_print(struct canvas *canvas, int x, int y, int most, enum style style, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Writes a text broken at blanks (and line ends) into a rectangle; returns the rows used. */
int canvas_wrap(struct canvas *canvas, int x, int y, int width, int height, enum style style, const char *text);

/* The rows that canvas_wrap would use, however many. */
int text_rows(const char *text, int width);

/* The columns that a text takes. */
int text_width(const char *text);

/* A box of lines, `double_line` for the card in hand. */
void canvas_frame(struct canvas *canvas, int x, int y, int width, int height, enum style style, bool double_line);

/* A rectangle to click; and the one at a point, the last drawn first, or NULL. */
void canvas_place(struct canvas *canvas, int x, int y, int width, int height, int action, int detail);
const struct place *canvas_find(const struct canvas *canvas, int x, int y);

/* The page as text, one line per row, blanks at the ends cut off; for tests. The caller frees it. */
char *canvas_dump(const struct canvas *canvas);

#endif
