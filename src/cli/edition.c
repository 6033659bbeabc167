/*
 * edition.c: `pyramids edition`: checks, shows and generates editions.
 *
 * It has subcommands of its own: check, show, generate; each reads its options itself.
 */
#include <stdlib.h>
#include <string.h>

#include <pyramids/generate.h>

#include "cli.h"

/* edition NULL: it is invalid; the fault or the last message has the reason. */
static void print_json(const char *file, const struct pyr_edition *edition, const struct pyr_fault *fault)
{
    if (!edition) {
        cli_json_refuse(file, "file", fault->code ? fault : NULL);
        return;
    }
    struct pyr_json *json = cli_json_begin();
    pyr_json_object(json, NULL);
    pyr_json_text(json, "file", file);
    pyr_json_text(json, "name", edition->name);
    pyr_json_text(json, "title", edition->title);
    pyr_json_close(json);
    cli_json_end(json);
}

/* Checks one file and prints the result; for programs always as an object. */
static bool check_file(const char *path, bool json)
{
    static struct pyr_edition edition;
    struct cli_text text;
    struct pyr_fault fault = { .code = PYR_OK };
    bool good = cli_read(path, &text);
    if (good && pyr_edition_read(&edition, text.at, text.size, &fault)) {
        cli_fault(text.name, &fault);
        good = false;
    }
    if (json)
        print_json(text.name, good ? &edition : NULL, &fault);
    else if (good)
        printf(_("%s: edition '%s' (%s) is valid: 6 patterns, 48 cards\n"), text.name, edition.name, edition.title);
    free(text.at);
    return good;
}

/* All files are checked, even after a bad one; the exit code shows whether one was. */
static int check_files(int argc, char **argv)
{
    const char *value[1];
    const struct cli_option option[] = { { "json", 0, NULL, _("print one line of JSON per edition") },
        { NULL, 0, NULL, NULL } };
    const struct cli_options options = {
        "edition check FILE... [--json]",
        _("Checks edition files. For the first bad line of a file it prints FILE:LINE: what is wrong and what was\n"
          "expected, and continues with the next file. - is standard input."),
        option,
        "  pyramids edition check mybox.edition\n"
        "  pyramids edition generate --seed 7 | pyramids edition check -\n",
    };
    int code = cli_parse(&options, &argc, argv, value);
    if (code >= 0)
        return code;
    if (!argc) {
        cli_error(_("no edition given; see 'pyramids edition check --help'"));
        return CLI_USAGE;
    }
    bool json = cli_json_wanted(value[0]);
    code = CLI_GOOD;
    for (int i = 0; i < argc; i++)
        if (!check_file(argv[i], json))
            code = CLI_WRONG;
    return code;
}

/* Penalties and patterns. */
static void show_summary(const struct pyr_edition *edition)
{
    char penalties[8 * PYR_SKULLS + 1] = "";
    for (unsigned i = 0; i < PYR_SKULLS; i++)
        snprintf(penalties + strlen(penalties), sizeof penalties - strlen(penalties), "%s%u", i ? " " : "",
            edition->box.penalty[i]);
    printf("%s: %s\n", edition->name, edition->title);
    printf(_("skulls: %s\n"), penalties);
    for (unsigned p = 0; p < PYR_PATTERNS; p++) {
        unsigned copies = edition->box.pattern[p].copies;
        printf(pyr_ngettext("\npattern %s, %u card\n", "\npattern %s, %u cards\n", copies), edition->pattern_name[p],
            copies);
        pyr_text_pattern(stdout, &edition->box, (pyr_pattern)p, "  ");
    }
    putchar('\n');
}

/* The first word is an edition if it does not begin with a digit; all others are card numbers, counted from 1. */
static int show(int argc, char **argv)
{
    static struct pyr_edition edition;
    const char *value[1];
    pyr_card cards[PYR_CARDS];
    unsigned count = 0;
    const struct cli_option option[] = { { "text", 't', NULL, _("print the edition file itself") },
        { NULL, 0, NULL, NULL } };
    const struct cli_options options = {
        "edition show [NAME|FILE] [CARD...] [--text]",
        _("Shows an edition: patterns, penalties and cards, or only the given cards.\n"
          "# wall, v entrance, T tomb, x red cross, r ruby, e emerald, f torch, s skull, p potion."),
        option,
        "  pyramids edition show\n"
        "  pyramids edition show classic 17 22\n"
        "  pyramids edition show mybox.edition 3\n",
    };
    int code = cli_parse(&options, &argc, argv, value);
    if (code >= 0)
        return code;
    int first = 0;
    const char *which = NULL;
    if (argc && (argv[0][0] < '0' || argv[0][0] > '9'))
        which = argv[first++];
    for (int i = first; i < argc; i++) {
        uint64_t number;
        if (!cli_number(argv[i], "CARD", 1, PYR_CARDS, &number))
            return CLI_USAGE;
        if (count < PYR_CARDS)
            cards[count++] = (pyr_card)(number - 1);
    }
    if (value[0] && count) {
        cli_error(_("--text cannot be combined with card numbers: it prints the whole edition"));
        return CLI_USAGE;
    }
    code = cli_edition_load(which, &edition);
    if (code)
        return code;
    if (value[0]) {
        static char text[65536];
        pyr_edition_write(&edition, text, sizeof text);
        fputs(text, stdout);
        return CLI_GOOD;
    }
    if (!count) {
        show_summary(&edition);
        for (; count < PYR_CARDS; count++)
            cards[count] = (pyr_card)count;
    }
    pyr_text_cards(stdout, &edition.box, cards, NULL, count, 3);
    return CLI_GOOD;
}

/* Whether a name is valid in an edition: one word, not too long. */
static bool is_name(const char *name)
{
    struct pyr_lines lines;
    struct pyr_word word;
    pyr_lines_init(&lines, name, strlen(name));
    return pyr_lines_next(&lines, false) && pyr_lines_word(&lines, &word) && pyr_lines_end(&lines) &&
        word.length == strlen(name) && word.length <= PYR_MAX_NAME;
}

static int generate(int argc, char **argv)
{
    static struct pyr_edition edition;
    enum { SEED, NAME, OUT, OPTIONS };
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "seed", 's', "N", _("random seed; the same seed makes the same cards (default 1)") },
        { "name", 'n', "NAME", _("the edition's name (default seed-N)") },
        { "out", 'o', "FILE", _("write to a file (default: standard output)") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "edition generate [--seed N] [--name NAME] [--out FILE]",
        _("Generates a new set of 48 cards to play with."),
        option,
        "  pyramids edition generate --seed 2026 --out fresh.edition\n"
        "  pyramids play --edition fresh.edition\n",
    };
    int code = cli_parse_words(&options, 0, &argc, argv, value);
    if (code >= 0)
        return code;
    uint64_t seed = 1;
    if (value[SEED] && !cli_number(value[SEED], "--seed", 0, UINT64_MAX, &seed))
        return CLI_USAGE;
    if (value[NAME] && !is_name(value[NAME])) {
        cli_error(_("--name: '%s' must be one word of at most %d bytes"), value[NAME], PYR_MAX_NAME);
        return CLI_USAGE;
    }
    enum pyr_err err = pyr_edition_generate(&edition, seed);
    if (err) {
        char sentence[256];
        pyr_text_error(err, sentence, sizeof sentence);
        cli_error("%s", sentence);
        return CLI_WRONG;
    }
    if (value[NAME])
        snprintf(edition.name, sizeof edition.name, "%s", value[NAME]);
    static char text[65536];
    size_t size = pyr_edition_write(&edition, text, sizeof text);
    if (value[OUT] && strcmp(value[OUT], "-"))
        return cli_write(value[OUT], text, size) ? CLI_GOOD : CLI_WRONG;
    fputs(text, stdout);
    return CLI_GOOD;
}

/* The first word selects the subcommand; without one the usage is printed. */
int cli_edition(int argc, char **argv)
{
    static const struct {
        const char *name;
        cli_command *run;
    } parts[] = { { "check", check_files }, { "show", show }, { "generate", generate } };
    for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++)
        if (!strcmp(argv[1], parts[i].name))
            return parts[i].run(argc - 1, argv + 1);
    bool help = argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
    if (argc > 1 && !help) {
        cli_error(_("unknown command '%s'; see 'pyramids %s --help'"), argv[1], "edition");
        return CLI_USAGE;
    }
    pyr_text_flow(help ? stdout : stderr, _("Usage: pyramids edition check FILE...\n"
            "       pyramids edition show [NAME|FILE] [CARD...]\n"
            "       pyramids edition generate [--seed N]\n\n"
            "An edition defines what is printed on the components: cards, patterns, penalties.\n\n"
            "Examples:\n"), PYR_HELP_COLUMNS, 0);
    fputs("  pyramids edition show classic 17\n"
          "  pyramids edition check mybox.edition\n"
          "  pyramids edition generate --seed 2026 --out fresh.edition\n", help ? stdout : stderr);
    return help ? CLI_GOOD : CLI_USAGE;
}
