/*
 * json.c: writes JSON into a buffer, or through it to a drain; see json.h. The state is one bit per depth: whether it
 * is an object, and whether it has a member already. Mistakes of the caller (a name in an array, a second value at the
 * top, too deep) and a full buffer set is_failed; then nothing more is written, and pyr_json_finish reports it, so
 * calls need not be checked individually.
 */
#include <pyramids/json.h>
#include <pyramids/utf8.h>

_Static_assert(PYR_JSON_DEPTH < 16, "a depth has a bit in objects and filled");

void pyr_json_init(struct pyr_json *json, char *to, size_t size, enum pyr_json_style style)
{
    *json = (struct pyr_json){ .to = to, .size = size, .is_spaced = style == PYR_JSON_SPACED, .is_failed = size < 2 };
    if (size)
        to[0] = '\0';
}

void pyr_json_drain_to(struct pyr_json *json, pyr_json_drain *drain, void *context)
{
    json->drain = drain;
    json->context = context;
}

/* Passes the content of the buffer to the drain. */
static bool empty(struct pyr_json *json)
{
    bool done = json->drain && json->drain(json->context, json->to, json->length);
    if (done)
        json->length = 0;
    else
        json->is_failed = true;
    return done;
}

/* Without a drain it writes all or nothing; with one, as much as there is room for. */
static void put_bytes(struct pyr_json *json, const char *bytes, size_t count)
{
    while (count && !json->is_failed) {
        size_t room = json->size - 1 - json->length, part = count;
        if (part > room && json->drain)
            part = room;
        if (part > room) {
            json->is_failed = true;
            return;
        }
        __builtin_memcpy(json->to + json->length, bytes, part);
        json->length += part;
        bytes += part;
        count -= part;
        if (count && !empty(json))
            return;
    }
}

static void put(struct pyr_json *json, char c)
{
    if (!json->is_failed && json->length + 1 < json->size)
        json->to[json->length++] = c;
    else
        put_bytes(json, &c, 1);
}

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* Whether none of eight bytes needs an escape, by the haszero trick: subtracting from a byte that matches borrows into
 * its highest bit. */
static bool are_plain(uint64_t bytes)
{
    const uint64_t ones = UINT64_MAX / 255;
    uint64_t marks = bytes | (bytes - 0x20 * ones) | ((bytes ^ '"' * ones) - ones) | ((bytes ^ '\\' * ones) - ones);
    return !(marks & 0x80 * ones);
}

/* Copies up to `size` bytes of a string that need no escape, as far as there is room for all of them; returns how many. */
static size_t put_plain(struct pyr_json *json, const char *text, size_t size)
{
    size_t at = 0;
    if (json->is_failed || size > json->size - 1 - json->length)
        return 0;
    char *to = json->to + json->length;
    for (uint64_t bytes; at + sizeof bytes <= size; at += sizeof bytes) {
        __builtin_memcpy(&bytes, text + at, sizeof bytes);
        if (!are_plain(bytes))
            break;
        __builtin_memcpy(to + at, &bytes, sizeof bytes);
    }
    for (; at < size && is_plain((unsigned char)text[at]); at++)
        to[at] = text[at];
    json->length += at;
    return at;
}

static void put_escaped(struct pyr_json *json, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    if (c < 0x20)
        put_bytes(json, (char[]){ '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] }, 6);
    else
        put_bytes(json, (char[]){ '\\', (char)c }, 2);
}

/* Stretches that need no escape are copied eight bytes at a time. Invalid UTF-8 becomes U+FFFD, so the output is always
 * valid. */
static void put_string(struct pyr_json *json, const char *text, size_t size)
{
    put(json, '"');
    size_t at = put_plain(json, text, size);
    for (; at < size && !json->is_failed; at += put_plain(json, text + at, size - at)) {
        unsigned char c = (unsigned char)text[at];
        size_t length = 1;
        if (is_plain(c))                     /* there is no room for all that follows */
            put(json, (char)c);
        else if (c < 0x80)
            put_escaped(json, c);
        else if (pyr_utf8_read(text + at, size - at, &length) >= 0)
            put_bytes(json, text + at, length);
        else
            put_bytes(json, "\xef\xbf\xbd", 3);
        at += length;
    }
    put(json, '"');
}

/* Writes what comes before a value: a comma and its name. */
static void begin(struct pyr_json *json, const char *name)
{
    unsigned bit = 1u << json->depth;
    bool is_first = !(json->filled & bit), in_object = json->objects & bit;
    if (in_object != (name != NULL) || (!json->depth && !is_first))
        json->is_failed = true;
    if (json->is_failed)
        return;
    json->filled = (uint16_t)(json->filled | bit);
    if (!is_first)
        put(json, ',');
    if (!is_first && json->is_spaced)
        put(json, ' ');
    if (!name)
        return;
    put_string(json, name, pyr_word_of(name).length);
    put(json, ':');
    if (json->is_spaced)
        put(json, ' ');
}

static void open(struct pyr_json *json, const char *name, bool is_object)
{
    begin(json, name);
    if (json->depth == PYR_JSON_DEPTH)
        json->is_failed = true;
    if (json->is_failed)
        return;
    unsigned bit = 1u << ++json->depth;
    json->filled = (uint16_t)(json->filled & ~bit);
    json->objects = (uint16_t)(is_object ? json->objects | bit : json->objects & ~bit);
    put(json, is_object ? '{' : '[');
}

void pyr_json_object(struct pyr_json *json, const char *name)
{
    open(json, name, true);
}

void pyr_json_array(struct pyr_json *json, const char *name)
{
    open(json, name, false);
}

void pyr_json_close(struct pyr_json *json)
{
    if (!json->depth)
        json->is_failed = true;
    if (json->is_failed)
        return;
    put(json, json->objects >> json->depth & 1 ? '}' : ']');
    json->depth--;
}

void pyr_json_word(struct pyr_json *json, const char *name, struct pyr_word word)
{
    begin(json, name);
    put_string(json, word.at, word.length);
}

void pyr_json_text(struct pyr_json *json, const char *name, const char *text)
{
    if (text)
        pyr_json_word(json, name, pyr_word_of(text));
    else
        pyr_json_null(json, name);
}

static void put_number(struct pyr_json *json, const char *name, uint64_t number, bool is_negative)
{
    char digits[21];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    if (is_negative)
        digits[--at] = '-';
    begin(json, name);
    put_bytes(json, digits + at, sizeof digits - at);
}

void pyr_json_number(struct pyr_json *json, const char *name, int64_t number)
{
    put_number(json, name, number < 0 ? 0u - (uint64_t)number : (uint64_t)number, number < 0);
}

void pyr_json_count(struct pyr_json *json, const char *name, uint64_t number)
{
    put_number(json, name, number, false);
}

void pyr_json_bool(struct pyr_json *json, const char *name, bool value)
{
    begin(json, name);
    put_bytes(json, value ? "true" : "false", value ? 4 : 5);
}

void pyr_json_null(struct pyr_json *json, const char *name)
{
    begin(json, name);
    put_bytes(json, "null", 4);
}

/* The number of digits at a place. */
static size_t digits_at(const char *text)
{
    size_t count = 0;
    while (text[count] >= '0' && text[count] <= '9')
        count++;
    return count;
}

/* The length of a number as JSON writes it, 0 if the text is not one: -?(0|[1-9][0-9]*)(.[0-9]+)?(e[+-]?[0-9]+)? */
static size_t number_length(const char *text)
{
    size_t at = text[0] == '-', whole = digits_at(text + at);
    if (!whole || (text[at] == '0' && whole > 1))
        return 0;
    at += whole;
    if (text[at] == '.') {
        size_t part = digits_at(text + at + 1);
        if (!part)
            return 0;
        at += 1 + part;
    }
    if (text[at] == 'e' || text[at] == 'E') {
        at += text[at + 1] == '+' || text[at + 1] == '-' ? 2 : 1;
        size_t power = digits_at(text + at);
        if (!power)
            return 0;
        at += power;
    }
    return text[at] ? 0 : at;
}

void pyr_json_digits(struct pyr_json *json, const char *name, const char *digits)
{
    size_t length = number_length(digits);
    begin(json, name);
    put_bytes(json, digits, length);
    if (!length)
        json->is_failed = true;
}

size_t pyr_json_finish(struct pyr_json *json)
{
    if (json->depth || !(json->filled & 1))
        json->is_failed = true;
    if (json->is_failed)
        return 0;
    if (json->drain)
        return empty(json);
    json->to[json->length] = '\0';
    return json->length;
}
