/*
 * view.c: what a seat may know (Q10), and full states that fit it.
 *
 * A view contains no hidden data at all, so a bot cannot cheat. A sample is drawn uniformly from the states that agree
 * with the view, except for choices that others have sealed in this phase, which are replaced by random legal ones.
 */
#include <pyramids/view.h>

#include "bits.h"
#include "phases.h"
#include "port.h"

/* A seat that does not play sees what everyone sees. */
void pyr_view_init(struct pyr_view *view, const struct pyr_state *state, pyr_seat seat)
{
    memset(view, 0, sizeof *view);
    memset(view->dealt, PYR_NO_CARD, sizeof view->dealt);
    view->open = state->open;
    view->seat = PYR_NOBODY;
    if (seat >= state->open.seats)
        return;
    view->seat = seat;
    view->mine = state->desk[seat];
    memcpy(view->dealt, state->hidden.dealt[seat], sizeof view->dealt);
}

void pyr_view_steps(const struct pyr_view *view, const struct pyr_box *box, struct pyr_steps *steps)
{
    const struct pyr_table *open = &view->open;
    if (open->phase == PYR_MARK && view->seat < open->seats)
        pyr_desk_steps(&view->mine, box, open->revealed[open->turn], steps);
    else
        phase_steps(open, view->dealt, view->seat, steps);
}

/* In ascending order. */
static unsigned list_cards(pyr_cardset set, uint8_t *list)
{
    unsigned count = 0;
    for (; set; set &= set - 1)
        list[count++] = (uint8_t)bits_first(set);
    return count;
}

/* Other players were dealt the cards they kept and two more, which were returned (R4): these may be any cards except
 * those known to have been dealt to someone. */
static void sample_deals(const struct pyr_view *view, struct pyr_rng *rng, struct pyr_state *state)
{
    const struct pyr_table *open = &view->open;
    uint8_t pool[PYR_CARDS];
    pyr_cardset known = 0;
    for (unsigned i = 0; i < PYR_DEALT; i++)
        if (view->dealt[i] != PYR_NO_CARD)
            known |= PYR_CARD_BIT(view->dealt[i]);
    for (unsigned s = 0; s < open->seats; s++)
        if (s != view->seat && open->kept[s][0] != PYR_NO_CARD)
            known |= PYR_CARD_BIT(open->kept[s][0]) | PYR_CARD_BIT(open->kept[s][1]);
    unsigned count = list_cards(ALL_CARDS & ~known, pool), next = 0;
    pyr_rng_shuffle(rng, pool, count);
    memset(state->hidden.dealt, PYR_NO_CARD, sizeof state->hidden.dealt);
    for (unsigned s = 0; s < open->seats; s++) {
        pyr_card *dealt = state->hidden.dealt[s];
        if (s == view->seat) {
            memcpy(dealt, view->dealt, PYR_DEALT);
            continue;
        }
        unsigned have = 0;
        if (open->kept[s][0] != PYR_NO_CARD) {
            dealt[have++] = open->kept[s][0];
            dealt[have++] = open->kept[s][1];
        }
        while (have < PYR_DEALT)
            dealt[have++] = pool[next++];
        pyr_rng_shuffle(rng, dealt, PYR_DEALT);
    }
}

/* The deck is any order of the cards that have not been turned up. */
static void sample_deck(const struct pyr_table *open, struct pyr_rng *rng, struct pyr_state *state)
{
    uint8_t pool[PYR_CARDS];
    unsigned count = list_cards(open->deck, pool);
    pyr_rng_shuffle(rng, pool, count);
    memset(state->hidden.deck, PYR_NO_CARD, sizeof state->hidden.deck);
    unsigned top = open->phase == PYR_KEEP ? 0 : pyr_deck_top(state);
    memcpy(state->hidden.deck + top, pool, count);
}

/* The patterns revealed in this round keep their places, the rest of the eight is shuffled; later rounds are completely
 * random. */
static void sample_expeditions(const struct pyr_box *box, const struct pyr_table *open, struct pyr_rng *rng,
    struct pyr_state *state)
{
    for (unsigned round = 0; round < PYR_ROUNDS; round++) {
        pyr_pattern *cards = state->hidden.expedition[round];
        memcpy(cards, box->expedition, PYR_EXPEDITIONS);
        unsigned known = 0;
        if (round < open->round) {
            /* Past rounds: the order and the card that stayed hidden no longer matter; the sample does not restore them. */
            continue;
        }
        if (round == open->round) {
            for (; known < PYR_TURNS && open->revealed[known] != PYR_NO_PATTERN; known++) {
                unsigned at = known;
                while (cards[at] != open->revealed[known])
                    at++;
                cards[at] = cards[known];
                cards[known] = open->revealed[known];
            }
        }
        pyr_rng_shuffle(rng, cards + known, PYR_EXPEDITIONS - known);
    }
}

/* Other players who have confirmed have made a hidden choice: any legal one will do. Made on a copy, so that the phase of
 * the view does not end. */
static void sample_choices(const struct pyr_box *box, const struct pyr_view *view, struct pyr_rng *rng,
    struct pyr_state *state)
{
    const struct pyr_table *open = &view->open;
    for (unsigned s = 0; s < open->seats; s++) {
        struct pyr_desk *desk = &state->desk[s];
        if (s == view->seat || open->waiting >> s & 1)
            continue;
        if (open->phase == PYR_KEEP) {
            pyr_card *dealt = state->hidden.dealt[s];
            pyr_step keep = pyr_step_keep(dealt[0], dealt[1]);   /* dealt in random order */
            pyr_desk_lay(desk, box, 0, pyr_step_card(keep));
            pyr_desk_lay(desk, box, 1, pyr_step_second(keep));
        } else if (open->phase == PYR_MARK) {
            while (desk->due) {
                struct pyr_steps steps;
                pyr_desk_steps(desk, box, open->revealed[open->turn], &steps);
                pyr_desk_mark(desk, box, open->revealed[open->turn], open->round, pyr_steps_pick(&steps, box, rng));
            }
        }
    }
}

void pyr_view_sample(const struct pyr_view *view, const struct pyr_box *box, struct pyr_rng *rng, struct pyr_state *state)
{
    memset(state, 0, sizeof *state);
    state->open = view->open;
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        state->desk[s] = s == view->seat ? view->mine : view->open.desk[s];
    sample_deals(view, rng, state);
    sample_deck(&view->open, rng, state);
    sample_expeditions(box, &view->open, rng, state);
    sample_choices(box, view, rng, state);
}
