/*
 * puzzles.c: puzzles of an instance under short names (instance.h), for the page. Packs, choices and texts of puzzlers and
 * mistakes are in the buffer; answers are JSON there.
 */
#include <pyramids/puzzler.h>

#include "../instance/inside.h"
#include "exports.h"

/* For a text that is made from another one in the buffer. */
static char second[1 << 16];

static size_t within(uint32_t size)
{
    return size < wasm_buffer_size() ? size : wasm_buffer_size();
}

/* Opens a puzzle of the pack, or the mistake, in the first `size` bytes of the buffer. */
EXPORT(puzzle_open) int32_t wasm_puzzle_open(uint32_t size, uint32_t number)
{
    return pyr_instance_puzzle_open(wasm_instance(), wasm_buffer(), within(size), number);
}
EXPORT(mistake_open) int32_t wasm_mistake_open(uint32_t size)
{
    return pyr_instance_mistake_open(wasm_instance(), wasm_buffer(), within(size));
}

/* The open puzzle, its next hint, and the verdict on the choice in the buffer; `day` is today if it is the puzzle of the
 * day, else 0. Returns the length of the JSON; 0: there is none, or the choice is not legal. */
EXPORT(puzzle_tell) uint32_t wasm_puzzle_tell(void)
{
    return (uint32_t)pyr_instance_puzzle_tell(wasm_instance(), wasm_buffer(), wasm_buffer_size());
}
EXPORT(puzzle_hint) uint32_t wasm_puzzle_hint(void)
{
    return (uint32_t)pyr_instance_puzzle_hint(wasm_instance(), wasm_buffer(), wasm_buffer_size());
}
EXPORT(puzzle_answer) uint32_t wasm_puzzle_answer(int32_t day)
{
    return (uint32_t)pyr_instance_puzzle_answer(wasm_instance(), wasm_buffer(), day, wasm_buffer(), wasm_buffer_size());
}
/* The next puzzle of the pack in the first `size` bytes; the puzzle of a day. */
EXPORT(puzzle_pick) uint32_t wasm_puzzle_pick(uint32_t size, uint32_t themes, uint32_t again)
{
    return pyr_instance_puzzle_pick(wasm_instance(), wasm_buffer(), within(size), themes, again);
}
EXPORT(puzzle_of_day) uint32_t wasm_puzzle_of_day(int32_t day, uint32_t count)
{
    return count ? pyr_puzzle_of_day(day, count) : 0;
}

/* The puzzler, as the text that is stored on the device, and as JSON. */
EXPORT(puzzler_read) uint32_t wasm_puzzler_read(uint32_t size)
{
    return pyr_instance_puzzler_read(wasm_instance(), wasm_buffer(), within(size));
}
EXPORT(puzzler_write) uint32_t wasm_puzzler_write(void)
{
    return (uint32_t)pyr_instance_puzzler_write(wasm_instance(), wasm_buffer(), wasm_buffer_size());
}
EXPORT(puzzler_tell) uint32_t wasm_puzzler_tell(void)
{
    return (uint32_t)pyr_instance_puzzler_tell(wasm_instance(), wasm_buffer(), wasm_buffer_size());
}

/* A mistake of the match, with its best choices in the buffer; a mistake that was solved. NULL: it is none, or it leaves
 * the pile. */
EXPORT(mistake_write) const char *wasm_mistake_write(uint32_t line, uint32_t seat, uint32_t playouts)
{
    return pyr_instance_mistake_write(wasm_instance(), line, seat, playouts, wasm_buffer(), second, sizeof second) ?
        second : NULL;
}
EXPORT(mistake_solve) const char *wasm_mistake_solve(uint32_t size, int32_t day)
{
    return pyr_instance_mistake_solve(wasm_buffer(), within(size), day, second, sizeof second) ? second : NULL;
}
