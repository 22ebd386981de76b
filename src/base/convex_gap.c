/* SPDX-License-Identifier: MIT */
/*
 * convex_gap.c: the distance between two convex shapes, and their nearest points.
 *
 * If two polygons are apart, one of their two nearest points can be chosen to be a vertex; the
 * other is a vertex or on a side. This follows from the Voronoi regions of features: C. Ericson,
 * Real-Time Collision Detection, 2005, section 9.1.2. Each polygon has at most 8 vertices, so all
 * pairs are compared. Unlike GJK, this needs no iteration and no tolerance. The exact separation of
 * placed.h decides whether the distance is 0.
 */
#include "config.h"

#include <pqt/convex.h>

#include <math.h>

#include "base/fp.h"
#include "base/placed.h"
#include "base/vec_internal.h"

/* The fourth power of a number in this range neither overflows nor underflows. */
#define SAFE_MIN 0x1p-200
#define SAFE_MAX 0x1p200

/* A square of a length that is smaller than this has lost bits. */
#define LEAST_SQUARE 0x1p-900

#define SMALLEST 0x1p-1074

/* ---- Polygons that are apart ---- */

/*
 * The nearest points of two polygons found so far: `on_a` minus `on_b` is the normal times the
 * distance.
 */
typedef struct nearest_pair {
    double distance;
    pqt_vec on_a, on_b, normal;
} nearest_pair;

static pqt_vec
vec_between(pqt_vec from, pqt_vec to)
{
    return (pqt_vec){to.x - from.x, to.y - from.y};
}

/* Returns vertex i of a shape in a coordinate system that is moved by `shift`. */
static pqt_vec
vertex_at(const pqti_placed *shape, size_t i, pqt_vec shift)
{
    return pqt_vec_add(shape->vertices[i], shift);
}

/* A vertex of one shape and a side of another one. */
typedef struct vertex_and_side {
    pqt_vec p, u, v; /* the vertex, and the ends of the side */
    /* p - u and p - v: if p is near an end, the shorter one has kept its bits */
    pqt_vec apart, past;
    pqt_vec outward; /* points out of the side */
    bool is_of_b;    /* the side belongs to b */
} vertex_and_side;

/* Compares a vertex with a side. The vertex must be on the outer side of the line through it. */
static void
compare_with_side(nearest_pair *best, const vertex_and_side *pair)
{
    pqt_vec side = vec_between(pair->u, pair->v);
    double square = side.x * side.x + side.y * side.y;
    double along = pair->apart.x * side.x + pair->apart.y * side.y, length = sqrt(square);
    double left = -(pair->past.x * side.x + pair->past.y * side.y);
    if (!(along > 0 && left > 0))
        return;
    const pqt_vec from_end = along <= left ? pair->apart : pair->past;
    double distance = from_end.x * pair->outward.x + from_end.y * pair->outward.y;
    if (side.x != 0 && side.y != 0 && square > LEAST_SQUARE)
        distance = (from_end.x * side.y - from_end.y * side.x) / length;
    distance = pqti_fmax(distance, SMALLEST); /* it may have been rounded to 0 or below */
    if (!(distance < best->distance))
        return;
    const double share = pqti_fmin(along / square, 1);
    const pqt_vec foot = {pair->u.x + side.x * share, pair->u.y + side.y * share};
    best->distance = distance;
    best->on_a = pair->is_of_b ? pair->p : foot;
    best->on_b = pair->is_of_b ? foot : pair->p;
    best->normal =
        pair->is_of_b ? pair->outward : (pqt_vec){0 - pair->outward.x, 0 - pair->outward.y};
}

/* Compares all vertices of `a` with all sides of `b`. `is_of_b` is false if the caller has
 * exchanged the shapes. */
static void
compare_with_sides(nearest_pair *best, const pqti_placed *a, const pqti_placed *b, pqt_vec shift,
                   bool is_of_b)
{
    const pqt_vec zero = {0, 0}, back = {0 - shift.x, 0 - shift.y};
    const pqt_vec shift_a = is_of_b ? shift : zero, shift_b = is_of_b ? zero : shift;
    const pqt_vec offset = is_of_b ? shift : back;
    for (size_t i = 0; i < pqti_side_count(b); i++) {
        const pqt_vec from = b->vertices[i], to = pqti_next_vertex(b, i);
        vertex_and_side pair = {.outward = pqti_outward_of(from, to), .is_of_b = is_of_b};
        pair.u = pqt_vec_add(from, shift_b);
        pair.v = pqt_vec_add(to, shift_b);
        for (size_t j = 0; j < a->count; j++) {
            if (pqti_cross_sign(from, to, pqti_placed_point_of(b, i), pqti_placed_point_of(a, j)) >=
                0)
                continue;
            pair.p = vertex_at(a, j, shift_a);
            pair.apart = pqt_vec_add(vec_between(from, a->vertices[j]), offset);
            pair.past = pqt_vec_add(vec_between(to, a->vertices[j]), offset);
            compare_with_side(best, &pair);
        }
    }
}

static void
compare_vertices(nearest_pair *best, const pqti_placed *a, const pqti_placed *b, pqt_vec shift)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            pqt_vec apart = pqt_vec_add(vec_between(b->vertices[j], a->vertices[i]), shift);
            double distance = pqt_vec_length(apart);
            if (!(distance < best->distance))
                continue;
            best->distance = distance;
            best->on_a = vertex_at(a, i, shift);
            best->on_b = b->vertices[j];
            best->normal = pqt_vec_normalize(apart);
        }
}

/* Returns the nearest points of two polygons that are apart, relative to the position of `b`. */
static nearest_pair
nearest_of_polygons(const pqti_placed *a, const pqti_placed *b)
{
    pqt_vec shift = pqt_vec_subtract(a->position, b->position);
    nearest_pair best = {.distance = INFINITY};
    compare_with_sides(&best, a, b, shift, true);
    compare_with_sides(&best, b, a, shift, false);
    compare_vertices(&best, a, b, shift);
    return best;
}

/* ---- Shapes that touch ---- */

/* Returns true if a vertex of `a` is in the polygon of `b`, and sets *point to this vertex. */
static bool
find_vertex_inside(const pqti_placed *a, const pqti_placed *b, pqt_vec shift, pqt_vec *point)
{
    for (size_t i = 0; i < a->count; i++) {
        const pqti_placed vertex = {&a->vertices[i], 1, 0, a->position};
        if (pqti_separation_of_polygons(&vertex, b) == PQTI_APART)
            continue;
        *point = vertex_at(a, i, shift);
        return true;
    }
    return false;
}

/*
 * Returns true if the ends of side j of `b` are on different sides of the line through side i of
 * `a`.
 */
static bool
side_divides(const pqti_placed *a, size_t i, const pqti_placed *b, size_t j)
{
    pqt_vec from = a->vertices[i], to = pqti_next_vertex(a, i);
    const pqti_placed_point next = {pqti_next_vertex(b, j), b->position};
    return pqti_cross_sign(from, to, pqti_placed_point_of(a, i), pqti_placed_point_of(b, j)) !=
           pqti_cross_sign(from, to, pqti_placed_point_of(a, i), next);
}

/* Returns the point at which side i of `a` crosses side j of `b`. */
static pqt_vec
crossing_of(const pqti_placed *a, size_t i, const pqti_placed *b, size_t j, pqt_vec shift)
{
    pqt_vec side_a = vec_between(a->vertices[i], pqti_next_vertex(a, i));
    pqt_vec side_b = vec_between(b->vertices[j], pqti_next_vertex(b, j));
    pqt_vec apart = pqt_vec_add(vec_between(b->vertices[j], a->vertices[i]), shift);
    double under = side_a.x * side_b.y - side_a.y * side_b.x;
    double share = under == 0 ? 0 : (apart.x * side_a.y - apart.y * side_a.x) / -under;
    share = pqti_fmin(1, pqti_fmax(0, share));
    return pqt_vec_add(b->vertices[j], pqt_vec_scale(side_b, share));
}

/* Returns a point that two touching polygons have in common. */
static pqt_vec
common_point(const pqti_placed *a, const pqti_placed *b)
{
    pqt_vec shift = pqt_vec_subtract(a->position, b->position), none = {0, 0}, point;
    if (find_vertex_inside(a, b, shift, &point) || find_vertex_inside(b, a, none, &point))
        return point;
    for (size_t i = 0; i < pqti_side_count(a); i++)
        for (size_t j = 0; j < pqti_side_count(b); j++)
            if (side_divides(a, i, b, j) && side_divides(b, j, a, i))
                return crossing_of(a, i, b, j, shift);
    /* Scaling removed the last bits of very small numbers, so the scaled polygons are slightly
       apart. */
    return nearest_of_polygons(a, b).on_b;
}

/* ---- Shapes with radii ---- */

/*
 * Returns the gap between two shapes, given their separation and the separation of their polygons.
 */
static pqt_gap
gap_of_separation(const pqti_placed *a, const pqti_placed *b, pqti_separation shapes,
                  pqti_separation polygons)
{
    if (polygons != PQTI_APART) {
        pqt_vec point = common_point(a, b);
        return (pqt_gap){.on_a = point, .on_b = point};
    }
    const nearest_pair nearest = nearest_of_polygons(a, b);
    double radii = a->radius + b->radius;
    if (shapes != PQTI_APART) {
        pqt_vec point =
            pqti_vec_along(nearest.on_b, nearest.normal, nearest.distance * (b->radius / radii));
        return (pqt_gap){.on_a = point, .on_b = point, .normal = nearest.normal};
    }
    return (pqt_gap){.distance = nearest.distance - radii,
                     .on_a = pqti_vec_along(nearest.on_a, nearest.normal, -a->radius),
                     .on_b = pqti_vec_along(nearest.on_b, nearest.normal, b->radius),
                     .normal = nearest.normal};
}

pqt_gap
pqti_gap_of(const pqti_placed *a, const pqti_placed *b)
{
    pqti_separation polygons = pqti_separation_of_polygons(a, b);
    pqti_separation shapes = polygons == PQTI_APART ? pqti_separation_of(a, b) : polygons;
    double size = pqti_fmax(pqti_placed_size(a), pqti_placed_size(b));
    int exponent = 0;
    pqt_vec vertices_a[PQT_MAX_CONVEX_VERTICES], vertices_b[PQT_MAX_CONVEX_VERTICES];
    if (size < SAFE_MIN || size > SAFE_MAX)
        (void)frexp(size, &exponent);
    const pqti_placed scaled_a = pqti_placed_scaled(a, -exponent, vertices_a);
    const pqti_placed scaled_b = pqti_placed_scaled(b, -exponent, vertices_b);
    pqt_gap gap = gap_of_separation(&scaled_a, &scaled_b, shapes, polygons);
    if (shapes == PQTI_APART)
        gap.distance = pqti_fmax(ldexp(gap.distance, exponent), SMALLEST);
    gap.on_a = pqti_vec_ldexp(gap.on_a, exponent);
    gap.on_b = pqti_vec_ldexp(gap.on_b, exponent);
    return gap;
}

pqt_gap
pqt_convex_distance(const pqt_convex *a, const pqt_convex *b)
{
    const pqti_placed of_a = pqti_placed_convex(a), of_b = pqti_placed_convex(b);
    return pqti_gap_of(&of_a, &of_b);
}

pqt_gap
pqt_convex_distance_to_box(const pqt_convex *convex, pqt_box box)
{
    const pqti_box_corners corners = pqti_corners_of(&box);
    const pqti_placed shape = pqti_placed_convex(convex), other = pqti_placed_corners(&corners);
    return pqti_gap_of(&shape, &other);
}

pqt_gap
pqt_convex_distance_to_circle(const pqt_convex *convex, pqt_circle circle)
{
    const pqti_placed shape = pqti_placed_convex(convex), other = pqti_placed_circle(&circle);
    return pqti_gap_of(&shape, &other);
}
