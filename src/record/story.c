/*
 * story.c: events of a record as sentences without words (story.h). Each line is read by itself: its legality was
 * checked before (replay.c).
 */
#include <pyramids/story.h>

bool pyr_story_is_news(enum pyr_story kind)
{
#define NEWS(name, number, news) | (uint32_t)news << number
    return (0u PYR_STORY(NEWS)) >> kind & 1;
#undef NEWS
}

struct pyr_symbols pyr_symbols_count(const struct pyr_card_face *face, pyr_spaces spaces)
{
#define COUNT(symbol, character) .symbol = (uint8_t)__builtin_popcount(spaces & face->symbol),
    return (struct pyr_symbols){ PYR_SYMBOLS(COUNT) COUNT(tomb, 'T') };
#undef COUNT
}

/* Whether any of the spaces has a symbol. */
static bool has_symbol(const struct pyr_card_face *face, pyr_spaces spaces)
{
#define OR(symbol, character) | face->symbol
    return spaces & (face->tomb PYR_SYMBOLS(OR));
#undef OR
}

/* Adds a sentence with at most two numbers. */
static void add(struct pyr_sentence *to, unsigned *count, enum pyr_story kind, pyr_seat seat, unsigned numbers, int first,
    int second)
{
    if (*count < PYR_MAX_SENTENCES)
        to[(*count)++] = (struct pyr_sentence){ .kind = (uint8_t)kind, .seat = seat, .count = (uint8_t)numbers,
            .number = { (int16_t)first, (int16_t)second } };
}

/* The pattern, then each extra mark, then their effects. Every cross gives one more mark; those that were not made had no
 * space to go to (Q3). */
static unsigned read_mark(const struct pyr_event *event, const struct pyr_box *box, struct pyr_sentence *to)
{
    unsigned count = 0, owed = 1;
    for (unsigned i = 0; i < event->count; i++) {
        const struct pyr_part *part = &event->part[i];
        const struct pyr_card_face *face = &box->card[part->card];
        add(to, &count, (i ? PYR_STORY_EXTRA : PYR_STORY_MARK) + !has_symbol(face, part->spaces), event->seat, 1,
            part->card + 1, 0);
        to[i].spaces = part->spaces;
        owed += (unsigned)__builtin_popcount(part->spaces & face->cross);
    }
    if (!count)
        add(to, &count, PYR_STORY_PASS, event->seat, 0, 0, 0);
    else if (owed > event->count)
        add(to, &count, PYR_STORY_LOST, event->seat, 1, (int)(owed - event->count), 0);
    for (unsigned i = 0; i < event->count; i++) {
        const struct pyr_part *part = &event->part[i];
        if (part->spaces & box->card[part->card].tomb)
            add(to, &count, PYR_STORY_COMPLETE, event->seat, 2, part->card + 1, box->card[part->card].colour);
    }
    return count;
}

unsigned pyr_story_read(
    const struct pyr_event *event, const struct pyr_box *box, struct pyr_sentence to[PYR_MAX_SENTENCES])
{
    unsigned count = 0;
    pyr_seat seat = event->seat;
    const pyr_card *card = event->card;
    switch (event->kind) {
    case PYR_EVENT_KEEP: add(to, &count, PYR_STORY_KEEP, seat, 2, card[0] + 1, card[1] + 1); break;
    case PYR_EVENT_SHOW:
        add(to, &count, PYR_STORY_SHOW, PYR_NOBODY, event->count, 0, 0);
        for (unsigned i = 0; i < event->count && i < PYR_DEALT; i++)
            to->number[i] = (int16_t)(card[i] + 1);
        break;
    case PYR_EVENT_REVEAL: add(to, &count, PYR_STORY_REVEAL, PYR_NOBODY, 1, event->pattern, 0); break;
    case PYR_EVENT_MARK: return read_mark(event, box, to);
    case PYR_EVENT_TAKE: add(to, &count, PYR_STORY_TAKE, seat, 1, card[0] + 1, 0); break;
    case PYR_EVENT_DRAW: add(to, &count, PYR_STORY_DRAW, seat, 1, card[0] + 1, 0); break;
    case PYR_EVENT_POINTS: add(to, &count, PYR_STORY_POINTS, seat, 2, event->points, event->colour); break;
    case PYR_EVENT_SCORE: add(to, &count, PYR_STORY_SCORE, seat, 1, event->score.total, 0); break;
    default: break;
    }
    return count;
}
