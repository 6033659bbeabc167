/*
 * remote.h (remote.c): a game on a server (docs/protocol.md): who one is, a list of tables, waiting for players, playing, and coming back
 * when the connection was lost.
 */
#ifndef PYR_TUI_REMOTE_H
#define PYR_TUI_REMOTE_H

#include "app.h"

/* NULL with app->error set if the address makes no sense. */
struct remote *remote_create(struct app *app);
void remote_destroy(struct remote *remote);

/* Deals with what the server sent, and with lost connections. */
void remote_tick(struct remote *remote, struct app *app);

/* Before the game: lists and waiting have screens of their own. */
bool remote_draws_itself(const struct remote *remote);
void remote_draw(struct remote *remote, struct app *app);
void remote_screen_key(struct remote *remote, struct app *app, int key);
void remote_screen_mouse(struct remote *remote, struct app *app, const struct input *input);

/* The same players once more, when the game is over: whether that is possible here, whether another one has asked for it, and doing it. */
bool remote_can_play_again(const struct remote *remote);
bool remote_is_asked_again(const struct remote *remote);
void remote_play_again(struct remote *remote, struct app *app);

/* During it: keys that nobody else wants; choices. */
bool remote_key(struct remote *remote, struct app *app, int key);
void remote_confirm(struct remote *remote, struct app *app);
void remote_take(struct remote *remote, struct app *app, pyr_step step);
void remote_retract(struct remote *remote, struct app *app);

bool remote_is_watching(const struct remote *remote);        /* without a seat */
void remote_way_back(const struct remote *remote, char *to, size_t size);    /* to a table with a seat, as a sentence; "" if there is none */
const char *remote_title(struct remote *remote);
const char *remote_banner(const struct remote *remote);      /* NULL while connected */
enum sign remote_sign(const struct remote *remote, unsigned seat);
unsigned remote_waiting(const struct remote *remote);

#endif
