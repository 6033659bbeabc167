/* draw.c: the only part of the fair shuffle that needs a system: randomness; see fair.h. */
#include <sodium.h>

#include <pyramids/fair.h>

bool pyr_fair_draw(struct pyr_fair *fair)
{
    if (sodium_init() < 0)
        return false;
    *fair = (struct pyr_fair){ .numbers = 0 };
    randombytes_buf(fair->secret, sizeof fair->secret);
    return true;
}
