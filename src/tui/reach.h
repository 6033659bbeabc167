/*
 * reach.h (reach.c): why a server does not answer: looks its name up and knocks at its port.
 */
#ifndef PYR_TUI_REACH_H
#define PYR_TUI_REACH_H

#include <stdbool.h>

/* Returns one of NET_NO_NAME to NET_NO_HTTP (net.h). May take some seconds. */
int reach_check(const char *host, int port, bool secure);

#endif
