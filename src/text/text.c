/*
 * text.c: codes and names as sentences and words of a language. The sentences themselves are in sentences.inc.
 */
#include <errno.h>
#include <string.h>

#include <pyramids/text.h>
#include <pyramids/utf8.h>

const char *pyr_text_colour(unsigned colour)
{
    switch (colour) {
    case PYR_GREEN: return _("green");
    case PYR_ORANGE: return _("orange");
    default: return _("purple");
    }
}

/* Levels of bots, by their names in records and in the protocol. Other bots (greedy, flatmc) keep their names. */
static const struct level {
    const char *player, *level;
} levels[] = {
#define LEVEL(player, level) { player, level },
#include "sentences.inc"
};

static const struct level *find_level(const char *name)
{
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (!strcmp(name, levels[i].player))
            return &levels[i];
    return NULL;
}

const char *pyr_text_level(const char *name)
{
    const struct level *found = find_level(name);
    return found ? _(found->level) : name;
}

const char *pyr_text_bot(const char *name)
{
    const struct level *found = find_level(name);
    return found ? _(found->player) : name;
}

/* Names in records are the same in all languages. Names that we assigned ourselves ("club 2", no name) are shown
 * translated. */
void pyr_text_player(struct pyr_word name, char *to, size_t size)
{
    pyr_word_copy(name, to, size);
    pyr_text_clean(to);
    if (!strcmp(to, PYR_NAMELESS) || !strcmp(to, "You")) {
        snprintf(to, size, "%s", _("Player"));
        return;
    }
    char *blank = strrchr(to, ' ');
    if (!blank || blank[1] < '1' || blank[1] > '0' + PYR_MAX_SEATS || blank[2])
        return;
    *blank = '\0';
    const char *bot = pyr_text_bot(to);
    char number = blank[1];
    if (bot == to)
        *blank = ' ';
    else
        snprintf(to, size, "%s %c", bot, number);
}

/* Marks that change the direction of writing, and so could disguise the text after them. */
static bool turns_direction(int32_t c)
{
    return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static bool is_control(int32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/* In place: the replacement is one byte, so never longer. For texts from outside, which could otherwise control the
 * terminal. */
void pyr_text_clean(char *text)
{
    const char *from = text;
    while (*from) {
        size_t length;
        int32_t c = pyr_utf8_read(from, PYR_UTF8_LONGEST, &length);
        if (c >= 0 && !is_control(c) && !turns_direction(c))
            for (size_t i = 0; i < length; i++)
                *text++ = from[i];
        else
            *text++ = '?';
        from += length;
    }
    *text = '\0';
}

const char *pyr_text_system(int error)
{
    /* The system's own translations exist only where its locales are installed. */
    switch (error) {
    case ENOENT: return _("No such file or directory");
    case EACCES: case EPERM: return _("Permission denied");
    case EISDIR: return _("Is a directory");
    case ENOTDIR: return _("Not a directory");
    case EEXIST: return _("File exists");
    case ENOSPC: case EDQUOT: return _("No space left on device");
    case EROFS: return _("Read-only file system");
    case ENAMETOOLONG: return _("File name too long");
    case EFBIG: return _("File too large");
    case EMFILE: case ENFILE: return _("Too many open files");
    case ENOMEM: return _("Cannot allocate memory");
    case EIO: return _("Input/output error");
    case ELOOP: return _("Too many levels of symbolic links");
    case ECONNREFUSED: return _("Connection refused");
    case ETIMEDOUT: return _("Connection timed out");
    case EHOSTUNREACH: case ENETUNREACH: return _("The network cannot be reached");
    default: return strerror(error);
    }
}

/* The tables of sentences.inc: it uses the kinds of rows that are defined, and leaves out the others. */

/* A text with values to fill in. */
struct row {
    int code;                    /* enum pyr_err, enum pyr_story, enum result, or a symbol's character */
    const char *values, *text;
    const char *many;            /* NULL: the text does not depend on a number */
};

static const struct row faults[] = {
#define FAULT(name, values, text) { PYR_ERR_##name, values, text, NULL },
#define FAULT_MANY(name, values, forms) { PYR_ERR_##name, values, forms },
#define MISUSE(name, text) FAULT(name, "", text)
#include "sentences.inc"
};

static const struct row events[PYR_STORIES] = {
#define EVENT(name, values, text) [PYR_STORY_##name] = { PYR_STORY_##name, values, text, NULL },
#define EVENT_MANY(name, values, forms) [PYR_STORY_##name] = { PYR_STORY_##name, values, forms },
#include "sentences.inc"
};

enum result {
#define RESULT(name, values, text) RESULT_##name,
#define RESULT_MANY(name, values, forms) RESULT_##name,
#include "sentences.inc"
};

static const struct row results[] = {
#define RESULT(name, values, text) { RESULT_##name, values, text, NULL },
#define RESULT_MANY(name, values, forms) { RESULT_##name, values, forms },
#include "sentences.inc"
};

static const struct row counts[] = {
#define COUNT(symbol, forms) { #symbol[0], "1", forms },
#include "sentences.inc"
};

static const struct {
    enum pyr_err code;
    const char *text;
} reasons[] = {
#define REASON(name, text) { PYR_ERR_##name, text },
#include "sentences.inc"
};

static const struct {
    const char *code, *clients, *text;
} refusals[] = {
#define REFUSAL(name, clients, text) { #name, clients, text },
#include "sentences.inc"
};

static const char *const reactions[] = {
#define REACTION(name, text) text,
#include "sentences.inc"
};

/* The row for a fault: if a code has several, the last one needs no expected word. NULL: the code is unknown. */
static const struct row *find_row(const struct pyr_fault *fault)
{
    const struct row *found = NULL;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        if (faults[i].code != (int)fault->code)
            continue;
        found = &faults[i];
        if (fault->expected[0] || !strchr(found->values, 'e'))
            break;
    }
    return found;
}

/* The letters of a row's `values`: word, expected, first and second number, column; any other letter is the longest line. */
static void put_fault(struct pyr_out *out, const void *context, char value)
{
    const struct pyr_fault *fault = context;
    switch (value) {
    case 'w': pyr_out_text(out, fault->word); break;
    case 'e': pyr_out_text(out, fault->expected); break;
    case 'a': pyr_out_number(out, fault->number[0]); break;
    case 'b': pyr_out_number(out, fault->number[1]); break;
    case 'c': pyr_out_number(out, (int32_t)fault->column); break;
    default: pyr_out_number(out, PYR_MAX_LINE); break;
    }
}

/* Writes the text of a row in the form for a number, and fills in %s and %d or, where a translation has another order,
 * %2$s, with the values that `put` writes for their letters. */
static void fill(struct pyr_out *out, const struct row *row, int32_t number,
    void (*put)(struct pyr_out *out, const void *context, char value), const void *context)
{
    size_t next = 0, count = strlen(row->values);
    const char *text = row->many ? pyr_ngettext(row->text, row->many, (unsigned long)(number < 0 ? -number : number))
        : _(row->text);
    for (; *text; text++) {
        size_t at = next;
        if (*text != '%') {
            pyr_out_char(out, *text);
            continue;
        }
        if (text[1] >= '1' && text[1] <= '9' && text[2] == '$') {
            at = (size_t)(text[1] - '1');
            text += 2;
        }
        text++;                              /* its conversion letter; languages.py checks that translations use the same */
        next++;
        if (!*text)
            return;
        if (at < count)
            put(out, context, row->values[at]);
    }
}

/* Adds the rule of a code in brackets at the end, before the full stop of a sentence. */
static void cite(enum pyr_err code, char *to, size_t size)
{
    const char *rule = pyr_err_rule(code);
    size_t length = strlen(to);
    bool stops = length && to[length - 1] == '.';
    if (*rule)
        snprintf(to + length - stops, size - length + stops, " (%s)%s", rule, stops ? "." : "");
}

/* The rule follows the sentence, in brackets, where the terminal's "w" finds it. */
void pyr_text_fault(const struct pyr_fault *fault, char *to, size_t size)
{
    const struct row *row = find_row(fault);
    struct pyr_out out;
    if (!row) {
        snprintf(to, size, _("unknown error %d"), (int)fault->code);
        return;
    }
    pyr_out_init(&out, to, size);
    fill(&out, row, fault->number[0], put_fault, fault);
    cite(fault->code, to, size);
}

/* Short sentences for the terminal's message line; codes without one get the sentence of a fault. */
void pyr_text_reason(enum pyr_err code, char *to, size_t size)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (reasons[i].code == code) {
            snprintf(to, size, "%s", _(reasons[i].text));
            cite(code, to, size);
            return;
        }
    }
    pyr_text_error(code, to, size);
}

void pyr_text_error(enum pyr_err code, char *to, size_t size)
{
    struct pyr_fault fault = { .code = code };
    pyr_text_fault(&fault, to, size);
}

const char *pyr_text_refusal(const char *code)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (!strcmp(refusals[i].code, code) && strchr(refusals[i].clients, 't'))
            return _(refusals[i].text);
    return NULL;
}

const char *pyr_text_reaction(unsigned symbol)
{
    return symbol < sizeof reactions / sizeof *reactions ? _(reactions[symbol]) : "";
}

static void put_count(struct pyr_out *out, const void *context, char value)
{
    (void)value;
    pyr_out_number(out, (int32_t)*(const unsigned *)context);
}

void pyr_text_symbols(const struct pyr_symbols *symbols, bool torch_lost, char *to, size_t size)
{
    struct pyr_out out;
    pyr_out_init(&out, to, size);
    /* In the order in which they take effect (Q1); a card has only one usable torch and one tomb, so these are not
     * counted. */
    for (const char *c = "refspxT"; *c; c++) {
        unsigned count = 0;
#define COUNT_OF(name, character) if (*c == character) count = symbols->name;
        PYR_SYMBOLS(COUNT_OF)
        COUNT_OF(tomb, 'T')
#undef COUNT_OF
        if (!count)
            continue;
        if (out.length)
            pyr_out_text(&out, ", ");
        if (*c == 'T')
            pyr_out_text(&out, _("tomb"));
        else if (*c == 'f')
            pyr_out_text(&out, torch_lost ? _("torch (this round's is marked)") : _("torch"));
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            if (counts[i].code == *c)
                fill(&out, &counts[i], (int32_t)count, put_count, &count);
    }
}

/* The values for the sentence of an event. */
struct telling {
    const struct pyr_sentence *sentence;
    const struct pyr_edition *edition;
    const char *name;
    unsigned turn;
};

/* The spaces of a set: "c1 c2 d2". */
static void put_spaces(struct pyr_out *out, pyr_spaces spaces)
{
    size_t from = out->length;
    for (unsigned row = 0; row < PYR_SIDE; row++)
        for (unsigned column = 0; column < PYR_SIDE; column++)
            if (spaces & PYR_SPACE(row, column)) {
                if (out->length > from)
                    pyr_out_char(out, ' ');
                pyr_out_char(out, "abcde"[column]);
                pyr_out_number(out, (int32_t)row + 1);
            }
}

static void put_event(struct pyr_out *out, const void *context, char value)
{
    const struct telling *told = context;
    const struct pyr_sentence *sentence = told->sentence;
    char list[200];
    struct pyr_symbols symbols;
    switch (value) {
    case 'n': pyr_out_text(out, told->name); break;
    case '1': pyr_out_number(out, sentence->number[0]); break;
    case '2': pyr_out_number(out, sentence->number[1]); break;
    case 'l':
        for (unsigned i = 0; i < sentence->count; i++) {
            pyr_out_text(out, i ? ", " : "");
            pyr_out_number(out, sentence->number[i]);
        }
        break;
    case 's': put_spaces(out, sentence->spaces); break;
    case 'g':
        symbols = pyr_symbols_count(&told->edition->box.card[sentence->number[0] - 1], sentence->spaces);
        pyr_text_symbols(&symbols, false, list, sizeof list);
        pyr_out_text(out, list);
        break;
    case 'c': pyr_out_text(out, pyr_text_colour((unsigned)sentence->number[1])); break;
    case 'r': pyr_out_number(out, (int32_t)(told->turn / PYR_TURNS + 1)); break;
    case 't': pyr_out_number(out, (int32_t)(told->turn % PYR_TURNS + 1)); break;
    default: pyr_out_text(out, told->edition->pattern_name[sentence->number[0]]); break;
    }
}

void pyr_text_sentence(const struct pyr_sentence *sentence, const struct pyr_edition *edition, const char *name,
    unsigned turn, char *to, size_t size)
{
    const struct telling told = { sentence, edition, name, turn };
    struct pyr_out out;
    pyr_out_init(&out, to, size);
    fill(&out, &events[sentence->kind], sentence->kind == PYR_STORY_SHOW ? sentence->count : sentence->number[0], put_event,
        &told);
}

static void put_result(struct pyr_out *out, const void *context, char value)
{
    const struct pyr_outcome *outcome = context;
    switch (value) {
    case 'n': pyr_out_text(out, outcome->winners); break;
    case 'l': pyr_out_text(out, outcome->tied); break;
    case 'p': pyr_out_number(out, outcome->points); break;
    case 'm': pyr_out_number(out, outcome->margin); break;
    default: pyr_out_number(out, (int32_t)outcome->pyramid); break;
    }
}

/* Only a reason by points depends on the margin. */
void pyr_text_outcome(const struct pyr_outcome *outcome, char *to, size_t size)
{
    enum result what = outcome->margin ? RESULT_WINS : outcome->pyramid ? RESULT_WINS_TIE : RESULT_SHARE;
    enum result why = outcome->margin ? RESULT_MARGIN : outcome->pyramid ? RESULT_LOWEST : RESULT_NO_PYRAMID;
    struct pyr_out out;
    pyr_out_init(&out, to, size);
    fill(&out, &results[what], 0, put_result, outcome);
    pyr_out_text(&out, ". ");
    fill(&out, &results[why], outcome->margin ? outcome->margin : outcome->points, put_result, outcome);
}
