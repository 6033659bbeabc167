/* The store: every call, group commit, failures of the disk, kill -9, files that are refused. */
#define _XOPEN_SOURCE 700

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "store.h"

/* Files: a folder a case, gone afterwards. */

static char folder[64], path[96];

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/test_store_XXXXXX");
    if (!mkdtemp(folder)) {
        printf("Bail out! no folder under /tmp\n");
        exit(1);
    }
    snprintf(path, sizeof path, "%s/games.db", folder);
}

static void drop_folder(void)
{
    char name[512];
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
    char name[128];
    snprintf(name, sizeof name, "%s%s", path, ending);
    return !access(name, F_OK);
}

/* SQL from outside, on a connection of its own. */
static bool outside(const char *file, const char *sql)
{
    sqlite3 *db;
    bool good = sqlite3_open(file, &db) == SQLITE_OK && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_close(db);
    return good;
}

static int outside_number(const char *file, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *s = NULL;
    int number = -1;
    if (sqlite3_open(file, &db) == SQLITE_OK && sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
        number = sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    sqlite3_close(db);
    return number;
}

/* A store with a loop, and jobs that remember how they were answered. */

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
    struct store_table t = { .id = id, .state = (uint8_t)state, .created = 1000 + id, .changed = 2000 + id, .config = "{\"edition\": \"classic\"}" };
    snprintf(t.code, sizeof t.code, "CODE%d", id);
    return t;
}

/* All calls. */

static enum store_result try_visitors(struct store_db *db, struct store_job *job)
{
    (void)job;
    struct store_visitor a = visitor(1), b = visitor(2), got;
    int64_t last_visitor = -1, last_table = -1;
    CHECK_INT(store_count_visitor(db, &last_visitor, &last_table), STORE_OK);
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
    CHECK_INT(store_get_visitor(db, second, &got), STORE_NONE);
    CHECK_INT(store_add_token(db, 1, second), STORE_OK);
    CHECK_INT(store_add_token(db, 1, second), STORE_OK);             /* again is harmless */
    CHECK_INT(store_get_visitor(db, second, &got), STORE_OK);
    CHECK(got.id == 1 && got.token[0] == 99);
    CHECK_INT(store_add_token(db, 2, second), STORE_FAILED);         /* another's */
    uint8_t third[32] = { 98 };
    CHECK_INT(store_add_token(db, 7, third), STORE_NONE);            /* nobody's */
    CHECK_INT(store_count_visitor(db, &last_visitor, &last_table), STORE_OK);
    CHECK_INT(last_visitor, 2);
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
    unsigned choices;
    struct store_seat seat;
    struct store_db *db;
};

static bool see_open(void *context, const struct store_table *t, const char *text, size_t size, const struct store_choice *choices, unsigned count)
{
    struct seen *seen = context;
    seen->ids[seen->count++] = t->id;
    CHECK(strlen(text) == size && size < sizeof seen->text);
    snprintf(seen->text, sizeof seen->text, "%s", text);
    memcpy(seen->choice, choices, count * sizeof *choices);
    seen->choices = count;
    if (seen->db) {              /* other calls may be made meanwhile */
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
    CHECK_INT(store_get_table(db, "NOSUCH", &got), STORE_NONE);
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
    CHECK_INT(store_count_visitor(db, &last_visitor, &last_table), STORE_OK);
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
    CHECK_INT(store_get_lines(db, 9, &text, &size), STORE_NONE);
    CHECK_INT(store_add_lines(db, 9, 0, "a\n", 2), STORE_NONE);
    CHECK_INT(store_add_lines(db, 1, 0, "pyramids-record 1\nedition classic\n", 34), STORE_OK);
    CHECK_INT(store_add_lines(db, 2, 0, "other\n", 6), STORE_OK);
    CHECK_INT(store_add_lines(db, 1, 2, "player 1 Zoë\n", 14), STORE_OK);
    CHECK_INT(store_add_lines(db, 1, 2, "player 1 Ana\n", 13), STORE_FAILED);    /* there already */
    CHECK_INT(store_add_lines(db, 1, 1, "player 1 Ana\n", 13), STORE_FAILED);
    CHECK_INT(store_add_lines(db, 1, 4, "player 3 Eve\n", 13), STORE_FAILED);    /* a hole */
    CHECK_INT(store_add_lines(db, 1, 3, "player 2 Ben", 12), STORE_FAILED);      /* no whole line */
    CHECK_INT(store_add_lines(db, 1, 3, "", 0), STORE_OK);
    CHECK_INT(store_add_lines(db, 1, 3, "player 2 Ben\nx", 13), STORE_OK);
    CHECK_INT(store_get_lines(db, 1, &text, &size), STORE_OK);
    CHECK_STR(text, "pyramids-record 1\nedition classic\nplayer 1 Zoë\nplayer 2 Ben\n");
    CHECK_INT(size, strlen(text));
    free(text);

    struct store_choice choice = { .seat = 2, .phase = 4, .id = "c7", .text = "17 22" };
    CHECK_INT(store_put_choice(db, 1, &choice), STORE_OK);
    choice = (struct store_choice){ .seat = 1, .phase = 3, .id = "c6", .text = "1 2" };
    CHECK_INT(store_put_choice(db, 1, &choice), STORE_OK);
    choice = (struct store_choice){ .seat = 1, .phase = 4, .id = "c8" };
    CHECK_INT(store_put_choice(db, 1, &choice), STORE_OK);
    CHECK_INT(store_put_choice(db, 9, &choice), STORE_NONE);
    struct seen seen = { 0 };
    CHECK_INT(store_each_open_table(db, see_open, &seen), STORE_OK);
    CHECK_INT(seen.count, 1);
    CHECK_STR(seen.text, "pyramids-record 1\nedition classic\nplayer 1 Zoë\nplayer 2 Ben\n");
    if (CHECK_INT(seen.choices, 2)) {
        CHECK(seen.choice[0].seat == 1 && seen.choice[0].phase == 4 && seen.choice[1].seat == 2);
        CHECK_STR(seen.choice[0].id, "c8");
        CHECK_STR(seen.choice[0].text, "");
        CHECK_STR(seen.choice[1].text, "17 22");
    }
    seen = (struct seen){ 0 };
    CHECK_INT(store_each_record(db, see_record, &seen), STORE_OK);
    CHECK(seen.count == 1 && seen.ids[0] == 2);
    CHECK_STR(seen.text, "other\n");

    CHECK_INT(store_get_report(db, 1, "analysis", &text, &size), STORE_NONE);
    CHECK_INT(store_put_report(db, 9, "analysis", "{}", 2), STORE_NONE);
    CHECK_INT(store_put_report(db, 1, "analysis", "{}", 2), STORE_OK);
    CHECK_INT(store_put_report(db, 1, "analysis", "{\0}", 3), STORE_OK);
    CHECK_INT(store_put_report(db, 1, "page", "", 0), STORE_OK);
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
        struct store_seat seat = { .table = id, .visitor = 1, .seat = 2, .people = id <= 2, .bots = 1, .points = id == 6 ? -1000 : 10 * id,
            .share = id == 3 ? 0.5f : id == 4 };
        strcpy(seat.level, id == 5 ? "expert" : "club");
        CHECK_INT(store_put_seat(db, &seat), STORE_NONE);                /* no table yet */
        CHECK_INT(store_put_table(db, &t), STORE_OK);
        CHECK_INT(store_put_seat(db, &seat), STORE_OK);
        CHECK_INT(store_put_seat(db, &seat), STORE_OK);
    }
    struct store_seat other = { .table = 1, .visitor = 2, .seat = 1, .people = 1, .points = 77, .share = 1 };
    CHECK_INT(store_put_seat(db, &other), STORE_OK);
    other = (struct store_seat){ .table = 1, .visitor = 3, .seat = 3 };
    CHECK_INT(store_put_seat(db, &other), STORE_NONE);                   /* no such visitor */
    CHECK_INT(store_each_table_of(db, 1, 4, see_seat, &seen), STORE_OK);
    CHECK(seen.count == 4 && seen.ids[0] == 2 && seen.ids[1] == 6 && seen.ids[2] == 5 && seen.ids[3] == 4);
    CHECK(seen.seat.visitor == 1 && seen.seat.seat == 2 && seen.seat.people == 0 && seen.seat.bots == 1 && seen.seat.points == 40);
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
        CHECK(sums.tally[1].games == 2 && sums.tally[1].points == 70 && sums.tally[1].best == 40 && sums.tally[1].wins == 1.5);
        CHECK_STR(sums.tally[2].level, "expert");
        CHECK(sums.tally[2].games == 1 && sums.tally[2].wins == 0);
    }
    CHECK_INT(store_get_statistics(db, 9, &sums), STORE_OK);
    CHECK_INT(sums.count, 0);
    CHECK_INT(store_drop_seat(db, 1, 2), STORE_OK);
    CHECK_INT(store_drop_seat(db, 1, 2), STORE_NONE);
    seen = (struct seen){ 0 };
    CHECK_INT(store_each_table_of(db, 1, 100, see_seat, &seen), STORE_OK);
    CHECK_INT(seen.count, 5);
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

/* Jobs. */

/* Writes visitor `number`; some write first and fail then. */
static enum store_result write_visitor(struct store_db *db, struct store_job *job)
{
    struct job *mine = (struct job *)job;
    struct store_visitor v = visitor(mine->number);
    enum store_result result = store_put_visitor(db, &v);
    if (result != STORE_OK)
        return result;
    return mine->number % 7 == 3 ? STORE_FAILED : mine->number % 7 == 5 ? STORE_NONE : STORE_OK;
}

static void slow_down(struct store_job *job, enum store_result result)
{
    note(job, result);
    CHECK(store_pending(store) < 1000);
}

TEST("jobs share transactions, are answered in order, and fail alone")
{
    enum { JOBS = 1000 };
    static struct job jobs[JOBS + 1];
    make_folder();
    if (CHECK(open_store())) {
        answers = 0;
        for (int i = 1; i <= JOBS; i++) {
            jobs[i] = (struct job){ .job = { .run = write_visitor, .done = slow_down }, .number = i };
            store_submit(store, &jobs[i].job);
        }
        CHECK_INT(store_pending(store), JOBS);
        uv_run(&loop, UV_RUN_DEFAULT);
        CHECK_INT(store_pending(store), 0);
        int wrong = 0, good = 0;
        for (int i = 1; i <= JOBS; i++) {
            wrong += jobs[i].answered != i || jobs[i].result != (i % 7 == 3 ? STORE_FAILED : i % 7 == 5 ? STORE_NONE : STORE_OK);
            good += jobs[i].result == STORE_OK;
        }
        CHECK_INT(wrong, 0);
        struct store_counters counters = store_counters(store);
        CHECK_INT(counters.jobs, JOBS);
        CHECK_INT(counters.failed, (JOBS + 4) / 7);
        CHECK(counters.commits >= 4 && counters.commits < JOBS / 10 && counters.seconds > 0);
        close_store();
        CHECK_INT(outside_number(path, "SELECT count(*) FROM visitor"), good);
        CHECK_INT(outside_number(path, "SELECT count(*) FROM visitor WHERE id % 7 IN (3, 5)"), 0);
    }
    drop_folder();
}

static int chain_left;

/* Hands in the next from its answer. */
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
    return store_count_visitor(db, &last[0], &last[1]) == STORE_OK && store_put_visitor(db, &more) == STORE_OK && last[0] == 2;
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
    CHECK(!stat(path, &status) && (status.st_mode & 0777) == 0600);
    CHECK(!exists("-wal") && !exists(".v1"));
    CHECK_INT(outside_number(path, "PRAGMA application_id"), 0x50595241);
    CHECK_INT(outside_number(path, "PRAGMA user_version"), 2);
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

TEST("a database in memory keeps nothing")
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

TEST("a newer version and another program's file are refused and left as they are")
{
    make_folder();
    if (CHECK(open_store()))
        close_store();
    CHECK(outside(path, "PRAGMA user_version = 3"));
    CHECK(!open_with(NULL, NULL));
    CHECK(strstr(error, "newer version") && strstr(error, "version 3") && strstr(error, path));
    CHECK_INT(outside_number(path, "PRAGMA user_version"), 3);
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
    CHECK(strstr(error, "not a database of Pyramids"));
    struct stat status;
    CHECK(!stat(path, &status) && status.st_size == 15000);
    remove(path);

    file = fopen(path, "w");                             /* nothing in it: as good as none */
    fclose(file);
    if (CHECK(open_store()))
        close_store();
    drop_folder();
}

TEST("paths that cannot be")
{
    make_folder();
    char whole[96];
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
    snprintf(path, sizeof path, "%s/a/b/c.db", folder);  /* folders are made */
    if (CHECK(open_store()))
        close_store();
    struct stat status;
    snprintf(path, sizeof path, "%s/a/b", folder);
    CHECK(!stat(path, &status) && (status.st_mode & 0777) == 0700);
    char name[128];
    snprintf(name, sizeof name, "%s/c.db", path);
    remove(name);
    snprintf(name, sizeof name, "%s/c.db.lock", path);
    remove(name);
    rmdir(path);
    snprintf(path, sizeof path, "%s/a", folder);
    rmdir(path);
    drop_folder();
}

TEST("damage is found")
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
        else if (CHECK(strstr(error, "damaged") || strstr(error, "not a database")))
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

TEST("one database, one server, even through a link; free again after kill -9")
{
    char link[96];
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
    CHECK(!store_enter(&db, path, true, error, sizeof error));
    CHECK(strstr(error, "in use"));
    store = first;
    CHECK_INT(do_job(try_visitors), STORE_OK);
    if (CHECK(store_enter(&db, path, false, error, sizeof error))) {     /* reading may go on beside it */
        int64_t last[2];
        CHECK_INT(store_count_visitor(db, &last[0], &last[1]), STORE_OK);
        CHECK_INT(last[0], 2);
        struct store_visitor v = visitor(3);
        CHECK_INT(store_put_visitor(db, &v), STORE_FAILED);
        CHECK(store_leave(db, true, error, sizeof error));
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

/* Version 1, as its program left it. */
static const char version_1[] =
    "PRAGMA journal_mode = WAL;"
    "CREATE TABLE visitor (id INTEGER PRIMARY KEY, name TEXT NOT NULL, created INTEGER NOT NULL, seen INTEGER NOT NULL) STRICT;"
    "CREATE TABLE token (hash BLOB PRIMARY KEY, visitor INTEGER NOT NULL REFERENCES visitor) STRICT, WITHOUT ROWID;"
    "CREATE TABLE game (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, state INTEGER NOT NULL, created INTEGER NOT NULL,"
    " changed INTEGER NOT NULL, config TEXT NOT NULL) STRICT;"
    "CREATE INDEX game_open ON game (created, id) WHERE state < 2;"
    "CREATE INDEX game_over ON game (created, id) WHERE state = 2;"
    "CREATE TABLE line (id INTEGER PRIMARY KEY, game INTEGER NOT NULL REFERENCES game, seq INTEGER NOT NULL, count INTEGER NOT NULL,"
    " text TEXT NOT NULL, UNIQUE (game, seq)) STRICT;"
    "CREATE TABLE choice (game INTEGER NOT NULL REFERENCES game, seat INTEGER NOT NULL, phase INTEGER NOT NULL, request TEXT NOT NULL,"
    " text TEXT NOT NULL, PRIMARY KEY (game, seat)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE seat (game INTEGER NOT NULL REFERENCES game, seat INTEGER NOT NULL, visitor INTEGER NOT NULL REFERENCES visitor,"
    " people INTEGER NOT NULL, bots INTEGER NOT NULL, level TEXT NOT NULL, points INTEGER, share REAL NOT NULL,"
    " PRIMARY KEY (game, seat)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX seat_visitor ON seat (visitor, people, level, points, share);"
    "INSERT INTO visitor VALUES (1, 'Ana', 10, 20);"
    "INSERT INTO game VALUES (1, 'CODE1', 2, 10, 20, '{}');"
    "INSERT INTO line (game, seq, count, text) VALUES (1, 0, 1, 'pyramids-record 1' || char(10));"
    "PRAGMA application_id = 1348031041; PRAGMA user_version = 1";

static enum store_result put_report(struct store_db *db, struct store_job *job)
{
    (void)job;
    return store_put_report(db, 1, "analysis", "{}", 2);
}

TEST("an older version is migrated, with a copy beside it")
{
    char copy[128];
    struct stat status;
    make_folder();
    snprintf(copy, sizeof copy, "%s.v1", path);
    CHECK(outside(path, version_1));
    struct store_db *db;
    CHECK(!store_enter(&db, path, false, error, sizeof error));          /* reading alone does not migrate */
    CHECK(strstr(error, "older version (1)"));
    CHECK_INT(outside_number(path, "PRAGMA user_version"), 1);
    if (CHECK(open_store())) {
        CHECK_INT(do_job(put_report), STORE_OK);
        close_store();
    }
    CHECK_INT(outside_number(path, "PRAGMA user_version"), 2);
    CHECK_INT(outside_number(path, "SELECT count(*) FROM report JOIN game ON game.id = game JOIN line USING (game) WHERE code = 'CODE1'"), 1);
    CHECK_INT(outside_number(copy, "PRAGMA user_version"), 1);
    CHECK_INT(outside_number(copy, "PRAGMA application_id"), 0x50595241);
    CHECK_INT(outside_number(copy, "SELECT count(*) FROM line"), 1);
    CHECK(!stat(copy, &status) && (status.st_mode & 0777) == 0600);

    /* What a migration makes is what a new database is. */
    char fresh[128], compare[700];
    snprintf(fresh, sizeof fresh, "%s/fresh.db", folder);
    CHECK(store_enter(&db, fresh, true, error, sizeof error) && store_leave(db, true, error, sizeof error));
    snprintf(compare, sizeof compare, "ATTACH '%s' AS fresh; CREATE TEMP TABLE same (x CHECK (x = 0)); INSERT INTO same SELECT count(*) FROM"
        " (SELECT type, name, sql FROM main.sqlite_schema EXCEPT SELECT type, name, sql FROM fresh.sqlite_schema); INSERT INTO same"
        " SELECT count(*) FROM (SELECT type, name, sql FROM fresh.sqlite_schema EXCEPT SELECT type, name, sql FROM main.sqlite_schema)", fresh);
    CHECK(outside(path, compare));
    remove(copy);

    /* A step that fails changes nothing. */
    remove(path);
    CHECK(outside(path, version_1) && outside(path, "CREATE TABLE report (x)"));
    CHECK(!open_with(NULL, NULL));
    CHECK(strstr(error, "could not be migrated from version 1 to 2, and is as it was"));
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
    CHECK(!store_enter(&db, path, false, error, sizeof error));
    CHECK(strstr(error, "No such file"));
    for (int round = 0; round < 2; round++) {
        if (!CHECK(store_enter(&db, path, true, error, sizeof error)))
            break;
        for (int id = 1; id <= 3; id++) {
            v = visitor(10 * round + id);
            CHECK_INT(store_part_begin(db), STORE_OK);
            CHECK_INT(store_put_visitor(db, &v), STORE_OK);
            CHECK_INT(store_part_end(db, id != 2), STORE_OK);
        }
        CHECK(store_leave(db, round == 1, error, sizeof error));
    }
    CHECK_INT(outside_number(path, "SELECT sum(id) FROM visitor"), 24);
    drop_folder();
}

TEST("where the database lies by default")
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
