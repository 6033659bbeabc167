/*
 * judge.h (judge.c, json.c, html.c): the analysis of a whole game (luck.h) by several threads, as numbers, as JSON and as a
 * page.
 */
#ifndef PYR_JUDGE_H
#define PYR_JUDGE_H

#include <stdio.h>

#include <pyramids/choice.h>
#include <pyramids/luck.h>
#include <pyramids/match.h>

PYR_BEGIN_DECLS

#define PYR_JUDGE_PLAYOUTS PYR_LUCK_CAP      /* worlds per decision, at most, by default */
#define PYR_JUDGE_THREADS 64     /* at most */

struct pyr_judge_report {
    const struct pyr_edition *edition;
    struct pyr_match match;      /* the game, for its lines */
    struct pyr_word name[PYR_MAX_SEATS];
    unsigned seats;
    bool finished;
    struct pyr_outlook end;      /* expected where the record ends; only if the game is not finished */
    uint32_t open_line;          /* where a phase begins that only some players have finished; else the number of lines */
    struct pyr_luck_decision *decision;
    struct pyr_luck_chance *chance;
    unsigned decisions, chances;
    struct pyr_luck_sum sum[PYR_MAX_SEATS];
    uint32_t playouts;           /* the cap that it was made with, and its seed */
    uint64_t seed;
    bool rough;                  /* a first result, to be refined; set by the caller before it is written */
};

/* Options of an analysis. Zeroes are good defaults except for the first three. */
struct pyr_judge_options {
    uint32_t playouts;           /* the cap: worlds per decision (PYR_JUDGE_PLAYOUTS) */
    unsigned threads;            /* 1 to 64, including the caller's own; affects only the time */
    uint64_t seed;               /* PYR_LUCK_SEED */
    /* Called between playouts, so at least every millisecond, by any of the threads, also by several at once: true stops the
     * analysis. It may block, to make a pause. May be NULL. */
    bool (*is_cancelled)(void *context);
    /* Progress: tasks started, and their total. Called by one thread at a time while the others wait. May be NULL. */
    void (*progress)(void *context, unsigned begun, unsigned all);
    void *context;               /* for all of these */
    /* For analyses that are split: a task has a number, the same for all options. Before it is begun, `recall` may say
     * that it need not be, and fill in the result (plain data, `size` bytes) if there is one from before; `keep` gets each
     * result that was made. Called by one thread at a time while the others wait. May be NULL. */
    bool (*recall)(void *context, unsigned task, void *result, size_t size);
    void (*keep)(void *context, unsigned task, const void *result, size_t size);
};

enum pyr_judge_code {
    PYR_JUDGE_GOOD = 0,
    PYR_JUDGE_RECORD = 1,        /* not a record of this edition, or it breaks a rule: see *fault */
    PYR_JUDGE_DEALING = 2,       /* the cards are not dealt yet: there is nothing to judge */
    PYR_JUDGE_MEMORY = 3,
    PYR_JUDGE_CANCELLED = 4
};

/*
 * Analyses a whole record (not one seat's view), finished or not. The edition must outlive the report; the text need
 * not. The report, about 54 KB and 2 MB that it allocates, points into itself: do not move it. Free it with
 * pyr_judge_finish, for any code. There is no other state, so any number of analyses can run at once. *fault (may
 * be NULL) is set with PYR_JUDGE_RECORD.
 */
PYR_API enum pyr_judge_code pyr_judge_init(struct pyr_judge_report *report, const struct pyr_edition *edition,
    const char *text, size_t size, const struct pyr_judge_options *options, struct pyr_fault *fault);
PYR_API void pyr_judge_finish(struct pyr_judge_report *report);

/* Identifies a page as such a report, within its first 200 bytes. */
#define PYR_JUDGE_PAGE "<meta name=\"generator\" content=\"pyramids analyze\">"

/* The report as JSON (json.c) and as a self-contained page (html.c). False if writing failed. */
PYR_API bool pyr_judge_write_json(const struct pyr_judge_report *report, FILE *to);
PYR_API bool pyr_judge_write_html(const struct pyr_judge_report *report, FILE *to);

/* The mark of a decision as it is shown: "?!"; if it is not certain, "?! or ?", or "? (?! to ??)" if more are possible. */
#define PYR_JUDGE_SIGN 64
PYR_API void pyr_judge_sign(const struct pyr_luck_decision *decision, char sign[PYR_JUDGE_SIGN]);

/* What the three marks mean, in a sentence with the thresholds of luck.h. */
PYR_API void pyr_judge_legend(char *to, size_t size);

/* Its loss of points, with the margin if the mark is not certain: "2.9" or "2.9 ± 0.4"; and of chances: "4.1%". Room for two
 * numbers (text.h). */
PYR_API void pyr_judge_cost(const struct pyr_luck_decision *decision, char *to);
PYR_API void pyr_judge_win_cost(const struct pyr_luck_decision *decision, char *to);

/* Room for any choice as text. */
#define PYR_JUDGE_CHOICE PYR_CHOICE_SIZE

/* Writes a choice as in a record: the desk is the one before it; or that of a decision of a report. */
PYR_API void pyr_judge_write_choice(const struct pyr_desk *desk, const struct pyr_option *option, char *to, size_t size);
PYR_API void pyr_judge_choice(const struct pyr_judge_report *report, const struct pyr_luck_decision *decision,
    const struct pyr_option *option, char *to, size_t size);

/* The immediate effects of a choice. */
struct pyr_judge_effect {
    enum pyr_judge_effect_code {
        PYR_EFFECT_WAY = 0,         /* taking: the shortest path through the card has `number` spaces */
        PYR_EFFECT_RACE = 1,        /* taking: the card, once completed, is in the race for `number` points */
        PYR_EFFECT_PYRAMID = 2,     /* completes pyramid `number` */
        PYR_EFFECT_POINTS = 3,      /* which would take `number` pyramid points of `colour` now */
        PYR_EFFECT_RUBIES = 4, PYR_EFFECT_EMERALDS = 5,              /* how many it marks on the score card */
        PYR_EFFECT_TORCH = 6,       /* marks the torch of round `number` */
        PYR_EFFECT_SKULLS = 7,      /* how many more it marks than it erases */
        PYR_EFFECT_ERASED = 8       /* how many more it erases than it marks */
    } code;
    int number;
    unsigned colour;
};
#define PYR_JUDGE_EFFECTS 10     /* at most, of one choice */

/* The effects of a choice; returns how many there are. */
PYR_API unsigned pyr_judge_effects(const struct pyr_edition *edition, const struct pyr_view *view,
    const struct pyr_option *option, struct pyr_judge_effect list[PYR_JUDGE_EFFECTS]);

/* The same in words: "tomb, 2 rubies, torch, -3 skulls ..."; "" for nothing. */
PYR_API void pyr_judge_gains(const struct pyr_edition *edition, const struct pyr_view *view, const struct pyr_option *option,
    char *to, size_t size);

PYR_END_DECLS

#endif
