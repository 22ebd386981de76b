/* SPDX-License-Identifier: MIT */
/* simplify.h: simplifies polygons. */
#ifndef PQTI_SIMPLIFY_H
#define PQTI_SIMPLIFY_H

#include <stddef.h>
#include <stdint.h>

#include <pqt/region.h>

/* The number of units of a tolerance per pixel. */
#define PQTI_TOLERANCE_UNITS 1024

/*
 * Removes corners of a closed polygon that are at most `tolerance` units from the polygon that
 * remains, and returns the number of those that remain, at least 3. The corners must not be
 * all on one line.
 *
 * `keep` has room for `count` bytes. Source: Douglas, Peucker, 1973 (region_contour.h).
 */
size_t pqti_simplify(pqt_pixel *corners, size_t count, int64_t tolerance, uint8_t *keep);

#endif
