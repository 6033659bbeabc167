/*
 * utf8.c: the project's only decoder and encoder of UTF-8; see utf8.h. It is strict, since texts come from outside:
 * overlong forms, surrogates and numbers beyond U+10FFFF are refused, so every character has exactly one encoding.
 */
#include <pyramids/utf8.h>

int32_t pyr_utf8_read(const char *at, size_t size, size_t *length)
{
    static const int32_t least[] = { 0, 0x80, 0x800, 0x10000 };
    const unsigned char *byte = (const unsigned char *)at;
    unsigned char first = byte[0];
    *length = 1;
    if (first < 0x80)
        return first;
    /* 0x80 to 0xbf continue a character, 0xc0 and 0xc1 could only begin an overlong one, 0xf5 and up would be beyond
     * U+10FFFF. */
    if (first < 0xc2 || first > 0xf4)
        return -1;
    size_t more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    int32_t character = first & (0x3f >> more);
    for (size_t i = 1; i <= more; i++) {
        if (i >= size || (byte[i] & 0xc0) != 0x80)
            return -1;
        character = character << 6 | (byte[i] & 0x3f);
    }
    *length = more + 1;
    bool is_surrogate = character >= 0xd800 && character < 0xe000;
    return character < least[more] || character > 0x10ffff || is_surrogate ? -1 : character;
}

size_t pyr_utf8_write(int32_t character, char to[4])
{
    if (character < 0x80) {
        to[0] = (char)character;
        return 1;
    }
    unsigned more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    /* As many leading ones as there are bytes, a zero, and the highest bits of the character. */
    to[0] = (char)((0xff00 >> (more + 1) & 0xff) | character >> 6 * more);
    for (unsigned i = 1; i <= more; i++)
        to[i] = (char)(0x80 | (character >> 6 * (more - i) & 0x3f));
    return more + 1;
}
