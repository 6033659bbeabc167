/*
 * bystander.c: the second seat of a solo expedition, since the game needs at least two players. It marks one space at a
 * time, avoids tombs and crosses as long as it can, and so completes nothing and takes no card and no points. It uses no
 * random numbers: if only it plays along, the same marks give the same game.
 */
#include "list.h"

static size_t no_memory(const struct pyr_box *box)
{
    (void)box;
    return 0;
}

static void nothing_to_prepare(void *memory, const struct pyr_box *box)
{
    (void)memory, (void)box;
}

/* How many spaces of a card can be marked one by one without a tomb or a cross. A row is six bits wide (base.h). */
static int room(const struct pyr_card_face *card)
{
    const pyr_spaces quiet = card->open & ~(card->tomb | card->cross);
    pyr_spaces found = card->entrance, before = 0;
    while (found != before) {
        before = found;
        found |= (found << 1 | found >> 1 | found << PYR_ROW | found >> PYR_ROW) & quiet;
    }
    return __builtin_popcount(found);
}

/* How much a step should be avoided. */
static int cost(const struct pyr_box *box, const struct pyr_desk *desk, pyr_step step)
{
    if (pyr_step_kind(step) == PYR_STEP_KEEP)        /* cards with more room last longer */
        return -room(&box->card[pyr_step_card(step)]) - room(&box->card[pyr_step_second(step)]);
    if (pyr_step_kind(step) != PYR_STEP_MARK)
        return pyr_step_kind(step) == PYR_STEP_DRAW ? 0 : 1;
    const struct pyr_card_face *card = &box->card[desk->card[pyr_step_slot(step)]];
    const pyr_spaces spaces = pyr_step_spaces(step);
    return 1000 * __builtin_popcount(spaces & card->tomb) + 100 * __builtin_popcount(spaces & card->cross) +
        __builtin_popcount(spaces);
}

static pyr_step choose(void *memory, const struct pyr_box *box, const struct pyr_view *view, struct pyr_rng *rng,
    const struct pyr_budget *budget)
{
    struct pyr_steps steps;
    pyr_step best = PYR_STEP_NONE;
    (void)memory, (void)rng, (void)budget;
    pyr_view_steps(view, box, &steps);
    for (uint32_t i = 0; i < steps.count; i++) {
        const pyr_step step = pyr_steps_at(&steps, box, i);
        if (!best || cost(box, &view->mine, step) < cost(box, &view->mine, best))
            best = step;
    }
    return best;
}

const struct pyr_bot bot_bystander = { "bystander", no_memory, nothing_to_prepare, choose };
