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

#include <qrcodegen/qrcodegen.h>

#include "qr.h"

#define MARGIN 2                 /* light modules around it; the standard requires four, but two are enough for cameras */
#define LARGEST 10               /* version: larger codes do not fit into a terminal */

/* Two rows of modules in a row of characters, black on white in any terminal's colours. */
static void draw_halves(FILE *to, const uint8_t *code)
{
    int width = qrcodegen_getSize(code);     /* everything outside of the code, in its margin, is light */
    static const char *const halves[] = { " ", "\u2580", "\u2584", "\u2588" };
    for (int y = -MARGIN; y < width + MARGIN; y += 2) {
        fputs("\033[38;5;16;48;5;231m", to);
        for (int x = -MARGIN; x < width + MARGIN; x++)
            fputs(halves[qrcodegen_getModule(code, x, y) + 2 * qrcodegen_getModule(code, x, y + 1)], to);
        fputs("\033[0m\n", to);
    }
}

/* Without such characters a module is two blanks with a background. */
static void draw_blanks(FILE *to, const uint8_t *code)
{
    int width = qrcodegen_getSize(code);
    for (int y = -MARGIN; y < width + MARGIN; y++) {
        for (int x = -MARGIN; x < width + MARGIN; x++)
            fputs(qrcodegen_getModule(code, x, y) ? "\033[48;5;16m  " : "\033[48;5;231m  ", to);
        fputs("\033[0m\n", to);
    }
}

void qr_draw(FILE *to, const char *text)
{
    const char *terminal = getenv("TERM");
    struct winsize size = { 0 };
    if (!isatty(fileno(to)) || !terminal || !terminal[0] || !strcmp(terminal, "dumb"))
        return;
    uint8_t code[qrcodegen_BUFFER_LEN_FOR_VERSION(LARGEST)], work[sizeof code];
    if (!qrcodegen_encodeText(text, work, code, qrcodegen_Ecc_LOW, qrcodegen_VERSION_MIN, LARGEST, qrcodegen_Mask_AUTO,
        false))
        return;
    bool is_utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
    int columns = (qrcodegen_getSize(code) + 2 * MARGIN) * (is_utf8 ? 1 : 2);
    if (ioctl(fileno(to), TIOCGWINSZ, &size) || !size.ws_col || size.ws_col >= columns)
        (is_utf8 ? draw_halves : draw_blanks)(to, code);
}
