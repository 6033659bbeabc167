/*
 * react.c: quick reactions: six symbols that people at a table can show each other. They are not part of the game and not
 * stored; players who are not connected at that moment do not see them.
 *
 * A seat may show one per REST_MS, and PER_TURN per turn. Every server counts the reactions of all servers, and drops one
 * of another server that comes too soon after the last: if a player sends two at the same moment to two servers, each
 * observer sees one of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "change.h"
#include "server.h"

#define REST_MS 5000
#define PER_TURN 3
#define SPREAD_MS 1000           /* by which the times of two reactions on their way to another server may differ */

#define WORD(name) #name,
const char *const reaction_names[PYR_REACTIONS] = { PYR_REACTION_WORDS(WORD) };

/* What counts as one turn; the time before the game is one turn, and so is the time after it. */
static uint32_t turn_of(const struct table *table)
{
    const struct pyr_table *open = &table->now.game.replay.state.open;
    return table->now.stage == STORE_RUNNING ? 256u * (open->round + 1u) + open->turn + 1u : table->now.stage;
}

static bool has_shown(const struct table *table, unsigned seat, uint64_t within)
{
    return table->react.seat[seat].at && server_now(table->server) - table->react.seat[seat].at < within;
}

/* Shows it to all observers here. */
static void show(struct table *table, unsigned seat, unsigned symbol)
{
    uint32_t turn = turn_of(table);
    if (table->react.seat[seat].turn != turn)
        table->react.seat[seat].count = 0;
    table->react.seat[seat].turn = turn;
    table->react.seat[seat].count++;
    table->react.seat[seat].at = server_now(table->server);
    uint32_t at = table->react.count++ % REACTIONS_KEPT;
    table->react.last[at].seat = (uint8_t)seat;
    table->react.last[at].symbol = (uint8_t)symbol;
    table_notify(table);
}

/* The other servers. */

struct telling {
    struct store_job job;
    char word[24];
    int64_t number;
};

static enum store_result run_telling(struct store_db *db, struct store_job *job)
{
    const struct telling *telling = (struct telling *)job;
    return store_tell(db, telling->word, telling->number);
}

static void telling_done(struct store_job *job, enum store_result result)
{
    (void)result;                            /* not worth a retry: the moment has passed */
    free(job);
}

/* The number contains this server, then seat and symbol with 8 bits each. */
static void tell_others(const struct table *table, unsigned seat, unsigned symbol)
{
    struct telling *telling = table->server->shared ? calloc(1, sizeof *telling) : NULL;
    if (!telling)
        return;
    telling->job.run = run_telling;
    telling->job.done = telling_done;
    telling->number = table->server->node << 16 | (int64_t)(seat << 8 | symbol);
    snprintf(telling->word, sizeof telling->word, STORE_NEWS_REACTION "%s", table->code);
    store_submit(table->server->store, &telling->job);
}

void table_note_reaction(struct table *table, int64_t number)
{
    unsigned seat = (unsigned)(number >> 8 & 255), symbol = (unsigned)(number & 255);
    if (number >> 16 != table->server->node && seat < table->now.seats && symbol < PYR_REACTIONS &&
        !has_shown(table, seat, REST_MS - SPREAD_MS))
        show(table, seat, symbol);
}

/* Reactions are for people: there have to be two of them at the table. */
enum error table_react(struct table *table, int64_t visitor, unsigned symbol)
{
    pyr_seat seat = table_seat_of(table, visitor);
    unsigned people = 0;
    if (seat >= PYR_MAX_SEATS)
        return ERROR_NOT_SEATED;
    for (unsigned s = 0; s < table->now.seats; s++)
        people += table->now.seat[s].kind == SEAT_PERSON;
    if (people < 2)
        return ERROR_ALONE;
    bool is_same_turn = table->react.seat[seat].turn == turn_of(table);
    if (has_shown(table, seat, REST_MS) || (is_same_turn && table->react.seat[seat].count >= PER_TURN))
        return ERROR_TOO_FAST;
    show(table, seat, symbol);
    tell_others(table, seat, symbol);
    return ERROR_NONE;
}

/* For those who may have sat down a moment ago: in a change that is still being stored here, or at another server. The
 * request has the symbol as its seat. Any error leads to the table being read; nothing is shown before. */
enum error apply_react(struct change *change, struct problem *problem)
{
    struct table *table = change->table;
    (void)problem;
    if (table->server->shared && !change->verified)
        return ERROR_ALONE;
    return table_react(table, change->request.visitor, change->request.seat);
}
