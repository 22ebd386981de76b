/* SPDX-License-Identifier: MIT */
/*
 * region_toi.h - a straight way of one figure past another, in whole numbers.
 *
 * Times are whole, too: with a movement of mx, my steps, a time of T stands for the fraction T /
 * (|mx| * |my|) of the way, where an axis without a movement counts as 1. Then the time at which
 * the way comes to any whole step of any axis is whole. An offset, counted from the start of the
 * way, has at most 3 * 2^30 steps, and a movement 2^30: so a time is below 2^62.
 */
#ifndef PQTI_REGION_TOI_H
#define PQTI_REGION_TOI_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/query.h>
#include <pqt/region_sweep.h>

#include "region/collision/region_cursor.h"
#include "region/collision/tile_dda.h"

pqti_region_motion pqti_region_motion_make(const pqti_shape_view *mover,
                                           const pqti_shape_view *other, pqti_fixpos from,
                                           pqti_fixpos motion, pqt_query_stats *stats);

/*
 * When the mover first comes into the other: not before `since`, when nothing overlaps, unless it
 * is in already; then a time before `since`. PQTI_TIME_NEVER if not until the end; at the end is in
 * time.
 */
int64_t pqti_region_motion_first(const pqti_region_motion *motion, int64_t since);

/* When the mover is out of the other, if it overlaps it at the start; PQTI_TIME_NEVER without a
   movement. */
int64_t pqti_region_motion_exit(const pqti_region_motion *motion);

/* Where the mover is, rounded to a step toward the start; and exactly. */
pqti_fixpos pqti_region_motion_stop(const pqti_region_motion *motion, int64_t time);
pqti_half_pos pqti_region_motion_half_pos(const pqti_region_motion *motion, int64_t time);

/* The options of sweeps among pixels, and what comes of one that is not done. */

/* The options that `options` means: see pqti_options_require. Wrong ones stop the program in the
   name of the public `function`. */
const pqt_region_sweep_options *pqti_region_options(const char *function,
                                                    const pqt_region_sweep_options *options,
                                                    pqt_region_sweep_options *converted);

/* Both stay where they are. */
static inline pqt_region_sweep
pqti_region_ignores_none(pqt_vec mover, pqt_vec other)
{
    return (pqt_region_sweep){.status = PQT_SWEEP_NONE, .stop = mover, .stop_other = other};
}

#endif
