/*
 * line.c: one line of a record, from words to numbers and back. replay.c checks whether it is allowed at its position.
 *
 * Numbers are counted from 1 in lines (seats, cards, rows) and from 0 in events. Positions in faults are columns from 1.
 * Words of an event point into the line and are valid as long as it is.
 */
#include <pyramids/record.h>

/* The lines of a record: keyword and form, in the order of enum pyr_event_kind. */
static const struct {
    const char *keyword, *form;
} kinds[PYR_EVENT_KINDS] = {
    { "pyramids-record", "pyramids-record 1" },
    { "edition", "edition NAME" },
    { "player", "player SEAT NAME" },
    { "tag", "tag NAME VALUE" },
    { "deal", "deal SEAT C C C C" },
    { "keep", "keep SEAT C C" },
    { "show", "show C..." },
    { "reveal", "reveal PATTERN" },
    { "mark", "mark SEAT MOVE" },
    { "take", "take SEAT C" },
    { "draw", "draw SEAT C" },
    { "points", "points SEAT COLOUR N" },
    { "score", "score SEAT N pyramids N torches N points N gems N skulls N" },
    { "winner", "winner SEAT..." },
};

static bool read_seat(struct pyr_lines *lines, struct pyr_event *event)
{
    int32_t seat;
    if (!pyr_lines_number(lines, 1, PYR_MAX_SEATS, &seat))
        return false;
    event->seat = (pyr_seat)(seat - 1);
    return true;
}

/* Reads at least `least` cards, and as many more as there are, up to `most`. */
static bool read_cards(struct pyr_lines *lines, struct pyr_event *event, unsigned least, unsigned most)
{
    while (event->count < least || (event->count < most && pyr_lines_more(lines))) {
        int32_t number;
        if (!pyr_lines_number(lines, 1, PYR_CARDS, &number))
            return false;
        event->card[event->count++] = (pyr_card)(number - 1);
    }
    return !lines->fault.code;
}

/* A number of a move: at most two digits, without the reader's checks. */
static size_t read_move_card(struct pyr_word text, size_t at, pyr_card *card)
{
    unsigned number = 0;
    size_t start = at;
    while (at < text.length && at < start + 2 && text.at[at] >= '0' && text.at[at] <= '9')
        number = number * 10 + (unsigned)(text.at[at++] - '0');
    if (at == start || text.at[start] == '0' || number > PYR_CARDS)
        return 0;
    *card = (pyr_card)(number - 1);
    return at;
}

/* "17:c1c2c3+4:a1", or "-" for none. The spaces of a part are in ascending order, so that every move has only one
 * notation and records can be compared as text. */
bool pyr_move_read(struct pyr_event *event, struct pyr_lines *lines, struct pyr_word word)
{
    size_t base = (size_t)(word.at - lines->line.at), at = 0;
    event->count = 0;
    if (pyr_word_is(word, "-"))
        return true;
    for (;;) {
        struct pyr_part part = { 0, 0 };
        size_t start = at;
        if (event->count == PYR_MAX_PARTS)
            return pyr_lines_fail(lines, PYR_ERR_EXTRA_TOO_MANY, base + at + 1, PYR_NO_WORD);
        at = read_move_card(word, at, &part.card);
        if (!at || at >= word.length || word.at[at] != ':')
            return pyr_lines_fail(lines, PYR_ERR_TEXT_MOVE, base + start + 1, word);
        at++;
        int last = -1;
        do {
            if (at + 1 >= word.length || word.at[at] < 'a' || word.at[at] > 'e' || word.at[at + 1] < '1' ||
                word.at[at + 1] > '5')
                return pyr_lines_fail(lines, PYR_ERR_TEXT_SPACES, base + at + 1, word);
            int space = (word.at[at + 1] - '1') * PYR_ROW + (word.at[at] - 'a');
            if (space <= last)
                return pyr_lines_fail(lines, PYR_ERR_TEXT_ORDER, base + at + 1, word);
            last = space;
            part.spaces |= (pyr_spaces)1 << space;
            at += 2;
        } while (at < word.length && word.at[at] != '+');
        event->part[event->count++] = part;
        if (at == word.length)
            return true;
        at++;                                /* the plus */
    }
}

/* The total comes first, then each part after its word, always in this order. */
static bool read_score(struct pyr_lines *lines, struct pyr_event *event)
{
    static const char *const words[] = { NULL, "pyramids", "torches", "points", "gems", "skulls" };
    int16_t *const values[] = { &event->score.total, &event->score.pyramids, &event->score.torches, &event->score.points,
        &event->score.gems, &event->score.skulls };
    if (!read_seat(lines, event))
        return false;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        struct pyr_word word;
        int32_t number;
        if (words[i]) {
            if (!pyr_lines_word(lines, &word))
                return false;
            if (!pyr_word_is(word, words[i]))
                return pyr_lines_fail(lines, PYR_ERR_TEXT_KEYWORD, lines->at - word.length + 1, word);
        }
        if (!pyr_lines_number(lines, -9999, 9999, &number))
            return false;
        *values[i] = (int16_t)number;
    }
    return true;
}

/* In ascending order, so none can occur twice. */
static bool read_winners(struct pyr_lines *lines, struct pyr_event *event)
{
    int32_t seat = 0;
    do {
        if (!pyr_lines_number(lines, seat + 1, PYR_MAX_SEATS, &seat))
            return false;
        event->winners |= (uint8_t)(1u << (seat - 1));
    } while (seat < PYR_MAX_SEATS && pyr_lines_more(lines));
    return true;
}

static bool read_points(struct pyr_lines *lines, struct pyr_event *event)
{
    struct pyr_word word;
    int32_t points;
    if (!read_seat(lines, event) || !pyr_lines_word(lines, &word))
        return false;
    event->colour = (uint8_t)pyr_colour_of(word);
    if (event->colour == PYR_COLOURS)
        return pyr_lines_fail(lines, PYR_ERR_TEXT_COLOUR, lines->at - word.length + 1, word);
    if (!pyr_lines_number(lines, 0, 99, &points))
        return false;
    event->points = (uint8_t)points;
    return true;
}

/* The words after the keyword. The caller checks that nothing else is on the line. */
static bool read_arguments(const struct pyr_edition *edition, struct pyr_lines *lines, struct pyr_event *event)
{
    struct pyr_word word;
    int32_t number;
    switch (event->kind) {
    case PYR_EVENT_HEADER:
        if (!pyr_lines_number(lines, 0, 999, &number))
            return false;
        return number == 1 || pyr_lines_fail(lines, PYR_ERR_TEXT_VERSION, 0, PYR_NO_WORD);
    case PYR_EVENT_EDITION:
        return pyr_lines_word(lines, &event->name);
    case PYR_EVENT_PLAYER:
        return read_seat(lines, event) && pyr_lines_rest(lines, PYR_MAX_PLAYER_NAME, &event->name);
    case PYR_EVENT_TAG:
        return pyr_lines_word(lines, &event->name) && pyr_lines_rest(lines, PYR_MAX_LINE, &event->value);
    case PYR_EVENT_DEAL:
        return read_seat(lines, event) && read_cards(lines, event, PYR_DEALT, PYR_DEALT);
    case PYR_EVENT_KEEP:
        return read_seat(lines, event) && read_cards(lines, event, PYR_KEPT, PYR_KEPT);
    case PYR_EVENT_SHOW:
        return read_cards(lines, event, 1, PYR_DISPLAY);
    case PYR_EVENT_REVEAL:
        if (!pyr_lines_word(lines, &word))
            return false;
        event->pattern = pyr_edition_pattern(edition, word);
        return event->pattern != PYR_NO_PATTERN ||
            pyr_lines_fail(lines, PYR_ERR_RECORD_PATTERN, lines->at - word.length + 1, word);
    case PYR_EVENT_MARK:
        return read_seat(lines, event) && pyr_lines_word(lines, &word) && pyr_move_read(event, lines, word);
    case PYR_EVENT_TAKE:
    case PYR_EVENT_DRAW:
        return read_seat(lines, event) && read_cards(lines, event, 1, 1);
    case PYR_EVENT_POINTS:
        return read_points(lines, event);
    case PYR_EVENT_SCORE:
        return read_score(lines, event);
    case PYR_EVENT_WINNER:
        return read_winners(lines, event);
    case PYR_EVENT_KINDS:
        break;
    }
    return false;
}

/* False with lines->fault: the position, the word and the expected form. */
bool pyr_event_read(struct pyr_event *event, const struct pyr_edition *edition, struct pyr_lines *lines)
{
    struct pyr_word keyword;
    *event = (struct pyr_event){ .name = PYR_NO_WORD, .value = PYR_NO_WORD };
    if (!pyr_lines_word(lines, &keyword))
        return false;
    unsigned kind = 0;
    while (kind < PYR_EVENT_KINDS && !pyr_word_is(keyword, kinds[kind].keyword))
        kind++;
    if (kind == PYR_EVENT_KINDS)
        return pyr_lines_fail(lines, PYR_ERR_TEXT_KEYWORD, 1, keyword);
    event->kind = (enum pyr_event_kind)kind;
    lines->form = kinds[kind].form;
    return read_arguments(edition, lines, event) && pyr_lines_end(lines);
}

/* Row by row, a1 first: the order that pyr_move_read requires. */
void pyr_spaces_write(pyr_spaces spaces, struct pyr_out *out)
{
    for (unsigned row = 0; row < PYR_SIDE; row++) {
        for (unsigned column = 0; column < PYR_SIDE; column++) {
            if (spaces & PYR_SPACE(row, column)) {
                pyr_out_char(out, (char)('a' + column));
                pyr_out_char(out, (char)('1' + row));
            }
        }
    }
}

/* "-" is a move without marks (Q7). */
static void write_parts(const struct pyr_part *part, unsigned count, struct pyr_out *out)
{
    if (!count)
        pyr_out_char(out, '-');
    for (unsigned i = 0; i < count; i++) {
        if (i)
            pyr_out_char(out, '+');
        pyr_out_number(out, part[i].card + 1);
        pyr_out_char(out, ':');
        pyr_spaces_write(part[i].spaces, out);
    }
}

/* A pass among the steps is not written: it has no spaces. */
void pyr_move_write(const pyr_step *steps, unsigned count, const struct pyr_desk *desk, struct pyr_out *out)
{
    struct pyr_part part[PYR_MAX_PARTS];
    unsigned parts = 0;
    for (unsigned i = 0; i < count && parts < PYR_MAX_PARTS; i++)
        if (pyr_step_kind(steps[i]) == PYR_STEP_MARK)
            part[parts++] = (struct pyr_part){ desk->card[pyr_step_slot(steps[i])], pyr_step_spaces(steps[i]) };
    write_parts(part, parts, out);
}

static void write_number(struct pyr_out *out, int32_t number)
{
    pyr_out_char(out, ' ');
    pyr_out_number(out, number);
}

static void write_score(const struct pyr_score *score, struct pyr_out *out)
{
    write_number(out, score->total);
    pyr_out_text(out, " pyramids");
    write_number(out, score->pyramids);
    pyr_out_text(out, " torches");
    write_number(out, score->torches);
    pyr_out_text(out, " points");
    write_number(out, score->points);
    pyr_out_text(out, " gems");
    write_number(out, score->gems);
    pyr_out_text(out, " skulls");
    write_number(out, score->skulls);
}

/* The inverse of pyr_event_read: the output is read as the same event. */
void pyr_event_write(const struct pyr_event *event, const struct pyr_edition *edition, struct pyr_out *out)
{
    enum pyr_event_kind kind = event->kind;
    if (kind >= PYR_EVENT_KINDS)
        return;
    pyr_out_text(out, kinds[kind].keyword);
    if (kind == PYR_EVENT_HEADER) {
        pyr_out_text(out, " 1");
        return;
    }
    if (kind == PYR_EVENT_PLAYER || (kind >= PYR_EVENT_DEAL && kind != PYR_EVENT_SHOW && kind != PYR_EVENT_REVEAL &&
            kind != PYR_EVENT_WINNER))
        write_number(out, event->seat + 1);
    if (kind == PYR_EVENT_EDITION || kind == PYR_EVENT_PLAYER || kind == PYR_EVENT_TAG) {
        pyr_out_char(out, ' ');
        pyr_out_word(out, event->name);
    }
    switch (kind) {
    case PYR_EVENT_TAG:
        pyr_out_char(out, ' ');
        pyr_out_word(out, event->value);
        break;
    case PYR_EVENT_REVEAL:
        pyr_out_char(out, ' ');
        pyr_out_text(out, edition->pattern_name[event->pattern]);
        break;
    case PYR_EVENT_MARK:
        pyr_out_char(out, ' ');
        write_parts(event->part, event->count, out);
        break;
    case PYR_EVENT_POINTS:
        pyr_out_char(out, ' ');
        pyr_out_text(out, pyr_colour_word(event->colour));
        write_number(out, event->points);
        break;
    case PYR_EVENT_SCORE:
        write_score(&event->score, out);
        break;
    case PYR_EVENT_WINNER:
        for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
            if (event->winners >> s & 1)
                write_number(out, (int32_t)s + 1);
        break;
    default:
        for (unsigned i = 0; i < event->count; i++)
            write_number(out, event->card[i] + 1);
        break;
    }
}
