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
    pqti_f64x2 min_x, min_y, max_x, max_y;
} cover;

static const cover no_cover = {
    {INFINITY, INFINITY}, {INFINITY, INFINITY}, {-INFINITY, -INFINITY}, {-INFINITY, -INFINITY}};

/* Adds two items, or one twice. */
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
    extend_qbox_by_two(c, (pqti_f64x2){box->min.x, box->min.x},
                       (pqti_f64x2){box->min.y, box->min.y}, (pqti_f64x2){box->max.x, box->max.x},
                       (pqti_f64x2){box->max.y, box->max.y});
}

static inline pqti_qbox
qbox_of_cover(const pqti_domain *domain, pqti_level level, const cover *c)
{
    const pqti_f64x2 min = pqti_f64x2_min((pqti_f64x2){c->min_x[0], c->min_y[0]},
                                          (pqti_f64x2){c->min_x[1], c->min_y[1]});
    const pqti_f64x2 max = pqti_f64x2_max((pqti_f64x2){c->max_x[0], c->max_y[0]},
                                          (pqti_f64x2){c->max_x[1], c->max_y[1]});
    return pqti_qbox_of_sides(domain, level.outliers, min, max);
}

#endif
