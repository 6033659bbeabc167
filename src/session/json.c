/*
 * json.c: reads JSON messages of a server; see json.h. It uses jsmn, which splits a text into tokens without allocating:
 * a value is the number of its token, and JSON_NONE (or any number out of range) is no value, which every function
 * accepts.
 *
 * Texts are untrusted and shown to people, so control characters, invalid UTF-8 and lone surrogates are dropped.
 */
#define JSMN_STATIC
#define JSMN_STRICT
#include <jsmn.h>

#include <pyramids/lines.h>
#include <pyramids/utf8.h>

#include "json.h"

/* Both structs are four ints, so that the header need not show jsmn. */
_Static_assert(
    sizeof(struct json_token) == sizeof(jsmntok_t) && offsetof(struct json_token, size) == offsetof(jsmntok_t, size),
    "json_token is laid out as jsmntok_t");

/* jsmn's offsets are ints, hence the limit. False leaves a json without values. */
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

/* The first token after a value and everything in it. */
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

/* Keys are compared as written in the text, without resolving escapes: our keys have none. A number of tokens that does
 * not fit ends the search. */
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

/* Begins with `before` JSON_NONE. A value's children are skipped. */
int json_next(const struct json *json, int array, int before)
{
    if (!is_kind(json, array, JSMN_ARRAY))
        return JSON_NONE;
    int next = before == JSON_NONE ? array + 1 : after(json, before);
    return next < json->count && json->token[next].start < json->token[array].end ? next : JSON_NONE;
}

/* As in the text, escapes included: for words without escapes. json_text resolves them. */
struct pyr_word json_word(const struct json *json, int value)
{
    if (!is_kind(json, value, JSMN_STRING))
        return (struct pyr_word){ "", 0 };
    const struct json_token *token = &json->token[value];
    return (struct pyr_word){ json->text + token->start, (size_t)(token->end - token->start) };
}

/* Four hexadecimal digits; -1 if they are not. */
static int32_t unit_at(const char *at, const char *end)
{
    int32_t unit = 0;
    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = pyr_hex_any(at[i]);
        if (digit < 0)
            return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

/* The character of an escape sequence; *at is moved past it. -1: none that may be shown. Characters beyond U+FFFF are
 * written as two units, a high and a low surrogate. */
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

/* Cut at `size`, never in the middle of a character. */
void json_text(const struct json *json, int value, char *to, size_t size)
{
    struct pyr_word word = json_word(json, value);
    const char *at = word.at, *end = word.at + word.length;
    size_t used = 0;
    while (at < end) {
        char bytes[4];
        size_t length;
        int32_t c;
        if (*at == '\\' && at + 1 < end) {
            at++;
            c = escaped(&at, end);
        } else {
            c = pyr_utf8_read(at, (size_t)(end - at), &length);
            at += length;
        }
        if (c < 0x20 || c == 0x7f)
            continue;
        size_t count = pyr_utf8_write(c, bytes);
        if (used + count >= size)
            break;
        for (size_t i = 0; i < count; i++)
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

/* JSON has three words; their first letters differ. */
bool json_is_true(const struct json *json, int value)
{
    return is_kind(json, value, JSMN_PRIMITIVE) && json->text[json->token[value].start] == 't';
}

/* Whole numbers from 0 to `most` only; anything else, a sign or a fraction included, is -1. */
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

/* Exponents are not read: nothing that is shown has one. The third decimal rounds. */
int32_t json_decimal(const struct json *json, int value, int32_t most)
{
    int64_t number = 0;
    int decimals = -1;                       /* -1: before the point */
    if (!is_kind(json, value, JSMN_PRIMITIVE))
        return 0;
    int start = json->token[value].start, end = json->token[value].end;
    bool is_negative = start < end && json->text[start] == '-';
    for (int i = start + is_negative; i < end && decimals < 3 && number <= 10 * (int64_t)most; i++) {
        char c = json->text[i];
        if (c == '.' && decimals < 0)
            decimals = 0;
        else if (c < '0' || c > '9')
            break;
        else {
            number = 10 * number + (c - '0');
            decimals += decimals >= 0;
        }
    }
    for (int i = decimals < 0 ? 0 : decimals; i < 3; i++)
        number = number > 10 * (int64_t)most ? number : 10 * number;
    number = (number + 5) / 10;
    number = number > most ? most : number;
    return (int32_t)(is_negative ? -number : number);
}
