/* SPDX-License-Identifier: MIT */
/**
 * @file region_morph.h - morphology by distance: dilation and erosion by a radius, exact distances,
 * and skeletons. region.h has dilation and erosion by steps, outlines and components.
 *
 * The distance between two pixels is that between their centres. Everything here is decided in
 * integers.
 */
#ifndef PQT_REGION_MORPH_H
#define PQT_REGION_MORPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/region.h>

PQT_BEGIN_DECLARATIONS

/**
 * The maximum width and height of a window of distances. Unit: pixels.
 *
 * Reason: a squared distance within such a window is less than 2^31.
 */
#define PQT_DISTANCE_LIMIT 32768

/**
 * The maximum number of pixels of the box around a region that is thinned. Unit: pixels.
 *
 * Reason: thinning takes one bit of scratch memory for each of them, 512 MB in all.
 */
#define PQT_SKELETON_LIMIT UINT64_C(4294967296)

/** The pixels to which distances are measured. */
typedef enum pqt_distance_target {
    PQT_DISTANCE_TO_REGION = 1, /**< those in the region: they have the distance 0 */
    PQT_DISTANCE_TO_OUTSIDE = 2 /**< those outside the region: they have the distance 0 */
} pqt_distance_target;

/**
 * Returns the pixels with a distance of at most `radius` from a pixel of a region.
 *
 * A pixel grows to the disc that pqt_paint_disc paints around its centre.
 *
 * @param region  any version
 * @param radius  pixels, 0..PQT_PIXEL_LIMIT, rounded to 1/1024
 * @return        the new version; `region` itself if it has no pixels or the radius is below 1;
 *                NULL on failure
 * @error PQT_ERROR_OPTION  the radius is NaN or below 0
 * @error PQT_ERROR_LIMIT   the radius is above PQT_PIXEL_LIMIT, or the result would exceed it
 * @error PQT_ERROR_MEMORY  out of memory; `region` is unchanged
 * @cost  that of pqt_region_paint_all with a stroke for each run along the outline; scratch memory
 *        of about 200 bytes for each
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_dilate_disc(const pqt_region *region,
                                                               double radius, pqt_error *error);

/**
 * Returns the pixels whose distance from all pixels outside the region is above `radius`.
 * Everything beyond PQT_PIXEL_LIMIT is outside. See pqt_region_dilate_disc.
 *
 * @param region  any version
 * @param radius  pixels, 0..PQT_PIXEL_LIMIT, rounded to 1/1024
 * @return        the new version; `region` itself if it has no pixels or the radius is below 1;
 *                NULL on failure
 * @error PQT_ERROR_OPTION, PQT_ERROR_MEMORY  as pqt_region_dilate_disc
 * @error PQT_ERROR_LIMIT   the radius is above PQT_PIXEL_LIMIT
 * @cost  as pqt_region_dilate_disc
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_erode_disc(const pqt_region *region,
                                                              double radius, pqt_error *error);

/**
 * Returns lines that are one pixel wide in the middle of a region: its skeleton. It has as many
 * components (PQT_CONNECTIVITY_8) and as many holes as the region.
 *
 * Pixels are removed from the upper right and from the lower left in turn, all those at once that
 * are neither the end of a line nor needed to keep the rest connected, until none is left to
 * remove. So the skeleton of a mirrored region may differ by a pixel.
 *
 * @param region  any version
 * @return        the new version; `region` itself if it is its own skeleton; NULL on failure
 * @error PQT_ERROR_LIMIT   the box around the region has more than PQT_SKELETON_LIMIT pixels
 * @error PQT_ERROR_MEMORY  out of memory; `region` is unchanged
 * @cost    O(thickness * pixels of the box around it), in words of 64 pixels; rows in which nothing
 *          changes are skipped; scratch memory of one bit for each pixel of the box
 * @source  Z. Guo, R. W. Hall, "Parallel thinning with two-subiteration algorithms", 1989; the
 *          conditions are those of L. Lam, S.-W. Lee, C. Y. Suen, "Thinning methodologies", 1992
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_skeleton(const pqt_region *region,
                                                            pqt_error *error);

/**
 * Writes the squared distance of each pixel of a window to the nearest pixel of the window that is
 * in the region, or outside of it.
 *
 * Only pixels of the window are considered. To get the distances of the whole region, pass a window
 * that contains it; for distances to the outside, one that is a pixel larger on each side.
 *
 *     uint32_t squares[64 * 64];
 *     pqt_pixel_box window = {{0, 0}, {64, 64}};
 *     if (pqt_region_distances(walls, window, PQT_DISTANCE_TO_REGION, squares, 64, &error))
 *         printf("the nearest wall is %g pixels away\n", sqrt(squares[64 * y + x]));
 *
 * @param region   any version
 * @param window   at most PQT_DISTANCE_LIMIT pixels wide and high; it may exceed PQT_PIXEL_LIMIT
 * @param target   the pixels to which distances are measured
 * @param squares  the window's rows, `stride` apart: squared distances, exact; UINT32_MAX if no
 *                 pixel of the window is a target; numbers beyond its width are not written; NULL
 *                 if the window is empty
 * @param stride   numbers from a row to the one below, at least the window's width
 * @return         false on failure; then `squares` may have been written
 *
 * @error PQT_ERROR_BOX     the window is inverted
 * @error PQT_ERROR_LIMIT   a side of the window is above PQT_DISTANCE_LIMIT
 * @error PQT_ERROR_OPTION  `target` is not a pqt_distance_target; stride is less than the window's
 *                          width; or the numbers exceed the address space
 * @error PQT_ERROR_MEMORY  out of memory
 * @cost    O(pixels of the window) time; scratch memory of 12 bytes for each column
 * @source  A. Meijster, J. B. T. M. Roerdink, W. H. Hesselink, "A general algorithm for computing
 *          distance transforms in linear time", 2000
 */
PQT_API bool pqt_region_distances(const pqt_region *region, pqt_pixel_box window,
                                  pqt_distance_target target, uint32_t *squares, size_t stride,
                                  pqt_error *error);

PQT_END_DECLARATIONS

#endif
