/*
 * app.h: what the parts of the client share.
 *
 *   tui.c      starts and ends; which mode
 *   table.c    a game on the screen: drawing, keys and mouse, the same for local games and for those on a server
 *   game.c     a local game: bots, people in turns, saving
 *   remote.c   a game on a server; net.c  the connection
 *   replay.c   a record, step by step
 */
#ifndef PYR_TUI_APP_H
#define PYR_TUI_APP_H

#include "draw.h"
#include "rulesheet.h"
#include "saved.h"
#include "screen.h"
#include "think.h"
#include "tui.h"

/* What covers the table; one at a time. */
enum sheet { SHEET_NONE, SHEET_PLAYERS, SHEET_STORY, SHEET_HELP };
/* A question in a box over everything, answered with yes or no, or with a number (a reaction). */
enum question { ASK_NOTHING, ASK_QUIT, ASK_TAKE_BACK, ASK_REACTION };

struct app;
struct game;
struct remote;

/* The operations that differ between games played here (game.c) and on a server (remote.c). Functions marked "or NULL"
 * may be missing. */
struct play_ops {
    void (*tick)(struct app *app);                           /* handles what happened meanwhile: bots, the server */
    bool (*is_alive)(const struct app *app);                 /* something may happen without a key */
    const char *(*title)(struct app *app);                   /* shown on the right of the first line */
    const char *(*banner)(const struct app *app);            /* shown over everything, NULL if there is none; or NULL */
    enum sign (*sign)(const struct app *app, unsigned seat); /* what a player is doing; or NULL: derived from the match */
    unsigned (*waiting)(const struct app *app);              /* bits: seats that the game is waiting for */
    const char *(*leaving)(const struct app *app);           /* what happens to the game if the player leaves now */
    void (*confirm)(struct app *app);
    void (*take)(struct app *app, pyr_step step);
    void (*retract)(struct app *app);
    bool (*can_take_back)(const struct app *app);            /* the last turn (Q5); or NULL, as are the next two */
    bool (*has_past)(const struct app *app);                 /* is there a turn to take back at all? */
    void (*take_back)(struct app *app);
    bool (*is_covered)(const struct app *app);               /* people are changing seats; or NULL, as are the next three */
    void (*draw_cover)(struct app *app);
    void (*uncover)(struct app *app);
    void (*back_seat)(struct app *app);                      /* while covered: the previous player takes back */
    bool (*can_play_again)(const struct app *app);           /* a new game with the same players, when this one is over */
    void (*play_again)(struct app *app);
    bool (*is_asked_again)(const struct app *app);           /* another player has made a rematch; or NULL */
    bool (*is_watching)(const struct app *app);              /* without a seat */
    bool (*can_react)(const struct app *app);                /* whether symbols can be sent that others see; or NULL, as
                                                                are the next 3 */
    void (*draw_reactions)(struct app *app);                 /* asks which one */
    bool (*reaction_key)(struct app *app, int key);          /* false: the question is closed */
    const char *(*standing)(const struct app *app);          /* the score of a series of games; NULL: this is not one */
    bool (*idle_key)(struct app *app, int key);              /* keys while there is nothing to decide; or NULL */
    bool (*draws_itself)(const struct app *app);             /* a screen before the game; or NULL, as are the next three */
    void (*draw)(struct app *app);
    void (*screen_key)(struct app *app, int key);
    void (*screen_mouse)(struct app *app, const struct input *input);
};

/* The whole client. Used by the main thread only; other threads (net.c, think.c, replay.c) have their own structs. */
struct app {
    const struct tui_options *options;
    struct screen_facts facts;
    struct canvas canvas;
    struct pyr_edition edition;              /* of the game on the screen */
    struct pyr_match match;
    char names[PYR_MAX_SEATS][PYR_MAX_PLAYER_NAME + 1];
    struct hand hand[PYR_MAX_SEATS];
    struct story story;
    pyr_seat seat;                           /* the seat whose view is shown; always a seat, also for a spectator */
    unsigned people;                         /* bits: seats that are played here */
    struct game *game;                       /* one of the two; NULL in a replay of a file */
    struct remote *remote;
    const struct play_ops *ops;              /* the operations of the one that is set; else NULL */

    enum sheet sheet;
    unsigned scroll;                         /* lines of the story from its end */
    int page;                                /* of the help */
    struct rules_view rules;                 /* the last page */
    int cited;                               /* the rule that the message on the screen cites; -1: none */
    bool peek;                               /* show the table, although cards are to be chosen */
    enum question question;
    char message[500];
    enum style message_style;
    uint32_t message_line;                   /* the line of the log at which it was shown: it disappears once the game
                                                continues */
    unsigned beat;
    double next_beat;
    struct key_hint hints[MAX_HINTS];
    unsigned hint_count;
    bool leave;                              /* the player leaves */
    bool again;                              /* and wants another game, */
    struct seating setup;                     /* with the same players */
    bool look_back;                          /* or to see the replay of this one */
    char *error;                             /* printed after the terminal is restored; allocated */
    char farewell[PATH_MAX + 1200];          /* printed then, too, if there was no error */
};

/* Monotonic seconds; a message for the line above the keys; a failure that ends the program; a key for the last line. */
double app_seconds(void);
void app_say(struct app *app, enum style style, const char *format, ...) __attribute__((format(printf, 3, 4)));
void app_fail(struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));
void app_hint(struct app *app, int key, const char *name, const char *does);

/* Fits the canvas to the window and empties it. */
void app_canvas(struct app *app);

/* Fills a scene with the present game. */
void app_scene(struct app *app, struct scene *scene);

/* table.c: shows the table and handles keys until the player leaves. */
void play_run(struct app *app);
bool play_sheet_key(struct app *app, int key);      /* a key for the sheet that is open; false: for others */
void play_draw_help(struct app *app, const struct scene *scene);
void play_sheet_hints(struct app *app);             /* the keys of the sheet that is open */

/* game.c: a local game. */
extern const struct play_ops game_ops;
/* Begins a game from the options, or resumes a saved one; false: app->error, or the player left. */
bool game_begin(struct app *app);
void game_end(struct app *app);

/* replay.c: replays app->match. */
void replay_run(struct app *app, const char *name);

#endif
