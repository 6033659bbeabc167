/*
 * screen.c: see screen.h. Signals only write a byte to a pipe, and are handled where the program waits. But on a
 * crash, or a second request to stop, the handler itself restores the terminal, with functions that are safe there:
 * write and tcsetattr.
 */
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "screen.h"

/* The only terminal of the process. Handlers use only what was prepared before they were installed. */
static struct {
    SCREEN *terminal;
    struct termios before;
    int signals[2], wakes[2];    /* pipes */
    int colours;
    char leave[512];             /* the sequence that restores the terminal, for handlers */
    size_t leave_size;
    volatile sig_atomic_t active, stop_signal;
    struct sigaction old[NSIG];
    attr_t attribute[ST_COUNT];
    short pair[ST_COUNT];
    bool mouse;
    char *stack;                 /* for handlers, when the normal one has overflowed */
} screen = { .signals = { -1, -1 }, .wakes = { -1, -1 } };

/* Palettes: foreground, background (-1: the terminal's own) and attributes. Nothing is shown only by colour: see the
 * signs in draw.c. */
struct look {
    short front, back;
    attr_t attribute;
};

#define PAPER 230                /* the colour of sandstone in torchlight, for light and dark terminals */
/* For terminals with 256 colours; the numbers are those of xterm's palette. */
static const struct look rich[ST_COUNT] = {
    [ST_TEXT] = { -1, -1, 0 },
    [ST_DIM] = { 245, -1, 0 },
    [ST_STRONG] = { -1, -1, A_BOLD },
    [ST_TITLE] = { 230, 24, A_BOLD },
    [ST_KEY] = { 117, 24, A_BOLD },
    [ST_GOOD] = { 71, -1, A_BOLD },
    [ST_BAD] = { 203, -1, A_BOLD },
    [ST_GOLD] = { 178, -1, A_BOLD },
    [ST_TOUCH] = { 75, -1, A_BOLD },
    [ST_FRAME] = { 243, -1, 0 },
    [ST_ACTIVE] = { 75, -1, A_BOLD },
    [ST_GREEN] = { 71, -1, A_BOLD },
    [ST_ORANGE] = { 172, -1, A_BOLD },
    [ST_PURPLE] = { 140, -1, A_BOLD },
    [ST_WALL_GREEN] = { 29, 22, 0 },
    [ST_WALL_ORANGE] = { 166, 94, 0 },
    [ST_WALL_PURPLE] = { 97, 54, 0 },
    [ST_TILE] = { 238, PAPER, 0 },
    [ST_RUBY] = { 160, PAPER, A_BOLD },
    [ST_EMERALD] = { 28, PAPER, A_BOLD },
    [ST_TORCH] = { 130, PAPER, A_BOLD },
    [ST_SKULL] = { 16, PAPER, A_BOLD },
    [ST_POTION] = { 91, PAPER, A_BOLD },
    [ST_CROSS] = { 196, PAPER, A_BOLD },
    [ST_ENTRANCE] = { 25, PAPER, A_BOLD },
    [ST_TOMB] = { 94, 222, A_BOLD },
    [ST_MARK] = { 18, 146, 0 },
    [ST_CAN] = { 25, 195, A_BOLD },
    [ST_GHOST] = { 231, 26, A_BOLD },
    [ST_WRONG] = { 231, 124, A_BOLD },
    [ST_PLACED] = { 231, 19, A_BOLD },
    [ST_RUBY_TEXT] = { 203, -1, A_BOLD },
    [ST_EMERALD_TEXT] = { 71, -1, A_BOLD },
    [ST_TORCH_TEXT] = { 214, -1, A_BOLD },
    [ST_POTION_TEXT] = { 134, -1, A_BOLD },
    [ST_CROSS_TEXT] = { 203, -1, A_BOLD },
    [ST_BANNER] = { 231, 124, A_BOLD },
};
/* For terminals with eight colours. */
static const struct look eight[ST_COUNT] = {
    [ST_TEXT] = { -1, -1, 0 },
    [ST_DIM] = { -1, -1, 0 },
    [ST_STRONG] = { -1, -1, A_BOLD },
    [ST_TITLE] = { COLOR_WHITE, COLOR_BLUE, A_BOLD },
    [ST_KEY] = { COLOR_WHITE, COLOR_BLUE, A_BOLD },
    [ST_GOOD] = { COLOR_GREEN, -1, A_BOLD },
    [ST_BAD] = { COLOR_RED, -1, A_BOLD },
    [ST_GOLD] = { COLOR_YELLOW, -1, A_BOLD },
    [ST_TOUCH] = { COLOR_CYAN, -1, A_BOLD },
    [ST_FRAME] = { -1, -1, 0 },
    [ST_ACTIVE] = { COLOR_CYAN, -1, A_BOLD },
    [ST_GREEN] = { COLOR_GREEN, -1, A_BOLD },
    [ST_ORANGE] = { COLOR_YELLOW, -1, A_BOLD },
    [ST_PURPLE] = { COLOR_MAGENTA, -1, A_BOLD },
    [ST_WALL_GREEN] = { COLOR_GREEN, COLOR_BLACK, 0 },
    [ST_WALL_ORANGE] = { COLOR_YELLOW, COLOR_BLACK, 0 },
    [ST_WALL_PURPLE] = { COLOR_MAGENTA, COLOR_BLACK, 0 },
    [ST_TILE] = { COLOR_BLACK, COLOR_WHITE, 0 },
    [ST_RUBY] = { COLOR_RED, COLOR_WHITE, 0 },
    [ST_EMERALD] = { COLOR_GREEN, COLOR_WHITE, 0 },
    [ST_TORCH] = { COLOR_BLACK, COLOR_WHITE, 0 },
    [ST_SKULL] = { COLOR_BLACK, COLOR_WHITE, 0 },
    [ST_POTION] = { COLOR_MAGENTA, COLOR_WHITE, 0 },
    [ST_CROSS] = { COLOR_RED, COLOR_WHITE, 0 },
    [ST_ENTRANCE] = { COLOR_BLUE, COLOR_WHITE, 0 },
    [ST_TOMB] = { COLOR_BLACK, COLOR_YELLOW, 0 },
    [ST_MARK] = { COLOR_WHITE, COLOR_BLUE, 0 },
    [ST_CAN] = { COLOR_BLUE, COLOR_WHITE, 0 },
    [ST_GHOST] = { COLOR_BLACK, COLOR_CYAN, 0 },
    [ST_WRONG] = { COLOR_WHITE, COLOR_RED, A_BOLD },
    [ST_PLACED] = { COLOR_YELLOW, COLOR_BLUE, A_BOLD },
    [ST_RUBY_TEXT] = { COLOR_RED, -1, A_BOLD },
    [ST_EMERALD_TEXT] = { COLOR_GREEN, -1, A_BOLD },
    [ST_TORCH_TEXT] = { COLOR_YELLOW, -1, A_BOLD },
    [ST_POTION_TEXT] = { COLOR_MAGENTA, -1, A_BOLD },
    [ST_CROSS_TEXT] = { COLOR_RED, -1, A_BOLD },
    [ST_BANNER] = { COLOR_WHITE, COLOR_RED, A_BOLD },
};
/* Without colours. Signs and brackets show everything; attributes only help. */
static const attr_t mono[ST_COUNT] = {
    [ST_STRONG] = A_BOLD,
    [ST_TITLE] = A_REVERSE,
    [ST_KEY] = A_BOLD,
    [ST_GOOD] = A_BOLD,
    [ST_BAD] = A_BOLD,
    [ST_GOLD] = A_BOLD,
    [ST_TOUCH] = A_BOLD,
    [ST_ACTIVE] = A_BOLD,
    [ST_RUBY] = A_BOLD,
    [ST_EMERALD] = A_BOLD,
    [ST_TORCH] = A_BOLD,
    [ST_SKULL] = A_BOLD,
    [ST_POTION] = A_BOLD,
    [ST_CROSS] = A_BOLD,
    [ST_ENTRANCE] = A_BOLD,
    [ST_TOMB] = A_BOLD | A_UNDERLINE,
    [ST_MARK] = A_REVERSE,
    [ST_GHOST] = A_REVERSE | A_BOLD,
    [ST_WRONG] = A_UNDERLINE | A_BOLD,
    [ST_PLACED] = A_REVERSE | A_BOLD,
    [ST_BANNER] = A_REVERSE | A_BOLD,
};

/* -1 as a colour is the terminal's own, which use_default_colors allows. A style without a pair has the terminal's
 * colours. */
static void choose_palette(bool no_colour)
{
    screen.colours = 0;
    if (!no_colour && has_colors() && start_color() == OK && COLORS >= 8) {
        screen.colours = COLORS >= 256 ? 256 : 8;
        use_default_colors();
    }
    for (int style = 0; style < ST_COUNT; style++) {
        const struct look *look = screen.colours == 256 ? &rich[style] : &eight[style];
        screen.attribute[style] = screen.colours ? look->attribute : mono[style];
        screen.pair[style] = 0;
        if (screen.colours && (look->front >= 0 || look->back >= 0) && style + 1 < COLOR_PAIRS &&
            init_pair((short)(style + 1), look->front, look->back) == OK)
            screen.pair[style] = (short)(style + 1);
    }
}

/* Signals. */

/* Also called from signal handlers: uses only write and tcsetattr, with a text that was prepared when the screen was
 * started. */
static void put_right(void)
{
    if (screen.active) {
        ssize_t ignored = write(STDOUT_FILENO, screen.leave, screen.leave_size);
        (void)ignored;
        tcsetattr(STDIN_FILENO, TCSANOW, &screen.before);
        screen.active = 0;
    }
}

static void on_crash(int signal)
{
    int error = errno;
    put_right();
    /* The original handler is restored, so that a core dump or report is still made. */
    sigaction(signal, &screen.old[signal], NULL);
    raise(signal);
    errno = error;
}

/* The signal is noted and its number written to a pipe, which wakes screen_wait. A second request to stop ends the
 * program at once. */
static void on_signal(int signal)
{
    int error = errno;
    unsigned char byte = (unsigned char)signal;
    if (signal == SIGTERM || signal == SIGHUP || signal == SIGINT || signal == SIGQUIT) {
        if (screen.stop_signal) {
            put_right();
            sigaction(signal, &screen.old[signal], NULL);
            raise(signal);
        }
        screen.stop_signal = signal;
    }
    ssize_t ignored = write(screen.signals[1], &byte, 1);
    (void)ignored;
    errno = error;
}

/* Handled where the program waits (screen_wait). */
static const int stoppers[] = { SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH };
/* Handled at once; all that can be done is to restore the terminal. */
static const int crashes[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL };

/* Crashes get a separate stack, since the normal one may have overflowed. */
static void catch_signals(void)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
    stack_t stack = { .ss_size = 65536 };
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof stoppers / sizeof *stoppers; i++)
        sigaction(stoppers[i], &action, &screen.old[stoppers[i]]);
    screen.stack = stack.ss_sp = malloc(stack.ss_size);
    if (stack.ss_sp)
        sigaltstack(&stack, NULL);
    action.sa_handler = on_crash;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        sigaction(crashes[i], &action, &screen.old[crashes[i]]);
}

static void release_signals(void)
{
    for (size_t i = 0; i < sizeof stoppers / sizeof *stoppers; i++)
        sigaction(stoppers[i], &screen.old[stoppers[i]], NULL);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        sigaction(crashes[i], &screen.old[crashes[i]], NULL);
    stack_t none = { .ss_flags = SS_DISABLE };
    sigaltstack(&none, NULL);
    free(screen.stack);
    screen.stack = NULL;
}

/* Starting and stopping. */

/* Non-blocking, since a handler must never wait; closed on exec. */
static bool open_pipe(int ends[2])
{
    if (pipe(ends))
        return false;
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    }
    return true;
}

static void write_mouse(bool on)
{
    /* Otherwise movements without a button are not reported. */
    if (screen.mouse) {
        const char *text = on ? "\033[?1003h" : "\033[?1003l";
        ssize_t ignored = write(STDOUT_FILENO, text, strlen(text));
        (void)ignored;
    }
}

/* Collected when the screen starts, because terminfo must not be used inside a signal handler. */
static void add_leave(const char *text)
{
    if (!text || text == (char *)-1)
        return;
    size_t length = strlen(text);
    /* Padding such as $<2/> would need tputs; no modern terminal has it here. */
    if (strchr(text, '$') || screen.leave_size + length > sizeof screen.leave)
        return;
    memcpy(screen.leave + screen.leave_size, text, length);
    screen.leave_size += length;
}

/* Escape waits 50 ms instead of a second for the rest of a key's sequence, so that Esc reacts immediately. */
bool screen_start(const struct screen_options *options, struct screen_facts *facts)
{
    const char *term = getenv("TERM");
    if (!term || !term[0] || !strcmp(term, "dumb") || tcgetattr(STDIN_FILENO, &screen.before))
        return false;
    if (!open_pipe(screen.signals) || !open_pipe(screen.wakes))
        return false;
    /* ncurses installs handlers only where there are none yet; ours are installed right after. */
    screen.terminal = newterm(NULL, stdout, stdin);
    if (!screen.terminal)
        return false;
    if (!tigetstr("cup") || tigetstr("cup") == (char *)-1) {     /* the cursor cannot be moved: no full screen */
        screen_stop();
        return false;
    }
    facts->ascii = options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    facts->bare_console = !strncmp(term, "linux", 5);
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(50);
    curs_set(0);
    choose_palette(options->no_colour);
    facts->colours = screen.colours;
    mouseinterval(0);
    const char *mouse = tigetstr("kmous");
    screen.mouse = mousemask(ALL_MOUSE_EVENTS | REPORT_MOUSE_POSITION, NULL) != 0 && mouse && mouse != (char *)-1;
    screen.leave_size = 0;
    if (screen.mouse)
        add_leave("\033[?1003l\033[?1002l\033[?1000l\033[?1006l");
    add_leave(tigetstr("sgr0"));
    add_leave(tigetstr("rmkx"));
    add_leave(tigetstr("cnorm"));
    add_leave(tigetstr("rmcup"));
    screen.active = 1;
    catch_signals();
    int width, height;
    screen_size(&width, &height);
    resizeterm(height, width);
    refresh();
    write_mouse(true);
    return true;
}

/* Also for a start that has failed halfway. */
void screen_stop(void)
{
    if (screen.terminal) {
        write_mouse(false);
        mousemask(0, NULL);
        endwin();
        if (screen.active)
            release_signals();
        screen.active = 0;
        delscreen(screen.terminal);
        screen.terminal = NULL;
        tcsetattr(STDIN_FILENO, TCSADRAIN, &screen.before);
    }
    for (int i = 0; i < 2; i++) {
        if (screen.signals[i] >= 0)
            close(screen.signals[i]);
        if (screen.wakes[i] >= 0)
            close(screen.wakes[i]);
        screen.signals[i] = screen.wakes[i] = -1;
    }
}

/* Ctrl-Z: restores the terminal, stops, and takes it over again when the program is continued. */
static void suspend(void)
{
    struct sigaction stop = { .sa_handler = SIG_DFL }, ours;
    write_mouse(false);
    endwin();
    tcsetattr(STDIN_FILENO, TCSADRAIN, &screen.before);
    sigaction(SIGTSTP, &stop, &ours);
    raise(SIGTSTP);
    sigaction(SIGTSTP, &ours, NULL);
    /* A shell may have changed the modes meanwhile; these are the ones to restore at the end. */
    tcgetattr(STDIN_FILENO, &screen.before);
    reset_prog_mode();
}

/* Read from the system each time: ncurses learns of a new size only by its own signal handler, which we have replaced. */
void screen_size(int *width, int *height)
{
    struct winsize size = { 0 };
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row) {
        *width = COLS > 0 ? COLS : 80;
        *height = LINES > 0 ? LINES : 24;
    } else {
        *width = size.ws_col;
        *height = size.ws_row;
    }
}

void screen_redraw(void)
{
    int width, height;
    screen_size(&width, &height);
    if (width != COLS || height != LINES)
        resizeterm(height, width);
    clearok(curscr, TRUE);
    write_mouse(true);
}

/* Every cell is given to ncurses, which sends only what has changed. Character 0 is the right half of a wide one. */
void screen_show(const struct canvas *canvas)
{
    for (int y = 0; y < canvas->height && y < LINES; y++) {
        for (int x = 0; x < canvas->width && x < COLS; x++) {
            const struct cell *cell = &canvas->cell[y * canvas->width + x];
            wchar_t text[CANVAS_MARKS + 2] = { (wchar_t)cell->character };
            cchar_t wide;
            if (!cell->character)
                continue;
            for (unsigned i = 0; i < CANVAS_MARKS; i++)
                text[1 + i] = (wchar_t)cell->mark[i];
            if (setcchar(&wide, text, screen.attribute[cell->style], screen.pair[cell->style], NULL) == OK)
                mvadd_wch(y, x, &wide);
        }
    }
    move(LINES - 1, 0);
    refresh();
}

/* Input. */

/* 0 for keys without a meaning here. Ctrl-H and DEL are both sent for Backspace, depending on the terminal. */
static int key_of(wint_t code, bool is_function)
{
    if (!is_function)
        return code == '\n' || code == '\r' ? K_ENTER : code == 0x7f || code == 8 ? K_BACKSPACE : (int)code;
    switch (code) {
    case KEY_UP: return K_UP;
    case KEY_DOWN: return K_DOWN;
    case KEY_LEFT: return K_LEFT;
    case KEY_RIGHT: return K_RIGHT;
    case KEY_HOME: return K_HOME;
    case KEY_END: return K_END;
    case KEY_PPAGE: return K_PAGE_UP;
    case KEY_NPAGE: return K_PAGE_DOWN;
    case KEY_BTAB: return K_BACKTAB;
    case KEY_BACKSPACE: return K_BACKSPACE;
    case KEY_DC: return K_DELETE;
    case KEY_ENTER: return K_ENTER;
    default: return 0;
    }
}

/* False: nothing was typed. True with INPUT_NONE: input without a meaning. */
static bool read_key(struct input *input)
{
    wint_t code;
    int got = get_wch(&code);
    if (got == ERR)
        return false;
    if (got == KEY_CODE_YES && code == KEY_MOUSE) {
        MEVENT event;
        if (getmouse(&event) != OK)
            return true;
        input->x = event.x;
        input->y = event.y;
        if (event.bstate & BUTTON4_PRESSED)
            input->kind = INPUT_WHEEL, input->key = 1;
        else if (event.bstate & BUTTON5_PRESSED)
            input->kind = INPUT_WHEEL, input->key = -1;
        else if (event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED))
            input->kind = INPUT_CLICK;
        else if (event.bstate & REPORT_MOUSE_POSITION)
            input->kind = INPUT_HOVER;
        return true;
    }
    input->key = key_of(code, got == KEY_CODE_YES);
    input->kind = input->key ? INPUT_KEY : INPUT_NONE;
    return true;
}

/* In this order: signals, keys that ncurses has read already, a wake-up by another thread; only then it waits. A closed
 * terminal reports readable without any input, or POLLHUP: both end the program like SIGHUP. */
struct input screen_wait(int milliseconds)
{
    struct input input = { .kind = INPUT_NONE };
    struct pollfd wait[3] = { { STDIN_FILENO, POLLIN, 0 }, { screen.signals[0], POLLIN, 0 },
        { screen.wakes[0], POLLIN, 0 } };
    unsigned char byte;
    while (read(screen.signals[0], &byte, 1) == 1) {
        if (byte == SIGTSTP)
            suspend();
        if (byte == SIGTSTP || byte == SIGCONT || byte == SIGWINCH) {
            screen_redraw();
            input.kind = INPUT_RESIZE;
            return input;
        }
    }
    if (screen.stop_signal) {
        input.kind = INPUT_END;
        return input;
    }
    if (read_key(&input))
        return input;                        /* INPUT_NONE for input without a meaning */
    char sink[64];
    if (read(screen.wakes[0], sink, sizeof sink) > 0) {
        input.kind = INPUT_WAKE;
        return input;
    }
    poll(wait, 3, milliseconds);
    if (wait[0].revents & (POLLHUP | POLLERR | POLLNVAL) && !(wait[0].revents & POLLIN)) {
        screen.stop_signal = SIGHUP;         /* the terminal was closed */
        input.kind = INPUT_END;
        return input;
    }
    /* Readable again and again without any input: the input has ended. */
    static int nothing;
    nothing = wait[0].revents & POLLIN && !read_key(&input) ? nothing + 1 : 0;
    if (nothing > 50) {
        screen.stop_signal = SIGHUP;
        input.kind = INPUT_END;
    }
    return input;
}

/* The pipe is non-blocking: if it is full, the main thread will wake up anyway. */
void screen_wake(void)
{
    ssize_t ignored = write(screen.wakes[1], "w", 1);
    (void)ignored;
}

int screen_signal(void)
{
    return screen.stop_signal;
}
