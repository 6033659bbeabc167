/*
 * world.h (world.c): the surroundings of a server under test, all in one thread and controlled by the test: the clock,
 * random numbers, the store's jobs and the bots. They replace clock.c, store.c, pool.c and names.c.
 */
#ifndef PYR_FUZZ_WORLD_H
#define PYR_FUZZ_WORLD_H

#include "object.h"
#include "server.h"
#include "store_engine.h"

/* Begins anew: an empty database, the same time and the same random numbers each time. */
void world_begin(void);
void world_end(void);

/* Milliseconds pass. */
void world_wait(uint64_t ms);

/* Runs at most `most` of the store's next jobs; with `fail` they are refused as by a full disk. Returns how many. */
unsigned world_store(unsigned most, bool fail);

/* Closing the store runs pending jobs; after a crash they are lost. */
void world_crash(bool crash);

/* The bots choose at random; other long work is returned undone. */
void world_think(void);

/* The database, between jobs. */
struct store_db *world_db(void);

#endif
