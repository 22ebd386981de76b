/* SPDX-License-Identifier: MIT */
/**
 * @file region_contour.h - contours: the edges of a region as polygons.
 *
 *     +-----------+      The region of 24 pixels on the left has two contours. The outer one has
 *     | 0 0 0 0 0 |      the corners 0,0 5,0 5,5 0,5.
 *     | 0 0 0 0 0 |      The hole has 2,3 3,3 3,2 2,2.
 *     | 0 0 . 0 0 |
 *     | 0 0 0 0 0 |
 *     | 0 0 0 0 0 |
 *     +-----------+
 *
 * A contour runs along the edges of pixels, and the region is on its right: an outer contour runs
 * clockwise as seen on a screen, a hole counterclockwise. The corner x, y is the upper left corner
 * of the pixel x, y. The contours of a component are its outer one and one for each hole in it.
 *
 * Simplified contours have fewer corners, which are some of the exact ones.
 */
#ifndef PQT_REGION_CONTOUR_H
#define PQT_REGION_CONTOUR_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/region.h>

PQT_BEGIN_DECLARATIONS

/** A closed polygon along the edges of a region. */
typedef struct pqt_contour {
    const pqt_pixel *corners; /**< `count` corners in order; the last is joined to the first */
    size_t count;             /**< at least 4, and even; if simplified, at least 3 */
    bool is_hole;             /**< the region is outside of it, not inside */
    size_t number;            /**< the number of contours that were visited before it */
    size_t outer;             /**< the number of the outer contour of its component */
} pqt_contour;

/**
 * Visits one contour.
 *
 * @param contour  valid during the call
 * @param context  as passed to the function that visits
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_contour_fn(const pqt_contour *contour, void *context);

/**
 * Visits the contours of a region. They are ordered by their first edges between two pixels of a
 * row, row by row; so the outer contour of a component comes before its holes.
 *
 *     pqt_region_visit_contours(island, PQT_CONNECTIVITY_4, 1.5, draw_polygon, screen, &error);
 *
 * With a tolerance, each contour is simplified: corners are left out as long as each of them is at
 * most that far from the polygon that remains. At least 3 corners remain. A simplified contour
 * depends on its own corners only, so it can cross itself or another one.
 *
 * @param region        any version
 * @param connectivity  PQT_CONNECTIVITY_8: pixels that share only a corner are connected, so their
 *                      contour passes that corner twice; PQT_CONNECTIVITY_4: they have contours of
 *                      their own, and it is the pixels outside that are connected
 * @param tolerance     pixels, 0..PQT_PIXEL_LIMIT, rounded to 1/1024; 0: exact contours
 * @param visit         called for each contour; see error.h for visitors
 * @param context       passed to `visit`
 * @return              true if every contour was visited; false on failure, or if `visit` stopped
 *                      it
 *
 * @error PQT_ERROR_OPTION  the connectivity is neither 4 nor 8, or the tolerance is out of range
 * @error PQT_ERROR_MEMORY  out of memory; contours that were visited remain so
 * @error PQT_ERROR_LIMIT   more than 2^31 - 1 runs
 * @cost    O(rows * level + runs) time; scratch memory of 24 bytes per run and 9 bytes per corner
 *          of the longest contour. Simplification takes O(corners * log corners) for most contours,
 *          and O(corners^2) for the worst
 * @thread  any number at once on one version
 * @source  D. H. Douglas, T. K. Peucker, "Algorithms for the reduction of the number of points
 *          required to represent a digitized line or its caricature", 1973
 */
PQT_API bool pqt_region_visit_contours(const pqt_region *region, pqt_connectivity connectivity,
                                       double tolerance, pqt_visit_contour_fn *visit, void *context,
                                       pqt_error *error);

PQT_END_DECLARATIONS

#endif
