/*
 * daily.c: `pyramids daily`: the daily expedition: today's on a server, a past day's from its secret, or a practice deal
 * that follows from the date. It is played like any game: full screen (src/tui), or line by line (plain.c).
 *
 * A game on this device is handed over as a saved game whose first choice is due, with the secret in it (local.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pyramids/daily.h>
#include <pyramids/local.h>

#include "cli.h"
#include "daily_there.h"
#include "plain.h"
#include "tui.h"

enum { SERVER, DATE, SECRET, AGAIN, NAME, PLAIN, SHOW, TRUST, ASCII, JSON, OPTIONS };

#define BIT(option) (1u << (option))

/* Options that cannot be combined. */
static const uint32_t excluded[OPTIONS] = {
    [SERVER] = BIT(SECRET),
    [AGAIN] = BIT(SHOW) | BIT(JSON),
    [PLAIN] = BIT(ASCII) | BIT(SHOW),
    [SHOW] = BIT(ASCII) | BIT(JSON),
    [JSON] = BIT(PLAIN) | BIT(ASCII),
};

/* The game that is played. */
struct day {
    int32_t day;
    bool is_practice;
    uint8_t secret[PYR_FAIR_BYTES];
    char date[PYR_DAILY_DATE];
};

/* False after an error was printed. */
static bool read_day(const char *const *value, struct day *day)
{
    day->day = (int32_t)(time(NULL) / PYR_DAILY_SECONDS);
    if (value[DATE] && !pyr_daily_read_date(value[DATE], strlen(value[DATE]), &day->day)) {
        cli_error(_("--date: '%s' is not a date since 1970-01-01; expected YYYY-MM-DD"), value[DATE]);
        return false;
    }
    if (value[SECRET] && !value[DATE]) {
        cli_error(_("--%s is only valid with --%s"), "secret", "date");
        return false;
    }
    if (value[SECRET] && !pyr_fair_read_hex(value[SECRET], strlen(value[SECRET]), day->secret)) {
        cli_error(_("--secret: expected 64 hexadecimal digits (0 to 9, a to f)"));
        return false;
    }
    if ((value[AGAIN] || value[TRUST] || value[SHOW]) && !value[SERVER]) {
        cli_error(_("--%s is only valid with --%s"), value[AGAIN] ? "again" : value[SHOW] ? "show" : "trust", "server");
        return false;
    }
    if (value[JSON] && value[NAME] && !value[SERVER]) {
        cli_error(_("--%s is only valid with --%s"), "name", "server");
        return false;
    }
    day->is_practice = !value[SECRET];
    if (day->is_practice)
        pyr_daily_practice(day->day, day->secret);
    pyr_daily_write_date(day->day, day->date);
    return true;
}

/* Prints the game that would be played, for programs. */
static void print_day(const struct day *day)
{
    char hex[PYR_FAIR_DIGITS + 1];
    struct pyr_json *json = cli_json_begin();
    pyr_json_object(json, NULL);
    pyr_json_text(json, "date", day->date);
    pyr_json_bool(json, "practice", day->is_practice);
    pyr_json_text(json, "edition", PYR_DAILY_EDITION);
    pyr_fair_commitment(day->secret, hex);
    pyr_json_text(json, "commitment", hex);
    pyr_fair_write_hex(day->secret, hex);
    pyr_json_text(json, "secret", hex);
    pyr_json_close(json);
    cli_json_end(json);
}

static bool can_be_read(const char *path)
{
    if (!path || !access(path, R_OK))
        return true;
    cli_error("%s: %s", path, pyr_text_system(errno));
    return false;
}

/* On a server, full screen. TUI_NO_TERMINAL: nothing was done. */
static int play_there(const char *const *value, const struct day *day)
{
    struct pyr_edition *edition = malloc(sizeof *edition);
    struct tui_options options = { .edition = edition, .players = PYR_DAILY_SEATS, .people = 1,
        .names = { cli_own_name(value[NAME]) }, .ascii = value[ASCII] != NULL,
        .no_colour = getenv("NO_COLOR") && getenv("NO_COLOR")[0], .server = value[SERVER], .trusted = value[TRUST],
        .daily = true, .daily_date = value[DATE] ? day->date : NULL, .daily_again = value[AGAIN] != NULL };
    for (unsigned s = 1; s < PYR_DAILY_SEATS; s++)
        options.bot[s] = pyr_bot_find(PYR_DAILY_BOT);
    int code = !edition || !tui_is_possible() ? TUI_NO_TERMINAL : cli_edition_load(PYR_DAILY_EDITION, edition);
    if (!code && !can_be_read(value[TRUST]))
        code = CLI_WRONG;
    if (!code)
        code = tui_run(&options);
    free(edition);
    return code;
}

/* On a server, without a full screen. */
static int go_there(const char *const *value, const struct day *day)
{
    const struct daily_there there = { .server = value[SERVER], .trusted = value[TRUST], .name = cli_own_name(value[NAME]),
        .date = value[DATE] ? day->date : NULL, .again = value[AGAIN], .show = value[SHOW], .json = value[JSON] };
    return can_be_read(value[TRUST]) ? cli_json_failed(value[JSON], "server", daily_there(&there)) :
        cli_json_failed(value[JSON], "file", CLI_WRONG);
}

/* A saved game before its first choice. NULL after an error was printed. */
static char *begin(const struct pyr_edition *edition, const struct day *day, const char *name, size_t *size)
{
    const char *const names[PYR_DAILY_SEATS] = { name, PYR_DAILY_BOT " 2", PYR_DAILY_BOT " 3" };
    struct pyr_local *local = malloc(sizeof *local);
    struct pyr_match *match = malloc(sizeof *match);
    char *text = malloc(PYR_LOCAL_SAVED);
    enum pyr_err err = PYR_OK;
    if (!local || !match || !text) {
        cli_error(_("out of memory"));
    } else if ((err = pyr_local_begin_daily(local, match, edition, names, day->day, day->secret, day->is_practice))) {
        char sentence[256];
        pyr_text_error(err, sentence, sizeof sentence);
        cli_error(_("--name: '%s' is not a valid player name: %s"), name, sentence);
    } else {
        *size = pyr_local_save(local, text, PYR_LOCAL_SAVED);
    }
    free(local);
    free(match);
    if (*size)
        return text;
    free(text);
    return NULL;
}

/* On this device. */
static int play_here(const char *const *value, const struct day *day)
{
    const char *name = cli_own_name(value[NAME]);
    struct pyr_edition *edition = malloc(sizeof *edition);
    size_t size = 0;
    int code = edition ? cli_edition_load(PYR_DAILY_EDITION, edition) : CLI_WRONG;
    char *text = code ? NULL : begin(edition, day, name, &size);
    if (!text) {
        free(edition);
        return code ? code : CLI_USAGE;
    }
    struct tui_options full = { .edition = edition, .players = PYR_DAILY_SEATS, .people = 1, .names = { name },
        .ascii = value[ASCII] != NULL, .no_colour = getenv("NO_COLOR") && getenv("NO_COLOR")[0], .record = text,
        .record_size = size, .record_name = day->date };
    struct plain_options plain = { .players = PYR_DAILY_SEATS, .name = name, .any_bot = pyr_bot_find(PYR_DAILY_BOT),
        .text = text, .text_size = size, .path = day->date };
    for (unsigned s = 1; s < PYR_DAILY_SEATS; s++)
        full.bot[s] = plain.bot[s] = pyr_bot_find(PYR_DAILY_BOT);
    code = value[PLAIN] || !tui_is_possible() ? TUI_NO_TERMINAL : tui_run(&full);
    if (code == TUI_NO_TERMINAL) {
        if (day->is_practice)
            printf(_("A practice deal for %s. It does not count; everyone who practises on this day has the same cards.\n"),
                day->date);
        else
            printf(_("The expedition of %s once more. It does not count.\n"), day->date);
        cli_catch_interrupt();
        code = plain_play(&plain, NULL);
    }
    free(text);
    free(edition);
    return code;
}

int cli_daily(int argc, char **argv)
{
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "server", 0, "URL", _("play the expedition of a server, such as https://example.org; your first attempt counts") },
        { "date", 0, "DATE", _("another day, as YYYY-MM-DD (default: today, in UTC)") },
        { "secret", 0, "HEX",
            _("the secret of that day, once the server has revealed it: the same cards, without a server") },
        { "again", 0, NULL, _("with --server: play it again; this attempt does not count") },
        { "name", 'n', "NAME", _("your name (default: your account's)") },
        { "plain", 0, NULL, _("play line by line, for any terminal, a screen reader or a script") },
        { "show", 0, NULL, _("with --server: show the day, your streak and the leaderboards, and do not play") },
        { "trust", 0, "FILE", _("certificates to trust for an https:// server, instead of the system's") },
        { "ascii", 0, NULL, _("draw with ASCII characters only") },
        { "json", 0, NULL, _("print the day as JSON, and do not play; with --server also the streak and the leaderboards") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "daily [--server URL [--again]] [--date DATE [--secret HEX]] [OPTIONS]",
        _("Plays the daily expedition: one game per day with the same cards for everybody, against two club bots. With\n"
          "--server it is the server's, and your first attempt of the day counts; you can leave and continue it until\n"
          "midnight UTC. Without a server it is a practice deal that follows from the date, or a past day's game from\n"
          "the secret that its server has revealed. The bots answer the same moves in the same way everywhere."),
        option,
        "  pyramids daily\n"
        "  pyramids daily --server https://pyramids.example.org\n"
        "  pyramids daily --server http://localhost:8080 --again\n"
        "  pyramids daily --server http://localhost:8080 --plain\n"
        "  pyramids daily --server http://localhost:8080 --show\n"
        "  pyramids daily --date 2026-11-18 --plain\n"
        "  pyramids daily --date 2026-11-18 --json\n",
    };
    struct day day;
    int code = cli_parse_words(&options, 0, &argc, argv, value);
    if (code >= 0)
        return code;
    if (!cli_go_together(option, value, excluded) || !read_day(value, &day))
        return CLI_USAGE;
    if (value[SERVER]) {
        code = value[PLAIN] || value[SHOW] || value[JSON] ? TUI_NO_TERMINAL : play_there(value, &day);
        return code == TUI_NO_TERMINAL ? go_there(value, &day) : code;
    }
    if (value[JSON]) {
        print_day(&day);
        return CLI_GOOD;
    }
    return play_here(value, &day);
}
