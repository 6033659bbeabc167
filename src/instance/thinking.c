/*
 * thinking.c: bots, hints and the analysis of a game, on the match of an instance; see instance.h. All of them take
 * time: a page calls them in a worker, which it can terminate at any moment.
 */
#include "inside.h"

static const char analysis;      /* its address stands for the analysis in ready_for */

/* The memory with the tables of `who`, for the present edition; NULL without an edition or memory. */
static void *prepared(struct pyr_instance *i, const void *who, size_t size, void (*prepare)(void *, const struct pyr_box *))
{
    if (!i->edition.box.pattern[0].turns)
        return NULL;                         /* no edition yet */
    if (i->ready_for != who) {
        i->memory = i->room ? i->room(i->context, size ? size : 16) : NULL;
        i->ready_for = i->memory ? who : NULL;
        if (i->memory && prepare)
            prepare(i->memory, &i->edition.box);
    }
    return i->memory;
}

static void *analysing(struct pyr_instance *i)
{
    return prepared(i, &analysis, pyr_analysis_memory(&i->edition.box), pyr_analysis_prepare);
}

void pyr_instance_forget_tables(struct pyr_instance *i)
{
    i->ready_for = NULL;
}

/* The choice is made on the match, written as text and taken back again: the caller submits the text. A step that
 * replaces a card cannot be taken back, so it is not made. */
size_t pyr_instance_bot_choice(struct pyr_instance *i, uint32_t index, uint32_t seat, uint64_t nodes, uint64_t seed,
    char *to, size_t size)
{
    const struct pyr_bot *bot = pyr_bot_at(index);
    const struct pyr_budget budget = { nodes, NULL, NULL };
    const struct pyr_box *box = &i->edition.box;
    pyr_step made[PYR_MAX_CHOICE];
    unsigned count = 0;
    struct pyr_out out;
    struct pyr_rng rng;
    struct pyr_view view;
    if (!bot || seat >= pyr_instance_seats(i) || !(pyr_instance_waiting(i) >> seat & 1))
        return 0;
    void *memory = prepared(i, bot, bot->memory(box), bot->prepare);
    pyr_game_clear(&i->match.game, (pyr_seat)seat);
    if (!memory)
        return 0;
    do {
        pyr_match_view(&i->match, (pyr_seat)seat, &view);
        pyr_daily_rng(seed, (pyr_seat)seat, count, &rng);
        made[count++] = bot->choose(memory, box, &view, &rng, &budget);
        if (view.open.phase == PYR_REPLACE)
            break;                           /* everyone would see it */
    } while (count < PYR_MAX_CHOICE && !pyr_match_step(&i->match, (pyr_seat)seat, made[count - 1]) &&
        !pyr_match_is_ready(&i->match, (pyr_seat)seat));
    pyr_game_clear(&i->match.game, (pyr_seat)seat);
    pyr_out_init(&out, to, size);
    pyr_choice_write(made, count, &i->match.replay.state.open.desk[seat], &out);
    return out.length;
}

/* A number in hundredths, or ten-thousandths, as a whole number. */
static void out_scaled(struct pyr_out *out, float value, float scale)
{
    pyr_out_char(out, '\t');
    pyr_out_number(out, (int32_t)(value * scale + (value < 0 ? -0.5f : 0.5f)));
}

/* Reads the steps of a choice from its text, if it is complete and legal. */
static bool read_made(const struct pyr_box *box, const struct pyr_state *state, pyr_seat seat, const char *text,
    struct pyr_option *made)
{
    const struct pyr_table *open = &state->open;
    struct pyr_desk desk = state->desk[seat];
    struct pyr_lines lines;
    struct pyr_event event;
    size_t length = 0;
    *made = (struct pyr_option){ .count = 0 };
    while (text && text[length])
        length++;
    if (length && pyr_choice_read(open->phase, text, length, &lines, &event))
        made->count = (uint8_t)pyr_choice_steps(&desk, &event, made->step);
    if (!made->count || open->phase != PYR_MARK)
        return made->count && !pyr_state_check_step(state, box, seat, made->step[0]);
    for (unsigned k = 0; k < made->count; k++)
        if (pyr_desk_mark(&desk, box, open->revealed[open->turn], open->round, made->step[k]))
            return false;
    return !desk.due;
}

uint32_t pyr_instance_options(struct pyr_instance *i, uint32_t lines, uint32_t seat, uint32_t playouts, uint64_t seed,
    const char *made, char *to, size_t size)
{
    struct pyr_option *list = i->option, own;
    const struct pyr_box *box = &i->edition.box;
    struct pyr_replay replay;
    struct pyr_view view;
    struct pyr_rng rng;
    struct pyr_out out;
    if (seat >= pyr_instance_seats(i) || pyr_match_replay(&i->match, lines, &replay) || replay.stage != PYR_STAGE_PLAY ||
        replay.due_points || !(replay.state.open.waiting >> seat & 1))
        return 0;
    void *memory = analysing(i);
    bool known = read_made(box, &replay.state, (pyr_seat)seat, made, &own);
    if (!memory)
        return 0;
    pyr_view_init(&view, &replay.state, (pyr_seat)seat);
    pyr_rng_seed(&rng, seed, 0);
    unsigned count = pyr_analysis_options(memory, box, &view, playouts, &rng, known ? &own : NULL, list, PYR_MAX_OPTIONS);
    pyr_out_init(&out, to, size);
    for (unsigned k = 0; k < count; k++) {
        pyr_choice_write(list[k].step, list[k].count, &view.mine, &out);
        out_scaled(&out, list[k].points, 100);
        out_scaled(&out, list[k].win, 10000);
        out_scaled(&out, list[k].points_margin, 100);
        out_scaled(&out, list[k].win_margin, 10000);
        pyr_out_text(&out, list[k].usual ? "\t1" : "\t0");
        pyr_out_text(&out, known && pyr_choice_is_same(list[k].step, list[k].count, own.step,
            own.count) ? "\t1\n" : "\t0\n");
    }
    return count;
}

/* Luck and skill. */

uint32_t pyr_instance_luck_begin(struct pyr_instance *i, uint32_t playouts, uint64_t seed)
{
    struct luck *luck = &i->luck;
    luck->how = (struct pyr_luck_how){ &i->edition.box, analysing(i), playouts, seed };
    luck->found = luck->next = luck->chances = 0;
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        luck->sum[s] = (struct pyr_luck_sum){ 0 };
    pyr_luck_begin(&luck->log, &i->edition);
    return luck->how.memory && has_match(i);
}

/* One task per call, so that a page can show progress and stop in between. 0: all are done, and the sums complete. */
uint32_t pyr_instance_luck_next(struct pyr_instance *i)
{
    struct luck *luck = &i->luck;
    if (!has_match(i) || !luck->how.memory)
        return 0;
    while (luck->next == luck->found && luck->log.line < i->match.log.lines) {
        luck->found = pyr_luck_follow(&luck->log, pyr_match_line(&i->match, luck->log.line), luck->task);
        luck->next = 0;
    }
    if (luck->next == luck->found) {
        pyr_luck_finish(luck->sum, &i->edition.box, &i->match.replay.state.open, NULL);
        return 0;
    }
    const struct pyr_luck_task *task = &luck->task[luck->next++];
    if (task->is_chance) {
        pyr_luck_measure(&luck->how, task, &luck->chance);
        pyr_luck_add_chance(luck->sum, &luck->chance, !luck->chances++);
        return PYR_INSTANCE_CHANCE;
    }
    pyr_luck_decide(&luck->how, task, &luck->decision);
    pyr_luck_add_decision(luck->sum, &luck->decision, true);
    return PYR_INSTANCE_DECISION;
}

const struct pyr_luck_decision *pyr_instance_luck_decision(const struct pyr_instance *i) { return &i->luck.decision; }
const struct pyr_luck_chance *pyr_instance_luck_chance(const struct pyr_instance *i) { return &i->luck.chance; }

const struct pyr_luck_sum *pyr_instance_luck_sum(const struct pyr_instance *i, uint32_t seat)
{
    return &i->luck.sum[seat & 3];
}

size_t pyr_instance_luck_choice(const struct pyr_instance *i, uint32_t index, char *to, size_t size)
{
    const struct pyr_luck_decision *d = &i->luck.decision;
    const struct pyr_option *option = index < d->bests ? &d->best[index] : &d->made;
    struct pyr_out out;
    pyr_out_init(&out, to, size);
    if (i->luck.next)
        pyr_choice_write(option->step, option->count, &i->luck.task[i->luck.next - 1].state.open.desk[d->seat], &out);
    return out.length;
}

const char *pyr_instance_luck_level(const struct pyr_instance *i, uint32_t seat)
{
    return pyr_luck_level(i->luck.sum[seat & 3].rate);
}
