/*
 * test_remote.c: games at a server without a network. A minimal server (below) follows docs/protocol.md with a match
 * of its own; the test breaks, repeats and delays the messages between it and the clients. At the end a client must
 * have the whole record.
 */
#include "check.h"
#include "check_edition.h"

#include <pyramids/remote.h>

#define PEOPLE 2

static struct pyr_edition plain;

__attribute__((constructor)) static void load_edition(void) { check_edition(&plain, "tests/data/plain.edition"); }

/* The server: one table, two people. */
static struct {
    struct pyr_match match;
    char known[PEOPLE][64][PYR_REMOTE_ID];   /* ids of messages that took effect */
    unsigned known_count[PEOPLE];
    char mine[PEOPLE][PYR_REMOTE_TEXT];      /* the last choice */
} server;

static struct client {
    struct pyr_remote remote;
    struct pyr_match match;
    uint64_t now;
    unsigned tables, refused, missed, returned, rematches, editions, bad;        /* events so far */
    char code[24];
    int refused_kind;                        /* of the message of the last refusal */
    int reaction[32];                        /* those that were shown */
    unsigned reactions;
} client[PEOPLE];

static struct pyr_rng rng;
static uint32_t next_id;

static const uint8_t *new_id(void)
{
    static uint8_t id[16];
    for (unsigned i = 0; i < 4; i++)
        id[i] = (uint8_t)(next_id >> 8 * i);
    next_id++;
    return id;
}

static void count_events(struct client *c)
{
    for (struct pyr_remote_event event; (event = pyr_remote_event(&c->remote)).kind;) {
        c->tables += event.kind == PYR_REMOTE_TABLE;
        c->missed += event.kind == PYR_REMOTE_MISSED ? (unsigned)event.number : 0;
        c->returned += event.kind == PYR_REMOTE_RETURNED;
        c->rematches += event.kind == PYR_REMOTE_REMATCH;
        c->bad += event.kind == PYR_REMOTE_BAD_LINES;
        if (event.kind == PYR_REMOTE_EDITION) {
            c->editions++;
            pyr_remote_set_edition(&c->remote, &plain, c->now);
        }
        if (event.kind == PYR_REMOTE_REFUSED) {
            c->refused++;
            memcpy(c->code, event.code, sizeof c->code);
            c->refused_kind = event.number;
        }
        if (event.kind == PYR_REMOTE_REACTION && c->reactions < 32)
            c->reaction[c->reactions++] = event.number;
    }
}

static void receive(struct client *c, const char *text)
{
    pyr_remote_receive(&c->remote, text, strlen(text), c->now);
    count_events(c);
}

static void send_table(unsigned seat)
{
    char text[1024];
    snprintf(text, sizeof text, "{\"type\":\"table\",\"code\":\"K7QXMWRT\",\"state\":\"running\",\"edition\":\"plain\","
        "\"you\":%u,\"host\":%s,"
        "\"version\":%u,\"commitment\":\"%064d\",\"seats\":[{\"kind\":\"person\",\"name\":\"Ana\","
        "\"here\":true,\"away\":false},"
        "{\"kind\":\"person\",\"name\":\"B\\u00e9n \\ud83d\\udc2b\",\"here\":false,\"gone\":61000,\"away\":false}]}",
        seat + 1, seat ? "false" : "true", server.match.log.lines, 7);
    receive(&client[seat], text);
}

/* Lines from+1 to `to` that the seat may see. */
static void send_lines(unsigned seat, uint32_t from, uint32_t to)
{
    static char text[65536];
    int at = snprintf(text, sizeof text, "{\"type\":\"lines\",\"from\":%u,\"to\":%u,\"left\":-1,\"lines\":[", from, to);
    bool first = true;
    for (uint32_t i = from; i < to; i++) {
        struct pyr_word line = pyr_match_line(&server.match, i);
        if (!pyr_match_line_is_visible(&server.match, i, (pyr_seat)seat))
            continue;
        at += snprintf(text + at, sizeof text - (size_t)at, "%s\"%.*s\"", first ? "" : ",", (int)line.length, line.at);
        first = false;
    }
    snprintf(text + at, sizeof text - (size_t)at, "]}");
    receive(&client[seat], text);
}

static void send_ready(unsigned seat)
{
    char text[PYR_REMOTE_TEXT + 256];
    unsigned waiting = pyr_match_waiting(&server.match);
    bool has_mine = server.match.choice[seat].confirmed;
    snprintf(text, sizeof text, "{\"type\":\"ready\",\"phase\":%u,\"ready\":[%s],\"left\":5000,\"mine\":%s%s%s}",
        server.match.log.lines,
        waiting == 1 ? "2" : waiting == 2 ? "1" : "", has_mine ? "\"" : "", has_mine ? server.mine[seat] : "null",
        has_mine ? "\"" : "");
    receive(&client[seat], text);
}

/* The value of a member in a client's message, which has a fixed form. */
static bool member(const char *text, const char *name, char *to, size_t size)
{
    char key[32];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(text, key);
    if (!at)
        return false;
    at += strlen(key);
    at += *at == '"';
    snprintf(to, size, "%.*s", (int)strcspn(at, "\"},"), at);
    return true;
}

/* Handles a message; the answer is lost if `broken`. */
static void serve(unsigned seat, const char *text, bool broken)
{
    char type[16], id[40] = "", word[1024], answer[128];
    struct client *c = &client[seat];
    CHECK(member(text, "type", type, sizeof type));
    member(text, "id", id, sizeof id);
    if (!strcmp(type, "open")) {
        CHECK(member(text, "have", word, sizeof word));
        uint32_t have = (uint32_t)atoi(word);
        if (!broken) {
            send_table(seat);
            send_lines(seat, have, server.match.log.lines);
            if (!pyr_match_is_over(&server.match))
                send_ready(seat);
        }
        return;
    }
    CHECK_STR(type, "choose");
    const char *code = NULL;
    bool known = false;
    for (unsigned i = 0; i < server.known_count[seat]; i++)
        known |= !strcmp(server.known[seat][i], id);
    uint32_t before = server.match.log.lines;
    CHECK(member(text, "phase", word, sizeof word));
    if (!known) {
        if ((uint32_t)atoi(word) != before) {
            code = "late";
        } else {
            const char *choice = strstr(text, "\"choice\":\"") + 10;
            snprintf(word, sizeof word, "%.*s", (int)strcspn(choice, "\""), choice);
            enum pyr_err err = pyr_match_choose(&server.match, (pyr_seat)seat, word, NULL);
            if (!err && server.match.log.lines == before)
                err = pyr_match_confirm(&server.match, (pyr_seat)seat);
            if (!CHECK_INT(err, PYR_OK))
                code = "illegal";
            snprintf(server.mine[seat], sizeof server.mine[seat], "%s", word);
            snprintf(server.known[seat][server.known_count[seat]++ % 64], PYR_REMOTE_ID, "%s", id);
            server.known_count[seat] %= 64;
        }
    }
    snprintf(answer, sizeof answer,
        code ? "{\"type\":\"error\",\"id\":\"%s\",\"code\":\"%s\"}" : "{\"type\":\"done\",\"id\":\"%s\"}", id, code);
    if (!broken)
        receive(c, answer);
    for (unsigned s = 0; s < PEOPLE && server.match.log.lines != before; s++)
        if (client[s].remote.is_open && !(broken && s == seat))
            send_lines(s, before, server.match.log.lines);
}

static void begin_clients(unsigned seed)
{
    static const char *const names[] = { "Ana", "B\xc3\xa9n \xf0\x9f\x90\xab" };
    struct pyr_chance chance;
    pyr_rng_seed(&rng, seed, 5);
    memset(&server, 0, sizeof server);
    pyr_chance_draw(&chance, &plain.box, PEOPLE, &rng);
    CHECK_INT(pyr_match_init(&server.match, &plain, PEOPLE, names, &chance), PYR_OK);
    for (unsigned s = 0; s < PEOPLE; s++) {
        memset(&client[s], 0, sizeof client[s]);
        client[s].now = 100000;
        CHECK(pyr_remote_init(&client[s].remote, &client[s].match, "K7QXMWRT"));
    }
}

/* Delivers a client's messages; in `loss` of 16 cases a message or answer is lost with the connection. */
static void carry(unsigned seat, unsigned loss)
{
    struct client *c = &client[seat];
    if (pyr_remote_wish(&c->remote, c->now) == PYR_REMOTE_CONNECT)
        pyr_remote_connected(&c->remote, c->now);
    for (const char *text; (text = pyr_remote_next(&c->remote, c->now));) {
        bool is_lost = pyr_rng_below(&rng, 16) < loss, answer_is_lost = pyr_rng_below(&rng, 16) < loss;
        char copy[PYR_REMOTE_TEXT];
        snprintf(copy, sizeof copy, "%s", text);
        if (!is_lost)
            serve(seat, copy, answer_is_lost);
        if (is_lost || answer_is_lost) {
            pyr_remote_lost(&c->remote, c->now, pyr_rng_below(&rng, 65536));
            CHECK(!pyr_remote_next(&c->remote, c->now));
            break;
        }
    }
    count_events(c);
    c->now += 700;
}

/* Plays if a choice is due. */
static void play(unsigned seat)
{
    struct client *c = &client[seat];
    struct pyr_match *match = &c->match;
    if (match->replay.stage != PYR_STAGE_PLAY || !(pyr_match_waiting(match) >> seat & 1) ||
        pyr_remote_is_pending(&c->remote) ||
        match->choice[seat].confirmed)
        return;
    struct pyr_steps steps;
    for (pyr_match_steps(match, (pyr_seat)seat, &steps); steps.count; pyr_match_steps(match, (pyr_seat)seat, &steps)) {
        pyr_step step = pyr_steps_pick(&steps, &plain.box, &rng);
        if (match->replay.state.open.phase == PYR_REPLACE) {
            CHECK(pyr_remote_take(&c->remote, step, new_id(), c->now));
            CHECK(!pyr_remote_take(&c->remote, step, new_id(), c->now));         /* once */
            return;
        }
        CHECK_INT(pyr_match_step(match, (pyr_seat)seat, step), PYR_OK);
    }
    CHECK(pyr_remote_confirm(&c->remote, new_id(), c->now));
    CHECK(!pyr_remote_confirm(&c->remote, new_id(), c->now));
}

/* A client's program ends and is started again with its saved state. */
static void restart(unsigned seat)
{
    static char text[PYR_REMOTE_SAVED];
    struct client *c = &client[seat];
    size_t size = pyr_remote_save(&c->remote, text, sizeof text);
    CHECK(size > 0);
    CHECK(pyr_remote_init(&c->remote, &c->match, "K7QXMWRT"));
    CHECK(pyr_remote_restore(&c->remote, text, size));
}

static void play_whole_game(unsigned seed, unsigned loss, bool restarts)
{
    begin_clients(seed);
    for (unsigned beat = 0; beat < 20000 && !(pyr_match_is_over(&client[0].match) &&
        pyr_match_is_over(&client[1].match)); beat++) {
        unsigned seat = beat % PEOPLE;
        carry(seat, loss);
        play(seat);
        if (restarts && !pyr_rng_below(&rng, 10))
            restart(seat);
    }
    for (unsigned s = 0; s < PEOPLE; s++) {
        struct pyr_match whole;
        CHECK(pyr_match_is_over(&client[s].match));
        CHECK_INT(client[s].bad, 0);
        CHECK_INT(client[s].refused, 0);
        CHECK_INT(client[s].remote.version, server.match.log.lines);
        /* The client has every line except the other's deal; or also that one, if it loaded the game again when it was
         * over. */
        CHECK(client[s].match.log.lines == server.match.log.lines - 1 ||
            (restarts && client[s].match.log.lines == server.match.log.lines));
        CHECK_INT(pyr_remote_set_record(&client[s].remote, server.match.log.text,
            server.match.log.start[server.match.log.lines], NULL), PYR_OK);
        whole = client[s].match;
        CHECK(!memcmp(whole.log.text, server.match.log.text, server.match.log.start[server.match.log.lines]));
    }
}

TEST("a whole game over a good line") { play_whole_game(1, 0, false); }
TEST("a whole game over lines that break all the time") {
    for (unsigned seed = 2; seed < 12; seed++)
        play_whole_game(seed, 4, false);
}
TEST("a whole game with clients that are restarted in the middle of their choices") {
    for (unsigned seed = 12; seed < 22; seed++)
        play_whole_game(seed, 3, true);
}

static void connect_both(unsigned seed)
{
    begin_clients(seed);
    for (unsigned s = 0; s < PEOPLE; s++)
        carry(s, 0);
}

TEST("the table is read: seats, names, presence, whose it is") {
    connect_both(30);
    const struct pyr_remote *remote = &client[0].remote;
    CHECK_INT(remote->state, PYR_TABLE_RUNNING);
    CHECK_INT(remote->you, 0);
    CHECK(remote->host && !client[1].remote.host);
    CHECK_INT(remote->seats, 2);
    CHECK_STR(remote->seat[1].name, "B\xc3\xa9n \xf0\x9f\x90\xab");
    CHECK(remote->seat[0].here && !remote->seat[1].here);
    CHECK_INT(pyr_remote_gone(remote, 1, client[0].now), 61000 + 700);
    CHECK_INT(pyr_remote_gone(remote, 0, client[0].now), 0);
    CHECK_INT(client[0].editions, 1);
    CHECK_STR(remote->edition_name, "plain");
    CHECK_INT(client[0].match.replay.state.open.phase, PYR_KEEP);
    CHECK_INT(client[0].match.log.lines, server.match.log.lines - 1);
}

TEST("lines that are known change nothing, and a gap is asked for again") {
    connect_both(31);
    struct client *c = &client[0];
    struct pyr_steps steps;
    pyr_match_steps(&c->match, 0, &steps);
    CHECK_INT(pyr_match_step(&c->match, 0, pyr_steps_pick(&steps, &plain.box, &rng)), PYR_OK);
    send_lines(0, 0, server.match.log.lines);
    CHECK_INT(c->match.choice[0].count, 1);              /* the draft is still there */
    receive(c, "{\"type\":\"lines\",\"from\":40,\"to\":41,\"left\":-1,\"lines\":[\"reveal I3\"]}");
    const char *text = pyr_remote_next(&c->remote, c->now);
    CHECK_STR(text, "{\"type\":\"open\",\"table\":\"K7QXMWRT\",\"have\":0}");
}

TEST("a draft survives the end of the program, and is gone with its phase") {
    connect_both(32);
    struct client *c = &client[0];
    struct pyr_steps steps;
    pyr_match_steps(&c->match, 0, &steps);
    pyr_step step = pyr_steps_pick(&steps, &plain.box, &rng);
    CHECK_INT(pyr_match_step(&c->match, 0, step), PYR_OK);
    restart(0);
    carry(0, 0);
    CHECK_INT(c->match.choice[0].count, 1);
    CHECK(c->match.choice[0].first == step && !c->match.choice[0].confirmed);
    /* Saved in this phase, restored when both have chosen. */
    static char text[PYR_REMOTE_SAVED];
    size_t size = pyr_remote_save(&c->remote, text, sizeof text);
    CHECK(pyr_remote_confirm(&c->remote, new_id(), c->now));
    carry(0, 0);
    play(1);
    carry(1, 0);
    CHECK_INT(c->match.replay.state.open.phase, PYR_MARK);
    CHECK(pyr_remote_init(&c->remote, &c->match, "K7QXMWRT") && pyr_remote_restore(&c->remote, text, size));
    carry(0, 0);
    CHECK_INT(c->match.replay.state.open.phase, PYR_MARK);
    CHECK_INT(c->match.choice[0].count, 0);
    CHECK_INT(c->missed, 1);                             /* one turn was revealed meanwhile */
}

TEST("a choice that was taken back before it arrived does not arrive later") {
    connect_both(33);
    struct client *c = &client[0];
    play(0);
    CHECK(pyr_remote_is_pending(&c->remote) && !pyr_remote_is_unsent(&c->remote));
    pyr_remote_lost(&c->remote, c->now, 1);
    CHECK(pyr_remote_is_unsent(&c->remote));
    CHECK(pyr_remote_retract(&c->remote, new_id(), c->now));
    CHECK(!c->match.choice[0].confirmed);
    c->now += 10000;
    CHECK_INT(pyr_remote_wish(&c->remote, c->now), PYR_REMOTE_CONNECT);
    pyr_remote_connected(&c->remote, c->now);
    CHECK(strstr(pyr_remote_next(&c->remote, c->now), "\"open\""));
    CHECK(!pyr_remote_next(&c->remote, c->now));         /* not before the table is open */
    send_table(0);
    const char *text = pyr_remote_next(&c->remote, c->now);
    CHECK(text && strstr(text, "\"retract\"") && !pyr_remote_next(&c->remote, c->now));
    /* The server never received the choice. */
    char answer[128];
    snprintf(answer, sizeof answer, "{\"type\":\"error\",\"id\":\"%s\",\"code\":\"no_choice\"}", c->remote.sent[0].id);
    receive(c, answer);
    CHECK_INT(c->refused, 0);
    CHECK_INT(c->remote.sent_count, 0);
}

TEST("an answer that asks for patience has the message sent again, under its id") {
    connect_both(34);
    struct client *c = &client[0];
    char first[PYR_REMOTE_TEXT], answer[128];
    play(0);
    snprintf(first, sizeof first, "%s", pyr_remote_next(&c->remote, c->now));
    snprintf(answer, sizeof answer, "{\"type\":\"error\",\"id\":\"%s\",\"code\":\"storage\"}", c->remote.sent[0].id);
    receive(c, answer);
    CHECK_INT(c->refused, 1);
    CHECK_STR(c->code, "storage");
    CHECK(c->match.choice[0].confirmed && !pyr_remote_next(&c->remote, c->now));
    c->now = pyr_remote_wake_at(&c->remote);
    CHECK_STR(pyr_remote_next(&c->remote, c->now), first);
    receive(c, answer);                                  /* a repeated message changes nothing */
    CHECK_INT(c->refused, 1);
    c->now = pyr_remote_wake_at(&c->remote);
    CHECK_STR(pyr_remote_next(&c->remote, c->now), first);
}

TEST("a choice that the rules forbid is open again") {
    connect_both(35);
    struct client *c = &client[0];
    char answer[128];
    play(0);
    pyr_remote_next(&c->remote, c->now);
    snprintf(answer, sizeof answer,
        "{\"type\":\"error\",\"id\":\"%s\",\"code\":\"illegal\",\"reason\":\"no_touch\",\"rule\":\"R10\"}",
        c->remote.sent[0].id);
    receive(c, answer);
    CHECK_STR(c->code, "illegal");
    CHECK(!c->match.choice[0].confirmed && c->match.choice[0].count);
}

TEST("a silent server is slow, then dead") {
    connect_both(36);
    struct client *c = &client[0];
    play(0);
    pyr_remote_next(&c->remote, c->now);
    CHECK_INT(pyr_remote_wish(&c->remote, c->now), PYR_REMOTE_WAIT);
    c->now = pyr_remote_wake_at(&c->remote);
    CHECK_INT(pyr_remote_wish(&c->remote, c->now), PYR_REMOTE_WAIT);
    CHECK(c->remote.slow);
    c->now = pyr_remote_wake_at(&c->remote) - 1;
    CHECK_INT(pyr_remote_wish(&c->remote, c->now), PYR_REMOTE_WAIT);
    CHECK_INT(pyr_remote_wish(&c->remote, c->now + 1), PYR_REMOTE_DROP);
    pyr_remote_lost(&c->remote, c->now + 1, 0);
    CHECK(!c->remote.slow && c->remote.lost_at);
}

TEST("attempts to connect come at growing intervals, up to ten seconds") {
    connect_both(37);
    struct pyr_remote *remote = &client[0].remote;
    uint64_t now = 200000, last = 0;
    for (unsigned i = 0; i < 12; i++) {
        pyr_remote_lost(remote, now, i % 2 ? 0xffff : 0);
        uint64_t pause = pyr_remote_wake_at(remote) - now;
        CHECK(pause >= 200 && pause <= 10000);
        CHECK(pause + 2 * pause >= last);
        last = pause;
        CHECK_INT(pyr_remote_wish(remote, now), PYR_REMOTE_WAIT);
        now += pause;
        CHECK_INT(pyr_remote_wish(remote, now), PYR_REMOTE_CONNECT);
    }
    CHECK(last >= 6000);
}

TEST("the edition that the host has chosen in the end is asked for, and kept from the first line on") {
    static const char waiting[] = "{\"type\":\"table\",\"code\":\"K7QXMWRT\",\"state\":\"waiting\",\"edition\":\"%s\","
        "\"you\":1,\"seats\":[{\"kind\":\"person\"},{\"kind\":\"open\"}]}";
    static const char *const named[] = { "classic", "classic", "plain" };
    char text[256];
    begin_clients(38);
    struct client *c = &client[0];
    pyr_remote_connected(&c->remote, c->now);
    pyr_remote_next(&c->remote, c->now);
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, waiting, named[i]);
        receive(c, text);
        CHECK_STR(c->remote.edition_name, named[i]);
        CHECK_INT(c->editions, i < 2 ? 1 : 2);
    }
    connect_both(30);
    c->editions = 0;
    snprintf(text, sizeof text, waiting, "classic");
    receive(c, text);
    CHECK_STR(c->remote.edition_name, "plain");
    CHECK_INT(c->editions, 0);
}

TEST("one number per table, however often the server refuses the seat") {
    uint8_t number[32] = { 1, 2, 3 }, other[32] = { 9 };
    char first[65], again[65], answer[128];
    begin_clients(38);
    struct client *c = &client[0];
    pyr_remote_connected(&c->remote, c->now);
    pyr_remote_next(&c->remote, c->now);
    receive(c, "{\"type\":\"table\",\"code\":\"K7QXMWRT\",\"state\":\"waiting\",\"edition\":\"plain\","
        "\"you\":0,\"seats\":[{\"kind\":\"open\"},{\"kind\":\"open\"}]}");
    CHECK(pyr_remote_sit(&c->remote, PYR_NOBODY, "", number, new_id(), c->now));
    CHECK(!pyr_remote_sit(&c->remote, PYR_NOBODY, "", other, new_id(), c->now));
    CHECK(member(pyr_remote_next(&c->remote, c->now), "number", first, sizeof first));
    CHECK(!strncmp(first, "010203", 6) && strlen(first) == 64);
    snprintf(answer, sizeof answer, "{\"type\":\"error\",\"id\":\"%s\",\"code\":\"taken\"}", c->remote.sent[0].id);
    receive(c, answer);
    restart(0);
    pyr_remote_connected(&c->remote, c->now);
    pyr_remote_next(&c->remote, c->now);
    receive(c, "{\"type\":\"table\",\"code\":\"K7QXMWRT\",\"state\":\"waiting\",\"edition\":\"plain\","
        "\"you\":0,\"seats\":[{\"kind\":\"open\"},{\"kind\":\"open\"}]}");
    CHECK(pyr_remote_sit(&c->remote, 1, "pR4-_x", other, new_id(), c->now));
    const char *text = pyr_remote_next(&c->remote, c->now);
    CHECK(member(text, "number", again, sizeof again) && strstr(text, "\"seat\":2") && strstr(text, "\"key\":\"pR4-_x\""));
    CHECK_STR(again, first);
}

TEST("a seat that cannot be stored now is not asked for again by itself") {
    static const char waiting[] = "{\"type\":\"table\",\"code\":\"K7QXMWRT\",\"state\":\"waiting\",\"edition\":\"plain\","
        "\"you\":0,\"seats\":[{\"kind\":\"open\"},{\"kind\":\"open\"}]}";
    uint8_t number[32] = { 1, 2, 3 }, other[32] = { 9 };
    char first[65], again[65], answer[128];
    begin_clients(38);
    struct client *c = &client[0];
    pyr_remote_connected(&c->remote, c->now);
    pyr_remote_next(&c->remote, c->now);
    receive(c, waiting);
    CHECK(pyr_remote_sit(&c->remote, PYR_NOBODY, "", number, new_id(), c->now));
    CHECK(member(pyr_remote_next(&c->remote, c->now), "number", first, sizeof first));
    snprintf(answer, sizeof answer, "{\"type\":\"error\",\"id\":\"%s\",\"code\":\"storage\"}", c->remote.sent[0].id);
    receive(c, answer);
    CHECK_INT(c->refused, 1);
    CHECK_STR(c->code, "storage");
    CHECK(!pyr_remote_next(&c->remote, c->now + 60000) && !pyr_remote_wake_at(&c->remote));
    restart(0);
    pyr_remote_connected(&c->remote, c->now);
    CHECK(strstr(pyr_remote_next(&c->remote, c->now), "\"open\""));
    receive(c, waiting);
    CHECK(!pyr_remote_next(&c->remote, c->now));
    CHECK(pyr_remote_sit(&c->remote, PYR_NOBODY, "", other, new_id(), c->now));
    CHECK(member(pyr_remote_next(&c->remote, c->now), "number", again, sizeof again));
    CHECK_STR(again, first);
}

TEST("standing up before the game is no wish for a bot") {
    static const char away[] = "{\"type\":\"table\",\"code\":\"K7QXMWRT\",\"state\":\"%s\",\"edition\":\"plain\",\"you\":1,"
        "\"version\":0,\"seats\":[{\"kind\":\"person\",\"name\":\"Ana\",\"here\":true,\"away\":%s},"
        "{\"kind\":\"bot\",\"name\":\"club\",\"level\":\"club\"}]}";
    char table[400];
    begin_clients(39);
    struct client *c = &client[0];
    pyr_remote_connected(&c->remote, c->now);
    pyr_remote_next(&c->remote, c->now);
    snprintf(table, sizeof table, away, "waiting", "false");
    receive(c, table);
    CHECK(pyr_remote_leave(&c->remote, new_id(), c->now));
    pyr_remote_lost(&c->remote, c->now, 0);
    pyr_remote_connected(&c->remote, c->now);
    pyr_remote_next(&c->remote, c->now);
    snprintf(table, sizeof table, away, "running", "true");
    receive(c, table);
    CHECK_STR(pyr_remote_next(&c->remote, c->now), "{\"type\":\"return\"}");
}

TEST("coming back ends what a bot does for this person, unless it was their wish") {
    static const char away[] = "{\"type\":\"table\",\"code\":\"K7QXMWRT\",\"state\":\"running\",\"edition\":\"plain\","
        "\"you\":1,\"version\":0,\"seats\":["
        "{\"kind\":\"person\",\"name\":\"Ana\",\"here\":true,\"away\":true},{\"kind\":\"bot\",\"name\":\"club\","
            "\"level\":\"club\"}]}";
    begin_clients(39);
    struct client *c = &client[0];
    pyr_remote_connected(&c->remote, c->now);
    pyr_remote_next(&c->remote, c->now);
    receive(c, away);
    CHECK_STR(pyr_remote_next(&c->remote, c->now), "{\"type\":\"return\"}");
    CHECK(!pyr_remote_next(&c->remote, c->now));
    CHECK(pyr_remote_leave(&c->remote, new_id(), c->now));
    CHECK(strstr(pyr_remote_next(&c->remote, c->now), "\"leave\""));
    pyr_remote_lost(&c->remote, c->now, 0);
    pyr_remote_connected(&c->remote, c->now);
    pyr_remote_next(&c->remote, c->now);
    receive(c, away);
    CHECK(!pyr_remote_next(&c->remote, c->now));
}

TEST("what the operator announces is known until it is taken back or another server answers") {
    connect_both(41);
    struct client *c = &client[0];
    receive(c, "{\"type\":\"notice\",\"text\":\"Back \\u0061t 20:00\",\"restart\":90}");
    CHECK_STR(c->remote.notice, "Back at 20:00");
    CHECK_INT(c->remote.restart_at, c->now + 90000);
    receive(c, "{\"type\":\"notice\",\"text\":null,\"restart\":60}");
    CHECK_STR(c->remote.notice, "");
    CHECK_INT(c->remote.restart_at, c->now + 60000);
    receive(c, "{\"type\":\"notice\",\"text\":\"Hello\",\"restart\":null}");
    CHECK_STR(c->remote.notice, "Hello");
    CHECK_INT(c->remote.restart_at, 0);
    pyr_remote_connected(&c->remote, c->now);
    CHECK_STR(c->remote.notice, "");
}

static void send_reaction(unsigned seat, const char *symbol)
{
    char text[128];
    snprintf(text, sizeof text, "{\"type\":\"reaction\",\"seat\":%u,\"symbol\":\"%s\"}", seat + 1, symbol);
    receive(&client[0], text);
}

TEST("a reaction is sent once, and refused with its kind") {
    char answer[128];
    connect_both(45);
    struct client *c = &client[0];
    CHECK(pyr_remote_may_react(&c->remote));
    CHECK(!pyr_remote_react(&c->remote, PYR_REACTIONS, new_id(), c->now));
    CHECK(pyr_remote_react(&c->remote, 2, new_id(), c->now));
    const char *text = pyr_remote_next(&c->remote, c->now);
    CHECK(text && strstr(text, "\"type\":\"react\"") && strstr(text, "\"symbol\":\"torch\""));
    CHECK(!pyr_remote_next(&c->remote, c->now));
    snprintf(answer, sizeof answer, "{\"type\":\"error\",\"id\":\"%s\",\"code\":\"too_fast\"}", c->remote.sent[0].id);
    receive(c, answer);
    CHECK_STR(c->code, "too_fast");
    CHECK_INT(c->refused_kind, PYR_REMOTE_REACT);
    c->now += 5000;
    CHECK(!c->remote.sent_count && !pyr_remote_next(&c->remote, c->now));
    /* An unanswered reaction is dropped with the connection. */
    CHECK(pyr_remote_react(&c->remote, 0, new_id(), c->now));
    pyr_remote_lost(&c->remote, c->now, 0);
    CHECK(!c->remote.sent_count && !pyr_remote_may_react(&c->remote));
    CHECK(!pyr_remote_react(&c->remote, 0, new_id(), c->now));
}

TEST("reactions of others are shown one by one, but not those of who is muted, and that is kept") {
    static char text[PYR_REMOTE_SAVED];
    connect_both(46);
    struct client *c = &client[0];
    send_reaction(1, "tomb");
    send_reaction(1, "cross");
    send_reaction(0, "skull");               /* the player's own comes back, too */
    send_reaction(1, "camel");               /* of a later server */
    send_reaction(3, "tomb");                /* the seat is empty */
    receive(c, "{\"type\":\"reaction\",\"symbol\":\"tomb\"}");
    CHECK_INT(c->reactions, 3);
    CHECK_INT(c->reaction[0], 8 + 0);
    CHECK_INT(c->reaction[1], 8 + 5);
    CHECK_INT(c->reaction[2], 3);
    pyr_remote_mute(&c->remote, 1, true);
    pyr_remote_mute(&c->remote, PYR_MAX_SEATS, true);
    send_reaction(1, "tomb");
    CHECK_INT(c->reactions, 3);
    size_t size = pyr_remote_save(&c->remote, text, sizeof text);
    CHECK(size && pyr_remote_init(&c->remote, &c->match, "K7QXMWRT") && pyr_remote_restore(&c->remote, text, size));
    CHECK_INT(c->remote.muted, 2);
    pyr_remote_mute(&c->remote, 1, false);
    CHECK_INT(c->remote.muted, 0);
}

TEST("closing a table does not wait for the answer to the wish for a seat") {
    struct client *c = &client[0];
    uint8_t number[32] = { 1 };
    connect_both(49);
    receive(c, "{\"type\":\"table\",\"code\":\"K7QXMWRT\",\"state\":\"waiting\",\"you\":0,\"host\":true,"
        "\"seats\":[{\"kind\":\"open\"},{\"kind\":\"open\"}]}");
    CHECK(pyr_remote_sit(&c->remote, PYR_NOBODY, "", number, new_id(), c->now));
    CHECK(pyr_remote_close(&c->remote, new_id(), c->now));
    const char *text = pyr_remote_next(&c->remote, c->now);
    CHECK(text && strstr(text, "\"type\":\"sit\""));
    text = pyr_remote_next(&c->remote, c->now);
    CHECK(text && strstr(text, "\"type\":\"close\""));
    /* When the connection is lost, an error shows that it did not happen. */
    pyr_remote_lost(&c->remote, c->now, 0);
    CHECK(!pyr_remote_close(&c->remote, new_id(), c->now));
    CHECK_INT(c->remote.sent_count, 1);
    CHECK_INT(c->remote.sent[0].kind, PYR_REMOTE_SIT);
}

TEST("two reactions in one moment are two") {
    connect_both(47);
    struct client *c = &client[0];
    const char *text = "{\"type\":\"reaction\",\"seat\":2,\"symbol\":\"ruby\"}";
    pyr_remote_receive(&c->remote, text, strlen(text), c->now);
    pyr_remote_receive(&c->remote, text, strlen(text), c->now);
    count_events(c);
    CHECK_INT(c->reactions, 2);
}

TEST("the score of a series is read, and nonsense in it is not") {
    connect_both(48);
    struct client *c = &client[0];
    const struct pyr_remote_series *series = &c->remote.series;
    CHECK_INT(series->games, 0);
    receive(c, "{\"type\":\"table\",\"code\":\"K7QXMWRT\",\"state\":\"over\",\"you\":1,\"seats\":[{\"kind\":\"person\"},"
        "{\"kind\":\"person\"},{\"kind\":\"bot\"}],\"series\":{\"games\":5,\"wins\":[2.5,0.33333333333333331,1],"
        "\"points\":[410,-7,388]}}");
    CHECK_INT(series->games, 5);
    CHECK(series->wins[0] == 250 && series->wins[1] == 33 && series->wins[2] == 100);
    CHECK(series->points[0] == 410 && series->points[1] == -7 && series->points[2] == 388);
    receive(c, "{\"type\":\"table\",\"code\":\"K7QXMWRT\",\"state\":\"over\",\"you\":1,\"seats\":[{\"kind\":\"person\"},"
        "{\"kind\":\"person\"}],\"series\":{\"games\":999,\"wins\":[99999999999999999999.999,\"x\"],"
        "\"points\":[1e9,[],3,4,5,6]}}");
    CHECK_INT(series->games, 0);
    CHECK(series->wins[0] == 65535 && series->wins[1] == 0);
    CHECK(series->points[0] == 1 && series->points[1] == 0 && series->points[2] == 0);
    receive(c, "{\"type\":\"table\",\"code\":\"K7QXMWRT\",\"state\":\"over\",\"you\":1,\"seats\":[]}");
    CHECK_INT(series->wins[0], 0);
}

TEST("of two windows the older one learns that it is, and can take the seat back") {
    connect_both(40);
    struct client *c = &client[0];
    receive(c, "{\"type\":\"elsewhere\",\"elsewhere\":true}");
    CHECK(c->remote.elsewhere);
    pyr_remote_open_here(&c->remote);
    CHECK(strstr(pyr_remote_next(&c->remote, c->now), "\"open\""));
    receive(c, "{\"type\":\"elsewhere\",\"elsewhere\":false}");
    CHECK(!c->remote.elsewhere);
    receive(c, "{\"type\":\"again\",\"seconds\":2}");
    CHECK(c->remote.restarting);
}

TEST("what is no game, no JSON or no message changes nothing") {
    static const char *const odd[] = { "", "{", "[]", "null", "{}", "{\"type\":7}", "{\"type\":\"lines\"}",
        "{\"type\":\"lines\",\"from\":-1,\"to\":5,\"lines\":[]}", "{\"type\":\"lines\",\"from\":5,\"to\":2,\"lines\":[]}",
        "{\"type\":\"lines\",\"from\":0,\"to\":99999999999999999999,\"lines\":[]}", "{\"type\":\"ready\",\"phase\":\"x\"}",
        "{\"type\":\"table\",\"code\":\"OTHER234\",\"you\":2}", "{\"type\":\"done\",\"id\":\"\\u0000\"}",
            "{\"type\":\"hello\",\"name\":\"\\x\"}" };
    connect_both(41);
    struct client *c = &client[0];
    struct pyr_remote before = c->remote;
    for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++)
        receive(c, odd[i]);
    CHECK_INT(c->remote.version, before.version);
    CHECK_INT(c->remote.you, before.you);
    CHECK_INT(c->remote.size, before.size);
    receive(c, "{\"type\":\"error\",\"code\":\"\\u001b[2Jhello\"}");
    CHECK_STR(c->code, "other");                         /* no control characters for the terminal */
    char text[128];
    snprintf(text, sizeof text, "{\"type\":\"lines\",\"from\":%u,\"to\":%u,\"left\":-1,\"lines\":[\"take 9 99\"]}",
        before.version, before.version + 1);
    receive(c, text);
    CHECK_INT(c->bad, 1);
    CHECK(c->remote.fault.code && c->remote.fault.line == before.version);   /* the other player's deal is hidden */
    /* An object that is larger than any message of a game. */
    static char large[8192] = "{\"type\":\"table\",\"seats\":[7";
    for (size_t at = strlen(large); at < sizeof large - 8; at += 2)
        memcpy(large + at, ",7", 2);
    strcat(large, "]}");
    receive(c, large);
    CHECK_INT(c->bad, 2);
    CHECK_INT(c->remote.fault.code, PYR_ERR_TEXT_FULL);
}

TEST("an answer about a choice that another window made says so") {
    connect_both(43);
    struct client *c = &client[0];
    play(0);
    char answer[128];
    snprintf(answer, sizeof answer, "{\"type\":\"error\",\"id\":\"%s\",\"code\":\"confirmed\"}", c->remote.sent[0].id);
    pyr_remote_receive(&c->remote, answer, strlen(answer), c->now);
    struct pyr_remote_event event = pyr_remote_event(&c->remote);
    CHECK_INT(event.kind, PYR_REMOTE_READY);
    CHECK_STR(event.code, "confirmed");
    CHECK(c->match.choice[0].confirmed);
}

TEST("a record that is not finished does not replace the game") {
    struct pyr_fault fault;
    connect_both(44);
    struct client *c = &client[0];
    const struct pyr_log *log = &server.match.log;
    uint32_t lines = c->match.log.lines;
    CHECK_INT(pyr_remote_set_record(&c->remote, log->text, log->start[log->lines], &fault), PYR_ERR_PHASE);
    CHECK_INT(c->match.log.lines, lines);
}

TEST("what was saved for another table, or is damaged, is not read") {
    static char text[PYR_REMOTE_SAVED];
    connect_both(42);
    play(0);
    size_t size = pyr_remote_save(&client[0].remote, text, sizeof text);
    CHECK(size && !pyr_remote_save(&client[0].remote, text, 40));
    size = pyr_remote_save(&client[0].remote, text, sizeof text);
    struct pyr_remote *remote = &client[1].remote;
    CHECK(pyr_remote_init(remote, &client[1].match, "OTHER234") && !pyr_remote_restore(remote, text, size));
    CHECK(!remote->sent_count && !remote->number[0]);
    CHECK(!pyr_remote_init(remote, &client[1].match, "no code") && !pyr_remote_init(remote, &client[1].match, ""));
    CHECK(pyr_remote_init(remote, &client[1].match, "K7QXMWRT"));
    for (size_t i = 0; i < size; i++) {
        char was = text[i];
        text[i] = '\1';
        CHECK(!pyr_remote_restore(remote, text, size));
        text[i] = was;
    }
    CHECK(pyr_remote_restore(remote, text, size));
    CHECK_INT(remote->sent_count, 1);
}
