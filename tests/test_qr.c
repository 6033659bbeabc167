/* test_qr.c: QR codes (src/server/qr_encode.c) against those of another program, and the limits of every version. proxy.py
 * reads codes back from a terminal. */
#include "check.h"
#include "qr_encode.h"

/* FNV-1a of the modules that libqrencode 4.1.1 makes of the same text, level L: one of every version, and the longest. */
TEST("the same modules as another program's")
{
    static const struct { size_t size; int width; uint32_t hash; } known[] = { { 11, 21, 0xb9624b4b },
        { 19, 25, 0xf2a37bff },
        { 33, 29, 0x4f695dec }, { 55, 33, 0x44ce697c }, { 79, 37, 0x52b2d7ba }, { 107, 41, 0xaa908696 },
        { 135, 45, 0xd7702b75 }, { 155, 49, 0xe0532879 }, { 193, 53, 0xc430654d }, { 231, 57, 0xf82f1021 },
        { 271, 57, 0x518a8607 } };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        struct qr_code code;
        char text[QR_LONGEST];
        uint32_t hash = 2166136261u;
        for (size_t i = 0; i < known[k].size; i++)
            text[i] = "abcdefghijklmnopqrstuvwxyz:/.-0123456789"[(i * 7 + known[k].size) % 40];
        CHECK(qr_encode(&code, text, known[k].size));
        if (!CHECK_INT(code.width, known[k].width))
            return;
        for (int y = 0; y < code.width; y++)
            for (int x = 0; x < code.width; x++)
                hash = (hash ^ code.dark[y][x]) * 16777619u;
        CHECK_INT(hash, known[k].hash);
    }
}

TEST("the smallest version that has room, and no more than the largest")
{
    static const size_t most[QR_VERSIONS] = { 17, 32, 53, 78, 106, 134, 154, 192, 230, QR_LONGEST };
    char text[QR_LONGEST + 1];
    struct qr_code code;
    memset(text, 'x', sizeof text);
    CHECK(qr_encode(&code, "", 0));
    CHECK_INT(code.width, 21);
    for (int version = 1; version <= QR_VERSIONS; version++) {
        CHECK(qr_encode(&code, text, most[version - 1]));
        CHECK_INT(code.width, 17 + 4 * version);
        CHECK_INT(qr_encode(&code, text, most[version - 1] + 1), version < QR_VERSIONS);
    }
}
