/*
 * store_admin.c: an operator's queries and commands (store_admin.h): bans, lists, renaming, checking the data, a copy of
 * the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pyramids/text.h>

#include "store_admin.h"
#include "store_engine.h"

static struct store_value text_of(const char *text)
{
    return (struct store_value){ .at = text, .size = strlen(text) };
}

static struct store_value number_of(int64_t number)
{
    return (struct store_value){ .number = number };
}

static void copy_text(struct store_db *db, int column, char *to, size_t room)
{
    size_t size;
    const char *text = db->engine->bytes(db, column, &size);
    snprintf(to, room, "%.*s", text ? (int)size : 0, text ? text : "");
}

/* Calls `each` for each row of a query, until it returns false. */
static enum store_result each_row(struct store_db *db, enum store_statement which, const struct store_value *values,
    bool (*each)(struct store_db *db, void *context), void *context)
{
    enum store_result result = db->engine->query(db, which, values);
    while (result == STORE_OK && (result = db->engine->next(db)) == STORE_OK)
        if (!each(db, context)) {
            db->engine->finish(db);
            return STORE_OK;
        }
    return result == STORE_MISSING ? STORE_OK : result;
}

/* Bans. */

enum store_result store_add_ban(struct store_db *db, struct store_ban *ban)
{
    const struct store_value values[] = { text_of(ban->address), number_of(ban->visitor), number_of(ban->made),
        number_of(ban->until), text_of(ban->reason) };
    enum store_result result = db->engine->query(db, ADD_BAN, values);
    if (result == STORE_OK && (result = db->engine->next(db)) == STORE_OK) {
        ban->id = db->engine->number(db, 0);
        db->engine->finish(db);
    }
    return result;
}

enum store_result store_drop_ban(struct store_db *db, int64_t id)
{
    const struct store_value value = number_of(id);
    int64_t changed = 0;
    enum store_result result = db->engine->execute(db, DROP_BAN, &value, &changed);
    return result == STORE_OK && !changed ? STORE_MISSING : result;
}

struct bans_asked {
    bool (*each)(void *context, const struct store_ban *ban);
    void *context;
};

static bool take_ban(struct store_db *db, void *context)
{
    const struct bans_asked *asked = context;
    struct store_ban ban = { .id = db->engine->number(db, 0), .visitor = db->engine->number(db, 2),
        .made = db->engine->number(db, 3), .until = db->engine->number(db, 4) };
    copy_text(db, 1, ban.address, sizeof ban.address);
    copy_text(db, 5, ban.reason, sizeof ban.reason);
    return asked->each(asked->context, &ban);
}

enum store_result store_each_ban(struct store_db *db, int64_t now, bool (*each)(void *context, const struct store_ban *ban),
    void *context)
{
    struct bans_asked asked = { each, context };
    const struct store_value value = number_of(now);
    return each_row(db, ALL_BANS, &value, take_ban, &asked);
}

enum store_result store_sweep_bans(struct store_db *db, int64_t before)
{
    const struct store_value value = number_of(before);
    int64_t changed;
    return db->engine->execute(db, OLD_BANS, &value, &changed);
}

enum store_result store_sweep_reports(struct store_db *db, int64_t before, int64_t *dropped)
{
    const struct store_value value = number_of(before);
    return db->engine->execute(db, OLD_REPORTS, &value, dropped);
}

/* Lists. */

struct tables_asked {
    bool (*each)(void *context, const struct store_table *table);
    void *context;
};

static bool take_table(struct store_db *db, void *context)
{
    const struct tables_asked *asked = context;
    size_t size;
    struct store_table table = { .id = db->engine->number(db, 0), .state = (uint8_t)db->engine->number(db, 2),
        .created = db->engine->number(db, 3), .changed = db->engine->number(db, 4), .is_public = db->engine->number(db, 6) };
    copy_text(db, 1, table.code, sizeof table.code);
    table.config = db->engine->bytes(db, 5, &size);
    return asked->each(asked->context, &table);
}

enum store_result store_list_tables(struct store_db *db, unsigned most, bool (*each)(void *context,
    const struct store_table *table), void *context)
{
    struct tables_asked asked = { each, context };
    const struct store_value value = number_of(most);
    return each_row(db, LIST_TABLES, &value, take_table, &asked);
}

struct visitors_asked {
    bool (*each)(void *context, const struct store_visitor *visitor);
    void *context;
};

static bool take_visitor(struct store_db *db, void *context)
{
    const struct visitors_asked *asked = context;
    struct store_visitor visitor = { .id = db->engine->number(db, 0), .created = db->engine->number(db, 2),
        .seen = db->engine->number(db, 3) };
    copy_text(db, 1, visitor.name, sizeof visitor.name);
    return asked->each(asked->context, &visitor);
}

enum store_result store_list_visitors(struct store_db *db, unsigned most, bool (*each)(void *context,
    const struct store_visitor *visitor), void *context)
{
    struct visitors_asked asked = { each, context };
    const struct store_value value = number_of(most);
    return each_row(db, LIST_VISITORS, &value, take_visitor, &asked);
}

enum store_result store_admin_rename(struct store_db *db, int64_t visitor, const char *name)
{
    const struct store_value values[] = { number_of(visitor), text_of(name) };
    int64_t changed = 0;
    enum store_result result = db->engine->execute(db, RENAME_VISITOR, values, &changed);
    if (result == STORE_OK && changed && db->engine->announce)
        db->engine->announce(db, STORE_NEWS_NAME, visitor, NULL, NULL);
    return result == STORE_OK && !changed ? STORE_MISSING : result;
}

static bool take_code(struct store_db *db, void *context)
{
    copy_text(db, 0, context, 16);
    return false;
}

enum store_result store_get_code(struct store_db *db, int64_t table, char code[16])
{
    const struct store_value value = number_of(table);
    code[0] = '\0';
    enum store_result result = each_row(db, CODE_OF_TABLE, &value, take_code, code);
    return result == STORE_OK && !code[0] ? STORE_MISSING : result;
}

/* Checking the data. */

static bool take_number(struct store_db *db, void *context)
{
    *(int64_t *)context = db->engine->number(db, 0);
    return false;
}

/* Rows of a file that refer to rows which do not exist; PostgreSQL never lets that happen. */
static bool check_keys(const char *where, struct store_check *check)
{
    sqlite3 *sql = NULL;
    sqlite3_stmt *statement = NULL;
    bool good = !sqlite3_open_v2(where, &sql, SQLITE_OPEN_READONLY, NULL) &&
        !sqlite3_prepare_v2(sql, "PRAGMA foreign_key_check", -1, &statement, NULL);
    int code = SQLITE_DONE;
    while (good && (code = sqlite3_step(statement)) == SQLITE_ROW)
        check->orphans++;
    sqlite3_finalize(statement);
    sqlite3_close(sql);
    return good && code == SQLITE_DONE;
}

bool store_check_whole(const char *where, struct store_check *check, char *error, size_t size)
{
    struct store_db *db;
    char unused[64];
    *check = (struct store_check){ 0 };
    if (!store_open_alone(&db, where, false, error, size))    /* opening checks every page of a file */
        return false;
    const struct { enum store_statement which; int64_t *to; } asked[] = { { CHECK_TABLES, &check->tables },
        { CHECK_GAPS, &check->gaps }, { CHECK_REVISIONS, &check->revisions } };
    enum store_result result = STORE_OK;
    for (unsigned i = 0; i < sizeof asked / sizeof *asked && result == STORE_OK; i++)
        result = each_row(db, asked[i].which, NULL, take_number, asked[i].to);
    bool is_file = !db->engine->is_shared;
    store_close_alone(db, false, unused, sizeof unused);
    if (result == STORE_OK && (!is_file || check_keys(where, check)))
        return true;
    char name[256];
    store_name(where, name, sizeof name);
    snprintf(error, size, _("%s: not everything could be read"), name);
    return false;
}

/* A copy. */

bool store_backup(const char *where, int *fd, char *error, size_t size)
{
    char path[4096];
    sqlite3 *sql = NULL;
    int length = snprintf(path, sizeof path, "%s.backup-%ld", where, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof path) {
        snprintf(error, size, "%s: %s", where, pyr_text_system(ENAMETOOLONG));
        return false;
    }
    unlink(path);
    *fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (*fd < 0) {
        snprintf(error, size, "%s: %s", path, pyr_text_system(errno));
        return false;
    }
    char *statement = sqlite3_mprintf("VACUUM INTO %Q", path);
    int code = statement ? sqlite3_open_v2(where, &sql, SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READONLY, NULL) : SQLITE_NOMEM;
    if (!code) {
        sqlite3_busy_timeout(sql, 60000);
        code = sqlite3_exec(sql, statement, NULL, NULL, NULL);
    }
    if (code)
        snprintf(error, size, _("%s could not be copied: %s"), where, sql ? sqlite3_errmsg(sql) : sqlite3_errstr(code));
    sqlite3_free(statement);
    sqlite3_close(sql);
    unlink(path);                            /* the descriptor is now the only way to the file */
    if (code)
        close(*fd);
    return !code;
}
