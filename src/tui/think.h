/*
 * think.h (think.c): bots think in their own thread, so that the screen stays responsive. One choice at a time.
 */
#ifndef PYR_TUI_THINK_H
#define PYR_TUI_THINK_H

#include <pyramids/bots.h>

struct thinker;

/* The box must outlive it. NULL without memory or threads. `done` is called in the thread after each step is found. */
struct thinker *thinker_create(const struct pyr_box *box, void (*done)(void));
void thinker_destroy(struct thinker *thinker);

/* Starts thinking; to be called only when it is not thinking and its step has been taken. */
void thinker_ask(struct thinker *thinker, const struct pyr_bot *bot, const struct pyr_view *view, const struct pyr_rng *rng);

/* The step that was found, once. */
bool thinker_answer(struct thinker *thinker, pyr_step *step);

/* Stops the present choice; returns when it has stopped. */
void thinker_stop(struct thinker *thinker);

#endif
