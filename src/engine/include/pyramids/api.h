/*
 * api.h: how a public header declares things, in C and in C++. Every other header includes it.
 *
 * Threads. The library has no writable globals and takes no locks. Two calls may run at the same time unless one of them
 * writes to an object that the other one uses: several threads may read one edition, box or state, and each thread may have
 * its own matches, generators and memory for bots. Exceptions are stated at the declaration.
 *
 * Ownership. The core (engine, lines, edition, record, match, session, bots) allocates nothing and keeps no pointer that it
 * gets, unless the declaration says so. All memory belongs to the caller. Structs are plain data and may be copied by
 * assignment.
 */
#ifndef PYR_API_H
#define PYR_API_H

#if defined(__GNUC__) && !defined(__wasm__)
#define PYR_API __attribute__((visibility("default")))
#else
#define PYR_API
#endif

#ifdef __cplusplus
#define PYR_BEGIN_DECLS extern "C" {
#define PYR_END_DECLS }
#define PYR_STATIC_ASSERT(condition, message) static_assert(condition, message)
#else
#define PYR_BEGIN_DECLS
#define PYR_END_DECLS
#define PYR_STATIC_ASSERT(condition, message) _Static_assert(condition, message)
#endif

/* Structs without a name inside a union are C11. C++ compilers accept them, too, but warn unless they are marked. */
#ifdef __GNUC__
#define PYR_UNNAMED __extension__
#else
#define PYR_UNNAMED
#endif

#endif
