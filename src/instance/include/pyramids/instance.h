/*
 * instance.h (instance.c, thinking.c, puzzling.c; create.c): the library behind one opaque object, for bindings to other
 * languages: an edition, at most one match with it, and the memory of a bot. The WebAssembly module is this header with
 * short names (src/wasm/exports.c).
 *
 * Everything is flat: functions take and return whole numbers, texts, 64-bit steps and pointers to plain structs whose
 * layout other headers state. There are no inline functions, no structs by value and no callbacks except for memory. A
 * caller never needs another header to play whole games; texts of choices and lines are those of docs/formats.md.
 *
 * Threads: an instance is used by one thread at a time; any number of instances may be used at once.
 *
 * Pointers that are returned are valid until the next call with the same instance, unless stated otherwise. Texts are
 * terminated. Where a function writes a text into `to`, it returns the length of the whole text; what does not fit into
 * `size` bytes (with the terminator) is cut off, as snprintf does.
 *
 * Codes are those of err.h: 0 is success, and pyr_err_name returns their names. Seats count from 0; 255 is no seat, 254 a
 * spectator.
 */
#ifndef PYR_INSTANCE_H
#define PYR_INSTANCE_H

#include <pyramids/luck.h>
#include <pyramids/match.h>
#include <pyramids/paper.h>
#include <pyramids/puzzler.h>

PYR_BEGIN_DECLS

struct pyr_instance;

/* Memory for a bot, at least `size` bytes aligned to 16; NULL if there is none. A later call may return the same block:
 * only the last one asked for is in use. */
typedef void *(*pyr_instance_room)(void *context, size_t size);

/* An instance in memory that the caller owns, aligned to 16 bytes. `room` may be NULL: then nothing that needs a bot's
 * memory works. */
PYR_API size_t pyr_instance_size(void);
PYR_API void pyr_instance_init(struct pyr_instance *instance, pyr_instance_room room, void *context);

/* The same in memory of its own, with the system's allocator; NULL if there is none. Destroying NULL does nothing. (Not in
 * the module.) */
PYR_API struct pyr_instance *pyr_instance_create(void);
PYR_API void pyr_instance_destroy(struct pyr_instance *instance);

/* Call this after using the memory of `room` for something else: the lookup tables of bots must be made again. */
PYR_API void pyr_instance_forget_tables(struct pyr_instance *instance);

/* Reads the edition from its text (a code, with the fault below; after a fault the edition is unchanged), and writes it.
 * After reading another edition, begin or load a match again. */
PYR_API int32_t pyr_instance_read_edition(struct pyr_instance *instance, const char *text, size_t size);
PYR_API size_t pyr_instance_write_edition(const struct pyr_instance *instance, char *to, size_t size);
PYR_API const struct pyr_edition *pyr_instance_edition(const struct pyr_instance *instance);

/* The edition as sheets to print (paper.h): how many, one of them, and the pictures that they refer to. `parts` has bits of
 * enum pyr_paper_part, `paper` is a number of enum pyr_paper_size. */
PYR_API uint32_t pyr_instance_sheets(uint32_t parts);
PYR_API size_t pyr_instance_sheet(const struct pyr_instance *instance, uint32_t sheet, uint32_t paper, uint32_t parts,
    bool is_coloured, const char *words, char *to, size_t size);

/* What was wrong with the last text: line and column from 1 (0: as a whole), numbers 0 to 2, the word, what was expected. */
PYR_API uint32_t pyr_instance_fault_line(const struct pyr_instance *instance);
PYR_API uint32_t pyr_instance_fault_column(const struct pyr_instance *instance);
PYR_API int32_t pyr_instance_fault_number(const struct pyr_instance *instance, uint32_t index);
PYR_API const char *pyr_instance_fault_word(const struct pyr_instance *instance);
PYR_API const char *pyr_instance_fault_expected(const struct pyr_instance *instance);

/* Begins a match: `names` has a line per seat; chance is drawn from the seed. Or loads a record (viewer 255: a whole one,
 * 254: what a spectator sees, else a seat's view of it). A code, with the fault; after one there is no match. */
PYR_API int32_t pyr_instance_start(struct pyr_instance *instance, uint32_t seats, const char *names, uint64_t seed);
PYR_API int32_t pyr_instance_load(struct pyr_instance *instance, const char *text, size_t size, uint32_t viewer);

/* Draws again everything that is hidden, and advances a loaded game to its next decision. */
PYR_API void pyr_instance_shuffle(struct pyr_instance *instance, uint64_t seed);

/* The match: how many seats (0: there is none), whether it is over, who has to choose (bits), its log as text, how many
 * lines that has, who may see a line, and a line `tag NAME VALUE` added. */
PYR_API uint32_t pyr_instance_seats(const struct pyr_instance *instance);
PYR_API uint32_t pyr_instance_is_over(const struct pyr_instance *instance);
PYR_API uint32_t pyr_instance_waiting(const struct pyr_instance *instance);
PYR_API const char *pyr_instance_log(const struct pyr_instance *instance);
PYR_API uint32_t pyr_instance_lines(const struct pyr_instance *instance);
PYR_API uint32_t pyr_instance_line_is_visible(const struct pyr_instance *instance, uint32_t line, uint32_t seat);
PYR_API int32_t pyr_instance_tag(struct pyr_instance *instance, const char *name, const char *value);

/*
 * What happened in a line of a record, as sentences (story.h): one line of whole numbers for each, its kind, the seat (255:
 * none), the spaces (bits of a pyr_spaces), then its other numbers. `to` and `text` may overlap. Returns the length; 0 if
 * it is not a line of a record, or has no sentence.
 */
PYR_API size_t pyr_instance_story(const struct pyr_instance *instance, const char *text, size_t text_size, char *to,
    size_t size);

/* What a seat sees, its own steps included (255: a spectator), now or after that many lines; NULL before all cards are
 * dealt. */
PYR_API const struct pyr_view *pyr_instance_view(struct pyr_instance *instance, uint32_t seat);
PYR_API const struct pyr_view *pyr_instance_view_at(struct pyr_instance *instance, uint32_t lines, uint32_t seat);

/* Of the view given last: a seat's score, on the open table or (mine) with the steps of the view's own seat; the winners as
 * bits. */
PYR_API const struct pyr_score *pyr_instance_view_score(struct pyr_instance *instance, uint32_t seat, uint32_t mine);
PYR_API uint32_t pyr_instance_view_winners(const struct pyr_instance *instance);

/* The legal steps of a seat as 64-bit words (step.h): how many, and the list of them. */
PYR_API uint32_t pyr_instance_steps(struct pyr_instance *instance, uint32_t seat);
PYR_API const uint64_t *pyr_instance_step_list(const struct pyr_instance *instance);

/* A seat's choice so far: how many steps, each, as text; whether it is confirmed; whether it is complete. */
PYR_API uint32_t pyr_instance_made(const struct pyr_instance *instance, uint32_t seat);
PYR_API uint64_t pyr_instance_made_at(const struct pyr_instance *instance, uint32_t seat, uint32_t index);
PYR_API size_t pyr_instance_choice(const struct pyr_instance *instance, uint32_t seat, char *to, size_t size);
PYR_API uint32_t pyr_instance_is_confirmed(const struct pyr_instance *instance, uint32_t seat);
PYR_API uint32_t pyr_instance_is_ready(const struct pyr_instance *instance, uint32_t seat);

/* Why a step is illegal now, or 0. And what a mark would make of the seat's desk: a code; then the desk, and its score (a
 * completed card is not counted before it is set aside). */
PYR_API int32_t pyr_instance_check(const struct pyr_instance *instance, uint32_t seat, uint64_t step);
PYR_API int32_t pyr_instance_preview(struct pyr_instance *instance, uint32_t seat, uint64_t step);
PYR_API const struct pyr_desk *pyr_instance_preview_desk(const struct pyr_instance *instance);
PYR_API const struct pyr_score *pyr_instance_preview_score(const struct pyr_instance *instance);

/*
 * Aiming (aim.h) with the pattern of a seat's mark. turn: mirrored if 4 is set, then `turn & 3` quarters clockwise; single:
 * one space instead of the pattern; space: 0 (a1) to 24 (e5). All put steps into the list (pyr_instance_step_list).
 *
 * covering: the legal placements that cover a space, the likeliest first; how many.
 * cover: the placement in this turn that pointing at a space shows; a code, 0 if it is legal.
 * snap: the nearest legal placement to a point, in hundredths of a space from the middle of a1; 1, or 0 if none is near.
 * turn_placed: turns by quarters (1, -1) or mirrors (0) the placement `step` (0: nothing is placed); the new turn, with the
 * new placement in the list, or 255 if it fits no other way.
 * apart: how far spaces (bits of a pyr_spaces) are from a turn, times 8, plus the nearest turn that looks like them.
 * paint: paints a space beside those painted on that card before (bits of a pyr_spaces); what is painted then. The one step
 * in the list is what it would mark, 0 if that is illegal.
 */
PYR_API uint32_t pyr_instance_covering(struct pyr_instance *instance, uint32_t seat, uint32_t turn, uint32_t single,
    uint32_t slot, uint32_t space);
PYR_API int32_t pyr_instance_cover(struct pyr_instance *instance, uint32_t seat, uint32_t turn, uint32_t single,
    uint32_t slot, uint32_t space);
PYR_API uint32_t pyr_instance_snap(struct pyr_instance *instance, uint32_t seat, uint32_t turn, uint32_t single,
    uint32_t slot, int32_t row, int32_t column);
PYR_API uint32_t pyr_instance_turn_placed(struct pyr_instance *instance, uint32_t seat, uint32_t turn, int32_t quarters,
    uint64_t step);
PYR_API uint32_t pyr_instance_apart(struct pyr_instance *instance, uint32_t seat, uint32_t turn, uint32_t spaces);
PYR_API uint32_t pyr_instance_paint(struct pyr_instance *instance, uint32_t seat, uint32_t turn, uint32_t single,
    uint32_t slot, uint32_t painted, uint32_t space);

/* Playing: game.h has what each does. A whole choice may be made from its text, with the fault if it is wrong. */
PYR_API int32_t pyr_instance_step(struct pyr_instance *instance, uint32_t seat, uint64_t step);
PYR_API int32_t pyr_instance_undo(struct pyr_instance *instance, uint32_t seat);
PYR_API int32_t pyr_instance_confirm(struct pyr_instance *instance, uint32_t seat);
PYR_API int32_t pyr_instance_retract(struct pyr_instance *instance, uint32_t seat);
PYR_API int32_t pyr_instance_choose(struct pyr_instance *instance, uint32_t seat, const char *text);

/* The choice of a bot (its place in pyr_bot_at) for a seat, as text; 0 if there is nothing to choose. The match is left as
 * it was, but for steps of that seat, which are taken back. nodes 0: the bot decides. Each step of the choice has random
 * numbers of its own (pyr_daily_rng). */
PYR_API size_t pyr_instance_bot_choice(struct pyr_instance *instance, uint32_t bot, uint32_t seat, uint64_t nodes,
    uint64_t seed, char *to, size_t size);

/*
 * The choices of a seat after that many lines, best first, as text, one line each, separated by tabs: choice,
 * points in hundredths, chance to win in ten thousandths, the margins of both, 1 if it is the usual one, 1 if it is `made`
 * (a choice as text; "" or NULL for none). `to` and `made` may overlap. Returns how many lines.
 */
PYR_API uint32_t pyr_instance_options(struct pyr_instance *instance, uint32_t lines, uint32_t seat, uint32_t playouts,
    uint64_t seed, const char *made, char *to, size_t size);

/*
 * Luck and skill of the whole match (luck.h), a task at a time: begin (1, or 0 without a match or memory), then next until
 * it is 0. The result of next is valid until the next call; the sums are complete at the end. Options of a decision as
 * text: the index-th best, or (beyond the last) the one that was made. The numbers are those of `pyramids analyze` for the
 * same record, cap (playouts) and seed.
 *
 * To show a first result soon, begin with PYR_LUCK_QUICK, then begin again with PYR_LUCK_CAP: marks that were certain stay
 * as they are and take no longer than before.
 */
enum pyr_instance_task { PYR_INSTANCE_DECISION = 1, PYR_INSTANCE_CHANCE = 2 };
PYR_API uint32_t pyr_instance_luck_begin(struct pyr_instance *instance, uint32_t playouts, uint64_t seed);
PYR_API uint32_t pyr_instance_luck_next(struct pyr_instance *instance);
PYR_API const struct pyr_luck_decision *pyr_instance_luck_decision(const struct pyr_instance *instance);
PYR_API const struct pyr_luck_chance *pyr_instance_luck_chance(const struct pyr_instance *instance);
PYR_API const struct pyr_luck_sum *pyr_instance_luck_sum(const struct pyr_instance *instance, uint32_t seat);
PYR_API size_t pyr_instance_luck_choice(const struct pyr_instance *instance, uint32_t index, char *to, size_t size);
PYR_API const char *pyr_instance_luck_level(const struct pyr_instance *instance, uint32_t seat);

/*
 * Puzzles (puzzle.h, puzzler.h; docs/puzzles.md has the JSON). The instance has one open puzzle, whose position becomes its
 * match, and one puzzler.
 *
 * open: number `number` of a pack, PYR_ERR_NO_SUCH_LINE if it is not there; or a mistake of your own. After an error there
 * is no match and no puzzle.
 * tell, hint, answer: as JSON; nothing (0) without a puzzle. answer judges a choice as text, `{"verdict":..., "change":...,
 * "puzzler":...}`; the first try counts for the puzzler. `day`: days since 1970 if it is the puzzle of that day, else 0. An
 * illegal choice gives 0, with the code and the fault. `to` and the choice may overlap.
 * pick: the number of the next puzzle in a pack with one of the themes (bits, 0: any), 0 if there is none; another one than
 * the open one if possible.
 */
PYR_API int32_t pyr_instance_puzzle_open(struct pyr_instance *instance, const char *pack, size_t size, uint32_t number);
PYR_API int32_t pyr_instance_mistake_open(struct pyr_instance *instance, const char *text, size_t size);
PYR_API size_t pyr_instance_puzzle_tell(const struct pyr_instance *instance, char *to, size_t size);
PYR_API size_t pyr_instance_puzzle_hint(struct pyr_instance *instance, char *to, size_t size);
PYR_API size_t pyr_instance_puzzle_answer(struct pyr_instance *instance, const char *choice, int32_t day, char *to,
    size_t size);
PYR_API int32_t pyr_instance_puzzle_code(const struct pyr_instance *instance);
PYR_API uint32_t pyr_instance_puzzle_pick(struct pyr_instance *instance, const char *pack, size_t size, uint32_t themes,
    uint32_t again);

/* The puzzler: from its text (1, or 0 and a new one), as text, as JSON. */
PYR_API uint32_t pyr_instance_puzzler_read(struct pyr_instance *instance, const char *text, size_t size);
PYR_API size_t pyr_instance_puzzler_write(struct pyr_instance *instance, char *to, size_t size);
PYR_API size_t pyr_instance_puzzler_tell(struct pyr_instance *instance, char *to, size_t size);

/* A decision of the match as a mistake (pyr_mistake_write), and one that was solved on a day: 0 if it is none, or if it
 * leaves the pile. */
PYR_API size_t pyr_instance_mistake_write(const struct pyr_instance *instance, uint32_t line, uint32_t seat,
    uint32_t playouts, const char *values, char *to, size_t size);
PYR_API size_t pyr_instance_mistake_solve(const char *text, size_t text_size, int32_t day, char *to, size_t size);

/* Whether the cards of a finished game follow from the numbers in its record: a code of fair.h, 0 is success. Then the
 * line at fault, and how many lines of chance were compared. */
PYR_API int32_t pyr_instance_verify(struct pyr_instance *instance, const char *text, size_t size);
PYR_API uint32_t pyr_instance_verify_line(const struct pyr_instance *instance);
PYR_API uint32_t pyr_instance_verify_compared(const struct pyr_instance *instance);

PYR_END_DECLS

#endif
