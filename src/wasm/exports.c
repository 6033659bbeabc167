/*
 * exports.c: everything that scripts can call in the WebAssembly module, and nothing else. Texts go in and out through one
 * buffer; a script looks into memory only where a function here points.
 *
 * The same file is compiled into tests/twin.c, where the names are ordinary functions.
 */
#include <pyramids/bots.h>
#include <pyramids/edition.h>

#include "exports.h"
#include "probe.h"

static char buffer[1 << 16];
static struct pyr_edition edition;
static struct pyr_fault fault;
static struct probe_result result;

/* The buffer for texts, and its size in bytes. */
EXPORT(buffer) char *wasm_buffer(void) { return buffer; }
EXPORT(buffer_size) uint32_t wasm_buffer_size(void) { return sizeof buffer; }

/* Reads the edition in the first `size` bytes of the buffer: PYR_OK or a code of err.h, with the fault below. The edition
 * serves all later calls; after a fault it is the one from before. */
EXPORT(edition_read) int32_t wasm_edition_read(uint32_t size)
{
    return pyr_edition_read(&edition, buffer, size < sizeof buffer ? size : sizeof buffer, &fault);
}

EXPORT(fault_line) uint32_t wasm_fault_line(void) { return fault.line; }
EXPORT(fault_column) uint32_t wasm_fault_column(void) { return fault.column; }
EXPORT(fault_number) int32_t wasm_fault_number(uint32_t index) { return index < 3 ? fault.number[index] : 0; }
EXPORT(fault_word) const char *wasm_fault_word(void) { return fault.word; }
EXPORT(fault_expected) const char *wasm_fault_expected(void) { return fault.expected; }

/* Writes the edition into the buffer, terminated; its length. */
EXPORT(edition_write) uint32_t wasm_edition_write(void)
{
    return (uint32_t)pyr_edition_write(&edition, buffer, sizeof buffer);
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
    result = probe_games(&edition.box, seed, players, games, playouts != 0);
    return result.hash;
}

EXPORT(bot_game) uint64_t wasm_bot_game(uint64_t seed, uint64_t nodes)
{
    result = probe_bots(&edition.box, seed, buffer, nodes, host_room);
    return result.hash;
}

EXPORT(steps) uint64_t wasm_steps(void) { return result.steps; }

/* How many sequences of `depth` steps there are from the position after `played` random steps of a game. */
EXPORT(perft) uint64_t wasm_perft(uint64_t seed, uint32_t players, uint32_t played, uint32_t depth)
{
    return probe_perft(&edition.box, seed, players, played, depth);
}
