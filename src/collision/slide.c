/* SPDX-License-Identifier: MIT */
/*
 * slide.c: slides a mover through a version, by sweeps that continue along the items that it hits.
 *
 * After a hit, the blocked part of the remaining motion is removed. At a side, that is the whole
 * motion on one axis, so a mover that slides along a floor keeps its height exactly. At a round
 * shape, it is the component along the normal.
 */
#include "config.h"

#include <pqt/sweep.h>

#include "base/fp.h"
#include "base/segment_internal.h"
#include "collision/toi.h"
#include "collision/toi_position.h"

enum { BLOCKED_BOTH = PQT_BLOCKED_X | PQT_BLOCKED_Y };

/* Returns the end of the motion with which the slide continues after a hit. */
static pqt_vec
end_after(const pqt_mover *mover, const pqt_sweep *hit)
{
    pqt_vec stop = hit->stop, to = mover->to;
    if (hit->blocked == PQT_BLOCKED_X)
        return (pqt_vec){stop.x, to.y};
    if (hit->blocked == PQT_BLOCKED_Y)
        return (pqt_vec){to.x, stop.y};
    if (mover->kind == PQT_MOVER_CONVEX)
        return pqti_end_along_side(stop, to, hit->normal);
    if (mover->kind == PQT_MOVER_CIRCLE)
        return pqti_end_along_tangent(stop, to, hit->normal);
    double left_x = pqti_fabs(to.x - stop.x), left_y = pqti_fabs(to.y - stop.y);
    return left_x >= left_y ? (pqt_vec){to.x, stop.y} : (pqt_vec){stop.x, to.y};
}

/* Returns true if there is a remaining motion that does not go back against the whole motion. */
static bool
slide_continues(pqt_vec stop, pqt_vec to, const pqt_mover *whole)
{
    int exponent; /* unused, because only directions matter */
    pqt_vec rest = pqti_direction_between(stop, to, &exponent);
    return pqt_vec_dot(rest, pqti_direction_between(whole->from, whole->to, &exponent)) > 0;
}

pqt_slide
pqt_tree_slide(const pqt_tree *tree, pqt_mover mover, unsigned bounces,
               const pqt_sweep_options *options)
{
    pqt_sweep_options converted;
    options = pqti_check_sweep(__func__, tree, &mover, options, &converted);
    pqt_mover rest_of_motion = mover;
    pqt_slide slide = {.first = pqt_tree_sweep(tree, mover, options)};
    slide.last = slide.first;
    for (;;) {
        slide.stop = slide.last.stop;
        slide.blocked |= slide.last.blocked;
        if (slide.last.status != PQT_SWEEP_HITS || slide.bounces == bounces)
            return slide;
        pqt_vec to = end_after(&rest_of_motion, &slide.last);
        if (!slide_continues(slide.stop, to, &mover))
            return slide;
        rest_of_motion.from = slide.stop;
        rest_of_motion.to = to;
        slide.last = pqt_tree_sweep(tree, rest_of_motion, options);
        slide.bounces++;
    }
}
