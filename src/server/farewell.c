/*
 * farewell.c: a visitor removes their data (docs/protocol.md, DELETE /api/visitor).
 *
 * In this order:
 *  1. Open tables: a bot takes the seat of a running game, a seat at a waiting table is free again, and waiting tables that
 *     the visitor made are closed. Each is a change like any other (apply_forget), so every server sees it.
 *  2. One transaction removes everything that concerns only this visitor, and notes that their games are still to be
 *     done.
 *  3. The answer. From then on no server accepts the cookies.
 *  4. Finished games, some per transaction: the seat stays, as "A player", in the table and in its record. A server that
 *     finds the note of step 2 continues with this, also after a restart.
 *
 * If step 1 or 2 fails, the visitor gets an error and can ask again; nothing was removed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "change.h"
#include "profile.h"

#define LOOK_MS 60000            /* how often to check whether something is left to do */

/* Names. */

/* The same text with another name in its line `player SEAT`; NULL without memory, or if there is no such line. */
static char *rename_player(const char *lines, unsigned seat)
{
    char head[16];
    size_t length = (size_t)snprintf(head, sizeof head, "player %u ", seat + 1);
    const char *at = lines;
    while (*at && strncmp(at, head, length)) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    if (!*at)
        return NULL;
    const char *rest = at + strcspn(at, "\n");
    size_t before = (size_t)(at - lines) + length, size = before + strlen(GONE_NAME) + strlen(rest) + 1;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%.*s%s%s", (int)before, lines, GONE_NAME, rest);
    return text;
}

/* In the store's thread: the seat loses its visitor and gets another name. An unreadable configuration stays as it is. */
static bool rewrite(int64_t visitor, unsigned seat, char **config, char **lines)
{
    json_t *object = object_load(*config, strlen(*config)), *seats = json_object_get(object, "seats");
    json_t *one = json_array_get(seats, seat);
    bool is_theirs = json_integer_value(json_object_get(one, "visitor")) == visitor;
    char *text = NULL, *renamed = is_theirs ? rename_player(*lines, seat) : NULL;
    if (is_theirs && !json_object_set_new(one, "name", json_string(GONE_NAME)) &&
        !json_object_set_new(one, "visitor", json_integer(0)))
        text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    if (!text) {
        free(renamed);
        return false;
    }
    free(*config);
    *config = text;
    if (renamed) {
        free(*lines);
        *lines = renamed;
    }
    return true;
}

/* Step 4. */

/* Games in memory have the old name, too: unused ones are dropped from memory, the others are read again. */
static void read_again(struct server *server, int64_t visitor)
{
    for (struct table *table = server->table_list, *next; table; table = next) {
        next = table->next;
        if (table->now.stage == STORE_OVER && table_seat_of(table, visitor) < PYR_MAX_SEATS)
            table_note_news(table, table->revision + 1, NULL);
    }
}

struct leaving {
    struct store_job job;
    struct server *server;
    int64_t visitor;
    bool left;
};

static enum store_result run_leaving(struct store_db *db, struct store_job *job)
{
    struct leaving *leaving = (struct leaving *)job;
    enum store_result result = store_next_leaving(db, &leaving->visitor);
    leaving->left = false;
    return result || !leaving->visitor ? result : store_forget_games(db, leaving->visitor, rewrite, &leaving->left);
}

/* More visitors may be leaving, so the next one is fetched until there are none. After a failure, a while later. */
static void leaving_done(struct store_job *job, enum store_result result)
{
    struct leaving *leaving = (struct leaving *)job;
    struct server *server = leaving->server;
    server->farewell.busy = false;
    if (!result && leaving->visitor) {
        server->farewell.at = 0;
        read_again(server, leaving->visitor);
    }
    free(leaving);
}

void farewell_tick(struct server *server)
{
    uint64_t now = server_now(server);
    if (server->farewell.busy || now < server->farewell.at || server->stopping)
        return;
    struct leaving *leaving = calloc(1, sizeof *leaving);
    if (!leaving)
        return;
    leaving->server = server;
    leaving->job.run = run_leaving;
    leaving->job.done = leaving_done;
    server->farewell.busy = true;
    server->farewell.at = now + LOOK_MS;
    store_submit(server->store, &leaving->job);
}

/* Steps 1 to 3. */

struct farewell {
    struct store_job job;
    struct request *request;
    struct server *server;
    int64_t visitor, now;
    char open[STORE_CODES][16];
    unsigned open_count;
    unsigned waiting;            /* changes under way, plus one while they are being submitted */
    enum error error;            /* the first of any change */
    unsigned running;            /* games that continue without them and have their name in the record */
    struct {
        int64_t table;
        unsigned seat;
        char code[16];
    } game[STORE_CODES];
};

static void answer_farewell(struct farewell *farewell, enum error error)
{
    struct request *request = farewell->request;
    if (request_back(request)) {
        if (error) {
            request_error(request, error, "");
        } else {
            snprintf(request->cookie, sizeof request->cookie, "pyramids=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict%s",
                request->secure ? "; Secure" : "");
            answer_json(request, 200, json_pack("{sb}", "removed", true));
        }
    }
    free(farewell);
}

static enum store_result run_farewell(struct store_db *db, struct store_job *job)
{
    struct farewell *farewell = (struct farewell *)job;
    enum store_result result = store_forget_visitor(db, farewell->visitor, farewell->now);
    for (unsigned i = 0; i < farewell->running && !result; i++)
        result = store_rename_player(db, farewell->game[i].table, farewell->game[i].seat, rename_player);
    return result;
}

static void farewell_done(struct store_job *job, enum store_result result)
{
    struct farewell *farewell = (struct farewell *)job;
    if (!result) {
        visitor_leave(farewell->server, farewell->visitor);
        for (unsigned i = 0; i < farewell->running; i++) {
            struct table *table = table_find(farewell->server, farewell->game[i].code);
            if (table)
                table_note_news(table, table->revision + 1, NULL);
        }
        farewell->server->farewell.at = 0;
    }
    answer_farewell(farewell, result ? ERROR_STORAGE : ERROR_NONE);
}

/* A change is done. */
static void forget_counted(struct farewell *farewell)
{
    if (--farewell->waiting)
        return;
    if (farewell->error) {
        answer_farewell(farewell, farewell->error);
        return;
    }
    farewell->now = server_time();
    farewell->job.run = run_farewell;
    farewell->job.locks_results = true;
    farewell->job.done = farewell_done;
    store_submit(farewell->server->store, &farewell->job);
}

static void forgotten_at(struct change *change, enum error error)
{
    struct farewell *farewell = change->context;
    if (error && !farewell->error)
        farewell->error = error;
    forget_counted(farewell);
}

/* The open tables are now in memory. */
static void leave_tables(void *context, enum error error)
{
    struct farewell *farewell = context;
    farewell->waiting = 1;
    farewell->error = error;
    for (unsigned i = 0; i < farewell->open_count && !error; i++) {
        struct table *table = table_find(farewell->server, farewell->open[i]);
        struct change *change = table ? change_new(table, apply_forget) : NULL;
        if (!table)
            continue;                        /* closed meanwhile */
        if (!change) {
            farewell->error = ERROR_STORAGE;
            break;
        }
        pyr_seat seat = table_seat_of(table, farewell->visitor);
        if (table->now.stage == STORE_RUNNING && seat < PYR_MAX_SEATS) {
            farewell->game[farewell->running].table = table->id;
            memcpy(farewell->game[farewell->running].code, farewell->open[i], sizeof farewell->open[i]);
            farewell->game[farewell->running++].seat = seat;
        }
        change->request.visitor = farewell->visitor;
        change->answer = forgotten_at;
        change->context = farewell;
        farewell->waiting++;
        change_submit(change, NULL, NULL);
    }
    forget_counted(farewell);
}

static enum store_result run_open(struct store_db *db, struct store_job *job)
{
    struct farewell *farewell = (struct farewell *)job;
    return store_get_open_of(db, farewell->visitor, farewell->open, &farewell->open_count);
}

static void open_done(struct store_job *job, enum store_result result)
{
    struct farewell *farewell = (struct farewell *)job;
    if (result)
        answer_farewell(farewell, ERROR_STORAGE);
    else
        tables_fetch(farewell->server, farewell->open, farewell->open_count, leave_tables, farewell);
}

void delete_visitor(struct request *request)
{
    struct farewell *farewell = calloc(1, sizeof *farewell);
    if (!farewell) {
        request_error(request, ERROR_STORAGE, "");
        return;
    }
    farewell->request = request;
    farewell->server = request->server;
    farewell->visitor = (int64_t)request->visitor->node.key;
    request_submit(request, &farewell->job, run_open, open_done);
}
