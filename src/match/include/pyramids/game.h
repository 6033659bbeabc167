/*
 * game.h (game.c): a game in progress: its current position, and the choices that are not part of it yet. About 1 KB of
 * plain data, so that a host can keep thousands in memory. A match (match.h) is a game with its log.
 *
 * Each seat makes steps, may undo them, confirms, and may take the confirmation back until the last seat has confirmed. Then
 * all choices are made at once, in seat order, and chance advances the game to the next decision. Everything that happens is
 * an event, a line of the record (record.h), and goes to a sink.
 *
 * Invariants:
 *
 *  1. game->replay is the result of following all lines from the first, except for the hidden part of its state, which is
 *     the true one.
 *  2. replay.state has no step of the current phase: those are in game->choice until all seats have confirmed.
 *  3. After each call the game waits for a decision or is over (one that was loaded: after pyr_game_shuffle).
 *  4. A sink gets only events that have happened. If a sink fails, the game has advanced all the same; its owner discards
 *     it.
 *
 * Threads: one thread at a time may use a game. The sink is called in the thread of the call, before it returns, and must
 * not call the same game.
 */
#ifndef PYR_GAME_H
#define PYR_GAME_H

#include <pyramids/choice.h>

PYR_BEGIN_DECLS

/* A choice of the current phase, packed into 64 bytes: every step after the first marks a single space. */
struct pyr_pending {
    pyr_step first;
    uint8_t more[PYR_MAX_CHOICE - 1];        /* the one bit of each further step */
    uint8_t count;                           /* of all steps */
    bool confirmed;
};

/* The members of a game. A macro, because a match has the same members in addition to its log. */
#define PYR_GAME_MEMBERS \
    const struct pyr_edition *edition;       /* belongs to the owner; it must outlive the game */ \
    struct pyr_replay replay;                /* replay.state is the state with its true hidden part */ \
    struct pyr_pending choice[PYR_MAX_SEATS];

struct pyr_game {
    PYR_GAME_MEMBERS
};

/*
 * Where the lines of a game go: `take` gets each event in order, once it has happened. It returns PYR_OK, or why it cannot
 * keep the line (PYR_ERR_TEXT_FULL), which the call that led to it then returns. The event and its words are valid during
 * the call only. NULL in place of a sink: the lines are not needed, and no text is made.
 */
struct pyr_sink {
    enum pyr_err (*take)(void *context, const struct pyr_edition *edition, const struct pyr_event *event);
    void *context;
};

/* The steps of a choice. */
static inline pyr_step pyr_pending_step(const struct pyr_pending *choice, unsigned index)
{
    return index ? (pyr_step)1 << choice->more[index - 1] : choice->first;
}

/* Begins a game: header and names (each a line of at most PYR_MAX_PLAYER_NAME bytes), then the deals. Returns PYR_OK,
 * PYR_ERR_SEATS, PYR_ERR_TEXT_LONG or PYR_ERR_TEXT_ENCODING; pyr_game_deal PYR_ERR_CHANCE_* or, a second time,
 * PYR_ERR_PHASE. */
PYR_API enum pyr_err pyr_game_begin(struct pyr_game *game, const struct pyr_edition *edition, unsigned seats,
    const char *const *names, const struct pyr_sink *sink);
PYR_API enum pyr_err pyr_game_deal(struct pyr_game *game, const struct pyr_chance *chance, const struct pyr_sink *sink);

/*
 * Loads a game from its lines. Cards that no line has revealed are filled in arbitrarily until pyr_game_set_chance or
 * pyr_game_shuffle. Returns PYR_OK or the first fault, described in *fault (may be NULL); then *game is untouched.
 */
PYR_API enum pyr_err pyr_game_load(struct pyr_game *game, const struct pyr_edition *edition, const char *text, size_t size,
    pyr_seat viewer, struct pyr_fault *fault);

/* A line `tag NAME VALUE` for the sink; the game itself has no tags. PYR_ERR_TEXT_SPACE or _ENCODING if the words are not
 * fit for a line, PYR_ERR_TEXT_LINE if it would be too long, and codes of the sink. */
PYR_API enum pyr_err pyr_game_tag(const struct pyr_game *game, const char *name, const char *value,
    const struct pyr_sink *sink);

/* The true order of all that is still hidden, in a game that was loaded from its lines: the chance it began with. */
PYR_API void pyr_game_set_chance(struct pyr_game *game, const struct pyr_chance *chance);

/* Draws again everything that is still hidden from everyone, then advances a game that waits for chance or the rules. */
PYR_API enum pyr_err pyr_game_shuffle(struct pyr_game *game, struct pyr_rng *rng, const struct pyr_sink *sink);

/* The seats that have still to confirm a choice, as bits; 0 when the game is over or not dealt yet. */
PYR_API unsigned pyr_game_waiting(const struct pyr_game *game);

PYR_API bool pyr_game_is_over(const struct pyr_game *game);

/* What a seat may see, its own steps included; open.waiting are the seats that have not confirmed. */
PYR_API void pyr_game_view(const struct pyr_game *game, pyr_seat seat, struct pyr_view *view);

/*
 * Whether a seat (PYR_SPECTATOR: a spectator) may see a line of this game: all but the deals of others while the game is
 * running (Q10). This is the only place that decides it.
 */
PYR_API bool pyr_game_line_is_visible(const struct pyr_game *game, struct pyr_word line, pyr_seat seat);

/* The legal steps of a seat that has not confirmed; none when its choice is complete. */
PYR_API void pyr_game_steps(const struct pyr_game *game, pyr_seat seat, struct pyr_steps *steps);

/* Whether a seat's choice is complete and can be confirmed. */
PYR_API bool pyr_game_is_ready(const struct pyr_game *game, pyr_seat seat);

/* Adds a step to a seat's choice. A take or a draw is confirmed at once, since it is seen by all (Q5). Returns PYR_OK,
 * PYR_ERR_NOT_DUE, PYR_ERR_CONFIRMED, or why the step is illegal; then nothing changes. */
PYR_API enum pyr_err pyr_game_step(struct pyr_game *game, pyr_seat seat, pyr_step step, const struct pyr_sink *sink);

/* Takes the last step of a seat's choice back. PYR_ERR_NO_UNDO, PYR_ERR_CONFIRMED: nothing changes. */
PYR_API enum pyr_err pyr_game_undo(struct pyr_game *game, pyr_seat seat);

/* Takes back all steps of a seat that has not confirmed. */
PYR_API void pyr_game_clear(struct pyr_game *game, pyr_seat seat);

/* Confirms a seat's choice; when it is the last, all choices are made and the game advances. PYR_ERR_NOT_READY,
 * PYR_ERR_CONFIRMED, PYR_ERR_NOT_DUE: nothing changes. */
PYR_API enum pyr_err pyr_game_confirm(struct pyr_game *game, pyr_seat seat, const struct pyr_sink *sink);

/* Takes a confirmation back, while others are still choosing. PYR_ERR_NO_UNDO: there is none. */
PYR_API enum pyr_err pyr_game_retract(struct pyr_game *game, pyr_seat seat);

/*
 * Makes a whole choice from its text (choice.h). Steps made before are replaced; the choice is not confirmed (but takes and
 * draws are). Returns PYR_OK, or the cause with *fault (may be NULL) filled in; then nothing changes.
 */
PYR_API enum pyr_err pyr_game_choose(struct pyr_game *game, pyr_seat seat, const char *text, struct pyr_fault *fault,
    const struct pyr_sink *sink);

/* A seat's choice so far: its steps (returns how many), and as text (nothing without steps). */
PYR_API unsigned pyr_game_choice(const struct pyr_game *game, pyr_seat seat, pyr_step steps[PYR_MAX_CHOICE]);
PYR_API void pyr_game_write_choice(const struct pyr_game *game, pyr_seat seat, struct pyr_out *out);

PYR_END_DECLS

#endif
