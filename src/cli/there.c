/*
 * there.c: see there.h. The connection has a thread of its own (src/tui/net.c), which wakes this one through a pipe; the
 * game is a pyr_remote (session/remote.h), carried by carrier.h.
 *
 * While a line is being typed, the connection is not read. Nothing is lost by that: the other players of such a game
 * are bots, so nothing happens until the choice is made, and a connection that was lost in the meantime is restored
 * before the choice is sent.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pyramids/builtin.h>
#include <pyramids/remote.h>

#include "carrier.h"
#include "choices.h"
#include "there.h"

#define PATIENCE_MS 60000        /* for an answer */

struct there {
    struct visit visit;
    struct carrier carrier;
    int asked;                   /* number of requests so far, which is the id of the last one */
    struct pyr_remote *table;    /* NULL: no game yet */
    struct pyr_edition *edition;
    bool has_failed, is_lost;    /* a message was printed; the connection is lost, and that was printed */
};

static int wake_pipe[2] = { -1, -1 };

static void wake(void)
{
    ssize_t written = write(wake_pipe[1], "", 1);        /* if the pipe is full, there is something to read anyway */
    (void)written;
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000 + 1;
}

/* Waits for an event, at most that long. */
static void wait_for_event(uint64_t ms)
{
    struct pollfd at = { .fd = wake_pipe[0], .events = POLLIN };
    char bytes[64];
    if (poll(&at, 1, ms > 1000 ? 1000 : (int)ms) > 0)
        while (read(wake_pipe[0], bytes, sizeof bytes) > 0)
            continue;
}

/* Requests. */

static void fail(struct there *there, const char *sentence)
{
    cli_error("%s: %s", there->visit.url, sentence);
    there->has_failed = true;
}

static void print_cause(struct there *there, int status)
{
    if (status == NET_UNTRUSTED)
        cli_error(
            _("%s: the certificate is not trusted, or belongs to another server; use --trust FILE to trust one you know"),
            there->visit.url);
    else if (!status)
        fail(there, _("The server does not answer."));
    else
        fail(there, visit_cause(status));
    there->has_failed = true;
}

/* The answer to the last request; NULL when interrupted, or after PATIENCE_MS. */
static struct net_event *await_answer(struct there *there)
{
    uint64_t until = now_ms() + PATIENCE_MS;
    while (!cli_is_interrupted() && now_ms() < until) {
        struct net_event *event = net_next(there->carrier.net);
        if (!event) {
            wait_for_event(until - now_ms());
            continue;
        }
        if (event->kind == NET_ANSWER && event->id == there->asked)
            return event;
        carrier_take(&there->carrier, there->table, event, now_ms());
        net_free(event);
    }
    return NULL;
}

json_t *there_ask(struct there *there, const char *path, json_t *body, int *status)
{
    char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
    json_t *answer = NULL;
    net_request(there->carrier.net, ++there->asked, path, text);
    free(text);
    json_decref(body);
    struct net_event *event = await_answer(there);
    *status = event ? event->status : 0;
    if (event && event->text)
        answer = json_loadb(event->text, event->size, 0, NULL);
    if (*status <= 0 || *status >= 500) {
        if (!cli_is_interrupted())
            print_cause(there, *status);
        json_decref(answer);
        answer = NULL;
    } else if (!json_is_object(answer)) {
        cli_error(_("%s: not a Pyramids server"), there->visit.url);
        json_decref(answer);
        answer = NULL;
    }
    net_free(event);
    return answer;
}

void there_refused(const struct there *there, const json_t *answer)
{
    char sentence[300];
    visit_refusal(visit_text(json_object_get(answer, "error"), "code"), sentence, sizeof sentence);
    cli_error("%s: %s", there->visit.url, sentence);
}

const char *there_url(const struct there *there) { return there->visit.url; }

/* Introduces this user to the server. False after printing a message. */
static bool become_known(struct there *there, const char *name)
{
    int status;
    json_t *answer = there_ask(there, "/api/visitor", visit_question(&there->visit, name), &status);
    if (answer && status == 401 && there->visit.cookie[0]) {
        json_decref(answer);
        visit_forget(&there->visit);
        answer = there_ask(there, "/api/visitor", visit_question(&there->visit, name), &status);
    }
    bool is_known = answer && status == 200 && !visit_is_stranger(status, answer);
    if (is_known)
        visit_keep(&there->visit, there->carrier.net);
    else if (answer && visit_is_stranger(status, answer))
        cli_error(_("%s: not a Pyramids server"), there->visit.url);
    else if (answer)
        there_refused(there, answer);
    json_decref(answer);
    return is_known;
}

struct there *there_open(const char *server, const char *trusted, const char *name)
{
    struct there *there = calloc(1, sizeof *there);
    char problem[400];
    if (!there || (wake_pipe[0] < 0 && pipe2(wake_pipe, O_NONBLOCK | O_CLOEXEC))) {
        cli_error(_("out of memory"));
        free(there);
        return NULL;
    }
    visit_init(&there->visit, server);
    if (!carrier_init(&there->carrier, &there->visit, trusted, wake, problem, sizeof problem))
        cli_error("%s", problem);
    else if (become_known(there, name))
        return there;
    there_close(there);
    return NULL;
}

void there_close(struct there *there)
{
    if (!there)
        return;
    carrier_finish(&there->carrier);
    free(there->table);
    free(there);
}

/* The game. */

/* The edition of the daily expedition is built in. */
static void set_edition(struct there *there)
{
    const char *text = pyr_builtin_edition(there->table->edition_name);
    struct pyr_fault fault;
    if (!text || pyr_edition_read(there->edition, text, strlen(text), &fault)) {
        cli_error(_("the server's edition %s cannot be used"), there->table->edition_name);
        there->has_failed = true;
        return;
    }
    pyr_remote_set_edition(there->table, there->edition, now_ms());
}

/* The choice that was refused is open again. */
static void print_refusal(struct there *there, const struct pyr_remote_event *event)
{
    char sentence[300];
    visit_refusal(event->code, sentence, sizeof sentence);
    if (there->table->resend_at)
        return;                              /* the choice is sent again */
    if (event->kind == PYR_REMOTE_REFUSED && event->number != PYR_REMOTE_CHOOSE)
        fail(there, sentence);               /* the table cannot be opened */
    else
        puts(sentence);
}

static void print_bad_lines(struct there *there)
{
    char sentence[600];
    carrier_bad_lines(there->table, sentence, sizeof sentence);
    cli_error("%s", sentence);
    there->has_failed = true;
}

static void take_events(struct there *there)
{
    for (struct pyr_remote_event event; !there->has_failed && (event = pyr_remote_event(there->table)).kind;) {
        if (event.kind == PYR_REMOTE_EDITION)
            set_edition(there);
        else if (event.kind == PYR_REMOTE_BAD_LINES)
            print_bad_lines(there);
        else if (event.kind == PYR_REMOTE_REFUSED || (event.kind == PYR_REMOTE_READY && event.code[0]))
            print_refusal(there, &event);
        else if (event.kind == PYR_REMOTE_TABLE && there->table->state == PYR_TABLE_CLOSED)
            fail(there, _("the table was closed"));
    }
}

static bool is_lost(struct there *there)
{
    bool is_lost = there->table->lost_at;
    if (is_lost && !there->is_lost)
        puts(_("Connection lost: reconnecting. Your marks are safe; nothing is sent twice."));
    fflush(stdout);
    there->is_lost = is_lost;
    return is_lost;
}

/* Whether this player has to choose, or the game is over. */
static bool is_due(const struct there *there)
{
    const struct pyr_remote *table = there->table;
    const struct pyr_match *match = table->match;
    if (table->state == PYR_TABLE_UNKNOWN || table->you >= table->seats || match->replay.stage < PYR_STAGE_PLAY)
        return false;
    return pyr_match_is_over(match) || (table->is_open && table->version >= table->promised &&
        pyr_match_waiting(match) >> table->you & 1 && !match->choice[table->you].confirmed && !pyr_remote_is_pending(table));
}

bool there_wait(struct there *there)
{
    while (!there->has_failed && !cli_is_interrupted()) {
        struct net_event *event = net_next(there->carrier.net);
        if (event) {
            carrier_take(&there->carrier, there->table, event, now_ms());
            net_free(event);
            take_events(there);
            continue;
        }
        carrier_connect(&there->carrier, there->table, now_ms());
        carrier_send(&there->carrier, there->table, now_ms());
        if (!is_lost(there) && is_due(there))
            return true;
        uint64_t at = pyr_remote_wake_at(there->table), now = now_ms();
        wait_for_event(!at ? 1000 : at > now ? at - now : 1);
    }
    return false;
}

bool there_begin(struct there *there, const char *code, struct pyr_match *match, struct pyr_edition *edition)
{
    there->table = malloc(sizeof *there->table);
    there->edition = edition;
    if (!there->table) {
        cli_error(_("out of memory"));
        return false;
    }
    if (!pyr_remote_init(there->table, match, code)) {
        cli_error(_("%s: not a Pyramids server"), there->visit.url);
        return false;
    }
    return there_wait(there);
}

void there_end(struct there *there)
{
    if (there->carrier.is_open || there->carrier.is_opening)
        net_close(there->carrier.net);
    free(there->table);
    there->table = NULL;                     /* messages that still arrive are ignored */
}

pyr_seat there_seat(const struct there *there) { return there->table->you; }

/* Reads a choice that takes or draws a card; the deck itself is known only to the server. */
static bool read_take(const struct there *there, const char *choice, pyr_step *step)
{
    const struct pyr_match *match = there->table->match;
    struct choices choices;
    bool is_legal = false;
    choices_init(&choices, there->edition, &match->replay.state, there->table->you);
    for (size_t i = 0; i < choices.count && !is_legal; i++)
        is_legal = !strcmp(choices.line[i], choice);
    choices_finish(&choices);
    *step = strcmp(choice, "draw") && is_legal ? pyr_step_take((pyr_card)(atoi(choice + 5) - 1)) : pyr_step_draw();
    return is_legal;
}

/* Tried on a copy: taking a card would change the match, which only the server's lines may do. */
static enum pyr_err what_is_wrong(const struct there *there, const char *choice, struct pyr_fault *fault)
{
    struct pyr_match *copy = malloc(sizeof *copy);
    enum pyr_err err = PYR_OK;
    if (copy) {
        *copy = *there->table->match;
        err = pyr_match_choose(copy, there->table->you, choice, fault);
    }
    if (!err) {                              /* convert other notations to ours */
        err = PYR_ERR_TEXT_MOVE;
        *fault = (struct pyr_fault){ .code = err };
    }
    free(copy);
    return err;
}

enum pyr_err there_choose(struct there *there, const char *choice, struct pyr_fault *fault)
{
    struct pyr_remote *table = there->table;
    pyr_step step;
    uint8_t id[16];
    if (getentropy(id, sizeof id))
        return PYR_OK;                       /* nothing was sent, so the choice is requested again */
    if (table->match->replay.state.open.phase == PYR_REPLACE) {
        if (!read_take(there, choice, &step))
            return what_is_wrong(there, choice, fault);
        pyr_remote_take(table, step, id, now_ms());
        return PYR_OK;
    }
    enum pyr_err err = pyr_match_choose(table->match, table->you, choice, fault);
    if (!err)
        pyr_remote_confirm(table, id, now_ms());
    return err;
}
