/*
 * test_match.c: a client without a screen. It plays whole games through pyr_match_* alone, takes steps back, saves
 * and loads at every line, and checks the view of each seat.
 */
#include "check.h"
#include "check_edition.h"

#include <pyramids/choice.h>
#include <pyramids/match.h>

static struct pyr_edition plain, crowded;
static struct pyr_match match, other, saved;

__attribute__((constructor)) static void load_editions(void)
{
    check_edition(&plain, "tests/data/plain.edition");
    check_edition(&crowded, "tests/data/crowded.edition");
}

static const char *const names[PYR_MAX_SEATS] = { "Ana", "Ben of the Two Words", "Çağla 🐫", ";Dee" };

static void begin(struct pyr_match *to, const struct pyr_edition *edition, unsigned seats, struct pyr_rng *rng)
{
    struct pyr_chance chance;
    pyr_chance_draw(&chance, &edition->box, seats, rng);
    CHECK_INT(pyr_match_init(to, edition, seats, names, &chance), PYR_OK);
}

static size_t log_size(const struct pyr_match *of) { return of->log.start[of->log.lines]; }

static bool same_log(const struct pyr_match *a, const struct pyr_match *b)
{
    return a->log.lines == b->log.lines && log_size(a) == log_size(b) && !memcmp(a->log.text, b->log.text, log_size(a)) &&
        !memcmp(a->log.start, b->log.start, (a->log.lines + 1) * sizeof *a->log.start);
}

static bool same_steps(const struct pyr_pending *a, const struct pyr_pending *b)
{
    for (unsigned i = 0; i < a->count; i++)
        if (pyr_pending_step(a, i) != pyr_pending_step(b, i))
            return false;
    return true;
}

/* Whether two matches are equal in everything that counts: bytes beyond the end of the log do not. */
static bool same_match(const struct pyr_match *a, const struct pyr_match *b)
{
    if (a->edition != b->edition || memcmp(&a->replay, &b->replay, sizeof a->replay) || !same_log(a, b))
        return false;
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        if (a->choice[s].count != b->choice[s].count || a->choice[s].confirmed != b->choice[s].confirmed ||
            !same_steps(&a->choice[s], &b->choice[s]))
            return false;
    return true;
}

/* One seat makes steps and confirms. With `fuss` it now and then takes back a step. */
static void choose_randomly(struct pyr_match *m, pyr_seat seat, struct pyr_rng *rng, bool fuss)
{
    unsigned phase = m->replay.state.open.phase;
    for (int steps_made = 0; steps_made < 1000; steps_made++) {
        struct pyr_steps steps;
        if (!(pyr_match_waiting(m) >> seat & 1))
            return;
        if (pyr_match_is_ready(m, seat)) {
            pyr_match_steps(m, seat, &steps);
            CHECK_INT(steps.count, 0);
            if (fuss && !pyr_rng_below(rng, 4)) {
                CHECK_INT(pyr_match_undo(m, seat), PYR_OK);
                continue;
            }
            CHECK_INT(pyr_match_confirm(m, seat), PYR_OK);
            return;
        }
        if (fuss && m->choice[seat].count && !pyr_rng_below(rng, 5)) {
            CHECK_INT(pyr_match_undo(m, seat), PYR_OK);
            continue;
        }
        pyr_match_steps(m, seat, &steps);
        if (!CHECK(steps.count > 0))
            return;
        uint32_t lines = m->log.lines;
        if (!CHECK_INT(pyr_match_step(m, seat, pyr_steps_pick(&steps, &m->edition->box, rng)), PYR_OK))
            return;
        if (phase == PYR_REPLACE) {
            CHECK(m->log.lines > lines);     /* all see it at once (Q5) */
            return;
        }
        CHECK_INT(m->log.lines, lines);
    }
    CHECK(pyr_match_is_ready(m, seat));      /* a choice that never ends */
}

/* One decision of a waiting seat. */
static void play_one(struct pyr_match *m, struct pyr_rng *rng, bool fuss)
{
    unsigned waiting = pyr_match_waiting(m);
    pyr_seat seat;
    do
        seat = (pyr_seat)pyr_rng_below(rng, PYR_MAX_SEATS);
    while (!(waiting >> seat & 1));
    choose_randomly(m, seat, rng, fuss);
    /* A player changes their choice. */
    seat = (pyr_seat)pyr_rng_below(rng, PYR_MAX_SEATS);
    if (fuss && !pyr_rng_below(rng, 4) && seat < m->replay.seats && m->choice[seat].confirmed)
        CHECK_INT(pyr_match_retract(m, seat), PYR_OK);
}

static bool play_to_end(struct pyr_match *m, struct pyr_rng *rng, bool fuss)
{
    int failures = check_failures;
    for (int i = 0; i < 5000 && pyr_match_waiting(m) && check_failures == failures; i++)
        play_one(m, rng, fuss);
    return CHECK(pyr_match_is_over(m));
}

/* Plays until `decisions` were made or the game is over. */
static void play_some(struct pyr_match *m, struct pyr_rng *rng, int decisions)
{
    for (; decisions > 0 && pyr_match_waiting(m); decisions--)
        play_one(m, rng, false);
}

static bool reads(const struct pyr_edition *edition, const char *text, size_t size, pyr_seat viewer,
    struct pyr_replay *replay)
{
    struct pyr_fault fault;
    pyr_replay_init(replay, viewer);
    enum pyr_err err = pyr_record_read(replay, edition, text, size, &fault);
    if (err)
        fprintf(stderr, "line %u: %d (%s), expected \"%s\"\n", (unsigned)fault.line, err, fault.word, fault.expected);
    return !err;
}

TEST("a client without a screen plays whole games; their logs replay and come back byte for byte")
{
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 1, 0);
    for (int game = 0; game < 24 && !check_failures; game++) {
        const struct pyr_edition *edition = game % 2 ? &crowded : &plain;
        struct pyr_replay replay;
        int clause;
        begin(&match, edition, 2 + (unsigned)game % 3, &rng);
        while (pyr_match_waiting(&match) && !check_failures) {
            play_one(&match, &rng, game % 4 > 1);
            pyr_state_check(&match.replay.state, &edition->box, &clause);
            CHECK_INT(clause, 0);
        }
        CHECK(pyr_match_is_over(&match));
        CHECK(reads(edition, match.log.text, log_size(&match), PYR_NOBODY, &replay));
        CHECK_INT(replay.stage, PYR_STAGE_OVER);
        CHECK(!memcmp(&replay.state.open, &match.replay.state.open, sizeof replay.state.open));
        /* Loaded and written again. */
        CHECK_INT(pyr_match_load(&other, edition, match.log.text, log_size(&match), PYR_NOBODY, NULL), PYR_OK);
        CHECK(same_log(&match, &other));
        CHECK(pyr_match_is_over(&other));
        pyr_match_shuffle(&other, &rng);
        CHECK(same_log(&match, &other));
        /* With other line ends, comments and blank lines. */
        static char noisy[2 * PYR_LOG_SIZE];
        size_t length = 0;
        for (uint32_t i = 0; i < match.log.lines; i++) {
            struct pyr_word line = pyr_match_line(&match, i);
            length += (size_t)snprintf(noisy + length, sizeof noisy - length, "%s%.*s\r\n", i % 7 ? "" : "; a comment\n\n",
                (int)line.length, line.at);
        }
        CHECK_INT(pyr_match_load(&other, edition, noisy, length, PYR_NOBODY, NULL), PYR_OK);
        CHECK(same_log(&match, &other));
        /* A finished game accepts no actions. */
        saved = match;
        for (pyr_seat seat = 0; seat < 5; seat++) {
            struct pyr_steps steps;
            pyr_match_steps(&match, seat, &steps);
            CHECK_INT(steps.count, 0);
            CHECK(!pyr_match_is_ready(&match, seat));
            CHECK_INT(pyr_match_step(&match, seat, pyr_step_draw()), PYR_ERR_NOT_DUE);
            CHECK_INT(pyr_match_confirm(&match, seat), PYR_ERR_NOT_DUE);
            CHECK_INT(pyr_match_undo(&match, seat), PYR_ERR_NO_UNDO);
            CHECK_INT(pyr_match_retract(&match, seat), PYR_ERR_NO_UNDO);
            CHECK_INT(pyr_match_choose(&match, seat, "draw", NULL), PYR_ERR_NOT_DUE);
        }
        CHECK(same_match(&match, &saved));
    }
}

TEST("any prefix of lines replays, and pyr_match_replay goes to any line")
{
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 2, 0);
    for (int game = 0; game < 6 && !check_failures; game++) {
        const struct pyr_edition *edition = game % 2 ? &crowded : &plain;
        struct pyr_replay replay, again;
        int clause;
        begin(&match, edition, 2 + (unsigned)game % 3, &rng);
        play_to_end(&match, &rng, false);
        for (uint32_t lines = 0; lines <= match.log.lines && !check_failures; lines++) {
            if (lines)
                CHECK(reads(edition, match.log.text, match.log.start[lines], PYR_NOBODY, &replay));
            else
                pyr_replay_init(&replay, PYR_NOBODY);
            CHECK_INT(pyr_match_replay(&match, lines, &again), PYR_OK);
            CHECK(!memcmp(&replay, &again, sizeof replay));
            if (replay.stage >= PYR_STAGE_PLAY) {
                pyr_state_check(&replay.state, &edition->box, &clause);
                CHECK_INT(clause, 0);
            }
            CHECK_INT(replay.stage == PYR_STAGE_OVER, lines == match.log.lines);
        }
        memset(&again, 0x5a, sizeof again);
        replay = again;
        CHECK_INT(pyr_match_replay(&match, match.log.lines + 1, &again), PYR_ERR_NO_SUCH_LINE);
        CHECK(!memcmp(&replay, &again, sizeof replay));
        CHECK_INT(pyr_match_line(&match, match.log.lines).length, 0);
    }
}

TEST("a game goes on from every line of its log")
{
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 3, 0);
    for (int game = 0; game < 3 && !check_failures; game++) {
        const struct pyr_edition *edition = game % 2 ? &crowded : &plain;
        struct pyr_replay replay;
        unsigned seats = 2 + (unsigned)game % 3;
        begin(&match, edition, seats, &rng);
        play_to_end(&match, &rng, false);
        for (uint32_t lines = 1; lines <= match.log.lines && !check_failures; lines++) {
            size_t size = match.log.start[lines];
            CHECK_INT(pyr_match_load(&other, edition, match.log.text, size, PYR_NOBODY, NULL), PYR_OK);
            CHECK_INT(other.log.lines, lines);
            CHECK_INT(log_size(&other), size);
            pyr_match_shuffle(&other, &rng);
            if (lines < 2 + 2 * seats) {
                CHECK_INT(pyr_match_waiting(&other), 0);     /* not all cards are dealt: nothing can be decided */
                CHECK(!pyr_match_is_over(&other));
                continue;
            }
            CHECK(pyr_match_is_over(&other) || pyr_match_waiting(&other));
            play_to_end(&other, &rng, false);
            CHECK(!memcmp(other.log.text, match.log.text, size));
            if (!CHECK(reads(edition, other.log.text, log_size(&other), PYR_NOBODY, &replay)))
                fprintf(stderr, "loaded after line %u\n", (unsigned)lines);
        }
    }
}

TEST("derived lines that are missing are added")
{
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 4, 0);
    begin(&match, &crowded, 3, &rng);
    play_to_end(&match, &rng, false);
    uint32_t lines = match.log.lines - 4;    /* without scores and winner */
    CHECK(!memcmp(pyr_match_line(&match, lines).at, "score 1 ", 8));
    CHECK_INT(pyr_match_load(&other, &crowded, match.log.text, match.log.start[lines], PYR_NOBODY, NULL), PYR_OK);
    pyr_match_shuffle(&other, &rng);
    CHECK(pyr_match_is_over(&other));
    CHECK(same_log(&match, &other));
}

TEST("loading tells the first fault and its line")
{
    struct pyr_rng rng;
    struct pyr_fault fault;
    char text[PYR_LOG_SIZE];
    pyr_rng_seed(&rng, 5, 0);
    begin(&match, &plain, 2, &rng);
    play_some(&match, &rng, 10);
    size_t size = log_size(&match);
    memcpy(text, match.log.text, size);
    memcpy(text + size, "winner 1\n", 9);
    CHECK_INT(pyr_match_load(&other, &plain, text, size + 9, PYR_NOBODY, &fault), PYR_ERR_RECORD_EXPECTED);
    CHECK_INT(fault.line, match.log.lines + 1);
    CHECK_INT(pyr_match_load(&other, &plain, text, size + 9, PYR_NOBODY, NULL), PYR_ERR_RECORD_EXPECTED);
    CHECK_INT(pyr_match_load(&other, &crowded, text, size, PYR_NOBODY, &fault), PYR_ERR_RECORD_EDITION);
    CHECK_INT(fault.line, 2);
    CHECK_INT(pyr_match_load(&other, &plain, "", 0, PYR_NOBODY, &fault), PYR_ERR_TEXT_HEADER);
    /* More tags than a log holds. */
    memcpy(text, match.log.text, size);
    for (unsigned i = 0; i < PYR_LOG_LINES; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "tag a %u\n", i);
    CHECK_INT(pyr_match_load(&other, &plain, text, size, PYR_NOBODY, &fault), PYR_ERR_TEXT_FULL);
    CHECK_INT(fault.line, match.log.lines + PYR_LOG_TAGS + 1);
}

/* Hidden choices. */

static bool same_view_but_waiting(struct pyr_view a, const struct pyr_view *b)
{
    a.open.waiting = b->open.waiting;
    return !memcmp(&a, b, sizeof a);
}

TEST("choices are hidden until the last one is in")
{
    struct pyr_rng rng;
    int keeps = 0, marks = 0;
    pyr_rng_seed(&rng, 6, 0);
    for (int game = 0; game < 12 && !check_failures; game++) {
        const struct pyr_edition *edition = game % 2 ? &crowded : &plain;
        unsigned seats = 2 + (unsigned)game % 3;
        begin(&match, edition, seats, &rng);
        while (pyr_match_waiting(&match) && !check_failures) {
            unsigned phase = match.replay.state.open.phase, first = pyr_rng_below(&rng, seats);
            if (phase == PYR_REPLACE) {
                play_one(&match, &rng, false);
                continue;
            }
            struct pyr_view view[PYR_MAX_SEATS + 1], now;
            saved = match;
            for (unsigned s = 0; s <= seats; s++)
                pyr_match_view(&match, s < seats ? (pyr_seat)s : PYR_NOBODY, &view[s]);
            CHECK_INT(pyr_match_waiting(&match), (1 << seats) - 1);
            for (unsigned i = 0; i < seats; i++) {
                pyr_seat seat = (pyr_seat)((first + i) % seats);
                choose_randomly(&match, seat, &rng, true);
                pyr_match_view(&match, seat, &view[seat]);
                if (i + 1 == seats)
                    break;
                CHECK(same_log(&match, &saved));
                CHECK(!(pyr_match_waiting(&match) >> seat & 1));
                for (unsigned s = 0; s <= seats; s++) {
                    pyr_match_view(&match, s < seats ? (pyr_seat)s : PYR_NOBODY, &now);
                    CHECK_INT(now.open.waiting, pyr_match_waiting(&match));
                    CHECK(same_view_but_waiting(now, &view[s]));
                }
            }
            /* All at once, in seat order, directly behind the earlier lines. */
            CHECK(!memcmp(match.log.text, saved.log.text, log_size(&saved)));
            for (unsigned s = 0; s < seats; s++) {
                char wanted[16];
                int length = snprintf(wanted, sizeof wanted, "%s %u ", phase == PYR_KEEP ? "keep" : "mark", s + 1);
                CHECK(!memcmp(pyr_match_line(&match, saved.log.lines + s).at, wanted, (size_t)length));
            }
            keeps += phase == PYR_KEEP;
            marks += phase == PYR_MARK;
        }
    }
    CHECK_INT(keeps, 12);
    CHECK_INT(marks, 12 * 28);
}

TEST("each step can be undone, each confirmation retracted")
{
    struct pyr_rng rng;
    int longest = 0;
    pyr_rng_seed(&rng, 7, 0);
    begin(&match, &crowded, 3, &rng);
    for (int i = 0; i < 200 && pyr_match_waiting(&match) && !check_failures; i++) {
        unsigned phase = match.replay.state.open.phase;
        pyr_seat seat = (pyr_seat)__builtin_ctz(pyr_match_waiting(&match));
        if (phase == PYR_REPLACE) {
            play_one(&match, &rng, false);
            CHECK_INT(pyr_match_undo(&match, seat), PYR_ERR_NO_UNDO);        /* it cannot be undone (Q5) */
            CHECK_INT(pyr_match_retract(&match, seat), PYR_ERR_NO_UNDO);
            continue;
        }
        static struct pyr_view view[PYR_MAX_PARTS + 1];
        struct pyr_view now;
        struct pyr_steps steps;
        int made = 0;
        CHECK_INT(pyr_match_undo(&match, seat), PYR_ERR_NO_UNDO);
        saved = match;
        pyr_match_view(&match, seat, &view[0]);
        while (!pyr_match_is_ready(&match, seat) && !check_failures) {
            pyr_match_steps(&match, seat, &steps);
            CHECK_INT(pyr_match_step(&match, seat, pyr_steps_pick(&steps, &crowded.box, &rng)), PYR_OK);
            pyr_match_view(&match, seat, &view[++made]);
        }
        longest = made > longest ? made : longest;
        for (int left = made; left > 0; left--) {
            CHECK_INT(pyr_match_undo(&match, seat), PYR_OK);
            CHECK(!pyr_match_is_ready(&match, seat));
            pyr_match_view(&match, seat, &now);
            CHECK(!memcmp(&now, &view[left - 1], sizeof now));
        }
        CHECK_INT(pyr_match_undo(&match, seat), PYR_ERR_NO_UNDO);
        CHECK(same_match(&match, &saved));
        /* Confirmed, retracted, undone. */
        unsigned others = pyr_match_waiting(&match) & ~(1u << seat);
        choose_randomly(&match, seat, &rng, false);
        if (!others)
            continue;
        CHECK_INT(pyr_match_waiting(&match), others);
        CHECK_INT(pyr_match_retract(&match, seat), PYR_OK);
        CHECK_INT(pyr_match_retract(&match, seat), PYR_ERR_NO_UNDO);
        CHECK_INT(pyr_match_waiting(&match), others | 1u << seat);
        CHECK(pyr_match_is_ready(&match, seat));
        CHECK_INT(pyr_match_confirm(&match, seat), PYR_OK);
    }
    CHECK(longest >= 4);
}

TEST("what cannot be done is refused and changes nothing")
{
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 8, 0);
    begin(&match, &plain, 2, &rng);
    saved = match;
    CHECK_INT(pyr_match_confirm(&match, 0), PYR_ERR_NOT_READY);
    CHECK_INT(pyr_match_retract(&match, 0), PYR_ERR_NO_UNDO);
    CHECK_INT(pyr_match_undo(&match, 0), PYR_ERR_NO_UNDO);
    CHECK_INT(pyr_match_step(&match, 0, pyr_step_draw()), PYR_ERR_PHASE);
    CHECK_INT(pyr_match_step(&match, 2, pyr_step_draw()), PYR_ERR_NOT_DUE);
    CHECK_INT(pyr_match_confirm(&match, 2), PYR_ERR_NOT_DUE);
    CHECK_INT(pyr_match_confirm(&match, PYR_NOBODY), PYR_ERR_NOT_DUE);
    CHECK_INT(pyr_match_undo(&match, 200), PYR_ERR_NO_UNDO);
    CHECK_INT(pyr_match_choose(&match, 2, "1 2", NULL), PYR_ERR_NOT_DUE);
    CHECK(same_match(&match, &saved));
    choose_randomly(&match, 0, &rng, false);
    saved = match;
    CHECK_INT(pyr_match_step(&match, 0, match.choice[0].first), PYR_ERR_CONFIRMED);
    CHECK_INT(pyr_match_confirm(&match, 0), PYR_ERR_CONFIRMED);
    CHECK_INT(pyr_match_undo(&match, 0), PYR_ERR_CONFIRMED);
    CHECK_INT(pyr_match_choose(&match, 0, "1 2", NULL), PYR_ERR_CONFIRMED);
    struct pyr_steps steps;
    pyr_match_steps(&match, 0, &steps);
    CHECK_INT(steps.count, 0);
    pyr_match_steps(&match, 1, &steps);
    CHECK_INT(steps.count, 6);
    pyr_match_steps(&match, 2, &steps);
    CHECK_INT(steps.count, 0);
    CHECK(same_match(&match, &saved));
    /* A complete choice accepts no more steps. */
    CHECK_INT(pyr_match_retract(&match, 0), PYR_OK);
    CHECK_INT(pyr_match_step(&match, 0, match.choice[0].first), PYR_ERR_NOT_DUE);
    CHECK_INT(match.choice[0].count, 1);
    /* A first mark with a cross is not complete. */
    pyr_rng_seed(&rng, 9, 0);
    begin(&match, &crowded, 2, &rng);
    for (bool found = false; !found && pyr_match_waiting(&match);) {
        if (match.replay.state.open.phase == PYR_MARK) {
            pyr_seat seat = (pyr_seat)__builtin_ctz(pyr_match_waiting(&match));
            pyr_match_steps(&match, seat, &steps);
            CHECK_INT(pyr_match_step(&match, seat, pyr_steps_at(&steps, &crowded.box, steps.count - 1)), PYR_OK);
            if (!pyr_match_is_ready(&match, seat)) {
                found = true;
                CHECK_INT(pyr_match_confirm(&match, seat), PYR_ERR_NOT_READY);
                CHECK_INT(match.choice[seat].count, 1);
                break;
            }
            CHECK_INT(pyr_match_undo(&match, seat), PYR_OK);
        }
        play_one(&match, &rng, false);
    }
    CHECK(pyr_match_waiting(&match));
}

/* Choices as text. */

static struct pyr_edition small;

/* A game of two on an edition whose card 1 is
 *     v x # # #
 *     .             the whole first column, with a cross beside the entrance; the rest is walls.
 *     .
 *     .
 *     T
 * Player 1 is dealt 1 2 3 4, player 2 gets 5 6 7 8, the deck begins with 9 10 11..., the patterns are I2 I3 V3... */
static void begin_small(void)
{
    struct pyr_components print;
    struct pyr_chance chance;
    pyr_spaces column = PYR_SPACE(0, 0) | PYR_SPACE(1, 0) | PYR_SPACE(2, 0) | PYR_SPACE(3, 0) | PYR_SPACE(4, 0);
    pyr_box_components(&plain.box, &print);
    print.card[0] = (struct pyr_card_face){ .open = column | PYR_SPACE(0, 1), .entrance = PYR_SPACE(0, 0),
        .tomb = PYR_SPACE(4, 0),
        .cross = PYR_SPACE(0, 1), .colour = print.card[0].colour };
    small = plain;
    CHECK_INT(pyr_box_init(&small.box, &print, NULL), PYR_OK);
    memset(chance.dealt, PYR_NO_CARD, sizeof chance.dealt);
    for (unsigned i = 0; i < 8; i++)
        chance.dealt[i / 4][i % 4] = (pyr_card)i;
    for (unsigned i = 0; i < PYR_CARDS; i++)
        chance.deck[i] = (pyr_card)((i + 8) % PYR_CARDS);
    for (unsigned round = 0; round < PYR_ROUNDS; round++)
        memcpy(chance.expedition[round], small.box.expedition, PYR_EXPEDITIONS);
    CHECK_INT(pyr_match_init(&match, &small, 2, names, &chance), PYR_OK);
}

struct bad_text {
    const char *text;
    enum pyr_err code;
};

static void refuse_all(pyr_seat seat, const struct bad_text *bad, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct pyr_fault fault;
        saved = match;
        if (!CHECK_INT(pyr_match_choose(&match, seat, bad[i].text, &fault), bad[i].code))
            fprintf(stderr, "\"%s\"\n", bad[i].text);
        CHECK_INT(fault.code, bad[i].code);
        CHECK(same_match(&match, &saved));
        CHECK_INT(pyr_match_choose(&match, seat, bad[i].text, NULL), bad[i].code);
    }
}

#define REFUSE_ALL(seat, list) refuse_all(seat, list, sizeof list / sizeof *list)

static void choose(pyr_seat seat, const char *text)
{
    struct pyr_fault fault;
    if (!CHECK_INT(pyr_match_choose(&match, seat, text, &fault), PYR_OK))
        fprintf(stderr, "\"%s\"\n", text);
    CHECK_INT(fault.code, PYR_OK);
}

static void line_is(uint32_t line, const char *wanted)
{
    char text[256];
    pyr_word_copy(pyr_match_line(&match, line), text, sizeof text);
    CHECK_STR(text, wanted);
}

TEST("choices as text: keeping, marking, replacing, and whatever is wrong with them")
{
    static const struct bad_text keeping[] = {
        { "", PYR_ERR_TEXT_MISSING },        { "1", PYR_ERR_TEXT_MISSING },     { "1 2 3", PYR_ERR_TEXT_EXTRA },
        { "1 5", PYR_ERR_NOT_DEALT },        { "1 1", PYR_ERR_NOT_DEALT },      { "0 1", PYR_ERR_TEXT_RANGE },
        { "1 49", PYR_ERR_TEXT_RANGE },      { "1  2", PYR_ERR_TEXT_SPACE },    { "x 1", PYR_ERR_TEXT_NUMBER },
        { "-1 2", PYR_ERR_TEXT_NUMBER },     { "01 2", PYR_ERR_TEXT_NUMBER },   { "keep 1 2", PYR_ERR_TEXT_NUMBER },
        { "1 \xff", PYR_ERR_TEXT_ENCODING }, { "1\t2", PYR_ERR_TEXT_ENCODING }, { "-", PYR_ERR_TEXT_NUMBER },
    };
    static const struct bad_text marking[] = {
        { "", PYR_ERR_TEXT_MISSING },           { "-", PYR_ERR_MUST_MARK },
            { "1:a1a2+2:b1", PYR_ERR_EXTRA_TOO_MANY },
        { "9:a1", PYR_ERR_NOT_ON_DESK },        { "3:a1", PYR_ERR_NOT_ON_DESK },     { "1:c1", PYR_ERR_WALL },
        { "1:a2", PYR_ERR_NO_ENTRANCE },        { "1:a1a3", PYR_ERR_NOT_PATTERN },   { "1:a1a2a3", PYR_ERR_NOT_PATTERN },
        { "1:a2a1", PYR_ERR_TEXT_ORDER },       { "1:a1a1", PYR_ERR_TEXT_ORDER },    { "1:", PYR_ERR_TEXT_SPACES },
        { "1:f1", PYR_ERR_TEXT_SPACES },        { "1:a6", PYR_ERR_TEXT_SPACES },     { "1:a", PYR_ERR_TEXT_SPACES },
        { "1a1", PYR_ERR_TEXT_MOVE },           { "49:a1", PYR_ERR_TEXT_MOVE },      { "0:a1", PYR_ERR_TEXT_MOVE },
        { "01:a1", PYR_ERR_TEXT_MOVE },         { "1:a1+", PYR_ERR_TEXT_MOVE },      { "take 9", PYR_ERR_TEXT_MOVE },
        { "1:a1b1", PYR_ERR_EXTRA_MISSING },    { "1:a1b1+2:b1+2:a1", PYR_ERR_EXTRA_TOO_MANY },
        { "1:a1b1+2:b1c1", PYR_ERR_EXTRA_ONE }, { "1:a1b1+1:b1", PYR_ERR_MARKED },   { "1:a1b1+1:a3", PYR_ERR_NO_TOUCH },
        { "1:a1b1+5:b1", PYR_ERR_NOT_ON_DESK }, { "1:a1 2:b1", PYR_ERR_TEXT_EXTRA },
    };
    static const struct bad_text replacing[] = {
        { "", PYR_ERR_TEXT_MISSING },         { "take 49", PYR_ERR_TEXT_RANGE },  { "take 13", PYR_ERR_NOT_IN_DISPLAY },
        { "take 1", PYR_ERR_NOT_IN_DISPLAY }, { "foo", PYR_ERR_TEXT_NUMBER },     { "take", PYR_ERR_TEXT_MISSING },
        { "draw 13", PYR_ERR_TEXT_EXTRA },    { "9 10", PYR_ERR_TEXT_EXTRA },     { "1:a1", PYR_ERR_TEXT_NUMBER },
        { "-", PYR_ERR_TEXT_NUMBER },         { "take 9 10", PYR_ERR_TEXT_EXTRA },{ "TAKE 9", PYR_ERR_TEXT_NUMBER },
    };
    begin_small();
    line_is(0, "pyramids-record 1");
    line_is(1, "edition plain");
    line_is(3, "player 2 Ben of the Two Words");
    line_is(4, "deal 1 1 2 3 4");
    REFUSE_ALL(0, keeping);
    choose(0, "2 4");
    choose(0, "2 1");                        /* instead of the choice before */
    CHECK_INT(match.choice[0].count, 1);
    REFUSE_ALL(0, keeping);                  /* a refused choice leaves it in place */
    CHECK_INT(match.choice[0].count, 1);
    CHECK_INT(pyr_match_confirm(&match, 0), PYR_OK);
    choose(1, "5 6");
    CHECK_INT(pyr_match_confirm(&match, 1), PYR_OK);
    line_is(6, "keep 1 1 2");
    line_is(8, "show 9 10 11 12");
    line_is(9, "reveal I2");

    REFUSE_ALL(0, marking);
    struct pyr_fault fault;
    CHECK_INT(pyr_match_choose(&match, 0, "1:a1b1", &fault), PYR_ERR_EXTRA_MISSING);
    CHECK_INT(fault.number[0], 1);
    CHECK_INT(pyr_match_choose(&match, 0, "1:a1b1+1:a3", &fault), PYR_ERR_NO_TOUCH);
    CHECK_STR(fault.word, "1:a3");
    choose(0, "1:a1b1+2:b1");
    CHECK(pyr_match_is_ready(&match, 0));
    choose(0, "1:a1a2");
    REFUSE_ALL(0, marking);
    CHECK_INT(match.choice[0].count, 1);
    CHECK_INT(pyr_match_confirm(&match, 0), PYR_OK);
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 10, 0);
    choose_randomly(&match, 1, &rng, false);
    line_is(10, "mark 1 1:a1a2");
    line_is(12, "reveal I3");
    choose(0, "1:a3a4a5");
    CHECK_INT(pyr_match_confirm(&match, 0), PYR_OK);
    choose_randomly(&match, 1, &rng, false);

    CHECK_INT(match.replay.state.open.phase, PYR_REPLACE);
    CHECK_INT(pyr_match_choose(&match, 1, "draw", NULL), PYR_ERR_NOT_DUE);
    REFUSE_ALL(0, replacing);
    saved = match;
    choose(0, "take 11");                    /* confirmed at once */
    line_is(15, "take 1 11");
    line_is(16, "show 13");
    line_is(17, "reveal V3");
    match = saved;
    choose(0, "11");
    line_is(15, "take 1 11");
    match = saved;
    choose(0, "draw");
    line_is(15, "draw 1 13");
    line_is(16, "reveal V3");
    CHECK_INT(pyr_match_undo(&match, 0), PYR_ERR_NO_UNDO);
}

TEST("a pass as text")
{
    /* A game in which players run out of cards, up to the first pass. */
    struct pyr_steps steps;
    size_t size;
    char *text = check_file("tests/data/perft-crowded.pyr", &size), *at = strstr(text, " -\n");
    while (at > text && at[-1] != '\n')
        at--;
    CHECK_INT(pyr_match_load(&match, &crowded, text, (size_t)(at - text), PYR_NOBODY, NULL), PYR_OK);
    free(text);
    pyr_seat seat = (pyr_seat)__builtin_ctz(pyr_match_waiting(&match));
    pyr_match_steps(&match, seat, &steps);
    CHECK_INT(steps.count, 1);
    CHECK(pyr_steps_at(&steps, &crowded.box, 0) == pyr_step_pass());
    saved = match;
    enum pyr_err err = pyr_match_choose(&match, seat, "1:a1", NULL);
    CHECK(err == PYR_ERR_MUST_PASS || err == PYR_ERR_NOT_ON_DESK);
    CHECK(same_match(&match, &saved));
    choose(seat, "-");
    CHECK(pyr_match_is_ready(&match, seat));
    CHECK_INT(pyr_match_confirm(&match, seat), PYR_OK);
}

TEST("a choice is one line: nothing may follow it, nothing may precede it")
{
    static const char *const texts[] = { "1 2\n3 4", "1 2\ngarbage", "; a remark\n1 2", "\n1 2" };
    begin_small();
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!CHECK(pyr_match_choose(&match, 0, texts[i], NULL) != PYR_OK))
            fprintf(stderr, "choice %u is accepted\n", i);
}

/* Who may see which line. */

static size_t visible_lines(const struct pyr_match *of, pyr_seat viewer, char *to)
{
    size_t length = 0;
    for (uint32_t i = 0; i < of->log.lines; i++) {
        struct pyr_word line = pyr_match_line(of, i);
        if (!pyr_match_line_is_visible(of, i, viewer))
            continue;
        memcpy(to + length, line.at, line.length);
        length += line.length;
        to[length++] = '\n';
    }
    return length;
}

TEST("deals of others are not seen while the game is under way, all else is")
{
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 12, 0);
    begin(&match, &plain, 4, &rng);
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < match.log.lines; i++) {
            struct pyr_word line = pyr_match_line(&match, i);
            bool deal = !memcmp(line.at, "deal ", 5);
            for (unsigned s = 0; s < 4; s++)
                CHECK_INT(pyr_match_line_is_visible(&match, i, (pyr_seat)s), round == 2 || !deal ||
                    line.at[5] == (char)('1' + s));
            CHECK_INT(pyr_match_line_is_visible(&match, i, PYR_SPECTATOR), round == 2 || !deal);
            CHECK_INT(pyr_match_line_is_visible(&match, i, PYR_NOBODY), round == 2 || !deal);
        }
        if (round)
            play_to_end(&match, &rng, false);
        else
            play_some(&match, &rng, 30);
    }
}

TEST("what a seat sees is a record of its own, while the game is under way")
{
    static char text[PYR_LOG_SIZE];
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 13, 0);
    for (int game = 0; game < 6 && !check_failures; game++) {
        const struct pyr_edition *edition = game % 2 ? &crowded : &plain;
        unsigned seats = 2 + (unsigned)game % 3;
        begin(&match, edition, seats, &rng);
        for (; pyr_match_waiting(&match) && !check_failures; play_one(&match, &rng, false)) {
            for (unsigned s = 0; s <= seats && !check_failures; s++) {
                struct pyr_replay replay;
                struct pyr_view mine, told;
                pyr_seat viewer = s < seats ? (pyr_seat)s : PYR_SPECTATOR;
                size_t size = visible_lines(&match, viewer, text);
                CHECK(reads(edition, text, size, viewer, &replay));
                if (replay.stage < PYR_STAGE_PLAY) {
                    /* An onlooker sees nothing before the first cards are kept. */
                    CHECK_INT(viewer, PYR_SPECTATOR);
                    CHECK_INT(match.replay.state.open.phase, PYR_KEEP);
                    continue;
                }
                /* The same game, as far as this seat can see. */
                int clause;
                pyr_state_check(&replay.state, &edition->box, &clause);
                CHECK_INT(clause, 0);
                pyr_view_init(&told, &replay.state, viewer);
                pyr_view_init(&mine, &match.replay.state, viewer);
                CHECK(!memcmp(&mine, &told, sizeof mine));
                /* A match of its own, for a client that has only these lines. */
                CHECK_INT(pyr_match_load(&other, edition, text, size, viewer, NULL), PYR_OK);
                CHECK_INT(log_size(&other), size);
                CHECK(!memcmp(other.log.text, text, size));
                CHECK_INT(pyr_match_waiting(&other), match.replay.state.open.waiting);
            }
        }
    }
}

TEST("what a seat sees of a finished game is a record of its own")
{
    static char text[PYR_LOG_SIZE];
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 14, 0);
    for (unsigned seats = 2; seats <= 4; seats++) {
        begin(&match, &plain, seats, &rng);
        play_to_end(&match, &rng, false);
        for (unsigned s = 0; s <= seats; s++) {
            struct pyr_replay replay;
            pyr_seat viewer = s < seats ? (pyr_seat)s : PYR_SPECTATOR;
            size_t size = visible_lines(&match, viewer, text);
            CHECK_INT(size, log_size(&match));               /* all deals are open now (Q10) */
            if (!CHECK(reads(&plain, text, size, viewer, &replay))) {
                fprintf(stderr, "viewer %u of %u\n", s + 1, seats);
                continue;
            }
            CHECK_INT(replay.stage, PYR_STAGE_OVER);
            CHECK(!memcmp(&replay.state.open, &match.replay.state.open, sizeof replay.state.open));
        }
    }
}

TEST("a view of a finished game whose other deals were never told is good, too")
{
    static char text[PYR_LOG_SIZE];
    struct pyr_rng rng;
    struct pyr_replay replay;
    pyr_rng_seed(&rng, 15, 0);
    begin(&match, &plain, 3, &rng);
    play_to_end(&match, &rng, false);
    for (unsigned s = 0; s <= 3; s++) {
        pyr_seat viewer = s < 3 ? (pyr_seat)s : PYR_SPECTATOR;
        size_t size = 0;
        for (uint32_t i = 0; i < match.log.lines; i++) {
            struct pyr_word line = pyr_match_line(&match, i);
            if (memcmp(line.at, "deal ", 5) || line.at[5] == (char)('1' + s))
                size += (size_t)snprintf(text + size, sizeof text - size, "%.*s\n", (int)line.length, line.at);
        }
        CHECK(reads(&plain, text, size, viewer, &replay));
        CHECK_INT(replay.stage, PYR_STAGE_OVER);
        /* It is not the whole record. */
        pyr_replay_init(&replay, PYR_NOBODY);
        CHECK(pyr_record_read(&replay, &plain, text, size, NULL) != PYR_OK);
    }
}

/* The rest of the log. */

TEST("tags stay where they are")
{
    struct pyr_rng rng;
    struct pyr_replay replay;
    pyr_rng_seed(&rng, 16, 0);
    begin(&match, &plain, 2, &rng);
    CHECK_INT(pyr_match_tag(&match, "date", "2031-02-03"), PYR_OK);
    uint32_t first = match.log.lines - 1, second;
    play_some(&match, &rng, 7);
    CHECK_INT(pyr_match_tag(&match, "note", "two words and a 🐫"), PYR_OK);
    second = match.log.lines - 1;
    play_to_end(&match, &rng, true);
    CHECK_INT(pyr_match_tag(&match, "end", "x"), PYR_OK);
    line_is(first, "tag date 2031-02-03");
    line_is(second, "tag note two words and a 🐫");
    line_is(match.log.lines - 1, "tag end x");
    CHECK(reads(&plain, match.log.text, log_size(&match), PYR_NOBODY, &replay));
    CHECK_INT(pyr_match_load(&other, &plain, match.log.text, log_size(&match), PYR_NOBODY, NULL), PYR_OK);
    CHECK(same_log(&match, &other));
    CHECK(pyr_match_is_over(&other));
    /* Invalid in a line. */
    saved = match;
    CHECK_INT(pyr_match_tag(&match, "a", "b\nwinner 1"), PYR_ERR_TEXT_ENCODING);
    CHECK_INT(pyr_match_tag(&match, "a", "b\rc"), PYR_ERR_TEXT_ENCODING);
    CHECK_INT(pyr_match_tag(&match, "a", "\xc3"), PYR_ERR_TEXT_ENCODING);
    CHECK_INT(pyr_match_tag(&match, "", "b"), PYR_ERR_TEXT_SPACE);
    CHECK(pyr_match_tag(&match, "a", "") != PYR_OK);
    CHECK(same_match(&match, &saved));
    static char long_value[PYR_MAX_LINE + 2];
    memset(long_value, 'x', PYR_MAX_LINE);
    CHECK(pyr_match_tag(&match, "a", long_value) != PYR_OK);
    CHECK(same_match(&match, &saved));
    enum pyr_err err;
    int more = 0;
    while (!(err = pyr_match_tag(&match, "more", "of the same")) && more < 1000)
        more++;
    CHECK_INT(err, PYR_ERR_TEXT_FULL);
    CHECK_INT(more, PYR_LOG_TAGS - 3);       /* there are three already */
}

TEST("tags leave room for the game")
{
    struct pyr_rng rng;
    struct pyr_replay replay;
    static char value[1000];
    memset(value, 'x', sizeof value - 1);
    for (int kind = 0; kind < 2; kind++) {
        pyr_rng_seed(&rng, 23, 0);
        begin(&match, &plain, 4, &rng);
        for (int i = 0; i < 1000 && !pyr_match_tag(&match, "more", kind ? value : "x"); i++)
            ;
        while (pyr_match_waiting(&match)) {
            pyr_seat seat = (pyr_seat)__builtin_ctz(pyr_match_waiting(&match));
            struct pyr_steps steps;
            pyr_match_steps(&match, seat, &steps);
            if (!CHECK_INT(steps.count ? pyr_match_step(&match, seat, pyr_steps_pick(&steps, &plain.box, &rng))
                                       : pyr_match_confirm(&match, seat), PYR_OK))
                break;
        }
        CHECK(pyr_match_is_over(&match));
        CHECK(reads(&plain, match.log.text, log_size(&match), PYR_NOBODY, &replay));
    }
}

TEST("a tag's name is one word and its value ends with the line")
{
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 17, 0);
    begin(&match, &plain, 2, &rng);
    saved = match;
    CHECK_INT(pyr_match_tag(&match, "two words", "x"), PYR_ERR_TEXT_SPACE);
    CHECK_INT(pyr_match_tag(&match, "a", "b\n"), PYR_ERR_TEXT_ENCODING);
    CHECK_INT(pyr_match_tag(&match, "a", "b\r\n"), PYR_ERR_TEXT_ENCODING);
    CHECK(same_match(&match, &saved));
}

static enum pyr_err name_is(const char *name)
{
    struct pyr_rng rng;
    struct pyr_chance chance;
    const char *const two[] = { "Ana", name };
    pyr_rng_seed(&rng, 18, 0);
    pyr_chance_draw(&chance, &plain.box, 2, &rng);
    return pyr_match_init(&other, &plain, 2, two, &chance);
}

TEST("names that would not survive being written are refused")
{
    char longest[PYR_MAX_PLAYER_NAME + 2];
    memset(longest, 'x', sizeof longest);
    longest[PYR_MAX_PLAYER_NAME + 1] = '\0';
    CHECK_INT(name_is(longest), PYR_ERR_TEXT_LONG);
    longest[PYR_MAX_PLAYER_NAME] = '\0';
    CHECK_INT(name_is(longest), PYR_OK);
    CHECK_INT(name_is("a\nb"), PYR_ERR_TEXT_ENCODING);
    CHECK_INT(name_is("a\tb"), PYR_ERR_TEXT_ENCODING);
    CHECK_INT(name_is("\xc3"), PYR_ERR_TEXT_ENCODING);
    CHECK_INT(name_is("\xed\xa0\x80"), PYR_ERR_TEXT_ENCODING);
    CHECK_INT(name_is(""), PYR_ERR_TEXT_ENCODING);
    CHECK_INT(name_is("a\r"), PYR_ERR_TEXT_ENCODING);
    static const char *const good[] = { "x", "deal 1 2 3 4", "2", "Ünal Ö", ";", "-", "🐫🐫" };
    for (unsigned i = 0; i < sizeof good / sizeof *good; i++) {
        CHECK_INT(name_is(good[i]), PYR_OK);
        CHECK_INT(pyr_match_load(&match, &plain, other.log.text, log_size(&other), PYR_NOBODY, NULL), PYR_OK);
        CHECK(same_log(&match, &other));
    }
}

TEST("a name that ends with a newline is refused")
{
    CHECK_INT(name_is("Ben\n"), PYR_ERR_TEXT_ENCODING);
    CHECK_INT(name_is("Ben\r\n"), PYR_ERR_TEXT_ENCODING);
    CHECK_INT(name_is("\n"), PYR_ERR_TEXT_ENCODING);
}

TEST("names with spaces at either end come back as they were, or are refused")
{
    static const char *const odd[] = { " Ben", "Ben ", " ", "  " };
    for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++) {
        if (name_is(odd[i]))
            continue;
        CHECK_INT(pyr_match_load(&match, &plain, other.log.text, log_size(&other), PYR_NOBODY, NULL), PYR_OK);
        CHECK(same_log(&match, &other));
    }
}

TEST("a match begins only with a chance that can be")
{
    struct pyr_rng rng;
    struct pyr_chance chance;
    pyr_rng_seed(&rng, 19, 0);
    pyr_chance_draw(&chance, &plain.box, 2, &rng);
    CHECK_INT(pyr_match_init(&match, &plain, 1, names, &chance), PYR_ERR_SEATS);
    CHECK_INT(pyr_match_init(&match, &plain, 5, names, &chance), PYR_ERR_SEATS);
    CHECK_INT(pyr_match_init(&match, &plain, 3, names, &chance), PYR_ERR_CHANCE_DEAL);
    chance.deck[0] = chance.deck[1];
    CHECK_INT(pyr_match_init(&match, &plain, 2, names, &chance), PYR_ERR_CHANCE_DECK);
}

TEST("the game follows the chance it was given")
{
    struct pyr_rng rng;
    struct pyr_chance chance;
    struct pyr_state state;
    pyr_rng_seed(&rng, 20, 0);
    for (int game = 0; game < 10 && !check_failures; game++) {
        pyr_chance_draw(&chance, &crowded.box, 3, &rng);
        CHECK_INT(pyr_match_init(&match, &crowded, 3, names, &chance), PYR_OK);
        CHECK_INT(pyr_state_init(&state, &crowded.box, 3, &chance), PYR_OK);
        play_to_end(&match, &rng, true);
        /* The decisions of the log, made on a state with the same chance, give the same game. */
        for (uint32_t i = 0; i < match.log.lines && !check_failures; i++) {
            struct pyr_word line = pyr_match_line(&match, i);
            struct pyr_lines lines;
            struct pyr_event event;
            pyr_lines_init(&lines, line.at, line.length);
            CHECK(pyr_lines_next(&lines, false) && pyr_event_read(&event, &crowded, &lines));
            pyr_state_advance(&state, &crowded.box);
            enum pyr_err err = PYR_OK;
            if (event.kind == PYR_EVENT_KEEP)
                err = pyr_state_apply(&state, &crowded.box, event.seat, pyr_step_keep(event.card[0], event.card[1]));
            else if (event.kind == PYR_EVENT_TAKE)
                err = pyr_state_apply(&state, &crowded.box, event.seat, pyr_step_take(event.card[0]));
            else if (event.kind == PYR_EVENT_DRAW)
                err = pyr_state_apply(&state, &crowded.box, event.seat, pyr_step_draw());
            else if (event.kind == PYR_EVENT_MARK && !event.count)
                err = pyr_state_apply(&state, &crowded.box, event.seat, pyr_step_pass());
            else if (event.kind == PYR_EVENT_MARK)
                for (unsigned k = 0; k < event.count && !err; k++)
                    err = pyr_state_apply(&state, &crowded.box, event.seat,
                        pyr_pair_of(state.desk[event.seat].card[0] != event.part[k].card, event.part[k].spaces));
            CHECK_INT(err, PYR_OK);
        }
        CHECK_INT(state.open.phase, PYR_END);
        CHECK(!memcmp(&state.open, &match.replay.state.open, sizeof state.open));
    }
}

TEST("a record with a changed character is refused, at its line or a later one, or is another game")
{
    struct pyr_rng rng;
    static char text[PYR_LOG_SIZE];
    int refused = 0;
    pyr_rng_seed(&rng, 21, 0);
    begin(&match, &plain, 3, &rng);
    play_to_end(&match, &rng, false);
    size_t size = log_size(&match);
    for (int i = 0; i < 3000; i++) {
        struct pyr_replay replay;
        struct pyr_fault fault;
        static const char signs[] = "0123456789abcdeI:+- \n;rk";
        memcpy(text, match.log.text, size);
        size_t at = pyr_rng_below(&rng, (uint32_t)size);
        text[at] = signs[pyr_rng_below(&rng, sizeof signs - 1)];
        uint32_t line = 1;
        for (size_t k = 0; k < at; k++)
            line += text[k] == '\n';
        pyr_replay_init(&replay, PYR_NOBODY);
        if (!pyr_record_read(&replay, &plain, text, size, &fault))
            continue;
        CHECK(fault.line >= line);
        refused++;
    }
    CHECK(refused > 2000);
}

/* The first line that begins with `keyword` and, where given, contains `part`; its index. */
static uint32_t find_line(const char *keyword, const char *part)
{
    for (uint32_t i = 0; i < match.log.lines; i++) {
        char text[PYR_MAX_LINE];
        pyr_word_copy(pyr_match_line(&match, i), text, sizeof text);
        if (!strncmp(text, keyword, strlen(keyword)) && (!part || strstr(text, part)))
            return i;
    }
    CHECK_STR(keyword, "the keyword of a line");
    return 0;
}

/* Reads the log with one line replaced; returns the error, which must be at exactly that line. */
static enum pyr_err with_line(uint32_t line, const char *instead)
{
    static char text[PYR_LOG_SIZE + 256];
    struct pyr_replay replay;
    struct pyr_fault fault;
    size_t before = match.log.start[line], after = log_size(&match) - match.log.start[line + 1];
    memcpy(text, match.log.text, before);
    size_t size = before + (size_t)snprintf(text + before, 256, "%s\n", instead);
    memcpy(text + size, match.log.text + match.log.start[line + 1], after);
    pyr_replay_init(&replay, PYR_NOBODY);
    enum pyr_err err = pyr_record_read(&replay, match.edition, text, size + after, &fault);
    CHECK_INT(fault.line, err ? line + 1 : 0);
    return err;
}

TEST("a false line is refused where it stands")
{
    struct pyr_rng rng;
    char line[PYR_MAX_LINE];
    pyr_rng_seed(&rng, 24, 0);
    do {
        begin(&match, &crowded, 2, &rng);
        play_to_end(&match, &rng, false);
    } while (match.replay.state.open.tile[0][0] == PYR_NOBODY);
    /* Derived lines are checked like all others. */
    uint32_t at = find_line("score 1", NULL);
    struct pyr_score score = pyr_table_score(&match.replay.state.open, &crowded.box, 0);
    for (int part = 0; part < 6; part++) {
        int n[6] = { score.total, score.pyramids, score.torches, score.points, score.gems, score.skulls };
        for (int twin = 0; twin < 2; twin++) {
            n[part] += twin;
            snprintf(line, sizeof line, "score 1 %d pyramids %d torches %d points %d gems %d skulls %d", n[0], n[1], n[2],
                n[3],
                n[4], n[5]);
            CHECK_INT(with_line(at, line), twin ? PYR_ERR_RECORD_SCORE : PYR_OK);
        }
    }
    CHECK_INT(with_line(match.log.lines - 1, "winner 1 2"), PYR_ERR_RECORD_WINNER);
    at = find_line("points", "green 10");
    pyr_seat owner = match.replay.state.open.tile[PYR_GREEN][0];
    snprintf(line, sizeof line, "points %d green 10", owner + 1);
    CHECK_INT(with_line(at, line), PYR_OK);
    snprintf(line, sizeof line, "points %d green 6", owner + 1);
    CHECK_INT(with_line(at, line), PYR_ERR_RECORD_POINTS);
    snprintf(line, sizeof line, "points %d green 10", 2 - owner);
    CHECK_INT(with_line(at, line), PYR_ERR_RECORD_POINTS);
    snprintf(line, sizeof line, "points %d orange 10", owner + 1);
    CHECK_INT(with_line(at, line), PYR_ERR_RECORD_POINTS);
    /* Chance. */
    at = find_line("show", NULL);
    pyr_word_copy(pyr_match_line(&match, at), line, sizeof line);
    *strrchr(line, ' ') = '\0';
    CHECK_INT(with_line(at, line), PYR_ERR_RECORD_SHOW_COUNT);
    int kept = match.replay.state.open.kept[0][0] + 1;
    snprintf(line + strlen(line), sizeof line - strlen(line), " %d", kept);
    CHECK_INT(with_line(at, line), PYR_ERR_NOT_IN_DECK);
    at = find_line("deal 2", NULL);
    pyr_word_copy(pyr_match_line(&match, at), line, sizeof line);
    sprintf(strrchr(line, ' '), " %d", kept);
    CHECK_INT(with_line(at, line), PYR_ERR_RECORD_DEALT);
    /* Marks: one extra too few, one too many, none of the card's. */
    at = find_line("mark", "+");
    pyr_word_copy(pyr_match_line(&match, at), line, sizeof line);
    snprintf(line + strlen(line), 16, "%s", strrchr(line, '+'));
    enum pyr_err err = with_line(at, line);
    CHECK(err == PYR_ERR_EXTRA_TOO_MANY);
    *strrchr(line, '+') = '\0';
    *strrchr(line, '+') = '\0';
    CHECK_INT(with_line(at, line), PYR_ERR_EXTRA_MISSING);
    line[5] = (char)('1' + '2' - line[5]);
    CHECK_INT(with_line(at, line), PYR_ERR_RECORD_SEAT);
}

TEST("a winner is named once")
{
    struct pyr_rng rng;
    static char text[PYR_LOG_SIZE];
    unsigned seen = 0;
    pyr_rng_seed(&rng, 22, 0);
    for (int game = 0; game < 60 && seen != 15; game++) {
        struct pyr_replay replay;
        struct pyr_fault fault;
        begin(&match, &plain, 4, &rng);
        play_to_end(&match, &rng, false);
        struct pyr_word line = pyr_match_line(&match, match.log.lines - 1);
        if (line.length != 8)
            continue;
        size_t size = log_size(&match) - 1;
        unsigned winner = (unsigned)(line.at[7] - '1');
        seen |= 1u << winner;
        memcpy(text, match.log.text, size);
        size += (size_t)snprintf(text + size, sizeof text - size, " %u\n", winner + 1);
        pyr_replay_init(&replay, PYR_NOBODY);
        if (!CHECK(pyr_record_read(&replay, &plain, text, size, &fault) != PYR_OK))
            fprintf(stderr, "winner %u %u is accepted\n", winner + 1, winner + 1);
        else
            CHECK_INT(fault.line, match.log.lines);
    }
    CHECK_INT(seen, 15);
}

/* A host of many games: tags before the deal, lines stored elsewhere, games restored from their lines. */

TEST("tags may stand between the header and the deals")
{
    struct pyr_rng rng;
    struct pyr_chance chance;
    struct pyr_replay replay;
    pyr_rng_seed(&rng, 71, 0);
    pyr_chance_draw(&chance, &plain.box, 3, &rng);
    CHECK_INT(pyr_match_begin(&match, &plain, 1, names), PYR_ERR_SEATS);
    CHECK_INT(pyr_match_begin(&match, &plain, 5, names), PYR_ERR_SEATS);
    CHECK_INT(pyr_match_begin(&match, &plain, 3, names), PYR_OK);
    CHECK_INT(pyr_match_waiting(&match), 0);
    CHECK_INT(pyr_match_tag(&match, "commitment", "abc"), PYR_OK);
    CHECK_INT(pyr_match_deal(&match, &chance), PYR_OK);
    CHECK_INT(pyr_match_deal(&match, &chance), PYR_ERR_PHASE);
    CHECK_INT(match.log.lines, 2 + 3 + 1 + 3);
    line_is(5, "tag commitment abc");
    CHECK_INT(pyr_match_init(&other, &plain, 3, names, &chance), PYR_OK);
    play_to_end(&match, &rng, false);
    CHECK(reads(&plain, match.log.text, log_size(&match), PYR_NOBODY, &replay));
}

TEST("a match without its log goes on as if it had it")
{
    static struct pyr_match whole, bare;
    for (unsigned game = 0; game < 12 && !check_failures; game++) {
        struct pyr_rng rng, again;
        static char lines[2 * PYR_LOG_SIZE];
        size_t size;
        pyr_rng_seed(&rng, 72, game);
        begin(&whole, game % 2 ? &crowded : &plain, 2 + game % 3, &rng);
        memcpy(lines, whole.log.text, size = log_size(&whole));
        again = rng;
        bare.game = whole.game;
        play_to_end(&whole, &rng, game % 4 > 1);
        /* An empty log before each decision. */
        do {
            bare.log.lines = 0;
            play_one(&bare, &again, game % 4 > 1);
            memcpy(lines + size, bare.log.text, log_size(&bare));
            size += log_size(&bare);
        } while (pyr_match_waiting(&bare) && !check_failures);
        CHECK_INT(size, log_size(&whole));
        CHECK(!memcmp(lines, whole.log.text, size));
    }
}

TEST("a loaded game with its true chance supplied goes on as it would have")
{
    for (unsigned game = 0; game < 60 && !check_failures; game++) {
        struct pyr_rng rng, again;
        struct pyr_chance chance;
        const struct pyr_edition *edition = game % 2 ? &crowded : &plain;
        unsigned seats = 2 + game % 3;
        pyr_rng_seed(&rng, 73, game);
        pyr_chance_draw(&chance, &edition->box, seats, &rng);
        CHECK_INT(pyr_match_init(&match, edition, seats, names, &chance), PYR_OK);
        play_some(&match, &rng, (int)(game * 2));
        while (pyr_match_waiting(&match) && pyr_match_waiting(&match) != match.replay.state.open.waiting)
            play_one(&match, &rng, false);   /* to the end of the phase: choices are not in the log before */
        CHECK_INT(pyr_match_load(&other, edition, match.log.text, log_size(&match), PYR_NOBODY, NULL), PYR_OK);
        pyr_match_set_chance(&other, &chance);
        CHECK_INT(pyr_state_check(&other.replay.state, &edition->box, NULL), PYR_OK);
        again = rng;
        play_to_end(&match, &rng, false);
        play_to_end(&other, &again, false);
        CHECK(same_log(&match, &other));
    }
}

TEST("a choice between its three forms: steps, text and event")
{
    struct pyr_desk desk = { .card = { 16, 21 } };
    static const struct {
        const char *text;
        enum pyr_phase phase;
        enum pyr_event_kind kind;
        unsigned count;
        pyr_step step[3];
    } known[] = {
        { "17 22", PYR_KEEP, PYR_EVENT_KEEP, 1, { PYR_STEP_OTHER | (pyr_step)PYR_STEP_KEEP << 30 | 16 | 21 << 6 } },
        { "take 31", PYR_REPLACE, PYR_EVENT_TAKE, 1, { PYR_STEP_OTHER | (pyr_step)PYR_STEP_TAKE << 30 | 30 } },
        { "draw", PYR_REPLACE, PYR_EVENT_DRAW, 1, { PYR_STEP_OTHER | (pyr_step)PYR_STEP_DRAW << 30 } },
        { "-", PYR_MARK, PYR_EVENT_MARK, 1, { PYR_STEP_OTHER } },
        { "17:a1a2", PYR_MARK, PYR_EVENT_MARK, 1, { 1 | 1 << 6 } },
        { "17:a1b1+22:c1+17:e5", PYR_MARK, PYR_EVENT_MARK, 3, { 3, (pyr_step)4 << 35, 1 << 28 } },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[PYR_CHOICE_SIZE];
        pyr_step steps[PYR_MAX_CHOICE];
        struct pyr_lines lines;
        struct pyr_event event, again;
        struct pyr_out out;
        pyr_out_init(&out, text, sizeof text);
        pyr_choice_write(known[i].step, known[i].count, &desk, &out);
        CHECK_STR(text, known[i].text);
        CHECK(pyr_choice_read(known[i].phase, text, out.length, &lines, &event));
        CHECK_INT(event.kind, known[i].kind);
        unsigned count = pyr_choice_steps(&desk, &event, steps);
        CHECK(pyr_choice_is_same(steps, count, known[i].step, known[i].count));
        pyr_choice_event(&desk, 2, steps, count, &again);
        CHECK_INT(again.kind, event.kind);
        CHECK_INT(again.seat, 2);
        for (unsigned k = 0; k < event.count && event.kind == PYR_EVENT_MARK; k++)
            CHECK(again.part[k].card == event.part[k].card && again.part[k].spaces == event.part[k].spaces);
    }
    /* A bare number is a take; for a card that is not on the desk there is no step; the order of steps matters. */
    struct pyr_lines lines;
    struct pyr_event event;
    pyr_step steps[PYR_MAX_CHOICE];
    CHECK(pyr_choice_read(PYR_REPLACE, "31", 2, &lines, &event) && event.kind == PYR_EVENT_TAKE && event.card[0] == 30);
    CHECK(pyr_choice_read(PYR_MARK, "18:a1", 5, &lines, &event));
    CHECK_INT(pyr_choice_steps(&desk, &event, steps), 0);
    CHECK(!pyr_choice_is_same((pyr_step[]){ 1, 2 }, 2, (pyr_step[]){ 2, 1 }, 2));
    CHECK(!pyr_choice_is_same((pyr_step[]){ 1, 2 }, 2, (pyr_step[]){ 1 }, 1));
    CHECK(!pyr_choice_read(PYR_KEEP, "17\n22", 5, &lines, &event));
    CHECK_INT(lines.fault.code, PYR_ERR_TEXT_EXTRA);
    CHECK(!pyr_choice_read(PYR_MARK, "", 0, &lines, &event));
    CHECK_INT(lines.fault.code, PYR_ERR_TEXT_MISSING);
}

/* A sink that counts, compares with a log, and refuses after so many lines. */
struct counting {
    const struct pyr_log *log;
    uint32_t lines, most;
    bool differs;
};

static enum pyr_err count_line(void *context, const struct pyr_edition *edition, const struct pyr_event *event)
{
    struct counting *counting = context;
    char text[PYR_MAX_LINE + 1];
    struct pyr_out out;
    if (counting->lines == counting->most)
        return PYR_ERR_TEXT_FULL;
    pyr_out_init(&out, text, sizeof text);
    pyr_event_write(event, edition, &out);
    const uint32_t *start = counting->log->start + counting->lines++;
    counting->differs |= out.length != start[1] - start[0] - 1 || memcmp(text, counting->log->text + start[0], out.length);
    return PYR_OK;
}

TEST("a game without a log is the same game, whoever takes its lines")
{
    struct pyr_rng rng, own;
    CHECK(sizeof(struct pyr_game) <= 1100);
    for (unsigned seats = 2; seats <= 4; seats++) {
        struct pyr_game silent, told;
        struct pyr_chance chance;
        struct counting counting = { &match.log, 0, PYR_LOG_LINES, false };
        const struct pyr_sink sink = { count_line, &counting };
        pyr_rng_seed(&rng, 77, seats);
        pyr_chance_draw(&chance, &plain.box, seats, &rng);
        CHECK_INT(pyr_match_init(&match, &plain, seats, names, &chance), PYR_OK);
        CHECK_INT(pyr_game_begin(&silent, &plain, seats, names, NULL), PYR_OK);
        CHECK_INT(pyr_game_deal(&silent, &chance, NULL), PYR_OK);
        CHECK_INT(pyr_game_begin(&told, &plain, seats, names, &sink), PYR_OK);
        CHECK_INT(pyr_game_deal(&told, &chance, &sink), PYR_OK);
        while (pyr_match_waiting(&match)) {
            pyr_seat seat = (pyr_seat)__builtin_ctz(pyr_match_waiting(&match));
            struct pyr_steps steps;
            pyr_match_steps(&match, seat, &steps);
            pyr_rng_seed(&own, pyr_rng_next(&rng), 0);
            pyr_step step = pyr_steps_pick(&steps, &plain.box, &own);
            CHECK_INT(pyr_match_step(&match, seat, step), PYR_OK);
            CHECK_INT(pyr_game_step(&silent, seat, step, NULL), PYR_OK);
            CHECK_INT(pyr_game_step(&told, seat, step, &sink), PYR_OK);
            if (pyr_match_is_ready(&match, seat)) {
                CHECK_INT(pyr_match_confirm(&match, seat), PYR_OK);
                CHECK_INT(pyr_game_confirm(&silent, seat, NULL), PYR_OK);
                CHECK_INT(pyr_game_confirm(&told, seat, &sink), PYR_OK);
            }
            CHECK(!memcmp(&silent.replay, &match.replay, sizeof silent.replay));
            CHECK(!memcmp(&told.replay, &match.replay, sizeof told.replay));
            CHECK_INT(pyr_game_waiting(&silent), pyr_match_waiting(&match));
            CHECK_INT(counting.lines, match.log.lines);
        }
        CHECK(pyr_game_is_over(&silent) && pyr_game_is_over(&told) && !counting.differs);
    }
    /* A full sink reports it. */
    struct pyr_game game;
    struct counting full = { &match.log, 0, 3, false };
    const struct pyr_sink sink = { count_line, &full };
    CHECK_INT(pyr_game_begin(&game, &plain, 4, names, &sink), PYR_ERR_TEXT_FULL);
}

TEST("Q10 who may see a line is decided in one place")
{
    struct pyr_game game = { .edition = &plain };
    const struct pyr_word deal = { "deal 2 1 2 3 4", 14 }, cut = { "deal ", 5 }, keep = { "keep 2 1 2", 10 };
    game.replay.stage = PYR_STAGE_PLAY;
    for (pyr_seat seat = 0; seat < PYR_MAX_SEATS; seat++) {
        CHECK_INT(pyr_game_line_is_visible(&game, deal, seat), seat == 1);
        CHECK(!pyr_game_line_is_visible(&game, cut, seat) && pyr_game_line_is_visible(&game, keep, seat));
    }
    CHECK(!pyr_game_line_is_visible(&game, deal, PYR_SPECTATOR) && !pyr_game_line_is_visible(&game, deal, PYR_NOBODY));
    game.replay.stage = PYR_STAGE_OVER;
    CHECK(pyr_game_line_is_visible(&game, deal, PYR_SPECTATOR) && pyr_game_line_is_visible(&game, deal, 0));
}
