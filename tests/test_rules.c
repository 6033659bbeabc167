/*
 * test_rules.c: each rule R1-R17, ruling Q1-Q10 and worked example E1-E5 of docs/rules.md, as a position and its
 * required result.
 *
 * All cards are alike unless a case draws its own: no walls, no symbols, the entrance at c1 and the tomb at c5. Card
 * n is green, orange or purple if n mod 3 is 1, 2 or 0. Positions are made by hand and audited.
 */
#include "check.h"
#include "check_card.h"

#include <pyramids/score.h>
#include <pyramids/view.h>

enum { I2, I3, V3, I4, L4, O4 };

static struct pyr_components print;
static struct pyr_box box;
static struct pyr_state game;

/* Draws a card: five rows, with anything between them. */
static void card(int number, const char *rows)
{
    struct pyr_card_face face = { .colour = (uint8_t)(number % 3 == 1 ? PYR_GREEN : number % 3 ==
        2 ? PYR_ORANGE : PYR_PURPLE) };
    check_card(&face, rows);
    print.card[number - 1] = face;
}

#define PLAIN_CARD "..v.. ..... ..... ..... ..T.."

/* A fresh print; card() then changes single cards. */
static void fresh_print(void)
{
    static const uint16_t penalty[PYR_SKULLS] = { 1, 2, 3, 4, 6, 8, 10, 12, 15, 18 };
    static const char *const pattern[PYR_PATTERNS] = { "a1b1", "a1b1c1", "a1a2b2", "a1b1c1d1", "a1a2a3b3", "a1b1a2b2" };
    static const uint8_t copies[PYR_PATTERNS] = { 1, 1, 1, 2, 1, 2 };
    memset(&print, 0, sizeof print);
    memcpy(print.penalty, penalty, sizeof penalty);
    memcpy(print.copies, copies, sizeof copies);
    for (int p = 0; p < PYR_PATTERNS; p++)
        print.pattern[p] = spaces(pattern[p]);
    for (int n = 1; n <= PYR_CARDS; n++)
        card(n, PLAIN_CARD);
}

/* How a game begins: the kept cards, the top of the deck, the first reveal. */
struct opening {
    int seats;
    int hand[PYR_MAX_SEATS][PYR_KEPT];
    int deck[12];
    int pattern;
};

static bool is_named(const struct opening *opening, int number)
{
    for (int i = 0; i < PYR_MAX_SEATS * PYR_KEPT; i++)
        if (opening->hand[i / 2][i % 2] == number)
            return true;
    for (int i = 0; i < 12; i++)
        if (opening->deck[i] == number)
            return true;
    return false;
}

static bool audit(void)
{
    int clause;
    pyr_state_check(&game, &box, &clause);
    return CHECK_INT(clause, 0);
}

static void make_chance(const struct opening *opening, struct pyr_chance *chance)
{
    int spare = PYR_CARDS, left = 0;
    memset(chance, PYR_NO_CARD, sizeof *chance);
    for (int s = 0; s < opening->seats; s++) {
        for (int i = 0; i < PYR_DEALT; i++) {
            while (i >= 2 && is_named(opening, spare))
                spare--;
            chance->dealt[s][i] = (pyr_card)((i < 2 ? opening->hand[s][i] : spare--) - 1);
        }
    }
    for (int i = 0; i < 12 && opening->deck[i]; i++)
        chance->deck[left++] = (pyr_card)(opening->deck[i] - 1);
    for (int n = 1; n <= PYR_CARDS; n++) {
        bool listed = false;
        for (int i = 0; i < 12; i++)
            listed |= opening->deck[i] == n;
        if (!listed)
            chance->deck[left++] = (pyr_card)(n - 1);
    }
    for (int round = 0; round < PYR_ROUNDS; round++) {
        pyr_pattern *order = chance->expedition[round];
        memcpy(order, box.expedition, PYR_EXPEDITIONS);
        int at = 0;
        while (order[at] != opening->pattern)
            at++;
        order[at] = order[0];
        order[0] = (pyr_pattern)opening->pattern;
    }
}

/* Deals and keeps, up to the first reveal. */
static void begin(struct opening opening)
{
    struct pyr_chance chance;
    CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_OK);
    make_chance(&opening, &chance);
    CHECK_INT(pyr_state_init(&game, &box, (unsigned)opening.seats, &chance), PYR_OK);
    for (int s = 0; s < opening.seats; s++)
        CHECK_INT(pyr_state_apply(&game, &box, (pyr_seat)s, pyr_step_keep((pyr_card)(opening.hand[s][0] - 1),
            (pyr_card)(opening.hand[s][1] - 1))), PYR_OK);
    pyr_state_advance(&game, &box);
    CHECK_INT(game.open.phase, PYR_MARK);
    audit();
}

#define BEGIN(...) begin((struct opening){ __VA_ARGS__ })
#define BEGIN_TWO(...) BEGIN(.seats = 2, .hand = { { 1, 2 }, { 3, 4 } }, __VA_ARGS__)

static unsigned slot_of(int seat, int number)
{
    return game.desk[seat].card[0] == number - 1 ? 0 : 1;
}

static bool has_card(int seat, int number)
{
    return game.desk[seat].card[0] == number - 1 || game.desk[seat].card[1] == number - 1;
}

/* Making positions. */

static void both_desks(int seat, void (*change)(struct pyr_desk *, int), int value)
{
    change(&game.desk[seat], value);
    change(&game.open.desk[seat], value);
}

static void put_rubies(struct pyr_desk *desk, int n) { desk->rubies = (uint8_t)n; }
static void put_emeralds(struct pyr_desk *desk, int n) { desk->emeralds = (uint8_t)n; }
static void put_skulls(struct pyr_desk *desk, int n) { desk->skulls = (uint8_t)n; }
static void put_torches(struct pyr_desk *desk, int n) { desk->torches = (uint8_t)n; }

/* Marks of earlier turns. */
static void marked(int seat, int number, const char *text)
{
    unsigned slot = slot_of(seat, number);
    pyr_spaces marks = spaces(text), open = box.card[number - 1].open, reach = 0;
    if (!CHECK(has_card(seat, number)))
        return;
    for (int row = 0; row < 5; row++) {
        for (int column = 0; column < 5; column++) {
            bool touches = (row > 0 && marks & PYR_SPACE(row - 1, column)) ||
                (row < 4 && marks & PYR_SPACE(row + 1, column)) ||
                (column > 0 && marks & PYR_SPACE(row, column - 1)) || (column < 4 && marks & PYR_SPACE(row, column + 1));
            reach |= touches ? PYR_SPACE(row, column) : 0;
        }
    }
    for (int twin = 0; twin < 2; twin++) {
        struct pyr_desk *desk = twin ? &game.open.desk[seat] : &game.desk[seat];
        pyr_pair other = pyr_pair_of(!slot, PYR_ALL_SPACES);
        desk->free = (desk->free & other) | pyr_pair_of(slot, open & ~marks);
        desk->reach = (desk->reach & other) | pyr_pair_of(slot, reach & open & ~marks);
    }
    audit();
}

/* One mark short of the tomb. */
static void nearly(int seat, int number) { marked(seat, number, "c1c2c3c4"); }

/* Takes a card out of the deck. */
static void out_of_deck(int number)
{
    unsigned top = pyr_deck_top(&game), at = top;
    while (game.hidden.deck[at] != number - 1)
        at++;
    for (; at > top; at--)
        game.hidden.deck[at] = game.hidden.deck[at - 1];
    game.open.deck &= ~((pyr_cardset)1 << (number - 1));
    game.open.deck_left--;
}

/* A pyramid completed in an earlier turn, from the deck. */
static void completed(int seat, int number)
{
    out_of_deck(number);
    game.desk[seat].done |= (pyr_cardset)1 << (number - 1);
    game.open.desk[seat].done = game.desk[seat].done;
}

static bool has_completed(int seat, int number)
{
    return game.open.desk[seat].done >> (number - 1) & 1;
}

/* A player who had to continue without this card (Q7): it was completed. */
static void slot_is_empty(int seat, int number)
{
    unsigned slot = slot_of(seat, number);
    for (int twin = 0; twin < 2; twin++) {
        struct pyr_desk *desk = twin ? &game.open.desk[seat] : &game.desk[seat];
        desk->card[slot] = PYR_NO_CARD;
        desk->free &= pyr_pair_of(!slot, PYR_ALL_SPACES);
        desk->reach &= pyr_pair_of(!slot, PYR_ALL_SPACES);
        desk->done |= (pyr_cardset)1 << (number - 1);
    }
}

/* Only the top `left` cards stay in the deck; a player completed the others. */
static void deck_holds(int seat, int left)
{
    while (game.open.deck_left > left)
        completed(seat, game.hidden.deck[PYR_CARDS - PYR_KEPT * game.open.seats - 1] + 1);
}

/* Only the last `left` places of the display hold a card; a player completed the others. */
static void display_holds(int seat, int left)
{
    for (int i = 0; i < PYR_DISPLAY - left; i++) {
        game.desk[seat].done |= (pyr_cardset)1 << game.open.display[i];
        game.open.display[i] = PYR_NO_CARD;
    }
    game.open.desk[seat].done = game.desk[seat].done;
}

/* Neither deck nor display has cards left: a player completed them all. */
static void nothing_is_left(int seat)
{
    deck_holds(seat, 0);
    display_holds(seat, 0);
}

/* Gives all points that are earned in such a position, in the order of seats. */
static void settle_points(void)
{
    for (unsigned colour = 0; colour < PYR_COLOURS; colour++) {
        unsigned place = 0;
        for (unsigned s = 0; s < game.open.seats; s++) {
            int count = __builtin_popcountll(game.open.desk[s].done & box.colour[colour]);
            for (int n = 2; n <= count && n <= 6 && place < PYR_TILES; n += 2)
                game.open.tile[colour][place++] = (pyr_seat)s;
        }
    }
    audit();
}

/* The present turn becomes turn `turn` of round `round` (from 0); the pattern stays. */
static void at_turn(int round, int turn)
{
    pyr_pattern now = game.open.revealed[game.open.turn];
    pyr_pattern *order = game.hidden.expedition[round];
    int at = 0;
    while (order[at] != now)
        at++;
    order[at] = order[turn];
    order[turn] = now;
    memset(game.open.revealed, PYR_NO_PATTERN, sizeof game.open.revealed);
    memcpy(game.open.revealed, order, (size_t)turn + 1);
    game.open.round = (uint8_t)round;
    game.open.turn = (uint8_t)turn;
    audit();
}

/* Playing. */

/* A move such as "17:a1a2a3+22:c1", step by step; the first error. */
static enum pyr_err play(int seat, const char *move)
{
    for (;;) {
        int number = atoi(move);
        struct pyr_state before = game;
        const char *at = strchr(move, ':');
        enum pyr_err err = pyr_state_apply(&game, &box, (pyr_seat)seat, pyr_pair_of(slot_of(seat, number), spaces(at + 1)));
        audit();
        if (err) {
            CHECK(!memcmp(&before, &game, sizeof game));
            return err;
        }
        move = strchr(move, '+');
        if (!move)
            return PYR_OK;
        move++;
    }
}

#define PLAY(seat, move) CHECK_INT(play(seat, move), PYR_OK)

static enum pyr_err take(int seat, int number)
{
    enum pyr_err err = pyr_state_apply(&game, &box, (pyr_seat)seat, pyr_step_take((pyr_card)(number - 1)));
    audit();
    return err;
}

static enum pyr_err draw(int seat)
{
    enum pyr_err err = pyr_state_apply(&game, &box, (pyr_seat)seat, pyr_step_draw());
    audit();
    return err;
}

static enum pyr_err pass(int seat)
{
    enum pyr_err err = pyr_state_apply(&game, &box, (pyr_seat)seat, pyr_step_pass());
    audit();
    return err;
}

static uint32_t step_count(int seat)
{
    struct pyr_steps steps;
    pyr_state_steps(&game, &box, (pyr_seat)seat, &steps);
    return steps.count;
}

/* All who still have to mark do so on one space that is neither a tomb nor a symbol, or pass. */
static void others_mark(void)
{
    for (int s = 0; s < game.open.seats && game.open.phase == PYR_MARK; s++) {
        if (!(game.open.waiting >> s & 1))
            continue;
        pyr_step step = pyr_step_pass();
        for (unsigned bit = 0; bit < 64; bit++) {
            pyr_step one = (pyr_step)1 << bit;
            if (!(game.desk[s].reach & one))
                continue;
            const struct pyr_card_face *face = &box.card[game.desk[s].card[pyr_step_slot(one)]];
            if (!(pyr_step_spaces(one) & (face->tomb | face->cross | face->ruby | face->emerald | face->torch | face->skull |
                    face->potion))) {
                step = one;
                break;
            }
        }
        CHECK_INT(pyr_state_apply(&game, &box, (pyr_seat)s, step), PYR_OK);
        audit();
    }
}

static void show(void)
{
    CHECK_INT(pyr_state_show(&game, &box), PYR_OK);
    audit();
}

static void reveal(void)
{
    CHECK_INT(pyr_state_reveal(&game, &box), PYR_OK);
    audit();
}

static int display_count(void)
{
    int count = 0;
    for (int i = 0; i < PYR_DISPLAY; i++)
        count += game.open.display[i] != PYR_NO_CARD;
    return count;
}

static bool is_displayed(int number)
{
    for (int i = 0; i < PYR_DISPLAY; i++)
        if (game.open.display[i] == number - 1)
            return true;
    return false;
}

/* Components. */

TEST("R1 48 cards, 16 of each colour, one entrance on top and one tomb at the bottom")
{
    fresh_print();
    CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_OK);
    for (int colour = 0; colour < PYR_COLOURS; colour++)
        CHECK_INT(__builtin_popcountll(box.colour[colour]), 16);
    CHECK_INT(__builtin_popcountll(box.colour[0] | box.colour[1] | box.colour[2]), 48);

    card(7, "..... ..v.. ..... ..... ..T..");        /* an entrance that is not in the top row */
    CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_ERR_CARD_ENTRANCE);
    card(7, "v...v ..... ..... ..... ..T..");
    CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_ERR_CARD_ENTRANCE);
    card(7, "..v.. ..... ..... ..T.. .....");
    CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_ERR_CARD_TOMB);
    card(7, "..v.. ..... ..... ..... T...T");
    CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_ERR_CARD_TOMB);
    card(7, "..v.. ##### ..... ..... ..T..");
    CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_ERR_CARD_APART);
    card(7, "rexfv #.#.s ..... p.#.. ..T..");
    CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_OK);
    print.card[6].colour = PYR_ORANGE;               /* a 17th orange one */
    CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_ERR_COLOUR_COUNT);
}

TEST("R2 eight expedition cards show six different patterns of 2 to 4 spaces")
{
    fresh_print();
    CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_OK);
    int copies[PYR_PATTERNS] = { 0 };
    for (int i = 0; i < 8; i++)
        copies[box.expedition[i]]++;
    for (int p = 0; p < PYR_PATTERNS; p++) {
        CHECK_INT(copies[p], print.copies[p]);
        CHECK(box.pattern[p].size >= 2 && box.pattern[p].size <= 4);
    }
    print.pattern[I3] = spaces("a1");
    CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_ERR_PATTERN_SIZE);
    print.pattern[I3] = spaces("a1b1c1d1e1");
    CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_ERR_PATTERN_SIZE);
    print.pattern[I3] = spaces("b1a2b2");            /* V3, turned */
    CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_ERR_PATTERN_ALIKE);
    print.pattern[I3] = spaces("a1b1c1");
    print.copies[I3] = 2;                            /* nine cards */
    CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_ERR_COPIES);
}

TEST("R3 a score card: ten of each gem, four torches, ten skulls that cost more and more, points 10 6 3")
{
    CHECK_INT(pyr_tile_value(0), 10);
    CHECK_INT(pyr_tile_value(1), 6);
    CHECK_INT(pyr_tile_value(2), 3);
    fresh_print();
    BEGIN_TWO(.pattern = I2);
    struct pyr_desk desk = game.desk[0];
    desk.rubies = desk.emeralds = 10;
    desk.torches = 15;
    CHECK_INT(pyr_desk_score(&desk, &box, 0).gems, 50);
    CHECK_INT(pyr_desk_score(&desk, &box, 0).torches, 20);
    static const int penalty[] = { 0, -1, -2, -3, -4, -6, -8, -10, -12, -15, -18 };
    for (int skulls = 0; skulls <= 10; skulls++) {
        desk.skulls = (uint8_t)skulls;
        CHECK_INT(pyr_desk_score(&desk, &box, 0).skulls, penalty[skulls]);
    }
    print.penalty[4] = 3;                            /* less than the one before */
    CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_ERR_PENALTY_FALLS);
}

/* Setup. */

TEST("R4 of four cards dealt each player keeps two, all at once")
{
    struct pyr_chance chance;
    struct opening opening = { .seats = 3, .hand = { { 9, 5 }, { 30, 17 }, { 2, 44 } }, .pattern = I2 };
    struct pyr_steps steps;
    fresh_print();
    CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_OK);
    make_chance(&opening, &chance);                  /* the fillers are 48, 47; 46, 45; 43, 42 */
    CHECK_INT(pyr_state_init(&game, &box, 3, &chance), PYR_OK);
    CHECK_INT(game.open.phase, PYR_KEEP);
    CHECK_INT(game.open.waiting, 7);
    pyr_state_steps(&game, &box, 1, &steps);
    CHECK_INT(steps.count, 6);
    bool found = false;
    for (uint32_t i = 0; i < steps.count; i++)
        found |= pyr_steps_at(&steps, &box, i) == pyr_step_keep(16, 29);
    CHECK(found);
    CHECK_INT(pyr_state_apply(&game, &box, 1, pyr_step_keep(29, 8)), PYR_ERR_NOT_DEALT);   /* 9 is another player's */
    CHECK_INT(pyr_state_apply(&game, &box, 1, pyr_step_keep(29, 29)), PYR_ERR_NOT_DEALT);
    CHECK_INT(pyr_state_apply(&game, &box, 2, pyr_step_keep(43, 1)), PYR_OK);              /* in any order */
    CHECK_INT(pyr_state_apply(&game, &box, 2, pyr_step_keep(43, 1)), PYR_ERR_NOT_DUE);
    CHECK_INT(pyr_state_apply(&game, &box, 0, pyr_step_keep(47, 46)), PYR_OK);
    audit();
    CHECK_INT(game.open.desk[0].card[0], PYR_NO_CARD);                                     /* not shown before all are in */
    CHECK_INT(pyr_state_apply(&game, &box, 1, pyr_step_keep(16, 29)), PYR_OK);
    audit();
    CHECK(has_card(0, 47) && has_card(0, 48) && has_card(1, 17) && has_card(1, 30) && has_card(2, 2) && has_card(2, 44));
    CHECK_INT(game.open.desk[0].card[0] != PYR_NO_CARD, true);
    CHECK(game.open.deck >> 8 & 1);                                                        /* 9 was returned */
    CHECK(game.open.deck >> 4 & 1);
}

TEST("R5 all that was not kept is the deck, four of it the display")
{
    fresh_print();
    BEGIN(.seats = 4, .hand = { { 9, 5 }, { 30, 17 }, { 2, 44 }, { 1, 3 } }, .deck = { 48, 47, 46, 10, 6 }, .pattern = I2);
    CHECK_INT(game.open.deck_left, 48 - 8 - 4);
    CHECK_INT(game.open.display[0], 47);                                                   /* 48 and 47 had been dealt */
    CHECK_INT(game.open.display[1], 46);
    CHECK_INT(game.open.display[2], 45);
    CHECK_INT(game.open.display[3], 9);
    CHECK_INT(game.hidden.deck[pyr_deck_top(&game)], 5);

    struct opening opening = { .seats = 2, .hand = { { 1, 2 }, { 3, 4 } } };
    struct pyr_chance chance;
    make_chance(&opening, &chance);
    chance.deck[5] = chance.deck[6];                                                       /* a card twice */
    CHECK_INT(pyr_state_init(&game, &box, 2, &chance), PYR_ERR_CHANCE_DECK);
}

TEST("R6 each round has all eight expedition cards in an order of its own")
{
    fresh_print();
    BEGIN_TWO(.pattern = V3);
    others_mark();
    CHECK_INT(pyr_state_supply_pattern(&game, V3), PYR_ERR_NOT_IN_ROUND);                  /* its only card is out */
    CHECK_INT(pyr_state_supply_pattern(&game, I4), PYR_OK);
    reveal();
    others_mark();
    CHECK_INT(pyr_state_supply_pattern(&game, I4), PYR_OK);                                /* there are two of these */
    reveal();
    others_mark();
    CHECK_INT(pyr_state_supply_pattern(&game, I4), PYR_ERR_NOT_IN_ROUND);
    for (int turn = 3; turn < PYR_TURNS; turn++) {
        reveal();
        others_mark();
    }
    CHECK_INT(pyr_state_supply_pattern(&game, V3), PYR_OK);                                /* a new round, shuffled anew */
    reveal();
    CHECK_INT(game.open.round, 1);
    CHECK_INT(game.open.revealed[0], V3);

    struct opening opening = { .seats = 2, .hand = { { 1, 2 }, { 3, 4 } } };
    struct pyr_chance chance;
    make_chance(&opening, &chance);
    chance.expedition[3][7] = chance.expedition[3][0] == I2 ? I3 : I2;                     /* one pattern too often */
    chance.expedition[3][6] = chance.expedition[3][7];
    CHECK_INT(pyr_state_init(&game, &box, 2, &chance), PYR_ERR_CHANCE_EXPEDITION);
}

/* A turn. */

TEST("R7 the revealed pattern holds for every player")
{
    fresh_print();
    BEGIN_TWO(.pattern = V3);
    others_mark();
    CHECK_INT(game.open.phase, PYR_REVEAL);
    CHECK_INT(play(0, "1:c2"), PYR_ERR_PHASE);                                             /* reveal comes first */
    CHECK_INT(pyr_state_supply_pattern(&game, O4), PYR_OK);
    reveal();
    CHECK_INT(game.open.revealed[1], O4);
    PLAY(0, "1:b1b2a1a2");
    PLAY(1, "3:b1b2a1a2");
    CHECK_INT(pyr_state_reveal(&game, &box), PYR_OK);
    CHECK_INT(pyr_state_reveal(&game, &box), PYR_ERR_PHASE);                               /* marks come first */
}

TEST("R8 the whole pattern on one card, or exactly one space, never a part")
{
    fresh_print();
    BEGIN_TWO(.pattern = I3);
    CHECK_INT(play(0, "1:c1c2"), PYR_ERR_NOT_PATTERN);                                     /* cut short */
    CHECK_INT(play(0, "1:c1c2c3c4"), PYR_ERR_NOT_PATTERN);                                 /* too long */
    CHECK_INT(play(0, "1:b1c1c2"), PYR_ERR_NOT_PATTERN);                                   /* another shape */
    CHECK_INT(play(0, "1:b1c1e1"), PYR_ERR_NOT_PATTERN);                                   /* in two pieces */
    CHECK_INT(pyr_state_apply(&game, &box, 0, pyr_pair_of(0, spaces("c1c2")) | pyr_pair_of(1, spaces("c1"))), PYR_ERR_STEP);
    CHECK_INT(pyr_state_apply(&game, &box, 0, PYR_STEP_NONE), PYR_ERR_STEP);
    CHECK_INT(pass(0), PYR_ERR_MUST_MARK);                                                 /* doing nothing is not
                                                                                              allowed */
    PLAY(0, "1:c1");                                                                       /* exactly one */
    CHECK_INT(game.open.waiting, 2);
    PLAY(1, "4:c1c2c3");                                                                   /* the whole, on the other card */
    CHECK_INT(game.open.phase, PYR_REVEAL);
}

TEST("R8 a pattern may be turned by any quarter and mirrored")
{
    /* L4 has eight forms; each touches c1c2c3. */
    static const char *const forms[] = {
        "c4d4e4e5", "c4d4e4c5", "c4b4a4a5", "c4b4a4c5",      /* lying */
        "d1d2d3e3", "d1d2d3e1", "b1b2b3a3", "b1b2b3a1",      /* standing */
    };
    fresh_print();
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) {
        BEGIN_TWO(.pattern = L4);
        marked(0, 1, "c1c2c3");
        char move[32];
        snprintf(move, sizeof move, "1:%s", forms[i]);
        PLAY(0, move);
    }
    /* How many ways there are on an open card, by hand: I2 on the entrance c1 alone: b1c1, c1d1, c1c2; and the space. */
    BEGIN_TWO(.pattern = I2);
    CHECK_INT(step_count(0), 2 * (3 + 1));
    /* I4 in the top row a-d or b-e, or down from c1. */
    BEGIN_TWO(.pattern = I4);
    CHECK_INT(step_count(0), 2 * (2 + 1 + 1));
    /* O4 left or right of column c's end. */
    BEGIN_TWO(.pattern = O4);
    CHECK_INT(step_count(0), 2 * (2 + 1));
    /* V3 within b1c1b2c2 or c1d1c2d2, leaving out any one but c1. */
    BEGIN_TWO(.pattern = V3);
    CHECK_INT(step_count(0), 2 * (3 + 3 + 1));
    /* L4 lies or stands. Lying in the top row over c1: a-c, b-d, c-e, with a foot below either end: 6. Lying in row 2 with
     * its head up at c1: a2-c2, c2-e2: 2. Standing in column c from c1: foot at the top left or right or at the bottom left
     * or right: 4. Standing in column b or d with the head over to c1: 2. */
    BEGIN_TWO(.pattern = L4);
    CHECK_INT(step_count(0), 2 * (6 + 2 + 4 + 2 + 1));
}

TEST("R8 a card that is not on one's desk cannot be marked")
{
    fresh_print();
    BEGIN_TWO(.pattern = I3);
    slot_is_empty(0, 2);
    nothing_is_left(1);
    settle_points();
    CHECK_INT(pyr_state_apply(&game, &box, 0, pyr_pair_of(1, spaces("c1"))), PYR_ERR_NOT_ON_DESK);
    CHECK_INT(pyr_state_apply(&game, &box, 2, pyr_pair_of(0, spaces("c1"))),
        PYR_ERR_NOT_DUE); /* nor a seat that is not there */
}

TEST("R9 never a wall, never a marked space, never outside the grid")
{
    fresh_print();
    card(1, "..v#. ..... ..... ..... ..T..");
    BEGIN_TWO(.pattern = I2);
    CHECK_INT(play(0, "1:c1d1"), PYR_ERR_WALL);
    marked(0, 1, "c1c2");
    CHECK_INT(play(0, "1:d1"), PYR_ERR_WALL);
    CHECK_INT(play(0, "1:c2d2"), PYR_ERR_MARKED);
    CHECK_INT(play(0, "1:c1"), PYR_ERR_MARKED);
    /* The column right of e, the row below 5, the gap between the cards. */
    CHECK_INT(pyr_state_apply(&game, &box, 0, (pyr_step)1 << 5), PYR_ERR_STEP);
    CHECK_INT(pyr_state_apply(&game, &box, 0, (pyr_step)3 << 4), PYR_ERR_STEP);
    CHECK_INT(pyr_state_apply(&game, &box, 0, (pyr_step)1 << 33), PYR_ERR_STEP);
    PLAY(0, "1:c3c4");
}

TEST("R10 the first mark on a card includes the entrance")
{
    fresh_print();
    BEGIN_TWO(.pattern = I2);
    CHECK_INT(play(0, "1:d1"), PYR_ERR_NO_ENTRANCE);
    CHECK_INT(play(0, "1:c2c3"), PYR_ERR_NO_ENTRANCE);
    marked(0, 1, "c1c2");
    CHECK_INT(play(0, "2:c2"), PYR_ERR_NO_ENTRANCE);                                       /* each card has its own */
    PLAY(0, "2:c1");
    BEGIN_TWO(.pattern = I2);
    PLAY(0, "1:c1c2");
}

TEST("R10 a later mark has a space that touches a marked one by a side")
{
    fresh_print();
    BEGIN_TWO(.pattern = I2);
    marked(0, 1, "c1c2");
    CHECK_INT(play(0, "1:d3"), PYR_ERR_NO_TOUCH);                                          /* a corner is not a side */
    CHECK_INT(play(0, "1:b3a3"), PYR_ERR_NO_TOUCH);
    CHECK_INT(play(0, "1:c4c5"), PYR_ERR_NO_TOUCH);
    marked(0, 1, "c1d1e1");
    CHECK_INT(play(0, "1:a2"), PYR_ERR_NO_TOUCH);                                          /* e1 and a2 are no neighbours */
    PLAY(0, "1:b1b2");                                                                     /* one of the two touches */
    BEGIN_TWO(.pattern = I2);
    marked(0, 1, "c1d1e1e2e3e4e5");
    CHECK_INT(play(0, "2:a1"), PYR_ERR_NO_ENTRANCE);                                       /* nor are the two cards */
}

TEST("R11 a cross pays for one more mark on either card, and so on")
{
    fresh_print();
    card(1, "..v.. ..x.. ..x.. ..... ..T..");
    card(2, "..v.. ..x.. ..... ..... ..T..");
    BEGIN_TWO(.pattern = I2);
    PLAY(0, "1:c1c2");                                                                     /* a cross at c2 */
    CHECK_INT(game.desk[0].due, 1);
    CHECK_INT(game.open.waiting, 3);
    CHECK_INT(play(0, "1:d1d2"), PYR_ERR_EXTRA_ONE);
    CHECK_INT(play(0, "2:c2"), PYR_ERR_NO_ENTRANCE);
    CHECK_INT(play(0, "1:e5"), PYR_ERR_NO_TOUCH);
    CHECK_INT(pass(0), PYR_ERR_MUST_MARK);
    /* b1 d1 b2 d2 c3 of the first, the entrance of the second. */
    CHECK_INT(step_count(0), 6);
    PLAY(0, "1:c3");                                                                       /* another cross */
    CHECK_INT(game.desk[0].due, 1);
    PLAY(0, "2:c1"); /* the entrance of an unmarked card */
    CHECK_INT(game.desk[0].due, 0);
    CHECK_INT(game.open.waiting, 2);
    CHECK_INT(play(0, "2:c2"), PYR_ERR_NOT_DUE);
    /* Two crosses in one mark pay twice. */
    BEGIN_TWO(.pattern = I3);
    PLAY(0, "1:c1c2c3");
    CHECK_INT(game.desk[0].due, 2);
    PLAY(0, "2:c1+2:c2+1:c4"); /* the second extra pays a third */
    CHECK_INT(game.open.waiting, 2);
}

TEST("R11 rubies and emeralds are counted up to ten, the eleventh does nothing")
{
    fresh_print();
    card(1, "..v.. ..r.. ..e.. ..e.. ..T..");
    BEGIN_TWO(.pattern = I4);
    PLAY(0, "1:c1c2c3c4");
    CHECK_INT(game.desk[0].rubies, 1);
    CHECK_INT(game.desk[0].emeralds, 2);
    BEGIN_TWO(.pattern = I4);
    both_desks(0, put_rubies, 10);
    both_desks(0, put_emeralds, 9);
    PLAY(0, "1:c1c2c3c4");
    CHECK_INT(game.desk[0].rubies, 10);
    CHECK_INT(game.desk[0].emeralds, 10);
    CHECK_INT(game.desk[0].skulls, 0);
}

TEST("R11 at most one torch a round")
{
    fresh_print();
    card(1, "..v.. ..f.. ..f.. ..f.. ..T..");
    BEGIN_TWO(.pattern = I3);
    at_turn(2, 0);
    PLAY(0, "1:c1c2c3");                                                                   /* two in one mark */
    CHECK_INT(game.desk[0].torches, 1 << 2);
    others_mark();
    reveal();
    PLAY(0, "1:c4");
    CHECK_INT(game.desk[0].torches, 1 << 2);
    CHECK_INT(game.desk[0].rubies + game.desk[0].emeralds + game.desk[0].skulls, 0);
}

TEST("R11 skulls are counted up to ten, the eleventh does nothing")
{
    fresh_print();
    card(1, "..v.. ..s.. ..s.. ..... ..T..");
    static const int after[] = { 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10 };
    for (int skulls = 0; skulls <= 10; skulls++) {
        BEGIN_TWO(.pattern = I3);
        both_desks(0, put_skulls, skulls);
        PLAY(0, "1:c1c2c3");
        CHECK_INT(game.desk[0].skulls, after[skulls]);
        CHECK_INT(game.desk[0].rubies, 0);
    }
}

TEST("R11 a potion erases the two skulls with the largest penalties, or what there is")
{
    fresh_print();
    card(1, "..v.. ..p.. ..p.. ..... ..T..");
    static const int one[] = { 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8 }, two[] = { 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6 };
    static const int cost[] = { 0, 0, 0, -1, -2, -3, -4, -6, -8, -10, -12 };               /* the largest that is left */
    for (int skulls = 0; skulls <= 10; skulls++) {
        BEGIN_TWO(.pattern = I3);
        both_desks(0, put_skulls, skulls);
        struct pyr_state laid_out = game;
        PLAY(0, "1:c1c2c3");
        CHECK_INT(game.desk[0].skulls, two[skulls]);
        game = laid_out;
        marked(0, 1, "c1");
        PLAY(0, "1:c2");
        CHECK_INT(game.desk[0].skulls, one[skulls]);
        CHECK_INT(pyr_desk_score(&game.desk[0], &box, 0).skulls, cost[skulls]);
    }
}

TEST("R11 marking the tomb completes the card")
{
    fresh_print();
    BEGIN_TWO(.pattern = I2);
    nearly(0, 1);
    CHECK_INT(game.open.desk[0].done, 0);
    PLAY(0, "1:c5");
    CHECK(!has_completed(0, 1)); /* hidden before all have chosen */
    others_mark();
    CHECK(has_completed(0, 1));
    CHECK(!has_card(0, 1) && has_card(0, 2));
    CHECK_INT(pyr_table_score(&game.open, &box, 0).pyramids, 10);
}

/* Four players; 1, 2 and 4 have completed the cards 20, 5 and 11. */
static void three_complete(void)
{
    fresh_print();
    BEGIN(.seats = 4, .hand = { { 20, 21 }, { 5, 22 }, { 23, 24 }, { 11, 25 } },
        .deck = { 30, 31, 32, 33, 34, 35, 36, 37, 38 },
        .pattern = I2);
    nearly(0, 20);
    nearly(1, 5);
    nearly(3, 11);
    PLAY(3, "11:c5");
    PLAY(0, "20:c5");
    PLAY(2, "23:c1");
    PLAY(1, "5:c5");
}

TEST("R12 who completed a card takes a new one, in the order of the completed numbers")
{
    three_complete();
    CHECK_INT(game.open.phase, PYR_REPLACE);
    CHECK_INT(game.open.waiting, 1 << 1);                                                  /* 5, then 11, then 20 */
    CHECK_INT(take(0, 30), PYR_ERR_NOT_DUE);
    CHECK_INT(take(1, 34), PYR_ERR_NOT_IN_DISPLAY); /* the top card of the deck is hidden */
    CHECK_INT(step_count(1), 5);
    CHECK_INT(take(1, 31), PYR_OK);
    CHECK(has_card(1, 31) && has_card(1, 22));
    show();
    CHECK_INT(game.open.waiting, 1 << 3);
    CHECK_INT(take(3, 31), PYR_ERR_NOT_IN_DISPLAY);
    CHECK_INT(draw(3), PYR_OK);
    CHECK(has_card(3, 35));
    CHECK_INT(game.open.phase, PYR_REPLACE);                                               /* a draw leaves no gap to fill */
    CHECK_INT(game.open.waiting, 1 << 0);
    CHECK_INT(take(0, 34), PYR_OK);                                                        /* which filled the gap of 31 */
    show();
    CHECK_INT(game.open.phase, PYR_REVEAL);
    CHECK(is_displayed(30) && is_displayed(32) && is_displayed(33) && is_displayed(36));
    CHECK(!has_completed(2, 23));
}

TEST("R12 new cards are unmarked, what was taken lies where the completed one lay")
{
    three_complete();
    CHECK_INT(take(1, 31), PYR_OK);
    unsigned slot = slot_of(1, 31);
    CHECK_INT(pyr_desk_marks(&game.desk[1], &box, slot), 0);
    CHECK_INT(pyr_pair_half(slot, game.desk[1].reach), spaces("c1"));
}

TEST("R12 the display is filled up only when a player is done")
{
    three_complete();
    CHECK_INT(take(1, 31), PYR_OK);
    CHECK_INT(game.open.phase, PYR_SHOW);
    CHECK_INT(display_count(), 3);
    CHECK_INT(take(3, 30), PYR_ERR_PHASE);                                                 /* not before it is full again */
    CHECK_INT(pyr_state_show_count(&game), 1);
    show();
    CHECK_INT(display_count(), 4);
    CHECK(is_displayed(34));
}

TEST("R13 an empty deck no longer fills the display, and play goes on")
{
    three_complete();
    deck_holds(2, 1);
    settle_points();
    CHECK_INT(take(1, 31), PYR_OK);
    show(); /* the last card of the deck: 34 */
    CHECK(is_displayed(34));
    CHECK_INT(game.open.deck_left, 0);
    CHECK_INT(draw(3), PYR_ERR_DECK_EMPTY);
    CHECK_INT(step_count(3), 4);
    CHECK_INT(take(3, 30), PYR_OK);
    CHECK_INT(game.open.phase, PYR_REPLACE);                                               /* nothing to show */
    CHECK_INT(step_count(0), 3);
    CHECK_INT(take(0, 34), PYR_OK);
    CHECK_INT(game.open.phase, PYR_REVEAL);
    CHECK_INT(display_count(), 2);
    reveal();
    CHECK_INT(game.open.waiting, 15);
}

/* Purple pyramids: 3, 6, 9... Seat 1 has `before` of them and completes one more; what it gets. */
static int points_for_next(int before)
{
    fresh_print();
    BEGIN(.seats = 2, .hand = { { 48, 1 }, { 2, 4 } }, .deck = { 10, 11, 13, 14 }, .pattern = I2);
    for (int i = 0; i < before; i++)
        completed(0, 3 * (i + 1));
    settle_points();
    int had = pyr_table_points(&game.open, 0);
    nearly(0, 48);
    PLAY(0, "48:c5");
    others_mark();
    CHECK_INT(draw(0), PYR_OK);
    CHECK_INT(game.open.phase, PYR_REVEAL);
    return pyr_table_points(&game.open, 0) - had;
}

TEST("R14 the 2nd, 4th and 6th pyramid of a colour take its highest points: 10, 6, 3")
{
    CHECK_INT(points_for_next(0), 0);
    CHECK_INT(points_for_next(1), 10);
    CHECK_INT(points_for_next(2), 0);
    CHECK_INT(points_for_next(3), 6);
    CHECK_INT(points_for_next(4), 0);
    CHECK_INT(points_for_next(5), 3);                                               /* one player can take all */
    CHECK_INT(points_for_next(6), 0);
    CHECK_INT(points_for_next(7), 0);
}

TEST("R14 the 8th pyramid of a colour takes nothing, whatever is left")
{
    int clause;
    fresh_print();
    BEGIN(.seats = 2, .hand = { { 48, 1 }, { 2, 4 } }, .deck = { 10, 11, 13, 14 }, .pattern = I2);
    for (int i = 0; i < 7; i++)
        completed(0, 3 * (i + 1));
    pyr_state_check(&game, &box, &clause);
    CHECK_INT(clause, 46); /* the audit reports that it is impossible */
    unsigned slot = slot_of(0, 48);
    game.desk[0].free &= ~pyr_pair_of(slot, spaces("c1c2c3c4"));
    game.desk[0].reach |= pyr_pair_of(slot, spaces("c5"));
    CHECK_INT(pyr_state_apply(&game, &box, 0, pyr_pair_of(slot, spaces("c5"))), PYR_OK);
    CHECK_INT(pyr_state_apply(&game, &box, 1, pyr_pair_of(slot_of(1, 2), spaces("c1"))), PYR_OK);
    CHECK_INT(pyr_state_apply(&game, &box, 0, pyr_step_draw()), PYR_OK);
    CHECK_INT(game.open.phase, PYR_REVEAL);
    CHECK_INT(pyr_table_points(&game.open, 0), 0);
}

TEST("R14 several at once go in the order of those pyramids' numbers")
{
    /* Three players have a green one each and complete a second: 13, 7, 22. A fourth completes a second too: 34, too
     * late. */
    fresh_print();
    BEGIN(.seats = 4, .hand = { { 13, 2 }, { 7, 5 }, { 34, 8 }, { 22, 11 } }, .deck = { 3, 6, 9, 12 }, .pattern = I2);
    completed(0, 25);
    completed(1, 28);
    completed(2, 1);
    completed(3, 31);
    settle_points();
    nearly(0, 13);
    nearly(1, 7);
    nearly(2, 34);
    nearly(3, 22);
    PLAY(0, "13:c5");
    PLAY(1, "7:c5");
    PLAY(2, "34:c5");
    PLAY(3, "22:c5");
    CHECK_INT(draw(1), PYR_OK);
    CHECK_INT(draw(0), PYR_OK);
    CHECK_INT(draw(3), PYR_OK);
    CHECK_INT(draw(2), PYR_OK);
    CHECK_INT(game.open.tile[PYR_GREEN][0], 1);                                            /* 7 */
    CHECK_INT(game.open.tile[PYR_GREEN][1], 0);                                            /* 13 */
    CHECK_INT(game.open.tile[PYR_GREEN][2], 3);                                            /* 22 */
    CHECK_INT(pyr_table_points(&game.open, 2), 0);                                         /* none left for 34 */
    CHECK_INT(game.open.tile[PYR_ORANGE][0], PYR_NOBODY);
}

TEST("R15 a round is seven reveals, the game four rounds; the eighth card is never seen")
{
    fresh_print();
    BEGIN_TWO(.pattern = I2);
    for (int turn = 0; turn < 28; turn++) {
        CHECK_INT(game.open.phase, PYR_MARK);
        CHECK_INT(game.open.round, turn / 7);
        CHECK_INT(game.open.turn, turn % 7);
        for (int i = 0; i < 8; i++)
            CHECK_INT(game.open.revealed[i], i <= turn % 7 ? game.hidden.expedition[turn / 7][i] : PYR_NO_PATTERN);
        others_mark();
        if (turn < 27)
            reveal();
    }
    CHECK_INT(game.open.phase, PYR_END);
    CHECK_INT(game.open.waiting, 0);
    CHECK_INT(pyr_state_reveal(&game, &box), PYR_ERR_PHASE);
    CHECK_INT(play(0, "1:a1"), PYR_ERR_PHASE);
}

/* Scoring. */

TEST("R16 pyramids, torches, points, pairs of gems, single gems, one skull")
{
    fresh_print();
    BEGIN_TWO(.pattern = I2);
    struct pyr_desk desk = game.desk[0];
    struct pyr_score score = pyr_desk_score(&desk, &box, 0);
    CHECK_INT(score.total, 0);
    desk.done = 0x70;                                                                      /* three */
    desk.torches = 0x6;                                                                    /* two */
    desk.rubies = 2;
    desk.emeralds = 5;
    desk.skulls = 6;                                                                       /* only the worst counts: 8 */
    score = pyr_desk_score(&desk, &box, 13);
    CHECK_INT(score.pyramids, 30);
    CHECK_INT(score.torches, 10);
    CHECK_INT(score.points, 13);
    CHECK_INT(score.gems, 2 * 5 + 3);
    CHECK_INT(score.skulls, -8);
    CHECK_INT(score.total, 58);
    /* Marks on an unfinished card are worth nothing. */
    marked(0, 1, "c1c2c3c4b4b5");
    CHECK_INT(pyr_table_score(&game.open, &box, 0).total, 0);
}

TEST("R17 most points win; of those who tie, the lowest completed number")
{
    fresh_print();
    BEGIN(.seats = 4, .hand = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } }, .pattern = I2);
    completed(0, 20);
    completed(1, 40);
    completed(1, 15);
    completed(2, 26);
    both_desks(2, put_torches, 1);
    both_desks(2, put_rubies, 5); /* 10 + 5 + 5 ties with two pyramids */
    completed(3, 16);
    completed(3, 30);
    settle_points();
    CHECK_INT(pyr_table_score(&game.open, &box, 1).total, 20);
    CHECK_INT(pyr_table_score(&game.open, &box, 2).total, 20);
    CHECK_INT(pyr_table_score(&game.open, &box, 3).total, 20);
    CHECK_INT(pyr_table_winners(&game.open, &box), 1 << 1);                                /* 15 beats 16 and 26 */
    both_desks(2, put_rubies, 6);
    CHECK_INT(pyr_table_winners(&game.open, &box), 1 << 2);                                /* points come first */
}

/* Rulings. */

TEST("Q1 within a mark skulls come before potions, extras after both")
{
    fresh_print();
    card(1, "..v.. ..p.. ..s.. ..x.. sfT..");
    BEGIN_TWO(.pattern = I3);
    marked(0, 1, "c1");
    PLAY(0, "1:c2c3c4"); /* skull 1, potion 0, then the extra */
    CHECK_INT(game.desk[0].skulls, 0);
    CHECK_INT(game.desk[0].due, 1);
    PLAY(0, "2:c1");
    CHECK_INT(game.desk[0].skulls, 0);
    /* The tenth skull is marked, the eleventh not, then two are erased. */
    card(1, "..v.. ..s.. ..p.. ..s.. ..T..");
    BEGIN_TWO(.pattern = I4);
    both_desks(0, put_skulls, 9);
    PLAY(0, "1:c1c2c3c4");
    CHECK_INT(game.desk[0].skulls, 8);
    /* A skull marked as an extra comes after the potion of the first mark... */
    card(1, "..v.. ..x.. ..p.. s.... ..T..");
    card(2, "..v.. ..s.. ..... ..... ..T..");
    BEGIN_TWO(.pattern = I3);
    marked(0, 2, "c1");
    PLAY(0, "1:c1c2c3+2:c2");
    CHECK_INT(game.desk[0].skulls, 1);
    /* ... and a potion marked as an extra after its skulls; of two extras the first counts before the second. */
    card(1, "..v.. ..x.. ..x.. ..... ..T..");
    card(2, "..v.. ..s.. ..p.. ..... ..T..");
    BEGIN_TWO(.pattern = I3);
    marked(0, 2, "c1");
    PLAY(0, "1:c1c2c3+2:c2+2:c3");
    CHECK_INT(game.desk[0].skulls, 0);
    card(2, "..v.. ..p.. ..s.. ..... ..T..");
    BEGIN_TWO(.pattern = I3);
    marked(0, 2, "c1");
    PLAY(0, "1:c1c2c3+2:c2+2:c3");
    CHECK_INT(game.desk[0].skulls, 1);
    /* Gems of the pattern are marked together: nine and two more are ten. */
    card(1, "..v.. ..r.. ..r.. ..x.. ..T..");
    BEGIN_TWO(.pattern = I4);
    both_desks(0, put_rubies, 9);
    PLAY(0, "1:c1c2c3c4+1:b1");
    CHECK_INT(game.desk[0].rubies, 10);
    CHECK_INT(game.desk[0].emeralds, 0);
}

TEST("Q2 extra marks on a card whose tomb is marked")
{
    fresh_print();
    card(1, "..v.. ..... ..... ..... .rTx.");
    BEGIN_TWO(.pattern = I2);
    nearly(0, 1);
    PLAY(0, "1:c5d5");                                                                     /* tomb and cross */
    CHECK_INT(game.desk[0].due, 1);
    PLAY(0, "1:b5");                                                                       /* the ruby beside the tomb */
    CHECK_INT(game.desk[0].rubies, 1);
    others_mark();
    CHECK_INT(game.open.phase, PYR_REPLACE);
    CHECK(has_completed(0, 1));
    /* The tomb may be marked as an extra, too. */
    BEGIN_TWO(.pattern = I2);
    marked(0, 1, "c1c2c3c4d4");
    PLAY(0, "1:d5+1:c5");
    others_mark();
    CHECK(has_completed(0, 1));
    CHECK_INT(game.open.desk[0].rubies, 0);
}

TEST("Q3 an extra mark with nowhere to go is lost, one with somewhere to go must be made")
{
    fresh_print();
    card(1, "..v.. #.#.# #.#.# #.#.# #.Tx#");
    static const char *const most = "a1b1c1d1e1b2b3b4b5d2d3d4";
    BEGIN_TWO(.pattern = I2);
    marked(0, 1, most);
    CHECK_INT(play(0, "1:d5c5"), PYR_OK);
    CHECK_INT(game.desk[0].due, 1);                                                        /* the other card's entrance */
    CHECK_INT(pass(0), PYR_ERR_MUST_MARK);
    CHECK_INT(step_count(0), 1);
    PLAY(0, "2:c1");
    others_mark();
    CHECK_INT(game.open.phase, PYR_REPLACE);
    /* Without another card it is lost. */
    BEGIN_TWO(.pattern = I2);
    slot_is_empty(0, 2);
    nothing_is_left(1);
    settle_points();
    marked(0, 1, most);
    PLAY(0, "1:d5c5");
    CHECK_INT(game.desk[0].due, 0);
    CHECK_INT(game.open.waiting, 2);
    others_mark();
    CHECK(has_completed(0, 1));
    /* Two paid for, room for one. */
    card(1, "..v.. #.#.# #.#.# #.#x# #.Tx#");
    BEGIN_TWO(.pattern = I2);
    slot_is_empty(0, 2);
    nothing_is_left(1);
    settle_points();
    marked(0, 1, "a1b1c1d1e1b2b3b4b5d2d3");
    PLAY(0, "1:d4d5");
    CHECK_INT(game.desk[0].due, 2);
    CHECK_INT(step_count(0), 1);
    PLAY(0, "1:c5");
    CHECK_INT(game.desk[0].due, 0);
    CHECK_INT(game.open.waiting, 2);
}

/* Player 1 completes 40 and 7 in one turn, player 2 the card 12. */
static void two_at_once(void)
{
    fresh_print();
    card(40, "..v.. ..... ..... ..... ..Tx.");
    BEGIN(.seats = 2, .hand = { { 40, 7 }, { 12, 13 } }, .deck = { 20, 21, 22, 23, 24, 25, 26, 27, 28 }, .pattern = I2);
    nearly(0, 40);
    nearly(0, 7);
    nearly(1, 12);
    PLAY(0, "40:c5d5+7:c5");
    PLAY(1, "12:c5");
}

TEST("Q4 two cards completed in a turn are replaced in one slot, the lower number sets its place")
{
    two_at_once();
    CHECK_INT(game.open.phase, PYR_REPLACE);
    CHECK_INT(game.open.waiting, 1); /* 7 is before 12, 40 does not matter */
    CHECK_INT(game.open.cards_owed, 2);
    CHECK(has_completed(0, 40) && has_completed(0, 7));
    CHECK_INT(game.open.completed[0][0], 6);
    CHECK_INT(game.open.completed[0][1], 39);
    CHECK_INT(take(0, 22), PYR_OK);
    CHECK_INT(game.open.phase, PYR_REPLACE);
    CHECK_INT(game.open.waiting, 1);
    CHECK_INT(game.open.cards_owed, 1);
    CHECK_INT(display_count(), 3);                                                         /* not filled up in between */
    CHECK(has_card(0, 22));
    CHECK_INT(take(0, 22), PYR_ERR_NOT_IN_DISPLAY);
    CHECK_INT(draw(0), PYR_OK); /* the second after seeing the first */
    CHECK(has_card(0, 22) && has_card(0, 24));
    CHECK_INT(pyr_state_show_count(&game), 1);
    show();
    CHECK_INT(game.open.waiting, 2);
    CHECK(is_displayed(25));
    /* Two takes leave two gaps. */
    two_at_once();
    CHECK_INT(take(0, 22), PYR_OK);
    CHECK_INT(take(0, 20), PYR_OK);
    CHECK_INT(pyr_state_show_count(&game), 2);
    show();
    CHECK(is_displayed(24) && is_displayed(25) && is_displayed(21) && is_displayed(23));
}

TEST("Q5 a drawn card is seen only once it is taken")
{
    struct pyr_view before, after;
    two_at_once();
    pyr_view_init(&before, &game, 0);
    CHECK_INT(pyr_state_supply_card(&game, 0, 47), PYR_OK);                                /* another card on top */
    pyr_view_init(&after, &game, 0);
    CHECK(!memcmp(&before, &after, sizeof before));
    struct pyr_steps steps;
    pyr_state_steps(&game, &box, 0, &steps);
    int draws = 0;
    for (uint32_t i = 0; i < steps.count; i++)
        draws += pyr_steps_at(&steps, &box, i) == pyr_step_draw();
    CHECK_INT(draws, 1); /* one step, whatever card it will be */
    CHECK_INT(draw(0), PYR_OK);
    CHECK(has_card(0, 48));
    CHECK_INT(game.open.desk[0].card[0], 47);                                              /* all see it now */
    CHECK(!(game.open.deck >> 47 & 1));
}

TEST("Q6 of two pyramids of a colour completed in a turn the lower number counts")
{
    fresh_print();
    card(45, "..v.. ..... ..... ..... ..Tx.");
    /* Player 1 completes 45 and 9, player 2 a second purple one, 12. */
    BEGIN(.seats = 2, .hand = { { 45, 9 }, { 12, 13 } }, .deck = { 20, 22, 23, 25 }, .pattern = I2);
    completed(1, 3);
    nearly(0, 45);
    nearly(0, 9);
    nearly(1, 12);
    PLAY(0, "45:c5d5+9:c5");
    PLAY(1, "12:c5");
    CHECK_INT(draw(0), PYR_OK);
    CHECK_INT(draw(0), PYR_OK);
    CHECK_INT(draw(1), PYR_OK);
    CHECK_INT(game.open.tile[PYR_PURPLE][0], 0);
    CHECK_INT(game.open.tile[PYR_PURPLE][1], 1);
    /* From one to three: the second was among them; the lower number, 15, comes after 12. */
    card(45, "..v.. ..... ..... ..... ..Tx.");
    BEGIN(.seats = 2, .hand = { { 45, 15 }, { 12, 13 } }, .deck = { 20, 22, 23, 25 }, .pattern = I2);
    completed(1, 3);
    completed(0, 6);
    nearly(0, 45);
    nearly(0, 15);
    nearly(1, 12);
    PLAY(0, "45:c5d5+15:c5");
    PLAY(1, "12:c5");
    CHECK_INT(draw(1), PYR_OK);
    CHECK_INT(draw(0), PYR_OK);
    CHECK_INT(draw(0), PYR_OK);
    CHECK_INT(game.open.tile[PYR_PURPLE][0], 1);
    CHECK_INT(game.open.tile[PYR_PURPLE][1], 0);
    CHECK_INT(game.open.tile[PYR_PURPLE][2], PYR_NOBODY);                                  /* and only once */
}

TEST("Q7 nothing left to take: a player goes on with one card, or none, and then passes")
{
    fresh_print();
    card(40, "..v.. ..... ..... ..... ..Tx.");
    BEGIN(.seats = 2, .hand = { { 40, 7 }, { 12, 13 } }, .deck = { 20, 21, 22, 23 }, .pattern = I2);
    nothing_is_left(1);
    settle_points();
    nearly(0, 40);
    nearly(0, 7);
    nearly(1, 12);
    PLAY(0, "40:c5d5+7:c5");
    PLAY(1, "12:c5");
    CHECK_INT(game.open.phase, PYR_REVEAL);                                                /* no player can take anything */
    CHECK_INT(game.open.desk[0].card[0], PYR_NO_CARD);
    CHECK_INT(game.open.desk[0].card[1], PYR_NO_CARD);
    CHECK(has_card(1, 13));
    reveal();
    CHECK_INT(step_count(0), 1);
    CHECK_INT(pyr_state_apply(&game, &box, 0, pyr_pair_of(0, spaces("c1"))), PYR_ERR_MUST_PASS);
    CHECK_INT(pass(1), PYR_ERR_MUST_MARK);                                                 /* a player with one card
                                                                                              marks it */
    CHECK_INT(pass(0), PYR_OK);
    CHECK_INT(pass(0), PYR_ERR_NOT_DUE);
    PLAY(1, "13:c1");
    CHECK_INT(game.open.phase, PYR_REVEAL);
    CHECK_INT(game.open.turn, 1);
}

TEST("Q7 one card is left for two")
{
    fresh_print();
    card(40, "..v.. ..... ..... ..... ..Tx.");
    BEGIN(.seats = 2, .hand = { { 40, 7 }, { 12, 13 } }, .deck = { 20, 21, 22, 23, 24 }, .pattern = I2);
    deck_holds(1, 0);
    display_holds(1, 1);
    settle_points();
    nearly(0, 40);
    nearly(0, 7);
    nearly(1, 12);
    PLAY(0, "40:c5d5+7:c5");
    PLAY(1, "12:c5");
    CHECK_INT(game.open.cards_owed, 2);
    CHECK_INT(step_count(0), 1); /* only the display, and that is one card */
    CHECK_INT(take(0, 23), PYR_OK);
    CHECK_INT(game.open.phase, PYR_REVEAL); /* nothing for the second, nor for player 2 */
    CHECK(has_card(0, 23));
    CHECK_INT((game.open.desk[0].card[0] == PYR_NO_CARD) + (game.open.desk[0].card[1] == PYR_NO_CARD), 1);
    CHECK_INT((game.open.desk[1].card[0] == PYR_NO_CARD) + (game.open.desk[1].card[1] == PYR_NO_CARD), 1);
}

TEST("Q8 a tie without pyramids is shared, one with a pyramid beats one without")
{
    fresh_print();
    BEGIN(.seats = 4, .hand = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } }, .pattern = I2);
    CHECK_INT(pyr_table_winners(&game.open, &box), 15);
    both_desks(1, put_torches, 1);
    both_desks(3, put_torches, 1);
    CHECK_INT(pyr_table_winners(&game.open, &box), 1 << 1 | 1 << 3);
    both_desks(1, put_rubies, 5);                                                          /* 10 */
    completed(3, 30);
    both_desks(3, put_torches, 0);                                                         /* 10 */
    CHECK_INT(pyr_table_winners(&game.open, &box), 1 << 3);
    both_desks(0, put_skulls, 5); /* negative totals are compared, too */
    both_desks(1, put_skulls, 10);
    both_desks(2, put_skulls, 10);
    both_desks(3, put_skulls, 10);
    both_desks(1, put_rubies, 0);
    both_desks(1, put_torches, 0);
    CHECK_INT(pyr_table_score(&game.open, &box, 1).total, -18);
    CHECK_INT(pyr_table_winners(&game.open, &box), 1 << 0);                                /* -6 beats -8 and -18 */
}

TEST("Q9 points are taken after all replacements")
{
    fresh_print();
    BEGIN(.seats = 2, .hand = { { 15, 1 }, { 33, 2 } }, .deck = { 10, 11, 13, 14 }, .pattern = I2);
    completed(0, 3);
    completed(1, 6);
    nearly(0, 15);
    nearly(1, 33);
    PLAY(0, "15:c5");
    PLAY(1, "33:c5");
    CHECK(has_completed(0, 15) && has_completed(1, 33));                                   /* all completions are seen, */
    CHECK_INT(game.open.tile[PYR_PURPLE][0], PYR_NOBODY);                                  /* but no points */
    CHECK_INT(draw(0), PYR_OK);
    CHECK_INT(game.open.waiting, 2);
    CHECK_INT(game.open.tile[PYR_PURPLE][0], PYR_NOBODY);
    CHECK_INT(take(1, 13), PYR_OK);
    CHECK_INT(game.open.tile[PYR_PURPLE][0], PYR_NOBODY);
    show();
    CHECK_INT(game.open.tile[PYR_PURPLE][0], 0);
    CHECK_INT(game.open.tile[PYR_PURPLE][1], 1);
}

TEST("Q10 secret are the orders, the deals of others, and choices that not all have made")
{
    struct pyr_view view[2][3];
    fresh_print();
    for (int twin = 0; twin < 2; twin++) {
        struct opening opening = { .seats = 3, .hand = { { 1, 2 }, { 3, 4 }, { 5, 6 } }, .pattern = I2 };
        struct pyr_chance chance;
        CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_OK);
        make_chance(&opening, &chance);
        if (twin) {
            /* Player 2 was dealt other cards than those he kept; the deck and the later patterns are in another order. */
            chance.dealt[1][2] = 39;
            chance.dealt[1][3] = 38;
            pyr_card moved = chance.deck[20];
            chance.deck[20] = chance.deck[30];
            chance.deck[30] = moved;
            pyr_pattern later = chance.expedition[0][3];
            chance.expedition[0][3] = chance.expedition[0][6];
            chance.expedition[0][6] = later;
            CHECK(chance.expedition[0][3] != later);
        }
        CHECK_INT(pyr_state_init(&game, &box, 3, &chance), PYR_OK);
        pyr_view_init(&view[twin][0], &game, 0);
        for (int s = 0; s < 3; s++)
            CHECK_INT(pyr_state_apply(&game, &box, (pyr_seat)s,
                pyr_step_keep((pyr_card)(opening.hand[s][0] - 1), (pyr_card)(opening.hand[s][1] - 1))), PYR_OK);
        pyr_state_advance(&game, &box);
        /* Player 3 makes one of two marks; player 1 sees that he is done, but not the mark. */
        PLAY(2, twin ? "5:c1c2" : "6:c1");
        pyr_view_init(&view[twin][1], &game, 0);
        pyr_view_init(&view[twin][2], &game, PYR_NOBODY);
        CHECK_INT(view[twin][1].open.waiting, 3);
        CHECK_INT(view[twin][1].dealt[0], 0);                                              /* a player's own deal is
                                                                                              visible */
        CHECK_INT(view[twin][1].open.revealed[0], I2);
    }
    for (int i = 0; i < 3; i++)
        CHECK(!memcmp(&view[0][i], &view[1][i], sizeof view[0][i]));
    CHECK_INT(view[0][2].dealt[0], PYR_NO_CARD);                                           /* an onlooker sees no deal */
    /* Once all are done, everyone sees it. */
    others_mark();
    struct pyr_view open;
    pyr_view_init(&open, &game, 0);
    CHECK_INT(pyr_desk_marks(&open.open.desk[2], &box, slot_of(2, 5)), spaces("c1c2"));
}

/* Worked examples. */

TEST("E1 four green and two orange pyramids: 111 points")
{
    static const int green[] = { 10, 13, 16 }, orange[] = { 11, 14 }, theirs[] = { 5, 8, 17, 20 };
    fresh_print();
    BEGIN(.seats = 2, .hand = { { 19, 2 }, { 3, 4 } }, .deck = { 40, 41, 42, 43 }, .pattern = I2);
    at_turn(3, 0);
    for (int i = 0; i < 3; i++)
        completed(0, green[i]);
    for (int i = 0; i < 2; i++)
        completed(0, orange[i]);
    completed(0, 12);                                                                      /* the seventh, purple */
    for (int i = 0; i < 4; i++)
        completed(1, theirs[i]);
    both_desks(0, put_torches, 1 << 0 | 1 << 3);
    both_desks(0, put_rubies, 6);
    both_desks(0, put_emeralds, 3);
    both_desks(0, put_skulls, 5);
    game.open.tile[PYR_GREEN][0] = 0;                                                      /* 10 for the second green */
    game.open.tile[PYR_ORANGE][0] = game.open.tile[PYR_ORANGE][1] = 1;
    game.open.tile[PYR_ORANGE][2] = 0;                                                     /* 3 for the second orange */
    audit();
    nearly(0, 19);
    PLAY(0, "19:c5");                                                                      /* the fourth green: 6 */
    others_mark();
    CHECK_INT(draw(0), PYR_OK);
    CHECK_INT(game.open.tile[PYR_GREEN][1], 0);
    CHECK_INT(__builtin_popcountll(game.open.desk[0].done & box.colour[PYR_GREEN]), 4);
    CHECK_INT(__builtin_popcountll(game.open.desk[0].done & box.colour[PYR_ORANGE]), 2);
    CHECK_INT(__builtin_popcountll(game.open.desk[0].done & box.colour[PYR_PURPLE]), 1);
    struct pyr_score score = pyr_table_score(&game.open, &box, 0);
    CHECK_INT(score.pyramids, 70);
    CHECK_INT(score.torches, 10);
    CHECK_INT(score.points, 19);
    CHECK_INT(score.gems, 18);
    CHECK_INT(score.skulls, -6);
    CHECK_INT(score.total, 111);
}

TEST("E2 purple 10 is taken: 15 takes 6, 33 takes 3")
{
    fresh_print();
    BEGIN(.seats = 3, .hand = { { 33, 1 }, { 15, 2 }, { 4, 5 } }, .deck = { 10, 11, 13, 14 }, .pattern = I2);
    completed(0, 3);                                                                       /* 33 will be the second */
    completed(1, 6);                                                                       /* 15 the fourth */
    completed(1, 9);
    completed(1, 12);
    game.open.tile[PYR_PURPLE][0] = 1;
    nearly(0, 33);
    nearly(1, 15);
    PLAY(0, "33:c5");
    PLAY(1, "15:c5");
    others_mark();
    CHECK_INT(game.open.waiting, 2);
    CHECK_INT(draw(1), PYR_OK);
    CHECK_INT(draw(0), PYR_OK);
    CHECK_INT(pyr_table_points(&game.open, 1), 16);
    CHECK_INT(pyr_table_points(&game.open, 0), 3);
    CHECK_INT(game.open.tile[PYR_PURPLE][1], 1);
    CHECK_INT(game.open.tile[PYR_PURPLE][2], 0);
}

TEST("E3 a 2nd green and a 2nd purple in one turn: each takes the 10 of that colour")
{
    fresh_print();
    BEGIN(.seats = 2, .hand = { { 7, 2 }, { 9, 5 } }, .deck = { 10, 11, 13, 14 }, .pattern = I2);
    completed(0, 1);
    completed(1, 3);
    nearly(0, 7);
    nearly(1, 9);
    PLAY(0, "7:c5");
    PLAY(1, "9:c5");
    CHECK_INT(draw(0), PYR_OK);
    CHECK_INT(draw(1), PYR_OK);
    CHECK_INT(game.open.tile[PYR_GREEN][0], 0);
    CHECK_INT(game.open.tile[PYR_PURPLE][0], 1);
    CHECK_INT(pyr_table_points(&game.open, 0), 10);
    CHECK_INT(pyr_table_points(&game.open, 1), 10);
}

TEST("E4 torches of rounds 1 and 2")
{
    fresh_print();
    card(1, "..v.. ..f.. ..f.. ..f.. ..T..");
    BEGIN_TWO(.pattern = I2);
    PLAY(0, "1:c1c2");
    CHECK_INT(game.desk[0].torches, 1);                                                    /* the first torch */
    others_mark();
    reveal();
    PLAY(0, "1:c3");
    CHECK_INT(game.desk[0].torches, 1);                                                    /* nothing */
    others_mark();
    for (int turn = 2; turn < 7; turn++) {
        reveal();
        PLAY(0, turn == 2 ? "2:c1" : turn == 3 ? "2:c2" : turn == 4 ? "2:c3" : turn == 5 ? "2:b1" : "2:b2");
        others_mark();
        CHECK_INT(game.desk[0].torches, 1);
    }
    reveal();
    CHECK_INT(game.open.round, 1);
    PLAY(0, "1:c4");
    CHECK_INT(game.desk[0].torches, 3);                                                    /* the second, in round 2 */
    CHECK_INT(pyr_desk_score(&game.desk[0], &box, 0).torches, 10);
}

TEST("E5 L, turned by 90 degrees and mirrored, opens a card because it covers the entrance")
{
    fresh_print();
    /* As drawn it stands: a1 a2 a3 b3. Turned by a quarter it lies, a1 b1 c1 a2; mirrored, a1 b1 c1 c2. */
    card(1, "..v.. ##.## #.... #.... ..T..");
    BEGIN_TWO(.pattern = L4);
    PLAY(0, "1:a1b1c1c2");
    CHECK_INT(pyr_desk_marks(&game.desk[0], &box, 0), spaces("a1b1c1c2"));
    BEGIN_TWO(.pattern = L4);
    CHECK_INT(play(0, "1:b1c1d1d2"), PYR_ERR_WALL);
    CHECK_INT(play(0, "1:c3d3e3e4"), PYR_ERR_NO_ENTRANCE);                                 /* elsewhere it opens nothing */
}

TEST("R14 R15 R16 the numbers of the rulebook, and what follows from its thresholds")
{
    const struct pyr_options *o = pyr_table_options(NULL);
    CHECK(o->min_seats == 2 && o->max_seats == 4 && o->rounds == 4 && o->turns == 7);
    CHECK(o->tile[0] == 10 && o->tile[1] == 6 && o->tile[2] == 3);
    CHECK(o->pyramid == 10 && o->torch == 5 && o->gem_pair == 5 && o->gem == 1);
    for (unsigned n = 0; n < 20; n++) {
        CHECK_INT(pyr_options_has_seats(o, n), n >= 2 && n <= 4);
        CHECK_INT(pyr_options_is_claim(o, n), n == 2 || n == 4 || n == 6);
        CHECK_INT(pyr_options_can_claim(o, n), n < 6);
        for (unsigned after = n; after <= n + 2; after++) {
            bool passes = false;
            for (unsigned k = n + 1; k <= after; k++)
                passes |= k == 2 || k == 4 || k == 6;
            CHECK_INT(pyr_options_claims_between(o, n, after), passes);
        }
    }
}
