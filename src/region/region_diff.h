/* SPDX-License-Identifier: MIT */
/* region_diff.h - the walk of pqt_region_diff, counted. */
#ifndef PQTI_REGION_DIFF_H
#define PQTI_REGION_DIFF_H

#include "region/region_node.h"

/* As pqt_region_diff; `squares` is set to how many quads and tiles were looked into, of both. */
bool pqti_region_diff(const pqt_region *before, const pqt_region *after,
                      pqt_visit_pixel_box_fn *visit, void *context, size_t *squares);

#endif
