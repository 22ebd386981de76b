/* SPDX-License-Identifier: MIT */
/**
 * @file region_affine.h - affine maps of the plane, and regions scaled to any size, rotated and
 * mapped.
 *
 * There is no sine and no cosine: a rotation is given by a heading, the vector onto which the x
 * axis turns, such as the axis of pqt_region_get_moments or the velocity of a ship. So the bits are
 * the same on every machine. y points down, so a heading of 0, 1 turns clockwise as seen on a
 * screen.
 *
 *     pqt_vec centre = pqt_region_get_moments(ship).centroid;
 *     pqt_affine turn = pqt_affine_rotation(velocity, centre);
 *     const pqt_region *turned = pqt_region_map(ship, turn, PQT_SAMPLE_NEAREST, &error);
 *
 * For flips and quarter turns about the point 0, 0, and whole factors, pqt_region_transform and
 * pqt_region_scale are faster.
 */
#ifndef PQT_REGION_AFFINE_H
#define PQT_REGION_AFFINE_H

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/region.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/** A map of the plane: the point x, y goes to xx * x + xy * y + dx, yx * x + yy * y + dy. */
typedef struct pqt_affine {
    double xx; /**< the first row of the matrix */
    double xy; /**< see xx */
    double dx; /**< the displacement, pixels */
    double yx; /**< the second row of the matrix */
    double yy; /**< see yx */
    double dy; /**< the displacement, pixels */
} pqt_affine;

/** The rule by which a pixel of the result is chosen from the part of the region that covers it. */
typedef enum pqt_sampling {
    PQT_SAMPLE_NEAREST = 1, /**< a pixel is in the result if its centre comes from the region */
    PQT_SAMPLE_AREA = 2     /**< a pixel is in the result if at least half of its area does */
} pqt_sampling;

/**
 * Returns the rotation about a point that turns the x axis onto a heading.
 *
 * @param heading  a vector of any length; headings along an axis give exact quarter turns
 * @param centre   the point that stays where it is, pixels
 * @return         the map; it has no inverse, and pqt_region_map refuses it, if the heading is 0, 0
 *                 or not finite
 */
PQT_API pqt_affine pqt_affine_rotation(pqt_vec heading, pqt_vec centre);

/**
 * Returns the scaling about a point.
 *
 * @param factors  the factors of x and y; negative ones mirror
 * @param centre   the point that stays where it is, pixels
 * @return         the map
 */
PQT_API pqt_affine pqt_affine_scaling(pqt_vec factors, pqt_vec centre);

/**
 * Returns the map that applies two others in turn.
 *
 * @param first  the map that is applied first
 * @param then   the map that is applied to its result
 * @return       the map
 */
PQT_API pqt_affine pqt_affine_compose(pqt_affine first, pqt_affine then);

/**
 * Maps a region. Each pixel of the result is mapped back to the region, so there are no gaps,
 * however much the map enlarges.
 *
 * The inverse of the map is computed once, in doubles, and so is the position from which each pixel
 * comes: the result is the same on every machine. A point on the edge between two pixels belongs to
 * the right or lower one. With PQT_SAMPLE_AREA, areas are exact up to rounding.
 *
 * @param region    any version
 * @param map       the map
 * @param sampling  the rule for pixels that are covered in part
 * @return          the new version; `region` itself if it has the same pixels; NULL on failure
 *
 * @error PQT_ERROR_OPTION  the map has no inverse, or a number that is not finite; or `sampling` is
 *                          not a pqt_sampling
 * @error PQT_ERROR_LIMIT   the result would exceed PQT_PIXEL_LIMIT; a number of the matrix or of
 *                          its inverse is above 2^20 in size, or a displacement above 2^22
 * @error PQT_ERROR_MEMORY  out of memory; `region` is unchanged
 * @cost  O(level) for each pixel of the squares of 64 x 64 pixels that the mapped edges cross, and
 *        for PQT_SAMPLE_AREA O(runs that cover it); other squares are decided as a whole
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_map(const pqt_region *region, pqt_affine map,
                                                       pqt_sampling sampling, pqt_error *error);

/**
 * Scales the pixels of one box to those of another, of any size: both columns and rows are
 * stretched or shrunk. Pixels outside the first box are left out. Everything is exact.
 *
 *     pqt_pixel_box half = {{0, 0}, {width / 2, height / 2}};
 *     const pqt_region *small = pqt_region_resize(sprite, box, half, PQT_SAMPLE_AREA, &error);
 *
 * @param region    any version
 * @param from      the box that is scaled
 * @param to        the box that it fills; one of the two may be empty, and the result is then, too
 * @param sampling  the rule for pixels that are covered in part
 * @return          the new version; `region` itself if it has the same pixels; NULL on failure
 *
 * @error PQT_ERROR_BOX     a box is inverted
 * @error PQT_ERROR_LIMIT   a box exceeds PQT_PIXEL_LIMIT
 * @error PQT_ERROR_OPTION  `sampling` is not a pqt_sampling
 * @error PQT_ERROR_MEMORY  out of memory; `region` is unchanged
 * @cost  as pqt_region_map
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_resize(const pqt_region *region,
                                                          pqt_pixel_box from, pqt_pixel_box to,
                                                          pqt_sampling sampling, pqt_error *error);

PQT_END_DECLARATIONS

#endif
