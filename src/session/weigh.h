/*
 * weigh.h (weigh.c): compares a choice that was made with its best alternatives until the question "which mark?" is settled,
 * or the effort is spent. The part of luck.h that is statistics.
 *
 * 1. Screening picks a few finalists out of all choices, in rounds that halve the field. Its worlds are used for nothing
 *    else, so being picked by luck does not flatter the finalists afterwards.
 * 2. The finalists and the choice that was made are played in the same random worlds. Of their differences only sums are
 *    kept, as whole numbers: the same on every machine.
 * 3. The sums are looked at when the number of worlds has doubled. A finalist that is worse than the leader by more than
 *    WEIGH_OUT standard errors is out. For each of the others, the mark that it would mean lies in a range: its losses plus
 *    or minus WEIGH_Z standard errors. If all that may still be the best agree on one mark, that mark is certain.
 *
 * Looking often makes accidents more likely, so the numbers of standard errors are those of a group-sequential test with
 * Bonferroni's bound: up to a cap of 131,072 worlds there are at most 11 looks, and
 *     2 losses * 11 looks * P(|z| > 3.2) + 6 rivals * 11 looks * P(z > 3.6) = 0.030 + 0.011 < 0.05,
 * so a mark that is called certain is wrong in fewer than 5 of 100 cases. Which worlds are played and when they are looked
 * at does not depend on the cap, so a mark that is certain with a cap of WEIGH_LEAST or more is the same with a larger one.
 */
#ifndef PYR_SESSION_WEIGH_H
#define PYR_SESSION_WEIGH_H

#include <pyramids/luck.h>

#define WEIGH_Z 3.2
#define WEIGH_OUT 3.6
#define WEIGH_CHUNK 128          /* worlds from one seed; the first look */
#define WEIGH_LEAST 512          /* worlds of every decision, if the cap allows: error rates need them, too */
#define WEIGH_RIVALS 5           /* finalists beside the choice that was made and the usual one */
#define WEIGH_ARMS (WEIGH_RIVALS + 2)

/* A choice being weighed. Differences are "this choice minus the one made" in the same world; of wins, in twelfths. Sums are
 * kept for even and odd chunks: the leader of one half is measured in the other. */
struct weigh_arm {
    struct pyr_option option;
    uint32_t worlds[2];
    int64_t points[2], win[2];
    int64_t points_squares, win_squares;
    bool out;                    /* not the best: no longer played */
};

struct weigh {
    struct weigh_arm arm[WEIGH_ARMS];        /* arm[0] is the choice that was made: its differences are 0 */
    unsigned arms;
    uint32_t worlds;
    int64_t points, win;                     /* of the choice made: sums, not differences */
    int64_t apart[WEIGH_ARMS][WEIGH_ARMS];   /* squares of the differences in worth, in all worlds that both were played */
    unsigned considered;                     /* choices before screening */
    bool exact, stopped;                     /* no chance is left; the caller's poll stopped it */
    enum pyr_luck_mark low, high;            /* the range of the mark */
};

/* Weighs the choice `made` in the view, in at most `cap` worlds. */
void weigh_begin(struct weigh *weigh, const struct pyr_luck_how *how, const struct pyr_view *view,
    const struct pyr_option *made, uint64_t seed);

/* A loss against the best: estimate and standard error. */
struct weigh_loss {
    double points, win, points_error, win_error;
};

/* The losses of the choice made against the best. The leader of each half is measured in the other half, so that the one
 * with the luckiest worlds has no advantage. */
void weigh_losses(const struct weigh *weigh, struct weigh_loss *loss);

/* The total difference between an arm and the choice made. */
void weigh_difference(const struct weigh *weigh, unsigned arm, struct weigh_loss *difference);

/* The arms in the order of their worth, best first. */
void weigh_order(const struct weigh *weigh, unsigned order[WEIGH_ARMS]);

/* The mark of a loss. */
enum pyr_luck_mark weigh_mark(double points, double win);

#endif
