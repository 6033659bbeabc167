/*
 * showing.c: prints a position in characters, and reads what players type about it, for commands that work line by line
 * (showing.h).
 */
#include <stdarg.h>
#include <string.h>

#include <pyramids/score.h>

#include "showing.h"

/* The table in characters. */

/* Both cards with their marks, side by side. */
static void show_desk(const struct showing *g, const struct pyr_desk *desk)
{
    pyr_spaces marks[PYR_SLOTS];
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++)
        marks[slot] = pyr_desk_marks(desk, &g->edition->box, slot);
    pyr_text_cards(stdout, &g->edition->box, desk->card, marks, PYR_SLOTS, PYR_SLOTS);
}

/* Adds to a list. Text that does not fit is cut off. */
__attribute__((format(printf, 3, 4))) static void add(char *to, size_t size, const char *format, ...)
{
    va_list arguments;
    size_t length = strlen(to);
    va_start(arguments, format);
    vsnprintf(to + length, size - length, format, arguments);
    va_end(arguments);
}

/* One line per player. Torches are shown by round: the round's number if it was taken, else a dash. */
static void show_score_card(const struct showing *g, const struct pyr_table *open, pyr_seat seat,
    const struct pyr_desk *desk)
{
    struct pyr_score score = pyr_desk_score(desk, &g->edition->box, pyr_table_points(open, seat));
    char torches[PYR_ROUNDS + 1] = "", pyramids[512] = "";
    for (unsigned round = 0; round < PYR_ROUNDS; round++)
        torches[round] = desk->torches >> round & 1 ? (char)('1' + round) : '-';
    for (unsigned colour = 0; colour < PYR_COLOURS; colour++) {
        pyr_cardset done = desk->done & g->edition->box.colour[colour];
        if (done)
            add(pyramids, sizeof pyramids, "%s%s", *pyramids ? ", " : "", pyr_text_colour(colour));
        for (; done; done &= done - 1)
            add(pyramids, sizeof pyramids, " %d", __builtin_ctzll(done) + 1);
        for (unsigned place = 0; place < PYR_TILES; place++)
            if (open->tile[colour][place] == seat)
                add(pyramids, sizeof pyramids, " +%d", pyr_tile_value(place));
    }
    printf(_("  %s: points %d; rubies %u, emeralds %u, torches %s, skulls %u (%d); pyramids: %s\n"), g->name[seat],
        score.total, desk->rubies, desk->emeralds, torches, desk->skulls, score.skulls, *pyramids ? pyramids : _("none"));
}

/* The tiles that no player has taken yet, by colour. */
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

static void show_display(const struct showing *g, const struct pyr_table *open)
{
    pyr_card cards[PYR_DISPLAY];
    unsigned count = 0;
    for (unsigned i = 0; i < PYR_DISPLAY; i++)
        if (open->display[i] != PYR_NO_CARD)
            cards[count++] = open->display[i];
    if (open->deck_left)
        printf(pyr_ngettext("Display, and %u card in the deck:\n", "Display, and %u cards in the deck:\n", open->deck_left),
            open->deck_left);
    else
        puts(_("Display; the deck is empty (R13):"));
    if (count)
        pyr_text_cards(stdout, &g->edition->box, cards, NULL, count, PYR_DISPLAY);
    else
        printf("  %s\n", _("no card"));
}

/* The pattern of this turn, and those that may still be revealed: one of them will not be, since a round has one turn
 * fewer than there are cards. */
static void show_pattern(const struct showing *g, const struct pyr_table *open)
{
    unsigned left[PYR_PATTERNS];
    pyr_pattern now = open->revealed[open->turn];
    for (unsigned p = 0; p < PYR_PATTERNS; p++)
        left[p] = g->edition->box.pattern[p].copies;
    for (unsigned i = 0; i <= open->turn; i++)
        left[open->revealed[i]]--;
    printf(_("Round %u, turn %u of %u. Pattern %s:\n"), open->round + 1u, open->turn + 1u, PYR_TURNS,
        g->edition->pattern_name[now]);
    pyr_text_pattern(stdout, &g->edition->box, now, "    ");
    char hidden[16 * (PYR_MAX_NAME + 1) + 1] = "";
    for (unsigned p = 0; p < PYR_PATTERNS; p++)
        for (unsigned i = 0; i < left[p]; i++)
            add(hidden, sizeof hidden, "%s%s", *hidden ? " " : "", g->edition->pattern_name[p]);
    printf(_("Still to come this round (all but one of): %s\n"), hidden);
}

/* As the player sees it, with their choice so far in this phase. While keeping there is no display yet. */
void showing_table(const struct showing *g, const struct pyr_view *view)
{
    putchar('\n');
    if (view->open.phase == PYR_KEEP) {
        printf("%s", _("Your four cards; keep two:\n"));
        pyr_text_cards(stdout, &g->edition->box, view->dealt, NULL, PYR_DEALT, PYR_DEALT);
        return;
    }
    if (view->open.phase == PYR_MARK)
        show_pattern(g, &view->open);
    show_display(g, &view->open);
    show_points(&view->open);
    printf("%s", _("Your cards (* is marked):\n"));
    show_desk(g, &view->mine);
    for (unsigned s = 0; s < view->open.seats; s++)
        show_score_card(g, &view->open, (pyr_seat)s, s == view->seat ? &view->mine : &view->open.desk[s]);
    if (view->open.phase == PYR_REPLACE)
        puts(view->open.deck_left ? _("Take a new card: take CARD, or draw from the deck (R12).")
            : _("Take a new card: take CARD. The deck is empty (R13)."));
}

/* Their desks as everyone sees them: without their choices in this phase. */
void showing_players(const struct showing *g, const struct pyr_table *open, pyr_seat me)
{
    for (unsigned s = 0; s < open->seats; s++) {
        if (s == me)
            continue;
        show_score_card(g, open, (pyr_seat)s, &open->desk[s]);
        show_desk(g, &open->desk[s]);
    }
}

/* Converts typed input to the notation of records. Input that is not understood is left as it is, for a message about it. */

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

/* Sorts the spaces of a part row by row, if they are spaces. */
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

/* Without blanks, and with a colon after the card: "33 d1 e1" becomes 33:d1e1. */
static void tidy_mark(char *word, size_t room)
{
    char to[512];
    size_t length = 0;
    bool colon = false;
    if (2 * strlen(word) + 2 > sizeof to)
        return;
    for (const char *c = strncmp(word, "mark ", 5) ? word : word + 5; *c; c++) {
        if (is_blank(*c)) {
            /* Two separate numbers must not be joined. */
            if (length && to[length - 1] >= '0' && to[length - 1] <= '9' && c[strspn(c, " \t,&")] >= '0' &&
                c[strspn(c, " \t,&")] <= '9')
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

/* In lower case and the notation of the present phase. */
void showing_tidy(unsigned phase, char *word, size_t room)
{
    char card[32];
    for (char *c = word; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    switch (phase) {
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
