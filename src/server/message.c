/*
 * message.c: the messages of a WebSocket (docs/protocol.md, section 3): one table, with the fields and the handler of
 * each.
 *
 * A message passes four steps, each of which may refuse it with an error of its own: it is JSON (object_read), its
 * type is in `messages`, its members are those of the type (fields_read), and the table allows it (change.c). Handlers
 * get members of the right type and size. A handler that submits a change does not answer: the answer is sent once the
 * change is stored.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/match.h>

#include "conn.h"
#include "daily.h"
#include "object.h"
#include "server.h"

#define MAX_FIELDS 4             /* the most that any type of message has */
#define MOST_FETCHES 50          /* of one table whose newer lines are at another server */

/*
 * jansson continues when it runs out of memory: a text that could not grow lacks some letters. Such a text could be taken
 * for a client's, or be stored; and if letters after a backslash are missing, jansson aborts the program. So a failed
 * allocation is noted, and while a text is read, memory then comes from a spare block: the text is dropped anyway.
 */
#define SPARE_SIZE 16384

static _Thread_local bool is_short, is_reading;
static _Thread_local struct {
    size_t used, blocks;
    _Alignas(16) char at[SPARE_SIZE];
} spare;

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    if (memory)
        return memory;
    is_short = true;
    size = (size + 15) & ~(size_t)15;
    if (!is_reading || size > SPARE_SIZE - spare.used)
        return NULL;
    memory = spare.at + spare.used;
    spare.used += size;
    spare.blocks++;
    return memory;
}

static void release(void *memory)
{
    uintptr_t at = (uintptr_t)memory, start = (uintptr_t)spare.at;
    if (at < start || at >= start + SPARE_SIZE) {
        free(memory);
        return;
    }
    if (!--spare.blocks)
        spare.used = 0;
}

void object_init(void)
{
    json_set_alloc_funcs(allocate, release);
}

void object_begin(void)
{
    is_short = false;
}

bool object_is_short(void)
{
    return is_short;
}

json_t *object_load(const char *text, size_t size)
{
    object_begin();
    is_reading = true;
    json_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    is_reading = false;
    if (!is_short)
        return object;
    json_decref(object);
    return NULL;
}

json_t *object_read(const char *text, size_t size, enum error *error)
{
    json_t *object = object_load(text, size);
    *error = is_short ? ERROR_STORAGE : json_is_object(object) ? ERROR_NONE : ERROR_BAD_JSON;
    if (!*error)
        return object;
    json_decref(object);
    return NULL;
}

/* Strict on purpose: an unknown member is an error, so that misspelled optional members are noticed. Texts with a zero
 * byte are refused, since C would read only the part before it. */
bool fields_read(json_t *object, const struct field *field, unsigned count, bool is_message, json_t **values,
    struct problem *problem)
{
    const char *name;
    json_t *value;
    unsigned i;
    json_object_foreach(object, name, value) {
        for (i = 0; i < count && strcmp(name, field[i].name); i++)
            ;
        if (i == count && (!is_message || (strcmp(name, "type") && strcmp(name, "id")))) {
            snprintf(problem->detail, sizeof problem->detail, "%.40s", name);
            return false;
        }
    }
    for (i = 0; i < count; i++) {
        value = values[i] = json_object_get(object, field[i].name);
        bool fits = !value ? !field[i].required :
            field[i].kind == FIELD_TEXT ? json_is_string(value) && json_string_length(value) <= (size_t)field[i].most &&
                strlen(json_string_value(value)) == json_string_length(value) :
            field[i].kind == FIELD_NUMBER || field[i].kind == FIELD_SEAT ? json_is_integer(value) &&
                json_integer_value(value) >= (field[i].kind == FIELD_SEAT) && json_integer_value(value) <= field[i].most :
            field[i].kind == FIELD_ARRAY ? json_is_array(value) && json_array_size(value) <= (size_t)field[i].most :
            field[i].kind == FIELD_ANY || json_is_boolean(value);
        if (!fits) {
            snprintf(problem->detail, sizeof problem->detail, "%s", field[i].name);
            return false;
        }
    }
    return true;
}

/* The handlers. Each answers itself, at once or when its change is done. */

static void refuse(struct conn *conn, const char *id, enum error error, const char *detail)
{
    struct problem problem = { .error = error };
    snprintf(problem.detail, sizeof problem.detail, "%s", detail);
    conn_answer(conn, id, error, &problem);
}

/* A change of the table that this connection has open, by its visitor; NULL after an error was sent. */
static struct change *begin(struct conn *conn, const char *id,
    enum error (*apply)(struct change *change, struct problem *problem))
{
    struct change *change = conn->observer.table ? change_new(conn->observer.table, apply) : NULL;
    if (!change)
        refuse(conn, id, conn->observer.table ? ERROR_STORAGE : ERROR_NOT_OPEN, "");
    else
        change->request.visitor = (int64_t)conn->visitor->node.key;
    return change;
}

/* Whether the client has seen more lines than are in memory here: it was connected to another server, whose announcements
 * have not arrived yet. */
static bool is_ahead(const struct conn *conn, const struct table *table)
{
    return conn->server->shared && table && conn->fetch_have > table->log.count;
}

/* The connection was paused (conn_pause), so no message has overtaken the `open`. NULL: the connection has gone. */
static void open_found(struct fetch *fetch, struct table *table, enum error error)
{
    struct conn *conn = fetch->context;
    struct problem problem = { .error = error };
    if (!conn)
        return;
    conn->fetch = NULL;
    /* While a change is being stored, the table in memory cannot be replaced by what was read. */
    bool is_old = is_ahead(conn, table) && !fetch->is_current;
    if (is_old && conn->fetch_tries++ < MOST_FETCHES &&
        (conn->fetch = table_fetch(conn->server, table->code, open_found, conn)))
        return;
    conn_resume(conn);
    if (is_old)
        problem.error = error = ERROR_STORAGE;
    if (!error && daily_is_sealed_for(table, conn->visitor))
        problem.error = error = ERROR_SEALED;
    if (conn->fetch_limited && !(table && table_is_known_to(table, conn->visitor)))
        problem.error = error = ERROR_TOO_FAST;
    if (error == ERROR_NO_TABLE)
        address_guessed(conn->server, conn->address);
    conn_answer(conn, conn->fetch_id, error, &problem);
    if (!error)
        conn_watch(conn, table, conn->fetch_have);
}

/* As with_table in table_routes.c: codes that do not exist count as guesses. `have` is the number of lines that the
 * client has. */
static void do_open(struct conn *conn, const char *id, json_t **value)
{
    char code[CODE_SIZE + 1];
    if (!code_read(json_string_value(value[0]), code, CODE_SIZE))
        code[0] = '\0';
    struct table *table = table_find(conn->server, code);
    conn->fetch_have = (uint32_t)json_integer_value(value[1]);
    conn->fetch_limited = !(table && table_is_known_to(table, conn->visitor)) &&
        !address_may_guess(conn->server, conn->address);
    if (conn->fetch_limited && (table || !code[0])) {
        refuse(conn, id, ERROR_TOO_FAST, "");
        return;
    }
    conn->fetch_tries = 0;
    if (table && daily_is_sealed_for(table, conn->visitor)) {
        refuse(conn, id, ERROR_SEALED, "");
        return;
    }
    if (table && !is_ahead(conn, table)) {
        conn_answer(conn, id, ERROR_NONE, NULL);
        conn_watch(conn, table, conn->fetch_have);
        return;
    }
    if (!code[0]) {
        address_guessed(conn->server, conn->address);
        refuse(conn, id, ERROR_NO_TABLE, "");
        return;
    }
    memcpy(conn->fetch_id, id, ID_SIZE);
    conn->fetch = table_fetch(conn->server, code, open_found, conn);
    if (conn->fetch)
        conn_pause(conn);                    /* the next messages may be about that table */
    else
        refuse(conn, id, ERROR_STORAGE, "");
}

/* `number` is the client's part of the fair shuffle. The key of a friend's seat is hashed at once, as it is stored. */
static void do_sit(struct conn *conn, const char *id, json_t **value)
{
    uint8_t number[PYR_FAIR_BYTES];
    if (!pyr_fair_read_hex(json_string_value(value[0]), json_string_length(value[0]), number)) {
        refuse(conn, id, ERROR_BAD_MESSAGE, "number");
        return;
    }
    struct change *change = begin(conn, id, apply_sit);
    if (!change)
        return;
    memcpy(change->request.number, number, sizeof number);
    if (value[1]) {
        change->request.has_seat = true;
        change->request.seat = (uint8_t)(json_integer_value(value[1]) - 1);
    }
    if (value[2]) {
        change->request.has_key = true;
        crypto_hash_sha256(change->request.key, (const unsigned char *)json_string_value(value[2]),
            json_string_length(value[2]));
    }
    conn_submit(conn, change, id);
}

/* For messages without members. */
static void submit_bare(struct conn *conn, const char *id,
    enum error (*apply)(struct change *change, struct problem *problem))
{
    struct change *change = begin(conn, id, apply);
    if (change)
        conn_submit(conn, change, id);
}

static void do_leave(struct conn *conn, const char *id, json_t **value)
{
    (void)value;
    submit_bare(conn, id, apply_leave);
}

static void do_return(struct conn *conn, const char *id, json_t **value)
{
    (void)value;
    submit_bare(conn, id, apply_return);
}

static void do_close(struct conn *conn, const char *id, json_t **value)
{
    (void)value;
    submit_bare(conn, id, apply_close);
}

static void do_ping(struct conn *conn, const char *id, json_t **value) { (void)value; conn_pong(conn, id); }

static void do_choose(struct conn *conn, const char *id, json_t **value)
{
    struct change *change = begin(conn, id, apply_choose);
    if (!change)
        return;
    conn_take_over_seat(conn);                        /* the connection that chooses becomes the one that plays, even
                                                         after `elsewhere` */
    size_t size = json_string_length(value[1]);
    change->request.phase = (uint32_t)json_integer_value(value[0]);
    change->request.text = malloc(size + 1);
    if (!change->request.text) {
        change_free(change);
        refuse(conn, id, ERROR_STORAGE, "");
        return;
    }
    memcpy(change->request.text, json_string_value(value[1]), size + 1);
    conn_submit(conn, change, id);
}

static void do_retract(struct conn *conn, const char *id, json_t **value)
{
    struct change *change = begin(conn, id, apply_retract);
    if (!change)
        return;
    change->request.phase = (uint32_t)json_integer_value(value[0]);
    conn_submit(conn, change, id);
}

static void do_fill(struct conn *conn, const char *id, json_t **value)
{
    const struct pyr_bot *bot = pyr_bot_find(json_string_value(value[1]));
    if (!bot) {
        refuse(conn, id, ERROR_BAD_MESSAGE, "level");
        return;
    }
    struct change *change = begin(conn, id, apply_fill);
    if (!change)
        return;
    change->request.seat = (uint8_t)(json_integer_value(value[0]) - 1);
    change->request.bot = bot;
    conn_submit(conn, change, id);
}

static void do_standin(struct conn *conn, const char *id, json_t **value)
{
    struct change *change = begin(conn, id, apply_standin);
    if (!change)
        return;
    change->request.seat = (uint8_t)(json_integer_value(value[0]) - 1);
    conn_submit(conn, change, id);
}

static void do_react(struct conn *conn, const char *id, json_t **value)
{
    unsigned symbol = 0;
    while (symbol < PYR_REACTIONS && strcmp(json_string_value(value[0]), reaction_names[symbol]))
        symbol++;
    struct table *table = conn->observer.table;
    if (symbol == PYR_REACTIONS || !table) {
        bool is_unknown = symbol == PYR_REACTIONS;
        refuse(conn, id, is_unknown ? ERROR_BAD_MESSAGE : ERROR_NOT_OPEN, is_unknown ? "symbol" : "");
        return;
    }
    enum error error = table_react(table, (int64_t)conn->visitor->node.key, symbol);
    if (error != ERROR_NOT_SEATED && error != ERROR_ALONE) {
        refuse(conn, id, error, "");
        return;
    }
    struct change *change = begin(conn, id, apply_react);
    if (!change)
        return;
    change->request.seat = (uint8_t)symbol;
    conn_submit(conn, change, id);
}

#define SEAT(required) { "seat", FIELD_SEAT, required, PYR_MAX_SEATS }
#define PHASE { "phase", FIELD_NUMBER, true, PYR_LOG_LINES }

/* The protocol's messages, in the order of docs/protocol.md. */
static const struct message {
    const char *type;
    bool needs_id;
    struct field field[MAX_FIELDS];
    void (*handle)(struct conn *conn, const char *id, json_t **value);
} messages[] = {
    { "open", false, { { "table", FIELD_TEXT, true, 64 }, { "have", FIELD_NUMBER, false, PYR_LOG_LINES } }, do_open },
    { "sit", false, { { "number", FIELD_TEXT, true, PYR_FAIR_DIGITS }, SEAT(false), { "key", FIELD_TEXT, false, 64 } },
        do_sit },
    { "leave", false, { { 0 } }, do_leave },
    { "return", false, { { 0 } }, do_return },
    { "choose", true, { PHASE, { "choice", FIELD_TEXT, true, 500 } }, do_choose },
    { "retract", true, { PHASE }, do_retract },
    { "fill", false, { SEAT(true), { "level", FIELD_TEXT, true, 16 } }, do_fill },
    { "standin", false, { SEAT(true) }, do_standin },
    { "react", false, { { "symbol", FIELD_TEXT, true, 16 } }, do_react },
    { "close", false, { { 0 } }, do_close },
    { "ping", false, { { 0 } }, do_ping },
};

bool message_is_id(const json_t *value)
{
    const char *text = json_string_value(value);
    if (!text || !text[0] || json_string_length(value) >= ID_SIZE || strlen(text) != json_string_length(value))
        return false;
    for (; *text; text++)
        if (*text <= ' ' || *text > '~')
            return false;
    return true;
}

/* An error before the id has been read is sent without an id. */
void message_read(struct conn *conn, const char *text, size_t size)
{
    enum error error;
    json_t *object = object_read(text, size, &error);
    json_t *type = json_object_get(object, "type"), *id_value = json_object_get(object, "id");
    json_t *values[MAX_FIELDS];
    struct problem problem = { 0 };
    char id[ID_SIZE] = "";
    const struct message *message = NULL;
    unsigned fields = 0;
    if (error) {
        refuse(conn, "", error, "");
        goto out;
    }
    if (id_value && !message_is_id(id_value)) {
        refuse(conn, "", ERROR_BAD_MESSAGE, "id");
        goto out;
    }
    if (id_value)
        memcpy(id, json_string_value(id_value), json_string_length(id_value) + 1);
    for (size_t i = 0; json_is_string(type) && i < sizeof messages / sizeof *messages; i++)
        if (!strcmp(json_string_value(type), messages[i].type))
            message = &messages[i];
    if (!message) {
        refuse(conn, id, json_is_string(type) ? ERROR_UNKNOWN_TYPE : ERROR_BAD_MESSAGE, "type");
        goto out;
    }
    while (fields < MAX_FIELDS && message->field[fields].name)
        fields++;
    if (message->needs_id && !id[0])
        refuse(conn, id, ERROR_BAD_MESSAGE, "id");
    else if (!fields_read(object, message->field, fields, true, values, &problem))
        refuse(conn, id, ERROR_BAD_MESSAGE, problem.detail);
    else
        message->handle(conn, id, values);
out:
    json_decref(object);
}
