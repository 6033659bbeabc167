/*
 * request.h (http.c; web.c carries it): an HTTP request and its answer.
 */
#ifndef PYR_SERVER_REQUEST_H
#define PYR_SERVER_REQUEST_H

#include "conn.h"
#include "server.h"

enum method { METHOD_GET, METHOD_HEAD, METHOD_POST, METHOD_DELETE, METHOD_OTHER };

struct request {
    struct server *server;
    struct conn *conn;           /* NULL: the client has gone; the request stays until no job refers to it */
    struct address *address;     /* held */
    bool entered;                /* counted among the connections of its address: it is behind a proxy */
    struct visitor *visitor;     /* held; NULL: none */
    enum identity identity;      /* what the cookies show; IDENTITY_UNKNOWN while there are `unknown` tokens */
    struct tokens *unknown;      /* tokens to look up in the database (request_look_up); NULL: none */
    char token[2 * TOKEN_SIZE + 1];          /* of a known visitor, for renewing the cookie */
    enum method method;
    bool secure;                 /* cookies must be Secure */
    bool gzip;                   /* the client accepts gzip */
    bool html;                   /* text/html is accepted: a person reads the answer in a browser */
    bool json;                   /* the body is declared as JSON */
    bool too_long;
    bool is_old;                 /* HTTP/1.0 */
    bool waits;                  /* a job will answer */
    bool is_socket;              /* it asks for a WebSocket, which it becomes once the visitor is known */
    bool last;                   /* what follows on the connection cannot be told from this request, so the connection is
                                    closed */
    enum error early;            /* refused by its head; answered once the body has arrived */
    char path[160];
    char query[1000];            /* after the '?', as received (request_query reads it); "" if it does not fit */
    bool query_too_long;
    char etag[128];              /* If-None-Match */
    char host[HOST_SIZE];        /* Host, cut; "" none */
    char word[40];               /* the part of the path that * stands for in the route */
    const char *language;        /* the best available language for the reader: ?lang=CODE, else Accept-Language, else
                                    English */
    const char *route;           /* for the log: never a code */
    const char *refusal;         /* for the log: the error's name; NULL: none */
    size_t body_size;
    char body[MAX_MESSAGE + 1];
    uint64_t begun;
    /* The answer. */
    int status;                  /* 0: none yet */
    const char *type;
    char *data;                  /* owned; or */
    const void *page;            /* embedded */
    size_t size, sent;
    char cookie[160];
    const char *page_etag;
    char own_etag[40];           /* ETag of an answer that is not a file */
    const char *policy;          /* a Content-Security-Policy instead of the usual one */
    const char *attachment;      /* file name to save as */
    unsigned retry;              /* seconds; 0: none */
    unsigned allowed;            /* bits of enum method: the methods of a path that was requested with another one */
    bool translated;             /* the answer depends on that language */
    bool encoded, started;
};

/* The first steps of a request: its address (sets `early` if that address has as many requests under way as it may), and
 * its visitor by the cookies ("": none; NULL: they could not be read). The last step frees it with everything it holds. */
void request_come_from(struct request *request, struct address *address);
void request_identify(struct request *request, const char *cookies);
void request_free(struct request *request);

/* Looks up the visitor in the database if not known yet; `then` is called later, if the client is still waiting. */
void request_look_up(struct request *request, void (*then)(struct request *request, enum error error));

/* Answers a request whose head and body are complete, now or later. */
void request_route(struct request *request);

/* web.c: the answer is complete, send it. */
void request_send(struct request *request);

void request_error(struct request *request, enum error error, const char *detail);
/* Whether the client has this copy: it may list several, and a proxy may have marked them as weak (W/). */
bool request_has_copy(const struct request *request, const char *etag);

/* For the files with handlers (*_routes.c, profile.c, history.c). An answer takes over the text, or the object; an object
 * that is NULL, as jansson returns without memory, becomes an error. */
void answer_text(struct request *request, int status, const char *type, char *text, size_t size);
void answer_json(struct request *request, int status, json_t *json);
/* A request whose answer needs a job: it stays until request_back, which is called once and returns whether the client is
 * still waiting. False: the client has gone, and the request was freed. */
void request_wait(struct request *request);
bool request_back(struct request *request);
/* Hands a job of the store over whose `done` calls request_back. */
void request_submit(struct request *request, struct store_job *job, store_run *run, store_done *done);
/* The members of a body; false after an answer. The caller owns *object; values point into it, NULL for those that are
 * missing. */
bool read_body(struct request *request, const struct field *field, unsigned count, json_t **object, json_t **values);
/* For requests without members: the body must still be an empty object, so that a later version can add some. */
bool read_empty_body(struct request *request);
/* Calls `then` with the table whose code is in the path, in memory or read from the database. */
void with_table(struct request *request, void (*then)(struct request *request, struct table *table));
/* A member of the query, decoded (%41 and + are read as in forms). MEMBER_WRONG: it does not fit or contains a zero byte, or
 * the whole query is too long to be read. `to` is then "", as for a missing member. */
enum member { MEMBER_MISSING, MEMBER_GOOD, MEMBER_WRONG };
enum member request_query(const struct request *request, const char *name, char *to, size_t room);

/* The policy of pages without scripts: those that are made here or from an analysis. */
#define PLAIN_POLICY \
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'none'; img-src data:; base-uri 'none'; " \
    "form-action 'none'; " \
    "frame-ancestors 'none'"

/* visitor_routes.c */
void request_set_cookie(struct request *request, const char *token);
void get_visitor(struct request *request);
void post_visitor(struct request *request);
void post_visitor_code(struct request *request);
void post_visitor_device(struct request *request);
void get_my_tables(struct request *request);
void get_statistics(struct request *request);

/* table_routes.c */
void get_tables(struct request *request);
void post_tables(struct request *request);
void get_table(struct request *request);
void get_record(struct request *request);
void post_rematch(struct request *request);
void post_seats(struct request *request);
void post_hint(struct request *request);
void post_name(struct request *request);
void get_analysis(struct request *request);

/* service_routes.c */
void get_editions(struct request *request);
void get_edition(struct request *request);
void get_puzzles(struct request *request);
void get_health(struct request *request);
void get_metrics(struct request *request);
void get_links(struct request *request);

/* reminder_routes.c */
void get_push(struct request *request);
void post_push(struct request *request);
void delete_push(struct request *request);
void post_notify(struct request *request);
void get_my_turns(struct request *request);
void get_feed(struct request *request);
void post_feed(struct request *request);
void delete_feed(struct request *request);

/* A file of the embedded page (pages.c); NULL if there is none. Its data are compressed by gzip. */
struct page {
    const char *path, *type, *etag;
    const unsigned char *data;
    size_t size, plain_size;
};
const struct page *page_find(const char *path);

#endif
