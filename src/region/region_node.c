/* SPDX-License-Identifier: MIT */
/* region_node.c: the sentinel nodes of regions. */
#include "config.h"

#include "region/region_node.h"

/* The sentinels, with arbitrary fingerprints. The fingerprints of padding are never read. */
const pqti_rnode pqti_sentinels[6] = {{UINT64_C(0x9e3779b97f4a7c15)},
                                      {UINT64_C(0x3c6ef372fe94f82a)}};
