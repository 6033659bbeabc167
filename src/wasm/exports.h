/*
 * exports.h: how a function becomes an export, and the same functions for a native program.
 */
#ifndef PYR_WASM_EXPORTS_H
#define PYR_WASM_EXPORTS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __wasm__
#define EXPORT(name) __attribute__((export_name(#name)))
#else
#define EXPORT(name)
#endif

struct pyr_desk;
struct pyr_instance;
struct pyr_luck_chance;
struct pyr_luck_decision;
struct pyr_luck_sum;
struct pyr_score;
struct pyr_view;

/* The edition, bots and whole games. */
char *wasm_buffer(void);
uint32_t wasm_buffer_size(void);
int32_t wasm_edition_read(uint32_t size);
uint32_t wasm_sheets(uint32_t parts);
uint32_t wasm_sheet(uint32_t sheet, uint32_t paper, uint32_t parts, uint32_t is_coloured);
uint32_t wasm_sprite(uint32_t size, uint32_t is_coloured);
uint32_t wasm_fault_line(void);
uint32_t wasm_fault_column(void);
int32_t wasm_fault_number(uint32_t index);
const char *wasm_fault_word(void);
const char *wasm_fault_expected(void);
uint32_t wasm_edition_write(void);
const char *wasm_bot_name(uint32_t index);

/* probe.c: whole games, for tests and benchmarks. */
uint64_t wasm_random_games(uint64_t seed, uint32_t players, uint32_t games, uint32_t playouts);
uint64_t wasm_bot_game(uint64_t seed, uint64_t nodes);
uint64_t wasm_steps(void);
uint64_t wasm_perft(uint64_t seed, uint32_t players, uint32_t played, uint32_t depth);

/* The match. */
int32_t wasm_match_start(uint32_t seats, uint64_t seed);
int32_t wasm_match_load(uint32_t size, uint32_t viewer);
void wasm_match_shuffle(uint64_t seed);
uint32_t wasm_match_seats(void);
uint32_t wasm_match_is_over(void);
uint32_t wasm_match_waiting(void);
const char *wasm_match_log(void);
uint32_t wasm_match_lines(void);
uint32_t wasm_match_line_is_visible(uint32_t line, uint32_t seat);
int32_t wasm_match_tag(void);
uint32_t wasm_story(uint32_t size);
const struct pyr_view *wasm_match_view(uint32_t seat);
const struct pyr_view *wasm_match_view_at(uint32_t lines, uint32_t seat);
const struct pyr_score *wasm_view_score(uint32_t seat, uint32_t mine);
uint32_t wasm_view_winners(void);
uint32_t wasm_match_steps(uint32_t seat);
const uint64_t *wasm_step_list(void);
uint32_t wasm_match_made(uint32_t seat);
uint64_t wasm_match_made_at(uint32_t seat, uint32_t index);
uint32_t wasm_match_is_confirmed(uint32_t seat);
uint32_t wasm_match_is_ready(uint32_t seat);
int32_t wasm_match_judge(uint32_t seat, uint64_t step);
int32_t wasm_match_preview(uint32_t seat, uint64_t step);
const struct pyr_desk *wasm_preview_desk(void);
const struct pyr_score *wasm_preview_score(void);
uint32_t wasm_aim_covering(uint32_t seat, uint32_t turn, uint32_t single, uint32_t slot, uint32_t space);
int32_t wasm_aim_cover(uint32_t seat, uint32_t turn, uint32_t single, uint32_t slot, uint32_t space);
uint32_t wasm_aim_snap(uint32_t seat, uint32_t turn, uint32_t single, uint32_t slot, int32_t row, int32_t column);
uint32_t wasm_aim_turn(uint32_t seat, uint32_t turn, int32_t quarters, uint64_t step);
uint32_t wasm_aim_apart(uint32_t seat, uint32_t turn, uint32_t spaces);
uint32_t wasm_aim_paint(uint32_t seat, uint32_t turn, uint32_t single, uint32_t slot, uint32_t painted, uint32_t space);
int32_t wasm_match_step(uint32_t seat, uint64_t step);
int32_t wasm_match_undo(uint32_t seat);
int32_t wasm_match_confirm(uint32_t seat);
int32_t wasm_match_retract(uint32_t seat);
int32_t wasm_match_choose(uint32_t seat);
uint32_t wasm_match_choice(uint32_t seat);

/* Choices and evaluations of bots and of the analysis. */
uint32_t wasm_bot_choice(uint32_t index, uint32_t seat, uint64_t nodes, uint64_t seed);
uint32_t wasm_options(uint32_t lines, uint32_t seat, uint32_t playouts, uint64_t seed);
uint32_t wasm_luck_begin(uint32_t playouts, uint64_t seed);
uint32_t wasm_luck_next(void);
const struct pyr_luck_decision *wasm_luck_decision(void);
const struct pyr_luck_chance *wasm_luck_chance(void);
const struct pyr_luck_sum *wasm_luck_sum(uint32_t seat);
uint32_t wasm_luck_choice(uint32_t index);
const char *wasm_luck_level(uint32_t seat);

/* The instance, made at the first use; not for scripts. */
struct pyr_instance *wasm_instance(void);

/* session.c. Bits of remote_flags; unsent: a choice is waiting for the connection; reacts: a symbol can be sent. */
enum wasm_remote_flag { WASM_ELSEWHERE = 1, WASM_RESTARTING = 2, WASM_SLOW = 4, WASM_UNSENT = 8, WASM_REACTS = 16 };
uint8_t *wasm_random(void);
uint32_t wasm_random_size(void);
uint32_t wasm_remote_begin(void);
uint32_t wasm_remote_restore(uint32_t size);
uint32_t wasm_remote_save(void);
void wasm_remote_set_edition(double now);
int32_t wasm_remote_set_record(uint32_t size);
void wasm_remote_connected(double now);
void wasm_remote_lost(double now, uint32_t spread);
void wasm_remote_receive(uint32_t size, double now);
uint32_t wasm_remote_wish(double now);
double wasm_remote_wake_at(void);
const char *wasm_remote_next(double now);
uint32_t wasm_remote_event(void);
int32_t wasm_event_number(void);
const char *wasm_event_code(void);
const char *wasm_event_reason(void);
void wasm_remote_look(uint32_t is_looked_at);
void wasm_remote_open_here(void);
uint32_t wasm_remote_confirm(double now);
uint32_t wasm_remote_retract(double now);
uint32_t wasm_remote_take(uint64_t step, double now);
uint32_t wasm_remote_leave(double now);
uint32_t wasm_remote_return(double now);
uint32_t wasm_remote_close(double now);
uint32_t wasm_remote_react(uint32_t symbol, double now);
void wasm_remote_mute(uint32_t seat, uint32_t is_muted);
uint32_t wasm_remote_muted(void);
uint32_t wasm_remote_standin(uint32_t seat, double now);
uint32_t wasm_remote_fill(uint32_t seat, double now);
uint32_t wasm_remote_sit(uint32_t seat, double now);
uint32_t wasm_remote_ready(void);
double wasm_remote_deadline(void);
double wasm_remote_lost_at(void);
const char *wasm_remote_number(void);
const char *wasm_remote_notice(void);
double wasm_remote_restart_at(void);
const char *wasm_remote_commitment(void);
double wasm_remote_gone(uint32_t seat, double now);
uint32_t wasm_remote_flags(void);
int32_t wasm_local_begin(uint32_t seats, uint64_t seed);
int32_t wasm_local_daily(uint32_t is_practice);
int32_t wasm_local_load(uint32_t size, uint64_t seed);
uint32_t wasm_local_save(void);
const char *wasm_local_level(uint32_t seat);
uint32_t wasm_local_me(void);
uint32_t wasm_local_is_covered(void);
uint32_t wasm_local_next_person(void);
void wasm_local_uncover(void);
int32_t wasm_local_confirm(void);
int32_t wasm_local_take(uint64_t step);
int32_t wasm_local_retract(void);
uint32_t wasm_local_due(void);
uint64_t wasm_local_due_seed(void);
uint32_t wasm_local_answer(uint32_t seat, uint32_t lines);

/* puzzles.c. */
int32_t wasm_puzzle_open(uint32_t size, uint32_t number);
int32_t wasm_mistake_open(uint32_t size);
uint32_t wasm_puzzle_tell(void);
uint32_t wasm_puzzle_hint(void);
uint32_t wasm_puzzle_answer(int32_t day);
uint32_t wasm_puzzle_pick(uint32_t size, uint32_t themes, uint32_t again);
uint32_t wasm_puzzle_of_day(int32_t day, uint32_t count);
uint32_t wasm_puzzler_read(uint32_t size);
uint32_t wasm_puzzler_write(void);
uint32_t wasm_puzzler_tell(void);
const char *wasm_mistake_write(uint32_t line, uint32_t seat, uint32_t playouts);
const char *wasm_mistake_solve(uint32_t size, int32_t day);

/* The fair shuffle. */
int32_t wasm_record_verify(uint32_t size);
uint32_t wasm_verify_line(void);
uint32_t wasm_verify_compared(void);

/* Memory for a bot, aligned to 16 bytes; NULL if there is none. It is never given back: a later call may return the same
 * block; libc.c has it for WebAssembly, the native program has its own. */
void *host_room(size_t size);

/* Solo expeditions. */
uint32_t wasm_solo_count(void);
uint32_t wasm_solo_seed(uint32_t index);
uint32_t wasm_solo_target(uint32_t index, uint32_t medal);
uint32_t wasm_solo_medal(uint32_t index, int32_t points);

#endif
