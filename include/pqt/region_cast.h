/* SPDX-License-Identifier: MIT */
/**
 * @file region_cast.h - which pixel of a region a segment or a ray hits first.
 *
 * As in region_overlap.h a region is what lies inside of all its pixels together. So a line along
 * the edge between two rows of pixels that belong is inside of the wall, not in a gap; one along
 * its outer edge touches and does not hit, as does one that passes a corner.
 *
 * Ends are rounded once to 1/1024 pixel, and then all is exact. A ray is taken as the segment to
 * where it has left all that can be: 2^21 pixels along its longer axis, the other rounded.
 *
 * Nothing here fails or allocates. A line with a number that is not finite, a segment with an end
 * and a ray with a beginning beyond PQT_PIXEL_LIMIT, and a ray without a direction hit nothing.
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
    bool hit;    /**< false: there is none, and nothing else here means anything */
    bool inside; /**< it begins inside of the region */
    /** the pixel that it enters, or begins in; between two, the right or lower one */
    pqt_pixel pixel;
    /** where, as a fraction of the segment, or in lengths of the ray's direction; 0 if it begins
        inside, or on the edge of what it enters */
    double entry;
    /** of the side that is entered: (-1, 0) is the left, (0, -1) the upper one; where two free
        sides meet, or through a corner two that are not, the left or right; (0, 0) if inside */
    pqt_vec normal;
} pqt_pixel_hit;

/**
 * The first pixel that a segment hits.
 *
 *     pqt_pixel_hit hit = pqt_region_cast_segment(walls, (pqt_segment){eye, target});
 *     bool is_seen = !hit.hit;
 *
 * @param segment  pixels, in the region's own coordinates; one of no length hits if it is inside
 * @cost    O(squares near it up to the hit)
 * @thread  any number at once
 * @since   0.1
 */
PQT_API pqt_pixel_hit pqt_region_cast_segment(const pqt_region *region, pqt_segment segment);

/** The first pixel that a ray hits; as pqt_region_cast_segment. @since 0.1 */
PQT_API pqt_pixel_hit pqt_region_cast_ray(const pqt_region *region, pqt_ray ray);

PQT_END_DECLARATIONS

#endif
