/*
 * map.h (map.c): an intrusive hash table with 64-bit keys. Keys that outsiders choose must be hashed with a secret
 * first (server_hash). Two entries may have the same key; the caller compares the entries themselves.
 */
#ifndef PYR_SERVER_MAP_H
#define PYR_SERVER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* First member of each entry. */
struct map_node {
    struct map_node *next;
    uint64_t key;
};

struct map {
    struct map_node **bucket;
    size_t buckets, count;
};

/* False without memory; the map is unchanged. */
bool map_add(struct map *map, struct map_node *node, uint64_t key);
void map_remove(struct map *map, struct map_node *node);

/* The first node of a key, or NULL; map_next for others of the same key. */
struct map_node *map_find(const struct map *map, uint64_t key);
struct map_node *map_next(const struct map_node *node);

/* Calls `each` for all nodes; it may remove and free the one it gets. */
void map_each(struct map *map, void (*each)(struct map_node *node, void *context), void *context);

/* Frees the buckets, not the entries. */
void map_finish(struct map *map);

#endif
