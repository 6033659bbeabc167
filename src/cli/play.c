/*
 * play.c: `pyramids play`: full screen if the terminal allows it (src/tui); otherwise, and with --plain, a whole game
 * line by line, against bots (plain.c). This file reads the options.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pyramids/bots.h>
#include <pyramids/match.h>

#include "cli.h"
#include "plain.h"
#include "saved.h"
#include "tui.h"

enum {
    PLAIN,
    PLAYERS,
    BOTS,
    SEED,
    EDITION,
    NAME,
    SEAT,
    HOT_SEAT,
    NEW,
    CONTINUE,
    LIST,
    RESUME,
    SERVER,
    TABLE,
    KEY,
    TRUST,
    REPLAY,
    PLAYOUTS,
    ASCII,
    OPTIONS
};

/* The number of commas plus one; 0 without a list. */
static unsigned count_names(const char *list)
{
    unsigned count = 0;
    for (; list; list = strchr(list, ','), list = list ? list + 1 : NULL)
        count++;
    return count;
}

/* The opponents' bots, in the order of seats without the player's own; the list is repeated. */
static bool find_bots(pyr_seat me, const char *list, const struct pyr_bot **bot)
{
    const struct pyr_bot *found[PYR_MAX_SEATS];
    unsigned named = 0, next = 0;
    for (const char *at = list; at && named < PYR_MAX_SEATS; named++) {
        char name[64];
        const char *comma = strchr(at, ',');
        size_t length = comma ? (size_t)(comma - at) : strlen(at);
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), at);
        found[named] = pyr_bot_find(name);
        if (!found[named]) {
            char names[512] = "";
            for (unsigned i = 0; i < pyr_bot_count(); i++)
                snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? " " : "", pyr_bot_at(i)->name);
            cli_error(_("unknown bot '%s'; choose from: %s"), name, names);
            return false;
        }
        at = comma ? comma + 1 : NULL;
    }
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        bot[s] = s == me ? NULL : found[next++ % named];
    return true;
}

/* At most nine digits, so that a player can type it again. It is not secret: a new game only has to differ from the last
 * one. The process number distinguishes two that start at the same moment. */
static uint64_t any_seed(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec * 1000003u ^ (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 20) % 1000000000u;
}

/* Options that cannot be combined. */

#define BIT(option) (1u << (option))

static const uint32_t excluded[OPTIONS] = {
    [SERVER] = BIT(PLAIN) | BIT(PLAYERS) | BIT(BOTS) | BIT(SEED) | BIT(EDITION) | BIT(SEAT) | BIT(HOT_SEAT) | BIT(NEW) |
        BIT(CONTINUE) | BIT(LIST) | BIT(RESUME) | BIT(REPLAY),
    [REPLAY] = BIT(PLAIN) | BIT(PLAYERS) | BIT(BOTS) | BIT(SEED) | BIT(NAME) | BIT(SEAT) | BIT(HOT_SEAT) | BIT(NEW) |
        BIT(CONTINUE) | BIT(LIST) | BIT(RESUME),
    [HOT_SEAT] = BIT(PLAIN) | BIT(NAME) | BIT(SEAT),
    [CONTINUE] = BIT(NEW),
    [RESUME] = BIT(NEW) | BIT(CONTINUE) | BIT(PLAYERS) | BIT(NAME) | BIT(HOT_SEAT),
    [LIST] = BIT(NEW) | BIT(CONTINUE) | BIT(RESUME) | BIT(PLAYERS) | BIT(BOTS) | BIT(SEED) | BIT(NAME) | BIT(SEAT) |
        BIT(HOT_SEAT) | BIT(PLAYOUTS),
    [PLAIN] = BIT(PLAYOUTS),
};

/* A record already has the number and names of its players, and determines the game to continue. */
static const uint32_t excluded_by_file =
    BIT(PLAYERS) | BIT(NAME) | BIT(NEW) | BIT(CONTINUE) | BIT(LIST) | BIT(RESUME) | BIT(SERVER) | BIT(REPLAY);

/* Whether the options can be combined; otherwise prints which two cannot. Also checks options that need another one: a
 * key needs a table, given by --table or in the server's link. */
static bool options_agree(const struct cli_option *option, const char *const *value, const char *file)
{
    bool link = value[SERVER] && strstr(value[SERVER], "#table/");
    const struct {
        int option, needed;
        bool there;
    } needs[] = { { TABLE, SERVER, value[SERVER] != NULL }, { TRUST, SERVER, value[SERVER] != NULL },
        { KEY, TABLE, value[TABLE] || link } };
    for (int i = 0; file && i < OPTIONS; i++) {
        if (value[i] && excluded_by_file >> i & 1) {
            cli_error(_("--%s cannot be combined with a saved game"), option[i].name);
            return false;
        }
    }
    if (!cli_go_together(option, value, excluded))
        return false;
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        if (value[needs[i].option] && !needs[i].there) {
            cli_error(_("--%s is only valid with --%s"), option[needs[i].option].name, option[needs[i].needed].name);
            return false;
        }
    }
    if (link && value[TABLE]) {
        cli_error(_("the address already contains a table: leave out --table"));
        return false;
    }
    if (value[TRUST] && strncmp(value[SERVER], "https://", 8)) {
        cli_error(_("--trust is only valid with an https:// address"));
        return false;
    }
    return true;
}

/* The number of players: as given, otherwise as many as are named. On a mismatch prints a message and returns false. */
static bool count_players(const char *const *value, const char *file, uint64_t *players)
{
    unsigned people = value[HOT_SEAT] ? count_names(value[HOT_SEAT]) : 1, bots = value[BOTS] ? count_names(value[BOTS]) : 0;
    if (file || value[SERVER] || value[REPLAY] || value[RESUME])
        return true;
    if (!value[PLAYERS] && *players < people + bots)
        *players = people + bots > PYR_MAX_SEATS ? PYR_MAX_SEATS : people + bots;
    if (people > *players && people <= PYR_MAX_SEATS) {
        cli_error(_("--hot-seat: more names than players (%u)"), (unsigned)*players);
        return false;
    }
    if (people <= PYR_MAX_SEATS && bots > *players - people) {
        cli_error(_("--bots: more bots than free seats (%u)"), (unsigned)*players - people);
        return false;
    }
    return true;
}

/* Full screen. */

/* The names of people at one screen, in the order of seats. They get the first seats; `people` gets a bit for each. */
static bool read_people(const char *list, char names[][PYR_MAX_PLAYER_NAME + 1], struct tui_options *options)
{
    unsigned count = 0;
    for (const char *at = list; at; count++) {
        const char *comma = strchr(at, ',');
        size_t length = comma ? (size_t)(comma - at) : strlen(at);
        if (!length || length > PYR_MAX_PLAYER_NAME || count == PYR_MAX_SEATS) {
            cli_error(_("--hot-seat: expected 1 to 4 names, comma-separated"));
            return false;
        }
        memcpy(names[count], at, length);
        names[count][length] = '\0';
        for (unsigned i = 0; i < count; i++) {
            if (!strcmp(names[i], names[count])) {       /* the cover between them shows the name of the next person */
                cli_error(_("--hot-seat: two players have the name %s"), names[i]);
                return false;
            }
        }
        options->names[count] = names[count];
        options->people |= 1u << count;
        at = comma ? comma + 1 : NULL;
    }
    return true;
}

/* Plays in full screen. Returns TUI_NO_TERMINAL if there is no terminal for it; then nothing was read or printed, so that
 * plain mode can take over. */
static int play_full_screen(const struct plain_options *plain, const char *const *value)
{
    char names[PYR_MAX_SEATS][PYR_MAX_PLAYER_NAME + 1];
    char real[PATH_MAX];
    uint64_t playouts = 0;
    struct cli_text text = { .at = NULL };
    struct pyr_edition *edition = malloc(sizeof *edition);
    struct tui_options options = { .edition = edition,
        .players = plain->players,
        .seed = plain->seed,
        .ascii = value[ASCII] != NULL,
        .no_colour = getenv("NO_COLOR") && getenv("NO_COLOR")[0],
        .new_game = value[NEW] != NULL,
        .go_on = value[CONTINUE] != NULL,
        .resume = value[RESUME],
        .server = value[SERVER],
        .table = value[TABLE],
        .key = value[KEY],
        .trusted = value[TRUST],
        .replay = value[REPLAY] != NULL };
    int code = CLI_USAGE;
    if (!edition || !tui_is_possible()) {
        free(edition);
        return TUI_NO_TERMINAL;
    }
    memcpy(options.bot, plain->bot, sizeof options.bot);
    if (value[PLAYOUTS] && !cli_number(value[PLAYOUTS], "--playouts", 1, 1000000, &playouts))
        goto done;
    options.playouts = (uint32_t)playouts;
    if (value[TRUST] && access(value[TRUST], R_OK)) {
        cli_error("%s: %s", value[TRUST], pyr_text_system(errno));
        code = CLI_WRONG;
        goto done;
    }
    if (value[HOT_SEAT]) {
        if (!read_people(value[HOT_SEAT], names, &options))
            goto done;
        for (unsigned s = 0; s < options.players; s++)
            if (!(options.people >> s & 1) && !options.bot[s])
                options.bot[s] = options.bot[s + 1 < PYR_MAX_SEATS ? s + 1 : 0];
    } else {
        const char *name = cli_own_name(value[NAME]);
        options.people = 1u << plain->seat;
        options.names[plain->seat] = name;
        if (value[SERVER])
            options.names[0] = name;
    }
    if (value[EDITION] && realpath(value[EDITION], real))
        options.edition_file = real;
    options.record_name = value[REPLAY] ? value[REPLAY] : plain->path;
    code = CLI_GOOD;
    if (options.record_name) {
        code = cli_read(options.record_name, &text) ? cli_edition_for(value[EDITION], &text, edition) : CLI_WRONG;
        options.record = text.at;
        options.record_size = text.size;
    } else {
        code = cli_edition_load(value[EDITION], edition);
    }
    if (!code)
        code = tui_run(&options);
done:
    free(text.at);
    free(edition);
    return code;
}

/* Reads the options that are numbers. On a mismatch prints a message and returns false. */
static bool read_numbers(const char *const *value, const char *file, struct plain_options *plain)
{
    uint64_t players = plain->players, seat = 1;
    if ((value[PLAYERS] && !cli_number(value[PLAYERS], "--players", PYR_MIN_SEATS, PYR_MAX_SEATS, &players)) ||
        (value[SEED] && !cli_number(value[SEED], "--seed", 0, UINT64_MAX, &plain->seed)) ||
        (value[SEAT] && !cli_number(value[SEAT], "--seat", 1, PYR_MAX_SEATS, &seat)) ||
        !count_players(value, file, &players))
        return false;
    /* A game that is continued has the seats that were saved. */
    if (!file && !value[RESUME] && seat > players) {
        cli_error(_("--seat: the game has only %u players"), (unsigned)players);
        return false;
    }
    plain->players = (unsigned)players;
    plain->seat = (pyr_seat)(seat - 1);
    return true;
}

/* Full screen if the terminal allows it, otherwise line by line. */
static int play_somehow(const struct plain_options *plain, const char *const *value)
{
    int code = value[PLAIN] ? TUI_NO_TERMINAL : play_full_screen(plain, value);
    if (code != TUI_NO_TERMINAL)
        return code;
    if (value[HOT_SEAT] || value[SERVER] || value[REPLAY]) {
        cli_error(_("--hot-seat, --server and --replay need a full-screen terminal"));
        return CLI_USAGE;
    }
    cli_catch_interrupt();
    return plain_play(plain, NULL);
}

int cli_play(int argc, char **argv)
{
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "plain", 0, NULL, _("play line by line, for any terminal, a screen reader or a script") },
        { "players", 'p', "N", _("2 to 4 players, including you (default: as many as are named, at least 2)") },
        { "bots", 'b', "A,B,..",
            _("the other players: novice, casual, club (default), expert, master; the list is repeated") },
        { "seed", 's', "S", _("random seed; the same seed deals the same cards (default: a new one)") },
        { "edition", 'e', "E", _("a built-in edition or a file (default classic)") },
        { "name", 'n', "NAME", _("your name (default: your account's)") },
        { "seat", 0, "S", _("your seat, 1 to 4 (default 1)") },
        { "hot-seat", 0, "A,B,..", _("names of players who share this screen; bots take the other seats") },
        { "new", 0, NULL, _("start a new game without asking about an unfinished one") },
        { "continue", 0, NULL, _("resume the unfinished game without asking") },
        { "list", 0, NULL, _("list the unfinished games by name, newest first") },
        { "resume", 0, "NAME", _("resume an unfinished game by its name") },
        { "server", 0, "URL", _("play on a server, such as http://localhost:8080; without --table, list its tables") },
        { "table", 0, "CODE", _("the table to join") },
        { "key", 0, "K", _("the key of a seat reserved for you") },
        { "trust", 0, "FILE", _("certificates to trust for an https:// server, instead of the system's") },
        { "replay", 0, "FILE", _("step through a recorded game") },
        { "playouts", 0, "N", _("when analysing a replay: at most N simulated worlds per decision (default 32768)") },
        { "ascii", 0, NULL, _("draw with ASCII characters only") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "play [FILE] [--plain] [--players N] [--seed S] [--edition E] [OPTIONS]",
        _("Plays a game against the computer, with others at one screen, or on a server, or resumes a saved game.\n"
          "Uses the whole terminal; press ? for the keys. The game is saved after every choice. Without a terminal,\n"
          "or with --plain, you play line by line: type moves as in a game record, such as 17:a1a2a3; ? lists the\n"
          "legal choices, help lists the commands."),
        option,
        "  pyramids play\n"
        "  pyramids play --players 4 --bots expert\n"
        "  pyramids play --hot-seat Ana,Ben\n"
        "  pyramids play --server http://localhost:8080 --table K7QXMWRT\n"
        "  pyramids play --replay game.pyr\n"
        "  pyramids play --plain --players 3 --bots greedy,random --seed 7\n"
        "  pyramids play saved.pyr\n",
    };
    int code = cli_parse_words(&options, 1, &argc, argv, value);
    if (code >= 0)
        return code;
    const char *file = argc ? argv[0] : NULL;
    char path[PATH_MAX];
    struct plain_options plain = { .edition = value[EDITION],
        .players = 2,
        .seed = any_seed(),
        .has_seat = value[SEAT] != NULL,
        .has_bots = value[BOTS] != NULL,
        .any_bot = pyr_bot_find("club"),
        .name = cli_own_name(value[NAME]),
        .path = file,
        .resume = value[RESUME],
        .new_game = value[NEW] != NULL,
        .go_on = value[CONTINUE] != NULL };
    if (!options_agree(option, value, file) || !read_numbers(value, file, &plain) ||
        !find_bots(plain.seat, value[BOTS] ? value[BOTS] : "club", plain.bot))
        return CLI_USAGE;
    if (value[RESUME] && !saved_find(value[RESUME], path, sizeof path)) {
        cli_error(_("unknown saved game '%s'; 'pyramids play --list' shows the unfinished ones"), value[RESUME]);
        return CLI_WRONG;
    }
    return value[LIST] ? plain_list(value[EDITION]) : play_somehow(&plain, value);
}
