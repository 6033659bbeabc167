/*
 * endgame.c: exact search of the last turns (endgame.h).
 *
 * A depth-first search of one player's game: expand() lists all ways to play a turn, after_turn() takes new cards,
 * before_turn() averages over the patterns that can come. Equivalent leaves are merged, and only the best `breadth` by
 * the tables are followed, half of that in later turns.
 *
 * Everything is on the stack; nothing is allocated. Values are expected final points.
 */
#include <pyramids/score.h>

#include "endgame.h"

/* With open cards and many crosses there are millions of ways to play a turn: after this many marks the search continues
 * with the policy's extra marks and one way per turn. Editions like the classic one stay far below. */
enum { MOST_NODES = 1000000 };

/* One player between or within turns. */
struct node {
    struct pyr_desk desk;
    int points;                  /* pyramid points */
    uint8_t taken[PYR_COLOURS];  /* pyramid points of each colour that are already taken */
    uint16_t first;              /* the index of the root's step that led here */
};

/* One way to play a turn to its end, with completed cards set aside and new ones not yet taken. */
struct leaf {
    struct node node;
    float value;                 /* estimate, for the order */
};

/* A beam: at most `most` leaves in descending order of value. */
struct leaves {
    struct leaf list[ENDGAME_BREADTH];
    unsigned count, most;
};

/* One call of endgame_values: data that stays the same over the whole search, and the count of its work. The display
 * stays as it is now: cards that other players take are ignored. */
struct game {
    const struct tables *tables;
    const struct pyr_box *box;
    const struct pyr_table *open;
    unsigned round, breadth;
    unsigned nodes;              /* marks tried so far */
};

static unsigned count(uint64_t set)
{
    return (unsigned)__builtin_popcountll(set);
}

/* Sets completed cards aside and takes the pyramid points (R12, R14), as if no other player took any: the search has only
 * one player. As in net.c (end_turn). */
static void complete(const struct game *game, struct node *node)
{
    struct pyr_desk *desk = &node->desk;
    pyr_cardset before = desk->done;
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++) {
        if (!(desk->flags & PYR_DESK_TOMB(slot)))
            continue;
        desk->done |= PYR_CARD_BIT(desk->card[slot]);
        desk->free &= ~pyr_pair_of(slot, PYR_ALL_SPACES);
        desk->reach &= ~pyr_pair_of(slot, PYR_ALL_SPACES);
        desk->card[slot] = PYR_NO_CARD;
    }
    desk->flags = 0;
    for (unsigned c = 0; c < PYR_COLOURS && desk->done != before; c++) {
        unsigned had = count(before & game->box->colour[c]), has = count(desk->done & game->box->colour[c]);
        if (pyr_options_claims_between(pyr_table_options(game->open), had, has) && node->taken[c] < PYR_TILES)
            node->points += pyr_tile_value(node->taken[c]++);
    }
}

/* Puts the display's best cards into empty slots, by the value of the unmarked card alone, without the race for pyramid
 * points. In different branches the same card may be taken, which does no harm. */
static void replace(const struct game *game, struct pyr_desk *desk, unsigned left)
{
    pyr_card used = PYR_NO_CARD;
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++) {
        pyr_card best = PYR_NO_CARD;
        int most = INT_MIN;
        for (unsigned i = 0; i < PYR_DISPLAY && desk->card[slot] == PYR_NO_CARD; i++) {
            pyr_card card = game->open->display[i];
            if (card == PYR_NO_CARD || card == used || desk->done >> card & 1 || desk->card[!slot] == card)
                continue;
            int value = game->tables->fresh[card][left];
            if (value > most)
                most = value, best = card;
        }
        if (best != PYR_NO_CARD)
            pyr_desk_lay(desk, game->box, slot, used = best);
    }
}

/* The value of a desk with this many turns left: exact with none, otherwise by the tables. The tables assume that every
 * turn is used on the card; with two cards on the desk that is too much, hence the factor of 0.7. */
static float estimate(const struct game *game, const struct node *node, unsigned left)
{
    const struct pyr_desk *desk = &node->desk;
    int more = 0;
    for (unsigned slot = 0; left && slot < PYR_SLOTS; slot++) {
        pyr_card c = desk->card[slot];
        if (c == PYR_NO_CARD)
            continue;
        pyr_spaces marks = game->box->card[c].open & ~pyr_pair_half(slot, desk->free);
        more += marks ? game->tables->value[c][table_index(&game->tables->map[c], marks)][left] :
            game->tables->fresh[c][left];
    }
    return (float)pyr_desk_score(desk, game->box, node->points).total + (float)more * (0.7f / TABLE_UNIT);
}

/* Adds a way to play the turn. Leaves with the same first step and the same free spaces are merged: otherwise the same
 * extra marks in another order would fill the list with copies of one desk. A new leaf with a higher value is added
 * beside the old one; it does not replace it. */
static void add_leaf(const struct game *game, struct leaves *to, const struct node *node, unsigned left)
{
    struct leaf leaf = { *node, 0 };
    complete(game, &leaf.node);
    struct node replaced = leaf.node;
    if (left)
        replace(game, &replaced.desk, left);
    leaf.value = estimate(game, &replaced, left);
    for (unsigned i = 0; i < to->count; i++)
        if (to->list[i].node.desk.free == leaf.node.desk.free && to->list[i].node.first == leaf.node.first &&
            to->list[i].node.desk.done == leaf.node.desk.done && to->list[i].value >= leaf.value)
            return;
    unsigned at = to->count < to->most ? to->count++ : to->most;
    for (; at && to->list[at - 1].value < leaf.value; at--)
        if (at < to->most)
            to->list[at] = to->list[at - 1];
    if (at < to->most)
        to->list[at] = leaf;
}

/* Lists all ways to continue the turn, recursively over extra marks. Beyond MOST_NODES only the first mark is still
 * listed in full. The recursion ends when the desk's turn is over (`due` is 0). Every node is a copy on the stack; the
 * depth is the number of marks in one turn. */
static void expand(struct game *game, struct leaves *to, const struct node *node, pyr_pattern pattern, unsigned left)
{
    struct pyr_steps steps;
    if (!node->desk.due) {
        add_leaf(game, to, node, left);
        return;
    }
    if (game->nodes > MOST_NODES && !(node->desk.flags & PYR_DESK_FIRST)) {
        struct node next = *node;
        pyr_desk_mark(&next.desk, game->box, pattern, game->round,
            policy_mark(game->tables, game->box, game->open, &next.desk));
        expand(game, to, &next, pattern, left);
        return;
    }
    pyr_desk_steps(&node->desk, game->box, pattern, &steps);
    game->nodes += steps.count;
    for (uint32_t i = 0; i < steps.count; i++) {
        struct node next = *node;
        pyr_step step = pyr_steps_at(&steps, game->box, i);
        if (step == pyr_step_pass())
            next.desk.due = 0, next.desk.flags = 0;
        else
            pyr_desk_mark(&next.desk, game->box, pattern, game->round, step);
        expand(game, to, &next, pattern, left);
    }
}

static float before_turn(struct game *game, const struct node *node, const uint8_t *pool, unsigned left);

/* All marks of the turn are made: takes the best new card of the display, and a second one by the tables. Drawing is left
 * out: the mean of the deck is hardly ever better than the best of four. Without an empty slot, or a card in the display,
 * the game continues unchanged. */
static float after_turn(struct game *game, const struct node *node, const uint8_t *pool, unsigned left)
{
    const struct pyr_desk *desk = &node->desk;
    float best = -1e6f;
    bool any = false;
    unsigned slot = desk->card[0] == PYR_NO_CARD ? 0 : 1;
    for (unsigned i = 0; left && i < PYR_DISPLAY && desk->card[slot] == PYR_NO_CARD; i++) {
        pyr_card card = game->open->display[i];
        struct node next = *node;
        if (card == PYR_NO_CARD || desk->done >> card & 1 || desk->card[!slot] == card)
            continue;
        if (game->nodes > MOST_NODES)
            replace(game, &next.desk, left);
        else
            pyr_desk_lay(&next.desk, game->box, slot, card);
        replace(game, &next.desk, left);
        float value = before_turn(game, &next, pool, left);
        best = value > best ? value : best;
        any = true;
        if (game->nodes > MOST_NODES)
            break;
    }
    return any ? best : before_turn(game, node, pool, left);
}

/* The best result of a turn whose pattern is known, with `left` more to come. Without further turns the value of the best
 * leaf is exact, so a single leaf is enough. */
static float turn(struct game *game, const struct node *node, pyr_pattern pattern, const uint8_t *pool, unsigned left)
{
    struct leaves leaves = { .count = 0, .most = left && game->nodes < MOST_NODES ? game->breadth / 2 : 1 };
    float best = -1e6f;
    expand(game, &leaves, node, pattern, left);
    if (!left)
        return leaves.list[0].value;
    for (unsigned i = 0; i < leaves.count; i++) {
        float value = after_turn(game, &leaves.list[i].node, pool, left);
        best = value > best ? value : best;
    }
    return best;
}

/* The mean over the expedition cards that can be revealed, with `left` turns to come. */
static float before_turn(struct game *game, const struct node *node, const uint8_t *pool, unsigned left)
{
    struct node next = *node;
    float sum = 0, cards = 0;
    if (!left)
        return estimate(game, node, 0);
    next.desk.due = 1;
    next.desk.flags = PYR_DESK_FIRST;
    for (pyr_pattern p = 0; p < PYR_PATTERNS; p++) {
        uint8_t rest[PYR_PATTERNS];
        if (!pool[p])
            continue;
        __builtin_memcpy(rest, pool, sizeof rest);
        rest[p]--;
        sum += (float)pool[p] * turn(game, &next, p, rest, left - 1);
        cards += (float)pool[p];
    }
    return cards > 0 ? sum / cards : estimate(game, node, 0);
}

/* The value of a replacement; a second one is chosen by the tables. */
static float value_taken(struct game *game, const struct node *node, pyr_card card, const uint8_t *pool, unsigned left)
{
    struct node next = *node;
    pyr_desk_lay(&next.desk, game->box, next.desk.card[0] == PYR_NO_CARD ? 0 : 1, card);
    if (game->open->cards_owed > 1)
        replace(game, &next.desk, left);
    return before_turn(game, &next, pool, left);
}

/* All first steps share one list of leaves: a step whose best leaf is not among the `breadth` best keeps -1e6. Values are
 * in the order of `steps`. Steps that take a card are searched one by one, since each leads to a different desk; a draw
 * is the mean over the cards of the deck. */
void endgame_values(const struct tables *tables, const struct pyr_box *box, const struct pyr_view *view, unsigned breadth,
    const pyr_step *steps, float *values, unsigned steps_count)
{
    const struct pyr_table *open = &view->open;
    struct game game = { tables, box, open, open->round, breadth, 0 };
    struct node node = { .desk = view->mine, .points = pyr_table_points(open, view->seat) };
    struct leaves leaves = { .count = 0, .most = breadth };
    unsigned left = turns_left(open);
    uint8_t pool[PYR_PATTERNS];
    for (unsigned p = 0; p < PYR_PATTERNS; p++)
        pool[p] = box->pattern[p].copies;
    for (unsigned i = 0; i <= open->turn; i++)
        pool[open->revealed[i]]--;
    for (unsigned c = 0; c < PYR_COLOURS; c++)
        for (unsigned place = 0; place < PYR_TILES; place++)
            node.taken[c] = (uint8_t)(node.taken[c] + (open->tile[c][place] != PYR_NOBODY));
    for (unsigned i = 0; i < steps_count; i++) {
        struct node next = node;
        values[i] = -1e6f;
        next.first = (uint16_t)i;
        if (open->phase == PYR_MARK) {
            if (steps[i] == pyr_step_pass())
                next.desk.due = 0, next.desk.flags = 0;
            else
                pyr_desk_mark(&next.desk, box, open->revealed[open->turn], open->round, steps[i]);
            expand(&game, &leaves, &next, open->revealed[open->turn], left);
        } else if (pyr_step_kind(steps[i]) == PYR_STEP_TAKE) {
            values[i] = value_taken(&game, &next, pyr_step_card(steps[i]), pool, left);
        } else {
            float sum = 0;
            for (pyr_cardset s = open->deck; s; s &= s - 1)
                sum += value_taken(&game, &next, (pyr_card)__builtin_ctzll(s), pool, left);
            values[i] = sum / (float)count(open->deck);
        }
    }
    for (unsigned i = 0; i < leaves.count; i++) {
        const struct node *leaf = &leaves.list[i].node;
        float value = after_turn(&game, leaf, pool, left);
        if (value > values[leaf->first])
            values[leaf->first] = value;
    }
}
