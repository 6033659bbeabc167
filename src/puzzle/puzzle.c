/*
 * puzzle.c: reads puzzles and makes their positions (puzzle.h).
 *
 * The game of a puzzle is played by `greedy`, which makes one of twelve steps at random instead. Both bots and the generator
 * are frozen (tests/data/frozen.txt), so a seed is enough to make the position again.
 */
#include <pyramids/bots.h>
#include <pyramids/puzzle.h>

#include "inside.h"

#define SLIP 12                  /* one in this many steps is random */

static const struct {
    const char *name;
    char letter;
} themes[] = {
#define THEME(NAME, number, name, letter) [number] = { #name, letter },
    PYR_PUZZLE_THEMES(THEME)
#undef THEME
};

const char *pyr_puzzle_theme_name(unsigned theme)
{
    return theme < PYR_PUZZLE_THEME_COUNT ? themes[theme].name : NULL;
}

int pyr_puzzle_theme_find(const char *name)
{
    for (unsigned i = 0; i < PYR_PUZZLE_THEME_COUNT; i++)
        if (pyr_word_is(pyr_word_of(name), themes[i].name))
            return (int)i;
    return -1;
}

/* A line of a pack: NUMBER GAME SEATS ROUND TURN SEAT THEMES RATING CHECK PLAYOUTS VALUES. */

static bool read_themes(struct pyr_lines *lines, uint8_t *to)
{
    struct pyr_word word;
    *to = 0;
    if (!pyr_lines_word(lines, &word))
        return false;
    for (size_t i = 0; i < word.length; i++) {
        unsigned t = 0;
        while (t < PYR_PUZZLE_THEME_COUNT && themes[t].letter != word.at[i])
            t++;
        if (t == PYR_PUZZLE_THEME_COUNT)
            return pyr_lines_fail(lines, PYR_ERR_TEXT_KEYWORD, lines->at, word);
        *to = (uint8_t)(*to | 1u << t);
    }
    return true;
}

bool pyr_puzzle_begin(struct pyr_lines *lines, const char *text, size_t size, const char *edition)
{
    struct pyr_word word;
    int32_t version;
    pyr_lines_init(lines, text, size);
    lines->form = "pyramids-puzzles 1 EDITION";
    if (!pyr_lines_next(lines, false) || !pyr_lines_word(lines, &word))
        return false;
    if (!pyr_word_is(word, "pyramids-puzzles"))
        return pyr_lines_fail(lines, PYR_ERR_TEXT_HEADER, 0, word);
    if (!pyr_lines_number(lines, 1, 1, &version) || !pyr_lines_word(lines, &word))
        return false;
    if (!pyr_word_is(word, edition))
        return pyr_lines_fail(lines, PYR_ERR_RECORD_EDITION, 0, word);
    return pyr_lines_end(lines);
}

bool pyr_puzzle_read(struct pyr_puzzle *puzzle, struct pyr_lines *lines)
{
    int32_t number, game, seats, round, turn, seat, rating, check, playouts;
    uint8_t bits;
    lines->form = "NUMBER GAME SEATS ROUND TURN SEAT THEMES RATING CHECK PLAYOUTS VALUES";
    if (!pyr_lines_number(lines, 1, PYR_PUZZLES, &number) || !pyr_lines_number(lines, 0, INT32_MAX, &game) ||
        !pyr_lines_number(lines, PYR_MIN_SEATS, PYR_MAX_SEATS, &seats) ||
        !pyr_lines_number(lines, 1, PYR_ROUNDS, &round) || !pyr_lines_number(lines, 1, PYR_TURNS, &turn) ||
        !pyr_lines_number(lines, 1, seats, &seat) || !read_themes(lines, &bits) ||
        !pyr_lines_number(lines, 0, 4000, &rating) || !pyr_lines_number(lines, 0, UINT16_MAX, &check) ||
        !pyr_lines_number(lines, 0, INT32_MAX, &playouts))
        return false;
    *puzzle = (struct pyr_puzzle){ (uint32_t)number, (uint32_t)game, (uint8_t)seats, (uint8_t)(seat - 1),
        (uint8_t)(round - 1), (uint8_t)(turn - 1), bits, (uint16_t)rating, (uint16_t)check, (uint32_t)playouts,
        PYR_NO_WORD };
    if (pyr_lines_more(lines))
        return pyr_lines_rest(lines, PYR_MAX_LINE, &puzzle->values);
    return true;
}

/* Making the position. A seed has two streams: 0 deals, 1 plays. */

enum pyr_err pyr_puzzle_deal(struct pyr_puzzle_game *at, struct pyr_game *game, const struct pyr_edition *edition,
    unsigned seats, uint32_t seed, const char *const *names, const struct pyr_sink *sink)
{
    struct pyr_chance chance;
    struct pyr_rng rng;
    enum pyr_err code = pyr_game_begin(game, edition, seats, names, sink);
    pyr_rng_seed(&rng, seed, 0);
    pyr_rng_seed(&at->rng, seed, 1);
    at->game = game;
    at->sink = sink ? *sink : (struct pyr_sink){ NULL, NULL };
    if (code)
        return code;
    pyr_chance_draw(&chance, &edition->box, seats, &rng);
    return pyr_game_deal(game, &chance, sink);
}

/* Makes the choices of all who are waiting, lowest seat first; for a replacement, one card. */
enum pyr_err pyr_puzzle_play(struct pyr_puzzle_game *at)
{
    const struct pyr_bot *greedy = pyr_bot_find("greedy"), *random = pyr_bot_find("random");
    const struct pyr_sink *sink = at->sink.take ? &at->sink : NULL;
    unsigned waiting = pyr_game_waiting(at->game);
    for (unsigned seat = 0; waiting; seat++, waiting >>= 1) {
        enum pyr_err code = PYR_OK;
        if (!(waiting & 1))
            continue;
        for (unsigned i = 0; i < PYR_MAX_CHOICE && !code && !pyr_game_is_ready(at->game, (pyr_seat)seat); i++) {
            struct pyr_view view;
            pyr_game_view(at->game, (pyr_seat)seat, &view);
            const struct pyr_bot *bot = pyr_rng_below(&at->rng, SLIP) ? greedy : random;
            code = pyr_game_step(at->game, (pyr_seat)seat, bot->choose(NULL, &at->game->edition->box, &view, &at->rng, NULL),
                sink);
            if (view.open.phase == PYR_REPLACE)
                return code;                 /* it is seen by all at once, and so confirmed */
        }
        if (!code)
            code = pyr_game_confirm(at->game, (pyr_seat)seat, sink);
        if (code)
            return code;
    }
    return PYR_OK;
}

/* The check of a line is a hash of everything that the seat sees and that its choice depends on: if a bot, the generator or
 * the cards were different, nearly every position would be, too, and the puzzle is refused instead of shown wrongly. */
static uint32_t mix(uint32_t hash, uint64_t word)
{
    for (unsigned i = 0; i < 8; i++, word >>= 8)
        hash = (hash ^ (uint32_t)(word & 255)) * UINT32_C(16777619);         /* FNV-1a */
    return hash;
}

uint16_t pyr_puzzle_check(const struct pyr_game *game, pyr_seat seat)
{
    struct pyr_view view;
    uint32_t hash = UINT32_C(2166136261);
    pyr_game_view(game, seat, &view);
    for (unsigned s = 0; s < view.open.seats; s++)
        hash = mix(mix(mix(hash, view.open.desk[s].free), view.open.desk[s].tally), view.open.desk[s].done);
    hash = mix(hash, view.open.deck);
    for (unsigned i = 0; i < PYR_DISPLAY; i++)
        hash = mix(hash, view.open.display[i]);
    hash = mix(hash, view.open.revealed[view.open.turn]);
    return (uint16_t)(hash ^ hash >> 16);
}

/* Whether the game has reached the puzzle's decision. */
static bool is_there(const struct pyr_puzzle *puzzle, const struct pyr_table *open)
{
    bool card = puzzle->themes >> PYR_PUZZLE_CARD & 1;
    return open->round == puzzle->round && open->turn == puzzle->turn &&
        open->phase == (card ? PYR_REPLACE : PYR_MARK) && open->waiting >> puzzle->seat & 1;
}

/* Whether the game has passed that decision: the seat had nothing to decide then. */
static bool is_past(const struct pyr_puzzle *puzzle, const struct pyr_table *open)
{
    return open->phase == PYR_END || open->round > puzzle->round ||
        (open->round == puzzle->round && open->phase > PYR_REVEAL && open->turn > puzzle->turn);
}

static enum pyr_err make_position(struct pyr_match *match, const struct pyr_puzzle *puzzle,
    const struct pyr_edition *edition, const char *const *names)
{
    struct pyr_puzzle_game at;
    const struct pyr_sink sink = { pyr_log_take, &match->log };
    match->log.lines = 0;
    match->log.start[0] = 0;
    enum pyr_err code = pyr_puzzle_deal(&at, &match->game, edition, puzzle->seats, puzzle->game, names, &sink);
    while (!code) {
        const struct pyr_table *open = &match->replay.state.open;
        if (is_there(puzzle, open))
            return pyr_puzzle_check(&match->game, puzzle->seat) == puzzle->check ? PYR_OK : PYR_ERR_STATE;
        if (is_past(puzzle, open))
            return PYR_ERR_STATE;
        code = pyr_puzzle_play(&at);
    }
    return code;
}

/* The steps of a choice as text, played on the desk of the view. */
enum pyr_err puzzle_read_choice(const struct pyr_puzzle_open *open, const struct pyr_box *box, struct pyr_word text,
    struct pyr_puzzle_choice *to, struct pyr_fault *fault)
{
    const struct pyr_table *table = &open->view.open;
    struct pyr_desk desk = table->desk[open->view.seat];
    struct pyr_lines lines;
    struct pyr_event event;
    pyr_step steps[PYR_MAX_CHOICE];
    struct pyr_puzzle_choice choice = { .count = 0 };
    enum pyr_err code = PYR_OK;
    if (!pyr_choice_read(table->phase, text.at, text.length, &lines, &event)) {
        if (fault)
            *fault = lines.fault;
        return lines.fault.code;
    }
    unsigned count = pyr_choice_steps(&desk, &event, steps);
    if (!count)
        return PYR_ERR_NOT_ON_DESK;
    if (count > PYR_PUZZLE_EXTRAS + 1)
        return PYR_ERR_EXTRA_TOO_MANY;
    for (unsigned i = 0; i < count && !code; i++) {
        if (table->phase == PYR_MARK)
            code = !desk.due ? PYR_ERR_EXTRA_TOO_MANY :
                pyr_desk_mark(&desk, box, table->revealed[table->turn], table->round, steps[i]);
        if (i)
            choice.more[i - 1] = (uint8_t)__builtin_ctzll(steps[i]);
        else
            choice.first = steps[i];
    }
    if (code)
        return code;
    if (table->phase == PYR_MARK && desk.due)
        return PYR_ERR_EXTRA_MISSING;
    choice.count = (uint8_t)count;
    choice.end = desk;
    *to = choice;
    return PYR_OK;
}

/* A whole number, maybe below zero, at the end of a word. */
bool puzzle_read_value(struct pyr_word word, int32_t *to)
{
    int64_t value = 0;
    size_t i = word.length && word.at[0] == '-';
    if (i == word.length)
        return false;
    for (; i < word.length; i++) {
        if (word.at[i] < '0' || word.at[i] > '9' || value > 10000000)
            return false;
        value = value * 10 + (word.at[i] - '0');
    }
    *to = (int32_t)(word.at[0] == '-' ? -value : value);
    return true;
}

/* Words `CHOICE=VALUE`, best first; the last may be `*=VALUE`: all others are worth at most that. The text of a choice to
 * take or draw is its card or `draw`. */
enum pyr_err puzzle_read_values(struct pyr_puzzle_open *open, const struct pyr_box *box, struct pyr_word values)
{
    struct pyr_lines lines;
    struct pyr_word word;
    open->bound = INT32_MIN;
    pyr_lines_init(&lines, values.at, values.length);
    if (!pyr_lines_next(&lines, false))
        return PYR_ERR_TEXT_MISSING;
    while (pyr_lines_more(&lines) && pyr_lines_word(&lines, &word)) {
        size_t at = 0;
        int32_t value;
        while (at < word.length && word.at[at] != '=')
            at++;
        struct pyr_word text = { word.at, at };
        struct pyr_word number = { word.at + at + 1, at < word.length ? word.length - at - 1 : 0 };
        if (!puzzle_read_value(number, &value))
            return PYR_ERR_TEXT_NUMBER;
        if (pyr_word_is(text, "*")) {
            open->bound = value;
            continue;
        }
        if (open->count == PYR_PUZZLE_CHOICES)
            return PYR_ERR_TEXT_FULL;
        char spaced[PYR_CHOICE_SIZE];
        pyr_word_copy(text, spaced, sizeof spaced);
        for (char *c = spaced; *c; c++)
            *c = *c == '_' ? ' ' : *c;       /* a keep is two words */
        enum pyr_err code = puzzle_read_choice(open, box, pyr_word_of(spaced), &open->choice[open->count], NULL);
        if (code)
            return code;
        open->choice[open->count++].value = value;
    }
    return open->count ? lines.fault.code : PYR_ERR_TEXT_MISSING;
}

/* Exact puzzles have no values in their line: they are solved now, within PYR_PUZZLE_NODES. */
enum pyr_err pyr_puzzle_open(const struct pyr_puzzle *puzzle, struct pyr_puzzle_open *open, struct pyr_match *match,
    const struct pyr_edition *edition, const char *const *names)
{
    enum pyr_err code = make_position(match, puzzle, edition, names);
    if (code)
        return code;
    open->puzzle = *puzzle;
    open->puzzle.values = PYR_NO_WORD;
    open->count = 0;
    open->is_win = false;
    open->hints = open->tries = 0;
    pyr_match_view(match, puzzle->seat, &open->view);
    if (puzzle->playouts)
        return puzzle_read_values(open, &edition->box, puzzle->values);
    open->bound = INT32_MIN;
    open->count = pyr_puzzle_solve(&edition->box, &open->view, open->choice, PYR_PUZZLE_CHOICES, PYR_PUZZLE_NODES);
    return open->count ? PYR_OK : PYR_ERR_STATE;
}
