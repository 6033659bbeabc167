/*
 * admin_commands.c: the operator's commands to a running server. See admin.h.
 *
 * Answers contain no secrets: no tokens or keys, and codes only of public tables, since anyone with the code of a private
 * one can watch it. To close a private table, the operator gives its code or its number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pyramids/text.h>

#include "admin.h"
#include "change.h"
#include "conn.h"
#include "store_admin.h"
#include "web.h"

/* A job of the store for a command. */
struct task {
    struct store_job job;
    struct admin_conn *conn;
    json_t *list;                /* the rows that were found */
    struct store_ban ban;
    char code[16];
};

static void fail_storage(struct admin_conn *conn)
{
    admin_fail(conn, "storage", _("the database cannot be used at the moment; see the server's log"));
}

static struct task *begin_task(struct admin_conn *conn, enum store_result (*run)(struct store_db *db, struct store_job *job),
    void (*done)(struct store_job *job, enum store_result result))
{
    struct task *task = calloc(1, sizeof *task);
    if (!task) {
        admin_fail(conn, "memory", _("out of memory"));
        return NULL;
    }
    task->conn = conn;
    task->job.run = run;
    task->job.done = done;
    return task;
}

static void submit(struct task *task)
{
    if (task)
        store_submit(task->conn->server->store, &task->job);
}

/* Ends a task: true if it has a result to answer with. */
static bool end_task(struct task *task, enum store_result result)
{
    struct admin_conn *conn = task->conn;
    if (!result)
        return true;
    json_decref(task->list);
    free(task);
    fail_storage(conn);
    return false;
}

static json_t *time_or_null(int64_t seconds)
{
    return seconds ? json_integer((json_int_t)seconds) : json_null();
}

/* status */

static void run_status(struct admin_conn *conn)
{
    static const char *const healths[] = { [STORE_WELL] = "good", [STORE_NO_WRITES] = "no_writes",
        [STORE_NO_FILE] = "no_file" };
    struct server *server = conn->server;
    unsigned in_memory = 0;
    char name[512];
    uint64_t now = server_now(server), at = server->notice.restart_at;
    store_name(server->options.database, name, sizeof name);
    for (const struct table *table = server->table_list; table; table = table->next)
        in_memory++;
    json_t *notice = server->notice.text[0] || at ? json_pack("{ss? sI}", "text",
        server->notice.text[0] ? server->notice.text : NULL, "restart",
        (json_int_t)(at > now ? (at - now) / 1000 : 0)) : json_null();
    json_t *database = json_pack("{ss ss ss si}", "name", name, "engine", server->shared ? "PostgreSQL" : "SQLite", "health",
        healths[store_health(server->store)], "pending", (int)store_pending(server->store));
    admin_answer(conn, json_pack("{ss ss si sI si si si si sI si so so}", "version",
        server->options.version ? server->options.version : PYR_VERSION, "url", server->url, "process", (int)getpid(),
        "uptime", (json_int_t)(server_time() - server->started), "connections", (int)server->connections, "sockets",
        (int)server->sockets, "tables", (int)server->open_tables, "tables_in_memory", (int)in_memory, "finished",
        (json_int_t)server->count.games, "bans", (int)bans_count(server), "notice", notice, "database", database), -1);
}

/* tables */

/* A table as JSON from its row, without secrets. */
static json_t *read_row(const struct store_table *row)
{
    static const char *const states[] = { "waiting", "running", "over", "closed" };
    json_t *config = object_load(row->config ? row->config : "", row->config ? strlen(row->config) : 0);
    json_t *seats = json_array(), *seat;
    size_t i;
    json_array_foreach(json_object_get(config, "seats"), i, seat) {
        const char *kind = json_string_value(json_object_get(seat, "kind"));
        const char *level = json_string_value(json_object_get(seat, "level"));
        const char *name = json_string_value(json_object_get(seat, "name"));
        json_array_append_new(seats, json_pack("{ss ss ss? so sb}", "kind", kind ? kind : "open", "name", name ? name : "",
            "level", level, "visitor", time_or_null(json_integer_value(json_object_get(seat, "visitor"))), "away",
            json_is_true(json_object_get(seat, "away"))));
    }
    const char *edition = json_string_value(json_object_get(config, "edition"));
    const char *clock = json_string_value(json_object_get(config, "clock"));
    json_t *table = json_pack("{sI ss? ss sb ss ss sI sI so}", "table", (json_int_t)row->id, "code",
        row->is_public ? row->code : NULL, "state", states[row->state & 3], "public", row->is_public, "edition",
        edition ? edition : "", "clock", clock ? clock : "none", "created", (json_int_t)row->created, "changed",
        (json_int_t)row->changed, "seats", seats);
    json_object_set_new(table, "watching", json_integer(0));
    json_decref(config);
    return table;
}

static bool add_table(void *context, const struct store_table *row)
{
    return !json_array_append_new(context, read_row(row));
}

static enum store_result run_list_tables(struct store_db *db, struct store_job *job)
{
    struct task *task = (struct task *)job;
    json_decref(task->list);                 /* a job may run twice */
    task->list = json_array();
    return store_list_tables(db, task->conn->command.limit, add_table, task->list);
}

/* A listed table, for finding it by its number. */
struct listed {
    json_int_t id;
    json_t *table;
};

static int compare_listed(const void *a, const void *b)
{
    json_int_t one = ((const struct listed *)a)->id, other = ((const struct listed *)b)->id;
    return (one > other) - (one < other);
}

/* Adds the number of observers to tables that are in memory. There can be thousands of both, and games wait meanwhile. */
static void count_observers(const struct server *server, json_t *list)
{
    size_t size = json_array_size(list), i;
    struct listed *listed = calloc(size + 1, sizeof *listed);
    json_t *one;
    json_array_foreach(list, i, one)
        if (listed)
            listed[i] = (struct listed){ json_integer_value(json_object_get(one, "table")), one };
    if (listed)
        qsort(listed, size, sizeof *listed, compare_listed);
    for (const struct table *table = listed ? server->table_list : NULL; table; table = table->next) {
        const struct listed wanted = { .id = table->id };
        const struct listed *found = !table->observers ? NULL :
            bsearch(&wanted, listed, size, sizeof *listed, compare_listed);
        json_int_t count = 0;
        for (const struct table_observer *observer = table->observers; found && observer; observer = observer->next)
            count++;
        if (found)
            json_object_set_new(found->table, "watching", json_integer(count));
    }
    free(listed);
}

static void tables_listed(struct store_job *job, enum store_result result)
{
    struct task *task = (struct task *)job;
    struct server *server = task->conn->server;
    if (!end_task(task, result))
        return;
    count_observers(server, task->list);
    admin_answer(task->conn, json_pack("{si so}", "open", (int)server->open_tables, "tables", task->list), -1);
    free(task);
}

/* visitors */

static bool add_visitor(void *context, const struct store_visitor *row)
{
    return !json_array_append_new(context, json_pack("{sI ss sI sI}", "visitor", (json_int_t)row->id, "name", row->name,
        "created", (json_int_t)row->created, "seen", (json_int_t)row->seen));
}

static enum store_result run_list_visitors(struct store_db *db, struct store_job *job)
{
    struct task *task = (struct task *)job;
    json_decref(task->list);
    task->list = json_array();
    return store_list_visitors(db, task->conn->command.limit, add_visitor, task->list);
}

/* Where a visitor is connected from: addresses are in memory only, and only as limits count them. */
static json_t *addresses_of(const struct visitor *visitor)
{
    json_t *list = json_array();
    for (const struct conn *conn = visitor ? visitor->conns : NULL; conn; conn = conn->next_of_visitor) {
        bool is_there = !conn->address;
        json_t *one;
        size_t i;
        json_array_foreach(list, i, one)
            is_there |= conn->address && !strcmp(json_string_value(one), conn->address->text);
        if (!is_there)
            json_array_append_new(list, json_string(conn->address->text));
    }
    return list;
}

static void visitors_listed(struct store_job *job, enum store_result result)
{
    struct task *task = (struct task *)job;
    struct server *server = task->conn->server;
    json_t *one;
    size_t i;
    if (!end_task(task, result))
        return;
    json_array_foreach(task->list, i, one) {
        const struct visitor *visitor = visitor_by_id(server, json_integer_value(json_object_get(one, "visitor")));
        json_object_set_new(one, "connections", json_integer(visitor ? (json_int_t)visitor->connections : 0));
        json_object_set_new(one, "addresses", addresses_of(visitor));
    }
    admin_answer(task->conn, json_pack("{so}", "visitors", task->list), -1);
    free(task);
}

/* close */

static void answer_close(struct change *change, enum error error)
{
    struct admin_conn *conn = change->context;
    if (error == ERROR_STORAGE)
        fail_storage(conn);
    else if (error)
        admin_fail(conn, "not_open", _("the table's game is over already"));
    else
        admin_answer(conn, json_pack("{sI ss}", "table", (json_int_t)change->table->id, "state", "closed"), -1);
}

static void close_table(struct admin_conn *conn, struct table *table)
{
    struct change *change = change_new(table, apply_close);
    if (!change) {
        admin_fail(conn, "memory", _("out of memory"));
        return;
    }
    change->request.is_operator = true;
    change->answer = answer_close;
    change->context = conn;
    change_submit(change, NULL, NULL);
}

static void close_fetched(struct fetch *fetch, struct table *table, enum error error)
{
    if (table)
        close_table(fetch->context, table);
    else if (error == ERROR_STORAGE)
        fail_storage(fetch->context);
    else
        admin_fail(fetch->context, "no_table", _("there is no such table; 'pyramids admin tables' lists the open ones"));
}

static void close_by_code(struct admin_conn *conn, const char *code)
{
    struct table *table = table_find(conn->server, code);
    if (table)
        close_table(conn, table);
    else if (!table_fetch(conn->server, code, close_fetched, conn))
        admin_fail(conn, "memory", _("out of memory"));
}

static enum store_result run_get_code(struct store_db *db, struct store_job *job)
{
    struct task *task = (struct task *)job;
    return store_get_code(db, task->conn->command.id, task->code);
}

static void code_found(struct store_job *job, enum store_result result)
{
    struct task *task = (struct task *)job;
    struct admin_conn *conn = task->conn;
    char code[CODE_SIZE + 1];
    if (!end_task(task, result == STORE_MISSING ? STORE_OK : result))
        return;
    bool is_code = !result && code_read(task->code, code, CODE_SIZE);
    free(task);
    if (is_code)
        close_by_code(conn, code);
    else
        admin_fail(conn, "no_table", _("there is no such table; 'pyramids admin tables' lists the open ones"));
}

/* ban, unban, bans */

static json_t *ban_json(const struct store_ban *ban)
{
    return json_pack("{sI ss? so sI so ss?}", "ban", (json_int_t)ban->id, "address", ban->address[0] ? ban->address : NULL,
        "visitor", time_or_null(ban->visitor), "made", (json_int_t)ban->made, "until", time_or_null(ban->until), "reason",
        ban->reason[0] ? ban->reason : NULL);
}

static void fail_visitor(struct admin_conn *conn)
{
    admin_fail(conn, "no_visitor", _("there is no such visitor; 'pyramids admin visitors' lists them"));
}

/* Fails for a visitor who does not exist: the next new visitor could get that number. */
static enum store_result run_add_ban(struct store_db *db, struct store_job *job)
{
    struct store_ban *ban = &((struct task *)job)->ban;
    struct store_visitor visitor;
    enum store_result result = ban->visitor ? store_get_visitor_by_id(db, ban->visitor, &visitor) : STORE_OK;
    return result ? result : store_add_ban(db, ban);
}

static void ban_added(struct store_job *job, enum store_result result)
{
    struct task *task = (struct task *)job;
    struct admin_conn *conn = task->conn;
    if (!end_task(task, result == STORE_MISSING ? STORE_OK : result))
        return;
    if (result) {
        fail_visitor(conn);
    } else if (bans_add(conn->server, &task->ban)) {
        web_cut_banned(conn->server);
        admin_answer(conn, ban_json(&task->ban), -1);
    } else {
        admin_fail(conn, "too_many", _("there are too many bans"));
    }
    free(task);
}

static void run_ban(struct admin_conn *conn)
{
    const struct admin_command *command = &conn->command;
    if (bans_count(conn->server) >= MOST_BANS) {
        admin_fail(conn, "too_many", _("there are too many bans"));
        return;
    }
    struct task *task = begin_task(conn, run_add_ban, ban_added);
    if (!task)
        return;
    task->ban = (struct store_ban){ .visitor = command->address[0] ? 0 : command->id, .made = server_time(),
        .until = command->days ? server_time() + 86400 * (int64_t)command->days : 0 };
    memcpy(task->ban.address, command->address, sizeof task->ban.address);
    memcpy(task->ban.reason, command->reason, sizeof task->ban.reason);
    submit(task);
}

static enum store_result run_drop_ban(struct store_db *db, struct store_job *job)
{
    return store_drop_ban(db, ((struct task *)job)->conn->command.id);
}

static void ban_dropped(struct store_job *job, enum store_result result)
{
    struct task *task = (struct task *)job;
    struct admin_conn *conn = task->conn;
    if (!end_task(task, result == STORE_MISSING ? STORE_OK : result))
        return;
    free(task);
    bans_remove(conn->server, conn->command.id);
    if (result)
        admin_fail(conn, "no_ban", _("there is no such ban; 'pyramids admin bans' lists them"));
    else
        admin_answer(conn, json_pack("{sI sb}", "ban", (json_int_t)conn->command.id, "removed", 1), -1);
}

static bool add_ban(void *context, const struct store_ban *ban)
{
    return !json_array_append_new(context, ban_json(ban));
}

static enum store_result run_list_bans(struct store_db *db, struct store_job *job)
{
    struct task *task = (struct task *)job;
    json_decref(task->list);
    task->list = json_array();
    return store_each_ban(db, server_time(), add_ban, task->list);
}

static void bans_listed(struct store_job *job, enum store_result result)
{
    struct task *task = (struct task *)job;
    if (!end_task(task, result))
        return;
    admin_answer(task->conn, json_pack("{so}", "bans", task->list), -1);
    free(task);
}

/* rename */

static enum store_result run_rename(struct store_db *db, struct store_job *job)
{
    const struct admin_command *command = &((struct task *)job)->conn->command;
    return store_admin_rename(db, command->id, command->name);
}

static void renamed(struct store_job *job, enum store_result result)
{
    struct task *task = (struct task *)job;
    struct admin_conn *conn = task->conn;
    const struct admin_command *command = &conn->command;
    struct visitor *visitor = visitor_by_id(conn->server, command->id);
    if (!end_task(task, result == STORE_MISSING ? STORE_OK : result))
        return;
    free(task);
    if (result) {
        fail_visitor(conn);
        return;
    }
    if (visitor)
        memcpy(visitor->name, command->name, sizeof visitor->name);
    admin_answer(conn, json_pack("{sI ss}", "visitor", (json_int_t)command->id, "name", command->name), -1);
}

/* announce */

static void run_announce(struct admin_conn *conn)
{
    const struct admin_command *command = &conn->command;
    struct server *server = conn->server;
    memcpy(server->notice.text, command->text, sizeof server->notice.text);
    server->notice.restart_at = command->has_minutes ? server_now(server) + 60000 * (uint64_t)command->minutes : 0;
    if (command->has_minutes && !server->notice.restart_at)
        server->notice.restart_at = 1;
    if (!++server->notice.version)
        server->notice.version = 1;
    web_tell_notice(server);
    admin_answer(conn, json_pack("{ss? so si}", "text", command->text[0] ? command->text : NULL, "restart",
        command->has_minutes ? json_integer(60 * (json_int_t)command->minutes) : json_null(), "told",
        (int)server->sockets), -1);
}

/* backup and check: in their own thread, over their own connection. */

#define MOST_WORKS 4             /* backups and checks at a time, as many as libuv has threads */

struct work {
    uv_work_t work;
    struct admin_conn *conn;
    bool is_good;
    int file;
    struct store_check check;
    char error[400];
};

static void make_backup(uv_work_t *handle)
{
    struct work *work = handle->data;
    work->is_good = store_backup(work->conn->server->options.database, &work->file, work->error, sizeof work->error);
}

static void backup_made(uv_work_t *handle, int status)
{
    struct work *work = handle->data;
    work->conn->server->admin_works--;
    off_t size = work->is_good ? lseek(work->file, 0, SEEK_END) : 0;
    if (work->is_good && !status && size > 0)
        admin_answer(work->conn, json_pack("{sI}", "bytes", (json_int_t)size), work->file);
    else
        admin_fail(work->conn, "storage", work->error);
    free(work);
}

static void check_now(uv_work_t *handle)
{
    struct work *work = handle->data;
    work->is_good = store_check_whole(work->conn->server->options.database, &work->check, work->error, sizeof work->error);
}

static void checked(uv_work_t *handle, int status)
{
    struct work *work = handle->data;
    const struct store_check *check = &work->check;
    work->conn->server->admin_works--;
    bool good = work->is_good && !status && !check->gaps && !check->revisions && !check->orphans;
    admin_answer(work->conn, json_pack("{sb sI sI sI sI ss?}", "good", good, "tables", (json_int_t)check->tables, "gaps",
        (json_int_t)check->gaps, "revisions", (json_int_t)check->revisions, "orphans", (json_int_t)check->orphans, "message",
        work->is_good ? NULL : work->error), -1);
    free(work);
}

/* A few at a time: each reads the whole database. */
static void run_beside(struct admin_conn *conn, void (*run)(uv_work_t *work), void (*done)(uv_work_t *work, int status))
{
    if (conn->server->admin_works >= MOST_WORKS) {
        admin_fail(conn, "too_many", _("too many commands are running; try again when they are done"));
        return;
    }
    struct work *work = calloc(1, sizeof *work);
    if (work) {
        work->work.data = work;
        work->conn = conn;
        work->file = -1;
        if (!uv_queue_work(&conn->server->loop, &work->work, run, done)) {
            conn->server->admin_works++;
            return;
        }
        free(work);
    }
    admin_fail(conn, "memory", _("out of memory"));
}

static void run_backup(struct admin_conn *conn)
{
    if (conn->server->shared)
        admin_fail(conn, "postgresql",
            _("the database is at a PostgreSQL server: back it up with pg_dump or pg_basebackup (docs/storage.md)"));
    else if (!strcmp(conn->server->options.database, ":memory:"))
        admin_fail(conn, "memory_only", _("the database is in memory only"));
    else
        run_beside(conn, make_backup, backup_made);
}

static void run_check(struct admin_conn *conn)
{
    if (!strcmp(conn->server->options.database, ":memory:"))
        admin_fail(conn, "memory_only", _("the database is in memory only"));
    else
        run_beside(conn, check_now, checked);
}

/* sweep */

static void swept(void *context, const struct upkeep_swept *result)
{
    struct admin_conn *conn = context;
    if (result->result)
        fail_storage(conn);
    else
        admin_answer(conn, json_pack("{sI sI sI}", "tables", (json_int_t)result->tables, "visitors",
            (json_int_t)result->visitors, "analyses", (json_int_t)result->reports), -1);
}

void admin_run(struct admin_conn *conn)
{
    switch (conn->command.kind) {
    case ADMIN_STATUS: run_status(conn); break;
    case ADMIN_TABLES: submit(begin_task(conn, run_list_tables, tables_listed)); break;
    case ADMIN_VISITORS: submit(begin_task(conn, run_list_visitors, visitors_listed)); break;
    case ADMIN_CLOSE:
        if (conn->command.id)
            submit(begin_task(conn, run_get_code, code_found));
        else
            close_by_code(conn, conn->command.code);
        break;
    case ADMIN_BAN: run_ban(conn); break;
    case ADMIN_UNBAN: submit(begin_task(conn, run_drop_ban, ban_dropped)); break;
    case ADMIN_BANS: submit(begin_task(conn, run_list_bans, bans_listed)); break;
    case ADMIN_RENAME: submit(begin_task(conn, run_rename, renamed)); break;
    case ADMIN_ANNOUNCE: run_announce(conn); break;
    case ADMIN_BACKUP: run_backup(conn); break;
    case ADMIN_CHECK: run_check(conn); break;
    default:
        if (!upkeep_sweep(conn->server, swept, conn))
            admin_fail(conn, "memory", _("out of memory"));
    }
}
