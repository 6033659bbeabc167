/* plain.h: tests/data/plain.edition for fuzz targets that need a box. PLAIN_EDITION is its path. */
#ifndef PYR_FUZZ_PLAIN_H
#define PYR_FUZZ_PLAIN_H

#include <pyramids/edition.h>

#include <stdio.h>

#include "fuzz.h"

static const struct pyr_edition *plain_edition(void)
{
    static struct pyr_edition edition;
    static char text[1 << 16];
    if (!edition.name[0]) {
        FILE *file = fopen(PLAIN_EDITION, "rb");
        MUST(file);
        size_t size = fread(text, 1, sizeof text, file);
        fclose(file);
        MUST(pyr_edition_read(&edition, text, size, NULL) == PYR_OK);
    }
    return &edition;
}

#endif
