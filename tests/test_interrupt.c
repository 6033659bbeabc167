/* test_interrupt.c: Ctrl-C just before the program waits for standard input, when there is no call to interrupt yet. */
#include "check.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

#define STILL_WAITING 30     /* seconds until a program that keeps reading is ended */

/* In a process of its own, because its standard input is closed afterwards and a second signal ends it. */
static int status_of(void (*run)(void))
{
    int status = -1;
    pid_t child = fork();
    if (!child) {
        int ends[2];
        if (pipe(ends))
            _exit(2);
        dup2(ends[0], STDIN_FILENO);         /* its other end stays open: no input comes, and no end of it */
        alarm(STILL_WAITING);
        cli_catch_interrupt();
        run();
        _exit(3);
    }
    waitpid(child, &status, 0);
    return status;
}

static void read_after_signal(void)
{
    char byte;
    raise(SIGINT);
    _exit(cli_is_interrupted() && read(STDIN_FILENO, &byte, 1) == 0 ? 0 : 1);
}

static void read_line_after_signal(void)
{
    char line[16];
    raise(SIGTERM);
    _exit(cli_is_interrupted() && !fgets(line, sizeof line, stdin) ? 0 : 1);
}

static void interrupt_twice(void)
{
    raise(SIGINT);
    raise(SIGINT);
}

TEST("who reads standard input after Ctrl-C is at its end")
{
    CHECK_INT(status_of(read_after_signal), 0);
    CHECK_INT(status_of(read_line_after_signal), 0);
}

TEST("a second Ctrl-C ends the program at once")
{
    int status = status_of(interrupt_twice);
    CHECK(WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), 130);
}
