/*
 * limit.c: limits for addresses: token buckets, and the addresses seen lately.
 *
 * A bucket is a level and a time. It is refilled when it is used, so it needs no timer and costs nothing while idle. The
 * time 0 means "never used": such a bucket is full.
 *
 * An address is kept as long as something refers to it (address_hold), and for a while after its last use. Dropping it
 * earlier would refill its buckets and so lift its limits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "server.h"

#define ADDRESS_KEPT 600000      /* milliseconds after its last use; longer than any bucket takes to fill, so all of them
                                    are full by then */

#define GUESSES 30               /* codes that do not exist, per minute */

/* rate in tokens per second, now in milliseconds; never more than burst. */
static void refill(struct bucket *bucket, uint64_t now, double rate, double burst)
{
    if (!bucket->at)
        bucket->level = burst;
    else
        bucket->level += (double)(now - bucket->at) / 1000 * rate;
    if (bucket->level > burst)
        bucket->level = burst;
    bucket->at = now ? now : 1;
}

bool bucket_take(struct bucket *bucket, uint64_t now, double rate, double burst)
{
    refill(bucket, now, rate, burst);
    if (bucket->level < 1)
        return false;
    bucket->level -= 1;
    return true;
}

/* The header of a proxy may contain text that is not an address; it then counts by its hash, so that it does not share a
 * bucket with a real address. */
struct address *address_of(struct server *server, const char *from)
{
    char text[ADDRESS_SIZE];
    size_t size = strlen(from);
    if (!access_key(from, size, text))       /* no address begins with '?' */
        snprintf(text, sizeof text, "?%016llx", (unsigned long long)server_hash(server, from, size));
    size = strlen(text);
    uint64_t key = server_hash(server, text, size);
    for (struct map_node *node = map_find(&server->addresses, key); node; node = map_next(node)) {
        struct address *address = (struct address *)node;
        if (!strcmp(address->text, text)) {
            address->used = server_now(server);
            return address;
        }
    }
    struct address *address = calloc(1, sizeof *address);
    if (!address || size >= sizeof address->text || !map_add(&server->addresses, &address->node, key)) {
        free(address);
        return NULL;
    }
    memcpy(address->text, text, size);
    address->used = server_now(server);
    return address;
}

struct address *address_hold(struct address *address)
{
    if (address)
        address->references++;
    return address;
}

void address_release(struct address *address)
{
    if (address)
        address->references--;
}

/* One more connection, with a reference; undone by address_leave. */
bool address_enter(const struct server *server, struct address *address)
{
    if (address->connections >= server->options.max_per_address)
        return false;
    address->connections++;
    address_hold(address);
    return true;
}

void address_leave(struct address *address)
{
    if (!address)
        return;
    address->connections--;
    address_release(address);
}

/* This takes no token: only a wrong code does (address_guessed). So a client that has valid codes is never limited. */
bool address_may_guess(const struct server *server, struct address *address)
{
    address->used = server_now(server);
    refill(&address->misses, address->used, GUESSES / 60.0, GUESSES);
    return address->misses.level >= 1;
}

void address_guessed(const struct server *server, struct address *address)
{
    address->used = server_now(server);
    bucket_take(&address->misses, address->used, GUESSES / 60.0, GUESSES);
}

static void sweep(struct map_node *node, void *context)
{
    struct server *server = context;
    struct address *address = (struct address *)node;
    bool is_counted = address->attempts && address->day == server_time() / 86400;
    if (address->references || is_counted || server_now(server) - address->used < ADDRESS_KEPT)
        return;
    map_remove(&server->addresses, node);
    free(address);
}

void address_sweep(struct server *server)
{
    map_each(&server->addresses, sweep, server);
}

static void drop(struct map_node *node, void *context)
{
    (void)context;
    free(node);
}

void address_finish(struct server *server)
{
    map_each(&server->addresses, drop, NULL);
    map_finish(&server->addresses);
}
