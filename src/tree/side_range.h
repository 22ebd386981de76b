/* SPDX-License-Identifier: MIT */
/*
 * side_range.h: computes side ranges, the least and greatest value of each side of the boxes below
 * a hash node.
 *
 * Hash nodes divide items that no cell separates, which mostly have identical boxes. If a query
 * tested them one by one, it would take time proportional to their number. So a hash node stores
 * the least and the greatest value of each of the four sides of all its items, as exact doubles. If
 * the boxes are identical, the least and the greatest values are those of the box itself. A side
 * range is computed from the children, which are leaves or hash nodes, so it depends on the set of
 * items alone.
 */
#ifndef PQTI_SIDE_RANGE_H
#define PQTI_SIDE_RANGE_H

#include <math.h>
#include <stdbool.h>

#include "base/fp.h"
#include "tree/node.h"

/* The side range of an empty set of boxes. */
#define PQTI_EMPTY_SIDE_RANGE                                                                      \
    {                                                                                              \
        {{INFINITY, INFINITY}, {INFINITY, INFINITY}},                                              \
        {                                                                                          \
            {-INFINITY, -INFINITY},                                                                \
            {                                                                                      \
                -INFINITY, -INFINITY                                                               \
            }                                                                                      \
        }                                                                                          \
    }

/* Returns the side range of a leaf that is not empty, or of a hash node. */
pqti_side_range pqti_side_range_of_child(const pqti_node_ref *child);

/*
 * Returns the side range of the four quadrants of a hash node. At least one quadrant is not empty.
 */
pqti_side_range pqti_side_range_of_quadrants(const pqti_inner *hash_node);

/* Returns true if `child` has the same side range as the quadrant that it replaces. Then the
   side range of the node does not change. */
bool pqti_side_range_unchanged(const pqti_inner *hash_node, int quadrant,
                               const pqti_node_ref *child);

static inline pqti_side_range
pqti_side_range_union(pqti_side_range a, pqti_side_range b)
{
    return (pqti_side_range){
        {{pqti_fmin(a.min.min.x, b.min.min.x), pqti_fmin(a.min.min.y, b.min.min.y)},
         {pqti_fmin(a.min.max.x, b.min.max.x), pqti_fmin(a.min.max.y, b.min.max.y)}},
        {{pqti_fmax(a.max.min.x, b.max.min.x), pqti_fmax(a.max.min.y, b.max.min.y)},
         {pqti_fmax(a.max.max.x, b.max.max.x), pqti_fmax(a.max.max.y, b.max.max.y)}},
    };
}

/* Returns true if all boxes are identical. Equal numbers have equal bits, because none is -0.0. */
static inline bool
pqti_all_boxes_equal(const pqti_side_range *side_range)
{
    const pqt_box *a = &side_range->min, *b = &side_range->max;
    return (a->min.x == b->min.x) & (a->min.y == b->min.y) & (a->max.x == b->max.x) &
           (a->max.y == b->max.y);
}

/* Returns the smallest box that contains all boxes. */
static inline pqt_box
pqti_side_range_box(const pqti_side_range *side_range)
{
    return (pqt_box){side_range->min.min, side_range->max.max};
}

#endif
