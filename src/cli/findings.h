/*
 * findings.h (findings.c): what was found out about options before a command starts: what is wrong and where, from the
 * command line or a configuration file. They are collected first, so that all of them are shown, as text or as JSON.
 */
#ifndef PYR_FINDINGS_H
#define PYR_FINDINGS_H

#include "cli.h"

#define MOST_FINDINGS 64

enum finding_level { FINDING_GOOD, FINDING_WARNING, FINDING_ERROR };

struct finding {
    enum finding_level level;
    const char *check;           /* what was looked at: options, certificate, edition, address, file, database */
    const char *option;          /* NULL: none in particular */
    uint32_t line;               /* of the configuration file; 0: not from there */
    char message[600];
};

struct findings {
    const char *file;            /* the configuration file; NULL: none */
    struct finding at[MOST_FINDINGS];
    unsigned count, errors;
};

/* Adds one; what is too many is only counted. */
void findings_add(struct findings *findings, enum finding_level level, const char *check, const char *option, uint32_t line,
    const char *format, ...) __attribute__((format(printf, 6, 7)));

/* One as a line of text, as it is shown: "FILE:LINE: port: ...", or "--port: ...". */
void finding_write(const struct findings *findings, const struct finding *finding, char *to, size_t size);

/* Errors and warnings on standard error. And all as one JSON object on standard output. */
void findings_print(const struct findings *findings);
void findings_print_json(const struct findings *findings);

#endif
