/* json.c: see json.h. */
#define JSMN_STATIC
#define JSMN_STRICT
#include <jsmn.h>

#include "json.h"

/* Both structs are four ints, so that the header need not show jsmn. */
_Static_assert(
    sizeof(struct json_token) == sizeof(jsmntok_t) && offsetof(struct json_token, size) == offsetof(jsmntok_t, size),
    "json_token is laid out as jsmntok_t");

bool json_read(struct json *json, const char *text, size_t size)
{
    jsmn_parser parser;
    jsmntok_t *tokens = (jsmntok_t *)(void *)json->token;
    json->text = text;
    json->count = 0;
    json->is_too_large = false;
    if (size > INT_MAX / 2)
        return false;
    jsmn_init(&parser);
    int count = jsmn_parse(&parser, text, size, tokens, JSON_TOKENS);
    json->is_too_large = count == JSMN_ERROR_NOMEM && tokens[0].type == JSMN_OBJECT;
    if (count < 1 || tokens[0].type != JSMN_OBJECT)
        return false;
    json->count = count;
    return true;
}

/* The first token after a value and all that is in it. */
static int after(const struct json *json, int value)
{
    int next = value + 1;
    while (next < json->count && json->token[next].start < json->token[value].end)
        next++;
    return next;
}

static bool is_kind(const struct json *json, int value, int type)
{
    return value >= 0 && value < json->count && json->token[value].type == type;
}

int json_member(const struct json *json, int object, const char *name)
{
    if (!is_kind(json, object, JSMN_OBJECT))
        return JSON_NONE;
    for (int key = object + 1; key < json->count && json->token[key].start < json->token[object].end;) {
        int value = key + 1;
        if (value >= json->count || json->token[key].size != 1)
            return JSON_NONE;
        if (pyr_word_is(json_word(json, key), name))
            return value;
        key = after(json, value);
    }
    return JSON_NONE;
}

int json_next(const struct json *json, int array, int before)
{
    if (!is_kind(json, array, JSMN_ARRAY))
        return JSON_NONE;
    int next = before == JSON_NONE ? array + 1 : after(json, before);
    return next < json->count && json->token[next].start < json->token[array].end ? next : JSON_NONE;
}

struct pyr_word json_word(const struct json *json, int value)
{
    if (!is_kind(json, value, JSMN_STRING))
        return (struct pyr_word){ "", 0 };
    const struct json_token *token = &json->token[value];
    return (struct pyr_word){ json->text + token->start, (size_t)(token->end - token->start) };
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* Four hexadecimal digits; -1 if they are not. */
static int32_t unit_at(const char *at, const char *end)
{
    int32_t unit = 0;
    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(at[i]);
        if (digit < 0)
            return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

static unsigned encode(int32_t c, char to[4])
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    unsigned more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    to[0] = (char)((0xff00 >> (more + 1) & 0xff) | c >> 6 * more);
    for (unsigned i = 1; i <= more; i++)
        to[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
    return more + 1;
}

/* The character behind a backslash; *at is moved past it. -1: none that may be shown. */
static int32_t escaped(const char **at, const char *end)
{
    char c = *(*at)++;
    if (c != 'u')
        return c == '"' || c == '\\' || c == '/' ? c : -1;   /* the others are control characters */
    int32_t high = unit_at(*at, end);
    if (high < 0)
        return -1;
    *at += 4;
    if (high < 0xd800 || high > 0xdfff)
        return high;
    if (high > 0xdbff || end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u')
        return -1;
    int32_t low = unit_at(*at + 2, end);
    if (low < 0xdc00 || low > 0xdfff)
        return -1;
    *at += 6;
    return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

void json_text(const struct json *json, int value, char *to, size_t size)
{
    struct pyr_word word = json_word(json, value);
    const char *at = word.at, *end = word.at + word.length;
    size_t used = 0;
    while (at < end) {
        char bytes[4];
        unsigned count;
        if (*at == '\\' && at + 1 < end) {
            at++;
            int32_t c = escaped(&at, end);
            if (c < 0x20 || c == 0x7f)
                continue;
            count = encode(c, bytes);
        } else {
            count = 0;
            do                               /* a character stays whole */
                bytes[count++] = *at++;
            while (count < 4 && at < end && (*at & 0xc0) == 0x80);
            if ((unsigned char)bytes[0] < 0x20 || bytes[0] == 0x7f)
                continue;
        }
        if (used + count >= size)
            break;
        for (unsigned i = 0; i < count; i++)
            to[used++] = bytes[i];
    }
    if (size)
        to[used] = '\0';
}

bool json_is_text(const struct json *json, int value)
{
    return is_kind(json, value, JSMN_STRING);
}

bool json_is_array(const struct json *json, int value)
{
    return is_kind(json, value, JSMN_ARRAY);
}

bool json_is_true(const struct json *json, int value)
{
    return is_kind(json, value, JSMN_PRIMITIVE) && json->text[json->token[value].start] == 't';
}

int64_t json_number(const struct json *json, int value, int64_t most)
{
    int64_t number = 0;
    if (!is_kind(json, value, JSMN_PRIMITIVE))
        return -1;
    for (int i = json->token[value].start; i < json->token[value].end; i++) {
        char c = json->text[i];
        if (c < '0' || c > '9' || number > (most - (c - '0')) / 10)
            return -1;
        number = 10 * number + (c - '0');
    }
    return number;
}
