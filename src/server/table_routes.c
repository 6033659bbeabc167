/*
 * table_routes.c: routes about tables: the lobby, a new table, one table by its code, its record and analysis, its
 * rematch, and changes that are not messages of a socket. The rules for handlers are those of http.c.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "daily.h"
#include "judging.h"
#include "object.h"
#include "reload.h"
#include "request.h"
#include "server.h"

/* Tables. */

static void answer_tables(void *context, enum error error)
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

/* The database is read first: public tables from before a restart, or of other servers, are not in memory. */
void get_tables(struct request *request)
{
    request_wait(request);
    lobby_load(request->server, answer_tables, request);
}

/* Reads one member of "seats". False after an answer. Members that have no meaning for a kind of seat are refused instead
 * of ignored, so that mistakes are noticed. */
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

/* A new table. If the request has an id, the database is first asked whether that id has made a table already: a client
 * that got no answer repeats the request and gets the same table. */
struct creation {
    struct store_job job;
    struct request *request;
    struct table_request wanted;
    int64_t visitor;
    char id[ID_SIZE];
    char code[16];               /* of the table that this id made before */
    bool is_again;               /* this is the second lookup */
};

/* The table with the keys of its friends' seats, for its host. */
static void answer_with_keys(struct request *request, const struct table *table)
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

/* Answers with a new table, or why there is none; unless the client has gone. */
static void answer_new_table(struct request *request, const struct table *table, enum error error)
{
    if (!request_back(request))
        return;
    if (error)
        request_error(request, error, "");
    else
        answer_with_keys(request, table);
}

static void table_created(struct change *change, enum error error)
{
    struct creation *creation = change->context;
    struct request *request = creation->request;
    /* The same request may have been sent twice at the same time, here or to another server: then the other one has made
     * the table. */
    if (error == ERROR_STORAGE && creation->id[0] && !creation->is_again && request->conn && !request->server->stopped) {
        creation->is_again = true;
        store_submit(request->server->store, &creation->job);
        return;
    }
    answer_new_table(request, change->table, error);
    free(creation);
}

/* A repeated request gets the same answer. */
static void table_found_again(struct fetch *fetch, struct table *table, enum error error)
{
    struct creation *creation = fetch->context;
    struct request *request = creation->request;
    free(creation);
    answer_new_table(request, table, error);
}

/* The visitor is looked up again by number: it may have left the memory during the query. */
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

/* STORE_MISSING: the id is new, so the table is made now, unless the client has gone meanwhile. */
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
        answer_with_keys(request, table);
    else
        request_error(request, ERROR_STORAGE, "");
}

/* The fields of a body with the terms of a table (read_terms). */
#define TERMS_FIELDS { "edition", FIELD_TEXT, false, 64 }, { "public", FIELD_BOOL, false, 0 }, \
    { "clock", FIELD_TEXT, false, 16 }, { "hints", FIELD_BOOL, false, 0 }

/* Reads the terms in a body, in the order of the fields: edition, public, clock, hints; NULL: unchanged. False after an
 * error was sent. */
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

/* A table with only bots is refused. */
void post_tables(struct request *request)
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

/* Routes with a code: the table is looked up first, in memory or in the database. */

#define MOST_READS 3

struct with_table {
    struct request *request;
    bool limited;                /* the address has guessed too often: only tables that the visitor may know are found */
    unsigned tries;              /* how often it was read without being able to replace the one in memory */
    void (*then)(struct request *request, struct table *table);
};

/* An address that has guessed too often gets the same answer for existing tables as for others, unless the visitor may
 * know the table: otherwise the answer would confirm the guess. */
static void table_fetched(struct fetch *fetch, struct table *table, enum error error)
{
    struct with_table *with = fetch->context;
    struct request *request = with->request;
    void (*then)(struct request *, struct table *) = with->then;
    /* A change was being stored, or the table was being read: the table in memory may still be outdated. */
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

/* Another server may have sent changes that have not arrived here yet. A running game is read from the database, so that
 * answers are never outdated. */
static bool may_be_old(const struct table *table)
{
    const struct server *server = table->server;
    return upkeep_is_behind(server) || table->newest > table->revision ||
        (server->shared && table->now.stage <= STORE_RUNNING);
}

/* Calls `then` with the table of the code in the path, at once if the one in memory cannot be outdated. Codes that cannot
 * exist count as guesses, too. */
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
    if (table && !may_be_old(table)) {
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

static void answer_table(struct request *request, struct table *table)
{
    answer_json(request, 200, json_pack("{so}", "table", table_json(table, request->visitor)));
}

void get_table(struct request *request) { with_table(request, answer_table); }

/* The record as the visitor may see it: of a running game without the lines that are secret for their seat. Each line is
 * tested with pyr_game_line_is_visible, the only place that defines what is secret. A finished game has no secrets. */
static void answer_record(struct request *request, struct table *table)
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

void get_record(struct request *request) { with_table(request, answer_record); }

/*
 * A rematch is made by a request with an id that no client can send, since it contains a blank: so the database knows
 * whether there is one, whichever server made it. If that one was closed, the next has another id.
 */
struct again {
    struct store_job job;
    struct request *request;
    struct table *table;         /* the old one; counted among its jobs */
    bool tried;
    int64_t asker;
    char id[40], code[16];       /* of the existing rematch; "" none */
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

/* The job referred to the old table (`jobs`); it may have been forgotten meanwhile. */
static void again_free(struct again *again)
{
    struct table *table = again->table;
    free(again);
    table->jobs--;
    if (table->gone)
        table_forget(table);
}

static void find_rematch(struct again *again);

/* Two servers may make the rematch at the same time. Because of the request id, the database accepts only one; the other
 * server fails, looks it up once more, and finds the first one's table. */
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
    answer_new_table(request, change->table, error);
}

static void rematch_found(struct fetch *fetch, struct table *table, enum error error)
{
    struct again *again = fetch->context;
    struct request *request = again->request;
    again_free(again);
    answer_new_table(request, table, error);
}

/* The rematch either exists and is read, or is made here. ERROR_NONE from table_rematch: rematch_made will answer. */
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
    int64_t asker = 0;
    if (!read_empty_body(request))
        return;
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

void post_rematch(struct request *request) { with_table(request, post_rematch_at); }

/* Changes of a table by HTTP requests: the answer is the changed table. */

/* Called once the change is stored or has failed. */
static void change_answered(struct change *change, enum error error)
{
    struct request *request = change->context;
    if (!request_back(request))
        return;
    if (error)
        request_error(request, error, error == ERROR_BAD_MESSAGE && change->problem ? change->problem->detail : "");
    else
        answer_table(request, change->table);
}

/* Takes the text, which may be NULL, as may the terms. */
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

/* Writes the arrangement of seats in a body, numbers and words, for apply_arrange. False if it is not one. */
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

/* The seats of a waiting table, and perhaps its terms. Whether the visitor is the host is checked when the change is
 * applied (apply_arrange), not here: the host may change in between. */
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

void post_seats(struct request *request) { with_table(request, arrange_at); }

/* A change without members. */
static void submit_bare(struct request *request, struct table *table,
    enum error (*apply)(struct change *change, struct problem *problem))
{
    if (!read_empty_body(request))
        return;
    submit_change(request, table, apply, NULL, NULL);
}

static void hint_at(struct request *request, struct table *table) { submit_bare(request, table, apply_hint); }
static void name_at(struct request *request, struct table *table) { submit_bare(request, table, apply_name); }

void post_hint(struct request *request) { with_table(request, hint_at); }
void post_name(struct request *request) { with_table(request, name_at); }

/* Analyses: made once by a thread, then stored in the database. */

/* 202 with Retry-After while it is being made: the page repeats the request. */
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

/* The address counts for the limit on analyses of one client. */
static void answer_analysis(struct request *request, struct table *table)
{
    if (table->now.stage != STORE_OVER) {
        request_error(request, ERROR_NOT_OVER, "");
        return;
    }
    request_wait(request);
    judging_ask(table, request->address->node.key, request->visitor ? (int64_t)request->visitor->node.key : 0,
        strstr(request->path, ".html") ? request->language : NULL, analysis_there, request);
}

void get_analysis(struct request *request) { with_table(request, answer_analysis); }
