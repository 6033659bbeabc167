/*
 * access_log.h (access_log.c): an optional log of requests with their addresses, for programs such as fail2ban. It has no
 * identities: no names, cookies, codes or keys (docs/server.md). Lines wait in memory and are written a few times per
 * second, beside the loop; what does not fit is dropped and counted.
 */
#ifndef PYR_SERVER_ACCESS_LOG_H
#define PYR_SERVER_ACCESS_LOG_H

#include <stdbool.h>
#include <stddef.h>

struct server;
struct address;

bool access_log_start(struct server *server, char *error, size_t size);   /* does nothing without options.access_log */
void access_log_line(struct server *server, const struct address *address, const char *method, const char *route,
    unsigned status, const char *word);      /* word: the error, or NULL */
void access_log_tick(struct server *server);
void access_log_reopen(struct server *server);           /* its file was moved away */
void access_log_stop(struct server *server);

#endif
