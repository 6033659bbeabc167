/* print.c: numbers in the notation of a language, tables whose columns fit in every language, and JSON in files. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include <pyramids/text.h>

/* The decimal sign comes from the translation, not from the locale: LC_NUMERIC stays "C" for numbers that programs read. */
const char *pyr_text_number(char to[PYR_NUMBER_SIZE], double value, unsigned digits, bool sign)
{
    /* How your language writes one half: what is between the digits is used in all numbers. */
    const char *half = _("0.5");
    size_t wide = strlen(half);
    snprintf(to, PYR_NUMBER_SIZE, sign ? "%+.*f" : "%.*f", (int)digits, value);
    /* A value that rounds to 0 has no sign. */
    if (!to[strspn(to, "+-0.")] && (to[0] == '+' || to[0] == '-'))
        memmove(to, to + 1, strlen(to));
    char *point = strchr(to, '.');
    if (point && wide > 2 && strlen(to) + wide < PYR_NUMBER_SIZE) {
        memmove(point + wide - 2, point + 1, strlen(point + 1) + 1);
        memcpy(point, half + 1, wide - 2);
    }
    return to;
}

/* Whether there is a blank before the sign depends on the language, so the whole text is translated. */
const char *pyr_text_percent(char to[PYR_NUMBER_SIZE], double value, unsigned digits, bool sign)
{
    char number[PYR_NUMBER_SIZE];
    pyr_text_number(number, value, digits, sign);
    /* A number with its percent sign, as in 12.5%. */
    snprintf(to, PYR_NUMBER_SIZE, _("%s%%"), number);
    return to;
}

/* A character takes one column. */
static int count_characters(const char *text, size_t size)
{
    int width = 0;
    for (size_t i = 0; i < size && text[i]; i++)
        width += (text[i] & 0xc0) != 0x80;
    return width;
}

static int (*columns_of)(const char *text, size_t size) = count_characters;

/* A function for wide characters is passed in (src/letters), since this folder must not depend on one. */
void pyr_text_measure(int (*columns)(const char *text, size_t size))
{
    columns_of = columns;
}

int pyr_text_width(const char *text, size_t size)
{
    return columns_of(text, size);
}

/* Negative: left-aligned. printf's own padding would count bytes. */
void pyr_text_pad(FILE *to, const char *text, int width)
{
    int blanks = (width < 0 ? -width : width) - pyr_text_width(text, strlen(text));
    if (blanks < 0)
        blanks = 0;
    fprintf(to, "%*s%s%*s", width < 0 ? 0 : blanks, "", text, width < 0 ? blanks : 0, "");
}

/* Widens the columns to their titles, so it must be called before the cells. */
void pyr_text_heading(FILE *to, struct pyr_column *columns, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct pyr_column *c = &columns[i];
        int wide = pyr_text_width(c->title, strlen(c->title));
        if (c->width > 0 && wide > c->width)
            c->width = wide;
        else if (c->width < 0 && wide > -c->width)
            c->width = -wide;
        pyr_text_cell(to, c, "%s", c->title);
    }
    fputc('\n', to);
}

/* Text beyond 511 bytes is cut. */
void pyr_text_cell(FILE *to, const struct pyr_column *column, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(to, "%*s", column->gap, "");
    pyr_text_pad(to, text, column->width);
}

/* The end of a word: a blank outside of brackets that are closed on the same line. So "[--json]" or "[a b]" in a usage
 * line stays together. */
static size_t word_size(const char *text)
{
    size_t size = 0, inside = 0;
    for (; text[size] && text[size] != '\n' && (text[size] != ' ' || size < inside); size++)
        if (text[size] == '[' && size >= inside)
            inside = size + strcspn(text + size, "]\n");
    return size;
}

/* The column at which a line that stays alone is continued. */
static int hang_of(const char *line)
{
    size_t end = strcspn(line, "\n"), after = strspn(line, " ");
    for (size_t i = after; i < end; i++)
        if (line[i] == ' ' && line[i + 1] == ' ')
            after = i += strspn(line + i, " ");
    return pyr_text_width(line, after);
}

/* Lines are joined into paragraphs and wrapped again, so that a translation may be longer; a line that begins with a
 * blank stays alone. */
void pyr_text_flow(FILE *to, const char *text, int columns, int hang)
{
    for (bool first = true; *text; first = false) {
        bool alone = *text == ' ';
        int below = first ? hang : alone ? hang_of(text) : 0, column = 0;
        bool fresh = true;                   /* the line is still empty */
        for (;;) {
            bool joined = !fresh && !alone && *text == '\n' && text[1] && text[1] != '\n' && text[1] != ' ';
            if (!*text || (*text == '\n' && !joined))
                break;
            size_t blanks = joined ? 1 : strspn(text, " "), size = word_size(text + blanks);
            int wide = pyr_text_width(text + blanks, size), gap = (int)blanks;
            if (!fresh && column + gap + wide > columns) {
                fputc('\n', to);
                column = 0;
                gap = below;
            }
            fprintf(to, "%*s", gap, "");
            fwrite(text + blanks, 1, size, to);
            column += gap + wide;
            fresh = false;
            text += blanks + size;
        }
        if (*text == '\n') {
            fputc('\n', to);
            text++;
        }
    }
}

static bool write_out(void *context, const char *text, size_t size)
{
    return fwrite(text, 1, size, context) == size;
}

/* `buffer` is the caller's and must stay valid while the JSON is written. */
void pyr_text_json_init(struct pyr_json *json, FILE *to, char *buffer, size_t size)
{
    pyr_json_init(json, buffer, size, PYR_JSON_SPACED);
    pyr_json_drain_to(json, write_out, to);
}

/* NaN and infinite numbers cannot be written in JSON and become null. */
void pyr_text_json_real(struct pyr_json *json, const char *name, double number, int digits)
{
    char text[400];                          /* the largest number has 309 digits before the point */
    if (!isfinite(number)) {
        pyr_json_null(json, name);
        return;
    }
    if (digits == PYR_SHORTEST)
        snprintf(text, sizeof text, "%g", number);
    else
        snprintf(text, sizeof text, "%.*f", digits, number);
    pyr_json_digits(json, name, text);
}
