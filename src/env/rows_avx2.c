/* rows_avx2.c: the rows for x86-64 with AVX2 and BMI2; compiled with those flags, called only where they exist. */
#define ROW_NAME(name) name##_avx2
#define PYR_FAST_BITS
#include "rows.inc"
