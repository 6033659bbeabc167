/*
 * store_pg_listen.c: receives announcements of other servers on the same database (store_pg.c), over a connection of its
 * own. A thread waits for them; they are handed on in the loop's thread.
 *
 * Announcements may be lost with the connection. So after every connect this is reported (a code of NULL), and the
 * receiver compares revisions: a lost announcement causes a delay, but nothing is missed. So if the loop is busy for so
 * long that more than MOST_WAITING bytes wait for it, they are dropped, and the same is reported instead.
 *
 * Ownership: the thread owns the connection; the list of news is shared under `mutex`. `on_news` is called in the loop's
 * thread.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store_pg.h"

#define ALIVE_MS 5000            /* between checks of a silent connection; also how long the answer may take */
#define FIRST_DELAY 200          /* ms before the next attempt, doubled each time */
#define LONGEST_DELAY 2000
#define MOST_WAITING (8 << 20)   /* bytes of announcements that the loop has not taken yet */

#define LOST "\n"                /* instead of an announcement: the connection was lost */

/* One notification as received; "" means a new connection. */
struct news {
    struct news *next;
    char words[];
};

struct store_listener {
    uv_async_t async;
    uv_thread_t thread;
    uv_mutex_t mutex;
    int wake[2];                 /* a pipe: written to when the thread should end */
    struct pg db;                /* only its connection string is used */
    struct news *first, **end;   /* under the mutex, as is the next one; "": there may have been others */
    size_t waiting;              /* bytes in the list */
    store_on_news *on_news;
    void *context;
};

static void drop(struct news *first)
{
    for (struct news *news = first, *next; news; news = next) {
        next = news->next;
        free(news);
    }
}

/* In the thread. */
static void push(struct store_listener *listener, const char *words)
{
    size_t size = strlen(words);
    struct news *news = malloc(sizeof *news + size + 1);
    if (!news)
        return;                              /* the next check of all tables finds what was missed */
    news->next = NULL;
    memcpy(news->words, words, size + 1);
    uv_mutex_lock(&listener->mutex);
    listener->waiting += size;
    if (listener->waiting > MOST_WAITING) {
        drop(listener->first);
        listener->end = &listener->first;
        listener->waiting = 0;
        news->words[0] = '\0';
    }
    *listener->end = news;
    listener->end = &news->next;
    uv_mutex_unlock(&listener->mutex);
    uv_async_send(&listener->async);
}

/* Waits for bytes or the end. Returns true when the thread should end; false also after `ms` without anything. */
static bool is_over(const struct store_listener *listener, int fd, int ms)
{
    struct pollfd at[2] = { { .fd = listener->wake[0], .events = POLLIN }, { .fd = fd, .events = POLLIN } };
    poll(at, fd >= 0 ? 2 : 1, ms);
    return at[0].revents;
}

static bool waits(void *context)
{
    return !is_over(context, -1, 0);
}

static bool run_sql(struct store_listener *listener, PGconn *connection, const char *sql)
{
    PGresult *result = pg_run(connection, sql, ALIVE_MS, waits, listener);
    ExecStatusType status = PQresultStatus(result);
    PQclear(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

/* A listener that takes nothing, because its process or machine is paused, keeps all later announcements in the database
 * server's queue; when that is full (8 GB), no server can announce anything and so none can store. So the database server
 * ends such a connection; through a socket file it cannot. */
#define TAKES_NOTHING "set_config('tcp_user_timeout', '60000', false)"

/* If there are several hosts, connects to the one that can be written to: a standby receives nothing. The channel's name
 * depends on the schema and cannot be a parameter of LISTEN, so the database server quotes it first. */
static PGconn *connect_to(struct store_listener *listener)
{
    PGconn *connection = pg_connect_beside(&listener->db);
    bool is_open = PQstatus(connection) == CONNECTION_OK;
    PGresult *result = is_open ? pg_run(connection, "SELECT quote_ident(" PG_CHANNEL "), " TAKES_NOTHING, ALIVE_MS, waits,
        listener) : NULL;
    char sql[160] = "";
    if (PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1)
        snprintf(sql, sizeof sql, "LISTEN %s", PQgetvalue(result, 0, 0));
    PQclear(result);
    if (sql[0] && run_sql(listener, connection, sql))
        return connection;
    PQfinish(connection);
    return NULL;
}

/* A connection can be dead without any sign (a firewall, a switch): after ALIVE_MS of silence a query shows whether it
 * is. */
static void listen_for_news(void *argument)
{
    struct store_listener *listener = argument;
    PGconn *connection = NULL;
    int delay = 0;
    for (;;) {
        if (!connection) {
            if (delay && is_over(listener, -1, delay))
                break;
            connection = connect_to(listener);
            delay = connection || !delay ? FIRST_DELAY : 2 * delay < LONGEST_DELAY ? 2 * delay : LONGEST_DELAY;
            if (connection)
                push(listener, "");
            continue;
        }
        uint64_t since = pg_now();
        if (is_over(listener, PQsocket(connection), ALIVE_MS))
            break;
        bool good = PQconsumeInput(connection) == 1 && PQstatus(connection) == CONNECTION_OK &&
            (pg_now() - since < ALIVE_MS || run_sql(listener, connection, "SELECT 1"));
        for (PGnotify *notify; (notify = PQnotifies(connection)); PQfreemem(notify))
            push(listener, notify->extra);
        if (!good) {
            PQfinish(connection);
            connection = NULL;
            push(listener, LOST);
        }
    }
    PQfinish(connection);
}

/* See PG_MORE for the format. */
static void hand_on(struct store_listener *listener, char *words)
{
    char *rest;
    if (!words[0] || !strcmp(words, LOST)) {
        listener->on_news(listener->context, NULL, words[0] != '\0', NULL);
        return;
    }
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *colon = strchr(word, ':');
        if (!colon)
            continue;
        *colon = '\0';
        char *number = colon + 1, *more = strchr(number, PG_MORE);
        if (more)
            *more++ = '\0';
        for (char *at = more; at && (at = strchr(at, PG_BLANK));)
            *at = ' ';
        listener->on_news(listener->context, word, strtoll(number, NULL, 10), more);
    }
}

/* libuv may merge several wake-ups into one, so the whole list is taken. */
static void deliver_news(uv_async_t *async)
{
    struct store_listener *listener = async->data;
    uv_mutex_lock(&listener->mutex);
    struct news *first = listener->first;
    listener->first = NULL;
    listener->end = &listener->first;
    listener->waiting = 0;
    uv_mutex_unlock(&listener->mutex);
    for (struct news *news = first, *next; news; news = next) {
        next = news->next;
        hand_on(listener, news->words);
        free(news);
    }
}

/* The thread has ended before the handle is closed, so the list needs no lock any more. */
static void on_closed(uv_handle_t *handle)
{
    struct store_listener *listener = handle->data;
    drop(listener->first);
    uv_mutex_destroy(&listener->mutex);
    close(listener->wake[0]);
    close(listener->wake[1]);
    free(listener->db.where);
    free(listener);
}

/* Unreferenced, so that it does not keep the loop alive by itself. NULL without memory, a pipe or a thread. */
struct store_listener *pg_listen(struct store_db *base, uv_loop_t *loop, store_on_news *on_news, void *context)
{
    struct store_listener *listener = calloc(1, sizeof *listener);
    if (!listener)
        return NULL;
    listener->end = &listener->first;
    listener->on_news = on_news;
    listener->context = context;
    listener->db.write = true;
    listener->db.where = strdup(((struct pg *)base)->where);
    if (!listener->db.where || pipe(listener->wake)) {
        free(listener->db.where);
        free(listener);
        return NULL;
    }
    uv_mutex_init(&listener->mutex);
    uv_async_init(loop, &listener->async, deliver_news);
    listener->async.data = listener;
    uv_unref((uv_handle_t *)&listener->async);
    if (!uv_thread_create(&listener->thread, listen_for_news, listener))
        return listener;
    uv_close((uv_handle_t *)&listener->async, on_closed);
    return NULL;
}

/* A byte in the pipe ends the thread's poll. Written again if a signal interrupts it. */
void pg_listen_end(struct store_listener *listener)
{
    while (write(listener->wake[1], "", 1) < 0)
        ;
    uv_thread_join(&listener->thread);
    uv_close((uv_handle_t *)&listener->async, on_closed);
}
