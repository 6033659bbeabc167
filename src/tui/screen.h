/*
 * screen.h (screen.c): the terminal itself: ncurses, colours, keys, mouse, signals. There is one; its state is
 * restored however the program ends.
 */
#ifndef PYR_TUI_SCREEN_H
#define PYR_TUI_SCREEN_H

#include "canvas.h"

/* Keys that are not a character. */
enum key {
    K_UP = 0x110000, K_DOWN, K_LEFT, K_RIGHT, K_HOME, K_END, K_PAGE_UP, K_PAGE_DOWN, K_BACKTAB, K_BACKSPACE, K_DELETE,
    K_ENTER = '\r', K_TAB = '\t', K_ESCAPE = 27
};

enum input_kind {
    INPUT_NONE,                  /* the time is up */
    INPUT_KEY,
    INPUT_HOVER, INPUT_CLICK, INPUT_WHEEL,   /* the mouse at x, y; the wheel with key 1 (up) or -1 */
    INPUT_RESIZE,                /* or come back from being suspended: redraw */
    INPUT_WAKE,                  /* screen_wake was called */
    INPUT_END                    /* a signal asked the program to stop */
};

/* One thing that happened, as screen_wait returns it. */
struct input {
    enum input_kind kind;
    int key;
    int x, y;
};

struct screen_options {
    bool ascii;                  /* asked for */
    bool no_colour;
};

/* What the terminal can do. */
struct screen_facts {
    bool ascii;
    bool bare_console;
    int colours;                 /* 0, 8 or 256 */
};

/* Takes over the terminal. False, with nothing changed, if it cannot be used. */
bool screen_start(const struct screen_options *options, struct screen_facts *facts);
void screen_stop(void);

void screen_size(int *width, int *height);
void screen_show(const struct canvas *canvas);
/* Draws everything again, as after other programs wrote over it. */
void screen_redraw(void);

/* Waits for something, at most that many milliseconds (-1: for ever). */
struct input screen_wait(int milliseconds);

/* From any thread: makes screen_wait return. */
void screen_wake(void);

/* The signal that asked to stop, or 0. */
int screen_signal(void);

#endif
