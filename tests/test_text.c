/*
 * test_text.c: every kind of invalid line in an edition or a record is refused at its line with the exact message. A
 * case is the good text with one replacement.
 */
#include <pyramids/text.h>

#include "check.h"
#include "letters.h"

struct spoiled {
    const char *old, *new;       /* the first `old` becomes `new`; old "" means: the new text comes first */
    const char *wanted;          /* LINE: message */
};

static char *spoil(const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    if (!CHECK(at != NULL)) {
        printf("# not in the text: %s\n", old);
        exit(1);
    }
    size_t before = (size_t)(at - text), size = strlen(text) + strlen(new) + 1;
    char *spoiled = malloc(size);
    snprintf(spoiled, size, "%.*s%s%s", (int)before, text, new, at + strlen(old));
    return spoiled;
}

static void say(const struct pyr_fault *fault, char *to, size_t size)
{
    int at = snprintf(to, size, "%u: ", (unsigned)fault->line);
    pyr_text_fault(fault, to + at, size - (size_t)at);
}

static const struct spoiled bad_editions[] = {
    /* Lines and words. */
    { "pyramids-edition 1", "pyramids-record 1", "1: wrong format: the first line must be 'pyramids-edition 1'" },
    { "pyramids-edition 1", "pyramids-edition 2", "1: unknown version of the format; expected: pyramids-edition 1" },
    { "pyramids-edition 1", "pyramids-edition 01", "1: '01' is not a plain number; expected: pyramids-edition 1" },
    { "pyramids-edition 1", "pyramids-edition", "1: the line ends too early; expected: pyramids-edition 1" },
    { "name plain", "nam plain", "2: unknown word 'nam'; expected: name | title | skulls | pattern | card" },
    { "name plain", "name plain box", "2: unexpected 'box'; expected: name NAME" },
    { "name plain", "name", "2: the line ends too early; expected: name NAME" },
    { "name plain", "name plain ", "2: unexpected ' '; expected: name NAME" },
    { "name plain", "name  plain", "2: a space too many or too few at byte 6; expected words separated by one space: name "
        "NAME" },
    { "name plain", " name plain", "2: a space too many or too few at byte 1; expected words separated by one space: name "
        "| title | skulls | pattern | card" },
    { "name plain", "name plain\nname again", "3: 'name' is defined twice (first on line 2)" },
    { "name plain", "name abcdefghijklmnopqrstuvwxyzabcdef",
        "2: 'abcdefghijklmnopqrstuvwxyzabcdef' is too long; expected at most 31 bytes" },
    { "name plain", "name\tplain", "2: byte 5 of the line is not part of a printable UTF-8 character" },
    { "title For tests", "title For \xff", "3: byte 11 of the line is not part of a printable UTF-8 character" },
    { "title For tests", "title", "3: the line ends too early; expected: title TEXT" },
    { "title For tests\n", "", "361: a line is missing; expected: title TEXT" },
    /* Skulls. */
    { "skulls 1 2 3", "skulls 1 2 1", "4: a skull costs less than the one before it; penalties must not decrease (R3)" },
    { "skulls 1 2 3", "skulls 1 2 -3", "4: '-3' is not a plain number; expected: skulls N N N N N N N N N N" },
    { "skulls 1 2 3", "skulls 1 2 1000", "4: the number 1000 is out of range; expected 0 to 999" },
    { "skulls 1 2 3", "skulls 1 2 99999999999999999999",
        "4: the number 99999999999999999999 is out of range; expected 0 to 999" },
    { "skulls 1 2 3", "skulls 1 2", "4: the line ends too early; expected: skulls N N N N N N N N N N" },
    { "skulls 1 2 3", "skulls 1 1 2 3", "4: unexpected '18'; expected: skulls N N N N N N N N N N" },
    /* Patterns. */
    { "pattern I2 1\nXX\n", "pattern I2 1\nXX\nX\n",
        "8: 'X' is not a row of a pattern; expected up to four of X and ., rows of one length, then a blank line" },
    { "pattern I2 1\nXX\n", "pattern I2 1\nXx\n",
        "7: 'Xx' is not a row of a pattern; expected up to four of X and ., rows of one length, then a blank line" },
    { "pattern I2 1\nXX\n", "pattern I2 1\nXXXXX\n",
        "7: 'XXXXX' is not a row of a pattern; expected up to four of X and ., rows of one length, then a blank line" },
    { "pattern I2 1\nXX\n", "pattern I2 1\n\nXX\n",
        "8: unknown word 'XX'; expected: name | title | skulls | pattern | card" },
    { "pattern I2 1\nXX\n", "pattern I2 1\nX\n", "6: pattern I2 has the wrong size; expected 2 to 4 spaces (R2)" },
    { "pattern I2 1\nXX\n", "pattern I2 1\nX.\n.X\n",
        "6: the spaces of pattern I2 are not all connected side to side (R2)" },
    { "pattern I2 1\nXX\n", "pattern I2 1\nXX.\n",
        "6: pattern I2 has an empty outer row or column; expected it drawn without one (R2)" },
    { "pattern I2 1\nXX\n", "pattern I2 1\n..\nXX\n",
        "6: pattern I2 has an empty outer row or column; expected it drawn without one (R2)" },
    { "pattern I2 1\nXX\n", "pattern J3 1\n.X\nXX\n",
        "13: pattern V3 is pattern J3 turned or mirrored; expected six different patterns (R2)" },
    { "pattern I2 1", "pattern I3 1", "9: two patterns have the name I3; expected six different names" },
    { "pattern I2 1", "pattern I2 2",
        "362: the patterns do not make eight expedition cards; expected copies that add up to 8 (R2)" },
    { "pattern I2 1", "pattern I2 0", "6: the number 0 is out of range; expected 1 to 8" },
    { "pattern I2 1", "pattern I2", "6: the line ends too early; expected: pattern NAME COPIES" },
    { "pattern I2 1\nXX\n", "", "360: the number of patterns is 5; expected six (R2)" },
    { "card 1 orange", "pattern S4 1\nXX.\n.XX\n\ncard 1 orange", "28: the number of patterns is 7; expected six (R2)" },
    /* Cards. */
    { "card 1 orange", "card 49 orange", "28: the number 49 is out of range; expected 1 to 48" },
    { "card 1 orange", "card 2 orange", "35: 'card 2' is defined twice (first on line 28)" },
    { "card 1 orange", "card 1 red", "28: 'red' is not a colour; expected green, orange or purple" },
    { "card 1 orange", "card 1 green", "362: the number of green cards is 17; expected 16 of each colour (R1)" },
    { "v####\n", "v###\n", "29: 'v###' is not a row of card 1; expected five of # . v T x r e f s p" },
    { "v####\n", "v###X\n", "29: 'v###X' is not a row of card 1; expected five of # . v T x r e f s p" },
    { "v####\n", "#####\n", "28: card 1: expected exactly one entrance v, in the top row (R1)" },
    { "v####\n", "vv###\n", "28: card 1: expected exactly one entrance v, in the top row (R1)" },
    { "v####\n..r..\n", ".####\nv.r..\n", "28: card 1: expected exactly one entrance v, in the top row (R1)" },
    { "#erT.\n", "#er..\n", "28: card 1: expected exactly one tomb T, in the bottom row (R1)" },
    { "v####\n..r..\n", "v####\n#.r..\n", "28: the open spaces of card 1 are not all connected side to side (R1)" },
};

TEST("bad editions are refused with line, cause and what was expected")
{
    static struct pyr_edition edition;
    size_t size;
    char *good = check_file("tests/data/plain.edition", &size);
    struct pyr_fault fault;
    CHECK_INT(pyr_edition_read(&edition, good, size, &fault), PYR_OK);
    for (size_t i = 0; i < sizeof bad_editions / sizeof *bad_editions; i++) {
        const struct spoiled *bad = &bad_editions[i];
        char *text = spoil(good, bad->old, bad->new), sentence[512] = "accepted";
        if (pyr_edition_read(&edition, text, strlen(text), &fault))
            say(&fault, sentence, sizeof sentence);
        CHECK_STR(sentence, bad->wanted);
        free(text);
    }
    free(good);
}

TEST("an edition that stops early says what is missing")
{
    static struct pyr_edition edition;
    static const struct {
        size_t lines;
        const char *wanted;
    } cut[] = {
        { 0, "1: wrong format: the first line must be 'pyramids-edition 1'" },
        { 1, "1: a line is missing; expected: name NAME" },
        { 3, "3: a line is missing; expected: skulls N N N N N N N N N N" },
        { 27, "27: card 1 is missing; expected cards 1 to 48" },
        { 31, "31: the text ends in the middle of card 1; expected five rows" },
    };
    size_t size;
    char *good = check_file("tests/data/plain.edition", &size);
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        struct pyr_fault fault;
        char sentence[512] = "accepted";
        size_t at = 0;
        for (size_t line = 0; line < cut[i].lines; line++)
            at = (size_t)(strchr(good + at, '\n') - good) + 1;
        if (pyr_edition_read(&edition, good, at, &fault))
            say(&fault, sentence, sizeof sentence);
        CHECK_STR(sentence, cut[i].wanted);
    }
    free(good);
}

static const struct spoiled bad_records[] = {
    /* The header. */
    { "pyramids-record 1", "pyramids-edition 1", "1: wrong format: the first line must be 'pyramids-record 1'" },
    { "pyramids-record 1", "pyramids-record 2", "1: unknown version of the format; expected: pyramids-record 1" },
    { "pyramids-record 1", "pyramids-record 1\npyramids-record 1", "2: unexpected line; expected: edition plain" },
    { "edition plain", "edition other", "2: the record uses edition 'other'; expected: edition plain" },
    { "edition plain\n", "", "2: unexpected line; expected: edition plain" },
    { "player 1 random 2\n", "player 2 random 2\n", "3: wrong seat; expected: player 1 NAME" },
    { "player 1 random 2\n", "player 1\n", "3: the line ends too early; expected: player SEAT NAME" },
    { "player 1 random 2\n", "player 5 random 2\n", "3: the number 5 is out of range; expected 1 to 4" },
    { "player 2 greedy 1\n", "", "4: a game has 2 to 4 players; expected: player 2 NAME" },
    { "player 2 greedy 1\n", "player 2 B\nplayer 3 C\nplayer 4 D\nplayer 4 E\n",
        "7: a game has 2 to 4 players; expected: deal 1 C C C C" },
    { "edition plain\n", "edition plain\ntag date\n", "3: the line ends too early; expected: tag NAME VALUE" },
    { "edition plain\n", "edition plain\nnote this\n", "3: unknown word 'note'; expected a line of a game record" },
    /* Setting up. */
    { "deal 1 19 30 4 5", "deal 1 19 30 4", "5: the line ends too early; expected: deal SEAT C C C C" },
    { "deal 1 19 30 4 5", "deal 1 19 30 4 5 6", "5: unexpected '6'; expected: deal SEAT C C C C" },
    { "deal 1 19 30 4 5", "deal 1 19 30 4 49", "5: the number 49 is out of range; expected 1 to 48" },
    { "deal 1 19 30 4 5", "deal 1 19 30 4 4", "5: card 4 has already been dealt; expected four different cards (R4)" },
    { "deal 2 23", "deal 2 19", "6: card 19 has already been dealt; expected four different cards (R4)" },
    { "deal 2 23", "deal 1 23", "6: wrong seat; expected: deal 2 C C C C" },
    { "keep 1 5 19", "keep 1 5 23",
        "7: card 23 was not dealt to this player; expected two different cards of the four dealt (R4)" },
    { "keep 1 5 19", "keep 1 5 5", "7: card 5 was not dealt to this player; expected two different cards of the four "
        "dealt (R4)" },
    { "keep 1 5 19", "keep 2 23 44", "7: wrong seat; expected: keep 1 C C" },
    { "keep 1 5 19\n", "", "7: wrong seat; expected: keep 1 C C" },
    { "show 20 45 13 7", "show 20 45 13", "9: the display lacks 4, not 3; expected: show C C C C (R12)" },
    { "show 20 45 13 7", "show 20 45 13 23", "9: card 23 is not in the deck; expected a card not seen yet (R5)" },
    { "show 20 45 13 7", "show 20 45 13 13", "9: card 13 is not in the deck; expected a card not seen yet (R5)" },
    { "show 20 45 13 7\n", "", "9: unexpected line; expected: show C C C C" },
    /* Turns. */
    { "reveal I4", "reveal T4", "10: the edition has no pattern 'T4'; expected the name of one of its six" },
    { "reveal L4", "reveal", "13: the line ends too early; expected: reveal PATTERN" },
    { "reveal O4\nmark 1 5:c3", "reveal I4\nmark 1 5:c3",
        "21: all 2 expedition cards with pattern I4 have already been revealed this round; expected another pattern (R6)" },
    { "mark 1 5:b1\n", "mark 2 23:b1\n", "11: wrong seat; expected: mark 1 MOVE" },
    { "mark 1 5:b1\n", "reveal L4\n", "11: unexpected line; expected: mark 1 MOVE" },
    { "mark 1 5:b1\n", "mark 1 -\n", "11: a pass where something can be marked; expected a mark (R8)" },
    { "mark 1 5:b1\n", "mark 1 6:b1\n",
        "11: card 6 does not belong to this player; expected one of the player's own cards (R8)" },
    { "mark 1 5:b1\n", "mark 1 5:a1\n",
        "11: 5:a1 does not include the entrance; expected it in the first mark on a card (R10)" },
    { "mark 1 5:b1\n", "mark 1 5:b1c1\n",
        "11: 5:b1c1 is not the revealed pattern, turned or mirrored; expected the whole pattern or one space (R8)" },
    { "mark 1 5:b1\n", "mark 1 5:d1\n", "11: 5:d1 includes a wall; expected open spaces only (R9)" },
    { "mark 1 5:b1\n", "mark 1 5:f1\n",
        "11: '5:f1' does not name spaces; expected columns a to e and rows 1 to 5, as in 17:a1b1a2" },
    { "mark 1 5:b1\n", "mark 1 5:b\n",
        "11: '5:b' does not name spaces; expected columns a to e and rows 1 to 5, as in 17:a1b1a2" },
    { "mark 1 5:b1\n", "mark 1 5:c1b1\n",
        "11: the spaces of '5:c1b1' are not in reading order; expected row by row, each once, as in 17:a1b1a2" },
    { "mark 1 5:b1\n", "mark 1 5:b1b1\n",
        "11: the spaces of '5:b1b1' are not in reading order; expected row by row, each once, as in 17:a1b1a2" },
    { "mark 1 5:b1\n", "mark 1 05:b1\n",
        "11: '05:b1' is not a move; expected CARD:SPACES, extra marks as +CARD:SPACE, or -" },
    { "mark 1 5:b1\n", "mark 1 b1\n", "11: 'b1' is not a move; expected CARD:SPACES, extra marks as +CARD:SPACE, or -" },
    { "mark 1 5:b1\n", "mark 1 5:b1+\n",
        "11: '5:b1+' is not a move; expected CARD:SPACES, extra marks as +CARD:SPACE, or -" },
    { "mark 1 5:b1\n", "mark 1 5:b1+5:c1\n",
        "11: no cross allows the extra mark 5:c1; expected the move to end before it (R11)" },
    { "23:b1c1d1e1+23:b2", "23:b1c1d1e1", "12: 1 extra mark is missing; expected +CARD:SPACE for every cross (R11)" },
    { "23:b1c1d1e1+23:b2", "23:b1c1d1e1+23:b2d2",
        "12: the extra mark 23:b2d2 has more than one space; expected exactly one (R11)" },
    { "mark 1 5:c1a2b2c2", "mark 1 5:b1",
        "14: 5:b1 includes a space that is already marked; expected unmarked spaces only (R9)" },
    { "mark 1 5:c1a2b2c2", "mark 1 5:e2",
        "14: 5:e2 does not share a side with a marked space; expected one that does (R10)" },
    /* Replacing. */
    { "take 2 7\n", "take 2 8\n", "19: card 8 is not in the display; expected one that is (R12)" },
    { "take 2 7\n", "draw 2 7\n", "19: card 7 is not in the deck; expected a card not seen yet (R5)" },
    { "take 2 7\n", "take 1 7\n", "19: wrong seat; expected: take 2 C, draw 2 C" },
    { "take 2 7\n", "", "19: unexpected line; expected: take 2 C, draw 2 C" },
    { "take 2 7\nshow 41\n", "take 2 7\n", "20: unexpected line; expected: show C" },
    { "show 41\n", "show 41 42\n", "20: the display lacks 1, not 2; expected: show C (R12)" },
    /* What the rules derive. */
    { "points 2 purple 10\n", "points 2 purple 6\n", "51: wrong pyramid points; expected: points 2 purple 10 (R14)" },
    { "points 2 purple 10\n", "points 2 pink 10\n", "51: 'pink' is not a colour; expected green, orange or purple" },
    { "points 2 purple 10\n", "", "51: unexpected line; expected: points 2 purple 10" },
    { "score 1 43", "score 1 44", "119: wrong score; expected: score 1 43 pyramids 30 torches 10 points 0 gems 5 skulls "
        "-2 (R16)" },
    { "score 1 43 pyramids", "score 1 43 piramids",
        "119: unknown word 'piramids'; expected: score SEAT N pyramids N torches N points N gems N skulls N" },
    { "score 1 43 pyramids", "score 2 43 pyramids",
        "119: wrong seat; expected: score 1 43 pyramids 30 torches 10 points 0 gems 5 skulls -2" },
    { "skulls -2", "skulls -0", "119: '-0' is not a plain number; expected: score SEAT N pyramids N torches N points N "
        "gems N skulls N" },
    { "winner 2", "winner 1", "121: wrong winner; expected: winner 2 (R17)" },
    { "winner 2", "winner 1 2", "121: wrong winner; expected: winner 2 (R17)" },
    { "winner 2", "winner 2 1", "121: the number 1 is out of range; expected 3 to 4" },
    { "winner 2\n", "winner 2\nreveal I4\n", "122: the game is over; expected only tags after this" },
};

TEST("bad records are refused with line, cause, what was expected and the rule")
{
    static struct pyr_edition edition;
    size_t size;
    char *box = check_file("tests/data/plain.edition", &size);
    CHECK_INT(pyr_edition_read(&edition, box, size, NULL), PYR_OK);
    char *good = check_file("tests/data/plain-2.pyr", &size);
    struct pyr_replay replay;
    struct pyr_fault fault;
    pyr_replay_init(&replay, PYR_NOBODY);
    CHECK_INT(pyr_record_read(&replay, &edition, good, size, &fault), PYR_OK);
    CHECK_INT(replay.stage, PYR_STAGE_OVER);
    for (size_t i = 0; i < sizeof bad_records / sizeof *bad_records; i++) {
        const struct spoiled *bad = &bad_records[i];
        char *text = spoil(good, bad->old, bad->new), sentence[512] = "accepted";
        pyr_replay_init(&replay, PYR_NOBODY);
        if (pyr_record_read(&replay, &edition, text, strlen(text), &fault))
            say(&fault, sentence, sizeof sentence);
        CHECK_STR(sentence, bad->wanted);
        free(text);
    }
    free(good);
    free(box);
}

TEST("comments, blank lines, CR LF and tags are free")
{
    static struct pyr_edition edition;
    size_t size;
    char *box = check_file("tests/data/plain.edition", &size);
    CHECK_INT(pyr_edition_read(&edition, box, size, NULL), PYR_OK);
    char *good = check_file("tests/data/plain-2.pyr", &size), *free_text = malloc(3 * size);
    size_t at = 0;
    for (size_t i = 0; i < size; i++) {
        if (good[i] == '\n')
            free_text[at++] = '\r';
        free_text[at++] = good[i];
    }
    free_text[at] = '\0';
    char *text = spoil(free_text, "reveal L4", "; what now?\r\n\r\ntag mood  good, really\r\nreveal L4");
    struct pyr_replay replay;
    struct pyr_fault fault;
    pyr_replay_init(&replay, PYR_NOBODY);
    CHECK_INT(pyr_record_read(&replay, &edition, text, strlen(text), &fault), PYR_ERR_TEXT_SPACE);
    CHECK_INT(fault.line, 15);
    free(text);
    text = spoil(free_text, "reveal L4", "; what now?\r\n\r\ntag mood good, really\r\nreveal L4");
    pyr_replay_init(&replay, PYR_NOBODY);
    CHECK_INT(pyr_record_read(&replay, &edition, text, strlen(text), &fault), PYR_OK);
    CHECK_INT(replay.stage, PYR_STAGE_OVER);
    free(text);
    free(free_text);
    free(good);
    free(box);
}

TEST("every code has a sentence of its own")
{
    static const struct {
        int first, last;
    } groups[] = {
        { PYR_ERR_SEATS, PYR_ERR_STATE },       { PYR_ERR_PHASE, PYR_ERR_EXTRA_TOO_MANY },
        { PYR_ERR_PENALTY_FALLS, PYR_ERR_COLOUR_COUNT }, { PYR_ERR_TEXT_ENCODING, PYR_ERR_TEXT_FULL },
        { PYR_ERR_EDITION_ROW, PYR_ERR_EDITION_SAME_NAME }, { PYR_ERR_RECORD_EDITION, PYR_ERR_RECORD_OVER },
        { PYR_ERR_NOT_READY, PYR_ERR_NO_SUCH_LINE }, { PYR_ERR_ENV_OPTIONS, PYR_ERR_ENV_DATA },
    };
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        for (int code = groups[g].first; code <= groups[g].last; code++) {
            char sentence[512];
            pyr_text_error((enum pyr_err)code, sentence, sizeof sentence);
            CHECK(!strstr(sentence, "unknown error"));
        }
    }
}

TEST("a fault that does not fit its buffer is cut, not overrun")
{
    struct pyr_fault fault = { .code = PYR_ERR_WALL, .word = "17:a1a2" };
    for (size_t size = 1; size < 80; size++) {
        char to[80];
        memset(to, '!', sizeof to);
        pyr_text_fault(&fault, to, size);
        CHECK(strlen(to) < size);
        CHECK_INT(to[size], '!');
    }
}

TEST("plural forms of languages with many")
{
    static const struct {
        const char *expression;
        unsigned long n[6], form[6];
    } cases[] = {
        { "(n != 1)", { 0, 1, 2, 5, 11, 100 }, { 1, 0, 1, 1, 1, 1 } },
        { "(n > 1);", { 0, 1, 2, 5, 11, 1000000 }, { 0, 0, 1, 1, 1, 1 } },
        { "0", { 0, 1, 2, 5, 11, 100 }, { 0, 0, 0, 0, 0, 0 } },
        { "(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2)", { 1, 2, 5, 12, 22, 25 },
            { 0, 1, 2, 2, 1, 2 } },
        { "n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2\n", { 1, 11, 21, 23, 13, 100 },
            { 0, 2, 0, 1, 2, 2 } },
        { "n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5", { 0, 1, 2, 7, 11, 100 },
            { 0, 1, 2, 3, 4, 5 } },
        { "!(n - 2) + n / 0 * n % 0", { 0, 1, 2, 3, 4, 5 }, { 0, 0, 1, 0, 0, 0 } },
        { "n==1 || n==2 && n==3", { 0, 1, 2, 3, 4, 5 }, { 0, 1, 0, 0, 0, 0 } },
        { "((((", { 0, 1, 2, 3, 4, 5 }, { 0, 0, 0, 0, 0, 0 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < 6; k++)
            CHECK_INT(pyr_text_plural(cases[i].expression, cases[i].n[k]), cases[i].form[k]);
    char deep[5000];
    memset(deep, '(', sizeof deep);
    deep[sizeof deep - 1] = '\0';
    pyr_text_plural(deep, 1);
    memset(deep, '!', sizeof deep - 1);
    pyr_text_plural(deep, 1);
    for (size_t i = 0; i + 2 < sizeof deep; i += 2)
        memcpy(deep + i, "1?", 2);
    pyr_text_plural(deep, 1);
}

TEST("numbers and tables")
{
    char to[PYR_NUMBER_SIZE], text[100] = "";
    CHECK_STR(pyr_text_number(to, 12.345, 1, false), "12.3");
    CHECK_STR(pyr_text_number(to, 12.345, 0, true), "+12");
    CHECK_STR(pyr_text_number(to, -0.5, 2, true), "-0.50");
    CHECK_STR(pyr_text_percent(to, 7, 1, false), "7.0%");
    CHECK_INT(strlen(pyr_text_number(to, 1e300, 2, false)) < sizeof to, 1);
    FILE *file = tmpfile();
    struct pyr_column column[] = { { "größe", 0, -3 }, { "höhe", 2, 2 }, { "rest", 1, 0 } };
    pyr_text_heading(file, column, 3);
    pyr_text_cell(file, &column[0], "%s", "ä");
    pyr_text_cell(file, &column[1], "%d", 17);
    pyr_text_cell(file, &column[2], "%s\n", "wörter");
    rewind(file);
    CHECK(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    CHECK_STR(text, "größe  höhe rest\nä        17 wörter\n");
}

static char *flow(const char *text, int columns, int hang)
{
    static char flowed[400];
    FILE *file = tmpfile();
    pyr_text_flow(file, text, columns, hang);
    rewind(file);
    flowed[fread(flowed, 1, sizeof flowed - 1, file)] = '\0';
    fclose(file);
    return flowed;
}

TEST("texts flow into a width")
{
    CHECK_STR(flow("one two three four", 9, 2), "one two\n  three\n  four");
    CHECK_STR(flow("one\ntwo\n\nthree\n", 20, 0), "one two\n\nthree\n");
    CHECK_STR(flow("  -a  größe größe größe\n  -b  x\n", 17, 6), "  -a  größe größe\n      größe\n  -b  x\n");
    CHECK_STR(flow("Head:\n  17 22   keep these two\n  end  all\nTail\n", 16, 0),
        "Head:\n  17 22   keep\n          these\n          two\n  end  all\nTail\n");
    CHECK_STR(flow("go [--player N] [--seed S] x", 16, 3), "go [--player N]\n   [--seed S] x");
    CHECK_STR(flow("averylongword indeed", 5, 1), "averylongword\n indeed");
    CHECK_STR(flow("[open and never closed", 9, 0), "[open and never closed");
    CHECK_STR(flow("", 5, 1), "");
}

TEST("widths are columns of a terminal, not characters")
{
    static const struct {
        const char *text;
        int columns;
    } cases[] = { { "Ana", 3 }, { "Zoë", 3 }, { "日本", 4 }, { "e\u0301", 1 }, { "\u1100\u1161", 2 },
        /* terminals do not join the three emoji of a family */
        { "👨\u200d👩\u200d👧", 6 }, { "", 0 } };
    pyr_text_measure(letters_columns);                   /* as every program does when it starts */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_INT(pyr_text_width(cases[i].text, strlen(cases[i].text)), cases[i].columns);
    CHECK_INT(pyr_text_width("日本", 3), 2);             /* as many bytes as were given */
    CHECK_STR(flow("日本 日本 日本", 9, 0), "日本 日本\n日本");
    CHECK_STR(flow("e\u0301e\u0301 e\u0301e\u0301 e\u0301", 7, 0), "e\u0301e\u0301 e\u0301e\u0301 e\u0301");
}

static char *score_table(const char *first, const char *second)
{
    static char text[2000];
    static struct pyr_box box;
    struct pyr_table table = { .seats = 2 };
    struct pyr_word names[] = { pyr_word_of(first), pyr_word_of(second) };
    FILE *file = tmpfile();
    pyr_text_scores(file, &box, &table, names);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

TEST("a table of scores is straight with names of any script")
{
    pyr_text_measure(letters_columns);
    static const char *const names[] = { "日本太郎", "e\u0301e\u0301e\u0301e\u0301e\u0301", "👨\u200d👩\u200d👧 & Zoë" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int first = -1, columns = 0;
        for (char *line = score_table(names[i], "Ana"); *line; line += strcspn(line, "\n") + 1, first = columns) {
            columns = letters_columns(line, strcspn(line, "\n"));
            CHECK(first < 0 || columns == first);
        }
        CHECK(first > 0);
    }
}

TEST("numbers: signs where they are asked for, and none on nothing")
{
    static const struct {
        double value;
        unsigned digits;
        bool sign;
        const char *text;
    } cases[] = { { 1.25, 1, true, "+1.2" }, { -1.25, 1, false, "-1.2" }, { -0.04, 1, true, "0.0" },
        { 0.04, 1, true, "0.0" }, { -0.04, 2, false, "-0.04" },
        { -0.4, 0, true, "0" }, { 0, 1, false, "0.0" }, { -10, 0, true, "-10" } };
    char to[PYR_NUMBER_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_STR(pyr_text_number(to, cases[i].value, cases[i].digits, cases[i].sign), cases[i].text);
}

TEST("players are called by their names, and nobody is you")
{
    static const char *const cases[][2] = { { "Ana", "Ana" }, { "You", "Player" }, { "Player", "Player" },
        { "club 2", "club 2" }, { "Ana 2", "Ana 2" }, { "", "" },
        { "club 22", "club 22" }, { " 2", " 2" } };
    char to[PYR_MAX_PLAYER_NAME + 1];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pyr_text_player((struct pyr_word){ cases[i][0], strlen(cases[i][0]) }, to, sizeof to);
        CHECK_STR(to, cases[i][1]);
    }
}

TEST("languages: English is always there, and Accept-Language is weighed")
{
    CHECK_STR(pyr_text_code(), "en");
    CHECK_STR(pyr_text_language_at(0), "en");
    CHECK_STR(pyr_text_language_name("en"), "English");
    CHECK(pyr_text_language("en_GB.UTF-8"));
    CHECK(!pyr_text_language("zz"));
    CHECK(!pyr_text_language(""));
    CHECK(!pyr_text_language("e"));
    CHECK(!pyr_text_language("english"));
    CHECK_STR(pyr_text_accepted("zz, en-GB;q=0.5"), "en");
    CHECK(!pyr_text_accepted("zz;q=0.9,  , ;q=, en;q=0"));
    CHECK(!pyr_text_accepted(""));
    for (const char *const *odd = (const char *const[]){ "-", "_", "-1", "-de", "--", "_-_-_", "zz-", NULL }; *odd; odd++)
        CHECK(!pyr_text_accepted(*odd));
    CHECK_STR(pyr_text_accepted("-, -x-y;q=0.9, en--GB-;q=0.1"), "en");
    static const char *const cut[] = { "en;q=", "en;q=0", "en;q=0.", "en;q", "en;" };    /* a sanitizer finds a read
                                                                                            beyond the end */
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        char *exact = malloc(strlen(cut[i]) + 1);
        memcpy(exact, cut[i], strlen(cut[i]) + 1);
        const char *found = pyr_text_accepted(exact);
        CHECK_STR(found, i < 3 ? NULL : "en");
        free(exact);
    }
    CHECK(!pyr_text_accepted("en;q=0.000") && !pyr_text_accepted("en;q=.5"));
    CHECK_STR(pyr_text_accepted("zz;q=1.0, en;q=0.001"), "en");
    CHECK(!pyr_text_use("zz"));
    CHECK_STR(pyr_text_use(NULL), "en");
    CHECK(!pyr_text_use(NULL));
}

TEST("whatever comes from elsewhere is fit for a terminal")
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        { "", "" }, { "Zoë 日本語 🐫", "Zoë 日本語 🐫" },
        { "\x1b]0;owned\x07\x1b[31mred", "?]0;owned??[31mred" },       /* title, colour */
        { "a\nb\rc\td\x7f", "a?b?c?d?" },
        { "\xc2\x9b" "31m", "?31m" }, { "\x9b" "31m", "?31m" },         /* C1, as UTF-8 and as a byte */
        { "\xc0\x9b[", "??[" }, { "\xe0\x80\x9b[", "?[" }, { "\xf0\x80\x80\x9b[", "?[" },      /* overlong */
        { "\xed\xa0\x80", "?" }, { "\xf4\x90\x80\x80", "?" }, { "\xff\xfe", "??" }, { "a\xe2\x82", "a??" },
        { "evil\u202egnp.exe", "evil?gnp.exe" }, { "\u2066x\u2069\u200f\u061c", "?x???" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", cases[i].from);
        pyr_text_clean(text);
        CHECK_STR(text, cases[i].to);
    }
    char name[64];
    pyr_text_player((struct pyr_word){ "Ana\u202eneB", 9 }, name, sizeof name);
    CHECK_STR(name, "Ana?neB");
}

TEST("the story of a game, which the page tells in the same words")
{
    struct pyr_edition edition;
    struct pyr_event event;
    struct pyr_sentence sentence[PYR_MAX_SENTENCES];
    struct pyr_lines lines;
    size_t size, length;
    char *box = check_file("tests/data/plain.edition", &size), *game, *told, text[240];
    CHECK_INT(pyr_edition_read(&edition, box, size, NULL), PYR_OK);
    game = check_file("tests/data/plain-2.pyr", &size);
    told = check_file("tests/data/story.txt", &length);
    const char *wanted = told;
    unsigned turn = 0;
    pyr_lines_init(&lines, game, size);
    while (pyr_lines_next(&lines, false)) {
        CHECK(pyr_event_read(&event, &edition, &lines));
        unsigned count = pyr_story_read(&event, &edition.box, sentence);
        for (unsigned i = 0; i < count; i++) {
            pyr_text_sentence(&sentence[i], &edition, sentence[i].seat ? "Ben" : "Ana", turn, text, sizeof text);
            turn += sentence[i].kind == PYR_STORY_REVEAL;
            size_t line = strcspn(wanted, "\n");
            if (!CHECK(line == strlen(text) && !memcmp(wanted, text, line)))
                printf("# %s\n", text);
            wanted += line + (wanted[line] == '\n');
        }
    }
    CHECK_STR(wanted, "");
    CHECK_INT(turn, 28);
    free(told);
    free(game);
    free(box);
}

TEST("what a server refuses has a sentence for the terminal, or is nothing for people")
{
    CHECK_STR(pyr_text_refusal("banned"), "The operator of this server has banned you.");
    CHECK_STR(pyr_text_refusal("no_visitor"), "The server no longer recognises you.");
    CHECK(!pyr_text_refusal("bad_json") && !pyr_text_refusal(""));
}
