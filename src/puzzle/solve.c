/*
 * solve.c: every choice of a player in the last two turns of a game, with its exact value (puzzle.h).
 *
 * "Exact" means the player's own expected final points with best play, if the other players do nothing: they take neither
 * cards nor pyramid points. All patterns that can be revealed are weighted by the cards left in the round. After a
 * completed pyramid every card of the display and, as a mean, of the deck is tried. tools/late.c solves the same in
 * another way; the tests compare them with a third solver in Python.
 *
 * Depth first, on the stack. The number of marks tried is bounded.
 */
#include <pyramids/puzzle.h>
#include <pyramids/score.h>

/* The rest of the game for one player. */
struct rest {
    const struct pyr_box *box;
    const struct pyr_table *open;
    uint32_t nodes, most;        /* marks tried, and the limit */
};

/* The position, which changes during the search. */
struct place {
    struct pyr_desk desk;
    pyr_cardset taken;           /* cards taken from display and deck */
    int points;                  /* pyramid points */
    uint8_t gone[PYR_COLOURS];   /* pyramid points of each colour that are already taken */
    bool is_last;                /* no turn comes after this one */
};

static double after_marks(struct rest *rest, const struct place *at);

/* The best way to make the marks that are due, with what follows. */
static double best_marks(struct rest *rest, const struct place *at, pyr_pattern pattern)
{
    struct pyr_steps steps;
    double best = -1e9;
    if (!at->desk.due)
        return after_marks(rest, at);
    pyr_desk_steps(&at->desk, rest->box, pattern, &steps);
    rest->nodes += steps.count;
    for (uint32_t i = 0; i < steps.count && rest->nodes <= rest->most; i++) {
        struct place next = *at;
        pyr_step step = pyr_steps_at(&steps, rest->box, i);
        if (step == pyr_step_pass())
            next.desk.due = 0, next.desk.flags = 0;
        else
            pyr_desk_mark(&next.desk, rest->box, pattern, rest->open->round, step);
        double value = best_marks(rest, &next, pattern);
        best = value > best ? value : best;
    }
    return best;
}

/* The last turn, over all patterns that can be revealed. */
static double last_turn(struct rest *rest, const struct place *at)
{
    double sum = 0, cards = 0;
    struct place next = *at;
    int left[PYR_PATTERNS];
    for (unsigned p = 0; p < PYR_PATTERNS; p++)
        left[p] = rest->box->pattern[p].copies;
    for (unsigned i = 0; i <= rest->open->turn; i++)
        left[rest->open->revealed[i]]--;
    next.is_last = true;
    next.desk.due = 1;
    next.desk.flags = PYR_DESK_FIRST;
    for (unsigned p = 0; p < PYR_PATTERNS; p++) {
        if (left[p] <= 0)
            continue;
        sum += left[p] * best_marks(rest, &next, (pyr_pattern)p);
        cards += left[p];
    }
    return sum / cards;
}

/* New cards for the empty slots, one after the other. */
static double replace(struct rest *rest, const struct place *at, unsigned owed)
{
    double best = -1e9, sum = 0, drawn = 0;
    unsigned slot = at->desk.card[0] == PYR_NO_CARD ? 0 : 1;
    if (!owed)
        return last_turn(rest, at);
    for (unsigned i = 0; i < PYR_DISPLAY; i++) {
        pyr_card card = rest->open->display[i];
        if (card == PYR_NO_CARD || at->taken >> card & 1)
            continue;
        struct place next = *at;
        next.taken |= PYR_CARD_BIT(card);
        pyr_desk_lay(&next.desk, rest->box, slot, card);
        double value = replace(rest, &next, owed - 1);
        best = value > best ? value : best;
    }
    for (pyr_cardset deck = rest->open->deck & ~at->taken; deck && rest->nodes <= rest->most; deck &= deck - 1) {
        struct place next = *at;
        pyr_card card = (pyr_card)__builtin_ctzll(deck);
        next.taken |= PYR_CARD_BIT(card);
        pyr_desk_lay(&next.desk, rest->box, slot, card);
        sum += replace(rest, &next, owed - 1);
        drawn++;
    }
    if (drawn > 0 && sum / drawn > best)
        best = sum / drawn;
    return best > -1e8 ? best : last_turn(rest, at);
}

/* Called when all marks of a turn are made: completed cards are set aside (R12) and pyramid points taken (R14). */
static double after_marks(struct rest *rest, const struct place *before)
{
    struct place at = *before;
    unsigned owed = 0;
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++) {
        if (!(at.desk.flags & PYR_DESK_TOMB(slot)))
            continue;
        pyr_card card = at.desk.card[slot];
        unsigned colour = rest->box->card[card].colour;
        at.desk.done |= PYR_CARD_BIT(card);
        unsigned count = (unsigned)__builtin_popcountll(at.desk.done & rest->box->colour[colour]);
        if (pyr_options_is_claim(pyr_table_options(rest->open), count) && at.gone[colour] < PYR_TILES)
            at.points += pyr_tile_value(at.gone[colour]++);
        at.desk.card[slot] = PYR_NO_CARD;
        at.desk.free &= ~pyr_pair_of(slot, PYR_ALL_SPACES);
        at.desk.reach &= ~pyr_pair_of(slot, PYR_ALL_SPACES);
        owed++;
    }
    at.desk.flags = 0;
    return at.is_last ? pyr_desk_score(&at.desk, rest->box, at.points).total : replace(rest, &at, owed);
}

/* Collecting choices. */

struct list {
    const struct pyr_box *box;
    const struct pyr_table *open;
    struct pyr_puzzle_choice *choice;
    unsigned count, room;
    uint32_t visited;
    bool is_full;
};

/* Choices that lead to the same desk count as one: they are the same marks in another order. */
static void add(struct list *list, const struct pyr_puzzle_choice *made, const struct pyr_desk *end)
{
    for (unsigned i = 0; i < list->count; i++)
        if (list->choice[i].end.free == end->free && list->choice[i].end.tally == end->tally)
            return;
    if (list->count == list->room) {
        list->is_full = true;
        return;
    }
    list->choice[list->count] = *made;
    list->choice[list->count++].end = *end;
}

/* Follows extra marks, up to PYR_PUZZLE_EXTRAS of them. */
static void collect(struct list *list, const struct pyr_desk *desk, struct pyr_puzzle_choice *made)
{
    struct pyr_steps steps;
    pyr_pattern pattern = list->open->revealed[list->open->turn];
    if (!desk->due) {
        add(list, made, desk);
        return;
    }
    pyr_desk_steps(desk, list->box, pattern, &steps);
    list->visited += steps.count;
    if (made->count > PYR_PUZZLE_EXTRAS || list->visited > 20000)
        list->is_full = true;
    for (uint32_t i = 0; i < steps.count && !list->is_full; i++) {
        struct pyr_desk next = *desk;
        pyr_step step = pyr_steps_at(&steps, list->box, i);
        if (step == pyr_step_pass())
            return;
        pyr_desk_mark(&next, list->box, pattern, list->open->round, step);
        if (made->count)
            made->more[made->count - 1] = (uint8_t)__builtin_ctzll(step);
        else
            made->first = step;
        made->count++;
        collect(list, &next, made);
        made->count--;
    }
}

unsigned pyr_puzzle_choices(const struct pyr_box *box, const struct pyr_view *view, struct pyr_puzzle_choice *choice,
    unsigned room)
{
    struct list list = { box, &view->open, choice, 0, room, 0, false };
    struct pyr_puzzle_choice made = { .count = 0 };
    if (view->seat >= view->open.seats || view->open.phase != PYR_MARK)
        return 0;
    collect(&list, &view->open.desk[view->seat], &made);
    return list.is_full ? 0 : list.count;
}

/* Sorts by value; equal values stay in their order. */
static void sort(struct pyr_puzzle_choice *choice, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        struct pyr_puzzle_choice one = choice[i];
        unsigned at = i;
        for (; at && choice[at - 1].value < one.value; at--)
            choice[at] = choice[at - 1];
        choice[at] = one;
    }
}

unsigned pyr_puzzle_solve(const struct pyr_box *box, const struct pyr_view *view, struct pyr_puzzle_choice *choice,
    unsigned room, uint32_t nodes)
{
    const struct pyr_table *open = &view->open;
    const struct pyr_options *options = pyr_table_options(open);
    struct rest rest = { box, open, 0, nodes };
    struct place place = { .taken = 0 };
    unsigned left = (unsigned)((options->rounds - 1 - open->round) * options->turns + options->turns - 1 - open->turn);
    unsigned count = left <= 1 ? pyr_puzzle_choices(box, view, choice, room) : 0;
    if (!count)
        return 0;
    place.points = pyr_table_points(open, view->seat);
    place.is_last = !left;
    for (unsigned c = 0; c < PYR_COLOURS; c++)
        for (unsigned i = 0; i < PYR_TILES; i++)
            place.gone[c] = (uint8_t)(place.gone[c] + (open->tile[c][i] != PYR_NOBODY));
    for (unsigned i = 0; i < count; i++) {
        place.desk = choice[i].end;
        double value = after_marks(&rest, &place) * 100;
        choice[i].value = (int32_t)(value + (value < 0 ? -0.5 : 0.5));
    }
    sort(choice, count);
    return rest.nodes > nodes ? 0 : count;
}
