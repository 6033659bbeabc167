/*
 * puzzler.h (puzzler.c, telling.c): the player of puzzles: rating, streak, puzzles seen, the puzzle of the day; and
 * everything that clients show about a puzzle, as JSON. A puzzler is stored as a text on the device.
 */
#ifndef PYR_PUZZLER_H
#define PYR_PUZZLER_H

#include <pyramids/glicko.h>
#include <pyramids/json.h>
#include <pyramids/puzzle.h>

PYR_BEGIN_DECLS

#define PYR_PUZZLE_PACK 200      /* the first ones, that every client has: those of the days */
#define PYR_PUZZLER_SIZE 4096    /* bytes of its text, at most */

struct pyr_puzzler {
    struct pyr_glicko skill;
    uint32_t solved, tried;      /* rated puzzles */
    uint32_t streak, best;       /* right in a row: now, and the longest */
    int32_t day;                 /* of the last puzzle of the day that was answered: days since 1970; 0: none */
    uint32_t days;               /* puzzles of the day solved on consecutive days up to that one */
    bool day_right;              /* it was right at the first try */
    uint8_t seen[PYR_PUZZLES / 8];       /* bit number - 1 */
};

/* Makes a new puzzler; reads one from its text (false, and a new one, if the text is wrong); writes it, which fails only
 * for lack of room. */
PYR_API void pyr_puzzler_init(struct pyr_puzzler *puzzler);
PYR_API bool pyr_puzzler_read(struct pyr_puzzler *puzzler, const char *text, size_t size);
PYR_API void pyr_puzzler_write(const struct pyr_puzzler *puzzler, struct pyr_out *out);

/*
 * Counts a first answer in rating, streak and `seen`. A hint halves what is gained. Mistakes of your own (number 0) count
 * for the streak but are not rated. `day` is today if it was the puzzle of the day, else 0. Returns by how much the
 * rating changed.
 */
PYR_API double pyr_puzzler_answer(struct pyr_puzzler *puzzler, const struct pyr_puzzle *puzzle, bool right, unsigned hints,
    int32_t day);

/* The number of the puzzle of a day (days since 1970) among `count` (at least 1). It is always one of the first pack,
 * which every client has without a network, so it is the same for everyone. All of them are used once before any is
 * repeated. */
PYR_API uint32_t pyr_puzzle_of_day(int32_t day, uint32_t count);

/* The days since 1970 of a date such as 2026-11-18; -1 if it is none. */
PYR_API int32_t pyr_puzzle_day(const char *date);

/*
 * Picks the next puzzle of a pack: unseen, with one of the themes (bits; 0: any), of a rating near the puzzler's. Returns
 * its number; 0 if the pack has none. `but` (0: none) is picked only if nothing else is left. If all have been seen, pass
 * `again` to pick among all.
 */
PYR_API uint32_t pyr_puzzler_pick(const struct pyr_puzzler *puzzler, const char *pack, size_t size, const char *edition,
    uint8_t themes, bool again, uint32_t but);

/* Finds a number in a pack; false if it is not there. */
PYR_API bool pyr_puzzle_find(struct pyr_puzzle *puzzle, const char *pack, size_t size, const char *edition, uint32_t number);

/* Writes as JSON (docs/puzzles.md), as a member `name` (NULL: as a text of its own): a puzzle before it is answered, a
 * verdict with the list of choices, a hint, the puzzler. */
PYR_API void pyr_puzzle_tell(const struct pyr_puzzle_open *open, const struct pyr_box *box, const char *name,
    struct pyr_json *json);
PYR_API void pyr_puzzle_tell_verdict(const struct pyr_puzzle_open *open, const struct pyr_box *box,
    const struct pyr_puzzle_verdict *verdict, const char *name, struct pyr_json *json);
PYR_API void pyr_puzzle_tell_hint(const struct pyr_puzzle_hint *hint, const struct pyr_puzzle_open *open,
    const char *name, struct pyr_json *json);
PYR_API void pyr_puzzler_tell(const struct pyr_puzzler *puzzler, const char *name, struct pyr_json *json);

PYR_END_DECLS

#endif
