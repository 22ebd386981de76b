/* SPDX-License-Identifier: MIT */
/*
 * region_overlap_internal.h: overlap tests for arguments that have been validated.
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
#include "region/collision/region_cursor.h"

/* Returns true if two regions overlap at an offset. */
bool pqti_regions_overlap_at(const pqt_region *a, const pqt_region *b, pqti_fixpos offset);

/* ---- A circle and a resting region: overlap, exit and the time of approach ---- */

/* Returns true if a circle with a radius above 0 overlaps a full node of a region at position `at`,
 * which is a multiple of 1/1024 pixel. The search begins with quadrant `first`. Unless `hit` is
 * NULL, sets it to the first such node. */
bool pqti_circle_overlaps_region(const pqt_circle *circle, const pqti_shape_view *region,
                                 pqt_vec at, int first, pqti_region_cursor *hit);

/* Returns the distance by which the circle must move along `axis`, a unit vector, until it overlaps
 * no pixel. */
double pqti_circle_time_of_exit(const pqt_circle *circle, const pqt_region *region, pqt_vec at,
                                pqt_vec axis);

/* Clips the interval of time [*in, *out] to the times at which a motion along one axis is between
 * `min` and `max`. */
static inline void
pqti_clip_time(double from, double speed, double min, double max, double *in, double *out)
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

/* Returns the first time at which a moving point is within `by` of a box on both axes, or INFINITY
 * if there is no such time up to `span`. */
static inline double
pqti_time_near(pqt_vec from, pqt_vec velocity, double span, pqt_box box, double by)
{
    double in = 0, out = span;
    pqti_clip_time(from.x, velocity.x, box.min.x - by, box.max.x + by, &in, &out);
    pqti_clip_time(from.y, velocity.y, box.min.y - by, box.max.y + by, &in, &out);
    return in <= out ? in : INFINITY;
}

#endif
