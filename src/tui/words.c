/* words.c: see words.h. One whole sentence per case; lists are joined by commas in every language. */
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

/* Symbols as signs, where words are too long. */
static void sign_symbols(const struct pyr_symbols *s, char *to, size_t size)
{
    const struct {
        unsigned count;
        int32_t sign;
    } kinds[] = {
#define KIND(name, sign, style, text_style) { s->name, sign },
        SYMBOL_SIGNS(KIND)
#undef KIND
    };
    to[0] = '\0';
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char sign[5] = "";
        pyr_utf8_write(kinds[i].sign, sign);
        if (kinds[i].count)
            snprintf(to + strlen(to), size - strlen(to), "%s%u%s", to[0] ? " " : "", kinds[i].count, sign);
    }
}

/* Both possible endings (extra marks due, or lost) are separate sentences, so that each can be translated as a whole. */
void words_preview(const struct gains *g, bool signs, char *to, size_t size)
{
    char list[200];
    if (signs)
        sign_symbols(&g->symbols, list, sizeof list);
    else
        pyr_text_symbols(&g->symbols, g->torch_lost, list, sizeof list);
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

/* Two errors need other words here than in a record; the others are those of src/text. */
void words_reason(enum pyr_err err, char *to, size_t size)
{
    switch (err) {
    case PYR_ERR_NOT_ON_DESK: snprintf(to, size, "%s", _("No card here.")); break;
    case PYR_ERR_NOT_READY: snprintf(to, size, "%s", _("You must keep two cards (R4).")); break;
    default: pyr_text_reason(err, to, size); break;
    }
}

void words_turn(const struct pyr_table *open, char *to, size_t size)
{
    if (open->phase == PYR_KEEP || open->revealed[0] == PYR_NO_PATTERN)
        snprintf(to, size, "%s", _("Before the first round"));
    else
        snprintf(to, size, _("Round %u of %u, turn %u of %u"), open->round + 1u, PYR_ROUNDS, open->turn + 1u, PYR_TURNS);
}

void words_names(unsigned seats, char names[][PYR_MAX_PLAYER_NAME + 1], char *to, size_t size)
{
    to[0] = '\0';
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        if (seats >> s & 1)
            add(to, size, "%s", names[s]);
}

struct words_tie words_tie(const struct pyr_box *box, const struct pyr_table *open)
{
    struct words_tie tie = { 0 };
    pyr_cardset done = 0;
    for (unsigned s = 0; s < open->seats; s++) {
        int points = pyr_table_score(open, box, (pyr_seat)s).total;
        if (!tie.seats || points > tie.points) {
            tie.margin = tie.seats ? points - tie.points : INT16_MAX;
            tie.seats = 0;
            tie.points = points;
            done = 0;
        } else if (tie.points - points < tie.margin) {
            tie.margin = tie.points - points;
        }
        if (points == tie.points) {
            tie.seats |= 1u << s;
            done |= open->desk[s].done;
        }
    }
    if (!(tie.seats & (tie.seats - 1)))
        tie.seats = 0;
    tie.pyramid = done ? (unsigned)__builtin_ctzll(done) + 1 : 0;
    return tie;
}

void words_winner(const struct pyr_box *box, const struct pyr_table *open, char names[][PYR_MAX_PLAYER_NAME + 1],
    char *to, size_t size)
{
    char winners[600], tied[600];
    struct words_tie tie = words_tie(box, open);
    struct pyr_outcome result = { winners, tied, tie.points, tie.margin, tie.pyramid };
    words_names(pyr_table_winners(open, box), names, winners, sizeof winners);
    words_names(tie.seats, names, tied, sizeof tied);
    pyr_text_outcome(&result, to, size);
}

/* The story. */

/* NULL without memory. The pointer is valid until the next call. */
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

/* `reveals` counts the turns, since a reveal in the log does not contain its round. */
static void write_line(struct story *story, const struct pyr_match *match, uint32_t line,
    char names[][PYR_MAX_PLAYER_NAME + 1], unsigned *reveals)
{
    struct pyr_lines lines;
    struct pyr_event event;
    struct pyr_sentence sentences[PYR_MAX_SENTENCES];
    struct pyr_word word = pyr_match_line(match, line);
    pyr_lines_init(&lines, word.at, word.length);
    if (!pyr_lines_next(&lines, false) || !pyr_event_read(&event, match->edition, &lines))
        return;
    unsigned count = pyr_story_read(&event, &match->edition->box, sentences);
    for (const struct pyr_sentence *s = sentences; s < sentences + count; s++) {
        struct story_line *to = story_add(story, line);
        if (!to)
            return;
        to->news = pyr_story_is_news(s->kind);
        to->heading = s->kind == PYR_STORY_REVEAL;
        pyr_text_sentence(s, match->edition, s->seat < PYR_MAX_SEATS ? names[s->seat] : "", *reveals, to->text,
            sizeof to->text);
        *reveals += to->heading;
    }
}

/* Only new lines are converted to sentences; the reveals before them are counted by the headings. */
void story_tell(struct story *story, const struct pyr_match *match, uint32_t lines, char names[][PYR_MAX_PLAYER_NAME + 1])
{
    unsigned reveals = 0;
    if (lines < story->told)
        story->count = story->told = 0;
    for (unsigned i = 0; i < story->count; i++)
        reveals += story->line[i].heading;
    for (; story->told < lines && story->told < match->log.lines; story->told++)
        write_line(story, match, story->told, names, &reveals);
}

void story_say(struct story *story, const char *text)
{
    struct story_line *to = story_add(story, story->told);
    if (to)
        snprintf(to->text, sizeof to->text, "%s", text);
}

/* Appends a sentence to another one. */
static void add_sentence(char *to, size_t size, const char *sentence)
{
    size_t length = strlen(to);
    snprintf(to + length, size - length, "%s%s", length ? " " : "", sentence);
}

/* The turn before the present one is between the last two headings. */
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
