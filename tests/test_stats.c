/* test_stats.c: the margins that `pyramids sim` prints are correct (src/cli/stats.c). */
#include <math.h>

#include "../src/cli/stats.h"
#include "check.h"

static unsigned long long seed = 1;

static double chance(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static bool is_near(double got, double wanted, double by)
{
    if (fabs(got - wanted) <= by)
        return true;
    fprintf(stderr, "%f is not %f\n", got, wanted);
    return false;
}

TEST("the mean is that of all games and the margin that of the textbook")
{
    struct stats s = { 0 };
    const double value[] = { 0.5, 1, 0, 1, 0.75 };
    for (unsigned i = 0; i < 5; i++)
        stats_add(&s, value[i], 1);
    CHECK(is_near(stats_mean(&s), 0.65, 1e-12));
    /* s^2 = 0.175, s^2 / 5 = 0.035, its root times 1.96 */
    CHECK(is_near(stats_margin(&s), 1.96 * sqrt(0.035), 1e-4));
}

TEST("an incomplete shuffle counts for the games that it has")
{
    /* Ten whole shuffles at 0.5 and one game of a shuffle of four that was won: 41 games, of which 21 were won. */
    struct stats s = { 0 };
    for (unsigned i = 0; i < 10; i++)
        stats_add(&s, 0.5, 1);
    stats_add(&s, 1, 0.25);
    CHECK(is_near(stats_mean(&s), 21.0 / 41, 1e-12));
    CHECK(stats_margin(&s) < 0.05);
}

TEST("Wilson's interval, as tables have it")
{
    /* 8 of 10: 0.4902 to 0.9433; 0 of 10: 0 to 0.2775 (z = 1.96, without continuity correction). If every sample is 0
     * or 1, the spread is that of single games except for a factor of n / (n - 1). */
    struct stats s = { 0 };
    double low, high;
    for (unsigned i = 0; i < 10; i++)
        stats_add(&s, i < 8, 1);
    stats_interval(&s, &low, &high);
    CHECK(is_near(low, 0.4902, 1e-4));
    CHECK(is_near(high, 0.9433, 1e-4));
    s = (struct stats){ 0 };
    for (unsigned i = 0; i < 10; i++)
        stats_add(&s, 0, 1);
    stats_interval(&s, &low, &high);
    CHECK(low == 0);
    CHECK(is_near(high, 0.2775, 1e-4));
}

TEST("without two samples nothing is known")
{
    struct stats s = { 0 };
    double low, high;
    stats_interval(&s, &low, &high);
    CHECK(low == 0 && high == 1);
    stats_add(&s, 1, 1);
    stats_interval(&s, &low, &high);
    CHECK(low == 0 && high == 1);
}

TEST("an interval lies around its mean and between 0 and 1, whatever the results")
{
    for (unsigned round = 0; round < 20000; round++) {
        struct stats s = { 0 };
        unsigned samples = 2 + (unsigned)(chance() * 30), seats = 2 + (unsigned)(chance() * 3);
        double skill = chance() < 0.2 ? 1 : chance(), low, high;
        for (unsigned i = 0; i < samples; i++) {
            unsigned games = i + 1 < samples ? seats : 1 + (unsigned)(chance() * seats);
            double sum = 0;
            for (unsigned g = 0; g < games; g++)
                sum += chance() < skill ? 1 : chance() < 0.1 ? 0.5 : 0;
            stats_add(&s, sum / games, (double)games / seats);
        }
        double mean = stats_mean(&s);
        stats_interval(&s, &low, &high);
        if (!CHECK(low >= 0 && low <= mean + 1e-12 && mean - 1e-12 <= high && high <= 1 && low < high)) {
            fprintf(stderr, "round %u: %f in %f .. %f\n", round, mean, low, high);
            return;
        }
        CHECK((low == 0) <= (mean < 1));
    }
}

TEST("the interval holds the truth in 95 of 100 cases")
{
    static const struct { double skill; unsigned samples; } cases[] = { { 0.5, 30 }, { 0.5, 200 }, { 0.8, 50 },
        { 0.95, 100 }, { 0.99, 100 } };
    for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
        unsigned held = 0, rounds = 4000;
        for (unsigned round = 0; round < rounds; round++) {
            struct stats s = { 0 };
            double low, high;
            /* Two seatings of a shuffle: in half of the cases the cards decide, and each player wins once. */
            for (unsigned i = 0; i < cases[c].samples; i++) {
                double luck = 2 * (cases[c].skill < 0.5 ? cases[c].skill : 1 - cases[c].skill) * 0.5;
                double rest = (cases[c].skill - luck / 2) / (1 - luck);
                double share = chance() < luck ? 0.5 : ((chance() < rest) + (chance() < rest)) / 2.0;
                stats_add(&s, share, 1);
            }
            stats_interval(&s, &low, &high);
            held += low <= cases[c].skill && cases[c].skill <= high;
        }
        double rate = (double)held / rounds;
        printf("# %.2f, %u shuffles: %.3f\n", cases[c].skill, cases[c].samples, rate);
        CHECK(rate > 0.93);
        CHECK(rate < 0.99);
    }
}

TEST("Elo of a share, and back")
{
    CHECK(is_near(stats_elo(0.5, 2), 0, 1e-9));
    CHECK(is_near(stats_elo(0.25, 4), 0, 1e-9));
    CHECK(is_near(stats_elo(10.0 / 11, 2), 400, 1e-9));
    CHECK(is_near(stats_share(stats_elo(0.37, 3), 3), 0.37, 1e-12));
    CHECK(isinf(stats_elo(1, 2)) && stats_elo(1, 2) > 0 && isinf(stats_elo(0, 2)) && stats_elo(0, 2) < 0);
}
