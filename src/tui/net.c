/*
 * net.c: see net.h. A thread with a libuv loop; src/wire turns its bytes into answers and messages. Everything belongs to
 * the thread, except two queues and the cookie.
 *
 *  1. A link is a request or the WebSocket, each on its own connection. It ends with exactly one event (NET_ANSWER,
 *     NET_CLOSED), and is freed when libuv has closed its two handles.
 *  2. The addresses of a host are tried one after the other.
 *  3. A silent link is ended; a WebSocket is pinged first.
 *
 * Threads: the main thread puts orders into a queue and takes events out of one, both under `lock`; everything else is
 * done by the thread of the loop. `wake` is called from that thread and must be safe there (screen_wake writes to a
 * pipe).
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>
#include <wire.h>

#include "net.h"

#define PROTOCOL "pyramids-1"
#define PATIENCE_MS 10000        /* for connecting to one address, and for an answer */
#define SILENCE_MS 15000         /* after that, a WebSocket is pinged */
#define PONG_MS 10000            /* time for the pong */

enum order_kind { ORDER_REQUEST, ORDER_OPEN, ORDER_CLOSE, ORDER_SEND };

/* From the main thread to the loop. Owns its texts. */
struct order {
    struct order *next;
    enum order_kind kind;        /* what to do */
    int id;
    char *path, *text;           /* text NULL: no body */
};

/* A request, or the socket. */
struct link {
    struct net *net;
    struct link *next;
    uv_tcp_t tcp;
    uv_timer_t timer;
    uv_getaddrinfo_t lookup;     /* of the host's name */
    uv_connect_t connecting;
    struct addrinfo *addresses, *address;        /* all of them; the one that is being tried */
    struct wire wire;
    struct wire_tls *tls;        /* NULL: plain */
    int id;                      /* of the request; -1: the socket */
    int status;                  /* of the answer; before that is complete, NET_NO_NAME or another cause why there is none */
    int answer;                  /* the status in a head that has arrived */
    char *path, *body;           /* to be sent */
    char *got;
    size_t size, room;           /* of `got`, in bytes */
    bool has_tcp, is_looking_up;
    bool is_open, is_pinged, over;
    unsigned handles;            /* of libuv's, still to be closed */
};

/* Everything about one server. The main thread has the pointer; it may use only the members above `loop`, with the lock
 * held. */
struct net {
    char host[256], authority[300];
    int port;
    bool secure, stop;
    void (*wake)(void);
    pthread_t thread;
    pthread_mutex_t lock;        /* for the following members */
    struct order *orders, **last_order;
    struct net_event *events, **last_event;
    char cookie[512];
    uv_loop_t loop;              /* from here on, used by the thread only */
    uv_async_t notice;           /* sent by any thread */
    struct wire_pool *pool;
    struct wire_tls_context *tls;
    struct link *links, *socket;
    struct order *out;           /* messages to be sent on the socket */
};

/* Takes the text. Without memory the event is lost; the link ends nevertheless. */
static void add_event(struct net *net, enum net_kind kind, int id, int status, char *text, size_t size)
{
    struct net_event *event = calloc(1, sizeof *event);
    if (!event) {
        free(text);
        return;
    }
    *event = (struct net_event){ NULL, kind, id, status, text, size };
    pthread_mutex_lock(&net->lock);
    *net->last_event = event;
    net->last_event = &event->next;
    pthread_mutex_unlock(&net->lock);
    net->wake();
}

static void free_order(struct order *order)
{
    free(order->path);
    free(order->text);
    free(order);
}

static void drop_orders(struct order **orders)
{
    while (*orders) {
        struct order *order = *orders;
        *orders = order->next;
        free_order(order);
    }
}

/* Adds received bytes; false when there are too many of them. The buffer grows to twice the size needed, so that many
 * small pieces are not copied again and again. There is always a terminator after the bytes. */
static bool take_in(struct link *link, const char *bytes, size_t size)
{
    if (size > NET_MOST || link->size + size > NET_MOST)
        return false;
    if (link->size + size + 1 > link->room) {
        size_t room = (link->size + size + 1) * 2;
        char *larger = realloc(link->got, room);
        if (!larger)
            return false;
        link->got = larger;
        link->room = room;
    }
    memcpy(link->got + link->size, bytes, size);
    link->size += size;
    link->got[link->size] = '\0';
    return true;
}

/* The end of a link. */

/* Frees a link that libuv no longer uses. */
static void drop(struct link *link)
{
    for (struct link **at = &link->net->links; *at; at = &(*at)->next) {
        if (*at == link) {
            *at = link->next;
            break;
        }
    }
    wire_finish(&link->wire);
    wire_tls_destroy(link->tls);
    if (link->addresses)
        uv_freeaddrinfo(link->addresses);
    free(link->path);
    free(link->body);
    free(link->got);
    free(link);
}

/* Its memory is freed with the last of its handles and lookups. */
static void drop_if_free(struct link *link)
{
    if (link->over && !link->handles && !link->is_looking_up)
        drop(link);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct link *link = handle->data;
    link->handles--;
    drop_if_free(link);
}

static void close_handle(uv_handle_t *handle)
{
    if (!uv_is_closing(handle))
        uv_close(handle, on_handle_closed);
}

/* Ends a link without an event. libuv still uses the handles until they are closed; only then may the memory be freed
 * (drop_if_free). A running lookup cannot be cancelled, so its callback is waited for. */
static void abandon(struct link *link)
{
    struct net *net = link->net;
    if (link->over)
        return;
    link->over = true;
    if (net->socket == link)
        net->socket = NULL;
    if (link->is_looking_up)
        uv_cancel((uv_req_t *)&link->lookup);
    close_handle((uv_handle_t *)&link->timer);
    if (link->has_tcp)
        close_handle((uv_handle_t *)&link->tcp);
}

/* Sends the one event that ends a link. */
static void finish(struct link *link)
{
    struct net *net = link->net;
    if (link->over)
        return;
    if (link->id < 0) {
        add_event(net, NET_CLOSED, -1, 0, NULL, 0);
    } else {
        /* An incomplete answer does not count. */
        add_event(net, NET_ANSWER, link->id, link->answer && link->status < 0 ? 0 : link->status, link->got, link->size);
        link->got = NULL;
        link->size = link->room = 0;
    }
    abandon(link);
}

/* Sending. */

/* libuv needs the bytes until they are written, so each write has its own copy. */
struct writing {
    uv_write_t request;
    char bytes[];
};

static void on_written(uv_write_t *request, int status)
{
    (void)status;                            /* a broken connection is noticed by the next read */
    free(request->data);
}

static void send_bytes(struct link *link, const void *bytes, size_t size)
{
    struct writing *writing = size && !link->over ? malloc(sizeof *writing + size) : NULL;
    if (!writing)
        return;
    memcpy(writing->bytes, bytes, size);
    writing->request.data = writing;
    uv_buf_t buffer = uv_buf_init(writing->bytes, (unsigned)size);
    if (uv_write(&writing->request, (uv_stream_t *)&link->tcp, &buffer, 1, on_written))
        free(writing);
}

/* Sends TLS's output: data, or parts of its handshake. */
static void send_encrypted(struct link *link)
{
    size_t size;
    const void *bytes = wire_tls_pending(link->tls, &size);
    send_bytes(link, bytes, size);
    wire_tls_sent(link->tls, size);
}

/* Output of src/wire: encrypted first if there is TLS. */
static void on_write(void *owner, const void *bytes, size_t size)
{
    struct link *link = owner;
    if (!link->tls) {
        send_bytes(link, bytes, size);
        return;
    }
    wire_tls_write(link->tls, bytes, size);
    send_encrypted(link);
}

/* Answers of the server. */

/* Only our own cookie, with only visible ASCII: it is put into a header and into a file. */
static void keep_cookie(struct net *net, const struct wire_answer *answer)
{
    const char *cookie;
    for (unsigned i = 0; (cookie = wire_answer_header(answer, "set-cookie", i)); i++) {
        size_t end = strcspn(cookie, "; \t\r\n");
        bool is_plain = !strncmp(cookie, "pyramids=", 9) && end < sizeof net->cookie;
        for (size_t k = 0; k < end; k++)
            is_plain = is_plain && (unsigned char)cookie[k] > 0x20 && (unsigned char)cookie[k] < 0x7f;
        if (!is_plain)
            continue;
        pthread_mutex_lock(&net->lock);
        memcpy(net->cookie, cookie, end);
        net->cookie[end] = '\0';
        pthread_mutex_unlock(&net->lock);
        return;
    }
}

/* The head of an answer; its body follows. */
static void on_answer(void *owner, const struct wire_answer *answer)
{
    struct link *link = owner;
    if (answer->fault || link->id < 0) {
        finish(link);                        /* not HTTP, or not a WebSocket */
        return;
    }
    link->answer = (int)answer->status;
    keep_cookie(link->net, answer);
}

static void on_body(void *owner, const char *bytes, size_t size)
{
    struct link *link = owner;
    if (!link->over && !take_in(link, bytes, size))
        finish(link);
}

/* Only now the status counts: before, the answer could still have been cut off. */
static void on_complete(void *owner)
{
    struct link *link = owner;
    link->status = link->answer;
    finish(link);
}

/* Sends what was submitted while connecting. */
static void on_opened(void *owner)
{
    struct link *link = owner;
    struct net *net = link->net;
    link->is_open = true;
    add_event(net, NET_OPENED, -1, 0, NULL, 0);
    for (struct order *order = net->out; order; order = order->next)
        wire_send(&link->wire, order->text, strlen(order->text));
    drop_orders(&net->out);
}

static void on_message(void *owner, const char *text, size_t size)
{
    struct link *link = owner;
    char *copy = link->over ? NULL : malloc(size + 1);
    if (!copy)
        return;
    memcpy(copy, text, size);
    copy[size] = '\0';
    add_event(link->net, NET_TEXT, -1, 0, copy, size);
}

static void on_closing(void *owner, unsigned code)
{
    (void)code;
    finish(owner);
}

static const struct wire_events events = { .body = on_body, .complete = on_complete, .message = on_message,
    .closing = on_closing, .write = on_write };
static const struct wire_client_events client_events = { on_answer, on_opened };

/* The timer of a link: what it was waiting for has not arrived. While connecting or waiting for an answer, that ends the
 * link. An open WebSocket is first pinged. */
static void on_silence(uv_timer_t *timer)
{
    struct link *link = timer->data;
    if (!link->is_open || link->is_pinged) {
        finish(link);
        return;
    }
    link->is_pinged = true;
    wire_ping(&link->wire);
    uv_timer_start(timer, on_silence, PONG_MS, 0);
}

/* Restarts the timer, whenever anything arrives. */
static void wait_for(struct link *link)
{
    link->is_pinged = false;
    if (!link->over)
        uv_timer_start(&link->timer, on_silence, link->is_open ? SILENCE_MS : PATIENCE_MS, 0);
}

/* Once the answer is complete, the wire takes nothing more: the rest is dropped. */
static void read_plain(struct link *link, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size && !link->over && wire_takes(&link->wire);)
        at += wire_read(&link->wire, bytes + at, size - at);
}

/* `link->over` is checked after each step, because reading may end the link. */
static void read_encrypted(struct link *link, const char *bytes, size_t size)
{
    char plain[4096];
    long got = wire_tls_receive(link->tls, bytes, size) ? WIRE_TLS_NOTHING : WIRE_TLS_BROKEN;
    while (!link->over && got != WIRE_TLS_BROKEN && (got = wire_tls_read(link->tls, plain, sizeof plain)) > 0)
        read_plain(link, plain, (size_t)got);
    if (link->over)
        return;
    send_encrypted(link);
    if (wire_tls_is_open(link->tls) && link->status == NET_NO_TLS)
        link->status = NET_NO_HTTP;          /* from here on, a missing answer is the cause */
    if (got == WIRE_TLS_BROKEN && !link->answer && wire_tls_is_untrusted(link->tls))
        link->status = NET_UNTRUSTED;
    if (got == WIRE_TLS_END)
        wire_ended(&link->wire);
    if (got < 0)
        finish(link);
}

/* One buffer per thread is enough: its content is used before the next read. */
static void on_room(uv_handle_t *handle, size_t wanted, uv_buf_t *buffer)
{
    static _Thread_local char room[16384];
    (void)handle;
    (void)wanted;
    *buffer = uv_buf_init(room, sizeof room);
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buffer)
{
    struct link *link = stream->data;
    if (size < 0) {
        /* Under TLS, an end without close_notify may be an attack. */
        if (size == UV_EOF && !link->tls)
            wire_ended(&link->wire);
        finish(link);
        return;
    }
    if (link->tls)
        read_encrypted(link, buffer->base, (size_t)size);
    else
        read_plain(link, buffer->base, (size_t)size);
    if (size)
        wait_for(link);
}

/* The beginning of a link. */

/* `status` already has the cause for a missing answer; it is replaced when one arrives. */
static void ask(struct link *link)
{
    struct net *net = link->net;
    char cookie[sizeof net->cookie + 16] = "";
    pthread_mutex_lock(&net->lock);
    if (net->cookie[0])
        snprintf(cookie, sizeof cookie, "cookie: %s\r\n", net->cookie);
    pthread_mutex_unlock(&net->lock);
    const struct wire_asking asking = { .events = &client_events, .host = net->authority, .path = link->path,
        .headers = cookie, .body = link->body, .body_size = link->body ? strlen(link->body) : 0,
        .protocol = link->id < 0 ? PROTOCOL : NULL };
    link->status = net->secure ? NET_NO_TLS : NET_NO_HTTP;
    wire_init(&link->wire, &events, link, net->pool);
    if (net->secure) {
        link->tls = wire_tls_connect(net->tls, net->host);
        if (!link->tls) {
            finish(link);
            return;
        }
        send_encrypted(link);
    }
    if (uv_read_start((uv_stream_t *)&link->tcp, on_room, on_read) || !wire_ask(&link->wire, &asking))
        finish(link);
}

static void try_address(struct link *link);

static void on_next_address(uv_handle_t *handle)
{
    struct link *link = handle->data;
    link->has_tcp = false;
    link->handles--;
    if (link->over)
        drop_if_free(link);
    else
        try_address(link);
}

/* After a failure the handle is closed before the next address is tried, since a handle of libuv can connect only once. */
static void on_connected(uv_connect_t *request, int error)
{
    struct link *link = request->data;
    if (link->over)
        return;
    if (!error) {
        wait_for(link);
        ask(link);
        return;
    }
    if (error == UV_ECONNREFUSED)
        link->status = NET_REFUSED;          /* the most useful cause, however other addresses fail */
    link->address = link->address->ai_next;
    uv_timer_stop(&link->timer);
    if (!uv_is_closing((uv_handle_t *)&link->tcp))
        uv_close((uv_handle_t *)&link->tcp, on_next_address);
}

/* No answer from this address: on_connected will try the next one. */
static void on_late(uv_timer_t *timer)
{
    struct link *link = timer->data;
    if (!uv_is_closing((uv_handle_t *)&link->tcp))
        uv_close((uv_handle_t *)&link->tcp, on_next_address);
}

/* uv_tcp_nodelay, since messages are small and wait for answers. */
static void try_address(struct link *link)
{
    if (!link->address || uv_tcp_init(&link->net->loop, &link->tcp)) {
        finish(link);
        return;
    }
    link->has_tcp = true;
    link->handles++;
    link->tcp.data = link;
    link->connecting.data = link;
    uv_tcp_nodelay(&link->tcp, 1);
    uv_timer_start(&link->timer, on_late, PATIENCE_MS, 0);
    int error = uv_tcp_connect(&link->connecting, &link->tcp, link->address->ai_addr, on_connected);
    if (error)
        on_connected(&link->connecting, error);
}

static void on_looked_up(uv_getaddrinfo_t *request, int error, struct addrinfo *list)
{
    struct link *link = request->data;
    link->is_looking_up = false;
    link->addresses = link->address = list;
    if (link->over) {
        drop_if_free(link);
        return;
    }
    link->status = !error ? NET_UNREACHABLE : error == UV_EAI_AGAIN ? NET_NO_LOOKUP : NET_NO_NAME;
    if (error)
        finish(link);
    else
        try_address(link);
}

/* Takes path and body out of the order. There is one socket at a time: a new one replaces the old without an event. */
static void connect_link(struct net *net, struct order *order, bool socket)
{
    struct link *link = calloc(1, sizeof *link);
    if (!link || uv_timer_init(&net->loop, &link->timer)) {
        free(link);
        add_event(net, socket ? NET_CLOSED : NET_ANSWER, order->id, 0, NULL, 0);
        return;
    }
    link->net = net;
    link->id = socket ? -1 : order->id;
    link->path = order->path;
    link->body = order->text;
    order->path = order->text = NULL;
    link->timer.data = link->lookup.data = link;
    link->handles = 1;
    link->next = net->links;
    net->links = link;
    if (socket) {
        drop_orders(&net->out);              /* orders for an earlier connection are dropped */
        if (net->socket)
            abandon(net->socket);
        net->socket = link;
    }
    const struct addrinfo wanted = { .ai_socktype = SOCK_STREAM };
    char service[16];
    snprintf(service, sizeof service, "%d", net->port);
    if (!link->path || uv_getaddrinfo(&net->loop, &link->lookup, on_looked_up, net->host, service, &wanted))
        finish(link);
    else
        link->is_looking_up = true;
}

/* Orders. */

/* Sends the last frame, and close_notify under TLS, before the connection is closed. */
static void close_socket(struct link *link)
{
    if (link->is_open) {
        wire_close(&link->wire, 1000);
        if (link->tls) {
            wire_tls_goodbye(link->tls);
            send_encrypted(link);
        }
    }
    finish(link);
}

/* Messages are kept in `out` until the socket is open; without a socket they are dropped, since the session will send
 * them again. */
static void carry_out(struct net *net, struct order *order)
{
    switch (order->kind) {
    case ORDER_REQUEST: connect_link(net, order, false); break;
    case ORDER_OPEN: connect_link(net, order, true); break;
    case ORDER_CLOSE:
        if (net->socket)
            close_socket(net->socket);
        break;
    case ORDER_SEND:
        if (net->socket && net->socket->is_open) {
            wire_send(&net->socket->wire, order->text, strlen(order->text));
        } else if (net->socket) {
            struct order **last = &net->out;
            while (*last)
                last = &(*last)->next;
            *last = order;
            order->next = NULL;
            return;
        }
        break;
    }
    free_order(order);
}

/* libuv may merge several notices into one, so all orders are taken. */
static void on_notice(uv_async_t *notice)
{
    struct net *net = notice->data;
    pthread_mutex_lock(&net->lock);
    bool stop = net->stop;
    struct order *orders = net->orders;
    net->orders = NULL;
    net->last_order = &net->orders;
    pthread_mutex_unlock(&net->lock);
    while (orders) {
        struct order *order = orders;
        orders = order->next;
        order->next = NULL;
        carry_out(net, order);
    }
    if (!stop)
        return;
    if (net->socket)
        close_socket(net->socket);
    for (struct link *link = net->links; link; link = link->next)
        abandon(link);
    uv_close((uv_handle_t *)notice, NULL);
}

/* Runs until everything is closed. */
static void *run(void *context)
{
    uv_run(&((struct net *)context)->loop, UV_RUN_DEFAULT);
    return NULL;
}

/* Splits an address into host, port and whether it is secure. Without a scheme it is http. User names and passwords (@),
 * quotes, blanks and control characters are refused, since the authority is put into a header. */
static bool read_url(struct net *net, const char *url)
{
    const char *at = strstr(url, "://");
    net->secure = !strncmp(url, "https://", 8) || !strncmp(url, "wss://", 6);
    if (at && !net->secure && strncmp(url, "http://", 7) && strncmp(url, "ws://", 5))
        return false;
    at = at ? at + 3 : url;
    size_t length = strcspn(at, "/?#");
    if (!length || length >= sizeof net->host)
        return false;
    memcpy(net->authority, at, length);
    net->authority[length] = '\0';
    for (const char *c = net->authority; *c; c++)
        if ((unsigned char)*c < 0x21 || (unsigned char)*c > 0x7e || strchr("\"@\\", *c))
            return false;
    net->port = net->secure ? 443 : 80;
    const char *host = net->authority, *end = strchr(host, ':');
    if (host[0] == '[') {                    /* an IPv6 address */
        const char *bracket = strchr(host, ']');
        if (!bracket)
            return false;
        memcpy(net->host, host + 1, (size_t)(bracket - host - 1));
        net->host[bracket - host - 1] = '\0';
        end = bracket[1] == ':' ? bracket + 1 : NULL;
    } else {
        size_t size = end ? (size_t)(end - host) : strlen(host);
        memcpy(net->host, host, size);
        net->host[size] = '\0';
    }
    if (end) {
        char *rest;
        long port = strtol(end + 1, &rest, 10);
        if (*rest || port < 1 || port > 65535)
            return false;
        net->port = (int)port;
    }
    return net->host[0] != '\0';
}

/* Creates what the thread uses; false: nothing of it is left. */
static bool begin(struct net *net, const char *trusted)
{
    net->pool = wire_pool_create(false, NET_MOST);
    net->tls = net->secure ? wire_tls_client(trusted) : NULL;
    if (!net->pool || (net->secure && !net->tls) || uv_loop_init(&net->loop))
        goto failed;
    if (!uv_async_init(&net->loop, &net->notice, on_notice)) {
        net->notice.data = net;
        return true;
    }
    uv_loop_close(&net->loop);
failed:
    wire_pool_destroy(net->pool);
    wire_tls_context_destroy(net->tls);
    return false;
}

static void end(struct net *net)
{
    uv_loop_close(&net->loop);
    wire_pool_destroy(net->pool);
    wire_tls_context_destroy(net->tls);
    pthread_mutex_destroy(&net->lock);
    free(net);
}

bool net_can_trust(const char *trusted)
{
    struct wire_tls_context *context = wire_tls_client(trusted);
    wire_tls_context_destroy(context);
    return context != NULL;
}

/* The thread inherits the signal mask: signals are for the main thread, except for crashes. */
struct net *net_create(const char *url, const char *cookie, const char *trusted, void (*wake)(void))
{
    struct net *net = calloc(1, sizeof *net);
    sigset_t all, before;
    if (!net || !read_url(net, url) || !begin(net, trusted)) {
        free(net);
        return NULL;
    }
    net->wake = wake;
    net->last_order = &net->orders;
    net->last_event = &net->events;
    snprintf(net->cookie, sizeof net->cookie, "%s", cookie);
    pthread_mutex_init(&net->lock, NULL);
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGABRT);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&net->thread, NULL, run, net);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!error)
        return net;
    uv_close((uv_handle_t *)&net->notice, NULL);
    uv_run(&net->loop, UV_RUN_DEFAULT);
    end(net);
    return NULL;
}

/* Orders given before are still executed; then all links end and the thread is joined. */
void net_destroy(struct net *net)
{
    if (!net)
        return;
    pthread_mutex_lock(&net->lock);
    net->stop = true;
    pthread_mutex_unlock(&net->lock);
    uv_async_send(&net->notice);
    pthread_join(net->thread, NULL);
    drop_orders(&net->out);
    drop_orders(&net->orders);
    for (struct net_event *event; (event = net_next(net));)
        net_free(event);
    end(net);
}

static char *copy_of(const char *text)
{
    char *copy = text ? malloc(strlen(text) + 1) : NULL;
    if (copy)
        strcpy(copy, text);
    return copy;
}

/* Without memory the order is dropped, as if the network had lost it. */
static void add_order(struct net *net, enum order_kind kind, int id, const char *path, const char *text)
{
    struct order *order = calloc(1, sizeof *order);
    if (!order)
        return;
    *order = (struct order){ NULL, kind, id, copy_of(path), copy_of(text) };
    pthread_mutex_lock(&net->lock);
    *net->last_order = order;
    net->last_order = &order->next;
    pthread_mutex_unlock(&net->lock);
    uv_async_send(&net->notice);
}

void net_request(struct net *net, int id, const char *path, const char *body)
{
    add_order(net, ORDER_REQUEST, id, path, body);
}

void net_open(struct net *net, const char *path)
{
    add_order(net, ORDER_OPEN, -1, path, NULL);
}

void net_close(struct net *net)
{
    add_order(net, ORDER_CLOSE, -1, NULL, NULL);
}

void net_send(struct net *net, const char *text)
{
    add_order(net, ORDER_SEND, -1, NULL, text);
}

struct net_event *net_next(struct net *net)
{
    pthread_mutex_lock(&net->lock);
    struct net_event *event = net->events;
    if (event) {
        net->events = event->next;
        if (!net->events)
            net->last_event = &net->events;
    }
    pthread_mutex_unlock(&net->lock);
    return event;
}

void net_free(struct net_event *event)
{
    if (event)
        free(event->text);
    free(event);
}

void net_cookie(struct net *net, char *to, size_t size)
{
    pthread_mutex_lock(&net->lock);
    snprintf(to, size, "%s", net->cookie);
    pthread_mutex_unlock(&net->lock);
}
