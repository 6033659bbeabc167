/* test_edition.c: the classic edition and generated ones follow the guidelines (docs/editions.md), and each seed always
 * gives the same box. */
#include <pyramids/builtin.h>
#include <pyramids/generate.h>

#include "check.h"

static struct pyr_edition edition, again;
static char text[1 << 16], twice[1 << 16];

TEST("classic keeps every guideline")
{
    struct pyr_survey survey;
    const char *classic = pyr_builtin_edition("classic");
    if (!CHECK(classic != NULL) || !CHECK_INT(pyr_edition_read(&edition, classic, strlen(classic), NULL), PYR_OK))
        return;
    CHECK_STR(edition.name, "classic");
    pyr_box_survey(&edition.box, &survey);
    CHECK_INT(survey.broken, 0);
    unsigned entrances[PYR_SIDE] = { 0 }, tombs[PYR_SIDE] = { 0 }, torches = 0, potions = 0;
    for (unsigned c = 0; c < PYR_CARDS; c++) {
        const struct pyr_card_survey *card = &survey.card[c];
        CHECK(card->walls >= 7 && card->walls <= 9 && card->way >= 7 && card->way <= 11);
        CHECK(card->rubies + card->emeralds >= 1 && card->rubies + card->emeralds <= 3);
        CHECK(card->skulls >= 1 && card->skulls <= 3 && card->crosses == 1);
        entrances[card->entrance_column]++;
        tombs[card->tomb_column]++;
        torches += card->torches;
        potions += card->potions;
    }
    CHECK_INT(torches, 24);
    CHECK_INT(potions, 15);
    for (unsigned column = 0; column < PYR_SIDE; column++)
        CHECK(entrances[column] && tombs[column]);
    static const struct {
        const char *name;
        int copies;
    } patterns[PYR_PATTERNS] = { { "I2", 1 }, { "I3", 1 }, { "V3", 1 }, { "I4", 2 }, { "L4", 1 }, { "O4", 2 } };
    for (unsigned p = 0; p < PYR_PATTERNS; p++) {
        CHECK_STR(edition.pattern_name[p], patterns[p].name);
        CHECK_INT(edition.box.pattern[p].copies, patterns[p].copies);
    }
    static const int penalty[PYR_SKULLS] = { 1, 2, 3, 4, 6, 8, 10, 12, 15, 18 };
    for (unsigned i = 0; i < PYR_SKULLS; i++)
        CHECK_INT(edition.box.penalty[i], penalty[i]);
}

TEST("generated boxes keep every guideline, whatever the seed")
{
    for (uint64_t i = 0; i < 120; i++) {
        struct pyr_survey survey;
        uint64_t seed = i < 100 ? i : UINT64_MAX - i;
        CHECK_INT(pyr_edition_generate(&edition, seed), PYR_OK);
        pyr_box_survey(&edition.box, &survey);
        if (!CHECK_INT(survey.broken, 0))
            printf("# seed %llu\n", (unsigned long long)seed);
        size_t size = pyr_edition_write(&edition, text, sizeof text);
        CHECK_INT(pyr_edition_read(&again, text, size, NULL), PYR_OK);
        CHECK_INT(pyr_edition_write(&again, twice, sizeof twice), size);
        CHECK(!memcmp(text, twice, size));
        CHECK(!memcmp(&edition.box, &again.box, sizeof edition.box));
    }
}

/* FNV-1a: a short hash of many bytes. */
static uint32_t sum_of(const char *bytes, size_t size)
{
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * 16777619u;
    return sum;
}

TEST("a seed keeps its box: games and links refer to it")
{
    CHECK_INT(pyr_edition_generate(&edition, 2026), PYR_OK);
    size_t size = pyr_edition_write(&edition, text, sizeof text);
    CHECK_STR(edition.name, "seed-2026");
    CHECK_INT(sum_of(text, size), 4252913010u);
}

TEST("an edition that breaks a guideline is told so, and is still an edition")
{
    struct pyr_components print;
    struct pyr_survey survey;
    CHECK_INT(pyr_edition_generate(&edition, 1), PYR_OK);
    pyr_box_components(&edition.box, &print);
    print.card[11] = print.card[10];
    print.card[11].colour = edition.box.card[11].colour;
    CHECK_INT(pyr_box_init(&edition.box, &print, NULL), PYR_OK);
    pyr_box_survey(&edition.box, &survey);
    CHECK(survey.broken & PYR_GUIDE_ALIKE);
    CHECK_INT(survey.card[11].alike, 11);
}
