/*
 * text.h (language.c, text.c, print.c, board.c; rules.h has the rules): turns codes into sentences in the player's language,
 * and cards and tables into characters. Every text that a person can see comes from here or goes through pyr_gettext; the
 * core has codes only. Output for programs (records, JSON, the protocol) is never translated.
 *
 * Threads: the one part of the library with state, the language. The program's is set before there are threads, as is its
 * measure of width; each thread may then use another language (pyr_text_use). Everything else may be called from any
 * thread.
 */
#ifndef PYR_TEXT_H
#define PYR_TEXT_H

#include <stdio.h>

#include <pyramids/json.h>
#include <pyramids/story.h>

PYR_BEGIN_DECLS

/* Chooses the language from the environment: LANGUAGE, LC_ALL, LC_MESSAGES, LANG. Call once at the start of a program,
 * before threads. */
PYR_API void pyr_text_init(void);

/*
 * Languages are named as a locale or a tag (de, pt_BR, fr-CA, it_IT.UTF-8); a country without a translation of its own is
 * ignored. pyr_text_language sets that of the whole program, before there are threads; false if there is none of that name.
 * pyr_text_use sets that of the calling thread: NULL means the program's, an unknown name English. It returns the previous
 * name, so that a caller can restore it.
 */
PYR_API bool pyr_text_language(const char *name);
PYR_API const char *pyr_text_use(const char *name);

#define PYR_LANGUAGES 64         /* at most */

/* The code of the language in use, such as "de"; of each available one, English first (NULL after the last). */
PYR_API const char *pyr_text_code(void);
PYR_API const char *pyr_text_language_at(unsigned i);

/* What a language calls itself, such as "Deutsch". */
PYR_API const char *pyr_text_language_name(const char *code);

/* The best language for a header Accept-Language ("fr-CH, fr;q=0.9, en;q=0.8"); NULL if none of them is available. */
PYR_API const char *pyr_text_accepted(const char *wanted);

/* From now on texts of the current language are written in ASCII, by the rules of that language: gruen for grün. Letters
 * without such a rule stay. Call it before there are threads. */
PYR_API void pyr_text_plain(void);

/* Evaluates a C expression for n, as in the Plural-Forms of a catalogue. */
PYR_API unsigned long pyr_text_plural(const char *expression, unsigned long n);

/* The text in the player's language; the marks _ and N_ are what xgettext looks for. */
PYR_API const char *pyr_gettext(const char *text) __attribute__((format_arg(1)));
PYR_API const char *pyr_ngettext(const char *one, const char *many, unsigned long count)
    __attribute__((format_arg(1), format_arg(2)));
#define _(text) pyr_gettext(text)
#define N_(text) text
#define NP_(one, many) one, many         /* the forms of a text that depends on a number */

/* The sentence of a fault, with its rule in brackets; without file and line. */
PYR_API void pyr_text_fault(const struct pyr_fault *fault, char *to, size_t size);

/* The sentence of a code alone. */
PYR_API void pyr_text_error(enum pyr_err code, char *to, size_t size);

/* The same for a player who is trying something: a short sentence that ends with its rule and a full stop. */
PYR_API void pyr_text_reason(enum pyr_err code, char *to, size_t size);

/* Why a server refuses something, by the code of the protocol; NULL if it has no sentence. */
PYR_API const char *pyr_text_refusal(const char *code);

/* What a quick reaction says, by its number of remote.h; "" for an unknown one. */
PYR_API const char *pyr_text_reaction(unsigned symbol);

/* A sentence about an event of a game; `name` is that of its seat, `turn` counts the turns of the game before a reveal. */
PYR_API void pyr_text_sentence(const struct pyr_sentence *sentence, const struct pyr_edition *edition, const char *name,
    unsigned turn, char *to, size_t size);

/* Who has won a game, and why: two sentences. */
struct pyr_outcome {
    const char *winners, *tied;  /* names as they are shown: who has won; all who have as many points */
    int points, margin;          /* of the winners; how many more they are than the next player's, 0 in a tie */
    unsigned pyramid;            /* number of the lowest pyramid that decided a tie (R17); 0: there is none, and they
                                    share the win (Q8) */
};
PYR_API void pyr_text_outcome(const struct pyr_outcome *outcome, char *to, size_t size);

/* "2 rubies, torch, tomb"; "" if the list is empty. torch_lost: this round's torch was marked before. */
PYR_API void pyr_text_symbols(const struct pyr_symbols *symbols, bool torch_lost, char *to, size_t size);

/* Starts a JSON text (json.h, print.c) that is written to a file as it grows, through a buffer of the caller's. */
PYR_API void pyr_text_json_init(struct pyr_json *json, FILE *to, char *buffer, size_t size);

/* A value of a JSON text: a number with `digits` digits after the point, or as few as %g writes (PYR_SHORTEST). null if it
 * is not finite. */
#define PYR_SHORTEST (-1)
PYR_API void pyr_text_json_real(struct pyr_json *json, const char *name, double number, int digits);

/* The translated word for a colour. */
PYR_API const char *pyr_text_colour(unsigned colour);

/* The translated word for a level ("novice"), and for a bot that plays at it; other names are returned unchanged. */
PYR_API const char *pyr_text_level(const char *name);
PYR_API const char *pyr_text_bot(const char *name);

/*
 * The translated name of a player of a record: for players without a name (PYR_NAMELESS), and for bots named by level and
 * seat ("club 2"). No player is called "you", since sentences about a game treat all players alike; old records may still
 * contain such players.
 */
#define PYR_NAMELESS "Player"
PYR_API void pyr_text_player(struct pyr_word name, char *to, size_t size);

/* Makes a text from outside safe for a terminal, in place: control characters, bytes that are not UTF-8 and characters
 * that change the direction of writing become question marks. The text never gets longer. */
PYR_API void pyr_text_clean(char *text);

/* The system's message for an errno. */
PYR_API const char *pyr_text_system(int error);

/* Numbers for people (print.c), with the decimal sign of the language: 12,5. `digits` after it; with `sign` a + before
 * positive ones. */
#define PYR_NUMBER_SIZE 48
PYR_API const char *pyr_text_number(char to[PYR_NUMBER_SIZE], double value, unsigned digits, bool sign);
PYR_API const char *pyr_text_percent(char to[PYR_NUMBER_SIZE], double value, unsigned digits, bool sign);
#ifndef __cplusplus
/* The same in a buffer that lives as long as the enclosing block; C++ has no such literals. */
#define PYR_NUMBER(value, digits) pyr_text_number((char[PYR_NUMBER_SIZE]){ 0 }, value, digits, false)
#define PYR_SIGNED(value, digits) pyr_text_number((char[PYR_NUMBER_SIZE]){ 0 }, value, digits, true)
#define PYR_PERCENT(value, digits) pyr_text_percent((char[PYR_NUMBER_SIZE]){ 0 }, value, digits, false)
#endif

/*
 * Tables of text (print.c). Widths are columns of a terminal, and grow with the title. The program passes in a
 * function that measures columns (pyr_text_measure, before there are threads; src/letters has one), since the tables
 * of Unicode are too large for the library. Until then a character counts as one column.
 */
PYR_API void pyr_text_measure(int (*columns)(const char *text, size_t size));

struct pyr_column {
    const char *title;
    int gap;                     /* blanks before it */
    int width;                   /* negative: left-aligned; 0: no padding */
};
PYR_API void pyr_text_heading(FILE *to, struct pyr_column *columns, unsigned count);
PYR_API void pyr_text_cell(FILE *to, const struct pyr_column *column, const char *format, ...) __attribute__((format(printf,
    3, 4)));

/* How many columns a text takes on a line; a text with blanks up to a width (negative: the text first). */
PYR_API int pyr_text_width(const char *text, size_t size);
PYR_API void pyr_text_pad(FILE *to, const char *text, int width);

/*
 * Prints a text in any language in at most `columns` columns. Consecutive lines form a paragraph and are joined;
 * a line that begins with a blank stays alone, and continues below the text after its last gap of two blanks or more. The
 * first paragraph continues at column `hang`. Text in [brackets] is not broken.
 */
#define PYR_HELP_COLUMNS 80
PYR_API void pyr_text_flow(FILE *to, const char *text, int columns, int hang);

#define PYR_BOARD_ROWS 7         /* a title, the columns' letters, five rows */
#define PYR_BOARD_WIDTH 16       /* characters per row, padded: four cards fit side by side in 80 columns */
#define PYR_BOARD_BYTES (4 * PYR_BOARD_WIDTH + 1)

/* A card as rows of text: number and colour, then the spaces as in an edition, * where marked. */
PYR_API void pyr_text_card(const struct pyr_box *box, pyr_card card, pyr_spaces marks,
    char rows[PYR_BOARD_ROWS][PYR_BOARD_BYTES]);

/* Prints cards side by side, up to `across` of them in a row. */
PYR_API void pyr_text_cards(FILE *to, const struct pyr_box *box, const pyr_card *cards, const pyr_spaces *marks,
    unsigned count, unsigned across);

/* Prints a pattern as rows of X and ., each after the indent. */
PYR_API void pyr_text_pattern(FILE *to, const struct pyr_box *box, pyr_pattern pattern, const char *indent);

/* The final or current score of every seat as a table; names[s] is the name of seat s. */
PYR_API void pyr_text_scores(FILE *to, const struct pyr_box *box, const struct pyr_table *table,
    const struct pyr_word *names);

PYR_END_DECLS

#endif
