/*
 * webpush.h (webpush.c): Web Push without a network: messages encrypted for a browser (RFC 8291, based on RFC 8188), the
 * header by which a push service recognises a server (RFC 8292), and addresses of push services taken apart. Bytes in,
 * bytes out.
 */
#ifndef PYR_WEBPUSH_H
#define PYR_WEBPUSH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PUSH_PRIVATE 32          /* bytes of a private key on P-256 */
#define PUSH_PUBLIC 65           /* of a public one, uncompressed */
#define PUSH_AUTH 16             /* of the secret that a browser shares with its servers */
#define PUSH_SALT 16
#define PUSH_HEAD (PUSH_SALT + 5)            /* before the key's id */
#define PUSH_TAG 16
#define PUSH_MOST 3993           /* bytes of a text: push services take bodies of 4096 (RFC 8030, section 7.2) */
#define PUSH_ENDPOINT 1025       /* an endpoint with its end */
#define PUSH_HOST_SIZE 254            /* a host's name with its end */

/* base64url without padding (RFC 7515). Writing needs push_letters(size) + 1 bytes; reading returns the number of
 * bytes, or -1 if the text is not base64url, or does not fit. */
#define push_letters(size) (((size) * 4 + 2) / 3)
void push_write_base64(const void *bytes, size_t size, char *to);
long push_read_base64(const char *text, uint8_t *to, size_t room);

/* A pair of keys on P-256: new, or the public half of a private one. False without memory or random numbers, or if it
 * is not a private key. */
bool push_key_new(uint8_t private_key[PUSH_PRIVATE], uint8_t public_key[PUSH_PUBLIC]);
bool push_key_public(const uint8_t private_key[PUSH_PRIVATE], uint8_t public_key[PUSH_PUBLIC]);
/* Whether the key is a point on the curve. */
bool push_key_is_public(const uint8_t public_key[PUSH_PUBLIC]);

/*
 * RFC 8188 with one record: head, key id, then text and `padding` zeros, encrypted. `to` has room for
 * PUSH_HEAD + id_size + text_size + 1 + padding + PUSH_TAG. The size of it all, 0 on failure.
 */
struct push_record {
    const uint8_t *salt;         /* PUSH_SALT bytes */
    const uint8_t *key;          /* the input keying material */
    size_t key_size;
    const uint8_t *id;           /* at most 255 bytes */
    size_t id_size;
    uint32_t record_size;        /* larger than what is encrypted */
    const void *text;
    size_t text_size, padding;
};
size_t push_seal(const struct push_record *record, uint8_t *to, size_t room);

/*
 * RFC 8291: a text for the browser with this key and secret, padded with zeros to `padded` bytes. Keys and salt are new
 * for every message; `fixed` (may be NULL) has those of a test. The size of the body, 0 on failure.
 */
struct push_fixed {
    const uint8_t *private_key, *salt;
};
size_t push_encrypt(const uint8_t public_key[PUSH_PUBLIC], const uint8_t auth[PUSH_AUTH], const void *text, size_t size,
    size_t padded, const struct push_fixed *fixed, uint8_t *to, size_t room);

/*
 * RFC 8292: the value of the header Authorization, "vapid t=TOKEN, k=KEY". audience: the origin of the push service;
 * subject: where its operator can reach ours, a mailto: or https: address, "" none; expires: seconds since 1970, at most a
 * day from now. False without memory, or if it does not fit.
 */
bool push_authorize(const uint8_t private_key[PUSH_PRIVATE], const char *audience, const char *subject, int64_t expires,
    char *to, size_t room);

/*
 * Splits an endpoint, as a browser gives it and a stranger may forge it: https, a host in lower case, perhaps a port,
 * then a path. No user, no fragment, only visible ASCII. False if it is anything else.
 */
struct push_endpoint {
    char host[PUSH_HOST_SIZE];
    unsigned port;
    char origin[PUSH_HOST_SIZE + 16]; /* https://HOST, or with :PORT unless that is 443 */
};
bool push_endpoint_read(const char *text, struct push_endpoint *endpoint);

/* Whether an entry of a list of hosts covers this one: "HOST" or "HOST:PORT" (443 if there is none); ".HOST" covers
 * every name that ends with it. And whether a word can be such an entry. */
bool push_host_covers(const char *entry, const struct push_endpoint *endpoint);
bool push_host_is_entry(const char *entry);

/* Whether an IP address (4 or 16 bytes) is publicly reachable: not of this machine, of a private network, shared,
 * link-local, multicast or reserved, in any of the ways to write an IPv4 address as IPv6. */
bool push_address_is_public(const uint8_t *address, size_t size);

#endif
