/* SPDX-License-Identifier: MIT */
/*
 * placed.h: exact predicates and distances of placed polygons, which are convex, have a radius and
 * are at a position.
 *
 * Each vertex of a placed polygon is the exact sum of a vertex of the shape and the position; it is
 * never rounded. A point, a circle, a segment and a box are placed polygons too.
 *
 * Source files in this folder without a header of their own: convex_gap.c.
 */
#ifndef PQTI_PLACED_H
#define PQTI_PLACED_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/box.h>
#include <pqt/circle.h>
#include <pqt/convex.h>
#include <pqt/vec.h>

#include "base/exact.h"

/*
 * A polygon of 1 to 8 vertices that is grown by a radius and placed at a position. The vertices are
 * in the order that pqt_convex prescribes.
 */
typedef struct pqti_placed {
    const pqt_vec *vertices;
    size_t count;
    double radius;
    pqt_vec position;
} pqti_placed;

/* The corners of a box without repetition, in the order that pqt_convex prescribes. */
typedef struct pqti_box_corners {
    size_t count;
    pqt_vec corners[4];
} pqti_box_corners;

pqti_box_corners pqti_corners_of(const pqt_box *box);

static inline pqti_placed
pqti_placed_corners(const pqti_box_corners *corners)
{
    return (pqti_placed){corners->corners, corners->count, 0, {0, 0}};
}

static inline pqti_placed
pqti_placed_circle(const pqt_circle *circle)
{
    return (pqti_placed){&circle->centre, 1, circle->radius, {0, 0}};
}

static inline pqti_placed
pqti_placed_convex(const pqt_convex *convex)
{
    return (pqti_placed){convex->vertices, convex->count, convex->radius, {0, 0}};
}

/* Returns the largest absolute value among the numbers of a shape. */
double pqti_placed_size(const pqti_placed *shape);

/* Returns a shape scaled by 2^exponent. Stores its vertices in `vertices`. */
pqti_placed pqti_placed_scaled(const pqti_placed *shape, int exponent,
                               pqt_vec vertices[PQT_MAX_CONVEX_VERTICES]);

/* ---- Vertices and sides ---- */

/* A vertex of a placed polygon: the sum of `vertex` and `position`. */
typedef struct pqti_placed_point {
    pqt_vec vertex, position;
} pqti_placed_point;

static inline pqti_placed_point
pqti_placed_point_of(const pqti_placed *shape, size_t i)
{
    return (pqti_placed_point){shape->vertices[i], shape->position};
}

/* Returns the vertex that follows vertex i, without the position. */
static inline pqt_vec
pqti_next_vertex(const pqti_placed *shape, size_t i)
{
    return shape->vertices[i + 1 == shape->count ? 0 : i + 1];
}

/* Returns the unit vector that points out of a polygon at the side from one vertex to the next. */
pqt_vec pqti_outward_of(pqt_vec from, pqt_vec to);

/*
 * Returns the number of sides of a polygon. A segment has two, one in each direction; a point has
 * none.
 */
static inline size_t
pqti_side_count(const pqti_placed *shape)
{
    return shape->count > 1 ? shape->count : 0;
}

/* A rounded number and a bound on its rounding error. */
typedef struct pqti_bounded {
    double value, error;
} pqti_bounded;

/*
 * Returns (to - from) x (c - u). It is above 0 if `c` is on the inner side of the line through `u`
 * in the direction from `from` to `to`, and 0 if `c` is on the line. If a number overflowed, the
 * error bound is such that no comparison with it is true.
 */
pqti_bounded pqti_cross_of(pqt_vec from, pqt_vec to, pqti_placed_point base,
                           pqti_placed_point point);

/*
 * Adds the exact number that pqti_cross_of rounds to a sum, or subtracts it from the sum. This adds
 * at most 16 products.
 */
void pqti_cross_add(pqti_exact_dot *sum, pqt_vec from, pqt_vec to, pqti_placed_point base,
                    pqti_placed_point point, bool opposite);

/* Returns the exact sign of the number that pqti_cross_of rounds. */
int pqti_cross_sign(pqt_vec from, pqt_vec to, pqti_placed_point base, pqti_placed_point point);

/* Returns the sign of (b - a) x (c - a). */
static inline int
pqti_orientation(pqt_vec a, pqt_vec b, pqt_vec c)
{
    return pqti_cross_sign(a, b, (pqti_placed_point){a, {0, 0}}, (pqti_placed_point){c, {0, 0}});
}

/* A non-negative length, as a sum of two doubles that need not be a double itself. */
typedef struct pqti_radius_sum {
    double a, b;
} pqti_radius_sum;

/*
 * Returns the sign of d - limit, where d is the distance from `p` to the line through side i of a
 * shape.
 */
int pqti_compare_distance_to_line(pqti_placed_point p, const pqti_placed *shape, size_t i,
                                  pqti_radius_sum limit);

/*
 * Returns the sign of d - limit, where d is the least distance from a vertex of `a` to the boundary
 * of the polygon of `b`.
 */
int pqti_compare_distance_of_vertices(const pqti_placed *a, const pqti_placed *b,
                                      pqti_radius_sum limit);

/* ---- Separation ---- */

typedef enum pqti_separation { PQTI_OVERLAPPING, PQTI_TOUCHING, PQTI_APART } pqti_separation;

/* Returns the separation of the polygons of two shapes, ignoring the radii. */
pqti_separation pqti_separation_of_polygons(const pqti_placed *a, const pqti_placed *b);

/* Returns the separation of two shapes. */
pqti_separation pqti_separation_of(const pqti_placed *a, const pqti_placed *b);

/* ---- Distances ---- */

/*
 * Returns the distance between two shapes and their nearest points, as pqt_convex_distance does.
 * The points are relative to the position of `b` (convex_gap.c).
 */
pqt_gap pqti_gap_of(const pqti_placed *a, const pqti_placed *b);

#endif
