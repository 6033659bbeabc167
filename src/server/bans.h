/*
 * bans.h (bans.c): addresses and visitors that an operator has banned. The database keeps them; here is a copy in memory,
 * so that every request can be checked without a query.
 */
#ifndef PYR_SERVER_BANS_H
#define PYR_SERVER_BANS_H

#include "limit.h"
#include "store_admin.h"

#define MOST_BANS 10000

struct server;
struct visitor;
struct bans;

/* Converts "192.0.2.7", "192.0.2.0/24" or "2001:db8::1" to the form in which bans are kept: with a prefix unless it is a
 * single address, the other bits zero. The smallest ban of IPv6 addresses is a /64, since a household has that many.
 * False: it is not an address. */
bool ban_read_address(const char *text, char to[64]);

/* Reads all bans: at the start, and again when other servers may have changed them. */
bool bans_load(struct server *server, struct store_db *db);
void bans_finish(struct server *server);

/* Adds or removes a ban. False: there are too many, or no memory. */
bool bans_add(struct server *server, const struct store_ban *ban);
void bans_remove(struct server *server, int64_t id);
unsigned bans_count(const struct server *server);

/* Whether an address is banned, or a visitor (NULL: none). */
bool bans_cover(const struct server *server, struct address *address, const struct visitor *visitor);

/* Once a minute: drops expired bans; on a shared database reads all of them again. */
void bans_tick(struct server *server);

#endif
