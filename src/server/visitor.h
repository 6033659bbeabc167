/* visitor.h (visitor.c): who people are: their names, the tokens in their cookies, codes for a second device. */
#ifndef PYR_SERVER_VISITOR_H
#define PYR_SERVER_VISITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "limit.h"
#include "map.h"
#include "store.h"

#define NAME_SIZE 97             /* bytes of a name with its end: 24 characters of at most 4, fewer if emoji have parts */
#define NAME_LETTERS 24
#define TOKEN_SIZE 32            /* bytes of a visitor's token, and of its hash */

struct conn;
struct server;

struct visitor {
    struct map_node node;        /* by id */
    char name[NAME_SIZE];
    int64_t created, seen;
    unsigned connections, tables;/* tables: open ones with a seat or as host */
    bool forgotten;              /* about to be freed */
    struct conn *conns;          /* sockets */
    struct share lobby;
};

struct token {
    struct map_node node;        /* by the first bytes of the hash */
    uint8_t hash[TOKEN_SIZE];
    struct visitor *visitor;
    int64_t renewed;             /* when its cookie was last given out, in seconds; 0: not since the start */
};

/* What a request shows of who it is from. */
enum identity {
    IDENTITY_NONE,               /* nothing */
    IDENTITY_KNOWN,              /* a visitor of ours */
    IDENTITY_UNKNOWN,            /* a cookie of ours that fits no visitor: perhaps of another database, and worth a seat */
    IDENTITY_UNREADABLE          /* cookies that could not be read */
};

struct device_code {
    struct device_code *next;
    uint8_t hash[TOKEN_SIZE];    /* SHA-256 of its eight letters */
    int64_t visitor;
    int64_t until;               /* seconds since 1970 */
};

bool name_clean(const char *name, char to[NAME_SIZE]);     /* false: nothing left, or too long */
struct visitor *visitor_by_id(const struct server *server, int64_t id);
/* The visitor of the cookies (NULL: none, or not known), and what they present; the token as text for who is known.
 * `cookies` NULL: they could not be read. */
struct visitor *visitor_identify(const struct server *server, const char *cookies, enum identity *identity,
    char token[2 * TOKEN_SIZE + 1]);
/* Whether the cookie with this token is due to be given out anew, once a day; it counts as done. */
bool visitor_renews(const struct server *server, const char *token);
bool visitor_load(struct server *server, const struct store_visitor *stored);          /* one token of a visitor */
struct visitor *visitor_new(struct server *server, const char *name, char token[2 * TOKEN_SIZE + 1],
    struct store_visitor *stored);
bool visitor_add_token(struct server *server, struct visitor *visitor, char token[2 * TOKEN_SIZE + 1],
    uint8_t hash[TOKEN_SIZE]);
void visitor_drop_token(struct server *server, const uint8_t hash[TOKEN_SIZE]);
void visitor_seen(struct server *server, struct visitor *visitor);                      /* is still active */
/* One-time codes for a second device, ABCD-EFGH. The database keeps what is in `made` but `next`; false without memory. */
bool device_code_new(struct server *server, struct visitor *visitor, char text[10], struct device_code *made);
bool device_code_load(struct server *server, const uint8_t hash[TOKEN_SIZE], int64_t visitor, int64_t until);
/* The visitor of a code that is good, in whichever letters it was typed; the code is gone then, and in `used`. NULL: no
 * such code. */
struct visitor *device_code_use(struct server *server, const char *text, struct device_code *used);
void device_code_drop(struct server *server, int64_t visitor);
void device_code_sweep(struct server *server);
/* The database has dropped these visitors, who were last seen before that time: they are forgotten, but those who came
 * back meanwhile are stored again. */
void visitors_forget(struct server *server, const int64_t *ids, unsigned count, int64_t before);
void visitors_finish(struct server *server);

#endif
