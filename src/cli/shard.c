/* shard.c: reads and writes the parts of a long computation, one line per result, so that a part that was interrupted
 * anywhere can be resumed. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "shard.h"

#define HEADER "pyramids-shard 1\n"
#define MOST_JOB (16u << 20)

/* Reads I/N, such as 3/8 (from 1). */
static bool parse(const char *word, struct shard *shard)
{
    const char *slash = strchr(word, '/');
    char first[24];
    uint64_t index, count;
    if (!slash || (size_t)(slash - word) >= sizeof first) {
        cli_error(_("--shard: '%s' must be a part and the number of parts, such as 3/8"), word);
        return false;
    }
    memcpy(first, word, (size_t)(slash - word));
    first[slash - word] = '\0';
    if (!cli_number(slash + 1, "--shard", 1, SHARD_MOST, &count) || !cli_number(first, "--shard", 1, count, &index))
        return false;
    *shard = (struct shard){ index - 1, count };
    return true;
}

bool shard_options(const char *part, const char *output, struct shard *shard)
{
    if (!part != !output) {
        cli_error(_("--shard and --output belong together: a part writes its results to a file"));
        return false;
    }
    return !part || parse(part, shard);
}

static bool fail_system(const char *path)
{
    cli_error("%s: %s", path, pyr_text_system(errno));
    return false;
}

static bool fail_format(const char *path)
{
    cli_error(_("%s: not a file that --shard wrote"), path);
    return false;
}

/* Reads the lines before the items. */
static bool read_head(struct shard_file *f)
{
    uint64_t size = 0;
    int length = -1;
    char line[64];
    if (!fgets(line, sizeof line, f->file) || strcmp(line, HEADER) || !fgets(line, sizeof line, f->file) ||
        sscanf(line, "kind %15s", f->kind) != 1 || !fgets(line, sizeof line, f->file) ||
        sscanf(line, "part %" SCNu64 "/%" SCNu64, &f->shard.index, &f->shard.count) != 2 ||
        !fgets(line, sizeof line, f->file) || sscanf(line, "job %" SCNu64 "%n", &size, &length) != 1 || length < 0 ||
        line[length] != '\n' || size > MOST_JOB || f->shard.count < 1 || f->shard.count > SHARD_MOST ||
        f->shard.index < 1 || f->shard.index > f->shard.count)
        return fail_format(f->path);
    f->shard.index--;
    f->size = size;
    f->job = malloc(size + 1);
    f->line = malloc(SHARD_LINE);
    if (!f->job || !f->line) {
        cli_error(_("out of memory"));
        return false;
    }
    f->job[size] = '\0';
    if (fread(f->job, 1, size, f->file) != size || strlen(f->job) != size)
        return fail_format(f->path);
    return true;
}

bool shard_read(struct shard_file *f, const char *path)
{
    *f = (struct shard_file){ .path = path, .file = fopen(path, "r") };
    return f->file ? read_head(f) : fail_system(path);
}

void shard_close(struct shard_file *f)
{
    if (f->file)
        fclose(f->file);
    free(f->job);
    free(f->line);
    *f = (struct shard_file){ .file = NULL };
}

bool shard_next(struct shard_file *f, uint64_t *number, const char **data)
{
    int length = -1;
    if (!fgets(f->line, SHARD_LINE, f->file))
        return false;
    size_t size = strlen(f->line);
    if (!size || f->line[size - 1] != '\n' || sscanf(f->line, "item %" SCNu64 " %n", number, &length) != 1 || length < 0)
        return false;
    f->line[size - 1] = '\0';
    *data = f->line + length;
    return true;
}

/* Reads the items of an interrupted file and truncates it after the last valid one. */
static FILE *resume(struct shard_file *f, shard_item *item, void *context)
{
    const char *data;
    uint64_t number;
    long end = ftell(f->file);
    while (shard_next(f, &number, &data) && item(context, number, data))
        end = ftell(f->file);
    FILE *file = fopen(f->path, "r+");
    if (!file || ftruncate(fileno(file), end) || fseek(file, 0, SEEK_END)) {
        fail_system(f->path);
        if (file)
            fclose(file);
        return NULL;
    }
    return file;
}

/* Whether a file, which is shorter than the head of this part, has a piece of it: then it was cut off before its first
 * item, and is written anew. */
static bool is_begun(const char *path, const char *head, size_t size, size_t have)
{
    FILE *file = have < size ? fopen(path, "r") : NULL;
    char *begun = file ? malloc(size) : NULL;
    bool same = begun && fread(begun, 1, have, file) == have && !memcmp(begun, head, have);
    free(begun);
    if (file)
        fclose(file);
    return same;
}

/* What comes before the items; NULL without memory. */
static char *head_text(const char *kind, const struct shard *shard, const char *job, size_t size, size_t *length)
{
    char *text = NULL;
    FILE *memory = open_memstream(&text, length);
    if (!memory)
        return NULL;
    fprintf(memory, HEADER "kind %s\npart %" PRIu64 "/%" PRIu64 "\njob %zu\n%s", kind, shard->index + 1, shard->count, size,
        job);
    if (!fclose(memory))
        return text;
    free(text);
    return NULL;
}

FILE *shard_open(const char *path, const char *kind, const struct shard *shard, const char *job, size_t size,
    shard_item *item, void *context)
{
    struct stat at;
    struct shard_file f;
    FILE *file = NULL;
    size_t length;
    char *head = head_text(kind, shard, job, size, &length);
    if (!head) {
        cli_error(_("out of memory"));
        return NULL;
    }
    if (!stat(path, &at) && at.st_size && !is_begun(path, head, length, (size_t)at.st_size)) {
        bool good = shard_read(&f, path);
        if (good && (strcmp(f.kind, kind) || f.shard.index != shard->index || f.shard.count != shard->count ||
            f.size != size || memcmp(f.job, job, size))) {
            cli_error(_("%s: has another part or another job; choose another file for --output, or remove it"), path);
            good = false;
        }
        if (good)
            file = resume(&f, item, context);
        shard_close(&f);
        free(head);
        return file;
    }
    file = fopen(path, "w");
    size_t put = file ? fwrite(head, 1, length, file) : 0;
    free(head);
    if (!file || put != length || fflush(file)) {
        fail_system(path);
        if (file)
            fclose(file);
        return NULL;
    }
    return file;
}
