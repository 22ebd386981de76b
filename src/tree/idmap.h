/* SPDX-License-Identifier: MIT */
/*
 * idmap.h: the id map, a persistent map from ids to the leaves of a tree that hold their items.
 *
 * The map is a trie over the keys of ids (pqti_id_key), with eight children per node. A leaf holds
 * up to PQTI_IDMAP_LEAF entries in the order of their keys. Different ids have different keys, so
 * 22 levels separate any two ids. The shape of the map depends on its ids alone. The empty map is
 * NULL.
 *
 * An entry has 20 bytes: the key of the id, and the locator of its item (locator.h). The box is in
 * the tree only.
 */
#ifndef PQTI_IDMAP_H
#define PQTI_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/memory.h>

#include "base/hash.h"
#include "memory/memory_internal.h"
#include "tree/locator.h"

enum {
    PQTI_IDMAP_LEAF = 8, /* the maximal number of entries in a leaf */
    PQTI_IDMAP_RUN = 32, /* the maximal number of ids that are looked up at once */
};

/* An edit: the id is removed, or it gets this locator in place of any other. */
typedef struct pqti_id_edit {
    uint64_t key; /* pqti_id_key of the id */
    pqti_locator locator;
    bool removal;
} pqti_id_edit;

/* Returns the edit that gives an item's id the locator of the item, or that removes the id. */
static inline pqti_id_edit
pqti_id_edit_of(const pqti_domain *domain, const pqt_item *item, bool removal)
{
    pqti_id_edit edit = {.key = pqti_id_key(item->id), .removal = removal};
    if (!removal)
        edit.locator = pqti_locator_of(domain, item);
    return edit;
}

/* Finds the locator of an id. Returns false if the id is absent. */
bool pqti_idmap_find(const void *map, uint64_t id, pqti_locator *found);

/* Looks up at most PQTI_IDMAP_RUN keys at once. Sets present[i] to true if the map has keys[i], and
   then sets found[i]. */
void pqti_idmap_find_run(const void *map, const uint64_t *keys, size_t count, pqti_locator *found,
                         bool *present);

/* Sorts edits by key. Returns false when out of memory. */
bool pqti_idmap_sort(pqti_id_edit *edits, size_t count);

/*
 * Applies edits to a map and sets *edited to the result. Sorts the edits by key. No two edits may
 * have the same id. `owner` is NULL, or that of the draft whose map it is: then the draft owns the
 * new blocks, and drops those that they replace. Returns false when out of memory.
 */
bool pqti_idmap_edit(pqt_memory *memory, pqti_owner *owner, const void *map, pqti_id_edit *edits,
                     size_t count, const void **edited);

/* The place of a locator in a leaf. */
typedef struct pqti_owned_locator {
    uint64_t *centre;
    uint32_t *level_and_hash;
} pqti_owned_locator;

/* Finds the locator of an id in a leaf that the draft owns, so that it may be replaced there.
   Returns false if there is none. */
bool pqti_idmap_find_owned(const pqti_owner *owner, const void *map, uint64_t key,
                           pqti_owned_locator *place);

/* Checks that every entry is where its key requires, and that the counts in blocks are right. */
bool pqti_idmap_check(const void *map);

/* Return the number of entries in a map, and the number of bytes that its blocks take. */
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
