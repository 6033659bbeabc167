/*
 * table.c: a game on the screen; see app.h.
 *
 * The loop of a game: tick (events of the session or of bots), draw, wait for input, handle it. Differences between a
 * local game and one on a server are behind struct play_ops (app.h); this file depends on neither.
 *
 * Keys go through layers, the uppermost first: a question, the cover of a shared screen, a sheet, the table.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pyramids/rules.h>

#include "app.h"

#define RULES_PAGE (HELP_PAGES - 1)

/* Monotonic; only differences have a meaning. */
double app_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A message belongs to a line of the log and disappears when the game continues. */
void app_say(struct app *app, enum style style, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(app->message, sizeof app->message, format, arguments);
    va_end(arguments);
    app->message_style = style;
    app->message_line = app->match.log.lines;
}

/* Ends the program with this sentence, after the screen was restored. */
void app_fail(struct app *app, const char *format, ...)
{
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    free(app->error);
    app->error = malloc(strlen(text) + 1);
    if (app->error)
        strcpy(app->error, text);
}

/* More than MAX_HINTS would not fit into a line anyway. */
void app_hint(struct app *app, int key, const char *name, const char *does)
{
    if (app->hint_count < MAX_HINTS)
        app->hints[app->hint_count++] = (struct key_hint){ key, name, does };
}

/* Called before each drawing, so a new window size needs no event. */
void app_canvas(struct app *app)
{
    int width, height;
    screen_size(&width, &height);
    app->canvas.ascii = app->facts.ascii;
    if (width != app->canvas.width || height != app->canvas.height)
        canvas_init(&app->canvas, width, height);
    canvas_clear(&app->canvas);
    app->hint_count = 0;
}

/* Whether the seat is played at this screen. */
static bool is_mine(const struct app *app)
{
    return app->seat < PYR_MAX_SEATS && app->people >> app->seat & 1;
}

/* Whether there are people at the table who would see it. */
static bool can_react(const struct app *app)
{
    return app->ops->can_react && app->ops->can_react(app);
}

/* Whether the last turn can be taken back. */
static bool can_take_back(const struct app *app)
{
    return app->ops->can_take_back && app->ops->can_take_back(app);
}

/* Whether people are changing seats at this screen: then nothing may be shown. */
static bool is_covered(const struct app *app)
{
    return app->ops->is_covered && app->ops->is_covered(app);
}

/* A seat without a player on this device has nothing to do. */
static enum hand_state state_of(const struct app *app)
{
    enum hand_state state = hand_state(&app->match, app->seat);
    return state == HAND_OVER || is_mine(app) ? state : HAND_IDLE;
}

static bool is_aiming(enum hand_state state)
{
    return state == HAND_FIRST || state == HAND_EXTRA;
}

/* While all choose at the same time, players who have chosen get a tick; in other phases only the one whose turn it is
 * has a sign. */
static void set_signs(struct app *app, struct scene *scene)
{
    unsigned waiting = pyr_match_waiting(&app->match);
    bool all = scene->view.open.phase == PYR_KEEP || scene->view.open.phase == PYR_MARK;
    for (unsigned s = 0; s < app->match.replay.seats; s++) {
        if (pyr_match_is_over(&app->match))
            scene->sign[s] = SIGN_NONE;
        else if (app->ops && app->ops->sign)
            scene->sign[s] = app->ops->sign(app, s);
        else if (waiting >> s & 1)
            scene->sign[s] = SIGN_THINKS;
        else
            scene->sign[s] = all ? SIGN_READY : SIGN_NONE;
    }
}

/* Also lets the hand follow the match, so that what is drawn is never older than the position. */
void app_scene(struct app *app, struct scene *scene)
{
    *scene = (struct scene){ .edition = &app->edition,
        .match = &app->match,
        .seat = app->seat < PYR_MAX_SEATS ? app->seat : 0,
        .names = app->names,
        .story = &app->story,
        .beat = app->beat,
        .hints = app->hints,
        .story_mark = UINT32_MAX,
        .bare_console = app->facts.bare_console };
    story_tell(&app->story, &app->match, app->match.log.lines, app->names);
    pyr_match_view(&app->match, is_mine(app) ? app->seat : PYR_SPECTATOR, &scene->view);
    scene->state = state_of(app);
    if (is_mine(app) && app->match.replay.stage == PYR_STAGE_PLAY) {
        hand_follow(&app->hand[app->seat], &app->match, app->seat);
        scene->hand = &app->hand[app->seat];
    }
    set_signs(app, scene);
    scene->title = app->ops ? app->ops->title(app) : NULL;
    scene->banner = app->ops && app->ops->banner ? app->ops->banner(app) : NULL;
    scene->standing = app->ops && app->ops->standing ? app->ops->standing(app) : NULL;
}

/* Adds to the prompt what the previous turn has gained, in full or, if that is too long for the line, in short. */
static void add_news(struct app *app)
{
    char news[900], brief[200];
    size_t length = strlen(app->message);
    story_news(&app->story, news, sizeof news, brief, sizeof brief);
    int room = app->canvas.width - 2 - text_width(app->message) - 2;
    const char *text = text_width(news) <= room ? news : text_width(brief) <= room ? brief : "";
    if (text[0])
        snprintf(app->message + length, sizeof app->message - length, "  %s", text);
}

/* Shows what the player can do now, if the message line is empty. */
static void prompt(struct app *app, const struct scene *scene)
{
    char list[500];
    struct gains gains;
    const struct hand *hand = scene->hand;
    if (app->message[0])
        return;
    app->message_style = ST_TEXT;
    switch (scene->state) {
    case HAND_KEEP:
        app_say(app, ST_TEXT, "%s", __builtin_popcount(hand->picked) == PYR_KEPT ? _("Enter keeps these two.")
            : _("Pick two cards: arrows and space, or 1 to 4."));
        break;
    case HAND_FIRST: {
        enum pyr_err err = hand_preview(hand, &app->match, app->seat, &gains);
        if (err) {
            char reason[300];
            words_reason(err, reason, sizeof reason);
            app_say(app, ST_BAD, "%s", reason);
        } else if (hand->aim.single &&
            !pyr_aim_count(&app->edition.box, &scene->view.mine, hand_pattern(&app->match), 0, false) &&
            !pyr_aim_count(&app->edition.box, &scene->view.mine, hand_pattern(&app->match), 1, false)) {
            app_say(app, ST_TEXT, "%s", _("The pattern fits nowhere: mark one space instead (R8). Enter places it."));
            add_news(app);
        } else {
            app_say(app, ST_TEXT, "%s",
                hand->aim.single ? _("One space instead of the pattern (R8). Enter places it.")
                                 : _("Enter places the pattern here."));
            add_news(app);
        }
        break;
    }
    case HAND_EXTRA: {
        enum pyr_err err = hand_preview(hand, &app->match, app->seat, &gains);
        unsigned choice = 0;
        for (unsigned slot = 0; slot < PYR_SLOTS; slot++)
            choice += (unsigned)__builtin_popcount(pyr_pair_half(slot, scene->view.mine.reach));
        char reason[300];
        words_reason(err, reason, sizeof reason);
        if (err)
            app_say(app, ST_BAD, "%s", reason);
        else
            app_say(app, ST_TOUCH, pyr_ngettext("Red cross: one more space, on either card; %u to choose from.",
                "Red cross: one more space, on either card; %u to choose from.", choice), choice);
        break;
    }
    case HAND_PASS: app_say(app, ST_TEXT, "%s", _("You have no card left to mark: Enter passes (Q7).")); break;
    case HAND_READY: app_say(app, ST_TOUCH, "%s", _("Placed. Enter confirms, u takes back.")); break;
    case HAND_SEALED:
        words_names(app->ops->waiting(app) & ~(1u << app->seat), app->names, list, sizeof list);
        app_say(app, ST_TEXT, _("Sealed. Waiting for %s; u takes it back."), list);
        break;
    case HAND_REPLACE:
        app_say(app, ST_TEXT, "%s", _("Choose a card with the arrows; Enter takes it. There is no going back (Q5)."));
        break;
    case HAND_OVER:
        if (app->ops->is_asked_again && app->ops->is_asked_again(app))
            app_say(app, ST_TOUCH, "%s", _("A rematch is ready: N joins it."));
        break;
    case HAND_IDLE:
        words_names(app->ops->waiting(app), app->names, list, sizeof list);
        if (list[0])
            app_say(app, ST_TEXT, _("Waiting for %s."), list);
        break;
    }
}

void play_sheet_hints(struct app *app)
{
    bool rules = app->sheet == SHEET_HELP && app->page == RULES_PAGE;
    if (app->sheet == SHEET_STORY || rules) {
        app_hint(app, K_UP, app->facts.ascii ? "Up" : "↑", rules ? _("up") : _("earlier"));
        app_hint(app, K_DOWN, app->facts.ascii ? "Down" : "↓", rules ? _("down") : _("later"));
    }
    if (rules) {
        app_hint(app, '/', "/", _("search"));
        if (app->rules.search[0])
            app_hint(app, 'n', "n", _("next"));
    }
    if (app->sheet == SHEET_HELP)
        app_hint(app, K_TAB, _("Tab"), _("keys, signs, rules"));
}

void play_draw_help(struct app *app, const struct scene *scene)
{
    if (app->page == RULES_PAGE)
        rules_draw(&app->canvas, scene, &app->rules);
    else
        draw_help(&app->canvas, scene, app->page);
}

static void hint_cards(struct app *app, enum hand_state state)
{
    app_hint(app, K_ENTER, _("Enter"), state == HAND_KEEP ? _("keep") : _("take"));
    app_hint(app, K_LEFT, app->facts.ascii ? "<" : "←", _("left"));
    app_hint(app, K_RIGHT, app->facts.ascii ? ">" : "→", _("right"));
    if (state == HAND_KEEP)
        app_hint(app, ' ', _("Space"), _("pick"));
    else
        app_hint(app, 't', "t", app->peek ? _("choose") : _("table"));
}

static void hint_aim(struct app *app, enum hand_state state)
{
    bool single = app->hand[app->seat].aim.single;           /* one space looks the same in any turn */
    app_hint(app, K_ENTER, _("Enter"), _("place"));
    if (state == HAND_FIRST && !single) {
        app_hint(app, 'r', "r", _("rotate"));
        app_hint(app, 'f', "f", _("mirror"));
    }
    if (state == HAND_FIRST)
        app_hint(app, 's', "s", single ? _("pattern") : _("single"));
    app_hint(app, 'n', "n", _("next"));
    app_hint(app, K_TAB, _("Tab"), _("card"));
}

static void hint_end(struct app *app)
{
    app_hint(app, 't', "t", app->peek ? _("scores") : _("table"));
    app_hint(app, 'v', "v", _("replay"));
    if (app->ops->can_play_again(app))
        app_hint(app, 'N', "N", _("rematch"));
}

/* The keys for the present decision. */
static void hint_state(struct app *app, enum hand_state state)
{
    switch (state) {
    case HAND_KEEP: case HAND_REPLACE: hint_cards(app, state); break;
    case HAND_FIRST: case HAND_EXTRA: hint_aim(app, state); break;
    case HAND_READY: app_hint(app, K_ENTER, _("Enter"), _("confirm")); break;
    case HAND_PASS: app_hint(app, K_ENTER, _("Enter"), _("pass")); break;
    case HAND_OVER: hint_end(app); break;
    case HAND_IDLE: case HAND_SEALED:
        if (app->ops->is_watching(app))
            app_hint(app, K_TAB, _("Tab"), _("seat"));
        break;
    }
    if (state == HAND_SEALED || state == HAND_READY || state == HAND_EXTRA)
        app_hint(app, 'u', "u", _("take back"));
}

/* The most important ones first: those that do not fit into the last line are left out. */
static void set_hints(struct app *app, enum hand_state state)
{
    bool can_undo = app->match.choice[app->seat].count || can_take_back(app);
    if (app->question)
        return;                              /* its box shows the keys that work now */
    if (app->sheet) {
        play_sheet_hints(app);
        app_hint(app, K_ESCAPE, _("Esc"), _("back"));
    } else {
        hint_state(app, state);
    }
    app_hint(app, '?', "?", _("help"));
    app_hint(app, 'q', "q", _("quit"));
    if (!app->sheet && app->cited >= 0)
        app_hint(app, 'w', "w", pyr_text_rule_tag((unsigned)app->cited));
    if (!app->sheet && can_undo && (state == HAND_FIRST || state == HAND_KEEP || state == HAND_OVER))
        app_hint(app, 'u', "u", _("undo"));
    if (app->sheet != SHEET_PLAYERS)
        app_hint(app, 'o', "o", _("players"));
    if (app->sheet != SHEET_STORY)
        app_hint(app, 'L', "L", _("log"));
    if (can_react(app))
        app_hint(app, 'e', "e", _("react"));
}

/* The key for yes: the first letter of the translated word, if it is an ASCII letter. */
static char yes_letter(void)
{
    char letter = (char)(_("yes")[0] | 32);
    return letter >= 'a' && letter <= 'z' && letter != 'n' ? letter : 'y';
}

/* A prompt is only for this drawing: the message is restored afterwards, so that it does not count as shown. */
static void draw(struct app *app)
{
    struct scene scene;
    app_canvas(app);
    if (is_covered(app)) {
        if (!app->question)
            app->ops->draw_cover(app);
        goto show;
    }
    app_scene(app, &scene);
    if (app->message_line != app->match.log.lines)
        app->message[0] = '\0';
    char kept[sizeof app->message];
    memcpy(kept, app->message, sizeof kept);
    if (app->question)
        app->message[0] = '\0';
    else if (!app->sheet)
        prompt(app, &scene);
    app->cited = rules_cited(app->message);
    set_hints(app, scene.state);
    scene.hint_count = app->hint_count;
    scene.message = app->message;
    scene.message_style = app->message_style;
    bool replacing = scene.view.open.phase == PYR_REPLACE && app->match.replay.stage == PYR_STAGE_PLAY;
    if (app->canvas.width < TUI_MIN_WIDTH || app->canvas.height < TUI_MIN_HEIGHT)
        draw_is_too_small(&app->canvas);
    else if (app->sheet == SHEET_HELP)
        play_draw_help(app, &scene);
    else if (app->sheet == SHEET_STORY)
        draw_story(&app->canvas, &scene, app->scroll);
    else if (app->sheet == SHEET_PLAYERS)
        draw_players(&app->canvas, &scene);
    else if (scene.state == HAND_OVER && !app->peek)
        draw_scores(&app->canvas, &scene);
    else if (scene.hand && scene.view.open.phase == PYR_KEEP)
        draw_keep(&app->canvas, &scene);
    else if (replacing && !app->peek)
        draw_replace(&app->canvas, &scene);
    else
        draw_table(&app->canvas, &scene);
    memcpy(app->message, kept, sizeof kept);
show:
    if (app->question == ASK_REACTION) {
        app->ops->draw_reactions(app);
    } else if (app->question) {
        const char yes[] = { yes_letter(), '\0' };
        const struct key_hint answers[] = { { yes[0], yes, _("yes") }, { 'n', "n", _("no") } };
        if (app->question == ASK_TAKE_BACK)
            draw_notice(&app->canvas, _("Take back your last turn?"), _("The game goes back to before your last choice."),
                answers, 2);
        else
            draw_notice(&app->canvas, _("Leave the game?"), app->ops->leaving(app), answers, 2);
    }
    screen_show(&app->canvas);
}

/* Keys. */

/* Shows why a key did nothing. */
static void refuse(struct app *app, enum pyr_err err)
{
    char reason[300];
    words_reason(err, reason, sizeof reason);
    app_say(app, ST_BAD, "%s", reason);
}

static void confirm(struct app *app)
{
    app->peek = false;
    app->ops->confirm(app);
}

/* Takes the card under the cursor, or one from the deck. */
static void take(struct app *app)
{
    const struct pyr_table *open = &app->match.replay.state.open;
    unsigned at = app->hand[app->seat].at;
    pyr_step step = at < PYR_DISPLAY ? pyr_step_take(open->display[at]) : pyr_step_draw();
    if (at < PYR_DISPLAY && open->display[at] == PYR_NO_CARD)
        return;
    if (at >= PYR_DISPLAY && !open->deck_left) {
        refuse(app, PYR_ERR_DECK_EMPTY);
        return;
    }
    app->ops->take(app, step);
}

/* In this order: opens a sealed choice again, takes back a placed mark, takes back the last turn after a question. */
static void undo(struct app *app, enum hand_state state)
{
    struct hand *hand = &app->hand[app->seat];
    if (state == HAND_SEALED) {
        app->ops->retract(app);
    } else if (is_mine(app) && app->match.choice[app->seat].count) {
        hand_undo(hand, &app->match, app->seat);
        app_say(app, ST_TEXT, "%s", _("Taken back."));
    } else if (can_take_back(app)) {
        app->question = ASK_TAKE_BACK;
    } else if (app->ops->has_past && app->ops->has_past(app)) {
        app_say(app, ST_BAD, "%s", _("You have seen a new card: that turn can no longer be taken back (Q5)."));
    } else {
        refuse(app, PYR_ERR_NO_UNDO);
    }
}

/* Moving on after everything was placed takes the last step back into the hand. */
static bool pick_up(struct app *app, enum hand_state state)
{
    return state == HAND_READY && hand_pattern(&app->match) != PYR_NO_PATTERN &&
        !hand_undo(&app->hand[app->seat], &app->match, app->seat);
}

/* Arrows and vi's keys move, r and R rotate, f mirrors, s changes to a single space, n and p go through all placements. */
static bool aim_key(struct app *app, int key)
{
    struct hand *hand = &app->hand[app->seat];
    const struct pyr_match *match = &app->match;
    pyr_seat seat = app->seat;
    switch (key) {
    case K_UP: case 'k': hand_move(hand, match, seat, -1, 0); return true;
    case K_DOWN: case 'j': hand_move(hand, match, seat, 1, 0); return true;
    case K_LEFT: case 'h': hand_move(hand, match, seat, 0, -1); return true;
    case K_RIGHT: case 'l': hand_move(hand, match, seat, 0, 1); return true;
    case 'r': hand_turn(hand, match, seat, 1); return true;
    case 'R': hand_turn(hand, match, seat, -1); return true;
    case 'f': case 'F': hand_turn(hand, match, seat, 0); return true;
    case 's': case 'S': hand_single(hand, match, seat); return true;
    case 'n': hand_next(hand, match, seat, 1); return true;
    case 'N': case 'p': hand_next(hand, match, seat, -1); return true;
    case '1': case '2': hand_card(hand, match, seat, (unsigned)(key - '1')); return true;
    case K_TAB: case K_BACKTAB: hand_card(hand, match, seat, !hand->aim.slot); return true;
    default: return false;
    }
}

/* Placing is not confirming: it can be taken back until Enter is pressed once more. */
static void place(struct app *app)
{
    enum pyr_err err = hand_place(&app->hand[app->seat], &app->match, app->seat);
    if (err)
        refuse(app, err);
    else if (hand_state(&app->match, app->seat) == HAND_EXTRA)
        hand_follow(&app->hand[app->seat], &app->match, app->seat);
}

/* Choosing among cards that are side by side. */
static bool cards_key(struct app *app, int key, enum hand_state state)
{
    struct hand *hand = &app->hand[app->seat];
    const struct pyr_table *open = &app->match.replay.state.open;
    int most = state == HAND_KEEP ? PYR_DEALT : PYR_DISPLAY + 1,
        step = key == K_LEFT || key == 'h' || key == K_BACKTAB ? most - 1 : 1;
    switch (key) {
    case K_LEFT: case 'h': case K_BACKTAB: case K_RIGHT: case 'l': case K_TAB:
        for (int i = 0; i < most; i++) {
            hand->at = (uint8_t)((hand->at + step) % most);
            if (state == HAND_KEEP ||
                (hand->at < PYR_DISPLAY ? open->display[hand->at] != PYR_NO_CARD : open->deck_left > 0))
                break;
        }
        return true;
    case '1': case '2': case '3': case '4':
        if (state == HAND_REPLACE && open->display[key - '1'] == PYR_NO_CARD)
            return true;
        hand->at = (uint8_t)(key - '1');
        if (state == HAND_KEEP)
            hand_pick(hand, hand->at);
        return true;
    case '5': case 'd':
        if (state == HAND_REPLACE && open->deck_left)
            hand->at = HAND_DECK;
        else if (state == HAND_REPLACE)
            refuse(app, PYR_ERR_DECK_EMPTY);
        return true;
    case ' ':
        if (state == HAND_KEEP)
            hand_pick(hand, hand->at);
        return true;
    case K_ENTER:
        if (state == HAND_REPLACE) {
            take(app);
        } else if (__builtin_popcount(hand->picked) == PYR_KEPT) {
            place(app);
            if (hand_state(&app->match, app->seat) == HAND_READY)
                confirm(app);
        } else if (!(hand->picked >> hand->at & 1)) {
            hand_pick(hand, hand->at);
        } else {
            refuse(app, PYR_ERR_NOT_READY);
        }
        return true;
    default:
        return false;
    }
}

/* Shows the rule that the message cites, otherwise the one about the present decision. */
static void show_rule(struct app *app, enum hand_state state)
{
    const char *tag = state == HAND_KEEP ? "R4" : state == HAND_REPLACE ? "R12" : state == HAND_OVER ? "R16" : "R8";
    rules_show(&app->rules, app->cited >= 0 ? app->cited : pyr_text_rule_find(tag));
    app->sheet = SHEET_HELP;
    app->page = RULES_PAGE;
}

/* Keys that work at the table and on sheets alike. 12 is Ctrl-L. */
static bool general_key(struct app *app, int key, enum hand_state state)
{
    switch (key) {
    case 'q': case 'Q': app->question = ASK_QUIT; return true;
    case '?': app->sheet = app->sheet == SHEET_HELP ? SHEET_NONE : SHEET_HELP; app->page = 0; return true;
    case 'w': case 'W': show_rule(app, state); return true;
    case 'o': case 'O': app->sheet = app->sheet == SHEET_PLAYERS ? SHEET_NONE : SHEET_PLAYERS; return true;
    case 'L': app->sheet = app->sheet == SHEET_STORY ? SHEET_NONE : SHEET_STORY; app->scroll = 0; return true;
    case 'e': case 'E':
        if (can_react(app))
            app->question = ASK_REACTION;
        return true;
    case 12: screen_redraw(); return true;
    case K_ESCAPE: app->sheet = SHEET_NONE; return true;
    case 't':
        if (state == HAND_OVER || app->match.replay.state.open.phase == PYR_REPLACE)
            app->peek = !app->peek;
        return true;
    case 'v':
        if (state == HAND_OVER)
            app->look_back = app->leave = true;
        return true;
    case 'N':
        if (state == HAND_OVER)
            app->ops->play_again(app);
        return true;
    default: return false;
    }
}

/* scroll counts lines from the newest; half a page always stays visible. */
static bool story_key(struct app *app, int key)
{
    unsigned page = app->canvas.height > 6 ? (unsigned)app->canvas.height - 5 : 1, most = app->story.count;
    unsigned up = key == K_UP || key == 'k' ? 1 : key == K_PAGE_UP ? page : key == K_HOME ? most : 0;
    unsigned down = key == K_DOWN || key == 'j' ? 1 : key == K_PAGE_DOWN ? page : key == K_END ? most : 0;
    app->scroll = app->scroll + up > most ? most : app->scroll + up;
    app->scroll = app->scroll > down ? app->scroll - down : 0;
    if (app->scroll + page / 2 > most)
        app->scroll = most > page / 2 ? most - page / 2 : 0;
    return up || down;
}

/* / on any page goes to the rules and begins a search there. */
static bool help_key(struct app *app, int key)
{
    if (key == '/' && app->page != RULES_PAGE) {
        rules_show(&app->rules, -1);
        app->page = RULES_PAGE;
    }
    if (app->page == RULES_PAGE && rules_key(&app->rules, key, app->canvas.height - 4))
        return true;
    if (key != K_TAB && key != K_LEFT && key != K_RIGHT && key != ' ')
        return false;
    app->page = (app->page + (key == K_LEFT ? HELP_PAGES - 1 : 1)) % HELP_PAGES;
    return true;
}

bool play_sheet_key(struct app *app, int key)
{
    return app->sheet == SHEET_STORY ? story_key(app, key) : app->sheet == SHEET_HELP && help_key(app, key);
}

static bool is_yes(int key)
{
    return key == K_ENTER || (key | 32) == 'y' || (key | 32) == yes_letter();
}

/* Any key other than yes means no, so nothing is lost by mistake. */
static void answer_question(struct app *app, int key)
{
    enum question question = app->question;
    if (question == ASK_REACTION && app->ops->reaction_key(app, key))
        return;
    app->question = ASK_NOTHING;
    if (question == ASK_REACTION || !is_yes(key))
        return;
    if (question == ASK_QUIT)
        app->leave = true;
    else
        app->ops->take_back(app);
}

/* Only specific keys remove the cover, so that it does not happen by accident. */
static void cover_key(struct app *app, int key)
{
    if (key == 'q')
        app->question = ASK_QUIT;
    else if (key == K_ENTER || key == ' ')
        app->ops->uncover(app);
    else if (key == 'u')
        app->ops->back_seat(app);
}

/* Keys that aim_key handles. After everything was placed, they first take the last step back into the hand. */
static bool is_aim_key(int key)
{
    return key == K_UP || key == K_DOWN || key == K_LEFT || key == K_RIGHT ||
        (key < 128 && key > 0 && strchr("hjklrRfFsSnNp12\t", key));
}

/* 26 is Ctrl-Z, on terminals that pass it on. */
static bool is_undo_key(int key)
{
    return key == 'u' || key == 'U' || key == 26 || key == K_BACKSPACE;
}

/* Keys while a pattern or an extra mark is being placed, or is to be confirmed. */
static bool mark_key(struct app *app, int key, enum hand_state state)
{
    if ((is_aiming(state) || state == HAND_READY) && is_aim_key(key)) {
        pick_up(app, state);
        aim_key(app, key);
    } else if (key == K_ENTER && (is_aiming(state) || state == HAND_PASS)) {
        place(app);
    } else if (key == K_ENTER && state == HAND_READY) {
        confirm(app);
    } else if (key == K_ESCAPE && (state == HAND_READY || state == HAND_EXTRA)) {
        while (app->match.choice[app->seat].count && !hand_undo(&app->hand[app->seat], &app->match, app->seat))
            continue;
    } else {
        return false;
    }
    return true;
}

/* Keys at the table itself: first those for the present decision, then those that always work. */
static void table_key(struct app *app, int key, enum hand_state state)
{
    bool choosing = state == HAND_KEEP || (state == HAND_REPLACE && !app->peek);
    if (state == HAND_IDLE && app->ops->idle_key && app->ops->idle_key(app, key))
        return;
    if ((choosing && cards_key(app, key, state)) || mark_key(app, key, state))
        return;
    if (is_undo_key(key))
        undo(app, state);
    else
        general_key(app, key, state);
}

/* The layers described at the head of this file. A key without a meaning on a sheet closes it and is handled by the
 * table. */
static void on_key(struct app *app, int key)
{
    enum hand_state state = state_of(app);
    app->message[0] = '\0';
    if (app->question) {
        answer_question(app, key);
    } else if (is_covered(app)) {
        cover_key(app, key);
    } else if (!app->sheet || (!play_sheet_key(app, key) && !general_key(app, key, state))) {
        app->sheet = SHEET_NONE;
        table_key(app, key, state);
    }
}

/* The mouse. */

/* Holds the pattern over the space at a place. */
static bool cover_space(struct app *app, const struct place *at, bool any_turn)
{
    unsigned slot = (unsigned)at->detail / 25, row = (unsigned)at->detail / 5 % 5, column = (unsigned)at->detail % 5;
    return hand_cover(&app->hand[app->seat], &app->match, app->seat, slot, row, column, any_turn);
}

/* The wheel scrolls a sheet, or turns the pattern. */
static void on_wheel(struct app *app, int way, const struct place *at)
{
    enum hand_state state = state_of(app);
    if (app->sheet) {
        play_sheet_key(app, way > 0 ? K_UP : K_DOWN);
    } else if (!is_covered(app) && !app->question && (is_aiming(state) || pick_up(app, state))) {
        hand_turn(&app->hand[app->seat], &app->match, app->seat, way > 0 ? 1 : -1);
        if (at && at->action == ACT_SPACE)
            cover_space(app, at, false);
        app->message[0] = '\0';
    }
}

/* Pointing at a card moves the cursor there; a click picks it, or takes the one that was pointed at before. */
static void on_item(struct app *app, const struct place *at, bool click)
{
    enum hand_state state = state_of(app);
    struct hand *hand = &app->hand[app->seat];
    if (state != HAND_KEEP && state != HAND_REPLACE)
        return;
    bool same = hand->at == at->detail;
    hand->at = (uint8_t)at->detail;
    if (click)
        on_key(app, state == HAND_KEEP ? ' ' : same ? K_ENTER : 0);
}

/* Pointing at a space holds the pattern there; a click places it. */
static void on_space(struct app *app, const struct place *at, bool click)
{
    if (click && state_of(app) == HAND_READY)
        pick_up(app, HAND_READY);
    if (!is_aiming(state_of(app)))
        return;
    app->message[0] = '\0';
    if (cover_space(app, at, click) && click)
        place(app);
}

/* Hovering moves the aim or the cursor; only a click chooses. Under a cover or a question, only keys can be clicked. */
static void on_mouse(struct app *app, const struct input *input)
{
    const struct place *at = canvas_find(&app->canvas, input->x, input->y);
    bool click = input->kind == INPUT_CLICK, open = !is_covered(app) && !app->question && !app->sheet;
    if (input->kind == INPUT_WHEEL)
        on_wheel(app, input->key, at);
    else if (at && at->action == ACT_KEY && click)
        on_key(app, at->detail);
    else if (at && at->action == ACT_ITEM && open)
        on_item(app, at, click);
    else if (at && at->action == ACT_SPACE && open)
        on_space(app, at, click);
}

/* Passes the player's input to the screen that is shown. */
static void on_input(struct app *app, const struct input *input)
{
    const struct play_ops *ops = app->ops;
    bool own = ops->draws_itself && ops->draws_itself(app);
    switch (input->kind) {
    case INPUT_KEY:
        if (own)
            ops->screen_key(app, input->key);
        else
            on_key(app, input->key);
        break;
    case INPUT_HOVER:
    case INPUT_CLICK:
    case INPUT_WHEEL:
        if (own)
            ops->screen_mouse(app, input);
        else
            on_mouse(app, input);
        break;
    case INPUT_END: app->leave = true; break;
    default: break;
    }
}

/* Draws at least once per second; every 120 ms while something moves, for a spinner of about eight pictures per second. */
void play_run(struct app *app)
{
    const struct play_ops *ops = app->ops;
    app->leave = app->again = app->look_back = false;
    while (!app->leave && !app->error) {
        ops->tick(app);
        if (app->leave || app->error)
            break;
        if (ops->draws_itself && ops->draws_itself(app)) {
            app_canvas(app);
            ops->draw(app);
            screen_show(&app->canvas);
        } else {
            draw(app);
        }
        struct input input = screen_wait(ops->is_alive(app) ? 120 : 1000);
        if (app_seconds() >= app->next_beat) {
            app->beat++;
            app->next_beat = app_seconds() + 0.1;
        }
        on_input(app, &input);
    }
}
