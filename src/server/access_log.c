/* access_log.c: see access_log.h. At most one write is under way, in a thread of libuv's. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pyramids/text.h>

#include "access_log.h"
#include "server.h"

#define ROOM 65536               /* bytes that are waiting: some 1,000 lines */
#define LINE 200

struct access_log {
    uv_fs_t write;
    struct server *server;
    int fd;
    bool is_busy, reopens, ends;
    bool is_failing;             /* writing fails, which was logged */
    size_t size, writing_size;
    unsigned long long dropped, reported;    /* lines */
    char text[ROOM], writing[ROOM];
};

static int open_file(const char *path)
{
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0640);
}

bool access_log_start(struct server *server, char *error, size_t size)
{
    const char *path = server->options.access_log;
    if (!path)
        return true;
    struct access_log *log = calloc(1, sizeof *log);
    if (!log || (log->fd = open_file(path)) < 0) {
        snprintf(error, size, "--access-log %s: %s", path, pyr_text_system(log ? errno : ENOMEM));
        free(log);
        return false;
    }
    log->server = server;
    server->access_log = log;
    return true;
}

static void append(struct access_log *log, const char *line, size_t size)
{
    if (log->size + size > ROOM) {
        log->dropped++;
        return;
    }
    memcpy(log->text + log->size, line, size);
    log->size += size;
}

void access_log_line(struct server *server, const struct address *address, const char *method, const char *route,
    unsigned status, const char *word)
{
    struct access_log *log = server->access_log;
    char line[LINE], when[32];
    time_t now = (time_t)server_time();
    struct tm utc;
    if (!log)
        return;
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    int size = snprintf(line, sizeof line, "%s %s %s %s %u %s\n", when, address && address->text[0] != '?' ? address->text :
        "-", method, route ? route : "-", status, word ? word : "-");
    if (size > 0 && (size_t)size < sizeof line)
        append(log, line, (size_t)size);
}

static void finish(struct access_log *log)
{
    for (size_t at = 0; at < log->size;) {   /* the last lines; no clients are left */
        ssize_t put = write(log->fd, log->text + at, log->size - at);
        if (put <= 0)
            break;
        at += (size_t)put;
    }
    close(log->fd);
    free(log);
}

static void reopen(struct access_log *log)
{
    const char *path = log->server->options.access_log;
    int fd = open_file(path);
    log->reopens = false;
    if (fd < 0) {
        server_log(log->server, LOG_WARN, "access_log", "error=%d words=\"cannot be opened again\"", errno);
        return;
    }
    close(log->fd);
    log->fd = fd;
}

static void written(uv_fs_t *write)
{
    struct access_log *log = write->data;
    bool failed = write->result != (ssize_t)log->writing_size;
    uv_fs_req_cleanup(write);
    log->is_busy = false;
    if (failed && !log->is_failing && !log->ends)
        server_log(log->server, LOG_WARN, "access_log", "words=\"lines cannot be written\"");
    log->is_failing = failed;
    if (log->ends)
        finish(log);
}

void access_log_tick(struct server *server)
{
    struct access_log *log = server->access_log;
    if (!log || log->is_busy)
        return;
    if (log->reopens)
        reopen(log);
    if (log->dropped != log->reported) {
        server_log(server, LOG_WARN, "access_log", "dropped=%llu", log->dropped - log->reported);
        log->reported = log->dropped;
    }
    if (!log->size)
        return;
    memcpy(log->writing, log->text, log->size);
    log->writing_size = log->size;
    log->size = 0;
    uv_buf_t part = uv_buf_init(log->writing, (unsigned)log->writing_size);
    log->write.data = log;
    log->is_busy = !uv_fs_write(&server->loop, &log->write, log->fd, &part, 1, -1, written);
}

void access_log_reopen(struct server *server)
{
    if (server->access_log)
        server->access_log->reopens = true;
}

void access_log_stop(struct server *server)
{
    struct access_log *log = server->access_log;
    if (!log)
        return;
    server->access_log = NULL;
    log->ends = true;
    if (!log->is_busy)
        finish(log);
}
