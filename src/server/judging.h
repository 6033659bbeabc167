/*
 * judging.h (judging.c): the analysis of a finished game: made by a thread of the pool and kept in the database, as
 * JSON and as a page in every available language. A quick first result is kept; it is refined once and replaced.
 */
#ifndef PYR_SERVER_JUDGING_H
#define PYR_SERVER_JUDGING_H

#include "table.h"

enum judging_state { JUDGING_READY, JUDGING_WORKING, JUDGING_TOO_MANY, JUDGING_FAILED };

/*
 * Asks for the report of a table whose game is over; `answer` is called later, from the loop. The text is the answer's
 * to free. address: the key of the requester's address; JUDGING_TOO_MANY if too many of its analyses, or of all, are
 * waiting already. On a database that several servers share they are counted there, by visitor (0: unknown), and any
 * server makes them. language: NULL asks for the JSON, a code for the page in that language.
 */
void judging_ask(struct table *table, uint64_t address, int64_t visitor, const char *language,
    void (*answer)(void *context, enum judging_state state, char *text, size_t size, bool html), void *context);

/* Makes the analysis of a result of the daily expedition, unless it is being made; `rough`: with a first result. Only
 * where no other server uses the database. */
void judging_wanted(struct server *server, const char *code, bool rough);

/* Makes an analysis that this server has claimed from a database that several servers share. */
void judging_claimed(struct server *server, const char *code);

#endif
