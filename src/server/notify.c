/* notify.c: the datagrams that tell systemd when the server is ready, reloading, stopping or alive. */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "notify.h"

#define FIRST_FD 3               /* the first descriptor handed in */

static struct {
    int fd;                      /* 0: not a listener */
    struct sockaddr_un to;
    socklen_t size;
    uint64_t watchdog;           /* in milliseconds */
    unsigned sockets;
    struct notify_socket socket[NOTIFY_SOCKETS];
} manager;

/* A number in the environment that is meant for this process; 0: none. */
static unsigned long long read_number(const char *name, const char *process_name)
{
    const char *text = getenv(name), *process = getenv(process_name);
    if (!text || (process && strtoll(process, NULL, 10) != (long long)getpid()))
        return 0;
    return strtoull(text, NULL, 10);
}

static void find_manager(const char *path)
{
    size_t length = path ? strlen(path) : 0;
    if (!length || length >= sizeof manager.to.sun_path || !strchr("/@", path[0]))
        return;
    manager.to.sun_family = AF_UNIX;
    memcpy(manager.to.sun_path, path, length);
    if (path[0] == '@')
        manager.to.sun_path[0] = '\0';       /* an abstract name, without a file */
    manager.size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (path[0] == '/'));
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    manager.fd = fd > 0 ? fd : 0;
}

static void find_sockets(void)
{
    unsigned long long count = getenv("LISTEN_PID") ? read_number("LISTEN_FDS", "LISTEN_PID") : 0;
    const char *names = getenv("LISTEN_FDNAMES");
    for (unsigned i = 0; i < count && i < NOTIFY_SOCKETS; i++) {
        struct notify_socket *one = &manager.socket[manager.sockets++];
        size_t length = names ? strcspn(names, ":") : 0;
        one->fd = FIRST_FD + (int)i;
        fcntl(one->fd, F_SETFD, FD_CLOEXEC);
        if (length && length < sizeof one->name)
            memcpy(one->name, names, length);
        names = names && names[length] ? names + length + 1 : NULL;
    }
}

void notify_init(void)
{
    static const char *const variables[] = { "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID",
        "LISTEN_FDNAMES" };
    find_manager(getenv("NOTIFY_SOCKET"));
    manager.watchdog = read_number("WATCHDOG_USEC", "WATCHDOG_PID") / 1000;
    find_sockets();
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
}

void notify_send(const char *lines)
{
    if (manager.fd)
        sendto(manager.fd, lines, strlen(lines), MSG_NOSIGNAL | MSG_DONTWAIT, (const struct sockaddr *)&manager.to,
            manager.size);
}

void notify_reloading(void)
{
    char lines[64];
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(lines, sizeof lines, "RELOADING=1\nMONOTONIC_USEC=%llu\n",
        (unsigned long long)now.tv_sec * 1000000 + (unsigned long long)now.tv_nsec / 1000);
    notify_send(lines);
}

uint64_t notify_watchdog(void)
{
    return manager.watchdog;
}

unsigned notify_sockets(struct notify_socket list[NOTIFY_SOCKETS])
{
    memcpy(list, manager.socket, sizeof manager.socket);
    return manager.sockets;
}
