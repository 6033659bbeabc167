/* object.h (message.c): JSON, and whether jansson ran out of memory, which it does not always report: from object_init on
 * (once in a program) allocations that fail since object_begin are noted. */
#ifndef PYR_SERVER_OBJECT_H
#define PYR_SERVER_OBJECT_H

#include <jansson.h>
#include <stdbool.h>

#include "error.h"

void object_init(void);
void object_begin(void);
bool object_is_short(void);
/* A JSON value, or NULL: the text is wrong, or there is no memory (object_is_short). */
json_t *object_load(const char *text, size_t size);
/* The object that a text contains. NULL with ERROR_BAD_JSON, or ERROR_STORAGE without memory. */
json_t *object_read(const char *text, size_t size, enum error *error);

#endif
