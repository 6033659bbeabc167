/*
 * match.h (match.c): a game with its log, which every client shares.
 *
 * A match is its log (docs/formats.md), lines of text that anyone can replay, plus the choices that are not in
 * the log yet (game.h). The functions here are those of the game with the log as their sink, and those that need
 * a log: loading, tags, lines, and the game as it was after any of them.
 *
 * A match is about 55 KB of plain data without pointers, except for the edition, which must outlive it.
 *
 * Threads: one thread at a time may use a match; to let a bot think elsewhere, give it a view or a copy. Matches may share
 * an edition.
 */
#ifndef PYR_MATCH_H
#define PYR_MATCH_H

#include <pyramids/game.h>

PYR_BEGIN_DECLS

#define PYR_LOG_SIZE 49152       /* bytes of text: the longest game there can be is below 24 KB, the rest is for tags */
#define PYR_LOG_LINES 640        /* lines: a game has fewer than 450 */
#define PYR_LOG_TAGS 190         /* tag lines: the room that the longest game leaves, so that tags never fill up a log */

/* Lines of text, each ended by a newline. */
struct pyr_log {
    char text[PYR_LOG_SIZE];
    uint32_t start[PYR_LOG_LINES + 1];       /* where each line begins; start[lines] is the length of all */
    uint32_t lines;
};

/* A game and its log. Its members are reached as match->replay or as match->game.replay. */
struct pyr_match {
    PYR_UNNAMED union {
        struct pyr_game game;
        struct {
            PYR_GAME_MEMBERS
        };
    };
    struct pyr_log log;
};

/* The sink that keeps lines in a log: context is the struct pyr_log. PYR_ERR_TEXT_FULL when there is no more room. */
PYR_API enum pyr_err pyr_log_take(void *log, const struct pyr_edition *edition, const struct pyr_event *event);

/*
 * Begins a match: header, names (each a line of at most PYR_MAX_PLAYER_NAME bytes) and deals are logged. Returns PYR_OK,
 * PYR_ERR_SEATS, PYR_ERR_CHANCE_*, PYR_ERR_TEXT_LONG or PYR_ERR_TEXT_ENCODING; then *match must not be used.
 */
PYR_API enum pyr_err pyr_match_init(struct pyr_match *match, const struct pyr_edition *edition, unsigned seats,
    const char *const *names, const struct pyr_chance *chance);

/* The same in two calls, with room for pyr_match_tag between them: header and names, then the deals. Same codes; a second
 * deal is PYR_ERR_PHASE. */
PYR_API enum pyr_err pyr_match_begin(struct pyr_match *match, const struct pyr_edition *edition, unsigned seats,
    const char *const *names);
PYR_API enum pyr_err pyr_match_deal(struct pyr_match *match, const struct pyr_chance *chance);

/*
 * Loads a record (or, with a viewer, a seat's view of one) into a match. Anything that no line has shown is filled in
 * arbitrarily until pyr_match_shuffle. Returns PYR_OK or the first fault, described in *fault (may be NULL); then *match
 * must not be used. A loaded record keeps its lines as they were, comments and blank lines aside. A record that ends before
 * all cards are dealt can be loaded, but has no seat to choose.
 */
PYR_API enum pyr_err pyr_match_load(struct pyr_match *match, const struct pyr_edition *edition, const char *text,
    size_t size, pyr_seat viewer, struct pyr_fault *fault);

/* The true order of all that is still hidden in a match that was loaded from its log: the chance it began with. */
PYR_API void pyr_match_set_chance(struct pyr_match *match, const struct pyr_chance *chance);

/* Draws again everything that is still hidden from everyone: the order of the deck and of the expedition cards. Dealt cards
 * stay, if the record has them. Then a game that waits for chance or the rules is advanced, and the lines are logged. */
PYR_API void pyr_match_shuffle(struct pyr_match *match, struct pyr_rng *rng);

/* Adds a line `tag NAME VALUE`. PYR_ERR_TEXT_FULL if the log is full, PYR_ERR_TEXT_SPACE or _ENCODING if the words are not
 * fit for a line. */
PYR_API enum pyr_err pyr_match_tag(struct pyr_match *match, const char *name, const char *value);

/* The seats that have still to confirm a choice, as bits; 0 when the game is over. */
PYR_API unsigned pyr_match_waiting(const struct pyr_match *match);

PYR_API bool pyr_match_is_over(const struct pyr_match *match);

/* What a seat may see, its own steps included; open.waiting are the seats that have not confirmed. */
PYR_API void pyr_match_view(const struct pyr_match *match, pyr_seat seat, struct pyr_view *view);

/* The legal steps of a seat that has not confirmed; none when its choice is complete. */
PYR_API void pyr_match_steps(const struct pyr_match *match, pyr_seat seat, struct pyr_steps *steps);

/* Whether a seat's choice is complete and can be confirmed. */
PYR_API bool pyr_match_is_ready(const struct pyr_match *match, pyr_seat seat);

/*
 * Adds a step to a seat's choice. A take or a draw is confirmed at once, since it is seen by all (Q5).
 * Returns PYR_OK, PYR_ERR_CONFIRMED, or why the step is illegal; then nothing changes.
 */
PYR_API enum pyr_err pyr_match_step(struct pyr_match *match, pyr_seat seat, pyr_step step);

/* Takes the last step of a seat's choice back. PYR_ERR_NO_UNDO, PYR_ERR_CONFIRMED: nothing changes. */
PYR_API enum pyr_err pyr_match_undo(struct pyr_match *match, pyr_seat seat);

/* Confirms a seat's choice; when it is the last, all choices are logged and the game advances. PYR_ERR_NOT_READY,
 * PYR_ERR_CONFIRMED, PYR_ERR_NOT_DUE: nothing changes. */
PYR_API enum pyr_err pyr_match_confirm(struct pyr_match *match, pyr_seat seat);

/* Takes a confirmation back, while others are still choosing. PYR_ERR_NO_UNDO: there is none. */
PYR_API enum pyr_err pyr_match_retract(struct pyr_match *match, pyr_seat seat);

/*
 * Makes a whole choice from its text, as in a record: `17:a1a2+22:c1` or `-`, `17 22`, `take 31` or `31`, `draw`. Steps
 * made before are replaced; the choice is not confirmed (but takes and draws are). Returns PYR_OK, or the cause with *fault
 * (may be NULL) filled in; then nothing changes.
 */
PYR_API enum pyr_err pyr_match_choose(struct pyr_match *match, pyr_seat seat, const char *text, struct pyr_fault *fault);

/* A line of the log without its end. */
PYR_API struct pyr_word pyr_match_line(const struct pyr_match *match, uint32_t line);

/* Whether a seat (PYR_SPECTATOR: a spectator) may see a line: all but the deals of others while the game is running (Q10).
 * */
PYR_API bool pyr_match_line_is_visible(const struct pyr_match *match, uint32_t line, pyr_seat seat);

/* The game as it was after the first `lines` lines. PYR_ERR_NO_SUCH_LINE if the log has fewer. Cards that were hidden then
 * are filled in arbitrarily. */
PYR_API enum pyr_err pyr_match_replay(const struct pyr_match *match, uint32_t lines, struct pyr_replay *replay);

PYR_END_DECLS

#endif
