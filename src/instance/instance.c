/*
 * instance.c: an edition and a match; see instance.h. Bots and analyses are in thinking.c.
 *
 * Every function may be called in any order and with any numbers: without an edition or a match it returns 0, NULL or
 * an error, and seats and lines out of range are refused. match.edition is NULL while there is no match. Results that
 * are pointers are valid until the next call. One instance belongs to one thread at a time.
 */
#include "inside.h"

size_t pyr_instance_size(void)
{
    return sizeof(struct pyr_instance);
}

void pyr_instance_init(struct pyr_instance *i, pyr_instance_room room, void *context)
{
    __builtin_memset(i, 0, sizeof *i);
    i->room = room;
    i->context = context;
}

/* The edition. */

int32_t pyr_instance_read_edition(struct pyr_instance *i, const char *text, size_t size)
{
    enum pyr_err err = pyr_edition_read(&i->edition, text, size, &i->fault);
    pyr_instance_forget_tables(i);
    return err;
}

size_t pyr_instance_write_edition(const struct pyr_instance *i, char *to, size_t size)
{
    return pyr_edition_write(&i->edition, to, size);
}

uint32_t pyr_instance_sheets(uint32_t parts)
{
    const struct pyr_paper paper = { .parts = parts };
    return pyr_paper_sheets(&paper);
}

size_t pyr_instance_sheet(const struct pyr_instance *i, uint32_t sheet, uint32_t paper, uint32_t parts, bool is_coloured,
    const char *words, char *to, size_t size)
{
    const struct pyr_paper how = { paper ? PYR_PAPER_LETTER : PYR_PAPER_A4, parts, is_coloured, words };
    return pyr_paper_write(&how, &i->edition, sheet, to, size);
}

const struct pyr_edition *pyr_instance_edition(const struct pyr_instance *i) { return &i->edition; }

uint32_t pyr_instance_fault_line(const struct pyr_instance *i) { return i->fault.line; }
uint32_t pyr_instance_fault_column(const struct pyr_instance *i) { return i->fault.column; }
const char *pyr_instance_fault_word(const struct pyr_instance *i) { return i->fault.word; }
const char *pyr_instance_fault_expected(const struct pyr_instance *i) { return i->fault.expected; }

int32_t pyr_instance_fault_number(const struct pyr_instance *i, uint32_t index)
{
    return index < 3 ? i->fault.number[index] : 0;
}

size_t pyr_instance_story(const struct pyr_instance *i, const char *text, size_t text_size, char *to, size_t size)
{
    struct pyr_lines lines;
    struct pyr_event event;
    struct pyr_sentence sentence[PYR_MAX_SENTENCES];
    struct pyr_out out;
    pyr_lines_init(&lines, text, text_size);
    if (!pyr_lines_next(&lines, false) || !pyr_event_read(&event, &i->edition, &lines))
        return 0;
    unsigned count = pyr_story_read(&event, &i->edition.box, sentence);
    pyr_out_init(&out, to, size);
    for (const struct pyr_sentence *s = sentence; s < sentence + count; s++) {
        const int32_t head[] = { s->kind, s->seat, (int32_t)s->spaces };
        for (unsigned n = 0; n < 3u + s->count; n++) {
            if (n)
                pyr_out_char(&out, ' ');
            pyr_out_number(&out, n < 3 ? head[n] : s->number[n - 3]);
        }
        pyr_out_char(&out, '\n');
    }
    return out.length;
}

/* A match. */

/* Copies the lines of a text into names; a line that is too long is cut, and then refused by pyr_match_init. */
static void read_names(const char *text, uint32_t seats, char name[][PYR_MAX_PLAYER_NAME + 2])
{
    for (uint32_t s = 0; s < seats; s++) {
        size_t length = 0;
        for (; *text && *text != '\n'; text++)
            if (length <= PYR_MAX_PLAYER_NAME)
                name[s][length++] = *text;
        name[s][length] = '\0';
        text += *text == '\n';
    }
}

int32_t pyr_instance_start(struct pyr_instance *i, uint32_t seats, const char *names, uint64_t seed)
{
    char name[PYR_MAX_SEATS][PYR_MAX_PLAYER_NAME + 2];
    const char *list[PYR_MAX_SEATS] = { name[0], name[1], name[2], name[3] };
    struct pyr_chance chance;
    struct pyr_rng rng;
    i->match.edition = NULL;
    if (!i->edition.box.pattern[0].turns || !pyr_options_has_seats(&pyr_rulebook, seats))
        return PYR_ERR_SEATS;
    read_names(names, seats, name);
    pyr_rng_seed(&rng, seed, 0);
    pyr_chance_draw(&chance, &i->edition.box, seats, &rng);
    enum pyr_err err = pyr_match_init(&i->match, &i->edition, seats, list, &chance);
    if (err)
        i->match.edition = NULL;
    return err;
}

int32_t pyr_instance_load(struct pyr_instance *i, const char *text, size_t size, uint32_t viewer)
{
    i->match.edition = NULL;
    enum pyr_err err = pyr_match_load(&i->match, &i->edition, text, size, (pyr_seat)viewer, &i->fault);
    if (err)
        i->match.edition = NULL;
    return err;
}

void pyr_instance_shuffle(struct pyr_instance *i, uint64_t seed)
{
    struct pyr_rng rng;
    pyr_rng_seed(&rng, seed, 0);
    if (has_match(i))
        pyr_match_shuffle(&i->match, &rng);
}

uint32_t pyr_instance_seats(const struct pyr_instance *i) { return has_match(i) ? i->match.replay.seats : 0; }
uint32_t pyr_instance_is_over(const struct pyr_instance *i) { return has_match(i) && pyr_match_is_over(&i->match); }
uint32_t pyr_instance_waiting(const struct pyr_instance *i) { return has_match(i) ? pyr_match_waiting(&i->match) : 0; }
const char *pyr_instance_log(const struct pyr_instance *i) { return has_match(i) ? i->match.log.text : ""; }
uint32_t pyr_instance_lines(const struct pyr_instance *i) { return has_match(i) ? i->match.log.lines : 0; }

uint32_t pyr_instance_line_is_visible(const struct pyr_instance *i, uint32_t line, uint32_t seat)
{
    return has_match(i) && pyr_match_line_is_visible(&i->match, line, (pyr_seat)seat);
}

int32_t pyr_instance_tag(struct pyr_instance *i, const char *name, const char *value)
{
    return has_match(i) ? pyr_match_tag(&i->match, name, value) : PYR_ERR_NOT_DUE;
}

/* Views. */

const struct pyr_view *pyr_instance_view(struct pyr_instance *i, uint32_t seat)
{
    if (!has_match(i) || i->match.replay.stage < PYR_STAGE_PLAY)
        return NULL;
    pyr_match_view(&i->match, (pyr_seat)seat, &i->view);
    return &i->view;
}

const struct pyr_view *pyr_instance_view_at(struct pyr_instance *i, uint32_t lines, uint32_t seat)
{
    struct pyr_replay replay;
    if (!has_match(i) || pyr_match_replay(&i->match, lines, &replay) || replay.stage < PYR_STAGE_PLAY)
        return NULL;
    pyr_view_init(&i->view, &replay.state, (pyr_seat)seat);
    return &i->view;
}

const struct pyr_score *pyr_instance_view_score(struct pyr_instance *i, uint32_t seat, uint32_t mine)
{
    const struct pyr_table *open = &i->view.open;
    pyr_seat of = (pyr_seat)(seat & 3);
    i->score = mine && i->view.seat == seat ? pyr_desk_score(&i->view.mine, &i->edition.box, pyr_table_points(open, of))
        : pyr_table_score(open, &i->edition.box, of);
    return &i->score;
}

uint32_t pyr_instance_view_winners(const struct pyr_instance *i)
{
    return pyr_table_winners(&i->view.open, &i->edition.box);
}

/* Choices. */

uint32_t pyr_instance_steps(struct pyr_instance *i, uint32_t seat)
{
    struct pyr_steps steps;
    if (!has_match(i))
        return 0;
    pyr_match_steps(&i->match, (pyr_seat)seat, &steps);
    uint32_t count = steps.count < STEP_LIST ? steps.count : STEP_LIST;
    for (uint32_t k = 0; k < count; k++)
        i->list[k] = pyr_steps_at(&steps, &i->edition.box, k);
    return count;
}

const uint64_t *pyr_instance_step_list(const struct pyr_instance *i) { return i->list; }

uint32_t pyr_instance_made(const struct pyr_instance *i, uint32_t seat)
{
    return has_match(i) && seat < PYR_MAX_SEATS ? i->match.choice[seat].count : 0;
}

uint64_t pyr_instance_made_at(const struct pyr_instance *i, uint32_t seat, uint32_t index)
{
    return index < pyr_instance_made(i, seat) ? pyr_pending_step(&i->match.choice[seat], index) : 0;
}

size_t pyr_instance_choice(const struct pyr_instance *i, uint32_t seat, char *to, size_t size)
{
    struct pyr_out out;
    pyr_out_init(&out, to, size);
    if (pyr_instance_made(i, seat))
        pyr_game_write_choice(&i->match.game, (pyr_seat)seat, &out);
    return out.length;
}

uint32_t pyr_instance_is_confirmed(const struct pyr_instance *i, uint32_t seat)
{
    return has_match(i) && seat < PYR_MAX_SEATS && i->match.choice[seat].confirmed;
}

uint32_t pyr_instance_is_ready(const struct pyr_instance *i, uint32_t seat)
{
    return has_match(i) && pyr_match_is_ready(&i->match, (pyr_seat)seat);
}

/* A mark is checked on the seat's present desk, with what was placed in this turn; other steps are checked with the
 * state. */
int32_t pyr_instance_check(const struct pyr_instance *i, uint32_t seat, uint64_t step)
{
    struct pyr_view now;
    if (!has_match(i))
        return PYR_ERR_NOT_DUE;
    pyr_match_view(&i->match, (pyr_seat)seat, &now);
    if (now.open.phase == PYR_MARK && seat < now.open.seats && pyr_step_kind(step) == PYR_STEP_MARK)
        return pyr_desk_check_mark(&now.mine, &i->edition.box, now.open.revealed[now.open.turn], step);
    return pyr_state_check_step(&i->match.replay.state, &i->edition.box, (pyr_seat)seat, step);
}

int32_t pyr_instance_preview(struct pyr_instance *i, uint32_t seat, uint64_t step)
{
    const struct pyr_table *open = &i->view.open;
    if (!has_match(i) || seat >= i->match.replay.seats)
        return PYR_ERR_NOT_DUE;
    pyr_match_view(&i->match, (pyr_seat)seat, &i->view);
    struct pyr_desk desk = i->view.mine;
    enum pyr_err err = pyr_desk_mark(&desk, &i->edition.box, open->revealed[open->turn], open->round, step);
    if (err)
        return err;
    i->preview = desk;
    i->preview_score = pyr_desk_score(&desk, &i->edition.box, pyr_table_points(open, (pyr_seat)seat));
    return PYR_OK;
}

const struct pyr_desk *pyr_instance_preview_desk(const struct pyr_instance *i) { return &i->preview; }
const struct pyr_score *pyr_instance_preview_score(const struct pyr_instance *i) { return &i->preview_score; }

/* The pattern that a seat has to mark, with its desk in i->view; false if it has nothing to mark. */
static bool is_aiming(struct pyr_instance *i, uint32_t seat, uint32_t slot, uint32_t space, pyr_pattern *pattern)
{
    if (!has_match(i) || seat >= i->match.replay.seats || slot >= PYR_SLOTS || space >= PYR_SIDE * PYR_SIDE)
        return false;
    pyr_match_view(&i->match, (pyr_seat)seat, &i->view);
    *pattern = i->view.open.revealed[i->view.open.turn];
    return i->view.open.phase == PYR_MARK && i->view.mine.due;
}

uint32_t pyr_instance_covering(struct pyr_instance *i, uint32_t seat, uint32_t turn, uint32_t single, uint32_t slot,
    uint32_t space)
{
    const struct pyr_aim aim = { .turn = turn & 7, .single = single != 0 };
    pyr_pattern pattern;
    if (!is_aiming(i, seat, slot, space, &pattern))
        return 0;
    return pyr_aim_covering(&aim, &i->edition.box, &i->view.mine, pattern, slot, space / PYR_SIDE, space % PYR_SIDE,
        i->list);
}

int32_t pyr_instance_cover(struct pyr_instance *i, uint32_t seat, uint32_t turn, uint32_t single, uint32_t slot,
    uint32_t space)
{
    struct pyr_aim aim = { .turn = turn & 7, .single = single != 0 };
    pyr_pattern pattern;
    if (!is_aiming(i, seat, slot, space, &pattern))
        return PYR_ERR_NOT_DUE;
    pyr_aim_cover(&aim, &i->edition.box, &i->view.mine, pattern, slot, space / PYR_SIDE, space % PYR_SIDE, false);
    i->list[0] = pyr_aim_step(&aim, &i->edition.box, pattern);
    return pyr_aim_check(&aim, &i->edition.box, &i->view.mine, pattern);
}

uint32_t pyr_instance_snap(struct pyr_instance *i, uint32_t seat, uint32_t turn, uint32_t single, uint32_t slot,
    int32_t row, int32_t column)
{
    struct pyr_aim aim = { .turn = turn & 7, .single = single != 0 };
    pyr_pattern pattern;
    if (!is_aiming(i, seat, slot, 0, &pattern) ||
        !pyr_aim_snap(&aim, &i->edition.box, &i->view.mine, pattern, slot, row, column))
        return 0;
    i->list[0] = pyr_aim_step(&aim, &i->edition.box, pattern);
    return 1;
}

uint32_t pyr_instance_turn_placed(struct pyr_instance *i, uint32_t seat, uint32_t turn, int32_t quarters, uint64_t step)
{
    const struct pyr_box *box = &i->edition.box;
    struct pyr_aim aim = { .turn = turn & 7 };
    pyr_pattern pattern;
    i->list[0] = 0;
    if (!is_aiming(i, seat, 0, 0, &pattern))
        return UINT8_MAX;
    if ((step && !pyr_aim_hold(&aim, box, pattern, step)) ||
        !pyr_aim_turn_placed(&aim, box, step ? &i->view.mine : NULL, pattern, quarters))
        return UINT8_MAX;
    i->list[0] = pyr_aim_step(&aim, box, pattern);
    return aim.turn;
}

uint32_t pyr_instance_apart(struct pyr_instance *i, uint32_t seat, uint32_t turn, uint32_t spaces)
{
    pyr_pattern pattern;
    unsigned nearest = turn & 7;
    if (!is_aiming(i, seat, 0, 0, &pattern))
        return 8 * PYR_AIM_NOT_ALIKE + nearest;
    return 8 * pyr_aim_apart(&i->edition.box, pattern, turn & 7, spaces & PYR_ALL_SPACES, &nearest) + nearest;
}

uint32_t pyr_instance_paint(struct pyr_instance *i, uint32_t seat, uint32_t turn, uint32_t single, uint32_t slot,
    uint32_t painted, uint32_t space)
{
    const struct pyr_aim aim = { .turn = turn & 7, .single = single != 0 };
    struct pyr_paint paint = { painted & PYR_ALL_SPACES, (uint8_t)slot };
    pyr_pattern pattern;
    i->list[0] = 0;
    if (!is_aiming(i, seat, slot, space, &pattern))
        return 0;
    if (!pyr_aim_paint(&aim, &i->edition.box, &i->view.mine, pattern, &paint, slot, space / PYR_SIDE, space % PYR_SIDE,
        i->list))
        i->list[0] = 0;
    return paint.spaces;
}

int32_t pyr_instance_step(struct pyr_instance *i, uint32_t seat, uint64_t step)
{
    return has_match(i) ? pyr_match_step(&i->match, (pyr_seat)seat, step) : PYR_ERR_NOT_DUE;
}

int32_t pyr_instance_undo(struct pyr_instance *i, uint32_t seat)
{
    return has_match(i) ? pyr_match_undo(&i->match, (pyr_seat)seat) : PYR_ERR_NO_UNDO;
}

int32_t pyr_instance_confirm(struct pyr_instance *i, uint32_t seat)
{
    return has_match(i) ? pyr_match_confirm(&i->match, (pyr_seat)seat) : PYR_ERR_NOT_DUE;
}

int32_t pyr_instance_retract(struct pyr_instance *i, uint32_t seat)
{
    return has_match(i) ? pyr_match_retract(&i->match, (pyr_seat)seat) : PYR_ERR_NO_UNDO;
}

int32_t pyr_instance_choose(struct pyr_instance *i, uint32_t seat, const char *text)
{
    return has_match(i) ? pyr_match_choose(&i->match, (pyr_seat)seat, text, &i->fault) : PYR_ERR_NOT_DUE;
}

/* The fair shuffle. */

int32_t pyr_instance_verify(struct pyr_instance *i, const char *text, size_t size)
{
    return (int32_t)pyr_fair_verify(&i->edition, text, size, &i->report);
}

uint32_t pyr_instance_verify_line(const struct pyr_instance *i) { return i->report.line; }

uint32_t pyr_instance_verify_compared(const struct pyr_instance *i)
{
    return i->report.deals + i->report.shows + i->report.reveals + i->report.draws;
}
