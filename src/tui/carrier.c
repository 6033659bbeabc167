/*
 * carrier.c: see carrier.h. Used by one thread; net.c has its own thread and passes events through a queue.
 */
#include <stdio.h>
#include <unistd.h>

#include <pyramids/text.h>

#include "carrier.h"

bool carrier_init(struct carrier *carrier, const struct visit *visit, const char *trusted, void (*wake)(void), char *problem,
    size_t size)
{
    *carrier = (struct carrier){ .net = NULL };
    if (trusted && !net_can_trust(trusted))
        snprintf(problem, size, _("'%.200s' contains no certificate; expected a PEM file"), trusted);
    else if (!(carrier->net = net_create(visit->url, visit->cookie, trusted, wake)))
        snprintf(problem, size, _("'%.200s' is not a server address; expected http://HOST:PORT or https://HOST"),
            visit->url);
    return carrier->net;
}

void carrier_finish(struct carrier *carrier)
{
    if (carrier->net)
        net_destroy(carrier->net);
    carrier->net = NULL;
}

bool carrier_take(struct carrier *carrier, struct pyr_remote *game, const struct net_event *event, uint64_t now)
{
    bool was_open = carrier->is_open;
    uint32_t random = 0;
    if (event->kind == NET_OPENED) {
        carrier->is_open = true;
        carrier->is_opening = false;
        if (game)
            pyr_remote_connected(game, now);
    } else if (event->kind == NET_TEXT && game) {
        pyr_remote_receive(game, event->text, event->size, now);
    } else if (event->kind == NET_CLOSED) {
        if (game && getentropy(&random, sizeof random))
            random = 0;                      /* it is only used to spread the attempts of many clients */
        if (game)
            pyr_remote_lost(game, now, random);
        carrier->is_open = carrier->is_opening = carrier->is_closing = false;
        return game && !was_open;
    }
    return false;
}

void carrier_connect(struct carrier *carrier, struct pyr_remote *game, uint64_t now)
{
    enum pyr_remote_wish wish = pyr_remote_wish(game, now);
    if (wish == PYR_REMOTE_CONNECT && !carrier->is_opening) {
        char path[sizeof "/api/socket?table=" + PYR_REMOTE_CODE];
        carrier->is_opening = true;
        snprintf(path, sizeof path, "/api/socket?table=%s", game->code);         /* the query is for a proxy */
        net_open(carrier->net, path);
    } else if (wish == PYR_REMOTE_DROP && !carrier->is_closing) {
        carrier->is_closing = true;
        net_close(carrier->net);
    }
}

void carrier_send(struct carrier *carrier, struct pyr_remote *game, uint64_t now)
{
    for (const char *text; (text = pyr_remote_next(game, now));)
        net_send(carrier->net, text);
}

/* The rules are checked here as well, so a server cannot make us show an illegal game. */
void carrier_bad_lines(const struct pyr_remote *game, char *to, size_t size)
{
    char sentence[512];
    pyr_text_fault(&game->fault, sentence, sizeof sentence);
    if (game->fault.code == PYR_ERR_TEXT_FULL)
        snprintf(to, size, "%s", _("the server sent an invalid game record"));
    else
        snprintf(to, size, _("the server sent a game that breaks the rules: %s"), sentence);
}
