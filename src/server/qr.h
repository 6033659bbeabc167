/* qr.h (qr.c): a text as a QR code. */
#ifndef PYR_SERVER_QR_H
#define PYR_SERVER_QR_H

#include <stdio.h>

/* Draws it if `to` is a terminal that has room and colours for it. */
void qr_draw(FILE *to, const char *text);

#endif
