/* SPDX-License-Identifier: MIT */
/* region_kind.c: the functions for regions that code for versions of any kind calls. */
#include "config.h"

#include "memory/kind_calls.h"
#include "region/region_node.h"

static pqt_memory *
memory_of_region(const void *region, void *context)
{
    (void)context;
    pqti_assert_region_alive(NULL, region);
    return ((const pqt_region *)region)->memory;
}

static bool
equal_regions(const void *a, const void *b, void *context)
{
    (void)context;
    return pqt_region_equals(a, b);
}

static bool
bytes_of_region(const void *region, const void *const *others, size_t count, size_t *bytes,
                void *context)
{
    (void)context;
    return pqt_region_exclusive_bytes(region, (const pqt_region *const *)others, count, bytes,
                                      NULL);
}

static pqt_fingerprint
fingerprint_of_region(const void *region)
{
    return pqt_region_fingerprint(region);
}

static bool
check_region(const void *region, pqt_error *error)
{
    return pqt_region_check(region, error);
}

const pqti_kind_calls pqti_region_calls = {
    .values = {sizeof(pqt_history_kind), "regions", memory_of_region, equal_regions,
               bytes_of_region, NULL, pqti_hold_version},
    .fingerprint = fingerprint_of_region,
    .check = check_region,
    .own_bytes = bytes_of_region,
};
