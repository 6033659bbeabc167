/*
 * remote.h (remote.c): a game on a server (docs/protocol.md): signing in, a list of tables, waiting for players, playing,
 * and reconnecting.
 */
#ifndef PYR_TUI_REMOTE_H
#define PYR_TUI_REMOTE_H

#include "app.h"

/* NULL with app->error set if the address is invalid. Sets app->ops. */
struct remote *remote_create(struct app *app);
void remote_destroy(struct remote *remote);

/* A sentence with the command that leads back to a table where the player has a seat; "" if there is none. */
void remote_way_back(const struct remote *remote, char *to, size_t size);

#endif
