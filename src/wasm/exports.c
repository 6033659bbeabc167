/*
 * exports.c, table.c, thought.c, verify.c: everything that scripts can call in the WebAssembly module, and nothing else. Texts go in and out
 * through one buffer; a script looks into memory only where a function here points. Here are editions, bots by name and whole games as numbers,
 * in table.c a match, in thought.c what bots and the analysis think of it, in verify.c the check of a
 * shuffle.
 *
 * The same files are compiled into tests/twin.c, where the names are ordinary functions.
 */
#include <pyramids/bots.h>
#include <pyramids/edition.h>

#include "exports.h"
#include "inside.h"
#include "probe.h"

static char buffer[1 << 16];
struct pyr_edition wasm_edition;
struct pyr_fault wasm_fault;
static struct probe_result result;

/* The buffer for texts, and its size in bytes. */
EXPORT(buffer) char *wasm_buffer(void) { return buffer; }
EXPORT(buffer_size) uint32_t wasm_buffer_size(void) { return sizeof buffer; }

/* Reads the edition in the first `size` bytes of the buffer: PYR_OK or a code of err.h, with the fault below. The edition
 * serves all later calls; after a fault it is the one from before. */
EXPORT(edition_read) int32_t wasm_edition_read(uint32_t size)
{
    wasm_forget_tables();
    return pyr_edition_read(&wasm_edition, buffer, size < sizeof buffer ? size : sizeof buffer, &wasm_fault);
}

EXPORT(fault_line) uint32_t wasm_fault_line(void) { return wasm_fault.line; }
EXPORT(fault_column) uint32_t wasm_fault_column(void) { return wasm_fault.column; }
EXPORT(fault_number) int32_t wasm_fault_number(uint32_t index) { return index < 3 ? wasm_fault.number[index] : 0; }
EXPORT(fault_word) const char *wasm_fault_word(void) { return wasm_fault.word; }
EXPORT(fault_expected) const char *wasm_fault_expected(void) { return wasm_fault.expected; }

/* Writes the edition into the buffer, terminated; its length. */
EXPORT(edition_write) uint32_t wasm_edition_write(void)
{
    return (uint32_t)pyr_edition_write(&wasm_edition, buffer, sizeof buffer);
}

/* The bots there are, by index; NULL beyond the last. */
EXPORT(bot_name) const char *wasm_bot_name(uint32_t index)
{
    const struct pyr_bot *bot = pyr_bot_at(index);
    return bot ? bot->name : NULL;
}

/* Random games, a step at a time or as playouts, and games between bots whose names stand in the buffer, one a seat with a
 * space between: a hash of all that happened (probe.h), and the steps made. 0: no edition, or no such bot or seats. */
EXPORT(random_games) uint64_t wasm_random_games(uint64_t seed, uint32_t players, uint32_t games, uint32_t playouts)
{
    result = probe_games(&wasm_edition.box, seed, players, games, playouts != 0);
    return result.hash;
}

EXPORT(bot_game) uint64_t wasm_bot_game(uint64_t seed, uint64_t nodes)
{
    wasm_forget_tables();                    /* they share the room */
    result = probe_bots(&wasm_edition.box, seed, buffer, nodes, host_room);
    return result.hash;
}

EXPORT(steps) uint64_t wasm_steps(void) { return result.steps; }

/* How many sequences of `depth` steps there are from the position after `played` random steps of a game. */
EXPORT(perft) uint64_t wasm_perft(uint64_t seed, uint32_t players, uint32_t played, uint32_t depth)
{
    return probe_perft(&wasm_edition.box, seed, players, played, depth);
}
