/* test_fair.c: the fair shuffle against known answers of a second implementation, its uniformity, and the verifier
 * against tampering. */
#include "check.h"
#include "check_edition.h"

#include <pyramids/fair.h>
#include <sodium.h>

#include "../src/fair/sha256.h"

static struct pyr_edition classic, plain;
static struct pyr_match match;

__attribute__((constructor)) static void load_editions(void)
{
    check_edition(&classic, "editions/classic.edition");
    check_edition(&plain, "tests/data/plain.edition");
}

/* Known answers. */

/* One case of tests/data/fair.txt while it is read. */
struct known {
    const struct pyr_edition *edition;
    unsigned seats;
    struct pyr_fair fair;
    uint8_t key[PYR_FAIR_BYTES];
    struct pyr_chance chance;
};

static bool read_case(struct known *k, char *line)
{
    char word[80];
    unsigned index;
    int at = 0;
    if (sscanf(line, "case %79s %u", word, &index) == 2) {
        *k = (struct known){ .edition = !strcmp(word, "classic") ? &classic : &plain, .seats = index };
    } else if (sscanf(line, "secret %79s", word) == 1) {
        CHECK(pyr_fair_read_hex(word, strlen(word), k->fair.secret));
    } else if (sscanf(line, "number %u %79s", &index, word) == 2) {
        uint8_t number[PYR_FAIR_BYTES];
        if (strcmp(word, "-") && CHECK(pyr_fair_read_hex(word, strlen(word), number)))
            pyr_fair_add(&k->fair, (pyr_seat)index, number);
    } else if (sscanf(line, "key %79s", word) == 1) {
        char hex[PYR_FAIR_DIGITS + 1];
        pyr_fair_key(&k->fair, k->edition->name, k->seats, k->key);
        pyr_fair_write_hex(k->key, hex);
        CHECK_STR(hex, word);
        CHECK_INT(pyr_fair_chance(&k->fair, k->edition, k->seats, &k->chance), PYR_OK);
        CHECK_INT(pyr_chance_check(&k->chance, &k->edition->box, k->seats), PYR_OK);
    } else if (sscanf(line, "commitment %79s", word) == 1) {
        char hex[PYR_FAIR_DIGITS + 1];
        pyr_fair_commitment(k->fair.secret, hex);
        CHECK_STR(hex, word);
    } else if (!strncmp(line, "words ", 6)) {
        struct pyr_fair_stream stream;
        unsigned wanted, count = 0;
        pyr_fair_stream_init(&stream, k->key, "deal");
        for (line += 6; sscanf(line, "%u%n", &wanted, &at) == 1; line += at, count++)
            CHECK_INT(pyr_fair_word(&stream), wanted);
        CHECK_INT(count, 20);
    } else if (sscanf(line, "below %u %79[^:]:%n", &index, word, &at) == 2) {
        struct pyr_fair_stream stream;
        unsigned wanted, count = 0;
        pyr_fair_stream_init(&stream, k->key, word);
        for (line += at; sscanf(line, "%u%n", &wanted, &at) == 1; line += at, count++)
            CHECK_INT(pyr_fair_below(&stream, index), wanted);
        CHECK_INT(count, 12);
    } else {
        return false;
    }
    return true;
}

static unsigned read_cards(const char *line, const pyr_card *card, unsigned most)
{
    unsigned wanted, count = 0;
    int at;
    for (; count < most && sscanf(line, "%u%n", &wanted, &at) == 1; line += at, count++)
        CHECK_INT(card[count] + 1, wanted);
    return count;
}

static void read_shuffle(const struct known *k, const char *line)
{
    unsigned index;
    int at;
    if (sscanf(line, "deal %u%n", &index, &at) == 1 && index < PYR_MAX_SEATS) {
        CHECK_INT(read_cards(line + at, k->chance.dealt[index], PYR_DEALT), PYR_DEALT);
    } else if (!strncmp(line, "deck ", 5)) {
        CHECK_INT(read_cards(line + 5, k->chance.deck, PYR_CARDS), PYR_CARDS);
    } else if (CHECK(sscanf(line, "round %u%n", &index, &at) == 1 && index < PYR_ROUNDS)) {
        char name[PYR_MAX_PATTERN_NAME + 1];
        unsigned count = 0;
        for (line += at; count < PYR_EXPEDITIONS && sscanf(line, "%15s%n", name, &at) == 1; line += at)
            CHECK_STR(k->edition->pattern_name[k->chance.expedition[index][count++]], name);
        CHECK_INT(count, PYR_EXPEDITIONS);
    }
}

TEST("fair: the known answers of a second implementation") {
    size_t size;
    char *text = check_file("tests/data/fair.txt", &size);
    struct known known = { .seats = 0 };
    unsigned rounds = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (!read_case(&known, line))
            read_shuffle(&known, line);
        rounds += !strncmp(line, "round ", 6);
    }
    CHECK_INT(rounds, 8 * PYR_ROUNDS);
    free(text);
}

TEST("fair: hexadecimal digits are taken strictly") {
    uint8_t bytes[PYR_FAIR_BYTES] = { 0 }, again[PYR_FAIR_BYTES];
    char hex[PYR_FAIR_DIGITS + 1], longer[PYR_FAIR_DIGITS + 2];
    for (unsigned i = 0; i < PYR_FAIR_BYTES; i++)
        bytes[i] = (uint8_t)(i * 37 + 5);
    pyr_fair_write_hex(bytes, hex);
    CHECK(pyr_fair_read_hex(hex, PYR_FAIR_DIGITS, again) && !memcmp(bytes, again, sizeof bytes));
    CHECK(!pyr_fair_read_hex(hex, PYR_FAIR_DIGITS - 1, again));
    snprintf(longer, sizeof longer, "%s0", hex);
    CHECK(!pyr_fair_read_hex(longer, PYR_FAIR_DIGITS + 1, again));
    CHECK(!pyr_fair_read_hex("", 0, again));
    for (unsigned i = 0; i < PYR_FAIR_DIGITS; i++) {
        static const char bad[] = "AFGgx :/`@\n\xff";
        for (const char *c = bad; *c; c++) {
            char kept = hex[i];
            hex[i] = *c;
            CHECK(!pyr_fair_read_hex(hex, PYR_FAIR_DIGITS, again));
            hex[i] = kept;
        }
    }
    CHECK(!memcmp(bytes, again, sizeof bytes));
}

TEST("fair: every part of the message counts") {
    struct pyr_fair fair = { .secret = { 1 } }, other;
    uint8_t number[PYR_FAIR_BYTES] = { 0 };
    uint8_t key[8][PYR_FAIR_BYTES];
    pyr_fair_key(&fair, "classic", 2, key[0]);
    pyr_fair_key(&fair, "plain", 2, key[1]);
    pyr_fair_key(&fair, "classic", 3, key[2]);
    other = fair;
    other.secret[31] ^= 1;
    pyr_fair_key(&other, "classic", 2, key[3]);
    other = fair;
    pyr_fair_add(&other, 0, number);         /* a number of zeros is different from none */
    pyr_fair_key(&other, "classic", 2, key[4]);
    other = fair;
    pyr_fair_add(&other, 1, number);
    pyr_fair_key(&other, "classic", 2, key[5]);
    other = fair;
    number[31] = 1;
    pyr_fair_add(&other, 1, number);
    pyr_fair_key(&other, "classic", 2, key[6]);
    other = fair;
    pyr_fair_add(&other, 3, number);         /* a seat that does not play adds nothing */
    pyr_fair_key(&other, "classic", 2, key[7]);
    for (unsigned i = 0; i < 7; i++)
        for (unsigned j = 0; j < i; j++)
            CHECK(memcmp(key[i], key[j], PYR_FAIR_BYTES));
    CHECK(!memcmp(key[0], key[7], PYR_FAIR_BYTES));
}

TEST("fair: a drawn secret is fresh, and a wiped one gone") {
    struct pyr_fair a, b;
    const struct pyr_fair nothing = { .numbers = 0 };
    struct pyr_chance chance;
    CHECK(pyr_fair_draw(&a) && pyr_fair_draw(&b));
    CHECK(memcmp(a.secret, b.secret, sizeof a.secret) && memcmp(a.secret, nothing.secret, sizeof a.secret));
    CHECK_INT(a.numbers, 0);
    pyr_fair_wipe(&a);
    CHECK(!memcmp(&a, &nothing, sizeof a));
    CHECK_INT(pyr_fair_chance(&b, &plain, 1, &chance), PYR_ERR_SEATS);
    CHECK_INT(pyr_fair_chance(&b, &plain, 5, &chance), PYR_ERR_SEATS);
}

/* Uniformity. The secrets are fixed, so these pass always or never; chance exceeds the bounds less than once in 10^5
 * times. */

static double chi_square(const unsigned *count, unsigned cells, double expected)
{
    double sum = 0;
    for (unsigned i = 0; i < cells; i++)
        sum += (count[i] - expected) * (count[i] - expected) / expected;
    return sum;
}

TEST("fair: numbers below a bound are even") {
    static const unsigned bounds[] = { 2, 3, 6, 7, 48 };
    static const double limit[] = { 20, 24, 32, 34, 104 };
    uint8_t key[PYR_FAIR_BYTES] = { 42 };
    for (unsigned b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        struct pyr_fair_stream stream;
        unsigned count[48] = { 0 };
        pyr_fair_stream_init(&stream, key, "below");
        for (unsigned i = 0; i < 48000; i++)
            count[pyr_fair_below(&stream, bounds[b])]++;
        double chi = chi_square(count, bounds[b], 48000.0 / bounds[b]);
        if (!CHECK(chi < limit[b]))
            fprintf(stderr, "chi-square below %u: %.1f\n", bounds[b], chi);
    }
    /* With this bound a plain modulo would favour the lower third by a factor of two. */
    struct pyr_fair_stream stream;
    unsigned third[3] = { 0 };
    pyr_fair_stream_init(&stream, key, "wide");
    for (unsigned i = 0; i < 30000; i++)
        third[pyr_fair_below(&stream, 3000000000u) / 1000000000u]++;
    CHECK(chi_square(third, 3, 10000) < 24);
}

TEST("fair: orders of four are all equally likely") {
    struct pyr_fair_stream stream;
    uint8_t key[PYR_FAIR_BYTES] = { 43 };
    unsigned count[256] = { 0 }, seen[24], orders = 0;
    pyr_fair_stream_init(&stream, key, "orders");
    for (unsigned i = 0; i < 24000; i++) {
        uint8_t item[4] = { 0, 1, 2, 3 };
        pyr_fair_shuffle(&stream, item, 4);
        count[item[0] | item[1] << 2 | item[2] << 4 | item[3] << 6]++;
    }
    for (unsigned i = 0; i < 256; i++)
        if (count[i] && orders < 24)
            seen[orders++] = count[i];
    CHECK_INT(orders, 24);
    CHECK(chi_square(seen, orders, 1000) < 65);
}

TEST("fair: every card comes to every place") {
    static unsigned dealt[PYR_MAX_SEATS * PYR_DEALT * PYR_CARDS], top[PYR_CARDS * PYR_CARDS], last[PYR_PATTERNS];
    const unsigned games = 4800;
    for (unsigned game = 0; game < games; game++) {
        struct pyr_fair fair = { .secret = { (uint8_t)game, (uint8_t)(game >> 8) } };
        struct pyr_chance chance;
        pyr_fair_chance(&fair, &plain, 4, &chance);
        for (unsigned i = 0; i < PYR_MAX_SEATS * PYR_DEALT; i++)
            dealt[i * PYR_CARDS + chance.dealt[i / PYR_DEALT][i % PYR_DEALT]]++;
        for (unsigned i = 0; i < PYR_CARDS; i++)
            top[i * PYR_CARDS + chance.deck[i]]++;
        for (unsigned round = 0; round < PYR_ROUNDS; round++)
            last[chance.expedition[round][PYR_EXPEDITIONS - 1]]++;
    }
    double expected = (double)games / PYR_CARDS;
    /* 16 x 47 and 47 x 47 degrees of freedom: mean + 4.5 times sqrt(2 df). */
    CHECK(chi_square(dealt, PYR_MAX_SEATS * PYR_DEALT * PYR_CARDS, expected) < 752 + 4.5 * 38.8);
    CHECK(chi_square(top, PYR_CARDS * PYR_CARDS, expected) < 2209 + 4.5 * 66.5);
    for (unsigned p = 0; p < PYR_PATTERNS; p++) {
        double mean = games * PYR_ROUNDS * plain.box.pattern[p].copies / 8.0;
        CHECK(last[p] > mean * 0.9 && last[p] < mean * 1.1);
    }
}

/* Verifying. */

/* Plays a game of random choices to its end, with tags. */
static bool play_fair(struct pyr_match *m, const struct pyr_fair *fair, unsigned seats)
{
    static const char *const names[] = { "Ana", "Ben", "Cem", "Dee" };
    struct pyr_chance chance;
    struct pyr_rng rng;
    unsigned waiting;
    pyr_rng_seed(&rng, fair->secret[0], 7);
    CHECK_INT(pyr_fair_chance(fair, &plain, seats, &chance), PYR_OK);
    CHECK_INT(pyr_match_begin(m, &plain, seats, names), PYR_OK);
    CHECK_INT(pyr_fair_tags(fair, m), PYR_OK);
    CHECK_INT(pyr_match_deal(m, &chance), PYR_OK);
    CHECK_INT(pyr_fair_reveal(fair, m), PYR_ERR_PHASE);
    while ((waiting = pyr_match_waiting(m)) != 0) {
        pyr_seat seat = (pyr_seat)__builtin_ctz(waiting);
        struct pyr_steps steps;
        if (pyr_match_is_ready(m, seat)) {
            pyr_match_confirm(m, seat);
            continue;
        }
        pyr_match_steps(m, seat, &steps);
        if (!CHECK(steps.count > 0) || !CHECK_INT(pyr_match_step(m, seat, pyr_steps_pick(&steps, &plain.box, &rng)), PYR_OK))
            return false;
    }
    return CHECK(pyr_match_is_over(m)) && CHECK_INT(pyr_fair_reveal(fair, m), PYR_OK);
}

/* All seats but the last have a number. */
static struct pyr_fair some_fair(unsigned seats, uint8_t seed)
{
    struct pyr_fair fair = { .secret = { seed, 2, 3 } };
    for (unsigned s = 0; s + 1 < seats; s++) {
        uint8_t number[PYR_FAIR_BYTES] = { (uint8_t)(s + 1), 0xab };
        pyr_fair_add(&fair, (pyr_seat)s, number);
    }
    return fair;
}

static char text[PYR_LOG_SIZE + 1024];

/* The record with the first `what` replaced. */
static bool swap(const char *what, const char *with)
{
    char *at = strstr(match.log.text, what);
    if (!at)
        return false;
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - match.log.text), match.log.text, with, at + strlen(what));
    return true;
}

/* The number of the line that begins so, from 1. */
static uint32_t line_of(const char *start)
{
    for (uint32_t i = 0; i < match.log.lines; i++) {
        struct pyr_word line = pyr_match_line(&match, i);
        if (line.length >= strlen(start) && !strncmp(line.at, start, strlen(start)))
            return i + 1;
    }
    return 0;
}

static struct pyr_fair_report report;

static bool check_verdict(enum pyr_fair_code code, uint32_t line, const char *file, int at)
{
    pyr_fair_verify(&plain, text, strlen(text), &report);
    bool good = check_int(report.code, code, file, at, "the verdict");
    return check_int(report.line, line, file, at, "its line") && good;
}
#define VERDICT(code, line) check_verdict(code, line, __FILE__, __LINE__)

TEST("verify: games of 2 to 4 follow their shuffle") {
    unsigned draws = 0;
    for (unsigned seats = 2; seats <= 4; seats++) {
        for (uint8_t seed = 0; seed < 12; seed++) {
            struct pyr_fair fair = some_fair(seats, seed);
            if (!play_fair(&match, &fair, seats))
                return;
            snprintf(text, sizeof text, "%s", match.log.text);
            VERDICT(PYR_FAIR_GOOD, 0);
            CHECK_INT(report.deals, seats);
            CHECK_INT(report.reveals, PYR_ROUNDS * PYR_TURNS);
            CHECK_INT(report.numbers, seats - 1);
            CHECK_INT(report.seats, seats);
            CHECK(report.shows > 0);
            CHECK(!memcmp(&report.fair, &fair, sizeof fair));
            draws += report.draws;
        }
    }
    CHECK(draws > 20);
}

/* A line of chance with one card or pattern replaced by another, whether the rules allow it or not: both are reported as
 * a fault of the shuffle. */
static void change_line(const char *start)
{
    uint32_t number = line_of(start);
    if (!CHECK(number > 0))
        return;
    struct pyr_word line = pyr_match_line(&match, number - 1);
    char before[80], after[80];
    snprintf(before, sizeof before, "\n%.*s\n", (int)line.length, line.at);
    snprintf(after, sizeof after, "%s", before);
    if (start[0] == 'r') {
        const char *name = strstr(before, "I2") ? "V3" : "I2";
        snprintf(after, sizeof after, "\nreveal %s\n", name);
    } else {
        size_t end = strlen(after) - 2;
        after[end] = after[end] == '1' ? '2' : '1';
    }
    CHECK(swap(before, after));
    VERDICT(PYR_FAIR_CARDS, number);
    CHECK(strlen(report.expected) == line.length && !strncmp(report.expected, line.at, line.length));
}

TEST("verify: cards other than the shuffle's are told with their line") {
    bool drawn = false;
    for (uint8_t seed = 0; seed < 40 && !drawn; seed++) {
        struct pyr_fair fair = some_fair(3, seed);
        if (!play_fair(&match, &fair, 3))
            return;
        change_line("deal 1");
        change_line("deal 3");
        change_line("show");
        change_line("reveal");
        drawn = line_of("draw") > 0;
        if (drawn)
            change_line("draw");
    }
    CHECK(drawn);
}

TEST("verify: a secret or number that is another") {
    struct pyr_fair fair = some_fair(2, 1);
    if (!play_fair(&match, &fair, 2))
        return;
    uint32_t commitment = line_of("tag commitment"), number = line_of("tag number"), secret = line_of("tag secret");
    CHECK(swap("tag secret 01", "tag secret 02"));
    VERDICT(PYR_FAIR_MISMATCH, secret);
    CHECK_INT(report.other, commitment);
    CHECK(swap("tag number 1 01", "tag number 1 02"));
    VERDICT(PYR_FAIR_CARDS, line_of("deal 1"));
    CHECK(swap("tag number 1 01", "tag number 2 01"));
    VERDICT(PYR_FAIR_CARDS, line_of("deal 1"));
    CHECK(swap("tag number 1 01", "tag number 1 0"));
    VERDICT(PYR_FAIR_HEX, number);
    CHECK(swap("tag number 1 01", "tag number 1  01"));
    VERDICT(PYR_FAIR_HEX, number);
    CHECK(swap("tag number 1 01ab", "tag number 1 01Ab"));
    VERDICT(PYR_FAIR_HEX, number);
    CHECK(swap("tag commitment ", "tag commitment x"));
    VERDICT(PYR_FAIR_HEX, commitment);
    CHECK(swap("tag secret 01", "tag secret 01 "));
    VERDICT(PYR_FAIR_HEX, secret);
    CHECK(swap("tag number 1 ", "tag number 3 "));
    VERDICT(PYR_FAIR_SEAT, number);
    CHECK(swap("tag number 1 ", "tag number 0 "));
    VERDICT(PYR_FAIR_SEAT, number);
    CHECK(swap("tag number 1 ", "tag number "));
    VERDICT(PYR_FAIR_SEAT, number);
    CHECK(swap("tag number 1 ", "tag number 10 "));
    VERDICT(PYR_FAIR_SEAT, number);
}

/* Moves a line, found by its beginning, to before another one or to the end (NULL). With `copy` it also stays in place. */
static bool move_line(const char *start, const char *before, bool copy)
{
    uint32_t from = line_of(start), to = before ? line_of(before) : match.log.lines + 1;
    size_t length = 0;
    if (!from || !to)
        return false;
    text[0] = '\0';
    for (uint32_t i = 1; i <= match.log.lines + 1; i++) {
        for (int twice = 0; twice < 2; twice++) {
            uint32_t which = twice ? i : from;
            if (twice ? i > match.log.lines || (i == from && !copy) : i != to)
                continue;
            struct pyr_word line = pyr_match_line(&match, which - 1);
            memcpy(text + length, line.at, line.length);
            text[length + line.length] = '\n';
            length += line.length + 1;
        }
    }
    text[length] = '\0';
    return true;
}

TEST("verify: tags that are missing, doubled or out of place") {
    struct pyr_fair fair = some_fair(3, 2);
    if (!play_fair(&match, &fair, 3))
        return;
    uint32_t commitment = line_of("tag commitment"), number = line_of("tag number 2"), deal = line_of("deal 1"),
        lines = match.log.lines;
    CHECK(swap("tag commitment", "tag nothing"));
    VERDICT(PYR_FAIR_BEFORE_COMMITMENT, line_of("tag number 1"));
    snprintf(text, sizeof text, "pyramids-record 1\nedition plain\nplayer 1 a\nplayer 2 b\ndeal 1 1 2 3 4\n");
    VERDICT(PYR_FAIR_NO_COMMITMENT, 5);
    CHECK(swap("tag secret", "tag nothing"));
    VERDICT(PYR_FAIR_NO_SECRET, lines);
    CHECK(swap("winner", "tag x"));
    VERDICT(PYR_FAIR_EARLY, lines);
    CHECK(move_line("tag secret", "winner", false));
    VERDICT(PYR_FAIR_EARLY, lines - 1);
    CHECK(move_line("tag secret", NULL, true));
    VERDICT(PYR_FAIR_TWICE, lines + 1);
    CHECK_INT(report.other, lines);
    CHECK(move_line("tag commitment", "tag number 2", true));
    VERDICT(PYR_FAIR_TWICE, number);
    CHECK_INT(report.other, commitment);
    CHECK(move_line("tag number 1", "tag number 2", true));
    VERDICT(PYR_FAIR_TWICE, number);
    CHECK(move_line("tag number 2", "deal 2", false));
    VERDICT(PYR_FAIR_LATE, deal);
    CHECK(move_line("tag commitment", "deal 2", false));
    VERDICT(PYR_FAIR_BEFORE_COMMITMENT, commitment);
    CHECK(move_line("tag number 1", "tag commitment", false));
    VERDICT(PYR_FAIR_BEFORE_COMMITMENT, commitment);
    /* An unfinished game, cut at any line. */
    for (uint32_t count = deal; count + 2 < lines; count++) {
        snprintf(text, sizeof text, "%.*s", (int)match.log.start[count], match.log.text);
        VERDICT(PYR_FAIR_UNDER_WAY, count);
    }
}

TEST("verify: what is no record, or breaks the rules, is told as such") {
    struct pyr_fair fair = some_fair(2, 3);
    if (!play_fair(&match, &fair, 2))
        return;
    text[0] = '\0';
    pyr_fair_verify(&plain, text, 0, &report);
    CHECK_INT(report.code, PYR_FAIR_RECORD);
    CHECK_INT(report.fault.code, PYR_ERR_TEXT_HEADER);
    CHECK(swap("winner 1", "winner 2") || swap("winner 2", "winner 1"));
    VERDICT(PYR_FAIR_RECORD, line_of("winner"));
    CHECK_INT(report.fault.code, PYR_ERR_RECORD_WINNER);
    CHECK(swap("edition plain", "edition other"));
    VERDICT(PYR_FAIR_RECORD, 2);
    CHECK(swap("\nmark", "\nmork"));
    VERDICT(PYR_FAIR_RECORD, line_of("mark"));
    CHECK(swap("player 2 Ben\n", ""));
    VERDICT(PYR_FAIR_RECORD, line_of("deal 1") - 1);
    CHECK(swap("player 2 Ben\n", "player 2 Ben\nplayer 3 C\nplayer 4 D\nplayer 5 E\n"));
    VERDICT(PYR_FAIR_RECORD, line_of("player 2") + 3);
    /* Comments, blank lines and line ends of other systems make no difference. */
    CHECK(swap("\ndeal 1", "\r\n; a comment\n\n\ndeal 1"));
    pyr_fair_verify(&plain, text, strlen(text), &report);
    CHECK_INT(report.code, PYR_FAIR_GOOD);
}

TEST("verify: any bytes are answered") {
    struct pyr_fair fair = some_fair(4, 4);
    struct pyr_rng rng;
    if (!play_fair(&match, &fair, 4))
        return;
    pyr_rng_seed(&rng, 5, 5);
    for (unsigned i = 0; i < 1500; i++) {
        size_t size = match.log.start[match.log.lines];
        memcpy(text, match.log.text, size);
        unsigned changes = 1 + pyr_rng_below(&rng, 3);
        for (unsigned c = 0; c < changes; c++) {
            size_t at = pyr_rng_below(&rng, (uint32_t)(i % 2 ? 700 : size));
            if (pyr_rng_below(&rng, 3)) {
                text[at] = (char)pyr_rng_below(&rng, 256);
            } else {
                size_t gone = 1 + pyr_rng_below(&rng, 60);
                if (at + gone > size)
                    continue;
                memmove(text + at, text + at + gone, size - at - gone);
                size -= gone;
            }
        }
        enum pyr_fair_code code = pyr_fair_verify(&plain, text, size, &report);
        CHECK(code <= PYR_FAIR_CARDS && (code == PYR_FAIR_GOOD || report.line <= match.log.lines + 40));
    }
}

TEST("sha256: as libsodium has it, for every length around a block and in any pieces") {
    uint8_t data[300], mine[SHA256_BYTES], theirs[SHA256_BYTES], key[SHA256_BYTES];
    struct pyr_rng rng;
    pyr_rng_seed(&rng, 7, 7);
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(1 + pyr_rng_below(&rng, 255));
    for (size_t size = 0; size < sizeof data; size++) {
        struct sha256 hash;
        sha256_begin(&hash);
        for (size_t at = 0, piece; at < size; at += piece) {
            piece = 1 + pyr_rng_below(&rng, (uint32_t)(size - at));
            sha256_add(&hash, data + at, piece);
        }
        sha256_end(&hash, mine);
        crypto_hash_sha256(theirs, data, size);
        CHECK(!memcmp(mine, theirs, sizeof mine));

        char words[sizeof data];
        struct mac mac;
        memcpy(words, data, size);
        words[size] = '\0';
        memcpy(key, theirs, sizeof key);
        mac_begin(&mac, key);
        mac_add(&mac, words);
        mac_end(&mac, mine);
        crypto_auth_hmacsha256(theirs, data, size, key);
        CHECK(!memcmp(mine, theirs, sizeof mine));
    }
}
