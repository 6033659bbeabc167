/* bans.c: see bans.h. The result of a check is stored with the address until the list changes. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bans.h"
#include "server.h"

#define MAPPED 96                /* bits before an IPv4 address within an IPv6 address */

struct prefix {
    uint8_t bytes[16];
    unsigned bits;               /* that are compared; 0: the ban is not about an address */
};

struct bans {
    unsigned count;
    uint32_t generation;         /* grows when the list changes; never 0 */
    struct store_ban *at;
    struct prefix *prefix;
};

static bool is_mapped(const struct prefix *prefix)
{
    static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
    return !memcmp(prefix->bytes, mapped, sizeof mapped);
}

/* Reading. The form with a slash that limits count by (2001:db8::/64) is such a prefix, too. */
static bool read_prefix(const char *text, struct prefix *prefix)
{
    char address[64];
    const char *slash = strchr(text, '/');
    size_t length = slash ? (size_t)(slash - text) : strlen(text);
    if (length >= sizeof address)
        return false;
    memcpy(address, text, length);
    address[length] = '\0';
    *prefix = (struct prefix){ .bytes = { [10] = 0xff, [11] = 0xff }, .bits = 128 };
    bool is_four = inet_pton(AF_INET, address, prefix->bytes + 12) == 1;
    if (!is_four && inet_pton(AF_INET6, address, prefix->bytes) != 1)
        return false;
    if (slash) {
        unsigned most = is_four ? 32 : 128, bits = 0;
        if (!slash[1] || strlen(slash + 1) > 3 || slash[1 + strspn(slash + 1, "0123456789")])
            return false;
        bits = (unsigned)strtoul(slash + 1, NULL, 10);
        if (bits < (is_four ? 8 : 16) || bits > most)
            return false;                    /* a shorter prefix must be a mistake: it would ban half the world */
        prefix->bits = is_four ? MAPPED + bits : bits;
        if (is_mapped(prefix) && prefix->bits < MAPPED + 8)
            return false;
    }
    return true;
}

static bool is_alone(const struct prefix *prefix)
{
    static const uint8_t loopback[16] = { [15] = 1 };
    return !memcmp(prefix->bytes, loopback, 16) || (prefix->bytes[0] == 0xfe && (prefix->bytes[1] & 0xc0) == 0x80);
}

static void cut(struct prefix *prefix)
{
    if (!is_mapped(prefix) && !is_alone(prefix) && prefix->bits > 64)
        prefix->bits = 64;
    for (unsigned bit = prefix->bits; bit < 128; bit++)
        prefix->bytes[bit / 8] &= (uint8_t)~(0x80u >> bit % 8);
}

bool ban_read_address(const char *text, char to[64])
{
    struct prefix prefix;
    char address[INET6_ADDRSTRLEN];
    if (!read_prefix(text, &prefix))
        return false;
    cut(&prefix);
    bool is_four = is_mapped(&prefix);
    inet_ntop(is_four ? AF_INET : AF_INET6, is_four ? prefix.bytes + 12 : prefix.bytes, address, sizeof address);
    if (prefix.bits == 128)
        snprintf(to, 64, "%s", address);
    else
        snprintf(to, 64, "%s/%u", address, is_four ? prefix.bits - MAPPED : prefix.bits);
    return true;
}

static bool covers(const struct prefix *ban, const struct prefix *address)
{
    unsigned whole = ban->bits / 8, rest = ban->bits % 8;
    if (!ban->bits || ban->bits > address->bits || memcmp(ban->bytes, address->bytes, whole))
        return false;
    return !rest || !((ban->bytes[whole] ^ address->bytes[whole]) & (0xff00u >> rest));
}

/* The list. */

static void changed(struct bans *bans)
{
    if (!++bans->generation)
        bans->generation = 1;
}

static bool append(struct bans *bans, const struct store_ban *ban)
{
    if (bans->count >= MOST_BANS)
        return false;
    if (!(bans->count & (bans->count - 1))) {            /* 0, 1, 2, 4, ...: twice the room */
        size_t room = bans->count ? 2 * (size_t)bans->count : 1;
        struct store_ban *at = realloc(bans->at, room * sizeof *at);
        if (at)
            bans->at = at;
        struct prefix *prefix = at ? realloc(bans->prefix, room * sizeof *prefix) : NULL;
        if (!prefix)
            return false;
        bans->prefix = prefix;
    }
    struct prefix prefix = { .bits = 0 };
    if (ban->address[0] && !read_prefix(ban->address, &prefix))
        return true;                             /* not written by us: matches nothing */
    bans->at[bans->count] = *ban;
    bans->prefix[bans->count++] = prefix;
    return true;
}

static bool take(void *context, const struct store_ban *ban)
{
    return append(context, ban);
}

static void free_bans(struct bans *bans)
{
    if (bans) {
        free(bans->at);
        free(bans->prefix);
    }
    free(bans);
}

static struct bans *read_bans(struct store_db *db)
{
    struct bans *bans = calloc(1, sizeof *bans);
    if (bans && store_each_ban(db, server_time(), take, bans) == STORE_OK)
        return bans;
    free_bans(bans);
    return NULL;
}

static void use(struct server *server, struct bans *bans)
{
    bans->generation = server->bans ? server->bans->generation : 0;
    changed(bans);
    free_bans(server->bans);
    server->bans = bans;
}

bool bans_load(struct server *server, struct store_db *db)
{
    struct bans *bans = read_bans(db);
    if (bans)
        use(server, bans);
    return bans != NULL;
}

void bans_finish(struct server *server)
{
    free_bans(server->bans);
    server->bans = NULL;
}

bool bans_add(struct server *server, const struct store_ban *ban)
{
    bool good = server->bans && append(server->bans, ban);
    if (good)
        changed(server->bans);
    return good;
}

static void remove_at(struct bans *bans, unsigned i)
{
    bans->count--;
    memmove(bans->at + i, bans->at + i + 1, (bans->count - i) * sizeof *bans->at);
    memmove(bans->prefix + i, bans->prefix + i + 1, (bans->count - i) * sizeof *bans->prefix);
    changed(bans);
}

void bans_remove(struct server *server, int64_t id)
{
    for (unsigned i = 0; i < bans_count(server); i++)
        if (server->bans->at[i].id == id) {
            remove_at(server->bans, i);
            return;
        }
}

unsigned bans_count(const struct server *server) { return server->bans ? server->bans->count : 0; }

/* Checking. */

static bool covers_address(const struct bans *bans, const struct address *address)
{
    struct prefix prefix;
    if (!read_prefix(address->text, &prefix))
        return false;                        /* "unknown", as some proxies write */
    for (unsigned i = 0; i < bans->count; i++)
        if (covers(&bans->prefix[i], &prefix))
            return true;
    return false;
}

bool bans_cover(const struct server *server, struct address *address, const struct visitor *visitor)
{
    const struct bans *bans = server->bans;
    if (!bans || !bans->count)
        return false;
    if (address && address->judged != bans->generation) {
        address->judged = bans->generation;
        address->is_banned = covers_address(bans, address);
    }
    if (address && address->is_banned)
        return true;
    for (unsigned i = 0; i < bans->count && visitor; i++)
        if (bans->at[i].visitor && bans->at[i].visitor == (int64_t)visitor->node.key)
            return true;
    return false;
}

/* Regular tasks. */

struct rereading {
    struct store_job job;
    struct server *server;
    struct bans *bans;
};

static enum store_result run_reread(struct store_db *db, struct store_job *job)
{
    struct rereading *rereading = (struct rereading *)job;
    free_bans(rereading->bans);              /* a job may run twice */
    rereading->bans = read_bans(db);
    return rereading->bans ? STORE_OK : STORE_FAILED;
}

static void reread_done(struct store_job *job, enum store_result result)
{
    struct rereading *rereading = (struct rereading *)job;
    if (!result)
        use(rereading->server, rereading->bans);
    else
        free_bans(rereading->bans);
    free(rereading);
}

void bans_tick(struct server *server)
{
    int64_t now = server_time();
    for (unsigned i = bans_count(server); i--;)
        if (server->bans->at[i].until && server->bans->at[i].until <= now)
            remove_at(server->bans, i);
    struct rereading *rereading = server->shared && !server->stopping ? calloc(1, sizeof *rereading) : NULL;
    if (!rereading)
        return;
    rereading->server = server;
    rereading->job.run = run_reread;
    rereading->job.done = reread_done;
    store_submit(server->store, &rereading->job);
}
