/*
 * bench_env.c: how fast an environment steps (env.h), and the processor's count of instructions.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <pyramids/env.h>

#include "bench.h"
#include "cli.h"

/* Instructions. */

/* Needs permission (perf_event_paranoid); without it, or on other systems, fd is -1 and no instructions are reported. */
void bench_counter_open(struct bench_counter *counter)
{
    counter->fd = -1;
#ifdef __linux__
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.type = PERF_TYPE_HARDWARE;
    attr.size = sizeof attr;
    attr.config = PERF_COUNT_HW_INSTRUCTIONS;
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    counter->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
#endif
}

/* 0 if it cannot be read. The counter runs from bench_counter_open on; the kernel's instructions are not counted. */
uint64_t bench_counter_read(const struct bench_counter *counter)
{
    uint64_t count = 0;
#ifdef __linux__
    if (counter->fd >= 0 && read(counter->fd, &count, sizeof count) != sizeof count)
        count = 0;
#else
    (void)counter;
#endif
    return count;
}

void bench_counter_close(struct bench_counter *counter)
{
#ifdef __linux__
    if (counter->fd >= 0)
        close(counter->fd);
#endif
    counter->fd = -1;
}

/* Processor time, so that the result does not depend on other programs. */
double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Environments. */

/* The arrays of `width` games, as a training program would have them. */
struct bench {
    struct pyr_env env;
    struct pyr_env_game *game;
    uint64_t *seed;
    int32_t *action, *score;
    uint8_t *observation, *mask, *turn, *done;
    float *reward;
    struct pyr_env_arrays arrays;
};

static bool allocate(struct bench *b, unsigned width, unsigned seats)
{
    b->game = calloc(width, sizeof *b->game);
    b->seed = calloc(width, sizeof *b->seed);
    b->action = calloc(width, sizeof *b->action);
    b->score = calloc((size_t)width * seats, sizeof *b->score);
    b->reward = calloc((size_t)width * seats, sizeof *b->reward);
    b->observation = calloc(width, PYR_ENV_OBSERVATION);
    b->mask = calloc(width, PYR_ENV_ACTIONS);
    b->turn = calloc(width, 1);
    b->done = calloc(width, 1);
    b->arrays = (struct pyr_env_arrays){
        .action = b->action, .action_size = width * sizeof *b->action, .observation = b->observation,
        .observation_size = (size_t)width * PYR_ENV_OBSERVATION, .mask = b->mask,
        .mask_size = (size_t)width * PYR_ENV_ACTIONS, .turn = b->turn, .turn_size = width, .reward = b->reward,
        .reward_size = (size_t)width * seats * sizeof *b->reward, .done = b->done, .done_size = width, .score = b->score,
        .score_size = (size_t)width * seats * sizeof *b->score,
    };
    return b->game && b->seed && b->action && b->score && b->reward && b->observation && b->mask && b->turn && b->done;
}

static void release(struct bench *b)
{
    free(b->game);
    free(b->seed);
    free(b->action);
    free(b->score);
    free(b->reward);
    free(b->observation);
    free(b->mask);
    free(b->turn);
    free(b->done);
}

/* Only the step itself is timed, not the choice of actions. */
static void run(struct bench *b, unsigned width, unsigned seats, uint64_t games, struct pyr_rng *rng,
    struct bench_result *result)
{
    struct bench_counter counter;
    uint64_t counted = 0;
    bench_counter_open(&counter);
    pyr_env_reset(&b->env, b->game, width, b->seed, &b->arrays);
    while (result->games < games && !cli_is_interrupted()) {
        for (unsigned i = 0; i < width; i++)
            b->action[i] = pyr_env_pick(b->mask + (size_t)i * PYR_ENV_ACTIONS, rng);
        uint64_t before = bench_counter_read(&counter);
        double start = bench_seconds();
        pyr_env_step(&b->env, b->game, width, &b->arrays, NULL);
        result->seconds += bench_seconds() - start;
        counted += bench_counter_read(&counter) - before;
        result->steps += width;
        for (unsigned i = 0; i < width; i++) {
            result->games += b->done[i];
            result->points += b->done[i] ? b->score[i * seats] : 0;
        }
    }
    result->instructions = counter.fd < 0 ? -1 : (double)counted;
    bench_counter_close(&counter);
}

/* Games that end are dealt again automatically, so all `width` of them are always running; more than `games` may be
 * finished at the end. */
bool bench_env(const struct pyr_box *box, unsigned players, uint64_t games, uint64_t seed, unsigned width,
    struct bench_result *result)
{
    struct bench bench;
    struct pyr_rng rng;
    const struct pyr_env_options options = { .seats = (uint8_t)players };
    memset(&bench, 0, sizeof bench);
    memset(result, 0, sizeof *result);
    bool is_ready = allocate(&bench, width, players) && pyr_env_init(&bench.env, box, &options) == PYR_OK;
    if (is_ready) {
        pyr_rng_seed(&rng, seed, 1);
        for (unsigned i = 0; i < width; i++)
            bench.seed[i] = seed + i;
        run(&bench, width, players, games, &rng, result);
    }
    release(&bench);
    return is_ready;
}
