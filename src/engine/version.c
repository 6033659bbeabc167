/* version.c: see version.h. */
#include <pyramids/version.h>

const char *pyr_version(void)
{
    return PYR_VERSION;
}

int pyr_version_number(void)
{
    return PYR_VERSION_NUMBER;
}
