/*
 * wire.c: a connection as the server sees it, and what both sides of a WebSocket share. For the client see client.c.
 *
 *  1. A request is reported only after the one before it was answered; bytes that arrive in the meantime are not read.
 *  2. No byte is processed twice, and no call ever waits.
 *  3. After a request that cannot be read, and after the last answer or the close of a WebSocket, nothing more is read.
 *
 * States: IDLE -> READING_HEAD -> READING_BODY -> ANSWERING -> IDLE again, or SOCKET, or OVER. The order of enum
 * wire_state matters: comparisons such as "<= WIRE_READING_BODY" rely on it. Threads: one wire is used by one thread;
 * several share a pool only within one thread.
 */
#include <stdio.h>

#include "wire.h"

void wire_init(struct wire *wire, const struct wire_events *events, void *owner, struct wire_pool *pool)
{
    wire->events = events;
    wire->owner = owner;
    wire->pool = pool;
    wire->state = WIRE_IDLE;
}

void wire_finish(struct wire *wire)
{
    wire_head_destroy(wire->head);
    wire->head = NULL;
    wire_frames_drop(wire);
    wire_client_drop(wire);
    wire->state = WIRE_OVER;
}

/* While a request is being answered nothing is read (invariant 1): back-pressure for pipelining clients. */
bool wire_takes(const struct wire *wire)
{
    return wire->state == WIRE_SOCKET ? !wire->paused : wire->state <= WIRE_READING_BODY;
}

/* The head is complete: reports the request. */
static void report(struct wire *wire, bool has_more)
{
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    struct wire_request request;
    wire_head_request(wire->head, &request);
    wire->keep_alive = request.keep_alive && !request.fault;
    wire->body_left = request.fault ? 0 : request.body;
    wire->state = wire->body_left ? WIRE_READING_BODY : WIRE_ANSWERING;
    wire->events->request(wire->owner, &request);
    if (request.fault)
        return;
    if (wire->state == WIRE_ANSWERING)
        wire->events->complete(wire->owner);
    else if (wire->state == WIRE_READING_BODY && request.wants_continue && !has_more)
        wire->events->write(wire->owner, go_on, sizeof go_on - 1);
}

/* A head is created with the first byte of a request and kept until it is answered, since the request points into it. */
static size_t read_head(struct wire *wire, const char *bytes, size_t size)
{
    static const struct wire_request no_memory = { .fault = WIRE_HEAD_TOO_LONG, .method = "", .query = "" };
    bool done;
    if (!wire->head && !(wire->head = wire_head_create())) {
        wire->state = WIRE_ANSWERING;
        wire->events->request(wire->owner, &no_memory);
        return size;
    }
    wire->state = WIRE_READING_HEAD;
    size_t taken = wire_head_read(wire->head, bytes, size, &done);
    if (done)
        report(wire, taken < size);
    return taken;
}

static size_t read_body(struct wire *wire, const char *bytes, size_t size)
{
    size_t taken = size < wire->body_left ? size : wire->body_left;
    wire->body_left -= (uint32_t)taken;
    wire->events->body(wire->owner, bytes, taken);
    if (!wire->body_left && wire->state == WIRE_READING_BODY) {
        wire->state = WIRE_ANSWERING;
        wire->events->complete(wire->owner);
    }
    return taken;
}

size_t wire_read(struct wire *wire, const char *bytes, size_t size)
{
    size_t at = 0;
    while (at < size && wire_takes(wire)) {
        size_t (*read)(struct wire *, const char *, size_t) = wire->state == WIRE_SOCKET ? wire_frames_read :
            wire->client ? wire_client_read : wire->state == WIRE_READING_BODY ? read_body : read_head;
        at += read(wire, bytes + at, size - at);
    }
    return at;
}

void wire_answered(struct wire *wire, bool again)
{
    wire_head_destroy(wire->head);
    wire->head = NULL;
    wire->state = again && wire->keep_alive ? WIRE_IDLE : WIRE_OVER;
}

/* From here on bytes are frames; the head is freed. */
void wire_upgrade(struct wire *wire, const struct wire_request *request, const char *headers)
{
    char key[29], text[2048];
    wire_accept_key(request->socket_key, key);
    int size = snprintf(text, sizeof text, "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n"
        "connection: upgrade\r\nsec-websocket-accept: %s\r\n%s\r\n", key, headers);
    wire->events->write(wire->owner, text, (size_t)size < sizeof text ? (size_t)size : sizeof text - 1);
    wire_head_destroy(wire->head);
    wire->head = NULL;
    wire->state = WIRE_SOCKET;
}

void wire_send(struct wire *wire, const char *text, size_t size)
{
    if (wire->state == WIRE_SOCKET)
        wire_frame_write(wire, WIRE_TEXT, text, size);
}

void wire_ping(struct wire *wire)
{
    if (wire->state == WIRE_SOCKET)
        wire_frame_write(wire, WIRE_PING, NULL, 0);
}

void wire_close(struct wire *wire, unsigned code)
{
    unsigned char bytes[2] = { (unsigned char)(code >> 8), (unsigned char)code };
    if (wire->state != WIRE_SOCKET)
        return;
    wire_frame_write(wire, WIRE_CLOSE, bytes, sizeof bytes);
    wire->state = WIRE_OVER;
}

void wire_pause(struct wire *wire)
{
    wire->paused = true;
}

void wire_resume(struct wire *wire)
{
    wire->paused = false;
}
