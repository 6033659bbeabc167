/*
 * serve.c: `pyramids serve`: tables for people and bots, in the browser and over the network.
 *
 * This file only reads options, with their limits and defaults; everything else is in src/server (server_run).
 */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <pyramids/builtin.h>

#include "cli.h"
#include "deliver.h"
#include "findings.h"
#include "preflight.h"
#include "server.h"
#include "settings.h"

#define MOST_PUSH_HOSTS 16
#define MOST_EDITIONS 16         /* built in and from files, in all */

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
    MAX_ATTEMPTS,
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
    DATABASE_FILE,
    ADMIN_SOCKET,
    ACCESS_LOG,
    PUSH,
    PUSH_HOST,
    PUSH_CA,
    PUSH_CONTACT,
    CONFIG,
    CHECK,
    JSON,
    OPTIONS
};

/* Options that make sense only on the command line. */
#define RESERVED (1ull << CONFIG | 1ull << CHECK | 1ull << JSON)
_Static_assert(OPTIONS <= SETTINGS_OPTIONS, "settings have room for all options");

/* Everything that a server is started with, made from the command line and the configuration file, and again on each
 * reload. */
struct setup {
    const char *values[OPTIONS];
    struct settings settings;
    struct findings findings;
    struct server_options server;
    struct pyr_edition editions[MOST_EDITIONS];
    struct cli_text files[MOST_EDITIONS];
    const char *texts[MOST_EDITIONS];
    const char *origins[10];
    char *origin_list;
    const char *push_hosts[MOST_PUSH_HOSTS + 2];
    char *push_host_list;
    char admin_path[256];
    char path[4096];             /* of the database, if the options do not name it */
    struct cli_text database;    /* the content of --database-file */
    struct cli_text config;
};

static void wrong(struct setup *setup, int option, const char *format, ...) __attribute__((format(printf, 3, 4)));
static const struct cli_option *list_options(void);

/* Splits a comma-separated list in place. */
static unsigned split(char *list, const char **words, unsigned room)
{
    unsigned count = 0;
    for (char *word = strtok(list, ","); word && count < room; word = strtok(NULL, ","))
        words[count++] = word;
    words[count] = NULL;
    return count;
}

/* Reports an error in the value of an option, wherever the value comes from. */
static void wrong(struct setup *setup, int option, const char *format, ...)
{
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    findings_add(&setup->findings, FINDING_ERROR, "options", list_options()[option].name, setup->settings.line[option], "%s",
        text);
}

/* Built-in ones first. Texts are kept unchanged, since clients are sent them. */
static void load_builtin_editions(struct setup *setup)
{
    for (const char *const *names = pyr_builtin_names(); *names; names++) {
        unsigned i = setup->server.edition_count++;
        setup->texts[i] = pyr_builtin_edition(*names);
        pyr_edition_read(&setup->editions[i], setup->texts[i], strlen(setup->texts[i]), NULL);
    }
}

static void load_edition(struct setup *setup, const char *path)
{
    unsigned i = setup->server.edition_count;
    uint32_t line = setup->settings.line[EDITION];
    struct cli_text *file = &setup->files[i];
    struct pyr_fault fault;
    cli_mute(true);
    bool good = cli_read(path, file);
    if (good && pyr_edition_read(&setup->editions[i], file->at, file->size, &fault)) {
        cli_fault(path, &fault);
        good = false;
    }
    cli_mute(false);
    if (!good) {
        findings_add(&setup->findings, FINDING_ERROR, "edition", line ? "edition" : NULL, line, "%s", cli_last_message());
        free(file->at);
        file->at = NULL;
        return;
    }
    for (unsigned j = 0; j < i; j++)
        if (!strcmp(setup->editions[j].name, setup->editions[i].name)) {
            findings_add(&setup->findings, FINDING_ERROR, "edition", line ? "edition" : NULL, line,
                _("%s: an edition named %s already exists"), path, setup->editions[j].name);
            free(file->at);
            file->at = NULL;
            return;
        }
    findings_add(&setup->findings, FINDING_GOOD, "edition", "edition", line, "%s: %s", path, setup->editions[i].name);
    setup->texts[i] = file->at;
    setup->server.edition_count++;
}

static void load_editions(struct setup *setup)
{
    const char *words[MOST_EDITIONS];
    char *copy = setup->values[EDITION] ? strdup(setup->values[EDITION]) : NULL;
    load_builtin_editions(setup);
    unsigned room = MOST_EDITIONS - setup->server.edition_count, wanted = copy ? split(copy, words, MOST_EDITIONS - 1) : 0;
    if (wanted > room)
        wrong(setup, EDITION, _("at most %u editions"), room);
    for (unsigned i = 0; i < wanted && i < room; i++)
        load_edition(setup, words[i]);
    free(copy);
}

/* Options that are numbers: their members and ranges. */
static const struct number {
    int option;
    const char *name;
    uint32_t low, high;          /* inclusive */
    size_t place;                /* offset in struct server_options */
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
    NUMBER(MAX_ATTEMPTS, "--max-attempts", 1, 1000000, max_attempts),
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

static void read_numbers(struct setup *setup)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct number *number = &numbers[i];
        const char *word = setup->values[number->option];
        uint64_t value;
        if (!word)
            continue;
        cli_mute(true);
        if (cli_number(word, number->name, number->low, number->high, &value))
            *(unsigned *)(void *)((char *)&setup->server + number->place) = (unsigned)value;
        else
            wrong(setup, number->option, _("'%s' is not a number from %llu to %llu"), word, (unsigned long long)number->low,
                (unsigned long long)number->high);
        cli_mute(false);
    }
}

static const struct cli_option *list_options(void)
{
    static struct cli_option list[OPTIONS + 1];
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
        [MAX_ATTEMPTS] = { "max-attempts", 0, "N", _("counted daily attempts per address and day (default 20)") },
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
        [DATABASE_FILE] = { "database-file", 0, "FILE",
            _("read the value of --database from this file, which can keep a password from others") },
        [ADMIN_SOCKET] = { "admin-socket", 0, "PATH",
            _("socket for 'pyramids admin' (default: admin.sock in the service's runtime folder, else none)") },
        [ACCESS_LOG] = { "access-log", 0, "FILE", _("log requests with their addresses, for fail2ban (default: none)") },
        [PUSH] = { "push", 0, "on|off",
            _("messages to browsers when it is a player's turn (default on)") },
        [PUSH_HOST] = { "push-host", 0, "HOSTS",
            _("additional push services, such as push.example.org or .example.org for its subdomains, comma-separated; they "
              "may have private addresses") },
        [PUSH_CA] = { "push-ca", 0, "FILE", _("certificates to check push services against (default: the system's)") },
        [PUSH_CONTACT] = { "push-contact", 0, "ADDRESS",
            _("address for operators of push services, such as mailto:admin@example.org (default: that of the page)") },
        [CONFIG] = { "config", 'c', "FILE", _("read options from this file; the command line wins") },
        [CHECK] = { "check", 0, NULL, _("check options, certificate, editions and database, and exit") },
        [JSON] = { "json", 0, NULL, _("with --check: print a JSON object") },
        [OPTIONS] = { 0 }
    };
    memcpy(list, option, sizeof list);
    return list;
}

/* Parses the options. Returns -1 to continue, else the exit code. */
static int parse(int argc, char **argv, const char **values)
{
    const struct cli_options options = { "serve [OPTIONS]",
        _("Runs a game server for people and bots: a page to play in the browser, and an interface for programs "
          "(docs/protocol.md). Prints the page's address, and links for other devices if they can reach it. Ctrl-C or "
          "SIGTERM stops it; no game is lost."),
        list_options(),
        "  pyramids serve\n"
        "  pyramids serve --port 9000 --database club.db\n"
        "  pyramids serve --database postgresql://pyramids@db.example.org/pyramids\n"
        "  pyramids serve --role think --database postgresql://pyramids@db/pyramids\n"
        "  pyramids serve --address 0.0.0.0\n"
        "  pyramids serve --trust-proxy --origin https://pyramids.example.org\n"
        "  pyramids serve --config /etc/pyramids/pyramids.conf --check\n"
    };
    int code = cli_parse(&options, &argc, argv, values);
    if (code < 0 && argc > 0) {
        cli_error(_("serve takes no files; see 'pyramids serve --help'"));
        return CLI_USAGE;
    }
    return code;
}

/* Reports an error about several options together. */
static __attribute__((format(printf, 3, 4))) void refuse(struct setup *setup, int option, const char *format, ...)
{
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    findings_add(&setup->findings, FINDING_ERROR, "options", NULL, setup->settings.line[option], "%s", text);
}

/* A server that only runs bots opens no port, except for --metrics-address. */
static void read_role(struct setup *setup)
{
    static const struct {
        int option;
        const char *name;
    } public[] = { { ADDRESS, "--address" }, { PORT, "--port" }, { ORIGIN, "--origin" }, { TLS_CERT, "--tls-cert" },
        { TLS_KEY, "--tls-key" }, { TRUST_PROXY, "--trust-proxy" } };
    const char *role = setup->values[ROLE];
    if (!role || !strcmp(role, "serve"))
        return;
    if (strcmp(role, "think")) {
        refuse(setup, ROLE, _("--role %s: choose from: serve, think"), role);
        return;
    }
    for (size_t i = 0; i < sizeof public / sizeof *public; i++)
        if (setup->values[public[i].option])
            refuse(setup, public[i].option, _("%s cannot be combined with --role think, which serves no players"),
                public[i].name);
    if (!setup->server.bot_threads)
        refuse(setup, BOT_THREADS, "%s", _("--bot-threads 0 cannot be combined with --role think"));
    setup->server.thinks_only = true;
    setup->server.address = NULL;
    setup->server.open_browser = false;
}

/* Leaving bots to other servers, or running theirs, requires a database that several servers share. */
static void check_sharing(struct setup *setup)
{
    const struct server_options *server = &setup->server;
    if ((!server->thinks_only && server->bot_threads) || !server->database || store_can_share(server->database))
        return;
    if (server->thinks_only)
        refuse(setup, ROLE, "%s",
            _("--role think needs a database that several servers share: use --database postgresql://..."));
    else
        refuse(setup, BOT_THREADS, "%s", _("--bot-threads 0 leaves the bots to other servers, which needs a database that"
            " several servers share: use --database postgresql://..."));
}

/* The configuration file. */

static void print_fault(void *context, uint32_t line, const char *name, const char *message)
{
    struct setup *setup = context;
    findings_add(&setup->findings, FINDING_ERROR, "options", name, line, "%s", message);
}

static void read_config(struct setup *setup)
{
    const char *path = setup->values[CONFIG];
    const struct settings_report report = { print_fault, setup };
    if (!path)
        return;
    setup->findings.file = setup->settings.file = path;
    cli_mute(true);
    bool is_read = cli_read(path, &setup->config);
    cli_mute(false);
    if (!is_read) {
        findings_add(&setup->findings, FINDING_ERROR, "options", NULL, 0, "%s", cli_last_message());
        return;
    }
    settings_read(&setup->settings, setup->config.at, setup->config.size, list_options(), RESERVED, setup->values, &report);
}

static void praise_config(struct setup *setup)
{
    unsigned count = 0;
    for (unsigned i = 0; i < OPTIONS; i++)
        count += setup->settings.line[i] != 0;
    if (setup->settings.file && !setup->findings.errors)
        findings_add(&setup->findings, FINDING_GOOD, "options", NULL, 0,
            pyr_ngettext("%s: %u option", "%s: %u options", count), setup->settings.file, count);
}

/* The database: from the command line, else from the environment, else from the configuration file. */

static bool others_can_read(const char *path)
{
    struct stat status;
    return !stat(path, &status) && S_ISREG(status.st_mode) && status.st_mode & S_IROTH;
}

static void warn_of_readers(struct setup *setup, int option, const char *path)
{
    if (path && others_can_read(path))
        findings_add(&setup->findings, FINDING_WARNING, "database", list_options()[option].name,
            setup->settings.line[option], _("%s has a password, and every user of this machine can read it: chmod 640 %s"),
            path, path);
}

static void read_database_file(struct setup *setup)
{
    const char *path = setup->values[DATABASE_FILE];
    cli_mute(true);
    bool is_read = cli_read(path, &setup->database);
    cli_mute(false);
    if (!is_read) {
        wrong(setup, DATABASE_FILE, "%s", cli_last_message());
        return;
    }
    char *text = setup->database.at;
    text[strcspn(text, "\r\n")] = '\0';
    if (!*text || strlen(text) + 2 < setup->database.size) {
        wrong(setup, DATABASE_FILE, _("%s: expected one line, the value of --database"), path);
        return;
    }
    if (cli_hide_secret(text))
        warn_of_readers(setup, DATABASE_FILE, path);
    setup->server.database = text;
}

static void find_database(struct setup *setup, bool is_given)
{
    const char **values = setup->values, *known = getenv("PYRAMIDS_DATABASE");
    uint32_t *line = setup->settings.line;
    bool from_environment = !is_given && known && *known;
    for (int option = DATABASE; option != -1; option = option == DATABASE ? DATABASE_FILE : -1)
        if ((is_given && line[option]) || from_environment) {
            values[option] = NULL;
            line[option] = 0;
        }
    if (from_environment)
        values[DATABASE] = known;
    if (values[DATABASE] && values[DATABASE_FILE]) {
        wrong(setup, DATABASE_FILE, _("cannot be combined with --database"));
        return;
    }
    setup->server.database = values[DATABASE];
    if (values[DATABASE_FILE]) {
        read_database_file(setup);
    } else if (values[DATABASE]) {
        char *copy = strdup(values[DATABASE]);
        if (copy && cli_hide_secret(copy) && line[DATABASE])
            warn_of_readers(setup, DATABASE, setup->settings.file);
        free(copy);
    } else if (store_default_path(setup->path, sizeof setup->path)) {
        setup->server.database = setup->path;
    } else {
        findings_add(&setup->findings, FINDING_ERROR, "options", NULL, 0, "%s",
            _("no data folder found: use --database FILE"));
    }
}

/* Checks the values. */

static void check_values(struct setup *setup)
{
    const char **values = setup->values;
    struct server_options *server = &setup->server;
    char address[PREFLIGHT_ADDRESS];
    unsigned port;
    if (values[ADDRESS] && !preflight_address(values[ADDRESS]))
        wrong(setup, ADDRESS, _("'%s' is not an address such as 127.0.0.1 or ::1"), values[ADDRESS]);
    if (values[METRICS_ADDRESS] && !preflight_listener(values[METRICS_ADDRESS], address, &port))
        wrong(setup, METRICS_ADDRESS, _("'%s' is not an address and a port, such as 127.0.0.1:9100"),
            values[METRICS_ADDRESS]);
    setup->origin_list = values[ORIGIN] ? strdup(values[ORIGIN]) : NULL;
    unsigned count = setup->origin_list ? split(setup->origin_list, setup->origins, 9) : 0;
    if (count > 8)
        wrong(setup, ORIGIN, _("at most %u addresses"), 8u);
    for (unsigned i = 0; i < count; i++)
        if (!preflight_origin(setup->origins[i]))
            wrong(setup, ORIGIN, _("'%s' is not an origin such as https://example.org"), setup->origins[i]);
    if (values[QUICK] && values[RELAXED] && server->quick_seconds > server->relaxed_seconds)
        findings_add(&setup->findings, FINDING_ERROR, "options", NULL, setup->settings.line[QUICK], "%s",
            setup->settings.line[QUICK] ? _("quick is longer than relaxed") : _("--quick is longer than --relaxed"));
    if (!values[TLS_CERT] != !values[TLS_KEY])
        findings_add(&setup->findings, FINDING_ERROR, "options", NULL,
            setup->settings.line[values[TLS_CERT] ? TLS_CERT : TLS_KEY], "%s",
            _("--tls-cert and --tls-key must be used together"));
}

/* Messages to browsers. */
static void check_push(struct setup *setup)
{
    const char **values = setup->values, *push = values[PUSH], *contact = values[PUSH_CONTACT];
    struct server_options *server = &setup->server;
    server->push = !push || !strcmp(push, "on");
    server->push_ca = values[PUSH_CA];
    server->push_contact = contact;
    server->push_hosts = setup->push_hosts;
    if (push && strcmp(push, "on") && strcmp(push, "off"))
        wrong(setup, PUSH, _("'%s' is neither on nor off"), push);
    if (push && !strcmp(push, "on") && !deliver_is_there())
        wrong(setup, PUSH, "%s", _("this program was built without libcurl"));
    setup->push_host_list = values[PUSH_HOST] ? strdup(values[PUSH_HOST]) : NULL;
    unsigned count = setup->push_host_list ? split(setup->push_host_list, setup->push_hosts, MOST_PUSH_HOSTS + 1) : 0;
    if (count > MOST_PUSH_HOSTS)
        wrong(setup, PUSH_HOST, _("at most %u hosts"), (unsigned)MOST_PUSH_HOSTS);
    for (unsigned i = 0; i < count; i++)
        if (!push_host_is_entry(setup->push_hosts[i]))
            wrong(setup, PUSH_HOST, _("'%s' is not a host such as push.example.org or push.example.org:8443"),
                setup->push_hosts[i]);
    if (server->push_ca && access(server->push_ca, R_OK))
        wrong(setup, PUSH_CA, "%s: %s", server->push_ca, pyr_text_system(errno));
    if (contact && ((strncmp(contact, "mailto:", 7) && strncmp(contact, "https://", 8)) || strlen(contact) > 200 ||
        strpbrk(contact, " \"\\")))
        wrong(setup, PUSH_CONTACT, _("'%s' is neither mailto:ADDRESS nor an https address"), contact);
}

static void check_tls(struct setup *setup)
{
    const struct server_options *server = &setup->server;
    uint32_t line = setup->settings.line[TLS_CERT];
    char error[600];
    int64_t expires = 0;
    if (!server->tls_cert || !server->tls_key)
        return;
    if (!preflight_certificate(server->tls_cert, server->tls_key, &expires, error, sizeof error)) {
        findings_add(&setup->findings, FINDING_ERROR, "certificate", "tls-cert", line, "%s", error);
        return;
    }
    time_t end = (time_t)expires;
    struct tm utc;
    char day[16] = "?";
    if (gmtime_r(&end, &utc))
        strftime(day, sizeof day, "%Y-%m-%d", &utc);
    bool is_over = expires <= (int64_t)time(NULL);
    findings_add(&setup->findings, is_over ? FINDING_WARNING : FINDING_GOOD, "certificate", "tls-cert", line,
        is_over ? _("%s expired on %s: browsers refuse it") : _("%s is valid until %s"), server->tls_cert, day);
}

/* A port that is in use is not an error: the server that runs with these options uses it. */
static void check_listener(struct setup *setup, int option, const char *address, unsigned port)
{
    const char *name = list_options()[option].name;
    uint32_t line = setup->settings.line[option];
    char error[300];
    int why = preflight_listen(address, port);
    if (why == EADDRINUSE) {
        findings_add(&setup->findings, FINDING_WARNING, "address", name, line,
            _("port %u of %s is in use: if not by this server, it cannot start"), port, address);
    } else if (why) {
        preflight_cannot_listen(why, port, address, error, sizeof error);
        findings_add(&setup->findings, FINDING_ERROR, "address", name, line, "%s", error);
    }
}

/* Checks that a start would make too late to report properly: addresses, and files that cannot be written. */
static void check_places(struct setup *setup)
{
    static const int files[] = { ACCESS_LOG, ADMIN_SOCKET, READY_FILE };
    const struct server_options *server = &setup->server;
    char address[PREFLIGHT_ADDRESS];
    unsigned port;
    if (server->address && preflight_address(server->address))
        check_listener(setup, setup->values[PORT] ? PORT : ADDRESS, server->address, server->other_port ? 0 : server->port);
    if (server->metrics_address && preflight_listener(server->metrics_address, address, &port))
        check_listener(setup, METRICS_ADDRESS, address, port);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path = setup->values[files[i]];
        int why = !path ? 0 : files[i] == ADMIN_SOCKET ? preflight_socket(path) : preflight_writable(path);
        if (why)
            findings_add(&setup->findings, FINDING_ERROR, "file", list_options()[files[i]].name,
                setup->settings.line[files[i]], "%s: %s", path, pyr_text_system(why));
    }
}

static void check_database(struct setup *setup)
{
    int option = setup->values[DATABASE_FILE] ? DATABASE_FILE : DATABASE;
    uint32_t line = setup->settings.line[option];
    char error[600] = "", name[512];
    if (!setup->server.database)
        return;
    store_name(setup->server.database, name, sizeof name);
    enum store_probe found = store_probe(setup->server.database, error, sizeof error);
    if (found == STORE_PROBE_BAD)
        findings_add(&setup->findings, FINDING_ERROR, "database", list_options()[option].name, line, "%s", error);
    else
        findings_add(&setup->findings, FINDING_GOOD, "database", list_options()[option].name, line,
            found == STORE_PROBE_NEW ? _("%s is new: the server will create its tables") : found == STORE_PROBE_OLD ?
            _("%s is of an older version: the server will update it") : _("%s can be used"), name);
}

/* Made from the values of the command line, which are the caller's. Afterwards all errors are in the findings. */
static bool make_setup(struct setup *setup, const char *const *words)
{
    const char **values = setup->values;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    memcpy(values, words, sizeof setup->values);
    read_config(setup);
    if (values[ADDRESS] && !strcmp(values[ADDRESS], "localhost"))
        values[ADDRESS] = NULL;
    setup->server = (struct server_options){ .address = values[ADDRESS] ? values[ADDRESS] : "127.0.0.1",
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
        .max_attempts = 20,
        .max_conns_per_visitor = 16,
        .quick_seconds = 30,
        .relaxed_seconds = 180,
        .ping_seconds = 20,
        .keep_analyses = 30,
        .keep_closed = 7,
        .keep_visitors = 60,
        .origins = setup->origins,
        .editions = setup->editions,
        .edition_texts = setup->texts,
        .puzzles = cli_puzzle_pack(),
        .tls_cert = values[TLS_CERT],
        .tls_key = values[TLS_KEY],
        .trust_proxy = values[TRUST_PROXY] != NULL,
        .metrics_address = values[METRICS_ADDRESS],
        .open_browser = !values[NO_BROWSER],
        .quiet = values[QUIET] != NULL,
        .admin_socket = values[ADMIN_SOCKET],
        .access_log = values[ACCESS_LOG],
        .ready_file = values[READY_FILE] };
    const char *runtime = getenv("RUNTIME_DIRECTORY");   /* systemd sets it */
    if (!setup->server.admin_socket && runtime && runtime[0] == '/' && !strchr(runtime, ':')) {
        snprintf(setup->admin_path, sizeof setup->admin_path, "%s/admin.sock", runtime);
        setup->server.admin_socket = setup->admin_path;
    }
    read_numbers(setup);
    read_role(setup);
    check_values(setup);
    check_push(setup);
    find_database(setup, words[DATABASE] || words[DATABASE_FILE]);
    check_sharing(setup);
    praise_config(setup);
    check_tls(setup);
    load_editions(setup);
    return !setup->findings.errors;
}

static void free_setup(struct setup *setup)
{
    if (!setup)
        return;
    for (unsigned i = 0; i < MOST_EDITIONS; i++)
        free(setup->files[i].at);
    free(setup->origin_list);
    free(setup->push_host_list);
    free(setup->database.at);
    free(setup->config.at);
    settings_finish(&setup->settings);
    free(setup);
}

static int print_check(const struct setup *setup)
{
    const struct findings *findings = &setup->findings;
    if (setup->values[JSON]) {
        findings_print_json(findings);
    } else {
        findings_print(findings);
        for (unsigned i = 0; i < findings->count; i++)
            if (findings->at[i].level == FINDING_GOOD)
                printf("%s\n", findings->at[i].message);
        if (!findings->errors)
            puts(_("All good: the server can be started."));
    }
    return findings->errors ? CLI_WRONG : CLI_GOOD;
}

/* An error on the command line is a usage error; one in a file is not, and neither is a value that is only unsuitable for
 * this machine. */
static int refusal(const struct findings *findings)
{
    static const int others[] = { ADDRESS, ORIGIN, METRICS_ADDRESS };
    int code = CLI_WRONG;
    for (unsigned i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->at[i];
        bool is_usage = finding->level == FINDING_ERROR && !finding->line && !strcmp(finding->check, "options") &&
            (finding->option || !findings->file);
        for (size_t j = 0; j < sizeof others / sizeof *others && finding->option; j++)
            is_usage &= strcmp(finding->option, list_options()[others[j]].name) != 0;
        code = is_usage ? CLI_USAGE : code;
    }
    return code;
}

/* For a server that reloads: makes the setup again, from the same command line. */
static bool make_again(void *context, bool (*use)(void *user, const struct server_options *fresh), void *user, char *error,
    size_t size)
{
    struct setup *fresh = calloc(1, sizeof *fresh);
    bool good = fresh && make_setup(fresh, context);
    for (unsigned i = fresh ? fresh->findings.count : 0; i-- && !good;)
        if (fresh->findings.at[i].level == FINDING_ERROR)
            finding_write(&fresh->findings, &fresh->findings.at[i], error, size);
    if (good)
        good = use(user, &fresh->server);
    free_setup(fresh);
    return good;
}

int cli_serve(int argc, char **argv)
{
    const char *words[OPTIONS];
    int code = parse(argc, argv, words);
    struct setup *setup = code < 0 ? calloc(1, sizeof *setup) : NULL;
    if (code >= 0)
        return code;
    if (words[JSON] && !words[CHECK]) {
        cli_error(_("--json needs --check"));
        free(setup);
        return CLI_USAGE;
    }
    if (!setup) {
        cli_error("%s", _("out of memory"));
        return CLI_WRONG;
    }
    cli_json_wanted(words[JSON]);
    bool good = make_setup(setup, words);
    if (words[CHECK]) {
        check_places(setup);
        check_database(setup);
        code = print_check(setup);
    } else {
        findings_print(&setup->findings);
        if (isatty(STDERR_FILENO))           /* otherwise standard error is a log, whose lines have their own format */
            cli_tell_page();
        setup->server.version = PYR_VERSION;
        setup->server.again = make_again;
        setup->server.again_context = words;
        code = good ? server_run(&setup->server) : refusal(&setup->findings);
    }
    free_setup(setup);
    return code;
}
