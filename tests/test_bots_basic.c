/*
 * test_bots_basic.c: the two fixed yardsticks. `random` is uniform over the legal steps. `greedy` follows its
 * definition, compared here with a second implementation in plain C and with hand-made positions:
 *
 *     a mark: 2.5 per gem, 5 for a torch that counts, minus the growth of the skull penalty, 1.5 per cross, 10 for the tomb,
 *     1.5 for each space by which the shortest way to the tomb gets shorter;
 *     a card: -1.5 per space of its shortest way, 0.8 per gem, 1 per cross, -0.4 per skull, and 0.4 times the next pyramid
 *     points of its colour where an odd number of that colour is held; a draw only from an empty display; ties at random.
 */
#include "check.h"
#include "check_card.h"
#include "check_edition.h"

#include <pyramids/bots.h>
#include <pyramids/edition.h>
#include <pyramids/score.h>

static struct pyr_edition plain, crowded;
static struct pyr_box box;
static struct pyr_components print;
static const struct pyr_bot *greedy, *uniform;

__attribute__((constructor)) static void load_all(void)
{
    check_edition(&plain, "tests/data/plain.edition");
    check_edition(&crowded, "tests/data/crowded.edition");
    greedy = pyr_bot_find("greedy");
    uniform = pyr_bot_find("random");
    if (!greedy || !uniform || greedy->memory(&plain.box) || uniform->memory(&plain.box)) {
        printf("Bail out! there is no random or no greedy, or they want memory\n");
        exit(1);
    }
}

/* Positions. */

static void card(int number, const char *rows)
{
    struct pyr_card_face face = { .colour = print.card[number - 1].colour };
    check_card(&face, rows);
    print.card[number - 1] = face;
}

/* All cards alike: one way of nine spaces, without symbols. The colours repeat: 1 green, 2 orange, 3 purple. The
 * patterns are those of plain: I2 I3 V3 I4 L4 O4; skulls cost 1 2 3 4 6 8 10 12 15 18. */
static void fresh_print(void)
{
    pyr_box_components(&plain.box, &print);
    for (int n = 1; n <= PYR_CARDS; n++) {
        print.card[n - 1].colour = (uint8_t)((n - 1) % 3);
        card(n, "v.... ####. ####. ####. ####T");
    }
}

/* Two players; the first keeps cards 1 and 2; the first pattern is `pattern`; the display is 9 to 12. */
static void begin(struct pyr_state *state, pyr_pattern pattern)
{
    struct pyr_chance chance;
    CHECK_INT(pyr_box_init(&box, &print, NULL), PYR_OK);
    memset(&chance, PYR_NO_CARD, sizeof chance);
    for (unsigned i = 0; i < 8; i++)
        chance.dealt[i / 4][i % 4] = (pyr_card)i;
    for (unsigned i = 0; i < PYR_CARDS; i++)
        chance.deck[i] = (pyr_card)((i + 8) % PYR_CARDS);
    for (unsigned round = 0; round < PYR_ROUNDS; round++) {
        memcpy(chance.expedition[round], box.expedition, PYR_EXPEDITIONS);
        unsigned at = 0;
        while (chance.expedition[round][at] != pattern)
            at++;
        chance.expedition[round][at] = chance.expedition[round][0];
        chance.expedition[round][0] = pattern;
    }
    CHECK_INT(pyr_state_init(state, &box, 2, &chance), PYR_OK);
}

static void begin_marking(struct pyr_state *state, pyr_pattern pattern)
{
    begin(state, pattern);
    CHECK_INT(pyr_state_apply(state, &box, 0, pyr_step_keep(0, 1)), PYR_OK);
    CHECK_INT(pyr_state_apply(state, &box, 1, pyr_step_keep(4, 5)), PYR_OK);
    pyr_state_advance(state, &box);
    CHECK_INT(state->open.phase, PYR_MARK);
}

/* Marks of earlier turns on a card of the first player. */
static void marked(struct pyr_state *state, unsigned slot, const char *text)
{
    pyr_spaces marks = spaces(text), open = box.card[state->desk[0].card[slot]].open;
    pyr_spaces near = (marks << 1 | marks >> 1 | marks << PYR_ROW | marks >> PYR_ROW) & open & ~marks;
    int clause;
    for (int twin = 0; twin < 2; twin++) {
        struct pyr_desk *desk = twin ? &state->open.desk[0] : &state->desk[0];
        pyr_pair rest = pyr_pair_of(!slot, PYR_ALL_SPACES);
        desk->free = (desk->free & rest) | pyr_pair_of(slot, open & ~marks);
        desk->reach = (desk->reach & rest) | pyr_pair_of(slot, near);
    }
    pyr_state_check(state, &box, &clause);
    CHECK_INT(clause, 0);
}

static void put_skulls(struct pyr_state *state, int skulls)
{
    state->desk[0].skulls = state->open.desk[0].skulls = (uint8_t)skulls;
}

/* The steps that greedy makes in a position, over many seeds. */
struct favourites {
    pyr_step step[64];
    unsigned times[64], kinds;
};

static void ask(const struct pyr_bot *bot, const struct pyr_box *of, const struct pyr_state *state, pyr_seat seat, int times,
    struct favourites *found)
{
    struct pyr_view view;
    struct pyr_rng rng;
    pyr_view_init(&view, state, seat);
    pyr_rng_seed(&rng, 77, 0);
    found->kinds = 0;
    for (int i = 0; i < times; i++) {
        pyr_step step = bot->choose(NULL, of, &view, &rng, NULL);
        unsigned k = 0;
        while (k < found->kinds && found->step[k] != step)
            k++;
        if (k == found->kinds && k < 64) {
            found->step[k] = step;
            found->times[k] = 0;
            found->kinds++;
        }
        if (k < 64)
            found->times[k]++;
    }
}

static bool always(const struct pyr_state *state, pyr_step wanted)
{
    struct favourites found;
    ask(greedy, &box, state, 0, 40, &found);
    if (found.kinds == 1 && found.step[0] == wanted)
        return true;
    for (unsigned k = 0; k < found.kinds; k++)
        fprintf(stderr, "greedy chose %#llx\n", (unsigned long long)found.step[k]);
    return false;
}

static pyr_step mark_of(unsigned slot, const char *text) { return pyr_pair_of(slot, spaces(text)); }

TEST("the bots are listed and found by name")
{
    CHECK(pyr_bot_count() >= 2);
    CHECK_STR(pyr_bot_at(0)->name, "random");
    CHECK(pyr_bot_at(pyr_bot_count()) == NULL);
    CHECK(pyr_bot_find("greed") == NULL && pyr_bot_find("greedyy") == NULL && pyr_bot_find("") == NULL);
    for (unsigned i = 0; i < pyr_bot_count(); i++)
        CHECK(pyr_bot_find(pyr_bot_at(i)->name) == pyr_bot_at(i));
}

/* Greedy's marks, by hand. */

TEST("greedy: 2.5 a gem, 1.5 a space of the way")
{
    struct pyr_state state;
    fresh_print();
    /* Card 1: the way goes right along the top; a ruby and an emerald hang below it. I3. */
    card(1, "v.... re##. ####. ####. ####T");
    begin_marking(&state, 1);
    marked(&state, 0, "a1");
    marked(&state, 1, "a1");
    /* b1c1d1: three spaces of the way, 4.5. One gem and no way: 2.5. */
    struct favourites found;
    ask(greedy, &box, &state, 0, 200, &found);
    CHECK_INT(found.kinds, 2);               /* the same on either card */
    for (unsigned k = 0; k < found.kinds; k++)
        CHECK(found.step[k] == mark_of(0, "b1c1d1") || found.step[k] == mark_of(1, "b1c1d1"));
    /* V3: both gems and b1 are 5 + 1.5. */
    begin_marking(&state, 2);
    marked(&state, 0, "a1");
    marked(&state, 1, "a1");
    CHECK(always(&state, mark_of(0, "b1a2b2")));
}

TEST("greedy: a torch is 5 once a round")
{
    struct pyr_state state;
    fresh_print();
    card(1, "v.... f###. ####. ####. ####T");
    card(2, "v.... r###. ####. ####. ####T");
    begin_marking(&state, 1);
    marked(&state, 0, "a1");
    marked(&state, 1, "a1");
    CHECK(always(&state, mark_of(0, "a2")));             /* 5 beats 4.5 along the way and 2.5 for the ruby */
    state.desk[0].torches = state.open.desk[0].torches = 1;
    struct favourites found;
    ask(greedy, &box, &state, 0, 200, &found);
    CHECK_INT(found.kinds, 2);                           /* b1c1d1 of either card */
    for (unsigned k = 0; k < found.kinds; k++)
        CHECK_INT(pyr_step_spaces(found.step[k]), spaces("b1c1d1"));
}

TEST("greedy: the growth of the skull penalty is paid, a potion lowers it")
{
    struct pyr_state state;
    struct favourites found;
    fresh_print();
    /* I3: b1c1d1 of card 1 has a skull: three spaces of the way, 4.5, less the growth of the penalty. Card 2 has only e4,
     * one space of its way: 1.5, as b1 by itself. */
    card(1, "v.s.. ####. ####. ####. ####T");
    card(2, "v#... .#.#. .#.#. .#.#. ...#T");
    static const char *const most = "a1a2a3a4a5b5c5c4c3c2c1d1e1e2e3";
    static const int growth[] = { 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 0 };
    for (int skulls = 0; skulls <= 10; skulls++) {
        begin_marking(&state, 1);
        marked(&state, 0, "a1");
        marked(&state, 1, most);
        put_skulls(&state, skulls);
        ask(greedy, &box, &state, 0, 100, &found);
        CHECK_INT(found.kinds, growth[skulls] < 3 ? 1 : 3);      /* a growth of 3 makes all three worth 1.5 */
        CHECK(growth[skulls] == 3 || found.step[0] == mark_of(0, "b1c1d1"));
    }
    /* A potion. With I2 either way is worth 3; 6 skulls cost 8, 4 of them 4. */
    card(1, "v.... p###. ####. ####. ####T");
    begin_marking(&state, 0);
    marked(&state, 0, "a1");
    put_skulls(&state, 6);
    marked(&state, 1, "a1a2a3a4a5b5");
    CHECK(always(&state, mark_of(0, "a2")));
    put_skulls(&state, 2);                               /* 2 to 0: worth 2 */
    ask(greedy, &box, &state, 0, 100, &found);
    CHECK(found.kinds == 2);                             /* 3 for two spaces of either way */
    for (unsigned k = 0; k < found.kinds; k++)
        CHECK(found.step[k] == mark_of(0, "b1c1") || found.step[k] == mark_of(1, "c4c5"));
}

TEST("greedy: 1.5 a cross, 10 for the tomb and for the way that it saves")
{
    struct pyr_state state;
    fresh_print();
    card(1, "v.... x###. ####. ####. ####T");
    card(2, "v.... r###. ####. ####. ####T");
    begin_marking(&state, 0);
    marked(&state, 0, "a1b1c1d1e1e2e3");
    marked(&state, 1, "a1b1c1d1e1");
    /* 10 + 3 for e4e5; 1.5 the cross, 2.5 the ruby, 3 for e2e3 of card 2. */
    CHECK(always(&state, mark_of(0, "e4e5")));
    marked(&state, 0, "a1");
    marked(&state, 1, "a1b1c1d1e1e2e3e4");
    CHECK(always(&state, mark_of(1, "e5")));             /* 10 + 1.5 */
    marked(&state, 1, "a1b1c1d1e1e2e3");
    CHECK(always(&state, mark_of(1, "e4e5")));
    /* An extra mark is valued like any other, also where the tomb is marked already (Q2): then its card has no way left. */
    card(1, "v.... x###. ####. ###r. ####T");
    begin_marking(&state, 0);
    marked(&state, 0, "a1b1c1d1e1e2e3e4");
    marked(&state, 1, "a1");
    CHECK(always(&state, mark_of(0, "e5")));
}

TEST("greedy: cards by their way, gems, crosses, skulls and the points of a pair")
{
    struct pyr_state state;
    fresh_print();
    /* Ways: 9 spaces are -13.5. */
    card(1, "v.... ####. ####. ####. ####T");                    /* green, -13.5 */
    card(2, "..v.. ##.## ##.## ##.## ##T##");                    /* orange, 5 spaces: -7.5 */
    card(3, "..v.. ##.## ##.## ##.## #sTs#");                    /* purple, -7.5 - 0.8 */
    card(4, "v.... ####. ####. ####. #..rT");                    /* green, -13.5 + 0.8 */
    begin(&state, 0);
    CHECK(always(&state, pyr_step_keep(1, 2)));                  /* -15.8; no two are of one colour but 1 and 4 */
    /* The pair's points: 0.4 * 10 makes 4 of two of one colour. Green 1 and 4: -13.5 - 12.7 + 4 = -22.2. */
    card(4, "..v.. ##.## ##.## ##.## #rTr#");                    /* green, -7.5 + 1.6 */
    card(1, ".v... .#... .#... .##.. .T###");                    /* green, b1 a1 a2 a3 a4 a5 b5: 7 spaces, -10.5 */
    begin(&state, 0);
    /* 2 and 4: -7.5 - 5.9 = -13.4. 1 and 4: -10.5 - 5.9 + 4 = -12.4. */
    CHECK(always(&state, pyr_step_keep(0, 3)));
    card(1, "v.... .#... .#... .##.. ..T##");                    /* a1 to a5, b5, c5: 7 spaces as well */
    begin(&state, 0);
    CHECK(always(&state, pyr_step_keep(0, 3)));
    card(1, "v.... .#... .#... .##.. ...T#");                    /* 8 spaces: -12 - 5.9 + 4 = -13.9 */
    begin(&state, 0);
    CHECK(always(&state, pyr_step_keep(1, 3)));
}

TEST("greedy: takes the best card of the display, draws only from an empty one")
{
    struct pyr_state state;
    fresh_print();
    card(9, "v.... ####. ####. ####. ####T");                    /* purple, -13.5 */
    card(10, "..v.. ##.## ##.## ##.## ssTss");                   /* green, -7.5 - 1.6 = -9.1 */
    card(11, "x.v.x ##.## ##.## ##.## ##T##");                   /* orange, -7.5 + 2 = -5.5 */
    card(12, "rrvee ##.## ##.## ##.## ##T##");                   /* purple, -7.5 + 3.2 = -4.3 */
    begin_marking(&state, 0);
    marked(&state, 0, "a1b1c1d1e1e2e3");
    CHECK_INT(pyr_state_apply(&state, &box, 0, mark_of(0, "e4e5")), PYR_OK);
    CHECK_INT(pyr_state_apply(&state, &box, 1, mark_of(0, "a1")), PYR_OK);
    CHECK_INT(state.open.phase, PYR_REPLACE);
    /* He has completed 1, green, and holds 2, orange: one of each. 10: -9.1 + 4; 11: -5.5 + 4 = -1.5; 12: -4.3. */
    CHECK(always(&state, pyr_step_take(10)));
    state.open.tile[PYR_ORANGE][0] = 1;                          /* the next orange points are 6: -5.5 + 2.4 = -3.1 */
    CHECK(always(&state, pyr_step_take(10)));
    state.open.tile[PYR_ORANGE][1] = 1;                          /* 3: -5.5 + 1.2 = -4.3, a tie with 12 */
    struct favourites found;
    ask(greedy, &box, &state, 0, 400, &found);
    CHECK_INT(found.kinds, 2);
    for (unsigned k = 0; k < found.kinds; k++)
        CHECK(found.times[k] > 140);                             /* at random: 200 each, within six deviations */
    state.open.tile[PYR_ORANGE][2] = 1;                          /* none: -5.5 */
    CHECK(always(&state, pyr_step_take(11)));
    for (unsigned i = 0; i < PYR_DISPLAY; i++)
        state.open.display[i] = i == 2 ? 8 : PYR_NO_CARD;
    CHECK(always(&state, pyr_step_take(8)));                     /* -13.5 is better than a draw */
    state.open.display[2] = PYR_NO_CARD;
    CHECK(always(&state, pyr_step_draw()));
}

/* The same definition, implemented differently: floods over grids, in tenths. */

static int way(const struct pyr_card_face *face, pyr_spaces marks)
{
    int distance[5][5];
    if (marks & face->tomb)
        return 0;
    for (int pass = 0; pass < 30; pass++) {
        for (int row = 0; row < 5; row++) {
            for (int column = 0; column < 5; column++) {
                pyr_spaces space = PYR_SPACE(row, column);
                if (!pass)
                    distance[row][column] = marks & space || !(face->open & space) ? -1 : 99;
                if (distance[row][column] < 0)
                    continue;
                int best = !marks && face->entrance & space ? 1 : distance[row][column];
                static const int step[4][2] = { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } };
                for (int k = 0; k < 4; k++) {
                    int r = row + step[k][0], c = column + step[k][1];
                    if (r < 0 || r > 4 || c < 0 || c > 4)
                        continue;
                    if (marks & PYR_SPACE(r, c))
                        best = 1;
                    else if (pass && distance[r][c] >= 0 && distance[r][c] + 1 < best)
                        best = distance[r][c] + 1;
                }
                distance[row][column] = best;
            }
        }
    }
    for (int row = 0; row < 5; row++)
        for (int column = 0; column < 5; column++)
            if (face->tomb & PYR_SPACE(row, column))
                return distance[row][column];
    return 0;
}

static int cost(const struct pyr_box *of, int skulls) { return skulls ? of->penalty[skulls - 1] : 0; }

static int bits(pyr_spaces set) { return __builtin_popcount(set); }

static int worth_of_card(const struct pyr_box *of, const struct pyr_view *view, pyr_card index, pyr_cardset held)
{
    const struct pyr_card_face *face = &of->card[index];
    int value = -15 * way(face, 0) + 8 * (bits(face->ruby) + bits(face->emerald)) + 10 * bits(face->cross) -
        4 * bits(face->skull);
    int same = 0, place = 0;
    for (unsigned c = 0; c < PYR_CARDS; c++)
        same += (held >> c & 1) && of->card[c].colour == face->colour;
    while (place < PYR_TILES && view->open.tile[face->colour][place] != PYR_NOBODY)
        place++;
    return value + (same % 2 ? 4 * (place == 0 ? 10 : place == 1 ? 6 : place == 2 ? 3 : 0) : 0);
}

static int worth(const struct pyr_box *of, const struct pyr_view *view, pyr_step step)
{
    pyr_cardset held = view->mine.done;
    for (unsigned slot = 0; slot < 2; slot++)
        if (view->mine.card[slot] != PYR_NO_CARD)
            held |= (pyr_cardset)1 << view->mine.card[slot];
    switch (pyr_step_kind(step)) {
    case PYR_STEP_PASS:
        return 0;
    case PYR_STEP_DRAW:
        return -100000;
    case PYR_STEP_TAKE:
        return worth_of_card(of, view, pyr_step_card(step), held);
    case PYR_STEP_KEEP:
        return worth_of_card(of, view, pyr_step_card(step), held) +
            worth_of_card(of, view, pyr_step_second(step), held | (pyr_cardset)1 << pyr_step_card(step));
    case PYR_STEP_MARK:
        break;
    }
    unsigned slot = pyr_step_slot(step);
    const struct pyr_card_face *face = &of->card[view->mine.card[slot]];
    pyr_spaces now = pyr_step_spaces(step), before = face->open & ~pyr_pair_half(slot, view->mine.free);
    int skulls = view->mine.skulls + bits(now & face->skull);
    skulls = skulls > 10 ? 10 : skulls;
    skulls -= 2 * bits(now & face->potion);
    skulls = skulls < 0 ? 0 : skulls;
    int value = 25 * bits(now & (face->ruby | face->emerald)) + 15 * bits(now & face->cross);
    value += now & face->torch && !(view->mine.torches >> view->open.round & 1) ? 50 : 0;
    value -= 10 * (cost(of, skulls) - cost(of, view->mine.skulls));
    value += now & face->tomb ? 100 : 0;
    return value + 15 * (way(face, before) - way(face, before | now));
}

TEST("greedy: no step has a greater worth than the one it makes, by a second reckoning, and ties are even")
{
    struct pyr_rng rng, bot_rng;
    int phases[PYR_END] = { 0 }, ties = 0;
    pyr_rng_seed(&rng, 1, 0);
    pyr_rng_seed(&bot_rng, 2, 0);
    for (int game = 0; game < 45 && !check_failures; game++) {
        const struct pyr_box *of = game % 2 ? &crowded.box : &plain.box;
        struct pyr_state state;
        pyr_state_deal(&state, of, 2 + (unsigned)game % 3, &rng);
        for (pyr_state_advance(&state, of); state.open.phase != PYR_END && !check_failures; pyr_state_advance(&state, of)) {
            pyr_seat seat = (pyr_seat)__builtin_ctz(state.open.waiting);
            struct pyr_steps steps;
            struct pyr_view view;
            pyr_view_init(&view, &state, seat);
            pyr_step chosen = greedy->choose(NULL, of, &view, &bot_rng, NULL);
            int best = -1000000, tied = 0;
            bool legal = false;
            pyr_state_steps(&state, of, seat, &steps);
            for (uint32_t i = 0; i < steps.count; i++) {
                pyr_step step = pyr_steps_at(&steps, of, i);
                int value = worth(of, &view, step);
                legal |= step == chosen;
                tied = value > best ? 1 : tied + (value == best);
                best = value > best ? value : best;
            }
            CHECK(legal);
            if (!CHECK_INT(worth(of, &view, chosen), best))
                fprintf(stderr, "game %d, phase %d\n", game, state.open.phase);
            phases[state.open.phase]++;
            if (tied > 1 && tied <= 12 && ties < 40) {
                /* Each of the tied steps about equally often. */
                struct favourites found;
                ask(greedy, of, &state, seat, 100 * tied, &found);
                CHECK_INT(found.kinds, tied);
                for (unsigned k = 0; k < found.kinds; k++)
                    CHECK(found.times[k] > 40 && found.times[k] < 160);
                ties++;
            }
            /* Now and then another step is played, for other positions. */
            CHECK_INT(pyr_state_apply(&state, of, seat, pyr_rng_below(&rng, 4) ? chosen : pyr_steps_pick(&steps, of, &rng)),
                PYR_OK);
        }
    }
    CHECK(phases[PYR_KEEP] > 50 && phases[PYR_MARK] > 1000 && phases[PYR_REPLACE] > 100);
    CHECK_INT(ties, 40);
}

TEST("random: each legal step is equally likely")
{
    struct pyr_rng rng;
    int asked = 0;
    pyr_rng_seed(&rng, 3, 0);
    for (int game = 0; game < 12; game++) {
        const struct pyr_box *of = game % 2 ? &crowded.box : &plain.box;
        struct pyr_state state;
        pyr_state_deal(&state, of, 2 + (unsigned)game % 3, &rng);
        for (pyr_state_advance(&state, of); state.open.phase != PYR_END; pyr_state_advance(&state, of)) {
            pyr_seat seat = (pyr_seat)__builtin_ctz(state.open.waiting);
            struct pyr_steps steps;
            struct favourites found;
            pyr_state_steps(&state, of, seat, &steps);
            if (!pyr_rng_below(&rng, 8) && steps.count <= 60) {
                ask(uniform, of, &state, seat, (int)(200 * steps.count), &found);
                CHECK_INT(found.kinds, steps.count);
                double sum = 0;
                for (unsigned k = 0; k < found.kinds; k++)
                    sum += (found.times[k] - 200.0) * (found.times[k] - 200.0) / 200.0;
                double beyond = sum - found.kinds;
                CHECK(beyond < 0 || beyond * beyond < 36.0 * 2 * found.kinds);
                asked++;
            }
            pyr_state_apply_unchecked(&state, of, seat, pyr_steps_pick(&steps, of, &rng));
        }
    }
    CHECK(asked > 100);
}

TEST("both choose alike when only hidden things differ")
{
    struct pyr_rng rng;
    int asked = 0;
    pyr_rng_seed(&rng, 4, 0);
    for (int game = 0; game < 30 && !check_failures; game++) {
        const struct pyr_box *of = game % 2 ? &crowded.box : &plain.box;
        struct pyr_state state, twin;
        pyr_state_deal(&state, of, 2 + (unsigned)game % 3, &rng);
        for (pyr_state_advance(&state, of); state.open.phase != PYR_END; pyr_state_advance(&state, of)) {
            pyr_seat seat;
            do
                seat = (pyr_seat)pyr_rng_below(&rng, state.open.seats);
            while (!(state.open.waiting >> seat & 1));
            struct pyr_view view, other;
            struct pyr_steps steps;
            /* Another deck, other patterns to come, other deals and other choices of the others. */
            pyr_view_init(&view, &state, seat);
            pyr_view_sample(&view, of, &rng, &twin);
            pyr_view_init(&other, &twin, seat);
            CHECK(memcmp(&state.hidden, &twin.hidden, sizeof state.hidden) != 0);
            for (int bot = 0; bot < 2; bot++) {
                struct pyr_rng one, two;
                pyr_rng_seed(&one, 5, (uint64_t)asked);
                two = one;
                CHECK((bot ? greedy : uniform)->choose(NULL, of, &view, &one, NULL) ==
                    (bot ? greedy : uniform)->choose(NULL, of, &other, &two, NULL));
                CHECK(one.state == two.state);
            }
            asked++;
            pyr_state_steps(&state, of, seat, &steps);
            pyr_state_apply_unchecked(&state, of, seat, pyr_steps_pick(&steps, of, &rng));
        }
    }
    CHECK(asked > 1000);
}

/* An unusual box: anything that pyr_box_init accepts. */
static bool odd_box(struct pyr_box *to, struct pyr_rng *rng)
{
    struct pyr_components odd;
    pyr_box_components(pyr_rng_below(rng, 2) ? &plain.box : &crowded.box, &odd);
    unsigned walls = pyr_rng_below(rng, 8), symbols = pyr_rng_below(rng, 9);
    for (int c = 0; c < PYR_CARDS; c++) {
        struct pyr_card_face face;
        pyr_spaces seen;
        do {
            face = (struct pyr_card_face){ .colour = odd.card[c].colour };
            for (int i = 0; i < 25; i++)
                face.open |= pyr_rng_below(rng, 16) >= walls ? PYR_SPACE(i / 5, i % 5) : 0;
            unsigned from = pyr_rng_below(rng, 5), to_column = pyr_rng_below(rng, 5);
            face.entrance = PYR_SPACE(0, from);
            face.tomb = PYR_SPACE(4, to_column);
            face.open |= face.entrance | face.tomb;
            seen = face.entrance;
            for (int i = 0; i < 25; i++)
                seen |= (seen << 1 | seen >> 1 | seen << PYR_ROW | seen >> PYR_ROW) & face.open;
        } while (!(seen & face.tomb));
        face.open = seen;
        for (int i = 0; i < 25; i++) {
            pyr_spaces space = PYR_SPACE(i / 5, i % 5);
            if (!(face.open & space) || (face.entrance | face.tomb) & space || pyr_rng_below(rng, 8) >= symbols)
                continue;
            pyr_spaces *const kind[] = { &face.cross, &face.ruby, &face.emerald, &face.torch, &face.skull, &face.potion };
            *kind[pyr_rng_below(rng, 6)] |= space;
        }
        odd.card[c] = face;
    }
    return pyr_box_init(to, &odd, NULL) == PYR_OK;
}

TEST("neither makes an illegal step, on whatever box")
{
    struct pyr_rng rng, thought;
    static struct pyr_box odd;
    int steps = 0, passes = 0;
    pyr_rng_seed(&rng, 6, 0);
    pyr_rng_seed(&thought, 7, 0);
    for (int game = 0; game < 120 && !check_failures; game++) {
        struct pyr_state state;
        if (game % 6 == 5)
            odd = crowded.box;               /* where greedy players run out of cards */
        else if (!CHECK(odd_box(&odd, &rng)))
            return;
        pyr_state_deal(&state, &odd, 2 + (unsigned)game % 3, &rng);
        for (pyr_state_advance(&state, &odd); state.open.phase != PYR_END; pyr_state_advance(&state, &odd)) {
            struct pyr_view view;
            pyr_seat seat = (pyr_seat)__builtin_ctz(state.open.waiting);
            pyr_view_init(&view, &state, seat);
            const struct pyr_bot *bot = (game + seat) % 3 || game % 6 == 5 ? greedy : uniform;
            pyr_step step = bot->choose(NULL, &odd, &view, &thought, NULL);
            if (!CHECK_INT(pyr_state_apply(&state, &odd, seat, step), PYR_OK))
                break;
            steps++;
            passes += step == pyr_step_pass();
        }
        int clause;
        pyr_state_check(&state, &odd, &clause);
        CHECK_INT(clause, 0);
    }
    CHECK(steps > 5000);
    CHECK(passes > 0);
}
