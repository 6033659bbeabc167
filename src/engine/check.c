/*
 * check.c: pyr_state_check, the audit of a whole state. Each clause has a number that tests and reviews can cite.
 *
 * It checks everything, so that states from outside (a saved environment, a binding, a fuzzer) can be used afterwards:
 * playing on from a state that passes reads and writes only that state, and all following states pass, too. The fuzz
 * target `state` tests this. Numbers: 1-9 the table, 10-19 a desk, 20-29 desks against phases, 30-39 cards, 40-49
 * chance, 50-59 replacing.
 */
#include <pyramids/state.h>

#include "bits.h"
#include "port.h"

#define CLAUSE(number, claim) \
    do { \
        if (!(claim)) \
            return number; \
    } while (0)

#define MOST_DUE 4              /* marks due at a time (state.h) */

/* Member by member: unused bytes must not count as a difference. */
static bool same_desk(const struct pyr_desk *a, const struct pyr_desk *b)
{
    return a->free == b->free && a->reach == b->reach && a->done == b->done && a->card[0] == b->card[0] &&
        a->card[1] == b->card[1] && a->rubies == b->rubies && a->emeralds == b->emeralds && a->torches == b->torches &&
        a->skulls == b->skulls && a->due == b->due && a->flags == b->flags;
}

static bool is_blank(const struct pyr_desk *desk)
{
    const struct pyr_desk blank = { .card = { PYR_NO_CARD, PYR_NO_CARD } };
    return same_desk(desk, &blank);
}

/* 4: the end of a phase processes all four desks, so those without a player must have no effect. */
static bool is_empty_seat(const struct pyr_state *state, unsigned seat)
{
    const struct pyr_table *open = &state->open;
    return is_blank(&open->desk[seat]) && is_blank(&state->desk[seat]) && open->kept[seat][0] == PYR_NO_CARD &&
        open->kept[seat][1] == PYR_NO_CARD && open->completed[seat][0] == PYR_NO_CARD &&
        open->completed[seat][1] == PYR_NO_CARD;
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
        /* R10: marks are connected with the entrance; reach is what touches them. */
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

/* Whether a desk has two unmarked cards and nothing else. */
static bool is_as_laid(const struct pyr_box *box, const struct pyr_desk *desk, const pyr_card *cards)
{
    struct pyr_desk laid = { .card = { PYR_NO_CARD, PYR_NO_CARD } };
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++) {
        if (cards[slot] >= PYR_CARDS)
            return false;
        pyr_desk_lay(&laid, box, slot, cards[slot]);
    }
    return same_desk(desk, &laid);
}

/* 20-29: the difference between a seat's own desk in this phase and what everyone sees of it. */
static int check_phase_of_desk(const struct pyr_box *box, const struct pyr_state *state, unsigned seat)
{
    const struct pyr_table *open = &state->open;
    const struct pyr_desk *shown = &open->desk[seat], *hidden = &state->desk[seat];
    bool waits = open->waiting >> seat & 1;
    if (open->phase == PYR_KEEP) {
        CLAUSE(24, is_blank(shown));
        CLAUSE(25, waits ? is_blank(hidden) : is_as_laid(box, hidden, hidden->card));
        unsigned found = 0;
        for (unsigned i = 0; i < PYR_DEALT; i++)
            for (unsigned slot = 0; slot < PYR_SLOTS; slot++)
                found |= (unsigned)(state->hidden.dealt[seat][i] == hidden->card[slot]) << slot;
        CLAUSE(26, waits || (found == 3 && hidden->card[0] < hidden->card[1]));
    } else if (open->phase == PYR_MARK) {
        CLAUSE(21, !(hidden->free & ~shown->free));
        CLAUSE(22, (hidden->due != 0) == waits && hidden->due <= MOST_DUE);
        CLAUSE(23, shown->due == 1 && shown->flags == PYR_DESK_FIRST);
        CLAUSE(27, hidden->card[0] == shown->card[0] && hidden->card[1] == shown->card[1] && hidden->done == shown->done);
        CLAUSE(28, hidden->flags & PYR_DESK_FIRST ? same_desk(shown, hidden) : !(hidden->flags & ~PYR_DESK_TOMBS));
        /* Q3: an extra mark that is due has a space to go to. */
        CLAUSE(29, !hidden->due || hidden->flags & PYR_DESK_FIRST || hidden->reach);
        return 0;
    } else {
        CLAUSE(20, same_desk(shown, hidden));
        CLAUSE(24, open->revealed[0] != PYR_NO_PATTERN || is_as_laid(box, shown, open->kept[seat]));
    }
    CLAUSE(22, !hidden->due && !hidden->flags);
    return 0;
}

static unsigned count_display(const struct pyr_table *open)
{
    unsigned count = 0;
    for (unsigned i = 0; i < PYR_DISPLAY; i++)
        count += open->display[i] != PYR_NO_CARD;
    return count;
}

/* Cards that a seat has completed in this turn. */
static unsigned count_completed(const struct pyr_table *open, unsigned seat)
{
    return (unsigned)(open->completed[seat][0] != PYR_NO_CARD) + (open->completed[seat][1] != PYR_NO_CARD);
}

/* 38: while there is a deck, the display lacks only the cards that the replacing seat has just taken. */
static bool is_filled(const struct pyr_table *open)
{
    unsigned gaps = PYR_DISPLAY - count_display(open);
    pyr_seat seat = open->replace_order[open->replacing % PYR_MAX_SEATS];
    unsigned most = seat < open->seats ? count_completed(open, seat) : 0;
    if (open->phase == PYR_SHOW)
        return open->deck_left && gaps && (open->revealed[0] == PYR_NO_PATTERN ? gaps == PYR_DISPLAY : gaps <= most);
    return !open->deck_left || (open->phase == PYR_REPLACE ? gaps + open->cards_owed <= most : !gaps);
}

/* 30-39: where the cards are. */
static int check_cards(const struct pyr_state *state)
{
    const struct pyr_table *open = &state->open;
    pyr_cardset seen = open->deck;
    unsigned total = bits_count(seen);
    CLAUSE(30, !(open->deck >> PYR_CARDS));
    if (open->phase == PYR_KEEP) {
        CLAUSE(31, open->deck == PYR_CARD_BIT(PYR_CARDS) - 1 && open->deck_left == 0);
        pyr_cardset all = 0;
        for (unsigned i = 0; i < PYR_CARDS; i++) {
            CLAUSE(35, state->hidden.deck[i] < PYR_CARDS);
            all |= PYR_CARD_BIT(state->hidden.deck[i]);
        }
        CLAUSE(36, all == open->deck);
        for (unsigned i = 0; i < PYR_DISPLAY; i++)
            CLAUSE(33, open->display[i] == PYR_NO_CARD);
        return 0;
    }
    CLAUSE(32, bits_count(open->deck) == open->deck_left);
    CLAUSE(37, open->deck_left <= PYR_CARDS - PYR_KEPT * open->seats);       /* otherwise its top would be before the
                                                                                beginning of the deck */
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
    CLAUSE(38, is_filled(open));
    pyr_cardset order = 0;
    for (unsigned i = 0; i < open->deck_left; i++) {
        pyr_card card = state->hidden.deck[pyr_deck_top(state) + i];
        CLAUSE(35, card < PYR_CARDS);
        order |= PYR_CARD_BIT(card);
    }
    CLAUSE(36, order == open->deck);
    return 0;
}

/* 43: a card that was kept was dealt to that seat, and is on its desk or was completed by it. */
static bool is_kept(const struct pyr_state *state, unsigned seat, unsigned which)
{
    const struct pyr_desk *desk = &state->open.desk[seat];
    pyr_card card = state->open.kept[seat][which];
    unsigned at = 0;
    if (card == PYR_NO_CARD)
        return false;
    while (at < PYR_DEALT && state->hidden.dealt[seat][at] != card)
        at++;
    return at < PYR_DEALT && (desk->card[0] == card || desk->card[1] == card || desk->done & PYR_CARD_BIT(card));
}

/* Points of a colour that a seat could take with these pyramids. */
static unsigned claims_of(const struct pyr_table *open, pyr_cardset pyramids)
{
    unsigned claims = 0;
    for (unsigned count = bits_count(pyramids); count; count--)
        claims += pyr_options_is_claim(pyr_table_options(open), count);
    return claims;
}

/* 44-46, 48: pyramid points. Q9: those of this turn are taken when all cards have been replaced. */
static int check_tiles(const struct pyr_box *box, const struct pyr_table *open)
{
    bool settled = open->replace_order[0] == PYR_NOBODY;
    for (unsigned colour = 0; colour < PYR_COLOURS; colour++) {
        unsigned taken = 0, claimed = 0, has[PYR_MAX_SEATS] = { 0 };
        for (unsigned place = 0; place < PYR_TILES; place++) {
            pyr_seat owner = open->tile[colour][place];
            CLAUSE(44, owner == PYR_NOBODY || owner < open->seats);
            CLAUSE(45, owner == PYR_NOBODY || taken == place);
            if (owner == PYR_NOBODY)
                continue;
            taken++;
            has[owner]++;
        }
        for (unsigned s = 0; s < open->seats; s++) {
            pyr_cardset counted = open->desk[s].done & box->colour[colour];
            for (unsigned i = 0; i < PYR_SLOTS && !settled; i++)
                counted &= ~PYR_CARD_BIT(open->completed[s][i] & 63);    /* no card has bit 63 */
            unsigned claims = claims_of(open, counted);
            CLAUSE(48, has[s] <= claims);
            claimed += claims;
        }
        CLAUSE(46, taken == (claimed > PYR_TILES ? PYR_TILES : claimed));
    }
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
        for (unsigned i = 0; i < PYR_KEPT; i++)
            CLAUSE(43, open->phase == PYR_KEEP ? open->kept[s][i] == PYR_NO_CARD : is_kept(state, s, i));
        CLAUSE(47, open->phase == PYR_KEEP || open->kept[s][0] < open->kept[s][1]);
    }
    return check_tiles(box, open);
}

/* Cards that a seat will still take in this turn. */
static unsigned cards_to_come(const struct pyr_table *open, unsigned seat)
{
    for (unsigned i = open->replacing; i < PYR_MAX_SEATS; i++)
        if (open->replace_order[i] == seat)
            return i > open->replacing ? count_completed(open, seat) : open->cards_owed;
    return 0;
}

/* 54-57: the pyramids completed in this turn. Counts the seats with one. */
static int check_completed(const struct pyr_table *open, unsigned *completers)
{
    for (unsigned s = 0; s < open->seats; s++) {
        const pyr_card *cards = open->completed[s];
        if (cards[0] == PYR_NO_CARD) {
            CLAUSE(54, cards[1] == PYR_NO_CARD);
            continue;
        }
        ++*completers;
        CLAUSE(55, cards[0] < PYR_CARDS && open->desk[s].done & PYR_CARD_BIT(cards[0]));
        CLAUSE(56, cards[1] == PYR_NO_CARD ||
            (cards[0] < cards[1] && cards[1] < PYR_CARDS && open->desk[s].done & PYR_CARD_BIT(cards[1])));
    }
    bool begun = open->revealed[0] != PYR_NO_PATTERN;
    CLAUSE(57, !*completers || (begun && open->phase != PYR_KEEP && open->phase != PYR_MARK));
    /* Q7: a slot is empty while its card is still to be replaced; permanently only if there was nothing left to take. */
    for (unsigned s = 0; s < open->seats && open->phase != PYR_KEEP && (open->deck_left || count_display(open)); s++) {
        unsigned empty = (unsigned)(open->desk[s].card[0] == PYR_NO_CARD) + (open->desk[s].card[1] == PYR_NO_CARD);
        CLAUSE(59, empty == cards_to_come(open, s));
    }
    return 0;
}

/* 50-53, 58, 59: the cards that replace the pyramids of this turn. */
static int check_replacing(const struct pyr_state *state)
{
    const struct pyr_table *open = &state->open;
    unsigned completers = 0;
    int clause = check_completed(open, &completers);
    CLAUSE(clause, !clause);
    if (open->replace_order[0] == PYR_NOBODY) {
        CLAUSE(53, open->phase != PYR_REPLACE && open->cards_owed == 0 && open->replacing == 0);
        for (unsigned i = 1; i < PYR_MAX_SEATS; i++)
            CLAUSE(52, open->replace_order[i] == PYR_NOBODY);
        return 0;
    }
    CLAUSE(58, open->phase == PYR_REPLACE || open->phase == PYR_SHOW);
    for (unsigned i = 0; i < PYR_MAX_SEATS; i++) {
        pyr_seat seat = open->replace_order[i];
        CLAUSE(52, i < completers ? seat < open->seats && open->completed[seat][0] != PYR_NO_CARD : seat == PYR_NOBODY);
        CLAUSE(52, !i || i >= completers || open->completed[open->replace_order[i - 1]][0] < open->completed[seat][0]);
    }
    CLAUSE(50, open->replacing < completers);
    pyr_seat now = open->replace_order[open->replacing];
    if (open->phase == PYR_SHOW) {
        CLAUSE(53, open->cards_owed == 0);
        return 0;
    }
    CLAUSE(51, open->waiting == 1u << now);
    CLAUSE(59, open->cards_owed && (open->deck_left || count_display(open)));
    return 0;
}

/* 5: phases between the first and the last turn. */
static bool is_in_course(const struct pyr_table *open)
{
    const struct pyr_options *options = pyr_table_options(open);
    bool begun = open->revealed[0] != PYR_NO_PATTERN;
    bool last = open->turn == options->turns - 1 && open->round == options->rounds - 1;
    if (!begun)
        return open->round == 0 && open->turn == 0 && (open->phase == PYR_KEEP || open->phase == PYR_SHOW ||
            open->phase == PYR_REVEAL);
    if (open->phase == PYR_SHOW)
        return open->replace_order[0] != PYR_NOBODY;
    return open->phase == PYR_END ? last : open->phase == PYR_REVEAL ? !last : open->phase != PYR_KEEP;
}

static int find_broken(const struct pyr_box *box, const struct pyr_state *state)
{
    const struct pyr_table *open = &state->open;
    CLAUSE(1, pyr_options_has_seats(pyr_table_options(open), open->seats));
    CLAUSE(2, open->phase <= PYR_END && open->round < pyr_table_options(open)->rounds &&
        open->turn < pyr_table_options(open)->turns);
    bool decision = open->phase == PYR_KEEP || open->phase == PYR_MARK || open->phase == PYR_REPLACE;
    CLAUSE(6, !open->reserved[0] && !open->reserved[1] && !open->reserved[2]);
    CLAUSE(3, (open->waiting != 0) == decision && !(open->waiting >> open->seats));
    for (unsigned s = open->seats; s < PYR_MAX_SEATS; s++)
        CLAUSE(4, is_empty_seat(state, s));
    CLAUSE(5, is_in_course(open));
    for (unsigned s = 0; s < open->seats; s++) {
        int clause = check_desk(box, open, &open->desk[s]);
        CLAUSE(clause, !clause);
        clause = check_desk(box, open, &state->desk[s]);
        CLAUSE(clause, !clause);
        clause = check_phase_of_desk(box, state, s);
        CLAUSE(clause, !clause);
    }
    int clause = check_cards(state);
    CLAUSE(clause, !clause);
    clause = check_chance(box, state);
    CLAUSE(clause, !clause);
    return check_replacing(state);
}

enum pyr_err pyr_state_check(const struct pyr_state *state, const struct pyr_box *box, int *clause)
{
    int broken = find_broken(box, state);
    if (clause)
        *clause = broken;
    return broken ? PYR_ERR_STATE : PYR_OK;
}
