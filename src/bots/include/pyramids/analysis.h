/*
 * analysis.h (analysis.c): what a position and each choice in it are worth: expected final points and the chance to win,
 * from playouts by the policy of the lookup tables, in random states that fit the view. One evaluator serves choices and
 * luck.
 */
#ifndef PYR_ANALYSIS_H
#define PYR_ANALYSIS_H

#include <pyramids/view.h>

PYR_BEGIN_DECLS

#define PYR_MAX_OPTIONS 96       /* choices considered */

/* Each seat's expected final points and share of the win. */
struct pyr_outlook {
    float points[PYR_MAX_SEATS];
    float win[PYR_MAX_SEATS];
};

/* A whole choice and its value for the player. */
struct pyr_option {
    pyr_step step[PYR_MAX_CHOICE];
    uint8_t count;
    bool usual;                  /* the choice of the playouts' policy, whose value is that of the position */
    uint32_t playouts;           /* behind the numbers below */
    float points, win;           /* means */
    float points_margin;         /* half of the 95% interval of the difference to the best option; 0 for the best */
    float win_margin;
    int32_t prior;               /* the policy's own rating, which orders the options that are tried */
};

/* The memory that the functions below work in, for this box, and its preparation (see struct pyr_bot). */
PYR_API size_t pyr_analysis_memory(const struct pyr_box *box);
PYR_API void pyr_analysis_prepare(void *memory, const struct pyr_box *box);

/* Sets a callback that the functions below call every few playouts, in the thread they run in. If it returns true they stop
 * early, and their results are meaningless. It may block, so a caller can make them pause. NULL: no callback. */
PYR_API void pyr_analysis_poll(void *memory, bool (*is_over)(void *context), void *context);

/* The outlook of a position, given the view: the mean of `playouts` games played from it. `dealt` (may be NULL) are the
 * dealt cards, for an analysis that has seen all of them. */
PYR_API void pyr_analysis_outlook(const void *memory, const struct pyr_box *box, const struct pyr_view *view,
    const struct pyr_chance *dealt, uint32_t playouts, struct pyr_rng *rng, struct pyr_outlook *outlook);

/*
 * The choices of the view's seat at the beginning of its decision, best first (by the chance to win, points between near
 * equals). `made` (may be NULL) is a choice that must be among them, wherever it ranks. About `playouts` games are played,
 * most of them for the best few, for the usual one and for `made`; the last round, which alone gives their numbers, uses
 * states that were not used to select them. Returns the number of options, at most `room`; 0 if the seat has nothing to
 * decide.
 */
PYR_API unsigned pyr_analysis_options(const void *memory, const struct pyr_box *box, const struct pyr_view *view,
    uint32_t playouts, struct pyr_rng *rng, const struct pyr_option *made, struct pyr_option *options, unsigned room);

/* The parts of the above, for callers that compare choices in their own way (luck.h). */

/* How one playout ended for the view's seat. Whole numbers, so that sums are the same on every machine. */
struct pyr_result {
    int16_t points;
    int16_t win;                 /* its share of the win in twelfths: 12, 6, 4, 3 or 0 */
};

/* The choices of the view's seat at the beginning of its decision that are worth a look, the usual one first; `made` (may be
 * NULL) is among them. Returns how many, at most `room`; 0 if the seat has nothing to decide. Their values are not set. */
PYR_API unsigned pyr_analysis_choices(const void *memory, const struct pyr_box *box, const struct pyr_view *view,
    const struct pyr_option *made, struct pyr_option *options, unsigned room);

/* Plays every option to the end in the same `worlds` random states that fit the view: result[world * count + option]. False
 * if the callback of pyr_analysis_poll stopped it; then the results are incomplete. */
PYR_API bool pyr_analysis_play(const void *memory, const struct pyr_box *box, const struct pyr_view *view,
    const struct pyr_option *options, unsigned count, uint32_t worlds, struct pyr_rng *rng, struct pyr_result *result);

/* The largest usual difference between two playouts: a pyramid, or the highest pyramid points; and a win. */
#define PYR_POINTS_UNIT 10
#define PYR_WIN_UNIT 12

/*
 * The standard error of a mean of n differences, from their sum and the sum of their squares. Two differences of `unit`, up
 * and down, are added: where differences are rare, a small sample says too little about its own error. (Sixty worlds without
 * any difference do not prove that there is none. Without this, intervals of points from 60 worlds held the truth in 90 of
 * 100 cases instead of 95.)
 */
PYR_API double pyr_analysis_error(double sum, double squares, double n, double unit);

/* A square root; there is no libm in the core. */
PYR_API double pyr_analysis_root(double x);

/* Whether chance has no more influence: in the last turn, once its pattern is known, every playout ends alike. */
PYR_API bool pyr_analysis_is_settled(const struct pyr_view *view);

PYR_END_DECLS

#endif
