/* reach.c: see reach.h. It is asked only after an attempt has failed, so what answers here answers wrongly. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net.h"
#include "reach.h"

#define PATIENCE 2000            /* milliseconds for one address */

/* 0 if somebody is there, else errno. */
static int knock(const struct addrinfo *at)
{
    int error = 0;
    socklen_t size = sizeof error;
    int link = socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (link < 0)
        return errno;
    if (connect(link, at->ai_addr, at->ai_addrlen)) {
        struct pollfd wait = { .fd = link, .events = POLLOUT };
        error = errno;
        if (error == EINPROGRESS)
            error = poll(&wait, 1, PATIENCE) <= 0 ? ETIMEDOUT
                : getsockopt(link, SOL_SOCKET, SO_ERROR, &error, &size) ? errno : error;
    }
    close(link);
    return error;
}

int reach_check(const char *host, int port, bool secure)
{
    struct addrinfo wanted = { .ai_socktype = SOCK_STREAM }, *list = NULL;
    char service[16];
    snprintf(service, sizeof service, "%d", port);
    int failed = getaddrinfo(host, service, &wanted, &list);
    if (failed)
        return failed == EAI_AGAIN ? NET_NO_LOOKUP : NET_NO_NAME;
    bool refused = false, there = false;
    for (const struct addrinfo *at = list; at && !there; at = at->ai_next) {
        int error = knock(at);
        there = !error;
        refused = refused || error == ECONNREFUSED;
    }
    freeaddrinfo(list);
    return there ? secure ? NET_NO_TLS : NET_NO_HTTP : refused ? NET_REFUSED : NET_UNREACHABLE;
}
