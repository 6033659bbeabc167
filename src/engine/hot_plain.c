/* hot_plain.c: the hot part for any processor. */
#define HOT_NAME(name) name##_plain
#include "hot_api.inc"
#include "batch.inc"
