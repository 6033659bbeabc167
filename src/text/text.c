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

/* Levels are translated, names of other bots (greedy, flatmc) are not: they are names. */
const char *pyr_text_level(const char *name)
{
    static const char *const names[] = { N_("novice"), N_("casual"), N_("club"), N_("expert"), N_("master") };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return _(names[i]);
    return name;
}

/* Names in records are the same in all languages. Those that we gave ourselves ("club 2", no name) are shown translated. */
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
    const char *level = pyr_text_level(to);
    char number = blank[1];
    if (level == to)
        *blank = ' ';
    else
        snprintf(to, size, "%s %c", level, number);
}

/* Marks that change the direction of writing: what follows them is read otherwise than it stands there. */
static bool turns_direction(int32_t c)
{
    return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static bool is_control(int32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/* In place: the replacement is one byte, never longer than what it replaces. For texts from outside that go to a
 * terminal, which
 * could be controlled by them. */
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
    /* The system has its own translations only where its locales are installed. */
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

/* The table of sentences.
 * From sentences.inc: a sentence per error code, with the values for its places. */
static const struct row {
    enum pyr_err code;
    const char *values, *text;
    const char *many;            /* NULL: the text does not depend on a number */
} rows[] = {
#define FAULT(name, values, text) { PYR_ERR_##name, values, text, NULL },
#define FAULT_MANY(name, values, forms) { PYR_ERR_##name, values, forms },
#define MISUSE(name, text) FAULT(name, "", text)
#define REASON(name, text)
#include "sentences.inc"
#undef REASON
#undef MISUSE
#undef FAULT_MANY
#undef FAULT
};

static const struct {
    enum pyr_err code;
    const char *text;
} reasons[] = {
#define FAULT(name, values, text)
#define FAULT_MANY(name, values, forms)
#define MISUSE(name, text)
#define REASON(name, text) { PYR_ERR_##name, text },
#include "sentences.inc"
};

/* The row for a fault: if a code has several, the last one needs no expectation. NULL: the code is unknown. */
static const struct row *find_row(const struct pyr_fault *fault)
{
    const struct row *found = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].code != fault->code)
            continue;
        found = &rows[i];
        if (fault->expected[0] || !strchr(found->values, 'e'))
            break;
    }
    return found;
}

/* The letters of a row's `values`: word, expected, first and second number, column; anything else is the longest
 * line. */
static void put_value(struct pyr_out *out, const struct pyr_fault *fault, char value)
{
    switch (value) {
    case 'w': pyr_out_text(out, fault->word); break;
    case 'e': pyr_out_text(out, fault->expected); break;
    case 'a': pyr_out_number(out, fault->number[0]); break;
    case 'b': pyr_out_number(out, fault->number[1]); break;
    case 'c': pyr_out_number(out, (int32_t)fault->column); break;
    default: pyr_out_number(out, PYR_MAX_LINE); break;
    }
}

/* Fills the places of a text, %s and %d or, where a translation has another order, %2$s, with the values of its row. */
static void fill(struct pyr_out *out, const char *text, const char *values, const struct pyr_fault *fault)
{
    size_t next = 0, count = strlen(values);
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
        text++;                              /* its letter; languages.py holds translations to these */
        next++;
        if (!*text)
            return;
        if (at < count)
            put_value(out, fault, values[at]);
    }
}

/* Puts the rule that a code refers to in brackets at the end, but before the full stop of a sentence. */
static void cite(enum pyr_err code, char *to, size_t size)
{
    const char *rule = pyr_err_rule(code);
    size_t length = strlen(to);
    bool stops = length && to[length - 1] == '.';
    if (*rule)
        snprintf(to + length - stops, size - length + stops, " (%s)%s", rule, stops ? "." : "");
}

/* The rule goes behind the sentence, in brackets, where the terminal's "w" finds it. */
void pyr_text_fault(const struct pyr_fault *fault, char *to, size_t size)
{
    const struct row *row = find_row(fault);
    struct pyr_out out;
    if (!row) {
        snprintf(to, size, _("unknown error %d"), (int)fault->code);
        return;
    }
    pyr_out_init(&out, to, size);
    fill(&out, row->many ? pyr_ngettext(row->text, row->many, (unsigned long)fault->number[0]) : _(row->text), row->values,
        fault);
    cite(fault->code, to, size);
}

/* Short sentences for the terminal's line; codes without one get the sentence of a fault. */
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
