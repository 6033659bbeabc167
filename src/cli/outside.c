/* outside.c: see outside.h. Uses non-blocking pipes, a deadline for everything, and a separate process group, so that
 * processes which the bot started end with it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "outside.h"

#define LAST_MOMENTS 500         /* milliseconds for a program to end after it has closed its pipe */

/* Run by a shell, so that arguments and redirections work. The child closes inherited descriptors, including the pipes of
 * other bots, or these would never see the end of their input. setpgid is called in both processes, because either may
 * run first. */
bool outside_start(struct outside *bot)
{
    int down[2], up[2];
    if (bot->process)
        return true;
    if (pipe(down))
        return false;
    if (pipe(up)) {
        close(down[0]);
        close(down[1]);
        return false;
    }
    bot->received = 0;
    bot->has_answered = false;
    bot->process = fork();
    if (!bot->process) {
        setpgid(0, 0);
        signal(SIGPIPE, SIG_DFL);
        dup2(down[0], STDIN_FILENO);
        dup2(up[1], STDOUT_FILENO);
        /* Our pipes are closed on exec, but another thread may have just made one that is not marked yet. */
        for (int fd = 3; fd < 256; fd++)
            close(fd);
        execl("/bin/sh", "sh", "-c", bot->command, (char *)NULL);
        _exit(127);
    }
    close(down[0]);
    close(up[1]);
    bot->to = down[1];
    bot->from = up[0];
    if (bot->process < 0) {
        bot->process = 0;
        close(bot->to);
        close(bot->from);
        return false;
    }
    setpgid(bot->process, bot->process);
    fcntl(bot->to, F_SETFL, O_NONBLOCK);
    fcntl(bot->from, F_SETFL, O_NONBLOCK);
    fcntl(bot->to, F_SETFD, FD_CLOEXEC);
    fcntl(bot->from, F_SETFD, FD_CLOEXEC);
    return true;
}

/* Called after the process has been reaped. */
static void forget(struct outside *bot)
{
    close(bot->to);
    close(bot->from);
    bot->process = 0;
    bot->received = 0;
}

/* Kills the whole process group and waits for the shell, so that no zombie is left. */
void outside_stop(struct outside *bot)
{
    if (!bot->process)
        return;
    kill(-bot->process, SIGKILL);
    while (waitpid(bot->process, NULL, 0) < 0 && errno == EINTR)
        ;
    forget(bot);
}

/* Reaps the program if it has ended by itself; its status is kept for the report. */
bool outside_has_ended(struct outside *bot)
{
    /* Its pipes close shortly before the process has ended. */
    for (unsigned i = 0; bot->process && i < LAST_MOMENTS; i++) {
        pid_t gone = waitpid(bot->process, &bot->status, WNOHANG);
        if (gone == bot->process) {
            kill(-bot->process, SIGKILL);    /* kills the processes that it started */
            forget(bot);
            return true;
        }
        if (gone < 0 && errno != EINTR)
            return false;
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    return false;
}

/* Waits until the pipe is ready or the deadline has passed. */
static bool wait_for(int fd, short events, double deadline)
{
    for (;;) {
        double left = deadline - cli_seconds();
        struct pollfd one = { .fd = fd, .events = events };
        if (left <= 0 || cli_is_interrupted())
            return false;
        /* Waits in short steps, since Ctrl-C may be noted by another thread. */
        int ready = poll(&one, 1, left > 0.1 ? 100 : (int)(left * 1000) + 1);
        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
    }
}

/* If the program does not read, its pipe fills up, and this waits until the deadline. False: too late, or the pipe is
 * closed. */
bool outside_send(struct outside *bot, const char *text, size_t size, double seconds)
{
    double deadline = cli_seconds() + seconds;
    while (size && bot->process) {
        ssize_t sent = write(bot->to, text, size);
        if (sent > 0) {
            text += sent;
            size -= (size_t)sent;
        } else if (sent < 0 && errno != EAGAIN && errno != EINTR) {
            return false;
        } else if (!wait_for(bot->to, POLLOUT, deadline)) {
            return false;
        }
    }
    return !size;
}

/* The first line among the received bytes; one that is too long also counts as a line, so that it can be refused. */
static bool take_line(struct outside *bot, char *line, size_t size)
{
    char *end = memchr(bot->answer, '\n', bot->received);
    if (!end && bot->received < sizeof bot->answer)
        return false;
    size_t length = end ? (size_t)(end - bot->answer) : bot->received;
    size_t kept = length < size - 1 ? length : size - 1;
    memcpy(line, bot->answer, kept);
    line[kept] = '\0';
    while (kept && (line[kept - 1] == '\r' || line[kept - 1] == ' '))
        line[--kept] = '\0';
    size_t used = end ? length + 1 : length;
    memmove(bot->answer, bot->answer + used, bot->received - used);
    bot->received -= used;
    return true;
}

/* One line of its answer, without the line end and trailing blanks. */
enum outside_result outside_read(struct outside *bot, char *line, size_t size, double seconds)
{
    double deadline = cli_seconds() + seconds;
    while (bot->process) {
        if (take_line(bot, line, size)) {
            bot->has_answered = true;
            return OUTSIDE_ANSWERED;
        }
        ssize_t got = read(bot->from, bot->answer + bot->received, sizeof bot->answer - bot->received);
        if (got > 0)
            bot->received += (size_t)got;
        else if (!got || (errno != EAGAIN && errno != EINTR))
            return OUTSIDE_DEAD;
        else if (!wait_for(bot->from, POLLIN, deadline))
            return OUTSIDE_LATE;
    }
    return OUTSIDE_DEAD;
}
