/*
 * remote.c: see remote.h. The game itself is a pyr_remote (session/remote.h): this file has the screens before it,
 * requests over HTTP, the connection, and the files on the disk.
 *
 * Stages: VISITOR (our identity) -> LIST or CODE (which table?) -> OPENING -> ROOM (waiting for players) -> PLAY. From
 * OPENING on the state of the table is the session's; this file only does what the session asks for (carry) and shows its
 * events (on_event).
 *
 * Files, besides the cookie of the server (visit.h): CODE.table with a draft and unanswered messages, and `numbers`
 * with our part of each shuffle. Everything runs in the main thread; net.c has its own thread and passes events
 * through a queue.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pyramids/builtin.h>
#include <pyramids/remote.h>

#include "carrier.h"
#include "remote.h"

#define MOST_TABLES 64           /* in the list */
#define NAME_ROOM (PYR_MAX_PLAYER_NAME + 1) /* bytes */
#define MOST_RETRY 8.0           /* the longest pause between two attempts to connect, in seconds */
#define CODE_ROOM PYR_REMOTE_CODE

/* The order matters for comparisons such as stage >= STAGE_OPENING. */
enum stage { STAGE_VISITOR, STAGE_LIST, STAGE_CODE, STAGE_OPENING, STAGE_ROOM, STAGE_PLAY };

/* Requests, by purpose. */
enum { ASK_VISITOR, ASK_NEW_VISITOR, ASK_TABLES, ASK_CREATE, ASK_EDITION, ASK_RECORD, ASK_REMATCH, ASK_STILL_KNOWN,
    ASK_DAILY, ASK_PEOPLE };

/* A line of the list. */
struct offer {
    char code[CODE_ROOM], text[300];
    bool waits;
};

/* A visit to a server. Owned by app->remote; used by the main thread only. */
struct remote {
    struct carrier carrier;
    enum stage stage;
    struct visit visit;
    char trusted[PATH_MAX], name[NAME_ROOM];
    char code[CODE_ROOM], key[CODE_ROOM], title[300];
    double retry_at, wait;       /* when to ask again for our identity; the length of the next pause */

    /* The list, and a code being typed. */
    struct offer offer[MOST_TABLES];
    unsigned offers, at;         /* how many; the index of the one under the cursor */
    char note[300];              /* an error, shown in the list and in the room */
    char cause[700];             /* why there is no connection yet, as a sentence */
    double list_at;              /* when to request the list again, by app_seconds */

    /* The table. */
    struct pyr_remote table;
    bool sat, asked_record;      /* done during this visit */
    uint32_t told;               /* the number of lines when the story last looked at the log */
    char past[PYR_MAX_SEATS][80];                /* the record against the person at a seat, and their rating; "" if there
                                                    is none */
    char people[PYR_MAX_SEATS * NAME_ROOM];      /* the people for whom that was requested */
    char said[NAME_ROOM + 100];                  /* the last reaction, shown in the room */
    char kept[PYR_REMOTE_SAVED]; /* the content of its file on the disk */
    size_t kept_size;
};

/* Helpers. */

static uint64_t now_ms(void)
{
    return (uint64_t)(app_seconds() * 1000);
}

/* Whether this visitor plays at the table, instead of only watching. */
static bool has_seat(const struct remote *remote)
{
    return remote->table.you < remote->table.seats;
}

/* Takes the body. Answers arrive as NET_ANSWER with the same id. */
static void ask(struct remote *remote, int id, const char *path, json_t *body)
{
    char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
    net_request(remote->carrier.net, id, path, text);
    free(text);
    json_decref(body);
}

/* The id of the next message. It is random, so that no two windows of one visitor use the same; the server recognises a
 * message that is sent again. False without entropy: nothing is sent. */
static bool new_id(uint8_t id[16])
{
    return !getentropy(id, 16);
}

/* Ends at the size, or at the first character that must not be shown. */
static void copy_text(char *to, size_t size, const char *text)
{
    pyr_word_copy(pyr_word_of(text), to, size);
}

/* A person's name as it is shown; for players without a name, in the language of this screen. */
static void copy_person(char *to, size_t size, const char *name)
{
    copy_text(to, size, name);
    if (!strcmp(to, PYR_NAMELESS))
        copy_text(to, size, _("Player"));
}

/* Reads a table's code as people type it: in lower case, with blanks and dashes in between. */
static bool copy_table_code(char *to, size_t size, const char *typed)
{
    char code[64];
    size_t length = 0;
    for (; *typed && length + 1 < sizeof code; typed++)
        if (!strchr(" -", *typed))
            code[length++] = (char)(*typed >= 'a' && *typed <= 'z' ? *typed - 'a' + 'A' : *typed);
    code[length] = '\0';
    return !*typed && visit_copy_code(to, size, code);
}

static void note_error(struct remote *remote, const char *code)
{
    visit_refusal(code, remote->note, sizeof remote->note);
}

static void note_cause(struct remote *remote, int status)
{
    snprintf(remote->cause, sizeof remote->cause, "%s: %s", remote->visit.url, visit_cause(status));
}

/* Connecting. */

/* Only for the first request; the session itself reconnects to a table. The pause doubles, up to MOST_RETRY. */
static void retry_later(struct remote *remote)
{
    remote->retry_at = app_seconds() + remote->wait;
    remote->wait = remote->wait * 2 > MOST_RETRY ? MOST_RETRY : remote->wait * 2;
}

/* Paths next to the file with our identity: what another visit to a table needs, and the numbers of all tables. */
static bool path_beside(const struct remote *remote, const char *code, const char *ending, char *to, size_t size)
{
    int length = snprintf(to, size, "%s%s%s.%s", remote->visit.cookie_path, code[0] ? "." : "", code, ending);
    return remote->visit.cookie_path[0] && length > 0 && (size_t)length < size;
}

/* Saves what would be lost at the end of this program: a draft, unanswered messages, the number for a waiting table. It
 * is called very often and writes rarely, so it first compares with what is on the disk. */
static void keep_table(struct remote *remote)
{
    const struct pyr_remote *table = &remote->table;
    char text[PYR_REMOTE_SAVED], path[PATH_MAX];
    if (table->state == PYR_TABLE_UNKNOWN || !path_beside(remote, table->code, "table", path, sizeof path))
        return;
    bool has_draft = table->muted || table->sent_count || table->saved.count ||
        (has_seat(remote) && table->match->choice[table->you].count);
    bool is_needed = table->state == PYR_TABLE_WAITING ? table->number[0] != '\0' :
        table->state == PYR_TABLE_RUNNING && has_seat(remote) && has_draft;
    size_t size = is_needed ? pyr_remote_save(table, text, sizeof text) : 0;
    if (size == remote->kept_size && !memcmp(text, remote->kept, size))
        return;
    if (size)
        save_write(path, text, size);        /* if that fails, it is kept as long as this program runs */
    else
        unlink(path);
    memcpy(remote->kept, text, size);
    remote->kept_size = size;
}

/* Opens the table of remote->code; remote_tick connects. The state is restored from the disk if it belongs to this table. */
static void go_to_table(struct remote *remote, struct app *app)
{
    char path[PATH_MAX], *text = NULL;
    remote->stage = STAGE_OPENING;
    remote->note[0] = '\0';
    remote->sat = remote->asked_record = false;
    remote->told = 0;
    remote->people[0] = remote->said[0] = '\0';
    memset(remote->past, 0, sizeof remote->past);
    remote->kept_size = 0;
    pyr_remote_init(&remote->table, &app->match, remote->code);
    if (path_beside(remote, remote->code, "table", path, sizeof path))
        text = save_read(path, sizeof remote->kept, &remote->kept_size);
    if (text && pyr_remote_restore(&remote->table, text, remote->kept_size))
        memcpy(remote->kept, text, remote->kept_size);
    else
        remote->kept_size = 0;
    free(text);
}

/* With a cookie, asks the server whether it recognises us; without one we become a new visitor. */
static void ask_who(struct remote *remote)
{
    remote->retry_at = 0;
    ask(remote, remote->visit.cookie[0] ? ASK_VISITOR : ASK_NEW_VISITOR, "/api/visitor",
        visit_question(&remote->visit, remote->name));
}

static void become_new(struct remote *remote)
{
    visit_forget(&remote->visit);
    ask_who(remote);
}

/* The list is requested again after 5 seconds. */
static void ask_tables(struct remote *remote)
{
    remote->list_at = app_seconds() + 5;
    ask(remote, ASK_TABLES, "/api/tables", NULL);
}

/* The server recognises us. Its cookie may be a new one and is stored. */
static void on_known_visitor(struct remote *remote, struct app *app)
{
    visit_keep(&remote->visit, remote->carrier.net);
    remote->wait = 0.5;
    remote->cause[0] = '\0';
    if (remote->code[0]) {
        go_to_table(remote, app);
    } else if (app->options->daily) {
        json_t *body = app->options->daily_again ? json_pack("{sb}", "again", 1) : json_object();
        if (app->options->daily_date)
            json_object_set_new(body, "date", json_string(app->options->daily_date));
        ask(remote, ASK_DAILY, "/api/daily", body);
    } else {
        remote->stage = STAGE_LIST;
        ask_tables(remote);
    }
}

/* Tables. */

/* A server may send anything: tables without a valid code are left out. */
static void read_offer(struct remote *remote, const json_t *table)
{
    struct offer *offer = &remote->offer[remote->offers];
    const json_t *seats = json_object_get(table, "seats");
    char names[200] = "";
    unsigned free_seats = 0;
    size_t count = json_array_size(seats);
    if (!visit_copy_code(offer->code, sizeof offer->code, visit_text(table, "code")))
        return;
    for (size_t i = 0; i < count && i < PYR_MAX_SEATS; i++) {
        const json_t *seat = json_array_get(seats, i);
        char name[NAME_ROOM];
        copy_person(name, sizeof name, visit_text(seat, "name"));
        if (!strcmp(visit_text(seat, "kind"), "bot") && pyr_text_bot(name) != name)
            snprintf(name, sizeof name, "%s", pyr_text_bot(name));
        if (!strcmp(visit_text(seat, "kind"), "open"))
            free_seats++;
        else
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%.40s", names[0] ? ", " : "", name);
    }
    offer->waits = !strcmp(visit_text(table, "state"), "waiting");
    if (json_integer_value(json_object_get(table, "you")) > 0)
        snprintf(offer->text, sizeof offer->text, _("%s: %s; you have a seat here"), offer->code, names);
    else if (offer->waits)
        snprintf(offer->text, sizeof offer->text,
            pyr_ngettext("%s: %s; %u seat is free", "%s: %s; %u seats are free", free_seats), offer->code, names,
            free_seats);
    else
        snprintf(offer->text, sizeof offer->text, _("%s: %s; in progress, you can watch"), offer->code, names);
    remote->offers++;
}

/* `at` counts the two lines below the tables as well. */
static void read_tables(struct remote *remote, const json_t *answer)
{
    const json_t *tables = json_object_get(answer, "tables");
    remote->offers = 0;
    for (size_t i = 0; i < json_array_size(tables) && remote->offers < MOST_TABLES; i++)
        read_offer(remote, json_array_get(tables, i));
    if (remote->at > remote->offers + 1)
        remote->at = 0;
}

static void set_edition(struct remote *remote, struct app *app, const char *text, size_t size)
{
    struct pyr_fault fault;
    if (pyr_edition_read(&app->edition, text, size, &fault)) {
        app_fail(app, _("the server's edition %s cannot be used"), remote->table.edition_name);
        return;
    }
    pyr_remote_set_edition(&remote->table, &app->edition, now_ms());
}

/* A name as one part of a path. `to` has room for three bytes per byte of the name, the most that %XX needs. */
static void put_name(char *to, const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    for (; *name; name++)
        to += sprintf(to, strchr(plain, *name) ? "%c" : "%%%02X", (unsigned char)*name);
}

/* A built-in edition is used directly; any other one is fetched from the server. */
static void want_edition(struct remote *remote, struct app *app)
{
    char path[3 * PYR_MAX_NAME + 32] = "/api/editions/";
    const char *text = pyr_builtin_edition(remote->table.edition_name);
    if (text) {
        set_edition(remote, app, text, strlen(text));
        return;
    }
    put_name(path + strlen(path), remote->table.edition_name);
    ask(remote, ASK_EDITION, path, NULL);
}

/* Sets the players, and the seat whose view is shown. */
static void show_players(const struct remote *remote, struct app *app)
{
    const struct pyr_remote *table = &remote->table;
    struct pyr_word names[PYR_MAX_SEATS];
    unsigned count = pyr_record_player_names(app->match.log.text, app->match.log.start[app->match.log.lines], names);
    for (unsigned s = 0; s < count; s++) {
        char name[sizeof app->names[s]];
        pyr_word_copy(names[s], name, sizeof name);
        copy_person(app->names[s], sizeof app->names[s], name);
        if (s < table->seats && table->seat[s].kind == PYR_SEAT_BOT)
            snprintf(app->names[s], sizeof app->names[s], "%s", pyr_text_bot(table->seat[s].name));
    }
    app->people = has_seat(remote) ? 1u << table->you : 0;
    if (has_seat(remote))
        app->seat = table->you;
}

/* If the log got shorter, it was sent again from its beginning, so the story starts over, too. */
static void on_lines(struct remote *remote, struct app *app)
{
    if (app->match.log.lines < remote->told)
        story_finish(&app->story);
    remote->told = app->match.log.lines;
    show_players(remote, app);
    if (app->match.replay.stage >= PYR_STAGE_PLAY)
        remote->stage = STAGE_PLAY;
}

/* When a game is over all deals are open; the replay shows them. */
static void want_record(struct remote *remote)
{
    char path[CODE_ROOM + 32];
    if (remote->asked_record)
        return;
    remote->asked_record = true;
    snprintf(path, sizeof path, "/api/tables/%s/record", remote->code);
    ask(remote, ASK_RECORD, path, NULL);
}

#define NUMBERS_SIZE 16384       /* bytes of the file: about 100 tables, latest first */

/* Stores our number for a table and the commitment that was published before (docs/fair-shuffle.md), to compare when the
 * game is over. */
static void note_number(const struct remote *remote)
{
    const struct pyr_remote *table = &remote->table;
    char path[PATH_MAX], fresh[NUMBERS_SIZE];
    size_t size = 0;
    if (!path_beside(remote, "", "numbers", path, sizeof path))
        return;
    char *text = save_read(path, NUMBERS_SIZE, &size);
    int length = snprintf(fresh, sizeof fresh, "%s %s %s\n%s", table->code, table->number,
        table->commitment[0] ? table->commitment : "-", text ? text : "");
    if (length >= (int)sizeof fresh)         /* the oldest ones are left out */
        length = (int)(strrchr(fresh, '\n') + 1 - fresh);
    save_write(path, fresh, (size_t)length);
    free(text);
}

/* Once per visit to a table: a refusal is shown and not repeated. The number is our part of the shuffle. It is drawn
 * after the server's commitment, and stored only if it is new. */
static void sit(struct remote *remote)
{
    struct pyr_remote *table = &remote->table;
    bool has_number = table->number[0];
    uint8_t number[32], id[16];
    if (remote->sat || getentropy(number, sizeof number) || !new_id(id))
        return;
    remote->sat = true;
    if (pyr_remote_sit(table, PYR_NOBODY, remote->key, number, id, now_ms()) && !has_number)
        note_number(remote);
}

/* Head-to-head results and ratings, requested again when other people take seats. */
static void want_people(struct remote *remote)
{
    const struct pyr_remote *table = &remote->table;
    char people[sizeof remote->people] = "", path[CODE_ROOM + 32];
    for (unsigned s = 0; s < table->seats; s++)
        if (table->seat[s].kind == PYR_SEAT_PERSON)
            snprintf(people + strlen(people), sizeof people - strlen(people), "%u%s\n", s, table->seat[s].name);
    if (table->state != PYR_TABLE_WAITING || !strcmp(people, remote->people))
        return;
    memcpy(remote->people, people, sizeof people);
    snprintf(path, sizeof path, "/api/tables/%s/people", remote->code);
    ask(remote, ASK_PEOPLE, path, NULL);
}

static void on_table(struct remote *remote, struct app *app)
{
    if (remote->table.state == PYR_TABLE_CLOSED) {
        app_fail(app, "%s", _("the table was closed"));
        return;
    }
    if (remote->stage < STAGE_ROOM)
        remote->stage = STAGE_ROOM;
    if (remote->table.state == PYR_TABLE_WAITING && !has_seat(remote))
        sit(remote);
    want_people(remote);
    show_players(remote, app);
}

static void note_rule(struct remote *remote, const char *rule)
{
    snprintf(remote->note, sizeof remote->note, _("The rules do not allow it (%.8s)."), rule);
}

/* If the table was chosen from the list, an unknown table leads back to the list; if it was named on the command line,
 * the program ends. */
static void on_refused(struct remote *remote, struct app *app, const struct pyr_remote_event *event)
{
    bool is_choice = event->number == PYR_REMOTE_CHOOSE || event->number == PYR_REMOTE_RETRACT;
    note_error(remote, event->code);
    if (!strcmp(event->code, "no_table")) {
        if (app->options->table) {
            app_fail(app, _("%s: unknown table"), remote->code);
        } else {
            remote->stage = STAGE_LIST;
            remote->code[0] = '\0';
            net_close(remote->carrier.net);
        }
        return;
    }
    if (!strcmp(event->code, "illegal"))
        note_rule(remote, event->rule);
    if (event->number == PYR_REMOTE_REACT || (is_choice && !remote->table.resend_at))    /* otherwise it is sent again */
        app_say(app, ST_BAD, "%s", remote->note);
}

/* The server had another choice of ours than this screen, or none. */
static void on_other_choice(struct remote *remote, struct app *app, const char *code)
{
    note_error(remote, code);
    if (!strcmp(code, "no_choice"))          /* the choice to be taken back never arrived */
        app_say(app, ST_TEXT, "%s", _("Your choice is open again."));
    else
        app_say(app, ST_BAD, "%s", remote->note);
}

static void on_bad_lines(struct remote *remote, struct app *app)
{
    char sentence[600];
    carrier_bad_lines(&remote->table, sentence, sizeof sentence);
    app_fail(app, "%s", sentence);
}

/* The server also sends back the player's own reaction: then the others have seen it. */
static void on_reaction(struct remote *remote, struct app *app, int32_t number)
{
    unsigned seat = (unsigned)number >> 3, symbol = number & 7;
    char name[NAME_ROOM];
    copy_person(name, sizeof name, remote->table.seat[seat].name);
    snprintf(remote->said, sizeof remote->said, "%s: %.90s", name, pyr_text_reaction(symbol));
    if (remote->stage != STAGE_PLAY)
        return;
    story_say(&app->story, remote->said);
    app_say(app, ST_TOUCH, "%s", remote->said);
}

static void on_event(struct remote *remote, struct app *app, const struct pyr_remote_event *event)
{
    switch (event->kind) {
    case PYR_REMOTE_TABLE: on_table(remote, app); break;
    case PYR_REMOTE_LINES: on_lines(remote, app); break;
    case PYR_REMOTE_EDITION: want_edition(remote, app); break;
    case PYR_REMOTE_IS_OVER: want_record(remote); break;
    case PYR_REMOTE_REFUSED: on_refused(remote, app, event); break;
    case PYR_REMOTE_BAD_LINES: on_bad_lines(remote, app); break;
    case PYR_REMOTE_REACTION: on_reaction(remote, app, event->number); break;
    case PYR_REMOTE_READY:
        if (event->code[0])
            on_other_choice(remote, app, event->code);
        break;
    case PYR_REMOTE_DONE:
        if (event->number == PYR_REMOTE_RETRACT)
            app_say(app, ST_TEXT, "%s", _("Your choice is open again."));
        else if (event->number == PYR_REMOTE_SIT)
            remote->note[0] = '\0';
        break;
    default: break;                          /* presence is read when it is drawn */
    }
}

/* An event may end the program (app->error); then nothing more is shown. */
static void take_events(struct remote *remote, struct app *app)
{
    for (struct pyr_remote_event event; !app->error && (event = pyr_remote_event(&remote->table)).kind;)
        on_event(remote, app, &event);
}

/* Switches to the next table over the same connection; nothing of this one stays. */
static void begin_rematch(struct remote *remote, struct app *app, const char *code)
{
    if (remote->stage != STAGE_PLAY || !visit_copy_code(remote->code, sizeof remote->code, code))
        return;
    keep_table(remote);
    remote->key[0] = '\0';
    go_to_table(remote, app);
    memset(app->hand, 0, sizeof app->hand);
    story_finish(&app->story);
    app->message[0] = '\0';
    app->peek = false;
    app->sheet = SHEET_NONE;
    if (remote->carrier.is_open)
        pyr_remote_connected(&remote->table, now_ms());
}

static void answer_edition(struct remote *remote, struct app *app, const struct net_event *event)
{
    if (event->status != 200 || !event->text) {
        app_fail(app, _("the server's edition %s cannot be used"), remote->table.edition_name);
        return;
    }
    set_edition(remote, app, event->text, event->size);
}

/* The whole record of a game that is over, with all deals, for the replay. */
static void answer_record(struct remote *remote, struct app *app, const struct net_event *event)
{
    if (event->status == 200 && event->text && remote->stage == STAGE_PLAY && pyr_match_is_over(&app->match) &&
        !pyr_remote_set_record(&remote->table, event->text, event->size, NULL))
        story_finish(&app->story);
}

/* Our identity: the first thing that is requested from a server. */
static void answer_visitor(struct remote *remote, struct app *app, const struct net_event *event, const json_t *answer)
{
    if (visit_is_stranger(event->status, answer)) {
        app_fail(app, _("%s: not a Pyramids server"), remote->visit.url);
    } else if (event->id == ASK_VISITOR && event->status == 401) {
        become_new(remote);
    } else if (event->status == 200) {
        on_known_visitor(remote, app);
    } else {
        note_error(remote, visit_text(json_object_get(answer, "error"), "code"));
        app_fail(app, "%s: %s", remote->visit.url, remote->note);
    }
}

/* There was no answer, or the server had an error: retries where that makes sense. */
static void answer_missing(struct remote *remote, struct app *app, const struct net_event *event)
{
    bool first = event->id == ASK_VISITOR || event->id == ASK_NEW_VISITOR || event->id == ASK_DAILY;
    note_cause(remote, event->status);
    if (event->status == NET_UNTRUSTED)
        app_fail(app,
            _("%s: the certificate is not trusted, or belongs to another server; use --trust FILE to trust one you know"),
            remote->visit.url);
    else if (event->status == NET_NO_NAME && remote->stage == STAGE_VISITOR)
        app_fail(app, "%s", remote->cause);
    else if (first)
        retry_later(remote);
    else
        snprintf(remote->note, sizeof remote->note, "%s", _("The server does not answer."));
    if (event->id == ASK_REMATCH)
        app_say(app, ST_BAD, "%s", remote->note);
}

/* The list of tables, a new table, a rematch. */
static void answer_tables(struct remote *remote, struct app *app, const struct net_event *event, const json_t *answer)
{
    const char *error = visit_text(json_object_get(answer, "error"), "code"),
               *code = visit_text(json_object_get(answer, "table"), "code");
    if (event->id == ASK_TABLES && event->status == 200) {
        read_tables(remote, answer);
    } else if (event->id == ASK_CREATE && event->status == 201 && visit_copy_code(remote->code, sizeof remote->code, code)) {
        go_to_table(remote, app);
    } else if (event->id == ASK_DAILY && (event->status == 200 || event->status == 201) &&
        visit_copy_code(remote->code, sizeof remote->code, code)) {
        go_to_table(remote, app);
    } else if (event->id == ASK_DAILY) {
        note_error(remote, error);
        app_fail(app, "%s: %s", remote->visit.url, remote->note);
    } else if (event->id == ASK_REMATCH && event->status == 201) {
        begin_rematch(remote, app, code);
    } else if (error[0]) {
        note_error(remote, error);
        if (event->id == ASK_REMATCH)
            app_say(app, ST_BAD, "%s", remote->note);
    }
}

/* Without an answer the room stays as it was. */
static void answer_people(struct remote *remote, const struct net_event *event)
{
    json_t *answer = event->status == 200 && event->text ? json_loadb(event->text, event->size, 0, NULL) : NULL;
    const json_t *people = json_object_get(answer, "people"), *person;
    size_t i;
    memset(remote->past, 0, sizeof remote->past);
    json_array_foreach(people, i, person) {
        json_int_t seat = json_integer_value(json_object_get(person, "seat")) - 1;
        long won = (long)json_integer_value(json_object_get(person, "won")),
             lost = (long)json_integer_value(json_object_get(person, "lost")),
             equal = (long)json_integer_value(json_object_get(person, "equal")),
             rating = (long)json_integer_value(json_object_get(json_object_get(person, "rating"), "value"));
        if (seat < 0 || seat >= PYR_MAX_SEATS)
            continue;
        char *to = remote->past[seat];
        if (won || lost || equal)
            snprintf(to, sizeof remote->past[seat], _("  head to head %ld : %ld"), won, lost);
        if (rating)
            snprintf(to + strlen(to), sizeof remote->past[seat] - strlen(to), _("  rating %ld"), rating);
    }
    json_decref(answer);
}

/* `event->text` may be anything: if it is not JSON, it gives NULL, and json_object_get of NULL is NULL. */
static void on_answer(struct remote *remote, struct app *app, const struct net_event *event)
{
    json_error_t fault;
    json_t *answer = NULL;
    switch (event->id) {
    case ASK_STILL_KNOWN:
        if (event->status == 401)                /* it has another database: our seat will not come back */
            app_fail(app, "%s: %s", remote->visit.url, pyr_text_refusal("no_visitor"));
        return;
    case ASK_EDITION: answer_edition(remote, app, event); return;
    case ASK_RECORD: answer_record(remote, app, event); return;
    case ASK_PEOPLE: answer_people(remote, event); return;
    default: break;
    }
    bool is_first = event->id == ASK_VISITOR || event->id == ASK_NEW_VISITOR;
    if (event->text)
        answer = json_loadb(event->text, event->size, 0, &fault);
    /* Other servers may answer 501 to a request that they do not know. */
    if (event->status <= 0 || (event->status >= 500 && !(is_first && visit_is_stranger(event->status, answer))))
        answer_missing(remote, app, event);
    else if (is_first)
        answer_visitor(remote, app, event, answer);
    else
        answer_tables(remote, app, event, answer);
    json_decref(answer);
}

/* Messages for an earlier table that arrive before the next one is chosen are ignored. If a connection is refused, the
 * server may no longer recognise us, so that is checked. */
static void on_net(struct remote *remote, struct app *app, const struct net_event *event)
{
    struct pyr_remote *table = remote->stage >= STAGE_OPENING ? &remote->table : NULL;
    if (event->kind == NET_ANSWER)
        on_answer(remote, app, event);
    else if (carrier_take(&remote->carrier, table, event, now_ms()))
        ask(remote, ASK_STILL_KNOWN, "/api/visitor", NULL);
}

/* Messages are stored on the disk before they are sent. */
static void carry(struct remote *remote)
{
    carrier_connect(&remote->carrier, &remote->table, now_ms());
    keep_table(remote);
    carrier_send(&remote->carrier, &remote->table, now_ms());
}

/* Called before every drawing. Events are handled first, since they may change the stage. */
static void remote_tick(struct app *app)
{
    struct remote *remote = app->remote;
    for (struct net_event *event; !app->error && (event = net_next(remote->carrier.net)); net_free(event)) {
        on_net(remote, app, event);
        take_events(remote, app);
    }
    if (app->error)
        return;
    if (remote->stage == STAGE_VISITOR && remote->retry_at > 0 && app_seconds() >= remote->retry_at)
        ask_who(remote);
    if (remote->stage == STAGE_LIST && app_seconds() >= remote->list_at)
        ask_tables(remote);
    if (remote->stage >= STAGE_OPENING)
        carry(remote);
}

/* Choices. */

static void remote_confirm(struct app *app)
{
    uint8_t id[16];
    if (new_id(id))
        pyr_remote_confirm(&app->remote->table, id, now_ms());
}

static void remote_take(struct app *app, pyr_step step)
{
    uint8_t id[16];
    if (new_id(id) && pyr_remote_take(&app->remote->table, step, id, now_ms()))
        app_say(app, ST_TEXT, "%s", _("Sent."));
    else if (pyr_remote_is_pending(&app->remote->table))
        app_say(app, ST_TEXT, "%s", _("The server has not answered yet."));
}

static void remote_retract(struct app *app)
{
    uint8_t id[16];
    if (new_id(id) && pyr_remote_retract(&app->remote->table, id, now_ms()) &&
        app->match.replay.state.open.phase == PYR_KEEP)
        pyr_match_undo(&app->match, app->seat);          /* the cards that were picked stay picked */
}

static bool remote_can_play_again(const struct app *app)
{
    return has_seat(app->remote) && app->remote->table.state == PYR_TABLE_OVER;
}

static bool remote_is_asked_again(const struct app *app)
{
    return app->remote->table.rematch[0] && remote_can_play_again(app);
}

/* The server answers with the code of the new table, the same for everyone who asks. */
static void remote_play_again(struct app *app)
{
    struct remote *remote = app->remote;
    char path[CODE_ROOM + 32];
    if (!remote_can_play_again(app))
        return;
    snprintf(path, sizeof path, "/api/tables/%s/rematch", remote->code);
    ask(remote, ASK_REMATCH, path, json_object());
    app_say(app, ST_TEXT, "%s", _("Sent."));
}

/* Reactions. */

static bool remote_can_react(const struct app *app)
{
    return pyr_remote_may_react(&app->remote->table);
}

/* The seats of other people, as bits. */
static unsigned other_people(const struct pyr_remote *table)
{
    unsigned seats = 0;
    for (unsigned s = 0; s < table->seats; s++)
        seats |= (unsigned)(s != table->you && table->seat[s].kind == PYR_SEAT_PERSON) << s;
    return seats;
}

static void remote_draw_reactions(struct app *app)
{
    const struct pyr_remote *table = &app->remote->table;
    unsigned others = other_people(table);
    bool is_quiet = (table->muted & others) == others;
    const struct key_hint keys[] = { { 'm', "m", is_quiet ? _("show reactions of others") : _("mute reactions of others") },
        { K_ESCAPE, _("Esc"), _("back") } };
    char text[400] = "";
    for (unsigned i = 0; i < PYR_REACTIONS; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u  %.50s", i ? "\n" : "", i + 1, pyr_text_reaction(i));
    struct place place = draw_notice(&app->canvas, _("React"), text, keys, 2);
    for (int i = 0; i < PYR_REACTIONS; i++)
        canvas_place(&app->canvas, place.x, place.y + i, place.width, 1, ACT_KEY, '1' + i);
}

/* Muting keeps the question open, so that its effect can be seen. */
static bool remote_reaction_key(struct app *app, int key)
{
    struct pyr_remote *table = &app->remote->table;
    unsigned others = other_people(table);
    bool is_quiet = (table->muted & others) == others;
    uint8_t id[16];
    if (key == 'm' || key == 'M') {
        for (unsigned s = 0; s < table->seats; s++)
            if (others >> s & 1)
                pyr_remote_mute(table, (pyr_seat)s, !is_quiet);
        return true;
    }
    if (key >= '1' && key < '1' + PYR_REACTIONS && new_id(id))
        pyr_remote_react(table, (unsigned)(key - '1'), id, now_ms());
    return false;
}

/* Wins may be fractions, such as 1.5: a shared win counts as its share. */
static const char *remote_standing(const struct app *app)
{
    const struct pyr_remote *table = &app->remote->table;
    const struct pyr_remote_series *series = &table->series;
    static char text[700];
    char list[600] = "";
    if (!series->games)
        return NULL;
    for (unsigned s = 0; s < table->seats; s++) {
        unsigned won = series->wins[s], cents = won % 100;
        char name[NAME_ROOM], part[8] = "";
        copy_person(name, sizeof name, table->seat[s].name);
        if (cents)
            snprintf(part, sizeof part, cents % 10 ? ".%02u" : ".%u", cents % 10 ? cents : cents / 10);
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s %u%s (%ld)", s ? ", " : "",
            table->seat[s].kind == PYR_SEAT_BOT ? pyr_text_bot(name) : name, won / 100, part, (long)series->points[s]);
    }
    snprintf(text, sizeof text, pyr_ngettext("Won in %u game (points): %s", "Won in %u games (points): %s", series->games),
        series->games, list);
    return text;
}

static bool remote_idle_key(struct app *app, int key)
{
    if (has_seat(app->remote) || !app->match.replay.seats)
        return false;
    /* Spectators may switch seats: they see only what is open. */
    if (key == K_TAB)
        app->seat = (pyr_seat)((app->seat + 1u) % app->match.replay.seats);
    else if (key >= '1' && key < '1' + app->match.replay.seats)
        app->seat = (pyr_seat)(key - '1');
    else
        return false;
    return true;
}

/* Display. */

static bool remote_is_watching(const struct app *app)
{
    return !has_seat(app->remote);
}

/* Quotes a word for a shell. */
static void quote(const char *word, char *to, size_t size)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,+@%=";
    size_t at = 0;
    if (word[0] && strspn(word, plain) == strlen(word)) {
        snprintf(to, size, "%s", word);
        return;
    }
    to[at++] = '\'';
    for (; *word && at + 6 < size; word++) {
        if (*word == '\'')
            at += (size_t)snprintf(to + at, size - at, "'\\''");
        else
            to[at++] = *word;
    }
    to[at++] = '\'';
    to[at] = '\0';
}

/* Quoted for a shell, so that the line can be copied. */
void remote_way_back(const struct remote *remote, char *to, size_t size)
{
    bool goes_on = remote->table.state == PYR_TABLE_WAITING || remote->table.state == PYR_TABLE_RUNNING;
    char url[2 * sizeof remote->visit.url], trusted[PATH_MAX + 64];
    to[0] = '\0';
    if (!has_seat(remote) || !remote->code[0] || !goes_on)
        return;
    quote(remote->visit.url, url, sizeof url);
    quote(remote->trusted, trusted, sizeof trusted);
    snprintf(to, size, _("Back to your seat: pyramids play --server %s --table %s"), url, remote->code);
    if (remote->trusted[0])
        snprintf(to + strlen(to), size - strlen(to), " --trust %s", trusted);
}

/* The time left in minutes and seconds, if the table has a clock. */
static const char *remote_title(struct app *app)
{
    struct remote *remote = app->remote;
    char clock[32] = "";
    uint64_t now = now_ms(), deadline = remote->table.deadline;
    unsigned left = deadline > now ? (unsigned)((deadline - now) / 1000) : 0;
    if (deadline)
        snprintf(clock, sizeof clock, " %u:%02u", left / 60, left % 60);
    if (has_seat(remote))
        snprintf(remote->title, sizeof remote->title, _("table %s%s"), remote->code, clock);
    else
        snprintf(remote->title, sizeof remote->title, _("table %s%s, watching"), remote->code, clock);
    return remote->title;
}

/* The operator's announcement; NULL: none. */
static const char *notice(const struct pyr_remote *table)
{
    static char text[512];
    uint64_t now = now_ms();
    unsigned minutes = table->restart_at > now ? (unsigned)((table->restart_at - now + 59999) / 60000) : 1;
    if (!table->restart_at)
        return table->notice[0] ? table->notice : NULL;
    snprintf(text, sizeof text, pyr_ngettext("The server restarts in %u minute. Your game continues afterwards. %s",
        "The server restarts in %u minutes. Your game continues afterwards. %s", minutes), minutes, table->notice);
    return text;
}

static const char *remote_banner(const struct app *app)
{
    const struct remote *remote = app->remote;
    if (!remote->table.lost_at)
        return remote->table.elsewhere ? _("You are playing this seat in another window. Choose here to take it back.")
                                       : notice(&remote->table);
    return has_seat(remote) ? _("Connection lost: reconnecting. Your marks are safe; nothing is sent twice.") :
        _("Connection lost: reconnecting.");
}

/* The server reports who has chosen and who is connected; the match does not contain it. */
static enum sign remote_sign(const struct app *app, unsigned seat)
{
    const struct pyr_remote *table = &app->remote->table;
    if (seat >= table->seats)
        return SIGN_NONE;
    if (table->ready >> seat & 1)
        return SIGN_READY;
    return table->seat[seat].away || !table->seat[seat].here ? SIGN_AWAY : SIGN_THINKS;
}

static unsigned remote_waiting(const struct app *app)
{
    const struct pyr_remote *table = &app->remote->table;
    return ((1u << table->seats) - 1) & ~table->ready & ~app->people;
}

static bool remote_draws_itself(const struct app *app)
{
    return app->remote->stage != STAGE_PLAY;
}

/* A seat as a line of the room. */
static void put_seat(const struct remote *remote, unsigned s, char *to, size_t size)
{
    const struct pyr_remote_seat *seat = &remote->table.seat[s];
    char name[NAME_ROOM];
    copy_person(name, sizeof name, seat->name);
    if (seat->kind == PYR_SEAT_OPEN)
        snprintf(to, size, _("\n%u  free"), s + 1);
    else if (seat->kind == PYR_SEAT_FRIEND)
        snprintf(to, size, _("\n%u  reserved for %s"), s + 1, name);
    else if (s == remote->table.you)
        snprintf(to, size, _("\n%u  %s (you)"), s + 1, name);
    else
        snprintf(to, size, "\n%u  %s", s + 1, seat->kind == PYR_SEAT_BOT ? pyr_text_bot(name) : name);
}

static bool is_free(const struct pyr_remote_seat *seat)
{
    return seat->kind == PYR_SEAT_OPEN || seat->kind == PYR_SEAT_FRIEND;
}

/* The room before the game: the code to pass on, the seats, and errors. */
static void draw_room(struct remote *remote, struct app *app)
{
    const struct pyr_remote *table = &remote->table;
    char text[2400];
    unsigned free_seats = 0;
    bool asks = table->state == PYR_TABLE_WAITING && !remote->note[0];   /* waiting for a seat: the answer is on its way */
    if (has_seat(remote) || asks)
        snprintf(text, sizeof text, _("Others join with this code: %s\n"), remote->code);
    else
        snprintf(text, sizeof text, _("You are watching table %s; you have no seat here.\n"), remote->code);
    for (unsigned s = 0; s < table->seats; s++) {
        put_seat(remote, s, text + strlen(text), sizeof text - strlen(text));
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s", remote->past[s]);
        free_seats += is_free(&table->seat[s]);
    }
    if (table->series.games)
        snprintf(text + strlen(text), sizeof text - strlen(text), "\n\n%s", remote_standing(app));
    if (remote->said[0])
        snprintf(text + strlen(text), sizeof text - strlen(text), "\n\n%s", remote->said);
    if (remote->note[0])
        snprintf(text + strlen(text), sizeof text - strlen(text), "\n\n%s", remote->note);
    if (table->lost_at)
        snprintf(text + strlen(text), sizeof text - strlen(text), "\n\n%s", _("Connection lost: reconnecting."));
    if (free_seats && table->host && has_seat(remote))
        app_hint(app, 'b', "b", _("fill a free seat with a bot"));
    app_hint(app, 'q', "q", _("quit"));
    bool is_running = table->state == PYR_TABLE_RUNNING;
    draw_notice(&app->canvas, is_running ? _("The players are choosing their first cards") : _("Waiting for players"), text,
        app->hints, app->hint_count);
}

static void remote_draw(struct app *app)
{
    struct remote *remote = app->remote;
    char text[900];
    if (remote->stage == STAGE_ROOM) {
        draw_room(remote, app);
    } else if (remote->stage == STAGE_LIST) {
        const char *items[MOST_TABLES + 2];
        for (unsigned i = 0; i < remote->offers; i++)
            items[i] = remote->offer[i].text;
        items[remote->offers] = _("Create a public table for two");
        items[remote->offers + 1] = _("Type the code of a table");
        app_hint(app, K_ENTER, _("Enter"), _("choose"));
        app_hint(app, K_UP, app->facts.ascii ? "Up" : "↑", _("up"));
        app_hint(app, K_DOWN, app->facts.ascii ? "Down" : "↓", _("down"));
        app_hint(app, 'q', "q", _("quit"));
        snprintf(text, sizeof text, _("Tables on %s"), remote->visit.url);
        draw_list(&app->canvas, text, items, remote->offers + 2, remote->at, remote->note, app->hints, app->hint_count);
    } else if (remote->stage == STAGE_CODE) {
        app_hint(app, K_ENTER, _("Enter"), _("join"));
        app_hint(app, K_ESCAPE, _("Esc"), _("back"));
        snprintf(text, sizeof text, "%s_", remote->code);
        draw_notice(&app->canvas, _("The code of the table"), text, app->hints, app->hint_count);
    } else {
        app_hint(app, 'q', "q", _("quit"));
        if (remote->cause[0])
            snprintf(text, sizeof text, "%s %s", remote->cause, _("Retrying."));
        else
            snprintf(text, sizeof text, remote->retry_at > 0 || remote->table.lost_at
                ? _("No answer from %s yet; retrying.") : _("Connecting to %s."), remote->visit.url);
        draw_notice(&app->canvas, _("Connecting"), text, app->hints, app->hint_count);
        canvas_put(&app->canvas, 1, 0, spinner(app->beat, app->facts.ascii), ST_TOUCH);
    }
}

/* Below the tables there are two more lines: a new table, and typing a code. */
static void list_key(struct remote *remote, struct app *app, int key)
{
    unsigned count = remote->offers + 2;
    if (key == K_DOWN || key == 'j' || key == K_TAB)
        remote->at = (remote->at + 1) % count;
    else if (key == K_UP || key == 'k')
        remote->at = (remote->at + count - 1) % count;
    else if (key == K_ENTER && remote->at < remote->offers) {
        strcpy(remote->code, remote->offer[remote->at].code);
        go_to_table(remote, app);
    } else if (key == K_ENTER && remote->at == remote->offers) {
        ask(remote, ASK_CREATE, "/api/tables",
            json_pack("{s[{ss}{ss}]sb}", "seats", "kind", "open", "kind", "open", "public", 1));
    } else if (key == K_ENTER) {
        remote->stage = STAGE_CODE;
        remote->code[0] = '\0';
    }
}

/* Adds a bot to the first free seat. */
static void add_bot(struct remote *remote)
{
    uint8_t id[16];
    pyr_seat seat = 0;
    while (seat < remote->table.seats && !is_free(&remote->table.seat[seat]))
        seat++;
    if (new_id(id))
        pyr_remote_fill(&remote->table, seat, "club", id, now_ms());
}

/* Codes have only letters and digits, and are shown in capitals. */
static void remote_screen_key(struct app *app, int key)
{
    struct remote *remote = app->remote;
    size_t length = strlen(remote->code);
    if (remote->stage == STAGE_CODE) {
        if (key == K_ESCAPE) {
            remote->code[0] = '\0';
            remote->stage = STAGE_LIST;
        } else if (key == K_BACKSPACE && length) {
            remote->code[length - 1] = '\0';
        } else if (key == K_ENTER && length) {
            go_to_table(remote, app);
        } else if (key > ' ' && key < 127 && length < 12 &&
            ((key | 32) >= 'a' ? (key | 32) <= 'z' : key >= '0' && key <= '9')) {
            remote->code[length] = (char)(key >= 'a' && key <= 'z' ? key - 32 : key);
            remote->code[length + 1] = '\0';
        }
        return;
    }
    if (key == 'q' || key == 'Q')
        app->leave = true;
    else if (key == 12)
        screen_redraw();
    else if (remote->stage == STAGE_LIST)
        list_key(remote, app, key);
    else if (remote->stage == STAGE_ROOM && key == 'b' && remote->table.host)
        add_bot(remote);
}

static void remote_screen_mouse(struct app *app, const struct input *input)
{
    struct remote *remote = app->remote;
    const struct place *place = canvas_find(&app->canvas, input->x, input->y);
    if (!place)
        return;
    if (place->action == ACT_KEY && input->kind == INPUT_CLICK) {
        remote_screen_key(app, place->detail);
    } else if (place->action == ACT_ITEM && remote->stage == STAGE_LIST) {
        remote->at = (unsigned)place->detail;
        if (input->kind == INPUT_CLICK)
            list_key(remote, app, K_ENTER);
    }
}

static bool remote_is_alive(const struct app *app)
{
    (void)app;
    return true;
}

static const char *remote_leaving(const struct app *app)
{
    if (pyr_match_is_over(&app->match))
        return _("It is over, and its record is saved.");
    return has_seat(app->remote) ? _("Your seat is kept: come back with the same command.") :
        _("You are only watching: the game continues without you.");
}

static const struct play_ops remote_ops = { .tick = remote_tick,
    .is_alive = remote_is_alive,
    .title = remote_title,
    .banner = remote_banner,
    .sign = remote_sign,
    .waiting = remote_waiting,
    .leaving = remote_leaving,
    .confirm = remote_confirm,
    .take = remote_take,
    .retract = remote_retract,
    .can_play_again = remote_can_play_again,
    .play_again = remote_play_again,
    .is_asked_again = remote_is_asked_again,
    .is_watching = remote_is_watching,
    .can_react = remote_can_react,
    .draw_reactions = remote_draw_reactions,
    .reaction_key = remote_reaction_key,
    .standing = remote_standing,
    .idle_key = remote_idle_key,
    .draws_itself = remote_draws_itself,
    .draw = remote_draw,
    .screen_key = remote_screen_key,
    .screen_mouse = remote_screen_mouse };

/* Beginning and end. */

/* A link such as https://host/#table/CODE/2/KEY also contains the table. */
static void read_link(struct remote *remote, const char *url)
{
    char copy[400], *rest = NULL;
    const char *at = strstr(url, "#table/");
    if (!at)
        return;
    snprintf(copy, sizeof copy, "%s", at + 7);
    char *code = strtok_r(copy, "/", &rest), *seat = strtok_r(NULL, "/", &rest), *key = strtok_r(NULL, "/", &rest);
    (void)seat;
    if (code)
        copy_table_code(remote->code, sizeof remote->code, code);
    if (key)
        visit_copy_code(remote->key, sizeof remote->key, key);
}

struct remote *remote_create(struct app *app)
{
    const struct tui_options *options = app->options;
    struct remote *remote = calloc(1, sizeof *remote);
    char problem[400];
    if (!remote)
        return NULL;
    visit_init(&remote->visit, options->server);
    snprintf(remote->name, sizeof remote->name, "%s", options->names[0]);
    /* The command for coming back should work in any folder. */
    if (options->trusted && !realpath(options->trusted, remote->trusted))
        snprintf(remote->trusted, sizeof remote->trusted, "%s", options->trusted);
    read_link(remote, options->server);
    if ((options->table && !copy_table_code(remote->code, sizeof remote->code, options->table)) ||
        (options->key && !visit_copy_code(remote->key, sizeof remote->key, options->key))) {
        app_fail(app, _("'%.60s' is not a table code"), options->table ? options->table : options->key);
        goto failed;
    }
    if (!carrier_init(&remote->carrier, &remote->visit, options->trusted, screen_wake, problem, sizeof problem)) {
        app_fail(app, "%s", problem);
        goto failed;
    }
    remote->wait = 0.5;
    app->ops = &remote_ops;
    ask_who(remote);
    return remote;

failed:
    remote_destroy(remote);
    return NULL;
}

/* Unanswered messages are saved for the next visit; the net is destroyed before the rest is freed. */
void remote_destroy(struct remote *remote)
{
    if (!remote)
        return;
    keep_table(remote);
    carrier_finish(&remote->carrier);
    free(remote);
}
