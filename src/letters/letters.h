/*
 * letters.h (letters.c): what people take for one letter, by the tables of utf8proc: a letter with its marks, a flag (two
 * characters), a family (several pictures and the joiners between them). Texts are measured and cut by these, so that none
 * of them is torn. Not freestanding; the core needs characters only (utf8.h).
 */
#ifndef PYR_LETTERS_H
#define PYR_LETTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The columns of a character in a terminal: two for the scripts of East Asia and pictures, none for what belongs to the one
 * before or is never shown. -1, which is no character, takes one, as the question mark shown instead. */
int character_columns(int32_t character);

/* The bytes of the letter at the start of a text (of which there must be one byte) and, if asked for, its columns. Terminals
 * know nothing of letters: a family takes the columns of all its pictures. */
size_t letter_size(const char *text, size_t size, int *columns);

/* The columns of a text; the bytes of the whole letters from its start that fit into `bytes`. */
int letters_columns(const char *text, size_t size);
size_t letters_fit(const char *text, size_t size, size_t bytes);

/* Whether a character is a mark on the one before; a picture, which joiners can connect. */
bool character_is_mark(int32_t character);
bool character_is_picture(int32_t character);

/* Whether a character begins a new letter after another; `state`, 0 at first, remembers what two characters do not tell. */
bool letter_begins(int32_t before, int32_t character, int32_t *state);

#endif
