/* SPDX-License-Identifier: MIT */
/* toi.c - two movers on their way: which impact is asked for. */
#include "config.h"

#include "collision/toi.h"

#include "collision/mover.h"
#include "collision/toi_shapes.h"

pqti_impact
pqti_impact_of(const pqt_mover *a, const pqt_mover *b, bool strict)
{
    bool circle_a = a->kind == PQT_MOVER_CIRCLE, circle_b = b->kind == PQT_MOVER_CIRCLE;
    if (circle_a && circle_b)
        return pqti_impact_circles(a, b, a->radius + b->radius, strict);
    if (circle_a)
        return pqti_impact_circle_box(a, b, strict);
    if (circle_b) {
        pqti_impact impact = pqti_impact_circle_box(b, a, strict);
        impact.normal = pqt_vec_scale(impact.normal, -1);
        return impact;
    }
    pqti_course_axis x = pqti_course_x(a, b), y = pqti_course_y(a, b);
    return pqti_impact_boxes(&x, &y, pqti_apart_boxes);
}
