/* inside.h: an instance from the inside. */
#ifndef PYR_INSTANCE_INSIDE_H
#define PYR_INSTANCE_INSIDE_H

#include <pyramids/aim.h>
#include <pyramids/bots.h>
#include <pyramids/daily.h>
#include <pyramids/fair.h>
#include <pyramids/instance.h>
#include <pyramids/story.h>

#define STEP_LIST 512            /* more than two cards have marks: 8 turns and single spaces, 25 places each */

/* The progress of pyr_instance_luck_next. */
struct luck {
    struct pyr_luck_how how;
    struct pyr_luck_log log;
    struct pyr_luck_task task[PYR_LUCK_TASKS];
    unsigned found, next;        /* tasks of the present line, and which comes next */
    unsigned chances;            /* so far */
    struct pyr_luck_decision decision;
    struct pyr_luck_chance chance;
    struct pyr_luck_sum sum[PYR_MAX_SEATS];
};

struct pyr_instance {
    struct pyr_edition edition;
    struct pyr_fault fault;
    struct pyr_match match;      /* its edition is NULL when there is none */
    struct pyr_view view;        /* given last */
    struct pyr_score score, preview_score;
    struct pyr_desk preview;
    pyr_step list[STEP_LIST];
    pyr_instance_room room;
    void *context;
    void *memory;                /* what room gave last */
    const void *ready_for;       /* the bot, or the analysis, whose tables it holds */
    struct luck luck;
    struct pyr_option option[PYR_MAX_OPTIONS];
    struct pyr_fair_report report;
    struct pyr_puzzle_open puzzle;           /* open if its count is not 0 */
    struct pyr_puzzler puzzler;              /* new if its volatility is 0 */
    enum pyr_err puzzle_code;                /* of the last answer */
};

static inline bool has_match(const struct pyr_instance *instance)
{
    return instance->match.edition != NULL;
}

#endif
