/*
 * choice.h (choice.c): a whole choice of a player, between its three forms:
 *
 *  - steps (step.h): what the engine applies; one or more, at most PYR_MAX_CHOICE;
 *  - text: what clients and servers exchange: `17:a1a2+22:c1` or `-`, `17 22`, `take 31` or `31`, `draw`;
 *  - event (record.h): the line of a record that the choice becomes.
 *
 * Nothing here checks legality; the engine does. A mark names cards in text and slots in steps, so most functions need the
 * desk of the player as it was before the first step.
 */
#ifndef PYR_CHOICE_H
#define PYR_CHOICE_H

#include <pyramids/record.h>

PYR_BEGIN_DECLS

/* Bytes for any choice as text, terminator included: for each part two digits, ':', a separator and two characters per
 * space. */
#define PYR_CHOICE_SIZE (PYR_MAX_CHOICE * 8 + 16)

/* Writes a choice as text, as pyr_choice_read reads it; nothing for no steps. */
PYR_API void pyr_choice_write(const pyr_step *steps, unsigned count, const struct pyr_desk *desk, struct pyr_out *out);

/*
 * Reads the text of a choice in a phase (enum pyr_phase: KEEP, MARK or REPLACE) into the event that is its line: kind,
 * cards or parts. The kind of a take or draw is as written; a draw has no card yet. The text is one line without its end.
 * False with the fault in lines->fault; *lines is set up here and needs no preparation.
 */
PYR_API bool pyr_choice_read(unsigned phase, const char *text, size_t size, struct pyr_lines *lines,
    struct pyr_event *event);

/* The event of a choice, and back. A draw's event has no card: the caller fills it in. Both expect at least one
 * step; pyr_choice_steps returns how many it has written, 0 if the event is no choice or marks a card that is not on the
 * desk. */
PYR_API void pyr_choice_event(const struct pyr_desk *desk, pyr_seat seat, const pyr_step *steps, unsigned count,
    struct pyr_event *event);
PYR_API unsigned pyr_choice_steps(const struct pyr_desk *desk, const struct pyr_event *event,
    pyr_step steps[PYR_MAX_CHOICE]);

PYR_END_DECLS

#endif
