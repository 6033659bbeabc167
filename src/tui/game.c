/*
 * game.c: a local game; see app.h. It is saved after every choice (saved.h).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

/* The game as it was before a choice. */
struct past {
    struct past *before;
    struct pyr_match match;
};

struct game {
    const struct pyr_bot *bot[PYR_MAX_SEATS];
    uint64_t seed;
    struct thinker *thinker;
    pyr_seat thinking;           /* for whom the thinker works; PYR_NOBODY */
    uint32_t asked_line;         /* at which line it was asked */
    struct save save;
    bool saves;
    bool is_kept;                /* all of it is on the disk */
    struct past *past;
    bool covered;
    pyr_seat uncovered_for;      /* who has seen the screen last */
    uint32_t news;               /* lines of the story that the next one has seen, by seat */
    uint32_t seen[PYR_MAX_SEATS];
    char title[160];
};

/* Saving. */

static void game_save(struct app *app)
{
    struct game *game = app->game;
    if (!game->saves)
        return;
    game->is_kept = saved_write(&game->save, &app->match);
    if (!game->is_kept)
        app_say(app, ST_BAD, _("The game could not be saved: %s"), pyr_text_system(errno));
}

/* Names as the log has them, which is the same in all languages, but for those that we gave ourselves. */
static void read_names(struct app *app)
{
    struct pyr_word names[PYR_MAX_SEATS];
    unsigned count = pyr_record_player_names(app->match.log.text, app->match.log.start[app->match.log.lines], names);
    for (unsigned s = 0; s < count; s++)
        pyr_text_player(names[s], app->names[s], sizeof app->names[s]);
}

/* Beginning. */

/* Who plays what: as the options say, or as in the game before. */
static struct seating setup_from_options(const struct tui_options *options)
{
    struct seating setup = { .players = options->players, .people = options->people };
    memcpy(setup.bot, options->bot, sizeof setup.bot);
    for (unsigned s = 0; s < setup.players; s++) {
        if (setup.people >> s & 1)
            snprintf(setup.names[s], sizeof setup.names[s], "%s", options->names[s]);
        else
            snprintf(setup.names[s], sizeof setup.names[s], "%s %u", setup.bot[s]->name, s + 1);
    }
    if (options->edition_file)
        snprintf(setup.edition_file, sizeof setup.edition_file, "%s", options->edition_file);
    return setup;
}

/* A person among bots of a record that does not tell who they were has no bot to name: there is no rematch then, but a game as the options say. */
static void remember_setup(struct app *app)
{
    const struct pyr_match *match = &app->match;
    struct seating *setup = &app->setup;
    struct pyr_word names[PYR_MAX_SEATS];
    *setup = (struct seating){ .players = match->replay.seats, .people = app->people };
    memcpy(setup->bot, app->game->bot, sizeof setup->bot);
    saved_tag(match->log.text, "tag edition-file ", setup->edition_file, sizeof setup->edition_file);
    pyr_record_player_names(match->log.text, match->log.start[match->log.lines], names);
    for (unsigned s = 0; s < setup->players; s++) {
        pyr_word_copy(names[s], setup->names[s], sizeof setup->names[s]);
        if (!(setup->people >> s & 1) && !setup->bot[s])
            setup->players = 0;
    }
}

static bool begin_new(struct app *app, const struct seating *setup)
{
    app->people = setup->people;
    memcpy(app->game->bot, setup->bot, sizeof setup->bot);
    enum pyr_err err = saved_begin(&app->match, &app->edition, setup, app->game->seed);
    if (err) {
        char sentence[256];
        pyr_text_error(err, sentence, sizeof sentence);
        app_fail(app, _("not a valid player name: %s"), sentence);
        return false;
    }
    read_names(app);
    return true;
}

/* Asks whether to go on with a game; true for yes. */
static bool ask_to_go_on(struct app *app)
{
    char text[600], turn[128], list[400];
    const struct key_hint hints[] = { { 'c', "c", _("continue") }, { 'n', "n", _("new game") }, { 'q', "q", _("quit") } };
    for (;;) {
        app_canvas(app);
        words_turn(&app->match.replay.state.open, turn, sizeof turn);
        words_names((1u << app->match.replay.seats) - 1, app->names, list, sizeof list);
        snprintf(text, sizeof text, _("Unfinished game: %s. %s."), list, turn);
        draw_notice(&app->canvas, _("Continue your game?"), text, hints, 3);
        screen_show(&app->canvas);
        struct input input = screen_wait(1000);
        const struct place *place = input.kind == INPUT_CLICK ? canvas_find(&app->canvas, input.x, input.y) : NULL;
        int key = place && place->action == ACT_KEY ? place->detail : input.kind == INPUT_KEY ? input.key : 0;
        if (input.kind == INPUT_END || key == 'q')
            app->leave = true;
        if (app->leave || key == 'n' || key == 'N')
            return false;
        if (key == 'c' || key == 'y' || key == K_ENTER)
            return true;
    }
}

/* Lets the player choose among several games: the number of one, or `count` for a new game. */
static unsigned choose_saved(struct app *app, const struct saved_game *list, unsigned count)
{
    const struct key_hint hints[] = { { K_ENTER, _("Enter"), _("choose") }, { K_UP, app->facts.ascii ? "Up" : "↑", _("up") },
        { K_DOWN, app->facts.ascii ? "Down" : "↓", _("down") }, { 'n', "n", _("new game") }, { 'q', "q", _("quit") } };
    const char **items = calloc(count + 1u, sizeof *items);
    char (*text)[700] = calloc(count, sizeof *text);
    unsigned at = 0, chosen = count;
    for (unsigned i = 0; items && text && i < count; i++) {
        snprintf(text[i], sizeof *text, "%s  %s: %s", list[i].date, list[i].players, list[i].turn);
        items[i] = text[i];
    }
    if (items)
        items[count] = _("New game");
    for (bool open = items && text; open;) {
        app_canvas(app);
        draw_list(&app->canvas, _("Continue a game?"), items, count + 1, at, "", hints, 5);
        screen_show(&app->canvas);
        struct input input = screen_wait(1000);
        const struct place *place = input.kind == INPUT_CLICK || input.kind == INPUT_HOVER ? canvas_find(&app->canvas, input.x, input.y) : NULL;
        int key = input.kind == INPUT_KEY ? input.key : place && input.kind == INPUT_CLICK ? place->action == ACT_KEY ? place->detail : K_ENTER : 0;
        if (place && place->action == ACT_ITEM)
            at = (unsigned)place->detail;
        switch (key) {
        case K_UP: case 'k': at = (at + count) % (count + 1); break;
        case K_DOWN: case 'j': case K_TAB: at = (at + 1) % (count + 1); break;
        case K_HOME: at = 0; break;
        case K_END: at = count; break;
        case 'n': case 'N': open = false; break;
        case 'q': case 'Q': app->leave = true; break;
        case 12: screen_redraw(); break;
        case K_ENTER: case 'c': chosen = at; open = false; break;
        default: break;
        }
        if (input.kind == INPUT_END)
            app->leave = true;
        open = open && !app->leave;
    }
    free(items);
    free(text);
    return chosen;
}

/* Opens and loads a saved game. */
static bool open_saved(struct app *app, const char *name)
{
    struct pyr_fault fault;
    struct game *game = app->game;
    size_t size;
    char *text = saved_open(&game->save, name, &size);
    bool good = text && saved_edition(app->options->edition, text, size, &app->edition) &&
        saved_load(&app->match, &app->edition, text, size, &game->seed, &fault) &&
        saved_seats(text, app->match.replay.seats, &app->people, game->bot);
    if (good)
        read_names(app);
    else
        save_close(&game->save);
    free(text);
    return good;
}

/* Goes on with the game that the options name, or with one that the player chooses. False: a new game, or app->error. */
static bool find_saved(struct app *app)
{
    const struct tui_options *options = app->options;
    struct game *game = app->game;
    struct saved_game *list = NULL;
    bool good = false;
    if (options->new_game)
        return false;
    if (options->resume) {
        good = game->saves = open_saved(app, options->resume);
        if (!good)
            app_fail(app, _("%s: this game is open in another window, or cannot be read"), options->resume);
        return good;
    }
    unsigned count = saved_list(options->edition, &list), first = 0;
    if (count > 1 && !options->go_on)
        first = choose_saved(app, list, count);
    /* With --continue the newest that can be opened; else the one that was chosen. */
    for (unsigned i = first; i < count && !good && !app->leave; i++) {
        good = open_saved(app, list[i].name);
        if (good && count == 1 && !options->go_on && !ask_to_go_on(app)) {
            save_close(&game->save);
            good = false;
        }
        if (!options->go_on)
            break;
    }
    free(list);
    return game->saves = good;
}

/* Several people take turns at this screen. */
static bool is_shared(const struct app *app)
{
    return (app->people & (app->people - 1)) != 0;
}

/* Continues the record that the options name, as a game of its own. */
static bool begin_from_record(struct app *app)
{
    const struct tui_options *options = app->options;
    struct game *game = app->game;
    struct pyr_fault fault;
    app->edition = *options->edition;
    app->people = options->people;
    memcpy(game->bot, options->bot, sizeof game->bot);
    if (!saved_load(&app->match, &app->edition, options->record, options->record_size, &game->seed, &fault)) {
        char sentence[512];
        pyr_text_fault(&fault, sentence, sizeof sentence);
        app_fail(app, "%s:%u: %s", options->record_name, (unsigned)fault.line, sentence);
        return false;
    }
    saved_seats(app->match.log.text, app->match.replay.seats, &app->people, game->bot);
    saved_claim(&app->match, app->people, game->bot);
    read_names(app);
    if (app->people & ((1u << app->match.replay.seats) - 1))
        return true;
    app_fail(app, _("%s: no such seat"), options->record_name);
    return false;
}

/* Continues a saved game, or begins a new one: as the options say, or with the players of the game before. */
static bool begin_or_resume(struct app *app)
{
    struct seating setup = app->setup;
    struct game *game = app->game;
    if (!app->again && find_saved(app))
        return true;
    if (app->leave || app->error)
        return false;
    /* A saved game that was only looked at has left its own seed. */
    game->seed = app->options->seed + (app->again ? 1000003u * (uint64_t)(1 + app->beat) : 0);
    if (!app->again || !setup.players) {
        setup = setup_from_options(app->options);
        app->edition = *app->options->edition;
    }
    bool good = begin_new(app, &setup);
    if (good && app->options->go_on && !app->again)
        app_say(app, ST_TEXT, "%s", _("No saved game can be resumed: this is a new one."));
    return good;
}

bool game_begin(struct app *app)
{
    struct game *game = app->game = calloc(1, sizeof *game);
    app->leave = false;
    if (!game)
        return false;
    app->ops = &game_ops;
    game->save.lock = -1;
    game->seed = app->options->seed;
    game->thinking = PYR_NOBODY;
    bool good = app->options->record && !app->again ? begin_from_record(app) : begin_or_resume(app);
    app->again = false;
    if (good && !game->saves)
        game->saves = save_open(&game->save, NULL);
    if (good && !game->saves)
        app_say(app, ST_BAD, _("This game cannot be saved: %s"), pyr_text_system(errno));
    if (good)
        game->thinker = thinker_create(&app->edition.box, screen_wake);
    if (good && !game->thinker) {
        app_fail(app, "%s", _("out of memory"));
        good = false;
    }
    if (!good) {
        game_end(app);
        return false;
    }
    app->seat = (pyr_seat)__builtin_ctz(app->people);
    game->uncovered_for = is_shared(app) ? PYR_NOBODY : app->seat;
    memset(app->hand, 0, sizeof app->hand);
    story_finish(&app->story);
    game_save(app);
    return true;
}

void game_end(struct app *app)
{
    struct game *game = app->game;
    if (!game)
        return;
    if (app->again)
        remember_setup(app);
    thinker_destroy(game->thinker);
    if (game->saves && game->is_kept && !saved_is_begun(&app->match, app->people))
        save_remove(&game->save);
    save_close(&game->save);
    while (game->past) {
        struct past *past = game->past;
        game->past = past->before;
        free(past);
    }
    free(game);
    app->game = NULL;
}

/* Whose turn it is. */

/* Among people at one screen: the next who has something to decide; a cover while they change seats. */
static void next_person(struct app *app)
{
    struct game *game = app->game;
    unsigned waiting = pyr_match_waiting(&app->match) & app->people;
    if (!is_shared(app) || pyr_match_is_over(&app->match)) {
        game->covered = false;
        return;
    }
    if (waiting && !(waiting >> app->seat & 1))
        app->seat = (pyr_seat)__builtin_ctz(waiting);
    /* Replacing is open to all; the rest is not. */
    if (waiting && game->uncovered_for != app->seat) {
        if (app->match.replay.state.open.phase == PYR_REPLACE)
            game->uncovered_for = app->seat;
        else
            game->covered = true;
    }
}

static void ask_bots(struct app *app)
{
    struct game *game = app->game;
    unsigned waiting = pyr_match_waiting(&app->match) & ~app->people;
    struct pyr_view view;
    struct pyr_rng rng;
    pyr_step step;
    if (game->thinking != PYR_NOBODY && thinker_answer(game->thinker, &step)) {
        pyr_seat seat = game->thinking;
        bool takes = app->match.replay.state.open.phase == PYR_REPLACE;
        game->thinking = PYR_NOBODY;
        if (game->asked_line == app->match.log.lines && !pyr_match_step(&app->match, seat, step)) {
            if (!takes && pyr_match_is_ready(&app->match, seat))
                pyr_match_confirm(&app->match, seat);
            game_save(app);
        }
        waiting = pyr_match_waiting(&app->match) & ~app->people;
    }
    if (game->thinking != PYR_NOBODY || !waiting)
        return;
    pyr_seat seat = (pyr_seat)__builtin_ctz(waiting);
    pyr_match_view(&app->match, seat, &view);
    saved_bot_rng(&rng, game->seed, &app->match, seat);
    game->thinking = seat;
    game->asked_line = app->match.log.lines;
    thinker_ask(game->thinker, game->bot[seat], &view, &rng);
}

static void game_tick(struct app *app)
{
    ask_bots(app);
    next_person(app);
}

bool game_is_thinking(const struct app *app)
{
    return app->game && app->game->thinking != PYR_NOBODY;
}

/* The cover. */

bool game_is_covered(const struct app *app)
{
    return app->game->covered;
}

void game_uncover(struct app *app)
{
    app->game->covered = false;
    app->game->uncovered_for = app->seat;
    app->game->seen[app->seat] = app->match.log.lines;
    app->sheet = SHEET_NONE;
}

/* Who sealed last may think again, as long as nobody has looked at the screen after him. */
void game_back_seat(struct app *app)
{
    pyr_seat last = app->game->uncovered_for;
    if (last == PYR_NOBODY || last == app->seat || pyr_match_retract(&app->match, last))
        return;
    if (app->match.replay.state.open.phase == PYR_KEEP)
        pyr_match_undo(&app->match, last);
    app->seat = last;
    app->game->covered = true;
    app->game->uncovered_for = PYR_NOBODY;
    game_save(app);
}

void game_draw_cover(struct app *app)
{
    char heading[300], news[6000] = "";
    struct game *game = app->game;
    const struct key_hint hints[] = { { K_ENTER, _("Enter"), _("that's me") }, { 'q', "q", _("quit") }, { 'u', "u",
        _("previous player takes back") } };
    unsigned shown = 0;
    story_tell(&app->story, &app->match, app->match.log.lines, app->names);
    /* As many of the last lines as there is room for in the box: it is 60 columns wide, and has seven other rows. */
    int room = app->canvas.height - 8;
    for (unsigned i = app->story.count; i > 0 && app->story.line[i - 1].line >= game->seen[app->seat]; i--, shown++) {
        room -= text_rows(app->story.line[i - 1].text, 60);
        if (room < 0)
            break;
    }
    for (unsigned i = app->story.count - shown; i < app->story.count; i++)
        snprintf(news + strlen(news), sizeof news - strlen(news), "%s\n", app->story.line[i].text);
    if (!news[0])
        snprintf(news, sizeof news, "%s", _("Everyone else, please look away."));
    snprintf(heading, sizeof heading, _("%s, it is your turn."), app->names[app->seat]);
    bool back = game->uncovered_for != PYR_NOBODY && game->uncovered_for != app->seat && app->match.choice[game->uncovered_for].confirmed;
    draw_notice(&app->canvas, heading, news, hints, back ? 3 : 2);
}

/* Choices. */

static void remember(struct app *app)
{
    struct past *past = is_shared(app) ? NULL : malloc(sizeof *past);
    if (!past)
        return;                              /* without memory there is no going back, but the game goes on */
    past->match = app->match;
    past->before = app->game->past;
    app->game->past = past;
}

bool game_can_take_back(const struct app *app)
{
    const struct past *past = app->game->past;
    return past && !saved_is_seen(&app->match, past->match.log.lines, app->people);
}

bool game_has_past(const struct app *app)
{
    return app->game->past != NULL;
}

void game_take_back(struct app *app)
{
    struct past *past = app->game->past;
    if (!past || !game_can_take_back(app))
        return;
    thinker_stop(app->game->thinker);
    app->game->thinking = PYR_NOBODY;
    app->match = past->match;
    app->game->past = past->before;
    free(past);
    app->peek = false;
    game_save(app);
    app_say(app, ST_TEXT, "%s", _("Your last turn is taken back."));
}

static void game_confirm(struct app *app)
{
    remember(app);
    enum pyr_err err = pyr_match_confirm(&app->match, app->seat);
    if (err)
        app_say(app, ST_BAD, "%s", _("The choice is not complete."));
    game_save(app);
}

static void game_take(struct app *app, pyr_step step)
{
    char reason[300];
    remember(app);
    enum pyr_err err = pyr_match_step(&app->match, app->seat, step);
    if (err) {
        words_reason(err, reason, sizeof reason);
        app_say(app, ST_BAD, "%s", reason);
    }
    game_save(app);
}

static void game_retract(struct app *app)
{
    char reason[300];
    enum pyr_err err = pyr_match_retract(&app->match, app->seat);
    if (err) {
        words_reason(err, reason, sizeof reason);
        app_say(app, ST_BAD, "%s", reason);
        return;
    }
    struct past *past = app->game->past;
    if (past && past->match.log.lines == app->match.log.lines) {
        app->game->past = past->before;
        free(past);
    }
    if (app->match.replay.state.open.phase == PYR_KEEP)
        pyr_match_undo(&app->match, app->seat);          /* what was picked is still picked */
    app_say(app, ST_TEXT, "%s", _("Your choice is open again."));
    game_save(app);
}

static const char *game_title(struct app *app)
{
    if (is_shared(app))
        snprintf(app->game->title, sizeof app->game->title, "%s", app->names[app->seat]);
    else
        snprintf(app->game->title, sizeof app->game->title, _("seed %llu"), (unsigned long long)app->game->seed);
    return app->game->title;
}

static unsigned game_waiting(const struct app *app)
{
    return pyr_match_waiting(&app->match);
}

static const char *game_leaving(const struct app *app)
{
    if (!app->game->is_kept)
        return _("It could not be saved: if you leave, you lose unsaved choices.");
    if (!saved_is_begun(&app->match, app->people))
        return _("Nothing has been chosen yet: the game is not saved.");
    return pyr_match_is_over(&app->match) ? _("It is over, and its record is saved.") : _("It is saved; you can resume it next time.");
}

static bool game_can_play_again(const struct app *app)
{
    (void)app;
    return true;
}

static void game_play_again(struct app *app)
{
    app->again = app->leave = true;
}

static bool game_is_watching(const struct app *app)
{
    (void)app;
    return false;
}

const struct play_ops game_ops = { .tick = game_tick, .is_alive = game_is_thinking, .title = game_title, .waiting = game_waiting,
    .leaving = game_leaving, .confirm = game_confirm, .take = game_take, .retract = game_retract, .can_play_again = game_can_play_again,
    .play_again = game_play_again, .is_watching = game_is_watching };
