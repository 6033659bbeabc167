/* merge.c: `pyramids merge`: merges the parts of a job (shard.h), given in any order. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "job.h"
#include "merge.h"

enum { JSON, OPTIONS };

static int by_part(const void *a, const void *b)
{
    const struct shard_file *one = a, *two = b;
    return one->shard.index < two->shard.index ? -1 : one->shard.index > two->shard.index;
}

/* Whether the files, sorted, are all the parts of one job. */
static bool is_whole(const struct shard_file *files, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct shard_file *f = &files[i];
        if (strcmp(f->kind, files[0].kind) || f->shard.count != files[0].shard.count || f->size != files[0].size ||
            memcmp(f->job, files[0].job, f->size)) {
            cli_error(_("%s and %s are parts of different jobs"), files[0].path, f->path);
            return false;
        }
        if (i && f->shard.index == files[i - 1].shard.index) {
            cli_error(_("%s and %s are the same part"), files[i - 1].path, f->path);
            return false;
        }
    }
    for (unsigned i = 0; i < files[0].shard.count; i++)
        if (i == count || files[i].shard.index != i) {
            cli_error(_("part %u of %u is missing"), i + 1, (unsigned)files[0].shard.count);
            return false;
        }
    return true;
}

static int merge(struct shard_file *files, unsigned count, bool json)
{
    qsort(files, count, sizeof *files, by_part);
    if (!is_whole(files, count))
        return CLI_WRONG;
    if (!strcmp(files[0].kind, "sim"))
        return sim_merge(files, count, json);
    if (!strcmp(files[0].kind, "analyze"))
        return analyze_merge(files, count, json);
    const struct job_kind *kind = job_find(files[0].kind);
    if (kind && json) {
        cli_error(_("%s: results of this kind cannot be printed as JSON"), files[0].path);
        return CLI_USAGE;
    }
    if (kind)
        return job_merge(kind, files, count);
    cli_error(_("%s: unknown kind of job '%s'"), files[0].path, files[0].kind);
    return CLI_WRONG;
}

int cli_merge(int argc, char **argv)
{
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "json", 0, NULL, _("print JSON") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "merge FILE... [--json]",
        _("Puts the parts of a job that ran with --shard together and prints what the whole job would have printed. The\n"
          "order of the files does not matter."),
        option,
        "  pyramids sim --bots expert,flatmc --games 100000 --shard 3/8 --output part3\n"
        "  pyramids merge part*\n",
    };
    int code = cli_parse(&options, &argc, argv, value);
    if (code >= 0)
        return code;
    if (!argc) {
        cli_error(_("expected the files of all parts"));
        return CLI_USAGE;
    }
    struct shard_file *files = calloc((size_t)argc, sizeof *files);
    bool good = files != NULL;
    if (!good)
        cli_error(_("out of memory"));
    for (int i = 0; good && i < argc; i++)
        good = shard_read(&files[i], argv[i]);
    code = good ? merge(files, (unsigned)argc, value[JSON] != NULL) : CLI_WRONG;
    for (int i = 0; files && i < argc; i++)
        shard_close(&files[i]);
    free(files);
    return cli_json_failed(value[JSON], "file", code);
}
