/*
 * port.h: what freestanding code needs from its host and C headers do not provide on bare wasm32.
 */
#ifndef PYR_PORT_H
#define PYR_PORT_H

#include <pyramids/base.h>

/* Short fills and copies of a known size become a few stores; as plain calls they would not, in freestanding code. */
#define fill(to, byte) __builtin_memset((to), (byte), sizeof(to))
#define copy(to, from, size) __builtin_memcpy((to), (from), (size))

/* For functions of headers that are seldom called: inline, they would only take registers from what is around them. */
#define OUT_OF_LINE static __attribute__((noinline, unused))

/* Compilers call these for copies and fills; wasm supplies them in src/wasm. */
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int byte, size_t size);

/* Checks of what our own code takes for granted; on in every build but release. */
#ifdef NDEBUG
#define PYR_ASSERT(claim) ((void)0)
#else
#define PYR_ASSERT(claim) ((claim) ? (void)0 : __builtin_trap())
#endif

#endif
