/* check_edition.h: loads the edition that a test plays with. Include it after check.h. */
#ifndef CHECK_EDITION_H
#define CHECK_EDITION_H

#include <pyramids/edition.h>

/* Reads an edition from a file of the sources; ends the program if it cannot, since the test would be meaningless. */
static void check_edition(struct pyr_edition *edition, const char *path)
{
    size_t size;
    char *text = check_file(path, &size);
    struct pyr_fault fault;
    if (pyr_edition_read(edition, text, size, &fault)) {
        printf("Bail out! %s:%u cannot be read\n", path, (unsigned)fault.line);
        exit(1);
    }
    free(text);
}

#endif
