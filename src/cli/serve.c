/*
 * serve.c: `pyramids serve`: tables for people and bots, in the browser and over the network.
 *
 * Only reads options: limits and defaults are checked here, everything else is src/server's (server_run).
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pyramids/builtin.h>

#include "cli.h"
#include "server.h"

#define MOST_EDITIONS 16         /* built in and from files together */

enum {
    ADDRESS,
    PORT,
    DATABASE,
    EDITION,
    ORIGIN,
    TLS_CERT,
    TLS_KEY,
    TRUST_PROXY,
    NO_BROWSER,
    QUIET,
    ROLE,
    BOT_THREADS,
    MESSAGE_RATE,
    REQUEST_RATE,
    MAX_CONNECTIONS,
    MAX_PER_ADDRESS,
    MAX_TABLES,
    MAX_TABLES_PER_ADDRESS,
    TABLE_RATE,
    QUICK,
    RELAXED,
    PING,
    METRICS_ADDRESS,
    ANALYSIS_PLAYOUTS,
    KEEP_ANALYSES,
    KEEP_CLOSED,
    KEEP_VISITORS,
    KEEP_GAMES,
    READY_FILE,
    OPTIONS
};

/* A list in one value, with commas: taken apart in place. */
static unsigned split(char *list, const char **words, unsigned room)
{
    unsigned count = 0;
    for (char *word = strtok(list, ","); word && count < room; word = strtok(NULL, ","))
        words[count++] = word;
    words[count] = NULL;
    return count;
}

/* Built-in ones first. Texts are kept as they came, since clients are sent them; those of files stay in `files`, the
 * caller's to free. */
static bool load_editions(const char *list, struct pyr_edition *editions, const char **texts, struct cli_text *files,
    unsigned *count)
{
    const char *words[MOST_EDITIONS];
    const char *const *names = pyr_builtin_names();
    char *copy = list ? strdup(list) : NULL;
    bool good = true;
    for (; *names; names++) {
        struct pyr_fault fault;
        texts[*count] = pyr_builtin_edition(*names);
        pyr_edition_read(&editions[*count], texts[*count], strlen(texts[*count]), &fault);
        ++*count;
    }
    unsigned wanted = copy ? split(copy, words, MOST_EDITIONS - 1) : 0;
    for (unsigned i = 0; i < wanted && good && *count < MOST_EDITIONS; i++) {
        struct cli_text *file = &files[*count];
        struct pyr_fault fault;
        good = cli_read(words[i], file);
        if (good && pyr_edition_read(&editions[*count], file->at, file->size, &fault)) {
            cli_fault(words[i], &fault);
            good = false;
        }
        for (unsigned j = 0; good && j < *count; j++)
            if (!strcmp(editions[j].name, editions[*count].name)) {
                cli_error(_("%s: an edition named %s already exists"), words[i], editions[j].name);
                good = false;
            }
        if (good)
            texts[(*count)++] = file->at;
    }
    free(copy);
    return good;
}

/* Options that are numbers: where each goes, and from what to what. */
static const struct number {
    int option;
    const char *name;
    uint32_t low, high;          /* inclusive */
    size_t place;                /* in struct server_options */
} numbers[] = {
#define NUMBER(option, name, low, high, member) { option, name, low, high, offsetof(struct server_options, member) }
    NUMBER(PORT, "--port", 0, 65535, port),
    NUMBER(BOT_THREADS, "--bot-threads", 0, 64, bot_threads),
    NUMBER(MESSAGE_RATE, "--message-rate", 1, 1000000, message_rate),
    NUMBER(REQUEST_RATE, "--request-rate", 1, 1000000, request_rate),
    NUMBER(MAX_CONNECTIONS, "--max-connections", 8, 1000000, max_connections),
    NUMBER(MAX_PER_ADDRESS, "--max-per-address", 1, 1000000, max_per_address),
    NUMBER(MAX_TABLES, "--max-tables", 1, 1000000, max_tables),
    NUMBER(MAX_TABLES_PER_ADDRESS, "--max-tables-per-address", 1, 1000000, max_tables_per_address),
    NUMBER(TABLE_RATE, "--table-rate", 1, 1000000, table_rate),
    NUMBER(QUICK, "--quick", 1, 86400, quick_seconds),
    NUMBER(RELAXED, "--relaxed", 1, 86400, relaxed_seconds),
    NUMBER(PING, "--ping", 1, 3600, ping_seconds),
    NUMBER(ANALYSIS_PLAYOUTS, "--analysis-playouts", 128, 10000000, analysis_playouts),
    NUMBER(KEEP_ANALYSES, "--keep-analyses", 0, 36500, keep_analyses),
    NUMBER(KEEP_CLOSED, "--keep-closed", 0, 36500, keep_closed),
    NUMBER(KEEP_VISITORS, "--keep-visitors", 0, 36500, keep_visitors),
    NUMBER(KEEP_GAMES, "--keep-games", 0, 36500, keep_games),
#undef NUMBER
};

static bool read_numbers(const char *const *values, struct server_options *server)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint64_t value;
        if (!values[numbers[i].option])
            continue;
        if (!cli_number(values[numbers[i].option], numbers[i].name, numbers[i].low, numbers[i].high, &value))
            return false;
        *(unsigned *)(void *)((char *)server + numbers[i].place) = (unsigned)value;
    }
    return true;
}

/* Takes the options apart. Returns -1 to continue, else the exit code. */
static int parse(int argc, char **argv, const char **values)
{
    const struct cli_option option[] = {
        [ADDRESS] = { "address", 'a', "ADDRESS",
            _("address to listen on (default 127.0.0.1; 0.0.0.0: the whole network)") },
        [PORT] = { "port", 'p', "N", _("port (default 8080, or a free one if that is taken; 0: any free one)") },
        [DATABASE] = { "database", 'd', "DB",
            _("where games are kept: a file (default: in your data folder; :memory: keeps nothing), or a PostgreSQL server "
              "as postgresql://USER@HOST/NAME or \"host=HOST dbname=NAME\"") },
        [EDITION] = { "edition", 'e', "FILES", _("additional editions to offer, comma-separated") },
        [ORIGIN] = { "origin", 0, "URLS",
            _("additional addresses of the page, such as https://example.org behind a proxy, comma-separated") },
        [TLS_CERT] = { "tls-cert", 0, "FILE", _("certificate chain for https") },
        [TLS_KEY] = { "tls-key", 0, "FILE", _("its private key") },
        [TRUST_PROXY] = { "trust-proxy", 0, NULL, _("trust X-Forwarded-For and X-Forwarded-Proto from the proxy") },
        [NO_BROWSER] = { "no-browser", 0, NULL, _("do not open the page on this desktop") },
        [QUIET] = { "quiet", 'q', NULL, _("log only problems") },
        [ROLE] = { "role", 0, "ROLE",
            _("serve: players and bots (default); think: only bots and analyses of the games at a PostgreSQL server, for "
              "which other servers serve the players") },
        [BOT_THREADS] = { "bot-threads", 0, "N",
            _("threads for the expert and master bots (default: one per processor; 0: bots think at other servers on the "
              "same PostgreSQL database)") },
        [MESSAGE_RATE] = { "message-rate", 0, "N", _("messages per second per connection (default 20)") },
        [REQUEST_RATE] = { "request-rate", 0, "N", _("requests per second per address (default 20)") },
        [MAX_CONNECTIONS] = { "max-connections", 0, "N", _("connections at once (default 20000)") },
        [MAX_PER_ADDRESS] = { "max-per-address", 0, "N", _("connections at once from one address (default 200)") },
        [MAX_TABLES] = { "max-tables", 0, "N", _("open tables (default 20000)") },
        [MAX_TABLES_PER_ADDRESS] = { "max-tables-per-address", 0, "N", _("open tables from one address (default 100)") },
        [TABLE_RATE] = { "table-rate", 0, "N", _("new tables per minute per address (default 30)") },
        [QUICK] = { "quick", 0, "SECONDS", _("time per choice with the quick clock (default 30)") },
        [RELAXED] = { "relaxed", 0, "SECONDS", _("time per choice with the relaxed clock (default 180)") },
        [PING] = { "ping", 0, "SECONDS", _("time between pings; a connection that does not answer is closed (default 20)") },
        [METRICS_ADDRESS] = { "metrics-address", 0, "ADDRESS:PORT",
            _("address for /metrics, such as 127.0.0.1:9100 (default: none)") },
        [ANALYSIS_PLAYOUTS] = { "analysis-playouts", 0, "N",
            _("at most N simulated worlds per decision in analyses (default 32768; fewer take less time)") },
        [KEEP_ANALYSES] = { "keep-analyses", 0, "DAYS",
            _("how long to keep analyses; they are repeated on demand (default 30; 0: forever)") },
        [KEEP_CLOSED] = { "keep-closed", 0, "DAYS",
            _("how long to keep tables whose game never started (default 7; 0: forever)") },
        [KEEP_VISITORS] = { "keep-visitors", 0, "DAYS",
            _("how long to keep visitors who never played (default 60; 0: forever)") },
        [KEEP_GAMES] = { "keep-games", 0, "DAYS", _("how long to keep finished games (default 0: forever)") },
        [READY_FILE] = { "ready-file", 0, "FILE", _("write the page's address to this file once the server is ready") },
        { 0 }
    };
    const struct cli_options options = { "serve [OPTIONS]",
        _("Runs a game server for people and bots: a page to play in the browser, and an interface for programs "
          "(docs/protocol.md). Prints the page's address, and links for other devices if they can reach it. Ctrl-C or "
          "SIGTERM stops it; no game is lost."),
        option,
        "  pyramids serve\n"
        "  pyramids serve --port 9000 --database club.db\n"
        "  pyramids serve --database postgresql://pyramids@db.example.org/pyramids\n"
        "  pyramids serve --role think --database postgresql://pyramids@db/pyramids\n"
        "  pyramids serve --address 0.0.0.0\n"
        "  pyramids serve --trust-proxy --origin https://pyramids.example.org\n"
    };
    int code = cli_parse(&options, &argc, argv, values);
    if (code < 0 && argc > 0) {
        cli_error(_("serve takes no files; see 'pyramids serve --help'"));
        return CLI_USAGE;
    }
    return code;
}

/* A server that only thinks listens to nobody, but for --metrics-address. */
static bool read_role(const char *const *values, struct server_options *server)
{
    static const struct {
        int option;
        const char *name;
    } public[] = { { ADDRESS, "--address" }, { PORT, "--port" }, { ORIGIN, "--origin" }, { TLS_CERT, "--tls-cert" },
        { TLS_KEY, "--tls-key" }, { TRUST_PROXY, "--trust-proxy" } };
    const char *role = values[ROLE];
    if (!role || !strcmp(role, "serve"))
        return true;
    if (strcmp(role, "think")) {
        cli_error(_("--role %s: choose from: serve, think"), role);
        return false;
    }
    for (size_t i = 0; i < sizeof public / sizeof *public; i++)
        if (values[public[i].option]) {
            cli_error(_("%s cannot be combined with --role think, which serves no players"), public[i].name);
            return false;
        }
    if (!server->bot_threads) {
        cli_error(_("--bot-threads 0 cannot be combined with --role think"));
        return false;
    }
    server->thinks_only = true;
    server->address = NULL;
    server->open_browser = false;
    return true;
}

/* Those who leave the thinking to others, or think for them, need a database that several servers share. */
static bool check_sharing(const struct server_options *server)
{
    if ((!server->thinks_only && server->bot_threads) || store_can_share(server->database))
        return true;
    if (server->thinks_only)
        cli_error(_("--role think needs a database that several servers share: use --database postgresql://..."));
    else
        cli_error(_("--bot-threads 0 leaves the bots to other servers, which needs a database that several servers share: "
            "use --database postgresql://..."));
    return false;
}

int cli_serve(int argc, char **argv)
{
    static struct pyr_edition editions[MOST_EDITIONS];
    static struct cli_text files[MOST_EDITIONS];
    const char *texts[MOST_EDITIONS], *origins[9] = { NULL }, *values[OPTIONS];
    char path[4096];
    int code = parse(argc, argv, values);
    if (code >= 0)
        return code;
    if (values[ADDRESS] && !strcmp(values[ADDRESS], "localhost"))
        values[ADDRESS] = NULL;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct server_options server = { .address = values[ADDRESS] ? values[ADDRESS] : "127.0.0.1",
        .port = 8080,
        .other_port = !values[PORT],
        .bot_threads = cpus > 1 ? (unsigned)cpus : 1,
        .message_rate = 20,
        .request_rate = 20,
        .max_connections = 20000,
        .max_per_address = 200,
        .max_tables = 20000,
        .max_tables_per_visitor = 24,
        .max_tables_per_address = 100,
        .table_rate = 30,
        .max_conns_per_visitor = 16,
        .quick_seconds = 30,
        .relaxed_seconds = 180,
        .ping_seconds = 20,
        .keep_analyses = 30,
        .keep_closed = 7,
        .keep_visitors = 60,
        .origins = origins,
        .editions = editions,
        .edition_texts = texts,
        .tls_cert = values[TLS_CERT],
        .tls_key = values[TLS_KEY],
        .trust_proxy = values[TRUST_PROXY] != NULL,
        .metrics_address = values[METRICS_ADDRESS],
        .open_browser = !values[NO_BROWSER],
        .quiet = values[QUIET] != NULL,
        .ready_file = values[READY_FILE] };
    if (!read_numbers(values, &server))
        return CLI_USAGE;
    if (!read_role(values, &server))
        return CLI_USAGE;
    if (values[QUICK] && values[RELAXED] && server.quick_seconds > server.relaxed_seconds) {
        cli_error(_("--quick is longer than --relaxed"));
        return CLI_USAGE;
    }
    if (!server.tls_cert != !server.tls_key) {
        cli_error(_("--tls-cert and --tls-key must be used together"));
        return CLI_USAGE;
    }
    server.database = values[DATABASE];
    if (!server.database) {
        if (!store_default_path(path, sizeof path)) {
            cli_error(_("no data folder found: use --database FILE"));
            return CLI_USAGE;
        }
        server.database = path;
    }
    if (!check_sharing(&server))
        return CLI_USAGE;
    char *list = values[ORIGIN] ? strdup(values[ORIGIN]) : NULL;
    if (list)
        split(list, origins, 8);
    if (isatty(STDERR_FILENO))               /* else standard error is a log, whose lines have a form of their own */
        cli_tell_page();
    code = load_editions(values[EDITION], editions, texts, files, &server.edition_count) ? server_run(&server) : CLI_WRONG;
    for (unsigned i = 0; i < MOST_EDITIONS; i++)
        free(files[i].at);
    free(list);
    return code;
}
