/* test_net.c: the terminal client's connections (tui/net.c) against a server in this program, which sends exactly
 * what a case wants, in pieces. No case waits for a fixed time: each ends with an event. */
#define _POSIX_C_SOURCE 200809L       /* mkdtemp, threads */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "check_certificate.h"
#include "net.h"
#include "wire.h"

/* The server: one connection at a time, in a thread. */
static struct server {
    int listening, port;
    pthread_t thread;
    const char *answer;          /* its answer; "%s" is replaced by the key of the handshake */
    size_t size, piece;          /* of the answer, if it has NUL bytes; bytes that are sent at once */
    bool is_silent;              /* it reads, and sends nothing until the client leaves */
    bool is_mute;                /* it closes without reading */
    bool is_secure;
    char request[4096], rest[4096];      /* what it received before and after its answer */
    size_t rest_size;
} server;

static SSL *ssl;

static ssize_t receive(int socket, char *to, size_t room)
{
    return ssl ? SSL_read(ssl, to, (int)room) : recv(socket, to, room, 0);
}

static void say(int socket, const char *bytes, size_t size)
{
    size_t piece = server.piece ? server.piece : size;
    for (size_t at = 0; at < size; at += piece) {
        size_t part = size - at < piece ? size - at : piece;
        if ((ssl ? SSL_write(ssl, bytes + at, (int)part) : send(socket, bytes + at, part, MSG_NOSIGNAL)) <= 0)
            return;
    }
}

/* Reads a request with its body. */
static void hear_request(int socket)
{
    size_t size = 0;
    for (;;) {
        ssize_t got = receive(socket, server.request + size, sizeof server.request - 1 - size);
        if (got <= 0)
            return;
        server.request[size += (size_t)got] = '\0';
        if (server.request[0] == 0x16)
            return;                          /* TLS, which this server does not speak */
        const char *end = strstr(server.request, "\r\n\r\n"), *length = strstr(server.request, "content-length: ");
        if (end && strlen(end + 4) >= (length ? strtoul(length + 16, NULL, 10) : 0))
            return;
    }
}

static void answer(int socket)
{
    char key[25] = "", accept[29] = "", text[8192];
    const char *at = strstr(server.request, "sec-websocket-key: ");
    if (at)
        memcpy(key, at + 19, 24);
    wire_accept_key(key, accept);
    if (server.size) {
        say(socket, server.answer, server.size);
        return;
    }
    const char *mark = strstr(server.answer, "%s");
    int size = mark ? snprintf(text, sizeof text, "%.*s%s%s", (int)(mark - server.answer), server.answer, accept,
        mark + 2) : 0;
    say(socket, mark ? text : server.answer, mark ? (size_t)size : strlen(server.answer));
}

static void *serve(void *context)
{
    (void)context;
    int socket = accept(server.listening, NULL, NULL), on = 1;
    if (socket < 0)
        return NULL;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    SSL_CTX *secrets = server.is_secure ? SSL_CTX_new(TLS_server_method()) : NULL;
    if (secrets && SSL_CTX_use_certificate_chain_file(secrets, files.certificate) == 1 &&
        SSL_CTX_use_PrivateKey_file(secrets, files.key, SSL_FILETYPE_PEM) == 1 && (ssl = SSL_new(secrets))) {
        SSL_set_fd(ssl, socket);
        SSL_accept(ssl);
    }
    if (!server.is_mute) {
        hear_request(socket);
        if (!server.is_silent)
            answer(socket);
        if (strstr(server.request, "upgrade") || server.is_silent)
            for (ssize_t got; server.rest_size < sizeof server.rest &&
                (got = receive(socket, server.rest + server.rest_size, sizeof server.rest - server.rest_size)) > 0;)
                server.rest_size += (size_t)got;
    }
    if (ssl)
        SSL_shutdown(ssl);
    SSL_free(ssl);
    ssl = NULL;
    SSL_CTX_free(secrets);
    close(socket);
    return NULL;
}

static bool listen_somewhere(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof at;
    signal(SIGPIPE, SIG_IGN);
    server.listening = socket(AF_INET, SOCK_STREAM, 0);
    if (server.listening < 0 || bind(server.listening, (struct sockaddr *)&at, size) || listen(server.listening, 4) ||
        getsockname(server.listening, (struct sockaddr *)&at, &size))
        return false;
    server.port = ntohs(at.sin_port);
    return true;
}

static bool begin_server(const char *text, size_t piece)
{
    server = (struct server){ .answer = text, .piece = piece };
    return listen_somewhere();
}

static bool run_server(void)
{
    return !pthread_create(&server.thread, NULL, serve, NULL);
}

static void end_server(void)
{
    pthread_join(server.thread, NULL);
    close(server.listening);
}

/* The client. */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static unsigned wakes;

static void wake(void)
{
    pthread_mutex_lock(&lock);
    wakes++;
    pthread_cond_signal(&news);
    pthread_mutex_unlock(&lock);
}

static struct net_event *next_event(struct net *net)
{
    struct net_event *event;
    while (!(event = net_next(net))) {
        pthread_mutex_lock(&lock);
        while (!wakes)
            pthread_cond_wait(&news, &lock);
        wakes = 0;
        pthread_mutex_unlock(&lock);
    }
    return event;
}

/* The next event in words: kind, id, status, text. */
static const char *event_words(struct net *net)
{
    static const char *const kinds[] = { "answer", "opened", "text", "closed" };
    static char words[4096];
    struct net_event *event = next_event(net);
    snprintf(words, sizeof words, "%s %d %d %.3000s", kinds[event->kind], event->id, event->status,
        event->text ? event->text : "-");
    net_free(event);
    return words;
}

static struct net *client(const char *scheme, const char *host)
{
    char url[64];
    snprintf(url, sizeof url, "%s://%s:%d", scheme, host, server.port);
    return net_create(url, "pyramids=old", server.is_secure ? files.certificate : NULL, wake);
}

/* The event for a request if the server sends these bytes. */
static const char *told(const char *scheme, const char *text, size_t piece)
{
    if (text ? !begin_server(text, piece) : !begin_server("", 0))
        return "no server";
    server.is_mute = !text;
    run_server();
    struct net *net = client(scheme, "127.0.0.1");
    net_request(net, 7, "/api/x", NULL);
    const char *words = event_words(net);
    net_destroy(net);
    end_server();
    return words;
}

#define OK "HTTP/1.1 200 OK\r\n"

TEST("an answer in pieces of any size, in all three ways to end one")
{
    static const size_t pieces[] = { 1, 2, 7, 1000 };
    for (unsigned i = 0; i < 4; i++) {
        CHECK_STR(told("http", OK "Content-Length: 5\r\n\r\nhello", pieces[i]), "answer 7 200 hello");
        CHECK_STR(told("http", OK "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", pieces[i]),
            "answer 7 200 hello");
        CHECK_STR(told("http", "HTTP/1.0 404 No\r\n\r\nhello", pieces[i]), "answer 7 404 hello");
    }
}

TEST("requests carry the cookie and a body, and the server's own cookie is kept")
{
    char cookie[512];
    begin_server(OK "Set-Cookie: other=1\r\nSet-Cookie: pyramids=new; Path=/; HttpOnly\r\nContent-Length: 0\r\n\r\n", 0);
    run_server();
    struct net *net = client("http", "127.0.0.1");
    net_request(net, 1, "/api/visitor", "{\"name\":\"Ana\"}");
    CHECK_STR(event_words(net), "answer 1 200 -");
    net_cookie(net, cookie, sizeof cookie);
    CHECK_STR(cookie, "pyramids=new");
    net_destroy(net);
    end_server();
    char host[64];
    snprintf(host, sizeof host, "\r\nhost: 127.0.0.1:%d\r\n", server.port);
    CHECK(!strncmp(server.request, "POST /api/visitor HTTP/1.1\r\n", 28) && strstr(server.request, host) &&
        strstr(server.request, "\r\ncookie: pyramids=old\r\n") && strstr(server.request,
        "\r\ncontent-type: application/json\r\n") &&
        strstr(server.request, "\r\n\r\n{\"name\":\"Ana\"}"));
}

TEST("why there is no answer")
{
    CHECK_STR(told("http", "SSH-2.0-OpenSSH_9\r\n", 0), "answer 7 -7 -");
    CHECK_STR(told("http", NULL, 0), "answer 7 -7 -");                       /* closed without an answer */
    CHECK_STR(told("http", "\x15\x03\x03\x02", 0), "answer 7 -7 -");         /* a TLS client rejects what is not TLS */
    CHECK_STR(told("https", "HTTP/1.1 400 Bad Request\r\n\r\n", 0), "answer 7 -6 -");
    CHECK_STR(told("https", NULL, 0), "answer 7 -6 -");
    CHECK_STR(told("http", OK "Content-Length: 9\r\n\r\nhello", 0), "answer 7 0 hello");      /* a truncated answer does
                                                                                                 not count */
    begin_server("", 0);
    close(server.listening);                             /* the port is no longer open */
    struct net *net = client("http", "127.0.0.1");
    net_request(net, 7, "/", NULL);
    CHECK_STR(event_words(net), "answer 7 -4 -");
    net_open(net, "/");
    CHECK_STR(event_words(net), "closed -1 0 -");
    net_destroy(net);
}

TEST("an answer that is too long is none")
{
    char *text = malloc(NET_MOST + 100);
    begin_server(text, 0);
    server.size = (size_t)snprintf(text, 100, OK "Content-Length: %u\r\n\r\n", NET_MOST + 1);
    memset(text + server.size, 'x', NET_MOST + 1);
    server.size += NET_MOST + 1;
    run_server();
    struct net *net = client("http", "127.0.0.1");
    net_request(net, 7, "/", NULL);
    struct net_event *event = next_event(net);
    CHECK_INT(event->status, 0);
    CHECK(event->size <= NET_MOST);
    net_free(event);
    net_destroy(net);
    end_server();
    free(text);
}

#define OPENING \
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n"

TEST("a WebSocket with frames right behind its handshake, in pieces of any size; what is sent too early waits")
{
    static const size_t pieces[] = { 1, 3, 1000 };
    for (unsigned i = 0; i < 3; i++) {
        begin_server(OPENING "\x81\x05hello\x89\x01?\x01\x02he\x80\x03llo\x88\x02\x03\xe8", pieces[i]);
        run_server();
        struct net *net = client("http", "localhost");
        net_open(net, "/api/socket");
        net_send(net, "early");
        CHECK_STR(event_words(net), "opened -1 0 -");
        CHECK_STR(event_words(net), "text -1 0 hello");
        CHECK_STR(event_words(net), "text -1 0 hello");
        CHECK_STR(event_words(net), "closed -1 0 -");
        net_destroy(net);
        end_server();
        CHECK(strstr(server.request, "GET /api/socket HTTP/1.1\r\n") &&
            strstr(server.request, "\r\nsec-websocket-protocol: pyramids-1\r\n"));
        /* The first frame is the message, masked. */
        char plain[6] = "";
        for (unsigned k = 0; server.rest_size >= 11 && k < 5; k++)
            plain[k] = (char)(server.rest[6 + k] ^ server.rest[2 + k % 4]);
        CHECK(server.rest_size >= 11 && !memcmp(server.rest, "\x81\x85", 2));
        CHECK_STR(plain, "early");
    }
}

TEST("a WebSocket that is refused or cut off is closed, and closing it tells the server")
{
    static const char *const refusals[] = { "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n",
            "nonsense" };
    for (unsigned i = 0; i < 3; i++) {
        begin_server(refusals[i], 0);
        run_server();
        struct net *net = client("http", "127.0.0.1");
        net_open(net, "/");
        CHECK_STR(event_words(net), "closed -1 0 -");
        net_destroy(net);
        end_server();
    }
    begin_server(OPENING, 0);
    run_server();
    struct net *net = client("http", "127.0.0.1");
    net_open(net, "/");
    CHECK_STR(event_words(net), "opened -1 0 -");
    net_close(net);
    CHECK_STR(event_words(net), "closed -1 0 -");
    net_destroy(net);
    end_server();
    CHECK(server.rest_size == 8 && !memcmp(server.rest, "\x88\x82", 2));
}

TEST("the client can be ended at any moment")
{
    for (unsigned i = 0; i < 4; i++) {
        begin_server(OPENING, 0);
        server.is_silent = i < 2;
        run_server();
        struct net *net = client("http", "127.0.0.1");
        if (i % 2)
            net_request(net, 1, "/", "{}");
        net_open(net, "/");
        net_send(net, "x");
        if (i == 2)
            CHECK_STR(event_words(net), "opened -1 0 -");
        net_destroy(net);
        shutdown(server.listening, SHUT_RDWR);           /* it may not have come so far */
        end_server();
    }
    CHECK(!net_create("ftp://x", "", NULL, wake) && !net_create("http://", "", NULL, wake) &&
        !net_create("http://a b", "", NULL, wake) &&
        !net_create("http://x:99999", "", NULL, wake));
}

TEST("TLS in records of any size; a stranger's certificate is not trusted")
{
    static const size_t pieces[] = { 1, 17, 100, 16384 };
    static char text[40100];
    if (!CHECK(make_files()))
        return;
    CHECK(net_can_trust(files.certificate) && !net_can_trust(files.key) && !net_can_trust("/nonexistent"));
    int head = snprintf(text, sizeof text, OK "Content-Length: 30000\r\n\r\n");
    memset(text + head, 'y', 30000);
    for (unsigned i = 0; i < 4; i++) {
        begin_server(text, pieces[i]);
        server.is_secure = true;
        run_server();
        struct net *net = client("https", i % 2 ? "localhost" : "127.0.0.1");
        net_request(net, 7, "/", NULL);
        struct net_event *event = next_event(net);
        CHECK_INT(event->status, 200);
        CHECK_INT(event->size, 30000);
        CHECK(event->text && strspn(event->text, "y") == 30000);
        net_free(event);
        net_destroy(net);
        end_server();
        begin_server(OPENING "\x81\x05hello\x88\x02\x03\xe8", pieces[i]);
        server.is_secure = true;
        run_server();
        net = client("https", "localhost");
        net_open(net, "/");
        CHECK_STR(event_words(net), "opened -1 0 -");
        CHECK_STR(event_words(net), "text -1 0 hello");
        CHECK_STR(event_words(net), "closed -1 0 -");
        net_destroy(net);
        end_server();
    }
    begin_server(OK "\r\n", 0);
    server.is_secure = true;
    run_server();
    char url[64];
    snprintf(url, sizeof url, "https://localhost:%d", server.port);
    struct net *net = net_create(url, "", NULL, wake);
    net_request(net, 7, "/", NULL);
    CHECK_STR(event_words(net), "answer 7 -1 -");
    net_destroy(net);
    end_server();
    CHECK_STR(server.request, "");
    remove_files();
}
