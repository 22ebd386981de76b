/* SPDX-License-Identifier: MIT */
/*
 * bulk_build.c - what stands at a place, made of sorted entries at once.
 *
 * The entries of a part are a range, whose end is found by halving; ranges are divided on until one
 * fits into a leaf. Only leaves read the items themselves.
 */
#include "config.h"

#include "tree/node.h"
#include "tree/node_build.h"

size_t
pqti_size_of_part(pqti_place place, int part, const pqt_item *items, const pqti_entry *entries,
                  size_t count)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pqti_part_of(place, &entries[middle], &items[entries[middle].index]) == part)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool
build_inner(const pqti_space *space, pqti_place place, const pqt_item *items,
            const pqti_entry *entries, size_t count, pqti_ref *built, pqt_fingerprint *fingerprint)
{
    pqti_ref parts[PQTI_PARTS];
    pqt_fingerprint sum = {0, 0};
    size_t from = 0;
    pqti_fetch_items(items, entries, count);
    for (int i = 0; i < PQTI_PARTS; i++) {
        int part = pqti_part_order[i];
        size_t size = pqti_size_of_part(place, part, items, entries + from, count - from);
        if (!pqti_build(space, pqti_part_place(space, place, part), items, entries + from, size,
                        &parts[part], &sum))
            return false;
        from += size;
    }
    *fingerprint = pqti_fingerprint_add(*fingerprint, sum);
    return pqti_inner_of(space, place, parts, sum, built);
}

bool
pqti_build(const pqti_space *space, pqti_place place, const pqt_item *items,
           const pqti_entry *entries, size_t count, pqti_ref *built, pqt_fingerprint *fingerprint)
{
    *built = PQTI_EMPTY_REF;
    if (count == 0)
        return true;
    if (pqti_is_leaf_at(space, place, count))
        return pqti_leaf_of_entries(space, place, items, entries, count, built, fingerprint);
    return build_inner(space, place, items, entries, count, built, fingerprint);
}
