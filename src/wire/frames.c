/*
 * frames.c: WebSocket messages (RFC 6455). Most WebSockets are silent most of the time, so one has memory for a frame
 * only while a frame or a fragmented message is being read; one spare piece of memory is kept for the next.
 *
 *  1. A frame's head is checked before its payload is read: a message that is too long or not text is never stored.
 *  2. Memory grows with the bytes that have arrived, not with the length that a head claims.
 *  3. Bytes after a message that paused the wire are not read, so nothing has to be buffered here.
 *
 * Pings and closes are answered here. There are no extensions: reserved bits end the WebSocket.
 */
#include <pyramids/utf8.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/rand.h>

#include "wire.h"

#define LONGEST_CONTROL 125      /* bytes of a ping or close (5.5) */
#define LONGEST_HEAD 14          /* two bytes, an extended length of 2 or 8, a mask of 4 */
#define FIRST_ROOM 256

enum { CONTINUED = 0, BINARY = 2, PONG = 10 };           /* opcodes besides those of wire.h */
enum { FIN = 0x80, RESERVED = 0x70, OPCODE = 0x0f, CONTROL = 0x08, MASKED = 0x80, LENGTH = 0x7f };

/* Why a WebSocket is closed (7.4.1). */
enum { NO_REASON = 1005, PROTOCOL = 1002, NOT_TEXT = 1003, NOT_UTF8 = 1007, TOO_LONG = 1009, NO_MEMORY = 1011 };

struct wire_frames {
    uint8_t head[LONGEST_HEAD];
    uint8_t head_size;           /* bytes of it that have arrived; 0: between frames */
    bool has_head;               /* it is complete, and the payload is being read */
    uint8_t control[LONGEST_CONTROL], control_size;
    bool in_parts;               /* a fragmented text is not complete */
    uint64_t length, done;       /* of the payload: the whole, and what has arrived */
    char *text;                  /* the message so far */
    size_t size, room;
};

struct wire_pool {
    bool is_server;
    size_t longest;
    struct wire_frames *spare;
};

/* The pool. */

struct wire_pool *wire_pool_create(bool is_server, size_t longest)
{
    struct wire_pool *pool = calloc(1, sizeof *pool);
    if (pool)
        *pool = (struct wire_pool){ .is_server = is_server, .longest = longest };
    return pool;
}

static void destroy(struct wire_frames *frames)
{
    if (frames)
        free(frames->text);
    free(frames);
}

void wire_pool_destroy(struct wire_pool *pool)
{
    if (pool)
        destroy(pool->spare);
    free(pool);
}

void wire_frames_drop(struct wire *wire)
{
    destroy(wire->frames);
    wire->frames = NULL;
}

/* The spare, or new memory; NULL without. */
static struct wire_frames *borrow(struct wire *wire)
{
    struct wire_frames *frames = wire->pool->spare;
    wire->pool->spare = NULL;
    return frames ? frames : calloc(1, sizeof *frames);
}

/* One is kept as a spare: connections are read one after the other, so more are hardly ever needed. */
static void give_back(struct wire *wire)
{
    struct wire_frames *frames = wire->frames;
    if (!frames || frames->head_size || frames->in_parts)
        return;
    wire->frames = NULL;
    frames->size = 0;
    if (wire->pool->spare)
        destroy(frames);
    else
        wire->pool->spare = frames;
}

/* Reading. Functions that return a number return 0, or the code to close with. */

static bool is_control(const struct wire_frames *frames)
{
    return frames->head[0] & CONTROL;
}

static bool is_utf8(const char *text, size_t size)
{
    size_t length;
    for (size_t at = 0; at < size; at += length) {
        length = 1;
        if ((unsigned char)text[at] >= 0x80 && pyr_utf8_read(text + at, size - at, &length) < 0)
            return false;
    }
    return true;
}

static size_t extended(const struct wire_frames *frames)
{
    unsigned length = frames->head[1] & LENGTH;
    return length == 127 ? 8 : length == 126 ? 2 : 0;
}

/* Checks the two bytes that every head begins with (5.2, 5.4). Only clients mask, and they must. */
static unsigned check_start(const struct wire_frames *frames, const struct wire_pool *pool)
{
    unsigned opcode = frames->head[0] & OPCODE, length = frames->head[1] & LENGTH;
    if (frames->head[0] & RESERVED || !(frames->head[1] & MASKED) == pool->is_server)
        return PROTOCOL;
    if (opcode & CONTROL)
        return opcode > PONG || !(frames->head[0] & FIN) || length > LONGEST_CONTROL ? PROTOCOL : 0;
    if (opcode > BINARY || (opcode == CONTINUED) != frames->in_parts)
        return PROTOCOL;
    return opcode == BINARY ? NOT_TEXT : 0;
}

/* Checks the length, which must have the shortest form, and fit. */
static unsigned check_length(struct wire_frames *frames, const struct wire_pool *pool)
{
    uint64_t length = frames->head[1] & LENGTH;
    size_t more = extended(frames);
    if (more) {
        length = 0;
        for (size_t i = 0; i < more; i++)
            length = length << 8 | frames->head[2 + i];
        if (length < (more == 2 ? 126 : 65536) || length >> 63)
            return PROTOCOL;
    }
    frames->has_head = true;
    frames->length = length;
    frames->done = 0;
    frames->control_size = 0;
    return !is_control(frames) && length > pool->longest - frames->size ? TOO_LONG : 0;
}

/* Reads bytes of the head until it is complete. */
static unsigned read_head(struct wire_frames *frames, const struct wire_pool *pool, const char *bytes, size_t size,
    size_t *taken)
{
    while (*taken < size) {
        frames->head[frames->head_size++] = (uint8_t)bytes[(*taken)++];
        if (frames->head_size < 2)
            continue;
        unsigned code = frames->head_size == 2 ? check_start(frames, pool) : 0;
        if (code)
            return code;
        if (frames->head_size == 2 + extended(frames) + (pool->is_server ? 4 : 0))
            return check_length(frames, pool);
    }
    return 0;
}

/* Room for `more` more bytes of a text, which is at most the longest (invariants 1 and 2). */
static bool make_room(struct wire_frames *frames, size_t more)
{
    if (frames->text && frames->size + more <= frames->room)
        return true;
    size_t room = frames->room ? frames->room : FIRST_ROOM;
    while (room < frames->size + more)
        room *= 2;
    char *larger = realloc(frames->text, room);
    if (!larger)
        return false;
    frames->text = larger;
    frames->room = room;
    return true;
}

/* Reads bytes of the payload, removes their mask and adds them to the text, or to a control frame in between. */
static unsigned read_payload(struct wire_frames *frames, const struct wire_pool *pool, const char *bytes, size_t size,
    size_t *taken)
{
    const uint8_t *mask = frames->head + 2 + extended(frames);
    uint64_t left = frames->length - frames->done;
    size_t count = left < size ? (size_t)left : size;
    *taken += count;
    if (!is_control(frames) && !make_room(frames, count))
        return NO_MEMORY;
    char *to = is_control(frames) ? (char *)frames->control + frames->control_size : frames->text + frames->size;
    for (size_t i = 0; i < count; i++)
        to[i] = (char)((uint8_t)bytes[i] ^ (pool->is_server ? mask[(frames->done + i) % 4] : 0));
    frames->done += count;
    if (is_control(frames))
        frames->control_size = (uint8_t)(frames->control_size + count);
    else
        frames->size += count;
    return 0;
}

/* Codes that may be sent (7.4.2 and the list of IANA). */
static bool is_code(unsigned code)
{
    return (code >= 1000 && code <= 1014 && (code < 1004 || code > 1006)) || (code >= 3000 && code <= 4999);
}

/* A close is answered with the same code, or with none. */
static unsigned take_close(struct wire *wire, const struct wire_frames *frames)
{
    const uint8_t *bytes = frames->control;
    size_t size = frames->control_size;
    unsigned code = size < 2 ? NO_REASON : (unsigned)bytes[0] << 8 | bytes[1];
    if (size == 1 || (size && !is_code(code)))
        return PROTOCOL;
    if (size && !is_utf8((const char *)bytes + 2, size - 2))
        return NOT_UTF8;
    wire_frame_write(wire, WIRE_CLOSE, bytes, size ? 2 : 0);
    wire->state = WIRE_OVER;
    wire->events->closing(wire->owner, code);
    return 0;
}

/* Handles a complete frame. After `message` the wire may be over, and its frames freed. */
static unsigned finish_frame(struct wire *wire, struct wire_frames *frames)
{
    unsigned opcode = frames->head[0] & OPCODE;
    frames->head_size = 0;
    frames->has_head = false;
    if (opcode == WIRE_CLOSE)
        return take_close(wire, frames);
    if (opcode == WIRE_PING)
        wire_frame_write(wire, PONG, frames->control, frames->control_size);
    if (opcode & CONTROL)
        return 0;
    frames->in_parts = !(frames->head[0] & FIN);
    if (frames->in_parts)
        return 0;
    if (!is_utf8(frames->text, frames->size))
        return NOT_UTF8;
    size_t size = frames->size;
    frames->size = 0;
    wire->events->message(wire->owner, size ? frames->text : "", size);
    return 0;
}

/* Reads up to the end of one frame. */
static unsigned read_frame(struct wire *wire, const char *bytes, size_t size, size_t *taken)
{
    struct wire_frames *frames = wire->frames;
    unsigned code = 0;
    *taken = 0;
    if (!frames->has_head)
        code = read_head(frames, wire->pool, bytes, size, taken);
    if (code || !frames->has_head)
        return code;
    code = read_payload(frames, wire->pool, bytes + *taken, size - *taken, taken);
    return !code && frames->done == frames->length ? finish_frame(wire, frames) : code;
}

size_t wire_frames_read(struct wire *wire, const char *bytes, size_t size)
{
    size_t at = 0, taken = 0;
    unsigned code = 0;
    if (!wire->frames)
        wire->frames = borrow(wire);
    if (!wire->frames)
        code = NO_MEMORY;
    for (; !code && at < size && wire_takes(wire); at += taken)
        code = read_frame(wire, bytes + at, size - at, &taken);
    if (code) {
        wire_close(wire, code);
        wire->events->closing(wire->owner, code);
        return size;
    }
    if (wire->state == WIRE_SOCKET)
        give_back(wire);
    return at;
}

/* Writing: each message is one frame; the head is written together with the payload, so that TLS makes one record of a
 * short message. */
void wire_frame_write(struct wire *wire, unsigned opcode, const void *bytes, size_t size)
{
    uint8_t out[4096], mask[4] = { 0 };
    bool masks = !wire->pool->is_server;
    unsigned more = size > 65535 ? 8 : size > 125 ? 2 : 0;
    size_t used = 0;
    if (masks && RAND_bytes(mask, sizeof mask) != 1)
        return;
    out[used++] = (uint8_t)(FIN | opcode);
    out[used++] = (uint8_t)((masks ? MASKED : 0) | (more == 8 ? 127 : more ? 126 : size));
    for (unsigned i = more; i > 0; i--)
        out[used++] = (uint8_t)((uint64_t)size >> 8 * (i - 1));
    if (masks) {
        memcpy(out + used, mask, sizeof mask);
        used += sizeof mask;
    }
    size_t at = 0;
    do {
        for (; at < size && used < sizeof out; at++)
            out[used++] = ((const uint8_t *)bytes)[at] ^ mask[at % 4];
        wire->events->write(wire->owner, out, used);
        used = 0;
    } while (at < size);
}
