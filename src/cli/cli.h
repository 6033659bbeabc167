/*
 * cli.h: what the subcommands of `pyramids` share: options, files, editions, messages, JSON. A subcommand is one file
 * with one function in the table of main.c.
 */
#ifndef PYR_CLI_H
#define PYR_CLI_H

#include <signal.h>
#include <stdio.h>

#include <pyramids/text.h>

enum { CLI_GOOD = 0, CLI_WRONG = 1, CLI_USAGE = 2, CLI_INTERRUPTED = 130 };

/* A subcommand: its arguments without the program's name (argv[0] is the subcommand). Returns the exit code. */
typedef int cli_command(int argc, char **argv);

cli_command cli_daily, cli_play, cli_serve, cli_sim, cli_replay, cli_legal, cli_hint, cli_analyze, cli_verify,
    cli_export, cli_import, cli_copy, cli_edition, cli_print, cli_bench, cli_rules, cli_admin, cli_merge, cli_puzzle;

/* The puzzles of the edition classic (puzzle.c). */
const char *cli_puzzle_pack(void);

/* Options (options.c). */
struct cli_option {
    const char *name;            /* long name without dashes */
    char letter;                 /* short name, or 0 */
    const char *value;           /* name of its value, for the help; NULL: a flag */
    const char *help;            /* translated */
};

struct cli_options {
    const char *usage;           /* after "pyramids ": sim --players N ... */
    const char *about;           /* a paragraph, translated */
    const struct cli_option *option;         /* ended by a NULL name; --help and --lang (main.c) are added */
    const char *examples;        /* lines, not translated */
};

/*
 * Takes the options out of argv: values[i] becomes the value of option[i] ("" for a flag), NULL if absent. The
 * remaining *argc words stay in argv. Prints help or a message. Returns -1 to continue, else the exit code.
 */
int cli_parse(const struct cli_options *options, int *argc, char **argv, const char **values);

/* The same for a command that takes at most `most` words besides its options; more are a usage error. */
int cli_parse_words(const struct cli_options *options, int most, int *argc, char **argv, const char **values);

/* Options that cannot be combined: excluded[i] has a bit for each option that option[i] cannot be combined with; it may
 * be 0. If two such options are given, names them and returns false. */
bool cli_go_together(const struct cli_option *option, const char *const *values, const uint32_t *excluded);

/* Prompts for a line and reads it from standard input into *line, with its newline; getline manages *line and *room, and
 * the caller frees *line. What was not typed is printed, so that a transcript includes the input. False: the input has
 * ended. */
bool cli_prompt(char **line, size_t *room);

/* Reads a number from a word; if the word is not a number, prints a message about `what` and returns false. */
bool cli_number(const char *word, const char *what, uint64_t low, uint64_t high, uint64_t *number);

/* Hides words of the command line that may contain a password, which everyone on the machine could read in the list of
 * processes: the program continues with copies, overwrites the originals, and shows them in no message. */
void cli_hide_secrets(int argc, char **argv);

/* The same for a word from elsewhere, which is not overwritten but kept out of messages. Returns whether it may contain a
 * password. */
bool cli_hide_secret(char *word);

/* Mutes messages: they are only kept for cli_last_message, until this is undone. */
void cli_mute(bool is_mute);

/* A message on standard error: "pyramids: ..."; one about a line of a file: "FILE:LINE: ...". */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_line_error(const char *file, uint32_t line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The last of these messages, without "pyramids: ", for reports that programs read; "" if there was none. */
const char *cli_last_message(void);

/* Files (files.c). A text is terminated and owned by the caller (free). */
struct cli_text {
    char *at;
    size_t size;
    const char *name;            /* for messages: the path, or "<stdin>" */
};

/* Reads a file, or standard input for "-"; on failure prints why and returns false. */
bool cli_read(const char *path, struct cli_text *text);

/* Writes a file whole or not at all (to a new file beside it, then renamed); on failure prints why and returns false.
 * Links are followed; pipes and devices are written to as they are. */
bool cli_write(const char *path, const char *text, size_t size);

/* FILE:LINE: what is wrong, on standard error. */
void cli_fault(const char *file, const struct pyr_fault *fault);

/* JSON on standard output (docs/json.md), one text at a time: begins it, and ends it with the line. */
struct pyr_json *cli_json_begin(void);

/* Whether --json was given (its value). Then all messages are in English from here on, since output for programs is the same
 * in all languages. */
bool cli_json_wanted(const char *value);
void cli_json_end(struct pyr_json *json);

/* The member "error": of a fault, or with a code of its own and the last message. */
void cli_json_fault(struct pyr_json *json, const struct pyr_fault *fault);
void cli_json_error(struct pyr_json *json, const char *code);

/* The whole output of a command that prints one value, for a file that it cannot use: {"file": ..., "error": {...}}.
 * `code` is used if there is no fault (NULL). */
void cli_json_refuse(const char *file, const char *code, const struct pyr_fault *fault);

/* The same for a command that failed (CLI_WRONG) without a file of its own to name: {"error": {...}} with the last message,
 * if JSON is wanted and nothing has been printed yet. Returns the exit code that it is given. */
int cli_json_failed(bool wanted, const char *code, int result);

/* An edition by built-in name or file; NULL: classic. Exits with a message and the code it returns (CLI_GOOD when read). */
int cli_edition_load(const char *name_or_file, struct pyr_edition *edition);

/* The edition for a record: the one asked for, or the built-in one that the record names. In a file of many records,
 * those that name another built-in edition get that one. */
int cli_edition_for(const char *asked, const struct cli_text *record, struct pyr_edition *edition);
int cli_edition_among(const char *asked, const struct cli_text *record, struct pyr_edition *edition);

/* Files of records (records.c): each begins with its line pyramids-record. */
#define CLI_ORIGIN 64
struct cli_records {
    FILE *file;
    const char *name;            /* for messages */
    char *text;                  /* the present record, then the line that ended it */
    size_t size, room;
    size_t held;                 /* bytes of that line, at text + size */
    uint32_t first, lines;       /* number of the record's first line in the file, from 1; how many lines it has */
    uint32_t start;              /* of its line pyramids-record, which comments may come before */
    unsigned count;              /* records so far, this one included */
    char origin[CLI_ORIGIN], next_origin[CLI_ORIGIN];        /* the comment that export writes before a record; "" none */
};

/* Opens a file, or standard input for "-"; prints an error and returns false if it cannot. Reads the next record: 1, 0
 * after the last, -1 after printing what is wrong with the file. A file without any record is read as one bad record. */
bool cli_records_open(struct cli_records *records, const char *path);
int cli_records_next(struct cli_records *records);
void cli_records_close(struct cli_records *records);

/* Whether the file is known to have several records; the present record, valid until the next one is read. */
bool cli_records_are_many(const struct cli_records *records);
struct cli_text cli_records_text(const struct cli_records *records);

/* The end of one record as one seat sees it: what `legal` and `hint` are about. These options come first in their tables;
 * `seat_help` explains --seat. */
enum { CLI_SEAT, CLI_EDITION, CLI_VIEW, CLI_JSON, CLI_POSITION_OPTIONS };
void cli_position_options(struct cli_option option[CLI_POSITION_OPTIONS], const char *seat_help);

struct cli_position {
    struct cli_text text;        /* cli_position_free frees it */
    struct pyr_edition edition;
    struct pyr_replay replay;
    pyr_seat seat;
    bool may_choose;             /* points that are due must be in the record before any player chooses again */
};

/* Reads the record and its edition and replays it to its end; with --json, messages are in English from here on, and
 * errors are also on standard output. Returns an exit code; on CLI_GOOD the game has that seat. */
int cli_position_load(struct cli_position *position, int argc, char **argv, const char *const *value);
void cli_position_free(struct cli_position *position);

/* The names of the players in a record, and its seats; into the record's text. */
unsigned cli_player_names(const char *text, size_t size, struct pyr_word *names);

/* The path of a server's database: the one asked for, or the default (files.c). On failure prints a message and returns
 * false. */
bool cli_database(const char *asked, char *path, size_t size);

/* The local player's name (files.c): the one asked for, else that of the account, else PYR_NAMELESS. */
const char *cli_own_name(const char *asked);

/* Ctrl-C (interrupt.c): true once the user asked to stop; standard input is then at its end. Armed by the next function. */
void cli_catch_interrupt(void);
bool cli_is_interrupted(void);

/* The same for work that needs no clean-up: the program ends at once with the code of an interruption (130 for
 * Ctrl-C), even in the middle of a computation. cli_catch_interrupt turns this off again, for work that must be
 * finished (such as writing a file). */
void cli_end_on_interrupt(void);

/* If this program was built without its page, says so on standard error, and how to get it (main.c). */
void cli_tell_page(void);

/* version.c: what --version shows after the version: the commit and the libraries. */
void cli_print_build(void);
/* alone.c: called before anything else, in the program that runs on any Linux. */
void cli_stand_alone(void);

/* Seconds on a clock that never runs backwards. */
double cli_seconds(void);

#endif
