/* solo.c: the solo expeditions. See solo.h. */
#include <pyramids/solo.h>

/* Printed by tools/solo.c, which skips seeds whose targets are less than five points apart. A released row is never
 * changed, since players keep medals for it. */
static const struct pyr_solo all[] = {
#include "solo.inc"
};

unsigned pyr_solo_count(void)
{
    return sizeof all / sizeof *all;
}

const struct pyr_solo *pyr_solo_at(unsigned index)
{
    return index < pyr_solo_count() ? &all[index] : NULL;
}

enum pyr_medal pyr_solo_medal(const struct pyr_solo *solo, int points)
{
    unsigned medal = PYR_MEDAL_NONE;
    while (medal < PYR_MEDAL_GOLD && points >= solo->target[medal])
        medal++;
    return (enum pyr_medal)medal;
}
