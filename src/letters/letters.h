/*
 * letters.h (letters.c): what readers take for one letter, by the tables of utf8proc: a letter with its marks, a flag
 * (two characters), a family (several pictures and the joiners between them). Texts are measured and cut in these units,
 * so that no letter is cut in two. Not freestanding; the core needs characters only (utf8.h).
 */
#ifndef PYR_LETTERS_H
#define PYR_LETTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The columns of a character in a terminal: two for East Asian scripts and pictures, none for a character that combines
 * with the one before or is never shown. -1, which is no character, takes one, as the question mark shown instead. */
int character_columns(int32_t character);

/* The bytes of the letter at the start of a text (of which there must be one byte) and, if asked for, its columns.
 * Terminals do not join pictures: a family takes the columns of all its pictures. */
size_t letter_size(const char *text, size_t size, int *columns);

/* The columns of a text; and the bytes of those whole letters at its start that fit into `bytes`. */
int letters_columns(const char *text, size_t size);
size_t letters_fit(const char *text, size_t size, size_t bytes);

/* Whether a character is a mark on the one before it; whether it is a picture, which joiners can connect. */
bool character_is_mark(int32_t character);
bool character_is_picture(int32_t character);

/* Whether a character begins a new letter after another; `state`, 0 at first, keeps what two characters alone do not
 * show. */
bool letter_begins(int32_t before, int32_t character, int32_t *state);

#endif
