/* bench.h: what `pyramids bench` measures besides single random games (bench.c). */
#ifndef PYR_CLI_BENCH_H
#define PYR_CLI_BENCH_H

#include <stdint.h>

#include <pyramids/box.h>

/* A measurement: what was done, and how long it took. */
struct bench_result {
    uint64_t games, steps;
    int64_t points;              /* final scores of seat 1, summed up */
    double seconds;
    double instructions;         /* executed; below 0 if they could not be counted */
};

/* A counter of the instructions of this thread; it counts nothing on systems that offer no such counter (bench_env.c). */
struct bench_counter {
    int fd;                      /* -1: none */
};

void bench_counter_open(struct bench_counter *counter);
uint64_t bench_counter_read(const struct bench_counter *counter);
void bench_counter_close(struct bench_counter *counter);

/* Seconds of processor time of this thread. */
double bench_seconds(void);

/* Steps `width` games of an environment until `games` have ended, with random legal actions. Only the time in pyr_env_step
 * counts. False without memory. */
bool bench_env(const struct pyr_box *box, unsigned players, uint64_t games, uint64_t seed, unsigned width,
    struct bench_result *result);

#endif
