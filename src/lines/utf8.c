/* utf8.c: see utf8.h. */
#include <pyramids/utf8.h>

int32_t pyr_utf8_read(const char *at, size_t size, size_t *length)
{
    const unsigned char *byte = (const unsigned char *)at;
    unsigned char first = byte[0];
    *length = 1;
    if (first < 0x80)
        return first;
    if (first < 0xc2 || first > 0xf4)
        return -1;
    size_t more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    /* Only the second byte tells an overlong form, a surrogate or a number that is too large. */
    unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    int32_t character = first & (0x3f >> more);
    for (size_t i = 1; i <= more; i++) {
        if (i >= size || byte[i] < low || byte[i] > high)
            return -1;
        character = character << 6 | (byte[i] & 0x3f);
        *length = i + 1;
        low = 0x80;
        high = 0xbf;
    }
    return character;
}

size_t pyr_utf8_write(int32_t character, char to[4])
{
    if (character < 0x80) {
        to[0] = (char)character;
        return 1;
    }
    unsigned more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    to[0] = (char)((0xff00 >> (more + 1) & 0xff) | character >> 6 * more);
    for (unsigned i = 1; i <= more; i++)
        to[i] = (char)(0x80 | (character >> 6 * (more - i) & 0x3f));
    return more + 1;
}
