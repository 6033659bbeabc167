/*
 * deliver.h (deliver.c with libcurl, deliver_none.c without): delivers messages to push services over HTTPS (RFC 8030), in a
 * thread of its own, so that the loop never waits for them.
 *
 * An endpoint is an address that a stranger has sent: see docs/push.md for what is refused.
 */
#ifndef PYR_SERVER_DELIVER_H
#define PYR_SERVER_DELIVER_H

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "webpush.h"

struct deliver;

/* Whether this program was built with it. */
bool deliver_is_there(void);

/* One message to one browser. */
struct delivery {
    struct delivery *next;
    int64_t push;                /* the browser that gets it (store_push.id) */
    char endpoint[PUSH_ENDPOINT];
    char topic[33];              /* a newer one of the same topic takes its place (RFC 8030, section 5.4) */
    bool is_urgent;
    unsigned seconds;            /* how long the service may keep it (TTL) */
    int64_t now;                 /* when it was made, in seconds since 1970 */
    uint64_t made, at;           /* the same, and when it is next tried, in milliseconds of the thread's clock */
    unsigned tries;
    size_t size;
    uint8_t body[4096];
};

/* How a delivery ended. */
enum delivered {
    DELIVERED,
    DELIVERED_GONE,              /* the browser does not want messages any more: 404, 410 */
    DELIVERED_REFUSED,           /* another 4xx, a redirect, an address that is not allowed */
    DELIVERED_FAILED             /* tried often enough, replaced by a newer one, or too many are waiting */
};

struct deliver_options {
    const char *const *hosts;    /* further allowed hosts, as push_host_covers reads them; ended by NULL. Their addresses
                                    may be private */
    const char *ca;              /* file with certificates to trust beside the system's; NULL: none */
    char subject[256];           /* for push_authorize */
    uint8_t private_key[PUSH_PRIVATE];
};

/* Whether an endpoint may be used: one of a known push service, or of a host in the list. */
bool deliver_allows(const struct deliver_options *options, const char *endpoint);

/* `ended` is called in the loop's thread. NULL with a sentence in `error`. */
struct deliver *deliver_start(uv_loop_t *loop, const struct deliver_options *options,
    void (*ended)(void *context, int64_t push, enum delivered result), void *context, char *error, size_t size);
/* Takes the delivery. */
void deliver_submit(struct deliver *deliver, struct delivery *delivery);
/* Messages that are waiting or being sent; at this number no further one is created. */
#define DELIVER_MOST 4096
unsigned deliver_pending(struct deliver *deliver);
/* Aborts deliveries under way and stops the thread. NULL is fine. */
void deliver_stop(struct deliver *deliver);

#endif
