/* SPDX-License-Identifier: MIT */
/* diff.h - the walk of pqt_region_diff, counted. */
#ifndef PQTI_REGION_DIFF_H
#define PQTI_REGION_DIFF_H

#include "region/square.h"

/* As pqt_region_diff; `squares` is set to how many quads and tiles were looked into, of both. */
bool pqti_region_diff(const pqt_region *before, const pqt_region *after,
                      pqt_visit_pixel_box_fn *visit, void *context, size_t *squares);

#endif
