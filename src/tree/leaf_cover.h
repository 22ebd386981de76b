/* SPDX-License-Identifier: MIT */
/* leaf_cover.h: computes the quantised box of a leaf. */
#ifndef PQTI_LEAF_COVER_H
#define PQTI_LEAF_COVER_H

#include <math.h>

#include "base/simd.h"
#include "tree/domain.h"
#include "tree/key.h"

/* The smallest box that contains the items added so far. Each of the two lanes covers half of
   the items. */
typedef struct cover {
    pqti_f64x2 min_x, min_y, max_x, max_y;
} cover;

static inline cover
empty_cover(void)
{
    const pqti_f64x2 above = pqti_f64x2_splat(INFINITY), below = pqti_f64x2_splat(-INFINITY);
    return (cover){above, above, below, below};
}

/* Adds two items. The caller may pass the same item twice. */
static inline void
extend_qbox_by_two(cover *c, pqti_f64x2 min_x, pqti_f64x2 min_y, pqti_f64x2 max_x, pqti_f64x2 max_y)
{
    c->min_x = pqti_f64x2_min(c->min_x, min_x);
    c->min_y = pqti_f64x2_min(c->min_y, min_y);
    c->max_x = pqti_f64x2_max(c->max_x, max_x);
    c->max_y = pqti_f64x2_max(c->max_y, max_y);
}

static inline void
cover_box(cover *c, const pqt_box *box)
{
    extend_qbox_by_two(c, pqti_f64x2_splat(box->min.x), pqti_f64x2_splat(box->min.y),
                       pqti_f64x2_splat(box->max.x), pqti_f64x2_splat(box->max.y));
}

static inline pqti_qbox
qbox_of_cover(const pqti_domain *domain, pqti_level level, const cover *c)
{
    const pqti_f64x2 min = pqti_f64x2_min(pqti_f64x2_transposed(c->min_x, c->min_y, 0),
                                          pqti_f64x2_transposed(c->min_x, c->min_y, 1));
    const pqti_f64x2 max = pqti_f64x2_max(pqti_f64x2_transposed(c->max_x, c->max_y, 0),
                                          pqti_f64x2_transposed(c->max_x, c->max_y, 1));
    return pqti_qbox_of_sides(domain, level.outliers, min, max);
}

#endif
