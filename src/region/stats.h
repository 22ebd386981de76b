/* SPDX-License-Identifier: MIT */
/* stats.h - the bytes that a region alone holds, among others. */
#ifndef PQTI_REGION_STATS_H
#define PQTI_REGION_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/region.h>

/*
 * The bytes of those blocks of a region that none of `count` others holds at the same place.
 * Squares that another one shares are not entered. False: no scratch memory, which is asked for
 * only if there are several others.
 */
bool pqti_region_bytes_beside(const pqt_region *region, const pqt_region *const *others,
                              size_t count, size_t *bytes);

#endif
