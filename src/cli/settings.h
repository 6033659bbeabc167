/*
 * settings.h (settings.c): options from a configuration file: lines `name = value`, by the long names of a command's
 * options. Values go where cli_parse puts those of the command line; the command line takes precedence.
 */
#ifndef PYR_SETTINGS_H
#define PYR_SETTINGS_H

#include "cli.h"

#define SETTINGS_OPTIONS 64      /* the most options that a command may have */
#define SETTINGS_SIZE (1 << 20)  /* bytes of a file */

struct settings {
    const char *file;            /* NULL: none was read */
    char *text;                  /* values point into it; owned */
    uint32_t line[SETTINGS_OPTIONS];         /* line of each option's value; 0: the value is from elsewhere, or there is
                                                none */
    char *expanded[SETTINGS_OPTIONS];        /* values that named a variable, after it was replaced by its value; owned */
};

/* Called for each error, with its line and the name of an option, or NULL. */
struct settings_report {
    void (*tell)(void *context, uint32_t line, const char *name, const char *message);
    void *context;
};

/*
 * Reads `size` bytes into the values that are still NULL. A flag that is `no` stays NULL. Bits of `reserved` are
 * options that make sense on a command line only. Returns false if anything was wrong; all errors are reported, and
 * valid values are set nevertheless. settings_finish frees what they point to.
 */
bool settings_read(struct settings *settings, const char *text, size_t size, const struct cli_option *option,
    uint64_t reserved, const char **values, const struct settings_report *report);
void settings_finish(struct settings *settings);

#endif
