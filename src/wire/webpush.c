/*
 * webpush.c: see webpush.h. In the order of this file: keys, one encrypted record (RFC 8188), the key of a message from a
 * browser's key and ours (RFC 8291), the signed token that names the sender (RFC 8292), and addresses of push services.
 *
 *  1. Keys are made and used by OpenSSL. Nothing is stored between calls, and secrets are wiped.
 *  2. A message is a single record, encrypted with a key that follows from a key pair and a salt made for this message, so
 *     no nonce is ever used twice. Only test vectors set their own (struct push_fixed).
 *  3. Zeros up to `padded`, the same for all messages of the caller, hide the length of a text.
 *  4. Addresses come from browsers and are not trusted: only https, a plain host and a port are accepted
 *     (push_endpoint_read); and before a connection is made, the address that the name leads to must be public
 *     (push_address_is_public), so that the server cannot be used to reach its own network.
 */
#include <stdio.h>
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/rand.h>

#include "webpush.h"

#define HASH 32                  /* bytes of SHA-256 */

/* base64url. */

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void push_write_base64(const void *bytes, size_t size, char *to)
{
    const uint8_t *at = bytes;
    uint32_t bits = 0;
    unsigned count = 0;
    for (size_t i = 0; i < size; i++) {
        bits = bits << 8 | at[i];
        for (count += 8; count >= 6; count -= 6)
            *to++ = letters[bits >> (count - 6) & 63];
    }
    if (count)
        *to++ = letters[bits << (6 - count) & 63];
    *to = '\0';
}

/* Unused bits must be zero, so that each value has only one text. */
long push_read_base64(const char *text, uint8_t *to, size_t room)
{
    uint32_t bits = 0;
    unsigned count = 0;
    size_t size = 0;
    for (; *text; text++) {
        const char *letter = memchr(letters, *text, sizeof letters - 1);
        if (!letter)
            return -1;
        bits = bits << 6 | (uint32_t)(letter - letters);
        count += 6;
        if (count < 8)
            continue;
        count -= 8;
        if (size == room)
            return -1;
        to[size++] = (uint8_t)(bits >> count);
    }
    return count >= 6 || bits & ((1u << count) - 1) ? -1 : (long)size;
}

/* Keys. */

/* P-256, the only curve of Web Push. */
static EC_GROUP *curve(void)
{
    return EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
}

bool push_key_public(const uint8_t private_key[PUSH_PRIVATE], uint8_t public_key[PUSH_PUBLIC])
{
    EC_GROUP *group = curve();
    EC_POINT *point = group ? EC_POINT_new(group) : NULL;
    BIGNUM *number = BN_bin2bn(private_key, PUSH_PRIVATE, NULL);
    bool good = point && number && !BN_is_zero(number) && BN_cmp(number, EC_GROUP_get0_order(group)) < 0 &&
        EC_POINT_mul(group, point, number, NULL, NULL, NULL) &&
        EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, public_key, PUSH_PUBLIC, NULL) == PUSH_PUBLIC;
    BN_clear_free(number);
    EC_POINT_free(point);
    EC_GROUP_free(group);
    return good;
}

/* If the number is not a valid private key (one in 2^32), another one is drawn. */
bool push_key_new(uint8_t private_key[PUSH_PRIVATE], uint8_t public_key[PUSH_PUBLIC])
{
    for (unsigned tries = 0; tries < 8; tries++)
        if (RAND_priv_bytes(private_key, PUSH_PRIVATE) == 1 && push_key_public(private_key, public_key))
            return true;
    return false;
}

bool push_key_is_public(const uint8_t public_key[PUSH_PUBLIC])
{
    EC_GROUP *group = curve();
    EC_POINT *point = group ? EC_POINT_new(group) : NULL;
    bool good = point && public_key[0] == 4 && EC_POINT_oct2point(group, point, public_key, PUSH_PUBLIC, NULL) == 1;
    EC_POINT_free(point);
    EC_GROUP_free(group);
    return good;
}

/* A key for OpenSSL; private_key NULL: a public one. */
static EVP_PKEY *load_key(const uint8_t *private_key, const uint8_t public_key[PUSH_PUBLIC])
{
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    BIGNUM *number = private_key ? BN_secure_new() : NULL;
    OSSL_PARAM *params = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    EVP_PKEY *key = NULL;
    bool good = build && context && OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) &&
        OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, public_key, PUSH_PUBLIC);
    if (good && private_key)
        good = number && BN_bin2bn(private_key, PUSH_PRIVATE, number) &&
            OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_PRIV_KEY, number);
    if (good && (params = OSSL_PARAM_BLD_to_param(build)) && EVP_PKEY_fromdata_init(context) == 1 &&
        EVP_PKEY_fromdata(context, &key, private_key ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, params) != 1)
        key = NULL;
    OSSL_PARAM_free(params);
    BN_clear_free(number);
    OSSL_PARAM_BLD_free(build);
    EVP_PKEY_CTX_free(context);
    return key;
}

/* The shared secret of two keys (ECDH). */
static bool agree(EVP_PKEY *own, EVP_PKEY *other, uint8_t secret[HASH])
{
    size_t size = HASH;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(own, NULL);
    bool good = context && EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer(context, other) == 1 &&
        EVP_PKEY_derive(context, secret, &size) == 1 && size == HASH;
    EVP_PKEY_CTX_free(context);
    return good;
}

/* RFC 8188. */

static bool hmac(const uint8_t *key, size_t key_size, const uint8_t *text, size_t size, uint8_t to[HASH])
{
    unsigned length = HASH;
    return HMAC(EVP_sha256(), key, (int)key_size, text, size, to, &length) != NULL;
}

/* HKDF (RFC 5869) for at most one block: extract, then expand with `info`, to which the block's number is added here. */
static bool derive(const uint8_t *salt, size_t salt_size, const uint8_t *key, size_t key_size, const void *info,
    size_t info_size, uint8_t to[HASH])
{
    uint8_t middle[HASH], text[192];
    if (info_size >= sizeof text)
        return false;
    memcpy(text, info, info_size);
    text[info_size] = 1;
    bool good = hmac(salt, salt_size, key, key_size, middle) && hmac(middle, HASH, text, info_size + 1, to);
    OPENSSL_cleanse(middle, sizeof middle);
    return good;
}

/* The text, the delimiter of the last record, and zeros; then the tag. */
static bool encrypt_record(const struct push_record *record, const uint8_t key[16], const uint8_t nonce[12], uint8_t *to)
{
    static const uint8_t zeros[256];
    const uint8_t last = 2;
    size_t left = record->padding;
    int length = 0, more = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    bool good = context && EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), NULL, key, nonce) == 1 &&
        EVP_EncryptUpdate(context, to, &length, record->text, (int)record->text_size) == 1 &&
        EVP_EncryptUpdate(context, to + length, &more, &last, 1) == 1;
    for (length += more; good && left; length += more) {
        size_t part = left < sizeof zeros ? left : sizeof zeros;
        good = EVP_EncryptUpdate(context, to + length, &more, zeros, (int)part) == 1;
        left -= part;
    }
    good = good && EVP_EncryptFinal_ex(context, to + length, &more) == 1 &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, PUSH_TAG, to + length + more) == 1;
    EVP_CIPHER_CTX_free(context);
    return good;
}

size_t push_seal(const struct push_record *record, uint8_t *to, size_t room)
{
    static const char key_info[] = "Content-Encoding: aes128gcm", nonce_info[] = "Content-Encoding: nonce";
    uint8_t key[HASH], nonce[HASH];
    size_t sealed = record->text_size + 1 + record->padding + PUSH_TAG, size = PUSH_HEAD + record->id_size + sealed;
    if (record->id_size > 255 || record->text_size > PUSH_MOST || record->padding > PUSH_MOST || size > room ||
        sealed > record->record_size)
        return 0;
    memcpy(to, record->salt, PUSH_SALT);
    for (unsigned i = 0; i < 4; i++)
        to[PUSH_SALT + i] = (uint8_t)(record->record_size >> (24 - 8 * i));
    to[PUSH_HEAD - 1] = (uint8_t)record->id_size;
    if (record->id_size)
        memcpy(to + PUSH_HEAD, record->id, record->id_size);
    /* Both infos end with a zero byte, which is the string's own. */
    bool good = derive(record->salt, PUSH_SALT, record->key, record->key_size, key_info, sizeof key_info, key) &&
        derive(record->salt, PUSH_SALT, record->key, record->key_size, nonce_info, sizeof nonce_info, nonce) &&
        encrypt_record(record, key, nonce, to + PUSH_HEAD + record->id_size);
    OPENSSL_cleanse(key, sizeof key);
    OPENSSL_cleanse(nonce, sizeof nonce);
    return good ? size : 0;
}

/* RFC 8291. */

/* Section 3.4: both public keys are input to the keys of the message. */
static bool find_key(const uint8_t *own_private, const uint8_t *own, const uint8_t *theirs, const uint8_t *auth,
    uint8_t to[HASH])
{
    static const char label[] = "WebPush: info";
    uint8_t secret[HASH], info[sizeof label + 2 * PUSH_PUBLIC];
    EVP_PKEY *one = load_key(own_private, own), *other = load_key(NULL, theirs);
    memcpy(info, label, sizeof label);
    memcpy(info + sizeof label, theirs, PUSH_PUBLIC);
    memcpy(info + sizeof label + PUSH_PUBLIC, own, PUSH_PUBLIC);
    bool good = one && other && agree(one, other, secret) &&
        derive(auth, PUSH_AUTH, secret, HASH, info, sizeof info, to);
    OPENSSL_cleanse(secret, sizeof secret);
    EVP_PKEY_free(one);
    EVP_PKEY_free(other);
    return good;
}

size_t push_encrypt(const uint8_t public_key[PUSH_PUBLIC], const uint8_t auth[PUSH_AUTH], const void *text, size_t size,
    size_t padded, const struct push_fixed *fixed, uint8_t *to, size_t room)
{
    uint8_t own_private[PUSH_PRIVATE], own[PUSH_PUBLIC], salt[PUSH_SALT], key[HASH];
    bool good = size <= PUSH_MOST && padded <= PUSH_MOST;
    if (good && fixed) {
        memcpy(own_private, fixed->private_key, sizeof own_private);
        memcpy(salt, fixed->salt, sizeof salt);
        good = push_key_public(own_private, own);
    } else if (good) {
        good = push_key_new(own_private, own) && RAND_bytes(salt, sizeof salt) == 1;
    }
    good = good && push_key_is_public(public_key) && find_key(own_private, own, public_key, auth, key);
    const struct push_record record = { .salt = salt, .key = key, .key_size = HASH, .id = own, .id_size = PUSH_PUBLIC,
        .record_size = 4096, .text = text, .text_size = size, .padding = padded > size ? padded - size : 0 };
    size_t made = good ? push_seal(&record, to, room) : 0;
    OPENSSL_cleanse(own_private, sizeof own_private);
    OPENSSL_cleanse(key, sizeof key);
    return made;
}

/* RFC 8292. */

/* ES256 (RFC 7518): the two numbers of the signature, instead of OpenSSL's DER. */
static bool sign(EVP_PKEY *key, const char *text, size_t size, uint8_t to[64])
{
    uint8_t der[80];
    const uint8_t *at = der;
    size_t length = sizeof der;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = context && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
        EVP_DigestSign(context, der, &length, (const uint8_t *)text, size) == 1;
    ECDSA_SIG *signature = good ? d2i_ECDSA_SIG(NULL, &at, (long)length) : NULL;
    good = signature && BN_bn2binpad(ECDSA_SIG_get0_r(signature), to, 32) == 32 &&
        BN_bn2binpad(ECDSA_SIG_get0_s(signature), to + 32, 32) == 32;
    ECDSA_SIG_free(signature);
    EVP_MD_CTX_free(context);
    return good;
}

/* Whether a text needs no escaping in a JSON string. */
static bool is_plain(const char *text)
{
    for (; *text; text++)
        if (*text <= ' ' || *text > '~' || *text == '"' || *text == '\\')
            return false;
    return true;
}

bool push_authorize(const uint8_t private_key[PUSH_PRIVATE], const char *audience, const char *subject, int64_t expires,
    char *to, size_t room)
{
    static const char head[] = "{\"typ\":\"JWT\",\"alg\":\"ES256\"}";
    char claims[800], text[1200], signed_text[push_letters(64) + 1], key_text[push_letters(PUSH_PUBLIC) + 1];
    uint8_t public_key[PUSH_PUBLIC], signature[64];
    if (!is_plain(audience) || !is_plain(subject) || !push_key_public(private_key, public_key))
        return false;
    int length = snprintf(claims, sizeof claims, "{\"aud\":\"%s\",\"exp\":%lld%s%s%s}", audience, (long long)expires,
        subject[0] ? ",\"sub\":\"" : "", subject, subject[0] ? "\"" : "");
    if (length < 0 || (size_t)length >= sizeof claims ||
        push_letters(sizeof head - 1) + 1 + push_letters((size_t)length) >= sizeof text)
        return false;
    push_write_base64(head, sizeof head - 1, text);
    size_t at = strlen(text);
    text[at++] = '.';
    push_write_base64(claims, (size_t)length, text + at);
    EVP_PKEY *key = load_key(private_key, public_key);
    bool good = key && sign(key, text, strlen(text), signature);
    EVP_PKEY_free(key);
    if (!good)
        return false;
    push_write_base64(signature, sizeof signature, signed_text);
    push_write_base64(public_key, sizeof public_key, key_text);
    length = snprintf(to, room, "vapid t=%s.%s, k=%s", text, signed_text, key_text);
    return length > 0 && (size_t)length < room;
}

/* Addresses. */

static bool is_host_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

/* The length of a name, or an IPv4 address, at the beginning of a text; 0: none. */
static size_t host_length(const char *text)
{
    size_t length = 0;
    while (is_host_letter(text[length]))
        length++;
    bool is_good = length && length < PUSH_HOST_SIZE && text[0] != '.' && text[0] != '-' && text[length - 1] != '.';
    for (size_t i = 1; i < length && is_good; i++)
        is_good = !(text[i] == '.' && text[i - 1] == '.');
    return is_good ? length : 0;
}

/* ":PORT" at the beginning of a text: its length, 0 if there is none; *port is 443 then. -1: it is wrong. */
static int port_length(const char *text, unsigned *port)
{
    int length = 1;
    *port = 443;
    if (*text != ':')
        return 0;
    for (*port = 0; text[length] >= '0' && text[length] <= '9' && length < 6; length++)
        *port = *port * 10 + (unsigned)(text[length] - '0');
    return length > 1 && text[1] != '0' && *port <= 65535 ? length : -1;
}

bool push_endpoint_read(const char *text, struct push_endpoint *endpoint)
{
    static const char scheme[] = "https://";
    size_t size = strlen(text);
    if (size >= PUSH_ENDPOINT || strncmp(text, scheme, sizeof scheme - 1))
        return false;
    const char *at = text + sizeof scheme - 1;
    size_t length = host_length(at);
    int more = length ? port_length(at + length, &endpoint->port) : -1;
    if (more < 0 || at[length + (size_t)more] != '/')
        return false;
    for (const char *c = at + length; *c; c++)
        if (*c <= ' ' || *c > '~' || strchr("#\\\"<>^`{|}", *c))
            return false;
    memcpy(endpoint->host, at, length);
    endpoint->host[length] = '\0';
    if (endpoint->port == 443)
        snprintf(endpoint->origin, sizeof endpoint->origin, "https://%s", endpoint->host);
    else
        snprintf(endpoint->origin, sizeof endpoint->origin, "https://%s:%u", endpoint->host, endpoint->port);
    return true;
}

bool push_host_is_entry(const char *entry)
{
    unsigned port;
    entry += *entry == '.';
    size_t length = host_length(entry);
    int more = length ? port_length(entry + length, &port) : -1;
    return more >= 0 && !entry[length + (size_t)more];
}

bool push_host_covers(const char *entry, const struct push_endpoint *endpoint)
{
    unsigned port;
    bool is_suffix = *entry == '.';
    size_t length = strcspn(entry, ":"), size = strlen(endpoint->host);
    if (port_length(entry + length, &port) < 0 || port != endpoint->port)
        return false;
    if (!is_suffix)
        return length == size && !memcmp(entry, endpoint->host, size);
    return size > length && !memcmp(entry, endpoint->host + size - length, length);
}

/* All but the special networks of RFC 6890, and multicast and above (224.0.0.0/3). */
static bool is_public_4(const uint8_t *a)
{
    static const struct { uint8_t at[4]; unsigned bits; } others[] = {
        { { 0 }, 8 }, { { 10 }, 8 }, { { 100, 64 }, 10 }, { { 127 }, 8 }, { { 169, 254 }, 16 }, { { 172, 16 }, 12 },
        { { 192, 0, 0 }, 24 }, { { 192, 0, 2 }, 24 }, { { 192, 88, 99 }, 24 }, { { 192, 168 }, 16 }, { { 198, 18 }, 15 },
        { { 198, 51, 100 }, 24 }, { { 203, 0, 113 }, 24 }, { { 224 }, 3 } };
    uint32_t whole = (uint32_t)a[0] << 24 | (uint32_t)a[1] << 16 | (uint32_t)a[2] << 8 | a[3];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const uint8_t *o = others[i].at;
        uint32_t net = (uint32_t)o[0] << 24 | (uint32_t)o[1] << 16 | (uint32_t)o[2] << 8 | o[3];
        if (!((whole ^ net) >> (32 - others[i].bits)))
            return false;
    }
    return true;
}

/* Of IPv6 only global unicast (2000::/3) is public, without documentation, and without tunnels and translations, which
 * lead to an IPv4 address. */
bool push_address_is_public(const uint8_t *address, size_t size)
{
    if (size == 4)
        return is_public_4(address);
    bool is_teredo = address[0] == 0x20 && address[1] == 0x01 && address[2] < 2;         /* 2001::/23 */
    bool is_example = address[0] == 0x20 && address[1] == 0x01 && address[2] == 0x0d && address[3] == 0xb8;
    bool is_6to4 = address[0] == 0x20 && address[1] == 0x02;
    return size == 16 && address[0] >> 5 == 1 && !is_teredo && !is_example && !is_6to4;
}
