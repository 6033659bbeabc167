/*
 * store_db.c: opens the database file and sees to it that it is ours, whole, of our version and used by nobody else.
 *
 *  1. A file is changed only after it proved to be ours and sound; a foreign one is left exactly as it was.
 *  2. A new database runs the same steps as an old one that is migrated, so there is one way in which the schema comes
 *     about.
 *  3. All steps are one transaction, with the version in it: killed at any moment, the database is of the old version
 *     or of the new.
 *  4. The lock is on a file of its own (FILE.lock): SQLite's locks are lost when a process closes any descriptor of the
 *     database itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <pyramids/text.h>

#include "store_db.h"

#define APPLICATION 0x50595241   /* "PYRA": marks the file as ours */
#define BUSY_MS 5000             /* how long a stranger (a backup, a curious shell) may hold the database */

/* Step v makes version v + 1 out of version v. A step, once released, is never changed. */
static const char *const steps[STORE_VERSION] = {
    "CREATE TABLE visitor (id INTEGER PRIMARY KEY, name TEXT NOT NULL, created INTEGER NOT NULL, seen INTEGER NOT "
    "NULL) STRICT;"
    "CREATE TABLE token (hash BLOB PRIMARY KEY, visitor INTEGER NOT NULL REFERENCES visitor) STRICT, WITHOUT ROWID;"
    "CREATE TABLE game (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, state INTEGER NOT NULL, created INTEGER NOT NULL,"
    " changed INTEGER NOT NULL, config TEXT NOT NULL) STRICT;"
    "CREATE INDEX game_open ON game (created, id) WHERE state < 2;"
    "CREATE INDEX game_over ON game (created, id) WHERE state = 2;"
    /* A row holds the lines that came together: seq is the number of the first, from 0. */
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
    /* Has all that statistics need. */
    "CREATE INDEX seat_visitor ON seat (visitor, people, level, points, share);",

    "CREATE TABLE report (id INTEGER PRIMARY KEY, game INTEGER NOT NULL REFERENCES game, name TEXT NOT NULL, text "
    "BLOB NOT NULL,"
    " UNIQUE (game, name)) STRICT;",

    /* When lines and choices were made: beside what is written anyway, so that a choice costs no further row. */
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
    /* For what is dropped after a while. */
    "CREATE INDEX game_closed ON game (changed, id) WHERE state = 3;"
    "CREATE INDEX token_visitor ON token (visitor);"
    "CREATE INDEX visitor_seen ON visitor (seen);",

    /* The revision of a table, which every change raises by one, is apart from its row: a choice then writes a few bytes
     * in a page that many tables share. due: from when a server has to look at the table; NULL: never. */
    "CREATE TABLE revision (game INTEGER PRIMARY KEY REFERENCES game, number INTEGER NOT NULL, due INTEGER) STRICT;"
    "INSERT INTO revision (game, number, due) SELECT id, 1, CASE WHEN state < 2 THEN 1 END FROM game;"
    "CREATE INDEX revision_due ON revision (due) WHERE due IS NOT NULL;"
    /* Ids of messages that took effect, as 8 keyed hashes of 8 bytes, so that any server knows them again. */
    "ALTER TABLE choice ADD COLUMN ids BLOB NOT NULL DEFAULT x'';"
    /* By which tables are found that are not in memory. */
    "ALTER TABLE game ADD COLUMN host INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE game ADD COLUMN public INTEGER NOT NULL DEFAULT 0;"
    "UPDATE game SET host = ifnull(json_extract(config, '$.host'), 0), public = ifnull(json_extract(config, '$.public'), 0)"
    " WHERE state < 2 AND json_valid(config);"
    "CREATE INDEX game_host ON game (host) WHERE state < 2;"
    "CREATE INDEX game_public ON game (state) WHERE public = 1 AND state < 2;"
    "ALTER TABLE token ADD COLUMN renewed INTEGER NOT NULL DEFAULT 0;",
};

/* Messages. */

static void say(char *error, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void say(char *error, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, size, format, arguments);
    va_end(arguments);
}

static void log_to_stderr(const char *words)
{
    fprintf(stderr, "pyramids: database: %s\n", words);
}

static void (*log_words)(const char *words) = log_to_stderr;

void store_set_log(void (*log)(const char *words))
{
    log_words = log ? log : log_to_stderr;
}

enum store_result store_db_result(struct store_db *db, int code)
{
    if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE)
        return STORE_OK;
    int primary = code & 0xff, system = db->sql ? sqlite3_system_errno(db->sql) : 0;
    int64_t now = (int64_t)time(NULL);
    if (now != db->said)
        log_words(db->sql ? sqlite3_errmsg(db->sql) : sqlite3_errstr(code));
    db->said = now;
    if (primary == SQLITE_FULL || primary == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM)
        return STORE_FULL;
    return primary == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT) ? STORE_FULL : STORE_FAILED;
}

void store_db_say(struct store_db *db, const char *words)
{
    (void)db;
    log_words(words);
}

/* Transactions. */

static const char *const controls[STORE_CONTROLS] = {
    [STORE_BEGIN] = "BEGIN",
    [STORE_BEGIN_WRITE] = "BEGIN IMMEDIATE",
    [STORE_COMMIT] = "COMMIT",
    [STORE_ROLLBACK] = "ROLLBACK",
    [STORE_PART] = "SAVEPOINT part",
    [STORE_PART_UNDO] = "ROLLBACK TO part",
    [STORE_PART_END] = "RELEASE part",
};

static int prepare_controls(struct store_db *db)
{
    int code = SQLITE_OK;
    for (unsigned i = 0; i < STORE_CONTROLS && !code; i++)
        code = sqlite3_prepare_v3(db->sql, controls[i], -1, SQLITE_PREPARE_PERSISTENT, &db->control[i], NULL);
    return code;
}

static enum store_result control(struct store_db *db, enum store_control which)
{
    enum store_result result = store_db_result(db, sqlite3_step(db->control[which]));
    sqlite3_reset(db->control[which]);
    return result;
}

enum store_result store_db_begin(struct store_db *db, bool write)
{
    store_db_rollback(db);                   /* one whose own rollback failed may still be open */
    enum store_result result = control(db, write ? STORE_BEGIN_WRITE : STORE_BEGIN);
    db->within = result == STORE_OK;
    return result;
}

enum store_result store_db_commit(struct store_db *db)
{
    enum store_result result = store_db_is_lost(db) ? STORE_FAILED : control(db, STORE_COMMIT);
    if (result != STORE_OK)
        store_db_rollback(db);
    db->within = false;
    return result;
}

void store_db_rollback(struct store_db *db)
{
    if (!sqlite3_get_autocommit(db->sql))
        control(db, STORE_ROLLBACK);
    db->within = false;
}

bool store_db_is_lost(const struct store_db *db)
{
    return db->within && sqlite3_get_autocommit(db->sql);
}

enum store_result store_part_begin(struct store_db *db)
{
    return store_db_is_lost(db) ? STORE_FAILED : control(db, STORE_PART);
}

enum store_result store_part_end(struct store_db *db, bool good)
{
    if (store_db_is_lost(db))
        return STORE_FAILED;
    enum store_result result = good ? STORE_OK : control(db, STORE_PART_UNDO);
    return result == STORE_OK ? control(db, STORE_PART_END) : result;
}

/* Files. */

static bool find_file(const char *path, const char *suffix, struct store_file *file)
{
    char name[PATH_MAX + 8];
    struct stat status;
    snprintf(name, sizeof name, "%s%s", path, suffix);
    if (stat(name, &status))
        return false;
    *file = (struct store_file){ status.st_dev, status.st_ino };
    return true;
}

/* Remembers which files are open. */
static bool know_files(struct store_db *db, const char *real)
{
    db->real = strdup(real);
    find_file(real, "-wal", &db->wal);       /* it comes with the first write at the latest */
    return db->real && find_file(real, "", &db->file);
}

static bool is_same(const struct store_db *db, const char *suffix, const struct store_file *known)
{
    struct store_file now;
    return find_file(db->real, suffix, &now) && now.device == known->device && now.inode == known->inode;
}

bool store_db_is_in_place(struct store_db *db)
{
    if (!db->real)
        return true;
    if (!db->wal.inode)
        find_file(db->real, "-wal", &db->wal);
    return is_same(db, "", &db->file) && (!db->wal.inode || is_same(db, "-wal", &db->wal));
}

bool store_default_path(char *to, size_t size)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int length = -1;
    if (data && data[0] == '/')              /* others are to be ignored, says its specification */
        length = snprintf(to, size, "%s/pyramids/pyramids.db", data);
    else if (home && home[0])
        length = snprintf(to, size, "%s/.local/share/pyramids/pyramids.db", home);
    return length >= 0 && (size_t)length < size;
}

/* Makes the folders that a file is to lie in. */
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

/* The path by which everyone means the same file, whatever links lead to it; the file need not exist. */
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

/* Takes the lock, which ends with the process at the latest. */
static bool take_lock(struct store_db *db, const char *real, const char *path, char *error, size_t size)
{
    char name[PATH_MAX + 8], owner[24] = "";
    snprintf(name, sizeof name, "%s.lock", real);
    db->lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (db->lock < 0) {
        say(error, size, "%s: %s", name, pyr_text_system(errno));
        return false;
    }
    if (flock(db->lock, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK) {
            say(error, size, "%s: %s", name, pyr_text_system(errno));
        } else {
            ssize_t got = read(db->lock, owner, sizeof owner - 1);
            long process = got > 0 ? strtol(owner, NULL, 10) : 0;
            if (process > 0)
                say(error, size,
                    _("%s is in use by another server or import (process %ld): stop it first, or use another --database"),
                    path, process);
            else
                say(error, size, _("%s is in use by another server or import: stop it first, or use another --database"),
                    path);
        }
        return false;
    }
    int length = snprintf(owner, sizeof owner, "%ld\n", (long)getpid());
    if (ftruncate(db->lock, 0) || write(db->lock, owner, (size_t)length) != length)
        return true;                         /* only the message of the next one suffers */
    return true;
}

static bool make_file(const char *real)
{
    int file = open(real, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return file >= 0 && !close(file);
}

/* Checks. */

static int run_sql(struct store_db *db, const char *sql)
{
    return sqlite3_exec(db->sql, sql, NULL, NULL, NULL);
}

/* The first column of the first row as a number, or as text (cut to size); false with SQLite's code. */
static int ask(struct store_db *db, const char *sql, sqlite3_int64 *number, char *text, size_t size)
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

static bool say_sql(struct store_db *db, int code, const char *path, char *error, size_t size)
{
    if ((code & 0xff) == SQLITE_NOTADB)
        say(error, size, _("%s is not a Pyramids database: use another --database"), path);
    else if ((code & 0xff) == SQLITE_CORRUPT)
        say(error, size, _("%s is damaged (%s): restore it from a backup"), path, sqlite3_errmsg(db->sql));
    else
        say(error, size, _("%s cannot be opened: %s"), path, db->sql ? sqlite3_errmsg(db->sql) : sqlite3_errstr(code));
    return false;
}

/* Whose it is and of which version; 0: nothing is in it yet. */
static bool find_version(struct store_db *db, const char *path, int *version, char *error, size_t size)
{
    sqlite3_int64 application = 0, found = 0, things = 0;
    int code;
    if ((code = ask(db, "PRAGMA application_id", &application, NULL, 0)) ||
        (code = ask(db, "PRAGMA user_version", &found, NULL, 0)) ||
        (code = ask(db, "SELECT count(*) FROM sqlite_schema", &things, NULL, 0)))
        return say_sql(db, code, path, error, size);
    if (application != APPLICATION && (application || found || things)) {
        say(error, size, _("%s is the database of another program: use another --database"), path);
        return false;
    }
    if (found > STORE_VERSION) {
        say(error, size, _("%s was written by a newer version of Pyramids (database version %lld, this program supports "
                           "%d): use that version"),
            path, (long long)found, STORE_VERSION);
        return false;
    }
    if (application == APPLICATION && found < 1) {
        say(error, size, _("%s is damaged (%s): restore it from a backup"), path, "user_version");
        return false;
    }
    *version = (int)found;
    return true;
}

static bool check_whole(struct store_db *db, const char *path, char *error, size_t size)
{
    char finding[200];
    int code = ask(db, "PRAGMA quick_check(1)", NULL, finding, sizeof finding);
    if (code)
        return say_sql(db, code, path, error, size);
    if (!strcmp(finding, "ok"))
        return true;
    for (char *c = finding; *c; c++)
        if (*c == '\n')
            *c = ' ';
    say(error, size, _("%s is damaged (%s): restore it from a backup"), path, finding);
    return false;
}

/* Migration. */

/* A copy of the database as it is, complete on the disk before it gets its name. */
static bool copy_beside(struct store_db *db, const char *real, int version, char *error, size_t size)
{
    char name[PATH_MAX + 24], draft[PATH_MAX + 32];
    snprintf(name, sizeof name, "%s.v%d", real, version);
    snprintf(draft, sizeof draft, "%s.new", name);
    unlink(draft);
    bool good = make_file(draft);
    if (!good) {
        say(error, size, _("could not make a backup before migrating: %s: %s"), draft, pyr_text_system(errno));
        return false;
    }
    char *sql = sqlite3_mprintf("VACUUM INTO %Q", draft);
    int code = sql ? run_sql(db, sql) : SQLITE_NOMEM;
    sqlite3_free(sql);
    if (code) {
        say(error, size, _("could not make a backup before migrating: %s: %s"), draft, sqlite3_errmsg(db->sql));
        unlink(draft);
        return false;
    }
    int file = open(draft, O_RDWR | O_CLOEXEC);
    good = file >= 0 && !fsync(file);
    if (file >= 0 && close(file))
        good = false;
    if (!good || rename(draft, name)) {
        say(error, size, _("could not make a backup before migrating: %s: %s"), draft, pyr_text_system(errno));
        unlink(draft);
        return false;
    }
    return true;
}

static bool migrate(struct store_db *db, int version, const char *path, char *error, size_t size)
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
        say(error, size, _("%s could not be migrated from version %d to %d and is unchanged: %s"), path, version,
            STORE_VERSION, sqlite3_errmsg(db->sql));
    else
        say_sql(db, code, path, error, size);
    if (!sqlite3_get_autocommit(db->sql))
        run_sql(db, "ROLLBACK");
    return false;
}

/* Opening. */

/* The file behind a path: made and locked if it is to be written. */
static bool claim_file(struct store_db *db, const char *path, bool write, char real[PATH_MAX], char *error, size_t size)
{
    bool good = (!write || make_parents(path)) && find_real(path, real);
    if (good && write && !take_lock(db, real, path, error, size))
        return false;                        /* which has said why */
    if (good)
        good = write ? make_file(real) : !access(real, R_OK);
    if (!good)
        say(error, size, "%s: %s", path, pyr_text_system(errno));
    return good;
}

/* Makes a database ready to be written, of the present version; `version` 0: it is new. */
static bool prepare_to_write(struct store_db *db, const char *path, const char *real, bool memory, int version,
    char *error, size_t size)
{
    char mode[16] = "";
    int code;
    /* A cache of 512 KB: what a change needs is little, and a larger one made nothing faster. */
    if ((code = ask(db, "PRAGMA journal_mode = WAL", NULL, mode, sizeof mode)) ||
        (code = run_sql(db, "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -512")))
        return say_sql(db, code, path, error, size);
    if (strcmp(mode, memory ? "memory" : "wal")) {
        say(error, size, _("%s cannot be opened: its file system does not support a write-ahead log"), path);
        return false;
    }
    if (version >= STORE_VERSION)
        return true;
    return (!version || copy_beside(db, real, version, error, size)) && migrate(db, version, path, error, size);
}

static bool open_checked(struct store_db *db, const char *path, bool write, char *error, size_t size)
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
        return say_sql(db, code, path, error, size);
    sqlite3_extended_result_codes(db->sql, 1);
    sqlite3_busy_timeout(db->sql, BUSY_MS);
    sqlite3_db_config(db->sql, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
    if (!find_version(db, path, &version, error, size))
        return false;
    if (version && !check_whole(db, path, error, size))
        return false;
    if (memory || write) {
        if (!prepare_to_write(db, path, real, memory, version, error, size))
            return false;
    } else if (version < STORE_VERSION) {
        if (version)
            say(error, size, _("%s has an older format (version %d): run 'pyramids serve' or 'pyramids import' "
                               "to update it"), path, version);
        else
            say(error, size, _("%s is empty"), path);
        return false;
    }
    if ((code = run_sql(db, "PRAGMA foreign_keys = ON")) || (code = prepare_controls(db)))
        return say_sql(db, code, path, error, size);
    if (write && !memory && !know_files(db, real)) {
        say(error, size, "%s: %s", path, pyr_text_system(errno));
        return false;
    }
    return true;
}

struct store_db *store_db_open(const char *path, bool write, char *error, size_t size)
{
    struct store_db *db = calloc(1, sizeof *db);
    if (!db) {
        say(error, size, "%s", pyr_text_system(ENOMEM));
        return NULL;
    }
    db->lock = -1;
    if (open_checked(db, path, write, error, size))
        return db;
    store_db_close(db);
    return NULL;
}

void store_db_close(struct store_db *db)
{
    if (!db)
        return;
    for (unsigned i = 0; i < STORE_CONTROLS; i++)
        sqlite3_finalize(db->control[i]);
    for (unsigned i = 0; i < STORE_STATEMENTS; i++)
        sqlite3_finalize(db->statement[i]);
    sqlite3_close(db->sql);
    if (db->lock >= 0)
        close(db->lock);
    free(db->text);
    free(db->real);
    free(db);
}

bool store_enter(struct store_db **db, const char *path, bool write, char *error, size_t error_size)
{
    struct store_db *opened = store_db_open(path, write, error, error_size);
    if (!opened)
        return false;
    if (store_db_begin(opened, write) != STORE_OK) {
        say_sql(opened, sqlite3_extended_errcode(opened->sql), path, error, error_size);
        store_db_close(opened);
        return false;
    }
    *db = opened;
    return true;
}

bool store_leave(struct store_db *db, bool good, char *error, size_t error_size)
{
    bool kept = true;
    if (good) {
        enum store_result result = store_db_commit(db);
        kept = result == STORE_OK;
        if (!kept)
            say(error, error_size, "%s",
                result == STORE_FULL ? _("the disk is full") : _("the database could not be written"));
    } else {
        store_db_rollback(db);
    }
    store_db_close(db);
    return kept;
}
