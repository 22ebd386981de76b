/* SPDX-License-Identifier: MIT */
/* region_reference.h: queries of a region, compared with its bitmap. */
#ifndef TEST_REGION_REFERENCE_H
#define TEST_REGION_REFERENCE_H

#include "region_versions.h"

/* Makes one query, which the dice choose. */
void region_ask(stage *s, const version *v);

#endif
