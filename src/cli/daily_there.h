/*
 * daily_there.h (daily_there.c): `pyramids daily --server` without a full screen: the day, its boards and the streak as text
 * or as JSON, and the game line by line.
 */
#ifndef PYR_CLI_DAILY_THERE_H
#define PYR_CLI_DAILY_THERE_H

#include "cli.h"

struct daily_there {
    const char *server, *trusted, *name;     /* trusted: NULL, or a file of certificates */
    const char *date;            /* NULL: today, by the server's clock */
    bool again;                  /* an attempt that does not count */
    bool show, json;             /* only print the day; do not play */
};

/* Returns an exit code. */
int daily_there(const struct daily_there *options);

#endif
