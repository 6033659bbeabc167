/*
 * settings.c: see settings.h. All errors of a file are reported at once, so that an operator can correct them together.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/utf8.h>

#include "settings.h"

#define LONGEST_LINE 4096
#define MOST_REPORTS 20
#define LONGEST_NAME 32
#define MARK "\xef\xbb\xbf"      /* a byte order mark, with which some editors begin a text */
#define CREDENTIALS "$CREDENTIALS_DIRECTORY/"        /* the folder in which systemd puts files named by LoadCredential= */

struct reading {
    struct settings *settings;
    const struct cli_option *option;
    uint64_t reserved, given;    /* given: on the command line */
    const char **values;
    const struct settings_report *report;
    uint32_t line, seen[SETTINGS_OPTIONS];   /* seen: the line of the option */
    unsigned faults;
};

static void fault(struct reading *reading, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void fault(struct reading *reading, const char *name, const char *format, ...)
{
    char message[512];
    va_list arguments;
    if (reading->faults++ >= MOST_REPORTS)
        return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    reading->report->tell(reading->report->context, reading->line, name, message);
}

static const char blanks[] = " \t\r";

static char *trim(char *text)
{
    text += strspn(text, blanks);
    size_t size = strlen(text);
    while (size && strchr(blanks, text[size - 1]))
        text[--size] = '\0';
    return text;
}

/* The number of letters to add, remove or replace to turn one word into the other. */
static unsigned distance(const char *one, const char *other)
{
    unsigned row[LONGEST_NAME + 1];
    size_t width = strlen(other);
    for (unsigned j = 0; j <= width; j++)
        row[j] = j;
    for (unsigned i = 1; one[i - 1]; i++) {
        unsigned corner = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= width; j++) {
            unsigned above = row[j], best = corner + (one[i - 1] != other[j - 1]);
            best = above + 1 < best ? above + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            corner = above;
        }
    }
    return row[width];
}

static void unknown(struct reading *reading, const char *name)
{
    const struct cli_option *best = NULL;
    unsigned least = 4;          /* with more differences it is not a typing mistake */
    for (const struct cli_option *o = reading->option; o->name && strlen(name) <= LONGEST_NAME; o++) {
        unsigned apart = distance(name, o->name);
        if (apart < least && !(reading->reserved >> (o - reading->option) & 1)) {
            least = apart;
            best = o;
        }
    }
    if (best)
        fault(reading, NULL, _("unknown option '%.40s'; did you mean '%s'?"), name, best->name);
    else
        fault(reading, NULL, _("unknown option '%.40s'; 'pyramids serve --help' lists them, here they are written without "
            "dashes"), name);
}

/* Expands a value that begins with $CREDENTIALS_DIRECTORY/. */
static const char *expand(struct reading *reading, unsigned i, const char *value)
{
    const char *folder = getenv("CREDENTIALS_DIRECTORY"), *rest = value + sizeof CREDENTIALS - 1;
    if (strncmp(value, CREDENTIALS, sizeof CREDENTIALS - 1))
        return value;
    if (!folder || !*folder) {
        fault(reading, reading->option[i].name, _("the environment has no CREDENTIALS_DIRECTORY: systemd sets it if the "
            "unit has LoadCredential="));
        return NULL;
    }
    size_t room = strlen(folder) + strlen(rest) + 2;
    free(reading->settings->expanded[i]);
    reading->settings->expanded[i] = malloc(room);
    if (reading->settings->expanded[i])
        snprintf(reading->settings->expanded[i], room, "%s/%s", folder, rest);
    return reading->settings->expanded[i];
}

/* The value of a flag: 1, 0, or -1 for any other word. */
static int truth(const char *word)
{
    static const char *const words[2][3] = { { "no", "false", "off" }, { "yes", "true", "on" } };
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            if (!strcmp(word, words[i][j]))
                return i;
    return -1;
}

static void take(struct reading *reading, unsigned i, const char *value)
{
    const struct cli_option *option = &reading->option[i];
    if (!*value) {
        fault(reading, option->name, _("needs a value (%s); remove the line to use the default"),
            option->value ? option->value : _("yes or no"));
        return;
    }
    if (strchr("\"'", value[0])) {
        fault(reading, option->name, _("values are written without quotation marks"));
        return;
    }
    int is_on = option->value ? 1 : truth(value);
    if (is_on < 0) {
        fault(reading, option->name, _("'%.40s' is neither yes nor no"), value);
        return;
    }
    value = expand(reading, i, value);
    if (!value || reading->given >> i & 1)
        return;                              /* the command line takes precedence */
    reading->values[i] = option->value ? value : is_on ? "" : NULL;
    reading->settings->line[i] = reading->line;
}

static void read_line(struct reading *reading, char *line)
{
    char *equals = strchr(line, '=');
    unsigned i = 0;
    line = trim(line);
    if (!*line || *line == '#')
        return;
    if (!equals) {
        fault(reading, NULL, _("expected 'option = value', such as 'port = 8080'; comments begin with #"));
        return;
    }
    *equals = '\0';
    const char *name = trim(line), *value = trim(equals + 1);
    while (reading->option[i].name && strcmp(reading->option[i].name, name))
        i++;
    if (!reading->option[i].name) {
        if (!strncmp(name, "--", 2))
            fault(reading, NULL, _("options are written without dashes here: '%.40s', not '%.40s'"), name + 2, name);
        else
            unknown(reading, name);
    } else if (reading->reserved >> i & 1) {
        fault(reading, name, _("only works on the command line, as --%s"), name);
    } else if (reading->seen[i]) {
        fault(reading, name, _("is defined twice (first on line %u)"), (unsigned)reading->seen[i]);
    } else {
        reading->seen[i] = reading->line;
        take(reading, i, value);
    }
}

/* Whether a line is text: without control characters and invalid UTF-8, which could be hidden in a path. */
static bool is_text(const char *line, size_t size)
{
    size_t length;
    for (size_t at = 0; at < size; at += length) {
        int32_t letter = pyr_utf8_read(line + at, size - at, &length);
        if (letter < 0 || letter == 0x7f || (letter < ' ' && letter != '\t' && !(letter == '\r' && at + 1 == size)))
            return false;
    }
    return true;
}

bool settings_read(struct settings *settings, const char *text, size_t size, const struct cli_option *option,
    uint64_t reserved, const char **values, const struct settings_report *report)
{
    struct reading reading = { .settings = settings, .option = option, .reserved = reserved, .values = values,
        .report = report };
    for (unsigned i = 0; option[i].name && i < SETTINGS_OPTIONS; i++)
        reading.given |= values[i] ? (uint64_t)1 << i : 0;
    settings->text = size <= SETTINGS_SIZE ? malloc(size + 1) : NULL;
    if (!settings->text) {
        fault(&reading, NULL, _("too large for a configuration file (%zu bytes)"), size);
        return false;
    }
    memcpy(settings->text, text, size);
    settings->text[size] = '\0';
    char *end = settings->text + size;
    for (char *line = settings->text + (strncmp(settings->text, MARK, strlen(MARK)) ? 0 : strlen(MARK)); line < end;) {
        char *next = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((next ? next : end) - line);
        reading.line++;
        line[length] = '\0';
        if (length > LONGEST_LINE)
            fault(&reading, NULL, _("the line is too long (%zu bytes; at most %d)"), length, LONGEST_LINE);
        else if (!is_text(line, length))
            fault(&reading, NULL, _("not text: the line has control characters or is not UTF-8"));
        else
            read_line(&reading, line);
        line = next ? next + 1 : end;
    }
    return !reading.faults;
}

void settings_finish(struct settings *settings)
{
    free(settings->text);
    for (unsigned i = 0; i < SETTINGS_OPTIONS; i++)
        free(settings->expanded[i]);
    *settings = (struct settings){ 0 };
}
