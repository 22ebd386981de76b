/* SPDX-License-Identifier: MIT */
/*
 * placed.c: decides the separation of placed polygons exactly.
 *
 * Two shapes without radii are compared by the separating axis test: if any line separates them, so
 * does the line through a side of one of them. S. Gottschalk, M. C. Lin, D. Manocha, "OBBTree: a
 * hierarchical structure for rapid interference detection", 1996, section 5. Each test is the
 * orientation of three points. If the shapes have radii, the distance between the polygons is
 * compared with the sum of the radii. If the polygons are apart, this is the distance from a vertex
 * of one to a vertex or a side of the other.
 *
 * Computations with plain doubles decide if their error bounds permit it. The bounds are from J. R.
 * Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates",
 * 1997, section 4.3. Otherwise exact.h decides.
 */
#include "config.h"

#include "base/placed.h"

#include <math.h>
#include <string.h>

#include "base/exact.h"
#include "base/fp.h"
#include "base/segment_internal.h"
#include "base/vec_internal.h"

/*
 * A difference of two vertices is rounded three times, and each error is at most 2^-53 times the
 * `size` below. The product of two differences, and the sum of two products, are rounded once each,
 * with an error of at most 2^-53 times the result. So the total error is below (5 + 16 * 2^-53) *
 * 2^-53, rounded up.
 */
#define CROSS_ERROR 0x1.8p-51

/* An upper bound on the error of products that underflow. */
#define LOSS 0x1p-1060

/*
 * A product of four differences in this range neither overflows nor loses bits. SQUARE_ERROR is an
 * upper bound on its relative error.
 */
#define SMALL 0x1p-400
#define LARGE 0x1p400
#define SQUARE_ERROR 0x1p-48

/* ---- Differences of vertices ---- */

/*
 * A rounded difference between two points on one axis, and the sum of the magnitudes of its terms.
 */
typedef struct difference {
    double value, size;
} difference;

static inline difference
difference_of(double vertex, double position, double from_vertex, double from_position)
{
    double of_vertices = vertex - from_vertex, of_positions = position - from_position;
    return (difference){of_vertices + of_positions,
                        pqti_fabs(of_vertices) + pqti_fabs(of_positions)};
}

static inline difference
difference_x(pqti_placed_point a, pqti_placed_point b)
{
    return difference_of(a.vertex.x, a.position.x, b.vertex.x, b.position.x);
}

static inline difference
difference_y(pqti_placed_point a, pqti_placed_point b)
{
    return difference_of(a.vertex.y, a.position.y, b.vertex.y, b.position.y);
}

/* An exact sum of up to four doubles. */
typedef struct terms {
    size_t count;
    double term[4];
} terms;

static terms
terms_of(double vertex, double position, double from_vertex, double from_position)
{
    terms sum = {.count = 0};
    if (vertex != from_vertex) {
        sum.term[sum.count++] = vertex;
        sum.term[sum.count++] = -from_vertex;
    }
    if (position != from_position) {
        sum.term[sum.count++] = position;
        sum.term[sum.count++] = -from_position;
    }
    return sum;
}

static terms
terms_x(pqti_placed_point a, pqti_placed_point b)
{
    return terms_of(a.vertex.x, a.position.x, b.vertex.x, b.position.x);
}

static terms
terms_y(pqti_placed_point a, pqti_placed_point b)
{
    return terms_of(a.vertex.y, a.position.y, b.vertex.y, b.position.y);
}

static terms
terms_between(double from, double to)
{
    return terms_of(to, 0, from, 0);
}

static void
add_product(pqti_exact_dot *sum, terms a, terms b, bool opposite)
{
    for (size_t i = 0; i < a.count; i++)
        for (size_t j = 0; j < b.count; j++)
            pqti_exact_dot_add(sum, a.term[i], b.term[j], opposite);
}

static void
add_square_of_distance(pqti_exact_dot *sum, pqti_placed_point a, pqti_placed_point b)
{
    add_product(sum, terms_x(a, b), terms_x(a, b), false);
    add_product(sum, terms_y(a, b), terms_y(a, b), false);
}

static void
add_square_of_reach(pqti_exact_dot *sum, pqti_radius_sum limit, bool opposite)
{
    const terms length = {2, {limit.a, limit.b}};
    add_product(sum, length, length, opposite);
}

/* ---- Signs ---- */

pqti_bounded
pqti_cross_of(pqt_vec from, pqt_vec to, pqti_placed_point base, pqti_placed_point point)
{
    double x = to.x - from.x, y = to.y - from.y;
    difference dx = difference_x(point, base), dy = difference_y(point, base);
    return (pqti_bounded){
        x * dy.value - y * dx.value,
        (pqti_fabs(x) * dy.size + pqti_fabs(y) * dx.size) * CROSS_ERROR + LOSS,
    };
}

void
pqti_cross_add(pqti_exact_dot *sum, pqt_vec from, pqt_vec to, pqti_placed_point base,
               pqti_placed_point point, bool opposite)
{
    add_product(sum, terms_between(from.x, to.x), terms_y(point, base), opposite);
    add_product(sum, terms_between(from.y, to.y), terms_x(point, base), !opposite);
}

int
pqti_cross_sign(pqt_vec from, pqt_vec to, pqti_placed_point base, pqti_placed_point point)
{
    const pqti_bounded cross = pqti_cross_of(from, to, base, point);
    if (pqti_fabs(cross.value) > cross.error)
        return cross.value > 0 ? 1 : -1;
    pqti_exact_dot exact = {.count = 0};
    pqti_cross_add(&exact, from, to, base, point, false);
    return pqti_exact_dot_sign(&exact);
}

/* Returns the sign of (to - from) . (point - base). */
static int
sign_of_dot(pqt_vec from, pqt_vec to, pqti_placed_point base, pqti_placed_point point)
{
    double x = to.x - from.x, y = to.y - from.y;
    difference dx = difference_x(point, base), dy = difference_y(point, base);
    double dot = x * dx.value + y * dy.value;
    double error = (pqti_fabs(x) * dx.size + pqti_fabs(y) * dy.size) * CROSS_ERROR + LOSS;
    if (pqti_fabs(dot) > error)
        return dot > 0 ? 1 : -1;
    pqti_exact_dot exact = {.count = 0};
    add_product(&exact, terms_between(from.x, to.x), terms_x(point, base), false);
    add_product(&exact, terms_between(from.y, to.y), terms_y(point, base), false);
    return pqti_exact_dot_sign(&exact);
}

/* Returns true if the two parts of a length can be added with no error other than one rounding. */
static bool
reach_is_safe(pqti_radius_sum limit)
{
    return pqti_fabs(limit.a) + pqti_fabs(limit.b) <= 2 * (limit.a + limit.b);
}

/* Returns the sign of d - limit, where d is the distance between two vertices. */
static int
compare_distance_to_vertex(pqti_placed_point point, pqti_placed_point vertex, pqti_radius_sum limit)
{
    difference x = difference_x(point, vertex), y = difference_y(point, vertex);
    double length = limit.a + limit.b;
    double square = x.value * x.value + y.value * y.value, limit_square = length * length;
    double size = x.size * x.size + y.size * y.size + limit_square;
    double error = size * SQUARE_ERROR;
    bool is_safe = size > SMALL && size < LARGE && reach_is_safe(limit);
    if (is_safe && pqti_fabs(square - limit_square) > error)
        return square > limit_square ? 1 : -1;
    pqti_exact_dot exact = {.count = 0};
    add_square_of_distance(&exact, point, vertex);
    add_square_of_reach(&exact, limit, true);
    return pqti_exact_dot_sign(&exact);
}

int
pqti_compare_distance_to_line(pqti_placed_point p, const pqti_placed *shape, size_t i,
                              pqti_radius_sum limit)
{
    pqt_vec from = shape->vertices[i], to = pqti_next_vertex(shape, i);
    double x = to.x - from.x, y = to.y - from.y, length = limit.a + limit.b;
    const pqti_bounded cross = pqti_cross_of(from, to, pqti_placed_point_of(shape, i), p);
    double square = x * x + y * y;
    double bound = length * sqrt(square);
    double error = cross.error + (bound + pqti_fabs(cross.value)) * SQUARE_ERROR;
    bool is_safe = square > SMALL && square < LARGE && bound > SMALL && bound < LARGE &&
                   cross.error < LARGE && reach_is_safe(limit);
    if (is_safe && pqti_fabs(pqti_fabs(cross.value) - bound) > error)
        return pqti_fabs(cross.value) > bound ? 1 : -1;
    pqti_exact_dot exact_cross = {.count = 0}, exact_limit = {.count = 0}, side = {.count = 0};
    pqti_cross_add(&exact_cross, from, to, pqti_placed_point_of(shape, i), p, false);
    add_square_of_reach(&exact_limit, limit, false);
    add_square_of_distance(&side, (pqti_placed_point){from, {0, 0}},
                           (pqti_placed_point){to, {0, 0}});
    return pqti_exact_compare_square(&exact_cross, &exact_limit, &side);
}

/* Returns the sign of d - limit, where d is the distance from a vertex to side i of a shape. */
static int
compare_distance_to_side(pqti_placed_point p, const pqti_placed *shape, size_t i,
                         pqti_radius_sum limit)
{
    pqt_vec from = shape->vertices[i], to = pqti_next_vertex(shape, i);
    const pqti_placed_point begin = {from, shape->position}, end = {to, shape->position};
    if (sign_of_dot(from, to, begin, p) <= 0)
        return compare_distance_to_vertex(p, begin, limit);
    if (sign_of_dot(to, from, end, p) <= 0)
        return compare_distance_to_vertex(p, end, limit);
    return pqti_compare_distance_to_line(p, shape, i, limit);
}

int
pqti_compare_distance_of_vertices(const pqti_placed *a, const pqti_placed *b, pqti_radius_sum limit)
{
    int least = 1;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count && least >= 0; j++) {
            const pqti_placed_point p = pqti_placed_point_of(a, i);
            int sign = b->count == 1
                           ? compare_distance_to_vertex(p, pqti_placed_point_of(b, j), limit)
                           : compare_distance_to_side(p, b, j, limit);
            least = sign < least ? sign : least;
        }
    return least;
}

/* ---- Scale ---- */

double
pqti_placed_size(const pqti_placed *shape)
{
    double size = shape->radius;
    for (size_t i = 0; i < shape->count; i++) {
        size = pqti_fmax(size, pqti_fabs(shape->vertices[i].x));
        size = pqti_fmax(size, pqti_fabs(shape->vertices[i].y));
    }
    size = pqti_fmax(size, pqti_fabs(shape->position.x));
    return pqti_fmax(size, pqti_fabs(shape->position.y));
}

pqti_placed
pqti_placed_scaled(const pqti_placed *shape, int exponent,
                   pqt_vec vertices[PQT_MAX_CONVEX_VERTICES])
{
    for (size_t i = 0; i < shape->count; i++)
        vertices[i] = pqti_vec_ldexp(shape->vertices[i], exponent);
    return (pqti_placed){vertices, shape->count, ldexp(shape->radius, exponent),
                         pqti_vec_ldexp(shape->position, exponent)};
}

/* ---- Sides ---- */

pqt_vec
pqti_outward_of(pqt_vec from, pqt_vec to)
{
    int exponent; /* not used, because only the direction matters */
    const pqt_vec side = pqti_direction_between(from, to, &exponent);
    return pqt_vec_normalize((pqt_vec){side.y, 0 - side.x});
}

/* ---- Boxes ---- */

pqti_box_corners
pqti_corners_of(const pqt_box *box)
{
    const pqt_vec all[] = {box->min, {box->max.x, box->min.y}, box->max, {box->min.x, box->max.y}};
    pqti_box_corners result = {.count = 0};
    if (box->min.x < box->max.x && box->min.y < box->max.y) {
        memcpy(result.corners, all, sizeof all);
        result.count = 4;
    } else {
        result.corners[0] = box->min;
        result.corners[1] = box->max;
        bool is_point = box->min.x == box->max.x && box->min.y == box->max.y;
        result.count = is_point ? 1 : 2;
    }
    return result;
}

/* ---- Polygons without radii ---- */

/* Returns the separation of a polygon from `other` by the line through its side i. */
static pqti_separation
separation_by_side(const pqti_placed *shape, size_t i, const pqti_placed *other)
{
    pqt_vec from = shape->vertices[i], to = pqti_next_vertex(shape, i);
    pqti_separation result = PQTI_APART;
    for (size_t j = 0; j < other->count; j++) {
        int side = pqti_cross_sign(from, to, pqti_placed_point_of(shape, i),
                                   pqti_placed_point_of(other, j));
        if (side > 0)
            return PQTI_OVERLAPPING;
        if (side == 0)
            result = PQTI_TOUCHING;
    }
    return result;
}

/* Returns the greatest separation of two polygons by a side of `shape`. */
static pqti_separation
separation_by_sides(const pqti_placed *shape, const pqti_placed *other)
{
    pqti_separation result = PQTI_OVERLAPPING;
    for (size_t i = 0; i < pqti_side_count(shape) && result != PQTI_APART; i++) {
        pqti_separation by_side = separation_by_side(shape, i, other);
        if (by_side > result)
            result = by_side;
    }
    return result;
}

/* Returns true if two points or segments are on one line. */
static bool
are_collinear(const pqti_placed *a, const pqti_placed *b)
{
    if (a->count > 2 || b->count > 2)
        return false;
    if (a->count == 1 && b->count == 1)
        return true;
    const pqti_placed *segment = a->count == 2 ? a : b, *other = segment == a ? b : a;
    for (size_t i = 0; i < other->count; i++)
        if (pqti_cross_sign(segment->vertices[0], segment->vertices[1],
                            pqti_placed_point_of(segment, 0), pqti_placed_point_of(other, i)) != 0)
            return false;
    return true;
}

/* Returns the sign of the difference between two points on one axis. */
static int
compare_coordinates(double vertex, double position, double other_vertex, double other_position)
{
    const terms apart = terms_of(vertex, position, other_vertex, other_position);
    pqti_exact_dot exact = {.count = 0};
    add_product(&exact, apart, (terms){1, {1}}, false);
    return pqti_exact_dot_sign(&exact);
}

/* Compares two points by x and then by y. Returns -1, 0 or 1. */
static int
compare_placed_points(pqti_placed_point a, pqti_placed_point b)
{
    int by_x = compare_coordinates(a.vertex.x, a.position.x, b.vertex.x, b.position.x);
    return by_x != 0 ? by_x
                     : compare_coordinates(a.vertex.y, a.position.y, b.vertex.y, b.position.y);
}

pqti_separation
pqti_separation_of_polygons(const pqti_placed *a, const pqti_placed *b)
{
    if (are_collinear(a, b)) {
        bool is_apart = compare_placed_points(pqti_placed_point_of(a, a->count - 1),
                                              pqti_placed_point_of(b, 0)) < 0 ||
                        compare_placed_points(pqti_placed_point_of(b, b->count - 1),
                                              pqti_placed_point_of(a, 0)) < 0;
        return is_apart ? PQTI_APART : PQTI_TOUCHING;
    }
    pqti_separation by_a = separation_by_sides(a, b);
    pqti_separation by_b = by_a == PQTI_APART ? PQTI_APART : separation_by_sides(b, a);
    return by_a > by_b ? by_a : by_b;
}

pqti_separation
pqti_separation_of(const pqti_placed *a, const pqti_placed *b)
{
    pqti_separation polygons = pqti_separation_of_polygons(a, b);
    if (a->radius == 0 && b->radius == 0)
        return polygons;
    if (polygons != PQTI_APART)
        return PQTI_OVERLAPPING;
    pqti_radius_sum limit = {a->radius, b->radius};
    int sign = pqti_compare_distance_of_vertices(a, b, limit);
    int of_b = sign < 0 ? sign : pqti_compare_distance_of_vertices(b, a, limit);
    sign = of_b < sign ? of_b : sign;
    return sign < 0 ? PQTI_OVERLAPPING : sign == 0 ? PQTI_TOUCHING : PQTI_APART;
}
