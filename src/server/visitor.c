/*
 * visitor.c: who people are, without accounts. A visitor is a random token in a cookie; the server keeps its SHA-256, so that a stolen
 * database gives nobody's seat away. All visitors are in memory (about 200 bytes each): a WebSocket's right to open is then known at once.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

#define COOKIE "pyramids="
#define CODE_MS 600000           /* a device code is good for ten minutes */

/* Names. */

/* The code point at *text, moved past it; -1 if it is not UTF-8. */
static int32_t next_letter(const unsigned char **text)
{
    const unsigned char *at = *text;
    int more = at[0] < 0x80 ? 0 : at[0] >= 0xc2 && at[0] < 0xe0 ? 1 : at[0] >= 0xe0 && at[0] < 0xf0 ? 2 : at[0] >= 0xf0 && at[0] < 0xf5 ? 3 : -1;
    if (more < 0)
        return -1;
    int32_t letter = more ? at[0] & (0x3f >> more) : at[0];
    for (int i = 1; i <= more; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return -1;
        letter = letter << 6 | (at[i] & 0x3f);
    }
    static const int32_t least[] = { 0, 0x80, 0x800, 0x10000 };
    if (letter < least[more] || letter > 0x10ffff || (letter >= 0xd800 && letter < 0xe000))
        return -1;
    *text += more + 1;
    return letter;
}

/* Characters that steer the display of others, or are not there at all: no name needs them. */
static bool is_unwanted(int32_t letter)
{
    return letter < 0x20 || (letter >= 0x7f && letter < 0xa0) || letter == 0xad || letter == 0x61c || letter == 0x180e ||
        (letter >= 0x200b && letter <= 0x200f) || (letter >= 0x2028 && letter <= 0x202e) || (letter >= 0x2060 && letter <= 0x206f) ||
        letter == 0xfeff || (letter >= 0xfff0 && letter <= 0xfffb) || (letter & 0xfffe) == 0xfffe || (letter >= 0xfdd0 && letter < 0xfdf0) ||
        (letter >= 0xe0000 && letter <= 0xe0fff);
}

static bool is_blank(int32_t letter)
{
    return letter == ' ' || letter == 0xa0 || letter == 0x1680 || (letter >= 0x2000 && letter <= 0x200a) || letter == 0x202f ||
        letter == 0x205f || letter == 0x3000;
}

bool name_clean(const char *name, char to[NAME_SIZE])
{
    const unsigned char *at = (const unsigned char *)name;
    char clean[NAME_SIZE];
    size_t size = 0;
    unsigned letters = 0;
    bool blank = false;
    while (*at) {
        const unsigned char *from = at;
        int32_t letter = next_letter(&at);
        if (letter < 0)
            return false;
        if (is_blank(letter) || letter == '\t' || letter == '\n' || letter == '\r') {
            blank = size > 0;
            continue;
        }
        if (is_unwanted(letter))
            continue;
        letters += blank + 1u;
        if (letters > NAME_LETTERS)
            return false;
        if (blank)
            clean[size++] = ' ';
        blank = false;
        memcpy(clean + size, from, (size_t)(at - from));
        size += (size_t)(at - from);
    }
    if (!size)
        return false;
    memcpy(to, clean, size);
    to[size] = '\0';
    return true;
}

/* Tokens. */

static uint64_t first_bytes(const uint8_t *hash)
{
    uint64_t key;
    memcpy(&key, hash, sizeof key);
    return key;
}

static struct token *find_token(const struct server *server, const uint8_t hash[TOKEN_SIZE])
{
    for (struct map_node *node = map_find(&server->tokens, first_bytes(hash)); node; node = map_next(node))
        if (!sodium_memcmp(((struct token *)node)->hash, hash, TOKEN_SIZE))
            return (struct token *)node;
    return NULL;
}

static bool keep_token(struct server *server, struct visitor *visitor, const uint8_t hash[TOKEN_SIZE])
{
    struct token *token = calloc(1, sizeof *token);
    if (!token)
        return false;
    memcpy(token->hash, hash, TOKEN_SIZE);
    token->visitor = visitor;
    if (map_add(&server->tokens, &token->node, first_bytes(hash)))
        return true;
    free(token);
    return false;
}

/* A fresh token as text, and the hash that is kept of it. */
static void draw_token(char text[2 * TOKEN_SIZE + 1], uint8_t hash[TOKEN_SIZE])
{
    uint8_t bytes[TOKEN_SIZE];
    randombytes_buf(bytes, sizeof bytes);
    sodium_bin2hex(text, 2 * TOKEN_SIZE + 1, bytes, sizeof bytes);
    crypto_hash_sha256(hash, bytes, sizeof bytes);
    sodium_memzero(bytes, sizeof bytes);
}

struct visitor *visitor_by_cookie(const struct server *server, const char *cookies)
{
    const size_t length = sizeof COOKIE - 1;
    for (const char *at = cookies; at && *at; ) {
        at += strspn(at, " ;");
        size_t size = strcspn(at, ";");
        if (size == length + 2 * TOKEN_SIZE && !strncmp(at, COOKIE, length)) {
            uint8_t bytes[TOKEN_SIZE], hash[TOKEN_SIZE];
            size_t read;
            if (!sodium_hex2bin(bytes, sizeof bytes, at + length, 2 * TOKEN_SIZE, NULL, &read, NULL) && read == TOKEN_SIZE) {
                crypto_hash_sha256(hash, bytes, sizeof bytes);
                struct token *token = find_token(server, hash);
                if (token)
                    return token->visitor;   /* one that is not known may be another server's */
            }
        }
        at += size;
    }
    return NULL;
}

/* Visitors. */

struct visitor *visitor_by_id(const struct server *server, int64_t id)
{
    return (struct visitor *)map_find(&server->visitors, (uint64_t)id);
}

static struct visitor *make_visitor(struct server *server, int64_t id)
{
    struct visitor *visitor = calloc(1, sizeof *visitor);
    if (visitor && map_add(&server->visitors, &visitor->node, (uint64_t)id))
        return visitor;
    free(visitor);
    return NULL;
}

bool visitor_load(struct server *server, const struct store_visitor *stored)
{
    struct visitor *visitor = visitor_by_id(server, stored->id);
    if (!visitor) {
        visitor = make_visitor(server, stored->id);
        if (!visitor)
            return false;
        memcpy(visitor->name, stored->name, sizeof visitor->name);
        visitor->created = stored->created;
        visitor->seen = stored->seen;
    }
    return keep_token(server, visitor, stored->token);
}

struct visitor *visitor_new(struct server *server, const char *name, char token[2 * TOKEN_SIZE + 1], struct store_visitor *stored)
{
    *stored = (struct store_visitor){ .id = server->last_visitor + 1, .created = server_time(), .seen = server_time() };
    draw_token(token, stored->token);
    memcpy(stored->name, name, strlen(name) + 1);
    if (!visitor_load(server, stored))
        return NULL;
    server->last_visitor++;
    return visitor_by_id(server, stored->id);
}

bool visitor_add_token(struct server *server, struct visitor *visitor, char token[2 * TOKEN_SIZE + 1], uint8_t hash[TOKEN_SIZE])
{
    draw_token(token, hash);
    return keep_token(server, visitor, hash);
}

void visitor_drop_token(struct server *server, const uint8_t hash[TOKEN_SIZE])
{
    struct token *token = find_token(server, hash);
    if (!token)
        return;
    map_remove(&server->tokens, &token->node);
    free(token);
}

/* Once a day the database is told that somebody is still about. Nobody waits for it. */

struct sighting {
    struct store_job job;
    struct store_visitor stored;
};

static enum store_result run_sighting(struct store_db *db, struct store_job *job)
{
    return store_put_visitor(db, &((struct sighting *)job)->stored);
}

static void sighting_done(struct store_job *job, enum store_result result)
{
    (void)result;                            /* tomorrow is another day */
    free(job);
}

void visitor_saw(struct server *server, struct visitor *visitor)
{
    int64_t now = server_time();
    if (now - visitor->seen < 86400)
        return;
    struct sighting *sighting = calloc(1, sizeof *sighting);
    visitor->seen = now;
    if (!sighting)
        return;
    sighting->stored = (struct store_visitor){ .id = (int64_t)visitor->node.key, .created = visitor->created, .seen = now };
    memcpy(sighting->stored.name, visitor->name, sizeof sighting->stored.name - 1);
    sighting->job.run = run_sighting;
    sighting->job.done = sighting_done;
    store_submit(server->store, &sighting->job);
}

/* One-time codes for a second device. */

const char *device_code_new(struct server *server, struct visitor *visitor)
{
    static const char letters[] = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
    struct device_code *code = calloc(1, sizeof *code);
    if (!code)
        return NULL;
    for (unsigned i = 0; i < 9; i++)
        code->code[i] = i == 4 ? '-' : letters[randombytes_uniform(sizeof letters - 1)];
    code->visitor = (int64_t)visitor->node.key;
    code->until = server_now(server) + CODE_MS;
    /* A new code takes the place of an older one of the same visitor. */
    for (struct device_code **link = &server->device_codes; *link; ) {
        struct device_code *old = *link;
        if (old->visitor != code->visitor) {
            link = &old->next;
            continue;
        }
        *link = old->next;
        free(old);
    }
    code->next = server->device_codes;
    server->device_codes = code;
    return code->code;
}

struct visitor *device_code_use(struct server *server, const char *text)
{
    for (struct device_code **link = &server->device_codes; *link; link = &(*link)->next) {
        struct device_code *code = *link;
        if (strcmp(code->code, text))
            continue;
        struct visitor *visitor = code->until > server_now(server) ? visitor_by_id(server, code->visitor) : NULL;
        *link = code->next;
        free(code);
        return visitor;
    }
    return NULL;
}

void device_code_sweep(struct server *server)
{
    for (struct device_code **link = &server->device_codes; *link; ) {
        struct device_code *code = *link;
        if (code->until > server_now(server)) {
            link = &code->next;
            continue;
        }
        *link = code->next;
        free(code);
    }
}

static void free_node(struct map_node *node, void *context)
{
    (void)context;
    free(node);
}

void visitors_finish(struct server *server)
{
    map_each(&server->visitors, free_node, NULL);
    map_each(&server->tokens, free_node, NULL);
    map_finish(&server->visitors);
    map_finish(&server->tokens);
    while (server->device_codes) {
        struct device_code *code = server->device_codes;
        server->device_codes = code->next;
        free(code);
    }
}
