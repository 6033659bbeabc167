/*
 * remote.c: see remote.h, which has the invariants. Its inputs are the server's messages (pyr_remote_receive), changes of
 * the connection (connected, lost) and the person's actions. Its outputs are a queue of messages (pyr_remote_next), a
 * queue of events (pyr_remote_event) and a wish about the connection (pyr_remote_wish). Every function that needs the
 * time gets it in milliseconds of any clock that never runs backwards.
 *
 * Everything from the server is treated as hostile: numbers are bounded (MOST_*), words are restricted to plain letters,
 * lines are checked by the reader of records, and an invalid message is ignored or reported as a whole.
 *
 * Two layers must not be confused: `match` contains what the server has sent (plus the person's draft); `sent` contains
 * the person's actions that the server has not answered. Only answers and lines move something from the second to the
 * first.
 *
 * Freestanding: no memory is allocated, no clock is read, no random number is drawn. The callers own struct pyr_remote
 * and the match it points to; nothing here may be called from two threads at the same time.
 */
#include <pyramids/json.h>
#include <pyramids/remote.h>

#include "json.h"

/* Compilers call these for copies and fills; wasm supplies them. */
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int byte, size_t size);

#define SLOW_MS 4000             /* without an answer, until the server is reported as slow, */
#define DEAD_MS 6000             /* and after that, until the connection is considered dead */
#define RESEND_MS 1000           /* after an answer that asks to try again later */
#define RETRY_MS 300             /* before the second attempt to connect; each further pause is twice as long, */
#define MOST_RETRY_MS 8000       /* up to this */
#define MOST_VERSION 100000      /* lines; no game has 1,000 */
#define MOST_LEFT 1000000000     /* milliseconds on a clock */

static const char header[] = "pyramids-remote 1";
#define WORD(name) #name,
static const char *const symbols[PYR_REACTIONS] = { PYR_REACTION_WORDS(WORD) };

/* Words. */

static bool is_code_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/* Copies a word of the protocol: it is used in messages and on screens, so it may have only plain letters. False: it is
 * not valid; then *to is "". */
static bool copy_code(char *to, size_t size, struct pyr_word word)
{
    bool good = word.length > 0 && word.length < size;
    for (size_t i = 0; good && i < word.length; i++)
        good = is_code_letter(word.at[i]);
    to[0] = '\0';
    if (good)
        pyr_word_copy(word, to, size);
    return good;
}

static void write_hex(char *to, const uint8_t *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        *to++ = digits[bytes[i] >> 4];
        *to++ = digits[bytes[i] & 15];
    }
    *to = '\0';
}

/* Exactly `length` hexadecimal digits, in lower case as write_hex writes them. */
static bool is_hex(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (pyr_hex_digit(text[i]) < 0)
            return false;
    return !text[length];
}

/* Events. */

/* Events that only announce a change are queued once per kind; answers are all queued. */
static struct pyr_remote_event *push_event(struct pyr_remote *remote, enum pyr_remote_event_kind kind, int32_t number)
{
    bool is_single = kind == PYR_REMOTE_REFUSED || kind == PYR_REMOTE_DONE || kind == PYR_REMOTE_REACTION;
    for (unsigned i = 0; i < remote->events && !is_single; i++)
        if (remote->event[i].kind == kind) {
            remote->event[i].number = number;
            return &remote->event[i];
        }
    if (remote->events == PYR_REMOTE_EVENTS) {           /* drop the oldest, which matters least */
        for (unsigned i = 1; i < PYR_REMOTE_EVENTS; i++)
            remote->event[i - 1] = remote->event[i];
        remote->events--;
    }
    struct pyr_remote_event *event = &remote->event[remote->events++];
    *event = (struct pyr_remote_event){ .kind = (uint8_t)kind, .number = number };
    return event;
}

/* The oldest first; kind PYR_REMOTE_NOTHING if there is none. */
struct pyr_remote_event pyr_remote_event(struct pyr_remote *remote)
{
    struct pyr_remote_event first = { .kind = PYR_REMOTE_NOTHING };
    if (!remote->events)
        return first;
    first = remote->event[0];
    remote->events--;
    for (unsigned i = 0; i < remote->events; i++)
        remote->event[i] = remote->event[i + 1];
    return first;
}

/* Reports that the lines from the server cannot be used, and why: without a line number, since it is not the person's
 * text. */
static void push_bad_lines(struct pyr_remote *remote, enum pyr_err err)
{
    remote->fault = (struct pyr_fault){ .code = err };
    push_event(remote, PYR_REMOTE_BAD_LINES, err);
}

/* Messages that are waiting for an answer. */

/* Keeps the order of the others: they are sent in the order in which they were made. */
static void sent_remove(struct pyr_remote *remote, unsigned index)
{
    remote->sent_count--;
    for (unsigned i = index; i < remote->sent_count; i++)
        remote->sent[i] = remote->sent[i + 1];
}

/* Choices, taking them back, and sitting down survive a lost connection: the server recognises them by their id, so
 * sending them twice is harmless. Other messages are not repeated. The kinds are ordered so that this is one comparison. */
static bool is_resent(unsigned kind)
{
    return kind <= PYR_REMOTE_SIT;
}

/* Whether a choice of this phase, or taking it back, has not been answered. */
bool pyr_remote_is_pending(const struct pyr_remote *remote)
{
    for (unsigned i = 0; i < remote->sent_count; i++)
        if (remote->sent[i].kind <= PYR_REMOTE_RETRACT && remote->sent[i].phase == remote->version)
            return true;
    return false;
}

/* For a warning before the page is closed. */
bool pyr_remote_is_unsent(const struct pyr_remote *remote)
{
    return remote->lost_at && pyr_remote_is_pending(remote);
}

/* Starts the time for the server's answer, or stops it if none is due. */
static void await_answer(struct pyr_remote *remote, uint64_t now)
{
    bool was_slow = remote->slow;
    remote->slow = false;
    remote->answer_due = remote->sent_count && remote->is_open ? now + SLOW_MS : 0;
    if (was_slow)
        push_event(remote, PYR_REMOTE_PRESENCE, 0);
}

/* Begins a message with its type and id; NULL if too many are unanswered. */
static struct pyr_remote_message *message_new(
    struct pyr_remote *remote, enum pyr_remote_kind kind, const uint8_t id[16], struct pyr_json *json)
{
    static const char *const types[] = { "choose", "retract", "sit", "leave", "return", "fill", "standin", "close",
        "react" };
    if (remote->sent_count == PYR_REMOTE_SENT)
        return NULL;
    struct pyr_remote_message *message = &remote->sent[remote->sent_count];
    *message = (struct pyr_remote_message){ .kind = (uint8_t)kind, .phase = remote->version };
    write_hex(message->id, id, 16);
    pyr_json_init(json, message->text, sizeof message->text, PYR_JSON_COMPACT);
    pyr_json_object(json, NULL);
    pyr_json_text(json, "type", types[kind]);
    pyr_json_text(json, "id", message->id);
    return message;
}

/* Ends a message and hands it to pyr_remote_next. */
static bool message_send(struct pyr_remote *remote, struct pyr_json *json, uint64_t now)
{
    pyr_json_close(json);
    if (!pyr_json_finish(json))
        return false;
    remote->sent_count++;
    await_answer(remote, now);
    return true;
}

/* The log and the match. */

static bool has_seat(const struct pyr_remote *remote)
{
    return remote->you < PYR_MAX_SEATS;
}

/* The person's draft in the match; NULL while there is nothing to choose. It points into the match and is invalid after a
 * load. */
static struct pyr_pending *own_choice(const struct pyr_remote *remote)
{
    return has_seat(remote) && remote->match->replay.stage == PYR_STAGE_PLAY && remote->you < remote->match->replay.seats
        ? &remote->match->choice[remote->you] : NULL;
}

/* Every turn begins with a reveal, so counting reveals shows a returning player how many turns they missed. */
static int32_t count_turns(const struct pyr_match *match)
{
    int32_t turns = 0;
    for (uint32_t i = 0; i < match->log.lines; i++) {
        struct pyr_word line = pyr_match_line(match, i);
        turns += line.length > 7 && pyr_word_is((struct pyr_word){ line.at, 7 }, "reveal ");
    }
    return turns;
}

/* Restores the draft of an earlier visit, if that phase is still running (invariant 3). A take is never repeated. */
static void recall_draft(struct pyr_remote *remote)
{
    struct pyr_pending *choice = own_choice(remote);
    if (!choice || !remote->saved.count)
        return;
    struct pyr_remote_draft saved = remote->saved;
    remote->saved.count = 0;
    if (remote->saved_version != remote->version || remote->match->replay.state.open.phase == PYR_REPLACE)
        return;
    for (unsigned i = 0; i < saved.count; i++)
        if (pyr_match_step(remote->match, remote->you, saved.step[i]))
            return;
    choice->confirmed = saved.confirmed && pyr_match_is_ready(remote->match, remote->you);
}

/* The lines so far as a match. */
static void load(struct pyr_remote *remote)
{
    if (!remote->edition || !remote->size)
        return;
    enum pyr_err err =
        pyr_match_load(remote->match, remote->edition, remote->text, remote->size, remote->you, &remote->fault);
    if (err) {
        push_event(remote, PYR_REMOTE_BAD_LINES, err);
        return;
    }
    recall_draft(remote);
    push_event(remote, PYR_REMOTE_LINES, 0);
    if (pyr_match_is_over(remote->match))
        push_event(remote, PYR_REMOTE_IS_OVER, 0);
}

/* Requests the log from its beginning. That is simpler than repairing it, and hardly ever needed. */
static void forget_log(struct pyr_remote *remote)
{
    remote->size = 0;
    remote->version = 0;
    remote->must_open = remote->is_connected;
}

/* Lines that arrived before the edition was known are read now. */
void pyr_remote_set_edition(struct pyr_remote *remote, const struct pyr_edition *edition, uint64_t now)
{
    (void)now;
    remote->edition = edition;
    load(remote);
}

/* For a finished game that is fetched as a whole: it is first read with a scratch replay, so that an invalid record
 * changes nothing. */
enum pyr_err pyr_remote_set_record(struct pyr_remote *remote, const char *text, size_t size, struct pyr_fault *fault)
{
    struct pyr_replay check;
    if (!remote->edition)
        return PYR_ERR_RECORD_EDITION;
    pyr_replay_init(&check, PYR_NOBODY);
    enum pyr_err err = pyr_record_read(&check, remote->edition, text, size, fault);
    if (!err && size >= PYR_LOG_SIZE)
        err = PYR_ERR_TEXT_FULL;
    if (!err && check.stage != PYR_STAGE_OVER)
        err = PYR_ERR_PHASE;                 /* its deals may still be hidden */
    return err ? err : pyr_match_load(remote->match, remote->edition, text, size, PYR_NOBODY, fault);
}

/* Messages of the server. */

/* The server sends the time left on the clock, so that both clocks need not agree. 0: no clock. */
static uint64_t deadline_of(const struct json *json, uint64_t now)
{
    int64_t left = json_number(json, json_member(json, 0, "left"), MOST_LEFT);
    return left < 0 ? 0 : now + (uint64_t)left;
}

/* gone_since is never 0 for a person who is not connected: 0 means "connected", and `now` may be 0 in tests. */
static void read_seat(const struct json *json, int value, struct pyr_remote_seat *seat, uint64_t now)
{
    static const char *const kinds[] = { "open", "friend", "person", "bot" };
    struct pyr_word kind = json_word(json, json_member(json, value, "kind"));
    *seat = (struct pyr_remote_seat){ .kind = PYR_SEAT_OPEN };
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (pyr_word_is(kind, kinds[k]))
            seat->kind = (uint8_t)k;
    json_text(json, json_member(json, value, "name"), seat->name, sizeof seat->name);
    copy_code(seat->level, sizeof seat->level, json_word(json, json_member(json, value, "level")));
    seat->here = seat->kind == PYR_SEAT_BOT || json_is_true(json, json_member(json, value, "here"));
    seat->away = json_is_true(json, json_member(json, value, "away"));
    if (seat->kind == PYR_SEAT_PERSON && !seat->here) {
        int64_t gone = json_number(json, json_member(json, value, "gone"), INT64_MAX / 2);
        seat->gone_since = gone > 0 && (uint64_t)gone < now ? now - (uint64_t)gone : now ? now : 1;
    }
}

/* An unknown state, from a newer server, becomes PYR_TABLE_UNKNOWN. */
static uint8_t read_state(struct pyr_word state)
{
    static const char *const states[] = { "", "waiting", "running", "over", "closed" };
    for (unsigned s = 1; s < sizeof states / sizeof *states; s++)
        if (pyr_word_is(state, states[s]))
            return (uint8_t)s;
    return PYR_TABLE_UNKNOWN;
}

/* The first `table` message after a connect: only now our seat is known, so only now messages are sent again. */
static void reconnected(struct pyr_remote *remote, uint64_t now)
{
    remote->is_open = true;
    remote->is_back = true;
    remote->lost_at = 0;
    remote->restarting = false;
    for (unsigned i = 0; i < remote->sent_count; i++)
        remote->sent[i].is_posted = false;   /* invariant 2 */
    await_answer(remote, now);
    push_event(remote, PYR_REMOTE_PRESENCE, 0);
    /* Reconnecting means playing again, unless this person had asked for the bot. */
    remote->has_returned = has_seat(remote) && remote->seat[remote->you].away && !remote->has_left && !remote->is_hidden &&
        remote->state == PYR_TABLE_RUNNING;
    remote->must_return = remote->has_returned;
}

/* Until the first line arrives, the host may choose another edition; then the one that was fetched is dropped. */
static void take_edition(struct pyr_remote *remote, const struct json *json)
{
    char name[sizeof remote->edition_name];
    json_text(json, json_member(json, 0, "edition"), name, sizeof name);
    if (!name[0] || pyr_word_is(pyr_word_of(name), remote->edition_name) || (remote->edition_name[0] && remote->size))
        return;
    if (remote->edition_name[0])
        remote->edition = NULL;
    pyr_word_copy(pyr_word_of(name), remote->edition_name, sizeof remote->edition_name);
    if (!remote->edition)
        push_event(remote, PYR_REMOTE_EDITION, 0);
}

/* Wins can have a fraction, such as 1.5: hundredths. A server's numbers that are too large are cut off. */
static void read_series(struct pyr_remote *remote, const struct json *json)
{
    int series = json_member(json, 0, "series"), wins = json_member(json, series, "wins"),
        points = json_member(json, series, "points");
    int64_t games = json_number(json, json_member(json, series, "games"), UINT8_MAX);
    remote->series = (struct pyr_remote_series){ .games = games > 0 ? (uint8_t)games : 0 };
    unsigned s = 0;
    for (int at = JSON_NONE; s < remote->seats && (at = json_next(json, wins, at)) != JSON_NONE; s++)
        remote->series.wins[s] = (uint16_t)json_decimal(json, at, UINT16_MAX);
    s = 0;
    for (int at = JSON_NONE; s < remote->seats && (at = json_next(json, points, at)) != JSON_NONE; s++)
        remote->series.points[s] = json_decimal(json, at, 100 * 1000000) / 100;
}

/* The commitment is taken once and kept, so a server cannot change it afterwards. If the seat has changed, the lines are
 * read again as that seat sees them. */
static void on_table(struct pyr_remote *remote, const struct json *json, uint64_t now)
{
    char rematch[PYR_REMOTE_CODE], code[PYR_REMOTE_CODE];
    int seats = json_member(json, 0, "seats"), at = JSON_NONE;
    pyr_seat before = remote->you;
    copy_code(code, sizeof code, json_word(json, json_member(json, 0, "code")));
    if (code[0] && !pyr_word_is(pyr_word_of(code), remote->code))
        return;                              /* about a table that was left */
    remote->seats = 0;
    while (remote->seats < PYR_MAX_SEATS && (at = json_next(json, seats, at)) != JSON_NONE)
        read_seat(json, at, &remote->seat[remote->seats++], now);
    int64_t you = json_number(json, json_member(json, 0, "you"), PYR_MAX_SEATS);
    remote->you = you >= 1 && you <= remote->seats ? (pyr_seat)(you - 1) : PYR_SPECTATOR;
    remote->host = json_is_true(json, json_member(json, 0, "host"));
    remote->is_public = json_is_true(json, json_member(json, 0, "public"));
    remote->state = read_state(json_word(json, json_member(json, 0, "state")));
    int64_t version = json_number(json, json_member(json, 0, "version"), MOST_VERSION);
    remote->promised = version < 0 ? 0 : (uint32_t)version;
    if (!remote->commitment[0])
        copy_code(remote->commitment, sizeof remote->commitment, json_word(json, json_member(json, 0, "commitment")));
    take_edition(remote, json);
    read_series(remote, json);
    if (!remote->is_open)
        reconnected(remote, now);
    copy_code(rematch, sizeof rematch, json_word(json, json_member(json, 0, "rematch")));
    if (rematch[0] && !pyr_word_is(pyr_word_of(rematch), remote->rematch)) {
        pyr_word_copy(pyr_word_of(rematch), remote->rematch, sizeof remote->rematch);
        push_event(remote, PYR_REMOTE_REMATCH, 0);
    }
    push_event(remote, PYR_REMOTE_TABLE, 0);
    if (before != remote->you && remote->size)
        load(remote);
}

/* After a reconnect: reports what has happened, once the last line has arrived. */
static void greet(struct pyr_remote *remote, int32_t missed)
{
    if (remote->has_returned)
        push_event(remote, PYR_REMOTE_RETURNED, 0);
    else if (remote->is_back && missed > 0 && has_seat(remote) && !pyr_match_is_over(remote->match))
        push_event(remote, PYR_REMOTE_MISSED, missed);
    remote->is_back = remote->has_returned = false;
}

/* Two bytes more than the JSON text, for the newline and the terminator; resolving escapes never makes a text longer. */
static bool add_lines(struct pyr_remote *remote, const struct json *json, int lines)
{
    for (int at = JSON_NONE; (at = json_next(json, lines, at)) != JSON_NONE;) {
        size_t room = sizeof remote->text - remote->size;
        if (!json_is_text(json, at) || json_word(json, at).length + 2 > room)
            return false;
        json_text(json, at, remote->text + remote->size, room);
        remote->size += (uint32_t)pyr_word_of(remote->text + remote->size).length;
        remote->text[remote->size++] = '\n';
    }
    return true;
}

/* `from` and `to` count lines of the server's log, hidden ones included, so they can be compared with `version`. */
static void on_lines(struct pyr_remote *remote, const struct json *json, uint64_t now)
{
    int64_t from = json_number(json, json_member(json, 0, "from"), MOST_VERSION),
            to = json_number(json, json_member(json, 0, "to"), MOST_VERSION);
    int lines = json_member(json, 0, "lines");
    if (from < 0 || to < from || !json_is_array(json, lines))
        return;
    if ((uint64_t)to <= remote->version && (remote->size || !to)) {
        remote->deadline = deadline_of(json, now);
        greet(remote, 0);
        return;                              /* nothing new: the draft stays (invariant 3) */
    }
    if ((uint64_t)from != remote->version) {
        forget_log(remote);                  /* a gap: request all lines again */
        return;
    }
    int32_t known = remote->known_turns;
    if (!add_lines(remote, json, lines)) {
        forget_log(remote);
        remote->must_open = false;
        push_bad_lines(remote, PYR_ERR_TEXT_FULL);
        return;
    }
    remote->version = (uint32_t)to;
    remote->ready = 0;
    remote->deadline = deadline_of(json, now);
    load(remote);
    if (remote->version < remote->promised)
        return;                              /* a long log comes in several messages */
    remote->known_turns = count_turns(remote->match);
    greet(remote, known < 0 ? 0 : remote->known_turns - known);
}

/* A message about another phase is ignored: either the lines leading there are still on their way, or it is old. */
static void on_ready(struct pyr_remote *remote, const struct json *json, uint64_t now)
{
    int64_t phase = json_number(json, json_member(json, 0, "phase"), MOST_VERSION);
    int ready = json_member(json, 0, "ready"), mine = json_member(json, 0, "mine");
    struct pyr_pending *choice = own_choice(remote);
    if (phase < 0 || (uint64_t)phase != remote->version)
        return;
    remote->ready = 0;
    for (int at = JSON_NONE; (at = json_next(json, ready, at)) != JSON_NONE;) {
        int64_t seat = json_number(json, at, PYR_MAX_SEATS);
        if (seat >= 1)
            remote->ready |= (uint8_t)(1u << (seat - 1));
    }
    remote->deadline = deadline_of(json, now);
    push_event(remote, PYR_REMOTE_READY, 0);
    /* A choice made over another connection, or before this visit. Takes and draws arrive as lines. While an answer is
     * due, the server's information about our choice may be outdated. */
    if (!choice || pyr_remote_is_pending(remote) || remote->match->replay.state.open.phase == PYR_REPLACE)
        return;
    if (json_is_text(json, mine) && !choice->confirmed) {
        char text[PYR_REMOTE_TEXT];
        json_text(json, mine, text, sizeof text);
        if (!pyr_match_choose(remote->match, remote->you, text, NULL))
            choice->confirmed = true;
    } else if (!json_is_text(json, mine)) {
        choice->confirmed = false;
    }
}

/* The message that an answer belongs to: its index in `sent`, or sent_count: none. */
static unsigned find_sent(const struct pyr_remote *remote, const struct json *json)
{
    struct pyr_word id = json_word(json, json_member(json, 0, "id"));
    unsigned i = 0;
    while (i < remote->sent_count && !pyr_word_is(id, remote->sent[i].id))
        i++;
    return i;
}

/* An answer to an id that is not waiting belongs to a message that was sent twice. */
static void on_done(struct pyr_remote *remote, const struct json *json, uint64_t now)
{
    unsigned i = find_sent(remote, json);
    if (i == remote->sent_count)
        return;
    int kind = remote->sent[i].kind;
    sent_remove(remote, i);
    await_answer(remote, now);
    push_event(remote, PYR_REMOTE_DONE, kind);
}

/* Refusals that are temporary: the message itself is valid, so it is sent again. */
static bool is_for_now(struct pyr_word code)
{
    return pyr_word_is(code, "storage") || pyr_word_is(code, "too_fast") || pyr_word_is(code, "stopping");
}

/* Refusals after which new lines or the next `ready` show the true state. */
static bool is_overtaken(struct pyr_word code)
{
    return pyr_word_is(code, "late") || pyr_word_is(code, "no_choice") || pyr_word_is(code, "confirmed");
}

/* Three kinds of refusal: temporary (the message is sent again later, and the person is notified once), outdated (the
 * table has changed, and its lines show it), and final (the choice is open again, and the person is shown why). */
static void on_error(struct pyr_remote *remote, const struct json *json, uint64_t now)
{
    struct pyr_word code = json_word(json, json_member(json, 0, "code"));
    unsigned i = find_sent(remote, json);
    int32_t kind = -1;
    bool is_present = false;                 /* about a choice of this phase */
    bool was_delayed = false;
    /* A request for a seat is not repeated automatically: the person is notified and may have changed their mind. */
    bool is_ours = i < remote->sent_count,
         is_patient = is_ours && remote->sent[i].kind <= PYR_REMOTE_RETRACT && is_for_now(code);
    if (is_ours) {
        kind = remote->sent[i].kind;
        is_present = remote->sent[i].phase == remote->version;
        struct pyr_pending *choice = own_choice(remote);
        if (kind == PYR_REMOTE_CHOOSE && choice && is_present && !is_patient && !is_overtaken(code))
            choice->confirmed = false;
        was_delayed = remote->sent[i].is_delayed;
        if (is_patient) {
            remote->sent[i].is_delayed = true;
            remote->resend_at = now + RESEND_MS;
        } else {
            sent_remove(remote, i);
        }
        await_answer(remote, now);
        if (is_patient)
            remote->answer_due = 0;
    }
    if (is_patient && was_delayed)
        return;                              /* once is enough */
    if (is_ours && is_overtaken(code) && kind <= PYR_REMOTE_RETRACT) {
        struct pyr_remote_event *ready = push_event(remote, PYR_REMOTE_READY, 0);
        if (is_present)
            copy_code(ready->code, sizeof ready->code, code);
        return;
    }
    struct pyr_remote_event *event = push_event(remote, PYR_REMOTE_REFUSED, kind);
    if (!copy_code(event->code, sizeof event->code, code))
        pyr_word_copy(pyr_word_of("other"), event->code, sizeof event->code);
    copy_code(event->reason, sizeof event->reason, json_word(json, json_member(json, 0, "reason")));
    copy_code(event->rule, sizeof event->rule, json_word(json, json_member(json, 0, "rule")));
}

/* A reaction from a seat without a person, or with a symbol of a later protocol, is ignored. */
static void on_reaction(struct pyr_remote *remote, const struct json *json)
{
    int64_t seat = json_number(json, json_member(json, 0, "seat"), PYR_MAX_SEATS) - 1;
    struct pyr_word word = json_word(json, json_member(json, 0, "symbol"));
    if (seat < 0 || seat >= remote->seats || remote->seat[seat].kind != PYR_SEAT_PERSON || remote->muted >> seat & 1)
        return;
    for (unsigned i = 0; i < PYR_REACTIONS; i++)
        if (pyr_word_is(word, symbols[i]))
            push_event(remote, PYR_REMOTE_REACTION, (int32_t)(8 * seat) + (int32_t)i);
}

/* Without a text and a time, the announcement is withdrawn. */
static void on_notice(struct pyr_remote *remote, const struct json *json, uint64_t now)
{
    int text = json_member(json, 0, "text");
    int64_t seconds = json_number(json, json_member(json, 0, "restart"), 1000000);
    remote->notice[0] = '\0';
    if (json_is_text(json, text))
        json_text(json, text, remote->notice, sizeof remote->notice);
    remote->restart_at = seconds >= 0 ? now + 1000 * (uint64_t)seconds : 0;
}

/* Messages that arrive after the connection was given up are ignored: they may be older than those of the next
 * connection. */
void pyr_remote_receive(struct pyr_remote *remote, const char *text, size_t size, uint64_t now)
{
    struct json json;
    if (!remote->is_connected)
        return;
    if (!json_read(&json, text, size)) {
        if (json.is_too_large)
            push_bad_lines(remote, PYR_ERR_TEXT_FULL);         /* no table or game has that many values */
        return;
    }
    struct pyr_word type = json_word(&json, json_member(&json, 0, "type"));
    if (pyr_word_is(type, "table"))
        on_table(remote, &json, now);
    else if (pyr_word_is(type, "lines"))
        on_lines(remote, &json, now);
    else if (pyr_word_is(type, "ready"))
        on_ready(remote, &json, now);
    else if (pyr_word_is(type, "done"))
        on_done(remote, &json, now);
    else if (pyr_word_is(type, "error"))
        on_error(remote, &json, now);
    else if (pyr_word_is(type, "elsewhere"))
        remote->elsewhere = json_is_true(&json, json_member(&json, 0, "elsewhere"));
    else if (pyr_word_is(type, "again"))
        remote->restarting = true;
    else if (pyr_word_is(type, "notice"))
        on_notice(remote, &json, now);
    else if (pyr_word_is(type, "reaction"))
        on_reaction(remote, &json);
    else
        return;                              /* hello, and messages of later servers */
    if (pyr_word_is(type, "elsewhere") || pyr_word_is(type, "again") || pyr_word_is(type, "notice"))
        push_event(remote, PYR_REMOTE_PRESENCE, 0);
}

/* The connection. */

/* known_turns -1: first visit, so nothing can have been missed. */
bool pyr_remote_init(struct pyr_remote *remote, struct pyr_match *match, const char *code)
{
    *remote = (struct pyr_remote){ .match = match, .you = PYR_SPECTATOR, .known_turns = -1 };
    *match = (struct pyr_match){ .replay = { .stage = PYR_STAGE_HEADER } };
    return copy_code(remote->code, sizeof remote->code, pyr_word_of(code));
}

/* The connection is open; only `open` may be sent until the server has answered with the table (reconnected). */
void pyr_remote_connected(struct pyr_remote *remote, uint64_t now)
{
    (void)now;
    remote->is_connected = true;
    remote->is_open = remote->is_dropping = false;
    remote->must_open = true;
    remote->elsewhere = false;
    remote->notice[0] = '\0';                /* the server sends its announcement again */
    remote->restart_at = 0;
    remote->tries = 0;
    remote->retry_at = 0;
}

/* The pause doubles up to MOST_RETRY_MS and is spread over 75 to 125 percent of that: after a restart of the server, its
 * clients do not all reconnect at the same moment. (random & 0xffff) / 0x20000 is between 0 and one half. */
void pyr_remote_lost(struct pyr_remote *remote, uint64_t now, uint32_t random)
{
    unsigned doubled = remote->tries < 5 ? remote->tries : 5;
    uint64_t pause = (uint64_t)RETRY_MS << doubled;
    remote->tries++;
    pause = pause > MOST_RETRY_MS ? MOST_RETRY_MS : pause;
    remote->retry_at = now + pause * 3 / 4 + pause * (random & 0xffff) / 0x20000;
    remote->is_connected = remote->is_open = remote->is_dropping = false;
    remote->must_open = remote->must_return = remote->slow = false;
    remote->answer_due = remote->resend_at = 0;
    if (!remote->lost_at)
        remote->lost_at = now ? now : 1;
    for (unsigned i = remote->sent_count; i-- > 0;)
        if (!is_resent(remote->sent[i].kind))
            sent_remove(remote, i);
    push_event(remote, PYR_REMOTE_PRESENCE, 0);
}

/* If an answer is overdue, the server is first reported as slow, and later the connection is considered dead, which TCP
 * itself may not notice for minutes. PYR_REMOTE_DROP is repeated until the caller reports the connection lost. */
enum pyr_remote_wish pyr_remote_wish(struct pyr_remote *remote, uint64_t now)
{
    if (!remote->is_connected)
        return now >= remote->retry_at ? PYR_REMOTE_CONNECT : PYR_REMOTE_WAIT;
    if (remote->is_dropping)
        return PYR_REMOTE_DROP;
    if (!remote->answer_due || now < remote->answer_due)
        return PYR_REMOTE_WAIT;
    if (remote->slow) {
        remote->is_dropping = true;
        return PYR_REMOTE_DROP;
    }
    remote->slow = true;
    remote->answer_due = now + DEAD_MS;
    push_event(remote, PYR_REMOTE_PRESENCE, 0);
    return PYR_REMOTE_WAIT;
}

/* The earliest time at which something is due, so that a client can sleep until then. 0: nothing is due. */
uint64_t pyr_remote_wake_at(const struct pyr_remote *remote)
{
    if (!remote->is_connected)
        return remote->retry_at;
    uint64_t due = remote->answer_due;
    if (remote->resend_at && (!due || remote->resend_at < due))
        due = remote->resend_at;
    return due;
}

/* `have` is the number of lines that are known, so that only the rest is sent. */
static const char *write_open(struct pyr_remote *remote)
{
    struct pyr_json json;
    pyr_json_init(&json, remote->out, sizeof remote->out, PYR_JSON_COMPACT);
    pyr_json_object(&json, NULL);
    pyr_json_text(&json, "type", "open");
    pyr_json_text(&json, "table", remote->code);
    pyr_json_number(&json, "have", remote->version);
    pyr_json_close(&json);
    pyr_json_finish(&json);
    return remote->out;
}

/* Without an id: it needs no answer, and sending it twice does no harm. */
static const char *write_return(struct pyr_remote *remote)
{
    struct pyr_json json;
    pyr_json_init(&json, remote->out, sizeof remote->out, PYR_JSON_COMPACT);
    pyr_json_object(&json, NULL);
    pyr_json_text(&json, "type", "return");
    pyr_json_close(&json);
    pyr_json_finish(&json);
    return remote->out;
}

/* One message per call, until NULL. Opening the table comes first, and everything else waits for its answer. The text is
 * valid until the next call. */
const char *pyr_remote_next(struct pyr_remote *remote, uint64_t now)
{
    if (!remote->is_connected)
        return NULL;
    if (remote->must_open) {
        remote->must_open = false;
        return write_open(remote);
    }
    if (!remote->is_open)
        return NULL;
    if (remote->must_return) {
        remote->must_return = false;
        return write_return(remote);
    }
    if (remote->resend_at && now >= remote->resend_at) {
        remote->resend_at = 0;
        for (unsigned i = 0; i < remote->sent_count; i++)
            remote->sent[i].is_posted = false;
        await_answer(remote, now);
    }
    for (unsigned i = 0; i < remote->sent_count && !remote->resend_at; i++) {
        struct pyr_remote_message *message = &remote->sent[i];
        if (message->is_posted)
            continue;
        message->is_posted = true;
        pyr_word_copy(pyr_word_of(message->text), remote->out, sizeof remote->out);
        return remote->out;
    }
    return NULL;
}

/* Whether the person can see the table. A hidden page that reconnects does not take the seat back from a bot. */
void pyr_remote_look(struct pyr_remote *remote, bool is_looked_at)
{
    remote->is_hidden = !is_looked_at;
}

/* Takes the seat back from another window of the same person. */
void pyr_remote_open_here(struct pyr_remote *remote)
{
    remote->must_open = remote->is_connected;
}

/* The person's actions. */

/* The seat's choice is due and not confirmed. */
static bool may_choose(const struct pyr_remote *remote)
{
    return own_choice(remote) != NULL && pyr_match_waiting(remote->match) >> remote->you & 1;
}

/* False: nothing to confirm now, or too much is unanswered. The choice counts as confirmed at once; a refusal opens
 * it again (on_error). */
bool pyr_remote_confirm(struct pyr_remote *remote, const uint8_t id[16], uint64_t now)
{
    struct pyr_json json;
    struct pyr_out out;
    char choice[PYR_REMOTE_TEXT];
    if (!may_choose(remote) || !pyr_match_is_ready(remote->match, remote->you) ||
        !message_new(remote, PYR_REMOTE_CHOOSE, id, &json))
        return false;
    pyr_out_init(&out, choice, sizeof choice);
    pyr_game_write_choice(&remote->match->game, remote->you, &out);
    pyr_json_number(&json, "phase", remote->version);
    pyr_json_text(&json, "choice", choice);
    if (!message_send(remote, &json, now))
        return false;
    own_choice(remote)->confirmed = true;    /* only here: its effects come from the server (invariant 1) */
    return true;
}

bool pyr_remote_retract(struct pyr_remote *remote, const uint8_t id[16], uint64_t now)
{
    struct pyr_pending *choice = own_choice(remote);
    struct pyr_json json;
    if (!choice || !choice->confirmed)
        return false;
    /* A choice that may not have reached the server must not arrive later, when it could be the last one that the table
     * waits for. */
    for (unsigned i = remote->sent_count; i-- > 0;)
        if (remote->sent[i].kind == PYR_REMOTE_CHOOSE && remote->sent[i].phase == remote->version)
            sent_remove(remote, i);
    if (!message_new(remote, PYR_REMOTE_RETRACT, id, &json))
        return false;
    pyr_json_number(&json, "phase", remote->version);
    if (!message_send(remote, &json, now))
        return false;
    choice->confirmed = false;
    return true;
}

bool pyr_remote_take(struct pyr_remote *remote, pyr_step step, const uint8_t id[16], uint64_t now)
{
    struct pyr_json json;
    struct pyr_out out;
    char choice[16];
    bool is_draw = pyr_step_kind(step) == PYR_STEP_DRAW;
    if (!may_choose(remote) || pyr_remote_is_pending(remote) || remote->match->replay.state.open.phase != PYR_REPLACE ||
        (!is_draw && pyr_step_kind(step) != PYR_STEP_TAKE) || !message_new(remote, PYR_REMOTE_CHOOSE, id, &json))
        return false;                        /* it cannot be taken back once sent */
    pyr_out_init(&out, choice, sizeof choice);
    pyr_out_text(&out, is_draw ? "draw" : "take ");
    if (!is_draw)
        pyr_out_number(&out, pyr_step_card(step) + 1);
    pyr_json_number(&json, "phase", remote->version);
    pyr_json_text(&json, "choice", choice);
    return message_send(remote, &json, now);
}

/* The number for the shuffle is drawn once per table and kept: a repeated request for a seat must send the same number. */
bool pyr_remote_sit(
    struct pyr_remote *remote, pyr_seat seat, const char *key, const uint8_t number[32], const uint8_t id[16], uint64_t now)
{
    struct pyr_json json;
    char clean[PYR_REMOTE_CODE];
    if (has_seat(remote) || (key[0] && !copy_code(clean, sizeof clean, pyr_word_of(key))))
        return false;
    for (unsigned i = 0; i < remote->sent_count; i++)
        if (remote->sent[i].kind == PYR_REMOTE_SIT)
            return false;
    if (!message_new(remote, PYR_REMOTE_SIT, id, &json))
        return false;
    if (!remote->number[0])
        write_hex(remote->number, number, 32);
    pyr_json_text(&json, "number", remote->number);
    if (seat < PYR_MAX_SEATS)
        pyr_json_number(&json, "seat", seat + 1);
    if (key[0])
        pyr_json_text(&json, "key", clean);
    return message_send(remote, &json, now);
}

/* Requests that make sense only now: they are not sent while the connection is lost. seat PYR_NOBODY: the message has no
 * seat. */
static bool send_simple(
    struct pyr_remote *remote, enum pyr_remote_kind kind, pyr_seat seat, const uint8_t id[16], uint64_t now)
{
    struct pyr_json json;
    if (!remote->is_open || !message_new(remote, kind, id, &json))
        return false;
    if (seat < PYR_MAX_SEATS)
        pyr_json_number(&json, "seat", seat + 1);
    return message_send(remote, &json, now);
}

bool pyr_remote_leave(struct pyr_remote *remote, const uint8_t id[16], uint64_t now)
{
    if (!has_seat(remote) || !send_simple(remote, PYR_REMOTE_LEAVE, PYR_NOBODY, id, now))
        return false;
    remote->has_left = remote->state == PYR_TABLE_RUNNING;       /* before that, it only frees the seat */
    return true;
}

bool pyr_remote_return(struct pyr_remote *remote, const uint8_t id[16], uint64_t now)
{
    if (!has_seat(remote) || !send_simple(remote, PYR_REMOTE_RETURN, PYR_NOBODY, id, now))
        return false;
    remote->has_left = false;
    return true;
}

bool pyr_remote_fill(struct pyr_remote *remote, pyr_seat seat, const char *level, const uint8_t id[16], uint64_t now)
{
    struct pyr_json json;
    char clean[16];
    if (!remote->is_open || seat >= remote->seats || !copy_code(clean, sizeof clean, pyr_word_of(level)) ||
        !message_new(remote, PYR_REMOTE_FILL, id, &json))
        return false;
    pyr_json_number(&json, "seat", seat + 1);
    pyr_json_text(&json, "level", clean);
    return message_send(remote, &json, now);
}

bool pyr_remote_standin(struct pyr_remote *remote, pyr_seat seat, const uint8_t id[16], uint64_t now)
{
    return seat < remote->seats && send_simple(remote, PYR_REMOTE_STANDIN, seat, id, now);
}

bool pyr_remote_close(struct pyr_remote *remote, const uint8_t id[16], uint64_t now)
{
    return send_simple(remote, PYR_REMOTE_CLOSE, PYR_NOBODY, id, now);
}

bool pyr_remote_may_react(const struct pyr_remote *remote)
{
    unsigned people = 0;
    for (unsigned s = 0; s < remote->seats; s++)
        people += remote->seat[s].kind == PYR_SEAT_PERSON;
    return has_seat(remote) && people > 1 && remote->is_open;
}

/* Not sent again after a lost connection: by then the moment has passed. */
bool pyr_remote_react(struct pyr_remote *remote, unsigned symbol, const uint8_t id[16], uint64_t now)
{
    struct pyr_json json;
    if (symbol >= PYR_REACTIONS || !pyr_remote_may_react(remote) || !message_new(remote, PYR_REMOTE_REACT, id, &json))
        return false;
    pyr_json_text(&json, "symbol", symbols[symbol]);
    return message_send(remote, &json, now);
}

void pyr_remote_mute(struct pyr_remote *remote, pyr_seat seat, bool is_muted)
{
    if (seat < PYR_MAX_SEATS)
        remote->muted = (uint8_t)((remote->muted & ~(1u << seat)) | (unsigned)is_muted << seat);
}

/* In milliseconds; 0: the person is connected, or it is not a person's seat. */
uint64_t pyr_remote_gone(const struct pyr_remote *remote, pyr_seat seat, uint64_t now)
{
    uint64_t since = seat < remote->seats ? remote->seat[seat].gone_since : 0;
    return since && now > since ? now - since : 0;
}

/* Saving and restoring. */

/* The saved text has one item per line, as records do: a word, a blank, the value. */
static void put_line(struct pyr_out *out, const char *word, const char *value)
{
    pyr_out_text(out, word);
    pyr_out_char(out, ' ');
    pyr_out_text(out, value);
    pyr_out_char(out, '\n');
}

/* A step as two 32-bit numbers: pyr_out and pyr_lines have no longer ones. */
static void put_step(struct pyr_out *out, pyr_step step)
{
    uint8_t bytes[8];
    char hex[17];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(step >> (56 - 8 * i));
    write_hex(hex, bytes, 8);
    put_line(out, "step", hex);
}

/* The log is not saved, since the server has it. 0: it does not fit. */
size_t pyr_remote_save(const struct pyr_remote *remote, char *to, size_t size)
{
    struct pyr_out out;
    const struct pyr_pending *choice = own_choice(remote);
    bool is_live = choice && choice->count;  /* otherwise the restored draft, whose phase has not arrived yet */
    pyr_out_init(&out, to, size);
    pyr_out_text(&out, header);
    pyr_out_char(&out, '\n');
    put_line(&out, "table", remote->code);
    if (remote->number[0])
        put_line(&out, "number", remote->number);
    if (remote->commitment[0])
        put_line(&out, "commitment", remote->commitment);
    pyr_out_text(&out, "turns ");
    pyr_out_number(&out, remote->known_turns);
    if (remote->muted) {
        pyr_out_text(&out, "\nmuted ");
        pyr_out_number(&out, remote->muted);
    }
    pyr_out_text(&out, (is_live ? choice->confirmed : remote->saved.confirmed) ? "\nconfirmed " : "\ndraft ");
    pyr_out_number(&out, (int32_t)(is_live ? remote->version : remote->saved_version));
    pyr_out_char(&out, '\n');
    for (unsigned i = 0; i < (is_live ? choice->count : remote->saved.count); i++)
        put_step(&out, is_live ? pyr_pending_step(choice, i) : remote->saved.step[i]);
    for (unsigned i = 0; i < remote->sent_count; i++) {
        const struct pyr_remote_message *message = &remote->sent[i];
        if (!is_resent(message->kind))
            continue;
        pyr_out_text(&out, "sent ");
        pyr_out_number(&out, message->kind);
        pyr_out_char(&out, ' ');
        pyr_out_number(&out, (int32_t)message->phase);
        pyr_out_char(&out, ' ');
        pyr_out_text(&out, message->id);
        pyr_out_char(&out, ' ');
        pyr_out_text(&out, message->text);
        pyr_out_char(&out, '\n');
    }
    return out.length < size ? out.length : 0;
}

/* `size` includes the terminator. */
static bool read_hex_word(struct pyr_lines *lines, char *to, size_t size)
{
    struct pyr_word word;
    if (!pyr_lines_word(lines, &word) || word.length != size - 1)
        return false;
    pyr_word_copy(word, to, size);
    return is_hex(to, size - 1);
}

static bool read_step(struct pyr_lines *lines, struct pyr_remote_draft *choice)
{
    char hex[17];
    if (choice->count == PYR_MAX_PARTS || !read_hex_word(lines, hex, sizeof hex))
        return false;
    pyr_step step = 0;
    for (unsigned i = 0; i < 16; i++)
        step = step << 4 | (pyr_step)pyr_hex_digit(hex[i]);
    choice->step[choice->count++] = step;
    return true;
}

/* Only kinds that are sent again are read: a manipulated file cannot make us send anything else. The server checks the
 * rest. */
static bool read_sent(struct pyr_lines *lines, struct pyr_remote *remote)
{
    struct pyr_remote_message *message = &remote->sent[remote->sent_count];
    struct pyr_word text;
    int32_t kind, phase;
    if (remote->sent_count == PYR_REMOTE_SENT || !pyr_lines_number(lines, 0, PYR_REMOTE_SIT, &kind) ||
        !pyr_lines_number(lines, 0, MOST_VERSION, &phase) || !read_hex_word(lines, message->id, sizeof message->id) ||
        !pyr_lines_rest(lines, sizeof message->text - 1, &text))
        return false;
    message->kind = (uint8_t)kind;
    message->phase = (uint32_t)phase;
    message->is_posted = message->is_delayed = false;
    pyr_word_copy(text, message->text, sizeof message->text);
    remote->sent_count++;
    return true;
}

/* If any line cannot be read, the whole text is dropped: it only contains what would otherwise be lost. */
static bool read_line(struct pyr_lines *lines, struct pyr_remote *remote)
{
    struct pyr_word word, code;
    int32_t number;
    if (!pyr_lines_word(lines, &word))
        return false;
    if (pyr_word_is(word, "table"))
        return pyr_lines_word(lines, &code) && pyr_word_is(code, remote->code);
    if (pyr_word_is(word, "number"))
        return read_hex_word(lines, remote->number, sizeof remote->number);
    if (pyr_word_is(word, "commitment"))
        return read_hex_word(lines, remote->commitment, sizeof remote->commitment);
    if (pyr_word_is(word, "turns"))
        return pyr_lines_number(lines, -1, PYR_ROUNDS * PYR_TURNS, &remote->known_turns);
    if (pyr_word_is(word, "muted")) {
        if (!pyr_lines_number(lines, 0, (1 << PYR_MAX_SEATS) - 1, &number))
            return false;
        remote->muted = (uint8_t)number;
        return true;
    }
    if (pyr_word_is(word, "draft") || pyr_word_is(word, "confirmed")) {
        remote->saved.confirmed = pyr_word_is(word, "confirmed");
        if (!pyr_lines_number(lines, 0, MOST_VERSION, &number))
            return false;
        remote->saved_version = (uint32_t)number;
        return true;
    }
    if (pyr_word_is(word, "step"))
        return read_step(lines, &remote->saved);
    return pyr_word_is(word, "sent") && read_sent(lines, remote);
}

/* All or nothing: read into a copy, which replaces the original only if every line was good. */
bool pyr_remote_restore(struct pyr_remote *remote, const char *text, size_t size)
{
    struct pyr_remote fresh;
    struct pyr_lines lines;
    pyr_lines_init(&lines, text, size);
    if (!pyr_lines_header(&lines, "pyramids-remote", header))
        return false;
    fresh = *remote;
    fresh.sent_count = 0;
    fresh.saved = (struct pyr_remote_draft){ .count = 0 };
    while (pyr_lines_next(&lines, false))
        if (!read_line(&lines, &fresh))
            return false;
    if (lines.fault.code)
        return false;
    *remote = fresh;
    return true;
}
