/* SPDX-License-Identifier: MIT */
/**
 * @file convex.h - convex polygons with an optional radius.
 *
 * A pqt_convex is a polygon of 2 to 8 vertices, grown by a radius: all points whose distance from
 * the polygon is at most the radius. Two vertices are a segment or, with a radius, a capsule. An
 * oriented box is a convex of four vertices.
 *
 * The vertices are doubles, and the polygon that they define is the shape. The constructors of
 * boxes and oriented boxes may round vertices; the rounded polygon is convex, and equal arguments
 * give equal bits on every machine.
 *
 * The predicates are decided by exact arithmetic on the doubles given, even with a radius: no
 * rounding ever changes a result. So the predicates of circle.h, which compare a rounded distance,
 * may give other results if the shapes touch or nearly touch. If two shapes touch, their boxes
 * touch too; if they overlap, their boxes overlap too. So a search by boxes misses no such pair.
 * Distances are rounded, with a stated bound.
 *
 * Shapes *touch* if they have a common point. They *overlap* if they still have a common point
 * after one of them is moved a little in any direction. Shapes with an area overlap if their
 * interiors intersect; segments that cross overlap; segments on one line do not. These are the
 * rules of box.h.
 *
 * All functions here except the constructors are pure, never fail, and may be called from any
 * thread. They expect valid shapes (pqt_convex_is_valid).
 */
#ifndef PQT_CONVEX_H
#define PQT_CONVEX_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/box.h>
#include <pqt/circle.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/limits.h>
#include <pqt/segment.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/** A convex polygon and a radius. Make it with a constructor, or check it with
    pqt_convex_is_valid. */
typedef struct pqt_convex {
    size_t count;  /**< the number of vertices, 2 to PQT_MAX_CONVEX_VERTICES */
    double radius; /**< world units, >= 0 */
    /** world units, finite. The first is the one with the least x and, if there are several, the
       least y. The others follow in the direction from the x axis to the y axis. Each is a corner:
       no vertex is on the line through its neighbours. Vertices from `count` on are not read;
       constructors set them to 0 */
    pqt_vec vertices[PQT_MAX_CONVEX_VERTICES];
} pqt_convex;

/** The distance between two shapes, and their nearest points. */
typedef struct pqt_gap {
    double distance; /**< world units; 0 if they touch, > 0 otherwise; INFINITY if it exceeds the
                          largest double */
    pqt_vec on_a;    /**< a point of the first shape that is nearest to the second, world units */
    pqt_vec on_b;    /**< the same for the second; if they touch, both are one common point */
    pqt_vec normal;  /**< unit vector from the second to the first; (0, 0) if the polygons touch */
} pqt_gap;

/** @name Construction */
/** @{ */

/**
 * Makes the smallest convex that contains some points: their convex hull.
 *
 * Points that are not corners of the hull are dropped. Points on one line make a convex of two
 * vertices.
 *
 * @param points  an array of `count` points, world units, finite, not all equal
 * @param count   2 to PQT_MAX_CONVEX_VERTICES
 * @param radius  world units, >= 0
 * @param convex  set to the shape; unchanged on failure
 * @param error   NULL, or set on failure
 * @return        false on failure
 *
 * @error  PQT_ERROR_LIMIT   `count` is above PQT_MAX_CONVEX_VERTICES
 * @error  PQT_ERROR_BOX     a point is not finite (its index is set), there are not two different
 *                           points, or the box of the shape is not finite
 * @error  PQT_ERROR_OPTION  the radius is negative, NaN or infinite
 * @cost    O(1)
 * @thread  any
 * @source  A. M. Andrew, "Another efficient algorithm for convex hulls in two dimensions", 1979,
 *          with exact orientations
 */
PQT_API bool pqt_convex_from_points(const pqt_vec *points, size_t count, double radius,
                                    pqt_convex *convex, pqt_error *error);

/**
 * Makes a convex from a box, with the same sides. A flat box becomes a segment.
 *
 * @param box     valid, not a point
 * @param radius  world units, >= 0
 * @param convex  set to the shape; unchanged on failure
 * @param error   NULL, or set on failure
 * @return        false on failure
 *
 * @error  PQT_ERROR_BOX     the box is NaN, infinite, inverted or a point, or the box of the shape
 *                           is not finite
 * @error  PQT_ERROR_OPTION  the radius is negative, NaN or infinite
 * @cost    O(1)
 * @thread  any
 */
PQT_API bool pqt_convex_from_box(pqt_box box, double radius, pqt_convex *convex, pqt_error *error);

/**
 * Makes an oriented box: a rectangle whose first axis has a given direction.
 *
 *     pqt_convex car;
 *     pqt_convex_from_oriented_box(position, (pqt_vec){2, 1}, heading, 0, &car, &error);
 *
 * The corners are the centre plus and minus half.x times the unit vector of the direction, plus and
 * minus half.y times that vector turned by a right angle. They are rounded, and the shape is the
 * convex hull of the rounded corners: a box that is thinner than the rounding errors at its
 * position may lose a corner or become a segment. The direction (1, 0) gives the box
 * {centre - half, centre + half}.
 *
 * @param centre     world units, finite
 * @param half       half the length of each side, world units, >= 0, not both 0
 * @param direction  the direction of the first axis, of any length, finite, not zero
 * @param radius     world units, >= 0
 * @param convex     set to the shape; unchanged on failure
 * @param error      NULL, or set on failure
 * @return           false on failure
 *
 * @error  PQT_ERROR_BOX     a number is not finite, a half length is negative, a corner is not
 *                           finite, or all corners are rounded to the same point
 * @error  PQT_ERROR_OPTION  the radius is negative, NaN or infinite, or the direction is not finite
 *                           or is zero
 * @cost    O(1)
 * @thread  any
 */
PQT_API bool pqt_convex_from_oriented_box(pqt_vec centre, pqt_vec half, pqt_vec direction,
                                          double radius, pqt_convex *convex, pqt_error *error);

/**
 * Makes a convex of two vertices: with a radius, a capsule.
 *
 * @param segment  finite, its ends not equal
 * @param radius   world units, >= 0
 * @param convex   set to the shape; unchanged on failure
 * @param error    NULL, or set on failure
 * @return         false on failure
 *
 * @error  PQT_ERROR_BOX     an end is not finite, the ends are equal, or the box of the shape is
 *                           not finite
 * @error  PQT_ERROR_OPTION  the radius is negative, NaN or infinite
 * @cost    O(1)
 * @thread  any
 */
PQT_API bool pqt_convex_from_segment(pqt_segment segment, double radius, pqt_convex *convex,
                                     pqt_error *error);
/** @} */

/** @name Properties */
/** @{ */

/**
 * Returns whether a convex is valid.
 *
 * @param convex  any numbers; vertices from `count` on are not read
 * @return        true if it is as the constructors make it: 2 to 8 corners in order, finite, and a
 *                radius >= 0 with which its box is finite
 * @cost  O(1)
 */
PQT_API bool pqt_convex_is_valid(const pqt_convex *convex);

/**
 * Returns the smallest box that contains a convex. Sides are rounded outward as in pqt_circle_box.
 *
 * @param convex  valid
 * @return        the box
 * @cost  O(1)
 */
PQT_API pqt_box pqt_convex_box(const pqt_convex *convex);
/** @} */

/** @name Predicates */
/** @{ */

/**
 * Returns whether a convex contains a point. The boundary belongs to the convex.
 *
 * @param convex  valid
 * @param point   finite
 * @return        true if it contains the point
 * @cost  O(1)
 */
PQT_API bool pqt_convex_contains(const pqt_convex *convex, pqt_vec point);

/**
 * Returns whether two convex shapes have at least one common point.
 *
 * @param a  valid
 * @param b  valid
 * @return   true if they touch
 * @cost    O(1)
 * @source  the separating axis test: S. Gottschalk, M. C. Lin, D. Manocha, "OBBTree", 1996, section
 *          5
 */
PQT_API bool pqt_convex_touches(const pqt_convex *a, const pqt_convex *b);

/**
 * Returns whether the interiors of two convex shapes intersect. Segments overlap if they cross.
 *
 * @param a  valid
 * @param b  valid
 * @return   true if they overlap
 * @cost  O(1)
 */
PQT_API bool pqt_convex_overlaps(const pqt_convex *a, const pqt_convex *b);

/**
 * Returns whether a convex and a box have at least one common point.
 *
 * @param convex  valid
 * @param box     valid
 * @return        true if they touch
 * @cost  O(1)
 */
PQT_API bool pqt_convex_touches_box(const pqt_convex *convex, pqt_box box);

/**
 * Returns whether the interiors of a convex and a box intersect. A flat box overlaps a convex if it
 * reaches into the interior of the convex.
 *
 * @param convex  valid
 * @param box     valid
 * @return        true if they overlap
 * @cost  O(1)
 */
PQT_API bool pqt_convex_overlaps_box(const pqt_convex *convex, pqt_box box);

/**
 * Returns whether a convex contains every point of a box; boundaries may coincide.
 *
 * @param convex  valid
 * @param box     valid
 * @return        true if the convex covers the box
 * @cost  O(1)
 */
PQT_API bool pqt_convex_covers_box(const pqt_convex *convex, pqt_box box);

/**
 * Returns whether a box contains every point of a convex; boundaries may coincide.
 *
 * @param convex  valid
 * @param box     valid
 * @return        true if the convex is inside the box
 * @cost  O(1)
 */
PQT_API bool pqt_convex_is_inside_box(const pqt_convex *convex, pqt_box box);

/**
 * Returns whether a convex and a circle have at least one common point.
 *
 * @param convex  valid
 * @param circle  valid
 * @return        true if they touch, exactly
 * @cost  O(1)
 */
PQT_API bool pqt_convex_touches_circle(const pqt_convex *convex, pqt_circle circle);

/**
 * Returns whether the interiors of a convex and a circle intersect. A segment overlaps a circle if
 * it reaches into the interior of the circle; a circle of radius 0 overlaps a convex if it is
 * strictly inside the convex.
 *
 * @param convex  valid
 * @param circle  valid
 * @return        true if they overlap, exactly
 * @cost  O(1)
 */
PQT_API bool pqt_convex_overlaps_circle(const pqt_convex *convex, pqt_circle circle);
/** @} */

/** @name Distances */
/** @{ */

/**
 * Returns the distance between two convex shapes, and their nearest points.
 *
 *     pqt_gap gap = pqt_convex_distance(&car, &wall);
 *     if (gap.distance < 1)
 *         ... gap.on_a and gap.on_b are nearly in contact
 *
 * The distance is 0 if and only if pqt_convex_touches is true. Otherwise its error is below 32 *
 * 2^-53 times the largest coordinate or radius of both shapes, and each point is no farther than
 * that from the boundary of its shape. If the nearest point is on a side that is parallel to an
 * axis, the normal is exact.
 *
 * @param a  valid
 * @param b  valid
 * @return   the distance, the points, and the normal from `b` to `a`
 * @cost    O(1): each vertex of one is compared with each side and vertex of the other
 * @source  Voronoi regions of the features: C. Ericson, Real-Time Collision Detection, 2005,
 *          section 9.1.2
 */
PQT_API pqt_gap pqt_convex_distance(const pqt_convex *a, const pqt_convex *b);

/**
 * Returns the distance between a convex and a box; see pqt_convex_distance.
 *
 * @param convex  valid
 * @param box     valid
 * @return        the distance, 0 if and only if pqt_convex_touches_box is true; the normal points
 *                from the box to the convex
 * @cost  O(1)
 */
PQT_API pqt_gap pqt_convex_distance_to_box(const pqt_convex *convex, pqt_box box);

/**
 * Returns the distance between a convex and a circle; see pqt_convex_distance.
 *
 * @param convex  valid
 * @param circle  valid
 * @return        the distance, 0 if and only if pqt_convex_touches_circle is true; the normal
 *                points from the circle to the convex
 * @cost  O(1)
 */
PQT_API pqt_gap pqt_convex_distance_to_circle(const pqt_convex *convex, pqt_circle circle);
/** @} */

PQT_END_DECLARATIONS

#endif
