/* test_instance.c: the flat interface (instance.h) as bindings use it: whole numbers, texts and pointers only. */
#include "check.h"

#include <pyramids/bots.h>
#include <pyramids/fair.h>
#include <pyramids/instance.h>
#include <pyramids/version.h>

static struct pyr_instance *with_edition(const char *path)
{
    size_t size;
    char *text = check_file(path, &size);
    struct pyr_instance *instance = pyr_instance_create();
    CHECK(instance && pyr_instance_read_edition(instance, text, size) == 0);
    free(text);
    return instance;
}

TEST("a whole game of bots by texts alone, and its record again")
{
    struct pyr_instance *game = with_edition("tests/data/plain.edition"), *again = with_edition("tests/data/plain.edition");
    uint32_t choices = 0;
    CHECK_INT(pyr_instance_start(game, 3, "Ana\nBen of the Two Words\nÇağla\n", 7), 0);
    CHECK_INT(pyr_instance_seats(game), 3);
    while (pyr_instance_waiting(game) && choices < 1000) {
        uint32_t seat = (uint32_t)__builtin_ctz(pyr_instance_waiting(game));
        char text[512], made[512];
        size_t length = pyr_instance_bot_choice(game, 1, seat, 0, choices++, text, sizeof text);
        bool takes = !strncmp(text, "take", 4) || !strcmp(text, "draw");
        CHECK(length && length == strlen(text));
        if (!CHECK_INT(pyr_instance_choose(game, seat, text), 0))
            break;
        if (takes)
            continue;
        CHECK(pyr_instance_is_ready(game, seat) && pyr_instance_choice(game, seat, made, sizeof made) == length);
        CHECK_STR(made, text);
        CHECK_INT(pyr_instance_confirm(game, seat), 0);
    }
    CHECK(pyr_instance_is_over(game) && choices > 80);
    const struct pyr_view *view = pyr_instance_view(game, 255);
    CHECK(view && view->open.phase == PYR_END && pyr_instance_view_winners(game));
    const char *log = pyr_instance_log(game);
    CHECK(strstr(log, "\nplayer 2 Ben of the Two Words\n") && strstr(log, "\nwinner "));
    CHECK_INT(pyr_instance_load(again, log, strlen(log), 255), 0);
    CHECK_STR(pyr_instance_log(again), log);
    for (uint32_t seat = 0; seat < 3; seat++) {
        pyr_instance_view(game, 255);
        int total = pyr_instance_view_score(game, seat, 0)->total;
        pyr_instance_view(again, 255);
        CHECK_INT(pyr_instance_view_score(again, seat, 0)->total, total);
    }
    CHECK_INT(pyr_instance_verify(again, log, strlen(log)), PYR_FAIR_NO_COMMITMENT);
    pyr_instance_destroy(game);
    pyr_instance_destroy(again);
}

TEST("steps, undo, previews and reasons")
{
    struct pyr_instance *game = with_edition("tests/data/plain.edition");
    CHECK_INT(pyr_instance_start(game, 2, "A\nB\n", 1), 0);
    for (uint32_t seat = 0; seat < 2; seat++) {
        CHECK_INT(pyr_instance_steps(game, seat), 6);
        CHECK_INT(pyr_instance_step(game, seat, pyr_instance_step_list(game)[0]), 0);
        CHECK_INT(pyr_instance_undo(game, seat), 0);
        CHECK_INT(pyr_instance_undo(game, seat), PYR_ERR_NO_UNDO);
        CHECK_INT(pyr_instance_step(game, seat, pyr_instance_step_list(game)[5]), 0);
        CHECK_INT(pyr_instance_confirm(game, seat), 0);
    }
    uint32_t count = pyr_instance_steps(game, 0);
    CHECK(count > 1);
    uint64_t first = pyr_instance_step_list(game)[0];
    CHECK_INT(pyr_instance_check(game, 0, first), 0);
    CHECK_INT(pyr_instance_preview(game, 0, first), 0);
    CHECK(pyr_instance_preview_desk(game)->free != pyr_instance_view(game, 0)->mine.free);
    CHECK(pyr_instance_check(game, 0, PYR_STEP_OTHER) == PYR_ERR_MUST_MARK);
    CHECK_INT(pyr_instance_choose(game, 0, "99:a1"), PYR_ERR_TEXT_MOVE);
    CHECK_STR(pyr_instance_fault_word(game), "99:a1");
    CHECK_INT(pyr_instance_tag(game, "date", "2026-11-17"), 0);
    CHECK(strstr(pyr_instance_log(game), "\ntag date 2026-11-17\n"));
    CHECK(!pyr_instance_line_is_visible(game, 5, 0) && pyr_instance_line_is_visible(game, 4, 0));
    pyr_instance_destroy(game);
}

TEST("luck and skill, a task at a time")
{
    struct pyr_instance *game = with_edition("tests/data/plain.edition");
    size_t size;
    char *record = check_file("tests/data/plain-2.pyr", &size), text[512];
    CHECK_INT(pyr_instance_load(game, record, size, 255), 0);
    CHECK(pyr_instance_luck_begin(game, 100, 1));
    unsigned decisions = 0, chances = 0;
    for (uint32_t task; (task = pyr_instance_luck_next(game));) {
        decisions += task == PYR_INSTANCE_DECISION;
        chances += task == PYR_INSTANCE_CHANCE;
        if (task == PYR_INSTANCE_DECISION)
            CHECK(pyr_instance_luck_choice(game, 99, text, sizeof text) == strlen(text) && *text);
    }
    CHECK(decisions > 56 && chances > 28);
    for (uint32_t seat = 0; seat < 2; seat++) {
        const struct pyr_luck_sum *sum = pyr_instance_luck_sum(game, seat);
        float rest = sum->actual - sum->luck - sum->skill;
        CHECK(rest < 0.01f && rest > -0.01f);
        CHECK_STR(pyr_instance_luck_level(game, seat), pyr_luck_level(sum->rate));
    }
    free(record);
    pyr_instance_destroy(game);
}

TEST("an instance in the caller's memory, and why an answer to a puzzle was refused")
{
    size_t size;
    char *pack = check_file("editions/classic.puzzles", &size), text[4096];
    struct pyr_instance *own = aligned_alloc(16, (pyr_instance_size() + 15) / 16 * 16);
    struct pyr_instance *made = with_edition("editions/classic.edition");
    size_t length = pyr_instance_write_edition(made, text, sizeof text);
    pyr_instance_init(own, NULL, NULL);
    CHECK_INT(pyr_instance_read_edition(own, text, length), 0);
    CHECK_STR(pyr_instance_edition(own)->name, "classic");
    CHECK_INT(pyr_instance_start(own, 2, "A\nB\n", 1), 0);
    CHECK_INT(pyr_instance_bot_choice(own, 0, 0, 0, 0, text, sizeof text), 0);        /* a bot needs room */
    free(own);
    CHECK_INT(pyr_instance_puzzle_open(made, pack, size, 1), 0);
    CHECK_INT(pyr_instance_puzzle_answer(made, "take 1", 0, text, sizeof text), 0);
    CHECK_INT(pyr_instance_puzzle_code(made), PYR_ERR_NOT_IN_DISPLAY);
    CHECK(pyr_instance_puzzle_answer(made, "take 13", 0, text, sizeof text) && !pyr_instance_puzzle_code(made));
    free(pack);
    pyr_instance_destroy(made);
}

TEST("nonsense has its code, whatever the order of calls")
{
    struct pyr_instance *game = pyr_instance_create();
    char text[64] = "x";
    CHECK_INT(pyr_instance_start(game, 2, "A\nB\n", 1), PYR_ERR_SEATS);      /* no edition */
    CHECK_INT(pyr_instance_read_edition(game, "nonsense", 8), PYR_ERR_TEXT_HEADER);
    CHECK_INT(pyr_instance_fault_line(game), 1);
    CHECK(!pyr_instance_seats(game) && !pyr_instance_waiting(game) && !pyr_instance_lines(game) && !*pyr_instance_log(game));
    CHECK(!pyr_instance_view(game, 0) && !pyr_instance_view_at(game, 0, 0) && !pyr_instance_steps(game, 0));
    CHECK_INT(pyr_instance_step(game, 0, 1), PYR_ERR_NOT_DUE);
    CHECK_INT(pyr_instance_confirm(game, 9), PYR_ERR_NOT_DUE);
    CHECK_INT(pyr_instance_bot_choice(game, 0, 0, 0, 0, text, sizeof text), 0);
    CHECK_INT(pyr_instance_options(game, 0, 0, 10, 0, NULL, text, sizeof text), 0);
    CHECK_INT(pyr_instance_luck_begin(game, 10, 0), 0);
    CHECK_INT(pyr_instance_luck_next(game), 0);
    pyr_instance_shuffle(game, 1);
    pyr_instance_destroy(game);
    pyr_instance_destroy(NULL);
    game = with_edition("tests/data/plain.edition");
    CHECK_INT(pyr_instance_start(game, 5, "A\nB\n", 1), PYR_ERR_SEATS);
    char longest[200];
    memset(longest, 'n', sizeof longest);
    longest[128] = '\n';
    longest[199] = '\0';
    CHECK_INT(pyr_instance_start(game, 2, longest, 1), PYR_ERR_TEXT_LONG);
    CHECK_INT(pyr_instance_start(game, 2, "A", 1), PYR_ERR_TEXT_ENCODING);   /* the second has no name */
    CHECK_INT(pyr_instance_load(game, "pyramids-record 1\nedition other\n", 32, 255), PYR_ERR_RECORD_EDITION);
    CHECK_STR(pyr_instance_fault_word(game), "other");
    pyr_instance_destroy(game);
}
