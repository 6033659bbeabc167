/* test_judge.c: the analysis as a server uses it: several at once, given up, of broken records; what it says is tested in cli.py. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "check_edition.h"

#include <pthread.h>

#include <pyramids/judge.h>

static struct pyr_edition plain;
static char *record;
static size_t record_size;

__attribute__((constructor)) static void load(void)
{
    check_edition(&plain, "tests/data/plain.edition");
    record = check_file("tests/data/plain-2.pyr", &record_size);
}

/* The JSON and the page of an analysis, one after the other; the caller frees it. NULL if it failed. */
static char *analyse(const struct pyr_judge_options *options)
{
    struct pyr_judge_report *report = malloc(sizeof *report);
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    bool good = report && to && pyr_judge_init(report, &plain, record, record_size, options, NULL) == PYR_JUDGE_GOOD &&
        pyr_judge_write_json(report, to) && pyr_judge_write_html(report, to);
    if (report)
        pyr_judge_finish(report);
    free(report);
    if (to && fclose(to))
        good = false;
    if (!good)
        free(text);
    return good ? text : NULL;
}

static void *analyse_beside(void *argument)
{
    return analyse(argument);
}

TEST("judge: analyses beside each other give what each gives alone") {
    enum { BESIDE = 4 };
    struct pyr_judge_options options[BESIDE];
    pthread_t thread[BESIDE];
    char *alone[2];
    for (unsigned i = 0; i < BESIDE; i++)
        options[i] = (struct pyr_judge_options){ .playouts = 100, .threads = 1 + i % 3, .seed = i % 2 };
    for (unsigned i = 0; i < 2; i++)
        alone[i] = analyse(&options[i]);
    CHECK(alone[0] && alone[1] && strcmp(alone[0], alone[1]));
    for (unsigned i = 0; i < BESIDE; i++)
        if (pthread_create(&thread[i], NULL, analyse_beside, &options[i]))
            SKIP("no threads");
    for (unsigned i = 0; i < BESIDE; i++) {
        void *got;
        pthread_join(thread[i], &got);
        CHECK(got && alone[i % 2] && !strcmp(got, alone[i % 2]));
        free(got);
    }
    free(alone[0]);
    free(alone[1]);
}

/* Gives up after so many tasks. */
struct patience {
    unsigned left, begun, all;
    bool rising;
};

static bool is_over(void *context)
{
    const struct patience *patience = context;
    return patience->begun >= patience->left;
}

static void note_progress(void *context, unsigned begun, unsigned all)
{
    struct patience *patience = context;
    patience->rising = patience->rising && (begun == 0 || begun == patience->begun + 1);
    patience->begun = begun;
    patience->all = all;
}

TEST("judge: progress is told in order, and giving up is prompt") {
    static struct pyr_judge_report report;
    struct patience patience = { .left = 5, .rising = true };
    struct pyr_judge_options options = { .playouts = 100, .threads = 1, .is_cancelled = is_over, .progress = note_progress, .context = &patience };
    CHECK_INT(pyr_judge_init(&report, &plain, record, record_size, &options, NULL), PYR_JUDGE_CANCELLED);
    pyr_judge_finish(&report);
    CHECK_INT(patience.begun, 5);
    CHECK(patience.rising && patience.all > 50);
    patience = (struct patience){ .left = 10000, .rising = true };
    CHECK_INT(pyr_judge_init(&report, &plain, record, record_size, &options, NULL), PYR_JUDGE_GOOD);
    pyr_judge_finish(&report);
    CHECK(patience.rising);
    CHECK_INT(patience.begun + 1, patience.all);
}

TEST("judge: what cannot be analysed has its code") {
    static struct pyr_judge_report report;
    const struct pyr_judge_options options = { .playouts = 100, .threads = 1 };
    struct pyr_fault fault;
    CHECK_INT(pyr_judge_init(&report, &plain, "nonsense\n", 9, &options, &fault), PYR_JUDGE_RECORD);
    CHECK_INT(fault.code, PYR_ERR_TEXT_HEADER);
    pyr_judge_finish(&report);
    CHECK_INT(pyr_judge_init(&report, &plain, "nonsense\n", 9, &options, NULL), PYR_JUDGE_RECORD);
    pyr_judge_finish(&report);
    const char *deal = strstr(record, "deal 2");
    CHECK_INT(pyr_judge_init(&report, &plain, record, (size_t)(deal - record), &options, &fault), PYR_JUDGE_DEALING);
    pyr_judge_finish(&report);
    pyr_judge_finish(&report);               /* twice does no harm */
}

TEST("judge: a stream that fails is told") {
    static struct pyr_judge_report report;
    const struct pyr_judge_options options = { .playouts = 100, .threads = 1 };
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        SKIP("no /dev/full");
    setvbuf(full, NULL, _IOFBF, 64);
    CHECK_INT(pyr_judge_init(&report, &plain, record, record_size, &options, NULL), PYR_JUDGE_GOOD);
    CHECK(!pyr_judge_write_json(&report, full));
    clearerr(full);
    CHECK(!pyr_judge_write_html(&report, full));
    pyr_judge_finish(&report);
    fclose(full);
}
