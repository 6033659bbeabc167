/* feed.c: what a connection is told next. Everything that leaves for a socket is written here. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "object.h"
#include "server.h"

#define CHUNK 24576              /* bytes of lines a message, about */

/* A text under way; what does not fit is not written, and `full` tells. */
struct out {
    char *at, *end;
    bool full;
};

static void put_bytes(struct out *out, const char *bytes, size_t size)
{
    if ((size_t)(out->end - out->at) < size) {
        out->full = true;
        return;
    }
    memcpy(out->at, bytes, size);
    out->at += size;
}

static void put(struct out *out, const char *text)
{
    put_bytes(out, text, strlen(text));
}

static void put_number(struct out *out, int64_t number)
{
    char digits[24];
    put_bytes(out, digits, (size_t)snprintf(digits, sizeof digits, "%lld", (long long)number));
}

static void put_string(struct out *out, const char *text, size_t size)
{
    static const char hex[] = "0123456789abcdef";
    put(out, "\"");
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            put_bytes(out, (char[]){ '\\', (char)c }, 2);
        else if (c < 0x20)
            put_bytes(out, (char[]){ '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] }, 6);
        else
            put_bytes(out, text + i, 1);
    }
    put(out, "\"");
}

/* Answers. */

/* Queues an answer; size 0: it did not fit. */
static void add_reply(struct conn *conn, const char *text, size_t size)
{
    struct reply *reply = size ? malloc(sizeof *reply + size) : NULL;
    if (!reply || conn->reply_count >= MAX_REPLIES) {
        free(reply);
        conn->close = 1008;                  /* it does not read; nothing is dropped in silence */
    } else {
        reply->next = NULL;
        reply->size = size;
        memcpy(reply->text, text, size);
        *conn->last_reply = reply;
        conn->last_reply = &reply->next;
        conn->reply_count++;
    }
    conn_wake(conn);
}

void conn_answer(struct conn *conn, const char *id, enum error error, const struct problem *problem)
{
    char text[1024];
    struct out out = { text, text + sizeof text, false };
    if (!error && !id[0])
        return;                              /* nobody asked */
    put(&out, error ? "{\"type\":\"error\"" : "{\"type\":\"done\"");
    if (id[0]) {
        put(&out, ",\"id\":");
        put_string(&out, id, strlen(id));
    }
    if (error) {
        conn->server->count.errors++;
        put(&out, ",\"code\":\"");
        put(&out, error_name(error));
        put(&out, "\"");
    }
    if (error == ERROR_ILLEGAL) {
        const char *rule = pyr_err_rule(problem->fault.code), *reason = pyr_err_name(problem->fault.code);
        put(&out, ",\"reason\":\"");
        put(&out, reason ? reason : "other");
        put(&out, "\"");
        if (rule[0]) {
            put(&out, ",\"rule\":");
            put_string(&out, rule, strlen(rule));
        }
        if (problem->fault.word[0]) {
            put(&out, ",\"detail\":");
            put_string(&out, problem->fault.word, strlen(problem->fault.word));
        }
    } else if (error && problem && problem->detail[0]) {
        put(&out, ",\"detail\":");
        put_string(&out, problem->detail, strlen(problem->detail));
    }
    put(&out, "}");
    add_reply(conn, text, out.full ? 0 : (size_t)(out.at - text));
}

static void answer_change(struct change *change, enum error error)
{
    conn_answer(change->context, change->id, error, change->problem);
}

void conn_submit(struct conn *conn, struct change *change, const char *id)
{
    change->answer = answer_change;
    change->context = conn;
    change_submit(change, &conn->changes, id);
}

void conn_pong(struct conn *conn, const char *id)
{
    static const char done[] = "{\"type\":\"done\"}";
    if (id[0])
        conn_answer(conn, id, ERROR_NONE, NULL);
    else
        add_reply(conn, done, sizeof done - 1);
}

/* Watching. */

static pyr_seat seat_of(const struct conn *conn)
{
    return conn->visitor ? table_seat_of(conn->observer.table, (int64_t)conn->visitor->node.key) : PYR_SPECTATOR;
}

/* Whether the seat is played over a later connection of the same person. */
static bool is_elsewhere(const struct conn *conn)
{
    if (seat_of(conn) >= PYR_MAX_SEATS)
        return false;
    for (const struct conn *other = conn->visitor->conns; other; other = other->next_of_visitor)
        if (other->observer.table == conn->observer.table && other->watch > conn->watch)
            return true;
    return false;
}

void conn_take_over_seat(struct conn *conn)
{
    if (!conn->observer.table || !is_elsewhere(conn))
        return;
    conn->watch = ++conn->server->last_watch;
    table_presence_changed(conn->observer.table);
}

static void wake(struct table_observer *observer)
{
    conn_wake((struct conn *)((char *)observer - offsetof(struct conn, observer)));
}

void conn_watch(struct conn *conn, struct table *table, uint32_t have)
{
    conn_unwatch(conn);
    conn->watch = ++conn->server->last_watch;
    conn->sent_lines = have <= table->log.count ? have : 0;
    conn->opened = false;
    conn->sent_version = table->version;     /* table_observe makes it one more */
    conn->observer.visitor = conn->visitor ? (int64_t)conn->visitor->node.key : 0;
    conn->observer.address = conn->address ? conn->address->node.key : 0;
    conn->observer.changed = wake;
    table_observe(table, &conn->observer);
}

void conn_unwatch(struct conn *conn)
{
    table_unobserve(&conn->observer);
}

bool conn_begin(struct conn *conn, struct visitor *visitor, struct address *address)
{
    struct server *server = conn->server;
    if (!address || (server->options.trust_proxy && !address_enter(server, address)))
        return false;
    conn->entered = server->options.trust_proxy;
    conn->address = conn->entered ? address : address_hold(address);
    conn->last_reply = &conn->replies;
    conn->visitor = visitor;
    conn->next_of_visitor = visitor->conns;
    conn->link_of_visitor = &visitor->conns;
    if (visitor->conns)
        visitor->conns->link_of_visitor = &conn->next_of_visitor;
    visitor->conns = conn;
    visitor->connections++;
    visitor_seen(server, visitor);
    return true;
}

void conn_finish(struct conn *conn)
{
    changes_abandon(&conn->changes);
    if (conn->fetch)
        conn->fetch->context = NULL;
    conn->fetch = NULL;
    conn_unwatch(conn);
    while (conn->replies) {
        struct reply *reply = conn->replies;
        conn->replies = reply->next;
        free(reply);
    }
    if (conn->link_of_visitor) {
        *conn->link_of_visitor = conn->next_of_visitor;
        if (conn->next_of_visitor)
            conn->next_of_visitor->link_of_visitor = conn->link_of_visitor;
        conn->visitor->connections--;
        conn->visitor->used = server_now(conn->server);
    }
    conn->link_of_visitor = NULL;
    conn->visitor = NULL;
    if (conn->entered)
        address_leave(conn->address);
    else
        address_release(conn->address);
    conn->entered = false;
    conn->address = NULL;
}

/* The messages. */

static int64_t time_left(const struct table *table)
{
    uint64_t now = server_now(table->server);
    return !table->deadline ? -1 : table->deadline > now ? (int64_t)(table->deadline - now) : 0;
}

static size_t tell_hello(struct conn *conn, struct out *out, const char *from)
{
    conn->greeted = true;
    put(out, "{\"type\":\"hello\",\"server\":\"" PYR_VERSION "\",\"name\":");
    put_string(out, conn->visitor->name, strlen(conn->visitor->name));
    put(out, "}");
    return (size_t)(out->at - from);
}

static size_t tell_reply(struct conn *conn, struct out *out, const char *from)
{
    struct reply *reply = conn->replies;
    conn->replies = reply->next;
    if (!conn->replies)
        conn->last_reply = &conn->replies;
    conn->reply_count--;
    put_bytes(out, reply->text, reply->size);
    free(reply);
    return (size_t)(out->at - from);
}

static size_t tell_table(struct conn *conn, struct out *out)
{
    object_begin();
    json_t *json = table_json(conn->observer.table, conn->visitor);
    bool good = !json_object_set_new(json, "type", json_string("table"));
    size_t room = (size_t)(out->end - out->at), size = good ? json_dumpb(json, out->at, room, JSON_COMPACT) : 0;
    json_decref(json);
    conn->sent_version = conn->observer.table->version;
    if (size && size <= room && !object_is_short())
        return size;
    conn->close = 1011;                      /* without memory: when it is back it is told everything */
    return 0;
}

static size_t tell_elsewhere(struct conn *conn, struct out *out, const char *from)
{
    conn->sent_elsewhere = !conn->sent_elsewhere;
    put(out, "{\"type\":\"elsewhere\",\"elsewhere\":");
    put(out, conn->sent_elsewhere ? "true}" : "false}");
    return (size_t)(out->at - from);
}

static unsigned ready_seats(const struct table *table)
{
    unsigned ready = 0, waiting = table_waiting(table);
    if (table->now.stage == STORE_RUNNING)
        ready = table->now.game.replay.state.open.waiting & ~waiting;
    return ready & 15;
}

static size_t tell_lines(struct conn *conn, struct out *out, const char *from)
{
    const struct table *table = conn->observer.table;
    const struct lines *log = &table->log;
    pyr_seat seat = seat_of(conn);
    uint32_t line = conn->sent_lines, to = line;
    bool first = true;
    while (to < log->count && (to == line || (size_t)(log->start[to + 1] - log->start[line]) < CHUNK))
        to++;
    put(out, "{\"type\":\"lines\",\"from\":");
    put_number(out, line);
    put(out, ",\"to\":");
    put_number(out, to);
    put(out, ",\"left\":");
    put_number(out, to == log->count ? time_left(table) : -1);
    put(out, ",\"lines\":[");
    for (; line < to; line++) {
        struct pyr_word text = table_line(table, line);
        if (!pyr_game_line_is_visible(&table->now.game, text, seat))
            continue;
        if (!first)
            put(out, ",");
        first = false;
        put_string(out, text.at, text.length);
    }
    put(out, "]}");
    conn->sent_lines = to;
    if (conn->opened && to == log->count && !ready_seats(table))
        conn->sent_ready = table->ready;     /* a new phase: nobody has chosen, as the lines themselves tell */
    else
        conn->sent_ready = table->ready - 1;
    conn->opened = true;
    return (size_t)(out->at - from);
}

static size_t tell_ready(struct conn *conn, struct out *out, const char *from)
{
    const struct table *table = conn->observer.table;
    unsigned ready = ready_seats(table);
    char mine[512];
    bool first = true;
    conn->sent_ready = table->ready;
    put(out, "{\"type\":\"ready\",\"phase\":");
    put_number(out, table->log.count);
    put(out, ",\"ready\":[");
    for (unsigned s = 0; s < table->now.seats; s++) {
        if (!(ready >> s & 1))
            continue;
        if (!first)
            put(out, ",");
        first = false;
        put_number(out, s + 1);
    }
    put(out, "],\"left\":");
    put_number(out, time_left(table));
    put(out, ",\"mine\":");
    table_choice(table, seat_of(conn), mine, sizeof mine);
    if (mine[0])
        put_string(out, mine, strlen(mine));
    else
        put(out, "null");
    put(out, "}");
    return (size_t)(out->at - from);
}

size_t feed_next(struct conn *conn, char *to, size_t room)
{
    struct out out = { to, to + room, false };
    const struct table *table = conn->observer.table;
    if (!conn->greeted)
        return tell_hello(conn, &out, to);
    if (conn->replies)
        return tell_reply(conn, &out, to);
    if (conn->warn && !conn->warned) {
        conn->warned = true;
        put(&out, "{\"type\":\"again\",\"seconds\":2}");
        return (size_t)(out.at - to);
    }
    if (!table)
        return 0;
    if (conn->sent_version != table->version)
        return tell_table(conn, &out);
    if (conn->sent_elsewhere != is_elsewhere(conn))
        return tell_elsewhere(conn, &out, to);
    if (!conn->opened || conn->sent_lines != table->log.count)
        return tell_lines(conn, &out, to);
    if (conn->sent_ready != table->ready && table->now.stage == STORE_RUNNING)
        return tell_ready(conn, &out, to);
    return 0;
}
