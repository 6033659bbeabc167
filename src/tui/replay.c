/*
 * replay.c: a record step by step, with the marks of an analysis; see app.h.
 *
 * The analysis runs in its own threads (pyr_judge_init); they use only struct analysis, under its lock. It is made
 * twice: quickly, so that marks appear soon, and then with full effort. Reports are freed only at the end, so a
 * pointer to one stays valid.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pyramids/judge.h>

#include "app.h"

/* Shared by the main thread and the analysis. `text` is a copy of the log, so the match may be used meanwhile. */
struct analysis {
    pthread_t thread;
    bool started, joined;        /* of the thread */
    pthread_mutex_t lock;
    bool cancelled, done;        /* under the lock, as are the numbers */
    unsigned begun, all;         /* tasks, for progress */
    struct pyr_judge_report report[2];       /* the first result, and the refined one; both are kept until the end */
    const struct pyr_judge_report *shown;    /* the better one of those that are ready */
    struct pyr_fault fault;
    char *text;
    size_t size;
    const struct pyr_edition *edition;
    uint32_t playouts;           /* the cap, worlds per decision */
};

/* A replay. `first` is the line at which all cards have been dealt: before that there is nothing to show. */
struct replaying {
    struct app *app;
    uint32_t line, first;        /* lines that have been played */
    const char *name;
    struct analysis *analysis;
    bool sums;                   /* the sheet with luck and skill is open */
    char preview[400];
    char title[300], short_title[100];
};

/* Called between playouts by the threads of the analysis. */
static bool is_cancelled(void *context)
{
    struct analysis *analysis = context;
    pthread_mutex_lock(&analysis->lock);
    bool cancelled = analysis->cancelled;
    pthread_mutex_unlock(&analysis->lock);
    return cancelled;
}

static void note_progress(void *context, unsigned begun, unsigned all)
{
    struct analysis *analysis = context;
    pthread_mutex_lock(&analysis->lock);
    analysis->begun = begun;
    analysis->all = all;
    pthread_mutex_unlock(&analysis->lock);
    screen_wake();
}

/* At most eight threads, so that the machine stays usable. If the quick analysis would be as thorough as the full one, it
 * is skipped. */
static void *run_analysis(void *context)
{
    struct analysis *analysis = context;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct pyr_judge_options options = { .playouts = analysis->playouts,
        .threads = cpus > 1 ? (cpus > 8 ? 8 : (unsigned)cpus) : 1,
        .seed = PYR_LUCK_SEED,
        .is_cancelled = is_cancelled,
        .progress = note_progress,
        .context = analysis };
    enum pyr_judge_code code = PYR_JUDGE_GOOD;
    for (unsigned i = analysis->playouts <= PYR_LUCK_QUICK; i < 2 && code == PYR_JUDGE_GOOD; i++) {
        options.playouts = i ? analysis->playouts : PYR_LUCK_QUICK;
        code = pyr_judge_init(&analysis->report[i], analysis->edition, analysis->text, analysis->size, &options,
            &analysis->fault);
        pthread_mutex_lock(&analysis->lock);
        if (code == PYR_JUDGE_GOOD)
            analysis->shown = &analysis->report[i];
        analysis->done = i || code != PYR_JUDGE_GOOD;
        pthread_mutex_unlock(&analysis->lock);
        screen_wake();
    }
    return NULL;
}

/* Signals are blocked while the thread is created, since it inherits the mask: they are for the main thread, except for
 * crashes. Without memory or a thread nothing happens, and the key can be pressed again. */
static void analysis_start(struct replaying *r)
{
    struct analysis *analysis = calloc(1, sizeof *analysis);
    struct pyr_match *match = &r->app->match;
    sigset_t all, before;
    if (!analysis)
        return;
    analysis->size = match->log.start[match->log.lines];
    analysis->text = malloc(analysis->size + 1);
    if (!analysis->text) {
        free(analysis);
        return;
    }
    memcpy(analysis->text, match->log.text, analysis->size);
    analysis->edition = &r->app->edition;
    analysis->playouts = r->app->options->playouts ? r->app->options->playouts : PYR_JUDGE_PLAYOUTS;
    pthread_mutex_init(&analysis->lock, NULL);
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGABRT);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    analysis->started = !pthread_create(&analysis->thread, NULL, run_analysis, analysis);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (analysis->started) {
        r->analysis = analysis;
        return;
    }
    free(analysis->text);
    free(analysis);
}

/* Waits for the thread, which checks `cancelled` between playouts. */
static void analysis_end(struct replaying *r)
{
    struct analysis *analysis = r->analysis;
    if (!analysis)
        return;
    pthread_mutex_lock(&analysis->lock);
    analysis->cancelled = true;
    pthread_mutex_unlock(&analysis->lock);
    pthread_join(analysis->thread, NULL);
    pyr_judge_finish(&analysis->report[0]);
    pyr_judge_finish(&analysis->report[1]);
    pthread_mutex_destroy(&analysis->lock);
    free(analysis->text);
    free(analysis);
    r->analysis = NULL;
}

/* The best report so far, or NULL. */
static const struct pyr_judge_report *report_of(const struct replaying *r)
{
    struct analysis *analysis = r->analysis;
    if (!analysis)
        return NULL;
    pthread_mutex_lock(&analysis->lock);
    const struct pyr_judge_report *shown = analysis->shown;
    pthread_mutex_unlock(&analysis->lock);
    return shown;
}

/* NULL if the line is not a decision, or there is no report. */
static const struct pyr_luck_decision *decision_at(const struct replaying *r, uint32_t line)
{
    const struct pyr_judge_report *report = report_of(r);
    for (unsigned i = 0; report && i < report->decisions; i++)
        if (report->decision[i].line == line)
            return &report->decision[i];
    return NULL;
}

/* For the story: the mark beside a line, such as "?!". */
static const char *sign_at(void *context, uint32_t line)
{
    const struct pyr_luck_decision *decision = decision_at(context, line);
    return decision && pyr_luck_threshold(decision->mark)->sign[0] ? pyr_luck_threshold(decision->mark)->sign : NULL;
}

/* The kind of a line of the log; PYR_EVENT_KINDS if it cannot be read. */
static enum pyr_event_kind kind_at(const struct app *app, uint32_t line, struct pyr_event *event)
{
    struct pyr_lines lines;
    struct pyr_word word = pyr_match_line(&app->match, line);
    pyr_lines_init(&lines, word.at, word.length);
    if (!pyr_lines_next(&lines, false) || !pyr_event_read(event, &app->edition, &lines))
        return PYR_EVENT_KINDS;
    return event->kind;
}

/* The result of the analysis for the last line played. */
static void judge_line(struct replaying *r)
{
    r->preview[0] = '\0';
    const struct pyr_luck_decision *decision = r->line ? decision_at(r, r->line - 1) : NULL;
    if (!decision)
        return;
    char best[PYR_JUDGE_CHOICE] = "";
    if (decision->bests)
        pyr_judge_choice(report_of(r), decision, &decision->best[0], best, sizeof best);
    char sign[PYR_JUDGE_SIGN], lost[2 * PYR_NUMBER_SIZE];
    pyr_judge_sign(decision, sign);
    pyr_judge_cost(decision, lost);
    if (decision->mark == PYR_LUCK_FINE)
        snprintf(r->preview, sizeof r->preview, _("%s: a good choice."), r->app->names[decision->seat]);
    else
        snprintf(r->preview, sizeof r->preview, _("%s (%s): %s points lost. Best: %s"), r->app->names[decision->seat],
            sign, lost, best);
}

/* Columns are laid out from the right, each as wide as its heading in this language; names get the rest. */
static void draw_sums(struct replaying *r)
{
    const struct pyr_judge_report *report = report_of(r);
    const struct key_hint hints[] = { { K_ESCAPE, _("Esc"), _("back") } };
    const char *const head[] = { _("points"), _("luck"), _("skill"), "?!", "?", "??" };
    struct canvas *canvas = &r->app->canvas;
    char rows[2 * PYR_MAX_SEATS + 2] = "";
    if (!report)
        return;
    /* The notice makes room for a table: one line for its head and one per player. */
    memset(rows, '\n', report->seats + 1u);
    struct place box = draw_notice(canvas, _("Luck and skill"), rows, hints, 1);
    int right[6], end = box.x + box.width;
    for (int i = 5; i >= 0; i--) {
        int least = i < 3 ? 7 : 3, wide = text_width(head[i]);
        right[i] = end;
        end -= (wide > least ? wide : least) + 1;
        canvas_text(canvas, right[i] - wide, box.y, wide, ST_DIM, head[i]);
    }
    for (unsigned s = 0; s < report->seats; s++) {
        const struct pyr_luck_sum *sum = &report->sum[s];
        char cell[6][PYR_NUMBER_SIZE];
        pyr_text_number(cell[0], (double)sum->expected, 0, false);
        pyr_text_number(cell[1], (double)sum->luck, 1, true);
        pyr_text_number(cell[2], (double)sum->skill, 1, false);
        for (int i = 3; i < 6; i++)
            snprintf(cell[i], sizeof cell[i], "%u", sum->marks[i - 2]);
        canvas_text(canvas, box.x, box.y + 1 + (int)s, end - box.x, ST_STRONG, r->app->names[s]);
        for (int i = 0; i < 6; i++)
            canvas_text(canvas, right[i] - text_width(cell[i]), box.y + 1 + (int)s, PYR_NUMBER_SIZE, ST_TEXT, cell[i]);
    }
}

static void set_hints(struct replaying *r)
{
    struct app *app = r->app;
    if (app->sheet) {
        play_sheet_hints(app);
        app_hint(app, K_ESCAPE, _("Esc"), _("back"));
        app_hint(app, 'q', "q", _("leave"));
        return;
    }
    app_hint(app, K_RIGHT, app->facts.ascii ? ">" : "→", _("on"));
    app_hint(app, K_LEFT, app->facts.ascii ? "<" : "←", _("back"));
    app_hint(app, ']', "]", _("next turn"));
    app_hint(app, '[', "[", _("previous turn"));
    app_hint(app, 'a', "a", report_of(r) ? _("luck and skill") : _("analyse"));
    app_hint(app, 'q', "q", _("leave"));
    app_hint(app, K_TAB, _("Tab"), _("seat"));
    app_hint(app, 'L', "L", _("log"));
}

/* Shows the table after the line, as everyone may see it afterwards. */
static void set_table(struct replaying *r, const struct pyr_replay *at, struct scene *scene)
{
    struct app *app = r->app;
    struct pyr_event event;
    bool keeping = at->state.open.phase == PYR_KEEP;         /* cards dealt and returned are open afterwards (Q10) */
    pyr_view_init(&scene->view, &at->state, keeping ? app->seat : PYR_SPECTATOR);
    for (unsigned s = 0; s < at->seats && at->state.open.phase == PYR_MARK; s++)
        scene->view.open.desk[s] = at->state.desk[s];        /* marks appear together with their sentences */
    scene->hand = NULL;
    scene->state = HAND_IDLE;
    memset(scene->sign, 0, sizeof scene->sign);
    scene->banner = NULL;
    if (!r->line || kind_at(app, r->line - 1, &event) != PYR_EVENT_MARK || event.seat != app->seat)
        return;
    for (unsigned i = 0; i < event.count; i++)
        for (unsigned slot = 0; slot < PYR_SLOTS; slot++)
            if (scene->view.open.desk[app->seat].card[slot] == event.part[i].card)
                scene->shown[slot] |= event.part[i].spaces;
}

/* Sets the first line, the story, and the result of the analysis. */
static void set_words(struct replaying *r, struct scene *scene)
{
    unsigned lines = r->app->match.log.lines;
    judge_line(r);
    scene->preview = r->preview;
    scene->story_mark = r->line ? r->line - 1 : 0;
    scene->story_sign = sign_at;
    scene->story_context = r;
    snprintf(r->short_title, sizeof r->short_title, _("Replay, line %u of %u"), (unsigned)r->line, lines);
    scene->short_title = r->short_title;
    if (r->name[0])
        snprintf(r->title, sizeof r->title, _("Replay %s, line %u of %u"), r->name, (unsigned)r->line, lines);
    scene->title = r->name[0] ? r->title : r->short_title;
}

/* Shows what happened last, or the progress of the analysis. */
static enum style set_message(struct replaying *r, char *message, size_t size)
{
    const struct story *story = &r->app->story;
    message[0] = '\0';
    for (unsigned i = story->count; i-- > 0 && !message[0];)
        if (story->line[i].line < r->line)
            story_about(story, story->line[i].line, message, size);
    if (!r->analysis)
        return ST_TEXT;
    pthread_mutex_lock(&r->analysis->lock);
    unsigned begun = r->analysis->begun, all = r->analysis->all;
    bool failed = r->analysis->done && !r->analysis->shown, known = r->analysis->shown != NULL;
    pthread_mutex_unlock(&r->analysis->lock);
    if (known)
        return ST_TEXT;
    if (failed)
        snprintf(message, size, "%s", _("Only a whole record can be analysed."));
    else
        snprintf(message, size, _("Analysis: %u of %u"), begun, all);
    return failed ? ST_BAD : ST_TOUCH;
}

/* The position is replayed from the beginning each time: a game has a few hundred lines at most. */
static void draw(struct replaying *r)
{
    struct app *app = r->app;
    struct scene scene;
    struct pyr_replay at;
    char message[900];
    app_canvas(app);
    app_scene(app, &scene);
    story_tell(&app->story, &app->match, app->match.log.lines, app->names);
    if (pyr_match_replay(&app->match, r->line, &at))
        return;
    set_table(r, &at, &scene);
    set_words(r, &scene);
    scene.message_style = set_message(r, message, sizeof message);
    scene.message = message;
    set_hints(r);
    scene.hint_count = r->sums ? 0 : app->hint_count;        /* its box shows the key that works then */
    if (app->canvas.width < TUI_MIN_WIDTH || app->canvas.height < TUI_MIN_HEIGHT)
        draw_is_too_small(&app->canvas);
    else if (app->sheet == SHEET_STORY)
        draw_story(&app->canvas, &scene, app->scroll);
    else if (app->sheet == SHEET_PLAYERS)
        draw_players(&app->canvas, &scene);
    else if (app->sheet == SHEET_HELP)
        play_draw_help(app, &scene);
    else if (at.stage == PYR_STAGE_OVER && r->line == app->match.log.lines && !app->peek)
        draw_scores(&app->canvas, &scene);
    else if (at.state.open.phase == PYR_KEEP)
        draw_keep(&app->canvas, &scene);
    else
        draw_table(&app->canvas, &scene);
    if (r->sums)
        draw_sums(r);
    screen_show(&app->canvas);
}

/* By lines, without tags; or by turns, which begin with a reveal. */
static void go(struct replaying *r, int steps, bool turns)
{
    struct app *app = r->app;
    struct pyr_event event;
    int64_t line = r->line;
    for (int left = steps < 0 ? -steps : steps; left > 0; left--) {
        do
            line += steps < 0 ? -1 : 1;
        while (line > r->first && line < app->match.log.lines &&
            (turns ? kind_at(app, (uint32_t)line - 1, &event) != PYR_EVENT_REVEAL
                   : kind_at(app, (uint32_t)line - 1, &event) == PYR_EVENT_TAG));
    }
    r->line = line < r->first ? r->first : line > app->match.log.lines ? app->match.log.lines : (uint32_t)line;
}

static void toggle_sheet(struct app *app, enum sheet sheet)
{
    app->sheet = app->sheet == sheet ? SHEET_NONE : sheet;
    app->scroll = 0;
    /* The help page about signs; a replay has few keys, and they are in the last line. */
    app->page = 1;
}

/* Keys that move through the record. */
static bool walk_key(struct replaying *r, int key)
{
    switch (key) {
    case K_RIGHT: case 'l': case ' ': case K_ENTER: case K_DOWN: case 'j': go(r, 1, false); return true;
    case K_LEFT: case 'h': case K_UP: case 'k': case K_BACKSPACE: go(r, -1, false); return true;
    case ']': case K_PAGE_DOWN: case 'n': go(r, 1, true); return true;
    case '[': case K_PAGE_UP: case 'N': case 'p': go(r, -1, true); return true;
    case K_HOME: case 'g': r->line = r->first; return true;
    case K_END: case 'G': r->line = r->app->match.log.lines; return true;
    default: return false;
    }
}

/* Keys that choose the seat whose view is shown. */
static bool seat_key(struct app *app, int key)
{
    unsigned seats = app->match.replay.seats;
    if (key == K_TAB)
        app->seat = (pyr_seat)((app->seat + 1u) % seats);
    else if (key == K_BACKTAB)
        app->seat = (pyr_seat)((app->seat + seats - 1u) % seats);
    else if (key >= '1' && key < '1' + (int)seats)
        app->seat = (pyr_seat)(key - '1');
    else
        return false;
    return true;
}

/* False when the player leaves. */
static bool on_key(struct replaying *r, int key)
{
    struct app *app = r->app;
    if (r->sums) {
        r->sums = false;
        return true;
    }
    if (app->sheet && play_sheet_key(app, key))
        return true;
    if (app->sheet && key == K_ESCAPE) {
        app->sheet = SHEET_NONE;
        return true;
    }
    if (walk_key(r, key) || seat_key(app, key))
        return true;
    switch (key) {
    case 'a':
        r->sums = report_of(r) != NULL;
        if (!r->analysis)
            analysis_start(r);
        break;
    case 't': app->peek = !app->peek; break;
    case 'L': toggle_sheet(app, SHEET_STORY); break;
    case 'o': toggle_sheet(app, SHEET_PLAYERS); break;
    case '?': toggle_sheet(app, SHEET_HELP); break;
    case 12: screen_redraw(); break;
    case 'q': case 'Q': case K_ESCAPE: return false;
    default: break;
    }
    return true;
}

/* Runs until the player leaves. Seat and people are restored afterwards: a finished game returns to its scores. */
void replay_run(struct app *app, const char *name)
{
    const char *slash = strrchr(name, '/');
    struct replaying r = { .app = app, .name = slash ? slash + 1 : name };
    struct pyr_replay at;
    pyr_seat seat = app->seat;
    unsigned people = app->people;
    bool goes_on = true;
    app->people = 0;
    app->sheet = SHEET_NONE;
    app->peek = false;
    app->message[0] = '\0';
    /* Begins where the cards are dealt. */
    while (r.first < app->match.log.lines && (pyr_match_replay(&app->match, r.first, &at) || at.stage < PYR_STAGE_PLAY))
        r.first++;
    r.line = r.first;
    while (goes_on) {
        draw(&r);
        struct input input = screen_wait(r.analysis ? 200 : 1000);
        const struct place *place = input.kind == INPUT_CLICK ? canvas_find(&app->canvas, input.x, input.y) : NULL;
        if (input.kind == INPUT_END)
            goes_on = false;
        else if (input.kind == INPUT_KEY)
            goes_on = on_key(&r, input.key);
        else if (input.kind == INPUT_WHEEL)
            go(&r, input.key > 0 ? -1 : 1, false);
        else if (place && place->action == ACT_KEY)
            goes_on = on_key(&r, place->detail);
    }
    analysis_end(&r);
    app->sheet = SHEET_NONE;
    app->people = people;
    app->seat = seat;
}
