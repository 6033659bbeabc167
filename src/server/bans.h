/*
 * bans.h (bans.c): who may not come: addresses and visitors that an operator has banned. The database keeps them; here is a
 * copy in memory, so that every request can be judged without asking it.
 */
#ifndef PYR_SERVER_BANS_H
#define PYR_SERVER_BANS_H

#include "limit.h"
#include "store_admin.h"

#define MOST_BANS 10000

struct server;
struct visitor;
struct bans;

/* "192.0.2.7", "192.0.2.0/24", "2001:db8::1", in the form in which bans are kept: with a prefix where it is not a single
 * address, the rest zero. Of version 6 no less than a /64 can be banned, since a household has that much. False: it is
 * neither. */
bool ban_read_address(const char *text, char to[64]);

/* Reads them all: at the start, and again when other servers may have changed them. */
bool bans_load(struct server *server, struct store_db *db);
void bans_finish(struct server *server);

/* One more, or one less. False: there are too many, or no memory. */
bool bans_add(struct server *server, const struct store_ban *ban);
void bans_remove(struct server *server, int64_t id);
unsigned bans_count(const struct server *server);

/* Whether an address is banned, or a visitor (NULL: none). */
bool bans_cover(const struct server *server, struct address *address, const struct visitor *visitor);

/* Once a minute: those that have ended are dropped; on a shared database all are read again. */
void bans_tick(struct server *server);

#endif
