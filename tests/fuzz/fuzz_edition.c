/* Any bytes give a code; an accepted edition is the same byte for byte once it has been written and read. */
#include <pyramids/edition.h>

#include <string.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct pyr_edition edition, again;
    static char text[1 << 16], twice[1 << 16];
    struct pyr_fault fault;
    enum pyr_err err = pyr_edition_read(&edition, (const char *)data, size, &fault);
    MUST(err == fault.code);
    if (err)
        return 0;
    size_t length = pyr_edition_write(&edition, text, sizeof text);
    MUST(length < sizeof text);
    MUST(pyr_edition_read(&again, text, length, NULL) == PYR_OK);
    MUST(pyr_edition_write(&again, twice, sizeof twice) == length);
    MUST(!memcmp(text, twice, length));
    return 0;
}
