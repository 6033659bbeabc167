/* legal.c: `pyramids legal`: every legal complete choice of a seat at the end of a record. */
#include <stdlib.h>
#include <string.h>

#include "choices.h"
#include "cli.h"

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
    static struct cli_position position;
    const char *value[CLI_POSITION_OPTIONS];
    struct cli_option option[CLI_POSITION_OPTIONS + 1] = { 0 };
    const struct cli_options options = {
        "legal FILE --seat S [--edition E] [--view] [--json]",
        _("Lists every legal complete choice of a seat at the end of a record, one per line, sorted bytewise: whole\n"
          "moves with their extra marks when marking, pairs of cards when keeping, 'take C' and 'draw' when\n"
          "replacing. Prints nothing if the seat has nothing to choose. - is standard input."),
        option,
        "  pyramids legal game.pyr --seat 2\n"
        "  head -n 12 game.pyr | pyramids legal - --seat 1 | wc -l\n",
    };
    cli_position_options(option, _("the seat whose choices to list, 1 to 4"));
    int code = cli_parse(&options, &argc, argv, value);
    if (code >= 0 || (code = cli_position_load(&position, argc, argv, value)) != CLI_GOOD)
        return code;
    struct choices choices = { 0 };
    if (position.may_choose)
        choices_init(&choices, &position.edition, &position.replay.state, position.seat);
    code = print_choices(&position.text, &choices, value[CLI_JSON] != NULL);
    choices_finish(&choices);
    cli_position_free(&position);
    return code;
}
