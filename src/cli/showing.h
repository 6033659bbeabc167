/*
 * showing.h (showing.c): a position in characters, and what people type about it: shared by `play --plain` and `puzzle`.
 */
#ifndef PYR_CLI_SHOWING_H
#define PYR_CLI_SHOWING_H

#include <pyramids/view.h>

#include "cli.h"

/* What a table is shown with. */
struct showing {
    const struct pyr_edition *edition;
    const char (*name)[PYR_MAX_PLAYER_NAME + 1];     /* of each seat */
};

/* The table as the view's seat sees it, with what it has chosen in this phase. */
void showing_table(const struct showing *showing, const struct pyr_view *view);

/* The desks of all but one as everyone sees them: without what they have chosen in this phase. */
void showing_players(const struct showing *showing, const struct pyr_table *open, pyr_seat me);

/* Turns what was typed into the notation of a phase, in a buffer of `room` bytes. What cannot be understood stays as it is,
 * for a message about it. */
void showing_tidy(unsigned phase, char *word, size_t room);

#endif
