/*
 * replay.c: replays a record line by line: which line may follow, of which seat, and whether the rules allow it. Derived
 * lines (points, score, winner) are computed and compared.
 *
 * Invariants:
 *  1. A line that is refused changes nothing: pyr_replay_event works on a copy and installs it only on success.
 *  2. replay->state is valid from PYR_STAGE_PLAY on. Until all have kept, it is rebuilt from the deals and keeps after each
 *     of them, since a view lacks the deals of the others and their cards are only known once they are kept.
 *  3. Lines for due points (due_points) come right after the line that earned them, before anything else.
 *
 * There are two ways through a game. A reader calls pyr_replay_event, which checks every line and supplies chance from it; a
 * player calls pyr_replay_advance and pyr_replay_choice, which trust a state whose chance is known and produce the lines.
 */
#include <pyramids/choice.h>

void pyr_replay_init(struct pyr_replay *replay, pyr_seat viewer)
{
    *replay = (struct pyr_replay){ .stage = PYR_STAGE_HEADER, .viewer = viewer };
}

/* Whether a seat's deal is in these lines: a view has only that of its own seat. */
static bool is_told(const struct pyr_replay *replay, unsigned seat)
{
    return replay->viewer == PYR_NOBODY || replay->viewer == seat || replay->dealt >> seat & 1;
}

/* The seat whose deal comes next, or the number of seats. */
static unsigned next_deal(const struct pyr_replay *replay)
{
    unsigned seat = 0;
    while (seat < replay->seats && (replay->dealt >> seat & 1 || !is_told(replay, seat)))
        seat++;
    return seat;
}

/* True: the line is determined, and *event is complete. False: *event has only its kind and seat, since a player or
 * chance decides the rest; PYR_EVENT_KINDS if nothing may follow. */
bool pyr_replay_expected(const struct pyr_replay *replay, const struct pyr_edition *edition, struct pyr_event *event)
{
    const struct pyr_table *open = &replay->state.open;
    static const uint8_t kind_of[] = {
        [PYR_KEEP] = PYR_EVENT_KEEP, [PYR_SHOW] = PYR_EVENT_SHOW, [PYR_REVEAL] = PYR_EVENT_REVEAL,
        [PYR_MARK] = PYR_EVENT_MARK, [PYR_REPLACE] = PYR_EVENT_TAKE
    };
    *event = (struct pyr_event){ .kind = PYR_EVENT_KINDS, .seat = PYR_NOBODY, .name = PYR_NO_WORD, .value = PYR_NO_WORD };
    switch (replay->stage) {
    case PYR_STAGE_HEADER:
        event->kind = PYR_EVENT_HEADER;
        return true;
    case PYR_STAGE_EDITION:
        event->kind = PYR_EVENT_EDITION;
        event->name = (struct pyr_word){ edition->name, 0 };
        while (edition->name[event->name.length])
            event->name.length++;
        return true;
    case PYR_STAGE_PLAYERS:
        event->kind = PYR_EVENT_PLAYER;
        event->seat = replay->seats;
        return false;
    case PYR_STAGE_DEAL:
        event->kind = PYR_EVENT_DEAL;
        event->seat = (pyr_seat)next_deal(replay);
        return false;
    case PYR_STAGE_OVER:
        return false;
    }
    if (replay->due_points) {
        event->kind = PYR_EVENT_POINTS;
        event->seat = replay->points[replay->next_points].seat;
        event->colour = replay->points[replay->next_points].colour;
        event->points = replay->points[replay->next_points].points;
        return true;
    }
    if (open->phase == PYR_END) {
        if (replay->scored < replay->seats) {
            event->kind = PYR_EVENT_SCORE;
            event->seat = replay->scored;
            event->score = pyr_table_score(open, &edition->box, event->seat);
        } else {
            event->kind = PYR_EVENT_WINNER;
            event->winners = (uint8_t)pyr_table_winners(open, &edition->box);
        }
        return true;
    }
    event->kind = (enum pyr_event_kind)kind_of[open->phase];
    if (open->waiting)
        event->seat = (pyr_seat)__builtin_ctz(open->waiting);
    return false;
}

/* The line that is being applied. `replay` is the state before it, which messages refer to; `fault` may be NULL. */
struct follow {
    const struct pyr_edition *edition;
    const struct pyr_replay *replay;
    const struct pyr_event *event;
    struct pyr_fault *fault;
};

/* Writes the line that is expected here; if it is not determined, its form with the seat. */
static void write_expected(const struct follow *j)
{
    struct pyr_event event;
    struct pyr_out out;
    pyr_out_init(&out, j->fault->expected, sizeof j->fault->expected);
    bool determined = pyr_replay_expected(j->replay, j->edition, &event);
    if (determined) {
        pyr_event_write(&event, j->edition, &out);
        return;
    }
    static const struct {
        const char *before, *after;
    } form[PYR_EVENT_KINDS + 1] = {
        [PYR_EVENT_PLAYER] = { "player ", " NAME" }, [PYR_EVENT_DEAL] = { "deal ", " C C C C" },
        [PYR_EVENT_KEEP] = { "keep ", " C C" },      [PYR_EVENT_SHOW] = { "show", "" },
        [PYR_EVENT_REVEAL] = { "reveal PATTERN", "" }, [PYR_EVENT_MARK] = { "mark ", " MOVE" },
        [PYR_EVENT_TAKE] = { "take ", " C" },
    };
    if (event.kind == PYR_EVENT_PLAYER && event.seat >= pyr_rulebook.min_seats) {
        pyr_out_text(&out, event.seat < pyr_rulebook.max_seats ? "player SEAT NAME, deal 1 C C C C" : "deal 1 C C C C");
        return;
    }
    if (!form[event.kind].before)
        return;
    pyr_out_text(&out, form[event.kind].before);
    if (event.seat != PYR_NOBODY)
        pyr_out_number(&out, event.seat + 1);
    pyr_out_text(&out, form[event.kind].after);
    if (event.kind == PYR_EVENT_SHOW)
        for (unsigned i = 0; i < pyr_state_show_count(&j->replay->state); i++)
            pyr_out_text(&out, " C");
    if (event.kind == PYR_EVENT_TAKE) {
        pyr_out_text(&out, ", draw ");
        pyr_out_number(&out, event.seat + 1);
        pyr_out_text(&out, " C");
    }
}

/* The seat is the third number of every fault; the caller of pyr_record_read adds the line. The expected line is
 * included. */
static enum pyr_err fail(const struct follow *j, enum pyr_err code, int32_t a, int32_t b, struct pyr_word word)
{
    struct pyr_fault *fault = j->fault;
    if (!fault)
        return code;
    *fault = (struct pyr_fault){ .code = code, .number = { a, b, j->event->seat + 1 } };
    pyr_word_copy(word, fault->word, sizeof fault->word);
    write_expected(j);
    return code;
}

static enum pyr_err fail_here(const struct follow *j, enum pyr_err code)
{
    return fail(j, code, 0, 0, PYR_NO_WORD);
}

/*
 * Rebuilds the state of a game during the set-up from what is known (invariant 2). Seats whose deal is not in these lines
 * get any cards that no player is known to have: only the cards that are kept matter later.
 */
static void rebuild_setup(const struct pyr_edition *edition, struct pyr_replay *replay)
{
    struct pyr_chance chance;
    pyr_cardset known = 0;
    for (unsigned i = 0; i < PYR_CARDS; i++)
        chance.deck[i] = (pyr_card)i;
    for (unsigned i = 0; i < PYR_ROUNDS * PYR_EXPEDITIONS; i++)
        chance.expedition[i / PYR_EXPEDITIONS][i % PYR_EXPEDITIONS] = edition->box.expedition[i % PYR_EXPEDITIONS];
    for (unsigned s = 0; s < replay->seats; s++) {
        for (unsigned i = 0; i < PYR_DEALT && replay->dealt >> s & 1; i++)
            known |= PYR_CARD_BIT(replay->deal[s][i]);
        for (unsigned i = 0; i < PYR_KEPT && replay->kept >> s & 1; i++)
            known |= PYR_CARD_BIT(replay->keep[s][i]);
    }
    pyr_card spare = 0;
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++) {
        for (unsigned i = 0; i < PYR_DEALT; i++) {
            pyr_card card = PYR_NO_CARD;
            if (s < replay->seats && replay->dealt >> s & 1) {
                card = replay->deal[s][i];
            } else if (s < replay->seats && replay->kept >> s & 1 && i < PYR_KEPT) {
                card = replay->keep[s][i];
            } else if (s < replay->seats) {
                while (known >> spare & 1)
                    spare++;
                card = spare++;
            }
            chance.dealt[s][i] = card;
        }
    }
    if (pyr_state_init(&replay->state, &edition->box, replay->seats, &chance))
        return;
    for (unsigned s = 0; s < replay->seats; s++)
        if (replay->kept >> s & 1)
            pyr_state_apply(&replay->state, &edition->box, (pyr_seat)s,
                pyr_step_keep(replay->keep[s][0], replay->keep[s][1]));
}

/* The points that a change of the table gave, in the order of their lines. */
static void note_points(struct pyr_replay *replay, const struct pyr_table *before)
{
    const struct pyr_table *after = &replay->state.open;
    replay->due_points = replay->next_points = 0;
    for (unsigned colour = 0; colour < PYR_COLOURS; colour++) {
        for (unsigned place = 0; place < PYR_TILES; place++) {
            if (after->tile[colour][place] == before->tile[colour][place])
                continue;
            unsigned i = replay->due_points++;
            replay->points[i].seat = after->tile[colour][place];
            replay->points[i].colour = (uint8_t)colour;
            replay->points[i].points = (uint8_t)pyr_tile_value(place);
        }
    }
}

/* With the last deal in these lines, the game begins. */
static enum pyr_err apply_deal(const struct follow *j, struct pyr_replay *replay)
{
    const struct pyr_event *event = j->event;
    pyr_cardset taken = 0;
    for (unsigned s = 0; s < replay->seats; s++)
        for (unsigned i = 0; i < PYR_DEALT && replay->dealt >> s & 1; i++)
            taken |= PYR_CARD_BIT(replay->deal[s][i]);
    for (unsigned i = 0; i < PYR_DEALT; i++) {
        if (taken & PYR_CARD_BIT(event->card[i]))
            return fail(j, PYR_ERR_RECORD_DEALT, event->card[i] + 1, 0, PYR_NO_WORD);
        taken |= PYR_CARD_BIT(event->card[i]);
        replay->deal[event->seat][i] = event->card[i];
    }
    replay->dealt |= (uint8_t)(1u << event->seat);
    if (next_deal(replay) == replay->seats) {
        rebuild_setup(j->edition, replay);
        replay->stage = PYR_STAGE_PLAY;
    }
    return PYR_OK;
}

/* If the seat's own deal is unknown, a keep is possible unless another player is known to have the card. */
static enum pyr_err apply_keep(const struct follow *j, struct pyr_replay *replay)
{
    const struct pyr_event *event = j->event;
    pyr_seat seat = event->seat;
    pyr_cardset mine = 0, others = 0;
    for (unsigned s = 0; s < replay->seats; s++) {
        pyr_cardset *set = s == seat ? &mine : &others;
        for (unsigned i = 0; i < PYR_DEALT && replay->dealt >> s & 1; i++)
            *set |= PYR_CARD_BIT(replay->deal[s][i]);
        for (unsigned i = 0; i < PYR_KEPT && replay->kept >> s & 1; i++)
            *set |= PYR_CARD_BIT(replay->keep[s][i]);
    }
    for (unsigned i = 0; i < PYR_KEPT; i++) {
        pyr_cardset bit = PYR_CARD_BIT(event->card[i]);
        bool dealt = replay->dealt >> seat & 1 ? (mine & bit) != 0 : !(others & bit);
        if (!dealt || (i && event->card[0] == event->card[1]))
            return fail(j, PYR_ERR_NOT_DEALT, event->card[i] + 1, 0, PYR_NO_WORD);
        replay->keep[seat][i] = event->card[i];
    }
    replay->kept |= (uint8_t)(1u << seat);
    rebuild_setup(j->edition, replay);
    return PYR_OK;
}

/* All cards are checked before anything is shown. */
static enum pyr_err apply_show(const struct follow *j, struct pyr_replay *replay)
{
    const struct pyr_event *event = j->event;
    struct pyr_table before = replay->state.open;
    unsigned wanted = pyr_state_show_count(&replay->state);
    if (event->count != wanted)
        return fail(j, PYR_ERR_RECORD_SHOW_COUNT, (int32_t)wanted, event->count, PYR_NO_WORD);
    for (unsigned i = 0; i < wanted; i++)
        if (pyr_state_supply_card(&replay->state, i, event->card[i]))
            return fail(j, PYR_ERR_NOT_IN_DECK, event->card[i] + 1, 0, PYR_NO_WORD);
    pyr_state_show(&replay->state, &j->edition->box);
    note_points(replay, &before);
    return PYR_OK;
}

/* A whole move: every part is tried on a copy of the desk, so that a fault can name the part, and then applied. */
static enum pyr_err apply_mark(const struct follow *j, struct pyr_replay *replay)
{
    const struct pyr_event *event = j->event;
    const struct pyr_box *box = &j->edition->box;
    struct pyr_table before = replay->state.open;
    pyr_seat seat = event->seat;
    pyr_step steps[PYR_MAX_PARTS + 1];
    unsigned count = event->count;
    struct pyr_desk desk = replay->state.desk[seat];
    if (!count) {
        steps[0] = pyr_step_pass();
        count = 1;
    }
    for (unsigned i = 0; i < count; i++) {
        struct pyr_out out;
        char text[64] = "-";
        int32_t number = 0;
        if (event->count) {
            const struct pyr_part *part = &event->part[i];
            number = part->card + 1;
            pyr_out_init(&out, text, sizeof text);
            pyr_out_number(&out, number);
            pyr_out_char(&out, ':');
            pyr_spaces_write(part->spaces, &out);
            unsigned slot = desk.card[0] == part->card ? 0 : 1;
            if (i && !desk.due)
                return fail(j, PYR_ERR_EXTRA_TOO_MANY, number, 0, (struct pyr_word){ text, out.length });
            if (desk.card[slot] != part->card)
                return fail(j,
                    desk.card[0] == PYR_NO_CARD && desk.card[1] == PYR_NO_CARD ? PYR_ERR_MUST_PASS : PYR_ERR_NOT_ON_DESK,
                    number, 0, (struct pyr_word){ text, out.length });
            steps[i] = pyr_pair_of(slot, part->spaces);
        }
        enum pyr_err err = pyr_desk_mark(&desk, box, before.revealed[before.turn], before.round, steps[i]);
        if (err)
            return fail(j, err, number, 0, event->count ? (struct pyr_word){ text,
                out.length } : (struct pyr_word){ text, 1 });
    }
    if (desk.due)
        return fail(j, PYR_ERR_EXTRA_MISSING, desk.due, 0, PYR_NO_WORD);
    for (unsigned i = 0; i < count; i++)
        pyr_state_apply(&replay->state, box, seat, steps[i]);
    note_points(replay, &before);
    return PYR_OK;
}

/* A card can be drawn only if the deck has one; whether drawing is allowed is decided by the engine. */
static enum pyr_err apply_replace(const struct follow *j, struct pyr_replay *replay)
{
    const struct pyr_event *event = j->event;
    struct pyr_table before = replay->state.open;
    pyr_step step = pyr_step_take(event->card[0]);
    if (event->kind == PYR_EVENT_DRAW) {
        step = pyr_step_draw();
        if (before.deck_left && pyr_state_supply_card(&replay->state, 0, event->card[0]))
            return fail(j, PYR_ERR_NOT_IN_DECK, event->card[0] + 1, 0, PYR_NO_WORD);
    }
    enum pyr_err err = pyr_state_apply(&replay->state, &j->edition->box, event->seat, step);
    if (err)
        return fail(j, err, event->card[0] + 1, 0, PYR_NO_WORD);
    note_points(replay, &before);
    return PYR_OK;
}

static bool same_score(const struct pyr_score *a, const struct pyr_score *b)
{
    return a->total == b->total && a->pyramids == b->pyramids && a->torches == b->torches && a->points == b->points &&
        a->gems == b->gems && a->skulls == b->skulls;
}

/* Lines that follow from the rules are compared with the computed ones. */
static enum pyr_err apply_derived(const struct follow *j, struct pyr_replay *replay, const struct pyr_event *wanted)
{
    const struct pyr_event *event = j->event;
    switch (event->kind) {
    case PYR_EVENT_POINTS:
        if (event->seat != wanted->seat || event->colour != wanted->colour || event->points != wanted->points)
            return fail_here(j, PYR_ERR_RECORD_POINTS);
        replay->due_points--;
        replay->next_points++;
        return PYR_OK;
    case PYR_EVENT_SCORE:
        if (event->seat != wanted->seat)
            return fail_here(j, PYR_ERR_RECORD_SEAT);
        if (!same_score(&event->score, &wanted->score))
            return fail_here(j, PYR_ERR_RECORD_SCORE);
        replay->scored++;
        return PYR_OK;
    default:
        if (event->winners != wanted->winners)
            return fail_here(j, PYR_ERR_RECORD_WINNER);
        replay->stage = PYR_STAGE_OVER;
        return PYR_OK;
    }
}

/* Header, edition and players. The rules do not need the players' names, so they are not stored here. */
static enum pyr_err apply_header(const struct follow *j, struct pyr_replay *replay, const struct pyr_event *wanted)
{
    const struct pyr_event *event = j->event;
    switch (event->kind) {
    case PYR_EVENT_HEADER:
        replay->stage = PYR_STAGE_EDITION;
        return PYR_OK;
    case PYR_EVENT_EDITION:
        if (!pyr_word_is(event->name, j->edition->name))
            return fail(j, PYR_ERR_RECORD_EDITION, 0, 0, event->name);
        replay->stage = PYR_STAGE_PLAYERS;
        return PYR_OK;
    default:
        if (replay->seats == pyr_rulebook.max_seats)
            return fail_here(j, PYR_ERR_RECORD_PLAYERS);
        if (event->seat != wanted->seat)
            return fail_here(j, PYR_ERR_RECORD_SEAT);
        replay->seats++;
        return PYR_OK;
    }
}

/* The fault contains the pattern and the number of its cards in a round. */
static enum pyr_err apply_reveal(const struct follow *j, struct pyr_replay *replay)
{
    pyr_pattern pattern = j->event->pattern;
    if (pyr_state_supply_pattern(&replay->state, pattern)) {
        const char *name = j->edition->pattern_name[pattern];
        struct pyr_word word = { name, 0 };
        while (name[word.length])
            word.length++;
        return fail(j, PYR_ERR_NOT_IN_ROUND, j->edition->box.pattern[pattern].copies, 0, word);
    }
    pyr_state_reveal(&replay->state, &j->edition->box);
    return PYR_OK;
}

/* A view may contain other seats' deals, too: those of a finished game are open. */
static bool is_open_deal(const struct pyr_replay *replay, const struct pyr_event *event)
{
    return replay->stage >= PYR_STAGE_DEAL && event->kind == PYR_EVENT_DEAL && replay->viewer != PYR_NOBODY &&
        !replay->kept && event->seat < replay->seats && !(replay->dealt >> event->seat & 1);
}

/* The expected event determines which kinds of line may follow; the seat is compared after the kind, so that the message
 * names the more basic error. */
static enum pyr_err apply_event(const struct follow *j, struct pyr_replay *replay)
{
    const struct pyr_event *event = j->event;
    struct pyr_event wanted;
    if (event->kind == PYR_EVENT_TAG && replay->stage != PYR_STAGE_HEADER)
        return PYR_OK;                       /* tags are allowed anywhere after the header and ignored by the rules */
    if (replay->stage == PYR_STAGE_OVER)
        return fail_here(j, PYR_ERR_RECORD_OVER);
    bool first_deal = replay->stage == PYR_STAGE_PLAYERS && event->kind == PYR_EVENT_DEAL;
    if (first_deal) {
        if (replay->seats < pyr_rulebook.min_seats)
            return fail_here(j, PYR_ERR_RECORD_PLAYERS);
        replay->stage = PYR_STAGE_DEAL;
    }
    if (replay->stage == PYR_STAGE_PLAYERS && event->kind == PYR_EVENT_KEEP && replay->viewer == PYR_SPECTATOR &&
        replay->seats >= pyr_rulebook.min_seats) {
        rebuild_setup(j->edition, replay);   /* a spectator's lines have no deals, so the first keep begins the game */
        replay->stage = PYR_STAGE_PLAY;
    }
    pyr_replay_expected(replay, j->edition, &wanted);
    if (is_open_deal(replay, event))
        return apply_deal(j, replay);
    bool draw_for_take = event->kind == PYR_EVENT_DRAW && wanted.kind == PYR_EVENT_TAKE;
    if (event->kind != wanted.kind && !draw_for_take)
        return fail_here(j, PYR_ERR_RECORD_EXPECTED);
    if (replay->stage < PYR_STAGE_DEAL)
        return apply_header(j, replay, &wanted);
    if (event->kind >= PYR_EVENT_POINTS)
        return apply_derived(j, replay, &wanted);
    if (event->kind == PYR_EVENT_SHOW)
        return apply_show(j, replay);
    if (event->kind == PYR_EVENT_REVEAL)
        return apply_reveal(j, replay);
    if (event->seat != wanted.seat)
        return fail_here(j, PYR_ERR_RECORD_SEAT);
    switch (event->kind) {
    case PYR_EVENT_DEAL:
        return apply_deal(j, replay);
    case PYR_EVENT_KEEP:
        return apply_keep(j, replay);
    case PYR_EVENT_MARK:
        return apply_mark(j, replay);
    default:
        return apply_replace(j, replay);
    }
}

/* `fault` may be NULL; on success its code is PYR_OK. */
enum pyr_err pyr_replay_event(struct pyr_replay *replay, const struct pyr_edition *edition, const struct pyr_event *event,
    struct pyr_fault *fault)
{
    struct pyr_replay next = *replay;
    struct follow j = { edition, replay, event, fault };
    if (fault)
        *fault = (struct pyr_fault){ .code = PYR_OK };
    enum pyr_err err = apply_event(&j, &next);
    if (!err)
        *replay = next;
    return err;
}

/* The next event of chance or of the rules, taken from the known order. False: a player has to choose, or the game is
 * over. */
bool pyr_replay_advance(struct pyr_replay *replay, const struct pyr_edition *edition, struct pyr_event *event)
{
    struct pyr_state *state = &replay->state;
    struct pyr_table before = state->open;
    if (replay->stage != PYR_STAGE_PLAY)
        return false;
    if (pyr_replay_expected(replay, edition, event)) {
        struct follow j = { edition, replay, event, NULL };
        apply_derived(&j, replay, event);     /* an expected event is always correct */
        return true;
    }
    if (event->kind == PYR_EVENT_SHOW) {
        event->count = (uint8_t)pyr_state_show_count(state);
        for (unsigned i = 0; i < event->count; i++)
            event->card[i] = state->hidden.deck[pyr_deck_top(state) + i];
        pyr_state_show(state, &edition->box);
        note_points(replay, &before);
        return true;
    }
    if (event->kind == PYR_EVENT_REVEAL) {
        pyr_state_reveal(state, &edition->box);
        event->pattern = state->open.revealed[state->open.turn];
        return true;
    }
    return false;
}

/* The steps are legal: nothing is checked. The event names cards by the desk as it was before. */
void pyr_replay_choice(struct pyr_replay *replay, const struct pyr_edition *edition, pyr_seat seat, const pyr_step *steps,
    unsigned count, struct pyr_event *event)
{
    struct pyr_state *state = &replay->state;
    struct pyr_table before = state->open;
    pyr_choice_event(&before.desk[seat], seat, steps, count, event);
    if (event->kind == PYR_EVENT_DRAW)
        event->card[0] = state->hidden.deck[pyr_deck_top(state)];
    if (event->kind == PYR_EVENT_KEEP) {
        for (unsigned i = 0; i < PYR_KEPT; i++)
            replay->keep[seat][i] = event->card[i];
        replay->kept |= (uint8_t)(1u << seat);
    }
    for (unsigned i = 0; i < count; i++)
        pyr_state_apply(state, &edition->box, seat, steps[i]);
    note_points(replay, &before);
}

/* Stops at the first fault; what was read before stays in *replay. A record that ends early is not a fault. */
enum pyr_err pyr_record_read(struct pyr_replay *replay, const struct pyr_edition *edition, const char *text, size_t size,
    struct pyr_fault *fault)
{
    struct pyr_lines lines;
    struct pyr_fault found = { .code = PYR_OK };
    pyr_lines_init(&lines, text, size);
    while (!found.code && pyr_lines_next(&lines, false)) {
        struct pyr_event event;
        if (replay->stage == PYR_STAGE_HEADER) {
            /* Reports a wrong header before anything else, since the text may not be a record at all. */
            struct pyr_word word;
            lines.form = "pyramids-record 1";
            if (!pyr_lines_word(&lines, &word) || !pyr_word_is(word, "pyramids-record")) {
                pyr_lines_fail(&lines, PYR_ERR_TEXT_HEADER, 0, lines.line);
                break;
            }
            lines.at = 0;
        }
        if (!pyr_event_read(&event, edition, &lines))
            break;
        if (pyr_replay_event(replay, edition, &event, &found))
            found.line = lines.number;
    }
    if (!found.code)
        found = lines.fault;
    if (!found.code && replay->stage == PYR_STAGE_HEADER) {
        lines.form = "pyramids-record 1";
        pyr_lines_fail(&lines, PYR_ERR_TEXT_HEADER, 0, PYR_NO_WORD);
        found = lines.fault;
    }
    if (fault)
        *fault = found;
    return found.code;
}

/* Works without the edition, to find out which one a record needs. *name points into the text. */
bool pyr_record_edition_name(const char *text, size_t size, struct pyr_word *name)
{
    struct pyr_lines lines;
    struct pyr_word word;
    pyr_lines_init(&lines, text, size);
    while (pyr_lines_next(&lines, false) && pyr_lines_word(&lines, &word))
        if (pyr_word_is(word, "edition"))
            return pyr_lines_word(&lines, name);
    return false;
}

/* In seat order, which the format requires. The words point into the text. */
unsigned pyr_record_player_names(const char *text, size_t size, struct pyr_word names[PYR_MAX_SEATS])
{
    struct pyr_lines lines;
    struct pyr_word word;
    unsigned count = 0;
    int32_t seat;
    pyr_lines_init(&lines, text, size);
    while (count < PYR_MAX_SEATS && pyr_lines_next(&lines, false))
        if (pyr_lines_word(&lines, &word) && pyr_word_is(word, "player") &&
            pyr_lines_number(&lines, 1, PYR_MAX_SEATS, &seat) && pyr_lines_rest(&lines, PYR_MAX_PLAYER_NAME, &names[count]))
            count++;
    return count;
}
