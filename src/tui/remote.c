/*
 * remote.c: see remote.h. The server sends record lines; they are read with the same reader as any record, as the view of one's seat, so that
 * whatever a server sends is either a game by the rules or a message that it is not.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pyramids/builtin.h>

#include "net.h"
#include "remote.h"

#define MOST_TABLES 64
#define NAME_ROOM (PYR_MAX_PLAYER_NAME + 1)
#define MOST_RETRY 8.0           /* seconds between two attempts to connect, at most */
#define CODE_ROOM 40

enum stage { STAGE_VISITOR, STAGE_LIST, STAGE_CODE, STAGE_OPENING, STAGE_ROOM, STAGE_PLAY };

/* Requests by what they are for. */
enum { ASK_WHO, ASK_BE, ASK_TABLES, ASK_CREATE, ASK_EDITION, ASK_RECORD, ASK_REMATCH, ASK_STILL };

struct seat {
    char kind[8];                /* person, open, friend, bot */
    char name[NAME_ROOM];
    bool here, away;
};

struct offer {
    char code[CODE_ROOM], text[300];
    bool waits;
};

struct remote {
    struct net *net;
    enum stage stage;
    /* Our number in the shuffle, and of which table; what the server promised. */
    char number[65], number_of[CODE_ROOM], commitment[65];
    char url[400], cookie_path[PATH_MAX], trusted[PATH_MAX], cookie[512], name[NAME_ROOM], code[CODE_ROOM], key[64], title[300], banner[200];
    bool connected, opened, connecting;
    bool is_forgotten;           /* the server does not know who we were: we become somebody new there */
    double retry_at, wait;       /* when to connect again; how long the next pause is */

    /* The list, and a code being typed. */
    struct offer offer[MOST_TABLES];
    unsigned offers, at;
    char note[300];              /* what went wrong, in the list and in the room */
    char cause[700];             /* why there is no connection yet, as a sentence */
    double list_at;

    /* The table. */
    char state[12];
    unsigned seats, you;         /* you: 1 to 4, 0: watching */
    struct seat seat[PYR_MAX_SEATS];
    bool host, sat;
    bool asked_again;            /* another one has made a rematch */
    char left[CODE_ROOM];        /* the table before a rematch: what is still said of it is passed over */
    bool elsewhere;              /* the seat is played at another screen of the same person */
    char edition_name[PYR_MAX_NAME + 1];
    bool has_edition;

    /* The log. */
    char *text;
    size_t size;
    uint64_t version;
    unsigned ready;              /* bits */
    double deadline;             /* 0: no clock */

    /* A message that has not been answered yet; it is sent again after a new connection. */
    char pending[700], pending_id[40];
    enum { PEND_NOTHING, PEND_CHOOSE, PEND_RETRACT } pending_kind;
    uint64_t pending_phase;
    bool wants_retract;          /* once the choice on its way is answered */
    double resend_at;
    unsigned sent;
    char session[20];
    bool asked_record;
};

/* Little helpers. */

static void send_json(struct remote *remote, json_t *message)
{
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    if (text)
        net_send(remote->net, text);
    free(text);
    json_decref(message);
}

static void ask(struct remote *remote, int id, const char *path, json_t *body)
{
    char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
    net_request(remote->net, id, path, text);
    free(text);
    json_decref(body);
}

static bool random_hex(char *to, size_t bytes)
{
    unsigned char noise[64];
    int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    bool good = file >= 0 && bytes <= sizeof noise && read(file, noise, bytes) == (ssize_t)bytes;
    if (file >= 0)
        close(file);
    for (size_t i = 0; good && i < bytes; i++)
        snprintf(to + 2 * i, 3, "%02x", noise[i]);
    return good;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void copy_text(char *to, size_t size, const char *text)
{
    struct pyr_word word = { text, strlen(text) };
    pyr_word_copy(word, to, size);
}

/* A person's name as it is shown: without one of their own, in the language of this screen. */
static void copy_person(char *to, size_t size, const char *name)
{
    copy_text(to, size, name);
    if (!strcmp(to, PYR_NAMELESS))
        copy_text(to, size, _("Player"));
}

/* A code is for a path and for the screen: letters and digits only. */
static bool copy_code(char *to, size_t size, const char *code)
{
    size_t length = strlen(code);
    if (!length || length >= size || strspn(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != length)
        return false;
    memcpy(to, code, length + 1);
    return true;
}

/* A table's code as people type it: in small letters, with blanks and dashes in between. */
static bool copy_table_code(char *to, size_t size, const char *typed)
{
    char code[64];
    size_t length = 0;
    for (; *typed && length + 1 < sizeof code; typed++)
        if (!strchr(" -", *typed))
            code[length++] = (char)(*typed >= 'a' && *typed <= 'z' ? *typed - 'a' + 'A' : *typed);
    code[length] = '\0';
    return !*typed && copy_code(to, size, code);
}

/* What a server says when it refuses, in words. */
static const char *words_error(const char *code)
{
    static const struct {
        const char *code, *text;
    } errors[] = {
        { "no_table", N_("Unknown table.") },
        { "taken", N_("No seat is free: you are watching.") },
        { "bad_key", N_("The seat is reserved for a friend; this is not its key.") },
        { "begun", N_("The game has started: you are watching.") },
        { "not_host", N_("Only the host of the table can do this.") },
        { "late", N_("Too late: the other players have moved on.") },
        { "not_due", N_("Nothing to decide now.") },
        { "no_choice", N_("Nothing to take back.") },
        { "confirmed", N_("You have already chosen.") },
        { "too_many", N_("The server has too many tables or visitors right now.") },
        { "too_fast", N_("The server asks to slow down.") },
        { "storage", N_("The server could not save it; retrying.") },
        { "stopping", N_("The server is shutting down.") },
        { "bad_name", N_("The server does not accept this name.") },
        { "no_visitor", N_("The server no longer recognises you.") },
        { "unknown_visitor", N_("The server no longer recognises you.") },
        { "bad_cookie", N_("The server cannot read your identity; nothing was changed.") },
        { "no_edition", N_("The server does not have this edition.") },
        { "not_over", N_("The game is not over yet.") },
    };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (!strcmp(errors[i].code, code))
            return _(errors[i].text);
    return NULL;
}

static void note_error(struct remote *remote, const char *code)
{
    const char *words = words_error(code);
    char shown[61];
    if (words) {
        snprintf(remote->note, sizeof remote->note, "%s", words);
    } else {
        copy_text(shown, sizeof shown, code);            /* whatever the server sends, no control characters */
        snprintf(remote->note, sizeof remote->note, _("The server refused: %.60s"), shown);
    }
}

/* Why there was no answer, in words. */
static const char *words_cause(int status)
{
    switch (status) {
    case NET_NO_NAME: return _("unknown host; check the spelling.");
    case NET_NO_LOOKUP: return _("the name cannot be resolved; is this computer online?");
    case NET_REFUSED: return _("connection refused: no server is running there, or it uses another port.");
    case NET_UNREACHABLE: return _("the computer cannot be reached.");
    case NET_NO_TLS: return _("the server does not use TLS; is its address http://?");
    case NET_NO_HTTP: return _("the server does not use plain HTTP; is its address https://?");
    default: return _("the server reports an internal error.");
    }
}

static void note_cause(struct remote *remote, int status)
{
    snprintf(remote->cause, sizeof remote->cause, "%s: %s", remote->url, words_cause(status));
}

/* Connecting. */

static void connect_now(struct remote *remote)
{
    remote->connecting = true;
    remote->retry_at = 0;
    net_open(remote->net, "/api/socket");
}

static void retry_later(struct remote *remote, double seconds)
{
    remote->retry_at = app_seconds() + (seconds > 0 ? seconds : remote->wait);
    remote->wait = remote->wait * 2 > MOST_RETRY ? MOST_RETRY : remote->wait * 2;
}

static void go_to_table(struct remote *remote)
{
    remote->stage = STAGE_OPENING;
    remote->note[0] = '\0';
    remote->version = 0;
    remote->size = 0;
    remote->sat = false;
    remote->wait = 0.5;
    connect_now(remote);
}

static void ask_who(struct remote *remote)
{
    remote->retry_at = 0;
    if (remote->cookie[0])
        ask(remote, ASK_WHO, "/api/visitor", NULL);
    else
        ask(remote, ASK_BE, "/api/visitor", remote->is_forgotten ? json_pack("{ss sb}", "name", remote->name, "new", 1) :
            json_pack("{ss}", "name", remote->name));
}

/* The server does not know us: it has another database, perhaps for a day. Whoever we were is kept beside the file
 * of whom we become. */
static void become_new(struct remote *remote)
{
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s.old", remote->cookie_path);
    if (remote->cookie_path[0])
        save_write(path, remote->cookie, strlen(remote->cookie));
    remote->cookie[0] = '\0';
    remote->is_forgotten = true;
    ask_who(remote);
}

static void ask_tables(struct remote *remote)
{
    remote->list_at = app_seconds() + 5;
    ask(remote, ASK_TABLES, "/api/tables", NULL);
}

static void known(struct remote *remote)
{
    char cookie[sizeof remote->cookie];
    net_cookie(remote->net, cookie, sizeof cookie);
    if (strcmp(cookie, remote->cookie) && cookie[0]) {
        strcpy(remote->cookie, cookie);
        save_write(remote->cookie_path, cookie, strlen(cookie));
    }
    remote->wait = 0.5;
    remote->cause[0] = '\0';
    if (remote->code[0]) {
        go_to_table(remote);
    } else {
        remote->stage = STAGE_LIST;
        ask_tables(remote);
    }
}

/* Tables. */

static void read_offer(struct remote *remote, const json_t *table)
{
    struct offer *offer = &remote->offer[remote->offers];
    const json_t *seats = json_object_get(table, "seats");
    char names[200] = "";
    unsigned free_seats = 0;
    size_t count = json_array_size(seats);
    if (!copy_code(offer->code, sizeof offer->code, text_of(table, "code")))
        return;
    for (size_t i = 0; i < count && i < PYR_MAX_SEATS; i++) {
        const json_t *seat = json_array_get(seats, i);
        char name[NAME_ROOM];
        copy_person(name, sizeof name, text_of(seat, "name"));
        if (!strcmp(text_of(seat, "kind"), "bot") && pyr_text_level(name) != name)
            snprintf(name, sizeof name, "%s", pyr_text_level(name));
        if (!strcmp(text_of(seat, "kind"), "open"))
            free_seats++;
        else
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%.40s", names[0] ? ", " : "", name);
    }
    offer->waits = !strcmp(text_of(table, "state"), "waiting");
    if (json_integer_value(json_object_get(table, "you")) > 0)
        snprintf(offer->text, sizeof offer->text, _("%s: %s; you have a seat here"), offer->code, names);
    else if (offer->waits)
        snprintf(offer->text, sizeof offer->text, pyr_ngettext("%s: %s; %u seat is free", "%s: %s; %u seats are free", free_seats), offer->code, names,
            free_seats);
    else
        snprintf(offer->text, sizeof offer->text, _("%s: %s; in progress, you can watch"), offer->code, names);
    remote->offers++;
}

static void read_tables(struct remote *remote, const json_t *answer)
{
    const json_t *tables = json_object_get(answer, "tables");
    remote->offers = 0;
    for (size_t i = 0; i < json_array_size(tables) && remote->offers < MOST_TABLES; i++)
        read_offer(remote, json_array_get(tables, i));
    if (remote->at > remote->offers + 1)
        remote->at = 0;
}

/* Whose eyes: PYR_SPECTATOR without a seat. */
static pyr_seat viewer(const struct remote *remote)
{
    return remote->you ? (pyr_seat)(remote->you - 1) : PYR_SPECTATOR;
}

static void set_edition(struct remote *remote, struct app *app, const char *text, size_t size)
{
    struct pyr_fault fault;
    if (pyr_edition_read(&app->edition, text, size, &fault)) {
        app_fail(app, _("the server's edition %s cannot be used"), remote->edition_name);
        return;
    }
    remote->has_edition = true;
}

/* A name as one word of an address. */
static void put_name(char *to, const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    for (; *name; name++)
        to += sprintf(to, strchr(plain, *name) ? "%c" : "%%%02X", (unsigned char)*name);
}

static void want_edition(struct remote *remote, struct app *app)
{
    char path[3 * PYR_MAX_NAME + 32] = "/api/editions/";
    const char *text = pyr_builtin_edition(remote->edition_name);
    if (remote->has_edition)
        return;
    if (text) {
        set_edition(remote, app, text, strlen(text));
        return;
    }
    put_name(path + strlen(path), remote->edition_name);
    ask(remote, ASK_EDITION, path, NULL);
}

/* After a new connection the same position comes again: what was placed on it, or sealed, is still so. */
static void keep_draft(const struct remote *remote, const struct pyr_match *before, struct pyr_match *fresh)
{
    size_t size = fresh->log.start[fresh->log.lines];
    if (remote->you && before->edition && before->log.lines == fresh->log.lines && before->log.start[before->log.lines] == size &&
        !memcmp(before->log.text, fresh->log.text, size))
        fresh->choice[remote->you - 1] = before->choice[remote->you - 1];
}

/* The lines so far as a match. */
static void load(struct remote *remote, struct app *app)
{
    struct pyr_fault fault;
    struct pyr_word names[PYR_MAX_SEATS];
    struct pyr_match *fresh;
    if (!remote->has_edition || !remote->size)
        return;
    fresh = malloc(sizeof *fresh);
    if (!fresh)
        return;
    if (pyr_match_load(fresh, &app->edition, remote->text, remote->size, viewer(remote), &fault)) {
        char sentence[512];
        pyr_text_fault(&fault, sentence, sizeof sentence);
        app_fail(app, _("the server sent a game that breaks the rules: %s"), sentence);
        free(fresh);
        return;
    }
    if (fresh->log.lines < app->match.log.lines)
        story_finish(&app->story);
    keep_draft(remote, &app->match, fresh);
    app->match = *fresh;
    free(fresh);
    unsigned count = pyr_record_player_names(app->match.log.text, app->match.log.start[app->match.log.lines], names);
    for (unsigned s = 0; s < count; s++) {
        char name[sizeof app->names[s]];
        pyr_word_copy(names[s], name, sizeof name);
        copy_person(app->names[s], sizeof app->names[s], name);
        if (s < remote->seats && !strcmp(remote->seat[s].kind, "bot"))
            snprintf(app->names[s], sizeof app->names[s], "%s", pyr_text_level(remote->seat[s].name));
    }
    app->people = remote->you ? 1u << (remote->you - 1) : 0;
    app->seat = remote->you ? (pyr_seat)(remote->you - 1) : app->seat;
    if (app->match.replay.stage >= PYR_STAGE_PLAY)
        remote->stage = STAGE_PLAY;
    if (pyr_match_is_over(&app->match) && !remote->asked_record) {
        char path[CODE_ROOM + 32];
        remote->asked_record = true;         /* all deals are open now, for the replay */
        snprintf(path, sizeof path, "/api/tables/%s/record", remote->code);
        ask(remote, ASK_RECORD, path, NULL);
    }
}

static void open_table(struct remote *remote)
{
    send_json(remote, json_pack("{sssssI}", "type", "open", "table", remote->code, "have", (json_int_t)remote->version));
    if (remote->pending_kind)
        net_send(remote->net, remote->pending);
}

#define NUMBERS_SIZE 16384       /* bytes of the file: some 100 tables, the latest first */

/* Our part in the shuffle of a table (docs/fair-shuffle.md): drawn once and kept, with the commitment that was seen
 * before. Whatever the server answers to a `sit`, it gets the same number again, so that it cannot wait for a deal that it
 * likes. */
static bool table_number(struct remote *remote, char number[65])
{
    char path[PATH_MAX + 16], start[CODE_ROOM + 1], fresh[NUMBERS_SIZE];
    size_t size = 0;
    if (!strcmp(remote->number_of, remote->code)) {
        memcpy(number, remote->number, 65);
        return true;
    }
    snprintf(path, sizeof path, "%s.numbers", remote->cookie_path);
    snprintf(start, sizeof start, "%s ", remote->code);
    char *text = remote->cookie_path[0] ? save_read(path, NUMBERS_SIZE, &size) : NULL;
    const char *found = NULL;
    for (const char *line = text; line && *line && !found; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (!strncmp(line, start, strlen(start)) && sscanf(line + strlen(start), "%64[0-9a-f]", number) == 1 &&
            strlen(number) == 64)
            found = line;
    bool good = found || random_hex(number, 32);
    if (good && !found && remote->cookie_path[0]) {
        int length = snprintf(fresh, sizeof fresh, "%s%s %s\n%s", start, number, remote->commitment, text ? text : "");
        if (length >= (int)sizeof fresh)     /* the oldest ones are left out */
            length = (int)(strrchr(fresh, '\n') + 1 - fresh);
        save_write(path, fresh, (size_t)length);         /* if not, it is kept as long as this program runs */
    }
    free(text);
    if (good) {
        memcpy(remote->number, number, 65);
        snprintf(remote->number_of, sizeof remote->number_of, "%s", remote->code);
    }
    return good;
}

static void sit(struct remote *remote)
{
    char number[65];
    if (remote->sat || !table_number(remote, number))
        return;
    remote->sat = true;
    json_t *message = json_pack("{ssssss}", "type", "sit", "id", "sit", "number", number);
    if (remote->key[0])
        json_object_set_new(message, "key", json_string(remote->key));
    send_json(remote, message);
}

static void on_table(struct remote *remote, struct app *app, const json_t *message)
{
    const json_t *seats = json_object_get(message, "seats");
    json_int_t you = json_integer_value(json_object_get(message, "you"));
    size_t count = json_array_size(seats);
    if (remote->left[0] && !strcmp(remote->left, text_of(message, "code")))
        return;
    remote->asked_again = text_of(message, "rematch")[0] != '\0';
    remote->seats = count <= PYR_MAX_SEATS ? (unsigned)count : PYR_MAX_SEATS;
    bool new_seat = remote->you != (you >= 1 && you <= (json_int_t)remote->seats ? (unsigned)you : 0);
    remote->you = you >= 1 && you <= (json_int_t)remote->seats ? (unsigned)you : 0;
    remote->host = json_is_true(json_object_get(message, "host"));
    copy_text(remote->commitment, sizeof remote->commitment, text_of(message, "commitment"));
    /* It is written into a file, where a server has nothing else to say. */
    if (strspn(remote->commitment, "0123456789abcdef") != 64)
        strcpy(remote->commitment, "-");
    copy_text(remote->state, sizeof remote->state, text_of(message, "state"));
    if (!remote->has_edition)
        copy_text(remote->edition_name, sizeof remote->edition_name, text_of(message, "edition"));
    for (unsigned s = 0; s < remote->seats; s++) {
        const json_t *seat = json_array_get(seats, s);
        copy_text(remote->seat[s].kind, sizeof remote->seat[s].kind, text_of(seat, "kind"));
        copy_person(remote->seat[s].name, sizeof remote->seat[s].name, text_of(seat, "name"));
        remote->seat[s].here = json_is_true(json_object_get(seat, "here")) || !strcmp(remote->seat[s].kind, "bot");
        remote->seat[s].away = json_is_true(json_object_get(seat, "away"));
        if (json_is_true(json_object_get(seat, "ready")))
            remote->ready |= 1u << s;
    }
    if (!strcmp(remote->state, "closed")) {
        app_fail(app, "%s", _("the table was closed"));
        return;
    }
    if (remote->stage < STAGE_ROOM)
        remote->stage = STAGE_ROOM;
    if (!strcmp(remote->state, "waiting") && !remote->you)
        sit(remote);
    want_edition(remote, app);
    if (new_seat)
        load(remote, app);
}

static void on_lines(struct remote *remote, struct app *app, const json_t *message)
{
    const json_t *lines = json_object_get(message, "lines");
    json_int_t from = json_integer_value(json_object_get(message, "from")), to = json_integer_value(json_object_get(message, "to"));
    json_int_t left = json_integer_value(json_object_get(message, "left"));
    if (!json_is_array(lines) || from < 0 || to < from || to > 100000)
        return;
    if ((uint64_t)from != remote->version) {
        if ((uint64_t)to <= remote->version)
            return;                          /* known already */
        remote->version = 0;                 /* something is missing: all of it again */
        remote->size = 0;
        open_table(remote);
        return;
    }
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *line = json_array_get(lines, i);
        const char *text = json_string_value(line);
        size_t length = json_string_length(line);
        if (!text || remote->size + length + 2 > PYR_LOG_SIZE || memchr(text, '\n', length)) {
            app_fail(app, "%s", _("the server sent an invalid game record"));
            return;
        }
        memcpy(remote->text + remote->size, text, length);
        remote->size += length;
        remote->text[remote->size++] = '\n';
    }
    if (to != from) {
        remote->ready = 0;
        if (remote->pending_kind && (uint64_t)to > remote->pending_phase)
            remote->pending_kind = PEND_NOTHING;
    }
    remote->version = (uint64_t)to;
    remote->deadline = left >= 0 && left < 1000000000 ? app_seconds() + (double)left / 1000 : 0;
    load(remote, app);
}

static void on_ready(struct remote *remote, struct app *app, const json_t *message)
{
    const json_t *ready = json_object_get(message, "ready");
    json_int_t left = json_integer_value(json_object_get(message, "left"));
    if ((uint64_t)json_integer_value(json_object_get(message, "phase")) != remote->version)
        return;
    remote->ready = 0;
    for (size_t i = 0; i < json_array_size(ready); i++) {
        json_int_t seat = json_integer_value(json_array_get(ready, i));
        if (seat >= 1 && seat <= PYR_MAX_SEATS)
            remote->ready |= 1u << (seat - 1);
    }
    remote->deadline = left >= 0 && left < 1000000000 ? app_seconds() + (double)left / 1000 : 0;
    const char *mine = json_string_value(json_object_get(message, "mine"));
    if (!remote->you || remote->stage != STAGE_PLAY || remote->pending_kind)
        return;
    pyr_seat seat = (pyr_seat)(remote->you - 1);
    struct pyr_pending *choice = &app->match.choice[seat];
    /* Made at another screen, or before this one was started. Takes are told by the lines. */
    if (mine && !choice->confirmed && app->match.replay.state.open.phase != PYR_REPLACE && !pyr_match_choose(&app->match, seat, mine, NULL))
        choice->confirmed = true;
    else if (!mine && choice->confirmed)
        choice->confirmed = false;
}

static void send_choice(struct remote *remote, int kind, const char *choice);

/* An answer to what was sent last. */
static void on_done(struct remote *remote, struct app *app, const json_t *message)
{
    if (strcmp(text_of(message, "id"), remote->pending_id))
        return;
    if (remote->pending_kind == PEND_RETRACT && remote->you) {
        app->match.choice[remote->you - 1].confirmed = false;
        if (app->match.replay.state.open.phase == PYR_KEEP)
            pyr_match_undo(&app->match, (pyr_seat)(remote->you - 1));    /* what was picked is still picked */
        app_say(app, ST_TEXT, "%s", _("Your choice is open again."));
    }
    bool wants_retract = remote->wants_retract && remote->pending_kind == PEND_CHOOSE;
    remote->pending_kind = PEND_NOTHING;
    remote->wants_retract = false;
    if (wants_retract)
        send_choice(remote, PEND_RETRACT, NULL);
}

static void note_rule(struct remote *remote, const char *rule)
{
    char shown[9];
    copy_text(shown, sizeof shown, rule);
    snprintf(remote->note, sizeof remote->note, _("The rules do not allow it (%.8s)."), shown);
}

static void on_error(struct remote *remote, struct app *app, const json_t *message)
{
    const char *code = text_of(message, "code"), *id = text_of(message, "id");
    if (!strcmp(code, "no_table")) {
        if (app->options->table) {
            app_fail(app, _("%s: unknown table"), remote->code);
        } else {
            remote->stage = STAGE_LIST;
            remote->code[0] = '\0';
            net_close(remote->net);
            note_error(remote, code);
        }
        return;
    }
    note_error(remote, code);
    if (!id[0] || strcmp(id, remote->pending_id) || !remote->pending_kind)
        return;
    if (!strcmp(code, "storage") || !strcmp(code, "too_fast") || !strcmp(code, "stopping")) {
        remote->resend_at = app_seconds() + 1;
        return;
    }
    if (remote->pending_kind == PEND_CHOOSE && remote->you && strcmp(code, "confirmed"))
        app->match.choice[remote->you - 1].confirmed = false;
    remote->pending_kind = PEND_NOTHING;
    if (!strcmp(code, "illegal"))
        note_rule(remote, text_of(message, "rule"));
    app_say(app, ST_BAD, "%s", remote->note);
}

static void on_message(struct remote *remote, struct app *app, const char *text, size_t size)
{
    json_error_t fault;
    json_t *message = json_loadb(text, size, JSON_REJECT_DUPLICATES, &fault);
    const char *type = text_of(message, "type");
    if (!strcmp(type, "hello")) {
        remote->connected = true;
        remote->elsewhere = false;
        remote->wait = 0.5;
        open_table(remote);
    } else if (!strcmp(type, "table")) {
        on_table(remote, app, message);
    } else if (!strcmp(type, "lines")) {
        on_lines(remote, app, message);
    } else if (!strcmp(type, "ready")) {
        on_ready(remote, app, message);
    } else if (!strcmp(type, "done")) {
        on_done(remote, app, message);
    } else if (!strcmp(type, "error")) {
        on_error(remote, app, message);
    } else if (!strcmp(type, "elsewhere")) {
        remote->elsewhere = json_is_true(json_object_get(message, "elsewhere"));
    } else if (!strcmp(type, "again")) {
        json_int_t seconds = json_integer_value(json_object_get(message, "seconds"));
        remote->wait = seconds > 0 && seconds < 60 ? (double)seconds : 1;
    }
    json_decref(message);
}

/* To the next table over the same connection; nothing of this one stays. */
static void begin_rematch(struct remote *remote, struct app *app, const char *code)
{
    char next[CODE_ROOM];
    if (remote->stage != STAGE_PLAY || !copy_code(next, sizeof next, code))
        return;
    memcpy(remote->left, remote->code, sizeof remote->left);
    memcpy(remote->code, next, sizeof next);
    remote->key[0] = remote->note[0] = '\0';
    remote->stage = STAGE_OPENING;
    remote->version = remote->size = remote->you = remote->ready = 0;
    remote->sat = remote->asked_record = remote->asked_again = false;
    remote->pending_kind = PEND_NOTHING;
    remote->deadline = 0;
    memset(&app->match, 0, sizeof app->match);
    memset(app->hand, 0, sizeof app->hand);
    story_finish(&app->story);
    app->message[0] = '\0';
    app->peek = false;
    app->sheet = SHEET_NONE;
    if (remote->connected)
        open_table(remote);
}

/* Is it some other server that answers? What a proxy says while ours is away (502 to 504) is none of these answers, nor is an accident (500). */
static bool is_stranger(int status, const json_t *answer)
{
    return status > 0 && (status < 500 || status == 501) && !json_is_object(json_object_get(answer, status == 200 ? "visitor" : "error"));
}

static void answer_edition(struct remote *remote, struct app *app, const struct net_event *event)
{
    if (event->status != 200 || !event->text) {
        app_fail(app, _("the server's edition %s cannot be used"), remote->edition_name);
        return;
    }
    set_edition(remote, app, event->text, event->size);
    load(remote, app);
}

/* The whole record of a game that is over, with all deals, for the replay. */
static void answer_record(struct remote *remote, struct app *app, const struct net_event *event)
{
    if (event->status != 200 || !event->text || remote->stage != STAGE_PLAY || !pyr_match_is_over(&app->match))
        return;
    struct pyr_match *whole = malloc(sizeof *whole);
    if (whole && !pyr_match_load(whole, &app->edition, event->text, event->size, PYR_NOBODY, NULL) && pyr_match_is_over(whole)) {
        app->match = *whole;
        story_finish(&app->story);
    }
    free(whole);
}

/* Who one is: the first thing that a server is asked. */
static void answer_visitor(struct remote *remote, struct app *app, const struct net_event *event, const json_t *answer)
{
    if (is_stranger(event->status, answer)) {
        app_fail(app, _("%s: not a Pyramids server"), remote->url);
    } else if (event->id == ASK_WHO && event->status == 401) {
        become_new(remote);
    } else if (event->status == 200) {
        known(remote);
    } else {
        note_error(remote, text_of(json_object_get(answer, "error"), "code"));
        app_fail(app, "%s: %s", remote->url, remote->note);
    }
}

/* No answer, or the server could not give one: what can be tried again is. */
static void answer_missing(struct remote *remote, struct app *app, const struct net_event *event)
{
    bool first = event->id == ASK_WHO || event->id == ASK_BE;
    note_cause(remote, event->status);
    if (event->status == NET_UNTRUSTED)
        app_fail(app, _("%s: the certificate is not trusted, or belongs to another server; use --trust FILE to "
                        "trust one you know"), remote->url);
    else if (event->status == NET_NO_NAME && remote->stage == STAGE_VISITOR)
        app_fail(app, "%s", remote->cause);
    else if (first)
        retry_later(remote, 0);
    else
        snprintf(remote->note, sizeof remote->note, "%s", _("The server does not answer."));
    if (event->id == ASK_REMATCH)
        app_say(app, ST_BAD, "%s", remote->note);
}

/* Tables: the list, a new one, a rematch. */
static void answer_tables(struct remote *remote, struct app *app, const struct net_event *event, const json_t *answer)
{
    const char *error = text_of(json_object_get(answer, "error"), "code"), *code = text_of(json_object_get(answer, "table"), "code");
    if (event->id == ASK_TABLES && event->status == 200) {
        read_tables(remote, answer);
    } else if (event->id == ASK_CREATE && event->status == 201 && copy_code(remote->code, sizeof remote->code, code)) {
        go_to_table(remote);
    } else if (event->id == ASK_REMATCH && event->status == 201) {
        begin_rematch(remote, app, code);
    } else if (error[0]) {
        note_error(remote, error);
        if (event->id == ASK_REMATCH)
            app_say(app, ST_BAD, "%s", remote->note);
    }
}

static void on_answer(struct remote *remote, struct app *app, const struct net_event *event)
{
    json_error_t fault;
    json_t *answer = NULL;
    switch (event->id) {
    case ASK_STILL:
        if (event->status == 401)                /* its database is another one: the seat will not come back */
            app_fail(app, "%s: %s", remote->url, words_error("no_visitor"));
        return;
    case ASK_EDITION: answer_edition(remote, app, event); return;
    case ASK_RECORD: answer_record(remote, app, event); return;
    default: break;
    }
    bool is_first = event->id == ASK_WHO || event->id == ASK_BE;
    if (event->text)
        answer = json_loadb(event->text, event->size, 0, &fault);
    /* Something else than Pyramids may answer 501 to a question that it does not know. */
    if (event->status <= 0 || (event->status >= 500 && !(is_first && is_stranger(event->status, answer))))
        answer_missing(remote, app, event);
    else if (is_first)
        answer_visitor(remote, app, event, answer);
    else
        answer_tables(remote, app, event, answer);
    json_decref(answer);
}

static void remote_tick(struct app *app)
{
    struct remote *remote = app->remote;
    double now = app_seconds();
    for (struct net_event *event; !app->error && (event = net_next(remote->net)); net_free(event)) {
        switch (event->kind) {
        case NET_OPENED: remote->opened = true; remote->connecting = false; break;
        case NET_TEXT: on_message(remote, app, event->text, event->size); break;
        case NET_ANSWER: on_answer(remote, app, event); break;
        case NET_CLOSED:
            if (remote->stage >= STAGE_OPENING) {
                retry_later(remote, 0);
                if (!remote->opened)             /* refused, or nobody there: is this visitor still known? */
                    ask(remote, ASK_STILL, "/api/visitor", NULL);
            }
            remote->connected = remote->opened = remote->connecting = false;
            break;
        }
    }
    if (remote->retry_at > 0 && now >= remote->retry_at) {
        if (remote->stage == STAGE_VISITOR)
            ask_who(remote);
        else if (remote->stage >= STAGE_OPENING)
            connect_now(remote);
        remote->retry_at = 0;
    }
    if (remote->resend_at > 0 && now >= remote->resend_at) {
        remote->resend_at = 0;
        if (remote->pending_kind && remote->connected)
            net_send(remote->net, remote->pending);
    }
    if (remote->stage == STAGE_LIST && now >= remote->list_at)
        ask_tables(remote);
}

/* Choices. */

static void send_choice(struct remote *remote, int kind, const char *choice)
{
    snprintf(remote->pending_id, sizeof remote->pending_id, "%s-%u", remote->session, ++remote->sent);
    json_t *message = kind == PEND_CHOOSE
        ? json_pack("{sssssIss}", "type", "choose", "id", remote->pending_id, "phase", (json_int_t)remote->version, "choice", choice)
        : json_pack("{sssssI}", "type", "retract", "id", remote->pending_id, "phase", (json_int_t)remote->version);
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    json_decref(message);
    if (!text || strlen(text) >= sizeof remote->pending) {
        free(text);
        return;
    }
    strcpy(remote->pending, text);
    free(text);
    remote->wants_retract = false;
    remote->pending_kind = kind == PEND_CHOOSE ? PEND_CHOOSE : PEND_RETRACT;
    remote->pending_phase = remote->version;
    if (remote->connected)
        net_send(remote->net, remote->pending);
}

static void remote_confirm(struct app *app)
{
    struct remote *remote = app->remote;
    char text[512];
    struct pyr_pending *choice = &app->match.choice[app->seat];
    if (remote->pending_kind || !choice->count)
        return;
    saved_choice(&app->match, app->seat, text, sizeof text);
    choice->confirmed = true;                /* here only: what follows from it comes from the server */
    send_choice(remote, PEND_CHOOSE, text);
}

static void remote_take(struct app *app, pyr_step step)
{
    struct remote *remote = app->remote;
    char text[32];
    if (remote->pending_kind)
        return;
    if (pyr_step_kind(step) == PYR_STEP_DRAW)
        snprintf(text, sizeof text, "draw");
    else
        snprintf(text, sizeof text, "take %d", pyr_step_card(step) + 1);
    send_choice(remote, PEND_CHOOSE, text);
    app_say(app, ST_TEXT, "%s", _("Sent."));
}

static void remote_retract(struct app *app)
{
    struct remote *remote = app->remote;
    if (remote->pending_kind) {
        remote->wants_retract = true;
        app_say(app, ST_TEXT, "%s", _("The server has not answered yet."));
    } else {
        send_choice(remote, PEND_RETRACT, NULL);
    }
}

static bool remote_can_play_again(const struct app *app)
{
    return app->remote->you && !strcmp(app->remote->state, "over");
}

static bool remote_is_asked_again(const struct app *app)
{
    return app->remote->asked_again && remote_can_play_again(app);
}

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

static bool remote_idle_key(struct app *app, int key)
{
    if (app->remote->you || !app->match.replay.seats)
        return false;
    /* Onlookers may look over anyone's shoulder: all of it is open. */
    if (key == K_TAB)
        app->seat = (pyr_seat)((app->seat + 1u) % app->match.replay.seats);
    else if (key >= '1' && key < '1' + app->match.replay.seats)
        app->seat = (pyr_seat)(key - '1');
    else
        return false;
    return true;
}

/* What is seen. */

static bool remote_is_watching(const struct app *app)
{
    return !app->remote->you;
}

/* A word as a shell reads it. */
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

void remote_way_back(const struct remote *remote, char *to, size_t size)
{
    bool goes_on = !strcmp(remote->state, "waiting") || !strcmp(remote->state, "running");
    char url[2 * sizeof remote->url], trusted[PATH_MAX + 64];
    to[0] = '\0';
    if (!remote->you || !remote->code[0] || !goes_on)
        return;
    quote(remote->url, url, sizeof url);
    quote(remote->trusted, trusted, sizeof trusted);
    snprintf(to, size, _("Back to your seat: pyramids play --server %s --table %s"), url, remote->code);
    if (remote->trusted[0])
        snprintf(to + strlen(to), size - strlen(to), " --trust %s", trusted);
}

static const char *remote_title(struct app *app)
{
    struct remote *remote = app->remote;
    char clock[32] = "";
    double left = remote->deadline - app_seconds();
    if (remote->deadline > 0)
        snprintf(clock, sizeof clock, " %d:%02d", (int)(left > 0 ? left : 0) / 60, (int)(left > 0 ? left : 0) % 60);
    if (remote->you)
        snprintf(remote->title, sizeof remote->title, _("table %s%s"), remote->code, clock);
    else
        snprintf(remote->title, sizeof remote->title, _("table %s%s, watching"), remote->code, clock);
    return remote->title;
}

static const char *remote_banner(const struct app *app)
{
    const struct remote *remote = app->remote;
    if (remote->connected && remote->elsewhere)
        return _("You are playing this seat in another window. Choose here to take it back.");
    if (remote->connected)
        return NULL;
    return remote->you ? _("Connection lost: reconnecting. Your marks are safe; nothing is sent twice.") : _("Connection lost: reconnecting.");
}

static enum sign remote_sign(const struct app *app, unsigned seat)
{
    const struct remote *remote = app->remote;
    if (seat >= remote->seats)
        return SIGN_NONE;
    if (remote->ready >> seat & 1)
        return SIGN_READY;
    if (remote->seat[seat].away || !remote->seat[seat].here)
        return SIGN_AWAY;
    return SIGN_THINKS;
}

static unsigned remote_waiting(const struct app *app)
{
    const struct remote *remote = app->remote;
    return ((1u << remote->seats) - 1) & ~remote->ready & ~(remote->you ? 1u << (remote->you - 1) : 0);
}

static bool remote_draws_itself(const struct app *app)
{
    return app->remote->stage != STAGE_PLAY;
}

static void draw_room(struct remote *remote, struct app *app)
{
    char text[1200];
    unsigned free_seats = 0;
    bool asks = !strcmp(remote->state, "waiting") && !remote->note[0];   /* for a seat; the answer is on its way */
    if (remote->you || asks)
        snprintf(text, sizeof text, _("Others join with this code: %s\n"), remote->code);
    else
        snprintf(text, sizeof text, _("You are watching table %s; you have no seat here.\n"), remote->code);
    for (unsigned s = 0; s < remote->seats; s++) {
        const struct seat *seat = &remote->seat[s];
        size_t length = strlen(text);
        if (!strcmp(seat->kind, "open")) {
            snprintf(text + length, sizeof text - length, _("\n%u  free"), s + 1);
            free_seats++;
        } else if (!strcmp(seat->kind, "friend")) {
            snprintf(text + length, sizeof text - length, _("\n%u  reserved for %s"), s + 1, seat->name);
            free_seats++;
        } else if (s + 1 == remote->you) {
            snprintf(text + length, sizeof text - length, _("\n%u  %s (you)"), s + 1, seat->name);
        } else {
            snprintf(text + length, sizeof text - length, "\n%u  %s", s + 1, strcmp(seat->kind, "bot") ? seat->name : pyr_text_level(seat->name));
        }
    }
    if (remote->note[0])
        snprintf(text + strlen(text), sizeof text - strlen(text), "\n\n%s", remote->note);
    if (!remote->connected)
        snprintf(text + strlen(text), sizeof text - strlen(text), "\n\n%s", _("Connection lost: reconnecting."));
    if (free_seats && remote->host && remote->you)
        app_hint(app, 'b', "b", _("fill a free seat with a bot"));
    app_hint(app, 'q', "q", _("quit"));
    draw_notice(&app->canvas, !strcmp(remote->state, "running") ? _("The players are choosing their first cards") : _("Waiting for players"), text, app->hints, app->hint_count);
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
        snprintf(text, sizeof text, _("Tables on %s"), remote->url);
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
            snprintf(text, sizeof text, remote->retry_at > 0 ? _("No answer from %s yet; retrying.") : _("Connecting to %s."), remote->url);
        draw_notice(&app->canvas, _("Connecting"), text, app->hints, app->hint_count);
        canvas_put(&app->canvas, 1, 0, spinner(app->beat, app->facts.ascii), ST_TOUCH);
    }
}

static void list_key(struct remote *remote, int key)
{
    unsigned count = remote->offers + 2;
    if (key == K_DOWN || key == 'j' || key == K_TAB)
        remote->at = (remote->at + 1) % count;
    else if (key == K_UP || key == 'k')
        remote->at = (remote->at + count - 1) % count;
    else if (key == K_ENTER && remote->at < remote->offers) {
        strcpy(remote->code, remote->offer[remote->at].code);
        go_to_table(remote);
    } else if (key == K_ENTER && remote->at == remote->offers) {
        ask(remote, ASK_CREATE, "/api/tables", json_pack("{s[{ss}{ss}]sb}", "seats", "kind", "open", "kind", "open", "public", 1));
    } else if (key == K_ENTER) {
        remote->stage = STAGE_CODE;
        remote->code[0] = '\0';
    }
}

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
            go_to_table(remote);
        } else if (key > ' ' && key < 127 && length < 12 && ((key | 32) >= 'a' ? (key | 32) <= 'z' : key >= '0' && key <= '9')) {
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
        list_key(remote, key);
    else if (remote->stage == STAGE_ROOM && key == 'b' && remote->host) {
        for (unsigned s = 0; s < remote->seats; s++) {
            if (strcmp(remote->seat[s].kind, "open") && strcmp(remote->seat[s].kind, "friend"))
                continue;
            send_json(remote, json_pack("{sssiss}", "type", "fill", "seat", (int)s + 1, "level", "club"));
            break;
        }
    }
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
            list_key(remote, K_ENTER);
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
    return app->remote->you ? _("Your seat is kept: come back with the same command.") : _("You are only watching: the game continues without you.");
}

static const struct play_ops remote_ops = { .tick = remote_tick, .is_alive = remote_is_alive, .title = remote_title, .banner = remote_banner,
    .sign = remote_sign, .waiting = remote_waiting, .leaving = remote_leaving, .confirm = remote_confirm, .take = remote_take,
    .retract = remote_retract, .can_play_again = remote_can_play_again, .play_again = remote_play_again,
    .is_asked_again = remote_is_asked_again, .is_watching = remote_is_watching, .idle_key = remote_idle_key,
    .draws_itself = remote_draws_itself, .draw = remote_draw, .screen_key = remote_screen_key, .screen_mouse = remote_screen_mouse };

/* Beginning and end. */

/* A link such as https://host/#table/CODE/2/KEY names the table, too. */
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
        copy_code(remote->key, sizeof remote->key, key);
}

struct remote *remote_create(struct app *app)
{
    const struct tui_options *options = app->options;
    struct remote *remote = calloc(1, sizeof *remote);
    char file[300];
    if (!remote)
        return NULL;
    remote->text = malloc(PYR_LOG_SIZE + 1);
    snprintf(remote->url, sizeof remote->url, "%.*s", (int)strcspn(options->server, "#"), options->server);
    snprintf(remote->name, sizeof remote->name, "%s", options->names[0]);
    /* The way back is to work from any folder. */
    if (options->trusted && !realpath(options->trusted, remote->trusted))
        snprintf(remote->trusted, sizeof remote->trusted, "%s", options->trusted);
    read_link(remote, options->server);
    if ((options->table && !copy_table_code(remote->code, sizeof remote->code, options->table)) ||
        (options->key && !copy_code(remote->key, sizeof remote->key, options->key))) {
        app_fail(app, _("'%.60s' is not a table code"), options->table ? options->table : options->key);
        goto failed;
    }
    /* A file a server, named by its address. */
    const char *host = strstr(remote->url, "://");
    snprintf(file, sizeof file, "%.200s.cookie", host ? host + 3 : remote->url);
    for (char *c = file; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-", *c))
            *c = '_';
    if (file[0] == '.')
        file[0] = '_';
    if (save_path(remote->cookie_path, sizeof remote->cookie_path, "servers", file)) {
        size_t size;
        char *cookie = save_read(remote->cookie_path, sizeof remote->cookie - 1, &size);
        if (cookie && !strncmp(cookie, "pyramids=", 9) && strcspn(cookie, " ;\r\n\t") == size)
            snprintf(remote->cookie, sizeof remote->cookie, "%s", cookie);
        free(cookie);
    }
    remote->net = remote->text && random_hex(remote->session, 6) ? net_create(remote->url, remote->cookie, options->trusted, screen_wake) : NULL;
    if (!remote->net) {
        app_fail(app, _("'%.200s' is not a server address; expected http://HOST:PORT or https://HOST"), options->server);
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

void remote_destroy(struct remote *remote)
{
    if (!remote)
        return;
    net_destroy(remote->net);
    free(remote->text);
    free(remote);
}
