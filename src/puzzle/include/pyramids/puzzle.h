/*
 * puzzle.h (puzzle.c, solve.c, verdict.c, mistake.c): positions with one clearly best choice, for people to find.
 *
 * A puzzle is a line of a pack (docs/puzzles.md). Its position is made by playing a game of bots that never change, so it
 * takes a few bytes. The values of its choices are either solved exactly (in the last two turns) or stored in the line, as
 * measured by playouts. A mistake of your own is a text with a record instead.
 *
 * Values are expected final points of the player, in hundredths. Exact ones assume that the other players take neither
 * cards nor pyramid points any more; the tool that makes puzzles keeps only those whose answer does not depend on that.
 */
#ifndef PYR_PUZZLE_H
#define PYR_PUZZLE_H

#include <pyramids/luck.h>
#include <pyramids/match.h>

PYR_BEGIN_DECLS

/* X(NAME, number, name, letter): what a puzzle is about; one may have several, the first of them is shown. The letter is
 * that of a pack's line. */
#define PYR_PUZZLE_THEMES(X) \
    X(CARD, 0, card, 'c')        /* which card to take */ \
    X(RACE, 1, race, 'r')        /* the best choice claims pyramid points */ \
    X(CROSS, 2, cross, 'x')      /* it earns extra marks */ \
    X(SKULL, 3, skull, 's')      /* it avoids or erases skulls that the tempting one takes */ \
    X(TOMB, 4, tomb, 't')        /* one of the two completes a pyramid, the other takes gems or torches */ \
    X(LAST, 5, last, 'l')        /* the last turn of the game */

#define PYR_PUZZLE_ENUMERATOR(NAME, number, name, letter) PYR_PUZZLE_##NAME = number,
enum pyr_puzzle_theme { PYR_PUZZLE_THEMES(PYR_PUZZLE_ENUMERATOR) PYR_PUZZLE_THEME_COUNT = 6 };
#undef PYR_PUZZLE_ENUMERATOR

/* The name of a theme: "card", "race", ...; NULL beyond the last. And the theme of a name; -1 if there is none. */
PYR_API const char *pyr_puzzle_theme_name(unsigned theme);
PYR_API int pyr_puzzle_theme_find(const char *name);

#define PYR_PUZZLE_ENOUGH 30     /* a choice within 0.3 points of the best counts as right */
#define PYR_PUZZLE_CHOICES 600   /* different choices of a position, at most */
#define PYR_PUZZLES 8192         /* numbers of puzzles, at most */
#define PYR_PUZZLE_EXTRAS 7      /* extra marks in a choice, at most */
#define PYR_PUZZLE_DEVIATION 80  /* of a puzzle's rating (glicko.h) */

/* A line of a pack. */
struct pyr_puzzle {
    uint32_t number;             /* from 1; 0: a mistake of your own */
    uint32_t game;               /* the seed of the game */
    uint8_t seats, seat;         /* seat from 0 */
    uint8_t round, turn;         /* from 0 */
    uint8_t themes;              /* bits; PYR_PUZZLE_CARD: it is about replacing, else about marking */
    uint16_t rating;
    uint16_t check;              /* of the position, so that a pack of another program is noticed */
    uint32_t playouts;           /* behind the values; 0: exact */
    struct pyr_word values;      /* the rest of the line */
};

/* Reads a line. False if it is not one, with the fault in lines->fault. */
PYR_API bool pyr_puzzle_read(struct pyr_puzzle *puzzle, struct pyr_lines *lines);

/* Goes to the first puzzle of a pack: checks its header, `pyramids-puzzles 1 EDITION`. False with the fault. */
PYR_API bool pyr_puzzle_begin(struct pyr_lines *lines, const char *text, size_t size, const char *edition);

/* Begins the game of puzzles with this seed, and makes its next choices: those of one phase, or one replacement. The sink
 * (may be NULL) gets the lines. Only `game`, `seats` of the puzzle count. */
struct pyr_puzzle_game {
    struct pyr_game *game;
    struct pyr_sink sink;        /* take is NULL: none */
    struct pyr_rng rng;
};
PYR_API enum pyr_err pyr_puzzle_deal(struct pyr_puzzle_game *at, struct pyr_game *game, const struct pyr_edition *edition,
    unsigned seats, uint32_t seed, const char *const *names, const struct pyr_sink *sink);
PYR_API enum pyr_err pyr_puzzle_play(struct pyr_puzzle_game *at);

/* A check of what a seat sees. */
PYR_API uint16_t pyr_puzzle_check(const struct pyr_game *game, pyr_seat seat);

/* A whole choice, what it leads to and what it is worth. */
struct pyr_puzzle_choice {
    pyr_step first;
    uint8_t more[PYR_PUZZLE_EXTRAS];         /* the one bit of each further step */
    uint8_t count;                           /* steps */
    struct pyr_desk end;                     /* of a mark: the desk after it; alike for choices that differ in order only */
    int32_t value;                           /* hundredths of a point, or of a percent (is_win) */
};

/* A puzzle that is being solved. Plain data of about 40 KB. */
struct pyr_puzzle_open {
    struct pyr_puzzle puzzle;
    struct pyr_view view;                    /* of its player */
    struct pyr_puzzle_choice choice[PYR_PUZZLE_CHOICES];     /* with known values, best first */
    unsigned count;
    int32_t bound;                           /* all choices that are not listed are worth at most this */
    bool is_win;                             /* values are chances to win */
    uint8_t hints;                           /* given so far: 0 to 2 */
    uint8_t tries;                           /* answers so far */
};

/* All different choices of a view's seat in phase MARK with at most `left` turns to come (0 or 1), solved exactly, best
 * first. Returns how many; 0 if there are too many or if solving takes more than `nodes` marks. */
PYR_API unsigned pyr_puzzle_solve(const struct pyr_box *box, const struct pyr_view *view, struct pyr_puzzle_choice *choice,
    unsigned room, uint32_t nodes);

/* The same choices without values. */
PYR_API unsigned pyr_puzzle_choices(const struct pyr_box *box, const struct pyr_view *view, struct pyr_puzzle_choice *choice,
    unsigned room);

#define PYR_PUZZLE_NODES 1500000u

/* Opens a puzzle: makes its position as a match, whose players are called `names`, and the values of its choices. PYR_OK,
 * PYR_ERR_STATE if the position is not the one that the puzzle was made from, PYR_ERR_TEXT_* if its values cannot be read.
 * After an error neither may be used. */
PYR_API enum pyr_err pyr_puzzle_open(const struct pyr_puzzle *puzzle, struct pyr_puzzle_open *open, struct pyr_match *match,
    const struct pyr_edition *edition, const char *const *names);

/* What a mark gains at once. */
struct pyr_puzzle_gain {
    int8_t pyramids, points;     /* completed; pyramid points claimed */
    int8_t rubies, emeralds, torches;
    int8_t skulls;               /* below 0: erased */
    int8_t extras;               /* extra marks */
};
PYR_API struct pyr_puzzle_gain pyr_puzzle_gain(const struct pyr_box *box, const struct pyr_view *view,
    const struct pyr_puzzle_choice *choice);

struct pyr_puzzle_verdict {
    bool right;                  /* the best choice, or within PYR_PUZZLE_ENOUGH of it */
    bool is_best;
    bool at_least;               /* the cost is a lower bound: the choice is not listed */
    int32_t cost;
    int place;                   /* in the list; -1: not listed */
    struct pyr_puzzle_choice made;
};

/* Judges an answer, a choice as text (choice.h). PYR_OK, or why it is not a legal choice, with *fault; then nothing has
 * changed. It counts as a try. */
PYR_API enum pyr_err pyr_puzzle_answer(struct pyr_puzzle_open *open, const struct pyr_match *match, const char *text,
    struct pyr_puzzle_verdict *verdict, struct pyr_fault *fault);

/* The next hint, first the card, then the region. Of a mark: which slot, and (from the second on) the spaces around the
 * first mark. Of a card to take: its colour, then two cards, one of which is right. */
struct pyr_puzzle_hint {
    uint8_t step;                /* 1 or 2 */
    uint8_t slot;                /* of a mark */
    pyr_spaces spaces;           /* 0 at first */
    int8_t colour;               /* of the best card; -1: of a mark, or drawing is best */
    pyr_card card[2];            /* PYR_NO_CARD at first; the first place may also be the deck */
};
PYR_API struct pyr_puzzle_hint pyr_puzzle_hint(struct pyr_puzzle_open *open, const struct pyr_box *box);

/* A choice as text. */
PYR_API void pyr_puzzle_write_choice(const struct pyr_puzzle_open *open, const struct pyr_puzzle_choice *choice,
    struct pyr_out *out);

/*
 * Your own mistakes. A text: `pyramids-mistake 1`, `seat N`, `values PLAYOUTS UNIT CHOICE=VALUE...`, maybe `solved DAY`,
 * `record`, then the lines of the game up to the position.
 *
 * write: for a seat's decision, at line `line` of the match, with its best choices as `CHOICE=POINTS/WIN` (in
 * hundredths of a point and of a percent), best first, separated by spaces. Returns false, with nothing written, if the
 * line is not a decision of that seat or there was only one choice. The unit is points, or win if the best choice is best
 * only by that.
 */
PYR_API bool pyr_mistake_write(const struct pyr_match *match, uint32_t line, pyr_seat seat, uint32_t playouts,
    const char *values, struct pyr_out *out);

PYR_API enum pyr_err pyr_mistake_open(struct pyr_puzzle_open *open, struct pyr_match *match,
    const struct pyr_edition *edition, const char *text, size_t size, struct pyr_fault *fault);

/* Records that the mistake was solved on a day (days since 1970): writes the text with that day. Returns false if it was
 * already solved on another day; the mistake then leaves the pile. */
PYR_API bool pyr_mistake_solve(const char *text, size_t size, int32_t day, struct pyr_out *out);

PYR_END_DECLS

#endif
