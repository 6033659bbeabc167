/*
 * tls.c: OpenSSL as a filter. It reads and writes through our own BIO, whose two buffers exist only while they contain
 * something: OpenSSL's memory BIO would keep the size of the largest record so far, for every connection.
 *
 * Ownership: a wire_tls owns its SSL and buffers; the caller moves bytes between it and the socket (wire_tls_receive,
 * wire_tls_pending, wire_tls_sent). It uses no sockets, and no call blocks. OpenSSL keeps errors in a queue per
 * thread: it is emptied before and after each call, so that one connection's error is never taken for another's.
 */
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

#include "wire.h"

#define MOST_KEPT (1 << 20)      /* far more than a caller may leave unsent */

struct wire_tls_context {
    SSL_CTX *ssl;
    BIO_METHOD *method;
};

struct buffer {
    char *bytes;
    size_t at, size;             /* what is left of it */
};

struct wire_tls {
    SSL *ssl;
    struct buffer in, out;
    struct buffer early;         /* written before the handshake was over, not encrypted yet */
    bool broken;
};

/* Data that was read is dropped while appending, so the buffer does not grow with the traffic. */
static bool append(struct buffer *buffer, const void *bytes, size_t size)
{
    size_t left = buffer->size - buffer->at;
    if (!size)
        return true;
    if (left + size > MOST_KEPT)
        return false;
    if (buffer->at && left)
        memmove(buffer->bytes, buffer->bytes + buffer->at, left);
    char *larger = realloc(buffer->bytes, left + size);
    if (!larger)
        return false;
    memcpy(larger + left, bytes, size);
    *buffer = (struct buffer){ larger, 0, left + size };
    return true;
}

static void take(struct buffer *buffer, size_t size)
{
    buffer->at += size;
    if (buffer->at < buffer->size)
        return;
    free(buffer->bytes);
    *buffer = (struct buffer){ 0 };
}

/* The buffer is empty: "retry" makes OpenSSL report WANT_READ instead of an error. */
static int bio_read(BIO *bio, char *to, int room)
{
    struct wire_tls *tls = BIO_get_data(bio);
    size_t left = tls->in.size - tls->in.at, size = room < 0 ? 0 : left < (size_t)room ? left : (size_t)room;
    BIO_clear_retry_flags(bio);
    if (!size) {
        BIO_set_retry_read(bio);
        return -1;
    }
    memcpy(to, tls->in.bytes + tls->in.at, size);
    take(&tls->in, size);
    return (int)size;
}

static int bio_write(BIO *bio, const char *bytes, int size)
{
    struct wire_tls *tls = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    return size > 0 && append(&tls->out, bytes, (size_t)size) ? size : -1;
}

/* OpenSSL requests a flush after each record; there is nothing to do, but it expects a 1. */
static long bio_control(BIO *bio, int command, long number, void *pointer)
{
    (void)bio;
    (void)number;
    (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

/* Of the protocols that a client offers, we accept only http/1.1; a client that offers none may still try. */
static int pick_protocol(SSL *ssl, const unsigned char **out, unsigned char *length, const unsigned char *in, unsigned size,
    void *context)
{
    static const unsigned char ours[] = "\x08http/1.1";
    (void)ssl;
    (void)context;
    unsigned char *found;
    if (SSL_select_next_proto(&found, length, ours, sizeof ours - 1, in, size) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_NOACK;
    *out = found;
    return SSL_TLSEXT_ERR_OK;
}

/* The settings that both sides share. */
static struct wire_tls_context *create_context(const SSL_METHOD *side)
{
    struct wire_tls_context *context = calloc(1, sizeof *context);
    if (!context)
        return NULL;
    context->ssl = SSL_CTX_new(side);
    context->method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "pyramids");
    if (context->ssl && context->method && BIO_meth_set_read(context->method, bio_read) &&
        BIO_meth_set_write(context->method, bio_write) && BIO_meth_set_ctrl(context->method, bio_control) &&
        SSL_CTX_set_min_proto_version(context->ssl, TLS1_2_VERSION) &&
        SSL_CTX_set_cipher_list(context->ssl, "ECDHE+AESGCM:ECDHE+CHACHA20"))
        return context;
    ERR_clear_error();
    wire_tls_context_destroy(context);
    return NULL;
}

struct wire_tls_context *wire_tls_server(const char *certificate_file, const char *key_file)
{
    struct wire_tls_context *context = create_context(TLS_server_method());
    if (!context)
        return NULL;
    if (SSL_CTX_use_certificate_chain_file(context->ssl, certificate_file) != 1 ||
        SSL_CTX_use_PrivateKey_file(context->ssl, key_file, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(context->ssl) != 1) {
        ERR_clear_error();
        wire_tls_context_destroy(context);
        return NULL;
    }
    SSL_CTX_set_options(context->ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
        SSL_OP_PRIORITIZE_CHACHA);
    SSL_CTX_set_mode(context->ssl, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context->ssl, SSL_SESS_CACHE_OFF);        /* tickets are used instead, which need no
                                                                                memory */
    SSL_CTX_set_alpn_select_cb(context->ssl, pick_protocol, NULL);
    return context;
}

struct wire_tls_context *wire_tls_client(const char *trusted_file)
{
    static const unsigned char protocol[] = "\x08http/1.1";
    struct wire_tls_context *context = create_context(TLS_client_method());
    if (!context)
        return NULL;
    if (SSL_CTX_set_alpn_protos(context->ssl, protocol, sizeof protocol - 1) ||
        (trusted_file ? SSL_CTX_load_verify_file(context->ssl, trusted_file) :
            SSL_CTX_set_default_verify_paths(context->ssl)) != 1) {
        ERR_clear_error();
        wire_tls_context_destroy(context);
        return NULL;
    }
    SSL_CTX_set_verify(context->ssl, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_options(context->ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    return context;
}

void wire_tls_renew(struct wire_tls_context *context, struct wire_tls_context *fresh)
{
    SSL_CTX *old = context->ssl;             /* freed with the last connection that uses it */
    context->ssl = fresh->ssl;
    fresh->ssl = old;
    wire_tls_context_destroy(fresh);
}

void wire_tls_context_destroy(struct wire_tls_context *context)
{
    if (!context)
        return;
    SSL_CTX_free(context->ssl);
    BIO_meth_free(context->method);
    free(context);
}

struct wire_tls *wire_tls_create(struct wire_tls_context *context)
{
    struct wire_tls *tls = calloc(1, sizeof *tls);
    BIO *bio = tls ? BIO_new(context->method) : NULL;
    if (bio)
        tls->ssl = SSL_new(context->ssl);
    if (!bio || !tls->ssl) {
        BIO_free(bio);
        free(tls);
        return NULL;
    }
    BIO_set_data(bio, tls);
    BIO_set_init(bio, 1);
    SSL_set_bio(tls->ssl, bio, bio);
    SSL_set_accept_state(tls->ssl);
    return tls;
}

struct wire_tls *wire_tls_connect(struct wire_tls_context *context, const char *host)
{
    struct wire_tls *tls = wire_tls_create(context);
    if (!tls)
        return NULL;
    /* An address is compared with the addresses in the certificate, and not sent as a server name. */
    bool is_address = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls->ssl), host) == 1;
    if (!is_address && (SSL_set1_host(tls->ssl, host) != 1 || SSL_set_tlsext_host_name(tls->ssl, host) != 1)) {
        ERR_clear_error();
        wire_tls_destroy(tls);
        return NULL;
    }
    SSL_set_connect_state(tls->ssl);
    SSL_do_handshake(tls->ssl);              /* makes the first message; then it waits for an answer */
    ERR_clear_error();
    return tls;
}

bool wire_tls_is_open(const struct wire_tls *tls)
{
    return !tls->broken && SSL_is_init_finished(tls->ssl);
}

bool wire_tls_is_untrusted(const struct wire_tls *tls)
{
    return SSL_get_verify_result(tls->ssl) != X509_V_OK;
}

void wire_tls_destroy(struct wire_tls *tls)
{
    if (!tls)
        return;
    SSL_free(tls->ssl);
    free(tls->in.bytes);
    free(tls->out.bytes);
    free(tls->early.bytes);
    free(tls);
}

bool wire_tls_receive(struct wire_tls *tls, const void *bytes, size_t size)
{
    return append(&tls->in, bytes, size);
}

/* The handshake is over: sends the data that was waiting for it. */
static void write_early(struct wire_tls *tls)
{
    struct buffer early = tls->early;
    tls->early = (struct buffer){ 0 };
    wire_tls_write(tls, early.bytes + early.at, early.size - early.at);
    free(early.bytes);
}

/* Also drives the handshake. Data written before the end of the handshake is sent as soon as it is over. */
long wire_tls_read(struct wire_tls *tls, void *to, size_t room)
{
    if (tls->broken)
        return WIRE_TLS_BROKEN;
    ERR_clear_error();
    int got = SSL_read(tls->ssl, to, room < INT_MAX ? (int)room : INT_MAX);
    int error = got > 0 ? SSL_ERROR_NONE : SSL_get_error(tls->ssl, got);
    if (tls->early.bytes && SSL_is_init_finished(tls->ssl))
        write_early(tls);
    if (got > 0)
        return got;
    if (error == SSL_ERROR_WANT_READ)
        return WIRE_TLS_NOTHING;
    if (error == SSL_ERROR_ZERO_RETURN)
        return WIRE_TLS_END;
    tls->broken = true;
    ERR_clear_error();
    return WIRE_TLS_BROKEN;
}

bool wire_tls_write(struct wire_tls *tls, const void *bytes, size_t size)
{
    if (tls->broken)
        return false;
    if (!SSL_is_init_finished(tls->ssl))
        return append(&tls->early, bytes, size);
    ERR_clear_error();
    /* Our BIO accepts everything, so OpenSSL does too. */
    if (!size || (size <= INT_MAX && SSL_write(tls->ssl, bytes, (int)size) == (int)size))
        return true;
    tls->broken = true;
    ERR_clear_error();
    return false;
}

void wire_tls_goodbye(struct wire_tls *tls)
{
    if (!tls->broken && SSL_is_init_finished(tls->ssl))
        SSL_shutdown(tls->ssl);
    ERR_clear_error();
}

const void *wire_tls_pending(const struct wire_tls *tls, size_t *size)
{
    *size = tls->out.size - tls->out.at;
    return tls->out.bytes ? tls->out.bytes + tls->out.at : "";
}

void wire_tls_sent(struct wire_tls *tls, size_t size)
{
    take(&tls->out, size);
}
