/* test_wire.c: src/wire without a network: the same bytes in pieces of every size give the same events and the same
 * answers. */
#include <stdarg.h>

#include "check.h"
#include "wire.h"

/* What was reported, one word per event, and what was written. */
static struct {
    struct wire wire;
    char events[4096], written[8192];
    size_t size, bytes;
    bool answers, upgrades, pauses;
} end;

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void note(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int size = vsnprintf(end.events + end.size, sizeof end.events - end.size, format, values);
    va_end(values);
    if (size > 0 && (size_t)size < sizeof end.events - end.size)
        end.size += (size_t)size;
}

static void on_request(void *owner, const struct wire_request *request)
{
    const char *x = wire_header(request, "x", 0);
    (void)owner;
    note("[%s %s?%s host=%s x=%s fault=%d body=%u%s]", request->method, request->path ? request->path : "-", request->query,
        request->host ? request->host : "-", x ? x : "-", (int)request->fault, (unsigned)request->body,
            request->keep_alive ? "" : " last");
    if (end.upgrades && request->socket_key)
        wire_upgrade(&end.wire, request, "");
    else if (request->fault)
        wire_answered(&end.wire, false);
}

static void on_body(void *owner, const char *bytes, size_t size)
{
    (void)owner;
    note("%.*s", (int)size, bytes);
}

static void on_complete(void *owner)
{
    (void)owner;
    note("!");
    if (end.answers)
        wire_answered(&end.wire, true);
}

static void on_message(void *owner, const char *text, size_t size)
{
    (void)owner;
    note("<%.*s>", (int)size, text);
    if (end.pauses)
        wire_pause(&end.wire);
}

static void on_closing(void *owner, unsigned code)
{
    (void)owner;
    note("closed %u", code);
}

static void on_write(void *owner, const void *bytes, size_t size)
{
    (void)owner;
    if (size <= sizeof end.written - end.bytes) {
        memcpy(end.written + end.bytes, bytes, size);
        end.bytes += size;
    }
}

static const struct wire_events handlers = { on_request, on_body, on_complete, on_message, on_closing, on_write };
static struct wire_pool *pool;

static void begin(void)
{
    if (!pool)
        pool = wire_pool_create(true, 100);
    wire_finish(&end.wire);
    memset(&end, 0, sizeof end);
    wire_init(&end.wire, &handlers, NULL, pool);
    end.answers = true;
}

/* Everything in pieces of so many bytes; how much was taken. */
static size_t feed(const char *bytes, size_t size, size_t piece)
{
    size_t at = 0;
    while (at < size && wire_takes(&end.wire)) {
        size_t part = size - at < piece ? size - at : piece;
        at += wire_read(&end.wire, bytes + at, part);
    }
    return at;
}

TEST("two requests in pieces of any size are two")
{
    static const char text[] = "POST /a%20b?c=d HTTP/1.1\r\nHost: h\r\nX: \t y z \r\nContent-Length: 3\r\n\r\nabc"
        "GET http://other/ HTTP/1.0\r\nHost: h\r\n\r\n";
    for (size_t piece = 1; piece < sizeof text; piece++) {
        begin();
        CHECK_INT(feed(text, sizeof text - 1, piece), sizeof text - 1);
        CHECK_STR(end.events, "[POST /a b?c=d host=h x=y z fault=0 body=3]abc![GET /? host=other x=- fault=0 body=0 last]!");
        CHECK_INT(end.wire.state, WIRE_OVER);
    }
}

TEST("the next request is not looked at before the last was answered")
{
    static const char text[] = "GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n";
    begin();
    end.answers = false;
    size_t taken = feed(text, sizeof text - 1, sizeof text);
    CHECK_STR(end.events, "[GET /1? host=- x=- fault=0 body=0]!");
    CHECK_INT(taken, (sizeof text - 1) / 2);
    CHECK(!wire_takes(&end.wire));
    wire_answered(&end.wire, true);
    feed(text + taken, sizeof text - 1 - taken, 1);
    CHECK_STR(end.events, "[GET /1? host=- x=- fault=0 body=0]![GET /2? host=- x=- fault=0 body=0]!");
}

TEST("after a head that can be read in two ways nothing is taken")
{
    static const char *const heads[] = { "GET / HTTP/1.1\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\nX: a\r\n b\r\n\r\n",
        "GET  / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nX : a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nX: a\rb\r\n\r\n" };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        for (size_t piece = 1; piece < 60; piece += 29) {
            begin();
            feed(heads[i], strlen(heads[i]), piece);
            CHECK(strstr(end.events, "fault=1") != NULL);
            CHECK(!wire_takes(&end.wire));
        }
    begin();
    feed("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na", 58, 58);
    CHECK(strstr(end.events, "fault=4") != NULL);
    begin();
    feed("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 52, 1);
    CHECK(strstr(end.events, "fault=4") != NULL);
}

static const char handshake[] = "GET /s HTTP/1.1\r\nUpgrade: websocket\r\nConnection: keep-alive, "
    "Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/* The key and its answer are RFC 6455's own example; the frames are masked with zeros. */
TEST("a WebSocket in pieces of any size")
{
    static const char frames[] = "\x01\x82\0\0\0\0he\x89\x81\0\0\0\0?\x80\x83\0\0\0\0llo\x81\x80\0\0\0\0";
    static const char goodbye[] = "\x88\x82\0\0\0\0\x03\xe8\x81\x81\0\0\0\0x";
    for (size_t piece = 1; piece < sizeof frames; piece++) {
        begin();
        end.upgrades = true;
        CHECK_INT(feed(handshake, sizeof handshake - 1, piece), sizeof handshake - 1);
        CHECK(strstr(end.written, "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n") != NULL);
        end.size = end.bytes = 0;
        feed(frames, sizeof frames - 1, piece);
        feed(goodbye, sizeof goodbye - 1, piece);
        CHECK_STR(end.events, "<hello><>closed 1000");
        CHECK_INT(end.bytes, 7);
        CHECK(!memcmp(end.written, "\x8a\x01?\x88\x02\x03\xe8", 7));         /* pong, close */
        CHECK_INT(end.wire.state, WIRE_OVER);
    }
}

TEST("while paused nothing is reported, and nothing is lost")
{
    static const char frames[] = "\x81\x81\0\0\0\0a\x81\x81\0\0\0\0b\x81\x81\0\0\0\0c\x81\x81\0\0\0\0d";
    for (size_t piece = 1; piece < sizeof frames; piece++) {
        begin();
        end.upgrades = end.pauses = true;
        feed(handshake, sizeof handshake - 1, sizeof handshake);
        end.size = 0;
        size_t taken = 0;
        for (unsigned i = 0; i < 4; i++) {
            taken += feed(frames + taken, sizeof frames - 1 - taken, piece);
            CHECK_INT(end.size, 3 * (i + 1));
            CHECK(!wire_takes(&end.wire));
            wire_resume(&end.wire);
        }
        CHECK_STR(end.events, "<a><b><c><d>");
        CHECK_INT(taken, sizeof frames - 1);
    }
}

TEST("frames that are none end it with the code that says so")
{
    static const struct { const char *bytes; size_t size; const char *wanted; } cases[] = {
        { "\x81\x01x", 3, "closed 1002" }, { "\xc1\x81\0\0\0\0x", 7, "closed 1002" }, { "\x83\x81\0\0\0\0x", 7,
            "closed 1002" },
        { "\x09\x81\0\0\0\0x", 7, "closed 1002" }, { "\x82\x81\0\0\0\0x", 7, "closed 1003" }, { "\x81\x81\0\0\0\0\xff", 7,
            "closed 1007" },
        { "\x81\xfe\x01\0\0\0\0\0x", 9, "closed 1009" }, { "\x80\x81\0\0\0\0x", 7, "closed 1002" }, { "\x88\x81\0\0\0\0x",
            7, "closed 1002" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t piece = 1; piece < 10; piece += 8) {
            begin();
            end.upgrades = true;
            feed(handshake, sizeof handshake - 1, sizeof handshake);
            end.size = 0;
            feed(cases[i].bytes, cases[i].size, piece);
            CHECK_STR(end.events, cases[i].wanted);
        }
    wire_finish(&end.wire);
    wire_pool_destroy(pool);
    pool = NULL;
}
