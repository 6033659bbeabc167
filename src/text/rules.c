/* rules.c: the rules as texts; see rules.h. The texts themselves are in rulebook.inc. */
#include <string.h>

#include <pyramids/rules.h>

#define MOST_BYTES 2048          /* of a paragraph in any language; the longest is 500 */

/* Sections, rules and paragraphs one after the other, as rulebook.inc lists them. */
static const struct {
    enum { SECTION, RULE, PARAGRAPH, END } kind;
    const char *text;
    char tag[4];                 /* if it is a rule */
} rows[] = {
#define SECTION(text) { SECTION, text, "" },
#define RULE(tag, text) { RULE, text, tag },
#define TEXT(text) { PARAGRAPH, text, "" },
#define SYMBOL(characters, text) TEXT(text)
#include "rulebook.inc"
    { END, NULL, "" },
};

/* The row of rule i; -1 if there is none. */
static int row_of(unsigned i)
{
    for (int at = 0; rows[at].kind != END; at++)
        if (rows[at].kind == RULE && !i--)
            return at;
    return -1;
}

const char *pyr_text_rule_tag(unsigned i)
{
    int row = row_of(i);
    return row < 0 ? NULL : rows[row].tag;
}

static char small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* In capitals or lower case; -1 if there is no such tag. */
int pyr_text_rule_find(const char *tag)
{
    const char *other;
    for (unsigned i = 0; (other = pyr_text_rule_tag(i)); i++) {
        size_t at = 0;
        while (tag[at] && small(tag[at]) == small(other[at]))
            at++;
        if (!tag[at] && !other[at])
            return (int)i;
    }
    return -1;
}

/* A rule belongs to the last section before it. */
const char *pyr_text_rule_section(unsigned i)
{
    int row = row_of(i);
    while (row > 0 && rows[row].kind != SECTION)
        row--;
    return row < 0 ? NULL : _(rows[row].text);
}

const char *pyr_text_rule_title(unsigned i)
{
    int row = row_of(i);
    return row < 0 ? NULL : _(rows[row].text);
}

const char *pyr_text_rule_paragraph(unsigned i, unsigned n)
{
    int row = row_of(i);
    if (row < 0)
        return NULL;
    for (row++; rows[row].kind == PARAGRAPH && n; row++)
        n--;
    return rows[row].kind == PARAGRAPH ? _(rows[row].text) : NULL;
}

/* One byte of UTF-8 in lower case: a to z, and the accented letters of Western Europe (0xc3 and a second byte). */
static unsigned char fold(const char *text, size_t at)
{
    unsigned char c = (unsigned char)text[at];
    if (at && (unsigned char)text[at - 1] == 0xc3 && c >= 0x80 && c <= 0x9e)
        return (unsigned char)(c + 0x20);
    return (unsigned char)small((char)c);
}

/* A simple search, since texts are short. An empty phrase is in every text. */
static bool contains(const char *text, const char *phrase)
{
    for (size_t start = 0; text[start]; start++) {
        size_t length = 0;
        while (phrase[length] && text[start + length] && fold(text, start + length) == fold(phrase, length))
            length++;
        if (!phrase[length])
            return true;
    }
    return !*phrase;
}

bool pyr_text_rule_has(unsigned i, const char *phrase)
{
    if (!pyr_text_rule_tag(i))
        return false;
    bool has = contains(pyr_text_rule_title(i), phrase);
    for (unsigned n = 0; !has && pyr_text_rule_paragraph(i, n); n++)
        has = contains(pyr_text_rule_paragraph(i, n), phrase);
    return has;
}

#define INDENT 5                 /* the longest tag and two blanks */

/* Tag and title, then the paragraphs, indented and wrapped to `columns`. */
void pyr_text_rule_print(FILE *to, unsigned i, int columns)
{
    if (!pyr_text_rule_tag(i))
        return;
    fprintf(to, "%-*s%s\n", INDENT, pyr_text_rule_tag(i), pyr_text_rule_title(i));
    for (unsigned n = 0; pyr_text_rule_paragraph(i, n); n++) {
        char text[MOST_BYTES];
        snprintf(text, sizeof text, "%*s%s\n", INDENT, "", pyr_text_rule_paragraph(i, n));
        pyr_text_flow(to, text, columns, INDENT);
    }
}
