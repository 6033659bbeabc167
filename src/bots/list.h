/* list.h: all bots; each is defined in a file of its name, novice to club in levels.c, expert and master in strong.c. */
#ifndef PYR_BOTS_LIST_H
#define PYR_BOTS_LIST_H

#include <pyramids/bots.h>

extern const struct pyr_bot bot_bystander, bot_random, bot_novice, bot_casual, bot_greedy, bot_club, bot_flatmc,
    bot_expert, bot_master, bot_veteran;

#endif
