/*
 * http.c: the routes (docs/protocol.md, section 2, docs/openapi.json).
 *
 * Every handler gets a request whose route, method, size and visitor have been checked (request_route), and ends in
 * exactly one of answer_text, answer_json and request_error, at once or later.
 *
 * A handler that needs the database or a thread makes a job: request_wait, submit, and in the job's `done` request_back,
 * which says whether the client is still there. Rules for that:
 *  1. Between request_wait and request_back the request is not freed, whatever happens to the connection.
 *  2. A job's `run` is in the store's thread, possibly twice; it touches nothing but the job itself.
 *  3. A job frees itself in `done`, with or without a client.
 *
 * Everything else runs in the loop's thread.
 */
#include <inttypes.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <pyramids/json.h>
#include <pyramids/text.h>

#include "access.h"
#include "bans.h"
#include "daily.h"
#include "judging.h"
#include "object.h"
#include "pool.h"
#include "profile.h"
#include "reload.h"
#include "reminder.h"
#include "request.h"
#include "server.h"

/* Answers. */

/* Takes the text, which is freed with the request. */
void answer_text(struct request *request, int status, const char *type, char *text, size_t size)
{
    request->status = status;
    request->type = type;
    request->data = text;
    request->size = size;
    request_send(request);
}

/* Takes the object; NULL, which is what jansson gives without memory, becomes an error. */
void answer_json(struct request *request, int status, json_t *json)
{
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    if (text)
        answer_text(request, status, "application/json", text, strlen(text));
    else
        request_error(request, ERROR_STORAGE, "");
}

/* Asked for by a name that is not ours: what works instead, as a page for a person and as JSON for a program. */

/* For pages without scripts: those that are made here or from an analysis. */
#define PLAIN_POLICY \
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'none'; img-src data:; base-uri 'none'; " \
    "form-action 'none'; " \
    "frame-ancestors 'none'"

/* `host` came from outside: refuse_host has replaced all but the characters of names by '?', so it needs no escaping. */
static void write_refusal_page(FILE *to, const struct request *request, const char *host,
    char links[][ACCESS_LINK_SIZE], unsigned count)
{
    const char *title = _("This server does not answer to this name");
    fprintf(to,
        "<!doctype html>\n<html lang=\"%s\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\">\n"
        "<title>%s · Pyramids</title>\n<style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem "
        "auto;padding:0 1rem;"
        "color-scheme:light dark}code{overflow-wrap:anywhere}</style>\n<h1>%s</h1>\n<p>",
        request->language, title, title);
    fprintf(to,
        _("You asked for %s. For your safety this server answers only to the names and addresses of its own machine."),
        host);
    fprintf(to, "</p>\n<p>%s</p>\n<ul>\n", _("These work:"));
    for (unsigned i = 0; i < count; i++)
        fprintf(to, "<li><a href=\"%s\">%s</a></li>\n", links[i], links[i]);
    fprintf(to, "</ul>\n<p>%s<br><code>pyramids serve --origin %s://%s</code></p>\n</html>\n",
        _("If this is your server and the name is right, add the name when you start it:"),
        request->secure ? "https" : "http", host);
}

/* A page of another name that resolves to this machine (DNS rebinding) must not reach the API, so the answer contains links
 * to the right names and nothing else. The language is set for these sentences only and put back. */
static void refuse_host(struct request *request)
{
    char host[HOST_SIZE], links[ACCESS_LINKS][ACCESS_LINK_SIZE], message[512];
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:[]";
    unsigned count = access_links_for(request->server, request->host, links);
    const char *before = pyr_text_use(request->language);
    snprintf(host, sizeof host, "%s", request->host[0] ? request->host : "?");
    for (char *at = host; *at; at++)
        if (!strchr(safe, *at))
            *at = '?';
    request->server->count.errors++;
    request->translated = true;
    if (request->html && strncmp(request->path, "/api/", 5)) {
        char *text = NULL;
        size_t size = 0;
        FILE *to = open_memstream(&text, &size);
        if (to) {
            write_refusal_page(to, request, host, links, count);
            fclose(to);
        }
        request->policy = PLAIN_POLICY;
        answer_text(request, text ? error_status(ERROR_ORIGIN) : 503, "text/html; charset=utf-8", text, text ? size : 0);
    } else {
        json_t *list = json_array();
        for (unsigned i = 0; i < count; i++)
            json_array_append_new(list, json_string(links[i]));
        snprintf(message, sizeof message,
            _("This server does not answer to the name %s. Use one of the links, or start it with --origin %s://%s"), host,
            request->secure ? "https" : "http", host);
        answer_json(request, error_status(ERROR_ORIGIN),
            json_pack("{s{ss ss ss so}}", "error", "code", error_name(ERROR_ORIGIN), "detail", "host", "message", message,
                "links", list));
    }
    pyr_text_use(before);
}

/* ERROR_ORIGIN may be about the Host or about the Origin: with a Host that is not ours the answer explains which names
 * are.
 * Sends an error with its code for programs; `detail` names the member of the message that is wrong. It may
 * replace an answer that was prepared before. Without memory the answer has a status and no body. */
void request_error(struct request *request, enum error error, const char *detail)
{
    request->refusal = error_name(error);
    char text[384];
    struct pyr_json json;
    if (error == ERROR_ORIGIN && !access_is_our_page(request->server, request->host, NULL)) {
        refuse_host(request);
        return;
    }
    pyr_json_init(&json, text, sizeof text, PYR_JSON_COMPACT);
    pyr_json_object(&json, NULL);
    pyr_json_object(&json, "error");
    pyr_json_text(&json, "code", error_name(error));
    if (detail && detail[0])
        pyr_json_text(&json, "detail", detail);
    pyr_json_close(&json);
    pyr_json_close(&json);
    size_t size = pyr_json_finish(&json);
    if (error == ERROR_TOO_FAST)
        request->retry = 2;
    request->server->count.errors++;
    request->status = error_status(error);
    request->type = "application/json";
    free(request->data);
    request->data = malloc(size + 1);
    request->size = request->data ? size : 0;
    if (request->data)
        memcpy(request->data, text, size + 1);
    request_send(request);
}

/* Comings and goings. */

/* Behind a proxy each request counts as a connection of its client (entered), since all share the proxy's. Otherwise a
 * reference is enough: the connection itself counts. */
void request_come_from(struct request *request, struct address *address)
{
    struct server *server = request->server;
    request->address = address;
    request->entered = server->options.trust_proxy && address_enter(server, address);
    if (request->entered)
        return;
    address_hold(address);
    if (server->options.trust_proxy)
        request->early = ERROR_TOO_MANY;
}

/* Only looks into memory. Cookies that are well-formed but unknown here go to `unknown`, for request_look_up. */
void request_identify(struct request *request, const char *cookies)
{
    if (!visitor_identify(request->server, cookies, &request->visitor, &request->identity, request->token,
        &request->unknown))
        request->early = ERROR_STORAGE;
    visitor_hold(request->visitor);
}

/* Tokens and cookies are wiped: they are keys to a visitor's games. */
void request_free(struct request *request)
{
    if (request->entered)
        address_leave(request->address);
    else
        address_release(request->address);
    visitor_release(request->server, request->visitor);
    tokens_free(request->unknown);
    sodium_memzero(request->token, sizeof request->token);
    sodium_memzero(request->cookie, sizeof request->cookie);
    free(request->data);
    free(request);
}

/* A request whose answer takes a job: it stays until request_back says whether anybody still waits. */
void request_wait(struct request *request)
{
    request->waits = true;
}

/* Each request_wait is followed by one of these. False: the client has gone, and the request with it. */
bool request_back(struct request *request)
{
    request->waits = false;
    if (request->conn)
        return true;
    request_free(request);
    return false;
}

/* The value of a hexadecimal digit, or -1. */
static int digit(char letter)
{
    return letter >= '0' && letter <= '9' ? letter - '0' : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 :
        letter >= 'A' && letter <= 'F' ? letter - 'A' + 10 : -1;
}

/* A '%' that is not followed by two digits stands for itself. A zero byte would end the text early: it is refused. */
bool request_query(const struct request *request, const char *name, char *to, size_t room)
{
    size_t length = strlen(name), size = 0;
    const char *at = request->query;
    while (*at && (strncmp(at, name, length) || at[length] != '=')) {
        at += strcspn(at, "&");
        at += *at == '&';
    }
    if (!*at)
        return false;
    for (at += length + 1; *at && *at != '&'; at++) {
        char letter = *at == '+' ? ' ' : *at;
        if (letter == '%' && digit(at[1]) >= 0 && digit(at[2]) >= 0) {
            letter = (char)(16 * digit(at[1]) + digit(at[2]));
            at += 2;
        }
        if (!letter || size + 1 >= room)
            return false;
        to[size++] = letter;
    }
    to[size] = '\0';
    return true;
}

/* Whose a request is. */

/* A cookie that is not in memory is looked for in the database. There may be several: the first that is known counts. */
struct lookup {
    struct store_job job;
    struct request *request;
    struct tokens *tokens;
    unsigned which;              /* of them is the visitor's */
    struct store_visitor found;
    void (*then)(struct request *request, enum error error); /* what goes on once it is known */
};

/* Stops at the first cookie that is known, and at the first real failure. */
static enum store_result run_lookup(struct store_db *db, struct store_job *job)
{
    struct lookup *lookup = (struct lookup *)job;
    enum store_result result = STORE_MISSING;
    for (unsigned i = 0; i < lookup->tokens->count && result == STORE_MISSING; i++) {
        lookup->which = i;
        result = store_get_visitor(db, lookup->tokens->at[i].hash, &lookup->found);
    }
    return result;
}

/* It is no error that nobody was found: the request continues without a visitor, and its route decides whether it needs
 * one. */
static void lookup_done(struct store_job *job, enum store_result result)
{
    struct lookup *lookup = (struct lookup *)job;
    struct request *request = lookup->request;
    enum error error = result && result != STORE_MISSING ? ERROR_STORAGE : ERROR_NONE;
    if (!result && request->conn) {
        request->visitor = visitor_hold(visitor_load(request->server, &lookup->found));
        if (request->visitor) {
            request->identity = IDENTITY_KNOWN;
            memcpy(request->token, lookup->tokens->at[lookup->which].text, sizeof request->token);
        } else {
            error = ERROR_STORAGE;
        }
    }
    if (request_back(request))
        lookup->then(request, error);
    tokens_free(lookup->tokens);
    free(lookup);
}

/* At once, without a job, if there is nothing to look up. */
void request_look_up(struct request *request, void (*then)(struct request *request, enum error error))
{
    struct lookup *lookup = request->unknown ? calloc(1, sizeof *lookup) : NULL;
    if (!lookup) {
        then(request, request->unknown ? ERROR_STORAGE : ERROR_NONE);
        return;
    }
    *lookup = (struct lookup){ .job = { .run = run_lookup, .done = lookup_done }, .request = request,
        .tokens = request->unknown, .then = then };
    request->unknown = NULL;
    request_wait(request);
    store_submit(request->server->store, &lookup->job);
}

/* The members of a request's body. False after an answer.
 * On success the caller owns *object; `values` point into it, in the order of `field`, NULL for members that are
 * missing. */
bool read_body(struct request *request, const struct field *field, unsigned count, json_t **object, json_t **values)
{
    struct problem problem = { 0 };
    enum error error;
    *object = object_read(request->body, request->body_size, &error);
    if (error) {
        request_error(request, error, "");
        return false;
    }
    if (!fields_read(*object, field, count, false, values, &problem)) {
        json_decref(*object);
        request_error(request, ERROR_BAD_MESSAGE, problem.detail);
        return false;
    }
    return true;
}

/* Visitors. */

/* Makes a visitor, renames one, or gives a second device a token of the same visitor. */
struct visitor_job {
    struct store_job job;
    struct request *request;
    struct visitor *visitor;     /* whose name is changed; NULL: a new one, or a new token */
    struct store_visitor stored;
    bool is_token;
    uint8_t code[TOKEN_SIZE];    /* hash of the one-time code that a token is given for */
    int64_t now;
    char old_name[NAME_SIZE];
};

/* A job may be run twice, so it begins from what it was given. */
static enum store_result run_visitor(struct store_db *db, struct store_job *job)
{
    struct visitor_job *v = (struct visitor_job *)job;
    if (!v->visitor)
        v->stored.id = 0;
    if (!v->is_token)
        return v->visitor ? store_rename_visitor(db, &v->stored) : store_put_visitor(db, &v->stored);
    uint8_t token[TOKEN_SIZE];
    int64_t id;
    enum store_result result = store_take_code(db, v->code, v->now, &id);
    memcpy(token, v->stored.token, sizeof token);
    if (!result && !(result = store_add_token(db, id, token, v->now)))
        result = store_get_visitor(db, token, &v->stored);
    return result;
}

/* A visitor's number is not part of any answer. */
static void answer_visitor(struct request *request, const char *name)
{
    answer_json(request, 200, json_pack("{s{ss}}", "visitor", "name", name));
}

/* A new name shows at once and is taken back if it could not be stored. The cookie of a visitor that was not stored is
 * not handed out. A wrong one-time code counts as a guess. */
static void visitor_stored(struct store_job *job, enum store_result result)
{
    struct visitor_job *v = (struct visitor_job *)job;
    struct request *request = v->request;
    bool is_wrong = v->is_token && result == STORE_MISSING;
    if (v->visitor)
        v->visitor->naming--;
    if (result && v->visitor)
        memcpy(v->visitor->name, v->old_name, NAME_SIZE);
    else if (!result && !v->visitor)
        visitor_load(request->server, &v->stored);             /* without memory the next request does it */
    if (is_wrong)
        address_guessed(request->server, request->address);
    if (request_back(request)) {
        if (result) {
            request->cookie[0] = '\0';
            request_error(request, is_wrong ? ERROR_BAD_CODE : ERROR_STORAGE, "");
        } else {
            answer_visitor(request, v->stored.name);
        }
    }
    free(v);
}

/* HttpOnly: no script can read it. SameSite=Strict: pages of others cannot use it. It lasts a year from each renewal. */
static void set_cookie(struct request *request, const char *token)
{
    snprintf(request->cookie, sizeof request->cookie, "pyramids=%s; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict%s",
        token, request->secure ? "; Secure" : "");
}

static void store_visitor(struct request *request, struct visitor_job *v)
{
    v->request = request;
    v->now = server_time();
    v->job.run = run_visitor;
    v->job.done = visitor_stored;
    request_wait(request);
    store_submit(request->server->store, &v->job);
}

static void get_visitor(struct request *request)
{
    answer_visitor(request, request->visitor->name);
}

/*
 * Whether a new cookie may take the place of what was presented. Cookies that could not be read may be a visitor's: a
 * new one would cost them their seats. One that is not known here may be known to the database that the server had
 * yesterday: only who says so becomes another visitor.
 */
static bool may_replace(struct request *request, bool is_meant)
{
    if (request->identity == IDENTITY_UNREADABLE)
        request_error(request, ERROR_BAD_COOKIE, "");
    else if (request->identity == IDENTITY_UNKNOWN && !is_meant)
        request_error(request, ERROR_UNKNOWN_VISITOR, "");
    else
        return true;
    return false;
}

/* A job that makes a visitor, or changes the name of one; NULL without memory. */
static struct visitor_job *new_visitor_job(struct request *request, const char name[NAME_SIZE])
{
    struct visitor_job *v = calloc(1, sizeof *v);
    char token[2 * TOKEN_SIZE + 1];
    if (!v)
        return NULL;
    v->visitor = request->visitor;
    if (v->visitor) {
        v->stored = (struct store_visitor){
            .id = (int64_t)v->visitor->node.key, .created = v->visitor->created, .seen = server_time()
        };
        memcpy(v->stored.name, name, NAME_SIZE);
        memcpy(v->old_name, v->visitor->name, NAME_SIZE);
        memcpy(v->visitor->name, name, NAME_SIZE);
        v->visitor->naming++;
        return v;
    }
    visitor_draw(name, token, &v->stored);
    set_cookie(request, token);
    sodium_memzero(token, sizeof token);
    return v;
}

/* Without a name a known visitor only asks who they are. New visitors are limited by address, since each costs a row. */
static void post_visitor(struct request *request)
{
    static const struct field fields[] = { { "name", FIELD_TEXT, false, 400 }, { "new", FIELD_BOOL, false, 0 } };
    struct server *server = request->server;
    json_t *object, *values[2];
    char name[NAME_SIZE] = "";
    if (!read_body(request, fields, 2, &object, values))
        return;
    bool good = !values[0] || name_clean(json_string_value(values[0]), name);
    bool named = values[0] != NULL, is_meant = json_is_true(values[1]);
    json_decref(object);
    if (!good) {
        request_error(request, ERROR_BAD_NAME, "");
        return;
    }
    if (request->visitor && !named) {
        answer_visitor(request, request->visitor->name);
        return;
    }
    if (!request->visitor && !may_replace(request, is_meant))
        return;
    if (!request->visitor &&
        !bucket_take(&request->address->visitors, server_now(server), 1, server->options.max_per_address)) {
        request_error(request, ERROR_TOO_FAST, "");
        return;
    }
    struct visitor_job *v = new_visitor_job(request, name);
    if (v)
        store_visitor(request, v);
    else
        request_error(request, ERROR_STORAGE, "");
}

/* One-time codes are told once they are on the disk: they survive a restart. */

struct code_job {
    struct store_job job;
    struct request *request;
    struct device_code made;     /* what is stored: the hash, whose, until when */
    int64_t now;
    char code[10];
};

/* Only the hash of the code is stored: a copy of the database does not open anybody's account. */
static enum store_result run_code(struct store_db *db, struct store_job *job)
{
    struct code_job *c = (struct code_job *)job;
    return store_put_code(db, c->made.hash, c->made.visitor, c->made.until);
}

static void code_stored(struct store_job *job, enum store_result result)
{
    struct code_job *c = (struct code_job *)job;
    struct request *request = c->request;
    if (request_back(request)) {
        if (result)
            request_error(request, ERROR_STORAGE, "");
        else
            answer_json(request, 200, json_pack("{ss si}", "code", c->code, "seconds", (int)(c->made.until - c->now)));
    }
    sodium_memzero(c->code, sizeof c->code);
    free(c);
}

/* The body must be an empty object, so that a later version can add members. */
static void post_visitor_code(struct request *request)
{
    json_t *object;
    if (!read_body(request, NULL, 0, &object, NULL))
        return;
    json_decref(object);
    struct code_job *c = calloc(1, sizeof *c);
    if (!c) {
        request_error(request, ERROR_STORAGE, "");
        return;
    }
    device_code_draw((int64_t)request->visitor->node.key, c->code, &c->made);
    c->request = request;
    c->now = server_time();
    c->job.run = run_code;
    c->job.done = code_stored;
    request_wait(request);
    store_submit(request->server->store, &c->job);
}

/* A one-time code from another device makes this browser the same visitor, with a token of its own. Codes are short, so
 * wrong ones are counted by address and limited. */
static void post_visitor_device(struct request *request)
{
    static const struct field fields[] = { { "code", FIELD_TEXT, true, 16 } };
    json_t *object, *value;
    char token[2 * TOKEN_SIZE + 1];
    if (!address_may_guess(request->server, request->address)) {
        request_error(request, ERROR_TOO_FAST, "");
        return;
    }
    if (!may_replace(request, true) || !read_body(request, fields, 1, &object, &value))
        return;
    struct visitor_job *v = calloc(1, sizeof *v);
    bool is_code = v && device_code_read(json_string_value(value), v->code);
    json_decref(object);
    if (!is_code) {
        if (v)
            address_guessed(request->server, request->address);
        request_error(request, v ? ERROR_BAD_CODE : ERROR_STORAGE, "");
        free(v);
        return;
    }
    v->is_token = true;
    visitor_draw("", token, &v->stored);
    set_cookie(request, token);
    sodium_memzero(token, sizeof token);
    store_visitor(request, v);
}

/* Tables. */

static void tell_tables(void *context, enum error error)
{
    struct request *request = context;
    const struct table *tables[LOBBY_TABLES];
    if (!request_back(request))
        return;
    if (error) {
        request_error(request, error, "");
        return;
    }
    json_t *list = json_array();
    unsigned count = lobby_list(request->server, tables);
    for (unsigned i = 0; i < count; i++)
        json_array_append_new(list, table_json(tables[i], request->visitor));
    answer_json(request, 200, json_pack("{so}", "tables", list));
}

/* The database first: public tables of a past run, or of other servers, are not in memory. */
static void get_tables(struct request *request)
{
    request_wait(request);
    lobby_load(request->server, tell_tables, request);
}

/* One member of "seats". False after an answer.
 * Members that make no sense for a kind are refused instead of ignored: a client learns of its mistake. */
static bool read_seat(struct request *request, json_t *value, struct seat *seat)
{
    static const struct field fields[] = { { "kind", FIELD_TEXT, true, 8 }, { "name", FIELD_TEXT, false, 400 },
        { "level", FIELD_TEXT, false, 16 } };
    struct problem problem = { 0 };
    json_t *values[3];
    *seat = (struct seat){ .kind = SEAT_OPEN };
    if (!json_is_object(value) || !fields_read(value, fields, 3, false, values, &problem)) {
        request_error(request, ERROR_BAD_MESSAGE, "seats");
        return false;
    }
    const char *kind = json_string_value(values[0]);
    if (values[1] && !name_clean(json_string_value(values[1]), seat->name)) {
        request_error(request, ERROR_BAD_NAME, "");
        return false;
    }
    if (!strcmp(kind, "friend")) {
        seat->kind = SEAT_FRIEND;
    } else if (!strcmp(kind, "bot")) {
        seat->kind = SEAT_BOT;
        seat->bot = values[2] ? pyr_bot_find(json_string_value(values[2])) : NULL;
        if (!seat->bot) {
            request_error(request, ERROR_BAD_MESSAGE, "level");
            return false;
        }
        if (!seat->name[0])
            snprintf(seat->name, NAME_SIZE, "%s", seat->bot->name);
    } else if (strcmp(kind, "open") || values[1]) {
        request_error(request, ERROR_BAD_MESSAGE, values[1] ? "name" : "kind");
        return false;
    }
    if (seat->kind != SEAT_BOT && values[2]) {
        request_error(request, ERROR_BAD_MESSAGE, "level");
        return false;
    }
    seat->kind_if_free = seat->kind;
    return true;
}

/* A new table. With an id, the database is asked first whether that id has made one already: a client that got no answer
 * sends the same request again and gets the same table. */
struct creation {
    struct store_job job;
    struct request *request;
    struct table_request wanted;
    int64_t visitor;
    char id[ID_SIZE];
    char code[16];               /* of the table that this id has made before */
    bool is_again;               /* it is looked for a second time */
};

/* The table with the keys of its friends' seats, as whoever makes it is told. */
static void tell_new_table(struct request *request, const struct table *table)
{
    json_t *keys = json_object();
    for (unsigned s = 0; s < table->now.seats; s++) {
        char key[KEY_SIZE + 1];
        if (sodium_is_zero(table->now.seat[s].key, TOKEN_SIZE))
            continue;
        table_key(table, s, key);
        json_object_set_new(keys, (char[]){ (char)('1' + s), '\0' }, json_string(key));
    }
    json_t *answer = json_pack("{so}", "table", table_json(table, request->visitor));
    if (json_object_size(keys))
        json_object_set(answer, "keys", keys);
    json_decref(keys);
    answer_json(request, 201, answer);
}

static void table_created(struct change *change, enum error error)
{
    struct creation *creation = change->context;
    struct request *request = creation->request;
    /* The same request may have come twice at once, here or at another server: then the other one has made the table. */
    if (error == ERROR_STORAGE && creation->id[0] && !creation->is_again && request->conn && !request->server->stopped) {
        creation->is_again = true;
        store_submit(request->server->store, &creation->job);
        return;
    }
    if (request_back(request)) {
        if (error)
            request_error(request, error, "");
        else
            tell_new_table(request, change->table);
    }
    free(creation);
}

/* The same request came again: so does its answer. */
static void table_found_again(struct fetch *fetch, struct table *table, enum error error)
{
    struct creation *creation = fetch->context;
    struct request *request = creation->request;
    free(creation);
    if (!request_back(request))
        return;
    if (error)
        request_error(request, error, "");
    else
        tell_new_table(request, table);
}

/* The visitor is found again by number: it may have left the memory while the database was asked. */
static void create_table(struct creation *creation)
{
    struct request *request = creation->request;
    struct table *table;
    struct visitor *visitor = visitor_by_id(request->server, creation->visitor);
    enum error error = visitor ? table_create(request->server, visitor, &creation->wanted, table_created, creation, &table) :
        ERROR_NO_VISITOR;
    if (!error)
        return;
    free(creation);
    if (request_back(request))
        request_error(request, error, "");
}

static enum store_result run_find_again(struct store_db *db, struct store_job *job)
{
    struct creation *creation = (struct creation *)job;
    return store_get_request(db, creation->visitor, creation->id, creation->code);
}

/* STORE_MISSING: the id is new, and the table is made now. If the client has gone meanwhile, no table is made. */
static void find_again_done(struct store_job *job, enum store_result result)
{
    struct creation *creation = (struct creation *)job;
    struct request *request = creation->request;
    struct table *table = result ? NULL : table_find(request->server, creation->code);
    if (result == STORE_MISSING && request->conn) {
        create_table(creation);
        return;
    }
    if (!result && !table && request->conn && table_fetch(request->server, creation->code, table_found_again, creation))
        return;
    free(creation);
    if (!request_back(request))
        return;
    if (table)
        tell_new_table(request, table);
    else
        request_error(request, ERROR_STORAGE, "");
}

/* The terms of a table in a body (read_terms). */
#define TERMS_FIELDS { "edition", FIELD_TEXT, false, 64 }, { "public", FIELD_BOOL, false, 0 }, \
    { "clock", FIELD_TEXT, false, 16 }, { "hints", FIELD_BOOL, false, 0 }

/* What a body says of the terms of a table, in the order of the fields: edition, public, clock, hints; NULL: as they are.
 * False after an error was sent. */
static bool read_terms(struct request *request, json_t *const values[4], struct table_terms *terms)
{
    static const char *const clocks[] = { "none", "relaxed", "quick" };
    unsigned clock = 0;
    while (values[2] && clock < 3 && strcmp(json_string_value(values[2]), clocks[clock]))
        clock++;
    if (clock == 3) {
        request_error(request, ERROR_BAD_MESSAGE, "clock");
        return false;
    }
    if (values[0] || !terms->edition)
        terms->edition = server_edition(request->server, values[0] ? json_string_value(values[0]) : "classic");
    if (!terms->edition || (values[0] && !edition_is_offered(request->server, terms->edition))) {
        request_error(request, ERROR_NO_EDITION, "");
        return false;
    }
    terms->is_public = values[1] ? json_is_true(values[1]) : terms->is_public;
    terms->clock = values[2] ? (uint8_t)clock : terms->clock;
    terms->hints = values[3] ? json_is_true(values[3]) : terms->hints;
    return true;
}

/* A table of bots alone is refused. */
static void post_tables(struct request *request)
{
    static const struct field fields[] = { { "seats", FIELD_ARRAY, true, PYR_MAX_SEATS }, TERMS_FIELDS,
        { "id", FIELD_TEXT, false, ID_SIZE - 1 } };
    struct server *server = request->server;
    struct creation *creation = calloc(1, sizeof *creation);
    json_t *object = NULL, *values[6];
    if (!creation) {
        request_error(request, ERROR_STORAGE, "");
        return;
    }
    struct table_request *wanted = &creation->wanted;
    creation->request = request;
    creation->visitor = (int64_t)request->visitor->node.key;
    wanted->address = request->address;      /* the request holds it */
    if (!read_body(request, fields, 6, &object, values)) {
        free(creation);
        return;
    }
    unsigned free_seats = 0;
    wanted->seats = (unsigned)json_array_size(values[0]);
    for (unsigned s = 0; s < wanted->seats; s++) {
        if (!read_seat(request, json_array_get(values[0], s), &wanted->seat[s]))
            goto fail;
        free_seats += wanted->seat[s].kind != SEAT_BOT;
    }
    wanted->id = creation->id;
    bool bad_seats = wanted->seats < PYR_MIN_SEATS || !free_seats, bad_id = values[5] && !message_is_id(values[5]);
    if (bad_seats || bad_id) {
        request_error(request, ERROR_BAD_MESSAGE, bad_seats ? "seats" : "id");
        goto fail;
    }
    if (!read_terms(request, values + 1, &wanted->terms))
        goto fail;
    if (values[5])
        memcpy(creation->id, json_string_value(values[5]), json_string_length(values[5]) + 1);
    json_decref(object);
    request_wait(request);
    if (!creation->id[0]) {
        create_table(creation);
        return;
    }
    creation->job.run = run_find_again;
    creation->job.done = find_again_done;
    store_submit(server->store, &creation->job);
    return;
fail:
    json_decref(object);
    free(creation);
}

/* Routes with a code: the table is found first, in memory or in the database. */

#define MOST_READS 3

struct with_table {
    struct request *request;
    bool limited;                /* the address has guessed too often: only what is known to the visitor is found */
    unsigned tries;              /* how often it was read and could not take the place of what is in memory */
    void (*then)(struct request *request, struct table *table);
};

/* An address that has guessed too often gets the same answer for tables that exist and that do not, unless the table is
 * known to the visitor: otherwise the answer would confirm the guess. */
static void table_fetched(struct fetch *fetch, struct table *table, enum error error)
{
    struct with_table *with = fetch->context;
    struct request *request = with->request;
    void (*then)(struct request *, struct table *) = with->then;
    /* A change was being stored, or the table was being read: what is in memory may be old still. */
    if (!error && !fetch->is_current && with->tries++ < MOST_READS && request->conn &&
        table_fetch(request->server, table->code, table_fetched, with))
        return;
    if (with->limited && !(table && table_is_known_to(table, request->visitor)))
        error = ERROR_TOO_FAST;
    free(with);
    if (!request_back(request))
        return;
    if (error == ERROR_NO_TABLE)
        address_guessed(request->server, request->address);
    if (error)
        request_error(request, error, "");
    else
        daily_show(request, table, then);
}

/* `then` gets the table of the code in the path, at once if it is in memory and nothing is known to be missing there. Codes
 * that cannot exist count as guesses, too. */
void with_table(struct request *request, void (*then)(struct request *request, struct table *table))
{
    char code[CODE_SIZE + 1];
    if (!code_read(request->word, code, CODE_SIZE))
        code[0] = '\0';
    struct table *table = table_find(request->server, code);
    bool limited = !(table && table_is_known_to(table, request->visitor)) &&
        !address_may_guess(request->server, request->address);
    if (limited && (table || !code[0])) {
        request_error(request, ERROR_TOO_FAST, "");
        return;
    }
    if (table && !upkeep_is_behind(request->server) && table->heard <= table->revision) {
        daily_show(request, table, then);
        return;
    }
    if (!code[0]) {
        address_guessed(request->server, request->address);
        request_error(request, ERROR_NO_TABLE, "");
        return;
    }
    struct with_table *with = malloc(sizeof *with);
    if (with) {
        *with = (struct with_table){ .request = request, .limited = limited, .then = then };
        request_wait(request);
        if (table_fetch(request->server, code, table_fetched, with))
            return;
        request->waits = false;
    }
    free(with);
    request_error(request, ERROR_STORAGE, "");
}

static void tell_table(struct request *request, struct table *table)
{
    answer_json(request, 200, json_pack("{so}", "table", table_json(table, request->visitor)));
}

static void get_table(struct request *request) { with_table(request, tell_table); }

/* The record as the asker may see it: of a running game without the lines that are secret for their seat.
 * The test for each line is that of pyr_game_line_is_visible, the one place that knows what is secret. A finished
 * game has no secrets. */
static void tell_record(struct request *request, struct table *table)
{
    const struct table_log *log = &table->log;
    pyr_seat seat = table_seat_of(table, request->visitor ? (int64_t)request->visitor->node.key : 0);
    size_t size = 0, room = log->count ? log->start[log->count] : 0;
    char *text = malloc(room + DAILY_LINE);
    if (!text) {
        request_error(request, ERROR_STORAGE, "");
        return;
    }
    for (uint32_t i = 0; i < log->count; i++) {
        if (!pyr_game_line_is_visible(&table->now.game, table_line(table, i), seat))
            continue;
        memcpy(text + size, log->text + log->start[i], (size_t)(log->start[i + 1] - log->start[i]));
        size += (size_t)(log->start[i + 1] - log->start[i]);
    }
    size += daily_write_secret(table, text + size);
    request->attachment = "game.pyr";
    answer_text(request, 200, "text/plain; charset=utf-8", text, size);
}

static void get_record(struct request *request) { with_table(request, tell_record); }

/*
 * A rematch is asked for with an id that no client can send, since it has a blank: so the database knows whether there is
 * one, whichever server made it. After one that was closed, the next has an id of its own.
 */
struct again {
    struct store_job job;
    struct request *request;
    struct table *table;         /* the old one; counted among its jobs */
    bool tried;
    int64_t asker;
    char id[40], code[16];       /* of the rematch that there is; "" none */
};

/* Follows the chain of rematches that were closed before they began; the first that is not closed is the answer. */
static enum store_result run_find_rematch(struct store_db *db, struct store_job *job)
{
    struct again *again = (struct again *)job;
    enum store_result result;
    snprintf(again->id, sizeof again->id, "rematch %s", again->table->code);
    while (!(result = store_get_request(db, again->asker, again->id, again->code))) {
        struct store_table row;
        if ((result = store_get_table(db, again->code, &row)) || row.state != STORE_CLOSED)
            return result;
        snprintf(again->id, sizeof again->id, "rematch %.8s %.8s", again->table->code, again->code);
    }
    again->code[0] = '\0';
    return result == STORE_MISSING ? STORE_OK : result;
}

/* The job held the old table (`jobs`); it may have been forgotten meanwhile. */
static void again_free(struct again *again)
{
    struct table *table = again->table;
    free(again);
    table->jobs--;
    if (table->gone)
        table_forget(table);
}

static void find_rematch(struct again *again);

/* Two servers may make the rematch at the same time. The request id in the database lets only one through; the other
 * fails, looks again, once, and finds the table of the first. */
static void rematch_made(struct change *change, enum error error)
{
    struct again *again = change->context;
    struct request *request = again->request;
    if (error == ERROR_STORAGE && !again->tried && request->conn) {
        again->tried = true;                 /* another server may have been faster */
        find_rematch(again);
        return;
    }
    again_free(again);
    if (!request_back(request))
        return;
    if (error)
        request_error(request, error, "");
    else
        tell_new_table(request, change->table);
}

static void rematch_found(struct fetch *fetch, struct table *table, enum error error)
{
    struct again *again = fetch->context;
    struct request *request = again->request;
    again_free(again);
    if (!request_back(request))
        return;
    if (error)
        request_error(request, error, "");
    else
        tell_new_table(request, table);
}

/* Either the rematch exists and is read, or it is made here. ERROR_NONE from table_rematch: the answer follows in
 * rematch_made. */
static void find_rematch_done(struct store_job *job, enum store_result result)
{
    struct again *again = (struct again *)job;
    struct request *request = again->request;
    enum error error = ERROR_STORAGE;
    if (!result && request->conn && again->code[0] && table_fetch(request->server, again->code, rematch_found, again))
        return;
    if (!result && request->conn && !again->code[0] && !again->table->gone)
        error = table_rematch(again->table, request->visitor, request->address, again->id, rematch_made, again);
    if (!error)
        return;
    again_free(again);
    if (request_back(request))
        request_error(request, error, "");
}

static void find_rematch(struct again *again)
{
    again->job.run = run_find_rematch;
    again->job.done = find_rematch_done;
    store_submit(again->request->server->store, &again->job);
}

/* `jobs` keeps the old table in memory until again_free. */
static void post_rematch_at(struct request *request, struct table *table)
{
    json_t *object;
    int64_t asker = 0;
    if (!read_body(request, NULL, 0, &object, NULL))
        return;
    json_decref(object);
    enum error error = table_may_rematch(table, request->visitor, &asker);
    struct again *again = error ? NULL : calloc(1, sizeof *again);
    if (!again) {
        request_error(request, error ? error : ERROR_STORAGE, "");
        return;
    }
    again->request = request;
    again->table = table;
    again->asker = asker;
    table->jobs++;
    request_wait(request);
    find_rematch(again);
}

static void post_rematch(struct request *request) { with_table(request, post_rematch_at); }

/* Changes of a table that are asked for here: the answer is the table as it is then. */

/* Called once the change is stored or has failed. */
static void change_answered(struct change *change, enum error error)
{
    struct request *request = change->context;
    if (!request_back(request))
        return;
    if (error)
        request_error(request, error, error == ERROR_BAD_MESSAGE && change->problem ? change->problem->detail : "");
    else
        tell_table(request, change->table);
}

/* Takes the text, which may be NULL, as the terms may. */
static void submit_change(struct request *request, struct table *table,
    enum error (*apply)(struct change *change, struct problem *problem), char *text, const struct table_terms *terms)
{
    struct change *change = change_new(table, apply);
    if (!change) {
        free(text);
        request_error(request, ERROR_STORAGE, "");
        return;
    }
    change->request.visitor = (int64_t)request->visitor->node.key;
    change->request.text = text;
    if (terms) {
        change->request.sets_terms = true;
        change->request.terms = *terms;
    }
    change->answer = change_answered;
    change->context = request;
    request_wait(request);
    change_submit(change, NULL, NULL);
}

enum { ARRANGEMENT_SIZE = PYR_MAX_SEATS * 20 + 1 };

/* Numbers and words of the seats that a table is to have, for apply_arrange. False if they are none. */
static bool write_arrangement(const json_t *seats, char text[ARRANGEMENT_SIZE])
{
    json_t *seat;
    size_t i, size = 0;
    json_array_foreach(seats, i, seat) {
        const char *word = json_string_value(seat);
        json_int_t number = json_integer_value(seat);
        if (word ? json_string_length(seat) >= 16 || strpbrk(word, " 0123456789") || !word[0] :
            number < 1 || number > PYR_MAX_SEATS)
            return false;
        if (word)
            size += (size_t)snprintf(text + size, 20, "%s ", word);
        else
            size += (size_t)snprintf(text + size, 20, "%d ", (int)number);
    }
    return true;
}

/* The seats of a table that waits, and perhaps its terms.
 * Whether the visitor is the host is checked when the change is applied (apply_arrange), not here: the host may
 * change in between. */
static void arrange_at(struct request *request, struct table *table)
{
    static const struct field fields[] = { { "seats", FIELD_ARRAY, true, PYR_MAX_SEATS }, TERMS_FIELDS };
    json_t *object, *values[5];
    if (!read_body(request, fields, 5, &object, values))
        return;
    struct table_terms terms = table->now.terms;
    char *text = calloc(1, ARRANGEMENT_SIZE);
    bool sets_terms = values[1] || values[2] || values[3] || values[4], good = text && write_arrangement(values[0], text);
    if (!good)
        request_error(request, text ? ERROR_BAD_MESSAGE : ERROR_STORAGE, text ? "seats" : "");
    else
        good = read_terms(request, values + 1, &terms);
    if (good)
        submit_change(request, table, apply_arrange, text, sets_terms ? &terms : NULL);
    else
        free(text);
    json_decref(object);
}

static void post_seats(struct request *request) { with_table(request, arrange_at); }

static void hint_at(struct request *request, struct table *table)
{
    json_t *object;
    if (!read_body(request, NULL, 0, &object, NULL))
        return;
    json_decref(object);
    submit_change(request, table, apply_hint, NULL, NULL);
}

static void post_hint(struct request *request) { with_table(request, hint_at); }

static void name_at(struct request *request, struct table *table)
{
    json_t *object;
    if (!read_body(request, NULL, 0, &object, NULL))
        return;
    json_decref(object);
    submit_change(request, table, apply_name, NULL, NULL);
}

static void post_name(struct request *request) { with_table(request, name_at); }

/* Where others reach this server. */
static void get_links(struct request *request)
{
    char links[ACCESS_LINKS][ACCESS_LINK_SIZE];
    unsigned count = access_links_to_send(request->server, request->host, links);
    json_t *list = json_array();
    for (unsigned i = 0; i < count; i++)
        json_array_append_new(list, json_string(links[i]));
    answer_json(request, 200, json_pack("{so}", "links", list));
}

/* Tables of a visitor: finished ones are read for the answer only, open ones come into memory. */

/* The tables of a visitor or their statistics, whichever is asked for: both are one visit to the database. */
struct mine_job {
    struct store_job job;
    struct request *request;
    int64_t visitor;
    bool is_statistics;
    struct store_statistics statistics;
    char open[STORE_CODES][16];  /* those that wait or run */
    unsigned open_count;
    unsigned count;
    struct {
        char code[16];
        uint8_t state;
        int64_t id, created, changed;
        char *config;
    } table[50];
};

static void mine_clear(struct mine_job *mine)
{
    while (mine->count)
        free(mine->table[--mine->count].config);
}

/* In the store's thread. Copies what is needed: the row is valid only during this call. Open tables are listed by `open`. */
static bool mine_each(void *context, const struct store_table *table, const struct store_seat *seat)
{
    struct mine_job *mine = context;
    (void)seat;
    if (table->state != STORE_OVER)
        return true;
    if (mine->count == sizeof mine->table / sizeof *mine->table)
        return false;
    char *config = malloc(strlen(table->config) + 1);
    if (!config)
        return false;
    memcpy(config, table->config, strlen(table->config) + 1);
    memcpy(mine->table[mine->count].code, table->code, sizeof table->code);
    mine->table[mine->count].state = table->state;
    mine->table[mine->count].id = table->id;
    mine->table[mine->count].created = table->created;
    mine->table[mine->count].changed = table->changed;
    mine->table[mine->count++].config = config;
    return true;
}

/* May run twice, so it begins by dropping what an earlier run has found. */
static enum store_result run_mine(struct store_db *db, struct store_job *job)
{
    struct mine_job *mine = (struct mine_job *)job;
    mine_clear(mine);
    if (mine->is_statistics)
        return store_get_statistics(db, mine->visitor, &mine->statistics);
    enum store_result result = store_get_open_of(db, mine->visitor, mine->open, &mine->open_count);
    return result ? result : store_each_table_of(db, mine->visitor, 100, mine_each, mine);
}

static json_t *statistics_json(const struct store_statistics *statistics)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < statistics->count; i++) {
        const struct store_tally *tally = &statistics->tally[i];
        json_array_append_new(list,
            json_pack("{ss sI sf sf si}", "against", tally->level[0] ? tally->level : "people", "games",
                (json_int_t)tally->games, "wins", tally->wins, "points", tally->points, "best", (int)tally->best));
    }
    return json_pack("{so}", "statistics", list);
}

/* A finished table that is not in memory, as JSON: read for this answer only. */
static json_t *stored_json(struct server *server, const struct mine_job *mine, unsigned i, const struct visitor *visitor)
{
    struct table *table = calloc(1, sizeof *table);
    json_t *json = NULL;
    if (!table)
        return NULL;
    table->server = server;
    memcpy(table->code, mine->table[i].code, sizeof table->code);
    table->created = mine->table[i].created;
    table->now.stage = mine->table[i].state;
    if (config_read(table, mine->table[i].config))
        json = table_json(table, visitor);
    pyr_fair_wipe(&table->now.fair);
    free(table);
    return json;
}

/* Whether a rematch keeps a seat for someone who may not have heard of it. */
static bool is_invited(const struct table *table, int64_t visitor)
{
    for (unsigned s = 0; s < table->now.seats; s++)
        if (table->now.seat[s].kind == SEAT_FRIEND && table->now.seat[s].visitor == visitor)
            return true;
    return false;
}

/* By time, then by number, so that the order is the same in every answer. */
static int later_first(const void *a, const void *b)
{
    const struct table *x = *(const struct table *const *)a, *y = *(const struct table *const *)b;
    int64_t by = x->now.changed != y->now.changed ? y->now.changed - x->now.changed : y->id - x->id;
    return by < 0 ? -1 : by > 0;
}

/* A visitor's tables that wait or run, the one where something happened last first.
 * `revision` 0 is a table that is not stored yet: it may still fail. */
static json_t *open_tables(const struct server *server, const struct visitor *visitor)
{
    const struct table **found = malloc(server->tables.count * sizeof *found + 1);
    json_t *list = json_array();
    int64_t id = (int64_t)visitor->node.key;
    unsigned count = 0;
    for (const struct table *table = server->table_list; found && table; table = table->next)
        if (table->now.stage <= STORE_RUNNING && table->revision &&
            (table_seat_of(table, id) < PYR_MAX_SEATS || table->host == id || is_invited(table, id)))
            found[count++] = table;
    if (count)
        qsort(found, count, sizeof *found, later_first);
    for (unsigned i = 0; i < count; i++)
        json_array_append_new(list, table_json(found[i], visitor));
    free(found);
    return list;
}

static void mine_there(void *context, enum error error)
{
    struct mine_job *mine = context;
    struct request *request = mine->request;
    if (!request_back(request))
        goto out;
    if (error) {
        request_error(request, error, "");
    } else if (mine->is_statistics) {
        answer_json(request, 200, statistics_json(&mine->statistics));
    } else {
        json_t *list = open_tables(request->server, request->visitor);
        for (unsigned i = 0; i < mine->count; i++) {
            json_t *json = stored_json(request->server, mine, i, request->visitor);
            if (json)
                json_array_append_new(list, json);
        }
        answer_json(request, 200, json_pack("{so}", "tables", list));
    }
out:
    mine_clear(mine);
    free(mine);
}

/* Open tables come into memory first, since only there is known who is present and whose turn it is. */
static void mine_done(struct store_job *job, enum store_result result)
{
    struct mine_job *mine = (struct mine_job *)job;
    if (result && result != STORE_MISSING)
        mine_there(mine, ERROR_STORAGE);
    else
        tables_fetch(mine->request->server, mine->open, mine->open_count, mine_there, mine);
}

static void ask_mine(struct request *request, bool is_statistics)
{
    struct mine_job *mine = calloc(1, sizeof *mine);
    if (!mine) {
        request_error(request, ERROR_STORAGE, "");
        return;
    }
    mine->request = request;
    mine->visitor = (int64_t)request->visitor->node.key;
    mine->is_statistics = is_statistics;
    mine->job.run = run_mine;
    mine->job.done = mine_done;
    request_wait(request);
    store_submit(request->server->store, &mine->job);
}

static void get_my_tables(struct request *request) { ask_mine(request, false); }
static void get_statistics(struct request *request) { ask_mine(request, true); }

/* Analyses: made once by a thread, then kept in the database. */

/* 202 with Retry-After while it is being made: the page asks again by itself. */
static void analysis_there(void *context, enum judging_state state, char *text, size_t size, bool html)
{
    struct request *request = context;
    if (!request_back(request)) {
        free(text);
        return;
    }
    if (state == JUDGING_READY) {
        request->translated = html;
        if (html)
            request->policy = PLAIN_POLICY;
        answer_text(request, 200, html ? "text/html; charset=utf-8" : "application/json", text, size);
    } else if (state == JUDGING_WORKING) {
        request->retry = 2;
        answer_json(request, 202, json_pack("{ss}", "status", "working"));
    } else {
        request->retry = state == JUDGING_TOO_MANY ? 10 : 0;
        request_error(request, state == JUDGING_TOO_MANY ? ERROR_TOO_MANY : ERROR_STORAGE, "");
    }
}

/* The address counts for the limit on analyses that one client can cause. */
static void tell_analysis(struct request *request, struct table *table)
{
    if (table->now.stage != STORE_OVER) {
        request_error(request, ERROR_NOT_OVER, "");
        return;
    }
    request_wait(request);
    judging_ask(table, request->address->node.key, request->visitor ? (int64_t)request->visitor->node.key : 0,
        strstr(request->path, ".html") ? request->language : NULL, analysis_there, request);
}

static void get_analysis(struct request *request) { with_table(request, tell_analysis); }

/* Editions, health, metrics. */

static void get_editions(struct request *request)
{
    const struct pyr_edition *edition;
    json_t *list = json_array();
    for (unsigned i = 0; (edition = edition_offered(request->server, i)); i++)
        json_array_append_new(list, json_pack("{ss ss}", "name", edition->name, "title", edition->title));
    answer_json(request, 200, json_pack("{so}", "editions", list));
}

/* The text as it was read, so that a client can check records by the very same edition. */
static void get_edition(struct request *request)
{
    const char *found = edition_text(request->server, request->word);
    if (!found) {
        request_error(request, ERROR_NOT_FOUND, "");
        return;
    }
    size_t size = strlen(found);
    char *text = malloc(size + 1);
    if (text)
        memcpy(text, found, size + 1);
    answer_text(request, text ? 200 : 503, "text/plain; charset=utf-8", text, text ? size : 0);
}

/* For load balancers: 503 while stopping or while the database cannot be written, so that no new players are sent
 * here. */
static void get_health(struct request *request)
{
    static const char *const states[] = { [STORE_WELL] = "ok\n", [STORE_NO_WRITES] = "the database cannot be written\n",
        [STORE_NO_FILE] = "the database file was removed or replaced\n" };
    enum store_health health = store_health(request->server->store);
    const char *state = request->server->stopping ? "stopping\n" : states[health];
    size_t size = strlen(state);
    char *text = malloc(size + 1);
    if (text)
        memcpy(text, state, size + 1);
    int status = request->server->stopping || health ? 503 : 200;
    answer_text(request, status, "text/plain; charset=utf-8", text, text ? size : 0);
}

/* Prometheus' text format. 15 digits: counters are exact up to 10^15. */
static void metric(FILE *to, const char *name, const char *kind, const char *help, double value)
{
    fprintf(to, "# HELP pyramids_%s %s\n# TYPE pyramids_%s %s\npyramids_%s %.15g\n", name, help, name, kind, name, value);
}

/* What other servers on the same database have done. */
static void metric_news(FILE *to, const struct server *server)
{
    metric(to, "hears_others", "gauge", "1: it hears what other servers on the same database announce.",
        server->shared && !server->is_deaf);
    metric(to, "table_reads_total", "counter", "Tables read again, since another server had changed them.",
        (double)server->count.refreshes);
    metric(to, "table_news_total", "counter", "Tables changed by what another server announced, without reading them.",
        (double)server->count.news);
}

/* The buckets of a histogram are cumulative: each has all that took at most so long. The bounds are those of count_time
 * (change.c), in seconds.
 * On its own listener only (find_route): the numbers are not for everyone. */
static void get_metrics(struct request *request)
{
    struct server *server = request->server;
    struct store_counters store = store_counters(server->store);
    struct pool_state pool = pool_state(server->pool);
    static const int bounds[] = { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000 };
    char *text = NULL;
    size_t size = 0;
    uint64_t sum = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) {
        request_error(request, ERROR_STORAGE, "");
        return;
    }
    fprintf(to, "# HELP pyramids_requests_total HTTP requests answered.\n# TYPE pyramids_requests_total counter\n");
    for (unsigned i = 2; i < 6; i++)
        fprintf(to, "pyramids_requests_total{status=\"%uxx\"} %" PRIu64 "\n", i, server->count.requests[i]);
    metric(to, "connections", "gauge", "Connections open.", server->connections);
    metric(to, "sockets", "gauge", "WebSockets open.", server->sockets);
    metric(to, "tables_open", "gauge", "Tables that wait or run.", server->open_tables);
    metric(to, "tables_in_memory", "gauge", "Tables in memory.", (double)server->tables.count);
    metric(to, "visitors", "gauge", "Visitors in memory.", (double)server->visitors.count);
    metric(to, "bots_pending", "gauge", "Choices that bots have yet to make.", pool.waiting + pool.thinking);
    metric(to, "bots_waiting", "gauge", "Of these, choices that wait for a thread.", pool.waiting);
    metric(to, "bots_oldest_seconds", "gauge", "How long the oldest of the waiting choices has waited.", pool.oldest);
    fprintf(to,
        "# HELP pyramids_bots_choices_total Choices that bots have made, by what they cost.\n"
        "# TYPE pyramids_bots_choices_total counter\npyramids_bots_choices_total{cost=\"light\"} %" PRIu64 "\n"
        "pyramids_bots_choices_total{cost=\"heavy\"} %" PRIu64 "\n",
        pool.bot_choices[SCHEDULE_LIGHT], pool.bot_choices[SCHEDULE_HEAVY]);
    metric(to, "bots_shortened_total", "counter", "Heavy choices that were made in less time because others waited.",
        (double)pool.shortened);
    metric(to, "analyses_pending", "gauge", "Analyses of finished games that are not made yet.",
        server->shared ? server->analyses : pool.jobs);
    metric(to, "servers", "gauge", "Servers on this database, with this one.", server->shared ? server->nodes.count : 1);
    metric(to, "servers_thinking", "gauge", "Of the others, those that only think.", server->thinkers);
    metric(to, "store_pending", "gauge", "Jobs that the store has not finished.", store_pending(server->store));
    metric(to, "messages_total", "counter", "WebSocket messages received.", (double)server->count.messages);
    metric(to, "sent_total", "counter", "WebSocket messages sent.", (double)server->count.sent);
    metric(to, "sent_bytes_total", "counter", "Bytes of WebSocket messages sent.", (double)server->count.bytes_sent);
    metric(to, "choices_total", "counter", "Choices of people taken.", (double)server->count.choices);
    metric(to, "games_total", "counter", "Games finished.", (double)server->count.games);
    metric(to, "errors_total", "counter", "Requests and messages refused.", (double)server->count.errors);
    metric(to, "refused_total", "counter", "Connections refused.", (double)server->count.refused);
    metric(to, "cut_total", "counter", "Sockets closed for misbehaving.", (double)server->count.cut);
    if (server->reminders) {
        const struct reminders *reminders = server->reminders;
        metric(to, "push_sent_total", "counter", "Messages that push services have taken.", (double)reminders->sent);
        metric(to, "push_gone_total", "counter", "Browsers that want no messages any more.", (double)reminders->gone);
        metric(to, "push_refused_total", "counter", "Messages that push services have refused.",
            (double)reminders->refused);
        metric(to, "push_failed_total", "counter", "Messages that were given up.", (double)reminders->failed);
    }
    metric_news(to, server);
    metric(to, "log_dropped_total", "counter", "Lines of the log that nobody took.", (double)log_dropped());
    metric(to, "store_jobs_total", "counter", "Jobs of the store.", (double)store.jobs);
    metric(to, "store_failed_total", "counter", "Jobs of the store that failed.", (double)store.failed);
    metric(to, "store_commits_total", "counter", "Transactions.", (double)store.commits);
    metric(to, "store_commit_seconds_total", "counter", "Time in transactions.", store.seconds);
    fprintf(to,
        "# HELP pyramids_answer_seconds Time from a choice to its answer.\n# TYPE pyramids_answer_seconds histogram\n");
    for (unsigned i = 0; i < 12; i++) {
        sum += server->count.answer_ms[i];
        if (i < 11)
            fprintf(to, "pyramids_answer_seconds_bucket{le=\"%g\"} %" PRIu64 "\n", bounds[i] / 1000.0, sum);
        else
            fprintf(to, "pyramids_answer_seconds_bucket{le=\"+Inf\"} %" PRIu64 "\n", sum);
    }
    fprintf(to, "pyramids_answer_seconds_sum %g\npyramids_answer_seconds_count %" PRIu64 "\n", server->count.answer_sum,
        sum);
    fclose(to);
    answer_text(request, 200, "text/plain; version=0.0.4; charset=utf-8", text, size);
}

/* The embedded page. */

/* There is nothing: a program is told by its code, a person in words and with the way home. The address may be of any
 * depth, so those in here begin at the root. */
static void get_nothing(struct request *request)
{
    if (!request->html || !strncmp(request->path, "/api/", 5)) {
        request_error(request, ERROR_NOT_FOUND, "");
        return;
    }
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) {
        request_error(request, ERROR_STORAGE, "");
        return;
    }
    const char *before = pyr_text_use(request->language), *title = _("Page not found");
    fprintf(to,
        "<!doctype html>\n<html lang=\"%s\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\">\n"
        "<title>%s · Pyramids</title>\n<link rel=\"icon\" href=\"/icon.svg\" type=\"image/svg+xml\">\n<link "
        "rel=\"stylesheet\" href=\"/first.css\">\n<link rel=\"stylesheet\" href=\"/style.css\">\n"
        "<script src=\"/theme.js\"></script>\n<div class=\"page\">\n<header class=\"top\"><img src=\"/icon.svg\" "
        "width=\"36\" height=\"36\" alt=\"\"><b>Pyramids</b></header>\n"
        "<main class=\"page-in narrow\">\n<h1 class=\"title\">%s</h1>\n<p class=\"lead\">%s</p>\n<p "
        "class=\"bars\"><a class=\"btn pri\" href=\"/\">%s</a></p>\n</main>\n</div>\n</html>\n",
        request->language, title, title,
        _("This address does not exist. It may be incomplete or mistyped. To join a table, enter its code on the "
            "home page."),
        _("Home"));
    pyr_text_use(before);
    fclose(to);
    request->server->count.errors++;
    request->translated = true;
    answer_text(request, text ? error_status(ERROR_NOT_FOUND) : 503, "text/html; charset=utf-8", text, text ? size : 0);
}

/* Pages are embedded packed with gzip and sent as they are; for the rare client that does not take gzip they are unpacked
 * (16 + MAX_WBITS: zlib reads a gzip header).
 * An etag is a hash of the page, so 304 is sent exactly if the browser's copy is the same. */
static void get_page(struct request *request)
{
    const struct page *page = page_find(!strcmp(request->path, "/") ? "/index.html" : request->path);
    if (!page) {
        get_nothing(request);
        return;
    }
    request->page_etag = page->etag;
    request->type = page->type;
    if (!strcmp(request->etag, page->etag)) {
        request->status = 304;
        request_send(request);
        return;
    }
    request->status = 200;
    if (request->gzip) {
        request->encoded = true;
        request->page = page->data;
        request->size = page->size;
    } else {
        z_stream stream = { .next_in = (unsigned char *)(uintptr_t)page->data, .avail_in = (unsigned)page->size };
        request->data = malloc(page->plain_size + 1);
        stream.next_out = (unsigned char *)request->data;
        stream.avail_out = (unsigned)page->plain_size;
        bool good = request->data && inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK;
        if (good) {
            good = inflate(&stream, Z_FINISH) == Z_STREAM_END;
            inflateEnd(&stream);
        }
        if (!good) {
            request_error(request, ERROR_STORAGE, "");
            return;
        }
        request->size = page->plain_size;
    }
    request_send(request);
}

/* A visit: the database hears of it once a day, and the cookie lasts another year from now. */
static void note_visit(struct request *request)
{
    if (!request->visitor)
        return;
    visitor_seen(request->server, request->visitor);
    if (visitor_renews(request->server, request->token)) {
        set_cookie(request, request->token);
        visitor_store_renewal(request->server, request->token);
    }
}

/* All routes of the API. What is not here is looked for among the pages. */
static const struct route {
    enum method method;
    const char *path;            /* * stands for one word, ** for all that is left: a name may have any letters */
    bool visitor;                /* needs a cookie */
    void (*handle)(struct request *request);
} routes[] = {
    { METHOD_GET, "/api/visitor", true, get_visitor },
    { METHOD_POST, "/api/visitor", false, post_visitor },
    { METHOD_DELETE, "/api/visitor", true, delete_visitor },
    { METHOD_POST, "/api/visitor/code", true, post_visitor_code },
    { METHOD_POST, "/api/visitor/device", false, post_visitor_device },
    { METHOD_GET, "/api/tables", false, get_tables },
    { METHOD_POST, "/api/tables", true, post_tables },
    { METHOD_GET, "/api/tables/*", false, get_table },
    { METHOD_GET, "/api/tables/*/record", false, get_record },
    { METHOD_GET, "/api/tables/*/analysis", false, get_analysis },
    { METHOD_GET, "/api/tables/*/analysis.html", false, get_analysis },
    { METHOD_POST, "/api/tables/*/rematch", true, post_rematch },
    { METHOD_POST, "/api/tables/*/seats", true, post_seats },
    { METHOD_POST, "/api/tables/*/hint", true, post_hint },
    { METHOD_POST, "/api/tables/*/name", true, post_name },
    { METHOD_GET, "/api/daily", true, get_daily },
    { METHOD_POST, "/api/daily", true, post_daily },
    { METHOD_GET, "/api/daily/calendar", true, get_calendar },
    { METHOD_GET, "/api/daily/*", true, get_one_day },
    { METHOD_GET, "/api/daily/*/board", true, get_board },
    { METHOD_GET, "/api/tables/*/people", false, get_people },
    { METHOD_POST, "/api/tables/*/notify", true, post_notify },
    { METHOD_GET, "/api/push", false, get_push },
    { METHOD_POST, "/api/push", true, post_push },
    { METHOD_DELETE, "/api/push", true, delete_push },
    { METHOD_GET, "/api/my/turns", true, get_my_turns },
    { METHOD_GET, "/api/my/turns.atom", false, get_feed },
    { METHOD_POST, "/api/my/feed", true, post_feed },
    { METHOD_DELETE, "/api/my/feed", true, delete_feed },
    { METHOD_GET, "/api/links", false, get_links },
    { METHOD_GET, "/api/my/tables", true, get_my_tables },
    { METHOD_GET, "/api/my/games", true, get_my_games },
    { METHOD_GET, "/api/my/games/records", true, get_my_records },
    { METHOD_GET, "/api/my/profile", true, get_my_profile },
    { METHOD_POST, "/api/my/profile/link", true, post_profile_link },
    { METHOD_DELETE, "/api/my/profile/link", true, delete_profile_link },
    { METHOD_GET, "/api/profiles/*", false, get_profile },
    { METHOD_GET, "/api/ratings", false, get_ratings },
    { METHOD_GET, "/api/statistics", true, get_statistics },
    { METHOD_GET, "/api/editions", false, get_editions },
    { METHOD_GET, "/api/editions/**", false, get_edition },
    { METHOD_GET, "/healthz", false, get_health },
    { METHOD_GET, "/metrics", false, get_metrics },
};

/* Whether a path is a route's; the word for * goes to `word`. */
static bool fits(const char *path, const char *route, char *word, size_t room)
{
    const char *star = strchr(route, '*');
    if (!star)
        return !strcmp(path, route);
    size_t before = (size_t)(star - route);
    if (strncmp(path, route, before))
        return false;
    size_t length = star[1] == '*' ? strlen(path + before) : strcspn(path + before, "/");
    if (!length || length >= room || (star[1] != '*' && strcmp(path + before + length, star + 1)))
        return false;
    memcpy(word, path + before, length);
    word[length] = '\0';
    return true;
}

/* The route of a request, or NULL; *other_method: the path is a route's, but not with this method. */
static const struct route *find_route(struct request *request, enum method method, bool *other_method)
{
    *other_method = false;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (!fits(request->path, routes[i].path, request->word, sizeof request->word))
            continue;
        if (routes[i].method == method)      /* metrics have a listener of their own */
            return routes[i].handle == get_metrics && !request->conn->is_metrics ? NULL : &routes[i];
        *other_method = true;
    }
    return NULL;
}

/* The database has said whose the cookie is: the route is tried again, now with `unknown` empty. */
static void route_known(struct request *request, enum error error)
{
    if (error)
        request_error(request, error, "");
    else
        request_route(request);
}

/* Whether the visitor whose cookie it was looked up by is banned; the others were asked for when the request came. */
static bool is_banned(const struct request *request, const struct route *found)
{
    return found && found->handle != get_health && request->visitor && bans_cover(request->server, NULL, request->visitor);
}

/* In this order: whose it is (which may take a look into the database), whether the server still answers, the size, the
 * body's type, the visitor. HEAD is answered like GET; answer_write leaves the body out. */
void request_route(struct request *request)
{
    bool other_method;
    enum method method = request->method == METHOD_HEAD ? METHOD_GET : request->method;
    const struct route *found = find_route(request, method, &other_method);
    request->route = found ? found->path : "page";
    if (request->unknown && found && !strncmp(found->path, "/api/", 5) && !request->server->stopping) {
        request_look_up(request, route_known);
        return;
    }
    if (request->visitor)
        visitor_seen(request->server, request->visitor);
    if (is_banned(request, found))
        request_error(request, ERROR_BANNED, "");
    else if (request->server->stopping && found && found->handle != get_health)
        request_error(request, ERROR_STOPPING, "");
    else if (request->too_long)
        request_error(request, ERROR_TOO_LONG, "");
    else if (found && method == METHOD_POST && !request->json)
        request_error(request, ERROR_BAD_JSON, "content-type");
    else if (found && found->visitor && !request->visitor)
        request_error(request, request->identity == IDENTITY_UNREADABLE ? ERROR_BAD_COOKIE : ERROR_NO_VISITOR, "");
    else if (found) {
        if (!strncmp(found->path, "/api/", 5))
            note_visit(request);
        found->handle(request);
    } else if (other_method || method != METHOD_GET)
        request_error(request, ERROR_METHOD, "");
    else
        get_page(request);
}
