/*
 * plain.c: `pyramids play --plain`: a whole game line by line, against bots: for a plain terminal, a screen reader or a
 * script; moves are typed in the notation of the formats. It is saved after every choice, as in full-screen mode
 * (src/tui/saved.h), and either mode can resume a game of the other.
 *
 * One loop: bots choose, new lines of the log are printed as sentences, a line is read and executed. Output is never
 * overwritten, so that it can be read aloud, piped and compared. The game itself is in session/local.c; this file only
 * reads and prints.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <pyramids/match.h>
#include <pyramids/rules.h>

#include "choices.h"
#include "plain.h"
#include "saved.h"
#include "showing.h"
#include "there.h"
#include "words.h"

/* Everything about a game in plain mode. */
struct game {
    struct pyr_edition edition;
    struct pyr_match match;
    struct pyr_local local;      /* with this match; of a game on a server only `me` is used */
    struct there *there;         /* NULL: the game is played on this device */
    const char *back;            /* how to continue a game on a server */
    struct save save;
    bool saves;                  /* the game has a file */
    bool is_kept;                /* the file is up to date */
    const struct pyr_bot *bot[PYR_MAX_SEATS];
    void *memory[PYR_MAX_SEATS];
    struct pyr_word name[PYR_MAX_SEATS];     /* into the log, or into namebuf */
    char namebuf[PYR_MAX_SEATS][PYR_MAX_PLAYER_NAME + 1];
    struct story story;          /* the log in words */
    uint32_t told;               /* lines of it that have been printed */
    char pending[PYR_MAX_PARTS * 8 + 16];    /* a move whose extra marks are not complete yet */
    bool quit;
};

/* Prints what happened, as sentences. The heading of a turn is left out, since the table that follows begins with it. */
static void print_news(struct game *g)
{
    story_tell(&g->story, &g->match, g->match.log.lines, g->namebuf);
    for (unsigned i = 0; i < g->story.count; i++)
        if (g->story.line[i].line >= g->told && !g->story.line[i].heading)
            printf("  %s\n", g->story.line[i].text);
    g->told = g->match.log.lines;
}

/* The table in characters. */

static void show_table(const struct game *g)
{
    const struct showing showing = { &g->edition, g->namebuf };
    struct pyr_view view;
    pyr_match_view(&g->match, g->local.me, &view);
    showing_table(&showing, &view);
}

static void show_players(const struct game *g)
{
    const struct showing showing = { &g->edition, g->namebuf };
    showing_players(&showing, &g->match.replay.state.open, g->local.me);
}

static void show_help(void)
{
    pyr_text_flow(stdout,
        _("Type a choice or a command:\n"
          "  17 22              keep these two cards\n"
          "  17:a1a2a3          mark the pattern on card 17; one space is allowed instead\n"
          "  17:a1a2a3+22:c1    with the extra mark of a red cross; you are asked for those you leave out\n"
          "  take 31, draw      take a new card from the display or the deck\n"
          "  ?                  list the legal choices; ? 17 only those that begin with 17\n"
          "  undo               take back your last mark or your last choice\n"
          "  look               show the table again\n"
          "  players            show the other players' cards\n"
          "  log                show the record of the game\n"
          "  rules R10          show a rule; rules torch those with a word, rules the list\n"
          "  save FILE          write a copy of the game; 'pyramids play FILE' continues it\n"
          "  quit               leave; the game is saved after every choice\n"
          "Spaces: columns a to e, rows 1 to 5. # wall, v entrance, T tomb, x red cross, r ruby, e emerald, f torch, "
          "s skull, p potion.\n"),
        PYR_HELP_COLUMNS, 0);
}

/* The legal choices that begin with a prefix, one per line. */
static void show_choices(const struct game *g, const char *prefix)
{
    struct choices choices;
    unsigned long shown = 0;
    choices_init(&choices, &g->edition, &g->match.replay.state, g->local.me);
    for (size_t i = 0; i < choices.count; i++) {
        if (!strncmp(choices.line[i], prefix, strlen(prefix))) {
            puts(choices.line[i]);
            shown++;
        }
    }
    if (choices.too_many || choices.no_memory)
        puts(_("Too many legal choices to list."));
    printf(pyr_ngettext("(%lu legal choice)\n", "(%lu legal choices)\n", shown), shown);
    choices_finish(&choices);
}

/* Choices. */

/* Lets all bots choose that have something to decide; when one has replaced its cards, it may be the turn of a bot with a
 * lower seat. Without a budget: bots think as long as their level needs. */
static void bots_choose(struct game *g)
{
    struct pyr_rng rng;
    struct pyr_view view;
    for (pyr_seat seat; (seat = pyr_local_due(&g->local, &rng)) != PYR_NOBODY;) {
        pyr_match_view(&g->match, seat, &view);
        pyr_step step = g->bot[seat]->choose(g->memory[seat], &g->edition.box, &view, &rng, NULL);
        if (!pyr_local_answer(&g->local, seat, g->match.log.lines, step))
            return;                          /* should not happen; but a waiting game is better than an endless loop */
    }
}

/* Marks that are placed but not confirmed, in full-screen mode or before a choice was taken back, have to be typed again
 * here. */
static void drop_draft(struct game *g)
{
    for (unsigned s = 0; s < g->match.replay.seats; s++)
        if (!g->match.choice[s].confirmed)
            g->match.choice[s].count = 0;
}

/* Writes the game to its file. Only the first failure is reported; later ones would repeat it. */
static void keep(struct game *g)
{
    bool before = g->is_kept;
    if (!g->saves)
        return;
    g->is_kept = saved_write(&g->save, &g->local);
    if (!g->is_kept && before)
        cli_error(_("the game could not be saved: %s"), pyr_text_system(errno));
}

/* Takes back an extra mark that was typed, else the whole move, else the last turn. The rules allow taking back only if
 * no new card was revealed (Q5). */
static void undo(struct game *g)
{
    char *plus = strrchr(g->pending, '+');
    if (g->pending[0]) {
        *(plus ? plus : g->pending) = '\0';
        puts(_("Taken back."));
        if (g->pending[0])
            printf(_("So far: %s\n"), g->pending);
    } else if (g->there) {
        puts(_("The bots have answered: this choice can no longer be taken back."));
    } else if (pyr_local_take_back(&g->local)) {
        drop_draft(g);
        keep(g);
        g->told = g->match.log.lines;
        story_finish(&g->story);             /* new choices may differ from those already in the story */
        puts(_("Taken back."));
        show_table(g);
    } else if (g->local.past_count) {
        puts(_("You have seen a new card: that turn can no longer be taken back (Q5)."));
    } else {
        puts(_("Nothing to take back."));
    }
}

/* Whether a word is neither a command nor the beginning of a choice. "take" may begin a choice with a mistake in it,
 * which then gets a specific message. */
static bool is_nonsense(const char *word)
{
    return word[0] >= 'a' && word[0] <= 'z' && strcmp(word, "draw") && strncmp(word, "take", 4);
}

/* A move may be typed in parts: while extra marks are missing, it stays in `pending`, and the next line is appended. */
static void choose(struct game *g, const char *typed)
{
    char text[sizeof g->pending + 2048], word[2048], sentence[512];
    snprintf(word, sizeof word, "%s", typed);
    showing_tidy(g->match.replay.state.open.phase, word, sizeof word);
    if (is_nonsense(word)) {
        printf(_("'%.60s' is neither a command nor a legal choice; type help for a list.\n"), typed);
        return;
    }
    struct pyr_fault fault;
    const struct pyr_match *match = &g->match;
    if (g->pending[0])
        snprintf(text, sizeof text, "%s+%s", g->pending, word[0] == '+' ? word + 1 : word);
    else
        snprintf(text, sizeof text, "%s", word);
    enum pyr_err err = g->there ? there_choose(g->there, text, &fault) : pyr_local_choose(&g->local, text, &fault);
    if (err == PYR_ERR_EXTRA_MISSING && strlen(text) < sizeof g->pending) {
        strcpy(g->pending, text);
        printf(pyr_ngettext("%s; %d extra mark left: type CARD:SPACE, ? or undo.\n",
                   "%s; %d extra marks left: type CARD:SPACE, ? or undo.\n", (unsigned long)fault.number[0]),
            text, fault.number[0]);
    } else if (err && err != PYR_ERR_NOT_DEALT && match->replay.state.open.phase == PYR_KEEP) {
        const pyr_card *dealt = match->replay.state.hidden.dealt[g->local.me];
        printf(_("Type the numbers of two of your four cards, such as %d %d.\n"), dealt[0] + 1, dealt[1] + 1);
    } else if (err) {
        pyr_text_fault(&fault, sentence, sizeof sentence);
        printf(_("No: %s.\n"), sentence);
    } else {
        g->pending[0] = '\0';
        keep(g);
    }
}

/* Shows the list of rules, the rule with a tag, or those that contain a word. */
static void show_rules(const char *word)
{
    int only = pyr_text_rule_find(word);
    unsigned shown = 0;
    for (unsigned i = 0; pyr_text_rule_tag(i); i++) {
        if (!*word) {
            printf("  %-5s%s\n", pyr_text_rule_tag(i), pyr_text_rule_title(i));
        } else if (only >= 0 ? (int)i == only : pyr_text_rule_has(i, word)) {
            if (shown)
                putchar('\n');
            pyr_text_rule_print(stdout, i, PYR_HELP_COLUMNS);
        } else {
            continue;
        }
        shown++;
    }
    if (!shown)
        printf(_("No rule contains '%.60s'; type rules for the list.\n"), word);
}

/* Shows only lines that the player may see: other players' deals stay hidden. */
static void show_log(const struct game *g)
{
    for (uint32_t i = 0; i < g->match.log.lines; i++) {
        struct pyr_word text = pyr_match_line(&g->match, i);
        if (pyr_match_line_is_visible(&g->match, i, g->local.me))
            printf("%.*s\n", (int)text.length, text.at);
    }
}

/* Saves a copy of a game played on this device; "": no file was named. */
static void save_copy(const struct game *g, const char *file)
{
    if (g->there)
        puts(_("The server keeps this game."));
    else if (!*file)
        puts(_("No file name given: type save FILE."));
    else if (cli_write(file, g->match.log.text, g->match.log.start[g->match.log.lines]))
        printf(_("Saved as %s. Continue with: pyramids play %s\n"), file, file);
}

/* Commands are words that no choice can be; everything else is tried as a choice.
 * `line` is changed: blanks at its end are cut off. */
static void run_command(struct game *g, char *line)
{
    char *word = line + strspn(line, " \t");
    size_t length = strlen(word);
    while (length && strchr(" \t\r\n", word[length - 1]))
        word[--length] = '\0';
    if (!length)
        return;
    if (!strcasecmp(word, "help") || !strcasecmp(word, "h"))
        show_help();
    else if (!strcmp(word, "?")) {
        char prefix[sizeof g->pending + 1] = "";
        if (g->pending[0])
            snprintf(prefix, sizeof prefix, "%s+", g->pending);
        show_choices(g, prefix);
    } else if (!strncmp(word, "? ", 2))
        show_choices(g, word + 2);
    else if (!strcasecmp(word, "undo") || !strcasecmp(word, "u"))
        undo(g);
    else if (!strcasecmp(word, "look") || !strcasecmp(word, "l"))
        show_table(g);
    else if (!strcasecmp(word, "players"))
        show_players(g);
    else if (!strcasecmp(word, "log"))
        show_log(g);
    else if (!strcasecmp(word, "rules") || !strncasecmp(word, "rules ", 6))
        show_rules(word + 5 + strspn(word + 5, " \t"));
    else if (!strcasecmp(word, "save") || !strncasecmp(word, "save ", 5))
        save_copy(g, word + 4 + strspn(word + 4, " \t"));
    else if (!strcasecmp(word, "quit") || !strcasecmp(word, "exit") || !strcasecmp(word, "q"))
        g->quit = true;
    else
        choose(g, word);
}

/* Prints the end of a game, or how to resume it. Returns the exit code. The name for resuming is the file's, without
 * folder and suffix. */
static int finish(const struct game *g)
{
    const struct pyr_table *open = &g->match.replay.state.open;
    char sentence[900];
    if (!pyr_match_is_over(&g->match)) {
        const char *slash = strrchr(g->save.path, '/');
        puts(_("The game is not finished."));
        if (g->there)
            printf(_("Continue with: %s\n"), g->back);
        if (g->is_kept && slash)
            printf(_("Continue with: pyramids play --plain --resume %.*s\n"), (int)strcspn(slash + 1, "."), slash + 1);
        return cli_is_interrupted() ? CLI_INTERRUPTED : CLI_GOOD;
    }
    puts(_("\nThe game is over."));
    pyr_text_scores(stdout, &g->edition.box, open, g->name);
    unsigned winners = pyr_table_winners(open, &g->edition.box);
    for (unsigned s = 0; s < open->seats; s++)
        if (winners >> s & 1)
            printf(_("winner: %u %s\n"), s + 1, g->namebuf[s]);
    words_winner(&g->edition.box, open, (char (*)[PYR_MAX_PLAYER_NAME + 1])g->namebuf, sentence, sizeof sentence);
    puts(sentence);
    return CLI_GOOD;
}

/* The table is shown again only after something has happened, so that a screen reader does not repeat it after every
 * typing mistake. */
static int play(struct game *g)
{
    char *line = NULL;
    size_t room = 0;
    int code = CLI_GOOD;
    bool show = true;
    while (!g->quit) {
        uint32_t before = g->match.log.lines;
        if (g->there && !there_wait(g->there)) {
            code = CLI_WRONG;
            break;
        }
        if (!g->there)
            bots_choose(g);
        if (before != g->match.log.lines && g->local.past_count)
            keep(g);
        if (g->told != g->match.log.lines) {
            print_news(g);
            show = true;
        }
        if (pyr_match_is_over(&g->match))
            break;
        if (show)
            show_table(g);
        show = false;
        if (!cli_prompt(&line, &room))
            break;
        run_command(g, line);
    }
    free(line);
    int ended = finish(g);
    return ended ? ended : code;
}

/* Setting up. */

/* Starts a new game with the players given by the options. The edition's file is noted with its full path, so that the
 * game can be resumed from any folder. */
static int begin(struct game *g, const struct plain_options *o)
{
    struct seating *seating = calloc(1, sizeof *seating);
    char number[32];
    if (!seating) {
        cli_error(_("out of memory"));
        return CLI_WRONG;
    }
    *seating = (struct seating){ .players = o->players, .people = 1u << o->seat };
    memcpy(seating->bot, o->bot, sizeof seating->bot);
    snprintf(seating->names[o->seat], sizeof seating->names[o->seat], "%s", o->name);
    seating_name_bots(seating);
    if (o->edition && !realpath(o->edition, seating->edition_file))
        seating->edition_file[0] = '\0';
    /* A longer name is cut above, but the message is about the whole name. */
    enum pyr_err err = strlen(o->name) > PYR_MAX_PLAYER_NAME ? PYR_ERR_TEXT_LONG
        : saved_begin(&g->local, &g->match, &g->edition, seating, o->seed);
    free(seating);
    if (err) {
        char sentence[256];
        pyr_text_error(err, sentence, sizeof sentence);
        cli_error(_("--name: '%s' is not a valid player name: %s"), o->name, sentence);
        return CLI_USAGE;
    }
    snprintf(number, sizeof number, "%llu", (unsigned long long)o->seed);
    printf(_("A game of %u players, edition %s, seed %s. Type help for help.\n"), o->players, g->edition.name, number);
    return CLI_GOOD;
}

/* Assigns people and bots to seats: options take precedence over the record. An unknown level in a saved game is
 * replaced, so that it can still be played. */
static void seat_players(struct pyr_local *local, const struct plain_options *o)
{
    if (o->has_seat)
        local->me = o->seat;
    local->people = (uint8_t)(1u << local->me);
    local->seen_by = local->me;
    for (unsigned s = 0; s < local->match->replay.seats; s++) {
        char *level = local->seat[s].level;
        if (s == local->me)
            level[0] = '\0';
        else if ((o->has_bots && o->bot[s]) || !pyr_bot_find(level))
            snprintf(level, PYR_LEVEL_SIZE, "%s", o->has_bots && o->bot[s] ? o->bot[s]->name : o->any_bot->name);
    }
}

/* Loads a game from a text: a record of any kind, or a saved game. */
static int load(struct game *g, const char *name, const char *text, size_t size, const struct plain_options *o)
{
    struct pyr_fault fault;
    struct pyr_local *local = &g->local;
    enum pyr_err err = pyr_local_load(local, &g->match, &g->edition, text, size, 1u << o->seat, "", o->seed, &fault);
    if (err == PYR_ERR_SEATS || (!err && o->has_seat && o->seat >= g->match.replay.seats)) {
        cli_error(_("%s: no seat %u in this game"), name, o->seat + 1u);
    } else if (err == PYR_ERR_PHASE) {
        cli_error(_("%s: the cards are still being dealt"), name);
    } else if (err) {
        cli_fault(name, &fault);
    } else if (pyr_local_is_shared(local)) {
        cli_error(_("%s: several players share one screen in this game, which needs a full-screen terminal"), name);
    } else {
        seat_players(local, o);
        pyr_local_claim(local);
        drop_draft(g);
        g->told = g->match.log.lines;
        return CLI_GOOD;
    }
    return CLI_WRONG;
}

/* Loads a record from a file and continues it as a new saved game. */
static int load_file(struct game *g, const struct plain_options *o)
{
    struct cli_text text;
    if (o->text) {
        int loaded = cli_edition_load(o->edition, &g->edition);
        return loaded ? loaded : load(g, o->path, o->text, o->text_size, o);
    }
    if (!cli_read(o->path, &text))
        return CLI_WRONG;
    int code = cli_edition_for(o->edition, &text, &g->edition);
    if (!code)
        code = load(g, text.name, text.at, text.size, o);
    free(text.at);
    return code;
}

/* Loads a game of the data folder. */
static int load_saved(struct game *g, const char *name, const struct plain_options *o)
{
    size_t size;
    struct pyr_edition *asked = malloc(sizeof *asked);
    char *text = asked ? saved_open(&g->save, name, &size) : NULL;
    int code = asked ? cli_edition_load(o->edition, asked) : CLI_WRONG;
    if (!code && !text) {
        cli_error(_("%s: this game is open in another window, or cannot be read"), name);
        code = CLI_WRONG;
    } else if (!code && !saved_edition(asked, text, size, &g->edition)) {
        cli_error(_("%s: the edition of this game is missing; give it with --edition FILE"), name);
        code = CLI_WRONG;
    }
    if (!code)
        code = load(g, name, text, size, o);
    g->saves = g->is_kept = !code;
    free(text);
    free(asked);
    if (!code)
        printf(_("Game %s continues. Type help for help.\n"), name);
    return code;
}

static void print_saved(const struct saved_game *list, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        printf("%3u  %s  %s  %s: %s\n", i + 1, list[i].name, list[i].date, list[i].players, list[i].turn);
}

/* Asks at a terminal which of the unfinished games to resume; `count` for a new one. */
static unsigned ask_for_saved(const struct saved_game *list, unsigned count)
{
    char *line = NULL;
    size_t room = 0;
    unsigned chosen = count;
    puts(_("Unfinished games:"));
    print_saved(list, count);
    for (;;) {
        printf(_("Number of the game to continue, or Enter for a new one: "));
        fflush(stdout);
        if (getline(&line, &room, stdin) < 0 || line[strspn(line, " \t\r\n")] == '\0')
            break;
        char *rest;
        unsigned long number = strtoul(line, &rest, 10);
        if (number >= 1 && number <= count && rest[strspn(rest, " \t\r\n")] == '\0') {
            chosen = (unsigned)number - 1;
            break;
        }
        printf(_("Type a number from 1 to %u.\n"), count);
    }
    free(line);
    return chosen;
}

/* Selects the unfinished game to resume, by its name; "" for a new one. */
static void choose_saved(const struct plain_options *o, const struct pyr_edition *edition, char *name, size_t size)
{
    struct saved_game *all = NULL;
    unsigned count = 0, chosen, found = saved_list(edition, &all);
    name[0] = '\0';
    for (unsigned i = 0; i < found; i++)             /* a game of several people needs a cover, which plain mode lacks */
        if (!(all[i].people & (all[i].people - 1)))
            all[count++] = all[i];
    chosen = count;
    if (count && o->go_on)
        chosen = 0;
    else if (count && isatty(STDIN_FILENO))
        chosen = ask_for_saved(all, count);
    else if (count)
        printf(pyr_ngettext("%u unfinished game is saved: 'pyramids play --list' shows it, --continue resumes it.\n",
                "%u unfinished games are saved: 'pyramids play --list' shows them, --continue resumes the newest.\n", count),
            count);
    else if (o->go_on)
        puts(_("No saved game can be resumed: this is a new one."));
    if (chosen < count)
        snprintf(name, size, "%s", all[chosen].name);
    free(all);
}

/* Sets up the game that the options describe. */
static int set_up(struct game *g, const struct plain_options *o)
{
    char name[256] = "";
    if (o->there) {
        g->there = o->there;
        g->back = o->back;
        if (!there_begin(o->there, o->path, &g->match, &g->edition))
            return cli_is_interrupted() ? CLI_INTERRUPTED : CLI_WRONG;
        g->local.me = there_seat(o->there);
        g->told = g->match.log.lines;
        return CLI_GOOD;
    }
    if (o->path)
        return load_file(g, o);
    if (o->resume)
        return load_saved(g, o->resume, o);
    int code = cli_edition_load(o->edition, &g->edition);
    if (code)
        return code;
    if (!o->new_game)
        choose_saved(o, &g->edition, name, sizeof name);
    return name[0] ? load_saved(g, name, o) : begin(g, o);
}

/* Each seat has its own tables, even if two have the same bot: there are at most three, so sharing is not worth it. */
static bool equip_bots(struct game *g)
{
    saved_bots(&g->local, g->bot);           /* every such seat has one */
    for (unsigned s = 0; s < g->match.replay.seats; s++) {
        size_t size = g->bot[s] ? g->bot[s]->memory(&g->edition.box) : 0;
        if (!size)
            continue;
        g->memory[s] = aligned_alloc(64, (size + 63) / 64 * 64);
        if (!g->memory[s]) {
            cli_error(_("out of memory"));
            return false;
        }
        g->bot[s]->prepare(g->memory[s], &g->edition.box);
    }
    return true;
}


/* Everything is freed here, even after a failure. The game's file is created only if there is something to continue: not
 * for a finished record. */
int plain_play(const struct plain_options *o, bool *is_over)
{
    struct game *g = calloc(1, sizeof *g);
    struct pyr_word names[PYR_MAX_SEATS];
    if (!g) {
        cli_error(_("out of memory"));
        return CLI_WRONG;
    }
    g->save.lock = -1;
    int code = set_up(g, o);
    if (!code && !g->there && !equip_bots(g))
        code = CLI_WRONG;
    if (!code && !g->there && !g->saves && !pyr_match_is_over(&g->match)) {
        g->saves = g->is_kept = save_open(&g->save, NULL);
        if (!g->saves)
            cli_error(_("this game cannot be saved: %s"), pyr_text_system(errno));
        g->is_kept = false;                  /* the file is first written after the first choice */
    }
    unsigned count = code ? 0 : cli_player_names(g->match.log.text, g->match.log.start[g->match.log.lines], names);
    for (unsigned s = 0; s < count; s++) {
        pyr_text_player(names[s], g->namebuf[s], sizeof g->namebuf[s]);
        g->name[s] = (struct pyr_word){ g->namebuf[s], strlen(g->namebuf[s]) };
    }
    if (!code)
        code = play(g);
    if (is_over)
        *is_over = !code && pyr_match_is_over(&g->match);
    if (g->there)
        there_end(g->there);
    save_close(&g->save);
    story_finish(&g->story);
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        free(g->memory[s]);
    free(g);
    return code;
}

/* The list of unfinished games (`play --list`). */
int plain_list(const char *edition_name)
{
    struct saved_game *list = NULL;
    struct pyr_edition *edition = malloc(sizeof *edition);
    int code = edition ? cli_edition_load(edition_name, edition) : CLI_WRONG;
    unsigned count = code ? 0 : saved_list(edition, &list);
    print_saved(list, count);
    if (!code && !count)
        puts(_("No unfinished games."));
    else if (!code)
        puts(_("Continue one with: pyramids play --resume NAME"));
    free(list);
    free(edition);
    return code;
}
