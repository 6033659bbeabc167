/* admin_parse.c: turns a line of JSON into an operator's command with checked values. See admin.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/text.h>

#include "admin.h"

enum field { LIMIT, TABLE, VISITOR, BAN, ADDRESS, DAYS, REASON, NAME, TEXT, MINUTES, CLEAR, FIELDS };

static const char *const field_names[FIELDS] = { "limit", "table", "visitor", "ban", "address", "days", "reason", "name",
    "text", "minutes", "clear" };

#define BIT(field) (1u << (field))

static const struct {
    const char *name;
    unsigned allowed, needed;
} commands[ADMIN_KINDS] = {
    [ADMIN_STATUS] = { "status", 0, 0 },
    [ADMIN_TABLES] = { "tables", BIT(LIMIT), 0 },
    [ADMIN_VISITORS] = { "visitors", BIT(LIMIT), 0 },
    [ADMIN_CLOSE] = { "close", BIT(TABLE), BIT(TABLE) },
    [ADMIN_BAN] = { "ban", BIT(ADDRESS) | BIT(VISITOR) | BIT(DAYS) | BIT(REASON), 0 },
    [ADMIN_UNBAN] = { "unban", BIT(BAN), BIT(BAN) },
    [ADMIN_BANS] = { "bans", 0, 0 },
    [ADMIN_RENAME] = { "rename", BIT(VISITOR) | BIT(NAME), BIT(VISITOR) | BIT(NAME) },
    [ADMIN_ANNOUNCE] = { "announce", BIT(TEXT) | BIT(MINUTES) | BIT(CLEAR), 0 },
    [ADMIN_BACKUP] = { "backup", 0, 0 },
    [ADMIN_CHECK] = { "check", 0, 0 },
    [ADMIN_SWEEP] = { "sweep", 0, 0 },
};

const char *admin_name(enum admin_kind kind) { return commands[kind].name; }

/* Text without control characters that fits. */
static bool take_text(const json_t *value, char *to, size_t room)
{
    const char *text = json_string_value(value);
    size_t size = json_string_length(value);
    if (!text || !size || size >= room || strlen(text) != size)
        return false;
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return false;
    memcpy(to, text, size + 1);
    return true;
}

static bool take_number(const json_t *value, int64_t low, int64_t high, int64_t *to)
{
    *to = json_integer_value(value);
    return json_is_integer(value) && *to >= low && *to <= high;
}

/* A table, by its code or its number. */
static bool take_table(const json_t *value, struct admin_command *command)
{
    const char *text = json_string_value(value);
    if (json_is_integer(value))
        return take_number(value, 1, INT64_MAX, &command->id);
    return text && code_read(text, command->code, CODE_SIZE);
}

static bool take_field(struct admin_command *command, enum field field, const json_t *value)
{
    int64_t number = 0;
    bool good = true;
    switch (field) {
    case LIMIT:
        good = take_number(value, 1, ADMIN_LIST, &number);
        command->limit = (unsigned)number;
        return good;
    case TABLE:
        return take_table(value, command);
    case VISITOR: case BAN:
        return take_number(value, 1, INT64_MAX, &command->id);
    case ADDRESS:
        return json_is_string(value) && ban_read_address(json_string_value(value), command->address);
    case DAYS:
        good = take_number(value, 1, 36500, &number);
        command->days = (unsigned)number;
        return good;
    case REASON:
        return take_text(value, command->reason, sizeof command->reason);
    case NAME:
        return json_is_string(value) && name_clean(json_string_value(value), command->name);
    case TEXT:
        return take_text(value, command->text, sizeof command->text);
    case MINUTES:
        good = take_number(value, 0, 1440, &number);
        command->minutes = (unsigned)number;
        command->has_minutes = true;
        return good;
    default:
        command->clears = json_is_true(value);
        return json_is_boolean(value);
    }
}

static const char *wanted(enum field field)
{
    switch (field) {
    case LIMIT: return _("a number from 1 to 10000");
    case TABLE: return _("a table's number or its code of 8 letters");
    case ADDRESS: return _("an address such as 192.0.2.7, 192.0.2.0/24 or 2001:db8::/64");
    case DAYS: return _("a number from 1 to 36500");
    case NAME: return _("a name of 1 to 24 letters");
    case REASON: return _("one line of at most 200 bytes");
    case TEXT: return _("one line of at most 240 bytes");
    case MINUTES: return _("a number from 0 to 1440");
    case CLEAR: return _("true or false");
    default: return _("a number from 1");
    }
}

static bool read_fields(json_t *object, struct admin_command *command, char *error, size_t size)
{
    const char *name;
    json_t *value;
    unsigned given = 0, allowed = commands[command->kind].allowed, needed = commands[command->kind].needed;
    json_object_foreach(object, name, value) {
        unsigned field = 0;
        if (!strcmp(name, "command"))
            continue;
        while (field < FIELDS && strcmp(name, field_names[field]))
            field++;
        if (field == FIELDS || !(allowed & BIT(field))) {
            snprintf(error, size, _("'%s' has no '%.20s'"), commands[command->kind].name, name);
            return false;
        }
        if (!take_field(command, field, value)) {
            snprintf(error, size, _("%s: expected %s"), name, wanted(field));
            return false;
        }
        given |= BIT(field);
    }
    for (unsigned field = 0; field < FIELDS; field++)
        if (needed & ~given & BIT(field)) {
            snprintf(error, size, _("'%s' needs a '%s'"), commands[command->kind].name, field_names[field]);
            return false;
        }
    if (command->kind == ADMIN_BAN && !(given & BIT(ADDRESS)) == !(given & BIT(VISITOR))) {
        snprintf(error, size, "%s", _("'ban' needs either an address or --visitor ID"));
        return false;
    }
    if (command->kind == ADMIN_ANNOUNCE && (command->clears ? given != BIT(CLEAR) : !(given & (BIT(TEXT) | BIT(MINUTES))))) {
        snprintf(error, size, "%s", _("'announce' needs a text, --minutes N or both; or --clear alone"));
        return false;
    }
    return true;
}

bool admin_parse(const char *line, size_t length, struct admin_command *command, char *error, size_t size)
{
    *command = (struct admin_command){ .kind = ADMIN_KINDS, .limit = 100 };
    json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
    const char *name = json_string_value(json_object_get(object, "command"));
    bool good = false;
    for (unsigned kind = 0; kind < ADMIN_KINDS && name; kind++)
        if (!strcmp(name, commands[kind].name))
            command->kind = (enum admin_kind)kind;
    if (!json_is_object(object))
        snprintf(error, size, "%s", _("expected a JSON object on one line"));
    else if (command->kind == ADMIN_KINDS)
        snprintf(error, size, _("unknown command '%.20s'"), name ? name : "");
    else
        good = read_fields(object, command, error, size);
    json_decref(object);
    return good;
}
