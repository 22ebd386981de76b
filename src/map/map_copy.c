/* SPDX-License-Identifier: MIT */
/*
 * map_copy.c: copies versions of maps to another memory. Blocks that the versions share stay
 * shared.
 *
 * A hash table from blocks to their copies ensures that each block is copied once. So the cost of
 * copying many versions depends only on the number and sizes of their distinct blocks.
 *
 * The table is in scratch memory, which no collector scans. The copies stay alive nevertheless:
 * until the copy of the parent refers to the copy of a block, a stack frame does. The list `done`
 * refers to finished versions.
 */
#include "config.h"

#include "map/map_internal.h"

#include "base/error_internal.h"
#include "region/block_table.h"

#define TRIE_EDITS
#define TRIE_COPIES
#include "map/map_trie.h"

typedef struct pqti_map_copier {
    pqt_memory *memory;
    pqti_hashtable copies; /* maps blocks and versions to their copies */
    const pqt_map **done;  /* the versions copied so far, in a block that the collector scans */
} pqti_map_copier;

static inline map_ref
map_find_copy(map_memory *memory, map_ref ref)
{
    return pqti_hashtable_of_block(&memory->copier->copies, ref);
}

static inline bool
map_record_copy(map_memory *memory, map_ref ref, map_ref copy)
{
    return pqti_hashtable_add_block(&memory->copier->copies, ref, copy);
}

static const pqti_map_cell *
copy_cell(map_memory *memory, const pqti_map_cell *cell)
{
    const pqti_map_cell *copy = map_find_copy(memory, cell);
    if (copy != NULL)
        return copy;
    copy = pqti_map_copy_cell(memory->memory, cell, memory->kinds);
    return copy != NULL && map_record_copy(memory, cell, copy) ? copy : NULL;
}

static inline bool
map_copy_leaf(map_memory *memory, const trie_slice *slice, map_ref *copy)
{
    pqti_map_slot slots[TRIE_LEAF];
    memcpy(slots, slice->entries.at, (size_t)slice->count * sizeof *slots);
    for (uint64_t i = 0; i < slice->count && (memory->kinds & PQTI_MAP_HAS_CELLS) != 0; i++) {
        slots[i].cell = copy_cell(memory, slots[i].cell);
        if (slots[i].cell == NULL)
            return false;
    }
    return trie_make_slots(memory, slots, (size_t)slice->count, copy);
}

/* Copies one version. Returns NULL and sets the error when out of memory. */
static const pqt_map *
copy_map(pqti_map_copier *c, const pqt_map *map, pqt_error *error)
{
    const pqt_map *copy = pqti_hashtable_of_block(&c->copies, map);
    if (copy != NULL || map->memory == c->memory)
        return copy != NULL ? copy : map;
    map_memory memory = {c->memory, map->kinds, c};
    const void *root;
    if (trie_copy(&memory, map->root, &root)) {
        copy = pqti_map_of(c->memory, map->kinds, root, error);
        if (copy == NULL || pqti_hashtable_add_block(&c->copies, map, copy))
            return copy;
    }
    pqti_out_of_memory(error);
    return NULL;
}

static bool
copy_maps(pqti_map_copier *c, const pqt_map *const *maps, size_t count, pqt_error *error)
{
    for (size_t i = 0; i < count; i++) {
        PQT_ASSERT_IN("pqt_map_copy_all", maps[i] != NULL, "a map of the array is NULL");
        pqti_assert_map_alive("pqt_map_copy_all", maps[i]);
        c->done[i] = copy_map(c, maps[i], error);
        if (c->done[i] == NULL)
            return false;
    }
    return true;
}

/* Allocates the table and the list. The list has one more word than needed, because the collector
   does not scan the last one. */
static bool
make_ready(pqti_map_copier *c, size_t count)
{
    if (count > SIZE_MAX / 2 / sizeof *c->done)
        return false;
    const size_t size = (count + 1) * sizeof *c->done;
    c->done = pqti_alloc_list(c->memory, pqti_rounded(size));
    return c->done != NULL && pqti_hashtable_make(&c->copies);
}

bool
pqt_map_copy_all(const pqt_map *const *maps, size_t count, pqt_memory *memory,
                 const pqt_map **copies, pqt_error *error)
{
    PQT_ASSERT((maps != NULL && copies != NULL) || count == 0, "an array is NULL");
    pqti_map_copier c = {.memory = NULL};
    c.memory = pqti_memory_or_default(memory, error);
    if (c.memory == NULL)
        return false;
    bool copied = false;
    if (!make_ready(&c, count))
        pqti_out_of_memory(error);
    else
        copied = copy_maps(&c, maps, count, error);
    if (copied && count > 0)
        memcpy(copies, c.done, count * sizeof *copies);
    pqti_hashtable_free(&c.copies);
    return copied;
}

const pqt_map *
pqt_map_copy(const pqt_map *map, pqt_memory *memory, pqt_error *error)
{
    const pqt_map *copy = NULL;
    if (!pqti_map_check_input(map, error))
        return NULL;
    memory = pqti_memory_or_default(memory, error);
    if (memory == NULL || memory == map->memory)
        return memory != NULL ? map : NULL;
    return pqt_map_copy_all(&map, 1, memory, &copy, error) ? copy : NULL;
}
