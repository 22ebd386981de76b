/* SPDX-License-Identifier: MIT */
/* resample_model.h: what the models of regions and images share about their maps. */
#ifndef TEST_RESAMPLE_MODEL_H
#define TEST_RESAMPLE_MODEL_H

#include <stdint.h>

#include <pqt/region_affine.h>

#include "random.h"

static inline pqt_sampling
draw_sampling(dice *d)
{
    return dice_chance(d, 50) ? PQT_SAMPLE_NEAREST : PQT_SAMPLE_AREA;
}

/* Returns the length of the part of a side of pixel `i` of `m` that comes from pixel `k` of `n`, in
 * units. A pixel of the result has n of them, and one of the source m. */
static inline int64_t
common_units(int64_t n, int64_t m, int64_t i, int64_t k)
{
    const int64_t from = i * n > k * m ? i * n : k * m;
    const int64_t to = (i + 1) * n < (k + 1) * m ? (i + 1) * n : (k + 1) * m;
    return to > from ? to - from : 0;
}

#endif
