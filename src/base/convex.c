/* SPDX-License-Identifier: MIT */
/*
 * convex.c: convex polygons with a radius: construction, and predicates decided exactly.
 *
 * Without radii, two shapes are compared by the separating axis test: if a line separates them, the
 * line of a side of one of them does. S. Gottschalk, M. C. Lin, D. Manocha, "OBBTree: a
 * hierarchical structure for rapid interference detection", 1996, section 5. Each test is the
 * orientation of three points. With radii, the distance of the polygons is compared with the sum of
 * the radii: if they are apart, a vertex of one is nearest to a vertex or a side of the other.
 *
 * Plain doubles decide if they can. Error bounds: J. R. Shewchuk, "Adaptive precision
 * floating-point arithmetic and fast robust geometric predicates", 1997, section 4.3. Otherwise
 * exact.h does.
 */
#include "config.h"

#include <pqt/convex.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/exact.h"
#include "base/format_double.h"
#include "base/fp.h"
#include "base/validate.h"

/* A polygon of 1 to 8 vertices in the order of pqt_convex, with a radius. */
typedef struct outline {
    const pqt_vec *vertices;
    size_t count;
    double radius;
} outline;

/* Above the relative error of the difference of two products of differences: 3 + 16 * 2^-53 times
 * 2^-53, rounded up. */
#define ORIENTATION_ERROR 0x1.9p-52

/* Above the error of products that underflow. */
#define LOSS 0x1p-1060

/* Products of four differences in this range neither overflow nor lose bits. SQUARE_ERROR is above
 * their relative error. */
#define SMALL 0x1p-400
#define LARGE 0x1p400
#define SQUARE_ERROR 0x1p-48

static bool
points_are_equal(pqt_vec a, pqt_vec b)
{
    return a.x == b.x && a.y == b.y;
}

/* Returns the order of two points by x and then by y: -1, 0 or 1. */
static int
compare_points(pqt_vec a, pqt_vec b)
{
    if (a.x != b.x)
        return a.x < b.x ? -1 : 1;
    return a.y < b.y ? -1 : a.y > b.y;
}

/* ---- Exact numbers ---- */

/* Adds (a - b) * (c - d) to a sum, or subtracts it. */
static void
add_product(pqti_exact_dot *sum, double a, double b, double c, double d, bool opposite)
{
    pqti_exact_dot_add(sum, a, c, opposite);
    pqti_exact_dot_add(sum, a, d, !opposite);
    pqti_exact_dot_add(sum, b, c, !opposite);
    pqti_exact_dot_add(sum, b, d, opposite);
}

/* Adds (b - a) x (c - a). */
static void
add_cross(pqti_exact_dot *sum, pqt_vec a, pqt_vec b, pqt_vec c)
{
    add_product(sum, b.x, a.x, c.y, a.y, false);
    add_product(sum, b.y, a.y, c.x, a.x, true);
}

/* Adds the square of the distance of two points. */
static void
add_square_of_distance(pqti_exact_dot *sum, pqt_vec a, pqt_vec b)
{
    add_product(sum, a.x, b.x, a.x, b.x, false);
    add_product(sum, a.y, b.y, a.y, b.y, false);
}

/* Returns the sign of (b - a) x (c - a): above 0 if `c` is on the inner side of the line from `a`
 * to `b`, 0 if it is on the line. */
static int
orientation(pqt_vec a, pqt_vec b, pqt_vec c)
{
    double left = (b.x - a.x) * (c.y - a.y), right = (b.y - a.y) * (c.x - a.x);
    double difference = left - right;
    double error = (pqti_fabs(left) + pqti_fabs(right)) * ORIENTATION_ERROR + LOSS;
    if (pqti_fabs(difference) > error) /* false if a number overflowed */
        return difference > 0 ? 1 : -1;
    pqti_exact_dot exact = {.count = 0};
    add_cross(&exact, a, b, c);
    return pqti_exact_dot_sign(&exact);
}

/* Returns the sign of (b - a) . (c - a). */
static int
sign_of_dot(pqt_vec a, pqt_vec b, pqt_vec c)
{
    double x = (b.x - a.x) * (c.x - a.x), y = (b.y - a.y) * (c.y - a.y);
    double error = (pqti_fabs(x) + pqti_fabs(y)) * ORIENTATION_ERROR + LOSS;
    if (pqti_fabs(x + y) > error)
        return x + y > 0 ? 1 : -1;
    pqti_exact_dot exact = {.count = 0};
    add_product(&exact, b.x, a.x, c.x, a.x, false);
    add_product(&exact, b.y, a.y, c.y, a.y, false);
    return pqti_exact_dot_sign(&exact);
}

/* A length as a sum of two doubles that need not be a double itself; >= 0. */
typedef struct reach {
    double a, b;
} reach;

/* Returns the sign of the distance of two points, less a reach. */
static int
compare_distance_to_point(pqt_vec p, pqt_vec q, reach limit)
{
    double x = p.x - q.x, y = p.y - q.y, length = limit.a + limit.b;
    double square = x * x + y * y, limit_square = length * length;
    double error = (square + limit_square) * SQUARE_ERROR;
    bool is_safe = square + limit_square > SMALL && square + limit_square < LARGE &&
                   pqti_fabs(limit.a) + pqti_fabs(limit.b) <= 2 * length;
    if (is_safe && pqti_fabs(square - limit_square) > error)
        return square > limit_square ? 1 : -1;
    pqti_exact_dot exact = {.count = 0};
    add_square_of_distance(&exact, p, q);
    add_product(&exact, limit.a, -limit.b, limit.a, -limit.b, true);
    return pqti_exact_dot_sign(&exact);
}

/* Returns the sign of the distance of `p` from the line through `a` and `b`, less a reach. */
static int
compare_distance_to_line(pqt_vec p, pqt_vec a, pqt_vec b, reach limit)
{
    double x = b.x - a.x, y = b.y - a.y, length = limit.a + limit.b;
    double left = x * (p.y - a.y), right = y * (p.x - a.x);
    double cross = left - right, square = x * x + y * y;
    double root = (pqti_fabs(left) + pqti_fabs(right)) * ORIENTATION_ERROR;
    double bound = length * sqrt(square);
    double error = root + (bound + pqti_fabs(cross)) * SQUARE_ERROR;
    bool is_safe = square > SMALL && square < LARGE && bound > SMALL && bound < LARGE &&
                   root < LARGE && pqti_fabs(limit.a) + pqti_fabs(limit.b) <= 2 * length;
    if (is_safe && pqti_fabs(pqti_fabs(cross) - bound) > error)
        return pqti_fabs(cross) > bound ? 1 : -1;
    pqti_exact_dot exact_cross = {.count = 0}, exact_limit = {.count = 0}, side = {.count = 0};
    add_cross(&exact_cross, a, b, p);
    add_product(&exact_limit, limit.a, -limit.b, limit.a, -limit.b, false);
    add_square_of_distance(&side, a, b);
    return pqti_exact_compare_square(&exact_cross, &exact_limit, &side);
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

/* ---- Outlines ---- */

static outline
outline_of(const pqt_convex *convex)
{
    PQTI_DEBUG_ASSERT(pqt_convex_is_valid(convex), "the convex is not valid");
    return (outline){convex->vertices, convex->count, convex->radius};
}

static outline
outline_of_circle(const pqt_circle *circle)
{
    return (outline){&circle->centre, 1, circle->radius};
}

/* The corners of a box without repetition, in the order of pqt_convex. */
typedef struct box_corners {
    size_t count;
    pqt_vec corners[4];
} box_corners;

static box_corners
corners_of(const pqt_box *box)
{
    const pqt_vec all[] = {box->min, {box->max.x, box->min.y}, box->max, {box->min.x, box->max.y}};
    box_corners result = {.count = 0};
    if (box->min.x < box->max.x && box->min.y < box->max.y) {
        memcpy(result.corners, all, sizeof all);
        result.count = 4;
    } else {
        result.corners[0] = box->min;
        result.corners[1] = box->max;
        result.count = points_are_equal(box->min, box->max) ? 1 : 2;
    }
    return result;
}

static outline
outline_of_box(const box_corners *corners)
{
    return (outline){corners->corners, corners->count, 0};
}

/* Returns the vertex after number i. */
static pqt_vec
next_vertex(const outline *shape, size_t i)
{
    return shape->vertices[i + 1 == shape->count ? 0 : i + 1];
}

/* How many sides a polygon has: a segment has two, one in each direction; a point has none. */
static size_t
side_count(const outline *shape)
{
    return shape->count > 1 ? shape->count : 0;
}

/* ---- Polygons without radii ---- */

typedef enum separation { OVERLAPPING, TOUCHING, APART } separation;

/* Returns how the line of a side separates its polygon from another. */
static separation
separation_by_side(pqt_vec from, pqt_vec to, const outline *other)
{
    separation result = APART;
    for (size_t i = 0; i < other->count; i++) {
        int side = orientation(from, to, other->vertices[i]);
        if (side > 0)
            return OVERLAPPING;
        if (side == 0)
            result = TOUCHING;
    }
    return result;
}

/* Returns the greatest separation by a side of `shape`. */
static separation
separation_by_sides(const outline *shape, const outline *other)
{
    separation result = OVERLAPPING;
    for (size_t i = 0; i < side_count(shape) && result != APART; i++) {
        separation by_side = separation_by_side(shape->vertices[i], next_vertex(shape, i), other);
        if (by_side > result)
            result = by_side;
    }
    return result;
}

/* Whether two points or segments are on one line. */
static bool
are_collinear(const outline *a, const outline *b)
{
    if (a->count > 2 || b->count > 2)
        return false;
    if (a->count == 1 && b->count == 1)
        return true;
    const outline *segment = a->count == 2 ? a : b, *other = segment == a ? b : a;
    for (size_t i = 0; i < other->count; i++)
        if (orientation(segment->vertices[0], segment->vertices[1], other->vertices[i]) != 0)
            return false;
    return true;
}

/* Returns the separation of the polygons of two shapes, regardless of the radii. */
static separation
separation_of_polygons(const outline *a, const outline *b)
{
    if (are_collinear(a, b)) {
        bool is_apart = compare_points(a->vertices[a->count - 1], b->vertices[0]) < 0 ||
                        compare_points(b->vertices[b->count - 1], a->vertices[0]) < 0;
        return is_apart ? APART : TOUCHING;
    }
    separation by_a = separation_by_sides(a, b);
    separation by_b = by_a == APART ? APART : separation_by_sides(b, a);
    return by_a > by_b ? by_a : by_b;
}

/* ---- Distances ---- */

/* Returns the sign of the distance of a point from a segment, less a reach. */
static int
compare_distance_to_side(pqt_vec p, pqt_vec a, pqt_vec b, reach limit)
{
    if (sign_of_dot(a, b, p) <= 0)
        return compare_distance_to_point(p, a, limit);
    if (sign_of_dot(b, a, p) <= 0)
        return compare_distance_to_point(p, b, limit);
    return compare_distance_to_line(p, a, b, limit);
}

/* Returns the sign of the least distance of a vertex of `a` from the boundary of `b`, less a
 * reach. */
static int
compare_distance_of_vertices(const outline *a, const outline *b, reach limit)
{
    int least = 1;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count && least >= 0; j++) {
            int sign = b->count == 1
                           ? compare_distance_to_point(a->vertices[i], b->vertices[j], limit)
                           : compare_distance_to_side(a->vertices[i], b->vertices[j],
                                                      next_vertex(b, j), limit);
            least = sign < least ? sign : least;
        }
    return least;
}

/* Returns the separation of two shapes. */
static separation
separation_of(const outline *a, const outline *b)
{
    separation polygons = separation_of_polygons(a, b);
    if (a->radius == 0 && b->radius == 0)
        return polygons;
    if (polygons != APART)
        return OVERLAPPING;
    reach limit = {a->radius, b->radius};
    int sign = compare_distance_of_vertices(a, b, limit);
    int of_b = sign < 0 ? sign : compare_distance_of_vertices(b, a, limit);
    sign = of_b < sign ? of_b : sign;
    return sign < 0 ? OVERLAPPING : sign == 0 ? TOUCHING : APART;
}

/* ---- Covering ---- */

/* Whether the polygon of a shape, which is grown by `limit`, contains a point. */
static bool
grown_polygon_contains(const outline *shape, pqt_vec point, reach limit)
{
    const outline at = {&point, 1, 0};
    if (separation_of_polygons(shape, &at) != APART)
        return true;
    return limit.a != -limit.b && compare_distance_of_vertices(&at, shape, limit) <= 0;
}

/* Whether a polygon contains the circle around a point with the radius `limit`, which is above
 * 0. */
static bool
polygon_contains_circle(const outline *shape, pqt_vec point, reach limit)
{
    if (shape->count < 3)
        return false;
    for (size_t i = 0; i < shape->count; i++) {
        pqt_vec from = shape->vertices[i], to = next_vertex(shape, i);
        if (orientation(from, to, point) <= 0 ||
            compare_distance_to_line(point, from, to, limit) < 0)
            return false;
    }
    return true;
}

/* Whether `a` contains every point of `b`. The radius of `b` is taken off that of `a`, since both
 * shapes are convex; if it is larger, the polygon of `a` must contain circles. */
static bool
covers(const outline *a, const outline *b)
{
    bool is_grown = a->radius >= b->radius;
    reach limit = is_grown ? (reach){a->radius, -b->radius} : (reach){b->radius, -a->radius};
    for (size_t i = 0; i < b->count; i++)
        if (is_grown ? !grown_polygon_contains(a, b->vertices[i], limit)
                     : !polygon_contains_circle(a, b->vertices[i], limit))
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

/* Appends a point to a hull after removing the corners that it hides. Keeps the first `kept`. */
static size_t
append_to_hull(pqt_vec *hull, size_t count, size_t kept, pqt_vec point)
{
    while (count > kept && orientation(hull[count - 2], hull[count - 1], point) <= 0)
        count--;
    hull[count] = point;
    return count + 1;
}

/* Writes the corners of the convex hull of up to PQT_MAX_CONVEX_VERTICES finite points in the order
 * of pqt_convex. Returns how many there are, 1 if all points are equal. */
static size_t
hull_of(const pqt_vec *points, size_t count, pqt_vec *corners)
{
    pqt_vec sorted[PQT_MAX_CONVEX_VERTICES], hull[2 * PQT_MAX_CONVEX_VERTICES];
    size_t distinct = 1, length = 0;
    for (size_t i = 0; i < count; i++)
        sorted[i] = (pqt_vec){points[i].x + 0.0, points[i].y + 0.0}; /* no -0.0 */
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
        length--; /* the first point was appended again */
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
        pqti_error_set(error, PQT_ERROR_BOX, 0, "convex: there are no two different points");
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
    if (!pqti_validate_box(box, "convex", &box, error))
        return false;
    box_corners corners = corners_of(&box);
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
    const outline shape = outline_of(convex);
    return grown_polygon_contains(&shape, point, (reach){convex->radius, 0});
}

bool
pqt_convex_touches(const pqt_convex *a, const pqt_convex *b)
{
    const outline of_a = outline_of(a), of_b = outline_of(b);
    return separation_of(&of_a, &of_b) != APART;
}

bool
pqt_convex_overlaps(const pqt_convex *a, const pqt_convex *b)
{
    const outline of_a = outline_of(a), of_b = outline_of(b);
    return separation_of(&of_a, &of_b) == OVERLAPPING;
}

bool
pqt_convex_covers(const pqt_convex *a, const pqt_convex *b)
{
    const outline of_a = outline_of(a), of_b = outline_of(b);
    return covers(&of_a, &of_b);
}

bool
pqt_convex_touches_box(const pqt_convex *convex, pqt_box box)
{
    const box_corners corners = corners_of(&box);
    const outline shape = outline_of(convex), other = outline_of_box(&corners);
    return separation_of(&shape, &other) != APART;
}

bool
pqt_convex_overlaps_box(const pqt_convex *convex, pqt_box box)
{
    const box_corners corners = corners_of(&box);
    const outline shape = outline_of(convex), other = outline_of_box(&corners);
    return separation_of(&shape, &other) == OVERLAPPING;
}

bool
pqt_convex_covers_box(const pqt_convex *convex, pqt_box box)
{
    const box_corners corners = corners_of(&box);
    const outline shape = outline_of(convex), other = outline_of_box(&corners);
    return covers(&shape, &other);
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
    const outline shape = outline_of(convex), other = outline_of_circle(&circle);
    return separation_of(&shape, &other) != APART;
}

bool
pqt_convex_overlaps_circle(const pqt_convex *convex, pqt_circle circle)
{
    const outline shape = outline_of(convex), other = outline_of_circle(&circle);
    return separation_of(&shape, &other) == OVERLAPPING;
}

bool
pqt_convex_covers_circle(const pqt_convex *convex, pqt_circle circle)
{
    const outline shape = outline_of(convex), other = outline_of_circle(&circle);
    return covers(&shape, &other);
}
