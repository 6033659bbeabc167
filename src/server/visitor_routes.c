/*
 * visitor_routes.c: routes about the visitor of the request: their cookie and name, a second device, their tables and
 * statistics. The rules for handlers are those of http.c.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "object.h"
#include "request.h"
#include "server.h"

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

/* A job may run twice, so it uses only its input and overwrites its results. */
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

/* A new name is shown at once and reverted if it cannot be stored. The cookie of a visitor that was not stored is not
 * sent. A wrong one-time code counts as a guess. */
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
void request_set_cookie(struct request *request, const char *token)
{
    snprintf(request->cookie, sizeof request->cookie, "pyramids=%s; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict%s",
        token, request->secure ? "; Secure" : "");
}

static void store_visitor(struct request *request, struct visitor_job *v)
{
    v->request = request;
    v->now = server_time();
    request_submit(request, &v->job, run_visitor, visitor_stored);
}

void get_visitor(struct request *request)
{
    answer_visitor(request, request->visitor->name);
}

/*
 * Whether a new cookie may replace the one that was presented. Cookies that could not be read may be a visitor's:
 * replacing them would cost the visitor their seats. A cookie that is not known here may belong to a database that the
 * server used before: only with is_meant does its owner become a new visitor.
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
    request_set_cookie(request, token);
    sodium_memzero(token, sizeof token);
    return v;
}

/* Without a name, a known visitor only asks for their data. New visitors are limited by address, since each costs a row. */
void post_visitor(struct request *request)
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

/* One-time codes are sent once they are on the disk: they survive a restart. */

struct code_job {
    struct store_job job;
    struct request *request;
    struct device_code made;     /* what is stored: the hash, the visitor, the end of validity */
    int64_t now;
    char code[10];
};

/* Only the hash of the code is stored, so a copy of the database gives access to no account. */
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

void post_visitor_code(struct request *request)
{
    if (!read_empty_body(request))
        return;
    struct code_job *c = calloc(1, sizeof *c);
    if (!c) {
        request_error(request, ERROR_STORAGE, "");
        return;
    }
    device_code_draw((int64_t)request->visitor->node.key, c->code, &c->made);
    c->request = request;
    c->now = server_time();
    request_submit(request, &c->job, run_code, code_stored);
}

/* A one-time code from another device makes this browser the same visitor, with a token of its own. Codes are short, so
 * wrong ones are counted by address and limited. */
void post_visitor_device(struct request *request)
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
    request_set_cookie(request, token);
    sodium_memzero(token, sizeof token);
    store_visitor(request, v);
}

/* A visitor's tables: finished ones are read only for the answer, open ones are loaded into memory. */

/* A visitor's tables or statistics, whichever is requested: both are one job in the database. */
struct mine_job {
    struct store_job job;
    struct request *request;
    int64_t visitor;
    bool is_statistics;
    struct store_statistics statistics;
    char open[STORE_CODES][16];  /* those that are waiting or running */
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

/* In the store's thread. Copies what is needed, since the row is valid only during this call. Open tables are listed by
 * `open`. */
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

/* May run twice, so it first drops the results of an earlier run. */
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

/* Whether a rematch keeps a seat for someone who may not know about it. */
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

/* A visitor's tables that are waiting or running, the one with the latest change first. `revision` 0 is a table that is
 * not stored yet: it may still fail. */
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

/* Open tables are loaded into memory first, since only there it is known who is present and whose turn it is. */
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
    request_submit(request, &mine->job, run_mine, mine_done);
}

void get_my_tables(struct request *request) { ask_mine(request, false); }
void get_statistics(struct request *request) { ask_mine(request, true); }
