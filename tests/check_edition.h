/* check_edition.h: the edition that a test plays with. After check.h. */
#ifndef CHECK_EDITION_H
#define CHECK_EDITION_H

#include <pyramids/edition.h>

/* Reads a file of the sources; a test without its edition has nothing to say, so it ends the program. */
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
