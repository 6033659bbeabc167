/* object.h (message.c): JSON without memory. jansson does not always tell, so whether it ran short is noted: from
 * object_init on (once in a program), since object_begin. */
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
/* The object that a text is. NULL with ERROR_BAD_JSON, or ERROR_STORAGE without memory. */
json_t *object_read(const char *text, size_t size, enum error *error);

#endif
