/*
 * solo.c: measures the targets of solo expeditions: solo EDITION FIRST COUNT [GAMES] tests COUNT seeds from FIRST on,
 * and prints the rows of src/session/solo.inc for those whose targets are far enough apart. casual, club and expert
 * each play a seed's cards GAMES times (7) with different random numbers; the target is the median. With --shard I/N
 * --output FILE it does a part, and `pyramids merge` combines the parts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/bots.h>
#include <pyramids/local.h>
#include <pyramids/score.h>

#include "edition_file.h"
#include "job.h"

#define MOST_GAMES 99
#define APART 5                  /* points between two medals */

static struct pyr_edition edition;
static const char *const levels[] = { "casual", "club", "expert" };
static void *memory[3];
static unsigned games = 7;

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

/* The row of a seed. */
static bool make(void *context, uint64_t item, FILE *to)
{
    const uint64_t *first = context;
    uint64_t seed = *first + item;
    int target[3];
    for (unsigned l = 0; l < 3; l++) {
        int points[MOST_GAMES];
        for (unsigned g = 0; g < games; g++)
            points[g] = play(seed, l, g);
        qsort(points, games, sizeof *points, compare);
        target[l] = points[games / 2];
        if (l && target[l] < target[l - 1] + APART)
            return fputc('-', to) != EOF;
    }
    return fprintf(to, "{ %" PRIu64 ", { %d, %d, %d } },", seed, target[0], target[1], target[2]) > 0;
}

int main(int argc, char **argv)
{
    struct job_options options;
    if (!job_take(&argc, argv, &options))
        return 2;
    if (argc == 5)
        games = (unsigned)strtoul(argv[4], NULL, 10);
    if (argc < 4 || argc > 5 || games % 2 != 1 || games > MOST_GAMES) {
        fprintf(stderr, "Usage: solo EDITION FIRST COUNT [GAMES] [--shard I/N --output FILE]\n"
            "GAMES is odd, at most 99.\n`pyramids merge FILE...` puts parts together; one that was stopped is continued.\n");
        return 2;
    }
    if (!edition_file_read(argv[1], &edition))
        return 1;
    for (unsigned l = 0; l < 3; l++) {
        const struct pyr_bot *bot = pyr_bot_find(levels[l]);
        memory[l] = aligned_alloc(64, (bot->memory(&edition.box) + 127) / 64 * 64);
        if (!memory[l])
            return 1;
        bot->prepare(memory[l], &edition.box);
    }
    uint64_t first = strtoull(argv[2], NULL, 10);
    char *text = job_text(&edition, "first %" PRIu64 "\ngames %u\n", first, games);
    return job_run(&job_solo, &options, text, strtoull(argv[3], NULL, 10), make, &first);
}
