/*
 * frames.c: WebSocket messages by wslay. A context of wslay's takes 8 KB, and most WebSockets are silent most of the time,
 * so a context belongs to one only while a frame or a message in parts is under way; clean ones are used again. wslay does
 * not report whether it is clean: we count the bytes that it was given and those that frames account for. (A length that is
 * written longer than necessary only makes a context stay.)
 *
 * wslay checks masks, reserved bits, UTF-8, lengths and the order of parts, and answers pings and closes; binary messages
 * are refused here.
 */
#include <stdlib.h>
#include <string.h>
#include <openssl/rand.h>
#include <wslay/wslay.h>

#include "wire.h"

#define MOST_HELD 8192           /* bytes of messages that wait while paused */

struct wire_frames {
    wslay_event_context_ptr context;
    struct wire *wire;           /* whose it is now */
    const char *at;              /* bytes to be taken in */
    size_t left;
    uint64_t given, accounted;
    bool in_parts;               /* a message is not complete */
    unsigned refused;            /* close with this code; 0: not */
};

struct wire_pool {
    bool is_server;
    size_t longest;
    struct wire_frames *spare;
    wslay_frame_context_ptr writer;
    struct wire *writing;
};

/* wslay asks for bytes; when there are none left, or it is paused, it is told to come back later. */
static ssize_t receive(wslay_event_context_ptr context, uint8_t *to, size_t room, int flags, void *user)
{
    struct wire_frames *frames = user;
    size_t size = frames->left < room ? frames->left : room;
    (void)flags;
    if (!size || frames->wire->paused) {
        wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    memcpy(to, frames->at, size);
    frames->at += size;
    frames->left -= size;
    frames->given += size;
    return (ssize_t)size;
}

static ssize_t transmit(wslay_event_context_ptr context, const uint8_t *bytes, size_t size, int flags, void *user)
{
    struct wire_frames *frames = user;
    (void)context;
    (void)flags;
    frames->wire->events->write(frames->wire->owner, bytes, size);
    return (ssize_t)size;
}

static int draw_mask(wslay_event_context_ptr context, uint8_t *to, size_t size, void *user)
{
    (void)context;
    (void)user;
    return RAND_bytes(to, (int)size) == 1 ? 0 : -1;
}

static void refuse(struct wire_frames *frames, unsigned code)
{
    if (!frames->refused)
        frames->refused = code;
    wslay_event_shutdown_read(frames->context);
}

/* The size of a frame on the wire (RFC 6455, 5.2): two bytes, an extended length of 2 or 8, a mask of 4 from clients, the
 * payload. */
static void on_frame(wslay_event_context_ptr context, const struct wslay_event_on_frame_recv_start_arg *frame, void *user)
{
    struct wire_frames *frames = user;
    (void)context;
    uint64_t length = frame->payload_length, mask = frames->wire->pool->is_server ? 4 : 0;
    frames->accounted += 2u + (length > 65535 ? 8u : length > 125 ? 2u : 0u) + mask + length;
    if (!wslay_is_ctrl_frame(frame->opcode))
        frames->in_parts = !frame->fin;
    if (frame->opcode == WSLAY_BINARY_FRAME)
        refuse(frames, WSLAY_CODE_UNSUPPORTED_DATA);
}

/* A message that came while paused, together with the one that was waited for. */
static void hold(struct wire_frames *frames, const char *text, size_t size)
{
    struct wire *wire = frames->wire;
    size_t need = wire->held_size + sizeof(uint16_t) + size;
    char *larger = need > MOST_HELD ? NULL : realloc(wire->held, need);
    uint16_t length = (uint16_t)size;
    if (!larger) {
        refuse(frames, WSLAY_CODE_INTERNAL_SERVER_ERROR);
        return;
    }
    wire->held = larger;
    memcpy(larger + wire->held_size, &length, sizeof length);
    memcpy(larger + wire->held_size + sizeof length, text, size);
    wire->held_size = (uint16_t)need;
}

static void on_message(wslay_event_context_ptr context, const struct wslay_event_on_msg_recv_arg *message, void *user)
{
    struct wire_frames *frames = user;
    struct wire *wire = frames->wire;
    (void)context;
    if (message->opcode == WSLAY_CONNECTION_CLOSE && message->msg_length == 1)
        refuse(frames, WSLAY_CODE_PROTOCOL_ERROR);           /* half a code */
    if (message->opcode != WSLAY_TEXT_FRAME || frames->refused)
        return;
    const char *text = message->msg ? (const char *)message->msg : "";
    if (wire->paused || wire->held)
        hold(frames, text, message->msg_length);
    else
        wire->events->message(wire->owner, text, message->msg_length);
    if (wire->state != WIRE_SOCKET)
        wslay_event_shutdown_read(context);
}

static const struct wslay_event_callbacks callbacks = { receive, transmit, draw_mask, on_frame, NULL, NULL, on_message };

/* The pool. */

static ssize_t write_frame(const uint8_t *bytes, size_t size, int flags, void *user)
{
    struct wire_pool *pool = user;
    (void)flags;
    pool->writing->events->write(pool->writing->owner, bytes, size);
    return (ssize_t)size;
}

static int frame_mask(uint8_t *to, size_t size, void *user)
{
    (void)user;
    return RAND_bytes(to, (int)size) == 1 ? 0 : -1;
}

struct wire_pool *wire_pool_create(bool is_server, size_t longest)
{
    static const struct wslay_frame_callbacks frame_callbacks = { write_frame, NULL, frame_mask };
    struct wire_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->is_server = is_server;
    pool->longest = longest;
    if (!wslay_frame_context_init(&pool->writer, &frame_callbacks, pool))
        return pool;
    free(pool);
    return NULL;
}

static void destroy(struct wire_frames *frames)
{
    if (frames)
        wslay_event_context_free(frames->context);
    free(frames);
}

void wire_pool_destroy(struct wire_pool *pool)
{
    if (!pool)
        return;
    destroy(pool->spare);
    wslay_frame_context_free(pool->writer);
    free(pool);
}

/* The spare context, or a new one; NULL without memory. */
static struct wire_frames *borrow(struct wire *wire)
{
    struct wire_pool *pool = wire->pool;
    struct wire_frames *frames = pool->spare;
    pool->spare = NULL;
    if (!frames) {
        frames = calloc(1, sizeof *frames);
        if (!frames || (pool->is_server ? wslay_event_context_server_init :
            wslay_event_context_client_init)(&frames->context,
                &callbacks, frames)) {
            free(frames);
            return NULL;
        }
        wslay_event_config_set_max_recv_msg_length(frames->context, pool->longest);
    }
    frames->wire = wire;
    return frames;
}

/* One clean context is kept as a spare: connections are read one after the other, so more are hardly ever needed. */
static void give_back(struct wire *wire)
{
    struct wire_frames *frames = wire->frames;
    bool is_clean = frames->given == frames->accounted && !frames->in_parts &&
        wslay_event_get_read_enabled(frames->context) && !wslay_event_want_write(frames->context);
    if (!is_clean)
        return;
    wire->frames = NULL;
    frames->wire = NULL;
    frames->at = NULL;
    if (wire->pool->spare)
        destroy(frames);
    else
        wire->pool->spare = frames;
}

void wire_frames_drop(struct wire *wire)
{
    destroy(wire->frames);
    wire->frames = NULL;
}

/* Ends it for what came, or for lack of memory. */
static void end(struct wire *wire, unsigned code)
{
    wire_close(wire, code);
    wire->events->closing(wire->owner, code);
}

/* After every read: an error or a refusal ends the WebSocket, an answer of wslay's (pong, close) is written, and if
 * nothing is under way the context goes back. */
static void look(struct wire *wire, struct wire_frames *frames, int error)
{
    wslay_event_context_ptr context = frames->context;
    if (wire->state != WIRE_SOCKET)
        return;                              /* its owner has closed it */
    if (error || frames->refused) {
        end(wire, frames->refused ? frames->refused :
            error == WSLAY_ERR_NOMEM ? WSLAY_CODE_INTERNAL_SERVER_ERROR : WSLAY_CODE_PROTOCOL_ERROR);
        return;
    }
    if (wslay_event_want_write(context) && wslay_event_send(context)) {
        end(wire, WSLAY_CODE_INTERNAL_SERVER_ERROR);
        return;
    }
    if (!wslay_event_get_close_sent(context)) {
        give_back(wire);
        return;
    }
    wire->state = WIRE_OVER;
    wire->events->closing(wire->owner, wslay_event_get_close_received(context) ?
        wslay_event_get_status_code_received(context) : wslay_event_get_status_code_sent(context));
}

size_t wire_frames_read(struct wire *wire, const char *bytes, size_t size)
{
    struct wire_frames *frames = wire->frames ? wire->frames : borrow(wire);
    wire->frames = frames;
    if (!frames) {
        end(wire, WSLAY_CODE_INTERNAL_SERVER_ERROR);
        return size;
    }
    frames->at = bytes;
    frames->left = size;
    int error = wslay_event_recv(frames->context);
    size_t taken = size - frames->left;
    look(wire, frames, error);
    return taken;
}

/* Whole messages in one frame, written without a context: all writing shares one frame writer of the pool. */
void wire_frame_write(struct wire *wire, unsigned opcode, const void *bytes, size_t size)
{
    struct wslay_frame_iocb frame = { .fin = 1, .opcode = (uint8_t)opcode, .payload_length = size,
        .mask = !wire->pool->is_server, .data = bytes, .data_length = size };
    wire->pool->writing = wire;
    wslay_frame_send(wire->pool->writer, &frame);
}
