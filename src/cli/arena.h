/*
 * arena.h (arena.c): games between bots, built in or outside, on any number of threads. Every game has its own random
 * numbers, made from the seed and the game's number, so results do not depend on the number of threads or their
 * timing.
 */
#ifndef PYR_CLI_ARENA_H
#define PYR_CLI_ARENA_H

#include <pyramids/bots.h>
#include <pyramids/match.h>

#define ARENA_MOST_NAME 256

/* A bot as named on the command line. */
struct arena_entry {
    char name[ARENA_MOST_NAME];
    const struct pyr_bot *bot;   /* NULL: an outside program, whose command is the name */
};

struct arena {
    const struct pyr_edition *edition;
    struct arena_entry entry[PYR_MAX_SEATS];
    unsigned players;
    uint64_t seed;
    bool duplicate;              /* each shuffle is played by every seating */
    const char *records;         /* a folder, or NULL */
    double seconds;              /* how long an outside bot may think about a choice */
    struct pyr_budget budget;    /* of the built-in ones */
    /* Called after each game, by one thread at a time, with the number of games finished by this call of arena_play. May be
     * NULL. */
    void (*progress)(void *context, uint64_t finished);
    void *context;
};

/* The result of one game for an entry. */
struct arena_result {
    float share;                 /* of the win */
    int16_t points;
    uint8_t pyramids;
    uint32_t moves;
    uint32_t faults;             /* choices that an outside bot missed, and that were made at random */
    uint32_t ends;               /* how often the program ended by itself, */
    int status;                  /* and its last exit status, as waitpid returns it */
    double seconds;              /* time spent thinking */
    bool finished;               /* the game was played to its end; the same for all entries */
};

/* Reads a list such as greedy,./mybot and repeats it until every seat has a bot. On an error prints a message and returns
 * an exit code. */
int arena_find_bots(struct arena *arena, const char *list);

struct arena_pool;

/* Bots with their memory, for a number of threads. NULL (after an error message) without memory. */
struct arena_pool *arena_pool_create(const struct arena *arena, unsigned threads);
void arena_pool_destroy(struct arena_pool *pool);

/* Plays the games first to first + count - 1; result[i * players + e] is the result of game first + i for entry e. False
 * (after an error message) if one failed or a record could not be written; stops early when interrupted: then some games are
 * not `finished`. */
bool arena_play(struct arena_pool *pool, uint64_t first, uint64_t count, struct arena_result *result);

#endif
