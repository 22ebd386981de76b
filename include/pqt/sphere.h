/* SPDX-License-Identifier: MIT */
/**
 * @file sphere.h - longitudes and latitudes: boxes, distances and relations on a sphere.
 *
 * A query or a search for nearest items takes its coordinates as points of a plane, unless its
 * `surface` is PQT_SPHERE. Then x is a longitude and y a latitude, both in degrees. The tree is the
 * same; only the question differs.
 *
 * A box is on the sphere if its latitudes are from -90 to 90 and its longitudes from -540 to 540.
 * Other items are never found. Longitudes count modulo 360, so 181 and -179 are one meridian. A box
 * that crosses the antimeridian is one item whose max.x exceeds 180, such as 177 to 182 for Fiji;
 * pqt_sphere_box makes it. A box of 360 degrees or more goes all the way round, and has no western
 * and no eastern side.
 *
 * Comparisons of longitudes are exact: 360 is added and subtracted without rounding. Relations
 * compare longitudes and latitudes, so at a pole, boxes of different longitudes do not touch.
 *
 * Distances are those of great circles on a sphere of the radius PQT_EARTH_RADIUS, in metres. They
 * are computed by the haversine formula, with the library's own sine, cosine and arctangent, and
 * are equal on every machine. The error is below 1e-6 m up to 10,000 km. Near the point on the
 * opposite side of the sphere, the formula is ill-conditioned, and the error is below 0.3 m. The
 * ellipsoid of the Earth deviates from a sphere: there, distances differ by up to 0.6 %.
 */
#ifndef PQT_SPHERE_H
#define PQT_SPHERE_H

#include <stdbool.h>

#include <pqt/box.h>
#include <pqt/export.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/** The surface on which the coordinates of a search lie. */
typedef enum pqt_surface {
    PQT_PLANE = 0, /**< x and y in world units */
    PQT_SPHERE = 1 /**< x is a longitude and y a latitude, in degrees */
} pqt_surface;

/** The mean radius of the Earth in metres: (2 a + b) / 3 of the ellipsoid GRS 80, rounded. */
#define PQT_EARTH_RADIUS 6371008.8

/**
 * Returns the box between two longitudes and two latitudes.
 *
 *     pqt_box fiji = pqt_sphere_box(177, -20, -178, -12);    // x from 177 to 182
 *
 * @param west   the longitude at which the box begins, degrees
 * @param south  the least latitude, degrees
 * @param east   the longitude at which it ends, degrees; if it is less than `west`, the box crosses
 *               the antimeridian, and 360 is added to it
 * @param north  the greatest latitude, degrees
 * @return       the box; valid if `west` and `east` differ by at most 360 and south <= north
 *
 * @thread  any
 */
PQT_API pqt_box pqt_sphere_box(double west, double south, double east, double north);

/**
 * Makes the window of a query from two longitudes and two latitudes that a user gave.
 *
 *     if (!pqt_sphere_window(west, south, east, north, &query.window))
 *         return complain("not a window");
 *
 * @param west    the longitude at which it begins, degrees; -INFINITY: all longitudes
 * @param south   the least latitude, degrees; it may be -INFINITY
 * @param east    the longitude at which it ends, degrees; if it is less than `west`, the window
 *                crosses the antimeridian; INFINITY: all longitudes
 * @param north   the greatest latitude, degrees; it may be INFINITY
 * @param window  set to pqt_sphere_box of the four, in any case
 * @return        true if pqt_sphere_relates and queries accept the window: it contains no NaN,
 *                `south` <= `north`, the finite latitudes are from -90 to 90, the finite longitudes
 *                from -540 to 540 after 360 is added, and `west` exceeds `east` by at most 360
 *
 * @thread  any
 */
PQT_API bool pqt_sphere_window(double west, double south, double east, double north,
                               pqt_box *window);

/**
 * Returns whether a box is on the sphere.
 *
 * @param box  any numbers
 * @return     true if it is valid, its latitudes are within 90 degrees of the equator, and its
 *             longitudes within 540 degrees of the prime meridian
 *
 * @thread  any
 */
PQT_API bool pqt_box_is_on_sphere(pqt_box box);

/**
 * Returns the distance from a point to the nearest point of a box along a great circle.
 *
 * @param point  a longitude and a latitude, degrees
 * @param box    a box; a point is a box whose corners are equal
 * @return       metres: exactly 0 if the box contains the point; NaN if the point or the box is
 *               not on the sphere
 *
 * @cost    three sines and a cosine; a box with a height takes up to four times as long
 * @thread  any
 * @source  the nearest point of a meridian: E. Schubert, A. Zimek, H.-P. Kriegel, "Geodetic
 *          distance queries on R-trees for indexing geographic data", 2013
 */
PQT_API double pqt_sphere_distance(pqt_vec point, pqt_box box);

/**
 * Returns whether an item's box has a relation to a window on the sphere.
 *
 * The latitudes have the relation that box.h states. The longitudes have it if they have it after
 * some multiple of 360 is added to those of the window. A window that goes all the way round
 * excludes no longitude. An item that goes all the way round touches, overlaps and covers the
 * longitudes of every window, and is inside a window only if that goes round, too.
 *
 * @param item      the box of the item
 * @param window    the box that it is compared with; if a side of x is infinite, it goes all the
 *                  way round, and the latitudes may be infinite
 * @param relation  one of the four; any other number is misuse and stops the program
 * @return          true if it has the relation; false if a box is not on the sphere
 *
 * @thread  any
 */
PQT_API bool pqt_sphere_relates(pqt_box item, pqt_box window, pqt_relation relation);

PQT_END_DECLARATIONS

#endif
