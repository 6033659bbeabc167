/*
 * play.c: `pyramids play`: full screen where there is a terminal for it (src/tui), else, and with --plain, a whole game line by line, against
 * bots: for a plain terminal, a screen reader or a script; moves are typed in the notation of the formats.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include <pyramids/bots.h>
#include <pyramids/match.h>

#include "choices.h"
#include "cli.h"
#include "tui.h"

enum { PLAIN, PLAYERS, BOTS, SEED, EDITION, NAME, SEAT, HOT_SEAT, NEW, CONTINUE, SERVER, TABLE, KEY, TRUST, REPLAY, PLAYOUTS, ASCII, OPTIONS };

/* The game as it was before one of the player's choices. */
struct past {
    struct past *before;
    struct pyr_match match;
    struct pyr_rng rng;
};

struct game {
    struct pyr_edition edition;
    struct pyr_match match;
    struct pyr_rng rng;          /* the bots' */
    const struct pyr_bot *bot[PYR_MAX_SEATS];
    void *memory[PYR_MAX_SEATS];
    struct pyr_word name[PYR_MAX_SEATS];     /* into the log, or into namebuf */
    char namebuf[PYR_MAX_SEATS][PYR_MAX_PLAYER_NAME + 1];
    pyr_seat me;
    uint32_t told;               /* lines of the log that have been put into words */
    char pending[PYR_MAX_PARTS * 8 + 16];    /* a move whose extra marks are not all there yet */
    struct past *past;
    bool quit;
};

/* What happened, in words. */

static void name_spaces(const struct pyr_box *box, const struct pyr_part *part, FILE *to)
{
    const struct pyr_card_face *card = &box->card[part->card];
    const struct {
        pyr_spaces set;
        const char *word;
    } symbols[] = {
        { card->ruby, _("ruby") },     { card->emerald, _("emerald") }, { card->torch, _("torch") }, { card->skull, _("skull") },
        { card->potion, _("potion") }, { card->cross, _("red cross") }, { card->tomb, _("tomb") },
    };
    const char *comma = " (";
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        for (int n = __builtin_popcount(part->spaces & symbols[i].set); n > 0; n--) {
            fprintf(to, "%s%s", comma, symbols[i].word);
            comma = ", ";
        }
    }
    if (comma[0] == ',')
        fputc(')', to);
}

static void tell_mark(const struct game *g, const struct pyr_event *event)
{
    char text[sizeof g->pending];
    struct pyr_out out;
    if (!event->count) {
        printf(_("  %s: nothing to mark\n"), g->namebuf[event->seat]);
        return;
    }
    printf("  %s: ", g->namebuf[event->seat]);
    for (unsigned i = 0; i < event->count; i++) {
        pyr_out_init(&out, text, sizeof text);
        pyr_out_number(&out, event->part[i].card + 1);
        pyr_out_char(&out, ':');
        pyr_spaces_write(event->part[i].spaces, &out);
        printf("%s%s", i ? " + " : "", text);
        name_spaces(&g->edition.box, &event->part[i], stdout);
    }
    putchar('\n');
}

static void tell_shown(const struct pyr_event *event)
{
    char cards[8 * PYR_DISPLAY + 1] = "";
    for (unsigned i = 0; i < event->count; i++)
        snprintf(cards + strlen(cards), sizeof cards - strlen(cards), "%s%d", i ? " " : "", event->card[i] + 1);
    printf(_("  new in the display: %s\n"), cards);
}

static void tell_line(const struct game *g, struct pyr_word line)
{
    struct pyr_lines lines;
    struct pyr_event event;
    pyr_lines_init(&lines, line.at, line.length);
    if (!pyr_lines_next(&lines, false) || !pyr_event_read(&g->edition, &lines, &event))
        return;
    const char *name = event.seat < PYR_MAX_SEATS ? g->namebuf[event.seat] : "";
    switch (event.kind) {
    case PYR_EVENT_KEEP: printf(_("  %s: kept %d and %d\n"), name, event.card[0] + 1, event.card[1] + 1); break;
    case PYR_EVENT_SHOW: tell_shown(&event); break;
    case PYR_EVENT_MARK: tell_mark(g, &event); break;
    case PYR_EVENT_TAKE: printf(_("  %s: took %d from the display\n"), name, event.card[0] + 1); break;
    case PYR_EVENT_DRAW: printf(_("  %s: drew %d from the deck\n"), name, event.card[0] + 1); break;
    case PYR_EVENT_POINTS:
        printf(pyr_ngettext("  %s: %d pyramid point for %s\n", "  %s: %d pyramid points for %s\n", (unsigned long)event.points), name, event.points,
            pyr_text_colour(event.colour));
        break;
    default: break;
    }
}

static void tell_news(struct game *g)
{
    for (; g->told < g->match.log.lines; g->told++)
        tell_line(g, pyr_match_line(&g->match, g->told));
}

/* The table in characters. */

static void show_desk(const struct game *g, const struct pyr_desk *desk)
{
    pyr_spaces marks[PYR_KEPT];
    for (unsigned slot = 0; slot < PYR_KEPT; slot++)
        marks[slot] = pyr_desk_marks(&g->edition.box, desk, slot);
    pyr_text_cards(stdout, &g->edition.box, desk->card, marks, PYR_KEPT, PYR_KEPT);
}

/* Adds to a list. */
__attribute__((format(printf, 3, 4))) static void add(char *to, size_t size, const char *format, ...)
{
    va_list arguments;
    size_t length = strlen(to);
    va_start(arguments, format);
    vsnprintf(to + length, size - length, format, arguments);
    va_end(arguments);
}

static void show_score_card(const struct game *g, const struct pyr_table *open, pyr_seat seat, const struct pyr_desk *desk)
{
    struct pyr_score score = pyr_desk_score(&g->edition.box, desk, pyr_table_points(open, seat));
    char torches[PYR_ROUNDS + 1] = "", pyramids[512] = "";
    for (unsigned round = 0; round < PYR_ROUNDS; round++)
        torches[round] = desk->torches >> round & 1 ? (char)('1' + round) : '-';
    for (unsigned colour = 0; colour < PYR_COLOURS; colour++) {
        pyr_cardset done = desk->done & g->edition.box.colour[colour];
        if (done)
            add(pyramids, sizeof pyramids, "%s%s", *pyramids ? ", " : "", pyr_text_colour(colour));
        for (; done; done &= done - 1)
            add(pyramids, sizeof pyramids, " %d", __builtin_ctzll(done) + 1);
    }
    printf(_("  %s: points %d; rubies %u, emeralds %u, torches %s, skulls %u (%d); pyramids: %s\n"), g->namebuf[seat], score.total, desk->rubies,
        desk->emeralds, torches, desk->skulls, score.skulls, *pyramids ? pyramids : _("none"));
}

static void show_points(const struct pyr_table *open)
{
    char list[512] = "";
    for (unsigned colour = 0; colour < PYR_COLOURS; colour++) {
        bool any = false;
        add(list, sizeof list, "%s%s", colour ? ", " : "", pyr_text_colour(colour));
        for (unsigned place = 0; place < PYR_TILES; place++) {
            if (open->tile[colour][place] == PYR_NOBODY) {
                add(list, sizeof list, " %d", pyr_tile_value(place));
                any = true;
            }
        }
        if (!any)
            add(list, sizeof list, " -");
    }
    printf(_("Pyramid points left: %s\n"), list);
}

static void show_display(const struct game *g, const struct pyr_table *open)
{
    pyr_card cards[PYR_DISPLAY];
    unsigned count = 0;
    for (unsigned i = 0; i < PYR_DISPLAY; i++)
        if (open->display[i] != PYR_NO_CARD)
            cards[count++] = open->display[i];
    printf(pyr_ngettext("Display, and %u card in the deck:\n", "Display, and %u cards in the deck:\n", open->deck_left), open->deck_left);
    if (count)
        pyr_text_cards(stdout, &g->edition.box, cards, NULL, count, PYR_DISPLAY);
    else
        printf("  %s\n", _("no card"));
}

static void show_pattern(const struct game *g, const struct pyr_table *open)
{
    unsigned left[PYR_PATTERNS];
    pyr_pattern now = open->revealed[open->turn];
    for (unsigned p = 0; p < PYR_PATTERNS; p++)
        left[p] = g->edition.box.pattern[p].copies;
    for (unsigned i = 0; i <= open->turn; i++)
        left[open->revealed[i]]--;
    printf(_("Round %u, turn %u of 7. Pattern %s:\n"), open->round + 1u, open->turn + 1u, g->edition.pattern_name[now]);
    pyr_text_pattern(stdout, &g->edition.box, now, "    ");
    char hidden[16 * (PYR_MAX_NAME + 1) + 1] = "";
    for (unsigned p = 0; p < PYR_PATTERNS; p++)
        for (unsigned i = 0; i < left[p]; i++)
            add(hidden, sizeof hidden, "%s%s", *hidden ? " " : "", g->edition.pattern_name[p]);
    printf(_("Still face down in this round (one of them stays hidden): %s\n"), hidden);
}

static void show_table(const struct game *g)
{
    struct pyr_view view;
    pyr_match_view(&g->match, g->me, &view);
    putchar('\n');
    if (view.open.phase == PYR_KEEP) {
        printf("%s", _("Your four cards; keep two:\n"));
        pyr_text_cards(stdout, &g->edition.box, view.dealt, NULL, PYR_DEALT, PYR_DEALT);
        return;
    }
    if (view.open.phase == PYR_MARK)
        show_pattern(g, &view.open);
    show_display(g, &view.open);
    show_points(&view.open);
    printf("%s", _("Your cards (* is marked):\n"));
    show_desk(g, &view.mine);
    for (unsigned s = 0; s < view.open.seats; s++)
        show_score_card(g, &view.open, (pyr_seat)s, s == g->me ? &view.mine : &view.open.desk[s]);
}

static void show_players(const struct game *g)
{
    const struct pyr_table *open = &g->match.replay.state.open;
    for (unsigned s = 0; s < open->seats; s++) {
        if (s == g->me)
            continue;
        show_score_card(g, open, (pyr_seat)s, &open->desk[s]);
        show_desk(g, &open->desk[s]);
    }
}

static void show_help(void)
{
    pyr_text_flow(stdout, _("Type a choice or a command:\n"
            "  17 22              keep these two cards\n"
            "  17:a1a2a3          mark the pattern on card 17; one space is allowed instead\n"
            "  17:a1a2a3+22:c1    with the extra mark of a red cross; you are asked for those you leave out\n"
            "  take 31, draw      take a new card from the display or the deck\n"
            "  ?                  list the legal choices; ? 17 only those that begin with 17\n"
            "  undo               take back your last mark or your last choice\n"
            "  look               show the table again\n"
            "  players            show the other players' cards\n"
            "  log                show the record of the game\n"
            "  save FILE          save the game; 'pyramids play FILE' goes on with it\n"
            "  quit               leave\n"
            "Spaces: columns a to e, rows 1 to 5. # wall, v entrance, T tomb, x red cross, r ruby, e emerald, f torch, s skull, p potion.\n"),
        PYR_HELP_COLUMNS, 0);
}

/* The legal choices that begin with a prefix, one a line. */
static void show_choices(const struct game *g, const char *prefix)
{
    struct choices choices;
    unsigned long shown = 0;
    choices_init(&choices, &g->edition, &g->match.replay.state, g->me);
    for (size_t i = 0; i < choices.count; i++) {
        if (!strncmp(choices.line[i], prefix, strlen(prefix))) {
            puts(choices.line[i]);
            shown++;
        }
    }
    if (choices.too_many || choices.no_memory)
        puts(_("There are more legal choices than can be listed."));
    printf(pyr_ngettext("(%lu legal choice)\n", "(%lu legal choices)\n", shown), shown);
    choices_finish(&choices);
}

/* Choices. */

/* All bots that have something to decide; when one has replaced its cards it may be the turn of one before it. */
static void bots_choose(struct game *g)
{
    for (;;) {
        unsigned waiting = pyr_match_waiting(&g->match) & ~(1u << g->me);
        if (!waiting)
            return;
        pyr_seat seat = (pyr_seat)__builtin_ctz(waiting);
        struct pyr_view view;
        pyr_match_view(&g->match, seat, &view);
        pyr_step step = g->bot[seat]->choose(g->memory[seat], &g->edition.box, &view, &g->rng, NULL);
        if (pyr_match_step(&g->match, seat, step))
            return;                          /* cannot happen; better a waiting game than an endless loop */
        if (pyr_match_is_ready(&g->match, seat))
            pyr_match_confirm(&g->match, seat);
    }
}

static void remember(struct game *g)
{
    struct past *past = malloc(sizeof *past);
    if (!past)
        return;                              /* without memory there is no undo, but the game goes on */
    past->match = g->match;
    past->rng = g->rng;
    past->before = g->past;
    g->past = past;
}

static void forget(struct game *g)
{
    struct past *past = g->past;
    if (past) {
        g->past = past->before;
        free(past);
    }
}

static void undo(struct game *g)
{
    char *plus = strrchr(g->pending, '+');
    if (g->pending[0]) {
        *(plus ? plus : g->pending) = '\0';
        puts(_("Taken back."));
        if (g->pending[0])
            printf(_("So far: %s\n"), g->pending);
    } else if (g->past) {
        g->match = g->past->match;
        g->rng = g->past->rng;
        forget(g);
        g->told = g->match.log.lines;
        puts(_("Taken back."));
        show_table(g);
    } else {
        puts(_("There is nothing to take back."));
    }
}

/* What people type, as a record has it. What cannot be understood stays as it is, for a message about it. */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == '&';
}

/* Two numbers with anything harmless between them: "33, 36", "keep 33 and 36". */
static void tidy_keep(char *word)
{
    static const char *const fillers[] = { "keep", "and", "-" };
    char copy[64], to[64] = "";
    char *rest = NULL;
    if (strlen(word) >= sizeof copy)
        return;
    strcpy(copy, word);
    for (char *part = strtok_r(copy, " \t,&", &rest); part; part = strtok_r(NULL, " \t,&", &rest)) {
        bool skip = false;
        for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++)
            skip = skip || !strcmp(part, fillers[i]);
        if (!skip)
            snprintf(to + strlen(to), sizeof to - strlen(to), "%s%s", *to ? " " : "", part);
    }
    if (*to && strlen(to) <= strlen(word))
        strcpy(word, to);
}

/* The spaces of a part row by row, if they are spaces. */
static void sort_spaces(char *at, size_t length)
{
    for (size_t i = 0; i < length; i += 2)
        if (length % 2 || at[i] < 'a' || at[i] > 'e' || at[i + 1] < '1' || at[i + 1] > '5')
            return;
    for (size_t i = 2; i < length; i += 2) {
        for (size_t j = i; j && (at[j - 1] > at[j + 1] || (at[j - 1] == at[j + 1] && at[j - 2] > at[j])); j -= 2) {
            char pair[2] = { at[j], at[j + 1] };
            memcpy(at + j, at + j - 2, 2);
            memcpy(at + j - 2, pair, 2);
        }
    }
}

/* Without blanks, and with a colon behind the card: "33 d1 e1" is 33:d1e1. */
static void tidy_mark(char *word, size_t room)
{
    char to[512];
    size_t length = 0;
    bool colon = false;
    if (2 * strlen(word) + 2 > sizeof to)
        return;
    for (const char *c = strncmp(word, "mark ", 5) ? word : word + 5; *c; c++) {
        if (is_blank(*c)) {
            /* Numbers that stand apart are not one number. */
            if (length && to[length - 1] >= '0' && to[length - 1] <= '9' && c[strspn(c, " \t,&")] >= '0' && c[strspn(c, " \t,&")] <= '9')
                return;
            continue;
        }
        if (*c >= 'a' && *c <= 'e' && !colon && length && to[length - 1] >= '0' && to[length - 1] <= '9')
            to[length++] = ':';
        colon = *c == '+' ? false : colon || (length && to[length - 1] == ':') || *c == ':';
        to[length++] = *c;
    }
    to[length] = '\0';
    for (char *part = strchr(to, ':'); part; part = strchr(part + 1, ':'))
        sort_spaces(part + 1, strcspn(part + 1, "+"));
    if (length < room)
        strcpy(word, to);
}

/* In small letters and the notation of this moment. */
static void tidy(const struct game *g, char *word, size_t room)
{
    char card[32];
    for (char *c = word; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    switch (g->match.replay.state.open.phase) {
    case PYR_KEEP: tidy_keep(word); break;
    case PYR_MARK: tidy_mark(word, room); break;
    case PYR_REPLACE:
        if (*word && strspn(word, "0123456789") == strlen(word) && strlen(word) < sizeof card) {
            strcpy(card, word);
            snprintf(word, room, "take %s", card);
        }
        break;
    default: break;
    }
}

/* Words that are neither a command nor the beginning of a choice. */
static bool is_nonsense(const char *word)
{
    return word[0] >= 'a' && word[0] <= 'z' && strcmp(word, "draw") && strncmp(word, "take", 4);
}

static void choose(struct game *g, const char *typed)
{
    char text[sizeof g->pending + 2048], word[2048], sentence[512];
    snprintf(word, sizeof word, "%s", typed);
    tidy(g, word, sizeof word);
    if (is_nonsense(word)) {
        printf(_("No: '%.60s' is no command and no choice; help tells what is.\n"), typed);
        return;
    }
    struct pyr_fault fault;
    struct pyr_match *match = &g->match;
    if (g->pending[0])
        snprintf(text, sizeof text, "%s+%s", g->pending, word[0] == '+' ? word + 1 : word);
    else
        snprintf(text, sizeof text, "%s", word);
    remember(g);
    enum pyr_err err = pyr_match_choose(match, g->me, text, &fault);
    if (err == PYR_ERR_EXTRA_MISSING && strlen(text) < sizeof g->pending) {
        forget(g);
        strcpy(g->pending, text);
        printf(pyr_ngettext("%s, and %d extra mark to make: type CARD:SPACE, or ? or undo.\n",
                   "%s, and %d extra marks to make: type CARD:SPACE, or ? or undo.\n", (unsigned long)fault.number[0]),
            text, fault.number[0]);
    } else if (err && err != PYR_ERR_NOT_DEALT && match->replay.state.open.phase == PYR_KEEP) {
        const pyr_card *dealt = match->replay.state.hidden.dealt[g->me];
        forget(g);
        printf(_("No: type the numbers of two of your four cards, such as %d %d.\n"), dealt[0] + 1, dealt[1] + 1);
    } else if (err) {
        forget(g);
        pyr_text_fault(&fault, sentence, sizeof sentence);
        printf(_("No: %s.\n"), sentence);
    } else {
        g->pending[0] = '\0';
        if (pyr_match_is_ready(match, g->me))
            pyr_match_confirm(match, g->me);
    }
}

static void obey(struct game *g, char *line)
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
        for (uint32_t i = 0; i < g->match.log.lines; i++) {
            struct pyr_word text = pyr_match_line(&g->match, i);
            if (pyr_match_line_is_visible(&g->match, i, g->me))
                printf("%.*s\n", (int)text.length, text.at);
        }
    else if (!strncasecmp(word, "save ", 5) && word[5]) {
        if (cli_write(word + 5, g->match.log.text, g->match.log.start[g->match.log.lines]))
            printf(_("Saved as %s. Go on with: pyramids play %s\n"), word + 5, word + 5);
    } else if (!strcasecmp(word, "save"))
        puts(_("Save as what? save FILE"));
    else if (!strcasecmp(word, "quit") || !strcasecmp(word, "exit") || !strcasecmp(word, "q"))
        g->quit = true;
    else
        choose(g, word);
}

static int play(struct game *g)
{
    char *line = NULL;
    size_t room = 0;
    bool show = true, echo = !isatty(STDIN_FILENO);      /* a transcript should show what was typed */
    while (!g->quit) {
        bots_choose(g);
        if (g->told != g->match.log.lines) {
            tell_news(g);
            show = true;
        }
        if (pyr_match_is_over(&g->match))
            break;
        if (show)
            show_table(g);
        show = false;
        printf("> ");
        fflush(stdout);
        errno = 0;
        if (getline(&line, &room, stdin) < 0) {
            putchar('\n');
            break;
        }
        if (echo)
            printf("%s%s", line, line[strlen(line) - 1] == '\n' ? "" : "\n");
        obey(g, line);
    }
    free(line);
    const struct pyr_table *open = &g->match.replay.state.open;
    if (!pyr_match_is_over(&g->match)) {
        puts(_("The game is not finished."));
        return cli_is_interrupted() ? CLI_INTERRUPTED : CLI_GOOD;
    }
    puts(_("\nThe game is over."));
    pyr_text_scores(stdout, &g->edition.box, open, g->name);
    unsigned winners = pyr_table_winners(&g->edition.box, open);
    for (unsigned s = 0; s < open->seats; s++)
        if (winners >> s & 1)
            printf(_("winner: %u %s\n"), s + 1, g->namebuf[s]);
    return CLI_GOOD;
}

/* Setting up. */

static int begin(struct game *g, unsigned players, uint64_t seed, const char *name)
{
    struct pyr_chance chance;
    struct pyr_rng rng;
    const char *names[PYR_MAX_SEATS];
    char text[32];
    pyr_rng_seed(&rng, seed, 0);
    for (unsigned s = 0; s < players; s++) {
        if (s == g->me)
            snprintf(g->namebuf[s], sizeof g->namebuf[s], "%s", name);
        else
            snprintf(g->namebuf[s], sizeof g->namebuf[s], "%s %u", g->bot[s]->name, s + 1);
        names[s] = g->namebuf[s];
    }
    pyr_chance_draw(&chance, &g->edition.box, players, &rng);
    enum pyr_err err = pyr_match_init(&g->match, &g->edition, players, names, &chance);
    if (err) {
        char sentence[256];
        pyr_text_error(err, sentence, sizeof sentence);
        cli_error(_("--name: '%s' cannot be a player's name: %s"), name, sentence);
        return CLI_USAGE;
    }
    snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    printf(_("A game of %u players, edition %s, seed %s. Type help for help.\n"), players, g->edition.name, text);
    return CLI_GOOD;
}

static int resume(struct game *g, const char *path, const char *edition, uint64_t seed)
{
    struct cli_text text;
    struct pyr_fault fault;
    struct pyr_rng rng;
    if (!cli_read(path, &text))
        return CLI_WRONG;
    int code = cli_edition_for(edition, &text, &g->edition);
    if (!code && pyr_match_load(&g->match, &g->edition, text.at, text.size, PYR_NOBODY, &fault)) {
        cli_fault(text.name, &fault);
        code = CLI_WRONG;
    }
    free(text.at);
    if (code)
        return code;
    if (g->match.replay.stage < PYR_STAGE_PLAY) {
        cli_error(_("%s: the cards are still being dealt"), path);
        return CLI_WRONG;
    }
    if (g->me >= g->match.replay.seats) {
        cli_error(_("%s: there is no seat %u"), path, g->me + 1u);
        return CLI_WRONG;
    }
    for (unsigned s = 0; s < g->match.replay.seats; s++) {
        struct pyr_word names[PYR_MAX_SEATS];
        cli_player_names(g->match.log.text, g->match.log.start[g->match.log.lines], names);
        pyr_word_copy(names[s], g->namebuf[s], sizeof g->namebuf[s]);
    }
    pyr_rng_seed(&rng, seed, 2);
    pyr_match_shuffle(&g->match, &rng);
    g->told = g->match.log.lines;
    return CLI_GOOD;
}

static unsigned count_names(const char *list)
{
    unsigned count = 0;
    for (; list; list = strchr(list, ','), list = list ? list + 1 : NULL)
        count++;
    return count;
}

/* The opponents' bots, in seat order without the player's own; the list is repeated. */
static bool find_bots(struct game *g, const char *list)
{
    const struct pyr_bot *found[PYR_MAX_SEATS];
    unsigned named = 0, next = 0;
    for (const char *at = list; at && named < PYR_MAX_SEATS; named++) {
        char name[64];
        const char *comma = strchr(at, ',');
        size_t length = comma ? (size_t)(comma - at) : strlen(at);
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), at);
        found[named] = pyr_bot_find(name);
        if (!found[named]) {
            char names[512] = "";
            for (unsigned i = 0; i < pyr_bot_count(); i++)
                snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? " " : "", pyr_bot_at(i)->name);
            cli_error(_("there is no bot '%s'; there are: %s"), name, names);
            return false;
        }
        at = comma ? comma + 1 : NULL;
    }
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        g->bot[s] = s == g->me ? NULL : found[next++ % named];
    return true;
}

static bool equip_bots(struct game *g)
{
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

static uint64_t any_seed(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec * 1000003u ^ (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 20) % 1000000000u;
}

/* Which options have no meaning beside each other. */

#define BIT(option) (1u << (option))

static const uint32_t excluded[OPTIONS] = {
    [SERVER] = BIT(PLAIN) | BIT(PLAYERS) | BIT(BOTS) | BIT(SEED) | BIT(EDITION) | BIT(SEAT) | BIT(HOT_SEAT) | BIT(NEW) | BIT(CONTINUE) | BIT(REPLAY),
    [REPLAY] = BIT(PLAIN) | BIT(PLAYERS) | BIT(BOTS) | BIT(SEED) | BIT(NAME) | BIT(SEAT) | BIT(HOT_SEAT) | BIT(NEW) | BIT(CONTINUE),
    [HOT_SEAT] = BIT(PLAIN) | BIT(NAME) | BIT(SEAT),
    [CONTINUE] = BIT(PLAIN) | BIT(NEW),
    [PLAIN] = BIT(PLAYOUTS),
};

/* A record says by itself how many play and what they are called, and is the game to go on with. */
static const uint32_t excluded_by_file = BIT(PLAYERS) | BIT(NAME) | BIT(NEW) | BIT(CONTINUE) | BIT(SERVER) | BIT(REPLAY);

/* Says what contradicts itself and returns false. */
static bool makes_sense(const struct cli_option *option, const char *const *value, const char *file)
{
    bool link = value[SERVER] && strstr(value[SERVER], "#table/");
    const struct {
        int option, needed;
        bool there;
    } needs[] = { { TABLE, SERVER, value[SERVER] != NULL }, { TRUST, SERVER, value[SERVER] != NULL }, { KEY, TABLE, value[TABLE] || link } };
    for (int i = 0; file && i < OPTIONS; i++) {
        if (value[i] && excluded_by_file >> i & 1) {
            cli_error(_("--%s does not go with a file to play on"), option[i].name);
            return false;
        }
    }
    if (!cli_go_together(option, value, excluded))
        return false;
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        if (value[needs[i].option] && !needs[i].there) {
            cli_error(_("option '--%s' goes with --%s only"), option[needs[i].option].name, option[needs[i].needed].name);
            return false;
        }
    }
    if (link && value[TABLE]) {
        cli_error(_("the address names a table already: leave out --table"));
        return false;
    }
    if (value[TRUST] && strncmp(value[SERVER], "https://", 8)) {
        cli_error(_("--trust goes with an address that begins with https:// only"));
        return false;
    }
    return true;
}

/* How many play: as said, else as many as are named. Says what does not fit and returns false. */
static bool count_players(const char *const *value, const char *file, uint64_t *players)
{
    unsigned people = value[HOT_SEAT] ? count_names(value[HOT_SEAT]) : 1, bots = value[BOTS] ? count_names(value[BOTS]) : 0;
    if (file || value[SERVER] || value[REPLAY])
        return true;
    if (!value[PLAYERS] && *players < people + bots)
        *players = people + bots > PYR_MAX_SEATS ? PYR_MAX_SEATS : people + bots;
    if (people > *players && people <= PYR_MAX_SEATS) {
        cli_error(_("--hot-seat: there are only %u players"), (unsigned)*players);
        return false;
    }
    if (people <= PYR_MAX_SEATS && bots > *players - people) {
        cli_error(_("--bots: more than there are seats for them (%u)"), (unsigned)*players - people);
        return false;
    }
    return true;
}

/* Full screen. */

/* The names of people at one screen, in seat order from the first. */
static bool read_people(const char *list, char names[][PYR_MAX_PLAYER_NAME + 1], struct tui_options *options)
{
    unsigned count = 0;
    for (const char *at = list; at; count++) {
        const char *comma = strchr(at, ',');
        size_t length = comma ? (size_t)(comma - at) : strlen(at);
        if (!length || length > PYR_MAX_PLAYER_NAME || count == PYR_MAX_SEATS) {
            cli_error(_("--hot-seat: expected 1 to 4 names with commas between"));
            return false;
        }
        memcpy(names[count], at, length);
        names[count][length] = '\0';
        for (unsigned i = 0; i < count; i++) {
            if (!strcmp(names[i], names[count])) {       /* the cover between them names who is next */
                cli_error(_("--hot-seat: two people are called %s"), names[i]);
                return false;
            }
        }
        options->names[count] = names[count];
        options->people |= 1u << count;
        at = comma ? comma + 1 : NULL;
    }
    return true;
}

/* Takes the terminal. Returns TUI_NO_TERMINAL if there is none. */
static int play_full_screen(const struct game *g, const char *const *value, const char *path, unsigned players, uint64_t seed)
{
    char names[PYR_MAX_SEATS][PYR_MAX_PLAYER_NAME + 1];
    char real[PATH_MAX];
    uint64_t playouts = 0;
    struct cli_text text = { .at = NULL };
    struct pyr_edition *edition = malloc(sizeof *edition);
    struct tui_options options = { .edition = edition, .players = players, .seed = seed, .ascii = value[ASCII] != NULL,
        .no_colour = getenv("NO_COLOR") && getenv("NO_COLOR")[0], .new_game = value[NEW] != NULL, .go_on = value[CONTINUE] != NULL,
        .server = value[SERVER], .table = value[TABLE], .key = value[KEY], .trusted = value[TRUST], .replay = value[REPLAY] != NULL };
    int code = CLI_USAGE;
    if (!edition || !tui_is_possible()) {
        free(edition);
        return TUI_NO_TERMINAL;
    }
    memcpy(options.bot, g->bot, sizeof options.bot);
    if (value[PLAYOUTS] && !cli_number(value[PLAYOUTS], "--playouts", 1, 1000000, &playouts))
        goto done;
    options.playouts = (uint32_t)playouts;
    if (value[TRUST] && access(value[TRUST], R_OK)) {
        cli_error("%s: %s", value[TRUST], pyr_text_system(errno));
        code = CLI_WRONG;
        goto done;
    }
    if (value[HOT_SEAT]) {
        if (!read_people(value[HOT_SEAT], names, &options))
            goto done;
        for (unsigned s = 0; s < options.players; s++)
            if (!(options.people >> s & 1) && !options.bot[s])
                options.bot[s] = options.bot[s + 1 < PYR_MAX_SEATS ? s + 1 : 0];
    } else {
        const char *name = cli_own_name(value[NAME]);
        options.people = 1u << g->me;
        options.names[g->me] = name;
        if (value[SERVER])
            options.names[0] = name;
    }
    if (value[EDITION] && realpath(value[EDITION], real))
        options.edition_file = real;
    options.record_name = value[REPLAY] ? value[REPLAY] : path;
    code = CLI_GOOD;
    if (options.record_name) {
        code = cli_read(options.record_name, &text) ? cli_edition_for(value[EDITION], &text, edition) : CLI_WRONG;
        options.record = text.at;
        options.record_size = text.size;
    } else {
        code = cli_edition_load(value[EDITION], edition);
    }
    if (!code)
        code = tui_run(&options);
done:
    free(text.at);
    free(edition);
    return code;
}

int cli_play(int argc, char **argv)
{
    const char *value[OPTIONS];
    const struct cli_option option[OPTIONS + 1] = {
        { "plain", 0, NULL, _("line by line, for any terminal, a screen reader or a script") },
        { "players", 'p', "N", _("2 to 4 players, you among them (default: as many as are named, at least 2)") },
        { "bots", 'b', "A,B,..", _("the other players: novice, casual, club (default), expert, master; the list is repeated") },
        { "seed", 's', "S", _("seed of the shuffles, to play the same cards again (default: a new one)") },
        { "edition", 'e', "E", _("a built-in edition or a file (default classic)") },
        { "name", 'n', "NAME", _("your name (default: that of your account)") },
        { "seat", 0, "S", _("your seat, 1 to 4 (default 1)") },
        { "hot-seat", 0, "A,B,..", _("names of people who take turns at this screen; the other seats are bots") },
        { "new", 0, NULL, _("begin a new game without asking about one that is under way") },
        { "continue", 0, NULL, _("go on with the game that is under way without asking") },
        { "server", 0, "URL", _("play at a server, such as http://localhost:8080; without --table shows its tables") },
        { "table", 0, "CODE", _("the table there") },
        { "key", 0, "K", _("the key of a seat that is kept for you") },
        { "trust", 0, "FILE", _("certificates to trust at an https:// server, instead of the system's") },
        { "replay", 0, "FILE", _("go through a recorded game step by step") },
        { "playouts", 0, "N", _("how thorough the analysis of a replay is (default 3000)") },
        { "ascii", 0, NULL, _("draw with ASCII characters only") },
        { NULL, 0, NULL, NULL },
    };
    const struct cli_options options = {
        "play [FILE] [--plain] [--players N] [--seed S] [--edition E] [OPTIONS]",
        _("A game against the computer, among people at one screen, or at a server; or a saved one that goes on. Fills the terminal; ? there\n"
          "shows the keys. The game is saved after every choice. Without a terminal, and with --plain, it is played line by line: moves are\n"
          "typed as in a game record, such as 17:a1a2a3; ? lists what is legal, help tells the rest."),
        option,
        "  pyramids play\n"
        "  pyramids play --players 4 --bots expert\n"
        "  pyramids play --hot-seat Ana,Ben\n"
        "  pyramids play --server http://localhost:8080 --table K7QXMWRT\n"
        "  pyramids play --replay game.pyr\n"
        "  pyramids play --plain --players 3 --bots greedy,random --seed 7\n"
        "  pyramids play saved.pyr\n",
    };
    int code = cli_parse(&options, &argc, argv, value);
    if (code >= 0)
        return code;
    uint64_t players = 2, seed = any_seed(), seat = 1;
    if (argc <= 1 && !makes_sense(option, value, argc ? argv[0] : NULL))
        return CLI_USAGE;
    if ((value[PLAYERS] && !cli_number(value[PLAYERS], "--players", PYR_MIN_SEATS, PYR_MAX_SEATS, &players)) ||
        (value[SEED] && !cli_number(value[SEED], "--seed", 0, UINT64_MAX, &seed)) ||
        (value[SEAT] && !cli_number(value[SEAT], "--seat", 1, PYR_MAX_SEATS, &seat)) ||
        (argc <= 1 && !count_players(value, argc ? argv[0] : NULL, &players)))
        return CLI_USAGE;
    if (argc > 1 || (!argc && seat > players)) {
        if (argc > 1)
            cli_error(_("unexpected word '%s'"), argv[1]);
        else
            cli_error(_("--seat: there are only %u players"), (unsigned)players);
        return CLI_USAGE;
    }
    struct game *g = calloc(1, sizeof *g);
    if (!g) {
        cli_error(_("out of memory"));
        return CLI_WRONG;
    }
    g->me = (pyr_seat)(seat - 1);
    code = find_bots(g, value[BOTS] ? value[BOTS] : "club") ? CLI_GOOD : CLI_USAGE;
    if (!code && !value[PLAIN]) {
        code = play_full_screen(g, value, argc ? argv[0] : NULL, (unsigned)players, seed);
        if (code != TUI_NO_TERMINAL) {
            free(g);
            return code;
        }
        code = CLI_GOOD;
    }
    if (!code && (value[HOT_SEAT] || value[SERVER] || value[REPLAY] || value[CONTINUE])) {
        cli_error(_("--hot-seat, --continue, --server and --replay need a terminal to draw on"));
        code = CLI_USAGE;
    }
    cli_catch_interrupt();
    pyr_rng_seed(&g->rng, seed, 1);
    if (!code && argc) {
        code = resume(g, argv[0], value[EDITION], seed);
    } else if (!code) {
        code = cli_edition_load(value[EDITION], &g->edition);
        if (!code)
            code = begin(g, (unsigned)players, seed, cli_own_name(value[NAME]));
    }
    if (!code && !equip_bots(g))
        code = CLI_WRONG;
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++) {
        char name[sizeof *g->namebuf];
        pyr_text_player((struct pyr_word){ g->namebuf[s], strlen(g->namebuf[s]) }, name, sizeof name);
        memcpy(g->namebuf[s], name, sizeof name);
        g->name[s] = (struct pyr_word){ g->namebuf[s], strlen(g->namebuf[s]) };
    }
    if (!code)
        code = play(g);
    while (g->past)
        forget(g);
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        free(g->memory[s]);
    free(g);
    return code;
}
