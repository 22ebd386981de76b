/* SPDX-License-Identifier: MIT */
/* paint.h - the squares that painting leads to. */
#ifndef PQTI_PAINT_H
#define PQTI_PAINT_H

#include "region/raster.h"

/*
 * The quadrants of `old` after all primitives in their order, and their level, which is not below
 * old's. What stays as it was is old's own. False with an error told: no memory.
 */
bool pqti_paint_quadrants(const pqt_region *old, const pqti_primitives *primitives, int *level,
                          const pqti_rnode *quadrant[4], pqt_error *error);

#endif
