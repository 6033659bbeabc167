/*
 * saved.c: the content of saved games: the edition and bots they need, the list of unfinished ones; see saved.h. Files
 * are handled in save.c, their text in session/local.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/builtin.h>

#include "saved.h"
#include "words.h"

#define MOST_BYTES (1 << 20)     /* of a saved game or an edition */

/* Tags. */

/* The first line that begins with `tag`, up to its end; cut to the size. */
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

bool saved_bots(const struct pyr_local *local, const struct pyr_bot **bot)
{
    for (unsigned s = 0; s < local->match->replay.seats; s++) {
        bot[s] = local->people >> s & 1 ? NULL : pyr_bot_find(local->seat[s].level);
        if (!bot[s] && !(local->people >> s & 1))
            return false;
    }
    return true;
}

void seating_name_bots(struct seating *seating)
{
    for (unsigned s = 0; s < seating->players; s++)
        if (!(seating->people >> s & 1))
            snprintf(seating->names[s], sizeof seating->names[s], "%s %u", seating->bot[s]->name, s + 1);
}

enum pyr_err saved_begin(struct pyr_local *local, struct pyr_match *match, const struct pyr_edition *edition,
    const struct seating *seating, uint64_t seed)
{
    const char *names[PYR_MAX_SEATS], *levels[PYR_MAX_SEATS];
    for (unsigned s = 0; s < seating->players; s++) {
        names[s] = seating->names[s];
        levels[s] = seating->people >> s & 1 ? "" : seating->bot[s]->name;
    }
    enum pyr_err err = pyr_local_begin(local, match, edition, seating->players, names, levels, seed, true);
    if (!err && seating->edition_file[0])
        pyr_match_tag(match, "edition-file", seating->edition_file);
    return err;
}

/* Loading and writing. */

/* Tried in this order: the edition asked for, a built-in one of that name, the file named in the record. */
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

bool saved_write(const struct save *save, const struct pyr_local *local)
{
    char *text = malloc(PYR_LOCAL_SAVED);
    size_t size = text ? pyr_local_save(local, text, PYR_LOCAL_SAVED) : 0;
    bool good = size && save_write(save->path, text, size);
    free(text);
    return good;
}

/* The list of unfinished games. */

/* Used to read a text and describe it. */
struct reading {
    struct pyr_edition edition;
    struct pyr_match match;
    struct pyr_local local;
};

/* Makes the entry of a game in the list; false if it is finished, not one of ours, or no choice was made in it. strstr
 * first looks for a winner, which is faster than replaying a finished game. */
static bool describe(
    const struct pyr_edition *asked, struct reading *reading, const char *text, size_t size, struct saved_game *game)
{
    const struct pyr_local *local = &reading->local;
    struct pyr_word words[PYR_MAX_SEATS];
    const struct pyr_bot *bot[PYR_MAX_SEATS];
    char names[PYR_MAX_SEATS][PYR_MAX_PLAYER_NAME + 1];
    if (strstr(text, "\nwinner ") || !saved_edition(asked, text, size, &reading->edition) ||
        pyr_local_load(&reading->local, &reading->match, &reading->edition, text, size, 0, "", 0, NULL) ||
        pyr_match_is_over(&reading->match) || !saved_bots(local, bot) || !pyr_local_is_begun(local))
        return false;
    game->people = local->people;
    unsigned count = pyr_record_player_names(text, size, words);
    for (unsigned s = 0; s < count; s++)
        pyr_text_player(words[s], names[s], sizeof names[s]);
    words_names((1u << count) - 1, names, game->players, sizeof game->players);
    words_turn(&reading->match.replay.state.open, game->turn, sizeof game->turn);
    return true;
}

/* Games that are open in another window are left out. */
unsigned saved_list(const struct pyr_edition *asked, struct saved_game **list)
{
    struct save_entry *entry = NULL;
    size_t files = save_entries(&entry);
    unsigned count = 0;
    struct reading *reading = malloc(sizeof *reading);
    *list = files ? calloc(files, sizeof **list) : NULL;
    for (size_t i = 0; i < files && *list && reading; i++) {
        struct saved_game *game = &(*list)[count];
        char path[PATH_MAX];
        size_t size;
        struct tm day;
        if (!saved_find(entry[i].name, path, sizeof path) || !save_is_free(path))
            continue;
        char *text = save_read(path, MOST_BYTES, &size);
        if (text && describe(asked, reading, text, size, game)) {
            snprintf(game->name, sizeof game->name, "%.*s", (int)strlen(entry[i].name) - 4, entry[i].name);
            game->changed = entry[i].changed.tv_sec;
            localtime_r(&game->changed, &day);
            strftime(game->date, sizeof game->date, "%Y-%m-%d %H:%M", &day);
            count++;
        }
        free(text);
    }
    free(reading);
    free(entry);
    return count;
}

/* A name with a slash or a leading dot is refused, so that it cannot refer to a file elsewhere. */
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
