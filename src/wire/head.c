/*
 * head.c: the head of a request, or of an answer. http-parser reads it and stops where the head ends; bodies are counted
 * by wire.c and client.c. Debian builds http-parser in its lenient mode, so anything that it accepts although two servers
 * could read it differently is refused here: lines that do not end in CR LF, folded headers, names with blanks, a second
 * Host, Content-Length or Sec-WebSocket-Key.
 *
 * These checks prevent request smuggling: a proxy in front of us may read an ambiguous head differently, so that a body
 * for one is a second request for the other.
 *
 * Names and values are kept as offsets into `bytes`, since the buffer may move while it grows; they become C strings in
 * put_ends.
 */
#include <http_parser.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pyramids/lines.h>

#include "wire.h"

#define FIRST_ROOM 1024          /* bytes; most heads fit */

struct span { uint16_t at, size; };

struct wire_head {
    http_parser parser;
    char *bytes;                 /* the head as received; terminators are inserted once it is complete */
    size_t size, room;
    enum wire_fault fault;
    bool complete, in_value;
    struct span target;
    unsigned count;
    struct { struct span name, value; } header[WIRE_HEADERS];
};

/* Adds a piece to a span; false if it does not follow the bytes that are there. */
static bool extend(struct wire_head *head, struct span *span, const char *at, size_t length)
{
    size_t start = (size_t)(at - head->bytes);
    if (!span->size)
        span->at = (uint16_t)start;
    else if (span->at + span->size != (int)start)
        return false;
    span->size = (uint16_t)(span->size + length);
    return true;
}

static int on_target(http_parser *parser, const char *at, size_t length)
{
    struct wire_head *head = parser->data;
    return extend(head, &head->target, at, length) ? 0 : -1;
}

static int on_name(http_parser *parser, const char *at, size_t length)
{
    struct wire_head *head = parser->data;
    if (head->in_value || !head->count) {
        if (head->count == WIRE_HEADERS) {
            head->fault = WIRE_HEAD_TOO_LONG;
            return -1;
        }
        memset(&head->header[head->count++], 0, sizeof head->header[0]);
        head->in_value = false;
    }
    return extend(head, &head->header[head->count - 1].name, at, length) ? 0 : -1;
}

static int on_value(http_parser *parser, const char *at, size_t length)
{
    struct wire_head *head = parser->data;
    head->in_value = true;
    return extend(head, &head->header[head->count - 1].value, at, length) ? 0 : -1;
}

static int on_complete(http_parser *parser)
{
    ((struct wire_head *)parser->data)->complete = true;
    return 2;                                /* stop here */
}

static const http_parser_settings settings = { .on_url = on_target, .on_header_field = on_name, .on_header_value = on_value,
    .on_headers_complete = on_complete };

static struct wire_head *create(enum http_parser_type type)
{
    struct wire_head *head = malloc(sizeof *head);
    if (!head)
        return NULL;
    memset(head, 0, offsetof(struct wire_head, header));
    http_parser_init(&head->parser, type);
    head->parser.data = head;
    return head;
}

struct wire_head *wire_head_create(void)
{
    return create(HTTP_REQUEST);
}

struct wire_head *wire_head_create_answer(void)
{
    return create(HTTP_RESPONSE);
}

void wire_head_destroy(struct wire_head *head)
{
    if (head)
        free(head->bytes);
    free(head);
}

/* Whether all lines end in CR LF, and neither character is anywhere else. */
static bool has_good_lines(const struct wire_head *head)
{
    for (size_t i = 0; i < head->size; i++)
        if ((head->bytes[i] == '\n' && (!i || head->bytes[i - 1] != '\r')) ||
            (head->bytes[i] == '\r' && (i + 1 == head->size || head->bytes[i + 1] != '\n')))
            return false;
    return true;
}

static bool is_token(const char *text)
{
    static const char letters[] = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    return *text && strspn(text, letters) == strlen(text);
}

/* Puts terminators after names and values: there is always a byte that belongs to neither. */
static bool put_ends(struct wire_head *head)
{
    for (unsigned i = 0; i < head->count; i++) {
        struct span *name = &head->header[i].name, *value = &head->header[i].value;
        char *bytes = head->bytes;
        bytes[name->at + name->size] = '\0';
        if (!is_token(bytes + name->at))
            return false;
        while (value->size && strchr(" \t", bytes[value->at + value->size - 1]))
            value->size--;
        if (value->size)
            bytes[value->at + value->size] = '\0';
    }
    /* The lenient build does not check all letters of the first word. */
    if (head->parser.type == HTTP_RESPONSE)
        return !strncmp(head->bytes, "HTTP/1.", 7) && head->bytes[8] == ' ';
    /* Exactly one blank before the target and one after it. */
    const char *target = head->bytes + head->target.at;
    if (head->target.at < 2 || target[-2] == ' ' || strncmp(target + head->target.size, " HTTP/", 6))
        return false;
    head->bytes[head->target.at + head->target.size] = '\0';
    return head->target.size > 0;
}

/* Whether the method is written correctly. */
static bool has_method(const struct wire_head *head, size_t size)
{
    size_t length = 0;
    while (length < size && strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-", head->bytes[length]))
        length++;
    return length && length < size && head->bytes[length] == ' ';
}

static bool keep(struct wire_head *head, const char *bytes, size_t size)
{
    if (size > WIRE_HEAD - head->size) {
        head->fault = WIRE_HEAD_TOO_LONG;
        return false;
    }
    size_t room = head->room ? head->room : FIRST_ROOM;
    while (room < head->size + size + 1)
        room *= 2;
    if (room > head->room) {
        char *larger = realloc(head->bytes, room);
        if (!larger) {
            head->fault = WIRE_HEAD_TOO_LONG;
            return false;
        }
        head->bytes = larger;
        head->room = room;
    }
    memcpy(head->bytes + head->size, bytes, size);
    return true;
}

size_t wire_head_read(struct wire_head *head, const char *bytes, size_t size, bool *done)
{
    size_t most = WIRE_HEAD - head->size, take = size < most ? size : most;
    *done = true;
    if (!keep(head, bytes, take))
        return 0;
    size_t used = http_parser_execute(&head->parser, &settings, head->bytes + head->size, take);
    enum http_errno error = HTTP_PARSER_ERRNO(&head->parser);
    if (error) {
        if (!head->fault)
            head->fault = error == HPE_INVALID_METHOD && has_method(head, head->size + take) ? WIRE_METHOD :
                error == HPE_HEADER_OVERFLOW ? WIRE_HEAD_TOO_LONG :
                error == HPE_INVALID_CONTENT_LENGTH || error == HPE_UNEXPECTED_CONTENT_LENGTH ||
                error == HPE_INVALID_TRANSFER_ENCODING ? WIRE_LENGTH : WIRE_MALFORMED;
        return take;
    }
    head->size += used;
    if (head->complete) {
        if (!has_good_lines(head) || !put_ends(head) || head->parser.http_major != 1 || head->parser.http_minor > 1)
            head->fault = WIRE_MALFORMED;
    } else if (head->size == WIRE_HEAD) {
        head->fault = WIRE_HEAD_TOO_LONG;
    } else {
        *done = false;
    }
    return used;
}

/* The index-th header of that name, NULL if there are fewer; an empty value is "". */
static const char *header(const struct wire_head *head, const char *name, unsigned index)
{
    for (unsigned i = 0; head && !head->fault && i < head->count; i++)
        if (!strcasecmp(head->bytes + head->header[i].name.at, name) && !index--)
            return head->header[i].value.size ? head->bytes + head->header[i].value.at : "";
    return NULL;
}

const char *wire_header(const struct wire_request *request, const char *name, unsigned index)
{
    return header(request->head, name, index);
}

const char *wire_answer_header(const struct wire_answer *answer, const char *name, unsigned index)
{
    return header(answer->head, name, index);
}

/* Whether a comma-separated list contains a word, in any case of letters. */
static bool has_word(const struct wire_head *head, const char *name, const char *word)
{
    const char *list;
    for (unsigned i = 0; (list = header(head, name, i)); i++)
        while (*list) {
            list += strspn(list, " \t,");
            size_t size = strcspn(list, ",");
            size_t length = size;
            while (length && strchr(" \t", list[length - 1]))
                length--;
            if (length == strlen(word) && !strncasecmp(list, word, length))
                return true;
            list += size;
        }
    return false;
}

/* A request's body must have a plain length: chunked bodies, which none of our clients sends, are refused. */
static enum wire_fault body_length(const struct wire_request *request, uint32_t *length)
{
    const char *text = wire_header(request, "content-length", 0);
    *length = 0;
    if (wire_header(request, "transfer-encoding", 0) || wire_header(request, "content-length", 1))
        return WIRE_LENGTH;
    if (!text)
        return WIRE_GOOD;
    size_t digits = strspn(text, "0123456789");
    if (!digits || text[digits])
        return WIRE_LENGTH;
    if (digits > 9)
        return text[0] == '0' ? WIRE_LENGTH : WIRE_BODY_TOO_LONG;
    *length = (uint32_t)strtoul(text, NULL, 10);
    return *length > WIRE_BODY ? WIRE_BODY_TOO_LONG : WIRE_GOOD;
}

/* In place; NULL if it is invalid. %00 is refused, since C would read only the part before it. */
static const char *decode(char *path)
{
    char *to = path;
    for (const char *at = path; *at; at++) {
        if (*at != '%') {
            *to++ = *at;
            continue;
        }
        int high = pyr_hex_any(at[1]), low = high < 0 ? -1 : pyr_hex_any(at[2]);
        if (low < 0 || !(high | low))
            return NULL;
        *to++ = (char)(high << 4 | low);
        at += 2;
    }
    *to = '\0';
    return path;
}

/* The target is a path, or a URL as sent to proxies, whose host then takes precedence. */
static void read_target(struct wire_head *head, struct wire_request *request)
{
    char *target = head->bytes + head->target.at, *rest = target;
    request->host = wire_header(request, "host", 0);
    if (!strncasecmp(target, "http://", 7) || !strncasecmp(target, "https://", 8)) {
        char *host = strchr(target, ':') + 3;
        size_t length = strcspn(host, "/?");
        rest = host + length;
        memmove(host - 1, host, length);     /* makes room for its terminator */
        host--;
        host[length] = '\0';
        request->host = host;
        if (!length)
            request->fault = WIRE_MALFORMED;
    }
    char *query = strchr(rest, '?');
    request->query = query ? query + 1 : "";
    if (query)
        *query = '\0';
    request->path = *rest ? decode(rest) : "/";
}

/* 16 bytes in base64. */
static bool is_socket_key(const char *key)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char bytes[24];
    return strlen(key) == 24 && strspn(key, letters) == 22 && !strcmp(key + 22, "==") &&
        EVP_DecodeBlock(bytes, (const unsigned char *)key, 24) == 18;
}

void wire_head_request(struct wire_head *head, struct wire_request *request)
{
    *request = (struct wire_request){ .fault = head->fault, .method = "", .query = "", .head = head };
    if (head->complete && !head->fault && (wire_header(request, "host", 1) || wire_header(request, "sec-websocket-key", 1)))
        request->fault = head->fault = WIRE_MALFORMED;
    if (request->fault)
        return;
    request->method = http_method_str((enum http_method)head->parser.method);
    request->is_old = head->parser.http_minor == 0;
    request->keep_alive = !has_word(head, "connection", "close") &&
        (!request->is_old || has_word(head, "connection", "keep-alive"));
    request->fault = body_length(request, &request->body);
    read_target(head, request);
    request->wants_continue = !request->is_old && has_word(head, "expect", "100-continue");
    request->wants_socket = !request->is_old && !strcmp(request->method, "GET") &&
        has_word(head, "upgrade", "websocket") && has_word(head, "connection", "upgrade");
    const char *key = wire_header(request, "sec-websocket-key", 0);
    const char *version = wire_header(request, "sec-websocket-version", 0);
    if (request->wants_socket && key && is_socket_key(key) && version && !strcmp(version, "13") && !request->body &&
        !wire_header(request, "sec-websocket-version", 1))
        request->socket_key = key;
}

/* RFC 6455, 4.2.2: base64 of the SHA-1 of the key and this fixed text. */
void wire_accept_key(const char *key, char answer[29])
{
    char text[64];
    unsigned char digest[EVP_MAX_MD_SIZE];
    size_t size = strlen(key);
    memcpy(text, key, size);
    memcpy(text + size, "258EAFA5-E914-47DA-95CA-C5AB0DC85B11", 36);
    answer[0] = '\0';
    if (EVP_Digest(text, size + 36, digest, NULL, EVP_sha1(), NULL))
        EVP_EncodeBlock((unsigned char *)answer, digest, 20);
}

/* How the body of an answer ends. An answer with two different indications is refused: a proxy might use the other one. */
static enum wire_fault answer_length(const struct wire_head *head, struct wire_answer *answer)
{
    const char *length = header(head, "content-length", 0), *coding = header(head, "transfer-encoding", 0);
    if (answer->status < 200 || answer->status == 204 || answer->status == 304) {
        answer->has_length = true;           /* there is no body, even if headers describe one */
        return WIRE_GOOD;
    }
    if (coding) {
        answer->is_chunked = true;
        return length || strcasecmp(coding, "chunked") || header(head, "transfer-encoding", 1) ? WIRE_LENGTH : WIRE_GOOD;
    }
    if (!length)
        return WIRE_GOOD;
    size_t digits = strspn(length, "0123456789");
    if (!digits || digits > 18 || length[digits] || header(head, "content-length", 1))
        return WIRE_LENGTH;
    answer->has_length = true;
    answer->length = strtoull(length, NULL, 10);
    return WIRE_GOOD;
}

void wire_head_answer(struct wire_head *head, struct wire_answer *answer)
{
    *answer = (struct wire_answer){ .fault = head->fault, .head = head };
    if (answer->fault)
        return;
    answer->status = head->parser.status_code;
    answer->fault = answer_length(head, answer);
    answer->protocol = header(head, "sec-websocket-protocol", 0);
    answer->accept_key = header(head, "sec-websocket-accept", 0);
    answer->is_upgrade = answer->status == 101 && answer->accept_key && has_word(head, "upgrade", "websocket") &&
        has_word(head, "connection", "upgrade") && !header(head, "sec-websocket-extensions", 0);
}
