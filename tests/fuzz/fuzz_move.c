/*
 * A choice typed by a player: any bytes give a code, and one that is refused changes nothing. The first byte says how many
 * choices were made before, so that keeping, marking and replacing all come up.
 */
#include <pyramids/match.h>

#include <string.h>

#include "plain.h"

/* A game between two players after so many random choices. */
static void play(struct pyr_match *match, const struct pyr_edition *edition, unsigned choices)
{
    static const char *const names[] = { "Ana", "Ben" };
    struct pyr_rng rng;
    struct pyr_chance chance;
    pyr_rng_seed(&rng, 1, 2);
    pyr_chance_draw(&chance, &edition->box, 2, &rng);
    MUST(pyr_match_init(match, edition, 2, names, &chance) == PYR_OK);
    while (choices-- && !pyr_match_is_over(match)) {
        pyr_seat seat = (pyr_seat)__builtin_ctz(pyr_match_waiting(match));
        bool at_once = false;
        while (!pyr_match_is_ready(match, seat) && !at_once) {
            struct pyr_steps steps;
            pyr_match_steps(match, seat, &steps);
            pyr_step step = pyr_steps_pick(&steps, &edition->box, &rng);
            at_once = pyr_step_kind(step) == PYR_STEP_TAKE || pyr_step_kind(step) == PYR_STEP_DRAW;
            MUST(pyr_match_step(match, seat, step) == PYR_OK);
        }
        if (!at_once)
            MUST(pyr_match_confirm(match, seat) == PYR_OK);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct pyr_match match, before;
    static unsigned made = 256;
    const struct pyr_edition *edition = plain_edition();
    char text[256];
    struct pyr_fault fault;
    if (!size)
        return 0;
    if (made != data[0])                     /* games take a while to play; most inputs share one */
        memset(&before, 0, sizeof before), play(&before, edition, made = data[0]);
    match = before;
    size_t length = size - 1 < sizeof text - 1 ? size - 1 : sizeof text - 1;
    memcpy(text, data + 1, length);
    text[length] = '\0';
    unsigned waiting = pyr_match_waiting(&match);
    for (pyr_seat seat = 0; seat < 2; seat++) {
        enum pyr_err err = pyr_match_choose(&match, seat, text, &fault);
        MUST(err == fault.code);
        MUST(!err || !memcmp(&match, &before, sizeof match));
        MUST(err || waiting >> seat & 1);
        MUST(err || pyr_match_is_ready(&match, seat) || pyr_match_waiting(&match) != waiting ||
            match.log.lines > before.log.lines);
        match = before;
    }
    return 0;
}
