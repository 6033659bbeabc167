/*
 * game.c: see game.h, which has the invariants. A game is advanced in two places only: make_choices, when the last choice of
 * a phase is in, and pyr_game_shuffle, after a game was loaded. Both end in advance_to_decision, so between calls a
 * game always waits for a player or is over.
 *
 * Events go to the sink in the order in which they happen and are never read back. If the sink fails, the call fails
 * at that event and the game must not be used: a log with a missing event cannot be continued.
 */
#include <pyramids/game.h>

/* Advancing. */

/* Without a sink no events are reported: simulations use that and write no text. */
static enum pyr_err report(const struct pyr_game *game, const struct pyr_sink *sink, const struct pyr_event *event)
{
    return sink ? sink->take(sink->context, game->edition, event) : PYR_OK;
}

/* Reports an event of the set-up, whose line always applies. */
static enum pyr_err set_up(struct pyr_game *game, const struct pyr_sink *sink, const struct pyr_event *event)
{
    enum pyr_err err = pyr_replay_event(&game->replay, game->edition, event, NULL);
    return err ? err : report(game, sink, event);
}

/* The steps themselves need not be cleared; `count` says how many are valid. */
static void forget_choices(struct pyr_game *game)
{
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        game->choice[s].count = 0, game->choice[s].confirmed = false;
}

/* Performs chance and the rules up to the next decision. */
static enum pyr_err advance_to_decision(struct pyr_game *game, const struct pyr_sink *sink)
{
    struct pyr_event event;
    enum pyr_err err = PYR_OK;
    forget_choices(game);
    while (!err && pyr_replay_advance(&game->replay, game->edition, &event))
        err = report(game, sink, &event);
    return err;
}

/* All have confirmed: makes their choices in seat order. The seats are noted first, since making a choice changes who is
 * waited for. */
static enum pyr_err make_choices(struct pyr_game *game, const struct pyr_sink *sink)
{
    unsigned seats = game->replay.state.open.waiting;
    for (unsigned s = 0; s < game->replay.seats; s++) {
        pyr_step steps[PYR_MAX_CHOICE];
        struct pyr_event event;
        if (!(seats >> s & 1))
            continue;
        unsigned count = pyr_game_choice(game, (pyr_seat)s, steps);
        pyr_replay_choice(&game->replay, game->edition, (pyr_seat)s, steps, count, &event);
        enum pyr_err err = report(game, sink, &event);
        if (err)
            return err;
    }
    return advance_to_decision(game, sink);
}

/* The set-up. */

/* Whether a name stays the same when written to a record and read from it: valid UTF-8 without line ends. The reader
 * itself is used, so that the two can never disagree. */
static enum pyr_err check_name(struct pyr_word name)
{
    struct pyr_lines lines;
    struct pyr_word rest;
    if (name.length > PYR_MAX_PLAYER_NAME)
        return PYR_ERR_TEXT_LONG;
    char line[PYR_MAX_PLAYER_NAME + 3] = "p ";
    for (size_t i = 0; i < name.length; i++)
        line[2 + i] = name.at[i];
    pyr_lines_init(&lines, line, name.length + 2);
    if (!pyr_lines_next(&lines, false) || !pyr_lines_word(&lines, &rest) ||
        !pyr_lines_rest(&lines, PYR_MAX_PLAYER_NAME, &rest) || lines.line.length != name.length + 2)
        return PYR_ERR_TEXT_ENCODING;        /* or it contains a line end */
    return PYR_OK;
}

/* The set-up goes through the same checks as a record that is read, line by line. */
enum pyr_err pyr_game_begin(struct pyr_game *game, const struct pyr_edition *edition, unsigned seats,
    const char *const *names, const struct pyr_sink *sink)
{
    struct pyr_event event = { .kind = PYR_EVENT_HEADER, .name = PYR_NO_WORD, .value = PYR_NO_WORD };
    enum pyr_err err = pyr_options_has_seats(&pyr_rulebook, seats) ? PYR_OK : PYR_ERR_SEATS;
    for (unsigned s = 0; s < seats && !err; s++)
        err = check_name(pyr_word_of(names[s]));
    if (err)
        return err;
    game->edition = edition;
    forget_choices(game);
    pyr_replay_init(&game->replay, PYR_NOBODY);
    err = set_up(game, sink, &event);
    event.kind = PYR_EVENT_EDITION;
    event.name = pyr_word_of(edition->name);
    if (!err)
        err = set_up(game, sink, &event);
    event.kind = PYR_EVENT_PLAYER;
    for (unsigned s = 0; s < seats && !err; s++) {
        event.seat = (pyr_seat)s;
        event.name = pyr_word_of(names[s]);
        err = set_up(game, sink, &event);
    }
    return err;
}

/* The hidden order is set after the last deal: while dealing, the replay contains only what the lines show. */
enum pyr_err pyr_game_deal(struct pyr_game *game, const struct pyr_chance *chance, const struct pyr_sink *sink)
{
    struct pyr_event event = { .kind = PYR_EVENT_DEAL, .count = PYR_DEALT, .name = PYR_NO_WORD, .value = PYR_NO_WORD };
    unsigned seats = game->replay.seats;
    bool is_time = game->replay.stage == PYR_STAGE_PLAYERS;
    enum pyr_err err = is_time ? pyr_chance_check(chance, &game->edition->box, seats) : PYR_ERR_PHASE;
    for (unsigned s = 0; s < seats && !err; s++) {
        event.seat = (pyr_seat)s;
        for (unsigned i = 0; i < PYR_DEALT; i++)
            event.card[i] = chance->dealt[s][i];
        err = set_up(game, sink, &event);
    }
    if (!err)
        game->replay.state.hidden = *chance;
    return err;
}

enum pyr_err pyr_game_load(struct pyr_game *game, const struct pyr_edition *edition, const char *text, size_t size,
    pyr_seat viewer, struct pyr_fault *fault)
{
    struct pyr_replay replay;
    pyr_replay_init(&replay, viewer);
    enum pyr_err err = pyr_record_read(&replay, edition, text, size, fault);
    if (err)
        return err;
    game->edition = edition;
    game->replay = replay;
    forget_choices(game);
    return PYR_OK;
}

/* Written and read back, so that a tag which would be read differently is refused. */
enum pyr_err pyr_game_tag(const struct pyr_game *game, const char *name, const char *value, const struct pyr_sink *sink)
{
    char line[PYR_MAX_LINE + 1];
    struct pyr_out out;
    struct pyr_lines lines;
    struct pyr_event event;
    pyr_out_init(&out, line, sizeof line);
    pyr_out_text(&out, "tag ");
    pyr_out_text(&out, name);
    pyr_out_char(&out, ' ');
    pyr_out_text(&out, value);
    if (out.length >= sizeof line)
        return PYR_ERR_TEXT_LINE;
    pyr_lines_init(&lines, line, out.length);
    if (!pyr_lines_next(&lines, false) || !pyr_event_read(&event, game->edition, &lines))
        return lines.fault.code ? lines.fault.code : PYR_ERR_TEXT_MISSING;
    if (lines.line.length != out.length)
        return PYR_ERR_TEXT_ENCODING;        /* it contains a line end */
    if (event.name.length != pyr_word_of(name).length)
        return PYR_ERR_TEXT_SPACE;           /* the name consists of two words */
    return report(game, sink, &event);
}

/* For a game that was loaded: the true order replaces the guess. Once cards are kept, the deck no longer contains them. */
void pyr_game_set_chance(struct pyr_game *game, const struct pyr_chance *chance)
{
    struct pyr_state *state = &game->replay.state;
    if (game->replay.stage < PYR_STAGE_PLAY)
        return;
    unsigned left = 0;
    pyr_cardset kept = 0;
    if (state->open.phase != PYR_KEEP)
        for (unsigned s = 0; s < game->replay.seats; s++)
            for (unsigned i = 0; i < PYR_KEPT; i++)
                kept |= PYR_CARD_BIT(state->open.kept[s][i]);
    for (unsigned i = 0; i < PYR_CARDS; i++)
        if (!(kept >> chance->deck[i] & 1))
            state->hidden.deck[left++] = chance->deck[i];
    for (unsigned round = 0; round < PYR_ROUNDS; round++)
        for (unsigned i = 0; i < PYR_EXPEDITIONS; i++)
            state->hidden.expedition[round][i] = chance->expedition[round][i];
}

/* For a game whose order is unknown: any order that agrees with what was seen, such as for a spectator's view. */
enum pyr_err pyr_game_shuffle(struct pyr_game *game, struct pyr_rng *rng, const struct pyr_sink *sink)
{
    struct pyr_view view;
    struct pyr_state sample;
    if (game->replay.stage != PYR_STAGE_PLAY)
        return PYR_OK;
    struct pyr_state *state = &game->replay.state;
    pyr_view_init(&view, state, PYR_NOBODY);
    pyr_view_sample(&view, &game->edition->box, rng, &sample);
    for (unsigned i = 0; i < PYR_CARDS; i++)
        state->hidden.deck[i] = sample.hidden.deck[i];
    for (unsigned round = 0; round < PYR_ROUNDS; round++)
        for (unsigned i = 0; i < PYR_EXPEDITIONS; i++)
            state->hidden.expedition[round][i] = sample.hidden.expedition[round][i];
    return advance_to_decision(game, sink);
}

/* What each seat may see. */

/* The state with one seat's steps made. In phases where all choose at once, the steps of one seat never end the phase; if
 * it is the last seat to choose, its view is that of a player who has chosen but not confirmed. */
static void seat_state(const struct pyr_game *game, pyr_seat seat, struct pyr_state *state)
{
    *state = game->replay.state;
    if (seat >= game->replay.seats)
        return;
    state->open.waiting |= 0x80;             /* a bit of no seat, which keeps the phase from ending */
    for (unsigned i = 0; i < game->choice[seat].count; i++)
        pyr_state_apply(state, &game->edition->box, seat, pyr_pending_step(&game->choice[seat], i));
    state->open.waiting &= 0x7f;
}

bool pyr_game_is_over(const struct pyr_game *game)
{
    return game->replay.stage == PYR_STAGE_OVER;
}

unsigned pyr_game_waiting(const struct pyr_game *game)
{
    if (game->replay.stage != PYR_STAGE_PLAY)
        return 0;
    unsigned waiting = game->replay.state.open.waiting;
    for (unsigned s = 0; s < game->replay.seats; s++)
        if (game->choice[s].confirmed)
            waiting &= ~(1u << s);
    return waiting;
}

void pyr_game_view(const struct pyr_game *game, pyr_seat seat, struct pyr_view *view)
{
    struct pyr_state state;
    seat_state(game, seat, &state);
    pyr_view_init(view, &state, seat);
    view->open.waiting = (uint8_t)pyr_game_waiting(game);
}

/* The only security rule of a log: a deal is secret from everyone but its seat until the game is over. Everything else in
 * a log is public when it is written. */
bool pyr_game_line_is_visible(const struct pyr_game *game, struct pyr_word line, pyr_seat seat)
{
    static const char deal[] = "deal ";
    for (size_t i = 0; i < sizeof deal - 1; i++)
        if (i >= line.length || line.at[i] != deal[i])
            return true;
    return pyr_game_is_over(game) || (line.length > 5 && line.at[5] == '1' + seat && seat < PYR_MAX_SEATS);
}

/* Choices. */

/* PYR_END stands for a phase without choices: after confirming there is nothing to choose. */
void pyr_game_steps(const struct pyr_game *game, pyr_seat seat, struct pyr_steps *steps)
{
    struct pyr_state state;
    seat_state(game, seat, &state);
    if (seat < game->replay.seats && game->choice[seat].confirmed)
        state.open.phase = PYR_END;
    pyr_state_steps(&state, &game->edition->box, seat, steps);
}

static bool is_due(const struct pyr_game *game, pyr_seat seat)
{
    return game->replay.stage == PYR_STAGE_PLAY && seat < game->replay.seats && game->replay.state.open.waiting >> seat & 1;
}

/* The engine decides when a choice is complete: it no longer waits for the seat. */
bool pyr_game_is_ready(const struct pyr_game *game, pyr_seat seat)
{
    struct pyr_state state;
    if (!is_due(game, seat) || !game->choice[seat].count)
        return false;
    seat_state(game, seat, &state);
    return !(state.open.waiting >> seat & 1);
}

/* The first step is stored as it is; further ones are always single bits (extra spaces), so their positions are enough:
 * one byte instead of eight. Replacing a card cannot be taken back, so that step is a whole choice. */
enum pyr_err pyr_game_step(struct pyr_game *game, pyr_seat seat, pyr_step step, const struct pyr_sink *sink)
{
    struct pyr_state state;
    if (!is_due(game, seat))
        return PYR_ERR_NOT_DUE;
    struct pyr_pending *choice = &game->choice[seat];
    if (choice->confirmed)
        return PYR_ERR_CONFIRMED;
    seat_state(game, seat, &state);
    enum pyr_err err = pyr_state_check_step(&state, &game->edition->box, seat, step);
    if (err)
        return err;
    if (choice->count == PYR_MAX_CHOICE)
        return PYR_ERR_EXTRA_TOO_MANY;
    if (choice->count)
        choice->more[choice->count - 1] = (uint8_t)__builtin_ctzll(step);
    else
        choice->first = step;
    choice->count++;
    return game->replay.state.open.phase == PYR_REPLACE ? make_choices(game, sink) : PYR_OK;
}

enum pyr_err pyr_game_undo(struct pyr_game *game, pyr_seat seat)
{
    if (!is_due(game, seat) || !game->choice[seat].count)
        return PYR_ERR_NO_UNDO;
    if (game->choice[seat].confirmed)
        return PYR_ERR_CONFIRMED;
    game->choice[seat].count--;
    return PYR_OK;
}

void pyr_game_clear(struct pyr_game *game, pyr_seat seat)
{
    if (seat < PYR_MAX_SEATS && !game->choice[seat].confirmed)
        game->choice[seat].count = 0;
}

enum pyr_err pyr_game_confirm(struct pyr_game *game, pyr_seat seat, const struct pyr_sink *sink)
{
    if (!is_due(game, seat))
        return PYR_ERR_NOT_DUE;
    if (game->choice[seat].confirmed)
        return PYR_ERR_CONFIRMED;
    if (!pyr_game_is_ready(game, seat))
        return PYR_ERR_NOT_READY;
    game->choice[seat].confirmed = true;
    return pyr_game_waiting(game) ? PYR_OK : make_choices(game, sink);
}

enum pyr_err pyr_game_retract(struct pyr_game *game, pyr_seat seat)
{
    if (!is_due(game, seat) || !game->choice[seat].confirmed)
        return PYR_ERR_NO_UNDO;
    game->choice[seat].confirmed = false;
    return PYR_OK;
}

unsigned pyr_game_choice(const struct pyr_game *game, pyr_seat seat, pyr_step steps[PYR_MAX_CHOICE])
{
    unsigned count = seat < PYR_MAX_SEATS ? game->choice[seat].count : 0;
    for (unsigned i = 0; i < count; i++)
        steps[i] = pyr_pending_step(&game->choice[seat], i);
    return count;
}

void pyr_game_write_choice(const struct pyr_game *game, pyr_seat seat, struct pyr_out *out)
{
    pyr_step steps[PYR_MAX_CHOICE];
    unsigned count = pyr_game_choice(game, seat, steps);
    if (count)
        pyr_choice_write(steps, count, &game->replay.state.open.desk[seat], out);
}

/* A whole choice from its text. */

/* Describes one part of a move, a card and its spaces, for a fault in it. */
static void name_part(const struct pyr_part *part, struct pyr_fault *fault)
{
    struct pyr_out out;
    pyr_out_init(&out, fault->word, sizeof fault->word);
    pyr_out_number(&out, part->card + 1);
    pyr_out_char(&out, ':');
    pyr_spaces_write(part->spaces, &out);
    fault->number[0] = part->card + 1;
}

static enum pyr_err try_move(struct pyr_game *game, pyr_seat seat, const struct pyr_event *event, struct pyr_fault *fault)
{
    const struct pyr_desk *desk = &game->replay.state.open.desk[seat];
    enum pyr_err err = event->count ? PYR_OK : pyr_game_step(game, seat, pyr_step_pass(), NULL);
    for (unsigned i = 0; i < event->count && !err; i++) {
        const struct pyr_part *part = &event->part[i];
        unsigned slot = desk->card[0] == part->card ? 0 : 1;
        name_part(part, fault);
        if (pyr_game_is_ready(game, seat))
            err = PYR_ERR_EXTRA_TOO_MANY;
        else if (desk->card[slot] != part->card)
            err = desk->card[0] == PYR_NO_CARD && desk->card[1] == PYR_NO_CARD ? PYR_ERR_MUST_PASS : PYR_ERR_NOT_ON_DESK;
        else
            err = pyr_game_step(game, seat, pyr_pair_of(slot, part->spaces), NULL);
    }
    if (!err && !pyr_game_is_ready(game, seat)) {
        struct pyr_state state;
        seat_state(game, seat, &state);
        fault->number[0] = state.desk[seat].due;
        err = PYR_ERR_EXTRA_MISSING;
    }
    return err;
}

/* Tries the choice, and keeps it if all of it is legal. */
static enum pyr_err try_choice(struct pyr_game *game, pyr_seat seat, const struct pyr_event *event, struct pyr_fault *fault,
    const struct pyr_sink *sink)
{
    struct pyr_pending before = game->choice[seat];
    unsigned phase = game->replay.state.open.phase;
    enum pyr_err err;
    game->choice[seat].count = 0;
    if (phase == PYR_MARK) {
        err = try_move(game, seat, event, fault);
    } else {
        pyr_step steps[PYR_MAX_CHOICE];
        pyr_choice_steps(&game->replay.state.open.desk[seat], event, steps);
        fault->number[0] = event->card[0] + 1;
        err = pyr_game_step(game, seat, steps[0], sink);
        if (phase == PYR_REPLACE)
            return err;                      /* either it was made, or nothing has changed: there are no steps to keep */
    }
    if (err)
        game->choice[seat] = before;
    return err;
}

enum pyr_err pyr_game_choose(struct pyr_game *game, pyr_seat seat, const char *text, struct pyr_fault *fault,
    const struct pyr_sink *sink)
{
    struct pyr_fault ignored;
    struct pyr_lines lines;
    struct pyr_event event;
    if (!fault)
        fault = &ignored;
    *fault = (struct pyr_fault){ .code = PYR_OK };
    if (!is_due(game, seat))
        return fault->code = PYR_ERR_NOT_DUE;
    if (game->choice[seat].confirmed)
        return fault->code = PYR_ERR_CONFIRMED;
    if (!pyr_choice_read(game->replay.state.open.phase, text, pyr_word_of(text).length, &lines, &event)) {
        *fault = lines.fault;
        return fault->code;
    }
    return fault->code = try_choice(game, seat, &event, fault, sink);
}
