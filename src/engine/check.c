/*
 * check.c: pyr_state_check, the audit of a whole state. Each clause has a number that tests and reviews can cite.
 *
 * It looks at everything and trusts nothing, so that states from outside (a saved environment, a binding, a fuzzer) can
 * be used after it. Numbers: 1-9 the table, 10-19 a desk, 20-29 desks against phases, 30-39 cards, 40-49 chance, 50-59
 * replacing.
 */
#include <pyramids/state.h>

#include "bits.h"
#include "port.h"

#define CLAUSE(number, claim) \
    do { \
        if (!(claim)) \
            return number; \
    } while (0)

/* Member by member: an unused byte must not make two desks differ. */
static bool same_desk(const struct pyr_desk *a, const struct pyr_desk *b)
{
    return a->free == b->free && a->reach == b->reach && a->done == b->done && a->card[0] == b->card[0] &&
        a->card[1] == b->card[1] && a->rubies == b->rubies && a->emeralds == b->emeralds && a->torches == b->torches &&
        a->skulls == b->skulls && a->due == b->due && a->flags == b->flags;
}

/* 10-19: a desk by itself. */
static int check_desk(const struct pyr_box *box, const struct pyr_table *open, const struct pyr_desk *desk)
{
    pyr_pair grid = pyr_pair_of(0, PYR_ALL_SPACES) | pyr_pair_of(1, PYR_ALL_SPACES);
    CLAUSE(10, !(desk->free & ~grid) && !(desk->reach & ~desk->free));
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++) {
        pyr_spaces free = pyr_pair_half(slot, desk->free), reach = pyr_pair_half(slot, desk->reach);
        bool tomb_marked = desk->flags & PYR_DESK_TOMB(slot);
        if (desk->card[slot] == PYR_NO_CARD) {
            CLAUSE(11, !free && !tomb_marked);
            continue;
        }
        CLAUSE(12, desk->card[slot] < PYR_CARDS && !(desk->done & PYR_CARD_BIT(desk->card[slot])));
        const struct pyr_card_face *card = &box->card[desk->card[slot]];
        pyr_spaces marks = card->open & ~free;
        CLAUSE(13, !(free & ~card->open));
        /* R10: marks hang together with the entrance; reach is what touches them. */
        CLAUSE(14, !marks || marks & card->entrance);
        pyr_spaces joined = marks & card->entrance;
        for (unsigned i = 0; i < PYR_SIDE * PYR_SIDE; i++)
            joined |= NEIGHBOURS(joined) & marks;
        CLAUSE(15, joined == marks);
        CLAUSE(16, reach == (marks ? NEIGHBOURS(marks) & free : card->entrance));
        CLAUSE(17, tomb_marked == ((marks & card->tomb) != 0));
    }
    CLAUSE(18, desk->rubies <= PYR_GEMS && desk->emeralds <= PYR_GEMS && desk->skulls <= PYR_SKULLS);
    CLAUSE(19, !(desk->torches >> (open->round + 1)));
    return 0;
}

/* 30-39: where the cards are. */
static int check_cards(const struct pyr_box *box, const struct pyr_state *state)
{
    const struct pyr_table *open = &state->open;
    pyr_cardset seen = open->deck;
    unsigned total = bits_count(seen);
    (void)box;
    CLAUSE(30, !(open->deck >> PYR_CARDS));
    if (open->phase == PYR_KEEP) {
        CLAUSE(31, open->deck == PYR_CARD_BIT(PYR_CARDS) - 1 && open->deck_left == 0);
        return 0;
    }
    CLAUSE(32, bits_count(open->deck) == open->deck_left);
    for (unsigned i = 0; i < PYR_DISPLAY; i++) {
        if (open->display[i] == PYR_NO_CARD)
            continue;
        CLAUSE(33, open->display[i] < PYR_CARDS);
        seen |= PYR_CARD_BIT(open->display[i]);
        total++;
    }
    for (unsigned s = 0; s < open->seats; s++) {
        seen |= open->desk[s].done;
        total += bits_count(open->desk[s].done);
        for (unsigned slot = 0; slot < PYR_SLOTS; slot++) {
            if (open->desk[s].card[slot] == PYR_NO_CARD)
                continue;
            seen |= PYR_CARD_BIT(open->desk[s].card[slot]);
            total++;
        }
    }
    CLAUSE(34, total == PYR_CARDS && seen == PYR_CARD_BIT(PYR_CARDS) - 1);
    pyr_cardset order = 0;
    for (unsigned i = 0; i < open->deck_left; i++) {
        pyr_card card = state->hidden.deck[pyr_deck_top(state) + i];
        CLAUSE(35, card < PYR_CARDS);
        order |= PYR_CARD_BIT(card);
    }
    CLAUSE(36, order == open->deck);
    return 0;
}

/* 40-49: expedition cards, dealt cards, tiles. */
static int check_chance(const struct pyr_box *box, const struct pyr_state *state)
{
    const struct pyr_table *open = &state->open;
    for (unsigned round = 0; round < PYR_ROUNDS; round++) {
        unsigned copies[PYR_PATTERNS] = { 0 };
        for (unsigned i = 0; i < PYR_EXPEDITIONS; i++) {
            pyr_pattern pattern = state->hidden.expedition[round][i];
            CLAUSE(40, pattern < PYR_PATTERNS && ++copies[pattern] <= box->pattern[pattern].copies);
        }
    }
    bool begun = open->revealed[0] != PYR_NO_PATTERN;
    for (unsigned i = 0; i < PYR_EXPEDITIONS; i++)
        CLAUSE(
            41, open->revealed[i] == (begun && i <= open->turn ? state->hidden.expedition[open->round][i] : PYR_NO_PATTERN));
    pyr_cardset dealt = 0;
    for (unsigned s = 0; s < open->seats; s++) {
        for (unsigned i = 0; i < PYR_DEALT; i++) {
            pyr_card card = state->hidden.dealt[s][i];
            CLAUSE(42, card < PYR_CARDS && !(dealt & PYR_CARD_BIT(card)));
            dealt |= PYR_CARD_BIT(card);
        }
        bool kept = open->phase != PYR_KEEP;
        for (unsigned i = 0; i < PYR_KEPT; i++) {
            unsigned at = 0;
            while (kept && at < PYR_DEALT && state->hidden.dealt[s][at] != open->kept[s][i])
                at++;
            CLAUSE(43, kept ? at < PYR_DEALT : open->kept[s][i] == PYR_NO_CARD);
        }
    }
    for (unsigned colour = 0; colour < PYR_COLOURS; colour++) {
        unsigned taken = 0, earned = 0;
        for (unsigned s = 0; s < open->seats; s++) {
            unsigned count = bits_count(open->desk[s].done & box->colour[colour]);
            earned += count > 6 ? 3 : count / 2;
        }
        for (unsigned place = 0; place < PYR_TILES; place++) {
            pyr_seat owner = open->tile[colour][place];
            CLAUSE(44, owner == PYR_NOBODY || owner < open->seats);
            CLAUSE(45, owner == PYR_NOBODY || taken == place);
            taken += owner != PYR_NOBODY;
        }
        /* Q9: points of this turn are still to be taken while cards are replaced. */
        bool settled = open->replace_order[0] == PYR_NOBODY;
        CLAUSE(46, taken <= earned && (!settled || taken == (earned > PYR_TILES ? PYR_TILES : earned)));
    }
    return 0;
}

static int find_broken(const struct pyr_box *box, const struct pyr_state *state)
{
    const struct pyr_table *open = &state->open;
    CLAUSE(1, pyr_options_has_seats(pyr_table_options(open), open->seats));
    CLAUSE(2, open->phase <= PYR_END && open->round < pyr_table_options(open)->rounds &&
        open->turn < pyr_table_options(open)->turns);
    bool decision = open->phase == PYR_KEEP || open->phase == PYR_MARK || open->phase == PYR_REPLACE;
    CLAUSE(3, (open->waiting != 0) == decision && !(open->waiting >> open->seats));
    for (unsigned s = 0; s < open->seats; s++) {
        const struct pyr_desk *shown = &open->desk[s], *hidden = &state->desk[s];
        int clause = check_desk(box, open, shown);
        CLAUSE(clause, !clause);
        clause = check_desk(box, open, hidden);
        CLAUSE(clause, !clause);
        bool chooses = open->phase == PYR_KEEP || open->phase == PYR_MARK;
        CLAUSE(20, chooses || same_desk(shown, hidden));
        CLAUSE(21, !((hidden->free & ~shown->free) && open->phase == PYR_MARK));
        CLAUSE(22, open->phase == PYR_MARK ? (hidden->due != 0) == (open->waiting >> s & 1)
                                           : !hidden->due && !hidden->flags);
        CLAUSE(23, open->phase != PYR_MARK || (shown->due == 1 && shown->flags == PYR_DESK_FIRST));
        CLAUSE(24, open->phase != PYR_KEEP || shown->card[0] == PYR_NO_CARD);
        CLAUSE(25, open->phase != PYR_KEEP || (hidden->card[0] == PYR_NO_CARD) == (open->waiting >> s & 1));
    }
    int clause = check_cards(box, state);
    CLAUSE(clause, !clause);
    clause = check_chance(box, state);
    CLAUSE(clause, !clause);
    /* 50-59: replacing. */
    if (open->phase == PYR_REPLACE) {
        CLAUSE(50, open->replacing < open->seats && open->cards_owed >= 1 && open->cards_owed <= 2);
        pyr_seat now = open->replace_order[open->replacing];
        CLAUSE(51, now < open->seats && open->waiting == 1u << now);
        for (unsigned i = 0; i + 1 < PYR_MAX_SEATS; i++) {
            pyr_seat a = open->replace_order[i], b = open->replace_order[i + 1];
            CLAUSE(52, b == PYR_NOBODY ||
                (a < open->seats && b < open->seats && open->completed[a][0] < open->completed[b][0]));
        }
    } else {
        CLAUSE(53, open->cards_owed == 0);
    }
    return 0;
}

enum pyr_err pyr_state_check(const struct pyr_state *state, const struct pyr_box *box, int *clause)
{
    int broken = find_broken(box, state);
    if (clause)
        *clause = broken;
    return broken ? PYR_ERR_STATE : PYR_OK;
}
