/* reminder_text.c: the texts of messages, and quiet times (reminder.h). Messages contain no card, choice or score, since
 * they may be shown on a locked screen. */
#include <stdio.h>
#include <string.h>

#include <pyramids/json.h>
#include <pyramids/text.h>

#include "reminder.h"

#define DAY 1440                 /* minutes */

/* Seconds since midnight for a person. */
static int64_t seconds_of_day(int zone, int64_t now)
{
    int64_t local = (now + 60 * (int64_t)zone) % 86400;
    return local < 0 ? local + 86400 : local;
}

int64_t reminder_quiet_until(const struct store_notice *notice, int64_t now)
{
    int64_t at = seconds_of_day(notice->zone, now) / 60;
    bool is_quiet = notice->quiet_from < notice->quiet_to ? at >= notice->quiet_from && at < notice->quiet_to :
        notice->quiet_from > notice->quiet_to && (at >= notice->quiet_from || at < notice->quiet_to);
    return is_quiet ? reminder_next(notice->quiet_to, notice->zone, now) : 0;
}

int64_t reminder_next(int minute, int zone, int64_t now)
{
    int64_t left = 60 * (int64_t)minute - seconds_of_day(zone, now);
    return now + (left > 0 ? left : left + 86400);
}

void reminder_note_table(struct reminder *reminder, const struct table *table)
{
    const struct table_state *state = &table->now;
    const struct pyr_table *open = &state->game.replay.state.open;
    bool begun = state->stage == STORE_RUNNING && open->revealed[0] != PYR_NO_PATTERN && open->phase != PYR_KEEP;
    unsigned waiting = table_waiting(table);
    if (reminder->tables == REMINDER_TABLES)
        return;
    struct reminder_table *one = &reminder->table[reminder->tables++];
    *one = (struct reminder_table){ .round = begun ? open->round + 1 : 0, .turn = begun ? open->turn + 1 : 0 };
    for (unsigned chosen = 2; chosen-- > 0;)
        for (unsigned s = 0; s < state->seats; s++) {
            const struct seat *seat = &state->seat[s];
            if (seat->kind != SEAT_PERSON || seat->visitor == reminder->visitor || (waiting >> s & 1) == chosen)
                continue;
            one->waiting += chosen;
            memcpy(one->name[one->names++], seat->name, NAME_SIZE);
        }
}

/* "Ben", "Ben and Chloé", "Ben, Chloé and Dora". */
static void join(const struct reminder_table *table, unsigned count, char *to, size_t room)
{
    if (count == 1)
        snprintf(to, room, "%s", table->name[0]);
    else if (count == 2)
        snprintf(to, room, _("%s and %s"), table->name[0], table->name[1]);
    else
        snprintf(to, room, _("%s, %s and %s"), table->name[0], table->name[1], table->name[2]);
}

static void word_turn(const struct reminder_table *table, char *to, size_t room)
{
    char names[4 * NAME_SIZE], who[5 * NAME_SIZE] = "", when[200] = "";
    if (table->waiting) {
        join(table, table->waiting, names, sizeof names);
        snprintf(who, sizeof who, pyr_ngettext("%s is waiting.", "%s are waiting.", table->waiting), names);
    } else if (table->names) {
        join(table, table->names, names, sizeof names);
        snprintf(who, sizeof who, _("You play with %s."), names);
    }
    if (table->round)
        snprintf(when, sizeof when, _("Round %u, turn %u."), table->round, table->turn);
    snprintf(to, room, "%s%s%s", who, who[0] && when[0] ? " " : "", when);
}

/* "Ben and Chloé, Dora, Farid.": the people of each table. */
static void word_several(const struct reminder *reminder, char *to, size_t room)
{
    size_t size = 0;
    to[0] = '\0';
    for (unsigned i = 0; i < reminder->tables; i++) {
        char names[4 * NAME_SIZE];
        join(&reminder->table[i], reminder->table[i].names, names, sizeof names);
        size_t length = strlen(names);
        if (!reminder->table[i].names || size + length + 8 > room)
            continue;
        size += (size_t)snprintf(to + size, room - size, "%s%s", size ? ", " : "", names);
    }
    if (size)
        snprintf(to + size, room - size, "%s", reminder->count > reminder->tables ? "…" : ".");
}

void reminder_title(const struct reminder *reminder, char *to, size_t room)
{
    switch (reminder->kind) {
    case REMINDER_TURN:
        snprintf(to, room, "%s", _("Your turn"));
        break;
    case REMINDER_SEVERAL:
        snprintf(to, room, pyr_ngettext("%u table is waiting for you", "%u tables are waiting for you", reminder->count),
            reminder->count);
        break;
    case REMINDER_MORNING:
        snprintf(to, room, "%s", _("Good morning"));
        break;
    case REMINDER_OVER:
        snprintf(to, room, "%s", _("The game is over"));
        break;
    case REMINDER_DAILY:
        snprintf(to, room, pyr_ngettext("%u torch burns", "%u torches burn", reminder->count), reminder->count);
        break;
    default:
        snprintf(to, room, "%s", _("No table is waiting for you"));
    }
}

void reminder_body(const struct reminder *reminder, char *to, size_t room)
{
    to[0] = '\0';
    if (reminder->kind == REMINDER_TURN && reminder->tables)
        word_turn(&reminder->table[0], to, room);
    else if (reminder->kind == REMINDER_SEVERAL)
        word_several(reminder, to, room);
    else if (reminder->kind == REMINDER_MORNING)
        snprintf(to, room, pyr_ngettext("%u table moved on during the night.", "%u tables moved on during the night.",
            reminder->count), reminder->count);
    else if (reminder->kind == REMINDER_OVER)
        snprintf(to, room, "%s", _("Look who found more."));
    else if (reminder->kind == REMINDER_DAILY)
        snprintf(to, room, pyr_ngettext("Today's expedition is open for %u hour.",
            "Today's expedition is open for %u hours.", reminder->hours), reminder->hours);
}

size_t reminder_write(const struct reminder *reminder, char *to, size_t room)
{
    static const char *const kinds[] = { "none", "turn", "several", "morning", "over", "daily" };
    char title[300], body[1200];
    struct pyr_json json;
    reminder_title(reminder, title, sizeof title);
    reminder_body(reminder, body, sizeof body);
    if (reminder->is_closed)
        title[0] = body[0] = '\0';
    pyr_json_init(&json, to, room, PYR_JSON_COMPACT);
    pyr_json_object(&json, NULL);
    pyr_json_text(&json, "type", reminder->is_closed ? "played" : kinds[reminder->kind]);
    pyr_json_text(&json, "title", title);
    pyr_json_text(&json, "body", body);
    pyr_json_text(&json, "table", reminder->code);
    pyr_json_number(&json, "count", (int64_t)reminder->count);
    pyr_json_bool(&json, "silent", reminder->is_silent || reminder->is_closed);
    pyr_json_close(&json);
    size_t size = pyr_json_finish(&json);
    return size < room ? size : 0;
}
