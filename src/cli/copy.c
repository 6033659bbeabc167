/*
 * copy.c: `pyramids copy` copies a server's whole database, from one engine to another.
 *
 * It copies everything or nothing: the destination is written in one transaction (server/store_copy.c). A server may keep
 * running on FROM: the copy shows it at one moment.
 */
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "store.h"

/* `shown` is when the count was last printed, in seconds (cli_seconds). */
struct progress {
    bool quiet;
    double shown;
};

/* Called by store_copy after each row; false ends the copy. The clock is read only at every 64th row. */
static bool show(void *context, uint64_t rows)
{
    struct progress *progress = context;
    if (!progress->quiet && rows % 64 == 0 && cli_seconds() - progress->shown > 0.1) {
        fprintf(stderr, "\r%llu", (unsigned long long)rows);
        progress->shown = cli_seconds();
    }
    return !cli_is_interrupted();
}

int cli_copy(int argc, char **argv)
{
    const char *value[1];
    const struct cli_option option[] = { { NULL, 0, NULL, NULL } };
    const struct cli_options options = {
        "copy FROM TO",
        _("Copies a server's whole database: players and their devices, open and finished games, results, analyses.\n"
          "FROM and TO are files or connection strings for PostgreSQL, as after --database. TO must be new or empty.\n"
          "A server may keep running on FROM, but what it stores afterwards is not in the copy: to move a server, stop\n"
          "it first."),
        option,
        "  pyramids copy club.db postgresql://pyramids@db.example.org/pyramids\n"
        "  pyramids copy \"host=/run/postgresql dbname=pyramids\" club.db\n"
        "  pyramids copy club.db backup.db\n",
    };
    int code = cli_parse(&options, &argc, argv, value);
    if (code >= 0)
        return code;
    if (argc != 2) {
        cli_error(_("two databases are needed, FROM and TO; see 'pyramids copy --help'"));
        return CLI_USAGE;
    }
    char error[1536], name[1024];
    struct progress progress = { .quiet = !isatty(STDERR_FILENO) };
    struct store_copied copied;
    cli_catch_interrupt();
    bool good = store_copy(argv[0], argv[1], show, &progress, &copied, error, sizeof error);
    if (!progress.quiet)
        fputs("\r\033[K", stderr);
    if (!good) {
        cli_error("%s", error);
        cli_error(_("nothing was copied"));
        return cli_is_interrupted() ? CLI_INTERRUPTED : CLI_WRONG;
    }
    store_name(argv[1], name, sizeof name);
    printf(_("copied to %s: visitors %llu, tables %llu, rows %llu\n"), name, (unsigned long long)copied.visitors,
        (unsigned long long)copied.tables, (unsigned long long)copied.rows);
    return CLI_GOOD;
}
