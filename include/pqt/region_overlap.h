/* SPDX-License-Identifier: MIT */
/**
 * @file region_overlap.h - overlaps of two regions, and of a region and a shape.
 *
 * A pixel is an open unit square: squares that share only an edge or a corner do not overlap. An
 * offset is a displacement of the second region, as in pqt_region_intersection; it need not be
 * whole. It is rounded once to 1/1024 pixel, halves toward the right and down. From then on
 * everything is decided in integers, without a tolerance: at an offset of 1 - 1/1024 two pixels
 * overlap, at 1 they touch.
 *
 * The order of operands is the same in overlaps and in sweeps (region_sweep.h): the first operand
 * is `a`, or the mover of a sweep; the second is `b`, or the other. In every pair of pixels and in
 * pqt_cells, `a` or `side_a` belongs to the first operand and `b` or `side_b` to the second. If the
 * first is at the position p and the second at q, then the offset is q - p.
 *
 * The functions here neither fail nor allocate. An offset that is NaN, infinite or too far away
 * overlaps nothing, and neither does a shape with such a number. A NULL region is misuse. The
 * memories of the two regions may differ.
 *
 * pqt_region_intersection returns the overlap as a region.
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
 * The number of subpixels per pixel along an axis. Unit: subpixels.
 *
 * Reason: with PQT_PIXEL_LIMIT, a position has 31 bits, and a product of two fits in 63. If raised,
 * such products overflow.
 */
#define PQT_SUBPIXELS 1024

/** An area, exact and rounded. */
typedef struct pqt_overlap_area {
    uint64_t subpixels; /**< square subpixels: 2^20 of them are a pixel */
    double pixels;      /**< the same in pixels, rounded once */
} pqt_overlap_area;

/** A pixel of the first region and a pixel of the second that overlaps it. */
typedef struct pqt_pixel_pair {
    pqt_pixel a; /**< the pixel of the first region, in its own coordinates */
    pqt_pixel b; /**< the pixel of the second region, in its own coordinates, without the offset */
} pqt_pixel_pair;

/**
 * A rectangle of pairs: for 0 <= i < width and 0 <= k < height, the pixel a.x + i, a.y + k of the
 * first region overlaps the pixel b.x + i, b.y + k of the second.
 */
typedef struct pqt_pixel_pairs {
    pqt_pixel a;    /**< the upper left pixel of the first region, in its own coordinates */
    pqt_pixel b;    /**< the upper left pixel of the second region, in its own coordinates */
    int32_t width;  /**< pixels, at least 1 */
    int32_t height; /**< pixels, at least 1 */
} pqt_pixel_pairs;

/**
 * Visits a rectangle of pairs.
 *
 * @param pairs    valid during the call
 * @param context  as passed to the function that visits
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_pixel_pairs_fn(const pqt_pixel_pairs *pairs, void *context);

/** The side from which the first of several pixels is determined. */
typedef enum pqt_side {
    PQT_FROM_TOP = 1,    /**< row by row downward, each from the left */
    PQT_FROM_BOTTOM = 2, /**< row by row upward, each from the left */
    PQT_FROM_LEFT = 3,   /**< column by column to the right, each from the top */
    PQT_FROM_RIGHT = 4   /**< column by column to the left, each from the top */
} pqt_side;

/** The condition under which a cell of several pixels counts as full. */
typedef enum pqt_coarse_kind {
    /** if any of its pixels is in the region: no overlap of cells means no overlap of pixels */
    PQT_COARSE_OUTER = 1,
    /** if all of its pixels are in the region: an overlap of cells means an overlap of pixels */
    PQT_COARSE_INNER = 2
} pqt_coarse_kind;

/**
 * The resolution at which two regions are compared: square cells of several pixels. One of them
 * begins at the pixel 0, 0.
 *
 * A side is a power of two, 1..PQT_PIXEL_LIMIT; 1 compares pixels.
 */
typedef struct pqt_cells {
    int32_t side_a;       /**< pixels, the side of the cells of the first region */
    int32_t side_b;       /**< pixels, the side of the cells of the second region */
    pqt_coarse_kind kind; /**< there is no default */
} pqt_cells;

/** @name Two regions */
/** @{ */

/**
 * Returns whether any pixels of two regions overlap.
 *
 * @param a       any version
 * @param b       any version
 * @param offset  the displacement of `b`, pixels
 * @return        true if they overlap
 *
 * @cost    O(squares whose edges intersect); often far less, because it ends at the first pair
 * @thread  any number at once
 */
PQT_API bool pqt_region_overlaps(const pqt_region *a, const pqt_region *b, pqt_vec offset);

/**
 * Returns the area that two regions have in common.
 *
 * At an offset between whole pixels it is the weighted mean of the areas at the four whole offsets
 * around it.
 *
 * @param a       any version
 * @param b       any version
 * @param offset  the displacement of `b`, pixels
 * @return        the area
 *
 * @cost    at a whole offset, as pqt_region_overlaps if no pixels overlapped; otherwise two or four
 *          times that
 * @thread  any number at once
 */
PQT_API pqt_overlap_area pqt_region_overlap_area(const pqt_region *a, const pqt_region *b,
                                                 pqt_vec offset);

/**
 * Visits all pairs of pixels that overlap, as rectangles that have no pair in common.
 *
 * If both regions are full over large squares, one rectangle contains many pairs. The rectangles
 * and their order depend on the pixels and the offset only.
 *
 * @param a        any version
 * @param b        any version
 * @param offset   the displacement of `b`, pixels
 * @param visit    called for each rectangle; see error.h for visitors
 * @param context  passed to `visit`
 * @return         true if all were visited, false if `visit` stopped it
 *
 * @cost    O(squares whose edges intersect + rectangles); a row of a square of 64 x 64 pixels is
 *          one or more rectangles
 * @thread  any number at once
 */
PQT_API bool pqt_region_visit_overlap(const pqt_region *a, const pqt_region *b, pqt_vec offset,
                                      pqt_visit_pixel_pairs_fn *visit, void *context);

/**
 * Writes the rectangles of pairs of pixels that overlap into an array, in the order of
 * pqt_region_visit_overlap.
 *
 * @param a         any version
 * @param b         any version
 * @param offset    the displacement of `b`, pixels
 * @param pairs     an array of `capacity` rectangles; NULL if capacity is 0
 * @param capacity  the maximum number of rectangles to write
 * @return          the number of all rectangles
 * @cost  as pqt_region_visit_overlap
 */
PQT_API size_t pqt_region_collect_overlap(const pqt_region *a, const pqt_region *b, pqt_vec offset,
                                          pqt_pixel_pairs *pairs, size_t capacity);

/**
 * Finds the pair whose pixel of `a` comes first from one side. Among several such pairs, finds the
 * one whose pixel of `b` comes first.
 *
 * @param a       any version
 * @param b       any version
 * @param offset  the displacement of `b`, pixels
 * @param side    there is no default; any other value is misuse
 * @param first   set to the pair; not written if there is none; NULL is allowed
 * @return        true if the regions overlap
 *
 * @cost    as pqt_region_overlaps if no pixels overlapped, without the squares after the pair
 * @thread  any number at once
 */
PQT_API bool pqt_region_first_overlap(const pqt_region *a, const pqt_region *b, pqt_vec offset,
                                      pqt_side side, pqt_pixel_pair *first);

/**
 * Returns whether cells are valid.
 *
 * @param cells  any numbers
 * @return       true if both sides are powers of two in 1..PQT_PIXEL_LIMIT and the kind is one of
 *               the two
 */
PQT_API bool pqt_cells_are_valid(pqt_cells cells);

/**
 * Returns whether any cells of two regions overlap.
 *
 *     pqt_cells coarse = {16, 16, PQT_COARSE_OUTER};
 *     if (!pqt_region_overlaps_cells(a, b, offset, coarse))
 *         return false;                                        // no pixels overlap either
 *
 * @param a       any version
 * @param b       any version
 * @param offset  the displacement of `b`, pixels
 * @param cells   valid; otherwise it is misuse
 * @return        true if they overlap
 *
 * @cost    as pqt_region_overlaps on images whose pixels are the cells
 * @thread  any number at once
 */
PQT_API bool pqt_region_overlaps_cells(const pqt_region *a, const pqt_region *b, pqt_vec offset,
                                       pqt_cells cells);
/** @} */

/**
 * @name A region and a shape
 *
 * For these functions, a region is the interior of the union of its pixels: an edge between two of
 * its pixels is inside; an edge or a corner that it shares with a pixel outside the region is not.
 * So the result is also defined for flat shapes: a point, a line or a segment overlaps the region
 * if it runs inside, and only touches it if it runs along the outer edge. Shapes are not rounded.
 * Their numbers are in pixels, in the region's coordinates.
 */
/** @{ */

/**
 * Returns whether a region and a box overlap.
 *
 * @param region  any version
 * @param box     used exactly as given; a box that is NaN, infinite or inverted overlaps nothing
 * @return        true if they overlap
 *
 * @cost    as pqt_region_any_in; O(runs along it) for a line between two rows or columns
 * @thread  any number at once
 */
PQT_API bool pqt_region_overlaps_box(const pqt_region *region, pqt_box box);

/**
 * Returns whether a region and a circle overlap.
 *
 * @param region  any version
 * @param circle  an invalid circle overlaps nothing
 * @return        true if pqt_circle_overlaps_box holds for the box of any pixel; for a radius of 0,
 *                if pqt_region_overlaps_box holds for the centre
 *
 * @cost    O(squares that the circle's edge crosses)
 * @thread  any number at once
 */
PQT_API bool pqt_region_overlaps_circle(const pqt_region *region, pqt_circle circle);
/** @} */

PQT_END_DECLARATIONS

#endif
