/* SPDX-License-Identifier: MIT */
/*
 * region_overlap_internal.h - whether two regions overlap, at a place that is known to be near
 * enough.
 */
#ifndef PQTI_REGION_OVERLAP_INTERNAL_H
#define PQTI_REGION_OVERLAP_INTERNAL_H

#include <math.h>
#include <stdbool.h>

#include <pqt/box.h>
#include <pqt/circle.h>
#include <pqt/region.h>

#include "base/fp.h"
#include "region/collision/fixpos.h"

/* Whether they overlap at an offset, whole or not. */
bool pqti_regions_overlap_at(const pqt_region *a, const pqt_region *b, pqti_fixpos offset);

/*
 * A circle beside pixels that rest: what it overlaps, the way out, and when it
 *    may come near.
 */

/*
 * Whether a circle of some radius overlaps a full square of a region that is put at whole 1/1024
 * pixels. `met`, unless NULL, is set to such a square.
 */
bool pqti_circle_overlaps_region(pqt_circle circle, const pqt_region *region, pqt_vec at,
                                 pqt_box *met);

/* How far it must be moved along an axis, a vector of length 1, until it overlaps none. */
double pqti_circle_time_of_exit(pqt_circle circle, const pqt_region *region, pqt_vec at,
                                pqt_vec axis);

/* Takes from the time between `in` and `out` that in which what flies along an axis is not between
   two places. */
static inline void
pqti_cut_time(double from, double speed, double min, double max, double *in, double *out)
{
    if (speed == 0) {
        if (from < min || from > max)
            *out = -1;
        return;
    }
    const double to_min = (min - from) / speed, to_max = (max - from) / speed;
    *in = pqti_fmax(*in, pqti_fmin(to_min, to_max));
    *out = pqti_fmin(*out, pqti_fmax(to_min, to_max));
}

/* When a point that flies first comes as near as `by` to a box on both axes; INFINITY: not up to
   `span`. */
static inline double
pqti_time_near(pqt_vec from, pqt_vec velocity, double span, pqt_box box, double by)
{
    double in = 0, out = span;
    pqti_cut_time(from.x, velocity.x, box.min.x - by, box.max.x + by, &in, &out);
    pqti_cut_time(from.y, velocity.y, box.min.y - by, box.max.y + by, &in, &out);
    return in <= out ? in : INFINITY;
}

#endif
