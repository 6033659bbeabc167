/* job_puzzles.h (job_puzzles.c): the bots that rate puzzles, and how often each tries. */
#ifndef PYR_CLI_JOB_PUZZLES_H
#define PYR_CLI_JOB_PUZZLES_H

#define JOB_RATERS 6

extern const struct job_rater {
    const char *name;
    unsigned tries;
} job_raters[JOB_RATERS];

#endif
