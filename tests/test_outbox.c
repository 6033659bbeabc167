/*
 * test_outbox.c: nothing leaks. Two tables differ only in what is hidden from a viewer (a seat or an onlooker): the
 * others' deals, the order of the deck and of the expedition cards, the others' unfinished choices. Everything that
 * outbox.c and table_json write for that viewer must be the same, byte for byte, until the difference becomes visible in
 * the game.
 *
 * The tables, messages and the store are the server's own; this file stands in for serve.c, web.c and pool.c: no sockets, no
 * clock, no bots.
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "check_edition.h"
#include "check_server.h"

/* Stubs for the rest of the server. */

uint64_t server_now(const struct server *server) { (void)server; return 1000000; }
int64_t server_time(void) { return 1794700800; }
const char *error_name(enum error error) { (void)error; return "refused"; }
int error_status(enum error error) { (void)error; return 500; }

/* A world: a server with one table, its players and, last, an onlooker. */

#define ONLOOKER PYR_MAX_SEATS

struct world {
    struct server server;
    struct address address;
    struct table *table;
    struct conn conn[PYR_MAX_SEATS + 1];
    struct pyr_match match;      /* how it began */
    struct {
        char *text;
        size_t size, room;
    } received[PYR_MAX_SEATS + 1];
    unsigned said;
};

static struct world worlds[2];
static struct pyr_edition classic;
static const char *const names[] = { "Ana", "Ben", "Chloé", "Davi", "Onlooker" };

static void receive(struct world *world, unsigned who)
{
    static char buffer[OUTBOX_ROOM];
    size_t size;
    while ((size = outbox_next(&world->conn[who], buffer, sizeof buffer)) != 0) {
        if (world->received[who].size + size + 1 > world->received[who].room) {
            world->received[who].room = 2 * (world->received[who].size + size + 1);
            world->received[who].text = realloc(world->received[who].text, world->received[who].room);
            if (!world->received[who].text)
                abort();
        }
        memcpy(world->received[who].text + world->received[who].size, buffer, size);
        world->received[who].size += size;
        world->received[who].text[world->received[who].size++] = '\n';
    }
}

static void say(struct world *world, unsigned who, const char *text)
{
    message_read(&world->conn[who], text, strlen(text));
    while (store_pending(world->server.store))
        uv_run(&world->server.loop, UV_RUN_ONCE);
    for (unsigned i = 0; i <= ONLOOKER; i++)
        if (world->conn[i].visitor)
            receive(world, i);
}

static void say_choice(struct world *world, unsigned who, const char *choice)
{
    char text[700];
    snprintf(text, sizeof text, "{\"type\":\"%s\",\"id\":\"i%u\",\"phase\":%u%s%s%s}", choice ? "choose" : "retract",
        world->said++,
        (unsigned)world->table->log.count, choice ? ",\"choice\":\"" : "", choice ? choice : "", choice ? "\"" : "");
    say(world, who, text);
}

/* The table's row and first lines, as the database would have them for a real one. */
struct founding {
    struct store_job job;
    const struct store_table *table;
    const char *text;
    size_t size;
    bool good;
};

static enum store_result found(struct store_db *db, struct store_job *job)
{
    struct founding *founding = (struct founding *)job;
    enum store_result result = store_put_table(db, founding->table);
    return result ? result : store_add_lines(db, founding->table->id, 0, founding->text, founding->size,
        founding->table->changed);
}

static void founded(struct store_job *job, enum store_result result)
{
    ((struct founding *)job)->good = result == STORE_OK;
}

static bool begin(struct world *world, unsigned seats, const struct pyr_chance *chance)
{
    struct pyr_fair fair = { .numbers = (uint8_t)((1u << seats) - 1) };      /* the same in both: it is published */
    char config[2048], error[256], hex[PYR_FAIR_DIGITS + 1];
    int size;
    memset(world, 0, sizeof *world);
    memset(fair.secret, 7, sizeof fair.secret);
    world->server.options.editions = &classic;
    world->server.options.edition_count = 1;
    if (uv_loop_init(&world->server.loop) || !store_open(&world->server.store, &world->server.loop, ":memory:", NULL, NULL,
        error, sizeof error))
        return false;
    pyr_fair_write_hex(fair.secret, hex);
    size = snprintf(config, sizeof config,
        "{\"edition\":\"classic\",\"public\":true,\"clock\":\"none\",\"host\":1,\"secret\":\"%s\",\"seats\":[", hex);
    for (unsigned s = 0; s < seats; s++) {
        memset(fair.number[s], (int)(s + 1), PYR_FAIR_BYTES);
        pyr_fair_write_hex(fair.number[s], hex);
        size += snprintf(config + size, sizeof config - (size_t)size,
            "%s{\"kind\":\"person\",\"before\":\"open\",\"name\":\"%s\",\"visitor\":%u,"
            "\"away\":false,\"number\":\"%s\"}", s ? "," : "", names[s], s + 1, hex);
    }
    snprintf(config + size, sizeof config - (size_t)size, "]}");
    struct pyr_match *match = &world->match;
    if (pyr_match_begin(match, &classic, seats, names) || pyr_fair_tags(&fair, match) || pyr_match_deal(match, chance))
        return false;
    struct store_table stored = { .id = 1, .code = "K7QXMWRT", .state = STORE_RUNNING, .created = 1794700800,
        .changed = 1794700800, .config = config, .revision = 1 };
    world->table = table_restore(&world->server, &stored, match->log.text, match->log.start[match->log.lines], NULL, 0);
    struct founding founding = { .job = { .run = found, .done = founded }, .table = &stored, .text = match->log.text,
        .size = match->log.start[match->log.lines] };
    store_submit(world->server.store, &founding.job);
    while (store_pending(world->server.store))
        uv_run(&world->server.loop, UV_RUN_ONCE);
    if (!world->table || !founding.good)
        return false;
    /* The test sets the cards, not the secret. */
    pyr_game_set_chance(&world->table->now.game, chance);
    for (unsigned i = 0; i <= ONLOOKER; i++) {
        struct store_visitor visitor = { .id = i == ONLOOKER ? 99 : (int64_t)i + 1 };
        struct conn *conn = &world->conn[i];
        if (i >= seats && i != ONLOOKER)
            continue;
        memset(visitor.token, (int)i + 1, sizeof visitor.token);
        snprintf(visitor.name, sizeof visitor.name, "%s", names[i]);
        if (!visitor_load(&world->server, &visitor))
            return false;
        conn->server = &world->server;
        conn->address = address_hold(&world->address);
        conn->visitor = visitor_by_id(&world->server, visitor.id);
        conn->link_of_visitor = &conn->visitor->conns;
        conn->visitor->conns = conn;
        conn->visitor->connections = 1;
        conn->last_reply = &conn->replies;
    }
    for (unsigned i = 0; i <= ONLOOKER; i++)
        if (world->conn[i].visitor)
            say(world, i, "{\"type\":\"open\",\"table\":\"K7QXMWRT\"}");
    return true;
}

static void end(struct world *world)
{
    for (unsigned i = 0; i <= ONLOOKER; i++) {
        if (world->conn[i].visitor)
            conn_finish(&world->conn[i]);
        free(world->received[i].text);
    }
    store_close(world->server.store);
    uv_run(&world->server.loop, UV_RUN_DEFAULT);
    if (world->table)
        table_forget(world->table);
    map_finish(&world->server.tables);
    visitors_finish(&world->server);
    CHECK_INT(uv_loop_close(&world->server.loop), 0);
}

/* A random legal choice of a seat as text. */
static void pick(struct world *world, unsigned seat, struct pyr_rng *dice, char *to, size_t size)
{
    struct pyr_game game = world->table->now.game;
    struct pyr_out out;
    game.choice[seat].count = 0;
    pyr_out_init(&out, to, size);
    for (;;) {
        struct pyr_steps steps;
        pyr_game_steps(&game, (pyr_seat)seat, &steps);
        if (!steps.count)
            break;
        pyr_step step = pyr_steps_pick(&steps, &classic.box, dice);
        if (pyr_step_kind(step) == PYR_STEP_TAKE || pyr_step_kind(step) == PYR_STEP_DRAW) {
            pyr_out_text(&out, pyr_step_kind(step) == PYR_STEP_DRAW ? "draw" : "take ");
            if (pyr_step_kind(step) == PYR_STEP_TAKE)
                pyr_out_number(&out, pyr_step_card(step) + 1);
            return;
        }
        if (pyr_step_kind(step) == PYR_STEP_KEEP) {
            pyr_out_number(&out, pyr_step_card(step) + 1);
            pyr_out_char(&out, ' ');
            pyr_out_number(&out, pyr_step_second(step) + 1);
            return;
        }
        if (pyr_game_step(&game, (pyr_seat)seat, step, NULL) || pyr_game_is_ready(&game, (pyr_seat)seat))
            break;
    }
    pyr_game_write_choice(&game, (pyr_seat)seat, &out);
}

/* Everything a viewer has received over the socket, and would receive from GET /api/tables/CODE, is the same in both
 * worlds. */
static bool is_alike(unsigned who)
{
    char *json[2];
    for (unsigned w = 0; w < 2; w++) {
        json_t *table = table_json(worlds[w].table, worlds[w].conn[who].visitor);
        json[w] = json_dumps(table, JSON_COMPACT);
        json_decref(table);
    }
    bool alike = worlds[0].received[who].size == worlds[1].received[who].size && json[0] && json[1] &&
        !strcmp(json[0], json[1]) &&
        !memcmp(worlds[0].received[who].text, worlds[1].received[who].text, worlds[0].received[who].size);
    free(json[0]);
    free(json[1]);
    return alike;
}

static void shuffle(struct pyr_rng *dice, uint8_t *item, unsigned count)
{
    for (unsigned i = count; i > 1; i--) {
        unsigned j = pyr_rng_below(dice, i);
        uint8_t kept = item[i - 1];
        item[i - 1] = item[j];
        item[j] = kept;
    }
}

/* Another chance that `who` cannot tell from the first before the fifteenth reveal. All seats keep the first two of
 * their cards. */
static void vary(const struct pyr_chance *from, unsigned seats, unsigned who, struct pyr_rng *dice, struct pyr_chance *to)
{
    enum { OPEN_CARDS = 26 };    /* up to so many of the deck may be revealed in two rounds */
    bool is_fixed[PYR_CARDS] = { false };
    uint8_t other[PYR_CARDS];
    unsigned count = 0, left = 0;
    *to = *from;
    for (unsigned s = 0; s < seats; s++)
        for (unsigned i = 0; i < PYR_DEALT; i++)
            is_fixed[from->dealt[s][i]] |= i < PYR_KEPT || s == who;
    for (unsigned c = 0; c < PYR_CARDS; c++)
        if (!is_fixed[c])
            other[count++] = (uint8_t)c;
    shuffle(dice, other, count);
    for (unsigned s = 0; s < seats; s++)
        for (unsigned i = PYR_KEPT; i < PYR_DEALT && s != who; i++)
            to->dealt[s][i] = other[--count];
    for (unsigned i = 0; i < PYR_CARDS; i++) {           /* the deck's later part in another order */
        bool kept = false;
        for (unsigned s = 0; s < seats; s++)
            kept |= from->deck[i] == from->dealt[s][0] || from->deck[i] == from->dealt[s][1];
        if (!kept && ++left == OPEN_CARDS) {
            shuffle(dice, to->deck + i + 1, PYR_CARDS - i - 1);
            break;
        }
    }
    for (unsigned round = 2; round < PYR_ROUNDS; round++)
        do
            shuffle(dice, to->expedition[round], PYR_EXPEDITIONS);
        while (to->expedition[round][0] == from->expedition[round][0]);
}

static unsigned reveals(const struct table *table)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < table->log.count; i++)
        count += !strncmp(table->log.text + table->log.start[i], "reveal", 6);
    return count;
}

/* One pair of games; the messages to `who` are compared. Returns the number of phases. */
static unsigned compare(unsigned seats, unsigned who, uint64_t seed, unsigned *replaced)
{
    struct pyr_chance chance[2];
    struct pyr_rng dice, twist[2];
    unsigned phases = 0;
    char choice[600];
    pyr_rng_seed(&dice, seed, seats);
    pyr_rng_seed(&twist[0], seed, 100);
    pyr_rng_seed(&twist[1], seed, 200);
    pyr_chance_draw(&chance[0], &classic.box, seats, &dice);
    vary(&chance[0], seats, who, &dice, &chance[1]);
    CHECK(memcmp(chance[0].dealt, chance[1].dealt, sizeof chance[0].dealt) &&
        memcmp(chance[0].deck, chance[1].deck, sizeof chance[0].deck));
    if (!CHECK(begin(&worlds[0], seats, &chance[0]) && begin(&worlds[1], seats, &chance[1])))
        return 0;
    bool good = CHECK(is_alike(who));
    while (good && reveals(worlds[0].table) < 15) {
        unsigned waiting = table_waiting(worlds[0].table), last = 31u - (unsigned)__builtin_clz(waiting | 1);
        enum pyr_phase phase = (enum pyr_phase)worlds[0].table->now.game.replay.state.open.phase;
        uint32_t before = worlds[0].table->log.count;
        if (!CHECK(waiting && waiting == table_waiting(worlds[1].table)))
            break;
        /* The others choose, each differently in the two worlds, and take it back. */
        for (unsigned s = 0; good && phase != PYR_REPLACE && s < seats; s++) {
            if (s == who || s == last)
                continue;
            for (unsigned w = 0; w < 2; w++) {
                pick(&worlds[w], s, &twist[w], choice, sizeof choice);
                say_choice(&worlds[w], s, choice);
            }
            good = CHECK(is_alike(who)) && CHECK_INT(table_waiting(worlds[0].table), table_waiting(worlds[1].table)) &&
                CHECK(!(table_waiting(worlds[0].table) >> s & 1));
        }
        for (unsigned s = 0; good && phase != PYR_REPLACE && s < seats; s++) {
            if (s == who || s == last)
                continue;
            for (unsigned w = 0; w < 2; w++)
                say_choice(&worlds[w], s, NULL);
            good = CHECK(is_alike(who));
        }
        /* Now the same in both. */
        for (unsigned s = 0; good && s < seats; s++) {
            if (!(waiting >> s & 1))
                continue;
            pick(&worlds[0], s, &dice, choice, sizeof choice);
            if (phase == PYR_KEEP)
                snprintf(choice, sizeof choice, "%d %d", chance[0].dealt[s][0] + 1, chance[0].dealt[s][1] + 1);
            say_choice(&worlds[0], s, choice);
            say_choice(&worlds[1], s, choice);
            if (reveals(worlds[0].table) < 15)
                good = CHECK(is_alike(who));
        }
        *replaced += phase == PYR_REPLACE;
        good = good && CHECK(worlds[0].table->log.count > before && worlds[0].table->log.count ==
            worlds[1].table->log.count);
        phases++;
    }
    /* The first card of the third round differs: this shows that the comparison would see a difference. */
    if (good)
        CHECK(!is_alike(who));
    end(&worlds[0]);
    end(&worlds[1]);
    return phases;
}

__attribute__((constructor)) static void load(void)
{
    check_edition(&classic, "editions/classic.edition");
    if (sodium_init() < 0)
        abort();
}

static void compare_all(unsigned seats, bool onlooker)
{
    unsigned phases = 0, replaced = 0;
    for (uint64_t seed = 0; seed < 6; seed++)
        for (unsigned who = 0; who < (onlooker ? 1 : seats); who++)
            phases += compare(seats, onlooker ? ONLOOKER : who, seed, &replaced);
    CHECK(phases > 40);
    CHECK(seats < 3 || replaced > 0);
}

TEST("feed: a seat of two is told the same whatever is hidden from it") { compare_all(2, false); }
TEST("feed: a seat of three is told the same whatever is hidden from it") { compare_all(3, false); }
TEST("feed: a seat of four is told the same whatever is hidden from it") { compare_all(4, false); }
TEST("feed: an onlooker is told the same whatever is hidden") {
    for (unsigned seats = 2; seats <= 4; seats++)
        compare_all(seats, true);
}

/* The steps of a choice that was taken back stay in the game as a draft. A bot must not start from them. */
TEST("feed: a stand-in chooses anew after its person took a choice back")
{
    struct world *world = &worlds[0];
    struct pyr_chance chance;
    struct pyr_rng dice;
    char choice[600];
    pyr_rng_seed(&dice, 7, 7);
    pyr_chance_draw(&chance, &classic.box, 2, &dice);
    if (!CHECK(begin(world, 2, &chance)))
        return;
    struct table *table = world->table;
    pick(world, 0, &dice, choice, sizeof choice);
    say_choice(world, 0, choice);
    CHECK_INT(table_waiting(table), 2);
    say_choice(world, 0, NULL);
    CHECK_INT(table_waiting(table), 3);
    say(world, 0, "{\"type\":\"leave\"}");
    table->ask[0].table = table;
    struct bot_job *bot_job = table_begin_bot_job(&table->ask[0]);
    if (CHECK(bot_job)) {
        CHECK(!pyr_game_is_ready(&bot_job->game, 0));
        bot_job->ask = &table->ask[0];
        while (!pyr_game_is_ready(&bot_job->game, 0)) {
            struct pyr_steps steps;
            pyr_game_steps(&bot_job->game, 0, &steps);
            pyr_step step = bot_job->step[bot_job->steps++] = pyr_steps_pick(&steps, &classic.box, &dice);
            CHECK_INT(pyr_game_step(&bot_job->game, 0, step, NULL), PYR_OK);
        }
        table_bot_job_done(bot_job);
        CHECK_INT(table_waiting(table), 2);
    }
    end(world);
}

/* Lines of the log that a seat may see. */
static unsigned visible(const struct table *table, pyr_seat seat)
{
    unsigned count = 0;
    for (uint32_t line = 0; line < table->log.count; line++)
        count += pyr_game_line_is_visible(&table->now.game, table_line(table, line), seat);
    return count;
}

TEST("feed: deals are hidden while a game runs, and open at a finished table from the database")
{
    struct world *world = &worlds[0];
    struct pyr_chance chance;
    struct pyr_rng dice;
    pyr_rng_seed(&dice, 8, 8);
    pyr_chance_draw(&chance, &classic.box, 3, &dice);
    if (!CHECK(begin(world, 3, &chance)))
        return;
    const struct table_log *log = &world->table->log;
    for (pyr_seat seat = 0; seat < 3; seat++)
        CHECK_INT(visible(world->table, seat), log->count - 2);
    CHECK_INT(visible(world->table, PYR_SPECTATOR), log->count - 3);
    struct table_state over = world->table->now;
    over.stage = STORE_OVER;
    char *config = config_write(world->table, &over);
    struct store_table stored = { .id = 2, .code = "K7QXMWR2", .state = STORE_OVER, .config = config, .revision = 1 };
    struct table *finished = config ? table_restore(&world->server, &stored, log->text, log->start[log->count], NULL,
        0) : NULL;
    if (CHECK(finished)) {
        CHECK_INT(visible(finished, PYR_SPECTATOR), log->count);
        CHECK_INT(table_waiting(finished), 0);
        table_forget(finished);
    }
    free(config);
    end(world);
}

TEST("An answer that names a field is UTF-8, also where a long name is cut") {
    struct world *world = &worlds[0];
    static const char *const fields[] = { "say \\\"hi\\\"", "\\u0001\\u001f",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xc3\xa9" };
    static const char *const wanted[] = { "say \\\"hi\\\"", "\\u0001\\u001f",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xef\xbf\xbd" };
    struct pyr_chance chance;
    struct pyr_rng dice;
    pyr_rng_seed(&dice, 1, 2);
    pyr_chance_draw(&chance, &classic.box, 2, &dice);
    if (!CHECK(begin(world, 2, &chance)))
        return;
    for (unsigned i = 0; i < 3; i++) {
        char text[256], answer[256];
        snprintf(text, sizeof text, "{\"type\":\"leave\",\"id\":\"f\",\"%s\":1}", fields[i]);
        snprintf(answer, sizeof answer, "{\"type\":\"error\",\"id\":\"f\",\"code\":\"refused\",\"detail\":\"%s\"}\n",
            wanted[i]);
        world->received[0].size = 0;
        say(world, 0, text);
        world->received[0].text[world->received[0].size] = 0;
        CHECK_STR(world->received[0].text, answer);
    }
    end(world);
}
