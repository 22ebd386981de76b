/* SPDX-License-Identifier: MIT */
/* toi.c - two movers on their way: which impact is asked for. */
#include "config.h"

#include "collision/toi.h"

static pqt_box
shape_of(const pqt_mover *mover)
{
    double r = mover->radius;
    return mover->kind == PQT_MOVER_CIRCLE ? (pqt_box){{-r, -r}, {r, r}} : mover->box;
}

pqti_course_axis
pqti_course_x(const pqt_mover *a, const pqt_mover *b)
{
    pqt_box of_a = shape_of(a), of_b = shape_of(b);
    return (pqti_course_axis){a->from.x, a->to.x, of_a.min.x, of_a.max.x,
                              b->from.x, b->to.x, of_b.min.x, of_b.max.x};
}

pqti_course_axis
pqti_course_y(const pqt_mover *a, const pqt_mover *b)
{
    pqt_box of_a = shape_of(a), of_b = shape_of(b);
    return (pqti_course_axis){a->from.y, a->to.y, of_a.min.y, of_a.max.y,
                              b->from.y, b->to.y, of_b.min.y, of_b.max.y};
}

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

pqt_mover
pqti_mover_beside_box(const pqt_mover *mover)
{
    bool is_point = mover->kind == PQT_MOVER_CIRCLE && mover->radius == 0;
    const pqt_box point = {{0, 0}, {0, 0}};
    return is_point ? pqt_mover_box(point, mover->from, mover->to) : *mover;
}

pqt_mover
pqti_mover_rested(const pqt_mover *mover)
{
    pqt_mover rested = *mover;
    if (mover->kind != PQT_MOVER_BOX)
        return rested;
    rested.box = pqt_box_moved(mover->box, mover->from);
    rested.from = rested.to = (pqt_vec){0, 0};
    return rested;
}
