/* reload.h (reload.c): SIGHUP: options, certificate and editions are read again, while everyone stays connected. */
#ifndef PYR_SERVER_RELOAD_H
#define PYR_SERVER_RELOAD_H

#include <stdbool.h>

struct pyr_edition;
struct server;

/* An edition that was added while the server was running. It is kept until the end, since tables and threads point to it. */
struct added_edition;

void reload_server(struct server *server);
void reload_finish(struct server *server);   /* frees what reloads have added */

/* The editions that new tables can have, by number from 0; NULL: no more. */
const struct pyr_edition *edition_offered(const struct server *server, unsigned number);
bool edition_is_offered(const struct server *server, const struct pyr_edition *edition);
/* The text of an edition that is offered, or was; NULL: there is none with this name. */
const char *edition_text(const struct server *server, const char *name);
/* An edition that was added by a reload; NULL: none. */
const struct pyr_edition *edition_added(const struct server *server, const char *name);

#endif
