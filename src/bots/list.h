/* list.h: the bots there are; each is defined in a file of its name. */
#ifndef PYR_BOTS_LIST_H
#define PYR_BOTS_LIST_H

#include <pyramids/bots.h>

extern const struct pyr_bot bot_random, bot_greedy;

#endif
