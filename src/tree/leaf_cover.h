/* SPDX-License-Identifier: MIT */
/* leaf_cover.h - the smallest box around the items of a leaf. */
#ifndef PQTI_LEAF_COVER_H
#define PQTI_LEAF_COVER_H

#include <math.h>

#include "base/simd.h"
#include "tree/domain.h"
#include "tree/key.h"

/* The smallest box around the items of a leaf on its way: each side twice, for one half of them and
   for the other. */
typedef struct cover {
    pqti_pair min_x, min_y, max_x, max_y;
} cover;

static const cover no_cover = {
    {INFINITY, INFINITY}, {INFINITY, INFINITY}, {-INFINITY, -INFINITY}, {-INFINITY, -INFINITY}};

/* Adds two items, or one twice. */
static inline void
cover_pair(cover *c, pqti_pair min_x, pqti_pair min_y, pqti_pair max_x, pqti_pair max_y)
{
    c->min_x = pqti_pair_lesser(c->min_x, min_x);
    c->min_y = pqti_pair_lesser(c->min_y, min_y);
    c->max_x = pqti_pair_greater(c->max_x, max_x);
    c->max_y = pqti_pair_greater(c->max_y, max_y);
}

static inline void
cover_box(cover *c, const pqt_box *box)
{
    cover_pair(c, (pqti_pair){box->min.x, box->min.x}, (pqti_pair){box->min.y, box->min.y},
               (pqti_pair){box->max.x, box->max.x}, (pqti_pair){box->max.y, box->max.y});
}

static inline pqti_extent
extent_of_cover(const pqti_space *space, pqti_place place, const cover *c)
{
    const pqti_pair min = pqti_pair_lesser((pqti_pair){c->min_x[0], c->min_y[0]},
                                           (pqti_pair){c->min_x[1], c->min_y[1]});
    const pqti_pair max = pqti_pair_greater((pqti_pair){c->max_x[0], c->max_y[0]},
                                            (pqti_pair){c->max_x[1], c->max_y[1]});
    return pqti_extent_of_sides(space, place.strays, min, max);
}

#endif
