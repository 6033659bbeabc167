/*
 * sheets.c: sheets that temporarily cover the table; see draw.h.
 *
 * Each draw_* function clears the canvas and draws a whole sheet, with the title line above and the keys below. Its
 * content depends only on struct scene.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/score.h>

#include "draw.h"

/* Draws "2♦ 1■ ..." for a card; returns the columns. */
static int draw_symbols(struct canvas *canvas, int x, int y, int most, const struct scene *scene, pyr_card card)
{
    const struct pyr_card_face *face = &scene->edition->box.card[card];
    const struct {
        pyr_spaces set;
        enum style style;
    } kinds[] = {
#define KIND(name, sign, style, text_style) { face->name, text_style },
        SYMBOL_SIGNS(KIND)
#undef KIND
    };
    int used = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && used + 2 <= most; i++) {
        enum style style;
        if (!kinds[i].set || kinds[i].set == face->tomb)     /* every card has a tomb */
            continue;
        used += canvas_print(canvas, x + used, y, most - used, ST_TEXT, "%d", __builtin_popcount(kinds[i].set));
        canvas_put(canvas, x + used++, y, symbol_sign(scene, face, kinds[i].set & -kinds[i].set, &style), kinds[i].style);
        used++;
    }
    return used;
}

/* The largest size at which this many cards fit side by side, with enough columns and rows left for the rest. */
static struct card_size size_across(const struct canvas *canvas, int cards, int spare, int rows)
{
    static const struct card_size sizes[] = { { 7, 3, true }, { 5, 2, true }, { 3, 1, true }, { 3, 1, false } };
    for (unsigned i = 0; i < 3; i++)
        if (cards * (card_width(sizes[i]) + 1) + spare <= canvas->width && card_height(sizes[i]) + rows <= canvas->height)
            return sizes[i];
    return sizes[3];
}

/* A card to choose, with its symbols below; returns the row below both. */
static int draw_offer(struct canvas *canvas, int x, int y, struct card_size size, const struct scene *scene, pyr_card card,
    bool at, const char *note, int item)
{
    int width = card_width(size);
    struct card_look look = { .slot = -1, .active = at };
    if (card < PYR_CARDS) {
        unsigned colour = scene->edition->box.card[card].colour;
        const struct pyr_card_face *face = &scene->edition->box.card[card];
        int used = canvas_print(canvas, x + 1, y, width - 1, at ? ST_TOUCH : ST_STRONG, "%s%d",
            at ? canvas->ascii ? "> " : "▸ " : "", card + 1);
        canvas_print(canvas, x + 2 + used, y, width - used - 2, colour_style(colour), "%s", pyr_text_colour(colour));
        draw_symbols(canvas, x + 1, y + 1 + card_height(size), width - 1, scene, card);
        canvas_print(canvas, x + 1, y + 2 + card_height(size), width - 1, ST_DIM, _("%u to the tomb"),
            pyr_card_distance(face, face->open, face->entrance));
        canvas_text(canvas, x + 1, y + 3 + card_height(size), width - 1, ST_TOUCH, note);
    }
    draw_card(canvas, x, y + 1, size, scene, card, &look);
    canvas_place(canvas, x, y, width, card_height(size) + 4, ACT_ITEM, item);
    return y + 5 + card_height(size);
}

static void begin_sheet(struct canvas *canvas, const struct scene *scene)
{
    canvas_clear(canvas);
    draw_title(canvas, scene);
}

/* The four dealt cards, of which two are kept (R4); in a replay, with those that were kept. */
void draw_keep(struct canvas *canvas, const struct scene *scene)
{
    begin_sheet(canvas, scene);
    if (draw_is_too_small(canvas))
        return;
    struct card_size size = size_across(canvas, PYR_DEALT, 1, 12);
    int width = card_width(size) + 1, x = (canvas->width - PYR_DEALT * width) / 2, y = 4;
    canvas_print(canvas, x + 1, 2, canvas->width - x - 2, ST_STRONG,
        scene->hand ? _("%s, these four cards are dealt to you. Keep two (R4).")
                    : _("These four cards are dealt to %s, who keeps two (R4)."),
        scene->names[scene->seat]);
    for (unsigned i = 0; i < PYR_DEALT; i++) {
        bool kept = scene->hand && scene->state == HAND_KEEP ? scene->hand->picked >> i & 1
            : scene->view.mine.card[0] == scene->view.dealt[i] || scene->view.mine.card[1] == scene->view.dealt[i];
        bool at = scene->hand && scene->state == HAND_KEEP && scene->hand->at == i;
        char note[48];
        snprintf(note, sizeof note, canvas->ascii ? "* %s" : "✓ %s", _("keep"));
        draw_offer(canvas, x + (int)i * width, y, size, scene, scene->view.dealt[i], at, kept ? note : "", (int)i);
    }
    draw_foot(canvas, scene);
}

/* The pyramid points of a colour that no player has taken, or "-". */
static void points_left(const struct scene *scene, unsigned colour, char *to, size_t size)
{
    to[0] = '\0';
    for (unsigned place = 0; place < PYR_TILES; place++)
        if (scene->view.open.tile[colour][place] == PYR_NOBODY)
            snprintf(to + strlen(to), size - strlen(to), "%s%d", to[0] ? " " : "", pyr_tile_value(place));
    if (!to[0])
        snprintf(to, size, "-");
}

/* The race for pyramid points, as help for choosing a card: for each colour the player's own pyramids, the points that
 * are left, and the number of pyramids of each other player. */
static void draw_race(struct canvas *canvas, int x, int y, const struct scene *scene)
{
    const struct pyr_table *open = &scene->view.open;
    int word = 0, own = 0;
    for (unsigned colour = 0; colour < PYR_COLOURS; colour++) {
        int count = __builtin_popcountll(open->desk[scene->seat].done & scene->edition->box.colour[colour]);
        word = text_width(pyr_text_colour(colour)) > word ? text_width(pyr_text_colour(colour)) : word;
        own = 3 * count > own ? 3 * count : own;
    }
    for (unsigned colour = 0; colour < PYR_COLOURS && y + (int)colour < canvas->height - 2; colour++) {
        pyr_cardset all = scene->edition->box.colour[colour], done = open->desk[scene->seat].done & all;
        int row = y + (int)colour, at = x + word + 2, room = canvas->width - 2;
        char left[24], other[PYR_MAX_PLAYER_NAME + 16];
        canvas_text(canvas, x, row, word, colour_style(colour), pyr_text_colour(colour));
        for (; done; done &= done - 1)
            at += canvas_print(canvas, at, row, 2, ST_GOLD, "%d", __builtin_ctzll(done) + 1) + 1;
        points_left(scene, colour, left, sizeof left);
        at = x + word + 2 + own + 1;
        canvas_text(canvas, at, row, room - at, ST_TEXT, left);
        at += 9;
        for (unsigned seat = 0; seat < open->seats; seat++) {
            if (seat == scene->seat)
                continue;
            snprintf(other, sizeof other, "%s %d", scene->names[seat], __builtin_popcountll(open->desk[seat].done & all));
            if (at + text_width(other) > room)
                break;                       /* the table, with all of it, can be shown with t */
            at += canvas_text(canvas, at, row, room - at, ST_DIM, other) + 2;
        }
    }
}

/* The deck to draw from; if it is empty, only its outline, which cannot be chosen. */
static void draw_deck(struct canvas *canvas, int x, int y, unsigned left, bool at)
{
    at = at && left;
    canvas_frame(canvas, x, y + 1, 8, 7, at ? ST_ACTIVE : left ? ST_FRAME : ST_DIM, at);
    canvas_print(canvas, x + 1, y, 8,
        at         ? ST_TOUCH
            : left ? ST_STRONG
                   : ST_DIM,
        "%s%s", at ? canvas->ascii ? ">" : "▸" : "", _("deck"));
    if (left) {
        canvas_fill(canvas, x + 1, y + 2, 6, 5, 0x2591, ST_DIM);
        canvas_print(canvas, x + 2, y + 4, 4, ST_STRONG, " %u ", left);
        canvas_place(canvas, x, y, 8, 8, ACT_ITEM, HAND_DECK);
    } else {
        canvas_text(canvas, x + 3, y + 4, 2, ST_DIM, "-");
    }
}

/* The display and the deck, whose turn it is, and the race for pyramid points. */
void draw_replace(struct canvas *canvas, const struct scene *scene)
{
    const struct pyr_table *open = &scene->view.open;
    begin_sheet(canvas, scene);
    if (draw_is_too_small(canvas))
        return;
    struct card_size size = size_across(canvas, PYR_DISPLAY, 9, 12);
    int width = card_width(size), gap = PYR_DISPLAY * (width + 1) + 8 <= canvas->width,
        x = (canvas->width - PYR_DISPLAY * (width + gap) - 8) / 2, y = 4;
    bool mine = scene->state == HAND_REPLACE;
    pyr_seat chooser = open->replacing < PYR_MAX_SEATS ? open->replace_order[open->replacing] : PYR_NOBODY;
    char order[300] = "";
    for (unsigned i = 0; i < PYR_MAX_SEATS && open->replace_order[i] != PYR_NOBODY; i++) {
        pyr_seat seat = open->replace_order[i];
        char entry[PYR_MAX_PLAYER_NAME + 24];
        snprintf(entry, sizeof entry, "%s%.60s (%d)", i ? ", " : "", scene->names[seat], open->completed[seat][0] + 1);
        strncat(order, entry, sizeof order - strlen(order) - 1);
    }
    char sentence[500] = "";
    if (mine && !open->deck_left)
        snprintf(sentence, sizeof sentence, pyr_ngettext("%s, take %u new card from the display. The deck is empty (R13).",
            "%s, take %u new cards from the display, one after the other. The deck is empty (R13).", open->cards_owed),
            scene->names[scene->seat], open->cards_owed);
    else if (mine)
        snprintf(sentence, sizeof sentence,
            pyr_ngettext("%s, take %u new card from the display or the deck (R12).",
                "%s, take %u new cards from the display or the deck, one after the other (R12).", open->cards_owed),
            scene->names[scene->seat], open->cards_owed);
    else if (chooser < PYR_MAX_SEATS)
        snprintf(sentence, sizeof sentence, _("%s takes a new card (R12)."), scene->names[chooser]);
    int row = 1 + canvas_wrap(canvas, 1, 1, canvas->width - 2, 2, ST_STRONG, sentence);
    snprintf(sentence, sizeof sentence, _("Order, by the completed cards: %s"), order);
    canvas_wrap(canvas, 1, row, canvas->width - 2, y - row, ST_DIM, sentence);
    for (unsigned i = 0; i < PYR_DISPLAY; i++) {
        char note[64] = "";
        pyr_card card = open->display[i];
        if (card < PYR_CARDS) {
            unsigned colour = scene->edition->box.card[card].colour;
            unsigned own = (unsigned)__builtin_popcountll(open->desk[scene->seat].done & scene->edition->box.colour[colour]);
            snprintf(note, sizeof note, _("your %s: %u"), pyr_text_colour(colour), own);
        }
        draw_offer(canvas, x + (int)i * (width + gap), y, size, scene, card, mine && scene->hand && scene->hand->at == i,
            note, (int)i);
    }
    draw_deck(canvas, x + PYR_DISPLAY * (width + gap), y, open->deck_left,
        mine && scene->hand && scene->hand->at == HAND_DECK);
    draw_race(canvas, 2, y + 6 + card_height(size), scene);
    draw_foot(canvas, scene);
}

#define SCORE_WIDTH 21           /* of the score card in words */

/* The largest cards with which two players fit side by side and two rows of them on the screen. */
static struct card_size size_for_players(const struct canvas *canvas)
{
    static const struct card_size sizes[] = { { 7, 3, true }, { 5, 2, true }, { 3, 1, true }, { 3, 1, false },
        { 1, 1, false } };
    unsigned i = 0;
    while (i < 4 &&
        (2 * (card_width(sizes[i]) + 1) + SCORE_WIDTH > canvas->width / 2 - 1 ||
            2 * (card_height(sizes[i]) + 3) + 4 > canvas->height))
        i++;
    return sizes[i];
}

/* The completed pyramids of a colour, and the pyramid points taken for it: "5 9 14 20 +10+6". */
static void list_completed(const struct scene *scene, unsigned seat, unsigned colour, char *to, size_t size)
{
    pyr_cardset done = scene->view.open.desk[seat].done & scene->edition->box.colour[colour];
    to[0] = '\0';
    for (; done && strlen(to) + 8 < size; done &= done - 1)
        snprintf(to + strlen(to), size - strlen(to), "%s%d", to[0] ? " " : "", __builtin_ctzll(done) + 1);
    for (unsigned place = 0, points = 0; place < PYR_TILES; place++)
        if (scene->view.open.tile[colour][place] == seat)
            snprintf(to + strlen(to), size - strlen(to), "%s+%d", points++ ? "" : " ", pyr_tile_value(place));
}

/* All of them, one colour per row, or two rows if it has many. */
static void draw_completed(struct canvas *canvas, int x, int y, int most, int rows, const struct scene *scene, unsigned seat)
{
    for (unsigned colour = 0; colour < PYR_COLOURS && rows > 0; colour++) {
        char list[200];
        list_completed(scene, seat, colour, list, sizeof list);
        canvas_put(canvas, x, y, colour_sign(colour), colour_style(colour));
        int used = canvas_wrap(canvas, x + 2, y, most - 2, rows, list[0] ? ST_GOLD : ST_DIM, list[0] ? list : "-");
        y += used;
        rows -= used;
    }
}

/* The same in one row: "≡ 5 9 +10  ░ 33". */
static void draw_completed_across(struct canvas *canvas, int x, int y, int most, const struct scene *scene, unsigned seat)
{
    int at = 0;
    for (unsigned colour = 0; colour < PYR_COLOURS; colour++) {
        char list[200];
        list_completed(scene, seat, colour, list, sizeof list);
        if (!list[0])
            continue;
        canvas_put(canvas, x + at, y, colour_sign(colour), colour_style(colour));
        at += 2 + canvas_text(canvas, x + at + 2, y, most - at - 2, ST_DIM, list) + 2;
    }
}

/* One player: cards in full, score card in words, in half the width of the window. */
static void draw_player(struct canvas *canvas, int x, int y, struct card_size size, const struct scene *scene, unsigned seat)
{
    const struct pyr_table *open = &scene->view.open;
    const struct pyr_box *box = &scene->edition->box;
    const struct pyr_desk *desk = &open->desk[seat];
    struct pyr_score score = pyr_table_score(open, box, (pyr_seat)seat);
    int width = card_width(size) + 1;
    canvas_print(canvas, x, y, canvas->width / 2 - 1, ST_STRONG,
        pyr_ngettext("%s: %d point", "%s: %d points", (unsigned long)abs(score.total)), scene->names[seat], score.total);
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++) {
        struct card_look look = { .slot = -1 };
        pyr_card card = desk->card[slot];
        if (card < PYR_CARDS) {
            look.marks = pyr_desk_marks(desk, box, slot);
            int used = canvas_print(canvas, x + 2 + (int)slot * width, y + 1, 3, ST_STRONG, "%d", card + 1);
            for (int i = used + 1; i < PYR_SIDE; i++)
                canvas_put(canvas, x + 2 + (int)slot * width + i, y + 1, colour_sign(box->card[card].colour),
                    colour_style(box->card[card].colour));
        }
        draw_card(canvas, x + (int)slot * width, y + 2, size, scene, card, &look);
    }
    int at = x + 2 * width, room = canvas->width / 2 - 1 - 2 * width;
    canvas_print(canvas, at, y + 1, room, ST_TEXT, _("pyramids %d"), score.pyramids);
    canvas_print(canvas, at, y + 2, room, ST_TEXT, _("torches %d"), score.torches);
    canvas_print(canvas, at, y + 3, room, ST_TEXT, _("pyramid points %d"), score.points);
    int used = canvas_print(canvas, at, y + 4, room, ST_TEXT, "%u", desk->rubies);
    canvas_put(canvas, at + used, y + 4, RUBY, ST_RUBY_TEXT);
    used += 2 + canvas_print(canvas, at + used + 2, y + 4, room, ST_TEXT, "%u", desk->emeralds);
    canvas_put(canvas, at + used, y + 4, EMERALD, ST_EMERALD_TEXT);
    draw_gem_points(canvas, at + used + 2, y + 4, room - used - 2, ST_TEXT, score.gems);
    canvas_print(canvas, at, y + 5, room, ST_TEXT, _("skulls %u: %d"), desk->skulls, score.skulls);
    draw_completed(canvas, at, y + 6, room, 4, scene, seat);
}

/* Two side by side in two rows, in seat order. */
void draw_players(struct canvas *canvas, const struct scene *scene)
{
    begin_sheet(canvas, scene);
    if (draw_is_too_small(canvas))
        return;
    struct card_size size = size_for_players(canvas);
    for (unsigned seat = 0; seat < scene->view.open.seats; seat++)
        draw_player(canvas, seat % 2 ? canvas->width / 2 + 1 : 1, 2 + (int)(seat / 2) * (card_height(size) + 3), size,
            scene, seat);
    draw_foot(canvas, scene);
}

/* `from_end` is the number of lines at the end that are scrolled away. */
void draw_story(struct canvas *canvas, const struct scene *scene, unsigned from_end)
{
    begin_sheet(canvas, scene);
    int rows = canvas->height - 4, width = canvas->width - 6;
    unsigned last = scene->story->count > from_end ? scene->story->count - from_end : 0, first = last;
    int used = 0;
    while (first > 0 && used + text_rows(scene->story->line[first - 1].text, width) <= rows)
        used += text_rows(scene->story->line[--first].text, width);
    for (int y = 2; first < last; first++) {
        const struct story_line *line = &scene->story->line[first];
        const char *sign = scene->story_sign ? scene->story_sign(scene->story_context, line->line) : NULL;
        if (sign)
            canvas_text(canvas, 1, y, 2, ST_BAD, sign);
        y += canvas_wrap(canvas, line->heading ? 1 : 4, y, width, rows, line->heading ? ST_STRONG : ST_TEXT, line->text);
    }
    draw_foot(canvas, scene);
}

/* Computes where the columns end; returns the width left for names. */
static int columns_of_scores(const char *const *head, int gap, int width, int *right)
{
    int end = width;
    for (int i = 5; i >= 0; i--) {
        int wide = text_width(head[i]);
        right[i] = end;
        end -= (wide < 5 ? 5 : wide) + gap;
    }
    return end;
}

/* If names would get fewer than 16 columns, the longest heading is replaced by a shorter one. */
void draw_scores(struct canvas *canvas, const struct scene *scene)
{
    const struct pyr_table *open = &scene->view.open;
    const struct pyr_box *box = &scene->edition->box;
    begin_sheet(canvas, scene);
    if (draw_is_too_small(canvas))
        return;
    unsigned winners = pyr_table_winners(open, box);
    /* Columns are as wide as their words; names get the rest. */
    const char *head[] = { _("pyramids"), _("torches"), _("pyramid points"), _("gems"), _("skulls"), _("total") };
    int width = canvas->width > 100 ? 96 : 78, gap = canvas->width > 100 ? 3 : 1, least = 16, right[6];
    int x = (canvas->width - width) / 2, y = canvas->height > 30 ? 6 : 3, name = columns_of_scores(head, gap, width, right);
    if (name < least) {
        head[2] = _("points");
        name = columns_of_scores(head, gap, width, right);
    }
    canvas_text(canvas, x, y, width, ST_STRONG, _("The game is over."));
    for (int i = 0; i < 6; i++)
        canvas_text(canvas, x + right[i] - text_width(head[i]), y + 2, width, ST_DIM, head[i]);
    canvas_fill(canvas, x, y + 3, width, 1, 0x2500, ST_FRAME);
    for (unsigned seat = 0; seat < open->seats; seat++) {
        struct pyr_score score = pyr_table_score(open, box, (pyr_seat)seat);
        const int part[] = { score.pyramids, score.torches, score.points, score.gems, score.skulls, score.total };
        bool won = winners >> seat & 1;
        int row = y + 4 + (int)seat * 2;
        canvas_text(canvas, x, row, 2, ST_GOLD, won ? canvas->ascii ? "*" : "★" : " ");
        canvas_text(canvas, x + 2, row, name - 3, won ? ST_GOLD : ST_STRONG, scene->names[seat]);
        for (int i = 0; i < 6; i++)
            canvas_print(canvas, x + right[i] - 5, row, 5, i == 5 ? won ? ST_GOLD : ST_STRONG : ST_TEXT, "%5d", part[i]);
        draw_completed_across(canvas, x + 2, row + 1, width - 2, scene, seat);
    }
    char sentence[900];
    words_winner(box, open, scene->names, sentence, sizeof sentence);
    y += 5 + 2 * (int)open->seats;
    y += canvas_wrap(canvas, x, y, width, 3, ST_GOLD, sentence);
    if (scene->standing)
        canvas_wrap(canvas, x, y + 1, width, canvas->height - y - 3, ST_TEXT, scene->standing);
    draw_foot(canvas, scene);
}

/* Help. */

/* Signs, colours of walls, and the meaning of the brackets around a space. */
static void draw_legend(struct canvas *canvas, int x, int y, const struct scene *scene)
{
    static const struct {
        uint32_t sign;
        enum style style;
        const char *text;
    } signs[] = {
        { 0x25bc, ST_ENTRANCE, N_("entrance: the first mark on a card covers it") },
        { TOMB, ST_TOMB, N_("tomb: the card is complete, 10 points") },
        { RUBY, ST_RUBY, N_("ruby: 1 point, 5 with an emerald as a pair") },
        { EMERALD, ST_EMERALD, N_("emerald: 1 point, 5 with a ruby as a pair") },
        { TORCH, ST_TORCH, N_("torch: 5 points, one per round") },
        { SKULL, ST_SKULL, N_("skull: the worst one is subtracted at the end") },
        { POTION, ST_POTION, N_("potion: erases the two worst skulls") },
        { CROSS, ST_CROSS, N_("red cross: mark one more space, on either card") },
        { 0x25cf, ST_MARK, N_("marked") },
    };
    int row = y;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++, row++) {
        uint32_t sign = signs[i].sign == SKULL && scene->bare_console ? 0x263b : signs[i].sign;
        canvas_fill(canvas, x, row, 3, 1, ' ', signs[i].style);
        canvas_put(canvas, x + 1, row, sign, signs[i].style);
        canvas_text(canvas, x + 4, row, canvas->width - x - 5, ST_TEXT, _(signs[i].text));
    }
    for (unsigned colour = 0; colour < PYR_COLOURS; colour++) {
        int at = x + (int)colour * 22;
        canvas_fill(canvas, at, row, 3, 1, colour_sign(colour),
            colour == PYR_GREEN        ? ST_WALL_GREEN
                : colour == PYR_ORANGE ? ST_WALL_ORANGE
                                       : ST_WALL_PURPLE);
        canvas_print(canvas, at + 4, row, 17, ST_TEXT, _("wall, %s"), pyr_text_colour(colour));
    }
    static const struct {
        const char *text, *plain;
        enum style style;
        const char *means;
    } states[] = {
        { "[ ]", "[ ]", ST_GHOST, N_("the pattern in your hand fits here") },
        { "! !", "! !", ST_WRONG, N_("it does not fit; the line below explains why") },
        { "▐●▌", "(*)", ST_PLACED, N_("placed, to be confirmed") },
        { "· ·", ". .", ST_CAN, N_("one space can be marked here") },
    };
    row += 2;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++, row++) {
        canvas_text(canvas, x, row, 3, states[i].style, canvas->ascii ? states[i].plain : states[i].text);
        canvas_text(canvas, x + 4, row, canvas->width - x - 5, ST_TEXT, _(states[i].means));
    }
}

/* Page 0 has the keys, page 1 the signs; the rules are drawn elsewhere (rulesheet.h). */
void draw_help(struct canvas *canvas, const struct scene *scene, int page)
{
    static const struct {
        const char *keys, *does;
    } keys[] = {
        { N_("arrows, hjkl"), N_("move the pattern; past the edge is the other card") },
        { "r, R", N_("turn by a quarter, or back") },
        { "f", N_("mirror") },
        { "n, N", N_("next or previous place where it fits") },
        { "s", N_("one space instead of the pattern, and back") },
        { N_("Tab, 1, 2"), N_("the other card, this card") },
        { N_("Enter"), N_("place; then confirm") },
        { "u", N_("take back: the last mark, a sealed choice, the last turn") },
        { "o", N_("players: their cards and scores") },
        { "L", N_("what happened so far") },
        { "e", N_("react with a symbol, at a table with people") },
        { "w", N_("the rule that the line above the keys cites") },
        { N_("Esc"), N_("back to the table") },
        { N_("Ctrl-L"), N_("redraw the screen") },
        { "q", N_("leave; the game is saved and can be resumed") },
    };
    begin_sheet(canvas, scene);
    if (draw_is_too_small(canvas))
        return;
    int y = 2;
    if (page == 0) {
        y += canvas_wrap(canvas, 2, y, canvas->width - 4, 2, ST_STRONG,
            _("Each turn reveals a pattern. Mark all of it on one of your cards, or one space."));
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++, y++) {
            canvas_text(canvas, 2, y, 14, ST_KEY, _(keys[i].keys));
            canvas_text(canvas, 17, y, canvas->width - 18, ST_TEXT, _(keys[i].does));
        }
        y += y + 5 < canvas->height;
        canvas_wrap(canvas, 2, y, canvas->width - 4, canvas->height - 2 - y, ST_TEXT,
            _("Mouse: hover over a space to move the pattern there, click to place it, turn it with the wheel. You can "
              "click every key in the last line."));
    } else {
        draw_legend(canvas, 2, y, scene);
    }
    draw_foot(canvas, scene);
}

/* Notices and lists. */

/* A box over the present picture; only its own keys can be clicked. Returns where its text is. */
struct place draw_notice(struct canvas *canvas, const char *heading, const char *text, const struct key_hint *hints,
    unsigned count)
{
    int width = canvas->width < 70 ? canvas->width - 2 : 66, rows = text_rows(text, width - 6), height = rows + 6;
    int x = (canvas->width - width) / 2, y = (canvas->height - height) / 3;
    canvas->places = 0;
    if (y < 0)
        y = 0;
    canvas_fill(canvas, x, y, width, height, ' ', ST_TEXT);
    canvas_frame(canvas, x, y, width, height, ST_ACTIVE, true);
    canvas_text(canvas, x + 3, y + 1, width - 6, ST_STRONG, heading);
    canvas_wrap(canvas, x + 3, y + 3, width - 6, rows, ST_TEXT, text);
    draw_hints(canvas, x + 3, y + height - 2, width - 6, hints, count);
    return (struct place){ (int16_t)(x + 3), (int16_t)(y + 3), (int16_t)(width - 6), (int16_t)rows, 0, 0 };
}

/* Scrolled so that the line under the cursor is visible. */
void draw_list(struct canvas *canvas, const char *heading, const char *const *items, unsigned count, unsigned at,
    const char *foot, const struct key_hint *hints, unsigned hint_count)
{
    canvas_clear(canvas);
    canvas_fill(canvas, 0, 0, canvas->width, 1, ' ', ST_TITLE);
    canvas_text(canvas, 1, 0, canvas->width - 2, ST_TITLE, heading);
    int rows = canvas->height - 5;
    unsigned first = rows > 0 && at >= (unsigned)rows ? at - (unsigned)rows + 1 : 0;
    for (unsigned i = first; i < count && (int)(i - first) < rows; i++) {
        int y = 2 + (int)(i - first);
        canvas_text(canvas, 2, y, 2, ST_TOUCH, i == at ? canvas->ascii ? ">" : "▸" : " ");
        canvas_text(canvas, 4, y, canvas->width - 5, i == at ? ST_TOUCH : ST_TEXT, items[i]);
        canvas_place(canvas, 0, y, canvas->width, 1, ACT_ITEM, (int)i);
    }
    canvas_text(canvas, 2, canvas->height - 2, canvas->width - 3, ST_TEXT, foot);
    draw_hints(canvas, 2, canvas->height - 1, canvas->width - 3, hints, hint_count);
}
