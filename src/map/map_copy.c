/* SPDX-License-Identifier: MIT */
/*
 * map_copy.c: copies versions of maps to another memory (version_copier.h).
 *
 * A cell is a block of its own, which several leaves may share.
 */
#include "config.h"

#include "map/map_internal.h"

#include "base/error_internal.h"
#include "memory/version_copier.h"

#define TRIE_EDITS
#define TRIE_COPIES
#include "map/map_trie.h"

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
    copy = pqti_map_copy_cell(memory->home.memory, cell, memory->home.kinds);
    return copy != NULL && map_record_copy(memory, cell, copy) ? copy : NULL;
}

static inline bool
map_copy_leaf(map_memory *memory, const trie_slice *slice, map_ref *copy)
{
    pqti_map_slot slots[TRIE_LEAF];
    memcpy(slots, slice->entries.at, (size_t)slice->count * sizeof *slots);
    for (uint64_t i = 0; i < slice->count && (memory->home.kinds & PQTI_MAP_HAS_CELLS) != 0; i++) {
        slots[i].cell = copy_cell(memory, slots[i].cell);
        if (slots[i].cell == NULL)
            return false;
    }
    return trie_make_slots(memory, slots, (size_t)slice->count, copy);
}

/* Returns the copy of a map, or the map if it is in the memory of the copies. */
static const void *
copy_map(pqti_copier *copier, const void *version, pqt_error *error)
{
    const pqt_map *map = version;
    PQT_ASSERT_IN("pqt_map_copy_all", map != NULL, "a map of the array is NULL");
    pqti_assert_map_alive("pqt_map_copy_all", map);
    const pqt_map *copy = pqti_hashtable_of_block(&copier->copies, map);
    if (copy != NULL || map->memory == copier->memory)
        return copy != NULL ? copy : map;
    map_memory memory = {{copier->memory, NULL, map->kinds}, copier};
    const void *root;
    if (trie_copy(&memory, map->root, &root)) {
        copy = pqti_map_of(copier->memory, map->kinds, root, error);
        if (copy == NULL || pqti_hashtable_add_block(&copier->copies, map, copy))
            return copy;
    }
    pqti_out_of_memory(error);
    return NULL;
}

bool
pqt_map_copy_all(const pqt_map *const *maps, size_t count, pqt_memory *memory,
                 const pqt_map **copies, pqt_error *error)
{
    PQT_ASSERT((maps != NULL && copies != NULL) || count == 0, "an array is NULL");
    return pqti_copy_versions(maps, count, memory, copies, copy_map, error);
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
