/* SPDX-License-Identifier: MIT */
/* paint.h: paints primitives into the quadrants of a region. */
#ifndef PQTI_PAINT_H
#define PQTI_PAINT_H

#include "region/raster.h"

/*
 * Paints all primitives in their order. Computes the resulting quadrants and their level, which is
 * at least the level of `old`. Unchanged nodes are shared with `old`. Returns false and sets an
 * error when out of memory.
 */
bool pqti_paint_quadrants(const pqt_region *old, const pqti_primitives *primitives, int *level,
                          const pqti_rnode *quadrant[4], pqt_error *error);

#endif
