/*
 * qr.c: a link as a QR code for the camera of a phone, drawn on a terminal (qr.h).
 *
 * Only for a terminal that can show it: colours are set by escape sequences, since a camera needs dark on light.
 */
#include <langinfo.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "qr.h"
#include "qr_encode.h"

#define MARGIN 2                 /* light modules around it; the standard asks for four, cameras manage with two */

/* Outside of the code, in its margin, everything is light. */
static bool is_dark(const struct qr_code *code, int x, int y)
{
    return x >= 0 && y >= 0 && x < code->width && y < code->width && code->dark[y][x];
}

/* Two rows of modules in a row of characters, black on white whatever the terminal's colours are. */
static void draw_halves(FILE *to, const struct qr_code *code)
{
    static const char *const halves[] = { " ", "\u2580", "\u2584", "\u2588" };
    for (int y = -MARGIN; y < code->width + MARGIN; y += 2) {
        fputs("\033[38;5;16;48;5;231m", to);
        for (int x = -MARGIN; x < code->width + MARGIN; x++)
            fputs(halves[is_dark(code, x, y) + 2 * is_dark(code, x, y + 1)], to);
        fputs("\033[0m\n", to);
    }
}

/* Without such characters a module is two blanks with a background. */
static void draw_blanks(FILE *to, const struct qr_code *code)
{
    for (int y = -MARGIN; y < code->width + MARGIN; y++) {
        for (int x = -MARGIN; x < code->width + MARGIN; x++)
            fputs(is_dark(code, x, y) ? "\033[48;5;16m  " : "\033[48;5;231m  ", to);
        fputs("\033[0m\n", to);
    }
}

void qr_draw(FILE *to, const char *text)
{
    const char *terminal = getenv("TERM");
    struct winsize size = { 0 };
    if (!isatty(fileno(to)) || !terminal || !terminal[0] || !strcmp(terminal, "dumb"))
        return;
    struct qr_code code;
    if (!qr_encode(&code, text, strlen(text)))
        return;
    bool is_utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
    int columns = (code.width + 2 * MARGIN) * (is_utf8 ? 1 : 2);
    if (ioctl(fileno(to), TIOCGWINSZ, &size) || !size.ws_col || size.ws_col >= columns)
        (is_utf8 ? draw_halves : draw_blanks)(to, &code);
}
