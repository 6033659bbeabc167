/*
 * world.h (world.c): what surrounds a server under test, all of it in one thread and decided by the test: the clock, random
 * numbers, the store's jobs and the bots. They take the place of clock.c, store.c, pool.c and names.c.
 */
#ifndef PYR_FUZZ_WORLD_H
#define PYR_FUZZ_WORLD_H

#include "object.h"
#include "server.h"
#include "store_engine.h"

/* Begins anew: an empty database, the same time and the same random numbers as ever. */
void world_begin(void);
void world_end(void);

/* Milliseconds pass. */
void world_wait(uint64_t ms);

/* Runs the next jobs of the store, at most so many; `fail`: they are refused as by a full disk. How many there were. */
unsigned world_store(unsigned most, bool fail);

/* Closing the store runs what is pending, unless it crashes: then that is lost. */
void world_crash(bool crash);

/* The bots choose, at random; other long work is given back undone. */
void world_think(void);

/* The database, between jobs. */
struct store_db *world_db(void);

#endif
