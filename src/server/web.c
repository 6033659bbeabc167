/*
 * web.c: connections as requests and messages: checks and forwards the events of edge.c, and writes answers.
 *
 * Checked before anything else: the number of connections of an address, its rate of requests, whether the Host is one of
 * ours (a page under another name that points here must not reach the API), and whether the Origin, if there is one, is
 * our own.
 *
 * Life of a request: on_request (head) -> on_body -> on_complete -> request_route (http.c) -> request_send ->
 * answer_write. If admit() refuses a request, the error is kept in `early` until all of the request has arrived, since an
 * answer in the middle of a body would be lost when the connection is closed.
 *
 * Threads: the loop's only. The static buffers here rely on that.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pyramids/text.h>

#include "access.h"
#include "access_log.h"
#include "bans.h"
#include "edge.h"
#include "notify.h"
#include "preflight.h"
#include "request.h"
#include "server.h"
#include "web.h"

#define MOST_OFFENCES 60         /* messages beyond the rate before a socket is closed */
#define WRITES 8                 /* messages that are written to a socket in one go */
#define BODY_CHUNK 16384         /* bytes of an answer that are written at once */
#define HEAD_ROOM 4096           /* bytes of an answer's head */

/* The numbers of edge.c's listeners. Metrics have a separate port, so that it can be closed to the public. */
enum { LISTENER_PAGE, LISTENER_METRICS };

/* The page loads nothing from elsewhere and runs no inline scripts or styles. 'wasm-unsafe-eval' allows WebAssembly, not
 * eval. */
static const char policy[] = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

/* On every answer, errors and refused WebSockets too. */
static const char safety[] = "x-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\nx-frame-options: DENY\r\n"
    "cross-origin-opener-policy: same-origin\r\ncross-origin-resource-policy: same-origin\r\n";

/* Reading the head of a request; access.c does the checks. */

/* The cookies of a request as one list, "" if there are none; NULL if they cannot be read, which is not the same. */
static const char *cookies_of(const struct wire_request *wire)
{
    static char list[WIRE_HEAD + 1];
    const char *cookies;
    size_t used = 0;
    list[0] = '\0';
    for (unsigned i = 0; (cookies = wire_header(wire, "cookie", i)); i++) {
        int size = snprintf(list + used, sizeof list - used, "%s%s", i ? "; " : "", cookies);
        if (size < 0 || (size_t)size >= sizeof list - used)
            return NULL;
        used += (size_t)size;
    }
    return list;
}

/* ?lang= takes precedence over the browser's Accept-Language, so that a link can determine its language. */
static const char *language_of(const struct wire_request *wire)
{
    char asked[64] = "";
    for (const char *at = wire->query; *at && !asked[0]; at += strcspn(at, "&"), at += *at == '&')
        if (!strncmp(at, "lang=", 5))
            snprintf(asked, sizeof asked, "%.*s", (int)strcspn(at + 5, "&"), at + 5);
    return access_language(asked[0] ? asked : NULL, wire_header(wire, "accept-language", 0));
}

/* A request with two Origins is not from our page. */
static const char *origin_of(const struct wire_request *wire)
{
    return wire_header(wire, "origin", 1) ? "" : wire_header(wire, "origin", 0);
}

/* The last of several headers: that of the proxy nearest to us. */
static const char *last_header(const struct wire_request *wire, const char *name)
{
    const char *last = NULL, *next;
    for (unsigned i = 0; (next = wire_header(wire, name, i)); i++)
        last = next;
    return last;
}

/* Behind a trusted proxy this is the client's address, otherwise the one that the connection comes from. */
static struct address *address_of_request(struct conn *conn, const struct wire_request *wire)
{
    return wire->fault ? conn->peer : access_address(conn->server, conn->peer, last_header(wire, "x-forwarded-for"));
}

/* A request without a Host is refused: HTTP/1.1 requires one, and without it there is nothing to check. */
static bool is_our_page(const struct server *server, const struct wire_request *wire)
{
    return wire->host && access_is_our_page(server, wire->host, origin_of(wire));
}

/* Whether the browser uses TLS. Behind a proxy only the proxy knows; its header counts only if the options say to trust
 * it. */
static bool is_secure(const struct server *server, const struct wire_request *wire)
{
    const char *proto = server->options.trust_proxy ? last_header(wire, "x-forwarded-proto") : NULL;
    return server->secure || (proto && !strcmp(proto, "https"));
}

/* HTTP. */

/* The route's pattern is logged instead of the path, which may contain a table's code. */
static void request_log(const struct request *request)
{
    struct server *server = request->server;
    const char *method = request->method == METHOD_POST ? "POST" : request->method == METHOD_HEAD ? "HEAD" :
        request->method == METHOD_GET ? "GET" : request->method == METHOD_DELETE ? "DELETE" : "other";
    server->count.requests[request->status / 100 < 6 ? request->status / 100 : 5]++;
    server_log(server, request->status >= 500 ? LOG_WARN : LOG_INFO, "request", "method=%s route=%s status=%d ms=%llu",
        method, request->route ? request->route : "-", request->status,
        (unsigned long long)(server_now(server) - request->begun));
    access_log_line(server, request->address, method, request->route, (unsigned)request->status, request->refusal);
}

/* Called when the answer is complete. answer_write writes it when the socket has room; if the client has gone, nothing
 * happens. */
void request_send(struct request *request)
{
    if (request->conn && request->conn->edge)
        edge_wake(request->conn->edge);
}

/* Detaches the request from its connection. A request that waits for a job outlives the connection: `conn` NULL shows the
 * job that the client has gone. */
static void request_drop(struct conn *conn)
{
    struct request *request = conn->request;
    conn->request = NULL;
    if (!request)
        return;
    request->conn = NULL;
    if (!request->waits)                     /* else the job frees it when it is done */
        request_free(request);
}

/* Clients ignore it; it is for people who inspect the traffic. */
static const char *reason_of(int status)
{
    static const struct { int status; const char *reason; } reasons[] = { { 200, "OK" }, { 201, "Created" }, { 202,
        "Accepted" },
        { 304, "Not Modified" }, { 400, "Bad Request" }, { 401, "Unauthorized" }, { 403, "Forbidden" }, { 404, "Not Found" },
        { 405, "Method Not Allowed" }, { 409, "Conflict" }, { 413, "Content Too Large" }, { 426, "Upgrade Required" },
        { 429, "Too Many Requests" }, { 431, "Request Header Fields Too Large" }, { 503, "Service Unavailable" } };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return status < 400 ? "OK" : "Error";
}

/* The head of an answer while it is being composed. */
struct head {
    char text[HEAD_ROOM];
    size_t size;
};

static void add(struct head *head, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct head *head, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int size = vsnprintf(head->text + head->size, sizeof head->text - head->size, format, values);
    va_end(values);
    if (size > 0 && (size_t)size < sizeof head->text - head->size)
        head->size += (size_t)size;          /* a header that does not fit is left out; all of ours do */
}

/* The format of RFC 9110 (IMF-fixdate), always in GMT. */
static void add_date(struct head *head, const struct server *server)
{
    time_t now = (time_t)server_time();
    struct tm utc;
    char text[40];
    (void)server;
    if (gmtime_r(&now, &utc) && strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &utc))
        add(head, "date: %s\r\n", text);
}

/* RFC 9110, 15.5.6: a 405 lists the methods of the path. Paths that are not routes accept GET, since they may be pages. */
static void add_allowed(struct head *head, unsigned allowed)
{
    bool gets = !allowed || allowed >> METHOD_GET & 1;
    bool posts = allowed >> METHOD_POST & 1, deletes = allowed >> METHOD_DELETE & 1;
    add(head, "allow: %s%s%s%s%s\r\n", gets ? "GET, HEAD" : "", gets && posts ? ", " : "", posts ? "POST" : "",
        (gets || posts) && deletes ? ", " : "", deletes ? "DELETE" : "");
}

/* Browsers may cache pages but must revalidate them each time by their etag (no-cache); other answers are not cached
 * (no-store). */
static void write_head(struct head *head, const struct request *request)
{
    bool is_page = request->page_etag != NULL;
    head->size = 0;
    add(head, "HTTP/1.1 %d %s\r\n", request->status, reason_of(request->status));
    add_date(head, request->server);
    if (request->status != 304)              /* a 304 has no body, so its length is not sent */
        add(head, "content-type: %s\r\ncontent-length: %zu\r\n", request->type ? request->type : "text/plain",
            request->size);
    add(head, "content-security-policy: %s\r\ncache-control: %s\r\n%s", request->policy ? request->policy : policy,
        is_page ? "no-cache" : "no-store", safety);
    if (is_page)
        add(head, "etag: %s\r\nvary: accept-encoding\r\n", request->page_etag);
    if (request->translated)
        add(head, "content-language: %s\r\nvary: accept-language\r\n", request->language);
    if (request->encoded)
        add(head, "content-encoding: gzip\r\n");
    if (request->cookie[0])
        add(head, "set-cookie: %s\r\n", request->cookie);
    if (request->secure)
        add(head, "strict-transport-security: max-age=31536000\r\n");
    if (request->attachment)
        add(head, "content-disposition: attachment; filename=\"%.16s\"\r\n", request->attachment);
    if (request->retry)
        add(head, "retry-after: %u\r\n", request->retry);
    if (request->status == 405)
        add_allowed(head, request->allowed);
    if (request->status == 426)
        add(head, "upgrade: websocket\r\nsec-websocket-version: 13\r\n");
    if (request->last)
        add(head, "connection: close\r\n");
    else if (request->is_old)
        add(head, "connection: keep-alive\r\n");
    add(head, "\r\n");
}

/* Writes as much of the answer as there is room for. on_room calls it again until everything is written; large files are
 * written in chunks from where they are, so they need no further memory. */
static void answer_write(struct conn *conn)
{
    struct request *request = conn->request;
    if (!request || !request->status || request->waits)
        return;
    if (!request->started) {
        struct head head;
        write_head(&head, request);
        edge_write(conn->edge, head.text, head.size);
        request->started = true;
        if (request->method == METHOD_HEAD || request->status == 304)
            request->sent = request->size;
    }
    const char *from = request->page ? request->page : request->data;
    while (request->sent < request->size) {
        size_t left = request->size - request->sent, size = left < BODY_CHUNK ? left : BODY_CHUNK;
        if (!edge_has_room(conn->edge))
            return;
        edge_write(conn->edge, from + request->sent, size);
        request->sent += size;
    }
    bool last = request->last;
    request_log(request);
    request_drop(conn);
    edge_answered(conn->edge, !last);
}

/* The answer to a head that cannot be read. The connection ends afterwards, since it is not known where the next request
 * would begin. */
static void answer_fault(struct request *request, enum wire_fault fault)
{
    request->last = true;
    request_error(request, fault == WIRE_METHOD ? ERROR_METHOD : fault == WIRE_BODY_TOO_LONG ||
        fault == WIRE_HEAD_TOO_LONG ? ERROR_TOO_LONG :
        ERROR_BAD_MESSAGE, fault == WIRE_LENGTH ? "content-length" : fault == WIRE_MALFORMED ? "request" :
            fault == WIRE_HEAD_TOO_LONG ? "headers" : "");
    if (fault == WIRE_HEAD_TOO_LONG)
        request->status = 431;
}

/* Whether a client accepts gzip: it is listed, with a weight that is not 0 (RFC 9110). */
static bool takes_gzip(const char *value)
{
    const char *at = value ? strcasestr(value, "gzip") : NULL;
    if (!at)
        return false;
    at += 4 + strspn(at + 4, " \t");
    if (*at != ';')
        return true;
    at += 1 + strspn(at + 1, " \t");
    if (strncasecmp(at, "q=", 2))
        return true;
    at += 2 + strspn(at + 2, "0.");
    return *at >= '1' && *at <= '9';
}

/* Reads the headers of a request. An etag that is too long counts as missing; a path that is too long is not found. */
static void read_headers(struct request *request, const struct wire_request *wire)
{
    const char *value;
    request->method = !strcmp(wire->method, "POST") ? METHOD_POST : !strcmp(wire->method, "GET") ? METHOD_GET :
        !strcmp(wire->method, "HEAD") ? METHOD_HEAD : !strcmp(wire->method, "DELETE") ? METHOD_DELETE : METHOD_OTHER;
    request->secure = is_secure(request->server, wire);
    request->last = !wire->keep_alive;
    request->is_old = wire->is_old;
    request->gzip = takes_gzip(wire_header(wire, "accept-encoding", 0));
    value = wire_header(wire, "accept", 0);
    request->html = value && strstr(value, "text/html");
    value = wire_header(wire, "if-none-match", 0);
    snprintf(request->etag, sizeof request->etag, "%s", value && strlen(value) < sizeof request->etag ? value : "");
    value = wire_header(wire, "content-type", 0);
    request->json = value && !strncasecmp(value, "application/json", 16) && strchr("; ", value[16]);
    request->language = language_of(wire);
    request->query_too_long = strlen(wire->query) >= sizeof request->query;
    snprintf(request->query, sizeof request->query, "%s", request->query_too_long ? "" : wire->query);
    request_identify(request, cookies_of(wire));
    snprintf(request->host, sizeof request->host, "%s", wire->host ? wire->host : "");
    if (wire->path && strlen(wire->path) < sizeof request->path)
        memcpy(request->path, wire->path, strlen(wire->path) + 1);
    else
        request->early = ERROR_NOT_FOUND;
}

/* Whether the request is allowed at all. */
static void admit(struct conn *conn, struct request *request, const struct wire_request *wire)
{
    struct server *server = conn->server;
    /* A first visit fetches some seventy small files from memory, and a household may share an address: files have a
     * separate bucket, ten times as large. */
    bool is_file = request->method == METHOD_GET && page_find(!strcmp(request->path, "/") ? "/index.html" : request->path);
    bool is_health = !strcmp(request->path, "/healthz");
    double rate = server->options.request_rate * (is_file ? 10 : 1);
    enum error error = request->early;
    if (!bucket_take(is_file ? &request->address->pages : &request->address->requests, server_now(server), rate, 5 * rate))
        error = ERROR_TOO_FAST;
    else if (!is_file && !conn->is_metrics && bans_cover(server, request->address, request->visitor))
        error = ERROR_BANNED;
    else if (conn->is_metrics)
        error = is_health || !strcmp(request->path, "/metrics") ? ERROR_NONE : ERROR_NOT_FOUND;
    else if (error != ERROR_TOO_MANY && !is_health && !is_our_page(server, wire))
        error = ERROR_ORIGIN;                /* metrics may be requested under any name, and without one */
    request->early = error;
}

static void socket_ask(struct conn *conn, struct request *request, const struct wire_request *wire);
static void socket_known(struct request *request, enum error error);
static bool is_allowed_socket(struct conn *conn, const struct request *request, const struct wire_request *wire);

/* The head has arrived. If the cookie of a WebSocket is not in memory, the socket has to wait for the database. Whether
 * it is allowed otherwise is checked first (is_allowed_socket), so that strangers cannot cause queries. */
static void on_request(void *owner, const struct wire_request *wire)
{
    struct conn *conn = owner;
    struct server *server = conn->server;
    struct request *request = calloc(1, sizeof *request);
    struct address *address = address_of_request(conn, wire);
    request_drop(conn);
    if (!request || !address) {
        free(request);
        edge_cut(conn->edge);
        return;
    }
    conn->request = request;
    request->server = server;
    request->conn = conn;
    request_come_from(request, address);
    request->begun = server_now(server);
    request->language = "en";
    if (wire->fault != WIRE_GOOD && wire->fault != WIRE_LENGTH && wire->fault != WIRE_BODY_TOO_LONG) {
        request->secure = server->secure;
        request->method = METHOD_OTHER;
        answer_fault(request, wire->fault);
        return;
    }
    read_headers(request, wire);
    if (wire->fault)
        answer_fault(request, wire->fault);
    else if (wire->wants_socket && !conn->is_metrics && request->unknown && is_allowed_socket(conn, request, wire))
        request->is_socket = true;           /* once all of it has arrived, its visitor is looked up first */
    else if (wire->wants_socket && !conn->is_metrics)
        socket_ask(conn, request, wire);
    else
        admit(conn, request, wire);
}

/* A body that is too long is read to its end and dropped: after an earlier answer the client would see a reset instead. */
static void on_body(void *owner, const char *bytes, size_t size)
{
    struct request *request = ((struct conn *)owner)->request;
    if (!request || request->status)
        return;
    if (size > MAX_MESSAGE - request->body_size) {
        request->too_long = true;
        return;
    }
    memcpy(request->body + request->body_size, bytes, size);
    request->body_size += size;
}

/* All of the request has arrived: now it may be answered. */
static void on_complete(void *owner)
{
    struct request *request = ((struct conn *)owner)->request;
    if (!request || request->status || request->waits)
        return;
    if (request->is_socket)
        request_look_up(request, socket_known);
    else if (request->early)
        request_error(request, request->early, "");
    else
        request_route(request);
}

/* WebSocket. */

/* Queues the socket once, however often this is called. All queued sockets are written to before the loop waits
 * (before_waiting), so several changes in one turn of the loop are sent in one packet. */
void conn_wake(struct conn *conn)
{
    struct server *server = conn->server;
    if (!conn->edge || conn->leaving || conn->link_to_write)
        return;
    conn->next_to_write = NULL;
    conn->link_to_write = server->write_queue.end;
    *server->write_queue.end = conn;
    server->write_queue.end = &conn->next_to_write;
}

/* In constant time: each entry has the address of the pointer that points to it. */
static void unqueue_write(struct conn *conn)
{
    if (!conn->link_to_write)
        return;
    *conn->link_to_write = conn->next_to_write;
    *(conn->next_to_write ? &conn->next_to_write->link_to_write : &conn->server->write_queue.end) = conn->link_to_write;
    conn->link_to_write = NULL;
}

/* Back-pressure: nothing more is read from a client until its messages have been answered (conn.h). */
void conn_pause(struct conn *conn)
{
    if (conn->edge)
        edge_pause(conn->edge);
}

void conn_resume(struct conn *conn)
{
    if (conn->edge)
        edge_resume(conn->edge);
}

/* Sockets are kept in the order of their last message, so that silent ones are found without looking at the others. */

static void activity_remove(struct conn *conn)
{
    struct server *server = conn->server;
    *(conn->prev_active ? &conn->prev_active->next_active : &server->by_activity.first) = conn->next_active;
    *(conn->next_active ? &conn->next_active->prev_active : &server->by_activity.last) = conn->prev_active;
}

static void activity_add(struct conn *conn)
{
    struct server *server = conn->server;
    conn->active_at = server_now(server);
    conn->pinged = conn->ping = false;
    conn->next_active = NULL;
    conn->prev_active = server->by_activity.last;
    *(conn->prev_active ? &conn->prev_active->next_active : &server->by_activity.first) = conn;
    server->by_activity.last = conn;
}

/* Any byte counts, also those of a pong. */
static void on_activity(void *owner)
{
    struct conn *conn = owner;
    if (!conn->is_socket || conn->close)
        return;
    activity_remove(conn);
    activity_add(conn);
}

/*
 * A socket that is silent for ping_seconds is pinged; if it stays silent for another three quarters of that, it is closed
 * with 1001. The list is ordered by activity, so the loop ends at the first socket that is not silent.
 */
void web_tick(struct server *server)
{
    uint64_t now = server_now(server), silence = 1000 * (uint64_t)server->options.ping_seconds;
    for (struct conn *conn = server->by_activity.first; conn && now - conn->active_at >= silence; conn = conn->next_active) {
        if (!conn->pinged) {
            conn->pinged = conn->ping = true;
            conn->pinged_at = now;
            conn_wake(conn);
        } else if (now - conn->pinged_at >= (silence + 3) / 4 * 3 && !conn->close) {
            conn->close = 1001;
            conn_wake(conn);
        }
    }
    edge_tick(server->edge);
}

/* Clients add ?table=CODE for proxies, which can then route all clients of a table to one server. */
static bool is_socket_path(const char *path)
{
    return !strcmp(path, "/api/socket");
}

/* Why a WebSocket is refused; `why` is for the log. The address's bucket is charged only if the tests before it pass. */
static enum error socket_refusal(struct conn *conn, const struct request *request, const struct wire_request *wire,
    const char **why)
{
    struct server *server = conn->server;
    double rate = server->options.request_rate;
    if (!is_socket_path(request->path))
        return *why = "path", ERROR_NOT_FOUND;
    if (request->early == ERROR_TOO_MANY)
        return *why = "too_many", ERROR_TOO_MANY;
    if (request->early == ERROR_STORAGE)
        return *why = "storage", ERROR_STORAGE;
    if (!is_our_page(server, wire))
        return *why = "origin", ERROR_ORIGIN;
    if (bans_cover(server, request->address, request->visitor))
        return *why = "banned", ERROR_BANNED;
    if (server->stopping)
        return *why = "stopping", ERROR_STOPPING;
    if (!request->visitor)
        return *why = "no_visitor", ERROR_NO_VISITOR;
    if (!bucket_take(&request->address->requests, server_now(server), rate, 5 * rate))
        return *why = "too_fast", ERROR_TOO_FAST;
    if (request->visitor->connections >= server->options.max_conns_per_visitor)
        return *why = "too_many", ERROR_TOO_MANY;
    if (!wire->socket_key)
        return *why = "handshake", ERROR_BAD_MESSAGE;
    return ERROR_NONE;
}

/* Whether a comma-separated list contains our subprotocol. */
static bool offers_protocol(const struct wire_request *wire)
{
    const char *list;
    for (unsigned i = 0; (list = wire_header(wire, "sec-websocket-protocol", i)); i++)
        for (; *list; list += strcspn(list, ",")) {
            list += strspn(list, ", \t");
            if (!strncmp(list, "pyramids-1", 10) && (!list[10] || strchr(", \t", list[10])))
                return true;
        }
    return false;
}

/* Turns a request into a WebSocket, or refuses it with an ordinary answer. On success the request is dropped, and its
 * references to visitor and address are moved to the connection. */
static void socket_ask(struct conn *conn, struct request *request, const struct wire_request *wire)
{
    struct server *server = conn->server;
    const char *why;
    enum error error = socket_refusal(conn, request, wire, &why);
    request->route = "/api/socket";
    if (error) {
        request->last = true;                /* the following bytes were meant for a WebSocket */
        request_error(request, error, error == ERROR_BAD_MESSAGE ? "sec-websocket" : "");
        if (error == ERROR_BAD_MESSAGE)
            request->status = 426;
        server->count.refused++;
        server_log(server, LOG_INFO, "socket_refused", "why=%s status=%d", why, request->status);
        return;
    }
    struct head head = { .size = 0 };
    add_date(&head, server);
    add(&head, "content-security-policy: %s\r\ncache-control: no-store\r\n%s%s%s", policy, safety,
        request->secure ? "strict-transport-security: max-age=31536000\r\n" : "", offers_protocol(wire) ?
            "sec-websocket-protocol: pyramids-1\r\n" : "");
    struct visitor *visitor = request->visitor;
    struct address *address = address_hold(request->address);
    edge_upgrade(conn->edge, wire, head.text);
    /* behind a proxy, the socket now takes the request's place among the connections of its address */
    request_drop(conn);
    bool is_in = conn_begin(conn, visitor, address);
    address_release(address);
    if (!is_in) {
        edge_cut(conn->edge);
        return;
    }
    conn->is_socket = true;
    access_log_line(server, conn->address, "WebSocket", "/api/socket", 101, NULL);
    server->sockets++;
    activity_add(conn);
    conn_wake(conn);
}

/* Whether the visitor of a WebSocket is worth a query in the database. */
static bool is_allowed_socket(struct conn *conn, const struct request *request, const struct wire_request *wire)
{
    struct server *server = conn->server;
    double rate = server->options.request_rate;
    return !request->early && !server->stopping && is_our_page(server, wire) && is_socket_path(request->path) &&
        bucket_take(&request->address->requests, server_now(server), rate, 5 * rate);
}

/* The lookup of a cookie in the database has ended. */
static void socket_known(struct request *request, enum error error)
{
    struct conn *conn = request->conn;
    struct wire_request wire;
    request->is_socket = false;
    request->early = error ? error : request->early;
    edge_request(conn->edge, &wire);
    socket_ask(conn, request, &wire);
}

/* Skips a string, beginning after its opening quotation mark. */
static const char *skip_string(const char *at, const char *end)
{
    while (at < end && *at != '"')
        at += *at == '\\' && end - at > 1 ? 2 : 1;
    return at;
}

/* Copies an id in quotation marks, if it is valid. */
static void take_id(const char *at, const char *end, char id[ID_SIZE])
{
    while (at < end && strchr(" \t\r\n:", *at))
        at++;
    const char *from = at + 1, *to = from;
    if (at >= end || *at != '"')
        return;
    while (to < end && *to > ' ' && *to <= '~' && !strchr("\"\\", *to))
        to++;
    if (to == from || to - from >= ID_SIZE || to >= end || *to != '"')
        return;
    memcpy(id, from, (size_t)(to - from));
    id[to - from] = '\0';
}

/* Finds the id of a message that is not parsed, because there are too many of them: the value of "id" at the outermost
 * level, "" if there is no valid one. A JSON parser would be too expensive for such messages; strings are skipped as a
 * whole, so that an "id" inside one is not found. */
static void find_id(const char *text, size_t size, char id[ID_SIZE])
{
    const char *end = text + size;
    unsigned depth = 0;
    bool is_name = false;
    id[0] = '\0';
    for (const char *at = text; at < end; at++) {
        if (*at == '{' || *at == '[') {
            is_name = ++depth == 1;
        } else if (*at == '}' || *at == ']') {
            depth--;
        } else if (*at == ',') {
            is_name = depth == 1;
        } else if (*at == '"') {
            const char *from = at + 1;
            at = skip_string(from, end);
            if (is_name && at - from == 2 && !memcmp(from, "id", 2)) {
                take_id(at + 1, end, id);
                return;
            }
            is_name = false;
        }
    }
}

/* Bytes that are sent while a phase is open are counted when it is over: the length of `ready` would reveal the length of
 * the choice in it. */
static void count_sent(struct conn *conn, size_t size)
{
    struct server *server = conn->server;
    struct table *table = conn->observer.table;
    if (!table || table->now.stage != STORE_RUNNING) {
        server->count.sent++;
        server->count.bytes_sent += size;
        return;
    }
    if (table->unreported.lines != table->log.count)
        table_report(table);
    table->unreported.messages++;
    table->unreported.bytes += size;
}

/* Writes the messages that a socket has not been sent yet, at most WRITES before other sockets get their turn: a client
 * that loads a long game does not delay others. */
static void socket_write(struct conn *conn)
{
    static char buffer[OUTBOX_ROOM];
    bool is_all = false;
    if (conn->ping) {
        conn->ping = false;
        edge_ping(conn->edge);
    }
    for (unsigned i = 0; i < WRITES && !is_all && edge_has_room(conn->edge); i++) {
        size_t size = conn->close && !conn->replies ? 0 : outbox_next(conn, buffer, sizeof buffer);
        is_all = !size;
        if (!size)
            break;
        count_sent(conn, size);
        edge_send(conn->edge, buffer, size);
    }
    if (is_all && conn->close) {
        conn->leaving = true;
        edge_close(conn->edge, conn->close);
    } else if (!is_all && edge_has_room(conn->edge)) {
        conn_wake(conn);                     /* after the others */
    } else if (!is_all) {
        edge_wake(conn->edge);               /* once there is room */
    }
    edge_flush(conn->edge);
    if (conn->close && !conn->leaving)
        edge_hurry(conn->edge);
}

/* Messages beyond the rate are answered `too_fast` without being parsed, and after MOST_OFFENCES of these the socket is
 * closed. */
static void on_message(void *owner, const char *text, size_t size)
{
    struct conn *conn = owner;
    struct server *server = conn->server;
    if (conn->close || !conn->is_socket)
        return;                              /* nothing more is read from this socket */
    server->count.messages++;
    if (conn->reply_count >= MAX_REPLIES / 2)
        socket_write(conn);                  /* many messages may arrive in one piece: their answers need not pile up */
    if (conn->close)
        return;
    if (bucket_take(&conn->rate, server_now(server), server->options.message_rate, 3 * server->options.message_rate)) {
        message_read(conn, text, size);
        return;
    }
    char id[ID_SIZE];
    find_id(text, size, id);
    conn_answer(conn, id, ERROR_TOO_FAST, NULL);
    if (++conn->offences >= MOST_OFFENCES)
        conn->close = 1008;                  /* after the answers, so that the client learns the reason */
}

/* A socket is put into the write queue like all others; an HTTP answer continues at once. */
static void on_room(void *owner)
{
    struct conn *conn = owner;
    if (conn->is_socket)
        conn_wake(conn);
    else
        answer_write(conn);
}

/* Before the loop waits: most sockets have room, so they are written to without polling first. */
static void before_waiting(uv_prepare_t *writer)
{
    struct server *server = writer->data;
    do {
        edge_turn(server->edge);
        for (struct conn *conn; (conn = server->write_queue.first);) {
            unqueue_write(conn);
            if (conn->edge && !conn->leaving)
                socket_write(conn);
        }
    } while (edge_is_due(server->edge));
}

/* Connections. */

/* The limits on connections are checked before a byte is read. Returning NULL closes the connection at once. */
static void *on_begin(void *context, struct edge_conn *edge, unsigned listener, const char *name)
{
    struct server *server = context;
    struct address *address = address_of(server, name);
    struct conn *conn = NULL;
    bool is_metrics = listener == LISTENER_METRICS;
    /* Connections from a proxy are not counted: requests and sockets are counted instead. */
    bool is_counted = !is_metrics && !server->options.trust_proxy;
    if (server->connections < server->options.max_connections && address)
        conn = calloc(1, sizeof *conn);
    if (!conn || (is_counted && !address_enter(server, address))) {
        free(conn);
        server->count.refused++;
        access_log_line(server, address, "-", NULL, 429, "too_many");
        return NULL;
    }
    conn->edge = edge;
    conn->server = server;
    conn->peer = is_counted ? address : address_hold(address);
    conn->is_counted = is_counted;
    conn->is_metrics = is_metrics;
    server->connections++;
    return conn;
}

/* Nothing more is read or written. Removes everything that refers to the connection; its memory stays until on_gone. 1008
 * and 1009 (too many, too long) are counted as cut. */
static void on_end(void *owner, unsigned code)
{
    struct conn *conn = owner;
    struct server *server = conn->server;
    conn->leaving = true;
    unqueue_write(conn);
    request_drop(conn);
    if (conn->is_socket) {
        server->count.cut += code == 1008 || code == 1009;
        access_log_line(server, conn->address, "WebSocket", "/api/socket", code, code == 1008 ? "cut" : NULL);
        server->sockets--;
        activity_remove(conn);
        conn->is_socket = false;
        conn->edge = NULL;
        conn_finish(conn);
    }
    conn->edge = NULL;
}

static void on_gone(void *owner)
{
    struct conn *conn = owner;
    conn->server->connections--;
    if (conn->is_counted)
        address_leave(conn->peer);
    else
        address_release(conn->peer);
    free(conn);
}

static uint64_t edge_now(void *context)
{
    return server_now(context);
}

static void on_short_of_files(void *context, int error)
{
    server_log(context, LOG_WARN, "accept", "error=%d words=\"%s\"", error, "connections wait: no more files can be opened");
}

static const struct edge_handler handler = { .begin = on_begin, .request = on_request, .body = on_body,
    .complete = on_complete, .message = on_message,
    .activity = on_activity, .room = on_room, .end = on_end, .gone = on_gone, .now = edge_now,
        .short_of_files = on_short_of_files };

/* --metrics-address, such as 127.0.0.1:9100 or [::1]:9100. */
static bool listen_for_metrics(struct server *server, char *error, size_t error_size)
{
    const char *text = server->options.metrics_address;
    char address[PREFLIGHT_ADDRESS];
    unsigned port;
    if (!text)
        return true;
    if (!preflight_listener(text, address, &port)) {
        snprintf(error, error_size, _("--metrics-address %s: expected an address and a port, such as 127.0.0.1:9100"), text);
        return false;
    }
    unsigned at = port;
    int why = edge_listen(server->edge, LISTENER_METRICS, address, &at);
    if (why)
        preflight_cannot_listen(why, port, address, error, error_size);
    return !why;
}

/* Sets the page's address from where a socket listens. */
static void set_url(struct server *server, const char *address, unsigned port)
{
    bool is_any = !strcmp(address, "0.0.0.0") || !strcmp(address, "::"), is_v6 = strchr(address, ':') && !is_any;
    snprintf(server->url, sizeof server->url, "%s://%s%.64s%s:%u/", server->secure ? "https" : "http", is_v6 ? "[" : "",
        is_any ? "127.0.0.1" : address, is_v6 ? "]" : "", port);
}

/* Sockets that a service manager has opened: one named "metrics" is for those, the others are for the page. */
static bool listen_on_handed(struct server *server, char *error, size_t error_size)
{
    struct notify_socket sockets[NOTIFY_SOCKETS];
    unsigned count = notify_sockets(sockets);
    for (unsigned i = 0; i < count; i++) {
        bool is_metrics = !strcmp(sockets[i].name, "metrics");
        char address[PREFLIGHT_ADDRESS];
        unsigned port;
        int why = edge_listen_on(server->edge, is_metrics ? LISTENER_METRICS : LISTENER_PAGE, sockets[i].fd, address,
            &port);
        if (why) {
            snprintf(error, error_size, _("socket %u of the service manager cannot be used: expected a TCP socket that "
                "listens (ListenStream=PORT in the socket unit)"), i + 1);
            return false;
        }
        if (!is_metrics && !server->is_handed) {
            set_url(server, address, port);
            snprintf(server->handed_address, sizeof server->handed_address, "%s", address);
            server->options.address = server->handed_address;
        }
        server->is_handed |= !is_metrics;
    }
    return true;
}

static bool listen_for_page(struct server *server, char *error, size_t error_size)
{
    const struct server_options *options = &server->options;
    unsigned port = options->port;
    int why = edge_listen(server->edge, LISTENER_PAGE, options->address, &port);
    if (why == EADDRINUSE && options->other_port) {
        port = 0;
        why = edge_listen(server->edge, LISTENER_PAGE, options->address, &port);
    }
    if (why) {
        preflight_cannot_listen(why, options->port, options->address, error, error_size);
        return false;
    }
    if (options->address)
        set_url(server, options->address, port);
    return true;
}

bool web_start(struct server *server, char *error, size_t error_size)
{
    const struct server_options *options = &server->options;
    struct wire_tls_context *tls = NULL;
    server->write_queue.end = &server->write_queue.first;
    if (options->tls_cert && !(tls = wire_tls_server(options->tls_cert, options->tls_key))) {
        snprintf(error, error_size,
            _("cannot serve %s: the certificate or its key cannot be read, or they do not match"),
            options->tls_cert);
        return false;
    }
    server->secure = tls != NULL;
    server->edge = edge_create(&server->loop, &handler, server, MAX_MESSAGE);
    if (!server->edge) {
        wire_tls_context_destroy(tls);
        snprintf(error, error_size, _("cannot listen on %s"), options->address);
        return false;
    }
    edge_use_tls(server->edge, LISTENER_PAGE, tls);
    uv_prepare_init(&server->loop, &server->writer);
    server->writer.data = server;
    uv_prepare_start(&server->writer, before_waiting);
    return listen_on_handed(server, error, error_size) &&
        (server->is_handed || listen_for_page(server, error, error_size)) && listen_for_metrics(server, error, error_size);
}

bool web_renew_tls(struct server *server, const char *certificate, const char *key)
{
    struct wire_tls_context *tls = wire_tls_server(certificate, key);
    if (tls)
        edge_use_tls(server->edge, LISTENER_PAGE, tls);
    return tls != NULL;
}

void web_stop_accepting(struct server *server)
{
    edge_stop_accepting(server->edge);
}

/* Calls `each` for all sockets, by visitor: every socket has one. `each` may end the connection, so the next one is read
 * before. */
static void each_socket(struct server *server, void (*each)(struct conn *conn))
{
    for (size_t i = 0; i < server->visitors.buckets; i++)
        for (struct map_node *node = server->visitors.bucket[i]; node; node = node->next)
            for (struct conn *conn = ((struct visitor *)node)->conns, *next; conn; conn = next) {
                next = conn->next_of_visitor;
                each(conn);
            }
}

static void warn(struct conn *conn)
{
    conn->warn = true;
    conn_wake(conn);
}

/* 1012 is "service restart": clients reconnect by themselves. */
static void close_socket(struct conn *conn)
{
    conn->close = 1012;
    conn_wake(conn);
}

static void cut_banned(struct conn *conn)
{
    if (conn->close || !bans_cover(conn->server, conn->address, conn->visitor))
        return;
    conn_answer(conn, "", ERROR_BANNED, NULL);
    conn->close = 1008;
}

void web_cut_banned(struct server *server) { each_socket(server, cut_banned); }
void web_tell_notice(struct server *server) { each_socket(server, conn_wake); }
void web_warn(struct server *server) { each_socket(server, warn); }
void web_close_sockets(struct server *server) { each_socket(server, close_socket); }

/* Sockets, and connections whose last bytes are still being sent: the server waits for these when it stops. */
unsigned web_busy(const struct server *server)
{
    return server->sockets + edge_lingering(server->edge);
}

void web_stop(struct server *server)
{
    if (!server->edge)
        return;
    uv_close((uv_handle_t *)&server->writer, NULL);
    edge_stop(server->edge);
    server->edge = NULL;
}
