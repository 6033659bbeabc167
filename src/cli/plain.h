/*
 * plain.h (plain.c): games line by line, and the list of unfinished ones.
 */
#ifndef PYR_CLI_PLAIN_H
#define PYR_CLI_PLAIN_H

#include <pyramids/bots.h>

#include "cli.h"

struct plain_options {
    const char *edition;         /* as --edition names it; NULL: classic, or the record's */
    unsigned players;
    uint64_t seed;
    pyr_seat seat;               /* the player's */
    bool has_seat, has_bots;     /* given by an option, and not only assumed */
    const struct pyr_bot *bot[PYR_MAX_SEATS], *any_bot;      /* the other players; the one for seats without their own */
    const char *name;
    const char *path;            /* a record to continue; or NULL */
    const char *text;            /* the same as a text, with `path` as its name; NULL: it is read from the file */
    size_t text_size;
    const char *resume;          /* the name of a saved game; or NULL */
    struct there *there;         /* play on a server (there.h), at the table with the code `path`; NULL: play on this
                                    device */
    const char *back;            /* the command that continues that game */
    bool new_game, go_on;        /* do not ask about unfinished games: leave them, or resume the newest */
};

/* Plays on standard input and output; whether the game was then over (is_over may be NULL). Return exit codes. */
int plain_play(const struct plain_options *options, bool *is_over);
int plain_list(const char *edition);

#endif
