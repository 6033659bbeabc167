/*
 * version.c: the version as a function, so that a program can compare the library it runs with (pyr_version) with the
 * header it was compiled with (PYR_VERSION, version.h).
 */
#include <pyramids/version.h>

const char *pyr_version(void)
{
    return PYR_VERSION;
}

int pyr_version_number(void)
{
    return PYR_VERSION_NUMBER;
}
