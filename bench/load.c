/*
 * load.c: plays whole games on a server with many connections, as fast as it acknowledges choices or at a given pace,
 * and measures it.
 *
 * It starts `pyramids serve` itself, on a free port of 127.0.0.1 with a database of its own (or the one that PYR_POSTGRES
 * names, which must be empty: tests/postgres.py), and ends it. With --nodes there are several servers on that database:
 * all clients of a table connect to the same one, or with --spread each to another. Every client is a visitor with a
 * connection; four of them sit at each table and make random legal choices. Measured are choices per second, the server's
 * processor time and memory, and
 * the time from sending a choice (a) to its `done`, (b) until the last of the four has got `ready` or `lines`.
 *
 * What counts as lost, and makes the exit code 1:
 *  1. a choice that was acknowledged and is neither in the record nor, while its phase is open, in `mine` of a new `ready`;
 *  2. lines that do not continue those a client has;
 *  3. an error, a closed connection, a choice that is not acknowledged or not sent to all four.
 *
 * A choice has to wait for the disk, so the disk alone is measured at the same time: a block is written and synchronised
 * a hundred times per second, and its time counts from when it was due, as for a choice at that moment. Memory per table
 * is measured without the first tenth of the tables, so that memory needed only once does not count.
 *
 * The reader of messages accepts only the output of our own server; anything else is an error.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pyramids/builtin.h>
#include <pyramids/record.h>

#define SEATS 4
/* Tables that are being set up at the same time: few, or the memory of their requests would count as theirs. */
#define OPENING 8
#define ON_THE_WAY 16            /* choices of a table that some client has not received */
#define MESSAGE 65536            /* bytes of the longest message */
#define CHOICE 320
#define MOST_NODES 16
#define PATIENCE 20.0            /* seconds without any progress until it is given up */

enum stage { ASKS_VISITOR, ASKS_TABLE, HAS_CODE, UPGRADES, OPENS, SITS, PLAYS };

struct client {
    struct table *table;
    int fd;
    uint8_t seat;
    uint8_t stage;               /* enum stage */
    bool sent;                   /* a choice is not acknowledged yet */
    char cookie[96];
    char *left;                  /* the beginning of a message */
    size_t left_size;
    uint32_t version;            /* lines known */
    uint32_t chosen;             /* the phase of its last choice */
    char choice[CHOICE];         /* the last one, as in a record's line */
    uint64_t acknowledged, before;       /* sums of the lines of all choices acknowledged, and of all but the last */
    int dealt[PYR_DEALT];
    bool confirmed;              /* at the end: `mine` was the last choice */
};

struct way {                     /* a choice that has not reached all clients */
    uint32_t phase;
    uint8_t seat, told;          /* told: bits of clients */
    uint64_t at;
};

struct table {
    struct client client[SEATS];
    char code[16];
    uint8_t playing;             /* clients that have begun */
    bool over;
    uint32_t version;            /* lines that the replay has */
    struct pyr_replay replay;    /* as the first seat sees it */
    struct way way[ON_THE_WAY];
    unsigned ways;
};

struct times {
    uint32_t *us;
    size_t count, room;
};

static struct {
    const char *program;
    unsigned tables;
    double rate;                 /* choices per second; 0: as fast as they are acknowledged */
    double seconds;              /* 0: until the games are over */
    unsigned nodes;              /* servers */
    bool spread;                 /* the clients of a table are at different servers */
    bool json;
} options = { .tables = 100, .nodes = 1 };

static struct {
    struct pyr_edition edition;
    struct pyr_rng rng;
    struct table *table;
    struct node {
        pid_t pid;
        struct sockaddr_in address;
        char url[64];
    } node[MOST_NODES];
    int poll;
    char folder[64];
    unsigned opened, wanted, ready, over;    /* wanted: the number of tables to open now */
    bool playing, closing;       /* closing: waiting for the last choices, no new ones are made */
    uint64_t sent, done, open_ways;
    struct times to_done, to_all;
    unsigned next;               /* the next table, at a given pace */
} load;

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static uint64_t now_ns(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

/* The server. */

static void stop_server(struct node *node)
{
    int status;
    if (node->pid <= 0)
        return;
    for (unsigned i = 0; i < 500 && waitpid(node->pid, &status, WNOHANG) == 0; i++) {
        if (i == 499) {
            kill(node->pid, SIGKILL);
            waitpid(node->pid, &status, 0);
        }
        nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
    }
    node->pid = 0;
}

static void clean_up(void)
{
    static const char *const files[] = { "db", "db-wal", "db-shm", "db.lock", "ready", "probe" };
    for (unsigned n = 0; n < options.nodes; n++)
        if (load.node[n].pid > 0)
            kill(load.node[n].pid, SIGTERM);
    for (unsigned n = 0; n < options.nodes; n++)
        stop_server(&load.node[n]);
    if (!load.folder[0])
        return;
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        char path[96];
        snprintf(path, sizeof path, "%s/%s", load.folder, files[i]);
        unlink(path);
    }
    rmdir(load.folder);
}

static void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("load: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    clean_up();
    exit(1);
}

static void *checked(void *memory)
{
    if (!memory)
        fail("no memory");
    return memory;
}

static void make_folder(void)
{
    const char *folder = getenv("TMPDIR");
    bool is_short = folder && *folder && strlen(folder) <= 40;
    snprintf(load.folder, sizeof load.folder, "%.40s/pyramids-load-XXXXXX", is_short ? folder : "/tmp");
    if (!mkdtemp(load.folder)) {
        load.folder[0] = '\0';
        fail("no folder for the database: %s", strerror(errno));
    }
}

static void start_server(struct node *node)
{
    char database[512], ready[96], text[64] = "";
    const char *postgres = getenv("PYR_POSTGRES");
    snprintf(database, sizeof database, "%s%s", postgres ? postgres : load.folder, postgres ? "" : "/db");
    snprintf(ready, sizeof ready, "%s/ready", load.folder);
    unlink(ready);
    pid_t self = getpid();
    node->pid = fork();
    if (node->pid < 0)
        fail("fork: %s", strerror(errno));
    if (!node->pid) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != self || !freopen("/dev/null", "w", stdout))
            _exit(1);
        execl(options.program, options.program, "serve", "--port", "0", "--database", database, "--ready-file", ready,
            "--no-browser", "--quiet",
            "--request-rate", "100000", "--message-rate", "10000", "--max-connections", "30000", "--max-per-address",
            "30000", "--table-rate",
            "1000000", "--max-tables-per-address", "100000", "--bot-threads", "1", (char *)NULL);
        fprintf(stderr, "%s: %s\n", options.program, strerror(errno));
        _exit(1);
    }
    for (unsigned i = 0; i < 1000 && !strchr(text, '\n'); i++) {
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
        if (waitpid(node->pid, NULL, WNOHANG) == node->pid) {
            node->pid = 0;
            fail("the server did not start");
        }
        FILE *file = fopen(ready, "r");
        if (file && !fgets(text, sizeof text, file))
            text[0] = '\0';
        if (file)
            fclose(file);
    }
    unsigned port;
    if (sscanf(text, "http://127.0.0.1:%u", &port) != 1)
        fail("the server does not say where it listens");
    node->address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    snprintf(node->url, sizeof node->url, "127.0.0.1:%u", port);
}

/* The server of a client. */
static const struct node *node_of(const struct client *client)
{
    size_t at = (size_t)(client->table - load.table) + (options.spread ? client->seat : 0u);
    return &load.node[at % options.nodes];
}

/* Seconds of processor time, and bytes of memory: of all servers. */

/* Of a process; with `children` also of its ended children, and *parent. */
static double process_seconds(long pid, bool children, long *parent)
{
    char path[64], text[1024] = "";
    unsigned long user = 0, kernel = 0;
    long ended_user = 0, ended_kernel = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "r");
    const char *at = file && fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
    bool good = at && sscanf(at + 1, " %*c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld", parent, &user, &kernel,
        &ended_user, &ended_kernel) == 5;
    if (file)
        fclose(file);
    if (!good)
        return -1;
    return ((double)(user + kernel) + (children ? (double)(ended_user + ended_kernel) : 0)) / (double)sysconf(_SC_CLK_TCK);
}

/* From the process's own clock: /proc counts in ticks of 10 ms. */
static double server_seconds(void)
{
    double sum = 0;
    for (unsigned n = 0; n < options.nodes; n++) {
        clockid_t clock;
        struct timespec used;
        if (clock_getcpuclockid(load.node[n].pid, &clock) || clock_gettime(clock, &used))
            fail("a server has ended");
        sum += (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
    }
    return sum;
}

/* Of PostgreSQL and its children, if the environment says which process it is (tests/postgres.py). */
static double postgres_seconds(void)
{
    const char *text = getenv("PYR_POSTGRES_PID");
    long server = text ? strtol(text, NULL, 10) : 0, parent = 0;
    DIR *folder = server > 0 ? opendir("/proc") : NULL;
    double sum = folder ? process_seconds(server, true, &parent) : 0;
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        long pid = strtol(entry->d_name, NULL, 10);
        double seconds = pid > 0 && pid != server ? process_seconds(pid, false, &parent) : -1;
        if (seconds > 0 && parent == server)
            sum += seconds;
    }
    if (folder)
        closedir(folder);
    return sum;
}

static double server_bytes(void)
{
    double sum = 0;
    for (unsigned n = 0; n < options.nodes; n++) {
        char path[64];
        unsigned long pages = 0;
        snprintf(path, sizeof path, "/proc/%d/statm", (int)load.node[n].pid);
        FILE *file = fopen(path, "r");
        if (!file || fscanf(file, "%*u %lu", &pages) != 1)
            fail("no %s", path);
        fclose(file);
        sum += (double)pages * (double)sysconf(_SC_PAGESIZE);
    }
    return sum;
}

/* Sending. Messages are short and few on a connection, so that the socket's buffer always has room. */

static void send_bytes(struct client *client, const void *bytes, size_t size)
{
    if (send(client->fd, bytes, size, MSG_NOSIGNAL) != (ssize_t)size)
        fail("table %s, seat %d: sending failed: %s", client->table->code, client->seat + 1, strerror(errno));
}

static void send_frame(struct client *client, unsigned opcode, const char *data, size_t size)
{
    static const uint8_t mask[4] = { 0x37, 0xfa, 0x21, 0x3d };
    uint8_t frame[1024];
    size_t at = 0;
    frame[at++] = (uint8_t)(0x80 | opcode);
    if (size < 126) {
        frame[at++] = (uint8_t)(0x80 | size);
    } else {
        frame[at++] = 0x80 | 126;
        frame[at++] = (uint8_t)(size >> 8);
        frame[at++] = (uint8_t)size;
    }
    memcpy(frame + at, mask, sizeof mask);
    at += sizeof mask;
    for (size_t i = 0; i < size; i++)
        frame[at++] = (uint8_t)data[i] ^ mask[i % 4];
    send_bytes(client, frame, at);
}

static void tell(struct client *client, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void tell(struct client *client, const char *format, ...)
{
    char text[768];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    send_frame(client, 1, text, (size_t)size);
}

static void connect_client(struct client *client)
{
    int on = 1;
    client->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (client->fd < 0 || connect(client->fd, (const struct sockaddr *)&node_of(client)->address,
        sizeof(struct sockaddr_in)))
        fail("connecting: %s", strerror(errno));
    setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(client->fd, F_SETFL, O_NONBLOCK);
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = client };
    if (epoll_ctl(load.poll, EPOLL_CTL_ADD, client->fd, &event))
        fail("epoll: %s", strerror(errno));
}

/* Setting up. */

static void post(struct client *client, const char *path, const char *body)
{
    char text[1024];
    int size = snprintf(text, sizeof text,
        "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n%s%s%s\r\n%s", path,
        node_of(client)->url, strlen(body), client->cookie[0] ? "Cookie: " : "", client->cookie,
        client->cookie[0] ? "\r\n" : "", body);
    send_bytes(client, text, (size_t)size);
}

static void upgrade(struct client *client)
{
    char text[512];
    close(client->fd);                       /* also removes it from the poll */
    client->stage = UPGRADES;
    connect_client(client);
    int size = snprintf(text, sizeof text,
        "GET /api/socket HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nCookie: %s\r\n\r\n",
        node_of(client)->url, client->cookie);
    send_bytes(client, text, (size_t)size);
}

static void open_table(void)
{
    struct table *table = &load.table[load.opened++];
    for (unsigned s = 0; s < SEATS; s++) {
        struct client *client = &table->client[s];
        char body[48];
        client->table = table;
        client->seat = (uint8_t)s;
        client->chosen = UINT32_MAX;
        connect_client(client);
        snprintf(body, sizeof body, "{\"name\":\"P%u\"}", s + 1);
        post(client, "/api/visitor", body);
    }
    pyr_replay_init(&table->replay, 0);
}

/* The answers to post and upgrade. Returns the number of bytes used, 0: more are needed. */
static size_t read_answer(struct client *client, char *text, size_t size)
{
    struct table *table = client->table;
    text[size] = '\0';
    char *end = strstr(text, "\r\n\r\n"), *length = strstr(text, "content-length: ");
    if (!end)
        return 0;
    size_t head = (size_t)(end - text) + 4, whole = head + (length && length < end ? strtoul(length + 16, NULL, 10) : 0);
    if (size < whole)
        return 0;
    static const char *const wanted[] = { " 200 ", " 201 ", NULL, " 101 " };
    if (!strstr(text, wanted[client->stage]) || strstr(text, wanted[client->stage]) > end)
        fail("unexpected answer at stage %d: %.800s", client->stage, text);
    if (client->stage == ASKS_VISITOR) {
        const char *cookie = strstr(text, "set-cookie: ");
        if (!cookie || sscanf(cookie + 12, "%95[^;]", client->cookie) != 1)
            fail("no cookie: %.200s", text);
        if (!client->seat) {
            client->stage = ASKS_TABLE;
            post(client, "/api/tables", "{\"seats\":[{\"kind\":\"open\"},{\"kind\":\"open\"},{\"kind\":\"open\"},"
                "{\"kind\":\"open\"}]}");
            return whole;
        }
    } else if (client->stage == ASKS_TABLE) {
        const char *code = strstr(end, "\"code\":");
        if (!code || sscanf(code + 7, " \"%15[A-Z0-9]\"", table->code) != 1)
            fail("no code: %.400s", end);
    } else {
        client->stage = OPENS;
        tell(client, "{\"type\":\"open\",\"id\":\"o\",\"table\":\"%s\"}", table->code);
        return whole;
    }
    client->stage = HAS_CODE;
    if (table->code[0])                      /* clients that arrived before the table was made are waiting for it */
        for (unsigned s = 0; s < SEATS; s++)
            if (table->client[s].stage == HAS_CODE)
                upgrade(&table->client[s]);
    return 0;                                /* nothing more may be read from this connection */
}

/* Choosing. */

static uint64_t sum_line(uint64_t sum, const char *line, size_t size)
{
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ (uint8_t)line[i]) * UINT64_C(1099511628211);
    return (sum ^ '\n') * UINT64_C(1099511628211);
}

/* Writes a random legal choice as in the record, without keyword and seat; returns the keyword. */
static const char *pick(const struct client *client, char *choice)
{
    const struct pyr_box *box = &load.edition.box;
    const struct pyr_state *state = &client->table->replay.state;
    struct pyr_steps steps;
    if (state->open.phase == PYR_KEEP) {     /* the replay has only the first seat's deals */
        int a = client->dealt[0], b = client->dealt[1 + pyr_rng_below(&load.rng, PYR_DEALT - 1)];
        snprintf(choice, CHOICE, "%d %d", a < b ? a : b, a < b ? b : a);
        return "keep";
    }
    if (state->open.phase == PYR_REPLACE) {
        pyr_state_steps(state, box, client->seat, &steps);
        pyr_step step = pyr_steps_pick(&steps, box, &load.rng);
        if (pyr_step_kind(step) == PYR_STEP_DRAW)
            return "draw";
        snprintf(choice, CHOICE, "%d", pyr_step_card(step) + 1);
        return "take";
    }
    pyr_step made[PYR_MAX_PARTS + 1];
    unsigned count = 0;
    struct pyr_desk desk = state->open.desk[client->seat];
    while (desk.due && count < PYR_MAX_PARTS) {
        pyr_desk_steps(&desk, box, state->open.revealed[state->open.turn], &steps);
        made[count] = pyr_steps_pick(&steps, box, &load.rng);
        if (pyr_desk_mark(&desk, box, state->open.revealed[state->open.turn], state->open.round, made[count]))
            fail("table %s: a step is not legal", client->table->code);
        count++;
    }
    struct pyr_out out;
    pyr_out_init(&out, choice, CHOICE);
    pyr_move_write(made, count, &state->open.desk[client->seat], &out);
    return "mark";
}

static bool is_due(const struct client *client)
{
    const struct table *table = client->table;
    return load.playing && !load.closing && !table->over && !client->sent && client->stage == PLAYS &&
        client->version == table->version &&
        client->chosen != table->version && table->replay.stage == PYR_STAGE_PLAY &&
            table->replay.state.open.waiting >> client->seat & 1;
}

static void choose(struct client *client)
{
    struct table *table = client->table;
    char choice[CHOICE] = "";
    const char *word = pick(client, choice);
    snprintf(client->choice, sizeof client->choice, "%s %d%s%.*s", word, client->seat + 1, choice[0] ? " " : "", CHOICE - 16,
        choice);
    bool is_word = !strcmp(word, "take") || !strcmp(word, "draw");
    if (table->ways == ON_THE_WAY)
        fail("table %s: nobody is told any more", table->code);
    client->chosen = table->version;
    client->sent = true;
    table->way[table->ways++] = (struct way){ .phase = table->version, .seat = client->seat, .at = now_ns() };
    load.open_ways++;
    load.sent++;
    tell(client, "{\"type\":\"choose\",\"id\":\"c%u\",\"phase\":%u,\"choice\":\"%s%s%s\"}", table->version, table->version,
        is_word ? word : "",
        is_word && choice[0] ? " " : "", choice);
}

static void choose_all(struct table *table)
{
    for (unsigned s = 0; s < SEATS && options.rate <= 0; s++)
        if (is_due(&table->client[s]))
            choose(&table->client[s]);
}

/* At a given pace: one table after the other, a random seat of each. */
static void choose_next(void)
{
    for (unsigned tries = 0; tries < options.tables; tries++) {
        struct table *table = &load.table[load.next++ % options.tables];
        unsigned first = pyr_rng_below(&load.rng, SEATS);
        for (unsigned s = 0; s < SEATS; s++)
            if (is_due(&table->client[(first + s) % SEATS])) {
                choose(&table->client[(first + s) % SEATS]);
                return;
            }
    }
}

/* Receiving. */

static void note(struct times *times, uint64_t since)
{
    if (times->count == times->room) {
        times->room = times->room ? 2 * times->room : 65536;
        times->us = checked(realloc(times->us, times->room * sizeof *times->us));
    }
    times->us[times->count++] = (uint32_t)((now_ns() - since) / 1000);
}

/* A client was notified that these seats have chosen in the phases of this range. */
static void told(struct client *client, uint32_t from, uint32_t to, unsigned seats)
{
    struct table *table = client->table;
    for (unsigned i = 0; i < table->ways;) {
        struct way *way = &table->way[i];
        if (way->phase >= from && way->phase < to && seats >> way->seat & 1)
            way->told |= (uint8_t)(1u << client->seat);
        if (way->told != (1u << SEATS) - 1) {
            i++;
            continue;
        }
        note(&load.to_all, way->at);
        *way = table->way[--table->ways];
        load.open_ways--;
    }
}

static void acknowledged(struct client *client, const char *text)
{
    struct table *table = client->table;
    if (client->stage == OPENS) {
        client->stage = SITS;
        char number[2 * 32 + 1];
        for (unsigned i = 0; i < 64; i++)
            number[i] = "0123456789abcdef"[pyr_rng_below(&load.rng, 16)];
        number[64] = '\0';
        tell(client, "{\"type\":\"sit\",\"id\":\"s\",\"seat\":%d,\"number\":\"%s\"}", client->seat + 1, number);
        return;
    }
    if (client->stage == SITS) {
        client->stage = PLAYS;
        if (++table->playing == SEATS) {
            load.ready++;
            if (load.opened < load.wanted)
                open_table();
        }
        return;
    }
    if (client->confirmed || !client->sent)
        return;                              /* a result of the latest `open` */
    if (strtoul(text + 2, NULL, 10) != client->chosen)
        fail("table %s, seat %d: %.60s acknowledged, not c%u", table->code, client->seat + 1, text, client->chosen);
    for (unsigned i = 0; i < table->ways; i++)
        if (table->way[i].seat == client->seat && table->way[i].phase == client->chosen)
            note(&load.to_done, table->way[i].at);
    client->sent = false;
    load.done++;
    client->before = client->acknowledged;
    client->acknowledged = sum_line(client->acknowledged, client->choice, strlen(client->choice));
}

/* Reads lines of the game. `text` is the strings of a JSON array; our lines need no escapes. */
static void follow(struct client *client, char *text, uint32_t to)
{
    struct table *table = client->table;
    char lines[MESSAGE], *at = lines;
    uint32_t from = client->version;
    bool is_first = !from;
    while (*text == '"') {
        char *end = strchr(text + 1, '"');
        if (!end)
            fail("unfinished lines: %.80s", text);
        memcpy(at, text + 1, (size_t)(end - text - 1));
        at += end - text - 1;
        *at++ = '\n';
        text = end + 1 + (end[1] == ',');
    }
    *at = '\0';
    if (is_first) {
        char deal[16];
        snprintf(deal, sizeof deal, "\ndeal %d ", client->seat + 1);
        const char *found = strstr(lines, deal);
        if (!found || sscanf(found + 8, "%d %d %d %d", &client->dealt[0], &client->dealt[1], &client->dealt[2],
            &client->dealt[3]) != PYR_DEALT)
            fail("table %s, seat %d: no deal", table->code, client->seat + 1);
    }
    client->version = to;
    /* The first lines differ between seats: those of the first seat are used. Later ones are the same for all. */
    if (to <= table->version || (!table->version && client->seat))
        return;
    struct pyr_lines reader;
    struct pyr_event event;
    struct pyr_fault fault = { 0 };
    /* Another client may have received the first of these lines already. */
    const char *unknown = lines;
    for (uint32_t known = table->version; from && known > from; known--)
        unknown = strchr(unknown, '\n') + 1;
    pyr_lines_init(&reader, unknown, (size_t)(at - unknown));
    while (pyr_lines_next(&reader, false) && pyr_event_read(&event, &load.edition, &reader))
        if (pyr_replay_event(&table->replay, &load.edition, &event, &fault))
            fail("table %s: fault %d in %.*s", table->code, (int)fault.code, (int)reader.line.length, reader.line.at);
    if (reader.fault.code)
        fail("table %s: fault %d in %.*s", table->code, (int)reader.fault.code, (int)reader.line.length, reader.line.at);
    table->version = to;
    if (table->replay.stage == PYR_STAGE_OVER && !table->over) {
        table->over = true;
        load.over++;
    }
}

static void receive_ready(struct client *client, const char *text)
{
    unsigned phase, seats = 0;
    int at = 0;
    if (sscanf(text, "{\"type\":\"ready\",\"phase\":%u,\"ready\":[%n", &phase, &at) != 1 || !at)
        fail("not understood: %.200s", text);
    for (; text[at] && text[at] != ']'; at++)
        if (text[at] >= '1' && text[at] <= '4')
            seats |= 1u << (text[at] - '1');
    told(client, phase, phase + 1, seats);
    const char *mine = strstr(text, "\"mine\":\""), *space = strchr(client->choice, ' ');
    if (load.closing && mine && phase == client->chosen && space && (space = strchr(space + 1, ' ')))
        client->confirmed = !strncmp(mine + 8, space + 1, strlen(space + 1)) && mine[8 + strlen(space + 1)] == '"';
}

static void receive(struct client *client, char *text)
{
    struct table *table = client->table;
    unsigned from, to;
    int at = 0;
    if (!strncmp(text, "{\"type\":\"ready\",", 16)) {
        receive_ready(client, text);
    } else if (!strncmp(text, "{\"type\":\"lines\",", 16)) {
        if (sscanf(text, "{\"type\":\"lines\",\"from\":%u,\"to\":%u,\"left\":-1,\"lines\":[%n", &from, &to, &at) != 2 || !at)
            fail("not understood: %.200s", text);
        if (from != client->version || to < from)
            fail("table %s, seat %d: lines %u to %u after %u", table->code, client->seat + 1, from, to, client->version);
        if (to == from)
            return;
        follow(client, text + at, to);
        if (from)
            told(client, from, to, (1u << SEATS) - 1);
        choose_all(table);
    } else if (!strncmp(text, "{\"type\":\"done\",\"id\":\"", 21)) {
        acknowledged(client, text + 20);
        if (options.rate <= 0 && is_due(client))
            choose(client);
    } else if (strncmp(text, "{\"type\":\"hello\",", 16) && strncmp(text, "{\"code\":\"", 9)) {
        fail("table %s, seat %d: %.200s", table->code, client->seat + 1, text);
    }
}

/* Reads a frame; returns the number of bytes used, 0: more are needed. */
static size_t read_frame(struct client *client, char *text, size_t size)
{
    const uint8_t *byte = (const uint8_t *)text;
    size_t head = 2, length;
    if (size < 2)
        return 0;
    length = byte[1] & 127;
    if (length == 126) {
        head = 4;
        length = size < 4 ? MESSAGE : (size_t)byte[2] << 8 | byte[3];
    } else if (length == 127) {
        fail("a message of more than 64 KB");
    }
    if (size < head + length)
        return 0;
    unsigned opcode = byte[0] & 15;
    if (opcode == 9) {
        send_frame(client, 10, text + head, length);
    } else if (byte[0] == 0x81) {
        char after = text[head + length];
        text[head + length] = '\0';
        receive(client, text + head);
        text[head + length] = after;
    } else {
        fail("table %s, seat %d: frame %02x, code %d", client->table->code, client->seat + 1, byte[0],
            length > 1 ? byte[head] << 8 | byte[head + 1] : 0);
    }
    return head + length;
}

static void read_client(struct client *client)
{
    static char buffer[3 * MESSAGE];
    size_t size = client->left_size, at = 0, used;
    memcpy(buffer, client->left ? client->left : "", size);
    ssize_t got = recv(client->fd, buffer + size, MESSAGE, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0)
        fail("table %s, seat %d: the connection is gone: %s", client->table->code, client->seat + 1,
            got ? strerror(errno) : "closed");
    size += (size_t)got;
    do {
        bool was_asking = client->stage < HAS_CODE;
        used = client->stage <= UPGRADES ? read_answer(client, buffer + at, size - at) : read_frame(client, buffer + at,
            size - at);
        at = was_asking && client->stage >= HAS_CODE ? size : at + used;     /* that connection is no longer needed */
    } while (used && at < size);
    free(client->left);
    client->left = NULL;
    client->left_size = size - at;
    if (size > at)
        client->left = memcpy(checked(malloc(size - at)), buffer + at, size - at);
}

/* One iteration of the loop; false: nothing happened. */
static bool turn(int ms)
{
    struct epoll_event events[256];
    int count = epoll_wait(load.poll, events, 256, ms);
    for (int i = 0; i < count; i++)
        read_client(events[i].data.ptr);
    if (interrupted)
        fail("interrupted");
    return count > 0;
}

static void wait_for(bool (*is_done)(void), const char *what)
{
    uint64_t last = now_ns();
    while (!is_done())
        if (turn(100))
            last = now_ns();
        else if ((double)(now_ns() - last) * 1e-9 > PATIENCE)
            fail("%s: nothing happens any more", what);
}

static bool all_ready(void) { return load.ready == load.wanted; }
static bool all_done(void) { return load.done == load.sent && !load.open_ways; }

static bool all_dealt(void)
{
    for (unsigned t = 0; t < load.wanted; t++)
        for (unsigned s = 0; s < SEATS; s++)
            if (!load.table[t].client[s].version || !load.table[t].version)
                return false;
    return true;
}

static void seat_tables(unsigned wanted)
{
    load.wanted = wanted;
    while (load.opened < wanted && load.opened - load.ready < OPENING)
        open_table();
    wait_for(all_ready, "setting up");
    wait_for(all_dealt, "dealing");
}

static bool is_open(const struct client *client)
{
    return !client->table->over && client->chosen == client->table->version;
}

static bool all_confirmed(void)
{
    for (unsigned t = 0; t < options.tables; t++)
        for (unsigned s = 0; s < SEATS; s++)
            if (is_open(&load.table[t].client[s]) && !load.table[t].client[s].confirmed)
                return false;
    return true;
}

static void play(void)
{
    uint64_t begin = now_ns(), end = options.seconds > 0 ? begin + (uint64_t)(options.seconds * 1e9) : UINT64_MAX,
        last = begin;
    double count = 0;
    load.playing = true;
    for (unsigned t = 0; t < options.tables; t++)
        choose_all(&load.table[t]);
    while (load.over < options.tables && now_ns() < end) {
        if (turn(options.rate > 0 ? 1 : 100))
            last = now_ns();
        else if ((double)(now_ns() - last) * 1e-9 > PATIENCE)
            fail("nothing happens any more");
        for (double due = (double)(now_ns() - begin) * 1e-9 * options.rate; options.rate > 0 && count < due; count++)
            choose_next();
    }
    load.closing = true;
    wait_for(all_done, "the last choices");
}

/* The disk alone. */

#define PROBE_NS 10000000

static struct times to_disk;
static atomic_bool probing;

static void *probe(void *path)
{
    static const char block[4096] = { 1 };
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    uint64_t due = now_ns();
    for (off_t at = 0; file >= 0 && atomic_load(&probing); due += PROBE_NS) {
        uint64_t now = now_ns();
        if (now < due)
            nanosleep(&(struct timespec){ .tv_nsec = (long)(due - now) }, NULL);
        if (pwrite(file, block, sizeof block, at) != sizeof block || fdatasync(file))
            break;
        note(&to_disk, due);
        at = (at + (off_t)sizeof block) % (1 << 22);
    }
    if (file >= 0)
        close(file);
    return NULL;
}

static void play_and_probe(void)
{
    pthread_t thread;
    char path[96];
    snprintf(path, sizeof path, "%s/probe", load.folder);
    atomic_store(&probing, true);
    if (pthread_create(&thread, NULL, probe, path))
        fail("no thread");
    play();
    atomic_store(&probing, false);
    pthread_join(thread, NULL);
}

/* Checking that nothing is lost. */

static size_t fetch(const char *path, const char *cookie, char *to, size_t room)
{
    static int fd = -1;
    if (fd < 0) {
        fd = socket(AF_INET, SOCK_STREAM, 0);
        if (fd < 0 || connect(fd, (struct sockaddr *)&load.node[0].address,
            sizeof load.node[0].address))
            fail("connecting: %s", strerror(errno));
    }
    char text[512];
    int length = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n\r\n", path,
        load.node[0].url, cookie);
    if (send(fd, text, (size_t)length, MSG_NOSIGNAL) != length)
        fail("sending: %s", strerror(errno));
    for (size_t size = 0, head = 0;;) {
        ssize_t got = recv(fd, to + size, room - size - 1, 0);
        if (got <= 0)
            fail("%s: no answer", path);
        size += (size_t)got;
        to[size] = '\0';
        const char *end = strstr(to, "\r\n\r\n"), *said = strstr(to, "content-length: ");
        if (!end || !said)
            continue;
        if (strncmp(to, "HTTP/1.1 200 ", 13))
            fail("%.100s", to);
        head = (size_t)(end - to) + 4;
        if (size >= head + strtoul(said + 16, NULL, 10)) {
            memmove(to, to + head, size - head + 1);
            return size - head;
        }
    }
}

static void check_table(struct table *table)
{
    static char record[2 * MESSAGE];
    char path[64];
    uint64_t sum[SEATS] = { 0 };
    uint32_t lines = 0;
    snprintf(path, sizeof path, "/api/tables/%s/record", table->code);
    fetch(path, table->client[0].cookie, record, sizeof record);
    for (const char *line = record; *line; line = strchr(line, '\n') + 1) {
        size_t size = strcspn(line, "\n");
        if (line[size] != '\n')
            fail("table %s: the record's last line is not whole", table->code);
        lines++;
        if (strncmp(line, "keep ", 5) && strncmp(line, "mark ", 5) && strncmp(line, "take ", 5) && strncmp(line, "draw ", 5))
            continue;
        unsigned seat = (unsigned)(line[5] - '1');
        if (seat >= SEATS)
            fail("table %s: %.40s", table->code, line);
        sum[seat] = sum_line(sum[seat], line, *line == 'd' ? 6 : size);      /* the card that was drawn is not part of
                                                                                the choice */
    }
    /* While the game is running the record lacks the others' deals. */
    if (lines != table->version - (table->over ? 0 : SEATS - 1))
        fail("table %s: the record has %u lines, not %u", table->code, lines, table->version);
    for (unsigned s = 0; s < SEATS; s++) {
        const struct client *client = &table->client[s];
        if (sum[s] != (is_open(client) ? client->before : client->acknowledged))
            fail("table %s, seat %u: a choice was acknowledged and is not in the record", table->code, s + 1);
    }
}

static void check_all(void)
{
    for (unsigned t = 0; t < options.tables; t++)
        for (unsigned s = 0; s < SEATS; s++) {
            struct client *client = &load.table[t].client[s];
            if (is_open(client))
                tell(client, "{\"type\":\"open\",\"table\":\"%s\",\"have\":%u}", client->table->code, client->version);
        }
    wait_for(all_confirmed, "choices of open phases");
    for (unsigned t = 0; t < options.tables; t++)
        check_table(&load.table[t]);
}

/* The report. */

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort(struct times *times)
{
    if (!times->count)
        note(times, now_ns());
    qsort(times->us, times->count, sizeof *times->us, compare);
}

static double part(const struct times *times, double share)
{
    return times->us[(size_t)((double)(times->count - 1) * share)] / 1e3;
}

/* The results of the measurement. */
struct sums {
    double setup, seconds, cpu, postgres;    /* seconds; of processor time: of the servers, of PostgreSQL */
    double seated, grown;        /* bytes per table: when the cards were dealt, and at the end */
    uint64_t choices;
};

static void print_json(const struct sums *sums)
{
    printf("{\"nodes\": %u, \"spread\": %s, \"tables\": %u, \"clients\": %u, \"over\": %u, \"moves\": %" PRIu64
        ", \"seconds\": %.3f, \"movesPerSecond\": %.1f, \"cpuSeconds\": %.4f, \"movesPerCpuSecond\": %.1f, "
        "\"postgresCpuSeconds\": %.2f, \"setupSeconds\": %.2f, ", options.nodes, options.spread ? "true" : "false",
        options.tables, SEATS * options.tables, load.over, sums->choices, sums->seconds,
        (double)sums->choices / sums->seconds, sums->cpu, (double)sums->choices / sums->cpu, sums->postgres, sums->setup);
    printf("\"done\": {\"p50\": %.3f, \"p99\": %.3f, \"max\": %.3f}, "
        "\"told\": {\"p50\": %.3f, \"p99\": %.3f, \"max\": %.3f}, "
        "\"disk\": {\"p50\": %.3f, \"p99\": %.3f, \"max\": %.3f}, "
        "\"bytesPerTableSeated\": %.0f, \"bytesPerTable\": %.0f, \"lost\": 0}\n",
        part(&load.to_done, 0.5), part(&load.to_done, 0.99), part(&load.to_done, 1), part(&load.to_all, 0.5),
        part(&load.to_all, 0.99), part(&load.to_all, 1), part(&to_disk, 0.5), part(&to_disk, 0.99), part(&to_disk, 1),
        sums->seated, sums->grown);
}

static void print_words(const struct sums *sums)
{
    printf("%u tables, %u clients, set up in %.1f s; %u games over\n"
        "%" PRIu64 " choices in %.2f s: %.0f per second; server: %.2f s of processor time, %.0f choices per second of it\n",
        options.tables, SEATS * options.tables, sums->setup, load.over, sums->choices, sums->seconds,
        (double)sums->choices / sums->seconds, sums->cpu, (double)sums->choices / sums->cpu);
    if (sums->postgres > 0)
        printf("PostgreSQL: %.2f s of processor time\n", sums->postgres);
    printf("from choice to done          p50 %.2f  p99 %.2f  max %.2f ms\n"
        "from choice to all four told p50 %.2f  p99 %.2f  max %.2f ms\n"
        "the disk alone               p50 %.2f  p99 %.2f  max %.2f ms\n"
        "memory a table: %.1f KB when the cards were dealt, %.1f KB at the end\n"
        "nothing lost\n",
        part(&load.to_done, 0.5), part(&load.to_done, 0.99), part(&load.to_done, 1), part(&load.to_all, 0.5),
        part(&load.to_all, 0.99), part(&load.to_all, 1), part(&to_disk, 0.5), part(&to_disk, 0.99), part(&to_disk, 1),
        sums->seated / 1024, sums->grown / 1024);
}

static void usage(void)
{
    fputs("load PROGRAM [--tables N] [--rate CHOICES_A_SECOND] [--seconds N] [--nodes N [--spread]] [--json]\n"
          "PROGRAM is the pyramids command. Without --rate as fast as acknowledged; without --seconds until all games are "
          "over.\n--nodes: several servers, on the database that PYR_POSTGRES names; --spread: the players of a table are "
          "at different ones.\n", stderr);
    exit(2);
}

static void read_options(int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-')
        usage();
    options.program = argv[1];
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "--json") || !strcmp(argv[i], "--spread")) {
            *(argv[i][2] == 'j' ? &options.json : &options.spread) = true;
            continue;
        }
        char *end = NULL;
        double value = i + 1 < argc ? strtod(argv[i + 1], &end) : -1;
        if (value <= 0 || *end || value > 1e6)
            usage();
        if (!strcmp(argv[i], "--tables"))
            options.tables = (unsigned)value;
        else if (!strcmp(argv[i], "--rate"))
            options.rate = value;
        else if (!strcmp(argv[i], "--seconds"))
            options.seconds = value;
        else if (!strcmp(argv[i], "--nodes"))
            options.nodes = (unsigned)value;
        else
            usage();
        i++;
    }
    if (!options.tables || !options.nodes || options.nodes > MOST_NODES || (options.nodes > 1 && !getenv("PYR_POSTGRES")))
        usage();
}

int main(int argc, char **argv)
{
    struct pyr_fault fault;
    const char *edition = pyr_builtin_edition("classic");
    struct rlimit files;
    struct sums sums;
    read_options(argc, argv);
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    signal(SIGPIPE, SIG_IGN);
    if (!getrlimit(RLIMIT_NOFILE, &files)) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
        if (files.rlim_cur < SEATS * options.tables + 64)
            fail("%u tables need %u open files, %llu are allowed", options.tables, SEATS * options.tables + 64,
                (unsigned long long)files.rlim_cur);
    }
    if (pyr_edition_read(&load.edition, edition, strlen(edition), &fault))
        fail("the classic edition cannot be read");
    pyr_rng_seed(&load.rng, 1, 0);
    load.table = checked(calloc(options.tables, sizeof *load.table));
    load.poll = epoll_create1(EPOLL_CLOEXEC);
    make_folder();
    for (unsigned n = 0; n < options.nodes; n++)
        start_server(&load.node[n]);

    uint64_t begin = now_ns();
    unsigned first = options.tables / 10;
    double counted = options.tables - first;
    seat_tables(first);
    double bytes = server_bytes();
    seat_tables(options.tables);
    sums.setup = (double)(now_ns() - begin) * 1e-9;
    sums.seated = (server_bytes() - bytes) / counted;
    sums.cpu = server_seconds();
    sums.postgres = postgres_seconds();
    begin = now_ns();
    play_and_probe();
    sums.seconds = (double)(now_ns() - begin) * 1e-9;
    sums.cpu = server_seconds() - sums.cpu;
    sums.postgres = postgres_seconds() - sums.postgres;
    sums.grown = (server_bytes() - bytes) / counted;
    check_all();
    sums.choices = load.done;
    sort(&load.to_done);
    sort(&load.to_all);
    sort(&to_disk);
    clean_up();
    (options.json ? print_json : print_words)(&sums);
    return 0;
}
