/*
 * puzzle.c: `pyramids puzzle`: positions with one clearly best choice, line by line.
 *
 * The library selects puzzles, judges answers and computes rating and streak (puzzler.h); this file prints, reads
 * lines and stores the puzzler's text in the data folder ($XDG_DATA_HOME/pyramids/puzzles/puzzler).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include <pyramids/puzzler.h>

#include "puzzle_texts.inc"
#include "save.h"
#include "showing.h"

/* Indexes into `option` and `value`. */
enum { THEME, DAILY, DATE, NUMBER, ANSWER, HINT, JSON, OPTIONS };

/* Everything about a puzzle that is being solved. */
struct solving {
    struct pyr_edition edition;
    struct pyr_match match;
    struct pyr_puzzle_open open;
    struct pyr_puzzler puzzler;
    char path[PATH_MAX];         /* of the puzzler; "": it cannot be stored */
    char name[PYR_MAX_SEATS][PYR_MAX_PLAYER_NAME + 1];
    uint8_t themes;              /* bits; 0: any */
    int32_t day;                 /* of the puzzle of the day; 0: another puzzle */
    bool json;
};

const char *cli_puzzle_pack(void)
{
    (void)names;                 /* embedded with it */
    return texts[0];
}

static size_t pack_size(void)
{
    return sizeof text_0 - 1;
}

/* The names of themes. */
static const char *theme_name(unsigned theme)
{
    static const char *const words[] = { N_("which card to take"), N_("race for points"), N_("cross chain"),
        N_("skull risk"), N_("tomb or gems"), N_("last turn") };
    return _(words[theme]);
}

/* Loads the puzzler. Without a data folder puzzles can still be solved; nothing is stored. */

static void load_puzzler(struct solving *s)
{
    size_t size;
    pyr_puzzler_init(&s->puzzler);
    if (!save_path(s->path, sizeof s->path, "puzzles", "puzzler")) {
        s->path[0] = '\0';
        return;
    }
    char *text = save_read(s->path, PYR_PUZZLER_SIZE, &size);
    if (text && !pyr_puzzler_read(&s->puzzler, text, size))
        cli_error(_("%s: not written by this program; starting a new one"), s->path);
    free(text);
}

static void keep_puzzler(const struct solving *s)
{
    char text[PYR_PUZZLER_SIZE];
    struct pyr_out out;
    pyr_out_init(&out, text, sizeof text);
    pyr_puzzler_write(&s->puzzler, &out);
    if (s->path[0] && !save_write(s->path, text, out.length))
        cli_error(_("the rating could not be saved: %s"), pyr_text_system(errno));
}

/* How many puzzles there are. */
static uint32_t count_puzzles(const struct solving *s)
{
    struct pyr_lines lines;
    struct pyr_puzzle puzzle;
    uint32_t count = 0;
    if (pyr_puzzle_begin(&lines, cli_puzzle_pack(), pack_size(), s->edition.name))
        while (pyr_lines_next(&lines, false) && pyr_puzzle_read(&puzzle, &lines))
            count++;
    return count;
}

static bool open_number(struct solving *s, uint32_t number)
{
    struct pyr_puzzle puzzle;
    const char *called[PYR_MAX_SEATS];
    if (!pyr_puzzle_find(&puzzle, cli_puzzle_pack(), pack_size(), s->edition.name, number)) {
        cli_error(_("no puzzle has the number %u; choose from 1 to %u"), number, count_puzzles(s));
        return false;
    }
    for (unsigned i = 0; i < PYR_MAX_SEATS; i++) {
        if (i == puzzle.seat)
            snprintf(s->name[i], sizeof s->name[i], "%s", _("You"));
        else
            snprintf(s->name[i], sizeof s->name[i], _("Player %u"), i + 1);
        called[i] = s->name[i];
    }
    enum pyr_err code = pyr_puzzle_open(&puzzle, &s->open, &s->match, &s->edition, called);
    if (code)
        cli_error(_("puzzle %u cannot be opened: %s"), number, pyr_err_name(code));
    return !code;
}

/* Output. */

static void show_question(const struct solving *s)
{
    const struct showing showing = { &s->edition, (const char (*)[PYR_MAX_PLAYER_NAME + 1])s->name };
    const struct pyr_puzzle *puzzle = &s->open.puzzle;
    char themes[256] = "";
    for (unsigned t = 0; t < PYR_PUZZLE_THEME_COUNT; t++)
        if (puzzle->themes >> t & 1)
            snprintf(themes + strlen(themes), sizeof themes - strlen(themes), "%s%s", *themes ? ", " : "", theme_name(t));
    putchar('\n');
    printf(_("Puzzle %u: %s (rating %u, yours %d)\n"), puzzle->number, themes, puzzle->rating,
        (int)(s->puzzler.skill.rating + 0.5));
    showing_table(&showing, &s->open.view);
    puts(puzzle->themes >> PYR_PUZZLE_CARD & 1 ? _("Which card gains the most points by the end of the game?") :
        _("Which mark gains the most points by the end of the game?"));
}

/* "1 pyramid, 10 pyramid points, 2 gems" */
static void write_gains(const struct pyr_puzzle_gain *gain, char *to, size_t size)
{
    char word[96];
    to[0] = '\0';
#define PART(count, one, many) \
    if ((count) > 0) { \
        snprintf(word, sizeof word, pyr_ngettext(one, many, (unsigned long)(count)), count); \
        snprintf(to + strlen(to), size - strlen(to), "%s%s", *to ? ", " : "", word); \
    }
    PART(gain->pyramids, "%d pyramid", "%d pyramids")
    PART(gain->points, "%d pyramid point", "%d pyramid points")
    PART(gain->rubies + gain->emeralds, "%d gem", "%d gems")
    PART(gain->torches, "%d torch", "%d torches")
    PART(gain->skulls, "%d skull", "%d skulls")
    PART(-gain->skulls, "%d skull erased", "%d skulls erased")
    PART(gain->extras, "%d extra mark", "%d extra marks")
#undef PART
}

static void show_choice(const struct solving *s, const struct pyr_puzzle_choice *choice, bool at_most, const char *note)
{
    char text[PYR_CHOICE_SIZE], gains[256];
    struct pyr_out out;
    const struct pyr_puzzle_gain gain = pyr_puzzle_gain(&s->edition.box, &s->open.view, choice);
    pyr_out_init(&out, text, sizeof text);
    pyr_puzzle_write_choice(&s->open, choice, &out);
    write_gains(&gain, gains, sizeof gains);
    printf("  %-24s %s%6s  %s%s%s\n", text, at_most ? "<" : " ", PYR_NUMBER(choice->value / 100.0, 1), note,
        *note && *gains ? "; " : "", gains);
}

/* Shows the best choices and the answer, with the gain of each. */
static void show_verdict(const struct solving *s, const struct pyr_puzzle_verdict *verdict, double change)
{
    bool listed = verdict->place >= 0 && verdict->place < 5;
    if (verdict->right)
        puts(verdict->is_best ? _("Found it!") : _("Just as good."));
    else
        printf(verdict->at_least ? _("Not the best: it costs at least %s points.\n") :
            _("Not the best: it costs %s points.\n"), PYR_NUMBER(verdict->cost / 100.0, 1));
    if (s->open.puzzle.playouts)
        printf(_("Expected final points, by %u playouts:\n"), s->open.puzzle.playouts);
    else
        puts(_("Expected final points, exact if the others take no more points:"));
    for (unsigned i = 0; i < s->open.count && i < 5; i++)
        show_choice(s, &s->open.choice[i], false, (int)i == verdict->place ? _("yours") : i ? "" : _("best"));
    if (!listed)
        show_choice(s, &verdict->made, verdict->at_least, _("yours"));
    if (s->open.tries == 1)
        printf(_("Rating %d (%s), %u in a row.\n"), (int)(s->puzzler.skill.rating + 0.5), PYR_SIGNED(change, 0),
            s->puzzler.streak);
}

static void show_hint(struct solving *s)
{
    const struct pyr_puzzle_hint hint = pyr_puzzle_hint(&s->open, &s->edition.box);
    const struct pyr_desk *desk = &s->open.view.open.desk[s->open.view.seat];
    char list[128] = "";
    if (s->open.view.open.phase != PYR_MARK) {
        if (hint.step == 1 || hint.card[1] == PYR_NO_CARD)
            puts(hint.colour < 0 ? _("Look at the deck.") : _("Look at the colours."));
        else
            printf(_("It is %d or %d.\n"), hint.card[0] + 1, hint.card[1] + 1);
        return;
    }
    for (unsigned i = 0; i < PYR_SIDE * PYR_SIDE; i++)
        if (hint.spaces & PYR_SPACE(i / PYR_SIDE, i % PYR_SIDE))
            snprintf(list + strlen(list), sizeof list - strlen(list), " %c%c", 'a' + i % PYR_SIDE, '1' + i / PYR_SIDE);
    if (hint.step == 1)
        printf(_("Look at card %d.\n"), desk->card[hint.slot] + 1);
    else
        printf(_("On card %d, around:%s\n"), desk->card[hint.slot] + 1, list);
}

/* Judges a typed choice. False if it is not a choice. */
static bool judge(struct solving *s, const char *typed, struct pyr_puzzle_verdict *verdict, double *change)
{
    char word[1024], sentence[512];
    struct pyr_fault fault = { .code = PYR_OK };
    snprintf(word, sizeof word, "%s", typed);
    showing_tidy(s->open.view.open.phase, word, sizeof word);
    enum pyr_err code = pyr_puzzle_answer(&s->open, &s->match, word, verdict, &fault);
    if (code) {
        if (fault.code)
            pyr_text_fault(&fault, sentence, sizeof sentence);
        else
            pyr_text_reason(code, sentence, sizeof sentence);
        cli_error(_("'%s' is not a legal choice: %s"), word, sentence);
        return false;
    }
    *change = 0;
    if (s->open.tries == 1) {
        *change = pyr_puzzler_answer(&s->puzzler, &s->open.puzzle, verdict->right, s->open.hints, s->day);
        keep_puzzler(s);
    }
    return true;
}

/* The number of the next puzzle; 0 if there is none. */
static uint32_t pick(const struct solving *s)
{
    uint32_t number = pyr_puzzler_pick(&s->puzzler, cli_puzzle_pack(), pack_size(), s->edition.name, s->themes, false,
        s->open.puzzle.number);
    return number ? number : pyr_puzzler_pick(&s->puzzler, cli_puzzle_pack(), pack_size(), s->edition.name, s->themes,
        true, s->open.puzzle.number);
}

static void show_help(void)
{
    pyr_text_flow(stdout,
        _("Type your answer or a command:\n"
          "  17:a1a2a3+22:c1    mark the pattern on card 17, with the extra mark of a red cross\n"
          "  take 31, draw      take a new card\n"
          "  hint               first the card, then the region; it halves what you gain\n"
          "  look               show the position again\n"
          "  players            show the other players' cards\n"
          "  next               another puzzle\n"
          "  quit               leave\n"), PYR_HELP_COLUMNS, 0);
}

/* Executes one line. False: leave. */
static bool run_line(struct solving *s, char *line, bool *solved)
{
    const struct showing showing = { &s->edition, (const char (*)[PYR_MAX_PLAYER_NAME + 1])s->name };
    struct pyr_puzzle_verdict verdict;
    double change;
    char *word = line + strspn(line, " \t");
    word[strcspn(word, "\r\n")] = '\0';
    if (!*word && !*solved)
        return true;
    if (!strcasecmp(word, "quit") || !strcasecmp(word, "q") || !strcasecmp(word, "exit"))
        return false;
    if (!strcasecmp(word, "next") || !strcasecmp(word, "n") || !*word) {
        s->day = 0;
        uint32_t number = pick(s);
        *solved = false;
        if (!number || !open_number(s, number))
            return false;
        show_question(s);
    } else if (!strcasecmp(word, "hint")) {
        show_hint(s);
    } else if (!strcasecmp(word, "look")) {
        show_question(s);
    } else if (!strcasecmp(word, "players")) {
        showing_players(&showing, &s->open.view.open, s->open.view.seat);
    } else if (!strcasecmp(word, "help") || !strcasecmp(word, "h") || !strcmp(word, "?")) {
        show_help();
    } else if (judge(s, word, &verdict, &change)) {
        show_verdict(s, &verdict, change);
        puts(verdict.right ? _("Enter: the next puzzle; quit: leave.") : _("Try again (not rated), or press Enter."));
        *solved = true;
    }
    return true;
}

static int solve(struct solving *s)
{
    char *line = NULL;
    size_t room = 0;
    bool solved = false;
    show_question(s);
    while (cli_prompt(&line, &room) && run_line(s, line, &solved))
        ;
    free(line);
    return CLI_GOOD;
}

/* Prints the puzzle as JSON; with an answer also its verdict. */
static int print_json(struct solving *s, const char *answer, bool hint)
{
    struct pyr_puzzle_verdict verdict;
    double change = 0;
    if (answer && !judge(s, answer, &verdict, &change)) {
        cli_json_refuse("answer", "illegal", NULL);
        return CLI_WRONG;
    }
    struct pyr_json *json = cli_json_begin();
    pyr_json_object(json, NULL);
    pyr_puzzle_tell(&s->open, &s->edition.box, "puzzle", json);
    pyr_json_text(json, "record", s->match.log.text);
    if (hint) {
        const struct pyr_puzzle_hint told = pyr_puzzle_hint(&s->open, &s->edition.box);
        pyr_puzzle_tell_hint(&told, &s->open, "hint", json);
    }
    if (answer) {
        pyr_puzzle_tell_verdict(&s->open, &s->edition.box, &verdict, "verdict", json);
        pyr_text_json_real(json, "change", change, 2);
    }
    pyr_puzzler_tell(&s->puzzler, "puzzler", json);
    pyr_json_close(json);
    cli_json_end(json);
    return CLI_GOOD;
}

/* Today by UTC. */
static int32_t today(void)
{
    return (int32_t)(time(NULL) / 86400);
}

/* The number of the puzzle that the options describe; 0 after a message. */
static uint32_t choose(struct solving *s, const char *const *value)
{
    uint64_t number;
    if (value[NUMBER])
        return cli_number(value[NUMBER], "--number", 1, PYR_PUZZLES, &number) ? (uint32_t)number : 0;
    if (value[THEME]) {
        int theme = pyr_puzzle_theme_find(value[THEME]);
        if (theme < 0) {
            cli_error(_("unknown theme '%s'; choose from: %s"), value[THEME], "card, race, cross, skull, tomb, last");
            return 0;
        }
        s->themes = (uint8_t)(1u << theme);
    }
    if (value[DAILY] || value[DATE]) {
        s->day = value[DATE] ? pyr_puzzle_day(value[DATE]) : today();
        if (s->day < 0) {
            cli_error(_("--date: '%s' is not a date since 1970-01-01; expected YYYY-MM-DD"), value[DATE]);
            return 0;
        }
        uint32_t of_day = pyr_puzzle_of_day(s->day, count_puzzles(s));
        if (s->day != today())
            s->day = 0;                      /* a past day does not count for the streak of days */
        return of_day;
    }
    return pick(s);
}

int cli_puzzle(int argc, char **argv)
{
    static struct solving s;
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "theme", 't', "T", _("only puzzles about this: card, race, cross, skull, tomb or last") },
        { "daily", 'd', NULL, _("the puzzle of the day") },
        { "date", 0, "DATE", _("the puzzle of another day, such as 2026-11-18") },
        { "number", 'n', "N", _("the puzzle with this number") },
        { "answer", 'a', "CHOICE", _("judge this answer and leave") },
        { "hint", 0, NULL, _("show a hint; it halves what a right answer gains") },
        { "json", 0, NULL, _("print the puzzle, and the verdict on an answer, as JSON") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "puzzle [--theme T | --daily | --date DATE | --number N] [--answer CHOICE] [OPTIONS]",
        _("Shows a position with one clearly best choice and asks for it. Puzzles are near your rating; the first answer\n"
          "to each is rated. Your rating and streak are kept in your data folder."),
        option,
        "  pyramids puzzle\n"
        "  pyramids puzzle --theme cross\n"
        "  pyramids puzzle --number 17 --answer 4:b4+4:b5 --json\n",
    };
    static const uint32_t excluded[OPTIONS] = { [THEME] = 1u << DAILY | 1u << DATE | 1u << NUMBER,
        [DAILY] = 1u << DATE | 1u << NUMBER, [DATE] = 1u << NUMBER };
    int code = cli_parse_words(&options, 0, &argc, argv, value);
    if (code >= 0)
        return code;
    if (!cli_go_together(option, value, excluded))
        return CLI_USAGE;
    s.json = cli_json_wanted(value[JSON]);
    if (cli_edition_load(NULL, &s.edition))
        return CLI_WRONG;
    load_puzzler(&s);
    uint32_t number = choose(&s, value);
    if (!number)
        return CLI_USAGE;
    if (!open_number(&s, number))
        return CLI_WRONG;
    if (s.json)
        return print_json(&s, value[ANSWER], value[HINT] != NULL);
    if (!value[ANSWER]) {
        if (value[HINT])
            show_hint(&s);
        return solve(&s);
    }
    struct pyr_puzzle_verdict verdict;
    double change;
    if (value[HINT])
        show_hint(&s);
    if (!judge(&s, value[ANSWER], &verdict, &change))
        return CLI_WRONG;
    show_verdict(&s, &verdict, change);
    return CLI_GOOD;
}
