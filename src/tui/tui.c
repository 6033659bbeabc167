/* tui.c: starts and ends the client; see tui.h. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app.h"
#include "remote.h"

bool tui_is_possible(void)
{
    const char *term = getenv("TERM");
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && term[0] && strcmp(term, "dumb") != 0;
}

/* After a replay of a finished game its scores are shown again; another game begins with the same players. */
static void run_local(struct app *app)
{
    bool again;
    do {
        again = false;
        if (!game_begin(app))
            return;
        play_run(app);
        while (app->look_back && !app->error) {
            replay_run(app, "");
            app->leave = false;
            play_run(app);
        }
        again = app->again;
        game_end(app);
        memset(app->hand, 0, sizeof app->hand);
    } while (again && !screen_signal() && !app->error);
}

static void run_remote(struct app *app)
{
    app->remote = remote_create(app);
    if (!app->remote)
        return;
    do {
        play_run(app);
        if (app->look_back && !app->error)
            replay_run(app, "");
    } while (app->look_back && !app->error && !screen_signal());
    remote_way_back(app->remote, app->farewell, sizeof app->farewell);
    remote_destroy(app->remote);
    app->remote = NULL;
}

/* A record from a file, which may be unfinished. */
static void run_replay(struct app *app)
{
    struct pyr_fault fault;
    const struct tui_options *options = app->options;
    struct pyr_word names[PYR_MAX_SEATS];
    app->edition = *options->edition;
    if (pyr_match_load(&app->match, &app->edition, options->record, options->record_size, PYR_NOBODY, &fault)) {
        char sentence[512];
        pyr_text_fault(&fault, sentence, sizeof sentence);
        app_fail(app, "%s:%u: %s", options->record_name, (unsigned)fault.line, sentence);
        return;
    }
    unsigned count = pyr_record_player_names(app->match.log.text, app->match.log.start[app->match.log.lines], names);
    for (unsigned s = 0; s < count; s++)
        pyr_text_player(names[s], app->names[s], sizeof app->names[s]);
    if (app->match.replay.stage < PYR_STAGE_PLAY) {
        app_fail(app, _("%s: the cards are still being dealt"), options->record_name);
        return;
    }
    replay_run(app, options->record_name);
}

/* Errors are printed after the screen was restored: otherwise they would disappear with it. */
int tui_run(const struct tui_options *options)
{
    struct app *app = calloc(1, sizeof *app);
    const struct screen_options screen = { options->ascii, options->no_colour };
    if (!app)
        return 1;
    app->options = options;
    app->cited = app->rules.rule = -1;
    if (!tui_is_possible() || !screen_start(&screen, &app->facts)) {
        free(app);
        return TUI_NO_TERMINAL;
    }
    if (app->facts.ascii)
        pyr_text_plain();
    if (options->replay)
        run_replay(app);
    else if (options->server)
        run_remote(app);
    else
        run_local(app);
    int stopped = screen_signal(), code = 0;
    screen_stop();
    if (app->error) {
        pyr_text_clean(app->error);              /* it may contain text from a server or a record */
        fprintf(stderr, "pyramids: %s\n", app->error);
        code = 1;
    } else if (app->farewell[0] && stopped != SIGHUP) {
        pyr_text_clean(app->farewell);
        puts(app->farewell);
        fflush(stdout);
    }
    free(app->error);
    story_finish(&app->story);
    canvas_finish(&app->canvas);
    free(app);
    if (stopped) {
        /* The parent process should see which signal ended the program. */
        signal(stopped, SIG_DFL);
        raise(stopped);
    }
    return code;
}
