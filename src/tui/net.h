/*
 * net.h (net.c): requests to a server and a WebSocket, in a thread of its own. It transports texts without interpreting
 * them; everything received is limited in size.
 */
#ifndef PYR_TUI_NET_H
#define PYR_TUI_NET_H

#include <stdbool.h>
#include <stddef.h>

#define NET_MOST (1u << 20)      /* bytes of an answer or a message */

/* Why no answer came, instead of a status. */
#define NET_UNTRUSTED (-1)       /* the server's certificate is not trusted */
#define NET_NO_NAME (-2)         /* there is no host of this name */
#define NET_NO_LOOKUP (-3)       /* names cannot be looked up now */
#define NET_REFUSED (-4)         /* no program listens at the port */
#define NET_UNREACHABLE (-5)     /* there is no route to it */
#define NET_NO_TLS (-6)          /* a program answers, but not in TLS */
#define NET_NO_HTTP (-7)         /* a program answers, but not in HTTP */

enum net_kind {
    NET_ANSWER,                  /* to a request: status (0: none came; NET_UNTRUSTED and the like) and body */
    NET_OPENED,                  /* the socket is open */
    NET_TEXT,                    /* a message */
    NET_CLOSED                   /* the socket is closed, or could not be opened */
};

/* From the thread to the caller, in the order in which things happened. */
struct net_event {
    struct net_event *next;
    enum net_kind kind;
    int id, status;
    char *text;                  /* terminated */
    size_t size;
};

struct net;

/* For http://host[:port] or https://...; a path or fragment after it is not looked at. The cookie ("name=value") may
 * be "". `wake` is called in the thread when there is an event. `trusted` is a file of certificates to trust, NULL:
 * the system's. NULL if the address is invalid, the file has no certificates, or there is no memory. */
struct net *net_create(const char *url, const char *cookie, const char *trusted, void (*wake)(void));
void net_destroy(struct net *net);

/* Whether a file has certificates to trust. */
bool net_can_trust(const char *trusted);

/* Sends a request; the answer arrives as NET_ANSWER with the same id. body NULL: a GET, else a POST of JSON. */
void net_request(struct net *net, int id, const char *path, const char *body);

/* Opens the socket at a path; closes it; sends a message on it. */
void net_open(struct net *net, const char *path);
void net_close(struct net *net);
void net_send(struct net *net, const char *text);

/* The next event, or NULL; free it with net_free. */
struct net_event *net_next(struct net *net);
void net_free(struct net_event *event);

/* The cookie as the server set it last. */
void net_cookie(struct net *net, char *to, size_t size);

#endif
