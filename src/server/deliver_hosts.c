/* deliver_hosts.c: which endpoints may be used (deliver.h): those of the browsers' push services, and the hosts added
 * with --push-host. */
#include "deliver.h"

/* Chrome, Edge on other systems, Opera, Brave; Firefox; Edge on Windows; Safari. */
static const char *const services[] = { "fcm.googleapis.com", ".push.services.mozilla.com", ".notify.windows.com",
    ".push.apple.com", NULL };

static bool covers(const char *const *hosts, const struct push_endpoint *endpoint)
{
    for (; hosts && *hosts; hosts++)
        if (push_host_covers(*hosts, endpoint))
            return true;
    return false;
}

bool deliver_allows(const struct deliver_options *options, const char *endpoint)
{
    struct push_endpoint parts;
    return push_endpoint_read(endpoint, &parts) && (covers(services, &parts) || covers(options->hosts, &parts));
}
