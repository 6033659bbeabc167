/*
 * json.h (json.c): writes one JSON text. Commas, colons, brackets and escapes are the writer's; callers give names and
 * values in order:
 *
 *     pyr_json_init(&json, to, sizeof to, PYR_JSON_COMPACT);
 *     pyr_json_object(&json, NULL);
 *     pyr_json_text(&json, "type", "ready");
 *     pyr_json_array(&json, "ready");
 *     pyr_json_number(&json, NULL, 2);
 *     pyr_json_close(&json);
 *     pyr_json_close(&json);
 *     size_t size = pyr_json_finish(&json);                     {"type":"ready","ready":[2]}
 *
 * A member of an object has a name, any other value has none (NULL). The writer keeps the first error and writes nothing
 * after it, so a caller asks once, at the end: too little room, a name too many or missing, more depth than
 * PYR_JSON_DEPTH, a second text, an object that is not closed.
 */
#ifndef PYR_JSON_H
#define PYR_JSON_H

#include <pyramids/lines.h>

PYR_BEGIN_DECLS

#define PYR_JSON_DEPTH 15        /* objects and arrays in each other */

enum pyr_json_style {
    PYR_JSON_COMPACT = 0,        /* {"a":1,"b":[2,3]}: messages of the protocol */
    PYR_JSON_SPACED = 1          /* {"a": 1, "b": [2, 3]}: what commands print */
};

/* Takes what the buffer holds, which is then used again; false if it cannot. */
typedef bool pyr_json_drain(void *context, const char *text, size_t size);

struct pyr_json {
    char *to;
    size_t size, length;         /* one byte of the buffer is kept for the end */
    pyr_json_drain *drain;       /* NULL: the text must fit */
    void *context;
    uint16_t objects, filled;    /* by depth: an object, not an array; something is in it already */
    uint8_t depth;
    bool is_spaced, is_failed;
};

/* On any memory. The buffer stays the caller's and must outlive the writer. */
PYR_API void pyr_json_init(struct pyr_json *json, char *to, size_t size, enum pyr_json_style style);

/* From now on a full buffer is handed to `drain`, so the text may be of any length; the rest is handed over at the end. */
PYR_API void pyr_json_drain_to(struct pyr_json *json, pyr_json_drain *drain, void *context);

/* Opens an object or an array; closes the innermost one. */
PYR_API void pyr_json_object(struct pyr_json *json, const char *name);
PYR_API void pyr_json_array(struct pyr_json *json, const char *name);
PYR_API void pyr_json_close(struct pyr_json *json);

/* A string of UTF-8, of any bytes: those that are not UTF-8 become U+FFFD. A text of NULL is null. */
PYR_API void pyr_json_word(struct pyr_json *json, const char *name, struct pyr_word word);
PYR_API void pyr_json_text(struct pyr_json *json, const char *name, const char *text);

PYR_API void pyr_json_number(struct pyr_json *json, const char *name, int64_t number);
PYR_API void pyr_json_count(struct pyr_json *json, const char *name, uint64_t number);
PYR_API void pyr_json_bool(struct pyr_json *json, const char *name, bool value);
PYR_API void pyr_json_null(struct pyr_json *json, const char *name);

/* Several numbers of an object, up to the field without a name. */
struct pyr_json_field {
    const char *name;
    int64_t number;
};

static inline void pyr_json_numbers(struct pyr_json *json, const struct pyr_json_field *field)
{
    for (; field->name; field++)
        pyr_json_number(json, field->name, field->number);
}

/* A number that the caller has written, as in "0.2500"; anything else is an error. */
PYR_API void pyr_json_digits(struct pyr_json *json, const char *name, const char *digits);

/* Ends the text with a NUL. Its length without that; with a drain 1. 0 if anything went wrong. */
PYR_API size_t pyr_json_finish(struct pyr_json *json);

PYR_END_DECLS

#endif
