/*
 * utf8.h (utf8.c): the one reader and writer of UTF-8. Strict: overlong forms, surrogates and numbers above U+10FFFF are not
 * characters, since they are how control characters are hidden. The meaning of a character (its width, whether it is
 * visible) is left to others.
 */
#ifndef PYR_UTF8_H
#define PYR_UTF8_H

#include <pyramids/base.h>

PYR_BEGIN_DECLS

/* The character at the start of `size` bytes, of which there must be one. *length is how many bytes it takes. -1 if there
 * is no character; then *length is how many bytes to skip, or to replace by one sign: all of a character that is written
 * wrongly (too long, a surrogate), else one. A text that ends in NUL may be read with any larger size (PYR_UTF8_LONGEST),
 * as NUL ends a character that is cut off. */
#define PYR_UTF8_LONGEST 4
PYR_API int32_t pyr_utf8_read(const char *at, size_t size, size_t *length);

/* Writes a character, which must be one; returns how many bytes it takes. The text is not terminated. */
PYR_API size_t pyr_utf8_write(int32_t character, char to[4]);

PYR_END_DECLS

#endif
