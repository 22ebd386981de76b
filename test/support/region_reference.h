/* SPDX-License-Identifier: MIT */
/* region_reference.h: compares queries of a region with its bitmap. */
#ifndef TEST_REGION_REFERENCE_H
#define TEST_REGION_REFERENCE_H

#include "region_versions.h"

/* Runs a random query on a version, and checks its result. */
void region_check_queries(stage *s, const version *v);

#endif
