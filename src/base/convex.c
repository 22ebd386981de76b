/* SPDX-License-Identifier: MIT */
/*
 * convex.c: constructs convex polygons with a radius, and decides predicates on them exactly.
 *
 * The predicates are those of placed.h for shapes at the position (0, 0).
 */
#include "config.h"

#include <pqt/convex.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/exact.h"
#include "base/format_double.h"
#include "base/placed.h"
#include "base/validate.h"

static bool
points_are_equal(pqt_vec a, pqt_vec b)
{
    return a.x == b.x && a.y == b.y;
}

/* Compares two points by x and then by y. Returns -1, 0 or 1. */
static int
compare_points(pqt_vec a, pqt_vec b)
{
    if (a.x != b.x)
        return a.x < b.x ? -1 : 1;
    return a.y < b.y ? -1 : a.y > b.y;
}

/* Returns the sign of a + b - c. */
static int
compare_sum(double a, double b, double c)
{
    pqti_exact_dot exact = {.count = 0};
    pqti_exact_dot_add(&exact, a, 1, false);
    pqti_exact_dot_add(&exact, b, 1, false);
    pqti_exact_dot_add(&exact, c, 1, true);
    return pqti_exact_dot_sign(&exact);
}

static pqti_placed
placed_of(const pqt_convex *convex)
{
    PQTI_DEBUG_ASSERT(pqt_convex_is_valid(convex), "the convex is not valid");
    return pqti_placed_convex(convex);
}

/* ---- Covering ---- */

/* Returns true if a point is in the polygon of a shape, or at most its radius away from it. */
static bool
contains_point(const pqti_placed *shape, pqt_vec point)
{
    const pqti_radius_sum radius = {shape->radius, 0};
    const pqti_placed at = {&point, 1, 0, {0, 0}};
    if (pqti_separation_of_polygons(shape, &at) != PQTI_APART)
        return true;
    return shape->radius != 0 && pqti_compare_distance_of_vertices(&at, shape, radius) <= 0;
}

/* Returns true if `a` contains every point of a polygon. */
static bool
covers_polygon(const pqti_placed *shape, const pqti_placed *polygon)
{
    for (size_t i = 0; i < polygon->count; i++)
        if (!contains_point(shape, polygon->vertices[i]))
            return false;
    return true;
}

/* ---- Construction ---- */

/* Sorts up to PQT_MAX_CONVEX_VERTICES points by x and then by y. */
static void
sort_points(pqt_vec *points, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && compare_points(points[j], points[j - 1]) < 0; j--) {
            pqt_vec other = points[j];
            points[j] = points[j - 1];
            points[j - 1] = other;
        }
}

/*
 * Appends a point to a hull after removing the corners that are no longer convex. Never removes any
 * of the first `kept` corners. Returns the new number of corners.
 */
static size_t
append_to_hull(pqt_vec *hull, size_t count, size_t kept, pqt_vec point)
{
    while (count > kept && pqti_orientation(hull[count - 2], hull[count - 1], point) <= 0)
        count--;
    hull[count] = point;
    return count + 1;
}

/*
 * Writes the corners of the convex hull of up to PQT_MAX_CONVEX_VERTICES finite points in the order
 * that pqt_convex prescribes. Returns their number, which is 1 if all points are equal.
 */
static size_t
hull_of(const pqt_vec *points, size_t count, pqt_vec *corners)
{
    pqt_vec sorted[PQT_MAX_CONVEX_VERTICES], hull[2 * PQT_MAX_CONVEX_VERTICES];
    size_t distinct = 1, length = 0;
    for (size_t i = 0; i < count; i++)
        sorted[i] = (pqt_vec){points[i].x + 0.0, points[i].y + 0.0}; /* replaces -0.0 by 0.0 */
    sort_points(sorted, count);
    for (size_t i = 1; i < count; i++)
        if (!points_are_equal(sorted[i], sorted[distinct - 1]))
            sorted[distinct++] = sorted[i];
    for (size_t i = 0; i < distinct; i++)
        length = append_to_hull(hull, length, 1, sorted[i]);
    size_t half = length;
    for (size_t i = distinct - 1; i-- > 0;)
        length = append_to_hull(hull, length, half, sorted[i]);
    if (length > 1)
        length--; /* because the first point was appended again */
    memcpy(corners, hull, length * sizeof *corners);
    return length;
}

static bool
report_bad_point(pqt_vec point, size_t index, pqt_error *error)
{
    bool is_x = !isfinite(point.x);
    pqti_error_set(error, PQT_ERROR_BOX, index, "convex: %s of point %zu is %s", is_x ? "x" : "y",
                   index, pqti_format_double(is_x ? point.x : point.y).text);
    return false;
}

static bool
check_radius(double radius, pqt_error *error)
{
    if (radius >= 0 && radius <= DBL_MAX)
        return true;
    pqti_error_set(error, PQT_ERROR_OPTION, 0, "convex: the radius is %s",
                   pqti_format_double(radius).text);
    return false;
}

bool
pqt_convex_from_points(const pqt_vec *points, size_t count, double radius, pqt_convex *convex,
                       pqt_error *error)
{
    PQT_ASSERT(points != NULL || count == 0, "points is NULL, and count is not 0");
    PQT_ASSERT(convex != NULL, "convex is NULL");
    if (count > PQT_MAX_CONVEX_VERTICES) {
        pqti_error_set(error, PQT_ERROR_LIMIT, 0, "convex: %zu points, the maximum is %d", count,
                       PQT_MAX_CONVEX_VERTICES);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (!pqt_vec_is_finite(points[i]))
            return report_bad_point(points[i], i, error);
    if (!check_radius(radius, error))
        return false;
    pqt_convex made = {.radius = radius + 0.0};
    made.count = count == 0 ? 0 : hull_of(points, count, made.vertices);
    if (made.count < 2) {
        pqti_error_set(error, PQT_ERROR_BOX, 0, "convex: all points are equal");
        return false;
    }
    if (!pqt_box_is_valid(pqt_convex_box(&made))) {
        pqti_error_set(error, PQT_ERROR_BOX, 0, "convex: its box is not finite");
        return false;
    }
    *convex = made;
    return true;
}

bool
pqt_convex_from_box(pqt_box box, double radius, pqt_convex *convex, pqt_error *error)
{
    PQT_ASSERT(convex != NULL, "convex is NULL");
    if (!pqti_validate_box(&box, "convex", &box, error))
        return false;
    pqti_box_corners corners = pqti_corners_of(&box);
    return pqt_convex_from_points(corners.corners, corners.count, radius, convex, error);
}

bool
pqt_convex_from_oriented_box(pqt_vec centre, pqt_vec half, pqt_vec direction, double radius,
                             pqt_convex *convex, pqt_error *error)
{
    PQT_ASSERT(convex != NULL, "convex is NULL");
    if (!pqt_vec_is_finite(direction) || (direction.x == 0 && direction.y == 0)) {
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "convex: the direction (%s, %s) is not valid",
                       pqti_format_double(direction.x).text, pqti_format_double(direction.y).text);
        return false;
    }
    if (!(half.x >= 0 && half.y >= 0)) {
        pqti_error_set(error, PQT_ERROR_BOX, 0, "convex: the half lengths are %s and %s",
                       pqti_format_double(half.x).text, pqti_format_double(half.y).text);
        return false;
    }
    pqt_vec along = pqt_vec_normalize(direction);
    pqt_vec first = pqt_vec_scale(along, half.x);
    pqt_vec second = pqt_vec_scale((pqt_vec){-along.y, along.x}, half.y);
    pqt_vec sum = pqt_vec_add(first, second), difference = pqt_vec_subtract(first, second);
    const pqt_vec corners[] = {
        pqt_vec_subtract(centre, sum),
        pqt_vec_add(centre, difference),
        pqt_vec_add(centre, sum),
        pqt_vec_subtract(centre, difference),
    };
    return pqt_convex_from_points(corners, 4, radius, convex, error);
}

bool
pqt_convex_from_segment(pqt_segment segment, double radius, pqt_convex *convex, pqt_error *error)
{
    PQT_ASSERT(convex != NULL, "convex is NULL");
    return pqt_convex_from_points((pqt_vec[]){segment.from, segment.to}, 2, radius, convex, error);
}

/* ---- Properties ---- */

bool
pqt_convex_is_valid(const pqt_convex *convex)
{
    PQT_ASSERT(convex != NULL, "convex is NULL");
    if (convex->count < 2 || convex->count > PQT_MAX_CONVEX_VERTICES || !(convex->radius >= 0))
        return false;
    for (size_t i = 0; i < convex->count; i++)
        if (!pqt_vec_is_finite(convex->vertices[i]))
            return false;
    pqt_vec hull[2 * PQT_MAX_CONVEX_VERTICES];
    if (hull_of(convex->vertices, convex->count, hull) != convex->count)
        return false;
    for (size_t i = 0; i < convex->count; i++)
        if (!points_are_equal(hull[i], convex->vertices[i]))
            return false;
    return pqt_box_is_valid(pqt_convex_box(convex));
}

pqt_box
pqt_convex_box(const pqt_convex *convex)
{
    pqt_box box = {convex->vertices[0], convex->vertices[0]};
    for (size_t i = 1; i < convex->count; i++)
        box = pqt_box_union(box, (pqt_box){convex->vertices[i], convex->vertices[i]});
    return (pqt_box){{pqti_sub_round_down(box.min.x, convex->radius),
                      pqti_sub_round_down(box.min.y, convex->radius)},
                     {pqti_add_round_up(box.max.x, convex->radius),
                      pqti_add_round_up(box.max.y, convex->radius)}};
}

/* ---- Predicates ---- */

bool
pqt_convex_contains(const pqt_convex *convex, pqt_vec point)
{
    const pqti_placed shape = placed_of(convex);
    return contains_point(&shape, point);
}

bool
pqt_convex_touches(const pqt_convex *a, const pqt_convex *b)
{
    const pqti_placed of_a = placed_of(a), of_b = placed_of(b);
    return pqti_separation_of(&of_a, &of_b) != PQTI_APART;
}

bool
pqt_convex_overlaps(const pqt_convex *a, const pqt_convex *b)
{
    const pqti_placed of_a = placed_of(a), of_b = placed_of(b);
    return pqti_separation_of(&of_a, &of_b) == PQTI_OVERLAPPING;
}

bool
pqt_convex_touches_box(const pqt_convex *convex, pqt_box box)
{
    const pqti_box_corners corners = pqti_corners_of(&box);
    const pqti_placed shape = placed_of(convex), other = pqti_placed_corners(&corners);
    return pqti_separation_of(&shape, &other) != PQTI_APART;
}

bool
pqt_convex_overlaps_box(const pqt_convex *convex, pqt_box box)
{
    const pqti_box_corners corners = pqti_corners_of(&box);
    const pqti_placed shape = placed_of(convex), other = pqti_placed_corners(&corners);
    return pqti_separation_of(&shape, &other) == PQTI_OVERLAPPING;
}

bool
pqt_convex_covers_box(const pqt_convex *convex, pqt_box box)
{
    const pqti_box_corners corners = pqti_corners_of(&box);
    const pqti_placed shape = placed_of(convex), other = pqti_placed_corners(&corners);
    return covers_polygon(&shape, &other);
}

bool
pqt_convex_is_inside_box(const pqt_convex *convex, pqt_box box)
{
    PQTI_DEBUG_ASSERT(pqt_convex_is_valid(convex), "the convex is not valid");
    double radius = convex->radius;
    for (size_t i = 0; i < convex->count; i++) {
        pqt_vec v = convex->vertices[i];
        if (compare_sum(v.x, -radius, box.min.x) < 0 || compare_sum(v.y, -radius, box.min.y) < 0 ||
            compare_sum(v.x, radius, box.max.x) > 0 || compare_sum(v.y, radius, box.max.y) > 0)
            return false;
    }
    return true;
}

bool
pqt_convex_touches_circle(const pqt_convex *convex, pqt_circle circle)
{
    const pqti_placed shape = placed_of(convex), other = pqti_placed_circle(&circle);
    return pqti_separation_of(&shape, &other) != PQTI_APART;
}

bool
pqt_convex_overlaps_circle(const pqt_convex *convex, pqt_circle circle)
{
    const pqti_placed shape = placed_of(convex), other = pqti_placed_circle(&circle);
    return pqti_separation_of(&shape, &other) == PQTI_OVERLAPPING;
}
