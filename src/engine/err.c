/* err.c: see err.h. Uses switches, since a table of pointers would have to be relocated wherever the library is loaded. */
#include <pyramids/base.h>

const char *pyr_err_name(enum pyr_err code)
{
    switch (code) {
    case PYR_OK: return "ok";
#define CASE(NAME, name, number, rule) case PYR_ERR_##NAME: return #name;
    PYR_ERRORS(CASE)
#undef CASE
    }
    return NULL;
}

const char *pyr_err_rule(enum pyr_err code)
{
    switch (code) {
    case PYR_OK: return "";
#define CASE(NAME, name, number, rule) case PYR_ERR_##NAME: return rule;
    PYR_ERRORS(CASE)
#undef CASE
    }
    return "";
}

/* Freestanding: no strcmp. */
static bool is_same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

enum pyr_err pyr_err_find(const char *name)
{
#define COMPARE(NAME, text, number, rule) if (is_same(name, #text)) return PYR_ERR_##NAME;
    PYR_ERRORS(COMPARE)
#undef COMPARE
    return PYR_OK;
}
