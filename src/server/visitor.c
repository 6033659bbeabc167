/*
 * visitor.c: identities without accounts. A visitor is identified by a random token in a cookie; the server stores only
 * its SHA-256, so that a stolen database gives no access to seats. Visitors are in memory while they are connected and
 * for some minutes afterwards; others are looked up in the database by the cookie of their first request.
 *
 * Threads: the loop's only. Tokens are compared with sodium_memcmp, and their text is wiped after use; only hashes are
 * kept. A visitor may be freed when nothing refers to it (`connections`, `holds`) and KEPT_MS have passed
 * (visitors_sweep).
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include <letters.h>
#include <pyramids/utf8.h>

#include "conn.h"
#include "server.h"

#define COOKIE "pyramids="
#define CODE_SECONDS 600         /* a device code is valid for ten minutes */
#define CODE_LETTERS 8
#define RENEW_SECONDS 86400      /* a cookie is renewed once a day */
#define KEPT_MS 600000           /* time in memory after the last visit */

/* Names. */

/*
 * Characters that affect how other text is displayed, or that are invisible, by their Unicode properties: control and
 * format characters, line separators, everything "default ignorable" (fillers and joiners, such as U+3164 and U+115F),
 * and code points that are not characters.
 */
static bool is_unwanted(int32_t letter)
{
    const utf8proc_property_t *property = utf8proc_get_property(letter);
    return property->ignorable || property->category == UTF8PROC_CATEGORY_CC || property->category == UTF8PROC_CATEGORY_ZL ||
        property->category == UTF8PROC_CATEGORY_ZP || (letter >= 0xfff0 && letter <= 0xfffb) ||
        (letter & 0xfffe) == 0xfffe ||
        (letter >= 0xfdd0 && letter < 0xfdf0) || letter == 0x180e || (letter >= 0x206a && letter <= 0x206f);
}

/* Blanks, and two symbols that are blank by definition although no property shows it: the empty Braille pattern, the
 * empty note head. */
static bool is_blank(int32_t letter)
{
    return utf8proc_category(letter) == UTF8PROC_CATEGORY_ZS || letter == '\t' || letter == '\n' || letter == '\r' ||
        letter == 0x2800 || letter == 0x1d159;
}

/* A joiner is kept between two pictures, as in a family; anywhere else it would only make two names look alike. `after`
 * begins with the next character. */
static bool joins(int32_t before, const char *after)
{
    size_t length;
    int32_t next = *after ? pyr_utf8_read(after, PYR_UTF8_LONGEST, &length) : -1;
    return next >= 0 && character_is_picture(next) &&
        (character_is_picture(before) || before == 0xfe0f || (before >= 0x1f3fb && before <= 0x1f3ff));
}

/* Marks belong to the letter before them, and so do the selectors that make an emoji colourful (U+FE0E, U+FE0F). Without
 * such a letter they are removed. before: the last character that was kept, -1 for none or a blank. */
static bool is_kept(int32_t letter, int32_t before, const char *after)
{
    if (letter == 0xfe0e || letter == 0xfe0f)
        return before >= 0;
    if (letter == 0x200d)
        return joins(before, after);
    return !is_unwanted(letter) && (before >= 0 || !character_is_mark(letter));
}

/* Runs of blanks become one, and none is kept at either end. Letters are counted as a reader sees them (grapheme
 * clusters), and marks are counted in addition. */
bool name_clean(const char *name, char to[NAME_SIZE])
{
    char clean[NAME_SIZE];
    size_t size = 0, length;
    unsigned letters = 0;
    int32_t before = -1, state = 0;
    bool blank = false;
    for (const char *at = name; *at; at += length) {
        int32_t letter = pyr_utf8_read(at, PYR_UTF8_LONGEST, &length);
        if (letter < 0)
            return false;
        if (is_blank(letter)) {
            blank = size > 0;
            before = -1;
            continue;
        }
        if (!is_kept(letter, before, at + length))
            continue;
        /* Parts of an emoji are not counted; marks are, or a name could extend far above its line. */
        letters += blank + (letter_begins(before, letter, &state) || character_is_mark(letter) ? 1u : 0u);
        if (letters > NAME_LETTERS || size + blank + length >= NAME_SIZE)
            return false;
        if (blank)
            clean[size++] = ' ';
        blank = false;
        memcpy(clean + size, at, length);
        size += length;
        before = letter;
    }
    if (!size)
        return false;
    memcpy(to, clean, size);
    to[size] = '\0';
    return true;
}

/* Tokens. */

/* A SHA-256 is random already, so its first eight bytes are the key for the map. Entries with the same key are compared
 * in full. */
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

/* Draws a new token as text, and its hash, which is stored. */
static void draw_token(char text[2 * TOKEN_SIZE + 1], uint8_t hash[TOKEN_SIZE])
{
    uint8_t bytes[TOKEN_SIZE];
    randombytes_buf(bytes, sizeof bytes);
    sodium_bin2hex(text, 2 * TOKEN_SIZE + 1, bytes, sizeof bytes);
    crypto_hash_sha256(hash, bytes, sizeof bytes);
    sodium_memzero(bytes, sizeof bytes);
}

/* The value of the next of our cookies in a list, unchecked, or NULL; moves past it. */
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

/* Computes the hash of a token, and its text in our notation (may be NULL); false if it is not one. */
static bool read_token(const char *value, size_t size, uint8_t hash[TOKEN_SIZE], char text[2 * TOKEN_SIZE + 1])
{
    uint8_t bytes[TOKEN_SIZE];
    size_t read;
    if (size != 2 * TOKEN_SIZE || sodium_hex2bin(bytes, sizeof bytes, value, size, NULL, &read, NULL) || read != TOKEN_SIZE)
        return false;
    crypto_hash_sha256(hash, bytes, sizeof bytes);
    if (text)
        sodium_bin2hex(text, 2 * TOKEN_SIZE + 1, bytes, sizeof bytes);
    sodium_memzero(bytes, sizeof bytes);
    return true;
}

void tokens_free(struct tokens *tokens)
{
    if (tokens)
        sodium_memzero(tokens->at, tokens->count * sizeof *tokens->at);
    free(tokens);
}

/* The list contains tokens in plain text until they are looked up, so it is copied and wiped instead of reallocated. */
static bool add_unknown(struct tokens **list, const char *value, size_t size)
{
    unsigned count = *list ? (*list)->count : 0;
    struct tokens *longer = malloc(sizeof *longer + (count + 1) * sizeof *longer->at);
    if (!longer)
        return false;
    longer->count = count + 1;
    if (count)
        memcpy(longer->at, (*list)->at, count * sizeof *longer->at);
    read_token(value, size, longer->at[count].hash, longer->at[count].text);
    tokens_free(*list);
    *list = longer;
    return true;
}

bool visitor_identify(const struct server *server, const char *cookies, struct visitor **visitor, enum identity *identity,
    char text[2 * TOKEN_SIZE + 1], struct tokens **unknown)
{
    size_t size;
    bool good = true;
    *visitor = NULL;
    *unknown = NULL;
    *identity = cookies ? IDENTITY_NONE : IDENTITY_UNREADABLE;
    /* A browser may send several: one that is known counts, at any position. */
    for (const char *value; cookies && (value = next_cookie(&cookies, &size));) {
        uint8_t hash[TOKEN_SIZE];
        bool is_token = read_token(value, size, hash, text);
        struct token *token = is_token ? find_token(server, hash) : NULL;
        *identity = token ? IDENTITY_KNOWN : size ? IDENTITY_UNKNOWN : *identity;
        if (token) {
            tokens_free(*unknown);
            *unknown = NULL;
            *visitor = token->visitor;
            token->visitor->used = server_now(server);
            return true;
        }
        good &= !is_token || add_unknown(unknown, value, size);
    }
    return good;
}

/* True at most once per day and token. A time in the future, after a clock was set back, counts as due. */
bool visitor_renews(const struct server *server, const char *text)
{
    uint8_t hash[TOKEN_SIZE];
    struct token *token = read_token(text, strlen(text), hash, NULL) ? find_token(server, hash) : NULL;
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

/* The caller fills in the rest. */
static struct visitor *make_visitor(struct server *server, int64_t id)
{
    struct visitor *visitor = calloc(1, sizeof *visitor);
    if (visitor && map_add(&server->visitors, &visitor->node, (uint64_t)id))
        return visitor;
    free(visitor);
    return NULL;
}

struct visitor *visitor_load(struct server *server, const struct store_visitor *stored)
{
    struct visitor *visitor = visitor_by_id(server, stored->id);
    if (!visitor) {
        visitor = make_visitor(server, stored->id);
        if (!visitor)
            return NULL;
        memcpy(visitor->name, stored->name, sizeof visitor->name);
        visitor->created = stored->created;
        visitor->seen = stored->seen;
    }
    visitor->used = server_now(server);
    if (find_token(server, stored->token) || keep_token(server, visitor, stored->token, stored->renewed))
        return visitor;
    return NULL;                             /* a visitor just added here is removed later */
}

void visitor_draw(const char *name, char token[2 * TOKEN_SIZE + 1], struct store_visitor *stored)
{
    int64_t now = server_time();
    *stored = (struct store_visitor){ .created = now, .seen = now, .renewed = now };
    draw_token(token, stored->token);
    memcpy(stored->name, name, strlen(name) + 1);
}

struct visitor *visitor_hold(struct visitor *visitor)
{
    if (visitor)
        visitor->holds++;
    return visitor;
}

void visitor_release(const struct server *server, struct visitor *visitor)
{
    if (!visitor)
        return;
    visitor->holds--;
    visitor->used = server_now(server);
}

static bool is_idle(const struct server *server, const struct visitor *visitor)
{
    return !visitor->connections && !visitor->holds && server_now(server) - visitor->used >= KEPT_MS;
}

static void sweep_token(struct map_node *node, void *context)
{
    struct server *server = context;
    if (!is_idle(server, ((struct token *)node)->visitor))
        return;
    map_remove(&server->tokens, node);
    free(node);
}

static void sweep_visitor(struct map_node *node, void *context)
{
    struct server *server = context;
    if (!is_idle(server, (struct visitor *)node))
        return;
    map_remove(&server->visitors, node);
    free(node);
}

/* Tokens first: they point to visitors. */
void visitors_sweep(struct server *server)
{
    map_each(&server->tokens, sweep_token, server);
    map_each(&server->visitors, sweep_visitor, server);
}

/* Once per day the database records that a cookie was renewed. Nothing waits for the result. */

struct renewal {
    struct store_job job;
    uint8_t hash[TOKEN_SIZE];
    int64_t renewed;
};

static enum store_result run_renewal(struct store_db *db, struct store_job *job)
{
    const struct renewal *renewal = (struct renewal *)job;
    return store_renew_token(db, renewal->hash, renewal->renewed);
}

static void renewal_done(struct store_job *job, enum store_result result)
{
    (void)result;                            /* on failure the cookie is simply renewed once more */
    free(job);
}

void visitor_store_renewal(struct server *server, const char *token)
{
    struct renewal *renewal = calloc(1, sizeof *renewal);
    if (!renewal || !read_token(token, strlen(token), renewal->hash, NULL)) {
        free(renewal);
        return;
    }
    renewal->renewed = server_time();
    renewal->job.run = run_renewal;
    renewal->job.done = renewal_done;
    store_submit(server->store, &renewal->job);
}

/* The same for the last time that a visitor was seen. */

struct sighting {
    struct store_job job;
    struct store_visitor stored;
};

static enum store_result run_sighting(struct store_db *db, struct store_job *job)
{
    struct store_visitor *stored = &((struct sighting *)job)->stored;
    enum store_result result = sodium_is_zero(stored->token, sizeof stored->token) ?
        store_see_visitor(db, stored->id, stored->seen) : STORE_MISSING;
    return result == STORE_MISSING ? store_put_visitor(db, stored) : result;     /* it was dropped meanwhile: store it
                                                                                    again */
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

/* Removal. */

struct leaver {
    struct server *server;
    const struct visitor *visitor;
};

static void drop_token_of(struct map_node *node, void *context)
{
    const struct leaver *leaver = context;
    if (((struct token *)node)->visitor != leaver->visitor)
        return;
    map_remove(&leaver->server->tokens, node);
    free(node);
}

/* The visitor itself is freed once nothing refers to it. */
void visitor_leave(struct server *server, int64_t id)
{
    struct visitor *visitor = visitor_by_id(server, id);
    struct leaver leaver = { server, visitor };
    if (!visitor)
        return;
    map_each(&server->tokens, drop_token_of, &leaver);
    visitor->name[0] = '\0';
    for (struct conn *conn = visitor->conns; conn; conn = conn->next_of_visitor) {
        conn->close = 1008;
        conn_wake(conn);
    }
}

/* Another server has stored a new name. */

struct renaming {
    struct store_job job;
    struct server *server;
    int64_t id;
    struct store_visitor stored;
};

static enum store_result run_renaming(struct store_db *db, struct store_job *job)
{
    struct renaming *renaming = (struct renaming *)job;
    return store_get_visitor_by_id(db, renaming->id, &renaming->stored);
}

static void renaming_done(struct store_job *job, enum store_result result)
{
    struct renaming *renaming = (struct renaming *)job;
    struct visitor *visitor = visitor_by_id(renaming->server, renaming->id);
    bool is_gone = result == STORE_MISSING || (!result && !renaming->stored.created);
    if (visitor && is_gone)
        visitor_leave(renaming->server, renaming->id);
    else if (visitor && !result && !visitor->naming)
        memcpy(visitor->name, renaming->stored.name, sizeof visitor->name);
    free(renaming);
}

void visitor_renamed_elsewhere(struct server *server, int64_t id)
{
    struct renaming *renaming = visitor_by_id(server, id) ? calloc(1, sizeof *renaming) : NULL;
    if (!renaming)
        return;
    renaming->server = server;
    renaming->id = id;
    renaming->job.run = run_renaming;
    renaming->job.done = renaming_done;
    store_submit(server->store, &renaming->job);
}

static void check_name(struct map_node *node, void *context)
{
    visitor_renamed_elsewhere(context, (int64_t)node->key);
}

void visitors_check_names(struct server *server)
{
    map_each(&server->visitors, check_name, server);
}

/* One-time codes for a second device. */

_Static_assert(NAME_SIZE <= sizeof ((struct store_visitor *)0)->name, "a name fits into its row");

/* With 32 letters there are 2^40 codes: at GUESSES per minute and address, and ten minutes of validity, guessing is
 * hopeless. */
void device_code_draw(int64_t visitor, char text[10], struct device_code *made)
{
    char code[CODE_LETTERS + 1];
    code_draw(code, CODE_LETTERS);
    crypto_hash_sha256(made->hash, (const unsigned char *)code, CODE_LETTERS);
    made->visitor = visitor;
    made->until = server_time() + CODE_SECONDS;
    snprintf(text, 10, "%.4s-%.4s", code, code + 4);
    sodium_memzero(code, sizeof code);
}

bool device_code_read(const char *text, uint8_t hash[TOKEN_SIZE])
{
    char code[CODE_LETTERS + 1];
    if (!code_read(text, code, CODE_LETTERS))
        return false;
    crypto_hash_sha256(hash, (const unsigned char *)code, CODE_LETTERS);
    sodium_memzero(code, sizeof code);
    return true;
}

/* Visitors that the database has dropped. */

struct forgetting {
    struct server *server;
    struct visitor *visitor;     /* a visitor who stays and is stored again */
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

/* The database has dropped visitors that were not seen for long. If one of them came back in between, they are stored
 * again, with the same id and tokens, so they notice nothing. */
void visitors_forget(struct server *server, const int64_t *ids, unsigned count, int64_t before)
{
    struct forgetting forgetting = { .server = server };
    unsigned forgotten = 0;
    for (unsigned i = 0; i < count; i++) {
        struct visitor *visitor = visitor_by_id(server, ids[i]);
        if (visitor && !visitor->connections && !visitor->holds && visitor->seen < before) {
            visitor->forgotten = true;
            forgotten++;
        } else if (visitor) {                /* they have come back, or were connected all the time */
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
}
