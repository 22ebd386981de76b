/* SPDX-License-Identifier: MIT */
/*
 * region_toi.h: the motion of one shape past another in a straight line, in whole numbers.
 *
 * Times are whole numbers. For a motion of (mx, my) subpixels, a time T represents the fraction T /
 * (|mx| * |my|) of the motion, where a component of 0 counts as 1. So the motion reaches every
 * subpixel on each axis at a whole time. In a sweep, a motion is at most 2^30 subpixels long on
 * each axis, and an offset is at most 3 * 2^30 subpixels from its start, so a time is below 2^62.
 * In a cast, both are at most 2^31 subpixels, so a time is at most 2^62.
 */
#ifndef PQTI_REGION_TOI_H
#define PQTI_REGION_TOI_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/query.h>
#include <pqt/region_sweep.h>

#include "region/collision/exit_walk.h"
#include "region/collision/region_cursor.h"
#include "region/collision/tile_dda.h"

pqti_region_motion pqti_region_motion_make(const pqti_shape_view *mover,
                                           const pqti_shape_view *other, pqti_fixpos from,
                                           pqti_fixpos motion, pqt_query_stats *stats);

/*
 * Returns the first time, from `since` to the end, at which the mover enters the other shape, or
 * PQTI_TIME_NEVER. The shapes should not overlap at the time `since`; if they do, the result is
 * before `since`.
 */
int64_t pqti_region_motion_first(const pqti_region_motion *motion, int64_t since);

/* Returns the time at which the mover has left the other shape, which it overlaps at the start.
 * Returns PQTI_TIME_NEVER if there is no motion. `small` has the pixels of the mover, or is NULL if
 * it is larger or no region, or if either shape is read in cells. */
int64_t pqti_region_motion_exit(const pqti_region_motion *motion, const pqti_small_region *small);

/* The first function returns the offset at a given time, rounded to a subpixel toward the start.
 * The second one returns the exact offset. */
pqti_fixpos pqti_region_motion_stop(const pqti_region_motion *motion, int64_t time);
pqti_half_pos pqti_region_motion_half_pos(const pqti_region_motion *motion, int64_t time);

/* ---- Options and results of the public sweeps ---- */

/* Reads the options of any release: see pqti_options_require. If they are wrong, stops the program
 * with a message that names the public `function`. */
const pqt_region_sweep_options *pqti_region_options(const char *function,
                                                    const pqt_region_sweep_options *options,
                                                    pqt_region_sweep_options *converted);

/* Returns the result of a sweep that is not valid, in which both shapes keep their positions. */
static inline pqt_region_sweep
pqti_region_sweep_none(pqt_vec mover, pqt_vec other)
{
    return (pqt_region_sweep){.status = PQT_SWEEP_NONE, .stop = mover, .stop_other = other};
}

#endif
