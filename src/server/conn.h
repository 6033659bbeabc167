/*
 * conn.h (web.c, outbox.c, message.c): a connection as requests and messages, above the sockets of edge.c.
 *
 * Output is not queued. A connection stores how far it has been sent (sent_lines, sent_version, sent_ready), and the next
 * message is written from the table itself when the socket has room. So a slow reader costs no memory, and a client that
 * comes back needs only the version it had. Answers to messages are the exception: they depend on the message and wait in
 * `replies`, at most MAX_REPLIES of them.
 *
 * Invariants:
 *  1. A connection is a plain HTTP one until conn_begin makes it a WebSocket; it never changes back.
 *  2. `observer.table` is the table that it watches; table.c calls the observer and does not depend on connections.
 *  3. Of several connections at one seat the one with the highest `watch` plays; the others show `elsewhere`.
 *  4. conn_finish removes every reference to the connection (changes, fetch, visitor, table), except that of the edge,
 *     which lasts until edge_handler.gone.
 */
#ifndef PYR_SERVER_CONN_H
#define PYR_SERVER_CONN_H

#include "change.h"
#include "limit.h"
#include "object.h"

struct edge_conn;
struct request;

struct reply {                   /* the answer to a message */
    struct reply *next;
    size_t size;
    char text[];
};

struct conn {
    struct edge_conn *edge;      /* NULL: the connection is over */
    struct server *server;
    struct address *peer;        /* who has connected; held */
    bool is_counted;             /* among the connections of `peer`: not behind a proxy */
    struct request *request;     /* of an HTTP connection */
    /* A socket. */
    struct address *address;     /* held until conn_finish; NULL: not a socket, or not yet */
    bool entered;                /* counted among the connections of its address: it is behind a proxy */
    struct visitor *visitor;
    struct conn *next_of_visitor, **link_of_visitor;
    struct table_observer observer;          /* of the table that it watches */
    struct change *changes;      /* requested here and not yet answered; they belong to the queues of their tables */
    struct fetch *fetch;         /* a table that is being read from the store; `open` is answered when that is done */
    char fetch_id[ID_SIZE];
    uint32_t fetch_have;
    unsigned fetch_tries;
    bool fetch_limited;          /* the address has guessed too often: only tables that the visitor may know are found */
    struct reply *replies, **last_reply;     /* owned; freed when sent */
    unsigned reply_count;
    struct bucket rate;
    unsigned offences;
    struct conn *next_active, *prev_active;  /* all sockets in the order of active_at (server->by_activity) */
    uint64_t active_at, pinged_at;           /* when it last sent something, and when it was pinged; in milliseconds */
    bool is_socket, greeted, opened, warned, warn;
    bool pinged, ping;           /* silent for long; a ping is due */
    bool leaving;                /* one side has closed the connection, so nothing more is written */
    bool is_metrics;             /* accepted by the listener for metrics */
    struct conn *next_to_write, **link_to_write;     /* in server->write_queue; link NULL: not queued */
    uint16_t close;              /* code to close it with; 0: it stays open */
    uint64_t watch;              /* grows from one `open` to the next: of two connections at one seat, the one with the
                                    higher number plays */
    bool sent_elsewhere;
    uint32_t sent_lines, sent_version, sent_ready, sent_notice, sent_react;
};

#define MAX_REPLIES 64           /* answers not yet sent; a client that does not read them is closed with 1008 */
#define OUTBOX_ROOM 32768        /* bytes: any message of the server fits */

/* web.c. wake: there may be something to send, so the connection is written to before the loop next waits. pause and
 * resume: no messages are read while a table is being fetched, since the next ones may be about that table. */
void conn_wake(struct conn *conn);
void conn_pause(struct conn *conn);
void conn_resume(struct conn *conn);

/* outbox.c */

/* Writes the next message for the connection, one JSON text without terminator; its size in bytes, 0: nothing to send. */
size_t outbox_next(struct conn *conn, char *to, size_t room);

/* `done` or `error` for a message. */
void conn_answer(struct conn *conn, const char *id, enum error error, const struct problem *problem);

/* Submits a change whose answer is `done` or `error` for the message with this id. */
void conn_submit(struct conn *conn, struct change *change, const char *id);

/* The same for `ping`, which is answered without an id, too. */
void conn_pong(struct conn *conn, const char *id);

/* Starts watching a table, of which the client has the first `have` lines; stops watching. */
void conn_watch(struct conn *conn, struct table *table, uint32_t have);
void conn_unwatch(struct conn *conn);

/* Of several connections at one seat this one plays from now on; the others are sent `elsewhere`. */
void conn_take_over_seat(struct conn *conn);

/* Makes the connection a socket of this visitor. False, with nothing changed, if the address has as many as it may. */
bool conn_begin(struct conn *conn, struct visitor *visitor, struct address *address);

/* The socket is closed, or there never was one: removes everything that refers to it. */
void conn_finish(struct conn *conn);

/* message.c: one whole message. */
void message_read(struct conn *conn, const char *text, size_t size);

/* Whether a value can be the id of a message: 1 to 36 visible ASCII characters. */
bool message_is_id(const json_t *value);

/* message.c, for http.c too: checks an object's members against what is allowed. */
/* A seat is a number from 1; any: the caller checks it. */
enum field_kind { FIELD_TEXT, FIELD_NUMBER, FIELD_SEAT, FIELD_BOOL, FIELD_ARRAY, FIELD_ANY };
struct field {
    const char *name;
    enum field_kind kind;
    bool required;
    int64_t most;                /* bytes of a text, the highest number, members of an array */
};
/* False with problem->detail: an unknown, missing or unfit member. values[i] is that of field[i] or NULL. A message has
 * `type` and `id`, too. */
bool fields_read(json_t *object, const struct field *field, unsigned count, bool is_message, json_t **values,
    struct problem *problem);

#endif
