/*
 * deliver.c: see deliver.h.
 *
 *  1. The thread alone uses libcurl and the messages that it has taken. It shares two lists with the loop, under `mutex`:
 *     what was submitted, and what has ended.
 *  2. At most PARALLEL transfers run at once, PER_HOST to one service; a slow one does not delay the others.
 *  3. Endpoints are not trusted: only https is allowed, no redirects, no proxy from the environment; and the resolved
 *     address must be public, unless the operator has listed the host.
 *  4. Of an answer only the status and Retry-After are read; its body is dropped, and cut after MOST_ANSWER.
 *  5. A message is tried at most TRIES times, and no longer than its TTL; waiting messages are lost when the server
 *     stops.
 */
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <curl/curl.h>
#include <sodium.h>

#include <pyramids/text.h>

#include "deliver.h"

#define PARALLEL 16
#define PER_HOST 4
#define TRIES 5
#define MOST_ANSWER 16384        /* bytes */
#define CONNECT_MS 10000L
#define ANSWER_MS 30000L
#define FIRST_PAUSE 1000         /* ms before the second try; four times as long before each further one */
#define LONGEST_PAUSE 3600000    /* the longest pause that a service may ask for, in ms */
#define TOKEN_SECONDS 43200      /* a token is valid for half a day (RFC 8292: at most a whole one) */

/* A transfer, and the message that it delivers. */
struct transfer {
    CURL *easy;
    struct curl_slist *headers;
    struct delivery *delivery;   /* NULL: it is free */
    struct deliver *deliver;
    bool may_be_private;         /* the operator has listed the host */
    bool is_refused;             /* its resolved address is not allowed */
    size_t answer;               /* bytes of the body so far */
};

struct ended {
    struct ended *next;
    int64_t push;
    enum delivered result;
};

struct deliver {
    struct deliver_options options;
    CURLM *multi;
    uv_thread_t thread;
    uv_async_t async;
    uv_mutex_t mutex;
    void (*tell)(void *context, int64_t push, enum delivered result);
    void *context;
    struct delivery *submitted, **last;      /* these five are under the mutex */
    struct ended *ended, **last_ended;
    unsigned pending;
    bool stop;
    struct delivery *waiting;    /* these belong to the thread */
    unsigned waits;
    struct transfer transfer[PARALLEL];
};

bool deliver_is_there(void)
{
    return true;
}

static uint64_t now_ms(void)
{
    return uv_hrtime() / 1000000;
}

/* In the thread: the message has ended. */
static void end(struct deliver *deliver, struct delivery *delivery, enum delivered result)
{
    struct ended *ended = malloc(sizeof *ended);
    uv_mutex_lock(&deliver->mutex);
    deliver->pending--;
    if (ended) {                             /* without memory its end is not reported */
        *ended = (struct ended){ .push = delivery->push, .result = result };
        *deliver->last_ended = ended;
        deliver->last_ended = &ended->next;
    }
    uv_mutex_unlock(&deliver->mutex);
    uv_async_send(&deliver->async);
    free(delivery);
}

/* Transfers. */

/* Called after the name was resolved and before anything is sent. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct transfer *transfer = context;
    const void *at = &address->addr;
    bool good = transfer->may_be_private;
    if (!good && address->family == AF_INET)
        good = push_address_is_public((const uint8_t *)&((const struct sockaddr_in *)at)->sin_addr, 4);
    else if (!good && address->family == AF_INET6)
        good = push_address_is_public(((const struct sockaddr_in6 *)at)->sin6_addr.s6_addr, 16);
    if (!good || purpose != CURLSOCKTYPE_IPCXN) {
        transfer->is_refused = true;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static size_t drop_answer(char *bytes, size_t one, size_t count, void *context)
{
    struct transfer *transfer = context;
    (void)bytes;
    transfer->answer += one * count;
    return transfer->answer > MOST_ANSWER ? 0 : one * count;
}

static bool is_listed(const struct deliver_options *options, const struct push_endpoint *endpoint)
{
    for (const char *const *host = options->hosts; host && *host; host++)
        if (push_host_covers(*host, endpoint))
            return true;
    return false;
}

static bool add_header(struct transfer *transfer, const char *name, const char *value)
{
    char line[1400];
    int size = snprintf(line, sizeof line, "%s: %s", name, value);
    struct curl_slist *longer = size > 0 && (size_t)size < sizeof line ? curl_slist_append(transfer->headers, line) : NULL;
    if (longer)
        transfer->headers = longer;
    return longer;
}

static bool add_headers(struct deliver *deliver, struct transfer *transfer, const struct push_endpoint *endpoint)
{
    const struct delivery *delivery = transfer->delivery;
    char authorization[1300], seconds[16];
    int64_t now = delivery->now + (int64_t)((now_ms() - delivery->made) / 1000);
    snprintf(seconds, sizeof seconds, "%u", delivery->seconds);
    return push_authorize(deliver->options.private_key, endpoint->origin, deliver->options.subject, now + TOKEN_SECONDS,
            authorization, sizeof authorization) &&
        add_header(transfer, "Authorization", authorization) && add_header(transfer, "TTL", seconds) &&
        add_header(transfer, "Topic", delivery->topic) &&
        add_header(transfer, "Urgency", delivery->is_urgent ? "high" : "low") &&
        add_header(transfer, "Content-Encoding", "aes128gcm") &&
        add_header(transfer, "Content-Type", "application/octet-stream") && add_header(transfer, "Expect", "");
}

static bool set_options(const struct deliver *deliver, struct transfer *transfer)
{
    CURL *easy = transfer->easy;
    const struct delivery *delivery = transfer->delivery;
    CURLcode code = CURLE_OK;
#define SET(option, value) code = code ? code : curl_easy_setopt(easy, option, value)
    SET(CURLOPT_URL, delivery->endpoint);
    SET(CURLOPT_PROTOCOLS_STR, "https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
    SET(CURLOPT_TIMEOUT_MS, ANSWER_MS);
    SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(CURLOPT_OPENSOCKETDATA, (void *)transfer);
    SET(CURLOPT_WRITEFUNCTION, drop_answer);
    SET(CURLOPT_WRITEDATA, (void *)transfer);
    SET(CURLOPT_HTTPHEADER, transfer->headers);
    SET(CURLOPT_POST, 1L);
    SET(CURLOPT_POSTFIELDS, (const char *)delivery->body);
    SET(CURLOPT_POSTFIELDSIZE, (long)delivery->size);
    SET(CURLOPT_PRIVATE, (void *)transfer);
    if (deliver->options.ca)
        SET(CURLOPT_CAINFO, deliver->options.ca);
#undef SET
    return !code;
}

static void free_transfer(struct deliver *deliver, struct transfer *transfer)
{
    if (transfer->easy) {
        curl_multi_remove_handle(deliver->multi, transfer->easy);
        curl_easy_cleanup(transfer->easy);
    }
    curl_slist_free_all(transfer->headers);
    *transfer = (struct transfer){ 0 };
}

/* Begins to deliver a message. */
static void begin(struct deliver *deliver, struct transfer *transfer, struct delivery *delivery)
{
    struct push_endpoint endpoint;
    bool is_allowed = deliver_allows(&deliver->options, delivery->endpoint) &&
        push_endpoint_read(delivery->endpoint, &endpoint);
    *transfer = (struct transfer){ .delivery = delivery, .deliver = deliver };
    delivery->tries++;
    if (is_allowed && (transfer->easy = curl_easy_init())) {
        transfer->may_be_private = is_listed(&deliver->options, &endpoint);
        if (add_headers(deliver, transfer, &endpoint) && set_options(deliver, transfer) &&
            !curl_multi_add_handle(deliver->multi, transfer->easy))
            return;
    }
    free_transfer(deliver, transfer);
    end(deliver, delivery, is_allowed ? DELIVERED_FAILED : DELIVERED_REFUSED);
}

/* Retries a message later, or gives it up. */
static void try_again(struct deliver *deliver, struct delivery *delivery, long asked)
{
    uint64_t pause = FIRST_PAUSE, now = now_ms();
    for (unsigned i = 1; i < delivery->tries; i++)
        pause *= 4;
    if (asked > 0)
        pause = (uint64_t)asked * 1000;
    if (delivery->tries >= TRIES || pause > LONGEST_PAUSE || now + pause - delivery->made > delivery->seconds * 1000ull) {
        end(deliver, delivery, DELIVERED_FAILED);
        return;
    }
    delivery->at = now + pause;
    delivery->next = deliver->waiting;
    deliver->waiting = delivery;
    deliver->waits++;
}

static void finish(struct deliver *deliver, struct transfer *transfer, CURLcode code)
{
    struct delivery *delivery = transfer->delivery;
    long status = 0;
    curl_off_t asked = 0;
    bool is_refused = transfer->is_refused;
    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(transfer->easy, CURLINFO_RETRY_AFTER, &asked);
    free_transfer(deliver, transfer);
    if (is_refused)
        end(deliver, delivery, DELIVERED_REFUSED);
    else if ((code && code != CURLE_WRITE_ERROR) || status == 429 || status >= 500 || !status)
        try_again(deliver, delivery, asked < LONG_MAX / 1000 ? (long)asked : 0);
    else
        end(deliver, delivery, status < 300 ? DELIVERED : status == 404 || status == 410 ? DELIVERED_GONE :
            DELIVERED_REFUSED);
}

/* The thread. */

/* A newer message for the same browser about the same thing replaces one that is waiting here. */
static void take_submitted(struct deliver *deliver)
{
    uv_mutex_lock(&deliver->mutex);
    struct delivery *list = deliver->submitted;
    deliver->submitted = NULL;
    deliver->last = &deliver->submitted;
    uv_mutex_unlock(&deliver->mutex);
    for (struct delivery *next; list; list = next) {
        next = list->next;
        for (struct delivery **at = &deliver->waiting; *at; at = &(*at)->next) {
            struct delivery *old = *at;
            if (old->push != list->push || strcmp(old->topic, list->topic))
                continue;
            *at = old->next;
            deliver->waits--;
            end(deliver, old, DELIVERED_FAILED);
            break;
        }
        list->made = list->at = now_ms();
        list->next = deliver->waiting;
        deliver->waiting = list;
        deliver->waits++;
    }
}

/* Begins those that are due, the oldest first; returns how long until the next one. */
static int begin_due(struct deliver *deliver)
{
    uint64_t now = now_ms();
    for (unsigned i = 0; i < PARALLEL; i++) {
        struct delivery **best = NULL;
        if (deliver->transfer[i].delivery)
            continue;
        for (struct delivery **at = &deliver->waiting; *at; at = &(*at)->next)
            if ((*at)->at <= now && (!best || (*at)->at <= (*best)->at))
                best = at;
        if (!best)
            break;
        struct delivery *delivery = *best;
        *best = delivery->next;
        deliver->waits--;
        begin(deliver, &deliver->transfer[i], delivery);
    }
    return deliver->waits ? 250 : 60000;
}

static void work(void *argument)
{
    struct deliver *deliver = argument;
    for (;;) {
        int running, left;
        uv_mutex_lock(&deliver->mutex);
        bool stops = deliver->stop;
        uv_mutex_unlock(&deliver->mutex);
        if (stops)
            break;
        take_submitted(deliver);
        int pause = begin_due(deliver);
        curl_multi_perform(deliver->multi, &running);
        for (CURLMsg *message; (message = curl_multi_info_read(deliver->multi, &left));) {
            struct transfer *transfer = NULL;
            if (message->msg != CURLMSG_DONE)
                continue;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
            finish(deliver, transfer, message->data.result);
            pause = 0;                       /* there is room for another */
        }
        curl_multi_poll(deliver->multi, NULL, 0, pause, NULL);
    }
    for (unsigned i = 0; i < PARALLEL; i++) {
        free(deliver->transfer[i].delivery);
        free_transfer(deliver, &deliver->transfer[i]);
    }
}

/* The loop. */

static void on_ended(uv_async_t *async)
{
    struct deliver *deliver = async->data;
    uv_mutex_lock(&deliver->mutex);
    struct ended *list = deliver->ended;
    deliver->ended = NULL;
    deliver->last_ended = &deliver->ended;
    uv_mutex_unlock(&deliver->mutex);
    for (struct ended *next; list; list = next) {
        next = list->next;
        deliver->tell(deliver->context, list->push, list->result);
        free(list);
    }
}

static void free_list(struct delivery *list)
{
    for (struct delivery *next; list; list = next) {
        next = list->next;
        free(list);
    }
}

static void on_closed(uv_handle_t *handle)
{
    struct deliver *deliver = handle->data;
    free_list(deliver->submitted);
    free_list(deliver->waiting);
    for (struct ended *ended = deliver->ended, *next; ended; ended = next) {
        next = ended->next;
        free(ended);
    }
    curl_multi_cleanup(deliver->multi);
    uv_mutex_destroy(&deliver->mutex);
    sodium_memzero(deliver->options.private_key, PUSH_PRIVATE);
    free(deliver);
}

struct deliver *deliver_start(uv_loop_t *loop, const struct deliver_options *options,
    void (*ended)(void *context, int64_t push, enum delivered result), void *context, char *error, size_t size)
{
    struct deliver *deliver = calloc(1, sizeof *deliver);
    if (!deliver || curl_global_init(CURL_GLOBAL_DEFAULT) || !(deliver->multi = curl_multi_init()))
        goto fail;
    deliver->options = *options;
    deliver->tell = ended;
    deliver->context = context;
    deliver->last = &deliver->submitted;
    deliver->last_ended = &deliver->ended;
    curl_multi_setopt(deliver->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)PER_HOST);
    curl_multi_setopt(deliver->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)PARALLEL);
    if (uv_mutex_init(&deliver->mutex))
        goto fail;
    if (uv_async_init(loop, &deliver->async, on_ended)) {
        uv_mutex_destroy(&deliver->mutex);
        goto fail;
    }
    deliver->async.data = deliver;
    uv_unref((uv_handle_t *)&deliver->async);
    if (!uv_thread_create(&deliver->thread, work, deliver))
        return deliver;
    uv_close((uv_handle_t *)&deliver->async, on_closed);
    snprintf(error, size, "%s", _("could not start a thread for messages"));
    return NULL;

fail:
    snprintf(error, size, "%s", _("could not start a thread for messages"));
    if (deliver)
        curl_multi_cleanup(deliver->multi);
    free(deliver);
    return NULL;
}

void deliver_submit(struct deliver *deliver, struct delivery *delivery)
{
    delivery->next = NULL;
    uv_mutex_lock(&deliver->mutex);
    bool is_full = deliver->pending >= DELIVER_MOST;
    if (!is_full) {
        deliver->pending++;
        *deliver->last = delivery;
        deliver->last = &delivery->next;
    }
    uv_mutex_unlock(&deliver->mutex);
    if (is_full)
        free(delivery);
    else
        curl_multi_wakeup(deliver->multi);
}

unsigned deliver_pending(struct deliver *deliver)
{
    uv_mutex_lock(&deliver->mutex);
    unsigned pending = deliver->pending;
    uv_mutex_unlock(&deliver->mutex);
    return pending;
}

void deliver_stop(struct deliver *deliver)
{
    if (!deliver)
        return;
    uv_mutex_lock(&deliver->mutex);
    deliver->stop = true;
    uv_mutex_unlock(&deliver->mutex);
    curl_multi_wakeup(deliver->multi);
    uv_thread_join(&deliver->thread);
    uv_close((uv_handle_t *)&deliver->async, on_closed);
}
