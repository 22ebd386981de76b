/* SPDX-License-Identifier: MIT */
/*
 * side_range.h - between which numbers each side of the items of a hash node lies, and what
 * follows from it.
 *
 * Mixes part items that no cell can tell apart, identical boxes above all. A search that looked at
 * them one by one would take as long as there are copies. So a hash node knows the least and the
 * greatest of each of the four sides of all its items, as exact doubles; of identical boxes, both
 * are the box itself. It is worked out of the parts, which are leaves or mixed as well, so it
 * depends on the set of items alone.
 */
#ifndef PQTI_SIDE_RANGE_H
#define PQTI_SIDE_RANGE_H

#include <math.h>
#include <stdbool.h>

#include "base/fp.h"
#include "tree/node.h"

/* That of no boxes. */
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

/* That of the items of a leaf, or of a hash node. */
pqti_side_range pqti_side_range_of_child(pqti_node_ref child);

/* That of the four quarters of a hash node, not all of them empty. */
pqti_side_range pqti_side_range_of_quadrants(const pqti_inner *hash_node);

/* Whether it stays that of the node when one of its quadrants is exchanged: the part has the spread
   that its like had before. */
bool pqti_side_range_unchanged(const pqti_inner *hash_node, int quadrant, pqti_node_ref child);

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

/* Whether all boxes are one and the same; equal numbers have equal bits here, since none is
   -0.0. */
static inline bool
pqti_all_boxes_equal(const pqti_side_range *side_range)
{
    const pqt_box *a = &side_range->min, *b = &side_range->max;
    return (a->min.x == b->min.x) & (a->min.y == b->min.y) & (a->max.x == b->max.x) &
           (a->max.y == b->max.y);
}

/* The smallest box that holds all of them. */
static inline pqt_box
pqti_side_range_box(const pqti_side_range *side_range)
{
    return (pqt_box){side_range->min.min, side_range->max.max};
}

#endif
