/* interrupt.c: stopping on Ctrl-C. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "cli.h"

/* The only variable that a signal handler may set; checked between games, files or playouts. */
static volatile sig_atomic_t interrupted;

/* A pipe without a writer: reading from it gives the end of input at once. */
static int ended = -1;

/* A second interrupt ends the program at once, with _exit, since little else is safe inside a signal handler. Standard
 * input ends here: otherwise a signal that arrives between the check and the read would leave the program waiting for
 * input. */
static void note_interrupt(int signal)
{
    int before = errno;
    (void)signal;
    if (interrupted)
        _exit(CLI_INTERRUPTED);
    interrupted = 1;
    if (ended >= 0)
        dup2(ended, STDIN_FILENO);
    errno = before;
}

/* If this fails, which happens only without free descriptors, a second Ctrl-C ends what the first one missed. */
static void prepare_end(void)
{
    int ends[2];
    if (ended >= 0 || pipe(ends))
        return;
    close(ends[1]);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    ended = ends[0];
}

/* For commands that have to report or clean up when they are interrupted: they call cli_is_interrupted. */
void cli_catch_interrupt(void)
{
    struct sigaction action = { .sa_handler = note_interrupt };
    prepare_end();
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* Ends with the shell's code for a signal, 128 plus its number. */
static void end_now(int signal)
{
    static const char erase[] = "\r\033[K";
    /* Clears the progress shown on a terminal; if that fails, there is no place to report it. */
    if (isatty(STDERR_FILENO) && write(STDERR_FILENO, erase, sizeof erase - 1) < 0)
        _exit(128 + signal);
    _exit(128 + signal);
}

/* For a long computation that has nothing to save. */
void cli_end_on_interrupt(void)
{
    struct sigaction action = { .sa_handler = end_now };
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool cli_is_interrupted(void)
{
    return interrupted != 0;
}
