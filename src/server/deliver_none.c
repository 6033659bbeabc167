/* deliver_none.c: a server that was built without libcurl sends no messages (deliver.h). */
#include <stdio.h>
#include <stdlib.h>

#include <pyramids/text.h>

#include "deliver.h"

bool deliver_is_there(void)
{
    return false;
}

struct deliver *deliver_start(uv_loop_t *loop, const struct deliver_options *options,
    void (*ended)(void *context, int64_t push, enum delivered result), void *context, char *error, size_t size)
{
    (void)loop;
    (void)options;
    (void)ended;
    (void)context;
    snprintf(error, size, "%s", _("this program was built without libcurl"));
    return NULL;
}

void deliver_submit(struct deliver *deliver, struct delivery *delivery)
{
    (void)deliver;
    free(delivery);
}

unsigned deliver_pending(struct deliver *deliver)
{
    (void)deliver;
    return 0;
}

void deliver_stop(struct deliver *deliver)
{
    (void)deliver;
}
