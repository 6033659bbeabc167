/*
 * store_profile.c: data about people beyond their games: ratings, results of analyses, secret addresses of profiles; and
 * the removal of a visitor's data. The declarations are in store.h.
 *
 * Ratings are applied in the transaction that stores the end of a game, in the order in which these transactions are
 * committed. The end of a game is stored only once (its revision ensures that), so a game counts once, whatever the
 * number of servers.
 */
#include <stdlib.h>

#include <pyramids/rating.h>

#include "store_rows.h"

#define FORGET_AT_ONCE 20        /* games of a visitor that one transaction changes */

/* Ratings. */

enum store_result store_lock_results(struct store_db *db)
{
    return lock_results(db);
}

/* The people of a game are compared only with each other, not with bots. */
enum store_result store_rate(struct store_db *db, const struct store_seat *seat, unsigned seats, int64_t now)
{
    struct pyr_rating rating[STORE_SEATS], first;
    int64_t visitor[STORE_SEATS];
    uint8_t place[STORE_SEATS];
    unsigned count = 0;
    for (unsigned s = 0; s < seats; s++)
        if (seat[s].visitor) {
            visitor[count] = seat[s].visitor;
            place[count++] = seat[s].place;
        }
    if (count < 2)
        return STORE_OK;
    enum store_result result = lock_results(db);
    pyr_rating_init(&first);
    for (unsigned i = 0; i < count && !result; i++) {
        result = ask(db, BEGIN_RATING, visitor[i], first.mu, first.sigma, now);
        if (result || (result = next(db)))
            return result;
        rating[i] = (struct pyr_rating){ real(db, 0), real(db, 1) };
        finish(db);
    }
    if (result)
        return result;
    pyr_rating_update(rating, place, count);
    for (unsigned i = 0; i < count && !result; i++)
        result = change(db, NOW, STORE_FAILED, SET_RATING, visitor[i], rating[i].mu, rating[i].sigma);
    return result;
}

enum store_result store_get_rating(struct store_db *db, int64_t visitor, struct store_rating *rating, unsigned *better)
{
    enum store_result result = ask(db, GET_RATING, visitor);
    *better = 0;
    if (result || (result = next(db)))
        return result;
    *rating = (struct store_rating){ .visitor = visitor, .mu = real(db, 0), .sigma = real(db, 1), .games = number(db, 2) };
    finish(db);
    return rating->games < PYR_RATING_GAMES ? STORE_OK : store_count_stronger(db, rating->mu, better);
}

enum store_result store_count_stronger(struct store_db *db, double mu, unsigned *better)
{
    int64_t count = 0;
    enum store_result result = get_number(db, ask(db, BETTER_RATINGS, mu, (int64_t)STORE_BETTER), 0, &count);
    *better = (unsigned)count;
    return result;
}

enum store_result store_get_ratings(struct store_db *db, unsigned from, struct store_rating *ratings, unsigned most,
    unsigned *count)
{
    enum store_result result = ask(db, TOP_RATINGS, (int64_t)most, (int64_t)from);
    *count = 0;
    while (result == STORE_OK && (result = next(db)) == STORE_OK) {
        struct store_rating *rating = &ratings[(*count)++];
        *rating = (struct store_rating){ .visitor = number(db, 0), .mu = real(db, 1), .sigma = real(db, 2),
            .games = number(db, 3) };
        copy_text(db, 4, rating->name, sizeof rating->name);
    }
    return at_end(result);
}

enum store_result store_put_judged(struct store_db *db, int64_t table, unsigned seat, double luck, double rate)
{
    return change(db, NOW, STORE_OK, PUT_JUDGED, table, (int64_t)seat, luck, rate);
}

/* Games and rivals. */

enum store_result store_each_game_of(struct store_db *db, int64_t visitor, struct store_place_of_game from, unsigned most,
    bool with_config, bool (*each)(void *context, const struct store_past *past), void *context)
{
    enum store_result result = ask(db, with_config ? GAMES_OF : RESULTS_OF, visitor, from.made, from.table, (int64_t)most);
    while (result == STORE_OK && (result = next(db)) == STORE_OK) {
        struct store_past past = { .seat = { .table = number(db, 0), .visitor = visitor, .seat = (uint8_t)number(db, 1),
            .people = (uint8_t)number(db, 2), .bots = (uint8_t)number(db, 3), .points = (int32_t)number(db, 5),
            .share = (float)real(db, 6), .made = number(db, 7), .place = (uint8_t)number(db, 8),
            .pyramids = (uint32_t)number(db, 9) }, .luck = real(db, 10), .rate = real(db, 11) };
        size_t size;
        copy_text(db, 4, past.seat.level, sizeof past.seat.level);
        copy_text(db, 12, past.code, sizeof past.code);
        past.config = db->engine->bytes(db, 13, &size);
        if (!past.config || !each(context, &past)) {
            finish(db);
            return past.config ? STORE_OK : STORE_NO_ROOM;
        }
    }
    return at_end(result);
}

enum store_result store_get_rivals(struct store_db *db, int64_t visitor, struct store_rival *rivals, unsigned most,
    unsigned *count)
{
    enum store_result result = ask(db, RIVALS_OF, visitor, (int64_t)STORE_PAST, (int64_t)most);
    *count = 0;
    while (result == STORE_OK && (result = next(db)) == STORE_OK) {
        struct store_rival *rival = &rivals[(*count)++];
        *rival = (struct store_rival){ .visitor = number(db, 0), .won = (unsigned)number(db, 2),
            .lost = (unsigned)number(db, 3), .games = (unsigned)number(db, 4), .last = number(db, 5) };
        copy_text(db, 1, rival->name, sizeof rival->name);
    }
    return at_end(result);
}

enum store_result store_get_rivalry(struct store_db *db, int64_t visitor, int64_t other, struct store_rival *rival)
{
    enum store_result result = ask(db, RIVALRY, visitor, other, (int64_t)STORE_PAST);
    if (result || (result = next(db)))
        return result;
    *rival = (struct store_rival){ .visitor = other, .won = (unsigned)number(db, 0), .lost = (unsigned)number(db, 1),
        .games = (unsigned)number(db, 2) };
    finish(db);
    return STORE_OK;
}

/* Secret addresses. */

enum store_result store_drop_link(struct store_db *db, int64_t visitor)
{
    return change(db, NOW, STORE_OK, DROP_LINK, visitor);
}

/* A new address replaces the old one, which stops working. */
enum store_result store_put_link(struct store_db *db, const uint8_t hash[32], int64_t visitor, int64_t made)
{
    return change(db, NOW, STORE_FAILED, PUT_LINK, (const void *)hash, (size_t)32, visitor, made);
}

enum store_result store_get_link(struct store_db *db, const uint8_t hash[32], struct store_visitor *visitor)
{
    enum store_result result = ask(db, GET_LINK, (const void *)hash, (size_t)32);
    if (result || (result = next(db)))
        return result;
    *visitor = (struct store_visitor){ .id = number(db, 0), .created = number(db, 2) };
    copy_text(db, 1, visitor->name, sizeof visitor->name);
    finish(db);
    return STORE_OK;
}

enum store_result store_has_link(struct store_db *db, int64_t visitor, bool *has)
{
    int64_t made = 0;
    enum store_result result = get_number(db, ask(db, HAS_LINK, visitor), 0, &made);
    *has = made != 0;
    return result;
}

/* Removing. */

/*
 * Everything that concerns only this visitor, in one list: a new table with rows of visitors gets its line here. Rows
 * that refer to the visitor are deleted before the visitor's own row, which is emptied now and dropped with the last of
 * their games. Servers that have the visitor in memory are notified as for a new name, and find that there is none.
 */
enum store_result store_forget_visitor(struct store_db *db, int64_t visitor, int64_t now)
{
    static const enum store_statement forgets[] = {
        DROP_TOKENS,             /* devices */
        DROP_CODE,               /* the code for a further device */
        DROP_REQUESTS_OF,
        DROP_RATING,
        DROP_LINK,
        DROP_REMINDERS_OF,       /* messages: about which tables, to which browsers, when; and the feed */
        DROP_PUSHES,
        DROP_NOTICE,
        DROP_FEED,
        DROP_ATTEMPTS_OF,        /* results on boards */
        DROP_STANDINGS,
        BLANK_VISITOR,
    };
    enum store_result result = lock_results(db);
    if (!result)
        result = change_all(db, forgets, sizeof forgets / sizeof *forgets, visitor);
    if (!result)
        result = change(db, NOW, STORE_OK, PUT_LEAVING, visitor, now);
    if (!result)
        announce(db, STORE_NEWS_NAME, visitor);
    if (!result)
        announce(db, STORE_NEWS_WORK, 0);
    return result;
}

/* A game from which a visitor is to be removed. */
struct left {
    int64_t table;
    unsigned seat;
    char code[16];
};

struct lefts {
    struct left at[FORGET_AT_ONCE];
    unsigned count;
};

static bool take_left(void *context, const struct store_past *past)
{
    struct lefts *lefts = context;
    struct left *left = &lefts->at[lefts->count++];
    *left = (struct left){ .table = past->seat.table, .seat = past->seat.seat };
    memcpy(left->code, past->code, sizeof left->code);
    return true;
}

/* A text of the row that was queried; NULL without memory. The query is finished. */
static char *take_text(struct store_db *db, int column)
{
    size_t size;
    const char *text = db->engine->bytes(db, column, &size);
    char *copy = text ? malloc(size + 1) : NULL;
    if (copy) {
        memcpy(copy, text, size);
        copy[size] = '\0';
    }
    finish(db);
    return copy;
}

/* Changes the names in the table and in its log; STORE_MISSING, with nothing changed, for a game without lines or with an
 * invalid text. */
static enum store_result rename_in(struct store_db *db, int64_t visitor, const struct left *left,
    bool (*rewrite)(int64_t visitor, unsigned seat, char **config, char **lines))
{
    char *config = NULL, *lines = NULL;
    int64_t revision = 0;
    enum store_result result = ask(db, GET_TABLE, left->table);
    if (result || (result = next(db)))
        return result;
    revision = number(db, 8);
    config = take_text(db, 5);
    result = config ? ask(db, FIRST_LINES, left->table) : STORE_NO_ROOM;
    if (!result && !(result = next(db)) && !(lines = take_text(db, 0)))
        result = STORE_NO_ROOM;
    if (!result && rewrite(visitor, left->seat, &config, &lines)) {
        result = change(db, NOW, STORE_CONFLICT, NEXT_REVISION, left->table, revision);
        if (!result)
            result = change(db, NOW, STORE_FAILED, PUT_CONFIG, left->table, config);
        if (!result)
            result = change(db, NOW, STORE_FAILED, PUT_FIRST_LINES, left->table, lines, strlen(lines));
        if (!result)
            announce(db, left->code, revision + 1);
    }
    free(config);
    free(lines);
    return result;
}

/* One game after the other. If a table is being changed at this moment, the whole job is refused and retried later. */
enum store_result store_forget_games(struct store_db *db, int64_t visitor,
    bool (*rewrite)(int64_t visitor, unsigned seat, char **config, char **lines), bool *left)
{
    static const enum store_statement ends[] = { DROP_SEATS_OF, DROP_LEAVING, DROP_OLD_VISITOR };
    struct lefts lefts = { .count = 0 };
    enum store_result result = store_each_game_of(db, visitor, STORE_ALL_GAMES, FORGET_AT_ONCE, false, take_left, &lefts);
    *left = lefts.count == FORGET_AT_ONCE;
    for (unsigned i = 0; i < lefts.count && !result; i++) {
        result = rename_in(db, visitor, &lefts.at[i], rewrite);
        if (result == STORE_MISSING)
            result = STORE_OK;
        if (!result)                         /* analyses contain names, too, and are made again on request */
            result = change(db, NOW, STORE_OK, DROP_REPORTS, lefts.at[i].table);
        if (!result)
            result = change(db, NOW, STORE_OK, DROP_SEAT, lefts.at[i].table, (int64_t)lefts.at[i].seat);
    }
    if (!result && !*left)
        result = change_all(db, ends, sizeof ends / sizeof *ends, visitor);
    return result;
}

enum store_result store_next_leaving(struct store_db *db, int64_t *visitor)
{
    return get_number(db, ask(db, NEXT_LEAVING), 0, visitor);
}

enum store_result store_rename_player(struct store_db *db, int64_t table, unsigned seat,
    char *(*renamed)(const char *lines, unsigned seat))
{
    enum store_result result = ask(db, FIRST_LINES, table);
    if (result || (result = next(db)))
        return at_end(result);
    char *lines = take_text(db, 0), *text = lines ? renamed(lines, seat) : NULL, code[16] = "";
    int64_t revision = 0;
    if (text)
        result = get_number(db, ask(db, RAISE_REVISION, table), 0, &revision);
    if (text && !result)
        result = change(db, NOW, STORE_FAILED, PUT_FIRST_LINES, table, text, strlen(text));
    if (text && !result && !(result = ask(db, CODE_OF_TABLE, table)) && !(result = next(db))) {
        copy_text(db, 0, code, sizeof code);
        finish(db);
        announce(db, code, revision);
    }
    free(text);
    free(lines);
    return lines ? at_end(result) : STORE_NO_ROOM;
}
