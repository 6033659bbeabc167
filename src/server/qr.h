/* qr.h (qr.c): a text as a QR code. */
#ifndef PYR_SERVER_QR_H
#define PYR_SERVER_QR_H

#include <stdio.h>

/* Draws it if `to` is a terminal with enough room and colours. */
void qr_draw(FILE *to, const char *text);

#endif
