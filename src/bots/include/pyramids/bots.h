/*
 * bots.h (bots.c and one file per bot): computer players.
 *
 * A bot sees a view and nothing else: two states that differ only in what is hidden give the same choice. It works in a
 * block of memory that its caller provides and allocates nothing. It chooses one step at a time; its host makes the step and
 * asks again while the seat has something to decide.
 *
 * Threads: a bot has no state but its memory, which is only read after `prepare`. So any number of threads may think with
 * one block.
 */
#ifndef PYR_BOTS_H
#define PYR_BOTS_H

#include <pyramids/view.h>

PYR_BEGIN_DECLS

/*
 * How long a bot may think about a step. With `nodes` and a seeded generator the choice is the same on every machine; with
 * `is_over` it is not. A bot polls both and returns the best it has found so far.
 */
struct pyr_budget {
    uint64_t nodes;              /* limit of playouts or visited positions; 0: the bot decides */
    bool (*is_over)(void *context);   /* true when time is up; NULL: no clock */
    void *context;
};

struct pyr_bot {
    const char *name;            /* one word, as on the command line */

    /* How many bytes of memory this bot needs for games with this box; 0: none. */
    size_t (*memory)(const struct pyr_box *box);

    /* Fills the memory (aligned to 16 bytes) with tables for this box, before the first choice. After that it is only read:
     * any number of games may use it, also in several threads at once, and so may every bot with the same `prepare`. */
    void (*prepare)(void *memory, const struct pyr_box *box);

    /* A legal step for the view's seat, which has something to decide. Never PYR_STEP_NONE. budget may be NULL. */
    pyr_step (*choose)(void *memory, const struct pyr_box *box, const struct pyr_view *view, struct pyr_rng *rng,
        const struct pyr_budget *budget);
};

/* All bots, weakest first, then the bystander; pyr_bot_count of them. */
PYR_API unsigned pyr_bot_count(void);
PYR_API const struct pyr_bot *pyr_bot_at(unsigned index);

/* The bot of that name, or NULL. */
PYR_API const struct pyr_bot *pyr_bot_find(const char *name);

PYR_END_DECLS

#endif
