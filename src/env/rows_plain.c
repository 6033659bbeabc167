/* rows_plain.c: the rows for any processor. */
#define ROW_NAME(name) name##_plain
#include "rows.inc"
