/* SPDX-License-Identifier: MIT */
/* map_stats.c: counts the exclusive and the shared bytes of versions of maps. */
#include "config.h"

#include "map/map_internal.h"

#include "base/error_internal.h"

#define TRIE_BYTES
#include "map/map_trie.h"

static inline size_t
map_block_bytes(const pqt_memory *memory, const trie_slice *slice, int part)
{
    (void)part;
    const size_t asked = trie_is_inner(slice) ? pqti_rounded(sizeof(pqti_map_inner))
                                              : pqti_map_leaf_size(slice->count);
    return pqti_block_size(memory, slice->ref, asked);
}

/* Returns true if a slot of the leaf refers to the given cell. */
static bool
leaf_has_cell(map_ref leaf, const pqti_map_cell *cell)
{
    const trie_slice slice = trie_slice_of(leaf);
    for (uint64_t i = 0; i < slice.count; i++)
        if (slice.entries.at[i].cell == cell)
            return true;
    return false;
}

static inline size_t
map_cell_bytes(const pqt_memory *memory, const trie_slice *leaf, unsigned level,
               const map_ref *others, size_t count)
{
    size_t bytes = 0;
    for (uint64_t i = 0; i < leaf->count && (leaf->entries.kinds & PQTI_MAP_HAS_CELLS) != 0; i++) {
        const map_entries entry = map_entry_at(leaf->entries, i);
        const map_key key = map_entry_key(entry);
        bool is_shared = false;
        for (size_t k = 0; k < count && !is_shared; k++)
            is_shared = leaf_has_cell(trie_leaf_of_key(others[k], key, level), entry.at->cell);
        if (!is_shared)
            bytes += pqti_block_size(memory, entry.at->cell,
                                     pqti_map_cell_size(entry.at->cell, entry.kinds));
    }
    return bytes;
}

static size_t
version_bytes(const pqt_map *map)
{
    return pqti_block_size(map->memory, map, PQTI_MAP_SIZE);
}

/* Counts the exclusive bytes of a map. `slices` is scratch memory for TRIE_LEVELS + 2 slices of
   max(count, 1) references each. */
static size_t
exclusive_bytes(const pqt_map *map, const pqt_map *const *others, size_t count, map_ref *slices)
{
    const size_t width = count > 0 ? count : 1;
    map_ref *roots = slices + (TRIE_LEVELS + 1) * width;
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (others[i]->kinds == map->kinds)
            roots[found++] = others[i]->root;
    return version_bytes(map) +
           trie_exclusive_bytes(map->memory, map->root, 0, roots, found, slices, width);
}

static bool
is_one_of_maps(const pqt_map *map, const pqt_map *const *others, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (others[i] == map)
            return true;
    return false;
}

enum { SLICES = TRIE_LEVELS + 2 };

static size_t
exclusive_bytes_of_one(const pqt_map *map, const pqt_map *const *others, size_t count)
{
    map_ref few[SLICES];
    return exclusive_bytes(map, others, count, few);
}

/* Allocates the slices, since with many other versions they might not fit on the stack. */
static bool
exclusive_bytes_of_many(const pqt_map *map, const pqt_map *const *others, size_t count,
                        size_t *bytes)
{
    map_ref *slices =
        count > SIZE_MAX / SLICES ? NULL : pqti_alloc_scratch(SLICES * count, sizeof *slices);
    if (slices != NULL)
        *bytes = exclusive_bytes(map, others, count, slices);
    pqti_free_scratch(slices);
    return slices != NULL;
}

bool
pqt_map_exclusive_bytes(const pqt_map *map, const pqt_map *const *others, size_t count,
                        size_t *bytes, pqt_error *error)
{
    PQT_ASSERT(others != NULL || count == 0, "others is NULL, and count is not 0");
    PQT_ASSERT(bytes != NULL, "bytes is NULL");
    if (!pqti_map_check_read(map, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        PQT_ASSERT(others[i] != NULL, "a map of the array is NULL");
        pqti_assert_map_readable(__func__, others[i]);
    }
    if (is_one_of_maps(map, others, count))
        *bytes = 0;
    else if (count <= 1)
        *bytes = exclusive_bytes_of_one(map, others, count);
    else if (!exclusive_bytes_of_many(map, others, count, bytes)) {
        pqti_out_of_memory(error);
        return false;
    }
    pqti_keep_alive(map);
    return true;
}

size_t
pqt_map_shared_bytes(const pqt_map *a, const pqt_map *b)
{
    PQT_ASSERT(a != NULL && b != NULL, "a map is NULL");
    pqti_assert_map_readable(__func__, a);
    pqti_assert_map_readable(__func__, b);
    const size_t all = exclusive_bytes_of_one(a, NULL, 0);
    return a == b ? all : all - exclusive_bytes_of_one(a, &b, 1);
}

static void
count_blocks(const pqt_map *map, const void *block, size_t depth, pqt_map_stats *stats)
{
    if (block == NULL)
        return;
    if (!pqti_map_is_inner(block)) {
        stats->leaves++;
        if ((map->kinds & PQTI_MAP_HAS_CELLS) != 0)
            stats->cells += (size_t)pqti_map_count_of(block);
        stats->depth = depth > stats->depth ? depth : stats->depth;
        return;
    }
    stats->nodes++;
    for (unsigned i = 0; i < TRIE_WAYS; i++)
        count_blocks(map, map_child(block, i), depth + 1, stats);
}

pqt_map_stats
pqt_map_get_stats(const pqt_map *map)
{
    PQTI_ASSERT_MAP(map);
    pqt_map_stats stats = {.entries = (size_t)pqti_map_count_of(map->root),
                           .bytes = exclusive_bytes_of_one(map, NULL, 0)};
    count_blocks(map, map->root, 0, &stats);
    return stats;
}
