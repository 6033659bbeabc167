/*
 * seats.c: the seats of a table: sitting down, leaving, coming back, bots for empty seats and for players who are away,
 * and the beginning of the game once all seats are taken; see change.h.
 *
 * All functions named apply_* are the changes of change.h: they read the table, write only to change->effects->after,
 * and may be called again for the same change on a newer table.
 */
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "change.h"
#include "daily.h"
#include "server.h"

/* Ids of messages. */

/* Keyed with the table's secret, so that no one can construct two ids with the same hash. */
static uint64_t hash_id(const struct table *table, const char *id)
{
    uint64_t hash;
    _Static_assert(crypto_shorthash_KEYBYTES <= PYR_FAIR_BYTES, "the secret has room for a key");
    crypto_shorthash((unsigned char *)&hash, (const unsigned char *)id, strlen(id), table->now.fair.secret);
    return hash ? hash : 1;                  /* 0 means no id */
}

bool seat_knows(const struct table *table, const struct seat *seat, const char *id)
{
    uint64_t hash = hash_id(table, id);
    for (unsigned i = 0; i < STORE_IDS; i++)
        if (id[0] && seat->ids[i] == hash)
            return true;
    return false;
}

/* A ring of STORE_IDS: a client has at most a few unanswered messages. */
void seat_remember(const struct table *table, struct seat *seat, const char *id)
{
    if (!id[0] || seat_knows(table, seat, id))
        return;
    seat->ids[seat->next_id] = hash_id(table, id);
    seat->next_id = (uint8_t)((seat->next_id + 1) % STORE_IDS);
}

/* Sitting down, and the beginning. */

/* All seats are taken: names, commitment, numbers, deals. */
static enum error begin(struct change *change)
{
    const struct pyr_edition *edition = change->effects->after.terms.edition;
    const struct pyr_sink sink = change_sink(change);
    struct table_state *state = &change->effects->after;
    struct pyr_chance chance;
    const char *names[PYR_MAX_SEATS];
    char date[16];
    time_t now = (time_t)server_time();
    struct tm utc;
    for (unsigned s = 0; s < state->seats; s++)
        names[s] = state->seat[s].name;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &utc));
    if (pyr_fair_chance(&state->fair, edition, state->seats, &chance) ||
        pyr_game_begin(&state->game, edition, state->seats, names, &sink) ||
        pyr_game_tag(&state->game, "date", date, &sink) || daily_tag(change->table, &state->game, &sink) ||
        pyr_fair_game_tags(&state->fair, &state->game, &sink) ||
        pyr_game_deal(&state->game, &chance, &sink))
        return ERROR_STORAGE;
    state->stage = STORE_RUNNING;
    return change_note_game(change);
}

/* An attempt at a daily expedition: all seats are taken already. */
enum error apply_daily(struct change *change, struct problem *problem)
{
    (void)problem;
    change_note_table(change);
    change->effects->stores_seats = true;
    return begin(change);
}

static enum error begin_if_full(struct change *change)
{
    change_note_table(change);
    for (unsigned s = 0; s < change->effects->after.seats; s++)
        if (change->effects->after.seat[s].kind < SEAT_BOT)
            return ERROR_NONE;
    return begin(change);
}

static bool is_hosts(const struct change *change)
{
    return change->table->host == change->request.visitor;
}

/* Seats are tried in this order: the one that is kept for this visitor or opened by this key, then the first open one. A
 * request that names a seat gets that one or none. A second request with the same id is the same message sent again. */
enum error apply_sit(struct change *change, struct problem *problem)
{
    const struct change_request *request = &change->request;
    struct table *table = change->table;
    struct table_state *state = &change->effects->after;
    pyr_seat mine = table_seat_of(table, request->visitor);
    struct visitor *visitor = visitor_by_id(table->server, request->visitor);
    (void)problem;
    if (mine < PYR_MAX_SEATS)
        return change->id[0] && !strcmp(state->seat[mine].sit, change->id) ? ERROR_NONE :
            state->stage != STORE_WAITING ? ERROR_BEGUN : ERROR_SEATED;
    if (state->stage != STORE_WAITING)
        return state->stage == STORE_CLOSED ? ERROR_NO_TABLE : ERROR_BEGUN;
    int found = -1;
    enum error why = ERROR_TAKEN;
    for (unsigned s = 0; s < state->seats; s++) {
        const struct seat *seat = &state->seat[s];
        bool wanted = request->has_seat ? s == request->seat : true;
        if (!wanted || seat->kind > SEAT_FRIEND)
            continue;
        bool is_mine = seat->kind == SEAT_FRIEND && (sodium_is_zero(seat->key, TOKEN_SIZE) ?
            seat->visitor == request->visitor : request->has_key && !sodium_memcmp(seat->key, request->key, TOKEN_SIZE));
        if (is_mine || (seat->kind == SEAT_OPEN && found < 0)) {
            found = (int)s;
            if (is_mine)
                break;
        } else if (seat->kind == SEAT_FRIEND && (request->has_seat || request->has_key)) {
            why = ERROR_BAD_KEY;
        }
    }
    if (found < 0)
        return why;
    struct seat *seat = &state->seat[found];
    if (visitor && visitor->name[0])
        memcpy(seat->name, visitor->name, NAME_SIZE);
    if (!seat->name[0])
        return ERROR_BAD_NAME;
    seat->kind_if_free = seat->kind;
    seat->kind = SEAT_PERSON;
    seat->visitor = request->visitor;
    seat->away = seat->notify = false;
    memcpy(seat->sit, change->id, ID_SIZE);
    pyr_fair_add(&state->fair, (pyr_seat)found, request->number);
    change->effects->stores_seats = true;
    return begin_if_full(change);
}

/* Before the game the seat becomes what it was before; during the game it stays the person's, and a bot plays until they
 * are back. The number for the shuffle is removed with the person: the next player here has another one. */
enum error apply_leave(struct change *change, struct problem *problem)
{
    struct table_state *state = &change->effects->after;
    pyr_seat mine = table_seat_of(change->table, change->request.visitor);
    (void)problem;
    if (mine >= PYR_MAX_SEATS)
        return ERROR_NOT_SEATED;
    struct seat *seat = &state->seat[mine];
    if (change->table->daily.day)
        return ERROR_DAILY;                  /* no one else may play it */
    if (state->stage == STORE_WAITING) {
        bool known = sodium_is_zero(seat->key, TOKEN_SIZE) && seat->kind_if_free == SEAT_FRIEND;
        seat->kind = seat->kind_if_free;
        seat->sit[0] = '\0';
        seat->notify = false;
        if (!known)
            seat->visitor = 0;
        if (seat->kind == SEAT_OPEN)
            seat->name[0] = '\0';
        state->fair.numbers &= (uint8_t)~(1u << mine);
        change->effects->stores_seats = true;
    } else if (state->stage == STORE_RUNNING) {
        if (seat->away)
            return ERROR_NONE;
        seat->away = true;
    } else {
        return ERROR_NOT_RUNNING;
    }
    change_note_table(change);
    return ERROR_NONE;
}

void seat_come_back(struct change *change, pyr_seat number)
{
    struct seat *seat = &change->effects->after.seat[number];
    if (!seat->away)
        return;
    seat->away = false;
    change_note_table(change);
}

/* A choice made by the stand-in becomes the person's own. */
enum error apply_return(struct change *change, struct problem *problem)
{
    const struct table_state *state = &change->effects->after;
    pyr_seat mine = table_seat_of(change->table, change->request.visitor);
    char text[STORE_CHOICE_SIZE];
    (void)problem;
    if (mine >= PYR_MAX_SEATS)
        return ERROR_NOT_SEATED;
    if (state->stage != STORE_RUNNING)
        return ERROR_NOT_RUNNING;
    if (!state->seat[mine].away)
        return ERROR_NONE;
    seat_come_back(change, mine);
    table_choice(change->table, mine, text, sizeof text);
    if (text[0])
        change_note_choice(change, mine, text);
    return ERROR_NONE;
}

static struct seat bot_seat(const struct pyr_bot *bot)
{
    struct seat seat = { .kind = SEAT_BOT, .kind_if_free = SEAT_OPEN, .bot = bot };
    snprintf(seat.name, NAME_SIZE, "%s", bot->name);
    return seat;
}

/* The host puts a bot on a free seat. */
enum error apply_fill(struct change *change, struct problem *problem)
{
    const struct change_request *request = &change->request;
    struct table_state *state = &change->effects->after;
    (void)problem;
    if (!is_hosts(change))
        return ERROR_NOT_HOST;
    if (state->stage != STORE_WAITING)
        return ERROR_BEGUN;
    if (request->seat >= state->seats || state->seat[request->seat].kind > SEAT_FRIEND) {
        /* When it is applied again, it may find its own effect, if the store's answer was lost. */
        bool is_done = change->tries && request->seat < state->seats && state->seat[request->seat].bot == request->bot;
        return is_done ? ERROR_NONE : ERROR_TAKEN;
    }
    state->seat[request->seat] = bot_seat(request->bot);
    return begin_if_full(change);
}

/* One word of an arrangement: the number of a seat that stays, "open", or a bot's level. False if it is none of these, if
 * the seat is named twice, or if the key belongs to another seat. */
static bool arrange_seat(const struct table_state *before, struct table_state *after, const char *word, unsigned *kept)
{
    unsigned s = after->seats, from = (unsigned)(word[0] - '1');
    if (word[1] || from >= before->seats) {
        const struct pyr_bot *bot = pyr_bot_find(word);
        if (!bot && strcmp(word, "open"))
            return false;
        after->seat[s] = bot ? bot_seat(bot) : (struct seat){ .kind = SEAT_OPEN, .kind_if_free = SEAT_OPEN };
    } else {
        const struct seat *seat = &before->seat[from];
        if (*kept >> from & 1 || (from != s && !sodium_is_zero(seat->key, TOKEN_SIZE)))
            return false;
        *kept |= 1u << from;
        after->seat[s] = *seat;
        if (before->fair.numbers >> from & 1)
            pyr_fair_add(&after->fair, (pyr_seat)s, before->fair.number[from]);
    }
    after->seats++;
    return true;
}

/* Whether the host is the only player: the terms of the game have been agreed on with the players at the table. */
static bool has_host_alone(const struct table *table)
{
    for (unsigned s = 0; s < table->now.seats; s++)
        if (table->now.seat[s].kind == SEAT_PERSON && table->now.seat[s].visitor != table->host)
            return false;
    return true;
}

/* Before the game the host decides which seats there are, and may change the terms; people who are seated stay. */
enum error apply_arrange(struct change *change, struct problem *problem)
{
    const struct table_state *before = &change->table->now;
    struct table_state *after = &change->effects->after;
    unsigned kept = 0, people = 0;
    char words[PYR_MAX_SEATS * 20 + 1], *rest = NULL;
    snprintf(words, sizeof words, "%s", change->request.text);       /* a change may be applied again to a newer table */
    snprintf(problem->detail, sizeof problem->detail, "seats");
    if (!is_hosts(change))
        return ERROR_NOT_HOST;
    if (before->stage != STORE_WAITING)
        return ERROR_BEGUN;
    after->seats = 0;
    after->fair.numbers = 0;
    memset(after->seat, 0, sizeof after->seat);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (after->seats == PYR_MAX_SEATS || !arrange_seat(before, after, word, &kept))
            return ERROR_BAD_MESSAGE;
    for (unsigned s = 0; s < after->seats; s++)
        people += after->seat[s].kind != SEAT_BOT;
    if (change->request.sets_terms && !has_host_alone(change->table))
        return ERROR_TAKEN;
    if (change->request.sets_terms)
        after->terms = change->request.terms;
    if (after->seats < PYR_MIN_SEATS || !people)
        return ERROR_BAD_MESSAGE;
    for (unsigned s = 0; s < before->seats; s++)
        if (before->seat[s].kind == SEAT_PERSON && !(kept >> s & 1))
            return ERROR_TAKEN;
    change->effects->stores_seats = true;
    return begin_if_full(change);
}

/* Before the game a person's seat gets their present name. */
enum error apply_name(struct change *change, struct problem *problem)
{
    struct table_state *state = &change->effects->after;
    pyr_seat mine = table_seat_of(change->table, change->request.visitor);
    const struct visitor *visitor = visitor_by_id(change->table->server, change->request.visitor);
    (void)problem;
    if (mine >= PYR_MAX_SEATS)
        return ERROR_NOT_SEATED;
    if (state->stage != STORE_WAITING)
        return ERROR_BEGUN;
    if (!visitor || !visitor->name[0])
        return ERROR_BAD_NAME;
    memcpy(state->seat[mine].name, visitor->name, NAME_SIZE);
    change_note_table(change);
    return ERROR_NONE;
}

/* A player has looked at a hint: all observers are notified. */
enum error apply_hint(struct change *change, struct problem *problem)
{
    struct table_state *state = &change->effects->after;
    pyr_seat mine = table_seat_of(change->table, change->request.visitor);
    (void)problem;
    if (mine >= PYR_MAX_SEATS)
        return ERROR_NOT_SEATED;
    if (state->stage != STORE_RUNNING)
        return ERROR_NOT_RUNNING;
    if (!change->table->now.terms.hints)
        return ERROR_NO_HINTS;
    if (state->seat[mine].hints < UINT16_MAX)
        state->seat[mine].hints++;
    change_note_table(change);
    return ERROR_NONE;
}

/* A player switches messages about this table on or off. */
enum error apply_notify(struct change *change, struct problem *problem)
{
    struct table_state *state = &change->effects->after;
    pyr_seat mine = table_seat_of(change->table, change->request.visitor);
    (void)problem;
    if (mine >= PYR_MAX_SEATS)
        return ERROR_NOT_SEATED;
    if (state->stage > STORE_RUNNING)
        return ERROR_NOT_RUNNING;
    if (state->seat[mine].notify == change->request.is_on)
        return ERROR_NONE;
    state->seat[mine].notify = change->request.is_on;
    change_note_table(change);
    return ERROR_NONE;
}

/* A bot for a player who is not connected. The host may ask for it, and any player may if the host has been gone for
 * PYR_REMOTE_HOST_GONE. */
enum error apply_standin(struct change *change, struct problem *problem)
{
    const struct change_request *request = &change->request;
    const struct table *table = change->table;
    struct table_state *state = &change->effects->after;
    bool orphaned = !table_has_host(table) && server_now(table->server) - table->host_left >= PYR_REMOTE_HOST_GONE;
    (void)problem;
    if (!is_hosts(change) && !(orphaned && table_seat_of(table, request->visitor) < PYR_MAX_SEATS))
        return ERROR_NOT_HOST;
    if (table->daily.day)
        return ERROR_DAILY;
    if (state->stage != STORE_RUNNING)
        return ERROR_NOT_RUNNING;
    if (request->seat >= state->seats || state->seat[request->seat].kind != SEAT_PERSON)
        return ERROR_NOT_SEATED;
    if (table_is_here(table, request->seat))
        return ERROR_HERE;
    if (!state->seat[request->seat].away) {
        state->seat[request->seat].away = true;
        change_note_table(change);
    }
    return ERROR_NONE;
}

enum error apply_close(struct change *change, struct problem *problem)
{
    (void)problem;
    if (change->request.visitor && !is_hosts(change))        /* 0: the server itself */
        return ERROR_NOT_HOST;
    if (change->effects->after.stage == STORE_CLOSED)
        return ERROR_NONE;                   /* the same message, sent again */
    if (change->effects->after.stage != STORE_WAITING && !(change->request.is_operator &&
        change->effects->after.stage == STORE_RUNNING))
        return ERROR_BEGUN;
    change->effects->after.stage = STORE_CLOSED;
    change_note_table(change);
    return ERROR_NONE;
}

/* A visitor removes their data. A bot continues a running game, a seat at a waiting table becomes free, and a waiting
 * table whose host leaves is closed. */
enum error apply_forget(struct change *change, struct problem *problem)
{
    struct table_state *state = &change->effects->after;
    bool is_there = false;
    (void)problem;
    if (state->stage == STORE_WAITING && is_hosts(change)) {
        state->stage = STORE_CLOSED;
        change_note_table(change);
    }
    for (unsigned s = 0; s < state->seats && state->stage <= STORE_RUNNING; s++) {
        struct seat *seat = &state->seat[s];
        if (seat->visitor != change->request.visitor || seat->kind == SEAT_BOT)
            continue;
        is_there = true;
        if (state->stage == STORE_RUNNING) {
            *seat = bot_seat(pyr_bot_find(STANDIN));
            snprintf(seat->name, NAME_SIZE, "%s", GONE_NAME);
            continue;
        }
        bool has_key = !sodium_is_zero(seat->key, TOKEN_SIZE);
        seat->kind = seat->kind_if_free = has_key ? SEAT_FRIEND : SEAT_OPEN;
        seat->visitor = 0;
        seat->sit[0] = seat->name[0] = '\0';
        state->fair.numbers &= (uint8_t)~(1u << s);
    }
    if (!is_there)
        return ERROR_NONE;
    change_note_table(change);
    change->effects->stores_seats = true;
    return ERROR_NONE;
}
