/*
 * edge.h (edge.c): sockets on libuv's loop, with HTTP, WebSocket and TLS from src/wire on top. It listens, accepts, reads
 * and writes, limits how long a peer may take, and reports events to the connection's owner (web.c). It does not depend
 * on requests, tables or visitors.
 *
 * Callbacks run from the loop or from edge_turn, never from inside one of the calls below. So an owner may write, close
 * and cut anywhere in its own code without being called back from there.
 *
 * Ownership: an edge_conn belongs to the edge. Its owner does not use it after `end`; `gone` is the last callback, and the
 * owner may then be freed.
 */
#ifndef PYR_SERVER_EDGE_H
#define PYR_SERVER_EDGE_H

#include <uv.h>

#include "wire.h"

struct edge;
struct edge_conn;

struct edge_handler {
    /* A client has connected to the listener with that number; address: in digits. Returns the owner; NULL refuses it. */
    void *(*begin)(void *context, struct edge_conn *conn, unsigned listener, const char *address);
    void (*request)(void *owner, const struct wire_request *request);    /* these as in struct wire_events */
    void (*body)(void *owner, const char *bytes, size_t size);
    void (*complete)(void *owner);
    void (*message)(void *owner, const char *text, size_t size);
    void (*activity)(void *owner);          /* a WebSocket has sent something */
    void (*room)(void *owner);           /* it can be written to, after edge_wake or once the last bytes have left */
    /* no more is read or written; code: a WebSocket's close, 1006 without one */
    void (*end)(void *owner, unsigned code);
    void (*gone)(void *owner);           /* the socket is closed, after `end`: the owner may be freed */
    uint64_t (*now)(void *context);      /* milliseconds */
    /* accept failed for lack of descriptors; it is retried after a while. Called once each time */
    void (*short_of_files)(void *context, int error);
};

/* NULL without memory */
struct edge *edge_create(uv_loop_t *loop, const struct edge_handler *handler, void *context, size_t longest_message);

/* Connections of this listener use TLS from now on, with this context, which becomes the edge's; NULL: they do not. If it
 * has a context already, that one is renewed: existing connections keep their certificate. */
void edge_use_tls(struct edge *edge, unsigned listener, struct wire_tls_context *tls);

/* A socket that listens, without an edge: 0, or errno. */
int edge_open_socket(const char *address, unsigned port, int *fd);

/* Starts listening. 0, or errno: EINVAL if it is not an address. *port 0: any, and then the one chosen. Without an
 * address, connections arrive by edge_adopt only. */
int edge_listen(struct edge *edge, unsigned listener, const char *address, unsigned *port);

/* The same with a socket that is listening already; a listener may have several. `address` has room for INET6_ADDRSTRLEN.
 * EINVAL: it is not such a socket. The edge takes the descriptor. */
int edge_listen_on(struct edge *edge, unsigned listener, int fd, char *address, unsigned *port);

/* Takes no further connections. */
void edge_stop_accepting(struct edge *edge);

/* Takes over a connection that was accepted elsewhere, or one end of a socket pair in a test. The edge takes the
 * descriptor. */
void edge_adopt(struct edge *edge, unsigned listener, int fd, const char *address);

/* Before the loop waits: does what is due. */
void edge_turn(struct edge *edge);
bool edge_is_due(const struct edge *edge);               /* something has become due since */

/* A few times per second: cuts connections that are too slow, accepts again after a lack of descriptors. */
void edge_tick(struct edge *edge);

/* Stops listening and cuts all connections. The edge frees itself once the loop has closed them. */
void edge_stop(struct edge *edge);

unsigned edge_lingering(const struct edge *edge);        /* connections whose close frame or last answer is still being
                                                            sent */

/* Writing. What the kernel does not take is buffered: write only while there is room. */
bool edge_has_room(struct edge_conn *conn);
void edge_write(struct edge_conn *conn, const void *bytes, size_t size);         /* of an answer */
void edge_send(struct edge_conn *conn, const char *text, size_t size);           /* a WebSocket's message */
void edge_ping(struct edge_conn *conn);
void edge_flush(struct edge_conn *conn);
void edge_wake(struct edge_conn *conn);                  /* `room` is called soon, if there is room */

void edge_answered(struct edge_conn *conn, bool again);  /* as wire_answered */
void edge_request(struct edge_conn *conn, struct wire_request *request);        /* the request that is being answered */
void edge_upgrade(struct edge_conn *conn, const struct wire_request *request, const char *headers);
void edge_close(struct edge_conn *conn, unsigned code);  /* a WebSocket: the last frame, then `end` */
void edge_hurry(struct edge_conn *conn);                 /* leaves it a few seconds for what is still to be sent */
void edge_cut(struct edge_conn *conn);                   /* closes it at once, without a close frame */

void edge_pause(struct edge_conn *conn);                 /* stops reading messages for a while, and resumes */
void edge_resume(struct edge_conn *conn);

#endif
