/*
 * local.c: a game on this device; see local.h.
 *
 * A saved game is the record itself, with comments for data that records have no lines for: the seed, whose turn it is at
 * a shared screen, choices that are confirmed (sealed) or being made (draft). Any reader of records can read such a file;
 * only this one uses the comments.
 *
 * Chance comes from one seed: stream 0 of the generator deals the whole game, stream 2 replaces chance that cannot be
 * known (a record from elsewhere), and from 16 on every step of a bot has a stream of its own.
 *
 * Ownership: the caller owns struct pyr_local and the match. Freestanding, one thread at a time.
 */
#include <pyramids/local.h>

static const char seats_tag[] = "seats", seed_tag[] = "seed", person[] = "person";
static const char seats_comment[] = "; seats ", secret_comment[] = "; secret ", secret_tag[] = "tag secret ";

/* Words. */

static bool begins(struct pyr_word line, const char *with)
{
    size_t length = pyr_word_of(with).length;    /* with the blank after the word: "tag seats" must not match "tag
                                                    seatsize" */
    return line.length >= length && pyr_word_is((struct pyr_word){ line.at, length }, with);
}

static struct pyr_word after(struct pyr_word line, const char *with)
{
    size_t length = pyr_word_of(with).length;    /* with the blank after the word: "tag seats" must not match "tag
                                                    seatsize" */
    return (struct pyr_word){ line.at + length, line.length - length };
}

/* The next piece of a word up to a separator; the rest stays in *word. */
static struct pyr_word cut(struct pyr_word *word, char at)
{
    struct pyr_word piece = { word->at, 0 };
    while (piece.length < word->length && word->at[piece.length] != at)
        piece.length++;
    size_t used = piece.length + (piece.length < word->length);
    *word = (struct pyr_word){ word->at + used, word->length - used };
    return piece;
}

/* Up to 2^64 - 1: seeds have 64 bits, and pyr_lines reads only 32-bit numbers. */
static bool read_number(struct pyr_word word, uint64_t *number)
{
    uint64_t value = 0;
    if (!word.length || word.length > 20)
        return false;
    for (size_t i = 0; i < word.length; i++) {
        unsigned digit = (unsigned)(word.at[i] - '0');
        if (digit > 9 || value > (UINT64_MAX - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    *number = value;
    return true;
}

/* pyr_out writes only 32-bit numbers. */
static void put_number(struct pyr_out *out, uint64_t number)
{
    char digits[21];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    pyr_out_text(out, digits + at);
}

/* Beginning. */

/* The whole game follows from the seed, so it can be drawn again at any time, and the cards need not be saved. */
static void draw_chance(const struct pyr_local *local, const struct pyr_edition *edition, unsigned seats,
    struct pyr_chance *chance)
{
    struct pyr_rng rng;
    if (local->has_secret && seats == PYR_DAILY_SEATS) {
        pyr_daily_chance(local->secret, edition, chance);
        return;
    }
    pyr_rng_seed(&rng, local->seed, 0);
    pyr_chance_draw(chance, &edition->box, seats, &rng);
}

/* "person,club,expert": as in the tag "seats". */
static void write_seats(const struct pyr_local *local, unsigned seats, struct pyr_out *out)
{
    for (unsigned s = 0; s < seats; s++) {
        if (s)
            pyr_out_char(out, ',');
        pyr_out_text(out, local->people >> s & 1 ? person : local->seat[s].level);
    }
}

/* Sets the players before the game begins; false if none of them is on this device. */
static bool take_levels(struct pyr_local *local, unsigned seats, const char *const *levels)
{
    for (unsigned s = 0; s < seats; s++) {
        const char *level = levels[s] ? levels[s] : "";
        pyr_word_copy(pyr_word_of(level), local->seat[s].level, PYR_LEVEL_SIZE);
        if (!level[0])
            local->people |= (uint8_t)(1u << s);
    }
    return local->people;
}

/* The tag `seats`, then the cards. At a shared screen the game begins covered, since the first cards are secret. */
static enum pyr_err deal(struct pyr_local *local, unsigned seats, const struct pyr_chance *chance)
{
    char text[PYR_MAX_SEATS * PYR_LEVEL_SIZE];
    struct pyr_out out;
    pyr_out_init(&out, text, sizeof text);
    write_seats(local, seats, &out);
    pyr_match_tag(local->match, seats_tag, text);
    local->me = (pyr_seat)__builtin_ctz(local->people);
    local->covered = pyr_local_is_shared(local);
    local->seen_by = local->covered ? PYR_NOBODY : local->me;
    return pyr_match_deal(local->match, chance);
}

/* An empty level is a person; at least one seat must be a person's. tag_seed writes the seed into the record,
 * where other players of the record can see it. */
enum pyr_err pyr_local_begin(struct pyr_local *local, struct pyr_match *match, const struct pyr_edition *edition,
    unsigned seats, const char *const *names, const char *const *levels, uint64_t seed, bool tag_seed)
{
    struct pyr_chance chance;
    struct pyr_out out;
    char text[24];
    *local = (struct pyr_local){ .match = match, .seed = seed, .seen_by = PYR_NOBODY };
    if (seats < PYR_MIN_SEATS || seats > PYR_MAX_SEATS)
        return PYR_ERR_SEATS;
    if (!take_levels(local, seats, levels))
        return PYR_ERR_SEATS;
    draw_chance(local, edition, seats, &chance);
    enum pyr_err err = pyr_match_begin(match, edition, seats, names);
    if (err)
        return err;
    pyr_out_init(&out, text, sizeof text);
    if (tag_seed) {
        put_number(&out, seed);
        pyr_match_tag(match, seed_tag, text);
    }
    return deal(local, seats, &chance);
}

enum pyr_err pyr_local_begin_daily(struct pyr_local *local, struct pyr_match *match, const struct pyr_edition *edition,
    const char *const *names, int32_t day, const uint8_t secret[PYR_FAIR_BYTES], bool is_practice)
{
    static const char *const levels[PYR_DAILY_SEATS] = { "", PYR_DAILY_BOT, PYR_DAILY_BOT };
    struct pyr_chance chance;
    char date[PYR_DAILY_DATE], hex[PYR_FAIR_DIGITS + 1];
    *local = (struct pyr_local){ .match = match, .seen_by = PYR_NOBODY, .has_secret = true };
    __builtin_memcpy(local->secret, secret, PYR_FAIR_BYTES);
    take_levels(local, PYR_DAILY_SEATS, levels);
    draw_chance(local, edition, PYR_DAILY_SEATS, &chance);
    enum pyr_err err = pyr_match_begin(match, edition, PYR_DAILY_SEATS, names);
    if (err)
        return err;
    pyr_daily_write_date(day, date);
    pyr_match_tag(match, is_practice ? "practice" : "day", date);
    pyr_fair_commitment(secret, hex);
    pyr_match_tag(match, "commitment", hex);
    return deal(local, PYR_DAILY_SEATS, &chance);
}

/* Called after every change: when a daily expedition is over, adds its secret to the record, as a server does. */
static void reveal(struct pyr_local *local)
{
    struct pyr_match *match = local->match;
    char hex[PYR_FAIR_DIGITS + 1];
    if (!local->has_secret || !pyr_match_is_over(match) || begins(pyr_match_line(match, match->log.lines - 1), secret_tag))
        return;
    pyr_fair_write_hex(local->secret, hex);
    pyr_match_tag(match, "secret", hex);
}

/* Writes the players into a record that lacks them, once, and only if they are known for every seat. */
void pyr_local_claim(struct pyr_local *local)
{
    struct pyr_match *match = local->match;
    char text[PYR_MAX_SEATS * PYR_LEVEL_SIZE];
    struct pyr_out out;
    for (uint32_t i = 0; i < match->log.lines; i++)
        if (begins(pyr_match_line(match, i), "tag seats "))
            return;
    for (unsigned s = 0; s < match->replay.seats; s++)
        if (!(local->people >> s & 1) && !local->seat[s].level[0])
            return;                          /* the record does not show which player this was */
    pyr_out_init(&out, text, sizeof text);
    write_seats(local, match->replay.seats, &out);
    pyr_match_tag(match, seats_tag, text);
}

/* Whether a person has done anything worth saving. */
bool pyr_local_is_begun(const struct pyr_local *local)
{
    const struct pyr_match *match = local->match;
    bool is_sealed = false;
    for (unsigned s = 0; s < match->replay.seats; s++)
        is_sealed = is_sealed || (local->people >> s & 1 && match->choice[s].confirmed);
    return is_sealed || match->replay.stage != PYR_STAGE_PLAY || match->replay.state.open.phase != PYR_KEEP;
}

/* Saving and loading. */

/* A draft may be an incomplete choice, which cannot be written as text, so its steps are written as 16 hexadecimal digits
 * each. */
static void put_choice(const struct pyr_local *local, pyr_seat seat, struct pyr_out *out)
{
    static const char digits[] = "0123456789abcdef";
    const struct pyr_pending *choice = &local->match->choice[seat];
    pyr_out_text(out, choice->confirmed ? "; sealed " : "; draft ");
    pyr_out_number(out, seat + 1);
    if (choice->confirmed) {                 /* complete, so it can be written as in a record */
        pyr_out_char(out, ' ');
        pyr_game_write_choice(&local->match->game, seat, out);
    }
    for (unsigned i = 0; i < choice->count && !choice->confirmed; i++) {
        pyr_out_char(out, ' ');
        for (int shift = 60; shift >= 0; shift -= 4)
            pyr_out_char(out, digits[pyr_pending_step(choice, i) >> shift & 15]);
    }
    pyr_out_char(out, '\n');
}

/* Whether the record itself contains the seed. */
static bool is_seed_tagged(const struct pyr_local *local)
{
    uint64_t seed;
    for (uint32_t i = 0; i < local->match->log.lines; i++) {
        struct pyr_word line = pyr_match_line(local->match, i);
        if (begins(line, "tag seed ") && read_number(after(line, "tag seed "), &seed) && seed == local->seed)
            return true;
    }
    return false;
}

/* A record from elsewhere may not contain the players; then a comment does. */
static bool has_seats_tag(const struct pyr_match *match)
{
    for (uint32_t i = 0; i < match->log.lines; i++)
        if (begins(pyr_match_line(match, i), "tag seats "))
            return true;
    return false;
}

/* 0 if it does not fit. Drafts of bots are not saved: they choose again, with the same random numbers. */
size_t pyr_local_save(const struct pyr_local *local, char *to, size_t size)
{
    const struct pyr_match *match = local->match;
    struct pyr_out out;
    pyr_out_init(&out, to, size);
    pyr_out_word(&out, (struct pyr_word){ match->log.text, match->log.start[match->log.lines] });
    if (local->has_secret && !pyr_match_is_over(match)) {
        char hex[PYR_FAIR_DIGITS + 1];
        pyr_fair_write_hex(local->secret, hex);
        pyr_out_text(&out, secret_comment);
        pyr_out_text(&out, hex);
        pyr_out_char(&out, '\n');
    } else if (!local->has_secret && !is_seed_tagged(local)) {
        pyr_out_text(&out, "; seed ");
        put_number(&out, local->seed);
        pyr_out_char(&out, '\n');
    }
    if (pyr_local_is_shared(local)) {
        pyr_out_text(&out, "; me ");
        pyr_out_number(&out, local->me + 1);
        pyr_out_char(&out, '\n');
    }
    if (!has_seats_tag(match)) {
        pyr_out_text(&out, seats_comment);
        write_seats(local, match->replay.seats, &out);
        pyr_out_char(&out, '\n');
    }
    for (unsigned s = 0; s < match->replay.seats && !pyr_match_is_over(match); s++)
        if (match->choice[s].count && (match->choice[s].confirmed || local->people >> s & 1))
            put_choice(local, (pyr_seat)s, &out);
    return out.length < size ? out.length : 0;
}

/* Reads who plays which seat; false if it is inconsistent. */
static bool read_seats(struct pyr_local *local, struct pyr_word list, unsigned seats)
{
    struct pyr_local_seat seat[PYR_MAX_SEATS] = { { "" } };
    uint8_t people = 0;
    unsigned count = 0;
    while (list.length && count < PYR_MAX_SEATS) {
        struct pyr_word word = cut(&list, ',');
        if (!word.length || word.length >= PYR_LEVEL_SIZE)
            return false;
        if (pyr_word_is(word, person))
            people |= (uint8_t)(1u << count);
        else
            pyr_word_copy(word, seat[count].level, PYR_LEVEL_SIZE);
        count++;
    }
    if (list.length || count != seats || !people)
        return false;
    local->people = people;
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        local->seat[s] = seat[s];
    return true;
}

/* `; sealed 1 17:c1c2c3`, or as steps; `; draft 1 00000000000001c0`. Invalid lines are ignored. */
static void read_choice(struct pyr_local *local, struct pyr_word words, bool is_sealed)
{
    struct pyr_match *match = local->match;
    struct pyr_word number = cut(&words, ' ');
    uint64_t seat;
    if (!read_number(number, &seat) || seat < 1 || seat > match->replay.seats ||
        match->replay.state.open.phase == PYR_REPLACE)
        return;
    pyr_seat s = (pyr_seat)(seat - 1);
    struct pyr_pending before = match->choice[s];
    /* A choice as steps has 16 digits and then a blank or the end, which no choice as text has. */
    bool is_text = words.length < 16 || (words.length > 16 && words.at[16] != ' ');
    for (size_t i = 0; i < 16 && !is_text; i++)
        is_text = !((words.at[i] >= '0' && words.at[i] <= '9') || (words.at[i] >= 'a' && words.at[i] <= 'f'));
    if (is_text) {
        char text[512];
        if (words.length >= sizeof text)
            return;
        pyr_word_copy(words, text, sizeof text);
        if (pyr_match_choose(match, s, text, NULL))
            return;
    }
    while (!is_text && words.length) {
        struct pyr_word hex = cut(&words, ' ');
        pyr_step step = 0;
        for (size_t i = 0; i < hex.length; i++)
            /* The value of a hexadecimal digit in ASCII: the low four bits, and nine more for a letter. */
            step = step << 4 | (pyr_step)((hex.at[i] & 15) + (hex.at[i] > '9' ? 9 : 0));
        if (hex.length != 16 || pyr_match_step(match, s, step)) {
            match->choice[s] = before;
            return;
        }
    }
    /* Confirming the last open choice would end the phase, as it did when it was made. */
    if (is_sealed && pyr_match_is_ready(match, s))
        pyr_match_confirm(match, s);
}

/* Sets the true order of the hidden cards, if the seed gives the cards that were dealt. */
static bool supply(struct pyr_local *local)
{
    struct pyr_chance chance;
    struct pyr_match *match = local->match;
    draw_chance(local, match->edition, match->replay.seats, &chance);
    for (unsigned s = 0; s < match->replay.seats; s++)
        for (unsigned i = 0; i < PYR_DEALT; i++)
            if (chance.dealt[s][i] != match->replay.state.hidden.dealt[s][i])
                return false;
    pyr_match_set_chance(match, &chance);
    return true;
}

/* Calls `take` for each line of the text, comments too. */
static void each_line(
    const char *text, size_t size, void (*take)(struct pyr_local *local, struct pyr_word line), struct pyr_local *local)
{
    struct pyr_word rest = { text, size };
    while (rest.length) {
        struct pyr_word line = cut(&rest, '\n');
        if (line.length && line.at[line.length - 1] == '\r')
            line.length--;
        take(local, line);
    }
}

/* Later lines win, so a comment at the end can correct a tag. */
static void take_setup(struct pyr_local *local, struct pyr_word line)
{
    uint64_t me;
    if (begins(line, "tag seats "))
        read_seats(local, after(line, "tag seats "), local->match->replay.seats);
    else if (begins(line, seats_comment))
        read_seats(local, after(line, seats_comment), local->match->replay.seats);
    else if (begins(line, "tag seed "))
        read_number(after(line, "tag seed "), &local->seed);
    else if (begins(line, "; seed "))
        read_number(after(line, "; seed "), &local->seed);
    else if (begins(line, secret_comment)) {
        struct pyr_word hex = after(line, secret_comment);
        local->has_secret = pyr_fair_read_hex(hex.at, hex.length, local->secret);
    } else if (begins(line, "; me ") && read_number(after(line, "; me "), &me) && me >= 1 &&
        me <= local->match->replay.seats)
        local->me = (pyr_seat)(me - 1);
}

static void take_choice(struct pyr_local *local, struct pyr_word line)
{
    if (begins(line, "; sealed "))
        read_choice(local, after(line, "; sealed "), true);
    else if (begins(line, "; draft "))
        read_choice(local, after(line, "; draft "), false);
}

/* Choices are read last, after chance is known, since confirming the last one ends the phase and reveals the next card.
 * If the seed does not give the cards that were dealt, the rest is reshuffled: the game continues, but with other cards
 * than before. */
enum pyr_err pyr_local_load(struct pyr_local *local, struct pyr_match *match, const struct pyr_edition *edition,
    const char *text, size_t size, unsigned people, const char *level, uint64_t seed, struct pyr_fault *fault)
{
    enum pyr_err err = pyr_match_load(match, edition, text, size, PYR_NOBODY, fault);
    if (err)
        return err;
    if (match->replay.stage < PYR_STAGE_PLAY) {
        if (fault)
            *fault = (struct pyr_fault){ .code = PYR_ERR_PHASE };
        return PYR_ERR_PHASE;
    }
    unsigned all = (1u << match->replay.seats) - 1;
    *local = (struct pyr_local){
        .match = match, .seed = seed, .seen_by = PYR_NOBODY, .me = PYR_NOBODY, .people = (uint8_t)(people & all)
    };
    for (unsigned s = 0; s < match->replay.seats; s++)
        if (!(local->people >> s & 1))
            pyr_word_copy(pyr_word_of(level), local->seat[s].level, PYR_LEVEL_SIZE);
    each_line(text, size, take_setup, local);
    if (!local->people)
        return PYR_ERR_SEATS;
    if (!supply(local) || (!pyr_match_waiting(match) && !pyr_match_is_over(match))) {
        struct pyr_rng rng;
        pyr_rng_seed(&rng, seed, 2);
        pyr_match_shuffle(match, &rng);
    }
    each_line(text, size, take_choice, local);
    if (local->me == PYR_NOBODY || !(local->people >> local->me & 1))
        local->me = (pyr_seat)__builtin_ctz(local->people);
    local->covered = pyr_local_is_shared(local) && !pyr_match_is_over(match);
    local->seen_by = local->covered ? PYR_NOBODY : local->me;
    return PYR_OK;
}

/* Whose turn it is. */

/* More than one bit is set: x & (x - 1) clears the lowest. */
bool pyr_local_is_shared(const struct pyr_local *local)
{
    return local->people & (local->people - 1);
}

/* The lowest seat first instead of the one that finishes first, so that the order does not depend on the machine. */
pyr_seat pyr_local_due(const struct pyr_local *local, struct pyr_rng *rng)
{
    const struct pyr_match *match = local->match;
    unsigned waiting = pyr_match_waiting(match) & ~(unsigned)local->people;
    if (!waiting)
        return PYR_NOBODY;
    pyr_seat seat = (pyr_seat)__builtin_ctz(waiting);
    if (local->has_secret) {
        uint64_t seed = pyr_daily_seed(local->secret, &match->replay.state.open, seat);
        pyr_daily_rng(seed, seat, match->choice[seat].count, rng);
        return seat;
    }
    /* Each step has its own random numbers, so that the same seed gives the same game at any speed. */
    pyr_rng_seed(
        rng, local->seed, 16 + ((uint64_t)match->log.lines * PYR_MAX_SEATS + seat) * 64 + match->choice[seat].count);
    return seat;
}

uint64_t pyr_local_due_seed(const struct pyr_local *local)
{
    struct pyr_rng rng;
    pyr_seat seat = pyr_local_due(local, &rng);
    if (seat == PYR_NOBODY)
        return 0;
    return local->has_secret ? pyr_daily_seed(local->secret, &local->match->replay.state.open, seat) : pyr_rng_next(&rng);
}

/* A bot's answer may arrive after an undo or the end of the phase: it counts only for the log that it was asked for. */
static bool is_answer_due(const struct pyr_local *local, pyr_seat seat, uint32_t lines)
{
    return seat < PYR_MAX_SEATS && !(local->people >> seat & 1) && lines == local->match->log.lines &&
        pyr_match_waiting(local->match) >> seat & 1;
}

/* False: the answer is too late or not a legal step. A choice of several steps is requested step by step. */
bool pyr_local_answer(struct pyr_local *local, pyr_seat seat, uint32_t lines, pyr_step step)
{
    struct pyr_match *match = local->match;
    if (!is_answer_due(local, seat, lines) || pyr_match_step(match, seat, step))
        return false;
    if (match->log.lines == lines && pyr_match_is_ready(match, seat))
        pyr_match_confirm(match, seat);
    reveal(local);
    return true;
}

/* The same for a whole choice as text. */
bool pyr_local_answer_choice(struct pyr_local *local, pyr_seat seat, uint32_t lines, const char *choice)
{
    struct pyr_match *match = local->match;
    if (!is_answer_due(local, seat, lines) || pyr_match_choose(match, seat, choice, NULL))
        return false;
    if (match->log.lines == lines)
        pyr_match_confirm(match, seat);
    reveal(local);
    return true;
}

/* Shared screen: the next person whose choice is due gets the device, covered until they confirm that they are there.
 * True if the display has to change. */
bool pyr_local_next_person(struct pyr_local *local)
{
    const struct pyr_match *match = local->match;
    unsigned waiting = pyr_match_waiting(match) & local->people;
    pyr_seat me = local->me;
    bool covered = local->covered;
    if (!pyr_local_is_shared(local) || pyr_match_is_over(match)) {
        local->covered = false;
        return covered;
    }
    if (waiting && !(waiting >> local->me & 1))
        local->me = (pyr_seat)__builtin_ctz(waiting);
    if (waiting && local->seen_by != local->me) {
        /* Replacing is done openly; other choices are secret. */
        if (match->replay.state.open.phase == PYR_REPLACE)
            local->seen_by = local->me;
        else
            local->covered = true;
    }
    return me != local->me || covered != local->covered;
}

void pyr_local_uncover(struct pyr_local *local)
{
    local->covered = false;
    local->seen_by = local->me;
}

/* Choices. */

/* The game as it is now, before a choice, with everything that taking back needs: the length of the log, the draft, and
 * the hidden order, which the log does not contain. */
static struct pyr_local_past present(const struct pyr_local *local)
{
    const struct pyr_match *match = local->match;
    return (struct pyr_local_past){ match->log.lines, match->choice[local->me], match->replay.state.hidden };
}

/* At a shared screen nothing is remembered; only pyr_local_back_seat is possible there. The oldest entry is dropped when
 * there is no room. */
static void remember(struct pyr_local *local, const struct pyr_local_past *past)
{
    if (pyr_local_is_shared(local))
        return;
    if (local->past_count == PYR_LOCAL_PAST) {
        for (unsigned i = 1; i < PYR_LOCAL_PAST; i++)
            local->past[i - 1] = local->past[i];
        local->past_count--;
    }
    local->past[local->past_count++] = *past;
}

/* Remembers the game before the confirmation, with the draft, so that taking back restores what was placed. */
enum pyr_err pyr_local_confirm(struct pyr_local *local)
{
    struct pyr_local_past past = present(local);
    enum pyr_err err = pyr_match_confirm(local->match, local->me);
    if (!err)
        remember(local, &past);
    reveal(local);
    return err;
}

/* A card from the display or the deck takes effect at once: there is nothing to confirm. */
enum pyr_err pyr_local_take(struct pyr_local *local, pyr_step step)
{
    struct pyr_local_past past = present(local);
    enum pyr_err err = pyr_match_step(local->match, local->me, step);
    if (!err)
        remember(local, &past);
    reveal(local);
    return err;
}

enum pyr_err pyr_local_choose(struct pyr_local *local, const char *choice, struct pyr_fault *fault)
{
    struct pyr_local_past past = present(local);
    enum pyr_err err = pyr_match_choose(local->match, local->me, choice, fault);
    if (err)
        return err;
    if (local->match->log.lines == past.lines)
        return pyr_local_confirm(local);
    remember(local, &past);                  /* taking a card needs no confirmation */
    reveal(local);
    return PYR_OK;
}

/* While the phase is open. The entry that was remembered on confirming is removed. */
enum pyr_err pyr_local_retract(struct pyr_local *local)
{
    struct pyr_match *match = local->match;
    enum pyr_err err = pyr_match_retract(match, local->me);
    if (err)
        return err;
    if (local->past_count && local->past[local->past_count - 1].lines == match->log.lines)
        local->past_count--;
    return PYR_OK;
}

/* Whether a card has been seen since the log had `lines` lines, which cannot be undone (Q5): one that anyone drew from the
 * deck, or one that a person took. */
static bool is_seen(const struct pyr_local *local, uint32_t lines)
{
    const struct pyr_match *match = local->match;
    for (uint32_t i = lines; i < match->log.lines; i++) {
        struct pyr_word line = pyr_match_line(match, i);
        if (begins(line, "draw "))
            return true;
        if (begins(line, "take ") && line.length > 5 && local->people >> (line.at[5] - '1') & 1)
            return true;
    }
    return false;
}

bool pyr_local_can_take_back(const struct pyr_local *local)
{
    return local->past_count > 0 && !is_seen(local, local->past[local->past_count - 1].lines);
}

/* Replays the log up to that line; bots' choices of the phase are dropped and made again, with the same random numbers
 * (pyr_local_due). */
bool pyr_local_take_back(struct pyr_local *local)
{
    struct pyr_match *match = local->match;
    struct pyr_replay replay;
    if (!pyr_local_can_take_back(local))
        return false;
    const struct pyr_local_past *past = &local->past[--local->past_count];
    if (pyr_match_replay(match, past->lines, &replay))
        return false;
    match->replay = replay;
    match->replay.state.hidden = past->hidden;
    match->log.lines = past->lines;
    match->log.text[match->log.start[past->lines]] = '\0';
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        match->choice[s] = (struct pyr_pending){ .count = 0 };
    match->choice[local->me] = past->choice;
    match->choice[local->me].confirmed = false;
    return true;
}

/* Only while the screen is covered: then the next person has seen nothing. */
bool pyr_local_can_back_seat(const struct pyr_local *local)
{
    return local->covered && local->seen_by != PYR_NOBODY && local->seen_by != local->me &&
        local->match->choice[local->seen_by].confirmed;
}

/* The previous person takes the device back before the next one has looked. Their choice is open again, and the screen
 * covered. */
bool pyr_local_back_seat(struct pyr_local *local)
{
    if (!pyr_local_can_back_seat(local) || pyr_match_retract(local->match, local->seen_by))
        return false;
    local->me = local->seen_by;
    local->covered = true;
    local->seen_by = PYR_NOBODY;
    return true;
}
