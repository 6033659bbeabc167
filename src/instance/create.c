/* create.c: instances that own their memory; see instance.h. The only part that needs a system. */
#include <stdlib.h>

#include "inside.h"

/* An instance and the block that it got last. */
struct owner {
    struct pyr_instance instance;
    void *block;
};

/* There is only one block: its content is no longer needed when another one is requested. */
static void *give_room(void *context, size_t size)
{
    struct owner *owner = context;
    free(owner->block);
    return owner->block = aligned_alloc(64, (size + 63) / 64 * 64);
}

struct pyr_instance *pyr_instance_create(void)
{
    struct owner *owner = aligned_alloc(64, (sizeof *owner + 63) / 64 * 64);
    if (!owner)
        return NULL;
    owner->block = NULL;
    pyr_instance_init(&owner->instance, give_room, owner);
    return &owner->instance;
}

void pyr_instance_destroy(struct pyr_instance *instance)
{
    struct owner *owner = (struct owner *)instance;      /* its first member */
    if (owner)
        free(owner->block);
    free(owner);
}
