/*
 * visit.h (visit.c): this user's identity on a server, and why a server does not answer: for the full-screen client
 * (remote.c) and for `pyramids daily` line by line (src/cli/there.c).
 */
#ifndef PYR_TUI_VISIT_H
#define PYR_TUI_VISIT_H

#include <jansson.h>

#include "net.h"
#include "save.h"

/* A server, and this account's identity there, which is stored in the data folder. */
struct visit {
    char url[400];               /* without a fragment */
    char cookie_path[PATH_MAX];  /* "": nothing can be stored */
    char cookie[512];            /* "": not known there yet */
    bool is_forgotten;           /* the server does not recognise the cookie: this visitor becomes a new one there */
};

/* Reads what is stored for this address. */
void visit_init(struct visit *visit, const char *server);
/* The server recognised us: stores its cookie, which may be a new one. */
void visit_keep(struct visit *visit, struct net *net);
/* The server does not recognise us: it has another database, perhaps only for a day. The old cookie is kept next to the
 * file of the new identity. */
void visit_forget(struct visit *visit);

/* The first request: with a cookie, whether the server recognises us (NULL: a GET); without one, to become a new visitor.
 * The caller frees it. */
json_t *visit_question(const struct visit *visit, const char *name);
/* Whether the answer to this request comes from some other kind of server. */
bool visit_is_stranger(int status, const json_t *answer);

/* Why there was no answer, in words (enum of net.h; anything else: an error of the server). */
const char *visit_cause(int status);
/* A server's refusal as a sentence, for any code that it sends. */
void visit_refusal(const char *code, char *to, size_t size);

/* A string of an object, never NULL, so that the answers of a strange server need no further checks. */
const char *visit_text(const json_t *object, const char *key);
/* A code is for a path and for the screen: letters and digits only. False: it is none. */
bool visit_copy_code(char *to, size_t size, const char *code);

#endif
