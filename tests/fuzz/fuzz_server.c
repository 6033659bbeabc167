/*
 * A whole server in one thread; the input decides what happens to it: connections, requests, messages, TLS records of
 * every size, store jobs that are late or fail, bots, time, disconnects, restarts. After every step:
 *
 *  1. Liveness: the loop becomes idle within TURNS turns, nothing would wake it at once, and a fresh connection gets an
 *     answer.
 *  2. Secrecy: no client is sent another seat's deal, or a choice of another seat whose phase is open.
 *  3. Durability: a seat or a choice that was answered `done` exists, now and after any restart.
 *
 * The first byte says how the server is set up, the rest is a list of steps (struct step), each with its operands.
 */
#include <errno.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "edge.h"
#include "plain.h"
#include "world.h"

#define CLIENTS 6
#define VISITORS 4               /* the last has no seat unless the input makes it sit down */
#define STEPS 60
#define TURNS 400
#define PROMISES 64
#define ACTIONS 256

enum { SETUP_TLS = 1, SETUP_PROXY = 2, SETUP_SLOW_LIMITS = 4 };

struct client {
    int fd;                      /* -1: none */
    SSL *ssl;
    unsigned visitor;
    bool is_socket, lazy;        /* lazy: does not read */
    char code[CODE_SIZE + 1];    /* the table that is open */
    char opening[CODE_SIZE + 1]; /* the last one it sent `open` for */
    unsigned opens;              /* not yet answered */
    uint8_t *in;
    size_t size;
};

/* A message that was sent with an id. */
struct action {
    enum { ACTION_OTHER, ACTION_SIT, ACTION_CHOOSE } kind;
    unsigned visitor;
    char code[CODE_SIZE + 1];
    uint32_t phase;
    char text[400];
};

static struct {
    struct server server;
    struct server_options options;
    const uint8_t *at, *end;
    unsigned setup, piece;       /* piece: bytes that are written at once; 0: all */
    struct pyr_rng dice;
    SSL_CTX *ssl;
    char cookie[VISITORS][80];
    int64_t id[VISITORS];
    struct client client[CLIENTS];
    struct action action[ACTIONS];
    unsigned actions;
    struct action promise[PROMISES];
    unsigned promises;
} fuzz;

static unsigned take(void)
{
    return fuzz.at < fuzz.end ? *fuzz.at++ : 0;
}

/* Tables, by number; NULL: none. */
static struct table *some_table(unsigned number)
{
    struct table *table = fuzz.server.table_list;
    for (unsigned i = number % 4; table && i && table->next; i--)
        table = table->next;
    return table;
}

/* 3. */

static bool has_text(const char *text, size_t size, const char *wanted)
{
    size_t length = strlen(wanted);
    for (size_t i = 0; length && i + length <= size; i++)
        if (!memcmp(text + i, wanted, length))
            return true;
    return false;
}

static void check_stored(const struct action *promise)
{
    struct store_table row;
    char *text = NULL;
    size_t size = 0;
    MUST(store_get_table(world_db(), promise->code, &row) == STORE_OK);
    if (promise->kind == ACTION_CHOOSE) {
        struct store_choice choices[STORE_SEATS];
        unsigned count = 0;
        MUST(store_get_lines(world_db(), row.id, &text, &size) == STORE_OK);
        MUST(store_get_choices(world_db(), row.id, choices, &count) == STORE_OK);
        bool is_there = has_text(text, size, promise->text);
        for (unsigned i = 0; i < count; i++)             /* not in the log yet */
            is_there |= choices[i].phase == promise->phase && !strcmp(choices[i].text, promise->text);
        MUST(is_there);
        free(text);
    }
}

static void check_promises(void)
{
    for (const struct action *promise = fuzz.promise; promise < fuzz.promise + fuzz.promises; promise++) {
        const struct table *table = table_find(&fuzz.server, promise->code);
        char pending[512] = "";
        if (!table) {
            check_stored(promise);
            continue;
        }
        pyr_seat seat = table_seat_of(table, fuzz.id[promise->visitor]);
        MUST(seat < PYR_MAX_SEATS);
        if (promise->kind != ACTION_CHOOSE)
            continue;
        table_choice(table, seat, pending, sizeof pending);
        size_t size = table->log.count ? table->log.start[table->log.count] : 0;
        MUST(table->log.count == promise->phase ? !strcmp(pending, promise->text) : has_text(table->log.text, size,
            promise->text));
    }
}

/* A request that may undo a promise was sent, so it is no longer checked. */
static void break_promises(const char *code)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < fuzz.promises; i++)
        if (strcmp(fuzz.promise[i].code, code))
            fuzz.promise[kept++] = fuzz.promise[i];
    fuzz.promises = kept;
    for (unsigned i = 0; i < ACTIONS && i < fuzz.actions; i++)
        if (!strcmp(fuzz.action[i].code, code))
            fuzz.action[i].kind = ACTION_OTHER;          /* nor will it become one */
}

static void acknowledged(unsigned number)
{
    const struct action *action = &fuzz.action[number % ACTIONS];
    MUST(number < fuzz.actions);
    if (action->kind != ACTION_OTHER && fuzz.promises < PROMISES)
        fuzz.promise[fuzz.promises++] = *action;
}

/* 2. */

/* Another seat's deal: of no table that is over, and of none where it is theirs. */
static void check_deal(unsigned visitor, unsigned seat)
{
    bool may_see_it = false;
    for (const struct table *table = fuzz.server.table_list; table; table = table->next)
        if (table->now.stage >= STORE_OVER || table_seat_of(table, fuzz.id[visitor]) == seat - 1)
            may_see_it = true;
    MUST(may_see_it);
}

static void check_deals(unsigned visitor, const char *text, size_t size)
{
    for (size_t i = 0; i + 7 < size; i++)
        if (!memcmp(text + i, "deal ", 5) && text[i + 5] >= '1' && text[i + 5] <= '4' && (!i ||
            text[i - 1] == '"' || text[i - 1] == '\n'))
            check_deal(visitor, (unsigned)(text[i + 5] - '0'));
}

static void check_secrets(const struct client *client, const char *text, size_t size)
{
    const struct table *table = client->code[0] ? table_find(&fuzz.server, client->code) : NULL;
    check_deals(client->visitor, text, size);
    if (!table || table->now.stage != STORE_RUNNING || has_text(text, size < 16 ? size : 16, "\"error\""))
        return;                              /* an error repeats what was sent */
    for (unsigned s = 0; s < table->now.seats; s++) {
        char choice[512];
        table_choice(table, (pyr_seat)s, choice, sizeof choice);
        if (table_seat_of(table, fuzz.id[client->visitor]) != s && strchr(choice, ':'))
            MUST(!has_text(text, size, choice));
    }
}

/* Clients: their end of the connections. */

static void turn(void)
{
    uv_run(&fuzz.server.loop, UV_RUN_NOWAIT);
}

static void drop_client(struct client *client)
{
    SSL_free(client->ssl);
    if (client->fd >= 0)
        close(client->fd);
    free(client->in);
    *client = (struct client){ .fd = -1 };
}

static void heard_message(struct client *client, const char *text, size_t size)
{
    unsigned number;
    char start[64];
    check_secrets(client, text, size);
    snprintf(start, sizeof start, "%.*s", (int)(size < 63 ? size : 63), text);
    if (sscanf(start, "{\"type\":\"done\",\"id\":\"x%u\"}", &number) == 1)
        acknowledged(number);
    if (strstr(start, "\"id\":\"o\"")) {
        /* With several pending it is unknown which one this is, so nothing is checked. */
        if (--client->opens || client->opening[0] == '?')
            client->code[0] = '\0';
        else if (strstr(start, "\"done\""))
            memcpy(client->code, client->opening, sizeof client->code);
    }
}

/* Frames of a server are whole and unmasked. */
static void heard_frames(struct client *client)
{
    size_t at = 0;
    while (client->size - at >= 2) {
        const uint8_t *frame = client->in + at;
        size_t length = frame[1] & 127, head = length == 126 ? 4 : 2;
        MUST(!(frame[1] & 128) && length < 127);
        if (client->size - at < head)
            break;
        if (head == 4)
            length = (size_t)frame[2] << 8 | frame[3];
        if (client->size - at < head + length)
            break;
        if ((frame[0] & 15) == 1)
            heard_message(client, (const char *)frame + head, length);
        at += head + length;
    }
    memmove(client->in, client->in + at, client->size - at);
    client->size -= at;
}

static void note_answer(struct client *client)
{
    if (!client->is_socket) {
        const char *text = (const char *)client->in;
        check_deals(client->visitor, text, client->size);
        if (client->size > 12 && !memcmp(text, "HTTP/1.1 101", 12))
            for (size_t i = 0; i + 4 <= client->size; i++)
                if (!memcmp(text + i, "\r\n\r\n", 4)) {
                    memmove(client->in, client->in + i + 4, client->size - i - 4);
                    client->size -= i + 4;
                    client->is_socket = true;
                    break;
                }
    }
    if (client->is_socket)
        heard_frames(client);
    else if (client->size > 65536)
        client->size = 0;                    /* reading it was enough */
}

/* Reads what is available; returns whether there was anything. */
static bool receive(struct client *client)
{
    static char buffer[65536];
    bool any = false;
    for (ssize_t got; client->fd >= 0 && !client->lazy; any = true) {
        got = client->ssl ? SSL_read(client->ssl, buffer, sizeof buffer) : recv(client->fd, buffer, sizeof buffer,
            MSG_DONTWAIT);
        bool is_wait = client->ssl ? SSL_get_error(client->ssl, (int)got) == SSL_ERROR_WANT_READ : got < 0 &&
            (errno == EAGAIN || errno == EINTR);
        if (got <= 0 && is_wait)
            break;
        if (got <= 0) {
            drop_client(client);
            break;
        }
        uint8_t *larger = realloc(client->in, client->size + (size_t)got);
        MUST(larger);
        memcpy(larger + client->size, buffer, (size_t)got);
        client->in = larger;
        client->size += (size_t)got;
        note_answer(client);
    }
    return any;
}

/* 1. */

static void settle(void)
{
    unsigned turns = 0;
    for (bool is_busy = true; is_busy; turns++) {
        struct pollfd backend = { .fd = uv_backend_fd(&fuzz.server.loop), .events = POLLIN };
        MUST(turns < TURNS);
        turn();
        is_busy = false;
        for (struct client *client = fuzz.client; client < fuzz.client + CLIENTS; client++)
            is_busy |= receive(client);
        is_busy |= !uv_backend_timeout(&fuzz.server.loop) || poll(&backend, 1, 0) > 0;
    }
}

static int join(unsigned listener, const char *address)
{
    int pair[2];
    MUST(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair));
    edge_adopt(fuzz.server.edge, listener, pair[0], address);
    return pair[1];
}

static void check_health(void)
{
    static const char ask[] = "GET /healthz HTTP/1.0\r\n\r\n";
    char answer[1024] = "";
    size_t size = 0;
    /* the listener for metrics: without TLS, and with room when the other one is full */
    int fd = join(1, "127.0.0.9");
    MUST(send(fd, ask, sizeof ask - 1, MSG_NOSIGNAL) == sizeof ask - 1);
    for (unsigned i = 0; i < 8 && !strstr(answer, "\r\n\r\nok\n"); i++) {
        turn();
        ssize_t got = recv(fd, answer + size, sizeof answer - 1 - size, MSG_DONTWAIT);
        size += got > 0 ? (size_t)got : 0;
        answer[size] = '\0';
    }
    MUST(strstr(answer, "HTTP/1.1 200"));
    close(fd);
    world_wait(200);                         /* its bucket fills */
}

/* Steps. */

static void write_piece(struct client *client, const void *bytes, size_t size)
{
    if (client->ssl)
        SSL_write(client->ssl, bytes, (int)size);
    else if (client->fd >= 0 && send(client->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN)
        drop_client(client);
}

static void say(struct client *client, const void *bytes, size_t size)
{
    size_t piece = fuzz.piece ? fuzz.piece : size;
    for (size_t at = 0; at < size && client->fd >= 0; at += piece) {
        write_piece(client, (const char *)bytes + at, size - at < piece ? size - at : piece);
        if (fuzz.piece > 1)
            turn();
    }
}

static void say_text(struct client *client, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say_text(struct client *client, const char *format, ...)
{
    char text[2048];
    va_list values;
    va_start(values, format);
    int size = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    say(client, text, (size_t)size);
}

static void say_message(struct client *client, const char *text)
{
    uint8_t frame[1024];
    size_t size = strlen(text), head = size < 126 ? 2 : 4;
    frame[0] = 0x81;
    frame[1] = (uint8_t)(0x80 | (size < 126 ? size : 126));
    frame[2] = (uint8_t)(size >> 8);
    frame[3] = (uint8_t)size;
    memset(frame + head, 0, 4);
    memcpy(frame + head + 4, text, size);
    say(client, frame, head + 4 + size);
}

static void shake_hands(struct client *client)
{
    for (unsigned i = 0; i < 20 && client->ssl && SSL_do_handshake(client->ssl) != 1; i++)
        turn();
}

static void do_connect(struct client *client)
{
    char address[32];
    unsigned what = take();
    drop_client(client);
    client->visitor = what % VISITORS;
    snprintf(address, sizeof address, "10.0.0.%u", what % 7);
    client->fd = join(0, address);
    if (!(fuzz.setup & SETUP_TLS))
        return;
    client->ssl = SSL_new(fuzz.ssl);
    MUST(client->ssl && SSL_set_fd(client->ssl, client->fd));
    SSL_set_connect_state(client->ssl);
    shake_hands(client);
}

static const char *forwarded(unsigned what)
{
    static const char *const values[] = { "", "X-Forwarded-For: 10.1.1.1\r\n",
        "X-Forwarded-For: 9.9.9.9, 10.1.1.2\r\nX-Forwarded-Proto: https\r\n",
        "X-Forwarded-For: ::1, fe80::1\r\n", "X-Forwarded-For: 10.1.1.1:80\r\n", "X-Forwarded-For: ,,\r\n" };
    return values[what % (sizeof values / sizeof *values)];
}

static void do_upgrade(struct client *client)
{
    unsigned what = take();
    say_text(client, "GET /api/socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%sCookie: %s\r\n\r\n", forwarded(what),
            fuzz.cookie[client->visitor]);
}

static void do_request(struct client *client)
{
    static const struct { const char *method, *path, *body; } requests[] = {
        { "GET", "/healthz", NULL }, { "POST", "/api/visitor", "{\"name\":\"Ana\"}" }, { "GET", "/api/visitor", NULL },
        { "POST", "/api/tables", "{\"seats\":[{\"kind\":\"open\"},{\"kind\":\"open\"}],\"edition\":\"plain\"}" },
        { "POST", "/api/tables",
            "{\"seats\":[{\"kind\":\"open\"},{\"kind\":\"bot\",\"level\":\"novice\"}],\"edition\":\"plain\","
            "\"clock\":\"quick\",\"public\":true}" },
        { "GET", "/api/tables", NULL }, { "GET", "/api/tables/%s", NULL }, { "GET", "/api/tables/%s/record", NULL },
            { "GET", "/api/tables/22222222", NULL },
        { "GET", "/api/tables/%s/analysis", NULL }, { "POST", "/api/tables/%s/rematch", "{}" }, { "GET", "/api/my/tables",
            NULL },
        { "GET", "/api/statistics", NULL }, { "POST", "/api/visitor/code", "{}" }, { "POST", "/api/visitor/device",
            "{\"code\":\"2222-2222\"}" },
        { "GET", "/", NULL }, { "GET", "/nowhere", NULL }, { "POST", "/healthz", "x" }, { "PUT", "/api/tables", "{}" },
            { "GET", "/api/editions/plain", NULL },
    };
    unsigned what = take(), how = take();
    const struct table *table = some_table(how);
    char path[64];
    const char *star = strchr(requests[what % 20].path, '%');
    if (star)
        snprintf(path, sizeof path, "%.*s%s%s", (int)(star - requests[what % 20].path), requests[what % 20].path, table ?
            table->code : "22222222", star + 2);
    else
        snprintf(path, sizeof path, "%s", requests[what % 20].path);
    const char *body = requests[what % 20].body;
    say_text(client, "%s %s HTTP/1.%u\r\n%s%s%s%s%s%s%sContent-Length: %zu\r\n\r\n%s", requests[what % 20].method, path,
        how & 4 ? 0u : 1u,
        how & 8 ? "" : "Host: localhost\r\n", how & 16 ? "" : "Cookie: ", how & 16 ? "" : fuzz.cookie[client->visitor],
            how & 16 ? "" : "\r\n",
        forwarded(how >> 5), body && !(how & 16) ? "Content-Type: application/json\r\n" : "", how & 32 ?
            "Connection: close\r\n" : "",
        body ? strlen(body) : 0, body ? body : "");
}

/* A legal choice of a seat as text; "" if none. */
static void pick(const struct table *table, unsigned seat, char *to, size_t size)
{
    struct pyr_game game = table->now.game;
    struct pyr_out out;
    game.choice[seat].count = 0;
    pyr_out_init(&out, to, size);
    to[0] = '\0';
    for (unsigned i = 0; i < PYR_MAX_PARTS; i++) {
        struct pyr_steps steps;
        pyr_game_steps(&game, (pyr_seat)seat, &steps);
        if (!steps.count)
            break;
        pyr_step step = pyr_steps_pick(&steps, &table->now.terms.edition->box, &fuzz.dice);
        enum pyr_step_kind kind = pyr_step_kind(step);
        if (kind == PYR_STEP_TAKE || kind == PYR_STEP_KEEP)
            snprintf(to, size, kind == PYR_STEP_KEEP ? "%u %u" : "take %u", pyr_step_card(step) + 1u,
                pyr_step_second(step) + 1u);
        else if (kind == PYR_STEP_DRAW)
            snprintf(to, size, "draw");
        if (to[0])
            return;
        if (pyr_game_step(&game, (pyr_seat)seat, step, NULL) || pyr_game_is_ready(&game, (pyr_seat)seat))
            break;
    }
    if (!game.choice[seat].count)
        return;
    pyr_game_write_choice(&game, (pyr_seat)seat, &out);
}

static struct action *new_action(const struct client *client, const struct table *table)
{
    struct action *action = &fuzz.action[fuzz.actions++ % ACTIONS];
    *action = (struct action){ .visitor = client->visitor };
    if (table)
        memcpy(action->code, table->code, sizeof action->code);
    return action;
}

static void say_choice(struct client *client, const struct table *table, unsigned how)
{
    char choice[400] = "1:a1", text[800];
    pyr_seat seat = table ? table_seat_of(table, fuzz.id[client->visitor]) : PYR_SPECTATOR;
    bool is_due = table && table->now.stage == STORE_RUNNING && seat < PYR_MAX_SEATS && table_waiting(table) >> seat & 1;
    struct action *action = new_action(client, table);
    if (is_due && !(how & 32))
        pick(table, seat, choice, sizeof choice);
    action->phase = table ? table->log.count : 0;
    if (is_due && strchr(choice, ':') && !(how & 32))
        action->kind = ACTION_CHOOSE;
    snprintf(action->text, sizeof action->text, "%s", choice);
    snprintf(text, sizeof text, "{\"type\":\"choose\",\"id\":\"x%u\",\"phase\":%u,\"choice\":\"%s\"}", fuzz.actions - 1,
        (unsigned)action->phase, choice);
    say_message(client, text);
}

static void do_message(struct client *client)
{
    static const char number[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    unsigned what = take(), how = take();
    char text[512];
    struct table *opened = client->code[0] && !client->opens ? table_find(&fuzz.server, client->code) : NULL;
    const struct table *table = some_table(how);
    switch (what % 12) {
    case 0:
        snprintf(client->opening, sizeof client->opening, "%s", table ? table->code : "22222222");
        snprintf(text, sizeof text, "{\"type\":\"open\",\"id\":\"o\",\"table\":\"%s\"}", client->opening);
        if (client->opens++)
            client->opening[0] = '?';
        break;
    case 1:
        new_action(client, opened)->kind = opened ? ACTION_SIT : ACTION_OTHER;
        snprintf(text, sizeof text, "{\"type\":\"sit\",\"id\":\"x%u\",\"number\":\"%s\"}", fuzz.actions - 1, number);
        break;
    case 2: case 3: case 4: case 5:
        say_choice(client, opened, how);
        return;
    case 6:
        snprintf(text, sizeof text, "{\"type\":\"retract\",\"id\":\"r\",\"phase\":%u}", opened ?
            (unsigned)opened->log.count : 0);
        break;
    case 7: snprintf(text, sizeof text, "{\"type\":\"%s\"}", how & 1 ? "leave" : "close"); break;
    case 8: snprintf(text, sizeof text, "{\"type\":\"%s\"}", how & 1 ? "ping" : "return"); break;
    case 9: snprintf(text, sizeof text, "{\"type\":\"fill\",\"seat\":%u,\"level\":\"novice\"}", how % 5); break;
    case 10: snprintf(text, sizeof text, "{\"type\":\"standin\",\"seat\":%u}", how % 5); break;
    default: snprintf(text, sizeof text, "{\"type\":\"open\",\"table\":\"2222222%c\"}", "23456789"[how % 8]); break;
    }
    if (what % 12 == 6 || what % 12 == 7 || what % 12 == 10) {
        break_promises(client->code);
        break_promises(client->opening);
    }
    say_message(client, text);
}

static void do_bytes(struct client *client)
{
    uint8_t bytes[64];
    unsigned size = take() % 64;
    for (unsigned i = 0; i < size; i++)
        bytes[i] = (uint8_t)take();
    say(client, bytes, size);
}

static void do_end(struct client *client)
{
    unsigned how = take();
    if (how % 3 == 0 && client->fd >= 0)
        shutdown(client->fd, SHUT_WR);
    else if (how % 3 == 1 && client->ssl)
        SSL_shutdown(client->ssl);
    else
        drop_client(client);
}

static void do_time(struct client *client)
{
    static const uint64_t jumps[] = { 250, 1000, 11000, 40000, 660000, 4 * 86400000ull, 61 * 86400000ull, 3000 };
    (void)client;
    world_wait(jumps[take() % 8]);
    server_tick(&fuzz.server);
}

static void table_there(struct fetch *fetch, struct table *table, enum error error)
{
    (void)fetch;
    (void)table;
    (void)error;
}

static bool read_table(void *context, const struct store_table *table, const char *text, size_t size,
    const struct store_choice *choices, unsigned count)
{
    (void)context;
    (void)text;
    (void)size;
    (void)choices;
    (void)count;
    MUST(table_fetch(&fuzz.server, table->code, table_there, NULL));
    return true;
}

/* Waiting and running tables are loaded into memory, so that steps find them. */
static void start(void)
{
    char error[512] = "";
    MUST(server_start(&fuzz.server, &fuzz.options, error, sizeof error));
    MUST(store_each_open_table(world_db(), read_table, NULL) == STORE_OK);
    while (world_store(1, false))
        ;
}

static void stop(bool crash)
{
    world_crash(crash);
    server_halt(&fuzz.server);
    server_finish(&fuzz.server);
    world_crash(false);
}

static void do_restart(struct client *client)
{
    (void)client;
    stop(take() & 1);
    for (unsigned i = 0; i < CLIENTS; i++)
        drop_client(&fuzz.client[i]);
    start();
}

static void do_store(struct client *client)
{
    unsigned how = take();
    (void)client;
    world_store(1 + how % 8, how & 64);
}

static void do_think(struct client *client) { (void)client; world_think(); }
static void do_piece(struct client *client) { (void)client; fuzz.piece = take() % 200; }
static void do_lazy(struct client *client) { client->lazy = !client->lazy; }

static void (*const steps[])(struct client *client) = { do_connect, do_upgrade, do_request, do_message, do_bytes, do_end,
    do_time, do_restart,
    do_store, do_think, do_piece, do_lazy };

/* Start and end. */

static void set_up(const struct pyr_edition *edition)
{
    static const char *text = "pyramids-edition";
    unsigned few = fuzz.setup & SETUP_SLOW_LIMITS ? 1 : 100;
    fuzz.options = (struct server_options){ .database = ":memory:", .editions = edition, .edition_count = 1,
        .edition_texts = &text,
        .trust_proxy = fuzz.setup & SETUP_PROXY, .quiet = true, .bot_threads = 1, .message_rate = 20 * few,
            .request_rate = 20 * few,
        .max_connections = 40, .max_per_address = 10, .max_tables = 20, .max_tables_per_visitor = 4,
            .max_conns_per_visitor = 3,
        .max_tables_per_address = 10, .table_rate = 10 * few,
        .quick_seconds = 30, .relaxed_seconds = 180, .ping_seconds = 20,
        .tls_cert = fuzz.setup & SETUP_TLS ? TLS_FILE ".crt" : NULL, .tls_key = fuzz.setup & SETUP_TLS ? TLS_FILE ".key" :
            NULL };
}

static void make_visitors(void)
{
    for (unsigned i = 0; i < VISITORS; i++) {
        struct store_visitor stored;
        char token[2 * TOKEN_SIZE + 1];
        visitor_draw("Ana", token, &stored);
        MUST(store_db_begin(world_db(), true) == STORE_OK && store_put_visitor(world_db(), &stored) == STORE_OK &&
            store_db_commit(world_db()) == STORE_OK && visitor_load(&fuzz.server, &stored));
        fuzz.id[i] = stored.id;
        snprintf(fuzz.cookie[i], sizeof fuzz.cookie[i], "pyramids=%s", token);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!fuzz.ssl)
        fuzz.ssl = SSL_CTX_new(TLS_client_method());
    fuzz.at = data;
    fuzz.end = data + size;
    fuzz.setup = take();
    fuzz.piece = fuzz.actions = fuzz.promises = 0;
    pyr_rng_seed(&fuzz.dice, 3, 4);
    for (unsigned i = 0; i < CLIENTS; i++)
        fuzz.client[i] = (struct client){ .fd = -1 };
    world_begin();
    set_up(plain_edition());
    start();
    make_visitors();
    for (unsigned i = 0; i < STEPS && fuzz.at < fuzz.end; i++) {
        unsigned step = take();
        steps[(step & 15) % (sizeof steps / sizeof *steps)](&fuzz.client[(step >> 4) % CLIENTS]);
        if (fuzz.at < fuzz.end && *fuzz.at == 0xff) {
            fuzz.at++;                       /* the next step follows at once */
            continue;
        }
        settle();
        check_promises();
        check_health();
    }
    settle();
    stop(size & 1);
    for (unsigned i = 0; i < CLIENTS; i++)
        drop_client(&fuzz.client[i]);
    start();
    check_promises();
    stop(false);
    world_end();
    return 0;
}
