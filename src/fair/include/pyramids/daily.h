/*
 * daily.h (daily.c): the daily expedition: one game for everyone, from one secret per day; docs/daily.md is its
 * specification.
 *
 * Days are counted from 1970-01-01 (day 0), in UTC. The cards follow from the day's secret as at any table (fair.h), with
 * no player's number; so do the random numbers of the bots. Nothing here has state.
 */
#ifndef PYR_DAILY_H
#define PYR_DAILY_H

#include <pyramids/fair.h>

PYR_BEGIN_DECLS

#define PYR_DAILY_SEATS 3                    /* the first is a person's */
#define PYR_DAILY_BOT "club"                 /* plays the others */
#define PYR_DAILY_EDITION "classic"
#define PYR_DAILY_SECONDS 86400              /* of a day */
#define PYR_DAILY_GRACE 10800                /* seconds after midnight until a game that was begun may be finished */
#define PYR_DAILY_DATE 11                    /* bytes of a date, with the end mark */
#define PYR_DAILY_LAST 2932896               /* 9999-12-31 */

/* A date as YYYY-MM-DD, and back. Reading accepts exactly this form, from 1970 to 9999: false for any other text, and then
 * *day is untouched. A day out of range is written as the nearest one. */
PYR_API void pyr_daily_write_date(int32_t day, char to[PYR_DAILY_DATE]);
PYR_API bool pyr_daily_read_date(const char *text, size_t length, int32_t *day);

/* The Monday of a day's week, and the first day of its month; and how many days the month has. */
PYR_API int32_t pyr_daily_week(int32_t day);
PYR_API int32_t pyr_daily_month(int32_t day, unsigned *days);

/* The secret of a practice deal, which everyone knows: it follows from the date alone. */
PYR_API void pyr_daily_practice(int32_t day, uint8_t secret[PYR_FAIR_BYTES]);

/* Every deal and shuffle of a day's game. */
PYR_API void pyr_daily_chance(const uint8_t secret[PYR_FAIR_BYTES], const struct pyr_edition *edition,
    struct pyr_chance *chance);

/* The random numbers of a bot for its choice on this table: the seed of the whole choice, and the generator for one step
 * of it (from 0). */
PYR_API uint64_t pyr_daily_seed(const uint8_t secret[PYR_FAIR_BYTES], const struct pyr_table *open, pyr_seat seat);
PYR_API void pyr_daily_rng(uint64_t seed, pyr_seat seat, unsigned step, struct pyr_rng *rng);

PYR_END_DECLS

#endif
