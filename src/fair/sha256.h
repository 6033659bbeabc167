/*
 * sha256.h (sha256.c): SHA-256 and HMAC-SHA256 (FIPS 180-4, RFC 2104), freestanding, so that a browser checks a
 * shuffle with the same code as the command line. Secrets are drawn with libsodium (draw.c), by the host only.
 */
#ifndef PYR_SHA256_H
#define PYR_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

struct sha256 {
    uint32_t state[8];
    uint64_t size;               /* bytes so far */
    uint8_t block[64];
};

void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *data, size_t size);
void sha256_end(struct sha256 *hash, uint8_t out[SHA256_BYTES]);         /* and wipes it */

/* HMAC with a key of 32 bytes. */
struct mac {
    struct sha256 hash;
    uint8_t key[SHA256_BYTES];
};

void mac_begin(struct mac *mac, const uint8_t key[SHA256_BYTES]);
void mac_add(struct mac *mac, const char *text);
void mac_end(struct mac *mac, uint8_t out[SHA256_BYTES]);                /* and wipes it */

/* Zeroes memory that must not stay readable; compilers do not optimise it away. */
void wipe(void *data, size_t size);

#endif
