/*
 * store_daily.h (store_daily.c): the days of the daily expedition in the database, and the attempts at them that count. For
 * jobs, as all of store.h. Days are counted from 1970 (pyramids/daily.h).
 */
#ifndef PYR_STORE_DAILY_H
#define PYR_STORE_DAILY_H

#include "store.h"

#define STORE_NO_POINTS (-1000)  /* of a game without a result, below any score */

struct store_day {
    int64_t day;
    int64_t number;              /* counted from 1 on the first day of this database */
    uint8_t secret[32];
    int64_t revealed;            /* when the secret was published, in seconds since 1970; 0: not yet */
    int64_t outage;              /* seconds without any server */
    int32_t master;              /* points of the bot on this day's cards; STORE_NO_POINTS: not played yet */
};

/* The state of an attempt, stored as these numbers. Expired: not finished in time; it does not count. */
enum store_attempt_state { STORE_ATTEMPT_RUNNING, STORE_ATTEMPT_OVER, STORE_ATTEMPT_EXPIRED };

struct store_attempt {
    int64_t day, visitor;
    char code[16];               /* of its table; "": the table was dropped */
    uint8_t state;               /* enum store_attempt_state */
    int32_t points;
    uint8_t place;               /* among the seats of its table, from 1 */
    uint8_t judged;              /* 0: not analysed yet, luck and rate are not set; 1: a first result; 2: the final one */
    double luck, rate;           /* in points; points lost per decision */
};

/* Creates the rows of a day and the next one, as far as they are missing. Several servers may do so at once: all get the
 * same rows. */
enum store_result store_make_days(struct store_db *db, int64_t today, int64_t now);
enum store_result store_get_day(struct store_db *db, int64_t day, struct store_day *found);
/* Days from one to another, in order; stops when `each` returns false, which makes no other call with db. */
enum store_result store_each_day(struct store_db *db, int64_t from, int64_t to, bool (*each)(void *context,
    const struct store_day *day), void *context);
enum store_result store_first_day(struct store_db *db, int64_t *day);        /* STORE_MISSING: there is none */
enum store_result store_last_revealed(struct store_db *db, int64_t *day);    /* 0: none is revealed */
/* Marks the secrets of all days up to this one as public. */
enum store_result store_reveal_days(struct store_db *db, int64_t until, int64_t now);
/* Notes a time without any server: adds it to the days it touches. */
enum store_result store_add_outage(struct store_db *db, int64_t from, int64_t to);

/* A visitor's attempt at a day; all of their attempts, the latest first. */
enum store_result store_get_attempt(struct store_db *db, int64_t day, int64_t visitor, struct store_attempt *attempt);
enum store_result store_each_attempt_of(struct store_db *db, int64_t visitor, bool (*each)(void *context,
    const struct store_attempt *attempt), void *context);
/* How often each score was reached on a day, lowest first. */
enum store_result store_each_result(struct store_db *db, int64_t day, bool (*each)(void *context, int32_t points,
    int64_t count), void *context);
/* Counts analysed results of a day with more points without luck than these. */
enum store_result store_count_better(struct store_db *db, int64_t day, double without_luck, int64_t *count);
/* Leaderboards: a visitor's place on each is stored with every result (table `standing`), so that a page of a board is
 * read in the order of an index, for any number of players. A board is for one of the periods, by_skill or not; with
 * STORE_BOARD_CLOSED it contains only days whose secrets are revealed. */
enum store_board { STORE_BOARD_DAY, STORE_BOARD_SKILL = 2, STORE_BOARD_WEEK = 4, STORE_BOARD_MONTH = 8,
    STORE_BOARD_CLOSED = 1 };
#define STORE_RANKED 10000       /* places that a board has */

struct store_standing {
    int64_t visitor;
    int64_t value;               /* tenths of a point: what the board is ordered by */
    int64_t points;              /* sums over the days that count */
    double luck, rate;           /* sum; mean over those that are analysed */
    unsigned days, judged;       /* days that count; of these, days that are analysed */
    char name[100], code[16];    /* of the table, on the board of a day; "": the table was dropped */
};
/* Updates a visitor's standings after a result of theirs on that day has changed; in the same transaction. */
enum store_result store_rank(struct store_db *db, int64_t day, int64_t visitor);
/* Rows of a board from a place on (0: the first), the best first. And one visitor's own row: STORE_MISSING if they have
 * none. */
enum store_result store_get_board(struct store_db *db, unsigned board, int64_t start, int64_t from, unsigned most,
    struct store_standing *rows, unsigned *count);
enum store_result store_get_standing(struct store_db *db, unsigned board, int64_t start, int64_t visitor,
    struct store_standing *row);
/* How many are listed, and how many have a higher value; both count to STORE_RANKED. */
enum store_result store_count_standings(struct store_db *db, unsigned board, int64_t start, int64_t *count);
enum store_result store_better_standings(struct store_db *db, unsigned board, int64_t start, int64_t value, int64_t *count);
/* The same board with only this visitor and those who have sat at a table with them; stops when `each` returns false. */
enum store_result store_each_of_people(struct store_db *db, unsigned board, int64_t start, int64_t visitor,
    bool (*each)(void *context, const struct store_standing *row), void *context);
/* Adds a day that was revealed at that time or before to the boards of revealed days, a few visitors per call. */
enum store_result store_settle(struct store_db *db, int64_t revealed);

/* The table of the oldest finished attempt without a final analysis. STORE_MISSING: none. And stores its result. */
enum store_result store_get_unjudged(struct store_db *db, int64_t *table, char code[16], uint8_t *judged);
enum store_result store_judge_attempt(struct store_db *db, int64_t table, double luck, double rate, uint8_t judged);
/* Claims for this server the latest day with a result whose cards `master` has not played yet. STORE_MISSING: none. */
enum store_result store_claim_master(struct store_db *db, int64_t node, int64_t now, struct store_day *day);
enum store_result store_put_master(struct store_db *db, int64_t day, int32_t points);

/* For store_commit: what a change of a table means for the attempt played there. STORE_TAKEN: there is one already. */
enum store_result store_commit_attempt(struct store_db *db, const struct store_commit *commit, int64_t table);

#endif
