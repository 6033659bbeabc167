/*
 * there.h (there.c): access to a server for commands that work line by line: each call waits until it is done. One game
 * at a time can be played there.
 */
#ifndef PYR_CLI_THERE_H
#define PYR_CLI_THERE_H

#include <jansson.h>

#include <pyramids/match.h>

#include "cli.h"

struct there;

/* Introduces this user to the server, under this name if they are new there. NULL after printing a message. */
struct there *there_open(const char *server, const char *trusted, const char *name);
void there_close(struct there *there);
const char *there_url(const struct there *there);

/* Sends a request; body NULL: a GET, else a POST, which takes the body. Returns the answer, to be freed, and its status;
 * NULL after printing a message: there was no answer, or not one of a Pyramids server. A refusal (400 to 499) is an
 * answer. */
json_t *there_ask(struct there *there, const char *path, json_t *body, int *status);
/* Prints the refusal that an answer contains. */
void there_refused(const struct there *there, const json_t *answer);

/* Opens a table at which this visitor has a seat, and waits for the first choice. The match and the edition (which is
 * read here) must stay until the end. False after printing a message. */
bool there_begin(struct there *there, const char *code, struct pyr_match *match, struct pyr_edition *edition);
pyr_seat there_seat(const struct there *there);
/* Waits until a choice is due or the game is over. False: interrupted, or a message was printed. */
bool there_wait(struct there *there);
/* Leaves the table; from then on the match is no longer used. */
void there_end(struct there *there);
/* Sends a choice: PYR_OK, or what is wrong with it. The server's answer to it follows in there_wait. */
enum pyr_err there_choose(struct there *there, const char *choice, struct pyr_fault *fault);

#endif
