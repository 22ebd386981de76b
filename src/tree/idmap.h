/* SPDX-License-Identifier: MIT */
/*
 * idmap.h: the id map, a persistent map from ids to items.
 *
 * The map is a trie over the keys of ids (pqti_id_key), with eight children per node. A leaf holds
 * up to eight items in the order of their keys. Different ids have different keys, so 22 levels
 * separate any two ids. The shape of the map depends on its items alone. The empty map is NULL.
 */
#ifndef PQTI_IDMAP_H
#define PQTI_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/item.h>
#include <pqt/memory.h>

/* An edit: either `item` replaces the item with the same id, or this id is removed. */
typedef struct pqti_id_edit {
    uint64_t key; /* pqti_id_key(item.id) */
    pqt_item item;
    bool removal;
} pqti_id_edit;

/* Finds the item with a given id. Returns false if the id is absent. */
bool pqti_idmap_find(const void *map, uint64_t id, pqt_item *found);

/* Looks up at most PQTI_IDMAP_RUN ids at once, those of `items`. Sets found[i] to true if an
   item has the id of items[i], and then replaces items[i] by this item. */
enum { PQTI_IDMAP_RUN = 32 };
void pqti_idmap_find_run(const void *map, pqt_item *items, size_t count, bool *found);

/* Sorts edits by key. Returns false when out of memory. */
bool pqti_idmap_sort(pqti_id_edit *edits, size_t count);

/*
 * Applies edits to a map and sets *edited to the result. Sorts the edits by key. No two edits may
 * have the same id. Returns false when out of memory.
 */
bool pqti_idmap_edit(pqt_memory *memory, const void *map, pqti_id_edit *edits, size_t count,
                     const void **edited);

/* Checks that every item is where its key requires, and that the counts in blocks are right. */
bool pqti_idmap_check(const void *map);

/* Return the number of items in a map, and the number of bytes that its blocks take. */
size_t pqti_idmap_count(const void *map);
size_t pqti_idmap_bytes(const pqt_memory *memory, const void *map);

/* Returns the number of bytes that the blocks shared by two maps take. */
size_t pqti_idmap_shared_bytes(const pqt_memory *memory, const void *a, const void *b);

/*
 * Returns the number of bytes that the blocks of a map take, without blocks that are also in one of
 * the `count` other maps. `slices` has room for 23 slices of `width` pointers each; `width` is at
 * least `count`.
 */
size_t pqti_idmap_exclusive_bytes(const pqt_memory *memory, const void *map,
                                  const void *const *others, size_t count, const void **slices,
                                  size_t width);

/*
 * Copies a map into another memory. `known` returns the earlier copy of a block, or NULL if there
 * is none. `learn` is called with each new copy, and returns false on failure. Both are called with
 * `context`. Returns false when out of memory or `learn` fails.
 */
typedef const void *pqti_known_fn(void *context, const void *block);
typedef bool pqti_old_item_fn(void *context, const void *block, const void *copy);
bool pqti_idmap_copy(pqt_memory *memory, const void *map, pqti_known_fn *known,
                     pqti_old_item_fn *learn, void *context, const void **copy);

#endif
