/*
 * text.h (text.c, board.c): codes to sentences in the player's language, cards and tables to characters. Every text that a person can
 * see comes from here or goes through pyr_gettext; the core knows codes only.
 */
#ifndef PYR_TEXT_H
#define PYR_TEXT_H

#include <stdio.h>

#include <pyramids/record.h>

/* Chooses the language from the environment; call once at the start of a program. */
void pyr_text_init(void);

/* The text in the player's language; the marks _ and N_ are what xgettext looks for. */
const char *pyr_gettext(const char *text) __attribute__((format_arg(1)));
const char *pyr_ngettext(const char *one, const char *many, unsigned long count)
    __attribute__((format_arg(1), format_arg(2)));
#define _(text) pyr_gettext(text)
#define N_(text) text

/* The rule that a code is about, such as "R9"; "" if it is about none. */
const char *pyr_text_rule(enum pyr_err code);

/* The sentence of a fault, with its rule in brackets; without file and line. */
void pyr_text_fault(const struct pyr_fault *fault, char *to, size_t size);

/* The sentence of a bare code. */
void pyr_text_error(enum pyr_err code, char *to, size_t size);

/* A string of a JSON text, with its quotes, escaped. */
void pyr_text_json(FILE *to, const char *text, size_t size);

/* The player's word for a colour. */
const char *pyr_text_colour(unsigned colour);

#define PYR_BOARD_ROWS 7         /* a title, the columns' letters, five rows */
#define PYR_BOARD_WIDTH 16       /* characters a row, padded: four cards fit side by side in 80 columns */

/* A card as rows of text: number and colour, then the spaces as in an edition, * where marked. */
void pyr_text_card(const struct pyr_box *box, pyr_card card, pyr_spaces marks, char rows[PYR_BOARD_ROWS][PYR_BOARD_WIDTH + 1]);

/* Prints cards side by side, up to `across` of them in a row. */
void pyr_text_cards(FILE *to, const struct pyr_box *box, const pyr_card *cards, const pyr_spaces *marks, unsigned count,
    unsigned across);

/* Prints a pattern as rows of X and ., each after the indent. */
void pyr_text_pattern(FILE *to, const struct pyr_box *box, pyr_pattern pattern, const char *indent);

/* The final or present score of every seat as a table; names[s] is seat s. */
void pyr_text_scores(FILE *to, const struct pyr_box *box, const struct pyr_table *table, const struct pyr_word *names);

#endif
