/*
 * bots.c: the list of all bots.
 *
 * They are in the order of strength, as far as it was measured, with the yardsticks in between; the bystander is last,
 * since it does not compete. The server compares indexes to find the strongest bot of a table, and bindings name bots
 * by them. A bot's name is part of records and databases and never changes.
 */
#include "list.h"

static const struct pyr_bot *const all[] = {
    &bot_random, &bot_novice, &bot_casual, &bot_greedy, &bot_club, &bot_flatmc, &bot_expert, &bot_master,
    &bot_veteran, &bot_bystander
};

unsigned pyr_bot_count(void)
{
    return sizeof all / sizeof *all;
}

const struct pyr_bot *pyr_bot_at(unsigned index)
{
    return index < pyr_bot_count() ? all[index] : NULL;
}

const struct pyr_bot *pyr_bot_find(const char *name)
{
    for (unsigned i = 0; i < pyr_bot_count(); i++) {
        const char *a = all[i]->name, *b = name;
        while (*a && *a == *b)
            a++, b++;
        if (*a == *b)
            return all[i];
    }
    return NULL;
}
