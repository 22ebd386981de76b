/* SPDX-License-Identifier: MIT */
/* tile_dda.h: computes the time at which a moving tile first overlaps another tile. */
#ifndef PQTI_TILE_DDA_H
#define PQTI_TILE_DDA_H

#include <stdint.h>

#include <pqt/query.h>

#include "region/collision/region_cursor.h"

/* A time that is later than every time of a motion. */
#define PQTI_TIME_NEVER INT64_MAX

typedef struct pqti_region_motion {
    const pqti_shape_view *mover, *other;
    pqti_fixpos from, motion; /* the path of the mover relative to the other shape, in subpixels */
    int64_t unit_x, unit_y;   /* time per subpixel on each axis on which the mover moves */
    int64_t end;              /* the time at which the motion ends */
    pqt_query_stats *stats;   /* statistics of the search; may be NULL */
} pqti_region_motion;

/*
 * Returns the time at which two tiles first overlap, or `best` if they do not overlap earlier. Both
 * are mixed nodes whose boxes begin to overlap at the time `in`. As in pqti_region_motion_first,
 * overlaps that end by `since` do not count.
 */
int64_t pqti_tiles_first(const pqti_region_motion *motion, const pqti_region_cursor *other,
                         const pqti_region_cursor *mover, int64_t in, int64_t since, int64_t best);

#endif
