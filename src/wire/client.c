/*
 * client.c: a connection as a client sees it: one request, then its answer or a WebSocket.
 *
 *  1. Interim answers (100 to 199 except 101) are skipped.
 *  2. A WebSocket is opened only by 101 with the right key and, if it names a subprotocol, the one that was requested.
 *     Any other answer is reported as an ordinary answer.
 *  3. After the last byte of an answer, and after an answer that cannot be read, nothing more is read.
 *
 * Callers: wire_read, for a wire that wire_ask has made a client's; the terminal client (src/tui/net.c). It owns
 * struct wire_client, which is freed with the wire. No sockets and no clock: bytes in, bytes and events out.
 */
#include <http_parser.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire.h"

struct wire_client {
    const struct wire_client_events *events;
    char accept_key[29];         /* the key that the answer must contain; "": no WebSocket was requested */
    char protocol[32];
    bool is_chunked, has_length;
    uint64_t left;               /* of a body with a length */
    http_parser chunks;          /* reads a chunked body */
};

void wire_client_drop(struct wire *wire)
{
    free(wire->client);
    wire->client = NULL;
}

/* Draws the key of a handshake and computes the answer to it. */
static bool draw_key(struct wire_client *client, char key[25])
{
    unsigned char bytes[16];
    if (RAND_bytes(bytes, sizeof bytes) != 1 || EVP_EncodeBlock((unsigned char *)key, bytes, sizeof bytes) != 24)
        return false;
    wire_accept_key(key, client->accept_key);
    return client->accept_key[0] != '\0';
}

/* With a line end in the path, its author could add headers. */
static bool is_path(const char *path)
{
    for (const char *at = path; *at; at++)
        if (*at <= ' ' || *at > '~')
            return false;
    return path[0] == '/';
}

/* `headers` are whole lines. One request per connection ("connection: close") keeps the number of states small. */
bool wire_ask(struct wire *wire, const struct wire_asking *asking)
{
    char key[25], more[256] = "connection: close\r\n";
    struct wire_client *client = is_path(asking->path) ? calloc(1, sizeof *client) : NULL;
    if (!client)
        return false;
    if (asking->protocol) {
        snprintf(client->protocol, sizeof client->protocol, "%s", asking->protocol);
        if (!draw_key(client, key)) {
            free(client);
            return false;
        }
        snprintf(more, sizeof more, "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n"
            "sec-websocket-key: %s\r\nsec-websocket-protocol: %s\r\n", key, client->protocol);
    } else if (asking->body) {
        snprintf(more, sizeof more, "connection: close\r\ncontent-type: application/json\r\ncontent-length: %zu\r\n",
            asking->body_size);
    }
    size_t room = strlen(asking->path) + strlen(asking->host) + strlen(asking->headers) + strlen(more) + 64;
    char *text = malloc(room);
    wire->head = wire_head_create_answer();
    if (!text || !wire->head) {
        free(text);
        free(client);
        return false;
    }
    client->events = asking->events;
    wire->client = client;
    wire->state = WIRE_READING_HEAD;
    int size = snprintf(text, room, "%s %s HTTP/1.1\r\nhost: %s\r\n%s%s\r\n", asking->body ? "POST" : "GET", asking->path,
        asking->host, more, asking->headers);
    wire->events->write(wire->owner, text, (size_t)size);
    free(text);
    if (asking->body)
        wire->events->write(wire->owner, asking->body, asking->body_size);
    return true;
}

static void complete(struct wire *wire)
{
    wire->state = WIRE_OVER;
    wire->events->complete(wire->owner);
}

/* The parts of a chunked body. */

static int on_chunk(http_parser *parser, const char *bytes, size_t size)
{
    struct wire *wire = parser->data;
    wire->events->body(wire->owner, bytes, size);
    return wire->state == WIRE_READING_BODY ? 0 : -1;        /* its owner may have ended it */
}

static int on_last_chunk(http_parser *parser)
{
    complete(parser->data);
    http_parser_pause(parser, 1);
    return 0;
}

static const http_parser_settings chunk_settings = { .on_body = on_chunk, .on_message_complete = on_last_chunk };

/* http-parser reads chunks only after a head, so it is given one; the real one has been read already. */
static void begin_chunks(struct wire *wire)
{
    static const char head[] = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    http_parser *parser = &wire->client->chunks;
    http_parser_init(parser, HTTP_RESPONSE);
    parser->data = wire;
    http_parser_execute(parser, &chunk_settings, head, sizeof head - 1);
}

static void report_fault(struct wire *wire, enum wire_fault fault)
{
    const struct wire_answer answer = { .fault = fault };
    wire->state = WIRE_OVER;
    wire->client->events->answer(wire->owner, &answer);
}

/* A whole head: an answer, the beginning of a WebSocket, or an interim answer, after which another head follows. */
static void report(struct wire *wire)
{
    struct wire_client *client = wire->client;
    struct wire_answer answer;
    wire_head_answer(wire->head, &answer);
    bool is_asked = client->accept_key[0] && answer.is_upgrade && !strcmp(answer.accept_key, client->accept_key) &&
        (!answer.protocol || !strcmp(answer.protocol, client->protocol));
    if (answer.fault || (answer.status == 101 && !is_asked)) {
        report_fault(wire, answer.fault ? answer.fault : WIRE_MALFORMED);
    } else if (is_asked) {
        wire->state = WIRE_SOCKET;
        client->events->opened(wire->owner);
    } else if (answer.status >= 200) {
        client->is_chunked = answer.is_chunked;
        client->has_length = answer.has_length;
        client->left = answer.length;
        wire->state = WIRE_READING_BODY;
        if (client->is_chunked)
            begin_chunks(wire);
        wire->client->events->answer(wire->owner, &answer);
        if (client->has_length && !client->left && wire->state == WIRE_READING_BODY)
            complete(wire);
    }
    bool is_interim = wire->state == WIRE_READING_HEAD;
    wire_head_destroy(wire->head);
    wire->head = is_interim ? wire_head_create_answer() : NULL;
    if (is_interim && !wire->head)
        report_fault(wire, WIRE_HEAD_TOO_LONG);
}

/* After the last chunk the rest is taken and dropped (invariant 3). */
static size_t read_chunks(struct wire *wire, const char *bytes, size_t size)
{
    http_parser *parser = &wire->client->chunks;
    size_t taken = http_parser_execute(parser, &chunk_settings, bytes, size);
    if (HTTP_PARSER_ERRNO(parser) && wire->state == WIRE_READING_BODY)
        report_fault(wire, WIRE_LENGTH);
    return wire->state == WIRE_READING_BODY ? taken : size;
}

size_t wire_client_read(struct wire *wire, const char *bytes, size_t size)
{
    struct wire_client *client = wire->client;
    if (wire->state == WIRE_READING_HEAD) {
        bool done;
        size_t taken = wire_head_read(wire->head, bytes, size, &done);
        if (done)
            report(wire);
        return taken;
    }
    if (client->is_chunked)
        return read_chunks(wire, bytes, size);
    size_t taken = client->has_length && client->left < size ? (size_t)client->left : size;
    client->left -= client->has_length ? taken : 0;
    wire->events->body(wire->owner, bytes, taken);
    if (client->has_length && !client->left && wire->state == WIRE_READING_BODY)
        complete(wire);
    return taken;
}

/* A body without a length ends with its connection; any other incomplete body was cut off, and is not reported as
 * complete. */
void wire_ended(struct wire *wire)
{
    const struct wire_client *client = wire->client;
    if (client && wire->state == WIRE_READING_BODY && !client->is_chunked && !client->has_length)
        complete(wire);
}
