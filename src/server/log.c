/*
 * log.c: one line per event on standard error. A separate thread writes the lines: the reader may have stopped reading (a
 * full pipe, a halted terminal, a slow disk), and neither the loop nor the store may wait for that. Lines that do not fit
 * into the buffer are dropped and counted, and the count is logged once there is room again.
 *
 * Threads: any thread may log. `lock` guards everything in `writer` except `batch`, which belongs to the writing
 * thread while `writing` is set. Lines are logfmt (key=value). Values from outside are logged only as numbers or fixed
 * words; a line longer than LINE_ROOM is cut.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "server.h"

#define LOG_ROOM 65536           /* bytes that are waiting: some 600 lines */
#define LINE_ROOM 400            /* bytes, with its newline */
#define GOODBYE_MS 500           /* how long the end waits for a slow reader */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more, empty;
    pthread_t thread;
    bool started, stop, writing;
    size_t size;
    uint64_t dropped, reported;  /* lines */
    char text[LOG_ROOM], batch[LOG_ROOM];    /* waiting; being written by the thread */
} writer = { .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER, .empty = PTHREAD_COND_INITIALIZER };

/* Blocks; so it may be called only by the log's own thread, or before log_start. */
static void write_all(const char *text, size_t size)
{
    while (size) {
        ssize_t got = write(STDERR_FILENO, text, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN) {    /* another process has made it non-blocking */
            nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
            continue;
        }
        if (got <= 0)
            return;                          /* there is no place to report it */
        text += got;
        size -= (size_t)got;
    }
}

/* Returns the size with the newline. The time is the real one, even if a test has set the clock: logs are compared with
 * those of other programs. */
static size_t format_line(char line[LINE_ROOM], enum log_level level, const char *event, const char *rest)
{
    static const char *const names[] = { "info", "warn", "error" };
    struct timespec now;
    struct tm utc;
    char when[32];
    clock_gettime(CLOCK_REALTIME, &now);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
    int size = snprintf(line, LINE_ROOM, "time=%s.%03ldZ level=%s event=%s%s%s", when, now.tv_nsec / 1000000, names[level],
        event, rest[0] ? " " : "", rest);
    size_t length = size < LINE_ROOM - 1 ? (size_t)size : LINE_ROOM - 2;
    line[length] = '\n';
    return length + 1;
}

/* With the lock held. False: no room. */
static bool append(const char *line, size_t size)
{
    if (writer.size + size > LOG_ROOM)
        return false;
    memcpy(writer.text + writer.size, line, size);
    writer.size += size;
    pthread_cond_signal(&writer.more);
    return true;
}

/* Takes the whole buffer at once and writes it without the lock, so that logging costs others a copy and never a write. */
static void *run(void *context)
{
    (void)context;
    pthread_mutex_lock(&writer.lock);
    for (;;) {
        while (!writer.size && !writer.stop)
            pthread_cond_wait(&writer.more, &writer.lock);
        if (!writer.size)
            break;
        size_t size = writer.size;
        memcpy(writer.batch, writer.text, size);
        writer.size = 0;
        writer.writing = true;
        pthread_mutex_unlock(&writer.lock);
        write_all(writer.batch, size);
        pthread_mutex_lock(&writer.lock);
        writer.writing = false;
        if (writer.dropped != writer.reported) {
            char line[LINE_ROOM], rest[64];
            snprintf(rest, sizeof rest, "lines=%llu", (unsigned long long)(writer.dropped - writer.reported));
            if (append(line, format_line(line, LOG_WARN, "log_dropped", rest)))
                writer.reported = writer.dropped;
        }
        pthread_cond_broadcast(&writer.empty);
    }
    pthread_mutex_unlock(&writer.lock);
    return NULL;
}

bool log_start(void)
{
    writer.stop = false;
    writer.started = !pthread_create(&writer.thread, NULL, run, NULL);
    return writer.started;
}

/* Waiting lines are written, but a reader that has stopped reading cannot keep the server from ending. */
void log_stop(void)
{
    struct timespec end;
    if (!writer.started)
        return;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += GOODBYE_MS * 1000000L;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    pthread_mutex_lock(&writer.lock);
    writer.stop = true;
    pthread_cond_signal(&writer.more);
    while ((writer.size || writer.writing) && pthread_cond_timedwait(&writer.empty, &writer.lock, &end) != ETIMEDOUT)
        ;
    bool stuck = writer.size || writer.writing;
    pthread_mutex_unlock(&writer.lock);
    if (stuck)
        pthread_detach(writer.thread);       /* it is waiting for its reader; the process ends without it */
    else
        pthread_join(writer.thread, NULL);
    writer.started = false;
}

uint64_t log_dropped(void)
{
    pthread_mutex_lock(&writer.lock);
    uint64_t dropped = writer.dropped;
    pthread_mutex_unlock(&writer.lock);
    return dropped;
}

void log_line(enum log_level level, const char *event, const char *rest)
{
    char line[LINE_ROOM];
    size_t size = format_line(line, level, event, rest);
    pthread_mutex_lock(&writer.lock);
    if (!writer.started)
        write_all(line, size);
    else if (!append(line, size))
        writer.dropped++;
    pthread_mutex_unlock(&writer.lock);
}

void server_log(const struct server *server, enum log_level level, const char *event, const char *format, ...)
{
    char rest[256];
    va_list values;
    if (level == LOG_INFO && server->options.quiet)
        return;
    va_start(values, format);
    vsnprintf(rest, sizeof rest, format, values);
    va_end(values);
    log_line(level, event, rest);
}
