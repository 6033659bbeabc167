/*
 * saved.h (saved.c): games on this device (session/local.h) in the data folder (save.h), full screen or line by line. A
 * saved game is the text of pyr_local_save, or what older versions wrote; both are records, with a few tags:
 *
 *     tag seed 7                        the shuffles can be drawn again
 *     tag seats person,club             who plays each seat
 *     tag edition-file /home/...        where an edition that is not built in came from
 */
#ifndef PYR_TUI_SAVED_H
#define PYR_TUI_SAVED_H

#include <time.h>

#include <pyramids/bots.h>
#include <pyramids/local.h>

#include "save.h"

/* Who plays what, and with which cards. */
struct seating {
    unsigned players;            /* 0: not known */
    unsigned people;             /* bits: seats that are played here */
    const struct pyr_bot *bot[PYR_MAX_SEATS];                /* of the others */
    char names[PYR_MAX_SEATS][PYR_MAX_PLAYER_NAME + 1];      /* as in the record */
    char edition_file[PATH_MAX]; /* "": built in */
};

/* Gives the bots their names in records: "club 2". */
void seating_name_bots(struct seating *seating);

/* Begins a game with its tags and deals the cards of the seed. Returns PYR_OK, or why a name is not valid. */
enum pyr_err saved_begin(struct pyr_local *local, struct pyr_match *match, const struct pyr_edition *edition,
    const struct seating *seating, uint64_t seed);

/* The value of a tag, or of another line with this beginning ("tag seed "). */
bool saved_tag(const char *text, const char *tag, char *to, size_t size);

/* The bots of the seats that are not people's. False if a name is not that of a bot. */
bool saved_bots(const struct pyr_local *local, const struct pyr_bot **bot);

/* Finds the edition of a game: `asked` if it has that name, a built-in one, or the file in its tag. */
bool saved_edition(const struct pyr_edition *asked, const char *text, size_t size, struct pyr_edition *edition);

/* Writes a game as it is now. False with errno. */
bool saved_write(const struct save *save, const struct pyr_local *local);

/* An unfinished game that no other window is playing, and in which a person has chosen something. */
struct saved_game {
    char name[256];              /* of its file, without .pyr */
    char players[400];           /* names, comma-separated */
    char turn[128];              /* "Round 2 of 4, turn 3 of 7" */
    char date[64];               /* of its last choice: 2026-11-17 19:40 */
    unsigned people;
    time_t changed;
};

/* All of them, the newest first; the list is the caller's to free. `asked` is the edition to use where it has the right
 * name. */
unsigned saved_list(const struct pyr_edition *asked, struct saved_game **list);

/* The file of a game of that name, with or without .pyr; false if there is none. */
bool saved_find(const char *name, char *path, size_t size);

/* Opens a game of the list, which locks it; its text is the caller's to free. NULL: another window has it, or it is gone. */
char *saved_open(struct save *save, const char *name, size_t *size);

#endif
