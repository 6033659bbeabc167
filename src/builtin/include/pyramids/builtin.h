/*
 * builtin.h (builtin.c, made from editions/ at build time): the editions that come with the program, as text.
 * All results are constants: they are never freed, and any thread may use them.
 */
#ifndef PYR_BUILTIN_H
#define PYR_BUILTIN_H

#include <pyramids/base.h>

PYR_BEGIN_DECLS

/* The text of a built-in edition, terminated; NULL if there is none of that name. */
PYR_API const char *pyr_builtin_edition(const char *name);

/* The names of the built-in editions, ended by NULL. */
PYR_API const char *const *pyr_builtin_names(void);

PYR_END_DECLS

#endif
