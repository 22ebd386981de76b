/* SPDX-License-Identifier: MIT */
/* region_flood.h: finds the component that contains a pixel. */
#ifndef PQTI_REGION_FLOOD_H
#define PQTI_REGION_FLOOD_H

#include <stdint.h>

#include <pqt/region.h>

/* Like pqt_region_component. Also sets `*entered` to the number of squares of the region that were
 * read, counted each time. */
const pqt_region *pqti_region_flood(const pqt_region *region, pqt_pixel pixel,
                                    pqt_connectivity connectivity, uint64_t *entered,
                                    pqt_error *error);

#endif
