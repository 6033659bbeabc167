/*
 * match.c: a game with its log; see match.h.
 *
 * Invariant: replaying the log from its first line gives match->replay, except for the hidden part of its state (game.h,
 * 1).
 *
 * A match is a game (game.h) whose sink is its own log, so most functions here only pass that sink on. The log is text,
 * with the same lines as a record, and is sent to clients.
 *
 * Ownership: plain data without pointers, except to the edition, which must outlive it; it can be copied. No memory is
 * allocated.
 */
#include <pyramids/match.h>

/* The log. */

static void empty(struct pyr_log *log)
{
    log->lines = 0;
    log->start[0] = 0;
}

/* start[lines] is always the end of the text, so line i is between start[i] and start[i + 1]. */
static bool log_add(struct pyr_log *log, struct pyr_word line)
{
    uint32_t at = log->start[log->lines];
    if (log->lines == PYR_LOG_LINES || line.length + 2 > PYR_LOG_SIZE - at)
        return false;
    for (size_t i = 0; i < line.length; i++)
        log->text[at + i] = line.at[i];
    log->text[at + line.length] = '\n';
    log->text[at + line.length + 1] = '\0';
    log->start[++log->lines] = (uint32_t)(at + line.length + 1);
    return true;
}

/* Tags may use only what the longest game leaves over, so that a log is never too full for the game to continue. */
#define GAME_BYTES (24u << 10)

static bool is_room_for_tags(uint32_t lines, size_t bytes)
{
    return lines <= PYR_LOG_TAGS && bytes <= PYR_LOG_SIZE - GAME_BYTES;
}

/* Counts a line if it is a tag; its newline counts as a byte, too. */
static void count_tag(struct pyr_word line, uint32_t *lines, size_t *bytes)
{
    static const char tag[] = "tag ";
    for (size_t i = 0; i < sizeof tag - 1; i++)
        if (i >= line.length || line.at[i] != tag[i])
            return;
    *lines += 1;
    *bytes += line.length + 1;
}

/* Whether another tag fits, in addition to those that are there. */
static bool has_room_for_tag(const struct pyr_log *log, struct pyr_word line)
{
    uint32_t lines = 0;
    size_t bytes = 0;
    count_tag(line, &lines, &bytes);
    for (uint32_t i = 0; i < log->lines; i++)
        count_tag((struct pyr_word){ log->text + log->start[i], log->start[i + 1] - log->start[i] - 1 }, &lines, &bytes);
    return is_room_for_tags(lines, bytes);
}

struct pyr_word pyr_match_line(const struct pyr_match *match, uint32_t line)
{
    const struct pyr_log *log = &match->log;
    if (line >= log->lines)
        return PYR_NO_WORD;
    return (struct pyr_word){ log->text + log->start[line], log->start[line + 1] - log->start[line] - 1 };
}

/* The sink. It fails before it has changed anything. */
enum pyr_err pyr_log_take(void *log, const struct pyr_edition *edition, const struct pyr_event *event)
{
    char line[PYR_MAX_LINE + 1];
    struct pyr_out out;
    pyr_out_init(&out, line, sizeof line);
    pyr_event_write(event, edition, &out);
    if (out.length >= sizeof line)
        return PYR_ERR_TEXT_LINE;
    struct pyr_word text = { line, out.length };
    if (event->kind == PYR_EVENT_TAG && !has_room_for_tag(log, text))
        return PYR_ERR_TEXT_FULL;
    return log_add(log, text) ? PYR_OK : PYR_ERR_TEXT_FULL;
}

static struct pyr_sink log_of(struct pyr_match *match)
{
    return (struct pyr_sink){ pyr_log_take, &match->log };
}

/* The game, with the log as its sink. */

enum pyr_err pyr_match_begin(struct pyr_match *match, const struct pyr_edition *edition, unsigned seats,
    const char *const *names)
{
    const struct pyr_sink sink = log_of(match);
    empty(&match->log);
    return pyr_game_begin(&match->game, edition, seats, names, &sink);
}

enum pyr_err pyr_match_deal(struct pyr_match *match, const struct pyr_chance *chance)
{
    const struct pyr_sink sink = log_of(match);
    return pyr_game_deal(&match->game, chance, &sink);
}

enum pyr_err pyr_match_init(struct pyr_match *match, const struct pyr_edition *edition, unsigned seats,
    const char *const *names, const struct pyr_chance *chance)
{
    enum pyr_err err = pyr_chance_check(chance, &edition->box, seats);
    if (!err)
        err = pyr_match_begin(match, edition, seats, names);
    return err ? err : pyr_match_deal(match, chance);
}

void pyr_match_set_chance(struct pyr_match *match, const struct pyr_chance *chance)
{
    pyr_game_set_chance(&match->game, chance);
}

void pyr_match_shuffle(struct pyr_match *match, struct pyr_rng *rng)
{
    const struct pyr_sink sink = log_of(match);
    pyr_game_shuffle(&match->game, rng, &sink);
}

bool pyr_match_is_over(const struct pyr_match *match)
{
    return pyr_game_is_over(&match->game);
}

unsigned pyr_match_waiting(const struct pyr_match *match)
{
    return pyr_game_waiting(&match->game);
}

void pyr_match_view(const struct pyr_match *match, pyr_seat seat, struct pyr_view *view)
{
    pyr_game_view(&match->game, seat, view);
}

void pyr_match_steps(const struct pyr_match *match, pyr_seat seat, struct pyr_steps *steps)
{
    pyr_game_steps(&match->game, seat, steps);
}

bool pyr_match_is_ready(const struct pyr_match *match, pyr_seat seat)
{
    return pyr_game_is_ready(&match->game, seat);
}

enum pyr_err pyr_match_step(struct pyr_match *match, pyr_seat seat, pyr_step step)
{
    const struct pyr_sink sink = log_of(match);
    return pyr_game_step(&match->game, seat, step, &sink);
}

enum pyr_err pyr_match_undo(struct pyr_match *match, pyr_seat seat)
{
    return pyr_game_undo(&match->game, seat);
}

enum pyr_err pyr_match_confirm(struct pyr_match *match, pyr_seat seat)
{
    const struct pyr_sink sink = log_of(match);
    return pyr_game_confirm(&match->game, seat, &sink);
}

enum pyr_err pyr_match_retract(struct pyr_match *match, pyr_seat seat)
{
    return pyr_game_retract(&match->game, seat);
}

enum pyr_err pyr_match_choose(struct pyr_match *match, pyr_seat seat, const char *text, struct pyr_fault *fault)
{
    const struct pyr_sink sink = log_of(match);
    return pyr_game_choose(&match->game, seat, text, fault, &sink);
}

/* Records. */

/* The game is read from the lines, and the lines are stored unchanged, without comments and blank lines. Reading checks
 * that they are a record; the limit on tags is checked here. */
enum pyr_err pyr_match_load(struct pyr_match *match, const struct pyr_edition *edition, const char *text, size_t size,
    pyr_seat viewer, struct pyr_fault *fault)
{
    struct pyr_lines lines;
    enum pyr_err err = pyr_game_load(&match->game, edition, text, size, viewer, fault);
    if (err)
        return err;
    empty(&match->log);
    uint32_t tag_lines = 0;
    size_t tag_bytes = 0;
    pyr_lines_init(&lines, text, size);
    while (pyr_lines_next(&lines, false)) {
        count_tag(lines.line, &tag_lines, &tag_bytes);
        if (!is_room_for_tags(tag_lines, tag_bytes) || !log_add(&match->log, lines.line)) {
            if (fault)
                *fault = (struct pyr_fault){ .code = PYR_ERR_TEXT_FULL, .line = lines.number };
            return PYR_ERR_TEXT_FULL;
        }
    }
    return PYR_OK;
}

enum pyr_err pyr_match_tag(struct pyr_match *match, const char *name, const char *value)
{
    const struct pyr_sink sink = log_of(match);
    return pyr_game_tag(&match->game, name, value, &sink);
}

bool pyr_match_line_is_visible(const struct pyr_match *match, uint32_t line, pyr_seat seat)
{
    return pyr_game_line_is_visible(&match->game, pyr_match_line(match, line), seat);
}

/* Replayed from the beginning: a game has a few hundred lines, and no states in between are stored. *replay is unchanged
 * on failure. */
enum pyr_err pyr_match_replay(const struct pyr_match *match, uint32_t lines, struct pyr_replay *replay)
{
    struct pyr_replay fresh;
    if (lines > match->log.lines)
        return PYR_ERR_NO_SUCH_LINE;
    pyr_replay_init(&fresh, match->replay.viewer);
    if (lines) {
        enum pyr_err err = pyr_record_read(&fresh, match->edition, match->log.text, match->log.start[lines], NULL);
        if (err)
            return err;
    }
    *replay = fresh;
    return PYR_OK;
}
