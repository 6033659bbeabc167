/* export.c: `pyramids export`: the records of all finished games of a server's database. Read-only, so a server may be
 * running. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <store.h>

#include "cli.h"

enum { DATABASE, OUTPUT, OPTIONS };

/* The data that write_record needs from call to call. */
struct export {
    const char *folder;          /* NULL: standard output */
    unsigned long long records;
    double shown;                /* when progress was last shown */
    bool quiet, failed;
};

/* Called by the store for each record; false stops. Each record is one file, named after its table's code and written
 * whole or not at all (cli_write). Errors have been reported when it returns. */
static bool write_record(void *context, const struct store_table *table, const char *text, size_t size)
{
    struct export *export = context;
    char head[64], date[32] = "";
    time_t created = (time_t)table->created;
    struct tm parts;
    if (cli_is_interrupted())
        return false;
    /* Writes a comment that import looks for. */
    if (gmtime_r(&created, &parts))
        strftime(date, sizeof date, " %Y-%m-%dT%H:%M:%SZ", &parts);
    snprintf(head, sizeof head, "; table %s%s\n", table->code, date);
    if (export->folder) {
        char path[PATH_MAX], name[sizeof table->code];
        snprintf(name, sizeof name, "%s", table->code);
        for (char *c = name; *c; c++)        /* codes in a database may be forged: keep the path within the folder */
            if (!(*c >= '0' && *c <= '9') && !(*c >= 'A' && *c <= 'Z') && !(*c >= 'a' && *c <= 'z') && *c != '-')
                *c = '_';
        if (snprintf(path, sizeof path, "%s/%s.record", export->folder, name) >= (int)sizeof path) {
            cli_error("%s: %s", export->folder, pyr_text_system(ENAMETOOLONG));
            export->failed = true;
        } else {
            char *whole = malloc(strlen(head) + size + 1);
            export->failed = !whole;
            if (!whole) {
                cli_error("%s: %s", path, pyr_text_system(ENOMEM));
            } else {
                size_t length = (size_t)sprintf(whole, "%s", head);
                memcpy(whole + length, text, size);
                export->failed = !cli_write(path, whole, length + size);
            }
            free(whole);
        }
    } else {
        export->failed = fputs(head, stdout) < 0 || fwrite(text, 1, size, stdout) != size;       /* main reports errors */
    }
    export->records += !export->failed;
    if (!export->quiet && cli_seconds() - export->shown > 0.1) {
        fprintf(stderr, "\r%llu", export->records);
        export->shown = cli_seconds();
    }
    return !export->failed;
}

/* Progress is shown only if records go to files: records on a terminal would mix with it. */
int cli_export(int argc, char **argv)
{
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "database", 'd', "DB", _("the server's database (default: the one 'serve' uses)") },
        { "output", 'o', "DIR", _("a folder for one file CODE.record per game, or - for standard output (default)") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "export [--database DB] [--output DIR|-]",
        _("Writes the records of all finished games in a server's database, to one stream or one file per game. A\n"
          "comment before each record contains its table's code and the date. The server may keep running.\n"
          "'pyramids import' reads these files."),
        option,
        "  pyramids export > games.records\n"
        "  pyramids export --database club.db --output games\n"
        "  pyramids export --database postgresql://club@db/games > club.records\n"
        "  pyramids export | ssh backup 'pyramids import -'\n",
    };
    int code = cli_parse_words(&options, 0, &argc, argv, value);
    if (code >= 0)
        return code;
    char path[PATH_MAX], error[PATH_MAX + 512];
    struct store_db *db;
    if (!cli_database(value[DATABASE], path, sizeof path))
        return CLI_USAGE;
    struct export export = { .folder = value[OUTPUT] && strcmp(value[OUTPUT], "-") ? value[OUTPUT] : NULL };
    export.quiet = !export.folder || !isatty(STDERR_FILENO);
    if (!store_open_alone(&db, path, false, error, sizeof error)) {
        cli_error("%s", error);
        return CLI_WRONG;
    }
    if (export.folder && mkdir(export.folder, 0777) && errno != EEXIST) {
        cli_error("%s: %s", export.folder, pyr_text_system(errno));
        store_close_alone(db, false, error, sizeof error);
        return CLI_WRONG;
    }
    cli_catch_interrupt();
    enum store_result result = store_each_record(db, write_record, &export);
    store_close_alone(db, false, error, sizeof error);
    if (!export.quiet)
        fputs("\r\033[K", stderr);
    if (cli_is_interrupted())
        return CLI_INTERRUPTED;
    if (result != STORE_OK) {
        store_name(path, error, sizeof error);
        cli_error(_("%s: not all records could be read"), error);
    }
    if (result != STORE_OK || export.failed)
        return CLI_WRONG;
    if (export.folder)
        printf(_("records written to %s: %llu\n"), export.folder, export.records);
    return CLI_GOOD;
}
