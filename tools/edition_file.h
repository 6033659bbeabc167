/*
 * edition_file.h: reads the edition that a tool works on. The command `pyramids` has messages in six languages for
 * errors in it; here one line is enough.
 */
#ifndef EDITION_FILE_H
#define EDITION_FILE_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include <pyramids/edition.h>

/* Prints the error and returns false if the file cannot be read or is not an edition. */
static inline bool edition_file_read(const char *path, struct pyr_edition *edition)
{
    static char text[1 << 20];
    struct pyr_fault fault;
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return false;
    }
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    if (pyr_edition_read(edition, text, size, &fault)) {
        fprintf(stderr, "%s:%" PRIu32 ": not a valid edition; 'pyramids edition check' says more\n", path, fault.line);
        return false;
    }
    return true;
}

#endif
