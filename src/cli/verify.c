/*
 * verify.c: `pyramids verify`: computes every shuffle of a record again.
 *
 * The checks are in src/fair; this file has the sentences and the JSON. A file may have many records, and lines are
 * counted from its beginning.
 */
#include <stdlib.h>
#include <string.h>

#include <pyramids/fair.h>

#include "cli.h"

enum { EDITION, COMMITMENT, JSON, OPTIONS };

/* A word for programs, in the order of enum pyr_fair_code. */
static const char *const code_word[] = { "good", "record", "no-commitment", "under-way", "no-secret", "hex", "seat", "twice",
    "late", "before-commitment", "early", "mismatch", "cards", "day" };

/* One sentence per code: what is wrong and what was expected. Empty if the record is correct. */
static void write_reason(const struct pyr_fair_report *r, char *to, size_t size)
{
    unsigned other = (unsigned)r->other;
    switch (r->code) {
    case PYR_FAIR_RECORD: pyr_text_fault(&r->fault, to, size); break;
    case PYR_FAIR_NO_COMMITMENT:
        snprintf(to, size, _("no commitment before the deal: this shuffle cannot be checked; expected: tag commitment HEX"));
        break;
    case PYR_FAIR_UNDER_WAY:
        snprintf(to, size, _("no secret yet, because the game is under way; it is revealed after the winner"));
        break;
    case PYR_FAIR_NO_SECRET:
        snprintf(to, size, _("the game is over, but the secret is missing; expected: tag secret HEX"));
        break;
    case PYR_FAIR_HEX:
        snprintf(to, size, _("not a number of the shuffle; expected 64 hexadecimal digits (0 to 9, a to f)"));
        break;
    case PYR_FAIR_SEAT:
        snprintf(to, size, _("a number for a seat that is not in this game; expected: tag number SEAT HEX"));
        break;
    case PYR_FAIR_TWICE: snprintf(to, size, _("given twice (first on line %u)"), other); break;
    case PYR_FAIR_LATE:
        snprintf(to, size, _("too late: line %u already deals cards; expected before all deals"), other);
        break;
    case PYR_FAIR_BEFORE_COMMITMENT:
        snprintf(to, size, _("a number before the commitment; expected: tag commitment HEX"));
        break;
    case PYR_FAIR_EARLY:
        snprintf(to, size, _("the secret is revealed before the end of the game; expected after the winner"));
        break;
    case PYR_FAIR_MISMATCH: snprintf(to, size, _("the secret is not the one that line %u commits to"), other); break;
    case PYR_FAIR_CARDS: snprintf(to, size, _("the shuffle gives different cards; expected: %s"), r->expected); break;
    case PYR_FAIR_DAY:
        snprintf(to, size, _("not the cards of a daily expedition; expected three players and no numbers"));
        break;
    case PYR_FAIR_GOOD: to[0] = '\0'; break;
    }
}

/* Begins an object with the position of the record and the result. */
static struct pyr_json *json_place(const struct cli_records *records, bool good, const char *code)
{
    struct pyr_json *json = cli_json_begin();
    pyr_json_object(json, NULL);
    pyr_json_text(json, "file", records->name);
    pyr_json_number(json, "game", records->count ? records->count : 1);
    pyr_json_bool(json, "good", good);
    pyr_json_text(json, "code", code);
    return json;
}

/* A record that cannot be checked: the last message contains the reason. */
static void refuse_with(const struct cli_records *records, const char *code, uint32_t line)
{
    struct pyr_json *json = json_place(records, false, code);
    pyr_json_number(json, "line", line);
    pyr_json_text(json, "reason", cli_last_message());
    pyr_json_close(json);
    cli_json_end(json);
}

/* For a correct record, also the commitment and the numbers, to be compared with what a player saw before the game. */
static void print_json(const struct cli_records *records, const struct pyr_fair_report *r)
{
    char hex[PYR_FAIR_DIGITS + 1], reason[512];
    struct pyr_json *json = json_place(records, !r->code, code_word[r->code]);
    if (r->code) {
        write_reason(r, reason, sizeof reason);
        pyr_json_number(json, "line", r->line);
        pyr_json_text(json, "reason", reason);
    } else {
        pyr_fair_commitment(r->fair.secret, hex);
        pyr_json_text(json, "commitment", hex);
        pyr_json_array(json, "numbers");
        for (unsigned s = 0; s < r->seats; s++) {
            pyr_fair_write_hex(r->fair.number[s], hex);
            pyr_json_text(json, NULL, r->fair.numbers >> s & 1 ? hex : NULL);
        }
        pyr_json_close(json);
        pyr_json_number(json, "deals", r->deals);
        pyr_json_number(json, "shows", r->shows);
        pyr_json_number(json, "reveals", r->reveals);
        pyr_json_number(json, "draws", r->draws);
    }
    pyr_json_close(json);
    cli_json_end(json);
}

/* Whether the record has the commitment that was published before, such as the seal of a daily expedition. NULL: any. */
static bool is_committed(const struct pyr_fair_report *r, const char *commitment)
{
    char hex[PYR_FAIR_DIGITS + 1];
    pyr_fair_commitment(r->fair.secret, hex);
    return !commitment || !strcmp(hex, commitment);
}

/* True if the shuffle is proved fair. A report of a failure is printed here. */
static bool verify_record(const struct cli_records *records, const char *asked, const char *commitment, bool json)
{
    static struct pyr_edition edition;
    struct cli_text text = cli_records_text(records);
    struct pyr_fair_report r;
    char place[4096];
    bool many = cli_records_are_many(records);
    if ((many ? cli_edition_among : cli_edition_for)(asked, &text, &edition)) {
        if (json)
            refuse_with(records, "edition", records->start);
        return false;
    }
    if (pyr_fair_verify(&edition, text.at, text.size, &r)) {
        char reason[512];
        /* Lines count from the beginning of the file. */
        r.line += r.line ? records->first - 1 : 0;
        r.other += r.other ? records->first - 1 : 0;
        write_reason(&r, reason, sizeof reason);
        cli_line_error(text.name, r.line, "%s", reason);
    }
    if (!r.code && !is_committed(&r, commitment)) {
        cli_line_error(text.name, records->start, _("the secret of the cards does not match --commitment"));
        if (json)
            refuse_with(records, "other-commitment", records->start);
        return false;
    }
    snprintf(place, sizeof place, "%s:%u", text.name, (unsigned)records->start);
    if (json)
        print_json(records, &r);
    else if (!r.code)
        printf(_("%s: fair: the secret matches its commitment, and every card follows from it (numbers added: %u of %u; "
                 "deals: %u, shows: %u, reveals: %u, draws: %u)\n"),
            many ? place : text.name, r.numbers, r.seats, r.deals, r.shows, r.reveals, r.draws);
    return !r.code;
}

/* All records of a file; one that is wrong does not stop the others. */
static int verify_file(const char *path, const char *asked, const char *commitment, bool json)
{
    struct cli_records records;
    unsigned fair = 0, games = 0;
    int got = -1;
    bool many = false;
    if (cli_records_open(&records, path))
        while ((got = cli_records_next(&records)) > 0) {
            games++;
            many = cli_records_are_many(&records);
            fair += verify_record(&records, asked, commitment, json);
        }
    if (got < 0 && json)
        refuse_with(&records, "file", 0);
    if (many && !json)
        printf(_("%s: games: %u, fair: %u, not proved: %u\n"), records.name, games, fair, games - fair);
    cli_records_close(&records);
    return got < 0 || fair < games ? CLI_WRONG : CLI_GOOD;
}

int cli_verify(int argc, char **argv)
{
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "edition", 'e', "E", _("a built-in edition or a file (default: the one the record names)") },
        { "commitment", 0, "HEX", _("also check the secret against this commitment") },
        { "json", 0, NULL, _("print one line of JSON per record") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "verify FILE [--edition E] [--commitment HEX] [--json]",
        _("Were the cards shuffled fairly? Recomputes every deal, show, reveal and draw from the secret and the\n"
          "players' numbers in a finished record, and checks that the secret is the one the server committed to\n"
          "before the deal. Compare the commitment and your number (--json prints them) with those you saw before\n"
          "the game, or let --commitment compare it: for a daily expedition, that is the seal which was shown the\n"
          "day before. A file may hold many records, as 'pyramids export' writes them. - is standard input."),
        option,
        "  pyramids verify game.pyr\n"
        "  pyramids verify --json - < game.pyr\n"
        "  pyramids verify game.pyr --edition mybox.edition\n"
        "  pyramids export | pyramids verify -\n",
    };
    int code = cli_parse(&options, &argc, argv, value);
    if (code >= 0)
        return code;
    if (argc != 1) {
        cli_error(_("expected one record"));
        return CLI_USAGE;
    }
    uint8_t bytes[PYR_FAIR_BYTES];
    if (value[COMMITMENT] && !pyr_fair_read_hex(value[COMMITMENT], strlen(value[COMMITMENT]), bytes)) {
        cli_error(_("--commitment: expected 64 hexadecimal digits (0 to 9, a to f)"));
        return CLI_USAGE;
    }
    return verify_file(argv[0], value[EDITION], value[COMMITMENT], cli_json_wanted(value[JSON]));
}
