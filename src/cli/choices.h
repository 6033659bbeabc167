/*
 * choices.h (choices.c): every legal complete choice of a seat, as text: whole moves with their extra marks, pairs of
 * kept cards, takes and draws. Shared by `legal` and `play`.
 */
#ifndef PYR_CLI_CHOICES_H
#define PYR_CLI_CHOICES_H

#include <pyramids/record.h>

#define CHOICES_MOST 2000000u    /* an edition full of crosses has more moves than anyone can list */

struct choices {
    char **line;                 /* sorted bytewise, each once */
    size_t count, room;
    bool too_many, no_memory;    /* stopped early: the list is not complete */
};

/* Lists the choices of a seat. Free with choices_finish. */
void choices_init(struct choices *choices, const struct pyr_edition *edition, const struct pyr_state *state, pyr_seat seat);
void choices_finish(struct choices *choices);

#endif
