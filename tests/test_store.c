/*
 * The store: every call, group commit, disk failures, kill -9, refused databases. With PYR_POSTGRES (a connection
 * string) it is tested with that PostgreSQL server, in a schema per case, instead of with files; tests/postgres.py
 * starts one.
 */
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "store_admin.h"
#include "store_daily.h"
#include "store_reminders.h"
#include "store_sqlite.h"

#ifdef WITH_POSTGRESQL
#include <libpq-fe.h>
#endif

/* Cases for files only, and for PostgreSQL only. */
#define FILE_TEST(name) SOME_TEST(#name, !getenv("PYR_POSTGRES"), __LINE__)
#define POSTGRES_TEST(name) SOME_TEST(#name, getenv("PYR_POSTGRES"), __LINE__)
#define SOME_TEST(name, when, line) SOME_TEST_(name, when, CHECK_JOIN(case_, line), CHECK_JOIN(add_, line))
#define SOME_TEST_(name, when, function, add) \
    static void function(void); \
    __attribute__((constructor)) static void add(void) { if (when) check_add(name, function); } \
    static void function(void)

/*
 * A disk and a memory that fail on demand: a layer in front of SQLite's own file system and allocator. `fault.countdown`
 * operations succeed, then one fails, or all from then on. A page that contains the poison is never written.
 */
enum fault_kind { FAULT_NONE, FAULT_WRITE_FULL, FAULT_WRITE, FAULT_SYNC, FAULT_READ, FAULT_MEMORY, FAULT_POISON, FAULTS };

static struct {
    enum fault_kind kind;
    int countdown;
    bool lasting;
    int hits;
} fault;

static const char poison[] = "This line is poison to the disk";

static bool fails(enum fault_kind kind)
{
    if (fault.kind != kind || fault.countdown-- > 0)
        return false;
    if (!fault.lasting)
        fault.kind = FAULT_NONE;
    fault.hits++;
    return true;
}

struct faulty_file {
    sqlite3_file base;
    sqlite3_file *real;
};

#define REAL(file) (((struct faulty_file *)(file))->real)

static int faulty_close(sqlite3_file *f)
{
    return REAL(f)->pMethods ? REAL(f)->pMethods->xClose(REAL(f)) : SQLITE_OK;
}

static int faulty_read(sqlite3_file *f, void *to, int size, sqlite3_int64 at)
{
    return fails(FAULT_READ) ? SQLITE_IOERR_READ : REAL(f)->pMethods->xRead(REAL(f), to, size, at);
}

static int faulty_write(sqlite3_file *f, const void *from, int size, sqlite3_int64 at)
{
    if (fault.kind == FAULT_POISON)
        for (int i = 0; i + (int)sizeof poison <= size; i++)
            if (!memcmp((const char *)from + i, poison, sizeof poison - 1)) {
                fault.hits++;
                return SQLITE_FULL;
            }
    if (fails(FAULT_WRITE_FULL)) {           /* half of it is on the disk already */
        REAL(f)->pMethods->xWrite(REAL(f), from, size / 2, at);
        return SQLITE_FULL;
    }
    return fails(FAULT_WRITE) ? SQLITE_IOERR_WRITE : REAL(f)->pMethods->xWrite(REAL(f), from, size, at);
}

static int faulty_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    return REAL(f)->pMethods->xTruncate(REAL(f), size);
}

static int syncs;

static int faulty_sync(sqlite3_file *f, int flags)
{
    syncs++;
    return fails(FAULT_SYNC) ? SQLITE_IOERR_FSYNC : REAL(f)->pMethods->xSync(REAL(f), flags);
}

static int faulty_size(sqlite3_file *f, sqlite3_int64 *size)
{
    return REAL(f)->pMethods->xFileSize(REAL(f), size);
}

static int faulty_lock(sqlite3_file *f, int level)
{
    return REAL(f)->pMethods->xLock(REAL(f), level);
}

static int faulty_unlock(sqlite3_file *f, int level)
{
    return REAL(f)->pMethods->xUnlock(REAL(f), level);
}

static int faulty_reserved(sqlite3_file *f, int *is)
{
    return REAL(f)->pMethods->xCheckReservedLock(REAL(f), is);
}

static int faulty_control(sqlite3_file *f, int what, void *with)
{
    return REAL(f)->pMethods->xFileControl(REAL(f), what, with);
}

static int faulty_sector(sqlite3_file *f)
{
    return REAL(f)->pMethods->xSectorSize(REAL(f));
}

static int faulty_traits(sqlite3_file *f)
{
    return REAL(f)->pMethods->xDeviceCharacteristics(REAL(f));
}

static int faulty_map(sqlite3_file *f, int region, int size, int extend, void volatile **to)
{
    return REAL(f)->pMethods->xShmMap(REAL(f), region, size, extend, to);
}

static int faulty_shm_lock(sqlite3_file *f, int offset, int count, int flags)
{
    return REAL(f)->pMethods->xShmLock(REAL(f), offset, count, flags);
}

static void faulty_barrier(sqlite3_file *f)
{
    REAL(f)->pMethods->xShmBarrier(REAL(f));
}

static int faulty_unmap(sqlite3_file *f, int drop)
{
    return REAL(f)->pMethods->xShmUnmap(REAL(f), drop);
}

static const sqlite3_io_methods faulty_methods = { 2, faulty_close, faulty_read, faulty_write, faulty_truncate, faulty_sync,
    faulty_size,
    faulty_lock, faulty_unlock, faulty_reserved, faulty_control, faulty_sector, faulty_traits, faulty_map, faulty_shm_lock,
    faulty_barrier, faulty_unmap, NULL, NULL };
static sqlite3_vfs faulty_vfs;
static sqlite3_mem_methods real_memory;

static int faulty_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *got)
{
    sqlite3_vfs *real = vfs->pAppData;
    struct faulty_file *file = (struct faulty_file *)f;
    file->real = (sqlite3_file *)(file + 1);
    int code = real->xOpen(real, name, file->real, flags, got);
    file->base.pMethods = file->real->pMethods ? &faulty_methods : NULL;
    return code;
}

static void *faulty_malloc(int size)
{
    return fails(FAULT_MEMORY) ? NULL : real_memory.xMalloc(size);
}

static void *faulty_realloc(void *at, int size)
{
    return fails(FAULT_MEMORY) ? NULL : real_memory.xRealloc(at, size);
}

__attribute__((constructor)) static void install_faults(void)
{
    sqlite3_mem_methods memory;
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_memory);
    memory = real_memory;
    memory.xMalloc = faulty_malloc;
    memory.xRealloc = faulty_realloc;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &memory);
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);
    faulty_vfs = *real;
    faulty_vfs.zName = "faulty";
    faulty_vfs.pAppData = real;
    faulty_vfs.szOsFile = (int)sizeof(struct faulty_file) + real->szOsFile;
    faulty_vfs.xOpen = faulty_open;
    sqlite3_vfs_register(&faulty_vfs, 1);
}

static int words_logged;

static void count_words(const char *words)
{
    (void)words;
    words_logged++;
}

/* Files: a folder per case, removed afterwards. */

static char folder[64], path[512];

/* The connection string, if the server is tested. */

static const char *server(void) { return getenv("PYR_POSTGRES"); }

#ifdef WITH_POSTGRESQL
static bool outside_server(const char *sql, char *value, size_t size)
{
    PGconn *connection = PQconnectdb(path[0] ? path : server());
    PGresult *result = PQexec(connection, sql);
    ExecStatusType status = PQresultStatus(result);
    bool good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
    if (!good)
        fprintf(stderr, "%s\n", PQerrorMessage(connection));
    if (good && value)
        snprintf(value, size, "%s", PQntuples(result) ? PQgetvalue(result, 0, 0) : "");
    PQclear(result);
    PQfinish(connection);
    return good;
}
#else
static bool outside_server(const char *sql, char *value, size_t size) { (void)sql; (void)value; (void)size; return false; }
#endif

static void make_folder(void)
{
    static int schemas;
    if (server()) {
        char sql[96];
        path[0] = '\0';
        snprintf(sql, sizeof sql, "CREATE SCHEMA case_%d", schemas);
        if (!outside_server(sql, NULL, 0)) {
            printf("Bail out! no schema at the server\n");
            exit(1);
        }
        snprintf(path, sizeof path, "%s options='-csearch_path=case_%d -cclient_min_messages=error'", server(), schemas++);
        return;
    }
    /* In memory if possible: the reliability of disks is not tested here. */
    snprintf(folder, sizeof folder, "/dev/shm/test_store_XXXXXX");
    if (!mkdtemp(folder)) {
        snprintf(folder, sizeof folder, "/tmp/test_store_XXXXXX");
        if (!mkdtemp(folder)) {
            printf("Bail out! no folder under /tmp\n");
            exit(1);
        }
    }
    snprintf(path, sizeof path, "%s/games.db", folder);
}

static void drop_folder(void)
{
    char name[512];
    if (server())
        return;                  /* it ends with the server */
    struct dirent *entry;
    DIR *dir = opendir(folder);
    while (dir && (entry = readdir(dir))) {
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            remove(name);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}

static bool exists(const char *ending)
{
    char name[544];
    snprintf(name, sizeof name, "%s%s", path, ending);
    return !access(name, F_OK);
}

/* SQL from outside, on a connection of its own. */
static bool outside(const char *file, const char *sql)
{
    if (server())
        return outside_server(sql, NULL, 0);
    sqlite3 *db;
    bool good = sqlite3_open(file, &db) == SQLITE_OK && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_close(db);
    return good;
}

static int outside_number(const char *file, const char *sql)
{
    char value[32] = "-1";
    if (server())
        return outside_server(sql, value, sizeof value) ? atoi(value) : -1;
    sqlite3 *db;
    sqlite3_stmt *s = NULL;
    int number = -1;
    if (sqlite3_open(file, &db) == SQLITE_OK && sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW)
        number = sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    sqlite3_close(db);
    return number;
}

/* A store with a loop, and jobs that record their results. */

static uv_loop_t loop;
static struct store *store;
static char error[512];

static bool open_with(bool (*load)(struct store_db *db, void *context), void *context)
{
    error[0] = '\0';
    uv_loop_init(&loop);
    if (store_open(&store, &loop, path, load, context, error, sizeof error))
        return true;
    store = NULL;
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    return false;
}

static bool open_store(void)
{
    bool opened = open_with(NULL, NULL);
    if (!opened)
        fprintf(stderr, "%s\n", error);
    return opened;
}

static void close_store(void)
{
    store_close(store);
    store = NULL;
    uv_run(&loop, UV_RUN_DEFAULT);
    CHECK_INT(uv_loop_close(&loop), 0);
}

struct job {
    struct store_job job;
    int number, answered;        /* when: 1, 2, ... */
    enum store_result result;
};

static int answers;

static void note(struct store_job *job, enum store_result result)
{
    struct job *mine = (struct job *)job;
    mine->result = result;
    mine->answered = ++answers;
}

/* Runs one job to its end. */
static enum store_result do_job(enum store_result (*run)(struct store_db *db, struct store_job *job))
{
    struct job job = { .job = { .run = run, .done = note } };
    store_submit(store, &job.job);
    uv_run(&loop, UV_RUN_DEFAULT);
    CHECK_INT(store_pending(store), 0);
    return job.result;
}

static struct store_visitor visitor(int id)
{
    struct store_visitor v = { .id = id, .created = 1000 + id, .seen = 2000 + id };
    snprintf(v.name, sizeof v.name, "Visitor %d", id);
    memset(v.token, id, sizeof v.token);
    v.token[0] = (uint8_t)(id >> 8);
    return v;
}

static struct store_table table(int id, enum store_state state)
{
    struct store_table t = { .id = id, .state = (uint8_t)state, .created = 1000 + id, .changed = 2000 + id,
        .config = "{\"edition\": \"classic\"}" };
    snprintf(t.code, sizeof t.code, "CODE%d", id);
    return t;
}

/* All calls. */

static bool see_visitor(void *context, const struct store_visitor *v)
{
    int *seen = context;
    seen[0] = 10 * seen[0] + (int)v->id;
    return --seen[1] != 0;
}

static enum store_result try_visitors(struct store_db *db, struct store_job *job)
{
    (void)job;
    struct store_visitor a = visitor(1), b = visitor(2), got;
    int64_t last_visitor = -1, last_table = -1;
    CHECK_INT(store_last_ids(db, &last_visitor, &last_table), STORE_OK);
    CHECK_INT(last_visitor, 0);
    CHECK_INT(last_table, 0);
    CHECK_INT(store_put_visitor(db, &a), STORE_OK);
    CHECK_INT(store_put_visitor(db, &b), STORE_OK);
    CHECK_INT(store_get_visitor(db, a.token, &got), STORE_OK);
    CHECK(got.id == 1 && got.created == 1001 && got.seen == 2001 && !memcmp(got.token, a.token, 32));
    CHECK_STR(got.name, "Visitor 1");
    snprintf(a.name, sizeof a.name, "Zoë 🐫");
    a.seen = 3000;
    CHECK_INT(store_put_visitor(db, &a), STORE_OK);
    CHECK_INT(store_get_visitor(db, a.token, &got), STORE_OK);
    CHECK_STR(got.name, "Zoë 🐫");
    CHECK_INT(got.seen, 3000);
    uint8_t second[32] = { 99 };
    CHECK_INT(store_get_visitor(db, second, &got), STORE_MISSING);
    CHECK_INT(store_add_token(db, 1, second, 77), STORE_OK);
    CHECK_INT(store_add_token(db, 1, second, 77), STORE_OK);             /* again is harmless */
    CHECK_INT(store_get_visitor(db, second, &got), STORE_OK);
    CHECK_INT(got.renewed, 77);
    CHECK_INT(store_renew_token(db, second, 78), STORE_OK);
    CHECK_INT(store_get_visitor(db, second, &got), STORE_OK);
    CHECK_INT(got.renewed, 78);
    CHECK(got.id == 1 && got.token[0] == 99);
    CHECK_INT(store_add_token(db, 2, second, 77), STORE_FAILED);         /* another's */
    uint8_t third[32] = { 98 };
    CHECK_INT(store_add_token(db, 7, third, 77), STORE_MISSING);            /* nobody's */
    CHECK_INT(store_last_ids(db, &last_visitor, &last_table), STORE_OK);
    CHECK_INT(last_visitor, 2);
    int seen[2] = { 0 };
    memset(b.token, 0, sizeof b.token);                              /* no token to add */
    CHECK_INT(store_put_visitor(db, &b), STORE_OK);
    CHECK_INT(store_each_visitor(db, see_visitor, seen), STORE_OK);
    CHECK_INT(seen[0], 112);                                         /* one of them with two tokens */
    seen[0] = 0;
    seen[1] = 2;
    CHECK_INT(store_each_visitor(db, see_visitor, seen), STORE_OK);
    CHECK_INT(seen[0], 11);
    return STORE_OK;
}

TEST("visitors and their tokens")
{
    make_folder();
    if (CHECK(open_store())) {
        CHECK_INT(do_job(try_visitors), STORE_OK);
        close_store();
    }
    drop_folder();
}

struct seen {
    int count, stop;             /* stop: after so many; 0: never */
    int64_t ids[16];
    char text[4096];
    struct store_choice choice[8];
    int64_t phase;
    unsigned choices;
    struct store_seat seat;
    struct store_db *db;
};

static bool see_open(void *context, const struct store_table *t, const char *text, size_t size,
    const struct store_choice *choices, unsigned count)
{
    struct seen *seen = context;
    seen->ids[seen->count++] = t->id;
    CHECK(strlen(text) == size && size < sizeof seen->text);
    snprintf(seen->text, sizeof seen->text, "%s", text);
    memcpy(seen->choice, choices, count * sizeof *choices);
    seen->choices = count;
    seen->phase = t->phase;
    if (seen->db) {              /* if set, makes other calls meanwhile */
        struct store_table other;
        CHECK_INT(store_get_table(seen->db, "CODE1", &other), STORE_OK);
        CHECK_STR(t->config, "{\"edition\": \"classic\"}");
        struct store_table changed = *t;
        changed.state = STORE_CLOSED;
        CHECK_INT(store_put_table(seen->db, &changed), STORE_OK);
    }
    return seen->count != seen->stop;
}

static bool see_record(void *context, const struct store_table *t, const char *text, size_t size)
{
    struct seen *seen = context;
    seen->ids[seen->count++] = t->id;
    CHECK(strlen(text) == size);
    snprintf(seen->text, sizeof seen->text, "%s", text);
    return seen->count != seen->stop;
}

static bool see_seat(void *context, const struct store_table *t, const struct store_seat *seat)
{
    struct seen *seen = context;
    CHECK(t->id == seat->table);
    seen->ids[seen->count++] = t->id;
    seen->seat = *seat;
    return seen->count != seen->stop;
}

static enum store_result try_tables(struct store_db *db, struct store_job *job)
{
    (void)job;
    struct store_table got, t;
    struct seen seen = { 0 };
    for (int id = 1; id <= 5; id++) {
        t = table(id, id <= 2 ? STORE_WAITING : id == 3 ? STORE_RUNNING : id == 4 ? STORE_OVER : STORE_CLOSED);
        if (id == 2)
            t.created = 10;      /* the oldest */
        CHECK_INT(store_put_table(db, &t), STORE_OK);
    }
    CHECK_INT(store_get_table(db, "CODE3", &got), STORE_OK);
    CHECK(got.id == 3 && got.state == STORE_RUNNING && got.created == 1003 && got.changed == 2003);
    CHECK_STR(got.code, "CODE3");
    CHECK_STR(got.config, "{\"edition\": \"classic\"}");
    CHECK_INT(store_get_table(db, "NOSUCH", &got), STORE_MISSING);
    t = table(6, STORE_WAITING);
    strcpy(t.code, "CODE1");
    CHECK_INT(store_put_table(db, &t), STORE_FAILED);    /* a code has one table */
    CHECK_INT(store_each_open_table(db, see_open, &seen), STORE_OK);
    CHECK(seen.count == 3 && seen.ids[0] == 2 && seen.ids[1] == 1 && seen.ids[2] == 3);
    seen = (struct seen){ .stop = 2 };
    CHECK_INT(store_each_open_table(db, see_open, &seen), STORE_OK);
    CHECK_INT(seen.count, 2);

    t = table(3, STORE_RUNNING);                         /* the same state, then another */
    t.config = "{}";
    t.changed = 5;
    CHECK_INT(store_put_table(db, &t), STORE_OK);
    CHECK_INT(store_get_table(db, "CODE3", &got), STORE_OK);
    CHECK(got.changed == 5 && got.created == 1003);
    CHECK_STR(got.config, "{}");
    t.state = STORE_OVER;
    CHECK_INT(store_put_table(db, &t), STORE_OK);
    seen = (struct seen){ 0 };
    CHECK_INT(store_each_record(db, see_record, &seen), STORE_OK);
    CHECK(seen.count == 2 && seen.ids[0] == 3 && seen.ids[1] == 4);

    seen = (struct seen){ .db = db };
    CHECK_INT(store_each_open_table(db, see_open, &seen), STORE_OK);
    CHECK_INT(seen.count, 2);
    seen = (struct seen){ 0 };
    CHECK_INT(store_each_open_table(db, see_open, &seen), STORE_OK);
    CHECK_INT(seen.count, 0);                            /* all were closed while they were listed */
    int64_t last_visitor, last_table;
    CHECK_INT(store_last_ids(db, &last_visitor, &last_table), STORE_OK);
    CHECK_INT(last_table, 5);
    return STORE_OK;
}

TEST("tables by code and by state")
{
    make_folder();
    if (CHECK(open_store())) {
        CHECK_INT(do_job(try_tables), STORE_OK);
        close_store();
    }
    drop_folder();
}

static enum store_result try_lines(struct store_db *db, struct store_job *job)
{
    (void)job;
    struct store_table one = table(1, STORE_RUNNING), two = table(2, STORE_OVER);
    char *text = NULL;
    size_t size = 0;
    CHECK_INT(store_put_table(db, &one), STORE_OK);
    CHECK_INT(store_put_table(db, &two), STORE_OK);
    CHECK_INT(store_get_lines(db, 1, &text, &size), STORE_OK);
    CHECK_STR(text, "");
    free(text);
    CHECK_INT(store_get_lines(db, 9, &text, &size), STORE_MISSING);
    CHECK_INT(store_add_lines(db, 9, 0, "a\n", 2, 50), STORE_MISSING);
    CHECK_INT(store_add_lines(db, 1, 0, "pyramids-record 1\nedition classic\n", 34, 50), STORE_OK);
    CHECK_INT(store_add_lines(db, 2, 0, "other\n", 6, 50), STORE_OK);
    CHECK_INT(store_add_lines(db, 1, 2, "player 1 Zoë\n", 14, 50), STORE_OK);
    CHECK_INT(store_add_lines(db, 1, 2, "player 1 Ana\n", 13, 50), STORE_FAILED);    /* there already */
    CHECK_INT(store_add_lines(db, 1, 1, "player 1 Ana\n", 13, 50), STORE_FAILED);
    CHECK_INT(store_add_lines(db, 1, 4, "player 3 Eve\n", 13, 50), STORE_FAILED);    /* a hole */
    CHECK_INT(store_add_lines(db, 1, 3, "player 2 Ben", 12, 50), STORE_FAILED);      /* no whole line */
    CHECK_INT(store_add_lines(db, 1, 3, "", 0, 50), STORE_OK);
    CHECK_INT(store_add_lines(db, 1, 3, "player 2 Ben\nx", 13, 70), STORE_OK);
    CHECK_INT(store_get_lines(db, 1, &text, &size), STORE_OK);
    CHECK_STR(text, "pyramids-record 1\nedition classic\nplayer 1 Zoë\nplayer 2 Ben\n");
    CHECK_INT(size, strlen(text));
    free(text);

    struct store_choice choice = { .seat = 2, .phase = 4, .id = "c7", .text = "17 22", .made = 80 };
    CHECK_INT(store_put_choice(db, 1, &choice), STORE_OK);
    choice = (struct store_choice){ .seat = 1, .phase = 3, .id = "c6", .text = "1 2", .made = 81 };
    CHECK_INT(store_put_choice(db, 1, &choice), STORE_OK);
    choice = (struct store_choice){ .seat = 1, .phase = 4, .id = "c8", .made = 82 };
    CHECK_INT(store_put_choice(db, 1, &choice), STORE_OK);
    CHECK_INT(store_put_choice(db, 9, &choice), STORE_MISSING);
    struct seen seen = { 0 };
    CHECK_INT(store_each_open_table(db, see_open, &seen), STORE_OK);
    CHECK_INT(seen.count, 1);
    CHECK_STR(seen.text, "pyramids-record 1\nedition classic\nplayer 1 Zoë\nplayer 2 Ben\n");
    if (CHECK_INT(seen.choices, 2)) {
        CHECK(seen.choice[0].seat == 1 && seen.choice[0].phase == 4 && seen.choice[1].seat == 2);
        CHECK(seen.choice[0].made == 82 && seen.choice[1].made == 80);
        CHECK_INT(seen.phase, 70);
        CHECK_STR(seen.choice[0].id, "c8");
        CHECK_STR(seen.choice[0].text, "");
        CHECK_STR(seen.choice[1].text, "17 22");
    }
    seen = (struct seen){ 0 };
    CHECK_INT(store_each_record(db, see_record, &seen), STORE_OK);
    CHECK(seen.count == 1 && seen.ids[0] == 2);
    CHECK_STR(seen.text, "other\n");

    CHECK_INT(store_get_report(db, 1, "analysis", &text, &size), STORE_MISSING);
    CHECK_INT(store_put_report(db, 9, "analysis", "{}", 2, 60), STORE_MISSING);
    CHECK_INT(store_put_report(db, 1, "analysis", "{}", 2, 60), STORE_OK);
    CHECK_INT(store_put_report(db, 1, "analysis", "{\0}", 3, 60), STORE_OK);
    CHECK_INT(store_put_report(db, 1, "page", "", 0, 60), STORE_OK);
    CHECK_INT(store_get_report(db, 1, "analysis", &text, &size), STORE_OK);
    CHECK(size == 3 && !memcmp(text, "{\0}", 4));
    free(text);
    CHECK_INT(store_get_report(db, 1, "page", &text, &size), STORE_OK);
    CHECK(size == 0 && !*text);
    free(text);
    return STORE_OK;
}

TEST("lines, choices, records and reports")
{
    make_folder();
    if (CHECK(open_store())) {
        CHECK_INT(do_job(try_lines), STORE_OK);
        close_store();
    }
    drop_folder();
}

static enum store_result try_seats(struct store_db *db, struct store_job *job)
{
    (void)job;
    struct store_statistics sums;
    struct seen seen = { 0 };
    for (int id = 1; id <= 2; id++) {
        struct store_visitor v = visitor(id);
        CHECK_INT(store_put_visitor(db, &v), STORE_OK);
    }
    for (int id = 1; id <= 6; id++) {
        struct store_table t = table(id, STORE_OVER);
        t.changed = id == 2 ? 9000 : 100 + id;
        struct store_seat seat = { .table = id, .visitor = 1, .seat = 2, .people = id <= 2, .bots = 1,
            .points = id == 6 ? -1000 : 10 * id,
            .share = id == 3 ? 0.5f : id == 4 };
        strcpy(seat.level, id == 5 ? "expert" : "club");
        CHECK_INT(store_put_seat(db, &seat), STORE_MISSING);                /* no table yet */
        CHECK_INT(store_put_table(db, &t), STORE_OK);
        CHECK_INT(store_put_seat(db, &seat), STORE_OK);
        CHECK_INT(store_put_seat(db, &seat), STORE_OK);
    }
    struct store_seat other = { .table = 1, .visitor = 2, .seat = 1, .people = 1, .points = 77, .share = 1 };
    CHECK_INT(store_put_seat(db, &other), STORE_OK);
    other = (struct store_seat){ .table = 1, .visitor = 3, .seat = 3 };
    CHECK_INT(store_put_seat(db, &other), STORE_MISSING);                   /* no such visitor */
    CHECK_INT(store_each_table_of(db, 1, 4, see_seat, &seen), STORE_OK);
    CHECK(seen.count == 4 && seen.ids[0] == 2 && seen.ids[1] == 6 && seen.ids[2] == 5 && seen.ids[3] == 4);
    CHECK(seen.seat.visitor == 1 && seen.seat.seat == 2 && seen.seat.people == 0 && seen.seat.bots == 1 &&
        seen.seat.points == 40);
    CHECK(seen.seat.share == 1.0f);
    CHECK_STR(seen.seat.level, "club");
    seen = (struct seen){ .stop = 2 };
    CHECK_INT(store_each_table_of(db, 1, 100, see_seat, &seen), STORE_OK);
    CHECK(seen.count == 2 && seen.seat.points == -1000);
    CHECK_INT(store_get_statistics(db, 1, &sums), STORE_OK);
    if (CHECK_INT(sums.count, 3)) {
        CHECK_STR(sums.tally[0].level, "");
        CHECK(sums.tally[0].games == 2 && sums.tally[0].points == 30 && sums.tally[0].best == 20 && sums.tally[0].wins == 0);
        CHECK_STR(sums.tally[1].level, "club");
        CHECK(sums.tally[1].games == 2 && sums.tally[1].points == 70 && sums.tally[1].best == 40 &&
            sums.tally[1].wins == 1.5);
        CHECK_STR(sums.tally[2].level, "expert");
        CHECK(sums.tally[2].games == 1 && sums.tally[2].wins == 0);
    }
    CHECK_INT(store_get_statistics(db, 9, &sums), STORE_OK);
    CHECK_INT(sums.count, 0);
    CHECK_INT(store_drop_seat(db, 1, 2), STORE_OK);
    CHECK_INT(store_drop_seat(db, 1, 2), STORE_MISSING);
    seen = (struct seen){ 0 };
    CHECK_INT(store_each_table_of(db, 1, 100, see_seat, &seen), STORE_OK);
    CHECK_INT(seen.count, 5);
    /* Visitors without a seat are deleted after a time, except the last one, whose id must not be used again. */
    for (int id = 3; id <= 6; id++) {
        struct store_visitor v = visitor(id);
        v.seen = id == 5 ? 9000 : 2000;
        CHECK_INT(store_put_visitor(db, &v), STORE_OK);
    }
    int left[2] = { 0 };
    CHECK_INT(store_drop_visitors(db, 9000), STORE_OK);
    CHECK_INT(store_each_visitor(db, see_visitor, left), STORE_OK);
    CHECK_INT(left[0], 1256);
    return STORE_OK;
}

TEST("seats and statistics")
{
    make_folder();
    if (CHECK(open_store())) {
        CHECK_INT(do_job(try_seats), STORE_OK);
        close_store();
    }
    drop_folder();
}

/* What a change of a table writes. */

static void nothing(struct store_job *job, enum store_result result)
{
    (void)job;
    (void)result;
}

static enum store_result write_first_two(struct store_db *db, struct store_job *job)
{
    struct store_visitor one = visitor(1), two = visitor(2);
    (void)job;
    enum store_result result = store_put_visitor(db, &one);
    return result ? result : store_put_visitor(db, &two);
}

static enum store_result do_commit(struct store_commit *commit)
{
    commit->job.run = store_run_commit;
    commit->job.done = nothing;
    store_submit(store, &commit->job);
    uv_run(&loop, UV_RUN_DEFAULT);
    return commit->job.result;
}

static enum store_result look_at_commit(struct store_db *db, struct store_job *job)
{
    (void)job;
    struct store_choice choices[STORE_SEATS];
    struct store_table got;
    struct seen seen = { 0 };
    char code[16], *text = NULL;
    size_t size = 0;
    unsigned count = 0;
    CHECK_INT(store_get_table(db, "CODE1", &got), STORE_OK);
    CHECK(got.state == STORE_RUNNING && got.revision == 3 && got.host == 1);
    CHECK_INT(store_get_table(db, "CODE2", &got), STORE_MISSING);       /* all of it was rolled back */
    CHECK_INT(store_get_table(db, "CODE3", &got), STORE_MISSING);
    CHECK_INT(store_get_request(db, 1, "r1", code), STORE_OK);
    CHECK_STR(code, "CODE1");
    CHECK_INT(store_get_lines(db, 1, &text, &size), STORE_OK);
    CHECK(size == 8 && text && !memcmp(text, "one\ntwo\n", 8));
    free(text);
    CHECK_INT(store_get_choices(db, 1, choices, &count), STORE_OK);
    CHECK(count == 1 && choices[0].seat == 1 && choices[0].phase == 2);
    CHECK_STR(choices[0].text, "17 22");
    CHECK(choices[0].ids[0] == 3 && choices[0].ids[1] == 4 && !choices[0].ids[2]);
    CHECK_INT(store_each_table_of(db, 1, 100, see_seat, &seen), STORE_OK);
    CHECK_INT(seen.count, 1);
    CHECK(seen.seat.table == 1 && seen.seat.seat == 0);
    return STORE_OK;
}

TEST("a change of a table is written as a whole or not at all")
{
    make_folder();
    if (!CHECK(open_store())) {
        drop_folder();
        return;
    }
    struct store_commit first = { .table = table(1, STORE_RUNNING), .made = 3000, .request = "r1",
        .lines = "one\ntwo\n", .lines_size = 8, .seats = 2,
        .seat = { { .table = 1, .visitor = 1, .points = -1000 }, { .table = 1, .visitor = 2, .seat = 1,
            .points = -1000 } } };
    first.table.host = 1;
    CHECK_INT(do_job(write_first_two), STORE_OK);
    CHECK_INT(do_commit(&first), STORE_OK);
    CHECK(first.after.id == 1 && first.after.revision == 1);
    /* The same request again makes no second table, and leaves nothing behind. */
    struct store_commit again = { .table = table(2, STORE_WAITING), .made = 3001, .request = "r1", .seats = 1,
        .seat = { { .table = 2, .visitor = 1, .points = -1000 } } };
    again.table.host = 1;
    CHECK_INT(do_commit(&again), STORE_MISSING);
    /* Lines that do not continue the log refuse the choice that comes with them. In a single statement this cannot be
     * told from another revision, so the table is read again. */
    struct store_commit torn = { .table = { .id = 1, .revision = 1 }, .made = 3002, .lines = "five\n", .lines_size = 5,
        .first_line = 4,
        .has_choice = true, .choice = { .seat = 0, .phase = 4, .text = "1 2" } };
    CHECK_INT(do_commit(&torn), store_can_share(path) ? STORE_CONFLICT : STORE_FAILED);
    /* A choice alone changes nothing else; a seat without a visitor is dropped. */
    struct store_commit choice = { .table = { .id = 1, .revision = 1 }, .made = 3003, .has_choice = true,
        .choice = { .seat = 1, .phase = 2, .text = "17 22", .ids = { 3, 4 } } };
    CHECK_INT(do_commit(&choice), STORE_OK);
    CHECK_INT(choice.after.revision, 2);
    /* If the table has changed since, nothing is stored: no choice, no lines, no configuration, no seats. */
    struct store_commit late = { .table = table(1, STORE_OVER), .made = 3004, .has_choice = true,
        .choice = { .seat = 1, .phase = 2, .text = "1 2" }, .lines = "three\n", .lines_size = 6, .first_line = 2,
            .seats = 1 };
    late.table.revision = 1;
    CHECK_INT(do_commit(&late), STORE_CONFLICT);
    late.table.revision = 3;
    CHECK_INT(do_commit(&late), STORE_CONFLICT);
    /* Nor a second table with the same code, or one more than a host may have. */
    struct store_commit twin = { .table = table(1, STORE_WAITING), .made = 3004 };
    CHECK_INT(do_commit(&twin), STORE_CONFLICT);
    struct store_commit more = { .table = table(3, STORE_WAITING), .made = 3004, .most = 1 };
    more.table.host = 1;
    CHECK_INT(do_commit(&more), STORE_LIMIT);
    struct store_commit seats = { .table = { .id = 1, .revision = 2 }, .made = 3004, .seats = 2,
        .seat = { { .table = 1, .visitor = 1, .points = -1000 }, { .table = 1, .seat = 1 } } };
    CHECK_INT(do_commit(&seats), STORE_OK);
    CHECK_INT(do_job(look_at_commit), STORE_OK);
    close_store();
    drop_folder();
}

/* Jobs. */

/* Writes visitor `number`; some write first and then fail. */
static enum store_result write_visitor(struct store_db *db, struct store_job *job)
{
    struct job *mine = (struct job *)job;
    struct store_visitor v = visitor(mine->number);
    enum store_result result = store_put_visitor(db, &v);
    if (result != STORE_OK)
        return result;
    return mine->number % 7 == 3 ? STORE_FAILED : mine->number % 7 == 5 ? STORE_MISSING : STORE_OK;
}

static uv_sem_t gate;

static enum store_result wait_at_gate(struct store_db *db, struct store_job *job)
{
    (void)db;
    (void)job;
    uv_sem_wait(&gate);
    return STORE_OK;
}

static uv_sem_t held;

static enum store_result hold_at_gate(struct store_db *db, struct store_job *job)
{
    uv_sem_post(&held);
    return wait_at_gate(db, job);
}

TEST("jobs share transactions, are answered in order, and fail alone")
{
    enum { JOBS = 1000 };
    static struct job jobs[JOBS + 1];
    make_folder();
    if (CHECK(open_store())) {
        answers = -1;
        uv_sem_init(&gate, 0);               /* keeps the thread busy while the others come */
        jobs[0] = (struct job){ .job = { .run = wait_at_gate, .done = note } };
        store_submit(store, &jobs[0].job);
        nanosleep(&(struct timespec){ 0, 50000000 }, NULL);
        for (int i = 1; i <= JOBS; i++) {
            jobs[i] = (struct job){ .job = { .run = write_visitor, .done = note }, .number = i };
            store_submit(store, &jobs[i].job);
        }
        CHECK_INT(store_pending(store), JOBS + 1);
        uv_sem_post(&gate);
        uv_run(&loop, UV_RUN_DEFAULT);
        CHECK_INT(store_pending(store), 0);
        int wrong = 0, good = 0;
        for (int i = 1; i <= JOBS; i++) {
            wrong += jobs[i].answered != i || jobs[i].result != (i % 7 == 3 ? STORE_FAILED : i % 7 ==
                5 ? STORE_MISSING : STORE_OK);
            good += jobs[i].result == STORE_OK;
        }
        CHECK_INT(wrong, 0);
        struct store_counters counters = store_counters(store);
        CHECK_INT(counters.jobs, JOBS + 1);
        CHECK_INT(counters.failed, (JOBS + 4) / 7);
        /* 5: the first was committed with some others */
        CHECK(counters.commits >= 4 && counters.commits <= 5 && counters.seconds > 0);
        uv_sem_destroy(&gate);
        close_store();
        CHECK_INT(outside_number(path, "SELECT count(*) FROM visitor"), good);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM visitor WHERE id % 7 IN (3, 5)"), 0);
    }
    drop_folder();
}

static enum store_result write_one(struct store_db *db, struct store_job *job)
{
    struct store_visitor v = visitor(((struct job *)job)->number);
    return store_put_visitor(db, &v);
}

/* Its answer leads to another job. */
static struct job next_jobs[11];

static void submit_next(struct store_job *job, enum store_result result)
{
    struct job *mine = (struct job *)job, *next = &next_jobs[mine->number];
    mine->result = result;
    *next = (struct job){ .job = { .run = write_one, .done = note }, .number = mine->number + 10 };
    store_submit(store, &next->job);
}

TEST("jobs that come together, and those that follow from their results, share a transaction each")
{
    static struct job jobs[11];
    make_folder();
    if (CHECK(open_store())) {
        for (int i = 1; i <= 10; i++) {
            jobs[i] = (struct job){ .job = { .run = write_one, .done = submit_next }, .number = i };
            store_submit(store, &jobs[i].job);
        }
        uv_run(&loop, UV_RUN_DEFAULT);
        for (int i = 1; i <= 10; i++)
            CHECK(jobs[i].result == STORE_OK && next_jobs[i].result == STORE_OK);
        CHECK_INT(store_counters(store).commits, 2);
        close_store();
    }
    drop_folder();
}

/* Writes visitor `number`, then runs out of room: number 2 only the first time, multiples of 3 always. */
static int runs[40];

static enum store_result write_without_room(struct store_db *db, struct store_job *job)
{
    struct job *mine = (struct job *)job;
    struct store_visitor v = visitor(mine->number);
    enum store_result result = store_put_visitor(db, &v);
    runs[mine->number]++;
    if (result != STORE_OK)
        return result;
    return mine->number % 3 == 0 || (mine->number == 2 && runs[2] == 1) ? STORE_NO_ROOM : STORE_OK;
}

/* Keeps the thread busy until `gate` is open, so that the jobs submitted meanwhile share a transaction. */
static void hold_thread(struct job *holder)
{
    uv_sem_init(&gate, 0);
    uv_sem_init(&held, 0);
    *holder = (struct job){ .job = { .run = hold_at_gate, .done = note } };
    store_submit(store, &holder->job);
    uv_run(&loop, UV_RUN_NOWAIT);            /* the thread gets it */
    uv_sem_wait(&held);
}

TEST("no room within a shared transaction: each is tried alone, and only what finds none alone is refused")
{
    enum { JOBS = 30 };
    static struct job jobs[JOBS + 1], holder;
    make_folder();
    memset(runs, 0, sizeof runs);
    if (CHECK(open_store())) {
        hold_thread(&holder);
        for (int i = 1; i <= JOBS; i++) {
            jobs[i] = (struct job){ .job = { .run = write_without_room, .done = note }, .number = i };
            store_submit(store, &jobs[i].job);
        }
        uv_sem_post(&gate);
        uv_run(&loop, UV_RUN_DEFAULT);
        for (int i = 1; i <= JOBS; i++)
            CHECK_INT(jobs[i].result, i % 3 ? STORE_OK : STORE_NO_ROOM);
        CHECK_INT(runs[1], 2);               /* rolled back with the others, and run again */
        CHECK_INT(runs[2], 2);
        CHECK_INT(runs[JOBS], 1);            /* the shared transaction had ended before */
        CHECK_INT(store_counters(store).failed, JOBS / 3);
        close_store();
        CHECK_INT(outside_number(path, "SELECT count(*) FROM visitor"), JOBS - JOBS / 3);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM visitor WHERE id % 3 = 0"), 0);
    }
    uv_sem_destroy(&gate);
    uv_sem_destroy(&held);
    drop_folder();
}

/* A disk with room for a few more pages: the report of number 3 does not fit, small rows do. */
static enum store_result leave_little_room(struct store_db *db, struct store_job *job)
{
    (void)job;
    sqlite3_stmt *statement;
    int pages = 0;
    if (!sqlite3_prepare_v2(store_sqlite_handle(db), "PRAGMA page_count", -1, &statement, NULL) &&
        sqlite3_step(statement) == SQLITE_ROW)
        pages = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    char text[64];
    snprintf(text, sizeof text, "PRAGMA max_page_count=%d", pages + 6);
    return pages && !sqlite3_exec(store_sqlite_handle(db), text, NULL, NULL, NULL) ? STORE_OK : STORE_FAILED;
}

static enum store_result write_report(struct store_db *db, struct store_job *job)
{
    static char large[200000];
    struct job *mine = (struct job *)job;
    struct store_table t = table(mine->number, STORE_OVER);
    enum store_result result = store_put_table(db, &t);
    uint32_t noise = 1;                      /* incompressible data */
    for (size_t i = 0; i < sizeof large; i++)
        large[i] = (char)('!' + ((noise = noise * 1664525 + 1013904223) >> 16) % 90);
    return result ? result : store_put_report(db, mine->number, "analysis.json", large,
        mine->number == 3 ? sizeof large : 20, 1);
}

FILE_TEST("a full disk within a shared transaction: the others are kept")
{
    enum { JOBS = 5 };
    static struct job jobs[JOBS + 1], holder;
    make_folder();
    store_set_log(count_words);
    if (CHECK(open_store()) && CHECK_INT(do_job(leave_little_room), STORE_OK)) {
        hold_thread(&holder);
        for (int i = 1; i <= JOBS; i++) {
            jobs[i] = (struct job){ .job = { .run = write_report, .done = note }, .number = i };
            store_submit(store, &jobs[i].job);
        }
        uv_sem_post(&gate);
        uv_run(&loop, UV_RUN_DEFAULT);
        for (int i = 1; i <= JOBS; i++)
            CHECK_INT(jobs[i].result, i == 3 ? STORE_NO_ROOM : STORE_OK);
        close_store();
        CHECK_INT(outside_number(path, "SELECT count(*) FROM game"), JOBS - 1);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM game WHERE id = 3"), 0);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM pragma_quick_check WHERE quick_check != 'ok'"), 0);
    }
    uv_sem_destroy(&gate);
    uv_sem_destroy(&held);
    store_set_log(NULL);
    drop_folder();
}

static int chain_left;

/* Submits the next job from the callback of this one. */
static void chain(struct store_job *job, enum store_result result)
{
    struct job *mine = (struct job *)job;
    mine->result = result;
    mine->answered = ++answers;
    if (chain_left-- > 0) {
        mine->number += 7;
        store_submit(store, job);
    }
}

TEST("closing runs what is pending and what that hands in")
{
    struct job one = { .job = { .run = write_visitor, .done = chain }, .number = 7 };
    make_folder();
    if (CHECK(open_store())) {
        answers = 0;
        chain_left = 20;
        store_submit(store, &one.job);
        close_store();
        CHECK_INT(answers, 21);
        CHECK_INT(one.result, STORE_OK);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM visitor"), 21);
    }
    drop_folder();
}

static void close_from_done(struct store_job *job, enum store_result result)
{
    note(job, result);
    if (store) {
        struct store *closing = store;
        store = NULL;
        store_close(closing);
    }
}

TEST("a job's answer may close the store")
{
    struct job jobs[3];
    make_folder();
    if (CHECK(open_store())) {
        answers = 0;
        for (int i = 0; i < 3; i++) {
            jobs[i] = (struct job){ .job = { .run = write_visitor, .done = close_from_done }, .number = 7 * (i + 1) };
            store_submit(store, &jobs[i].job);
        }
        uv_run(&loop, UV_RUN_DEFAULT);
        CHECK_INT(answers, 3);
        CHECK_INT(uv_loop_close(&loop), 0);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM visitor"), 3);
    }
    drop_folder();
}

/* Opening again. */

static bool load_count(struct store_db *db, void *context)
{
    int64_t *last = context;
    struct store_visitor more = visitor(50);
    return store_last_ids(db, &last[0], &last[1]) == STORE_OK && store_put_visitor(db, &more) == STORE_OK &&
        last[0] == 2;
}

static bool refuse(struct store_db *db, void *context)
{
    (void)context;
    struct store_visitor more = visitor(60);
    return store_put_visitor(db, &more) == STORE_OK && false;
}

TEST("a database is there when it is opened again")
{
    int64_t last[2] = { 0 };
    struct stat status;
    make_folder();
    if (CHECK(open_store())) {
        CHECK_INT(do_job(try_visitors), STORE_OK);
        close_store();
    }
    if (server()) {
        CHECK_INT(outside_number(path, "SELECT version FROM pyramids"), STORE_VERSION);
    } else {
        CHECK(!stat(path, &status) && (status.st_mode & 0777) == 0600);
        CHECK(!exists("-wal") && !exists(".v1"));
        CHECK_INT(outside_number(path, "PRAGMA application_id"), 0x50595241);
        CHECK_INT(outside_number(path, "PRAGMA user_version"), STORE_VERSION);
    }
    CHECK(!open_with(refuse, NULL));
    CHECK(strstr(error, "could not be loaded"));
    if (CHECK(open_with(load_count, last))) {
        close_store();
        CHECK_INT(last[0], 2);
    }
    CHECK_INT(outside_number(path, "SELECT max(id) FROM visitor"), 50);
    CHECK(!open_with(load_count, last));                 /* its last visitor is 50 now */
    drop_folder();
}

FILE_TEST("a database in memory keeps nothing")
{
    make_folder();
    snprintf(path, sizeof path, ":memory:");
    for (int i = 0; i < 2; i++) {
        if (CHECK(open_store())) {
            CHECK_INT(do_job(try_visitors), STORE_OK);
            close_store();
        }
    }
    CHECK(access(":memory:", F_OK));
    drop_folder();
}

/* Files that are refused, and old ones. */

FILE_TEST("a newer version and another program's file are refused and left as they are")
{
    make_folder();
    if (CHECK(open_store()))
        close_store();
    CHECK(outside(path, "PRAGMA user_version = 10"));
    CHECK(!open_with(NULL, NULL));
    CHECK(strstr(error, "newer version") && strstr(error, "version 10") && strstr(error, path));
    CHECK_INT(outside_number(path, "PRAGMA user_version"), 10);
    remove(path);

    CHECK(outside(path, "CREATE TABLE wine (year)"));
    CHECK(!open_with(NULL, NULL));
    CHECK(strstr(error, "another program"));
    CHECK_INT(outside_number(path, "SELECT count(*) FROM sqlite_schema"), 1);
    CHECK(!exists("-wal"));
    remove(path);

    FILE *file = fopen(path, "w");
    for (int i = 0; i < 1000; i++)
        fputs("just some text\n", file);
    fclose(file);
    CHECK(!open_with(NULL, NULL));
    CHECK(strstr(error, "not a Pyramids database"));
    struct stat status;
    CHECK(!stat(path, &status) && status.st_size == 15000);
    remove(path);

    file = fopen(path, "w");                             /* an empty file counts as none */
    fclose(file);
    if (CHECK(open_store()))
        close_store();
    drop_folder();
}

FILE_TEST("paths that cannot be")
{
    make_folder();
    char whole[600];
    snprintf(whole, sizeof whole, "%s", path);
    snprintf(path, sizeof path, "%s", folder);
    CHECK(!open_with(NULL, NULL));
    CHECK(strstr(error, "directory"));
    snprintf(path, sizeof path, "/dev/null/games.db");
    CHECK(!open_with(NULL, NULL));
    CHECK(strstr(error, "Not a directory"));
    path[0] = '\0';
    CHECK(!open_with(NULL, NULL));
    CHECK(error[0]);
    snprintf(path, sizeof path, "%s/a", folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/a/b/c.db", folder);  /* folders are created */
    if (CHECK(open_store()))
        close_store();
    struct stat status;
    snprintf(path, sizeof path, "%s/a/b", folder);
    CHECK(!stat(path, &status) && (status.st_mode & 0777) == 0700);
    char name[600];
    snprintf(name, sizeof name, "%s/c.db", path);
    remove(name);
    snprintf(name, sizeof name, "%s/c.db.lock", path);
    remove(name);
    rmdir(path);
    snprintf(path, sizeof path, "%s/a", folder);
    rmdir(path);
    drop_folder();
}

FILE_TEST("damage is found")
{
    make_folder();
    if (CHECK(open_store())) {
        static struct job jobs[400];
        for (int i = 0; i < 400; i++) {
            jobs[i] = (struct job){ .job = { .run = write_visitor, .done = note }, .number = 7 * i + 1 };
            store_submit(store, &jobs[i].job);
        }
        close_store();
    }
    struct stat status = { 0 };
    CHECK(!stat(path, &status) && status.st_size > 5 * 4096);
    int refused = 0, pages = (int)(status.st_size / 4096);
    char *whole = malloc((size_t)status.st_size);
    int file = open(path, O_RDWR);
    CHECK(read(file, whole, (size_t)status.st_size) == status.st_size);
    for (int page = 0; page < pages; page++) {
        char junk[512];
        memset(junk, 0xa5, sizeof junk);
        CHECK(pwrite(file, junk, sizeof junk, page * 4096 + (page ? 0 : 100)) == sizeof junk);
        if (!CHECK(!open_with(NULL, NULL)))
            close_store();
        else if (CHECK(strstr(error, "damaged") || strstr(error, "not a Pyramids database")))
            refused++;
        CHECK(pwrite(file, whole, (size_t)status.st_size, 0) == status.st_size);
    }
    CHECK_INT(refused, pages);
    CHECK(!ftruncate(file, status.st_size / 2 / 4096 * 4096));
    CHECK(!open_with(NULL, NULL));
    CHECK(strstr(error, "damaged"));
    close(file);
    free(whole);
    drop_folder();
}

FILE_TEST("one database, one server, even through a link; free again after kill -9")
{
    char link[600];
    make_folder();
    snprintf(link, sizeof link, "%s/link.db", folder);
    if (!CHECK(open_store()))
        return;
    struct store *first = store;
    uv_loop_t other;
    uv_loop_init(&other);
    CHECK(!store_open(&store, &other, path, NULL, NULL, error, sizeof error));
    char wanted[32];
    snprintf(wanted, sizeof wanted, "(process %ld)", (long)getpid());
    CHECK(strstr(error, "in use") && strstr(error, wanted));
    CHECK(!symlink("games.db", link));
    CHECK(!store_open(&store, &other, link, NULL, NULL, error, sizeof error));
    CHECK(strstr(error, "in use") && strstr(error, link));
    struct store_db *db;
    CHECK(!store_open_alone(&db, path, true, error, sizeof error));
    CHECK(strstr(error, "in use"));
    store = first;
    CHECK_INT(do_job(try_visitors), STORE_OK);
    if (CHECK(store_open_alone(&db, path, false, error, sizeof error))) {     /* reading is possible meanwhile */
        int64_t last[2];
        CHECK_INT(store_last_ids(db, &last[0], &last[1]), STORE_OK);
        CHECK_INT(last[0], 2);
        struct store_visitor v = visitor(3);
        CHECK_INT(store_put_visitor(db, &v), STORE_FAILED);
        CHECK(store_close_alone(db, true, error, sizeof error));
    }
    close_store();
    uv_loop_close(&other);

    int ready[2];
    CHECK(!pipe(ready));
    pid_t child = fork();
    if (!child) {
        bool opened = open_store();
        if (write(ready[1], &opened, 1) == 1)
            pause();
        _exit(1);
    }
    char opened = 0;
    CHECK(read(ready[0], &opened, 1) == 1 && opened);
    CHECK(!open_with(NULL, NULL));
    CHECK(strstr(error, "in use"));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    if (CHECK(open_store()))
        close_store();
    close(ready[0]);
    close(ready[1]);
    drop_folder();
}

/* Several servers. What they share works with a file, too, although it is not needed there. */

static void check_codes(char codes[][16], unsigned count, const char *wanted)
{
    char got[200] = "";
    for (unsigned i = 0; i < count; i++)     /* a claim has no order */
        for (unsigned j = i + 1; j < count; j++)
            if (strcmp(codes[i], codes[j]) > 0) {
                char other[16];
                memcpy(other, codes[i], 16);
                memcpy(codes[i], codes[j], 16);
                memcpy(codes[j], other, 16);
            }
    for (unsigned i = 0; i < count; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", i ? " " : "", codes[i]);
    CHECK_STR(got, wanted);
}

static enum store_result try_nodes(struct store_db *db, struct store_job *job)
{
    struct store_nodes nodes;
    (void)job;
    CHECK_INT(store_put_node(db, 1, STORE_THINKS_TOO, 100), STORE_OK);
    CHECK_INT(store_put_node(db, 2, STORE_THINKS_ONLY, 100), STORE_OK);
    CHECK_INT(store_put_node(db, 3, STORE_THINKS_NOT, 100 - STORE_NODE_SECONDS), STORE_OK);      /* gone */
    CHECK_INT(store_get_nodes(db, 100, &nodes), STORE_OK);
    CHECK_INT(nodes.count, 2);
    CHECK(nodes.at[0].id == 2 && nodes.at[0].thinks == STORE_THINKS_ONLY);
    CHECK(nodes.at[1].id == 1 && nodes.at[1].thinks == STORE_THINKS_TOO);
    CHECK_INT(store_put_node(db, 3, STORE_THINKS_NOT, 101), STORE_OK);
    CHECK_INT(store_get_nodes(db, 101, &nodes), STORE_OK);
    CHECK_INT(nodes.count, 3);
    CHECK_INT(store_drop_node(db, 3), STORE_OK);
    CHECK_INT(store_get_nodes(db, 101, &nodes), STORE_OK);
    CHECK_INT(nodes.count, 2);
    return STORE_OK;
}

static enum store_result try_claims(struct store_db *db, struct store_job *job)
{
    char codes[STORE_DUE][16];
    unsigned count;
    int64_t revision, after = 0;
    (void)job;
    for (int i = 1; i <= 4; i++) {           /* two with bots, one whose clock runs out at 50, one at 500 */
        struct store_table t = table(i, STORE_RUNNING);
        t.due = i <= 2 ? STORE_DUE_BOTS : i == 3 ? 50 : 500;
        CHECK_INT(store_put_table(db, &t), STORE_OK);
    }
    CHECK_INT(store_claim(db, 2, 100, STORE_DUE_BOTS, STORE_DUE_BOTS, codes, &count), STORE_OK);
    check_codes(codes, count, "CODE1 CODE2");
    CHECK_INT(store_claim(db, 1, 100, STORE_DUE_BOTS, 100, codes, &count), STORE_OK);
    check_codes(codes, count, "CODE3");      /* the others belong to the second server, which is alive */
    CHECK_INT(store_claim(db, 1, 100, STORE_DUE_BOTS, 100, codes, &count), STORE_OK);
    CHECK_INT(count, 0);
    CHECK_INT(store_get_kept(db, 2, 100, &after, codes, &count), STORE_OK);
    check_codes(codes, count, "CODE1 CODE2");
    /* It is silent for too long. */
    CHECK_INT(store_claim(db, 1, 100 + STORE_NODE_SECONDS, STORE_DUE_BOTS + 1, 100, codes, &count), STORE_OK);
    CHECK_INT(count, 0);
    CHECK_INT(store_claim(db, 1, 100 + STORE_NODE_SECONDS, STORE_DUE_BOTS, 100, codes, &count), STORE_OK);
    check_codes(codes, count, "CODE1 CODE2");
    /* When its keeper gives it up, a table gets a new revision: a server with the old one cannot change it. */
    CHECK_INT(store_put_due(db, 1, 1, 900), STORE_OK);
    CHECK_INT(store_get_revision(db, "CODE1", &revision), STORE_OK);
    CHECK_INT(revision, 2);
    CHECK_INT(store_put_due(db, 1, 1, 901), STORE_CONFLICT);
    /* When a server goes, its tables may be claimed by any other. */
    CHECK_INT(store_put_node(db, 1, STORE_THINKS_TOO, 200), STORE_OK);
    CHECK_INT(store_drop_node(db, 1), STORE_OK);
    CHECK_INT(store_claim(db, 2, 200, STORE_DUE_BOTS, 200, codes, &count), STORE_OK);
    check_codes(codes, count, "CODE2 CODE3");
    return STORE_OK;
}

static enum store_result try_presence(struct store_db *db, struct store_job *job)
{
    const int64_t people[] = { 7, 8 };
    struct store_present present[STORE_PRESENT];
    unsigned count;
    (void)job;
    CHECK_INT(store_put_present(db, 1, "CODE1", 4, false, people, 2), STORE_OK);
    CHECK_INT(store_put_present(db, 1, "CODE1", 5, false, people, 1), STORE_OK);
    CHECK_INT(store_put_present(db, 2, "CODE2", 5, false, people, 2), STORE_OK);
    CHECK_INT(store_get_present(db, 1, present, &count), STORE_OK);
    CHECK_INT(count, 3);
    CHECK(present[0].node == 5 && present[0].visitor == 7);
    CHECK(present[1].node == 4 && present[1].visitor == 7 && present[2].node == 4 && present[2].visitor == 8);
    CHECK_INT(store_put_present(db, 1, "CODE1", 4, false, people + 1, 1), STORE_OK);        /* one has gone */
    CHECK_INT(store_put_present(db, 1, "CODE1", 5, false, NULL, 0), STORE_OK);
    CHECK_INT(store_get_present(db, 1, present, &count), STORE_OK);
    CHECK(count == 1 && present[0].node == 4 && present[0].visitor == 8);
    CHECK_INT(store_drop_node(db, 5), STORE_OK);
    CHECK_INT(store_get_present(db, 2, present, &count), STORE_OK);
    CHECK_INT(count, 0);
    return STORE_OK;
}

static enum store_result try_analyses(struct store_db *db, struct store_job *job)
{
    char code[16];
    unsigned count = 0;
    (void)job;
    CHECK_INT(store_put_node(db, 1, STORE_THINKS_TOO, 100), STORE_OK);
    CHECK_INT(store_put_node(db, 2, STORE_THINKS_ONLY, 100), STORE_OK);
    CHECK_INT(store_claim_analysis(db, 1, 100, code), STORE_MISSING);
    CHECK_INT(store_ask_analysis(db, 2, 7, 90, 2, 3, &count), STORE_OK);
    CHECK_INT(store_ask_analysis(db, 1, 7, 95, 2, 3, &count), STORE_OK);
    CHECK_INT(store_ask_analysis(db, 1, 7, 96, 2, 3, &count), STORE_OK);             /* the same again */
    CHECK_INT(count, 2);
    CHECK_INT(store_ask_analysis(db, 3, 7, 97, 2, 3, &count), STORE_LIMIT);          /* too many of this visitor */
    CHECK_INT(store_ask_analysis(db, 3, 8, 97, 2, 3, &count), STORE_OK);
    CHECK_INT(store_ask_analysis(db, 4, 9, 97, 2, 3, &count), STORE_LIMIT);          /* in all */
    CHECK_INT(store_count_analyses(db, &count), STORE_OK);
    CHECK_INT(count, 3);
    CHECK_INT(store_claim_analysis(db, 1, 100, code), STORE_OK);
    CHECK_STR(code, "CODE2");                /* the oldest */
    CHECK_INT(store_claim_analysis(db, 2, 100, code), STORE_OK);
    CHECK_STR(code, "CODE1");
    CHECK_INT(store_claim_analysis(db, 1, 100, code), STORE_OK);
    CHECK_STR(code, "CODE2");                /* its own: the answer to a claim may have been lost with a connection */
    CHECK_INT(store_drop_analysis(db, 2), STORE_OK);
    CHECK_INT(store_claim_analysis(db, 1, 100, code), STORE_OK);
    CHECK_STR(code, "CODE3");
    CHECK_INT(store_drop_analysis(db, 3), STORE_OK);
    CHECK_INT(store_claim_analysis(db, 1, 100, code), STORE_MISSING);
    CHECK_INT(store_claim_analysis(db, 1, 100 + STORE_NODE_SECONDS, code), STORE_OK);
    CHECK_STR(code, "CODE1");                /* the second server is gone */
    /* Rows that belong to a dropped table are dropped, too. */
    int64_t dropped[STORE_SWEEP];
    CHECK(store_add_lines(db, 1, 0, "x\n", 2, 1) == STORE_OK);
    struct store_table over = table(1, STORE_OVER);
    CHECK_INT(store_put_table(db, &over), STORE_OK);
    CHECK_INT(store_sweep(db, &(struct store_keep){ .finished = 5000 }, dropped, &count), STORE_OK);
    CHECK(count == 1 && dropped[0] == 1);
    CHECK_INT(store_count_analyses(db, &count), STORE_OK);
    CHECK_INT(count, 0);
    return STORE_OK;
}

static enum store_result try_names(struct store_db *db, struct store_job *job)
{
    struct store_visitor v = visitor(1), got;
    (void)job;
    CHECK_INT(store_put_visitor(db, &v), STORE_OK);
    snprintf(v.name, sizeof v.name, "Zoë");
    CHECK_INT(store_rename_visitor(db, &v), STORE_OK);
    CHECK_INT(store_see_visitor(db, 1, 9000), STORE_OK);
    CHECK_INT(store_see_visitor(db, 2, 9000), STORE_MISSING);
    CHECK_INT(store_get_visitor_by_id(db, 1, &got), STORE_OK);
    CHECK_STR(got.name, "Zoë");
    CHECK(got.id == 1 && got.seen == 9000 && got.created == 1001);
    CHECK_INT(store_get_visitor_by_id(db, 2, &got), STORE_MISSING);
    return STORE_OK;
}

/* The limits of new tables: three of a host, four in all. */
static enum store_result try_limits(struct store_db *db, struct store_job *job)
{
    (void)job;
    for (int i = 1; i <= 6; i++) {
        struct store_commit commit = { .table = table(i, STORE_WAITING), .most = 3, .most_open = 4, .made = 1 };
        commit.table.id = 0;
        commit.table.host = i <= 4 ? 1 : i;
        CHECK_INT(store_commit(db, &commit), i <= 3 || i == 5 ? STORE_OK : STORE_LIMIT);
    }
    return STORE_OK;
}

/* Up to 20 tables may be open, and two servers make tables without counting them. Far from the limit a server reserves
 * room for several after it has counted; at the limit the room is taken back, and a server that was dropped has none. */
static enum store_result make_one(struct store_db *db, int64_t node, int *made, enum store_result wanted)
{
    struct store_commit commit = { .table = table(100 + *made, STORE_WAITING), .most_open = 20, .made = 1, .node = node };
    commit.table.id = 0;
    commit.table.host = 50 + *made;
    enum store_result result = store_commit(db, &commit);
    CHECK_INT(result, wanted);
    *made += result == STORE_OK;
    return result;
}

static enum store_result try_room(struct store_db *db, struct store_job *job)
{
    int made = 0;
    (void)job;
    CHECK_INT(store_put_node(db, 1, STORE_THINKS_TOO, 100), STORE_OK);
    CHECK_INT(store_put_node(db, 2, STORE_THINKS_TOO, 100), STORE_OK);
    make_one(db, 1, &made, STORE_OK);
    make_one(db, 2, &made, STORE_OK);
    make_one(db, 2, &made, STORE_OK);        /* takes of its room */
    while (made < 20)
        if (make_one(db, 2, &made, STORE_OK))
            break;
    make_one(db, 2, &made, STORE_LIMIT);
    make_one(db, 1, &made, STORE_LIMIT);
    CHECK_INT(store_drop_node(db, 1), STORE_OK);
    make_one(db, 1, &made, STORE_LIMIT);
    return STORE_OK;
}

TEST("servers that make tables share the room for them, and never make one too many")
{
    make_folder();
    if (!CHECK(open_store()))
        return;
    CHECK_INT(do_job(try_room), STORE_OK);
    CHECK_INT(outside_number(path, "SELECT count(*) FROM game WHERE state < 2"), 20);
    CHECK_INT(outside_number(path, "SELECT sum(room) FROM node"), 0);
    close_store();
    drop_folder();
}

TEST("several servers: who is there, who keeps which table, who is connected where, who makes which analysis")
{
    make_folder();
    if (!CHECK(open_store()))
        return;
    CHECK_INT(do_job(try_nodes), STORE_OK);
    CHECK_INT(do_job(try_claims), STORE_OK);
    CHECK_INT(do_job(try_presence), STORE_OK);
    CHECK_INT(do_job(try_analyses), STORE_OK);
    CHECK_INT(do_job(try_names), STORE_OK);
    close_store();
    drop_folder();
}

TEST("limits of open tables are counted where the table is stored")
{
    make_folder();
    if (!CHECK(open_store()))
        return;
    CHECK_INT(do_job(try_limits), STORE_OK);
    CHECK_INT(outside_number(path, "SELECT count(*) FROM game"), 4);
    close_store();
    drop_folder();
}

/* Version 1, as its program wrote it. */
static const char version_1[] =
    "PRAGMA journal_mode = WAL;"
    "CREATE TABLE visitor (id INTEGER PRIMARY KEY, name TEXT NOT NULL, created INTEGER NOT NULL, seen INTEGER NOT NULL) "
        "STRICT;"
    "CREATE TABLE token (hash BLOB PRIMARY KEY, visitor INTEGER NOT NULL REFERENCES visitor) STRICT, WITHOUT ROWID;"
    "CREATE TABLE game (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, state INTEGER NOT NULL, created INTEGER NOT NULL,"
    " changed INTEGER NOT NULL, config TEXT NOT NULL) STRICT;"
    "CREATE INDEX game_open ON game (created, id) WHERE state < 2;"
    "CREATE INDEX game_over ON game (created, id) WHERE state = 2;"
    "CREATE TABLE line (id INTEGER PRIMARY KEY, game INTEGER NOT NULL REFERENCES game, seq INTEGER NOT NULL, count "
        "INTEGER NOT NULL,"
    " text TEXT NOT NULL, UNIQUE (game, seq)) STRICT;"
    "CREATE TABLE choice (game INTEGER NOT NULL REFERENCES game, seat INTEGER NOT NULL, phase INTEGER NOT NULL, request "
        "TEXT NOT NULL,"
    " text TEXT NOT NULL, PRIMARY KEY (game, seat)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE seat (game INTEGER NOT NULL REFERENCES game, seat INTEGER NOT NULL, visitor INTEGER NOT NULL REFERENCES "
        "visitor,"
    " people INTEGER NOT NULL, bots INTEGER NOT NULL, level TEXT NOT NULL, points INTEGER, share REAL NOT NULL,"
    " PRIMARY KEY (game, seat)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX seat_visitor ON seat (visitor, people, level, points, share);"
    "INSERT INTO visitor VALUES (1, 'Ana', 10, 20);"
    "INSERT INTO game VALUES (1, 'CODE1', 2, 10, 20, '{}');"
    "INSERT INTO line (game, seq, count, text) VALUES (1, 0, 1, 'pyramids-record 1' || char(10));"
    "PRAGMA application_id = 1348031041; PRAGMA user_version = 1";

/* What version 2 added to it. */
static const char version_2[] =
    "CREATE TABLE report (id INTEGER PRIMARY KEY, game INTEGER NOT NULL REFERENCES game, name TEXT NOT NULL, text BLOB "
        "NOT NULL,"
    " UNIQUE (game, name)) STRICT;"
    "INSERT INTO report (game, name, text) VALUES (1, 'analysis', CAST('{}' AS BLOB));"
    "INSERT INTO choice VALUES (1, 1, 0, 'c1', '17 22');"
    "PRAGMA user_version = 2";

/* And version 3, with tables of every state. */
static const char version_3[] =
    "ALTER TABLE line ADD COLUMN made INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE choice ADD COLUMN made INTEGER NOT NULL DEFAULT 0;"
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
    "CREATE INDEX game_closed ON game (changed, id) WHERE state = 3;"
    "CREATE INDEX token_visitor ON token (visitor);"
    "CREATE INDEX visitor_seen ON visitor (seen);"
    "INSERT INTO game VALUES (2, 'CODE2', 0, 10, 20, '{\"host\": 1, \"public\": true}');"
    "INSERT INTO game VALUES (3, 'CODE3', 1, 10, 20, '{\"host\": 7, \"public\": false}');"
    "PRAGMA user_version = 3";

/* And version 4. */
static const char version_4[] =
    "CREATE TABLE revision (game INTEGER PRIMARY KEY REFERENCES game, number INTEGER NOT NULL, due INTEGER,"
    " keeper INTEGER NOT NULL DEFAULT 0) STRICT;"
    "INSERT INTO revision (game, number, due) SELECT id, 8, CASE WHEN state < 2 THEN 1 END FROM game;"
    "CREATE INDEX revision_due ON revision (due) WHERE due IS NOT NULL;"
    "ALTER TABLE choice ADD COLUMN ids BLOB NOT NULL DEFAULT x'';"
    "ALTER TABLE game ADD COLUMN host INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE game ADD COLUMN public INTEGER NOT NULL DEFAULT 0;"
    "CREATE INDEX game_host ON game (host) WHERE state < 2;"
    "CREATE INDEX game_public ON game (state) WHERE public = 1 AND state < 2;"
    "ALTER TABLE token ADD COLUMN renewed INTEGER NOT NULL DEFAULT 0;"
    "PRAGMA user_version = 4";

FILE_TEST("version 4 is migrated: what several servers share is added, and nothing else changes")
{
    make_folder();
    CHECK(outside(path, version_1) && outside(path, version_2) && outside(path, version_3) && outside(path, version_4));
    if (CHECK(open_store()))
        close_store();
    CHECK_INT(outside_number(path, "PRAGMA user_version"), STORE_VERSION);
    CHECK_INT(outside_number(path, "SELECT count(*) FROM revision WHERE number = 8"), 3);
    CHECK_INT(outside_number(path, "SELECT (SELECT count(*) FROM node) + (SELECT count(*) FROM presence) +"
        " (SELECT count(*) FROM analysis)"), 0);
    CHECK(exists(".v4"));
    drop_folder();
}

FILE_TEST("version 3 is migrated: every table has a revision, and open ones are due")
{
    make_folder();
    CHECK(outside(path, version_1) && outside(path, version_2) && outside(path, version_3));
    if (CHECK(open_store()))
        close_store();
    CHECK_INT(outside_number(path, "PRAGMA user_version"), STORE_VERSION);
    CHECK_INT(outside_number(path, "SELECT count(*) FROM revision WHERE number = 1"), 3);
    CHECK_INT(outside_number(path, "SELECT sum(game) FROM revision WHERE due = 1"), 2 + 3);
    CHECK_INT(outside_number(path, "SELECT host FROM game WHERE public = 1"), 1);
    CHECK_INT(outside_number(path, "SELECT host FROM game WHERE id = 3 AND public = 0"), 7);
    CHECK_INT(outside_number(path, "SELECT length(ids) FROM choice"), 0);
    CHECK(exists(".v3"));
    drop_folder();
}

/* And version 4. */
static const char version_5[] =
    "CREATE TABLE node (id INTEGER PRIMARY KEY, seen INTEGER NOT NULL, thinks INTEGER NOT NULL DEFAULT 1) STRICT;"
    "CREATE TABLE presence (game INTEGER NOT NULL, visitor INTEGER NOT NULL, node INTEGER NOT NULL,"
    " PRIMARY KEY (game, visitor, node)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX presence_node ON presence (node);"
    "CREATE TABLE analysis (game INTEGER PRIMARY KEY REFERENCES game, asker INTEGER NOT NULL, asked INTEGER NOT NULL,"
    " node INTEGER NOT NULL DEFAULT 0) STRICT;"
    "PRAGMA user_version = 5";

static enum store_result put_ban(struct store_db *db, struct store_job *job)
{
    struct store_ban ban = { .address = "192.0.2.0/24", .made = 5, .until = 60, .reason = "x" }, other = { .visitor = 7,
        .made = 5 };
    (void)job;
    enum store_result result = store_add_ban(db, &ban);
    CHECK(ban.id > 0);
    return result ? result : store_add_ban(db, &other);
}

static bool count_ban(void *context, const struct store_ban *ban)
{
    unsigned *seen = context;
    *seen += ban->visitor == 7 && !ban->address[0] && !ban->until && ban->made == 5 ? 100 : 0;
    *seen += !strcmp(ban->address, "192.0.2.0/24") && ban->until == 60 && !strcmp(ban->reason, "x") ? 1 : 0;
    return true;
}

static enum store_result look_at_bans(struct store_db *db, struct store_job *job)
{
    unsigned before = 0, after = 0;
    (void)job;
    CHECK_INT(store_each_ban(db, 59, count_ban, &before), STORE_OK);
    CHECK_INT(store_each_ban(db, 60, count_ban, &after), STORE_OK);
    CHECK_INT(before, 101);
    CHECK_INT(after, 100);                   /* one has ended */
    CHECK_INT(store_drop_ban(db, 999), STORE_MISSING);
    return store_sweep_bans(db, 61);
}

FILE_TEST("version 5 is migrated: bans are kept")
{
    make_folder();
    CHECK(outside(path, version_1) && outside(path, version_2) && outside(path, version_3) && outside(path, version_4) &&
        outside(path, version_5));
    if (CHECK(open_store())) {
        CHECK_INT(outside_number(path, "SELECT count(*) FROM ban"), 0);
        CHECK_INT(do_job(put_ban), STORE_OK);
        CHECK_INT(do_job(look_at_bans), STORE_OK);
        close_store();
    }
    CHECK_INT(outside_number(path, "SELECT count(*) FROM ban"), 1);
    CHECK_INT(outside_number(path, "PRAGMA user_version"), STORE_VERSION);
    CHECK(exists(".v5"));
    drop_folder();
}

/* And version 5. */
static const char version_6[] =
    "CREATE TABLE ban (id INTEGER PRIMARY KEY, address TEXT NOT NULL, visitor INTEGER NOT NULL, made INTEGER NOT NULL,"
    " until INTEGER NOT NULL, reason TEXT NOT NULL) STRICT;"
    "PRAGMA user_version = 6";

static bool sum_days(void *context, const struct store_day *day)
{
    int64_t *sum = context;
    sum[0] += day->number;
    sum[1] += day->outage;
    sum[2] += day->revealed;
    return true;
}

static enum store_result make_days(struct store_db *db, struct store_job *job)
{
    struct store_day one, again;
    struct store_attempt attempt;
    int64_t sum[3] = { 0 }, first = 0;
    (void)job;
    CHECK_INT(store_first_day(db, &first), STORE_MISSING);
    CHECK_INT(store_make_days(db, 20000, 5), STORE_OK);
    CHECK_INT(store_get_day(db, 20001, &one), STORE_OK);
    CHECK_INT(store_make_days(db, 20001, 6), STORE_OK);              /* existing days stay */
    CHECK_INT(store_make_days(db, 20009, 7), STORE_OK);              /* days without a server were never made */
    CHECK_INT(store_get_day(db, 20001, &again), STORE_OK);
    CHECK(!memcmp(one.secret, again.secret, sizeof one.secret));
    CHECK_INT(store_get_day(db, 20003, &again), STORE_MISSING);
    CHECK_INT(store_add_outage(db, 20001 * INT64_C(86400) - 100, 20002 * INT64_C(86400) + 50), STORE_OK);
    CHECK_INT(store_reveal_days(db, 20001, 9), STORE_OK);
    CHECK_INT(store_each_day(db, 0, 99999, sum_days, sum), STORE_OK);
    CHECK_INT(sum[0], 1 + 2 + 3 + 10 + 11);
    CHECK_INT(sum[1], 100 + 86400 + 50);
    CHECK_INT(sum[2], 9 + 9);
    CHECK_INT(store_first_day(db, &first), STORE_OK);
    CHECK_INT(first, 20000);
    CHECK_INT(store_get_attempt(db, 20000, 1, &attempt), STORE_MISSING);
    return STORE_OK;
}

FILE_TEST("version 6 is migrated: there are days and attempts")
{
    make_folder();
    CHECK(outside(path, version_1) && outside(path, version_2) && outside(path, version_3) && outside(path, version_4) &&
        outside(path, version_5) && outside(path, version_6));
    if (CHECK(open_store())) {
        CHECK_INT(do_job(make_days), STORE_OK);
        close_store();
    }
    CHECK_INT(outside_number(path, "SELECT count(*) FROM day"), 5);
    CHECK_INT(outside_number(path, "SELECT count(DISTINCT secret) FROM day WHERE length(secret) = 32"), 5);
    CHECK_INT(outside_number(path, "PRAGMA user_version"), STORE_VERSION);
    CHECK(exists(".v6"));
    drop_folder();
}

/* And version 6. */
static const char version_7[] =
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
    "CREATE TABLE link (hash BLOB PRIMARY KEY, visitor INTEGER NOT NULL UNIQUE REFERENCES visitor,"
    " made INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE leaving (visitor INTEGER PRIMARY KEY REFERENCES visitor, made INTEGER NOT NULL) STRICT;"
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
    "CREATE TABLE feed (hash BLOB PRIMARY KEY, visitor INTEGER NOT NULL UNIQUE REFERENCES visitor) STRICT, WITHOUT ROWID;"
    "PRAGMA user_version = 7";

/* What version 7 had on PostgreSQL, too. */
static const char back_to_7[] = "DROP TABLE standing; DROP INDEX day_unsettled; ALTER TABLE day DROP COLUMN settled;"
    "ALTER TABLE notice DROP COLUMN told; ALTER TABLE notice DROP COLUMN closes;"
    "ALTER TABLE node DROP COLUMN room; UPDATE pyramids SET version = 7";

/* Forty visitors on 85 days from Monday 20003 (2024-10-07), the last of which is not revealed; and visitor 41, whose
 * week and month have known results. */
static bool add_attempts(void)
{
    char sql[400];
    bool good = true;
    for (int visitor = 1; visitor <= 41; visitor++) {
        snprintf(sql, sizeof sql, "INSERT INTO visitor (id, name, created, seen) VALUES (%d, 'Visitor %d', 1, 1)",
            100 + visitor, visitor);
        good = good && outside(path, sql);
    }
    for (int day = 20003; day < 20088; day++) {
        snprintf(sql, sizeof sql, "INSERT INTO day (day, number, secret, made, revealed) VALUES (%d, %d, %s, 1, %d)", day,
            day - 20002, server() ? "'\\x00'" : "x'00'", day < 20087 ? 5 : 0);
        good = good && outside(path, sql);
        snprintf(sql, sizeof sql, "INSERT INTO attempt (day, visitor, game, state, begun, points, place, judged, luck, rate)"
            " SELECT %d, id, 0, (id + %d) %% 7 / 6 + 1, 1, 40 + (id * 13 + %d * 17) %% 60, 1, id %% 3,"
            " (id * 7 + %d * 3) %% 21 - 10.25, 0.5 FROM visitor"
            " WHERE id BETWEEN 101 AND 140 AND (id + %d) %% 3 > 0", day, day, day, day, day);
        good = good && outside(path, sql);
    }
    static const struct {
        int day, points, judged;
        double luck, rate;
    } known[] = { { 20003, 50, 2, 5, 0.5 }, { 20004, 90, 0, 0, 0 }, { 20005, 70, 1, -1, 1.5 }, { 20006, 60, 2, -40.04, 1 },
        { 20007, 55, 0, 0, 0 }, { 20008, 49, 2, 0, 0.1 }, { 20087, 80, 2, 2, 0.2 } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        snprintf(sql, sizeof sql, "INSERT INTO attempt (day, visitor, game, state, begun, points, place, judged, luck, rate)"
            " VALUES (%d, 141, 0, 1, 1, %d, 1, %d, %g, %g)", known[i].day, known[i].points, known[i].judged, known[i].luck,
            known[i].rate);
        good = good && outside(path, sql);
    }
    return good;
}

static enum store_result look_at_boards(struct store_db *db, struct store_job *job)
{
    struct store_standing row, rows[50];
    unsigned count;
    int64_t better;
    (void)job;
    CHECK_INT(store_get_standing(db, STORE_BOARD_WEEK, 20003, 141, &row), STORE_OK);
    CHECK_INT(row.points, 90 + 70 + 60 + 55 + 50);           /* the best five */
    CHECK_INT(row.value, 10 * row.points);
    CHECK_INT(row.days, 5);
    CHECK_INT(row.judged, 3);
    CHECK(row.luck > -36.041 && row.luck < -36.039 && row.rate == 1);
    CHECK(!strcmp(row.name, "Visitor 41") && !row.code[0]);
    CHECK_INT(store_get_standing(db, STORE_BOARD_WEEK | STORE_BOARD_SKILL, 20003, 141, &row), STORE_OK);
    CHECK_INT(row.value, 1000 + 710 + 490 + 450);
    CHECK_INT(row.days, 4);                  /* only the analysed ones */
    CHECK_INT(store_get_standing(db, STORE_BOARD_DAY, 20005, 141, &row), STORE_OK);
    CHECK_INT(row.points, 70);
    CHECK_INT(store_get_standing(db, STORE_BOARD_MONTH, 19997, 141, &row), STORE_OK);        /* October */
    CHECK_INT(row.days, 6);
    CHECK_INT(store_get_standing(db, STORE_BOARD_MONTH, 20058, 141, &row), STORE_OK);        /* December */
    CHECK_INT(row.points, 80);
    /* The last day is on no board of revealed days. */
    CHECK_INT(store_get_standing(db, STORE_BOARD_MONTH | STORE_BOARD_CLOSED, 20058, 141, &row), STORE_MISSING);
    CHECK_INT(store_get_standing(db, STORE_BOARD_WEEK | STORE_BOARD_CLOSED, 20003, 141, &row), STORE_OK);
    CHECK_INT(store_get_board(db, STORE_BOARD_MONTH, 20028, 0, 50, rows, &count), STORE_OK);
    CHECK_INT(count, 40);
    for (unsigned i = 0; i < count; i++) {
        CHECK(!i || rows[i].value < rows[i - 1].value ||
            (rows[i].value == rows[i - 1].value && rows[i].visitor > rows[i - 1].visitor));
        CHECK(rows[i].days <= 20 && rows[i].days > 10);
    }
    CHECK_INT(store_better_standings(db, STORE_BOARD_MONTH, 20028, rows[20].value, &better), STORE_OK);
    CHECK(better <= 20 && rows[better].value == rows[20].value && (!better || rows[better - 1].value > rows[20].value));
    CHECK_INT(store_count_standings(db, STORE_BOARD_MONTH, 20028, &better), STORE_OK);
    CHECK_INT(better, 40);
    return STORE_OK;
}

static enum store_result rank_all(struct store_db *db, struct store_job *job)
{
    enum store_result result = STORE_OK;
    (void)job;
    for (int64_t day = 20003; day < 20088 && !result; day++)
        for (int64_t visitor = 101; visitor <= 141 && !result; visitor++)
            result = store_rank(db, day, visitor);
    return result;
}

static enum store_result reveal_last(struct store_db *db, struct store_job *job)
{
    enum store_result result = store_settle(db, 1000);       /* nothing to do yet */
    (void)job;
    if (!result)
        result = store_reveal_days(db, 20087, 900);
    return result ? result : store_settle(db, 899);          /* too early */
}

static enum store_result settle(struct store_db *db, struct store_job *job)
{
    (void)job;
    return store_settle(db, 900);
}

/* Two ways to the same rows: a migration adds them at once, later each result adds its own. */
#define SAME " ON a.board = b.board AND a.start = b.start AND a.visitor = b.visitor AND a.value = b.value" \
    " AND a.points = b.points AND a.days = b.days AND a.judged = b.judged AND abs(a.luck - b.luck) < 0.001" \
    " AND abs(a.rate - b.rate) < 0.001"

TEST("version 7 is migrated: results are on the boards, as if they were added one by one")
{
    make_folder();
    if (server()) {
        CHECK(open_store());
        close_store();
        CHECK(outside(path, back_to_7));
    } else {
        CHECK(outside(path, version_1) && outside(path, version_2) && outside(path, version_3) && outside(path, version_4) &&
            outside(path, version_5) && outside(path, version_6) && outside(path, version_7));
    }
    CHECK(outside(path, "INSERT INTO visitor (id, name, created, seen) VALUES (200, 'Ana', 1, 1)"));
    CHECK(outside(path, "INSERT INTO notice (visitor, quiet_from, quiet_to, zone, daily, due)"
        " VALUES (200, 0, 0, 60, 600, 9)"));
    CHECK(add_attempts());
    if (CHECK(open_store())) {
        CHECK_INT(do_job(look_at_boards), STORE_OK);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM day WHERE settled = 0"), 1);
        CHECK_INT(outside_number(path, "SELECT told + closes + daily FROM notice"), 600);
        CHECK(outside(path, "CREATE TABLE migrated AS SELECT * FROM standing"));
        CHECK(outside(path, "DELETE FROM standing"));
        CHECK_INT(do_job(rank_all), STORE_OK);
        int all = outside_number(path, "SELECT count(*) FROM standing");
        CHECK(all > 1000);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM migrated"), all);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM standing AS a JOIN migrated AS b" SAME), all);
        CHECK_INT(do_job(look_at_boards), STORE_OK);
        /* The last day is revealed: it is added to the boards of revealed days, some visitors at a time. */
        CHECK(outside(path, "DROP TABLE migrated"));
        CHECK_INT(do_job(reveal_last), STORE_OK);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM day WHERE settled = 0"), 1);
        CHECK_INT(do_job(settle), STORE_OK);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM day WHERE settled IS NOT NULL"), 0);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM standing AS a JOIN standing AS b ON a.board + 1 = b.board"
            " AND a.start = b.start AND a.visitor = b.visitor AND a.value = b.value WHERE a.board IN (4, 6, 8, 10)"),
            outside_number(path, "SELECT count(*) FROM standing WHERE board IN (4, 6, 8, 10)"));
        close_store();
    }
    drop_folder();
}

TEST("version 8 is migrated: servers that are there have no room for tables before they count")
{
    make_folder();
    CHECK(open_store());
    close_store();
    CHECK(outside(path, "ALTER TABLE node DROP COLUMN room"));
    CHECK(outside(path, server() ? "UPDATE pyramids SET version = 8" : "PRAGMA user_version = 8"));
    CHECK(outside(path, "INSERT INTO node (id, seen) VALUES (7, 100)"));
    if (CHECK(open_store())) {
        CHECK_INT(outside_number(path, "SELECT count(*) FROM node WHERE id = 7 AND room = 0"), 1);
        close_store();
    }
    drop_folder();
}

/* A visitor's wishes and the messages sent to them are written by different servers, perhaps at the same moment. */
static enum store_result use_notice(struct store_db *db, struct store_job *job)
{
    struct store_notice wanted = { .daily = 600, .zone = 60, .due = 100 }, claimed;
    int64_t visitor, due;
    (void)job;
    CHECK_INT(store_put_notice(db, 300, &wanted), STORE_OK);
    CHECK_INT(store_claim_notice(db, 99, &visitor, &due, &claimed), STORE_MISSING);
    CHECK_INT(store_claim_notice(db, 100, &visitor, &due, &claimed), STORE_OK);
    CHECK(visitor == 300 && due == 100 && claimed.daily == 600 && !claimed.told && !claimed.closes);
    claimed.told = 20000;
    claimed.due = 86500;
    claimed.daily = 1;                       /* is not marked */
    CHECK_INT(store_mark_notice(db, 300, &claimed), STORE_OK);
    wanted.quiet_to = 5;                     /* read before the claim, put after it */
    CHECK_INT(store_put_notice(db, 300, &wanted), STORE_OK);
    CHECK_INT(store_get_notice(db, 300, &claimed), STORE_OK);
    CHECK(claimed.told == 20000 && claimed.quiet_to == 5 && claimed.daily == 600 && claimed.due == 100);
    return STORE_OK;
}

static enum store_result put_notice_again(struct store_db *db, struct store_job *job)
{
    struct store_notice wanted = { .daily = -1 }, found;
    (void)job;
    CHECK_INT(store_put_notice(db, 300, &wanted), STORE_OK);
    CHECK_INT(store_get_notice(db, 300, &found), STORE_OK);
    CHECK(found.closes && found.due == 700 && found.daily == -1);
    return STORE_OK;
}

TEST("a reminder is claimed once, and new wishes do not undo what was told")
{
    make_folder();
    if (CHECK(open_store())) {
        CHECK(outside(path, "INSERT INTO visitor (id, name, created, seen) VALUES (300, 'Ana', 1, 1)"));
        CHECK_INT(do_job(use_notice), STORE_OK);
        /* A message that is to be closed is closed even if none is wanted any more. */
        CHECK(outside(path, "UPDATE notice SET closes = 1, due = 700"));
        CHECK_INT(do_job(put_notice_again), STORE_OK);
        close_store();
    }
    drop_folder();
}

static enum store_result put_report(struct store_db *db, struct store_job *job)
{
    (void)job;
    return store_put_report(db, 1, "analysis", "{}", 2, 60);
}

FILE_TEST("version 2 is migrated: times are added, and reports are made again")
{
    make_folder();
    CHECK(outside(path, version_1) && outside(path, version_2));
    if (CHECK(open_store())) {
        CHECK_INT(outside_number(path, "SELECT count(*) FROM report"), 0);
        CHECK_INT(outside_number(path, "SELECT made FROM line"), 0);
        CHECK_INT(outside_number(path, "SELECT made FROM choice WHERE request = 'c1' AND text = '17 22'"), 0);
        CHECK_INT(do_job(put_report), STORE_OK);
        close_store();
    }
    CHECK_INT(outside_number(path, "PRAGMA user_version"), STORE_VERSION);
    CHECK(exists(".v2") && !exists(".v1"));
    drop_folder();
}

FILE_TEST("an older version is migrated, with a copy beside it")
{
    char copy[600];
    struct stat status;
    make_folder();
    snprintf(copy, sizeof copy, "%s.v1", path);
    CHECK(outside(path, version_1));
    struct store_db *db;
    CHECK(!store_open_alone(&db, path, false, error, sizeof error));          /* reading alone does not migrate */
    CHECK(strstr(error, "older format (version 1)"));
    CHECK_INT(outside_number(path, "PRAGMA user_version"), 1);
    if (CHECK(open_store())) {
        CHECK_INT(do_job(put_report), STORE_OK);
        close_store();
    }
    CHECK_INT(outside_number(path, "PRAGMA user_version"), STORE_VERSION);
    CHECK_INT(outside_number(path, "SELECT count(*) FROM report JOIN game ON game.id = game JOIN line USING (game) WHERE "
        "code = 'CODE1'"), 1);
    CHECK_INT(outside_number(copy, "PRAGMA user_version"), 1);
    CHECK_INT(outside_number(copy, "PRAGMA application_id"), 0x50595241);
    CHECK_INT(outside_number(copy, "SELECT count(*) FROM line"), 1);
    CHECK(!stat(copy, &status) && (status.st_mode & 0777) == 0600);

    /* A migrated database equals a new one. */
    char fresh[600], compare[2000];
    snprintf(fresh, sizeof fresh, "%s/fresh.db", folder);
    CHECK(store_open_alone(&db, fresh, true, error, sizeof error) && store_close_alone(db, true, error, sizeof error));
    snprintf(compare, sizeof compare,
        "ATTACH '%s' AS fresh; CREATE TEMP TABLE same (x CHECK (x = 0)); INSERT INTO same SELECT count(*) FROM"
        " (SELECT type, name, sql FROM main.sqlite_schema EXCEPT SELECT type, name, sql FROM fresh.sqlite_schema); INSERT "
        "INTO same"
        " SELECT count(*) FROM (SELECT type, name, sql FROM fresh.sqlite_schema EXCEPT SELECT type, name, sql FROM "
        "main.sqlite_schema)", fresh);
    CHECK(outside(path, compare));
    remove(copy);

    /* A failing step changes nothing. */
    remove(path);
    CHECK(outside(path, version_1) && outside(path, "CREATE TABLE report (x)"));
    CHECK(!open_with(NULL, NULL));
    CHECK(strstr(error, "could not be migrated from version 1 to 9 and is unchanged"));
    CHECK_INT(outside_number(path, "PRAGMA user_version"), 1);
    CHECK_INT(outside_number(path, "SELECT count(*) FROM line"), 1);
    CHECK(exists(".v1"));
    drop_folder();
}

TEST("a transaction for commands is kept or not, and its parts alone")
{
    struct store_db *db;
    struct store_visitor v;
    make_folder();
    CHECK(!store_open_alone(&db, path, false, error, sizeof error));
    CHECK(strstr(error, server() ? "is empty" : "No such file"));
    for (int round = 0; round < 2; round++) {
        if (!CHECK(store_open_alone(&db, path, true, error, sizeof error)))
            break;
        for (int id = 1; id <= 3; id++) {
            v = visitor(10 * round + id);
            CHECK_INT(store_savepoint(db), STORE_OK);
            CHECK_INT(store_put_visitor(db, &v), STORE_OK);
            CHECK_INT(store_release(db, id != 2), STORE_OK);
        }
        CHECK(store_close_alone(db, round == 1, error, sizeof error));
    }
    CHECK_INT(outside_number(path, "SELECT sum(id) FROM visitor"), 24);
    drop_folder();
}

FILE_TEST("where the database lies by default")
{
    char to[64];
    setenv("XDG_DATA_HOME", "/data", 1);
    setenv("HOME", "/home/ana", 1);
    CHECK(store_default_path(to, sizeof to));
    CHECK_STR(to, "/data/pyramids/pyramids.db");
    setenv("XDG_DATA_HOME", "not/absolute", 1);
    CHECK(store_default_path(to, sizeof to));
    CHECK_STR(to, "/home/ana/.local/share/pyramids/pyramids.db");
    CHECK(!store_default_path(to, 20));
    unsetenv("XDG_DATA_HOME");
    unsetenv("HOME");
    CHECK(!store_default_path(to, sizeof to));
}

/* A failing disk. */

static int wanted_tables[20000], wanted_count;   /* what was acknowledged */

/* A table with a log and a choice: several rows on several pages. */
static enum store_result write_table(struct store_db *db, struct store_job *job)
{
    struct job *mine = (struct job *)job;
    struct store_table t = table(mine->number, STORE_RUNNING);
    struct store_choice choice = { .seat = 1, .phase = 4, .id = "c1", .text = "17 22" };
    char line[200];
    enum store_result result = store_put_table(db, &t);
    snprintf(line, sizeof line, "tag number %d\ntag line %s\n", mine->number, mine->number < 0 ? poison : "like any other");
    if (result == STORE_OK)
        result = store_add_lines(db, mine->number, 0, "pyramids-record 1\nedition classic\n", 34, 50);
    if (result == STORE_OK)
        result = store_add_lines(db, mine->number, 2, line, strlen(line), 51);
    if (result == STORE_OK)
        result = store_put_choice(db, mine->number, &choice);
    return result;
}

static enum store_result checkpoint_often(struct store_db *db, struct store_job *job)
{
    (void)job;
    sqlite3_wal_autocheckpoint(store_sqlite_handle(db), 8);
    return STORE_OK;
}

static void note_table(struct store_job *job, enum store_result result)
{
    struct job *mine = (struct job *)job;
    note(job, result);
    if (result == STORE_OK)
        wanted_tables[wanted_count++] = mine->number;
}

static bool see_wanted(void *context, const struct store_table *t, const char *text, size_t size,
    const struct store_choice *choices, unsigned count)
{
    int *at = context;
    (void)choices;
    (void)size;
    return CHECK(*at < wanted_count && t->id == wanted_tables[*at]) && CHECK(count == 1) &&
        CHECK(strstr(text, "\ntag line ")) && ++*at;
}

static enum store_result check_wanted(struct store_db *db, struct store_job *job)
{
    (void)job;
    int at = 0;
    CHECK_INT(store_each_open_table(db, see_wanted, &at), STORE_OK);
    CHECK_INT(at, wanted_count);
    return STORE_OK;
}

static bool copy_file(const char *from, const char *to)
{
    char bytes[4096];
    ssize_t got = 0;
    int source = open(from, O_RDONLY), target = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    while (source >= 0 && target >= 0 && (got = read(source, bytes, sizeof bytes)) > 0)
        if (write(target, bytes, (size_t)got) != got)
            got = -1;
    close(source);
    close(target);
    return source >= 0 && target >= 0 && !got;
}

/* What a server would find if it started after this one was killed now. (The files are read in another process: closing
 * a database in this one would release SQLite's own locks on it.) */
static void check_after_kill(void)
{
    char whole[3][600], copy[2][600];
    snprintf(whole[0], sizeof whole[0], "%s", path);
    snprintf(whole[1], sizeof whole[1], "%s-wal", path);
    snprintf(copy[0], sizeof copy[0], "%s/copy.db", folder);
    snprintf(copy[1], sizeof copy[1], "%s/copy.db-wal", folder);
    pid_t child = fork();
    if (!child) {
        bool good = copy_file(whole[0], copy[0]) && copy_file(whole[1], copy[1]);
        _exit(!good);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK_INT(status, 0);
    CHECK_INT(outside_number(copy[0], "SELECT count(*) FROM pragma_quick_check WHERE quick_check != 'ok'"), 0);
    CHECK_INT(outside_number(copy[0], "SELECT count(*) FROM game"), wanted_count);
    CHECK_INT(outside_number(copy[0],
        "SELECT count(*) FROM game WHERE (SELECT sum(count) FROM line WHERE game = game.id) IS DISTINCT FROM 4"), 0);
}

/* Failure number 1, 2, 3... of a kind until everything succeeds without it. */
static void fail_one_by_one(enum fault_kind kind, bool lasting)
{
    enum { JOBS = 3 };
    struct job jobs[JOBS], more = { .job = { .run = write_table, .done = note_table } };
    int number = 0, refused = 0, failures = 0;
    bool reached = true;
    wanted_count = 0;
    make_folder();
    if (!CHECK(open_store()))
        return;
    CHECK_INT(do_job(checkpoint_often), STORE_OK);
    for (int n = 0; n < 400 && reached; n++) {
        fault.hits = 0;
        fault.lasting = lasting;
        fault.countdown = n;
        fault.kind = kind;
        for (int i = 0; i < JOBS; i++) {
            jobs[i] = (struct job){ .job = { .run = write_table, .done = note_table }, .number = ++number };
            store_submit(store, &jobs[i].job);
        }
        uv_run(&loop, UV_RUN_DEFAULT);
        fault.kind = FAULT_NONE;
        reached = fault.hits > 0;
        failures += reached;
        for (int i = 0; i < JOBS; i++) {
            refused += jobs[i].result != STORE_OK;
            CHECK(jobs[i].result == STORE_OK || lasting);        /* a second attempt is made */
            CHECK(reached || jobs[i].result == STORE_OK);
            if (jobs[i].result != STORE_OK)
                CHECK_INT(jobs[i].result, kind == FAULT_WRITE_FULL || kind == FAULT_MEMORY ? STORE_NO_ROOM : STORE_FAILED);
        }
        more.number = ++number;
        store_submit(store, &more.job);
        uv_run(&loop, UV_RUN_DEFAULT);
        CHECK_INT(more.result, STORE_OK);
        CHECK_INT(do_job(check_wanted), STORE_OK);
        if (kind != FAULT_READ && n % 3 == 0)
            check_after_kill();
    }
    CHECK(!reached);
    CHECK(failures >= 2 && (!lasting || refused >= JOBS));
    close_store();
    CHECK_INT(outside_number(path, "SELECT count(*) FROM game"), wanted_count);
    CHECK_INT(outside_number(path, "SELECT count(*) FROM pragma_quick_check WHERE quick_check != 'ok'"), 0);
    drop_folder();
}

#define EACH_FAULT(kind) \
    store_set_log(count_words); \
    words_logged = 0; \
    fail_one_by_one(kind, false); \
    fail_one_by_one(kind, true); \
    CHECK(words_logged > 0); \
    store_set_log(NULL)

FILE_TEST("no room for a write: nothing acknowledged is lost, the store goes on")
{
    EACH_FAULT(FAULT_WRITE_FULL);
}

FILE_TEST("a write that fails: nothing acknowledged is lost, the store goes on")
{
    EACH_FAULT(FAULT_WRITE);
}

FILE_TEST("a sync that fails: nothing acknowledged is lost, the store goes on")
{
    EACH_FAULT(FAULT_SYNC);
}

FILE_TEST("no memory: nothing acknowledged is lost, the store goes on")
{
    EACH_FAULT(FAULT_MEMORY);
}

FILE_TEST("an answer comes after a sync, however many wait for it")
{
    static struct job jobs[100];
    make_folder();
    if (CHECK(open_store())) {
        for (int i = 0; i < 100; i++)
            jobs[i] = (struct job){ .job = { .run = write_table, .done = note }, .number = i + 1 };
        int before = syncs;
        store_submit(store, &jobs[0].job);
        uv_run(&loop, UV_RUN_DEFAULT);
        CHECK(syncs > before);
        before = syncs;
        for (int i = 1; i < 100; i++)
            store_submit(store, &jobs[i].job);
        uv_run(&loop, UV_RUN_DEFAULT);
        CHECK(syncs > before && syncs < before + 100);
        before = syncs;
        CHECK_INT(do_job(checkpoint_often), STORE_OK);
        CHECK_INT(syncs, before);            /* nothing was written */
        close_store();
    }
    drop_folder();
}

FILE_TEST("only the job that cannot be stored is refused")
{
    struct job jobs[5];
    make_folder();
    store_set_log(count_words);
    if (CHECK(open_store())) {
        wanted_count = 0;
        fault.kind = FAULT_POISON;
        fault.hits = 0;
        for (int i = 0; i < 5; i++) {
            jobs[i] = (struct job){ .job = { .run = write_table, .done = note_table }, .number = i == 2 ? -1 : i + 1 };
            store_submit(store, &jobs[i].job);
        }
        uv_run(&loop, UV_RUN_DEFAULT);
        for (int i = 0; i < 5; i++)
            CHECK_INT(jobs[i].result, i == 2 ? STORE_NO_ROOM : STORE_OK);
        CHECK(fault.hits >= 2);
        CHECK_INT(do_job(check_wanted), STORE_OK);
        CHECK_INT(store_counters(store).failed, 1);
        fault.kind = FAULT_NONE;
        close_store();
        CHECK_INT(outside_number(path, "SELECT count(*) FROM game"), 4);
    }
    store_set_log(NULL);
    drop_folder();
}

/* Requests that are repeated, data that survive a restart, data that are dropped after a while. */

static bool see_code(void *context, const uint8_t hash[32], int64_t id, int64_t until)
{
    int64_t *sum = context;
    *sum = 1000000 * *sum + 10000 * hash[0] + 1000 * id + until;
    return true;
}

static enum store_result try_keeping(struct store_db *db, struct store_job *job)
{
    (void)job;
    static const uint8_t hash[4][32] = { { 1 }, { 2 }, { 3 }, { 4 } };
    char code[16];
    int64_t alive = -1, codes = 0, dropped[STORE_SWEEP];
    unsigned count = 9;
    for (int id = 1; id <= 3; id++) {
        struct store_visitor v = visitor(id);
        CHECK_INT(store_put_visitor(db, &v), STORE_OK);
    }
    static const enum store_state states[] = { STORE_CLOSED, STORE_OVER, STORE_CLOSED, STORE_OVER, STORE_WAITING,
        STORE_RUNNING, STORE_CLOSED };
    for (int id = 1; id <= 7; id++) {            /* changed in 2001 to 2007 */
        struct store_table t = table(id, states[id - 1]);
        struct store_seat seat = { .table = id, .visitor = 1, .points = -1000 };
        struct store_choice choice = { .seat = 1, .id = "c" };
        CHECK_INT(store_put_table(db, &t), STORE_OK);
        CHECK_INT(store_put_seat(db, &seat), STORE_OK);
        CHECK_INT(store_put_choice(db, id, &choice), STORE_OK);
        CHECK_INT(store_add_lines(db, id, 0, "a\n", 2, 1), STORE_OK);
        CHECK_INT(store_put_report(db, id, "analysis", "{}", 2, 3000 + id), STORE_OK);
        CHECK_INT(store_put_request(db, 2, t.code, id, 4000 + id), STORE_OK);
    }
    CHECK_INT(store_put_request(db, 2, "CODE1", 2, 1), STORE_FAILED);            /* one table */
    CHECK_INT(store_get_request(db, 2, "CODE6", code), STORE_OK);
    CHECK_STR(code, "CODE6");
    CHECK_INT(store_get_request(db, 1, "CODE6", code), STORE_MISSING);              /* another visitor's id */
    CHECK_INT(store_get_alive(db, &alive), STORE_OK);
    CHECK_INT(alive, 0);
    CHECK_INT(store_put_alive(db, 77), STORE_OK);
    CHECK_INT(store_put_alive(db, 78), STORE_OK);
    CHECK_INT(store_get_alive(db, &alive), STORE_OK);
    CHECK_INT(alive, 78);
    /* Down from 78 to 100 and from 150 to 170; started twice at once; a clock that was set back; the first one long ago. */
    struct store_downtime down[STORE_DOWNTIMES];
    unsigned downs = 9;
    for (int i = 0; i < 2; i++) {                /* reported again until it is acknowledged */
        CHECK_INT(store_get_downtimes(db, 100, down, &downs), STORE_OK);
        CHECK(downs == 1 && down[0].began == 78 && down[0].ended == 100);
    }
    CHECK_INT(store_put_start(db, 100), STORE_OK);
    CHECK_INT(store_put_start(db, 100), STORE_OK);
    CHECK_INT(store_put_alive(db, 150), STORE_OK);
    CHECK_INT(store_get_downtimes(db, 170, down, &downs), STORE_OK);
    CHECK(downs == 2 && down[0].began == 150 && down[0].ended == 170 && down[1].began == 78 && down[1].ended == 100);
    CHECK_INT(store_put_start(db, 170), STORE_OK);
    CHECK_INT(store_get_downtimes(db, 160, down, &downs), STORE_OK);
    CHECK(downs == 2 && down[0].began == 150 && down[1].began == 78);
    CHECK_INT(store_put_start(db, 160), STORE_OK);
    CHECK_INT(store_put_start(db, 101 + 2 * 86400), STORE_OK);
    CHECK_INT(store_get_downtimes(db, 101 + 2 * 86400, down, &downs), STORE_OK);
    CHECK(downs == 2 && down[0].began == 160 && down[1].began == 150);
    CHECK_INT(store_put_code(db, hash[0], 1, 500), STORE_OK);
    CHECK_INT(store_put_code(db, hash[1], 1, 600), STORE_OK);                    /* instead of the first */
    CHECK_INT(store_put_code(db, hash[2], 2, 500), STORE_OK);
    CHECK_INT(store_put_code(db, hash[3], 9, 500), STORE_MISSING);
    CHECK_INT(store_each_code(db, see_code, &codes), STORE_OK);
    CHECK_INT(codes, 21600032500);

    struct store_keep keep = { 0 };
    CHECK_INT(store_sweep(db, &keep, dropped, &count), STORE_OK);
    CHECK_INT(count, 0);
    keep = (struct store_keep){ .reports = 3003, .requests = 4004, .codes = 501, .closed = 2003, .finished = 2004 };
    CHECK_INT(store_sweep(db, &keep, dropped, &count), STORE_OK);
    if (CHECK_INT(count, 2))                     /* a second earlier than 2003 and 2004, and no later */
        CHECK(dropped[0] == 1 && dropped[1] == 2);
    codes = 0;
    CHECK_INT(store_each_code(db, see_code, &codes), STORE_OK);
    CHECK_INT(codes, 21600);
    CHECK_INT(store_get_request(db, 2, "CODE3", code), STORE_MISSING);
    CHECK_INT(store_get_request(db, 2, "CODE4", code), STORE_OK);
    keep = (struct store_keep){ .closed = 9000, .finished = 9000 };
    CHECK_INT(store_sweep(db, &keep, dropped, &count), STORE_OK);
    /* waiting and running tables stay, and the last one, whose id must not be used again */
    if (CHECK_INT(count, 2))
        CHECK(dropped[0] == 3 && dropped[1] == 4);
    return STORE_OK;
}

TEST("requests, codes, the heartbeat, and what is dropped")
{
    make_folder();
    if (CHECK(open_store())) {
        CHECK_INT(do_job(try_keeping), STORE_OK);
        close_store();
        CHECK_INT(outside_number(path, "SELECT count(*) FROM game"), 3);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM game WHERE id IN (5, 6, 7)"), 3);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM line"), 3);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM choice"), 3);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM seat"), 3);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM report"), 3);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM request"), 3);
    }
    drop_folder();
}

TEST("reports are compressed, and a damaged one is refused")
{
    struct store_db *db;
    char report[20000], *text = NULL;
    size_t size = 0;
    make_folder();
    for (size_t i = 0; i < sizeof report; i++)
        report[i] = "{\"points\": 17}, "[i % 16];
    struct store_table t = table(1, STORE_OVER);
    if (CHECK(store_open_alone(&db, path, true, error, sizeof error))) {
        CHECK_INT(store_put_table(db, &t), STORE_OK);
        CHECK_INT(store_put_report(db, 1, "analysis", report, sizeof report, 60), STORE_OK);
        CHECK_INT(store_get_report(db, 1, "analysis", &text, &size), STORE_OK);
        CHECK(size == sizeof report && !memcmp(text, report, size) && !text[size]);
        free(text);
        CHECK(store_close_alone(db, true, error, sizeof error));
    }
    CHECK(outside_number(path, "SELECT length(text) FROM report") < 500);
    const char *const damages[] = { "UPDATE report SET size = 20001", "UPDATE report SET size = 19999",
        "UPDATE report SET size = -1",
        "UPDATE report SET size = 1099511627776",
        server() ? "UPDATE report SET size = 20000, text = '\\x00'" : "UPDATE report SET size = 20000, text = x'00'" };
    store_set_log(count_words);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        CHECK(outside(path, damages[i]));
        if (CHECK(store_open_alone(&db, path, false, error, sizeof error))) {
            CHECK_INT(store_get_report(db, 1, "analysis", &text, &size), STORE_FAILED);
            CHECK(store_close_alone(db, true, error, sizeof error));
        }
    }
    store_set_log(NULL);
    drop_folder();
}

/* Waits for the store's thread to notice a change. */
static bool becomes(enum store_health wanted)
{
    for (int i = 0; i < 6000 && store_health(store) != wanted; i++)
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    return store_health(store) == wanted;
}

static enum store_result read_only(struct store_db *db, struct store_job *job)
{
    int64_t alive;
    (void)job;
    return store_get_alive(db, &alive);
}

static enum store_result write_beat(struct store_db *db, struct store_job *job)
{
    (void)job;
    return store_put_alive(db, 99);
}

FILE_TEST("a file that was removed or replaced is noticed, and nothing is written into it")
{
    char away[600], wal[600];
    store_set_log(count_words);
    for (int replace = 0; replace < 3; replace++) {      /* removed; replaced; only the write-ahead log removed */
        make_folder();
        snprintf(away, sizeof away, "%s.away", path);
        snprintf(wal, sizeof wal, "%s%s", path, replace == 2 ? "-wal" : "");
        if (CHECK(open_store())) {
            words_logged = 0;
            CHECK_INT(do_job(write_beat), STORE_OK);
            CHECK_INT(store_health(store), STORE_WELL);
            CHECK(!rename(wal, away));
            FILE *other = replace == 1 ? fopen(path, "w") : NULL;
            CHECK(!other == (replace != 1) && (!other || !fclose(other)));
            CHECK_INT(do_job(write_beat), STORE_FAILED);     /* at once, without waiting for the next check */
            CHECK_INT(store_health(store), STORE_NO_FILE);
            CHECK_INT(do_job(read_only), STORE_OK);          /* what is open can still be read */
            CHECK_INT(store_health(store), STORE_NO_FILE);
            CHECK_INT(words_logged, 1);
            CHECK(!rename(away, wal));
            CHECK(becomes(STORE_WELL));
            CHECK_INT(do_job(write_beat), STORE_OK);
            CHECK(!rename(wal, away));
            CHECK(becomes(STORE_NO_FILE));                   /* noticed without a request */
            CHECK(!rename(away, wal));
            close_store();
        }
        drop_folder();
    }
    store_set_log(NULL);
}

FILE_TEST("a store that cannot write says so, until it can")
{
    store_set_log(count_words);
    make_folder();
    if (CHECK(open_store())) {
        static const enum fault_kind kinds[] = { FAULT_WRITE_FULL, FAULT_WRITE, FAULT_SYNC };
        for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            CHECK_INT(do_job(write_beat), STORE_OK);
            CHECK_INT(store_health(store), STORE_WELL);
            fault.hits = fault.countdown = 0;
            fault.lasting = true;
            fault.kind = kinds[i];
            CHECK(do_job(write_beat) >= STORE_NO_ROOM);
            CHECK_INT(store_health(store), STORE_NO_WRITES);
            CHECK_INT(do_job(read_only), STORE_OK);          /* reading works, but shows nothing about writing */
            CHECK_INT(store_health(store), STORE_NO_WRITES);
            fault.kind = FAULT_NONE;
        }
        CHECK_INT(do_job(write_beat), STORE_OK);
        CHECK_INT(store_health(store), STORE_WELL);
        close_store();
    }
    store_set_log(NULL);
    drop_folder();
}

/* If opening fails at operation 1, 2, 3..., the next start can still open the database. */
FILE_TEST("opening and migrating on a disk that fails")
{
    store_set_log(count_words);
    for (int migrating = 0; migrating < 2; migrating++) {
        for (enum fault_kind kind = FAULT_WRITE_FULL; kind < FAULT_POISON; kind++) {
            bool reached = true;
            int n = 0;
            for (; n < 40000 && reached; n += 1 + n / 8) {
                make_folder();
                if (migrating)
                    CHECK(outside(path, version_1));
                fault.hits = 0;
                fault.lasting = n % 2;
                fault.countdown = n;
                fault.kind = kind;
                bool opened = open_with(NULL, NULL);
                fault.kind = FAULT_NONE;
                reached = fault.hits > 0;
                CHECK(opened || (reached && error[0]));
                if (opened)
                    close_store();
                if (CHECK(open_store())) {
                    CHECK_INT(do_job(put_report), migrating ? STORE_OK : STORE_MISSING);
                    close_store();
                }
                CHECK(!exists(".v1.new"));
                drop_folder();
            }
            CHECK(!reached && n > 0);
        }
    }
    store_set_log(NULL);
}

/* kill -9. */

static int acknowledge;          /* a pipe */

static void tell_parent(struct store_job *job, enum store_result result)
{
    struct job *mine = (struct job *)job;
    if (result != STORE_OK || write(acknowledge, &mine->number, sizeof mine->number) != sizeof mine->number)
        _exit(1);
    mine->number += 8;
    store_submit(store, job);
}

TEST("killed at any moment, all that was acknowledged is there")
{
    enum { ROUNDS = 30, IN_HAND = 8 };
    static int told[200000];
    int count = 0, next = 1;
    unsigned random = 12345;
    make_folder();
    for (int round = 0; round < ROUNDS; round++) {
        int ends[2];
        CHECK(!pipe(ends));
        pid_t child = fork();
        if (!child) {
            static struct job jobs[IN_HAND];
            acknowledge = ends[1];
            close(ends[0]);
            if (!open_store())
                _exit(1);
            for (int i = 0; i < IN_HAND; i++) {
                jobs[i] = (struct job){ .job = { .run = write_table, .done = tell_parent }, .number = next + i };
                store_submit(store, &jobs[i].job);
            }
            uv_run(&loop, UV_RUN_DEFAULT);
            _exit(1);
        }
        close(ends[1]);
        random = random * 1103515245u + 12345;
        /* Some are killed while they open, most while they write. */
        if (round % 5 && read(ends[0], &told[count], sizeof *told) == sizeof *told)
            count++;
        struct timespec wait = { 0, (long)(random >> 8) % 12000000 };
        nanosleep(&wait, NULL);
        kill(child, SIGKILL);
        int status;
        waitpid(child, &status, 0);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        while (count < 200000 && read(ends[0], &told[count], sizeof *told) == sizeof *told)
            count++;
        close(ends[0]);
        for (int i = 0; i < count; i++)
            if (told[i] >= next)
                next = told[i] + 1;
        next += 2 * IN_HAND;     /* those submitted may have been stored without an answer */
        if (server() || !exists(""))
            continue;
        CHECK_INT(outside_number(path, "SELECT count(*) FROM pragma_quick_check WHERE quick_check != 'ok'"), 0);
    }
    CHECK(count > ROUNDS);
    struct store_db *db;
    int missing = 0;
    if (CHECK(store_open_alone(&db, path, false, error, sizeof error))) {
        for (int i = 0; i < count; i++) {
            char *text = NULL;
            size_t size = 0, lines = 0;
            missing += store_get_lines(db, told[i], &text, &size) != STORE_OK;
            for (size_t at = 0; at < size; at++)
                lines += text[at] == '\n';
            missing += lines != 4;
            free(text);
        }
        store_close_alone(db, false, error, sizeof error);
    }
    CHECK_INT(missing, 0);
    CHECK_INT(outside_number(path, "SELECT count(*) FROM game WHERE (SELECT sum(count) FROM line WHERE game = game.id) IS "
        "DISTINCT FROM 4"), 0);
    CHECK_INT(outside_number(path, "SELECT count(*) FROM game LEFT JOIN choice ON choice.game = game.id WHERE seat IS NULL"),
        0);
    printf("# %d acknowledged in %d lives\n", count, ROUNDS);
    drop_folder();
}

/* Changes of tables in one transaction, one of which conflicts. */

TEST("what is announced of a change is read back, and nothing else is taken for it")
{
    static const char *const wrong[] = { "", "1 2 3 4 5", "1 2 3 4 9\x1e\x1e\x1e\x1e", "1 2 3 4 -2\x1e\x1e\x1e\x1e",
        "1 2 3\x1e\x1e\x1e\x1e", "1 2 3 4 1\x1e\x1e\x1e", "1 2 3 4 1\x1em1\03617\x1eno end\x1e", "x\x1e\x1e\x1e\x1e" };
    struct store_news news;
    char wide[600] = "1 2 3 4 1\x1e";
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!store_read_news(wrong[i], &news));
    memset(wide + strlen(wide), 'i', 60);
    CHECK(!store_read_news(strcat(wide, "\x1e\x1e\x1e"), &news));        /* an id that is too long, and a choice */
    snprintf(wide, sizeof wide, "1 2 3 4 1\x1e\x1e%0450d\x1e\x1e", 7);
    CHECK(!store_read_news(wide, &news));
    CHECK(store_read_news("70 9 5000 12 -1\x1e\x1e\x1eone\ntwo\n\x1e", &news));
    CHECK(!news.has_choice && news.due == 70 && news.keeper == 9 && news.made == 5000);
    CHECK_INT(news.first_line, 12);
    CHECK_INT(news.lines_size, 8);
}

TEST("a change that meets another state is refused, and the others of its transaction are kept")
{
    enum { JOBS = 10 };
    static struct store_commit commits[JOBS + 1];
    static struct job holder;
    make_folder();
    if (CHECK(open_store())) {
        hold_thread(&holder);
        for (int i = 1; i <= JOBS; i++) {
            commits[i] = (struct store_commit){ .job = { .run = store_run_commit, .done = nothing },
                .table = table(i, STORE_RUNNING),
                .lines = "one\n", .lines_size = 4, .first_line = i == 5, .has_choice = true,
                .choice = { .seat = 1, .phase = 1, .text = "17 22" } };
            store_submit(store, &commits[i].job);
        }
        uv_sem_post(&gate);
        uv_run(&loop, UV_RUN_DEFAULT);
        for (int i = 1; i <= JOBS; i++)
            CHECK_INT(commits[i].job.result, i == 5 ? STORE_FAILED : STORE_OK);
        CHECK_INT(store_counters(store).commits, 1);
        CHECK_INT(store_counters(store).failed, 1);
        close_store();
        CHECK_INT(outside_number(path, "SELECT count(*) FROM game WHERE code <> 'CODE5'"), JOBS - 1);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM game"), JOBS - 1);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM line"), JOBS - 1);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM choice"), JOBS - 1);
    }
    uv_sem_destroy(&gate);
    uv_sem_destroy(&held);
    drop_folder();
}

#ifdef WITH_POSTGRESQL
/*
 * A proxy between the store and the server: passes everything on, until the test lets it cut all connections when a
 * commit passes, before the server receives it or before the store receives the answer.
 */
enum cut { CUT_NONE, CUT_BEFORE, CUT_AFTER, CUT_NOW };

static struct {
    char folder[64], target[108], socket[108], where[256];
    int listener;
    uv_thread_t thread;
    uv_mutex_t mutex;
    enum cut cut;
    bool stop;
    int cuts, commits;           /* how many have passed */
    int questions;               /* Sync messages: ends of what the store sends before it waits for an answer */
    int pair[8][2];
    unsigned pairs;
} proxy;

static void cut_all(void)
{
    for (unsigned i = 0; i < proxy.pairs; i++)
        for (int side = 0; side < 2; side++)
            close(proxy.pair[i][side]);
    proxy.pairs = 0;
    proxy.cut = CUT_NONE;
    proxy.cuts++;
}

static int open_socket(const char *name, bool listening)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int made = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", name);
    if (listening ? bind(made, (struct sockaddr *)&address, sizeof address) || listen(made, 8) :
        connect(made, (struct sockaddr *)&address, sizeof address)) {
        close(made);
        return -1;
    }
    return made;
}

/* Passes on data from one side; false: the pair is closed. */
static bool pass_on(unsigned which, int side)
{
    char bytes[65536];
    ssize_t got = read(proxy.pair[which][side], bytes, sizeof bytes);
    if (got <= 0)
        return false;
    bool is_commit = !side && memmem(bytes, (size_t)got, "COMMIT", 7);
    proxy.commits += is_commit;
    for (const char *at = bytes, *end = bytes + got; !side && (at = memmem(at, (size_t)(end - at), "S\0\0\0\4", 5)); at += 5)
        proxy.questions++;
    if (is_commit && proxy.cut == CUT_BEFORE) {
        cut_all();
        return true;
    }
    for (ssize_t sent = 0, now; sent < got; sent += now)
        if ((now = write(proxy.pair[which][!side], bytes + sent, (size_t)(got - sent))) <= 0)
            return false;
    if (is_commit && proxy.cut == CUT_AFTER) {
        if (read(proxy.pair[which][1], bytes, sizeof bytes) > 0)     /* the answer, which is dropped */
            cut_all();
    }
    return true;
}

static void run_proxy(void *unused)
{
    (void)unused;
    uv_mutex_lock(&proxy.mutex);
    while (!proxy.stop) {
        struct pollfd wanted[17] = { { .fd = proxy.listener, .events = POLLIN } };
        unsigned pairs = proxy.pairs;
        for (unsigned i = 0; i < 2 * pairs; i++)
            wanted[i + 1] = (struct pollfd){ .fd = proxy.pair[i / 2][i % 2], .events = POLLIN };
        uv_mutex_unlock(&proxy.mutex);
        poll(wanted, 1 + 2 * pairs, 5);
        uv_mutex_lock(&proxy.mutex);
        if (proxy.cut == CUT_NOW) {
            cut_all();
            continue;
        }
        for (unsigned i = 0; i < 2 * pairs && proxy.pairs == pairs; i++)
            if (wanted[i + 1].revents && !pass_on(i / 2, (int)(i % 2)) && proxy.pairs == pairs) {
                close(proxy.pair[i / 2][0]);
                close(proxy.pair[i / 2][1]);
                memcpy(proxy.pair[i / 2], proxy.pair[--proxy.pairs], sizeof proxy.pair[0]);
            }
        int client = wanted[0].revents && proxy.listener >= 0 && proxy.pairs < 8 ? accept(proxy.listener, NULL, NULL) : -1;
        if (client >= 0) {
            proxy.pair[proxy.pairs][0] = client;
            proxy.pair[proxy.pairs][1] = open_socket(proxy.target, false);
            if (proxy.pair[proxy.pairs][1] < 0)
                close(client);
            else
                proxy.pairs++;
        }
    }
    uv_mutex_unlock(&proxy.mutex);
}

/* From now on connections are cut, or none is accepted. */
static void set_proxy(enum cut cut, bool listens)
{
    uv_mutex_lock(&proxy.mutex);
    proxy.cut = cut;
    if (!listens && proxy.listener >= 0) {
        close(proxy.listener);
        unlink(proxy.socket);
        proxy.listener = -1;
    } else if (listens && proxy.listener < 0) {
        proxy.listener = open_socket(proxy.socket, true);
    }
    uv_mutex_unlock(&proxy.mutex);
}

static int commits_seen(void)
{
    uv_mutex_lock(&proxy.mutex);
    int commits = proxy.commits;
    uv_mutex_unlock(&proxy.mutex);
    return commits;
}

/* Afterwards `path` leads through the proxy. */
static bool start_proxy(void)
{
    char host[80], rest[400];
    memset(&proxy, 0, sizeof proxy);
    proxy.listener = -1;
    if (sscanf(path, "host=%79s %399[^\n]", host, rest) != 2)
        return false;
    snprintf(proxy.target, sizeof proxy.target, "%s/.s.PGSQL.5432", host);
    snprintf(proxy.folder, sizeof proxy.folder, "/tmp/test_store_XXXXXX");
    if (!mkdtemp(proxy.folder))
        return false;
    snprintf(proxy.socket, sizeof proxy.socket, "%s/.s.PGSQL.5432", proxy.folder);
    snprintf(path, sizeof path, "host=%s %s", proxy.folder, rest);
    uv_mutex_init(&proxy.mutex);
    set_proxy(CUT_NONE, true);
    return proxy.listener >= 0 && !uv_thread_create(&proxy.thread, run_proxy, NULL);
}

static void stop_proxy(void)
{
    uv_mutex_lock(&proxy.mutex);
    proxy.stop = true;
    uv_mutex_unlock(&proxy.mutex);
    uv_thread_join(&proxy.thread);
    set_proxy(CUT_NONE, false);
    cut_all();
    rmdir(proxy.folder);
    uv_mutex_destroy(&proxy.mutex);
}

static int commit_runs;

static enum store_result count_commit(struct store_db *db, struct store_job *job)
{
    commit_runs++;
    return store_run_commit(db, job);
}

POSTGRES_TEST("a commit that gets no answer is looked up: kept or not, it is stored once")
{
    store_set_log(count_words);
    make_folder();
    if (CHECK(start_proxy())) {
        if (CHECK(open_store())) {
            for (int i = 0; i < 20; i++) {
                enum cut cut = i % 2 ? CUT_BEFORE : CUT_AFTER;
                struct store_commit commit = { .job = { .run = count_commit, .done = nothing },
                    .table = table(1, STORE_RUNNING),
                    .lines = "one\n", .lines_size = 4, .first_line = (uint32_t)i };
                commit.table.revision = i;
                commit_runs = 0;
                /* A job that only reads has its own commit, whose answer must not be mistaken for that of the next. */
                int seen = commits_seen();
                CHECK_INT(do_job(read_only), STORE_OK);
                while (commits_seen() == seen)
                    nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
                set_proxy(cut, true);
                store_submit(store, &commit.job);
                uv_run(&loop, UV_RUN_DEFAULT);
                CHECK_INT(commit.job.result, STORE_OK);
                CHECK_INT(proxy.cuts, i + 1);
                CHECK_INT(commit_runs, cut == CUT_BEFORE ? 2 : 1);
            }
            CHECK_INT(store_health(store), STORE_WELL);
            close_store();
        }
        CHECK_INT(outside_number(path, "SELECT sum(count) FROM line"), 20);
        stop_proxy();
    }
    store_set_log(NULL);
}

static enum store_result read_whole(struct store_db *db, struct store_job *job)
{
    struct store_choice choices[STORE_SEATS];
    struct store_table got;
    unsigned count = 0;
    size_t size = 0;
    char *text = NULL;
    (void)job;
    CHECK_INT(store_get_whole_table(db, "CODE1", &got, &text, &size, choices, &count), STORE_OK);
    CHECK_INT(got.revision, 3);
    CHECK_INT(size, 8);
    CHECK(text && !memcmp(text, "one\ntwo\n", 8));
    CHECK_INT(count, 1);
    CHECK_STR(choices[0].text, "17 22");
    free(text);
    return STORE_OK;
}

static enum store_result read_revisions(struct store_db *db, struct store_job *job)
{
    int64_t ids[STORE_REVISIONS] = { 2, 1, 0, 1 }, revisions[STORE_REVISIONS];
    (void)job;
    for (int i = 4; i < STORE_REVISIONS; i++)
        ids[i] = INT64_MIN + i;
    CHECK_INT(store_get_revisions(db, ids, STORE_REVISIONS, revisions), STORE_OK);
    for (int i = 0; i < STORE_REVISIONS; i++)
        CHECK_INT(revisions[i], i == 1 || i == 3 ? 3 : 0);
    return STORE_OK;
}

static int64_t revision_heard = -1;          /* 0: it listens */

static bool is_late;

static void mark_late(uv_timer_t *timer)
{
    (void)timer;
    is_late = true;
}

static void receive(void *context, const char *code, int64_t revision, const char *more)
{
    (void)context;
    (void)more;
    if (!code || !strcmp(code, "CODE1"))
        revision_heard = revision;
}

static int questions_of(struct store_job *job)
{
    uv_mutex_lock(&proxy.mutex);
    proxy.questions = 0;
    uv_mutex_unlock(&proxy.mutex);
    int seen = commits_seen();
    store_submit(store, job);
    uv_run(&loop, UV_RUN_DEFAULT);
    CHECK_INT(job->result, STORE_OK);
    while (commits_seen() == seen)           /* the commit of a job that only reads is not awaited */
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    uv_mutex_lock(&proxy.mutex);
    int questions = proxy.questions;
    uv_mutex_unlock(&proxy.mutex);
    return questions;
}

/* The path of a choice from one server to a client at another: the change, the announcement, and reading the table. */
static int heard_words, heard_gaps;

static void count_news(void *context, const char *word, int64_t number, const char *more)
{
    (void)context;
    (void)more;
    heard_words += word != NULL;
    heard_gaps += !word && !number;
}

POSTGRES_TEST("announcements that the loop does not take in time are dropped, and it learns of that")
{
    int sent = 0;
    uv_timer_t patience;                     /* keeps the loop alive, which has no other timer */
    make_folder();
    heard_words = heard_gaps = 0;
    if (CHECK(open_store()) && CHECK(store_listen(store, count_news, NULL))) {
        uv_timer_init(&loop, &patience);
        uv_timer_start(&patience, mark_late, 60000, 0);
        while (!heard_gaps && !is_late)      /* until it listens */
            uv_run(&loop, UV_RUN_ONCE);
        while (heard_gaps < 2 && !is_late) {
            char waits[2] = "";
            sent += 3000;
            CHECK(outside_server("SELECT count(pg_notify('pyramids_' || current_schema(), 'CODE1:' || i || chr(31) ||"
                " repeat('x', 7000))) FROM generate_series(1, 3000) AS i", NULL, 0));
            while ((!waits[0] || waits[0] == '0') && !is_late)         /* until they are on their way to the thread */
                CHECK(outside_server("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'"
                    " AND wait_event = 'ClientRead' AND datname = current_database()", waits, sizeof waits));
            uv_run(&loop, UV_RUN_NOWAIT);
        }
        CHECK_INT(heard_gaps, 2);
        CHECK(heard_words < sent);
        uv_close((uv_handle_t *)&patience, NULL);
        close_store();
    }
    drop_folder();
}

POSTGRES_TEST("a change takes two round trips, another server receives it by itself and reads the table in one")
{
    make_folder();
    if (CHECK(start_proxy()) && CHECK(open_store())) {
        struct store_commit commits[3];
        struct store_job read = { .run = read_whole, .done = nothing }, compare = { .run = read_revisions, .done = nothing };
        uv_timer_t patience;                 /* keeps the loop alive, which has no other timer */
        uv_timer_init(&loop, &patience);
        for (int i = 0; i < 3; i++) {
            commits[i] = (struct store_commit){ .job = { .run = store_run_commit, .done = nothing },
                .table = table(1, STORE_RUNNING), .keeps_due = i, .lines = i ? "two\n" : "one\n",
                .lines_size = i < 2 ? 4 : 0, .first_line = (uint32_t)i, .has_choice = i == 2,
                .choice = { .seat = 1, .phase = 2, .text = "17 22" } };
            commits[i].table.revision = i;
            commits[i].table.id = i ? 1 : 0;
        }
        store_submit(store, &commits[0].job);
        uv_run(&loop, UV_RUN_DEFAULT);
        CHECK_INT(questions_of(&commits[1].job), 2);
        if (CHECK(store_listen(store, receive, NULL))) {
            uv_timer_start(&patience, mark_late, 60000, 0);
            while (revision_heard < 0 && !is_late)
                uv_run(&loop, UV_RUN_ONCE);
            uv_unref((uv_handle_t *)&patience);
            CHECK_INT(questions_of(&commits[2].job), 2);
            uv_ref((uv_handle_t *)&patience);
            while (revision_heard < 3 && !is_late)
                uv_run(&loop, UV_RUN_ONCE);
            CHECK_INT(revision_heard, 3);
        }
        uv_close((uv_handle_t *)&patience, NULL);        /* otherwise it would keep the loop alive for its whole minute */
        CHECK_INT(questions_of(&read), 2);   /* with the commit, which is not awaited */
        CHECK_INT(questions_of(&compare), 2);
        close_store();
    }
    stop_proxy();
}

static struct {
    unsigned told, choices, lines;           /* tables that were announced; with what has changed */
    unsigned second;                         /* announcements of the second table */
    struct store_news news;                  /* the last one */
    char text[8];                            /* its lines */
} received;

static void hear_news(void *context, const char *code, int64_t revision, const char *more)
{
    struct store_news news;
    (void)context;
    (void)revision;
    if (!code) {
        revision_heard = revision;
        return;
    }
    received.told++;
    received.second += !strcmp(code, "CODE2");
    if (!more || !CHECK(store_read_news(more, &news)))
        return;
    received.choices += news.has_choice;
    received.lines += news.lines_size > 0;
    received.news = news;
    snprintf(received.text, sizeof received.text, "%.*s", (int)news.lines_size, news.lines);
}

/* In the same transaction; the second change meets a newer table. */
POSTGRES_TEST("a change that is refused costs the others of its transaction nothing, and is not announced")
{
    enum { JOBS = 4 };
    static struct store_commit commits[JOBS + 1], news[JOBS + 1];
    static struct job holder;
    make_folder();
    memset(&received, 0, sizeof received);
    revision_heard = -1;
    is_late = false;
    if (CHECK(start_proxy()) && CHECK(open_store())) {
        uv_timer_t patience;
        uv_timer_init(&loop, &patience);
        for (int i = 1; i <= JOBS; i++) {
            commits[i] = (struct store_commit){ .job = { .run = store_run_commit, .done = nothing }, .is_alone = true,
                .table = table(i, STORE_RUNNING), .lines = "one\n", .lines_size = 4 };
            commits[i].table.id = 0;
            store_submit(store, &commits[i].job);
        }
        uv_run(&loop, UV_RUN_DEFAULT);
        if (CHECK(store_listen(store, hear_news, NULL))) {
            uv_timer_start(&patience, mark_late, 60000, 0);
            while (revision_heard < 0 && !is_late)
                uv_run(&loop, UV_RUN_ONCE);
            uv_timer_stop(&patience);
            hold_thread(&holder);
            for (int i = 1; i <= JOBS; i++) {
                news[i] = (struct store_commit){ .job = { .run = store_run_commit, .done = nothing }, .made = 5000,
                    .table = { .id = commits[i].after.id, .revision = i == 2 ? 7 : 1, .due = 70, .keeper = 9 },
                    .has_choice = true, .choice = { .seat = 1, .phase = 1, .id = "m1", .text = "17 22", .made = 5000 },
                    .first_line = 1, .lines = "two\n", .lines_size = i == JOBS ? 4 : 0 };
                snprintf(news[i].table.code, sizeof news[i].table.code, "CODE%d", i);
                store_submit(store, &news[i].job);
            }
            uv_mutex_lock(&proxy.mutex);
            proxy.questions = 0;
            uv_mutex_unlock(&proxy.mutex);
            uv_sem_post(&gate);
            uv_run(&loop, UV_RUN_DEFAULT);
            for (int i = 1; i <= JOBS; i++)
                CHECK_INT(news[i].job.result, i == 2 ? STORE_CONFLICT : STORE_OK);
            uv_mutex_lock(&proxy.mutex);
            CHECK(proxy.questions <= 4);     /* that which holds the thread, and two */
            uv_mutex_unlock(&proxy.mutex);
            uv_timer_start(&patience, mark_late, 60000, 0);
            while (received.told < JOBS - 1 && !is_late)
                uv_run(&loop, UV_RUN_ONCE);
        }
        CHECK_INT(received.told, JOBS - 1);
        CHECK_INT(received.second, 0);
        CHECK_INT(received.choices, JOBS - 1);
        CHECK_INT(received.lines, 1);
        CHECK(received.news.seat == 1 && received.news.made == 5000 && received.news.due == 70 && received.news.keeper == 9);
        CHECK_INT(received.news.first_line, 1);
        CHECK_STR(received.news.id, "m1");
        CHECK_STR(received.news.text, "17 22");
        CHECK_STR(received.text, "two\n");
        uv_close((uv_handle_t *)&patience, NULL);
        uv_run(&loop, UV_RUN_DEFAULT);
        close_store();
    }
    stop_proxy();
    uv_sem_destroy(&gate);
    uv_sem_destroy(&held);
}

POSTGRES_TEST("a server that disappears: what cannot be stored is refused, and the store continues when it is back")
{
    store_set_log(count_words);
    make_folder();
    if (CHECK(start_proxy())) {
        if (CHECK(open_store())) {
            struct job one = { .job = { .run = write_table, .done = note }, .number = 1 }, two = one, three = one;
            CHECK_INT(do_job(write_beat), STORE_OK);
            set_proxy(CUT_NOW, true);                    /* a cut connection causes no failure */
            while (proxy.cuts < 1)
                nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
            store_submit(store, &one.job);
            uv_run(&loop, UV_RUN_DEFAULT);
            CHECK_INT(one.result, STORE_OK);
            set_proxy(CUT_NOW, false);
            CHECK(becomes(STORE_NO_WRITES));             /* noticed without a request */
            two.number = 2;
            store_submit(store, &two.job);
            uv_run(&loop, UV_RUN_DEFAULT);
            CHECK_INT(two.result, STORE_FAILED);
            CHECK_INT(store_health(store), STORE_NO_WRITES);
            set_proxy(CUT_NONE, true);
            while (do_job(write_beat) != STORE_OK)
                nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
            CHECK_INT(store_health(store), STORE_WELL);
            three.number = 3;
            store_submit(store, &three.job);
            uv_run(&loop, UV_RUN_DEFAULT);
            CHECK_INT(three.result, STORE_OK);
            close_store();
        }
        CHECK_INT(outside_number(path, "SELECT count(*) FROM game WHERE id IN (1, 3)"), 2);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM game"), 2);
        stop_proxy();
    }
    store_set_log(NULL);
}

POSTGRES_TEST("closing does not wait for a server that is gone, whose last word is missing")
{
    store_set_log(count_words);
    make_folder();
    if (CHECK(start_proxy())) {
        if (CHECK(open_store())) {
            struct job one = { .job = { .run = write_table, .done = note }, .number = 1 };
            set_proxy(CUT_AFTER, false);
            store_submit(store, &one.job);
            close_store();
            CHECK_INT(one.result, STORE_FAILED);
        }
        stop_proxy();
    }
    store_set_log(NULL);
}

static void note_words(const char *words)
{
    words_logged += strstr(words, "deadlock") != NULL;
}

POSTGRES_TEST("servers that change the same tables in another order never wait for each other")
{
    enum { SERVERS = 2, TABLES = 100, ROUNDS = 20 };
    static struct store_commit commits[SERVERS][TABLES];
    static struct job holder[SERVERS], one;
    struct store *both[SERVERS];
    make_folder();
    store_set_log(note_words);
    words_logged = 0;
    if (CHECK(open_store())) {
        both[0] = store;
        for (int i = 0; i < TABLES; i++) {
            one = (struct job){ .job = { .run = write_table, .done = note }, .number = i + 1 };
            store_submit(store, &one.job);
            uv_run(&loop, UV_RUN_DEFAULT);
        }
        if (CHECK(store_open(&both[1], &loop, path, NULL, NULL, error, sizeof error))) {
            uv_sem_init(&gate, 0);
            uv_sem_init(&held, 0);
            for (int round = 0; round < ROUNDS; round++) {
                for (int n = 0; n < SERVERS; n++) {
                    holder[n] = (struct job){ .job = { .run = hold_at_gate, .done = note } };
                    store_submit(both[n], &holder[n].job);
                    uv_run(&loop, UV_RUN_NOWAIT);
                    uv_sem_wait(&held);
                    for (int i = 0; i < TABLES; i++) {
                        int id = n ? TABLES - i : i + 1;
                        commits[n][i] = (struct store_commit){ .job = { .run = store_run_commit, .done = nothing },
                            .table = { .id = id, .revision = round + 1 }, .keeps_due = true, .has_choice = true,
                            .choice = { .seat = 1, .phase = 4, .text = "17 22" } };
                        store_submit(both[n], &commits[n][i].job);
                    }
                }
                uv_sem_post(&gate);
                uv_sem_post(&gate);
                uv_run(&loop, UV_RUN_DEFAULT);
                int stored = 0, late = 0;            /* each table is changed by one of them */
                for (int i = 0; i < TABLES; i++) {
                    enum store_result one_way = commits[0][i].job.result, other = commits[1][TABLES - 1 - i].job.result;
                    stored += (one_way == STORE_OK) != (other == STORE_OK);
                    late += (one_way == STORE_CONFLICT) != (other == STORE_CONFLICT);
                }
                CHECK_INT(stored, TABLES);
                CHECK_INT(late, TABLES);
            }
            uv_sem_destroy(&gate);
            uv_sem_destroy(&held);
            store_close(both[1]);
        }
        close_store();
    }
    CHECK_INT(words_logged, 0);
    store_set_log(NULL);
}

/* A table with four lines, in whose phase no seat has chosen. */
static enum store_result write_new_phase(struct store_db *db, struct store_job *job)
{
    static const struct store_choice none = { .seat = 1 };
    enum store_result result = write_table(db, job);
    return result ? result : store_put_choice(db, ((struct job *)job)->number, &none);
}

/* A choice of a seat that has not chosen, made from the table as of `revision`; `others` may choose, too. */
static struct store_commit first_choice(int64_t revision, uint8_t seat, uint8_t others)
{
    return (struct store_commit){ .table = { .id = 1, .code = "CODE1", .revision = revision }, .keeps_due = true,
        .made = 5000, .has_choice = true, .others = others, .choice = { .seat = seat, .phase = 4, .text = "17 22" } };
}

POSTGRES_TEST("choices made at once are stored in any order, but the one that completes the phase")
{
    static struct job one;
    make_folder();
    if (!CHECK(open_store())) {
        drop_folder();
        return;
    }
    one = (struct job){ .job = { .run = write_new_phase, .done = note }, .number = 1 };
    store_submit(store, &one.job);
    uv_run(&loop, UV_RUN_DEFAULT);
    /* Four seats, each from revision 1. The last one would complete the phase, so it must know the others' choices. */
    struct store_commit choice[4];
    for (uint8_t s = 0; s < 4; s++) {
        choice[s] = first_choice(1, s, (uint8_t)(15 & ~(1u << s)));
        CHECK_INT(do_commit(&choice[s]), s < 3 ? STORE_OK : STORE_CONFLICT);
        if (s < 3)
            CHECK_INT(choice[s].after.revision, s + 2);
    }
    /* A seat that has already chosen, or was known to have, changes something else. */
    struct store_commit twice = first_choice(1, 0, 14), known = first_choice(1, 3, 3);
    CHECK_INT(do_commit(&twice), STORE_CONFLICT);
    CHECK_INT(do_commit(&known), STORE_CONFLICT);
    /* One takes a choice back: a choice made before that may not count without a new check. */
    struct store_commit back = first_choice(4, 1, 0), after = first_choice(1, 3, 7), from = first_choice(4, 3, 2);
    back.choice.text[0] = '\0';
    CHECK_INT(do_commit(&back), STORE_OK);
    CHECK_INT(do_commit(&after), STORE_CONFLICT);
    CHECK_INT(do_commit(&from), STORE_CONFLICT);
    from.table.revision = 5;
    CHECK_INT(do_commit(&from), STORE_OK);
    CHECK_INT(from.after.revision, 6);
    /* Lines end the phase, whichever seats have chosen. */
    struct store_commit lines = { .table = { .id = 1, .code = "CODE1", .revision = 6 }, .keeps_due = true, .made = 5000,
        .lines = "five\n", .lines_size = 5, .first_line = 4, .has_choice = true,
        .choice = { .seat = 1, .phase = 4, .text = "1 2" } }, late = first_choice(6, 3, 6);
    CHECK_INT(do_commit(&lines), STORE_OK);
    CHECK_INT(do_commit(&late), STORE_CONFLICT);
    close_store();
    drop_folder();
}

POSTGRES_TEST("servers whose players choose at once store all of it at the first attempt")
{
    enum { SERVERS = 3, TABLES = 60 };
    static struct store_commit commits[SERVERS][TABLES];
    static struct job holder[SERVERS], one;
    struct store *all[SERVERS];
    int opened = 0, stored = 0;
    make_folder();
    if (!CHECK(open_store())) {
        drop_folder();
        return;
    }
    all[opened++] = store;
    for (int i = 0; i < TABLES; i++) {
        one = (struct job){ .job = { .run = write_new_phase, .done = note }, .number = i + 1 };
        store_submit(store, &one.job);
        uv_run(&loop, UV_RUN_DEFAULT);
    }
    while (opened < SERVERS && CHECK(store_open(&all[opened], &loop, path, NULL, NULL, error, sizeof error)))
        opened++;
    uv_sem_init(&gate, 0);
    uv_sem_init(&held, 0);
    for (int n = 0; n < opened; n++) {
        holder[n] = (struct job){ .job = { .run = hold_at_gate, .done = note } };
        store_submit(all[n], &holder[n].job);
        uv_run(&loop, UV_RUN_NOWAIT);
        uv_sem_wait(&held);
        for (int i = 0; i < TABLES; i++) {
            commits[n][i] = first_choice(1, (uint8_t)n, (uint8_t)(15 & ~(1u << n)));
            commits[n][i].table.id = i + 1;
            commits[n][i].job = (struct store_job){ .run = store_run_commit, .done = nothing };
            store_submit(all[n], &commits[n][i].job);
        }
    }
    for (int n = 0; n < opened; n++)
        uv_sem_post(&gate);
    uv_run(&loop, UV_RUN_DEFAULT);
    for (int i = 0; i < TABLES; i++) {
        unsigned revisions = 0;              /* each has its own, from 2 to 4 */
        for (int n = 0; n < opened; n++)
            if (!commits[n][i].job.result)
                revisions |= 1u << commits[n][i].after.revision;
        stored += revisions == 0x1c;
    }
    CHECK_INT(stored, TABLES);
    uv_sem_destroy(&gate);
    uv_sem_destroy(&held);
    while (opened > 1)
        store_close(all[--opened]);
    close_store();
    drop_folder();
}

static void count_refused(void *context, unsigned job, enum store_result result, bool is_void)
{
    (void)job;
    (void)result;
    (void)is_void;
    ++*(int *)context;
}

/* The transaction number of the server, once it accepts connections. */
static int64_t new_transaction(void)
{
    char value[32] = "";
    while (!outside_server("SELECT pg_current_xact_id()", value, sizeof value))
        nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
    return strtoll(value, NULL, 10);
}

POSTGRES_TEST("a transaction that a crash of PostgreSQL has undone is not taken for another one of its number")
{
    struct store_visitor ana = { .name = "Ana", .created = 1, .seen = 1 };
    struct store_db *db;
    int64_t mine;
    int refused = 0;
    make_folder();
    if (CHECK(db = store_db_open(path, true, error, sizeof error))) {
        store_set_log(count_words);
        CHECK_INT(store_db_begin(db, true), STORE_OK);
        CHECK_INT(store_put_visitor(db, &ana), STORE_OK);
        CHECK_INT(store_db_settle(db, count_refused, &refused), STORE_OK);
        /* One of its processes crashes, and PostgreSQL restarts by itself: unwritten data are lost. */
        static const char open[] = "FROM pg_stat_activity WHERE state = 'idle in transaction'";
        char sql[120];
        snprintf(sql, sizeof sql, "SELECT backend_xid %s", open);
        mine = outside_number(path, sql);
        snprintf(sql, sizeof sql, "SELECT pid %s", open);
        int process = outside_number(path, sql);
        if (CHECK(mine > 0 && process > 0) && CHECK(!kill(process, SIGKILL)))
            while (new_transaction() < mine)
                ;                            /* until another session has that number */
        CHECK_INT(store_db_commit(db), STORE_FAILED);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM visitor"), 0);
        store_set_log(NULL);
        store_db_close(db);
    }
    drop_folder();
}

POSTGRES_TEST("servers that start at the same time make the tables once")
{
    enum { SERVERS = 6 };
    make_folder();
    for (int i = 0; i < SERVERS; i++)
        if (!fork())
            _exit(!open_store());
    for (int i = 0; i < SERVERS; i++) {
        int status = -1;
        CHECK(wait(&status) > 0);
        CHECK_INT(status, 0);
    }
    CHECK_INT(outside_number(path, "SELECT count(*) FROM pyramids"), 1);
}

POSTGRES_TEST("a newer version and another program's tables are refused and left as they are")
{
    make_folder();
    CHECK(outside(path, "CREATE TABLE customer (id int)"));
    CHECK(!open_with(NULL, NULL));
    CHECK(strstr(error, "another program") && strstr(error, "customer"));
    CHECK(outside(path, "CREATE TABLE pyramids (height text)"));         /* another program may have a table of this name */
    CHECK(!open_with(NULL, NULL));
    CHECK(strstr(error, "another program"));
    CHECK_INT(outside_number(path, "SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace"), 2);
    make_folder();
    if (CHECK(open_store()))
        close_store();
    CHECK(outside(path, "UPDATE pyramids SET version = 1000"));
    CHECK(!open_with(NULL, NULL));
    CHECK(strstr(error, "newer version") && strstr(error, "1000"));
    CHECK_INT(outside_number(path, "SELECT version FROM pyramids"), 1000);
}
#endif
