/*
 * hand.c: see hand.h. Moving a pattern is in session/aim.c; this file adds what a player at a terminal needs: which of
 * two cards is in hand, which dealt cards are picked, what a mark would gain, and how undo restores the aim. Every
 * function asks the match for the present desk, so a hand is never older than the position.
 */
#include "hand.h"

pyr_pattern hand_pattern(const struct pyr_match *match)
{
    const struct pyr_table *open = &match->replay.state.open;
    return match->replay.stage == PYR_STAGE_PLAY && open->phase == PYR_MARK ? open->revealed[open->turn] : PYR_NO_PATTERN;
}

/* Computed from the match each time, never stored: so it is correct after an undo or a message of a server. */
enum hand_state hand_state(const struct pyr_match *match, pyr_seat seat)
{
    struct pyr_steps steps;
    const struct pyr_table *open = &match->replay.state.open;
    if (pyr_match_is_over(match))
        return HAND_OVER;
    if (match->replay.stage != PYR_STAGE_PLAY || seat >= match->replay.seats || !(open->waiting >> seat & 1))
        return HAND_IDLE;
    if (match->choice[seat].confirmed)
        return HAND_SEALED;
    if (open->phase == PYR_REPLACE)
        return HAND_REPLACE;
    if (pyr_match_is_ready(match, seat))
        return HAND_READY;
    if (open->phase == PYR_KEEP)
        return HAND_KEEP;
    if (open->phase != PYR_MARK)
        return HAND_IDLE;
    pyr_match_steps(match, seat, &steps);
    if (steps.pattern == PYR_NO_PATTERN)
        return HAND_PASS;
    return match->choice[seat].count ? HAND_EXTRA : HAND_FIRST;
}

/* Including marks that are placed but not confirmed. */
static void desk_of(const struct pyr_match *match, pyr_seat seat, struct pyr_desk *desk)
{
    struct pyr_view view;
    pyr_match_view(match, seat, &view);
    *desk = view.mine;
}

/* After the game has continued, the hand starts over; after a step was only made or taken back, it stays over its card. */
void hand_follow(struct hand *hand, const struct pyr_match *match, pyr_seat seat)
{
    if (seat >= match->replay.seats || (hand->line == match->log.lines && hand->steps == match->choice[seat].count))
        return;
    bool is_new = hand->line != match->log.lines;
    hand->line = match->log.lines;
    hand->steps = match->choice[seat].count;
    if (is_new) {
        hand->picked = 0;
        hand->at = 0;
        hand->aim.single = 0;
    }
    struct pyr_desk desk;
    enum hand_state state = hand_state(match, seat);
    if (state == HAND_FIRST || state == HAND_EXTRA) {
        desk_of(match, seat, &desk);
        if (state == HAND_FIRST && is_new)
            hand->aim.single = 0;
        pyr_aim_settle(&hand->aim, &match->edition->box, &desk, hand_pattern(match));
    } else if (state == HAND_REPLACE) {
        const struct pyr_table *open = &match->replay.state.open;
        while (hand->at < PYR_DISPLAY && open->display[hand->at] == PYR_NO_CARD)
            hand->at++;
    }
}

/* A completed card is set aside only at the end of the turn (R12), but the player sees its ten points at once. */
int hand_points(const struct pyr_box *box, const struct pyr_desk *desk, int tiles)
{
    return pyr_desk_score(desk, box, tiles).total + 10 * __builtin_popcount(desk->flags & PYR_DESK_TOMBS);
}

/* Adds to what is counted already, so that several steps can be summed. */
static void add_symbols(struct pyr_symbols *to, const struct pyr_symbols *more)
{
#define ADD(name, character) to->name = (uint8_t)(to->name + more->name);
    PYR_SYMBOLS(ADD)
    ADD(tomb, 'T')
#undef ADD
}

/* Makes a step on a desk and adds up its gains. `expected` is the number of extra marks due if all crosses counted; those
 * missing afterwards had no free space (Q3). */
static enum pyr_err add_step(const struct pyr_match *match, pyr_seat seat, struct pyr_desk *desk, pyr_step step,
    struct gains *gains)
{
    const struct pyr_box *box = &match->edition->box;
    const struct pyr_table *open = &match->replay.state.open;
    struct pyr_desk after = *desk;
    enum pyr_err err = pyr_desk_mark(&after, box, hand_pattern(match), open->round, step);
    if (err || pyr_step_kind(step) != PYR_STEP_MARK)
        return err;
    struct pyr_symbols now = pyr_symbols_count(&box->card[desk->card[pyr_step_slot(step)]], pyr_step_spaces(step));
    unsigned expected = desk->due - 1u + now.cross;
    add_symbols(&gains->symbols, &now);
    gains->torch_lost = gains->torch_lost || (now.torch && after.torches == desk->torches);
    unsigned skulls = desk->skulls + now.skull;
    if (skulls > PYR_SKULLS)
        skulls = PYR_SKULLS;
    gains->healed = (uint8_t)(gains->healed + (skulls > after.skulls ? skulls - after.skulls : 0));
    gains->due = after.due;
    gains->lost = (uint8_t)(gains->lost + (expected > after.due ? expected - after.due : 0));
    gains->after = hand_points(box, &after, pyr_table_points(open, seat));
    *desk = after;
    return PYR_OK;
}

void hand_made(const struct pyr_match *match, pyr_seat seat, struct gains *gains)
{
    *gains = (struct gains){ .before = 0 };
    if (seat >= match->replay.seats)
        return;
    struct pyr_desk desk = match->replay.state.open.desk[seat];
    gains->before = gains->after =
        hand_points(&match->edition->box, &desk, pyr_table_points(&match->replay.state.open, seat));
    for (unsigned i = 0; hand_pattern(match) != PYR_NO_PATTERN && i < match->choice[seat].count; i++)
        if (add_step(match, seat, &desk, pyr_pending_step(&match->choice[seat], i), gains))
            return;
}

enum pyr_err hand_preview(const struct hand *hand, const struct pyr_match *match, pyr_seat seat, struct gains *gains)
{
    struct pyr_desk desk;
    *gains = (struct gains){ .before = 0 };
    if (seat >= match->replay.seats || hand_pattern(match) == PYR_NO_PATTERN)
        return PYR_ERR_NOT_DUE;
    desk_of(match, seat, &desk);
    gains->before = gains->after =
        hand_points(&match->edition->box, &desk, pyr_table_points(&match->replay.state.open, seat));
    if (desk.card[hand->aim.slot & 1] == PYR_NO_CARD)
        return PYR_ERR_NOT_ON_DESK;
    return add_step(match, seat, &desk, pyr_aim_step(&hand->aim, &match->edition->box, hand_pattern(match)), gains);
}

/* At the inner edge the pattern moves to the other card. */
void hand_move(struct hand *hand, const struct pyr_match *match, pyr_seat seat, int rows, int columns)
{
    const struct pyr_box *box = &match->edition->box;
    pyr_pattern pattern = hand_pattern(match);
    if (pyr_aim_move(&hand->aim, box, pattern, rows, columns) || !columns)
        return;
    if (columns > 0 ? hand->aim.slot == 0 : hand->aim.slot == 1) {
        struct pyr_desk desk;
        desk_of(match, seat, &desk);
        if (desk.card[!hand->aim.slot] == PYR_NO_CARD)
            return;
        hand->aim.slot = !hand->aim.slot;
        pyr_aim_move(&hand->aim, box, pattern, 0, columns > 0 ? -PYR_SIDE : PYR_SIDE);
    }
}

/* 0 quarters mirrors it. Only the first mark is a pattern; extra marks are single spaces. */
void hand_turn(struct hand *hand, const struct pyr_match *match, pyr_seat seat, int quarters)
{
    struct pyr_desk desk;
    desk_of(match, seat, &desk);
    if (hand_state(match, seat) == HAND_FIRST)
        pyr_aim_turn(&hand->aim, &match->edition->box, &desk, hand_pattern(match), quarters);
}

bool hand_next(struct hand *hand, const struct pyr_match *match, pyr_seat seat, int direction)
{
    struct pyr_desk desk;
    desk_of(match, seat, &desk);
    return pyr_aim_next(&hand->aim, &match->edition->box, &desk, hand_pattern(match), direction);
}

void hand_card(struct hand *hand, const struct pyr_match *match, pyr_seat seat, unsigned slot)
{
    struct pyr_desk desk;
    desk_of(match, seat, &desk);
    if (slot < PYR_SLOTS && desk.card[slot] != PYR_NO_CARD && slot != hand->aim.slot) {
        struct pyr_aim to = hand->aim;
        to.slot = (uint8_t)slot;
        hand->aim = to;
        /* Moves to a legal placement there, if there is one; the kind of mark stays. */
        if (pyr_aim_settle(&to, &match->edition->box, &desk, hand_pattern(match)) && to.slot == slot &&
            to.single == hand->aim.single)
            hand->aim = to;
    }
}

/* If nothing of the kind fits anywhere, the aim only moves onto the card. */
void hand_single(struct hand *hand, const struct pyr_match *match, pyr_seat seat)
{
    struct pyr_desk desk;
    if (hand_state(match, seat) != HAND_FIRST)
        return;
    desk_of(match, seat, &desk);
    hand->aim.single = !hand->aim.single;
    struct pyr_aim to = hand->aim;
    if (pyr_aim_settle(&to, &match->edition->box, &desk, hand_pattern(match)) && to.single == hand->aim.single)
        hand->aim = to;
    else
        pyr_aim_move(&hand->aim, &match->edition->box, hand_pattern(match), 0, 0);
}

/* For the mouse: `any_turn` allows turning the pattern so that it fits over the space. */
bool hand_cover(struct hand *hand, const struct pyr_match *match, pyr_seat seat, unsigned slot, unsigned row,
    unsigned column, bool any_turn)
{
    struct pyr_desk desk;
    desk_of(match, seat, &desk);
    if (slot >= PYR_SLOTS || desk.card[slot] == PYR_NO_CARD)
        return false;
    return pyr_aim_cover(&hand->aim, &match->edition->box, &desk, hand_pattern(match), slot, row, column, any_turn);
}

/* A third card replaces the one that was picked first. */
void hand_pick(struct hand *hand, unsigned card)
{
    uint8_t bit = (uint8_t)(1u << card);
    if (!(hand->picked & bit) && __builtin_popcount(hand->picked) >= PYR_KEPT)
        hand->picked &= (uint8_t)(1u << hand->recent);
    hand->picked ^= bit;
    if (hand->picked & bit)
        hand->recent = (uint8_t)card;
    else if (hand->picked)
        hand->recent = (uint8_t)__builtin_ctz(hand->picked);
}

/* The aim is stored for each step, so that undo can put the pattern back where it was. */
enum pyr_err hand_place(struct hand *hand, struct pyr_match *match, pyr_seat seat)
{
    const struct pyr_state *state = &match->replay.state;
    switch (hand_state(match, seat)) {
    case HAND_PASS:
        return pyr_match_step(match, seat, pyr_step_pass());
    case HAND_FIRST:
    case HAND_EXTRA:
        if (state->open.desk[seat].card[hand->aim.slot & 1] == PYR_NO_CARD)
            return PYR_ERR_NOT_ON_DESK;
        hand->made[match->choice[seat].count] = hand->aim;
        return pyr_match_step(match, seat, pyr_aim_step(&hand->aim, &match->edition->box, hand_pattern(match)));
    case HAND_KEEP: {
        if (__builtin_popcount(hand->picked) != PYR_KEPT)
            return PYR_ERR_NOT_READY;
        unsigned first = (unsigned)__builtin_ctz(hand->picked), second = 31 - (unsigned)__builtin_clz(hand->picked);
        const pyr_card *dealt = state->hidden.dealt[seat];
        return pyr_match_step(match, seat, pyr_step_keep(dealt[first], dealt[second]));
    }
    default:
        return PYR_ERR_NOT_DUE;
    }
}

enum pyr_err hand_undo(struct hand *hand, struct pyr_match *match, pyr_seat seat)
{
    unsigned last = seat < PYR_MAX_SEATS && match->choice[seat].count ? match->choice[seat].count - 1u : 0;
    pyr_step step = seat < PYR_MAX_SEATS ? pyr_pending_step(&match->choice[seat], last) : PYR_STEP_NONE;
    enum pyr_err err = pyr_match_undo(match, seat);
    /* The steps of a choice from elsewhere (a saved game, a server) were not aimed here. */
    if (!err && hand_pattern(match) != PYR_NO_PATTERN &&
        pyr_aim_step(&hand->made[last], &match->edition->box, hand_pattern(match)) == step) {
        hand->aim = hand->made[last];
        hand->line = match->log.lines;
        hand->steps = match->choice[seat].count;
    }
    return err;
}
