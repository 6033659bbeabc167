/* replay.c: `pyramids replay`: checks records line by line and prints the scores. */
#include <stdlib.h>
#include <string.h>

#include "../tui/words.h"
#include "cli.h"

enum { EDITION, SEAT, JSON, OPTIONS };

/* The results of a file's records. */
struct tally {
    unsigned finished, under_way, wrong;
};

/* For --json: the same in every language, in the order of enum pyr_phase. */
static const char *phase_word(unsigned phase)
{
    static const char *const word[] = { "keep", "show", "reveal", "mark", "replace", "end" };
    return word[phase];
}

static void print_winners(const struct pyr_edition *edition, const struct pyr_table *open, const struct pyr_word *names)
{
    unsigned winners = pyr_table_winners(open, &edition->box);
    struct words_tie tie = words_tie(&edition->box, open);
    for (unsigned s = 0; s < open->seats; s++)
        if (winners >> s & 1)
            printf(_("winner: %u %.*s\n"), s + 1, (int)names[s].length, names[s].at);
    if (tie.seats && tie.pyramid)
        printf(_("tie at %d points: the winner completed number %u, the lowest of the tied players' pyramids (R17)\n"),
            tie.points, tie.pyramid);
    else if (tie.seats)
        printf(_("tie at %d points, and none of the tied players completed a pyramid: they share the win (Q8)\n"),
            tie.points);
}

/* Prints the position of the game, then the scores. Names are first made safe for a terminal (pyr_text_player). */
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
        printf(_("%s: played to the end, but the scores are incomplete\n"), text->name);
    } else if (open->revealed[0] == PYR_NO_PATTERN) {
        printf(_("%s: before the first turn\n"), text->name);
    } else {
        printf(_("%s: under way, round %u, turn %u\n"), text->name, open->round + 1u, open->turn + 1u);
    }
    pyr_text_scores(stdout, &edition->box, open, names);
    if (open->phase == PYR_END)
        print_winners(edition, open, names);
}

/* Seats as numbers from 1. */
static void json_seats(struct pyr_json *json, const char *name, unsigned seats)
{
    pyr_json_array(json, name);
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        if (seats >> s & 1)
            pyr_json_number(json, NULL, s + 1);
    pyr_json_close(json);
}

static void json_tie(struct pyr_json *json, const struct words_tie *tie)
{
    if (!tie->seats) {
        pyr_json_null(json, "tie");
        return;
    }
    pyr_json_object(json, "tie");
    pyr_json_number(json, "points", tie->points);
    json_seats(json, "seats", tie->seats);
    if (tie->pyramid)
        pyr_json_number(json, "pyramid", tie->pyramid);
    else
        pyr_json_null(json, "pyramid");
    pyr_json_close(json);
}

/* Begins an object with the position of the record. A file that cannot be read fails at its first record. */
static struct pyr_json *json_place(const struct cli_records *records)
{
    struct pyr_json *json = cli_json_begin();
    pyr_json_object(json, NULL);
    pyr_json_text(json, "file", records->name);
    pyr_json_number(json, "game", records->count ? records->count : 1);
    pyr_json_number(json, "line", records->start ? records->start : 1);
    return json;
}

static void json_player(struct pyr_json *json, unsigned seat, struct pyr_word name, const struct pyr_score *score)
{
    pyr_json_object(json, NULL);
    pyr_json_number(json, "seat", seat + 1);
    pyr_json_word(json, "name", name);
    pyr_json_numbers(json, (struct pyr_json_field[]){ { "total", score->total }, { "pyramids", score->pyramids },
        { "torches", score->torches }, { "points", score->points }, { "gems", score->gems }, { "skulls", score->skulls },
        { NULL, 0 } });
    pyr_json_close(json);
}

/* Before the deal is complete there are no scores: everything is 0 and the phase is "deal". */
static void print_json(const struct pyr_edition *edition, const struct cli_records *records, const struct pyr_replay *replay)
{
    struct pyr_word names[PYR_MAX_SEATS];
    struct words_tie tie = { 0 };
    const struct pyr_table *open = &replay->state.open;
    bool begun = replay->stage >= PYR_STAGE_PLAY, ended = begun && open->phase == PYR_END;
    cli_player_names(records->text, records->size, names);
    struct pyr_json *json = json_place(records);
    pyr_json_text(json, "edition", edition->name);
    pyr_json_bool(json, "finished", replay->stage == PYR_STAGE_OVER);
    pyr_json_text(json, "phase", begun ? phase_word(open->phase) : "deal");
    pyr_json_number(json, "round", begun ? open->round + 1 : 0);
    pyr_json_number(json, "turn", begun && open->revealed[0] != PYR_NO_PATTERN ? open->turn + 1 : 0);
    pyr_json_array(json, "players");
    for (unsigned s = 0; s < replay->seats; s++) {
        struct pyr_score score = { 0 };
        if (begun)
            score = pyr_table_score(open, &edition->box, (pyr_seat)s);
        json_player(json, s, names[s], &score);
    }
    pyr_json_close(json);
    json_seats(json, "winners", ended ? pyr_table_winners(open, &edition->box) : 0);
    if (ended)
        tie = words_tie(&edition->box, open);
    json_tie(json, &tie);
    pyr_json_close(json);
    cli_json_end(json);
}

/* The options of one call, the same for all files. */
struct request {
    const char *edition;
    pyr_seat viewer;
    bool json;
};

/* Reports what is wrong with a record: for people on standard error, for programs also as JSON. */
static void refuse(const struct cli_records *records, struct pyr_fault *fault, bool is_json)
{
    fault->line += fault->line ? records->first - 1 : 0;
    cli_fault(records->name, fault);
    if (!is_json)
        return;
    struct pyr_json *json = json_place(records);
    cli_json_fault(json, fault);
    pyr_json_close(json);
    cli_json_end(json);
}

/* The same for errors without a line; the message has been printed already. */
static void refuse_with(const struct cli_records *records, const char *code, bool is_json)
{
    if (!is_json)
        return;
    struct pyr_json *json = json_place(records);
    cli_json_error(json, code);
    pyr_json_close(json);
    cli_json_end(json);
}

/* A record is counted as wrong at first, so that every early return leaves it counted as wrong. */
static void replay_record(const struct cli_records *records, const struct request *request, struct tally *tally)
{
    static struct pyr_edition edition;
    struct cli_text text = cli_records_text(records);
    struct pyr_replay replay;
    struct pyr_fault fault;
    char place[4096];
    bool many = cli_records_are_many(records);
    tally->wrong++;                          /* until it is known to be right */
    if ((many ? cli_edition_among : cli_edition_for)(request->edition, &text, &edition)) {
        refuse_with(records, "edition", request->json);
        return;
    }
    pyr_replay_init(&replay, request->viewer);
    if (pyr_record_read(&replay, &edition, text.at, text.size, &fault)) {
        refuse(records, &fault, request->json);
        return;
    }
    if (request->viewer != PYR_NOBODY && request->viewer >= replay.seats) {
        cli_error(_("%s: no seat %u in this game"), text.name, request->viewer + 1u);
        refuse_with(records, "seat", request->json);
        return;
    }
    tally->wrong--;
    tally->finished += replay.stage == PYR_STAGE_OVER;
    tally->under_way += replay.stage != PYR_STAGE_OVER;
    if (request->json) {
        print_json(&edition, records, &replay);
        return;
    }
    snprintf(place, sizeof place, "%s:%u", text.name, (unsigned)records->start);
    if (many)
        text.name = place;
    if (records->count > 1)
        putchar('\n');
    print_standing(&edition, &text, &replay);
}

/* All records of a file; one that is wrong does not stop the others. */
static int replay_file(const char *path, const struct request *request)
{
    struct cli_records records;
    struct tally tally = { 0, 0, 0 };
    int got = -1;
    bool many = false;
    if (cli_records_open(&records, path))
        while ((got = cli_records_next(&records)) > 0) {
            many = cli_records_are_many(&records);
            replay_record(&records, request, &tally);
        }
    if (got < 0)
        refuse_with(&records, "file", request->json);
    if (many && !request->json)
        printf(_("\n%s: games: %u, finished: %u, under way: %u, wrong: %u\n"), records.name,
            tally.finished + tally.under_way + tally.wrong, tally.finished, tally.under_way, tally.wrong);
    cli_records_close(&records);
    return got < 0 || tally.wrong ? CLI_WRONG : CLI_GOOD;
}

/* All files are checked; the exit code shows whether one was wrong. */
int cli_replay(int argc, char **argv)
{
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "edition", 'e', "E", _("a built-in edition or a file (default: the one the record names)") },
        { "seat", 's', "S", _("the record is this seat's view, without the other players' deals") },
        { "json", 0, NULL, _("print one line of JSON per record") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "replay FILE... [--edition E] [--seat S] [--json]",
        _("Checks every line of a game record against the rules and prints the current or final scores. For the\n"
          "first bad line of a record it prints FILE:LINE: cause (rule), and continues with the next record. A file\n"
          "may hold many records, as 'pyramids export' writes them. - is standard input."),
        option,
        "  pyramids replay game.pyr\n"
        "  pyramids sim --players 2 --bots greedy,random --games 5 --records games\n"
        "  pyramids replay games/*.pyr\n"
        "  pyramids export | pyramids replay -\n"
        "  pyramids replay --edition mybox.edition - < game.pyr\n",
    };
    int code = cli_parse(&options, &argc, argv, value);
    if (code >= 0)
        return code;
    uint64_t seat = 0;
    if (value[SEAT] && !cli_number(value[SEAT], "--seat", 1, PYR_MAX_SEATS, &seat))
        return CLI_USAGE;
    if (!argc) {
        cli_error(_("no record given; see 'pyramids replay --help'"));
        return CLI_USAGE;
    }
    struct request request = { value[EDITION], seat ? (pyr_seat)(seat - 1) : PYR_NOBODY, cli_json_wanted(value[JSON]) };
    code = CLI_GOOD;
    for (int i = 0; i < argc; i++) {
        if (i && !request.json)
            putchar('\n');
        int one = replay_file(argv[i], &request);
        if (one)
            code = one;
    }
    return code;
}
