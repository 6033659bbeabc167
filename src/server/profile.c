/*
 * profile.c: profiles, their secret addresses, ratings, and how the people at a table did against each other.
 *
 * A profile is computed from the rows of a visitor's last STORE_PAST games when it is requested: nothing is stored
 * that could disagree with the games. The results of an analysis are in these rows once that game has been analysed.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/luck.h>
#include <pyramids/rating.h>

#include "profile.h"

#define RECENT 200               /* games that are listed one by one */
#define RIVALS 30                /* people that are listed */
#define FORM 20                  /* analysed games from which the present error rate is computed, and as many for the one
                                    before */
#define LINK_LETTERS 26          /* of 32 each: 130 bits */
#define PAGE 50                  /* rows of the leaderboard at once */
#define MOST_PLACES 1000         /* that can be requested */

static const char *const colours[] = { "green", "orange", "purple" };

struct past {
    char code[16];
    int64_t made;
    int32_t points;
    float share;
    uint8_t place, players, people;
    uint32_t pyramids;
    double luck, rate;
};

struct profile_job {
    struct store_job job;
    struct request *request;
    bool is_shared;              /* requested by its secret address: `hash` */
    uint8_t hash[32];
    struct store_visitor visitor;
    bool has_link;
    struct store_statistics statistics;
    struct store_rating rating;
    bool has_rating;
    unsigned better;
    struct store_rival rival[RIVALS];
    unsigned rivals;
    unsigned count;
    struct past past[STORE_PAST];        /* latest first */
};

static bool take_past(void *context, const struct store_past *past)
{
    struct profile_job *profile = context;
    struct past *to = &profile->past[profile->count++];
    *to = (struct past){ .made = past->seat.made, .points = past->seat.points, .share = past->seat.share,
        .place = past->seat.place, .players = (uint8_t)(1 + past->seat.people + past->seat.bots),
        .people = past->seat.people, .pyramids = past->seat.pyramids, .luck = past->luck, .rate = past->rate };
    memcpy(to->code, past->code, sizeof to->code);
    return profile->count < STORE_PAST;
}

static enum store_result run_profile(struct store_db *db, struct store_job *job)
{
    struct profile_job *profile = (struct profile_job *)job;
    enum store_result result = profile->is_shared ? store_get_link(db, profile->hash, &profile->visitor) :
        store_get_visitor_by_id(db, profile->visitor.id, &profile->visitor);
    int64_t id = profile->visitor.id;
    profile->count = 0;
    if (!result)
        result = store_get_statistics(db, id, &profile->statistics);
    if (!result)
        result = store_each_game_of(db, id, STORE_ALL_GAMES, STORE_PAST, false, take_past, profile);
    if (!result && !profile->is_shared)
        result = store_get_rivals(db, id, profile->rival, RIVALS, &profile->rivals);
    if (!result && !profile->is_shared)
        result = store_has_link(db, id, &profile->has_link);
    if (result)
        return result;
    result = store_get_rating(db, id, &profile->rating, &profile->better);
    profile->has_rating = result == STORE_OK;
    return result == STORE_MISSING ? STORE_OK : result;
}

/* A number without meaningless digits. */
static json_t *rounded(double value, double per)
{
    double scaled = value * per;
    return json_real((double)(long long)(scaled < 0 ? scaled - 0.5 : scaled + 0.5) / per);
}

/* With fewer than PYR_RATING_GAMES games no number is sent. place 0: not sent. */
static json_t *rating_json(const struct store_rating *stored, unsigned place)
{
    const struct pyr_rating rating = { stored->mu, stored->sigma };
    json_t *json = json_pack("{sI}", "games", (json_int_t)stored->games);
    if (stored->games < PYR_RATING_GAMES)
        return json;
    json_object_set_new(json, "value", json_integer(pyr_rating_value(&rating)));
    json_object_set_new(json, "deviation", json_integer(pyr_rating_deviation(&rating)));
    json_object_set_new(json, "provisional", json_boolean(pyr_rating_is_provisional(&rating)));
    if (place)
        json_object_set_new(json, "place", json_integer(place));
    return json;
}

static json_t *pyramids_json(const uint32_t count[PYR_COLOURS])
{
    json_t *json = json_object();
    for (unsigned c = 0; c < PYR_COLOURS; c++)
        json_object_set_new(json, colours[c], json_integer(count[c]));
    return json;
}

static json_t *past_json(const struct past *past)
{
    uint32_t count[PYR_COLOURS];
    for (unsigned c = 0; c < PYR_COLOURS; c++)
        count[c] = past->pyramids >> 8 * c & 255;
    json_t *json = json_pack("{ss sI si si si si so sb}", "code", past->code, "made", (json_int_t)past->made, "points",
        (int)past->points, "place", (int)past->place, "players", (int)past->players, "people", (int)past->people,
        "pyramids", pyramids_json(count), "won", past->share > 0);
    if (past->rate > STORE_NOT_JUDGED) {
        json_object_set_new(json, "luck", rounded(past->luck, 100));
        json_object_set_new(json, "error_rate", rounded(past->rate, 10000));
    }
    return json;
}

/* The mean error rate of `FORM` analysed games after the first `skip` of them; -1: there are too few. */
static double form(const struct profile_job *profile, unsigned skip, unsigned *games)
{
    double sum = 0;
    *games = 0;
    for (unsigned i = 0; i < profile->count && *games < FORM; i++) {
        if (profile->past[i].rate <= STORE_NOT_JUDGED)
            continue;
        if (skip) {
            skip--;
            continue;
        }
        sum += profile->past[i].rate;
        ++*games;
    }
    return *games ? sum / *games : -1;
}

/* Sums over all games: error rate with its trend, luck, the best game, pyramids by colour. */
static void add_sums(json_t *json, const struct profile_job *profile)
{
    uint32_t count[PYR_COLOURS] = { 0 };
    const struct past *best = NULL;
    unsigned judged = 0, now, before, most = 0;
    double luck = 0, rate = form(profile, 0, &now), earlier = form(profile, FORM, &before);
    for (unsigned i = 0; i < profile->count; i++) {
        const struct past *past = &profile->past[i];
        for (unsigned c = 0; c < PYR_COLOURS; c++)
            count[c] += past->pyramids >> 8 * c & 255;
        if (past->rate > STORE_NOT_JUDGED) {
            luck += past->luck;
            judged++;
        }
        if (!best || past->points > best->points)
            best = past;
    }
    for (unsigned c = 1; c < PYR_COLOURS; c++)
        if (count[c] > count[most])
            most = c;
    json_object_set_new(json, "pyramids", pyramids_json(count));
    if (count[most])
        json_object_set_new(json, "colour", json_string(colours[most]));
    if (best)
        json_object_set_new(json, "best", past_json(best));
    if (!judged)
        return;
    json_object_set_new(json, "luck", json_pack("{so si}", "average", rounded(luck / judged, 100), "games", (int)judged));
    json_t *error = json_pack("{so si ss}", "value", rounded(rate, 10000), "games", (int)now, "level",
        pyr_luck_level((float)rate));
    if (before >= 5)
        json_object_set_new(error, "before", rounded(earlier, 10000));
    json_object_set_new(json, "error_rate", error);
}

static json_t *profile_json(const struct profile_job *profile)
{
    json_t *levels = json_array(), *people = json_array(), *recent = json_array();
    double wins = 0;
    json_int_t games = 0;
    for (unsigned i = 0; i < profile->statistics.count; i++) {
        const struct store_tally *tally = &profile->statistics.tally[i];
        wins += tally->wins;
        games += tally->games;
        json_array_append_new(levels, json_pack("{ss sI so so si}", "against", tally->level[0] ? tally->level : "people",
            "games", (json_int_t)tally->games, "wins", rounded(tally->wins, 100), "points", rounded(tally->points, 1),
            "best", (int)tally->best));
    }
    for (unsigned i = 0; i < profile->rivals; i++) {
        const struct store_rival *rival = &profile->rival[i];
        json_array_append_new(people, json_pack("{ss si si si sI}", "name", rival->name, "won", (int)rival->won, "equal",
            (int)(rival->games - rival->won - rival->lost), "lost", (int)rival->lost, "last", (json_int_t)rival->last));
    }
    for (unsigned i = 0; i < profile->count && i < RECENT; i++)
        json_array_append_new(recent, past_json(&profile->past[i]));
    json_t *json = json_pack("{ss sI sI so so so}", "name", profile->visitor.name, "since",
        (json_int_t)profile->visitor.created, "games", games, "wins", rounded(wins, 100), "against", levels, "recent",
        recent);
    if (profile->is_shared) {
        json_decref(people);
    } else {
        json_object_set_new(json, "people", people);
        json_object_set_new(json, "shared", json_boolean(profile->has_link));
    }
    if (profile->has_rating)
        json_object_set_new(json, "rating", rating_json(&profile->rating, 1 + profile->better));
    add_sums(json, profile);
    return json_pack("{so}", "profile", json);
}

static void profile_done(struct store_job *job, enum store_result result)
{
    struct profile_job *profile = (struct profile_job *)job;
    struct request *request = profile->request;
    if (profile->is_shared && result == STORE_MISSING)
        address_guessed(request->server, request->address);
    if (request_back(request)) {
        if (result)
            request_error(request, result == STORE_MISSING ? ERROR_NOT_FOUND : ERROR_STORAGE, "");
        else
            answer_json(request, 200, profile_json(profile));
    }
    free(profile);
}

static struct profile_job *new_profile(struct request *request)
{
    struct profile_job *profile = calloc(1, sizeof *profile);
    if (!profile) {
        request_error(request, ERROR_STORAGE, "");
        return NULL;
    }
    profile->request = request;
    return profile;
}

void get_my_profile(struct request *request)
{
    struct profile_job *profile = new_profile(request);
    if (!profile)
        return;
    profile->visitor.id = (int64_t)request->visitor->node.key;
    request_submit(request, &profile->job, run_profile, profile_done);
}

/* Secret addresses are too long to be guessed; guessing is limited as for codes of tables. */
void get_profile(struct request *request)
{
    char key[LINK_LETTERS + 1];
    if (!address_may_guess(request->server, request->address)) {
        request_error(request, ERROR_TOO_FAST, "");
        return;
    }
    if (!code_read(request->word, key, LINK_LETTERS)) {
        address_guessed(request->server, request->address);
        request_error(request, ERROR_NOT_FOUND, "");
        return;
    }
    struct profile_job *profile = new_profile(request);
    if (!profile)
        return;
    profile->is_shared = true;
    crypto_hash_sha256(profile->hash, (const unsigned char *)key, LINK_LETTERS);
    request_submit(request, &profile->job, run_profile, profile_done);
}

/* The address. */

struct link_job {
    struct store_job job;
    struct request *request;
    int64_t visitor, now;
    bool is_new;
    uint8_t hash[32];
    char key[LINK_LETTERS + 1];
};

static enum store_result run_link(struct store_db *db, struct store_job *job)
{
    struct link_job *link = (struct link_job *)job;
    return link->is_new ? store_put_link(db, link->hash, link->visitor, link->now) : store_drop_link(db, link->visitor);
}

static void link_done(struct store_job *job, enum store_result result)
{
    struct link_job *link = (struct link_job *)job;
    struct request *request = link->request;
    if (request_back(request)) {
        if (result)
            request_error(request, ERROR_STORAGE, "");
        else
            answer_json(request, 200, link->is_new ? json_pack("{ss}", "key", link->key) : json_object());
    }
    sodium_memzero(link->key, sizeof link->key);
    free(link);
}

static void submit_link(struct request *request, bool is_new)
{
    struct link_job *link = calloc(1, sizeof *link);
    if (!link) {
        request_error(request, ERROR_STORAGE, "");
        return;
    }
    link->request = request;
    link->visitor = (int64_t)request->visitor->node.key;
    link->now = server_time();
    link->is_new = is_new;
    code_draw(link->key, LINK_LETTERS);
    crypto_hash_sha256(link->hash, (const unsigned char *)link->key, LINK_LETTERS);
    request_submit(request, &link->job, run_link, link_done);
}

void post_profile_link(struct request *request)
{
    if (!read_empty_body(request))
        return;
    submit_link(request, true);
}

void delete_profile_link(struct request *request) { submit_link(request, false); }

/* The leaderboard. */

struct ratings_job {
    struct store_job job;
    struct request *request;
    int64_t visitor;             /* the visitor of the request; 0: unknown */
    unsigned from, count, first, better;     /* first: the place of the first row */
    bool has_own;
    struct store_rating own, row[PAGE + 1];
};

static enum store_result run_ratings(struct store_db *db, struct store_job *job)
{
    struct ratings_job *ratings = (struct ratings_job *)job;
    enum store_result result = store_get_ratings(db, ratings->from, ratings->row, PAGE + 1, &ratings->count);
    ratings->first = ratings->from + 1;
    if (!result && ratings->count && ratings->from)
        result = store_count_stronger(db, ratings->row[0].mu, &ratings->first);
    ratings->first += ratings->count && ratings->from;
    if (result || !ratings->visitor)
        return result;
    result = store_get_rating(db, ratings->visitor, &ratings->own, &ratings->better);
    ratings->has_own = result == STORE_OK;
    return result == STORE_MISSING ? STORE_OK : result;
}

static void ratings_done(struct store_job *job, enum store_result result)
{
    struct ratings_job *ratings = (struct ratings_job *)job;
    struct request *request = ratings->request;
    if (!request_back(request)) {
        free(ratings);
        return;
    }
    json_t *rows = json_array();
    unsigned place = ratings->first;
    for (unsigned i = 0; i < ratings->count && i < PAGE; i++) {
        const struct store_rating *row = &ratings->row[i];
        if (i && row->mu < ratings->row[i - 1].mu)
            place = ratings->from + i + 1;
        json_t *one = rating_json(row, place);
        json_object_set_new(one, "name", json_string(row->name));
        if (ratings->visitor == row->visitor)
            json_object_set_new(one, "you", json_true());
        json_array_append_new(rows, one);
    }
    json_t *json = json_pack("{so si}", "ratings", rows, "least", PYR_RATING_GAMES);
    if (ratings->has_own)
        json_object_set_new(json, "you", rating_json(&ratings->own, 1 + ratings->better));
    if (ratings->count > PAGE && ratings->from + PAGE < MOST_PLACES)
        json_object_set_new(json, "next", json_integer(ratings->from + PAGE));
    if (result) {
        json_decref(json);
        request_error(request, ERROR_STORAGE, "");
    } else {
        answer_json(request, 200, json);
    }
    free(ratings);
}

/* ?from=50 skips that many rows. */
void get_ratings(struct request *request)
{
    char text[8];
    bool is_given = request_query(request, "from", text, sizeof text);
    bool is_wrong = is_given && (!text[0] || strspn(text, "0123456789") != strlen(text));
    unsigned long from = is_given ? strtoul(text, NULL, 10) : 0;
    struct ratings_job *ratings = calloc(1, sizeof *ratings);
    if (!ratings || is_wrong || from >= MOST_PLACES) {
        request_error(request, ratings ? ERROR_BAD_MESSAGE : ERROR_STORAGE, ratings ? "from" : "");
        free(ratings);
        return;
    }
    ratings->request = request;
    ratings->visitor = request->visitor ? (int64_t)request->visitor->node.key : 0;
    ratings->from = (unsigned)from;
    request_submit(request, &ratings->job, run_ratings, ratings_done);
}

/* The people at a table. */

struct people_job {
    struct store_job job;
    struct request *request;
    int64_t visitor;             /* the visitor of the request; 0: unknown */
    unsigned count;
    struct {
        unsigned seat;
        int64_t visitor;
        char name[NAME_SIZE];
        struct store_rival rival;
        struct store_rating rating;
        bool has_rating;
    } at[PYR_MAX_SEATS];
};

static enum store_result run_people(struct store_db *db, struct store_job *job)
{
    struct people_job *people = (struct people_job *)job;
    enum store_result result = STORE_OK;
    unsigned better;
    for (unsigned i = 0; i < people->count && !result; i++) {
        if (people->visitor && people->visitor != people->at[i].visitor)
            result = store_get_rivalry(db, people->visitor, people->at[i].visitor, &people->at[i].rival);
        if (result)
            break;
        result = store_get_rating(db, people->at[i].visitor, &people->at[i].rating, &better);
        people->at[i].has_rating = result == STORE_OK;
        result = result == STORE_MISSING ? STORE_OK : result;
    }
    return result;
}

static void people_done(struct store_job *job, enum store_result result)
{
    struct people_job *people = (struct people_job *)job;
    struct request *request = people->request;
    if (!request_back(request)) {
        free(people);
        return;
    }
    json_t *list = json_array();
    for (unsigned i = 0; i < people->count; i++) {
        const struct store_rival *rival = &people->at[i].rival;
        json_t *one = json_pack("{si ss}", "seat", (int)people->at[i].seat + 1, "name", people->at[i].name);
        if (people->visitor == people->at[i].visitor) {
            json_object_set_new(one, "you", json_true());
        } else if (people->visitor) {
            json_object_set_new(one, "won", json_integer(rival->won));
            json_object_set_new(one, "equal", json_integer(rival->games - rival->won - rival->lost));
            json_object_set_new(one, "lost", json_integer(rival->lost));
        }
        if (people->at[i].has_rating)
            json_object_set_new(one, "rating", rating_json(&people->at[i].rating, 0));
        json_array_append_new(list, one);
    }
    if (result) {
        json_decref(list);
        request_error(request, ERROR_STORAGE, "");
    } else {
        answer_json(request, 200, json_pack("{so}", "people", list));
    }
    free(people);
}

static void people_at(struct request *request, struct table *table)
{
    struct people_job *people = calloc(1, sizeof *people);
    if (!people) {
        request_error(request, ERROR_STORAGE, "");
        return;
    }
    people->request = request;
    people->visitor = request->visitor ? (int64_t)request->visitor->node.key : 0;
    for (unsigned s = 0; s < table->now.seats; s++) {
        const struct seat *seat = &table->now.seat[s];
        if (seat->kind != SEAT_PERSON || !seat->visitor)
            continue;
        people->at[people->count].seat = s;
        people->at[people->count].visitor = seat->visitor;
        memcpy(people->at[people->count++].name, seat->name, NAME_SIZE);
    }
    request_submit(request, &people->job, run_people, people_done);
}

void get_people(struct request *request) { with_table(request, people_at); }
