/*
 * rulesheet.h (rulesheet.c): the rules as a page of the help: sections, tags, scrolling, and a search by tag or word.
 */
#ifndef PYR_TUI_RULESHEET_H
#define PYR_TUI_RULESHEET_H

#include "draw.h"

struct rules_view {
    int top;                     /* the first row that is shown */
    int rule;                    /* the one that was asked for or found; -1: none */
    bool jump;                   /* scroll to that rule when the page is next drawn */
    bool typing;                 /* a search is being typed */
    char search[64];
    char message[160];           /* for the line above the keys */
};

/* Goes to a rule by its number (pyramids/rules.h). */
void rules_show(struct rules_view *view, int rule);

/* The number of the rule that a message cites last, as "(R10)"; -1: none. */
int rules_cited(const char *message);

/* A key on the page; false if it means nothing here. `rows` is how many rows of text there is room for. */
bool rules_key(struct rules_view *view, int key, int rows);

/* Draws the page, with title and foot. */
void rules_draw(struct canvas *canvas, const struct scene *scene, struct rules_view *view);

#endif
