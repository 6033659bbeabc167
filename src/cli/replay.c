/* replay.c: `pyramids replay`: checks records line by line and prints how they stand. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { EDITION, SEAT, JSON, OPTIONS };

static const char *phase_word(unsigned phase)
{
    static const char *const word[] = { "keep", "show", "reveal", "mark", "replace", "end" };
    return word[phase];
}

static void print_standing(const struct pyr_edition *edition, const struct cli_text *text, const struct pyr_replay *replay)
{
    struct pyr_word names[PYR_MAX_SEATS];
    char shown[PYR_MAX_SEATS][PYR_MAX_PLAYER_NAME + 1];
    const struct pyr_table *open = &replay->state.open;
    unsigned count = cli_player_names(text->at, text->size, names);
    for (unsigned s = 0; s < count; s++) {
        pyr_text_player(names[s], shown[s], sizeof shown[s]);
        names[s] = (struct pyr_word){ shown[s], strlen(shown[s]) };
    }
    if (replay->stage < PYR_STAGE_PLAY) {
        printf(_("%s: the cards are still being dealt\n"), text->name);
        return;
    }
    if (replay->stage == PYR_STAGE_OVER) {
        printf(_("%s: finished\n"), text->name);
    } else if (open->phase == PYR_END) {
        printf(_("%s: played to the end, the scores are not complete\n"), text->name);
    } else if (open->revealed[0] == PYR_NO_PATTERN) {
        printf(_("%s: before the first turn\n"), text->name);
    } else {
        printf(_("%s: under way, round %u, turn %u\n"), text->name, open->round + 1u, open->turn + 1u);
    }
    pyr_text_scores(stdout, &edition->box, open, names);
    unsigned winners = open->phase == PYR_END ? pyr_table_winners(&edition->box, open) : 0;
    for (unsigned s = 0; s < open->seats; s++)
        if (winners >> s & 1)
            printf(_("winner: %u %.*s\n"), s + 1, (int)names[s].length, names[s].at);
}

static void print_json(const struct pyr_edition *edition, const struct cli_text *text, const struct pyr_replay *replay)
{
    struct pyr_word names[PYR_MAX_SEATS];
    const struct pyr_table *open = &replay->state.open;
    bool begun = replay->stage >= PYR_STAGE_PLAY;
    cli_player_names(text->at, text->size, names);
    printf("{\"file\": ");
    cli_json_string(stdout, text->name, strlen(text->name));
    printf(", \"edition\": ");
    cli_json_string(stdout, edition->name, strlen(edition->name));
    printf(", \"finished\": %s, \"phase\": \"%s\", \"round\": %u, \"turn\": %u, \"players\": [",
        replay->stage == PYR_STAGE_OVER ? "true" : "false", begun ? phase_word(open->phase) : "deal", begun ? open->round + 1u : 0,
        begun && open->revealed[0] != PYR_NO_PATTERN ? open->turn + 1u : 0);
    for (unsigned s = 0; s < replay->seats; s++) {
        struct pyr_score score = { 0 };
        if (begun)
            score = pyr_table_score(&edition->box, open, (pyr_seat)s);
        printf("%s{\"seat\": %u, \"name\": ", s ? ", " : "", s + 1);
        cli_json_string(stdout, names[s].at, names[s].length);
        printf(", \"total\": %d, \"pyramids\": %d, \"torches\": %d, \"points\": %d, \"gems\": %d, \"skulls\": %d}", score.total,
            score.pyramids, score.torches, score.points, score.gems, score.skulls);
    }
    printf("], \"winners\": [");
    unsigned winners = begun && open->phase == PYR_END ? pyr_table_winners(&edition->box, open) : 0;
    const char *comma = "";
    for (unsigned s = 0; s < replay->seats; s++) {
        if (winners >> s & 1) {
            printf("%s%u", comma, s + 1);
            comma = ", ";
        }
    }
    printf("]}\n");
}

static int replay_file(const char *path, const char *asked, pyr_seat viewer, bool json)
{
    static struct pyr_edition edition;
    struct cli_text text;
    struct pyr_replay replay;
    int code = cli_record_load(path, asked, viewer, &text, &edition, &replay);
    if (code)
        return code;
    if (viewer != PYR_NOBODY && viewer >= replay.seats) {
        cli_error(_("%s: there is no seat %u"), text.name, viewer + 1u);
        free(text.at);
        return CLI_WRONG;
    }
    if (json)
        print_json(&edition, &text, &replay);
    else
        print_standing(&edition, &text, &replay);
    free(text.at);
    return CLI_GOOD;
}

int cli_replay(int argc, char **argv)
{
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "edition", 'e', "E", _("a built-in edition or a file (default: the one the record names)") },
        { "seat", 's', "S", _("the record is this seat's view: it lacks the others' deals") },
        { "json", 0, NULL, _("print a line of JSON a record") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "replay FILE... [--edition E] [--seat S] [--json]",
        _("Checks every line of a game record against the rules and prints the standing or the final table.\n"
          "At the first bad line it says FILE:LINE: cause (rule) and goes on with the next file. - is standard input."),
        option,
        "  pyramids replay game.pyr\n"
        "  pyramids sim --players 2 --bots greedy,random --games 5 --records games\n"
        "  pyramids replay games/*.pyr\n"
        "  pyramids replay --edition mybox.edition - < game.pyr\n",
    };
    int code = cli_parse(&options, &argc, argv, value);
    if (code >= 0)
        return code;
    uint64_t seat = 0;
    if (value[SEAT] && !cli_number(value[SEAT], "--seat", 1, PYR_MAX_SEATS, &seat))
        return CLI_USAGE;
    if (!argc) {
        cli_error(_("which record? 'pyramids replay --help' tells more"));
        return CLI_USAGE;
    }
    code = CLI_GOOD;
    for (int i = 0; i < argc; i++) {
        if (i && !value[JSON])
            putchar('\n');
        int one = replay_file(argv[i], value[EDITION], seat ? (pyr_seat)(seat - 1) : PYR_NOBODY, value[JSON] != NULL);
        if (one)
            code = one;
    }
    return code;
}
