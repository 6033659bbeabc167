/*
 * save.h (save.c): files in the user's data folder, $XDG_DATA_HOME/pyramids: running and finished games, and the user's
 * identity on each server. Files are written whole or not at all, and only their owner can read them.
 */
#ifndef PYR_TUI_SAVE_H
#define PYR_TUI_SAVE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

#define SAVE_GAMES "games"       /* the folder of games */

/* The path of a file in a folder there; creates the folder if needed. False without a data folder (errno has the reason). */
bool save_path(char *to, size_t size, const char *folder, const char *name);

/* Writes a file beside it, then renames it. False with errno. */
bool save_write(const char *path, const char *text, size_t size);

/* Reads a file of at most `most` bytes, terminated; the caller frees it. NULL with errno. */
char *save_read(const char *path, size_t most, size_t *size);

/* A game that is being played: its file, and a lock that shows this to other windows. */
struct save {
    char path[PATH_MAX];
    int lock;                    /* -1: none */
};

/* A file for a new game, or the one at `path`. False if another window is playing it (EWOULDBLOCK) or for other reasons. */
bool save_open(struct save *save, const char *path);
void save_close(struct save *save);

/* Removes the file of a game in which nothing was chosen. */
void save_remove(const struct save *save);

/* The games of the data folder, finished or not, the last changed first; the list is the caller's to free. */
struct save_entry {
    char name[256];              /* of the file, with .pyr */
    struct timespec changed;
};
size_t save_entries(struct save_entry **entries);

bool save_exists(const char *path);

/* Whether no other window is playing the game at a path; false also if its lock cannot be read. */
bool save_is_free(const char *path);

#endif
