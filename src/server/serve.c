/*
 * serve.c: the server as a whole: it starts, ticks and stops.
 *
 * Order of starting: clock, database (which may refuse), sockets, threads for bots, announcements of other servers.
 * Stopping is the reverse, in two steps: after the first signal clients are asked to return later and everything in progress
 * is stored; after STOP_MS, or a second signal, the loop is stopped. Everything runs in the loop's thread.
 */
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pyramids/text.h>

#include "access.h"
#include "access_log.h"
#include "admin.h"
#include "bans.h"
#include "conn.h"
#include "notify.h"
#include "object.h"
#include "pool.h"
#include "preflight.h"
#include "qr.h"
#include "reload.h"
#include "reminder.h"
#include "server.h"
#include "store_daily.h"
#include "web.h"

#define TICK_MS 250              /* the resolution of game clocks */
#define SWEEP_MS 60000           /* between looks for addresses and visitors that can be dropped from memory */
#define STOP_MS 5000             /* the time for work in progress when stopping */
#define GOODBYE_MS 750           /* then the time for clients to answer the request to return */

/* Built from the list in error.h, so that every error has a name and a status. */
static const struct {
    const char *name;
    int status;
} errors[ERROR_COUNT] = {
#define X(name, word, status) [ERROR_##name] = { word, status },
    SERVER_ERRORS(X)
#undef X
};

const char *error_name(enum error error) { return errors[error].name; }
int error_status(enum error error) { return errors[error].status; }

/* SipHash with a key that is drawn at every start: the results mean nothing to other servers and are not stored. */
uint64_t server_hash(const struct server *server, const void *data, size_t size)
{
    uint64_t hash;
    crypto_shorthash((unsigned char *)&hash, data, size, server->hash_key);
    return hash;
}

const struct pyr_edition *server_edition(const struct server *server, const char *name)
{
    for (unsigned i = 0; i < server->options.edition_count; i++)
        if (!strcmp(server->options.editions[i].name, name))
            return &server->options.editions[i];
    return server->added ? edition_added(server, name) : NULL;
}

/* May be called from any thread. Quotation marks become apostrophes, so that the line stays readable for programs. */
static void log_store(const char *words)
{
    char rest[256];
    snprintf(rest, sizeof rest, "words=\"%.200s\"", words);
    for (char *at = rest + 7; *at; at++)
        if (*at == '"' && at[1])
            *at = '\'';
    log_line(LOG_ERROR, "store", rest);
}

/* What the database contains. */

/* Called before the store's thread starts. Tables are not read here: they are loaded when a client asks for them or they
 * are due. */
static bool load(struct store_db *db, void *context)
{
    struct server *server = context;
    int64_t now;
    if (store_get_time(db, &now) != STORE_OK)
        return false;
    clock_follow(now);
    enum store_thinking thinks = server->options.thinks_only ? STORE_THINKS_ONLY : server->options.bot_threads ?
        STORE_THINKS_TOO : STORE_THINKS_NOT;
    return store_add_node(db, server_time(), thinks, &server->node) == STORE_OK &&
        store_get_nodes(db, server_time(), &server->nodes) == STORE_OK &&
        store_get_downtimes(db, server_time(), server->down, &server->downs) == STORE_OK &&
        store_count_open(db, &server->open_tables) == STORE_OK && bans_load(server, db) && reminders_load(server, db) &&
        store_last_revealed(db, &server->daily.revealed) == STORE_OK;
}

/* Ticks and stopping. */

/* From here on only open handles are closed; uv_run returns when the last one is. */
static void stop_loop(struct server *server)
{
    if (server->stopped)
        return;
    server->stopped = true;
    uv_timer_stop(&server->tick);
    uv_close((uv_handle_t *)&server->tick, NULL);
    for (unsigned i = 0; i < SIGNALS; i++)
        uv_close((uv_handle_t *)&server->signals[i], NULL);
    admin_stop(server);
    web_stop(server);
    access_log_stop(server);
    reminders_stop(server);
    pool_stop(server->pool);
    server->pool = NULL;                     /* the store's last results find none */
    upkeep_stop(server);
    store_close(server->store);
}

/* Ends as soon as nothing is pending and all sockets are closed, at the latest at stop_at. It waits for the first tick
 * after the signal, so that the warning reaches clients before their sockets close. */
static void tick_to_the_end(struct server *server)
{
    uint64_t now = uv_now(&server->loop);            /* real time: stopping waits for connections, even if a test has set
                                                        the clock */
    bool is_idle = !store_pending(server->store) && now >= server->stop_at - STOP_MS + TICK_MS;
    if (is_idle && server->sockets)
        web_close_sockets(server);
    if (is_idle && !server->leave_at)
        server->leave_at = now + GOODBYE_MS;
    if ((is_idle && (!web_busy(server) || now >= server->leave_at)) || now >= server->stop_at)
        stop_loop(server);
}

void server_tick(struct server *server)
{
    for (struct table *table = server->table_list, *next; table; table = next) {
        next = table->next;
        table_tick(table);
    }
    web_tick(server);
    admin_tick(server);
    access_log_tick(server);
    upkeep_tick(server);
    farewell_tick(server);
    reminders_tick(server);
    if (server_now(server) >= server->sweep_at) {
        server->sweep_at = server_now(server) + SWEEP_MS;
        address_sweep(server);
        visitors_sweep(server);
        bans_tick(server);
    }
}

/* Tells the service manager that the server is alive if this loop runs and the store's thread has shown a sign of life
 * within half of the time that the manager waits. A database that cannot be reached is no reason for a restart: the
 * thread keeps trying. */
static void feed_watchdog(struct server *server)
{
    uint64_t interval = notify_watchdog(), now = uv_now(&server->loop);
    if (!interval || now < server->watchdog_at || uv_hrtime() / 1000000 - store_pulse(server->store) > interval / 2)
        return;
    server->watchdog_at = now + interval / 4;
    notify_send("WATCHDOG=1\n");
}

static void on_tick(uv_timer_t *timer)
{
    struct server *server = timer->data;
    clock_tick(server);
    feed_watchdog(server);
    if (server->stopping)
        tick_to_the_end(server);
    else
        server_tick(server);
}

static void on_signal(uv_signal_t *handle, int signal)
{
    struct server *server = handle->data;
    if (signal == SIGHUP) {
        /* The terminal may have been closed: no reason for players to lose their tables. */
        server_log(server, LOG_INFO, "hangup", "signal=%d", signal);
        if (!server->stopping)
            reload_server(server);
        return;
    }
    if (server->stopping) {
        stop_loop(server);                   /* the second request to stop */
        return;
    }
    server_log(server, LOG_INFO, "stopping", "signal=%d", signal);
    notify_send("STOPPING=1\n");
    server->stopping = true;
    if (server->is_handed)
        web_stop_accepting(server);          /* new clients wait for the next server */
    server->stop_at = uv_now(&server->loop) + STOP_MS;
    upkeep_leave(server);
    web_warn(server);
}

/* Best effort: with fewer files, accept fails and edge.c waits. */
static void raise_file_limit(unsigned wanted)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* An origin is scheme and name, without a path, exactly as browsers send it. */
static bool read_origins(struct server *server, char *error, size_t size)
{
    for (const char *const *origin = server->options.origins; origin && *origin; origin++) {
        if (server->origin_count == 8 || !preflight_origin(*origin)) {
            snprintf(error, size, _("--origin %s: expected an origin such as https://example.org, at most 8 of them"),
                *origin);
            return false;
        }
        memcpy(server->origins[server->origin_count++], *origin, strlen(*origin) + 1);
    }
    return true;
}

/* On a desktop the page is opened automatically. */
static void open_browser(const char *url)
{
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
        return;
    pid_t child = fork();
    if (child) {
        while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
        return;                              /* the browser is now the child of another process, so there is nothing to
                                                wait for */
    }
    if (fork())
        _exit(0);
    if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout))
        _exit(1);
    execlp("xdg-open", "xdg-open", url, (char *)NULL);
    _exit(1);
}

static bool write_ready_file(const struct server *server)
{
    FILE *file = fopen(server->options.ready_file, "w");
    if (!file)
        return false;
    fprintf(file, "%s\n", server->url);
    return !fclose(file);
}

bool server_start(struct server *server, const struct server_options *options, char *error, size_t size)
{
    *server = (struct server){ .options = *options };
    if (sodium_init() < 0 || uv_loop_init(&server->loop)) {
        snprintf(error, size, "%s", _("the system provides no random numbers or no event loop"));
        return false;
    }
    clock_start(server);
    server->started = server->upkeep.start = server_time();
    object_init();
    randombytes_buf(server->hash_key, sizeof server->hash_key);
    store_set_log(log_store);
    access_find_names(server, options->tls_cert);
    if (options->push && deliver_is_there() && !(server->reminders = calloc(1, sizeof *server->reminders))) {
        snprintf(error, size, "%s", pyr_text_system(ENOMEM));
        return false;
    }
    if (!read_origins(server, error, size) ||
        !store_open(&server->store, &server->loop, options->database, load, server, error, size))
        return false;
    server->shared = server->is_deaf = store_is_shared(server->store);     /* until it listens */
    server->thinkers = 0;
    for (unsigned i = 0; i < server->nodes.count; i++)
        server->thinkers += server->nodes.at[i].thinks == STORE_THINKS_ONLY && server->nodes.at[i].id != server->node;
    if (!web_start(server, error, size) ||
        !pool_start(&server->pool, &server->loop, options->bot_threads, table_begin_bot_job, table_bot_job_done)) {
        if (!error[0])
            snprintf(error, size, "%s", _("could not start a thread for the bots"));
        server_halt(server);
        return false;
    }
    if (!store_listen(server->store, upkeep_note_news, server)) {
        snprintf(error, size, "%s", _("could not start a thread that listens to the database"));
        server_halt(server);
        return false;
    }
    if (!access_log_start(server, error, size) || !admin_start(server, error, size) ||
        !reminders_start(server, error, size)) {
        server_halt(server);
        return false;
    }
    upkeep_tick(server);                     /* due tables are read before clients connect */
    return true;
}

void server_halt(struct server *server)
{
    admin_stop(server);
    web_stop(server);
    access_log_stop(server);
    reminders_stop(server);
    pool_stop(server->pool);
    server->pool = NULL;
    upkeep_stop(server);
    store_close(server->store);
    server->store = NULL;
    uv_run(&server->loop, UV_RUN_DEFAULT);
}

/* Called after the loop has ended: frees what is left in memory. */
void server_finish(struct server *server)
{
    tables_finish(server);
    visitors_finish(server);
    server->options.quiet = true;
    reload_finish(server);
    bans_finish(server);
    address_finish(server);
    free(server->reminders);
    uv_loop_close(&server->loop);
}

/* The first line is for scripts: the page's address on this machine. The others are for people: the addresses for other
 * players. */
static void print_links(const struct server *server)
{
    char links[ACCESS_LINKS][ACCESS_LINK_SIZE];
    if (!server->options.address)
        return;                              /* clients are not served */
    unsigned count = access_links(server, links);
    printf("%s\n", server->url);
    if (count)
        printf("%s\n", _("On other devices in your network:"));
    for (unsigned i = 0; i < count; i++)
        printf("  %s\n", links[i]);
    if (count)
        qr_draw(stdout, links[0]);
    fflush(stdout);
}

int server_run(const struct server_options *options)
{
    static struct server server;             /* some 60 KB */
    static const int signals[SIGNALS] = { SIGTERM, SIGINT, SIGHUP };
    char error[512] = "";
    signal(SIGPIPE, SIG_IGN);
    /* A file that may not grow is treated like a full disk: the write fails, the server continues. */
    signal(SIGXFSZ, SIG_IGN);
    notify_init();
    log_start();                             /* without a thread for it, every thread writes its own lines */
    raise_file_limit(options->max_connections + 160);
    if (!server_start(&server, options, error, sizeof error)) {
        log_stop();
        fprintf(stderr, "pyramids: %s\n", error);
        server_finish(&server);
        return 1;
    }
    uv_timer_init(&server.loop, &server.tick);
    server.tick.data = &server;
    uv_timer_start(&server.tick, on_tick, TICK_MS, TICK_MS);
    for (unsigned i = 0; i < SIGNALS; i++) {
        uv_signal_init(&server.loop, &server.signals[i]);
        server.signals[i].data = &server;
        uv_signal_start(&server.signals[i], on_signal, signals[i]);
    }
    print_links(&server);
    server_log(&server, LOG_INFO, "listening", "tables=%u", server.open_tables);
    if (options->ready_file && !write_ready_file(&server))
        server_log(&server, LOG_WARN, "ready_file", "error=%d", errno);
    notify_send("READY=1\n");
    if (options->open_browser)
        open_browser(server.url);
    uv_run(&server.loop, UV_RUN_DEFAULT);
    server_log(&server, LOG_INFO, "stopped", "games=%llu", (unsigned long long)server.count.games);
    log_stop();
    server_finish(&server);
    return 0;
}
