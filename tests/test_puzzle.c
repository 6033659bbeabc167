/* test_puzzle.c: Glicko-2, puzzles, verdicts, hints, puzzlers and mistakes. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "check_edition.h"

#include <pyramids/puzzler.h>

static struct pyr_edition classic;
static char *pack;
static size_t pack_size;
static struct pyr_match match;
static struct pyr_puzzle_open open;
static const char *const names[] = { "1", "2", "3", "4" };

__attribute__((constructor)) static void load(void)
{
    check_edition(&classic, "editions/classic.edition");
    pack = check_file("editions/classic.puzzles", &pack_size);
}

static bool is_near(double a, double b, double apart)
{
    double d = a - b;
    return d < apart && d > -apart;
}

TEST("Glicko-2: the example of Glickman's paper, to six digits") {
    const struct pyr_glicko player = { 1500, 200, 0.06 };
    const struct pyr_glicko_result results[] = { { 1400, 30, 1 }, { 1550, 100, 0 }, { 1700, 300, 0 } };
    struct pyr_glicko after = pyr_glicko_update(&player, results, 3, 0.5);
    /* From a reference in Python's doubles (tests/puzzles.py has it); the paper prints 1464.06, 151.52 and 0.05999. */
    CHECK(is_near(after.rating, 1464.0506705, 1e-6));
    CHECK(is_near(after.deviation, 151.5165241, 1e-6));
    CHECK(is_near(after.volatility, 0.0599959842, 1e-9));
    const double expected[] = { 0.639, 0.432, 0.303 };       /* as the paper prints them */
    for (unsigned i = 0; i < 3; i++)
        CHECK(is_near(pyr_glicko_expect(&player, results[i].rating, results[i].deviation), expected[i], 6e-4));
}

TEST("Glicko-2: without a result only the deviation grows") {
    const struct pyr_glicko player = { 1500, 200, 0.06 };
    struct pyr_glicko after = pyr_glicko_update(&player, NULL, 0, 0.5);
    CHECK(is_near(after.rating, 1500, 1e-9));
    CHECK(is_near(after.deviation, 200.2714, 1e-3));
}

TEST("Glicko-2: numbers that cannot be are those of a new player") {
    const struct pyr_glicko broken = { 0.0 / 0.0, -5, 1e9 };
    const struct pyr_glicko_result win = { 1500, 80, 1 };
    struct pyr_glicko after = pyr_glicko_update(&broken, &win, 1, 0.5);
    CHECK(after.rating > 1600 && after.rating < 1700);
    CHECK(after.deviation < 350 && after.deviation > 100);
}

static unsigned each(void (*look)(const struct pyr_puzzle *puzzle), unsigned every)
{
    struct pyr_lines lines;
    struct pyr_puzzle puzzle;
    unsigned count = 0;
    if (!CHECK(pyr_puzzle_begin(&lines, pack, pack_size, "classic")))
        return 0;
    while (pyr_lines_next(&lines, false) && pyr_puzzle_read(&puzzle, &lines)) {
        CHECK_INT(puzzle.number, count + 1);
        if (look && count % every == 0)
            look(&puzzle);
        count++;
    }
    CHECK_INT(lines.fault.code, PYR_OK);
    return count;
}

static unsigned seen_themes[PYR_PUZZLE_THEME_COUNT];

static void count_themes(const struct pyr_puzzle *puzzle)
{
    for (unsigned t = 0; t < PYR_PUZZLE_THEME_COUNT; t++)
        seen_themes[t] += puzzle->themes >> t & 1;
}

TEST("there are at least 2,000 puzzles, and 50 of each theme") {
    CHECK(each(count_themes, 1) >= 2000);
    for (unsigned t = 0; t < PYR_PUZZLE_THEME_COUNT; t++)
        CHECK(seen_themes[t] >= 50);
}

static void open_one(const struct pyr_puzzle *puzzle)
{
    struct pyr_puzzle_verdict verdict;
    char text[PYR_CHOICE_SIZE];
    struct pyr_out out;
    if (!CHECK_INT(pyr_puzzle_open(puzzle, &open, &match, &classic, names), PYR_OK))
        return;
    /* One clearly best choice. */
    CHECK(open.count >= 2 && open.choice[0].value - open.choice[1].value >= 150);
    CHECK(open.bound <= open.choice[0].value - 100);
    pyr_out_init(&out, text, sizeof text);
    pyr_puzzle_write_choice(&open, &open.choice[0], &out);
    if (CHECK_INT(pyr_puzzle_answer(&open, &match, text, &verdict, NULL), PYR_OK))
        CHECK(verdict.right && verdict.is_best && !verdict.cost && verdict.place == 0);
    pyr_out_init(&out, text, sizeof text);
    pyr_puzzle_write_choice(&open, &open.choice[1], &out);
    if (CHECK_INT(pyr_puzzle_answer(&open, &match, text, &verdict, NULL), PYR_OK))
        CHECK(!verdict.right && verdict.cost >= 150 && verdict.place == 1);
    CHECK_INT(open.tries, 2);
    /* The hints are about the best choice. */
    struct pyr_puzzle_hint first = pyr_puzzle_hint(&open, &classic.box), second = pyr_puzzle_hint(&open, &classic.box);
    CHECK_INT(first.step, 1);
    CHECK_INT(second.step, 2);
    if (open.view.open.phase == PYR_MARK) {
        CHECK_INT(first.slot, pyr_step_slot(open.choice[0].first));
        CHECK(!first.spaces && !(pyr_step_spaces(open.choice[0].first) & ~second.spaces));
    }
}

TEST("puzzles can be opened, have one clearly best choice, and judge it") {
    each(open_one, 23);
}

TEST("a puzzle of another program is noticed") {
    struct pyr_puzzle puzzle;
    CHECK(pyr_puzzle_find(&puzzle, pack, pack_size, "classic", 1));
    puzzle.check ^= 1;
    CHECK_INT(pyr_puzzle_open(&puzzle, &open, &match, &classic, names), PYR_ERR_STATE);
}

TEST("broken packs are refused") {
    static const char *const bad[] = { "", "pyramids-puzzles 2 classic\n", "pyramids-puzzles 1 other\n",
        "pyramids-record 1\n",
        "pyramids-puzzles 1 classic\n1 5 9 4 7 1 l 1500 7 0\n", "pyramids-puzzles 1 classic\n1 5 2 4 7 1 q 1500 7 0\n",
        "pyramids-puzzles 1 classic\n1 5 2 4 7\n", "pyramids-puzzles 1 classic\n99999 5 2 4 7 1 l 1500 7 0\n" };
    struct pyr_puzzle puzzle;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(!pyr_puzzle_find(&puzzle, bad[i], strlen(bad[i]), "classic", 1));
}

TEST("answers that are not legal choices change nothing") {
    struct pyr_puzzle puzzle;
    struct pyr_puzzle_verdict verdict;
    struct pyr_fault fault;
    static const char *const bad[] = { "", "x", "49:a1", "0:a1", "12:a1a2a3a4a5b1b2b3", "take 5", "-", "12:", "12:z9" };
    CHECK(pyr_puzzle_find(&puzzle, pack, pack_size, "classic", 1));
    CHECK_INT(pyr_puzzle_open(&puzzle, &open, &match, &classic, names), PYR_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(pyr_puzzle_answer(&open, &match, bad[i], &verdict, &fault) != PYR_OK);
    CHECK_INT(open.tries, 0);
}

TEST("a puzzler survives its text; broken ones are new") {
    struct pyr_puzzler a, b;
    struct pyr_puzzle puzzle = { .number = 777, .rating = 1500 };
    char text[PYR_PUZZLER_SIZE];
    struct pyr_out out;
    pyr_puzzler_init(&a);
    double won = pyr_puzzler_answer(&a, &puzzle, true, 0, 20000);
    CHECK(won > 100 && a.streak == 1 && a.solved == 1 && a.day == 20000 && a.days == 1);
    CHECK(is_near(pyr_puzzler_answer(&a, &puzzle, true, 0, 0), 0, 1e-9));        /* seen: not rated again */
    puzzle.number = 8192;
    CHECK(pyr_puzzler_answer(&a, &puzzle, false, 0, 20001) < 0);
    CHECK_INT(a.streak, 0);
    CHECK_INT(a.best, 2);
    CHECK(a.days == 0 && !a.day_right);
    pyr_out_init(&out, text, sizeof text);
    pyr_puzzler_write(&a, &out);
    CHECK(out.length < sizeof text);
    CHECK(pyr_puzzler_read(&b, text, out.length));
    CHECK(is_near(a.skill.rating, b.skill.rating, 0.001) && is_near(a.skill.deviation, b.skill.deviation, 0.001));
    CHECK(!memcmp(a.seen, b.seen, sizeof a.seen) && a.tried == b.tried && a.best == b.best && a.day == b.day);
    for (size_t cut = 0; cut < out.length; cut += 7)
        pyr_puzzler_read(&b, text, cut);
    CHECK(!pyr_puzzler_read(&b, "pyramids-puzzler 1\nrating 9 9 9 9\n", 33));
    CHECK(!pyr_puzzler_read(&b, "pyramids-puzzler 1\nseen xyz\n", 28));
    CHECK(is_near(b.skill.rating, 1500, 1e-9));
}

TEST("a hint halves the gain, and not the loss") {
    struct pyr_puzzler plain, hinted;
    struct pyr_puzzle puzzle = { .number = 5, .rating = 1600 };
    pyr_puzzler_init(&plain);
    pyr_puzzler_init(&hinted);
    double whole = pyr_puzzler_answer(&plain, &puzzle, true, 0, 0), half = pyr_puzzler_answer(&hinted, &puzzle, true, 1, 0);
    CHECK(is_near(whole, 2 * half, 1e-9));
    pyr_puzzler_init(&plain);
    pyr_puzzler_init(&hinted);
    whole = pyr_puzzler_answer(&plain, &puzzle, false, 0, 0);
    CHECK(is_near(whole, pyr_puzzler_answer(&hinted, &puzzle, false, 2, 0), 1e-9));
}

TEST("the next puzzle is unseen, of the theme, and near the rating") {
    struct pyr_puzzler puzzler;
    struct pyr_puzzle puzzle;
    uint32_t last = 0;
    pyr_puzzler_init(&puzzler);
    for (unsigned i = 0; i < 60; i++) {
        uint8_t theme = (uint8_t)(1u << i % PYR_PUZZLE_THEME_COUNT);
        uint32_t number = pyr_puzzler_pick(&puzzler, pack, pack_size, "classic", theme, false, last);
        if (!CHECK(number && pyr_puzzle_find(&puzzle, pack, pack_size, "classic", number)))
            return;
        CHECK(puzzle.themes & theme);
        CHECK(!(puzzler.seen[(number - 1) / 8] >> (number - 1) % 8 & 1));
        CHECK(number != last);
        CHECK(is_near(puzzle.rating, puzzler.skill.rating, 500));
        pyr_puzzler_answer(&puzzler, &puzzle, i % 2 == 0, 0, 0);
        last = number;
    }
    memset(puzzler.seen, 255, sizeof puzzler.seen);
    CHECK_INT(pyr_puzzler_pick(&puzzler, pack, pack_size, "classic", 0, false, 0), 0);
    CHECK(pyr_puzzler_pick(&puzzler, pack, pack_size, "classic", 0, true, 0) != 0);
}

TEST("the puzzle of the day: every one comes before one comes again") {
    for (uint32_t count = 170; count < 230; count++) {
        uint32_t days = count < PYR_PUZZLE_PACK ? count : PYR_PUZZLE_PACK;
        uint8_t seen[PYR_PUZZLE_PACK + 1] = { 0 };
        for (uint32_t day = 0; day < days; day++) {
            uint32_t number = pyr_puzzle_of_day((int32_t)(20000 + day), count);
            CHECK(number >= 1 && number <= days && !seen[number]++);
        }
    }
    /* A client that has only the first pack, and one that has all of them. */
    CHECK_INT(pyr_puzzle_of_day(20775, PYR_PUZZLE_PACK), pyr_puzzle_of_day(20775, 2513));
    CHECK_INT(pyr_puzzle_day("1970-01-01"), 0);
    CHECK_INT(pyr_puzzle_day("2026-11-18"), 20775);
    CHECK_INT(pyr_puzzle_day("2024-02-29"), 19782);
    CHECK_INT(pyr_puzzle_day("2023-02-29"), -1);
    CHECK_INT(pyr_puzzle_day("2023-13-01"), -1);
    CHECK_INT(pyr_puzzle_day("tomorrow"), -1);
    CHECK_INT(pyr_puzzle_day("2026-11-181"), -1);
}

/* A mistake of a game: the position of a puzzle, played on. */
static size_t make_mistake(char *to, size_t size, const char *values)
{
    struct pyr_puzzle puzzle;
    struct pyr_out out;
    /* A puzzle about a mark, whatever its number is. */
    uint32_t number = 1;
    while (pyr_puzzle_find(&puzzle, pack, pack_size, "classic", number) && puzzle.playouts)
        number++;
    if (!CHECK_INT(pyr_puzzle_open(&puzzle, &open, &match, &classic, names), PYR_OK))
        return 0;
    uint32_t line = match.log.lines;
    for (unsigned s = 0; s < match.replay.seats; s++) {
        struct pyr_steps steps;
        for (unsigned i = 0; i < PYR_MAX_CHOICE && !pyr_match_is_ready(&match, (pyr_seat)s); i++) {
            pyr_match_steps(&match, (pyr_seat)s, &steps);
            pyr_match_step(&match, (pyr_seat)s, pyr_steps_at(&steps, &classic.box, 0));
        }
        pyr_match_confirm(&match, (pyr_seat)s);
    }
    pyr_out_init(&out, to, size);
    return pyr_mistake_write(&match, line + puzzle.seat, puzzle.seat, 4096, values, &out) ? out.length : 0;
}

TEST("your mistakes: written, opened, solved on two days") {
    static char text[40000], later[40000];
    char best[PYR_CHOICE_SIZE], next[PYR_CHOICE_SIZE], values[2 * PYR_CHOICE_SIZE + 40];
    struct pyr_puzzle_verdict verdict;
    struct pyr_fault fault;
    struct pyr_out out;
    CHECK_INT(make_mistake(text, sizeof text, "12:a1=1"), 0);            /* one choice is no question */
    CHECK_INT(make_mistake(text, sizeof text, "nonsense"), 0);
    pyr_out_init(&out, best, sizeof best);
    pyr_puzzle_write_choice(&open, &open.choice[0], &out);
    pyr_out_init(&out, next, sizeof next);
    pyr_puzzle_write_choice(&open, &open.choice[1], &out);
    snprintf(values, sizeof values, "%s=9650/5400 %s=9100/4100", best, next);
    size_t size = make_mistake(text, sizeof text, values);
    if (!CHECK(size > 0))
        return;
    CHECK_INT(pyr_mistake_open(&open, &match, &classic, text, size, &fault), PYR_OK);
    CHECK(!open.is_win && open.count == 2 && open.choice[0].value == 9650);
    CHECK_INT(pyr_puzzle_answer(&open, &match, best, &verdict, &fault), PYR_OK);
    CHECK(verdict.right);
    CHECK_INT(pyr_puzzle_answer(&open, &match, next, &verdict, &fault), PYR_OK);
    CHECK(!verdict.right && verdict.cost == 550);
    pyr_out_init(&out, later, sizeof later);
    CHECK(pyr_mistake_solve(text, size, 20000, &out));
    size_t longer = out.length;
    CHECK(longer > size && pyr_mistake_open(&open, &match, &classic, later, longer, &fault) == PYR_OK);
    pyr_out_init(&out, text, sizeof text);
    CHECK(pyr_mistake_solve(later, longer, 20000, &out));                /* the same day once more: it stays */
    CHECK_INT(out.length, longer);
    CHECK(!pyr_mistake_solve(later, longer, 20003, &out));               /* another day: it leaves */
    for (size_t cut = 0; cut < longer; cut += 13)
        pyr_mistake_open(&open, &match, &classic, later, cut, &fault);
}

TEST("your mistakes: by the chance to win where points do not show it") {
    static char text[40000];
    char best[PYR_CHOICE_SIZE], next[PYR_CHOICE_SIZE], values[2 * PYR_CHOICE_SIZE + 40];
    struct pyr_fault fault;
    struct pyr_out out;
    make_mistake(text, sizeof text, "12:a1=1/1 12:a2=2/2");
    pyr_out_init(&out, best, sizeof best);
    pyr_puzzle_write_choice(&open, &open.choice[0], &out);
    pyr_out_init(&out, next, sizeof next);
    pyr_puzzle_write_choice(&open, &open.choice[1], &out);
    snprintf(values, sizeof values, "%s=9000/5400 %s=9100/4100", best, next);
    size_t size = make_mistake(text, sizeof text, values);
    CHECK_INT(pyr_mistake_open(&open, &match, &classic, text, size, &fault), PYR_OK);
    CHECK(open.is_win && open.choice[0].value == 5400);
}
