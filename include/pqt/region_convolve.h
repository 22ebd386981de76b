/* SPDX-License-Identifier: MIT */
/**
 * @file region_convolve.h - how many pixels of two regions overlap, at all offsets at once.
 *
 * For one offset, pqt_region_overlap_area is faster. Offsets and the order of operands are those of
 * region_overlap.h.
 */
#ifndef PQT_REGION_CONVOLVE_H
#define PQT_REGION_CONVOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/region.h>

PQT_BEGIN_DECLARATIONS

/**
 * Returns the offsets at which the bounds of two regions overlap. At all others, no pixels do.
 *
 * For regions whose bounds have w x h and v x u pixels, the box has w + v - 1 columns and h + u - 1
 * rows.
 *
 * @param a  any version
 * @param b  any version; the memories may differ
 * @return   the offsets; 0, 0, 0, 0 if a region has no pixels
 * @cost  as pqt_region_bounds
 */
PQT_API pqt_pixel_box pqt_region_overlap_offsets(const pqt_region *a, const pqt_region *b);

/**
 * Counts the pixels that two regions have in common, at each whole offset of a box: their
 * cross-correlation. All counts are exact.
 *
 *     pqt_pixel_box offsets = pqt_region_overlap_offsets(piece, hole);
 *     size_t width = (size_t)(offsets.max.x - offsets.min.x);
 *     uint32_t *counts = malloc(width * (size_t)(offsets.max.y - offsets.min.y) * sizeof *counts);
 *     if (counts == NULL || !pqt_region_convolve(piece, hole, offsets, counts, width, &error))
 *         return false;
 *
 * @param a        any version
 * @param b        any version; the memories may differ
 * @param offsets  the displacements of `b`: any box, also one that exceeds PQT_PIXEL_LIMIT
 * @param counts   the rows of the box, `stride` apart: for the offset x, y, the number in column
 *                 x - offsets.min.x of row y - offsets.min.y. Numbers beyond its width are not
 *                 written; NULL if the box is empty
 * @param stride   numbers from a row to the one below, at least the width of the box
 * @return         false on failure; out of memory, `counts` may have been written
 *
 * @error PQT_ERROR_BOX     the box is inverted
 * @error PQT_ERROR_LIMIT   both regions have more than 2^32 - 1 pixels
 * @error PQT_ERROR_OPTION  stride is less than the width of the box, or the numbers exceed the
 *                          address space
 * @error PQT_ERROR_MEMORY  out of memory
 * @cost    the lesser of two: that of pqt_region_overlap_area at each offset; or O(n log n) for n =
 *          the product of the least powers of two that are at least the width and the height of
 *          pqt_region_overlap_offsets, with scratch memory of 8 n bytes. The second is taken for n
 *          up to 2^26 only
 * @source  number-theoretic transform: J. M. Pollard, "The fast Fourier transform in a finite
 *          field", 1971
 */
PQT_API bool pqt_region_convolve(const pqt_region *a, const pqt_region *b, pqt_pixel_box offsets,
                                 uint32_t *counts, size_t stride, pqt_error *error);

PQT_END_DECLARATIONS

#endif
