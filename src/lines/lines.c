/*
 * lines.c: lines, words and numbers; see lines.h. The meaning of the words is left to edition and record.
 *
 * The reader is strict, so that every text has only one meaning and faults are reported where they are: one space
 * between words and none at the end, numbers without leading zeros or a plus sign, UTF-8 without control characters.
 * The bytes of a line are checked when the line is entered, so code that takes words out of it need not check again.
 * Lines may end with CR LF.
 */
#include <pyramids/lines.h>
#include <pyramids/utf8.h>

void pyr_lines_init(struct pyr_lines *lines, const char *text, size_t size)
{
    /* Some editors begin a text with an invisible byte order mark, which is not part of the first line. */
    const unsigned char *b = (const unsigned char *)text;
    bool marked = size >= 3 && b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf;
    *lines = (struct pyr_lines){ .text = text, .size = size, .next = marked ? 3 : 0, .line = PYR_NO_WORD };
}

/* The length of the UTF-8 character at the start, 0 if it is invalid or a control character (C0, DEL, C1). */
static size_t character_length(const char *at, size_t size)
{
    size_t length;
    if (*at >= 0x20 && *at < 0x7f)
        return 1;
    int32_t character = pyr_utf8_read(at, size, &length);
    return character >= 0xa0 ? length : 0;
}

void pyr_word_copy(struct pyr_word word, char *to, size_t size)
{
    size_t length = 0;
    while (length < word.length) {
        size_t step = character_length(word.at + length, word.length - length);
        if (!step || length + step >= size)
            break;
        for (size_t i = 0; i < step; i++)
            to[length + i] = word.at[length + i];
        length += step;
    }
    to[length] = '\0';
}

/* Always false, so that it can be returned. Only the first fault is kept: later ones are often consequences of it. */
bool pyr_lines_fail(struct pyr_lines *lines, enum pyr_err code, size_t column, struct pyr_word word)
{
    struct pyr_fault *fault = &lines->fault;
    if (fault->code)
        return false;
    fault->code = code;
    fault->line = lines->number ? lines->number : 1;         /* an empty text has no line, but lines are counted from 1 */
    fault->column = (uint32_t)column;
    pyr_word_copy(word, fault->word, sizeof fault->word);
    if (lines->form && !fault->expected[0]) {
        struct pyr_out out;
        pyr_out_init(&out, fault->expected, sizeof fault->expected);
        pyr_out_text(&out, lines->form);
    }
    return false;
}

/* Reports the column of an invalid byte, so that a person can find it. */
static bool check_line(struct pyr_lines *lines)
{
    const char *s = lines->line.at;
    for (size_t i = 0; i < lines->line.length;) {
        size_t length = character_length(s + i, lines->line.length - i);
        if (!length)
            return pyr_lines_fail(lines, PYR_ERR_TEXT_ENCODING, i + 1, PYR_NO_WORD);
        i += length;
    }
    return true;
}

/* A line that is too long is found without reading to its end, so that a huge text takes no more time. */
bool pyr_lines_next(struct pyr_lines *lines, bool blank)
{
    while (!lines->fault.code && lines->next < lines->size) {
        const char *start = lines->text + lines->next;
        size_t left = lines->size - lines->next, length = 0;
        while (length < left && start[length] != '\n' && length <= PYR_MAX_LINE + 1)
            length++;
        lines->number++;
        lines->form = NULL;
        lines->at = 0;
        lines->line = PYR_NO_WORD;
        if (length > PYR_MAX_LINE + 1)
            return pyr_lines_fail(lines, PYR_ERR_TEXT_LINE, 0, PYR_NO_WORD);
        bool ended = length < left;
        lines->next += length + ended;
        if (ended && length && start[length - 1] == '\r')
            length--;
        if (length > PYR_MAX_LINE)
            return pyr_lines_fail(lines, PYR_ERR_TEXT_LINE, 0, PYR_NO_WORD);
        lines->line = (struct pyr_word){ start, length };
        if (!check_line(lines))
            return false;
        if ((length && start[0] == ';') || (!length && !blank))
            continue;
        return true;
    }
    return false;
}

bool pyr_lines_more(const struct pyr_lines *lines)
{
    return !lines->fault.code && lines->at < lines->line.length;
}

/* lines->at is the end of the last word: exactly one blank has to follow. */
bool pyr_lines_word(struct pyr_lines *lines, struct pyr_word *word)
{
    if (lines->fault.code)
        return false;
    const char *line = lines->line.at;
    size_t at = lines->at, end = lines->line.length;
    if (at >= end)
        return pyr_lines_fail(lines, PYR_ERR_TEXT_MISSING, 0, PYR_NO_WORD);
    if (at) {
        if (line[at] != ' ')
            return pyr_lines_fail(lines, PYR_ERR_TEXT_SPACE, at + 1, PYR_NO_WORD);
        at++;
    }
    size_t start = at;
    while (at < end && line[at] != ' ')
        at++;
    if (at == start)
        return pyr_lines_fail(lines, PYR_ERR_TEXT_SPACE, at + 1, PYR_NO_WORD);
    *word = (struct pyr_word){ line + start, at - start };
    lines->at = at;
    return true;
}

/* Stops adding digits once the value exceeds 32 bits, so that numbers of any length are "out of range" and cannot
 * overflow. */
bool pyr_lines_number(struct pyr_lines *lines, int32_t low, int32_t high, int32_t *number)
{
    struct pyr_word word;
    if (!pyr_lines_word(lines, &word))
        return false;
    size_t column = lines->at - word.length + 1, i = 0;
    bool negative = low < 0 && word.at[0] == '-';
    int64_t value = 0;
    i = negative;
    if (i == word.length || (word.at[i] == '0' && (word.length > i + 1 || negative)))
        return pyr_lines_fail(lines, PYR_ERR_TEXT_NUMBER, column, word);
    for (; i < word.length; i++) {
        if (word.at[i] < '0' || word.at[i] > '9')
            return pyr_lines_fail(lines, PYR_ERR_TEXT_NUMBER, column, word);
        if (value <= INT32_MAX)
            value = value * 10 + (word.at[i] - '0');
    }
    if (negative)
        value = -value;
    if (value < low || value > high) {
        lines->fault.number[0] = low;
        lines->fault.number[1] = high;
        return pyr_lines_fail(lines, PYR_ERR_TEXT_RANGE, column, word);
    }
    *number = (int32_t)value;
    return true;
}

bool pyr_lines_rest(struct pyr_lines *lines, size_t most, struct pyr_word *rest)
{
    if (lines->fault.code)
        return false;
    if (lines->at >= lines->line.length)
        return pyr_lines_fail(lines, PYR_ERR_TEXT_MISSING, 0, PYR_NO_WORD);
    if (lines->line.at[lines->at] != ' ')
        return pyr_lines_fail(lines, PYR_ERR_TEXT_SPACE, lines->at + 1, PYR_NO_WORD);
    size_t start = lines->at + 1, length = lines->line.length - start;
    *rest = (struct pyr_word){ lines->line.at + start, length };
    if (!length)
        return pyr_lines_fail(lines, PYR_ERR_TEXT_MISSING, 0, PYR_NO_WORD);
    if (rest->at[0] == ' ')
        return pyr_lines_fail(lines, PYR_ERR_TEXT_SPACE, start + 1, PYR_NO_WORD);
    if (length > most) {
        lines->fault.number[0] = (int32_t)most;
        return pyr_lines_fail(lines, PYR_ERR_TEXT_LONG, start + 1, *rest);
    }
    lines->at = lines->line.length;
    return true;
}

bool pyr_lines_end(struct pyr_lines *lines)
{
    if (lines->fault.code)
        return false;
    if (lines->at < lines->line.length) {
        struct pyr_word rest = { lines->line.at + lines->at, lines->line.length - lines->at };
        if (rest.length > 1 && rest.at[0] == ' ')
            rest.at++, rest.length--;
        return pyr_lines_fail(lines, PYR_ERR_TEXT_EXTRA, lines->at + 1, rest);
    }
    return true;
}

/* A wrong keyword and a wrong version are different faults: the first means another kind of file, the second a newer one. */
bool pyr_lines_header(struct pyr_lines *lines, const char *keyword, const char *header)
{
    struct pyr_word word;
    int32_t version;
    bool any = pyr_lines_next(lines, false);
    lines->form = header;
    if (!any)
        return pyr_lines_fail(lines, PYR_ERR_TEXT_HEADER, 0, PYR_NO_WORD);
    if (!pyr_lines_word(lines, &word) || !pyr_word_is(word, keyword))
        return pyr_lines_fail(lines, PYR_ERR_TEXT_HEADER, 0, lines->line);
    if (!pyr_lines_number(lines, 0, 999, &version) || !pyr_lines_end(lines))
        return false;
    return version == 1 || pyr_lines_fail(lines, PYR_ERR_TEXT_VERSION, 0, PYR_NO_WORD);
}

struct pyr_word pyr_word_of(const char *text)
{
    struct pyr_word word = { text, 0 };
    while (text[word.length])
        word.length++;
    return word;
}

bool pyr_word_is(struct pyr_word word, const char *text)
{
    size_t i = 0;
    while (i < word.length && text[i] && text[i] == word.at[i])
        i++;
    return i == word.length && !text[i];
}

void pyr_out_init(struct pyr_out *out, char *to, size_t size)
{
    *out = (struct pyr_out){ to, size, 0 };
    if (size)
        to[0] = '\0';
}

/* `length` counts what would have been written, as snprintf does, so that a caller sees by one comparison whether all of
 * it fitted. */
void pyr_out_char(struct pyr_out *out, char c)
{
    if (out->length + 1 < out->size) {
        out->to[out->length] = c;
        out->to[out->length + 1] = '\0';
    }
    out->length++;
}

void pyr_out_text(struct pyr_out *out, const char *text)
{
    while (*text)
        pyr_out_char(out, *text++);
}

void pyr_out_word(struct pyr_out *out, struct pyr_word word)
{
    for (size_t i = 0; i < word.length; i++)
        pyr_out_char(out, word.at[i]);
}

void pyr_out_number(struct pyr_out *out, int32_t number)
{
    char digits[12];
    unsigned count = 0;
    uint32_t left = number < 0 ? 0u - (uint32_t)number : (uint32_t)number;
    do
        digits[count++] = (char)('0' + left % 10);
    while (left /= 10);
    if (number < 0)
        pyr_out_char(out, '-');
    while (count)
        pyr_out_char(out, digits[--count]);
}
