/*
 * edition.h (edition.c, generate.c): an edition, which is everything printed on the components, as text (docs/formats.md).
 */
#ifndef PYR_EDITION_H
#define PYR_EDITION_H

#include <pyramids/box.h>
#include <pyramids/lines.h>

PYR_BEGIN_DECLS

#define PYR_MAX_NAME 31          /* bytes in the name of an edition */
#define PYR_MAX_TITLE 95
#define PYR_MAX_PATTERN_NAME 15

struct pyr_edition {
    char name[PYR_MAX_NAME + 1]; /* one word; records refer to it */
    char title[PYR_MAX_TITLE + 1];
    char pattern_name[PYR_PATTERNS][PYR_MAX_PATTERN_NAME + 1];
    struct pyr_box box;
};

/*
 * Reads an edition. Returns PYR_OK, or the code of the first fault, which *fault (may be NULL) describes; then *edition is
 * untouched. The text may be any bytes and is not kept.
 */
PYR_API enum pyr_err pyr_edition_read(struct pyr_edition *edition, const char *text, size_t size, struct pyr_fault *fault);

/* Writes an edition: cards in the order of their numbers. Returns the length of the whole text; what does not fit into
 * `size` bytes (with the terminator) is cut off. Reading the text gives the same edition, and writing that the same bytes.
 * */
PYR_API size_t pyr_edition_write(const struct pyr_edition *edition, char *to, size_t size);

/* The pattern of that name, or PYR_NO_PATTERN. */
PYR_API pyr_pattern pyr_edition_pattern(const struct pyr_edition *edition, struct pyr_word name);

/* The character of a space of a card: # . v T x r e f s p */
PYR_API char pyr_card_char(const struct pyr_card_face *card, unsigned row, unsigned column);

/* "green", "orange", "purple": as written in the formats. */
PYR_API const char *pyr_colour_word(unsigned colour);

/* The colour of that word, or PYR_COLOURS. */
PYR_API unsigned pyr_colour_of(struct pyr_word word);

PYR_END_DECLS

#endif
