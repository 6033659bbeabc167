/* test_wire.c: src/wire without a network: the same bytes split into pieces of any size give the same events and the
 * same answers. */
#define _POSIX_C_SOURCE 200809L       /* mkdtemp */
#include <stdarg.h>

#include "check.h"
#include "check_certificate.h"
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

/* Feeds everything in pieces of so many bytes; returns how much was taken. */
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
            7, "closed 1002" },
        /* a control frame that is too long, another opcode, a close with a code that may not be sent, or not in UTF-8 */
        { "\x89\xfe\0\x7e\0\0\0\0", 8, "closed 1002" }, { "\x8b\x80\0\0\0\0", 6, "closed 1002" },
        { "\x88\x82\0\0\0\0\x03\xed", 8, "closed 1002" }, { "\x88\x83\0\0\0\0\x03\xe8\xff", 9, "closed 1007" },
        { "\x88\x80\0\0\0\0", 6, "closed 1005" },
        /* lengths that are not encoded in the shortest form, or that no message has; two parts that are too long
         * together */
        { "\x81\xfe\0\x05\0\0\0\0xxxxx", 13, "closed 1002" },
        { "\x81\xff\0\0\0\0\0\0\x01\0\0\0\0\0", 14, "closed 1002" },
        { "\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 14, "closed 1002" },
        { "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 14, "closed 1009" },
        { "\x01\x82\0\0\0\0he\x80\xe3\0\0\0\0", 14, "closed 1009" },
        /* a new message, or a character, in the middle of another; a character split into two parts is fine */
        { "\x01\x81\0\0\0\0h\x81\x81\0\0\0\0x", 14, "closed 1002" },
        { "\x01\x81\0\0\0\0\xc3\x80\x80\0\0\0\0", 13, "closed 1007" },
        { "\x01\x81\0\0\0\0\xc3\x80\x81\0\0\0\0\xa9", 14, "<\xc3\xa9>" } };
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

/* The client's side. */

static void on_answer(void *owner, const struct wire_answer *answer)
{
    const char *x = wire_answer_header(answer, "x", 0), *cookie = wire_answer_header(answer, "set-cookie", 1);
    (void)owner;
    note("[%u x=%s second=%s fault=%d]", answer->status, x ? x : "-", cookie ? cookie : "-", (int)answer->fault);
}

static void on_opened(void *owner)
{
    (void)owner;
    note("open");
}

static const struct wire_client_events client_handlers = { on_answer, on_opened };

static bool begin_client(const char *path, const char *body, const char *protocol)
{
    static struct wire_pool *clients;
    if (!clients)
        clients = wire_pool_create(false, 100);
    wire_finish(&end.wire);
    memset(&end, 0, sizeof end);
    wire_init(&end.wire, &handlers, NULL, clients);
    return wire_ask(&end.wire, &(struct wire_asking){ .events = &client_handlers, .host = "example:8080", .path = path,
        .headers = "cookie: a=b\r\n", .body = body, .body_size = body ? strlen(body) : 0, .protocol = protocol });
}

TEST("a client's request is one that our server reads")
{
    static const char *const bodies[] = { NULL, "{}", "" };
    static const char *const wanted[] = { "[GET /a?b=c host=example:8080 x=- fault=0 body=0 last]!",
        "[POST /a?b=c host=example:8080 x=- fault=0 body=2 last]{}!",
            "[POST /a?b=c host=example:8080 x=- fault=0 body=0 last]!" };
    for (unsigned i = 0; i < 3; i++) {
        char bytes[1024];
        if (!CHECK(begin_client("/a?b=c", bodies[i], NULL)))
            return;
        size_t size = end.bytes;
        memcpy(bytes, end.written, size);
        begin();
        CHECK_INT(feed(bytes, size, 1), size);
        CHECK_STR(end.events, wanted[i]);
    }
    /* Nothing may start a second request. */
    CHECK(!begin_client("/a\r\nx: y", NULL, NULL) && !begin_client("/a b", NULL, NULL) && !begin_client("", NULL, NULL) &&
        !begin_client("/\x80", NULL, NULL));
    CHECK_INT(end.bytes, 0);
}

TEST("an answer in pieces of any size is the same answer")
{
    static const struct {
        const char *bytes, *events;
        bool by_end;             /* its body ends with the connection */
    } cases[] = {
        { "HTTP/1.1 200 OK\r\nX:  y \r\nContent-Length: 5\r\n\r\nhello", "[200 x=y second=- fault=0]hello!", false },
        { "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "[404 x=- second=- fault=0]!", false },
        { "HTTP/1.1 204 No Content\r\n\r\n", "[204 x=- second=- fault=0]!", false },
        { "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "[304 x=- second=- fault=0]!", false },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\nT: x\r\n\r\n",
            "[200 x=- second=- fault=0]hello!", false },
        { "HTTP/1.0 200 OK\r\n\r\nhello", "[200 x=- second=- fault=0]hello!", true },
        { "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nX: z\r\n\r\n"
            "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\nContent-Length: 1\r\n\r\n!",
            "[200 x=- second=c=d fault=0]!!", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size = strlen(cases[i].bytes);
        for (size_t piece = 1; piece <= size; piece++) {
            begin_client("/", NULL, NULL);
            CHECK_INT(feed(cases[i].bytes, size, piece), size);
            CHECK_INT(wire_takes(&end.wire), cases[i].by_end);
            wire_ended(&end.wire);
            CHECK_STR(end.events, cases[i].events);
            CHECK_INT(end.wire.state, WIRE_OVER);
        }
        /* A truncated answer is not complete, at any length; bytes after an answer are not taken. */
        for (size_t cut = 0; cut < size && !cases[i].by_end; cut++) {
            begin_client("/", NULL, NULL);
            feed(cases[i].bytes, cut, size);
            wire_ended(&end.wire);
            CHECK(!end.size || end.events[end.size - 1] != '!' || !strcmp(cases[i].events + end.size, "!"));
            CHECK(end.wire.state != WIRE_OVER);
        }
    }
    begin_client("/", NULL, NULL);
    static const char two[] = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\n\r\n";
    CHECK_INT(feed(two, sizeof two - 1, sizeof two), 39);
    CHECK_STR(end.events, "[200 x=- second=- fault=0]a!");
}

TEST("what is no answer, or one that can be read in two ways, is refused")
{
    static const char *const bad[] = { "\x15\x03\x03\0\x02\x02\x46", "SSH-2.0-OpenSSH\r\n", "GET / HTTP/1.1\r\n\r\n",
        "HTTP/2.0 200 OK\r\n\r\n", ("HTT\xff" "d1.0 200 OK\r\n\r\n"), "HTTP/01.1 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\nX: y\n\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (size_t piece = 1; piece < 100; piece += 98) {
            begin_client("/", NULL, NULL);
            feed(bad[i], strlen(bad[i]) ? strlen(bad[i]) : 7, piece);
            if (!CHECK(strstr(end.events, "fault=") && !strstr(end.events, "fault=0")))
                printf("# %zu: %s\n", i, end.events);
            CHECK(!wire_takes(&end.wire));
        }
    /* An invalid chunk in the middle of a body. */
    static const char chunks[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\nzz\r\n";
    for (size_t piece = 1; piece < sizeof chunks; piece++) {
        begin_client("/", NULL, NULL);
        feed(chunks, sizeof chunks - 1, piece);
        CHECK_STR(end.events, "[200 x=- second=- fault=0]a[0 x=- second=- fault=4]");
    }
}

/* The head of a server's answer to the handshake that was just written. */
static size_t write_opening(char *to, size_t room, const char *key, const char *protocol)
{
    char asked[25] = "", accept[29];
    const char *at = strstr(end.written, "sec-websocket-key: ");
    if (at)
        memcpy(asked, at + 19, 24);
    wire_accept_key(asked, accept);
    return (size_t)snprintf(to, room, "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\nconnection: Upgrade\r\n"
        "sec-websocket-accept: %s\r\n%s\r\n", key ? key : accept, protocol);
}

/* Unmasks a client's frame; returns the size of its payload. */
static size_t unmask(const char *frame, char *to)
{
    size_t size = frame[1] & 0x7f;
    for (size_t i = 0; i < size; i++)
        to[i] = (char)(frame[6 + i] ^ frame[2 + i % 4]);
    return size;
}

TEST("a client's WebSocket in pieces of any size, frames right behind the handshake included")
{
    static const char frames[] = "\x01\x02he\x89\x01?\x80\x03llo\x81\x00", goodbye[] = "\x88\x02\x03\xe8\x81\x01x";
    for (size_t piece = 1; piece < 250; piece += piece < 30 ? 1 : 31) {
        char bytes[512], plain[16];
        CHECK(begin_client("/api/socket", NULL, "pyramids-1"));
        CHECK(strstr(end.written, "GET /api/socket HTTP/1.1\r\n") && strstr(end.written,
            "\r\nsec-websocket-protocol: pyramids-1\r\n"));
        size_t size = write_opening(bytes, sizeof bytes, NULL, "sec-websocket-protocol: pyramids-1\r\n");
        memcpy(bytes + size, frames, sizeof frames - 1);
        end.bytes = 0;
        feed(bytes, size + sizeof frames - 1, piece);
        feed(goodbye, sizeof goodbye - 1, piece);
        CHECK_STR(end.events, "open<hello><>closed 1000");
        CHECK_INT(end.wire.state, WIRE_OVER);
        CHECK_INT(end.bytes, 7 + 8);         /* pong, close; both masked */
        CHECK(!memcmp(end.written, "\x8a\x81", 2) && unmask(end.written, plain) == 1 && plain[0] == '?');
        CHECK(!memcmp(end.written + 7, "\x88\x82", 2) && unmask(end.written + 7, plain) == 2 &&
            !memcmp(plain, "\x03\xe8", 2));
    }
}

TEST("what a client sends on a WebSocket is masked, and our server reads it")
{
    char bytes[512];
    begin_client("/s", NULL, "p");
    char request[1024];
    size_t request_size = end.bytes, size = write_opening(bytes, sizeof bytes, NULL, "");
    memcpy(request, end.written, request_size);
    feed(bytes, size, size);
    end.bytes = 0;
    wire_send(&end.wire, "hello", 5);
    wire_ping(&end.wire);
    wire_close(&end.wire, 1001);
    size_t sent = end.bytes;
    memcpy(bytes, end.written, sent);
    for (size_t piece = 1; piece < 30; piece++) {
        begin();
        end.upgrades = true;
        feed(request, request_size, piece);
        end.size = 0;
        feed(bytes, sent, piece);
        CHECK_STR(end.events, "<hello>closed 1001");
    }
}

TEST("a WebSocket that was not asked for like this is none")
{
    static const struct { const char *key, *headers; } cases[] = { { "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "" },
        { NULL, "sec-websocket-protocol: other\r\n" }, { NULL, "sec-websocket-extensions: permessage-deflate\r\n" },
            { "", "" } };
    for (unsigned i = 0; i < 4; i++) {
        char bytes[512];
        begin_client("/s", NULL, "p");
        feed(bytes, write_opening(bytes, sizeof bytes, cases[i].key, cases[i].headers), 7);
        CHECK_STR(end.events, "[0 x=- second=- fault=1]");
    }
    /* A refusal is an ordinary answer. */
    static const char no[] = "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno";
    begin_client("/s", NULL, "p");
    feed(no, sizeof no - 1, 3);
    CHECK_STR(end.events, "[403 x=- second=- fault=0]no!");
    /* Masked frames come from clients only. */
    char bytes[512];
    begin_client("/s", NULL, "p");
    size_t size = write_opening(bytes, sizeof bytes, NULL, "");
    memcpy(bytes + size, "\x81\x81\0\0\0\0x", 7);
    feed(bytes, size + 7, 5);
    CHECK_STR(end.events, "openclosed 1002");
    wire_finish(&end.wire);
    wire_pool_destroy(pool);
    pool = NULL;
}

/* TLS, both sides in one program. */

/* Transfers encrypted bytes in pieces and decrypts them; false when nothing moved. got: the decrypted bytes. */
static bool carry(struct wire_tls *from, struct wire_tls *to, size_t piece, char *got, size_t *got_size, long *result)
{
    size_t size;
    const char *bytes = wire_tls_pending(from, &size);
    if (!size)
        return false;
    if (size > piece)
        size = piece;
    CHECK(wire_tls_receive(to, bytes, size));
    wire_tls_sent(from, size);
    while ((*result = wire_tls_read(to, got + *got_size, 1000)) > 0)
        *got_size += (size_t)*result;
    return true;
}

TEST("TLS from end to end in pieces of any size; what is written before the handshake waits for it")
{
    enum { LONG = 40000 };       /* more than two records */
    static char said[LONG], received[2][LONG + 1000];
    if (!CHECK(make_files()))
        return;
    struct wire_tls_context *server = wire_tls_server(files.certificate, files.key),
        *client = wire_tls_client(files.certificate);
    for (size_t i = 0; i < LONG; i++)
        said[i] = (char)(i * 7 + i / 251);
    static const size_t pieces[] = { 1, 2, 3, 5, 100, 1399, 16383, 16384, 16385, 100000 };
    for (size_t p = 0; p < sizeof pieces / sizeof *pieces && CHECK(server && client); p++) {
        struct wire_tls *a = wire_tls_connect(client, p % 2 ? "localhost" : "127.0.0.1"), *b = wire_tls_create(server);
        size_t size[2] = { 0, 0 };
        long result[2] = { 0, 0 };
        bool has_answered = false;
        CHECK(wire_tls_write(a, "GET /", 5) && wire_tls_write(a, " early", 6));
        for (int moved = 1; moved;) {
            moved = carry(a, b, pieces[p], received[0], &size[0], &result[0]);
            moved += carry(b, a, pieces[p], received[1], &size[1], &result[1]);
            if (size[0] == 11 && !has_answered)
                moved = has_answered = CHECK(wire_tls_write(b, said, LONG));
        }
        CHECK(wire_tls_is_open(a) && !wire_tls_is_untrusted(a));
        CHECK_INT(size[0], 11);
        CHECK(!memcmp(received[0], "GET / early", 11));
        CHECK_INT(size[1], LONG);
        CHECK(!memcmp(received[1], said, LONG));
        wire_tls_goodbye(b);
        while (carry(b, a, pieces[p], received[1], &size[1], &result[1])) {
        }
        CHECK_INT(result[1], WIRE_TLS_END);
        wire_tls_destroy(a);
        wire_tls_destroy(b);
    }
    wire_tls_context_destroy(server);
    wire_tls_context_destroy(client);
    remove_files();
}

TEST("a certificate that is not trusted, or belongs to another server, ends it; nothing is sent to that server")
{
    if (!CHECK(make_files()))
        return;
    struct wire_tls_context *server = wire_tls_server(files.certificate, files.key);
    struct wire_tls_context *trusting = wire_tls_client(files.certificate), *other = wire_tls_client(NULL);
    const struct { struct wire_tls_context *context; const char *host; } cases[] = { { other, "localhost" },
        { trusting, "localhost.example" }, { trusting, "127.0.0.2" }, { trusting, "::1" } };
    for (unsigned i = 0; i < 4 && CHECK(server && trusting && other); i++) {
        static char received[2][2000];
        struct wire_tls *a = wire_tls_connect(cases[i].context, cases[i].host), *b = wire_tls_create(server);
        size_t size[2] = { 0, 0 };
        long result[2] = { 0, 0 };
        wire_tls_write(a, "secret", 6);
        for (int moved = 1; moved;) {
            moved = carry(a, b, 500, received[0], &size[0], &result[0]);
            moved += carry(b, a, 500, received[1], &size[1], &result[1]);
        }
        CHECK_INT(result[1], WIRE_TLS_BROKEN);
        CHECK(!wire_tls_is_open(a) && wire_tls_is_untrusted(a));
        CHECK_INT(size[0], 0);
        wire_tls_destroy(a);
        wire_tls_destroy(b);
    }
    CHECK(!wire_tls_client(files.key) && !wire_tls_client("/nonexistent"));
    wire_tls_context_destroy(server);
    wire_tls_context_destroy(trusting);
    wire_tls_context_destroy(other);
    /* A peer that does not speak TLS is not reported as untrusted. */
    struct wire_tls_context *client = wire_tls_client(files.certificate);
    struct wire_tls *tls = wire_tls_connect(client, "localhost");
    char plain[100];
    CHECK(wire_tls_receive(tls, "HTTP/1.1 400 Bad Request\r\n\r\n", 28));
    CHECK_INT(wire_tls_read(tls, plain, sizeof plain), WIRE_TLS_BROKEN);
    CHECK(!wire_tls_is_untrusted(tls));
    wire_tls_destroy(tls);
    wire_tls_context_destroy(client);
    remove_files();
}
