/*
 * exports.c: everything that scripts can call in the WebAssembly module, and nothing else: one instance (instance.h) under
 * short names. Texts go in and out through one buffer; a script looks into memory only where a function here points, at the
 * offsets of codes.c. A script that wants several matches makes several instances of the module.
 *
 * The same file is compiled into tests/twin.c, where the names are ordinary functions.
 */
#include <pyramids/bots.h>

#include "../instance/inside.h"
#include "exports.h"

/* One buffer is enough: a script has one thread, and no call needs it after it has returned. */
static char buffer[1 << 17];
static struct pyr_instance one;

static void *room(void *context, size_t size)
{
    (void)context;
    return host_room(size);
}

/* Made at the first call, since a module has no constructor. */
struct pyr_instance *wasm_instance(void)
{
    if (!one.room)
        pyr_instance_init(&one, room, NULL);
    return &one;
}

/* Scripts may pass any size: nothing beyond the buffer is read. */
static size_t within(uint32_t size)
{
    return size < sizeof buffer ? size : sizeof buffer;
}

/* The buffer for texts, and its size in bytes. */
EXPORT(buffer) char *wasm_buffer(void) { return buffer; }
EXPORT(buffer_size) uint32_t wasm_buffer_size(void) { return sizeof buffer; }

/* Reads the edition in the first `size` bytes of the buffer; writes it there. */
EXPORT(edition_read) int32_t wasm_edition_read(uint32_t size) { return pyr_instance_read_edition(wasm_instance(), buffer,
    within(size)); }
EXPORT(edition_write) uint32_t wasm_edition_write(void)
{
    return (uint32_t)pyr_instance_write_edition(wasm_instance(), buffer, sizeof buffer);
}

/* The edition as sheets to print (paper.h): their words are in the first `size` bytes of the buffer, and are replaced by
 * the sheet; the same for pictures and their copies. */
EXPORT(sheets) uint32_t wasm_sheets(uint32_t parts) { return pyr_instance_sheets(parts); }
EXPORT(sheet) uint32_t wasm_sheet(uint32_t sheet, uint32_t paper, uint32_t parts, uint32_t is_coloured)
{
    char words[4096];
    __builtin_memcpy(words, buffer, sizeof words);
    words[sizeof words - 1] = '\0';
    return (uint32_t)pyr_instance_sheet(wasm_instance(), sheet, paper, parts, is_coloured, words, buffer, sizeof buffer);
}
EXPORT(sprite) uint32_t wasm_sprite(uint32_t size, uint32_t is_coloured)
{
    static char svg[sizeof buffer / 2];
    const size_t length = size < sizeof svg ? size : sizeof svg;
    __builtin_memcpy(svg, buffer, length);
    return (uint32_t)pyr_paper_sprite(svg, length, is_coloured, buffer, sizeof buffer);
}

EXPORT(fault_line) uint32_t wasm_fault_line(void) { return pyr_instance_fault_line(wasm_instance()); }
EXPORT(fault_column) uint32_t wasm_fault_column(void) { return pyr_instance_fault_column(wasm_instance()); }
EXPORT(fault_number) int32_t wasm_fault_number(uint32_t index) { return pyr_instance_fault_number(wasm_instance(), index); }
EXPORT(fault_word) const char *wasm_fault_word(void) { return pyr_instance_fault_word(wasm_instance()); }
EXPORT(fault_expected) const char *wasm_fault_expected(void) { return pyr_instance_fault_expected(wasm_instance()); }

/* The bots by index; NULL beyond the last. */
EXPORT(bot_name) const char *wasm_bot_name(uint32_t index)
{
    const struct pyr_bot *bot = pyr_bot_at(index);
    return bot ? bot->name : NULL;
}

/* A match. Its names are in the buffer, one per line; a record is in the first `size` bytes of it. */
EXPORT(match_start) int32_t wasm_match_start(uint32_t seats, uint64_t seed)
{
    return pyr_instance_start(wasm_instance(), seats, buffer, seed);
}
EXPORT(match_load) int32_t wasm_match_load(uint32_t size, uint32_t viewer)
{
    return pyr_instance_load(wasm_instance(), buffer, within(size), viewer);
}

EXPORT(match_shuffle) void wasm_match_shuffle(uint64_t seed) { pyr_instance_shuffle(wasm_instance(), seed); }
EXPORT(match_seats) uint32_t wasm_match_seats(void) { return pyr_instance_seats(wasm_instance()); }
EXPORT(match_is_over) uint32_t wasm_match_is_over(void) { return pyr_instance_is_over(wasm_instance()); }
EXPORT(match_waiting) uint32_t wasm_match_waiting(void) { return pyr_instance_waiting(wasm_instance()); }
EXPORT(match_log) const char *wasm_match_log(void) { return pyr_instance_log(wasm_instance()); }
EXPORT(match_lines) uint32_t wasm_match_lines(void) { return pyr_instance_lines(wasm_instance()); }
EXPORT(match_line_is_visible) uint32_t wasm_match_line_is_visible(uint32_t line, uint32_t seat)
{
    return pyr_instance_line_is_visible(wasm_instance(), line, seat);
}

/* Adds a tag: name, newline and value are in the buffer. */
EXPORT(match_tag) int32_t wasm_match_tag(void)
{
    char *value = buffer;
    while (*value && *value != '\n')
        value++;
    if (*value)
        *value++ = '\0';
    return pyr_instance_tag(wasm_instance(), buffer, value);
}

/* A line of a record in the buffer is replaced by its sentences. */
EXPORT(story) uint32_t wasm_story(uint32_t size)
{
    return (uint32_t)pyr_instance_story(wasm_instance(), buffer, within(size), buffer, sizeof buffer);
}

EXPORT(match_view) const struct pyr_view *wasm_match_view(uint32_t seat) { return pyr_instance_view(wasm_instance(), seat); }
EXPORT(match_view_at) const struct pyr_view *wasm_match_view_at(uint32_t lines, uint32_t seat)
{
    return pyr_instance_view_at(wasm_instance(), lines, seat);
}

EXPORT(view_score) const struct pyr_score *wasm_view_score(uint32_t seat, uint32_t mine)
{
    return pyr_instance_view_score(wasm_instance(), seat, mine);
}

EXPORT(view_winners) uint32_t wasm_view_winners(void) { return pyr_instance_view_winners(wasm_instance()); }
EXPORT(match_steps) uint32_t wasm_match_steps(uint32_t seat) { return pyr_instance_steps(wasm_instance(), seat); }
EXPORT(step_list) const uint64_t *wasm_step_list(void) { return pyr_instance_step_list(wasm_instance()); }
EXPORT(match_made) uint32_t wasm_match_made(uint32_t seat) { return pyr_instance_made(wasm_instance(), seat); }
EXPORT(match_made_at) uint64_t wasm_match_made_at(uint32_t seat, uint32_t index)
{
    return pyr_instance_made_at(wasm_instance(), seat, index);
}
EXPORT(match_is_confirmed) uint32_t wasm_match_is_confirmed(uint32_t seat)
{
    return pyr_instance_is_confirmed(wasm_instance(), seat);
}
EXPORT(match_is_ready) uint32_t wasm_match_is_ready(uint32_t seat) { return pyr_instance_is_ready(wasm_instance(), seat); }
EXPORT(match_judge) int32_t wasm_match_judge(uint32_t seat, uint64_t step)
{
    return pyr_instance_check(wasm_instance(), seat, step);
}
EXPORT(match_preview) int32_t wasm_match_preview(uint32_t seat, uint64_t step)
{
    return pyr_instance_preview(wasm_instance(), seat, step);
}
EXPORT(preview_desk) const struct pyr_desk *wasm_preview_desk(void) { return pyr_instance_preview_desk(wasm_instance()); }
EXPORT(preview_score) const struct pyr_score *wasm_preview_score(void)
{
    return pyr_instance_preview_score(wasm_instance());
}

/* A pattern in hand. */
EXPORT(aim_covering) uint32_t wasm_aim_covering(uint32_t seat, uint32_t turn, uint32_t single, uint32_t slot, uint32_t space)
{
    return pyr_instance_covering(wasm_instance(), seat, turn, single, slot, space);
}

EXPORT(aim_cover) int32_t wasm_aim_cover(uint32_t seat, uint32_t turn, uint32_t single, uint32_t slot, uint32_t space)
{
    return pyr_instance_cover(wasm_instance(), seat, turn, single, slot, space);
}

EXPORT(aim_snap) uint32_t wasm_aim_snap(uint32_t seat, uint32_t turn, uint32_t single, uint32_t slot, int32_t row,
    int32_t column)
{
    return pyr_instance_snap(wasm_instance(), seat, turn, single, slot, row, column);
}

EXPORT(aim_turn) uint32_t wasm_aim_turn(uint32_t seat, uint32_t turn, int32_t quarters, uint64_t step)
{
    return pyr_instance_turn_placed(wasm_instance(), seat, turn, quarters, step);
}

EXPORT(aim_apart) uint32_t wasm_aim_apart(uint32_t seat, uint32_t turn, uint32_t spaces)
{
    return pyr_instance_apart(wasm_instance(), seat, turn, spaces);
}

EXPORT(aim_paint) uint32_t wasm_aim_paint(uint32_t seat, uint32_t turn, uint32_t single, uint32_t slot, uint32_t painted,
    uint32_t space)
{
    return pyr_instance_paint(wasm_instance(), seat, turn, single, slot, painted, space);
}

EXPORT(match_step) int32_t wasm_match_step(uint32_t seat, uint64_t step)
{
    return pyr_instance_step(wasm_instance(), seat, step);
}
EXPORT(match_undo) int32_t wasm_match_undo(uint32_t seat) { return pyr_instance_undo(wasm_instance(), seat); }
EXPORT(match_confirm) int32_t wasm_match_confirm(uint32_t seat) { return pyr_instance_confirm(wasm_instance(), seat); }
EXPORT(match_retract) int32_t wasm_match_retract(uint32_t seat) { return pyr_instance_retract(wasm_instance(), seat); }

/* A whole choice as text, from the buffer and into it. */
EXPORT(match_choose) int32_t wasm_match_choose(uint32_t seat) { return pyr_instance_choose(wasm_instance(), seat, buffer); }
EXPORT(match_choice) uint32_t wasm_match_choice(uint32_t seat)
{
    return (uint32_t)pyr_instance_choice(wasm_instance(), seat, buffer, sizeof buffer);
}

EXPORT(bot_choice) uint32_t wasm_bot_choice(uint32_t index, uint32_t seat, uint64_t nodes, uint64_t seed)
{
    return (uint32_t)pyr_instance_bot_choice(wasm_instance(), index, seat, nodes, seed, buffer, sizeof buffer);
}

/* The options of a seat are written to the buffer, which may contain the choice that was made. */
EXPORT(options) uint32_t wasm_options(uint32_t lines, uint32_t seat, uint32_t playouts, uint64_t seed)
{
    return pyr_instance_options(wasm_instance(), lines, seat, playouts, seed, buffer, buffer, sizeof buffer);
}

/* Luck and skill, one task per call. */
EXPORT(luck_begin) uint32_t wasm_luck_begin(uint32_t playouts, uint64_t seed)
{
    return pyr_instance_luck_begin(wasm_instance(), playouts, seed);
}
EXPORT(luck_next) uint32_t wasm_luck_next(void) { return pyr_instance_luck_next(wasm_instance()); }
EXPORT(luck_decision) const struct pyr_luck_decision *wasm_luck_decision(void)
{
    return pyr_instance_luck_decision(wasm_instance());
}
EXPORT(luck_chance) const struct pyr_luck_chance *wasm_luck_chance(void)
{
    return pyr_instance_luck_chance(wasm_instance());
}
EXPORT(luck_sum) const struct pyr_luck_sum *wasm_luck_sum(uint32_t seat)
{
    return pyr_instance_luck_sum(wasm_instance(), seat);
}
EXPORT(luck_level) const char *wasm_luck_level(uint32_t seat) { return pyr_instance_luck_level(wasm_instance(), seat); }
EXPORT(luck_choice) uint32_t wasm_luck_choice(uint32_t index)
{
    return (uint32_t)pyr_instance_luck_choice(wasm_instance(), index, buffer, sizeof buffer);
}

/* Whether the cards of the finished game in the first `size` bytes of the buffer were shuffled fairly. */
EXPORT(record_verify) int32_t wasm_record_verify(uint32_t size)
{
    return pyr_instance_verify(wasm_instance(), buffer, within(size));
}
EXPORT(verify_line) uint32_t wasm_verify_line(void) { return pyr_instance_verify_line(wasm_instance()); }
EXPORT(verify_compared) uint32_t wasm_verify_compared(void) { return pyr_instance_verify_compared(wasm_instance()); }
