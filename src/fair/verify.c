/*
 * verify.c: checks the shuffle of a record; see fair.h. First the tags are collected, then the record is replayed line
 * by line. Each line of chance is compared with the shuffle before the rules are checked, so that tampering is
 * reported as such.
 */
#include <pyramids/daily.h>

static bool is_equal(const void *a, const void *b, size_t size)
{
    const uint8_t *x = a, *y = b;
    while (size && *x == *y)
        x++, y++, size--;
    return !size;
}

/* `other` is a second line that the message refers to; 0: none. */
static enum pyr_fair_code fail(struct pyr_fair_report *r, enum pyr_fair_code code, uint32_t line, uint32_t other)
{
    r->code = code;
    r->line = line;
    r->other = other;
    return code;
}

/* The tags found so far. Lines are numbered from 1, so 0 means "not yet". */
struct tags {
    uint32_t commitment, secret, number[PYR_MAX_SEATS];
    uint32_t deal, winner;       /* the first of each */
    uint32_t last;               /* number of the last line */
    uint32_t day;                /* line of the tag for a daily expedition */
    uint8_t hash[PYR_FAIR_BYTES];
};

/* Reads a tag's hexadecimal value, which may occur only once. */
static bool take_hex(struct pyr_fair_report *r, struct pyr_word hex, uint32_t line, uint32_t *seen, uint8_t *bytes)
{
    if (*seen)
        fail(r, PYR_FAIR_TWICE, line, *seen);
    else if (!pyr_fair_read_hex(hex.at, hex.length, bytes))
        fail(r, PYR_FAIR_HEX, line, 0);
    *seen = line;
    return !r->code;
}

static void take_number(struct pyr_fair_report *r, struct tags *tags, struct pyr_word value, uint32_t line)
{
    bool seated = value.length > 1 && value.at[0] >= '1' && value.at[0] <= '0' + PYR_MAX_SEATS && value.at[1] == ' ';
    if (tags->deal)
        fail(r, PYR_FAIR_LATE, line, tags->deal);
    else if (!tags->commitment)
        fail(r, PYR_FAIR_BEFORE_COMMITMENT, line, 0);
    else if (!seated)
        fail(r, PYR_FAIR_SEAT, line, 0);
    if (r->code)
        return;
    unsigned seat = (unsigned)(value.at[0] - '1');
    struct pyr_word hex = { value.at + 2, value.length - 2 };
    uint8_t number[PYR_FAIR_BYTES];
    if (take_hex(r, hex, line, &tags->number[seat], number))
        pyr_fair_add(&r->fair, (pyr_seat)seat, number);
}

/* The position of a tag matters as much as its value: a commitment after the first deal is worthless, and a secret that
 * is known before the end would let a player predict the cards. */
static void take_tag(struct pyr_fair_report *r, struct tags *tags, const struct pyr_event *event, uint32_t line)
{
    if (pyr_word_is(event->name, "commitment")) {
        if (tags->deal)
            fail(r, PYR_FAIR_LATE, line, tags->deal);
        else
            take_hex(r, event->value, line, &tags->commitment, tags->hash);
    } else if (pyr_word_is(event->name, "number")) {
        take_number(r, tags, event->value, line);
    } else if (pyr_word_is(event->name, "day") || pyr_word_is(event->name, "practice")) {
        tags->day = line;
    } else if (pyr_word_is(event->name, "secret")) {
        if (!tags->winner)
            fail(r, PYR_FAIR_EARLY, line, 0);
        else
            take_hex(r, event->value, line, &tags->secret, r->fair.secret);
    }
}

/* Collects and checks the tags; unreadable lines are reported by the reader of the record. */
static enum pyr_fair_code read_tags(const struct pyr_edition *edition, const char *text, size_t size, struct tags *tags,
    struct pyr_fair_report *r)
{
    struct pyr_lines lines;
    struct pyr_event event;
    uint8_t hash[PYR_FAIR_BYTES];
    pyr_lines_init(&lines, text, size);
    while (!r->code && pyr_lines_next(&lines, false) && pyr_event_read(&event, edition, &lines)) {
        tags->last = lines.number;
        if (event.kind == PYR_EVENT_PLAYER)
            r->seats++;
        else if (event.kind == PYR_EVENT_DEAL && !tags->deal)
            tags->deal = lines.number;
        else if (event.kind == PYR_EVENT_WINNER && !tags->winner)
            tags->winner = lines.number;
        else if (event.kind == PYR_EVENT_TAG)
            take_tag(r, tags, &event, lines.number);
    }
    for (unsigned s = 0; s < PYR_MAX_SEATS && !r->code; s++) {
        if (tags->number[s] && s >= r->seats)
            return fail(r, PYR_FAIR_SEAT, tags->number[s], 0);
        r->numbers += tags->number[s] != 0;
    }
    if (r->code)
        return r->code;
    if (!tags->commitment)
        return fail(r, PYR_FAIR_NO_COMMITMENT, tags->deal ? tags->deal : tags->last, 0);
    if (!tags->secret)
        return fail(r, tags->winner ? PYR_FAIR_NO_SECRET : PYR_FAIR_UNDER_WAY, tags->last, 0);
    pyr_fair_hash(r->fair.secret, hash);
    if (!is_equal(hash, tags->hash, sizeof hash))
        return fail(r, PYR_FAIR_MISMATCH, tags->secret, tags->commitment);
    if (tags->day && (r->numbers || r->seats != PYR_DAILY_SEATS))
        return fail(r, PYR_FAIR_DAY, tags->day, 0);    /* the day's cards are those without numbers */
    return PYR_FAIR_GOOD;
}

/* The deck without the cards that were kept, top first. */
static void deck_left(const struct pyr_replay *replay, const struct pyr_chance *chance, pyr_card left[PYR_CARDS])
{
    pyr_cardset kept = 0;
    unsigned count = 0;
    for (unsigned s = 0; s < replay->seats; s++)
        for (unsigned i = 0; i < PYR_KEPT; i++)
            kept |= PYR_CARD_BIT(replay->keep[s][i]);
    for (unsigned i = 0; i < PYR_CARDS; i++)
        if (!(kept >> chance->deck[i] & 1))
            left[count++] = chance->deck[i];
    while (count < PYR_CARDS)
        left[count++] = 0;
}

/* Replaces an event of chance by the one that follows from the shuffle; false if it is not one, or not due (which the
 * rules report). Also gives how many cards have left the deck, and how many expedition cards were revealed. */
static bool fair_event(const struct pyr_replay *replay, const struct pyr_chance *chance, unsigned drawn, unsigned revealed,
    struct pyr_event *event)
{
    const struct pyr_table *open = &replay->state.open;
    if (event->kind == PYR_EVENT_DEAL) {
        if (replay->stage > PYR_STAGE_DEAL || replay->seats < PYR_MIN_SEATS || event->seat >= replay->seats)
            return false;
        __builtin_memcpy(event->card, chance->dealt[event->seat], sizeof event->card);
        return true;
    }
    if (replay->stage != PYR_STAGE_PLAY)
        return false;
    if ((event->kind == PYR_EVENT_SHOW && open->phase == PYR_SHOW) ||
        (event->kind == PYR_EVENT_DRAW && open->phase == PYR_REPLACE)) {
        pyr_card left[PYR_CARDS];
        unsigned all = (unsigned)(PYR_CARDS - PYR_KEPT * replay->seats);
        if (drawn + event->count > all)
            return false;
        deck_left(replay, chance, left);
        for (unsigned i = 0; i < event->count; i++)
            event->card[i] = left[drawn + i];
        return true;
    }
    if (event->kind == PYR_EVENT_REVEAL && open->phase == PYR_REVEAL && revealed < PYR_ROUNDS * PYR_TURNS) {
        event->pattern = chance->expedition[revealed / PYR_TURNS][revealed % PYR_TURNS];
        return true;
    }
    return false;
}

static bool is_same(const struct pyr_event *a, const struct pyr_event *b)
{
    return a->kind == PYR_EVENT_REVEAL ? a->pattern == b->pattern : is_equal(a->card, b->card, a->count * sizeof *a->card);
}

/* Replays the record and compares. */
static enum pyr_fair_code follow(const struct pyr_edition *edition, const char *text, size_t size, struct pyr_fair_report *r)
{
    struct pyr_chance chance;
    struct pyr_replay replay;
    struct pyr_lines lines;
    struct pyr_event event;
    unsigned drawn = 0;
    if (pyr_fair_chance(&r->fair, edition, r->seats, &chance))
        chance = (struct pyr_chance){ .deck = { 0 } };       /* the rules will report that there are not 2 to 4 players */
    pyr_replay_init(&replay, PYR_NOBODY);
    pyr_lines_init(&lines, text, size);
    while (pyr_lines_next(&lines, false) && pyr_event_read(&event, edition, &lines)) {
        struct pyr_event fair = event;
        bool chanced = fair_event(&replay, &chance, drawn, r->reveals, &fair);
        if (chanced && !is_same(&event, &fair)) {
            struct pyr_out out;
            pyr_out_init(&out, r->expected, sizeof r->expected);
            pyr_event_write(&fair, edition, &out);
            return fail(r, PYR_FAIR_CARDS, lines.number, 0);
        }
        if (pyr_replay_event(&replay, edition, &event, &r->fault)) {
            r->fault.line = lines.number;
            return fail(r, PYR_FAIR_RECORD, lines.number, 0);
        }
        if (!chanced)
            continue;
        r->deals += event.kind == PYR_EVENT_DEAL;
        r->shows += event.kind == PYR_EVENT_SHOW;
        r->reveals += event.kind == PYR_EVENT_REVEAL;
        r->draws += event.kind == PYR_EVENT_DRAW;
        if (event.kind == PYR_EVENT_SHOW || event.kind == PYR_EVENT_DRAW)
            drawn += event.count;
    }
    if (lines.fault.code) {
        r->fault = lines.fault;
        return fail(r, PYR_FAIR_RECORD, lines.fault.line, 0);
    }
    return PYR_FAIR_GOOD;
}

enum pyr_fair_code pyr_fair_verify(const struct pyr_edition *edition, const char *text, size_t size,
    struct pyr_fair_report *r)
{
    struct tags tags = { .last = 0 };
    *r = (struct pyr_fair_report){ .code = PYR_FAIR_GOOD };
    if (!read_tags(edition, text, size, &tags, r))
        return follow(edition, text, size, r);
    /* Faults of the record itself come first, up to the wrong tag. */
    struct pyr_replay replay;
    pyr_replay_init(&replay, PYR_NOBODY);
    bool whole = r->code == PYR_FAIR_NO_COMMITMENT || r->code == PYR_FAIR_UNDER_WAY || r->code == PYR_FAIR_NO_SECRET;
    if (pyr_record_read(&replay, edition, text, size, &r->fault) && (whole || r->fault.line <= r->line))
        return fail(r, PYR_FAIR_RECORD, r->fault.line, 0);
    return r->code;
}
