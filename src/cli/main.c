/*
 * main.c: the command `pyramids`: finds the subcommand and runs it.
 *
 * First, in this order: closed standard streams are filled, so that no file takes their place; passwords are removed
 * from the arguments; the language is set; SIGPIPE gets its default action (a reader that stops, such as head, ends
 * the program without a message). At the end standard output is checked once for write errors.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "letters.h"

/* The subcommands, in the order of the help. */
static const struct {
    const char *name;
    cli_command *run;
    const char *about;
} commands[] = {
    { "play", cli_play, N_("play against the computer, with others at one screen, or on a server") },
    { "daily", cli_daily, N_("play the daily expedition, the same cards for everybody") },
    { "puzzle", cli_puzzle, N_("find the best choice in a position") },
    { "serve", cli_serve, N_("run a server to play in the browser, with friends") },
    { "admin", cli_admin, N_("ask a running server, as its operator") },
    { "rules", cli_rules, N_("show the rules of the game, by tag or word") },
    { "sim", cli_sim, N_("let bots play many games and print the results") },
    { "merge", cli_merge, N_("put the parts of a split job together") },
    { "replay", cli_replay, N_("check game records against the rules") },
    { "legal", cli_legal, N_("list every legal choice at the end of a record") },
    { "hint", cli_hint, N_("show the best choices at the end of a record") },
    { "analyze", cli_analyze, N_("show the luck and skill in a whole game") },
    { "verify", cli_verify, N_("check that the cards were shuffled fairly") },
    { "edition", cli_edition, N_("check, show or generate an edition") },
    { "print", cli_print, N_("make sheets of an edition to print, cut and write on") },
    { "export", cli_export, N_("write the game records of a server") },
    { "import", cli_import, N_("add game records to a server") },
    { "copy", cli_copy, N_("copy a server's whole database") },
    { "bench", cli_bench, N_("measure random games per second") },
};

/* An unknown language is an error here, unlike in the environment: it was typed for this command. */
static bool set_language(const char *code)
{
    char list[512] = "";
    if (pyr_text_language(code))
        return true;
    for (unsigned i = 0; pyr_text_language_at(i); i++) {
        size_t at = strlen(list);
        const char *one = pyr_text_language_at(i);
        snprintf(list + at, sizeof list - at, "%s%s (%s)", i ? ", " : "", one, pyr_text_language_name(one));
    }
    cli_error(_("unknown language '%s'; choose from: %s"), code, list);
    return false;
}

/* Takes --lang CODE out of the words, at any position: it has to be known before any text is translated. */
static bool choose_language(int *argc, char **argv)
{
    int left = 1;
    bool only_words = false;
    for (int i = 1; i < *argc; i++) {
        only_words |= !strcmp(argv[i], "--");
        if (only_words || strncmp(argv[i], "--lang", 6) || (argv[i][6] && argv[i][6] != '=')) {
            argv[left++] = argv[i];
            continue;
        }
        const char *code = argv[i][6] ? argv[i] + 7 : argv[++i];
        if (!code) {
            cli_error(_("option '%s' needs a value (%s)"), "--lang", "CODE");
            return false;
        }
        if (!set_language(code))
            return false;
    }
    argv[*argc = left] = NULL;
    return true;
}

/* If this build has no page, prints that; otherwise nothing. */
void cli_tell_page(void)
{
#ifndef PYR_WITH_PAGE
    cli_error(_("built without the browser page because clang or wasm-ld was missing; to include it, install clang and "
                "lld and build again"));
#endif
}

static void print_help(FILE *to)
{
    pyr_text_flow(to,
        _("Usage: pyramids SUBCOMMAND [OPTIONS]\n\nThe flip-and-write game of pyramids, for 2 to 4 "
            "players.\n\nSubcommands:\n"),
        PYR_HELP_COLUMNS, 4);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char text[256];
        snprintf(text, sizeof text, "  %-9s %s\n", commands[i].name, _(commands[i].about));
        pyr_text_flow(to, text, PYR_HELP_COLUMNS, 12);
    }
    pyr_text_flow(to, _("\n"
            "Run 'pyramids SUBCOMMAND --help' for details and examples. --lang CODE sets the language.\n"
            "Exit codes: 0 success, 1 bad input or failed check, 2 usage error.\n"), PYR_HELP_COLUMNS, 0);
}

/* The next file or socket would get the number of a closed standard stream, and then text meant for people. So the stream
 * is opened in the wrong direction: reading and writing fail as before. */
static void hold_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", stream ? O_RDONLY : O_WRONLY) < 0)
            return;
}

/* Returns the exit code: an error if output could not be written. */
static int printed(int code)
{
    if (!fflush(stdout) && !ferror(stdout))
        return code;
    cli_error(_("writing to standard output failed"));
    return code ? code : CLI_WRONG;
}

int main(int argc, char **argv)
{
    hold_streams();
    cli_hide_secrets(argc, argv);
#ifdef PYR_ALONE
    cli_stand_alone();
#endif
    pyr_text_init();
    pyr_text_measure(letters_columns);
    signal(SIGPIPE, SIG_DFL);
    if (!choose_language(&argc, argv))
        return CLI_USAGE;
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        print_help(stdout);
        return printed(CLI_GOOD);
    }
    if (!strcmp(argv[1], "--version")) {
        puts("pyramids " PYR_VERSION);
        cli_print_build();
        cli_tell_page();
        return printed(CLI_GOOD);
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(argv[1], commands[i].name))
            return printed(commands[i].run(argc - 1, argv + 1));
    cli_error(_("unknown subcommand '%s'"), argv[1]);
    print_help(stderr);
    return CLI_USAGE;
}
