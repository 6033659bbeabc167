/*
 * luck.h (luck.c): was it luck or skill? What every decision of a game cost compared with the best choice, how lucky every
 * event of chance was for each player, and the totals, all with their margins. The one algorithm behind `pyramids analyze`,
 * the server's analysis, the terminal and the page. The same game, cap and seed give the same numbers everywhere.
 *
 * A decision is played until its mark is certain, or up to a cap. Random numbers follow from the position, so a mark that is
 * certain is the same with any larger cap, in a record with other names and tags, and while the game continues.
 *
 * A log is followed line by line (pyr_luck_follow), which gives tasks. Tasks do not depend on each other: they can be
 * rated in any order and by several threads (pyr_luck_decide, pyr_luck_measure), then added up in the order of the log
 * (pyr_luck_add_*).
 */
#ifndef PYR_LUCK_H
#define PYR_LUCK_H

#include <pyramids/analysis.h>
#include <pyramids/record.h>

PYR_BEGIN_DECLS

#define PYR_LUCK_BEST 5          /* best choices that are kept */

/* The cap that all clients use: worlds per decision, each played once for every choice that may still be the best. The quick
 * one gives a first result, which is refined later. */
#define PYR_LUCK_CAP 32768
#define PYR_LUCK_QUICK 512
#define PYR_LUCK_SEED 1          /* that all clients use */

/* X(name, sign, points, win): a decision gets the worst mark of which it certainly reaches either number. Hundredths of a
 * point, ten-thousandths of the chance to win. Best mark first. */
#define PYR_LUCK_MARKS(X) \
    X(dubious, "?!", 150, 200) \
    X(mistake, "?", 300, 500) \
    X(blunder, "??", 600, 1000)

enum pyr_luck_mark { PYR_LUCK_FINE = 0, PYR_LUCK_DUBIOUS = 1, PYR_LUCK_MISTAKE = 2, PYR_LUCK_BLUNDER = 3 };

struct pyr_luck_threshold {
    const char *sign;            /* "", "?!", "?", "??" */
    float points, win;
};

/* The thresholds of a mark. PYR_LUCK_FINE has no sign and no thresholds. */
PYR_API const struct pyr_luck_threshold *pyr_luck_threshold(enum pyr_luck_mark mark);

/* X(name, rate): a player who loses fewer points per decision (in hundredths) plays like this level, best first; beyond the
 * last: novice. The bounds are between the losses of the bots of these names (docs/bots.md). */
#define PYR_LUCK_LEVELS(X) X(master, 7) X(expert, 25) X(club, 75) X(casual, 140)

/* The level of an error rate, in points lost per decision: master, expert, club, casual or novice (not translated). */
PYR_API const char *pyr_luck_level(float rate);

/* One thing to rate: a decision, or an event of chance. */
struct pyr_luck_task {
    struct pyr_state state;      /* before it happened; of a decision that all make at once: before the first of them */
    struct pyr_event event;      /* what happened; its words point into the line */
    uint32_t line;               /* of the log, from 0 */
    uint8_t round, turn;         /* from 0 */
    bool is_chance;
    uint64_t seed;               /* follows from everything that happened before it */
};

#define PYR_LUCK_TASKS 2         /* at most, per line: a draw is a decision and an event of chance */

/* A log being followed. Plain data; the edition must outlive it. */
struct pyr_luck_log {
    const struct pyr_edition *edition;
    struct pyr_replay replay;
    struct pyr_state phase;      /* when the present phase began */
    uint32_t phase_line;         /* and at which line */
    uint32_t line;
    uint64_t past, phase_past;   /* hash of all events so far, and when the phase began; names and tags do not count */
};

PYR_API void pyr_luck_begin(struct pyr_luck_log *log, const struct pyr_edition *edition);

/* Takes the next line (without its end) of a whole record. Returns how many tasks it has written; also 0 for a line that is
 * wrong, which a record that pyr_record_read accepts does not have. */
PYR_API unsigned pyr_luck_follow(struct pyr_luck_log *log, struct pyr_word line, struct pyr_luck_task task[PYR_LUCK_TASKS]);

/* The end of the log of an unfinished game: the state from which the rest is estimated. If only some players have chosen in
 * the current phase, that is the beginning of the phase, so that all are treated alike. Returns the line at which it began,
 * else the number of lines. */
PYR_API uint32_t pyr_luck_end(const struct pyr_luck_log *log, struct pyr_state *state);

/* How to rate. Constant while tasks are rated, so that threads can share it. */
struct pyr_luck_how {
    const struct pyr_box *box;
    const void *memory;          /* of pyr_analysis_prepare for that box */
    uint32_t playouts;           /* the cap: worlds per decision, at least 1; 128 doubled some times, or the next below */
    uint64_t seed;               /* PYR_LUCK_SEED for the numbers that all clients show */
};

/* How a mark was found. */
enum pyr_luck_state {
    PYR_LUCK_UNSURE = 0,         /* the cap was reached: between `mildest` and `worst`, both are possible */
    PYR_LUCK_SURE = 1,           /* certain, with at least 95% confidence */
    PYR_LUCK_EXACT = 2           /* no chance was left, or nothing to choose: all margins are 0 */
};

struct pyr_luck_decision {
    uint32_t line;
    pyr_seat seat;
    uint8_t round, turn;
    struct pyr_option made;      /* with its value */
    struct pyr_option best[PYR_LUCK_BEST];
    unsigned bests;
    /* Against the best choice; 0 or more. Always within the limits of the mark, also when printed with one decimal (of
     * points, and of percent): an estimate that the mark contradicts is moved to the limit, which is within its margin. */
    float points_lost, win_lost;
    float points_margin, win_margin;     /* the loss differs from that by at most this, whenever the playouts stop (95%) */
    float points_cost, win_cost;         /* the estimates as they are, for sums; noise can make them negative */
    float points_error, win_error;       /* their standard errors */
    float points_gained, gained_error;   /* against the usual choice, whose value is that of the position */
    /* The mark to show. If it is not certain: none while the choice may have been fine, else the most likely one. */
    enum pyr_luck_mark mark;
    enum pyr_luck_mark mildest, worst;   /* the range in which it certainly is */
    enum pyr_luck_state state;
    uint32_t playouts;                   /* worlds played */
};

struct pyr_luck_chance {
    uint32_t line;
    uint8_t round, turn;
    struct pyr_outlook after;    /* after the event */
    struct pyr_outlook luck;     /* after minus the mean over everything that could have happened */
    struct pyr_outlook error;    /* standard error of luck */
};

/* Rates a task that is a decision (decide) or an event of chance (measure). Random numbers follow from the task and the
 * seed, so the order of rating does not matter. */
PYR_API void pyr_luck_decide(const struct pyr_luck_how *how, const struct pyr_luck_task *task,
    struct pyr_luck_decision *decision);
PYR_API void pyr_luck_measure(const struct pyr_luck_how *how, const struct pyr_luck_task *task,
    struct pyr_luck_chance *chance);

/* The expected result from a state (pyr_luck_end). */
PYR_API void pyr_luck_expect(const struct pyr_luck_how *how, const struct pyr_state *state, struct pyr_outlook *outlook);

/* A seat's sum, in points: expected = luck + skill; skill = par + gained + rest, where rest is other players' choices and
 * sampling noise. For an unfinished game the expected final points are compared with par, since par is for a whole game,
 * too. */
struct pyr_luck_sum {
    float actual;                /* current points; final points if the game is over */
    float expected;              /* final points: the same as actual if it is over, else those of usual play from here */
    float par;                   /* final points expected before the first card was dealt */
    float luck, skill, gained, rest;
    float lost;                  /* against the best choices */
    float win_luck, win_lost;
    unsigned decisions, marks[4];
    float rate;                  /* points lost per decision; 0 without any decision: then there is no rate */
    /* Half of the 95% interval of each; for skill it is that of luck. Complete after pyr_luck_finish. */
    float luck_margin, win_luck_margin, gained_margin, lost_margin, win_lost_margin, rate_margin;
    unsigned unsure;             /* decisions whose mark is not certain */
    bool waiting;                /* has a choice to make where the log ends */
};

/* Adds up: begin with zeroed sums, add in the order of the log (the first event of chance gives the par), then finish with
 * the table at the end of the log and the expected result there (NULL: the game is over). `counts` is false for a
 * decision at or after the line of pyr_luck_end: the expected result does not include it yet. */
PYR_API void pyr_luck_add_decision(struct pyr_luck_sum sum[PYR_MAX_SEATS], const struct pyr_luck_decision *decision,
    bool counts);
PYR_API void pyr_luck_add_chance(struct pyr_luck_sum sum[PYR_MAX_SEATS], const struct pyr_luck_chance *chance,
    bool is_first);
PYR_API void pyr_luck_finish(struct pyr_luck_sum sum[PYR_MAX_SEATS], const struct pyr_box *box,
    const struct pyr_table *open, const struct pyr_outlook *end);

PYR_END_DECLS

#endif
