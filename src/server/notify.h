/*
 * notify.h (notify.c): communication with a service manager: the protocols of systemd's sd_notify(3) and
 * sd_listen_fds(3). They are a datagram and two variables, so systemd's library is not needed. Without a service
 * manager all of this does nothing.
 */
#ifndef PYR_SERVER_NOTIFY_H
#define PYR_SERVER_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

/* Takes its variables out of the environment, so that programs we start do not send messages as if they were the server.
 * Once, at the start. */
void notify_init(void);

/* Lines such as "READY=1"; they are lost without a service manager. */
void notify_send(const char *lines);
void notify_reloading(void);     /* followed by READY=1 */

/* How often the manager expects WATCHDOG=1, in milliseconds; 0: not at all. */
uint64_t notify_watchdog(void);

/* Sockets that the manager has opened for us, by the names that its units give them. */
#define NOTIFY_SOCKETS 6
struct notify_socket {
    int fd;
    char name[32];               /* "": none */
};
unsigned notify_sockets(struct notify_socket list[NOTIFY_SOCKETS]);

#endif
