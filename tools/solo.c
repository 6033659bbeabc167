/*
 * solo.c: measures the targets of solo expeditions: solo EDITION FIRST COUNT prints the rows of src/session/solo.inc for the
 * next COUNT seeds from FIRST on whose targets are far enough apart. casual, club and expert each play a seed's cards GAMES
 * times with other random numbers of their own; the target is the median.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/bots.h>
#include <pyramids/local.h>
#include <pyramids/score.h>

#define GAMES 7
#define APART 5                  /* points between two medals */

static struct pyr_edition edition;
static const char *const levels[] = { "casual", "club", "expert" };
static void *memory[3];

static bool read_edition(const char *path)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    const size_t size = file ? fread(text, 1, sizeof text, file) : 0;
    if (file)
        fclose(file);
    return !pyr_edition_read(&edition, text, size, NULL);
}

static void choose(struct pyr_match *match, pyr_seat seat, const struct pyr_bot *bot, void *room, struct pyr_rng *rng)
{
    struct pyr_view view;
    while (pyr_match_waiting(match) >> seat & 1 && !pyr_match_is_ready(match, seat)) {
        pyr_match_view(match, seat, &view);
        if (pyr_match_step(match, seat, bot->choose(room, &edition.box, &view, rng, NULL)))
            exit(1);
    }
    if (pyr_match_waiting(match) >> seat & 1 && pyr_match_confirm(match, seat))
        exit(1);
}

static int play(uint64_t seed, unsigned level, unsigned game)
{
    static struct pyr_local local;
    static struct pyr_match match;
    static const char *const names[] = { "bot", "bystander" }, *const plays[] = { "", "bystander" };
    const struct pyr_bot *bot = pyr_bot_find(levels[level]), *other = pyr_bot_find("bystander");
    struct pyr_rng rng;
    pyr_rng_seed(&rng, game + 1, seed);
    if (pyr_local_begin(&local, &match, &edition, 2, names, plays, seed, true))
        exit(1);
    while (!pyr_match_is_over(&match)) {
        choose(&match, 0, bot, memory[level], &rng);
        choose(&match, 1, other, NULL, &rng);
    }
    return pyr_table_score(&match.replay.state.open, &edition.box, 0).total;
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(int argc, char **argv)
{
    if (argc != 4 || !read_edition(argv[1])) {
        fprintf(stderr, "Usage: solo EDITION FIRST COUNT\n");
        return 2;
    }
    for (unsigned l = 0; l < 3; l++) {
        const struct pyr_bot *bot = pyr_bot_find(levels[l]);
        memory[l] = aligned_alloc(64, (bot->memory(&edition.box) + 127) / 64 * 64);
        if (!memory[l])
            return 1;
        bot->prepare(memory[l], &edition.box);
    }
    uint64_t seed = strtoull(argv[2], NULL, 10);
    for (long left = strtol(argv[3], NULL, 10); left > 0; seed++) {
        int target[3];
        for (unsigned l = 0; l < 3; l++) {
            int points[GAMES];
            for (unsigned g = 0; g < GAMES; g++)
                points[g] = play(seed, l, g);
            qsort(points, GAMES, sizeof *points, compare);
            target[l] = points[GAMES / 2];
            if (l && target[l] < target[l - 1] + APART)
                goto next;
        }
        printf("    { %llu, { %d, %d, %d } },\n", (unsigned long long)seed, target[0], target[1], target[2]);
        fflush(stdout);
        left--;
    next:;
    }
    return 0;
}
