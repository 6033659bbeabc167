/*
 * test_table.c: tables without memory. Allocation number 1, 2, 3... of a game's beginning fails, once: at most one
 * request is refused, sending it again
 * succeeds, and what is in memory, in the database and told to clients is the same as ever.
 *
 * The tables, messages and the store are the server's own; this file stands in for serve.c, web.c and pool.c. The linker
 * sends every malloc, calloc and
 * realloc of the program through here (meson.build).
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "check_edition.h"

#include <pthread.h>
#include <sodium.h>

#include "conn.h"
#include "judging.h"
#include "pool.h"
#include "server.h"

/* Memory that fails when told to, in the loop's thread: the store's has tests of its own (test_store.c). */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *at, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *at, size_t size);

static struct {
    int countdown;               /* this many go well, then one fails; -1: none does */
    bool hit, armed;
    pthread_t thread;
} fault;

static bool fails(void)
{
    if (!fault.armed || !pthread_equal(fault.thread, pthread_self()) || fault.countdown < 0 || fault.countdown-- > 0)
        return false;
    fault.hit = true;
    return true;
}

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *at, size_t size) { return fails() ? NULL : __real_realloc(at, size); }

/* What the rest of the server would be. */

static struct server server;
static struct work *work_begun;
static enum error work_answer;

uint64_t server_now(const struct server *of) { (void)of; return 1000000; }
int64_t server_time(void) { return 1794700800; }
int error_status(enum error error) { (void)error; return 500; }
void conn_wake(struct conn *conn) { (void)conn; }
void conn_pause(struct conn *conn) { (void)conn; }
void conn_resume(struct conn *conn) { (void)conn; }
bool pool_ask(struct pool *pool, struct ask *ask) { (void)pool; (void)ask; return false; }
void pool_withdraw(struct pool *pool, struct ask *ask) { (void)pool; (void)ask; }
void pool_watch(struct pool *pool, struct ask *ask, bool watched) { (void)pool; (void)ask; (void)watched; }
bool pool_rest(struct pool *pool) { (void)pool; return false; }

enum error pool_work(struct pool *pool, struct work *work, uint64_t address)
{
    (void)pool;
    (void)address;
    if (!work_answer)
        work_begun = work;
    return work_answer;
}

const char *error_name(enum error error)
{
    static const char *const names[] = {
#define X(name, word, status) word,
        SERVER_ERRORS(X)
#undef X
    };
    return error ? names[error - 1] : "";
}

uint64_t server_hash(const struct server *of, const void *data, size_t size)
{
    uint64_t hash;
    crypto_shorthash((unsigned char *)&hash, data, size, of->hash_key);
    return hash;
}

const struct pyr_edition *server_edition(const struct server *of, const char *name)
{
    (void)name;
    return of->options.editions;
}

void server_log(const struct server *of, enum log_level level, const char *event, const char *format, ...)
{
    (void)of;
    if (level == LOG_ERROR)
        fprintf(stderr, "%s: %s\n", event, format);
}

/* A server with two people and, once it is made, one table. */

static struct pyr_edition classic;
static struct address address;
static struct conn conns[2];
static struct table *table;
static char told[2][OUTBOX_ROOM];              /* the last `table` message of each */
static uint32_t lines_told[2];
static bool seen[2];                         /* has opened the table once */
static unsigned refused, said;

__attribute__((constructor)) static void load(void)
{
    check_edition(&classic, "editions/classic.edition");
    if (sodium_init() < 0)
        abort();
    object_init();
}

static void come(unsigned who)
{
    struct conn *conn = &conns[who];
    *conn = (struct conn){ .server = &server, .address = &address, .visitor = visitor_by_id(&server, who + 1),
        .last_reply = &conn->replies };
    conn->link_of_visitor = &conn->visitor->conns;
    conn->visitor->conns = conn;
    conn->visitor->connections++;
    lines_told[who] = 0;
    told[who][0] = '\0';
}

static struct store_visitor person(unsigned i)
{
    struct store_visitor visitor = { .id = (int64_t)i + 1 };
    memset(visitor.token, (int)i + 1, sizeof visitor.token);
    snprintf(visitor.name, sizeof visitor.name, "%s", i ? "Ben" : "Ana");
    return visitor;
}

static bool fill(struct store_db *db, void *context)
{
    (void)context;
    struct store_visitor ana = person(0), ben = person(1);
    return store_put_visitor(db, &ana) == STORE_OK && store_put_visitor(db, &ben) == STORE_OK;
}

static bool begin(void)
{
    char error[256];
    memset(&server, 0, sizeof server);
    table = NULL;
    seen[0] = seen[1] = false;
    server.options.editions = &classic;
    server.options.edition_count = 1;
    server.options.max_tables = server.options.max_tables_per_visitor = 10;
    if (uv_loop_init(&server.loop) || !store_open(&server.store, &server.loop, ":memory:", fill, NULL, error, sizeof error))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        struct store_visitor visitor = person(i);
        if (!visitor_load(&server, &visitor))
            return false;
        come(i);
    }
    return true;
}

static void end(void)
{
    for (unsigned i = 0; i < 2; i++)
        conn_finish(&conns[i]);
    if (server.store)
        store_close(server.store);
    uv_run(&server.loop, UV_RUN_DEFAULT);
    while (server.table_list)
        table_forget(server.table_list);
    map_finish(&server.tables);
    visitors_finish(&server);
    CHECK_INT(uv_loop_close(&server.loop), 0);
}

static void settle(void)
{
    while (store_pending(server.store))
        uv_run(&server.loop, UV_RUN_ONCE);
}

/* What a client is told; the answer to `id`: 0 none, 1 done, -1 refused for now. Anything else is wrong. */
static int hear(unsigned who, const char *id)
{
    static char buffer[OUTBOX_ROOM + 1];
    char mine[64];
    int answer = 0;
    size_t size;
    snprintf(mine, sizeof mine, "\"id\":\"%s\"", id);
    while (!(conns[who].close && !conns[who].replies) && (size = outbox_next(&conns[who], buffer, OUTBOX_ROOM)) != 0) {
        buffer[size] = '\0';
        if (strstr(buffer, "\"type\":\"done\"") && strstr(buffer, mine)) {
            answer = 1;
        } else if (strstr(buffer, "\"type\":\"error\"")) {
            if (!CHECK(strstr(buffer, "\"code\":\"storage\"")))
                fprintf(stderr, "%s\n", buffer);
            answer = -1;
        } else if (strstr(buffer, "\"type\":\"lines\"")) {
            lines_told[who] = conns[who].sent_lines;
        } else if (strstr(buffer, "\"type\":\"table\"")) {
            memcpy(told[who], buffer, size + 1);
        }
    }
    return answer;
}

/* Sends a message until it is done: at most once it is refused, or the connection is lost. */
static void say(unsigned who, const char *kind, const char *rest)
{
    char text[700], id[16];
    int answer = 0;
    snprintf(id, sizeof id, "i%u", ++said);
    snprintf(text, sizeof text, "{\"type\":\"%s\",\"id\":\"%s\"%s}", kind, id, rest);
    for (unsigned attempt = 0; attempt < 3 && answer != 1; attempt++) {
        message_read(&conns[who], text, strlen(text));
        settle();
        hear(!who, id);
        answer = hear(who, id);
        refused += answer == -1;
        seen[who] |= answer == 1;
        for (unsigned i = 0; i < 2; i++) {
            if (!conns[i].close)
                continue;
            conn_finish(&conns[i]);          /* and back again */
            come(i);
        }
        for (unsigned i = 0; i < 2; i++)
            if (!conns[i].observer.table && seen[i]) {
                conn_watch(&conns[i], table, 0);
                hear(i, "");
            }
    }
    CHECK_INT(answer, 1);
}

static void made(struct change *change, enum error error)
{
    CHECK(!error || error == ERROR_STORAGE);
    *(enum error *)change->context = error;
}

static void make_table(void)
{
    struct table_request wanted = { .seats = 2, .edition = &classic };
    enum error error = ERROR_STORAGE;
    for (unsigned attempt = 0; attempt < 3 && error; attempt++) {
        enum error later = ERROR_NONE;
        error = table_create(&server, visitor_by_id(&server, 1), &wanted, made, &later, &table);
        settle();
        refused += error || later;
        error = error ? error : later;
        table = error ? NULL : table;
    }
    CHECK_INT(error, ERROR_NONE);
}

/* The first legal choice of a seat. */
static void choose(unsigned who)
{
    struct pyr_game game = table->now.game;
    char text[500], rest[600];
    struct pyr_out out;
    struct pyr_rng dice;
    pyr_rng_seed(&dice, 1, who);
    game.choice[who].count = 0;
    pyr_out_init(&out, text, sizeof text);
    while (!pyr_game_is_ready(&game, (pyr_seat)who)) {
        struct pyr_steps steps;
        pyr_game_steps(&game, (pyr_seat)who, &steps);
        pyr_step step = pyr_steps_pick(&steps, &classic.box, &dice);
        if (pyr_game_step(&game, (pyr_seat)who, step, NULL))
            break;
    }
    pyr_game_write_choice(&game, (pyr_seat)who, &out);
    snprintf(rest, sizeof rest, ",\"phase\":%u,\"choice\":\"%s\"", (unsigned)table->log.count, text);
    say(who, "choose", rest);
}

/* What the database has of the table. */
struct reading {
    struct store_job job;
    char *config, *text;
    size_t size;
};

static enum store_result read_back(struct store_db *db, struct store_job *job)
{
    struct reading *reading = (struct reading *)job;
    struct store_table row;
    enum store_result result = store_get_table(db, table->code, &row);
    reading->config = result ? NULL : strdup(row.config);
    return result ? result : store_get_lines(db, table->id, &reading->text, &reading->size);
}

static void was_read(struct store_job *job, enum store_result result)
{
    (void)job;
    CHECK_INT(result, STORE_OK);
}

static void check_all_the_same(void)
{
    struct reading reading = { .job = { .run = read_back, .done = was_read } };
    char *config = config_write(table, &table->now);
    store_submit(server.store, &reading.job);
    settle();
    if (CHECK(config && reading.config && reading.text)) {
        CHECK_STR(reading.config, config);
        CHECK_INT(reading.size, table->log.start[table->log.count]);
        CHECK(!memcmp(reading.text, table->log.text, reading.size));
    }
    for (unsigned i = 0; i < 2; i++) {
        json_t *json = table_json(table, conns[i].visitor), *was = json_loads(told[i], 0, NULL);
        hear(i, "");
        CHECK_INT(lines_told[i], table->log.count);
        json_object_del(was, "type");
        json_object_set_new(was, "version", json_integer(table->log.count));     /* lines tell these three */
        json_object_set(was, "round", json_object_get(json, "round"));
        json_object_set(was, "turn", json_object_get(json, "turn"));
        CHECK_INT(json_array_size(json_object_get(was, "seats")), 2);
        CHECK_STR(json_string_value(json_object_get(was, "state")), "running");
        CHECK(json_object_get(was, "commitment") && json_object_get(was, "host"));
        json_decref(json);
        json_decref(was);
    }
    free(config);
    free(reading.config);
    free(reading.text);
}

/* A table is made and filled, both choose, one takes the choice back, leaves and returns. */
static void play(void)
{
    char rest[120];
    make_table();
    if (!table)
        return;
    for (unsigned i = 0; i < 2; i++) {
        snprintf(rest, sizeof rest, ",\"table\":\"%s\"", table->code);
        say(i, "open", rest);
        snprintf(rest, sizeof rest, ",\"number\":\"%064u\"", 7 + i);
        say(i, "sit", rest);
    }
    for (unsigned turn = 0; turn < 3; turn++) {
        choose(0);
        if (turn == 1) {
            snprintf(rest, sizeof rest, ",\"phase\":%u", (unsigned)table->log.count);
            say(0, "retract", rest);
            say(1, "leave", "");
            say(1, "return", "");
            choose(0);
        }
        choose(1);
    }
}

TEST("table: without memory one request is refused, and the table goes on") {
    int n = 0;
    fault.thread = pthread_self();
    for (fault.hit = true; fault.hit && n < 5000; n++) {
        if (!CHECK(begin()))
            return;
        refused = said = 0;
        fault.countdown = n;
        fault.hit = false;
        fault.armed = true;
        play();
        fault.armed = false;
        CHECK(refused <= 1);
        if (CHECK(table && table->now.stage == STORE_RUNNING && table->log.count > 10))
            check_all_the_same();
        end();
        if (check_failures) {
            fprintf(stderr, "allocation %d\n", n);
            return;
        }
    }
    CHECK(n > 100 && n < 5000);
}

/* Analyses that are asked for as the server goes down. */

static enum judging_state judged;
static unsigned answers;

static void note_state(void *context, enum judging_state state, char *text, size_t size, bool html)
{
    (void)context;
    (void)size;
    (void)html;
    judged = state;
    answers++;
    free(text);
}

TEST("table: an analysis that the store answers while it closes is not begun") {
    static char no_pool;
    if (!CHECK(begin()))
        return;
    fault.armed = false;
    play();
    if (!CHECK(table != NULL))
        return;
    answers = 0;
    work_begun = NULL;
    work_answer = ERROR_NONE;
    server.pool = (struct pool *)&no_pool;
    judging_ask(table, 1, NULL, note_state, NULL);
    server.stopping = true;
    server.pool = NULL;                      /* stopped, as serve.c does it before the store */
    store_close(server.store);
    server.store = NULL;
    CHECK_INT(answers, 1);
    CHECK_INT(judged, JUDGING_FAILED);
    CHECK(!work_begun && !table->analysing && !table->jobs);
    end();
}

TEST("table: an analysis is begun once, and not if too many wait") {
    static char no_pool;
    if (!CHECK(begin()))
        return;
    play();
    if (!CHECK(table != NULL))
        return;
    server.pool = (struct pool *)&no_pool;
    work_begun = NULL;
    work_answer = ERROR_TOO_MANY;
    judging_ask(table, 1, NULL, note_state, NULL);
    settle();
    CHECK_INT(judged, JUDGING_TOO_MANY);
    CHECK(!table->analysing && !table->jobs);
    work_answer = ERROR_NONE;
    judging_ask(table, 1, NULL, note_state, NULL);
    settle();
    struct work *begun = work_begun;
    CHECK_INT(judged, JUDGING_WORKING);
    work_begun = NULL;
    judging_ask(table, 2, "en", note_state, NULL);
    settle();
    CHECK_INT(judged, JUDGING_WORKING);
    CHECK(begun && !work_begun && table->analysing);
    if (begun)
        begun->done(begun);                  /* given up: the next one who asks has it made */
    CHECK(!table->analysing && !table->jobs);
    end();
}
