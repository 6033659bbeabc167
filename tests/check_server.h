/*
 * check_server.h: replaces serve.c, web.c and pool.c in tests of other parts of the server: connections and bots that do
 * nothing, one edition, and a log that shows errors. The test controls the clock. Include it after check.h.
 */
#ifndef CHECK_SERVER_H
#define CHECK_SERVER_H

#include <sodium.h>
#include <stdarg.h>

#include "conn.h"
#include "pool.h"
#include "server.h"

void conn_wake(struct conn *conn) { (void)conn; }
void conn_pause(struct conn *conn) { (void)conn; }
void conn_resume(struct conn *conn) { (void)conn; }
bool pool_submit_bot(struct pool *pool, struct ask *ask) { (void)pool; (void)ask; return false; }
void pool_withdraw(struct pool *pool, struct ask *ask) { (void)pool; (void)ask; }
bool pool_is_busy(const struct pool *pool) { (void)pool; return false; }
void pool_watch(struct pool *pool, struct ask *ask, bool watched) { (void)pool; (void)ask; (void)watched; }

uint64_t server_hash(const struct server *server, const void *data, size_t size)
{
    uint64_t hash;
    crypto_shorthash((unsigned char *)&hash, data, size, server->hash_key);
    return hash;
}

const struct pyr_edition *server_edition(const struct server *server, const char *name)
{
    (void)name;
    return server->options.editions;
}

void server_log(const struct server *server, enum log_level level, const char *event, const char *format, ...)
{
    (void)server;
    if (level == LOG_ERROR)
        fprintf(stderr, "%s: %s\n", event, format);
}

#endif
