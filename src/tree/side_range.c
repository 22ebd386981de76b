/* SPDX-License-Identifier: MIT */
/* side_range.c: computes side ranges of leaves and hash nodes. */
#include "config.h"

#include "tree/side_range.h"

#include <string.h>

#include "base/error_internal.h"

pqti_side_range
pqti_side_range_of_child(const pqti_node_ref *child)
{
    if (!child->leaf)
        return *pqti_side_range_of(child->at);
    pqti_leaf_view view = pqti_view(child->at, child->count);
    pqt_box first = pqti_view_item(view, 0).box;
    pqti_side_range side_range = {first, first};
    for (size_t i = 1; i < child->count; i++) {
        pqt_box box = pqti_view_item(view, i).box;
        side_range = pqti_side_range_union(side_range, (pqti_side_range){box, box});
    }
    return side_range;
}

pqti_side_range
pqti_side_range_of_quadrants(const pqti_inner *hash_node)
{
    pqti_side_range all = PQTI_EMPTY_SIDE_RANGE;
    for (int i = 0; i < PQTI_QUADRANTS; i++) {
        pqti_node_ref quadrant = pqti_quadrant_ref(hash_node, i);
        if (quadrant.count > 0)
            all = pqti_side_range_union(all, pqti_side_range_of_child(&quadrant));
    }
    PQTI_DEBUG_ASSERT(all.min.min.x <= all.max.min.x && all.min.max.y <= all.max.max.y,
                      "a hash node is empty");
    return all;
}

bool
pqti_side_range_unchanged(const pqti_inner *hash_node, int quadrant, const pqti_node_ref *child)
{
    const pqti_side_range *whole = pqti_side_range_of(hash_node);
    const pqti_node_ref before = pqti_quadrant_ref(hash_node, quadrant);
    if (before.count == 0 || child->count == 0)
        return false;
    /* If all boxes of the node are equal, each of its quadrants has the same side range as the
       node. */
    pqti_side_range old = pqti_all_boxes_equal(whole) ? *whole : pqti_side_range_of_child(&before);
    pqti_side_range new = pqti_side_range_of_child(child);
    return memcmp(&old, &new, sizeof old) == 0;
}
