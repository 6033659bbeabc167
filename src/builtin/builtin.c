/* builtin.c: the editions that come with the program. builtin_texts.inc is made from editions/ by scripts/embed. */
#include <pyramids/builtin.h>

#include "builtin_texts.inc"

#define COUNT (sizeof texts / sizeof *texts)

const char *const *pyr_builtin_names(void)
{
    return names;
}

const char *pyr_builtin_edition(const char *name)
{
    for (size_t i = 0; i < COUNT; i++) {
        const char *a = names[i], *b = name;
        while (*a && *a == *b)
            a++, b++;
        if (*a == *b)
            return texts[i];
    }
    return NULL;
}
