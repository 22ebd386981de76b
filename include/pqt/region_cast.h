/* SPDX-License-Identifier: MIT */
/**
 * @file region_cast.h - ray casts: the first pixel of a region that a segment or a ray hits.
 *
 * As in region_overlap.h, a region is the interior of the union of its pixels. So a line along the
 * edge between two rows of pixels of the region is inside it and not in a gap. A line along the
 * outer edge, or through a corner only, touches the region but does not hit it.
 *
 * Ends are rounded once to 1/1024 pixel; from then on everything is exact. A ray is treated as the
 * segment to a point beyond all pixels: 2^21 pixels along its longer axis, the other axis rounded.
 *
 * The functions here neither fail nor allocate. Nothing is hit by a line with a number that is not
 * finite, a segment with an end beyond PQT_PIXEL_LIMIT, a ray with a start beyond it, or a ray
 * without a direction.
 */
#ifndef PQT_REGION_CAST_H
#define PQT_REGION_CAST_H

#include <stdbool.h>

#include <pqt/export.h>
#include <pqt/region.h>
#include <pqt/segment.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/** The first pixel that a line hits. */
typedef struct pqt_pixel_hit {
    bool hit;    /**< false: nothing was hit, and the other members are meaningless */
    bool inside; /**< the line starts inside the region */
    /** the pixel that it enters or starts in; between two, the right or lower one */
    pqt_pixel pixel;
    /** the position of the hit as a fraction of the segment, or in lengths of the ray's direction;
        0 if the line starts inside, or on the edge of the pixel that it enters */
    double entry;
    /** the outward normal of the side that is entered: (-1, 0) for the left side, (0, -1) for the
        upper side; the normal of the left or right side where two free sides meet, or where the
        line enters at a corner between two sides that are not free; (0, 0) if inside */
    pqt_vec normal;
} pqt_pixel_hit;

/**
 * Finds the first pixel that a segment hits.
 *
 *     pqt_pixel_hit hit = pqt_region_cast_segment(walls, (pqt_segment){eye, target});
 *     bool is_seen = !hit.hit;
 *
 * @param region   any version
 * @param segment  pixels, in the region's coordinates; a segment of length 0 hits if it is inside
 * @return         the hit
 *
 * @cost    O(squares near it up to the hit)
 * @thread  any number at once
 */
PQT_API pqt_pixel_hit pqt_region_cast_segment(const pqt_region *region, pqt_segment segment);

/**
 * Finds the first pixel that a ray hits. See pqt_region_cast_segment.
 *
 * @param region  any version
 * @param ray     pixels, in the region's coordinates
 * @return        the hit
 *
 * @cost    O(squares near it up to the hit)
 * @thread  any number at once
 */
PQT_API pqt_pixel_hit pqt_region_cast_ray(const pqt_region *region, pqt_ray ray);

PQT_END_DECLARATIONS

#endif
