/* net.c: see net.h. libwebsockets on its own loop; everything it touches is the thread's, but for two queues and the
 * cookie. */
#include <libwebsockets.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net.h"
#include "reach.h"

enum order_kind { ORDER_REQUEST, ORDER_OPEN, ORDER_CLOSE, ORDER_SEND };

struct order {
    struct order *next;
    enum order_kind kind;
    int id;
    char *path, *text;           /* text NULL: no body */
};

/* A request, or the socket. */
struct link {
    struct net *net;
    struct link *next;
    struct lws *wsi;
    int id;                      /* of the request; -1: the socket */
    int status;
    char *body;                  /* to be sent */
    char *got;
    size_t size, room;
    bool open, closing, over;
    bool untrusted;              /* its certificate was refused */
};

struct net {
    char host[256], authority[300];
    int port;
    bool secure, stop;
    void (*wake)(void);
    pthread_t thread;
    pthread_mutex_t lock;        /* for what follows */
    struct order *orders, **last_order;
    struct net_event *events, **last_event;
    char cookie[512];
    struct lws_context *context; /* the thread's from here on; waking it is allowed to all */
    struct link *links, *socket;
    struct order *out;           /* messages to be sent on the socket */
};

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

/* Bytes that came; false when there are too many of them. */
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

/* The one event that ends a link. */
static void finish(struct link *link, const char *why)
{
    if (link->over)
        return;
    link->over = true;
    struct net *net = link->net;
    if (link->id < 0) {
        char *text = why ? malloc(strlen(why) + 1) : NULL;
        if (text)
            strcpy(text, why);
        if (net->socket == link)
            net->socket = NULL;
        add_event(net, NET_CLOSED, -1, 0, text, text ? strlen(text) : 0);
    } else {
        int status = link->status;
        pthread_mutex_lock(&net->lock);
        bool stop = net->stop;
        pthread_mutex_unlock(&net->lock);
        if (!status && link->untrusted)
            status = NET_UNTRUSTED;
        else if (!status && !stop && !link->size)
            status = reach_check(net->host, net->port, net->secure);
        add_event(net, NET_ANSWER, link->id, status, link->got, link->size);
        link->got = NULL;
        link->size = link->room = 0;
    }
}

static void drop(struct link *link)
{
    struct net *net = link->net;
    for (struct link **at = &net->links; *at; at = &(*at)->next) {
        if (*at == link) {
            *at = link->next;
            break;
        }
    }
    free(link->body);
    free(link->got);
    free(link);
}

static int add_headers(struct lws *wsi, struct link *link, unsigned char **at, unsigned char *end)
{
    char cookie[sizeof link->net->cookie], length[16];
    pthread_mutex_lock(&link->net->lock);
    memcpy(cookie, link->net->cookie, sizeof cookie);
    pthread_mutex_unlock(&link->net->lock);
    if (cookie[0] &&
        lws_add_http_header_by_token(wsi, WSI_TOKEN_HTTP_COOKIE, (const unsigned char *)cookie, (int)strlen(cookie), at,
            end))
        return -1;
    if (!link->body)
        return 0;
    int digits = snprintf(length, sizeof length, "%zu", strlen(link->body));
    if (lws_add_http_header_by_token(wsi, WSI_TOKEN_HTTP_CONTENT_TYPE, (const unsigned char *)"application/json", 16,
        at, end) ||
        lws_add_http_header_by_token(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, (const unsigned char *)length, digits, at, end))
        return -1;
    lws_client_http_body_pending(wsi, 1);
    lws_callback_on_writable(wsi);
    return 0;
}

static void keep_cookie(struct lws *wsi, struct net *net)
{
    char cookie[sizeof net->cookie];
    int length = lws_hdr_copy(wsi, cookie, sizeof cookie, WSI_TOKEN_HTTP_SET_COOKIE);
    if (length <= 0 || strncmp(cookie, "pyramids=", 9))
        return;
    size_t end = strcspn(cookie, "; \t\r\n");
    for (size_t i = 0; i < end; i++)
        if ((unsigned char)cookie[i] < 0x21 || (unsigned char)cookie[i] > 0x7e)
            return;
    cookie[end] = '\0';
    pthread_mutex_lock(&net->lock);
    memcpy(net->cookie, cookie, end + 1);
    pthread_mutex_unlock(&net->lock);
}

static int write_text(struct lws *wsi, const char *text, enum lws_write_protocol how)
{
    size_t size = strlen(text);
    unsigned char *buffer = malloc(LWS_PRE + size + 1);
    if (!buffer)
        return -1;
    memcpy(buffer + LWS_PRE, text, size);
    int sent = lws_write(wsi, buffer + LWS_PRE, size, how);
    free(buffer);
    return sent < (int)size ? -1 : 0;
}

static int on_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    struct link *link = user;
    char buffer[LWS_PRE + 4096], *to = buffer + LWS_PRE;
    int room = 4096;
    /* Comes for both kinds of links, and `user` is OpenSSL's then; the size says whether the certificate is good, and
     * nothing overrules it. */
    if (reason == LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION) {
        link = lws_wsi_user(wsi);
        if (link && !size)
            link->untrusted = true;
        return 0;
    }
    if (reason == LWS_CALLBACK_OPENSSL_LOAD_EXTRA_CLIENT_VERIFY_CERTS)
        return 0;
    if (!link)
        return 0;
    if (reason == LWS_CALLBACK_WSI_DESTROY)
        link->wsi = NULL;
    if (link->over)
        return 0;
    switch (reason) {
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER: {
        unsigned char **at = in;
        return add_headers(wsi, link, at, *at + size);
    }
    case LWS_CALLBACK_CLIENT_HTTP_WRITEABLE:
        if (!link->body)
            return 0;
        lws_client_http_body_pending(wsi, 0);
        return write_text(wsi, link->body, LWS_WRITE_HTTP_FINAL);
    case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP:
        link->status = (int)lws_http_client_http_response(wsi);
        keep_cookie(wsi, link->net);
        return 0;
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP:
        return lws_http_client_read(wsi, &to, &room) < 0 ? -1 : 0;
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ:
        if (take_in(link, in, size))
            return 0;
        link->status = 0;
        return -1;
    case LWS_CALLBACK_COMPLETED_CLIENT_HTTP:
        finish(link, NULL);
        return -1;
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        link->status = 0;
        finish(link, in);
        return 0;
    case LWS_CALLBACK_CLOSED_CLIENT_HTTP:
        finish(link, NULL);
        return 0;
    default:
        return 0;
    }
}

static int on_socket(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    struct link *link = user;
    if (!link)
        return 0;
    struct net *net = link->net;
    if (reason == LWS_CALLBACK_WSI_DESTROY)
        link->wsi = NULL;
    if (link->over)
        return 0;
    switch (reason) {
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER: {
        unsigned char **at = in;
        return add_headers(wsi, link, at, *at + size);
    }
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        link->open = true;
        add_event(net, NET_OPENED, -1, 0, NULL, 0);
        if (net->out)
            lws_callback_on_writable(wsi);
        return 0;
    case LWS_CALLBACK_CLIENT_RECEIVE:
        if (lws_frame_is_binary(wsi))
            return 0;
        if (lws_is_first_fragment(wsi))
            link->size = 0;
        if (!take_in(link, in, size))
            return -1;
        if (lws_is_final_fragment(wsi) && !lws_remaining_packet_payload(wsi)) {
            char *text = malloc(link->size + 1);
            if (text) {
                memcpy(text, link->got ? link->got : "", link->size);
                text[link->size] = '\0';
                add_event(net, NET_TEXT, -1, 0, text, link->size);
            }
            link->size = 0;
        }
        return 0;
    case LWS_CALLBACK_CLIENT_WRITEABLE:
        if (link->closing)
            return -1;
        if (net->out && net->socket == link) {
            struct order *order = net->out;
            net->out = order->next;
            int failed = write_text(wsi, order->text, LWS_WRITE_TEXT);
            free_order(order);
            if (net->out)
                lws_callback_on_writable(wsi);
            return failed;
        }
        return 0;
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        finish(link, in);
        return 0;
    case LWS_CALLBACK_CLIENT_CLOSED:
        finish(link, NULL);
        return 0;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    { .name = "http", .callback = on_http },
    { .name = "pyramids-1", .callback = on_socket },
    { .name = NULL },
};

/* A connection that says nothing is asked, and given up if it does not answer. */
static const lws_retry_bo_t idle = { .secs_since_valid_ping = 15, .secs_since_valid_hangup = 25 };

static void connect_link(struct net *net, struct order *order, bool socket)
{
    struct link *link = calloc(1, sizeof *link);
    if (!link) {
        add_event(net, socket ? NET_CLOSED : NET_ANSWER, order->id, 0, NULL, 0);
        return;
    }
    link->net = net;
    link->id = socket ? -1 : order->id;
    link->body = order->text;
    order->text = NULL;
    link->next = net->links;
    net->links = link;
    if (socket) {
        while (net->out) {                   /* nothing of an older connection */
            struct order *old = net->out;
            net->out = old->next;
            free_order(old);
        }
        net->socket = link;
    }
    struct lws_client_connect_info info = { .context = net->context,
        .address = net->host,
        .port = net->port,
        .path = order->path,
        .host = net->authority,
        .ssl_connection = net->secure ? LCCSCF_USE_SSL : 0,
        .userdata = link,
        .pwsi = &link->wsi,
        .protocol = socket ? "pyramids-1" : NULL,
        .local_protocol_name = socket ? "pyramids-1" : "http",
        .method = socket ? NULL
            : link->body ? "POST"
                         : "GET",
        .alpn = "http/1.1",
        .retry_and_idle_policy = socket ? &idle : NULL };
    if (!lws_client_connect_via_info(&info)) {
        link->wsi = NULL;
        finish(link, NULL);
    }
}

static void carry_out(struct net *net, struct order *order)
{
    switch (order->kind) {
    case ORDER_REQUEST: connect_link(net, order, false); break;
    case ORDER_OPEN: connect_link(net, order, true); break;
    case ORDER_CLOSE:
        if (net->socket && net->socket->wsi) {
            net->socket->closing = true;
            lws_callback_on_writable(net->socket->wsi);
        }
        break;
    case ORDER_SEND:
        if (net->socket) {
            struct order **last = &net->out;
            while (*last)
                last = &(*last)->next;
            *last = order;
            order->next = NULL;
            if (net->socket->open)
                lws_callback_on_writable(net->socket->wsi);
            return;
        }
        break;
    }
    free_order(order);
}

static void *run(void *context)
{
    struct net *net = context;
    for (;;) {
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
        /* Links that are over go once libwebsockets has let go of them (LWS_CALLBACK_WSI_DESTROY). */
        for (struct link *link = net->links, *next; link; link = next) {
            next = link->next;
            if (link->over && !link->wsi)
                drop(link);
        }
        if (stop)
            return NULL;
        if (lws_service(net->context, 0) < 0)
            return NULL;
    }
}

/* host, port and whether it is secure, from an address. */
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
    if (host[0] == '[') {                    /* an address of version 6 */
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

struct net *net_create(const char *url, const char *cookie, const char *trusted, void (*wake)(void))
{
    struct net *net = calloc(1, sizeof *net);
    sigset_t all, before;
    if (!net)
        return NULL;
    if (!read_url(net, url))
        goto failed;
    net->wake = wake;
    net->last_order = &net->orders;
    net->last_event = &net->events;
    snprintf(net->cookie, sizeof net->cookie, "%s", cookie);
    lws_set_log_level(0, NULL);              /* nothing may be written over the screen */
    struct lws_context_creation_info info = { .port = CONTEXT_PORT_NO_LISTEN, .protocols = protocols, .gid = -1, .uid = -1,
        .options = net->secure ? LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT : 0, .timeout_secs = 10, .connect_timeout_secs = 10,
        .client_ssl_ca_filepath = net->secure ? trusted : NULL };
    net->context = lws_create_context(&info);
    if (!net->context)
        goto failed;
    pthread_mutex_init(&net->lock, NULL);
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGABRT);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&net->thread, NULL, run, net);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!error)
        return net;
    pthread_mutex_destroy(&net->lock);
    lws_context_destroy(net->context);
failed:
    free(net);
    return NULL;
}

void net_destroy(struct net *net)
{
    if (!net)
        return;
    pthread_mutex_lock(&net->lock);
    net->stop = true;
    pthread_mutex_unlock(&net->lock);
    lws_cancel_service(net->context);
    pthread_join(net->thread, NULL);
    lws_context_destroy(net->context);       /* the last callbacks come here */
    while (net->links)
        drop(net->links);
    for (struct order *order = net->out; order;) {
        struct order *next = order->next;
        free_order(order);
        order = next;
    }
    for (struct order *order = net->orders; order;) {
        struct order *next = order->next;
        free_order(order);
        order = next;
    }
    for (struct net_event *event; (event = net_next(net));)
        net_free(event);
    pthread_mutex_destroy(&net->lock);
    free(net);
}

static char *copy_of(const char *text)
{
    char *copy = text ? malloc(strlen(text) + 1) : NULL;
    if (copy)
        strcpy(copy, text);
    return copy;
}

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
    lws_cancel_service(net->context);
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
