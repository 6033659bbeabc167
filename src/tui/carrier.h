/*
 * carrier.h (carrier.c): carries a game on a server (session/remote.h) over one WebSocket after the other, for the
 * full-screen client (remote.c) and for `pyramids daily` line by line (src/cli/there.c). It does what the game asks
 * for; the caller shows what happens in the game.
 */
#ifndef PYR_TUI_CARRIER_H
#define PYR_TUI_CARRIER_H

#include <pyramids/remote.h>

#include "visit.h"

struct carrier {
    struct net *net;
    bool is_open, is_opening, is_closing;    /* the WebSocket is open; was requested; is being closed */
};

/* Connects to the server of a visit; `trusted`: a file of certificates, NULL: the system's. `wake` is called from the thread
 * of net.c. On failure false, with a sentence in `problem`. carrier_finish ends it, also after a failure. */
bool carrier_init(struct carrier *carrier, const struct visit *visit, const char *trusted, void (*wake)(void), char *problem,
    size_t size);
void carrier_finish(struct carrier *carrier);

/* Reports an event of the socket to the game (NULL: no game yet, then it is ignored). True: the socket was closed before
 * it was open, so the server may have refused it. */
bool carrier_take(struct carrier *carrier, struct pyr_remote *game, const struct net_event *event, uint64_t now);

/* Connects or closes as the game asks; then sends the game's messages. Between the two the caller stores what must not be
 * lost. */
void carrier_connect(struct carrier *carrier, struct pyr_remote *game, uint64_t now);
void carrier_send(struct carrier *carrier, struct pyr_remote *game, uint64_t now);

/* Why the lines that the server sent were refused, as a sentence. */
void carrier_bad_lines(const struct pyr_remote *game, char *to, size_t size);

#endif
