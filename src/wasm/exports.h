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

char *wasm_buffer(void);
uint32_t wasm_buffer_size(void);
int32_t wasm_edition_read(uint32_t size);
uint32_t wasm_fault_line(void);
uint32_t wasm_fault_column(void);
int32_t wasm_fault_number(uint32_t index);
const char *wasm_fault_word(void);
const char *wasm_fault_expected(void);
uint32_t wasm_edition_write(void);
const char *wasm_bot_name(uint32_t index);
uint64_t wasm_random_games(uint64_t seed, uint32_t players, uint32_t games, uint32_t playouts);
uint64_t wasm_bot_game(uint64_t seed, uint64_t nodes);
uint64_t wasm_steps(void);
uint64_t wasm_perft(uint64_t seed, uint32_t players, uint32_t played, uint32_t depth);

/* Memory for a bot, aligned to 16 bytes; NULL if there is none. It is never given back: a later call may return the same
 * block; libc.c has it for WebAssembly, the native program brings its own. */
void *host_room(size_t size);

#endif
