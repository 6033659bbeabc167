/* words.c: see words.h. A whole sentence a case; lists are joined by commas in every language. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/utf8.h>

#include "words.h"

/* Adds an item to a list. */
static void __attribute__((format(printf, 3, 4))) add(char *to, size_t size, const char *format, ...)
{
    va_list arguments;
    size_t length = strlen(to);
    if (length && length + 3 < size) {
        strcpy(to + length, ", ");
        length += 2;
    }
    va_start(arguments, format);
    vsnprintf(to + length, size - length, format, arguments);
    va_end(arguments);
}

/* "2 rubies, torch, tomb"; "" if there is nothing. */
static void write_gains(const struct gains *g, char *to, size_t size)
{
    to[0] = '\0';
    if (g->ruby)
        add(to, size, pyr_ngettext("%u ruby", "%u rubies", g->ruby), g->ruby);
    if (g->emerald)
        add(to, size, pyr_ngettext("%u emerald", "%u emeralds", g->emerald), g->emerald);
    if (g->torch && g->torch_lost)
        add(to, size, "%s", _("torch (this round's is marked)"));
    else if (g->torch)
        add(to, size, "%s", _("torch"));
    if (g->skull)
        add(to, size, pyr_ngettext("%u skull", "%u skulls", g->skull), g->skull);
    if (g->potion)
        add(to, size, pyr_ngettext("%u potion", "%u potions", g->potion), g->potion);
    if (g->cross)
        add(to, size, pyr_ngettext("%u red cross", "%u red crosses", g->cross), g->cross);
    if (g->tomb)
        add(to, size, "%s", _("tomb"));
}

/* The same as signs, for where words are too long. */
static void sign_gains(const struct gains *g, char *to, size_t size)
{
    const struct {
        unsigned count;
        int32_t sign;
    } kinds[] = { { g->ruby, RUBY }, { g->emerald, EMERALD }, { g->torch, TORCH }, { g->skull, SKULL },
        { g->potion, POTION }, { g->cross, CROSS }, { g->tomb, TOMB } };
    to[0] = '\0';
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char sign[5] = "";
        pyr_utf8_write(kinds[i].sign, sign);
        if (kinds[i].count)
            snprintf(to + strlen(to), size - strlen(to), "%s%u%s", to[0] ? " " : "", kinds[i].count, sign);
    }
}

/* Both possible endings (extra marks owed, or lost) are sentences of their own, so that each can be translated as a
 * whole. */
void words_preview(const struct gains *g, bool signs, char *to, size_t size)
{
    char list[200];
    if (signs)
        sign_gains(g, list, sizeof list);
    else
        write_gains(g, list, sizeof list);
    if (list[0])
        snprintf(to, size, _("%s: %d → %d."), list, g->before, g->after);
    else
        snprintf(to, size, _("No symbol: %d → %d."), g->before, g->after);
    size_t length = strlen(to);
    if (length + 2 > size)
        return;
    if (g->due)
        snprintf(to + length, size - length, pyr_ngettext(" Then %u extra mark.", " Then %u extra marks.", g->due), g->due);
    else if (g->lost)
        snprintf(to + length, size - length, pyr_ngettext(" No space is left for the extra mark: it is lost (Q3).",
            " No space is left for %u extra marks: they are lost (Q3).", g->lost), g->lost);
    length = strlen(to);
    if (g->healed && length + 2 <= size)
        snprintf(to + length, size - length, pyr_ngettext(" %u skull is erased.", " %u skulls are erased.", g->healed),
            g->healed);
}

/* Two errors need other words here than in a record; the rest are those of src/text. */
void words_reason(enum pyr_err err, char *to, size_t size)
{
    switch (err) {
    case PYR_ERR_NOT_ON_DESK: snprintf(to, size, "%s", _("No card here.")); break;
    case PYR_ERR_NOT_READY: snprintf(to, size, "%s", _("You must keep two cards (R4).")); break;
    default: pyr_text_reason(err, to, size); break;
    }
}

/* The spaces of a set: "c1 c2 d2". */
static void write_spaces(pyr_spaces spaces, char *to, size_t size)
{
    size_t at = 0;
    to[0] = '\0';
    for (unsigned row = 0; row < PYR_SIDE; row++)
        for (unsigned column = 0; column < PYR_SIDE; column++)
            if (spaces & PYR_SPACE(row, column) && at + 4 < size)
                at += (size_t)snprintf(to + at, size - at, at ? " %c%u" : "%c%u", "abcde"[column], row + 1);
}

void words_turn(const struct pyr_table *open, char *to, size_t size)
{
    if (open->phase == PYR_KEEP || open->revealed[0] == PYR_NO_PATTERN)
        snprintf(to, size, "%s", _("Before the first round"));
    else
        snprintf(to, size, _("Round %u of 4, turn %u of 7"), open->round + 1u, open->turn + 1u);
}

void words_names(unsigned seats, char names[][PYR_MAX_PLAYER_NAME + 1], char *to, size_t size)
{
    to[0] = '\0';
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        if (seats >> s & 1)
            add(to, size, "%s", names[s]);
}

/* "" while nobody has won. The bit at 63 keeps __builtin_ctzll defined where nobody completed anything. */
void words_winner(const struct pyr_box *box, const struct pyr_table *open, char names[][PYR_MAX_PLAYER_NAME + 1],
    char *to, size_t size)
{
    unsigned winners = pyr_table_winners(open, box), tied = 0;
    if (!winners) {
        to[0] = '\0';
        return;
    }
    unsigned first = (unsigned)__builtin_ctz(winners);
    int points = pyr_table_score(open, box, (pyr_seat)first).total;
    for (unsigned s = 0; s < open->seats; s++)
        if (pyr_table_score(open, box, (pyr_seat)s).total == points)
            tied |= 1u << s;
    if (winners & (winners - 1)) {
        char list[600];
        words_names(winners, names, list, sizeof list);
        snprintf(to, size, _("%s share the win with %d points: none of them completed a pyramid (Q8)."), list, points);
    } else if (tied & (tied - 1)) {
        snprintf(to, size, _("%s wins the tie at %d points with the lowest pyramid, %d (R17)."), names[first], points,
            __builtin_ctzll(open->desk[first].done | (uint64_t)1 << 63) + 1);
    } else {
        snprintf(to, size, _("%s wins with %d points."), names[first], points);
    }
}

/* The story. */

/* NULL without memory. The pointer is good until the next call. */
static struct story_line *story_add(struct story *story, uint32_t line)
{
    if (story->count == story->room) {
        unsigned room = story->room ? story->room * 2 : 64;
        struct story_line *larger = realloc(story->line, room * sizeof *larger);
        if (!larger)
            return NULL;                     /* a shorter story is better than none */
        story->line = larger;
        story->room = room;
    }
    struct story_line *new = &story->line[story->count++];
    *new = (struct story_line){ .line = line };
    return new;
}

/* How many extra marks of a mark in the log had nowhere to go (Q3). */
static unsigned lost_marks(const struct pyr_box *box, const struct pyr_event *event)
{
    unsigned crosses = 0;
    for (unsigned i = 0; i < event->count; i++)
        crosses += (unsigned)__builtin_popcount(event->part[i].spaces & box->card[event->part[i].card].cross);
    return event->count && crosses + 1u > event->count ? crosses + 1u - event->count : 0;
}

/* What follows from a mark: extra marks that were lost, cards that are complete. */
static void tell_after_mark(struct story *story, const struct pyr_box *box, const struct pyr_event *event, const char *name,
    uint32_t line)
{
    unsigned lost = lost_marks(box, event);
    struct story_line *to = lost ? story_add(story, line) : NULL;
    if (to) {
        to->news = true;
        snprintf(to->text, sizeof to->text, pyr_ngettext("%s loses %u extra mark: no space is left for it (Q3).",
            "%s loses %u extra marks: no space is left for them (Q3).", lost), name, lost);
    }
    for (unsigned i = 0; i < event->count; i++) {
        const struct pyr_card_face *face = &box->card[event->part[i].card];
        if (event->part[i].spaces & face->tomb && (to = story_add(story, line))) {
            to->news = true;
            snprintf(to->text, sizeof to->text, _("%s completes card %d, %s."), name, event->part[i].card + 1,
                pyr_text_colour(face->colour));
        }
    }
}

/* One line per part: the pattern, then each extra mark. */
static void tell_mark(struct story *story, const struct pyr_box *box, const struct pyr_event *event, const char *name,
    uint32_t line)
{
    for (unsigned i = 0; i < event->count; i++) {
        const struct pyr_part *part = &event->part[i];
        const struct pyr_card_face *face = &box->card[part->card];
        struct gains g = { .ruby = (uint8_t)__builtin_popcount(part->spaces & face->ruby),
            .emerald = (uint8_t)__builtin_popcount(part->spaces & face->emerald),
            .torch = (part->spaces & face->torch) != 0,
            .skull = (uint8_t)__builtin_popcount(part->spaces & face->skull),
            .potion = (uint8_t)__builtin_popcount(part->spaces & face->potion),
            .cross = (uint8_t)__builtin_popcount(part->spaces & face->cross),
            .tomb = (part->spaces & face->tomb) != 0 };
        char spaces[96], list[200];
        struct story_line *to = story_add(story, line);
        if (!to)
            return;
        write_spaces(part->spaces, spaces, sizeof spaces);
        write_gains(&g, list, sizeof list);
        if (i && list[0])
            snprintf(to->text, sizeof to->text, _("%s, extra mark: %s on %d: %s."), name, spaces, part->card + 1, list);
        else if (i)
            snprintf(to->text, sizeof to->text, _("%s, extra mark: %s on %d."), name, spaces, part->card + 1);
        else if (list[0])
            snprintf(to->text, sizeof to->text, _("%s marks %s on %d: %s."), name, spaces, part->card + 1, list);
        else
            snprintf(to->text, sizeof to->text, _("%s marks %s on %d."), name, spaces, part->card + 1);
    }
    struct story_line *to = event->count ? NULL : story_add(story, line);
    if (to)
        snprintf(to->text, sizeof to->text, _("%s has nothing to mark and passes."), name);
    tell_after_mark(story, box, event, name, line);
}

static void tell_cards(char *to, size_t size, const struct pyr_event *event)
{
    to[0] = '\0';
    for (unsigned i = 0; i < event->count && i < PYR_DEALT; i++)
        add(to, size, "%d", event->card[i] + 1);
}

/* Lines that say nothing to a player (tags, deals, the header) have no sentence. `reveals` counts the turns, since a
 * reveal in the log does not name its round. */
static void tell_line(struct story *story, const struct pyr_match *match, uint32_t line,
    char names[][PYR_MAX_PLAYER_NAME + 1], unsigned *reveals)
{
    struct pyr_lines lines;
    struct pyr_event event;
    struct pyr_word word = pyr_match_line(match, line);
    struct story_line *to;
    char list[64];
    pyr_lines_init(&lines, word.at, word.length);
    if (!pyr_lines_next(&lines, false) || !pyr_event_read(&event, match->edition, &lines))
        return;
    const char *name = event.seat < PYR_MAX_SEATS ? names[event.seat] : "";
    switch (event.kind) {
    case PYR_EVENT_KEEP:
        if ((to = story_add(story, line)))
            snprintf(to->text, sizeof to->text, _("%s keeps cards %d and %d."), name, event.card[0] + 1, event.card[1] + 1);
        break;
    case PYR_EVENT_SHOW:
        tell_cards(list, sizeof list, &event);
        if ((to = story_add(story, line)))
            snprintf(to->text, sizeof to->text,
                pyr_ngettext("New in the display: %s.", "New in the display: %s.", event.count), list);
        break;
    case PYR_EVENT_REVEAL:
        if ((to = story_add(story, line))) {
            snprintf(to->text, sizeof to->text, _("Round %u, turn %u: pattern %s"), *reveals / PYR_TURNS + 1,
                *reveals % PYR_TURNS + 1, match->edition->pattern_name[event.pattern]);
            to->heading = true;
        }
        ++*reveals;
        break;
    case PYR_EVENT_MARK: tell_mark(story, &match->edition->box, &event, name, line); break;
    case PYR_EVENT_TAKE:
        if ((to = story_add(story, line)))
            snprintf(to->text, sizeof to->text, _("%s takes card %d from the display."), name, event.card[0] + 1);
        break;
    case PYR_EVENT_DRAW:
        if ((to = story_add(story, line)))
            snprintf(to->text, sizeof to->text, _("%s draws card %d from the deck."), name, event.card[0] + 1);
        break;
    case PYR_EVENT_POINTS:
        if ((to = story_add(story, line))) {
            to->news = true;
            snprintf(to->text, sizeof to->text, _("%s takes %d pyramid points for %s."), name, event.points,
                pyr_text_colour(event.colour));
        }
        break;
    case PYR_EVENT_SCORE:
        if ((to = story_add(story, line)))
            snprintf(to->text, sizeof to->text,
                pyr_ngettext("%s has %d point.", "%s has %d points.", (unsigned long)abs(event.score.total)), name,
                event.score.total);
        break;
    default: break;
    }
}

/* Only new lines are put into words; the reveals before them are counted by the headings. */
void story_tell(struct story *story, const struct pyr_match *match, uint32_t lines, char names[][PYR_MAX_PLAYER_NAME + 1])
{
    unsigned reveals = 0;
    if (lines < story->told)
        story->count = story->told = 0;
    for (unsigned i = 0; i < story->count; i++)
        reveals += story->line[i].heading;
    for (; story->told < lines && story->told < match->log.lines; story->told++)
        tell_line(story, match, story->told, names, &reveals);
}

/* Adds a sentence behind another one. */
static void add_sentence(char *to, size_t size, const char *sentence)
{
    size_t length = strlen(to);
    snprintf(to + length, size - length, "%s%s", length ? " " : "", sentence);
}

/* The turn before the present one lies between the last two headings. */
void story_news(const struct story *story, char *to, size_t size, char *brief, size_t brief_size)
{
    unsigned end = story->count, first, count = 0;
    to[0] = brief[0] = '\0';
    while (end > 0 && !story->line[end - 1].heading)
        end--;
    if (end > 0)
        end--;                               /* the heading of the present turn */
    for (first = end; first > 0 && !story->line[first - 1].heading; first--)
        count += story->line[first - 1].news;
    for (; first < end; first++)
        if (story->line[first].news)
            add_sentence(to, size, story->line[first].text);
    if (count)
        snprintf(brief, brief_size, "%s", _("Pyramids were completed: L shows what happened."));
}

void story_about(const struct story *story, uint32_t line, char *to, size_t size)
{
    to[0] = '\0';
    for (unsigned i = 0; i < story->count; i++)
        if (story->line[i].line == line)
            add_sentence(to, size, story->line[i].text);
}

void story_finish(struct story *story)
{
    free(story->line);
    *story = (struct story){ 0 };
}
