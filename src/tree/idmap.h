/* SPDX-License-Identifier: MIT */
/*
 * idmap.h - the id map: from an id to its item, as persistent as the tree beside it.
 *
 * A trie of the ids' keys (item_hash.h), eight ways a level, whose leaves hold up to eight items in
 * the order of their keys. Keys are a bijection of ids, so 22 levels part any two. Its shape, too,
 * is determined by what it holds. The empty map is NULL.
 */
#ifndef PQTI_IDMAP_H
#define PQTI_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/item.h>
#include <pqt/memory.h>

/* A wish: that an id have this item, or none. */
typedef struct pqti_id_edit {
    uint64_t key; /* pqti_id_key(item.id) */
    pqt_item item;
    bool removal;
} pqti_id_edit;

bool pqti_idmap_find(const void *map, uint64_t id, pqt_item *found);

/* The same for the ids of some items at once: those that are found take the place of the items
   asked for. */
enum { PQTI_IDMAP_RUN = 32 }; /* at most so many */
void pqti_idmap_find_run(const void *map, pqt_item *items, size_t count, bool *found);

/* Sorts edits by key (idmap.c). False: no memory. */
bool pqti_idmap_sort(pqti_id_edit *edits, size_t count);

/*
 * The map with `count` edits done, in *edited; edits are sorted here by key, no id twice.
 * False: no memory.
 */
bool pqti_idmap_edit(pqt_memory *memory, const void *map, pqti_id_edit *edits, size_t count,
                     const void **edited);

/* Whether every item stands where its key belongs, and the blocks count right. */
bool pqti_idmap_check(const void *map);

/* How many items a map holds, and the bytes that its blocks take. */
size_t pqti_idmap_count(const void *map);
size_t pqti_idmap_bytes(const pqt_memory *memory, const void *map);

/* The bytes of the blocks that two maps share. */
size_t pqti_idmap_shared_bytes(const pqt_memory *memory, const void *a, const void *b);

/*
 * The bytes of those blocks of a map that none of `count` others holds. `slices` has room for 23
 * slices of `width` pointers, `width` not below `count`.
 */
size_t pqti_idmap_exclusive_bytes(const pqt_memory *memory, const void *map,
                                  const void *const *others, size_t count, const void **slices,
                                  size_t width);

/*
 * Copies a map into another memory. `known` tells of a block that was copied before (its copy, or
 * NULL), `learn` is told of each new one and may fail; both get `context`. False: no memory.
 */
typedef const void *pqti_known_fn(void *context, const void *block);
typedef bool pqti_old_item_fn(void *context, const void *block, const void *copy);
bool pqti_idmap_copy(pqt_memory *memory, const void *map, pqti_known_fn *known,
                     pqti_old_item_fn *learn, void *context, const void **copy);

#endif
