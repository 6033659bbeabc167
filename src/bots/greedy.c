/*
 * greedy.c: takes the step of greatest value, ties at random. A fixed yardstick: its values are part of its definition
 * and must not be tuned.
 *
 * A mark is worth 2.5 per gem, 5 for a torch that counts, minus the growth of the skull penalty (which a potion lowers), 1.5
 * per cross, 10 for the tomb, and 1.5 for each space by which the shortest path to the tomb gets shorter. It keeps and takes
 * the card of greatest value: -1.5 per space of its shortest path, 0.8 per gem, 1 per cross, -0.4 per skull, and 0.4 times
 * the next pyramid points of the colour if the player has an odd number of that colour. It draws only if the display is
 * empty.
 *
 * All values are in tenths, so that they are whole numbers.
 */
#include <pyramids/score.h>

#include "list.h"

/* It prepares nothing: values are computed from the box itself. */
static size_t no_memory(const struct pyr_box *box)
{
    (void)box;
    return 0;
}

static void nothing_to_prepare(void *memory, const struct pyr_box *box)
{
    (void)memory, (void)box;
}

static int count(pyr_spaces set)
{
    return __builtin_popcount(set);
}

static int penalty(const struct pyr_box *box, unsigned skulls)
{
    return skulls ? box->penalty[skulls - 1] : 0;
}

static int distance(const struct pyr_box *box, const struct pyr_desk *desk, unsigned slot)
{
    return (int)pyr_card_distance(&box->card[desk->card[slot]], pyr_pair_half(slot, desk->free),
        pyr_pair_half(slot, desk->reach));
}

static int value_mark(const struct pyr_box *box, const struct pyr_view *view, pyr_step step)
{
    const struct pyr_table *open = &view->open;
    const struct pyr_desk *before = &view->mine;
    struct pyr_desk after = *before;
    unsigned slot = pyr_step_slot(step);
    if (pyr_step_kind(step) != PYR_STEP_MARK)
        return 0;
    const struct pyr_card_face *card = &box->card[before->card[slot]];
    pyr_spaces spaces = pyr_step_spaces(step);
    pyr_desk_mark(&after, box, open->revealed[open->turn], open->round, step);
    int value = 25 * count(spaces & (card->ruby | card->emerald));
    value += after.torches != before->torches ? 50 : 0;
    value -= 10 * (penalty(box, after.skulls) - penalty(box, before->skulls));
    value += 15 * count(spaces & card->cross);
    /* The whole remaining path counts as made. */
    if (spaces & card->tomb)
        value += 100 + 15 * distance(box, before, slot);
    else if (!(before->flags & PYR_DESK_TOMB(slot)))
        value += 15 * (distance(box, before, slot) - distance(box, &after, slot));
    return value;
}

/* The points for the next player who completes a pair of this colour. */
static int next_points(const struct pyr_table *open, unsigned colour)
{
    for (unsigned place = 0; place < PYR_TILES; place++)
        if (open->tile[colour][place] == PYR_NOBODY)
            return pyr_tile_value(place);
    return 0;
}

/* What a card is worth; `also` is a second card that would be kept with it. */
static int value_card(const struct pyr_box *box, const struct pyr_view *view, pyr_card index, pyr_cardset also)
{
    const struct pyr_card_face *card = &box->card[index];
    pyr_cardset held = view->mine.done | also;
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++)
        if (view->mine.card[slot] != PYR_NO_CARD)
            held |= PYR_CARD_BIT(view->mine.card[slot]);
    int value = -15 * (int)pyr_card_distance(card, card->open, card->entrance);
    value += 8 * count(card->ruby | card->emerald) + 10 * count(card->cross) - 4 * count(card->skull);
    if (__builtin_popcountll(held & box->colour[card->colour]) & 1)
        value += 4 * next_points(&view->open, card->colour);
    return value;
}

static int value_step(const struct pyr_box *box, const struct pyr_view *view, pyr_step step)
{
    switch (pyr_step_kind(step)) {
    case PYR_STEP_KEEP: {
        pyr_card a = pyr_step_card(step), b = pyr_step_second(step);
        return value_card(box, view, a, 0) + value_card(box, view, b, PYR_CARD_BIT(a));
    }
    case PYR_STEP_TAKE:
        return value_card(box, view, pyr_step_card(step), 0);
    /* Lower than everything else: chosen only if there is no card to take. */
    case PYR_STEP_DRAW:
        return INT_MIN;
    case PYR_STEP_PASS:
    case PYR_STEP_MARK:
        break;
    }
    return value_mark(box, view, step);
}

static pyr_step choose(void *memory, const struct pyr_box *box, const struct pyr_view *view, struct pyr_rng *rng,
    const struct pyr_budget *budget)
{
    struct pyr_steps steps;
    pyr_step best = PYR_STEP_NONE;
    int most = INT_MIN;
    uint32_t ties = 0;
    (void)memory, (void)budget;
    pyr_view_steps(view, box, &steps);
    for (uint32_t i = 0; i < steps.count; i++) {
        pyr_step step = pyr_steps_at(&steps, box, i);
        int value = value_step(box, view, step);
        if (!ties || value > most) {
            best = step;
            most = value;
            ties = 1;
        } else if (value == most && !pyr_rng_below(rng, ++ties)) {
            best = step;                     /* each of the tied steps is kept with equal probability */
        }
    }
    return best;
}

const struct pyr_bot bot_greedy = { "greedy", no_memory, nothing_to_prepare, choose };
