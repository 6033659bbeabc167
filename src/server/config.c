/*
 * config.c: everything that is stored about a table except its log: a JSON object in its row.
 *
 * Written with every change of seats or stage, read when a table is loaded into memory. Members with their default value
 * are left out, and unknown ones are ignored when reading, so that old and new versions read each other's rows. "before"
 * is the stored name of kind_if_free.
 *
 * The secret of the shuffle and the hashes of keys are in here: this text is never shown. Clients are sent table_json.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"
#include "server.h"

static const char *const kinds[] = { "open", "friend", "bot", "person" };
static const char *const clocks[] = { "none", "relaxed", "quick" };

/* Add to an object or array, which becomes NULL, and stays NULL, once there is no memory: an incomplete one is never
 * stored or sent. */
static void put(json_t **object, const char *name, json_t *value)
{
    if (json_object_set_new(*object, name, value)) {
        json_decref(*object);
        *object = NULL;
    }
}

static void append(json_t **array, json_t *value)
{
    if (json_array_append_new(*array, value)) {
        json_decref(*array);
        *array = NULL;
    }
}

/* Of PYR_FAIR_BYTES bytes, which is also the size of a key's hash. */
static json_t *hex(const uint8_t *bytes)
{
    char text[PYR_FAIR_DIGITS + 1];
    pyr_fair_write_hex(bytes, text);
    json_t *string = json_string(text);
    sodium_memzero(text, sizeof text);
    return string;
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    return sodium_is_zero(bytes, size);
}

/* NULL without memory. object_begin and object_is_short bracket everything that jansson allocates (object.h). */
char *config_write(const struct table *table, const struct table_state *state)
{
    object_begin();
    json_t *seats = json_array();
    for (unsigned s = 0; s < state->seats; s++) {
        const struct seat *seat = &state->seat[s];
        json_t *one = json_pack("{ss ss ss ss* sI sb}", "kind", kinds[seat->kind], "before", kinds[seat->kind_if_free],
            "name", seat->name, "level", seat->bot ? seat->bot->name : NULL, "visitor", (json_int_t)seat->visitor, "away",
            seat->away);
        if (!is_zero(seat->key, TOKEN_SIZE))
            put(&one, "key", hex(seat->key));
        if (state->fair.numbers >> s & 1)
            put(&one, "number", hex(state->fair.number[s]));
        if (seat->sit[0])
            put(&one, "sit", json_string(seat->sit));
        if (seat->hints)
            put(&one, "hints", json_integer(seat->hints));
        if (state->series)
            put(&one, "series", json_pack("[ii]", (int)seat->series.wins, (int)seat->series.points));
        if (seat->notify)
            put(&one, "notify", json_true());
        append(&seats, one);
    }
    json_t *config = json_pack("{ss sb ss sI so so}", "edition", state->terms.edition->name, "public",
        state->terms.is_public, "clock", clocks[state->terms.clock], "host", (json_int_t)table->host, "secret",
        hex(state->fair.secret), "seats", seats);
    if (state->terms.hints)
        put(&config, "hints", json_true());
    if (state->rematch[0])
        put(&config, "rematch", json_string(state->rematch));
    if (table->daily.day) {                  /* store_ops.c searches for the first of these */
        put(&config, "day", json_integer(table->daily.day));
        put(&config, "day_number", json_integer(table->daily.number));
        put(&config, "counted", json_boolean(table->daily.is_counted));
    }
    if (state->series)
        put(&config, "series", json_integer(state->series));
    if (state->stage == STORE_OVER) {
        json_t *points = json_array();
        for (unsigned s = 0; s < state->seats; s++)
            append(&points, json_integer(state->points[s]));
        put(&config, "points", points);
        put(&config, "winners", json_integer(state->winners));
    }
    char *text = config ? json_dumps(config, JSON_COMPACT) : NULL;
    json_decref(config);
    if (!object_is_short())
        return text;
    free(text);                              /* it is incomplete */
    return NULL;
}

/* -1: not in the list. */
static int index_of(const char *word, const char *const *words, unsigned count)
{
    for (unsigned i = 0; word && i < count; i++)
        if (!strcmp(word, words[i]))
            return (int)i;
    return -1;
}

static bool read_hex(const json_t *value, uint8_t *bytes)
{
    return json_is_string(value) && pyr_fair_read_hex(json_string_value(value), json_string_length(value), bytes);
}

static bool read_seat(struct table_state *state, unsigned s, json_t *value)
{
    struct seat *seat = &state->seat[s];
    const char *kind, *before, *name, *level = NULL, *sit = NULL;
    json_int_t visitor;
    int away;
    if (json_unpack(value, "{ss ss ss s?s sI sb s?s}", "kind", &kind, "before", &before, "name", &name, "level", &level,
            "visitor", &visitor, "away", &away, "sit", &sit))
        return false;
    int kind_index = index_of(kind, kinds, 4), before_index = index_of(before, kinds, 4);
    if (kind_index < 0 || before_index < 0 || strlen(name) >= NAME_SIZE || (sit && strlen(sit) >= ID_SIZE))
        return false;
    seat->kind = (uint8_t)kind_index;
    seat->kind_if_free = (uint8_t)before_index;
    seat->visitor = visitor;
    seat->away = away;
    seat->hints = (uint16_t)json_integer_value(json_object_get(value, "hints"));
    const json_t *series = json_object_get(value, "series");
    seat->series.wins = (uint16_t)json_integer_value(json_array_get(series, 0));
    seat->series.points = (int16_t)json_integer_value(json_array_get(series, 1));
    seat->notify = json_is_true(json_object_get(value, "notify"));
    memcpy(seat->name, name, strlen(name) + 1);
    if (sit)
        memcpy(seat->sit, sit, strlen(sit) + 1);
    if (seat->kind == SEAT_BOT && !(seat->bot = level ? pyr_bot_find(level) : NULL))
        return false;
    json_t *key = json_object_get(value, "key"), *number = json_object_get(value, "number");
    uint8_t bytes[PYR_FAIR_BYTES];
    if (key && !read_hex(key, seat->key))
        return false;
    if (number) {
        if (!read_hex(number, bytes))
            return false;
        pyr_fair_add(&state->fair, (pyr_seat)s, bytes);
    }
    return true;
}

/* Rows may have been damaged or edited: everything is checked, and an invalid table is refused as a whole. */
bool config_read(struct table *table, const char *text)
{
    struct table_state *state = &table->now;
    json_t *config = object_load(text, strlen(text)), *seats = json_object_get(config, "seats");
    const char *edition, *clock, *rematch = NULL;
    int is_public;
    json_int_t host, winners = 0;
    json_t *secret, *points = NULL;
    bool good = config &&
        !json_unpack(config, "{ss sb ss sI so s?s s?I s?o}", "edition", &edition, "public", &is_public, "clock", &clock,
            "host", &host, "secret", &secret, "rematch", &rematch, "winners", &winners, "points", &points);
    int clock_index = good ? index_of(clock, clocks, 3) : -1;
    size_t count = json_array_size(seats);
    good = good && clock_index >= 0 && count >= PYR_MIN_SEATS && count <= PYR_MAX_SEATS &&
        read_hex(secret, state->fair.secret) && (!rematch || table_is_code(rematch));
    if (good) {
        state->terms = (struct table_terms){ .edition = server_edition(table->server, edition), .is_public = is_public,
            .hints = json_is_true(json_object_get(config, "hints")), .clock = (uint8_t)clock_index };
        table->host = host;
        table->daily = (struct table_daily){ .day = (int32_t)json_integer_value(json_object_get(config, "day")),
            .number = (uint32_t)json_integer_value(json_object_get(config, "day_number")),
            .is_counted = json_is_true(json_object_get(config, "counted")) };
        state->seats = (uint8_t)count;
        state->winners = (uint8_t)winners;
        state->series = (uint8_t)json_integer_value(json_object_get(config, "series"));
        if (rematch)
            memcpy(state->rematch, rematch, CODE_SIZE + 1);
        good = state->terms.edition != NULL;
    }
    for (unsigned s = 0; good && s < count; s++) {
        good = read_seat(state, s, json_array_get(seats, s));
        state->points[s] = (int16_t)json_integer_value(json_array_get(points, s));
    }
    json_decref(config);
    return good;
}

/* The score of a series so far: games played, including this one once it is over, and each seat's wins and points. */
static json_t *series_json(const struct table_state *state)
{
    bool over = state->stage == STORE_OVER;
    json_t *wins = json_array(), *points = json_array();
    for (unsigned s = 0; s < state->seats; s++) {
        const struct seat *seat = &state->seat[s];
        int won = over && state->winners >> s & 1 ? 12 / __builtin_popcount(state->winners) : 0;
        append(&wins, json_real((seat->series.wins + won) / 12.0));
        append(&points, json_integer(seat->series.points + (over ? state->points[s] : 0)));
    }
    return json_pack("{si so so}", "games", state->series + over, "wins", wins, "points", points);
}

/* How a game ended. */
static void put_result(json_t **json, const struct table_state *state)
{
    json_t *points = json_array(), *winners = json_array();
    for (unsigned s = 0; s < state->seats; s++) {
        append(&points, json_integer(state->points[s]));
        if (state->winners >> s & 1)
            append(&winners, json_integer(s + 1));
    }
    put(json, "points", points);
    put(json, "winners", winners);
    if (state->rematch[0])
        put(json, "rematch", json_string(state->rematch));
}

/* A table as `visitor` may see it (docs/protocol.md). Round and turn are 0 until the first pattern is revealed and cards
 * are kept. */
json_t *table_json(const struct table *table, const struct visitor *visitor)
{
    static const char *const states[] = { "waiting", "running", "over", "closed" };
    const struct table_state *state = &table->now;
    const struct pyr_table *open = &state->game.replay.state.open;
    bool running = state->stage == STORE_RUNNING;
    bool begun = running && open->revealed[0] != PYR_NO_PATTERN && open->phase != PYR_KEEP;
    int64_t id = visitor ? (int64_t)visitor->node.key : 0;
    pyr_seat you = table_seat_of(table, id);
    unsigned waiting = table_waiting(table);
    char commitment[PYR_FAIR_DIGITS + 1];
    json_t *seats = json_array();
    for (unsigned s = 0; s < state->seats; s++) {
        const struct seat *seat = &state->seat[s];
        json_t *one = json_pack("{ss}", "kind", kinds[seat->kind]);
        if (seat->name[0])
            put(&one, "name", json_string(seat->name));
        if (seat->kind == SEAT_BOT)
            put(&one, "level", json_string(seat->bot->name));
        if (seat->kind == SEAT_PERSON) {
            bool here = table_is_here(table, s);
            put(&one, "here", json_boolean(here));
            if (!here && table_left(table, s))
                put(&one, "gone", json_integer((json_int_t)(server_now(table->server) - table_left(table, s))));
            put(&one, "away", json_boolean(seat->away));
            if (seat->hints)
                put(&one, "hints", json_integer(seat->hints));
        }
        if (seat->kind >= SEAT_BOT)
            put(&one, "ready", json_boolean(running && !(waiting >> s & 1)));
        append(&seats, one);
    }
    /* An imported game may have no secret. */
    bool is_fair = !sodium_is_zero(state->fair.secret, sizeof state->fair.secret);
    pyr_fair_commitment(state->fair.secret, commitment);
    json_t *json = json_pack("{ss ss ss sb sb ss sI ss* si sb sI si si so}", "code", table->code, "state",
        states[state->stage], "edition", state->terms.edition->name, "public", state->terms.is_public, "hints",
        state->terms.hints, "clock", clocks[state->terms.clock], "created", (json_int_t)table->created, "commitment",
        is_fair ? commitment : NULL, "you",
        you < PYR_MAX_SEATS ? you + 1 : 0, "host", id && table->host == id, "version", (json_int_t)table->log.count, "round",
        begun ? open->round + 1 : 0, "turn", begun ? open->turn + 1 : 0, "seats", seats);
    if (table->daily.day) {
        char date[PYR_DAILY_DATE];
        pyr_daily_write_date(table->daily.day, date);
        put(&json, "daily", json_pack("{ss sI sb}", "date", date, "number", (json_int_t)table->daily.number, "counted",
            table->daily.is_counted));
    }
    if (state->series)
        put(&json, "series", series_json(state));
    if (you < PYR_MAX_SEATS && state->seat[you].notify)
        put(&json, "notify", json_true());
    if (running && !table_has_host(table))
        json_object_set_new(json, "host_gone", json_integer((json_int_t)(server_now(table->server) - table->host_left)));
    if (state->stage == STORE_OVER)
        put_result(&json, state);
    return json;
}
