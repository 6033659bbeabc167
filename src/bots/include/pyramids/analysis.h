/*
 * analysis.h (analysis.c): what a position and each choice in it are worth: expected final points and the chance to win, from playouts
 * by the tables' policy in random worlds that fit what may be known. One evaluator for choices and for luck.
 */
#ifndef PYR_ANALYSIS_H
#define PYR_ANALYSIS_H

#include <pyramids/view.h>

PYR_BEGIN_DECLS

#define PYR_MAX_OPTIONS 96       /* choices that are looked at */

/* Each seat's expected final points and share of the win. */
struct pyr_outlook {
    float points[PYR_MAX_SEATS];
    float win[PYR_MAX_SEATS];
};

/* A whole choice and what it brings its player. */
struct pyr_option {
    pyr_step step[PYR_MAX_CHOICE];
    uint8_t count;
    bool usual;                  /* what the policy of the playouts would choose: the value of the position is that of this option */
    uint32_t playouts;           /* that the numbers rest on */
    float points, win;           /* means */
    float points_margin;         /* half of the 95 % interval of the difference in points to the best option; 0 for the best */
    float win_margin;
    int32_t prior;               /* the policy's own view, for the order in which options are tried */
};

/* The memory that the functions below work in, for this box, and its preparation (see struct pyr_bot). */
PYR_API size_t pyr_analysis_memory(const struct pyr_box *box);
PYR_API void pyr_analysis_prepare(void *memory, const struct pyr_box *box);

/* From now on the functions below ask, every few playouts and in whatever thread they run, whether to give up: then what
 * they return is of no use.
 * The answer may take its time, so a caller can have them pause. NULL: they do not ask. */
PYR_API void pyr_analysis_poll(void *memory, bool (*is_over)(void *context), void *context);

/* The outlook of a position, as far as the view tells: the mean of `playouts` games played on from it. `dealt` (may be NULL) are the
 * dealt cards, for a judge who has seen them all. */
PYR_API void pyr_analysis_outlook(const void *memory, const struct pyr_box *box, const struct pyr_view *view, const struct pyr_chance *dealt,
    uint32_t playouts, struct pyr_rng *rng, struct pyr_outlook *outlook);

/*
 * The choices of the view's seat at the beginning of its decision, best first (by the chance to win, points between near equals). `made`
 * (may be NULL) is a choice that must be among them, wherever it ranks. About `playouts` games are played, most of them for the best few,
 * for the usual one and for `made`; the last round, which alone gives the numbers of those, meets worlds that had no part in choosing them.
 * Returns how many options there are, at most `room`; 0 if the seat has nothing to decide.
 */
PYR_API unsigned pyr_analysis_options(const void *memory, const struct pyr_box *box, const struct pyr_view *view, uint32_t playouts,
    struct pyr_rng *rng, const struct pyr_option *made, struct pyr_option *options, unsigned room);

PYR_END_DECLS

#endif
