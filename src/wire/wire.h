/*
 * wire.h: HTTP/1.1, WebSocket and TLS as bytes in, events and bytes out. Nothing in here uses a socket, a loop or a
 * clock, so that tests and fuzzers can run it without a network. The server's edge (server/edge.c) and the terminal
 * client (tui/net.c) put it on sockets.
 *
 *   head.c    heads of requests and answers, read by http-parser
 *   frames.c  WebSocket messages
 *   wire.c    the server's side of a connection: requests one after the other, then perhaps a WebSocket
 *   client.c  the client's side: one request, then its answer or a WebSocket
 *   tls.c     OpenSSL as a filter between both kinds of bytes
 *
 * Only these files include the headers of those libraries.
 */
#ifndef PYR_WIRE_H
#define PYR_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_HEAD 16384          /* the most bytes of a head: request line and headers */
#define WIRE_HEADERS 100         /* the most headers */
#define WIRE_BODY 65536          /* the longest body that is read; a longer one ends the connection */

/* Why a request cannot be read. Everything after it on its connection is ignored. */
enum wire_fault {
    WIRE_GOOD,
    WIRE_MALFORMED,              /* not HTTP/1.0 or 1.1, or a head that can be read in more than one way */
    WIRE_METHOD,                 /* a method that http-parser does not know */
    WIRE_HEAD_TOO_LONG,
    /* Content-Length is malformed or repeated, or Transfer-Encoding is used, which none of our clients needs */
    WIRE_LENGTH,
    WIRE_BODY_TOO_LONG
};

/* head.c: one request's head. Strings live until the request is answered. */
struct wire_head;

struct wire_request {
    enum wire_fault fault;       /* not WIRE_GOOD: the rest may be missing, strings are "" or NULL */
    const char *method;          /* "GET" */
    const char *path;            /* decoded; NULL if it cannot be, or contains a NUL byte */
    const char *query;           /* after the '?', as received; "" none */
    const char *host;            /* from the target (http://HOST/) or else the header; NULL: none */
    uint32_t body;               /* bytes that follow */
    bool keep_alive;             /* the connection may be used again */
    bool is_old;                 /* HTTP/1.0 */
    bool wants_continue;         /* Expect: 100-continue */
    bool wants_socket;           /* Upgrade: websocket. Other upgrades, h2c among them, are ignored */
    const char *socket_key;      /* NULL: not a handshake of version 13 that can be answered */
    const struct wire_head *head;
};

/* The value of the header with that name (in lower case), the index-th if there are several; NULL: there is none. */
const char *wire_header(const struct wire_request *request, const char *name, unsigned index);

struct wire_head *wire_head_create(void);                /* NULL without memory */
void wire_head_destroy(struct wire_head *head);
/* Reads bytes up to the end of the head; *done once it is complete or found wrong (request->fault). Returns how many
 * bytes it has read. */
size_t wire_head_read(struct wire_head *head, const char *bytes, size_t size, bool *done);
void wire_head_request(struct wire_head *head, struct wire_request *request);    /* once it is done */

/* The same for the head of an answer. */
struct wire_answer {
    enum wire_fault fault;       /* not WIRE_GOOD: the rest is not set */
    unsigned status;             /* 200 */
    bool is_chunked, has_length; /* how its body ends; neither: when the connection is closed */
    uint64_t length;
    bool is_upgrade;             /* 101 to a WebSocket, with that key */
    const char *accept_key;
    const char *protocol;        /* of the WebSocket; NULL: none was chosen */
    const struct wire_head *head;
};

struct wire_head *wire_head_create_answer(void);         /* NULL without memory */
void wire_head_answer(struct wire_head *head, struct wire_answer *answer);       /* once it is done */
const char *wire_answer_header(const struct wire_answer *answer, const char *name, unsigned index);  /* as wire_header */

/* The answer to Sec-WebSocket-Key: 28 letters and the end. */
void wire_accept_key(const char *key, char answer[29]);

/* frames.c: the frames of one WebSocket. It allocates memory only while a frame is being read. */
struct wire_frames;
struct wire_pool;                /* what the WebSockets of a thread share */

struct wire_pool *wire_pool_create(bool is_server, size_t longest);  /* longest: bytes of a message that is received */
void wire_pool_destroy(struct wire_pool *pool);

/* wire.c: a connection as the server sees it. */
enum wire_state {
    WIRE_IDLE,                   /* between requests */
    WIRE_READING_HEAD,
    WIRE_READING_BODY,
    WIRE_ANSWERING,              /* nothing is read until wire_answered */
    WIRE_SOCKET,
    WIRE_OVER                    /* nothing more is read: the last answer was sent, or the WebSocket is closed */
};

struct wire;
struct wire_events {
    void (*request)(void *owner, const struct wire_request *request);    /* the head is complete */
    void (*body)(void *owner, const char *bytes, size_t size);           /* a part of its body */
    /* the body is complete: answer, now or later. Not called after a fault */
    void (*complete)(void *owner);
    void (*message)(void *owner, const char *text, size_t size);         /* of a WebSocket: UTF-8, not ended by NUL */
    /* the WebSocket is closed with that code; the frame has been written */
    void (*closing)(void *owner, unsigned code);
    void (*write)(void *owner, const void *bytes, size_t size);          /* bytes to send */
};

struct wire {
    const struct wire_events *events;
    void *owner;
    struct wire_pool *pool;
    struct wire_head *head;      /* while a request is read and answered */
    struct wire_frames *frames;  /* while a frame is under way */
    struct wire_client *client;  /* of a client: what it has asked for; NULL on the server's side */
    uint8_t state;               /* enum wire_state */
    bool paused, keep_alive;
    uint32_t body_left;
};

/* Requires zeroed memory; the strings and structures stay the caller's. */
void wire_init(struct wire *wire, const struct wire_events *events, void *owner, struct wire_pool *pool);
void wire_finish(struct wire *wire);

/* Reads bytes and reports their events; returns how many it has read. Offer the rest again after the answer, or after a
 * pause. */
size_t wire_read(struct wire *wire, const char *bytes, size_t size);
bool wire_takes(const struct wire *wire);                /* whether wire_read would take a byte now */

/* The answer to the request has been written: the next one may be read, or (`again` is false, or the connection is not
 * kept alive) no more. */
void wire_answered(struct wire *wire, bool again);

/* Writes 101 with the headers given (whole lines) and turns the connection into a WebSocket. */
void wire_upgrade(struct wire *wire, const struct wire_request *request, const char *headers);

/* Writes a message, a ping, or the last frame of a WebSocket. */
void wire_send(struct wire *wire, const char *text, size_t size);
void wire_ping(struct wire *wire);
void wire_close(struct wire *wire, unsigned code);

/* Stops reporting messages and reading bytes, and resumes. */
void wire_pause(struct wire *wire);
void wire_resume(struct wire *wire);

/* client.c: a connection as a client sees it: wire_init, wire_ask once, then wire_read as above. */
struct wire_client_events {      /* in place of `request`; the others are those of wire_init */
    void (*answer)(void *owner, const struct wire_answer *answer);       /* its head is complete, or cannot be read */
    void (*opened)(void *owner);                                         /* the WebSocket is */
};

struct wire_asking {
    const struct wire_client_events *events;
    const char *host;            /* and port, for the header */
    const char *path;            /* with its query; of visible ASCII characters */
    const char *headers;         /* more of them, as whole lines */
    const char *body;            /* of a POST, JSON; NULL: a GET */
    size_t body_size;
    const char *protocol;        /* not NULL: the request is for a WebSocket with this subprotocol */
};

/* Writes the request. False without memory, or if the path cannot be sent. */
bool wire_ask(struct wire *wire, const struct wire_asking *asking);

/* The other end has closed the connection: this ends an answer whose body has no other end (`complete`). */
void wire_ended(struct wire *wire);

/* client.c, for wire.c. */
size_t wire_client_read(struct wire *wire, const char *bytes, size_t size);
void wire_client_drop(struct wire *wire);

/* frames.c, for wire.c. */
size_t wire_frames_read(struct wire *wire, const char *bytes, size_t size);  /* how many were taken */
void wire_frames_drop(struct wire *wire);
void wire_frame_write(struct wire *wire, unsigned opcode, const void *bytes, size_t size);
enum { WIRE_TEXT = 1, WIRE_CLOSE = 8, WIRE_PING = 9 };

/* tls.c */
struct wire_tls_context;
struct wire_tls;

/* TLS 1.2 and 1.3, ciphers with authenticated encryption only, http/1.1. NULL: certificate or key cannot be read, or do
 * not match. */
struct wire_tls_context *wire_tls_server(const char *certificate_file, const char *key_file);
/* A client's: it trusts the certificates in a file, or (NULL) the system's. NULL: the file has none. */
struct wire_tls_context *wire_tls_client(const char *trusted_file);
void wire_tls_context_destroy(struct wire_tls_context *context);
/* Certificate and key of `fresh`, which is used up, for connections from now on; those that exist are not changed. */
void wire_tls_renew(struct wire_tls_context *context, struct wire_tls_context *fresh);

struct wire_tls *wire_tls_create(struct wire_tls_context *context);      /* NULL without memory */
/* A client's, to a server that must present a certificate for that host (a name or an address). It has bytes to be sent
 * at once. Data written before the handshake is over is buffered. */
struct wire_tls *wire_tls_connect(struct wire_tls_context *context, const char *host);
bool wire_tls_is_open(const struct wire_tls *tls);                       /* the handshake is over */
bool wire_tls_is_untrusted(const struct wire_tls *tls);                  /* the handshake failed because of the
                                                                            certificate */
void wire_tls_destroy(struct wire_tls *tls);

/* encrypted bytes that were received; false without memory */
bool wire_tls_receive(struct wire_tls *tls, const void *bytes, size_t size);
enum { WIRE_TLS_NOTHING = 0, WIRE_TLS_END = -1, WIRE_TLS_BROKEN = -2 };
long wire_tls_read(struct wire_tls *tls, void *to, size_t room);         /* decrypted bytes: how many, or one of these */
bool wire_tls_write(struct wire_tls *tls, const void *bytes, size_t size);       /* encrypts; false: broken */
void wire_tls_goodbye(struct wire_tls *tls);                             /* close_notify */
const void *wire_tls_pending(const struct wire_tls *tls, size_t *size);  /* encrypted bytes to be sent */
void wire_tls_sent(struct wire_tls *tls, size_t size);                   /* how many of them are */

#endif
