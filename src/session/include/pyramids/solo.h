/*
 * solo.h (solo.c): solo expeditions: one person alone on fixed cards, against three targets. The printed game is for two to
 * four players; this mode is ours. The second seat is played by the bot `bystander`, which completes nothing.
 *
 * An expedition is a seed for pyr_local_begin with the edition classic and two seats. Its targets are what casual, club and
 * expert reached on the same cards, the median of several games (tools/solo.c measures them).
 */
#ifndef PYR_SOLO_H
#define PYR_SOLO_H

#include <pyramids/base.h>

PYR_BEGIN_DECLS

enum pyr_medal { PYR_MEDAL_NONE = 0, PYR_MEDAL_BRONZE = 1, PYR_MEDAL_SILVER = 2, PYR_MEDAL_GOLD = 3 };

struct pyr_solo {
    uint32_t seed;
    uint16_t target[3];          /* points for bronze, silver and gold; each more than the one before */
};

/* All expeditions, in the order in which they are offered; NULL beyond the last. */
PYR_API unsigned pyr_solo_count(void);
PYR_API const struct pyr_solo *pyr_solo_at(unsigned index);

/* The medal for a number of points. */
PYR_API enum pyr_medal pyr_solo_medal(const struct pyr_solo *solo, int points);

PYR_END_DECLS

#endif
