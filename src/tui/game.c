/*
 * game.c: a local game; see app.h. It is saved after every choice as its record, with a few tags that tell who plays what, and the sealed
 * choices as comments at its end:
 *
 *     tag seed 7                        the shuffles can be drawn again
 *     tag seats person,club             who plays each seat
 *     tag edition-file /home/...        where an edition that is not built in came from
 *     ; sealed 1 17:c1c2c3
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/builtin.h>

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

static void write_choice(const struct pyr_match *match, pyr_seat seat, char *to, size_t size)
{
    struct pyr_out out;
    pyr_out_init(&out, to, size);
    pyr_game_write_choice(&match->game, seat, &out);
}

bool game_is_kept(const struct app *app)
{
    return app->game->is_kept;
}

void game_save(struct app *app)
{
    struct game *game = app->game;
    if (!game->saves)
        return;
    size_t length = app->match.log.start[app->match.log.lines], room = length + PYR_MAX_SEATS * 600;
    char *text = malloc(room);
    game->is_kept = false;
    if (!text)
        return;
    memcpy(text, app->match.log.text, length);
    for (unsigned s = 0; s < app->match.replay.seats; s++) {
        if (app->match.choice[s].confirmed) {
            char choice[512];
            write_choice(&app->match, (pyr_seat)s, choice, sizeof choice);
            length += (size_t)snprintf(text + length, room - length, "; sealed %u %s\n", s + 1, choice);
        }
    }
    game->is_kept = save_write(game->save.path, text, length);
    if (!game->is_kept)
        app_say(app, ST_BAD, _("The game could not be saved: %s"), pyr_text_system(errno));
    free(text);
}

/* The value of a tag, or of a comment that begins like one. */
static bool find_tag(const char *text, const char *tag, char *to, size_t size)
{
    size_t length = strlen(tag);
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        if (!strncmp(line, tag, length)) {
            size_t value = strcspn(line + length, "\r\n");
            snprintf(to, size, "%.*s", (int)(value < size ? value : size - 1), line + length);
            return true;
        }
    }
    return false;
}

/* Who plays which seat, from the tag; false if it makes no sense. */
static bool read_seats(struct app *app, char *list, unsigned seats)
{
    unsigned people = 0, seat = 0;
    const struct pyr_bot *bot[PYR_MAX_SEATS] = { NULL };
    char *rest = NULL;
    for (char *word = strtok_r(list, ",", &rest); word && seat < PYR_MAX_SEATS; word = strtok_r(NULL, ",", &rest), seat++) {
        if (!strcmp(word, "person"))
            people |= 1u << seat;
        else if (!(bot[seat] = pyr_bot_find(word)))
            return false;
    }
    if (seat != seats || !people)
        return false;
    app->people = people;
    memcpy(app->game->bot, bot, sizeof bot);
    return true;
}

static bool edition_for(const struct app *app, const char *text, size_t size, struct pyr_edition *edition)
{
    struct pyr_word word;
    char name[PYR_MAX_NAME + 1], path[PATH_MAX];
    if (!pyr_record_edition_name(text, size, &word))
        return false;
    pyr_word_copy(word, name, sizeof name);
    if (!strcmp(name, app->options->edition->name)) {
        *edition = *app->options->edition;
        return true;
    }
    const char *built_in = pyr_builtin_edition(name);
    if (built_in)
        return !pyr_edition_read(edition, built_in, strlen(built_in), NULL);
    if (!find_tag(text, "tag edition-file ", path, sizeof path))
        return false;
    size_t length;
    char *file = save_read(path, 1 << 20, &length);
    bool good = file && !pyr_edition_read(edition, file, length, NULL);
    free(file);
    return good;
}

/* Loads a game: everything hidden comes from its seed if there is one that fits, else from a new shuffle. */
static bool load(struct app *app, const char *text, size_t size, struct pyr_fault *fault)
{
    char value[PATH_MAX];
    struct pyr_rng rng;
    if (pyr_match_load(&app->match, &app->edition, text, size, PYR_NOBODY, fault))
        return false;
    struct pyr_match *match = &app->match;
    unsigned seats = match->replay.seats;
    if (match->replay.stage < PYR_STAGE_PLAY) {
        *fault = (struct pyr_fault){ .code = PYR_ERR_PHASE };
        return false;
    }
    bool supplied = false;
    if (find_tag(text, "tag seed ", value, sizeof value) && value[0] >= '0' && value[0] <= '9') {
        struct pyr_chance chance;
        app->game->seed = strtoull(value, NULL, 10);
        pyr_rng_seed(&rng, app->game->seed, 0);
        pyr_chance_draw(&chance, &app->edition.box, seats, &rng);
        supplied = !memcmp(chance.dealt, match->replay.state.hidden.dealt, seats * sizeof *chance.dealt);
        if (supplied)
            pyr_match_supply(match, &chance);
    }
    if (!supplied || (!pyr_match_waiting(match) && !pyr_match_is_over(match))) {
        pyr_rng_seed(&rng, app->options->seed, 2);
        pyr_match_shuffle(match, &rng);
    }
    for (const char *line = strstr(text, "\n; sealed "); line; line = strstr(line + 1, "\n; sealed ")) {
        unsigned seat = (unsigned)(line[10] - '1');
        char choice[512];
        if (seat >= seats || line[11] != ' ')
            continue;
        snprintf(choice, sizeof choice, "%.*s", (int)strcspn(line + 12, "\r\n"), line + 12);
        /* The last one in would end the phase, as it did when it was made. */
        if (!pyr_match_choose(match, (pyr_seat)seat, choice, NULL) && pyr_match_is_ready(match, (pyr_seat)seat))
            pyr_match_confirm(match, (pyr_seat)seat);
    }
    return true;
}

/* Names as the log has them, which is the same in all languages, but for those that we gave ourselves. */
static void read_names(struct app *app)
{
    struct pyr_word names[PYR_MAX_SEATS];
    unsigned count = pyr_record_player_names(app->match.log.text, app->match.log.start[app->match.log.lines], names);
    for (unsigned s = 0; s < count; s++)
        pyr_text_player(names[s], app->names[s], sizeof app->names[s]);
}

static bool is_under_way(const char *text, size_t size, void *context)
{
    struct app *app = context;
    struct pyr_replay replay;
    char seats[128];
    pyr_replay_init(&replay, PYR_NOBODY);
    return find_tag(text, "tag seats ", seats, sizeof seats) && edition_for(app, text, size, &app->edition) &&
        !pyr_record_read(&app->edition, &replay, text, size, NULL) && replay.stage == PYR_STAGE_PLAY && read_seats(app, seats, replay.seats);
}

/* Beginning. */

/* Who plays what: as the options say, or as in the game before. */
static struct setup setup_from_options(const struct tui_options *options)
{
    struct setup setup = { .players = options->players, .people = options->people };
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
    struct setup *setup = &app->setup;
    struct pyr_word names[PYR_MAX_SEATS];
    *setup = (struct setup){ .players = match->replay.seats, .people = app->people };
    memcpy(setup->bot, app->game->bot, sizeof setup->bot);
    find_tag(match->log.text, "tag edition-file ", setup->edition_file, sizeof setup->edition_file);
    pyr_record_player_names(match->log.text, match->log.start[match->log.lines], names);
    for (unsigned s = 0; s < setup->players; s++) {
        pyr_word_copy(names[s], setup->names[s], sizeof setup->names[s]);
        if (!(setup->people >> s & 1) && !setup->bot[s])
            setup->players = 0;
    }
}

static bool begin_new(struct app *app, const struct setup *setup)
{
    struct pyr_rng rng;
    struct pyr_chance chance;
    const char *names[PYR_MAX_SEATS];
    char seats[256] = "", seed[32];
    app->people = setup->people;
    memcpy(app->game->bot, setup->bot, sizeof setup->bot);
    for (unsigned s = 0; s < setup->players; s++) {
        names[s] = setup->names[s];
        snprintf(seats + strlen(seats), sizeof seats - strlen(seats), "%s%s", s ? "," : "", app->people >> s & 1 ? "person" : app->game->bot[s]->name);
    }
    pyr_rng_seed(&rng, app->game->seed, 0);
    pyr_chance_draw(&chance, &app->edition.box, setup->players, &rng);
    enum pyr_err err = pyr_match_begin(&app->match, &app->edition, setup->players, names);
    if (err) {
        char sentence[256];
        pyr_text_error(err, sentence, sizeof sentence);
        app_fail(app, _("a name cannot be a player's name: %s"), sentence);
        return false;
    }
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)app->game->seed);
    pyr_match_tag(&app->match, "seed", seed);
    pyr_match_tag(&app->match, "seats", seats);
    if (setup->edition_file[0])
        pyr_match_tag(&app->match, "edition-file", setup->edition_file);
    bool dealt = !pyr_match_deal(&app->match, &chance);
    read_names(app);
    return dealt;
}

/* Asks whether to go on with a game; true for yes. */
static bool ask_to_go_on(struct app *app)
{
    char text[600], turn[128], list[400];
    const struct key_hint hints[] = { { 'c', "c", _("go on") }, { 'n', "n", _("new game") }, { 'q', "q", _("quit") } };
    for (;;) {
        app_canvas(app);
        words_turn(&app->match.replay.state.open, turn, sizeof turn);
        words_names((1u << app->match.replay.seats) - 1, app->names, list, sizeof list);
        snprintf(text, sizeof text, _("A game of %s is under way. %s."), list, turn);
        draw_notice(&app->canvas, _("Go on with your game?"), text, hints, 3);
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

static bool find_saved(struct app *app)
{
    char *text;
    size_t size;
    struct pyr_fault fault;
    struct game *game = app->game;
    if (app->options->new_game || !save_find(&game->save, is_under_way, app, &text, &size))
        return false;
    bool good = load(app, text, size, &fault);
    free(text);
    if (good)
        read_names(app);
    if (good && (app->options->go_on || ask_to_go_on(app)))
        return game->saves = true;
    save_close(&game->save);
    return false;
}

bool game_begin(struct app *app)
{
    struct game *game = app->game = calloc(1, sizeof *game);
    struct pyr_fault fault;
    bool good = false;
    app->leave = false;
    if (!game)
        return false;
    game->save.lock = -1;
    game->seed = app->options->seed;
    game->thinking = PYR_NOBODY;
    game->uncovered_for = PYR_NOBODY;
    if (app->options->record && !app->again) {
        char seats[128];
        app->edition = *app->options->edition;
        app->people = app->options->people;
        memcpy(game->bot, app->options->bot, sizeof game->bot);
        good = load(app, app->options->record, app->options->record_size, &fault);
        if (!good) {
            char sentence[512];
            pyr_text_fault(&fault, sentence, sizeof sentence);
            app_fail(app, "%s:%u: %s", app->options->record_name, (unsigned)fault.line, sentence);
        } else {
            if (find_tag(app->match.log.text, "tag seats ", seats, sizeof seats))
                read_seats(app, seats, app->match.replay.seats);
            read_names(app);
            if (!(app->people & ((1u << app->match.replay.seats) - 1))) {
                app_fail(app, _("%s: there is no such seat"), app->options->record_name);
                good = false;
            }
        }
    } else {
        good = !app->again && find_saved(app);
        if (!good && !app->leave) {
            struct setup setup = app->setup;
            if (app->again)
                game->seed = app->options->seed + 1000003u * (uint64_t)(1 + app->beat);
            if (!app->again || !setup.players) {
                setup = setup_from_options(app->options);
                app->edition = *app->options->edition;
            }
            good = begin_new(app, &setup);
            if (good && app->options->go_on && !app->again)
                app_say(app, ST_TEXT, "%s", _("No saved game is free to go on with: this is a new one."));
        }
    }
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
    if (good) {
        app->seat = (pyr_seat)__builtin_ctz(app->people);
        game->uncovered_for = app->people & (app->people - 1) ? PYR_NOBODY : app->seat;
        memset(app->hand, 0, sizeof app->hand);
        story_finish(&app->story);
        game_save(app);
    } else {
        game_end(app);
    }
    return good;
}

void game_end(struct app *app)
{
    struct game *game = app->game;
    if (!game)
        return;
    if (app->again)
        remember_setup(app);
    thinker_destroy(game->thinker);
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

static bool is_shared(const struct app *app)
{
    return (app->people & (app->people - 1)) != 0;
}

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
    /* Each choice has random numbers of its own, so that the same seed gives the same game however fast everyone is. */
    pyr_rng_seed(&rng, game->seed, 16 + ((uint64_t)app->match.log.lines * PYR_MAX_SEATS + seat) * 64 + app->match.choice[seat].count);
    game->thinking = seat;
    game->asked_line = app->match.log.lines;
    thinker_ask(game->thinker, game->bot[seat], &view, &rng);
}

void game_tick(struct app *app)
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
    char heading[300], news[1500] = "";
    struct game *game = app->game;
    const struct key_hint hints[] = { { K_ENTER, _("Enter"), _("it is me") }, { 'q', "q", _("quit") }, { 'u', "u", _("the one before takes back") } };
    unsigned shown = 0;
    story_tell(&app->story, &app->match, app->match.log.lines, app->names);
    for (unsigned i = app->story.count; i > 0 && shown < 8 && app->story.line[i - 1].line >= game->seen[app->seat]; i--)
        shown++;
    for (unsigned i = app->story.count - shown; i < app->story.count; i++)
        snprintf(news + strlen(news), sizeof news - strlen(news), "%s\n", app->story.line[i].text);
    if (!news[0])
        snprintf(news, sizeof news, "%s", _("The others look away, please."));
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
    return app->game->past != NULL;
}

void game_take_back(struct app *app)
{
    struct past *past = app->game->past;
    if (!past)
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

void game_confirm(struct app *app)
{
    remember(app);
    enum pyr_err err = pyr_match_confirm(&app->match, app->seat);
    if (err)
        app_say(app, ST_BAD, "%s", _("The choice is not complete."));
    game_save(app);
}

void game_take(struct app *app, pyr_step step)
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

void game_retract(struct app *app)
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

const char *game_title(struct app *app)
{
    if (is_shared(app))
        snprintf(app->game->title, sizeof app->game->title, "%s", app->names[app->seat]);
    else
        snprintf(app->game->title, sizeof app->game->title, _("seed %llu"), (unsigned long long)app->game->seed);
    return app->game->title;
}
