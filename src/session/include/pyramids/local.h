/*
 * local.h (local.c): a game on this device: people who share it, and bots.
 *
 * It decides whose turn it is, which bot is due, what may be taken back and what is saved; it neither thinks nor draws
 * nor stores. The client asks pyr_local_due for a bot that has to choose, lets it think wherever it likes, and brings
 * the answer; it keeps the text of pyr_local_save wherever it likes, after every change.
 *
 * Invariants:
 *  1. The game is the caller's match. Its chance follows from `seed`, so a saved game goes on with the same cards, and
 *     a bot asked twice about the same position answers the same.
 *  2. Nothing that was seen is taken back: not a card that was drawn (Q5), nor, among people who share the device,
 *     anything once the next one looks.
 *  3. With several people, a seat's cards and choices are shown (`covered` is false) only after pyr_local_uncover for
 *     that seat.
 */
#ifndef PYR_LOCAL_H
#define PYR_LOCAL_H

#include <pyramids/match.h>

PYR_BEGIN_DECLS

#define PYR_LEVEL_SIZE 16        /* bytes of a bot's name, with the end */
#define PYR_LOCAL_PAST 64        /* choices that can be taken back: more than a game has */
#define PYR_LOCAL_SAVED (PYR_LOG_SIZE + 8192)    /* bytes that pyr_local_save needs at the most */

struct pyr_local_seat {
    char level[PYR_LEVEL_SIZE];  /* of the bot that plays here; "": a person */
};

/* The game as it was before a choice: so many lines, and that choice. */
struct pyr_local_past {
    uint32_t lines;
    struct pyr_pending choice;
};

struct pyr_local {
    struct pyr_match *match;     /* the caller's */
    struct pyr_local_seat seat[PYR_MAX_SEATS];
    uint64_t seed;
    uint8_t people;              /* bits: seats that are played by people here */
    pyr_seat me;                 /* through whose eyes the table is seen */
    pyr_seat seen_by;            /* who has looked at the screen last; PYR_NOBODY */
    bool covered;                /* people change seats: nothing may be seen */
    struct pyr_local_past past[PYR_LOCAL_PAST];
    unsigned past_count;
};

/*
 * Begins a game. level[i] NULL or "": seat i is a person's; at least one is. The seats are tagged in the record (`tag
 * seats person,club`), and with tag_seed the seed, too. More tags may follow: pyr_match_tag. Codes of pyr_match_init;
 * PYR_ERR_SEATS if nobody plays.
 */
PYR_API enum pyr_err pyr_local_begin(struct pyr_local *local, struct pyr_match *match, const struct pyr_edition *edition,
    unsigned seats, const char *const *names, const char *const *levels, uint64_t seed, bool tag_seed);

/*
 * Goes on with a game: what pyr_local_save has written, or any record under way. Who plays what is read from it if it
 * says so; else `people` (bits) are people and all others are played by `level`. What its seed does not explain is
 * drawn anew from `seed`. PYR_OK, or what is wrong with the text (*fault may be NULL); then *local and *match must not
 * be used.
 */
PYR_API enum pyr_err pyr_local_load(struct pyr_local *local, struct pyr_match *match, const struct pyr_edition *edition,
    const char *text, size_t size, unsigned people, const char *level, uint64_t seed, struct pyr_fault *fault);

/* The game as text: its record, and in comments at the end its seed, sealed choices, drafts, who looks, and who plays
 * which seat if the record has no tag for it. The size, or 0 if there is no room. */
PYR_API size_t pyr_local_save(const struct pyr_local *local, char *to, size_t size);

/* Whether several people share the device. */
PYR_API bool pyr_local_is_shared(const struct pyr_local *local);

/* A bot that has to choose: its seat, and the random numbers for this very step. PYR_NOBODY: none. */
PYR_API pyr_seat pyr_local_due(const struct pyr_local *local, struct pyr_rng *rng);

/* A bot's step for the position with so many lines; one that comes too late changes nothing. True: it was made. */
PYR_API bool pyr_local_answer(struct pyr_local *local, pyr_seat seat, uint32_t lines, pyr_step step);

/* The same for a whole choice as text, such as a worker thread brings. */
PYR_API bool pyr_local_answer_choice(struct pyr_local *local, pyr_seat seat, uint32_t lines, const char *choice);

/* Whose turn it is among people who share the device; call it after every change. True: `me` or `covered` has changed. */
PYR_API bool pyr_local_next_person(struct pyr_local *local);
PYR_API void pyr_local_uncover(struct pyr_local *local);

/* What `me` does. Codes as of pyr_match_confirm, _step and _retract. */
PYR_API enum pyr_err pyr_local_confirm(struct pyr_local *local);
PYR_API enum pyr_err pyr_local_take(struct pyr_local *local, pyr_step step);
PYR_API enum pyr_err pyr_local_retract(struct pyr_local *local);

/* The last choice of the person, with all that followed; not past a card that was drawn, and never with several people
 * (invariant 2). */
PYR_API bool pyr_local_can_take_back(const struct pyr_local *local);
PYR_API bool pyr_local_take_back(struct pyr_local *local);

/* Under the cover: the person who has sealed last thinks again, as long as nobody has looked since. */
PYR_API bool pyr_local_can_back_seat(const struct pyr_local *local);
PYR_API bool pyr_local_back_seat(struct pyr_local *local);

PYR_END_DECLS

#endif
