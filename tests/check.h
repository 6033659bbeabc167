/*
 * check.h: a minimal test framework. A program includes it once and is a list of named cases:
 *
 *     TEST("R17 the lower number breaks a tie") {
 *         CHECK(pyr_is_so(x));
 *         CHECK_INT(pyr_count(x), 3);
 *     }
 *
 * It has its own main, which runs the cases in order, or those whose name contains the first argument. The output is
 * TAP: Meson and scripts/sum-tests count each case by name. A failed check is reported with its line and the case
 * continues; every check returns whether it held, for `if (!CHECK(..)) return;`.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check_case {
    const char *name;
    void (*run)(void);
};

static struct check_case check_cases[400];
static int check_count, check_failures;
static const char *check_skipped;

#define CHECK_JOIN_(a, b) a##b
#define CHECK_JOIN(a, b) CHECK_JOIN_(a, b)
#define TEST(name) TEST_(#name, __LINE__)
#define TEST_(name, line) TEST__(name, CHECK_JOIN(case_, line), CHECK_JOIN(add_, line))
#define TEST__(name, function, add) \
    static void function(void); \
    __attribute__((constructor)) static void add(void) { check_add(name, function); } \
    static void function(void)

#define CHECK(claim) check_claim((claim), __FILE__, __LINE__, #claim)
#define CHECK_INT(got, wanted) check_int((long long)(got), (long long)(wanted), __FILE__, __LINE__, #got)
#define CHECK_STR(got, wanted) check_str((got), (wanted), __FILE__, __LINE__, #got)

/* Ends a case that cannot be run here. */
#define SKIP(reason) \
    do { \
        check_skipped = (reason); \
        return; \
    } while (0)

__attribute__((unused)) static void check_add(const char *name, void (*run)(void))
{
    if (check_count == sizeof check_cases / sizeof *check_cases)
        abort();
    check_cases[check_count++] = (struct check_case){ name, run };
}

__attribute__((unused)) static bool check_claim(bool held, const char *file, int line, const char *claim)
{
    if (!held) {
        fprintf(stderr, "%s:%d: %s\n", file, line, claim);
        check_failures++;
    }
    return held;
}

__attribute__((unused)) static bool check_int(long long got, long long wanted, const char *file, int line, const char *what)
{
    if (got != wanted) {
        fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", file, line, what, got, wanted);
        check_failures++;
    }
    return got == wanted;
}

__attribute__((unused)) static bool check_str(const char *got, const char *wanted, const char *file, int line,
    const char *what)
{
    bool same = got && wanted ? !strcmp(got, wanted) : got == wanted;
    if (!same) {
        fprintf(stderr, "%s:%d: %s is\n  \"%s\", not\n  \"%s\"\n", file, line, what, got ? got : "(null)",
            wanted ? wanted : "(null)");
        check_failures++;
    }
    return same;
}

/* How often something is repeated: `full` times, but with PYR_SHORT only `few` times. It is set for other compilers and
 * the sanitizers when one build has already done the full number. */
__attribute__((unused)) static unsigned check_times(unsigned full, unsigned few)
{
    return getenv("PYR_SHORT") ? few : full;
}

/* A file of the source tree, such as "tests/data/plain.edition", as terminated text; the caller frees it. Ends the program
 * if it cannot be read: Meson counts that as an error. */
__attribute__((unused)) static char *check_file(const char *path, size_t *size)
{
    const char *root = getenv("PYR_SOURCE");
    char full[4096];
    snprintf(full, sizeof full, "%s/%s", root ? root : ".", path);
    FILE *file = fopen(full, "rb");
    char *text = malloc(1 << 22);
    if (!file || !text) {
        printf("Bail out! %s cannot be read\n", full);
        exit(1);
    }
    *size = fread(text, 1, (1 << 22) - 1, file);
    text[*size] = '\0';
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    int run = 0, failed = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);        /* output before a crash must not be lost */
    for (int i = 0; i < check_count; i++) {
        const char *name = check_cases[i].name;
        int length = (int)strlen(name);
        if (length > 1 && name[0] == '"')    /* TEST("words") as well as TEST(word) */
            name++, length -= 2;
        if (argc > 1 && !strstr(name, argv[1]))
            continue;
        check_failures = 0;
        check_skipped = NULL;
        printf("# case %.*s\n", length, name);
        check_cases[i].run();
        if (check_failures)
            fprintf(stderr, "in \"%.*s\"\n", length, name);
        failed += check_failures != 0;
        printf("%sok %d - %.*s%s%s\n", check_failures ? "not " : "", ++run, length, name,
            check_skipped ? " # SKIP " : "", check_skipped ? check_skipped : "");
    }
    printf("1..%d\n", run);
    return failed != 0;
}

#endif
