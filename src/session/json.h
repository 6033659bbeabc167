/*
 * json.h (json.c): reading one JSON text in place, on jsmn's tokens. Freestanding: nothing is copied or allocated; a
 * value is the index of its token. A value that is missing, or of another kind, reads as an empty word, 0, false or
 * JSON_NONE, so that callers need no separate check.
 */
#ifndef PYR_SESSION_JSON_H
#define PYR_SESSION_JSON_H

#include <pyramids/lines.h>

#define JSON_TOKENS 2048         /* of one message; a log's longest chunk has about 700 */
#define JSON_NONE (-1)

struct json_token {
    int type, start, end, size;  /* as jsmn's */
};

struct json {
    const char *text;
    int count;                   /* of tokens */
    bool is_too_large;           /* an object with more values than there is room for */
    struct json_token token[JSON_TOKENS];
};

/* False if the text is not one JSON object, or has more values than there is room for. */
bool json_read(struct json *json, const char *text, size_t size);

/* The value of a member of an object; token 0 is the whole. */
int json_member(const struct json *json, int object, const char *name);

/* The members of an array, one after the other: begin with JSON_NONE; JSON_NONE at the end. */
int json_next(const struct json *json, int array, int before);

/* A text as it is written, with escapes, if it has any. */
struct pyr_word json_word(const struct json *json, int value);

/* A text without its escapes, terminated and cut between characters to fit. Control characters and bytes that are not
 * UTF-8 are left out. */
void json_text(const struct json *json, int value, char *to, size_t size);

bool json_is_text(const struct json *json, int value);
bool json_is_array(const struct json *json, int value);
bool json_is_true(const struct json *json, int value);

/* A whole number from 0 to `most`; -1 for anything else. */
int64_t json_number(const struct json *json, int value, int64_t most);

/* Any number in hundredths, rounded, between -most and most; 0 for what is no number. */
int32_t json_decimal(const struct json *json, int value, int32_t most);

#endif
