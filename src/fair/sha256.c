/*
 * sha256.c: SHA-256 and HMAC-SHA-256 (FIPS 180-4, FIPS 198-1); see sha256.h. Our own, since it must run freestanding
 * in wasm, without libsodium; the tests compare it with libsodium. Speed does not matter: a game hashes a few
 * kilobytes.
 */
#include "sha256.h"

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98,
    0x71374491,
    0xb5c0fbcf,
    0xe9b5dba5,
    0x3956c25b,
    0x59f111f1,
    0x923f82a4,
    0xab1c5ed5,
    0xd807aa98,
    0x12835b01,
    0x243185be,
    0x550c7dc3,
    0x72be5d74,
    0x80deb1fe,
    0x9bdc06a7,
    0xc19bf174,
    0xe49b69c1,
    0xefbe4786,
    0x0fc19dc6,
    0x240ca1cc,
    0x2de92c6f,
    0x4a7484aa,
    0x5cb0a9dc,
    0x76f988da,
    0x983e5152,
    0xa831c66d,
    0xb00327c8,
    0xbf597fc7,
    0xc6e00bf3,
    0xd5a79147,
    0x06ca6351,
    0x14292967,
    0x27b70a85,
    0x2e1b2138,
    0x4d2c6dfc,
    0x53380d13,
    0x650a7354,
    0x766a0abb,
    0x81c2c92e,
    0x92722c85,
    0xa2bfe8a1,
    0xa81a664b,
    0xc24b8b70,
    0xc76c51a3,
    0xd192e819,
    0xd6990624,
    0xf40e3585,
    0x106aa070,
    0x19a4c116,
    0x1e376c08,
    0x2748774c,
    0x34b0bcb5,
    0x391c0cb3,
    0x4ed8aa4a,
    0x5b9cca4f,
    0x682e6ff3,
    0x748f82ee,
    0x78a5636f,
    0x84c87814,
    0x8cc70208,
    0x90befffa,
    0xa4506ceb,
    0xbef9a3f7,
    0xc67178f2,
};

/* volatile: the compiler must not remove writes that are never read. */
void wipe(void *data, size_t size)
{
    volatile uint8_t *byte = data;
    while (size--)
        *byte++ = 0;
}

static uint32_t turned(uint32_t word, unsigned by)
{
    return word >> by | word << (32 - by);
}

/* One block of 64 bytes. s[0] to s[7] are a to h of the standard. */
static void mix(struct sha256 *hash)
{
    uint32_t word[64], s[8];
    for (unsigned i = 0; i < 16; i++) {
        const uint8_t *b = hash->block + 4 * i;
        word[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    }
    for (unsigned i = 16; i < 64; i++) {
        uint32_t a = word[i - 15], b = word[i - 2];
        word[i] =
            word[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + word[i - 7] + (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
    for (unsigned i = 0; i < 8; i++)
        s[i] = hash->state[i];
    for (unsigned i = 0; i < 64; i++) {
        uint32_t a = s[7] + (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) +
            constants[i] + word[i];
        uint32_t b =
            (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (unsigned k = 7; k > 0; k--)
            s[k] = s[k - 1];
        s[4] += a;
        s[0] = a + b;
    }
    for (unsigned i = 0; i < 8; i++)
        hash->state[i] += s[i];
    wipe(word, sizeof word);
}

void sha256_begin(struct sha256 *hash)
{
    *hash = (struct sha256){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
                                 0x5be0cd19 } };
}

void sha256_add(struct sha256 *hash, const void *data, size_t size)
{
    const uint8_t *byte = data;
    while (size--) {
        hash->block[hash->size++ % 64] = *byte++;
        if (hash->size % 64 == 0)
            mix(hash);
    }
}

void sha256_end(struct sha256 *hash, uint8_t out[SHA256_BYTES])
{
    static const uint8_t pad[64] = { 0x80 };
    uint8_t length[8];
    for (unsigned i = 0; i < 8; i++)
        length[i] = (uint8_t)(8 * hash->size >> (56 - 8 * i));
    /* A bit 1, then zeros until 8 bytes are left in the block for the length in bits. */
    sha256_add(hash, pad, 1 + (119 - hash->size % 64) % 64);
    sha256_add(hash, length, sizeof length);
    for (unsigned i = 0; i < SHA256_BYTES; i++)
        out[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
    wipe(hash, sizeof *hash);
}

/* The key, padded with zeros to a block and combined with `with`, comes before the data. */
static void add_key(struct sha256 *hash, const uint8_t key[SHA256_BYTES], uint8_t with)
{
    uint8_t block[64];
    for (unsigned i = 0; i < 64; i++)
        block[i] = (i < SHA256_BYTES ? key[i] : 0) ^ with;
    sha256_begin(hash);
    sha256_add(hash, block, sizeof block);
    wipe(block, sizeof block);
}

/* 0x36 and 0x5c are HMAC's inner and outer pads. */
void mac_begin(struct mac *mac, const uint8_t key[SHA256_BYTES])
{
    for (unsigned i = 0; i < SHA256_BYTES; i++)
        mac->key[i] = key[i];
    add_key(&mac->hash, key, 0x36);
}

void mac_add(struct mac *mac, const char *text)
{
    for (; *text; text++)
        sha256_add(&mac->hash, text, 1);
}

void mac_end(struct mac *mac, uint8_t out[SHA256_BYTES])
{
    uint8_t inner[SHA256_BYTES];
    sha256_end(&mac->hash, inner);
    add_key(&mac->hash, mac->key, 0x5c);
    sha256_add(&mac->hash, inner, sizeof inner);
    sha256_end(&mac->hash, out);
    wipe(inner, sizeof inner);
    wipe(mac, sizeof *mac);
}
