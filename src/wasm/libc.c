/* libc.c: functions that bare wasm32 lacks. Compilers turn copies and fills into these calls; with -mbulk-memory the
 * builtins in here are single instructions, not recursive calls. */
#include "exports.h"

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    return __builtin_memcpy(to, from, size);
}

void *memmove(void *to, const void *from, size_t size)
{
    return __builtin_memmove(to, from, size);
}

void *memset(void *to, int byte, size_t size)
{
    return __builtin_memset(to, byte, size);
}

int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < size; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

extern unsigned char __heap_base;
/* The unit in which the memory of a module grows. */
#define PAGE 65536

/* All memory beyond the module's own data is one block, enlarged as needed. */
void *host_room(size_t size)
{
    size_t start = ((size_t)&__heap_base + 15) & ~(size_t)15, end = start + size;
    size_t have = (size_t)__builtin_wasm_memory_size(0) * PAGE;
    if (end < start)
        return NULL;
    if (end > have && __builtin_wasm_memory_grow(0, (end - have + PAGE - 1) / PAGE) == (size_t)-1)
        return NULL;
    return (void *)start;
}
