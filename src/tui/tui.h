/*
 * tui.h (tui.c): the full-screen terminal client: games against bots, at one screen in turns, on a server, and replays.
 */
#ifndef PYR_TUI_H
#define PYR_TUI_H

#include <pyramids/bots.h>
#include <pyramids/match.h>

/* How it was started (src/cli/play.c); strings and texts are the caller's. */
struct tui_options {
    const struct pyr_edition *edition;
    const char *edition_file;    /* where it was read from; NULL: built in */
    unsigned players;
    uint64_t seed;
    unsigned people;             /* bits: seats that are played here; the rest are bots */
    const char *names[PYR_MAX_SEATS];        /* of people */
    const struct pyr_bot *bot[PYR_MAX_SEATS];
    bool ascii, no_colour;
    bool new_game, go_on;        /* do not ask about a game that is under way: begin a new one, or resume it */
    const char *resume;          /* the name of the saved game to resume; or NULL */
    const char *record;          /* a game to continue or to replay */
    size_t record_size;
    const char *record_name;     /* its file, for messages */
    bool replay;
    uint32_t playouts;           /* of an analysis, per decision */
    const char *server, *table, *key;        /* play on a server; table and key may be NULL */
    bool daily, daily_again;     /* the day's expedition there; an attempt that does not count */
    const char *daily_date;      /* of which day; NULL: today */
    const char *trusted;         /* a file of certificates to trust there; NULL: the system's */
};

#define TUI_NO_TERMINAL (-1)     /* nothing was done; play line by line instead */

/* Whether a full screen can be drawn on this terminal. */
bool tui_is_possible(void);

/* Plays. Returns the exit code, or TUI_NO_TERMINAL. Errors are printed on standard error once the terminal is
 * restored. Ends by a signal if one asked for it. */
int tui_run(const struct tui_options *options);

#endif
