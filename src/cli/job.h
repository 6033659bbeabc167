/*
 * job.h (job.c): jobs whose results are lines, one per item (a game, a position), which can be made in any order. The
 * programs in tools/ are such jobs. The same code prints a job that ran in one piece and one that `pyramids merge` put
 * together from parts, so both print the same. Item n belongs to part n % parts + 1.
 */
#ifndef PYR_CLI_JOB_H
#define PYR_CLI_JOB_H

#include <pyramids/edition.h>

#include "shard.h"

/* What is known about a kind of job; one job per program. */
struct job_kind {
    const char *name;            /* at most 15 letters, as written in the files */
    bool (*begin)(const char *job);          /* reads the description of the job; false: it is none of this kind */
    bool (*add)(const char *data, FILE *to); /* takes the next result and may print; false: the result is wrong */
    bool (*end)(FILE *to);       /* prints the results of the whole job; may be NULL */
};

extern const struct job_kind job_late, job_late_score, job_clairvoyant, job_solo;    /* job_lines.c */
extern const struct job_kind job_cards;      /* job_cards.c */
extern const struct job_kind job_puzzles;    /* job_puzzles.c */

/* How a program was asked to run: as a part, or in one piece (shard.count 0). */
struct job_options {
    struct shard shard;
    const char *output;
};

/* Takes --shard I/N and --output FILE out of the arguments; prints what is wrong and returns false. */
bool job_take(int *argc, char **argv, struct job_options *options);

/* Makes the result of one item: a line without its end, "-" if it has none. False after printing what is wrong. */
typedef bool job_make(void *context, uint64_t item, FILE *to);

/* The description of a job: that text with the edition, for the caller to free; NULL if there is no memory. */
char *job_text(const struct pyr_edition *edition, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads the edition from the description of a job. */
bool job_edition(const char *job, struct pyr_edition *edition);

/* Runs the job, or a part of it; continues a part that was interrupted. Frees `text`. Returns an exit code. */
int job_run(const struct job_kind *kind, const struct job_options *options, char *text, uint64_t items, job_make *make,
    void *context);

/* The job kind with that name in a file of results; NULL if it is not one of these. */
const struct job_kind *job_find(const char *name);
int job_merge(const struct job_kind *kind, struct shard_file *files, unsigned count);

#endif
