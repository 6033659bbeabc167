/*
 * Any bytes as what a server sends to our client: an answer (first byte even) or, behind a right handshake, frames of
 * a WebSocket (odd). The rest of the first byte is how many bytes come at once. In pieces or all at once, the bytes
 * must give the same events; every byte is taken or refused, and nothing is reported after the end. The JSON writer
 * gets them as a string, and letters are measured and cut: a text is the sum of its letters.
 */
#include <letters.h>
#include <pyramids/json.h>
#include <pyramids/utf8.h>
#include <stdlib.h>
#include <string.h>
#include <wire.h>

#include "fuzz.h"

struct run {
    struct wire wire;
    char *events;                /* bodies and messages, each with a mark in front */
    size_t size, room;
    char key[25];
    bool over;
};

static void note(struct run *run, const char *bytes, size_t size)
{
    MUST(!run->over);
    if (run->size + size > run->room) {
        run->room = 2 * (run->size + size);
        run->events = realloc(run->events, run->room);
        MUST(run->events);
    }
    if (size)
        memcpy(run->events + run->size, bytes, size);
    run->size += size;
}

static void note_number(struct run *run, const char *what, unsigned number)
{
    char text[64];
    note(run, text, (size_t)snprintf(text, sizeof text, "[%s %u]", what, number));
}

static void on_answer(void *owner, const struct wire_answer *answer)
{
    struct run *run = owner;
    const char *cookie = answer->fault ? NULL : wire_answer_header(answer, "set-cookie", 0);
    note_number(run, answer->fault ? "fault" : "status", answer->status);   /* which of two faults is found first may
                                                                               vary */
    note(run, cookie ? cookie : "", cookie ? strlen(cookie) : 0);
    run->over = answer->fault;
}

static void on_opened(void *owner)
{
    note_number(owner, "opened", 0);
}

static void on_body(void *owner, const char *bytes, size_t size)
{
    note(owner, bytes, size);
}

static void on_complete(void *owner)
{
    struct run *run = owner;
    note_number(run, "complete", 0);
    run->over = true;
}

static void on_message(void *owner, const char *text, size_t size)
{
    note_number(owner, "message", (unsigned)size);
    note(owner, text, size);
}

static void on_closing(void *owner, unsigned code)
{
    struct run *run = owner;
    MUST(code);
    note_number(run, "closing", code);
    run->over = true;
}

static void on_write(void *owner, const void *bytes, size_t size)
{
    static const char mark[] = "sec-websocket-key: ";
    struct run *run = owner;
    for (size_t i = 0; !run->key[0] && i + sizeof mark - 1 + 24 <= size; i++)
        if (!memcmp((const char *)bytes + i, mark, sizeof mark - 1))
            memcpy(run->key, (const char *)bytes + i + sizeof mark - 1, 24);
}

static const struct wire_events events = { .body = on_body, .complete = on_complete, .message = on_message,
    .closing = on_closing, .write = on_write };
static const struct wire_client_events client_events = { on_answer, on_opened };

static void feed(struct run *run, const char *bytes, size_t size, size_t piece)
{
    for (size_t at = 0; at < size && wire_takes(&run->wire);) {
        size_t part = size - at < piece ? size - at : piece, taken = wire_read(&run->wire, bytes + at, part);
        MUST(taken > 0 && taken <= part);
        at += taken;
    }
}

static void talk(struct run *run, struct wire_pool *pool, const char *bytes, size_t size, size_t piece, bool is_socket)
{
    wire_init(&run->wire, &events, run, pool);
    MUST(wire_ask(&run->wire, &(struct wire_asking){ .events = &client_events, .host = "h", .path = "/", .headers = "",
        .protocol = is_socket ? "p" : NULL }));
    if (is_socket) {
        char accept[29], opening[256];
        wire_accept_key(run->key, accept);
        feed(run, opening, (size_t)snprintf(opening, sizeof opening, "HTTP/1.1 101 S\r\nupgrade: websocket\r\n"
            "connection: upgrade\r\nsec-websocket-accept: %s\r\n\r\n", accept), 1000);
    }
    feed(run, bytes, size, piece);
    wire_ended(&run->wire);
    wire_finish(&run->wire);
}

static void check_text(const char *bytes, size_t size)
{
    static char to[6 * 4096 + 8];
    struct pyr_json json;
    if (size > 4096)
        return;
    pyr_json_init(&json, to, sizeof to, PYR_JSON_COMPACT);
    pyr_json_word(&json, NULL, (struct pyr_word){ bytes, size });
    size_t length = pyr_json_finish(&json), step;
    MUST(length >= 2 && to[0] == '"' && to[length - 1] == '"');
    for (size_t at = 0; at < length; at += step) {
        int32_t character = pyr_utf8_read(to + at, length - at, &step);
        MUST(character >= 0x20 && (character != '"' || !at || at == length - 1));
        if (character == '\\')
            MUST(at + 2 < length && strchr("\"\\u", to[at + 1]) && ++step);
    }
    int columns = 0, one;
    size_t at = 0;
    for (; at < size && bytes[at]; at += step, columns += one) {
        step = letter_size(bytes + at, size - at, &one);
        MUST(step && step <= size - at && one >= 0);
    }
    MUST(letters_columns(bytes, size) == columns);
    MUST(letters_fit(bytes, at, at) == at && letters_fit(bytes, at, at / 2) <= at / 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wire_pool *pool = wire_pool_create(false, 4096);
    struct run whole = { .over = false }, cut = { .over = false };
    const char *bytes = (const char *)data + 1;
    if (size && pool) {
        check_text(bytes, size - 1);
        talk(&whole, pool, bytes, size - 1, size, data[0] & 1);
        talk(&cut, pool, bytes, size - 1, 1u + (data[0] >> 1), data[0] & 1);
        MUST(whole.size == cut.size && (!whole.size || !memcmp(whole.events, cut.events, whole.size)));
    }
    free(whole.events);
    free(cut.events);
    wire_pool_destroy(pool);
    return 0;
}
