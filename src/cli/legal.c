/* legal.c: `pyramids legal`: every legal complete choice of a seat at the end of a record. */
#include <stdlib.h>
#include <string.h>

#include "choices.h"
#include "cli.h"

enum { SEAT, EDITION, VIEW, JSON, OPTIONS };

/* An incomplete list would be a wrong answer, so then only a message is printed. */
static int print_choices(const struct cli_text *text, const struct choices *choices, bool is_json)
{
    if (choices->too_many || choices->no_memory) {
        cli_error(choices->too_many ? _("%s: more than %u legal choices, too many to list")
                                    : _("%s: out of memory after %u legal choices"),
            text->name, choices->too_many ? CHOICES_MOST : (unsigned)choices->count);
        if (is_json)
            cli_json_refuse(text->name, choices->too_many ? "too_many" : "memory", NULL);
        return CLI_WRONG;
    }
    if (!is_json) {
        for (size_t i = 0; i < choices->count; i++)
            puts(choices->line[i]);
        return CLI_GOOD;
    }
    struct pyr_json *json = cli_json_begin();
    pyr_json_array(json, NULL);
    for (size_t i = 0; i < choices->count; i++)
        pyr_json_text(json, NULL, choices->line[i]);
    pyr_json_close(json);
    cli_json_end(json);
    return CLI_GOOD;
}

/* The output is sorted bytewise and has no headings, so that programs can compare it. */
int cli_legal(int argc, char **argv)
{
    static struct pyr_edition edition;
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "seat", 's', "S", _("the seat whose choices to list, 1 to 4") },
        { "edition", 'e', "E", _("a built-in edition or a file (default: the one the record names)") },
        { "view", 0, NULL, _("the record is this seat's view, without the other players' deals") },
        { "json", 0, NULL, _("print a JSON array") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "legal FILE --seat S [--edition E] [--view] [--json]",
        _("Lists every legal complete choice of a seat at the end of a record, one per line, sorted bytewise: whole\n"
          "moves with their extra marks when marking, pairs of cards when keeping, 'take C' and 'draw' when\n"
          "replacing. Prints nothing if the seat has nothing to choose. - is standard input."),
        option,
        "  pyramids legal game.pyr --seat 2\n"
        "  head -n 12 game.pyr | pyramids legal - --seat 1 | wc -l\n",
    };
    int code = cli_parse(&options, &argc, argv, value);
    if (code >= 0)
        return code;
    uint64_t seat;
    if (!cli_record_seat(argc, value[SEAT], &seat))
        return CLI_USAGE;
    struct cli_text text;
    struct pyr_replay replay;
    bool json = value[JSON] != NULL;
    if (json)
        pyr_text_use("en");                  /* output for programs is the same in all languages */
    code = cli_record_load(argv[0], value[EDITION], (unsigned)seat, value[VIEW] != NULL, json, &text, &edition, &replay);
    if (code)
        return code;
    struct choices choices = { 0 };
    /* Points that are due are lines of their own: no player chooses before they are written. */
    if (replay.stage == PYR_STAGE_PLAY && !replay.due_points)
        choices_init(&choices, &edition, &replay.state, (pyr_seat)(seat - 1));
    code = print_choices(&text, &choices, json);
    choices_finish(&choices);
    free(text.at);
    return code;
}
