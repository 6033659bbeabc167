/* inside.h: what the files of this folder share. */
#ifndef PYR_PUZZLE_INSIDE_H
#define PYR_PUZZLE_INSIDE_H

#include <pyramids/puzzle.h>

/* Reads a choice in the position of an open puzzle and plays it there: PYR_OK, or why it is not a legal whole choice, with
 * *fault (may be NULL) if the text is wrong. */
enum pyr_err puzzle_read_choice(const struct pyr_puzzle_open *open, const struct pyr_box *box, struct pyr_word text,
    struct pyr_puzzle_choice *to, struct pyr_fault *fault);

/* Reads `CHOICE=VALUE` words into the list of an open puzzle, whose count is 0. */
enum pyr_err puzzle_read_values(struct pyr_puzzle_open *open, const struct pyr_box *box, struct pyr_word values);

/* A whole number; false if the word is none. */
bool puzzle_read_value(struct pyr_word word, int32_t *to);

#endif
