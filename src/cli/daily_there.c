/*
 * daily_there.c: see daily_there.h. Answers of a server (docs/protocol.md) are not trusted: only known members are
 * read, each checked for its type, and texts are printed without control characters.
 */
#include <stdlib.h>
#include <string.h>

#include <pyramids/daily.h>
#include <pyramids/lines.h>
#include <pyramids/rules.h>

#include "daily_there.h"
#include "plain.h"
#include "there.h"
#include "visit.h"

#define BOARD_ROWS 10            /* that are printed of each board; JSON has the whole first page */

enum { PERIODS = 3 };
static const char *const periods[PERIODS] = { "day", "week", "month" };

/* Everything that is shown. */
struct found {
    json_t *daily;               /* GET /api/daily */
    json_t *day;                 /* GET /api/daily/DATE */
    json_t *board[PERIODS];      /* NULL: not visible to this visitor yet */
};

/* Reading. */

static const json_t *of_day(const struct found *found) { return json_object_get(found->day, "day"); }

static long long number_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_integer(value) ? (long long)json_integer_value(value) : 0;
}

/* A text that can be shown. */
static const char *text_of(const json_t *object, const char *name, char to[256])
{
    pyr_word_copy(pyr_word_of(visit_text(object, name)), to, 256);
    return to;
}

/* A number with `digits` digits after the point (always a point, as for programs). "": the number is missing, or larger
 * than any that a server sends. */
static const char *digits_of(const json_t *object, const char *name, unsigned digits, char to[40])
{
    const json_t *value = json_object_get(object, name);
    double number = json_number_value(value);
    long long scale = digits == 3 ? 1000 : digits == 1 ? 10 : 1;
    to[0] = '\0';
    if (!json_is_number(value) || !(number > -1e12 && number < 1e12))
        return to;
    long long whole = (long long)(number * (double)scale + (number < 0 ? -0.5 : 0.5)), rest = llabs(whole) % scale;
    snprintf(to, 40, digits ? "%s%lld.%0*lld" : "%s%lld", whole < 0 ? "-" : "", llabs(whole) / scale, (int)digits, rest);
    return to;
}

/* JSON. */

enum kind { TEXT, DATE, HEX, WHOLE, TENTHS, THOUSANDTHS, FLAG };

struct member {
    const char *name;
    enum kind kind;
};

static const struct member day_members[] = { { "date", DATE }, { "number", WHOLE }, { "edition", TEXT },
    { "commitment", HEX }, { "secret", HEX }, { "closes", WHOLE }, { "reveals", WHOLE }, { "now", WHOLE },
    { "players", WHOLE }, { NULL, TEXT } };
static const struct member own_members[] = { { "state", TEXT }, { "table", TEXT }, { "round", WHOLE }, { "turn", WHOLE },
    { "points", WHOLE }, { "place", WHOLE }, { "of", WHOLE }, { "won", WHOLE }, { "luck", TENTHS },
    { "error_rate", THOUSANDTHS }, { "level", TEXT }, { "without_luck", TENTHS }, { "place_without_luck", WHOLE },
    { NULL, TEXT } };
static const struct member result_members[] = { { "count", WHOLE }, { "min", WHOLE }, { "median", TENTHS }, { "max", WHOLE },
    { "ahead", WHOLE }, { "master", WHOLE }, { NULL, TEXT } };
static const struct member row_members[] = { { "place", WHOLE }, { "name", TEXT }, { "you", FLAG }, { "points", WHOLE },
    { "luck", TENTHS }, { "error_rate", THOUSANDTHS }, { "days", WHOLE }, { "table", TEXT }, { NULL, TEXT } };
static const struct member next_members[] = { { "date", DATE }, { "number", WHOLE }, { "commitment", HEX }, { NULL, TEXT } };

/* Whether a text has the right form for its member. */
static bool is_good(enum kind kind, const char *text)
{
    uint8_t bytes[PYR_FAIR_BYTES];
    int32_t day;
    return kind == DATE ? pyr_daily_read_date(text, strlen(text), &day) :
        kind == HEX ? pyr_fair_read_hex(text, strlen(text), bytes) : true;
}

/* A member that is missing or wrong becomes null. */
static void put_members(struct pyr_json *json, const json_t *object, const struct member *members)
{
    char text[256], digits[40];
    for (; members->name; members++) {
        const json_t *value = json_object_get(object, members->name);
        unsigned places = members->kind == TENTHS ? 1 : members->kind == THOUSANDTHS ? 3 : 0;
        bool is_text = members->kind <= HEX;
        if (members->kind == FLAG)
            pyr_json_bool(json, members->name, json_is_true(value));
        else if (is_text && json_is_string(value) && is_good(members->kind, json_string_value(value)))
            pyr_json_text(json, members->name, text_of(object, members->name, text));
        else if (!is_text && digits_of(object, members->name, places, digits)[0])
            pyr_json_digits(json, members->name, digits);
        else
            pyr_json_null(json, members->name);
    }
}

static void put_object(struct pyr_json *json, const char *name, const json_t *object, const struct member *members)
{
    if (!json_is_object(object)) {
        pyr_json_null(json, name);
        return;
    }
    pyr_json_object(json, name);
    put_members(json, object, members);
    pyr_json_close(json);
}

static void put_results(struct pyr_json *json, const json_t *results)
{
    const json_t *bins = json_object_get(results, "bins");
    if (!json_is_object(results)) {
        pyr_json_null(json, "results");
        return;
    }
    pyr_json_object(json, "results");
    put_members(json, results, result_members);
    pyr_json_array(json, "bins");
    for (size_t i = 0; i < json_array_size(bins); i++) {
        pyr_json_array(json, NULL);
        for (size_t part = 0; part < 2; part++)
            pyr_json_number(json, NULL, json_integer_value(json_array_get(json_array_get(bins, i), part)));
        pyr_json_close(json);
    }
    pyr_json_close(json);
    pyr_json_close(json);
}

static void put_board(struct pyr_json *json, const char *name, const json_t *board)
{
    const json_t *rows = json_object_get(board, "rows");
    if (!board) {
        pyr_json_null(json, name);
        return;
    }
    pyr_json_object(json, name);
    pyr_json_number(json, "total", number_of(board, "total"));
    pyr_json_array(json, "rows");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        pyr_json_object(json, NULL);
        put_members(json, json_array_get(rows, i), row_members);
        pyr_json_close(json);
    }
    pyr_json_close(json);
    put_object(json, "you", json_object_get(board, "you"), row_members);
    pyr_json_close(json);
}

static void print_json(const struct there *there, const struct found *found)
{
    const json_t *days = json_object_get(found->daily, "streak_days");
    struct pyr_json *json = cli_json_begin();
    pyr_json_object(json, NULL);
    pyr_json_text(json, "server", there_url(there));
    pyr_json_object(json, "day");
    put_members(json, of_day(found), day_members);
    pyr_json_close(json);
    put_object(json, "you", json_object_get(of_day(found), "you"), own_members);
    put_results(json, json_object_get(found->day, "results"));
    pyr_json_number(json, "streak", number_of(found->daily, "streak"));
    pyr_json_number(json, "best_streak", number_of(found->daily, "best_streak"));
    pyr_json_array(json, "streak_days");
    for (size_t i = 0; i < json_array_size(days); i++)
        pyr_json_bool(json, NULL, json_is_true(json_array_get(days, i)));
    pyr_json_close(json);
    put_object(json, "tomorrow", json_object_get(found->daily, "tomorrow"), next_members);
    pyr_json_object(json, "boards");
    for (unsigned i = 0; i < PERIODS; i++)
        put_board(json, periods[i], found->board[i]);
    pyr_json_close(json);
    pyr_json_close(json);
    cli_json_end(json);
}

/* Text. */

static void print_result(const json_t *you, const json_t *results)
{
    char points[40], luck[40], rate[40], level[256];
    printf(_("Your result: %lld points, place %lld of %lld.\n"), number_of(you, "points"), number_of(you, "place"),
        number_of(you, "of"));
    if (digits_of(you, "luck", 1, luck)[0])
        printf(_("Without luck: %s points, place %lld. Luck: %s. Error rate: %s (%s).\n"),
            digits_of(you, "without_luck", 1, points), number_of(you, "place_without_luck"), luck,
            digits_of(you, "error_rate", 3, rate), pyr_text_level(text_of(you, "level", level)));
    if (json_is_integer(json_object_get(results, "ahead")))
        printf(_("Ahead of %lld percent of the other results.\n"), number_of(results, "ahead"));
}

static void print_day(const struct found *found)
{
    const json_t *day = of_day(found), *you = json_object_get(day, "you"), *results = json_object_get(found->day, "results");
    bool is_open = number_of(day, "closes") > number_of(day, "now");         /* expired attempts count as given up */
    char date[256], median[40];
    const char *state = visit_text(you, "state");
    printf(_("Expedition %lld, %s (UTC). Results so far: %lld.\n"), number_of(day, "number"), text_of(day, "date", date),
        number_of(day, "players"));
    if (!strcmp(state, "over"))
        print_result(you, results);
    else if (!strcmp(state, "running") && number_of(you, "round"))
        printf(_("You have begun it: round %lld, turn %lld.\n"), number_of(you, "round"), number_of(you, "turn"));
    else if (!strcmp(state, "running"))
        puts(_("You have begun it."));
    else if (!strcmp(state, "expired") && is_open)
        puts(_("You have played this day. With --again you can play it once more; that does not count."));
    else if (!strcmp(state, "expired"))
        puts(_("You have begun it and did not finish in time. It does not count."));
    else
        puts(_("You have not played it."));
    if (digits_of(results, "median", 1, median)[0] && json_is_integer(json_object_get(results, "master")))
        printf(_("Median: %s points; Master: %lld points.\n"), median, number_of(results, "master"));
    else if (median[0])
        printf(_("Median: %s points.\n"), median);
    printf(_("Days in a row: %lld; your best: %lld.\n"), number_of(found->daily, "streak"),
        number_of(found->daily, "best_streak"));
}

static void print_row(const json_t *row)
{
    char name[256], luck[40];
    const char *you = json_is_true(json_object_get(row, "you")) ? _(" (you)") : "";
    text_of(row, "name", name);
    long long place = number_of(row, "place"), points = number_of(row, "points");
    if (digits_of(row, "luck", 1, luck)[0])
        printf(_("%5lld. %4lld points, luck %s: %s%s\n"), place, points, luck, name, you);
    else
        printf(_("%5lld. %4lld points: %s%s\n"), place, points, name, you);
}

/* Prints the first rows, and the player's own if it is not among them. */
static void print_board(unsigned period, const json_t *board)
{
    const char *const titles[PERIODS] = { _("Leaderboard of the day:"), _("Leaderboard of the week, best five days:"),
        _("Leaderboard of the month, best twenty days:") };
    const json_t *rows = json_object_get(board, "rows"), *you = json_object_get(board, "you");
    bool is_listed = !json_is_object(you);
    if (!board || !json_array_size(rows))
        return;
    printf("\n%s\n", titles[period]);
    for (size_t i = 0; i < json_array_size(rows) && i < BOARD_ROWS; i++) {
        print_row(json_array_get(rows, i));
        is_listed |= json_is_true(json_object_get(json_array_get(rows, i), "you"));
    }
    if (!is_listed)
        print_row(you);
}

static void print_text(const struct found *found)
{
    char seal[256];
    print_day(found);
    for (unsigned i = 0; i < PERIODS; i++)
        print_board(i, found->board[i]);
    if (text_of(json_object_get(found->daily, "tomorrow"), "commitment", seal)[0])
        printf(_("\nTomorrow's seal: %s\n"), seal);
}

/* Requests. */

/* NULL after a message was printed; also, with may_refuse, without a message if the server refuses. */
static json_t *ask(struct there *there, const char *path, bool may_refuse)
{
    int status;
    json_t *answer = there_ask(there, path, NULL, &status);
    if (!answer || status == 200)
        return answer;
    if (!may_refuse)
        there_refused(there, answer);
    json_decref(answer);
    return NULL;
}

/* False after a message was printed. */
static bool find(struct there *there, const char *wanted, struct found *found)
{
    char path[100], date[PYR_DAILY_DATE];
    int32_t day;
    *found = (struct found){ .daily = ask(there, "/api/daily", false) };
    if (!found->daily)
        return false;
    const char *today = visit_text(json_object_get(found->daily, "today"), "date");
    if (!pyr_daily_read_date(wanted ? wanted : today, strlen(wanted ? wanted : today), &day)) {
        cli_error(_("%s: not a Pyramids server"), there_url(there));
        return false;
    }
    pyr_daily_write_date(day, date);
    snprintf(path, sizeof path, "/api/daily/%s", date);
    if (!(found->day = ask(there, path, false)))
        return false;
    for (unsigned i = 0; i < PERIODS; i++) {
        snprintf(path, sizeof path, "/api/daily/%s/board?period=%s", date, periods[i]);
        found->board[i] = ask(there, path, true);
    }
    return true;
}

static void forget(struct found *found)
{
    json_decref(found->daily);
    json_decref(found->day);
    for (unsigned i = 0; i < PERIODS; i++)
        json_decref(found->board[i]);
}

static int print_found(struct there *there, const struct daily_there *options, bool json)
{
    struct found found;
    bool is_good = find(there, options->date, &found);
    if (is_good && json)
        print_json(there, &found);
    else if (is_good)
        print_text(&found);
    forget(&found);
    return is_good ? CLI_GOOD : cli_is_interrupted() ? CLI_INTERRUPTED : CLI_WRONG;
}

/* Playing. */

static int play_table(struct there *there, const struct daily_there *options, const json_t *table, bool *is_over)
{
    char code[40], back[700];
    if (!visit_copy_code(code, sizeof code, visit_text(table, "code"))) {
        cli_error(_("%s: not a Pyramids server"), there_url(there));
        return CLI_WRONG;
    }
    snprintf(back, sizeof back, "pyramids daily --server %s%s%s%s --plain", there_url(there),
        options->date ? " --date " : "", options->date ? options->date : "", options->again ? " --again" : "");
    const struct plain_options plain = { .players = PYR_DAILY_SEATS, .name = options->name, .path = code, .there = there,
        .back = back };
    puts(options->again ? _("This attempt does not count. Type help for help.") :
        _("This attempt counts. You can leave it with quit and continue it until midnight UTC. Type help for help."));
    return plain_play(&plain, is_over);
}

/* If an attempt was made before, it is shown instead. */
static int play(struct there *there, const struct daily_there *options)
{
    int status;
    json_t *body = options->again ? json_pack("{sb}", "again", 1) : json_object();
    if (options->date)
        json_object_set_new(body, "date", json_string(options->date));
    json_t *answer = there_ask(there, "/api/daily", body, &status);
    if (!answer)
        return cli_is_interrupted() ? CLI_INTERRUPTED : CLI_WRONG;
    bool is_made = !strcmp(visit_text(json_object_get(answer, "error"), "code"), "attempted");
    bool is_over = false;
    int code = CLI_GOOD;
    if (is_made)
        puts(_("You have played this day. With --again you can play it once more; that does not count."));
    else if (status == 200 || status == 201)
        code = play_table(there, options, json_object_get(answer, "table"), &is_over);
    else
        code = CLI_WRONG;
    if (code == CLI_WRONG && status >= 400)
        there_refused(there, answer);
    json_decref(answer);
    if (code || !(is_made || is_over))
        return code;
    putchar('\n');
    return print_found(there, options, false);
}

int daily_there(const struct daily_there *options)
{
    cli_catch_interrupt();
    struct there *there = there_open(options->server, options->trusted, options->name);
    if (!there)
        return cli_is_interrupted() ? CLI_INTERRUPTED : CLI_WRONG;
    int code = options->show || options->json ? print_found(there, options, options->json) : play(there, options);
    there_close(there);
    return code;
}
