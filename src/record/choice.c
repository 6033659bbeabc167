/*
 * choice.c: see choice.h. A choice has three forms: steps for the engine, an event for a record, and a text for people
 * and clients. Steps name slots, events and texts name cards, so every conversion takes the desk as it was before the
 * choice. This is the only file that converts between them; whether a choice is legal is decided elsewhere.
 */
#include <pyramids/choice.h>

/* Writes nothing for an empty choice. The notation is that of records (docs/formats.md), so a client can send what it
 * shows. */
void pyr_choice_write(const pyr_step *steps, unsigned count, const struct pyr_desk *desk, struct pyr_out *out)
{
    if (!count)
        return;
    switch (pyr_step_kind(steps[0])) {
    case PYR_STEP_KEEP:
        pyr_out_number(out, pyr_step_card(steps[0]) + 1);
        pyr_out_char(out, ' ');
        pyr_out_number(out, pyr_step_second(steps[0]) + 1);
        break;
    case PYR_STEP_TAKE:
        pyr_out_text(out, "take ");
        pyr_out_number(out, pyr_step_card(steps[0]) + 1);
        break;
    case PYR_STEP_DRAW:
        pyr_out_text(out, "draw");
        break;
    case PYR_STEP_PASS:
    case PYR_STEP_MARK:
        pyr_move_write(steps, count, desk, out);
        break;
    }
}

/* Cards are numbered from 1 in texts, and from 0 elsewhere. */
static bool read_card(struct pyr_lines *lines, struct pyr_event *event)
{
    int32_t number;
    if (!pyr_lines_number(lines, 1, PYR_CARDS, &number))
        return false;
    event->card[event->count++] = (pyr_card)(number - 1);
    return true;
}

static bool read_replacement(struct pyr_lines *lines, struct pyr_event *event)
{
    struct pyr_word word;
    if (!pyr_lines_word(lines, &word))
        return false;
    event->kind = pyr_word_is(word, "draw") ? PYR_EVENT_DRAW : PYR_EVENT_TAKE;
    if (event->kind == PYR_EVENT_DRAW)
        return true;
    if (!pyr_word_is(word, "take"))
        lines->at = 0;                       /* "17" is short for "take 17" */
    return read_card(lines, event);
}

/* The phase decides how a text is read: "17 4" keeps two cards, "17" takes one. On failure lines->fault describes the
 * error and its position. */
bool pyr_choice_read(unsigned phase, const char *text, size_t size, struct pyr_lines *lines, struct pyr_event *event)
{
    struct pyr_word word;
    *event = (struct pyr_event){ .kind = PYR_EVENT_MARK, .name = PYR_NO_WORD, .value = PYR_NO_WORD };
    pyr_lines_init(lines, text, size);
    bool any = pyr_lines_next(lines, true) && lines->line.length;
    if (!any)
        pyr_lines_fail(lines, PYR_ERR_TEXT_MISSING, 0, PYR_NO_WORD);
    else if (lines->line.at != lines->text || lines->next != lines->size)
        pyr_lines_fail(lines, PYR_ERR_TEXT_EXTRA, 0, PYR_NO_WORD);   /* a choice is one line */
    if (phase == PYR_MARK) {
        lines->form = "CARD:SPACES+CARD:SPACE";
        return pyr_lines_word(lines, &word) && pyr_move_read(event, lines, word) && pyr_lines_end(lines);
    }
    if (phase == PYR_KEEP) {
        lines->form = "C C";
        event->kind = PYR_EVENT_KEEP;
        return read_card(lines, event) && read_card(lines, event) && pyr_lines_end(lines);
    }
    lines->form = "take C, draw";
    return read_replacement(lines, event) && pyr_lines_end(lines);
}

/* At least one step. Parts beyond PYR_MAX_PARTS cannot occur: a choice has no more. */
void pyr_choice_event(const struct pyr_desk *desk, pyr_seat seat, const pyr_step *steps, unsigned count,
    struct pyr_event *event)
{
    *event = (struct pyr_event){ .kind = PYR_EVENT_MARK, .seat = seat, .name = PYR_NO_WORD, .value = PYR_NO_WORD };
    switch (pyr_step_kind(steps[0])) {
    case PYR_STEP_KEEP:
        event->kind = PYR_EVENT_KEEP;
        event->count = PYR_KEPT;
        event->card[0] = pyr_step_card(steps[0]);
        event->card[1] = pyr_step_second(steps[0]);
        break;
    case PYR_STEP_TAKE:
        event->kind = PYR_EVENT_TAKE;
        event->count = 1;
        event->card[0] = pyr_step_card(steps[0]);
        break;
    case PYR_STEP_DRAW:
        event->kind = PYR_EVENT_DRAW;
        event->count = 1;
        event->card[0] = PYR_NO_CARD;        /* the card is unknown until it is drawn */
        break;
    case PYR_STEP_PASS:
        break;
    case PYR_STEP_MARK:
        for (unsigned i = 0; i < count && i < PYR_MAX_PARTS; i++)
            event->part[event->count++] = (struct pyr_part){ desk->card[pyr_step_slot(steps[i])],
                pyr_step_spaces(steps[i]) };
        break;
    }
}

/* 0: the event is not a choice, or names a card that is not on the desk. */
unsigned pyr_choice_steps(const struct pyr_desk *desk, const struct pyr_event *event, pyr_step steps[PYR_MAX_CHOICE])
{
    switch (event->kind) {
    case PYR_EVENT_KEEP:
        steps[0] = pyr_step_keep(event->card[0], event->card[1]);
        return 1;
    case PYR_EVENT_TAKE:
        steps[0] = pyr_step_take(event->card[0]);
        return 1;
    case PYR_EVENT_DRAW:
        steps[0] = pyr_step_draw();
        return 1;
    case PYR_EVENT_MARK:
        steps[0] = pyr_step_pass();          /* a mark without parts is a pass (Q7) */
        for (unsigned i = 0; i < event->count; i++) {
            unsigned slot = desk->card[0] == event->part[i].card ? 0 : 1;
            if (desk->card[slot] != event->part[i].card)
                return 0;
            steps[i] = pyr_pair_of(slot, event->part[i].spaces);
        }
        return event->count ? event->count : 1;
    default:
        return 0;
    }
}
