/* error.h (serve.c): the errors that clients are sent when something is refused. */
#ifndef PYR_SERVER_ERROR_H
#define PYR_SERVER_ERROR_H

#include <pyramids/lines.h>

/* Errors that clients are sent (docs/protocol.md, section 4): the name on the wire and the HTTP status. */
#define SERVER_ERRORS(X) \
    X(BAD_JSON, "bad_json", 400) X(BAD_MESSAGE, "bad_message", 400) X(UNKNOWN_TYPE, "unknown_type", 400) \
    X(TOO_LONG, "too_long", 413) X(NO_VISITOR, "no_visitor", 401) X(UNKNOWN_VISITOR, "unknown_visitor", 409) \
    X(BAD_COOKIE, "bad_cookie", 400) X(BAD_NAME, "bad_name", 400) X(BAD_CODE, "bad_code", 404) \
    X(ORIGIN, "origin", 403) X(NO_TABLE, "no_table", 404) X(NO_EDITION, "no_edition", 400) X(NOT_OPEN, "not_open", 409) \
    X(NOT_HOST, "not_host", 403) X(NOT_SEATED, "not_seated", 403) X(SEATED, "seated", 409) X(TAKEN, "taken", 409) \
    X(BAD_KEY, "bad_key", 403) X(BEGUN, "begun", 409) X(NOT_RUNNING, "not_running", 409) X(NOT_OVER, "not_over", 409) \
    X(DAILY, "daily", 409) X(SEALED, "sealed", 403) X(ATTEMPTED, "attempted", 409) X(NO_DAY, "no_day", 404) \
    X(CLOSED_DAY, "closed_day", 409) X(HERE, "here", 409) X(ALONE, "alone", 409) X(LATE, "late", 409) \
    X(NOT_DUE, "not_due", 409) \
    X(CONFIRMED, "confirmed", 409) X(NO_CHOICE, "no_choice", 409) X(NO_HINTS, "no_hints", 409) X(ILLEGAL, "illegal", 400) \
    X(TOO_MANY, "too_many", 429) X(TOO_FAST, "too_fast", 429) X(BANNED, "banned", 403) \
    X(STORAGE, "storage", 503) X(STOPPING, "stopping", 503) X(NOT_FOUND, "not_found", 404) X(METHOD, "method", 405)

enum error {
    ERROR_NONE,
#define X(name, word, status) ERROR_##name,
    SERVER_ERRORS(X)
#undef X
    ERROR_COUNT
};

const char *error_name(enum error error);
int error_status(enum error error);

/* An error with details that a client may show. */
struct problem {
    enum error error;
    struct pyr_fault fault;      /* of ERROR_ILLEGAL */
    char detail[48];             /* a field's name, a part of the choice; "" none */
};

#endif
