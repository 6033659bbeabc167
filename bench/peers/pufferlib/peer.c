/*
 * peer.c: steps 1,024 copies of an environment of PufferLib (ocean, written in C) with random legal actions, as
 * `pyramids bench --env` does with ours, and prints how many and the processor time of the steps alone. `run` compiles it
 * with GAME set to one of the numbers below, and with what the game's header has before it draws.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CONNECT4 1
#define PONG 2
#define TRIPLETRIAD 3

#include "game.h"

enum { WIDTH = 1024 };

static uint32_t drawn = 1;

/* xorshift: cheap compared with a step, and not counted. */
static unsigned below(unsigned n)
{
    drawn ^= drawn << 13;
    drawn ^= drawn >> 17;
    drawn ^= drawn << 5;
    return (unsigned)((uint64_t)drawn * n >> 32);
}

#if GAME == CONNECT4
typedef CConnect4 game;
static void begin(game *g)
{
    *g = (game){ 0 };
    allocate_cconnect4(g);
}

/* If the board is full, any column, which ends the game. */
static int choose(const game *g)
{
    int column = (int)below(7);
    for (int i = 0; i < 7 && invalid_move(column, g->player_pieces | g->env_pieces); i++)
        column = (column + 1) % 7;
    return column;
}
#elif GAME == PONG
typedef Pong game;
static void begin(game *g)
{
    *g = (game){ .width = 500, .height = 640, .paddle_width = 20, .paddle_height = 70, .ball_width = 32, .ball_height = 32,
        .paddle_speed = 8, .ball_initial_speed_x = 10, .ball_initial_speed_y = 1, .ball_speed_y_increment = 3,
        .ball_max_speed_y = 13, .max_score = 21, .frameskip = 1 };
    allocate(g);
}

static int choose(const game *g)
{
    (void)g;
    return (int)below(3);
}
#else
typedef CTripleTriad game;
static void begin(game *g)
{
    *g = (game){ .width = 16, .height = 16, .card_width = 192, .card_height = 224, .num_cards = 10 };
    allocate_ctripletriad(g);
}

/* A card that has not been placed, then a free place for it. */
static int choose(const game *g)
{
    int first = g->card_selected[0] >= 0 ? 6 : 1, count = g->card_selected[0] >= 0 ? 9 : 5;
    int at = (int)below((unsigned)count);
    for (int i = 0; i < count; i++, at = (at + 1) % count)
        if (first == 6 ? !g->action_masks[first + at] : !g->card_locations[0][at])
            return first + at;
    return 0;
}
#endif

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    static game games[WIDTH];
    long calls = argc > 1 ? atol(argv[1]) : 1000;
    double seconds = 0, rewards = 0;
    for (int i = 0; i < WIDTH; i++) {
        begin(&games[i]);
        reset(&games[i]);
    }
    for (long n = 0; n < calls; n++) {
        for (int i = 0; i < WIDTH; i++)
            games[i].actions[0] = choose(&games[i]);
        double start = seconds_now();
        for (int i = 0; i < WIDTH; i++)
            step(&games[i]);
        seconds += seconds_now() - start;
        for (int i = 0; i < WIDTH; i++)
            rewards += games[i].rewards[0];
    }
    printf("{\"steps\": %ld, \"seconds\": %.6f, \"rewards\": %.1f}\n", calls * WIDTH, seconds, rewards);
    return 0;
}
