/*
 * daily.c: dates, secrets and random numbers of the daily expedition; see daily.h. Freestanding, for the browser too. The
 * exact bytes are described in docs/daily.md and must never change: games of past days would be played with other cards.
 */
#include <pyramids/daily.h>

#include "sha256.h"

/* Days of a year before its months; the year begins in March, so that a leap day is its last. (H. Hinnant, "chrono-
 * Compatible Low-Level Date Algorithms".) */
static int32_t days_before_month(unsigned month_from_march)
{
    return (int32_t)(153 * month_from_march + 2) / 5;
}

static int32_t day_of(int32_t year, unsigned month, unsigned date)
{
    int32_t y = year - (month <= 2);
    int32_t era = y / 400, of_era = y - era * 400;
    int32_t of_year = days_before_month(month > 2 ? month - 3 : month + 9) + (int32_t)date - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static void split(int32_t day, int32_t *year, unsigned *month, unsigned *date)
{
    int32_t z = day + 719468, era = z / 146097, of_era = z - era * 146097;
    int32_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int32_t of_year = of_era - (365 * y + y / 4 - y / 100);
    unsigned m = (unsigned)(5 * of_year + 2) / 153;
    *date = (unsigned)(of_year - days_before_month(m) + 1);
    *month = m < 10 ? m + 3 : m - 9;
    *year = era * 400 + y + (*month <= 2);
}

static int32_t within(int32_t day)
{
    return day < 0 ? 0 : day > PYR_DAILY_LAST ? PYR_DAILY_LAST : day;
}

void pyr_daily_write_date(int32_t day, char to[PYR_DAILY_DATE])
{
    int32_t year;
    unsigned month, date;
    split(within(day), &year, &month, &date);
    const unsigned digits[8] = { (unsigned)year / 1000, (unsigned)year / 100 % 10, (unsigned)year / 10 % 10,
        (unsigned)year % 10, month / 10, month % 10, date / 10, date % 10 };
    for (unsigned i = 0, at = 0; i < 8; i++) {
        if (i == 4 || i == 6)
            to[at++] = '-';
        to[at++] = (char)('0' + digits[i]);
    }
    to[PYR_DAILY_DATE - 1] = '\0';
}

bool pyr_daily_read_date(const char *text, size_t length, int32_t *day)
{
    unsigned part[3] = { 0 }, at = 0;
    if (length != PYR_DAILY_DATE - 1)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (i == 4 || i == 7) {
            if (text[i] != '-')
                return false;
            at++;
        } else if (text[i] >= '0' && text[i] <= '9') {
            part[at] = 10 * part[at] + (unsigned)(text[i] - '0');
        } else {
            return false;
        }
    }
    if (part[0] < 1970 || part[1] < 1 || part[1] > 12 || part[2] < 1 || part[2] > 31)
        return false;
    int32_t year, found = day_of((int32_t)part[0], part[1], part[2]);
    unsigned month, date;
    split(found, &year, &month, &date);
    if (month != part[1] || date != part[2])
        return false;                        /* such as February 30 */
    *day = found;
    return true;
}

/* 1970-01-01 was a Thursday. */
int32_t pyr_daily_week(int32_t day)
{
    return day - (day + 3) % 7;
}

int32_t pyr_daily_month(int32_t day, unsigned *days)
{
    int32_t year;
    unsigned month, date;
    split(within(day), &year, &month, &date);
    int32_t first = day_of(year, month, 1);
    *days = (unsigned)(day_of(month == 12 ? year + 1 : year, month == 12 ? 1 : month + 1, 1) - first);
    return first;
}

void pyr_daily_practice(int32_t day, uint8_t secret[PYR_FAIR_BYTES])
{
    static const char words[] = "pyramids practice ";
    char date[PYR_DAILY_DATE];
    struct sha256 hash;
    pyr_daily_write_date(day, date);
    sha256_begin(&hash);
    sha256_add(&hash, words, sizeof words - 1);
    sha256_add(&hash, date, sizeof date - 1);
    sha256_end(&hash, secret);
}

void pyr_daily_chance(const uint8_t secret[PYR_FAIR_BYTES], const struct pyr_edition *edition, struct pyr_chance *chance)
{
    struct pyr_fair fair = { .numbers = 0 };
    __builtin_memcpy(fair.secret, secret, PYR_FAIR_BYTES);
    pyr_fair_chance(&fair, edition, PYR_DAILY_SEATS, chance);
    pyr_fair_wipe(&fair);
}

/* Derived from round, turn and phase instead of the number of lines: so in a record with other tags the bots choose the
 * same. */
uint64_t pyr_daily_seed(const uint8_t secret[PYR_FAIR_BYTES], const struct pyr_table *open, pyr_seat seat)
{
    char text[96];
    uint8_t hash[SHA256_BYTES];
    struct pyr_out out;
    struct mac mac;
    uint64_t seed = 0;
    pyr_out_init(&out, text, sizeof text);
    pyr_out_text(&out, "pyramids bot 1\nseat ");
    pyr_out_number(&out, seat + 1);
    pyr_out_text(&out, "\nround ");
    pyr_out_number(&out, open->round + 1);
    pyr_out_text(&out, "\nturn ");
    pyr_out_number(&out, open->turn + 1);
    pyr_out_text(&out, "\nphase ");
    pyr_out_text(&out, open->phase == PYR_KEEP ? "keep\n" : open->phase == PYR_MARK ? "mark\n" : "replace\n");
    mac_begin(&mac, secret);
    mac_add(&mac, text);
    mac_end(&mac, hash);
    for (unsigned i = 0; i < 8; i++)
        seed = seed << 8 | hash[i];
    return seed;
}

void pyr_daily_rng(uint64_t seed, pyr_seat seat, unsigned step, struct pyr_rng *rng)
{
    pyr_rng_seed(rng, seed, seat + (uint64_t)PYR_MAX_SEATS * step);
}
