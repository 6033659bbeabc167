/*
 * access.h (access.c): where a request comes from and which of our names it asks for. Everything is judged by plain
 * strings, so that this file knows no network library and tests need no connection.
 */
#ifndef PYR_SERVER_ACCESS_H
#define PYR_SERVER_ACCESS_H

#include "limit.h"

/*
 * What limits count, from an address as proxies and sockets write it: with or without a port ("192.0.2.7:5678",
 * "[2001:db8::1]:443") or a zone ("fe80::1%eth0"). IPv4 counts by address, also where it is mapped into IPv6
 * (::ffff:192.0.2.7, 64:ff9b::192.0.2.7). IPv6 counts by /64, the least that one household has; link-local and loopback
 * addresses count alone. False: `text` is not an address.
 */
bool access_key(const char *text, size_t size, char to[ADDRESS_SIZE]);

/*
 * The address that counts for limits. Behind a trusted proxy it is the last one of X-Forwarded-For: the one that this
 * proxy has added; those before it were sent by the client. An entry that is not an address counts by its text, so
 * it shares its limits only with clients that the proxy describes in the same way. `forwarded_for` NULL: no such
 * header, `peer` counts. NULL without memory.
 */
struct address *access_address(struct server *server, struct address *peer, const char *forwarded_for);

/*
 * Whether Host and Origin (NULL: none) are our own. Otherwise any page could have its own name point here (DNS
 * rebinding) and act for its visitors. Ours are addresses written out and "localhost", the names that this machine has
 * (access_add_name) and the --origin options.
 */
bool access_is_our_page(const struct server *server, const char *host, const char *origin);

/* Another name that this machine is reached by, such as one of its certificate; "*.example.org" means one more label.
 * Returns false, and adds nothing, if the word is not a host name or there is no room. */
bool access_add_name(struct server *server, const char *name);

/* The names that the system, the configured search domains and the certificate (may be NULL) give this machine. */
void access_find_names(struct server *server, const char *certificate);

/* The language for a reader, among those available: `asked` (?lang=, may be NULL), else `accepted` (Accept-Language, may
 * be NULL), else English. */
const char *access_language(const char *asked, const char *accepted);

/* The page's addresses that other machines can use, the most likely one first; 0 if we listen on the loopback
 * interface only. */
#define ACCESS_LINKS 12
#define ACCESS_LINK_SIZE 288
unsigned access_links(const struct server *server, char links[ACCESS_LINKS][ACCESS_LINK_SIZE]);

/*
 * The links shown to a client that asked for the wrong Host. That answer can be read by a page whose name was made to
 * point here (DNS rebinding). So under a name that anyone may own, only the address is shown that such a page must know
 * already; a name without a dot, or below .local and the like, is shown all of them.
 */
unsigned access_links_for(const struct server *server, const char *host, char links[ACCESS_LINKS][ACCESS_LINK_SIZE]);

/* The links that a player at `host` can send to others: the --origin options, and at this machine itself (localhost and
 * the loopback addresses) those of access_links. Other players use the address that they came by. */
unsigned access_links_to_send(const struct server *server, const char *host, char links[ACCESS_LINKS][ACCESS_LINK_SIZE]);

#endif
