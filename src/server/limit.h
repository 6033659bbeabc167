/* limit.h (limit.c): limits for addresses: token buckets, and the addresses seen lately. */
#ifndef PYR_SERVER_LIMIT_H
#define PYR_SERVER_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "map.h"

#define ADDRESS_SIZE 52          /* what limits count an address by, with its end */
#define ADDRESS_TEXT 96          /* an address as others write it, with its end */

struct server;

struct bucket {
    double level;                /* tokens left */
    uint64_t at;                 /* when `level` was computed, in milliseconds */
};

/* Takes one from a bucket that fills by `rate` a second up to `burst`; false if it is empty. A zeroed bucket is full. */
bool bucket_take(struct bucket *bucket, uint64_t now, double rate, double burst);

/* How many tables of one host or address a list has so far (lobby.c): counts for the list with this number. */
struct share {
    uint64_t list;
    unsigned count;
};

/*
 * The other end of connections, as limits see it (access_key). Anything that keeps a pointer to one beyond the callback
 * in which it got it (a connection, a socket, a request, an open table) holds a reference; address_sweep frees those
 * without references.
 */
struct address {
    struct map_node node;
    char text[ADDRESS_SIZE];
    unsigned references;
    unsigned connections;        /* connections; behind a proxy, where those are shared: sockets and requests under way */
    unsigned tables;             /* open ones that were made from here */
    int32_t day;                 /* the daily expedition that the next number is about */
    unsigned attempts;           /* attempts at it that count */
    struct bucket requests, pages, visitors, misses, creations, pushes;
    uint64_t used;               /* last use, in milliseconds */
    uint32_t judged;             /* generation of the bans that is_banned was computed from (bans.c) */
    bool is_banned;
    struct share lobby;
};

/* Finds or makes the entry of an address, by its text in any form, or by the text itself if it is not an address. NULL
 * without memory. Valid until the loop continues, unless held. */
struct address *address_of(struct server *server, const char *text);
/* NULL is allowed, and does nothing. */
struct address *address_hold(struct address *address);
void address_release(struct address *address);
/* One more connection: held and counted, or false if the address has as many as it may. Ended by address_leave. */
bool address_enter(const struct server *server, struct address *address);
void address_leave(struct address *address);
/* Limits guessing of codes: while this is false, no code is looked up for the address. Call address_guessed after a wrong
 * code. */
bool address_may_guess(const struct server *server, struct address *address);
void address_guessed(const struct server *server, struct address *address);
void address_sweep(struct server *server);
void address_finish(struct server *server);

#endif
