/* test_expedition.c: the daily expedition without a server: dates, secrets, the bots' random numbers, whole games on one
 * device; and the arithmetic of results, places, streaks and boards (src/server/results.c). */
#include "check.h"
#include "check_edition.h"

#include <pyramids/bots.h>
#include <pyramids/instance.h>
#include <pyramids/local.h>

#include "results.h"

static struct pyr_edition classic;
static struct pyr_local local, other;
static struct pyr_match match, other_match;
static struct pyr_fair_report report;
static char text[PYR_LOCAL_SAVED];
static void *memory;

__attribute__((constructor)) static void load_edition(void) { check_edition(&classic, "editions/classic.edition"); }

/* Dates and secrets. */

TEST("dates of four centuries are written and read again")
{
    char date[PYR_DAILY_DATE];
    int32_t day;
    for (int32_t i = 0; i < 400 * 366; i += 7) {
        pyr_daily_write_date(i, date);
        day = -1;
        if (!CHECK(pyr_daily_read_date(date, 10, &day)) || !CHECK_INT(day, i))
            return;
    }
    pyr_daily_write_date(0, date);
    CHECK_STR(date, "1970-01-01");
    pyr_daily_write_date(20775, date);
    CHECK_STR(date, "2026-11-18");
    pyr_daily_write_date(PYR_DAILY_LAST, date);
    CHECK_STR(date, "9999-12-31");
    pyr_daily_write_date(INT32_MAX, date);
    CHECK_STR(date, "9999-12-31");
    pyr_daily_write_date(-5, date);
    CHECK_STR(date, "1970-01-01");
}

TEST("what is no date is refused")
{
    static const char *const wrong[] = { "", "2026-11-1", "2026-11-181", "2026-13-01", "2026-00-01", "2026-02-29",
        "2026-04-31", "2026-11-00", "2026/11/18", "2026-11-1x", "1969-12-31", "+026-11-18" };
    int32_t day = 7;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!pyr_daily_read_date(wrong[i], strlen(wrong[i]), &day));
    CHECK_INT(day, 7);
    CHECK(pyr_daily_read_date("2028-02-29", 10, &day));
}

TEST("weeks begin on Monday, months on their first day")
{
    unsigned days;
    int32_t day = 20775;                     /* Wednesday, 18 November 2026 */
    CHECK_INT(pyr_daily_week(day), day - 2);
    CHECK_INT(pyr_daily_week(day - 2), day - 2);
    CHECK_INT(pyr_daily_week(day + 4), day - 2);
    CHECK_INT(pyr_daily_week(day + 5), day + 5);
    CHECK_INT(pyr_daily_month(day, &days), day - 17);
    CHECK_INT(days, 30);
    CHECK_INT(pyr_daily_month(day + 43, &days), day + 13);     /* 31 December */
    CHECK_INT(days, 31);
}

/* Known answers from Python's hashlib and hmac. */
TEST("a practice deal and the bots' seeds are those of docs/daily.md")
{
    uint8_t secret[PYR_FAIR_BYTES];
    char hex[PYR_FAIR_DIGITS + 1];
    struct pyr_table open = { .phase = PYR_KEEP };
    pyr_daily_practice(20775, secret);
    pyr_fair_write_hex(secret, hex);
    CHECK_STR(hex, "b5133f9ef50d7e891203bf3dda05b2e08ad568c59c40d34cb2ad85873dfa339d");
    CHECK(pyr_daily_seed(secret, &open, 1) == UINT64_C(0xffdce48ee6a8530d));
    open = (struct pyr_table){ .phase = PYR_REPLACE, .round = 3, .turn = 6 };
    CHECK(pyr_daily_seed(secret, &open, 2) == UINT64_C(0xc7a3889503acfe53));
}

/* Whole games. */

static void begin(struct pyr_local *of, struct pyr_match *with, bool is_practice)
{
    static const char *const names[] = { "Ana", "club 2", "club 3" };
    uint8_t secret[PYR_FAIR_BYTES];
    pyr_daily_practice(20775, secret);
    CHECK_INT(pyr_local_begin_daily(of, with, &classic, names, 20775, secret, is_practice), PYR_OK);
}

/* Bots, then the person, by a policy that depends only on the position. False: the game is over. */
static bool play_phase(struct pyr_local *of)
{
    const struct pyr_bot *club = pyr_bot_find("club");
    struct pyr_rng rng;
    struct pyr_view view;
    if (!memory) {
        memory = aligned_alloc(64, (club->memory(&classic.box) + 63) / 64 * 64);
        club->prepare(memory, &classic.box);
    }
    for (pyr_seat seat; (seat = pyr_local_due(of, &rng)) != PYR_NOBODY;) {
        pyr_match_view(of->match, seat, &view);
        pyr_step step = club->choose(memory, &classic.box, &view, &rng, NULL);
        if (!CHECK(pyr_local_answer(of, seat, of->match->log.lines, step)))
            return false;
    }
    if (pyr_match_is_over(of->match))
        return false;
    bool takes = of->match->replay.state.open.phase == PYR_REPLACE;
    while (takes || !pyr_match_is_ready(of->match, of->me)) {
        pyr_rng_seed(&rng, 5, of->match->log.lines * 64 + of->match->choice[of->me].count);
        pyr_match_view(of->match, of->me, &view);
        pyr_step step = club->choose(memory, &classic.box, &view, &rng, NULL);
        if (takes)
            return CHECK_INT(pyr_local_take(of, step), PYR_OK);
        CHECK_INT(pyr_match_step(of->match, of->me, step), PYR_OK);
    }
    return CHECK_INT(pyr_local_confirm(of), PYR_OK);
}

TEST("a day on this device ends with its secret, and is verified")
{
    begin(&local, &match, false);
    CHECK(strstr(match.log.text, "tag day 2026-11-18\n") && !strstr(match.log.text, "tag secret"));
    while (play_phase(&local))
        ;
    CHECK(pyr_match_is_over(&match));
    CHECK(strstr(match.log.text, "tag secret b5133f9e"));
    CHECK_INT(pyr_fair_verify(&classic, match.log.text, match.log.start[match.log.lines], &report), PYR_FAIR_GOOD);
    CHECK_INT(report.numbers, 0);
}

TEST("a game that is saved and loaded at every choice is the same game")
{
    begin(&local, &match, true);
    begin(&other, &other_match, true);
    CHECK(strstr(match.log.text, "tag practice 2026-11-18\n"));
    while (play_phase(&local)) {
        size_t size = pyr_local_save(&other, text, sizeof text);
        CHECK(strstr(text, "; secret ") && !strstr(text, "; seed "));
        enum pyr_err err = pyr_local_load(&other, &other_match, &classic, text, size, 1, "club", 9, NULL);
        if (!CHECK(size) || !CHECK_INT(err, PYR_OK))
            return;
        play_phase(&other);
    }
    while (play_phase(&other))
        ;
    CHECK_STR(other_match.log.text, match.log.text);
}

TEST("a worker that gets a seed makes the choices of a bot here")
{
    struct pyr_instance *instance = pyr_instance_create();
    unsigned compared = 0;
    begin(&local, &match, true);
    static char edition_text[1 << 16];
    size_t size = pyr_edition_write(&classic, edition_text, sizeof edition_text);
    CHECK_INT(pyr_instance_read_edition(instance, edition_text, size), PYR_OK);
    for (unsigned i = 0; i < 60 && !pyr_match_is_over(&match); i++) {
        struct pyr_rng rng;
        pyr_seat seat = pyr_local_due(&local, &rng);
        char choice[PYR_CHOICE_SIZE], made[PYR_CHOICE_SIZE] = "";
        if (seat != PYR_NOBODY) {
            CHECK_INT(pyr_instance_load(instance, match.log.text, match.log.start[match.log.lines], 255), PYR_OK);
            pyr_instance_bot_choice(instance, 4, seat, 0, pyr_local_due_seed(&local), choice, sizeof choice);
            begin(&other, &other_match, true);
            pyr_local_save(&local, text, sizeof text);
            pyr_local_load(&other, &other_match, &classic, text, strlen(text), 1, "club", 0, NULL);
            /* the same choice step by step, as the terminal makes it */
            while (pyr_local_due(&other, &rng) == seat && other_match.log.lines == match.log.lines) {
                struct pyr_view view;
                struct pyr_out out;
                pyr_match_view(&other_match, seat, &view);
                pyr_step step = pyr_bot_find("club")->choose(memory, &classic.box, &view, &rng, NULL);
                bool takes = view.open.phase == PYR_REPLACE;
                pyr_out_init(&out, made, sizeof made);
                if (takes)
                    pyr_choice_write(&step, 1, &view.open.desk[seat], &out);
                pyr_local_answer(&other, seat, other_match.log.lines, step);
                if (!takes && other_match.choice[seat].count)
                    pyr_game_write_choice(&other_match.game, seat, &out);
            }
            if (made[0] && other_match.log.lines == match.log.lines) {
                CHECK_STR(choice, made);
                compared++;
            }
        }
        if (!play_phase(&local))
            break;
    }
    CHECK(compared > 10);
    pyr_instance_destroy(instance);
}

/* Results. */

TEST("places are shared, the median is in the middle, others are behind")
{
    struct results_tally tally = { 0 };
    int32_t from[RESULTS_BINS];
    int64_t count[RESULTS_BINS];
    CHECK_INT(results_bins(&tally, from, count), 0);
    results_add(&tally, -3, 1);
    CHECK(results_ahead(&tally, -3) < 0);
    results_add(&tally, 80, 2);
    results_add(&tally, 84, 1);
    results_add(&tally, 97, 1);
    CHECK_INT(tally.count, 5);
    CHECK_INT(results_place(&tally, 97), 1);
    CHECK_INT(results_place(&tally, 84), 2);
    CHECK_INT(results_place(&tally, 80), 3);
    CHECK_INT(results_place(&tally, -3), 5);
    CHECK(results_median(&tally) == 80);
    CHECK(results_ahead(&tally, 97) == 100 && results_ahead(&tally, 80) == 25 && results_ahead(&tally, -3) == 0);
    CHECK_INT(results_bins(&tally, from, count), 21);
    CHECK_INT(from[0], -5);
    CHECK_INT(count[0], 1);
    CHECK_INT(from[17], 80);
    CHECK_INT(count[17], 3);
    CHECK_INT(count[18], 0);
    CHECK_INT(from[20], 95);
    CHECK_INT(count[20], 1);
    results_add(&tally, 99, 1);
    CHECK(results_median(&tally) == 82);
}

TEST("a streak survives days without a server, and today until it is over")
{
    const uint8_t M = RESULTS_MISSED, P = RESULTS_PLAYED, K = RESULTS_KEPT;
    const struct {
        uint8_t days[8];
        unsigned count, now, best, from;
    } cases[] = { { { M }, 1, 0, 0, 1 }, { { P }, 1, 1, 1, 0 }, { { P, M }, 2, 1, 1, 0 }, { { P, M, M }, 3, 0, 1, 3 },
        { { P, K, P }, 3, 2, 2, 0 }, { { P, K, K, M }, 4, 1, 1, 0 }, { { K, K }, 2, 0, 0, 2 },
        { { P, P, P, M, P, M }, 6, 1, 3, 4 }, { { M, P, P, M, K, P, K, P }, 8, 2, 2, 5 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct results_streak streak = results_streak(cases[i].days, cases[i].count);
        CHECK_INT(streak.now, cases[i].now);
        CHECK_INT(streak.best, cases[i].best);
        CHECK_INT(streak.from, cases[i].from);
    }
}
