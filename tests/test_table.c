/*
 * test_table.c: tables when memory runs out. Allocation number 1, 2, 3... of a game's beginning fails, once: at most one
 * request is refused, sending it again succeeds, and the state in memory, in the database and at the clients is the same
 * as without the failure.
 *
 * The tables, messages and the store are the server's own; this file stands in for serve.c, web.c and pool.c. The linker
 * sends every malloc, calloc and realloc of the program through here (meson.build).
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "check_edition.h"
#include "check_server.h"

#include <pthread.h>

#include "judging.h"

/* Memory that fails on demand, in the loop's thread only: the store's is tested in test_store.c. */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *at, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *at, size_t size);

static struct {
    int countdown;               /* so many succeed, then one fails; -1: none fails */
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

/* Stubs for the rest of the server. */

static struct server server;
static struct pool_job *work_begun;
static enum error work_answer;

uint64_t server_now(const struct server *of) { (void)of; return 1000000; }
int64_t server_time(void) { return 1794700800; }
int error_status(enum error error) { (void)error; return 500; }
bool pool_rest(struct pool *pool) { (void)pool; return false; }

enum error pool_submit(struct pool *pool, struct pool_job *job, uint64_t address)
{
    (void)pool;
    (void)address;
    if (!work_answer)
        work_begun = job;
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
    server.stopped = true;                   /* nothing more is stored */
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

/* Receives a client's messages; returns the answer to `id`: 0 none, 1 done, -1 refused for now. Any other is an error. */
static int receive(unsigned who, const char *id)
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

/* Sends a message until it is done: it may be refused once, or the connection lost. */
static void say(unsigned who, const char *kind, const char *rest)
{
    char text[700], id[16];
    int answer = 0;
    snprintf(id, sizeof id, "i%u", ++said);
    snprintf(text, sizeof text, "{\"type\":\"%s\",\"id\":\"%s\"%s}", kind, id, rest);
    for (unsigned attempt = 0; attempt < 3 && answer != 1; attempt++) {
        message_read(&conns[who], text, strlen(text));
        settle();
        receive(!who, id);
        answer = receive(who, id);
        refused += answer == -1;
        seen[who] |= answer == 1;
        for (unsigned i = 0; i < 2; i++) {
            if (!conns[i].close)
                continue;
            conn_finish(&conns[i]);          /* connects again */
            come(i);
        }
        for (unsigned i = 0; i < 2; i++)
            if (!conns[i].observer.table && seen[i]) {
                conn_watch(&conns[i], table, 0);
                receive(i, "");
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
    struct table_request wanted = { .seats = 2, .terms.edition = &classic };
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

/* A legal choice of a seat, always the same one. */
static void first_choice(unsigned who, char *to, size_t size)
{
    struct pyr_game game = table->now.game;
    struct pyr_out out;
    struct pyr_rng dice;
    pyr_rng_seed(&dice, 1, who);
    game.choice[who].count = 0;
    pyr_out_init(&out, to, size);
    while (!pyr_game_is_ready(&game, (pyr_seat)who)) {
        struct pyr_steps steps;
        pyr_game_steps(&game, (pyr_seat)who, &steps);
        pyr_step step = pyr_steps_pick(&steps, &classic.box, &dice);
        if (pyr_game_step(&game, (pyr_seat)who, step, NULL))
            break;
    }
    pyr_game_write_choice(&game, (pyr_seat)who, &out);
}

static void choose(unsigned who)
{
    char text[500], rest[600];
    first_choice(who, text, sizeof text);
    snprintf(rest, sizeof rest, ",\"phase\":%u,\"choice\":\"%s\"", (unsigned)table->log.count, text);
    say(who, "choose", rest);
}

/* The table's contents in the database. */
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
        receive(i, "");
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

/* Analyses requested while the server stops. */

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
    judging_ask(table, 1, 0, NULL, note_state, NULL);
    server.stopping = true;
    server.pool = NULL;                      /* stopped, as serve.c does before it stops the store */
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
    judging_ask(table, 1, 0, NULL, note_state, NULL);
    settle();
    CHECK_INT(judged, JUDGING_TOO_MANY);
    CHECK(!table->analysing && !table->jobs);
    work_answer = ERROR_NONE;
    judging_ask(table, 1, 0, NULL, note_state, NULL);
    settle();
    struct pool_job *begun = work_begun;
    CHECK_INT(judged, JUDGING_WORKING);
    work_begun = NULL;
    judging_ask(table, 2, 0, "en", note_state, NULL);
    settle();
    CHECK_INT(judged, JUDGING_WORKING);
    CHECK(begun && !work_begun && table->analysing);
    if (begun)
        begun->done(begun);                  /* abandoned: the next request starts it again */
    CHECK(!table->analysing && !table->jobs);
    end();
}

/*
 * Another server on the same database. `other` simulates it: its changes are committed unannounced, in one job with the
 * next thing that happens here, so that this server cannot know of them.
 */

struct other {
    struct store_job job;
    struct store_commit commit;
    char code[CODE_SIZE + 1];
};

static enum store_result run_other(struct store_db *db, struct store_job *job)
{
    struct other *other = (struct other *)job;
    struct store_table row;
    enum store_result result = store_get_table(db, other->code, &row);
    if (result)
        return result;
    other->commit.table.id = row.id;
    other->commit.table.revision = row.revision;
    other->commit.table.state = row.state;
    other->commit.keeps_due = true;
    return store_commit(db, &other->commit);
}

static void other_done(struct store_job *job, enum store_result result)
{
    (void)job;
    CHECK_INT(result, STORE_OK);
}

static void submit_other(struct other *other)
{
    memcpy(other->code, table->code, sizeof other->code);
    other->job = (struct store_job){ .run = run_other, .done = other_done };
    store_submit(server.store, &other->job);
}

static void begin_game(void)
{
    char rest[120];
    fault.armed = false;
    refused = said = 0;
    make_table();
    for (unsigned i = 0; i < 2 && table; i++) {
        snprintf(rest, sizeof rest, ",\"table\":\"%s\"", table->code);
        say(i, "open", rest);
        snprintf(rest, sizeof rest, ",\"number\":\"%064u\"", 7 + i);
        say(i, "sit", rest);
    }
}

/* The other person's choice, made at another server: `id` is its message. */
static void choose_at_other(struct other *other, unsigned who, const char *id)
{
    *other = (struct other){ .commit = { .made = 1794700801, .has_choice = true } };
    other->commit.choice = (struct store_choice){ .seat = (uint8_t)who, .phase = table->log.count, .made = 1794700801 };
    snprintf(other->commit.choice.id, sizeof other->commit.choice.id, "%s", id);
    first_choice(who, other->commit.choice.text, sizeof other->commit.choice.text);
    submit_other(other);
}

TEST("table: a game whose end the database was first to count leaves the number of open tables at none") {
    struct table ended = { .server = &server };
    server.open_tables = 0;                  /* as counted by the last check of the database */
    table_count_out(&ended);
    CHECK_INT(server.open_tables, 0);
}

TEST("table: a choice that meets one made at another server completes the phase with it") {
    struct other other;
    if (!CHECK(begin()))
        return;
    begin_game();
    if (!CHECK(table && table->now.stage == STORE_RUNNING))
        return;
    uint32_t before = table->log.count;
    choose_at_other(&other, 1, "b1");
    choose(0);                               /* checks that it is done */
    CHECK(table->log.count > before);        /* both have chosen, so the phase is over */
    check_all_the_same();
    CHECK_INT(refused, 0);
    /* This server also knows a message that the other server has accepted. */
    uint32_t after = table->log.count;
    choose_at_other(&other, 1, "b2");
    settle();
    CHECK_INT(table->log.count, after);
    char text[600], rest[500];
    first_choice(1, rest, sizeof rest);
    snprintf(text, sizeof text, "{\"type\":\"choose\",\"id\":\"b2\",\"phase\":%u,\"choice\":\"%s\"}", (unsigned)after, rest);
    message_read(&conns[1], text, strlen(text));
    settle();
    CHECK_INT(receive(1, "b2"), 1);
    choose(0);
    CHECK(table->log.count > after);
    check_all_the_same();
    end();
}

/* The error that answers a message. */
static const char *refusal(unsigned who, const char *text)
{
    static char buffer[OUTBOX_ROOM + 1];
    static const char *const codes[] = { "late", "taken", "seated", "begun" };
    const char *found = "";
    size_t size;
    message_read(&conns[who], text, strlen(text));
    settle();
    while ((size = outbox_next(&conns[who], buffer, OUTBOX_ROOM)) != 0) {
        char code[32];
        buffer[size] = '\0';
        for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++) {
            snprintf(code, sizeof code, "\"code\":\"%s\"", codes[i]);
            if (strstr(buffer, "\"type\":\"error\"") && strstr(buffer, code))
                found = codes[i];
        }
    }
    return found;
}

/* Another server completes the phase: both choices have the same effect as here, so its lines are those that this server
 * would write, made on a copy. `mine` is the choice of the first seat, *game the game afterwards. The caller frees the
 * lines. */
static struct other phase_elsewhere(struct pyr_game *game, char mine[500])
{
    char theirs[500];
    struct change change = { .table = table };
    struct change_effects effects = { .change = &change };
    change.effects = &effects;
    struct pyr_sink sink = change_sink(&change);
    *game = table->now.game;
    for (unsigned s = 0; s < 2; s++) {
        char *choice = s ? theirs : mine;
        first_choice(s, choice, sizeof theirs);
        CHECK_INT(pyr_game_choose(game, (pyr_seat)s, choice, NULL, &sink), PYR_OK);
        CHECK_INT(pyr_game_confirm(game, (pyr_seat)s, &sink), PYR_OK);
    }
    return (struct other){ .commit = { .made = 1794700801, .lines = effects.lines, .lines_size = effects.lines_size,
        .first_line = table->log.count } };
}

TEST("table: a choice for a phase that another server has completed is late, and the new lines are told") {
    char text[700], mine[500];
    struct pyr_game game;
    if (!CHECK(begin()))
        return;
    begin_game();
    if (!CHECK(table && table->now.stage == STORE_RUNNING))
        return;
    struct other other = phase_elsewhere(&game, mine);
    uint32_t before = table->log.count;
    CHECK(other.commit.lines_size > strlen("reveal I3\n"));
    submit_other(&other);
    snprintf(text, sizeof text, "{\"type\":\"choose\",\"id\":\"z1\",\"phase\":%u,\"choice\":\"%s\"}", (unsigned)before,
        mine);
    CHECK_STR(refusal(0, text), "late");
    CHECK(table->log.count > before);
    lines_told[0] = conns[0].sent_lines;
    receive(1, "");
    CHECK_INT(lines_told[0], table->log.count);
    CHECK_INT(lines_told[1], table->log.count);
    check_all_the_same();
    free((char *)other.commit.lines);
    end();
}

TEST("table: a seat that was taken at another server is taken") {
    struct other other = { .commit = { .made = 1794700801 } };
    char rest[120], text[200];
    if (!CHECK(begin()))
        return;
    fault.armed = false;
    make_table();
    if (!CHECK(table != NULL))
        return;
    for (unsigned i = 0; i < 2; i++) {
        snprintf(rest, sizeof rest, ",\"table\":\"%s\"", table->code);
        say(i, "open", rest);
    }
    struct table_state taken = table->now;
    taken.seat[0].kind = SEAT_PERSON;
    taken.seat[0].visitor = 1;
    snprintf(taken.seat[0].name, sizeof taken.seat[0].name, "Ana");
    pyr_fair_add(&taken.fair, 0, (const uint8_t[PYR_FAIR_BYTES]){ 1 });
    char *config = config_write(table, &taken);
    other.commit.table.config = config;
    memcpy(other.commit.table.code, table->code, sizeof table->code);
    submit_other(&other);
    snprintf(text, sizeof text, "{\"type\":\"sit\",\"id\":\"s1\",\"seat\":1,\"number\":\"%064u\"}", 9);
    CHECK_STR(refusal(1, text), "taken");
    CHECK_INT(table->now.seat[0].visitor, 1);
    snprintf(rest, sizeof rest, ",\"number\":\"%064u\"", 9);
    say(1, "sit", rest);
    CHECK_INT(table->now.stage, STORE_RUNNING);
    CHECK_INT(table->revision, 3);           /* made, one seat there, one here */
    free(config);
    end();
}

TEST("table: what another server did is read before a client is refused") {
    char text[700], mine[500];
    struct pyr_game game;
    if (!CHECK(begin()))
        return;
    begin_game();
    if (!CHECK(table && table->now.stage == STORE_RUNNING))
        return;
    server.shared = true;
    /* The other server has completed a phase, and a client of it comes here with a choice for the next one. */
    struct other other = phase_elsewhere(&game, mine);
    uint32_t before = table->log.count, lines = 0;
    for (size_t i = 0; i < other.commit.lines_size; i++)
        lines += other.commit.lines[i] == '\n';
    submit_other(&other);
    settle();
    CHECK_INT(table->log.count, before);     /* this server has not been notified */
    struct pyr_game old = table->now.game;
    table->now.game = game;
    first_choice(0, mine, sizeof mine);
    table->now.game = old;
    snprintf(text, sizeof text, "{\"type\":\"choose\",\"id\":\"n1\",\"phase\":%u,\"choice\":\"%s\"}",
        (unsigned)(before + lines), mine);
    message_read(&conns[0], text, strlen(text));
    settle();
    CHECK_INT(receive(0, "n1"), 1);
    CHECK_INT(table->log.count, before + lines);
    receive(1, "");
    check_all_the_same();
    free((char *)other.commit.lines);
    end();
}

/* Replacing a card is a choice that takes effect at once. */
static void replace(unsigned who)
{
    struct pyr_steps steps;
    struct pyr_rng dice;
    struct pyr_out out;
    char text[100], rest[160];
    pyr_rng_seed(&dice, 1, table->log.count);
    pyr_game_steps(&table->now.game, (pyr_seat)who, &steps);
    pyr_step step = pyr_steps_pick(&steps, &classic.box, &dice);
    pyr_out_init(&out, text, sizeof text);
    pyr_choice_write(&step, 1, &table->now.game.replay.state.open.desk[who], &out);
    snprintf(rest, sizeof rest, ",\"phase\":%u,\"choice\":\"%s\"", (unsigned)table->log.count, text);
    say(who, "choose", rest);
}

/* A whole game; after each phase the states of a server that reads only the new lines, and of one that reads all of
 * them, are compared. */
TEST("table: new lines continue a known game as if all had been read") {
    unsigned phases = 0;
    if (!CHECK(begin()))
        return;
    begin_game();
    static struct table_state known, whole;
    known = table->now;
    while (table && table->now.stage == STORE_RUNNING && phases++ < 300) {
        uint32_t before = table->log.count;
        unsigned waiting = table_waiting(table);
        for (unsigned s = 0; s < 2; s++)
            if (waiting >> s & 1 && table->now.game.replay.state.open.phase == PYR_REPLACE)
                replace(s);
            else if (waiting >> s & 1)
                choose(s);
        if (!CHECK(table->log.count > before) || table->now.stage != STORE_RUNNING)
            break;
        const char *text = table->log.text + table->log.start[before];
        size_t all = table->log.start[table->log.count];
        struct pyr_chance chance;
        CHECK(table_advance_game(&known, text, all - table->log.start[before]));
        whole = table->now;
        CHECK_INT(pyr_fair_chance(&whole.fair, &classic, 2, &chance), 0);
        CHECK_INT(pyr_game_load(&whole.game, &classic, table->log.text, all, PYR_NOBODY, NULL), PYR_OK);
        pyr_game_set_chance(&whole.game, &chance);
        const struct pyr_state *one = &known.game.replay.state, *other = &whole.game.replay.state;
        CHECK(!memcmp(&one->open, &other->open, sizeof one->open));
        CHECK(!memcmp(one->desk, other->desk, sizeof one->desk));
        CHECK(!memcmp(one->hidden.deck, other->hidden.deck, sizeof one->hidden.deck));
        CHECK(!memcmp(one->hidden.expedition, other->hidden.expedition, sizeof one->hidden.expedition));
        CHECK_INT(pyr_game_waiting(&known.game), pyr_game_waiting(&table->now.game));
    }
    CHECK(phases > 20);
    CHECK(!table_advance_game(&known, "mark 1 pass\n", 12));
    end();
}
