/* SPDX-License-Identifier: MIT */
/**
 * @file region_overlap.h - whether two regions overlap, by how much and where; and a region and a
 * shape.
 *
 * A pixel is an open unit square: squares that share an edge or a corner do not overlap. An offset
 * says how far the second region is moved; it need not be whole. It is rounded once to 1/1024
 * pixel, halves toward the right and down, and from there on all is decided in whole numbers. So
 * there is no tolerance: at an offset of 1 - 1/1024 two pixels overlap, at 1 they touch.
 *
 * Nothing here fails or allocates. An offset that is NaN or infinite, and one too far away to
 * reach, overlaps nothing; a shape with such a number overlaps nothing. A region that is NULL is a
 * mistake of the caller. The memories of the two regions may differ.
 *
 * The region of the overlap is pqt_region_intersection.
 */
#ifndef PQT_REGION_OVERLAP_H
#define PQT_REGION_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/box.h>
#include <pqt/circle.h>
#include <pqt/export.h>
#include <pqt/region.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/**
 * Into how many steps a pixel is divided for places that are not whole. Unit: steps.
 *
 * Reason: with PQT_PIXEL_LIMIT, a place has 31 bits, and a product of two fits 63. If raised, such
 * products overflow.
 */
#define PQT_SUBPIXELS 1024

/** An area, exactly and nearly. */
typedef struct pqt_overlap_area {
    uint64_t subpixels; /**< square steps: 2^20 of them are a pixel */
    double pixels;      /**< the same in pixels, rounded once */
} pqt_overlap_area;

/** A pixel of one region, and one of another that overlaps it. */
typedef struct pqt_pixel_pair {
    pqt_pixel a, b; /**< each as its region names it, without the offset */
} pqt_pixel_pair;

/**
 * A rectangle of pairs: for 0 <= i < width and 0 <= k < height, the pixel a.x + i, a.y + k of the
 * first region overlaps the pixel b.x + i, b.y + k of the second.
 */
typedef struct pqt_pixel_pairs {
    pqt_pixel a, b;        /**< the upper left pair, each as its region names it */
    int32_t width, height; /**< pixels, at least 1 */
} pqt_pixel_pairs;

/** Is handed pairs; returns true to go on, false to stop. They are valid during the call. */
typedef bool pqt_visit_pixel_pairs_fn(const pqt_pixel_pairs *pairs, void *context);

/** From where one looks for the first of several pixels. */
typedef enum pqt_side {
    PQT_FROM_TOP = 1,    /**< row by row downward, each from the left */
    PQT_FROM_BOTTOM = 2, /**< row by row upward, each from the left */
    PQT_FROM_LEFT = 3,   /**< column by column to the right, each from the top */
    PQT_FROM_RIGHT = 4   /**< column by column to the left, each from the top */
} pqt_side;

/** What a cell of several pixels counts as. */
typedef enum pqt_coarse_kind {
    PQT_COARSE_OUTER = 1, /**< full if any pixel of it belongs: a no is sure */
    PQT_COARSE_INNER = 2  /**< full if all pixels of it belong: a yes is sure */
} pqt_coarse_kind;

/**
 * How coarsely two regions are read: as cells with sides of so many pixels, from 0, 0 to all sides.
 *
 * A side is a power of two, 1..PQT_PIXEL_LIMIT; 1 reads pixels.
 */
typedef struct pqt_cells {
    int32_t side_a, side_b; /**< pixels, of the cells of the first and of the second region */
    pqt_coarse_kind kind;   /**< there is no default */
} pqt_cells;

/** @name Two regions */
/** @{ */

/**
 * Whether any pixels of two regions overlap.
 *
 * @param a, b    any versions
 * @param offset  how far b is moved, pixels
 *
 * @cost    O(squares whose edges meet); often far less, since it ends at the first pair
 * @thread  any number at once
 * @since   0.1
 */
PQT_API bool pqt_region_overlaps(const pqt_region *a, const pqt_region *b, pqt_vec offset);

/**
 * The area that two regions have in common.
 *
 * At an offset between whole pixels it is the mix of the areas at the four whole ones around it.
 *
 * @cost    at a whole offset as pqt_region_overlaps, without its early end; else two or four times
 *          that
 * @thread  any number at once
 * @since   0.1
 */
PQT_API pqt_overlap_area pqt_region_overlap_area(const pqt_region *a, const pqt_region *b,
                                                 pqt_vec offset);

/**
 * Visits all pairs of pixels that overlap, as rectangles that have no pair in common.
 *
 * Where both regions are full over large squares, one rectangle holds many pairs. Which rectangles
 * come, and in which order, follows from the pixels and the offset alone.
 *
 * @return  true if the walk came to its end, false if `visit` stopped it
 * @cost    O(squares whose edges meet + rectangles); a row of a square of 64 x 64 is one or more
 * @thread  any number at once
 * @since   0.1
 */
PQT_API bool pqt_region_visit_overlap(const pqt_region *a, const pqt_region *b, pqt_vec offset,
                                      pqt_visit_pixel_pairs_fn *visit, void *context);

/**
 * Finds the pair whose pixel of a comes first from one side; of several, that whose pixel of b
 * does.
 *
 * @param side   there is no default; a value that is none is a mistake of the caller
 * @param first  set to the pair; left alone if there is none; NULL is allowed
 * @return       whether the regions overlap
 * @since 0.1
 */
PQT_API bool pqt_region_first_overlap(const pqt_region *a, const pqt_region *b, pqt_vec offset,
                                      pqt_side side, pqt_pixel_pair *first);

/** Whether both sides are powers of two in 1..PQT_PIXEL_LIMIT and the reading is one. @since 0.1 */
PQT_API bool pqt_cells_are_valid(pqt_cells cells);

/**
 * Whether any cells of two regions overlap.
 *
 *     pqt_cells coarse = {16, 16, PQT_COARSE_OUTER};
 *     if (!pqt_region_overlaps_cells(a, b, offset, coarse))
 *         return false;                                        // no pixels overlap either
 *
 * @param cells  valid; else it is a mistake of the caller
 * @cost    as pqt_region_overlaps on pictures whose pixels are the cells
 * @thread  any number at once
 * @since   0.1
 */
PQT_API bool pqt_region_overlaps_cells(const pqt_region *a, const pqt_region *b, pqt_vec offset,
                                       pqt_cells cells);
/** @} */

/**
 * @name A region and a shape
 *
 * To these a region is what lies inside of all its pixels together: the edge between two of its
 * pixels is inside, the edge toward a pixel that does not belong is not, nor is a corner with one.
 * So what is flat has one answer too: a point, a line or a segment overlaps where it runs inside,
 * and only touches where it runs along the outer edge. Shapes are not rounded; their numbers are in
 * pixels, in the region's own coordinates.
 */
/** @{ */

/**
 * Whether a region and a box overlap.
 *
 * @param box  exactly as given; one that is NaN, infinite or inside out overlaps nothing
 * @cost    that of pqt_region_any_in; O(runs along it) for a line between two rows or columns
 * @thread  any number at once
 * @since   0.1
 */
PQT_API bool pqt_region_overlaps_box(const pqt_region *region, pqt_box box);

/**
 * Whether a region and a circle overlap.
 *
 * @return  whether pqt_circle_overlaps_box holds for the box of any pixel; of a circle of radius
 *          0, whether pqt_region_overlaps_box holds for its centre. False for a circle that is not
 *          valid.
 * @cost    O(squares that the circle's edge crosses)
 * @thread  any number at once
 * @since   0.1
 */
PQT_API bool pqt_region_overlaps_circle(const pqt_region *region, pqt_circle circle);
/** @} */

PQT_END_DECLARATIONS

#endif
