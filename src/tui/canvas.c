/*
 * canvas.c: a grid of characters with styles, and the places on it that can be clicked; see canvas.h. Nothing here
 * depends on a terminal, so tests can draw into it and read it back (canvas_dump). Everything outside is clipped, so
 * callers need no bounds checks.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <letters.h>
#include <pyramids/utf8.h>

#include "canvas.h"

/* Without memory it has no size, and drawing does nothing. No terminal is larger than 2000. One cell more than needed is
 * allocated, so that calloc for an empty canvas is not NULL. */
bool canvas_init(struct canvas *canvas, int width, int height)
{
    free(canvas->cell);
    canvas->width = width > 0 && width < 2000 ? width : 0;
    canvas->height = height > 0 && height < 2000 ? height : 0;
    canvas->cell = calloc((size_t)canvas->width * (size_t)canvas->height + 1, sizeof *canvas->cell);
    if (!canvas->cell)
        canvas->width = canvas->height = 0;
    canvas_clear(canvas);
    return canvas->cell != NULL;
}

void canvas_finish(struct canvas *canvas)
{
    free(canvas->cell);
    canvas->cell = NULL;
    canvas->width = canvas->height = 0;
}

/* Places to click are removed as well: they belong to what was drawn. */
void canvas_clear(struct canvas *canvas)
{
    canvas->places = 0;
    canvas_fill(canvas, 0, 0, canvas->width, canvas->height, ' ', ST_TEXT);
}

/* The substitute for a character on an ASCII terminal: a plus for any other box-drawing character, a question mark for
 * anything unknown. */
static uint32_t ascii_for(uint32_t c)
{
    /* Letters of Latin 1 become their base letter; then the signs that we use. */
    static const char latin[] = "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty";
    static const struct {
        uint32_t from;
        char to;
    } signs[] = {
        { 0x2500, '-' },
        { 0x2502, '|' },
        { 0x2550, '=' },
        { 0x2551, '|' },
        { 0x2666, 'r' },
        { 0x25a0, 'e' },
        { 0x263c, 'f' },
        { 0x2620, 's' },
        { 0x263b, 's' },
        { 0x2665, 'p' },
        { 0xd7, 'x' },
        { 0x25bc, 'v' },
        { 0x3a9, 'T' },
        { 0x25cf, '*' },
        { 0x2261, '=' },
        { 0x2571, '/' },
        { 0x2591, ':' },
        { 0x2588, '#' },
        { 0xb7, '.' },
        { 0x2192, '>' },
        { 0x2190, '<' },
        { 0x2191, '^' },
        { 0x2193, 'v' },
        { 0x2713, '+' },
        { 0x2026, '~' },
        { 0x2014, '-' },
        { 0x2013, '-' },
        { 0x2018, '\'' },
        { 0x2019, '\'' },
        { 0x201c, '"' },
        { 0x201d, '"' },
        { 0x25b8, '>' },
        { 0x2590, '(' },
        { 0x258c, ')' },
        { 0x25cb, 'o' },
        { 0x2605, '*' },
        { 0xa0, ' ' },
        { 0x25aa, '#' },
        { 0x25ab, '.' },
        { 0x202f, ' ' },
        { 0xab, '"' },
        { 0xbb, '"' },
        { 0x201e, '"' },
        { 0x201a, '\'' },
        { 0xa1, '!' },
        { 0xaa, 'a' },
        { 0xba, 'o' },
        { 0xb0, 'o' },
        { 0x2212, '-' },
    };
    if (c < 0x7f)
        return c;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (signs[i].from == c)
            return (uint32_t)signs[i].to;
    if (c >= 0xc0 && c <= 0xff)
        return (uint32_t)latin[c - 0xc0];
    if (c > 0x2500 && c < 0x2580)
        return '+';
    return '?';
}

/* Replaces the content of the cell, including marks. */
void canvas_put(struct canvas *canvas, int x, int y, uint32_t character, enum style style)
{
    if (x < 0 || y < 0 || x >= canvas->width || y >= canvas->height)
        return;
    canvas->cell[y * canvas->width + x] =
        (struct cell){ .character = canvas->ascii ? ascii_for(character) : character, .style = (uint8_t)style };
}

void canvas_fill(struct canvas *canvas, int x, int y, int width, int height, uint32_t character, enum style style)
{
    for (int row = y; row < y + height; row++)
        for (int column = x; column < x + width; column++)
            canvas_put(canvas, column, row, character, style);
}

int text_width(const char *text)
{
    return letters_columns(text, strlen(text));
}

/* Adds a combining mark, such as an accent, to the character in a cell, if there is room. More than CANVAS_MARKS on one
 * letter are left out. */
static void add_mark(struct canvas *canvas, int x, int y, int32_t mark)
{
    if (canvas->ascii || x < 0 || y < 0 || x >= canvas->width || y >= canvas->height)
        return;
    struct cell *cell = &canvas->cell[y * canvas->width + x];
    for (unsigned i = 0; i < CANVAS_MARKS; i++) {
        if (!cell->mark[i]) {
            cell->mark[i] = (uint32_t)mark;
            return;
        }
    }
}

/* Writes the characters of one letter; returns the columns used. Bytes that are not a visible character become question
 * marks. Joiners and selectors are left out: terminals treat them differently, but all of them can show the parts side by
 * side. */
static int write_letter(struct canvas *canvas, int x, int y, enum style style, const char *text, size_t size)
{
    int used = 0, last = x;
    size_t length;
    for (size_t at = 0; at < size; at += length) {
        int32_t character = pyr_utf8_read(text + at, size - at, &length);
        int width = character_columns(character);
        if (character < ' ' || (character >= 0x7f && character < 0xa0))
            character = '?';
        if (!width) {
            if (character_is_mark(character) && character < 0xfe00)
                add_mark(canvas, last, y, character);
            continue;
        }
        last = x + used;
        canvas_put(canvas, last, y, (uint32_t)character, style);
        if (width == 2) {
            /* The half of it beyond the edge would wrap; and on an ASCII terminal everything has one column. */
            if (last + 1 >= canvas->width)
                canvas_put(canvas, last, y, '?', style);
            else
                canvas_put(canvas, last + 1, y, canvas->ascii ? ' ' : 0, style);
        }
        used += width;
    }
    return used;
}

/* Writes the bytes up to `end`, as many whole letters as there is room for. A letter is what the reader sees as one: a
 * character with its marks. It is never cut in half. */
static int write_part(struct canvas *canvas, int x, int y, int most, enum style style, const char *text, const char *end)
{
    int used = 0, columns;
    for (size_t size; text < end; text += size) {
        size = letter_size(text, (size_t)(end - text), &columns);
        if (used + columns > most)
            break;
        used += write_letter(canvas, x + used, y, style, text, size);
    }
    return used;
}

/* A text that is too long ends with an ellipsis, for which one column is reserved. Returns the columns used. */
int canvas_text(struct canvas *canvas, int x, int y, int most, enum style style, const char *text)
{
    if (most <= 0)
        return 0;
    if (text_width(text) <= most)
        return write_part(canvas, x, y, most, style, text, text + strlen(text));
    int used = write_part(canvas, x, y, most - 1, style, text, text + strlen(text));
    canvas_put(canvas, x + used, y, 0x2026, style);
    return used + 1;
}

/* Text beyond 1023 bytes is cut; no line of a terminal needs as many. */
int canvas_print(struct canvas *canvas, int x, int y, int most, enum style style, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return canvas_text(canvas, x, y, most, style, text);
}

/* Where a line of a wrapped text ends, and where the next one begins: at the last blank that fits; a word longer than a
 * line is cut at its end. The blank itself is not shown. */
static const char *break_line(const char *text, int width, const char **next)
{
    const char *at = text, *blank = NULL;
    int used = 0;
    const char *end = text + strcspn(text, "\n");
    while (at < end) {
        const char *before = at;
        int columns;
        at += letter_size(at, (size_t)(end - at), &columns);
        used += columns;
        if (*before == ' ')
            blank = before;
        if (used > width) {
            if (*before == ' ')
                return *next = at, before;
            if (blank)
                return *next = blank + 1, blank;
            return *next = before > text ? before : at, *next;
        }
    }
    *next = *at ? at + 1 : at;
    return at;
}

/* If the text does not fit, the last row ends with an ellipsis. */
int canvas_wrap(struct canvas *canvas, int x, int y, int width, int height, enum style style, const char *text)
{
    int rows = 0;
    while (*text && rows < height && width > 0) {
        const char *next, *end = break_line(text, width, &next);
        if (rows == height - 1 && *next) {
            canvas_text(canvas, x, y + rows++, width, style, text);
            break;
        }
        write_part(canvas, x, y + rows++, width, style, text, end);
        text = next;
    }
    return rows;
}

int text_rows(const char *text, int width)
{
    int rows = 0;
    while (*text && width > 0) {
        const char *next;
        break_line(text, width, &next);
        text = next;
        rows++;
    }
    return rows;
}

/* Corners, then horizontal and vertical lines, single or double. */
void canvas_frame(struct canvas *canvas, int x, int y, int width, int height, enum style style, bool double_line)
{
    static const uint32_t lines[2][6] = { { 0x250c, 0x2510, 0x2514, 0x2518, 0x2500, 0x2502 },
        { 0x2554, 0x2557, 0x255a, 0x255d, 0x2550, 0x2551 } };
    const uint32_t *line = lines[double_line];
    canvas_fill(canvas, x + 1, y, width - 2, 1, line[4], style);
    canvas_fill(canvas, x + 1, y + height - 1, width - 2, 1, line[4], style);
    canvas_fill(canvas, x, y + 1, 1, height - 2, line[5], style);
    canvas_fill(canvas, x + width - 1, y + 1, 1, height - 2, line[5], style);
    canvas_put(canvas, x, y, line[0], style);
    canvas_put(canvas, x + width - 1, y, line[1], style);
    canvas_put(canvas, x, y + height - 1, line[2], style);
    canvas_put(canvas, x + width - 1, y + height - 1, line[3], style);
}

/* More than CANVAS_PLACES are not stored; those can only be reached by keys. */
void canvas_place(struct canvas *canvas, int x, int y, int width, int height, int action, int detail)
{
    if (canvas->places < CANVAS_PLACES)
        canvas->place[canvas->places++] =
            (struct place){ (int16_t)x, (int16_t)y, (int16_t)width, (int16_t)height, (int16_t)action, detail };
}

/* The last one drawn is on top. */
const struct place *canvas_find(const struct canvas *canvas, int x, int y)
{
    for (unsigned i = canvas->places; i-- > 0;) {
        const struct place *place = &canvas->place[i];
        if (x >= place->x && x < place->x + place->width && y >= place->y && y < place->y + place->height)
            return place;
    }
    return NULL;
}

/* A cell as UTF-8. */
static size_t write_cell(char *to, const struct cell *cell)
{
    size_t size = cell->character ? pyr_utf8_write((int32_t)cell->character, to) : 0;
    for (unsigned i = 0; i < CANVAS_MARKS && cell->mark[i]; i++)
        size += pyr_utf8_write((int32_t)cell->mark[i], to + size);
    return size;
}

/* UTF-8 needs at most four bytes per character. */
char *canvas_dump(const struct canvas *canvas)
{
    size_t cells = (size_t)canvas->width * (size_t)canvas->height;
    char *text = malloc(cells * 4 * (1 + CANVAS_MARKS) + (size_t)canvas->height + 1), *at = text;
    for (int y = 0; text && y < canvas->height; y++) {
        for (int x = 0; x < canvas->width; x++)
            at += write_cell(at, &canvas->cell[y * canvas->width + x]);
        while (at > text && at[-1] == ' ')
            at--;
        *at++ = '\n';
    }
    if (text)
        *at = '\0';
    return text;
}
