/* SPDX-License-Identifier: MIT */
/*
 * side_range.h - between which numbers each side of the items of a mixed node lies, and what
 * follows from it.
 *
 * Mixes part items that no cell can tell apart, identical boxes above all. A search that looked at
 * them one by one would take as long as there are copies. So a mixed node knows the least and the
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
#define PQTI_EMPTY_SPREAD                                                                          \
    {                                                                                              \
        {{INFINITY, INFINITY}, {INFINITY, INFINITY}},                                              \
        {                                                                                          \
            {-INFINITY, -INFINITY},                                                                \
            {                                                                                      \
                -INFINITY, -INFINITY                                                               \
            }                                                                                      \
        }                                                                                          \
    }

/* That of the items of a leaf, or of a mixed node. */
pqti_spread pqti_spread_of_part(pqti_ref part);

/* That of the four quarters of a mixed node, not all of them empty. */
pqti_spread pqti_spread_of_quarters(const pqti_inner *mixed);

/* Whether it stays that of the node when one of its quarters is exchanged: the part has the spread
   that its like had before. */
bool pqti_spread_keeps(const pqti_inner *mixed, int quarter, pqti_ref part);

static inline pqti_spread
pqti_spread_union(pqti_spread a, pqti_spread b)
{
    return (pqti_spread){
        {{pqti_lesser(a.least.min.x, b.least.min.x), pqti_lesser(a.least.min.y, b.least.min.y)},
         {pqti_lesser(a.least.max.x, b.least.max.x), pqti_lesser(a.least.max.y, b.least.max.y)}},
        {{pqti_greater(a.greatest.min.x, b.greatest.min.x),
          pqti_greater(a.greatest.min.y, b.greatest.min.y)},
         {pqti_greater(a.greatest.max.x, b.greatest.max.x),
          pqti_greater(a.greatest.max.y, b.greatest.max.y)}},
    };
}

/* Whether all boxes are one and the same; equal numbers have equal bits here, since none is
   -0.0. */
static inline bool
pqti_is_one_box(const pqti_spread *spread)
{
    const pqt_box *a = &spread->least, *b = &spread->greatest;
    return (a->min.x == b->min.x) & (a->min.y == b->min.y) & (a->max.x == b->max.x) &
           (a->max.y == b->max.y);
}

/* The smallest box that holds all of them. */
static inline pqt_box
pqti_spread_box(const pqti_spread *spread)
{
    return (pqt_box){spread->least.min, spread->greatest.max};
}

#endif
