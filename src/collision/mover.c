/* SPDX-License-Identifier: MIT */
/* mover.c: functions on movers, which are shapes that move in a straight line. */
#include "config.h"

#include "collision/mover.h"

#include <stddef.h>

#include <pqt/circle.h>
#include <pqt/sweep.h>

#include "base/error_internal.h"
#include "base/exact.h"
#include "base/placed.h"

pqt_mover
pqt_mover_box(pqt_box shape, pqt_vec from, pqt_vec to)
{
    return (pqt_mover){.kind = PQT_MOVER_BOX, .box = shape, .from = from, .to = to};
}

pqt_mover
pqt_mover_circle(double radius, pqt_vec from, pqt_vec to)
{
    return (pqt_mover){.kind = PQT_MOVER_CIRCLE, .radius = radius, .from = from, .to = to};
}

pqt_mover
pqt_mover_convex(const pqt_convex *shape, pqt_vec from, pqt_vec to)
{
    PQT_ASSERT(shape != NULL, "the shape is NULL");
    return (pqt_mover){.kind = PQT_MOVER_CONVEX, .from = from, .to = to, .convex = shape};
}

/* Moves a box. Returns the smallest box that contains the exact result. */
static pqt_box
box_around_moved(pqt_box box, pqt_vec by)
{
    return (pqt_box){{pqti_sub_round_down(box.min.x, -by.x), pqti_sub_round_down(box.min.y, -by.y)},
                     {pqti_add_round_up(box.max.x, by.x), pqti_add_round_up(box.max.y, by.y)}};
}

pqt_box
pqti_mover_box_at(const pqt_mover *mover, pqt_vec position)
{
    PQT_INVARIANT(pqti_mover_has_shape(mover), PQTI_BAD_MOVER);
    if (mover->kind == PQT_MOVER_CIRCLE)
        return pqt_circle_box((pqt_circle){position, mover->radius});
    if (mover->kind == PQT_MOVER_CONVEX)
        return box_around_moved(pqt_convex_box(mover->convex), position);
    return pqt_box_moved(mover->box, position);
}

static bool
has_valid_shape(const pqt_mover *mover)
{
    if (mover->kind == PQT_MOVER_CIRCLE)
        return mover->radius >= 0;
    return mover->kind == PQT_MOVER_CONVEX ? pqt_convex_is_valid(mover->convex)
                                           : pqt_box_is_valid(mover->box);
}

bool
pqt_mover_is_valid(pqt_mover mover)
{
    PQT_ASSERT(pqti_mover_has_shape(&mover), PQTI_BAD_MOVER);
    return has_valid_shape(&mover) && pqt_vec_is_finite(mover.from) &&
           pqt_vec_is_finite(mover.to) && pqt_box_is_valid(pqti_mover_box_at(&mover, mover.from)) &&
           pqt_box_is_valid(pqti_mover_box_at(&mover, mover.to));
}

pqti_placed
pqti_placed_mover(const pqt_mover *mover, pqt_vec position, pqti_box_corners *corners)
{
    pqti_placed shape;
    if (mover->kind == PQT_MOVER_CONVEX) {
        shape = pqti_placed_convex(mover->convex);
    } else {
        const pqt_box centre = {{0, 0}, {0, 0}};
        *corners = pqti_corners_of(mover->kind == PQT_MOVER_BOX ? &mover->box : &centre);
        shape = pqti_placed_corners(corners);
        shape.radius = mover->kind == PQT_MOVER_CIRCLE ? mover->radius : 0;
    }
    shape.position = position;
    return shape;
}

static pqti_separation
separation_at(const pqt_mover *a, pqt_vec position_a, const pqt_mover *b, pqt_vec position_b)
{
    pqti_box_corners corners_a, corners_b;
    const pqti_placed at_a = pqti_placed_mover(a, position_a, &corners_a);
    const pqti_placed at_b = pqti_placed_mover(b, position_b, &corners_b);
    return pqti_separation_of(&at_a, &at_b);
}

/* A predicate of two shapes, with a function for each combination of kinds. */
typedef struct relation {
    bool (*boxes)(pqt_box a, pqt_box b);
    bool (*circles)(pqt_circle a, pqt_circle b);
    bool (*circle_box)(pqt_circle a, pqt_box b);
} relation;

static bool
movers_relate(const relation *r, const pqt_mover *a, pqt_vec position_a, const pqt_mover *b,
              pqt_vec position_b)
{
    bool circle_a = a->kind == PQT_MOVER_CIRCLE, circle_b = b->kind == PQT_MOVER_CIRCLE;
    pqt_circle of_a = {position_a, a->radius}, of_b = {position_b, b->radius};
    if (circle_a && circle_b)
        return r->circles(of_a, of_b);
    if (circle_a)
        return r->circle_box(of_a, pqt_box_moved(b->box, position_b));
    if (circle_b)
        return r->circle_box(of_b, pqt_box_moved(a->box, position_a));
    return r->boxes(pqt_box_moved(a->box, position_a), pqt_box_moved(b->box, position_b));
}

bool
pqti_mover_overlaps(const pqt_mover *a, pqt_vec position_a, const pqt_mover *b, pqt_vec position_b)
{
    static const relation overlap = {pqt_box_overlaps, pqt_circle_overlaps,
                                     pqt_circle_overlaps_box};
    PQT_INVARIANT(pqti_mover_has_shape(a) && pqti_mover_has_shape(b), PQTI_BAD_MOVER);
    if (pqti_has_convex(a, b))
        return separation_at(a, position_a, b, position_b) == PQTI_OVERLAPPING;
    return movers_relate(&overlap, a, position_a, b, position_b);
}

bool
pqti_mover_touches(const pqt_mover *a, pqt_vec position_a, const pqt_mover *b, pqt_vec position_b)
{
    static const relation touch = {pqt_box_touches, pqt_circle_touches, pqt_circle_touches_box};
    if (pqti_has_convex(a, b))
        return separation_at(a, position_a, b, position_b) != PQTI_APART;
    return movers_relate(&touch, a, position_a, b, position_b);
}

static pqt_box
shape_of(const pqt_mover *mover)
{
    double r = mover->radius;
    return mover->kind == PQT_MOVER_CIRCLE ? (pqt_box){{-r, -r}, {r, r}} : mover->box;
}

pqti_swept_axis
pqti_swept_x(const pqt_mover *a, const pqt_mover *b)
{
    pqt_box of_a = shape_of(a), of_b = shape_of(b);
    return (pqti_swept_axis){a->from.x, a->to.x, of_a.min.x, of_a.max.x,
                             b->from.x, b->to.x, of_b.min.x, of_b.max.x};
}

pqti_swept_axis
pqti_swept_y(const pqt_mover *a, const pqt_mover *b)
{
    pqt_box of_a = shape_of(a), of_b = shape_of(b);
    return (pqti_swept_axis){a->from.y, a->to.y, of_a.min.y, of_a.max.y,
                             b->from.y, b->to.y, of_b.min.y, of_b.max.y};
}

pqt_mover
pqti_mover_point_as_box(const pqt_mover *mover)
{
    bool is_point = mover->kind == PQT_MOVER_CIRCLE && mover->radius == 0;
    const pqt_box point = {{0, 0}, {0, 0}};
    return is_point ? pqt_mover_box(point, mover->from, mover->to) : *mover;
}

pqt_mover
pqti_mover_at_rest(const pqt_mover *mover)
{
    PQT_INVARIANT(pqti_mover_rests(mover), "a moving mover has no single position");
    pqt_mover rested = *mover;
    if (mover->kind != PQT_MOVER_BOX)
        return rested;
    rested.box = pqt_box_moved(mover->box, mover->from);
    rested.from = rested.to = (pqt_vec){0, 0};
    return rested;
}
