/* fuzz.h: what a fuzz target defines; libFuzzer or main.c calls it. It returns 0 and traps on a violated claim. */
#ifndef PYR_FUZZ_H
#define PYR_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A claim that is checked in every build, also in a release. */
#define MUST(claim) ((claim) ? (void)0 : must_not(__FILE__, __LINE__, #claim))

__attribute__((unused)) static void must_not(const char *file, int line, const char *claim)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, claim);
    __builtin_trap();
}

#endif
