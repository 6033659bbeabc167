/*
 * options.c: reading options and printing help, the same way for every subcommand.
 *
 * Messages are printed here, too: every sentence to standard error goes through print_message, which hides passwords.
 * We do not use getopt_long because help is translated, and its columns must fit in every language.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* For --json, where the message is part of the output. */
static _Thread_local char last_message[1024];

/* A command has at most two connection strings; more arguments with passwords are still hidden in argv, but not in
 * messages. */
#define MOST_SECRETS 8
static const char *secrets[MOST_SECRETS];
static bool is_muted;

/* In a URL libpq also understands a keyword whose letters are written as %XX, which may then be "password". */
static bool has_escaped_keyword(const char *url)
{
    for (const char *at = strchr(url, '?'); at; at = strchr(at + 1, '&'))
        if (memchr(at, '%', strcspn(at, "=")))
            return true;
    return false;
}

/* Where a connection string may have its password: everything from there on is hidden. NULL: nowhere. In a URL everything
 * after :// is hidden if it may contain a password: finding its exact end would need the driver's own parser. */
static char *secret_in(char *word)
{
    char *url = strstr(word, "postgres"), *keyword = strstr(word, "password"), *at = url ? strstr(url, "://") : NULL;
    if (at && (keyword || strchr(at, '@') || has_escaped_keyword(at)))
        return at + 3;
    return keyword;
}

/* Others can read the arguments of a process (ps), so passwords are overwritten there as soon as possible, and copies are
 * used. */
void cli_hide_secrets(int argc, char **argv)
{
    unsigned count = 0;
    for (int i = 1; i < argc; i++) {
        char *secret = secret_in(argv[i]), *copy = secret && *secret ? strdup(argv[i]) : NULL;
        if (!copy)
            continue;
        if (count < MOST_SECRETS)
            secrets[count++] = copy + (secret - argv[i]);
        argv[i] = copy;
        memset(secret, '*', strlen(secret));
    }
}

bool cli_hide_secret(char *word)
{
    char *secret = secret_in(word);
    for (unsigned i = 0; i < MOST_SECRETS && secret && *secret; i++) {
        if (secrets[i] && strcmp(secrets[i], secret))
            continue;
        if (!secrets[i])
            secrets[i] = strdup(secret);
        return true;
    }
    return secret && *secret;
}

void cli_mute(bool is_mute)
{
    is_muted = is_mute;
}

/* Removes secrets from a message. */
static void censor(char *text)
{
    for (unsigned i = 0; i < MOST_SECRETS && secrets[i]; i++) {
        size_t length = strlen(secrets[i]);
        for (char *at = text; (at = strstr(at, secrets[i])); at += length)
            memset(at, '*', length);
    }
}

/* Written in one piece: other programs may be writing to the same terminal. */
__attribute__((format(printf, 2, 0))) static void print_message(const char *head, const char *format, va_list arguments)
{
    char *text = NULL;
    size_t size = 0;
    FILE *line = open_memstream(&text, &size), *to = line ? line : stderr;
    fputs(head, to);
    vfprintf(to, format, arguments);
    fputc('\n', to);
    if (line && !fclose(line)) {
        censor(text);
        if (!is_muted)
            fwrite(text, 1, size, stderr);
        text[size - 1] = '\0';
        snprintf(last_message, sizeof last_message, "%s", text + (strncmp(text, "pyramids: ", 10) ? 0 : 10));
    }
    free(text);
}

/* To standard error, with the program's name before it. */
void cli_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message("pyramids: ", format, arguments);
    va_end(arguments);
}

/* With FILE:LINE: before it instead of the program's name. */
void cli_line_error(const char *file, uint32_t line, const char *format, ...)
{
    char head[4096];
    va_list arguments;
    snprintf(head, sizeof head, "%s:%u: ", file, (unsigned)line);
    va_start(arguments, format);
    print_message(head, format, arguments);
    va_end(arguments);
}

/* Of this thread; "" if there was none. */
const char *cli_last_message(void)
{
    return last_message;
}

#define HELP_AT 25               /* the column where options are explained */

/* One option, wrapped: the text begins in column HELP_AT and continues there. */
static void print_option(const struct cli_option *option)
{
    char head[64], text[1024];
    int at = option->letter ? snprintf(head, sizeof head, "-%c, ", option->letter) : 0;
    snprintf(head + at, sizeof head - (size_t)at, "--%s%s%s", option->name, option->value ? " " : "",
        option->value ? option->value : "");
    snprintf(text, sizeof text, "  %-22s %s\n", head, option->help);
    pyr_text_flow(stdout, text, PYR_HELP_COLUMNS, HELP_AT);
}

/* Programs that feed a game get a readable transcript. */
bool cli_prompt(char **line, size_t *room)
{
    printf("> ");
    fflush(stdout);
    if (getline(line, room, stdin) < 0) {
        putchar('\n');
        return false;
    }
    if (!isatty(STDIN_FILENO))
        printf("%s%s", *line, (*line)[strlen(*line) - 1] == '\n' ? "" : "\n");
    return true;
}

static void print_help(const struct cli_options *options)
{
    const struct cli_option language = { "lang", 0, "CODE", _("language (default: from LANGUAGE or LANG)") };
    const struct cli_option help = { "help", 'h', NULL, _("show this help") };
    char text[4096];
    snprintf(text, sizeof text, _("Usage: pyramids %s\n\n%s\n\nOptions:\n"), options->usage, options->about);
    pyr_text_flow(stdout, text, PYR_HELP_COLUMNS, 4);
    for (const struct cli_option *o = options->option; o->name; o++)
        print_option(o);
    print_option(&language);
    print_option(&help);
    printf(_("\nExamples:\n%s"), options->examples);
}

/* Prints, after the error message, how to get help. Returns the exit code for the caller. */
static int usage_error(const struct cli_options *options)
{
    char text[1024];
    snprintf(text, sizeof text, _("Usage: pyramids %s\n"), options->usage);
    pyr_text_flow(stderr, text, PYR_HELP_COLUMNS, 4);
    return CLI_USAGE;
}

/* The option for a word, or for `length` letters of it if it is a long one; the end of the list if there is none. */
static const struct cli_option *find_option(const struct cli_options *options, const char *name, size_t length, bool is_long)
{
    const struct cli_option *o = options->option;
    while (o->name && !(is_long ? strlen(o->name) == length && !strncmp(o->name, name, length)
                                : o->letter && o->letter == name[0] && !name[1]))
        o++;
    return o;
}

/* Returns -1 to continue, otherwise the exit code, after the help or a message. Words that are not options are moved
 * to the front of argv. `values` has a place per option: NULL if it was not given, "" for a switch that was. "--" ends
 * the options, and "-" alone is a word (standard input). */
int cli_parse(const struct cli_options *options, int *argc, char **argv, const char **values)
{
    int left = 0;
    bool only_words = false;
    for (const struct cli_option *o = options->option; o->name; o++)
        values[o - options->option] = NULL;
    for (int i = 1; i < *argc; i++) {
        char *word = argv[i];
        if (only_words || word[0] != '-' || !word[1]) {
            argv[left++] = word;
            continue;
        }
        if (!strcmp(word, "--")) {
            only_words = true;
            continue;
        }
        bool is_long = word[1] == '-';
        char *value = is_long ? strchr(word, '=') : NULL;
        size_t length = is_long ? (value ? (size_t)(value - word) : strlen(word)) - 2 : 1;
        const char *name = word + 1 + is_long;
        if (is_long ? length == 4 && !strncmp(name, "help", 4) : !strcmp(name, "h")) {
            print_help(options);
            return CLI_GOOD;
        }
        const struct cli_option *o = find_option(options, name, length, is_long);
        if (!o->name) {
            cli_error(_("unknown option '%s'"), word);
            return usage_error(options);
        }
        if (!o->value) {
            if (value) {
                cli_error(_("option '--%s' takes no value"), o->name);
                return usage_error(options);
            }
            values[o - options->option] = "";
        } else if (value) {
            values[o - options->option] = value + 1;
        } else if (i + 1 < *argc) {
            values[o - options->option] = argv[++i];
        } else {
            values[o - options->option] = "";
        }
        if (o->value && !*values[o - options->option]) {
            cli_error(_("option '%s' needs a value (%s)"), word, o->value);
            return usage_error(options);
        }
    }
    *argc = left;
    return -1;
}

int cli_parse_words(const struct cli_options *options, int most, int *argc, char **argv, const char **values)
{
    int code = cli_parse(options, argc, argv, values);
    if (code < 0 && *argc > most) {
        cli_error(_("unexpected argument '%s'"), argv[most]);
        code = CLI_USAGE;
    }
    return code;
}

/* `excluded` has a set of bits per option: those that it cannot be combined with. It is enough if one option of a pair
 * lists the other, since all pairs are tried. */
bool cli_go_together(const struct cli_option *option, const char *const *values, const uint32_t *excluded)
{
    for (unsigned i = 0; option[i].name; i++) {
        for (unsigned j = 0; values[i] && option[j].name; j++) {
            if (values[j] && excluded[i] >> j & 1) {
                cli_error(_("--%s cannot be combined with --%s"), option[i].name, option[j].name);
                return false;
            }
        }
    }
    return true;
}

/* Digits only: strtoull would accept blanks, signs and numbers that are too large. */
bool cli_number(const char *word, const char *what, uint64_t low, uint64_t high, uint64_t *number)
{
    uint64_t value = 0;
    const char *c = word;
    while (*c >= '0' && *c <= '9') {
        uint64_t digit = (uint64_t)(*c - '0');
        if (value > (UINT64_MAX - digit) / 10)
            break;
        value = value * 10 + digit;
        c++;
    }
    if (c == word || *c || value < low || value > high) {
        cli_error(_("%s: '%s' is not a number from %llu to %llu"), what, word, (unsigned long long)low,
            (unsigned long long)high);
        return false;
    }
    *number = value;
    return true;
}
