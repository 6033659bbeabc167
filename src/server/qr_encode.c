/*
 * qr_encode.c: QR codes (ISO/IEC 18004) of short texts: byte mode, error correction L, versions 1 to 10, the mask with the
 * least penalty. Written here because a library for it would be the only one under a licence that a static program has to
 * make room for (docs/packaging.md), and links need a small part of the standard. The page has the same in web/qr.js.
 */
#include <string.h>

#include "qr_encode.h"

#define MOST_WORDS 346           /* codewords of version 10 */
#define MOST_CHECKS 30           /* error correction codewords of a block */
#define MASKS 8

/* Blocks of each version at level L: error correction codewords per block, blocks, data codewords in the first; the last
 * `longer` blocks have one more. */
static const struct layout { uint8_t checks, blocks, data, longer; } layouts[QR_VERSIONS] = { { 7, 1, 19, 0 },
    { 10, 1, 34, 0 }, { 15, 1, 55, 0 }, { 20, 1, 80, 0 }, { 26, 1, 108, 0 }, { 18, 2, 68, 0 }, { 20, 2, 78, 0 },
    { 24, 2, 97, 0 }, { 30, 2, 116, 0 }, { 18, 4, 68, 2 } };

/* Where the alignment patterns of versions 2 to 10 are, beside 6: the middle one (0: none) and the last. */
static const uint8_t alignments[QR_VERSIONS][2] = { { 0, 0 }, { 0, 18 }, { 0, 22 }, { 0, 26 }, { 0, 30 }, { 0, 34 }, { 22,
    38 }, { 24, 42 }, { 26, 46 }, { 28, 50 } };

static int room(const struct layout *layout)
{
    return layout->blocks * layout->data + layout->longer;
}

/* In the field of 256 elements with the polynomial 0x11d. */
static uint8_t multiply(unsigned a, unsigned b)
{
    unsigned product = 0;
    for (; b; b >>= 1, a = a << 1 ^ (a & 0x80 ? 0x11du : 0u))
        product ^= b & 1 ? a : 0;
    return (uint8_t)product;
}

/* The error correction codewords of a block: the remainder by (x - 1)(x - 2)(x - 4)... */
static void correct(const uint8_t *data, int size, uint8_t *checks, int count)
{
    uint8_t divisor[MOST_CHECKS] = { 0 };    /* without its first coefficient, which is 1 */
    uint8_t root = 1;
    divisor[count - 1] = 1;
    for (int i = 0; i < count; i++, root = multiply(root, 2))
        for (int k = 0; k < count; k++)
            divisor[k] = (uint8_t)(multiply(divisor[k], root) ^ (k + 1 < count ? divisor[k + 1] : 0));
    memset(checks, 0, (size_t)count);
    for (int i = 0; i < size; i++) {
        uint8_t factor = data[i] ^ checks[0];
        memmove(checks, checks + 1, (size_t)count - 1);
        checks[count - 1] = 0;
        for (int k = 0; k < count; k++)
            checks[k] ^= multiply(divisor[k], factor);
    }
}

/* The data codewords: mode and length, the text, an end, and padding. */
static void write_data(uint8_t *data, int words, int version, const char *text, size_t size)
{
    int at = 0;                              /* in half bytes, since the mode is one */
    memset(data, 0, (size_t)words);
    data[at++] = 0x40;                       /* byte mode */
    for (int i = version < 10 ? 1 : 3; i >= 0; i--, at++)
        data[at / 2] |= (uint8_t)((size >> 4 * i & 15) << (at % 2 ? 0 : 4));
    for (size_t i = 0; i < 2 * size; i++, at++) {
        unsigned byte = (unsigned char)text[i / 2];
        data[at / 2] |= (uint8_t)((i % 2 ? byte & 15 : byte >> 4) << (at % 2 ? 0 : 4));
    }
    at = (at + 2) / 2;                       /* the end is four zeros */
    for (uint8_t pad = 0xec; at < words; at++, pad ^= 0xec ^ 0x11)
        data[at] = pad;
}

/* All codewords in the order in which they are drawn: one of each block in turn. Returns how many. */
static int write_words(uint8_t *words, int version, const char *text, size_t size)
{
    const struct layout *layout = &layouts[version - 1];
    uint8_t data[MOST_WORDS], checks[4][MOST_CHECKS];
    int starts[4], lengths[4], at = 0, count = 0;
    write_data(data, room(layout), version, text, size);
    for (int b = 0; b < layout->blocks; b++) {
        starts[b] = at;
        lengths[b] = layout->data + (b >= layout->blocks - layout->longer);
        correct(data + at, lengths[b], checks[b], layout->checks);
        at += lengths[b];
    }
    for (int i = 0; i <= layout->data; i++)
        for (int b = 0; b < layout->blocks; b++)
            if (i < lengths[b])
                words[count++] = data[starts[b] + i];
    for (int i = 0; i < layout->checks; i++)
        for (int b = 0; b < layout->blocks; b++)
            words[count++] = checks[b][i];
    return count;
}

/* What does not depend on the text. `fixed` marks the modules that data does not use. */
struct drawing {
    struct qr_code *code;
    uint8_t fixed[QR_WIDEST][QR_WIDEST];
};

static void set(struct drawing *drawing, int x, int y, bool is_dark)
{
    if (x < 0 || y < 0 || x >= drawing->code->width || y >= drawing->code->width)
        return;
    drawing->code->dark[y][x] = is_dark;
    drawing->fixed[y][x] = 1;
}

/* Rings around a centre; the bits of `light` are the rings that are light, counted from the centre. */
static void draw_rings(struct drawing *drawing, int x, int y, int rings, unsigned light)
{
    for (int dy = -rings; dy <= rings; dy++)
        for (int dx = -rings; dx <= rings; dx++) {
            int ax = dx < 0 ? -dx : dx, ay = dy < 0 ? -dy : dy;
            set(drawing, x + dx, y + dy, !(light >> (ax > ay ? ax : ay) & 1));
        }
}

/* `value`, followed by its remainder of so many bits. */
static unsigned with_remainder(unsigned value, unsigned divisor, unsigned bits)
{
    unsigned rest = value << bits;
    for (unsigned i = 31; i >= bits; i--)
        if (rest >> i & 1)
            rest ^= divisor << (i - bits);
    return value << bits | rest;
}

/* The level and the mask, twice. */
static void draw_format(struct drawing *drawing, unsigned mask)
{
    int width = drawing->code->width;
    unsigned word = with_remainder(1u << 3 | mask, 0x537, 10) ^ 0x5412;      /* level L is 01 */
    for (int i = 0; i < 15; i++) {
        bool bit = word >> i & 1;
        set(drawing, 8, i < 6 ? i : i < 8 ? i + 1 : width - 15 + i, bit);
        set(drawing, i < 8 ? width - 1 - i : i < 9 ? 7 : 14 - i, 8, bit);
    }
    set(drawing, 8, width - 8, true);
}

static void draw_fixed(struct drawing *drawing, int version)
{
    int width = drawing->code->width;
    const int at[3] = { 6, alignments[version - 1][0], alignments[version - 1][1] };
    for (int i = 0; i < width; i++) {
        set(drawing, i, 6, i % 2 == 0);
        set(drawing, 6, i, i % 2 == 0);
    }
    draw_rings(drawing, 3, 3, 4, 1u << 2 | 1u << 4);
    draw_rings(drawing, width - 4, 3, 4, 1u << 2 | 1u << 4);
    draw_rings(drawing, 3, width - 4, 4, 1u << 2 | 1u << 4);
    for (int i = 0; i < 9; i++) {
        int x = at[i % 3], y = at[i / 3];
        bool in_corner = (x == 6 && y == 6) || (x == 6 && y == width - 7) || (x == width - 7 && y == 6);
        if (x && y && !in_corner)
            draw_rings(drawing, x, y, 2, 1u << 1);
    }
    unsigned word = with_remainder((unsigned)version, 0x1f25, 12);
    for (int i = 0; i < 18 && version >= 7; i++) {
        set(drawing, width - 11 + i % 3, i / 3, word >> i & 1);
        set(drawing, i / 3, width - 11 + i % 3, word >> i & 1);
    }
    draw_format(drawing, 0);
}

static bool is_flipped(unsigned mask, int x, int y)
{
    switch (mask) {
    case 0: return (x + y) % 2 == 0;
    case 1: return y % 2 == 0;
    case 2: return x % 3 == 0;
    case 3: return (x + y) % 3 == 0;
    case 4: return (y / 2 + x / 3) % 2 == 0;
    case 5: return x * y % 2 + x * y % 3 == 0;
    case 6: return (x * y % 2 + x * y % 3) % 2 == 0;
    default: return ((x + y) % 2 + x * y % 3) % 2 == 0;
    }
}

/* Bits in columns of two from the right, up and down in turn; the column of the timing pattern is left out. */
static void draw_words(struct drawing *drawing, const uint8_t *words, int count, unsigned mask)
{
    int width = drawing->code->width, bit = 0;
    for (int right = width - 1; right > 0; right -= 2) {
        right -= right == 6;
        for (int k = 0; k < 2 * width; k++) {
            int x = right - k % 2, y = (right + 1) & 2 ? k / 2 : width - 1 - k / 2;
            if (drawing->fixed[y][x])
                continue;
            bool is_set = bit < 8 * count && words[bit / 8] >> (7 - bit % 8) & 1;
            drawing->code->dark[y][x] = is_set != is_flipped(mask, x, y);
            bit++;
        }
    }
}

/* Runs of five and more, and what looks like a corner, in a row or column of modules that are `step` apart. */
static int line_penalty(const uint8_t *first, int step, int width)
{
    int sum = 0, run = 1;
    unsigned last = 0;                       /* the last eleven */
    for (int i = 0; i < width; i++) {
        uint8_t now = first[i * step];
        run = i && first[(i - 1) * step] == now ? run + 1 : 1;
        sum += run == 5 ? 3 : run > 5;
        last = (last << 1 | now) & 0x7ff;
        sum += i >= 10 && (last == 0x5d0 || last == 0x05d) ? 40 : 0;
    }
    return sum;
}

static int penalty(const struct qr_code *code)
{
    int sum = 0, dark = 0, width = code->width;
    for (int y = 0; y < width; y++) {
        sum += line_penalty(&code->dark[y][0], 1, width) + line_penalty(&code->dark[0][y], QR_WIDEST, width);
        for (int x = 0; x < width; x++) {
            dark += code->dark[y][x];
            int four = x && y ? code->dark[y][x] + code->dark[y][x - 1] + code->dark[y - 1][x] + code->dark[y - 1][x - 1] :
                1;
            sum += four % 4 ? 0 : 3;
        }
    }
    int from_half = 20 * dark - 10 * width * width;
    return sum + 10 * ((from_half < 0 ? -from_half : from_half) / (width * width));
}

bool qr_encode(struct qr_code *code, const char *text, size_t size)
{
    struct drawing drawing = { .code = code };
    uint8_t words[MOST_WORDS];
    int version = 1, least = 0;
    unsigned best = 0;
    while (version <= QR_VERSIONS && size + (version < 10 ? 2 : 3) > (size_t)room(&layouts[version - 1]))
        version++;
    if (version > QR_VERSIONS)
        return false;
    code->width = 17 + 4 * version;
    draw_fixed(&drawing, version);
    int count = write_words(words, version, text, size);
    for (unsigned mask = 0; mask <= MASKS; mask++) {         /* the last time with the best one */
        draw_words(&drawing, words, count, mask < MASKS ? mask : best);
        draw_format(&drawing, mask < MASKS ? mask : best);
        int cost = penalty(code);
        if (mask == 0 || cost < least) {
            least = cost;
            best = mask;
        }
    }
    return true;
}
