/*
 * shard.h (shard.c): parts of a long job that run apart, on other machines or at other times, and files of their results
 * that `pyramids merge` puts together.
 *
 * A file (docs/formats.md) begins with what kind of job it is, which part, and a description of the whole job that is the
 * same in all parts. Then comes a line per item, in order, each with its number. A file that was cut off anywhere can be
 * continued: what is complete stays.
 */
#ifndef PYR_CLI_SHARD_H
#define PYR_CLI_SHARD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SHARD_MOST 1000000       /* parts */
#define SHARD_LINE 65536         /* bytes of an item, at most */

struct shard {
    uint64_t index, count;       /* from 0; count 0: the job is not split */
};

/* The options --shard and --output, which need each other; either may be NULL. On an error prints a message and returns
 * false. */
bool shard_options(const char *part, const char *output, struct shard *shard);

/* Called for each complete item of a file, in order. False: the item is wrong; it and all that follow will be made again. */
typedef bool shard_item(void *context, uint64_t number, const char *data);

/*
 * Opens the file of a part for adding items: a new one, or one of the same part of the same job that was interrupted;
 * then `item` is called for the items it contains. On an error prints a message and returns NULL.
 */
FILE *shard_open(const char *path, const char *kind, const struct shard *shard, const char *job, size_t size,
    shard_item *item, void *context);

/* A file of results. */
struct shard_file {
    FILE *file;
    const char *path;
    char kind[16];
    struct shard shard;
    char *job;                   /* terminated */
    size_t size;                 /* of it */
    char *line;                  /* the present item */
};

/* Opens a file of results; on an error prints a message and returns false. Then reads its items one after the other:
 * false after the last complete one; *data is valid until the next call. */
bool shard_read(struct shard_file *file, const char *path);
bool shard_next(struct shard_file *file, uint64_t *number, const char **data);
void shard_close(struct shard_file *file);

#endif
