/* SPDX-License-Identifier: MIT */
/* map_check.c: checks the invariants of a map. */
#include "config.h"

#include "map/map_internal.h"

#include "base/error_internal.h"

#define TRIE_CHECKS
#include "map/map_trie.h"

/* Checks the stored hash and the stored sum of an entry against its key and value. */
static bool
check_entry(const pqti_map_slots *slot)
{
    const pqt_map_key key = pqti_map_public_key(slot);
    pqti_map_hashed hashed;
    return pqti_map_hash_key(&hashed, &key) && hashed.hash == slot->at->hash &&
           pqt_fingerprint_equals(pqti_map_sum_of(slot), pqti_map_compute_sum(slot));
}

static inline bool
map_check_block(const trie_slice *slice)
{
    if (!trie_is_inner(slice)) {
        for (uint64_t i = 0; i < slice->count; i++) {
            const map_entries entry = map_entry_at(slice->entries, i);
            if (!check_entry(&entry))
                return false;
        }
        return true;
    }
    pqt_fingerprint sum = {0, 0};
    for (unsigned i = 0; i < TRIE_WAYS; i++) {
        const pqt_fingerprint one = pqti_map_sum_of_block(map_child(slice->ref, i));
        sum.low += one.low;
        sum.high += one.high;
    }
    return pqt_fingerprint_equals(sum, ((const pqti_map_inner *)slice->ref)->sum);
}

/* Returns true if the head of each block contains the kinds of the map. */
static bool
check_kinds(const void *block, uint64_t kinds)
{
    if (block == NULL)
        return true;
    if ((*(const uint64_t *)block & PQTI_MAP_HAS_CELLS) != kinds)
        return false;
    for (unsigned i = 0; i < TRIE_WAYS && pqti_map_is_inner(block); i++)
        if (!check_kinds(map_child(block, i), kinds))
            return false;
    return true;
}

bool
pqt_map_check(const pqt_map *map, pqt_error *error)
{
    PQTI_ASSERT_MAP(map);
    unsigned char path[TRIE_LEVELS];
    const char *broken = NULL;
    if (!check_kinds(map->root, map->kinds))
        broken = "a block is of another kind";
    else if (!trie_check(map->root, 0, path))
        broken = "an entry is in the wrong place, or a count or sum is wrong";
    else if (!pqt_fingerprint_equals(map->fingerprint, pqti_map_sum_of_block(map->root)))
        broken = "the fingerprint is not that of the entries";
    if (broken != NULL)
        pqti_error_set(error, PQT_ERROR_CORRUPT, 0, "map: %s", broken);
    return broken == NULL;
}
