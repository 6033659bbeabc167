/*
 * rules.c: `pyramids rules`: the rules by tag, by word, or as a list. The texts are in src/text/rules.c.
 *
 * The tags (R10, Q3) are those of docs/rules.md and of every message that refuses a move.
 */
#include <string.h>

#include <pyramids/rules.h>

#include "cli.h"

enum { ALL, JSON, OPTIONS };

/* Twice as many as exist. */
#define MOST_RULES 64

/* Whether a rule is asked for: its tag is given, or it contains all the other words. Without any words no rule is. */
static bool is_wanted(unsigned i, int argc, char **argv)
{
    bool tagged = false, has_all = true;
    int words = 0;
    for (int k = 0; k < argc; k++) {
        int found = pyr_text_rule_find(argv[k]);
        tagged |= found == (int)i;
        if (found < 0) {
            words++;
            has_all &= pyr_text_rule_has(i, argv[k]);
        }
    }
    return tagged || (words && has_all);
}

/* Only tags and titles, by section. */
static void print_list(void)
{
    const char *last = NULL;
    for (unsigned i = 0; pyr_text_rule_tag(i); i++) {
        const char *section = pyr_text_rule_section(i);
        if (section != last)
            printf("%s%s\n", last ? "\n" : "", section);
        printf("  %-5s%s\n", pyr_text_rule_tag(i), pyr_text_rule_title(i));
        last = section;
    }
    putchar('\n');
    pyr_text_flow(stdout, _("'pyramids rules R10' shows one rule, 'pyramids rules torch' the rules with that word,\n"
            "'pyramids rules --all' everything.\n"), PYR_HELP_COLUMNS, 0);
}

static void print_texts(const bool *wanted, bool headings)
{
    const char *last = NULL;
    for (unsigned i = 0; pyr_text_rule_tag(i); i++) {
        const char *section = pyr_text_rule_section(i);
        if (!wanted[i])
            continue;
        if (last)
            putchar('\n');
        if (headings && section != last)
            printf("%s\n\n", section);
        pyr_text_rule_print(stdout, i, PYR_HELP_COLUMNS);
        last = section;
    }
}

static void print_json(const bool *wanted)
{
    struct pyr_json *json = cli_json_begin();
    pyr_json_object(json, NULL);
    pyr_json_text(json, "language", pyr_text_code());
    pyr_json_array(json, "rules");
    for (unsigned i = 0; pyr_text_rule_tag(i); i++) {
        if (!wanted[i])
            continue;
        pyr_json_object(json, NULL);
        pyr_json_text(json, "tag", pyr_text_rule_tag(i));
        pyr_json_text(json, "section", pyr_text_rule_section(i));
        pyr_json_text(json, "title", pyr_text_rule_title(i));
        pyr_json_array(json, "text");
        for (unsigned n = 0; pyr_text_rule_paragraph(i, n); n++)
            pyr_json_text(json, NULL, pyr_text_rule_paragraph(i, n));
        pyr_json_close(json);
        pyr_json_close(json);
    }
    pyr_json_close(json);
    pyr_json_close(json);
    cli_json_end(json);
}

/* Lists the tags as ranges: R1-R17, Q1-Q10, E1-E5. */
static void list_tags(char *to, size_t size)
{
    size_t at = 0;
    to[0] = '\0';
    for (unsigned i = 0; pyr_text_rule_tag(i) && at < size; i++) {
        const char *tag = pyr_text_rule_tag(i), *next = pyr_text_rule_tag(i + 1);
        const char *before = i ? pyr_text_rule_tag(i - 1) : "";
        if (tag[0] != before[0])
            at += (size_t)snprintf(to + at, size - at, "%s%s", i ? ", " : "", tag);
        else if (!next || next[0] != tag[0])
            at += (size_t)snprintf(to + at, size - at, "-%s", tag);
    }
}

static int refuse(int argc, char **argv)
{
    char asked[128] = "", tags[64];
    for (int k = 0; k < argc; k++) {
        size_t at = strlen(asked);
        snprintf(asked + at, sizeof asked - at, "%s%s", k ? " " : "", argv[k]);
    }
    list_tags(tags, sizeof tags);
    cli_error(_("unknown rule '%s'; choose from: %s, or search for a word such as torch"), asked, tags);
    return CLI_WRONG;
}

/* Unlike in other commands, --json keeps the language, since the output consists of texts. */
int cli_rules(int argc, char **argv)
{
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "all", 'a', NULL, _("print all rules in full") },
        { "json", 0, NULL, _("print JSON: all rules, or the given ones") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "rules [TAG...|WORD...] [--all] [--json]",
        _("Prints the rules as the program plays them. Messages cite them by tag, as in (R10). Given tags, prints\n"
          "those rules; given other words, the rules that contain all of them; given nothing, the list of tags."),
        option,
        "  pyramids rules\n"
        "  pyramids rules R10 q3\n"
        "  pyramids rules skull\n"
        "  pyramids rules --all --lang de\n",
    };
    int code = cli_parse(&options, &argc, argv, value);
    if (code >= 0)
        return code;
    bool wanted[MOST_RULES] = { false }, any = false, all = value[ALL] || (value[JSON] && !argc);
    if (value[ALL] && argc) {
        cli_error(_("--all cannot be combined with a tag or word: it prints all rules"));
        return CLI_USAGE;
    }
    for (unsigned i = 0; i < MOST_RULES && pyr_text_rule_tag(i); i++)
        any |= wanted[i] = all || is_wanted(i, argc, argv);
    if (!any && argc)
        return cli_json_failed(value[JSON], "rule", refuse(argc, argv));
    if (value[JSON])
        print_json(wanted);
    else if (any)
        print_texts(wanted, all);
    else
        print_list();
    return CLI_GOOD;
}
