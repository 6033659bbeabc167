/*
 * real.h: the two functions of real numbers that ratings need, for bare WebAssembly, which has no libm. They use only
 * operations that IEEE 754 defines to the last bit, so that every machine gets the same results.
 */
#ifndef PYR_RATING_REAL_H
#define PYR_RATING_REAL_H

#include <stdint.h>

/* The square root of a number that is not negative: one instruction on every machine we compile for, since errno is not
 * set (-fno-math-errno). */
static inline double real_sqrt(double x)
{
    return __builtin_sqrt(x);
}

/*
 * e to the power of x, for |x| at most 700: x = k ln 2 + r with |r| at most ln 2 / 2. e^r is a Taylor series, whose rest
 * after 14 terms is below 1e-16, and 2^k is made by its exponent. ln 2 is two numbers, the first of which has zeros at its
 * end, so that k times it is exact.
 */
static inline double real_exp(double x)
{
    const double high = 0x1.62e42fefap-1, low = 0x1.cf79abc9e3b3ap-40;
    double scaled = x * 1.4426950408889634, sum = 1;
    int64_t k = (int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    double r = (x - (double)k * high) - (double)k * low;
    for (int n = 14; n > 0; n--)
        sum = 1 + sum * r / n;
    union { uint64_t bits; double real; } power = { .bits = (uint64_t)(k + 1023) << 52 };
    return sum * power.real;
}

#endif
