/* qr_encode.h (qr_encode.c): a text as the modules of a QR code. */
#ifndef PYR_SERVER_QR_ENCODE_H
#define PYR_SERVER_QR_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QR_VERSIONS 10           /* the largest version that is made */
#define QR_WIDEST (17 + 4 * QR_VERSIONS)
#define QR_LONGEST 271           /* bytes of text in it */

struct qr_code {
    int width;
    uint8_t dark[QR_WIDEST][QR_WIDEST];      /* [row][column]: 1 dark, 0 light */
};

/* In the smallest version that has room. False if the text is longer than QR_LONGEST. */
bool qr_encode(struct qr_code *code, const char *text, size_t size);

#endif
