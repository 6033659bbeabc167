/*
 * judge.h (judge.c): the analysis of a whole game: what every decision lost against the best choice, what luck every chance event brought
 * each player, and what that adds up to. `analyze` prints it, report.c makes a page of it.
 */
#ifndef PYR_CLI_JUDGE_H
#define PYR_CLI_JUDGE_H

#include <pyramids/analysis.h>
#include <pyramids/match.h>

#define JUDGE_OPTIONS 5          /* best choices that are kept */

/* Thresholds of the marks: a decision gets the worst one of which it reaches either number, if the loss is no accident of the playouts. */
enum judge_mark { JUDGE_FINE, JUDGE_DUBIOUS, JUDGE_MISTAKE, JUDGE_BLUNDER };
extern const struct judge_threshold {
    const char *sign;            /* "", "?!", "?", "??" */
    float points, win;
} judge_threshold[4];

struct judge_decision {
    uint32_t line;               /* of the log, from 0 */
    pyr_seat seat;
    uint8_t round, turn;         /* from 0; turn 0 of round 0 for keeps */
    struct pyr_option made;      /* with its value */
    struct pyr_option best[JUDGE_OPTIONS];
    unsigned bests;
    float points_lost, win_lost; /* against the best choice; 0 or more */
    float points_gained;         /* against the usual choice, on which the value of the position rests */
    enum judge_mark mark;
};

struct judge_chance {
    uint32_t line;
    uint8_t round, turn;
    struct pyr_outlook after;    /* with what came */
    struct pyr_outlook luck;     /* after minus the mean over what could have come */
};

/* A seat's sum. points: actual = luck + skill; skill = par + gained + rest, where rest is what others' choices and the playouts' noise leave
 * over. */
struct judge_sum {
    float actual, par;           /* final points; expected ones before the first card was dealt */
    float luck, skill, gained, rest;
    float lost;                  /* against the best choices */
    float win_luck, win_lost;
    unsigned decisions, marks[4];
    float rate;                  /* points lost a decision */
};

struct judge_report {
    const struct pyr_edition *edition;
    struct pyr_match match;      /* the game, for its lines */
    struct pyr_word name[PYR_MAX_SEATS];
    unsigned seats;
    bool finished;
    struct judge_decision *decision;
    struct judge_chance *chance;
    unsigned decisions, chances;
    struct judge_sum sum[PYR_MAX_SEATS];
};

/* Analyses the game of a match, which must be whole (no viewer), with so many playouts a decision. Shows progress on a terminal. False, after
 * saying why, without memory or when interrupted. Free with judge_finish. */
bool judge_init(struct judge_report *report, const struct pyr_edition *edition, const char *text, size_t size, uint32_t playouts,
    uint64_t seed, unsigned threads);
void judge_finish(struct judge_report *report);

/* The name of an error rate: master, expert, club, casual, novice (not translated). */
const char *judge_class(float rate);

/* Writes a choice as in a record: the desk is the one before it. */
void judge_write_choice(const struct pyr_desk *desk, const struct pyr_option *option, char *to, size_t size);

/* What a choice gains, in words: "tomb, 2 rubies, torch, -3 skulls ..."; "" for nothing. */
void judge_gains(const struct pyr_edition *edition, const struct pyr_view *view, const struct pyr_option *option, char *to, size_t size);

/* The page (report.c). */
bool judge_write_html(const struct judge_report *report, const char *path);

#endif
