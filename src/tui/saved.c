/* saved.c: see saved.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/builtin.h>

#include "saved.h"
#include "words.h"

#define MOST_BYTES (1 << 20)     /* of a saved game or an edition */

/* Tags. */

bool saved_tag(const char *text, const char *tag, char *to, size_t size)
{
    size_t length = strlen(tag);
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        if (!strncmp(line, tag, length)) {
            size_t value = strcspn(line + length, "\r\n");
            snprintf(to, size, "%.*s", (int)(value < size ? value : size - 1), line + length);
            return true;
        }
    }
    return false;
}

bool saved_seats(const char *text, unsigned seats, unsigned *people, const struct pyr_bot **bot)
{
    unsigned found = 0, seat = 0;
    const struct pyr_bot *bots[PYR_MAX_SEATS] = { NULL };
    char list[256], *rest = NULL;
    if (!saved_tag(text, "tag seats ", list, sizeof list))
        return false;
    for (char *word = strtok_r(list, ",", &rest); word && seat < PYR_MAX_SEATS; word = strtok_r(NULL, ",", &rest), seat++) {
        if (!strcmp(word, "person"))
            found |= 1u << seat;
        else if (!(bots[seat] = pyr_bot_find(word)))
            return false;
    }
    if (seat != seats || !found)
        return false;
    *people = found;
    memcpy(bot, bots, sizeof bots);
    return true;
}

static void tag_seats(struct pyr_match *match, unsigned seats, unsigned people, const struct pyr_bot *const *bot)
{
    char list[256] = "";
    for (unsigned s = 0; s < seats; s++) {
        const char *player = people >> s & 1 ? "person" : bot[s] ? bot[s]->name : "";
        if (!player[0])
            return;                          /* nobody knows who this was */
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", s ? "," : "", player);
    }
    pyr_match_tag(match, "seats", list);
}

void saved_claim(struct pyr_match *match, unsigned people, const struct pyr_bot *const *bot)
{
    char list[256];
    if (!saved_tag(match->log.text, "tag seats ", list, sizeof list))
        tag_seats(match, match->replay.seats, people, bot);
}

enum pyr_err saved_begin(struct pyr_match *match, const struct pyr_edition *edition, const struct seating *seating,
    uint64_t seed)
{
    struct pyr_rng rng;
    struct pyr_chance chance;
    const char *names[PYR_MAX_SEATS];
    char number[32];
    for (unsigned s = 0; s < seating->players; s++)
        names[s] = seating->names[s];
    pyr_rng_seed(&rng, seed, 0);
    pyr_chance_draw(&chance, &edition->box, seating->players, &rng);
    enum pyr_err err = pyr_match_begin(match, edition, seating->players, names);
    if (err)
        return err;
    snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
    pyr_match_tag(match, "seed", number);
    tag_seats(match, seating->players, seating->people, seating->bot);
    if (seating->edition_file[0])
        pyr_match_tag(match, "edition-file", seating->edition_file);
    return pyr_match_deal(match, &chance);
}

/* Loading and writing. */

bool saved_edition(const struct pyr_edition *asked, const char *text, size_t size, struct pyr_edition *edition)
{
    struct pyr_word word;
    char name[PYR_MAX_NAME + 1], path[PATH_MAX];
    if (!pyr_record_edition_name(text, size, &word))
        return false;
    pyr_word_copy(word, name, sizeof name);
    if (!strcmp(name, asked->name)) {
        *edition = *asked;
        return true;
    }
    const char *built_in = pyr_builtin_edition(name);
    if (built_in)
        return !pyr_edition_read(edition, built_in, strlen(built_in), NULL);
    if (!saved_tag(text, "tag edition-file ", path, sizeof path))
        return false;
    size_t length;
    char *file = save_read(path, MOST_BYTES, &length);
    bool good = file && !pyr_edition_read(edition, file, length, NULL);
    free(file);
    return good;
}

/* Seals the choices again that the comments of a game name. */
static void seal(struct pyr_match *match, const char *text)
{
    for (const char *line = strstr(text, "\n; sealed "); line; line = strstr(line + 1, "\n; sealed ")) {
        unsigned seat = (unsigned)(line[10] - '1');
        char choice[512];
        if (seat >= match->replay.seats || line[11] != ' ')
            continue;
        snprintf(choice, sizeof choice, "%.*s", (int)strcspn(line + 12, "\r\n"), line + 12);
        /* The last one in would end the phase, as it did when it was made. */
        if (!pyr_match_choose(match, (pyr_seat)seat, choice, NULL) && pyr_match_is_ready(match, (pyr_seat)seat))
            pyr_match_confirm(match, (pyr_seat)seat);
    }
}

bool saved_load(struct pyr_match *match, const struct pyr_edition *edition, const char *text, size_t size, uint64_t *seed,
    struct pyr_fault *fault)
{
    char value[32];
    struct pyr_rng rng;
    uint64_t new_seed = *seed;
    if (pyr_match_load(match, edition, text, size, PYR_NOBODY, fault))
        return false;
    unsigned seats = match->replay.seats;
    if (match->replay.stage < PYR_STAGE_PLAY) {
        *fault = (struct pyr_fault){ .code = PYR_ERR_PHASE };
        return false;
    }
    bool supplied = false;
    if (saved_tag(text, "tag seed ", value, sizeof value) && value[0] >= '0' && value[0] <= '9') {
        struct pyr_chance chance;
        *seed = strtoull(value, NULL, 10);
        pyr_rng_seed(&rng, *seed, 0);
        pyr_chance_draw(&chance, &edition->box, seats, &rng);
        supplied = !memcmp(chance.dealt, match->replay.state.hidden.dealt, seats * sizeof *chance.dealt);
        if (supplied)
            pyr_match_supply(match, &chance);
    }
    if (!supplied || (!pyr_match_waiting(match) && !pyr_match_is_over(match))) {
        pyr_rng_seed(&rng, new_seed, 2);
        pyr_match_shuffle(match, &rng);
    }
    seal(match, text);
    return true;
}

void saved_choice(const struct pyr_match *match, pyr_seat seat, char *to, size_t size)
{
    struct pyr_out out;
    pyr_out_init(&out, to, size);
    pyr_game_write_choice(&match->game, seat, &out);
}

bool saved_write(const struct save *save, const struct pyr_match *match)
{
    size_t length = match->log.start[match->log.lines], room = length + PYR_MAX_SEATS * 600;
    char *text = malloc(room);
    if (!text)
        return false;
    memcpy(text, match->log.text, length);
    for (unsigned s = 0; s < match->replay.seats; s++) {
        if (match->choice[s].confirmed) {
            char choice[512];
            saved_choice(match, (pyr_seat)s, choice, sizeof choice);
            length += (size_t)snprintf(text + length, room - length, "; sealed %u %s\n", s + 1, choice);
        }
    }
    bool good = save_write(save->path, text, length);
    free(text);
    return good;
}

/* Playing. */

bool saved_is_begun(const struct pyr_match *match, unsigned people)
{
    bool sealed = false;
    for (unsigned s = 0; s < match->replay.seats; s++)
        sealed = sealed || (people >> s & 1 && match->choice[s].confirmed);
    return sealed || match->replay.stage != PYR_STAGE_PLAY || match->replay.state.open.phase != PYR_KEEP;
}

void saved_bot_rng(struct pyr_rng *rng, uint64_t seed, const struct pyr_match *match, pyr_seat seat)
{
    pyr_rng_seed(rng, seed, 16 + ((uint64_t)match->log.lines * PYR_MAX_SEATS + seat) * 64 + match->choice[seat].count);
}

bool saved_is_seen(const struct pyr_match *match, uint32_t lines, unsigned people)
{
    for (uint32_t i = lines; i < match->log.lines; i++) {
        struct pyr_lines reader;
        struct pyr_event event;
        struct pyr_word word = pyr_match_line(match, i);
        pyr_lines_init(&reader, word.at, word.length);
        if (!pyr_lines_next(&reader, false) || !pyr_event_read(match->edition, &reader, &event))
            continue;
        if (event.kind == PYR_EVENT_DRAW || (event.kind == PYR_EVENT_TAKE && people >> event.seat & 1))
            return true;
    }
    return false;
}

/* The list of unfinished games. */

/* Whether a person has sealed a choice in a game whose first cards are still being chosen. */
static bool is_begun(const char *text, unsigned people)
{
    for (const char *line = strstr(text, "\n; sealed "); line; line = strstr(line + 1, "\n; sealed "))
        if (line[10] >= '1' && line[10] < '1' + PYR_MAX_SEATS && people >> (line[10] - '1') & 1)
            return true;
    return false;
}

/* What the list says of a game; false if it is finished, not one of ours, or if nobody has chosen anything in it. */
static bool describe(const struct pyr_edition *asked, struct pyr_edition *edition, const char *text, size_t size,
    struct saved_game *game)
{
    struct pyr_replay replay;
    struct pyr_word words[PYR_MAX_SEATS];
    const struct pyr_bot *bot[PYR_MAX_SEATS];
    char names[PYR_MAX_SEATS][PYR_MAX_PLAYER_NAME + 1];
    pyr_replay_init(&replay, PYR_NOBODY);
    if (strstr(text, "\nwinner ") || !saved_edition(asked, text, size, edition) ||
        pyr_record_read(edition, &replay, text, size, NULL) || replay.stage != PYR_STAGE_PLAY ||
        !saved_seats(text, replay.seats, &game->people, bot) ||
        (replay.state.open.phase == PYR_KEEP && !is_begun(text, game->people)))
        return false;
    unsigned count = pyr_record_player_names(text, size, words);
    for (unsigned s = 0; s < count; s++)
        pyr_text_player(words[s], names[s], sizeof names[s]);
    words_names((1u << count) - 1, names, game->players, sizeof game->players);
    words_turn(&replay.state.open, game->turn, sizeof game->turn);
    return true;
}

unsigned saved_list(const struct pyr_edition *asked, struct saved_game **list)
{
    struct save_entry *entry = NULL;
    size_t files = save_entries(&entry);
    unsigned count = 0;
    struct pyr_edition *edition = malloc(sizeof *edition);
    *list = files ? calloc(files, sizeof **list) : NULL;
    for (size_t i = 0; i < files && *list && edition; i++) {
        struct saved_game *game = &(*list)[count];
        char path[PATH_MAX];
        size_t size;
        struct tm day;
        if (!saved_find(entry[i].name, path, sizeof path) || !save_is_free(path))
            continue;
        char *text = save_read(path, MOST_BYTES, &size);
        if (text && describe(asked, edition, text, size, game)) {
            snprintf(game->name, sizeof game->name, "%.*s", (int)strlen(entry[i].name) - 4, entry[i].name);
            game->changed = entry[i].changed.tv_sec;
            localtime_r(&game->changed, &day);
            strftime(game->date, sizeof game->date, "%Y-%m-%d %H:%M", &day);
            count++;
        }
        free(text);
    }
    free(edition);
    free(entry);
    return count;
}

bool saved_find(const char *name, char *path, size_t size)
{
    char file[300];
    size_t length = strlen(name);
    bool whole = length > 4 && !strcmp(name + length - 4, ".pyr");
    if (!length || name[0] == '.' || strchr(name, '/') || length > 250)
        return false;
    snprintf(file, sizeof file, whole ? "%s" : "%s.pyr", name);
    return save_path(path, size, SAVE_GAMES, file) && save_exists(path);
}

char *saved_open(struct save *save, const char *name, size_t *size)
{
    char path[PATH_MAX];
    save->lock = -1;
    if (!saved_find(name, path, sizeof path) || !save_open(save, path))
        return NULL;
    char *text = save_read(path, MOST_BYTES, size);
    if (!text)
        save_close(save);
    return text;
}
