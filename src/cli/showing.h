/*
 * showing.h (showing.c): prints a position in characters, and reads what players type about it: shared by `play --plain`
 * and `puzzle`.
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

/* Prints the table as the view's seat sees it, with that seat's choice so far in this phase. */
void showing_table(const struct showing *showing, const struct pyr_view *view);

/* Prints the desks of all players but one as everyone sees them: without their choices in this phase. */
void showing_players(const struct showing *showing, const struct pyr_table *open, pyr_seat me);

/* Converts typed input into the notation of a phase, in a buffer of `room` bytes. Input that is not understood is left as
 * it is, for a message about it. */
void showing_tidy(unsigned phase, char *word, size_t room);

#endif
