/*
 * test_tui.c: the parts of the terminal client that need no terminal: the pattern being placed, the gains of a mark,
 * the canvas of characters, the game in words, saved files.
 */
#define _POSIX_C_SOURCE 200809L  /* mkdtemp, setenv */

#include "check.h"
#include "check_edition.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pyramids/rules.h>

#include "draw.h"
#include "rulesheet.h"
#include "saved.h"
#include "screen.h"

static struct pyr_edition plain, crowded;
static struct pyr_match match;

__attribute__((constructor)) static void load_editions(void)
{
    check_edition(&plain, "tests/data/plain.edition");
    check_edition(&crowded, "tests/data/crowded.edition");
}

static char names[PYR_MAX_SEATS][PYR_MAX_PLAYER_NAME + 1] = { "Ana", "Ben", "Çağla 🐫", "日本語の名前" };

static void begin(const struct pyr_edition *edition, unsigned seats, uint64_t seed)
{
    struct pyr_chance chance;
    struct pyr_rng rng;
    const char *list[PYR_MAX_SEATS] = { names[0], names[1], names[2], names[3] };
    pyr_rng_seed(&rng, seed, 0);
    pyr_chance_draw(&chance, &edition->box, seats, &rng);
    CHECK_INT(pyr_match_init(&match, edition, seats, list, &chance), PYR_OK);
}

/* All seats except 0 choose at random. */
static void others_choose(struct pyr_rng *rng)
{
    for (unsigned waiting; (waiting = pyr_match_waiting(&match) & ~1u);) {
        struct pyr_steps steps;
        pyr_seat seat = (pyr_seat)__builtin_ctz(waiting);
        pyr_match_steps(&match, seat, &steps);
        bool replace = match.replay.state.open.phase == PYR_REPLACE;
        if (!CHECK_INT(pyr_match_step(&match, seat, pyr_steps_pick(&steps, &match.edition->box, rng)), PYR_OK))
            return;
        if (!replace && pyr_match_is_ready(&match, seat))
            pyr_match_confirm(&match, seat);
    }
}

TEST("a pattern has as many looks as the engine has turns")
{
    for (unsigned p = 0; p < PYR_PATTERNS; p++) {
        pyr_spaces looks[PYR_MAX_TURNS];
        unsigned count = 0;
        for (unsigned t = 0; t < PYR_MAX_TURNS; t++) {
            pyr_spaces shape = pyr_aim_shape(&plain.box, (pyr_pattern)p, t);
            bool known = false;
            CHECK_INT(__builtin_popcount(shape), plain.box.pattern[p].size);
            for (unsigned i = 0; i < count; i++)
                known = known || looks[i] == shape;
            if (!known)
                looks[count++] = shape;
        }
        CHECK_INT(count, plain.box.pattern[p].turns);
    }
    CHECK_INT(pyr_aim_shape(&plain.box, PYR_SINGLE, 5), PYR_SPACE(0, 0));
}

/* All marks that are legal, by going through them with next. */
static unsigned count_by_next(const struct pyr_desk *desk, pyr_pattern pattern, bool single, uint64_t *sum, int direction)
{
    struct pyr_aim first = { .single = single }, aim;
    *sum = 0;
    if (!pyr_aim_next(&first, &plain.box, desk, pattern, direction))
        return 0;
    aim = first;
    unsigned count = 0;
    do {
        CHECK_INT(pyr_aim_check(&aim, &plain.box, desk, pattern), PYR_OK);
        *sum += pyr_aim_step(&aim, &plain.box, pattern) * 31;
        count++;
    } while (pyr_aim_next(&aim, &plain.box, desk, pattern, direction) && memcmp(&aim, &first, sizeof aim) && count < 500);
    return count;
}

TEST("going through placements meets every legal mark once, both ways")
{
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 5, 5);
    for (unsigned game = 0; game < 5; game++) {
        begin(&plain, 2, game);
        while (!pyr_match_is_over(&match)) {
            struct pyr_view view;
            struct pyr_steps steps;
            others_choose(&rng);
            if (!(pyr_match_waiting(&match) & 1))
                continue;
            pyr_match_view(&match, 0, &view);
            pyr_match_steps(&match, 0, &steps);
            pyr_pattern pattern = hand_pattern(&match);
            if (steps.pattern != PYR_NO_PATTERN && view.mine.flags & PYR_DESK_FIRST) {
                uint64_t patterns, singles, back, all = 0;
                unsigned a = count_by_next(&view.mine, pattern, false, &patterns, 1),
                    b = count_by_next(&view.mine, pattern, true, &singles, 1);
                CHECK_INT(count_by_next(&view.mine, pattern, false, &back, -1), a);
                CHECK(back == patterns);
                CHECK_INT(a + b, steps.count);
                for (uint32_t i = 0; i < steps.count; i++)
                    all += pyr_steps_at(&steps, &plain.box, i) * 31;
                CHECK(all == patterns + singles);
                CHECK_INT(pyr_aim_count(&plain.box, &view.mine, pattern, 0, false) +
                    pyr_aim_count(&plain.box, &view.mine, pattern, 1, false), a);
                CHECK_INT(pyr_aim_count(&plain.box, &view.mine, pattern, 0, true) +
                    pyr_aim_count(&plain.box, &view.mine, pattern, 1, true), b);
            }
            bool replace = match.replay.state.open.phase == PYR_REPLACE;
            pyr_match_step(&match, 0, pyr_steps_pick(&steps, &plain.box, &rng));
            if (!replace && pyr_match_is_ready(&match, 0))
                pyr_match_confirm(&match, 0);
        }
    }
}

TEST("four quarters, or two mirrorings, bring a pattern back")
{
    struct pyr_desk desk = { .due = 1, .flags = PYR_DESK_FIRST, .card = { PYR_NO_CARD, PYR_NO_CARD } };
    pyr_desk_lay(&desk, &plain.box, 0, 4);
    pyr_desk_lay(&desk, &plain.box, 1, 16);
    for (unsigned p = 0; p < PYR_PATTERNS; p++) {
        for (unsigned turn = 0; turn < PYR_MAX_TURNS; turn++) {
            struct pyr_aim aim = { .turn = (uint8_t)turn, .row = 1, .column = 1 };
            pyr_spaces before = pyr_aim_shape(&plain.box, (pyr_pattern)p, aim.turn), mirrored = 0;
            bool changed = pyr_aim_turn(&aim, &plain.box, &desk, (pyr_pattern)p, 0);
            mirrored = pyr_aim_shape(&plain.box, (pyr_pattern)p, aim.turn);
            CHECK(changed == (mirrored != before));
            /* Left and right are exchanged. */
            for (unsigned row = 0; row < PYR_SIDE; row++)
                CHECK_INT(__builtin_popcount(before >> row * PYR_ROW & 0x1f),
                    __builtin_popcount(mirrored >> row * PYR_ROW & 0x1f));
            pyr_aim_turn(&aim, &plain.box, &desk, (pyr_pattern)p, 0);
            CHECK_INT(pyr_aim_shape(&plain.box, (pyr_pattern)p, aim.turn), before);
            CHECK_INT(__builtin_popcount(pyr_aim_spaces(&aim, &plain.box, (pyr_pattern)p)), plain.box.pattern[p].size);
        }
    }
}

TEST("an aim stays inside the grid, whatever is done with it")
{
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 9, 1);
    begin(&plain, 2, 3);
    others_choose(&rng);
    struct hand hand = { .picked = 3 };
    CHECK_INT(hand_place(&hand, &match, 0), PYR_OK);
    pyr_match_confirm(&match, 0);
    CHECK_INT(hand_state(&match, 0), HAND_FIRST);
    for (unsigned i = 0; i < 20000; i++) {
        struct gains gains;
        switch (pyr_rng_below(&rng, 8)) {
        case 0: hand_move(&hand, &match, 0, 1, 0); break;
        case 1: hand_move(&hand, &match, 0, -1, 0); break;
        case 2: hand_move(&hand, &match, 0, 0, 1); break;
        case 3: hand_move(&hand, &match, 0, 0, -1); break;
        case 4: hand_turn(&hand, &match, 0, (int)pyr_rng_below(&rng, 3) - 1); break;
        case 5: hand_single(&hand, &match, 0); break;
        case 6: hand_card(&hand, &match, 0, pyr_rng_below(&rng, 2)); break;
        default: hand_cover(&hand, &match, 0, pyr_rng_below(&rng, 2), pyr_rng_below(&rng, 5), pyr_rng_below(&rng, 5),
            pyr_rng_below(&rng, 2));
        break;
        }
        pyr_spaces spaces = pyr_aim_spaces(&hand.aim, &plain.box, hand_pattern(&match));
        if (!CHECK(!(spaces & ~PYR_ALL_SPACES)) || !CHECK(hand.aim.slot < 2) ||
            !CHECK_INT(__builtin_popcount(spaces), hand.aim.single ? 1 : plain.box.pattern[hand_pattern(&match)].size))
            return;
        hand_preview(&hand, &match, 0, &gains);
    }
}

TEST("pointing at a space holds the pattern over it, in a turn that fits if there is one")
{
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 2, 2);
    begin(&plain, 2, 12);
    while (!pyr_match_is_over(&match)) {
        struct pyr_view view;
        struct pyr_steps steps;
        others_choose(&rng);
        if (!(pyr_match_waiting(&match) & 1))
            continue;
        pyr_match_view(&match, 0, &view);
        pyr_match_steps(&match, 0, &steps);
        if (steps.pattern != PYR_NO_PATTERN && view.mine.flags & PYR_DESK_FIRST) {
            for (unsigned i = 0; i < 50; i++) {
                unsigned slot = i / 25, row = i / 5 % 5, column = i % 5;
                struct pyr_aim aim = { .turn = (uint8_t)pyr_rng_below(&rng, 8) };
                if (view.mine.card[slot] == PYR_NO_CARD)
                    continue;
                bool any = false;
                for (uint32_t k = 0; k < steps.count; k++) {
                    pyr_step step = pyr_steps_at(&steps, &plain.box, k);
                    any = any || (__builtin_popcountll(step) > 1 && step & pyr_pair_of(slot, PYR_SPACE(row, column)));
                }
                CHECK(pyr_aim_cover(&aim, &plain.box, &view.mine, hand_pattern(&match), slot, row, column, true) == any);
                if (any)                     /* some turns cannot cover a corner at all */
                    CHECK(pyr_aim_spaces(&aim, &plain.box, hand_pattern(&match)) & PYR_SPACE(row, column));
            }
        }
        bool replace = match.replay.state.open.phase == PYR_REPLACE;
        pyr_match_step(&match, 0, pyr_steps_pick(&steps, &plain.box, &rng));
        if (!replace && pyr_match_is_ready(&match, 0))
            pyr_match_confirm(&match, 0);
    }
}

/* Turns a legal mark in every direction; returns how many of them changed it. */
static unsigned turn_all(const struct pyr_desk *desk, const struct pyr_steps *steps, const struct pyr_aim *from)
{
    const pyr_pattern pattern = hand_pattern(&match);
    const pyr_spaces look = pyr_aim_shape(&plain.box, pattern, from->turn);
    unsigned count = 0;
    for (int quarters = -1; quarters <= 1; quarters++) {
        struct pyr_aim to = *from;
        bool fits = false;
        for (uint32_t k = 0; k < steps->count; k++) {
            struct pyr_aim other = { .turn = from->turn };
            pyr_step step = pyr_steps_at(steps, &plain.box, k);
            if (!pyr_aim_hold(&other, &plain.box, pattern, step) || other.single || other.slot != from->slot)
                continue;
            for (unsigned t = quarters ? from->turn & 4 : ~from->turn & 4, end = t + 4; t < end; t++)
                fits = fits || (pyr_aim_shape(&plain.box, pattern, t) != look &&
                    pyr_aim_shape(&plain.box, pattern, t) == pyr_aim_shape(&plain.box, pattern, other.turn));
        }
        bool turned = pyr_aim_turn_placed(&to, &plain.box, desk, pattern, quarters);
        if (quarters)
            CHECK(turned == fits);
        if (turned) {
            CHECK_INT(to.slot, from->slot);
            CHECK_INT((to.turn ^ from->turn) & 4, quarters ? 0 : 4);
            CHECK(pyr_aim_shape(&plain.box, pattern, to.turn) != look);
            CHECK_INT(pyr_aim_check(&to, &plain.box, desk, pattern), PYR_OK);
        } else {
            CHECK(!memcmp(&to, from, sizeof to));
        }
        count += turned;
    }
    return count;
}

TEST("what is placed is held, snapped to and turned to another legal place on its card")
{
    struct pyr_rng rng;
    unsigned turned = 0;
    pyr_rng_seed(&rng, 4, 2);
    begin(&plain, 2, 5);
    while (!pyr_match_is_over(&match)) {
        struct pyr_view view;
        struct pyr_steps steps;
        others_choose(&rng);
        if (!(pyr_match_waiting(&match) & 1))
            continue;
        pyr_match_view(&match, 0, &view);
        pyr_match_steps(&match, 0, &steps);
        const pyr_pattern pattern = hand_pattern(&match);
        for (uint32_t k = 0; steps.pattern != PYR_NO_PATTERN && view.mine.flags & PYR_DESK_FIRST && k < steps.count; k++) {
            struct pyr_aim aim = { .turn = (uint8_t)pyr_rng_below(&rng, 8) };
            pyr_step step = pyr_steps_at(&steps, &plain.box, k);
            if (pyr_step_kind(step) != PYR_STEP_MARK || !CHECK(pyr_aim_hold(&aim, &plain.box, pattern, step)))
                continue;
            CHECK(pyr_aim_step(&aim, &plain.box, pattern) == step);
            /* Its middle is between the first and the last row and column that it covers. */
            unsigned rows = 0, columns = 0;
            for (unsigned i = 0; i < 25; i++)
                if (pyr_step_spaces(step) & PYR_SPACE(i / 5, i % 5))
                    rows |= 1u << i / 5, columns |= 1u << i % 5;
            int row = 50 * (__builtin_ctz(rows) + 31 - __builtin_clz(rows)),
                column = 50 * (__builtin_ctz(columns) + 31 - __builtin_clz(columns));
            struct pyr_aim near = { .turn = aim.turn, .single = aim.single };
            CHECK(pyr_aim_snap(&near, &plain.box, &view.mine, pattern, aim.slot, row, column) &&
                !memcmp(&near, &aim, sizeof aim));
            CHECK(!pyr_aim_snap(&near, &plain.box, &view.mine, pattern, aim.slot, -170, INT_MAX));
            if (!aim.single)
                turned += turn_all(&view.mine, &steps, &aim);
        }
        bool replace = match.replay.state.open.phase == PYR_REPLACE;
        pyr_match_step(&match, 0, pyr_steps_pick(&steps, &plain.box, &rng));
        if (!replace && pyr_match_is_ready(&match, 0))
            pyr_match_confirm(&match, 0);
    }
    CHECK(turned > 100);
}

/* Plays a game by hand, and compares the preview with what then happens. */
static void play_by_hand(const struct pyr_edition *edition, uint64_t seed)
{
    struct pyr_rng rng;
    struct hand hand = { .at = 0 };
    pyr_rng_seed(&rng, seed, 7);
    begin(edition, 2, seed);
    for (unsigned i = 0; i < 5000 && !pyr_match_is_over(&match); i++) {
        struct gains gains, made;
        struct pyr_view view;
        others_choose(&rng);
        hand_follow(&hand, &match, 0);
        switch (hand_state(&match, 0)) {
        case HAND_KEEP:
            hand_pick(&hand, pyr_rng_below(&rng, 4));
            if (__builtin_popcount(hand.picked) == 2)
                CHECK_INT(hand_place(&hand, &match, 0), PYR_OK);
            else
                CHECK_INT(hand_place(&hand, &match, 0), PYR_ERR_NOT_READY);
            break;
        case HAND_FIRST:
        case HAND_EXTRA:
            /* A new decision begins with a legal pattern in hand. */
            if (!CHECK_INT(hand_preview(&hand, &match, 0, &gains), PYR_OK))
                return;
            if (pyr_rng_below(&rng, 2))
                hand_next(&hand, &match, 0, 1);
            CHECK_INT(hand_preview(&hand, &match, 0, &gains), PYR_OK);
            CHECK_INT(hand_place(&hand, &match, 0), PYR_OK);
            pyr_match_view(&match, 0, &view);
            CHECK_INT(hand_points(&edition->box, &view.mine, pyr_table_points(&view.open, 0)), gains.after);
            CHECK_INT(view.mine.due, gains.due);
            hand_made(&match, 0, &made);
            CHECK_INT(made.after, gains.after);
            if (!pyr_rng_below(&rng, 4)) {
                struct pyr_aim aim = hand.aim;
                CHECK_INT(hand_undo(&hand, &match, 0), PYR_OK);
                CHECK(!memcmp(&aim, &hand.aim, sizeof aim));
                CHECK_INT(hand_place(&hand, &match, 0), PYR_OK);
            }
            break;
        case HAND_PASS: CHECK_INT(hand_place(&hand, &match, 0), PYR_OK); break;
        case HAND_READY: CHECK_INT(pyr_match_confirm(&match, 0), PYR_OK); break;
        case HAND_REPLACE:
            CHECK_INT(pyr_match_step(&match, 0,
                hand.at < PYR_DISPLAY ? pyr_step_take(match.replay.state.open.display[hand.at]) : pyr_step_draw()), PYR_OK);
            break;
        default: break;
        }
    }
    CHECK(pyr_match_is_over(&match));
    CHECK_INT(hand_state(&match, 0), HAND_OVER);
}

TEST("whole games by hand: the preview is what happens, undo brings the aim back")
{
    for (uint64_t seed = 0; seed < 12; seed++)
        play_by_hand(seed % 2 ? &plain : &crowded, seed);
}

TEST("a third card picked takes the place of the first")
{
    struct hand hand = { .at = 0 };
    hand_pick(&hand, 0);
    hand_pick(&hand, 1);
    CHECK_INT(hand.picked, 3);
    hand_pick(&hand, 2);
    CHECK_INT(hand.picked, 6);
    hand_pick(&hand, 2);
    CHECK_INT(hand.picked, 2);
}

TEST("the game in words, one sentence per event and one heading per turn")
{
    struct story story = { 0 };
    play_by_hand(&crowded, 1);
    story_tell(&story, &match, match.log.lines / 2, names);
    unsigned half = story.count;
    story_tell(&story, &match, match.log.lines, names);
    CHECK(half > 10 && story.count > half);
    unsigned headings = 0;
    for (unsigned i = 0; i < story.count; i++) {
        headings += story.line[i].heading;
        CHECK(story.line[i].text[0] != '\0');
    }
    CHECK_INT(headings, PYR_ROUNDS * PYR_TURNS);
    CHECK(strstr(story.line[0].text, "Ana keeps") != NULL);
    story_tell(&story, &match, 12, names);               /* going back starts again */
    CHECK(story.count < half);
    story_finish(&story);
}

TEST("R17 Q8 how a game was won")
{
    struct pyr_table open = match.replay.state.open;
    char text[400];
    play_by_hand(&plain, 1);
    open = match.replay.state.open;
    open.seats = 2;
    open.desk[0] = open.desk[1] = (struct pyr_desk){ .rubies = 3, .card = { PYR_NO_CARD, PYR_NO_CARD } };
    memset(open.tile, PYR_NOBODY, sizeof open.tile);
    words_winner(&plain.box, &open, names, text, sizeof text);
    CHECK_STR(text, "Ana, Ben share the win. They have 3 points each, and none of them completed a pyramid.");
    open.desk[0].done = (pyr_cardset)1 << 8;
    open.desk[1].done = (pyr_cardset)1 << 3;
    words_winner(&plain.box, &open, names, text, sizeof text);
    CHECK_STR(text, "Ben wins the tie. Ana, Ben have 13 points. The lowest completed pyramid decides: Ben has number 4.");
    open.desk[0].rubies = 5;
    words_winner(&plain.box, &open, names, text, sizeof text);
    CHECK_STR(text, "Ana wins. 15 points, 2 more than the next.");
}

/* A table of four at rest before the first turn; tests then change what is on it. */
static struct scene quiet_scene(void)
{
    static struct hand hand;
    static struct story story;
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 1, 1);
    begin(&plain, 4, 8);
    others_choose(&rng);
    hand = (struct hand){ .picked = 3 };
    story = (struct story){ 0 };
    hand_place(&hand, &match, 0);
    pyr_match_confirm(&match, 0);
    hand_follow(&hand, &match, 0);
    struct scene scene = { .edition = &plain, .match = &match, .seat = 0, .names = names,
        .state = hand_state(&match, 0), .hand = &hand, .story = &story, .story_mark = UINT32_MAX };
    pyr_match_view(&match, 0, &scene.view);
    return scene;
}

/* The line of a dump that has a text, as a string of its own. */
static const char *line_with(const char *dump, const char *text, char *to, size_t size)
{
    const char *at = strstr(dump, text), *begins = at;
    to[0] = '\0';
    if (!at)
        return to;
    while (begins > dump && begins[-1] != '\n')
        begins--;
    snprintf(to, size, "%.*s", (int)strcspn(begins, "\n"), begins);
    return to;
}

/* The lowest `count` cards of a colour. */
static pyr_cardset lowest(unsigned colour, unsigned count)
{
    pyr_cardset all = plain.box.colour[colour], some = 0;
    for (; count && all; count--, all &= all - 1)
        some |= all & -all;
    return some;
}

TEST("the story names every completed pyramid with its colour")
{
    struct story story = { 0 };
    unsigned told = 0, completed = 0;
    play_by_hand(&crowded, 1);
    story_tell(&story, &match, match.log.lines, names);
    for (unsigned s = 0; s < match.replay.seats; s++) {
        for (pyr_cardset done = match.replay.state.open.desk[s].done; done; done &= done - 1) {
            char sentence[800];
            unsigned card = (unsigned)__builtin_ctzll(done), found = 0;
            snprintf(sentence, sizeof sentence, "%s completes card %u, %s.", names[s], card + 1,
                pyr_text_colour(crowded.box.card[card].colour));
            for (unsigned i = 0; i < story.count; i++)
                found += !strcmp(story.line[i].text, sentence);
            CHECK_INT(found, 1);
            completed++;
        }
    }
    for (unsigned i = 0; i < story.count; i++)
        told += strstr(story.line[i].text, " completes ") != NULL;
    CHECK(completed > 0);
    CHECK_INT(told, completed);
    story_finish(&story);
}

TEST("the news of a turn: what was completed and which points were taken, and nothing else")
{
    struct story story = { 0 };
    unsigned with_news = 0, without = 0, points = 0, told = 0;
    play_by_hand(&crowded, 1);
    unsigned fresh = 0;
    for (uint32_t line = 0; line < match.log.lines; line++) {
        struct pyr_word text = pyr_match_line(&match, line);
        struct pyr_replay before, after;
        CHECK_INT(pyr_match_replay(&match, line, &before), PYR_OK);
        CHECK_INT(pyr_match_replay(&match, line + 1, &after), PYR_OK);
        if (text.length > 7 && !memcmp(text.at, "points ", 7))
            points++;
        if (text.length > 7 && !memcmp(text.at, "reveal ", 7)) {
            char news[900], brief[200];
            story_tell(&story, &match, line + 1, names);
            story_news(&story, news, sizeof news, brief, sizeof brief);
            CHECK_INT(news[0] != '\0', fresh > 0);
            CHECK_INT(brief[0] != '\0', fresh > 0);
            with_news += fresh > 0;
            without += fresh == 0;
            for (const char *at = news; (at = strstr(at, "pyramid points for")); at++)
                told++;
            fresh = 0;
        }
        for (unsigned s = 0; s < match.replay.seats; s++)
            fresh += (unsigned)__builtin_popcountll(after.state.open.desk[s].done & ~before.state.open.desk[s].done);
    }
    CHECK(with_news > 3 && without > 3);
    CHECK(points > 0 && told > 0 && told <= points);
    story_finish(&story);
}

TEST("Q3 the story says when an extra mark is lost")
{
    /* A card with two red crosses or more: one line of a log that marks two of them and makes one extra mark, or none. */
    unsigned card = 0;
    while (card < PYR_CARDS && __builtin_popcount(crowded.box.card[card].cross) < 2)
        card++;
    if (!CHECK(card < PYR_CARDS))
        return;
    pyr_spaces all = crowded.box.card[card].cross, two = (all & -all) | ((all & (all - 1)) & -(all & (all - 1)));
    for (unsigned extras = 0; extras < 3; extras++) {
        struct story story = { 0 };
        struct pyr_out out;
        begin(&crowded, 2, 1);
        pyr_out_init(&out, match.log.text, sizeof match.log.text);
        pyr_out_text(&out, "mark 1 ");
        pyr_out_number(&out, (int)card + 1);
        pyr_out_char(&out, ':');
        pyr_spaces_write(two, &out);
        for (unsigned i = 0; i < extras; i++) {
            pyr_spaces plain_spaces = crowded.box.card[card].open & ~all;
            pyr_out_char(&out, '+');
            pyr_out_number(&out, (int)card + 1);
            pyr_out_char(&out, ':');
            for (unsigned k = 0; k < i; k++)
                plain_spaces &= plain_spaces - 1;
            pyr_spaces_write(plain_spaces & -plain_spaces, &out);
        }
        pyr_out_char(&out, '\n');
        match.log.lines = 1;
        match.log.start[0] = 0;
        match.log.start[1] = (uint32_t)out.length;
        story_tell(&story, &match, 1, names);
        const char *wanted = extras == 0 ? "Ana loses 2 extra marks: no space is left for them (Q3)."
            : extras == 1 ? "Ana loses 1 extra mark: no space is left for it (Q3)." : NULL;
        unsigned found = 0, any = 0;
        for (unsigned i = 0; i < story.count; i++) {
            found += wanted && !strcmp(story.line[i].text, wanted);
            any += strstr(story.line[i].text, "(Q3)") != NULL;
        }
        CHECK_INT(found, wanted != NULL);
        CHECK_INT(any, wanted != NULL);
        story_finish(&story);
    }
}

TEST("everyone's pyramids by colour, pyramid points, gems and skulls are on the table, each beside its player")
{
    static const int sizes[][2] = { { 80, 24 }, { 80, 30 }, { 97, 31 }, { 120, 40 }, { 200, 60 } };
    struct canvas canvas = { 0 };
    struct scene scene = quiet_scene();
    char line[1000];
    struct pyr_desk *ben = &scene.view.open.desk[1];
    ben->done = lowest(PYR_GREEN, 4) | lowest(PYR_PURPLE, 1);
    ben->rubies = 7;
    ben->emeralds = 3;
    ben->skulls = 2;
    scene.view.open.tile[PYR_GREEN][0] = scene.view.open.tile[PYR_GREEN][2] = 1;
    char score[40], skulls[40];
    snprintf(score, sizeof score, "Ben %d", pyr_table_score(&scene.view.open, &plain.box, 1).total);
    snprintf(skulls, sizeof skulls, "☠2-%u", plain.box.penalty[1]);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        canvas_init(&canvas, sizes[i][0], sizes[i][1]);
        draw_table(&canvas, &scene);
        char *text = canvas_dump(&canvas);
        /* The score is directly behind its name, never in front of the next one. */
        if (!CHECK(strstr(line_with(text, "Ben", line, sizeof line), score) != NULL) ||
            !CHECK(strstr(text, "≡4+13") != NULL) ||
            !CHECK(strstr(text, "╱0") != NULL) || !CHECK(strstr(text, "░1") != NULL) || !CHECK(strstr(text, "♦7") != NULL) ||
            !CHECK(strstr(text, "■3") != NULL) || !CHECK(strstr(text, skulls) != NULL))
            printf("# %d by %d:\n%s", sizes[i][0], sizes[i][1], text);
        free(text);
    }
    canvas_finish(&canvas);
}

TEST("the sheet of players lists every completed pyramid under its colour")
{
    struct canvas canvas = { 0 };
    struct scene scene = quiet_scene();
    scene.view.open.desk[1].done = lowest(PYR_GREEN, 6) | lowest(PYR_ORANGE, 2);
    scene.view.open.tile[PYR_GREEN][0] = scene.view.open.tile[PYR_GREEN][1] = 1;
    canvas_init(&canvas, 80, 24);
    draw_players(&canvas, &scene);
    char *text = canvas_dump(&canvas), wanted[100] = "≡", orange[100] = "╱";
    for (pyr_cardset all = lowest(PYR_GREEN, 6); all; all &= all - 1)
        snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), " %d", __builtin_ctzll(all) + 1);
    for (pyr_cardset all = lowest(PYR_ORANGE, 2); all; all &= all - 1)
        snprintf(orange + strlen(orange), sizeof orange - strlen(orange), " %d", __builtin_ctzll(all) + 1);
    if (!CHECK(strstr(text, wanted) != NULL) || !CHECK(strstr(text, orange) != NULL) ||
        !CHECK(strstr(text, "+10+6") != NULL))
        printf("# %s:\n%s", wanted, text);
    free(text);
    canvas_finish(&canvas);
}

TEST("R13 an empty deck is not offered")
{
    struct canvas canvas = { 0 };
    struct scene scene = quiet_scene();
    scene.view.open.phase = PYR_REPLACE;
    scene.view.open.deck_left = 0;
    scene.view.open.cards_owed = 1;
    scene.view.open.replace_order[0] = 0;
    scene.view.open.replace_order[1] = PYR_NOBODY;
    scene.view.open.completed[0][0] = 4;
    scene.state = HAND_REPLACE;
    canvas_init(&canvas, 80, 24);
    draw_replace(&canvas, &scene);
    char *text = canvas_dump(&canvas);
    if (!CHECK(!strstr(text, "or the deck")) || !CHECK(strstr(text, "The deck is empty (R13).") != NULL))
        printf("%s", text);
    for (unsigned i = 0; i < canvas.places; i++)
        CHECK(canvas.place[i].action != ACT_ITEM || canvas.place[i].detail != HAND_DECK);
    free(text);
    canvas_finish(&canvas);
}

TEST("the rules: every tag can be jumped to, cited in a message, and found by a word")
{
    struct canvas canvas = { 0 };
    struct scene scene = quiet_scene();
    struct rules_view view;
    canvas_init(&canvas, 80, 24);
    CHECK_INT(rules_cited("It must share a side with a marked space (R10)."), pyr_text_rule_find("R10"));
    CHECK_INT(rules_cited("(R8) and then (Q3)."), pyr_text_rule_find("Q3"));
    CHECK_INT(rules_cited("nothing (R99) (abc) (R10"), -1);
    CHECK_INT(rules_cited(""), -1);
    for (unsigned i = 0; pyr_text_rule_tag(i); i++) {
        char heading[200];
        rules_show(&view, (int)i);
        rules_draw(&canvas, &scene, &view);
        snprintf(heading, sizeof heading, "▸ %-6s %s", pyr_text_rule_tag(i), pyr_text_rule_title(i));
        char *text = canvas_dump(&canvas);
        if (!CHECK(strstr(text, heading) != NULL))
            printf("%s\n%s", heading, text);
        free(text);
    }
    /* From the first row to the last one by keys, and not beyond. */
    rules_show(&view, -1);
    rules_draw(&canvas, &scene, &view);
    char *text = canvas_dump(&canvas);
    CHECK(strstr(text, "R1 ") && strstr(text, pyr_text_rule_section(0)));
    free(text);
    rules_key(&view, K_END, 20);
    rules_draw(&canvas, &scene, &view);
    int last = view.top;
    text = canvas_dump(&canvas);
    CHECK(last > 60 && strstr(text, "E5 ") != NULL);
    free(text);
    rules_key(&view, K_PAGE_DOWN, 20);
    rules_draw(&canvas, &scene, &view);
    CHECK_INT(view.top, last);
    for (int i = 0; i < 500; i++) {
        rules_key(&view, K_UP, 20);
        rules_draw(&canvas, &scene, &view);
    }
    CHECK_INT(view.top, 0);
    /* A search as it is typed: by tag, by word, by text that does not occur. */
    static const struct {
        const char *typed, *tag;
    } searches[] = { { "r10", "R10" }, { "q3", "Q3" }, { "ERASE", "R11" }, { "zzz", NULL } };
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        rules_show(&view, -1);
        rules_key(&view, '/', 20);
        for (const char *c = searches[i].typed; *c; c++)
            CHECK(rules_key(&view, *c, 20));
        rules_key(&view, K_ENTER, 20);
        if (searches[i].tag)
            CHECK_STR(pyr_text_rule_tag((unsigned)view.rule), searches[i].tag);
        else
            CHECK(view.message[0] != '\0');
    }
    rules_key(&view, '/', 20);
    rules_key(&view, 0xe9, 20);
    rules_key(&view, 't', 20);
    rules_key(&view, K_BACKSPACE, 20);
    CHECK_STR(view.search, "é");
    rules_key(&view, K_BACKSPACE, 20);
    CHECK_STR(view.search, "");
    for (int i = 0; i < 500; i++)
        rules_key(&view, 0x20ac, 20);
    CHECK(strlen(view.search) < sizeof view.search);
    canvas_finish(&canvas);
}

TEST("texts are cut, wrapped and measured by columns")
{
    struct canvas canvas = { 0 };
    canvas_init(&canvas, 20, 5);
    CHECK_INT(text_width("Zoë 日本"), 8);
    CHECK_INT(canvas_text(&canvas, 0, 0, 6, ST_TEXT, "日本語の名前"), 5);
    CHECK_INT(canvas_text(&canvas, 15, 1, 20, ST_TEXT, "beyond"), 6);
    CHECK_INT(canvas_wrap(&canvas, 0, 2, 10, 3, ST_TEXT, "one two three four five six seven"), 3);
    CHECK_INT(text_rows("one two three four", 10), 2);
    CHECK_INT(text_rows("a\n\nb", 9), 3);
    CHECK_INT(text_rows("unbreakablelongword", 5), 4);
    char *text = canvas_dump(&canvas);
    CHECK_STR(text, "日本…\n               beyon\none two\nthree four\nfive six …\n");
    free(text);
    canvas.ascii = true;
    canvas_clear(&canvas);
    canvas_text(&canvas, 0, 0, 20, ST_TEXT, "Ça ♦ → é \x1b[31m\xff 日");
    text = canvas_dump(&canvas);
    CHECK(!strncmp(text, "Ca r > e ?[31m? ? \n", 17));
    canvas_text(&canvas, 0, 1, 20, ST_TEXT, "«¡a\u00a0b\u202f!» „1º“ −1");
    free(text);
    text = canvas_dump(&canvas);
    CHECK(strstr(text, "\n\"!a b !\" \"1o\" -1\n") != NULL);
    for (const char *c = text; *c; c++)
        CHECK((unsigned char)*c < 0x80);
    free(text);
    canvas_finish(&canvas);
}

TEST("letters of several characters are shown whole or not at all")
{
    static const char family[] = "\U0001f468\u200d\U0001f469\u200d\U0001f467", flag[] = "\U0001f1e9\U0001f1ea";
    struct canvas canvas = { 0 };
    char text[256];
    canvas_init(&canvas, 30, 6);
    CHECK_INT(text_width(family), 6);                    /* three emoji of two columns each, as any terminal shows them */
    CHECK_INT(text_width(flag), 2);
    CHECK_INT(text_width("e\u0301"), 1);
    CHECK_INT(text_width("\u2764\ufe0f"), 1);
    CHECK_INT(text_width("\u0928\u093f"), 2);            /* a vowel that takes a column */
    snprintf(text, sizeof text, "Ana %s!", family);
    CHECK_INT(canvas_text(&canvas, 0, 0, 30, ST_TEXT, text), 11);
    CHECK_INT(canvas_text(&canvas, 0, 1, 10, ST_TEXT, text), 5);         /* no half of a family */
    snprintf(text, sizeof text, "abc%s%s", flag, flag);
    CHECK_INT(canvas_text(&canvas, 0, 2, 5, ST_TEXT, text), 4);          /* no half of a flag */
    CHECK_INT(canvas_text(&canvas, 0, 3, 30, ST_TEXT, "Zoe\u0308 e\u0302\u0301 x"), 7);
    snprintf(text, sizeof text, "ab%s", family);
    CHECK_INT(canvas_wrap(&canvas, 0, 4, 7, 2, ST_TEXT, text), 2);
    char *drawn = canvas_dump(&canvas);
    CHECK_STR(drawn, "Ana \U0001f468\U0001f469\U0001f467!\nAna \u2026\nabc\u2026\nZoe\u0308 e\u0302\u0301 "
        "x\nab\n\U0001f468\U0001f469\U0001f467\n");
    free(drawn);
    canvas_put(&canvas, 2, 3, 'e', ST_TEXT);             /* a combining mark is removed with its character */
    drawn = canvas_dump(&canvas);
    CHECK(strstr(drawn, "\nZoe e\u0302\u0301 x\n"));
    free(drawn);
    /* 24 wide letters are 48 columns, in a log of any width. */
    text[0] = '\0';
    for (int i = 0; i < 24; i++)
        strcat(text, "\u65e5");
    CHECK_INT(text_width(text), 48);
    CHECK_INT(text_rows(text, 30), 2);
    CHECK_INT(text_rows(text, 31), 2);
    canvas_finish(&canvas);
}

TEST("every size of window shows a table, or says what it wants")
{
    struct canvas canvas = { 0 };
    struct story story = { 0 };
    struct hand hand = { .picked = 3 };
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 1, 1);
    begin(&plain, 4, 8);
    others_choose(&rng);
    hand_place(&hand, &match, 0);
    pyr_match_confirm(&match, 0);
    hand_follow(&hand, &match, 0);
    struct scene scene = { .edition = &plain, .match = &match, .seat = 0, .names = names, .state = hand_state(&match, 0),
        .hand = &hand, .story = &story,
        .story_mark = UINT32_MAX };
    pyr_match_view(&match, 0, &scene.view);
    story_tell(&story, &match, match.log.lines, names);
    for (int ascii = 0; ascii < 2; ascii++) {
        for (int width = 1; width < 240; width += width < 75 ? 37 : 7) {
            for (int height = 1; height < 80; height += height < 20 ? 11 : 3) {
                if (!canvas_init(&canvas, width, height))
                    continue;
                canvas.ascii = ascii;
                bool drawn = draw_table(&canvas, &scene);
                CHECK(drawn == (width >= TUI_MIN_WIDTH && height >= TUI_MIN_HEIGHT));
                char *text = canvas_dump(&canvas);
                if (drawn)
                    CHECK(strstr(text, "Ana") && strstr(text, "Ben") && strstr(text, "Display") && strstr(text, "total"));
                free(text);
                draw_players(&canvas, &scene);
                draw_keep(&canvas, &scene);
                draw_replace(&canvas, &scene);
                draw_scores(&canvas, &scene);
                draw_story(&canvas, &scene, 0);
                draw_help(&canvas, &scene, 0);
                draw_help(&canvas, &scene, 1);
                draw_notice(&canvas, "heading", "a text that is longer than some of the windows", NULL, 0);
            }
        }
    }
    canvas_finish(&canvas);
    story_finish(&story);
}

/* Draws all sheets and returns whether a word was cut on one of them; counts question marks, which also replace missing
 * letters. */
static bool is_cut(struct canvas *canvas, struct scene *scene, unsigned *questions)
{
    bool cut = false;
    struct rules_view rules = { .rule = -1, .top = 30 };
    for (int sheet = 0; sheet < 9; sheet++) {
        enum pyr_phase phase = scene->view.open.phase;
        switch (sheet) {
        case 0: draw_table(canvas, scene); break;
        case 1: draw_players(canvas, scene); break;
        case 2: draw_story(canvas, scene, 0); break;
        case 3: draw_help(canvas, scene, 0); break;
        case 4: draw_help(canvas, scene, 1); break;
        case 5: if (phase == PYR_KEEP) draw_keep(canvas, scene); break;
        case 8: rules_draw(canvas, scene, &rules); break;
        case 6: if (phase == PYR_REPLACE) draw_replace(canvas, scene); break;
        default: if (phase == PYR_END) draw_scores(canvas, scene); break;
        }
        char *text = canvas_dump(canvas);
        for (const char *c = text; *c; c++)
            *questions += *c == '?';
        if (strstr(text, canvas->ascii ? "~" : "…")) {
            printf("# %s, sheet %d:\n%s\n", pyr_text_code(), sheet, text);
            cut = true;
        }
        free(text);
    }
    return cut;
}

TEST("a whole game in every language, and no word is cut in any window")
{
    static const int sizes[][2] = { { TUI_MIN_WIDTH, TUI_MIN_HEIGHT }, { 97, 31 }, { 120, 40 }, { 200, 60 } };
    static char short_names[PYR_MAX_SEATS][PYR_MAX_PLAYER_NAME + 1];
    setenv("LC_ALL", "C", 1);
    pyr_text_init();
    CHECK(pyr_text_language_at(5) != NULL);
    unsigned questions[2] = { 0 };
    for (unsigned run = 0; pyr_text_language_at(run / 2); run++) {
        bool ascii = run % 2;                /* each language once more, with ASCII only */
        struct canvas canvas = { 0 };
        struct story story = { 0 };
        struct hand hand = { .picked = 3 };
        struct pyr_rng rng;
        bool cut = false;
        static const char *const players[PYR_MAX_SEATS] = { "Anastasia", "Ben", "club 3", "expert 4" };
        pyr_text_use(pyr_text_language_at(run / 2));
        questions[ascii] = 0;
        if (ascii)
            pyr_text_plain();
        for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
            pyr_text_player((struct pyr_word){ players[s], strlen(players[s]) }, short_names[s], sizeof short_names[s]);
        pyr_rng_seed(&rng, 1, 1);
        begin(&crowded, 4, 8);
        for (unsigned step = 0; step < 500 && !cut; step++) {
            others_choose(&rng);
            hand_follow(&hand, &match, 0);
            enum hand_state state = hand_state(&match, 0);
            struct scene scene = { .edition = &crowded, .match = &match, .seat = 0, .names = short_names, .state = state,
                .hand = &hand, .story = &story,
                .story_mark = UINT32_MAX };
            pyr_match_view(&match, 0, &scene.view);
            story_tell(&story, &match, match.log.lines, short_names);
            if (state == HAND_OVER)
                scene.hand = NULL;
            for (unsigned k = 0; k < sizeof sizes / sizeof *sizes && !cut; k++) {
                cut = !canvas_init(&canvas, sizes[k][0], sizes[k][1]);
                canvas.ascii = ascii;
                cut = cut || is_cut(&canvas, &scene, &questions[ascii]);
            }
            if (state == HAND_OVER)
                break;
            if (state == HAND_KEEP)
                hand.picked = 3;
            if (state == HAND_READY)
                pyr_match_confirm(&match, 0);
            else if (state == HAND_REPLACE)
                pyr_match_step(&match, 0, hand.at < PYR_DISPLAY ? pyr_step_take(
                    match.replay.state.open.display[hand.at]) : pyr_step_draw());
            else
                hand_place(&hand, &match, 0);
        }
        CHECK(!cut);
        CHECK(pyr_match_is_over(&match));
        if (ascii)
            CHECK_INT(questions[1], questions[0]);
        if (ascii && !strcmp(pyr_text_code(), "de"))
            CHECK_STR(pyr_text_colour(PYR_GREEN), "gruen");
        canvas_finish(&canvas);
        story_finish(&story);
        pyr_text_use(NULL);
    }
}

TEST("saved games: whole, private, locked, newest first, and all that are unfinished")
{
    char folder[] = "/tmp/pyr-test-XXXXXX", path[PATH_MAX], *text;
    struct save a, b, c;
    struct stat about;
    struct saved_game *list;
    struct seating seating = { .players = 2, .people = 1, .bot = { NULL, pyr_bot_find("novice") },
        .names = { "Ana", "novice 2" } };
    struct pyr_match *copy = malloc(sizeof *copy);
    static struct pyr_local local, loaded;
    size_t size;
    if (!CHECK(mkdtemp(folder) != NULL) || !CHECK(copy != NULL))
        return;
    setenv("XDG_DATA_HOME", folder, 1);
    CHECK_INT(saved_list(&plain, &list), 0);
    free(list);
    CHECK(save_open(&a, NULL) && save_open(&b, NULL));
    CHECK(strcmp(a.path, b.path) != 0);
    CHECK_INT(saved_begin(&local, &match, &plain, &seating, 7), PYR_OK);
    CHECK(!pyr_local_is_begun(&local));
    CHECK(saved_write(&a, &local));
    save_close(&a);
    CHECK_INT(saved_list(&plain, &list), 0);             /* nothing was chosen in it */
    free(list);
    snprintf(path, sizeof path, "%s", a.path);
    CHECK(save_open(&a, path));
    struct hand hand = { .picked = 3 };
    CHECK_INT(hand_place(&hand, &match, 0), PYR_OK);
    CHECK_INT(pyr_local_confirm(&local), PYR_OK);
    CHECK(pyr_local_is_begun(&local));
    CHECK(saved_write(&a, &local) && saved_write(&b, &local));
    CHECK(!stat(a.path, &about) && (about.st_mode & 0777) == 0600);
    struct timespec times[2] = { { 1000000, 0 }, { 1000000, 0 } };
    CHECK(!utimensat(AT_FDCWD, a.path, times, 0));       /* the older one */
    CHECK_INT(saved_list(&plain, &list), 0);             /* both are being played */
    free(list);
    save_close(&a);
    CHECK_INT(saved_list(&plain, &list), 1);
    free(list);
    save_close(&b);
    if (CHECK_INT(saved_list(&plain, &list), 2)) {
        const char *name = strrchr(a.path, '/') + 1;
        CHECK(list[0].changed > list[1].changed && !strncmp(list[1].name, name, strlen(name) - 4));
        CHECK_STR(list[1].players, "Ana, novice 2");
        CHECK_STR(list[1].turn, "Before the first round");
        CHECK_INT(list[1].people, 1);
        text = saved_open(&c, list[1].name, &size);
        if (CHECK(text != NULL) && CHECK_INT(pyr_local_load(&loaded, copy, &plain, text, size, 0, "", 99, NULL), PYR_OK)) {
            CHECK_STR(c.path, a.path);
            CHECK_INT(loaded.seed, 7);
            CHECK(copy->choice[0].confirmed && loaded.people == 1);
            CHECK(!memcmp(&copy->replay.state.hidden, &match.replay.state.hidden, sizeof match.replay.state.hidden));
        }
        CHECK(saved_open(&b, list[1].name, &size) == NULL);
        free(text);
        save_close(&c);
    }
    free(list);
    free(copy);
    b.lock = -1;
    CHECK(!saved_find("../../etc/passwd", path, sizeof path) && !saved_find("", path, sizeof path) &&
        !saved_find("x", path, sizeof path));
    save_close(&b);
    CHECK(save_path(path, sizeof path, "servers", "x.cookie") && save_write(path, "secret", 6));
    text = save_read(path, 100, &size);
    CHECK_STR(text, "secret");
    free(text);
    CHECK(save_read("/dev/null/file", 100, &size) == NULL);
    CHECK(!save_write("/dev/null/file", "x", 1));
    char command[PATH_MAX + 16];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    CHECK_INT(system(command), 0);
}
