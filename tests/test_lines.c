/* test_lines.c: the JSON writer and the reader and writer of UTF-8. Lines are tested through their users
 * (test_edition.c, test_match.c). */
#include <pyramids/json.h>
#include <pyramids/utf8.h>

#include "check.h"

static size_t all_kinds(struct pyr_json *json)
{
    pyr_json_object(json, NULL);
    pyr_json_text(json, "type", "ready");
    pyr_json_array(json, "empty");
    pyr_json_close(json);
    pyr_json_array(json, "list");
    pyr_json_number(json, NULL, -3);
    pyr_json_object(json, NULL);
    pyr_json_close(json);
    pyr_json_object(json, NULL);
    pyr_json_bool(json, "yes", true);
    pyr_json_bool(json, "no", false);
    pyr_json_close(json);
    pyr_json_close(json);
    pyr_json_null(json, "none");
    pyr_json_text(json, "absent", NULL);
    pyr_json_digits(json, "part", "0.2500");
    pyr_json_count(json, "most", UINT64_MAX);
    pyr_json_number(json, "least", INT64_MIN);
    pyr_json_word(json, "word", (struct pyr_word){ "abc", 2 });
    pyr_json_close(json);
    return pyr_json_finish(json);
}

static const char compact[] = "{\"type\":\"ready\",\"empty\":[],\"list\":[-3,{},{\"yes\":true,\"no\":false}],\"none\":null,"
    "\"absent\":null,\"part\":0.2500,\"most\":18446744073709551615,\"least\":-9223372036854775808,\"word\":\"ab\"}";
static const char spaced[] = "{\"type\": \"ready\", \"empty\": [], \"list\": [-3, {}, {\"yes\": true, \"no\": false}], "
    "\"none\": null, \"absent\": null, \"part\": 0.2500, \"most\": 18446744073709551615, \"least\": -9223372036854775808, "
    "\"word\": \"ab\"}";

TEST("JSON is written with its commas, colons and brackets, in both styles") {
    struct pyr_json json;
    char to[512];
    pyr_json_init(&json, to, sizeof to, PYR_JSON_COMPACT);
    CHECK_INT(all_kinds(&json), sizeof compact - 1);
    CHECK_STR(to, compact);
    pyr_json_init(&json, to, sizeof to, PYR_JSON_SPACED);
    CHECK_INT(all_kinds(&json), sizeof spaced - 1);
    CHECK_STR(to, spaced);
}

TEST("A text that does not fit is an error at every size, and nothing is written beyond the buffer") {
    char to[sizeof compact + 1];
    for (size_t size = 0; size <= sizeof compact; size++) {
        struct pyr_json json;
        memset(to, '~', sizeof to);
        pyr_json_init(&json, to, size, PYR_JSON_COMPACT);
        CHECK_INT(all_kinds(&json), size < sizeof compact ? 0 : sizeof compact - 1);
        CHECK(to[size] == '~');
    }
}

struct whole {
    char text[1024];
    size_t size, calls, most;    /* most: how many calls succeed */
};

static bool add(void *context, const char *text, size_t size)
{
    struct whole *whole = context;
    if (whole->calls++ >= whole->most)
        return false;
    memcpy(whole->text + whole->size, text, size);
    whole->size += size;
    return true;
}

TEST("A buffer of any size is emptied when it is full, and a drain that fails ends the text") {
    for (size_t size = 2; size < 40; size++) {
        struct pyr_json json;
        char to[40];
        struct whole whole = { .most = SIZE_MAX };
        pyr_json_init(&json, to, size, PYR_JSON_SPACED);
        pyr_json_drain_to(&json, add, &whole);
        CHECK(all_kinds(&json));
        CHECK_STR(whole.text, spaced);
        size_t calls = whole.calls;
        for (size_t most = 0; most < calls; most++) {
            whole = (struct whole){ .most = most };
            pyr_json_init(&json, to, size, PYR_JSON_SPACED);
            pyr_json_drain_to(&json, add, &whole);
            CHECK_INT(all_kinds(&json), 0);
            CHECK_INT(whole.calls, most + 1);            /* it is not called again */
        }
    }
}

static const char *string_of(const char *bytes, size_t size)
{
    static char to[256];
    struct pyr_json json;
    pyr_json_init(&json, to, sizeof to, PYR_JSON_COMPACT);
    pyr_json_word(&json, NULL, (struct pyr_word){ bytes, size });
    return pyr_json_finish(&json) ? to : "";
}

TEST("Strings are escaped, in names of members too") {
    CHECK_STR(string_of("", 0), "\"\"");
    CHECK_STR(string_of("say \"hi\" \\ there", 16), "\"say \\\"hi\\\" \\\\ there\"");
    CHECK_STR(string_of("a\nb\tc\x01\x1f\0d", 9), "\"a\\u000ab\\u0009c\\u0001\\u001f\\u0000d\"");
    CHECK_STR(string_of("Zo\xc3\xab \xf0\x9f\x91\xaa \x7f", 11), "\"Zo\xc3\xab \xf0\x9f\x91\xaa \x7f\"");
    struct pyr_json json;
    char to[64];
    pyr_json_init(&json, to, sizeof to, PYR_JSON_COMPACT);
    pyr_json_object(&json, NULL);
    pyr_json_number(&json, "a\"b", 1);
    pyr_json_close(&json);
    CHECK(pyr_json_finish(&json));
    CHECK_STR(to, "{\"a\\\"b\":1}");
}

TEST("Bytes that are not UTF-8 become U+FFFD: JSON is UTF-8, whatever a file is called") {
    CHECK_STR(string_of("a\xff" "b", 3), "\"a\xef\xbf\xbd" "b\"");
    CHECK_STR(string_of("\xc3", 1), "\"\xef\xbf\xbd\"");                         /* cut off */
    CHECK_STR(string_of("\xed\xa0\x80", 3), "\"\xef\xbf\xbd\"");                 /* a surrogate */
    CHECK_STR(string_of("\xe2\x82x", 3), "\"\xef\xbf\xbd\xef\xbf\xbdx\"");
    CHECK_STR(string_of("\xc0\xaf", 2), "\"\xef\xbf\xbd\xef\xbf\xbd\"");         /* overlong */
}

/* Runs a wrong order of calls; the error must persist through valid calls. */
static bool is_refused(void (*wrong)(struct pyr_json *))
{
    struct pyr_json json;
    char to[256];
    pyr_json_init(&json, to, sizeof to, PYR_JSON_COMPACT);
    wrong(&json);
    pyr_json_null(&json, NULL);
    return !pyr_json_finish(&json);
}

static void name_in_array(struct pyr_json *json)
{
    pyr_json_array(json, NULL);
    pyr_json_number(json, "x", 1);
    pyr_json_close(json);
}

static void no_name_in_object(struct pyr_json *json)
{
    pyr_json_object(json, NULL);
    pyr_json_number(json, NULL, 1);
    pyr_json_close(json);
}

static void name_at_top(struct pyr_json *json)
{
    pyr_json_object(json, "x");
    pyr_json_close(json);
}

static void two_texts(struct pyr_json *json)
{
    pyr_json_number(json, NULL, 1);
    pyr_json_number(json, NULL, 2);
}

static void closed_too_often(struct pyr_json *json)
{
    pyr_json_array(json, NULL);
    pyr_json_close(json);
    pyr_json_close(json);
}

static void not_closed(struct pyr_json *json)
{
    pyr_json_array(json, NULL);
}

static void too_deep(struct pyr_json *json)
{
    for (int i = 0; i <= PYR_JSON_DEPTH; i++)
        pyr_json_array(json, NULL);
    for (int i = 0; i <= PYR_JSON_DEPTH; i++)
        pyr_json_close(json);
}

TEST("A wrong order of calls is an error that stays") {
    CHECK(is_refused(name_in_array));
    CHECK(is_refused(no_name_in_object));
    CHECK(is_refused(name_at_top));
    CHECK(is_refused(two_texts));
    CHECK(is_refused(closed_too_often));
    CHECK(is_refused(not_closed));
    CHECK(is_refused(too_deep));
    struct pyr_json json;
    char to[64];
    pyr_json_init(&json, to, sizeof to, PYR_JSON_COMPACT);
    CHECK_INT(pyr_json_finish(&json), 0);                /* nothing at all is not valid JSON */
    pyr_json_init(&json, to, sizeof to, PYR_JSON_COMPACT);
    for (int i = 0; i < PYR_JSON_DEPTH; i++)
        pyr_json_array(&json, NULL);
    for (int i = 0; i < PYR_JSON_DEPTH; i++)
        pyr_json_close(&json);
    CHECK_INT(pyr_json_finish(&json), 2 * PYR_JSON_DEPTH);
}

static bool takes_digits(const char *digits)
{
    struct pyr_json json;
    char to[64];
    pyr_json_init(&json, to, sizeof to, PYR_JSON_COMPACT);
    pyr_json_digits(&json, NULL, digits);
    return pyr_json_finish(&json) && !strcmp(to, digits);
}

TEST("Digits must be a number as JSON writes it") {
    static const char *const good[] = { "0", "-0", "1", "-12", "0.5", "10.250", "1e5", "1.5e-07", "2E+10" };
    static const char *const bad[] = { "", "-", "nan", "inf", "-inf", "01", "1.", ".5", "1e", "1e+", "0x1", "1,5", "1 ",
        "+1",
        "1\"", "--1" };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!CHECK(takes_digits(good[i])))
            printf("# %s\n", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!CHECK(!takes_digits(bad[i])))
            printf("# %s\n", bad[i]);
}

TEST("Every character is written and read again, and no surrogate is") {
    for (int32_t c = 0; c <= 0x10ffff; c++) {
        char bytes[5] = "";
        size_t length = 0, size;
        if (c >= 0xd800 && c < 0xe000)
            continue;
        size = pyr_utf8_write(c, bytes);
        if (!CHECK_INT(pyr_utf8_read(bytes, size, &length), c) || !CHECK_INT(length, size))
            return;
        /* A truncated sequence is invalid; the text behind it is not swallowed. */
        for (size_t cut = 1; cut < size; cut++) {
            char part[5] = "xxxx";
            memcpy(part, bytes, cut);
            if (!CHECK_INT(pyr_utf8_read(bytes, cut, &length), -1) || !CHECK_INT(length, 1) ||
                !CHECK_INT(pyr_utf8_read(part, 4, &length), -1) || !CHECK_INT(length, 1))
                return;
        }
    }
}

TEST("What is not UTF-8 is refused: a character that is written wrongly as a whole, anything else byte by byte") {
    static const struct {
        const char *bytes;
        size_t length;
    } bad[] = { { "\x80", 1 }, { "\xbf", 1 }, { "\xc0\x80", 1 }, { "\xc1\xbf", 1 }, { "\xe0\x80\x80", 3 },
        { "\xe0\x9f\xbf", 3 },
        { "\xed\xa0\x80", 3 }, { "\xed\xbf\xbf", 3 }, { "\xf0\x80\x80\x80", 4 }, { "\xf0\x8f\xbf\xbf", 4 },
        { "\xf4\x90\x80\x80", 4 }, { "\xf5\x80\x80\x80", 1 }, { "\xff", 1 }, { "\xe1\x80\xe2", 1 },
            { "\xf0\x91\x92\x41", 1 },
        { "\xf1\x80\x41", 1 } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t length = 0;
        CHECK_INT(pyr_utf8_read(bad[i].bytes, strlen(bad[i].bytes), &length), -1);
        CHECK_INT(length, bad[i].length);
    }
}
