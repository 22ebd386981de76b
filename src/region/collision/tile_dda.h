/* SPDX-License-Identifier: MIT */
/* tile_dda.h - when a tile on its way first comes into another tile. */
#ifndef PQTI_TILE_DDA_H
#define PQTI_TILE_DDA_H

#include <stdint.h>

#include <pqt/query.h>

#include "region/collision/region_cursor.h"

/* Later than all. */
#define PQTI_TIME_NEVER INT64_MAX

typedef struct pqti_region_motion {
    const pqti_shape_view *mover, *other;
    pqti_fixpos from, motion; /* of the mover as seen from the other, steps */
    int64_t unit_x, unit_y;   /* time for a step on each axis, if it moves there */
    int64_t end;              /* the time at which the way ends */
    pqt_query_stats *stats;   /* may be NULL */
} pqti_region_motion;

/*
 * When two tiles of pixels first overlap, if that is before `best`; else `best`. They are mixed
 * parts, which come near each other at the time `in`. As with pqti_region_motion_first, what is
 * over by `since` does not count.
 */
int64_t pqti_tiles_first(const pqti_region_motion *motion, const pqti_region_cursor *other,
                         const pqti_region_cursor *mover, int64_t in, int64_t since, int64_t best);

#endif
