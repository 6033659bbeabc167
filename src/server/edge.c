/*
 * edge.c: see edge.h.
 *
 *  1. However the other end behaves, `begin` is followed by one `end` and one `gone`.
 *  2. Input is bounded: the bytes of one read are kept, and nothing more is read while the owner cannot take them. Bytes
 *     that were read, decrypted or reported as messages and cannot be taken yet are offered again by edge_turn, never by
 *     waiting for the socket.
 *  3. A request has REQUEST_MS from its first byte to its last, an idle connection the same until its next request, and a
 *     client that reads an answer the same for each part. The last bytes of a connection have LINGER_MS.
 *  4. The loop's poll is changed only when necessary: most connections are only ever polled for input; output is written
 *     without polling first.
 *
 * Threads: everything here runs in the loop's thread.
 *
 * States of a connection: open -> (the wire's state is WIRE_OVER) lingering -> doomed -> buried. `doomed` may come
 * from any state: an error, a timeout or edge_cut. Nothing is freed outside edge_turn, so a caller that still holds
 * the connection is never left with a dangling pointer; doom() only marks it and puts it in the ready list.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "edge.h"

/* Times in milliseconds, sizes in bytes. */
#define REQUEST_MS 10000
#define LINGER_MS 3000
#define ACCEPT_MS 1000           /* until accept is retried after it has failed */
#define READ_ROOM 16384
#define GATHERED 65536           /* output that is gathered before it is sent at once */
#define ENOUGH 16384             /* more gathered output than this is sent */
#define MOST_PENDING 262144      /* mostly pongs; no well-behaved client lets this much pile up */
#define MOST_DISCARDED 65536     /* bytes that are read after the last answer, so that a reset does not destroy it */
#define SEND_BUFFER 16384        /* the kernel's, for a WebSocket: enough for the lines of a game so far */
#define ACCEPTS 64               /* per event */
#define LISTENERS 2
#define SOCKETS 8                /* listening sockets: one per listener, and others that were handed in */

enum timed { TIMED_NOT, TIMED_REQUEST, TIMED_LINGER };
static const uint64_t patience[] = { 0, REQUEST_MS, LINGER_MS };

/* A port that the server listens on. */
struct listener {
    uv_poll_t poll;
    struct edge *edge;
    int fd;
    unsigned number;             /* its number for the owner */
    /* A listener whose accept has failed for want of file descriptors stops polling: the socket stays readable, and the
     * loop would spin on it. */
    bool is_open, is_waiting;    /* waiting: accept has failed */
    uint64_t failed_at;          /* when accept last failed, in milliseconds */
    struct wire_tls_context *tls;
};

/* One for the server. The buffers are shared by all connections, which is safe in one thread. */
struct edge {
    uv_loop_t *loop;
    const struct edge_handler *handler;
    void *context;
    struct wire_pool *pool;
    struct listener listener[SOCKETS];       /* the first LISTENERS by number; those have the TLS contexts */
    struct edge_conn *conns;     /* all of them */
    struct { struct edge_conn *first, **end; } ready;
    struct { struct edge_conn *first, *last; } timed[3];     /* by enum timed, oldest first */
    unsigned lingering, handles; /* handles: not yet closed by the loop */
    bool stopping;
    struct edge_conn *gathering; /* the connection whose bytes are gathered */
    size_t gathered;
    char gather[GATHERED];
    char read[READ_ROOM], plain[READ_ROOM]; /* the bytes of one read, as received and decrypted */
};

/* One connection. Owned by the edge from begin() to conn_closed. */
struct edge_conn {
    uv_poll_t poll;
    struct edge *edge;
    void *owner;
    struct wire wire;
    struct wire_tls *tls;        /* NULL: none */
    struct edge_conn *next, **link;
    struct edge_conn *next_ready; /* in edge->ready; valid while is_ready */
    struct edge_conn *next_timed, *last_timed; /* in edge->timed[timed], by `since` */
    uint64_t since;              /* when its present time limit began */
    int fd;
    uint8_t timed;               /* enum timed */
    uint8_t events;              /* that the loop polls for */
    /* is_ready: in the ready list; wants_room: `room` is to be called; resumed: the wire is to continue; reading: the
     * loop polls for input; ended: `end` was called; eof: the other end has closed its side; doomed: to be buried;
     * lingering: the last bytes were written; hurried: has LINGER_MS for the rest; shut: our side is closed. */
    bool is_ready, wants_room, resumed, reading, ended, eof, doomed, lingering, hurried, shut;
    uint8_t phase;               /* enum wire_state at the last check */
    uint32_t answered, timed_answered;       /* requests */
    uint32_t discarded;          /* bytes read after the last answer */
    uint16_t code;               /* of the close, 0: none yet */
    char *in;                    /* bytes that the owner could not take yet */
    size_t in_at, in_size;       /* the rest begins at in_at */
    char *out;                   /* without TLS: bytes that the kernel has not taken */
    size_t out_at, out_size;     /* the same */
};

/* The owner's clock, not the loop's, so that tests can let time pass. */
static uint64_t now(const struct edge *edge)
{
    return edge->handler->now(edge->context);
}

/* Puts the connection at the end of the list that edge_turn works through. Once is enough: edge_turn checks everything. */
static void make_ready(struct edge_conn *conn)
{
    struct edge *edge = conn->edge;
    if (conn->is_ready)
        return;
    conn->is_ready = true;
    conn->next_ready = NULL;
    *edge->ready.end = conn;
    edge->ready.end = &conn->next_ready;
}

/* The connection is over, and nothing more is sent. It is freed by the next edge_turn, not here: see the head of this
 * file. */
static void doom(struct edge_conn *conn)
{
    conn->doomed = true;
    make_ready(conn);
}

/* Time. */

/* Each kind of deadline has a list of its own. All entries of a list have the same time limit and are appended when their
 * time begins, so the list is sorted by deadline, and edge_tick looks only at those that are due. */
static void untime(struct edge_conn *conn)
{
    struct edge *edge = conn->edge;
    unsigned kind = conn->timed;
    if (!kind)
        return;
    *(conn->last_timed ? &conn->last_timed->next_timed : &edge->timed[kind].first) = conn->next_timed;
    *(conn->next_timed ? &conn->next_timed->last_timed : &edge->timed[kind].last) = conn->last_timed;
    conn->timed = TIMED_NOT;
}

static void give_time(struct edge_conn *conn, enum timed kind)
{
    struct edge *edge = conn->edge;
    untime(conn);
    if (!kind)
        return;
    conn->timed = (uint8_t)kind;
    conn->since = now(edge);
    conn->next_timed = NULL;
    conn->last_timed = edge->timed[kind].last;
    *(conn->last_timed ? &conn->last_timed->next_timed : &edge->timed[kind].first) = conn;
    edge->timed[kind].last = conn;
}

/* Bytes on this side that the kernel has not taken. With TLS they are in its buffer, otherwise in `out`. */
static size_t pending(const struct edge_conn *conn)
{
    size_t size = conn->out_size - conn->out_at;
    if (conn->tls)
        wire_tls_pending(conn->tls, &size);
    return size;
}

/* The time limit begins again when a connection becomes idle, with the first byte of a request, and with every part of an
 * answer that is read; not between a head and its body. */
static void retime(struct edge_conn *conn, bool has_moved)
{
    unsigned phase = conn->wire.state, before = conn->phase;
    if (conn->lingering || conn->hurried)
        return;
    bool is_new = conn->answered != conn->timed_answered ||
        (phase != before && (phase == WIRE_IDLE || before == WIRE_IDLE)) ||
        (phase == WIRE_ANSWERING && (phase != before || has_moved));
    conn->phase = (uint8_t)phase;
    conn->timed_answered = conn->answered;
    if (phase > WIRE_ANSWERING || (phase == WIRE_ANSWERING && !pending(conn)))
        untime(conn);
    else if (is_new || !conn->timed)
        give_time(conn, TIMED_REQUEST);
}

/* The loop's poll. */

static void on_poll(uv_poll_t *poll, int status, int events);

/* Tells the loop what to wait for, if that has changed. uv_poll_start is a system call, and most connections stay at
 * "readable" for their whole life. */
static void set_poll(struct edge_conn *conn)
{
    unsigned wanted = (conn->reading ? UV_READABLE : 0u) | (pending(conn) ? UV_WRITABLE : 0u);
    if (conn->doomed || wanted == conn->events)
        return;
    conn->events = (uint8_t)wanted;
    if (wanted ? uv_poll_start(&conn->poll, (int)wanted, on_poll) : uv_poll_stop(&conn->poll))
        doom(conn);
}

/* Writing. */

/* Buffers what the kernel did not take. A peer that lets more than MOST_PENDING pile up is cut: output is written from
 * the tables only while there is room (conn.h), so only answers to pings and the like can get that far. */
static void keep(struct edge_conn *conn, const char *bytes, size_t size)
{
    size_t left = conn->out_size - conn->out_at;
    if (left && conn->out_at)
        memmove(conn->out, conn->out + conn->out_at, left);
    char *larger = left + size > MOST_PENDING ? NULL : realloc(conn->out, left + size);
    if (!larger) {
        doom(conn);
        return;
    }
    memcpy(larger + left, bytes, size);
    conn->out = larger;
    conn->out_at = 0;
    conn->out_size = left + size;
}

/* Writes to the kernel: returns how many bytes it took, 0 also after an error. */
static size_t transmit(struct edge_conn *conn, const void *bytes, size_t size)
{
    ssize_t sent;
    do
        sent = size && !conn->doomed && !conn->shut ? send(conn->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;
    while (sent < 0 && errno == EINTR);
    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS)
        doom(conn);
    return sent > 0 ? (size_t)sent : 0;
}

/* Sends buffered output. */
static void push(struct edge_conn *conn)
{
    size_t size;
    if (conn->tls) {
        const void *bytes = wire_tls_pending(conn->tls, &size);
        wire_tls_sent(conn->tls, transmit(conn, bytes, size));
        if (pending(conn) > MOST_PENDING)
            doom(conn);
    } else if (conn->out) {
        conn->out_at += transmit(conn, conn->out + conn->out_at, conn->out_size - conn->out_at);
        if (conn->out_at == conn->out_size) {
            free(conn->out);
            conn->out = NULL;
            conn->out_at = conn->out_size = 0;
        }
    }
    set_poll(conn);
}

/* Bytes of one connection are gathered in a buffer of the edge and leave with one send. There is one buffer for all,
 * since only one connection is written to at a time; edge_write flushes it before it changes hands. */
void edge_flush(struct edge_conn *conn)
{
    struct edge *edge = conn->edge;
    size_t size = edge->gathered;
    if (edge->gathering != conn)
        return;
    edge->gathering = NULL;
    edge->gathered = 0;
    if (conn->doomed || !size)
        return;
    if (conn->tls) {
        if (!wire_tls_write(conn->tls, edge->gather, size))
            doom(conn);
        push(conn);
        return;
    }
    size_t sent = conn->out ? 0 : transmit(conn, edge->gather, size);
    if (sent < size && !conn->doomed)
        keep(conn, edge->gather + sent, size - sent);
    set_poll(conn);
}

/* Never fails from the caller's view: a connection that cannot be written to is doomed and reported by `end`. */
void edge_write(struct edge_conn *conn, const void *bytes, size_t size)
{
    struct edge *edge = conn->edge;
    const char *at = bytes;
    while (size) {
        if (edge->gathering && (edge->gathering != conn || edge->gathered == GATHERED))
            edge_flush(edge->gathering);
        size_t room = GATHERED - edge->gathered, part = size < room ? size : room;
        edge->gathering = conn;
        memcpy(edge->gather + edge->gathered, at, part);
        edge->gathered += part;
        at += part;
        size -= part;
    }
}

/* There is room if nothing is waiting on this side: then the next message is written from the latest state instead of
 * being queued behind old ones. */
bool edge_has_room(struct edge_conn *conn)
{
    if (conn->edge->gathering == conn && conn->edge->gathered >= ENOUGH)
        edge_flush(conn);
    return !conn->doomed && !pending(conn);
}

void edge_send(struct edge_conn *conn, const char *text, size_t size) { wire_send(&conn->wire, text, size); }
void edge_ping(struct edge_conn *conn) { wire_ping(&conn->wire); }

/* Asks for `room` to be called, at the latest in the next edge_turn that finds room. */
void edge_wake(struct edge_conn *conn)
{
    conn->wants_room = true;
    make_ready(conn);
}

/* What the wire reports. */

/* Each of these passes an event of the wire on to the connection's owner. */
static void on_request(void *owner, const struct wire_request *request)
{
    struct edge_conn *conn = owner;
    conn->edge->handler->request(conn->owner, request);
}

static void on_body(void *owner, const char *bytes, size_t size)
{
    struct edge_conn *conn = owner;
    conn->edge->handler->body(conn->owner, bytes, size);
}

static void on_complete(void *owner)
{
    struct edge_conn *conn = owner;
    conn->edge->handler->complete(conn->owner);
}

static void on_message(void *owner, const char *text, size_t size)
{
    struct edge_conn *conn = owner;
    conn->edge->handler->message(conn->owner, text, size);
}

static void on_closing(void *owner, unsigned code)
{
    struct edge_conn *conn = owner;
    conn->code = (uint16_t)code;
    make_ready(conn);
}

static void on_write(void *owner, const void *bytes, size_t size)
{
    edge_write(owner, bytes, size);
}

static const struct wire_events events = { on_request, on_body, on_complete, on_message, on_closing, on_write };

/* Reading. */

/* Offers bytes to the wire; keeps those that it does not take. */
static void offer(struct edge_conn *conn, const char *bytes, size_t size)
{
    size_t taken = wire_read(&conn->wire, bytes, size), left = size - taken;
    if (!left || conn->wire.state == WIRE_OVER)
        return;
    conn->in = malloc(left);
    if (!conn->in) {
        doom(conn);
        return;
    }
    memcpy(conn->in, bytes + taken, left);
    conn->in_at = 0;
    conn->in_size = left;
}

/* The same for bytes that were kept before. */
static void offer_again(struct edge_conn *conn)
{
    conn->in_at += wire_read(&conn->wire, conn->in + conn->in_at, conn->in_size - conn->in_at);
    if (conn->in_at < conn->in_size && conn->wire.state != WIRE_OVER)
        return;
    free(conn->in);
    conn->in = NULL;
}

/* Processes input that can be taken now, in this order: bytes that were kept, then bytes that TLS has decrypted already.
 * Only when both are used up, the socket is read. */
static void pump(struct edge_conn *conn)
{
    struct edge *edge = conn->edge;
    if (conn->resumed) {
        conn->resumed = false;
        wire_resume(&conn->wire);
    }
    while (!conn->doomed && wire_takes(&conn->wire)) {
        if (conn->in) {
            offer_again(conn);
            continue;
        }
        long got = conn->tls ? wire_tls_read(conn->tls, edge->plain, sizeof edge->plain) : 0;
        if (got > 0) {
            offer(conn, edge->plain, (size_t)got);
            continue;
        }
        if (got == WIRE_TLS_END)
            conn->eof = true;
        if (got == WIRE_TLS_BROKEN) {
            push(conn);                      /* the alert with the reason */
            doom(conn);
        }
        break;
    }
    if (conn->eof && wire_takes(&conn->wire)) {      /* no more input will arrive */
        if (conn->wire.state == WIRE_SOCKET)
            doom(conn);
        else
            wire_answered(&conn->wire, false);       /* the answer that was written still has to be sent */
    }
    bool reads = !conn->eof && wire_takes(&conn->wire);
    if (reads && !conn->reading) {
        conn->reading = true;
        set_poll(conn);
    }
}

/* Closing a socket with unread input sends a reset, which may destroy the last answer on its way. So input is read and
 * thrown away until the other end closes, but not more than MOST_DISCARDED. */
static void discard(struct edge_conn *conn)
{
    ssize_t got = recv(conn->fd, conn->edge->read, READ_ROOM, MSG_DONTWAIT);
    if (got > 0)
        conn->discarded += (uint32_t)got;
    if (!got || (got < 0 && errno != EAGAIN && errno != EINTR) || conn->discarded > MOST_DISCARDED)
        doom(conn);
}

/* One recv per event, so that a fast sender cannot keep the loop from the other connections. */
static void on_readable(struct edge_conn *conn)
{
    struct edge *edge = conn->edge;
    if (conn->lingering) {
        discard(conn);
        return;
    }
    if (conn->in)
        pump(conn);                          /* bytes that came before these */
    if (!wire_takes(&conn->wire)) {          /* polling for input ends only now: mostly the answer is written before more
                                                arrives */
        conn->reading = false;
        return;
    }
    ssize_t got = recv(conn->fd, edge->read, READ_ROOM, MSG_DONTWAIT);
    if (got < 0) {
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
            doom(conn);
        return;
    }
    if (!got) {
        conn->eof = true;
        conn->reading = false;
    } else if (conn->tls) {
        if (!wire_tls_receive(conn->tls, edge->read, (size_t)got))
            doom(conn);
    } else {
        offer(conn, edge->read, (size_t)got);
    }
    if (got && conn->wire.state == WIRE_SOCKET)
        edge->handler->activity(conn->owner);
    pump(conn);
}

/* To be called after every event of a connection. has_moved: the peer has taken some of the output. */
static void after(struct edge_conn *conn, bool has_moved)
{
    if (conn->tls)
        push(conn);                          /* parts of a handshake */
    edge_flush(conn);
    if (conn->wire.state == WIRE_OVER)
        make_ready(conn);
    retime(conn, has_moved);
    set_poll(conn);
}

/* Writing comes first: it may make room for answers to what is read next. */
static void on_poll(uv_poll_t *poll, int status, int what)
{
    struct edge_conn *conn = poll->data;
    bool has_moved = false;
    if (conn->doomed)
        return;
    if (status < 0) {
        doom(conn);
        return;
    }
    if (what & UV_WRITABLE) {
        size_t before = pending(conn);
        push(conn);
        has_moved = pending(conn) < before;
        if (!pending(conn))
            edge_wake(conn);
    }
    if (what & UV_READABLE && !conn->doomed)
        on_readable(conn);
    after(conn, has_moved);
}

void edge_answered(struct edge_conn *conn, bool again)
{
    wire_answered(&conn->wire, again);
    conn->answered++;
    make_ready(conn);
}

/* For a request that is answered later: its head is still in the wire's buffer. */
void edge_request(struct edge_conn *conn, struct wire_request *request)
{
    wire_head_request(conn->wire.head, request);
}

/* With a small send buffer, `has room` means that the client is close behind: messages that it has not read yet are
 * written later, from a newer state. */
void edge_upgrade(struct edge_conn *conn, const struct wire_request *request, const char *headers)
{
    int room = SEND_BUFFER;
    wire_upgrade(&conn->wire, request, headers);
    setsockopt(conn->fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    make_ready(conn);                        /* frames may have arrived while the answer had to wait */
}

void edge_close(struct edge_conn *conn, unsigned code)
{
    if (conn->wire.state != WIRE_SOCKET)
        return;
    conn->code = (uint16_t)code;
    wire_close(&conn->wire, code);
    make_ready(conn);
}

void edge_hurry(struct edge_conn *conn)
{
    if (conn->hurried || conn->lingering)
        return;
    conn->hurried = true;
    give_time(conn, TIMED_LINGER);
}

void edge_cut(struct edge_conn *conn) { doom(conn); }
void edge_pause(struct edge_conn *conn) { wire_pause(&conn->wire); }

/* Continues in edge_turn, never from here: the caller may be in the middle of a message of the same connection. */
void edge_resume(struct edge_conn *conn)
{
    conn->resumed = true;
    make_ready(conn);
}

/* The end. */

/* Called exactly once (invariant 1), at the latest by bury(). 1006 is WebSocket's code for "no close frame was seen". */
static void report_end(struct edge_conn *conn)
{
    if (conn->ended)
        return;
    conn->ended = true;
    conn->edge->handler->end(conn->owner, conn->code ? conn->code : 1006);
}

/* Its last bytes have been written; it stays until the other end has read them. */
static void linger(struct edge_conn *conn)
{
    if (!conn->lingering) {
        conn->lingering = true;
        conn->edge->lingering++;
        conn->reading = !conn->eof;
        edge_flush(conn);
        if (conn->tls) {
            wire_tls_goodbye(conn->tls);
            push(conn);
        }
        report_end(conn);
        give_time(conn, TIMED_LINGER);
    }
    if (!pending(conn) && !conn->shut) {
        conn->shut = true;
        shutdown(conn->fd, SHUT_WR);
        if (conn->eof)
            doom(conn);
    }
    set_poll(conn);
}

static void free_edge(struct edge *edge)
{
    for (unsigned i = 0; i < SOCKETS; i++)
        wire_tls_context_destroy(edge->listener[i].tls);
    wire_pool_destroy(edge->pool);
    free(edge);
}

/* libuv frees nothing by itself: the edge may be freed only when the last handle that points to it is closed. */
static void handle_closed(struct edge *edge)
{
    if (!--edge->handles && edge->stopping)
        free_edge(edge);
}

static void conn_closed(uv_handle_t *handle)
{
    struct edge_conn *conn = handle->data;
    struct edge *edge = conn->edge;
    free(conn);
    handle_closed(edge);
}

/* The only place where a connection ends. The memory of its poll handle is freed later, in conn_closed, since the loop
 * still uses it. */
static void bury(struct edge_conn *conn)
{
    struct edge *edge = conn->edge;
    if (edge->gathering == conn) {
        edge->gathering = NULL;
        edge->gathered = 0;
    }
    report_end(conn);
    edge->handler->gone(conn->owner);
    untime(conn);
    *conn->link = conn->next;
    if (conn->next)
        conn->next->link = conn->link;
    edge->lingering -= conn->lingering;
    wire_finish(&conn->wire);
    wire_tls_destroy(conn->tls);
    conn->tls = NULL;
    free(conn->in);
    free(conn->out);
    uv_close((uv_handle_t *)&conn->poll, conn_closed);
    close(conn->fd);
}

bool edge_is_due(const struct edge *edge)
{
    return edge->ready.first || edge->gathering;
}

/* Works through the ready list. A callback may make connections ready again, this one included: the list is used up from
 * its front until it is empty. A doomed connection that was made ready again is buried on its next turn. */
void edge_turn(struct edge *edge)
{
    for (struct edge_conn *conn; (conn = edge->ready.first);) {
        if (!(edge->ready.first = conn->next_ready))
            edge->ready.end = &edge->ready.first;
        conn->is_ready = false;
        if (!conn->doomed && conn->wants_room && !conn->ended && edge_has_room(conn)) {
            conn->wants_room = false;
            edge->handler->room(conn->owner);
        }
        if (!conn->doomed && conn->wire.state != WIRE_OVER) {
            pump(conn);
            after(conn, false);
        }
        if (!conn->doomed && conn->wire.state == WIRE_OVER)
            linger(conn);
        if (conn->doomed && !conn->is_ready)
            bury(conn);
    }
    if (edge->gathering)
        edge_flush(edge->gathering);
}

/* A doomed connection stays in its list until it is buried, which does no harm: doom may be called twice. */
void edge_tick(struct edge *edge)
{
    uint64_t time = now(edge);
    for (unsigned kind = TIMED_REQUEST; kind <= TIMED_LINGER; kind++)
        for (struct edge_conn *conn = edge->timed[kind].first; conn && time - conn->since >= patience[kind];
            conn = conn->next_timed)
            doom(conn);
    for (struct listener *listener = edge->listener; listener < edge->listener + SOCKETS; listener++)
        if (listener->is_waiting && time - listener->failed_at >= ACCEPT_MS) {
            listener->is_waiting = false;
            uv_poll_start(&listener->poll, UV_READABLE, listener->poll.poll_cb);
        }
}

unsigned edge_lingering(const struct edge *edge)
{
    return edge->lingering;
}

/* The beginning. */

/* Nagle's algorithm is switched off: messages are gathered here already, and a small one must not wait for an
 * acknowledgement. */
static void begin(struct edge *edge, struct listener *listener, int fd, const char *address)
{
    struct edge_conn *conn = calloc(1, sizeof *conn);
    struct wire_tls_context *tls = edge->listener[listener->number].tls;
    int on = 1;
    if (!conn || (tls && !(conn->tls = wire_tls_create(tls))) ||
        uv_poll_init(edge->loop, &conn->poll, fd)) {
        if (conn)
            wire_tls_destroy(conn->tls);
        free(conn);
        close(fd);
        return;
    }
    conn->poll.data = conn;
    conn->edge = edge;
    conn->fd = fd;
    edge->handles++;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    conn->owner = edge->handler->begin(edge->context, conn, listener->number, address);
    if (!conn->owner) {
        wire_tls_destroy(conn->tls);
        uv_close((uv_handle_t *)&conn->poll, conn_closed);
        close(fd);
        return;
    }
    wire_init(&conn->wire, &events, conn, edge->pool);
    conn->next = edge->conns;
    conn->link = &edge->conns;
    if (edge->conns)
        edge->conns->link = &conn->next;
    edge->conns = conn;
    conn->reading = true;
    give_time(conn, TIMED_REQUEST);
    set_poll(conn);
}

/* For tests, which bring their own sockets. */
void edge_adopt(struct edge *edge, unsigned listener, int fd, const char *address)
{
    begin(edge, &edge->listener[listener], fd, address);
}

/* An address in digits. An IPv4 address that arrives on an IPv6 socket is ::ffff:a.b.c.d; it must count as the same
 * address as a.b.c.d, or a client could pass limits by using both. */
static void write_address(const struct sockaddr_storage *from, char to[INET6_ADDRSTRLEN])
{
    static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)from;
    const void *bytes = from->ss_family == AF_INET ? (const void *)&((const struct sockaddr_in *)from)->sin_addr :
        (const void *)&six->sin6_addr;
    int family = from->ss_family;
    to[0] = '\0';
    if (family == AF_INET6 && !memcmp(bytes, mapped, sizeof mapped)) {
        family = AF_INET;                    /* IPv4 over an IPv6 socket */
        bytes = (const unsigned char *)bytes + sizeof mapped;
    }
    if (family == AF_INET || family == AF_INET6)
        inet_ntop(family, bytes, to, INET6_ADDRSTRLEN);
}

/* At most ACCEPTS at a time; the rest wait in the kernel's queue, so that open connections are served in between. */
static void on_connect(uv_poll_t *poll, int status, int what)
{
    struct listener *listener = poll->data;
    struct edge *edge = listener->edge;
    (void)what;
    for (unsigned i = 0; i < ACCEPTS && status >= 0; i++) {
        struct sockaddr_storage from;
        socklen_t size = sizeof from;
        char address[INET6_ADDRSTRLEN];
        int fd = accept(listener->fd, (struct sockaddr *)&from, &size);
        if (fd >= 0) {
            fcntl(fd, F_SETFD, FD_CLOEXEC);  /* libuv makes it non-blocking */
            write_address(&from, address);
            begin(edge, listener, fd, address);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return;
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            edge->handler->short_of_files(edge->context, errno);
            listener->is_waiting = true;
            listener->failed_at = now(edge);
            uv_poll_stop(&listener->poll);
            return;
        }                                    /* other errors are about one connection, which has gone */
    }
}

/* SO_REUSEADDR lets a server start again while connections of the last one are in TIME_WAIT. */
int edge_open_socket(const char *address, unsigned port, int *fd)
{
    struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };
    struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    bool is_six = inet_pton(AF_INET6, address, &six.sin6_addr) == 1;
    if (!is_six && inet_pton(AF_INET, address, &four.sin_addr) != 1)
        return EINVAL;
    int on = 1, off = 0;
    *fd = socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*fd < 0)
        return errno;
    setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (is_six)
        setsockopt(*fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);        /* :: accepts IPv4, too */
    const struct sockaddr *to = is_six ? (const struct sockaddr *)&six : (const struct sockaddr *)&four;
    if (!bind(*fd, to, is_six ? sizeof six : sizeof four) && !listen(*fd, SOMAXCONN))
        return 0;
    int why = errno;
    close(*fd);
    return why;
}

void edge_use_tls(struct edge *edge, unsigned number, struct wire_tls_context *tls)
{
    struct listener *listener = &edge->listener[number];
    if (listener->tls && tls)
        wire_tls_renew(listener->tls, tls);
    else
        listener->tls = tls;
}

static int begin_to_listen(struct listener *listener, int fd, struct sockaddr_storage *at)
{
    struct edge *edge = listener->edge;
    socklen_t size = sizeof *at;
    if (getsockname(fd, (struct sockaddr *)at, &size) || uv_poll_init(edge->loop, &listener->poll, fd)) {
        close(fd);
        return ENOMEM;
    }
    listener->fd = fd;
    listener->is_open = true;
    listener->poll.data = listener;
    edge->handles++;
    return uv_poll_start(&listener->poll, UV_READABLE, on_connect) ? ENOMEM : 0;
}

static unsigned port_of(const struct sockaddr_storage *at)
{
    return ntohs(at->ss_family == AF_INET ? ((const struct sockaddr_in *)at)->sin_port :
        ((const struct sockaddr_in6 *)at)->sin6_port);
}

int edge_listen(struct edge *edge, unsigned number, const char *address, unsigned *port)
{
    struct sockaddr_storage at;
    if (!address)
        return 0;
    int fd, why = edge_open_socket(address, *port, &fd);
    if (!why)
        why = begin_to_listen(&edge->listener[number], fd, &at);
    if (!why)
        *port = port_of(&at);
    return why;
}

int edge_listen_on(struct edge *edge, unsigned number, int fd, char *address, unsigned *port)
{
    struct sockaddr_storage at;
    socklen_t size = sizeof at;
    int listens = 0;
    socklen_t room = sizeof listens;
    unsigned slot = number;
    while (slot < SOCKETS && edge->listener[slot].is_open)
        slot = slot < LISTENERS ? LISTENERS : slot + 1;
    if (slot == SOCKETS || getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &room) || !listens ||
        getsockname(fd, (struct sockaddr *)&at, &size) || (at.ss_family != AF_INET && at.ss_family != AF_INET6))
        return EINVAL;
    edge->listener[slot].number = number;
    int why = begin_to_listen(&edge->listener[slot], fd, &at);
    write_address(&at, address);
    *port = port_of(&at);
    return why;
}

void edge_stop_accepting(struct edge *edge)
{
    for (struct listener *listener = edge->listener; listener < edge->listener + SOCKETS; listener++)
        if (listener->is_open) {
            uv_poll_stop(&listener->poll);
            listener->is_waiting = false;
        }
}

struct edge *edge_create(uv_loop_t *loop, const struct edge_handler *handler, void *context, size_t longest_message)
{
    struct edge *edge = calloc(1, sizeof *edge);
    if (!edge || !(edge->pool = wire_pool_create(true, longest_message))) {
        free(edge);
        return NULL;
    }
    edge->loop = loop;
    edge->handler = handler;
    edge->context = context;
    edge->ready.end = &edge->ready.first;
    for (unsigned i = 0; i < SOCKETS; i++) {
        edge->listener[i].edge = edge;
        edge->listener[i].number = i < LISTENERS ? i : 0;
    }
    return edge;
}

static void listener_closed(uv_handle_t *handle)
{
    handle_closed(((struct listener *)handle->data)->edge);
}

/* Calls `end` and `gone` of all connections; the edge frees itself when the loop has closed the handles. */
void edge_stop(struct edge *edge)
{
    if (!edge)
        return;
    edge->handles++;                         /* so that it exists until the end of this function */
    edge->stopping = true;
    for (struct listener *listener = edge->listener; listener < edge->listener + SOCKETS; listener++)
        if (listener->is_open) {
            listener->is_open = listener->is_waiting = false;
            uv_close((uv_handle_t *)&listener->poll, listener_closed);
            close(listener->fd);
        }
    for (struct edge_conn *conn = edge->conns; conn; conn = conn->next)
        doom(conn);
    edge_turn(edge);
    handle_closed(edge);
}
