/*
 * store_sqlite.c: the engine that keeps everything in a file. It opens the file and makes sure that it is ours, whole,
 * of our version and used by no other process; and it runs statements (store_statements.c).
 *
 *  1. A file is changed only after it was found to be ours and undamaged; any other file is left exactly as it was.
 *  2. A new database runs the same steps as an old one that is migrated, so there is only one way to make the schema.
 *  3. All steps are one transaction, which includes the version: if the program is killed at any moment, the database has
 *     either the old version or the new one.
 *  4. The lock is on a file of its own (FILE.lock): SQLite's locks are lost when a process closes any descriptor of the
 *     database itself.
 *
 * Threads: one connection is used by one thread at a time (SQLITE_OPEN_NOMUTEX): the store's, or a command's. The check
 * of a large file has a thread and a connection of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <pyramids/text.h>

#include "store_sqlite.h"

#define APPLICATION 0x50595241   /* "PYRA": marks the file as ours */
#define CHECKED_AT_ONCE (64 << 20)   /* bytes: larger files are checked while the server is already running */
#define BUSY_MS 5000             /* how long another program (a backup, an sqlite3 shell) may hold the database */

/* Step v makes version v + 1 out of version v. A step is never changed once it is released. */
static const char *const steps[STORE_VERSION] = {
    "CREATE TABLE visitor (id INTEGER PRIMARY KEY, name TEXT NOT NULL, created INTEGER NOT NULL, seen INTEGER NOT "
    "NULL) STRICT;"
    "CREATE TABLE token (hash BLOB PRIMARY KEY, visitor INTEGER NOT NULL REFERENCES visitor) STRICT, WITHOUT ROWID;"
    "CREATE TABLE game (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, state INTEGER NOT NULL, created INTEGER NOT NULL,"
    " changed INTEGER NOT NULL, config TEXT NOT NULL) STRICT;"
    "CREATE INDEX game_open ON game (created, id) WHERE state < 2;"
    "CREATE INDEX game_over ON game (created, id) WHERE state = 2;"
    /* A row holds lines that were added together: seq is the number of the first, from 0. */
    "CREATE TABLE line (id INTEGER PRIMARY KEY, game INTEGER NOT NULL REFERENCES game, seq INTEGER NOT NULL, count "
    "INTEGER NOT NULL,"
    " text TEXT NOT NULL, UNIQUE (game, seq)) STRICT;"
    "CREATE TABLE choice (game INTEGER NOT NULL REFERENCES game, seat INTEGER NOT NULL, phase INTEGER NOT NULL, "
    "request TEXT NOT NULL,"
    " text TEXT NOT NULL, PRIMARY KEY (game, seat)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE seat (game INTEGER NOT NULL REFERENCES game, seat INTEGER NOT NULL, visitor INTEGER NOT NULL "
    "REFERENCES visitor,"
    " people INTEGER NOT NULL, bots INTEGER NOT NULL, level TEXT NOT NULL, points INTEGER, share REAL NOT NULL,"
    " PRIMARY KEY (game, seat)) STRICT, WITHOUT ROWID;"
    /* Contains all columns that statistics need. */
    "CREATE INDEX seat_visitor ON seat (visitor, people, level, points, share);",

    "CREATE TABLE report (id INTEGER PRIMARY KEY, game INTEGER NOT NULL REFERENCES game, name TEXT NOT NULL, text "
    "BLOB NOT NULL,"
    " UNIQUE (game, name)) STRICT;",

    /* When lines and choices were made: added to existing rows, so that a choice needs no further row. */
    "ALTER TABLE line ADD COLUMN made INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE choice ADD COLUMN made INTEGER NOT NULL DEFAULT 0;"
    /* Reports are compressed from now on; old ones can be made again. */
    "DROP TABLE report;"
    "CREATE TABLE report (id INTEGER PRIMARY KEY, game INTEGER NOT NULL REFERENCES game, name TEXT NOT NULL,"
    " made INTEGER NOT NULL, size INTEGER NOT NULL, text BLOB NOT NULL, UNIQUE (game, name)) STRICT;"
    "CREATE INDEX report_made ON report (made);"
    "CREATE TABLE request (visitor INTEGER NOT NULL REFERENCES visitor, id TEXT NOT NULL,"
    " game INTEGER NOT NULL REFERENCES game, made INTEGER NOT NULL, PRIMARY KEY (visitor, id)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX request_game ON request (game);"
    "CREATE TABLE code (hash BLOB PRIMARY KEY, visitor INTEGER NOT NULL UNIQUE REFERENCES visitor,"
    " until INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE heartbeat (id INTEGER PRIMARY KEY CHECK (id = 1), alive INTEGER NOT NULL, count INTEGER NOT NULL) STRICT;"
    "CREATE TABLE downtime (began INTEGER PRIMARY KEY, ended INTEGER NOT NULL) STRICT;"
    /* Indexes for dropping old data. */
    "CREATE INDEX game_closed ON game (changed, id) WHERE state = 3;"
    "CREATE INDEX token_visitor ON token (visitor);"
    "CREATE INDEX visitor_seen ON visitor (seen);",

    /* The revision of a table, which every change increments, is separate from its row: so a choice writes only a few
     * bytes in a page that many tables share. due: when a server has to look at the table; NULL: never. */
    "CREATE TABLE revision (game INTEGER PRIMARY KEY REFERENCES game, number INTEGER NOT NULL, due INTEGER,"
    " keeper INTEGER NOT NULL DEFAULT 0) STRICT;"
    "INSERT INTO revision (game, number, due) SELECT id, 1, CASE WHEN state < 2 THEN 1 END FROM game;"
    "CREATE INDEX revision_due ON revision (due) WHERE due IS NOT NULL;"
    "CREATE INDEX request_made ON request (made);"
    /* Ids of messages that took effect, as 8 keyed hashes of 8 bytes, so that every server recognises them. */
    "ALTER TABLE choice ADD COLUMN ids BLOB NOT NULL DEFAULT x'';"
    /* Columns by which tables are found that are not in memory. */
    "ALTER TABLE game ADD COLUMN host INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE game ADD COLUMN public INTEGER NOT NULL DEFAULT 0;"
    "UPDATE game SET host = ifnull(json_extract(config, '$.host'), 0), public = ifnull(json_extract(config, '$.public'), 0)"
    " WHERE state < 2 AND json_valid(config);"
    "CREATE INDEX game_host ON game (host) WHERE state < 2;"
    "CREATE INDEX game_public ON game (state) WHERE public = 1 AND state < 2;"
    "ALTER TABLE token ADD COLUMN renewed INTEGER NOT NULL DEFAULT 0;",

    /* What several servers share; present here so that both engines can use the same statements. With a file there is
     * only one server. */
    "CREATE TABLE node (id INTEGER PRIMARY KEY, seen INTEGER NOT NULL, thinks INTEGER NOT NULL DEFAULT 1) STRICT;"
    "CREATE TABLE presence (game INTEGER NOT NULL, visitor INTEGER NOT NULL, node INTEGER NOT NULL,"
    " PRIMARY KEY (game, visitor, node)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX presence_node ON presence (node);"
    "CREATE TABLE analysis (game INTEGER PRIMARY KEY REFERENCES game, asker INTEGER NOT NULL, asked INTEGER NOT NULL,"
    " node INTEGER NOT NULL DEFAULT 0) STRICT;",
    /* Bans: an address, or a visitor (not a reference: a ban outlives the visitor). */
    ("CREATE TABLE ban (id INTEGER PRIMARY KEY, address TEXT NOT NULL, visitor INTEGER NOT NULL, made INTEGER NOT NULL,"
    " until INTEGER NOT NULL, reason TEXT NOT NULL) STRICT;"),

    /* The daily expedition: a secret per day, and the attempts that count. game 0: that table was dropped. */
    "CREATE TABLE day (day INTEGER PRIMARY KEY, number INTEGER NOT NULL, secret BLOB NOT NULL, made INTEGER NOT NULL,"
    " revealed INTEGER NOT NULL DEFAULT 0, outage INTEGER NOT NULL DEFAULT 0, master INTEGER,"
    " keeper INTEGER NOT NULL DEFAULT 0) STRICT;"
    "CREATE TABLE attempt (day INTEGER NOT NULL REFERENCES day, visitor INTEGER NOT NULL REFERENCES visitor,"
    " game INTEGER NOT NULL, state INTEGER NOT NULL DEFAULT 0, begun INTEGER NOT NULL, ended INTEGER NOT NULL DEFAULT 0,"
    " points INTEGER, place INTEGER NOT NULL DEFAULT 0, judged INTEGER NOT NULL DEFAULT 0, luck REAL NOT NULL DEFAULT 0,"
    " rate REAL NOT NULL DEFAULT 0, PRIMARY KEY (day, visitor)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX attempt_visitor ON attempt (visitor, day);"
    "CREATE INDEX attempt_game ON attempt (game);"
    "CREATE INDEX attempt_unjudged ON attempt (ended) WHERE state = 1 AND judged < 2;"
    /* The data of profiles: when a game ended, the place, pyramids by colour (8 bits each), and the result of an analysis
     * (-1000: there was none). */
    "ALTER TABLE seat ADD COLUMN made INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE seat ADD COLUMN place INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE seat ADD COLUMN pyramids INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE seat ADD COLUMN luck REAL NOT NULL DEFAULT -1000;"
    "ALTER TABLE seat ADD COLUMN rate REAL NOT NULL DEFAULT -1000;"
    "UPDATE seat SET made = ifnull((SELECT changed FROM game WHERE game.id = seat.game), 0) WHERE points IS NOT NULL;"
    "CREATE INDEX seat_made ON seat (visitor, made, game) WHERE points IS NOT NULL;"
    "CREATE TABLE rating (visitor INTEGER PRIMARY KEY REFERENCES visitor, mu REAL NOT NULL, sigma REAL NOT NULL,"
    " games INTEGER NOT NULL, changed INTEGER NOT NULL) STRICT;"
    "CREATE INDEX rating_mu ON rating (mu, visitor) WHERE games >= 10;"
    /* Secret addresses of profiles; and visitors whose data is being removed. */
    "CREATE TABLE link (hash BLOB PRIMARY KEY, visitor INTEGER NOT NULL UNIQUE REFERENCES visitor,"
    " made INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE leaving (visitor INTEGER PRIMARY KEY REFERENCES visitor, made INTEGER NOT NULL) STRICT;"
    /* What the servers share (keys); browsers that want messages, people's settings, the message for each about a table
     * (want, told: 0 nothing, 1 their turn, 2 it is over; night: put off because of quiet time), and addresses of feeds. */
    "CREATE TABLE secret (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE push (id INTEGER PRIMARY KEY, visitor INTEGER NOT NULL REFERENCES visitor, hash BLOB NOT NULL UNIQUE,"
    " endpoint TEXT NOT NULL, p256dh BLOB NOT NULL, auth BLOB NOT NULL, language TEXT NOT NULL,"
    " made INTEGER NOT NULL) STRICT;"
    "CREATE INDEX push_visitor ON push (visitor);"
    "CREATE TABLE notice (visitor INTEGER PRIMARY KEY REFERENCES visitor, quiet_from INTEGER NOT NULL,"
    " quiet_to INTEGER NOT NULL, zone INTEGER NOT NULL, daily INTEGER NOT NULL, due INTEGER) STRICT;"
    "CREATE INDEX notice_due ON notice (due) WHERE due IS NOT NULL;"
    "CREATE TABLE reminder (game INTEGER NOT NULL REFERENCES game, visitor INTEGER NOT NULL REFERENCES visitor,"
    " want INTEGER NOT NULL, told INTEGER NOT NULL, night INTEGER NOT NULL, due INTEGER,"
    " PRIMARY KEY (game, visitor)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX reminder_due ON reminder (due) WHERE due IS NOT NULL;"
    "CREATE INDEX reminder_visitor ON reminder (visitor);"
    "CREATE TABLE feed (hash BLOB PRIMARY KEY, visitor INTEGER NOT NULL UNIQUE REFERENCES visitor) STRICT, WITHOUT ROWID;",

    /* Leaderboards: a visitor's place on each, stored with every result (board: 4 for a week, 8 for a month; 2 by points
     * without luck; 1 only days that are revealed). How far a revealed day has been added to the latter: the visitor,
     * null when it is done. The day of a visitor's last reminder, and whether that message is to be closed. */
    "CREATE TABLE standing (board INTEGER NOT NULL, start INTEGER NOT NULL, visitor INTEGER NOT NULL REFERENCES visitor,"
    " value INTEGER NOT NULL, points INTEGER NOT NULL, luck REAL NOT NULL, rate REAL NOT NULL, judged INTEGER NOT NULL,"
    " days INTEGER NOT NULL, PRIMARY KEY (board, start, visitor)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX standing_value ON standing (board, start, value DESC, visitor);"
    "CREATE INDEX standing_visitor ON standing (visitor);"
    "ALTER TABLE day ADD COLUMN settled INTEGER DEFAULT 0;"
    "UPDATE day SET settled = NULL WHERE revealed <> 0;"
    "CREATE INDEX day_unsettled ON day (day) WHERE settled IS NOT NULL;"
    "ALTER TABLE notice ADD COLUMN told INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE notice ADD COLUMN closes INTEGER NOT NULL DEFAULT 0;"
    STORE_FILL_STANDINGS("CAST(strftime('%s', attempt.day * 86400, 'unixepoch', 'start of month') AS INTEGER) / 86400"),

    /* How many tables a server may still make before all open ones are counted again. */
    "ALTER TABLE node ADD COLUMN room INTEGER NOT NULL DEFAULT 0;",
};

/* The statements of a transaction, prepared at the start, since a rollback must not fail for lack of memory. */
enum control { BEGIN, BEGIN_WRITE, COMMIT, ROLLBACK, SAVEPOINT, SAVEPOINT_UNDO, SAVEPOINT_END, CONTROLS };

struct sqlite {
    struct store_db base;        /* first */
    sqlite3 *sql;
    sqlite3_stmt *control[CONTROLS];
    sqlite3_stmt *statement[STORE_STATEMENTS];   /* prepared when first wanted, then kept */
    sqlite3_stmt *asked;         /* the query whose rows are being read; NULL: none */
    int first;                   /* the result of its first step; 0: it was used */
    bool in_transaction;         /* a transaction was begun, and we have not ended it */
    sqlite3_int64 changes;       /* total changes when it began */
    int lock;                    /* file descriptor that holds the lock, or -1 */
    char *real;                  /* path of the file; NULL in memory */
    struct file { uint64_t device, inode; } file, wal;   /* what is open: the file and its write-ahead log */
    bool is_gone;                /* the file is not in its place, and that was logged */
    int64_t logged_at;           /* second of the last message to the log, so that a full disk does not flood it */
    bool is_unchecked;           /* a large file: it is checked for damage later */
    sqlite3 *checked;            /* the connection of the thread that checks it; NULL: none */
    uv_thread_t checker;
    atomic_bool is_closing;
};

/* Messages. */

static void set_error(char *error, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The message for the program that opens the database; later errors go to the log (store_say). */
static void set_error(char *error, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, size, format, arguments);
    va_end(arguments);
}

/* Turns SQLite's code into a result; the message goes to the log. A full disk can be SQLITE_FULL, or an I/O error with an
 * errno of that meaning; exceeded quotas count as a full disk, too. */
static enum store_result result_of(struct sqlite *db, int code)
{
    if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE)
        return STORE_OK;
    int primary = code & 0xff, system = db->sql ? sqlite3_system_errno(db->sql) : 0;
    int64_t now = (int64_t)time(NULL);
    if (now != db->logged_at)
        store_say(db->sql ? sqlite3_errmsg(db->sql) : sqlite3_errstr(code));
    db->logged_at = now;
    if (primary == SQLITE_FULL || primary == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM)
        return STORE_NO_ROOM;
    return primary == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT) ? STORE_NO_ROOM : STORE_FAILED;
}

/* Transactions. */

static const char *const controls[CONTROLS] = {
    [BEGIN] = "BEGIN",
    [BEGIN_WRITE] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [SAVEPOINT] = "SAVEPOINT part",
    [SAVEPOINT_UNDO] = "ROLLBACK TO part",
    [SAVEPOINT_END] = "RELEASE part",
};

static int prepare_controls(struct sqlite *db)
{
    int code = SQLITE_OK;
    for (unsigned i = 0; i < CONTROLS && !code; i++)
        code = sqlite3_prepare_v3(db->sql, controls[i], -1, SQLITE_PREPARE_PERSISTENT, &db->control[i], NULL);
    return code;
}

static enum store_result control(struct sqlite *db, enum control which)
{
    enum store_result result = result_of(db, sqlite3_step(db->control[which]));
    sqlite3_reset(db->control[which]);
    return result;
}

/* SQLite may roll a transaction back by itself (a full disk, an I/O error): then it is in autocommit mode although we
 * have not ended it. Every statement checks that, since it would otherwise take effect alone. */
static bool is_lost(const struct store_db *base)
{
    const struct sqlite *db = (const struct sqlite *)base;
    return db->in_transaction && sqlite3_get_autocommit(db->sql);
}

/* Does nothing if SQLite has rolled back by itself. */
static void rollback(struct store_db *base)
{
    struct sqlite *db = (struct sqlite *)base;
    if (!sqlite3_get_autocommit(db->sql))
        control(db, ROLLBACK);
    db->in_transaction = false;
}

/* IMMEDIATE takes the write lock now: a transaction that begins with reading and then has to write could fail halfway. */
static enum store_result begin(struct store_db *base, bool write)
{
    struct sqlite *db = (struct sqlite *)base;
    rollback(base);                          /* one whose rollback failed may still be open */
    enum store_result result = control(db, write ? BEGIN_WRITE : BEGIN);
    db->in_transaction = result == STORE_OK;
    db->changes = sqlite3_total_changes64(db->sql);
    return result;
}

/* Counts rows, not statements: a transaction that changed nothing needs no sync and is not counted. */
static bool has_written(const struct store_db *base)
{
    const struct sqlite *db = (const struct sqlite *)base;
    return sqlite3_total_changes64(db->sql) != db->changes;
}

/* Nothing to do: every statement was run at once. */
static enum store_result settle(struct store_db *base, store_refuse *refuse, void *context)
{
    (void)refuse;
    (void)context;
    return is_lost(base) ? STORE_FAILED : STORE_OK;
}

/* Returns when the transaction is on the disk (synchronous = FULL). */
static enum store_result commit(struct store_db *base)
{
    struct sqlite *db = (struct sqlite *)base;
    enum store_result result = is_lost(base) ? STORE_FAILED : control(db, COMMIT);
    if (result != STORE_OK)
        rollback(base);
    db->in_transaction = false;
    return result;
}

static enum store_result savepoint(struct store_db *base)
{
    return is_lost(base) ? STORE_FAILED : control((struct sqlite *)base, SAVEPOINT);
}

/* A savepoint has to be released even after it was rolled back: ROLLBACK TO leaves it open. */
static enum store_result release(struct store_db *base, bool good)
{
    struct sqlite *db = (struct sqlite *)base;
    if (is_lost(base))
        return STORE_FAILED;
    enum store_result result = good ? STORE_OK : control(db, SAVEPOINT_UNDO);
    return result == STORE_OK ? control(db, SAVEPOINT_END) : result;
}

/* A job that failed is undone alone; the others of its transaction are kept. */
static enum store_result job_end(struct store_db *base, enum store_result result)
{
    return release(base, result == STORE_OK);
}

/* Statements. */

/* SQLite allows one writing transaction at a time, so rows need no locks, and it has no syntax for them. */
static int prepare(struct sqlite *db, const char *sql, sqlite3_stmt **statement)
{
    static const char lock[] = " FOR UPDATE SKIP LOCKED";
    const char *at = strstr(sql, lock);
    char plain[1024];
    int length = at ? snprintf(plain, sizeof plain, "%.*s%s", (int)(at - sql), sql, at + sizeof lock - 1) : 0;
    if (length >= (int)sizeof plain)
        return SQLITE_TOOBIG;
    return sqlite3_prepare_v3(db->sql, at ? plain : sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
}

/* Binds the values to a statement, which can then be stepped; NULL with the result if that fails. */
static sqlite3_stmt *ready(struct sqlite *db, enum store_result *result, enum store_statement which,
    const struct store_value *values)
{
    const struct store_text *text = &store_texts[which];
    sqlite3_stmt **s = &db->statement[which];
    int code = SQLITE_OK;
    if (is_lost(&db->base)) {                /* outside a transaction, a statement would be committed at once */
        *result = STORE_FAILED;
        return NULL;
    }
    if (!*s)
        code = prepare(db, text->sql, s);
    for (int i = 0; text->kinds[i] && !code; i++) {
        const struct store_value *value = &values[i];
        if (text->kinds[i] == 'i')
            code = sqlite3_bind_int64(*s, i + 1, value->number);
        else if (text->kinds[i] == 'r')
            code = sqlite3_bind_double(*s, i + 1, value->real);
        else if (text->kinds[i] == 'b')
            code = sqlite3_bind_blob64(*s, i + 1, value->at, value->size, SQLITE_STATIC);
        else
            code = sqlite3_bind_text64(*s, i + 1, value->at, value->size, SQLITE_STATIC, SQLITE_UTF8);
    }
    *result = result_of(db, code);
    return code ? NULL : *s;
}

/* Ends a statement after its last step, which returned this code. */
static enum store_result end(struct sqlite *db, sqlite3_stmt *s, int code)
{
    /* Before the reset, which may replace SQLite's message. A missing row is not a failure. */
    enum store_result result = code == SQLITE_CONSTRAINT_FOREIGNKEY ? STORE_MISSING : result_of(db, code);
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return result;
}

/* *changed is how many rows the statement changed. */
static enum store_result execute(struct store_db *base, enum store_statement which, const struct store_value *values,
    int64_t *changed)
{
    struct sqlite *db = (struct sqlite *)base;
    enum store_result result;
    sqlite3_stmt *s = ready(db, &result, which, values);
    if (!s)
        return result;
    result = end(db, s, sqlite3_step(s));
    *changed = result == STORE_OK ? sqlite3_changes(db->sql) : 0;
    return result;
}

/* With a file there is no round trip to save, so a statement that may be sent later is run at once. */
static enum store_result send_now(struct store_db *base, enum store_statement which, const struct store_value *values,
    enum store_result none, int64_t *given)
{
    int64_t changed;
    (void)given;                             /* used only where several servers share a database */
    enum store_result result = execute(base, which, values, &changed);
    return result == STORE_OK && !changed ? none : result;
}

/* The values are bound without copying (SQLITE_STATIC), so the first step is made before the caller's memory may be
 * freed. */
static enum store_result query(struct store_db *base, enum store_statement which, const struct store_value *values)
{
    struct sqlite *db = (struct sqlite *)base;
    enum store_result result;
    db->asked = ready(db, &result, which, values);
    if (!db->asked)
        return result;
    db->first = sqlite3_step(db->asked);     /* now, while the values are valid */
    if (db->first == SQLITE_ROW || db->first == SQLITE_DONE)
        return STORE_OK;
    result = end(db, db->asked, db->first);
    db->asked = NULL;
    return result;
}

/* Ends a query before its last row. */
static void finish(struct store_db *base)
{
    struct sqlite *db = (struct sqlite *)base;
    if (db->asked)
        end(db, db->asked, SQLITE_OK);
    db->asked = NULL;
}

/* The first row was already stepped to by query(): its code is in `first`. */
static enum store_result next(struct store_db *base)
{
    struct sqlite *db = (struct sqlite *)base;
    int code = db->first ? db->first : sqlite3_step(db->asked);
    db->first = 0;
    if (code == SQLITE_ROW)
        return STORE_OK;
    enum store_result result = end(db, db->asked, code);
    db->asked = NULL;
    return result == STORE_OK ? STORE_MISSING : result;
}

static int64_t number(struct store_db *base, int column)
{
    return sqlite3_column_int64(((struct sqlite *)base)->asked, column);
}

static double real(struct store_db *base, int column)
{
    return sqlite3_column_double(((struct sqlite *)base)->asked, column);
}

/* Valid until the next row. sqlite3_column_bytes must be called after getting the pointer: the conversion may change the
 * size. */
static const void *bytes(struct store_db *base, int column, size_t *size)
{
    sqlite3_stmt *s = ((struct sqlite *)base)->asked;
    const void *at = sqlite3_column_type(s, column) == SQLITE_BLOB ? sqlite3_column_blob(s, column) :
        sqlite3_column_text(s, column);
    *size = (size_t)sqlite3_column_bytes(s, column);
    return at;
}

/* Files. */

static bool find_file(const char *path, const char *suffix, struct file *file)
{
    char name[PATH_MAX + 8];
    struct stat status;
    snprintf(name, sizeof name, "%s%s", path, suffix);
    if (stat(name, &status))
        return false;
    *file = (struct file){ status.st_dev, status.st_ino };
    return true;
}

/* Stores which files are open. */
static bool know_files(struct sqlite *db, const char *real)
{
    db->real = strdup(real);
    find_file(real, "-wal", &db->wal);       /* it is created with the first write at the latest */
    return db->real && find_file(real, "", &db->file);
}

static bool is_same(const struct sqlite *db, const char *suffix, const struct file *known)
{
    struct file now;
    return find_file(db->real, suffix, &now) && now.device == known->device && now.inode == known->inode;
}

/* Compared by device and inode: if a file was moved away or replaced, its name has another inode, and what we write would
 * go to a file without that name. The write-ahead log is checked as well, since it contains the newest transactions. */
static bool is_in_place(struct sqlite *db)
{
    if (!db->real)
        return true;
    if (!db->wal.inode)
        find_file(db->real, "-wal", &db->wal);
    return is_same(db, "", &db->file) && (!db->wal.inode || is_same(db, "-wal", &db->wal));
}

/* The same rules as for saved games: XDG_DATA_HOME if it is absolute, else ~/.local/share. */
bool store_default_path(char *to, size_t size)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int length = -1;
    if (data && data[0] == '/')              /* the XDG specification requires that other values be ignored */
        length = snprintf(to, size, "%s/pyramids/pyramids.db", data);
    else if (home && home[0])
        length = snprintf(to, size, "%s/.local/share/pyramids/pyramids.db", home);
    return length >= 0 && (size_t)length < size;
}

/* Creates the folders of a file. */
static bool make_parents(const char *path)
{
    char part[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(part, path, length + 1);
    for (char *c = part + 1; (c = strchr(c, '/')); *c++ = '/') {
        *c = '\0';
        if (mkdir(part, 0700) && errno != EEXIST)
            return false;
    }
    return true;
}

/* The canonical path of a file, with all links resolved; the file need not exist. */
static bool find_real(const char *path, char real[PATH_MAX])
{
    struct stat status;
    if (realpath(path, real)) {
        errno = EISDIR;
        return stat(real, &status) || !S_ISDIR(status.st_mode);
    }
    if (errno != ENOENT)
        return false;
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    int length =
        slash ? snprintf(folder, sizeof folder, "%.*s/", (int)(slash - path), path) : snprintf(folder, sizeof folder, ".");
    if (length >= (int)sizeof folder || !realpath(folder, real))
        return false;
    size_t at = strlen(real);
    length = snprintf(real + at, PATH_MAX - at, "%s%s", real[at - 1] == '/' ? "" : "/", name);
    if (*name && length < (int)(PATH_MAX - at))
        return true;
    errno = *name ? ENAMETOOLONG : EISDIR;
    return false;
}

/* Takes the lock, which is released at the latest when the process ends. */
static bool take_lock(struct sqlite *db, const char *real, const char *path, char *error, size_t size)
{
    char name[PATH_MAX + 8], owner[24] = "";
    snprintf(name, sizeof name, "%s.lock", real);
    db->lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (db->lock < 0) {
        set_error(error, size, "%s: %s", name, pyr_text_system(errno));
        return false;
    }
    if (flock(db->lock, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK) {
            set_error(error, size, "%s: %s", name, pyr_text_system(errno));
        } else {
            ssize_t got = read(db->lock, owner, sizeof owner - 1);
            long process = got > 0 ? strtol(owner, NULL, 10) : 0;
            if (process > 0)
                set_error(error, size,
                    _("%s is in use by another server or import (process %ld): stop it first, or use another --database"),
                    path, process);
            else
                set_error(error, size,
                    _("%s is in use by another server or import: stop it first, or use another --database"), path);
        }
        return false;
    }
    int length = snprintf(owner, sizeof owner, "%ld\n", (long)getpid());
    if (ftruncate(db->lock, 0) || write(db->lock, owner, (size_t)length) != length)
        return true;                         /* only the error message of the next program is affected */
    return true;
}

bool store_is_in_use(const char *path)
{
    char real[PATH_MAX], name[PATH_MAX + 8];
    if (!find_real(path, real))
        return false;
    snprintf(name, sizeof name, "%s.lock", real);
    int lock = open(name, O_RDONLY | O_CLOEXEC);
    bool is_in_use = lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    if (lock >= 0)
        close(lock);
    return is_in_use;
}

/* Readable only by its owner, from before SQLite opens it: tokens and games are private. */
static bool make_file(const char *real)
{
    int file = open(real, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return file >= 0 && !close(file);
}

/* Checks. */

/* For setting up only; the server's statements are prepared (ready). */
static int run_sql(struct sqlite *db, const char *sql)
{
    return sqlite3_exec(db->sql, sql, NULL, NULL, NULL);
}

/* The first column of the first row as a number, or as text (cut to size); false with SQLite's code. */
static int ask(struct sqlite *db, const char *sql, sqlite3_int64 *number, char *text, size_t size)
{
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(db->sql, sql, -1, &statement, NULL);
    if (code)
        return code;
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        if (number)
            *number = sqlite3_column_int64(statement, 0);
        if (text) {
            const unsigned char *found = sqlite3_column_text(statement, 0);
            snprintf(text, size, "%s", found ? (const char *)found : "");
        }
        code = SQLITE_OK;
    } else if (code == SQLITE_DONE) {
        code = SQLITE_EMPTY;
    }
    sqlite3_finalize(statement);
    return code;
}

/* Always false, so that it can be returned. */
static bool set_sql_error(struct sqlite *db, int code, const char *path, char *error, size_t size)
{
    if ((code & 0xff) == SQLITE_NOTADB)
        set_error(error, size, _("%s is not a Pyramids database: use another --database"), path);
    else if ((code & 0xff) == SQLITE_CORRUPT)
        set_error(error, size, _("%s is damaged (%s): restore it from a backup"), path, sqlite3_errmsg(db->sql));
    else
        set_error(error, size, _("%s cannot be opened: %s"), path, db->sql ? sqlite3_errmsg(db->sql) : sqlite3_errstr(code));
    return false;
}

/* Whether the file is ours, and its version; 0: it is empty. application_id identifies the owner. A file with any content
 * but without our mark belongs to another program. */
static bool find_version(struct sqlite *db, const char *path, int *version, char *error, size_t size)
{
    sqlite3_int64 application = 0, found = 0, things = 0;
    int code;
    if ((code = ask(db, "PRAGMA application_id", &application, NULL, 0)) ||
        (code = ask(db, "PRAGMA user_version", &found, NULL, 0)) ||
        (code = ask(db, "SELECT count(*) FROM sqlite_schema", &things, NULL, 0)))
        return set_sql_error(db, code, path, error, size);
    if (application != APPLICATION && (application || found || things)) {
        set_error(error, size, _("%s is the database of another program: use another --database"), path);
        return false;
    }
    if (found > STORE_VERSION) {
        set_error(error, size,
            _("%s was written by a newer version of Pyramids (database version %lld, this program supports %d): use that "
              "version"), path, (long long)found, STORE_VERSION);
        return false;
    }
    if (application == APPLICATION && found < 1) {
        set_error(error, size, _("%s is damaged (%s): restore it from a backup"), path, "user_version");
        return false;
    }
    *version = (int)found;
    return true;
}

/* quick_check finds damaged pages and rows; integrity_check would compare indexes as well and take much longer. */
static bool check_whole(struct sqlite *db, const char *path, char *error, size_t size)
{
    char finding[200];
    int code = ask(db, "PRAGMA quick_check(1)", NULL, finding, sizeof finding);
    if (code)
        return set_sql_error(db, code, path, error, size);
    if (!strcmp(finding, "ok"))
        return true;
    for (char *c = finding; *c; c++)
        if (*c == '\n')
            *c = ' ';
    set_error(error, size, _("%s is damaged (%s): restore it from a backup"), path, finding);
    return false;
}

/* Migration. */

/* A copy of the database as it is, complete on the disk before it gets its name. */
static bool copy_beside(struct sqlite *db, const char *real, int version, char *error, size_t size)
{
    char name[PATH_MAX + 24], draft[PATH_MAX + 32];
    snprintf(name, sizeof name, "%s.v%d", real, version);
    snprintf(draft, sizeof draft, "%s.new", name);
    unlink(draft);
    bool good = make_file(draft);
    if (!good) {
        set_error(error, size, _("could not make a backup before migrating: %s: %s"), draft, pyr_text_system(errno));
        return false;
    }
    char *sql = sqlite3_mprintf("VACUUM INTO %Q", draft);
    int code = sql ? run_sql(db, sql) : SQLITE_NOMEM;
    sqlite3_free(sql);
    if (code) {
        set_error(error, size, _("could not make a backup before migrating: %s: %s"), draft, sqlite3_errmsg(db->sql));
        unlink(draft);
        return false;
    }
    int file = open(draft, O_RDWR | O_CLOEXEC);
    good = file >= 0 && !fsync(file);
    if (file >= 0 && close(file))
        good = false;
    if (!good || rename(draft, name)) {
        set_error(error, size, _("could not make a backup before migrating: %s: %s"), draft, pyr_text_system(errno));
        unlink(draft);
        return false;
    }
    return true;
}

/* Invariants 2 and 3: all steps, the version and the check of foreign keys are one exclusive transaction. */
static bool migrate(struct sqlite *db, int version, const char *path, char *error, size_t size)
{
    char set[96];
    int code = run_sql(db, "BEGIN EXCLUSIVE");
    for (int v = version; v < STORE_VERSION && !code; v++)
        code = run_sql(db, steps[v]);
    snprintf(set, sizeof set, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION, STORE_VERSION);
    if (!code)
        code = run_sql(db, set);
    if (!code) {
        code = ask(db, "PRAGMA foreign_key_check", NULL, NULL, 0);
        code = code == SQLITE_EMPTY ? SQLITE_OK : code ? code : SQLITE_CORRUPT;
    }
    if (!code)
        code = run_sql(db, "COMMIT");
    if (!code)
        return true;
    if (version)
        set_error(error, size, _("%s could not be migrated from version %d to %d and is unchanged: %s"), path, version,
            STORE_VERSION, sqlite3_errmsg(db->sql));
    else
        set_sql_error(db, code, path, error, size);
    if (!sqlite3_get_autocommit(db->sql))
        run_sql(db, "ROLLBACK");
    return false;
}

/* Opening a database. */

/* Prepares the file of a path: creates and locks it if it is to be written. */
static bool claim_file(struct sqlite *db, const char *path, bool write, char real[PATH_MAX], char *error, size_t size)
{
    bool good = (!write || make_parents(path)) && find_real(path, real);
    if (good && write && !take_lock(db, real, path, error, size))
        return false;                        /* which has logged the reason */
    if (good)
        good = write ? make_file(real) : !access(real, R_OK);
    if (!good)
        set_error(error, size, "%s: %s", path, pyr_text_system(errno));
    return good;
}

/* Makes a database ready to be written, of the present version; `version` 0: it is new. synchronous = FULL: with a
 * write-ahead log, each commit waits for the disk (invariant 1 of store.c). The limit on the journal frees its space
 * after a burst: 64 MB. */
static bool prepare_to_write(struct sqlite *db, const char *path, const char *real, bool memory, int version,
    char *error, size_t size)
{
    char mode[16] = "";
    int code;
    /* A cache of 512 KB: a change needs little, and a larger cache made nothing faster. */
    if ((code = ask(db, "PRAGMA journal_mode = WAL", NULL, mode, sizeof mode)) ||
        (code = run_sql(db, "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -512")))
        return set_sql_error(db, code, path, error, size);
    if (strcmp(mode, memory ? "memory" : "wal")) {
        set_error(error, size, _("%s cannot be opened: its file system does not support a write-ahead log"), path);
        return false;
    }
    if (version >= STORE_VERSION)
        return true;
    return (!version || copy_beside(db, real, version, error, size)) && migrate(db, version, path, error, size);
}

/* The order follows from invariant 1: the owner of the file, its version, whether it is undamaged, and only then anything
 * that writes. TRUSTED_SCHEMA off: a manipulated file cannot run functions from its schema. */
static bool open_checked(struct sqlite *db, const char *path, bool write, char *error, size_t size)
{
    char real[PATH_MAX] = ":memory:";
    bool memory = !strcmp(path, ":memory:");
    int version = 0;
    if (!memory && !claim_file(db, path, write, real, error, size))
        return false;
    int code = sqlite3_open_v2(real, &db->sql,
        SQLITE_OPEN_NOMUTEX | (memory || write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) |
            (memory ? SQLITE_OPEN_CREATE : 0),
        NULL);
    if (code)
        return set_sql_error(db, code, path, error, size);
    sqlite3_extended_result_codes(db->sql, 1);
    sqlite3_busy_timeout(db->sql, BUSY_MS);
    sqlite3_db_config(db->sql, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
    if (!find_version(db, path, &version, error, size))
        return false;
    struct stat status;
    db->is_unchecked = write && version == STORE_VERSION && !memory && !stat(real, &status) &&
        status.st_size > CHECKED_AT_ONCE;
    if (version && !db->is_unchecked && !check_whole(db, path, error, size))
        return false;
    if (memory || write) {
        if (!prepare_to_write(db, path, real, memory, version, error, size))
            return false;
    } else if (version < STORE_VERSION) {
        if (version)
            set_error(error, size, _("%s has an older format (version %d): run 'pyramids serve' or 'pyramids import' "
                               "to update it"), path, version);
        else
            set_error(error, size, _("%s is empty"), path);
        return false;
    }
    if ((code = run_sql(db, "PRAGMA foreign_keys = ON")) || (code = prepare_controls(db)))
        return set_sql_error(db, code, path, error, size);
    if (write && !memory && !know_files(db, real)) {
        set_error(error, size, "%s: %s", path, pyr_text_system(errno));
        return false;
    }
    return true;
}

/* A command has the time: it checks a large file before it begins. */
static bool check_now(struct store_db *base, const char *path, char *error, size_t size)
{
    struct sqlite *db = (struct sqlite *)base;
    return !db->is_unchecked || check_whole(db, path, error, size);
}

/* In a thread of its own, with a connection of its own. */
static void check_beside(void *argument)
{
    struct sqlite *db = argument, beside = { .sql = db->checked };
    char error[512] = "";
    if (!check_whole(&beside, db->real, error, sizeof error) && !atomic_load(&db->is_closing))
        store_say(error);
}

/* A server does not keep players waiting for this check: it takes minutes for a file of gigabytes. */
static void serve(struct store_db *base, bool (*wait)(void *context, unsigned ms, bool is_ill), void *context)
{
    struct sqlite *db = (struct sqlite *)base;
    (void)wait;
    (void)context;
    if (!db->is_unchecked)
        return;
    if (sqlite3_open_v2(db->real, &db->checked, SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READONLY, NULL) ||
        uv_thread_create(&db->checker, check_beside, db)) {
        sqlite3_close(db->checked);
        db->checked = NULL;
    }
}

/* The lock is released last, after SQLite has closed the file and merged its write-ahead log. */
static void close_sqlite(struct store_db *base)
{
    struct sqlite *db = (struct sqlite *)base;
    if (db->checked) {
        atomic_store(&db->is_closing, true);
        sqlite3_interrupt(db->checked);
        uv_thread_join(&db->checker);
        sqlite3_close(db->checked);
    }
    for (unsigned i = 0; i < CONTROLS; i++)
        sqlite3_finalize(db->control[i]);
    for (unsigned i = 0; i < STORE_STATEMENTS; i++)
        sqlite3_finalize(db->statement[i]);
    sqlite3_close(db->sql);
    if (db->lock >= 0)
        close(db->lock);
    free(db->real);
    free(db);
}

static struct store_db *open_sqlite(const char *path, bool write, char *error, size_t size)
{
    struct sqlite *db = calloc(1, sizeof *db);
    if (!db) {
        set_error(error, size, "%s", pyr_text_system(ENOMEM));
        return NULL;
    }
    db->base.engine = &store_sqlite;
    db->lock = -1;
    if (open_checked(db, path, write, error, size))
        return &db->base;
    close_sqlite(&db->base);
    return NULL;
}

/* Whether a file could be created: its folder exists and can be written to, or the nearest parent that exists can. */
static bool can_be_made(const char *path)
{
    char part[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(part, path, length + 1);
    for (char *slash; (slash = strrchr(part, '/')); *slash = '\0') {
        slash[slash == part] = '\0';
        if (!access(part, F_OK) || errno != ENOENT || slash == part)
            return !access(part, W_OK | X_OK);
    }
    return !access(".", W_OK | X_OK);
}

static enum store_probe probe_file(struct sqlite *db, const char *path, char *error, size_t size)
{
    int version = 0, code = sqlite3_open_v2(path, &db->sql, SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READONLY, NULL);
    if (code) {
        set_sql_error(db, code, path, error, size);
        return STORE_PROBE_BAD;
    }
    sqlite3_busy_timeout(db->sql, BUSY_MS);
    if (!find_version(db, path, &version, error, size) || (version && !check_whole(db, path, error, size)))
        return STORE_PROBE_BAD;
    return !version ? STORE_PROBE_NEW : version < STORE_VERSION ? STORE_PROBE_OLD : STORE_PROBE_GOOD;
}

static enum store_probe probe(const char *path, char *error, size_t size)
{
    struct sqlite db = { .lock = -1 };
    char real[PATH_MAX];
    bool is_there = !access(path, F_OK);
    if (!strcmp(path, ":memory:"))
        return STORE_PROBE_NEW;
    if (!is_there ? errno != ENOENT || !can_be_made(path) : !find_real(path, real) || access(path, R_OK | W_OK)) {
        set_error(error, size, "%s: %s", path, pyr_text_system(errno));
        return STORE_PROBE_BAD;
    }
    if (!is_there)
        return STORE_PROBE_NEW;
    enum store_probe found = probe_file(&db, path, error, size);
    sqlite3_close(db.sql);
    return found;
}

static void explain(struct store_db *base, const char *path, char *error, size_t size)
{
    struct sqlite *db = (struct sqlite *)base;
    set_sql_error(db, sqlite3_extended_errcode(db->sql), path, error, size);
}

/* Whether the file is where it was; logs once when it is not, and once when it is again. */
static enum store_health look(struct store_db *base)
{
    struct sqlite *db = (struct sqlite *)base;
    bool there = is_in_place(db);
    if (there && db->is_gone)
        store_say("the database file is back in its place");
    else if (!there && !db->is_gone)
        store_say(
            "the database file was removed or replaced while it is in use: nothing can be stored; put it back, or restart");
    db->is_gone = !there;
    return there ? STORE_WELL : STORE_NO_FILE;
}

static void name_of(const char *where, char *to, size_t size)
{
    snprintf(to, size, "%s", where);
}

static bool is_mine(const char *where)
{
    (void)where;
    return true;
}

sqlite3 *store_sqlite_handle(struct store_db *db)
{
    return ((struct sqlite *)db)->sql;
}

const struct store_engine store_sqlite = {
    .name = "SQLite",
    .is_mine = is_mine,
    .open = open_sqlite,
    .probe = probe,
    .serve = serve,
    .check = check_now,
    .close = close_sqlite,
    .explain = explain,
    .look = look,
    .begin = begin,
    .settle = settle,
    .commit = commit,
    .rollback = rollback,
    .is_lost = is_lost,
    .has_written = has_written,
    .savepoint = savepoint,
    .release = release,
    .job_begin = savepoint,
    .job_end = job_end,
    .name_of = name_of,
    .execute = execute,
    .send = send_now,
    .query = query,
    .next = next,
    .finish = finish,
    .number = number,
    .real = real,
    .bytes = bytes,
};
