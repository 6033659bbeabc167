/*
 * mistake.c: your own mistakes as puzzles (puzzle.h): a position of a game that you have played, with the result of the
 * analysis.
 */
#include <pyramids/puzzle.h>

#include "inside.h"

#define HEADER "pyramids-mistake 1"

/* One word `CHOICE=POINTS/WIN`. */
struct valued {
    struct pyr_word choice;
    int32_t points, win;
};

#define MOST_VALUED 8

static bool read_valued(struct pyr_word word, struct valued *to)
{
    size_t equals = 0, slash = 0;
    for (size_t i = 0; i < word.length; i++) {
        if (word.at[i] == '=')
            equals = i;
        if (word.at[i] == '/')
            slash = i;
    }
    if (!equals || slash < equals)
        return false;
    to->choice = (struct pyr_word){ word.at, equals };
    return puzzle_read_value((struct pyr_word){ word.at + equals + 1, slash - equals - 1 }, &to->points) &&
        puzzle_read_value((struct pyr_word){ word.at + slash + 1, word.length - slash - 1 }, &to->win);
}

/* Where the choices of a phase begin: the lines of players who choose at once follow each other. */
static uint32_t phase_of(const struct pyr_match *match, uint32_t line, pyr_seat seat)
{
    struct pyr_replay replay;
    for (;;) {
        if (pyr_match_replay(match, line, &replay))
            return UINT32_MAX;
        const struct pyr_table *open = &replay.state.open;
        bool at_once = open->phase == PYR_KEEP || open->phase == PYR_MARK;
        if (!at_once || open->waiting == (1u << open->seats) - 1 || !line)
            return open->waiting >> seat & 1 ? line : UINT32_MAX;
        line--;
    }
}

bool pyr_mistake_write(const struct pyr_match *match, uint32_t line, pyr_seat seat, uint32_t playouts, const char *values,
    struct pyr_out *out)
{
    struct valued list[MOST_VALUED];
    unsigned count = 0;
    struct pyr_lines lines;
    struct pyr_word word;
    bool by_points = true;
    pyr_lines_init(&lines, values, pyr_word_of(values).length);
    if (seat >= PYR_MAX_SEATS || line >= match->log.lines || !pyr_lines_next(&lines, false))
        return false;
    while (count < MOST_VALUED && pyr_lines_more(&lines)) {
        if (!pyr_lines_word(&lines, &word) || !read_valued(word, &list[count]))
            return false;
        by_points &= list[count].points <= list[0].points + PYR_PUZZLE_ENOUGH;
        count++;
    }
    uint32_t begin = phase_of(match, line, seat);
    if (count < 2 || begin == UINT32_MAX)
        return false;
    pyr_out_text(out, HEADER "\nseat ");
    pyr_out_number(out, seat + 1);
    pyr_out_text(out, "\nvalues ");
    pyr_out_number(out, (int32_t)playouts);
    pyr_out_text(out, by_points ? " points" : " win");
    for (unsigned i = 0; i < count; i++) {
        pyr_out_char(out, ' ');
        pyr_out_word(out, list[i].choice);
        pyr_out_char(out, '=');
        pyr_out_number(out, by_points ? list[i].points : list[i].win);
    }
    pyr_out_text(out, "\nrecord\n");
    for (uint32_t i = 0; i < begin; i++) {
        pyr_out_word(out, pyr_match_line(match, i));
        pyr_out_char(out, '\n');
    }
    return true;
}

/* The lines before the record. */
struct head {
    int32_t seat, playouts, solved;
    bool is_win, has_solved;
    struct pyr_word values;
    size_t solved_from, record;  /* where the line `record` begins; the record */
};

static bool read_head(struct pyr_lines *lines, struct head *head)
{
    struct pyr_word word;
    *head = (struct head){ .seat = 0 };
    lines->form = HEADER;
    if (!pyr_lines_header(lines, "pyramids-mistake", HEADER))
        return false;
    for (;;) {
        head->solved_from = lines->next;
        if (!pyr_lines_next(lines, false) || !pyr_lines_word(lines, &word))
            return false;
        if (pyr_word_is(word, "seat")) {
            if (!pyr_lines_number(lines, 1, PYR_MAX_SEATS, &head->seat))
                return false;
        } else if (pyr_word_is(word, "values")) {
            if (!pyr_lines_number(lines, 0, INT32_MAX, &head->playouts) || !pyr_lines_word(lines, &word))
                return false;
            head->is_win = pyr_word_is(word, "win");
            if (!pyr_lines_rest(lines, PYR_MAX_LINE, &head->values))
                return false;
        } else if (pyr_word_is(word, "solved")) {
            head->has_solved = true;
            if (!pyr_lines_number(lines, 0, INT32_MAX, &head->solved))
                return false;
        } else if (pyr_word_is(word, "record")) {
            head->record = lines->next;
            return head->seat && head->values.length ? true : pyr_lines_fail(lines, PYR_ERR_TEXT_MISSING, 0, word);
        } else {
            return pyr_lines_fail(lines, PYR_ERR_TEXT_KEYWORD, 1, word);
        }
    }
}

enum pyr_err pyr_mistake_open(struct pyr_puzzle_open *open, struct pyr_match *match, const struct pyr_edition *edition,
    const char *text, size_t size, struct pyr_fault *fault)
{
    struct pyr_lines lines;
    struct head head;
    struct pyr_rng rng;
    pyr_lines_init(&lines, text, size);
    if (!read_head(&lines, &head)) {
        if (fault)
            *fault = lines.fault;
        return lines.fault.code ? lines.fault.code : PYR_ERR_TEXT_END;
    }
    pyr_seat seat = (pyr_seat)(head.seat - 1);
    enum pyr_err code = pyr_match_load(match, edition, text + head.record, size - head.record, PYR_NOBODY, fault);
    if (code)
        return code;
    /* The cards to come do not matter for the puzzle; any order will do. */
    pyr_rng_seed(&rng, 1, 0);
    pyr_match_shuffle(match, &rng);
    const struct pyr_table *table = &match->replay.state.open;
    if (seat >= table->seats || !(pyr_match_waiting(match) >> seat & 1))
        return PYR_ERR_NOT_DUE;
    *open = (struct pyr_puzzle_open){ .count = 0 };
    open->puzzle.seats = table->seats;
    open->puzzle.seat = seat;
    open->puzzle.round = table->round;
    open->puzzle.turn = table->turn;
    open->puzzle.playouts = (uint32_t)head.playouts;
    open->is_win = head.is_win;
    pyr_match_view(match, seat, &open->view);
    code = puzzle_read_values(open, &edition->box, head.values);
    /* The analysis lists the best choices; any other choice is at most as good as the last one listed, apart from the one
     * that was made. */
    if (!code)
        open->bound = open->choice[open->count > 2 ? open->count - 2 : open->count - 1].value;
    return code;
}

bool pyr_mistake_solve(const char *text, size_t size, int32_t day, struct pyr_out *out)
{
    struct pyr_lines lines;
    struct head head;
    pyr_lines_init(&lines, text, size);
    if (!read_head(&lines, &head) || (head.has_solved && head.solved != day))
        return false;
    if (head.has_solved) {
        pyr_out_word(out, (struct pyr_word){ text, size });
        return true;
    }
    pyr_out_word(out, (struct pyr_word){ text, head.solved_from });
    pyr_out_text(out, "solved ");
    pyr_out_number(out, day);
    pyr_out_char(out, '\n');
    pyr_out_word(out, (struct pyr_word){ text + head.solved_from, size - head.solved_from });
    return true;
}
