/* pages.c: the files of the page, embedded at build time (scripts/embed-pages makes pages.inc). The server serves no
 * other files. */
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
