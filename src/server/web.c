/*
 * web.c: connections: what libwebsockets reports, turned into requests and messages; answers turned into what it sends.
 *
 * Before anything else is looked at: how many connections an address has, how fast it asks, whether the Host is one of ours (a page of
 * another name that points here must not reach us) and whether the Origin, if there is one, is our own.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access.h"
#include "request.h"
#include "web.h"

#define HEAD_SECONDS 10          /* for headers and bodies to come in */
#define MOST_OFFENCES 60         /* messages beyond the rate, until a socket is closed */
#define WRITES 8                 /* messages a socket gets in one go */
#define BODY_CHUNK 16384
#define RX_CHUNK 128             /* most messages fit; longer ones come in parts. Each socket has so much of its own */
#define SEND_BUFFER 16384        /* the kernel's for a socket: a game's lines so far */

#define MAX_HEAD 4096            /* bytes of a request's headers */
#define MOST_DISCARDED 65536     /* bytes of a body that are read only to be refused politely */

static const char policy[] = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/* Added by libwebsockets to every answer, its own errors too. The first two differ by answer: write_head sets them for a moment. */
static struct lws_protocol_vhost_options safety[] = {
    { &safety[1], NULL, "content-security-policy:", policy },
    { &safety[2], NULL, "cache-control:", "no-store" },
    { &safety[3], NULL, "x-content-type-options:", "nosniff" },
    { &safety[4], NULL, "referrer-policy:", "no-referrer" },
    { &safety[5], NULL, "x-frame-options:", "DENY" },
    { &safety[6], NULL, "cross-origin-opener-policy:", "same-origin" },
    { NULL, NULL, "cross-origin-resource-policy:", "same-origin" },
};

static struct server *server_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

/* Who is at the other end. */

static bool header(struct lws *wsi, enum lws_token_indexes token, char *to, size_t room)
{
    to[0] = '\0';
    return lws_hdr_total_length(wsi, token) > 0 && lws_hdr_copy(wsi, to, (int)room, token) > 0;
}

static const char *language_of(struct lws *wsi)
{
    char asked[256], accepted[256];
    const char *lang = lws_get_urlarg_by_name(wsi, "lang", asked, sizeof asked);
    return access_language(lang ? lang + (*lang == '=') : NULL,
        header(wsi, WSI_TOKEN_HTTP_ACCEPT_LANGUAGE, accepted, sizeof accepted) ? accepted : NULL);
}

static struct address *address_for(struct server *server, struct lws *wsi)
{
    static char list[MAX_HEAD];
    return access_address(server, lws_get_opaque_user_data(wsi), header(wsi, WSI_TOKEN_X_FORWARDED_FOR, list, sizeof list) ? list : NULL);
}

static bool is_our_page(const struct server *server, struct lws *wsi)
{
    char host[HOST_SIZE + 8], origin[HOST_SIZE + 16];
    bool has_origin = lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) > 0;
    if (!header(wsi, WSI_TOKEN_HOST, host, sizeof host) || (has_origin && !header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin)))
        return false;                        /* longer than any of ours */
    return access_is_our_page(server, host, has_origin ? origin : NULL);
}

/* The cookies of a request, "" if there are none; NULL if they cannot be read, so that nobody takes them for none. */
static const char *cookies_of(struct lws *wsi)
{
    static char cookies[MAX_HEAD];
    cookies[0] = '\0';
    return lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_COOKIE) <= 0 || header(wsi, WSI_TOKEN_HTTP_COOKIE, cookies, sizeof cookies) ? cookies : NULL;
}

/* HTTP. */

static void request_log(const struct request *request)
{
    struct server *server = request->server;
    server->count.requests[request->status / 100 < 6 ? request->status / 100 : 5]++;
    server_log(server, request->status >= 500 ? LOG_WARN : LOG_INFO, "request", "method=%s route=%s status=%d ms=%llu",
        request->method == METHOD_POST ? "POST" : request->method == METHOD_HEAD ? "HEAD" : request->method == METHOD_GET ? "GET" : "other",
        request->route ? request->route : "-", request->status, (unsigned long long)(server_now(server) - request->begun));
}

void request_send(struct request *request)
{
    if (request->conn)
        lws_callback_on_writable(request->conn->wsi);
}

static void request_drop(struct conn *conn)
{
    struct request *request = conn->request;
    conn->request = NULL;
    if (!request)
        return;
    request->conn = NULL;
    if (!request->waits)                     /* else freed by whoever comes back */
        request_free(request);
}

static int add(struct lws *wsi, const char *name, const char *value, unsigned char **at, unsigned char *end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name, (const unsigned char *)value, (int)strlen(value), at, end);
}

static int write_head(struct lws *wsi, struct request *request)
{
    unsigned char buffer[LWS_PRE + 2048], *start = buffer + LWS_PRE, *at = start, *end = buffer + sizeof buffer;
    char number[48];
    bool is_page = request->page_etag != NULL;
    /* 304 has no body, so its length is not told either. */
    safety[0].value = request->policy ? request->policy : policy;
    safety[1].value = is_page ? "no-cache" : "no-store";
    int failed = lws_add_http_common_headers(wsi, (unsigned)request->status, request->type ? request->type : "text/plain",
        request->status == 304 ? 0 : (lws_filepos_t)request->size, &at, end);
    safety[0].value = policy;
    safety[1].value = "no-store";
    if (failed)
        return 1;
    if (is_page && (add(wsi, "etag:", request->page_etag, &at, end) || add(wsi, "vary:", "accept-encoding", &at, end)))
        return 1;
    if (request->translated && (add(wsi, "content-language:", request->language, &at, end) || add(wsi, "vary:", "accept-language", &at, end)))
        return 1;
    if (request->encoded && add(wsi, "content-encoding:", "gzip", &at, end))
        return 1;
    if (request->cookie[0] && add(wsi, "set-cookie:", request->cookie, &at, end))
        return 1;
    if (request->secure && add(wsi, "strict-transport-security:", "max-age=31536000", &at, end))
        return 1;
    if (request->attachment) {
        snprintf(number, sizeof number, "attachment; filename=\"%.16s\"", request->attachment);
        if (add(wsi, "content-disposition:", number, &at, end))
            return 1;
    }
    if (request->retry) {
        snprintf(number, sizeof number, "%u", request->retry);
        if (add(wsi, "retry-after:", number, &at, end))
            return 1;
    }
    if (lws_finalize_write_http_header(wsi, start, &at, end))
        return 1;
    request->started = true;
    return 0;
}

static int http_done(struct conn *conn)
{
    bool last = conn->request->last;
    request_log(conn->request);
    request_drop(conn);
    return lws_http_transaction_completed(conn->wsi) || last ? -1 : 0;
}

static int http_writeable(struct conn *conn)
{
    struct request *request = conn->request;
    unsigned char buffer[LWS_PRE + BODY_CHUNK];
    if (!request || !request->status)
        return 0;
    if (!request->started) {
        if (write_head(conn->wsi, request))
            return -1;
        if (request->method == METHOD_HEAD || request->status == 304 || !request->size)
            return http_done(conn);
        lws_callback_on_writable(conn->wsi);
        return 0;
    }
    size_t left = request->size - request->sent, size = left < BODY_CHUNK ? left : BODY_CHUNK;
    const char *from = request->page ? request->page : request->data;
    memcpy(buffer + LWS_PRE, from + request->sent, size);
    if (lws_write(conn->wsi, buffer + LWS_PRE, size, size == left ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)size)
        return -1;
    request->sent += size;
    if (request->sent == request->size)
        return http_done(conn);
    lws_set_timeout(conn->wsi, PENDING_TIMEOUT_HTTP_CONTENT, HEAD_SECONDS);
    lws_callback_on_writable(conn->wsi);
    return 0;
}

static void http_route(struct request *request)
{
    if (request->early)
        request_error(request, request->early, "");
    else
        request_route(request);
}

/* The length of the body; -1 if the head can be read in more than one way, so that a proxy in front may see the end elsewhere. */
static long body_length(struct lws *wsi)
{
    char text[16];
    if (lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING) > 0)
        return -1;
    if (!lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH))
        return 0;
    if (!header(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, text, sizeof text) || strlen(text) > 9 || strspn(text, "0123456789") != strlen(text) ||
        lws_hdr_fragment_length(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, 1) > 0)
        return -1;
    return atol(text);
}

static int http_begin(struct conn *conn, const char *path)
{
    struct lws *wsi = conn->wsi;
    struct server *server = conn->server;
    char word[128], accept[512];
    request_drop(conn);
    struct request *request = calloc(1, sizeof *request);
    struct address *address = address_for(server, wsi);
    if (!request || !address) {
        free(request);
        return -1;
    }
    conn->request = request;
    request->server = server;
    request->conn = conn;
    request_come_from(request, address);
    request->begun = server_now(server);
    request->method = lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI) ? METHOD_POST :
        lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) ? METHOD_GET :
        lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) ? METHOD_HEAD : METHOD_OTHER;
    snprintf(request->path, sizeof request->path, "%s", path);
    static const char proto[] = "x-forwarded-proto:";
    request->secure = server->secure || (server->options.trust_proxy &&
        lws_hdr_custom_copy(wsi, word, sizeof word, proto, sizeof proto - 1) > 0 && !strcmp(word, "https"));
    if (header(wsi, WSI_TOKEN_HTTP_ACCEPT_ENCODING, word, sizeof word))
        request->gzip = strstr(word, "gzip") != NULL;
    request->html = header(wsi, WSI_TOKEN_HTTP_ACCEPT, accept, sizeof accept) && strstr(accept, "text/html");
    header(wsi, WSI_TOKEN_HTTP_IF_NONE_MATCH, request->etag, sizeof request->etag);
    request->json = header(wsi, WSI_TOKEN_HTTP_CONTENT_TYPE, word, sizeof word) && !strncmp(word, "application/json", 16) &&
        strchr("; ", word[16]);
    request->language = language_of(wsi);
    request_identify(request, cookies_of(wsi));
    header(wsi, WSI_TOKEN_HOST, request->host, sizeof request->host);
    /* A first visit fetches some seventy small files that lie ready in memory, and a family shares an address: they have a bucket of their
     * own, ten times as large. */
    bool is_file = request->method == METHOD_GET && page_find(!strcmp(request->path, "/") ? "/index.html" : request->path);
    double rate = server->options.request_rate * (is_file ? 10 : 1);
    if (!bucket_take(is_file ? &address->pages : &address->requests, server_now(server), rate, 5 * rate))
        request->early = ERROR_TOO_FAST;
    else if (!request->early && !is_our_page(server, wsi))
        request->early = ERROR_ORIGIN;
    long length = body_length(wsi);
    if (length > 0 && length <= MOST_DISCARDED) {
        lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, HEAD_SECONDS);
        return 0;                            /* the body follows */
    }
    request->last = length != 0;
    if (request->last)
        request_error(request, length < 0 ? ERROR_BAD_MESSAGE : ERROR_TOO_LONG, length < 0 ? "content-length" : "");
    else
        http_route(request);
    return 0;
}

static int http_body(struct conn *conn, const void *in, size_t size)
{
    struct request *request = conn->request;
    if (!request || request->status)
        return 0;                            /* refused before: the rest is of no interest */
    if (server_now(conn->server) - request->begun > 1000 * HEAD_SECONDS)
        return -1;                           /* libwebsockets' own timeout begins anew with every byte */
    if (size > MAX_MESSAGE - request->body_size) {
        request->too_long = true;
        return 0;
    }
    memcpy(request->body + request->body_size, in, size);
    request->body_size += size;
    return 0;
}

/* WebSocket. */

void conn_wake(struct conn *conn)
{
    struct server *server = conn->server;
    if (!conn->wsi || conn->leaving || conn->link_awake)
        return;
    conn->next_awake = NULL;
    conn->link_awake = server->awake.end;
    *server->awake.end = conn;
    server->awake.end = &conn->next_awake;
}

static void fall_asleep(struct conn *conn)
{
    if (!conn->link_awake)
        return;
    *conn->link_awake = conn->next_awake;
    *(conn->next_awake ? &conn->next_awake->link_awake : &conn->server->awake.end) = conn->link_awake;
    conn->link_awake = NULL;
}

void conn_pause(struct conn *conn)
{
    if (conn->wsi)
        lws_rx_flow_control(conn->wsi, 0);
}

void conn_resume(struct conn *conn)
{
    if (conn->wsi)
        lws_rx_flow_control(conn->wsi, 1);
}

/* Refused before it is a socket. */
static int refuse_upgrade(struct server *server, struct lws *wsi, unsigned status, const char *why)
{
    server->count.refused++;
    server_log(server, LOG_INFO, "socket_refused", "why=%s status=%u", why, status);
    lws_return_http_status(wsi, status, NULL);
    return 1;
}

static int socket_filter(struct server *server, struct lws *wsi)
{
    char path[64];
    struct address *address = address_for(server, wsi);
    const char *cookies = cookies_of(wsi);
    struct visitor *visitor = cookies ? visitor_by_cookie(server, cookies) : NULL;
    if (!header(wsi, WSI_TOKEN_GET_URI, path, sizeof path) || strcmp(path, "/api/socket"))
        return refuse_upgrade(server, wsi, 404, "path");
    if (!is_our_page(server, wsi))
        return refuse_upgrade(server, wsi, 403, "origin");
    if (server->stopping)
        return refuse_upgrade(server, wsi, 503, "stopping");
    if (!visitor)
        return refuse_upgrade(server, wsi, 401, "no_visitor");
    double rate = server->options.request_rate;
    if (!address || !bucket_take(&address->requests, server_now(server), rate, 5 * rate) ||
        visitor->connections >= server->options.max_conns_per_visitor ||
        (server->options.trust_proxy && address->connections >= server->options.max_per_address))
        return refuse_upgrade(server, wsi, 429, "too_many");
    return 0;
}

/*
 * Sockets are kept in the order in which they were last heard of, so that the silent ones are found without looking at the others.
 * (libwebsockets would do the pinging with a timer a socket, in one sorted list: with 10,000 sockets that took half of all processor time.)
 */

static void heard_remove(struct conn *conn)
{
    struct server *server = conn->server;
    *(conn->last_heard ? &conn->last_heard->next_heard : &server->heard.first) = conn->next_heard;
    *(conn->next_heard ? &conn->next_heard->last_heard : &server->heard.last) = conn->last_heard;
}

static void heard_add(struct conn *conn)
{
    struct server *server = conn->server;
    conn->heard = server_now(server);
    conn->pinged = conn->ping = false;
    conn->next_heard = NULL;
    conn->last_heard = server->heard.last;
    *(conn->last_heard ? &conn->last_heard->next_heard : &server->heard.first) = conn;
    server->heard.last = conn;
}

static void hear(struct conn *conn)
{
    heard_remove(conn);
    heard_add(conn);
}

void web_tick(struct server *server)
{
    uint64_t now = server_now(server), silence = 1000 * (uint64_t)server->options.ping_seconds;
    for (struct conn *conn = server->heard.first; conn && now - conn->heard >= silence; conn = conn->next_heard) {
        if (!conn->pinged) {
            conn->pinged = conn->ping = true;
            conn_wake(conn);
        } else if (now - conn->heard >= silence + (silence + 3) / 4 * 3 && !conn->close) {
            conn->close = 1001;
            /* If even that cannot be written. */
            lws_set_timeout(conn->wsi, PENDING_TIMEOUT_CLOSE_SEND, 1);
            conn_wake(conn);
        }
    }
}

static int socket_begin(struct conn *conn)
{
    struct server *server = conn->server;
    int room = SEND_BUFFER;
    const char *cookies = cookies_of(conn->wsi);
    struct visitor *visitor = cookies ? visitor_by_cookie(server, cookies) : NULL;
    struct address *address = address_for(server, conn->wsi);
    if (!visitor || !address || !conn_begin(conn, visitor, address))
        return -1;
    conn->is_socket = true;
    server->sockets++;
    heard_add(conn);
    /* libwebsockets makes it as small as its own buffer: then a message waits for the acknowledgement of the one before. */
    setsockopt(lws_get_socket_fd(conn->wsi), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    conn_wake(conn);
    return 0;
}

/* The last words. What is left unread would make the kernel reset the connection, and they would be lost: it is thrown away, in reason. */
static void say_why(struct conn *conn, unsigned code)
{
    char waste[4096];
    conn->server->count.cut += code == 1008 || code == 1009;
    conn->leaving = true;
    lws_close_reason(conn->wsi, (enum lws_close_status)code, NULL, 0);
    for (unsigned i = 0; i < 16 && recv(lws_get_socket_fd(conn->wsi), waste, sizeof waste, MSG_DONTWAIT) > 0; i++)
        ;
}

static int socket_close(struct conn *conn, unsigned code)
{
    say_why(conn, code);
    return -1;
}

static int socket_receive(struct conn *conn, const char *in, size_t size)
{
    struct server *server = conn->server;
    hear(conn);
    bool is_last = lws_is_final_fragment(conn->wsi) && !lws_remaining_packet_payload(conn->wsi);
    if (conn->close)
        return 0;                            /* nothing more is heard from it */
    if (lws_frame_is_binary(conn->wsi))
        return socket_close(conn, 1003);
    if (size > MAX_MESSAGE - conn->inbox_size)
        return socket_close(conn, 1009);
    if (conn->inbox_size || !is_last) {      /* in parts */
        if (!conn->inbox && !(conn->inbox = malloc(MAX_MESSAGE)))
            return socket_close(conn, 1011);
        memcpy(conn->inbox + conn->inbox_size, in, size);
        conn->inbox_size += size;
        if (!is_last)
            return 0;
        in = conn->inbox;
        size = conn->inbox_size;
    }
    server->count.messages++;
    if (!bucket_take(&conn->rate, server_now(server), server->options.message_rate, 3 * server->options.message_rate)) {
        conn_answer(conn, "", ERROR_TOO_FAST, NULL);
        if (++conn->offences >= MOST_OFFENCES)
            conn->close = 1008;              /* after the answers, so that it knows why */
    } else {
        message_read(conn, in, size);
    }
    if (conn->inbox) {
        free(conn->inbox);
        conn->inbox = NULL;
        conn->inbox_size = 0;
    }
    return 0;
}

/* Writes what a socket lacks; true: that was all. What the kernel does not take libwebsockets keeps, one message at the most. */
static bool socket_write(struct conn *conn)
{
    static unsigned char buffer[LWS_PRE + FEED_ROOM];
    struct server *server = conn->server;
    if (conn->ping) {
        conn->ping = false;
        buffer[LWS_PRE] = '?';               /* libwebsockets does not report the answer to an empty one */
        conn->broken = lws_write(conn->wsi, buffer + LWS_PRE, 1, LWS_WRITE_PING) < 0;
    }
    for (unsigned i = 0; i < WRITES && !conn->broken && !lws_partial_buffered(conn->wsi); i++) {
        size_t size = conn->close && !conn->replies ? 0 : feed_next(conn, (char *)buffer + LWS_PRE, FEED_ROOM);
        if (!size)
            return !conn->close;
        server->count.sent++;
        server->count.bytes_sent += size;
        conn->broken = lws_write(conn->wsi, buffer + LWS_PRE, size, LWS_WRITE_TEXT) < (int)size;
    }
    return false;
}

/* There is room again, or something is left to be done that must be done here. */
static int socket_writeable(struct conn *conn)
{
    if (conn->leaving || socket_write(conn))
        return 0;
    if (conn->broken)
        return -1;
    if (conn->close && !conn->replies && !lws_partial_buffered(conn->wsi)) {
        /* From here a return of -1 would reach the client as 1006, without the reason. */
        say_why(conn, conn->close);
        lws_set_timeout(conn->wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_SYNC);
        return 0;
    }
    lws_callback_on_writable(conn->wsi);
    return 0;
}

/*
 * Before the loop waits: most sockets have room, so they are simply written to. To ask libwebsockets for the chance first costs four calls
 * of epoll_ctl and one of poll a message, which was more than all else.
 */
static void write_awake(uv_prepare_t *writer)
{
    struct server *server = writer->data;
    for (struct conn *conn; (conn = server->awake.first);) {
        fall_asleep(conn);
        if (!conn->leaving && (conn->close || !socket_write(conn)))
            lws_callback_on_writable(conn->wsi);
    }
}

/* All that libwebsockets reports. */

static int connection_filter(struct server *server, int fd)
{
    char name[64];
    if (server->connections >= server->options.max_connections) {
        server->count.refused++;
        return 1;
    }
    /* The connections behind a proxy are the proxy's: there, requests and sockets count. */
    if (server->options.trust_proxy || !lws_get_peer_simple_fd(fd, name, sizeof name))
        return 0;
    struct address *address = address_of(server, name);
    if (address && address->connections < server->options.max_per_address)
        return 0;
    server->count.refused++;
    return 1;
}

static void connection_begin(struct server *server, struct lws *wsi)
{
    char name[64];
    struct address *address = lws_get_peer_simple(wsi, name, sizeof name) ? address_of(server, name) : NULL;
    server->connections++;
    address_hold(address);
    if (address && !server->options.trust_proxy)
        address->connections++;              /* connection_filter has looked whether it may */
    lws_set_opaque_user_data(wsi, address);
}

static void connection_end(struct server *server, struct lws *wsi)
{
    struct address *address = lws_get_opaque_user_data(wsi);
    if (!address)
        return;                              /* the listening socket */
    server->connections--;
    if (server->options.trust_proxy)
        address_release(address);
    else
        address_leave(address);
    lws_set_opaque_user_data(wsi, NULL);
}

static int callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    struct conn *conn = user;
    struct server *server = lws_get_context(wsi) ? server_of(wsi) : NULL;
    switch ((int)reason) {
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
        return connection_filter(server, (int)(intptr_t)in);
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
        connection_begin(server, wsi);
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        connection_end(server, wsi);
        return 0;
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return socket_filter(server, wsi);
    case LWS_CALLBACK_HTTP:
        conn->wsi = wsi;
        conn->server = server;
        return http_begin(conn, in);
    case LWS_CALLBACK_HTTP_BODY:
        return http_body(conn, in, size);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        if (conn->request && !conn->request->status && !conn->request->waits)
            http_route(conn->request);
        return 0;
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return http_writeable(conn);
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
        if (conn)
            request_drop(conn);
        return 0;
    case LWS_CALLBACK_ESTABLISHED:
        conn->wsi = wsi;
        conn->server = server;
        return socket_begin(conn);
    case LWS_CALLBACK_RECEIVE:
        return socket_receive(conn, in, size);
    case LWS_CALLBACK_RECEIVE_PONG:
        hear(conn);
        return 0;
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        conn->leaving = true;
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return socket_writeable(conn);
    case LWS_CALLBACK_CLOSED:
        if (conn->is_socket) {
            server->sockets--;
            heard_remove(conn);
        }
        conn->wsi = NULL;
        fall_asleep(conn);
        conn_finish(conn);
        return 0;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    { .name = "pyramids-1", .callback = callback, .per_session_data_size = sizeof(struct conn), .rx_buffer_size = RX_CHUNK,
        .tx_packet_size = FEED_ROOM },
    { 0 }
};

static const lws_retry_bo_t idle_policy = { 0 };     /* no timers: web_tick does it */

/* Why we could not listen there, as errno; 0: we can. libwebsockets would share a port with another server of the same user, so that each gets some
 * of the clients, and would say nothing of an address that is not ours. */
static int try_to_bind(const char *address, int port)
{
    struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };
    struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    bool is_six = inet_pton(AF_INET6, address, &six.sin6_addr) == 1;
    if (!is_six && inet_pton(AF_INET, address, &four.sin_addr) != 1)
        return EINVAL;
    int on = 1, fd = socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return errno;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const struct sockaddr *to = is_six ? (const struct sockaddr *)&six : (const struct sockaddr *)&four;
    int why = bind(fd, to, is_six ? sizeof six : sizeof four) ? errno : 0;
    close(fd);
    return why;
}

bool web_start(struct server *server, char *error, size_t error_size)
{
    const struct server_options *options = &server->options;
    void *loops[] = { &server->loop };
    struct lws_context_creation_info info = {
        .port = (int)options->port,
        .iface = !strcmp(options->address, "0.0.0.0") || !strcmp(options->address, "::") ? NULL : options->address,
        .protocols = protocols,
        .gid = -1,
        .uid = -1,
        .options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_VALIDATE_UTF8 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
            LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME,
        .user = server,
        .foreign_loops = loops,
        .max_http_header_data = MAX_HEAD,
        .max_http_header_pool = (unsigned short)(options->max_connections < 4096 ? options->max_connections + 16 : 4096),
        .timeout_secs = HEAD_SECONDS,
        .timeout_secs_ah_idle = HEAD_SECONDS,
        .keepalive_timeout = HEAD_SECONDS,
        .pt_serv_buf_size = 4096 + LWS_PRE,
        .fd_limit_per_thread = options->max_connections + 64,
        .retry_and_idle_policy = &idle_policy,
        .headers = safety,
        .alpn = "http/1.1",
    };
    if (!strchr(options->address, ':'))
        info.options |= LWS_SERVER_OPTION_DISABLE_IPV6;
    if (options->tls_cert) {
        info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
        info.ssl_cert_filepath = options->tls_cert;
        info.ssl_private_key_filepath = options->tls_key;
        server->secure = true;
    }
    server->awake.end = &server->awake.first;
    lws_set_log_level(0, NULL);
    int why = try_to_bind(options->address, info.port);
    if (why == EADDRINUSE && options->other_port) {
        info.port = 0;
        why = 0;
    }
    if (why) {
        snprintf(error, error_size, why == EADDRINUSE ? _("port %u of %s is taken; --port 0 finds a free one") :
            why == EACCES ? _("port %u of %s needs rights that this user does not have; try one above 1023") :
            why == EINVAL ? _("cannot listen on port %u of %s: expected an address such as 127.0.0.1 or ::1") :
            _("cannot listen on port %u of %s: it is not an address of this machine"), options->port, options->address);
        return false;
    }
    server->lws = lws_create_context(&info);
    if (server->lws) {
        uv_prepare_init(&server->loop, &server->writer);
        server->writer.data = server;
        uv_prepare_start(&server->writer, write_awake);
    }
    server->vhost = server->lws ? lws_get_vhost_by_name(server->lws, "default") : NULL;
    int port = server->vhost ? lws_get_vhost_listen_port(server->vhost) : 0;
    if (port <= 0) {
        snprintf(error, error_size, options->tls_cert ? _("cannot serve %s: the certificate or its key cannot be read, or they do not belong together") :
            _("cannot listen on %s"), options->tls_cert ? options->tls_cert : options->address);
        return false;
    }
    bool is_any = !strcmp(options->address, "0.0.0.0") || !strcmp(options->address, "::"), is_v6 = strchr(options->address, ':');
    snprintf(server->url, sizeof server->url, "%s://%s%.64s%s:%d/", server->secure ? "https" : "http", is_v6 && !is_any ? "[" : "",
        is_any ? "127.0.0.1" : options->address, is_v6 && !is_any ? "]" : "", port);
    return true;
}

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

static void close_socket(struct conn *conn)
{
    conn->close = 1012;
    conn_wake(conn);
}

void web_warn(struct server *server) { each_socket(server, warn); }
void web_close_sockets(struct server *server) { each_socket(server, close_socket); }

void web_stop(struct server *server)
{
    if (!server->lws)
        return;
    uv_close((uv_handle_t *)&server->writer, NULL);
    lws_context_destroy(server->lws);
}
