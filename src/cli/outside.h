/*
 * outside.h (outside.c): a bot that is another program (docs/bots.md). It gets the lines of its view of the record on
 * standard input and answers with a choice on one line when asked. However it behaves, a call here returns
 * within the given time.
 */
#ifndef PYR_CLI_OUTSIDE_H
#define PYR_CLI_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct outside {
    const char *command;
    pid_t process;               /* 0: not running */
    int to, from;                /* pipes */
    char answer[4096];           /* bytes received that are not yet a line */
    size_t received;
    bool has_answered;           /* since it was started */
    int status;                  /* exit status of the last one that ended by itself, as waitpid returns it */
};

enum outside_result { OUTSIDE_ANSWERED, OUTSIDE_LATE, OUTSIDE_DEAD };

/* Starts the program if it is not running; false if that cannot be done. */
bool outside_start(struct outside *bot);

/* Sends text; true if the program has read all of it in time. */
bool outside_send(struct outside *bot, const char *text, size_t size, double seconds);

/* Waits for a line, without its end, at most size - 1 bytes. */
enum outside_result outside_read(struct outside *bot, char *line, size_t size, double seconds);

/* Ends the program at once. */
void outside_stop(struct outside *bot);

/* Call it after OUTSIDE_DEAD or after text that was not read: has the program ended by itself? If so it is stopped, and
 * `status` is set. */
bool outside_has_ended(struct outside *bot);

#endif
