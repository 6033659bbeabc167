/*
 * outside_games.c: random games of four, one at a time, by a program outside the library that uses its public calls alone.
 *
 *   outside_games playout|batch|steps GAMES    prints the mean score of seat 1
 *
 * instructions.sh counts what a game costs there. `steps` asks for each list of steps and makes one of them.
 */
#include <pyramids/builtin.h>
#include <pyramids/edition.h>
#include <pyramids/playouts.h>
#include <pyramids/score.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pyr_edition classic;
static struct pyr_playout_tables tables;

static int64_t play_batch(uint64_t seed)
{
    struct pyr_playouts sum;
    pyr_playouts_run(&sum, &tables, &classic.box, 4, 1, seed, NULL);
    return sum.points[0];
}

static int64_t play_state(uint64_t seed, bool by_steps)
{
    struct pyr_state state;
    struct pyr_rng rng;
    struct pyr_steps steps;
    pyr_rng_seed(&rng, seed, 0);
    pyr_state_deal(&state, &classic.box, 4, &rng);
    if (!by_steps)
        pyr_state_playout(&state, &classic.box, &rng);
    for (; by_steps && state.open.phase != PYR_END; pyr_state_advance(&state, &classic.box)) {
        if (!state.open.waiting)
            continue;
        pyr_seat seat = (pyr_seat)__builtin_ctz(state.open.waiting);
        pyr_state_steps(&state, &classic.box, seat, &steps);
        pyr_state_apply_unchecked(&state, &classic.box, seat, pyr_steps_pick(&steps, &classic.box, &rng));
    }
    return pyr_table_score(&state.open, &classic.box, 0).total;
}

int main(int count, char **word)
{
    const char *text = pyr_builtin_edition("classic");
    if (count != 3 || pyr_edition_read(&classic, text, strlen(text), NULL))
        return 2;
    long games = atol(word[2]);
    int64_t points = 0;
    pyr_playouts_init(&tables, &classic.box);
    for (long game = 0; game < games; game++)
        points += !strcmp(word[1], "batch") ? play_batch((uint64_t)game)
                                            : play_state((uint64_t)game, !strcmp(word[1], "steps"));
    printf("%.2f\n", (double)points / (double)games);
    return 0;
}
