/*
 * daily.c: what is different about tables of the daily expedition; see daily.h. Requests are in daily_routes.c, regular
 * tasks in daily_upkeep.c.
 */
#include <stdlib.h>
#include <string.h>

#include "change.h"
#include "daily.h"
#include "server.h"
#include "store_daily.h"

/* What is different about these tables. */

int64_t daily_reveals(int64_t day)
{
    return (day + 1) * PYR_DAILY_SECONDS + PYR_DAILY_GRACE;
}

bool daily_is_sealed(const struct table *table)
{
    return table->daily.day > table->server->daily.revealed;
}

void daily_note_day(struct server *server, const struct store_day *day)
{
    if (day->revealed && day->day > server->daily.revealed)
        server->daily.revealed = day->day;
}

bool daily_is_sealed_for(const struct table *table, const struct visitor *visitor)
{
    return daily_is_sealed(table) && table_seat_of(table, visitor ? (int64_t)visitor->node.key : 0) >= PYR_MAX_SEATS;
}

int64_t daily_expires(const struct table *table)
{
    return table->daily.is_counted ? daily_reveals(table->daily.day) : 0;
}

bool daily_is_expired(const struct table *table)
{
    return table->daily.is_counted && server_time() >= daily_expires(table);
}

void daily_close(struct table *table)
{
    struct change *change = change_new(table, apply_close);
    if (!change)
        return;                              /* the next tick retries */
    change->request.is_operator = true;
    change_submit(change, NULL, NULL);
}

enum pyr_err daily_tag(const struct table *table, const struct pyr_game *game, const struct pyr_sink *sink)
{
    char date[PYR_DAILY_DATE];
    if (!table->daily.day)
        return PYR_OK;
    pyr_daily_write_date(table->daily.day, date);
    return pyr_game_tag(game, "day", date, sink);
}

static size_t write_secret(const uint8_t secret[PYR_FAIR_BYTES], char to[DAILY_LINE])
{
    static const char tag[] = "tag secret ";
    memcpy(to, tag, sizeof tag - 1);
    pyr_fair_write_hex(secret, to + sizeof tag - 1);
    memcpy(to + sizeof tag - 1 + PYR_FAIR_DIGITS, "\n", 2);
    return sizeof tag - 1 + PYR_FAIR_DIGITS + 1;
}

size_t daily_write_secret(const struct table *table, char to[DAILY_LINE])
{
    static const char tag[] = "tag secret ";
    if (!table->daily.day || table->now.stage != STORE_OVER || daily_is_sealed(table) || !table->log.count)
        return 0;
    struct pyr_word last = table_line(table, table->log.count - 1);
    bool is_there = last.length > sizeof tag - 1 && !memcmp(last.at, tag, sizeof tag - 1);
    return is_there ? 0 : write_secret(table->now.fair.secret, to);
}

/* Whether the record, as it will be stored, is a whole game by the rules with the cards of the day's secret: it is read
 * again from its first line, independently of the state in memory. */
static bool is_verified(const struct change *change)
{
    const struct table *table = change->table;
    const struct change_effects *effects = change->effects;
    size_t before = table->log.count ? table->log.start[table->log.count] : 0, size = before + effects->lines_size;
    struct pyr_fair_report *report = malloc(sizeof *report);
    char *text = malloc(size + DAILY_LINE);
    bool good = text && report;
    if (good) {
        if (before)
            memcpy(text, table->log.text, before);
        memcpy(text + before, effects->lines, effects->lines_size);
        if (daily_is_sealed(table))
            size += write_secret(table->now.fair.secret, text + size);
        good = !pyr_fair_verify(effects->after.terms.edition, text, size, report) &&
            !memcmp(report->fair.secret, table->now.fair.secret, PYR_FAIR_BYTES) && !report->numbers;
        pyr_fair_wipe(&report->fair);
    }
    free(text);
    free(report);
    return good;
}

/* Of the first seat, among all of its table. */
static uint8_t place_of_player(const struct table_state *state)
{
    uint8_t place = 1;
    bool has_won = state->winners & 1;
    for (unsigned s = 1; s < state->seats; s++)
        place = (uint8_t)(place + (state->points[s] > state->points[0] ||
            (state->points[s] == state->points[0] && state->winners >> s & 1 && !has_won)));
    return place;
}

void daily_fill_commit(struct change *change)
{
    const struct table *table = change->table;
    const struct table_state *state = &change->effects->after;
    struct store_commit *commit = &change->effects->commit;
    if (!table->daily.is_counted && !change->request.gives_up)
        return;
    commit->attempt.day = table->daily.day;
    if (change->is_new) {
        commit->attempt.what = change->request.gives_up ? STORE_ATTEMPT_GIVEN_UP : STORE_ATTEMPT_BEGINS;
    } else if (state->stage > STORE_RUNNING && table->now.stage == STORE_RUNNING) {
        commit->attempt.what = STORE_ATTEMPT_ENDS;
        commit->attempt.state = STORE_ATTEMPT_EXPIRED;
        commit->attempt.points = STORE_NO_POINTS;
        if (state->stage == STORE_OVER && is_verified(change)) {
            commit->attempt.state = STORE_ATTEMPT_OVER;
            commit->attempt.points = state->points[0];
            commit->attempt.place = place_of_player(state);
        } else if (state->stage == STORE_OVER) {
            server_log(table->server, LOG_ERROR, "daily_not_verified", "table=%lld", (long long)table->id);
        }
    }
}
