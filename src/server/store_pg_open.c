/*
 * store_pg_open.c: connects to a PostgreSQL server and sees to it that the database is ours and of our version. See
 * store_pg.h.
 *
 *  1. A database is changed only after it proved to be ours or empty.
 *  2. Tables are made and migrated in one transaction, with the version in it, under an advisory lock: of servers that start
 *     at the same time, one does it, and the others find it done.
 *  3. No message has the connection string, or a part of it that could be a password.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/text.h>

#include "store_pg.h"

#define LOCK "1348031041"        /* "PYRA", for pg_advisory_xact_lock */
#define IDS 64                   /* that a server takes at once from a sequence */

/*
 * Step v makes version v + 1 out of version v; versions have the same numbers as with SQLite, and the first that was kept
 * here is 3. A step, once released, is never changed. Text is compared byte by byte, as in SQLite. Rows that change often
 * leave room in their page, so that no index changes with them.
 */
static const char *const steps[STORE_VERSION] = {
    [2] =
    "CREATE TABLE visitor (id bigint PRIMARY KEY, name text COLLATE \"C\" NOT NULL, created bigint NOT NULL,"
    " seen bigint NOT NULL);"
    "CREATE TABLE token (hash bytea PRIMARY KEY, visitor bigint NOT NULL REFERENCES visitor);"
    "CREATE TABLE game (id bigint PRIMARY KEY, code text COLLATE \"C\" NOT NULL UNIQUE, state smallint NOT NULL,"
    " created bigint NOT NULL, changed bigint NOT NULL, config text NOT NULL) WITH (fillfactor = 70);"
    "CREATE INDEX game_open ON game (created, id) WHERE state < 2;"
    "CREATE INDEX game_over ON game (created, id) WHERE state = 2;"
    "CREATE INDEX game_closed ON game (changed, id) WHERE state = 3;"
    "CREATE TABLE line (game bigint NOT NULL REFERENCES game, seq bigint NOT NULL, count bigint NOT NULL,"
    " text text NOT NULL, made bigint NOT NULL, PRIMARY KEY (game, seq));"
    "CREATE TABLE choice (game bigint NOT NULL REFERENCES game, seat smallint NOT NULL, phase bigint NOT NULL,"
    " request text NOT NULL, text text NOT NULL, made bigint NOT NULL, PRIMARY KEY (game, seat)) WITH (fillfactor = 50);"
    "CREATE TABLE seat (game bigint NOT NULL REFERENCES game, seat smallint NOT NULL,"
    " visitor bigint NOT NULL REFERENCES visitor, people smallint NOT NULL, bots smallint NOT NULL,"
    " level text COLLATE \"C\" NOT NULL, points integer, share double precision NOT NULL, PRIMARY KEY (game, seat));"
    "CREATE INDEX seat_visitor ON seat (visitor);"
    "CREATE TABLE report (game bigint NOT NULL REFERENCES game, name text COLLATE \"C\" NOT NULL, made bigint NOT NULL,"
    " size bigint NOT NULL, text bytea NOT NULL, PRIMARY KEY (game, name));"
    "ALTER TABLE report ALTER text SET STORAGE EXTERNAL;"        /* it is compressed already */
    "CREATE INDEX report_made ON report (made);"
    "CREATE TABLE request (visitor bigint NOT NULL REFERENCES visitor, id text COLLATE \"C\" NOT NULL,"
    " game bigint NOT NULL REFERENCES game, made bigint NOT NULL, PRIMARY KEY (visitor, id));"
    "CREATE INDEX request_game ON request (game);"
    "CREATE TABLE code (hash bytea PRIMARY KEY, visitor bigint NOT NULL UNIQUE REFERENCES visitor, until bigint NOT NULL);"
    "CREATE TABLE heartbeat (id smallint PRIMARY KEY CHECK (id = 1), alive bigint NOT NULL, count bigint NOT NULL)"
    " WITH (fillfactor = 50);"
    "CREATE TABLE downtime (began bigint PRIMARY KEY, ended bigint NOT NULL);"
    "CREATE INDEX token_visitor ON token (visitor);"
    "CREATE INDEX visitor_seen ON visitor (seen);"
    "CREATE SEQUENCE visitor_ids INCREMENT BY 64;"
    "CREATE SEQUENCE game_ids INCREMENT BY 64;"
    "CREATE TABLE pyramids (version integer NOT NULL);"
    "INSERT INTO pyramids VALUES (0);",
};

/* Our tables, for the check of rights. */
#define TABLES "('visitor'), ('token'), ('game'), ('line'), ('choice'), ('seat'), ('report'), ('request'), ('code')," \
    " ('heartbeat'), ('downtime'), ('pyramids')"

/* Strings. */

static bool is_url(const char *where)
{
    return !strncmp(where, "postgresql://", 13) || !strncmp(where, "postgres://", 11);
}

bool pg_is_mine(const char *where)
{
    size_t word;
    if (is_url(where))
        return true;
    where += strspn(where, " \t\n");
    word = strspn(where, "abcdefghijklmnopqrstuvwxyz_");
    where += word;
    where += strspn(where, " \t\n");
    return word && *where == '=';
}

static const char *value_of(const PQconninfoOption *options, const char *keyword)
{
    for (; options && options->keyword; options++)
        if (!strcmp(options->keyword, keyword))
            return options->val && options->val[0] ? options->val : NULL;
    return NULL;
}

/* Whether a password may have become a part of something else, as in postgresql://user:pass/word@host/name. */
static bool is_torn(const char *where, const PQconninfoOption *options)
{
    const char *port = value_of(options, "port");
    unsigned ats = 0;
    if (port && port[strspn(port, "0123456789,")])
        return true;
    if (!is_url(where))
        return false;
    bool is_path = false;
    for (const char *c = strstr(where, "://") + 3; *c && *c != '?'; c++) {
        is_path |= *c == '/';
        ats += *c == '@' ? 1 + is_path : 0;  /* one, before the path */
    }
    return ats > 1;
}

void pg_name(const char *where, char *to, size_t size)
{
    PQconninfoOption *options = PQconninfoParse(where, NULL);
    if (is_torn(where, options)) {
        PQconninfoFree(options);
        options = NULL;
    }
    const char *user = value_of(options, "user"), *host = value_of(options, "host"), *port = value_of(options, "port");
    const char *base = value_of(options, "dbname"), *service = value_of(options, "service");
    if (!host)
        host = value_of(options, "hostaddr");
    snprintf(to, size, "postgresql://%s%s%s%s%s/%s%s%s", user ? user : "", user ? "@" : "", host ? host : "",
        port ? ":" : "", port ? port : "", base ? base : "", service ? "?service=" : "", service ? service : "");
    PQconninfoFree(options);
}

/* Messages. */

static const char read_only[] = N_("%s is read-only (a standby?): connect to the primary server, for example with several "
    "hosts and target_session_attrs=read-write");
static const char no_rights[] = N_("%s: the role \"%s\" lacks rights (%s): grant them, or let it own the schema");


struct opening {
    struct pg *db;
    PGconn *connection;
    char name[256];              /* of the database, without secrets */
    char *error;
    size_t size;
};

static bool fail(struct opening *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct opening *o, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(o->error, o->size, format, arguments);
    va_end(arguments);
    return false;
}

/* A message of libpq or the server on one line; of the server's, only what is wrong. */
static const char *one_line(const char *from, char *to, size_t size)
{
    size_t length = 0;
    for (; *from && length + 1 < size; from++)
        to[length++] = *from == '\n' || *from == '\t' ? ' ' : *from;
    while (length && to[length - 1] == ' ')
        length--;
    to[length] = '\0';
    return to;
}

/* Says why a command of the server failed. */
static bool fail_result(struct opening *o, const PGresult *result, const char *doing)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    char words[300];
    if (state && !strcmp(state, "42501"))
        return fail(o, _(no_rights), o->name,
            PQuser(o->connection), one_line(primary, words, sizeof words));
    if (state && !strcmp(state, "53100"))
        return fail(o, _("%s: the disk of the PostgreSQL server is full"), o->name);
    if (state && !strcmp(state, "25006"))
        return fail(o, _(read_only), o->name);
    return fail(o, _("%s: %s failed: %s"), o->name, doing,
        one_line(primary ? primary : PQerrorMessage(o->connection), words, sizeof words));
}

/* Runs a command and gives its first value (cut to size); false with a sentence. */
static bool ask(struct opening *o, const char *sql, char *value, size_t size)
{
    PGresult *result = PQexec(o->connection, sql);
    ExecStatusType status = PQresultStatus(result);
    bool good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
    if (!good)
        fail_result(o, result, _("preparing the database"));
    else if (value)
        snprintf(value, size, "%s", PQntuples(result) ? PQgetvalue(result, 0, 0) : "");
    PQclear(result);
    return good;
}

/* Connecting. */

static void ignore_notice(void *context, const PGresult *result)
{
    (void)context;
    (void)result;
}

/* Why there is no connection. libpq's words have no password, but may be many. */
static bool fail_to_connect(struct opening *o)
{
    char words[400];
    if (PQconnectionNeedsPassword(o->connection))
        return fail(o, _("%s wants a password: put it into a password file (~/.pgpass, or passfile=FILE)"),
            o->name);
    return fail(o, _("%s: no connection: %s"), o->name,
        one_line(PQerrorMessage(o->connection), words, sizeof words));
}

static bool parse(struct opening *o, PQconninfoOption **options)
{
    char *words = NULL, line[300];
    *options = PQconninfoParse(o->db->where, &words);
    bool is_secret = is_torn(o->db->where, *options);
    if (*options && !is_secret)
        return true;
    PQconninfoFree(*options);
    /* libpq quotes what it does not understand, which may be a piece of a password. */
    is_secret = is_secret || strchr(o->db->where, '@') || strstr(o->db->where, "password");
    if (is_secret || !words)
        fail(o, _("--database is not a valid connection string: special characters in a user's name or password "
            "are written as %%XX, for example %%40 for @"));
    else
        fail(o, _("--database is not a valid connection string (%s); a file whose name looks like one is "
            "written with its folder, for example ./NAME"), one_line(words, line, sizeof line));
    PQfreemem(words);
    return false;
}

/* The string's own settings count; these are for what it leaves out. */
static bool open_connection(struct opening *o)
{
    PQconninfoOption *options;
    const char *keyword[16], *value[16];
    unsigned count = 0;
    if (!parse(o, &options))
        return false;
    const struct { const char *keyword, *value; } defaults[] = { { "connect_timeout", "5" }, { "keepalives_idle", "10" },
        { "keepalives_interval", "5" }, { "keepalives_count", "3" }, { "tcp_user_timeout", "20000" },
        { "target_session_attrs", o->db->write ? "read-write" : NULL } };
    keyword[count] = "dbname";
    value[count++] = o->db->where;
    for (unsigned i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        /* With one host, a standby is found below, with clearer words. */
        const char *host = value_of(options, "host");
        bool is_wanted = strcmp(defaults[i].keyword, "target_session_attrs") || (host && strchr(host, ','));
        if (value_of(options, defaults[i].keyword) || !defaults[i].value || !is_wanted)
            continue;
        keyword[count] = defaults[i].keyword;
        value[count++] = defaults[i].value;
    }
    keyword[count] = "fallback_application_name";
    value[count++] = "pyramids";
    keyword[count] = "client_encoding";
    value[count++] = "UTF8";
    keyword[count] = value[count] = NULL;
    o->connection = PQconnectdbParams(keyword, value, 1);
    PQconninfoFree(options);
    if (!o->connection)
        return fail(o, "%s", pyr_text_system(12));
    if (PQstatus(o->connection) != CONNECTION_OK)
        return fail_to_connect(o);
    PQsetNoticeReceiver(o->connection, ignore_notice, NULL);
    return true;
}

/* Checks. */

static bool check_server(struct opening *o)
{
    char encoding[32], schema[80], recovery[8];
    int version = PQserverVersion(o->connection);
    if (version < PG_OLDEST)
        return fail(o, _("%s: the server is PostgreSQL %d; %d or newer is needed"), o->name, version / 10000,
            PG_OLDEST / 10000);
    if (!ask(o, "SELECT getdatabaseencoding()", encoding, sizeof encoding) ||
        !ask(o, "SELECT pg_is_in_recovery()", recovery, sizeof recovery) ||
        !ask(o, "SELECT coalesce(current_schema(), '')", schema, sizeof schema))
        return false;
    if (strcmp(encoding, "UTF8"))
        return fail(o, _("%s has the encoding %s: create the database with ENCODING 'UTF8'"), o->name, encoding);
    if (o->db->write && recovery[0] == 't')
        return fail(o, _(read_only), o->name);
    if (!schema[0])
        return fail(o, _("%s: no schema to use: the role \"%s\" lacks rights on the one in its search_path"), o->name,
            PQuser(o->connection));
    /* A commit waits for the disk at least; remote_apply waits for more. */
    return ask(o, "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') <> "
        "'remote_apply'", NULL, 0) &&
        ask(o, "SET default_transaction_isolation = 'read committed'", NULL, 0) &&
        (!o->db->is_serving || ask(o, PG_SERVING, NULL, 0));
}

/* Whose it is and of which version; 0: nothing is in it yet. */
static bool find_version(struct opening *o, int *version)
{
    char found[16], things[80];
    /* By its column, since others may have a table of that name. */
    if (!ask(o, "SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid"
        " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relname = 'pyramids'"
        " AND a.attname = 'version' AND a.atttypid = 'integer'::regtype", found, sizeof found))
        return false;
    *version = 0;
    if (found[0] == '0') {
        if (!ask(o, "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE n.nspname = current_schema() AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = "
            "'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e') ORDER BY c.relname LIMIT 1", things,
            sizeof things))
            return false;
        if (things[0])
            return fail(o, _("%s is the database of another program (it has \"%s\"): use another database, or a "
                "schema of its own (options=-csearch_path=SCHEMA)"), o->name, things);
        return true;
    }
    if (!ask(o, "SELECT version FROM pyramids", found, sizeof found))
        return false;
    *version = atoi(found);
    if (*version > STORE_VERSION)
        return fail(o, _("%s was written by a newer version of Pyramids (database version %lld, this program supports "
                         "%d): use that version"), o->name, (long long)*version, STORE_VERSION);
    return *version > 0 ? true : fail(o, _("%s is damaged (%s): restore it from a backup"), o->name, "version");
}

static bool check_rights(struct opening *o)
{
    char missing[80];
    const char *sql = o->db->write ?
        "SELECT t FROM (VALUES " TABLES ") AS tables(t) WHERE NOT has_table_privilege(t, 'SELECT, INSERT, UPDATE, DELETE')"
        " OR NOT has_table_privilege(t, 'SELECT') OR NOT has_table_privilege(t, 'UPDATE')"
        " OR (t <> 'pyramids' AND NOT (has_table_privilege(t, 'INSERT') AND has_table_privilege(t, 'DELETE'))) LIMIT 1" :
        "SELECT t FROM (VALUES " TABLES ") AS tables(t) WHERE NOT has_table_privilege(t, 'SELECT') LIMIT 1";
    if (!ask(o, sql, missing, sizeof missing))
        return false;
    return missing[0] ? fail(o, _(no_rights), o->name, PQuser(o->connection), missing) : true;
}

/* Makes the tables, or changes those of an older version. Sequences are put behind the ids that are in use: others may have
 * been copied in. */
static bool migrate(struct opening *o, int *version)
{
    char set[80];
    if (!ask(o, "BEGIN", NULL, 0) || !ask(o, "SELECT pg_advisory_xact_lock(" LOCK ")", NULL, 0) || !find_version(o, version))
        goto undo;
    for (int v = *version ? *version : STORE_FIRST - 1; v < STORE_VERSION; v++)
        if (steps[v] && !ask(o, steps[v], NULL, 0))
            goto undo;
    snprintf(set, sizeof set, "UPDATE pyramids SET version = %d", STORE_VERSION);
    if (*version < STORE_VERSION && !ask(o, set, NULL, 0))
        goto undo;
    if (!check_rights(o) ||
        !ask(o, "SELECT setval('visitor_ids', m + 1) FROM (SELECT max(id) AS m FROM visitor) AS v, visitor_ids"
            " WHERE m >= last_value", NULL, 0) ||
        !ask(o, "SELECT setval('game_ids', m + 1) FROM (SELECT max(id) AS m FROM game) AS g, game_ids WHERE m >= last_value",
            NULL, 0) ||
        !ask(o, "COMMIT", NULL, 0))
        goto undo;
    return true;

undo:
    PQclear(PQexec(o->connection, "ROLLBACK"));
    return false;
}

static bool check_version(struct opening *o, bool may_change)
{
    int version;
    if (o->db->write && may_change)
        return migrate(o, &version);
    if (!find_version(o, &version))
        return false;
    if (!version)
        return fail(o, _("%s is empty"), o->name);
    return version == STORE_VERSION ? check_rights(o) : fail(o, _("%s has an older format (version %d): run "
        "'pyramids serve' or 'pyramids import' to update it"), o->name, version);
}

/* Statements. */

static Oid type_of(char kind)
{
    return kind == 'i' ? 20 : kind == 'r' ? 701 : kind == 'b' ? 17 : 25;     /* int8, float8, bytea, text */
}

/* Sends a statement to be prepared: ?1 is $1 here. */
static bool prepare(struct pg *db, enum store_statement which)
{
    const struct store_text *text = &store_texts[which];
    char sql[2048], name[12];
    Oid types[STORE_VALUES];
    int count = 0;
    size_t length = strlen(text->sql);
    if (length >= sizeof sql)
        return false;
    for (size_t i = 0; i <= length; i++)
        sql[i] = text->sql[i] == '?' ? '$' : text->sql[i];
    for (; text->kinds[count]; count++)
        types[count] = type_of(text->kinds[count]);
    snprintf(name, sizeof name, "s%d", (int)which);
    return PQsendPrepare(db->connection, name, sql, count, types) && pg_push(db, (struct pg_sent){ .kind = PG_CONTROL });
}

static bool prepare_all(struct opening *o)
{
    struct pg *db = o->db;
    bool good = PQenterPipelineMode(db->connection) && !PQsetnonblocking(db->connection, 1);
    for (unsigned i = 0; i < STORE_STATEMENTS && good; i++)
        good = prepare(db, (enum store_statement)i);
    good = good && PQsendPrepare(db->connection, "xid", "SELECT pg_current_xact_id_if_assigned()::text", 0, NULL) &&
        pg_push(db, (struct pg_sent){ .kind = PG_CONTROL }) && pg_sync(db) && pg_drain(db) && !db->failure;
    if (!good) {
        db->failure = STORE_OK;
        fail(o, _("%s: %s failed: %s"), o->name, _("preparing the database"), _("see the log"));
        pg_disconnect(db);
    }
    return good;
}

bool pg_connect(struct pg *db, bool first, char *error, size_t size)
{
    struct opening o = { .db = db, .error = error, .size = size };
    pg_name(db->where, o.name, sizeof o.name);
    if (!open_connection(&o) || !check_server(&o) || !check_version(&o, first)) {
        PQfinish(o.connection);
        return false;
    }
    db->connection = o.connection;
    db->failure = STORE_OK;
    return prepare_all(&o);
}

enum pg_outcome pg_find_outcome(PGconn *connection, const char *xid)
{
    enum pg_outcome outcome = PG_UNKNOWN;
    PGresult *result = PQexecParams(connection, "SELECT pg_xact_status($1::xid8)", 1, NULL, &xid, NULL, NULL, 0);
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1) {
        const char *status = PQgetvalue(result, 0, 0);
        outcome = !strcmp(status, "committed") ? PG_KEPT : !strcmp(status, "aborted") ? PG_UNDONE :
            !strcmp(status, "in progress") ? PG_RUNNING : PG_UNKNOWN;
    } else if (state && !strcmp(state, "22023")) {
        outcome = PG_UNDONE;                 /* "in the future": the server has never written of it */
    }
    PQclear(result);
    return outcome;
}
