/* rulesheet.c: see rulesheet.h. The texts are those of `pyramids rules` (src/text/rules.c). */
#include <stdio.h>
#include <string.h>

#include <pyramids/rules.h>
#include <pyramids/utf8.h>

#include "rulesheet.h"
#include "screen.h"

/* Columns left free on both sides. */
#define MARGIN 2
#define INDENT 7                 /* of titles and paragraphs, after the tag */
#define ALL_ROWS 4000            /* more than all rules need in any window */

/* Lays out all rules from row `y` of the canvas on, which may be far above it; with NULL only counts. Returns the number
 * of rows; *at is the row of the rule that the view is at. */
static int lay_out(struct canvas *canvas, int width, int y, const struct rules_view *view, int *at)
{
    const char *section = NULL;
    int row = 0, room = width - 2 * MARGIN - INDENT;
    *at = 0;
    for (unsigned i = 0; pyr_text_rule_tag(i); i++) {
        if (pyr_text_rule_section(i) != section) {
            section = pyr_text_rule_section(i);
            row += row > 0;
            if (canvas)
                canvas_text(canvas, MARGIN, y + row, width - 2 * MARGIN, ST_KEY, section);
            row += 2;
        }
        bool found = view->rule == (int)i;
        if (found)
            *at = row;
        if (canvas) {
            canvas_text(canvas, 0, y + row, 2, ST_TOUCH, found ? canvas->ascii ? ">" : "▸" : " ");
            canvas_text(canvas, MARGIN, y + row, INDENT - 1, found ? ST_TOUCH : ST_STRONG, pyr_text_rule_tag(i));
            canvas_wrap(canvas, MARGIN + INDENT, y + row, room, ALL_ROWS, found ? ST_TOUCH : ST_STRONG,
                pyr_text_rule_title(i));
        }
        row += text_rows(pyr_text_rule_title(i), room);
        for (unsigned n = 0; pyr_text_rule_paragraph(i, n); n++) {
            if (canvas)
                canvas_wrap(canvas, MARGIN + INDENT, y + row, room, ALL_ROWS, ST_TEXT, pyr_text_rule_paragraph(i, n));
            row += text_rows(pyr_text_rule_paragraph(i, n), room);
        }
        row++;
    }
    return row;
}

void rules_show(struct rules_view *view, int rule)
{
    *view = (struct rules_view){ .rule = rule, .jump = rule >= 0 };
}

int rules_cited(const char *message)
{
    int cited = -1;
    for (const char *at = strchr(message, '('); at; at = strchr(at + 1, '(')) {
        size_t length = strcspn(at + 1, ")");
        char tag[8] = "";
        if (at[1 + length] == ')' && length < sizeof tag) {
            memcpy(tag, at + 1, length);
            int found = pyr_text_rule_find(tag);
            cited = found >= 0 ? found : cited;
        }
    }
    return cited;
}

/* Finds the next rule that contains the search text, starting with one and wrapping around; a tag matches its own rule. */
static void search(struct rules_view *view, int from, int step)
{
    int count = 0, tag = pyr_text_rule_find(view->search);
    while (pyr_text_rule_tag((unsigned)count))
        count++;
    view->message[0] = '\0';
    if (!view->search[0])
        return;
    for (int i = 0; i < count; i++) {
        int at = ((from + i * step) % count + count) % count;
        if (tag >= 0 ? at == tag : pyr_text_rule_has((unsigned)at, view->search)) {
            view->rule = at;
            view->jump = true;
            return;
        }
    }
    snprintf(view->message, sizeof view->message, _("No rule contains '%.40s'."), view->search);
}

/* Adds a character to the search, as UTF-8. If it does not fit, it is ignored. */
static void type(struct rules_view *view, int key)
{
    char bytes[5] = "";
    size_t length = strlen(view->search);
    pyr_utf8_write(key, bytes);
    if (length + strlen(bytes) < sizeof view->search)
        strcpy(view->search + length, bytes);
}

/* The search runs with every key, so that the rule appears while its word is being typed. */
static void typing_key(struct rules_view *view, int key)
{
    size_t length = strlen(view->search);
    if (key == K_ENTER || key == K_ESCAPE) {
        view->typing = false;
        if (key == K_ESCAPE)
            view->search[0] = '\0';
        return;
    }
    if (key == K_BACKSPACE && length) {
        char last;
        do {                                 /* a character may have several bytes */
            last = view->search[--length];
            view->search[length] = '\0';
        } while (length && (last & 0xc0) == 0x80);
    } else if (key >= ' ' && key != 0x7f && key < 0x10000) {
        type(view, key);
    } else {
        return;
    }
    search(view, 0, 1);
}

/* Rows are not checked here: rules_draw moves `top` back into range. */
bool rules_key(struct rules_view *view, int key, int rows)
{
    if (view->typing) {
        typing_key(view, key);
        return true;
    }
    view->message[0] = '\0';
    switch (key) {
    case '/':
        view->typing = true;
        view->search[0] = '\0';
        return true;
    case 'n': search(view, view->rule + 1, 1); return true;
    case 'N': case 'p': search(view, view->rule - 1, -1); return true;
    case K_UP: case 'k': view->top--; return true;
    case K_DOWN: case 'j': view->top++; return true;
    case K_PAGE_UP: view->top -= rows - 1; return true;
    case K_PAGE_DOWN: case ' ': view->top += rows - 1; return true;
    case K_HOME: case 'g': view->top = 0; return true;
    case K_END: case 'G': view->top = ALL_ROWS; return true;
    default: return false;
    }
}

/* Laid out twice: once to count the rows, which depend on the width and the language, and once to draw. */
void rules_draw(struct canvas *canvas, const struct scene *scene, struct rules_view *view)
{
    struct scene foot = *scene;
    char typed[sizeof view->search + 40];
    int rows = canvas->height - 4, at, all = lay_out(NULL, canvas->width, 0, view, &at);
    if (view->jump)
        view->top = at > 2 ? at - 2 : 0;     /* with the lines above it: often the heading of the section */
    view->jump = false;
    if (view->top > all - rows)
        view->top = all - rows;
    if (view->top < 0)
        view->top = 0;
    canvas_clear(canvas);
    lay_out(canvas, canvas->width, 2 - view->top, view, &at);
    canvas_fill(canvas, 0, 0, canvas->width, 2, ' ', ST_TEXT);
    canvas_fill(canvas, 0, canvas->height - 2, canvas->width, 2, ' ', ST_TEXT);
    draw_title(canvas, scene);
    if (view->typing && view->message[0])
        snprintf(typed, sizeof typed, "/%s_  %.30s", view->search, view->message);
    else
        snprintf(typed, sizeof typed, "/%s_", view->search);
    foot.message = view->typing ? typed : view->message;
    foot.message_style = view->message[0] ? ST_BAD : ST_TEXT;
    draw_foot(canvas, &foot);
}
