/*
 * test_rating.c: ratings of players (rating.h) against published examples and a second program.
 *
 * The vectors "made" are those that OpenSkill's implementations publish and use in their tests (2, 3 and 4 players
 * without games); the others come from an independent program in Python (tests/ratings.py), which is itself checked
 * against the published example with teams.
 */
#include <pyramids/rating.h>

#include "check.h"

static bool is_near(double got, double wanted)
{
    double off = got - wanted;
    bool near = off < 5e-7 && off > -5e-7;
    if (!near)
        fprintf(stderr, "got %.9f, wanted %.9f\n", got, wanted);
    return near;
}

struct vector {
    unsigned count;
    struct pyr_rating before[4];
    uint8_t place[4];
    struct pyr_rating after[4];
};

#define NEW { 25, 25.0 / 3 }

static const struct vector vectors[] = {
    { 2, { NEW, NEW }, { 1, 2 }, { { 27.63523138347365, 8.065506316323548 }, { 22.36476861652635, 8.065506316323548 } } },
    { 3, { NEW, NEW, NEW }, { 1, 2, 3 }, { { 27.868876552746237, 8.204837030780652 },
        { 25.717219138186557, 8.057829747583874 }, { 21.413904309067206, 8.057829747583874 } } },
    { 4, { NEW, NEW, NEW, NEW }, { 1, 2, 3, 4 }, { { 27.795084971874736, 8.263160757613477 },
        { 26.552824984374855, 8.179213704945203 }, { 24.68943500312503, 8.083731307186588 },
        { 20.96265504062538, 8.083731307186588 } } },
    { 2, { { 19.715, 2.101 }, { 29.528, 1.529 } }, { 1, 1 },
        { { 19.935084111119334, 2.095634778910897 }, { 29.41143945859662, 1.527496262277664 } } },
    { 2, { { 26.076, 3.67 }, { 11.74, 4.704 } }, { 2, 1 },
        { { 24.715906069324344, 3.6499879476738757 }, { 13.974453906549275, 4.649822480595017 } } },
    { 3, { { 11.125, 4.166 }, { 12.096, 1.662 }, { 22.736, 7.036 } }, { 1, 2, 2 },
        { { 12.380808082045485, 4.147896343717835 }, { 12.09692821411115, 1.6609438509380916 },
        { 19.13727516190798, 6.618641847189859 } } },
    { 3, { { 13.714, 2.63 }, { 28.823, 7.918 }, { 27.313, 3.896 } }, { 1, 1, 3 },
        { { 13.934157697862549, 2.6283362653703577 }, { 29.01432025085947, 7.606615946489679 },
        { 26.783554226184464, 3.878584135352609 } } },
    { 3, { { 39.288, 1.34 }, { 35.754, 3.114 }, { 14.328, 1.86 } }, { 1, 1, 1 },
        { { 39.23186013395823, 1.3392889466541364 }, { 35.69549456901134, 3.0936963852872106 },
        { 14.457038225546682, 1.859703740303434 } } },
    { 3, { { 19.254, 6.958 }, { 15.422, 5.246 }, { 29.167, 3.719 } }, { 3, 1, 2 },
        { { 17.011396473101417, 6.676188785392887 }, { 17.316405534531587, 5.212786780959446 },
        { 28.85560270314353, 3.693083427749374 } } },
    { 4, { { 26.432, 1.458 }, { 11.788, 2.503 }, { 30.412, 4.121 }, { 19.424, 5.275 } }, { 4, 1, 1, 3 },
        { { 26.247204413078837, 1.4572673639260216 }, { 12.024180789233071, 2.5019059076002965 },
        { 30.498682377929338, 4.094712167800517 }, { 20.6519115390196, 5.170224751309058 } } },
    { 4, { { 23.596, 3.188 }, { 33.831, 6.103 }, { 17.323, 5.193 }, { 25.756, 7.389 } }, { 2, 2, 2, 1 },
        { { 23.493933928932687, 3.1813407529969884 }, { 32.11607368019262, 5.979915838920689 },
        { 17.378853455991184, 5.159450199208253 }, { 28.70501373605721, 7.29132313527473 } } },
    { 4, { { 31.883, 3.102 }, { 39.405, 1.862 }, { 22.544, 6.527 }, { 14.56, 4.569 } }, { 1, 3, 3, 2 },
        { { 32.45587129325121, 3.096698581187529 }, { 38.95989920399355, 1.8599307076370932 },
        { 22.5151328510818, 6.3075209223297115 }, { 16.011344256121784, 4.550834900172612 } } },
    { 4, { { 11.176, 5.878 }, { 32.937, 5.183 }, { 36.264, 3.29 }, { 30.859, 5.339 } }, { 1, 1, 1, 1 },
        { { 11.688192273451927, 5.8636253214434495 }, { 32.83376692861661, 5.148749384785437 },
        { 36.150063350398746, 3.2837327276727444 }, { 30.84602423938044, 5.3040388560838405 } } },
};

TEST("ratings equal the vectors to six digits") {
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) {
        struct pyr_rating now[4];
        memcpy(now, vectors[v].before, sizeof now);
        pyr_rating_update(now, vectors[v].place, vectors[v].count);
        for (unsigned i = 0; i < vectors[v].count; i++) {
            CHECK(is_near(now[i].mu, vectors[v].after[i].mu));
            CHECK(is_near(now[i].sigma, vectors[v].after[i].sigma));
        }
    }
}

TEST("the order of the seats does not matter, nor which numbers places have") {
    struct pyr_rating one[3] = { { 30, 4 }, { 22, 6 }, { 27, 2 } }, two[3] = { { 27, 2 }, { 30, 4 }, { 22, 6 } };
    pyr_rating_update(one, (const uint8_t[]){ 2, 1, 2 }, 3);
    pyr_rating_update(two, (const uint8_t[]){ 9, 9, 4 }, 3);
    for (unsigned i = 0; i < 3; i++) {
        CHECK(is_near(one[i].mu, two[(i + 1) % 3].mu));
        CHECK(is_near(one[i].sigma, two[(i + 1) % 3].sigma));
    }
}

TEST("who wins gains, who loses does not, and all become more certain") {
    struct pyr_rating now[4];
    for (unsigned i = 0; i < 4; i++)
        pyr_rating_init(&now[i]);
    for (unsigned game = 0; game < 500; game++) {
        struct pyr_rating before[4];
        memcpy(before, now, sizeof before);
        pyr_rating_update(now, (const uint8_t[]){ 1, 2, 3, 4 }, 4);
        CHECK(now[0].mu > before[0].mu && now[3].mu < before[3].mu);
        for (unsigned i = 0; i < 4; i++)
            CHECK(now[i].sigma < before[i].sigma && now[i].sigma > 0);
    }
    CHECK(now[0].mu > now[1].mu && now[1].mu > now[2].mu && now[2].mu > now[3].mu);
}

TEST("what is shown") {
    struct pyr_rating rating;
    pyr_rating_init(&rating);
    CHECK_INT(pyr_rating_value(&rating), 1500);
    CHECK_INT(pyr_rating_deviation(&rating), 167);
    CHECK(pyr_rating_is_provisional(&rating));
    rating = (struct pyr_rating){ 27.1, 3.05 };
    CHECK_INT(pyr_rating_value(&rating), 1542);
    CHECK_INT(pyr_rating_deviation(&rating), 61);
    CHECK(!pyr_rating_is_provisional(&rating));
}

TEST("numbers that no game leads to change nothing") {
    const double nan = __builtin_nan("");
    const struct pyr_rating bad[] = { { nan, 5 }, { 25, nan }, { 1e300, 5 }, { 25, -1 }, { 25, 0 }, { 25, 1e9 } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pyr_rating now[2] = { { 25, 8 }, bad[i] };
        pyr_rating_update(now, (const uint8_t[]){ 1, 2 }, 2);
        CHECK(is_near(now[0].mu, 25) && is_near(now[0].sigma, 8));
        CHECK(pyr_rating_value(&now[1]) <= 1000000);
    }
    struct pyr_rating one = NEW, far[2] = { { 999, 0.001 }, { -999, 0.001 } };
    pyr_rating_update(&one, (const uint8_t[]){ 1 }, 1);
    CHECK(is_near(one.mu, 25));
    pyr_rating_update(far, (const uint8_t[]){ 2, 1 }, 2);    /* the greatest surprise */
    CHECK(is_near(far[0].mu, 999) && far[1].sigma > 0);
}
