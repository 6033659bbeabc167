/* web.h (web.c): connections. */
#ifndef PYR_SERVER_WEB_H
#define PYR_SERVER_WEB_H

#include <stdbool.h>
#include <stddef.h>

struct server;

/* Begins to listen; false with a sentence. server->url tells where. */
bool web_start(struct server *server, char *error, size_t error_size);

/* A few times per second: pings sockets that are silent, cuts those that do not answer. */
void web_tick(struct server *server);

/* Connections from now on get this certificate; false if it cannot be used. Those that exist keep theirs. */
bool web_renew_tls(struct server *server, const char *certificate, const char *key);

/* Takes no more connections; those that exist continue. */
void web_stop_accepting(struct server *server);

/* Closes the sockets of banned visitors; sends an announcement to all sockets. */
void web_cut_banned(struct server *server);
void web_tell_notice(struct server *server);

/* Tells every socket to come back later; closes them all; ends. The loop must run on until everything is closed. */
void web_warn(struct server *server);
void web_close_sockets(struct server *server);
/* Sockets, and connections whose last words are still being sent. */
unsigned web_busy(const struct server *server);
void web_stop(struct server *server);

#endif
