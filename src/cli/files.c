/* files.c: reading and writing files, finding editions and the database. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <pyramids/builtin.h>
#include <store.h>

#include "cli.h"

#define MOST_BYTES (16u << 20)   /* no edition or record is nearly as long */

/* "-" is standard input. The text is terminated, and the caller frees it. It is read in pieces, since a pipe has no size.
 * False after a message; then there is nothing to free. */
bool cli_read(const char *path, struct cli_text *text)
{
    bool standard = !strcmp(path, "-");
    FILE *file = standard ? stdin : fopen(path, "rb");
    size_t room = 1 << 16;
    text->at = NULL;
    text->size = 0;
    text->name = standard ? "<stdin>" : path;
    if (!file)
        goto failed;
    text->at = malloc(room);
    while (text->at) {
        size_t got = fread(text->at + text->size, 1, room - text->size - 1, file);
        text->size += got;
        if (!got)
            break;
        if (text->size > MOST_BYTES) {
            cli_error(_("%s: larger than %u bytes"), text->name, MOST_BYTES);
            goto give_up;
        }
        if (room - text->size < 2) {
            char *larger = realloc(text->at, room *= 2);
            if (!larger)
                goto failed;
            text->at = larger;
        }
    }
    if (!text->at || (ferror(file) && !cli_is_interrupted()))
        goto failed;
    if (standard && cli_is_interrupted())    /* no more input will arrive */
        goto give_up;
    text->at[text->size] = '\0';
    if (!standard)
        fclose(file);
    return true;

failed:
    cli_error("%s: %s", text->name, pyr_text_system(errno));
give_up:
    if (file && !standard)
        fclose(file);
    free(text->at);
    text->at = NULL;
    return false;
}

/* Whether the file must be written in place: a pipe or a device must not become a file, and a dangling link has no file
 * to rename onto. */
static bool is_in_place(const char *path)
{
    struct stat at;
    return !stat(path, &at) ? !S_ISREG(at.st_mode) : !lstat(path, &at);
}

/* Whole or not at all: written to a file beside it, synced, renamed. After a crash either the old file or the new one
 * exists, never a part. The new file has the process number in its name, so two commands that write the same file do not
 * interfere. Pipes and devices are written in place. */
bool cli_write(const char *path, const char *text, size_t size)
{
    bool in_place = is_in_place(path);
    char real[PATH_MAX];
    const char *target = !in_place && realpath(path, real) ? real : path;   /* a link is kept, and its target is written */
    size_t length = strlen(target) + 32;
    char *draft = in_place ? NULL : malloc(length);
    FILE *file = NULL;
    if (!in_place && !draft)
        goto failed;
    if (draft)
        snprintf(draft, length, "%s.%ld.new", target, (long)getpid());
    file = fopen(draft ? draft : path, "wb");
    if (!file || fwrite(text, 1, size, file) != size || fflush(file) || (draft && fsync(fileno(file))))
        goto failed;
    if (fclose(file)) {
        file = NULL;
        goto failed;
    }
    file = NULL;
    if (draft && rename(draft, target))
        goto failed;
    free(draft);
    return true;

failed:
    cli_error("%s: %s", path, pyr_text_system(errno));
    if (file)
        fclose(file);
    if (draft)
        remove(draft);
    free(draft);
    return false;
}

/* FILE:LINE: sentence, the form that editors and compilers use. */
void cli_fault(const char *file, const struct pyr_fault *fault)
{
    char sentence[512];
    pyr_text_fault(fault, sentence, sizeof sentence);
    cli_line_error(file, fault->line, "%s", sentence);
}

static bool has_json;            /* something was printed as JSON */

/* One at a time: commands print from one thread. */
bool cli_json_wanted(const char *value)
{
    if (value)
        pyr_text_use("en");
    return value != NULL;
}

struct pyr_json *cli_json_begin(void)
{
    static struct pyr_json json;
    static char buffer[4096];
    has_json = true;
    pyr_text_json_init(&json, stdout, buffer, sizeof buffer);
    return &json;
}

/* Write errors are checked once, in main. */
void cli_json_end(struct pyr_json *json)
{
    pyr_json_finish(json);
    putchar('\n');
}

/* An unknown position is null: lines and columns count from 1. */
static void json_position(struct pyr_json *json, const char *name, uint32_t position)
{
    if (position)
        pyr_json_number(json, name, position);
    else
        pyr_json_null(json, name);
}

/* Codes and rules are stable; the English sentence is for people who read the JSON. */
void cli_json_fault(struct pyr_json *json, const struct pyr_fault *fault)
{
    char sentence[512];
    const char *rule = pyr_err_rule(fault->code), *language = pyr_text_use("en");   /* the same in all languages */
    pyr_text_fault(fault, sentence, sizeof sentence);
    pyr_text_use(language);
    pyr_json_object(json, "error");
    pyr_json_text(json, "code", pyr_err_name(fault->code));
    pyr_json_text(json, "rule", *rule ? rule : NULL);
    json_position(json, "line", fault->line);
    json_position(json, "column", fault->column);
    pyr_json_text(json, "message", sentence);
    pyr_json_close(json);
}

/* For errors without a position: the same members, with null. */
void cli_json_error(struct pyr_json *json, const char *code)
{
    pyr_json_object(json, "error");
    pyr_json_text(json, "code", code);
    pyr_json_null(json, "rule");
    pyr_json_null(json, "line");
    pyr_json_null(json, "column");
    pyr_json_text(json, "message", cli_last_message());
    pyr_json_close(json);
}

/* One whole object about a file that cannot be used. */
void cli_json_refuse(const char *file, const char *code, const struct pyr_fault *fault)
{
    struct pyr_json *json = cli_json_begin();
    pyr_json_object(json, NULL);
    pyr_json_text(json, "file", file);
    if (fault)
        cli_json_fault(json, fault);
    else
        cli_json_error(json, code);
    pyr_json_close(json);
    cli_json_end(json);
}

int cli_json_failed(bool wanted, const char *code, int result)
{
    if (!wanted || result != CLI_WRONG || has_json)
        return result;
    struct pyr_json *json = cli_json_begin();
    pyr_json_object(json, NULL);
    cli_json_error(json, code);
    pyr_json_close(json);
    cli_json_end(json);
    return result;
}

static bool is_builtin(const char *name, struct pyr_edition *edition)
{
    const char *text = pyr_builtin_edition(name);
    return text && pyr_edition_read(edition, text, strlen(text), NULL) == PYR_OK;
}

/* NULL means the classic edition. Built-in names come first, so a file named "classic" needs a path such as ./classic. */
int cli_edition_load(const char *name_or_file, struct pyr_edition *edition)
{
    struct cli_text text;
    struct pyr_fault fault;
    if (is_builtin(name_or_file ? name_or_file : "classic", edition))
        return CLI_GOOD;
    if (strcmp(name_or_file, "-") && access(name_or_file, R_OK)) {
        char names[512] = "";
        for (const char *const *name = pyr_builtin_names(); *name; name++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "", *name);
        cli_error(_("%s: neither a built-in edition nor a file that can be read (%s); built in: %s"), name_or_file,
            pyr_text_system(errno), names);
        return CLI_WRONG;
    }
    if (!cli_read(name_or_file, &text))
        return CLI_WRONG;
    enum pyr_err err = pyr_edition_read(edition, text.at, text.size, &fault);
    if (err)
        cli_fault(text.name, &fault);
    free(text.at);
    return err ? CLI_WRONG : CLI_GOOD;
}

/* A record that names no edition, or "classic", is read with the classic one, which then reports the mistakes. An edition
 * that the user asked for takes precedence. Otherwise the record's own name decides. */
int cli_edition_for(const char *asked, const struct cli_text *record, struct pyr_edition *edition)
{
    struct pyr_word word;
    char name[PYR_MAX_NAME + 1];
    if (asked)
        return cli_edition_load(asked, edition);
    if (pyr_record_edition_name(record->at, record->size, &word)) {
        pyr_word_copy(word, name, sizeof name);
        if (word.length <= PYR_MAX_NAME && is_builtin(name, edition))
            return CLI_GOOD;
        if (!pyr_word_is(word, "classic")) {
            cli_error(_("%s: the record uses edition '%s', which is not built in: give its file with --edition"),
                record->name, name);
            return CLI_WRONG;
        }
    }
    return cli_edition_load(NULL, edition);
}

/* For files with many records: `asked` is for records that name it; built-in editions are found by their own names. */
int cli_edition_among(const char *asked, const struct cli_text *record, struct pyr_edition *edition)
{
    struct pyr_word word;
    char name[PYR_MAX_NAME + 1];
    int code = cli_edition_for(asked, record, edition);
    if (code || !asked || !pyr_record_edition_name(record->at, record->size, &word) || word.length > PYR_MAX_NAME)
        return code;
    pyr_word_copy(word, name, sizeof name);
    if (strcmp(name, edition->name) && pyr_builtin_edition(name))
        is_builtin(name, edition);
    return CLI_GOOD;
}

void cli_position_options(struct cli_option option[CLI_POSITION_OPTIONS], const char *seat_help)
{
    option[CLI_SEAT] = (struct cli_option){ "seat", 's', "S", seat_help };
    option[CLI_EDITION] = (struct cli_option){ "edition", 'e', "E",
        _("a built-in edition or a file (default: the one the record names)") };
    option[CLI_VIEW] = (struct cli_option){ "view", 0, NULL,
        _("the record is this seat's view, without the other players' deals") };
    option[CLI_JSON] = (struct cli_option){ "json", 0, NULL, _("print a JSON array") };
}

int cli_position_load(struct cli_position *position, int argc, char **argv, const char *const *value)
{
    struct pyr_replay *replay = &position->replay;
    struct pyr_fault fault, *at = NULL;
    const char *wrong = NULL;
    uint64_t seat;
    if (argc != 1 || !value[CLI_SEAT]) {
        cli_error(argc != 1 ? _("expected one record") : _("no seat given; use --seat"));
        return CLI_USAGE;
    }
    if (!cli_number(value[CLI_SEAT], "--seat", 1, PYR_MAX_SEATS, &seat))
        return CLI_USAGE;
    bool json = cli_json_wanted(value[CLI_JSON]);
    position->seat = (pyr_seat)(seat - 1);
    pyr_replay_init(replay, value[CLI_VIEW] ? position->seat : PYR_NOBODY);
    if (!cli_read(argv[0], &position->text)) {
        wrong = "file";
    } else if (cli_edition_for(value[CLI_EDITION], &position->text, &position->edition)) {
        wrong = "edition";
    } else if (pyr_record_read(replay, &position->edition, position->text.at, position->text.size, &fault)) {
        cli_fault(position->text.name, &fault);
        at = &fault;
    } else if (position->seat >= replay->seats) {
        cli_error(_("%s: no seat %u in this game"), position->text.name, position->seat + 1u);
        wrong = "seat";
    } else {
        position->may_choose = replay->stage == PYR_STAGE_PLAY && !replay->due_points;
        return CLI_GOOD;
    }
    if (json)
        cli_json_refuse(position->text.name, wrong, at);
    cli_position_free(position);
    return CLI_WRONG;
}

void cli_position_free(struct cli_position *position)
{
    free(position->text.at);
}

/* The database asked for, otherwise the default of `serve`. */
bool cli_database(const char *asked, char *path, size_t size)
{
    if (asked ? snprintf(path, size, "%s", asked) < (int)size && *asked : store_default_path(path, size))
        return true;
    cli_error(_("no database found: name it with --database FILE"));
    return false;
}

unsigned cli_player_names(const char *text, size_t size, struct pyr_word *names)
{
    return pyr_record_player_names(text, size, names);
}

/* The result is the argument, a string of the environment, or a constant: nothing to free. */
const char *cli_own_name(const char *asked)
{
    const char *account = getenv("USER");
    size_t length = account ? strlen(account) : 0;
    if (asked)
        return asked;
    /* Only characters that are safe in a record and on any screen. */
    bool plain = length && length <= 32;
    for (size_t i = 0; i < length && plain; i++)
        plain = account[i] > ' ' && account[i] < 127;
    return plain ? account : PYR_NAMELESS;
}

/* Monotonic: only differences have a meaning, and setting the clock does not affect them. */
double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
