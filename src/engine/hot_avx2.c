/* hot_avx2.c: the hot part for x86-64 with AVX2 and BMI2; compiled with those flags, called only where they exist. */
#define HOT_NAME(name) name##_avx2
#define PYR_FAST_BITS
#include "hot_api.inc"
#include "batch.inc"
