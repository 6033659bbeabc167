/*
 * saved.h (saved.c): games in the data folder (save.h), full screen or line by line. A saved game is its record, with a few tags
 * that say who plays what, and the sealed choices as comments at its end:
 *
 *     tag seed 7                        the shuffles can be drawn again
 *     tag seats person,club             who plays each seat
 *     tag edition-file /home/...        where an edition that is not built in came from
 *     ; sealed 1 17:c1c2c3
 */
#ifndef PYR_TUI_SAVED_H
#define PYR_TUI_SAVED_H

#include <time.h>

#include <pyramids/bots.h>
#include <pyramids/match.h>

#include "save.h"

/* Who plays what, and with which cards. */
struct seating {
    unsigned players;            /* 0: not known */
    unsigned people;             /* bits: seats that are played here */
    const struct pyr_bot *bot[PYR_MAX_SEATS];                /* of the others */
    char names[PYR_MAX_SEATS][PYR_MAX_PLAYER_NAME + 1];      /* as in the record */
    char edition_file[PATH_MAX]; /* "": built in */
};

/* Begins a game with its tags and deals the cards of the seed. Returns why a name cannot be one, or PYR_OK. */
enum pyr_err saved_begin(struct pyr_match *match, const struct pyr_edition *edition, const struct seating *seating,
    uint64_t seed);

/* Adds the tag that says who plays what to a game from elsewhere that has none. */
void saved_claim(struct pyr_match *match, unsigned people, const struct pyr_bot *const *bot);

/* The value of a tag, or of another line that begins so ("tag seed "). */
bool saved_tag(const char *text, const char *tag, char *to, size_t size);

/* Who plays which seat, by the game's tag. False, with nothing changed, if it has none or it makes no sense. */
bool saved_seats(const char *text, unsigned seats, unsigned *people, const struct pyr_bot **bot);

/* The edition that a game wants: `asked` if it has that name, a built-in one, or the file of its tag. */
bool saved_edition(const struct pyr_edition *asked, const char *text, size_t size, struct pyr_edition *edition);

/* Loads a game: everything hidden comes from its seed if there is one that fits, which then is *seed, else from a new shuffle with
 * the *seed given. Sealed choices are sealed again. */
bool saved_load(struct pyr_match *match, const struct pyr_edition *edition, const char *text, size_t size, uint64_t *seed,
    struct pyr_fault *fault);

/* Writes a game as it stands. False with errno. */
bool saved_write(const struct save *save, const struct pyr_match *match);

/* A confirmed or complete choice, as in a record. */
void saved_choice(const struct pyr_match *match, pyr_seat seat, char *to, size_t size);

/* The random numbers of a bot's next step. Each has its own, so that the same seed gives the same game however fast everyone is,
 * and wherever it was left and continued. */
void saved_bot_rng(struct pyr_rng *rng, uint64_t seed, const struct pyr_match *match, pyr_seat seat);

/* Whether a card that a player cannot unsee has been taken since the log had `lines` lines: one that anyone drew from the deck, or
 * one that a seat of `people` took (Q5). Nothing before it can be taken back. */
bool saved_is_seen(const struct pyr_match *match, uint32_t lines, unsigned people);

/* Whether one of the people has chosen anything: a game without that is not worth keeping. */
bool saved_is_begun(const struct pyr_match *match, unsigned people);

/* An unfinished game that no other window is playing, and in which a person has chosen something. */
struct saved_game {
    char name[256];              /* of its file, without .pyr */
    char players[400];           /* names with commas between */
    char turn[128];              /* "Round 2 of 4, turn 3 of 7" */
    char date[64];               /* of its last choice: 2026-11-17 19:40 */
    unsigned people;
    time_t changed;
};

/* All of them, the newest first; the list is the caller's to free. `asked` is the edition to use where it has the right name. */
unsigned saved_list(const struct pyr_edition *asked, struct saved_game **list);

/* The file of a game of that name, with or without .pyr; false if there is none. */
bool saved_find(const char *name, char *path, size_t size);

/* Opens a game of the list, which locks it; its text is the caller's to free. NULL: another window has it, or it is gone. */
char *saved_open(struct save *save, const char *name, size_t *size);

#endif
