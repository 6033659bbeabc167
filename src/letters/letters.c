/*
 * letters.c: see letters.h.
 *
 * What a reader takes for one letter (a grapheme cluster) may be several characters, and a terminal gives each character
 * 0, 1 or 2 columns. Unicode's tables are utf8proc's. Used for names in the server and for the terminal client.
 */
#include <pyramids/utf8.h>
#include <utf8proc.h>

#include "letters.h"

int character_columns(int32_t character)
{
    if (character < 0xa0)                    /* control characters are shown as question marks */
        return 1;
    utf8proc_category_t category = utf8proc_category(character);
    int bound = utf8proc_get_property(character)->boundclass;
    /* Vowels and finals of a Korean syllable written in parts are drawn in the columns of its first letter. */
    if (bound == UTF8PROC_BOUNDCLASS_V || bound == UTF8PROC_BOUNDCLASS_T)
        return 0;
    /* utf8proc counts marks with a width (Devanagari's vowels) as part of their letter; terminals do not. */
    return category == UTF8PROC_CATEGORY_MC || category == UTF8PROC_CATEGORY_CN ? 1 : utf8proc_charwidth(character);
}

bool character_is_mark(int32_t character)
{
    utf8proc_category_t category = utf8proc_category(character);
    return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC || category == UTF8PROC_CATEGORY_ME;
}

bool character_is_picture(int32_t character)
{
    return utf8proc_get_property(character)->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

bool letter_begins(int32_t before, int32_t character, int32_t *state)
{
    return before < 0 || character < 0 || utf8proc_grapheme_break_stateful(before, character, state);
}

/* In bytes; `state` is needed by utf8proc to recognise flags and joined emoji as one letter. */
size_t letter_size(const char *text, size_t size, int *columns)
{
    size_t at, length;
    int32_t state = 0, before = pyr_utf8_read(text, size, &at), next;
    int wide = character_columns(before);
    for (; at < size && text[at]; at += length, before = next) {
        next = pyr_utf8_read(text + at, size - at, &length);
        if (letter_begins(before, next, &state))
            break;
        wide += character_columns(next);
    }
    if (columns)
        *columns = wide;
    return at;
}

int letters_columns(const char *text, size_t size)
{
    int all = 0, columns;
    for (size_t at = 0; at < size && text[at]; all += columns)
        at += letter_size(text + at, size - at, &columns);
    return all;
}

size_t letters_fit(const char *text, size_t size, size_t bytes)
{
    size_t at = 0;
    while (at < size) {
        size_t next = letter_size(text + at, size - at, NULL);
        if (at + next > bytes)
            break;
        at += next;
    }
    return at;
}
