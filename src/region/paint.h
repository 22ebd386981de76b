/* SPDX-License-Identifier: MIT */
/* paint.h: painting primitives into the quadrants of a region. */
#ifndef PQTI_PAINT_H
#define PQTI_PAINT_H

#include "region/raster.h"

/*
 * Computes the quadrants of `old` after painting all primitives in their order, and their level,
 * which is at least old's. Unchanged nodes are shared with `old`. Returns false and sets an error
 * if there is no memory.
 */
bool pqti_paint_quadrants(const pqt_region *old, const pqti_primitives *primitives, int *level,
                          const pqti_rnode *quadrant[4], pqt_error *error);

#endif
