/* test_local.c: games on one device: whose turn it is, what is saved, and what may be taken back. Bots here mark at
 * random. */
#include "check.h"
#include "check_edition.h"

#include <pyramids/bots.h>
#include <pyramids/local.h>
#include <pyramids/solo.h>

static struct pyr_edition plain, classic;
static struct pyr_local local, other;
static struct pyr_match match, other_match;
static char text[PYR_LOCAL_SAVED], again[PYR_LOCAL_SAVED];

__attribute__((constructor)) static void load_edition(void)
{
    check_edition(&plain, "tests/data/plain.edition");
    check_edition(&classic, "editions/classic.edition");
}

static const char *const names[] = { "Ana", "Ben", "club 3", "club 4" };

static void begin(unsigned seats, unsigned people, uint64_t seed)
{
    const char *levels[PYR_MAX_SEATS];
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        levels[s] = people >> s & 1 ? "" : "club";
    CHECK_INT(pyr_local_begin(&local, &match, &plain, seats, names, levels, seed, true), PYR_OK);
}

static pyr_step pick(const struct pyr_match *of, pyr_seat seat, struct pyr_rng *rng)
{
    struct pyr_steps steps;
    pyr_match_steps(of, seat, &steps);
    return pyr_steps_pick(&steps, &plain.box, rng);
}

static void let_bots_play(struct pyr_local *of)
{
    struct pyr_rng rng;
    for (pyr_seat seat; (seat = pyr_local_due(of, &rng)) != PYR_NOBODY;)
        CHECK(pyr_local_answer(of, seat, of->match->log.lines, pick(of->match, seat, &rng)));
}

/* The whole choice of `me`; false if none is due. */
static bool let_me_play(struct pyr_local *of)
{
    struct pyr_rng rng;
    pyr_seat me = of->me;
    if (!(pyr_match_waiting(of->match) >> me & 1))
        return false;
    pyr_rng_seed(&rng, of->seed, of->match->log.lines * 8u + me);
    if (of->match->replay.state.open.phase == PYR_REPLACE) {
        CHECK_INT(pyr_local_take(of, pick(of->match, me, &rng)), PYR_OK);
        return true;
    }
    while (!pyr_match_is_ready(of->match, me))
        CHECK_INT(pyr_match_step(of->match, me, pick(of->match, me, &rng)), PYR_OK);
    CHECK_INT(pyr_local_confirm(of), PYR_OK);
    return true;
}

static void play_on(struct pyr_local *of)
{
    for (unsigned i = 0; i < 1000 && !pyr_match_is_over(of->match); i++) {
        pyr_local_next_person(of);
        if (of->covered)
            pyr_local_uncover(of);
        let_me_play(of);
        let_bots_play(of);
    }
    CHECK(pyr_match_is_over(of->match));
}

static bool same_log(const struct pyr_match *a, const struct pyr_match *b)
{
    size_t size = a->log.start[a->log.lines];
    return a->log.lines == b->log.lines && size == b->log.start[b->log.lines] && !memcmp(a->log.text, b->log.text, size);
}

TEST("the same seed gives the same game") {
    for (unsigned seats = 2; seats <= 4; seats++) {
        begin(seats, 1, 77);
        play_on(&local);
        struct pyr_match first = match;
        begin(seats, 1, 77);
        play_on(&local);
        CHECK(same_log(&first, &match));
        begin(seats, 1, 78);
        play_on(&local);
        CHECK(!same_log(&first, &match));
    }
}

TEST("a game saved and loaded before every choice is the same game") {
    begin(3, 1, 5);
    play_on(&local);
    struct pyr_match whole = match;
    begin(3, 1, 5);
    for (unsigned i = 0; i < 1000 && !pyr_match_is_over(&match); i++) {
        let_me_play(&local);
        size_t size = pyr_local_save(&local, text, sizeof text);
        if (!CHECK(size > 0))
            return;
        memset(&match, 0, sizeof match);
        CHECK_INT(pyr_local_load(&local, &match, &plain, text, size, 0, "novice", 999, NULL), PYR_OK);
        CHECK_INT(pyr_local_save(&local, again, sizeof again), size);
        CHECK(!memcmp(text, again, size));
        CHECK_INT(local.people, 1);
        CHECK_STR(local.seat[1].level, "club");
        let_bots_play(&local);
    }
    CHECK(same_log(&whole, &match));
}

TEST("who plays what is in the record") {
    begin(4, 5, 9);
    CHECK(strstr(match.log.text, "\ntag seats person,club,person,club\n") != NULL);
    CHECK(strstr(match.log.text, "\ntag seed 9\n") != NULL);
    const char *levels[] = { "club", "club" };
    CHECK_INT(pyr_local_begin(&other, &other_match, &plain, 2, names, levels, 1, false), PYR_ERR_SEATS);
    CHECK_INT(pyr_local_begin(&other, &other_match, &plain, 5, names, levels, 1, false), PYR_ERR_SEATS);
}

TEST("who plays a record without that tag is in a comment, and stays there") {
    begin(3, 1, 9);
    size_t size = pyr_local_save(&local, text, sizeof text);
    CHECK(!strstr(text, "; seats "));
    /* The same without the tag, as saved by older pages. */
    char *tag = strstr(text, "tag seats "), *rest = strchr(tag, '\n') + 1;
    memmove(tag, rest, strlen(rest) + 1);
    size = strlen(text);
    size += (size_t)snprintf(text + size, sizeof text - size, "; seats novice,person,expert\n");
    for (unsigned i = 0; i < 2; i++) {
        CHECK_INT(pyr_local_load(&other, &other_match, &plain, text, size, 1, "club", 4, NULL), PYR_OK);
        CHECK_INT(other.people, 2);
        CHECK_INT(other.me, 1);
        CHECK_STR(other.seat[0].level, "novice");
        CHECK_STR(other.seat[2].level, "expert");
        size = pyr_local_save(&other, text, sizeof text);
        CHECK(strstr(text, "\n; seats novice,person,expert\n"));
    }
}

TEST("people who share a device see nothing of each other") {
    begin(3, 7, 11);
    CHECK(local.covered);
    CHECK_INT(local.me, 0);
    pyr_local_uncover(&local);
    CHECK(!pyr_local_next_person(&local) && !local.covered);
    CHECK(let_me_play(&local));
    CHECK(pyr_local_next_person(&local));
    CHECK_INT(local.me, 1);
    CHECK(local.covered);
    /* Ana changes her mind before Ben has looked. */
    CHECK(pyr_local_can_back_seat(&local) && pyr_local_back_seat(&local));
    CHECK_INT(local.me, 0);
    CHECK(local.covered && !match.choice[0].confirmed);
    pyr_local_uncover(&local);
    CHECK_INT(pyr_local_confirm(&local), PYR_OK);
    pyr_local_next_person(&local);
    pyr_local_uncover(&local);               /* Ben has looked: it is too late for Ana */
    CHECK(!pyr_local_can_back_seat(&local) && !pyr_local_back_seat(&local));
    /* A sealed choice survives, and stays hidden: the device is covered again. */
    size_t size = pyr_local_save(&local, text, sizeof text);
    CHECK_INT(pyr_local_load(&other, &other_match, &plain, text, size, 0, "club", 1, NULL), PYR_OK);
    CHECK(other_match.choice[0].confirmed && !other_match.choice[1].confirmed);
    CHECK_INT(other.me, 1);
    CHECK(other.covered && !pyr_local_can_back_seat(&other));
    CHECK(!pyr_local_can_take_back(&local));
    play_on(&local);
}

TEST("a choice is taken back with what followed it, and can be made again") {
    begin(2, 1, 21);
    for (unsigned i = 0; i < 6; i++) {
        let_me_play(&local);
        let_bots_play(&local);
    }
    struct pyr_match before = match;
    struct pyr_pending mine;
    unsigned count = local.past_count;
    if (match.replay.state.open.phase != PYR_MARK)
        let_me_play(&local);
    before = match;
    count = local.past_count;
    let_me_play(&local);
    mine = local.past[local.past_count - 1].choice;
    let_bots_play(&local);
    CHECK(match.log.lines > before.log.lines);
    CHECK(pyr_local_take_back(&local));
    CHECK_INT(match.log.lines, before.log.lines);
    CHECK_INT(local.past_count, count);
    CHECK(!memcmp(&match.replay, &before.replay, sizeof match.replay));
    CHECK_INT(match.choice[0].count, mine.count);        /* still placed, not confirmed */
    CHECK(!match.choice[0].confirmed);
    CHECK_INT(pyr_local_confirm(&local), PYR_OK);
    play_on(&local);
}

TEST("Q5 a card that was drawn cannot be taken back") {
    begin(2, 1, 33);
    bool drawn = false;
    for (unsigned i = 0; i < 400 && !drawn && !pyr_match_is_over(&match); i++) {
        let_bots_play(&local);
        if (match.replay.state.open.phase == PYR_REPLACE && pyr_match_waiting(&match) & 1) {
            CHECK(pyr_local_can_take_back(&local));
            CHECK_INT(pyr_local_take(&local, pyr_step_draw()), PYR_OK);
            drawn = true;
        } else {
            let_me_play(&local);
        }
    }
    CHECK(drawn);
    CHECK(!pyr_local_can_take_back(&local) && !pyr_local_take_back(&local));
    let_bots_play(&local);
    if (let_me_play(&local) && match.replay.state.open.phase == PYR_MARK)
        CHECK(pyr_local_take_back(&local));  /* later choices can be taken back */
    CHECK(local.past_count && !pyr_local_can_take_back(&local));         /* the reason is the card */
}

TEST("Q5 a card that another one drew has been seen, too") {
    struct pyr_rng rng;
    unsigned drawn = 0;
    begin(3, 1, 7);
    for (unsigned i = 0; i < 400 && !pyr_match_is_over(&match); i++) {
        for (pyr_seat seat; (seat = pyr_local_due(&local, &rng)) != PYR_NOBODY;) {
            bool replaces = match.replay.state.open.phase == PYR_REPLACE && match.replay.state.open.deck_left;
            pyr_step step = replaces ? pyr_step_draw() : pick(&match, seat, &rng);
            CHECK(pyr_local_answer(&local, seat, match.log.lines, step));
            if (replaces)
                CHECK(local.past_count && !pyr_local_can_take_back(&local) && !pyr_local_take_back(&local));
            drawn += replaces;
        }
        let_me_play(&local);
    }
    CHECK(drawn > 0);
}

TEST("a game without its seed is taken back with the cards that were hidden") {
    begin(2, 1, 45);
    for (unsigned i = 0; i < 3; i++) {
        let_me_play(&local);
        let_bots_play(&local);
    }
    size_t size = match.log.start[match.log.lines];
    memcpy(text, match.log.text, size);
    memcpy(strstr(text, "tag seed 45"), "tag seeD 45", 11);
    CHECK_INT(pyr_local_load(&other, &other_match, &plain, text, size, 1, "casual", 8, NULL), PYR_OK);
    for (unsigned i = 0; i < 20; i++) {
        struct pyr_match before = other_match;
        let_bots_play(&other);
        if (!let_me_play(&other) || !pyr_local_can_take_back(&other))
            continue;
        let_bots_play(&other);
        struct pyr_match after = other_match;
        if (!pyr_local_take_back(&other))
            continue;
        CHECK(!memcmp(&other_match.replay.state.hidden, &before.replay.state.hidden, sizeof before.replay.state.hidden));
        let_bots_play(&other);
        CHECK_INT(pyr_local_confirm(&other), PYR_OK);
        let_bots_play(&other);
        CHECK(same_log(&other_match, &after));
    }
}

TEST("a choice as text is the same choice, and can be taken back") {
    struct pyr_fault fault;
    begin(2, 1, 5);
    const pyr_card *dealt = match.replay.state.hidden.dealt[0];
    char choice[32];
    CHECK(!pyr_local_is_begun(&local));
    CHECK(pyr_local_choose(&local, "nonsense", &fault) && fault.code);
    snprintf(choice, sizeof choice, "%d %d", dealt[0] + 1, dealt[1] + 1);
    CHECK_INT(pyr_local_choose(&local, choice, &fault), PYR_OK);
    CHECK(pyr_local_is_begun(&local) && match.choice[0].confirmed);
    uint32_t lines = match.log.lines;
    let_bots_play(&local);
    CHECK(match.log.lines > lines && pyr_local_is_begun(&local));
    CHECK(pyr_local_take_back(&local));
    CHECK_INT(match.log.lines, lines);
    CHECK(!pyr_local_is_begun(&local));
}

TEST("a record from elsewhere is told who plays what, once") {
    begin(3, 2, 6);
    size_t size = match.log.start[match.log.lines];
    memcpy(text, match.log.text, size);
    memcpy(strstr(text, "tag seats"), "tag seatS", 9);
    CHECK_INT(pyr_local_load(&other, &other_match, &plain, text, size, 2, "", 8, NULL), PYR_OK);
    uint32_t lines = other_match.log.lines;
    pyr_local_claim(&other);                 /* the kinds of bots are unknown */
    CHECK_INT(other_match.log.lines, lines);
    strcpy(other.seat[0].level, "club");
    strcpy(other.seat[2].level, "greedy");
    pyr_local_claim(&other);
    pyr_local_claim(&other);
    CHECK_INT(other_match.log.lines, lines + 1);
    CHECK(strstr(other_match.log.text, "\ntag seats club,person,greedy\n"));
}

TEST("an answer that comes too late changes nothing") {
    struct pyr_rng rng;
    begin(2, 1, 3);
    pyr_seat seat = pyr_local_due(&local, &rng);
    pyr_step step = pick(&match, seat, &rng);
    CHECK_INT(seat, 1);
    CHECK(!pyr_local_answer(&local, 1, match.log.lines + 1, step));
    CHECK(!pyr_local_answer(&local, 0, match.log.lines, step));          /* a person's seat */
    CHECK(!pyr_local_answer_choice(&local, 1, match.log.lines, "1 1"));
    CHECK(!match.choice[1].count);
    CHECK(pyr_local_answer(&local, 1, match.log.lines, step));
    CHECK(!pyr_local_answer(&local, 1, match.log.lines, step));
    CHECK_INT(pyr_local_due(&local, &rng), PYR_NOBODY);
}

TEST("a record without its seed continues with newly drawn cards, and one that has not begun is refused") {
    struct pyr_fault fault;
    begin(2, 1, 44);
    for (unsigned i = 0; i < 5; i++) {
        let_me_play(&local);
        let_bots_play(&local);
    }
    size_t size = match.log.start[match.log.lines];
    memcpy(text, match.log.text, size);
    char *tag = strstr(text, "tag seed 44");
    memcpy(tag, "tag seeD 44", 11);
    CHECK_INT(pyr_local_load(&other, &other_match, &plain, text, size, 1, "casual", 8, NULL), PYR_OK);
    CHECK_STR(other.seat[1].level, "club");
    play_on(&other);
    memcpy(strstr(text, "tag seats"), "tag seatS", 9);
    CHECK_INT(pyr_local_load(&other, &other_match, &plain, text, size, 2, "casual", 8, NULL), PYR_OK);
    CHECK_INT(other.people, 2);
    CHECK_INT(other.me, 1);
    CHECK_STR(other.seat[0].level, "casual");
    CHECK_INT(pyr_local_load(&other, &other_match, &plain, text, size, 0, "casual", 8, NULL), PYR_ERR_SEATS);
    size_t head = (size_t)(strstr(text, "\nplayer") + 1 - text);
    CHECK_INT(pyr_local_load(&other, &other_match, &plain, text, head, 1, "casual", 8, &fault), PYR_ERR_PHASE);
    CHECK_INT(fault.code, PYR_ERR_PHASE);
    CHECK_INT(pyr_local_load(&other, &other_match, &plain, "what?\n", 6, 1, "casual", 8, &fault), PYR_ERR_TEXT_HEADER);
}

TEST("sealed choices in the words of a record, as they were once saved, are read") {
    begin(2, 3, 6);
    char line[64];
    const pyr_card *dealt = match.replay.state.hidden.dealt[0];
    size_t size = match.log.start[match.log.lines];
    memcpy(text, match.log.text, size);
    int low = dealt[0] < dealt[1] ? dealt[0] : dealt[1], high = dealt[0] < dealt[1] ? dealt[1] : dealt[0];
    int more = snprintf(line, sizeof line, "; sealed 1 %d %d\n; sealed 9 1 2\n; draft 2 xyz\n", low + 1, high + 1);
    memcpy(text + size, line, (size_t)more);
    CHECK_INT(pyr_local_load(&other, &other_match, &plain, text, size + (size_t)more, 3, "club", 1, NULL), PYR_OK);
    CHECK(other_match.choice[0].confirmed && !other_match.choice[1].count);
}

TEST("solo expeditions have three medals, one above the other")
{
    CHECK(pyr_solo_count() >= 10);
    CHECK(pyr_solo_at(pyr_solo_count()) == NULL);
    for (unsigned i = 0; i < pyr_solo_count(); i++) {
        const struct pyr_solo *solo = pyr_solo_at(i);
        for (unsigned k = 0; k < i; k++)
            CHECK(pyr_solo_at(k)->seed != solo->seed);
        CHECK(solo->target[0] > 0 && solo->target[0] < solo->target[1] && solo->target[1] < solo->target[2]);
        CHECK_INT(pyr_solo_medal(solo, -3), PYR_MEDAL_NONE);
        CHECK_INT(pyr_solo_medal(solo, solo->target[0] - 1), PYR_MEDAL_NONE);
        CHECK_INT(pyr_solo_medal(solo, solo->target[0]), PYR_MEDAL_BRONZE);
        CHECK_INT(pyr_solo_medal(solo, solo->target[1]), PYR_MEDAL_SILVER);
        CHECK_INT(pyr_solo_medal(solo, solo->target[2]), PYR_MEDAL_GOLD);
        CHECK_INT(pyr_solo_medal(solo, 999), PYR_MEDAL_GOLD);
    }
}

/* The second seat of a solo game takes no card and no points, whatever the first does. */
TEST("a bystander completes nothing")
{
    static const char *const seats[] = { "", "bystander" };
    const struct pyr_bot *bot = pyr_bot_find("bystander");
    struct pyr_rng rng;
    for (unsigned i = 0; i < pyr_solo_count(); i++) {
        CHECK_INT(pyr_local_begin(&local, &match, &classic, 2, names, seats, pyr_solo_at(i)->seed, true), PYR_OK);
        while (!pyr_match_is_over(&match)) {
            struct pyr_view view;
            pyr_seat seat = pyr_local_due(&local, &rng);
            if (seat != PYR_NOBODY) {
                pyr_match_view(&match, seat, &view);
                CHECK(pyr_local_answer(&local, seat, match.log.lines, bot->choose(NULL, &classic.box, &view, &rng, NULL)));
            } else if (!CHECK(let_me_play(&local))) {
                return;
            }
        }
        CHECK_INT(match.replay.state.open.desk[1].done, 0);
    }
}
