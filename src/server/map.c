/*
 * map.c: see map.h. Chains in buckets whose number is a power of two; a bucket has one entry on average, at most. Entries
 * with the same key are allowed: map_find returns the newest one and map_next the others, so callers whose keys are hashes
 * compare the real key themselves.
 */
#include "map.h"

#include <stdlib.h>

/* Fibonacci hashing: consecutive keys, as ids are, are spread evenly; the upper bits are the well-mixed ones. */
static size_t place(const struct map *map, uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (map->buckets - 1);
}

/* Before the chains get longer than one on average. Nodes are relinked, never moved: owners hold pointers to them. */
static bool grow(struct map *map)
{
    struct map larger = { .buckets = map->buckets ? 2 * map->buckets : 64, .count = map->count };
    larger.bucket = calloc(larger.buckets, sizeof(struct map_node *));
    if (!larger.bucket)
        return map->buckets > 0;             /* continue with longer chains */
    for (size_t i = 0; i < map->buckets; i++) {
        for (struct map_node *node = map->bucket[i], *next; node; node = next) {
            size_t at = place(&larger, node->key);
            next = node->next;
            node->next = larger.bucket[at];
            larger.bucket[at] = node;
        }
    }
    free(map->bucket);
    *map = larger;
    return true;
}

bool map_add(struct map *map, struct map_node *node, uint64_t key)
{
    if (map->count >= map->buckets && !grow(map))
        return false;
    size_t at = place(map, key);
    node->key = key;
    node->next = map->bucket[at];
    map->bucket[at] = node;
    map->count++;
    return true;
}

/* The node must be in the map. */
void map_remove(struct map *map, struct map_node *node)
{
    struct map_node **link = &map->bucket[place(map, node->key)];
    while (*link != node)
        link = &(*link)->next;
    *link = node->next;
    map->count--;
}

struct map_node *map_find(const struct map *map, uint64_t key)
{
    struct map_node *node = map->buckets ? map->bucket[place(map, key)] : NULL;
    while (node && node->key != key)
        node = node->next;
    return node;
}

struct map_node *map_next(const struct map_node *node)
{
    uint64_t key = node->key;
    struct map_node *next = node->next;
    while (next && next->key != key)
        next = next->next;
    return next;
}

/* `each` may remove and free its node, but add none. */
void map_each(struct map *map, void (*each)(struct map_node *node, void *context), void *context)
{
    for (size_t i = 0; i < map->buckets; i++) {
        for (struct map_node *node = map->bucket[i], *next; node; node = next) {
            next = node->next;
            each(node, context);
        }
    }
}

void map_finish(struct map *map)
{
    free(map->bucket);
    *map = (struct map){ 0 };
}
