/*
 * choices.c: all complete choices of a seat as texts, sorted; see choices.h. Complete means with every extra mark, so
 * a card with crosses can have a huge number: the list stops at CHOICES_MOST.
 */
#include <stdlib.h>
#include <string.h>

#include <pyramids/choice.h>

#include "choices.h"

/* After the first failure nothing more is added; the caller reports it. */
static void add(struct choices *c, const char *text)
{
    if (c->too_many || c->no_memory)
        return;
    if (c->count == CHOICES_MOST) {
        c->too_many = true;
        return;
    }
    if (c->count == c->room) {
        size_t room = c->room ? 2 * c->room : 256;
        char **larger = realloc(c->line, room * sizeof *larger);
        if (!larger) {
            c->no_memory = true;
            return;
        }
        c->line = larger;
        c->room = room;
    }
    c->line[c->count] = strdup(text);
    if (c->line[c->count])
        c->count++;
    else
        c->no_memory = true;
}

/* `desk` is the desk before the choice: the notation names the cards on it. */
static void add_choice(struct choices *c, const struct pyr_desk *desk, const pyr_step *steps, unsigned count)
{
    char text[PYR_CHOICE_SIZE];
    struct pyr_out out;
    pyr_out_init(&out, text, sizeof text);
    pyr_choice_write(steps, count, desk, &out);
    add(c, text);
}

/* Adds the move so far and all ways to continue it; the depth is limited by an extra mark for every space. */
static void add_moves(struct choices *c, const struct pyr_box *box, const struct pyr_desk *start,
    const struct pyr_desk *desk, pyr_pattern pattern, unsigned round, pyr_step *made, unsigned count)
{
    struct pyr_steps steps;
    pyr_desk_steps(desk, box, pattern, &steps);
    for (uint32_t i = 0; i < steps.count && !c->too_many && !c->no_memory; i++) {
        struct pyr_desk next = *desk;
        made[count] = pyr_steps_at(&steps, box, i);
        if (pyr_desk_mark(&next, box, pattern, round, made[count]))
            continue;
        if (next.due) {
            add_moves(c, box, start, &next, pattern, round, made, count + 1);
        } else {
            add_choice(c, start, made, count + 1);
        }
    }
}

/* Bytewise, so that the order is the same in every language and can be compared with other programs' lists. */
static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Empty if the seat has nothing to choose. Moves are listed by recursion over extra marks; all other choices are
 * single steps. The caller calls choices_finish. */
void choices_init(struct choices *c, const struct pyr_edition *edition, const struct pyr_state *state, pyr_seat seat)
{
    const struct pyr_box *box = &edition->box;
    const struct pyr_table *open = &state->open;
    pyr_step made[PYR_MAX_CHOICE + 1];
    struct pyr_steps steps;
    *c = (struct choices){ 0 };
    if (seat >= open->seats)
        return;
    if (open->phase == PYR_MARK) {
        const struct pyr_desk *desk = &state->desk[seat];
        add_moves(c, box, desk, desk, open->revealed[open->turn], open->round, made, 0);
    } else {
        pyr_state_steps(state, box, seat, &steps);
        for (uint32_t i = 0; i < steps.count; i++) {
            pyr_step step = pyr_steps_at(&steps, box, i);
            add_choice(c, &state->desk[seat], &step, 1);
        }
    }
    if (c->count)
        qsort(c->line, c->count, sizeof *c->line, compare);
}

void choices_finish(struct choices *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->line[i]);
    free(c->line);
    *c = (struct choices){ 0 };
}
