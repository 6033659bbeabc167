/*
 * visitor.c: who people are, without accounts. A visitor is a random token in a cookie; the server keeps its SHA-256,
 * so that a stolen database gives nobody's seat away. All visitors are in memory (about 200 bytes each): a WebSocket's
 * right to open is then known at once.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "server.h"

#define COOKIE "pyramids="
#define CODE_SECONDS 600         /* a device code is good for ten minutes */
#define CODE_LETTERS 8
#define RENEW_SECONDS 86400      /* a cookie is given out anew once a day */

/* Names. */

/* The code point at *text, moved past it; -1 if it is not UTF-8. */
static int32_t next_letter(const unsigned char **text)
{
    const unsigned char *at = *text;
    int more = at[0] < 0x80             ? 0
        : at[0] >= 0xc2 && at[0] < 0xe0 ? 1
        : at[0] >= 0xe0 && at[0] < 0xf0 ? 2
        : at[0] >= 0xf0 && at[0] < 0xf5 ? 3
                                        : -1;
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

/*
 * Characters that steer the display of others or cannot be seen, judged by their Unicode properties: control and format
 * characters, line separators, whatever is "default ignorable" (fillers and joiners, such as U+3164 and U+115F), and
 * code points that are no characters.
 */
static bool is_unwanted(int32_t letter)
{
    const utf8proc_property_t *property = utf8proc_get_property(letter);
    return property->ignorable || property->category == UTF8PROC_CATEGORY_CC || property->category == UTF8PROC_CATEGORY_ZL ||
        property->category == UTF8PROC_CATEGORY_ZP || (letter >= 0xfff0 && letter <= 0xfffb) ||
        (letter & 0xfffe) == 0xfffe ||
        (letter >= 0xfdd0 && letter < 0xfdf0) || letter == 0x180e || (letter >= 0x206a && letter <= 0x206f);
}

/* Blanks, and the two symbols that are drawn as nothing by definition, which no property tells: the empty Braille
 * pattern, the empty note head. */
static bool is_blank(int32_t letter)
{
    return utf8proc_category(letter) == UTF8PROC_CATEGORY_ZS || letter == '\t' || letter == '\n' || letter == '\r' ||
        letter == 0x2800 || letter == 0x1d159;
}

static bool is_mark(int32_t letter)
{
    utf8proc_category_t category = utf8proc_category(letter);
    return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC || category == UTF8PROC_CATEGORY_ME;
}

/* Marks belong to the letter before them, and so do the selectors that make an emoji colourful (U+FE0E, U+FE0F).
 * Without one they are taken out. */
static bool is_kept(int32_t letter, bool after_letter)
{
    if (letter == 0xfe0e || letter == 0xfe0f)
        return after_letter;
    return !is_unwanted(letter) && (after_letter || !is_mark(letter));
}

/* Pictures that a joiner (U+200D) makes one of, such as a family: without it they would fall apart. */
static bool is_picture(int32_t letter)
{
    return letter > 0 && utf8proc_get_property(letter)->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

/* Whether a letter may still be followed by a joiner: a picture, with the selectors and skin tones that belong to it. */
static bool ends_picture(int32_t letter, bool after_picture)
{
    return is_picture(letter) || (after_picture && (letter == 0xfe0f || (letter >= 0x1f3fb && letter <= 0x1f3ff)));
}

static bool is_joiner(int32_t letter, bool after_picture, const unsigned char *next)
{
    return letter == 0x200d && after_picture && is_picture(next_letter(&next));
}

bool name_clean(const char *name, char to[NAME_SIZE])
{
    const unsigned char *at = (const unsigned char *)name;
    char clean[NAME_SIZE];
    size_t size = 0;
    unsigned letters = 0;
    bool blank = false, picture = false;
    while (*at) {
        const unsigned char *from = at;
        int32_t letter = next_letter(&at);
        if (letter < 0)
            return false;
        if (is_blank(letter)) {
            blank = size > 0;
            picture = false;
            continue;
        }
        if (!is_joiner(letter, picture, at) && !is_kept(letter, size > 0 && !blank))
            continue;
        picture = ends_picture(letter, picture);
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

static bool keep_token(struct server *server, struct visitor *visitor, const uint8_t hash[TOKEN_SIZE], int64_t renewed)
{
    struct token *token = calloc(1, sizeof *token);
    if (!token)
        return false;
    memcpy(token->hash, hash, TOKEN_SIZE);
    token->visitor = visitor;
    token->renewed = renewed;
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

/* The next cookie of ours in a list, moved past it; its value, whatever that is, or NULL. */
static const char *next_cookie(const char **cookies, size_t *size)
{
    const size_t length = sizeof COOKIE - 1;
    for (const char *at = *cookies; *at; at = *cookies) {
        at += strspn(at, " ;");
        size_t whole = strcspn(at, ";");
        *cookies = at + whole;
        while (whole && at[whole - 1] == ' ')
            whole--;
        if (whole >= length && !strncmp(at, COOKIE, length)) {
            *size = whole - length;
            return at + length;
        }
    }
    return NULL;
}

static struct token *read_token(const struct server *server, const char *value, size_t size, char text[2 * TOKEN_SIZE + 1])
{
    uint8_t bytes[TOKEN_SIZE], hash[TOKEN_SIZE];
    size_t read;
    if (size != 2 * TOKEN_SIZE || sodium_hex2bin(bytes, sizeof bytes, value, size, NULL, &read, NULL) || read != TOKEN_SIZE)
        return NULL;
    crypto_hash_sha256(hash, bytes, sizeof bytes);
    struct token *token = find_token(server, hash);
    if (token && text)
        sodium_bin2hex(text, 2 * TOKEN_SIZE + 1, bytes, sizeof bytes);
    sodium_memzero(bytes, sizeof bytes);
    return token;
}

struct visitor *visitor_identify(const struct server *server, const char *cookies, enum identity *identity,
    char text[2 * TOKEN_SIZE + 1])
{
    size_t size;
    *identity = cookies ? IDENTITY_NONE : IDENTITY_UNREADABLE;
    /* A browser may send several: one that is known counts, wherever it stands. */
    for (const char *value; cookies && (value = next_cookie(&cookies, &size));) {
        struct token *token = read_token(server, value, size, text);
        *identity = token ? IDENTITY_KNOWN : size ? IDENTITY_UNKNOWN : *identity;
        if (token)
            return token->visitor;
    }
    return NULL;
}

bool visitor_renews(const struct server *server, const char *text)
{
    struct token *token = read_token(server, text, strlen(text), NULL);
    int64_t now = server_time();
    if (!token || (now >= token->renewed && now - token->renewed < RENEW_SECONDS))
        return false;
    token->renewed = now;
    return true;
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

static bool load_visitor(struct server *server, const struct store_visitor *stored, int64_t renewed)
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
    return keep_token(server, visitor, stored->token, renewed);
}

bool visitor_load(struct server *server, const struct store_visitor *stored)
{
    return load_visitor(server, stored, 0);
}

struct visitor *visitor_new(struct server *server, const char *name, char token[2 * TOKEN_SIZE + 1],
    struct store_visitor *stored)
{
    *stored = (struct store_visitor){ .id = server->last_visitor + 1, .created = server_time(), .seen = server_time() };
    draw_token(token, stored->token);
    memcpy(stored->name, name, strlen(name) + 1);
    if (!load_visitor(server, stored, stored->seen))
        return NULL;
    server->last_visitor++;
    return visitor_by_id(server, stored->id);
}

bool visitor_add_token(struct server *server, struct visitor *visitor, char token[2 * TOKEN_SIZE + 1],
    uint8_t hash[TOKEN_SIZE])
{
    draw_token(token, hash);
    return keep_token(server, visitor, hash, server_time());
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
    (void)result;                            /* retried on a later visit */
    free(job);
}

static void submit_sighting(struct server *server, const struct visitor *visitor, const uint8_t token[TOKEN_SIZE])
{
    struct sighting *sighting = calloc(1, sizeof *sighting);
    if (!sighting)
        return;
    sighting->stored = (struct store_visitor){ .id = (int64_t)visitor->node.key, .created = visitor->created,
        .seen = visitor->seen };
    memcpy(sighting->stored.name, visitor->name, sizeof visitor->name);
    if (token)
        memcpy(sighting->stored.token, token, TOKEN_SIZE);
    sighting->job.run = run_sighting;
    sighting->job.done = sighting_done;
    store_submit(server->store, &sighting->job);
}

void visitor_seen(struct server *server, struct visitor *visitor)
{
    int64_t now = server_time();
    if (now - visitor->seen < 86400)
        return;
    visitor->seen = now;
    submit_sighting(server, visitor, NULL);
}

/* One-time codes for a second device. */

_Static_assert(NAME_SIZE <= sizeof ((struct store_visitor *)0)->name, "a name fits into its row");

void device_code_drop(struct server *server, int64_t visitor)
{
    for (struct device_code **link = &server->device_codes; *link;) {
        struct device_code *code = *link;
        if (code->visitor != visitor) {
            link = &code->next;
            continue;
        }
        *link = code->next;
        free(code);
    }
}

bool device_code_load(struct server *server, const uint8_t hash[TOKEN_SIZE], int64_t visitor, int64_t until)
{
    struct device_code *code = calloc(1, sizeof *code);
    if (!code)
        return false;
    memcpy(code->hash, hash, sizeof code->hash);
    code->visitor = visitor;
    code->until = until;
    device_code_drop(server, visitor);       /* a new code takes the place of an older one */
    code->next = server->device_codes;
    server->device_codes = code;
    return true;
}

bool device_code_new(struct server *server, struct visitor *visitor, char text[10], struct device_code *made)
{
    static const char letters[] = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
    char code[CODE_LETTERS + 1] = "";
    for (unsigned i = 0; i < CODE_LETTERS; i++)
        code[i] = letters[randombytes_uniform(sizeof letters - 1)];
    crypto_hash_sha256(made->hash, (const unsigned char *)code, CODE_LETTERS);
    made->visitor = (int64_t)visitor->node.key;
    made->until = server_time() + CODE_SECONDS;
    snprintf(text, 10, "%.4s-%.4s", code, code + 4);
    sodium_memzero(code, sizeof code);
    return device_code_load(server, made->hash, made->visitor, made->until);
}

struct visitor *device_code_use(struct server *server, const char *text, struct device_code *used)
{
    char code[CODE_LETTERS + 1];
    uint8_t hash[TOKEN_SIZE];
    if (!code_read(text, code, CODE_LETTERS))
        return NULL;
    crypto_hash_sha256(hash, (const unsigned char *)code, CODE_LETTERS);
    for (struct device_code **link = &server->device_codes; *link; link = &(*link)->next) {
        struct device_code *found = *link;
        if (sodium_memcmp(found->hash, hash, TOKEN_SIZE))
            continue;
        *used = *found;
        *link = found->next;
        free(found);
        return used->until > server_time() ? visitor_by_id(server, used->visitor) : NULL;
    }
    return NULL;
}

void device_code_sweep(struct server *server)
{
    for (struct device_code **link = &server->device_codes; *link;) {
        struct device_code *code = *link;
        if (code->until > server_time()) {
            link = &code->next;
            continue;
        }
        *link = code->next;
        free(code);
    }
}

/* Visitors whom the database has dropped. */

struct forgetting {
    struct server *server;
    struct visitor *visitor;     /* who stays, and is stored again */
};

static void drop_tokens(struct map_node *node, void *context)
{
    struct forgetting *forgetting = context;
    struct token *token = (struct token *)node;
    if (!token->visitor->forgotten)
        return;
    map_remove(&forgetting->server->tokens, node);
    free(token);
}

static void store_again(struct map_node *node, void *context)
{
    struct forgetting *forgetting = context;
    struct token *token = (struct token *)node;
    if (token->visitor == forgetting->visitor)
        submit_sighting(forgetting->server, token->visitor, token->hash);
}

void visitors_forget(struct server *server, const int64_t *ids, unsigned count, int64_t before)
{
    struct forgetting forgetting = { .server = server };
    unsigned forgotten = 0;
    for (unsigned i = 0; i < count; i++) {
        struct visitor *visitor = visitor_by_id(server, ids[i]);
        if (visitor && !visitor->connections && visitor->seen < before) {
            device_code_drop(server, ids[i]);
            visitor->forgotten = true;
            forgotten++;
        } else if (visitor) {                /* they came back in this very moment, or have been connected all the time */
            visitor->seen = server_time();
            forgetting.visitor = visitor;
            map_each(&server->tokens, store_again, &forgetting);
        }
    }
    if (!forgotten)
        return;
    map_each(&server->tokens, drop_tokens, &forgetting);
    for (unsigned i = 0; i < count; i++) {
        struct visitor *visitor = visitor_by_id(server, ids[i]);
        if (!visitor || !visitor->forgotten)
            continue;
        map_remove(&server->visitors, &visitor->node);
        free(visitor);
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
