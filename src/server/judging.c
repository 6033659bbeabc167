/*
 * judging.c: see judging.h.
 *
 * The life of an analysis: judging_ask looks for it in the database (struct question). If there is none, a struct judging
 * is given to the pool's analyst, first with little effort so that the requester sees something soon (rough). The result
 * is stored, and the analyst makes it again with all the effort that the options allow. At most one is under way per
 * table (table->analysing).
 *
 * Both structures count as `jobs` of the table, so that it stays in memory. judge() runs in a thread of the pool,
 * look() and keep() in the store's; they touch nothing but their own structure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/judge.h>
#include <pyramids/text.h>

#include "judging.h"
#include "pool.h"
#include "server.h"
#include "store_daily.h"

/* The number is part of the names because reports without margins were stored under the name without it. */
#define JSON_NAME "analysis2.json"

/* The name under which a page is stored: analysis2.html in English, else analysis2.CODE.html. */
static const char *page_name(const char *language, char name[40])
{
    if (!strcmp(language, "en"))
        return "analysis2.html";
    snprintf(name, 40, "analysis2.%.20s.html", language);
    return name;
}

/* Whether a report is a first result (json.c and html.c write that near its beginning). */
static bool is_rough(const char *text, size_t size)
{
    char head[512];
    size_t length = size < sizeof head ? size : sizeof head - 1;
    memcpy(head, text, length);
    head[length] = '\0';
    return strstr(head, "\"done\": false,") || strstr(head, "<meta http-equiv=\"refresh\"");
}

/* Looks in the database; if there is no analysis yet, has it made. */
struct question {
    struct store_job job;
    struct table *table;
    int64_t id;
    uint64_t address;            /* of the requester */
    int64_t visitor;             /* the requester, where analyses are claimed from the database */
    enum store_result asked;     /* the result of asking for it */
    unsigned waiting;            /* analyses there */
    const char *language;        /* of the page; NULL: the JSON is asked for */
    char *text;
    size_t size;
    void (*answer)(void *context, enum judging_state state, char *text, size_t size, bool html);
    void *context;
};

struct judging {
    struct pool_job pool_job;    /* first */
    struct store_job job;
    struct table *table;
    struct pool *pool;
    const struct pyr_edition *edition;
    int64_t id;
    uint64_t address;            /* of the requester */
    uint32_t playouts;           /* the cap to use */
    bool rough;                  /* a first result, which takes little time and is refined later */
    bool is_claimed;             /* it was claimed from the database */
    char *log;
    size_t log_size;
    struct {
        char *text;
        size_t size;             /* 0: could not be made */
    } json, page[PYR_LANGUAGES]; /* in the order of pyr_text_language_at */
    struct {                     /* for each seat, for the profile of its player */
        double luck, rate;
        bool has_rate;           /* it made a decision */
    } sum[PYR_MAX_SEATS];
    unsigned seats;
    bool good;
    bool is_daily;               /* the table is an attempt at a daily expedition: its result gets the values of the first
                                    seat */
    float luck, rate;
};

/* Removes a claim: the analysis was made, or cannot be made here. */
struct end {
    struct store_job job;
    int64_t id;
};

static enum store_result run_end(struct store_db *db, struct store_job *job)
{
    return store_drop_analysis(db, ((struct end *)job)->id);
}

static void end_done(struct store_job *job, enum store_result result)
{
    (void)result;                            /* after a failure it is claimed and made once more */
    free(job);
}

static void end_claim(struct server *server, int64_t id)
{
    struct end *end = server->stopping || server->stopped ? NULL : calloc(1, sizeof *end);
    if (!end)
        return;                              /* a server that is stopping leaves it to others */
    end->job.run = run_end;
    end->job.done = end_done;
    end->id = id;
    store_submit(server->store, &end->job);
}

/* The end of a job: a table that was forgotten meanwhile is freed with its last one. */
static void release(struct table *table)
{
    table->jobs--;
    if (table->gone)
        table_forget(table);
}

static void forget_texts(struct judging *judging)
{
    free(judging->json.text);
    judging->json.text = NULL;
    for (unsigned i = 0; i < PYR_LANGUAGES; i++) {
        free(judging->page[i].text);
        judging->page[i].text = NULL;
    }
}

static void judging_free(struct judging *judging)
{
    free(judging->log);
    forget_texts(judging);
    free(judging);
}

/* Bots take precedence: the analysis pauses while they have something to do. */
static bool is_cancelled(void *context)
{
    return pool_rest(((struct judging *)context)->pool);
}

/* The caller frees the text, valid or not. */
static bool write_report(bool (*write)(const struct pyr_judge_report *report, FILE *to),
    const struct pyr_judge_report *report, char **text, size_t *size)
{
    FILE *to = open_memstream(text, size);
    bool good = to && write(report, to);
    if (to && fclose(to))
        good = false;
    return good;
}

/* In a thread of the pool. One report gives the JSON and a page in each language, since writing takes little time
 * compared with the analysis. The language is set per thread. */
static void judge(struct pool_job *job)
{
    struct judging *judging = (struct judging *)job;
    struct pyr_judge_options options = {
        .playouts = judging->rough ? PYR_LUCK_QUICK : judging->playouts, .threads = 1, .seed = PYR_LUCK_SEED,
        .is_cancelled = is_cancelled, .context = judging
    };
    struct pyr_judge_report *report = malloc(sizeof *report);
    if (!report)
        return;
    if (pyr_judge_init(report, judging->edition, judging->log, judging->log_size, &options, NULL) == PYR_JUDGE_GOOD) {
        report->rough = judging->rough;
        judging->luck = report->sum[0].luck;
        judging->rate = report->sum[0].rate;
        judging->good = write_report(pyr_judge_write_json, report, &judging->json.text, &judging->json.size);
        for (unsigned i = 0; judging->good && pyr_text_language_at(i); i++) {
            pyr_text_use(pyr_text_language_at(i));
            judging->good = write_report(pyr_judge_write_html, report, &judging->page[i].text, &judging->page[i].size);
        }
        pyr_text_use(NULL);
        judging->seats = report->seats;
        for (unsigned s = 0; s < report->seats; s++) {
            judging->sum[s].luck = (double)report->sum[s].luck;
            judging->sum[s].rate = (double)report->sum[s].rate;
            judging->sum[s].has_rate = report->sum[s].decisions > 0;
        }
    }
    pyr_judge_finish(report);
    free(report);
}

static enum store_result keep(struct store_db *db, struct store_job *job)
{
    struct judging *judging = (struct judging *)((char *)job - offsetof(struct judging, job));
    enum store_result result = store_put_report(db, judging->id, JSON_NAME, judging->json.text, judging->json.size,
        server_time());
    for (unsigned i = 0; !result && pyr_text_language_at(i); i++) {
        char name[40];
        result = store_put_report(db, judging->id, page_name(pyr_text_language_at(i), name), judging->page[i].text,
            judging->page[i].size, server_time());
    }
    if (!result && judging->is_daily)
        result = store_judge_attempt(db, judging->id, (double)judging->luck, (double)judging->rate, judging->rough ? 1 : 2);
    for (unsigned s = 0; s < judging->seats && !result; s++)
        if (judging->sum[s].has_rate)
            result = store_put_judged(db, judging->id, s, judging->sum[s].luck, judging->sum[s].rate);
    if (!result && judging->is_claimed && !judging->rough)
        result = store_drop_analysis(db, judging->id);
    return result;
}

/* After the first result: makes it again with full effort. False if too many others are waiting: then it is refined when
 * the report is next requested. */
static bool refine(struct judging *judging)
{
    struct pool *pool = judging->table->server->pool;
    forget_texts(judging);
    judging->good = false;
    if (!pool || pool_submit(pool, &judging->pool_job, judging->address))
        return false;
    judging->rough = false;
    return true;
}

/* The end of an analysis; `gives_up`: without the final result. */
static void finish(struct judging *judging, bool gives_up)
{
    struct table *table = judging->table;
    if (judging->is_claimed) {
        table->server->judging--;
        if (gives_up)
            end_claim(table->server, judging->id);
    }
    table->analysing = false;
    judging_free(judging);
    release(table);
}

static void kept(struct store_job *job, enum store_result result)
{
    struct judging *judging = (struct judging *)((char *)job - offsetof(struct judging, job));
    struct table *table = judging->table;
    if (result)
        server_log(table->server, LOG_ERROR, "storage", "table=%lld report", (long long)judging->id);
    if (!result && judging->rough && !table->gone && refine(judging))
        return;
    finish(judging, result || judging->rough);       /* after a failure it is retried on the next request */
}

/* Also called when the pool stops before the job was begun or finished; then `good` is false. */
static void judged(struct pool_job *job)
{
    struct judging *judging = (struct judging *)job;
    struct table *table = judging->table;
    if (judging->good) {
        judging->job.run = keep;
        judging->job.locks_results = judging->is_daily;
        judging->job.done = kept;
        store_submit(table->server->store, &judging->job);
        return;
    }
    finish(judging, true);
}

/* The log is copied, since the table may change or be freed while the thread reads it. */
static enum judging_state begin(struct table *table, uint64_t address, bool rough, bool is_claimed)
{
    if (table->analysing)
        return JUDGING_WORKING;
    if (!table->server->pool)
        return JUDGING_FAILED;               /* the server is stopping, and the store delivers its last results */
    struct judging *judging = calloc(1, sizeof *judging);
    size_t size = table->log.start[table->log.count];
    if (!judging || !(judging->log = malloc(size))) {
        free(judging);
        return JUDGING_FAILED;
    }
    memcpy(judging->log, table->log.text, size);
    judging->log_size = size;
    judging->table = table;
    judging->pool = table->server->pool;
    judging->id = table->id;
    judging->address = address;
    judging->playouts = table->server->options.analysis_playouts;
    if (!judging->playouts)
        judging->playouts = PYR_JUDGE_PLAYOUTS;
    judging->rough = rough && judging->playouts > PYR_LUCK_QUICK;
    judging->is_claimed = is_claimed;
    judging->is_daily = table->daily.is_counted;
    judging->edition = table->now.terms.edition;
    judging->pool_job.run = judge;
    judging->pool_job.done = judged;
    enum error error = pool_submit(table->server->pool, &judging->pool_job, address);
    if (error) {
        judging_free(judging);
        return error == ERROR_TOO_MANY ? JUDGING_TOO_MANY : JUDGING_FAILED;
    }
    table->analysing = true;
    table->jobs++;
    table->server->judging += is_claimed;
    return JUDGING_WORKING;
}

static enum store_result look(struct store_db *db, struct store_job *job)
{
    struct question *question = (struct question *)job;
    free(question->text);
    question->text = NULL;
    char name[40];
    enum store_result result = store_get_report(db, question->id, question->language ?
        page_name(question->language, name) : JSON_NAME, &question->text, &question->size);
    bool is_wanted = result == STORE_MISSING || (!result && is_rough(question->text, question->size));
    question->asked = STORE_OK;
    question->waiting = 0;
    if (!is_wanted || !question->table->server->shared)
        return result;
    question->asked = store_ask_analysis(db, question->id, question->visitor, server_time(), 1 + POOL_JOBS_PER_ADDRESS,
        1 + POOL_JOBS, &question->waiting);
    /* A job whose result is not STORE_OK is undone. */
    return question->asked == STORE_OK || question->asked == STORE_LIMIT ? STORE_OK : question->asked;
}

static enum judging_state judge_shared(const struct question *question, enum store_result result)
{
    return result ? JUDGING_FAILED : question->text ? JUDGING_READY : question->asked ? JUDGING_TOO_MANY : JUDGING_WORKING;
}

/* A rough report is sent as it is, and its refinement begins: the page asks again. */
static void looked(struct store_job *job, enum store_result result)
{
    struct question *question = (struct question *)job;
    struct table *table = question->table;
    if (!result && question->waiting)
        table->server->analyses = question->waiting;
    enum judging_state state = table->server->shared ? judge_shared(question, result) : !result ? JUDGING_READY :
        result == STORE_MISSING && !table->gone ? begin(table, question->address, true, false) : JUDGING_FAILED;
    if (!result && !table->server->shared && !table->gone && is_rough(question->text, question->size))
        begin(table, question->address, false, false);       /* unless it is being refined already */
    question->answer(question->context, state, result ? NULL : question->text, question->size, question->language != NULL);
    if (result)
        free(question->text);
    free(question);
    release(table);
}

static void claimed_there(struct fetch *fetch, struct table *table, enum error error)
{
    struct server *server = fetch->server;
    if (error || !server->pool)
        return;                              /* this server will claim it again */
    if (table->now.stage != STORE_OVER || begin(table, 0, true, true) != JUDGING_WORKING)
        end_claim(server, table->id);
}

static void wanted_there(struct fetch *fetch, struct table *table, enum error error)
{
    if (!error && table->now.stage == STORE_OVER)
        begin(table, 0, fetch->context != NULL, false);      /* if there is no room now, this is tried again later */
}

void judging_wanted(struct server *server, const char *code, bool rough)
{
    struct table *table = table_find(server, code);
    if (table && !table->analysing && table->now.stage == STORE_OVER)
        begin(table, 0, rough, false);
    else if (!table && table_is_code(code))
        table_fetch(server, code, wanted_there, rough ? server : NULL);
}

void judging_claimed(struct server *server, const char *code)
{
    struct table *table = table_find(server, code);
    if (table && table->analysing)
        return;
    if (table_is_code(code))
        table_fetch(server, code, claimed_there, NULL);
}

void judging_ask(struct table *table, uint64_t address, int64_t visitor, const char *language,
    void (*answer)(void *context, enum judging_state state, char *text, size_t size, bool html), void *context)
{
    struct question *question = calloc(1, sizeof *question);
    if (!question) {
        answer(context, JUDGING_FAILED, NULL, 0, language != NULL);
        return;
    }
    *question = (struct question){ .job = { .run = look, .done = looked }, .table = table, .id = table->id,
        .address = address, .visitor = visitor, .language = language,
        .answer = answer, .context = context };
    table->jobs++;
    store_submit(table->server->store, &question->job);
}
