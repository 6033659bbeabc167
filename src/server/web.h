/* web.h (web.c): connections. */
#ifndef PYR_SERVER_WEB_H
#define PYR_SERVER_WEB_H

#include <stdbool.h>
#include <stddef.h>

struct server;

/* Begins to listen; false with a sentence in `error`. Sets server->url. */
bool web_start(struct server *server, char *error, size_t error_size);

/* A few times per second: pings sockets that are silent, cuts those that do not respond. */
void web_tick(struct server *server);

/* New connections get this certificate; false if it cannot be used. Existing ones keep theirs. */
bool web_renew_tls(struct server *server, const char *certificate, const char *key);

/* Accepts no more connections; existing ones continue. */
void web_stop_accepting(struct server *server);

/* Closes the sockets of banned visitors; sends an announcement to all sockets. */
void web_cut_banned(struct server *server);
void web_tell_notice(struct server *server);

/* Sends every socket a request to come back later; closes all sockets; ends. The loop must continue until everything is
 * closed. */
void web_warn(struct server *server);
void web_close_sockets(struct server *server);
/* The number of sockets, and of connections whose last bytes are still being sent. */
unsigned web_busy(const struct server *server);
void web_stop(struct server *server);

#endif
