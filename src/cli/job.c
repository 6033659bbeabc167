/* job.c: runs jobs in one piece or in parts, and merges the parts (job.h). */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "job.h"

#define EDITION "edition\n"

static const struct job_kind *const kinds[] = { &job_late, &job_late_score, &job_clairvoyant, &job_solo, &job_cards,
    &job_puzzles };

const struct job_kind *job_find(const char *name)
{
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i]->name, name))
            return kinds[i];
    return NULL;
}

bool job_take(int *argc, char **argv, struct job_options *options)
{
    const char *part = NULL;
    int left = 0;
    *options = (struct job_options){ .output = NULL };
    for (int i = 0; i < *argc; i++) {
        bool is_part = !strcmp(argv[i], "--shard");
        if (!is_part && strcmp(argv[i], "--output")) {
            argv[left++] = argv[i];
            continue;
        }
        if (i + 1 == *argc) {
            cli_error(_("option '%s' needs a value (%s)"), argv[i], is_part ? "I/N" : "FILE");
            return false;
        }
        *(is_part ? &part : &options->output) = argv[i + 1];
        i++;
    }
    *argc = left;
    return shard_options(part, options->output, &options->shard);
}

char *job_text(const struct pyr_edition *edition, const char *format, ...)
{
    char *text = NULL;
    size_t size, room = pyr_edition_write(edition, NULL, 0) + 1;
    char *printed = malloc(room);
    FILE *to = printed ? open_memstream(&text, &size) : NULL;
    if (to) {
        va_list arguments;
        va_start(arguments, format);
        vfprintf(to, format, arguments);
        va_end(arguments);
        pyr_edition_write(edition, printed, room);
        fprintf(to, EDITION "%s", printed);
        if (fclose(to)) {
            free(text);
            text = NULL;
        }
    }
    free(printed);
    return text;
}

bool job_edition(const char *job, struct pyr_edition *edition)
{
    struct pyr_fault fault;
    const char *at = strstr(job, "\n" EDITION);
    return at && !pyr_edition_read(edition, at + strlen("\n" EDITION), strlen(at + strlen("\n" EDITION)), &fault);
}

/* A job that is running. */
struct run {
    const struct job_kind *kind;
    struct shard shard;
    uint64_t next, items;
    FILE *to;                    /* the null device while existing results are read again */
};

/* The items of an interrupted part must be consecutive and valid. */
static bool again(void *context, uint64_t number, const char *data)
{
    struct run *run = context;
    if (number != run->next || number >= run->items || !run->kind->add(data, run->to))
        return false;
    run->next += run->shard.count;
    return true;
}

static bool make_all(struct run *run, bool is_part, job_make *make, void *context)
{
    bool good = true, tells = isatty(STDERR_FILENO);
    for (; good && run->next < run->items; run->next += run->shard.count) {
        char *data = NULL;
        size_t size = 0;
        FILE *memory = open_memstream(&data, &size);
        good = memory && make(context, run->next, memory);
        if (memory && fclose(memory))
            good = false;
        /* One write per item: however the program ends, the file contains only whole items. */
        if (good && is_part)
            fprintf(run->to, "item %" PRIu64 " %s\n", run->next, data);
        else if (good)
            good = run->kind->add(data, run->to);
        free(data);
        if (good && (fflush(run->to) || ferror(run->to))) {
            cli_error("%s", pyr_text_system(errno));
            good = false;
        }
        if (tells)
            fprintf(stderr, "\r%" PRIu64 " / %" PRIu64 "\033[K", run->next + 1, run->items);
    }
    if (tells)
        fputs("\r\033[K", stderr);
    return good;
}

static int run_part(struct run *run, const char *path, const char *text, job_make *make, void *context)
{
    char *job = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&job, &size), *nowhere = fopen("/dev/null", "w");
    bool good = memory && nowhere && run->kind->begin(text);
    if (memory) {
        fprintf(memory, "items %" PRIu64 "\n%s", run->items, text);
        good = !fclose(memory) && good;
    }
    run->to = nowhere;
    FILE *part = good ? shard_open(path, run->kind->name, &run->shard, job, size, again, run) : NULL;
    run->to = part;
    good = part && make_all(run, true, make, context);
    if (part && fclose(part))
        good = false;
    if (nowhere)
        fclose(nowhere);
    free(job);
    return good ? CLI_GOOD : CLI_WRONG;
}

int job_run(const struct job_kind *kind, const struct job_options *options, char *text, uint64_t items, job_make *make,
    void *context)
{
    bool is_part = options->shard.count != 0;
    struct run run = { kind, is_part ? options->shard : (struct shard){ 0, 1 }, 0, items, stdout };
    int code = CLI_WRONG;
    run.next = run.shard.index;
    if (!text)
        cli_error(_("out of memory"));
    else if (is_part)
        code = run_part(&run, options->output, text, make, context);
    else if (kind->begin(text) && make_all(&run, false, make, context) && (!kind->end || kind->end(stdout)) &&
        !fflush(stdout))
        code = CLI_GOOD;
    free(text);
    return code;
}

/* Prints to memory first, so that nothing of an incomplete job is printed. */
static int merge_to(const struct job_kind *kind, struct shard_file *files, unsigned count, uint64_t items, FILE *to)
{
    for (uint64_t item = 0; item < items; item++) {
        uint64_t number;
        const char *data;
        if (!shard_next(&files[item % count], &number, &data) || number != item || !kind->add(data, to)) {
            cli_error(_("results are missing; run the parts again: only what is missing is made"));
            return CLI_WRONG;
        }
    }
    return !kind->end || kind->end(to) ? CLI_GOOD : CLI_WRONG;
}

int job_merge(const struct job_kind *kind, struct shard_file *files, unsigned count)
{
    uint64_t items;
    int at = -1, code = CLI_WRONG;
    char *text = NULL;
    size_t size = 0;
    if (sscanf(files[0].job, "items %" SCNu64 "%n", &items, &at) != 1 || at < 0 || files[0].job[at] != '\n' ||
        !kind->begin(files[0].job + at + 1)) {
        cli_error(_("%s: not a file that --shard wrote"), files[0].path);
        return CLI_WRONG;
    }
    FILE *to = open_memstream(&text, &size);
    if (to) {
        code = merge_to(kind, files, count, items, to);
        if (fclose(to))
            code = CLI_WRONG;
    }
    if (code == CLI_GOOD && (fwrite(text, 1, size, stdout) != size || fflush(stdout)))
        code = CLI_WRONG;
    free(text);
    return code;
}
