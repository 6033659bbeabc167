/* visitor.h (visitor.c): visitors: their names, the tokens in their cookies, codes for a second device. */
#ifndef PYR_SERVER_VISITOR_H
#define PYR_SERVER_VISITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "limit.h"
#include "map.h"
#include "store.h"

#define NAME_SIZE 97             /* bytes of a name with its end: 24 characters of at most 4, fewer if emoji consist of
                                    several */
#define NAME_LETTERS 24
#define TOKEN_SIZE 32            /* bytes of a visitor's token, and of its hash */

struct conn;
struct server;

struct visitor {
    struct map_node node;        /* by id */
    char name[NAME_SIZE];
    int64_t created, seen;
    unsigned connections;
    unsigned holds;              /* requests that refer to this visitor */
    unsigned naming;             /* of these, requests that are storing a new name */
    uint64_t used;               /* when the visitor was last connected, in milliseconds */
    bool forgotten;              /* about to be freed */
    struct conn *conns;          /* sockets */
};

struct token {
    struct map_node node;        /* by the first bytes of the hash */
    uint8_t hash[TOKEN_SIZE];
    struct visitor *visitor;
    int64_t renewed;             /* when its cookie was last given out, in seconds; 0: not known */
};

/* What a request's cookies show about its sender. */
enum identity {
    IDENTITY_NONE,               /* nothing */
    IDENTITY_KNOWN,              /* a visitor of ours */
    IDENTITY_UNKNOWN,            /* a cookie of ours that matches no visitor: perhaps of another database, but worth a
                                    seat */
    IDENTITY_UNREADABLE          /* cookies that could not be read */
};

/* Tokens in cookies that match no visitor in memory: the database may have one of them. */
struct tokens {
    unsigned count;
    struct {
        uint8_t hash[TOKEN_SIZE];
        char text[2 * TOKEN_SIZE + 1];
    } at[];
};
void tokens_free(struct tokens *tokens);     /* NULL is fine */

struct device_code {
    uint8_t hash[TOKEN_SIZE];    /* SHA-256 of its eight letters */
    int64_t visitor;
    int64_t until;               /* seconds since 1970 */
};

bool name_clean(const char *name, char to[NAME_SIZE]);     /* false: nothing is left of it, or it is too long */
struct visitor *visitor_by_id(const struct server *server, int64_t id);
/* The visitor of the cookies, if in memory (NULL: none, or not known), and what the cookies show; for a known visitor,
 * the token as text. `cookies` NULL: they could not be read. *unknown gets the tokens to look up in the database; NULL:
 * none. False without memory. */
bool visitor_identify(const struct server *server, const char *cookies, struct visitor **visitor, enum identity *identity,
    char token[2 * TOKEN_SIZE + 1], struct tokens **unknown);
/* Whether the cookie with this token is due to be renewed, once a day; if so, it counts as renewed. */
bool visitor_renews(const struct server *server, const char *token);
void visitor_store_renewal(struct server *server, const char *token);  /* stores it in the database */
/* One token of a visitor, as stored. NULL without memory. */
struct visitor *visitor_load(struct server *server, const struct store_visitor *stored);
/* Draws a new visitor: what is to be stored, and the token for the cookie. */
void visitor_draw(const char *name, char token[2 * TOKEN_SIZE + 1], struct store_visitor *stored);
/* A pointer to a visitor that outlives the callback needs a hold; others leave the memory after a while. */
struct visitor *visitor_hold(struct visitor *visitor);
void visitor_release(const struct server *server, struct visitor *visitor);
void visitors_sweep(struct server *server);
void visitor_renamed_elsewhere(struct server *server, int64_t id);     /* has a new name, given at another server */
/* Their data was removed: cookies no longer match them, and their sockets are closed. */
void visitor_leave(struct server *server, int64_t id);
void visitors_check_names(struct server *server);                      /* any visitor may have a new name, since
                                                                          announcements were missed */
void visitor_seen(struct server *server, struct visitor *visitor);                      /* is still active */
/* One-time codes for a second device, ABCD-EFGH: draws a new one, with what the database stores of it; computes the hash
 * of a typed one, in any case of letters, false if it cannot be one. */
void device_code_draw(int64_t visitor, char text[10], struct device_code *made);
bool device_code_read(const char *text, uint8_t hash[TOKEN_SIZE]);
/* The database has dropped these visitors, who were last seen before that time: they are dropped from memory too, except
 * that those who have come back since are stored again. */
void visitors_forget(struct server *server, const int64_t *ids, unsigned count, int64_t before);
void visitors_finish(struct server *server);

#endif
