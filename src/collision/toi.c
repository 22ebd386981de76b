/* SPDX-License-Identifier: MIT */
/* toi.c: selects the algorithm that computes the time of impact for the shapes of two movers. */
#include "config.h"

#include "collision/toi.h"

#include "base/error_internal.h"
#include "collision/mover.h"
#include "collision/toi_shapes.h"

static pqti_toi
toi_of_kinds(const pqt_mover *a, const pqt_mover *b, bool strict)
{
    if (pqti_has_convex(a, b))
        return pqti_toi_convex(a, b, strict);
    bool circle_a = a->kind == PQT_MOVER_CIRCLE, circle_b = b->kind == PQT_MOVER_CIRCLE;
    if (circle_a && circle_b)
        return pqti_toi_circles(a, b, (pqti_radius_sum){a->radius, b->radius}, strict);
    if (circle_a)
        return pqti_toi_circle_box(a, b, strict);
    if (circle_b) {
        pqti_toi toi = pqti_toi_circle_box(b, a, strict);
        toi.normal = pqt_vec_scale(toi.normal, -1);
        return toi;
    }
    pqti_swept_axis x = pqti_swept_x(a, b), y = pqti_swept_y(a, b);
    return pqti_toi_boxes(&x, &y, pqti_apart_boxes);
}

pqti_toi
pqti_toi_of(const pqt_mover *a, const pqt_mover *b, bool strict)
{
    pqti_toi toi = toi_of_kinds(a, b, strict);
    PQT_INVARIANT(!toi.hits || (toi.time >= 0 && toi.time <= 1),
                  "a time of impact is not a fraction of the motion");
    return toi;
}
