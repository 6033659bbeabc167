/*
 * reminder_routes.c: the requests about messages to people who are not connected (reminder.h; docs/protocol.md, section
 * 2): browsers that want them, quiet time, waiting tables, and a feed of them instead of messages.
 *
 * A request becomes a job (push_job, turns, feed_job): its run_* function works in the store's thread and sees only the
 * job, its *_done function answers in the loop's. The job owns keys of browsers and feeds, which are wiped when it is
 * freed; the database has a feed's key only as a hash.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pyramids/text.h>

#include "change.h"
#include "reminder.h"
#include "request.h"

#define FEED_KEY 24              /* random bytes of a feed's key */
#define PUSH_RATE 0.2            /* per second and address: each new browser costs a row */
#define PUSH_BURST 30

static int64_t id_of(const struct request *request)
{
    return request->visitor ? (int64_t)request->visitor->node.key : 0;
}

/* Browsers and quiet time. */

struct push_job {
    struct store_job job;
    struct request *request;
    int64_t visitor, now;
    bool adds, drops, sets;      /* adds a browser; drops a browser or all of them; changes the settings */
    bool drops_all;
    struct store_push push;
    bool has_quiet, has_zone, has_daily;
    struct store_notice wanted, notice;
    unsigned pushes;
    bool has_feed;
};

/* What a visitor wants: the members of the request replace those that are stored, the others stay. */
static enum store_result run_notice(struct store_db *db, struct push_job *push)
{
    enum store_result result = store_get_notice(db, push->visitor, &push->notice);
    if ((result && result != STORE_MISSING) || !push->sets)
        return result == STORE_MISSING ? STORE_OK : result;
    if (push->has_quiet) {
        push->notice.quiet_from = push->wanted.quiet_from;
        push->notice.quiet_to = push->wanted.quiet_to;
    }
    /* With another time the reminder is looked for again; otherwise one that waits for the end of quiet time keeps
     * waiting. */
    bool is_same = (!push->has_zone || push->wanted.zone == push->notice.zone) &&
        (!push->has_daily || push->wanted.daily == push->notice.daily);
    if (push->has_zone)
        push->notice.zone = push->wanted.zone;
    if (push->has_daily)
        push->notice.daily = push->wanted.daily;
    if (!is_same)
        push->notice.due = push->notice.daily < 0 ? 0 : reminder_next(push->notice.daily, push->notice.zone, push->now);
    return store_put_notice(db, push->visitor, &push->notice);
}

/* One job for all three requests: each removes, adds or changes something, and is answered with all that is there then. */
static enum store_result run_push(struct store_db *db, struct store_job *job)
{
    struct push_job *push = (struct push_job *)job;
    struct store_push list[STORE_PUSHES];
    enum store_result result = STORE_OK;
    if (push->drops) {
        result = store_drop_push(db, push->visitor, push->drops_all ? NULL : push->push.endpoint);
        result = result == STORE_MISSING ? STORE_OK : result;
    }
    if (!result && push->adds)
        result = store_put_push(db, push->visitor, &push->push, push->now);
    if (!result)
        result = run_notice(db, push);
    if (!result)
        result = store_has_feed(db, push->visitor, &push->has_feed);
    return result ? result : store_get_pushes(db, push->visitor, list, &push->pushes);
}

static json_t *push_json(const struct server *server)
{
    const struct reminders *reminders = server->reminders;
    return reminders ? json_pack("{sb ss}", "available", 1, "key", reminders->key) : json_pack("{sb}", "available", 0);
}

static void push_done(struct store_job *job, enum store_result result)
{
    struct push_job *push = (struct push_job *)job;
    struct request *request = push->request;
    if (request_back(request)) {
        const struct store_notice *notice = &push->notice;
        json_t *json = result ? NULL : push_json(request->server);
        if (json) {
            bool is_quiet = notice->quiet_from != notice->quiet_to;
            json_object_set_new(json, "subscriptions", json_integer(push->pushes));
            json_object_set_new(json, "quiet", is_quiet ? json_pack("[ii]", notice->quiet_from, notice->quiet_to) :
                json_array());
            json_object_set_new(json, "zone", json_integer(notice->zone));
            json_object_set_new(json, "daily", notice->daily < 0 ? json_null() : json_integer(notice->daily));
            json_object_set_new(json, "feed", json_boolean(push->has_feed));
        }
        answer_json(request, 200, json);
    }
    sodium_memzero(&push->push, sizeof push->push);
    free(push);
}

static void submit_push(struct request *request, struct push_job *push)
{
    push->request = request;
    push->visitor = id_of(request);
    push->now = server_time();
    request_submit(request, &push->job, run_push, push_done);
}

void get_push(struct request *request)
{
    struct push_job *push = request->visitor ? calloc(1, sizeof *push) : NULL;
    if (push)
        submit_push(request, push);
    else if (request->visitor)
        request_error(request, ERROR_STORAGE, "");
    else
        answer_json(request, 200, push_json(request->server));
}

/* A whole number within bounds. */
static bool read_number(const json_t *value, int least, int most, int *to)
{
    if (!json_is_integer(value) || json_integer_value(value) < least || json_integer_value(value) > most)
        return false;
    *to = (int)json_integer_value(value);
    return true;
}

static bool read_key(const json_t *keys, const char *name, uint8_t *to, size_t size)
{
    const char *text = json_string_value(json_object_get(keys, name));
    return text && strlen(text) <= 100 && push_read_base64(text, to, size) == (long)size;
}

/* Reads the body; returns the name of a wrong member, or NULL. The values are in the order of post_push. */
static const char *read_push(const struct request *request, json_t *const values[6], struct push_job *push)
{
    const struct reminders *reminders = request->server->reminders;
    if (values[0]) {
        const char *endpoint = json_string_value(values[0]);
        if (!reminders || !deliver_allows(&reminders->options, endpoint))
            return "endpoint";
        if (!read_key(values[1], "p256dh", push->push.key, PUSH_PUBLIC) || !push_key_is_public(push->push.key) ||
            !read_key(values[1], "auth", push->push.auth, PUSH_AUTH))
            return "keys";
        snprintf(push->push.endpoint, sizeof push->push.endpoint, "%s", endpoint);
        snprintf(push->push.language, sizeof push->push.language, "%s",
            values[2] ? json_string_value(values[2]) : request->language);
        push->adds = true;
    } else if (values[1]) {
        return "keys";
    }
    push->has_quiet = values[3];
    push->has_zone = values[4];
    push->has_daily = values[5];
    push->sets = values[3] || values[4] || values[5];
    if (values[3] && json_array_size(values[3]) &&
        !(json_array_size(values[3]) == 2 && read_number(json_array_get(values[3], 0), 0, 1439, &push->wanted.quiet_from) &&
        read_number(json_array_get(values[3], 1), 0, 1439, &push->wanted.quiet_to)))
        return "quiet";
    if (values[4] && !read_number(values[4], -840, 840, &push->wanted.zone))
        return "zone";
    push->wanted.daily = -1;
    if (values[5] && !json_is_null(values[5]) && !read_number(values[5], 0, 1439, &push->wanted.daily))
        return "daily";
    return NULL;
}

void post_push(struct request *request)
{
    static const struct field fields[] = { { "endpoint", FIELD_TEXT, false, PUSH_ENDPOINT - 1 },
        { "keys", FIELD_ANY, false, 0 }, { "language", FIELD_TEXT, false, 15 }, { "quiet", FIELD_ARRAY, false, 2 },
        { "zone", FIELD_ANY, false, 0 }, { "daily", FIELD_ANY, false, 0 } };
    json_t *object, *values[6];
    if (!bucket_take(&request->address->pushes, server_now(request->server), PUSH_RATE, PUSH_BURST)) {
        request_error(request, ERROR_TOO_FAST, "");
        return;
    }
    if (!read_body(request, fields, 6, &object, values))
        return;
    struct push_job *push = calloc(1, sizeof *push);
    const char *wrong = push ? read_push(request, values, push) : NULL;
    json_decref(object);
    if (push && !wrong) {
        submit_push(request, push);
        return;
    }
    request_error(request, push ? ERROR_BAD_MESSAGE : ERROR_STORAGE, wrong ? wrong : "");
    free(push);
}

/* Deletes one browser, by its endpoint; without a body all of them. */
void delete_push(struct request *request)
{
    static const struct field fields[] = { { "endpoint", FIELD_TEXT, true, PUSH_ENDPOINT - 1 } };
    json_t *object = NULL, *value = NULL;
    if (request->body_size && !read_body(request, fields, 1, &object, &value))
        return;
    struct push_job *push = calloc(1, sizeof *push);
    if (push) {
        push->drops = true;
        push->drops_all = !value;
        snprintf(push->push.endpoint, sizeof push->push.endpoint, "%s", value ? json_string_value(value) : "");
        submit_push(request, push);
    } else {
        request_error(request, ERROR_STORAGE, "");
    }
    json_decref(object);
}

/* The switch of a table. */

static void notify_answered(struct change *change, enum error error)
{
    struct request *request = change->context;
    if (!request_back(request))
        return;
    if (error)
        request_error(request, error, "");
    else
        answer_json(request, 200, json_pack("{so}", "table", table_json(change->table, request->visitor)));
}

static void notify_at(struct request *request, struct table *table)
{
    static const struct field fields[] = { { "on", FIELD_BOOL, true, 0 } };
    json_t *object, *value;
    if (!read_body(request, fields, 1, &object, &value))
        return;
    struct change *change = change_new(table, apply_notify);
    if (change) {
        change->request.visitor = id_of(request);
        change->request.is_on = json_is_true(value);
        change->answer = notify_answered;
        change->context = request;
        request_wait(request);
        change_submit(change, NULL, NULL);
    } else {
        request_error(request, ERROR_STORAGE, "");
    }
    json_decref(object);
}

void post_notify(struct request *request) { with_table(request, notify_at); }

/* The tables that are waiting for a visitor, as JSON or as a feed. */

struct turns {
    struct store_job job;
    struct request *request;
    int64_t visitor;             /* 0: the visitor with this key */
    uint8_t key[32];             /* its SHA-256 */
    char codes[STORE_CODES][16];
    unsigned count;
};

static enum store_result run_turns(struct store_db *db, struct store_job *job)
{
    struct turns *turns = (struct turns *)job;
    int64_t visitor = turns->visitor;
    enum store_result result = visitor ? STORE_OK : store_get_feed(db, turns->key, &visitor);
    if (result)
        return result;
    turns->visitor = visitor;
    return store_get_open_of(db, visitor, turns->codes, &turns->count);
}

/* The next waiting table of the list, or NULL; *at is where to continue. */
static const struct table *next_waiting(const struct turns *turns, unsigned *at)
{
    while (*at < turns->count) {
        const struct table *table = table_find(turns->request->server, turns->codes[(*at)++]);
        pyr_seat seat = table ? table_seat_of(table, turns->visitor) : PYR_SPECTATOR;
        if (seat < PYR_MAX_SEATS && state_waits_for(&table->now, seat))
            return table;
    }
    return NULL;
}

static void answer_turns(struct turns *turns)
{
    const struct table *table;
    json_t *list = json_array();
    for (unsigned at = 0; (table = next_waiting(turns, &at));) {
        struct reminder reminder = { .visitor = turns->visitor };
        json_t *names = json_array();
        reminder_note_table(&reminder, table);
        const struct reminder_table *one = &reminder.table[0];
        for (unsigned i = 0; i < one->names; i++)
            json_array_append_new(names, json_string(one->name[i]));
        json_array_append_new(list, json_pack("{ss sI si si so sb}", "code", table->code, "since",
            (json_int_t)table->now.changed, "round", (int)one->round, "turn", (int)one->turn, "names", names, "notify",
            table->now.seat[table_seat_of(table, turns->visitor)].notify));
    }
    answer_json(turns->request, 200, json_pack("{si so}", "count", (int)json_array_size(list), "tables", list));
}

/* The feed (RFC 4287). */

static void write_escaped(FILE *to, const char *text)
{
    for (; *text; text++)
        if (*text == '&')
            fputs("&amp;", to);
        else if (*text == '<')
            fputs("&lt;", to);
        else if (*text == '>')
            fputs("&gt;", to);
        else if ((unsigned char)*text >= ' ' || *text == '\t')
            fputc(*text, to);
}

static void write_time(FILE *to, int64_t seconds)
{
    char text[32];
    time_t time = (time_t)seconds;
    struct tm utc;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&time, &utc));
    fprintf(to, "<updated>%s</updated>", text);
}

/* Ids never change, reveal nothing and differ between visitors: a part of the key's hash, and what identifies a choice. */
static void write_entry(FILE *to, const struct turns *turns, const struct table *table, const char *page)
{
    struct reminder reminder = { .kind = REMINDER_TURN, .visitor = turns->visitor };
    char body[1200], title[300], id[2 * 16 + 1], text[80];
    uint8_t hash[32];
    reminder_note_table(&reminder, table);
    reminder_title(&reminder, title, sizeof title);
    reminder_body(&reminder, body, sizeof body);
    snprintf(text, sizeof text, "%s %u", table->code, (unsigned)table->log.count);
    crypto_auth_hmacsha256(hash, (const unsigned char *)text, strlen(text), turns->key);
    sodium_bin2hex(id, sizeof id, hash, 16);
    fprintf(to, "<entry><id>urn:pyramids:turn:%s</id><title>", id);
    write_escaped(to, title);
    fputs("</title>", to);
    write_time(to, table->now.changed);
    fprintf(to, "<link href=\"%s#table/%s\"/><summary>", page, table->code);
    write_escaped(to, body);
    fputs("</summary></entry>\n", to);
}

static void write_feed(FILE *to, const struct turns *turns, const char *page)
{
    const struct table *table;
    char id[2 * 16 + 1];
    uint8_t hash[32];
    int64_t newest = 0;
    for (unsigned at = 0; (table = next_waiting(turns, &at));)
        newest = table->now.changed > newest ? table->now.changed : newest;
    crypto_auth_hmacsha256(hash, (const unsigned char *)"feed", 4, turns->key);
    sodium_bin2hex(id, sizeof id, hash, 16);
    fprintf(to, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"%s\">"
        "<id>urn:pyramids:feed:%s</id><title>", turns->request->language, id);
    write_escaped(to, _("Tables waiting for you · Pyramids"));
    fputs("</title>", to);
    write_time(to, newest);
    fprintf(to, "<author><name>Pyramids</name></author><link href=\"%s\"/>\n", page);
    for (unsigned at = 0; (table = next_waiting(turns, &at));)
        write_entry(to, turns, table, page);
    fputs("</feed>\n", to);
}

static void answer_feed(struct turns *turns)
{
    struct request *request = turns->request;
    char *text = NULL, page[HOST_SIZE + 16];
    uint8_t hash[32];
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) {
        request_error(request, ERROR_STORAGE, "");
        return;
    }
    const char *before = pyr_text_use(request->language);
    snprintf(page, sizeof page, "%s://%s/", request->secure ? "https" : "http", request->host);
    write_feed(to, turns, page);
    pyr_text_use(before);
    if (fclose(to)) {
        free(text);
        request_error(request, ERROR_STORAGE, "");
        return;
    }
    crypto_hash_sha256(hash, (const unsigned char *)text, size);
    request->own_etag[0] = '"';
    sodium_bin2hex(request->own_etag + 1, 33, hash, 16);
    memcpy(request->own_etag + 33, "\"", 2);
    request->page_etag = request->own_etag;
    request->translated = true;
    if (request_has_copy(request, request->own_etag)) {
        free(text);
        answer_text(request, 304, "application/atom+xml; charset=utf-8", NULL, 0);
    } else {
        answer_text(request, 200, "application/atom+xml; charset=utf-8", text, size);
    }
}

static void turns_there(void *context, enum error error)
{
    struct turns *turns = context;
    struct request *request = turns->request;
    bool is_feed = !sodium_is_zero(turns->key, sizeof turns->key);
    if (request_back(request)) {
        if (error)
            request_error(request, error, "");
        else if (is_feed)
            answer_feed(turns);
        else
            answer_turns(turns);
    }
    free(turns);
}

static void turns_done(struct store_job *job, enum store_result result)
{
    struct turns *turns = (struct turns *)job;
    struct request *request = turns->request;
    if (result == STORE_MISSING) {           /* an unknown key; 192 random bits cannot be guessed */
        if (request_back(request))
            request_error(request, ERROR_NOT_FOUND, "");
        free(turns);
    } else if (result) {
        turns_there(turns, ERROR_STORAGE);
    } else {
        tables_fetch(request->server, turns->codes, turns->count, turns_there, turns);
    }
}

static void submit_turns(struct request *request, struct turns *turns)
{
    turns->request = request;
    request_submit(request, &turns->job, run_turns, turns_done);
}

void get_my_turns(struct request *request)
{
    struct turns *turns = calloc(1, sizeof *turns);
    if (!turns) {
        request_error(request, ERROR_STORAGE, "");
        return;
    }
    turns->visitor = id_of(request);
    submit_turns(request, turns);
}

void get_feed(struct request *request)
{
    char key[push_letters(FEED_KEY) + 1];
    if (request_query(request, "key", key, sizeof key) != MEMBER_GOOD) {
        request_error(request, ERROR_NOT_FOUND, "");
        return;
    }
    struct turns *turns = calloc(1, sizeof *turns);
    if (turns) {
        crypto_hash_sha256(turns->key, (const unsigned char *)key, strlen(key));
        submit_turns(request, turns);
    } else {
        request_error(request, ERROR_STORAGE, "");
    }
    sodium_memzero(key, sizeof key);
}

/* The address of the feed: sent only once, since the database has only its hash. */

struct feed_job {
    struct store_job job;
    struct request *request;
    int64_t visitor;
    bool drops;
    char key[push_letters(FEED_KEY) + 1];
};

static enum store_result run_feed(struct store_db *db, struct store_job *job)
{
    const struct feed_job *feed = (struct feed_job *)job;
    uint8_t hash[32];
    if (feed->drops) {
        enum store_result result = store_drop_feed(db, feed->visitor);
        return result == STORE_MISSING ? STORE_OK : result;
    }
    crypto_hash_sha256(hash, (const unsigned char *)feed->key, strlen(feed->key));
    return store_put_feed(db, feed->visitor, hash);
}

static void feed_done(struct store_job *job, enum store_result result)
{
    struct feed_job *feed = (struct feed_job *)job;
    struct request *request = feed->request;
    if (request_back(request)) {
        char path[sizeof feed->key + 40];
        snprintf(path, sizeof path, "/api/my/turns.atom?key=%s", feed->key);
        if (result)
            request_error(request, ERROR_STORAGE, "");
        else
            answer_json(request, 200, feed->drops ? json_object() : json_pack("{ss}", "path", path));
        sodium_memzero(path, sizeof path);
    }
    sodium_memzero(feed->key, sizeof feed->key);
    free(feed);
}

static void change_feed(struct request *request, bool drops)
{
    struct feed_job *feed = calloc(1, sizeof *feed);
    uint8_t bytes[FEED_KEY];
    if (!feed) {
        request_error(request, ERROR_STORAGE, "");
        return;
    }
    randombytes_buf(bytes, sizeof bytes);
    if (!drops)
        push_write_base64(bytes, sizeof bytes, feed->key);
    sodium_memzero(bytes, sizeof bytes);
    feed->request = request;
    feed->visitor = id_of(request);
    feed->drops = drops;
    request_submit(request, &feed->job, run_feed, feed_done);
}

void post_feed(struct request *request)
{
    if (!read_empty_body(request))
        return;
    change_feed(request, false);
}

void delete_feed(struct request *request) { change_feed(request, true); }
