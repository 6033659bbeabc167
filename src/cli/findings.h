/*
 * findings.h (findings.c): findings about options before a command starts: what is wrong and where, on the command line
 * or in a configuration file. They are collected first, so that all of them are shown, as text or as JSON.
 */
#ifndef PYR_FINDINGS_H
#define PYR_FINDINGS_H

#include "cli.h"

#define MOST_FINDINGS 64

enum finding_level { FINDING_GOOD, FINDING_WARNING, FINDING_ERROR };

struct finding {
    enum finding_level level;
    const char *check;           /* what was checked: options, certificate, edition, address, file, database */
    const char *option;          /* NULL: none in particular */
    uint32_t line;               /* of the configuration file; 0: not from there */
    char message[600];
};

struct findings {
    const char *file;            /* the configuration file; NULL: none */
    struct finding at[MOST_FINDINGS];
    unsigned count, errors;
};

/* Adds a finding; beyond the limit findings are only counted. */
void findings_add(struct findings *findings, enum finding_level level, const char *check, const char *option, uint32_t line,
    const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Writes a finding as the line of text that is shown: "FILE:LINE: port: ...", or "--port: ...". */
void finding_write(const struct findings *findings, const struct finding *finding, char *to, size_t size);

/* Prints errors and warnings on standard error, or all findings as one JSON object on standard output. */
void findings_print(const struct findings *findings);
void findings_print_json(const struct findings *findings);

#endif
