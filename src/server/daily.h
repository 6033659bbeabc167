/*
 * daily.h (daily.c, daily_routes.c, daily_upkeep.c): the daily expedition: one game per day for everyone, with the
 * same cards and bots (docs/daily.md).
 *
 * An attempt is an ordinary table that knows its day (struct table_daily). The differences are here. Its secret is the
 * day's, and stays sealed until that day can no longer be played. Until then only its player can see the table, and
 * visitors who have finished their own attempt. A visitor's first attempt counts, and only if it is finished in time.
 */
#ifndef PYR_SERVER_DAILY_H
#define PYR_SERVER_DAILY_H

#include "table.h"

struct request;
struct store_day;

#define DAILY_LINE 80            /* bytes of the line with a secret; it needs fewer */

int64_t daily_reveals(int64_t day);          /* when a day's secret is published, in seconds since 1970 */
bool daily_is_sealed(const struct table *table);           /* the secret of its day must not be shown yet */
void daily_note_day(struct server *server, const struct store_day *day);             /* as it was read from the store */
/* In the store's thread: the time, by the clock of a shared database, not by that of this machine. */
enum store_result daily_now(struct store_db *db, int64_t *now);
bool daily_is_sealed_for(const struct table *table, const struct visitor *visitor);   /* nor its cards, by this visitor */
int64_t daily_expires(const struct table *table);          /* until when it has to be finished; 0: no limit */
bool daily_is_expired(const struct table *table);
void daily_close(struct table *table);       /* ends an attempt that was not finished in time */

/* Writes the tag `day` of a game that begins; nothing at other tables. */
enum pyr_err daily_tag(const struct table *table, const struct pyr_game *game, const struct pyr_sink *sink);
/* What a change means for the attempt: it begins, or ends. A result counts only if the whole record is verified. */
void daily_fill_commit(struct change *change);
/* Writes the line with the secret, for the end of a record that was finished while its day was sealed; returns its size,
 * 0 at other tables. */
size_t daily_write_secret(const struct table *table, char to[DAILY_LINE]);

/* Calls `then` if this visitor may see the table, now or once the database has answered; else answers with an error. */
void daily_show(struct request *request, struct table *table, void (*then)(struct request *request, struct table *table));

/* Makes the days, reveals their secrets, has results analysed and lets `master` play; for upkeep.c. */
void daily_tick(struct server *server);

/* Routes (http.c). */
void get_daily(struct request *request);
void post_daily(struct request *request);
void get_calendar(struct request *request);
void get_one_day(struct request *request);
void get_board(struct request *request);

#endif
