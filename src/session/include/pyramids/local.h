/*
 * local.h (local.c): a game on this device: people who share it, and bots.
 *
 * It decides whose turn it is, which bot is due, what may be taken back and what is saved; it does not think, draw
 * or store. The client asks pyr_local_due for a bot that has to choose, lets it think in any thread, and passes the
 * answer back; after every change it stores the text of pyr_local_save.
 *
 * Invariants:
 *  1. The game is the caller's match. Its chance follows from `seed`, or of a daily expedition from its secret, so a saved
 *     game continues with the same cards, and a bot gives the same answer for the same position.
 *  2. Nothing that was seen can be taken back: not a card that any player drew or a person took (Q5), nor, among people who
 *     share the device, anything after the next person has looked.
 *  3. With several people, a seat's cards and choices are shown (`covered` is false) only after pyr_local_uncover for
 *     that seat.
 *
 * It keeps a pointer to the match, which must outlive it, as must the match's edition. One thread at a time may use a game
 * and its match.
 */
#ifndef PYR_LOCAL_H
#define PYR_LOCAL_H

#include <pyramids/daily.h>
#include <pyramids/match.h>

PYR_BEGIN_DECLS

#define PYR_LEVEL_SIZE 16        /* bytes of a bot's name, with the end */
#define PYR_LOCAL_PAST 64        /* choices that can be taken back: more than a game has */
#define PYR_LOCAL_SAVED (PYR_LOG_SIZE + 8192)    /* bytes that pyr_local_save needs at the most */

struct pyr_local_seat {
    char level[PYR_LEVEL_SIZE];  /* of the bot that plays here; "": a person */
};

/* The game as it was before a choice: the number of lines, that choice, and all that was hidden. */
struct pyr_local_past {
    uint32_t lines;
    struct pyr_pending choice;
    struct pyr_chance hidden;
};

struct pyr_local {
    struct pyr_match *match;     /* the caller's */
    struct pyr_local_seat seat[PYR_MAX_SEATS];
    uint64_t seed;
    bool has_secret;             /* chance, and the bots' random numbers, follow from this instead (daily.h): */
    uint8_t secret[PYR_FAIR_BYTES];
    uint8_t people;              /* bits: seats that are played by people here */
    pyr_seat me;                 /* the seat whose view is shown */
    pyr_seat seen_by;            /* the seat that has looked at the screen last; PYR_NOBODY */
    bool covered;                /* people change seats: nothing may be seen */
    struct pyr_local_past past[PYR_LOCAL_PAST];
    unsigned past_count;
};

/*
 * Begins a game. level[i] NULL or "": seat i is a person's; at least one is. The seats are tagged in the record (`tag
 * seats person,club`), and with tag_seed the seed, too. More tags may follow: pyr_match_tag. Codes of pyr_match_init;
 * PYR_ERR_SEATS if no person plays.
 */
PYR_API enum pyr_err pyr_local_begin(struct pyr_local *local, struct pyr_match *match, const struct pyr_edition *edition,
    unsigned seats, const char *const *names, const char *const *levels, uint64_t seed, bool tag_seed);

/*
 * Begins a day's expedition on this device: a person and two bots, with the cards of a secret that is known: that of a past
 * day, or of practice (pyr_daily_practice). The record gets `tag day DATE`, or `tag practice DATE`, and the commitment, and
 * after the last line the secret: it can be verified like one from a server. The three names are the caller's. Codes of
 * pyr_match_init.
 */
PYR_API enum pyr_err pyr_local_begin_daily(struct pyr_local *local, struct pyr_match *match,
    const struct pyr_edition *edition, const char *const *names, int32_t day, const uint8_t secret[PYR_FAIR_BYTES],
    bool is_practice);

/*
 * Resumes a game: a text of pyr_local_save, or any unfinished record. If it contains who plays each seat, that is used;
 * else `people` (bits) are people and `level` plays all other seats. Anything that its seed does not determine is
 * drawn from `seed`. PYR_OK, or what is wrong with the text (*fault may be NULL); then *local and *match must not
 * be used.
 */
PYR_API enum pyr_err pyr_local_load(struct pyr_local *local, struct pyr_match *match, const struct pyr_edition *edition,
    const char *text, size_t size, unsigned people, const char *level, uint64_t seed, struct pyr_fault *fault);

/* The game as text: its record, and in comments at the end what the record lacks: the seed, who plays which seat, who is
 * looking, confirmed choices (`; sealed 1 17:c1c2c3`) and drafts. The size, or 0 if there is no room. */
PYR_API size_t pyr_local_save(const struct pyr_local *local, char *to, size_t size);

/* Writes who plays each seat into a record that lacks it, such as one from elsewhere. */
PYR_API void pyr_local_claim(struct pyr_local *local);

/* Whether a person has made a choice; a game without one is not worth saving. */
PYR_API bool pyr_local_is_begun(const struct pyr_local *local);

/* Whether several people share the device. */
PYR_API bool pyr_local_is_shared(const struct pyr_local *local);

/* A bot that has to choose: its seat, and the random numbers for this very step. PYR_NOBODY: none. And the seed for its
 * whole choice, for pyr_instance_bot_choice; 0: none. */
PYR_API pyr_seat pyr_local_due(const struct pyr_local *local, struct pyr_rng *rng);
PYR_API uint64_t pyr_local_due_seed(const struct pyr_local *local);

/* A bot's step for the position with that many lines; a late one changes nothing. True: it was made. */
PYR_API bool pyr_local_answer(struct pyr_local *local, pyr_seat seat, uint32_t lines, pyr_step step);

/* The same for a whole choice as text, such as a worker thread returns. */
PYR_API bool pyr_local_answer_choice(struct pyr_local *local, pyr_seat seat, uint32_t lines, const char *choice);

/* Whose turn it is among people who share the device; call it after every change. True: `me` or `covered` has changed. */
PYR_API bool pyr_local_next_person(struct pyr_local *local);
PYR_API void pyr_local_uncover(struct pyr_local *local);

/* What `me` does. Codes as of pyr_match_confirm, _step and _retract. */
PYR_API enum pyr_err pyr_local_confirm(struct pyr_local *local);
PYR_API enum pyr_err pyr_local_take(struct pyr_local *local, pyr_step step);
/* A whole choice as in a record, and confirmed. Codes and *fault (may be NULL) as of pyr_match_choose. */
PYR_API enum pyr_err pyr_local_choose(struct pyr_local *local, const char *choice, struct pyr_fault *fault);
PYR_API enum pyr_err pyr_local_retract(struct pyr_local *local);

/* Takes back the person's last choice with all that followed; not past a card that was seen, and never with several
 * people (invariant 2). If `past_count` is not 0 and the choice cannot be taken back, such a card is the reason. */
PYR_API bool pyr_local_can_take_back(const struct pyr_local *local);
PYR_API bool pyr_local_take_back(struct pyr_local *local);

/* Under the cover: the person who confirmed last takes the choice back, if no one has looked since. */
PYR_API bool pyr_local_can_back_seat(const struct pyr_local *local);
PYR_API bool pyr_local_back_seat(struct pyr_local *local);

PYR_END_DECLS

#endif
