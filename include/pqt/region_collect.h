/* SPDX-License-Identifier: MIT */
/**
 * @file region_collect.h - arrays in place of visitors: what the functions of region.h and
 * region_contour.h visit.
 *
 * error.h has the rules for results in an array: at most `capacity` results are written, and the
 * number of all results is returned or set.
 *
 *     pqt_pixel_box boxes[64];
 *     size_t count = pqt_region_collect_boxes(level, pqt_region_bounds(level), boxes, 64);
 */
#ifndef PQT_REGION_COLLECT_H
#define PQT_REGION_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/region.h>
#include <pqt/region_contour.h>

PQT_BEGIN_DECLARATIONS

/**
 * Writes the runs of a window into an array, in the order of pqt_region_visit_runs.
 *
 * @param region    any version
 * @param window    any box; pqt_region_bounds for all
 * @param runs      an array of `capacity` runs; NULL if capacity is 0
 * @param capacity  the maximum number of runs to write
 * @return          the number of all runs
 * @cost  as pqt_region_visit_runs
 */
PQT_API size_t pqt_region_collect_runs(const pqt_region *region, pqt_pixel_box window,
                                       pqt_pixel_run *runs, size_t capacity);

/**
 * Writes boxes that partition the pixels of a window into an array, in the order of
 * pqt_region_visit_boxes.
 *
 * @param region    any version
 * @param window    any box; pqt_region_bounds for all
 * @param boxes     an array of `capacity` boxes; NULL if capacity is 0
 * @param capacity  the maximum number of boxes to write
 * @return          the number of all boxes
 * @cost  as pqt_region_visit_boxes
 */
PQT_API size_t pqt_region_collect_boxes(const pqt_region *region, pqt_pixel_box window,
                                        pqt_pixel_box *boxes, size_t capacity);

/**
 * Writes the squares of the quadtree into an array, in the order of pqt_region_visit_squares.
 *
 * @param region    any version
 * @param squares   an array of `capacity` squares; NULL if capacity is 0
 * @param capacity  the maximum number of squares to write
 * @return          the number of all squares
 * @cost  as pqt_region_visit_squares
 */
PQT_API size_t pqt_region_collect_squares(const pqt_region *region, pqt_square *squares,
                                          size_t capacity);

/**
 * Writes the boxes of pqt_region_visit_diff into an array, in their order. pqt_region_damage writes
 * fewer boxes, which may be larger.
 *
 * @param before    any version
 * @param after     any version; the memories may differ
 * @param boxes     an array of `capacity` boxes; NULL if capacity is 0
 * @param capacity  the maximum number of boxes to write
 * @return          the number of all boxes
 * @cost  as pqt_region_visit_diff
 */
PQT_API size_t pqt_region_collect_diff(const pqt_region *before, const pqt_region *after,
                                       pqt_pixel_box *boxes, size_t capacity);

/**
 * Writes the components of a region into an array, in the order of pqt_region_visit_components.
 *
 * @param region        any version
 * @param connectivity  which pixels are neighbours
 * @param minimum       the least number of pixels of a component
 * @param components    an array of `capacity` pointers, NULL if capacity is 0; in the collector's
 *                      memory it must be where the collector scans (memory.h). Not written on
 *                      failure, except by components that were found before it
 * @param capacity      the maximum number of components to write; no others are made
 * @param count         set to the number of all components; not NULL
 * @return              false on failure
 * @error as pqt_region_visit_components
 * @cost  as pqt_region_visit_components
 */
PQT_API bool pqt_region_collect_components(const pqt_region *region, pqt_connectivity connectivity,
                                           uint64_t minimum, const pqt_region **components,
                                           size_t capacity, size_t *count, pqt_error *error);

/** Arrays for contours, and the numbers that they need. */
typedef struct pqt_contour_arrays {
    pqt_pixel *corners;      /**< an array of `corner_capacity` corners; NULL if that is 0 */
    size_t corner_capacity;  /**< the maximum number of corners to write */
    pqt_contour *contours;   /**< an array of `contour_capacity` contours; NULL if that is 0 */
    size_t contour_capacity; /**< the maximum number of contours to write */
    size_t corner_count;     /**< set: the number of all corners */
    size_t contour_count;    /**< set: the number of all contours */
} pqt_contour_arrays;

/**
 * Writes the contours of a region into arrays, in the order of pqt_region_visit_contours. The
 * corners of the contours point into the array of corners.
 *
 * From the first contour that does not fit on, contours are only counted. So two calls are enough:
 * one without arrays, which sets both numbers, and one with arrays of these sizes.
 *
 * @param region        any version
 * @param connectivity  as for pqt_region_visit_contours
 * @param tolerance     as for pqt_region_visit_contours
 * @param arrays        the arrays and their capacities; not NULL
 * @return              false on failure
 * @error as pqt_region_visit_contours
 * @cost  as pqt_region_visit_contours
 */
PQT_API bool pqt_region_collect_contours(const pqt_region *region, pqt_connectivity connectivity,
                                         double tolerance, pqt_contour_arrays *arrays,
                                         pqt_error *error);

PQT_END_DECLARATIONS

#endif
