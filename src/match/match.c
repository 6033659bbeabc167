/*
 * match.c: a game with its log; see match.h.
 *
 * Invariants:
 *  1. match->replay is what following the log from its first line gives, but for the hidden part of its state, which is the
 *     true one.
 *  2. replay.state has no step of the present phase: those are in match->choice until all are in.
 *  3. After each call the game waits for a decision or is over (a match that was loaded: after pyr_match_shuffle).
 */
#include <pyramids/choice.h>
#include <pyramids/match.h>

static const struct pyr_word no_word = { "", 0 };

static struct pyr_word word_of(const char *text)
{
    struct pyr_word word = { text, 0 };
    while (text[word.length])
        word.length++;
    return word;
}

/* The log. */

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

struct pyr_word pyr_match_line(const struct pyr_match *match, uint32_t line)
{
    const struct pyr_log *log = &match->log;
    if (line >= log->lines)
        return no_word;
    return (struct pyr_word){ log->text + log->start[line], log->start[line + 1] - log->start[line] - 1 };
}

/* Follows a line and logs it. Only true events come here, so an error is a full log. */
static enum pyr_err log_event(struct pyr_match *match, const struct pyr_event *event)
{
    char line[PYR_MAX_LINE + 1];
    struct pyr_out out;
    pyr_out_init(&out, line, sizeof line);
    pyr_event_write(match->edition, event, &out);
    if (out.length >= sizeof line)
        return PYR_ERR_TEXT_LINE;
    enum pyr_err err = pyr_replay_event(match->edition, &match->replay, event, NULL);
    if (err)
        return err;
    return log_add(&match->log, (struct pyr_word){ line, out.length }) ? PYR_OK : PYR_ERR_TEXT_FULL;
}

static void forget_choices(struct pyr_match *match)
{
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        match->choice[s].count = 0, match->choice[s].confirmed = false;
}

/* Logs what chance and the rules bring, up to the next decision. */
static enum pyr_err go_on(struct pyr_match *match)
{
    forget_choices(match);
    while (match->replay.stage == PYR_STAGE_PLAY) {
        struct pyr_event event;
        struct pyr_state *state = &match->replay.state;
        if (!pyr_replay_expected(match->edition, &match->replay, &event)) {
            if (event.kind == PYR_EVENT_SHOW) {
                event.count = (uint8_t)pyr_state_show_count(state);
                for (unsigned i = 0; i < event.count; i++)
                    event.card[i] = state->hidden.deck[pyr_deck_top(state) + i];
            } else if (event.kind == PYR_EVENT_REVEAL) {
                struct pyr_state peek = *state;
                pyr_state_reveal(&match->edition->box, &peek);
                event.pattern = peek.open.revealed[peek.open.turn];
            } else {
                return PYR_OK;               /* a decision */
            }
        }
        enum pyr_err err = log_event(match, &event);
        if (err)
            return err;
    }
    return PYR_OK;
}

/* A name must survive being written and read. */
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
        return PYR_ERR_TEXT_ENCODING;        /* or a line end inside */
    return PYR_OK;
}

enum pyr_err pyr_match_begin(struct pyr_match *match, const struct pyr_edition *edition, unsigned seats, const char *const *names)
{
    struct pyr_event event = { .kind = PYR_EVENT_HEADER, .name = no_word, .value = no_word };
    if (!pyr_options_has_seats(&pyr_rulebook, seats))
        return PYR_ERR_SEATS;
    for (unsigned s = 0; s < seats; s++) {
        enum pyr_err err = check_name(word_of(names[s]));
        if (err)
            return err;
    }
    match->edition = edition;
    match->log.lines = 0;
    match->log.start[0] = 0;
    forget_choices(match);
    pyr_replay_init(&match->replay, PYR_NOBODY);
    log_event(match, &event);
    event.kind = PYR_EVENT_EDITION;
    event.name = word_of(edition->name);
    log_event(match, &event);
    event.kind = PYR_EVENT_PLAYER;
    for (unsigned s = 0; s < seats; s++) {
        event.seat = (pyr_seat)s;
        event.name = word_of(names[s]);
        log_event(match, &event);
    }
    return PYR_OK;
}

enum pyr_err pyr_match_deal(struct pyr_match *match, const struct pyr_chance *chance)
{
    struct pyr_event event = { .kind = PYR_EVENT_DEAL, .count = PYR_DEALT, .name = no_word, .value = no_word };
    unsigned seats = match->replay.seats;
    enum pyr_err err = match->replay.stage == PYR_STAGE_PLAYERS ? pyr_chance_check(chance, &match->edition->box, seats) : PYR_ERR_PHASE;
    for (unsigned s = 0; s < seats && !err; s++) {
        event.seat = (pyr_seat)s;
        for (unsigned i = 0; i < PYR_DEALT; i++)
            event.card[i] = chance->dealt[s][i];
        err = log_event(match, &event);
    }
    if (!err)
        match->replay.state.hidden = *chance;
    return err;
}

enum pyr_err pyr_match_init(struct pyr_match *match, const struct pyr_edition *edition, unsigned seats,
    const char *const *names, const struct pyr_chance *chance)
{
    enum pyr_err err = pyr_chance_check(chance, &edition->box, seats);
    if (!err)
        err = pyr_match_begin(match, edition, seats, names);
    return err ? err : pyr_match_deal(match, chance);
}

void pyr_match_supply(struct pyr_match *match, const struct pyr_chance *chance)
{
    struct pyr_state *state = &match->replay.state;
    if (match->replay.stage < PYR_STAGE_PLAY)
        return;
    unsigned left = 0;
    pyr_cardset kept = 0;
    if (state->open.phase != PYR_KEEP)
        for (unsigned s = 0; s < match->replay.seats; s++)
            for (unsigned i = 0; i < PYR_KEPT; i++)
                kept |= (pyr_cardset)1 << state->open.kept[s][i];
    for (unsigned i = 0; i < PYR_CARDS; i++)
        if (!(kept >> chance->deck[i] & 1))
            state->hidden.deck[left++] = chance->deck[i];
    for (unsigned round = 0; round < PYR_ROUNDS; round++)
        for (unsigned i = 0; i < PYR_EXPEDITIONS; i++)
            state->hidden.expedition[round][i] = chance->expedition[round][i];
}

static void strip_choice(const struct pyr_choice *choice, struct pyr_bare_choice *bare)
{
    bare->count = choice->count;
    bare->confirmed = choice->confirmed;
    bare->first = choice->count ? choice->step[0] : PYR_STEP_NONE;
    for (unsigned i = 1; i < choice->count; i++)
        bare->more[i - 1] = (uint8_t)__builtin_ctzll(choice->step[i]);
}

void pyr_choice_dress(struct pyr_choice *choice, const struct pyr_bare_choice *bare)
{
    choice->count = bare->count;
    choice->confirmed = bare->confirmed;
    choice->step[0] = bare->first;
    for (unsigned i = 1; i < bare->count; i++)
        choice->step[i] = (pyr_step)1 << bare->more[i - 1];
}

void pyr_match_strip(const struct pyr_match *match, struct pyr_bare_match *bare)
{
    bare->edition = match->edition;
    bare->replay = match->replay;
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        strip_choice(&match->choice[s], &bare->choice[s]);
}

void pyr_match_dress(struct pyr_match *match, const struct pyr_bare_match *bare)
{
    match->edition = bare->edition;
    match->replay = bare->replay;
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        pyr_choice_dress(&match->choice[s], &bare->choice[s]);
    match->log.lines = 0;
    match->log.start[0] = 0;
}

/* Choices. */

/* The state with a seat's steps made. */
void pyr_match_state(const struct pyr_match *match, pyr_seat seat, struct pyr_state *state)
{
    *state = match->replay.state;
    if (seat >= match->replay.seats)
        return;
    for (unsigned i = 0; i < match->choice[seat].count; i++)
        pyr_state_apply(&match->edition->box, state, seat, match->choice[seat].step[i]);
}

/* In the phases where all choose at once a lone seat's steps never end the phase, unless it is the only one that is left;
 * then its view is that of a player who is done but has not confirmed. */
static void seat_state(const struct pyr_match *match, pyr_seat seat, struct pyr_state *state)
{
    *state = match->replay.state;
    if (seat >= match->replay.seats)
        return;
    state->open.waiting |= 0x80;             /* nobody's: holds the phase open */
    for (unsigned i = 0; i < match->choice[seat].count; i++)
        pyr_state_apply(&match->edition->box, state, seat, match->choice[seat].step[i]);
    state->open.waiting &= 0x7f;
}

bool pyr_match_is_over(const struct pyr_match *match)
{
    return match->replay.stage == PYR_STAGE_OVER;
}

unsigned pyr_match_waiting(const struct pyr_match *match)
{
    if (match->replay.stage != PYR_STAGE_PLAY)
        return 0;
    unsigned waiting = match->replay.state.open.waiting;
    for (unsigned s = 0; s < match->replay.seats; s++)
        if (match->choice[s].confirmed)
            waiting &= ~(1u << s);
    return waiting;
}

void pyr_match_view(const struct pyr_match *match, pyr_seat seat, struct pyr_view *view)
{
    struct pyr_state state;
    seat_state(match, seat, &state);
    pyr_view_init(view, &state, seat);
    view->open.waiting = (uint8_t)pyr_match_waiting(match);
}

void pyr_match_steps(const struct pyr_match *match, pyr_seat seat, struct pyr_steps *steps)
{
    struct pyr_state state;
    seat_state(match, seat, &state);
    if (seat < match->replay.seats && match->choice[seat].confirmed)
        state.open.phase = PYR_END;
    pyr_state_steps(&match->edition->box, &state, seat, steps);
}

static bool is_due(const struct pyr_match *match, pyr_seat seat)
{
    return match->replay.stage == PYR_STAGE_PLAY && seat < match->replay.seats &&
        match->replay.state.open.waiting >> seat & 1;
}

bool pyr_match_is_ready(const struct pyr_match *match, pyr_seat seat)
{
    struct pyr_state state;
    if (!is_due(match, seat) || !match->choice[seat].count)
        return false;
    seat_state(match, seat, &state);
    return !(state.open.waiting >> seat & 1);
}

/* One seat's choice as a line. */
static void choice_event(const struct pyr_match *match, pyr_seat seat, struct pyr_event *event)
{
    const struct pyr_choice *choice = &match->choice[seat];
    const struct pyr_state *state = &match->replay.state;
    pyr_choice_event(&state->open.desk[seat], seat, choice->step, choice->count, event);
    if (event->kind == PYR_EVENT_DRAW)
        event->card[0] = state->hidden.deck[pyr_deck_top(state)];
}

/* All are in: their choices enter the log in seat order. */
static enum pyr_err settle(struct pyr_match *match)
{
    const struct pyr_chance hidden = match->replay.state.hidden;
    bool setup = match->replay.state.open.phase == PYR_KEEP;
    unsigned seats = match->replay.state.open.waiting;
    for (unsigned s = 0; s < match->replay.seats; s++) {
        struct pyr_event event;
        if (!(seats >> s & 1))
            continue;
        choice_event(match, (pyr_seat)s, &event);
        enum pyr_err err = log_event(match, &event);
        if (err)
            return err;
    }
    if (setup)
        pyr_match_supply(match, &hidden);    /* following keeps makes the state anew from what the lines tell */
    return go_on(match);
}

enum pyr_err pyr_match_step(struct pyr_match *match, pyr_seat seat, pyr_step step)
{
    struct pyr_state state;
    if (!is_due(match, seat))
        return PYR_ERR_NOT_DUE;
    struct pyr_choice *choice = &match->choice[seat];
    if (choice->confirmed)
        return PYR_ERR_CONFIRMED;
    seat_state(match, seat, &state);
    enum pyr_err err = pyr_step_judge(&match->edition->box, &state, seat, step);
    if (err)
        return err;
    if (choice->count == PYR_MAX_PARTS)
        return PYR_ERR_EXTRA_TOO_MANY;
    choice->step[choice->count++] = step;
    return match->replay.state.open.phase == PYR_REPLACE ? settle(match) : PYR_OK;
}

enum pyr_err pyr_match_undo(struct pyr_match *match, pyr_seat seat)
{
    if (!is_due(match, seat) || !match->choice[seat].count)
        return PYR_ERR_NO_UNDO;
    if (match->choice[seat].confirmed)
        return PYR_ERR_CONFIRMED;
    match->choice[seat].count--;
    return PYR_OK;
}

enum pyr_err pyr_match_confirm(struct pyr_match *match, pyr_seat seat)
{
    if (!is_due(match, seat))
        return PYR_ERR_NOT_DUE;
    if (match->choice[seat].confirmed)
        return PYR_ERR_CONFIRMED;
    if (!pyr_match_is_ready(match, seat))
        return PYR_ERR_NOT_READY;
    match->choice[seat].confirmed = true;
    return pyr_match_waiting(match) ? PYR_OK : settle(match);
}

enum pyr_err pyr_match_retract(struct pyr_match *match, pyr_seat seat)
{
    if (!is_due(match, seat) || !match->choice[seat].confirmed)
        return PYR_ERR_NO_UNDO;
    match->choice[seat].confirmed = false;
    return PYR_OK;
}

/* A whole choice from its text. */

/* Tries the steps on a seat of its own, and keeps them if all are legal. */
static enum pyr_err try_choice(struct pyr_match *match, pyr_seat seat, const struct pyr_event *event,
    struct pyr_fault *fault)
{
    const struct pyr_desk *desk = &match->replay.state.open.desk[seat];
    struct pyr_choice before = match->choice[seat], *choice = &match->choice[seat];
    unsigned phase = match->replay.state.open.phase;
    enum pyr_err err = PYR_OK;
    choice->count = 0;
    if (phase == PYR_KEEP) {
        fault->number[0] = event->card[0] + 1;
        err = pyr_match_step(match, seat, pyr_step_keep(event->card[0], event->card[1]));
    } else if (phase == PYR_REPLACE) {
        fault->number[0] = event->card[0] + 1;
        return pyr_match_step(match, seat, event->kind == PYR_EVENT_DRAW ? pyr_step_draw() : pyr_step_take(event->card[0]));
    } else if (!event->count) {
        err = pyr_match_step(match, seat, pyr_step_pass());
    }
    for (unsigned i = 0; i < event->count && phase == PYR_MARK && !err; i++) {
        unsigned slot = desk->card[0] == event->part[i].card ? 0 : 1;
        struct pyr_out out;
        pyr_out_init(&out, fault->word, sizeof fault->word);
        pyr_out_number(&out, event->part[i].card + 1);
        pyr_out_char(&out, ':');
        pyr_spaces_write(event->part[i].spaces, &out);
        fault->number[0] = event->part[i].card + 1;
        if (pyr_match_is_ready(match, seat))
            err = PYR_ERR_EXTRA_TOO_MANY;
        else if (desk->card[slot] != event->part[i].card)
            err = desk->card[0] == PYR_NO_CARD && desk->card[1] == PYR_NO_CARD ? PYR_ERR_MUST_PASS : PYR_ERR_NOT_ON_DESK;
        else
            err = pyr_match_step(match, seat, pyr_pair_of(slot, event->part[i].spaces));
    }
    if (!err && !pyr_match_is_ready(match, seat)) {
        struct pyr_state state;
        seat_state(match, seat, &state);
        fault->number[0] = state.desk[seat].due;
        err = PYR_ERR_EXTRA_MISSING;
    }
    if (err)
        *choice = before;
    return err;
}

enum pyr_err pyr_match_choose(struct pyr_match *match, pyr_seat seat, const char *text, struct pyr_fault *fault)
{
    struct pyr_fault ignored;
    struct pyr_lines lines;
    struct pyr_event event;
    if (!fault)
        fault = &ignored;
    *fault = (struct pyr_fault){ .code = PYR_OK };
    if (!is_due(match, seat))
        return fault->code = PYR_ERR_NOT_DUE;
    if (match->choice[seat].confirmed)
        return fault->code = PYR_ERR_CONFIRMED;
    if (!pyr_choice_read(match->replay.state.open.phase, text, word_of(text).length, &lines, &event)) {
        *fault = lines.fault;
        return fault->code;
    }
    return fault->code = try_choice(match, seat, &event, fault);
}

/* Records. */

/* Tags may take what the longest game leaves over, and no more: a log must never be too full for the game to go on. */
#define GAME_BYTES (24u << 10)

static bool is_room_for_tags(uint32_t lines, size_t bytes)
{
    return lines <= PYR_LOG_TAGS && bytes <= PYR_LOG_SIZE - GAME_BYTES;
}

static void count_tag(struct pyr_word line, uint32_t *lines, size_t *bytes)
{
    static const char tag[] = "tag ";
    for (size_t i = 0; i < sizeof tag - 1; i++)
        if (i >= line.length || line.at[i] != tag[i])
            return;
    *lines += 1;
    *bytes += line.length + 1;
}

enum pyr_err pyr_match_load(struct pyr_match *match, const struct pyr_edition *edition, const char *text, size_t size,
    pyr_seat viewer, struct pyr_fault *fault)
{
    struct pyr_replay check;
    struct pyr_lines lines;
    pyr_replay_init(&check, viewer);
    enum pyr_err err = pyr_record_read(edition, &check, text, size, fault);
    if (err)
        return err;
    match->edition = edition;
    match->replay = check;
    match->log.lines = 0;
    match->log.start[0] = 0;
    forget_choices(match);
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
    /* A phase in which some have chosen and some have not: the lines stay, the choices count as made and confirmed. */
    return PYR_OK;
}

void pyr_match_shuffle(struct pyr_match *match, struct pyr_rng *rng)
{
    struct pyr_view view;
    struct pyr_state sample;
    if (match->replay.stage != PYR_STAGE_PLAY)
        return;
    struct pyr_state *state = &match->replay.state;
    pyr_view_init(&view, state, PYR_NOBODY);
    pyr_view_sample(&match->edition->box, &view, rng, &sample);
    for (unsigned i = 0; i < PYR_CARDS; i++)
        state->hidden.deck[i] = sample.hidden.deck[i];
    for (unsigned round = 0; round < PYR_ROUNDS; round++)
        for (unsigned i = 0; i < PYR_EXPEDITIONS; i++)
            state->hidden.expedition[round][i] = sample.hidden.expedition[round][i];
    go_on(match);
}

enum pyr_err pyr_match_tag(struct pyr_match *match, const char *name, const char *value)
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
    if (!pyr_lines_next(&lines, false) || !pyr_event_read(match->edition, &lines, &event))
        return lines.fault.code ? lines.fault.code : PYR_ERR_TEXT_MISSING;
    if (lines.line.length != out.length)
        return PYR_ERR_TEXT_ENCODING;        /* a line end inside */
    if (event.name.length != word_of(name).length)
        return PYR_ERR_TEXT_SPACE;           /* a name of two words */
    uint32_t lines_used = 1;
    size_t bytes_used = out.length + 1;
    for (uint32_t i = 0; i < match->log.lines; i++)
        count_tag(pyr_match_line(match, i), &lines_used, &bytes_used);
    if (!is_room_for_tags(lines_used, bytes_used))
        return PYR_ERR_TEXT_FULL;
    return log_add(&match->log, (struct pyr_word){ line, out.length }) ? PYR_OK : PYR_ERR_TEXT_FULL;
}

bool pyr_match_line_is_visible(const struct pyr_match *match, uint32_t line, pyr_seat seat)
{
    struct pyr_word word = pyr_match_line(match, line);
    static const char deal[] = "deal ";
    for (size_t i = 0; i < sizeof deal - 1; i++)
        if (i >= word.length || word.at[i] != deal[i])
            return true;
    return pyr_match_is_over(match) || (word.length > 5 && word.at[5] == '1' + seat && seat < PYR_MAX_SEATS);
}

enum pyr_err pyr_match_replay(const struct pyr_match *match, uint32_t lines, struct pyr_replay *replay)
{
    struct pyr_replay fresh;
    if (lines > match->log.lines)
        return PYR_ERR_NO_SUCH_LINE;
    pyr_replay_init(&fresh, match->replay.viewer);
    if (lines) {
        enum pyr_err err = pyr_record_read(match->edition, &fresh, match->log.text, match->log.start[lines], NULL);
        if (err)
            return err;
    }
    *replay = fresh;
    return PYR_OK;
}
