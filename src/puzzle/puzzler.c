/*
 * puzzler.c: rating, streak, seen puzzles and the puzzle of the day (puzzler.h).
 *
 * The text of a puzzler: `pyramids-puzzler 1`, then lines `rating THOUSANDTHS DEVIATION VOLATILITY`, `count SOLVED TRIED
 * STREAK BEST`, `day DAY DAYS RIGHT`, and `seen HEX`, the set of seen puzzles without its zeroes at the end.
 */
#include <pyramids/puzzler.h>

#include "inside.h"

#define HEADER "pyramids-puzzler 1"

void pyr_puzzler_init(struct pyr_puzzler *puzzler)
{
    *puzzler = (struct pyr_puzzler){ .skill = pyr_glicko_new() };
}

static bool read_seen(struct pyr_lines *lines, uint8_t *seen)
{
    struct pyr_word word;
    if (!pyr_lines_more(lines))
        return true;
    if (!pyr_lines_word(lines, &word) || word.length > PYR_PUZZLES / 4 || word.length % 2)
        return false;
    for (size_t i = 0; i < word.length; i += 2) {
        int high = pyr_hex_digit(word.at[i]), low = pyr_hex_digit(word.at[i + 1]);
        if (high < 0 || low < 0)
            return false;
        seen[i / 2] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* Up to four whole numbers of a line. */
static bool read_numbers(struct pyr_lines *lines, int32_t *to, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!pyr_lines_number(lines, 0, INT32_MAX, &to[i]))
            return false;
    return true;
}

static bool read_line(struct pyr_puzzler *p, struct pyr_lines *lines)
{
    struct pyr_word word;
    int32_t n[4] = { 0 };
    if (!pyr_lines_word(lines, &word))
        return false;
    if (pyr_word_is(word, "rating") && read_numbers(lines, n, 3)) {
        p->skill = (struct pyr_glicko){ n[0] / 1000.0, n[1] / 1000.0, n[2] / 1e6 };
        /* A rating that cannot be is that of a new player. */
        return n[0] <= 10000000 && n[1] >= 1000 && n[1] <= 350000 && n[2] >= 100 && n[2] <= 1000000;
    }
    if (pyr_word_is(word, "count") && read_numbers(lines, n, 4)) {
        p->solved = (uint32_t)n[0], p->tried = (uint32_t)n[1], p->streak = (uint32_t)n[2], p->best = (uint32_t)n[3];
        return true;
    }
    if (pyr_word_is(word, "day") && read_numbers(lines, n, 3)) {
        p->day = n[0], p->days = (uint32_t)n[1], p->day_right = n[2] != 0;
        return true;
    }
    return pyr_word_is(word, "seen") && read_seen(lines, p->seen);
}

bool pyr_puzzler_read(struct pyr_puzzler *puzzler, const char *text, size_t size)
{
    struct pyr_lines lines;
    struct pyr_puzzler read;
    pyr_puzzler_init(&read);
    pyr_puzzler_init(puzzler);
    pyr_lines_init(&lines, text, size);
    if (!pyr_lines_header(&lines, "pyramids-puzzler", HEADER))
        return false;
    while (pyr_lines_next(&lines, false))
        if (!read_line(&read, &lines))
            return false;
    if (lines.fault.code)
        return false;
    *puzzler = read;
    return true;
}

/* Whole numbers after a keyword. */
static void write_numbers(struct pyr_out *out, const char *name, const int32_t *numbers, unsigned count)
{
    pyr_out_text(out, name);
    for (unsigned i = 0; i < count; i++) {
        pyr_out_char(out, ' ');
        pyr_out_number(out, numbers[i]);
    }
    pyr_out_char(out, '\n');
}

void pyr_puzzler_write(const struct pyr_puzzler *p, struct pyr_out *out)
{
    int32_t rating = (int32_t)(p->skill.rating > 0 ? p->skill.rating * 1000 + 0.5 : 0);
    const int32_t skill[] = { rating, (int32_t)(p->skill.deviation * 1000 + 0.5),
        (int32_t)(p->skill.volatility * 1e6 + 0.5) };
    const int32_t count[] = { (int32_t)p->solved, (int32_t)p->tried, (int32_t)p->streak, (int32_t)p->best };
    const int32_t day[] = { p->day, (int32_t)p->days, p->day_right };
    unsigned last = PYR_PUZZLES / 8;
    pyr_out_text(out, HEADER "\n");
    write_numbers(out, "rating", skill, 3);
    write_numbers(out, "count", count, 4);
    write_numbers(out, "day", day, 3);
    while (last && !p->seen[last - 1])
        last--;
    pyr_out_text(out, last ? "seen " : "seen");
    for (unsigned i = 0; i < last; i++) {
        pyr_out_char(out, "0123456789abcdef"[p->seen[i] >> 4]);
        pyr_out_char(out, "0123456789abcdef"[p->seen[i] & 15]);
    }
    pyr_out_char(out, '\n');
}

double pyr_puzzler_answer(struct pyr_puzzler *p, const struct pyr_puzzle *puzzle, bool right, unsigned hints, int32_t day)
{
    double before = p->skill.rating;
    p->streak = right ? p->streak + 1 : 0;
    p->best = p->streak > p->best ? p->streak : p->best;
    if (day > 0 && day != p->day) {
        p->days = right ? (p->day == day - 1 && p->day_right ? p->days + 1 : 1) : 0;
        p->day = day;
        p->day_right = right;
    }
    if (!puzzle->number || puzzle->number > PYR_PUZZLES)
        return 0;
    unsigned bit = puzzle->number - 1;
    p->tried++;
    p->solved += right;
    /* Only the first meeting is rated: the answer is known afterwards. */
    if (p->seen[bit / 8] >> bit % 8 & 1)
        return 0;
    p->seen[bit / 8] |= (uint8_t)(1u << bit % 8);
    const struct pyr_glicko_result result = { puzzle->rating, PYR_PUZZLE_DEVIATION, right };
    p->skill = pyr_glicko_update(&p->skill, &result, 1, PYR_GLICKO_TAU);
    if (right && hints)
        p->skill.rating = before + (p->skill.rating - before) / 2;
    return p->skill.rating - before;
}

/* Steps of a fixed length through all numbers: 1,009 is a prime, so all come before one comes again unless it divides
 * `count`; then the next prime is taken. */
uint32_t pyr_puzzle_of_day(int32_t day, uint32_t count)
{
    count = count < PYR_PUZZLE_PACK ? count : PYR_PUZZLE_PACK;
    uint64_t step = count % 1009 ? 1009 : 1013;
    return (uint32_t)((uint64_t)(uint32_t)day * step % count) + 1;
}

/* The proleptic Gregorian calendar, in whole years that begin in March. */
int32_t pyr_puzzle_day(const char *date)
{
    static const uint8_t length[12] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    int part[3] = { 0 }, at = 0;
    for (unsigned i = 0; i < 10; i++) {
        if (i == 4 || i == 7 ? date[i] != '-' : date[i] < '0' || date[i] > '9')
            return -1;
        if (i == 4 || i == 7)
            at++;
        else
            part[at] = part[at] * 10 + date[i] - '0';
    }
    int year = part[0], month = part[1], day = part[2];
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (date[10] || year < 1970 || month < 1 || month > 12 || day < 1 || day > length[month - 1] - (month == 2 && !leap))
        return -1;
    int y = month > 2 ? year : year - 1, m = month > 2 ? month - 3 : month + 9;
    return y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 719468;
}

bool pyr_puzzle_find(struct pyr_puzzle *puzzle, const char *pack, size_t size, const char *edition, uint32_t number)
{
    struct pyr_lines lines;
    if (!pyr_puzzle_begin(&lines, pack, size, edition))
        return false;
    while (pyr_lines_next(&lines, false))
        if (!pyr_puzzle_read(puzzle, &lines))
            return false;
        else if (puzzle->number == number)
            return true;
    return false;
}

/* Of the puzzles that fit, one within 150 points of the rating if there is one, else the nearest; which of them depends on
 * how many have been tried, so that two players in a row do not get the same. */
uint32_t pyr_puzzler_pick(const struct pyr_puzzler *p, const char *pack, size_t size, const char *edition, uint8_t themes,
    bool again, uint32_t but)
{
    struct pyr_lines lines;
    struct pyr_puzzle puzzle;
    uint32_t chosen = 0, hash = 0;
    double least = 1e9;
    if (!pyr_puzzle_begin(&lines, pack, size, edition))
        return 0;
    while (pyr_lines_next(&lines, false) && pyr_puzzle_read(&puzzle, &lines)) {
        unsigned bit = puzzle.number - 1;
        double apart = puzzle.rating - p->skill.rating;
        uint32_t order = (puzzle.number ^ (p->tried + 1) * UINT32_C(2654435761)) * UINT32_C(2246822519);
        if ((themes && !(puzzle.themes & themes)) || (!again && p->seen[bit / 8] >> bit % 8 & 1))
            continue;
        apart = apart < 0 ? -apart : apart;
        apart = puzzle.number == but ? 1e8 : apart < 150 ? 150 : apart;
        if (apart < least || (apart <= least && order > hash))
            least = apart, hash = order, chosen = puzzle.number;
    }
    return chosen;
}
