/*
 * fairgame.c: prints the record of a game between players who choose at random, shuffled as docs/fair-shuffle.md says; for
 * tests/verify.py. Usage: fairgame EDITION-FILE SECRET NUMBER... with a number or - for each seat.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/fair.h>

static struct pyr_edition edition;
static struct pyr_match match;

static int fail(const char *what)
{
    fprintf(stderr, "fairgame: %s\n", what);
    return 1;
}

static bool read_edition(const char *path)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    return pyr_edition_read(&edition, text, size, NULL) == PYR_OK;
}

static bool play(struct pyr_rng *rng)
{
    unsigned waiting;
    while ((waiting = pyr_match_waiting(&match)) != 0) {
        pyr_seat seat = (pyr_seat)__builtin_ctz(waiting);
        struct pyr_steps steps;
        if (pyr_match_is_ready(&match, seat)) {
            if (pyr_match_confirm(&match, seat))
                return false;
            continue;
        }
        pyr_match_steps(&match, seat, &steps);
        if (!steps.count || pyr_match_step(&match, seat, pyr_steps_pick(&steps, &edition.box, rng)))
            return false;
    }
    return pyr_match_is_over(&match);
}

int main(int argc, char **argv)
{
    static const char *const names[] = { "Ana", "Ben", "Cem", "Dee" };
    struct pyr_fair fair = { .numbers = 0 };
    struct pyr_chance chance;
    struct pyr_rng rng;
    unsigned seats = (unsigned)argc - 3;
    if (argc < 5 || seats > PYR_MAX_SEATS)
        return fail("EDITION-FILE SECRET NUMBER|-...");
    if (!read_edition(argv[1]))
        return fail("no such edition");
    if (!pyr_fair_read_hex(argv[2], strlen(argv[2]), fair.secret))
        return fail("not a secret");
    for (unsigned s = 0; s < seats; s++) {
        uint8_t number[PYR_FAIR_BYTES];
        if (!strcmp(argv[3 + s], "-"))
            continue;
        if (!pyr_fair_read_hex(argv[3 + s], strlen(argv[3 + s]), number))
            return fail("not a number");
        pyr_fair_add(&fair, (pyr_seat)s, number);
    }
    pyr_rng_seed(&rng, fair.secret[0], fair.secret[1]);
    if (pyr_fair_chance(&fair, &edition, seats, &chance) || pyr_match_begin(&match, &edition, seats, names) ||
        pyr_fair_tags(&fair, &match) || pyr_match_deal(&match, &chance) || !play(&rng) || pyr_fair_reveal(&fair, &match))
        return fail("the game broke off");
    fwrite(match.log.text, 1, match.log.start[match.log.lines], stdout);
    return 0;
}
