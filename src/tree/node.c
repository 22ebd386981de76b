/* SPDX-License-Identifier: MIT */
/* node.c - reading nodes and leaves: their parts, their items, what they cover. */
#include "config.h"

#include "tree/node.h"

#include <math.h>
#include <string.h>

#include "base/simd.h"
#include "tree/leaf_cover.h"

pqti_extent
pqti_quarters_extent(const pqti_inner *node)
{
    pqti_extent extent = PQTI_EMPTY_EXTENT;
    for (int i = 0; i < PQTI_QUARTERS; i++)
        extent = pqti_extent_union(extent, pqti_quarter(node, i).extent);
    return extent;
}

pqti_extent
pqti_bucket_extent(const pqti_space *space, pqti_place place, pqti_ref bucket)
{
    if (bucket.count == 0)
        return PQTI_EMPTY_EXTENT;
    return bucket.leaf ? pqti_leaf_extent(space, place, bucket.at, bucket.count)
                       : pqti_quarters_extent(bucket.at);
}

void
pqti_parts(const pqti_space *space, pqti_place place, pqti_ref ref, pqti_ref parts[PQTI_PARTS])
{
    const pqti_inner *node = ref.at;
    for (int i = 0; i < PQTI_QUARTERS; i++)
        parts[i] = pqti_quarter(node, i);
    pqti_ref bucket = pqti_bucket_ref(node, ref.count);
    bucket.extent = pqti_bucket_extent(space, pqti_part_place(space, place, PQTI_BUCKET), bucket);
    parts[PQTI_BUCKET] = bucket;
}

pqti_ref
pqti_first_part(pqti_ref ref)
{
    const pqti_inner *node = ref.at;
    int i = 0;
    if (pqti_bucket_count(node, ref.count) > 0)
        return pqti_bucket_ref(node, ref.count);
    while (node->count[i] == 0)
        i++;
    return pqti_quarter(node, i);
}

pqti_ref
pqti_last_part(pqti_ref ref)
{
    const pqti_inner *node = ref.at;
    int i = PQTI_QUARTERS - 1;
    while (i >= 0 && node->count[i] == 0)
        i--;
    return pqti_part_ref(node, ref.count, i < 0 ? PQTI_BUCKET : i);
}

pqt_item
pqti_first_item(pqti_ref ref)
{
    while (!ref.leaf)
        ref = pqti_first_part(ref);
    return pqti_view_item(pqti_view(ref.at, ref.count), 0);
}

pqt_item
pqti_last_item(pqti_ref ref)
{
    while (!ref.leaf)
        ref = pqti_last_part(ref);
    return pqti_view_item(pqti_view(ref.at, ref.count), ref.count - 1);
}

pqt_fingerprint
pqti_ref_fingerprint(pqti_ref ref)
{
    pqt_fingerprint sum = {0, 0};
    if (ref.at == NULL)
        return sum;
    if (!ref.leaf)
        return ((const pqti_inner *)ref.at)->fingerprint;
    pqti_leaf_view view = pqti_view(ref.at, ref.count);
    for (uint32_t i = 0; i < ref.count; i++) {
        pqt_item item = pqti_view_item(view, i);
        sum = pqti_fingerprint_add(sum, pqti_item_fingerprint(&item));
    }
    return sum;
}

void
pqti_each_item(pqti_ref ref, pqt_visit_fn *visit, void *context)
{
    if (ref.at == NULL)
        return;
    if (ref.leaf) {
        pqti_leaf_view view = pqti_view(ref.at, ref.count);
        for (uint32_t i = 0; i < ref.count; i++) {
            pqt_item item = pqti_view_item(view, i);
            (void)visit(&item, context);
        }
        return;
    }
    const pqti_inner *node = ref.at;
    pqti_each_item(pqti_bucket_ref(node, ref.count), visit, context);
    for (int i = 0; i < PQTI_QUARTERS; i++)
        pqti_each_item(pqti_quarter(node, i), visit, context);
}

pqt_item *
pqti_gather(pqti_ref ref, pqt_item *items)
{
    if (ref.at == NULL)
        return items;
    if (ref.leaf) {
        pqti_leaf_view view = pqti_view(ref.at, ref.count);
        for (uint32_t i = 0; i < ref.count; i++)
            *items++ = pqti_view_item(view, i);
        return items;
    }
    const pqti_inner *node = ref.at;
    pqti_fetch_leaves(node);
    items = pqti_gather(pqti_bucket_ref(node, ref.count), items);
    for (int i = 0; i < PQTI_QUARTERS; i++)
        items = pqti_gather(pqti_quarter(node, i), items);
    return items;
}

void
pqti_fetch_leaves(const pqti_inner *node)
{
    for (int i = 0; i < PQTI_QUARTERS; i++) {
        pqti_ref quarter = pqti_quarter(node, i);
        if (quarter.leaf)
            pqti_fetch(quarter.at, 0, pqti_leaf_size(quarter.count));
    }
}

pqti_extent
pqti_leaf_extent(const pqti_space *space, pqti_place place, const void *leaf, size_t count)
{
    const pqti_leaf_view view = pqti_view(leaf, count);
    const pqt_box last = pqti_view_item(view, count - 1).box;
    cover all = no_cover;
    for (size_t i = 0; i + 2 <= count; i += 2)
        cover_pair(&all, pqti_pair_load(view.min_x + i), pqti_pair_load(view.min_y + i),
                   pqti_pair_load(view.max_x + i), pqti_pair_load(view.max_y + i));
    cover_box(&all, &last);
    return extent_of_cover(space, place, &all);
}
