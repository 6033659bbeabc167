/*
 * import.c: `pyramids import`: records of finished games into a server's database. Every line of a file is checked
 * against the rules before its records are stored, and a record that already exists is skipped. All files are one
 * transaction; a bad file is rolled back alone.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <letters.h>
#include <pyramids/builtin.h>
#include <pyramids/match.h>

#include "cli.h"
#include "server.h"

enum { DATABASE, EDITION, JSON, OPTIONS };

/* The comment that export writes before a record. */
struct origin {
    char code[CODE_SIZE + 1];    /* "" unknown */
    int64_t date;                /* seconds since 1970; 0 unknown */
};

/* Reads a comment such as "; table K7QXMWRT 2031-02-03T04:05:06Z". */
static struct origin read_origin(const char *text)
{
    struct origin origin = { "", 0 };
    char code[16];
    int end = 0;
    struct tm date = { 0 };
    if (sscanf(text, "; table %15s %n", code, &end) < 1)
        return origin;
    if (table_is_code(code))
        memcpy(origin.code, code, sizeof origin.code);
    if (end && strptime(text + end, "%Y-%m-%dT%H:%M:%SZ", &date)) {
        int day = date.tm_mday;
        time_t seconds = timegm(&date);
        /* timegm turns an invalid day of a month into one of the next month. */
        if (seconds > 0 && date.tm_mday == day)
            origin.date = seconds;
    }
    return origin;
}

/* Where a text is in the database, by its hash; texts themselves are compared before they count as equal. */
struct known {
    uint64_t hash;
    int64_t id;                  /* 0: free */
};

/* One run of the command. Hashes are kept in memory, texts in the database. */
struct import {
    struct store_db *db;
    const char *path;            /* of the database */
    struct known *known;
    size_t count, room;          /* room: a power of two */
    struct pyr_edition asked, builtin;
    bool has_asked, quiet;
    unsigned long long files, refused;
    struct sums {
        unsigned long long records, imported, there;
        int64_t last;            /* table id in use */
    } sums;
    double shown;                /* when progress was last shown */
};

/* The high half is mixed into the low one, since the table uses only a few low bits. */
static uint64_t hash_of(const char *text, size_t size, uint64_t hash)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;     /* FNV-1a */
    return hash ^ hash >> 32;
}

#define HASH_START 14695981039346656037u

/* Open addressing with linear probing, at most half full. The hashes of a whole database fit into memory; its texts may
 * not. False without memory. The room is a power of two, so a mask gives the place. */
static bool remember(struct import *import, uint64_t hash, int64_t id)
{
    if (2 * (import->count + 1) > import->room) {
        size_t room = import->room ? 2 * import->room : 1024;
        struct known *larger = calloc(room, sizeof *larger);
        if (!larger)
            return false;
        for (size_t i = 0; i < import->room; i++) {
            size_t at = import->known[i].hash & (room - 1);
            while (import->known[i].id && larger[at].id)
                at = (at + 1) & (room - 1);
            if (import->known[i].id)
                larger[at] = import->known[i];
        }
        free(import->known);
        import->known = larger;
        import->room = room;
    }
    size_t at = hash & (import->room - 1);
    while (import->known[at].id)
        at = (at + 1) & (import->room - 1);
    import->known[at] = (struct known){ hash, id };
    import->count++;
    return true;
}

/* Called by store_each_record at the start, for each record of the database. */
static bool remember_stored(void *context, const struct store_table *table, const char *text, size_t size)
{
    return remember(context, hash_of(text, size, HASH_START), table->id);
}

/* Equal hashes are only a hint: the stored text is compared. */
static bool is_there(struct import *import, uint64_t hash, const char *text, size_t size)
{
    for (size_t at = hash & (import->room - 1); import->room && import->known[at].id; at = (at + 1) & (import->room - 1)) {
        char *stored;
        size_t length;
        if (import->known[at].hash != hash ||
            store_get_lines(import->db, import->known[at].id, &stored, &length) != STORE_OK)
            continue;
        bool same = length == size && !memcmp(stored, text, size);
        free(stored);
        if (same)
            return true;
    }
    return false;
}

/* The value of a tag in the log. */
static bool find_tag(const struct pyr_match *match, const char *name, struct pyr_word *value)
{
    for (uint32_t i = 0; i < match->log.lines; i++) {
        struct pyr_lines lines;
        struct pyr_word line = pyr_match_line(match, i), word;
        pyr_lines_init(&lines, line.at, line.length);
        if (pyr_lines_next(&lines, false) && pyr_lines_word(&lines, &word) && pyr_word_is(word, "tag") &&
            pyr_lines_word(&lines, &word) && pyr_word_is(word, name) && pyr_lines_rest(&lines, PYR_MAX_LINE, value))
            return true;
    }
    return false;
}

/* A code that no table has: the one before the record, or one made from its text. Codes have no letters or digits that
 * are easily confused (0 and O, 1 and I), as the server's own. A hundred attempts are more than enough: there are 32 to
 * the power of CODE_SIZE codes. */
static bool choose_code(struct import *import, const struct origin *origin, uint64_t hash, char code[CODE_SIZE + 1])
{
    static const char letters[] = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
    struct store_table table;
    enum store_result result = STORE_OK;
    memcpy(code, origin->code, CODE_SIZE + 1);
    if (table_is_code(code))
        result = store_get_table(import->db, code, &table);
    for (int attempt = 0; attempt < 100 && result == STORE_OK; attempt++) {
        for (unsigned i = 0; i < CODE_SIZE; i++)
            code[i] = letters[hash >> 5 * i & 31];
        result = store_get_table(import->db, code, &table);
        hash = hash_of(code, CODE_SIZE, hash);
    }
    return result == STORE_MISSING;
}

/* The configuration that a server needs for the table; all seats are people who are not known here. The caller frees it;
 * NULL without memory. The struct table is only used for config_write. */
static char *make_config(const struct pyr_match *match)
{
    struct table *table = calloc(1, sizeof *table);
    struct pyr_word name[PYR_MAX_SEATS], secret;
    if (!table)
        return NULL;
    struct table_state *state = &table->now;
    const struct pyr_table *open = &match->replay.state.open;
    table->now.terms.edition = match->edition;
    state->stage = STORE_OVER;
    state->seats = open->seats;
    state->winners = (uint8_t)pyr_table_winners(open, &match->edition->box);
    cli_player_names(match->log.text, match->log.start[match->log.lines], name);
    for (unsigned s = 0; s < state->seats; s++) {
        state->seat[s].kind = SEAT_PERSON;
        memcpy(state->seat[s].name, name[s].at, letters_fit(name[s].at, name[s].length, NAME_SIZE - 1));
        state->points[s] = (int16_t)pyr_table_score(open, &match->edition->box, (pyr_seat)s).total;
    }
    if (find_tag(match, "secret", &secret))
        pyr_fair_read_hex(secret.at, secret.length, state->fair.secret);
    char *config = config_write(table, state);
    free(table);
    return config;
}

/* A record without a date gets today's. False: the database failed, and the whole import has to end. */
static bool store_record(struct import *import, const struct pyr_match *match, const struct origin *origin)
{
    const char *text = match->log.text;
    size_t size = match->log.start[match->log.lines];
    uint64_t hash = hash_of(text, size, HASH_START);
    if (is_there(import, hash, text, size)) {
        import->sums.there++;
        return true;
    }
    char *config = make_config(match);
    int64_t date = origin->date ? origin->date : (int64_t)time(NULL);
    struct store_table table = {
        .id = import->sums.last + 1, .state = STORE_OVER, .created = date, .changed = date, .config = config
    };
    bool good = config && choose_code(import, origin, hash, table.code) && store_put_table(import->db, &table) == STORE_OK &&
        store_add_lines(import->db, table.id, 0, text, size, date) == STORE_OK && remember(import, hash, table.id);
    free(config);
    import->sums.last += good;
    import->sums.imported += good;
    return good;
}

/* The edition that a record names: the one given, or one that is built in. NULL after an error message. */
static const struct pyr_edition *edition_of(struct import *import, const struct cli_records *r)
{
    struct pyr_word word;
    char name[PYR_MAX_NAME + 1] = "classic";             /* reading a record without a name reports what is missing */
    if (pyr_record_edition_name(r->text, r->size, &word)) {
        if (import->has_asked && pyr_word_is(word, import->asked.name))
            return &import->asked;
        if (word.length <= PYR_MAX_NAME)
            pyr_word_copy(word, name, sizeof name);
    }
    if (!import->builtin.name[0] || strcmp(import->builtin.name, name)) {
        const char *text = pyr_builtin_edition(name);
        if (!text || pyr_edition_read(&import->builtin, text, strlen(text), NULL) != PYR_OK) {
            fprintf(stderr, _("%s:%u: the record uses edition '%s', which is not built in: give its file with --edition\n"),
                r->name, (unsigned)r->first, name);
            return NULL;
        }
    }
    return &import->builtin;
}

/* What to do after a file: keep its records, roll it back, or end the whole import. */
enum outcome { KEEP, UNDO, STOP };           /* a file, a file, all */

/* The match is static because it is large. Faults count lines from the beginning of the file. */
static enum outcome read_file(struct import *import, struct cli_records *r)
{
    static struct pyr_match match;
    struct pyr_fault fault;
    bool any = false;
    int got;
    while ((got = cli_records_next(r)) > 0 && !cli_is_interrupted()) {
        struct origin origin = read_origin(r->origin);
        if (!r->size)
            break;                           /* an empty file */
        const struct pyr_edition *edition = edition_of(import, r);
        if (!edition)
            return UNDO;
        if (pyr_match_load(&match, edition, r->text, r->size, PYR_NOBODY, &fault)) {
            fault.line += r->first - 1;
            cli_fault(r->name, &fault);
            return UNDO;
        }
        if (!pyr_match_is_over(&match)) {
            fprintf(stderr, _("%s:%u: the game is not finished; only finished games are imported\n"), r->name,
                (unsigned)(r->first + r->lines - 1));
            return UNDO;
        }
        if (!store_record(import, &match, &origin)) {
            cli_error(_("%s: a record could not be stored"), import->path);
            return STOP;
        }
        any = true;
        import->sums.records++;
        if (!import->quiet && cli_seconds() - import->shown > 0.1) {
            fprintf(stderr, "\r%llu", import->sums.records);
            import->shown = cli_seconds();
        }
    }
    if (cli_is_interrupted())
        return STOP;
    if (got >= 0 && !any)
        cli_error(_("%s: contains no record"), r->name);
    return got || !any ? UNDO : KEEP;
}

/* Imports a file, all of it or nothing; false: the whole import has to end. With a savepoint around each file, a bad file
 * can be rolled back without losing those before it. */
static bool import_file(struct import *import, const char *path)
{
    struct cli_records r;
    struct sums before = import->sums;
    enum outcome outcome = UNDO;
    if (!cli_records_open(&r, path)) {
        import->files++;
        import->refused++;
        return true;
    }
    if (store_savepoint(import->db) != STORE_OK) {
        cli_error(_("%s: a record could not be stored"), import->path);
        outcome = STOP;
    } else {
        outcome = read_file(import, &r);
        if (outcome != STOP && store_release(import->db, outcome == KEEP) != STORE_OK) {
            cli_error(_("%s: a record could not be stored"), import->path);
            outcome = STOP;
        }
    }
    if (outcome == UNDO) {                   /* its remembered hashes do no harm, since texts are compared */
        import->sums = before;
        import->refused++;
    }
    import->files++;
    cli_records_close(&r);
    return outcome != STOP;
}

/* A filter for scandir. */
static int is_record(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && (!strcmp(dot, ".record") || !strcmp(dot, ".pyr"));
}

/* The files of a folder are read in the order of their names, so that codes and numbers do not depend on the file system. */
static bool import_path(struct import *import, const char *path)
{
    struct stat status;
    if (!strcmp(path, "-") || stat(path, &status) || !S_ISDIR(status.st_mode))
        return import_file(import, path);
    struct dirent **entry;
    int count = scandir(path, &entry, is_record, alphasort);
    bool good = true;
    if (count <= 0) {
        import->refused++;
        if (count < 0)
            cli_error("%s: %s", path, pyr_text_system(errno));
        else
            cli_error(_("%s: contains no record (*.record, *.pyr)"), path);
    }
    for (int i = 0; i < count; i++) {
        char name[PATH_MAX];
        if (good && snprintf(name, sizeof name, "%s/%s", path, entry[i]->d_name) < (int)sizeof name)
            good = import_file(import, name);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    return good;
}

static void print_sum(const struct import *import, bool is_json)
{
    if (is_json) {
        struct pyr_json *json = cli_json_begin();
        pyr_json_object(json, NULL);
        pyr_json_text(json, "database", import->path);
        pyr_json_count(json, "files", import->files);
        pyr_json_count(json, "records", import->sums.records);
        pyr_json_count(json, "imported", import->sums.imported);
        pyr_json_count(json, "there", import->sums.there);
        pyr_json_count(json, "refused", import->refused);
        pyr_json_close(json);
        cli_json_end(json);
        return;
    }
    printf(_("records imported: %llu, already present: %llu; files refused: %llu\n"), import->sums.imported,
        import->sums.there, import->refused);
}

/* No server may be using the database (store_open_alone). All hashes are read first, then files are added in one
 * transaction, which is committed once every file was either kept or rolled back. */
int cli_import(int argc, char **argv)
{
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "database", 'd', "DB", _("the server's database (default: the one 'serve' uses); created if missing") },
        { "edition", 'e', "E", _("an edition that is not built in, for records that name it") },
        { "json", 0, NULL, _("print the totals as one line of JSON") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "import [--database DB] [--edition E] [--json] RECORD...|DIR",
        _("Checks records of finished games against the rules and adds them to a server's database, which must not\n"
          "be in use. A file may hold many records; if one is bad, none of that file is imported. Records that\n"
          "already exist are skipped. In a folder, all *.record and *.pyr files are read; - is standard input."),
        option,
        "  pyramids import games.records\n"
        "  pyramids import --database copy.db games/\n"
        "  pyramids import --database postgresql://club@db/games club.records\n"
        "  pyramids export --database old.db | pyramids import --database new.db -\n",
    };
    static struct import import;
    char path[PATH_MAX], name[PATH_MAX], error[PATH_MAX + 512];
    int code = cli_parse(&options, &argc, argv, value);
    if (code >= 0)
        return code;
    if (!argc) {
        cli_error(_("no records given; see 'pyramids import --help'"));
        return CLI_USAGE;
    }
    if (!cli_database(value[DATABASE], path, sizeof path))
        return CLI_USAGE;
    store_name(path, name, sizeof name);
    import.path = name;
    import.quiet = value[JSON] || !isatty(STDERR_FILENO);
    if (value[EDITION]) {
        import.has_asked = true;
        if ((code = cli_edition_load(value[EDITION], &import.asked)))
            return code;
    }
    if (!store_open_alone(&import.db, path, true, error, sizeof error)) {
        cli_error("%s", error);
        return CLI_WRONG;
    }
    cli_catch_interrupt();
    int64_t visitor;
    bool good = store_last_ids(import.db, &visitor, &import.sums.last) == STORE_OK &&
        store_each_record(import.db, remember_stored, &import) == STORE_OK;
    if (!good)
        cli_error(_("%s: not all records could be read"), name);
    for (int i = 0; i < argc && good; i++)
        good = import_path(&import, argv[i]);
    free(import.known);
    if (!import.quiet)
        fputs("\r\033[K", stderr);
    if (!store_close_alone(import.db, good, error, sizeof error)) {
        cli_error("%s: %s", name, error);
        good = false;
    }
    if (!good) {
        cli_error(_("nothing was imported"));
        return cli_is_interrupted() ? CLI_INTERRUPTED : CLI_WRONG;
    }
    print_sum(&import, value[JSON] != NULL);
    return import.refused ? CLI_WRONG : CLI_GOOD;
}
