/*
 * outbox.c: the next message for a connection, written when its socket has room. Everything sent to a WebSocket is
 * written here, so this is the one place that must not leak secrets: lines pass pyr_game_line_is_visible for the seat of
 * the connection's visitor (tests/test_outbox.c compares what two games with different secrets send).
 *
 * The order is: answers to the client's own messages first, then the table if its version changed, then lines, then
 * who has chosen. So a client never gets lines of a table before the table itself.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/json.h>

#include "conn.h"
#include "object.h"
#include "server.h"

#define CHUNK 24576              /* bytes of lines per message, about */

/* Every message is one JSON object that begins with its type (docs/protocol.md, section 3). */
static void message_begin(struct pyr_json *json, const char *type, char *to, size_t room)
{
    pyr_json_init(json, to, room, PYR_JSON_COMPACT);
    pyr_json_object(json, NULL);
    pyr_json_text(json, "type", type);
}

/* Answers. */

/* Queues an answer; size 0: it did not fit. */
static void add_reply(struct conn *conn, const char *text, size_t size)
{
    struct reply *reply = size ? malloc(sizeof *reply + size) : NULL;
    if (!reply || conn->reply_count >= MAX_REPLIES) {
        free(reply);
        conn->close = 1008;                  /* the client does not read; messages are not dropped silently */
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

/* A message without an id gets no `done`, but it does get its error. */
void conn_answer(struct conn *conn, const char *id, enum error error, const struct problem *problem)
{
    char text[1024];
    struct pyr_json json;
    if (!error && !id[0])
        return;                              /* the client did not ask for an answer */
    message_begin(&json, error ? "error" : "done", text, sizeof text);
    if (id[0])
        pyr_json_text(&json, "id", id);
    if (error) {
        conn->server->count.errors++;
        pyr_json_text(&json, "code", error_name(error));
    }
    if (error == ERROR_ILLEGAL) {
        const char *rule = pyr_err_rule(problem->fault.code), *reason = pyr_err_name(problem->fault.code);
        pyr_json_text(&json, "reason", reason ? reason : "other");
        if (rule[0])
            pyr_json_text(&json, "rule", rule);
        if (problem->fault.word[0])
            pyr_json_text(&json, "detail", problem->fault.word);
    } else if (error && problem && problem->detail[0]) {
        pyr_json_text(&json, "detail", problem->detail);
    }
    pyr_json_close(&json);
    add_reply(conn, text, pyr_json_finish(&json));
}

/* The context is still valid: conn_finish takes the answer away from all changes of a connection that ends. */
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
    char text[32];
    struct pyr_json json;
    if (id[0]) {
        conn_answer(conn, id, ERROR_NONE, NULL);
        return;
    }
    message_begin(&json, "done", text, sizeof text);
    pyr_json_close(&json);
    add_reply(conn, text, pyr_json_finish(&json));
}

/* Watching. */

/* Computed for each message and never stored: seats change hands, and this decides what may be seen. */
static pyr_seat seat_of(const struct conn *conn)
{
    return conn->visitor ? table_seat_of(conn->observer.table, (int64_t)conn->visitor->node.key) : PYR_SPECTATOR;
}

/* Whether the seat is played over a later connection of the same person, to this server or another one. */
static bool is_elsewhere(const struct conn *conn)
{
    if (seat_of(conn) >= PYR_MAX_SEATS)
        return false;
    if (presence_plays_elsewhere(conn->observer.table, (int64_t)conn->visitor->node.key))
        return true;
    for (const struct conn *other = conn->visitor->conns; other; other = other->next_of_visitor)
        if (other->observer.table == conn->observer.table && other->watch > conn->watch)
            return true;
    return false;
}

/* The highest `watch` plays (invariant 3 of conn.h), so a new number is enough. This is also sent to a connection at
 * another server that took the seat and seems to have gone, since it may be back soon. */
void conn_take_over_seat(struct conn *conn)
{
    const struct table *table = conn->observer.table;
    if (!table || (!is_elsewhere(conn) && !presence_was_taken(table, conn->observer.visitor)))
        return;
    conn->watch = ++conn->server->last_watch;
    table_presence_changed(conn->observer.table);
    presence_play_here(conn->observer.table, (int64_t)conn->visitor->node.key);
}

/* From the member back to the connection that contains it. */
static void wake(struct table_observer *observer)
{
    conn_wake((struct conn *)((char *)observer - offsetof(struct conn, observer)));
}

/* A client that claims to have more lines than there are is sent all of them. */
void conn_watch(struct conn *conn, struct table *table, uint32_t have)
{
    bool is_same = conn->observer.table == table;
    if (!is_same)
        conn_unwatch(conn);
    conn->watch = ++conn->server->last_watch;
    conn->sent_lines = have <= table->log.count ? have : 0;
    conn->opened = false;
    conn->sent_version = table->version;     /* incremented below */
    conn->sent_react = table->react.count;   /* earlier reactions are not sent */
    conn->observer.visitor = conn->visitor ? (int64_t)conn->visitor->node.key : 0;
    conn->observer.address = conn->address ? conn->address->node.key : 0;
    conn->observer.changed = wake;
    if (is_same)
        table_presence_changed(table);       /* the visitor has reconnected: observers see no absence */
    else
        table_observe(table, &conn->observer);
    if (seat_of(conn) < PYR_MAX_SEATS)
        presence_play_here(table, conn->observer.visitor);
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

/* Invariant 4 of conn.h. May be called for a connection that never became a socket. */
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

/* Milliseconds; -1: no clock. Relative instead of a time of day, since clients' clocks are often wrong. */
static int64_t time_left(const struct table *table)
{
    uint64_t now = server_now(table->server);
    return !table->deadline ? -1 : table->deadline > now ? (int64_t)(table->deadline - now) : 0;
}

/* Ends a message and returns its size. 0 if it did not fit; then the connection is closed, and the client is sent
 * everything after it has reconnected. */
static size_t message_end(struct conn *conn, struct pyr_json *json)
{
    pyr_json_close(json);
    size_t size = pyr_json_finish(json);
    if (!size)
        conn->close = 1011;
    return size;
}

static size_t write_hello(struct conn *conn, char *to, size_t room)
{
    struct pyr_json json;
    conn->greeted = true;
    message_begin(&json, "hello", to, room);
    pyr_json_text(&json, "server", conn->server->options.version ? conn->server->options.version : PYR_VERSION);
    pyr_json_text(&json, "name", conn->visitor->name);
    return message_end(conn, &json);
}

/* Answers have at most 1024 bytes and OUTBOX_ROOM is larger, so they fit. */
static size_t write_reply(struct conn *conn, char *to, size_t room)
{
    struct reply *reply = conn->replies;
    size_t size = reply->size <= room ? reply->size : 0;
    conn->replies = reply->next;
    if (!conn->replies)
        conn->last_reply = &conn->replies;
    conn->reply_count--;
    memcpy(to, reply->text, size);
    free(reply);
    return size;
}

static size_t write_table(struct conn *conn, char *to, size_t room)
{
    object_begin();
    json_t *json = table_json(conn->observer.table, conn->visitor);
    bool good = !json_object_set_new(json, "type", json_string("table"));
    size_t size = good ? json_dumpb(json, to, room, JSON_COMPACT) : 0;
    json_decref(json);
    conn->sent_version = conn->observer.table->version;
    if (size && size <= room && !object_is_short())
        return size;
    conn->close = 1011;                      /* without memory: everything is sent again after the client has reconnected */
    return 0;
}

/* Sent when it changes, so it is the opposite of the value sent last. */
static size_t write_elsewhere(struct conn *conn, char *to, size_t room)
{
    struct pyr_json json;
    conn->sent_elsewhere = !conn->sent_elsewhere;
    message_begin(&json, "elsewhere", to, room);
    pyr_json_bool(&json, "elsewhere", conn->sent_elsewhere);
    return message_end(conn, &json);
}

/* The seats that have confirmed a choice in this phase, as bits. That they have is public, unlike the choice. */
static unsigned ready_seats(const struct table *table)
{
    unsigned ready = 0, waiting = table_waiting(table);
    if (table->now.stage == STORE_RUNNING)
        ready = table->now.game.replay.state.open.waiting & ~waiting;
    return ready & 15;
}

/* Writes at least one line if there is any, and as many as fit into CHUNK. `to` counts hidden lines as well, so that
 * positions in the log are the same for everyone; a hidden line is left out of the list. */
static size_t write_lines(struct conn *conn, char *to, size_t room)
{
    struct pyr_json json;
    const struct table *table = conn->observer.table;
    const struct table_log *log = &table->log;
    pyr_seat seat = seat_of(conn);
    uint32_t line = conn->sent_lines, end = line;
    while (end < log->count && (end == line || (size_t)(log->start[end + 1] - log->start[line]) < CHUNK))
        end++;
    message_begin(&json, "lines", to, room);
    pyr_json_number(&json, "from", line);
    pyr_json_number(&json, "to", end);
    pyr_json_number(&json, "left", end == log->count ? time_left(table) : -1);
    pyr_json_array(&json, "lines");
    for (; line < end; line++) {
        struct pyr_word text = table_line(table, line);
        if (pyr_game_line_is_visible(&table->now.game, text, seat))
            pyr_json_word(&json, NULL, text);
    }
    pyr_json_close(&json);
    conn->sent_lines = end;
    if (conn->opened && end == log->count && !ready_seats(table))
        conn->sent_ready = table->ready;     /* the lines begin a new phase, in which no one has chosen yet */
    else
        conn->sent_ready = table->ready - 1;
    conn->opened = true;
    return message_end(conn, &json);
}

/* `mine` is the seat's own choice, for a client that reconnects in the middle of a phase; it is sent to no one else. */
static size_t write_ready(struct conn *conn, char *to, size_t room)
{
    struct pyr_json json;
    const struct table *table = conn->observer.table;
    unsigned ready = ready_seats(table);
    char mine[512];
    conn->sent_ready = table->ready;
    message_begin(&json, "ready", to, room);
    pyr_json_number(&json, "phase", table->log.count);
    pyr_json_array(&json, "ready");
    for (unsigned s = 0; s < table->now.seats; s++)
        if (ready >> s & 1)
            pyr_json_number(&json, NULL, s + 1);
    pyr_json_close(&json);
    pyr_json_number(&json, "left", time_left(table));
    table_choice(table, seat_of(conn), mine, sizeof mine);
    pyr_json_text(&json, "mine", mine[0] ? mine : NULL);
    return message_end(conn, &json);
}

/* Reactions that are no longer kept are left out. */
static size_t write_reaction(struct conn *conn, char *to, size_t room)
{
    struct pyr_json json;
    const struct table *table = conn->observer.table;
    if (table->react.count - conn->sent_react > REACTIONS_KEPT)
        conn->sent_react = table->react.count - REACTIONS_KEPT;
    uint32_t at = conn->sent_react++ % REACTIONS_KEPT;
    message_begin(&json, "reaction", to, room);
    pyr_json_number(&json, "seat", table->react.last[at].seat + 1);
    pyr_json_text(&json, "symbol", reaction_names[table->react.last[at].symbol]);
    return message_end(conn, &json);
}

static size_t write_again(struct conn *conn, char *to, size_t room)
{
    struct pyr_json json;
    conn->warned = true;
    message_begin(&json, "again", to, room);
    pyr_json_number(&json, "seconds", conn->server->shared ? 0 : 2);        /* another server is running already */
    return message_end(conn, &json);
}

/* The operator's announcement. */
static size_t write_notice(struct conn *conn, char *to, size_t room)
{
    const struct server *server = conn->server;
    uint64_t now = server_now(server), at = server->notice.restart_at;
    struct pyr_json json;
    conn->sent_notice = server->notice.version;
    message_begin(&json, "notice", to, room);
    pyr_json_text(&json, "text", server->notice.text[0] ? server->notice.text : NULL);
    if (at)
        pyr_json_number(&json, "restart", at > now ? (int64_t)((at - now + 999) / 1000) : 0);
    else
        pyr_json_null(&json, "restart");
    return message_end(conn, &json);
}

/* That an announcement was withdrawn is sent only to clients that had received it. */
static bool lacks_notice(struct conn *conn)
{
    const struct server *server = conn->server;
    if (!conn->sent_notice && !server->notice.text[0] && !server->notice.restart_at)
        return false;
    return conn->sent_notice != server->notice.version;
}

/* One message per call: the first of the list in the head of this file that the connection lacks. */
size_t outbox_next(struct conn *conn, char *to, size_t room)
{
    const struct table *table = conn->observer.table;
    if (!conn->greeted)
        return write_hello(conn, to, room);
    if (conn->replies)
        return write_reply(conn, to, room);
    if (conn->warn && !conn->warned)
        return write_again(conn, to, room);
    if (lacks_notice(conn))
        return write_notice(conn, to, room);
    if (!table)
        return 0;
    if (conn->sent_version != table->version)
        return write_table(conn, to, room);
    if (conn->sent_elsewhere != is_elsewhere(conn))
        return write_elsewhere(conn, to, room);
    if (!conn->opened || conn->sent_lines != table->log.count)
        return write_lines(conn, to, room);
    if (conn->sent_ready != table->ready && table->now.stage == STORE_RUNNING)
        return write_ready(conn, to, room);
    if (conn->sent_react != table->react.count)
        return write_reaction(conn, to, room);
    return 0;
}
