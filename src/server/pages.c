/* pages.c: the page and all that belongs to it, embedded at build time (scripts/embed-pages makes pages.inc). No other
 * file is ever served. */
#include <string.h>

#include "request.h"

#include "pages.inc"

const struct page *page_find(const char *path)
{
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (!strcmp(pages[i].path, path))
            return &pages[i];
    return NULL;
}
