/*
 * story.h (story.c): which sentences describe a line of a record, and with which values. All clients use this, so all
 * show the same sentences. Their words are in src/text/sentences.inc (EVENT); the terminal (pyr_text_sentence) and the
 * page (web/words.js) put the values into them.
 */
#ifndef PYR_STORY_H
#define PYR_STORY_H

#include <pyramids/record.h>

PYR_BEGIN_DECLS

/* X(NAME, number, is news). News is shown to everyone, even where there is no room for the whole story. */
#define PYR_STORY(X) \
    X(KEEP, 0, 0) \
    X(SHOW, 1, 0) \
    X(REVEAL, 2, 0) \
    X(PASS, 3, 0) \
    X(MARK, 4, 0) \
    X(MARK_PLAIN, 5, 0) \
    X(EXTRA, 6, 0) \
    X(EXTRA_PLAIN, 7, 0) \
    X(LOST, 8, 1) \
    X(COMPLETE, 9, 1) \
    X(TAKE, 10, 0) \
    X(DRAW, 11, 0) \
    X(POINTS, 12, 1) \
    X(SCORE, 13, 0)

#define PYR_STORY_MEMBER(name, number, news) PYR_STORY_##name = number,
enum pyr_story { PYR_STORY(PYR_STORY_MEMBER) PYR_STORIES = 14 };
#undef PYR_STORY_MEMBER

/* A sentence without its words. A kind that ends in _PLAIN follows the one it is like: a mark that covers no symbol. */
struct pyr_sentence {
    uint8_t kind;                /* enum pyr_story */
    pyr_seat seat;               /* whom it is about; PYR_NOBODY: show, reveal */
    uint8_t count;               /* how many numbers there are */
    /*
     * keep, show, take, draw: cards, from 1. reveal: the pattern, from 0. mark, extra: the card. lost: how many extra
     * marks. complete: the card and its colour. points: how many, and the colour. score: the total.
     */
    int16_t number[PYR_DEALT];
    pyr_spaces spaces;           /* mark, extra: what is marked */
};

/* A mark needs the most: each of its parts, each card that it completes, and one for lost extra marks. */
#define PYR_MAX_SENTENCES (PYR_MAX_PARTS + 3)

PYR_API bool pyr_story_is_news(enum pyr_story kind);

/* The sentences about an event of a game with this box, in order; how many. Lines that are of no interest to a player
 * (tags, deals, the header, the winner, whom every client shows in its own way) have none. */
PYR_API unsigned pyr_story_read(
    const struct pyr_event *event, const struct pyr_box *box, struct pyr_sentence to[PYR_MAX_SENTENCES]);

/* How many of each symbol there are among some spaces of a card. */
struct pyr_symbols {
#define PYR_SYMBOL_COUNT(name, character) uint8_t name;
    PYR_SYMBOLS(PYR_SYMBOL_COUNT)
#undef PYR_SYMBOL_COUNT
    uint8_t tomb;
};
PYR_API struct pyr_symbols pyr_symbols_count(const struct pyr_card_face *face, pyr_spaces spaces);

PYR_END_DECLS

#endif
