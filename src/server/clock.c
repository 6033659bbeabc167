/*
 * clock.c: the two clocks of the server: milliseconds for what matters only while it runs (rates, deadlines), seconds
 * since 1970 for what is stored (dates, retention). Nothing else in src/server asks for the time, except measurements of
 * its own speed and the threads of pool.c, where a test that moves the clock must not change how long bots think.
 *
 * For tests about days, PYRAMIDS_TEST_CLOCK names a file with the server's time, which is read again on every tick.
 * `+259200` is three days ahead of the real time, `=1800000000` stops at that second. Only whoever starts the server can
 * set its environment; clients cannot.
 *
 * server_now may be called only from the loop's thread, server_time from any thread; hence the atomics.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server.h"

static struct {
    const char *file;            /* NULL: the real time */
    char text[32];               /* its last content */
    atomic_bool still;
    atomic_llong seconds;        /* to add, or at which it is stopped */
    int64_t start_time;          /* both clocks when the server started, to derive the one from the other */
    uint64_t start_now, last_now;
} test;

/* Seconds that the clock of a shared database is ahead of this machine's. */
static atomic_llong ahead;

/* Servers of one database must agree on the time, since each stores times that the others compare. */
void clock_follow(int64_t seconds)
{
    long long by = seconds - (long long)time(NULL), before = atomic_load(&ahead);
    if (by < before - 1 || by > before + 1)  /* differences below a second are ignored */
        atomic_store(&ahead, by);
}

/* Whether the clock is stopped or moved by an offset: both times are computed from the two clocks at the start. */
uint64_t server_now(const struct server *server)
{
    uint64_t now = uv_now(&server->loop);
    if (!test.file)
        return now;
    long long seconds = atomic_load(&test.seconds);
    int64_t moved = atomic_load(&test.still) ? (int64_t)test.start_now + 1000 * (seconds - test.start_time) :
        (int64_t)now + 1000 * seconds;
    if (moved > (int64_t)test.last_now)      /* this clock never runs backwards, whatever the file contains */
        test.last_now = (uint64_t)moved;
    return test.last_now;
}

int64_t server_time(void)
{
    int64_t now = (int64_t)time(NULL) + atomic_load(&ahead);
    if (!test.file)
        return now;
    return atomic_load(&test.still) ? atomic_load(&test.seconds) : now + atomic_load(&test.seconds);
}

void clock_start(const struct server *server)
{
    test.file = getenv("PYRAMIDS_TEST_CLOCK");
    test.start_time = (int64_t)time(NULL);
    test.start_now = uv_now(&server->loop);
    clock_tick(server);
}

/* A file that cannot be read or parsed leaves the clock unchanged. */
void clock_tick(const struct server *server)
{
    char text[sizeof test.text] = "", end;
    long long seconds;
    FILE *file = test.file ? fopen(test.file, "r") : NULL;
    if (!file)
        return;
    char *got = fgets(text, sizeof text, file);
    fclose(file);
    text[strcspn(text, "\n")] = '\0';
    if (!got || !strcmp(text, test.text) || !strchr("+=", text[0]) || sscanf(text + 1, "%lld%c", &seconds, &end) != 1 ||
        seconds < -100000000000 || seconds > 100000000000)
        return;
    memcpy(test.text, text, sizeof text);
    atomic_store(&test.still, text[0] == '=');
    atomic_store(&test.seconds, seconds);
    server_log(server, LOG_WARN, "test_clock", "clock=%s", text);
}
