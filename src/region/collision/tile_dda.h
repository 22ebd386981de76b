/* SPDX-License-Identifier: MIT */
/* tile_dda.h - when a tile on its way first comes into another tile. */
#ifndef PQTI_TILE_DDA_H
#define PQTI_TILE_DDA_H

#include <stdint.h>

#include <pqt/query.h>

#include "region/collision/region_cursor.h"

/* Later than all. */
#define PQTI_NO_TIME INT64_MAX

typedef struct pqti_way {
    const pqti_figure *mover, *other;
    pqti_fixpos from, along; /* of the mover as seen from the other, steps */
    int64_t unit_x, unit_y;  /* time for a step on each axis, if it moves there */
    int64_t end;             /* the time at which the way ends */
    pqt_tally *tally;        /* may be NULL */
} pqti_way;

/*
 * When two tiles of pixels first overlap, if that is before `best`; else `best`. They are mixed
 * parts, which come near each other at the time `in`. As with pqti_way_first, what is over by
 * `since` does not count.
 */
int64_t pqti_tiles_first(const pqti_way *way, const pqti_shape_cell *other,
                         const pqti_shape_cell *mover, int64_t in, int64_t since, int64_t best);

#endif
