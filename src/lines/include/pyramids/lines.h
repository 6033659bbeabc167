/*
 * lines.h (lines.c): reading and writing text as lines of words and numbers, the basis of editions and records
 * (docs/formats.md). A reader keeps the first fault and from then on every function returns false, so a parser is written
 * straight down and checks for a fault once, at the end.
 *
 * Ownership: a reader points into the text of its caller, which must outlive it; so do the words (struct pyr_word) that it
 * returns. A writer (struct pyr_out) fills the caller's buffer and counts on where it is full, as snprintf does.
 * Threads: each reader and writer belongs to one thread; several may read the same text.
 */
#ifndef PYR_LINES_H
#define PYR_LINES_H

#include <pyramids/base.h>

PYR_BEGIN_DECLS

#define PYR_MAX_LINE 4096        /* bytes in a line, without its end */

/* What is wrong with a text, and where. src/text turns it into a sentence. */
struct pyr_fault {
    enum pyr_err code;
    uint32_t line;               /* from 1; 0: the text as a whole */
    uint32_t column;             /* byte in the line, from 1; 0: the line as a whole */
    int32_t number[3];           /* what the code needs: a range, a card, a seat */
    char word[40];               /* the word at fault, cut to size, safe to print; "" if none */
    char expected[128];          /* the line or word that should be there, in the notation of the format; "" if none */
};

/* A piece of the text that was read; not terminated. Valid as long as that text is. */
struct pyr_word {
    const char *at;
    size_t length;
};

/* No word: what a function is given or returns where there is none. A constant expression. */
#ifndef __cplusplus
#define PYR_NO_WORD ((struct pyr_word){ "", 0 })
#else
#define PYR_NO_WORD (pyr_word{ "", 0 })
#endif

/* The value of a hexadecimal digit; -1: it is none. In our own formats it is a small letter; others have capitals, too. */
static inline int pyr_hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline int pyr_hex_any(char c)
{
    return pyr_hex_digit((char)(c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c));
}

struct pyr_lines {
    const char *text;
    size_t size, next;           /* where the next line begins */
    struct pyr_word line;        /* the current line without its end */
    size_t at;                   /* how much of it has been read */
    uint32_t number;
    const char *form;            /* what the current line should look like, for faults; may be NULL */
    struct pyr_fault fault;
};

/* Starts reading, after a byte order mark if there is one; the text belongs to the caller and must outlive the reader. */
PYR_API void pyr_lines_init(struct pyr_lines *lines, const char *text, size_t size);

/* Goes to the next line that is not a comment; with `blank` false also past blank lines. False at the end of the text and
 * after a fault. */
PYR_API bool pyr_lines_next(struct pyr_lines *lines, bool blank);

/* Reads the first line, which must be `keyword` and version 1: the whole of it is `header`. */
PYR_API bool pyr_lines_header(struct pyr_lines *lines, const char *keyword, const char *header);

/* The next word of the line. False (PYR_ERR_TEXT_MISSING) if there is none. */
PYR_API bool pyr_lines_word(struct pyr_lines *lines, struct pyr_word *word);

/* The next word as a number from low to high. */
PYR_API bool pyr_lines_number(struct pyr_lines *lines, int32_t low, int32_t high, int32_t *number);

/* The rest of the line as it is, at least one byte and at most `most`, after exactly one space. */
PYR_API bool pyr_lines_rest(struct pyr_lines *lines, size_t most, struct pyr_word *rest);

/* Whether more words follow. */
PYR_API bool pyr_lines_more(const struct pyr_lines *lines);

/* The line must end here. */
PYR_API bool pyr_lines_end(struct pyr_lines *lines);

/* Sets a fault at a byte of the current line (0: the whole line), unless there is one already. Always false. */
PYR_API bool pyr_lines_fail(struct pyr_lines *lines, enum pyr_err code, size_t column, struct pyr_word word);

/* A terminated text as a word. */
PYR_API struct pyr_word pyr_word_of(const char *text);

PYR_API bool pyr_word_is(struct pyr_word word, const char *text);

/* Copies a word into a terminated buffer of `size` bytes; too long ones are cut between characters. */
PYR_API void pyr_word_copy(struct pyr_word word, char *to, size_t size);

/* Text being written into a buffer that may be too small: `length` counts what would have been written, as snprintf does;
 * the buffer is always terminated if it has room for a byte. */
struct pyr_out {
    char *to;
    size_t size, length;
};

PYR_API void pyr_out_init(struct pyr_out *out, char *to, size_t size);
PYR_API void pyr_out_char(struct pyr_out *out, char c);
PYR_API void pyr_out_text(struct pyr_out *out, const char *text);
PYR_API void pyr_out_word(struct pyr_out *out, struct pyr_word word);
PYR_API void pyr_out_number(struct pyr_out *out, int32_t number);

PYR_END_DECLS

#endif
