/* SPDX-License-Identifier: MIT */
/**
 * @file crossing.h - finds the bodies that entered or left a zone between two versions of a world.
 *
 * A zone is a box, or a pixel region at an offset: a goal, a room, the fog that a player uncovered.
 * Only what changed between the versions is compared, so bodies that rest cost nothing.
 */
#ifndef PQT_CROSSING_H
#define PQT_CROSSING_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/box.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/query.h>
#include <pqt/region.h>
#include <pqt/vec.h>
#include <pqt/world.h>

PQT_BEGIN_DECLARATIONS

/** A part of the plane. A body is in it if the interiors of its ball and of the zone have a point
 * in common, as pqt_circle_overlaps_box decides for the box or for each pixel. */
typedef struct pqt_zone {
    pqt_box box;              /**< world units, finite; not read if there is a region */
    const pqt_region *region; /**< NULL: the box; one world unit per pixel */
    pqt_vec at;               /**< where the region's pixel 0, 0 is; rounded as for an obstacle */
    pqt_query_stats *stats;   /**< NULL, or increased: `boxes` counts the bodies compared */
} pqt_zone;

/** A body that entered or left a zone. */
typedef struct pqt_crossing {
    pqt_body body; /**< the body in the later version; in the earlier one if it was removed */
    bool entered;  /**< true: it entered the zone; false: it left the zone */
} pqt_crossing;

/**
 * Visits one crossing.
 *
 * @param crossing  valid during the call
 * @param context   as passed to pqt_world_visit_crossings
 * @return          true to continue, false to stop
 */
typedef bool pqt_visit_crossing_fn(const pqt_crossing *crossing, void *context);

/**
 * Visits the bodies that are in a zone in one of two versions only, in ascending order of their
 * ids. A body that was added inside the zone entered it, and one that was removed inside left it. A
 * body that passed through between the two versions does neither.
 *
 * @param before   the earlier version, not NULL
 * @param after    the later one, not NULL; its bounds, options and memory may differ
 * @param zone     not NULL
 * @param visit    not NULL
 * @param context  passed to `visit`
 * @return         true if every crossing was visited; false on failure, or, with PQT_OK in the
 *                 error, if `visit` stopped it
 *
 * @error PQT_ERROR_BOX     the box of the zone is NaN, infinite or inverted
 * @error PQT_ERROR_LIMIT   the offset of the region is not within PQT_PIXEL_LIMIT of 0
 * @error PQT_ERROR_MEMORY  out of scratch memory
 * @cost    O(bodies that the versions do not share), and O(c log c) for c crossings; for a region
 *          O(nodes near the ball) for each
 * @thread  any number at once
 */
PQT_API bool pqt_world_visit_crossings(const pqt_world *before, const pqt_world *after,
                                       const pqt_zone *zone, pqt_visit_crossing_fn *visit,
                                       void *context, pqt_error *error);

PQT_END_DECLARATIONS

#endif
