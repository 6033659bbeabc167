/*
 * game.c: a local game; see app.h. It is saved after every choice (saved.h).
 *
 * Ownership: struct game is app->game, from game_begin to game_end. The thinker has a thread of its own; it is asked for
 * one step at a time and its answer is taken in game_tick, in the main thread.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

struct game {
    struct pyr_local local;      /* with app->match */
    const struct pyr_bot *bot[PYR_MAX_SEATS];
    struct thinker *thinker;
    pyr_seat thinking;           /* seat that the thinker is working for; PYR_NOBODY */
    uint32_t asked_line;         /* the line at which it was asked */
    struct save save;
    bool saves;                  /* the game has a file */
    bool is_kept;                /* the file on the disk is up to date */
    unsigned kept_steps;         /* the number of steps of the present choice that are saved */
    uint32_t seen[PYR_MAX_SEATS];            /* lines of the log that each has seen */
    char title[160];
};

/* Saving. */

/* Called after every choice and every step, so a crash loses nothing. A failure is shown, and the game continues. */
static void game_save(struct app *app)
{
    struct game *game = app->game;
    if (!game->saves)
        return;
    game->is_kept = saved_write(&game->save, &game->local);
    game->kept_steps = app->match.choice[game->local.me].count;
    if (!game->is_kept)
        app_say(app, ST_BAD, _("The game could not be saved: %s"), pyr_text_system(errno));
}

/* Names as in the log, which are the same in all languages, except those that we assign ourselves. */
static void read_names(struct app *app)
{
    struct pyr_word names[PYR_MAX_SEATS];
    unsigned count = pyr_record_player_names(app->match.log.text, app->match.log.start[app->match.log.lines], names);
    for (unsigned s = 0; s < count; s++)
        pyr_text_player(names[s], app->names[s], sizeof app->names[s]);
}

/* Beginning. */

/* The players: as in the options, or as in the previous game. */
static struct seating setup_from_options(const struct tui_options *options)
{
    struct seating setup = { .players = options->players, .people = options->people };
    memcpy(setup.bot, options->bot, sizeof setup.bot);
    for (unsigned s = 0; s < setup.players; s++)
        if (setup.people >> s & 1)
            snprintf(setup.names[s], sizeof setup.names[s], "%s", options->names[s]);
    seating_name_bots(&setup);
    if (options->edition_file)
        snprintf(setup.edition_file, sizeof setup.edition_file, "%s", options->edition_file);
    return setup;
}

/* For a game with the same players: keeps bots, names and edition, instead of those in the options. */
static void remember_setup(struct app *app)
{
    const struct pyr_match *match = &app->match;
    struct seating *setup = &app->setup;
    struct pyr_word names[PYR_MAX_SEATS];
    *setup = (struct seating){ .players = match->replay.seats, .people = app->people };
    memcpy(setup->bot, app->game->bot, sizeof setup->bot);
    saved_tag(match->log.text, "tag edition-file ", setup->edition_file, sizeof setup->edition_file);
    pyr_record_player_names(match->log.text, match->log.start[match->log.lines], names);
    for (unsigned s = 0; s < setup->players; s++)
        pyr_word_copy(names[s], setup->names[s], sizeof setup->names[s]);
}

/* Only a name can be wrong: everything else was checked with the options. */
static bool begin_new(struct app *app, const struct seating *setup, uint64_t seed)
{
    enum pyr_err err = saved_begin(&app->game->local, &app->match, &app->edition, setup, seed);
    if (err) {
        char sentence[256];
        pyr_text_error(err, sentence, sizeof sentence);
        app_fail(app, _("not a valid player name: %s"), sentence);
    }
    return !err;
}

/* Asks whether to resume a game; true for yes. It has a small loop of its own, since play_run has no game to show yet. */
static bool ask_to_resume(struct app *app)
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

/* Lets the player choose among several games: the number of one, or `count` for a new game. Without memory for the list,
 * a new game is begun. */
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
        const struct place *place =
            input.kind == INPUT_CLICK || input.kind == INPUT_HOVER ? canvas_find(&app->canvas, input.x, input.y) : NULL;
        int key = input.kind == INPUT_KEY        ? input.key
            : place && input.kind == INPUT_CLICK ? place->action == ACT_KEY ? place->detail : K_ENTER
                                                 : 0;
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

/* Opens and loads a saved game. On failure the lock is released, so that another window can open the game. */
static bool open_saved(struct app *app, const char *name)
{
    struct game *game = app->game;
    size_t size;
    char *text = saved_open(&game->save, name, &size);
    bool good = text && saved_edition(app->options->edition, text, size, &app->edition) &&
        !pyr_local_load(&game->local, &app->match, &app->edition, text, size, 0, "", app->options->seed, NULL) &&
        saved_bots(&game->local, game->bot);
    if (good)
        read_names(app);
    else
        save_close(&game->save);
    free(text);
    return good;
}

/* Resumes the game named by the options, or one that the player chooses. False: a new game, or app->error. */
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
    /* With --continue the newest that can be opened; otherwise the chosen one. */
    for (unsigned i = first; i < count && !good && !app->leave; i++) {
        good = open_saved(app, list[i].name);
        if (good && count == 1 && !options->go_on && !ask_to_resume(app)) {
            save_close(&game->save);
            good = false;
        }
        if (!options->go_on)
            break;
    }
    free(list);
    return game->saves = good;
}

/* Continues the record named by the options, as a new game. */
static bool begin_from_record(struct app *app)
{
    const struct tui_options *options = app->options;
    struct pyr_local *local = &app->game->local;
    struct pyr_fault fault;
    app->edition = *options->edition;
    enum pyr_err err = pyr_local_load(local, &app->match, &app->edition, options->record, options->record_size,
        options->people, "", options->seed, &fault);
    if (err == PYR_ERR_SEATS) {
        app_fail(app, _("%s: no such seat"), options->record_name);
        return false;
    }
    if (err) {
        char sentence[512];
        pyr_text_fault(&fault, sentence, sizeof sentence);
        app_fail(app, "%s:%u: %s", options->record_name, (unsigned)fault.line, sentence);
        return false;
    }
    /* Bots that the record does not name, or that no longer exist, are taken from the options. */
    for (unsigned s = 0; s < app->match.replay.seats; s++) {
        char *level = local->seat[s].level;
        if (!(local->people >> s & 1) && !pyr_bot_find(level))
            snprintf(level, PYR_LEVEL_SIZE, "%s", options->bot[s] ? options->bot[s]->name : "club");
    }
    pyr_local_claim(local);
    return true;
}

/* Resumes a saved game, or begins a new one, with the players of the options or of the previous game. The next game has
 * another seed: 1000003 is a prime, and `beat` depends on how long the last game took. */
static bool begin_or_resume(struct app *app)
{
    struct seating setup = app->setup;
    if (!app->again && find_saved(app))
        return true;
    if (app->leave || app->error)
        return false;
    uint64_t seed = app->options->seed + (app->again ? 1000003u * (uint64_t)(1 + app->beat) : 0);
    if (!app->again || !setup.players) {
        setup = setup_from_options(app->options);
        app->edition = *app->options->edition;
    }
    bool good = begin_new(app, &setup, seed);
    if (good && app->options->go_on && !app->again)
        app_say(app, ST_TEXT, "%s", _("No saved game can be resumed: this is a new one."));
    return good;
}

/* False: app->error is set, or the player left. Then everything is undone. */
bool game_begin(struct app *app)
{
    struct game *game = app->game = calloc(1, sizeof *game);
    app->leave = false;
    if (!game)
        return false;
    app->ops = &game_ops;
    game->save.lock = -1;
    game->thinking = PYR_NOBODY;
    bool good = app->options->record && !app->again ? begin_from_record(app) : begin_or_resume(app);
    app->again = false;
    good = good && saved_bots(&game->local, game->bot);
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
    app->people = game->local.people;
    app->seat = game->local.me;
    read_names(app);
    memset(app->hand, 0, sizeof app->hand);
    story_finish(&app->story);
    game_save(app);
    return true;
}

/* The file of a game without any choice is removed. */
void game_end(struct app *app)
{
    struct game *game = app->game;
    if (!game)
        return;
    if (app->again)
        remember_setup(app);
    thinker_destroy(game->thinker);
    if (game->saves && game->is_kept && !pyr_local_is_begun(&game->local))
        save_remove(&game->save);
    save_close(&game->save);
    free(game);
    app->game = NULL;
}

/* Whose turn it is. */

/* An outdated answer (after an undo) is dropped by pyr_local_answer, which compares the line. At most one bot thinks at a
 * time (think.h). */
static void ask_bots(struct app *app)
{
    struct game *game = app->game;
    struct pyr_view view;
    struct pyr_rng rng;
    pyr_step step;
    if (game->thinking != PYR_NOBODY && thinker_answer(game->thinker, &step)) {
        pyr_seat seat = game->thinking;
        game->thinking = PYR_NOBODY;
        if (pyr_local_answer(&game->local, seat, game->asked_line, step))
            game_save(app);
    }
    pyr_seat seat = pyr_local_due(&game->local, &rng);
    if (game->thinking != PYR_NOBODY || seat == PYR_NOBODY)
        return;
    pyr_match_view(&app->match, seat, &view);
    game->thinking = seat;
    game->asked_line = app->match.log.lines;
    thinker_ask(game->thinker, game->bot[seat], &view, &rng);
}

/* When one person's choice is sealed, it becomes the next person's turn (after a cover). */
static void game_tick(struct app *app)
{
    struct game *game = app->game;
    ask_bots(app);
    pyr_local_next_person(&game->local);
    app->seat = game->local.me;
    if (app->match.choice[app->seat].count != game->kept_steps)
        game_save(app);                      /* including placed marks */
}

static bool game_is_thinking(const struct app *app)
{
    return app->game && app->game->thinking != PYR_NOBODY;
}

/* The cover. */

static bool game_is_covered(const struct app *app)
{
    return app->game->local.covered;
}

/* News for the next cover is counted from here on. */
static void game_uncover(struct app *app)
{
    pyr_local_uncover(&app->game->local);
    app->game->seen[app->seat] = app->match.log.lines;
    app->sheet = SHEET_NONE;
}

/* The player who sealed last may take it back until another player has looked at the screen. The step itself is taken
 * back too, with its cards picked in the hand. */
static void game_back_seat(struct app *app)
{
    if (!pyr_local_back_seat(&app->game->local))
        return;
    app->seat = app->game->local.me;
    if (app->match.replay.state.open.phase == PYR_KEEP)
        pyr_match_undo(&app->match, app->seat);
    game_save(app);
}

/* Shows what happened since this player last looked, but nothing secret: the story contains no deals. */
static void game_draw_cover(struct app *app)
{
    char heading[300], news[6000] = "";
    struct game *game = app->game;
    const struct key_hint hints[] = { { K_ENTER, _("Enter"), _("that's me") }, { 'q', "q", _("quit") },
        { 'u', "u", _("previous player takes back") } };
    unsigned shown = 0;
    story_tell(&app->story, &app->match, app->match.log.lines, app->names);
    /* As many of the last lines as fit into the box: it is 60 columns wide, and has seven other rows. */
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
    draw_notice(&app->canvas, heading, news, hints, pyr_local_can_back_seat(&game->local) ? 3 : 2);
}

/* Choices. */

static bool game_can_take_back(const struct app *app)
{
    return pyr_local_can_take_back(&app->game->local);
}

static bool game_has_past(const struct app *app)
{
    return app->game->local.past_count > 0;
}

/* The thinker is stopped first, since it reads the position that is taken back. */
static void game_take_back(struct app *app)
{
    if (!game_can_take_back(app))
        return;
    thinker_stop(app->game->thinker);
    app->game->thinking = PYR_NOBODY;
    pyr_local_take_back(&app->game->local);
    app->peek = false;
    game_save(app);
    app_say(app, ST_TEXT, "%s", _("Your last turn is taken back."));
}

static void show_reason(struct app *app, enum pyr_err err)
{
    char reason[300];
    words_reason(err, reason, sizeof reason);
    app_say(app, ST_BAD, "%s", reason);
}

/* Saved even if it fails: placed marks are part of the game. */
static void game_confirm(struct app *app)
{
    if (pyr_local_confirm(&app->game->local))
        app_say(app, ST_BAD, "%s", _("The choice is not complete."));
    game_save(app);
}

static void game_take(struct app *app, pyr_step step)
{
    enum pyr_err err = pyr_local_take(&app->game->local, step);
    if (err)
        show_reason(app, err);
    game_save(app);
}

static void game_retract(struct app *app)
{
    enum pyr_err err = pyr_local_retract(&app->game->local);
    if (err) {
        show_reason(app, err);
        return;
    }
    if (app->match.replay.state.open.phase == PYR_KEEP)
        pyr_match_undo(&app->match, app->seat);          /* the cards that were picked stay picked */
    app_say(app, ST_TEXT, "%s", _("Your choice is open again."));
    game_save(app);
}

/* At a shared screen, whose turn it is; otherwise the seed, which deals the same cards again. */
static const char *game_title(struct app *app)
{
    if (pyr_local_is_shared(&app->game->local))
        snprintf(app->game->title, sizeof app->game->title, "%s", app->names[app->seat]);
    else
        snprintf(app->game->title, sizeof app->game->title, _("seed %llu"), (unsigned long long)app->game->local.seed);
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
    if (!pyr_local_is_begun(&app->game->local))
        return _("Nothing has been chosen yet: the game is not saved.");
    return pyr_match_is_over(&app->match) ? _("It is over, and its record is saved.")
                                          : _("It is saved; you can resume it next time.");
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

const struct play_ops game_ops = { .tick = game_tick,
    .is_alive = game_is_thinking,
    .title = game_title,
    .waiting = game_waiting,
    .leaving = game_leaving,
    .confirm = game_confirm,
    .take = game_take,
    .retract = game_retract,
    .can_take_back = game_can_take_back,
    .has_past = game_has_past,
    .take_back = game_take_back,
    .is_covered = game_is_covered,
    .draw_cover = game_draw_cover,
    .uncover = game_uncover,
    .back_seat = game_back_seat,
    .can_play_again = game_can_play_again,
    .play_again = game_play_again,
    .is_watching = game_is_watching };
