/*
 * history.c: the finished games of a visitor, page by page, and their records.
 *
 * Rows are read from an index by the time at which games ended, so a page costs as much for the first as for the last.
 * Names are in the configs of tables: a search reads up to LOOKED of them per request and returns where to continue, even
 * if it has found nothing yet.
 *
 * The results become JSON in the store's thread, within `run`, and are handed over as a whole.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "profile.h"

#define PAGE 50                  /* games of a page */
#define LOOKED 1000              /* games that a search reads per request */
#define RECORDS 20               /* of a page, about 8 KB each */
#define NEEDLE 256               /* bytes of a search text; the page sends at most 60 characters */

enum filter { FILTER_ALL, FILTER_WON, FILTER_PEOPLE, FILTER_BOTS, FILTER_ANALYSED, FILTER_DAILY, FILTERS };
static const char *const filters[FILTERS] = { "all", "won", "people", "bots", "analysed", "daily" };

struct history_job {
    struct store_job job;
    struct request *request;
    int64_t visitor;
    bool wants_records;
    enum filter filter;
    char *needle;                /* folded; NULL: all games. Of malloc */
    struct store_place_of_game from;
    char from_code[CODE_SIZE + 1];           /* the game that `from` is; "": from the first */
    json_t *list;
    unsigned looked, most;
    bool is_short;               /* there was no memory */
    int64_t table[RECORDS];      /* of the listed games, if records are wanted */
    char next[48];               /* where the next page begins; "": there is none */
};

/* Text in the form in which it is compared: without case and similar variants. NULL without memory. */
static char *fold(const char *text)
{
    return (char *)utf8proc_NFKC_Casefold((const utf8proc_uint8_t *)text);
}

/* Whether a name, a level or the code contains the search text. */
static bool has_needle(const struct history_job *history, const char *text)
{
    char *folded = text ? fold(text) : NULL;
    bool has = folded && strstr(folded, history->needle);
    free(folded);
    return has;
}

static bool is_found(const struct history_job *history, const struct store_past *past, const json_t *seats)
{
    size_t i;
    json_t *seat;
    if (!history->needle || has_needle(history, past->code))
        return true;
    json_array_foreach(seats, i, seat)
        if (i != past->seat.seat && (has_needle(history, json_string_value(json_object_get(seat, "name"))) ||
            has_needle(history, json_string_value(json_object_get(seat, "level")))))
            return true;
    return false;
}

static bool fits(const struct history_job *history, const struct store_past *past)
{
    switch (history->filter) {
    case FILTER_WON:
        return past->seat.share > 0;
    case FILTER_PEOPLE:
        return past->seat.people > 0;
    case FILTER_BOTS:
        return past->seat.bots > 0;
    case FILTER_ANALYSED:
        return past->rate > STORE_NOT_JUDGED;
    default:
        return true;
    }
}

static double rounded(double value, double per)
{
    double scaled = value * per;
    return (double)(long long)(scaled < 0 ? scaled - 0.5 : scaled + 0.5) / per;
}

/* The players according to the config, as others may see them. */
static json_t *seats_json(const json_t *seats, const json_t *points)
{
    json_t *list = json_array(), *seat;
    size_t i;
    json_array_foreach(seats, i, seat) {
        json_t *one = json_object(), *level = json_object_get(seat, "level"), *score = json_array_get(points, i);
        json_object_set(one, "name", json_object_get(seat, "name"));
        json_object_set(one, "kind", json_object_get(seat, "kind"));
        if (level)
            json_object_set(one, "level", level);
        if (score)
            json_object_set(one, "points", score);
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *game_json(const struct store_past *past, json_t *config)
{
    json_t *json = json_pack("{ss sI si si si si si sb s[iii] sO* so}", "code", past->code, "made",
        (json_int_t)past->seat.made, "you", past->seat.seat + 1, "points", (int)past->seat.points, "place",
        (int)past->seat.place, "people", (int)past->seat.people, "bots", (int)past->seat.bots, "won", past->seat.share > 0,
        "pyramids", (int)(past->seat.pyramids & 255), (int)(past->seat.pyramids >> 8 & 255),
        (int)(past->seat.pyramids >> 16 & 255), "edition", json_object_get(config, "edition"), "seats",
        seats_json(json_object_get(config, "seats"), json_object_get(config, "points")));
    if (json_object_get(config, "day"))
        json_object_set_new(json, "daily", json_true());
    if (past->rate > STORE_NOT_JUDGED) {
        json_object_set_new(json, "luck", json_real(rounded(past->luck, 100)));
        json_object_set_new(json, "error_rate", json_real(rounded(past->rate, 10000)));
    }
    return json;
}

/* If one game more is found than fits, there is a next page. */
static bool take_game(void *context, const struct store_past *past)
{
    struct history_job *history = context;
    size_t count = json_array_size(history->list);
    if (count == history->most)
        return false;
    history->looked++;
    snprintf(history->next, sizeof history->next, "%" PRId64 ".%s", past->seat.made, past->code);
    if (!fits(history, past))
        return true;
    json_t *config = object_load(past->config, strlen(past->config));
    bool is_meant = history->filter != FILTER_DAILY || json_object_get(config, "day");
    if (is_meant && is_found(history, past, json_object_get(config, "seats"))) {
        json_t *json = config ? game_json(past, config) : NULL;
        if (history->wants_records)
            history->table[count] = past->seat.table;
        if (json && json_array_append_new(history->list, json))
            history->is_short = true;
    }
    json_decref(config);
    return true;
}

static enum store_result add_records(struct store_db *db, struct history_job *history)
{
    enum store_result result = STORE_OK;
    for (size_t i = 0; i < json_array_size(history->list) && !result; i++) {
        char *text = NULL;
        size_t size;
        result = store_get_lines(db, history->table[i], &text, &size);
        if (!result && json_object_set_new(json_array_get(history->list, i), "record", json_stringn(text, size)))
            history->is_short = true;
        free(text);
    }
    return result;
}

static enum store_result run_history(struct store_db *db, struct store_job *job)
{
    struct history_job *history = (struct history_job *)job;
    unsigned most = history->needle || history->filter ? LOOKED : history->most + 1;
    struct store_place_of_game from = history->from;
    enum store_result result = STORE_OK;
    json_decref(history->list);              /* it may be run twice */
    history->list = json_array();
    history->looked = 0;
    history->next[0] = '\0';
    if (history->from_code[0]) {             /* after a game that no longer exists, those of the same second are skipped */
        struct store_table row = { 0 };
        result = store_get_table(db, history->from_code, &row);
        from.table = row.id;
        result = result == STORE_MISSING ? STORE_OK : result;
    }
    if (!result)
        result = store_each_game_of(db, history->visitor, from, most, true, take_game, history);
    bool is_all = history->looked < most && json_array_size(history->list) < history->most;
    if (is_all || (!history->needle && !history->filter && history->looked < history->most))
        history->next[0] = '\0';
    if (!result && history->wants_records)
        result = add_records(db, history);
    return result ? result : history->is_short ? STORE_NO_ROOM : STORE_OK;
}

static void history_done(struct store_job *job, enum store_result result)
{
    struct history_job *history = (struct history_job *)job;
    struct request *request = history->request;
    if (request_back(request)) {
        if (result) {
            request_error(request, ERROR_STORAGE, "");
        } else {
            json_t *json = json_pack("{sO}", "games", history->list);
            if (history->next[0])
                json_object_set_new(json, "next", json_string(history->next));
            answer_json(request, 200, json);
        }
    }
    json_decref(history->list);
    free(history->needle);
    free(history);
}

/* A position in the list as an earlier answer has given it: time, dot, code. */
static bool read_before(struct history_job *history, const char *text)
{
    char *end;
    history->from.made = strtoll(text, &end, 10);
    return end > text && *end == '.' && history->from.made > 0 && table_is_code(end + 1) &&
        memcpy(history->from_code, end + 1, CODE_SIZE + 1);
}

/* Members of a query with invalid values are refused; unknown ones are ignored. */
static const char *read_query(struct history_job *history)
{
    char text[NEEDLE];
    const struct request *request = history->request;
    if (request_query(request, "before", text, sizeof text) && !read_before(history, text))
        return "before";
    if (request_query(request, "filter", text, sizeof text)) {
        while (history->filter < FILTERS && strcmp(text, filters[history->filter]))
            history->filter++;
        if (history->filter == FILTERS)
            return "filter";
    }
    enum member search = request_query(request, "search", text, sizeof text);
    if (search == MEMBER_WRONG)
        return "search";
    if (!text[0])
        return NULL;
    history->needle = fold(text);
    return history->needle ? NULL : "search";            /* not UTF-8 */
}

static void ask_history(struct request *request, bool wants_records)
{
    struct history_job *history = calloc(1, sizeof *history);
    if (!history) {
        request_error(request, ERROR_STORAGE, "");
        return;
    }
    history->request = request;
    history->visitor = (int64_t)request->visitor->node.key;
    history->from = STORE_ALL_GAMES;
    history->wants_records = wants_records;
    history->most = wants_records ? RECORDS : PAGE;
    const char *wrong = read_query(history);
    if (wrong) {
        request_error(request, ERROR_BAD_MESSAGE, wrong);
        free(history->needle);
        free(history);
        return;
    }
    request_submit(request, &history->job, run_history, history_done);
}

void get_my_games(struct request *request) { ask_history(request, false); }
void get_my_records(struct request *request) { ask_history(request, true); }
