/*
 * draw.h (draw.c, sheets.c): a game on a canvas: cards, score card, display, opponents, log, and the sheets that cover them.
 */
#ifndef PYR_TUI_DRAW_H
#define PYR_TUI_DRAW_H

#include "canvas.h"
#include "words.h"

/* The smallest window that is supported: that of an old terminal. */
#define TUI_MIN_WIDTH 80
#define TUI_MIN_HEIGHT 24

/* What a player is doing, as everyone may know. */
enum sign { SIGN_NONE, SIGN_THINKS, SIGN_READY, SIGN_AWAY };

/* Places to click (canvas.h): a key (detail: which), a space of a card (detail: slot * 25 + row * 5 + column), an item
 * of a list, a line of the story. */
enum action { ACT_KEY = 1, ACT_SPACE, ACT_ITEM };

/* A key and what it does, for the last line and for clicking. */
struct key_hint {
    int key;                     /* as in screen.h */
    const char *name;            /* how the key is written */
    const char *does;            /* translated, one word or two */
};

#define MAX_HINTS 14

/* Everything that is drawn. */
struct scene {
    const struct pyr_edition *edition;
    const struct pyr_match *match;
    struct pyr_view view;        /* the view that is shown */
    pyr_seat seat;               /* whose desk is shown large; PYR_NOBODY never */
    char (*names)[PYR_MAX_PLAYER_NAME + 1];
    enum sign sign[PYR_MAX_SEATS];
    enum hand_state state;
    const struct hand *hand;     /* NULL if no one plays here: a replay, a spectator */
    const struct story *story;
    const char *title;           /* on the right of the first line: the mode, the table */
    const char *short_title;     /* used instead where there is no room for the title; or NULL */
    const char *message;         /* the line above the keys */
    enum style message_style;
    const char *standing;                    /* of a series of games, NULL if it is none */
    const char *banner;          /* shown over everything, such as that the connection is lost; or NULL */
    const char *preview;         /* shown below the cards if there is no hand */
    unsigned beat;               /* grows while something is under way, to animate the spinner */
    const struct key_hint *hints;
    unsigned hint_count;
    uint32_t story_mark;         /* in a replay: the present line of the log, else UINT32_MAX */
    const char *(*story_sign)(void *context, uint32_t line);     /* a mark beside a line of the story, or NULL */
    void *story_context;
    pyr_spaces shown[PYR_SLOTS];  /* replay: what was marked last */
    bool bare_console;           /* a font of 256 signs */
};

/* Draws the table. If the canvas is too small, draws a message instead and returns false. */
bool draw_table(struct canvas *canvas, const struct scene *scene);

/* Sheets that fill the page under the first line. */
void draw_keep(struct canvas *canvas, const struct scene *scene);
void draw_replace(struct canvas *canvas, const struct scene *scene);
void draw_players(struct canvas *canvas, const struct scene *scene);
void draw_story(struct canvas *canvas, const struct scene *scene, unsigned from_end);
void draw_scores(struct canvas *canvas, const struct scene *scene);
void draw_help(struct canvas *canvas, const struct scene *scene, int page);
#define HELP_PAGES 3             /* the last one is that of the rules (rulesheet.h) */

/* A sheet with a heading and a text in the middle of the page: covers, questions, messages. Returns where the text is. */
struct place draw_notice(struct canvas *canvas, const char *heading, const char *text, const struct key_hint *hints,
    unsigned count);

/* A list to choose from, with a heading and a line at the foot. */
void draw_list(struct canvas *canvas, const char *heading, const char *const *items, unsigned count, unsigned at,
    const char *foot, const struct key_hint *hints, unsigned hint_count);

/* Parts that several sheets use (draw.c). */

/* How large the spaces of a card are. */
struct card_size {
    int width, height;           /* of a space */
    bool grid;                   /* lines between the spaces */
};

/* What is on a card's spaces: marked, can be marked, under the pattern in hand, placed in this turn. */
struct card_look {
    pyr_spaces marks, can, ghost, placed;
    bool wrong;                  /* the ghost is not legal */
    bool active;                 /* the card in hand */
    int slot;                    /* its spaces can be clicked: 0, 1; -1: they cannot */
};

/* In columns and rows, with frame and numbers. */
int card_width(struct card_size size);
int card_height(struct card_size size);
void draw_card(struct canvas *canvas, int x, int y, struct card_size size, const struct scene *scene, pyr_card card,
    const struct card_look *look);
void draw_title(struct canvas *canvas, const struct scene *scene);
void draw_foot(struct canvas *canvas, const struct scene *scene);
void draw_hints(struct canvas *canvas, int x, int y, int most, const struct key_hint *hints, unsigned count);
bool draw_is_too_small(struct canvas *canvas);

/* The sign of a symbol on a card's space, and its style there. */
uint32_t symbol_sign(const struct scene *scene, const struct pyr_card_face *face, pyr_spaces space, enum style *style);
/* The signs of a colour's pyramid and rock, for players who cannot tell colours apart. */
uint32_t colour_sign(unsigned colour);
enum style colour_style(unsigned colour);
/* "gems 11", or with their signs where the language has no short word. */
void draw_gem_points(struct canvas *canvas, int x, int y, int most, enum style style, int points);
/* A turning sign. */
uint32_t spinner(unsigned beat, bool ascii);

#endif
