/*
 * words.h (words.c): the game in sentences: what happened, what a mark gains, why a mark is illegal.
 */
#ifndef PYR_TUI_WORDS_H
#define PYR_TUI_WORDS_H

#include <pyramids/text.h>

#include "hand.h"

/* The symbols and the tomb: name, sign, style on a card and in a text, in the order in which they are listed. */
enum { RUBY = 0x2666, EMERALD = 0x25a0, TORCH = 0x263c, SKULL = 0x2620, POTION = 0x2665, CROSS = 0xd7, TOMB = 0x3a9 };
#define SYMBOL_SIGNS(X) \
    X(ruby, RUBY, ST_RUBY, ST_RUBY_TEXT) X(emerald, EMERALD, ST_EMERALD, ST_EMERALD_TEXT) \
    X(torch, TORCH, ST_TORCH, ST_TORCH_TEXT) X(skull, SKULL, ST_SKULL, ST_TEXT) \
    X(potion, POTION, ST_POTION, ST_POTION_TEXT) X(cross, CROSS, ST_CROSS, ST_CROSS_TEXT) X(tomb, TOMB, ST_TOMB, ST_TEXT)

/* The log as sentences, one line per event, turns under headings. */
struct story_line {
    char text[240];
    uint32_t line;               /* of the log, from 0 */
    bool heading;
    /* Shown where there is no room for the story: completed pyramids, points, lost marks. */
    bool news;
};

struct story {
    struct story_line *line;
    unsigned count, room;
    uint32_t told;               /* lines of the log that were converted */
};

/* Converts the first `lines` lines of the log to sentences; starts over if the log is another one. */
void story_tell(struct story *story, const struct pyr_match *match, uint32_t lines, char names[][PYR_MAX_PLAYER_NAME + 1]);
void story_finish(struct story *story);

/* Adds a line that is not from the log of the game, such as a reaction. */
void story_say(struct story *story, const char *text);

/* The news of the turn before the present one, as sentences, and in one short sentence where those do not fit; both "" if
 * there are none. */
void story_news(const struct story *story, char *to, size_t size, char *brief, size_t brief_size);

/* All sentences about one line of the log. */
void story_about(const struct story *story, uint32_t line, char *to, size_t size);

/* Why a mark is illegal: a short sentence with its rule. */
void words_reason(enum pyr_err err, char *to, size_t size);

/* What a mark gains, in one or two sentences with the points before and after; symbols as words, or as signs where
 * there is little room. */
void words_preview(const struct gains *gains, bool signs, char *to, size_t size);

/* The name of a round and turn: "Round 2, turn 3 of 7". */
void words_turn(const struct pyr_table *open, char *to, size_t size);

/* Names of the seats in a set, comma-separated. */
void words_names(unsigned seats, char names[][PYR_MAX_PLAYER_NAME + 1], char *to, size_t size);

/* The players with the most points, if there are several: R17 decides by the lowest completed pyramid; under Q8 those
 * without one share the win. */
struct words_tie {
    unsigned seats;              /* a bit each; 0: no tie */
    int points;
    unsigned pyramid;            /* the lowest number that one of them completed; 0: none completed one */
    int margin;                  /* how many points the best has more than the next; 0 in a tie */
};

struct words_tie words_tie(const struct pyr_box *box, const struct pyr_table *open);

/* Who won a game that is over, and how: by points, or by the lower pyramid (R17, Q8). */
void words_winner(const struct pyr_box *box, const struct pyr_table *open, char names[][PYR_MAX_PLAYER_NAME + 1],
    char *to, size_t size);

#endif
