/*
 * remote.h (remote.c): a game on a server (docs/protocol.md): who one is, a list of tables, waiting for players,
 * playing, and coming back when the connection was lost.
 */
#ifndef PYR_TUI_REMOTE_H
#define PYR_TUI_REMOTE_H

#include "app.h"

/* NULL with app->error set if the address makes no sense. Sets app->ops. */
struct remote *remote_create(struct app *app);
void remote_destroy(struct remote *remote);

/* The command that leads back to a table with a seat, as a sentence; "" if there is none. */
void remote_way_back(const struct remote *remote, char *to, size_t size);

#endif
