/*
 * http.c: the table of routes (docs/protocol.md, section 2, docs/openapi.json) and what all of them share: the visitor,
 * the answer, and the embedded page. The handlers are in *_routes.c, profile.c, history.c and farewell.c.
 *
 * Every handler gets a request whose route, method, size and visitor have been checked (request_route), and ends in
 * exactly one of answer_text, answer_json and request_error, at once or later.
 *
 * A handler that needs the database or a thread makes a job: request_wait, submit, and in the job's `done` request_back,
 * which returns whether the client is still there. Rules for that:
 *  1. Between request_wait and request_back the request is not freed, even if the connection is closed.
 *  2. A job's `run` is called in the store's thread, possibly twice; it uses nothing but the job itself.
 *  3. A job frees itself in `done`, with or without a client.
 *
 * Everything else runs in the loop's thread.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <pyramids/json.h>
#include <pyramids/lines.h>
#include <pyramids/text.h>

#include "access.h"
#include "bans.h"
#include "daily.h"
#include "object.h"
#include "profile.h"
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

/* Takes the object; NULL, which jansson returns without memory, becomes an error. */
void answer_json(struct request *request, int status, json_t *json)
{
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    if (text)
        answer_text(request, status, "application/json", text, strlen(text));
    else
        request_error(request, ERROR_STORAGE, "");
}

/* The answer to requests by a name that is not ours: the addresses that work, as a page for a person and as JSON for a
 * program. */

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

/* A page of another name that resolves to this machine (DNS rebinding) must not reach the API, so the answer contains
 * links to the right names and nothing else. The language is set for these sentences only, and restored. */
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

/* ERROR_ORIGIN may be about the Host or about the Origin: for a Host that is not ours, the answer lists the names that
 * are. Sends an error with its code for programs; `detail` names the member of the message that is wrong. It may
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

/* Counting requests and connections. */

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

/* Looks only in memory. Cookies that are well-formed but unknown here are added to `unknown`, for request_look_up. */
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

/* For a request whose answer needs a job: it stays until request_back, which returns whether the client is still waiting. */
void request_wait(struct request *request)
{
    request->waits = true;
}

void request_submit(struct request *request, struct store_job *job, store_run *run, store_done *done)
{
    job->run = run;
    job->done = done;
    request_wait(request);
    store_submit(request->server->store, job);
}

/* To be called once after each request_wait. False: the client has gone, and the request was freed. */
bool request_back(struct request *request)
{
    request->waits = false;
    if (request->conn)
        return true;
    request_free(request);
    return false;
}

/* A '%' that is not followed by two digits is kept. A zero byte would end the text early: it is refused. */
enum member request_query(const struct request *request, const char *name, char *to, size_t room)
{
    size_t length = strlen(name), size = 0;
    const char *at = request->query;
    to[0] = '\0';
    if (request->query_too_long)
        return MEMBER_WRONG;
    while (*at && (strncmp(at, name, length) || at[length] != '=')) {
        at += strcspn(at, "&");
        at += *at == '&';
    }
    if (!*at)
        return MEMBER_MISSING;
    for (at += length + 1; *at && *at != '&'; at++) {
        char letter = *at == '+' ? ' ' : *at;
        if (letter == '%' && pyr_hex_any(at[1]) >= 0 && pyr_hex_any(at[2]) >= 0) {
            letter = (char)(16 * pyr_hex_any(at[1]) + pyr_hex_any(at[2]));
            at += 2;
        }
        if (!letter || size + 1 >= room) {
            to[0] = '\0';
            return MEMBER_WRONG;
        }
        to[size++] = letter;
    }
    to[size] = '\0';
    return MEMBER_GOOD;
}

/* The visitor of a request. */

/* Cookies that are not in memory are looked up in the database. There may be several: the first known one counts. */
struct lookup {
    struct store_job job;
    struct request *request;
    struct tokens *tokens;
    unsigned which;              /* which of them is the visitor's */
    struct store_visitor found;
    void (*then)(struct request *request, enum error error); /* continues with the request */
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

/* An unknown visitor is not an error: the request continues without a visitor, and its route decides whether it needs
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
    *lookup = (struct lookup){ .request = request, .tokens = request->unknown, .then = then };
    request->unknown = NULL;
    request_submit(request, &lookup->job, run_lookup, lookup_done);
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

bool read_empty_body(struct request *request)
{
    json_t *object;
    if (!read_body(request, NULL, 0, &object, NULL))
        return false;
    json_decref(object);
    return true;
}

/* The embedded page. */

/* For a path that does not exist: a program gets its code, a person gets a text and a link to the home page. The path may
 * be of any depth, so links in here begin at the root. */
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

/* An etag is in quotes, so it is never a part of another one. */
bool request_has_copy(const struct request *request, const char *etag)
{
    return !strcmp(request->etag, "*") || strstr(request->etag, etag);
}

/* Pages are embedded in gzip format and sent as they are; for the rare client that does not accept gzip they are
 * unpacked (16 + MAX_WBITS: zlib reads a gzip header). An etag is a hash of the page, so 304 is sent if and only if
 * the browser's copy is the same. */
static void get_page(struct request *request)
{
    const struct page *page = page_find(!strcmp(request->path, "/") ? "/index.html" : request->path);
    if (!page) {
        get_nothing(request);
        return;
    }
    request->page_etag = page->etag;
    request->type = page->type;
    if (request_has_copy(request, page->etag)) {
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

/* Notes a visit: in the database once per day; and the cookie is renewed for another year. */
static void note_visit(struct request *request)
{
    if (!request->visitor)
        return;
    visitor_seen(request->server, request->visitor);
    if (visitor_renews(request->server, request->token)) {
        request_set_cookie(request, request->token);
        visitor_store_renewal(request->server, request->token);
    }
}

/* All routes of the API. Other paths are looked up among the pages. */
static const struct route {
    enum method method;
    const char *path;            /* * matches one word, ** everything that is left: a name may contain any character */
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
    { METHOD_GET, "/api/puzzles/*", false, get_puzzles },
    { METHOD_GET, "/healthz", false, get_health },
    { METHOD_GET, "/metrics", false, get_metrics },
};

/* Whether a path matches a route; the word that * stands for is copied to `word`. */
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

/* The route of a request, or NULL; `allowed` then has the methods of routes with this path. */
static const struct route *find_route(struct request *request, enum method method)
{
    request->allowed = 0;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (!fits(request->path, routes[i].path, request->word, sizeof request->word))
            continue;
        if (routes[i].method == method)      /* metrics have their own listener */
            return routes[i].handle == get_metrics && !request->conn->is_metrics ? NULL : &routes[i];
        request->allowed |= 1u << routes[i].method;
    }
    return NULL;
}

/* The lookup in the database has ended: the route is tried again, now with `unknown` empty. */
static void route_known(struct request *request, enum error error)
{
    if (error)
        request_error(request, error, "");
    else
        request_route(request);
}

/* Whether the visitor that was looked up is banned; visitors in memory were checked when the request arrived. */
static bool is_banned(const struct request *request, const struct route *found)
{
    return found && found->handle != get_health && request->visitor && bans_cover(request->server, NULL, request->visitor);
}

/* In this order: the visitor (which may need the database), whether the server still answers, the size, the type of the
 * body, whether a visitor is required. HEAD is answered like GET; answer_write leaves out the body. */
void request_route(struct request *request)
{
    enum method method = request->method == METHOD_HEAD ? METHOD_GET : request->method;
    const struct route *found = find_route(request, method);
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
    } else if (request->allowed || method != METHOD_GET)
        request_error(request, ERROR_METHOD, "");
    else
        get_page(request);
}
