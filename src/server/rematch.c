/*
 * rematch.c: a new table for the same people, which the old one points to.
 */
#include <stdlib.h>
#include <string.h>

#include "change.h"
#include "server.h"

static enum error apply_point_to_rematch(struct change *change, struct problem *problem)
{
    (void)problem;
    memcpy(change->effects->after.rematch, change->request.text, CODE_SIZE + 1);
    change_note_table(change);
    return ERROR_NONE;
}

/* Found by code and not by pointer: the old table may leave the memory before the new one is stored. */
struct rematch {
    char code[CODE_SIZE + 1];    /* of the old table */
    void (*answer)(struct change *change, enum error error);
    void *context;
};

/* First the new table is stored, then the old one points to it: a crash in between loses the link, but a link always
 * leads to a table. */
static void rematch_made(struct change *change, enum error error)
{
    struct rematch *rematch = change->context;
    struct table *old = table_find(change->table->server, rematch->code);
    if (!error && old) {
        struct change *note = change_new(old, apply_point_to_rematch);
        if (note && (note->request.text = malloc(CODE_SIZE + 1))) {
            memcpy(note->request.text, change->table->code, CODE_SIZE + 1);
            change_submit(note, NULL, NULL);
        } else {
            change_free(note);
        }
    }
    change->context = rematch->context;
    rematch->answer(change, error);
    free(rematch);
}

/* *asker is the first person by seat, not the visitor of the request: so all players of a game use the same request id
 * and get one table. */
enum error table_may_rematch(const struct table *table, const struct visitor *visitor, int64_t *asker)
{
    if (table->daily.day)
        return ERROR_DAILY;
    if (table->now.stage != STORE_OVER)
        return ERROR_NOT_OVER;
    if (table_seat_of(table, (int64_t)visitor->node.key) >= PYR_MAX_SEATS)
        return ERROR_NOT_SEATED;
    for (unsigned s = table->now.seats; s--;)
        if (table->now.seat[s].kind == SEAT_PERSON)
            *asker = table->now.seat[s].visitor;
    return ERROR_NONE;
}

/* A seat's wins and points in the series, including the game that is over. Numbers that are too large stay unchanged. */
static void add_to_series(const struct table_state *state, unsigned from, struct seat *seat)
{
    const struct seat *old = &state->seat[from];
    int wins = state->winners >> from & 1 ? 12 / __builtin_popcount(state->winners) : 0;
    int points = old->series.points + state->points[from];
    seat->series.wins = (uint16_t)(old->series.wins + wins);
    seat->series.points = points > INT16_MAX || points < INT16_MIN ? old->series.points : (int16_t)points;
}

/* Persons become friends whose seats are kept for them by number, without keys; bots stay. Everyone moves up one seat,
 * and the first becomes the last, so that in a series everyone gets to sit in each seat. The new table is not public,
 * even if the old one was. */
enum error table_rematch(struct table *table, struct visitor *visitor, struct address *address, const char *id,
    void (*answer)(struct change *change, enum error error), void *context)
{
    struct table_request request = { .seats = table->now.seats, .terms = table->now.terms, .address = address, .id = id };
    request.terms.is_public = false;
    request.series = table->now.series < 200 ? table->now.series + 1 : 200;
    enum error may = table_may_rematch(table, visitor, &request.asker);
    if (may)
        return may;
    struct table *other = table_find(table->server, table->now.rematch[0] ? table->now.rematch : table->rematch_pending);
    if (other && other->now.stage != STORE_CLOSED) {
        /* Another player was faster: answer once that table is stored. */
        struct change *change = change_new(other, apply_new);
        if (!change)
            return ERROR_STORAGE;
        change->answer = answer;
        change->context = context;
        change_submit(change, NULL, NULL);
        return ERROR_NONE;
    }
    for (unsigned s = 0; s < request.seats; s++) {
        unsigned from = (s + 1) % request.seats;
        const struct seat *seat = &table->now.seat[from];
        bool is_gone = seat->kind == SEAT_PERSON && !seat->visitor;  /* their data was removed: the seat is open to anyone */
        request.seat[s] = (struct seat){ .kind = is_gone ? SEAT_OPEN : seat->kind == SEAT_PERSON ? SEAT_FRIEND : seat->kind,
            .bot = seat->bot, .visitor = seat->visitor };
        request.seat[s].kind_if_free = request.seat[s].kind;
        if (is_gone)
            continue;
        add_to_series(&table->now, from, &request.seat[s]);
        memcpy(request.seat[s].name, seat->name, NAME_SIZE);
    }
    struct rematch *rematch = malloc(sizeof *rematch);
    if (!rematch)
        return ERROR_STORAGE;
    memcpy(rematch->code, table->code, sizeof rematch->code);
    rematch->answer = answer;
    rematch->context = context;
    enum error error = table_create(table->server, visitor, &request, rematch_made, rematch, &other);
    if (error)
        free(rematch);
    else
        memcpy(table->rematch_pending, other->code, sizeof table->rematch_pending);
    return error;
}
