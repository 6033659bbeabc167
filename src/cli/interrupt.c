/* interrupt.c: stopping on Ctrl-C. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "cli.h"

/* The only thing a signal handler may set; asked for between games, files or playouts. */
static volatile sig_atomic_t interrupted;

/* A pipe without a writer: who reads it is at its end at once. */
static int ended = -1;

/* A second interrupt ends the program at once.
 * _exit, since nothing else is safe inside a signal handler. Standard input ends here: a signal that comes after the program
 * asked and before it reads would otherwise leave it waiting for input. */
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

/* Without it, which only a process out of descriptors is, a second Ctrl-C ends what the first one missed. */
static void prepare_end(void)
{
    int ends[2];
    if (ended >= 0 || pipe(ends))
        return;
    close(ends[1]);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    ended = ends[0];
}

/* For commands that have something to report or to clean up when they are interrupted: they ask cli_is_interrupted. */
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
    /* Any progress that a terminal shows is cleared; if that fails there is nowhere to report it. */
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
