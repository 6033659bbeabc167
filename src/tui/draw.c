/*
 * draw.c: draws the table; see draw.h. The layout depends only on the size of the window.
 *
 * Everything is redrawn into a canvas each time, from a struct scene; nothing is kept between two calls. Coordinates
 * are columns and rows of the window from 0. Places that can be clicked are noted while drawing (canvas_place).
 *
 * Colour is never the only difference: rocks, symbols, marks and signs also differ in their characters, so that the
 * game can be played without colours.
 */
#include <stdio.h>
#include <string.h>

#include <pyramids/score.h>

#include "draw.h"

/* Unicode characters; canvas.c has an ASCII substitute for each. */
enum {
    FACE = 0x263b,               /* used if the font has no skull */
    ENTRANCE = 0x25bc,
    MARKED = 0x25cf,
    DOT = 0xb7,
    TICK = 0x2713,
    BLOCK = 0x2588
};

/* The rock of a colour: three patterns that differ without colour. */
uint32_t colour_sign(unsigned colour)
{
    return colour == PYR_GREEN ? 0x2261 : colour == PYR_ORANGE ? 0x2571 : 0x2591;
}

enum style colour_style(unsigned colour)
{
    return colour == PYR_GREEN ? ST_GREEN : colour == PYR_ORANGE ? ST_ORANGE : ST_PURPLE;
}

static enum style wall_style(unsigned colour)
{
    return colour == PYR_GREEN ? ST_WALL_GREEN : colour == PYR_ORANGE ? ST_WALL_ORANGE : ST_WALL_PURPLE;
}

/* A dot pattern of Braille that runs in a circle; four ASCII characters on an ASCII terminal. */
uint32_t spinner(unsigned beat, bool ascii)
{
    static const uint32_t dots[] = { 0x280b, 0x2819, 0x2839, 0x2838, 0x283c, 0x2834, 0x2826, 0x2827, 0x2807, 0x280f };
    return ascii ? (uint32_t)"|/-\\"[beat % 4] : dots[beat % 10];
}

/* A space has at most one symbol, so the first that matches is the only one. Walls have the sign of their colour. */
uint32_t symbol_sign(const struct scene *scene, const struct pyr_card_face *face, pyr_spaces space, enum style *style)
{
    const struct {
        pyr_spaces set;
        uint32_t sign;
        enum style style;
    } signs[] = {
#define SIGN(name, sign, style, text_style) { face->name, sign, style },
        SYMBOL_SIGNS(SIGN)
#undef SIGN
        { face->entrance, ENTRANCE, ST_ENTRANCE },
    };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (signs[i].set & space) {
            *style = signs[i].style;
            return signs[i].sign == SKULL && scene->bare_console ? FACE : signs[i].sign;
        }
    }
    *style = ST_TILE;
    return face->open & space ? ' ' : colour_sign(face->colour);
}

/* Five spaces, with the lines between and around them. */
int card_width(struct card_size size)
{
    return PYR_SIDE * (size.width + size.grid) + 2 - size.grid + 1;      /* and a column for the numbers of the rows */
}

int card_height(struct card_size size)
{
    return PYR_SIDE * (size.height + size.grid) + 2 - size.grid;
}

/* The lines of a card, with the letters of the columns in the top line and the numbers of the rows on the left. */
static void draw_grid(struct canvas *canvas, int x, int y, struct card_size size, enum style style, bool active)
{
    int width = card_width(size) - 1, height = card_height(size);
    canvas_frame(canvas, x + 1, y, width, height, style, active);
    for (int i = 1; i < PYR_SIDE && size.grid; i++) {
        int column = x + 1 + i * (size.width + 1), row = y + i * (size.height + 1);
        canvas_fill(canvas, column, y + 1, 1, height - 2, 0x2502, style);
        canvas_put(canvas, column, y, active ? 0x2564 : 0x252c, style);
        canvas_put(canvas, column, y + height - 1, active ? 0x2567 : 0x2534, style);
        canvas_fill(canvas, x + 2, row, width - 2, 1, 0x2500, style);
        canvas_put(canvas, x + 1, row, active ? 0x255f : 0x251c, style);
        canvas_put(canvas, x + width, row, active ? 0x2562 : 0x2524, style);
    }
    for (int i = 0; i < PYR_SIDE; i++) {
        for (int j = 1; j < PYR_SIDE && size.grid && i; j++)
            canvas_put(canvas, x + 1 + j * (size.width + 1), y + i * (size.height + 1), 0x253c, style);
        canvas_put(canvas, x + 2 + i * (size.width + size.grid) + size.width / 2, y, (uint32_t)"abcde"[i], style);
        canvas_put(canvas, x, y + 1 + i * (size.height + size.grid) + (size.height - 1) / 2, (uint32_t)"12345"[i], ST_DIM);
    }
}

/* Later layers overwrite earlier ones: wall or symbol, mark, "can be marked", placed in this turn, the pattern in hand. */
static void draw_space(struct canvas *canvas, int x, int y, struct card_size size, const struct scene *scene,
    const struct pyr_card_face *face, pyr_spaces space, const struct card_look *look)
{
    enum style style;
    uint32_t sign = symbol_sign(scene, face, space, &style), left = ' ', right = ' ', ground = ' ';
    if (!(face->open & space)) {
        style = wall_style(face->colour);
        ground = left = right = colour_sign(face->colour);
    } else if (look->marks & space) {
        style = ST_MARK;
        sign = MARKED;
    } else if (look->can & space) {
        left = right = DOT;
        if (style == ST_TILE)
            style = ST_CAN;
    }
    if (look->placed & space) {
        style = ST_PLACED;
        left = 0x2590, right = 0x258c;
        sign = sign == MARKED ? symbol_sign(scene, face, space, &(enum style){ ST_TILE }) : sign;
        if (sign == ' ')
            sign = MARKED;
    }
    if (look->ghost & space) {
        style = look->wrong ? ST_WRONG : ST_GHOST;
        left = look->wrong ? '!' : '[';
        right = look->wrong ? '!' : ']';
        ground = ' ';
    }
    enum style edge = look->can & space && !(look->ghost & space) ? ST_CAN : style;
    int middle = (size.height - 1) / 2;
    canvas_fill(canvas, x, y, size.width, size.height, ground, style);
    canvas_put(canvas, x, y + middle, left, edge);
    canvas_put(canvas, x + size.width - 1, y + middle, right, edge);
    canvas_put(canvas, x + size.width / 2, y + middle, sign, style);
}

/* An empty place is an outline with words. Each space of a card in hand becomes a place to click, together with the line
 * after it, so that there are no gaps between them. */
void draw_card(struct canvas *canvas, int x, int y, struct card_size size, const struct scene *scene, pyr_card card,
    const struct card_look *look)
{
    if (card >= PYR_CARDS) {
        canvas_frame(canvas, x + 1, y, card_width(size) - 1, card_height(size), ST_DIM, false);
        const char *word = text_width(_("no card")) <= card_width(size) - 5 ? _("no card") : "-";
        canvas_text(canvas, x + 1 + (card_width(size) - 1 - text_width(word)) / 2, y + card_height(size) / 2,
            card_width(size) - 3, ST_DIM, word);
        return;
    }
    const struct pyr_card_face *face = &scene->edition->box.card[card];
    draw_grid(canvas, x, y, size, look->active ? ST_ACTIVE : ST_FRAME, look->active);
    for (int row = 0; row < PYR_SIDE; row++) {
        for (int column = 0; column < PYR_SIDE; column++) {
            int at = x + 2 + column * (size.width + size.grid), down = y + 1 + row * (size.height + size.grid);
            draw_space(canvas, at, down, size, scene, face, PYR_SPACE(row, column), look);
            if (look->slot >= 0)
                canvas_place(canvas, at, down, size.width + size.grid, size.height + size.grid, ACT_SPACE,
                    (look->slot * PYR_SIDE + row) * PYR_SIDE + column);
        }
    }
}

/* "11 ╱╱ orange  9/18", with less space where a language has a long word. */
static void draw_card_name(struct canvas *canvas, int x, int y, int most, const struct scene *scene, pyr_card card,
    const char *more)
{
    unsigned colour = scene->edition->box.card[card].colour;
    int used = canvas_print(canvas, x, y, most, ST_STRONG, "%d ", card + 1);
    bool narrow = used + 2 + 1 + text_width(pyr_text_colour(colour)) + 2 + text_width(more) > most;
    for (int i = narrow; i < 2 && used < most; i++)
        canvas_put(canvas, x + used++, y, colour_sign(colour), wall_style(colour));
    used += canvas_print(canvas, x + used, y, most - used, colour_style(colour), " %s", pyr_text_colour(colour)) +
        (narrow ? 1 : 2);
    canvas_text(canvas, x + used, y, most - used, ST_DIM, more);
}

/* Small cards have no lines; each of their spaces is this many columns wide, and half as high. */
static int mini_height(int wide)
{
    return 2 + PYR_SIDE * ((wide + 1) / 2);          /* with the line above for a name */
}

/* A number and a rock, then five rows. */
static void draw_mini(struct canvas *canvas, int x, int y, int wide, const struct scene *scene, pyr_card card,
    pyr_spaces marks)
{
    int tall = (wide + 1) / 2;
    if (card >= PYR_CARDS) {
        canvas_fill(canvas, x, y + 1, PYR_SIDE * wide, PYR_SIDE * tall, DOT, ST_DIM);
        return;
    }
    const struct pyr_card_face *face = &scene->edition->box.card[card];
    int used = canvas_print(canvas, x, y, 3, ST_STRONG, "%d", card + 1);
    canvas_fill(canvas, x + used + 1, y, PYR_SIDE * wide - used - 1, 1, colour_sign(face->colour), wall_style(face->colour));
    for (int row = 0; row < PYR_SIDE; row++) {
        for (int column = 0; column < PYR_SIDE; column++) {
            pyr_spaces space = PYR_SPACE(row, column);
            enum style style;
            uint32_t sign = symbol_sign(scene, face, space, &style);
            bool wall = !(face->open & space);
            if (wall)
                style = wall_style(face->colour);
            else if (marks & space)
                sign = MARKED, style = ST_MARK;
            else if (sign == ' ')
                sign = DOT;
            canvas_fill(canvas, x + column * wide, y + 1 + row * tall, wide, tall, wall ? sign : ' ', style);
            canvas_put(canvas, x + column * wide + (wide - 1) / 2, y + 1 + row * tall, sign, style);
        }
    }
}

/* The score card. */

/* A row's label: its word, or only its sign if the language has no short word. */
static void draw_label(struct canvas *canvas, int x, int y, int label, const char *word, uint32_t sign, enum style style)
{
    if (text_width(word) <= label)
        canvas_text(canvas, x, y, label, ST_TEXT, word);
    else
        canvas_put(canvas, x, y, sign, style);
}

/* `now` is the present score card, `then` the one after the mark under the cursor; the difference is drawn in another
 * style. */
static void draw_gems(struct canvas *canvas, int x, int y, const char *word, unsigned now, unsigned then, uint32_t sign,
    enum style style, int label)
{
    draw_label(canvas, x, y, label, word, sign, style);
    for (unsigned i = 0; i < PYR_GEMS; i++)
        canvas_put(canvas, x + label + 1 + (int)i, y, i < then ? sign : DOT, i < now ? style : i < then ? ST_TOUCH : ST_DIM);
    canvas_print(canvas, x + label + 13, y, 3, ST_TEXT, "%2u", then);
}

void draw_gem_points(struct canvas *canvas, int x, int y, int most, enum style style, int points)
{
    char text[80];
    snprintf(text, sizeof text, _("gems %d"), points);
    if (text_width(text) <= most) {
        canvas_text(canvas, x, y, most, style, text);
        return;
    }
    canvas_put(canvas, x, y, RUBY, ST_RUBY_TEXT);
    canvas_put(canvas, x + 1, y, EMERALD, ST_EMERALD_TEXT);
    canvas_print(canvas, x + 3, y, most - 3, style, "%d", points);
}

/* A dash is a round that passed without a torch; a dot is a round still to come. */
static void draw_torches(struct canvas *canvas, int x, int y, const struct pyr_desk *now, const struct pyr_desk *then,
    unsigned round, int label)
{
    draw_label(canvas, x, y, label, _("torches"), TORCH, ST_TORCH_TEXT);
    for (unsigned r = 0; r < PYR_ROUNDS; r++) {
        bool lit = then->torches >> r & 1, was = now->torches >> r & 1;
        int at = x + label + 1 + (int)r * 3;
        canvas_put(canvas, at, y, (uint32_t)('1' + r), r == round ? ST_STRONG : ST_DIM);
        canvas_put(canvas, at + 1, y, lit ? TORCH : r < round ? '-' : DOT, lit ? was ? ST_TORCH_TEXT : ST_TOUCH : ST_DIM);
    }
    canvas_print(canvas, x + label + 13, y, 6, ST_TEXT, "%2d", 5 * __builtin_popcount(then->torches));
}

/* Marked skulls are shown as skulls, with the penalty of the worst of them; the others show what they would cost. */
static void draw_skulls(struct canvas *canvas, int x, int y, const struct scene *scene, unsigned now, unsigned then,
    int label, int most)
{
    const uint16_t *penalty = scene->edition->box.penalty;
    uint32_t sign = scene->bare_console ? FACE : SKULL;
    int at = x + label + 1, end = x + most;
    draw_label(canvas, x, y, label, _("skulls"), sign, ST_TEXT);
    for (unsigned i = 0; i < then; i++)
        canvas_put(canvas, at++, y, sign, i < now ? ST_BAD : ST_TOUCH);
    if (then)
        at += canvas_print(canvas, at, y, end - at, then == now ? ST_BAD : ST_TOUCH, "-%u", penalty[then - 1]) + 1;
    for (unsigned i = then; i < PYR_SKULLS && at < end; i++)
        at += canvas_print(canvas, at, y, end - at, i < now ? ST_TOUCH : ST_DIM, "%u", penalty[i]) + 1;
}

/* One row: the points that are left or taken, then the numbers of the completed pyramids, with those of this turn in
 * another style. */
static void draw_colour(struct canvas *canvas, int x, int y, const struct scene *scene, unsigned colour,
    const struct pyr_desk *desk, int label, int most)
{
    const pyr_seat *tile = scene->view.open.tile[colour];
    /* A long word may use the gap before the cards; the numbers still stay aligned. */
    int word = label;
    for (unsigned c = 0; c < PYR_COLOURS; c++)
        word = text_width(pyr_text_colour(c)) > word ? text_width(pyr_text_colour(c)) : word;
    if (word > label + 2)
        word = label + 2;
    canvas_text(canvas, x, y, word, colour_style(colour), pyr_text_colour(colour));
    int at = x + word + 1;
    for (unsigned place = 0; place < PYR_TILES; place++) {
        int value = pyr_tile_value(place);
        bool mine = tile[place] == scene->seat;
        if (mine)
            at += canvas_print(canvas, at, y, 4, ST_GOLD, "%d%s", value, canvas->ascii ? "+" : "✓");
        else if (tile[place] == PYR_NOBODY)
            at += canvas_print(canvas, at, y, 3, ST_TEXT, "%d", value);
        else
            at += canvas_text(canvas, at, y, 2, ST_DIM, value > 9 ? "--" : "-");
        at++;
    }
    at = x + label + 13;
    pyr_cardset done = desk->done & scene->edition->box.colour[colour];
    pyr_cardset fresh = 0;
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++)
        if (desk->flags & PYR_DESK_TOMB(slot) && desk->card[slot] < PYR_CARDS &&
            scene->edition->box.card[desk->card[slot]].colour == colour)
            fresh |= PYR_CARD_BIT(desk->card[slot]);
    for (pyr_cardset all = done | fresh; all && at < x + most - 2; all &= all - 1)
        at += canvas_print(canvas, at, y, x + most - at, all & -all & fresh ? ST_TOUCH : ST_GOLD, "%d",
            __builtin_ctzll(all) + 1) +
            1;
}

/* The patterns that are still face down in this round. */
static void list_hidden(const struct scene *scene, char *to, size_t size)
{
    const struct pyr_table *open = &scene->view.open;
    unsigned left[PYR_PATTERNS];
    to[0] = '\0';
    for (unsigned p = 0; p < PYR_PATTERNS; p++)
        left[p] = scene->edition->box.pattern[p].copies;
    for (unsigned i = 0; i <= open->turn; i++)
        if (open->revealed[i] < PYR_PATTERNS)
            left[open->revealed[i]]--;
    for (unsigned p = 0; p < PYR_PATTERNS; p++)
        for (unsigned i = 0; i < left[p] && strlen(to) + 20 < size; i++)
            snprintf(to + strlen(to), size - strlen(to), "%s%s", to[0] ? " " : "", scene->edition->pattern_name[p]);
}

/* The pattern as it is held, round and turn, and the patterns still to come. */
static void draw_pattern(struct canvas *canvas, int x, int y, int most, const struct scene *scene, pyr_pattern now)
{
    const struct pyr_table *open = &scene->view.open;
    bool single = scene->hand && (scene->state == HAND_FIRST || scene->state == HAND_EXTRA) && scene->hand->aim.single;
    int side = x + 11, room = most - 11;
    char list[160];
    canvas_print(canvas, x, y, 10, ST_STRONG, "%s", scene->edition->pattern_name[now]);
    pyr_spaces shape =
        pyr_aim_shape(&scene->edition->box, single ? PYR_SINGLE : now, scene->hand ? scene->hand->aim.turn : 0);
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++)
            if (shape & PYR_SPACE(row, column))
                canvas_fill(canvas, x + column * 2, y + 1 + row, 2, 1, BLOCK, ST_TOUCH);
    canvas_print(canvas, side, y, room, ST_STRONG, _("Round %u of %u"), open->round + 1u, PYR_ROUNDS);
    int used = canvas_print(canvas, side, y + 1, room - 8, ST_TEXT, _("turn %u of %u"), open->turn + 1u,
        PYR_TURNS);
    for (unsigned i = 0; i < PYR_TURNS; i++)
        canvas_put(canvas, side + used + 1 + (int)i, y + 1, i <= open->turn ? 0x25aa : 0x25ab,
            i == open->turn ? ST_TOUCH : ST_DIM);
    list_hidden(scene, list, sizeof list);
    canvas_text(canvas, side, y + 2, room, ST_DIM, _("to come, all but one:"));
    canvas_wrap(canvas, side, y + 3, room, 2, ST_TEXT, list);
}

/* The pattern as it is held, the round's cards, the score card. 14 rows. */
static void draw_panel(struct canvas *canvas, int x, int y, int most, const struct scene *scene, const struct pyr_desk *then)
{
    const struct pyr_table *open = &scene->view.open;
    const struct pyr_box *box = &scene->edition->box;
    if (open->revealed[0] != PYR_NO_PATTERN && open->revealed[open->turn] < PYR_PATTERNS)
        draw_pattern(canvas, x, y, most, scene, open->revealed[open->turn]);
    /* The owner's name is in the line above. */
    int row = y + 5, label = most > 40 ? 12 : 8;
    canvas_fill(canvas, x, row, most, 1, 0x2500, ST_FRAME);
    canvas_print(canvas, x + 1, row, most - 2, ST_STRONG, " %s ", scene->names[scene->seat]);
    const struct pyr_desk *desk = &open->desk[scene->seat];
    int tiles = pyr_table_points(open, scene->seat), before = hand_points(box, desk, tiles),
        after = hand_points(box, then, tiles);
    draw_gems(canvas, x, row + 1, _("rubies"), desk->rubies, then->rubies, RUBY, ST_RUBY_TEXT, label);
    draw_gems(canvas, x, row + 2, _("emeralds"), desk->emeralds, then->emeralds, EMERALD, ST_EMERALD_TEXT, label);
    int pairs = then->rubies < then->emeralds ? then->rubies : then->emeralds;
    draw_gem_points(canvas, x + label + 17, row + 2, most - label - 17, ST_DIM,
        5 * pairs + then->rubies + then->emeralds - 2 * pairs);
    draw_torches(canvas, x, row + 3, desk, then, open->round, label);
    draw_skulls(canvas, x, row + 4, scene, desk->skulls, then->skulls, label, most);
    for (unsigned colour = 0; colour < PYR_COLOURS; colour++)
        draw_colour(canvas, x, row + 5 + (int)colour, scene, colour, then, label, most);
    canvas_text(canvas, x, row + 8, label, ST_STRONG, _("total"));
    if (before != after)
        canvas_print(canvas, x + label + 1, row + 8, most - label - 1, ST_TOUCH, canvas->ascii ? "%d -> %d" : "%d → %d",
            before, after);
    else
        canvas_print(canvas, x + label + 1, row + 8, most - label - 1, ST_STRONG, "%d", before);
}

/* Display and opponents. */

static int display_width(int wide)
{
    return PYR_DISPLAY * (PYR_SIDE * wide + 1) + 1;
}

#define GLANCE 5                 /* columns of a player's summary beside their cards: "≡4+13" */

static int opponent_width(int wide)
{
    return 2 * (PYR_SIDE * wide + 1) + GLANCE + 1;
}

static void draw_display(struct canvas *canvas, int x, int y, int wide, const struct scene *scene)
{
    const struct pyr_table *open = &scene->view.open;
    canvas_print(canvas, x, y, display_width(wide) - 1, ST_DIM, _("Display, deck %u"), open->deck_left);
    for (unsigned i = 0; i < PYR_DISPLAY; i++)
        draw_mini(canvas, x + (int)i * (PYR_SIDE * wide + 1), y + 1, wide, scene, open->display[i], 0);
}

/* Rubies, emeralds or skulls of an opponent: sign and number. */
static void draw_count(struct canvas *canvas, int x, int y, uint32_t sign, enum style style, unsigned count)
{
    canvas_put(canvas, x, y, sign, count ? style : ST_DIM);
    canvas_print(canvas, x + 1, y, 2, count ? ST_TEXT : ST_DIM, "%u", count);
}

/* A player's summary in six rows: pyramids of each colour with the points taken for it and, if there is room, their
 * numbers; then gems, and skulls with the worst penalty. */
static void draw_glance(struct canvas *canvas, int x, int y, int most, const struct scene *scene, unsigned seat)
{
    const struct pyr_desk *desk = &scene->view.open.desk[seat];
    for (unsigned colour = 0; colour < PYR_COLOURS; colour++) {
        pyr_cardset done = desk->done & scene->edition->box.colour[colour];
        int row = y + (int)colour, points = 0;
        for (unsigned place = 0; place < PYR_TILES; place++)
            points += scene->view.open.tile[colour][place] == seat ? pyr_tile_value(place) : 0;
        canvas_put(canvas, x, row, colour_sign(colour), wall_style(colour));
        int used = 1 + canvas_print(canvas, x + 1, row, 2, done ? ST_GOLD : ST_DIM, "%d", __builtin_popcountll(done));
        if (points)
            used += canvas_print(canvas, x + used, row, GLANCE - used, ST_GOLD, "+%d", points);
        int at = x + used + 1;
        /* Either all of the numbers or none: an incomplete list would be misleading. */
        if (at - x + 3 * __builtin_popcountll(done) - 1 > most)
            continue;
        for (; done; done &= done - 1)
            at += canvas_print(canvas, at, row, 2, ST_TEXT, "%d", __builtin_ctzll(done) + 1) + 1;
    }
    draw_count(canvas, x, y + 3, RUBY, ST_RUBY_TEXT, desk->rubies);
    draw_count(canvas, x, y + 4, EMERALD, ST_EMERALD_TEXT, desk->emeralds);
    uint32_t skull = scene->bare_console ? FACE : SKULL;
    unsigned penalty = desk->skulls ? scene->edition->box.penalty[desk->skulls - 1] : 0;
    if (desk->skulls < PYR_SKULLS)
        draw_count(canvas, x, y + 5, skull, ST_BAD, desk->skulls);
    else
        canvas_put(canvas, x, y + 5, skull, ST_BAD);     /* with all ten skulls, the penalty needs the room of their
                                                            number */
    if (desk->skulls)
        canvas_print(canvas, x + (desk->skulls < PYR_SKULLS ? 2 : 1), y + 5, GLANCE - 1, ST_BAD, "-%u", penalty);
}

/* The name is cut to leave room for the points. A sign before it shows what the player is doing. */
static void draw_opponent(struct canvas *canvas, int x, int y, int wide, int most, const struct scene *scene, unsigned seat)
{
    const struct pyr_table *open = &scene->view.open;
    const struct pyr_desk *desk = &open->desk[seat];
    int points = pyr_table_score(open, &scene->edition->box, (pyr_seat)seat).total, cards = 2 * (PYR_SIDE * wide + 1);
    char number[16];
    snprintf(number, sizeof number, "%d", points);
    int used = 0;
    switch (scene->sign[seat]) {
    case SIGN_THINKS: canvas_put(canvas, x, y, spinner(scene->beat + seat, canvas->ascii), ST_TOUCH); used = 2; break;
    case SIGN_READY: canvas_put(canvas, x, y, TICK, ST_GOOD); used = 2; break;
    case SIGN_AWAY: canvas_put(canvas, x, y, '?', ST_BAD); used = 2; break;
    default: break;
    }
    used += canvas_text(canvas, x + used, y, most - used - (int)strlen(number) - 1, ST_STRONG, scene->names[seat]);
    canvas_text(canvas, x + used + 1, y, (int)strlen(number), ST_GOLD, number);
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++)
        draw_mini(canvas, x + (int)slot * (PYR_SIDE * wide + 1), y + 1, wide, scene, desk->card[slot],
            desk->card[slot] < PYR_CARDS ? pyr_desk_marks(desk, &scene->edition->box, slot) : 0);
    draw_glance(canvas, x + cards, y + 1, most - cards, scene, seat);
}

/* The last lines of the log, newest at the bottom: only whole entries, counted from the end. In a replay, entries after
 * the present line are left out. */
static void draw_log(struct canvas *canvas, int x, int y, int width, int height, const struct scene *scene)
{
    if (height < 3 || !scene->story)
        return;
    canvas_fill(canvas, x, y, width, 1, 0x2500, ST_FRAME);
    canvas_print(canvas, x + 1, y, width - 2, ST_DIM, " %s ", _("what happened"));
    height--;
    unsigned last = scene->story->count, first;
    if (scene->story_mark != UINT32_MAX)
        while (last > 0 && scene->story->line[last - 1].line > scene->story_mark)
            last--;
    int rows = 0;
    for (first = last; first > 0; first--) {
        int more = text_rows(scene->story->line[first - 1].text, width - 3);
        if (rows + more > height)
            break;
        rows += more;
    }
    for (int row = y + 1; first < last; first++) {
        const struct story_line *line = &scene->story->line[first];
        const char *sign = scene->story_sign ? scene->story_sign(scene->story_context, line->line) : NULL;
        if (sign)
            canvas_text(canvas, x, row, 2, ST_BAD, sign);
        row += canvas_wrap(canvas, x + (line->heading ? 0 : 3), row, width - (line->heading ? 0 : 3), height,
            line->heading ? ST_STRONG : ST_TEXT, line->text);
    }
}

static int hint_width(const struct key_hint *hint)
{
    return text_width(hint->name) + 1 + text_width(hint->does);
}

/* The keys for leaving and for the list of all keys; and for the analysis, which is easily missed. */
static bool is_needed(const struct key_hint *hint)
{
    return hint->key == '?' || hint->key == 'q' || hint->key == 'a';
}

/* In order of importance: hints that do not fit are left out, except those of is_needed, for which room is reserved. */
void draw_hints(struct canvas *canvas, int x, int y, int most, const struct key_hint *hints, unsigned count)
{
    int at = x, kept = 0;                    /* room for hints that are never left out */
    for (unsigned i = 0; i < count; i++)
        kept += is_needed(&hints[i]) ? hint_width(&hints[i]) + 2 : 0;
    for (unsigned i = 0; i < count; i++) {
        int width = hint_width(&hints[i]);
        kept -= is_needed(&hints[i]) ? width + 2 : 0;
        if (at + width + (is_needed(&hints[i]) ? 0 : kept) > x + most)
            continue;
        canvas_text(canvas, at, y, width, ST_KEY, hints[i].name);
        canvas_text(canvas, at + text_width(hints[i].name) + 1, y, width, ST_TEXT, hints[i].does);
        canvas_place(canvas, at, y, width, 1, ACT_KEY, hints[i].key);
        at += width + 2;
    }
}

/* The first line: game and turn on the left, the title of the mode on the right. */
void draw_title(struct canvas *canvas, const struct scene *scene)
{
    char text[128];
    canvas_fill(canvas, 0, 0, canvas->width, 1, ' ', ST_TITLE);
    words_turn(&scene->view.open, text, sizeof text);
    int used = canvas_print(canvas, 1, 0, canvas->width - 2, ST_TITLE, "%s  %s", _("Pyramids"), text);
    if (scene->title) {
        int room = canvas->width - used - 5;
        const char *title = scene->short_title && text_width(scene->title) > room ? scene->short_title : scene->title;
        int width = text_width(title) > room ? room : text_width(title);
        canvas_text(canvas, canvas->width - 1 - width, 0, width, ST_TITLE, title);
    }
}

/* The last two lines: a message, or a banner over it, and the keys. */
void draw_foot(struct canvas *canvas, const struct scene *scene)
{
    int y = canvas->height - 2;
    if (scene->banner) {
        canvas_fill(canvas, 0, y, canvas->width, 1, ' ', ST_BANNER);
        canvas_put(canvas, 1, y, spinner(scene->beat, canvas->ascii), ST_BANNER);
        canvas_text(canvas, 3, y, canvas->width - 4, ST_BANNER, scene->banner);
    } else if (scene->message) {
        /* A spinner where one can only wait, also on sheets without the others' cards. */
        bool waits = false;
        for (unsigned s = 0; s < scene->view.open.seats; s++)
            waits = waits ||
                (s != scene->seat && scene->sign[s] == SIGN_THINKS &&
                    (scene->state == HAND_SEALED || scene->state == HAND_IDLE));
        if (waits && scene->message[0])
            canvas_put(canvas, 1, y, spinner(scene->beat, canvas->ascii), ST_TOUCH);
        canvas_text(canvas, waits ? 3 : 1, y, canvas->width - (waits ? 4 : 2), scene->message_style, scene->message);
    }
    draw_hints(canvas, 1, y + 1, canvas->width - 2, scene->hints, scene->hint_count);
}

bool draw_is_too_small(struct canvas *canvas)
{
    if (canvas->width >= TUI_MIN_WIDTH && canvas->height >= TUI_MIN_HEIGHT)
        return false;
    char text[300];
    snprintf(text, sizeof text, _("This window has %d columns and %d rows. Please enlarge it to %d by %d to continue."),
        canvas->width, canvas->height, TUI_MIN_WIDTH, TUI_MIN_HEIGHT);
    canvas_wrap(canvas, 1, canvas->height / 3, canvas->width - 2, canvas->height, ST_STRONG, text);
    return true;
}

/* The layout: the largest cards that leave room for the rest. With `tall` the right column reaches down to the foot and
 * contains the log. */
struct layout {
    struct card_size size;
    bool tall, two_rows;         /* opponents below the display */
    int mini;                    /* columns of a space of a small card */
    int right;                   /* width of the right column */
};

/* The largest sizes are tried first; the numbers are the minimum sizes of the parts (draw_panel: 34 columns, 46 at most). */
static struct layout layout_for(int width, int height, unsigned opponents)
{
    static const struct card_size sizes[] = { { 9, 4, true }, { 7, 3, true }, { 5, 2, true }, { 3, 1, true } };
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int cards = 2 * card_width(sizes[i]) + 1, rows = 1 + 1 + card_height(sizes[i]) + 2 + 2;
        int right = width - cards - 2 > 46 ? 46 : width - cards - 2 > 34 ? width - cards - 2 : 34, left = width - right - 2;
        if (cards > left + 1)
            continue;
        for (int mini = 4; mini >= 1; mini /= 2) {
            int tall = mini_height(mini);
            int one = display_width(mini) + 1 + (int)opponents * opponent_width(mini);
            int two = (int)opponents * opponent_width(mini) > display_width(mini) ? (int)opponents * opponent_width(mini)
                                                                                  : display_width(mini);
            if (height >= rows + tall && one <= left && height >= 28)
                return (struct layout){ sizes[i], true, false, mini, right };
            if (height >= rows + 2 * tall && two <= left + 1)
                return (struct layout){ sizes[i], true, true, mini, right };
            if (height >= rows + tall && one <= width && height < 30)
                return (struct layout){ sizes[i], false, false, mini, right };
        }
    }
    return (struct layout){ sizes[3], false, false, 1, 34 };
}

/* `scene->hand` is NULL in a replay and for spectators: then there is nothing to aim with, and the desk is the open one. */
static void draw_slot(struct canvas *canvas, int x, int y, struct card_size size, const struct scene *scene, unsigned slot)
{
    const struct pyr_desk *desk = scene->hand ? &scene->view.mine : &scene->view.open.desk[scene->seat];
    const struct pyr_desk *open = &scene->view.open.desk[scene->seat];
    pyr_card card = desk->card[slot];
    struct card_look look = { .slot = scene->hand ? (int)slot : -1 };
    if (card < PYR_CARDS) {
        pyr_spaces marks = pyr_desk_marks(desk, &scene->edition->box, slot);
        pyr_spaces before = card == open->card[slot] ? pyr_desk_marks(open, &scene->edition->box, slot) : marks;
        look.marks = marks;
        look.placed = (marks & ~before) | (scene->hand ? 0 : scene->shown[slot] & marks);
        bool aiming = scene->hand && (scene->state == HAND_FIRST || scene->state == HAND_EXTRA);
        if (aiming && scene->hand->aim.single)
            look.can = pyr_pair_half(slot, desk->reach);
        if (aiming && scene->hand->aim.slot == slot) {
            pyr_pattern pattern = hand_pattern(scene->match);
            look.active = true;
            look.ghost = pyr_aim_spaces(&scene->hand->aim, &scene->edition->box, pattern);
            look.wrong = pyr_aim_check(&scene->hand->aim, &scene->edition->box, desk, pattern) != PYR_OK;
        }
        char more[96];
        unsigned all = (unsigned)__builtin_popcount(scene->edition->box.card[card].open);
        int room = card_width(size) - 2 - 6 - text_width(pyr_text_colour(scene->edition->box.card[card].colour));
        if (desk->flags & PYR_DESK_TOMB(slot))
            snprintf(more, sizeof more, "%s", text_width(_("complete")) <= room ? _("complete") : canvas->ascii ? "+" : "✓");
        else
            snprintf(more, sizeof more, "%u/%u", (unsigned)__builtin_popcount(marks), all);
        draw_card_name(canvas, x + 2, y, card_width(size) - 2, scene, card, more);
    }
    draw_card(canvas, x, y + 1, size, scene, card, &look);
}

/* The gains of a mark, in at most two rows: with signs if words are too long. */
static void preview(const struct gains *gains, int most, char *text, size_t size)
{
    words_preview(gains, false, text, size);
    if (text_rows(text, most) > 2)
        words_preview(gains, true, text, size);
}

/* The gains of the mark under the cursor, or of the marks made; *then becomes the desk with that mark. */
static void draw_gains(struct canvas *canvas, int x, int y, int most, const struct scene *scene, struct pyr_desk *then)
{
    struct gains gains;
    char text[400] = "";
    enum style style = ST_TEXT;
    pyr_pattern pattern = hand_pattern(scene->match);
    bool aiming = scene->hand && (scene->state == HAND_FIRST || scene->state == HAND_EXTRA);
    bool made = scene->hand && (scene->state == HAND_READY || scene->state == HAND_SEALED) && pattern != PYR_NO_PATTERN;
    if (aiming && !hand_preview(scene->hand, scene->match, scene->seat, &gains)) {
        preview(&gains, most, text, sizeof text);
        style = ST_TOUCH;
        pyr_desk_mark(then, &scene->edition->box, pattern, scene->view.open.round,
            pyr_aim_step(&scene->hand->aim, &scene->edition->box, pattern));
    } else if (made) {
        hand_made(scene->match, scene->seat, &gains);
        preview(&gains, most, text, sizeof text);
        style = ST_STRONG;
    } else if (!aiming && scene->preview) {
        snprintf(text, sizeof text, "%s", scene->preview);
    }
    canvas_wrap(canvas, x, y, most, 2, style, text);
}

/* Opponents follow in seat order after the player, as if around a table. The log starts in row 16, below the panel, if
 * the window is tall. */
bool draw_table(struct canvas *canvas, const struct scene *scene)
{
    canvas_clear(canvas);
    if (draw_is_too_small(canvas))
        return false;
    const struct pyr_table *open = &scene->view.open;
    unsigned opponents = open->seats ? open->seats - 1u : 1;
    struct layout layout = layout_for(canvas->width, canvas->height, opponents);
    int width = card_width(layout.size), left = canvas->width - layout.right - 1;
    int spare = left - (2 * width + 1), x = spare > 6 ? spare / 2 - 1 : 0;
    draw_title(canvas, scene);
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++)
        draw_slot(canvas, x + (int)slot * (width + 1), 1, layout.size, scene, slot);
    int below = 2 + card_height(layout.size);
    struct pyr_desk then = scene->hand ? scene->view.mine : open->desk[scene->seat];
    draw_gains(canvas, x + 1, below, left - x - 1, scene, &then);
    draw_panel(canvas, canvas->width - layout.right, 1, layout.right, scene, &then);
    int minis = below + 2 +
        (layout.tall && canvas->height > below + 5 + (layout.two_rows ? 2 : 1) * mini_height(layout.mini) ? 1 : 0),
        at = 0;
    draw_display(canvas, 1, minis, layout.mini, scene);
    if (layout.two_rows)
        minis += mini_height(layout.mini);
    else
        at = display_width(layout.mini) + 1;
    /* Names get the remaining room. */
    int least = opponent_width(layout.mini), each = ((layout.tall ? left : canvas->width) - 1 - at) / (int)opponents;
    each = each < least ? least : each > least + 20 ? least + 20 : each;
    for (unsigned i = 0, seat = scene->seat; i < opponents; i++) {
        seat = (seat + 1) % open->seats;
        draw_opponent(canvas, 1 + at, minis, layout.mini, each - 1, scene, seat);
        at += each;
    }
    if (layout.tall)
        draw_log(canvas, canvas->width - layout.right, 16, layout.right, canvas->height - 2 - 16, scene);
    draw_foot(canvas, scene);
    return true;
}
