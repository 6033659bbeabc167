/* preflight.h (preflight.c): checks of a server's options before it starts, so that messages can name the option and
 * line. */
#ifndef PYR_SERVER_PREFLIGHT_H
#define PYR_SERVER_PREFLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PREFLIGHT_ADDRESS 64         /* an address as text, with its end */

/* Whether a text is a numeric address, IPv4 or IPv6. */
bool preflight_address(const char *text);

/* Splits ADDRESS:PORT, such as 127.0.0.1:9100 or [::1]:9100. */
bool preflight_listener(const char *text, char address[PREFLIGHT_ADDRESS], unsigned *port);

/* Whether a server could listen there now: 0, or errno; and the message for it, with what would work instead. */
int preflight_listen(const char *address, unsigned port);
void preflight_cannot_listen(int why, unsigned port, const char *address, char *error, size_t size);

/* Whether a server could write a file there, which is made if there is none: 0, or errno. */
int preflight_writable(const char *path);

/* Whether a server could listen at a Unix socket there: 0, or errno. A socket that is there already is replaced, or another
 * server's; any other file stays. */
int preflight_socket(const char *path);

/* An origin such as https://example.org. */
#define PREFLIGHT_ORIGIN 96          /* bytes with its end */
bool preflight_origin(const char *text);

/* Checks a certificate with its key. False with a sentence; otherwise *expires is when it ends, in seconds since 1970. */
bool preflight_certificate(const char *certificate, const char *key, int64_t *expires, char *error, size_t size);

#endif
